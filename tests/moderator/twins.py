"""Two copies of one Mentat, side by side. In one of them, something secret is done or changed. Any difference that
somebody else can see is a leak."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from sqlalchemy import select, update

from bot.desk.game_view import json_view
from bot.language.orders import write
from bot.store.database import reading, unpack, writing
from bot.store.mail import LETTER
from bot.store.tables import SNAPSHOT
from rules.components import Faction
from rules.components.chance import Chance
from rules.random_players import RandomPlayer
from rules.state.events import Viewer
from rules.state.state import State
from tests.database_copies import keep, put
from tests.moderator.table import FOLDS, World, make_settings
from tests.properties.twins import CHANGES, sight

Row = tuple[object, ...]


class Twins:
    """Copies of a world, in one of which something is done."""

    def __init__(self, world: World, folder: Path, name: str, config: str = FOLDS) -> None:
        self.one, self.other = (_copy(world, folder / f"{name}-{half}", config) for half in ("one", "other"))
        self._ends = len(world.letters())

    def close(self) -> None:
        for world in (self.one, self.other):
            world.engine.dispose()
            shutil.rmtree(world.settings.mentat.database.parent)

    def differences(self, onlookers: Sequence[Viewer]) -> Iterator[str]:
        """Yield the differences between the two worlds that onlookers can see."""
        first, second = self.one.table(), self.other.table()
        for onlooker in onlookers:
            seen = json_view(first, onlooker, self.one.settings)
            seen_instead = json_view(second, onlooker, self.other.settings)
            if json.dumps(seen, default=str) != json.dumps(seen_instead, default=str):
                yield f"{onlooker} is shown another game: {_apart(seen, seen_instead)}"
            one, other = (_letters(world, onlooker) for world in (self.one, self.other))
            if one != other:
                yield f"{onlooker} gets other letters: {_apart(one, other)}"

    def noticed(self, viewer: Faction, steps: int) -> Iterator[str]:
        """Yield the differences that a viewer can see now and after each step of 12 hours, until the phase ends."""
        phase = self.one.table().play.state.phase
        for _ in range(steps):
            if self.one.table().play.state.phase != phase:
                return
            yield from self.differences([viewer, "public"])
            for twin in (self.one, self.other):
                twin.wait(12)


def _copy(world: World, folder: Path, config: str) -> World:
    """Copy the world with its database."""
    folder.mkdir(parents=True)
    settings = make_settings(folder, config)
    world.engine.dispose()
    put(keep(world.settings.mentat.database), settings.mentat.database)
    made = World.at(folder, config)
    made.now = world.now
    return made


_SO_FAR = re.compile(rb"(record so far: )[0-9a-f]{16}(?![0-9a-f])")


def _letters(world: World, viewer: Viewer) -> list[Row]:
    """Return the stored letters to a reader, without the digits of record heads. These differ, because the two worlds
    have different records. They reveal nothing, because they are hashes over lines with secret salts. Whether, where
    and how often they appear is still compared."""
    hidden = {"id"}  # this number also counts other readers' letters
    names = [column.name for column in LETTER.columns if column.name not in hidden]
    with reading(world.engine) as conn:
        rows = conn.execute(select(LETTER).where(LETTER.c.faction == viewer).order_by(LETTER.c.id)).mappings().all()
    return [tuple((name, without_heads(row[name])) for name in names) for row in rows]


def without_heads(value: object) -> object:
    """Return the bytes or text of a letter without the digits of record heads."""
    if isinstance(value, str):
        return _SO_FAR.sub(rb"\1(head)", value.encode()).decode()
    return _SO_FAR.sub(rb"\1(head)", value) if isinstance(value, bytes) else value


def _apart(one: object, other: object) -> str:
    """Describe the first difference between two values."""
    if isinstance(one, dict) and isinstance(other, dict):
        key = next(key for key in (*one, *other) if one.get(key) != other.get(key))
        return f"{key}: {_apart(one.get(key), other.get(key))}"
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        if len(one) != len(other):
            return f"{len(one)} or {len(other)} of them: {str((*one, *other)[-1])[:3000]}"
        return _apart(*next((a, b) for a, b in zip(one, other, strict=True) if a != b))
    if isinstance(one, bytes) and isinstance(other, bytes) and max(len(one.splitlines()), len(other.splitlines())) > 1:
        return _apart(one.splitlines(), other.splitlines())
    return f"{one!r} beside {other!r}"


def advance(world: World, player: RandomPlayer, moves: int) -> None:
    """Write what a random player would write, or let time pass."""
    for _ in range(moves):
        table = world.table()
        if table.play.over:
            return
        question = table.play.questions()[0]
        if question.blanket:
            world.wait(24)
        else:
            world.say(question.faction, write(player.answer(question)))


def change_unseen(twins: Twins, viewer: Faction, chance: Chance) -> str:
    """Change something hidden from the viewer in the second world, and return its name.

    Return "" if nothing could be changed, or if the phase so far would then have looked different to the viewer.
    """
    state_of = msgspec.msgpack.Decoder(State)
    with writing(twins.other.engine) as conn:
        last = conn.execute(select(SNAPSHOT).order_by(SNAPSHOT.c.number.desc()).limit(1)).one()
        state = state_of.decode(unpack(last.state))
        possible = [
            name for name, change in CHANGES.items() if change(state_of.decode(unpack(last.state)), viewer, chance)
        ]
        changed = chance.pick("change", possible) if possible else ""
        if not changed or not CHANGES[changed](state, viewer, chance):
            return ""
        kept = msgspec.msgpack.encode(state)
        conn.execute(update(SNAPSHOT).where(SNAPSHOT.c.number == last.number).values(state=kept))
    try:
        one, other = (twin.table().play for twin in (twins.one, twins.other))
    except ValueError:  # a player did something that they now could not have done
        return ""
    return (
        changed
        if list(sight(one, one.snapshot, viewer).items()) == list(sight(other, one.snapshot, viewer).items())
        else ""
    )
