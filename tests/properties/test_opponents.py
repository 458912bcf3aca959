"""Tests that opponents choose only from what their seat may know, and never hold up a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from bot.lab.matches import Match, Tuning, play_match, tune, wilson
from bot.lab.soak import Setting, setting
from rules.components import FACTIONS, Card, Faction, Forces
from rules.components.chance import Chance
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.opponents import Opponent, answer, answer_next, asked_of, heard_by
from rules.orders import BreakAlliance, Deal, NoAlliance, Order, Plan, Ship, encode
from rules.orders.readings import EachOf, NotSo, PublicFact
from rules.players import POLICIES, TEMPERAMENTS, Asked, Heard, Memory, Temperament, choose, weights_of
from rules.players.fight import dials, meet
from rules.players.worth import Worth, at_least
from rules.random_players import MOST_STOPS, random_seats
from rules.rulesets.ruleset import RULE_SETS
from rules.state.events import Event
from tests.properties.random_games import plain_player
from tests.properties.twins import Leak, compare
from tests.rules.stage import at, say, told, until
from tests.size import SLOW, size

WITH_EXPANSION = (("expansion", "ixians-tleilaxu"),)
RIVALS: tuple[Temperament, ...] = ("steady", "sharp", "careful", "plain")


def choices(temperament: Temperament, before: list[Event]) -> Callable[[Play, Faction], dict[str, Any]]:
    def of(play: Play, viewer: Faction) -> dict[str, Any]:
        opponent = Opponent(viewer, temperament, "a seed of its own")
        first = play.state.events - len(play.events)
        events = [*before[:first], *play.events]
        return {
            f"choice {question.key}": list(map(encode, opponent.orders(play, question, events)))
            for question in play.questions()
            if question.faction == viewer
        }

    return of


def pairs_of(game: Setting, temperament: Temperament, phases: int) -> set[str]:
    play, player, chance = game.start(), plain_player(game), Chance(f"rivals {game.seed}", {})
    seats = {faction: Opponent(faction, "steady", f"{game.seed} {faction}") for faction in game.factions}
    compared, snapshot, seen = set[str](), None, 0
    for _ in range(MOST_STOPS):
        if play.over or seen >= phases:
            return compared
        if play.snapshot is not snapshot:
            snapshot, seen = play.snapshot, seen + 1
            viewer = chance.pick("viewer", list(play.state.players))
            asking = choices(temperament, list(play.events))
            compared.add(compare(play.game.rules, game.seed, snapshot, viewer, chance, 30, asking))
        if chance.draw("who", 3):
            answer_next(play, seats)
        else:
            player.act(play)
    return compared


@pytest.mark.parametrize("ruleset", ["wbc-2018", "gf9-advanced"])
@pytest.mark.parametrize("temperament", ["steady", "sharp", "plain"])
def test_what_is_hidden_from_a_seat_changes_nothing_that_its_opponent_does(
    ruleset: str, temperament: Temperament
) -> None:
    compared = pairs_of(setting(ruleset, f"rivals {temperament}", 6), temperament, size(14, 400))
    assert len(compared - {""}) >= 4


def test_a_peek_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Opponent.orders

    def peeking(self: Opponent, play: Play, *more: Any) -> Any:
        others = [player for player in play.state.players.values() if player.faction != self.faction]
        return honest(self, play, *more) * (1 + sum(len("".join(other.hand)) + other.spice for other in others))

    monkeypatch.setattr(Opponent, "orders", peeking)
    with pytest.raises(Leak):
        pairs_of(setting("wbc-2018", "peeking", 6), "plain", 60)


def whole_game(game: Setting, temperament: Temperament) -> Play:
    play = game.start()
    seats = {faction: Opponent(faction, temperament, f"{game.seed} {faction}") for faction in game.factions}
    for _ in range(MOST_STOPS):
        if play.over:
            return play
        answer_next(play, seats)
    raise AssertionError(f"still in turn {play.state.turn}")


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_opponents_play_every_rule_set_to_its_end(ruleset: str) -> None:
    for number in range(size(1, 20)):
        for temperament in TEMPERAMENTS:
            players = 2 + (number + len(temperament)) % 5
            assert whole_game(setting(ruleset, f"whole {number}", players), temperament).state.winners


def test_opponents_play_with_the_expansion() -> None:
    game = setting("gf9-advanced", "whole", 6, WITH_EXPANSION)
    assert whole_game(game, "steady").state.winners


def test_a_game_of_opponents_is_the_same_each_time_and_after_a_restart() -> None:
    game = setting("wbc-2018", "again", 4)
    one, other = whole_game(game, "steady"), game.start()
    for _ in range(MOST_STOPS):
        if other.over:
            break
        seats = {faction: Opponent(faction, "steady", f"{game.seed} {faction}") for faction in game.factions}
        answer_next(other, seats)  # these seats know only what is in their events
    assert one.log == other.log


def test_memory_of_all_events_is_memory_of_the_first_ones_continued() -> None:
    events = whole_game(setting("wbc-2018", "memory", 6), "plain").events
    for seat in FACTIONS:
        whole, parts = Memory(seat), Memory(seat)
        whole.learn(heard_by(events, seat))
        for start in range(0, len(events), 37):
            parts.learn(heard_by(events[start : start + 37], seat))
        assert whole == parts


def test_memory_keeps_what_was_paid_in_the_open() -> None:
    play = whole_game(setting("wbc-2018", "paid", 6), "steady")
    memory = Memory("atreides")
    memory.learn(heard_by(play.events, "atreides"))
    known = {faction: player.spice for faction, player in play.state.players.items()}
    assert memory.spice.keys() == known.keys()
    assert sum(abs(memory.spice[faction] - spice) <= 3 for faction, spice in known.items()) >= 4


def test_an_opponent_answers_a_question_that_nobody_foresaw() -> None:
    rules = load_rule_set("wbc-2018")
    play = Play.start(rules, "odd", random_seats("odd", FACTIONS))
    question = play.questions()[0]
    opponent = Opponent(question.faction, "steady", "seed")
    asked = Asked("bid", "", {"unheard": 1}, question.default, list, lambda order: True)
    assert opponent.orders(play, question)[-1] == question.default
    seat = opponent.seat(play, asked)
    assert choose(asked, seat) == [question.default]


STRANGE: tuple[dict[str, Any], ...] = (
    {},
    {"unheard": 1},
    dict.fromkeys(("top", "means", "price", "most", "spice", "opponent", "cards", "leaders", "territory", "pools")),
    {"top": "much", "spice": -3, "opponent": "smugglers", "leaders": ["Nobody"], "territory": "atlantis", "cards": 7},
)


@pytest.mark.parametrize("temperament", TEMPERAMENTS)
def test_strange_facts_give_the_default(temperament: Temperament) -> None:
    play = Play.start(load_rule_set("wbc-2018"), "odd", random_seats("odd", FACTIONS))
    question = play.questions()[0]
    opponent = Opponent(question.faction, temperament, "seed")
    kinds: list[Any] = [*POLICIES, "a kind of a test"]
    for kind in kinds:
        for facts in STRANGE:
            for subject in ("", "atlantis", "smugglers"):
                asked = Asked(kind, subject, facts, question.default, list, lambda order: order == question.default)
                assert choose(asked, opponent.seat(play, asked), temperament) == [question.default]


@pytest.mark.parametrize(
    "fault", [AssertionError, AttributeError, KeyError, OverflowError, TypeError, ZeroDivisionError]
)
def test_a_policy_that_fails_gives_the_default(monkeypatch: pytest.MonkeyPatch, fault: type[Exception]) -> None:
    def late(*_: object) -> Iterator[Order]:
        raise fault("unforeseen")
        yield

    play = Play.start(load_rule_set("wbc-2018"), "odd", random_seats("odd", FACTIONS))
    question = play.questions()[0]
    opponent = Opponent(question.faction, "steady", "seed")
    monkeypatch.setitem(cast(dict[str, Any], POLICIES), question.kind, late)
    assert opponent.orders(play, question) == [question.default]


def test_a_rule_that_fails_on_an_order_gives_the_default() -> None:
    def permits(order: Order) -> bool:
        raise LookupError("no such place")

    play = Play.start(load_rule_set("wbc-2018"), "odd", random_seats("odd", FACTIONS))
    question = play.questions()[0]
    opponent = Opponent(question.faction, "steady", "seed")
    asked = asked_of(play, question)._replace(permits=permits)
    assert choose(asked, opponent.seat(play, asked)) == [question.default]


def test_memory_outlives_events_whose_facts_it_does_not_know() -> None:
    memory = Memory("atreides")
    for kind in {event.kind for event in whole_game(setting("wbc-2018", "memory", 6), "plain").events}:
        memory.learn(
            [Heard(1, "bidding", kind, {}), Heard(1, "bidding", kind, {"faction": "smugglers", "price": None})]
        )
    assert memory.events > 20


def test_a_dial_needs_the_least_spice_that_makes_it() -> None:
    assert [(one.halves, one.spice) for one in dials(Forces(2), 2, True, 1)] == [(0, 0), (1, 0), (2, 0), (3, 1)]
    assert dials(Forces(1, 1), 2, False, 0)[-1].halves == 6


def test_a_lasgun_meets_a_shield() -> None:
    lasgun, shield, snooper = Card("Lasgun"), Card("Shield"), Card("Snooper")
    assert meet(lasgun, None, None, shield) == (True, True, True)
    assert meet(lasgun, None, None, snooper) == (False, True, False)
    assert meet(Card("Crysknife"), None, Card("Chaumas"), snooper) == (True, True, False)


def test_the_chance_to_hold_enough_counts_each_place_once() -> None:
    assert at_least((1.0, 1.0, 0.5), 3) == 0.5
    assert round(at_least((0.5, 0.5, 1.0), 2), 3) == 0.75
    assert at_least((1.0,), 2) == 0.0


def test_a_match_counts_shared_wins_in_parts_and_names_its_interval() -> None:
    done = list(play_match(Match("ah-basic", "steady", None, "match"), 3))[-1]
    assert done.games == 3
    assert done.wins <= 3
    assert abs(sum(done.shares.values()) - 3) < 1e-9
    low, high = wilson(285, 300)
    assert (round(low, 2), round(high, 2)) == (0.92, 0.97)


@pytest.mark.skipif(not SLOW, reason="a match of sixty games")
def test_one_steady_player_among_five_random_ones_wins_nearly_always() -> None:
    done = list(play_match(Match("wbc-2018", "steady", None, "nightly"), 60))[-1]
    assert done.wins >= 51  # by chance once in a thousand runs, if the true rate is 95%


def test_a_tuning_is_the_same_each_time_and_keeps_only_what_wins_more(monkeypatch: pytest.MonkeyPatch) -> None:
    tuning = Tuning("steady", "plain", "wbc-2018", "tuned", 1)
    assert tuning.share(weights_of("steady")) == tuning.share(weights_of("steady"))
    monkeypatch.setattr(Tuning, "share", lambda _, numbers: (numbers["bid"] / 10, 0.01))
    found = list(tune(tuning, ["bid", "keep"]))
    kept = [(name, value, is_kept) for name, value, _, _, is_kept in found[1:]]
    assert kept == [("bid", 1.5, True), ("keep", 7.5, False), ("keep", 3.333, False)]


# --- deals -----------------------------------------------------------------------------------------------------------

SEATS = {"emperor": 5, "guild": 8, "harkonnen": 11, "fremen": 14}
NOT_TO_ARRAKEEN = PublicFact("shipped-to", ("harkonnen", "arrakeen"))
LATER = PublicFact("turn", (), 5)


def offered(deal: Deal, temperament: Temperament = "steady") -> tuple[Play, Opponent]:
    """Let the Guild offer a deal to Harkonnen, who can win by shipping to Arrakeen; return the play and Harkonnen."""
    start: dict[str, Any] = {faction: {"spice": 12, "reserves": "10"} for faction in SEATS}
    start["harkonnen"]["forces"] = {"carthag/11": "6", "tueks-sietch/5": "4"}
    play = at("movement", storm=3, factions=list(SEATS), dots=SEATS, faction=start)
    say(play, "guild", deal)
    return play, Opponent("harkonnen", temperament, "a seed of its own")


def answered(play: Play, opponent: Opponent) -> Order | None:
    question = next(one for one in play.questions() if one.faction == "harkonnen" and one.kind == "offer")
    return answer(play, opponent, question)


@pytest.mark.parametrize(
    ("deal", "accepted"),
    [
        (Deal("harkonnen", "", i_pay=3), True),
        (Deal("harkonnen", "", you_pay=3), False),
        (Deal("harkonnen", "you help me when I ask", i_pay=5), False),  # words alone have no value
        (Deal("harkonnen", "not to Arrakeen", i_pay=6, broken_if=NOT_TO_ARRAKEEN, until=4), True),
        (Deal("harkonnen", "not to Arrakeen", i_pay=1, broken_if=NOT_TO_ARRAKEEN, until=4), False),
        (Deal("harkonnen", "you ship", i_pay=9, broken_if=EachOf((LATER, NotSo(NOT_TO_ARRAKEEN))), until=6), False),
        (Deal("harkonnen", "I stay away", broken_if=PublicFact("shipped-to", ("guild", "carthag")), until=4), True),
    ],
)
def test_an_opponent_accepts_a_deal_that_helps_and_that_it_can_keep(deal: Deal, *, accepted: bool) -> None:
    play, harkonnen = offered(deal)
    answered(play, harkonnen)
    assert bool(told(play, "deal-made")) == accepted


def test_a_careful_opponent_binds_nobody() -> None:
    play, harkonnen = offered(Deal("harkonnen", "", i_pay=3), "careful")
    answered(play, harkonnen)
    assert not told(play, "deal-made")


def test_an_opponent_keeps_its_promise_even_if_breaking_it_would_win() -> None:
    goals = []
    for text in ("not to Arrakeen", "you help me when I ask"):
        breaks = NOT_TO_ARRAKEEN if text == "not to Arrakeen" else None
        play, harkonnen = offered(Deal("harkonnen", text, i_pay=6, broken_if=breaks, until=4))
        answered(play, harkonnen)
        while not (asked := [one for one in play.questions() if one.key[:2] == ("harkonnen", "shipment")]):
            play.expire()
        orders = harkonnen.orders(play, asked[0])
        goals.append({str(one.target) for one in orders if isinstance(one, Ship)})
    assert not any(goal.startswith("arrakeen") for goal in goals[0])
    assert any(goal.startswith("arrakeen") for goal in goals[1])


def test_an_ally_is_left_for_a_victory_that_need_not_be_shared() -> None:
    forces = {"carthag/11": "7", "tueks-sietch/5": "6", "arrakeen/10": "7"}
    three = {faction: SEATS[faction] for faction in ("emperor", "harkonnen", "fremen")}
    start: dict[str, Any] = {faction: {"spice": 0, "reserves": "0", "tanks": "17"} for faction in three}
    start["harkonnen"] = {"forces": forces, "spice": 12}
    alliances = [["emperor", "harkonnen"]]
    seen = at("spice", storm=3, factions=list(three), dots=three, alliances=alliances, faction=start)
    asked = Asked("nexus", "", {"allies": ["emperor"], "others": ["fremen"]}, NoAlliance(), list, bool)
    found = {how: Opponent("harkonnen", how, "a seed").seat(seen, asked) for how in TEMPERAMENTS}
    assert choose(asked, found["sharp"], "sharp")[0] == BreakAlliance()
    assert choose(asked, found["steady"], "steady")[0] == NoAlliance()


# --- sharp -----------------------------------------------------------------------------------------------------------

RATES = (0.2, 0.7), (0.8, 0.4)
ONLY = ["Esmar Tuek", "Master Bewt", "Soo Soo Sook", "Guild Representative"]


def planned(temperament: Temperament, spice: int = 6, **emperor: Any) -> Plan:
    """Return the Emperor's plan against the Guild, whose only living leader is Staban Tuek."""
    places = {"emperor": {"spice": spice, "forces": {"carthag/11": "6"}, **emperor}}
    places["guild"] = {"spice": 5, "forces": {"carthag/11": "5"}, "dead_leaders": ONLY}
    play = at("battle", storm=3, factions=["emperor", "guild"], dots={"emperor": 5, "guild": 8}, faction=places)
    asked = next(one for one in until(play, "battle-plan") if one.faction == "emperor")
    plan = Opponent("emperor", temperament, "a seed").orders(play, asked)[0]
    assert isinstance(plan, Plan)
    return plan


