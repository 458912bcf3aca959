"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "form",
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("lines", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("code"),
    )
    op.create_index(op.f("ix_form_game_id"), "form", ["game_id"], unique=False)
    op.create_table(
        "game",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("ruleset", sa.String(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("rules_digest", sa.String(), nullable=False),
        sa.Column("winners", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_game_status"), "game", ["status"], unique=False)
    op.create_table(
        "letter",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=True),
        sa.Column("faction", sa.String(), nullable=True),
        sa.Column("envelope_from", sa.String(), nullable=False),
        sa.Column("recipient", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("sent_at", sa.String(), nullable=True),
        sa.Column("next_try_at", sa.String(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("error", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("message_id"),
    )
    op.create_index(op.f("ix_letter_game_id"), "letter", ["game_id"], unique=False)
    op.create_index(op.f("ix_letter_next_try_at"), "letter", ["next_try_at"], unique=False)
    op.create_table(
        "message",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("sender", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("received_at", sa.String(), nullable=False),
        sa.Column("disposition", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=True),
        sa.Column("faction", sa.String(), nullable=True),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_message_digest"), "message", ["digest"], unique=False)
    op.create_index(op.f("ix_message_key"), "message", ["key"], unique=True)
    op.create_index(op.f("ix_message_message_id"), "message", ["message_id"], unique=False)
    op.create_index("ix_message_of_seat", "message", ["game_id", "faction", "received_at"], unique=False)
    op.create_table(
        "deadline",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("opened_at", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("due", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("missed", sa.Boolean(), nullable=False),
        sa.Column("reminded", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"],
            ["game.id"],
        ),
        sa.PrimaryKeyConstraint("game_id", "opened_at", "faction", "kind", "subject"),
    )
    op.create_index("ix_deadline_state_due", "deadline", ["state", "due"], unique=False)
    op.create_table(
        "entry",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("message_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["game_id"],
            ["game.id"],
        ),
        sa.PrimaryKeyConstraint("game_id", "number"),
    )
    op.create_table(
        "event",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"],
            ["game.id"],
        ),
        sa.PrimaryKeyConstraint("game_id", "number"),
    )
    op.create_table(
        "seat",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("dot", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("timezone", sa.String(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("letters", sa.Integer(), nullable=False),
        sa.Column("last_message_id", sa.String(), nullable=False),
        sa.Column("unreachable", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"],
            ["game.id"],
        ),
        sa.PrimaryKeyConstraint("game_id", "faction"),
    )
    op.create_index(op.f("ix_seat_address"), "seat", ["address"], unique=False)
    op.create_index(op.f("ix_seat_token"), "seat", ["token"], unique=True)
    op.create_table(
        "snapshot",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"],
            ["game.id"],
        ),
        sa.PrimaryKeyConstraint("game_id", "number"),
    )


def downgrade() -> None:
    op.drop_table("snapshot")
    op.drop_index(op.f("ix_seat_token"), table_name="seat")
    op.drop_index(op.f("ix_seat_address"), table_name="seat")
    op.drop_table("seat")
    op.drop_table("event")
    op.drop_table("entry")
    op.drop_index("ix_deadline_state_due", table_name="deadline")
    op.drop_table("deadline")
    op.drop_index("ix_message_of_seat", table_name="message")
    op.drop_index(op.f("ix_message_message_id"), table_name="message")
    op.drop_index(op.f("ix_message_key"), table_name="message")
    op.drop_index(op.f("ix_message_digest"), table_name="message")
    op.drop_table("message")
    op.drop_index(op.f("ix_letter_next_try_at"), table_name="letter")
    op.drop_index(op.f("ix_letter_game_id"), table_name="letter")
    op.drop_table("letter")
    op.drop_index(op.f("ix_game_status"), table_name="game")
    op.drop_table("game")
    op.drop_index(op.f("ix_form_game_id"), table_name="form")
    op.drop_table("form")
