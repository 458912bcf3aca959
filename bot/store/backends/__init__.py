"""What differs between the two databases that Mentat runs on: a SQLite file and a PostgreSQL server.

``backend`` says what is asked of each; ``sqlite`` and ``postgresql`` are the two that answer. Only
``bot.store.database`` and ``bot.store.work_locks`` choose between them (``backend_of``).
"""
