"""Tournaments in the database: their settings, entrants, papers, rights and acts.

A function that changes a tournament calls ``touch`` in the same transaction, which increments the ``revision``. For
every decision it writes an act (``add_act``). Acts are only added. Papers are what entrants file under seal or must
answer: preferences, worths, a card to keep, a swap, a vote, a protest.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.engine import Row

from bot.competition.outcomes import Handle
from bot.competition.published import EntrantState, TournamentState, display_name
from bot.competition.settings import TournamentSettings, read_settings
from bot.mail.addresses import mailbox_of
from bot.mail.identity import bounce_token_of
from bot.store.database import NO_INSTANT, inserted_number
from bot.store.people import KNOWN_AS, known_as
from bot.store.tables import ADDRESS, LETTER, SEAT
from bot.store.tournament_tables import APART, ENTRANT, PAPER, RIGHT, TOURNAMENT, TOURNAMENT_ACT


class UnknownTournament(LookupError):
    """There is no tournament of that name. The message says so."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament. ``text`` is its settings file as entered, ``settings_digest`` its SHA-256 when it was frozen.
    ``secret`` must reach nobody before the end."""

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


@lru_cache(maxsize=64)
def _settings_of_text(text: str) -> TournamentSettings:
    """Parse settings once: every step needs them, and parsing takes longer than most steps."""
    return read_settings(text)


def create_tournament(conn: Connection, made: Tournament) -> None:
    """Insert a tournament. Raises sqlalchemy.exc.IntegrityError if its id is taken: check ``tournament_exists``
    before."""
    row = {
        "id": made.id, "title": made.title, "settings": made.text, "settings_digest": made.settings_digest,
        "state": made.state, "commitment": made.commitment, "secret": made.secret, "beacon": made.beacon,
        "token": made.token, "created_at": made.created_at, "opened_at": made.opened_at, "until": made.until,
        "finished_at": made.finished_at, "digest_on": made.digest_on, "acts": 0, "revision": made.revision,
    }  # fmt: skip
    conn.execute(insert(TOURNAMENT), row)


def tournament_exists(conn: Connection, tournament_id: str) -> bool:
    return conn.execute(select(TOURNAMENT.c.id).where(TOURNAMENT.c.id == tournament_id)).first() is not None


def any_tournament(conn: Connection) -> bool:
    return conn.execute(select(TOURNAMENT.c.id).limit(1)).first() is not None


def find_tournament(conn: Connection, tournament_id: str) -> Tournament:
    row = conn.execute(select(TOURNAMENT).where(TOURNAMENT.c.id == tournament_id)).one_or_none()
    if row is None:
        raise UnknownTournament(f"There is no tournament {tournament_id!r} here; `mentat tournament list` names them.")
    return _tournament(row)


def tournament_by_token(conn: Connection, token: str) -> Tournament | None:
    """Return the tournament whose own address has this token."""
    row = conn.execute(select(TOURNAMENT).where(TOURNAMENT.c.token == token)).one_or_none()
    return None if row is None else _tournament(row)


def all_tournaments(conn: Connection, *states: TournamentState) -> list[Tournament]:
    found = select(TOURNAMENT).order_by(TOURNAMENT.c.created_at, TOURNAMENT.c.id)
    if states:
        found = found.where(TOURNAMENT.c.state.in_(states))
    return [_tournament(row) for row in conn.execute(found)]


def any_tournament_ever(conn: Connection) -> bool:
    return conn.execute(select(TOURNAMENT.c.id).limit(1)).first() is not None


def touch(conn: Connection, tournament_id: str, **changed: Any) -> None:
    """Count a change of a tournament (``revision``), and set these columns."""
    changed["revision"] = TOURNAMENT.c.revision + 1
    conn.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == tournament_id).values(changed))


def note_organisers_told(conn: Connection, tournament_id: str, day: date) -> None:
    """Record that the organisers got their letter of this day. The revision stays."""
    conn.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == tournament_id).values(digest_on=day))


def _tournament(row: Row[Any]) -> Tournament:
    return Tournament(
        row.id, row.title, row.settings, row.settings_digest, row.state, row.commitment, row.secret, row.beacon,
        row.token, row.created_at, row.opened_at, row.until, row.finished_at, row.digest_on, row.revision,
    )  # fmt: skip


MOST_LOOKED_AT = 5_000
"""Letters. Queries look at no more, so that they do not slow down as letters accumulate."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entrant (``bot.store.tournament_tables.EntrantRow`` explains each field)."""

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
        """Return the name for others: "Ann (E007)", or the handle alone if they do not show their name."""
        return display_name(self.handle, self.name if self.shown else "")


