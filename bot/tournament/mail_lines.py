"""The parser for mails about a tournament: `enter cup as Ann`, `confirm CODE`, `preferences guild, fremen, *`.

Each kind of line becomes a small value of its own class. For a line that is nearly a command, the answer lists the
commands that its writer may have meant. A line that resembles no command is talk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from bot.competition.published import clean_given_name
from bot.effort import understood
from bot.language import command_lines, orders
from bot.language.command_lines import ADDRESS, Blank, CommandContext, without_courtesy
from bot.language.lines import LIST_MARK
from bot.language.mail_lines import ReadLine, read_commands
from bot.language.moves import agrees, declines, said
from bot.language.names import FACTION_NAMES, Found, Names
from bot.language.proposals import NOTHING, Memory, options_of
from bot.mail.identity import TOKEN_CHARS
from bot.tournament.beacons import ValueLine, read_value_line
from bot.wording import say
from rules.components import Faction

Games = Literal["", "keep", "leave"]
What = Literal["standings", "tables", "status", "help"]


class _Line(msgspec.Struct, frozen=True):
    pass


class Enter(_Line, frozen=True):
    tournament: str
    name: str = ""
    standby: bool = False


class Confirm(_Line, frozen=True):
    code: str = ""  # without one, Mentat takes the code from the address to which the mail was sent


class Withdraw(_Line, frozen=True):
    tournament: str = ""
    games: Games = ""  # what should happen to running games


class Show(_Line, frozen=True):
    what: What
    tournament: str = ""


class Filed(_Line, frozen=True):
    kind: Literal["preferences", "worths", "keep", "swap"]
    words: str  # the sealed words, as they were written
    table: str = ""  # "" if the entrant has only one table


class Reply(_Line, frozen=True):
    accepted: bool
    faction: Faction | None = None  # the faction another player wants; if None, the answer is to the question asked
    table: str = ""


class Protest(_Line, frozen=True):
    table: str
    text: str


class Vote(_Line, frozen=True):
    factions: tuple[Faction, ...]  # empty for `vote no`
    table: str = ""


class Named(_Line, frozen=True):
    name: str  # the name shown to others; empty for `name hidden`


class Awake(_Line, frozen=True):
    hours: str
    zone: str


class Connected(_Line, frozen=True):
    who: str  # the handle or address of a person too close to the entrant to sit with them
    why: str = ""


class ToOrganisers(_Line, frozen=True):
    text: str


class Beacon(_Line, frozen=True):
    value: ValueLine


class Here(_Line, frozen=True):
    pass


class Ready(_Line, frozen=True):
    wanted: bool = True


class Talk(_Line, frozen=True):
    pass


class Dropped(_Line, frozen=True):
    told: str  # the answer to a line that the mail itself took back


class Unread(_Line, frozen=True):
    why: str
    suggestions: tuple[str, ...] = ()


Command = (
    Enter
    | Confirm
    | Withdraw
    | Show
    | Filed
    | Reply
    | Protest
    | Vote
    | Named
    | Awake
    | Connected
    | Ready
    | ToOrganisers
    | Beacon
    | Here
)
Line = Command | Talk | Dropped | Unread


MOST_CHARS = 2_000
ID = r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}"
TABLE = r"(?:(?:table\s+)?(?P<table>[0-9]{1,4}[./][0-9]{1,5}|[A-Za-z0-9][A-Za-z0-9.-]*-[A-Za-z0-9.-]+|[0-9]{1,5}))"

MOST_TALK_WORDS = 8  # longer lines do not count as misspelt commands


def read_line(line: str) -> Line:
    """Parse one line of a mail. No line raises an exception.

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
    if _HERE.fullmatch(line):
        return Here()
    if word == "not" and re.match(r"ready\b", rest, re.IGNORECASE):
        return _not_ready(rest)
    verb = _BY_WORD.get(word)
    if verb is None:
        return _near(word, line)
    return _VERBS[verb][2](rest)


@dataclass(frozen=True, slots=True)
class ReadMail:
    """All the parsed lines of a mail. ``told`` has remarks about some of the lines. ``options`` are complete mails that
    the answer offers to the writer."""

    lines: tuple[tuple[str, Line], ...]
    told: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()


def read_mail(lines: Sequence[str], memory: Memory = NOTHING, tournament: str = "", seen: str = "") -> ReadMail:
    """Parse a whole mail in the usual stages. A line that confirms with a code skips those stages."""
    codes = [(line, read) for line in lines if isinstance(read := read_line(line), Confirm)]
    others = ["" if any(line is each for each, _ in codes) else line for line in lines]
    context = _context(memory, tournament, seen)
    position = (tournament, seen, memory.waiting, memory.done)
    found = understood(tuple(others), position, lambda: read_commands(others, context, memory))
    told = {_shown(line): line.told for line in found if line.told and not line.dropped}
    offered = [line.result for line in found if isinstance(line.result, orders.Unread)]
    return ReadMail((*codes, *((_shown(line), _line(line)) for line in found)), told, tuple(options_of(offered)))


