"""Alembic's entry point: runs the migrations on the connection that ``bot.store.database`` passes in."""

from alembic import context
from sqlmodel import SQLModel

from bot.store import games  # noqa: F401 - it knows all tables

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=SQLModel.metadata, render_as_batch=True)
context.run_migrations()
