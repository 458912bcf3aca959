"""Numbers about Mentat's own work that no other row says: what was counted, and what was last measured.

``faults`` counts what was logged as an error, by the part of the program. ``deadline_lag`` counts the questions that
silence answered, each once under the smallest bound in seconds that its lag does not exceed ("+Inf" for none), and
``deadline_lag_sum`` adds up their lags. ``disk_used`` is how many bytes the database took on a day, by its date;
``certificate`` is until when that of a server holds, in seconds since 1970, by the section that names the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

from sqlalchemy import Connection, delete

from bot.store.inserting import replacing, upsert
from bot.store.tables import MEASUREMENT

Name = Literal["faults", "deadline_lag", "deadline_lag_sum", "disk_used", "certificate"]


def add(conn: Connection, counted: Mapping[tuple[Name, str], float]) -> None:
    """Add to what was counted before. The rows are taken in their order, so that two who add wait for each other."""
    rows = [{"name": name, "label": label, "value": by} for (name, label), by in sorted(counted.items())]
    new = upsert(conn, MEASUREMENT)
    more = MEASUREMENT.c.value + new.excluded.value
    keys = list(MEASUREMENT.primary_key.columns)
    conn.execute(new.on_conflict_do_update(index_elements=keys, set_={"value": more}), rows)


def measured(conn: Connection, name: Name, label: str, value: float) -> None:
    """This is what was measured last."""
    conn.execute(replacing(conn, MEASUREMENT), {"name": name, "label": label, "value": value})


def forget_days_before(conn: Connection, name: Name, day: date) -> None:
    """Drop what was measured before a day, of what is kept by its date."""
    conn.execute(delete(MEASUREMENT).where(MEASUREMENT.c.name == name, MEASUREMENT.c.label < day.isoformat()))
