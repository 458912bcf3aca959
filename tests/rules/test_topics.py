"""Topics: what a refusal names is declared, and every clause that stands beside it exists in its book."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rules
from rules.rulesets.rulebook import CLAUSES
from rules.rulesets.topics import BOOKS, clause_of, topics

CHAPTERS = sorted({name.partition(".")[0] for name in topics()})
NAMED = re.compile(rf'"((?:{"|".join(CHAPTERS)})\.[a-z0-9-]+)"')


def topics_named_in_the_rules() -> set[str]:
    sources = Path(rules.__file__).parent.rglob("*.py")
    return {name for source in sources for name in NAMED.findall(source.read_text(encoding="utf-8"))}


def test_every_topic_that_a_refusal_names_is_declared_and_every_declared_one_is_named() -> None:
    assert topics_named_in_the_rules() == set(topics())


@pytest.mark.parametrize("topic", topics())
def test_every_clause_of_a_topic_exists(topic: str) -> None:
    for book, clause in topics()[topic].items():
        assert book in BOOKS
        assert clause in CLAUSES, f"{topic}: {clause}"


def test_the_first_book_that_rules_on_a_topic_is_cited() -> None:
    assert clause_of("spice-blow.riding-into-storm", ("wbc-2018", "ah-1979")) == "WBC.VII.8"
    assert clause_of("spice-blow.riding-into-storm", ("ah-1979",)) == "AH.SHIELD.FRE.3-b"
    assert clause_of("bidding.raise", ("wbc-2018", "ah-1979")) == "AH.VIII.B.2-b"
