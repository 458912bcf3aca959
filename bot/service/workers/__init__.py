"""Several processes on one database: one reads the mailbox, all the others do the work.

``supervisor`` starts them and starts them anew; ``reader`` stores what comes in; ``worker`` takes mail, sends letters,
and leads what one process does at a time: the clock, the archive, the forums. The database is the engine of all this
(``bot.store.inbox``, ``bot.store.direct``): nothing else knows who does what.
"""
