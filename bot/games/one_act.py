"""What somebody does at the desk is one transaction: all of it happens, letters included, or nothing.

An act may belong to a transaction that has begun, as what follows from a mail belongs to the mail; or it may only be
tried, and then leaves nothing but the letters that it would have written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

from bot.games.open_games import OpenGames
from bot.store import mail
from bot.store.database import Connection, writing

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
    before = mail.newest(conn) if dry_run else 0
    yield
    if dry_run:
        _TRIED.set((*_TRIED.get(), *mail.written_after(conn, before)))


def would_be_written() -> tuple[tuple[str, str], ...]:
    """To whom the dry runs since this was asked last would have written, and under which subjects."""
    letters = _TRIED.get()
    _TRIED.set(())
    return letters


class _OnlyTried(Exception):
    """Nothing of a dry run is kept."""
