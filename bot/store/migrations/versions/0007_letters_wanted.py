"""Players say which letters they want."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seat", sa.Column("letters_mode", sa.String(), nullable=False, server_default="all"))
    op.add_column("seat", sa.Column("digest_due", sa.String(), nullable=False, server_default=""))
