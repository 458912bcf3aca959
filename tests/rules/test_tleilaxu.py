"""Tests for the Tleilaxu beyond the rulings, such as private information and several lines in one message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from bot.wording import say
from bot.wording.filters import speaking
from rules.components import LEADERS, Card, Faction, Forces, Leader, leaders_of
from rules.components.board import POLAR_SINK, TerritoryId
from rules.decisions.question import Question
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.orders import (
    Accept,
    AskForLeader,
    ChooseTraitor,
    Decline,
    NamePrice,
    NoDancer,
    NoExchange,
    NoPrice,
    NoRequest,
    NoTreachery,
    Order,
    Plan,
    RaiseLimits,
    Replace,
    RevealDancer,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Support,
    SwapDancer,
    Treachery,
)
from rules.positions.position import position
from rules.random_players import RandomPlayer, random_seats
from rules.views import view

VIEWERS = ("emperor", "guild", "public")
ADVANCED = load_rule_set("gf9-advanced").with_options({"expansion": "ixians-tleilaxu"})


Start = Mapping[str, Mapping[str, Any]]


def begun(phase: str, players: Start, known_traitors: Sequence[str] = (), **start: Any) -> Play:
    """Return a game of the Emperor, the Guild and the Tleilaxu at the first stop of a phase."""
    table = {
        "turn": 4, "phase": phase, "storm": 18, "factions": ["emperor", "guild", "tleilaxu"],
        "dots": {"emperor": 2, "guild": 5, "tleilaxu": 17}, "faction": players, **start,
    }  # fmt: skip
    document = {"ruleset": "gf9-advanced", "options": {"expansion": "ixians-tleilaxu"}, "start": table}
    play = position(document).play()
    play.state.box.known_traitors += map(Leader, known_traitors)
    play.begin_phase(play.state.phase)
    return play


def until(play: Play, kind: str) -> None:
    """Let everybody be silent until a question of this kind is open."""
    while not any(question.kind == kind for question in play.questions()):
        assert not play.phase_over, f"nobody was asked for {kind}"
        play.expire()


def fought(dancers: list[str]) -> Play:
    """Let the Emperor beat the Guild with Bashar, so that the Tleilaxu are asked to reveal a dancer."""
    armies: Start = {
        "emperor": {"spice": 4, "forces": {"pasty-mesa/6": "4"}},
        "guild": {"forces": {"pasty-mesa/6": "2"}},
    }
    play = begun("battle", {**armies, "tleilaxu": {"reserves": "9", "face_dancers": dancers}})
    until(play, "battle-plan")
    play.submit("emperor", [Plan(2, "Bashar", spice=2)])
    play.submit("guild", [Plan(1, "Guild Representative")])
    until(play, "face-dancer")
    return play


def told(play: Play, viewer: str) -> list[Any]:
    return [event.seen_by(viewer) | {"kind": event.kind} for event in play.events if event.visible_to(viewer)]


def asked_until_the_end(play: Play) -> list[tuple[str, str]]:
    """Return all questions until the end of the phase, as faction and kind, while everybody is silent."""
    asked: list[tuple[str, str]] = []
    while not play.phase_over:
        asked += [(question.faction, question.kind) for question in play.questions()]
        play.expire()
    return asked


@pytest.mark.clause("IT.FD.1", "IT.SETUP-TL.7")
@pytest.mark.parametrize("known", [True, False])
def test_nobody_is_asked_about_a_leader_who_all_know_is_the_traitor_of_another(known: bool) -> None:
    """A called traitor belongs to the holder of the card; about an unseen traitor, the Tleilaxu are asked."""
    armies: Start = {
        "emperor": {"spice": 4, "forces": {"pasty-mesa/6": "4"}, "reserves": "5"},
        "guild": {"forces": {"pasty-mesa/6": "2"}, "traitors": ["Bashar"]},
    }
    tleilaxu = {"reserves": "9", "face_dancers": ["Caid"]}
    play = begun("battle", {**armies, "tleilaxu": tleilaxu}, ["Bashar"] if known else [])
    until(play, "battle-plan")
    play.submit("emperor", [Plan(2, "Bashar", spice=2)])
    play.submit("guild", [Plan(1, "Guild Representative")])
    until(play, "traitor-call")
    play.submit("guild", [NoTreachery()])
    assert (("tleilaxu", "face-dancer") in asked_until_the_end(play)) != known


def test_a_call_of_treachery_makes_a_traitor_known() -> None:
    armies: Start = {
        "emperor": {"spice": 4, "forces": {"pasty-mesa/6": "4"}},
        "guild": {"forces": {"pasty-mesa/6": "2"}, "traitors": ["Bashar"]},
    }
    play = begun("battle", {**armies, "tleilaxu": {"reserves": "9"}})
    until(play, "battle-plan")
    play.submit("emperor", [Plan(2, "Bashar", spice=2)])
    play.submit("guild", [Plan(1, "Guild Representative")])
    until(play, "traitor-call")
    play.submit("guild", [Treachery()])
    while not play.phase_over:
        play.expire()
    assert play.state.box.known_traitors == ["Bashar"]


BEATEN = {"guild": {"forces": {"pasty-mesa/6": "2"}}}


@pytest.mark.clause("IT.FD.16")
def test_the_tleilaxu_are_not_asked_about_themselves() -> None:
    play = begun("battle", {**BEATEN, "tleilaxu": {"forces": {"pasty-mesa/6": "4"}, "face_dancers": ["Blin"]}})
    until(play, "battle-plan")
    play.submit("tleilaxu", [Plan(1, "Blin")])
    play.submit("guild", [Plan(0.5, "Guild Representative")])
    assert ("tleilaxu", "face-dancer") not in asked_until_the_end(play)
    assert play.state.forces_in(TerritoryId("pasty-mesa")).keys() == {"tleilaxu"}


@pytest.mark.clause("IT.FD.11")
def test_without_a_winner_nobody_is_asked() -> None:
    dancers: dict[str, Any] = {"reserves": "9", "face_dancers": ["Bashar", "Guild Representative", "Caid"]}
    explosive = {"tleilaxu": dancers, "emperor": {"hand": ["Lasgun"], "forces": {"pasty-mesa/6": "4"}}}
    play = begun("battle", {**explosive, "guild": {"hand": ["Shield"], "forces": {"pasty-mesa/6": "2"}}})
    until(play, "battle-plan")
    play.submit("emperor", [Plan(1, "Bashar", weapon=Card("Lasgun"))])
    play.submit("guild", [Plan(1, "Guild Representative", defense=Card("Shield"))])
    assert ("tleilaxu", "face-dancer") not in asked_until_the_end(play)


@pytest.mark.clause("IT.FD.22")
def test_after_a_victory_no_face_dancer_is_exchanged() -> None:
    held = {"emperor": {"forces": {"arrakeen": "1", "carthag": "1", "tueks-sietch": "1"}}}
    play = begun("mentat", {**held, "tleilaxu": {"face_dancers": ["Bashar"]}})
    assert ("tleilaxu", "dancer-swap") not in asked_until_the_end(play)
    assert play.state.winners == ["emperor"]


@pytest.mark.clause("IT.FD.20", "IT.FD.21")
@pytest.mark.parametrize("number", range(25))
def test_what_is_drawn_in_exchange_is_none_of_the_other_two(number: int) -> None:
    play = begun("mentat", {"tleilaxu": {"face_dancers": ["Bashar", "Caid", "Burseg"]}}, rng=f"exchange {number}")
    until(play, "dancer-swap")
    play.submit("tleilaxu", [SwapDancer(Leader("Caid"))])
    while not play.phase_over:
        play.expire()
    assert len(set(play.state.box.face_dancers)) == 3


@pytest.mark.clause("IT.REV.15")
def test_who_had_a_leader_early_has_no_other_in_the_turn() -> None:
    """The Guild have begun to revive by the general rule, which excludes leaders who have died twice."""
    dead = {"dead_leaders": ["Esmar Tuek", "Master Bewt", "Soo Soo Sook"], "twice_dead": ["Staban Tuek"]}
    play = begun("charity", {"guild": {"spice": 20, **dead}})
    play.state.leader_revivals = ["guild"]
    play.state.leaders[Leader("Guild Representative")].deaths = 1
    play.begin_phase("revival")
    until(play, "early-revival")
    assert play.submit("guild", [AskForLeader(Leader("Esmar Tuek"))])[0].status == "refused"
    play.submit("guild", [AskForLeader(Leader("Staban Tuek"))])
    play.submit("tleilaxu", [NamePrice(6, Leader("Staban Tuek"))])
    assert play.submit("guild", [Accept()])[0].status == "accepted"
    asked = []
    while not play.phase_over:
        asked += [question.facts.get("what") for question in play.questions() if question.kind == "revival"]
        play.expire()
    assert play.state.leaders[Leader("Staban Tuek")].status == "ready"
    assert "leader" not in asked


@pytest.mark.clause("IT.FD.1", "IT.FD.24")
def test_nobody_can_tell_from_a_battle_whether_its_winner_is_a_face_dancer() -> None:
    matched, other = fought(["Bashar", "Caid", "Burseg"]), fought(["Staban Tuek", "Caid", "Burseg"])
    for viewer in VIEWERS:
        assert view(matched, viewer) == view(other, viewer)
        assert told(matched, viewer) == told(other, viewer)
    for play in (matched, other):
        assert play.submit("tleilaxu", [NoDancer()])[0].status == "accepted"
    for viewer in VIEWERS:
        assert view(matched, viewer) == view(other, viewer)
        assert told(matched, viewer) == told(other, viewer)


@pytest.mark.clause("IT.FD.1")
def test_that_a_leader_is_none_of_theirs_is_told_to_the_tleilaxu_alone() -> None:
    play = fought(["Staban Tuek", "Caid", "Burseg"])
    before = {viewer: (view(play, viewer), told(play, viewer)) for viewer in VIEWERS}
    outcome = play.submit("tleilaxu", [RevealDancer()])[0]
    assert outcome.status == "refused"
    assert {viewer: (view(play, viewer), told(play, viewer)) for viewer in VIEWERS} == before


@pytest.mark.clause("IT.FD.1")
@pytest.mark.parametrize(("dancer", "offered"), [("Bashar", [NoDancer(), RevealDancer()]), ("Caid", [NoDancer()])])
def test_the_question_says_whether_the_winners_leader_is_one(dancer: str, offered: list[Order]) -> None:
    (question,) = fought([dancer]).questions()
    is_one = dancer == "Bashar"
    assert question.facts == {"territory": "pasty-mesa", "winner": "emperor", "leader": "Bashar", "is_one": is_one}
    assert question.samples() == offered
    assert question.default == NoDancer()


@pytest.mark.clause("IT.FD.8", "IT.FD.9", "IT.FD.10")
def test_where_those_come_from_who_take_a_winners_place() -> None:
    """The storm is over Carthag; 4 tokens fought, and 2 are lost with the dial and its support."""
    armies: Start = {
        "emperor": {"spice": 4, "forces": {"pasty-mesa/6": "4"}},
        "guild": {"forces": {"pasty-mesa/6": "2"}},
        "tleilaxu": {"reserves": "9", "face_dancers": ["Bashar"], "forces": {"carthag": "2", "polar-sink": "3"}},
    }
    play = begun("battle", armies, storm=11)
    until(play, "battle-plan")
    play.submit("emperor", [Plan(2, "Bashar", spice=2)])
    play.submit("guild", [Plan(1, "Guild Representative")])
    until(play, "face-dancer")
    play.submit("tleilaxu", [RevealDancer()])
    (question,) = play.questions()
    assert question.facts == {
        "territory": "pasty-mesa", "most": 2, "reserves": 9, "sources": {"polar-sink": 3}, "area": "pasty-mesa/6",
    }  # fmt: skip
    assert question.default == Replace(((Forces(2), None),))
    assert question.samples() == [
        question.default,
        Replace(((Forces(1), None),)),
        Replace(),
        Replace(((Forces(2), POLAR_SINK),)),
    ]
    play.submit("tleilaxu", [Replace(((Forces(1), None), (Forces(1), POLAR_SINK)))])
    (event,) = [event for event in play.events if event.kind == "face-dancer-forces"]
    assert event.facts == {
        "faction": "tleilaxu", "area": "pasty-mesa/6", "groups": [["1", "reserves"], ["1", "polar-sink"]],
    }  # fmt: skip


@pytest.mark.clause("IT.FD.20")
def test_when_the_third_is_shown_three_new_ones_are_drawn_unseen() -> None:
    play = fought(["Bashar", "Caid", "Burseg"])
    play.state.box.revealed_dancers = [Leader("Caid"), Leader("Burseg")]
    play.submit("tleilaxu", [RevealDancer()])
    play.expire()
    drawn = [event for event in play.events if event.kind == "face-dancers-drawn"]
    assert len(drawn) == 1
    assert "leaders" not in drawn[0].facts
    assert drawn[0].private["tleilaxu"]["leaders"] == play.state.box.face_dancers
    assert len(set(play.state.box.face_dancers)) == 3
    assert play.state.box.revealed_dancers == []


@pytest.mark.clause("IT.FD.21", "IT.FD.24")
def test_the_names_of_an_exchange_are_told_to_the_tleilaxu_alone() -> None:
    play = begun("mentat", {"tleilaxu": {"face_dancers": ["Bashar", "Caid", "Burseg"]}})
    until(play, "dancer-swap")
    play.submit("tleilaxu", [SwapDancer(Leader("Caid"))])
    while not play.phase_over:
        play.expire()
    (event,) = [event for event in play.events if event.kind == "face-dancer-exchanged"]
    assert "leader" not in event.facts
    assert event.private["tleilaxu"]["given"] == "Caid"
    box = play.state.box
    assert box.face_dancers == [event.private["tleilaxu"]["leader"] if n == 1 else ("Bashar", "Caid", "Burseg")[n]
                                for n in range(3)]  # fmt: skip


@pytest.mark.clause("IT.FD.21")
def test_who_lies_open_is_not_offered_for_the_exchange() -> None:
    dancers = {"face_dancers": ["Bashar", "Caid", "Burseg"], "revealed_dancers": ["Caid"]}
    play = begun("mentat", {"tleilaxu": dancers})
    until(play, "dancer-swap")
    (question,) = play.questions()
    assert question.facts == {"dancers": ["Bashar", "Burseg"]}
    assert question.samples() == [NoExchange(), SwapDancer(Leader("Bashar")), SwapDancer(Leader("Burseg"))]


@pytest.mark.clause("IT.REV.9", "IT.REV.14", "IT.REV.19")
def test_what_is_asked_as_the_revival_begins() -> None:
    """Each question names its decision: whose limit, which leader, what price, or the offer."""
    zaaf, tuek = Leader("Master Zaaf"), Leader("Staban Tuek")
    dead: Start = {
        "emperor": {"tanks": "4"},
        "guild": {"spice": 9, "tanks": "3", "dead_leaders": [tuek]},
        "tleilaxu": {"tanks": "9", "dead_leaders": [zaaf]},
    }
    play = begun("revival", dead)
    until(play, "revival-limits")
    asked = {question.kind: question for question in play.questions()}
    limits, request = asked["revival-limits"], asked["early-revival"]
    assert limits.facts == {"limit": 5, "dead": {"emperor": 4}}
    assert limits.samples() == [RaiseLimits(), RaiseLimits(everybody=True), RaiseLimits(("emperor",))]
    assert limits.default == RaiseLimits()
    assert request.facts == {"seller": "tleilaxu", "leaders": [tuek], "kwisatz_haderach": False}
    assert request.samples() == [NoRequest(), AskForLeader(tuek)]
    play.submit("guild", [AskForLeader(tuek)])
    until(play, "revival-price")
    (price,) = play.questions()
    assert price.facts == {"requests": {"guild": tuek}}
    assert price.samples() == [NoPrice(), *(NamePrice(amount, tuek) for amount in (0, 2, 4))]
    play.submit("tleilaxu", [NamePrice(9, tuek)])
    until(play, "offer")
    (offer,) = [question for question in play.questions() if question.kind == "offer"]
    assert offer.facts == {"what": "leader", "from": "tleilaxu", "leader": tuek, "price": 9}
    assert offer.samples() == [Accept(), Decline()]
    play.game.player("guild").spice = 8
    assert offer.samples() == [Decline()]


@pytest.mark.clause("IT.FORCE.15", "IT.REV.2", "IT.REV.3", "IT.REV.13", "IT.SETUP-TL.4")
def test_what_a_revival_costs_is_said_as_it_is() -> None:
    """A Cyborg costs 3, and more than one may return. All dead Tleilaxu may return. A ghola is not only for them."""
    seats: dict[str, Any] = {
        "factions": ["atreides", "ixians", "tleilaxu"],
        "dots": {"atreides": 2, "ixians": 5, "tleilaxu": 17},
    }
    dead: Start = {
        "atreides": {"spice": 5, "dead_leaders": list(leaders_of("atreides")), "kwisatz_haderach": "dead"},
        "ixians": {"spice": 9, "tanks": "3+2"},
        "tleilaxu": {"spice": 9, "tanks": "5", "dead_leaders": ["Zoal", "Blin"]},
    }
    play = begun("revival", dead, **seats, hms="polar-sink", alliances=[["atreides", "tleilaxu"]])
    until(play, "revival")
    texts = {question.faction: _worded(question) for question in play.questions()}
    assert ": 1 free, 2 spice for each further one, 3 for a special force." in texts["ixians"]
    assert ": 2 free, 2 spice for each further one, of which you pay half, rounded up." in texts["tleilaxu"]
    play.expire()
    (own,) = (question for question in play.questions() if question.faction == "atreides")
    assert "Bring one back" in _worded(own)
    assert "Haderach costs 1." in _worded(own)
    play.expire([own.key])
    (many,) = (question for question in play.questions() if question.faction == "tleilaxu")
    assert "Gurney Halleck, Lady Jessica and Thufir Hawat would serve you as gholas." in _worded(many)
    assert "as many as you like, a line for each? Zoal costs 3, Blin costs 1, Dr." in _worded(many)


def _worded(question: Question) -> str:
    with speaking("2019"):
        return say(f"question.{question.kind}.text", faction=question.faction, default="", **question.facts)


@pytest.mark.clause("IT.SETUP-TL.6", "IT.SETUP-TL.7", "IT.GEN.4", "IT.TRAITOR.1")
@pytest.mark.parametrize("number", range(6))
def test_face_dancers_are_three_cards_of_this_game_that_nobody_has_kept(number: int) -> None:
    seats = random_seats(f"dancers {number}", ["tleilaxu", "harkonnen", "emperor", "guild"])
    play = Play.start(ADVANCED, f"dancers {number}", seats)
    while not play.state.box.face_dancers:
        play.expire()
    dancers = play.state.box.face_dancers
    kept = [leader for player in play.state.players.values() for leader in player.traitors]
    assert len(set(dancers)) == 3
    assert not set(dancers) & set(kept)
    assert all(name == "Cheap Hero" or LEADERS[name].faction in seats for name in (*dancers, *kept))
    assert len(kept) == 4 + 1 + 1
    assert play.state.players["tleilaxu"].traitors == []


@pytest.mark.clause("IT.REV.14")
def test_a_request_a_price_and_a_refusal_are_between_the_two() -> None:
    play = begun("revival", {"guild": {"spice": 9, "dead_leaders": ["Staban Tuek"]}})
    silent = begun("revival", {"guild": {"spice": 9, "dead_leaders": ["Staban Tuek"]}})
    for game in (play, silent):
        until(game, "early-revival")
    play.submit("guild", [AskForLeader(Leader("Staban Tuek"))])
    silent.expire()
    for viewer in ("emperor", "public"):
        assert view(play, viewer) == view(silent, viewer)
    play.submit("tleilaxu", [NamePrice(6, Leader("Staban Tuek"))])
    silent.expire()
    for viewer in ("emperor", "public"):
        assert view(play, viewer) == view(silent, viewer)
        assert told(play, viewer) == told(silent, viewer)
    for game in (play, silent):
        while not game.phase_over:
            game.expire()
    for viewer in ("emperor", "public"):
        assert view(play, viewer) == view(silent, viewer)
        assert told(play, viewer) == told(silent, viewer)


BASHAR, TUEK = Leader("Bashar"), Leader("Staban Tuek")


def both_ask() -> Play:
    """Let the Emperor and the Guild ask for a leader each, so that the Tleilaxu are asked for prices."""
    play = begun("revival", {"emperor": {"dead_leaders": [BASHAR]}, "guild": {"dead_leaders": [TUEK]}})
    until(play, "early-revival")
    play.submit("emperor", [AskForLeader(BASHAR)])
    play.submit("guild", [AskForLeader(TUEK)])
    return play


def prices(play: Play) -> dict[Any, int]:
    """Return the announced price for each leader."""
    named = (event.seen_by(event.facts["faction"]) for event in play.events if event.kind == "leader-priced")
    return {facts["leader"]: facts["price"] for facts in named}


@pytest.mark.clause("IT.REV.14")
def test_prices_that_come_one_by_one_are_as_good_as_those_of_one_message() -> None:
    together, apart = both_ask(), both_ask()
    lines = [NamePrice(6, TUEK), NamePrice(3, BASHAR)]
    together.submit("tleilaxu", lines)
    apart.submit("tleilaxu", lines[:1])
    (question,) = apart.questions()
    assert (question.kind, question.facts) == ("revival-price", {"requests": {"emperor": BASHAR}})
    assert question.samples() == [NoPrice(), *(NamePrice(amount, BASHAR) for amount in (0, 2, 4))]
    assert apart.given() == [(question, (NamePrice(6, TUEK),))]
    assert prices(apart) == {}
    apart.submit("tleilaxu", lines[1:])
    assert prices(apart) == prices(together) == {TUEK: 6, BASHAR: 3}
    assert told(apart, "gm") == told(together, "gm")


@pytest.mark.clause("IT.REV.14")
def test_nobody_else_can_tell_how_many_prices_are_wanted() -> None:
    """One of two prices is named, or none, or nobody has asked. The other players see an open question in each case."""
    half, quiet = both_ask(), both_ask()
    nobody = begun("revival", {"emperor": {"dead_leaders": [BASHAR]}, "guild": {"dead_leaders": [TUEK]}})
    until(nobody, "early-revival")
    nobody.expire()
    half.submit("tleilaxu", [NamePrice(6, TUEK)])
    games = (half, quiet, nobody)
    for _ in range(2):
        assert [(view(play, "public"), told(play, "public"), play.stop_names) for play in games] == [
            (view(half, "public"), told(half, "public"), half.stop_names)
        ] * 3
        for play in games:
            play.expire([key for key in (question.key for question in play.questions()) if key[1] == "revival-price"])
    assert prices(half) == {TUEK: 6}


@pytest.mark.clause("IT.REV.14")
@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ([NamePrice(6, TUEK)], [NoPrice(TUEK), NoPrice(BASHAR)], {}),
        ([NamePrice(6, TUEK)], [NoPrice(TUEK), NamePrice(3, BASHAR)], {BASHAR: 3}),
        ([NamePrice(6, TUEK)], [NoPrice()], {TUEK: 6}),
        ([NamePrice(6, TUEK)], [NamePrice(4, TUEK), NamePrice(3, BASHAR)], {TUEK: 4, BASHAR: 3}),
    ],
)
def test_the_last_word_about_a_leader_counts_and_no_price_is_for_those_without_an_answer(
    before: Sequence[Order], after: Sequence[Order], named: Mapping[Leader, int]
) -> None:
    play = both_ask()
    play.submit("tleilaxu", before)
    play.submit("tleilaxu", after)
    assert "revival-price" not in [question.kind for question in play.questions()]
    assert prices(play) == named


def test_a_game_with_prices_in_two_messages_is_the_same_when_it_is_replayed() -> None:
    play = both_ask()
    play.submit("tleilaxu", [NamePrice(6, TUEK)])
    half = Play.resume(ADVANCED, "any", play.snapshot, play.log)
    assert [(q.key, q.facts) for q in half.questions()] == [(q.key, q.facts) for q in play.questions()]
    play.submit("tleilaxu", [NoPrice()])
    assert told(Play.resume(ADVANCED, "any", play.snapshot, play.log), "gm") == told(play, "gm")


@pytest.mark.clause("IT.REV.3", "IT.GHOLA.1", "FAQ.TLEILAXU.6", "FAQ.TLEILAXU.12")
def test_several_leaders_come_back_by_the_lines_of_one_message() -> None:
    dead: Start = {
        "tleilaxu": {"spice": 9, "dead_leaders": ["Wykk", "Blin"]},
        "guild": {"dead_leaders": ["Staban Tuek"]},
    }
    ahead, later = begun("revival", dead), begun("revival", dead)
    both = [ReviveLeader(Leader("Wykk")), ReviveLeader(Leader("Staban Tuek"))]
    until(ahead, "revival")
    assert [outcome.status for outcome in ahead.submit("tleilaxu", both)] == ["held", "held"]
    until(later, "revival")
    later.expire()
    assert [question.facts["what"] for question in later.questions()] == ["leader"]
    assert [outcome.status for outcome in later.submit("tleilaxu", both)] == ["accepted", "accepted"]
    for play in (ahead, later):
        while not play.phase_over:
            play.expire()
        assert play.state.leaders[Leader("Wykk")].status == "ready"
        assert play.state.box.gholas == {"Staban Tuek": "guild"}
        assert play.state.players["tleilaxu"].spice == 9 - 1 - 3


@pytest.mark.clause("IT.REV.2")
def test_of_several_lines_those_beyond_their_means_are_refused() -> None:
    play = begun("revival", {"tleilaxu": {"spice": 2, "dead_leaders": ["Wykk", "Master Zaaf"]}})
    until(play, "revival")
    play.expire()
    lines = [ReviveLeader(Leader("Wykk")), ReviveLeader(Leader("Master Zaaf"))]
    assert [outcome.status for outcome in play.submit("tleilaxu", lines)] == ["accepted", "refused"]


@pytest.mark.clause("IT.SETUP-TL.5")
def test_nobody_else_notices_that_the_tleilaxu_call_nobody() -> None:
    armies: Start = {
        "tleilaxu": {"forces": {"pasty-mesa/6": "2"}},
        "guild": {"spice": 2, "forces": {"pasty-mesa/6": "2"}},
    }
    play = begun("battle", armies)
    until(play, "battle-plan")
    play.submit("tleilaxu", [Plan(1, "Blin")])
    play.submit("guild", [Plan(1, "Staban Tuek", spice=1)])
    assert [(question.faction, question.kind) for question in play.questions()] == [("guild", "traitor-call")]
    play.submit("guild", [NoTreachery()])
    assert not any(question.faction == "tleilaxu" and question.kind == "traitor-call" for question in play.asked())


@pytest.mark.clause("IT.REV.5", "IT.REV.10")
def test_the_position_is_sound_and_replays_whatever_is_played() -> None:
    for number in range(2):
        seed = f"tleilaxu {number}"
        play, player = (
            Play.start(ADVANCED, seed, random_seats(seed, ["tleilaxu", "guild", "fremen"])),
            RandomPlayer(seed),
        )
        while not play.over:
            player.act(play)
        again = Play.start(ADVANCED, seed, {faction: seat.dot for faction, seat in play.state.players.items()})
        again.replay(play.log)
        assert again.events == play.events
        assert any(event.kind == "revival-income" for event in play.events)


def test_no_exchange_and_revivals_are_what_silence_means() -> None:
    play = begun("mentat", {"tleilaxu": {"face_dancers": ["Bashar"]}})
    until(play, "dancer-swap")
    assert [question.default for question in play.questions()] == [NoExchange()]
    play = begun("revival", {"tleilaxu": {"tanks": "5"}})
    until(play, "revival")
    assert [q.default for q in play.questions() if q.faction == "tleilaxu"] == [Revive(Forces(2))]


REFUSED: Mapping[str, tuple[str, Faction, Order, str, str]] = {
    "no traitor is dealt": ("setup", "tleilaxu", ChooseTraitor(Leader("Caid")), "no traitor cards", "IT.SETUP-TL.5"),
    "others show nobody": ("revival", "guild", RevealDancer(), "power of the Tleilaxu", "IT.FD.1"),
    "others price nobody": ("revival", "guild", NamePrice(2, Leader("Caid")), "Only the Tleilaxu", "FAQ.TLEILAXU.7"),
    "own leaders need nobody": ("revival", "tleilaxu", AskForLeader(Leader("Zoal")), "revive Zoal", "FAQ.TLEILAXU.4"),
    "all are dead": ("revival", "guild", AskForLeader(Leader("Staban Tuek")), "general rule", "FAQ.TLEILAXU.9"),
    "they pay for nobody": ("revival", "tleilaxu", Support(2), "cannot pay for anybody's", "FAQ.TLEILAXU.11"),
    "of another faction": ("revival", "tleilaxu", ReviveKwisatzHaderach(), "You have no", "AH.SHIELD.ATR.4-f"),
}


@pytest.mark.clause("IT.SETUP-TL.5", "FAQ.TLEILAXU.4", "FAQ.TLEILAXU.9", "FAQ.TLEILAXU.11")
@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_refused_for_its_own_reason(case: str) -> None:
    phase, faction, order, words, clause = REFUSED[case]
    guild = {"dead_leaders": list(leaders_of("guild"))}
    start: Start = {} if phase == "setup" else {"tleilaxu": {"dead_leaders": ["Zoal"], "spice": 5}, "guild": guild}
    first: dict[str, Any] = {"turn": 1} if phase == "setup" else {}
    outcome = begun(phase, start, **first).check(faction, order)
    assert outcome.refusal
    assert words in outcome.refusal.reason
    assert outcome.refusal.clause == clause


@pytest.mark.clause("IT.REV.8")
@pytest.mark.parametrize(
    ("lines", "raised"),
    [
        ([RaiseLimits(("guild",)), RaiseLimits(("emperor",))], {"guild": 5, "emperor": 5}),
        ([RaiseLimits(everybody=True), RaiseLimits()], {}),
        ([RaiseLimits(), RaiseLimits(("guild",))], {"guild": 5}),
    ],
)
def test_lines_about_limits_add_up_and_three_for_all_takes_back(lines: list[Order], raised: dict[str, int]) -> None:
    play = begun("revival", {"guild": {"tanks": "6"}, "emperor": {"tanks": "6"}})
    until(play, "revival-limits")
    assert [outcome.status for outcome in play.submit("tleilaxu", lines)] == ["accepted"] * 2
    until(play, "revival")
    assert play.state.box.revival_limits == raised
