"""The game master's desk: what needs attention, pending codes, rulings and notes.

``read_desk`` covers all unfinished games with one query per subject, however many games there are. It reads no
positions. Its rows contain no secrets: they show who owes an answer, never what a player holds or has sent.

Dangerous commands by mail, and handovers, wait until their code has been sent back to us once. Rulings record game
masters' decisions where the rules are silent: they are precedents for the game and for its whole tournament. Notes are
private, and are about a game, a seat or a person. They are never exported, and are deleted together with the person.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, and_, case, delete, exists, func, or_, select, update

from bot.store.acts import ACT
from bot.store.database import NO_INSTANT
from bot.store.mail import EARLIEST, LETTER
from bot.store.rows import add_value, count_rows, fetch, load, load_all, query, table_of
from bot.store.tables import ABSENCE, DEADLINE, ENTRY, GAME, MESSAGE, OVERRUN, SEAT
from rules.components import Faction

BY_THE_CALENDAR = ("outage", "silence", "withheld")
"""Acts of the calendar, not of a person at the desk."""

STANDING_STILL = ("pause", "silence", "withheld", "hold")
GOING_ON = ("resume", "release")

NEWEST = 5_000
"""The desk reads only this many of the newest mails and letters, so that old ones do not slow it down."""


@dataclass(frozen=True, slots=True)
class GameAt:
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
    game: str
    faction: Faction
    name: str
    address: str
    care: bool
    missed: int
    unreachable_since: datetime | None
    undelivered: int
    undelivered_at: datetime | None
    asked: bool = False  # they have not answered a question from the desk


StallCause = Literal["", "bank", "away", "unreachable"]


@dataclass(frozen=True, slots=True)
class OwedDuty:
    """A public duty: everybody may know that the game waits for it. ``answered`` is true if the answer has already
    come, which the other players must not notice. ``cause`` is why it takes longer than usual, or ""."""

    game: str
    faction: Faction
    kind: str
    due: datetime
    until: datetime
    since: datetime | None
    answered: bool
    cause: StallCause = ""


@dataclass(frozen=True, slots=True)
class MailPutAside:
    number: int
    at: datetime
    reason: str
    game: str
    sender: str


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The state of the outbox.

    - ``waiting`` counts the waiting letters, and ``since`` is when the oldest of them was written.
    - ``failing`` counts the letters that could not be sent so far, and ``failing_since`` is when the oldest of them was
      written.
    - ``error`` is what the server last said about a failure.
    - ``lost`` counts the letters that were recently given up, and ``lost_since`` is when the first of them was written.
    """

    waiting: int = 0
    since: datetime | None = None
    failing: int = 0
    failing_since: datetime | None = None
    error: str = ""
    lost: int = 0
    lost_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class CodeAt:
    game: str
    address: str
    command: str
    asked_at: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class ReportedPress:
    game: str
    by: tuple[Faction, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class ForumTrouble:
    forum: str
    work: str
    since: datetime
    problem: str


@dataclass(frozen=True, slots=True)
class ThreadAt:
    """A game's forum thread as the desk shows it: why posts are refused (``problem``) and since when, how many posts
    are waiting, and how many blocks somebody must post by hand."""

    game: str
    forum: str
    problem: str = ""
    since: datetime | None = None
    waiting: int = 0
    blocks: int = 0


@dataclass(frozen=True, slots=True)
class DeskRows:
    """Everything on the desk.

    - ``nameless`` contains the games that wait for an answer but must not say from whom, because hidden cards decide
      who has to answer. Its values say until when each game waits.
    - ``acts`` contains the time at which somebody at the desk last acted on each game.
    - ``stood`` contains the times at which each game's clocks stopped and resumed.
    - ``last`` contains the time at which each held game received its last order.
    """

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
    """Read the desk. Quarantined mail, lost letters and reported press from before ``since`` are left out."""
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
    return games_at(conn)


def games_at(conn: Connection, *where: ColumnElement[bool]) -> list[GameAt]:
    columns = (
        GAME.c.id, GAME.c.ruleset, GAME.c.status, GAME.c.turn, GAME.c.phase, GAME.c.tempo, GAME.c.winners,
        GAME.c.options, GAME.c.clock, GAME.c.created_at, GAME.c.stopped_at, GAME.c.stopped_why, GAME.c.on_hold,
        GAME.c.call, GAME.c.call_due, _AWAITS.label("awaits"),
    )  # fmt: skip
    rows = conn.execute(select(*columns).where(*where).order_by(GAME.c.created_at, GAME.c.id))
    return [
        GameAt(
            row.id, row.ruleset, row.status, row.turn, row.phase, row.tempo,
            tuple(row.winners.split(",")) if row.winners else (), json.loads(row.options), json.loads(row.clock),
            row.created_at, row.stopped_at, row.stopped_why, row.on_hold, row.call,
            row.call_due if row.awaits else None,
        )
        for row in rows
    ]  # fmt: skip


_MAY_WAIT = (SEAT.c.called != GAME.c.call) | (SEAT.c.letters_mode != "all") | GAME.c.call.endswith(".battle")
_AWAITS = exists().where(SEAT.c.game_id == GAME.c.id, _MAY_WAIT)
"""True if Mentat's call for sheets may still be waiting for somebody, as in `bot.table.rounds.awaits`, but without the
position."""


def games_of(conn: Connection, is_them: Callable[[str], bool]) -> set[str]:
    rows = conn.execute(_of_games(select(SEAT.c.game_id, SEAT.c.address), SEAT.c.game_id))
    return {row.game_id for row in rows if is_them(row.address)}


def _seats(conn: Connection) -> list[SeatAt]:
    columns = (
        SEAT.c.game_id,
        SEAT.c.faction,
        SEAT.c.name,
        SEAT.c.address,
        SEAT.c.care,
        SEAT.c.missed,
        case((SEAT.c.unreachable, SEAT.c.unreachable_since)),
        SEAT.c.undelivered,
        SEAT.c.undelivered_at,
        SEAT.c.asked_by_desk != "",
    )
    rows = conn.execute(_of_games(select(*columns), SEAT.c.game_id).order_by(SEAT.c.game_id, SEAT.c.dot))
    return [SeatAt(*row) for row in rows]


def owed(conn: Connection) -> list[OwedDuty]:
    columns = (
        DEADLINE.c.game_id,
        DEADLINE.c.faction,
        DEADLINE.c.kind,
        DEADLINE.c.due,
        DEADLINE.c.until,
        DEADLINE.c.asked_at,
        DEADLINE.c.state == "answered",
        _CAUSE,
    )
    found = _of_games(select(*columns), DEADLINE.c.game_id).where(DEADLINE.c.duty, _STANDS)
    rows = conn.execute(found.order_by(DEADLINE.c.due, DEADLINE.c.game_id, DEADLINE.c.kind, DEADLINE.c.faction))
    return [OwedDuty(*row) for row in rows]


_PLACE = ("game_id", "opened_at", "faction", "kind", "subject")
_DAYS = func.substr(DEADLINE.c.asked_at, 1, 10), func.substr(DEADLINE.c.due, 1, 10)
_CAUSE = case(
    (exists().where(*(OVERRUN.c[each] == DEADLINE.c[each] for each in _PLACE)), "bank"),
    (
        exists().where(
            ABSENCE.c.game_id == DEADLINE.c.game_id,
            ABSENCE.c.faction == DEADLINE.c.faction,
            ABSENCE.c.last >= _DAYS[0],
            ABSENCE.c.first < _DAYS[1],
        ),
        "away",
    ),
    (
        exists().where(
            SEAT.c.game_id == DEADLINE.c.game_id,
            SEAT.c.faction == DEADLINE.c.faction,
            SEAT.c.waits_until > EARLIEST,
            SEAT.c.waits_until <= DEADLINE.c.due,
        ),
        "unreachable",
    ),
    else_="",
)


def nameless(conn: Connection) -> dict[str, datetime]:
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
    """Return the quarantined mail that has not been handled since, either by `mentat mail replay` or from its
    folder."""
    newest = select(func.max(MESSAGE.c.id) - NEWEST).scalar_subquery()
    again = MESSAGE.alias()
    came_again = select(again.c.id).where(again.c.digest == MESSAGE.c.digest, again.c.id > MESSAGE.c.id).exists()
    game = func.coalesce(MESSAGE.c.game_id, "")
    found = select(MESSAGE.c.id, MESSAGE.c.received_at, MESSAGE.c.reason, game, MESSAGE.c.sender).where(
        MESSAGE.c.id > newest, MESSAGE.c.disposition == "rejected", MESSAGE.c.received_at > since, ~came_again
    )
    rows = conn.execute(found.order_by(MESSAGE.c.id))
    return [MailPutAside(*row) for row in rows]


def _outgoing(conn: Connection, since: datetime) -> Outgoing:
    tried = LETTER.c.tries > 0
    waits = conn.execute(
        select(
            func.count(LETTER.c.id).label("waiting"),
            func.min(LETTER.c.created_at).label("since"),
            func.count(LETTER.c.id).filter(tried).label("failing"),
            func.min(LETTER.c.created_at).filter(tried).label("failing_since"),
        ).where(LETTER.c.next_try_at.is_not(None))
    ).one()
    said = select(LETTER.c.error).where(LETTER.c.next_try_at.is_not(None), LETTER.c.error != "")
    newest = select(func.max(LETTER.c.id) - NEWEST).scalar_subquery()
    given_up = (LETTER.c.sent_at.is_(None), LETTER.c.next_try_at.is_(None), LETTER.c.created_at > since)
    lost = conn.execute(
        select(func.count(LETTER.c.id).label("lost"), func.min(LETTER.c.created_at).label("since")).where(
            LETTER.c.id > newest, *given_up
        )
    ).one()
    return Outgoing(
        waits.waiting,
        _if_any(waits.since),
        waits.failing,
        _if_any(waits.failing_since),
        conn.scalars(said.order_by(LETTER.c.id.desc()).limit(1)).first() or "",
        lost.lost,
        _if_any(lost.since),
    )


def _codes(conn: Connection, now: datetime) -> list[CodeAt]:
    waits = query(PendingCommand, MASTER_CODE.c.state == "waiting", MASTER_CODE.c.until > now).order_by(None)
    pending = fetch(conn, PendingCommand, _of_games(waits, MASTER_CODE.c.game_id).order_by(MASTER_CODE.c.asked_at))
    return [CodeAt(p.game_id, p.address, p.line.split()[0].rstrip(":"), p.asked_at, p.until) for p in pending]


def _reported(conn: Connection, since: datetime) -> list[ReportedPress]:
    from bot.store.press import PRESS  # `game show` needs only a game's row from this module

    columns = (PRESS.c.game_id, PRESS.c.reported_by, PRESS.c.at)
    shown = select(*columns).where(PRESS.c.reported_by != "", PRESS.c.at > since)
    return [ReportedPress(*row) for row in conn.execute(_of_games(shown, PRESS.c.game_id).order_by(PRESS.c.id))]


def _forums(conn: Connection) -> list[ForumTrouble]:
    from bot.store.forum_threads import FORUM_STATE, ForumState

    failing = load_all(conn, ForumState, FORUM_STATE.c.problem != "", FORUM_STATE.c.failing_since != NO_INSTANT)
    return [
        ForumTrouble(each.forum, each.work, each.failing_since, each.problem) for each in failing if each.failing_since
    ]


def _threads(conn: Connection) -> list[ThreadAt]:
    from bot.store.forum_posts import FORUM_BLOCK
    from bot.store.forum_threads import FORUM_POST, FORUM_THREAD

    waits = select(FORUM_POST.c.game_id, func.count().label("number")).where(FORUM_POST.c.posted_at == NO_INSTANT)
    waiting = {row.game_id: row.number for row in conn.execute(waits.group_by(FORUM_POST.c.game_id))}
    to_post = select(FORUM_BLOCK.c.game_id, func.count().label("number")).where(~FORUM_BLOCK.c.posted)
    blocks = {row.game_id: row.number for row in conn.execute(to_post.group_by(FORUM_BLOCK.c.game_id))}
    columns = (FORUM_THREAD.c.game_id, FORUM_THREAD.c.forum, FORUM_THREAD.c.problem, FORUM_THREAD.c.problem_since)
    told = FORUM_THREAD.c.game_id.in_(blocks) & (GAME.c.status == "over")  # finished, but with manual posts left
    open_ones = select(*columns).join(GAME, GAME.c.id == FORUM_THREAD.c.game_id).where(~FORUM_THREAD.c.closed | told)
    return [
        ThreadAt(
            row.game_id,
            row.forum,
            row.problem,
            row.problem_since,
            waiting.get(row.game_id, 0),
            blocks.get(row.game_id, 0),
        )
        for row in conn.execute(open_ones.order_by(FORUM_THREAD.c.game_id))
    ]


def _of_games(found: Select[Any], game_id: ColumnElement[str]) -> Select[Any]:
    return found.join(GAME, GAME.c.id == game_id).where(GAME.c.status.in_(_GOES_ON))


def _instant(value: datetime | str) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def _if_any(value: datetime | str | None) -> datetime | None:
    return _instant(value) if value else None


def owed_by_game(owed_now: Iterable[OwedDuty]) -> dict[str, list[OwedDuty]]:
    found: dict[str, list[OwedDuty]] = {}
    for each in owed_now:
        found.setdefault(each.game, []).append(each)
    return found


CodeState = Literal["waiting", "done", "refused"]  # and "over" in older databases
OUTDATED = -1
"""A number of entries that no log ever has."""


@dataclass(frozen=True, slots=True)
class PendingCommand:
    """A dangerous command that came by mail and will be carried out when its ``code`` comes back from the same
    ``address``. ``entries`` is the length of the game's log when the command came. The code expires after ``until``."""

    code: str
    game_id: str
    address: str
    line: str
    entries: int
    asked_at: datetime
    until: datetime


MASTER_CODE = table_of("master_code", PendingCommand, key="code", index="game_id", refers="game_id", state=str)


def keep_pending(conn: Connection, pending: PendingCommand) -> None:
    add_value(conn, pending, state="waiting")


def pending_command(conn: Connection, code: str, now: datetime) -> PendingCommand | None:
    pending = load(conn, PendingCommand, code=code, state="waiting")
    return pending if pending and pending.until > now else None


def count_codes(conn: Connection) -> int:
    """Return the number of codes ever made. It distinguishes codes that are made at the same moment."""
    return count_rows(conn, MASTER_CODE.c.code != "")


def outdate_codes(conn: Connection, game_id: str) -> None:
    """Make a game's pending codes invalid after a rollback. Otherwise they could become valid again once the log has
    grown back to the same length with different entries."""
    waits = (MASTER_CODE.c.game_id == game_id, MASTER_CODE.c.state == "waiting")
    conn.execute(update(MASTER_CODE).where(*waits).values(entries=OUTDATED))


def settle_codes(conn: Connection, game_id: str) -> None:
    waits = (MASTER_CODE.c.game_id == game_id, MASTER_CODE.c.state == "waiting")
    conn.execute(update(MASTER_CODE).where(*waits).values(state="refused"))


def old_command(conn: Connection, code: str) -> tuple[PendingCommand, CodeState] | None:
    state = conn.scalars(select(MASTER_CODE.c.state).where(MASTER_CODE.c.code == code)).first()
    pending = load(conn, PendingCommand, code=code) if state else None
    return (pending, state) if pending and state else None


def settle_code(conn: Connection, code: str, state: CodeState) -> None:
    conn.execute(update(MASTER_CODE).where(MASTER_CODE.c.code == code).values(state=state))


@dataclass(frozen=True, slots=True)
class MasterRuling:
    """A game master's ruling on a matter about which the rules are silent. It is a precedent in its game and in the
    whole tournament. ``tournament_id`` is "" outside tournaments. ``clause`` is the clause that the ruling
    interprets."""

    game_id: str
    tournament_id: str
    words: str
    clause: str
    at: datetime
    number: int = 0


MASTER_RULING = table_of("master_ruling", MasterRuling, key="id", index="game_id tournament_id", refers="game_id")


def keep_ruling(conn: Connection, ruling: MasterRuling) -> int:
    return add_value(conn, ruling)


def rulings_in(conn: Connection, game_id: str, tournament_id: str) -> list[MasterRuling]:
    """Return the rulings that the players of a game may know: those of the game itself, and those of finished games of
    its tournament. Games in play are left out, because a ruling reveals something about the game for which it was
    made."""
    own = MASTER_RULING.c.game_id == game_id
    of_tournament = and_(MASTER_RULING.c.tournament_id == tournament_id, GAME.c.status == "over")
    wanted = or_(own, of_tournament) if tournament_id else own
    return fetch(conn, MasterRuling, query(MasterRuling, wanted).join(GAME, GAME.c.id == MASTER_RULING.c.game_id))


@dataclass(frozen=True, slots=True)
class Note:
    """A private note. ``about`` is "" if the note is about the whole game, otherwise a faction or an address. The next
    game master may read the note only if ``successor`` is set. ``number`` is 0 before the note is stored."""

    game_id: str
    about: str
    words: str
    who: str
    at: datetime
    successor: bool = False
    number: int = 0


MASTER_NOTE = table_of("master_note", Note, key="id", index="game_id about")


def keep_note(conn: Connection, note: Note) -> int:
    return add_value(conn, note)


def notes_of_game(conn: Connection, game_id: str) -> list[Note]:
    return load_all(conn, Note, game_id=game_id)


def forget_note(conn: Connection, game_id: str, number: int) -> bool:
    this = (MASTER_NOTE.c.game_id == game_id, MASTER_NOTE.c.id == number)
    return bool(conn.execute(delete(MASTER_NOTE).where(*this)).rowcount)


def forget_notes_of_games(conn: Connection, game_ids: Collection[str]) -> None:
    conn.execute(delete(MASTER_NOTE).where(MASTER_NOTE.c.game_id.in_(game_ids)))


def forget_notes_of_seat(conn: Connection, game_id: str, faction: str, until: datetime | None = None) -> None:
    of_seat = delete(MASTER_NOTE).where(MASTER_NOTE.c.game_id == game_id, MASTER_NOTE.c.about == faction)
    conn.execute(of_seat.where(MASTER_NOTE.c.at <= until) if until else of_seat)


def forget_notes_about(conn: Connection, addresses: Collection[str]) -> int:
    return conn.execute(delete(MASTER_NOTE).where(MASTER_NOTE.c.about.in_(addresses))).rowcount
