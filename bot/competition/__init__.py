"""What is computed of a tournament: seating, scoring, standings, ratings, statistics, and a record to be checked.

Everything here is a function of values: no store, no clock, no mail, and no chance but draws of a seed
(``rules.components.chance``). What decides anything is an ``int`` or a ``Fraction``, so that it is the same on every
machine.
"""
