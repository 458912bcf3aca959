"""What players wrote to each other, and who observes a game.

Press is kept as it was written, with when it goes out and who got it. ``number`` counts the press of a game in the
order in which it went out, 0 before that; nobody is told it, as it counts what others wrote. To its readers a press has
the number of those that they got (``press_of_reader``).

An observer is an address that gets the public summary of each turn. Letters to observers who read late are withheld, as
they were written, until the turn has ended at which they go out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.engine import Row

from bot.press import settings_in
from bot.store.database import NO_INSTANT, inserted_number
from bot.store.tables import GAME, LETTER, MUTED, OBSERVER, PRESS, WITHHELD
from rules.components import Faction, as_faction

PressState = Literal["sent", "waiting", "held", "withdrawn"]
TO_ALL = "all"


@dataclass(frozen=True, slots=True)
class Press:
    """What one seat wrote. ``said`` is whom the letter names as its readers, and ``to_all`` that it says "to all".
    ``due`` is when it goes out while it is waiting; without it, when the turn is over."""

    game_id: str
    faction: Faction
    readers: tuple[Faction, ...]
    said: tuple[Faction, ...]
    to_all: bool
    words: str
    signed: bool
    turn: int
    at: datetime
    due: datetime | None = None
    state: PressState = "sent"
    number: int = 0
    id: int = 0
    reported_by: tuple[Faction, ...] = ()


def keep_press(conn: Connection, press: Press) -> Press:
    """Write it down; with its number among what has gone out, if it has."""
    number = _next_number(conn, press.game_id) if press.state == "sent" else 0
    row = {
        "game_id": press.game_id, "number": number, "faction": press.faction, "readers": ",".join(press.readers),
        "said_readers": TO_ALL if press.to_all else ",".join(press.said), "words": press.words, "signed": press.signed,
        "turn": press.turn, "at": press.at, "due": press.due, "state": press.state, "reported_by": "",
        "objected": "",
    }  # fmt: skip
    made = inserted_number(conn.execute(insert(PRESS), row))
    return replace(press, number=number, id=made)


def _next_number(conn: Connection, game_id: str) -> int:
    last = conn.execute(select(func.max(PRESS.c.number)).where(PRESS.c.game_id == game_id)).scalar_one()
    return int(last or 0) + 1


def note_press_sent(conn: Connection, press: Press) -> Press:
    """What was waiting is out; with its number."""
    number = _next_number(conn, press.game_id)
    conn.execute(update(PRESS).where(PRESS.c.id == press.id).values(state="sent", number=number))
    return replace(press, state="sent", number=number)


def games_with_due(conn: Connection, now: datetime) -> list[str]:
    """The games in which something goes out now."""
    return list(conn.scalars(_GAMES_WITH_DUE, {"now": now}))


def due_press(conn: Connection, game_id: str, now: datetime) -> list[Press]:
    """What goes out now in a game."""
    found = select(PRESS).join(GAME, GAME.c.id == PRESS.c.game_id).where(PRESS.c.game_id == game_id, *_DUE)
    return [_press(row) for row in conn.execute(found.order_by(PRESS.c.id), {"now": now})]


_DUE = (
    PRESS.c.state == "waiting",
    or_(
        (PRESS.c.due != NO_INSTANT) & (PRESS.c.due <= bindparam("now")),
        (PRESS.c.due == NO_INSTANT) & or_(GAME.c.turn > PRESS.c.turn, GAME.c.status == "over"),
    ),
)
_GAMES_WITH_DUE = (
    select(PRESS.c.game_id).join(GAME, GAME.c.id == PRESS.c.game_id).where(*_DUE).distinct().order_by(PRESS.c.game_id)
)


def sent_since(conn: Connection, game_id: str, faction: Faction, since: datetime) -> list[datetime]:
    """When a seat wrote what was passed on, or will be, since then."""
    found = select(PRESS.c.at).where(*_passed_on(game_id, faction), PRESS.c.at > since).order_by(PRESS.c.at)
    return [at for (at,) in conn.execute(found)]


def count_in_turn(conn: Connection, game_id: str, faction: Faction, turn: int) -> int:
    """How much a seat wrote in a turn."""
    found = select(func.count()).where(*_passed_on(game_id, faction), PRESS.c.turn == turn)
    return int(conn.execute(found).scalar_one())


def _passed_on(game_id: str, faction: Faction) -> tuple[Any, ...]:
    return (PRESS.c.game_id == game_id, PRESS.c.faction == faction, PRESS.c.state.in_(("sent", "waiting")))


def held_press(conn: Connection, game_id: str, faction: Faction) -> Press | None:
    """What waits for the second thought of its writer."""
    found = select(PRESS).where(PRESS.c.game_id == game_id, PRESS.c.faction == faction, PRESS.c.state == "held")
    row = conn.execute(found.order_by(PRESS.c.id.desc()).limit(1)).one_or_none()
    return None if row is None else _press(row)


def withdraw_press(conn: Connection, game_id: str, faction: Faction) -> None:
    """What waits for the second thought of a seat is not sent any more."""
    held = (PRESS.c.game_id == game_id, PRESS.c.faction == faction, PRESS.c.state == "held")
    conn.execute(update(PRESS).where(*held).values(state="withdrawn"))


def press_of_reader(conn: Connection, game_id: str, faction: Faction) -> list[Press]:
    """All that a seat got, in order: its number N for this reader is its place here, from 1."""
    return [press for press in press_of_game(conn, game_id) if faction in press.readers]


def press_counts(conn: Connection, game_id: str) -> Mapping[Faction, int]:
    """How many each seat got."""
    found = select(PRESS.c.readers).where(PRESS.c.game_id == game_id, PRESS.c.state == "sent")
    return Counter(reader for (readers,) in conn.execute(found) for reader in _factions(readers))


def press_of_game(conn: Connection, game_id: str) -> list[Press]:
    """All that has gone out in a game, in order."""
    found = select(PRESS).where(PRESS.c.game_id == game_id, PRESS.c.state == "sent").order_by(PRESS.c.number)
    return [_press(row) for row in conn.execute(found)]


def report_press(conn: Connection, press: Press, by: Faction) -> None:
    """A reader has shown it to the game master."""
    names = ",".join(dict.fromkeys((*press.reported_by, by)))
    conn.execute(update(PRESS).where(PRESS.c.id == press.id).values(reported_by=names))


def forget_press(conn: Connection, games: Sequence[str]) -> None:
    """What players of these games wrote is said no more, except where the archive was to show it."""
    rows = conn.execute(select(GAME.c.id, GAME.c.press).where(GAME.c.id.in_(games)))
    private = [row.id for row in rows if not settings_in(row.press).archived]
    conn.execute(update(PRESS).where(PRESS.c.game_id.in_(private), PRESS.c.words != "").values(words=""))


def forget_press_of_seat(conn: Connection, game_id: str, faction: str) -> None:
    """What was written from a seat is said no more."""
    conn.execute(update(PRESS).where(PRESS.c.game_id == game_id, PRESS.c.faction == faction).values(words=""))


def is_muted(conn: Connection, game_id: str, faction: Faction) -> bool:
    """Whether what a seat writes goes to the desk alone."""
    found = select(MUTED.c.faction).where(MUTED.c.game_id == game_id, MUTED.c.faction == faction)
    return conn.execute(found).first() is not None


def mute(conn: Connection, game_id: str, faction: Faction, now: datetime) -> None:
    """Let what a seat writes go to the desk alone from now on."""
    conn.execute(insert(MUTED), {"game_id": game_id, "faction": faction, "since": now})


def unmute(conn: Connection, game_id: str, faction: Faction) -> bool:
    """Let what a seat writes go to its readers again; whether it went to the desk alone."""
    return bool(conn.execute(delete(MUTED).where(MUTED.c.game_id == game_id, MUTED.c.faction == faction)).rowcount)


def _press(row: Row[Any]) -> Press:
    to_all = row.said_readers == TO_ALL
    return Press(
        row.game_id, as_faction(row.faction), _factions(row.readers), () if to_all else _factions(row.said_readers),
        to_all, row.words, row.signed, row.turn, row.at, row.due, row.state, row.number, row.id,
        _factions(row.reported_by),
    )  # fmt: skip


def _factions(names: str) -> tuple[Faction, ...]:
    return tuple(map(as_faction, filter(None, names.split(","))))


@dataclass(frozen=True, slots=True)
class Observer:
    """``turn`` is the last whose summary they were sent, ``letters`` how many letters they have got, ``board`` what the
    last picture showed them, and ``drawn`` of how many events. They read all ``delay`` turns late, and ``full`` of them
    what is hidden too."""

    game_id: str
    address: str
    token: str
    turn: int = 0
    letters: int = 0
    board: str = ""
    drawn: int = 0
    delay: int = 0
    full: bool = False


def add_observer(conn: Connection, observer: Observer, now: datetime) -> None:
    """Let somebody observe a game."""
    conn.execute(
        insert(OBSERVER),
        {"game_id": observer.game_id, "address": observer.address, "token": observer.token, "since": now,
         "turn": observer.turn, "letters": observer.letters, "board": observer.board, "drawn": observer.drawn,
         "delay": observer.delay, "full": observer.full},
    )  # fmt: skip


def remove_observer(conn: Connection, observer: Observer) -> None:
    """They observe no longer, and what was withheld from them is never sent."""
    drop_withheld_letters(conn, [observer.token])
    conn.execute(delete(OBSERVER).where(OBSERVER.c.token == observer.token))


def note_written(conn: Connection, observer: Observer) -> None:
    """They were written to up to this turn and with this board."""
    changed = {"turn": observer.turn, "board": observer.board, "drawn": observer.drawn}
    conn.execute(update(OBSERVER).where(OBSERVER.c.token == observer.token).values(changed))


def note_sent(conn: Connection, observer: Observer) -> None:
    """They were sent one letter more, up to this turn and with this board."""
    picture = {"board": observer.board, "drawn": observer.drawn}
    changed = {"turn": observer.turn, "letters": observer.letters + 1, **picture}
    conn.execute(update(OBSERVER).where(OBSERVER.c.token == observer.token).values(changed))


def observers_of_game(conn: Connection, game_id: str) -> list[Observer]:
    """The observers of a game, by address."""
    found = select(OBSERVER).where(OBSERVER.c.game_id == game_id).order_by(OBSERVER.c.address)
    return [_observer(row) for row in conn.execute(found)]


def observed_by(conn: Connection, addresses: Collection[str]) -> list[Observer]:
    """All that is observed by who has these addresses."""
    found = select(OBSERVER).where(OBSERVER.c.address.in_(addresses)).order_by(OBSERVER.c.game_id, OBSERVER.c.address)
    return [_observer(row) for row in conn.execute(found)]


def count_letters_to_observers(conn: Connection, game_id: str) -> int:
    """How many letters were written to observers of a game."""
    found = select(func.count()).where(LETTER.c.game_id == game_id, LETTER.c.faction.is_(None))
    return int(conn.execute(found).scalar_one())


def observer_by_token(conn: Connection, token: str) -> Observer | None:
    """The observer with this token."""
    row = conn.execute(select(OBSERVER).where(OBSERVER.c.token == token)).one_or_none()
    return _observer(row) if row else None


def games_to_summarise(conn: Connection) -> list[str]:
    """The games whose observers have not been sent all summaries yet."""
    return sorted({*conn.scalars(_NOT_SUMMARISED), *conn.scalars(_READ_LATE)})


_NOT_SUMMARISED = (
    select(GAME.c.id)
    .join(OBSERVER, OBSERVER.c.game_id == GAME.c.id)
    .where((OBSERVER.c.turn < GAME.c.turn - 1) | (GAME.c.status == "over") & (OBSERVER.c.turn < GAME.c.turn))
    .distinct()
)
_READ_LATE = (
    select(GAME.c.id)
    .join(WITHHELD, WITHHELD.c.game_id == GAME.c.id)
    .where((WITHHELD.c.due_turn <= GAME.c.turn - 1) | (GAME.c.status == "over"))
    .distinct()
)


def _observer(row: object) -> Observer:
    names = ("game_id", "address", "token", "turn", "letters", "board", "drawn", "delay", "full")
    return Observer(*(getattr(row, name) for name in names))


@dataclass(frozen=True, slots=True)
class WithheldLetter:
    """A letter that waits. It goes out when ``due_turn`` has ended. ``covers`` is the turn that it sums up, 0 for other
    letters; ``events`` is how many had happened when it was written."""

    game_id: str
    token: str
    covers: int
    due_turn: int
    events: int
    subject: str
    text: str
    html: str
    picture: bytes | None = None
    id: int = 0


def withhold_letter(conn: Connection, letter: WithheldLetter) -> None:
    """Keep a letter until it is due."""
    names = ("game_id", "token", "covers", "due_turn", "events", "subject", "text", "html", "picture")
    conn.execute(insert(WITHHELD), {name: getattr(letter, name) for name in names})


def take_withheld_letters(conn: Connection, token: str, ended: int | None) -> list[WithheldLetter]:
    """What is due to an observer when so many turns have ended, in order; it is kept no more. None: all of it."""
    due = () if ended is None else (WITHHELD.c.due_turn <= ended,)
    rows = conn.execute(select(WITHHELD).where(WITHHELD.c.token == token, *due).order_by(WITHHELD.c.id)).all()
    conn.execute(delete(WITHHELD).where(WITHHELD.c.id.in_([row.id for row in rows])))
    names = ("game_id", "token", "covers", "due_turn", "events", "subject", "text", "html", "picture", "id")
    return [WithheldLetter(*(getattr(row, name) for name in names)) for row in rows]


def first_withheld_turn(conn: Connection, token: str) -> int | None:
    """The first turn whose summary still waits; None if none does."""
    found = select(func.min(WITHHELD.c.covers)).where(WITHHELD.c.token == token, WITHHELD.c.covers > 0)
    first: int | None = conn.execute(found).scalar_one()
    return first


def cut_withheld_letters(conn: Connection, token: str, events: int) -> int | None:
    """Drop what was written to an observer after so many events; the first turn that was summed up in it, None if none
    was."""
    dropped = (WITHHELD.c.token == token, WITHHELD.c.events > events)
    found = select(func.min(WITHHELD.c.covers)).where(*dropped, WITHHELD.c.covers > 0)
    first: int | None = conn.execute(found).scalar_one()
    conn.execute(delete(WITHHELD).where(*dropped))
    return first


def drop_withheld_letters(conn: Connection, tokens: Collection[str]) -> None:
    """Drop all that waits for these observers."""
    conn.execute(delete(WITHHELD).where(WITHHELD.c.token.in_(tokens)))
