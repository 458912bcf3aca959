"""Letters come back to a token of their own. Games that have begun keep theirs, for their letters are on the way."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seat", sa.Column("bounce_token", sa.String(), nullable=False, server_default=""))
    op.execute("UPDATE seat SET bounce_token = token")
    op.create_index("ix_seat_bounce_token", "seat", ["bounce_token"], unique=True)
