"""The games of one database that are open just now, and the transactions in which they change."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from bot.clock.settings import GameClock, game_clock
from bot.config import Settings
from bot.post.letter_writer import LetterWriter
from bot.store import games
from bot.store.database import Connection, Engine, writing
from bot.table import rounds
from bot.table.table import Table

CACHED_GAMES = 64


class OpenGames:
    """What the moderator and the timekeeper share. Whoever changes a game holds ``busy``: the service's clock works in
    a thread of its own. A game in memory may hold what was not committed, so it is forgotten after a failure."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self.settings = settings
        self.engine = engine
        self.writer = LetterWriter(settings)
        self.busy = threading.RLock()
        self._open: dict[str, Table] = {}

    def table(self, conn: Connection, game_id: str) -> Table:
        """The game, from memory if that is as new as the database. UnknownGame if there is none of that name."""
        table = self._open.pop(game_id, None)
        if table is None or games.revision(conn, game_id) != table.revision:
            table = games.open_table(conn, game_id)
        self._open[game_id] = table  # the one used last is last
        if len(self._open) > CACHED_GAMES:
            self._open.pop(next(iter(self._open)))
        return table

    def clock(self, table: Table) -> GameClock:
        """The clock of a game: the settings, and what it changes of them."""
        return game_clock(self.settings, table.clock, rounds.share(table))

    def stands_still(self, game_id: str) -> bool:
        """Whether the clocks of a game that is open are stopped."""
        table = self._open.get(game_id)
        return table is not None and bool(table.stopped_at)

    def forget(self, game_id: str = "") -> None:
        """Let a game (all, if none is named) be read anew when it is next needed."""
        if game_id:
            self._open.pop(game_id, None)
        else:
            self._open.clear()

    @contextmanager
    def transaction(self, game_id: str, *, dry_run: bool = False) -> Iterator[tuple[Connection, Table]]:
        """One game in one transaction: all that the block does to it is committed together, or none of it. With
        ``dry_run`` all is done as it would be, letters included, and then none of it is committed."""
        with self.busy:
            try:
                with writing(self.engine) as conn:
                    table = self.table(conn, game_id)
                    yield conn, table
                    games.close(conn, table)
                    if dry_run:
                        raise _OnlyTried
            except _OnlyTried:
                self.forget(game_id)
            except BaseException:
                self.forget(game_id)
                raise


class _OnlyTried(Exception):
    """Nothing of a dry run is kept."""
