"""Press: the rules that decide who at a table may write to whom, whether a letter is signed, and when it is sent. They
use only plain values and no database.

A game's press settings are one string, such as ``grey,gunboat,quota=3``, both when a game master types them and in the
database. The mode comes first, and options follow in any order. The mode is ``open`` by default. In the database, the
players' consents follow in the same string.

>>> read_press("quota=3, gunboat").words
'open,gunboat,quota=3'
>>> consents_in("fake").with_false_readers("guild", agreed=True).after("fake")
'fake;false-readers=guild'

Only the writer is told the decision: a refusal has a ``reason``, and ``templates/`` has a sentence for each reason. In
modes that may hide the writer, the sending time of a letter, its place among other letters or the list of its readers
could reveal the writer. So such letters are sent at fixed hours, in a secret order. They name no readers unless they go
to all, and press to all is also sent to its own writer.

Press with a harsh word waits until its writer confirms it, but is not otherwise restricted. After a game, anybody may
read its press, if the players were told beforehand that it would be published.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import Any, Literal, cast, get_args

from rules.components import Faction, as_faction
from rules.components.facts import load_toml

PressMode = Literal["open", "public", "none", "table", "grey", "mixed", "fake"]
"""``open``: letters are signed, and go to one player, several or all. ``public``: they go only to all. ``none``: there
is no press. ``table``: like open, but not during bidding and battles. ``grey``: letters are always unsigned. ``mixed``:
they are signed or unsigned, as the writer chooses. ``fake``: they are signed, but the writer may show a false list of
readers."""

VotedHow = Literal["careful", "steady", "sharp", ""]
"""How Mentat will play a seat if the vote passes; "" is a vote against it."""
ObserverAccess = Literal["none", "desk", "white"]
NamesUntil = Literal["game", "round"]
MOST_A_TURN = 99
SLOT_HOURS = 2
SLOTS = (0, 1, 2, 3, 4, 6, 8, 12, 24)
FLAGS = ("gunboat", "postal", "late", "yellow", "must-order", "neighbours", "copies-to-desk", "language", "archived")


@dataclass(frozen=True, slots=True)
class PressSettings:
    """The press mode and its options.

    ``gunboat``: players are known only by their factions until the game is over or, with ``names_until``, until the
    tournament round is closed (``bot.store.publication.tell_names`` then announces the names). ``postal``: press is
    sent at the end of the turn. ``late``: a player with an overdue duty must not write. ``quota`` is the number of
    letters allowed per turn, 0 for no limit. ``slots`` is the interval in hours at which mail is read, deadlines pass
    and letters are sent. With 0, everything happens at once. None means that it was not set; a new gunboat game then
    gets ``SLOT_HOURS``. ``yellow``: only press to all is unsigned. ``must_order``: players must answer their questions
    before they may write. ``neighbours``: a player may write only to factions with tokens in the same or an adjacent
    territory.

    ``copies_to_desk``: the game master reads all press, and every letter says so. ``observers`` sets what observers
    get: nothing, only a way to write to the desk, or all signed press to all. ``language``: press with words that
    people may regret waits for confirmation. ``archived``: after the game, the archive shows private press unless its
    writer or one of its readers objects.
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
    slots: int | None = None
    observers: ObserverAccess = "none"
    names_until: NamesUntil = "game"

    @property
    def words(self) -> str:
        added = [flag for flag in FLAGS if getattr(self, _field(flag))]
        counted = [f"quota={self.quota}"] if self.quota else []
        counted += [f"slots={self.slots}"] if self.slots is not None else []
        watched = [f"observers={self.observers}"] if self.observers != "none" else []
        named = [f"names-until={self.names_until}"] if self.names_until != "game" else []
        return ",".join([self.mode, *added, *counted, *watched, *named])

    @property
    def anonymous(self) -> bool:
        """Return True if the writer may be hidden, so that the time at which press is sent could reveal who wrote
        it."""
        return self.gunboat or self.unsigned

    @property
    def unsigned(self) -> bool:
        return self.yellow or self.mode in ("grey", "mixed")


def press_of_new_game(said: PressSettings) -> PressSettings:
    return replace(said, slots=SLOT_HOURS) if said.gunboat and said.slots is None else said


OPEN_PRESS = PressSettings()
"""The press settings of games that began before such settings existed."""


class PressRefused(ValueError):
    """The press settings are invalid, or can no longer be chosen. The message is a sentence that says why, and what
    would be valid."""