@dataclass(frozen=True, slots=True)
class PairApart:
    """Two entrants, by number, who are never seated together. ``shown``: both agreed to its publication."""

    one: int
    other: int
    why: str = ""
    shown: bool = False


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
    conn.execute(insert(ENTRANT), {**asdict(entrant), "bounce_token": bounce_token_of(entrant.token)})


def change_entrant(conn: Connection, tournament_id: str, number: int, **changed: Any) -> None:
    where = (ENTRANT.c.tournament_id == tournament_id, ENTRANT.c.number == number)
    conn.execute(update(ENTRANT).where(*where).values(changed))


def entrants_of(conn: Connection, tournament_id: str, states: Collection[EntrantState] = ()) -> list[Entrant]:
    found = select(ENTRANT).where(ENTRANT.c.tournament_id == tournament_id).order_by(ENTRANT.c.number)
    if states:
        found = found.where(ENTRANT.c.state.in_(states))
    return [_entrant(row) for row in conn.execute(found)]


def find_entrant(conn: Connection, tournament_id: str, named: Handle) -> Entrant | None:
    where = (ENTRANT.c.tournament_id == tournament_id, ENTRANT.c.handle == named.strip().upper())
    row = conn.execute(select(ENTRANT).where(*where)).one_or_none()
    return None if row is None else _entrant(row)


def entrant_of_person(conn: Connection, tournament_id: str, address: str) -> Entrant | None:
    """Return the entrant with this address, or with another address of the same person."""
    where = (ENTRANT.c.tournament_id == tournament_id, ENTRANT.c.address.in_(known_as(conn, address)))
    row = conn.execute(select(ENTRANT).where(*where).order_by(ENTRANT.c.number).limit(1)).one_or_none()
    return None if row is None else _entrant(row)


def entrant_at_mailbox(conn: Connection, tournament_id: str, mailboxes: Collection[str]) -> Entrant | None:
    """Return the entrant whose address delivers to one of these mailboxes (``bot.mail.addresses``)."""
    every = conn.execute(_ADDRESSES.where(ENTRANT.c.tournament_id == tournament_id)).all()
    found = next((row.handle for row in every if mailbox_of(row.address) in mailboxes), None)
    return None if found is None else find_entrant(conn, tournament_id, found)


_ADDRESSES = select(ENTRANT.c.handle, ENTRANT.c.address).order_by(ENTRANT.c.number)


def entries_of_person(conn: Connection, address: str) -> list[Entrant]:
    found = select(ENTRANT).where(ENTRANT.c.address.in_(known_as(conn, address)))
    return [_entrant(row) for row in conn.execute(found.order_by(ENTRANT.c.tournament_id, ENTRANT.c.number))]


def entries_in_doubt(conn: Connection, address: str) -> list[tuple[str, int]]:
    return [(row.tournament_id, row.number) for row in conn.execute(_IN_DOUBT, {"address": address})]


_IN_DOUBT = select(ENTRANT.c.tournament_id, ENTRANT.c.number).where(
    ENTRANT.c.undelivered != 0, or_(ENTRANT.c.address == bindparam("address"), ENTRANT.c.address.in_(KNOWN_AS))
)
"""Every message runs this query, so the statement is built once (``bot.store.mail``)."""


def entrant_by_token(conn: Connection, token: str) -> Entrant | None:
    row = conn.execute(select(ENTRANT).where(ENTRANT.c.token == token)).one_or_none()
    return None if row is None else _entrant(row)


def entrant_by_bounce_token(conn: Connection, token: str) -> Entrant | None:
    row = conn.execute(select(ENTRANT).where(ENTRANT.c.bounce_token == token)).one_or_none()
    return None if row is None else _entrant(row)


def entrant_by_code(conn: Connection, code: str) -> Entrant | None:
    row = conn.execute(select(ENTRANT).where(ENTRANT.c.code == code)).first() if code else None
    return None if row is None else _entrant(row)


def entrants_to_write(conn: Connection) -> list[Entrant]:
    """Return the entrants who still need their confirmation code. It was delayed as we had just written to them."""
    where = (ENTRANT.c.code != "", ENTRANT.c.code_until == NO_INSTANT, ENTRANT.c.state == "entered")
    return [_entrant(row) for row in conn.execute(select(ENTRANT).where(*where).order_by(ENTRANT.c.entered_at))]


