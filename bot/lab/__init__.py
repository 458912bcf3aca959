"""Evidence that Mentat works: rulings and their clauses, demos, simulations, long random runs, benchmarks.

The lab ships with the product but stays apart: only the command line uses it.
"""
