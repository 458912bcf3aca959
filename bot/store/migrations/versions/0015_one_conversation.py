"""One conversation per turn, receipts that wait for the next letter, and the last mail with each reply token."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TOKENS = {"player": "token", "sitter": "sitter_token"}


def upgrade() -> None:
    for name, default in (("conversation", ""), ("taken", "[]"), ("receipt_due", "")):
        op.add_column("seat", sa.Column(name, sa.String(), nullable=False, server_default=default))
    op.add_column("seat", sa.Column("conversation_turn", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("seat", sa.Column("receipts", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("ix_seat_receipt_due", "seat", ["receipt_due"])
    op.create_table(
        "remembered_mail",
        *(sa.Column(name, sa.String(), nullable=False) for name in ("token", "options", "seen", "done", "at")),
        sa.Column("game_id", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("token"),
    )
    for person, token in TOKENS.items():  # last_mail stays for an older Mentat that is still running
        op.execute(
            f"INSERT INTO remembered_mail (token, options, seen, done, at, game_id) "
            f"SELECT seat.{token}, options, seen, done, at, last.game_id FROM last_mail AS last "
            f"JOIN seat ON seat.game_id = last.game_id AND seat.faction = last.faction "
            f"AND seat.generation = last.generation WHERE person = '{person}' AND seat.{token} <> ''"
        )
