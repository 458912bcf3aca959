"""A PgBouncer in front of a private server, for the duration of a test. If none is installed, tests are skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest
from sqlalchemy import make_url

from tests.postgresql_server import PostgresqlServer

PoolMode = Literal["session", "transaction", "statement"]
_START_SECONDS = 10.0
_SETTINGS = """
[databases]
* = host={server} user=mentat
[pgbouncer]
unix_socket_dir = {folder}
listen_port = 6432
auth_type = any
pool_mode = {mode}
logfile = {folder}/log
{more}
"""


@contextmanager
def pgbouncer(server: PostgresqlServer, url: str, mode: PoolMode, more: str = "") -> Iterator[str]:
    """Yield the URL of a server's database through a PgBouncer with its usual settings and ``more``."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("PgBouncer is not installed (apt-get install pgbouncer)")
    owner = server.folder.stat()
    as_owner: dict[str, Any] = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
    with tempfile.TemporaryDirectory(dir=server.folder, ignore_cleanup_errors=True) as place:
        folder = Path(place)
        settings = folder / "pgbouncer.ini"
        settings.write_text(_SETTINGS.format(server=server.folder, folder=folder, mode=mode, more=more))
        os.chown(folder, owner.st_uid, owner.st_gid)
        process = subprocess.Popen(
            [program, "-q", settings], stderr=subprocess.DEVNULL, **(as_owner if os.getuid() == 0 else {})
        )
        try:
            pooled = f"postgresql://mentat@/{make_url(url).database}?host={folder}&port=6432"
            _wait_for(pooled)
            yield pooled
        finally:
            process.terminate()
            process.wait()


def _wait_for(url: str) -> None:
    until = time.monotonic() + _START_SECONDS
    while True:
        try:
            psycopg.connect(url, autocommit=True).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
