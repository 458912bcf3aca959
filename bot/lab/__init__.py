"""Evidence that Mentat works: rulings and the clauses that they cite, demos, simulations, long random runs, benchmarks.

The lab is shipped with the product, but only the command line uses it.
"""
