"""Alembic's entry: runs the migrations on the connection that ``bot.store.database`` hands over."""

from alembic import context
from sqlmodel import SQLModel

from bot.store import (  # noqa: F401 - they register with SQLModel.metadata
    desk_tables,
    forum_tables,
    list_mail_tables,
    tables,
    tournament_tables,
    worker_tables,
)

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=SQLModel.metadata, render_as_batch=True)
context.run_migrations()
