"""The clause behind each kind of event: of a book that stands in the rule set, and the one that tells how it came."""

from __future__ import annotations

import tomllib
from typing import Any, get_args

import pytest

from bot.resources import templates_dir
from rules.components.factions import FACTIONS
from rules.engine.rule_sets import load_rule_set
from rules.orders import PhaseName
from rules.orders.cards import KaramaEffect
from rules.rulesets.rulebook import CLAUSES, rule_of
from rules.rulesets.ruleset import RULE_SETS
from rules.rulesets.topics import topics
from rules.selfplay.random_player import random_game
from rules.state.clauses import KARAMA_TOPICS, Clauses, clause_of
from rules.state.events import Event

EVENT_KINDS = sorted(
    kind for file in (templates_dir() / "events").glob("*.toml") for kind in tomllib.loads(file.read_text())["event"]
)

TEXT_OF_A_CARD = {("gf9-basic", "explosion"), ("gf9-basic", "explosion-losses")} | {
    ("gf9-advanced", "explosion"), ("gf9-advanced", "explosion-losses"), ("gf9-advanced", "kwisatz-haderach-killed"),
    ("gf9-advanced", "cards-discarded"), ("gf9-basic", "cards-discarded"),
    ("gf9-advanced", "leader-killed"), ("gf9-basic", "leader-killed"),
}  # fmt: skip
"""What only a card or a sheet of the 2019 edition says, and none of its books: cited is the text of 1979."""


@pytest.mark.parametrize("ruleset", RULE_SETS)
@pytest.mark.parametrize(("seed", "players"), [("clause", 6), ("cause", 6), ("reason", 4), ("why", 3)])
def test_every_event_of_a_game_has_a_clause_that_stands_in_its_rule_set(ruleset: str, seed: str, players: int) -> None:
    rules = load_rule_set(ruleset)
    clauses = Clauses(rules)
    for event in random_game(rules, seed, FACTIONS[:players]).events:
        clause = clauses.of(event)
        assert clause is not None, event
        assert rule_of(clause)
        stands = rules.standing.includes(CLAUSES[clause])
        assert stands or ((ruleset, event.kind) in TEXT_OF_A_CARD and clause.startswith("AH.")), (event, clause)


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_every_kind_of_event_has_a_topic(kind: str) -> None:
    by_karama = {"karama-played", "cancelled", "shipping-power-stopped", "ixian-power-stopped"}
    written = any(topic == f"event.{kind}" or topic.startswith(f"event.{kind}.") for topic in topics())
    assert written or kind in by_karama or clause_of(_told(kind), load_rule_set("gf9-advanced"))


def test_no_topic_is_about_an_event_that_does_not_exist() -> None:
    about = {topic.split(".")[1] for topic in topics() if topic.startswith("event.")}
    assert about <= set(EVENT_KINDS)


@pytest.mark.parametrize("effect", get_args(KaramaEffect))
def test_every_effect_of_a_karama_has_a_clause(effect: str) -> None:
    assert KARAMA_TOPICS[effect] in topics()


def _told(kind: str, turn: int = 3, **facts: Any) -> Event:
    return Event(0, turn, "battle", kind, facts)


WON = _told("battle-won", winner="guild", loser="fremen", by="strength", totals={"guild": 7.0, "fremen": 5.5})
BETRAYED = _told("battle-won", winner="guild", loser="fremen", by="treachery", totals=None)
CALLED = _told("treachery-called", caller="guild", side="guild", victim="fremen", leader="Chani")


