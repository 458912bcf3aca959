"""Finds the person behind an address in a tournament, whatever tag and letter case it is written with. This is for what
one person may have only once; whose word counts is decided by addresses as they are written (``of_person`` in the
store)."""

from __future__ import annotations

from bot.config import Settings
from bot.identity.persons import are_one, identifiers
from bot.store.database import Connection
from bot.store.tournaments import entrants, rights
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rights import Granted


def entrant_of(conn: Connection, settings: Settings, tournament_id: str, address: str) -> Entrant | None:
    """The entrant who is this person."""
    known = entrants.of_person(conn, tournament_id, address)
    if known is not None or settings.identity.tags_apart:
        return known
    return entrants.at_mailbox(conn, tournament_id, identifiers(conn, settings, address))


def right_of(conn: Connection, settings: Settings, tournament_id: str, address: str) -> Granted | None:
    """The right of this person, if any."""
    granted = rights.of_tournament(conn, tournament_id)
    return next((each for each in granted if are_one(conn, settings, each.address, address)), None)
