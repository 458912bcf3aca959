"""The open games of one database, and the transactions in which they change.

One act at the desk is one transaction: either all of it happens, letters included, or nothing. An act may join a
transaction that has already begun, because the consequences of a mail belong to the transaction of that mail. A dry run
changes nothing, and leaves only a list of the letters that it would have written.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from bot.config import Settings
from bot.store import acts, games, mail, record
from bot.store.acts import DeskAct
from bot.store.database import Connection, Engine, NotHeld, held_game, writing
from bot.table import rounds
from bot.table.clock import GameClock, game_clock
from bot.table.table import Table

if TYPE_CHECKING:
    from bot.games.letter_writer import LetterWriter

log = logging.getLogger(__name__)
T = TypeVar("T")
CACHED_GAMES = 64


class OpenGames:
    """The games that the moderator and the timekeeper share.

    A thread that changes a game must hold ``busy``, because the service's clock runs in a separate thread. After a
    failure, the copy of a game in memory may contain changes that were not committed, so it is dropped.
    """

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self.settings = settings
        self.engine = engine
        self.busy = threading.RLock()
        self._open: dict[str, Table] = {}
        self._used = set[str]()  # in the current transaction

    def table(self, conn: Connection, game_id: str) -> Table:
        """Return the game, from memory if the copy there is as new as the database. Raise UnknownGame if there is no
        game with that name, and NotHeld in a transaction that holds a different game."""
        if (held := held_game(conn)) not in (None, game_id):
            raise NotHeld(f"The transaction holds {held or 'no game'} and asks for {game_id}.")
        table = self._open.pop(game_id, None)
        if table is None or games.revision(conn, game_id) != table.revision:
            table = games.open_table(conn, game_id)
        self._open[game_id] = table  # most recently used last
        self._used.add(game_id)
        if len(self._open) > CACHED_GAMES:
            self._open.pop(next(iter(self._open)))
        return table

    def writer(self, conn: Connection, now: datetime) -> LetterWriter:
        from bot.games.letter_writer import LetterWriter  # commands that write no letter need not wait for this import

        return LetterWriter(self.settings, conn, now)

    def clock(self, table: Table) -> GameClock:
        return game_clock(self.settings, table.clock, rounds.share(table), rounds.opponents_pause(table))

    def stands_still(self, game_id: str) -> bool:
        table = self._open.get(game_id)
        return table is not None and bool(table.stopped_at)

    def forget(self, game_id: str = "") -> None:
        """Drop a game (or all games, if none is named) from memory, so that it is read again when it is next needed."""
        if game_id:
            self._open.pop(game_id, None)
        else:
            self._open.clear()

    def in_game(self, game_id: str, work: Callable[[Connection, Table], T]) -> T:
        """Run ``work`` on one game in one transaction, while other transactions may change other games.

        If ``work`` needs more than this game, it is rolled back and run again with all games held. It must therefore
        change nothing but the database and the table.
        """

        def done(conn: Connection) -> T:
            table = self.table(conn, game_id)
            result = work(conn, table)
            games.close(conn, table)
            return result

        return self.committed(game_id, done)

    def committed(self, game_id: str | None, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one transaction, like ``in_game``, but let it open the game itself. If ``game_id`` is None,
        all games are held from the beginning."""
        with self.busy:
            if game_id is not None:
                try:
                    return self._committed(game_id, work)
                except NotHeld as more:
                    log.info("%s is run again with everything held: %s", game_id or "work without a game", more)
            return self._committed(None, work)

    def _committed(self, game_id: str | None, work: Callable[[Connection], T]) -> T:
        self._used.clear()
        try:
            with writing(self.engine, game_id) as conn:
                return work(conn)
        except BaseException:
            for used in self._used:
                self.forget(used)
            raise

    @contextmanager
    def transaction(self, game_id: str) -> Iterator[tuple[Connection, Table]]:
        # commit all changes that the block makes to the game, or none
        with self.busy:
            try:
                with writing(self.engine) as conn:
                    table = self.table(conn, game_id)
                    yield conn, table
                    games.close(conn, table)
            except BaseException:
                self.forget(game_id)
                raise


@dataclass(frozen=True, slots=True)
class Session:
    """The current transaction: its connection, the open games, and its time."""

    conn: Connection
    games: OpenGames
    now: datetime

    @property
    def settings(self) -> Settings:
        return self.games.settings

    @property
    def writer(self) -> LetterWriter:
        return self.games.writer(self.conn, self.now)

    def table(self, game_id: str) -> Table:
        return self.games.table(self.conn, game_id)

    def save(self, table: Table, message_id: int | None = None, *, recorded: bool = False) -> None:
        games.save(self.conn, table, self.now, self.games.clock(table), message_id, recorded=recorded)


class _OnlyTried(Exception):
    pass


_JOINED: ContextVar[Connection | None] = ContextVar("joined", default=None)
_TRIED: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("tried", default=())


@contextmanager
def joining(conn: Connection) -> Iterator[None]:
    """Let acts in this block join the given transaction; the caller must hold ``open_games.busy``. If an act is
    refused, its own changes are undone, and the transaction goes on."""
    before = _JOINED.set(conn)
    try:
        yield
    finally:
        _JOINED.reset(before)


def joined() -> Connection | None:
    return _JOINED.get()


@contextmanager
def act(open_games: OpenGames, now: datetime, game_id: str = "", *, dry_run: bool = False) -> Iterator[Session]:
    """Hold one exclusive transaction, or join the current one; commit everything that the block writes, or nothing.

    ``game_id`` names the game if only that game changes. With ``dry_run`` everything is rolled back at the end;
    ``would_be_written`` then returns the letters.
    """
    begun = joined()
    with open_games.busy if begun is None else nullcontext():
        try:
            with writing(open_games.engine) if begun is None else begun.begin_nested() as opened:
                conn = begun if begun is not None else opened
                assert isinstance(conn, Connection)
                before = mail.newest_letter(conn) if dry_run else 0
                yield Session(conn, open_games, now)
                if dry_run:
                    _TRIED.set((*_TRIED.get(), *mail.letters_written_after(conn, before)))
                    raise _OnlyTried
        except _OnlyTried:
            open_games.forget(game_id)
        except BaseException:
            open_games.forget(game_id)
            raise


def would_be_written() -> tuple[tuple[str, str], ...]:
    """Return the addresses and subjects of the letters that dry runs would have written, and clear that list."""
    letters = _TRIED.get()
    _TRIED.set(())
    return letters


def acts_of(conn: Connection, game_id: str) -> list[DeskAct]:
    logged = acts.acts_of(conn, game_id=game_id)
    known = {act.at for act in logged if act.what == "rollback"}
    older = [
        DeskAct(
            each.at, "rollback", words=f"to turn {each.turn}, {each.phase}: {each.entries} entries kept", tell=each.why
        )
        for each in record.rollbacks_of(conn, game_id)
        if each.at not in known
    ]
    return sorted([*logged, *older], key=lambda act: act.at)
