"""Mail that the mail server does not hand out, or leaves in the inbox."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0012"
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
