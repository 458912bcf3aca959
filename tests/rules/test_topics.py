"""Tests that every topic named in a refusal is declared, and that its clauses exist in their books."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import rules
from rules.components import Forces
from rules.components.board import Area
from rules.components.facts import data_folder
from rules.engine.catalogue import load_rule_set
from rules.orders import Ride
from rules.rulesets.rulebook import CLAUSES, clause_of, topics
from rules.rulesets.ruleset import RULE_SETS
from tests.rules.stage import at, until

EXPANSION = "ixians-tleilaxu"
OF_REFUSALS = [name for name in topics() if not name.startswith("event.")]
PRINTED = [name for name in OF_REFUSALS if EXPANSION not in topics()[name]]
"""The topics of the base game; an expansion may rule on the others."""
CHAPTERS = sorted({name.partition(".")[0] for name in OF_REFUSALS})
NAMED = re.compile(rf'"((?:{"|".join(CHAPTERS)})\.[a-z0-9-]+)"')


def topics_named_in_the_rules() -> set[str]:
    sources = Path(rules.__file__).parent.rglob("*.py")
    return {name for source in sources for name in NAMED.findall(source.read_text(encoding="utf-8"))}


def test_every_topic_that_a_refusal_names_is_declared_and_every_declared_one_is_named() -> None:
    assert topics_named_in_the_rules() == set(OF_REFUSALS)


def test_every_clause_of_a_topic_exists() -> None:
    cited = {(book, clause) for clauses in topics().values() for book, clause in clauses.items()}
    assert [clause for _, clause in sorted(cited) if clause not in CLAUSES] == []
    assert all((data_folder() / f"rulebook/{book}.toml").is_file() for book, _ in cited)


def test_the_first_book_that_rules_on_a_topic_is_cited() -> None:
    assert clause_of("spice-blow.riding-into-storm", ("wbc-2018", "ah-1979")) == "WBC.VII.8"
    assert clause_of("spice-blow.riding-into-storm", ("ah-1979",)) == "AH.SHIELD.FRE.3-b"
    assert clause_of("bidding.raise", ("wbc-2018", "ah-1979")) == "AH.VIII.B.2-b"


def test_every_topic_has_a_clause_of_the_printed_rules() -> None:
    assert [topic for topic in PRINTED if not clause_of(topic, ("ah-1979",)).startswith("AH.")] == []


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_every_rule_set_has_a_clause_for_every_topic(ruleset: str) -> None:
    books = load_rule_set(ruleset).books
    assert [topic for topic in PRINTED if not clause_of(topic, books)] == []


@pytest.mark.parametrize("ruleset", ["gf9-basic", "gf9-advanced"])
def test_a_game_with_an_expansion_has_a_clause_for_every_topic(ruleset: str) -> None:
    books = load_rule_set(ruleset).with_options({"expansion": EXPANSION}).books
    assert [topic for topic in OF_REFUSALS if not clause_of(topic, books)] == []


@pytest.mark.parametrize("topic", [name for name in topics() if name.startswith(("shipment.", "movement."))])
def test_where_the_books_of_2019_rule_on_a_topic_they_are_cited_before_the_text_of_1979(topic: str) -> None:
    of_2019 = [clause for book, clause in topics()[topic].items() if book.startswith("gf9-")]
    for ruleset in ("gf9-basic", "gf9-advanced"):
        assert not of_2019 or clause_of(topic, load_rule_set(ruleset).books) in of_2019


@pytest.mark.clause("AH.SHIELD.FRE.3-b", "WBC.VII.8", "FAQ.FREMEN.2")
@pytest.mark.parametrize(
    ("ruleset", "clause"),
    [("wbc-2018", "WBC.VII.8"), ("ah-basic", "AH.SHIELD.FRE.3-b"), ("gf9-basic", "FAQ.FREMEN.2")],
)
def test_a_refusal_cites_the_book_that_is_played(ruleset: str, clause: str) -> None:
    fremen = {"forces": {"south-mesa/5": "3"}}
    cards: dict[str, Any] = {"spice_deck": ["Shai-Hulud", "Red Chasm"], "spice_discard": [["South Mesa"]]}
    play = at("spice", ruleset, storm=10, factions=["fremen", "guild"], faction={"fremen": fremen}, **cards)
    until(play, "worm-ride")
    refusal = play.check("fremen", Ride(Forces(1), Area("south-mesa/5"), Area("arrakeen/10"))).refusal
    assert refusal is not None
    assert refusal.clause == clause
