"""Press between players, and the observers of a game.

Press is stored as written, with its sending time and its readers. ``number`` counts a game's press in the order of
sending, and is 0 before that. Players are not told this number, because it would reveal how much others wrote. Instead,
each reader sees the press that they received numbered from 1 (``press_of_reader``).

An observer is an address that gets the public summary of each turn. A letter to an observer who reads with a delay is
written at once and withheld until the turn in which it is due has ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, update

from bot.press import settings_in
from bot.store.database import NO_INSTANT
from bot.store.mail import LETTER
from bot.store.rows import add_value, any_row, count_rows, fetch, load, load_all, query, table_of
from bot.store.tables import GAME, MUTED
from rules.components import Faction

PressState = Literal["sent", "waiting", "held", "withdrawn"]
TO_ALL = ("all",)


@dataclass(frozen=True, slots=True)
class Press:
    """Press that one seat wrote. ``readers`` are the seats that get it, and ``said_readers`` are those that the letter
    names, or ``TO_ALL``. ``signed`` is true if the readers learn who wrote it. Waiting press goes out at ``due``, or at
    the end of the turn if ``due`` is None. The writer can still withdraw press that is held."""

    game_id: str
    faction: Faction
    readers: tuple[Faction, ...]
    said_readers: tuple[Faction, ...]
    words: str
    signed: bool
    turn: int
    at: datetime
    due: datetime | None = None
    state: PressState = "sent"
    number: int = 0
    id: int = 0
    reported_by: tuple[Faction, ...] = ()

    @property
    def to_all(self) -> bool:
        return self.said_readers == TO_ALL

    @property
    def said(self) -> tuple[Faction, ...]:
        return () if self.to_all else self.said_readers


PRESS = table_of("press", Press, key="id", index="game_id due state", refers="game_id", objected=str)
"""``objected`` is not used: objections to the archive are stored with the settings of the game (``bot.press``)."""


def keep_press(conn: Connection, press: Press) -> Press:
    number = _next_number(conn, press.game_id) if press.state == "sent" else 0
    numbered = replace(press, number=number)
    return replace(numbered, id=add_value(conn, numbered, objected=""))


def _next_number(conn: Connection, game_id: str) -> int:
    last = conn.execute(select(func.max(PRESS.c.number)).where(PRESS.c.game_id == game_id)).scalar_one()
    return int(last or 0) + 1


def note_press_sent(conn: Connection, press: Press) -> Press:
    number = _next_number(conn, press.game_id)
    conn.execute(update(PRESS).where(PRESS.c.id == press.id).values(state="sent", number=number))
    return replace(press, state="sent", number=number)


def games_with_due(conn: Connection, now: datetime) -> list[str]:
    return list(conn.scalars(_GAMES_WITH_DUE, {"now": now}))


def due_press(conn: Connection, game_id: str, now: datetime) -> list[Press]:
    found = query(Press, PRESS.c.game_id == game_id, *_DUE).join(GAME, GAME.c.id == PRESS.c.game_id)
    return fetch(conn, Press, found, {"now": now})


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
    found = select(PRESS.c.at).where(*_passed_on(game_id, faction), PRESS.c.at > since).order_by(PRESS.c.at)
    return [at for (at,) in conn.execute(found)]


def count_in_turn(conn: Connection, game_id: str, faction: Faction, turn: int) -> int:
    return count_rows(conn, *_passed_on(game_id, faction), PRESS.c.turn == turn)


def _passed_on(game_id: str, faction: Faction) -> tuple[Any, ...]:
    return (PRESS.c.game_id == game_id, PRESS.c.faction == faction, PRESS.c.state.in_(("sent", "waiting")))


def held_press(conn: Connection, game_id: str, faction: Faction) -> Press | None:
    held = load_all(conn, Press, game_id=game_id, faction=faction, state="held")
    return held[-1] if held else None


def withdraw_press(conn: Connection, game_id: str, faction: Faction) -> None:
    held = (PRESS.c.game_id == game_id, PRESS.c.faction == faction, PRESS.c.state == "held")
    conn.execute(update(PRESS).where(*held).values(state="withdrawn"))


def press_of_reader(conn: Connection, game_id: str, faction: Faction) -> list[Press]:
    """Return all press that a seat has received, in order. Its player sees it numbered by position in this list, from
    1."""
    return [press for press in press_of_game(conn, game_id) if faction in press.readers]


def press_counts(conn: Connection, game_id: str) -> Mapping[Faction, int]:
    found = select(PRESS.c.readers).where(PRESS.c.game_id == game_id, PRESS.c.state == "sent")
    return Counter(reader for readers in conn.scalars(found) for reader in readers)


def press_of_game(conn: Connection, game_id: str) -> list[Press]:
    return sorted(load_all(conn, Press, game_id=game_id, state="sent"), key=lambda press: press.number)


def report_press(conn: Connection, press: Press, by: Faction) -> None:
    names = tuple(dict.fromkeys((*press.reported_by, by)))
    conn.execute(update(PRESS).where(PRESS.c.id == press.id).values(reported_by=names))


def forget_press(conn: Connection, games: Sequence[str]) -> None:
    """Delete the text of the press in these games, except in games whose archive was meant to show it."""
    rows = conn.execute(select(GAME.c.id, GAME.c.press).where(GAME.c.id.in_(games)))
    private = [row.id for row in rows if not settings_in(row.press).archived]
    conn.execute(update(PRESS).where(PRESS.c.game_id.in_(private), PRESS.c.words != "").values(words=""))


def forget_press_of_seat(conn: Connection, game_id: str, faction: str) -> None:
    conn.execute(update(PRESS).where(PRESS.c.game_id == game_id, PRESS.c.faction == faction).values(words=""))


def is_muted(conn: Connection, game_id: str, faction: Faction) -> bool:
    return any_row(conn, MUTED.c.game_id == game_id, MUTED.c.faction == faction)


def mute(conn: Connection, game_id: str, faction: Faction, now: datetime) -> None:
    conn.execute(insert(MUTED), {"game_id": game_id, "faction": faction, "since": now})


def unmute(conn: Connection, game_id: str, faction: Faction) -> bool:
    return bool(conn.execute(delete(MUTED).where(MUTED.c.game_id == game_id, MUTED.c.faction == faction)).rowcount)


@dataclass(frozen=True, slots=True)
class Observer:
    """An observer of a game.

    - ``turn`` is the last turn whose summary they were sent.
    - ``letters`` is the number of letters sent to them.
    - ``board`` is the last picture of the board that they were sent, and ``drawn`` is the number of events that it
      shows.
    - ``delay`` is the number of turns by which they read late.
    - ``full`` is true if they also see what is hidden.
    - ``token`` lets anybody who has it unsubscribe them.
    """

    game_id: str
    address: str
    token: str
    turn: int = 0
    letters: int = 0
    board: str = ""
    drawn: int = 0
    delay: int = 0
    full: bool = False


OBSERVER = table_of("observer", Observer, key="game_id address", unique="token", refers="game_id", since=datetime)


def add_observer(conn: Connection, observer: Observer, now: datetime) -> None:
    add_value(conn, observer, since=now)


def remove_observer(conn: Connection, observer: Observer) -> None:
    drop_withheld_letters(conn, [observer.token])
    conn.execute(delete(OBSERVER).where(OBSERVER.c.token == observer.token))


def note_written(conn: Connection, observer: Observer) -> None:
    changed = {"turn": observer.turn, "board": observer.board, "drawn": observer.drawn}
    conn.execute(update(OBSERVER).where(OBSERVER.c.token == observer.token).values(changed))


def note_sent(conn: Connection, observer: Observer) -> None:
    picture = {"board": observer.board, "drawn": observer.drawn}
    changed = {"turn": observer.turn, "letters": observer.letters + 1, **picture}
    conn.execute(update(OBSERVER).where(OBSERVER.c.token == observer.token).values(changed))


def observers_of_game(conn: Connection, game_id: str) -> list[Observer]:
    return load_all(conn, Observer, game_id=game_id)


def observed_by(conn: Connection, addresses: Collection[str]) -> list[Observer]:
    return load_all(conn, Observer, OBSERVER.c.address.in_(addresses))


def count_letters_to_observers(conn: Connection, game_id: str) -> int:
    return count_rows(conn, LETTER.c.game_id == game_id, LETTER.c.faction.is_(None))


def observer_by_token(conn: Connection, token: str) -> Observer | None:
    return load(conn, Observer, token=token)


@dataclass(frozen=True, slots=True)
class WithheldLetter:
    """A letter that is withheld until turn ``due_turn`` or the game has ended. ``covers`` is the turn that the letter
    summarises, or 0 for other letters. ``events`` is the number of events that the game had when the letter was
    written."""

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


WITHHELD = table_of("withheld", WithheldLetter, key="id", index="game_id token", refers="game_id")


def withhold_letter(conn: Connection, letter: WithheldLetter) -> None:
    add_value(conn, letter)


def take_withheld_letters(conn: Connection, token: str, ended: int | None) -> list[WithheldLetter]:
    """Remove and return, in order, an observer's withheld letters that are due once ``ended`` turns have ended. If
    ``ended`` is None, remove and return all of them."""
    due = () if ended is None else (WITHHELD.c.due_turn <= ended,)
    taken = load_all(conn, WithheldLetter, *due, token=token)
    conn.execute(delete(WITHHELD).where(WITHHELD.c.id.in_([letter.id for letter in taken])))
    return taken


def first_withheld_turn(conn: Connection, token: str) -> int | None:
    found = select(func.min(WITHHELD.c.covers)).where(WITHHELD.c.token == token, WITHHELD.c.covers > 0)
    first: int | None = conn.execute(found).scalar_one()
    return first


def cut_withheld_letters(conn: Connection, token: str, events: int) -> int | None:
    """Delete an observer's withheld letters that were written after this many events. Return the first turn that the
    deleted letters summarised, or None if they summarised none."""
    dropped = (WITHHELD.c.token == token, WITHHELD.c.events > events)
    found = select(func.min(WITHHELD.c.covers)).where(*dropped, WITHHELD.c.covers > 0)
    first: int | None = conn.execute(found).scalar_one()
    conn.execute(delete(WITHHELD).where(*dropped))
    return first


def drop_withheld_letters(conn: Connection, tokens: Collection[str]) -> None:
    conn.execute(delete(WITHHELD).where(WITHHELD.c.token.in_(tokens)))


def games_to_summarise(conn: Connection) -> list[str]:
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
