"""Alembic's entry: runs the migrations on the connection that ``bot.store.database`` hands over."""

from alembic import context
from sqlmodel import SQLModel

from bot.store import forum_threads, installation, tables, tournament_tables  # noqa: F401 - they register

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=SQLModel.metadata, render_as_batch=True)
context.run_migrations()
