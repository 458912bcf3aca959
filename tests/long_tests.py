"""The long tests, which `./mentat test` leaves to `./mentat test --all`.

A test is long if it takes more than a third of a second with all its parameter values. `tests/long_tests.txt` lists the
long tests, as last measured by `./mentat test --all --note-long`; a new test is short until then. If paths, `-k` or
`-m` select tests, all selected tests run. Tests in `ALWAYS` always run. A long test in `WITH_ONE_VALUE` runs with one
value, a different one each day. In the rooms of `HALVED`, `--all` runs every second value of the long tests, and the
others the next day; in those of `THIRDED`, every third. Tests that cite a clause run every day. `--half` runs half of
the values of every test.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from tests.size import SLOW

LIST = Path(__file__).with_suffix(".txt")
SECONDS = 0.35
ALWAYS = (
    "tests/end_to_end/test_running_service.py",  # one game through a real mail server
    "tests/moderator/test_hundred_mails.py::test_after_each_of_a_hundred_mails",
    "tests/rulings/",
)
WITH_ONE_VALUE = (
    "tests/game_master/test_desk_conversation.py::",
    "tests/mail/test_mutations.py::test_a_changed_mail_leaks_nothing_and_loses_nothing_unnamed",
    "tests/orders/test_whole_mails.py::",
    "tests/recorded/test_recorded.py::test_what_happens_is_seen_asked_and_refused_in_a_game_of_the_net",
    "tests/secrecy/",
)
HALVED = (
    "tests/archive/test_dune",
    "tests/archive/test_from_the_database.py::",
    "tests/archive/test_kept_record.py::",
    "tests/archive/test_verify",
    "tests/backup/",
    "tests/bench/",
    "tests/cli/test_archive.py::",
    "tests/cli/test_damaged.py::",
    "tests/cli/test_dry_runs.py::",
    "tests/cli/test_games.py::",
    "tests/cli/test_starting.py::",
    "tests/competition/seating/",
    "tests/doctor/",
    "tests/end_to_end/test_demo",
    "tests/forum/test_bad_input.py::",
    "tests/forum/test_group_posts.py::",
    "tests/forum/test_posting",
    "tests/moderator/test_forgeries.py::",
    "tests/moderator/test_late_observers.py::",
    "tests/monitoring/",
    "tests/old_databases/",
    "tests/orders/test_round_trip.py::",
    "tests/postgresql/",
    "tests/properties/",
    "tests/reports/test_picture.py::",
    "tests/simulation/",
    "tests/tournament/test_every_kill_of_a_result.py::",
    "tests/tournament/test_formats_by_themselves.py::",
    "tests/tournament/test_gunboat_events.py::",
    "tests/tournament/test_published.py::",
    "tests/tournament/test_refused_commands.py::",
    "tests/tournament/test_secrecy_between_tables.py::",
    "tests/tournament/test_secrecy_between_tables_strangers.py::",
    "tests/upgrade/",
)
THIRDED = (
    "tests/archive/test_browser.py::",
    "tests/archive/test_chronicle.py::",
    "tests/archive/test_ends.py::",
    "tests/archive/test_lists",
    "tests/archive/test_plots.py::",
    "tests/archive/test_re",
    "tests/archive/test_schema.py::",
    "tests/archive/test_site.py::",
    "tests/archive/test_t",
    "tests/forum/test_fault_schedules.py::",
    "tests/forum/test_writing.py::test_whatever_people_write_and_are_called_stays_words",
    "tests/game_master/test_every_power.py::test_a_power_happens_whole_or_not_at_all",
    "tests/mail/faults/",
    "tests/mail/test_stuck_mail.py::",
    "tests/press/test_relay_tricks.py::",
    "tests/properties/test_random_games.py::",
)
"""Rooms whose slow tests show one thing in many ways. None is about the secrets of the archive."""


def long_tests() -> frozenset[str]:
    """Return the long tests, as ``tests/room/test_module.py::test_name``."""
    return frozenset(LIST.read_text(encoding="utf-8").split())


def name_of(nodeid: str) -> str:
    """Return a test's name without its values.

    >>> name_of("tests/mail/test_reply.py::test_a_quote_is_left_out[gmail]")
    'tests/mail/test_reply.py::test_a_quote_is_left_out'
    """
    return nodeid.partition("[")[0]


def _room_of(name: str) -> str:
    return next((room for room in (*THIRDED, *HALVED) if name.startswith(room)), "")


class ShortTests:
    """A plugin that leaves out long tests if all tests were requested, and measures which tests are long."""

    def __init__(self, config: pytest.Config) -> None:
        option = config.option
        everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
        chosen = SLOW or option.keyword or option.markexpr
        self._handed = getattr(config, "workerinput", None) or {
            "short": bool(everything and not (option.all or chosen)),
            "thinned": bool(everything and option.all and not (chosen or option.note_long)),
            "day": datetime.now(UTC).toordinal(),
        }
        self._short: bool = self._handed["short"]
        self._half: bool = option.half and not self._short
        self._thinned: bool = self._handed["thinned"]
        self._day: int = self._handed["day"]
        self._note: bool = option.note_long
        self._took = defaultdict[str, float](float)
        long = long_tests() if self._short else frozenset()
        self._left_out = {name for name in long if not name.startswith(WITH_ONE_VALUE)}

    @staticmethod
    def options(parser: pytest.Parser) -> None:
        parser.addoption("--all", action="store_true", help="run the long tests too")
        parser.addoption("--half", action="store_true", help="run one half of the tests, the other one tomorrow")
        parser.addoption("--note-long", action="store_true", help="note which tests were long (tests/long_tests.txt)")

    def pytest_pycollect_makeitem(self, collector: pytest.Collector, name: str) -> list[pytest.Item] | None:
        """Make no items for a long test, because they would only be deselected later."""
        return [] if f"{collector.nodeid}::{name}" in self._left_out else None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        long = long_tests() if self._short or self._thinned else frozenset()
        values = defaultdict[str, list[pytest.Item]](list)
        for item in items:
            name = name_of(item.nodeid)
            if self._half or (self._short and name in long):
                values[name].append(item)
            elif self._thinned and name in long and (room := _room_of(name)) and not item.get_closest_marker("clause"):
                values[room].append(item)
        left_out = {item for of in values.values() for item in of}.difference(*map(self._of_today, values.items()))
        if left_out:
            config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]

    def _of_today(self, named: tuple[str, list[pytest.Item]]) -> list[pytest.Item]:
        name, values = named
        if self._short:
            return [values[self._day % len(values)]] if name.startswith(WITH_ONE_VALUE) else []
        parts = 2 if self._half else min(3 if name in THIRDED else 2, len(values))
        mixed = sorted(values, key=lambda item: crc32(item.nodeid.encode()))  # values that alternate both run each day
        return mixed[(self._day + crc32(name.encode())) % parts :: parts]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell each worker of xdist what all must agree on: whether all tests were requested, and the day."""
        node.workerinput.update(self._handed)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._took[name_of(report.nodeid)] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._note:
            long = {name for name, seconds in self._took.items() if seconds > SECONDS and not name.startswith(ALWAYS)}
            LIST.write_text("".join(f"{name}\n" for name in sorted(long)), encoding="utf-8")
        if self._short:
            terminalreporter.write_line(f"{len(long_tests())} tests are long: ./mentat test --all runs all of them")