def test_sharp_spends_nothing_on_a_battle_that_its_traitor_decides() -> None:
    assert planned("sharp", traitors=["Staban Tuek"]).spice == 0
    assert planned("sharp", traitors=["Esmar Tuek"]).dial > planned("sharp", traitors=["Staban Tuek"]).dial


def test_sharp_pays_with_what_it_has_too_much_of() -> None:
    rich = planned("sharp", spice=40)
    assert rich.spice >= rich.dial > 0  # with spice every token counts in full, so fewer are lost
    three = [next(one for one in dials(Forces(6), 2, True, 6, rates) if one.halves == 6) for rates in RATES]
    assert [(one.spice, one.lost) for one in three] == [(3, 3), (0, 6)]


def test_sharp_counts_on_an_ally_who_has_still_to_move() -> None:
    forces = {"carthag/11": "7", "tueks-sietch/5": "6", "arrakeen/10": "7"}
    seats = {faction: SEATS[faction] for faction in ("emperor", "harkonnen", "fremen")}
    start: dict[str, Any] = {"harkonnen": {"forces": forces, "spice": 3}, "fremen": {"forces": {"sietch-tabr/14": "5"}}}
    start["emperor"] = {"spice": 20, "reserves": "9"}
    play = at("spice", storm=3, factions=list(seats), dots=seats, alliances=[["emperor", "harkonnen"]], faction=start)
    asked = Asked("nexus", "", {"allies": ["emperor"], "others": ["fremen"]}, NoAlliance(), list, bool)
    near = {}
    for how in RIVALS[:2]:
        worth = Worth(Opponent("harkonnen", how, "a seed").seat(play, asked))
        near[how] = worth.of(worth.seat.groups, {}, 3, 0) - worth.of({}, {}, 3, 0)
    assert near["sharp"] > near["steady"] + 20
