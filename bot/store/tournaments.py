"""Tournaments in the database: their settings, entrants and papers.

A function that changes a tournament calls ``touch`` in the same transaction, which increments the ``revision``. Papers
are documents that entrants file under seal or must answer: preferences, faction values, a card to keep, a swap, a vote,
a protest. Messages to the organisers are also papers. So are questions to arbiters, verdicts and automatic steps; these
have 0 as their entrant.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import Column, Connection, Index, String, bindparam, func, or_, select, update

from bot.competition.outcomes import Handle
from bot.competition.published import EntrantState, TournamentState, display_name
from bot.competition.settings import TournamentSettings, read_settings
from bot.mail.identity import bounce_token_of, mailbox_of
from bot.store.acts import RIGHT
from bot.store.database import NO_INSTANT
from bot.store.mail import LETTER
from bot.store.people import KNOWN_AS, known_as
from bot.store.rows import add_value, any_row, count_rows, load, load_all, table_of
from bot.store.tables import ADDRESS, SEAT


class UnknownTournament(LookupError):
    """There is no tournament with that name. The message says so."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament.

    - ``text`` is its settings file as it was entered, and ``settings_digest`` is the SHA-256 of that file when it was
      frozen.
    - ``secret`` must stay hidden from everybody until the end. Its SHA-256, ``commitment``, is published at once.
    - ``until`` is when entries close.
    - ``digest_on`` is the day of the last daily letter to the organisers.
    - ``revision`` counts the transactions that have changed the tournament.
    """

    id: str
    title: str
    text: str
    settings_digest: str
    state: TournamentState
    commitment: str
    secret: str
    beacon: str
    token: str
    created_at: datetime
    opened_at: datetime | None = None
    until: datetime | None = None
    finished_at: datetime | None = None
    digest_on: date | None = None
    revision: int = 0

    @property
    def settings(self) -> TournamentSettings:
        return _settings_of_text(self.text)


TOURNAMENT = table_of(
    "tournament",
    Tournament,
    Column("settings", String, nullable=False, info={"field": "text"}),
    key="id",
    index="state",
    unique="token",
    acts=int,  # counted the acts before schema 0013
)


@lru_cache(maxsize=64)
def _settings_of_text(text: str) -> TournamentSettings:
    return read_settings(text)


def create_tournament(conn: Connection, made: Tournament) -> None:
    """Insert a tournament. Raise sqlalchemy.exc.IntegrityError if its id is taken; call ``tournament_exists`` first to
    avoid this."""
    add_value(conn, made, acts=0)


def tournament_exists(conn: Connection, tournament_id: str) -> bool:
    return any_row(conn, TOURNAMENT.c.id == tournament_id)


def any_tournament(conn: Connection) -> bool:
    return any_row(conn, TOURNAMENT.c.id != "")


def find_tournament(conn: Connection, tournament_id: str) -> Tournament:
    found = load(conn, Tournament, id=tournament_id)
    if found is None:
        raise UnknownTournament(f"There is no tournament {tournament_id!r} here; `mentat tournament list` shows all.")
    return found


def tournament_by_token(conn: Connection, token: str) -> Tournament | None:
    return load(conn, Tournament, token=token)


def all_tournaments(conn: Connection, *states: TournamentState) -> list[Tournament]:
    found = load_all(conn, Tournament, *([TOURNAMENT.c.state.in_(states)] if states else ()))
    return sorted(found, key=lambda each: (each.created_at, each.id))


def touch(conn: Connection, tournament_id: str, **changed: Any) -> None:
    """Record that a tournament has changed by incrementing its ``revision``, and set the columns in ``changed``."""
    changed["revision"] = TOURNAMENT.c.revision + 1
    conn.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == tournament_id).values(changed))


def note_organisers_told(conn: Connection, tournament_id: str, day: date) -> None:
    """Record that the organisers got this day's letter, without changing the tournament's revision."""
    conn.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == tournament_id).values(digest_on=day))


MOST_LOOKED_AT = 5_000
"""Queries search no more letters than this, so that they do not become slower as letters accumulate."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entrant.

    - ``number`` is part of their handle, and is their place in the order of entries. Numbers are never used twice.
    - ``shown`` is true if they agreed to have their ``name`` published.
    - ``code`` confirms the entry. It works once, until ``code_until``, and after at most five wrong ``guesses``.
    - ``rating`` and ``reliability`` are their values at the time of entry.
    - ``hours`` are their waking hours in UTC, as a mask of 24 bits.
    - ``conduct`` is the SHA-256 of the code of conduct that they accepted.
    - ``connections`` are the people they said they know.
    - ``digest_due`` is when their next daily letter is due.
    - ``undelivered`` measures how many letters have bounced since ``undelivered_at`` (``bot.games.silent_players``).
    """

    tournament_id: str
    number: int
    handle: Handle
    address: str
    token: str
    entered_at: datetime
    name: str = ""
    shown: bool = False
    state: EntrantState = "entered"
    standby: bool = False
    code: str = ""
    code_until: datetime | None = None
    guesses: int = 0
    confirmed_at: datetime | None = None
    timezone: str = "UTC"
    hours: int = 0
    rating: str = ""
    reliability: str = ""
    conduct: str = ""
    connections: str = ""
    no_show: bool = False
    digest_due: datetime | None = None
    undelivered: int = 0
    undelivered_at: datetime | None = None

    @property
    def public_name(self) -> str:
        return display_name(self.handle, self.name if self.shown else "")


ENTRANT = table_of(
    "entrant",
    Entrant,
    key="tournament_id number",
    index="address code",
    unique="token bounce_token",
    refers="tournament_id",
    bounce_token=str,
)
"""``bounce_token`` is in the envelope sender of their letters."""


@dataclass(frozen=True, slots=True)
class PairApart:
    """Two entrants who are never seated at the same table, the one with the smaller number first. ``shown`` is true if
    both agreed to publish this."""

    one: int
    other: int
    why: str = ""
    shown: bool = False


APART = table_of("apart", PairApart, key="tournament_id one other", refers="tournament_id", tournament_id=str)


def handle(number: int) -> Handle:
    """Return an entrant's public handle.

    >>> handle(7), handle(12000)
    ('E007', 'E12000')
    """
    return f"E{number:03d}"


def next_entrant_number(conn: Connection, tournament_id: str) -> int:
    most = select(func.max(ENTRANT.c.number)).where(ENTRANT.c.tournament_id == tournament_id)
    return int(conn.execute(most).scalar_one() or 0) + 1


def add_entrant(conn: Connection, entrant: Entrant) -> None:
    add_value(conn, entrant, bounce_token=bounce_token_of(entrant.token))


def change_entrant(conn: Connection, tournament_id: str, number: int, **changed: Any) -> None:
    where = (ENTRANT.c.tournament_id == tournament_id, ENTRANT.c.number == number)
    conn.execute(update(ENTRANT).where(*where).values(changed))


def entrants_of(conn: Connection, tournament_id: str, states: Collection[EntrantState] = ()) -> list[Entrant]:
    of = [ENTRANT.c.state.in_(states)] if states else ()
    return load_all(conn, Entrant, *of, tournament_id=tournament_id)


def find_entrant(conn: Connection, tournament_id: str, named: Handle) -> Entrant | None:
    return load(conn, Entrant, tournament_id=tournament_id, handle=named.strip().upper())


def entrant_of_person(conn: Connection, tournament_id: str, address: str) -> Entrant | None:
    return load(conn, Entrant, ENTRANT.c.address.in_(known_as(conn, address)), tournament_id=tournament_id)


def entrant_at_mailbox(conn: Connection, tournament_id: str, mailboxes: Collection[str]) -> Entrant | None:
    every = conn.execute(_ADDRESSES.where(ENTRANT.c.tournament_id == tournament_id)).all()
    found = next((row.handle for row in every if mailbox_of(row.address) in mailboxes), None)
    return None if found is None else find_entrant(conn, tournament_id, found)


_ADDRESSES = select(ENTRANT.c.handle, ENTRANT.c.address).order_by(ENTRANT.c.number)


def entries_of_person(conn: Connection, address: str) -> list[Entrant]:
    return load_all(conn, Entrant, ENTRANT.c.address.in_(known_as(conn, address)))


def entries_in_doubt(conn: Connection, address: str) -> list[tuple[str, int]]:
    return [(row.tournament_id, row.number) for row in conn.execute(_IN_DOUBT, {"address": address})]


_IN_DOUBT = select(ENTRANT.c.tournament_id, ENTRANT.c.number).where(
    ENTRANT.c.undelivered != 0, or_(ENTRANT.c.address == bindparam("address"), ENTRANT.c.address.in_(KNOWN_AS))
)
"""Every message runs this query, so the statement is built once (``bot.store.mail``)."""


def entrant_by_token(conn: Connection, token: str) -> Entrant | None:
    return load(conn, Entrant, token=token)


def entrant_by_bounce_token(conn: Connection, token: str) -> Entrant | None:
    return load(conn, Entrant, bounce_token=token)


def entrant_by_code(conn: Connection, code: str) -> Entrant | None:
    return load(conn, Entrant, code=code) if code else None


def entrants_to_write(conn: Connection) -> list[Entrant]:
    """Return the entrants whose confirmation code has not been sent yet, because we had just written to them."""
    waiting = load_all(conn, Entrant, ENTRANT.c.code != "", code_until=NO_INSTANT, state="entered")
    return sorted(waiting, key=lambda entrant: entrant.entered_at)


def count_letters_to_strangers(conn: Connection, since: datetime, but: str) -> int:
    """Count the letters since an instant that are about no game and were sent to unverified addresses, which belong to
    no player, organiser or confirmed entrant. Do not count letters to the address ``but``."""
    known = (
        select(ENTRANT.c.address).where(ENTRANT.c.confirmed_at != NO_INSTANT),
        select(RIGHT.c.address).where(RIGHT.c.tournament_id != ""),
        select(SEAT.c.address),
        select(ADDRESS.c.address).where(ADDRESS.c.code == ""),
    )
    newest = LETTER.c.id > select(func.max(LETTER.c.id) - MOST_LOOKED_AT).scalar_subquery()
    where = [newest, LETTER.c.game_id.is_(None), LETTER.c.created_at > since, LETTER.c.recipient != but]
    where += [LETTER.c.recipient.not_in(theirs) for theirs in known]
    return count_rows(conn, *where)


def entrant_digests_due(conn: Connection, now: datetime, tournament_id: str = "", number: int = 0) -> list[Entrant]:
    one = {"tournament_id": tournament_id, "number": number} if number else {}
    return load_all(conn, Entrant, ENTRANT.c.digest_due != NO_INSTANT, ENTRANT.c.digest_due <= now, **one)


def forget_named(conn: Connection, address: str) -> None:
    for each in load_all(conn, Entrant, ENTRANT.c.connections.contains(address, autoescape=True)):
        lines = [line for line in each.connections.splitlines() if line.partition(" ")[0] != address]
        change_entrant(conn, each.tournament_id, each.number, connections="\n".join(lines))


def keep_apart(conn: Connection, tournament_id: str, pair: PairApart) -> None:
    end_keeping_apart(conn, tournament_id, pair.one, pair.other)
    one, other = sorted((pair.one, pair.other))
    add_value(conn, replace(pair, one=one, other=other), tournament_id=tournament_id)


def end_keeping_apart(conn: Connection, tournament_id: str, one: int, other: int) -> bool:
    low, high = sorted((one, other))
    where = (APART.c.tournament_id == tournament_id, APART.c.one == low, APART.c.other == high)
    return bool(conn.execute(APART.delete().where(*where)).rowcount)


def pairs_apart(conn: Connection, tournament_id: str) -> list[PairApart]:
    return load_all(conn, PairApart, tournament_id=tournament_id)


PaperKind = Literal[
    "preferences",
    "worths",
    "keep",
    "swap",
    "wish",
    "consent",
    "invitation",
    "substitution",
    "vote",
    "protest",
    "ready",
    "handover",
    "words",
    "question",
    "verdict",
    "step",
    "hold",
    "reminded",
    "frozen",
    "voided",
    "beacon",
    "check-in",
    "reply",
    "command",
]
PaperState = Literal["open", "answered", "refused", "gone"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A sealed paper that an entrant filed or must answer. Nobody else sees it before it is opened. ``id`` is 0 before
    the paper is stored. ``round`` and ``table`` are 0 if the paper is not about a table. A paper that must be answered
    lapses after ``until``."""

    tournament_id: str
    entrant: int
    kind: PaperKind
    words: str
    at: datetime
    round: int = 0
    table: int = 0
    until: datetime | None = None
    state: PaperState = "open"
    id: int = 0


