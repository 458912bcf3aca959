"""What a table is worth to each seat: scoring is data, and one small engine applies it.

``entered`` is what an organiser writes, ``system`` the same as numbers, ``table`` the engine, ``aggregate`` makes one
sum of the points of several tables.
"""
