"""Letters come back to a token of their own. Games that have begun keep theirs, for their letters are on the way.

What a database of 0002 or 0003 may lack is added as well: for mail that comes back, observers, copies of a mail,
several addresses of a person, and tokens that have ended. Those tables and columns stood in 0002 for a while, so some
databases have them and some, which were made before, do not.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if "observer" not in sa.inspect(op.get_bind()).get_table_names():
        _complete()
    op.add_column("seat", sa.Column("bounce_token", sa.String(), nullable=False, server_default=""))
    op.execute("UPDATE seat SET bounce_token = token")
    op.create_index("ix_seat_bounce_token", "seat", ["bounce_token"], unique=True)


def _complete() -> None:
    for name in ("undelivered", "waited", "lent", "fruitless"):
        op.add_column("seat", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    for name in ("undelivered_at", "unreachable_since", "waits_until", "warned_at"):
        op.add_column("seat", sa.Column(name, sa.String(), nullable=False, server_default=""))
    for name in ("content", "written"):
        op.add_column("message", sa.Column(name, sa.String(), nullable=False, server_default=""))
    op.create_index("ix_message_content", "message", ["content"])
    op.create_table(
        "observer",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("since", sa.String(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("letters", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("game_id", "address"),
    )
    op.create_index("ix_observer_token", "observer", ["token"], unique=True)
    op.create_table(
        "address",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("used", sa.Boolean(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("asked_at", sa.String(), nullable=False),
    )
    for name in ("person", "address", "code"):
        op.create_index(f"ix_address_{name}", "address", [name])
    op.create_table(
        "old_token",
        sa.Column("token", sa.String(), primary_key=True),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
    )
