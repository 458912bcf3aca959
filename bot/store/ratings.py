"""People's ratings: a ledger of the rating changes of each rated game, computed from the results of rated tournaments.

The results are the source (``bot.competition.ratings``), so the ledger can be recomputed from them at any time.
Whenever a result is added or removed, a single transaction recomputes it (``keep_up``). A person is found by any of
their addresses. Only a deleted person's number remains, so that the ratings of their opponents still add up.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Column, Connection, ForeignKey, Integer, delete, func, insert, select, update

from bot.competition.outcomes import Handle, SeatOutcome, TableOutcome
from bot.competition.published import RatingChange
from bot.competition.published import Result as PublishedResult
from bot.competition.ratings import (
    RANKED_FROM,
    Change,
    FactionAt,
    Rated,
    Ratings,
    chain_ratings,
    counting_outcomes,
    outcomes_in_order,
    published_changes,
    six_decimals,
    write_opening,
)
from bot.store import installation, tournament_rounds, tournaments
from bot.store.database import inserted_number
from bot.store.people import known_as
from bot.store.rows import load_all, row_of, table_of
from bot.store.tables import NOBODY, RATED_PERSON
from bot.store.tournaments import ENTRANT
from rules.components import Faction


@dataclass(frozen=True, slots=True)
class RatedPerson:
    """A person with their rating. ``name`` is the name under which they agreed to be shown, or "". If ``private`` is
    set, they are left out of the public list."""

    id: int
    name: str
    private: bool
    rated: Rated

    @property
    def shown(self) -> str:
        return self.name or f"player {abs(self.id)}"


@dataclass(frozen=True, slots=True)
class Moved:
    number: int
    game_id: str
    faction: Faction
    before: str
    after: str
    scored: str
    expected: str
    k: str


RATING = table_of(
    "rating",
    Moved,
    Column("person", Integer, ForeignKey("rated_person.id"), primary_key=True),
    key="game_id faction person",
    index="person number",
    person=int,
    faction_before=str,
    faction_after=str,
)
"""The ledger. ``number`` is the game's place in the order in which games ended. If a player left a seat early, there is
a row for each person who is rated for that seat."""


def is_behind(conn: Connection) -> bool:
    known = installation.heartbeat(conn, "ratings")
    return known is not None and known.failing_since is not None


def keep_up(conn: Connection, now: datetime) -> bool:
    """Recompute the ledger if results were added or removed since the last time. Return True if it was recomputed."""
    if not is_behind(conn):
        return False
    recompute(conn)
    installation.beat(conn, "ratings", now)
    return True


def recompute(conn: Connection) -> int:
    changes, _ = chain_ratings(_rated_results(conn, _Persons(conn)))
    _write(conn, changes)
    return len({change.game for change in changes})


def factions(conn: Connection) -> dict[FactionAt, float]:
    found = select(RATING.c.game_id, RATING.c.faction, RATING.c.faction_after, RATING.c.number)
    at = {one.game: (one.ruleset, len(one.seats)) for one in _rated_results(conn, None)}
    worth: dict[FactionAt, float] = {}
    for row in conn.execute(found.order_by(RATING.c.number)):
        if row.game_id in at:
            worth[(*at[row.game_id], row.faction)] = float(row.faction_after)
    return dict(sorted(worth.items()))


def _rated_results(conn: Connection, everybody: _Persons | None) -> list[TableOutcome]:
    outcomes: list[TableOutcome] = []
    for tournament in tournaments.all_tournaments(conn):
        if tournament.settings.rated:
            own = everybody.of(conn, tournament.id) if everybody else counting_outcomes(_versions(conn, tournament.id))
            outcomes += own
    return outcomes


def persons(conn: Connection) -> list[RatedPerson]:
    last = select(RATING.c.person, func.max(RATING.c.number).label("number"), func.count().label("games"))
    last_game = last.group_by(RATING.c.person).subquery()
    found = (
        select(RATED_PERSON, RATING.c.after, last_game.c.games)
        .join(last_game, last_game.c.person == RATED_PERSON.c.id)
        .join(RATING, (RATING.c.person == RATED_PERSON.c.id) & (RATING.c.number == last_game.c.number))
    )
    everybody = [
        RatedPerson(row.id, row.name, row.private, Rated(float(row.after), row.games)) for row in conn.execute(found)
    ]
    return sorted(everybody, key=lambda one: (-one.rated.rating, one.id))


def public_list(conn: Connection) -> tuple[list[RatedPerson], dict[FactionAt, float]]:
    """Return the public rating list, best first, and the value of each faction.

    Private people are left out. Faction values are computed from ladders and finished tournaments only, because the
    games of a running tournament would reveal its players. A person who plays under their name in one tournament and
    anonymously in another has two rows, so that nobody can connect the two. The number of the anonymous row is the
    person's number with a minus sign.
    """
    everybody = _Persons(conn, writing=False, apart=True)
    outcomes: list[TableOutcome] = []
    for tournament in tournaments.all_tournaments(conn):
        settings = tournament.settings
        if settings.rated and (tournament.state == "finished" or settings.format == "ladder"):
            outcomes += everybody.of(conn, tournament.id)
    _, ratings = chain_ratings(outcomes)
    rows = conn.execute(select(RATED_PERSON).where(~RATED_PERSON.c.private))
    known = [
        one
        for row in rows
        for one in (
            RatedPerson(row.id, row.name, row.private, ratings.of(str(row.id))),
            RatedPerson(-row.id, "", row.private, ratings.of(_nameless(row.id))),
        )
    ]
    played = [one for one in known if one.rated.games]
    return sorted(played, key=lambda one: (-one.rated.rating, one.id)), dict(sorted(ratings.factions.items()))


def ranks(everybody: Sequence[RatedPerson]) -> dict[int, int]:
    ranked = [one for one in everybody if one.rated.games >= RANKED_FROM]
    return {one.id: 1 + sum(other.rated.rating > one.rated.rating for other in ranked) for one in ranked}


def find(conn: Connection, who: str) -> RatedPerson | None:
    """Find a person by an address, by their number, or by their public name in any letter case. A person without rated
    games has the initial rating. Return None if there is no such person, or if several people have the name."""
    said = who.strip()
    everybody = conn.execute(select(RATED_PERSON).order_by(RATED_PERSON.c.id)).all()
    known = known_as(conn, said.lower())
    number = said.lower().removeprefix("player").strip()
    found = (
        [row for row in everybody if row.address in known]
        or [row for row in everybody if row.name and row.name.casefold() == said.casefold()]
        or [row for row in everybody if number == str(row.id)]
    )
    if not found or (len(found) > 1 and found[0].address not in known):
        return None
    row = found[0]
    rated = {one.id: one.rated for one in persons(conn)}.get(row.id, Rated())
    return RatedPerson(row.id, row.name, row.private, rated)


def person_of(conn: Connection, address: str) -> int:
    rows = select(RATED_PERSON.c.id).where(RATED_PERSON.c.address.in_(known_as(conn, address)))
    known = conn.execute(rows.order_by(RATED_PERSON.c.id)).scalars().first()
    return int(known) if known is not None else _new_person(conn, address)


def of_person(conn: Connection, address: str) -> Rated:
    rows = select(RATING.c.after, RATING.c.number).join(RATED_PERSON, RATED_PERSON.c.id == RATING.c.person)
    rows = rows.where(RATED_PERSON.c.address.in_(known_as(conn, address))).order_by(RATING.c.number)
    games = conn.execute(rows).all()
    return Rated(float(games[-1].after), len(games)) if games else Rated()


def history(conn: Connection, person: int) -> list[Moved]:
    return sorted(load_all(conn, Moved, person=person), key=lambda moved: moved.number)


def set_private(conn: Connection, person: int, private: bool) -> None:
    conn.execute(update(RATED_PERSON).where(RATED_PERSON.c.id == person).values(private=private))


def forget(conn: Connection, address: str) -> None:
    known = known_as(conn, address)
    entries = select(func.count()).select_from(ENTRANT).where(ENTRANT.c.address.in_(known))
    rows = select(RATED_PERSON.c.id).where(RATED_PERSON.c.address.in_(known)).order_by(RATED_PERSON.c.id)
    ids = list(conn.execute(rows).scalars())
    if not ids and conn.execute(entries).scalar_one():
        ids = [_new_person(conn, address)]
    if not ids:
        return
    nobody = f"{NOBODY} {ids[0]}"
    conn.execute(update(RATED_PERSON).where(RATED_PERSON.c.id.in_(ids)).values(address=nobody, name=""))
    emptied = {"address": nobody, "name": "", "shown": False, "timezone": "UTC", "hours": 0, "connections": ""}
    conn.execute(update(ENTRANT).where(ENTRANT.c.address.in_(known)).values(emptied))


def of_tournament(
    conn: Connection, tournament_id: str, nameless: Collection[tuple[int, int]] = ()
) -> tuple[dict[str, str], tuple[RatingChange, ...]]:
    """Return the ratings that a tournament publishes: those with which its entrants began, and the changes by its own
    results, leaving out the results of ``nameless`` tables. Both are empty if the tournament is not rated.

    An anonymous entrant begins with the rating of their anonymous games.
    """
    if not tournaments.find_tournament(conn, tournament_id).settings.rated:
        return {}, ()
    everybody = _Persons(conn, writing=False, apart=True)
    versions = [
        each for each in _versions(conn, tournament_id) if (each.outcome.round, each.outcome.table) not in nameless
    ]
    own = outcomes_in_order(counting_outcomes(versions))
    if not own:
        return {}, ()
    before: list[TableOutcome] = []
    for other in tournaments.all_tournaments(conn):
        if other.settings.rated and other.id != tournament_id:
            before += everybody.of(conn, other.id)
    first = (own[0].ended or date.max, own[0].game)
    _, ratings = chain_ratings(one for one in before if (one.ended or date.max, one.game) < first)
    handles = everybody.handles(conn, tournament_id)
    start = Ratings(
        {handle: ratings.of(person) for handle, person in handles.items()},
        {at: worth for at, worth in ratings.factions.items() if any(_is_at(one, at[0], at[1]) for one in own)},
    )
    changes, _ = chain_ratings(own, start)
    return write_opening(start), published_changes(changes)


def _is_at(outcome: TableOutcome, ruleset: str, size: int) -> bool:
    return outcome.ruleset == ruleset and len(outcome.seats) == size


def _versions(conn: Connection, tournament_id: str) -> list[PublishedResult]:
    return [
        PublishedResult(outcome=one.outcome, state=one.state, day=one.at.date())
        for one in tournament_rounds.result_versions(conn, tournament_id)
    ]


class _Persons:
    """A mapping from entrants to people. An entrant becomes a rated person with their first rated game. In a read-only
    transaction they get a temporary number below 0. With ``apart``, a person who shows their name in only some
    tournaments counts as two people."""

    def __init__(self, conn: Connection, *, writing: bool = True, apart: bool = False) -> None:
        self._writing, self._apart = writing, apart
        rows = conn.execute(select(RATED_PERSON).order_by(RATED_PERSON.c.id.desc()))
        self._by_address = {row.address: int(row.id) for row in rows}
        self._names: dict[int, str] = {}

    def handles(self, conn: Connection, tournament_id: str) -> dict[Handle, str]:
        found = select(ENTRANT.c.handle, ENTRANT.c.address, ENTRANT.c.name, ENTRANT.c.shown)
        known = {}
        for row in conn.execute(found.where(ENTRANT.c.tournament_id == tournament_id).order_by(ENTRANT.c.number)):
            person = self._person(conn, row.address)
            named = bool(row.shown and row.name)
            known[row.handle] = str(person) if named or not self._apart else _nameless(person)
            self._called(conn, person, row.name if row.shown else "")
        return known

    def of(self, conn: Connection, tournament_id: str) -> list[TableOutcome]:
        handles = self.handles(conn, tournament_id)
        return [_with_persons(outcome, handles) for outcome in counting_outcomes(_versions(conn, tournament_id))]

    def _person(self, conn: Connection, address: str) -> int:
        if address not in self._by_address:
            known = [self._by_address[own] for own in known_as(conn, address) if own in self._by_address]
            self._by_address[address] = min(known) if known else self._new(conn, address)
        return self._by_address[address]

    def _new(self, conn: Connection, address: str) -> int:
        return _new_person(conn, address) if self._writing else -1 - len(self._by_address)

    def _called(self, conn: Connection, person: int, name: str) -> None:
        if self._writing and name and self._names.get(person) != name:
            conn.execute(update(RATED_PERSON).where(RATED_PERSON.c.id == person).values(name=name))
            self._names[person] = name


def _nameless(person: int) -> str:
    return f"{person} nameless"


def _new_person(conn: Connection, address: str) -> int:
    return inserted_number(conn.execute(insert(RATED_PERSON), {"address": address, "name": "", "private": False}))


def _with_persons(outcome: TableOutcome, handles: dict[Handle, str]) -> TableOutcome:
    def seat(one: SeatOutcome) -> SeatOutcome:
        tenures = (replace(tenure, entrant=handles.get(tenure.entrant, tenure.entrant)) for tenure in one.tenures)
        return replace(one, tenures=tuple(tenures))

    return replace(outcome, seats=tuple(seat(one) for one in outcome.seats))


def _write(conn: Connection, changes: Sequence[Change]) -> None:
    wanted = _rows(changes)
    there = [dict(row._mapping) for row in conn.execute(select(RATING).order_by(RATING.c.number))]
    same = _in_common(_by_game(there), _by_game(wanted))
    conn.execute(delete(RATING).where(RATING.c.number > same))
    fresh = [row for row in wanted if row["number"] > same]
    if fresh:
        conn.execute(insert(RATING), fresh)


def _rows(changes: Sequence[Change]) -> list[dict[str, Any]]:
    places = {game: number for number, game in enumerate(dict.fromkeys(change.game for change in changes), 1)}
    return [
        row_of(
            Moved(
                places[change.game],
                change.game,
                change.faction,
                six_decimals(change.before),
                six_decimals(change.after),
                str(change.scored),
                six_decimals(change.expected),
                f"{change.k:g}",
            ),
            person=int(change.player),
            faction_before=six_decimals(change.worth_before),
            faction_after=six_decimals(change.worth_after),
        )
        for change in changes
    ]


def _by_game(rows: Sequence[dict[str, Any]]) -> dict[int, dict[tuple[str, int], dict[str, Any]]]:
    games: dict[int, dict[tuple[str, int], dict[str, Any]]] = {}
    for row in rows:
        games.setdefault(row["number"], {})[row["faction"], row["person"]] = row
    return games


def _in_common(one: dict[int, Any], other: dict[int, Any]) -> int:
    same = 0
    while same + 1 in one and one.get(same + 1) == other.get(same + 1):
        same += 1
    return same
