"""The open games of one database, and the transactions in which they change.

One act at the desk is one transaction: all of it happens, letters included, or nothing. An act may join a transaction
that has begun, as the consequences of a mail belong to that mail. A dry run leaves nothing but a list of the letters
that it would have written.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TypeVar

from bot.config import Settings
from bot.games.letter_writer import LetterWriter
from bot.store import games, mail, record
from bot.store.database import Connection, Engine, NotHeld, held_game, writing
from bot.store.record import GameAct
from bot.table import rounds
from bot.table.clock import GameClock, game_clock
from bot.table.table import Table

log = logging.getLogger(__name__)
T = TypeVar("T")
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
        self._used = set[str]()  # in the transaction under way

    def table(self, conn: Connection, game_id: str) -> Table:
        """The game, from memory if that is as new as the database. UnknownGame if there is none of that name; NotHeld
        in a transaction that holds another."""
        if (held := held_game(conn)) not in (None, game_id):
            raise NotHeld(f"The transaction holds {held or 'no game'} and asks for {game_id}.")
        table = self._open.pop(game_id, None)
        if table is None or games.revision(conn, game_id) != table.revision:
            table = games.open_table(conn, game_id)
        self._open[game_id] = table  # the one used last is last
        self._used.add(game_id)
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

    def in_game(self, game_id: str, work: Callable[[Connection, Table], T]) -> T:
        """Do something to one game in one transaction, while others may change other games. Where it reaches further
        nothing of it is kept, and it is done again with everything held; so ``work`` does nothing but change the
        database and the table."""

        def done(conn: Connection) -> T:
            table = self.table(conn, game_id)
            result = work(conn, table)
            games.close(conn, table)
            return result

        return self.committed(game_id, done)

    def committed(self, game_id: str | None, work: Callable[[Connection], T]) -> T:
        """Do something in one transaction as ``in_game`` does, where ``work`` opens the game itself; where no game is
        named, everything is held from the beginning."""
        with self.busy:
            if game_id is not None:
                try:
                    return self._committed(game_id, work)
                except NotHeld as more:
                    log.info("%s is done again with everything held: %s", game_id or "work without a game", more)
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


_JOINED: ContextVar[Connection | None] = ContextVar("joined", default=None)
_TRIED: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("tried", default=())


@contextmanager
def joining(conn: Connection) -> Iterator[None]:
    """Acts in this block belong to a transaction that has begun. Who does this holds ``open_games.busy``. An act that
    is refused leaves nothing behind, and the transaction goes on."""
    before = _JOINED.set(conn)
    try:
        yield
    finally:
        _JOINED.reset(before)


def joined() -> Connection | None:
    """The transaction that acts belong to just now; None where each has one of its own."""
    return _JOINED.get()


@contextmanager
def one_act(open_games: OpenGames, *, dry_run: bool = False) -> Iterator[Connection]:
    """One transaction, which nobody else's comes between: all that the block writes, or nothing. With ``dry_run`` all
    is done as it would be and then undone, and ``would_be_written`` has the letters."""
    begun = joined()
    with open_games.busy if begun is None else nullcontext():
        try:
            with writing(open_games.engine) if begun is None else begun.begin_nested() as opened:
                conn = begun if begun is not None else opened
                assert isinstance(conn, Connection)
                with noting_letters(conn, dry_run=dry_run):
                    yield conn
                if dry_run:
                    raise _OnlyTried
        except _OnlyTried:
            open_games.forget()
        except BaseException:
            open_games.forget()
            raise


@contextmanager
def noting_letters(conn: Connection, *, dry_run: bool) -> Iterator[None]:
    """Within the block, dry runs note which letters they would have written (``would_be_written``)."""
    before = mail.newest_letter(conn) if dry_run else 0
    yield
    if dry_run:
        _TRIED.set((*_TRIED.get(), *mail.letters_written_after(conn, before)))


def would_be_written() -> tuple[tuple[str, str], ...]:
    """To whom the dry runs since this was asked last would have written, and under which subjects."""
    letters = _TRIED.get()
    _TRIED.set(())
    return letters


def acts_of(conn: Connection, game_id: str) -> list[GameAct]:
    """Everything that was done to a game, in order."""
    acts = record.acts_of_game(conn, game_id)
    known = {act.at for act in acts if act.what == "rollback"}
    older = [
        GameAct(
            each.at, "rollback", words=f"to turn {each.turn}, {each.phase}: {each.entries} entries kept", tell=each.why
        )
        for each in record.rollbacks_of(conn, game_id)
        if each.at not in known
    ]
    return sorted([*acts, *older], key=lambda act: act.at)
