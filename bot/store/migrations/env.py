"""Alembic's entry point: runs the migrations on the connection that ``bot.store.database`` passes in."""

from alembic import context

from bot.store.games import every_table
from bot.store.rows import METADATA

every_table()
connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=METADATA, render_as_batch=True)
context.run_migrations()
context.config.attributes["tables"] = METADATA
