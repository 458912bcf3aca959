"""What an upgrade would do: a copy is renewed, and every running game in it is played again by the rules installed now.

Nothing of the database itself is changed, and it may be in use meanwhile, by the older Mentat too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.games import proof
from bot.games.installed_rules import rules_digest
from bot.games.proof import Proof
from bot.games.sight import in_sight
from bot.store import games
from bot.store.copies.label import CopyFailed
from bot.store.copies.trial import copied_to_try
from bot.store.database import (
    Connection,
    DatabaseUnavailable,
    Engine,
    NewerSchema,
    name_of,
    reading,
    renew,
    schema_of,
    size_of,
    unopened,
)
from bot.store.schema import Step, newest, steps


class UpgradeRefused(Exception):
    """There is nothing that could be upgraded, or it would fail. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a trial.

    ``schema`` is that of the database, of so many bytes (``size``), and ``steps`` what brings it to the newest. Of the
    running and held ``games``, all of which were played again, ``sound`` ones hold, ``changed`` go otherwise by the
    rules installed now, ``held`` are held already and stay so, ``released`` are held and hold again; so many are
    ``other_rules``: they were last checked with others than those. ``seconds`` for "copying", "renewing", "playing".
    """

    schema: str
    size: int
    steps: Sequence[Step]
    games: int
    other_rules: int
    sound: Sequence[Proof]
    changed: Sequence[Proof]
    held: Sequence[str]
    released: Sequence[str]
    seconds: Mapping[str, float]


@contextmanager
def existing(place: Path | str) -> Iterator[Engine]:
    """A database that is there, as it is. UpgradeRefused if there is none, NewerSchema or OlderSchema if this Mentat
    cannot upgrade it."""
    if isinstance(place, Path) and not place.exists():
        raise UpgradeRefused(
            f"There is no database {place}; name the right one in the settings, or make it: mentat init."
        )
    engine = unopened(place)
    try:
        schema = schema_of(engine)
        if schema > newest():
            name = name_of(engine)
            raise NewerSchema(f"The database {name} was made by a newer Mentat; install that one.")
        if not schema:
            raise UpgradeRefused(f"{name_of(engine)} has no tables yet; the first `mentat run` makes them.")
        yield engine
    finally:
        engine.dispose()


def try_upgrade(place: Path | str, folder: Path) -> Trial:
    """Try the upgrade of a database on a copy, which is written into a folder where the database is a file.

    UpgradeRefused, CopyFailed or DatabaseUnavailable, if it cannot be done; AlreadyRunning while another is tried.
    """
    with existing(place) as engine:
        schema = schema_of(engine)
        seconds = dict.fromkeys(("copying", "renewing"), 0.0)
        if schema == newest():
            with reading(engine) as conn:
                return _played(conn, schema, size_of(conn), seconds)
        with engine.connect() as conn:
            size = size_of(conn)
        begun = time.monotonic()
        with copied_to_try(engine, folder) as copy:
            seconds["copying"] = time.monotonic() - begun
            begun = time.monotonic()
            try:
                renew(copy)
            except (CopyFailed, DatabaseUnavailable):
                raise
            except Exception as fault:
                why = f"A copy of {name_of(engine)} cannot be renewed ({type(fault).__name__}: {fault})."
                what_to_do = "Nothing was changed: go on with the Mentat that you had, and report this."
                raise UpgradeRefused(f"{why} {what_to_do}") from fault
            seconds["renewing"] = time.monotonic() - begun
            with reading(copy) as conn:
                return _played(conn, schema, size, seconds)


def _played(conn: Connection, schema: str, size: int, seconds: Mapping[str, float]) -> Trial:
    """Play all again that go on."""
    begun = time.monotonic()
    going_on = games.going_on(conn)
    proofs = [in_sight(conn, proof.verify(proof.record(conn, game_id))) for game_id in going_on]
    other = len(games.to_check(conn, but_not=rules_digest()))
    held = {each.id for each in proofs if going_on[each.id] == "held"}
    broken = [each for each in proofs if not each.holds]
    return Trial(
        schema, size, steps(schema), len(proofs), other,
        sound=[each for each in proofs if each.holds],
        changed=[each for each in broken if each.id not in held],
        held=[each.id for each in broken if each.id in held],
        released=[each.id for each in proofs if each.holds and each.id in held],
        seconds={**seconds, "playing": time.monotonic() - begun},
    )  # fmt: skip
