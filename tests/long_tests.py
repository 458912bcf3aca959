"""What `./mentat test` leaves to `./mentat test --all`: the tests that take long.

A test is long that takes more than half a second with all its values; `tests/long_tests.txt` names them, as
`./mentat test --all --note-long` measured them last. A new test is short until then. Where paths, `-k` or `-m` say
which tests are wanted, all of those run. What stands in `ALWAYS` is never left out; of a long test of `WITH_ONE_VALUE`
one value runs, another one each day.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.size import SLOW

LIST = Path(__file__).with_suffix(".txt")
SECONDS = 0.5
ALWAYS = (
    "tests/end_to_end/test_running_service.py",  # one game through a real mail server
    "tests/moderator/test_hundred_mails.py::test_after_each_of_a_hundred_mails",
    "tests/rulings/",
)
WITH_ONE_VALUE = (
    "tests/recorded/test_recorded.py::test_what_happens_is_seen_asked_and_refused_in_a_game_of_the_net",
    "tests/secrecy/",
)


def long_tests() -> frozenset[str]:
    """The tests that take long, as ``tests/room/test_module.py::test_name``."""
    return frozenset(LIST.read_text(encoding="utf-8").split())


def name_of(nodeid: str) -> str:
    """A test without its values.

    >>> name_of("tests/mail/test_reply.py::test_a_quote_is_left_out[gmail]")
    'tests/mail/test_reply.py::test_a_quote_is_left_out'
    """
    return nodeid.partition("[")[0]


class ShortTests:
    """Leaves long tests out where everything is asked for, and measures which they are."""

    def __init__(self, config: pytest.Config) -> None:
        option = config.option
        everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
        short = everything and not (option.all or SLOW or option.keyword or option.markexpr)
        handed = getattr(config, "workerinput", {"short": short, "day": datetime.now(UTC).toordinal()})
        self._short: bool = handed["short"]
        self._day: int = handed["day"]
        self._note: bool = option.note_long
        self._took = defaultdict[str, float](float)
        long = long_tests() if self._short else frozenset()
        self._left_out = {name for name in long if not name.startswith(WITH_ONE_VALUE)}

    @staticmethod
    def options(parser: pytest.Parser) -> None:
        parser.addoption("--all", action="store_true", help="run the long tests too")
        parser.addoption("--note-long", action="store_true", help="note which tests were long (tests/long_tests.txt)")

    def pytest_pycollect_makeitem(self, collector: pytest.Collector, name: str) -> list[pytest.Item] | None:
        """Make no items of a long test: a third of all would be made to be left out."""
        return [] if f"{collector.nodeid}::{name}" in self._left_out else None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if not self._short:
            return
        long = long_tests()
        values = defaultdict[str, list[pytest.Item]](list)
        for item in items:
            if name_of(item.nodeid) in long:
                values[name_of(item.nodeid)].append(item)
        of_today = {of[self._day % len(of)] for name, of in values.items() if name.startswith(WITH_ONE_VALUE)}
        left_out = {item for of in values.values() for item in of} - of_today
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand to a worker of xdist what all must agree on: whether everything was asked for, and the day."""
        node.workerinput["short"] = self._short
        node.workerinput["day"] = self._day

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._took[name_of(report.nodeid)] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._note:
            long = {name for name, seconds in self._took.items() if seconds > SECONDS and not name.startswith(ALWAYS)}
            LIST.write_text("".join(f"{name}\n" for name in sorted(long)), encoding="utf-8")
        if self._short:
            terminalreporter.write_line(f"{len(long_tests())} tests are long: ./mentat test --all runs all of them")
