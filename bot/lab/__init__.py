"""What shows that Mentat works: rulings and the clauses that they show, demos, simulations, long random runs,
benchmarks.

It ships with the product and lies beside it: nothing but the command line uses it.
"""