@pytest.mark.clause("AH.X.C.5-a", "AH.X.C.6-a", "AH.X.D.2-b", "AH.X.D.4", "AH.XXII.C-a", "GF9.TRAITOR.5")
@pytest.mark.parametrize(
    ("ruleset", "before", "faction", "clause"),
    [
        ("ah-basic", WON, "fremen", "AH.X.C.5-a"),
        ("ah-basic", WON, "guild", "AH.X.C.6-a"),
        ("wbc-2018", WON, "guild", "AH.XXII.C-a"),
        ("ah-basic", BETRAYED, "fremen", "AH.X.D.2-b"),
        ("gf9-basic", BETRAYED, "fremen", "GF9.TRAITOR.5"),
        ("ah-basic", CALLED, "fremen", "AH.X.D.4"),
    ],
)
def test_tokens_lost_in_battle_have_the_clause_of_how_they_were_lost(
    ruleset: str, before: Event, faction: str, clause: str
) -> None:
    clauses = Clauses(load_rule_set(ruleset))
    clauses.of(before)
    assert clauses.of(_told("tokens-lost", faction=faction, forces="5", territory="arrakeen")) == clause


@pytest.mark.clause("AH.V-a", "AH.SHIELD.BG.1-c", "AH.SHIELD.GUI.4", "WBC.HR.3a", "WBC.HR.3b", "WBC.HR.3c")
@pytest.mark.parametrize(
    ("how", "winners", "clause"),
    [
        ("prediction", ["bene-gesserit"], "AH.SHIELD.BG.1-c"),
        ("guild", ["guild"], "AH.SHIELD.GUI.4"),
        ("agreed", ["guild"], "AH.V-a"),
        ("adjudicated", ["guild"], "AH.V-a"),
        ("void", [], "AH.V-a"),
        ("strongholds", ["emperor"], "WBC.HR.3a"),
        ("strongholds", ["emperor", "fremen"], "WBC.HR.3b"),
        ("strongholds", ["emperor", "fremen", "guild"], "WBC.HR.3c"),
    ],
)
def test_a_victory_has_the_clause_of_its_kind(how: str, winners: list[str], clause: str) -> None:
    event = Event(0, 9, "mentat", "game-won", {"how": how, "winners": winners, "instead_of": []})
    assert clause_of(event, load_rule_set("wbc-2018")) == clause


def test_a_leader_back_from_the_tanks_who_sits_out_has_another_clause_than_one_who_may_fight() -> None:
    rules = load_rule_set("wbc-2018")
    waits, fights = (clause_of(_told("ghola-leader", sits_out=sits_out), rules) for sits_out in (True, False))
    assert (waits, fights) == ("AH.QA.A.5", "AH.AID.TIMED.4-a")


@pytest.mark.clause("AH.SHIELD.EMP.ALLY-a", "AH.XIII.C-b", "AH.XIII.C-c")
@pytest.mark.parametrize(
    ("phase", "payer", "why", "clause"),
    [
        ("bidding", "emperor", "", "AH.SHIELD.EMP.ALLY-a"),
        ("collection", "emperor", "", "AH.XIII.C-c"),
        ("collection", "guild", "", "AH.XIII.C-c"),
        ("bidding", "emperor", "deal", "AH.XIII.C-b"),
        ("bidding", "guild", "deal", "AH.XIII.C-b"),
    ],
)
def test_spice_given_is_the_emperors_own_right_in_every_phase_but_the_collection(
    phase: PhaseName, payer: str, why: str, clause: str
) -> None:
    facts = {"payer": payer, "receiver": "fremen", "amount": 3, "why": why}
    assert clause_of(Event(0, 3, phase, "spice-given", facts), load_rule_set("ah-basic")) == clause


@pytest.mark.clause(
    "AH.SHIELD.FRE.2-a", "AH.IX.C.1.a-a", "AH.SHIELD.GUI.1-b", "AH.SHIELD.GUI.1-c", "AH.SHIELD.GUI.ALLY-a"
)
@pytest.mark.parametrize(
    ("faction", "source", "target", "price", "clause"),
    [
        ("fremen", None, "sietch-tabr/14", 0, "AH.SHIELD.FRE.2-a"),
        ("guild", None, "carthag/11", 2, "AH.IX.C.1.a-a"),
        ("emperor", None, "carthag/11", 3, "AH.IX.C.1.a-a"),
        ("guild", "arrakeen/10", "carthag/11", 2, "AH.SHIELD.GUI.1-b"),
        ("guild", "arrakeen/10", None, 1, "AH.SHIELD.GUI.1-c"),
        ("emperor", "arrakeen/10", "carthag/11", 2, "AH.SHIELD.GUI.ALLY-a"),
    ],
)
def test_a_shipment_has_the_clause_of_its_way(
    faction: str, source: str | None, target: str | None, price: int, clause: str
) -> None:
    event = _told("shipment", faction=faction, source=source, target=target, price=price)
    assert clause_of(event, load_rule_set("ah-advanced")) == clause


