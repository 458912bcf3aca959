"""Backup, restore, move: a copy of the whole database is made, put back, or carried to another one.

``backing_up`` makes a copy and checks it. ``restoring`` puts one back, held; ``resuming`` takes in what has come since
it was made, and lets Mentat go on. ``moving`` carries everything to the other kind of database.
"""
