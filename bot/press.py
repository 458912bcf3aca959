"""Press: who at a table may write to whom, signed or not, and when it goes out, decided from values alone.

The settings of a game are one text, as a game master types it and as the database keeps it: ``grey,gunboat,quota=3``.
What is added to the mode comes in any order; the mode is ``open`` where none is named. Behind the settings, in the same
text, the database keeps what the players have agreed to.

>>> read_press("quota=3, gunboat").words
'open,gunboat,quota=3'
>>> consents_in("fake").with_false_readers("guild", agreed=True).after("fake")
'fake;false-readers=guild'

Only the writer hears what is decided: a refusal names its ``reason``, for which ``templates/`` has the sentence. In
modes in which a writer may be unknown, the minute of a letter, its place among others and the list of its readers would
tell who wrote it. So it goes out at fixed hours, in an order that nobody knows; it names no readers unless it goes to
all, and what goes to all comes to its writer too.

Press that holds a word that people are sorry for later waits for a second thought of its writer, no more. Of a game
that is over everybody may read what its players were told before the first letter of it.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import Any, Literal, cast, get_args

from rules.components import Faction, as_faction
from rules.components.facts import load_toml

PressMode = Literal["open", "public", "none", "table", "grey", "mixed", "fake"]
"""What may be said to whom: ``open``, signed, to one, several or all; ``public``, to all only; ``none``; ``table``, as
open, but not while cards are bid for and battles fought; ``grey``, always unsigned; ``mixed``, as the writer chooses;
``fake``, signed, and the writer may show another list of readers than the true one."""

ObserverAccess = Literal["none", "desk", "white"]
NamesUntil = Literal["game", "round"]
MOST_A_TURN = 99
FLAGS = ("gunboat", "postal", "late", "yellow", "must-order", "neighbours", "copies-to-desk", "language", "archived")


@dataclass(frozen=True, slots=True)
class PressSettings:
    """The mode and what is added to it.

    ``gunboat``: players are factions only, until the game is over, or with ``names_until`` the round of a tournament
    (``bot.store.publication.tell_names`` ends it). ``postal``: what is written goes out when the turn
    is over. ``late``: nobody whose own duty is overdue writes. ``quota``: so many a turn, 0 for any number. ``yellow``:
    what goes to all is unsigned, and nothing else. ``must_order``: whoever is asked for something answers before they
    write. ``neighbours``: only to factions with tokens in the same or an adjacent territory. ``copies_to_desk``: the
    game master reads all of it, and every letter says so. ``observers``: what persons who only watch have of it:
    nothing, words to the desk, or what is signed and goes to all. ``language``: words that people are sorry for later
    wait for a second thought. ``archived``: private press is shown in the archive when the game is over, unless one of
    its two ends does not want that.
    """

    mode: PressMode = "open"
    gunboat: bool = False
    postal: bool = False
    late: bool = False
    yellow: bool = False
    must_order: bool = False
    neighbours: bool = False
    copies_to_desk: bool = False
    language: bool = False
    archived: bool = False
    quota: int = 0
    observers: ObserverAccess = "none"
    names_until: NamesUntil = "game"

    @property
    def words(self) -> str:
        """All of it in one text, in a fixed order."""
        added = [flag for flag in FLAGS if getattr(self, _field(flag))]
        counted = [f"quota={self.quota}"] if self.quota else []
        watched = [f"observers={self.observers}"] if self.observers != "none" else []
        named = [f"names-until={self.names_until}"] if self.names_until != "game" else []
        return ",".join([self.mode, *added, *counted, *watched, *named])

    @property
    def anonymous(self) -> bool:
        """Whether the minute at which something goes out could tell of who wrote it."""
        return self.gunboat or self.yellow or self.mode in ("grey", "mixed")


OPEN_PRESS = PressSettings()
"""As before there was a choice."""


class PressRefused(ValueError):
    """This is no way for players to write to each other, or not from now on; the message is a sentence that says why
    and what would be."""


@lru_cache(maxsize=64)
def read_press(text: str) -> PressSettings:
    """The settings as somebody wrote them. PressRefused where they cannot be read or contradict each other."""
    made = PressSettings()
    named: list[str] = []
    for word in filter(None, (part.strip().lower() for part in text.split(","))):
        name, has_value, value = (part.strip() for part in word.partition("="))
        if name in named or (name in get_args(PressMode) and any(each in get_args(PressMode) for each in named)):
            raise PressRefused(f"The press of a game has one mode, and everything once: {text.strip()!r} has more.")
        named.append(name)
        made = replace(made, **_setting(name, value, bool(has_value)))
    _require_sense(made)
    return made


def _setting(name: str, value: str, has_value: bool) -> Mapping[str, Any]:
    if name in get_args(PressMode) and not has_value:
        return {"mode": cast(PressMode, name)}
    if name in FLAGS and not has_value:
        return {_field(name): True}
    if name == "quota":
        if not re.fullmatch(r"[0-9]{1,2}", value) or not 1 <= int(value) <= MOST_A_TURN:
            raise PressRefused(f"quota is a number of letters a turn, as quota=3 (1 to {MOST_A_TURN}).")
        return {"quota": int(value)}
    if name == "observers":
        if value not in get_args(ObserverAccess):
            raise PressRefused(f"observers is one of {', '.join(get_args(ObserverAccess))}, as observers=white.")
        return {"observers": cast(ObserverAccess, value)}
    if name == "names-until":
        if value not in get_args(NamesUntil):
            raise PressRefused(f"names-until is one of {', '.join(get_args(NamesUntil))}, as names-until=round.")
        return {"names_until": cast(NamesUntil, value)}
    if name == "hide":
        raise PressRefused(
            "Mentat always hides who is away, who is late, who asked for more time and why a seat is empty: leave hide "
            "out."
        )
    raise PressRefused(
        f"{name[:40]!r} is no mode of press and nothing that is added to one. Modes: {', '.join(get_args(PressMode))}. "
        f"Added with commas: {', '.join(FLAGS)}, quota=N, observers=WHO."
    )


def _require_sense(made: PressSettings) -> None:
    if made.names_until == "round" and not made.gunboat:
        raise PressRefused("names-until says when the players of gunboat are named, so it goes with gunboat alone.")
    if made.yellow and made.mode not in ("open", "table", "public"):
        raise PressRefused("yellow makes what goes to all unsigned, so it is added to open, table or public alone.")
    if made.neighbours and made.mode == "public":
        raise PressRefused("With public everybody reads everything, so it cannot be for neighbours only.")
    if made.mode == "none":
        more = [name for name in FLAGS if getattr(made, _field(name)) and name not in ("gunboat", "copies-to-desk")]
        if more or made.quota:
            raise PressRefused(
                f"With none nobody writes, so {', '.join([*more, *['quota'] * bool(made.quota)])} says nothing."
            )


def _field(flag: str) -> str:
    return flag.replace("-", "_")


# --- stricter ---------------------------------------------------------------------------------------------------------

_SAYS: Mapping[PressMode, frozenset[str]] = {
    "open": frozenset({"signed to all", "signed to some", "during bidding and battles"}),
    "public": frozenset({"signed to all", "during bidding and battles"}),
    "none": frozenset(),
    "table": frozenset({"signed to all", "signed to some"}),
    "grey": frozenset({"unsigned to all", "unsigned to some", "during bidding and battles"}),
    "mixed": frozenset(
        {"signed to all", "signed to some", "unsigned to all", "unsigned to some", "during bidding and battles"}
    ),
    "fake": frozenset({"signed to all", "signed to some", "false readers", "during bidding and battles"}),
}
_LIMITS = ("postal", "late", "must_order", "neighbours", "language")
_FIXED = ("gunboat", "copies_to_desk", "archived", "names_until")


def liberties(settings: PressSettings) -> frozenset[str]:
    """What the settings allow, each under a name, so that two of them can be compared."""
    allowed = _SAYS[settings.mode]
    if settings.yellow:
        allowed = allowed - {"signed to all"} | {"unsigned to all"}
    free = {f"no {name}" for name in _LIMITS if not getattr(settings, name)} if allowed else set()
    watched = {"none": (), "desk": ("observers to desk",), "white": ("observers to desk", "observers read")}
    return allowed | free | set(watched[settings.observers])


def require_stricter(before: PressSettings, after: PressSettings) -> None:
    """PressRefused unless a game that runs may go over from one to the other: nothing is allowed that was not. Who
    plays, who reads along and what the archive will show were promised when it began, and stay as they are; only what
    was to be shown may be kept back after all."""
    for name in _FIXED:
        was, becomes = getattr(before, name), getattr(after, name)
        if was != becomes and not (was and name not in ("gunboat", "names_until")):
            raise PressRefused(f"{name.replace('_', '-')} was settled when the game began, and its players rely on it.")
    more = sorted(liberties(after) - liberties(before))
    if more:
        raise PressRefused(
            f"The press of a game that runs can only become stricter; this would allow: {', '.join(more)}."
        )
    if before.quota and not (after.mode == "none" or 0 < after.quota <= before.quota):
        raise PressRefused(
            f"The press of a game that runs can only become stricter: quota was {before.quota}, and can only fall."
        )


_FALSE_READERS, _PRIVATE = "false-readers", "private"


@dataclass(frozen=True, slots=True)
class PressConsents:
    """Who agrees that letters may name false readers, and whose private press the archive is not to show."""

    false_readers: frozenset[Faction] = frozenset()
    private: frozenset[Faction] = frozenset()

    def with_false_readers(self, faction: Faction, *, agreed: bool) -> PressConsents:
        return replace(self, false_readers=self.false_readers | {faction} if agreed else self.false_readers - {faction})

    def with_archive(self, faction: Faction, *, shown: bool) -> PressConsents:
        return replace(self, private=self.private - {faction} if shown else self.private | {faction})

    def after(self, settings: str) -> str:
        """The one text, with the settings as they are typed before it."""
        parts = [(_FALSE_READERS, self.false_readers), (_PRIVATE, self.private)]
        return ";".join([settings, *(f"{name}={','.join(sorted(who))}" for name, who in parts if who)])


def settings_in(text: str) -> PressSettings:
    """The settings in the one text."""
    return read_press(text.partition(";")[0])


def consents_in(text: str) -> PressConsents:
    """What players have said, in the one text."""
    found = dict(part.partition("=")[::2] for part in text.split(";")[1:])
    return PressConsents(_factions(found.get(_FALSE_READERS, "")), _factions(found.get(_PRIVATE, "")))


def _factions(names: str) -> frozenset[Faction]:
    return frozenset(map(as_faction, filter(None, names.split(","))))


LONGEST_PRESS = 4000
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
class Denial:
    """It is not passed on; ``facts`` are for the sentence about the ``reason``."""

    reason: Reason
    facts: dict[str, Any]


Goes = Literal["now", "slot", "turn"]
"""When: at once, at the next fixed hour, or when the turn is over."""


@dataclass(frozen=True, slots=True)
class Permission:
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


def decide(wish: Wish, scene: Scene, now: datetime) -> Permission | Denial:
    """What becomes of it. When the game is over everybody talks as they like."""
    if scene.over:
        scene = replace(scene, settings=OPEN_PRESS)
    named, to_all = _named(wish, scene)
    if refused := _nobody(wish, scene, named) or _forbidden(wish, scene, named, to_all) or _too_much(scene, now):
        return refused
    settings = scene.settings
    signed = _signed(wish, settings, to_all)
    if isinstance(signed, Denial):
        return signed
    if (settings.gunboat or not signed) and tells_who(wish.words, scene.person):
        return Denial("identity", {})
    shown: tuple[Faction, ...] = named
    if wish.shown is not None:
        if settings.mode != "fake":
            return Denial("false-readers", {})
        if not scene.all_agree:
            return Denial("not-agreed", {})
        shown, to_all = _shown(wish, scene), not wish.shown
    if not signed:
        shown = ()
    readers = (*named, wish.writer) if to_all and not signed else named
    words = wish.words.strip()
    goes, due = _when(settings, now, signed=signed)
    left = settings.quota - scene.this_turn - 1 if settings.quota else None
    cut = len(words) > LONGEST_PRESS
    return Permission(readers, shown, to_all, signed, words[:LONGEST_PRESS].rstrip(), goes, due, left, cut)


def _named(wish: Wish, scene: Scene) -> tuple[tuple[Faction, ...], bool]:
    """Who is to read it, and whether that is everybody."""
    others = [seat for seat in scene.seats if seat != wish.writer]
    asked = list(wish.to) or [seat for seat in others if seat not in scene.unmanned]
    named = tuple(dict.fromkeys(seat for seat in asked if seat not in wish.but and seat != wish.writer))
    manned = {seat for seat in others if seat not in scene.unmanned}
    return named, bool(named) and manned <= set(named)


def _shown(wish: Wish, scene: Scene) -> tuple[Faction, ...]:
    return tuple(wish.shown or (seat for seat in scene.seats if seat != wish.writer))


def _nobody(wish: Wish, scene: Scene, named: Sequence[Faction]) -> Denial | None:
    every = [*wish.to, *wish.but, *(wish.shown or ())]
    if absent := [seat for seat in every if seat not in scene.seats]:
        return Denial("not-played", {"factions": list(dict.fromkeys(absent))})
    if wish.to and set(wish.to) <= {wish.writer}:
        return Denial("self", {})
    if gone := [seat for seat in named if seat in scene.unmanned]:
        return Denial("unmanned", {"factions": gone})
    if not named:
        return Denial("nobody", {})
    if not any(character.isalnum() for character in wish.words):
        return Denial("empty", {})
    return None


def _forbidden(wish: Wish, scene: Scene, named: Sequence[Faction], to_all: bool) -> Denial | None:
    """Why the mode, the hour or a ruling do not allow it."""
    settings = scene.settings
    if scene.muted:
        return Denial("muted", {})
    if settings.mode == "none":
        return Denial("none", {})
    if settings.mode == "table" and scene.phase in QUIET_PHASES:
        return Denial("quiet-phase", {"phase": scene.phase})
    if settings.mode == "public" and not to_all:
        return Denial("public-only", {})
    if settings.late and scene.overdue:
        return Denial("late", {})
    if settings.must_order and scene.owes:
        return Denial("must-order", {})
    if settings.neighbours and (far := [seat for seat in named if seat not in scene.near]):
        return Denial("not-neighbours", {"factions": far})
    return None


def _too_much(scene: Scene, now: datetime) -> Denial | None:
    settings = scene.settings
    if settings.quota and scene.this_turn >= settings.quota:
        return Denial("quota", {"quota": settings.quota})
    if sum(at > now - timedelta(hours=1) for at in scene.sent) >= MOST_AN_HOUR:
        return Denial("hour", {"most": MOST_AN_HOUR})
    if sum(at > now - timedelta(days=1) for at in scene.sent) >= MOST_A_DAY:
        return Denial("day", {"most": MOST_A_DAY})
    return None


def _signed(wish: Wish, settings: PressSettings, to_all: bool) -> bool | Denial:
    if settings.mode == "mixed":
        return wish.signed is not False
    unsigned = settings.mode == "grey" or (settings.yellow and to_all)
    if unsigned and wish.signed:
        return Denial("signed", {})
    if not unsigned and wish.signed is False:
        return Denial("unsigned", {})
    return not unsigned


_ANY_MAIL_ADDRESS = re.compile(r"[^\s@<>]{1,64}@[^\s@<>]{1,200}\.[a-z]{2,}", re.IGNORECASE)
SHORTEST_NAME = 3


def tells_who(words: str, person: Iterable[str]) -> bool:
    """Whether words hold a mail address, or what their writer is called, in whatever letters and with whatever signs
    between them that nobody sees."""
    words = unicodedata.normalize("NFKC", words)
    words = "".join(sign for sign in words if unicodedata.category(sign) != "Cf")
    plain = f" {_words(words)} "
    names = map(_words, person)
    named = any(f" {name} " in plain for name in names if len(name) >= SHORTEST_NAME)
    return named or bool(_ANY_MAIL_ADDRESS.search(words))


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


LANGUAGE_FILE = "press-language.toml"


def harsh_word(words: str) -> str:
    """The first such word, as it was written; "" where there is none.

    >>> harsh_word("You Idiots, the assassin lies"), harsh_word("well played")
    ('Idiots', '')
    """
    found = _pattern().search(words)
    return found[0] if found else ""


@cache
def _pattern() -> re.Pattern[str]:
    said = (str(word) for word in load_toml(LANGUAGE_FILE)["words"])
    each = (
        re.escape(word.rstrip("*")).replace(r"\ ", r"\s+") + (r"\w*" if word.endswith("*") else "") for word in said
    )
    return re.compile(rf"\b(?:{'|'.join(each)})\b", re.IGNORECASE)


_SHOWN_MAIL_ADDRESS = re.compile(r"[^\s@<>()]{1,64}@[^\s@<>()]{1,200}\.\w+")
NO_ADDRESS = "…@…"


@dataclass(frozen=True, slots=True)
class ShownPress:
    """A press as a page shows it. ``faction`` is None where its writer stays unknown; ``readers`` are empty where it
    went to all."""

    turn: int
    faction: Faction | None
    readers: tuple[Faction, ...]
    words: str


@dataclass(frozen=True, slots=True)
class SentPress:
    """A press that has gone out."""

    turn: int
    faction: Faction
    readers: tuple[Faction, ...]
    to_all: bool
    signed: bool
    words: str


def press_to_show(sent: Iterable[SentPress], private: Collection[Faction], *, everything: bool) -> list[ShownPress]:
    """What is shown, in order: what went to all, and, where ``everything`` may be known, what went to some, unless its
    writer or a reader wants it ``private``. Who did not sign is named by the same rule. Mail addresses are taken
    out."""
    return [
        ShownPress(
            each.turn, each.faction if each.signed or (everything and each.faction not in private) else None,
            () if each.to_all else each.readers, _SHOWN_MAIL_ADDRESS.sub(NO_ADDRESS, each.words),
        )
        for each in sent
        if each.to_all or (everything and not {each.faction, *each.readers} & set(private))
    ]  # fmt: skip
