"""Which rulings and tests show which clauses."""
