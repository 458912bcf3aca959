"""What is kept: the database, its tables, and the few questions that are asked of it."""
