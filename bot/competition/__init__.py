"""Tournament computations: seating, scoring, standings, ratings, statistics, and a record that anybody can verify.

Everything here is a pure function of its arguments: no store, no clock, no mail, and no chance except draws from a seed
(``rules.components.chance``). Whatever decides anything is an ``int`` or a ``Fraction``, so the result is the same on
every machine.
"""
