"""Games over days: tempo and clock of a game, sheets, absences, time banks, and the pulse of the service."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, default in (("tempo", "table"), ("clock", "{}"), ("stopped_at", ""), ("stopped_why", ""),
                          ("call", ""), ("call_due", "")):  # fmt: skip
        op.add_column("game", sa.Column(name, sa.String(), nullable=False, server_default=default))
    op.add_column("seat", sa.Column("waking", sa.String(), nullable=False, server_default=""))
    op.add_column("seat", sa.Column("called", sa.String(), nullable=False, server_default=""))
    for name in ("bank", "extended", "away", "missed"):
        op.add_column("seat", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    op.add_column("seat", sa.Column("care", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("entry", sa.Column("sheet", sa.String(), nullable=False, server_default=""))
    op.create_table(
        "sheet",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("line", sa.String(), nullable=False),
        sa.Column("filed_at", sa.String(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("left", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("filed", sa.Integer(), nullable=False),
        sa.Column("changed", sa.Integer(), nullable=False),
        sa.Column("acted", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "faction", "number"),
    )
    op.create_table(
        "absence",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("first", sa.String(), nullable=False),
        sa.Column("last", sa.String(), nullable=False),
        sa.Column("filed_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "faction", "first"),
    )
    op.create_table(
        "overrun",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("opened_at", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("hours", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("left", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "opened_at", "faction", "kind", "subject"),
    )
    op.create_table(
        "pulse",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("failing_since", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    for name in ("until", "asked_at"):
        op.add_column("deadline", sa.Column(name, sa.String(), nullable=False, server_default=""))
    op.add_column("deadline", sa.Column("duty", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE deadline SET until = due")
    op.drop_index("ix_deadline_state_due", "deadline")
    op.create_index("ix_deadline_to_remind", "deadline", ["state", "reminded", "due"])
    op.create_index("ix_deadline_state_until", "deadline", ["state", "until"])
    op.create_table(
        "act",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
    )
    op.create_index("ix_act_game_id", "act", ["game_id"])
