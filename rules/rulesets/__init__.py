"""The rule sets: options, clauses, and the form of a refusal."""
