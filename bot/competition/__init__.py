"""Tournament computations: seating, scoring, standings, ratings, statistics, and a record that anybody can verify.

Everything here is a pure function of its arguments: no store, no clock, no mail, and no chance except draws from a seed
(``rules.components.chance``). All numbers that decide something are of type ``int`` or ``Fraction``, so the result is
the same on every machine.
"""
