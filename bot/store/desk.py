"""The game master's desk: what lies on it, who may do what there, codes that wait, rulings and notes.

``read_desk`` goes over all games that are not over: one query a subject, whatever their number, and no position is
read. These rows hold nothing that is sealed: of what is asked only who owes it, never what they hold or have sent.

Rights at a game's desk come beside those of the game master of this Mentat and of the organisers of its tournament. A
dangerous command that came by mail, or a handover, waits once for the answer to a letter with its code. Rulings say
what game masters have ruled where the rules are silent: precedents of a game, and of its whole tournament. Notes are
private, on a game, a seat or a person; they are in no export, and go with the person.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.engine import Row

from bot.store.database import NO_INSTANT
from bot.store.forum_threads import FORUM_BLOCK, FORUM_POST, FORUM_STATE, FORUM_THREAD
from bot.store.people import known_as
from bot.store.tables import (
    ACT,
    DEADLINE,
    ENTRY,
    GAME,
    GAME_RIGHT,
    LETTER,
    MASTER_CODE,
    MASTER_NOTE,
    MASTER_RULING,
    MESSAGE,
    PRESS,
    SEAT,
)
from rules.components import Faction, as_faction

BY_THE_CALENDAR = ("outage", "silence")
"""Acts that nobody at the desk did."""

STANDING_STILL = ("pause", "silence", "hold")
GOING_ON = ("resume", "release")

NEWEST = 5_000
"""So many of the newest mails and letters are looked through: nothing takes longer because there are old ones."""


@dataclass(frozen=True, slots=True)
class GameAt:
    """A game and where it stands, as its row has it (``bot.store.tables.GameRow``)."""

    id: str
    ruleset: str
    status: str
    turn: int
    phase: str
    tempo: str
    winners: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    clock: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None
    stopped_at: datetime | None = None
    stopped_why: str = ""
    on_hold: datetime | None = None
    call: str = ""
    call_due: datetime | None = None


@dataclass(frozen=True, slots=True)
class SeatAt:
    """A seat, as far as its state concerns whoever looks after the game."""

    game: str
    faction: Faction
    name: str
    address: str
    care: bool
    missed: int
    unreachable_since: datetime | None
    undelivered: int
    undelivered_at: datetime | None
    asked: bool = False  # the desk has asked them something, and they have not answered


@dataclass(frozen=True, slots=True)
class OwedDuty:
    """A public duty: everybody may know that the game waits for it. ``answered``: it has been, which the others may not
    notice."""

    game: str
    faction: Faction
    kind: str
    due: datetime
    until: datetime
    since: datetime | None
    answered: bool


@dataclass(frozen=True, slots=True)
class MailPutAside:
    """A mail that nobody could use, by its number."""

    number: int
    at: datetime
    reason: str
    game: str
    sender: str


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The outbox: how many letters wait and since when the longest, how many of them were tried in vain, since when
    the longest of those, and what the server said last; how many were given up lately, and when the first of those was
    written."""

    waiting: int = 0
    since: datetime | None = None
    failing: int = 0
    failing_since: datetime | None = None
    error: str = ""
    lost: int = 0
    lost_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class CodeAt:
    """A command that came by mail and waits for its one-time code: of which game, from whom, and its first word."""

    game: str
    address: str
    command: str
    asked_at: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class ReportedPress:
    """Press of which a reader has shown the game master the words."""

    game: str
    by: tuple[Faction, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class ForumTrouble:
    """A forum that does not do what it is asked (``work``: reading, posting), since when and why."""

    forum: str
    work: str
    since: datetime
    problem: str


@dataclass(frozen=True, slots=True)
class ThreadAt:
    """The thread of a game, as far as it concerns whoever looks after it: why what is to be posted is refused and since
    when, how much of it waits, and how many blocks are to be posted by hand."""

    game: str
    forum: str
    problem: str = ""
    since: datetime | None = None
    waiting: int = 0
    blocks: int = 0


@dataclass(frozen=True, slots=True)
class DeskRows:
    """All of it. ``nameless`` holds until when each game waits for what only hidden cards decide; ``acts`` when
    somebody at the desk last did something to a game; ``stood`` when its clocks stopped and went on again; ``last``
    when a held game took its last order."""

    games: Sequence[GameAt] = ()
    seats: Sequence[SeatAt] = ()
    owed: Sequence[OwedDuty] = ()
    nameless: Mapping[str, datetime] = field(default_factory=dict)
    acts: Mapping[str, datetime] = field(default_factory=dict)
    stood: Mapping[str, Sequence[tuple[str, datetime]]] = field(default_factory=dict)
    last: Mapping[str, datetime] = field(default_factory=dict)
    aside: Sequence[MailPutAside] = ()
    outgoing: Outgoing = Outgoing()
    codes: Sequence[CodeAt] = ()
    reported: Sequence[ReportedPress] = ()
    forums: Sequence[ForumTrouble] = ()
    threads: Sequence[ThreadAt] = ()


def read_desk(conn: Connection, since: datetime, now: datetime) -> DeskRows:
    """What is on the desk. Of mail put aside, letters given up and press reported, those since an instant."""
    return DeskRows(
        games=games_at(conn, GAME.c.status.in_(_GOES_ON)),
        seats=_seats(conn),
        owed=owed(conn),
        nameless=nameless(conn),
        acts=_acts(conn),
        stood=_stood(conn),
        last=_last_orders(conn),
        aside=_aside(conn, since),
        outgoing=_outgoing(conn, since),
        codes=_codes(conn, now),
        reported=_reported(conn, since),
        forums=_forums(conn),
        threads=_threads(conn),
    )


_GOES_ON = ("running", "held")


def every_game(conn: Connection) -> list[GameAt]:
    """All games, the oldest first."""
    return games_at(conn)


def games_at(conn: Connection, *where: ColumnElement[bool]) -> list[GameAt]:
    """These games."""
    columns = (
        GAME.c.id, GAME.c.ruleset, GAME.c.status, GAME.c.turn, GAME.c.phase, GAME.c.tempo, GAME.c.winners,
        GAME.c.options, GAME.c.clock, GAME.c.created_at, GAME.c.stopped_at, GAME.c.stopped_why, GAME.c.on_hold,
        GAME.c.call, GAME.c.call_due,
    )  # fmt: skip
    rows = conn.execute(select(*columns).where(*where).order_by(GAME.c.created_at, GAME.c.id))
    return [
        GameAt(
            row.id, row.ruleset, row.status, row.turn, row.phase, row.tempo,
            tuple(row.winners.split(",")) if row.winners else (), json.loads(row.options), json.loads(row.clock),
            row.created_at, row.stopped_at, row.stopped_why, row.on_hold, row.call, row.call_due,
        )
        for row in rows
    ]  # fmt: skip


def games_of(conn: Connection, is_them: Callable[[str], bool]) -> set[str]:
    """The games, of those that are not over, in which somebody plays."""
    rows = conn.execute(_of_games(select(SEAT.c.game_id, SEAT.c.address), SEAT.c.game_id))
    return {row.game_id for row in rows if is_them(row.address)}


def _seats(conn: Connection) -> list[SeatAt]:
    columns = (
        SEAT.c.game_id, SEAT.c.faction, SEAT.c.name, SEAT.c.address, SEAT.c.care, SEAT.c.missed, SEAT.c.unreachable,
        SEAT.c.unreachable_since, SEAT.c.undelivered, SEAT.c.undelivered_at, SEAT.c.asked_by_desk,
    )  # fmt: skip
    rows = conn.execute(_of_games(select(*columns), SEAT.c.game_id).order_by(SEAT.c.game_id, SEAT.c.dot))
    return [
        SeatAt(
            row.game_id, as_faction(row.faction), row.name, row.address, row.care, row.missed,
            row.unreachable_since if row.unreachable else None, row.undelivered, row.undelivered_at,
            bool(row.asked_by_desk),
        )
        for row in rows
    ]  # fmt: skip


def owed(conn: Connection) -> list[OwedDuty]:
    """The public duties for which games wait, the earliest due first."""
    columns = (
        DEADLINE.c.game_id, DEADLINE.c.faction, DEADLINE.c.kind, DEADLINE.c.due, DEADLINE.c.until,
        DEADLINE.c.asked_at, DEADLINE.c.state,
    )  # fmt: skip
    found = _of_games(select(*columns), DEADLINE.c.game_id).where(DEADLINE.c.duty, _STANDS)
    rows = conn.execute(found.order_by(DEADLINE.c.due, DEADLINE.c.game_id, DEADLINE.c.kind, DEADLINE.c.faction))
    return [
        OwedDuty(
            row.game_id, as_faction(row.faction), row.kind, row.due, row.until, row.asked_at, row.state == "answered"
        )
        for row in rows
    ]


def nameless(conn: Connection) -> dict[str, datetime]:
    """Until when each game waits for answers of which nobody may know whose they are."""
    found = _of_games(select(DEADLINE.c.game_id, func.max(DEADLINE.c.due).label("due")), DEADLINE.c.game_id)
    rows = conn.execute(found.where(~DEADLINE.c.duty, _STANDS).group_by(DEADLINE.c.game_id))
    return {row.game_id: _instant(row.due) for row in rows}


_STANDS = DEADLINE.c.state.in_(("open", "answered"))


def _acts(conn: Connection) -> dict[str, datetime]:
    found = _of_games(select(ACT.c.game_id, func.max(ACT.c.at).label("at")), ACT.c.game_id)
    rows = conn.execute(found.where(ACT.c.what.not_in(BY_THE_CALENDAR)).group_by(ACT.c.game_id))
    return {row.game_id: _instant(row.at) for row in rows}


def _stood(conn: Connection) -> dict[str, list[tuple[str, datetime]]]:
    found = _of_games(select(ACT.c.game_id, ACT.c.what, ACT.c.at), ACT.c.game_id)
    stood: dict[str, list[tuple[str, datetime]]] = {}
    for row in conn.execute(found.where(ACT.c.what.in_((*STANDING_STILL, *GOING_ON))).order_by(ACT.c.id)):
        stood.setdefault(row.game_id, []).append((row.what, row.at))
    return stood


def _last_orders(conn: Connection) -> dict[str, datetime]:
    held = select(GAME.c.id).where(GAME.c.status == "held")
    found = select(ENTRY.c.game_id, func.max(ENTRY.c.at).label("at")).where(ENTRY.c.game_id.in_(held))
    return {row.game_id: _instant(row.at) for row in conn.execute(found.group_by(ENTRY.c.game_id))}


def _aside(conn: Connection, since: datetime) -> list[MailPutAside]:
    """Mail that was put aside and has not come again since, by `mentat mail replay` or from its folder."""
    newest = select(func.max(MESSAGE.c.id) - NEWEST).scalar_subquery()
    again = MESSAGE.alias()
    came_again = select(again.c.id).where(again.c.digest == MESSAGE.c.digest, again.c.id > MESSAGE.c.id).exists()
    columns = (MESSAGE.c.id, MESSAGE.c.received_at, MESSAGE.c.reason, MESSAGE.c.game_id, MESSAGE.c.sender)
    found = select(*columns).where(
        MESSAGE.c.id > newest, MESSAGE.c.disposition == "rejected", MESSAGE.c.received_at > since, ~came_again
    )
    rows = conn.execute(found.order_by(MESSAGE.c.id))
    return [MailPutAside(row.id, row.received_at, row.reason, row.game_id or "", row.sender) for row in rows]


def _outgoing(conn: Connection, since: datetime) -> Outgoing:
    tried = LETTER.c.tries > 0
    waits = conn.execute(
        select(
            func.count(LETTER.c.id).label("waiting"), func.min(LETTER.c.created_at).label("since"),
            func.count(LETTER.c.id).filter(tried).label("failing"),
            func.min(LETTER.c.created_at).filter(tried).label("failing_since"),
        ).where(LETTER.c.next_try_at.is_not(None))
    ).one()  # fmt: skip
    said = select(LETTER.c.error).where(LETTER.c.next_try_at.is_not(None), LETTER.c.error != "")
    newest = select(func.max(LETTER.c.id) - NEWEST).scalar_subquery()
    given_up = (LETTER.c.sent_at.is_(None), LETTER.c.next_try_at.is_(None), LETTER.c.created_at > since)
    lost = conn.execute(
        select(func.count(LETTER.c.id).label("lost"), func.min(LETTER.c.created_at).label("since")).where(
            LETTER.c.id > newest, *given_up
        )
    ).one()
    return Outgoing(
        waits.waiting, _if_any(waits.since), waits.failing, _if_any(waits.failing_since),
        conn.scalars(said.order_by(LETTER.c.id.desc()).limit(1)).first() or "", lost.lost, _if_any(lost.since),
    )  # fmt: skip


def _codes(conn: Connection, now: datetime) -> list[CodeAt]:
    waits = select(MASTER_CODE).where(MASTER_CODE.c.state == "waiting", MASTER_CODE.c.until > now)
    rows = conn.execute(_of_games(waits, MASTER_CODE.c.game_id).order_by(MASTER_CODE.c.asked_at))
    return [CodeAt(row.game_id, row.address, row.line.split()[0].rstrip(":"), row.asked_at, row.until) for row in rows]


def _reported(conn: Connection, since: datetime) -> list[ReportedPress]:
    columns = (PRESS.c.game_id, PRESS.c.reported_by, PRESS.c.at)
    shown = select(*columns).where(PRESS.c.reported_by != "", PRESS.c.at > since)
    rows = conn.execute(_of_games(shown, PRESS.c.game_id).order_by(PRESS.c.id))
    return [ReportedPress(row.game_id, tuple(map(as_faction, row.reported_by.split(","))), row.at) for row in rows]


def _forums(conn: Connection) -> list[ForumTrouble]:
    failing = select(FORUM_STATE).where(FORUM_STATE.c.problem != "", FORUM_STATE.c.failing_since != NO_INSTANT)
    rows = conn.execute(failing.order_by(FORUM_STATE.c.forum, FORUM_STATE.c.work))
    return [ForumTrouble(row.forum, row.work, row.failing_since, row.problem) for row in rows]


def _threads(conn: Connection) -> list[ThreadAt]:
    waits = select(FORUM_POST.c.game_id, func.count().label("number")).where(FORUM_POST.c.posted_at == NO_INSTANT)
    waiting = {row.game_id: row.number for row in conn.execute(waits.group_by(FORUM_POST.c.game_id))}
    to_post = select(FORUM_BLOCK.c.game_id, func.count().label("number")).where(~FORUM_BLOCK.c.posted)
    blocks = {row.game_id: row.number for row in conn.execute(to_post.group_by(FORUM_BLOCK.c.game_id))}
    columns = (FORUM_THREAD.c.game_id, FORUM_THREAD.c.forum, FORUM_THREAD.c.problem, FORUM_THREAD.c.problem_since)
    told = FORUM_THREAD.c.game_id.in_(blocks) & (GAME.c.status == "over")  # but for what a person has still to post
    open_ones = select(*columns).join(GAME, GAME.c.id == FORUM_THREAD.c.game_id).where(~FORUM_THREAD.c.closed | told)
    return [
        ThreadAt(row.game_id, row.forum, row.problem, row.problem_since, waiting.get(row.game_id, 0),
                blocks.get(row.game_id, 0))
        for row in conn.execute(open_ones.order_by(FORUM_THREAD.c.game_id))
    ]  # fmt: skip


def _of_games(found: Select[Any], game_id: ColumnElement[str]) -> Select[Any]:
    """Only of games that are not over."""
    return found.join(GAME, GAME.c.id == game_id).where(GAME.c.status.in_(_GOES_ON))


def _instant(value: datetime | str) -> datetime:
    """What an aggregate of a column of instants gives."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def _if_any(value: datetime | str | None) -> datetime | None:
    return _instant(value) if value else None


def owed_by_game(owed_now: Iterable[OwedDuty]) -> dict[str, list[OwedDuty]]:
    """What is owed in each game."""
    found: dict[str, list[OwedDuty]] = {}
    for each in owed_now:
        found.setdefault(each.game, []).append(each)
    return found


Right = Literal["director", "arbiter", "clerk", "auditor"]
RIGHTS: tuple[Right, ...] = get_args(Right)


@dataclass(frozen=True, slots=True)
class GrantedRight:
    """A right of somebody at one game. ``token`` is what the answers to their letters bring back."""

    game_id: str
    address: str
    right: Right
    token: str
    since: datetime


def grant_right(conn: Connection, granted: GrantedRight) -> None:
    """Give somebody a right, in the place of another that they had."""
    revoke_right(conn, granted.game_id, granted.address)
    row = {
        "game_id": granted.game_id, "address": granted.address, "right": granted.right, "token": granted.token,
        "since": granted.since,
    }  # fmt: skip
    conn.execute(insert(GAME_RIGHT), row)


def revoke_right(conn: Connection, game_id: str, address: str) -> bool:
    """Somebody has no right at a game any more; whether they had one."""
    this = (GAME_RIGHT.c.game_id == game_id, GAME_RIGHT.c.address == address)
    return bool(conn.execute(delete(GAME_RIGHT).where(*this)).rowcount)


def rights_of_game(conn: Connection, game_id: str) -> list[GrantedRight]:
    """All who have one, the longest first."""
    found = select(GAME_RIGHT).where(GAME_RIGHT.c.game_id == game_id)
    return [_granted_right(row) for row in conn.execute(found.order_by(GAME_RIGHT.c.since, GAME_RIGHT.c.address))]


def right_of(conn: Connection, game_id: str, address: str) -> GrantedRight | None:
    """The right of the person with this address at a game, if any."""
    known = known_as(conn, address)
    found = select(GAME_RIGHT).where(GAME_RIGHT.c.game_id == game_id, GAME_RIGHT.c.address.in_(known)).limit(1)
    row = conn.execute(found).one_or_none()
    return None if row is None else _granted_right(row)


def right_by_token(conn: Connection, token: str) -> GrantedRight | None:
    """Whose right a token is for."""
    row = conn.execute(_RIGHT_BY_TOKEN, {"of": token}).one_or_none()
    return None if row is None else _granted_right(row)


_RIGHT_BY_TOKEN = select(GAME_RIGHT).where(GAME_RIGHT.c.token == bindparam("of"))


def _granted_right(row: Row[Any]) -> GrantedRight:
    return GrantedRight(row.game_id, row.address, row.right, row.token, row.since)


CodeState = Literal["waiting", "done", "refused"]
OUTDATED = -1
"""Of how many entries no log is."""


@dataclass(frozen=True, slots=True)
class PendingCommand:
    """What waits for its ``code`` from an ``address``: a line about a game whose log had so many ``entries`` then. It
    is over after ``until``."""

    code: str
    game_id: str
    address: str
    line: str
    entries: int
    asked_at: datetime
    until: datetime


def keep_pending(conn: Connection, pending: PendingCommand) -> None:
    """Let something wait for its code."""
    row = {
        "code": pending.code, "game_id": pending.game_id, "address": pending.address, "line": pending.line,
        "entries": pending.entries, "asked_at": pending.asked_at, "until": pending.until, "state": "waiting",
    }  # fmt: skip
    conn.execute(insert(MASTER_CODE), row)


def pending_command(conn: Connection, code: str, now: datetime) -> PendingCommand | None:
    """What waits for this code, unless its time is over or it was used."""
    row = conn.execute(_PENDING_COMMAND, {"of": code, "now": now}).one_or_none()
    if row is None:
        return None
    return PendingCommand(row.code, row.game_id, row.address, row.line, row.entries, row.asked_at, row.until)


_PENDING_COMMAND = select(MASTER_CODE).where(
    MASTER_CODE.c.code == bindparam("of"), MASTER_CODE.c.state == "waiting", MASTER_CODE.c.until > bindparam("now")
)


def count_codes(conn: Connection) -> int:
    """How many codes there ever were; this number keeps two that are made in the same moment apart."""
    return int(conn.execute(select(func.count()).select_from(MASTER_CODE)).scalar_one())


def outdate_codes(conn: Connection, game_id: str) -> None:
    """A rollback has changed the log of a game: whatever waits there was asked for before, even if the log gets as long
    again."""
    waits = (MASTER_CODE.c.game_id == game_id, MASTER_CODE.c.state == "waiting")
    conn.execute(update(MASTER_CODE).where(*waits).values(entries=OUTDATED))


def settle_codes_like(conn: Connection, game_id: str, word: str, state: CodeState) -> None:
    """Whatever waits in a game and begins with this word counts no more."""
    waits = (MASTER_CODE.c.game_id == game_id, MASTER_CODE.c.state == "waiting")
    conn.execute(update(MASTER_CODE).where(*waits, MASTER_CODE.c.line.startswith(word)).values(state=state))


def settle_code(conn: Connection, code: str, state: CodeState) -> None:
    """A code is used, once."""
    conn.execute(update(MASTER_CODE).where(MASTER_CODE.c.code == code).values(state=state))


@dataclass(frozen=True, slots=True)
class MasterRuling:
    """A ruling. ``tournament_id`` is "" for a game that belongs to none; ``clause`` is the clause that it reads."""

    game_id: str
    tournament_id: str
    words: str
    clause: str
    at: datetime
    number: int = 0


def keep_ruling(conn: Connection, ruling: MasterRuling) -> int:
    """Keep a ruling; its number."""
    row = {
        "game_id": ruling.game_id, "tournament_id": ruling.tournament_id, "words": ruling.words,
        "clause": ruling.clause, "at": ruling.at,
    }  # fmt: skip
    return int(conn.execute(insert(MASTER_RULING).values(row).returning(MASTER_RULING.c.id)).scalar_one())


def rulings_in(conn: Connection, game_id: str, tournament_id: str) -> list[MasterRuling]:
    """The rulings that the players of a game may know: its own, and those of the other games of its tournament that are
    over, as a ruling says something of the game in which it was asked for."""
    own = MASTER_RULING.c.game_id == game_id
    of_tournament = and_(MASTER_RULING.c.tournament_id == tournament_id, GAME.c.status == "over")
    wanted = or_(own, of_tournament) if tournament_id else own
    joined = MASTER_RULING.join(GAME, GAME.c.id == MASTER_RULING.c.game_id)
    found = select(MASTER_RULING).select_from(joined).where(wanted).order_by(MASTER_RULING.c.id)
    return [
        MasterRuling(row.game_id, row.tournament_id, row.words, row.clause, row.at, row.id)
        for row in conn.execute(found)
    ]


@dataclass(frozen=True, slots=True)
class Note:
    """A note. ``about`` is "" for the whole game, a faction, or an address; ``successor``: whoever the game is handed
    over to may read it; ``number`` names it, 0 before it is kept."""

    game_id: str
    about: str
    words: str
    who: str
    at: datetime
    successor: bool = False
    number: int = 0


def keep_note(conn: Connection, note: Note) -> int:
    """Keep a note; its number."""
    row = {
        "game_id": note.game_id, "about": note.about, "words": note.words, "who": note.who, "at": note.at,
        "successor": note.successor,
    }  # fmt: skip
    return int(conn.execute(insert(MASTER_NOTE).values(row).returning(MASTER_NOTE.c.id)).scalar_one())


def notes_of_game(conn: Connection, game_id: str) -> list[Note]:
    """The notes on a game, the oldest first."""
    found = select(MASTER_NOTE).where(MASTER_NOTE.c.game_id == game_id).order_by(MASTER_NOTE.c.id)
    return [
        Note(row.game_id, row.about, row.words, row.who, row.at, row.successor, row.id) for row in conn.execute(found)
    ]


def forget_note(conn: Connection, game_id: str, number: int) -> bool:
    """Delete a note; whether there was one."""
    this = (MASTER_NOTE.c.game_id == game_id, MASTER_NOTE.c.id == number)
    return bool(conn.execute(delete(MASTER_NOTE).where(*this)).rowcount)


def forget_notes_of_games(conn: Connection, game_ids: Collection[str]) -> None:
    """Delete all notes on these games."""
    conn.execute(delete(MASTER_NOTE).where(MASTER_NOTE.c.game_id.in_(game_ids)))


def forget_notes_of_seat(conn: Connection, game_id: str, faction: str, until: datetime | None = None) -> None:
    """Delete the notes on a seat of a game, those that were written until an instant, or all."""
    of_seat = delete(MASTER_NOTE).where(MASTER_NOTE.c.game_id == game_id, MASTER_NOTE.c.about == faction)
    conn.execute(of_seat.where(MASTER_NOTE.c.at <= until) if until else of_seat)


def forget_notes_about(conn: Connection, addresses: Collection[str]) -> int:
    """Delete all notes about a person; how many there were."""
    return conn.execute(delete(MASTER_NOTE).where(MASTER_NOTE.c.about.in_(addresses))).rowcount
