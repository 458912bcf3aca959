"""Open tables: their seats and waiting lists, the wishes of strangers, and addresses that want no mail."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "lobby_table",
        *_texts("id kind title state settings opener opened_at expires_at seed commitment word of_game starter"),
        *_texts("full_at check_due ended_at why"),
        *_flags("reminded go"),
        sa.Column("noticed_on", sa.String(), nullable=True),
        *_numbers("rounds revision"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "lobby_seat",
        sa.Column("id", sa.Integer(), primary_key=True),
        *_texts("table_id address state joined_at proof name wishes present_at offer_until why changed_at"),
        *_numbers("asked"),
        sa.Column("live", sa.String(), nullable=True),
    )
    op.create_table(
        "lobby_wish",
        sa.Column("id", sa.Integer(), primary_key=True),
        *_texts("address mailbox line until asked_at"),
        *_flags("written nudged"),
    )
    op.create_table("stranger_letter", sa.Column("id", sa.Integer(), primary_key=True), *_texts("mailbox domain at"))
    op.create_table("never_write", *_texts("digest since"), sa.PrimaryKeyConstraint("digest"))
    op.create_table(
        "standby",
        *_texts("address since ruleset tempo weekly_at calendar_at"),
        sa.Column("not_before", sa.String(), nullable=True),
        *_numbers("asked refused more"),
        *_flags("stopped"),
        sa.PrimaryKeyConstraint("address"),
    )
    op.create_index("ix_lobby_seat_live", "lobby_seat", ["table_id", "live"], unique=True)
    for table, columns in INDEXED.items():
        for column in columns.split():
            op.create_index(f"ix_{table}_{column}", table, [column])


INDEXED = {
    "lobby_table": "state",
    "lobby_seat": "table_id address state",
    "lobby_wish": "mailbox until",
    "stranger_letter": "at mailbox",
}


def _texts(names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.String(), nullable=False) for name in names.split()]


def _numbers(names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer(), nullable=False) for name in names.split()]


def _flags(names: str) -> list[sa.Column[bool]]:
    return [sa.Column(name, sa.Boolean(), nullable=False) for name in names.split()]
