"""Channels: how the public side of a game reaches a forum or a mailing list, behind one interface.

A channel knows nothing about games, players' secrets or the database. `channel` is the interface and its values.
"""
