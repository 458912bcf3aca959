"""Mails designed to overload Mentat: their cost is bounded, and they do not delay other mail."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bot.desk import rights
from bot.desk.powers import DeskRequest
from bot.effort import BetterOutside, Understanding
from bot.games.identity import MailOutcome
from rules.components import Faction
from tests.moderator import hostile
from tests.moderator.hostile import WAYS, Hostile, calibration, hostile_mail, measured, positions
from tests.moderator.table import GAME, World
from tests.size import size

MOST_TIMES = 80.0
"""Limit on the total CPU time, in calibration loops. The worst mail takes 45; before work was bounded it took 170."""
MOST_TIMES_LOCKED = 6.0
"""The same limit for the longest transaction. The worst mail took 165 before work was bounded."""
CHATTER = ["move the troops of the gild from carthg to sietch tbr, sorry, make that 4 and 3 more"] * 150
OTHER = "arrakeen-7"


@pytest.fixture
def bidding(world: World) -> tuple[World, Faction]:
    world.silent_game("bidding")
    world.new_game(game=OTHER)
    world.say("atreides", "I wold like to bid tree", "when prce < 3: bid 3")  # builds the grammar
    return world, next(faction for faction, kinds in world.asked().items() if "bid" in kinds)


def in_loops(seconds: float, loop: float) -> float:
    """Convert `seconds` to calibration loops, using the slower of `loop` and a loop run now (for busy machines)."""
    return seconds / max(loop, calibration())


def test_no_hostile_mail_costs_much_or_keeps_others_waiting(tmp_path: Path) -> None:
    loop, chosen = calibration(), random.Random()  # each run takes another sample; the failure message names the mail
    for phase, world, faction in positions(tmp_path, chosen.sample(hostile.PHASES, size(1, len(hostile.PHASES)))):
        world.say(faction, "I wold like to bid tree", "when prce < 3: bid 3")
        for way in chosen.sample(sorted(WAYS), size(4, len(WAYS))):
            seed = f"{chosen.random()}"
            raw = hostile_mail(world, faction, way, seed)
            with measured(world.moderator) as cost:
                verdict = world.moderator.deliver(raw, world.now)
            assert verdict.disposition != "fault", (phase, way, seed)
            assert in_loops(cost.whole, loop) <= MOST_TIMES, (phase, way, seed, cost)
            assert in_loops(cost.locked, loop) <= MOST_TIMES_LOCKED, (phase, way, seed, cost)


def test_a_hostile_mail_to_a_desk_keeps_nobody_waiting_either(bidding: tuple[World, Faction]) -> None:
    world, director = bidding[0], "rey@elsewhere.example"
    rights.grant(DeskRequest(world.moderator.open_games, GAME, world.now), "director", director)
    desk = str(world.newest(director).message["Reply-To"])
    loop, chosen = calibration(), random.Random()
    world.moderator.deliver(Hostile("xyzzy").mail(director, desk, "<first@elsewhere.example>"), world.now)
    for way in chosen.sample(sorted(WAYS), size(3, len(WAYS))):
        seed = f"{chosen.random()}"
        raw = WAYS[way](random.Random(seed)).mail(director, desk, f"<{seed}@elsewhere.example>")
        with measured(world.moderator) as cost:
            world.moderator.deliver(raw, world.now)
        assert in_loops(cost.whole, loop) <= MOST_TIMES, (way, seed, cost)
        assert in_loops(cost.locked, loop) <= MOST_TIMES_LOCKED, (way, seed, cost)


def test_corrections_of_a_long_sheet_cost_no_more(bidding: tuple[World, Faction]) -> None:
    world, faction = bidding
    world.say(faction, *(f"when card {n % 9 + 1} and price < {n}: bid {n}" for n in range(1, 180)))
    loop = calibration()
    with measured(world.moderator) as cost:
        world.say(faction, *CHATTER, *["sorry, 5 instead of 3 and 4"] * 40)
    assert in_loops(cost.whole, loop) <= MOST_TIMES
    assert in_loops(cost.locked, loop) <= MOST_TIMES_LOCKED


def while_it_is_understood(monkeypatch: pytest.MonkeyPatch, happens: list[object]) -> list[BetterOutside]:
    """Run one function from `happens` each time Mentat parses something outside a transaction."""
    understood: list[BetterOutside] = []
    work = Understanding.work_outside

    def work_outside(self: Understanding, more: BetterOutside) -> None:
        understood.append(more)
        work(self, more)
        if happens:
            happens.pop(0)()  # type: ignore[operator]

    monkeypatch.setattr(Understanding, "work_outside", work_outside)
    return understood


def test_another_game_is_answered_while_a_mail_is_understood(
    bidding: tuple[World, Faction], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, faction = bidding
    other, answers = world.another_process(), list[MailOutcome]()
    while_it_is_understood(monkeypatch, [lambda: answers.append(other.say("emperor", "status", game=OTHER))])
    world.say(faction, *CHATTER)
    assert [answer.disposition for answer in answers] == ["orders"]
    other.engine.dispose()


def test_a_mail_is_understood_anew_if_its_game_has_changed(
    bidding: tuple[World, Faction], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, faction = bidding
    other = world.another_process()
    understood = while_it_is_understood(monkeypatch, [lambda: other.say(faction, "bid 2")])
    assert world.say(faction, "bid 7", *CHATTER).disposition == "orders"
    about_lines = [more for more in understood if isinstance(more.about, tuple) and GAME in more.about]
    assert len(about_lines) == 2
    letter = world.newest(faction).text
    assert "bid 7" in letter
    assert world.messages()[-1][0] == "orders"
    other.engine.dispose()


def test_lines_that_people_write_are_understood_at_once(
    bidding: tuple[World, Faction], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, faction = bidding
    understood = while_it_is_understood(monkeypatch, [])
    world.say(faction, "Hello Mentat,", "", "bid 3", "", "Good luck to all of you, this is fun!", "Ann")
    assert [more for more in understood if isinstance(more.about, tuple) and GAME in more.about] == []
