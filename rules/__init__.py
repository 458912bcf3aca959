"""The rules of Dune as a pure core: the same seed and the same orders give the same events, byte for byte.

No module of `rules` reads a clock, a mailbox or a database, or imports from `bot`. All chance comes from
`rules.components.chance`.
"""
