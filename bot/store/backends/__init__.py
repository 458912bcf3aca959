"""What differs between the two databases that Mentat runs on: a SQLite file and a PostgreSQL server.

``backend`` says what is asked of each; ``sqlite`` and ``postgresql`` are the two that answer, and
``bot.store.database`` chooses between them (``backend_of``).
"""
