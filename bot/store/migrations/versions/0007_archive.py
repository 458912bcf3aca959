"""What the archive shows of a game, and under which names persons stand in it.

Players of older games were told nothing of an archive: nothing of these is shown while they run, and after their end
what everybody knew.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("game", sa.Column("archive", sa.String(), nullable=False, server_default="hidden public-only"))
    op.create_table(
        "pseudonym",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded", sa.String(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_pseudonym_folded", "pseudonym", ["folded"], unique=True)
    op.create_table(
        "seat_pseudonym",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("faction", sa.String(), nullable=False),
        sa.Column("pseudonym", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.ForeignKeyConstraint(["pseudonym"], ["pseudonym.id"]),
        sa.PrimaryKeyConstraint("game_id", "faction"),
    )
    op.create_index("ix_seat_pseudonym_pseudonym", "seat_pseudonym", ["pseudonym"])