@lru_cache(maxsize=64)
def read_press(text: str) -> PressSettings:
    made = PressSettings()
    named: list[str] = []
    for word in filter(None, (part.strip().lower() for part in text.split(","))):
        name, has_value, value = (part.strip() for part in word.partition("="))
        if name in named or (name in get_args(PressMode) and any(each in get_args(PressMode) for each in named)):
            raise PressRefused(f"The press of a game has one mode, and each option once: {text.strip()!r} has more.")
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
            raise PressRefused(f"quota must be a number of letters per turn, like quota=3 (1 to {MOST_A_TURN}).")
        return {"quota": int(value)}
    if name == "slots":
        if value not in map(str, SLOTS):
            raise PressRefused(f"slots must be a number of hours, like slots=2: one of {', '.join(map(str, SLOTS))}.")
        return {"slots": int(value)}
    if name == "observers":
        if value not in get_args(ObserverAccess):
            raise PressRefused(f"observers must be one of {', '.join(get_args(ObserverAccess))}, like observers=white.")
        return {"observers": cast(ObserverAccess, value)}
    if name == "names-until":
        if value not in get_args(NamesUntil):
            raise PressRefused(f"names-until must be one of {', '.join(get_args(NamesUntil))}, like names-until=round.")
        return {"names_until": cast(NamesUntil, value)}
    if name == "hide":
        raise PressRefused(
            "Mentat always hides who is away, who is late, who asked for more time and why a seat is empty: leave hide "
            "out."
        )
    raise PressRefused(
        f"{name[:40]!r} is neither a mode of press nor an option. Modes: {', '.join(get_args(PressMode))}. "
        f"Options, added with commas: {', '.join(FLAGS)}, quota=N, slots=HOURS, observers=WHO."
    )


