"""Warming up: a game and a mail in a database of their own, before the processes are forked.

The first mail that a process takes compiles the grammar of orders, the words that people use, the templates of letters
and the ground of the board's picture: fifteen times the work of any other. Done once by the supervisor, all processes
share it. So one that is started anew is at once as quick as the others, and none dies over a mail only because its
first takes so long.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bot.config import Settings
from bot.config.sections import ArchiveSettings, DatabaseSettings, IdentitySettings, LimitSettings
from bot.game_master.new_game import NewGame, new_game
from bot.mail.identity import plus_address
from bot.moderator.moderator import Moderator
from bot.store import games
from bot.store.database import open_database, reading
from rules.components import FACTIONS
from rules.components.board import DOTS

_GAME, _RULESET, _SEED = "warming-up", "wbc-2018", "warming up"
_NOW = datetime(2026, 9, 7, 18, tzinfo=UTC)


def warm(settings: Settings) -> None:
    """Let a made-up player order something in a game that nobody else sees; nothing is sent or logged, and nothing
    stays."""
    with _without_log(), tempfile.TemporaryDirectory(prefix="mentat-warm-") as folder:
        moderator = Moderator(_apart(settings, Path(folder)), open_database(Path(folder) / "warm.db"))
        try:
            addresses = {faction: f"{faction}@players.example" for faction in FACTIONS}
            dots = dict(zip(FACTIONS, DOTS, strict=True))
            new_game(moderator.open_games, NewGame(_GAME, _RULESET, addresses, dots, _SEED), _NOW)
            with reading(moderator.engine) as conn:
                table = games.open_table(conn, _GAME)
            faction = table.play.questions()[0].faction
            head = (
                f"From: {addresses[faction]}\r\nTo: {plus_address(settings.mentat.address, table.seats[faction].token)}"
            )
            words = "predict guild turn 4\r\nI think this is well said\r\nmap\r\nstatus"
            raw = f"{head}\r\nSubject: {_SEED}\r\nMessage-ID: <1@players.example>\r\n\r\n{words}\r\n"
            moderator.deliver(raw.encode(), _NOW)
        finally:
            moderator.engine.dispose()


@contextmanager
def _without_log() -> Iterator[None]:
    """Within the block nothing is logged: the log of a new schema in the temporary database would only mislead."""
    logging.disable()
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _apart(settings: Settings, folder: Path) -> Settings:
    """The same settings with a database in a folder, and without all that reaches out of it."""
    return settings.model_copy(
        update={
            "mentat": settings.mentat.model_copy(update={"database": folder / "warm.db", "plus_addressing": True}),
            "database": DatabaseSettings(), "identity": IdentitySettings(), "limits": LimitSettings(),
            "archive": ArchiveSettings(), "forums": {},
        }
    )  # fmt: skip
