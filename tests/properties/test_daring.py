"""Tests for the players in long runs: preferences, uses of a Karama, and sheets that replace a live player."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from bot.lab import soak_sheets
from bot.lab.occurrences import EASY, RAREST, TOUCHED, Occurrences, karama_effects, may_hold, wishes_for
from bot.lab.soak import Failure, Setting, SoakResult, setting, settings
from bot.lab.soak_players import LASGUN, SHIELD, DaringPlayer, Habit, LivePlayer, has_karama
from bot.lab.soak_sheets import SheetComparison
from bot.lab.tournaments import play_by_lot
from bot.language.conditions import Comparison
from bot.language.facts import Measure, number_of
from bot.language.sheets import SheetLine
from rules.cards.special_cards import GHOLA
from rules.components import FACTIONS, KARAMA, Card, Forces
from rules.components.board import Area
from rules.engine.catalogue import load_rule_set
from rules.engine.log import Submitted
from rules.orders import (
    Ally,
    Answer,
    Bid,
    BidKarama,
    BidUpTo,
    EmperorGives,
    Karama,
    Move,
    NoAlliance,
    NoMove,
    NoRevival,
    Order,
    Pass,
    Plan,
    Predict,
    Redraw,
    Revive,
    Ship,
    Voice,
)
from rules.state.state import Player, State

EXPANSION = (("expansion", "ixians-tleilaxu"),)
TIMES = 200
ARRAKEEN, CARTHAG, SAND = Area("arrakeen/10"), Area("carthag/11"), Area("the-great-flat/15")


def asked(
    kind: str, samples: Sequence[Order], default: Order, *, faction: str = "atreides",
    legal: Callable[[Order], bool] = lambda order: True, blanket: bool = False,
) -> Any:  # fmt: skip
    """Return a question as a player sees it."""
    return SimpleNamespace(
        kind=kind, faction=faction, default=default, blanket=blanket, samples=lambda: list(samples),
        refusal=lambda order: None if legal(order) else "no", facts={"top": 0, "number": 1},
    )  # fmt: skip


def state() -> State:
    players = {
        faction: Player(faction, 1 + 3 * number, 5, reserves=Forces(10)) for number, faction in enumerate(FACTIONS)
    }
    made = State(players=players)
    made.forces = {ARRAKEEN: {"guild": Forces(2)}, CARTHAG: {"fremen": Forces(3)}, SAND: {"atreides": Forces(1)}}
    made.alliances = [("atreides", "fremen")]
    return made


def daring(seed: str = "spice", *wishes: Any, there: State | None = None) -> DaringPlayer:
    player = DaringPlayer(seed, impulses=35, strays=0, wishes=wishes)
    player._state = there or state()
    return player


def answers(question: Any, player: DaringPlayer | None = None) -> Counter[Order]:
    player = player or daring()
    return Counter(player.answer(question) for _ in range(TIMES))


SKIP = NoMove()


@pytest.mark.parametrize(
    ("kind", "rare", "usual"),
    [
        ("battle-plan", Plan(1, None, weapon=Card("Crysknife")), Plan(1, None)),
        ("battle-plan", Plan(1, None, defense=SHIELD), Plan(1, None, defense=Card("Snooper"))),
        ("revival", Revive(Forces(3, 1)), Revive(Forces(3))),
        ("truthtrance-answer", Answer("unknown"), Answer("yes")),
        ("prediction", Predict("guild", 2), Predict("guild", 3)),
        ("prediction", Predict("guild", 15), Predict("guild", 14)),
        ("nexus", Ally("harkonnen"), Ally("guild")),
        ("shipment", Ship(Forces(1), ARRAKEEN, None), Ship(Forces(1), None, SAND)),
        ("shipment", Ship(Forces(1), None, ARRAKEEN), Ship(Forces(1), None, SAND)),
        ("movement", Move(Forces(1), SAND, ARRAKEEN), Move(Forces(1), ARRAKEEN, CARTHAG)),
        ("redraw", Redraw(), Pass()),
    ],
)
def test_what_is_rare_or_leads_to_a_fight_is_given_oftener_than_what_is_usual(
    kind: str, rare: Order, usual: Order
) -> None:
    seldom_asked = kind in ("prediction", "revival")
    given = answers(asked(kind, [usual, usual, usual, rare], usual))
    assert given[rare] > (0.85 if seldom_asked else 0.4) * TIMES
    if not seldom_asked:
        assert given[rare] < 0.8 * TIMES
    neither = answers(asked(kind, [usual], usual))
    assert neither[usual] > 0.5 * TIMES


def test_whoever_is_harkonnen_likes_every_ally() -> None:
    samples = [Ally("guild"), NoAlliance(), NoAlliance(), NoAlliance()]
    liked = answers(asked("nexus", samples, NoAlliance(), faction="harkonnen"))[Ally("guild")]
    assert liked > 0.5 * TIMES > answers(asked("nexus", samples, NoAlliance()))[Ally("guild")]


@pytest.mark.parametrize("spends", [Bid(3, karama=True), BidKarama()])
def test_a_karama_is_seldom_spent_on_a_bid_and_hardly_where_it_is_kept_for_a_scene(spends: Order) -> None:
    question = asked("bid", [spends], Pass())
    seldom = answers(question)[spends]
    assert 0.02 * TIMES < seldom < 0.35 * TIMES
    kept = daring()
    kept.play_out((), lambda order: True)
    kept._sparing = True
    assert answers(question, kept)[spends] < 0.1 * TIMES
    assert answers(asked("bid", [Bid(3)], Pass()))[Bid(3)] > 0.5 * TIMES


def test_players_of_a_scene_give_the_answers_that_it_prefers_each_kind_as_often() -> None:
    player = daring()
    player.play_out((Bid, Pass, BidKarama), lambda order: order != Bid(2))
    samples = [Bid(1), Bid(2), Bid(3), Bid(4), Bid(5), Pass(), BidKarama(), NoMove()]
    given = answers(asked("bid", samples, NoMove()), player)
    assert set(given) == {Bid(1), Bid(3), Bid(4), Bid(5), Pass()}
    assert 0.35 * TIMES < given[Pass()] < 0.65 * TIMES
    assert answers(asked("movement", [NoMove()], NoMove()), player) == {NoMove(): TIMES}
    wanted = daring()
    wanted.play_out((Move,), lambda order: True)
    moves = [Move(Forces(1), SAND, CARTHAG), Move(Forces(1), SAND, ARRAKEEN)]
    assert answers(asked("movement", moves, NoMove()), wanted) == {moves[1]: TIMES}, "an ally stands in Carthag"


PLAN = Plan(2, None, weapon=None, defense=Card("Snooper"), spice=1)


def test_a_plan_is_often_odd_in_many_ways_and_always_legal() -> None:
    samples = [PLAN]
    given = answers(asked("battle-plan", samples, PLAN))
    assert given[PLAN] > 0.4 * TIMES
    odd = [order for order in given if order != PLAN and isinstance(order, Plan)]
    assert any(order.leader is order.weapon is order.defense is None for order in odd)
    assert any(order.leader is not None and order.weapon is None for order in odd)
    assert any(order.kwisatz_haderach for order in odd)
    assert any(order.dial > 2 or order.spice > 1 for order in odd)
    assert all(2 <= order.dial <= 5 and 1 <= order.spice <= 3 for order in odd)
    assert len({order.weapon for order in odd}) > 3
    only = answers(asked("battle-plan", samples, PLAN, legal=lambda order: order == PLAN))
    assert only == {PLAN: TIMES}
    bare = Plan(2, None)
    filled = answers(asked("battle-plan", [bare], bare))
    assert any(isinstance(one, Plan) and one.defense == "Baliset" and one.weapon is None for one in filled)


@pytest.mark.parametrize(
    ("faction", "legal", "given"),
    [
        ("atreides", lambda order: True, {"weapon": LASGUN, "defense": SHIELD, "kwisatz_haderach": True}),
        ("atreides", lambda order: not (order.kwisatz_haderach and order.defense), {
            "weapon": LASGUN, "defense": None, "kwisatz_haderach": True,
        }),
        ("atreides", lambda order: not order.kwisatz_haderach, {
            "weapon": LASGUN, "defense": PLAN.defense, "kwisatz_haderach": False,
        }),
        ("guild", lambda order: True, {"weapon": LASGUN, "defense": SHIELD, "kwisatz_haderach": False}),
    ],
)  # fmt: skip
def test_who_holds_a_lasgun_likes_an_explosion(
    faction: str, legal: Callable[[Any], bool], given: dict[str, object]
) -> None:
    there = state()
    there.players[faction].hand = [LASGUN]
    player = daring(there=there)
    player.play_out((), lambda order: True)
    found = answers(asked("battle-plan", [PLAN], PLAN, faction=faction, legal=legal), player)
    explosive = {one: times for one, times in found.items() if isinstance(one, Plan) and one.weapon == LASGUN}
    (most,) = [one for one, times in explosive.items() if times == max(explosive.values())]
    assert {name: getattr(most, name) for name in given} == given
    assert (most.dial, most.spice) == (PLAN.dial, PLAN.spice)
    assert explosive[most] > 0.5 * TIMES


def test_a_card_that_counts_only_beside_another_is_played_beside_one() -> None:
    for card, weapon, defense in (("Chemistry", "Chemistry", "Snooper"), ("Weirding Way", "Crysknife", "Weirding Way")):
        there = state()
        other = defense if card == weapon else weapon
        there.players["guild"].hand = [Card(card), Card(other)]
        samples = [Plan(2, None)]
        pairs = ((None, None), (weapon, defense))

        def legal(order: Any, pairs: Sequence[tuple[str | None, str | None]] = pairs) -> bool:
            return (order.weapon, order.defense) in pairs

        question = asked("battle-plan", samples, samples[0], faction="guild", legal=legal)
        both = Plan(2, None, weapon=Card(weapon), defense=Card(defense))
        assert answers(question, daring(there=there))[both] > 0.3 * TIMES
        there.players["guild"].hand = [Card(card)]
        assert answers(question, daring(there=there))[both] == 0, "not beside itself"


def test_a_command_of_the_voice_may_name_one_card_where_that_is_legal() -> None:
    spoken = Voice("guild", "lasgun", play=False)
    given = answers(asked("voice", [spoken], spoken))
    exact = [order for order in given if isinstance(order, Voice) and order.kind[0].isupper()]
    assert 0.1 * TIMES < sum(given[order] for order in exact) < 0.35 * TIMES
    assert len(exact) > 5
    refused = answers(asked("voice", [spoken], spoken, legal=lambda order: order == spoken))
    assert refused == {spoken: TIMES}
    assert set(answers(asked("voice", [Pass()], Pass()))) == {Pass()}


def test_a_worthless_card_is_a_karama_for_the_bene_gesserit_alone() -> None:
    held = [("guild", [KARAMA], True), ("guild", [Card("Baliset")], False), ("bene-gesserit", [Card("Baliset")], True),
            ("bene-gesserit", [Card("Shield")], False), ("bene-gesserit", [KARAMA], True)]  # fmt: skip
    for faction, hand, able in held:
        assert has_karama(Player(faction, 1, hand=hand)) is able


# --- Wishes ----------------------------------------------------------------------------------------------------------


def wished(ruleset: str, factions: Sequence[str], options: Any = (), games: int = 400) -> Counter[str]:
    rules = Setting(ruleset, "", (), options=options).rules
    return Counter(wish for number in range(games) for wish in wishes_for(rules, f"{number}", tuple(factions)))


def test_effects_are_wished_for_that_somebody_of_the_game_can_bring_about() -> None:
    rules = load_rule_set("wbc-2018")
    found = wished("wbc-2018", FACTIONS)
    assert set(found) == set(karama_effects(rules)) - EASY
    assert found.total() == 400, "one in a game"
    few = wished("wbc-2018", ("guild", "emperor"))
    assert {TOUCHED.get(wish, "guild") for wish in few} == {"guild", "emperor"}  # type: ignore[call-overload]
    assert not few.keys() & {"cancel gift", "cancel ally rate"}, "there are no alliances among two"
    four = wished("gf9-advanced", ("guild", "emperor", "fremen", "atreides"))
    three = wished("gf9-advanced", ("guild", "emperor", "fremen"))
    assert four["cancel gift"] > 20
    assert three["cancel gift"] == 0
    assert four["cancel gift"] > 1.3 * four["cancel sardaukar"] > 1.69 * four["cancel shipping payment"]
    assert "cancel sardaukar" in RAREST


def test_with_an_expansion_two_effects_are_wished_for_and_what_is_less_often_there_too() -> None:
    factions = (*FACTIONS[:4], "ixians", "tleilaxu")
    found = wished("gf9-advanced", factions, EXPANSION)
    assert 400 < found.total() <= 800
    rules = Setting("gf9-advanced", "", (), options=EXPANSION).rules
    assert all(1 <= len(set(wishes_for(rules, f"{n}", factions))) <= 2 for n in range(20))
    eight = wished("gf9-advanced", ("emperor", "guild", "ixians", "tleilaxu"), EXPANSION)
    assert {"cancel card payment", "guild in turn"} <= set(eight)
    assert {"block spice card", "free card purchase"}.isdisjoint(eight)
    nobody = wishes_for(load_rule_set("wbc-2018"), "x", ())
    assert len(nobody) == 1, "somebody must wish for something"


def test_a_karama_cancels_what_others_do_and_a_special_one_is_ones_own() -> None:
    assert may_hold("see plan", "atreides")
    assert not may_hold("see plan", "guild")
    assert not may_hold("cancel voice", "bene-gesserit")
    assert may_hold("cancel voice", "guild")
    assert may_hold("half shipping", "guild")


# --- Live players ----------------------------------------------------------------------------------------------------


def question(kind: str, faction: str, top: int | None, *, legal: bool = True) -> Any:
    return SimpleNamespace(
        kind=kind, faction=faction, facts={"top": top, "number": 3}, refusal=lambda order: None if legal else "no"
    )


@pytest.mark.parametrize(
    ("turn", "asked_of", "answers_it"),
    [
        (2, question("bid", "guild", 6), True),
        (4, question("bid", "guild", 6), True),
        (1, question("bid", "guild", 6), False),
        (5, question("bid", "guild", 6), False),
        (3, question("bid", "guild", 5), False),
        (3, question("bid", "guild", None), False),
        (3, question("bid", "fremen", 6), False),
        (3, question("charity", "guild", 6), False),
        (3, question("bid", "guild", 6, legal=False), False),
    ],
)
def test_a_habit_answers_in_its_turns_above_its_price(turn: int, asked_of: Any, answers_it: bool) -> None:
    assert Habit("guild", "bid", Pass(), 2, 4, over=5).answers(asked_of, turn) is answers_it


def test_a_habit_is_written_as_a_standing_line() -> None:
    above = Comparison(number_of("price {test}"), (), Measure(">", 5))
    assert Habit("guild", "bid", Pass(), 2, 4, 5).line == SheetLine(Pass(), above, standing=True)
    assert Habit("guild", "bid", Pass(), 2, 4, 0).line.condition == Comparison(above.number, (), Measure(">", 0))
    assert Habit("guild", "revival", NoRevival(), 2, 4).line == SheetLine(NoRevival(), None, standing=True)
    always = Habit("guild", "revival", NoRevival(), 2, 4)
    assert always.answers(question("revival", "guild", None), 3)


def test_of_several_habits_the_one_of_the_turn_counts() -> None:
    player = LivePlayer("spice", impulses=0)
    early, late = Habit("guild", "bid", Pass(), 1, 2), Habit("guild", "bid", Pass(), 3, 4, 2)
    player.habits = [early, Habit("fremen", "bid", Pass(), 1, 9), late]
    assert [player.habit_for("guild", "bid", turn) for turn in range(6)] == [None, early, early, late, late, None]
    assert player.habit_for("guild", "charity", 1) is None


def test_live_players_have_habits_and_limits_as_often_as_people() -> None:
    bids, habits, turns = [], [], 0
    for number in range(3):
        game = setting("ah-basic", f"habits {number}", 4)
        play, player = game.start(), LivePlayer(f"{number}", impulses=0)
        for phase in soak_sheets._play_live(play, player):
            bids += [said for said in phase.said if said.cap]
        habits += player.habits
        turns += 4 * play.state.turn
        for habit in player.habits:
            again = [one for one in player.habits if one.faction == habit.faction and one is not habit]
            assert all(one.last < habit.first or habit.last < one.first for one in again), "one at a time"
        assert all(isinstance(entry, Submitted) for entry in play.log)
    assert {habit.last - habit.first for habit in habits} == {1, 2, 3}
    assert all((habit.over is not None) == (habit.kind == "bid") for habit in habits)
    assert {habit.over for habit in habits if habit.over is not None} <= set(range(5))
    assert 0.05 < len(habits) / turns < 0.3
    caps = [said.cap for said in bids]
    assert {said.how for said in bids} == {"cap", "kept"}
    assert all(said.card > 0 for said in bids)
    for said, cap in zip(bids, caps, strict=True):
        assert cap is not None
        assert 1 <= cap.limit <= 9
        assert cap.step in (1, 2, 3)
        assert 0 <= cap.first <= cap.limit
        if isinstance(said.order, Bid):
            assert said.order.amount <= cap.limit
    assert {cap.step for cap in caps if isinstance(cap, BidUpTo)} == {1, 2, 3}


def test_what_came_of_games_by_sheets_is_added_up() -> None:
    found = SheetComparison(1, 2, 3, 4, 5, 6, "first")
    found.add(SheetComparison(10, 20, 30, 40, 50, 60, "second"))
    assert found == SheetComparison(11, 22, 33, 44, 55, 66, "first")


# --- Runs ------------------------------------------------------------------------------------------------------------


def test_every_second_game_begins_late_and_each_has_its_seed() -> None:
    games = settings("ah-basic", "tests", 6)
    assert [game.late for game in games] == [False, True] * 3
    assert [game.seed for game in games] == [f"tests {number}" for number in range(6)]
    assert all(game.wishes for game in games)
    drawn = {game.factions for number in range(20) for game in settings("ah-basic", f"{number}", 1)}
    assert len(drawn) > 5, "who plays follows from the seed"


def test_scenes_come_in_turn_and_whole_games_of_two_to_six_between_them() -> None:
    games = settings("gf9-advanced", "tests", 111, EXPANSION)
    whole = [game for game in games if not game.scene]
    assert [games.index(game) for game in whole] == list(range(0, 111, 10))
    assert [len(game.factions) for game in whole] == [2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 2, 3]
    assert [game.late for game in whole] == [False, True] * 6
    scenes = [game.scene for game in games if game.scene]
    once = list(dict.fromkeys(scenes))
    assert scenes[: len(once)] == once, "each before one comes again"
    assert all(game.options == EXPANSION for game in games)


def test_what_became_of_some_games_is_added() -> None:
    rules = load_rule_set("ah-basic")
    one, other = SoakResult(Occurrences(rules), 2), SoakResult(Occurrences(rules), 3)
    other.failures = [Failure(setting("ah-basic", "x", 2), "lost")]
    other.occurred.events["nexus"] = 4
    one.add(other)
    assert (one.games, one.failures, one.occurred.events["nexus"]) == (5, other.failures, 4)


# --- Tournaments by lot ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("entrants", "semifinal"), [(12, 0), (36, 0), (48, 36)])
def test_a_tournament_by_lot_has_its_heats_a_semifinal_of_the_best_if_large_and_a_final_of_six(
    entrants: int, semifinal: int
) -> None:
    made = play_by_lot(entrants, "spice", heats=2)
    published = made.published
    kinds = ["heat", "heat", *(["semifinal"] if semifinal else []), "final"]
    assert [(one.number, one.kind) for one in published.rounds] == list(enumerate(kinds, 1))
    seated = [[handle for table in one.tables for _, handle in table.seats] for one in published.rounds]
    assert len(seated[-1]) == 6
    assert semifinal == 0 or len(seated[-2]) == semifinal
    assert set(seated[-1]) <= set(seated[-2]) if semifinal else True
    assert published.state == "finished"
    assert len(published.entrants) == entrants == len(published.standings)
    assert [entrant.handle for entrant in published.entrants] == [f"E{n:03d}" for n in range(1, entrants + 1)]
    assert {entrant.state for entrant in published.entrants} == {"out"}
    assert published.secret == "secret of spice"
    assert made.difference == ""
    parts = ["draw of heats", "standings", *(["draw of semifinals"] if semifinal else []), "draw of finals", "ratings",
             "export", "verify"]  # fmt: skip
    assert list(made.seconds) == parts
    assert all(took > 0 for took in made.seconds.values())
    for result in published.results:
        outcome = result.outcome
        assert result.state == "confirmed"
        assert result.day == outcome.ended
        assert 1 <= outcome.turn <= 10
        many = {"void": 0, "stronghold": None, "default": 1, "prediction": 1, "adjudicated": 2}[outcome.kind]
        assert many is None or len(outcome.winners) == many
        assert outcome.alliances == ((outcome.winners,) if len(outcome.winners) > 1 else ())
        assert all(seat.strongholds_over_turns == seat.strongholds * outcome.turn for seat in outcome.seats)
        assert all(0 <= seat.strongholds <= 2 for seat in outcome.seats)
    met = Counter(
        frozenset((one, other))
        for each in published.rounds[:2]
        for table in each.tables
        for _, one in table.seats
        for _, other in table.seats
        if one < other
    )
    assert made.met_again == sum(times > 1 for times in met.values())


# --- Submissions at a stop -------------------------------------------------------------------------------------------


class Stop:
    """A game at a stop, which records submitted orders."""

    def __init__(self, *questions: Any, turn: int = 3) -> None:
        self.state, self._questions = state(), questions
        self.state.turn = turn
        self.game = SimpleNamespace(rules=load_rule_set("wbc-2018"), state=self.state)
        self.done: list[Any] = []

    def questions(self) -> Sequence[Any]:
        return self._questions

    def submit(self, faction: str, orders: Any) -> None:
        self.done.append((faction, list(orders)))

    def advance(self) -> None:
        self.done.append("goes on")


def acted(player: DaringPlayer, stop: Stop) -> Counter[str]:
    """Let the player act several times, and count the submitted orders."""
    for _ in range(TIMES):
        player.act(stop)  # type: ignore[arg-type]  # has what is asked of it
    assert stop.done[1::2] == ["goes on"] * TIMES
    return Counter(f"{faction}: {orders[0]}" for faction, orders in stop.done[::2])


@pytest.mark.parametrize(
    ("wishes", "scene", "least", "most"),
    [(["worm"], False, 0.6, 0.8), (["worm", "hms"], False, 0.84, 0.97), (["worm"], True, 0.84, 0.97)],
)
def test_what_is_wished_is_played_in_most_cases_as_soon_as_it_can_be(
    monkeypatch: pytest.MonkeyPatch, wishes: list[Any], scene: bool, least: float, most: float
) -> None:
    player = daring("x", *wishes)
    if scene:
        player.play_out((Pass,), lambda order: True)
    monkeypatch.setattr(player, "_wished", lambda play: ("guild", ["the wish"]))
    monkeypatch.setattr(player, "impulse", lambda play, faction: None)
    found = acted(player, Stop(asked("bid", [Bid(1)], Pass(), blanket=False)))
    assert least * TIMES < found["guild: the wish"] < most * TIMES


def test_what_a_scene_prefers_is_given_to_what_all_are_asked_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DaringPlayer, "_wished", lambda self, play: None)
    monkeypatch.setattr(DaringPlayer, "impulse", lambda self, play, faction: None)
    monkeypatch.setattr(DaringPlayer, "answer", lambda self, question: "an answer")
    blanket = asked("bid", [Bid(1), NoMove()], Pass(), faction="guild", blanket=True)
    blanket.key = ("guild", "bid", "")
    single = asked("bid", [Bid(2)], Pass(), faction="fremen")
    player = daring()
    player.play_out((Bid,), lambda order: True)
    stop = Stop(blanket, single)
    stop.expire = lambda keys: stop.submit("silence", [keys[0][1]])  # type: ignore[attr-defined]
    found = acted(player, stop)
    assert 0.5 * TIMES < found[f"guild: {Bid(1)}"] < 0.75 * TIMES
    usual_ways = {"fremen: an answer", "guild: an answer", "silence: bid"}
    assert set(found) == {f"guild: {Bid(1)}"} | (usual_ways & set(found))
    usual = daring()
    stop = Stop(blanket, single)
    stop.expire = lambda keys: stop.submit("silence", [keys[0][1]])  # type: ignore[attr-defined]
    assert set(acted(usual, stop)) == usual_ways


def test_in_a_reaction_window_they_think_of_their_cards_twice_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DaringPlayer, "_wished", lambda self, play: None)
    monkeypatch.setattr(DaringPlayer, "impulse", lambda self, play, faction: f"a card of {faction}")
    monkeypatch.setattr(DaringPlayer, "answer", lambda self, question: "an answer")
    shares = []
    for kind in ("bid", "karama-window"):
        stop = Stop(asked(kind, [Bid(1)], Pass(), faction="fremen"))
        for holder, card in (("guild", KARAMA), ("harkonnen", Card("Truthtrance")), ("atreides", GHOLA)):
            stop.state.players[holder].hand = [card]
        stop.state.players["emperor"].spice = 3
        player = DaringPlayer("x", impulses=20, strays=0)
        found = acted(player, stop)
        thought = Counter({who: times for who, times in found.items() if "a card of" in who})
        own = {f"{who}: a card of {who}" for who in ("guild", "harkonnen", "atreides", "emperor")}
        assert own <= set(thought) <= own | {"fremen: a card of fremen"}
        shares.append(sum(thought[who] for who in own) / TIMES)
    assert 0.12 < shares[0] < 0.3
    assert 0.3 < shares[1] < 0.52


@pytest.mark.parametrize(("turn", "sparing"), [(1, True), (14, True), (15, False)])
def test_with_several_wishes_they_are_sparing_until_the_last_turn(
    monkeypatch: pytest.MonkeyPatch, turn: int, sparing: bool
) -> None:
    monkeypatch.setattr(DaringPlayer, "_wished", lambda self, play: ("guild", ["x"]))
    last = Setting("wbc-2018", "", ()).rules.option("max_turns")
    stop = Stop(asked("bid", [Bid(1)], Pass()), turn=int(last) - 15 + turn)
    for wishes, spares in ((("worm", "hms"), sparing), (("worm",), False), ((), False)):
        player = daring("x", *wishes)
        monkeypatch.setattr(player, "impulse", lambda play, faction: None)
        player.act(stop)  # type: ignore[arg-type]
        assert player._sparing is spares
    of_a_scene = daring("x", "worm")
    of_a_scene.play_out((Pass,), lambda order: True)
    monkeypatch.setattr(of_a_scene, "impulse", lambda play, faction: None)
    of_a_scene.act(stop)  # type: ignore[arg-type]
    assert of_a_scene._sparing


@pytest.mark.parametrize(
    ("order", "faction", "wishes", "sparing", "liking"),
    [
        (EmperorGives(1, "guild"), "emperor", (), False, 15),
        (EmperorGives(1, "guild"), "emperor", ("cancel gift",), False, 100),
        (Pass(), "guild", (), True, 100),
        (Karama("worm"), "fremen", ("worm",), True, 100),
        (Karama("worm"), "bene-gesserit", ("cancel karama",), True, 60),
        (Karama("worm"), "fremen", ("cancel karama",), True, 2),
        (Karama("worm"), "fremen", (), True, 2),
        (Karama("free card purchase"), "fremen", (), True, 0),
        (Karama("worm"), "fremen", (), False, 12),
        (Karama("cancel flip"), "fremen", (), False, 1),
        (Karama("free card purchase"), "fremen", (), False, 12),
    ],
)
def test_how_much_a_play_is_liked(
    order: Order, faction: str, wishes: tuple[Any, ...], sparing: bool, liking: int
) -> None:
    player = daring("x", *wishes)
    player._sparing = sparing
    assert player._liking(order, faction) == liking
