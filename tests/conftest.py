"""What all tests share: patience with a slow machine, and a record of the clauses that they protect.

A test that protects a rule says which: `@pytest.mark.clause("AH.VIII.B.2-a")`, with one id or several, of clauses or of
sections; an id that is not in the rulebook fails the test. The ids travel with the report of the test (as its user
properties, so also into a JUnit file), and `./mentat test --clauses` ends with every clause that a passed test cites
and the number of those tests. Without the option nothing is written.
"""

import os
from collections import Counter

import pytest
from hypothesis import settings

settings.register_profile("shared-machine", deadline=None)
settings.load_profile("shared-machine")

_passed_by_clause = pytest.StashKey[Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--clauses", action="store_true", help="list the clauses of the rulebook that passed tests cite")


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are processors: some tests wait for servers, clocks and other processes."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_passed_by_clause] = Counter()
    config.pluginmanager.register(_Record(config), "clauses")


def cited(item: pytest.Item) -> list[object]:
    return [clause for mark in item.iter_markers("clause") for clause in mark.args]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.user_properties += [("clause", clause) for clause in sorted({str(clause) for clause in cited(item)})]
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)  # first, so that none is begun last


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("clause") is None:
        return
    from rules.rulesets import rulebook  # not needed by tests that cite nothing

    unknown = [clause for clause in cited(item) if not isinstance(clause, str) or not rulebook.section(clause)]
    if unknown or not cited(item):
        reason = f"cites {unknown[0]!r}, which is not in the rulebook" if unknown else "cites no clause"
        pytest.fail(f'{item.nodeid} {reason}: write ids as in @pytest.mark.clause("AH.VIII.B.2-a")', pytrace=False)


class _Record:
    """Counts on the side that prints: with xdist the tests run elsewhere and only their reports come here."""

    def __init__(self, config: pytest.Config) -> None:
        self._passed = config.stash[_passed_by_clause]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self._passed.update(str(value) for name, value in report.user_properties if name == "clause")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("--clauses"):
        passed = config.stash[_passed_by_clause]
        terminalreporter.section(f"{len(passed)} clauses cited by passed tests")
        for clause, tests in sorted(passed.items()):
            terminalreporter.write_line(f"{tests:5}  {clause}")
