"""What a machine holds is computed from what is measured, and a queue behaves as queues do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from bot.bench.capacity.costs import Costs, costs
from bot.bench.capacity.limits import Machine, holds, limits
from bot.bench.capacity.load import MINUTES, Load, of_pace, profile
from bot.bench.capacity.queueing import waits
from bot.bench.pace.measure import Paced
from bot.bench.pace.people import Person
from bot.bench.places import DatabaseKind
from bot.demo.simulation import people
from tests.cli.conftest import Mentat
from tests.cli.conftest import mentat as mentat
from tests.cli.conftest import place as place

EVEN = [1 / MINUTES] * MINUTES
GAME = Load(mails=4.0, letters=9.0, silences=0.5, days=130)
COSTS = Costs(mail=0.02, letter=0.01, fetched=0.004, commit=0.001, stored=10_000, kept=2_000)


def test_a_queue_with_one_hand_waits_as_the_formula_of_pollaczek_and_khinchine_says() -> None:
    each, spread = 0.5, 0.5
    rate = 1.0  # a second, so that half of the time is worked
    found = waits(86_400 * rate, 0, each, 1, EVEN, spread=spread)
    assert waits(86_400 * rate, 0, each, 1, EVEN, spread=spread) == found, "the same for the same seed"
    second_moment = each**2 * 2.718281828 ** (spread**2)
    mean = each + rate * second_moment / (2 * (1 - rate * each))
    assert found.busy == pytest.approx(0.5, abs=0.05)
    assert found.mean == pytest.approx(mean, rel=0.05)
    assert found.median < mean < found.p95


def test_more_hands_wait_less_and_an_overload_grows_without_bound() -> None:
    one, four = waits(50_000, 0, 1.0, 1, EVEN), waits(50_000, 0, 1.0, 4, EVEN)
    assert four.p99 < one.p99
    assert waits(100_000, 0, 2.0, 1, EVEN).longest > 40_000


def test_deadlines_that_pass_together_are_taken_one_after_the_other() -> None:
    found = waits(0, 100, 1.0, 2, EVEN)
    assert found.longest == pytest.approx(50, rel=0.25)
    assert waits(0, 0, 1.0, 1, EVEN).longest == 0


def test_mails_come_by_day_and_most_before_the_deadline() -> None:
    shares = profile(sampled=5_000)
    hours = [sum(shares[60 * hour : 60 * hour + 60]) for hour in range(24)]
    assert sum(shares) == pytest.approx(1)
    assert max(hours) > 2 * min(hours)
    assert hours.index(max(hours)) in range(8, 21)


def test_a_mail_is_due_at_an_evening_of_which_half_a_day_is_left_when_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = []

    def answers_at(self: Person, asked: datetime, due: datetime) -> datetime:
        assert due.timetz() == time(20, tzinfo=UTC)
        left.append(due - asked)
        return asked

    monkeypatch.setattr(Person, "answers_at", answers_at)
    profile(sampled=500)
    assert timedelta(hours=12) <= min(left) < timedelta(hours=13)
    assert timedelta(hours=35) < max(left) < timedelta(hours=36)


def test_a_game_makes_as_many_mails_as_its_people_wrote() -> None:
    paced = Paced("steady", False, "all", 2, 100.0, 120.0, 30.0, 12.0, 0.7, 5.0, 0.5, {})
    made = of_pace(paced)
    assert made.mails == pytest.approx(5 * 6 * 10 / 100)
    assert made.letters == pytest.approx((12 + 5) * 6 * 10 / 100)
    assert made.letters_a_mail == pytest.approx(17 / 5.5)


def test_twice_the_games_ask_for_twice_as_much_and_the_fewest_games_bind() -> None:
    machine = Machine(workers=2, quota=1_000)
    one, two = (limits(games, GAME, COSTS, machine, EVEN) for games in (1_000, 2_000))
    for name, use in one.uses.items():
        assert two.uses[name] == pytest.approx(2 * use, rel=1e-6)
    assert one.binds == "sending quota"
    assert (one.accounts, two.accounts) == (9, 18)
    assert one.bytes_a_year > one.bytes_a_year_kept > 0
    held = holds(GAME, COSTS, machine)
    assert min(held, key=held.__getitem__) == "sending quota"
    assert held["sending quota"] == 1_000 // 9


def test_so_many_workers_are_wanted_that_nearly_nobody_waits_a_minute() -> None:
    slow = replace(COSTS, mail=0.5)
    found = limits(1_000, GAME, slow, Machine(), EVEN)
    assert 1 < found.workers < 10
    enough = limits(1_000, GAME, slow, Machine(workers=found.workers), EVEN)
    fewer = limits(1_000, GAME, slow, Machine(workers=found.workers - 1), EVEN)
    assert enough.waits.p99 <= 60 < fewer.waits.p99
    assert limits(1_000_000, GAME, COSTS, Machine(), EVEN).workers == 0


def test_what_a_mail_takes_is_measured_in_a_game(tmp_path_factory: pytest.TempPathFactory) -> None:
    found = costs(tmp_path_factory.mktemp("costs"), DatabaseKind("SQLite", lambda: ""), "wbc-2018", 8)
    assert 0 < found.commit < found.mail < 5
    assert min(found.letter, found.fetched) > 0
    assert found.stored > found.kept >= 0


def test_the_command_says_what_binds(mentat: Mentat) -> None:
    words = "capacity --games 100 --games 1000 --quota 500 --mail 20 --letter 5 --json"
    done = mentat(*words.split())
    assert done.code == 0, done.err
    assert [row["games"] for row in done.json["limits"]] == [100, 1000]
    assert done.json["costs"]["mail"] == 0.02
    assert done.json["limits"][1]["binds"] == "sending quota"
    refused = mentat("capacity", "--tempo", "none")
    assert refused.code == 2


def test_costs_are_measured_with_people_who_forget_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "FORGETS", 1)  # in a simulation nobody would answer anything
    found = costs(tmp_path / "place", DatabaseKind("SQLite", lambda: ""), "ah-basic", 4)
    assert found.mail > 0
    assert found.stored > 0
