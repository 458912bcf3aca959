"""The database: its schema, its transactions, and the queries that the rest of Mentat uses."""
