"""Tests for deals with terms beyond the rulings: who hears of them, whole games full of them, and their conditions."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from rules.chapters import deals
from rules.chapters.public_facts import _DONE, _NOW, condition_is_true
from rules.components import FACTIONS, Faction, Forces
from rules.components.board import Area
from rules.engine.catalogue import load_rule_set
from rules.engine.invariants import check_invariants
from rules.engine.play import Play
from rules.orders import Accept, Deal, Order, Ship
from rules.orders.readings import NUMBERS, DealCondition, EachOf, FactName, NotSo, OneOf, PublicFact, as_facts
from rules.random_players import RandomPlayer, random_seats
from rules.state.events import Viewer
from rules.state.state import State, without_added_fields, without_latest_fields
from rules.views import view, views
from tests.rules.stage import at, say, told

SEATS = {"emperor": 5, "guild": 8, "harkonnen": 11, "fremen": 14}
IN_ARRAKEEN = PublicFact("stands-in", ("harkonnen", "arrakeen"))


def four(phase: str = "movement", ruleset: str = "ah-basic") -> Play:
    rich = {faction: {"spice": 9, "reserves": "10"} for faction in SEATS}
    return at(phase, ruleset, storm=3, factions=list(SEATS), dots=SEATS, faction=rich)


def struck(play: Play, deal: Deal, by: Faction = "guild") -> Play:
    say(play, by, deal)
    say(play, deal.faction, Accept())
    return play


@pytest.mark.clause("AH.XIII.C-a")
def test_every_name_of_a_fact_has_a_meaning() -> None:
    assert {*_NOW, *_DONE} == set(get_args(FactName))
    assert not set(_NOW) & set(_DONE)
    assert set(get_args(FactName)) >= NUMBERS


def test_a_condition_is_itself_again_after_it_was_told() -> None:
    condition = OneOf((EachOf((PublicFact("turn", (), 4, 6), NotSo(IN_ARRAKEEN))), PublicFact("nexus")))
    assert msgspec.convert(as_facts(condition), DealCondition) == condition


@pytest.mark.clause("AH.XIII.C-b")
def test_the_two_are_reminded_when_the_condition_comes_and_nobody_else_is() -> None:
    play = struck(four(), Deal("harkonnen", "you leave Carthag", condition=PublicFact("past-shipment", ("harkonnen",))))
    while not told(play, "deal-due"):
        play.expire()
    (due,) = told(play, "deal-due")
    assert due.audience == ("guild", "harkonnen")
    assert due.facts["text"] == "you leave Carthag"
    assert due.phase == "movement"


@pytest.mark.clause("AH.XIII.C-b")
@pytest.mark.parametrize(
    "deal",
    [
        Deal("harkonnen", "peace", i_escrow=2),
        Deal("harkonnen", "peace", you_escrow=2),
        Deal("harkonnen", "peace", you_escrow=2, until=6),
        Deal("harkonnen", "peace", you_escrow=2, broken_if=IN_ARRAKEEN),
    ],
)
def test_escrow_of_either_side_needs_a_word_when_it_is_paid(deal: Deal) -> None:
    play = four()
    (outcome,) = play.submit("guild", [deal])
    assert outcome.refusal is not None
    assert "when the escrow is paid" in str(outcome.refusal)
    say(play, "guild", msgspec.structs.replace(deal, until=6, broken_if=IN_ARRAKEEN))
    say(play, "guild", msgspec.structs.replace(deal, until=None, condition=PublicFact("turn", (), 6)))


@pytest.mark.clause("AH.XIII.C-b")
def test_what_happened_before_the_deal_was_made_does_not_count_for_it() -> None:
    play = four()
    while play.questions()[0].faction != "harkonnen":
        play.expire([play.questions()[0].key])
    say(play, "harkonnen", Ship(Forces(1), None, Area("carthag/11")))
    struck(play, Deal("harkonnen", "again", 2, condition=PublicFact("shipped-to", ("harkonnen", "carthag"))))
    while play.state.phase == "movement" and not play.phase_over:
        play.expire()
    assert told(play, "deal-due") == []


@pytest.mark.clause("WBC.XIII.7")
def test_a_secret_deal_and_its_end_are_told_to_the_two_until_the_game_is_over() -> None:
    deal = Deal("harkonnen", "peace in Carthag", broken_if=IN_ARRAKEEN, until=4, secret=True)
    play = struck(four(ruleset="wbc-2018"), deal)
    while play.state.turn == 4:
        play.expire()
        play.advance()
    mine = [event for event in play.events if event.kind.startswith(("deal-", "offer-"))]
    assert [event.kind for event in mine] == ["offer-made", "deal-made", "deal-ended"]
    assert {event.audience for event in mine} == {("guild", "harkonnen")}
    assert view(play, "emperor")["deals"] == view(play, "public")["deals"] == []
    assert [seen["stage"] for seen in view(play, "guild")["deals"]] == ["kept"]
    play.stop("agreed", ("guild",))
    (ended,) = told(play, "deals-told")
    assert ended.audience is None
    assert ended.facts["deals"] == [
        {"parties": ["guild", "harkonnen"], "text": "peace in Carthag", "turn": 4, "how": "kept", "secret": True}
    ]
    assert [seen["stage"] for seen in view(play, "public")["deals"]] == ["kept"]


@pytest.mark.clause("AH.XIII.C-a")
def test_what_becomes_of_a_public_deal_is_told_to_its_two_while_the_game_goes_on() -> None:
    play = struck(four(), Deal("harkonnen", "peace", i_escrow=4, condition=PublicFact("turn", (), 6)))
    seen = views(play, ("guild", "harkonnen", "emperor", "public", "gm"))
    for viewer in ("guild", "harkonnen", "gm"):
        assert seen[viewer]["deals"][0]["escrow"] == {"guild": 4}
    for viewer in ("emperor", "public"):
        assert "escrow" not in seen[viewer]["deals"][0]
        assert seen[viewer]["deals"][0]["condition"]["name"] == "turn"


@pytest.mark.clause("AH.XIII.C-c")
def test_a_game_that_ends_gives_back_what_is_in_escrow() -> None:
    play = struck(four(), Deal("harkonnen", "peace", i_escrow=4, you_escrow=3, condition=PublicFact("turn", (), 9)))
    assert (play.state.players["guild"].spice, play.state.players["harkonnen"].spice) == (5, 6)
    play.stop("void")
    assert (play.state.players["guild"].spice, play.state.players["harkonnen"].spice) == (9, 9)
    assert told(play, "deal-ended")[0].facts["how"] == "lapsed"


def test_of_a_number_and_of_what_cannot_be_seen() -> None:
    play = four("bidding", "wbc-2018")

    def holds(condition: DealCondition) -> bool | None:
        return condition_is_true(play.game, condition, {})

    assert holds(PublicFact("tanks", ("guild",), 0, 0)) is True
    assert holds(PublicFact("turn", (), 5)) is False
    assert holds(NotSo(PublicFact("turn", (), 5))) is True
    unseen: DealCondition = PublicFact("dead", ("Duke of nowhere",))
    assert holds(unseen) is None
    assert holds(NotSo(unseen)) is None
    assert holds(EachOf((unseen, PublicFact("turn", (), 5)))) is False
    assert holds(OneOf((unseen, PublicFact("turn", (), 4)))) is True
    assert holds(EachOf((unseen, PublicFact("turn", (), 4)))) is None
    assert holds(OneOf((unseen, PublicFact("turn", (), 5)))) is None


@pytest.mark.clause("WBC.XIII.7")
@pytest.mark.parametrize("spice", [{"i_pay": 1}, {"you_pay": 1}, {"i_escrow": 1}, {"you_escrow": 1}])
def test_a_deal_about_spice_is_no_secret(spice: dict[str, int]) -> None:
    deal = Deal("harkonnen", "peace", **spice, condition=PublicFact("turn", (), 6), secret=True)  # type: ignore[arg-type]
    play = four(ruleset="wbc-2018")
    (outcome,) = play.submit("guild", [deal])
    assert outcome.refusal
    assert outcome.refusal.reason == "A deal about spice is public; leave out “secret”, or leave out the spice."
    say(play, "guild", msgspec.structs.replace(deal, secret=False))


@pytest.mark.clause("AH.XIII.C-b")
@pytest.mark.parametrize(("facts", "told_why"), [(16, None), (17, "A deal can depend on at most 16 facts.")])
def test_on_how_many_facts_a_deal_can_hang(facts: int, told_why: str | None) -> None:
    condition = EachOf(tuple(PublicFact("turn", (), 4 + number) for number in range(facts)))
    for deal in (Deal("harkonnen", "peace", condition=condition), Deal("harkonnen", "peace", broken_if=condition)):
        (outcome,) = four().submit("guild", [deal])
        assert (outcome.refusal and outcome.refusal.reason) == told_why


@pytest.mark.clause("AH.XIII.C-b")
@pytest.mark.parametrize("kind", ["worm-appeared", "worm-placed", "worm-called"])
def test_a_worm_counts_where_it_comes_up(kind: str) -> None:
    facts = {"territory": "red-chasm"}
    assert _DONE["worm-in"](kind, facts, "red-chasm") == _DONE["worm"](kind, facts) == 1
    assert _DONE["worm-in"](kind, facts, "broken-land") == 0
    assert _DONE["worm-in"]("worm-ridden", facts, "red-chasm") == _DONE["worm"]("worm-ridden", facts) == 0


@pytest.mark.clause("FAQ.BRIBERY.1", "FAQ.EMPEROR.1")
@pytest.mark.parametrize(
    ("payer", "receiver", "waits"),
    [("emperor", "guild", False), ("guild", "emperor", True), ("emperor", "harkonnen", True)],
)
def test_what_the_emperor_pays_their_ally_does_not_wait_for_the_mentat_pause(
    payer: Faction, receiver: Faction, waits: bool
) -> None:
    rich = {faction: {"spice": 9} for faction in SEATS}
    play = at("movement", "gf9-advanced", alliances=[["emperor", "guild"]], factions=list(SEATS), faction=rich)
    deals.pass_on_spice(play.game, payer, 3, receiver, "deal")
    assert play.state.players[payer].spice == 6
    assert play.state.players[receiver].spice == (9 if waits else 12)
    assert [(bribe.payer, bribe.receiver, bribe.spice) for bribe in play.state.bribes] == [(payer, receiver, 3)] * waits


def test_positions_of_before_have_deals_without_terms() -> None:
    play = struck(four(), Deal("harkonnen", "peace", 1))
    written = msgspec.msgpack.encode(play.state)
    for older in (without_latest_fields, without_added_fields):
        position = msgspec.msgpack.decode(older(written))
        assert position["deals"] == [{"parties": ["guild", "harkonnen"], "text": "peace", "turn": 4, "pays": {}}]
    assert msgspec.msgpack.Decoder(State).decode(without_latest_fields(written)).deals[0].terms is None


def bargaining(ruleset: str, seed: str) -> list[Play]:
    """Return a random game full of such deals, and the same game resumed at the start of some phases."""
    rules, player = load_rule_set(ruleset), RandomPlayer(seed, impulses=30, bargains=60)
    play = Play.start(rules, seed, random_seats(seed, FACTIONS))
    snapshots = []
    while not play.over:
        snapshot = play.snapshot
        player.act(play)
        check_invariants(play.game)
        if play.snapshot is not snapshot and not play.over:
            snapshots.append(play.snapshot)
    some = snapshots[:: max(1, len(snapshots) // 6)]
    return [play, *(Play.resume(rules, seed, snapshot, play.log[snapshot.entries :]) for snapshot in some)]


@pytest.mark.parametrize("ruleset", ["ah-basic", "wbc-2018", "gf9-advanced"])
def test_whole_games_of_such_deals_keep_the_books_and_go_on_alike_from_every_snapshot(ruleset: str) -> None:
    play, *resumed = bargaining(ruleset, f"bargains of {ruleset}")
    ends = {event.facts["how"] for event in play.events if event.kind == "deal-ended"}
    assert len(ends) >= 3
    assert not any(deal.terms.escrow for deal in play.state.deals if deal.terms)
    for again in resumed:
        first = again.events[0].number
        assert again.events == play.events[first:]
        assert again.state == play.state


@pytest.mark.clause("WBC.XIII.7")
def test_to_all_others_a_game_with_secret_deals_is_the_game_without_them() -> None:
    """A random game is played again without the secret deals of two players; the other four see the same game."""
    rules, seed = load_rule_set("wbc-2018"), "a secret"
    seats = random_seats(seed, FACTIONS)
    play, other = Play.start(rules, seed, seats), Play.start(rules, seed, seats)
    player, alike = RandomPlayer(seed), RandomPlayer(seed)
    onlookers: tuple[Viewer, ...] = ("atreides", "bene-gesserit", "emperor", "fremen", "public")
    stops = 0
    while not play.over and play.state.turn < 4:
        if play.state.phase not in ("setup", "collection") and stops % 7 == 0:
            _conspire(play)
        for onlooker in onlookers:
            assert _seen(play, onlooker) == _seen(other, onlooker)
        for game, who in ((play, player), (other, alike)):
            question = game.questions()[0]
            game.submit(question.faction, [who.answer(question)])
            game.advance()
        stops += 1
    assert told(play, "deal-made")
    assert told(play, "deal-ended")


def _conspire(play: Play) -> None:
    order: Order = Deal("harkonnen", "between us", broken_if=PublicFact("nexus"), until=play.state.turn, secret=True)
    if play.check("guild", order).status == "accepted":
        play.submit("guild", [order])
        play.submit("harkonnen", [Accept()])


def _seen(play: Play, onlooker: Viewer) -> object:
    events = [event for event in play.events if event.visible_to(onlooker)]
    told = [(event.turn, event.phase, event.kind, event.seen_by(onlooker)) for event in events]
    return told, view(play, onlooker), play.stop_names


@pytest.mark.parametrize(("bargains", "more"), [(0, []), (1, [100])])
def test_who_makes_no_bargains_draws_nothing_for_them(
    bargains: int, more: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random players without bargains therefore play as they did before bargains existed."""
    player, drawn = RandomPlayer("x", bargains=bargains), list[int]()

    def last(size: int) -> int:
        drawn.append(size)
        return size - 1

    monkeypatch.setattr(player, "_draw", last)
    play = four()
    assert player.impulse(play, "guild") is None
    assert drawn == [100, *more]