PAPER = table_of(
    "paper", Paper, Index("ix_paper_due", "state", "until"), key="id", index="tournament_id", refers="tournament_id"
)


def file_paper(conn: Connection, paper: Paper) -> int:
    """Store a paper and return its number. It replaces the earlier paper of the same kind from the same entrant about
    the same table."""
    of = (
        PAPER.c.tournament_id == paper.tournament_id,
        PAPER.c.entrant == paper.entrant,
        PAPER.c.kind == paper.kind,
        PAPER.c.round == paper.round,
        PAPER.c.table == paper.table,
        PAPER.c.state == "open",
    )
    conn.execute(update(PAPER).where(*of).values(state="gone"))
    return add_paper(conn, paper)


def add_paper(conn: Connection, paper: Paper) -> int:
    return add_value(conn, paper)


def set_paper_state(conn: Connection, number: int, state: PaperState, words: str | None = None) -> None:
    changed: dict[str, Any] = {"state": state} if words is None else {"state": state, "words": words}
    conn.execute(update(PAPER).where(PAPER.c.id == number).values(changed))


def postpone_paper(conn: Connection, paper: Paper, until: datetime | None) -> None:
    conn.execute(update(PAPER).where(PAPER.c.id == paper.id).values(until=until))


def papers_of(
    conn: Connection, tournament_id: str, *kinds: PaperKind, state: PaperState | None = "open"
) -> list[Paper]:
    wanted = {"tournament_id": tournament_id} | ({"state": state} if state else {})
    return load_all(conn, Paper, *([PAPER.c.kind.in_(kinds)] if kinds else ()), **wanted)


def papers_by_state(conn: Connection) -> dict[str, tuple[tuple[str, int, int], ...]]:
    """Return, for each tournament, the number of papers in each state, and the newest of them. The result changes
    whenever a paper is filed or changes its state."""
    of = (PAPER.c.tournament_id, PAPER.c.state)
    counted = select(*of, func.count(), func.max(PAPER.c.id)).group_by(*of).order_by(*of)
    found: dict[str, tuple[tuple[str, int, int], ...]] = {}
    for tournament_id, state, count, newest in conn.execute(counted):
        found[tournament_id] = (*found.get(tournament_id, ()), (state, count, newest))
    return found


def papers_due(conn: Connection, now: datetime) -> list[Paper]:
    return load_all(conn, Paper, PAPER.c.until != NO_INSTANT, PAPER.c.until <= now, state="open")


SCORING_CHANGED = "amend settings --force"
"""The command that the act log shows when tie-breaks or scoring were changed after the first draw. Every export
mentions such acts."""
