"""The upgrade itself: tried on a copy, backed up, renewed; then every running game is played again by the rules that
are installed now. One that goes otherwise is held, with a notice to the game master, and nobody plays in it.

If it fails anywhere before its end the database is as it was: it is renewed in one transaction.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.backup.backing_up import Backup, back_up
from bot.config import Settings
from bot.game_master.rules_upgrade import check_running_games
from bot.games.installed_rules import rules_digest
from bot.moderator.moderator import Moderator
from bot.service.workers import at_work
from bot.store import games
from bot.store.database import (
    Engine,
    backend_of,
    open_database,
    reading,
    refuse_if_held,
    schema_of,
    writing,
)
from bot.store.only_one import only_one
from bot.store.schema import newest
from bot.upgrade.trial import Trial, UpgradeRefused, existing, try_upgrade


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What was done: how the ``trial`` went, the ``backup`` (None where nothing had to be changed), and in how many
    ``seconds`` the database was renewed."""

    trial: Trial
    backup: Backup | None
    seconds: float


def upgrade(settings: Settings, file: Path | None, folder: Path, now: datetime) -> Upgraded:
    """Upgrade the database of the settings. ``file``: where its backup is written, beside it if None; ``folder``: where
    the copy is on which it is tried.

    UpgradeRefused, CopyFailed or DatabaseUnavailable if it cannot be done, and then nothing was changed; AlreadyRunning
    while a service is at work on it.
    """
    place = place_of(settings)
    with ExitStack() as held:
        engine = held.enter_context(existing(place))
        held.enter_context(only_one(engine, "running"))
        with reading(engine) as conn:
            refuse_if_held(conn)
        _refuse_beside_other_rules(engine)
        trial = try_upgrade(place, folder)
        otherwise = {*(proof.id for proof in trial.changed), *trial.released}  # held or not, and it should be the other
        if schema_of(engine) == newest() and not trial.other_rules and not otherwise:
            return Upgraded(trial, None, 0.0)
        file = file or _beside(settings.mentat.database, trial.schema, now)
        backup = back_up(engine, settings.mentat.address, file, 0, now, force=False)
        begun = time.monotonic()
        renewed = open_database(place)
        seconds = time.monotonic() - begun
        try:
            _note_what_was_played(renewed, trial, otherwise)
            check_running_games(Moderator(settings, renewed).open_games, now)
        finally:
            renewed.dispose()
    return Upgraded(trial, backup, seconds)


def _note_what_was_played(engine: Engine, trial: Trial, otherwise: Collection[str]) -> None:
    """The games that held in the trial need not be played again, where nothing has happened in them since; those that
    are found ``otherwise`` than they stand are, whatever rules have checked them."""
    with writing(engine) as conn:
        for game_id in otherwise:
            games.check_again(conn, game_id)
        for played in trial.sound:
            if games.founded(conn, played.id).entries == played.entries:
                games.mark_checked(conn, played.id, rules_digest(), holds=True)


def place_of(settings: Settings) -> Path | str:
    """Where the database is, past a PgBouncer: what is tried has a session of its own."""
    return (settings.database.url and settings.database_direct) or settings.database_place


def _refuse_beside_other_rules(engine: Engine) -> None:
    """UpgradeRefused while workers play by other rules on a server. Others may be at work: they end when they see the
    newer schema, and until then it takes what they write."""
    if backend_of(engine).several:
        try:
            at_work.may_begin(engine)
        except at_work.MayNotWork as why:
            raise UpgradeRefused(str(why)) from why


def _beside(database: Path, schema: str, now: datetime) -> Path:
    """The backup of a database of this schema.

    >>> _beside(Path("mentat.db"), "0012", datetime(2026, 11, 24, 20, 5))
    PosixPath('mentat.db.before-upgrade-of-0012-20261124T200500')
    """
    return database.with_name(f"{database.name}.before-upgrade-of-{schema}-{now:%Y%m%dT%H%M%S}")
