"""Press that quotes a private report is held back once."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seat", sa.Column("warned", sa.String(), nullable=False, server_default=""))
