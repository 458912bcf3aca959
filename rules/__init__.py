"""The rules of Dune as a pure core: the same seed and the same orders give the same events, byte for byte.

Nothing here reads a clock, a mailbox or a database, or imports anything of `bot`; chance comes from
`rules.components.chance` alone.
"""