def _shown(line: ReadLine) -> str:
    return line.result.line if isinstance(line.result, command_lines.Command) and line.told else line.text


def _line(line: ReadLine) -> Line:
    if line.dropped:
        return Dropped(line.told)
    match line.result:
        case command_lines.Command():
            return line.result.what  # type: ignore[return-value]
        case orders.Unread(_, _, chatter=True):
            return Talk()
        case orders.Unread(reason, suggestions):
            forms = () if suggestions else getattr(read_line(line.text), "suggestions", ())
            return Unread(reason, suggestions or forms)
    raise TypeError(f"{line.result} is not a line about a tournament")


_LEAVES = re.compile(
    r"\bi(?:'m| am|'ll| will)?(?: really| sadly| unfortunately| now)? (?:have to|must|need to|want to|going to)"
    r" (?:drop out|withdraw|quit|resign|pull out|step down|give up my seat|stop playing|leave the (?:cup|event|tourn))"
    r"|\bi(?:'m| am) (?:dropping out|quitting|withdrawing|leaving the (?:cup|event|tournament))\b"
    r"|\b(?:can'?t|cannot|(?:won'?t|will not) be able to)"
    r" (?:play any ?(?:more|longer)|play on|go on|continue)(?=\s*(?:[,.;:!–-]|$))"
    r"|\bi (?:no longer|don'?t|do not) want to (?:take part|play|be in it)(?: any ?more)?(?=\s*(?:[,.;:!–-]|$))"
    r"|\b(?:go|carry) on without me\b|\b(?:take|count) me (?:out|off)\b",
    re.IGNORECASE,
)
"""Words in a longer text that say somebody is leaving. Such words alone do not remove anybody; Mentat asks the writer
first."""


def leaves(text: str) -> bool:
    return bool(_LEAVES.search(text)) and "?" not in text


LADDER = "ladder"
"""Marks a letter that invites its reader to ask for a table at any time."""
_WANTS_TABLE = re.compile(
    r"^(?!.*(?:\bnot\b|n't|\?)).*\b(?:count me in|i(?:'d| would) (?:like|love) to play|i want to play"
    r"|i(?:'m| am) (?:free|up) (?:for|to play)|(?:one more|another|next) game)\b",
    re.IGNORECASE,
)

_GRAVE = (Withdraw, Reply, Vote, Protest)


def _context(memory: Memory, tournament: str, seen: str) -> CommandContext:
    def exact(text: str) -> command_lines.Command | None:
        text = text.strip()
        if memory.waiting and memory.waiting.answered and (agrees(text) or declines(text)):
            return None
        read = read_line(text)
        if isinstance(read, Enter | Withdraw | Named | Show | Unread):
            polite = read_line(without_courtesy(text)[0])  # "withdraw, please"
            read = polite if isinstance(polite, Enter | Withdraw | Named | Show) else read
        shows = isinstance(read, Show)
        if isinstance(read, Talk | Unread | Dropped) or (
            "?" in text and not isinstance(read, Show | Protest | ToOrganisers)
        ):
            return None
        if isinstance(read, Named) and any(
            not isinstance(read_line(clause), Talk) for clause in re.split(r"\band\b", read.name)[1:]
        ):
            return None
        kind = "" if shows or isinstance(read, Connected | Protest | ToOrganisers) else type(read).__name__
        subject = f"{kind} {getattr(read, 'kind', '')} {getattr(read, 'table', '')}".strip()
        return command_lines.Command(text, read, subject, isinstance(read, _GRAVE), shows)

    def unread(text: str) -> orders.Unread:
        read = read_line(text)
        if isinstance(read, Talk) and leaves(text):
            return orders.Unread(say("tournament-unread.leaves"), ("withdraw",))
        if isinstance(read, Talk) and LADDER in seen.split() and _WANTS_TABLE.search(text):
            return orders.Unread(say("tournament-unread.ready"), ("ready",))
        return orders.Unread(read.why if isinstance(read, Unread) else "", chatter=isinstance(read, Talk))

    return CommandContext(
        language="tournament",
        exact=exact,
        wrong=lambda text: None,
        unread=unread,
        blanks={**_BLANKS, "TOURNAMENT": Blank(re.escape(tournament) if tournament else ID)},
        facts={},
        seen=seen,
    )


def _wishes(text: str) -> str:
    text = re.sub(r"[\s,;]*\b(?:and )?then\b[\s,;]*", ", ", text.strip(" .!"), flags=re.IGNORECASE)
    text = re.sub(r"\b(?:whatever|anything|any|the rest|all others|the others)\b", "*", text, flags=re.IGNORECASE)
    text = re.sub(r"\s+or\s+", " = ", re.sub(r",?\s+and\s+", ", ", text, flags=re.IGNORECASE), flags=re.IGNORECASE)
    named = [part for part in re.split(r"\s*[,=]\s*", text) if part.strip(" *")]
    known = all(isinstance(FACTION_NAMES.find(part), Found) for part in named)
    return text if named and known else ""


