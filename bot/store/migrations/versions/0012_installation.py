"""What an installation knows of itself."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "installation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("held_since", sa.String(), nullable=True),
        sa.Column("held_why", sa.String(), nullable=True),
        sa.Column("restored_copy_at", sa.String(), nullable=True),
        sa.Column("copied_at", sa.String(), nullable=True),
        sa.Column("copied_by", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
