"""Several processes on one PostgreSQL database share the work: each is a `mentat run`, and each can do all of it.

``worker`` takes mail and sends letters, and leads what one process does at a time where nobody else does: reading the
mailbox (``reader``), the clock, the archive, the forums. ``presence`` says which processes are at work. The database
distributes the work (``bot.store.inbox``, ``bot.store.direct``): no process needs to know of another.
"""
