"""A random player and the invariants that it is watched by."""
