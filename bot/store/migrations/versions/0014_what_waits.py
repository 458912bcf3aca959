"""Mail that stays on the mail server or in the inbox, and the proposals in the answer to each seat's last mail."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    texts = ("folder", "sender", "games", "why", "since", "next_try_at")
    op.create_table(
        "stuck_mail",
        sa.Column("key", sa.String(), nullable=False),
        *(sa.Column(name, sa.Boolean(), nullable=False) for name in ("copied", "moved")),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("tries", "size")),
        *(sa.Column(name, sa.String(), nullable=False) for name in texts),
        sa.PrimaryKeyConstraint("key"),
    )
    named = ("game_id", "faction", "person", "options", "seen", "done", "at")
    op.create_table(
        "last_mail",
        *(sa.Column(name, sa.String(), nullable=False) for name in named),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("generation", "turn")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "faction", "person"),
    )