def _require_sense(made: PressSettings) -> None:
    if made.slots and not made.gunboat:
        raise PressRefused("slots works only with gunboat: it hides when each player writes.")
    if made.names_until == "round" and not made.gunboat:
        raise PressRefused("names-until works only with gunboat: it says when the players are named.")
    if made.yellow and made.mode not in ("open", "table", "public"):
        raise PressRefused("yellow makes messages to all unsigned, so it works only with open, table or public.")
    if made.neighbours and made.mode == "public":
        raise PressRefused("With public, everybody reads everything, so press cannot be for neighbours only.")
    if made.mode == "none":
        more = [name for name in FLAGS if getattr(made, _field(name)) and name not in ("gunboat", "copies-to-desk")]
        if more or made.quota:
            raise PressRefused(
                f"With none, nobody writes, so leave out {', '.join([*more, *['quota'] * bool(made.quota)])}."
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
_FIXED = ("gunboat", "copies_to_desk", "archived", "names_until", "slots")


def liberties(settings: PressSettings) -> frozenset[str]:
    """Return the names of all permissions that the settings give, so that two settings can be compared."""
    allowed = _SAYS[settings.mode]
    if settings.yellow:
        allowed = allowed - {"signed to all"} | {"unsigned to all"}
    free = {f"no {name}" for name in _LIMITS if not getattr(settings, name)} if allowed else set()
    watched = {"none": (), "desk": ("observers to desk",), "white": ("observers to desk", "observers read")}
    return allowed | free | set(watched[settings.observers])


def require_stricter(before: PressSettings, after: PressSettings) -> None:
    """Raise PressRefused unless a running game may change to these settings. The new settings must permit nothing that
    the old ones did not. The rules about naming players, reading press and showing it in the archive were promised at
    the beginning and cannot change. The only exception: press that would have been published may be kept private."""
    for name in _FIXED:
        was, becomes = getattr(before, name), getattr(after, name)
        if was != becomes and not (was and name not in ("gunboat", "names_until", "slots")):
            raise PressRefused(f"{name.replace('_', '-')} was settled when the game began, and its players rely on it.")
    more = sorted(liberties(after) - liberties(before))
    if more:
        raise PressRefused(
            f"The press of a running game can only become stricter; this would allow: {', '.join(more)}."
        )
    if before.quota and not (after.mode == "none" or 0 < after.quota <= before.quota):
        raise PressRefused(
            f"The press of a running game can only become stricter: quota is {before.quota}, and can only be lowered."
        )


_FALSE_READERS, _PRIVATE, _VOTE = "false-readers", "private", "vote."


@dataclass(frozen=True, slots=True)
class SeatVote:
    """The players' vote on who plays a seat without a player: an opponent of the temperament ``how``, or the caretaker.
    The vote is open until the instant ``until``. If ``until`` is None, the vote has passed, and its outcome applies
    until the seat has a player again."""

    how: VotedHow
    until: datetime | None
    yes: frozenset[Faction] = frozenset()
    no: frozenset[Faction] = frozenset()

    def with_voice(self, faction: Faction, *, agreed: bool) -> SeatVote:
        yes, no = self.yes - {faction}, self.no - {faction}
        return replace(self, yes=yes | {faction}, no=no) if agreed else replace(self, yes=yes, no=no | {faction})

    @property
    def words(self) -> str:
        until = self.until.isoformat() if self.until else ""
        return " ".join((self.how, until, ",".join(sorted(self.yes)), ",".join(sorted(self.no))))

    @classmethod
    def read(cls, words: str) -> SeatVote:
        how, until, yes, no = words.split(" ")
        return cls(cast(VotedHow, how), datetime.fromisoformat(until) if until else None, _factions(yes), _factions(no))


@dataclass(frozen=True, slots=True)
class PressConsents:
    """The players' consents: the players who permit letters that name false readers, those whose private press the
    archive must not show, and the votes on who plays seats without a player."""

    false_readers: frozenset[Faction] = frozenset()
    private: frozenset[Faction] = frozenset()
    votes: Mapping[Faction, SeatVote] = field(default_factory=dict)

    def with_false_readers(self, faction: Faction, *, agreed: bool) -> PressConsents:
        return replace(self, false_readers=self.false_readers | {faction} if agreed else self.false_readers - {faction})

    def with_archive(self, faction: Faction, *, shown: bool) -> PressConsents:
        return replace(self, private=self.private - {faction} if shown else self.private | {faction})

    def with_vote(self, seat: Faction, vote: SeatVote | None) -> PressConsents:
        others = {faction: other for faction, other in self.votes.items() if faction != seat}
        return replace(self, votes=others | ({seat: vote} if vote else {}))

    def with_new_player(self, faction: Faction) -> PressConsents:
        """Return the consents after a seat has changed hands: the new player has not agreed to anything yet."""
        votes = {
            seat: replace(vote, yes=vote.yes - {faction}, no=vote.no - {faction})
            for seat, vote in self.votes.items()
            if seat != faction
        }
        return replace(self, false_readers=self.false_readers - {faction}, votes=votes)

    def after(self, settings: str) -> str:
        parts = [(_FALSE_READERS, self.false_readers), (_PRIVATE, self.private)]
        consents = [f"{name}={','.join(sorted(who))}" for name, who in parts if who]
        votes = [f"{_VOTE}{seat}={vote.words}" for seat, vote in sorted(self.votes.items())]
        return ";".join([settings, *consents, *votes])


def settings_in(text: str) -> PressSettings:
    return read_press(text.partition(";")[0])


def consents_in(text: str) -> PressConsents:
    found = dict(part.partition("=")[::2] for part in text.split(";")[1:])
    votes = {
        as_faction(name.removeprefix(_VOTE)): SeatVote.read(words)
        for name, words in found.items()
        if name.startswith(_VOTE)
    }
    return PressConsents(_factions(found.get(_FALSE_READERS, "")), _factions(found.get(_PRIVATE, "")), votes)


def _factions(names: str) -> frozenset[Faction]:
    return frozenset(map(as_faction, filter(None, names.split(","))))


LONGEST_PRESS = 4000
"""The maximum length of a press letter, in characters. The rest is cut off, and the writer is told."""
MOST_AN_HOUR, MOST_A_DAY = 20, 100
"""How many press letters one seat may send in an hour and in a day."""
QUIET_PHASES = ("bidding", "battle")
"""At a real table, players do not whisper to each other in these phases."""

Reason = Literal[
    "nobody", "self", "not-played", "unmanned", "empty", "none", "muted", "public-only", "quiet-phase", "late",
    "must-order", "not-neighbours", "quota", "hour", "day", "unsigned", "signed", "false-readers", "not-agreed",
    "identity",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wish:
    """Press that a seat wants to send. If ``to`` is empty, it goes to everybody except those in ``but``. If ``signed``
    is None, the mode decides. ``shown`` are the readers that the letter should name, or None for its true readers."""

    writer: Faction
    to: Sequence[Faction]
    words: str
    but: Sequence[Faction] = ()
    signed: bool | None = None
    shown: Sequence[Faction] | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """The facts about a game, and about what the writer has done so far, on which a decision about press depends.
    ``unmanned`` are the seats that the caretaker plays. ``near`` are the factions with tokens near the writer's.
    ``owes`` is true if the writer has a public question to answer, and ``overdue`` if the deadline of such a question
    has passed. ``sent`` contains the times at which the writer sent letters during the last day, and ``this_turn`` is
    the number of letters that count towards the quota. ``person`` contains the writer's own name and address.
    ``all_agree`` is true if every player permits letters that name false readers."""

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
    reason: Reason
    facts: dict[str, Any]


Goes = Literal["now", "slot", "turn"]
"""When press is sent: at once, at the next fixed hour, or at the end of the turn."""


@dataclass(frozen=True, slots=True)
class Permission:
    """The permission to send press to these ``readers``. ``shown`` are the readers that the letter names; with
    ``to_all`` it says "to all" instead; with neither, it names none. ``due`` is when the press is sent, if it must wait
    for a fixed hour. ``left`` is the number of letters still allowed this turn, or None for no limit. ``cut`` is true
    if the words were too long and were shortened."""

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
    """Return True if the words contain a mail address or a name of their writer, in any case or font, even with
    invisible characters in between."""
    words = unicodedata.normalize("NFKC", words)
    words = "".join(sign for sign in words if unicodedata.category(sign) != "Cf")
    plain = f" {_words(words)} "
    names = map(_words, person)
    named = any(f" {name} " in plain for name in names if len(name) >= SHORTEST_NAME)
    return named or bool(_ANY_MAIL_ADDRESS.search(words))


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _when(settings: PressSettings, now: datetime, *, signed: bool) -> tuple[Goes, datetime | None]:
    if settings.postal:
        return "turn", None
    if settings.gunboat or not signed:
        hours = settings.slots or SLOT_HOURS
        return "slot", now if settings.slots and now == last_slot(now, hours) else next_slot(now, hours)
    return "now", None


def next_slot(now: datetime, hours: int = SLOT_HOURS) -> datetime:
    """Return the next fixed hour, the same for all writers. By default, these are the even full hours in UTC.

    >>> next_slot(datetime(2027, 1, 31, 15, 59, 59, tzinfo=UTC)).isoformat()
    '2027-01-31T16:00:00+00:00'
    """
    return last_slot(now, hours) + timedelta(hours=hours)


def last_slot(now: datetime, hours: int) -> datetime:
    """Return the latest fixed hour that is not after ``now``. If ``hours`` is 0, return ``now``.

    >>> last_slot(datetime(2027, 1, 31, 15, 59, 59, tzinfo=UTC), 2).isoformat()
    '2027-01-31T14:00:00+00:00'
    """
    if not hours:
        return now
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + (now - midnight) // timedelta(hours=hours) * timedelta(hours=hours)


def in_hidden_order(secret: bytes, slot: str, letters: Iterable[tuple[str, int]]) -> list[int]:
    """Return the numbers of the letters that are sent at one fixed hour, in an order that depends only on the content
    of each letter and a secret. The order does not reveal when the letters were written, and adding a letter does not
    change the order of the others."""

    def place(letter: tuple[str, int]) -> bytes:
        return hmac.new(secret, f"{slot}\0{letter[0]}".encode(), hashlib.sha256).digest()

    return [number for _, number in sorted(letters, key=place)]


LANGUAGE_FILE = "press-language.toml"


def harsh_word(words: str) -> str:
    """Return the first word in a text that its writer may regret, as it was written, or "" if there is none.

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
    """Press as a page shows it. ``faction`` is None if the writer is hidden. ``readers`` is empty for press to all."""

    turn: int
    faction: Faction | None
    readers: tuple[Faction, ...]
    words: str


@dataclass(frozen=True, slots=True)
class SentPress:
    turn: int
    faction: Faction
    readers: tuple[Faction, ...]
    to_all: bool
    signed: bool
    words: str


def press_to_show(sent: Iterable[SentPress], private: Collection[Faction], *, everything: bool) -> list[ShownPress]:
    """Return the press to show, in order and without mail addresses. ``everything`` adds press that did not go to all,
    unless its writer or one of its readers is in ``private``. It also names the writers of unsigned press, except those
    in ``private``."""
    return [
        ShownPress(
            each.turn,
            each.faction if each.signed or (everything and each.faction not in private) else None,
            () if each.to_all else each.readers,
            _SHOWN_MAIL_ADDRESS.sub(NO_ADDRESS, each.words),
        )
        for each in sent
        if each.to_all or (everything and not {each.faction, *each.readers} & set(private))
    ]