@pytest.mark.parametrize(
    ("source", "target", "price"),
    [(None, "carthag/11", 3), ("arrakeen/10", "carthag/11", 0), ("arrakeen/10", "carthag/11", 2)],
)
def test_fremen_who_ship_as_the_guild_does_have_not_the_clause_of_their_own_way(
    source: str | None, target: str, price: int
) -> None:
    rules = load_rule_set("ah-advanced")
    paid = _told("shipment", faction="fremen", source=source, target=target, price=price)
    own = _told("shipment", faction="fremen", source=None, target=target, price=0)
    assert clause_of(own, rules) == "AH.SHIELD.FRE.2-a"
    assert clause_of(paid, rules) not in (None, "AH.SHIELD.FRE.2-a")


@pytest.mark.clause("WBC.MISC.4", "WBC.XIII.6")
@pytest.mark.parametrize(
    ("what", "giver", "clause"),
    [("gift", "emperor", "WBC.MISC.4"), ("gift", "guild", "WBC.XIII.6"), ("deal", "emperor", "WBC.XIII.6")],
)
def test_an_offer_is_the_emperors_own_right_only_where_it_is_a_gift_of_theirs(
    what: str, giver: str, clause: str
) -> None:
    assert clause_of(_told("offer-made", what=what, giver=giver), load_rule_set("wbc-2018")) == clause


@pytest.mark.clause("WBC.AID.31", "WBC.AID.32")
@pytest.mark.parametrize(("faction", "clause"), [("fremen", "WBC.AID.31"), ("guild", "WBC.AID.32")])
def test_worms_that_obey_no_more_have_a_clause_for_the_fremen_and_one_for_their_allies(
    faction: str, clause: str
) -> None:
    assert clause_of(_told("worm-control-lost", faction=faction), load_rule_set("wbc-2018")) == clause


@pytest.mark.clause("WBC.AID.24", "FAQ.KARAMA-BG.1", "AH.AID.KARAMA.A.3-b")
@pytest.mark.parametrize(
    ("ruleset", "clause"),
    [("wbc-2018", "WBC.AID.24"), ("gf9-basic", "FAQ.KARAMA-BG.1"), ("ah-basic", "AH.AID.KARAMA.A.3-b")],
)
def test_a_karama_has_the_clause_of_what_it_stopped(ruleset: str, clause: str) -> None:
    played = _told("karama-played", faction="fremen", card="Karama", effect="cancel voice")
    stopped = _told("cancelled", what="voice", by="fremen", territory="arrakeen")
    rules = load_rule_set(ruleset)
    assert clause_of(played, rules) == clause_of(stopped, rules) == clause


@pytest.mark.clause("AH.SHIELD.EMP.KARAMA")
def test_a_free_revival_by_karama_is_not_the_ordinary_one() -> None:
    clauses = Clauses(load_rule_set("ah-optional"))
    clauses.of(_told("karama-played", faction="emperor", card="Karama", effect="revive"))
    assert clauses.of(_told("tokens-revived", faction="emperor", forces="3", price=0)) == "AH.SHIELD.EMP.KARAMA"
    assert clauses.of(_told("tokens-revived", faction="emperor", forces="1", price=0)) == "AH.IX.B.1-a"


def test_an_event_that_no_book_knows_has_no_clause() -> None:
    assert clause_of(_told("sandtrout-seen"), load_rule_set("wbc-2018")) is None
