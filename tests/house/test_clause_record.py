"""Tests for the record of cited clauses that `tests/conftest.py` keeps, with a small test suite."""

import os
import subprocess
import sys
from pathlib import Path

SUITE = """
import pytest

@pytest.mark.clause("AH.VIII.B.2-a", "WBC.X.2")
def test_holds(): pass

@pytest.mark.clause("AH.VIII.B.2-a")
@pytest.mark.parametrize("n", [1, 2])
def test_holds_too(n): pass

@pytest.mark.clause("AH.VIII.B.2-b")
def test_fails(): assert False
"""


def run(folder: Path, suite: str, *arguments: str) -> str:
    conftest = Path(__file__).parents[1] / "conftest.py"
    (folder / "conftest.py").write_text(conftest.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = clause(id): cited\n", encoding="utf-8")
    (folder / "test_suite.py").write_text(suite, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(conftest.parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def test_each_clause_is_listed_with_the_number_of_passed_tests_that_cite_it(tmp_path: Path) -> None:
    output = run(tmp_path, SUITE, "--clauses", "-n", "1")
    assert "2 clauses cited by passed tests" in output
    assert "    3  AH.VIII.B.2-a\n    1  WBC.X.2\n" in output
    assert "  AH.VIII.B.2-b\n" not in output


def test_nothing_is_listed_unless_asked_for(tmp_path: Path) -> None:
    output = run(tmp_path, SUITE)
    assert "1 failed, 3 passed" in output
    assert "cited" not in output


def test_a_test_that_cites_nothing_or_no_clause_of_the_rulebook_fails_and_is_named(tmp_path: Path) -> None:
    suite = """
import pytest

@pytest.mark.clause
def test_vague(): pass

@pytest.mark.clause("AH.VIII.B.2-a", "AH.LXX")
def test_astray(): pass
"""
    output = run(tmp_path, suite)
    assert "test_suite.py::test_vague cites no clause: write ids as in" in output
    assert "test_suite.py::test_astray cites 'AH.LXX', which is not in the rulebook: write ids as in" in output
    assert "2 errors" in output
