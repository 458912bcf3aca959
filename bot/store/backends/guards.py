"""Guards in a PostgreSQL database: a transaction changes only what it holds, whatever its code believes.

A transaction that holds one game says so in a setting of its own (``mentat.game``). A trigger on each table refuses
rows of other games then, and every row of tables that have none: what games have in common is changed by those who
hold everything, who set nothing. Only the tables in FREE take rows from all: each row of theirs is written by one
process at a time, or only once.

Source: PostgreSQL 15, CREATE TRIGGER and 9.27.1 (configuration settings functions).
"""

from __future__ import annotations

from sqlalchemy import Connection, MetaData

SETTING = "mentat.game"
NO_GAME = "-"
"""The setting of a transaction that holds no game; no game has this name."""

NOT_HELD = "ME001"
"""The code of the error (SQLSTATE; the classes from I to Z are for programs)."""

FREE = frozenset({"message", "letter", "picture", "inbox", "leader", "worker", "pulse", "measurement", "installation"})
"""Mail and letters are added, and then changed by whoever has claimed them; pictures are the same whoever adds them."""

_REFUSE = f"""
CREATE OR REPLACE FUNCTION mentat_not_held() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the transaction holds %% and would change another row of %%', current_setting('{SETTING}'),
        TG_TABLE_NAME USING ERRCODE = '{NOT_HELD}';
END $$
"""
TAKE_DOWN = "DROP FUNCTION IF EXISTS mentat_not_held CASCADE"
"""The statement that takes all guards away."""

_NOT_ALONE = f"coalesce(current_setting('{SETTING}', true), '') <> ''"


def put_up(conn: Connection, tables: MetaData) -> None:
    """Guard every table, those that are guarded already as well."""
    conn.exec_driver_sql(_REFUSE)
    for name, table in tables.tables.items():
        if name in FREE:
            continue
        game = "id" if name == "game" else "game_id" if "game_id" in table.columns else ""
        for when, row in (("INSERT OR UPDATE", "NEW"), ("UPDATE OR DELETE", "OLD")):
            other = f" AND current_setting('{SETTING}', true) IS DISTINCT FROM {row}.{game}" if game else ""
            conn.exec_driver_sql(
                f'CREATE OR REPLACE TRIGGER mentat_holds_{row.lower()} BEFORE {when} ON "{name}" '
                f"FOR EACH ROW WHEN ({_NOT_ALONE}{other}) EXECUTE FUNCTION mentat_not_held()"
            )
