"""Entrants who are never seated together: a family, a team. Who they are is secret; only how many pairs there are is in
the record."""

from __future__ import annotations

from datetime import datetime

from bot.games.open_games import OpenGames
from bot.store.database import Connection
from bot.store.tournaments import acts, entrants, rounds
from bot.store.tournaments.entrants import Apart, Entrant
from bot.tournament.desk import DIRECTOR, By, Refused, acting
from bot.tournament.places import require_right


def keep_apart(
    open_games: OpenGames, tournament_id: str, one: str, other: str, now: datetime, *, by: By = DIRECTOR,
    remove: bool = False, dry_run: bool = False,
) -> bool:  # fmt: skip
    """Never seat two entrants together from the next draw on, or (``remove``) let them be; False if it is so
    already."""
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        if tournament.state in ("finished", "cancelled"):
            raise Refused(f"{tournament_id} is {tournament.state}; nobody is seated there any more.")
        first, second = _named(conn, tournament_id, one), _named(conn, tournament_id, other)
        if first.number == second.number:
            raise Refused(f"{first.handle} is one entrant; name the two who are kept apart.")
        numbers = sorted((first.number, second.number))
        there = [pair for pair in entrants.apart(conn, tournament_id) if [pair.one, pair.other] == numbers]
        if bool(there) is not remove:
            return False
        if remove:
            entrants.part_no_more(conn, tournament_id, first.number, second.number)
        else:
            entrants.keep_apart(conn, tournament_id, Apart(numbers[0], numbers[1], by.why))
        words = "a pair is kept apart no longer" if remove else "a pair is kept apart"
        acts.add(
            conn, tournament_id, now, "apart", words, who=by.address, right=by.right, audience="directors"
        )  # fmt: skip
        return True


def sitting_together(conn: Connection, tournament_id: str, one: str, other: str) -> list[str]:
    """The tables that were drawn, by round and number, at which both sit: a later draw does not change them."""
    wanted = {_named(conn, tournament_id, one).number, _named(conn, tournament_id, other).number}
    places: dict[tuple[int, int], set[int]] = {}
    for tenure in rounds.now_sitting(conn, tournament_id):
        places.setdefault((tenure.round, tenure.table), set()).add(tenure.entrant)
    going = {table.place for table in rounds.tables(conn, tournament_id, states=("planned", "playing"))}
    return [f"{number}.{table}" for (number, table), there in sorted(places.items())
            if wanted <= there and (number, table) in going]  # fmt: skip


def _named(conn: Connection, tournament_id: str, handle: str) -> Entrant:
    found = entrants.find(conn, tournament_id, handle)
    if found is None:
        raise Refused(f"{tournament_id} has no entrant {handle[:20]!r}; name them by handle, like E012.")
    return found