def count_letters_to_strangers(conn: Connection, since: datetime, but: str) -> int:
    """Count recent letters about no game to unproven addresses: those of no player, organiser or confirmed entrant.
    ``but`` is excluded too."""
    known = (
        select(ENTRANT.c.address).where(ENTRANT.c.confirmed_at != NO_INSTANT),
        select(RIGHT.c.address), select(SEAT.c.address), select(ADDRESS.c.address).where(ADDRESS.c.code == ""),
    )  # fmt: skip
    newest = LETTER.c.id > select(func.max(LETTER.c.id) - MOST_LOOKED_AT).scalar_subquery()
    where = [newest, LETTER.c.game_id.is_(None), LETTER.c.created_at > since, LETTER.c.recipient != but]
    where += [LETTER.c.recipient.not_in(theirs) for theirs in known]
    return int(conn.execute(select(func.count()).where(*where)).scalar_one())


def entrant_digests_due(conn: Connection, now: datetime, tournament_id: str = "", number: int = 0) -> list[Entrant]:
    """Return the entrants whose daily letter is due, or check one of them again."""
    where = (ENTRANT.c.digest_due != NO_INSTANT, ENTRANT.c.digest_due <= now)
    found = select(ENTRANT).where(*where).order_by(ENTRANT.c.tournament_id, ENTRANT.c.number)
    if number:
        found = found.where(ENTRANT.c.tournament_id == tournament_id, ENTRANT.c.number == number)
    return [_entrant(row) for row in conn.execute(found)]


def forget_named(conn: Connection, address: str) -> None:
    """Remove an address from all entrants' declarations of whom they know."""
    named = select(ENTRANT).where(ENTRANT.c.connections.contains(address, autoescape=True))
    for row in conn.execute(named).all():
        lines = [line for line in row.connections.splitlines() if line.partition(" ")[0] != address]
        change_entrant(conn, row.tournament_id, row.number, connections="\n".join(lines))


def keep_apart(conn: Connection, tournament_id: str, pair: PairApart) -> None:
    end_keeping_apart(conn, tournament_id, pair.one, pair.other)
    one, other = sorted((pair.one, pair.other))
    row = {"tournament_id": tournament_id, "one": one, "other": other, "why": pair.why, "shown": pair.shown}
    conn.execute(insert(APART), row)


def end_keeping_apart(conn: Connection, tournament_id: str, one: int, other: int) -> bool:
    low, high = sorted((one, other))
    where = (APART.c.tournament_id == tournament_id, APART.c.one == low, APART.c.other == high)
    return bool(conn.execute(APART.delete().where(*where)).rowcount)


def pairs_apart(conn: Connection, tournament_id: str) -> list[PairApart]:
    found = select(APART).where(APART.c.tournament_id == tournament_id).order_by(APART.c.one, APART.c.other)
    return [PairApart(row.one, row.other, row.why, row.shown) for row in conn.execute(found)]


def _entrant(row: Row[Any]) -> Entrant:
    return Entrant(**{name: value for name, value in row._mapping.items() if name != "bounce_token"})


