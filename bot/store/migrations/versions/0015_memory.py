"""What each seat's last mail was offered, so that "yes" can confirm it."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    texts = ("game_id", "faction", "person", "options", "seen", "done", "at")
    op.create_table(
        "last_mail",
        *(sa.Column(name, sa.String(), nullable=False) for name in texts),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("generation", "turn")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "faction", "person"),
    )
