"""Tests that every rulebook clause is found, and that every clause the rules cite exists."""

import re
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

import rules
from rules.orders import PhaseName
from rules.rulesets.rulebook import CLAUSES, DOCUMENTS, UnknownClause, clause, find, section

CITED = re.compile(r"\b(?:AH|WBC|VACA|GF9|FAQ)(?:\.[A-Za-z0-9]+)+(?:-[A-Za-z0-9]+)*\b")
PHASES = {*get_args(PhaseName), "any"}


def test_the_six_documents_have_their_clauses() -> None:
    heads = Counter(id.partition(".")[0] for id in CLAUSES)
    assert heads == {"AH": 458, "WBC": 299, "VACA": 79, "GF9": 143, "FAQ": 192, "IT": 260}
    assert len({found.document for found in CLAUSES.values()}) == len(DOCUMENTS)


def test_every_clause_says_what_it_rules_where_it_stands_and_when_it_acts() -> None:
    for id, found in CLAUSES.items():
        assert found.id == id
        assert all((found.rule, found.topic, found.source, found.tier)), id
        assert found.phase in PHASES, id


def test_a_clause_is_found_by_its_id_in_any_letter_case() -> None:
    found = clause("wbc.x.2")
    assert found.id == "WBC.X.2"
    assert found.source == "Clarifications, section X, 2"
    assert "aggressor" in found.rule


def test_a_section_stands_for_all_its_rules() -> None:
    assert [found.id for found in section("AH.IX.C.2.c")] == ["AH.IX.C.2.c-a", "AH.IX.C.2.c-b", "AH.IX.C.2.c-c"]
    assert {found.id for found in section("WBC.HR.3")} == {"WBC.HR.3a", "WBC.HR.3b", "WBC.HR.3c", "WBC.HR.3d"}
    assert [found.id for found in section("WBC.X.2")] == ["WBC.X.2"]
    assert section("WBC.X.999") == ()


@pytest.mark.parametrize(
    ("id", "reason"),
    [
        ("WBC.X.222", r"There is no clause WBC\.X\.222; did you mean WBC\.X\.22\?"),
        ("AH.IX.C.2.c", r"AH\.IX\.C\.2\.c is a section of 3 clauses: AH\.IX\.C\.2\.c-a, "),
        ("nothing like it", r"There is no clause nothing like it\."),
    ],
)
def test_an_id_that_is_no_clause_is_answered_with_what_may_be_meant(id: str, reason: str) -> None:
    with pytest.raises(UnknownClause, match=reason):
        clause(id)


def test_words_find_the_clauses_that_have_them_all() -> None:
    found = find("shield wall storm")
    assert "WBC.HR.4g" in [hit.id for hit in found]
    for hit in found:
        text = f"{hit.topic} {hit.rule} {hit.source}".casefold()
        assert all(word in text for word in ("shield", "wall", "storm")), hit.id


def test_clauses_about_the_words_come_before_those_that_mention_them() -> None:
    found = find("charity")
    about = ["charity" in hit.topic.casefold() for hit in found]
    assert about == sorted(about, reverse=True)
    assert True in about
    assert False in about


def test_an_id_finds_its_clause_alone() -> None:
    assert [found.id for found in find("AH.X.C.2")] == [found.id for found in section("AH.X.C.2")]
    assert find("AH.X.C.2") != []


def test_nothing_is_found_for_nothing() -> None:
    assert find("") == []
    assert find("?!") == []
    assert find("xyzzy") == []


def test_superseded_clauses_say_why() -> None:
    assert "House rule 5" in clause("WBC.VIII.14").standing
    assert clause("WBC.HR.5a").standing == ""


def test_every_clause_that_the_rules_cite_exists() -> None:
    unknown = {
        f"{path.name}: {id}"
        for path in Path(rules.__path__[0]).rglob("*.py")
        for id in CITED.findall(path.read_text(encoding="utf-8"))
        if not section(id)
    }
    assert unknown == set()