PaperKind = Literal[
    "preferences", "worths", "keep", "swap", "invitation", "substitution", "vote", "protest", "ready", "handover"
]  # fmt: skip
PaperState = Literal["open", "answered", "refused", "gone"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A sealed paper. ``id`` is 0 before it is stored. ``round`` and ``table`` are 0 if it is about none. An
    unanswered paper is gone after ``until``."""

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


def file_paper(conn: Connection, paper: Paper) -> int:
    """Store a paper and return its number. It replaces an earlier one of the same kind, table and entrant."""
    of = (
        PAPER.c.tournament_id == paper.tournament_id, PAPER.c.entrant == paper.entrant, PAPER.c.kind == paper.kind,
        PAPER.c.round == paper.round, PAPER.c.table == paper.table, PAPER.c.state == "open",
    )  # fmt: skip
    conn.execute(update(PAPER).where(*of).values(state="gone"))
    row = {
        "tournament_id": paper.tournament_id, "entrant": paper.entrant, "kind": paper.kind, "round": paper.round,
        "table": paper.table, "words": paper.words, "at": paper.at, "until": paper.until, "state": paper.state,
    }  # fmt: skip
    return inserted_number(conn.execute(insert(PAPER), row))


def set_paper_state(conn: Connection, number: int, state: PaperState, words: str | None = None) -> None:
    changed: dict[str, Any] = {"state": state} if words is None else {"state": state, "words": words}
    conn.execute(update(PAPER).where(PAPER.c.id == number).values(changed))


def postpone_paper(conn: Connection, paper: Paper, until: datetime) -> None:
    conn.execute(update(PAPER).where(PAPER.c.id == paper.id).values(until=until))


def papers_of(
    conn: Connection, tournament_id: str, *kinds: PaperKind, state: PaperState | None = "open"
) -> list[Paper]:
    found = select(PAPER).where(PAPER.c.tournament_id == tournament_id).order_by(PAPER.c.id)
    if kinds:
        found = found.where(PAPER.c.kind.in_(kinds))
    if state:
        found = found.where(PAPER.c.state == state)
    return [Paper(**row._mapping) for row in conn.execute(found)]


def papers_due(conn: Connection, now: datetime) -> list[Paper]:
    where = (PAPER.c.state == "open", PAPER.c.until != NO_INSTANT, PAPER.c.until <= now)
    return [Paper(**row._mapping) for row in conn.execute(select(PAPER).where(*where).order_by(PAPER.c.id))]


TournamentRight = Literal["director", "arbiter", "clerk", "auditor", "deputy"]


@dataclass(frozen=True, slots=True)
class GrantedTournamentRight:
    """A person's right. Replies to their letters carry the ``token``."""

    tournament_id: str
    address: str
    right: TournamentRight
    token: str
    since: datetime


def grant_right(conn: Connection, granted: GrantedTournamentRight) -> None:
    revoke_right(conn, granted.tournament_id, granted.address)
    row = {
        "tournament_id": granted.tournament_id, "address": granted.address, "right": granted.right,
        "token": granted.token, "since": granted.since,
    }  # fmt: skip
    conn.execute(insert(RIGHT), row)


def revoke_right(conn: Connection, tournament_id: str, address: str) -> None:
    conn.execute(delete(RIGHT).where(RIGHT.c.tournament_id == tournament_id, RIGHT.c.address == address))


def rights_of(conn: Connection, tournament_id: str) -> list[GrantedTournamentRight]:
    found = select(RIGHT).where(RIGHT.c.tournament_id == tournament_id).order_by(RIGHT.c.since, RIGHT.c.address)
    return [_granted_right(row) for row in conn.execute(found)]


def right_of(conn: Connection, tournament_id: str, address: str) -> GrantedTournamentRight | None:
    known = known_as(conn, address)
    found = select(RIGHT).where(RIGHT.c.tournament_id == tournament_id, RIGHT.c.address.in_(known)).limit(1)
    row = conn.execute(found).one_or_none()
    return None if row is None else _granted_right(row)


def right_by_token(conn: Connection, token: str) -> GrantedTournamentRight | None:
    row = conn.execute(select(RIGHT).where(RIGHT.c.token == token)).one_or_none()
    return None if row is None else _granted_right(row)


def _granted_right(row: Row[Any]) -> GrantedTournamentRight:
    return GrantedTournamentRight(row.tournament_id, row.address, row.right, row.token, row.since)


Audience = Literal["all", "entrants", "directors"]
SCORING_CHANGED = "amend settings --force"
"""The command of acts that changed tie-breaks or scoring after the first draw. Every export mentions them."""


@dataclass(frozen=True, slots=True)
class TournamentAct:
    """An act on a tournament. ``who`` is an address ("" for the calendar), ``right`` the right that they used,
    ``words`` the text. From ``opens_at`` on everybody may read it, whatever its ``audience``. ``number`` is 0 before
    it is stored."""

    tournament_id: str
    at: datetime
    command: str
    words: str
    who: str = ""
    right: str = ""
    why: str = ""
    audience: Audience = "all"
    opens_at: datetime | None = None
    number: int = 0


def add_act(conn: Connection, act: TournamentAct) -> int:
    numbered = update(TOURNAMENT).where(TOURNAMENT.c.id == act.tournament_id).values(acts=TOURNAMENT.c.acts + 1)
    number = int(conn.execute(numbered.returning(TOURNAMENT.c.acts)).scalar_one())
    conn.execute(insert(TOURNAMENT_ACT), asdict(act) | {"number": number})
    return number


def acts_of(conn: Connection, tournament_id: str) -> list[TournamentAct]:
    where = TOURNAMENT_ACT.c.tournament_id == tournament_id
    found = select(TOURNAMENT_ACT).where(where).order_by(TOURNAMENT_ACT.c.number)
    return [TournamentAct(**row._mapping) for row in conn.execute(found)]
