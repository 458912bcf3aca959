"""Tournament computations: seating, scoring, standings, ratings, statistics, and a record that anybody can verify.

Everything in this package is a pure function of its arguments. It uses no store, clock or mail, and no randomness
except draws from a seed (``rules.components.chance``). Every number on which a decision depends is an ``int`` or a
``Fraction``, so the result is the same on every machine.
"""
