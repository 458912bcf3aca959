"""The game master's desk and the post between players: who did what, rights, notes, bans, press."""

import sqlalchemy as sa
from alembic import op

from bot.mail.identity import bounce_token_of

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _entrants()
    for column in ("who", "right", "words", "tell"):
        op.add_column("act", sa.Column(column, sa.String(), nullable=False, server_default=""))
    op.add_column("game", sa.Column("press", sa.String(), nullable=False, server_default=""))
    op.add_column("game", sa.Column("blind", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("game", sa.Column("on_hold", sa.String(), nullable=False, server_default=""))
    op.add_column("observer", sa.Column("delay", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("observer", sa.Column("full", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("seat", sa.Column("asked_by_desk", sa.String(), nullable=False, server_default=""))
    for column in ("sitter", "sitter_name", "sitter_token", "sitter_until"):
        op.add_column("seat", sa.Column(column, sa.String(), nullable=False, server_default=""))
    op.add_column("seat", sa.Column("sittings", sa.Integer(), nullable=False, server_default="0"))
    for column in ("sitter_token", "sitter_until"):
        op.create_index(f"ix_seat_{column}", "seat", [column], unique=False)
    op.add_column("rollback", sa.Column("undone", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "ban",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("since", sa.String(), nullable=False),
        sa.Column("until", sa.String(), nullable=False),
        sa.Column("lifted_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_ban_address", "ban", ["address"], unique=False)
    op.create_table(
        "dropped_entry",
        sa.Column("rollback_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("message_id", sa.Integer(), nullable=True),
        sa.Column("sheet", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["rollback_id"], ["rollback.id"]),
        sa.PrimaryKeyConstraint("rollback_id", "number"),
    )
    op.create_table(
        "game_right",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("right", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("since", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "address"),
    )
    op.create_index("ix_game_right_token", "game_right", ["token"], unique=True)
    op.create_table(
        "held_lines",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("lines", sa.String(), nullable=False),
        sa.Column("message_id", sa.Integer(), nullable=True),
        sa.Column("at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_held_lines_game_id", "held_lines", ["game_id"], unique=False)
    op.create_table(
        "master_code",
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("line", sa.String(), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.String(), nullable=False),
        sa.Column("until", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("code"),
    )
    op.create_index("ix_master_code_game_id", "master_code", ["game_id"], unique=False)
    op.create_table(
        "master_note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("successor", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_master_note_about", "master_note", ["about"], unique=False)
    op.create_index("ix_master_note_game_id", "master_note", ["game_id"], unique=False)
    op.create_table(
        "master_ruling",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("clause", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_master_ruling_game_id", "master_ruling", ["game_id"], unique=False)
    op.create_index("ix_master_ruling_tournament_id", "master_ruling", ["tournament_id"], unique=False)
    op.create_table(
        "muted",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("since", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "faction"),
    )
    op.create_table(
        "press",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("readers", sa.String(), nullable=False),
        sa.Column("said_readers", sa.String(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("signed", sa.Boolean(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("due", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reported_by", sa.String(), nullable=False),
        sa.Column("objected", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    for column in ("due", "game_id", "state"):
        op.create_index(f"ix_press_{column}", "press", [column], unique=False)
    op.create_table(
        "withheld",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("covers", sa.Integer(), nullable=False),
        sa.Column("due_turn", sa.Integer(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("html", sa.String(), nullable=False),
        sa.Column("picture", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    for column in ("game_id", "token"):
        op.create_index(f"ix_withheld_{column}", "withheld", [column], unique=False)


def _entrants() -> None:
    """Letters to entrants that come back; the bounce token of each follows from their reply token."""
    for name, made, default in (
        ("bounce_token", sa.String(), ""), ("undelivered", sa.Integer(), "0"), ("undelivered_at", sa.String(), ""),
    ):  # fmt: skip
        op.add_column("entrant", sa.Column(name, made, nullable=False, server_default=default))
    entrant = sa.table("entrant", sa.column("token", sa.String()), sa.column("bounce_token", sa.String()))
    conn = op.get_bind()
    for token in conn.scalars(sa.select(entrant.c.token)).all():
        made_of = sa.update(entrant).where(entrant.c.token == token).values(bounce_token=bounce_token_of(token))
        conn.execute(made_of)
    op.create_index("ix_entrant_bounce_token", "entrant", ["bounce_token"], unique=True)
