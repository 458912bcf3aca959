"""Tests that sheet lines distinguish moments by what their player knows, and that a watched game reports faults."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from bot.lab import soak as run
from bot.lab import soak as watch
from bot.lab.occurrences import Occurrences
from bot.lab.soak import (
    Setting,
    SoakResult,
    WatchedEvents,
    check_questions,
    check_resume,
    open_questions,
    setting,
    settings,
    soak,
)
from bot.lab.soak_players import LivePlayer
from bot.lab.soak_sheets import Line, Moment, _holds, facts_of, lines_for
from bot.language.conditions import AllOf, Condition, Fact, Negation, all_of, holds, write_condition
from bot.language.facts import FACTS, number_of
from bot.language.knowledge import knowledge_of
from bot.language.sheets import AskMe
from rules.components import leaders_of
from rules.components.board import STRONGHOLDS
from rules.engine.catalogue import load_rule_set
from rules.orders import Bid, Order, Pass

PRICE, TURN, COUNT = (number_of(f"{what} {{test}}") for what in ("price", "turn", "question number"))
NEXUS, ATTACKING = number_of("nexus"), number_of("attacking")


def at(number: int, order: Order | AskMe | None, **values: int) -> Moment:
    named = {"price": PRICE, "turn": TURN, "count": COUNT, "nexus": NEXUS, "attacking": ATTACKING}
    return Moment(number, order, {(named[name], ()): value for name, value in values.items()})


def told(lines: list[Line]) -> list[tuple[str, object, list[int]]]:
    return [
        (write_condition(line.condition) if line.condition else "", line.order, [each.number for each in line.moments])
        for line in lines
    ]


@pytest.mark.parametrize(
    ("moments", "lines", "live"),
    [
        ([at(0, Bid(1), price=3)], [("", Bid(1), [0])], []),
        ([at(0, Bid(1), price=5), at(1, Pass(), price=2)], [("price > 2", Bid(1), [0]), ("", Pass(), [1])], []),
        ([at(0, Bid(1), price=5), at(1, Pass(), price=2), at(2, Pass(), price=8)],
         [("price 5", Bid(1), [0]), ("", Pass(), [1, 2])], []),
        ([at(0, Bid(1), price=5), at(1, Pass(), price=6), at(2, Bid(2), price=9)],
         [("price < 6", Bid(1), [0]), ("price < 9", Pass(), [1]), ("", Bid(2), [2])], []),
        ([at(0, Bid(1), nexus=1), at(1, Pass(), nexus=0)], [("nexus", Bid(1), [0]), ("", Pass(), [1])], []),
        ([at(0, Bid(1), nexus=0), at(1, Pass(), nexus=1)], [("not nexus", Bid(1), [0]), ("", Pass(), [1])], []),
        ([at(0, None, price=3), at(1, Bid(1), price=4)], [("price > 3", Bid(1), [1])], []),
        ([at(0, None, price=3), at(1, None, price=4)], [], []),
        ([at(0, AskMe(), price=3), at(1, Pass(), price=4), at(2, AskMe(), price=2)],
         [("price < 4", AskMe(), [0, 2]), ("", Pass(), [1])], []),
        ([at(0, Bid(1), nexus=1, attacking=0), at(1, Pass(), nexus=1, attacking=1),
          at(2, Pass(), nexus=0, attacking=0)],
         [("nexus and not attacking", Bid(1), [0]), ("", Pass(), [1, 2])], []),
        ([at(0, Bid(1), price=3), at(1, Pass(), price=3), at(2, Pass(), price=4)],
         [("price > 3", Pass(), [2])], [0, 1]),
        ([at(0, Bid(1), price=3), at(1, Pass())], [("price 3", Bid(1), [0]), ("", Pass(), [1])], []),
    ],
)  # fmt: skip
def test_lines_say_what_tells_the_moments_apart(
    moments: list[Moment], lines: list[tuple[str, object, list[int]]], live: list[int]
) -> None:
    found, left = lines_for(moments)
    assert (told(found), left) == (lines, live)


def first_that_holds(lines: list[Line], moment: Moment) -> object:
    return next((line.order for line in lines if _holds(line.condition, moment.values)), None)


def test_the_first_line_that_holds_is_what_was_done_whatever_the_moments_are() -> None:
    lost = 0
    for seed in range(400):
        chance = Random(seed)
        orders: list[Order | AskMe | None] = [Bid(1), Pass(), AskMe(), None]
        moments = [
            at(
                number, chance.choice(orders), price=chance.randrange(4), nexus=chance.randrange(2),
                attacking=chance.randrange(2),
            )
            for number in range(chance.randrange(1, 7))
        ]  # fmt: skip
        lines, live = lines_for(moments)
        lost += bool(live)
        for moment in moments:
            if moment.number not in live:
                assert first_that_holds(lines, moment) == moment.order, (seed, moment)
        done = sorted(each.number for line in lines for each in line.moments)
        assert done == [m.number for m in moments if m.order is not None and m.number not in live]
        for number in live:
            twin = [m for m in moments if m.number != number and m.values == moments[number].values]
            assert any(m.order != moments[number].order for m in twin), "somebody did another thing there"
        alone, _ = lines_for(moments, one_by_one=True)
        for line in alone:
            for moment in moments:
                if _holds(line.condition, moment.values):
                    assert moment.order == line.order, (seed, line, moment)
    assert 20 < lost < 380


@pytest.mark.parametrize(("ruleset", "seed"), [("wbc-2018", "facts"), ("ah-basic", "known"), ("gf9-advanced", "seen")])
def test_every_fact_that_a_player_can_ask_for_has_the_value_that_they_would_be_told(ruleset: str, seed: str) -> None:
    game = setting(ruleset, seed, 5, late=True)
    play, player = game.start(), LivePlayer(seed, impulses=10)
    compared, forms = 0, set()
    for stop in range(60):
        if play.over:
            break
        if stop % 10 == 0:
            factions, question = list(play.state.players), play.questions()[0]
            happened = [event for event in play.events if event.turn == play.state.turn]
            known = knowledge_of(play, question.faction, happened, question)
            values = facts_of(known, factions, ["the-great-flat", "arrakeen"])
            for (number, args), value in values.items():
                right = FACTS[number].value(known, *args)
                assert value == (right if "{test}" in FACTS[number].pattern else bool(right))
                if "{test}" not in FACTS[number].pattern:
                    condition: Condition = Fact(number, args)
                    assert holds(condition, known) is _holds(condition, values) is (value == 1)
                    assert holds(Negation(condition), known) is _holds(Negation(condition), values)
                compared += 1
            forms |= {FACTS[number].pattern for number, _ in values}
            spice = [args for number, args in values if number == number_of("spice in {territory} {test}")]
            assert spice == [(place,) for place in (*STRONGHOLDS, "the-great-flat")], "each territory once"
            mine = number_of("{leader} is my traitor")
            assert {args for number, args in values if number == mine} <= {
                (one,) for one in leaders_of(question.faction)
            }
            asking = [args for number, args in values if number == number_of("question {asking}")]
            assert asking == [(question.kind,)]
        said = player.decide(play)
        play.submit(said.faction, [said.order])
        play.advance()
    assert compared > 1_000
    assert len(forms) > 30


def test_all_parts_of_a_condition_must_hold() -> None:
    values = {(NEXUS, ()): 1, (ATTACKING, ()): 0, (PRICE, ()): 3}
    nexus, attacking = Fact(NEXUS), Fact(ATTACKING)
    assert _holds(None, values)
    assert _holds(all_of(nexus, Negation(attacking)), values)
    assert not _holds(AllOf((nexus, attacking)), values)
    assert not _holds(AllOf((attacking, nexus)), values)
    assert not _holds(Fact(COUNT), values)
    assert not _holds(Negation(Fact(COUNT)), values), "what cannot be told makes nothing true"


# --- Watched games ---------------------------------------------------------------------------------------------------


def test_games_are_played_in_their_order_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    games = settings("ah-basic", "tests", 12)
    seen: list[list[str]] = []

    def play_all(some: list[Setting]) -> SoakResult:
        seen.append([game.seed for game in some])
        return SoakResult(Occurrences(some[0].rules), len(some))

    monkeypatch.setattr(run, "_play_all", play_all)
    assert [part.games for part in soak(games)] == [5, 5, 2]
    assert [one for some in seen for one in some] == [game.seed for game in games]


def test_a_fault_is_told_with_the_last_places_of_its_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(game: Setting) -> None:
        raise AssertionError("a token is lost")

    monkeypatch.setattr(run, "play_under_watch", lost)
    game = setting("ah-basic", "x", 2)
    (done,) = soak([game])
    (failure,) = done.failures
    assert (done.games, failure.setting) == (1, game)
    assert failure.fault.endswith("AssertionError: a token is lost\n")
    assert done.occurred.events.total() == 0


def asked(*samples: Order, default: Order = Pass(), fits: bool = True, refused: Order | None = None) -> Any:  # noqa: B008
    return SimpleNamespace(
        default=default, samples=lambda: samples, fits=lambda order: fits, key="key",
        refusal=lambda order: "too low" if order == refused else None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ([], "nobody is asked at the stop"),
        ([asked(Bid(1), Bid(2), refused=Bid(2))], r"key offers Bid\(.*: too low"),
        ([asked(Bid(1), refused=Pass())], r"key offers Pass\(\): too low"),
        ([asked(Bid(1)), asked(Bid(1), fits=False)], "not of a kind that answers it"),
    ],
)
def test_a_choice_that_is_no_legal_answer_is_noticed(questions: list[Any], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_questions(SimpleNamespace(questions=lambda: questions, stop_name="the stop"))  # type: ignore[arg-type]
    check_questions(SimpleNamespace(questions=lambda: [asked(Bid(1))], stop_name=""))  # type: ignore[arg-type]


def test_an_event_without_its_number_is_noticed() -> None:
    play = setting("ah-basic", "numbers", 3).start()
    events = WatchedEvents(play.game)
    events.append(play.events[0])
    with pytest.raises(AssertionError, match="event 0 is number 1"):
        events.append(play.events[0])
    assert len(events) == 1


def test_what_is_not_the_same_after_it_was_stored_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = setting("wbc-2018", "stored", 4, late=True)
    play, player = game.start(), game.player()
    for _ in range(15):
        player.act(play)
    check_resume(game, play)
    assert open_questions(play) != []
    play.state.players[game.factions[0]].spice += 1
    with pytest.raises(AssertionError):
        check_resume(game, play)
    play.state.players[game.factions[0]].spice -= 1
    calls = iter(range(9))
    monkeypatch.setattr(watch, "open_questions", lambda play: next(calls))
    with pytest.raises(AssertionError):
        check_resume(game, play)


def test_a_game_that_does_not_end_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MOST_STOPS", 3)
    with pytest.raises(AssertionError, match=r"still in the .* phase of turn"):
        watch.play_under_watch(setting("ah-basic", "long", 2))


def test_positions_are_looked_at_and_stored_games_taken_up_as_often_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = {"questions": 0, "resumed": 0}
    checked, resumed = watch.check_questions, watch.check_resume

    def count_questions(play: Any) -> None:
        counted["questions"] += 1
        checked(play)

    def count_resumes(game: Setting, play: Any) -> None:
        counted["resumed"] += 1
        resumed(game, play)

    monkeypatch.setattr(watch, "check_questions", count_questions)
    monkeypatch.setattr(watch, "check_resume", count_resumes)
    game = setting("ah-basic", "short", 2, late=True)
    assert watch.play_under_watch(game, resumes=50).over
    assert counted["questions"] > 20
    assert 0.3 * counted["questions"] < counted["resumed"] < 0.7 * counted["questions"]


def test_a_game_begins_in_its_set_up_or_late_and_differs_by_its_options() -> None:
    early, late = setting("ah-basic", "begin", 3).start(), setting("ah-basic", "begin", 3, late=True).start()
    assert (early.state.turn, early.state.phase) == (1, "setup")
    assert late.state.turn > 5
    assert early.questions()
    assert Setting("ah-basic", "x", (), options=(("city_income", "on"),)).rules.option("city_income") == "on"
    assert Setting("ah-basic", "x", ()).rules is load_rule_set("ah-basic")
    cast = [setting("gf9-advanced", "x", players) for players in (2, 6)]
    assert [len(game.factions) for game in cast] == [2, 6]
    assert cast[0].factions == cast[1].factions[:2]
