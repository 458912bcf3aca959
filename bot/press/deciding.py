"""May this be written, who reads it, is it signed, and when does it go out: from values alone.

Nobody but the writer is told of what is decided here, whatever it is: a refusal names its ``reason``, for which
``templates/`` has the sentence. In modes in which a writer may be unknown the minute of a letter, its place among
others and the list of its readers would tell of them. So it goes out at fixed hours, in an order that nobody knows; it
names no readers unless it goes to all, and what goes to all comes to its writer too.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from bot.press.settings import OPEN, PressSettings
from rules.components import Faction

LONGEST = 4000
"""Characters of one press; the rest is cut, and its writer told."""
MOST_AN_HOUR, MOST_A_DAY = 20, 100
"""Press of one seat."""
SLOT = timedelta(hours=2)
QUIET_PHASES = ("bidding", "battle")
"""Players at a table do not whisper then."""

Reason = Literal[
    "nobody", "self", "not-played", "unmanned", "empty", "none", "muted", "public-only", "quiet-phase", "late",
    "must-order", "not-neighbours", "quota", "hour", "day", "unsigned", "signed", "false-readers", "not-agreed",
    "identity",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wish:
    """What one seat wants to be passed on. ``to`` empty is everybody, without those in ``but``. ``signed`` None is as
    the mode has it; ``shown`` is whom the letter is to name as its readers, None for the true ones."""

    writer: Faction
    to: Sequence[Faction]
    words: str
    but: Sequence[Faction] = ()
    signed: bool | None = None
    shown: Sequence[Faction] | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """What counts of the game and of the writer's own past. ``unmanned`` are seats for which nobody plays just now;
    ``near`` the factions with tokens beside the writer's. ``owes``: something that all may know of is asked of the
    writer, and ``overdue``: it was due before. ``sent`` are the instants of the writer's own press of the last day,
    ``this_turn`` how many of them count for the quota. ``person``: the writer's own name and address. ``all_agree``:
    every player has agreed that letters may name false readers."""

    settings: PressSettings
    seats: Sequence[Faction]
    phase: str
    over: bool = False
    unmanned: Collection[Faction] = ()
    near: Collection[Faction] = ()
    muted: bool = False
    owes: bool = False
    overdue: bool = False
    sent: Sequence[datetime] = ()
    this_turn: int = 0
    person: Sequence[str] = ()
    all_agree: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """It is not passed on; ``facts`` are for the sentence about the ``reason``."""

    reason: Reason
    facts: dict[str, Any]


Goes = Literal["now", "slot", "turn"]
"""When: at once, at the next fixed hour, or when the turn is over."""


@dataclass(frozen=True, slots=True)
class Granted:
    """It is passed on to these ``readers``. ``shown`` is whom the letter names, and ``to_all`` that it says "to all";
    with neither it names nobody. ``due`` is the instant of a slot. ``left``: how many more this turn, None for any
    number. ``cut``: it was longer than goes out."""

    readers: tuple[Faction, ...]
    shown: tuple[Faction, ...]
    to_all: bool
    signed: bool
    words: str
    goes: Goes
    due: datetime | None = None
    left: int | None = None
    cut: bool = False


def decide(wish: Wish, scene: Scene, now: datetime) -> Granted | Refused:
    """What becomes of it. When the game is over everybody talks as they like."""
    if scene.over:
        scene = replace(scene, settings=OPEN)
    named, to_all = _named(wish, scene)
    if refused := _nobody(wish, scene, named) or _forbidden(wish, scene, named, to_all) or _too_much(scene, now):
        return refused
    settings = scene.settings
    signed = _signed(wish, settings, to_all)
    if isinstance(signed, Refused):
        return signed
    if (settings.gunboat or not signed) and tells_who(wish.words, scene.person):
        return Refused("identity", {})
    shown: tuple[Faction, ...] = named
    if wish.shown is not None:
        if settings.mode != "fake":
            return Refused("false-readers", {})
        if not scene.all_agree:
            return Refused("not-agreed", {})
        shown, to_all = _shown(wish, scene), not wish.shown
    if not signed:
        shown = ()
    readers = (*named, wish.writer) if to_all and not signed else named
    words = wish.words.strip()
    goes, due = _when(settings, now, signed=signed)
    left = settings.quota - scene.this_turn - 1 if settings.quota else None
    cut = len(words) > LONGEST
    return Granted(readers, shown, to_all, signed, words[:LONGEST].rstrip(), goes, due, left, cut)


def _named(wish: Wish, scene: Scene) -> tuple[tuple[Faction, ...], bool]:
    """Who is to read it, and whether that is everybody."""
    others = [seat for seat in scene.seats if seat != wish.writer]
    asked = list(wish.to) or [seat for seat in others if seat not in scene.unmanned]
    named = tuple(dict.fromkeys(seat for seat in asked if seat not in wish.but and seat != wish.writer))
    manned = {seat for seat in others if seat not in scene.unmanned}
    return named, bool(named) and manned <= set(named)


def _shown(wish: Wish, scene: Scene) -> tuple[Faction, ...]:
    return tuple(wish.shown or (seat for seat in scene.seats if seat != wish.writer))


def _nobody(wish: Wish, scene: Scene, named: Sequence[Faction]) -> Refused | None:
    every = [*wish.to, *wish.but, *(wish.shown or ())]
    if absent := [seat for seat in every if seat not in scene.seats]:
        return Refused("not-played", {"factions": list(dict.fromkeys(absent))})
    if wish.to and set(wish.to) <= {wish.writer}:
        return Refused("self", {})
    if gone := [seat for seat in named if seat in scene.unmanned]:
        return Refused("unmanned", {"factions": gone})
    if not named:
        return Refused("nobody", {})
    if not any(character.isalnum() for character in wish.words):
        return Refused("empty", {})
    return None


def _forbidden(wish: Wish, scene: Scene, named: Sequence[Faction], to_all: bool) -> Refused | None:
    """Why the mode, the hour or a ruling do not allow it."""
    settings = scene.settings
    if scene.muted:
        return Refused("muted", {})
    if settings.mode == "none":
        return Refused("none", {})
    if settings.mode == "table" and scene.phase in QUIET_PHASES:
        return Refused("quiet-phase", {"phase": scene.phase})
    if settings.mode == "public" and not to_all:
        return Refused("public-only", {})
    if settings.late and scene.overdue:
        return Refused("late", {})
    if settings.must_order and scene.owes:
        return Refused("must-order", {})
    if settings.neighbours and (far := [seat for seat in named if seat not in scene.near]):
        return Refused("not-neighbours", {"factions": far})
    return None


def _too_much(scene: Scene, now: datetime) -> Refused | None:
    settings = scene.settings
    if settings.quota and scene.this_turn >= settings.quota:
        return Refused("quota", {"quota": settings.quota})
    if sum(at > now - timedelta(hours=1) for at in scene.sent) >= MOST_AN_HOUR:
        return Refused("hour", {"most": MOST_AN_HOUR})
    if sum(at > now - timedelta(days=1) for at in scene.sent) >= MOST_A_DAY:
        return Refused("day", {"most": MOST_A_DAY})
    return None


def _signed(wish: Wish, settings: PressSettings, to_all: bool) -> bool | Refused:
    if settings.mode == "mixed":
        return wish.signed is not False
    unsigned = settings.mode == "grey" or (settings.yellow and to_all)
    if unsigned and wish.signed:
        return Refused("signed", {})
    if not unsigned and wish.signed is False:
        return Refused("unsigned", {})
    return not unsigned


_MAIL_ADDRESS = re.compile(r"[^\s@<>]{1,64}@[^\s@<>]{1,200}\.[a-z]{2,}", re.IGNORECASE)
SHORTEST_NAME = 3


def tells_who(words: str, person: Iterable[str]) -> bool:
    """Whether words hold a mail address, or what their writer is called, in whatever letters and with whatever signs
    between them that nobody sees."""
    words = unicodedata.normalize("NFKC", words)
    words = "".join(sign for sign in words if unicodedata.category(sign) != "Cf")
    plain = f" {_words(words)} "
    names = map(_words, person)
    named = any(f" {name} " in plain for name in names if len(name) >= SHORTEST_NAME)
    return named or bool(_MAIL_ADDRESS.search(words))


def _words(text: str) -> str:
    """The words alone, in small letters."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _when(settings: PressSettings, now: datetime, *, signed: bool) -> tuple[Goes, datetime | None]:
    if settings.postal:
        return "turn", None
    if settings.gunboat or not signed:
        return "slot", next_slot(now)
    return "now", None


def next_slot(now: datetime) -> datetime:
    """The next fixed hour: every second full hour of universal time, whoever writes.

    >>> next_slot(datetime(2027, 1, 31, 15, 59, 59, tzinfo=UTC)).isoformat()
    '2027-01-31T16:00:00+00:00'
    """
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + ((now - midnight) // SLOT + 1) * SLOT


def in_hidden_order(secret: bytes, slot: str, letters: Iterable[tuple[str, int]]) -> list[int]:
    """The numbers of letters that go out together, in an order that follows from what they say and from a secret: it
    tells nothing of when they were written, and does not change for the others when one more is among them."""

    def place(letter: tuple[str, int]) -> bytes:
        return hmac.new(secret, f"{slot}\0{letter[0]}".encode(), hashlib.sha256).digest()

    return [number for _, number in sorted(letters, key=place)]
