"""The lines of a mail about a tournament, read: `enter cup as Ann`, `confirm CODE`, `preferences guild, fremen, *`.

Each kind of line becomes one small value. A line that is nearly a command is answered with what it may have meant; a
line that is nothing like one is talk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.competition.published import clean_given_name
from bot.language.lines import LIST_MARK
from bot.language.names import FACTION_NAMES, Found, Names
from bot.mail.identity import TOKEN_CHARS
from bot.wording import say
from rules.components import Faction

Games = Literal["", "keep", "leave"]
What = Literal["standings", "tables", "status", "help"]


@dataclass(frozen=True, slots=True)
class Enter:
    """`enter ID [as NAME] [standby]`."""

    tournament: str
    name: str = ""
    standby: bool = False


@dataclass(frozen=True, slots=True)
class Confirm:
    """`confirm CODE`; without CODE, Mentat takes the code from the address that the mail was sent to."""

    code: str = ""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """`withdraw [ID] [keep|leave]`: what becomes of running games."""

    tournament: str = ""
    games: Games = ""


@dataclass(frozen=True, slots=True)
class Show:
    """`standings`, `tables`, `status` or `help`, of the tournament with the id if one is named."""

    what: What
    tournament: str = ""


@dataclass(frozen=True, slots=True)
class Filed:
    """`preferences …`, `bid …`, `keep …`, `trade …`: words filed under seal, as written, and their table ("" for the
    only one)."""

    kind: Literal["preferences", "worths", "keep", "swap"]
    words: str
    table: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """`accept` or `decline`: the answer to a request."""

    accepted: bool


@dataclass(frozen=True, slots=True)
class Protest:
    """`protest TABLE: TEXT`."""

    table: str
    text: str


@dataclass(frozen=True, slots=True)
class Vote:
    """`vote agreed FACTION…`, or `vote no` without factions."""

    factions: tuple[Faction, ...]
    table: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """`name NAME`: the name shown to others; empty for `name hidden`."""

    name: str


@dataclass(frozen=True, slots=True)
class Awake:
    """`awake 8-22 Europe/Berlin`."""

    hours: str
    zone: str


@dataclass(frozen=True, slots=True)
class Connected:
    """`connected E003: we share a flat`: a person, by handle or address, with whom the entrant is too close to sit."""

    who: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """`ready`, or `not ready`: whether the entrant wants a table of a ladder."""

    wanted: bool = True


@dataclass(frozen=True, slots=True)
class Talk:
    """Words to nobody in particular."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that was not understood: why, and lines that would be."""

    why: str
    suggestions: tuple[str, ...] = ()


Command = Enter | Confirm | Withdraw | Show | Filed | Reply | Protest | Vote | Named | Awake | Connected | Ready
Line = Command | Talk | Unread


MOST_CHARS = 2_000
ID = r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}"
TABLE = r"(?:(?:table\s+)?(?P<table>[0-9]{1,4}[./][0-9]{1,5}|[A-Za-z0-9][A-Za-z0-9.-]*-[A-Za-z0-9.-]+|[0-9]{1,5}))"

FORMS: dict[str, str] = {
    "enter": "enter ID as NAME",
    "confirm": "confirm CODE",
    "withdraw": "withdraw ID",
    "standings": "standings ID",
    "tables": "tables ID",
    "status": "status",
    "preferences": "preferences guild, fremen, *",
    "bid": "bid atreides 3, guild 2.5",
    "keep": "keep FACTION",
    "trade": "trade E003 paying 2",
    "accept": "accept",
    "decline": "decline",
    "protest": "protest TABLE: TEXT",
    "vote": "vote agreed FACTION",
    "name": "name NAME",
    "awake": "awake 8-22 Europe/Berlin",
    "connected": "connected E003: WHY",
    "ready": "ready",
    "help": "help",
}

_OTHERS: dict[str, tuple[str, ...]] = {
    "enter": ("join", "register"),
    "withdraw": ("leave",),
    "standings": ("standing", "ranking", "rankings"),
    "tables": ("seating", "draw"),
    "preferences": ("preference", "prefer"),
    "bid": ("worth", "worths"),
    "accept": ("yes",),
    "decline": ("no",),
    "trade": ("swap",),
    "awake": ("hours",),
    "connected": ("connection",),
    "help": ("commands",),
}
VERBS: Names[str] = Names("command", [(verb, verb, _OTHERS.get(verb, ()), ()) for verb in FORMS])
_BY_WORD = {word: verb for verb in FORMS for word in (verb, *_OTHERS.get(verb, ()))}
MOST_TALK_WORDS = 8  # longer lines do not count as misspelt


