"""Tests for the clause behind each kind of event: one from the rule set's books that explains the event."""

from __future__ import annotations

import tomllib
from typing import Any, get_args

import pytest

from bot import templates_dir
from rules.components.factions import FACTIONS
from rules.engine.catalogue import load_rule_set
from rules.orders import KaramaEffect, PhaseName
from rules.random_players import random_game
from rules.rulesets.rulebook import CLAUSES, rule_of, topics
from rules.rulesets.ruleset import RULE_SETS
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
"""Events that only a card or a sheet of the 2019 edition explains; the text of 1979 is cited instead."""


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


def _after(before: Event | None, event: Event, ruleset: str) -> str | None:
    """Return the clause of an event that follows another."""
    clauses = Clauses(load_rule_set(ruleset))
    if before is not None:
        clauses.of(before)
    return clauses.of(event)


BEGINS = _told("battle-begins", territory="arrakeen", sides=["guild", "fremen"])
EXPLOSION = _told("explosion", territory="arrakeen")


@pytest.mark.clause("AH.X.C.3-a", "AH.IX.D.5", "AH.AID.BATTLE.5-b", "AH.X.D.2-b", "GF9.REV.10")
@pytest.mark.parametrize(
    ("ruleset", "before", "status", "clause"),
    [
        ("ah-basic", BEGINS, "dead", "AH.X.C.3-a"),
        ("ah-basic", WON, "dead", "AH.X.C.3-a"),
        ("ah-basic", WON, "face-down", "AH.IX.D.5"),
        ("gf9-basic", WON, "face-down", "GF9.REV.10"),
        ("ah-basic", EXPLOSION, "dead", "AH.AID.BATTLE.5-b"),
        ("ah-basic", EXPLOSION, "face-down", "AH.IX.D.5"),
        ("ah-basic", BETRAYED, "dead", "AH.X.D.2-b"),
    ],
)
def test_a_leader_killed_has_the_clause_of_how_and_how_often_they_died(
    ruleset: str, before: Event, status: str, clause: str
) -> None:
    assert _after(before, _told("leader-killed", leader="Chani", faction="fremen", status=status), ruleset) == clause


@pytest.mark.clause("AH.AID.BATTLE.5-e", "AH.AID.BATTLE.6-c", "AH.X.C.5-b", "AH.X.C.6-b", "FAQ.BATTLES.1")
@pytest.mark.parametrize(
    ("ruleset", "before", "faction", "cards", "clause"),
    [
        ("ah-basic", WON, "fremen", ["Cheap Hero"], "AH.X.C.5-b"),
        ("ah-basic", WON, "guild", ["Crysknife"], "AH.X.C.6-b"),
        ("ah-basic", WON, "guild", ["Cheap Hero"], "AH.AID.BATTLE.6-c"),
        ("ah-basic", WON, "guild", ["Cheap Hero", "Crysknife"], "AH.X.C.6-b"),
        ("gf9-advanced", BETRAYED, "guild", ["Crysknife"], "FAQ.BATTLES.1"),
        ("ah-basic", EXPLOSION, "guild", ["Lasgun"], "AH.AID.BATTLE.5-e"),
        ("ah-basic", BEGINS, "guild", ["Lasgun"], "AH.X.C.5-b"),
    ],
)
def test_cards_gone_in_a_battle_have_the_clause_of_how_it_ended_for_their_holder(
    ruleset: str, before: Event, faction: str, cards: list[str], clause: str
) -> None:
    assert _after(before, _told("cards-discarded", faction=faction, cards=cards), ruleset) == clause


def _in_storm(kind: str, turn: int = 3, **facts: Any) -> Event:
    return Event(0, turn, "storm", kind, facts)


@pytest.mark.clause("AH.VI.A-b", "AH.VI.B-b", "AH.XVI.C-a", "AH.AID.TIMED.2")
@pytest.mark.parametrize(
    ("ruleset", "before", "turn", "clause"),
    [
        ("ah-basic", None, 1, "AH.VI.A-b"),
        ("ah-basic", None, 3, "AH.VI.B-b"),
        ("ah-advanced", None, 3, "AH.XVI.C-a"),
        ("ah-advanced", _in_storm("storm-dialled", 3), 3, "AH.VI.B-b"),
        ("ah-advanced", _in_storm("storm-dialled", 2), 3, "AH.XVI.C-a"),
        ("ah-advanced", _in_storm("weather-control", 3), 3, "AH.AID.TIMED.2"),
        ("ah-advanced", _in_storm("weather-control", 2), 3, "AH.XVI.C-a"),
        ("ah-basic", _in_storm("weather-control", 2), 3, "AH.VI.B-b"),
    ],
)
def test_a_storm_that_moves_has_the_clause_of_what_moved_it_in_this_turn(
    ruleset: str, before: Event | None, turn: int, clause: str
) -> None:
    assert _after(before, _in_storm("storm-moved", turn, start=3, sectors=2, storm=5), ruleset) == clause


