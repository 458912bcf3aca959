"""Seats played by Mentat."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seat", sa.Column("opponent", sa.String(), nullable=False, server_default=""))
