"""`mentat rule`: a clause, where it stands, and the rulings that cite it."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Mentat

TIE = "AH.X.C.2"


def test_a_clause_is_shown_with_its_source_and_the_rulings_that_cite_it(mentat: Mentat) -> None:
    told = mentat("rule", TIE).out
    assert told.startswith(f"{TIE}  Equal totals go to the aggressor.\n")
    assert "Section X.C.2" in told
    assert "ruling: A tie goes to the aggressor (072-a-tie-goes-to-the-aggressor.toml)" in told


def test_a_program_gets_every_clause_that_a_word_finds(mentat: Mentat) -> None:
    found = mentat("rule", "aggressor", "--json").json
    (tie,) = [each for each in found if each["id"] == TIE]
    assert "A tie goes to the aggressor" in [ruling["title"] for ruling in tie["rulings"]]
    assert all("aggressor" in (each["id"] + each["rule"] + each["source"]).lower() for each in found)


@pytest.mark.parametrize(("words", "told"), [((), "Name a clause or a word"), (("xyzzy",), "No clause has 'xyzzy'")])
def test_what_finds_nothing_says_so(mentat: Mentat, words: tuple[str, ...], told: str) -> None:
    ran = mentat("rule", *words)
    assert ran.code != 0
    assert told in ran.err
