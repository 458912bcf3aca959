"""One act log and one table of rights, for games and for tournaments.

Views with the names of the old tables let an older Mentat that is still running read and write the new ones.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None
TAKES_AWAY = "Nothing: views with the same names show the tables' contents and accept what an older Mentat writes."


def upgrade() -> None:
    op.create_table(
        "desk_act",
        sa.Column("id", sa.Integer(), primary_key=True),
        *_texts("at what"),
        *_texts("game_id tournament_id why who right words tell opens_at", default=""),
        *_texts("audience", default="all"),
    )
    op.create_index("ix_desk_act_game_id", "desk_act", ["game_id"])
    op.create_index("ix_desk_act_tournament_id", "desk_act", ["tournament_id"])
    op.create_table(
        "desk_right",
        *_texts("game_id tournament_id", default=""),
        *_texts("address right token since"),
        sa.PrimaryKeyConstraint("game_id", "tournament_id", "address"),
    )
    op.create_index("ix_desk_right_token", "desk_right", ["token"], unique=True)
    _replace("act", "id", "desk_act", "game_id at what why who right words tell")
    _replace("tournament_act", "number", "desk_act", "tournament_id at who right what words why audience opens_at")
    _replace("game_right", "", "desk_right", "game_id address right token since")
    _replace("tournament_right", "", "desk_right", "tournament_id address right token since")


def _texts(names: str, default: str | None = None) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.String(), nullable=False, server_default=default) for name in names.split()]


_OLD_NAMES = {("tournament_act", "what"): "command"}
_NUMBERS = {
    "id": "id",
    "number": "(SELECT count(*) FROM desk_act AS other"
    " WHERE other.tournament_id = desk_act.tournament_id AND other.id <= desk_act.id)",
}


def _replace(old: str, number: str, new: str, columns: str) -> None:
    """Move the rows of a table into a new one, in the order of their number, and replace the old table with a view."""
    of, *_ = there = [f'"{name}"' for name in columns.split()]
    here = [f'"{_OLD_NAMES.get((old, name), name)}"' for name in columns.split()]
    op.execute(
        f"INSERT INTO {new} ({', '.join(there)}) SELECT {', '.join(here)} FROM {old} ORDER BY {of}, {number or 'since'}"
    )
    op.drop_table(old)
    shown = [f"{name} AS {known}" for name, known in zip(there, here, strict=True)]
    shown += [f"{_NUMBERS[number]} AS {number}"] if number else []
    op.execute(f"CREATE VIEW {old} AS SELECT {', '.join(shown)} FROM {new} WHERE {of} <> ''")
    given = [f"coalesce(NEW.{name}, '')" for name in here]  # columns with a default may be left out
    insert = f"INSERT INTO {new} ({', '.join(there)}) VALUES ({', '.join(given)})"
    if op.get_bind().dialect.name == "sqlite":
        gone = " AND ".join(f"{name} = OLD.{known}" for name, known in zip(there, here, strict=True))
        for change, statement in (("INSERT", insert), ("DELETE", f"DELETE FROM {new} WHERE {gone}")):
            op.execute(f"CREATE TRIGGER {old}_{change} INSTEAD OF {change} ON {old} BEGIN {statement}; END")
    elif number == "number":  # the server itself writes through the other views
        op.execute(f"CREATE RULE {old}_insert AS ON INSERT TO {old} DO INSTEAD {insert}")
