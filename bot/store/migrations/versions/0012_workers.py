"""Several processes on one database: mail that was fetched and waits for whoever takes it, who leads which work, who is
at work; what is known of this installation as a whole; and numbers that tell whether all is well."""

import secrets
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("too_large", sa.Integer(), nullable=False),
        sa.Column("sender", sa.String(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=True),
        sa.Column("arrived_at", sa.String(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("disposition", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("shunt", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_inbox_key", "inbox", ["key"], unique=True)
    op.create_index("ix_inbox_disposition", "inbox", ["disposition"], unique=False)
    op.create_table(
        "leader",
        sa.Column("work", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("since", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("work"),
    )
    op.create_table(
        "worker",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("started_at", sa.String(), nullable=False),
        sa.Column("seen_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    installation = op.create_table(
        "installation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("held_since", sa.String(), nullable=True),
        sa.Column("held_why", sa.String(), nullable=False),
        sa.Column("restored_copy_at", sa.String(), nullable=True),
        sa.Column("copied_at", sa.String(), nullable=True),
        sa.Column("copied_by", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    op.bulk_insert(
        installation,
        [
            {
                "id": secrets.token_hex(16),
                "made_at": now,
                "held_since": None,
                "held_why": "",
                "restored_copy_at": None,
                "copied_at": None,
                "copied_by": "",
                "address": "",
            }
        ],
    )
    op.create_table(
        "measurement",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("name", "label"),
    )
    op.create_index("ix_message_disposition", "message", ["disposition"], unique=False)
    waits = sa.text("next_try_at IS NOT NULL")
    op.create_index("ix_letter_waiting", "letter", ["id"], sqlite_where=waits, postgresql_where=waits)
