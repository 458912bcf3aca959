"""The rule sets: options, clauses, and how a refusal is written."""
