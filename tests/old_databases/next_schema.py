"""An invented schema, newer than all real ones, for tests of upgrades. It adds a column and a table."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bot.store import glance

_MIGRATIONS, _NEWEST = glance.MIGRATIONS, glance.newest_schema()
NEXT = "9000"
_MIGRATION = '''"""Guests, made up for tests."""

import sqlalchemy as sa
from alembic import op

revision = "{next}"
down_revision = "{before}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("game", sa.Column("guests", sa.Integer(), nullable=False, server_default="0"))
    op.create_table("guest", sa.Column("id", sa.Integer(), primary_key=True), sa.Column("badge", sa.LargeBinary()))
    {also}
'''


def migrations_with_next(folder: Path, also: str = "") -> Path:
    """Copy the migrations into a folder, and add one that ends with the statement ``also``."""
    made = folder / "migrations"
    shutil.copytree(_MIGRATIONS, made, ignore=shutil.ignore_patterns("__pycache__"))
    words = _MIGRATION.format(next=NEXT, before=_NEWEST, also=also)
    (made / "versions" / f"{NEXT}_guests.py").write_text(words, encoding="utf-8")
    return made


@pytest.fixture
def next_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make this Mentat one with the next schema, and return the folder of its migrations."""
    made = migrations_with_next(tmp_path)
    monkeypatch.setattr(glance, "MIGRATIONS", made)
    return made
