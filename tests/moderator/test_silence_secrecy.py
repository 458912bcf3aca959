"""Absences, extensions, time banks and the caretaker reveal neither hidden information nor who asked for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from rules.components import FACTIONS, Faction
from rules.components.chance import Chance
from rules.random_players import RandomPlayer
from tests.moderator.table import GAME, World
from tests.moderator.twins import Twins, advance, change_unseen
from tests.size import size


def requests(world: World, chance: Chance) -> Iterator[tuple[str, ...]]:
    """Yield possible requests of a player, each as the lines of one mail."""
    first = (world.now + timedelta(days=1)).date()
    yield ("extend 6",)
    yield (f"absent {first.isoformat()} to {(first + timedelta(days=chance.draw('days', 3))).isoformat()}",)
    yield ("no absence",)
    yield ("letters wanted",)
    yield ("letters daily", "help", "5 guys to the sietch please")
    yield ("waking 8:00 to 20:00", "timezone Asia/Kolkata")


def give(world: World, care: Faction, bank: Faction) -> None:
    """Give one seat to the caretaker, and put time into the bank of another."""
    with world.moderator.open_games.transaction(GAME) as (_, table):
        for faction, seat in table.seats.items():
            seat.care, seat.bank = faction == care, 600 if faction == bank else 0
            table.touched.add(faction)


@pytest.mark.parametrize("ruleset", ["ah-basic", "wbc-2018"])
def test_what_is_hidden_changes_no_letter_however_players_are_silent(
    world: World, tmp_path: Path, ruleset: str
) -> None:  # fmt: skip
    """Two games with the same requests, silences and caretakers differ only in information hidden from one player."""
    world.new_game(ruleset)
    chance, player = Chance(f"silent {ruleset}", {}), RandomPlayer("silent")
    leaks, changes = list[str](), Counter[str]()
    for number in range(size(5, 40)):
        advance(world, player, 1 + chance.draw("moves", 4))
        viewer, asker, care, bank = (chance.pick(who, list(FACTIONS)) for who in ("viewer", "asker", "care", "bank"))
        world.say(asker, *chance.pick("request", list(requests(world, chance))))
        give(world, care, bank)
        twins = Twins(world, tmp_path, f"silent{number}")
        changed = change_unseen(twins, viewer, chance)
        changes[changed] += 1
        leaks += [f"{changed}: {leak}" for leak in twins.noticed(viewer, 5 if changed else 0)]
        twins.close()
    assert leaks == []
    assert changes - Counter({"": size(5, 40)})


def test_nobody_can_tell_who_asked_for_time_or_will_be_away(world: World, tmp_path: Path) -> None:
    """At a stop with a public question, requests by two other players must look the same."""
    world.new_game("wbc-2018")
    player, compared = RandomPlayer("asking"), 0
    for number in range(size(5, 24)):
        advance(world, player, 5)
        asked = {q.faction for q in world.table().play.asked() if q.public and not q.blanket}
        free = [faction for faction in FACTIONS if faction not in asked]
        if not asked or len(free) < 3:
            continue
        twins = Twins(world, tmp_path, f"asker{number}")
        first = (world.now + timedelta(days=10)).date().isoformat()
        for twin, asker in ((twins.one, free[0]), (twins.other, free[1])):
            mail = twin.mail(asker, "extend 12", f"absent {first} to {first}", message_id=f"<{number}@asking.example>")
            assert twin.moderator.deliver(mail, twin.now).taken == 2
        onlookers = [faction for faction in FACTIONS if faction not in free[:2]]
        assert list(twins.differences([*onlookers, "public"])) == []
        for twin in (twins.one, twins.other):
            twin.wait(24)
        assert list(twins.differences([*onlookers, "public"])) == []
        compared += 1
        twins.close()
    assert compared
