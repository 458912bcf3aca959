"""The kept databases on a server, with the tables as the migrations made them then and the rows from the file."""

from __future__ import annotations

import lzma
from pathlib import Path

from sqlalchemy import MetaData, create_engine, select, text

from bot.store.database import renew, unopened
from tests.old_databases import test_old_databases as kept


def put(schema: str, url: str, folder: Path) -> None:
    """Fill an empty database as a Mentat with that schema would have left it."""
    file = folder / f"{schema}.db"
    file.write_bytes(lzma.decompress((kept.HERE / f"{schema}.db.xz").read_bytes()))
    old, engine = create_engine(f"sqlite:///{file}"), unopened(url)
    renew(engine, schema.partition("-")[0])
    tables = MetaData()
    with old.connect() as source, engine.connect() as target, target.begin():
        target.exec_driver_sql("SET LOCAL session_replication_role = replica")  # bypasses the guards
        tables.reflect(target)
        ordered = [table for table in tables.sorted_tables if table.name != "alembic_version"]
        for table in reversed(ordered):
            target.execute(table.delete())
        for table in ordered:
            rows = [dict(row) for row in source.execute(select(table)).mappings()]
            if rows:
                target.execute(table.insert(), rows)
            for column in table.columns:
                if "nextval" in str(getattr(column.server_default, "arg", "")):
                    sequence = f"pg_get_serial_sequence('{table.name}', '{column.name}')"
                    target.execute(text(f"SELECT setval({sequence}, max({column.name})) FROM {table.name}"))
    old.dispose()
    engine.dispose()