def read_line(line: str) -> Line:
    """Read a line of a mail. Never raises.

    >>> read_line("Enter CUP as Ann, standby")
    Enter(tournament='cup', name='Ann', standby=True)
    >>> read_line("stnadings").suggestions
    ('standings ID',)
    """
    line = " ".join(line[:MOST_CHARS].split())
    if mark := LIST_MARK.match(line):
        line = line[mark.end() :]
    if bold := re.fullmatch(r"([*_]+)(\S.*)\1", line):
        line = bold[2]
    first, _, rest = line.partition(" ")
    word, rest = first.rstrip(":,.!?").lower(), rest.strip()
    if word == "not" and re.match(r"ready\b", rest, re.IGNORECASE):
        return _not_ready(rest)
    verb = _BY_WORD.get(word)
    if verb is None:
        return _near(word, line)
    return _READERS[verb](rest)


def _near(word: str, line: str) -> Line:
    if len(word) < 3 or not word.isalpha() or len(line.split()) > MOST_TALK_WORDS:
        return Talk()
    found = VERBS.find(word)
    if isinstance(found, Found):
        names: tuple[str, ...] = (found.value,) if len(word) >= 4 else ()
    else:
        names = () if found.ambiguous else found.names
    if not names:
        return Talk()
    return Unread(say("tournament-unread.near"), tuple(FORMS[name] for name in names))


def _wrong(verb: str, why: str = "") -> Unread:
    return Unread(say(f"tournament-unread.{why or 'form'}"), (FORMS[verb],))


# --- entering --------------------------------------------------------------------------------------------------------


_STANDBY = re.compile(r"(?:^|[\s,;]+)(?:as\s+(?:a\s+)?)?standby[\s.!]*$", re.IGNORECASE)
_STANDBY_FIRST = re.compile(r"[\s,;]+(?P<as>as\s+(?:a\s+)?)?standby\b[\s,;]*", re.IGNORECASE)
_NAMED = re.compile(r"[\s,;]*(?:as|name|named)\s+(?P<name>.+)", re.IGNORECASE)


def _enter(rest: str) -> Line:
    match = re.fullmatch(rf"(?P<id>{ID})(?P<rest>(?:[\s,;].*)?)", rest)
    if match is None or match["id"].lower() in ("as", "standby"):
        return _wrong("enter")
    rest = match["rest"]
    standby = True
    if last := _STANDBY.search(rest):
        rest = rest[: last.start()]
    elif first := _STANDBY_FIRST.match(rest):
        rest = rest[first.end() :]
        if first["as"] and not _NAMED.fullmatch(rest):
            rest = f"as {rest}"  # "as standby Ann"
    else:
        standby = False
    named = _NAMED.fullmatch(rest)
    if rest.strip(" ,;.!") and not named:
        return _wrong("enter")
    return Enter(match["id"].lower().rstrip(".-"), clean_given_name(named["name"]) if named else "", standby)


def _confirm(rest: str) -> Line:
    said = rest.strip(" .!\"'“”<>[]#").lower().removeprefix("code").strip(" :")
    if said and not re.fullmatch(rf"[a-z0-9]{{1,{2 * TOKEN_CHARS}}}", said):
        return _wrong("confirm")
    return Confirm(said)


def _withdraw(rest: str) -> Line:
    words = [word.strip(".,;!").lower() for word in rest.split()]
    games: Games = ""
    if words and words[-1] in ("keep", "leave"):
        games = "keep" if words.pop() == "keep" else "leave"
    if words[:1] == ["from"]:
        words = words[1:]
    if len(words) > 1 or (words and not re.fullmatch(ID, words[0])):
        return _wrong("withdraw")
    return Withdraw("".join(words), games)


def _shown(what: What) -> Callable[[str], Line]:
    def reader(rest: str) -> Line:
        named = rest.strip(" .!?").lower().removeprefix("of ").strip()
        if named and not re.fullmatch(ID, named):
            return _wrong(what)
        return Show(what, named)

    return reader


# --- factions --------------------------------------------------------------------------------------------------------


class _NoFaction(ValueError):
    def __init__(self, text: str, near: Sequence[str]) -> None:
        super().__init__(text)
        self.near = tuple(near)


def _faction(text: str) -> Faction:
    found = FACTION_NAMES.find(text)
    if isinstance(found, Found):
        return found.value
    raise _NoFaction(text, found.names)


def _vote_for_nobody(wrong: _NoFaction) -> Unread:
    near = tuple(f"vote agreed {name.lower()}" for name in wrong.near) or (FORMS["vote"],)
    return Unread(say("tournament-unread.faction", text=clean_given_name(str(wrong))), near)


def _factions(text: str) -> list[Faction]:
    parts = [part for part in re.split(r"\s*(?:,|;|&|\+|/|\band\b)\s*", text.strip(" ."), flags=re.IGNORECASE) if part]
    found: list[Faction] = []
    for part in parts:
        try:
            found.append(_faction(part))
        except _NoFaction:
            if " " not in part:
                raise
            found += _several(part)
    return found


def _several(text: str) -> list[Faction]:
    words, found = text.split(), list[Faction]()
    while words:
        for length in (2, 1):
            known = FACTION_NAMES.whole(" ".join(words[:length]))
            if known or length == 1:
                found.append(_faction(known or words[0]))
                words = words[length:]
                break
    return found


