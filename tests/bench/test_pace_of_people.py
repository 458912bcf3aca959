"""Tests for the people in the pace simulation: what they write, when they read mail, and the results of their games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.lab import pace as measure
from bot.lab.pace import QUIET_UNTIL, GameLength, Manner, Pace, Planner, measure_pace, play_game, sum_of_games
from bot.lab.players_by_mail import Person
from bot.lab.workbench import Measurement, Stopwatch, seconds_each
from bot.language.orders import write
from rules.components import FACTIONS, FREMEN_LANDING, Card, Faction, Forces, leaders_of
from rules.components.board import STRONGHOLDS, TERRITORIES, Area, neighbours, sector_of, territory_of
from rules.orders import Karama, Move, NoMove, NoShipment, Order, Pass, Ship, Waive
from rules.state.state import LeaderState, Player, State

ARRAKEEN, CARTHAG, TABR, FLAT = (
    Area("arrakeen/10"), Area("carthag/11"), Area("sietch-tabr/14"), Area("the-great-flat/15"),
)  # fmt: skip
TIMES = 300


def state(storm: int = 3) -> State:
    players = {
        faction: Player(faction, 1 + 3 * number, 7, reserves=Forces(10)) for number, faction in enumerate(FACTIONS)
    }
    leaders = {leader: LeaderState() for faction in FACTIONS for leader in leaders_of(faction)}
    made = State(players=players, leaders=leaders, storm=storm, turn=2, phase="bidding")
    made.forces = {
        ARRAKEEN: {"atreides": Forces(4), "guild": Forces(2)}, CARTHAG: {"emperor": Forces(5), "harkonnen": Forces(1)},
        FLAT: {"fremen": Forces(1)},
    }  # fmt: skip
    made.spice = {FLAT: 6}
    made.alliances = [("fremen", "guild")]
    return made


def at_play(there: State, *questions: Any) -> Any:
    return SimpleNamespace(state=there, questions=lambda: questions, game=SimpleNamespace(state=there))


def asked(faction: Faction, kind: str, *samples: Order, number: int = 1, means: int = 9, legal: bool = True) -> Any:
    return SimpleNamespace(
        faction=faction, kind=kind, facts={"number": number, "means": means}, samples=lambda: list(samples),
        refusal=lambda order: None if legal else "no",
    )  # fmt: skip


def habits(faction: Faction = "atreides", seed: object = 1, *, sheets: bool = False) -> Planner:
    return Planner(faction, Random(f"{seed}"), sheets)


def many(what: Any) -> list[Any]:
    return [what(number) for number in range(TIMES)]


def test_they_answer_what_they_are_asked_and_nothing_else() -> None:
    play = at_play(state(), asked("guild", "charity", Pass()), asked("atreides", "charity", Pass()))
    assert habits().lines(play, ["charity"]) == ["pass"]
    assert habits("fremen").lines(play, ["charity"]) == []
    both = at_play(state(), asked("atreides", "charity", Pass()), asked("atreides", "nexus", Pass()))
    assert habits().lines(both, ["charity"]) == ["pass"], "a line is written once"


def test_what_lets_a_chance_go_is_chosen_less_often_and_a_karama_never() -> None:
    far = Move(Forces(1), ARRAKEEN, CARTHAG)
    play = at_play(state(), asked("atreides", "movement", NoMove(), far, Karama("worm")))
    chosen = Counter(many(lambda n: habits(seed=n).lines(play, ["movement"])[0]))
    assert len(chosen) == 2
    assert 0.2 * TIMES < chosen["no move"] < 0.37 * TIMES


def test_a_bid_goes_up_to_a_limit_that_stays_the_same_for_the_card() -> None:
    player = habits()
    play = at_play(state(), asked("atreides", "bid", number=2))
    (first,) = player.lines(play, ["bidding"])
    assert [player.lines(play, ["bidding"]) for _ in range(5)] == [[first]] * 5
    caps = Counter(many(lambda n: habits(seed=n).lines(play, ["bidding"])[0]))
    assert set(caps) == {f"bid up to {cap}" for cap in range(7)}
    poor = at_play(state(), asked("atreides", "bid", number=2, means=1))
    assert set(many(lambda n: habits(seed=n).lines(poor, ["bidding"])[0])) == {"bid up to 0", "bid up to 1"}
    there = state()
    there.players["atreides"].spice = 2
    few = at_play(there, asked("atreides", "bid"))
    assert set(many(lambda n: habits(seed=n).lines(few, ["bidding"])[0])) == {f"bid up to {n}" for n in range(3)}
    refused = at_play(state(), asked("atreides", "bid", legal=False))
    assert habits().lines(refused, ["bidding"]) == ["pass"]


def test_with_a_shipment_they_say_where_they_move_too() -> None:
    play = at_play(state(), asked("atreides", "shipment", NoShipment()))
    said = many(lambda n: habits(seed=n).lines(play, ["movement"]))
    assert all(lines[0] == "no shipment" and len(lines) == 2 for lines in said)
    assert 0.2 * TIMES < sum(lines[1] == "no move" for lines in said) < 0.45 * TIMES


def test_a_sheet_is_filed_once_for_each_phase_and_then_they_want_to_hear_nothing() -> None:
    player = habits(sheets=True)
    play = at_play(state())
    first = player.lines(play, ["storm", "collection"])
    assert first == ["no storm cards", "standing: no transfer", *waived_until("charity")]
    assert player.lines(play, ["storm", "collection"]) == waived_until("charity")
    play.state.turn = 3
    assert player.lines(play, ["collection"]) == ["standing: no transfer"]
    assert player.filed == {"2.storm", "2.collection", "3.collection"}
    for phase, until in QUIET_UNTIL.items():
        fresh = habits(sheets=True)
        fresh.filed.add(f"3.{phase}")
        fresh.filed.add("3.charity")
        assert fresh.lines(play, ["charity", phase, "mentat"][:2]) == waived_until(until)
    assert habits().lines(play, ["storm"]) == [], "who uses no sheets files none"


def waived_until(phase: Any) -> list[str]:
    return [write(Waive(phase))]


def test_a_sheet_for_the_bidding_has_a_line_for_every_card() -> None:
    sheets = many(lambda n: list(habits(seed=n)._sheet(at_play(state()), "bidding")))
    assert all(lines[-1] == "pass all" for lines in sheets)
    said = Counter(line for lines in sheets for line in lines[:-1])
    assert {line.split(":")[0] for line in said} == {f"when card {number}" for number in range(1, 7)}
    left = sum(times for line, times in said.items() if line.endswith("ask me"))
    assert 0.06 < left / (6 * TIMES) < 0.14
    assert {line.split(": ")[1] for line in said} == {"ask me", *(f"bid up to {n}" for n in range(1, 7))}


def moved(faction: Faction, there: State | None = None) -> list[list[str]]:
    play = at_play(there or state())
    return many(lambda n: list(habits(faction, n)._sheet(play, "movement")))


def test_a_sheet_for_the_movement_says_a_shipment_and_a_move_if_they_know_them() -> None:
    sheets = moved("atreides")
    known = [lines for lines in sheets if lines]
    assert 0.5 * TIMES < len(known) < 0.7 * TIMES
    for lines in known:
        assert lines[-2:] == ["no move", "when phase movement: no revival"]
        assert lines[-3].startswith(("move ", "no move"))
        if len(lines) == 5:
            assert " has not shipped to " in lines[0]
            assert " if " in lines[0]
            assert " if atreides" not in lines[0]
            assert lines[1] == "no shipment"
        else:
            assert len(lines) in (3, 4)
            assert lines[0].startswith(("ship ", "no shipment"))
    on_condition = [lines for lines in known if len(lines) == 5]
    ships = [lines for lines in known if lines[0].startswith("ship ")]
    assert 0.15 < len(on_condition) / len(ships) < 0.45
    guild = moved("guild")
    assert all(lines[0].startswith("go now if after ") and lines[1] == "wait" for lines in guild)
    assert {lines[0] for lines in guild} == {f"go now if after {faction}" for faction in FACTIONS if faction != "guild"}
    there = state()
    there.forces[ARRAKEEN]["bene-gesserit"] = Forces(1)
    there.forces[FLAT]["bene-gesserit"] = Forces(1)
    sisters = moved("bene-gesserit", there)
    assert {lines[0] for lines in sisters} == {"advise polar sink", "no advisor"}
    coexist = Counter(line for lines in sisters for line in lines if line.startswith("coexist"))
    assert set(coexist) == {"coexist in Arrakeen", "coexist in The Great Flat"}
    assert all(0.5 * TIMES < times < 0.7 * TIMES for times in coexist.values())


def test_they_ship_to_strongholds_and_spice_outside_the_storm_where_there_is_room() -> None:
    there = state(storm=11)
    ships = many(lambda n: habits("atreides", n)._a_shipment(at_play(there)))
    sent = [order for order in ships if isinstance(order, Ship)]
    assert {order.target for order in sent} == {
        ARRAKEEN, FLAT, *(TERRITORIES[place].areas[0] for place in STRONGHOLDS if place not in ("arrakeen", "carthag")),
    }  # fmt: skip
    assert {order.forces.ordinary for order in sent} == {1, 2, 3}, "for two spice each"
    assert all(order.source is None and order.forces.elite == 0 for order in sent)
    assert 0.6 * TIMES < len(sent) < 0.8 * TIMES
    full = state()
    fremen = many(lambda n: habits("fremen", n)._a_shipment(at_play(full)))
    targets = {order.target for order in fremen if isinstance(order, Ship)}
    assert targets
    assert all(territory_of(target) in FREMEN_LANDING for target in targets if target)
    assert {order.forces.ordinary for order in fremen if isinstance(order, Ship)} == set(range(1, 7))
    guests = many(lambda n: habits("guild", n)._a_shipment(at_play(full)))
    assert FLAT not in {order.target for order in guests if isinstance(order, Ship)}, "their ally is there"
    assert CARTHAG not in {order.target for order in sent}
    poor = state()
    poor.players["atreides"].spice = 1
    assert set(many(lambda n: habits("atreides", n)._a_shipment(at_play(poor)))) == {NoShipment()}


def test_they_move_a_whole_group_to_where_there_is_room_and_never_in_the_storm() -> None:
    there = state()
    moves = many(lambda n: habits("atreides", n)._a_move(at_play(there)))
    gone = [order for order in moves if isinstance(order, Move)]
    assert 0.6 * TIMES < len(gone) < 0.8 * TIMES
    assert {(order.source, order.forces) for order in gone} == {(ARRAKEEN, Forces(4))}
    near = {
        other for other in neighbours(ARRAKEEN)
        if sector_of(other) != there.storm and territory_of(other) not in ("arrakeen", "carthag")
    }  # fmt: skip
    assert {order.target for order in gone} == near
    assert set(many(lambda n: habits("atreides", n)._a_move(at_play(state(storm=10))))) == {NoMove()}
    assert set(many(lambda n: habits("bene-gesserit", n)._a_move(at_play(there)))) == {NoMove()}


BATTLES = [
    SimpleNamespace(aggressor="atreides", defender="guild", areas=[ARRAKEEN]),
    SimpleNamespace(aggressor="emperor", defender="harkonnen", areas=[CARTHAG]),
]


def fought(monkeypatch: pytest.MonkeyPatch, faction: Faction, there: State) -> list[list[str]]:
    monkeypatch.setattr("bot.lab.pace.all_battles", lambda game: BATTLES)
    play = at_play(there)
    return many(lambda n: list(habits(faction, n)._sheet(play, "battle")))


def test_a_sheet_for_battles_has_a_plan_against_each_enemy(monkeypatch: pytest.MonkeyPatch) -> None:
    there = state()
    there.players["emperor"].hand = [Card("Crysknife"), Card("Shield"), Card("Baliset")]
    for faction, enemy, dials in (("emperor", "harkonnen", 2), ("harkonnen", "emperor", 1)):
        sheets = fought(monkeypatch, faction, there)
        filed = [lines for lines in sheets if lines]
        assert 0.62 * TIMES < len(filed) < 0.78 * TIMES
        asks = [lines for lines in filed if lines[0] == f"when fighting {enemy} and voiced: ask me"]
        assert 0.4 * len(filed) < len(asks) < 0.6 * len(filed)
        plans = [lines[-1] for lines in filed]
        assert all(line.startswith(f"when fighting {enemy}: plan dial ") for line in plans)
        assert {int(line.split("dial ")[1].split()[0]) for line in plans} == set(range(dials + 1))
        armed = ["weapon crysknife" in line.lower() and "defense shield" in line.lower() for line in plans]
        assert set(armed) == {faction == "emperor"}
    prescient = fought(monkeypatch, "atreides", there)
    asked_for = Counter(lines[-1] for lines in prescient if lines and "prescience" in lines[-1])
    elements = {f"prescience {what}" for what in ("leader", "weapon", "defense")}
    assert {line.split(": ")[1] for line in asked_for} == elements
    assert 0.62 * TIMES < asked_for.total() < 0.78 * TIMES
    monkeypatch.setitem(BATTLES[0].__dict__, "defender", "bene-gesserit")
    voiced = fought(monkeypatch, "bene-gesserit", there)
    assert all(lines[-1] == "voice atreides not play poison weapon" for lines in voiced)
    assert fought(monkeypatch, "fremen", there) == [[]] * TIMES


def test_who_has_no_leader_sends_a_cheap_hero_or_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    there = state()
    dead, *alive = leaders_of("emperor")
    there.leaders[dead].status = "dead"
    plans = [lines[-1] for lines in fought(monkeypatch, "emperor", there) if lines]
    assert {name for name in leaders_of("emperor") if any(str(name) in line for line in plans)} == set(alive)
    for leader in alive:
        there.leaders[leader].status = "dead"
    there.players["emperor"].hand = [Card("Crysknife")]
    alone = [lines[-1] for lines in fought(monkeypatch, "emperor", there) if lines]
    assert all("leader none" in line and "Crysknife" not in line for line in alone)
    there.players["emperor"].hand = [Card("Crysknife"), Card("Cheap Hero")]
    hero = [lines[-1] for lines in fought(monkeypatch, "emperor", there) if lines]
    assert all("leader cheap hero" in line and "weapon Crysknife" in line for line in hero)


# --- When they read mail ---------------------------------------------------------------------------------------------

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("now", "due", "last"),
    [
        ("2026-09-07T06:00", "2026-09-07T18:00", "2026-09-07T17:40"),
        ("2026-09-07T06:00", "2026-09-07T21:30", "2026-09-07T20:40"),
        ("2026-09-07T06:00", "2026-09-08T04:00", "2026-09-07T20:40"),
        ("2026-09-07T06:00", "2026-09-08T05:20", "2026-09-08T05:00"),
        ("2026-09-07T20:40", "2026-09-08T04:00", None),
        ("2026-09-07T20:39", "2026-09-08T04:00", "2026-09-07T20:40"),
        ("2026-09-07T17:40", "2026-09-07T18:00", None),
    ],
)
def test_the_last_moment_before_a_deadline_is_before_they_sleep(now: str, due: str, last: str | None) -> None:
    person = Person(BERLIN, Random(1))
    utc = [datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (now, due)]
    expected = datetime.fromisoformat(last).replace(tzinfo=UTC) if last else None
    assert person.before(utc[0], utc[1]) == expected


@pytest.mark.parametrize(
    ("moment", "first", "last"),
    [
        ("2026-09-07T10:00", "2026-09-07T10:00", "2026-09-07T10:00"),
        ("2026-09-07T05:00", "2026-09-07T05:00", "2026-09-07T05:00"),
        ("2026-09-07T04:59", "2026-09-07T05:00", "2026-09-07T06:00"),
        ("2026-09-07T21:00", "2026-09-08T05:00", "2026-09-08T06:00"),
        ("2026-09-07T20:59", "2026-09-07T20:59", "2026-09-07T20:59"),
    ],
)
def test_who_sleeps_looks_in_the_hour_after_they_get_up(moment: str, first: str, last: str) -> None:
    at = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    got_up = [Person(BERLIN, Random(n))._awake(at) for n in range(30)]
    between = [datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (first, last)]
    assert between[0] <= min(got_up) <= max(got_up) <= between[1]
    assert first != last or set(got_up) == {at}
    assert first == last or max(got_up) - min(got_up) > timedelta(minutes=30)


# --- Results of games ------------------------------------------------------------------------------------------------


def lasted(days: float, turns: int = 4, **more: Any) -> GameLength:
    named = {"players": 6, "stops": Counter({"battle": 3, "bidding": 5}), "hours": {"battle": 24.0, "bidding": 72.0},
             "letters": 48, "answers": 96, "missed": 12}  # fmt: skip
    return GameLength("x", turns=turns, days=days, **{**named, **more})


def test_games_are_summed_up_by_turn_player_and_day() -> None:
    found = [
        lasted(10.0),
        lasted(20.04, hours={"battle": 240.0}, stops=Counter({"storm": 4})),
        lasted(12.0, letters=96),
    ]
    assert sum_of_games(Manner("steady", sheets=True, mode="wanted"), found) == Pace(
        "steady", True, "wanted", 3, median_days=12.0, worst_days=20.0, stops_a_turn=1.7, letters_a_turn=2.67,
        letters_a_day=0.76, answers_a_turn=4.0, missed_a_turn=0.5, phases={"battle": 4.0, "bidding": 2.0},
    )  # fmt: skip


def test_a_game_that_is_won_early_is_played_again_with_other_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for: list[tuple[str, Manner]] = []

    def play(folder: Path, seed: str, manner: Manner) -> GameLength:
        assert folder.is_dir()
        asked_for.append((seed, manner))
        return lasted(10.0 + int(seed), turns=3 if seed == "1" else 4)

    monkeypatch.setattr(measure, "play_game", play)
    found = measure_pace(Manner("swift", False, "wanted", 4), 2)
    assert (found.games, found.median_days, found.worst_days) == (2, 11.0, 12.0)
    manner = Manner("swift", sheets=False, mode="wanted", turns=4, ruleset="wbc-2018", step_hours=24.0)
    assert asked_for == [(f"{n}", manner) for n in range(3)]
    assert measure_pace(Manner("swift", True, turns=4), 1).mode == "all"


def test_a_simulated_game_counts_what_happened_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_sheets = play_game(tmp_path, "7", Manner("steady", sheets=True, turns=2))
    without = play_game(tmp_path, "8", Manner("table", sheets=False, turns=2))
    fewer = play_game(tmp_path, "9", Manner("steady", sheets=True, mode="wanted", turns=2))
    for game in (with_sheets, without, fewer):
        assert (game.players, game.turns) == (6, 2)
        assert sum(game.hours.values()) == pytest.approx(24 * game.days)
        assert set(game.stops) <= set(game.hours)
        assert game.refused < game.lines / 10
        assert 0 < game.answers <= game.lines
        assert min(game.stops.values()) > 0
    assert max(fewer.letters, with_sheets.letters) < without.letters
    assert without.missed > 0
    assert without.days > with_sheets.days
    monkeypatch.setattr("bot.lab.pace.MOST_STEPS", 3)
    with pytest.raises(RuntimeError, match="still goes on"):
        play_game(tmp_path, "10", Manner("swift", sheets=True, turns=2))


def test_a_stopwatch_keeps_every_block_and_the_median_of_some_work() -> None:
    moments: Sequence[float] = [0.0, 1.0, 10.0, 13.0, 20.0, 22.0]
    each = iter(moments)
    done: list[int] = []
    assert seconds_each(lambda: done.append(1), 3, lambda: next(each)) == 2.0
    assert len(done) == 3
    watch = Stopwatch()
    watch.taken = [3.0, 1.0, 2.0]
    assert (watch.median, watch.worst, watch.total) == (2.0, 3.0, 6.0)
    assert Measurement("a", 1, "ms", aim=1.0).reached, "nothing to compare with"


def test_a_game_that_moves_in_slots_moves_at_no_other_moment_and_takes_longer(tmp_path: Path) -> None:
    (tmp_path / "slots").mkdir()
    once = play_game(tmp_path, "slots", Manner("swift", True, turns=1))
    slots = play_game(tmp_path / "slots", "slots", Manner("swift", True, turns=1, slots=12))
    assert slots.days * 24 % 12 == 12 - measure.START.hour % 12
    assert slots.days > once.days
