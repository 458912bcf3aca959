"""Games by mail in which players file sheets, and checks that others notice nothing (timing model section 0.3; L1 to
L10).

Two copies of a game continue side by side. In one kind of comparison, a player files lines in one copy, and in the
other only a line that can never act. Until that player's deputy acts, nobody else may see a difference. In the other
kind, all sheets are the same, but facts hidden from one player differ between the copies. As long as the other deputies
act alike, that player must get the same letters, and that player's deputy must act alike too.

``python -m tests.secrecy.sheets_pried 900 [SEED]`` searches for 900 seconds and prints every leak.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from bot.store.database import reading
from bot.store.record import log_of
from bot.table.deputy import hands_back
from rules.components import FACTIONS, Faction
from rules.components.chance import Chance
from rules.engine.log import Submitted
from rules.orders import Order
from rules.random_players import RandomPlayer
from rules.state.events import Viewer
from tests.moderator.table import GAME, World
from tests.moderator.twins import Twins, advance, change_unseen
from tests.secrecy.random_sheets import sheet_lines

NEVER = "standing: when turn 9: no shipment"
"""A line that keeps its writer's sheet from being empty. No game here reaches that turn."""

HOURS = 12
Said = list[tuple[Faction, tuple[Order, ...]]]


@dataclass(slots=True)
class Pried:
    """The number of comparisons of each kind, and the leaks that were found."""

    compared: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)


def pry_into_sheets(world: World, folder: Path, chance: Chance, pairs: int, moves: int = 10, steps: int = 4) -> Pried:
    """Play a random game with sheets, and compare this many pairs of copies, up to ``moves`` moves apart."""
    player, found = RandomPlayer("pen"), Pried()
    for number in range(pairs):
        for _ in range(1 + chance.draw("moves", moves)):
            go_on(world, player, chance)
        if world.table().play.over or world.table().play.state.turn > 8:
            break
        twins = Twins(world, folder, f"sheet{number}")
        what = chance.pick("what", [_filed, _taken_back, _hidden, _hidden, _asked_for])
        try:
            name, leaks = what(twins, chance, steps)
        finally:
            twins.close()
        found.compared[name] += 1
        found.leaks += [f"pair {number}, {name}: {leak}" for leak in leaks]
    return found


def go_on(world: World, player: RandomPlayer, chance: Chance) -> None:
    """Let somebody file lines or write an answer, or let time pass."""
    if world.table().play.over:
        return
    if chance.draw("file", 100) < 40:
        faction = chance.pick("writer", list(world.table().seats))
        world.say(faction, *sheet_lines(world.table().play, faction, chance))
    else:
        advance(world, player, 1)


# --- filed lines ----------------------------------------------------------------------------------------------------


def _filed(twins: Twins, chance: Chance, steps: int) -> tuple[str, list[str]]:
    """File the lines of a sheet in one world, and a line that never acts in both."""
    play = twins.one.table().play
    by = chance.pick("by", list(play.state.players))
    lines = sheet_lines(play, by, chance)
    waited = chance.draw("hours", 20)
    for world, said in ((twins.one, (NEVER,)), (twins.other, (NEVER, *lines))):
        world.wait(waited)
        world.moderator.deliver(world.mail(by, *said, message_id="<sheet@players.example>"), world.now)
    for step in range(steps):
        acted = _said(twins.one) != _said(twins.other)
        if acted and (step or not _same_stop(twins)):
            return ("a sheet, until it spoke", [])
        if _asked_by_wish(twins.other, by):
            return ("a sheet, until it asked", [])
        if leaks := list(twins.differences(_onlookers(twins, [by]))):
            return ("a sheet filed", [f"{by} {lines}: {leak}" for leak in leaks])
        _wait(twins)
    return ("a sheet that kept silent", [])


def _taken_back(twins: Twins, chance: Chance, steps: int) -> tuple[str, list[str]]:
    """File a line that never acts in both worlds, and withdraw it in one of them."""
    by = chance.pick("by", list(twins.one.table().seats))
    for world in (twins.one, twins.other):
        world.moderator.deliver(world.mail(by, NEVER, message_id="<sheet@players.example>"), world.now)
    held = bool(twins.other.table().play.game.held.get(by))
    sheet = twins.other.table().sheets.get(by)
    only = not held and sheet is not None and len(sheet.active()) == 1
    twins.other.say(by, "cancel" if only else f"cancel {NEVER}")
    for _ in range(steps):
        if leaks := list(twins.differences(_onlookers(twins, [by]))):
            return ("a sheet taken back", [f"{by}: {leak}" for leak in leaks])
        _wait(twins)
    return ("a sheet taken back", [])


# --- hidden facts ---------------------------------------------------------------------------------------------------


