"""Letters are claimed before they are sent; rollbacks are kept."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("letter", sa.Column("claimed_by", sa.String(), nullable=False, server_default=""))
    op.add_column("letter", sa.Column("claimed_until", sa.String(), nullable=True))
    op.create_table(
        "rollback",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
    )
    op.create_index("ix_rollback_game_id", "rollback", ["game_id"])
