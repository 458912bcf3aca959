"""Letters are claimed before they are sent."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("letter", sa.Column("claimed_by", sa.String(), nullable=False, server_default=""))
    op.add_column("letter", sa.Column("claimed_until", sa.String(), nullable=True))