@pytest.mark.parametrize(
    ("ruleset", "kind", "facts", "clause"),
    [
        ("ah-advanced", "storm-marker-drawn", {"fremen": True}, "AH.SHIELD.FRE.5"),
        ("ah-advanced", "storm-marker-drawn", {"fremen": False}, "AH.XVI.C-c"),
        ("ah-advanced", "storm-killed", {"faction": "guild", "territory": "red-chasm"}, "AH.VI.C-a"),
        ("ah-advanced", "storm-killed", {"faction": "fremen", "territory": "red-chasm"}, "AH.SHIELD.FRE.7-a"),
        ("ah-advanced", "storm-killed", {"faction": "guild", "territory": "carthag"}, "AH.AID.TIMED.5-d"),
        ("ah-advanced", "spice-blow", {"in_storm": False}, "AH.VII.A.1-a"),
        ("ah-advanced", "spice-blow", {"in_storm": True}, "AH.VII.A.1-b"),
        ("wbc-2018", "worm-ate", {"territory": "shield-wall", "sand": False}, "WBC.HR.4h"),
        ("wbc-2018", "worm-ate", {"territory": "arrakeen", "sand": False}, "AH.SHIELD.FRE.6-b"),
        ("wbc-2018", "worm-ate", {"territory": "red-chasm", "sand": True}, "AH.VII.A.2-a"),
        ("ah-basic", "bid", {"amount": 1}, "AH.VIII.B.2-b"),
        ("ah-basic", "bid", {"amount": None}, "AH.AID.KARAMA.A.5-a"),
        ("ah-basic", "card-sold", {"karama": False, "buyer": "guild", "to_emperor": False}, "AH.VIII.B.2-d"),
        ("ah-basic", "card-sold", {"karama": False, "buyer": "guild", "to_emperor": True}, "AH.SHIELD.EMP.1-a"),
        ("ah-basic", "card-sold", {"karama": False, "buyer": "emperor", "to_emperor": False}, "AH.SHIELD.EMP.1-b"),
        ("ah-basic", "card-sold", {"karama": True, "buyer": "emperor", "to_emperor": False}, "AH.AID.KARAMA.A.5-a"),
        ("ah-advanced", "bg-declared", {"coexists": True, "forced": False}, "AH.XV.B.4-a"),
        ("ah-advanced", "bg-declared", {"coexists": False, "forced": False}, "AH.XV.B.5-a"),
        ("ah-advanced", "bg-declared", {"coexists": False, "forced": True}, "AH.XV.B.5-f"),
        ("ah-basic", "tokens-revived", {"price": 0}, "AH.IX.B.1-a"),
        ("ah-basic", "tokens-revived", {"price": 2}, "AH.IX.B.1-b"),
        ("ah-basic", "tokens-revived", {"price": 2, "helper": "emperor", "helped": 4}, "AH.SHIELD.EMP.ALLY-a"),
        ("ah-basic", "treachery-called", {"caller": "guild", "side": "guild"}, "AH.X.D.1-a"),
        ("ah-basic", "treachery-called", {"caller": "harkonnen", "side": "guild"}, "AH.SHIELD.HAR.ALLY"),
        ("ah-basic", "battle-without-winner", {"why": "two traitors"}, "AH.X.D.4"),
        ("ah-basic", "battle-without-winner", {"why": "explosion"}, "AH.AID.BATTLE.5-b"),
        ("ah-basic", "explosion-losses", {"spice": 0}, "AH.QA.A.3-b"),
        ("ah-basic", "explosion-losses", {"spice": 6}, "AH.QA.A.3-a"),
    ],
)
def test_an_event_has_the_clause_of_what_it_tells(ruleset: str, kind: str, facts: dict[str, Any], clause: str) -> None:
    assert clause_of(_told(kind, **facts), load_rule_set(ruleset)) == clause


@pytest.mark.clause("AH.VII.C", "AH.VII.D")
@pytest.mark.parametrize(("turn", "clause"), [(1, "AH.VII.D"), (2, "AH.VII.C")])
def test_a_worm_that_is_passed_over_on_the_first_turn_has_the_clause_of_that(turn: int, clause: str) -> None:
    assert clause_of(_told("worm-ignored", turn, pile=1), load_rule_set("ah-basic")) == clause


@pytest.mark.clause("IT.REV.5", "IT.REV.6", "FAQ.TLEILAXU.1")
@pytest.mark.parametrize(
    ("by", "why", "clause"),
    [
        ("tleilaxu", "free revival", "FAQ.TLEILAXU.1"),
        ("guild", "free revival", "IT.REV.5"),
        ("guild", "ghola", "IT.REV.6"),
    ],
)
def test_what_the_tleilaxu_get_has_the_clause_of_whose_revival_it_is_for(by: str, why: str, clause: str) -> None:
    rules = load_rule_set("gf9-advanced").with_options({"expansion": "ixians-tleilaxu"})
    assert clause_of(_told("revival-income", faction="tleilaxu", by=by, why=why, spice=1), rules) == clause


@pytest.mark.clause("AH.SHIELD.EMP.KARAMA")
@pytest.mark.parametrize(
    ("effect", "clause"), [("revive", "AH.SHIELD.EMP.KARAMA"), ("cancel voice", "AH.IX.D.2"), (None, "AH.IX.D.2")]
)
def test_a_leader_is_revived_by_karama_only_where_that_was_what_it_was_played_for(
    effect: str | None, clause: str
) -> None:
    before = effect and _told("karama-played", faction="emperor", card="Karama", effect=effect)
    revived = _told("leader-revived", faction="emperor", leader="Bashar", price=0)
    assert _after(before or None, revived, "ah-optional") == clause
