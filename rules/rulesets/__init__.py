"""The rule sets with their options and clauses, and the refusals that cite the clauses."""