def _filed(verb: str, kind: Literal["preferences", "worths", "keep", "swap"]) -> Callable[[str], Line]:
    def reader(rest: str) -> Line:
        table, words = _at_table(rest)
        words = words.removeprefix("with ").strip(" :")
        return Filed(kind, words, table) if words else _wrong(verb)

    return reader


def _vote(rest: str) -> Line:
    table, rest = _at_table(rest)
    if rest.strip(" .!").lower() in ("no", "against", "play on"):
        return Vote((), table)
    match = re.fullmatch(r"(?:agreed|for|yes)\b[:\s]*(?P<factions>.+)", rest, re.IGNORECASE)
    if match is None:
        return Unread(say("tournament-unread.form"), (FORMS["vote"], "vote no"))
    try:
        factions = tuple(dict.fromkeys(_factions(match["factions"])))
    except _NoFaction as wrong:
        return _vote_for_nobody(wrong)
    return Vote(factions, table) if factions else _wrong("vote")


# --- the rest --------------------------------------------------------------------------------------------------------


def _at_table(rest: str) -> tuple[str, str]:
    match = re.match(r"(?:at\s+)?(?:table\s+)?(?P<table>[0-9]{1,4}[./][0-9]{1,5})[:,]?\s+", rest, re.IGNORECASE)
    return (match["table"].replace("/", "."), rest[match.end() :]) if match else ("", rest)


def _reply(*, accepted: bool) -> Callable[[str], Line]:
    def reader(rest: str) -> Line:
        if rest.strip(" .!,").lower() not in ("", "it", "thanks", "thank you", "please", "with pleasure", "sorry"):
            return _wrong("accept" if accepted else "decline")
        return Reply(accepted)

    return reader


def _protest(rest: str) -> Line:
    match = re.fullmatch(rf"(?:against\s+)?{TABLE}\s*[:,.]?\s+(?P<text>\S.*)", rest, re.IGNORECASE)
    return Protest(match["table"].lower().replace("/", "."), match["text"]) if match else _wrong("protest")


def _named(rest: str) -> Line:
    if rest.strip(" .!").lower() in ("hidden", "none", "hide"):
        return Named("")
    name = clean_given_name(rest.removeprefix("me ").strip())
    return Named(name) if name else _wrong("name")


_AWAKE = re.compile(
    r"(?:from\s+)?(?P<first>[0-9]{1,2})(?:[:.h]?(?P<fm>[0-9]{2}))?\s?(?:to|until|-|–)\s?"
    r"(?P<last>[0-9]{1,2})(?:[:.h]?(?P<lm>[0-9]{2}))?(?:[\s,(]+(?:(?:in|at)\s)?(?P<zone>[^\s,(][^\n]{0,60}?)\)?)?[.!]?"
)


def _awake(rest: str) -> Line:
    match = _AWAKE.fullmatch(rest)
    if match is None:
        return _wrong("awake")
    first, last = int(match["first"]), int(match["last"])
    minutes = (int(match["fm"] or 0), int(match["lm"] or 0))
    if first > 24 or last > 24 or max(minutes) > 59:
        return _wrong("awake", "clock")
    if first % 24 == last % 24:
        return _wrong("awake", "same-hour")
    hours = f"{first % 24:02}:{minutes[0]:02}-{last % 24:02}:{minutes[1]:02}"
    return Awake(hours, (match["zone"] or "").strip())


def _connected(rest: str) -> Line:
    match = re.fullmatch(
        r"(?:with|to)?\s*<?(?P<who>[Ee][0-9]{3,6}\b|[^\s@<>:,;]{1,64}@[A-Za-z0-9.-]{1,200})>?[:,;]?\s*(?P<why>.*)", rest
    )
    return Connected(match["who"].lower(), clean_given_name(match["why"], 200)) if match else _wrong("connected")


def _ready(rest: str) -> Line:
    return Ready() if not rest.strip(" .!") else _wrong("ready")


def _not_ready(rest: str) -> Line:
    if rest.lower().strip(" .!") == "ready":
        return Ready(wanted=False)
    return Talk() if len(rest.split()) >= MOST_TALK_WORDS else Unread(say("tournament-unread.form"), ("not ready",))


_READERS: dict[str, Callable[[str], Line]] = {
    "enter": _enter,
    "confirm": _confirm,
    "withdraw": _withdraw,
    "standings": _shown("standings"),
    "tables": _shown("tables"),
    "status": _shown("status"),
    "help": _shown("help"),
    "preferences": _filed("preferences", "preferences"),
    "bid": _filed("bid", "worths"),
    "keep": _filed("keep", "keep"),
    "trade": _filed("trade", "swap"),
    "accept": _reply(accepted=True),
    "decline": _reply(accepted=False),
    "protest": _protest,
    "vote": _vote,
    "name": _named,
    "awake": _awake,
    "connected": _connected,
    "ready": _ready,
}