def _name(text: str) -> str:
    return "" if said(text).has("doubt") else re.sub(r"\s+from now on$", "", text.strip(" .!"))


_FACTION = "|".join(sorted({re.escape(each) for _, spelt in FACTION_NAMES.spelt() for each in spelt}, key=len)[::-1])
_BLANKS: Mapping[str, Blank] = {
    "ADDRESS": ADDRESS,
    "WORDS": Blank(r"\S.*", lambda text: text.strip(" .!")),
    "NAME": Blank(r"[^\s,;:.][^,;:\n]{0,60}", _name),
    "PERSON": Blank(r"(?:[Ee][0-9]{3,6}(?![\w@])|[^\s@<>:,;]+@[^\s@<>:,;]*\w)"),
    "WISHES": Blank(r"\S.*", _wishes),
    "SEAT": Blank(f"(?:{_FACTION})"),
    "OWN": Blank(f"(?:{_FACTION})"),
}


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


def _reads_show(what: What) -> Callable[[str], Line]:
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
        if rest.strip(" .!,").lower() in ("", "it", "thanks", "thank you", "please", "with pleasure", "sorry"):
            return Reply(accepted)
        table, words = _at_table(rest)
        words = re.sub(r"^(?:to\s+)?(?:the\s+)?(?:undrawn\s+)?", "", words.strip(" .!,"), flags=re.IGNORECASE)
        found = FACTION_NAMES.find(words)
        if not isinstance(found, Found):
            return _wrong("accept" if accepted else "decline")
        return Reply(accepted, found.value, table)

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


_ORGANISERS = re.compile(
    r"(?:to\s+)?(?:the\s+)?(?:director|directors|organiser|organisers|organizer|organizers|game\s?master)\s*[:,.]?\s+(?P<text>\S.*)",
    re.IGNORECASE,
)


def _to_organisers(rest: str) -> Line:
    match = _ORGANISERS.fullmatch(rest)
    return ToOrganisers(match["text"]) if match else _wrong("press")


def _ready(rest: str) -> Line:
    return Ready() if not rest.strip(" .!") else _wrong("ready")


def _not_ready(rest: str) -> Line:
    if rest.lower().strip(" .!") == "ready":
        return Ready(wanted=False)
    return Talk() if len(rest.split()) >= MOST_TALK_WORDS else Unread(say("tournament-unread.form"), ("not ready",))


_HERE = re.compile(
    r"(?:(?:yes|ok),?\s+)?(?:(?:i(?:'|’)?\s?a?m|i am)\s+(?:still\s+|all\s+)?|still\s+)"
    r"(?:here|in|there|present)\s*[.!]*",
    re.IGNORECASE,
)


def _here(rest: str) -> Line:
    return Here() if not rest.strip(" .!") else Talk()


def _beacon(rest: str) -> Line:
    found = read_value_line(f"beacon {rest}")
    return Beacon(found) if found else Talk() if "?" in rest else _wrong("beacon")


_VERBS: dict[str, tuple[str, str, Callable[[str], Line]]] = {
    "enter": ("enter ID as NAME", "join register", _enter),
    "confirm": ("confirm CODE", "", _confirm),
    "withdraw": ("withdraw ID", "leave", _withdraw),
    "standings": ("standings ID", "standing ranking rankings", _reads_show("standings")),
    "tables": ("tables ID", "seating draw", _reads_show("tables")),
    "status": ("status", "", _reads_show("status")),
    "preferences": ("preferences guild, fremen, *", "preference prefer", _filed("preferences", "preferences")),
    "bid": ("bid atreides 3, guild 2.5", "worth worths", _filed("bid", "worths")),
    "keep": ("keep FACTION", "", _filed("keep", "keep")),
    "trade": ("trade E003 paying 2", "swap", _filed("trade", "swap")),
    "accept": ("accept", "yes agree", _reply(accepted=True)),
    "decline": ("decline", "no", _reply(accepted=False)),
    "protest": ("protest TABLE: TEXT", "", _protest),
    "vote": ("vote agreed FACTION", "", _vote),
    "name": ("name NAME", "", _named),
    "awake": ("awake 8-22 Europe/Berlin", "hours", _awake),
    "connected": ("connected E003: WHY", "connection", _connected),
    "ready": ("ready", "", _ready),
    "press": ("press to director: TEXT", "", _to_organisers),
    "beacon": ("beacon ID 1: VALUE", "", _beacon),
    "here": ("here", "present", _here),
    "help": ("help", "commands", _reads_show("help")),
}
"""For each verb: an example of a line that begins with it, other words for the verb, and the function that parses the
rest of the line."""

FORMS: dict[str, str] = {verb: form for verb, (form, _, _) in _VERBS.items()}
VERBS: Names[str] = Names("command", [(verb, verb, others.split(), ()) for verb, (_, others, _) in _VERBS.items()])
_BY_WORD = {word: verb for verb, (_, others, _) in _VERBS.items() for word in (verb, *others.split())}
