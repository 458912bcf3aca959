"""The set-up of all tests: patience with slow machines, harmless shortcuts, and a record of the clauses cited.

Shortcuts: test databases are kept in memory if there is room. A statement is compiled once for all databases that a
process opens. The garbage collector does not run while tests are collected, and ignores objects from before the first
test.

A test that protects a rule cites it: `@pytest.mark.clause("AH.VIII.B.2-a")`, with one or more ids of clauses or
sections. If an id is not in the rulebook, the test fails. The ids are user properties of the test's report, so they are
also in a JUnit file. At the end of `./mentat test --clauses`, every clause cited by passing tests is listed with the
number of those tests.
"""

import gc
import os
import shutil
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from sqlalchemy import Engine
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

from tests.long_tests import ShortTests

settings.register_profile("shared-machine", deadline=None)
settings.load_profile("shared-machine")

_passed_by_clause = pytest.StashKey[Counter[str]]()

MEMORY = Path("/dev/shm")
ROOM = 6 << 30
"""The number of free bytes in memory that the tests need: more than they write."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--postgresql", action="store_true", help="keep databases on a private PostgreSQL server")
    parser.addoption("--clauses", action="store_true", help="list the clauses of the rulebook that passed tests cite")
    ShortTests.options(parser)


def pytest_xdist_auto_num_workers() -> int:
    """Return the number of processors plus one, because some tests wait for servers or clocks."""
    return (os.cpu_count() or 1) + 1


def _files_in_memory() -> None:
    """Keep temporary folders in memory, unless the caller named a place or programs cannot be started from memory."""
    if not MEMORY.is_dir() or not os.access(MEMORY, os.W_OK) or os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
        return
    if shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def _compile_statements_once() -> None:
    """Make all engines share one cache of compiled statements, because the tests open hundreds of databases."""
    compiled: LRUCache[Any, Any] = LRUCache(4000)
    first = Engine.__init__

    def shared(self: Engine, *arguments: Any, **options: Any) -> None:
        first(self, *arguments, **options)
        self._compiled_cache = compiled

    Engine.__init__ = shared  # type: ignore[method-assign]
    SQLiteDialect_pysqlite.__eq__ = lambda self, other: type(self) is type(other)  # type: ignore[method-assign]
    SQLiteDialect_pysqlite.__hash__ = lambda self: hash(type(self))  # type: ignore[method-assign]


_compile_statements_once()
gc.set_threshold(1_000_000)


def _databases_on_a_server(config: pytest.Config) -> None:
    """Replace every database file that a test of this process opens with a database on a PostgreSQL server, with the
    same code and the same contents. Tests that look into the file itself are marked ``sqlite_only``."""
    from bot.store import database
    from tests.postgresql_server import InPlaceOfFiles, PostgresqlServer, why_not_here

    if why_not_here():
        raise pytest.UsageError(why_not_here())
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        server = PostgresqlServer()
        server.start()
        config.add_cleanup(lambda: server.__exit__())
        InPlaceOfFiles.of_this_process = server
        backend = InPlaceOfFiles(server)
        setattr(database, "_backend", lambda name: backend)  # noqa: B010
        setattr(database, "existing_database", database.open_database)  # noqa: B010


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def pytest_configure(config: pytest.Config) -> None:
    _files_in_memory()
    if config.getoption("--postgresql"):
        _databases_on_a_server(config)
    config.stash[_passed_by_clause] = Counter()
    config.pluginmanager.register(_Record(config), "clauses")
    config.pluginmanager.register(ShortTests(config), "short tests")


def cited(item: pytest.Item) -> list[object]:
    return [clause for mark in item.iter_markers("clause") for clause in mark.args]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.user_properties += [("clause", clause) for clause in sorted({str(clause) for clause in cited(item)})]
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)  # slow tests first, so that none starts last


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.config.getoption("--postgresql") and item.get_closest_marker("sqlite_only"):
        pytest.skip("looks into the file of a SQLite database")
    if item.get_closest_marker("clause") is None:
        return
    from rules.rulesets import rulebook  # not needed by tests that cite no clause

    unknown = [clause for clause in cited(item) if not isinstance(clause, str) or not rulebook.section(clause)]
    if unknown or not cited(item):
        reason = f"cites {unknown[0]!r}, which is not in the rulebook" if unknown else "cites no clause"
        pytest.fail(f'{item.nodeid} {reason}: write ids as in @pytest.mark.clause("AH.VIII.B.2-a")', pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Drop a test's databases on a server together with its folder."""
    try:
        return (yield)
    finally:
        if item.config.getoption("--postgresql") and "tmp_path" in getattr(item, "funcargs", {}):
            from tests.postgresql_server import in_place_of_files

            if server := in_place_of_files():
                server.drop_below(item.funcargs["tmp_path"])  # type: ignore[attr-defined]


class _Record:
    """A counter in the process that prints. With xdist, the tests run elsewhere, and only reports arrive.

    Each failure is printed at once on its own line, so that an interrupted run still shows its failures.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._passed = config.stash[_passed_by_clause]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._name(report)
        if report.when == "call" and report.passed:
            self._passed.update(str(value) for name, value in report.user_properties if name == "clause")

    def _name(self, report: pytest.TestReport) -> None:
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            crash = getattr(report.longrepr, "reprcrash", None)
            said = f": {crash.message.splitlines()[0][:200]}" if crash is not None and crash.message else ""
            terminal.write_line(f"\n{report.nodeid} failed in {report.when}{said}", red=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("--clauses"):
        passed = config.stash[_passed_by_clause]
        terminalreporter.section(f"{len(passed)} clauses cited by passed tests")
        for clause, tests in sorted(passed.items()):
            terminalreporter.write_line(f"{tests:5}  {clause}")
