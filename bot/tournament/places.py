"""Tables as organisers name them, and who sits there."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.reports.times import clock_of, moment
from bot.store import addresses
from bot.store.database import Connection, DatabaseUnavailable
from bot.store.tournaments import entrants, rights
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rounds import RoundTable, Tenure
from bot.tournament.desk import By, Refused

log = logging.getLogger(__name__)
_NAMED = re.compile(r"(?:([0-9]{1,5})[./-])?([0-9]{1,5})", re.ASCII)


def written(table: RoundTable) -> str:
    """How a table is named: ``1.3`` is the third of the first round."""
    return f"{table.round}.{table.number}"


def table_named(conn: Connection, tournament_id: str, said: str) -> RoundTable:
    """A table by its round and number ("1.3"), by its number alone where one round only is played, or by its game.
    Refused if there is none."""
    every = rows.tables(conn, tournament_id)
    found = _NAMED.fullmatch(said.strip())
    if found and found[1]:
        fits = [table for table in every if table.place == (int(found[1]), int(found[2]))]
    elif found:
        open_now = [each.number for each in rows.rounds(conn, tournament_id) if each.state != "closed"]
        fits = [table for table in every if table.number == int(found[2]) and table.round in open_now]
    else:
        fits = [table for table in every if table.game_id and table.game_id == said.strip()]
    if len(fits) == 1:
        return fits[0]
    if fits:
        named = ", ".join(map(written, fits))
        raise Refused(f"{said} may be one of several tables ({named}): name it with its round.")
    raise Refused(f"{tournament_id} has no table {said!r}; name it like 1.3, the third table of round 1.")


def fresh(conn: Connection, table: RoundTable) -> RoundTable:
    """The same table as it stands now."""
    found = rows.tables(conn, table.tournament_id, table.round)
    return next(each for each in found if each.number == table.number)


def by_number(conn: Connection, tournament_id: str) -> Mapping[int, Entrant]:
    """The entrants by their numbers."""
    return {entrant.number: entrant for entrant in entrants.of_tournament(conn, tournament_id)}


def sitting(conn: Connection, table: RoundTable) -> list[tuple[Tenure, Entrant | None]]:
    """Who holds each seat of a table now; nobody, where a caretaker does."""
    known = by_number(conn, table.tournament_id)
    held = rows.now_sitting(conn, table.tournament_id, table.round, table.number)
    return [(tenure, known.get(tenure.entrant)) for tenure in held]


def players(conn: Connection, table: RoundTable) -> list[Entrant]:
    """Who sits at a table now."""
    return [entrant for _, entrant in sitting(conn, table) if entrant is not None]


def ever_there(conn: Connection, table: RoundTable) -> list[Entrant]:
    """Who sits at a table or has sat there."""
    known = by_number(conn, table.tournament_id)
    held = rows.tenures(conn, table.tournament_id, table.round, table.number)
    return [known[number] for number in dict.fromkeys(tenure.entrant for tenure in held) if number in known]


def require_unconcerned(conn: Connection, table: RoundTable, by: By) -> None:
    """Nobody decides about a table at which they sit or sat, or where somebody sits from whom they are kept apart.
    Refused, without a word of whom."""
    if not by.address:
        return
    known = addresses.known_as(conn, by.address)
    there = ever_there(conn, table)
    if any(entrant.address in known for entrant in there):
        raise Refused(f"Whoever plays at table {written(table)} cannot decide about it; another arbiter can.")
    own = entrants.of_person(conn, table.tournament_id, by.address)
    if own is None:
        return
    seated = {entrant.number for entrant in there}
    for pair in entrants.apart(conn, table.tournament_id):
        if own.number in (pair.one, pair.other) and {pair.one, pair.other} - {own.number} <= seated:
            raise Refused(f"You cannot decide about table {written(table)}, for your own sake; another arbiter can.")


def require_right(conn: Connection, tournament_id: str, by: By, *wanted: str) -> None:
    """Refused if who does this has none of these rights. Whoever sits at the machine has all."""
    if not by.address:
        return
    granted = rights.of_person(conn, tournament_id, by.address)
    if granted is None or granted.right not in wanted:
        raise Refused(f"This is for {' or '.join(wanted)} of {tournament_id}; {by.address} is none.")


def instant(when: datetime, entrant: Entrant) -> str:
    """An instant as this entrant's clock has it."""
    zone = ZoneInfo(entrant.timezone)
    return f"{moment(when, zone)} {clock_of(zone)}"


@contextmanager
def guarded(what: str, table: str) -> Iterator[None]:
    """What fails at one table does not stop the work at others: it is tried again."""
    try:
        yield
    except DatabaseUnavailable:
        raise
    except Exception:
        log.exception("%s failed for %s; it is tried again", what, table)
