"""The upgrade of a database: it is tried on a copy, the database is backed up, and the upgrade is carried out. Then
every running game is replayed under the installed rules.

The trial does not change the database itself, which may be in use at the same time, even by the older Mentat. A game
whose replay under the new rules differs is held, and the game master is told; nobody can play in it. The upgrade is one
transaction: if any part of it fails, the database stays as it was.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.config import Settings
from bot.games import proof
from bot.games.proof import Proof, check_running_games, in_sight, rules_digest
from bot.moderator.moderator import Moderator
from bot.service import workers
from bot.service.backup import Backup, back_up
from bot.store import games
from bot.store.copies import CopyFailed, copied_to_try
from bot.store.database import (
    Connection,
    DatabaseUnavailable,
    Engine,
    NewerSchema,
    backend_of,
    name_of,
    open_database,
    reading,
    refuse_if_held,
    renew,
    schema_of,
    size_of,
    unopened,
    writing,
)
from bot.store.glance import SchemaStep, newest_schema, schema_steps
from bot.store.installation import only_one


class UpgradeRefused(Exception):
    """There is nothing to upgrade, or the upgrade would fail. The message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a trial.

    - ``schema`` and ``size`` are the database's schema and its size in bytes, and ``steps`` lead to the newest schema.
    - ``games`` is the number of running and held games that were replayed. The replay of ``sound`` games is the same as
      before, and that of ``changed`` games differs.
    - ``held`` are games that are already held and remain held, and ``released`` are held games that replay correctly
      again.
    - ``other_rules`` is the number of games that were last checked with other rules.
    - ``seconds`` gives the time taken for "copying", "renewing" and "playing".
    """

    schema: str
    size: int
    steps: Sequence[SchemaStep]
    games: int
    other_rules: int
    sound: Sequence[Proof]
    changed: Sequence[Proof]
    held: Sequence[str]
    released: Sequence[str]
    seconds: Mapping[str, float]


@contextmanager
def open_existing(place: Path | str) -> Iterator[Engine]:
    """Open an existing database without changing it. Raise UpgradeRefused if there is no database, and NewerSchema or
    OlderSchema if this Mentat cannot upgrade it."""
    if isinstance(place, Path) and not place.exists():
        raise UpgradeRefused(
            f"There is no database {place}; name the right one in the settings, or create it: mentat init."
        )
    engine = unopened(place)
    try:
        schema = schema_of(engine)
        if schema > newest_schema():
            name = name_of(engine)
            raise NewerSchema(f"The database {name} was made by a newer Mentat; install that one.")
        if not schema:
            raise UpgradeRefused(f"{name_of(engine)} has no tables yet; the first `mentat run` creates them.")
        yield engine
    finally:
        engine.dispose()


def try_upgrade(place: Path | str, folder: Path) -> Trial:
    """Try the upgrade of a database on a copy, which is put into ``folder`` if the database is a file. Raise
    UpgradeRefused, CopyFailed or DatabaseUnavailable if the trial is impossible, and AlreadyRunning during another
    trial."""
    with open_existing(place) as engine:
        schema = schema_of(engine)
        seconds = dict.fromkeys(("copying", "renewing"), 0.0)
        if schema == newest_schema():
            with reading(engine) as conn:
                return _play_running_games(conn, schema, size_of(conn), seconds)
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
                why = f"A copy of {name_of(engine)} cannot be upgraded ({type(fault).__name__}: {fault})."
                what_to_do = "Nothing was changed: continue with the Mentat that you had, and report this."
                raise UpgradeRefused(f"{why} {what_to_do}") from fault
            seconds["renewing"] = time.monotonic() - begun
            with reading(copy) as conn:
                return _play_running_games(conn, schema, size, seconds)


def _play_running_games(conn: Connection, schema: str, size: int, seconds: Mapping[str, float]) -> Trial:
    begun = time.monotonic()
    going_on = games.going_on(conn)
    proofs = [in_sight(conn, proof.verify(proof.full_record(conn, game_id))) for game_id in going_on]
    other = len(games.to_check(conn, but_not=rules_digest()))
    held = {each.id for each in proofs if going_on[each.id] == "held"}
    broken = [each for each in proofs if not each.holds]
    return Trial(
        schema,
        size,
        schema_steps(schema),
        len(proofs),
        other,
        sound=[each for each in proofs if each.holds],
        changed=[each for each in broken if each.id not in held],
        held=[each.id for each in broken if each.id in held],
        released=[each.id for each in proofs if each.holds and each.id in held],
        seconds={**seconds, "playing": time.monotonic() - begun},
    )


@dataclass(frozen=True, slots=True)
class Upgrade:
    trial: Trial
    backup: Backup | None
    seconds: float


def upgrade(settings: Settings, file: Path | None, folder: Path, now: datetime) -> Upgrade:
    """Upgrade the database that the settings name.

    The backup is written to ``file`` or, if that is None, next to the database. The copy for the trial is put into
    ``folder``. If the upgrade is impossible, raise UpgradeRefused, CopyFailed or DatabaseUnavailable and change
    nothing. Raise AlreadyRunning while a service is at work on the database.
    """
    place = place_of(settings)
    with ExitStack() as held:
        engine = held.enter_context(open_existing(place))
        held.enter_context(only_one(engine, "running"))
        with reading(engine) as conn:
            refuse_if_held(conn)
        _refuse_beside_other_rules(engine)
        trial = try_upgrade(place, folder)
        otherwise = {*(proof.id for proof in trial.changed), *trial.released}  # games to be held or released
        if schema_of(engine) == newest_schema() and not trial.other_rules and not otherwise:
            return Upgrade(trial, None, 0.0)
        file = file or _backup_place(settings.mentat.database, trial.schema, now)
        backup = back_up(engine, settings.mentat.address, file, 0, now, force=False)
        begun = time.monotonic()
        renewed = open_database(place)
        seconds = time.monotonic() - begun
        try:
            _note_what_was_played(renewed, trial, otherwise)
            check_running_games(Moderator(settings, renewed).open_games, now)
        finally:
            renewed.dispose()
    return Upgrade(trial, backup, seconds)


def _note_what_was_played(engine: Engine, trial: Trial, otherwise: Collection[str]) -> None:
    """Mark the games that passed the trial as checked under these rules, unless something has happened in them since.
    The games in ``otherwise`` replayed differently, so they must be replayed again, whichever rules they were last
    checked with."""
    with writing(engine) as conn:
        for game_id in otherwise:
            games.check_again(conn, game_id)
        for played in trial.sound:
            if games.game_start(conn, played.id).entries == played.entries:
                games.mark_checked(conn, played.id, rules_digest(), holds=True)


def place_of(settings: Settings) -> Path | str:
    """Return the place of the database. A trial needs its own database session, so a PgBouncer is bypassed."""
    return (settings.database.url and settings.database_direct) or settings.database_place


def _refuse_beside_other_rules(engine: Engine) -> None:
    """Raise UpgradeRefused while workers with other rules use the server. Other workers may go on until they notice the
    newer schema and stop; anything they write before that also fits the newer schema."""
    if backend_of(engine).several:
        try:
            workers.may_begin(engine)
        except workers.MayNotWork as why:
            raise UpgradeRefused(str(why)) from why


def _backup_place(database: Path, schema: str, now: datetime) -> Path:
    """Return the file for the backup of a database that still has this schema.

    >>> _backup_place(Path("mentat.db"), "0012", datetime(2026, 11, 24, 20, 5))
    PosixPath('mentat.db.before-upgrade-of-0012-20261124T200500')
    """
    return database.with_name(f"{database.name}.before-upgrade-of-{schema}-{now:%Y%m%dT%H%M%S}")
