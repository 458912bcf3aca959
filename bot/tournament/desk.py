"""One act of the desk, one transaction: either all of it happens, letters included, or nothing.

A state that does not allow the act is refused with a sentence that says what would be allowed. An act that was done
already is no fault: it does nothing, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.games.one_act import one_act
from bot.games.open_games import OpenGames
from bot.store.database import Connection
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


@contextmanager
def acting(
    open_games: OpenGames, tournament_id: str, *, dry_run: bool = False, seen: int | None = None, quietly: bool = False
) -> Iterator[tuple[Connection, Tournament]]:
    """One act in one transaction, which nobody else's comes between. UnknownTournament if there is none of that name.
    With ``dry_run`` all is done as it would be, letters included (``would_be_written``), and then undone. Refused where
    the tournament is no longer at the revision that was ``seen``. ``quietly``: nothing that anybody could have seen
    changes, so the revision stays."""
    with one_act(open_games, dry_run=dry_run) as conn:
        tournament = tournaments.find(conn, tournament_id)
        if seen is not None and seen != tournament.revision:
            raise Refused(
                f"{tournament_id} has changed since (it is at revision {tournament.revision}, not {seen}): "
                f"look at it with `mentat tournament show {tournament_id}` and say it again."
            )
        if not quietly:
            tournaments.touch(conn, tournament_id)
        yield conn, tournament