def _hidden(twins: Twins, chance: Chance, steps: int) -> tuple[str, list[str]]:
    """Change something hidden from one player in one world, and file the same sheet in both."""
    viewer = chance.pick("viewer", list(twins.one.table().seats))
    changed = change_unseen(twins, viewer, chance)
    if not changed or _said(twins.one) != _said(twins.other):
        return ("nothing to change", [])
    play = twins.one.table().play
    phase = play.state.phase
    writer = chance.pick("writer", [viewer, *twins.one.table().seats])
    lines = (*sheet_lines(play, writer, chance), "orders", "status")
    for world in (twins.one, twins.other):
        world.moderator.deliver(world.mail(writer, *lines, message_id="<sheet@players.example>"), world.now)
    for _ in range(steps):
        left = [world.table().play.state.phase != phase for world in (twins.one, twins.other)]
        if all(left):
            break
        speakers, apart = _first_apart(twins)
        if speakers:  # the viewer's deputy knows what the viewer knows, so it acts alike as long as the others do
            return (f"{changed}, until a deputy spoke", [apart] if speakers == {viewer} else [])
        if any(left):
            return (changed, [f"{writer} {lines}: one game is out of {phase}, the other is not"])
        if leaks := list(twins.differences([viewer, "public"])):
            return (changed, [f"{writer} {lines}: {leak}" for leak in leaks])
        _wait(twins)
    return (changed, [])


def _first_apart(twins: Twins) -> tuple[set[Faction], str]:
    """Return the factions of the first act that differs, or an empty set, and a description."""
    one, other = _said(twins.one), _said(twins.other)
    for first, second in zip(one, other, strict=False):
        if first != second:
            return {first[0], second[0]}, f"{first} beside {second}"
    longer = one[len(other) :] or other[len(one) :]
    return ({longer[0][0]}, f"{longer[0]} in one world only") if longer else (set(), "")


# --- requests -------------------------------------------------------------------------------------------------------


def _asked_for(twins: Twins, chance: Chance, steps: int) -> tuple[str, list[str]]:
    """Let one player in each world ask for time, be absent, or set waking hours. Nobody may see which player it was,
    unless the game publicly waits for them."""
    table = twins.one.table()
    asked = {question.faction for question in table.play.asked() if question.public and not question.blanket}
    free = [faction for faction in FACTIONS if faction not in asked]
    if len(free) < 3:
        return ("nobody free to ask", [])
    chance.shuffle("free", free)
    first = (twins.one.now + timedelta(days=20)).date().isoformat()
    request = chance.pick("request", ["extend 6", f"absent {first} to {first}", "waking 9:00 to 21:00", "extend 200"])
    for world, by in ((twins.one, free[0]), (twins.other, free[1])):
        world.moderator.deliver(world.mail(by, request, message_id="<request@players.example>"), world.now)
    for _ in range(steps):
        if _said(twins.one) != _said(twins.other):
            break
        if leaks := list(twins.differences(_onlookers(twins, free[:2]))):
            return (request, [f"{free[0]} or {free[1]}: {leak}" for leak in leaks])
        _wait(twins)
    return (request.partition(" ")[0], [])


# --- both worlds ----------------------------------------------------------------------------------------------------


def _asked_by_wish(world: World, by: Faction) -> bool:
    """Return True if the game publicly waits for this player because of a line ``ask me`` on their sheet."""
    table = world.table()
    own = [q for q in table.play.questions() if q.faction == by and q.public and not q.blanket]
    return any(hands_back(table, question) for question in own)


def _onlookers(twins: Twins, parties: Sequence[Faction]) -> list[Viewer]:
    return [*(faction for faction in twins.one.table().seats if faction not in parties), "public"]


def _wait(twins: Twins) -> None:
    for world in (twins.one, twins.other):
        world.wait(HOURS)


def _same_stop(twins: Twins) -> bool:
    """Return True if both games publicly wait at the same stop."""
    one, other = (world.table().play for world in (twins.one, twins.other))
    return one.stop_name == other.stop_name and one.events == other.events


def _said(world: World) -> Said:
    """Return all orders in the game, with their players, in order."""
    with reading(world.engine) as conn:
        log = log_of(conn, GAME)
    return [(entry.faction, entry.orders) for entry in log if isinstance(entry, Submitted)]


# --- long searches --------------------------------------------------------------------------------------------------


def hunt(seconds: float, seed: str) -> int:
    """Play games of both rule sets at every tempo until time is up. Return the number of leaks."""
    until, number, compared, leaks = time.monotonic() + seconds, 0, Counter[str](), 0
    while time.monotonic() < until:
        ruleset, tempo = ("wbc-2018", "ah-basic")[number % 4 == 3], ("steady", "swift", "table")[number % 3]
        name = f"{seed} {number}"
        with tempfile.TemporaryDirectory() as folder:
            world = World.at(Path(folder))
            world.new_game(ruleset, tempo=tempo, seed=name)
            found = pry_into_sheets(world, Path(folder), Chance(name, {}), pairs=25)
            world.engine.dispose()
        compared += found.compared
        leaks += len(found.leaks)
        for leak in found.leaks:
            print(f"LEAK {name} ({ruleset}, {tempo}) {leak[:3000]}", flush=True)
        print(f"{name} ({ruleset}, {tempo}): {found.compared.total()} pairs", flush=True)
        number += 1
    for what, times in compared.most_common():
        print(f"{times:7} {what}")
    return leaks


if __name__ == "__main__":
    found_leaks = hunt(float(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "hunt")
    print(f"{found_leaks} leaks")
    sys.exit(1 if found_leaks else 0)
