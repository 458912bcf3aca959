"""The record of each game, a chain of lines to which is only added; its head, and its head when each phase began.

Games that are there already get theirs when they go on, or when it is first asked for.
"""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "record_part",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "first"),
    )
    op.add_column("game", sa.Column("record_head", sa.String(), nullable=False, server_default=""))
    op.add_column("game", sa.Column("record_lines", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("game", sa.Column("record_key", sa.LargeBinary(), nullable=False, server_default=""))
    op.add_column("snapshot", sa.Column("head", sa.String(), nullable=False, server_default=""))
    conn = op.get_bind()
    for (game,) in conn.execute(sa.text("SELECT id FROM game")).all():
        key = {"key": secrets.token_bytes(32), "game": game}
        conn.execute(sa.text("UPDATE game SET record_key = :key WHERE id = :game"), key)
