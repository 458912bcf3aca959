"""The record of cited clauses that `tests/conftest.py` keeps, tried on a small test suite of its own."""

import subprocess
import sys
from pathlib import Path

SUITE = """
import pytest

@pytest.mark.clause("AH.X.C.2", "WBC.X.12")
def test_holds(): pass

@pytest.mark.clause("AH.X.C.2")
@pytest.mark.parametrize("n", [1, 2])
def test_holds_too(n): pass

@pytest.mark.clause("AH.BROKEN")
def test_fails(): assert False
"""


def run(folder: Path, suite: str, *arguments: str) -> str:
    conftest = Path(__file__).parents[1] / "conftest.py"
    (folder / "conftest.py").write_text(conftest.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = clause(id): cited\n", encoding="utf-8")
    (folder / "test_suite.py").write_text(suite, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_each_clause_is_listed_with_the_number_of_passed_tests_that_cite_it(tmp_path: Path) -> None:
    output = run(tmp_path, SUITE, "--clauses", "-n", "1")
    assert "2 clauses cited by passed tests" in output
    assert "    3  AH.X.C.2\n    1  WBC.X.12\n" in output
    assert "  AH.BROKEN" not in output


def test_nothing_is_listed_unless_asked_for(tmp_path: Path) -> None:
    output = run(tmp_path, SUITE)
    assert "1 failed, 3 passed" in output
    assert "cited" not in output


def test_a_mark_without_a_clause_stops_the_run_and_is_named(tmp_path: Path) -> None:
    output = run(tmp_path, "import pytest\n@pytest.mark.clause\ndef test_vague(): pass\n")
    assert "test_suite.py::test_vague: write the ids of clauses" in output
