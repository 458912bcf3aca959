"""Tests for which tests a short run skips, and that every skipped test exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.long_tests import ALWAYS, HALVED, THIRDED, long_tests

pytest_plugins = ["pytester"]
CLONE = Path(__file__).parents[2]


def test_every_long_test_is_still_there() -> None:
    gone = [name for name in long_tests() if not _is_there(name)]
    assert not gone, f"take these out of tests/long_tests.txt: {gone}"


def test_none_of_them_is_of_a_room_that_is_never_left_out() -> None:
    assert not [name for name in long_tests() if name.startswith(ALWAYS)]


@pytest.mark.parametrize("room", HALVED + THIRDED)
def test_each_room_that_is_thinned_has_long_tests(room: str) -> None:
    assert any(name.startswith(room) for name in long_tests())


def _is_there(name: str) -> bool:
    path, *_, function = name.split("::")
    module = CLONE / path
    text = module.read_text(encoding="utf-8") if module.is_file() else ""
    return re.search(rf"^ *def {function}\(", text, re.MULTILINE) is not None


MODULE = """
import pytest, time

@pytest.mark.parametrize("value", [1, 2])
def test_long(value): time.sleep(0.2)

def test_short(): pass
"""
CONFTEST = """
from pathlib import Path
from tests import long_tests
long_tests.LIST = Path(__file__).with_name("list.txt")
long_tests.SECONDS = 0.35
pytest_addoption = long_tests.ShortTests.options

def pytest_configure(config):
    config.pluginmanager.register(long_tests.ShortTests(config))
"""


@pytest.fixture
def clone(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a project with a long and a short test, after a run that has recorded their durations."""
    pytester.makeini("[pytest]\ntestpaths = tests_of_it\n")
    pytester.makeconftest(CONFTEST)
    pytester.mkdir("tests_of_it").joinpath("test_both.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(CLONE))
    pytester.runpytest_subprocess("--all", "--note-long").assert_outcomes(passed=3)
    return pytester


def test_a_long_test_is_noted_with_all_its_values(clone: pytest.Pytester) -> None:
    assert (clone.path / "list.txt").read_text(encoding="utf-8") == "tests_of_it/test_both.py::test_long\n"


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one-process", "two-workers"])
def test_it_is_left_out_where_nothing_is_named_and_that_is_said(
    clone: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    ran = clone.runpytest_subprocess(*workers)
    assert ran.parseoutcomes()["passed"] == 1
    ran.stdout.fnmatch_lines(["1 tests are long: ./mentat test --all runs all of them"])


def ran_on(clone: pytest.Pytester, day: int, setting: str, *asked: str) -> list[str]:
    """Return the tests that run on a day with this module setting."""
    changed = f"""{CONFTEST}
long_tests.{setting}

@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    print("ran", *(item.name for item in items))

class OfADay(long_tests.ShortTests):
    def __init__(self, config):
        super().__init__(config)
        self._day = {day}

def pytest_configure(config):
    config.pluginmanager.register(OfADay(config))
"""
    clone.makeconftest(changed.replace("from pathlib", "import pytest\nfrom pathlib", 1))
    (line,) = (line for line in clone.runpytest_subprocess("-s", *asked).outlines if "ran test_" in line)
    return line.partition("ran ")[2].split()


@pytest.mark.parametrize(("day", "value"), [(20, 1), (21, 2)])
def test_of_one_that_may_not_be_left_out_one_value_runs_each_day(clone: pytest.Pytester, day: int, value: int) -> None:
    ran = ran_on(clone, day, 'WITH_ONE_VALUE = ("tests_of_it/",)')
    assert ran == [f"test_long[{value}]", "test_short"]


@pytest.mark.parametrize("days", [2, 3], ids=["HALVED", "THIRDED"])
def test_of_the_long_tests_of_a_room_each_value_runs_on_one_of_so_many_days(clone: pytest.Pytester, days: int) -> None:
    module = clone.path / "tests_of_it" / "test_both.py"
    module.write_text(MODULE.replace("[1, 2]", "[1, 2, 3, 4, 5, 6]"), encoding="utf-8")
    room = ("HALVED", "THIRDED")[days - 2]
    ran = [ran_on(clone, 20 + day, f'HALVED = long_tests.THIRDED = ()\nlong_tests.{room} = ("tests_of_it/",)', "--all")
           for day in range(days)]  # fmt: skip
    assert [len(names) for names in ran] == [6 // days + 1] * days
    assert {name for names in ran for name in names} == {
        *(f"test_long[{value}]" for value in range(1, 7)),
        "test_short",
    }


def test_what_cites_a_clause_runs_each_day(clone: pytest.Pytester) -> None:
    module = clone.path / "tests_of_it" / "test_both.py"
    module.write_text(MODULE.replace("@", '@pytest.mark.clause("AH.X")\n@', 1), encoding="utf-8")
    assert ran_on(clone, 20, 'HALVED = ("tests_of_it/",)', "--all") == ["test_long[1]", "test_long[2]", "test_short"]


def test_one_half_of_what_is_named_runs_today_and_the_other_tomorrow(clone: pytest.Pytester) -> None:
    days = [ran_on(clone, day, "HALVED = ()", "--half", "tests_of_it") for day in (20, 21)]
    assert sorted(days[0] + days[1]) == ["test_long[1]", "test_long[2]", "test_short"]


@pytest.mark.parametrize("named", [["--all"], ["tests_of_it"], ["-k", "both"]], ids=["all", "path", "word"])
def test_it_runs_where_all_or_something_is_asked_for(clone: pytest.Pytester, named: list[str]) -> None:
    ran = clone.runpytest_subprocess(*named)
    assert ran.parseoutcomes()["passed"] == 3
    assert "tests are long" not in str(ran.stdout)
