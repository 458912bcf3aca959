"""One conversation a turn, and receipts that wait for the next letter."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, default in (("conversation", ""), ("taken", "[]"), ("receipt_due", "")):
        op.add_column("seat", sa.Column(name, sa.String(), nullable=False, server_default=default))
    op.add_column("seat", sa.Column("conversation_turn", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("seat", sa.Column("receipts", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("ix_seat_receipt_due", "seat", ["receipt_due"])
