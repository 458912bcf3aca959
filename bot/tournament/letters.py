"""Letters about a tournament: to one entrant, to all of them, to its organisers.

A letter to an entrant brings back their token for this tournament, so that their answers are known; what it says are
sentences of ``templates/tournament/``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.post.letter_writer import LetterWriter
from bot.store.database import Connection
from bot.store.tournaments import rights
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.tournaments import Tournament


def tell(
    conn: Connection, writer: LetterWriter, entrant: Entrant, now: datetime, subject: str, paragraphs: Sequence[str],
    cause: str,
) -> None:  # fmt: skip
    """A letter to one entrant. ``cause`` names what it is about, so that it is written once."""
    about = f"tournament.{entrant.tournament_id}.{entrant.number}.{cause}"
    writer.tell(conn, now, entrant.address, subject, paragraphs, about, entrant.token)


def tell_all(
    conn: Connection, writer: LetterWriter, entrants: Iterable[Entrant], now: datetime, subject: str,
    paragraphs: Sequence[str], cause: str,
) -> None:  # fmt: skip
    """The same letter to several entrants, one each."""
    for entrant in entrants:
        tell(conn, writer, entrant, now, subject, paragraphs, cause)


def tell_organisers(
    conn: Connection, writer: LetterWriter, tournament: Tournament, now: datetime, subject: str,
    paragraphs: Sequence[str], cause: str,
) -> None:  # fmt: skip
    """A letter to everybody who has a right in the tournament, or to the game master where nobody has."""
    granted = [who for who in rights.of_tournament(conn, tournament.id) if who.right != "auditor"]
    for who in granted:
        about = f"tournament.{tournament.id}.{who.address}.{cause}"
        writer.tell(conn, now, who.address, subject, paragraphs, about, who.token)
    if not granted:
        writer.tell_game_master(conn, now, subject, paragraphs, f"tournament.{tournament.id}.{cause}")
