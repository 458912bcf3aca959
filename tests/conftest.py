"""What all tests share: patience with a slow machine, and a record of the clauses that they protect.

A test that protects a rule says which: `@pytest.mark.clause("AH.X.C.2")`, with one id or several. The ids travel with
the report of the test (as its user properties, so also into a JUnit file), and `./mentat test --clauses` ends with
every clause that a passed test cites and the number of those tests. Without the option nothing is written.
"""

from collections import Counter

import pytest
from hypothesis import settings

settings.register_profile("shared-machine", deadline=None)
settings.load_profile("shared-machine")

_passed_by_clause = pytest.StashKey[Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--clauses", action="store_true", help="list the clauses of the rulebook that passed tests cite")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_passed_by_clause] = Counter()
    config.pluginmanager.register(_Record(config), "clauses")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        cited = [mark.args for mark in item.iter_markers("clause")]
        if any(not ids or not all(isinstance(clause, str) and clause for clause in ids) for ids in cited):
            raise pytest.UsageError(f'{item.nodeid}: write the ids of clauses, as in @pytest.mark.clause("AH.X.C.2")')
        item.user_properties += [("clause", clause) for clause in sorted({clause for ids in cited for clause in ids})]


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
