"""One act of the desk, one transaction: either all of it happens, letters included, or nothing.

A state that does not allow the act is refused with a sentence that says what would be allowed. An act that was done
already is no fault: it does nothing, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from bot.games.open_games import OpenGames
from bot.store import mail
from bot.store.database import Connection, writing
from bot.store.tournaments import tournaments
from bot.store.tournaments.rights import Right
from bot.store.tournaments.tournaments import Tournament


class Refused(ValueError):
    """This cannot be done; the message is a sentence that says why, and what can be."""


@dataclass(frozen=True, slots=True)
class By:
    """Who does something: their address, the right by which they do it, and why. The command line of the machine is a
    director's. ``seen`` is the revision of the tournament that they have seen, None for no matter which: where it has
    changed since, nothing is done."""

    address: str = ""
    right: Right | str = "director"
    why: str = ""
    seen: int | None = None


DIRECTOR = By()
"""Whoever types at the machine."""


class _OnlyTried(Exception):
    """Nothing of a dry run is kept."""


_TRIED: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("tried", default=())


def would_be_written() -> tuple[tuple[str, str], ...]:
    """To whom the dry runs since this was asked last would have written, and under which subjects."""
    letters = _TRIED.get()
    _TRIED.set(())
    return letters


_JOINED: ContextVar[Connection | None] = ContextVar("joined", default=None)


@contextmanager
def joining(conn: Connection) -> Iterator[None]:
    """Acts in this block belong to a transaction that has begun, as what follows from a mail belongs to the mail. Who
    does this holds ``open_games.busy``. An act that is refused leaves nothing behind, and the transaction goes on."""
    before = _JOINED.set(conn)
    try:
        yield
    finally:
        _JOINED.reset(before)


@contextmanager
def acting(
    open_games: OpenGames, tournament_id: str, *, dry_run: bool = False, seen: int | None = None, quietly: bool = False
) -> Iterator[tuple[Connection, Tournament]]:
    """One act in one transaction, which nobody else's comes between. UnknownTournament if there is none of that name.
    With ``dry_run`` all is done as it would be, letters included (``would_be_written``), and then undone. Refused where
    the tournament is no longer at the revision that was ``seen``. ``quietly``: nothing that anybody could have seen
    changes, so the revision stays."""
    with open_games.busy:
        try:
            with _transaction(open_games) as conn:
                tournament = tournaments.find(conn, tournament_id)
                if seen is not None and seen != tournament.revision:
                    raise Refused(
                        f"{tournament_id} has changed since (it is at revision {tournament.revision}, not {seen}): "
                        f"look at it with `mentat tournament show {tournament_id}` and say it again."
                    )
                if not quietly:
                    tournaments.touch(conn, tournament_id)
                before = mail.newest(conn) if dry_run else 0
                yield conn, tournament
                if dry_run:
                    _TRIED.set((*_TRIED.get(), *mail.written_after(conn, before)))
                    raise _OnlyTried
        except _OnlyTried:
            open_games.forget()
        except BaseException:
            open_games.forget()
            raise


@contextmanager
def _transaction(open_games: OpenGames) -> Iterator[Connection]:
    joined = _JOINED.get()
    if joined is None:
        with writing(open_games.engine) as conn:
            yield conn
    else:
        with joined.begin_nested():
            yield joined
