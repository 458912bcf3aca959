"""The executable rulebook: rulings run, and which clauses they show."""
