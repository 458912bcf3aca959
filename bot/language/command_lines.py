"""Read the commands in mails to the desk or about a tournament, as one stage of reading a mail (docs/architecture.md).

Commands have few forms and no grammar. A `CommandContext` recognises lines that are commands exactly as written
(`exact`). The rows of `data/command-words.toml` list the plain words for each command. If a row accounts for every word
of a line, the line is that command. If words are left over, the command is only proposed, and the answer names those
words. A command with `grave` consequences that is given in plain words is also only proposed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import count, product
from typing import Literal

from bot.effort import better_outside, charge
from bot.language.lines import LONGEST, Context
from bot.language.moves import Sort, said
from bot.language.orders import Unread
from bot.language.vocabulary import Phrases, vocabulary
from bot.wording import say
from rules.components import FACTIONS, Faction
from rules.components.facts import load_toml

FILE = "command-words.toml"
_ENDING = re.compile(r"^[\s,;:-]+|(?:[:;]-?[)(DP]|[\s.,!?;:…–-]|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f])+$")
LONGEST_BEHIND_QUESTION = 4
"""If more words than this follow a question, they are a statement of their own: "… at 3 am for me, make it 8 pm"."""
LONGEST_REST = 12  # unused words that a line may have and still lead to a proposal


@dataclass(frozen=True, slots=True)
class Command:
    """A command as a line that can be sent (`line`), and as a value (`what`). If several commands have the same
    `subject`, only one of them can be meant. `shows` is true if the command changes nothing; such a command may also be
    written as a question. `coded` is true if it always waits for a confirmation code."""

    line: str
    what: object
    subject: str = ""
    grave: bool = False
    shows: bool = False
    coded: bool = False


@dataclass(frozen=True, slots=True)
class Blank:
    """A blank in a row. `pattern` matches the words that can fill it, and `read` turns them into canonical words, or
    into "" if they name nothing known."""

    pattern: str
    read: Callable[[str], str] = str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContext(Context):
    """How to read commands. `exact` reads a line that is written as a command. `wrong` explains the mistake in a line
    that is nearly a command, and `unread` answers a line that is not a command. `shows` finds a command that changes
    nothing, however it is worded. `facts` fill the braces of a row. A proposal remains valid while `seen` is unchanged.
    `idle` returns whether a line would change nothing at present. `aside` removes the name of the game from a line.
    `routed`, if given, reads lines that may be about any of several games. `talks`, if given, returns True for a text
    that makes no request; next to commands, only a clear request counts."""

    faction: Faction = FACTIONS[0]
    factions: frozenset[Faction] = frozenset()
    language: str
    exact: Callable[[str], Command | None]
    wrong: Callable[[str], Unread | None]
    unread: Callable[[str], Unread]
    blanks: Mapping[str, Blank]
    facts: Mapping[str, str]
    shows: Callable[[str], Command | None] = lambda text: None
    seen: str = ""
    aside: Callable[[str], str] | None = None
    routed: Callable[[str], Command | Unread] | None = None
    idle: Callable[[str], bool] = lambda line: False
    talks: Callable[[str, bool], bool] | None = None

    def means_something(self, line: str) -> bool:
        read = read_command(line, self)
        return isinstance(read, Command) or bool(read.suggestions or read.open)


def read_command(text: str, context: CommandContext) -> Command | Unread:
    charge(10)
    if context.routed:
        return context.routed(text)
    if read := context.exact(text) or context.wrong(text):
        return read
    if len(text) > LONGEST:
        return context.unread(text[:LONGEST])
    text = context.aside(text) if context.aside else text
    bare, begs = without_courtesy(text)
    bare = _ENDING.sub("", bare)
    spoken = _meant(without_courtesy(text, behind=False)[0], context)
    found = {line: each for line, each in spoken.items() if ": " in line}  # others read the text to its end
    found, rest = found or _meant(bare, context), ""
    begins = said(text).begins
    mends = begins("correct").lower() not in ("", "stop") or begins("retract")
    if not found and not mends and (part := _beginning(bare, context) or _end(bare, context)):
        found, rest = part
    first = next(iter(found.values()), None)
    if first and rest and first.shows and len(said(rest).words) > LONGEST_BEHIND_QUESTION:
        return _mended(text, context) or context.unread(text)
    if first is None or (rest and not _may_be_left(rest, first)):
        return context.shows(text) or _mended(text, context) or context.unread(text)
    asks = "?" in text and not begs
    aloud = ": " in first.line and not first.coded  # a text for other people is first shown to its writer
    if len(found) == 1 and not (rest or aloud) and (first.shows or not (asks or first.grave)):
        return first
    lines = tuple(found)
    last, asked = request_behind(lines[0], context) if aloud and not rest else ("", "")
    lines = (lines[0].removesuffix(last).rstrip(), asked) if asked else lines
    shown = [f"“{line}”" for line in lines]
    if asked:
        return Unread(say("unread.several-orders"), lines, together=True)
    if rest and len(others := _last_clause(rest, context)) == len(lines) == 1 and lines[0] not in others:
        both = tuple(sorted((*lines, *others), key=lambda line: line in others and text.endswith(rest)))
        return Unread(say("unread.several-orders"), both, together=True)
    guess = context.unread(text) if rest else None
    if guess and guess.guess and guess.together and {*lines} < {*guess.suggestions}:
        return guess  # the unused words say more than the command
    if guess and any(each.startswith(f"{line} ") for each in (*guess.suggestions, *guess.open) for line in lines):
        return guess  # "throw Fay out until Friday"
    if rest:
        return Unread(say("unread.plain-part", lines=shown, words=rest), lines)
    return Unread(say("unread.plain" if len(lines) == 1 else "unread.plain-some", lines=shown), lines)


SENTENCE = re.compile(r"(?<=[.!?])\s+")
AND = re.compile(r"\s*[,;.]?\s+(?:and then|and also|and|then|also|plus)\s+", re.IGNORECASE)
_ASKS_US = re.compile(
    r"\W*(?:and |then |also |now )*"
    r"(?:then|also|please|you can|can you|could you|i.d like|i would like|i want|i need)\b",
    re.IGNORECASE,
)


def request_behind(words: str, context: CommandContext) -> tuple[str, str]:
    """If the last sentence of words for other people is a request to Mentat, return that sentence and its command:
    "tell Eve no. Then you can let the game go on". Else return empty strings."""
    *before, last = SENTENCE.split(words)
    read = read_command(last, context) if before else Unread("")
    lines = (read.line,) if isinstance(read, Command) else read.suggestions
    lines = lines if isinstance(read, Command) or not read.guess or _ASKS_US.match(last) else ()
    return (last, lines[0]) if len(lines) == 1 and ": " not in lines[0] else ("", "")


def _mended(text: str, context: CommandContext) -> Unread | None:
    """Propose what a line with misspelt words means, if correcting them turns the whole line into a command: "pasue the
    gmae"."""
    known = _spelt(context.language, _written(context))
    words = re.findall(r"[a-z]{4,}", _ADDRESS.sub("", text.lower()))
    strange = [word for word in dict.fromkeys(words) if word not in known]
    if not 0 < len(strange) <= MOST_MISSPELT or said(text).has("doubt"):  # "maybe" is not a misspelt "may"
        return None
    charge(len(known) // 20)
    near = [get_close_matches(word, [each for each in known if each[0] == word[0]], 3, NEAR) for word in strange]
    if not any(near):
        return None
    for right in product(*(found or [word] for found, word in zip(near, strange, strict=True))):
        mended = text
        for word, meant in zip(strange, right, strict=True):
            mended = re.sub(rf"(?i)\b{word}\b", meant, mended)
        exact = context.exact(mended)
        found = [exact.line] if exact else [*_meant(_ENDING.sub("", without_courtesy(mended)[0]), context)]
        if found:
            shown = [f"“{line}”" for line in found]
            told = say("unread.plain" if len(found) == 1 else "unread.plain-some", lines=shown)
            return Unread(told, tuple(found))
    return None


_ADDRESS = re.compile(r"\S+@\S+")
MOST_MISSPELT = 2
NEAR = 0.75


@lru_cache(maxsize=64)
def _spelt(language: str, blanks: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    rows = (words for row in _rows(language) for words in row["words"])
    patterns = [*rows, *(pattern for _, pattern in blanks)]
    beside = (word for sort in ("before", "behind", "begs") for phrase in _beside(sort) for word in phrase)
    found = {word.lower() for each in patterns for word in re.findall(r"(?<!\\)\b[a-z]{3,}\b", each)}
    return tuple(sorted(found.union(beside)))


def _meant(text: str, context: CommandContext) -> dict[str, Command]:
    found: dict[str, Command] = {}
    if exact := context.exact(text):
        found[exact.line] = exact
    blanks = _written(context)
    for row in _rows(context.language):
        for words in () if found else row["words"]:
            if match := _pattern(words, blanks).fullmatch(text):
                found.update(_filled(row, match, context))
    return found


def _beginning(text: str, context: CommandContext) -> tuple[dict[str, Command], str] | None:
    best: tuple[dict[str, Command], str] | None = None
    first, _, rest = text.partition(" ")
    if rest and first.isalpha() and (exact := context.exact(first)) and exact.subject:
        best = {exact.line: exact}, rest
    blanks = _written(context)
    for row in _rows(context.language):
        for words in row["words"]:
            match = _pattern(words, blanks).match(text)
            if match is None or re.match(r"\w", text[match.end() :]) or not text[match.end() :].strip(" .,!?"):
                continue
            if (best is None or len(text) - match.end() < len(best[1])) and (found := _filled(row, match, context)):
                best = found, text[match.end() :]
    return best and (best[0], best[1].strip(" .,!?;:-"))


_CLAUSE = re.compile(r"[,;:.!]+\s+|\s+[-–—]+\s+|\s+(?:and|so)\s+")


def _end(text: str, context: CommandContext) -> tuple[dict[str, Command], str] | None:
    """Return the command that the last clause of a text gives, and the text in front of that clause: "resume" and "Bob
    is here" for "Bob is here, resume"."""
    for cut in _CLAUSE.finditer(text):
        found = _last_clause(text[cut.end() :], context)
        if found and not any(": " in line for line in found):  # a text for other people might be meant for Mentat
            return found, text[: cut.start()]
    return None


def _last_clause(text: str, context: CommandContext) -> dict[str, Command]:
    return _meant(_ENDING.sub("", without_courtesy(text)[0]), context)


_NOT_LEFT: Sequence[Sort] = ("forbid", "no", "report", "doubt", "draft", "retract")


_NAMES_MORE = re.compile(r"\S@\S|\d:\d\d")


_JUDGES = re.compile(
    r"\W*(?:is|are|was|were|isn.?t|aren.?t|seems?|feels?|would|will|has|had|should|must|ought)\b", re.IGNORECASE
)


def _may_be_left(rest: str, command: Command) -> bool:
    heard = said(rest)
    if _JUDGES.match(rest):  # "12 hours per phase is too short" asks for another number
        return False
    if _NAMES_MORE.search(rest) and not _NAMES_MORE.search(command.line):  # the words left out matter most
        return False
    if (command.grave or command.coded) and not _beside("reasons").length(heard.words, 0):
        return False
    conditional = heard.has("condition").lower() not in ("", "until", "till")
    return len(heard.words) <= LONGEST_REST and not (conditional or any(map(heard.has, _NOT_LEFT)))


# --- tasks -----------------------------------------------------------------------------------------------------------


TaskName = Literal[
    "time", "late", "away", "seats", "tone", "same", "speech", "mistakes", "end", "desk", "sight"
]  # headings of the help


@dataclass(frozen=True, slots=True)
class Task:
    """Something that a game master may want to do: the powers that it needs, and the words that people use for it."""

    name: TaskName
    powers: Sequence[str]
    words: Phrases

    def heard_in(self, text: str) -> int:
        heard = said(text).words
        return sum(self.words.length(heard, place) > 0 for place in range(len(heard)))


@cache
def tasks() -> Sequence[Task]:
    return [Task(each["name"], each["powers"], Phrases(each["words"])) for each in load_toml(FILE)["task"]]


def is_outburst(text: str) -> bool:
    heard = said(text)  # "For heaven's sake!"
    angry = any(_beside("anger").length(heard.words, place) for place in range(len(heard.words)))
    return angry and not any(map(heard.has, _NOT_LEFT)) and not heard.has("condition")


# --- the table -------------------------------------------------------------------------------------------------------


def _rows(language: str) -> Sequence[Mapping[str, Sequence[str]]]:
    rows: Sequence[Mapping[str, Sequence[str]]] = load_toml(FILE)[language]
    return rows


@cache
def _beside(sort: str) -> Phrases:
    return Phrases(load_toml(FILE)["beside"][sort])


def without_courtesy(text: str, *, behind: bool = True) -> tuple[str, bool]:
    """Return a text without the polite words at its start and, if `behind`, at its end. Also return whether those words
    turn a question into a request ("could you please …?")."""
    heard, begs = said(text), False
    first, after = 0, len(heard.words)
    while first < after and (length := _beside("before").length(heard.words, first)):
        begs |= _beside("begs").length(heard.words, first) > 0
        first += length
    ends = range(4, 0, -1) if behind else ()
    while length := next(
        (n for n in ends if after - n > first and _beside("behind").length(heard.words, after - n) == n), 0
    ):
        after -= length
    begin, end = heard.spans[first][0] if 0 < first < after else 0, heard.spans[after - 1][1] if after else 0
    return text[begin : end if after < len(heard.words) else None] if first < after else "", begs


def _written(context: CommandContext) -> tuple[tuple[str, str], ...]:
    return tuple((name, blank.pattern) for name, blank in context.blanks.items())


_NAME = r"(?-i:[A-Z][\w'’-]*(?:\s+[A-Z][\w'’.-]*){0,3})"
ADDRESS = Blank(r"[^\s<>@,;:()]+@[^\s<>@,;:'’()]*[\w]", str.lower)


def _address_in(text: str) -> str:
    found = re.search(ADDRESS.pattern, text)  # "Sam Smith (sam@x.example)"
    return found[0].lower() if found else ""


NAMED_ADDRESS = Blank(rf"(?:{_NAME}\s*[,:]?\s*)?[<(]?(?:{ADDRESS.pattern})[>)]?", _address_in)
_IN_A_GAP = "the|our|my|this|that|please|just|all|whole|dune|hell|heck|fuck|bloody|damn|damned|fucking|stupid|noch"
_IN_A_GAP += "|den|die|das|le|la|el|l'"
_GAP = rf"[\s,]+(?:(?:{_IN_A_GAP})[\s,]+)*?"


MOST_PREPARED = 16
_prepared: set[Hashable] = set()


def prepare(contexts: Collection[CommandContext]) -> None:
    """Compile the patterns for lines in these contexts outside any transaction: the first time takes a second per
    game."""
    wanted = {(context.language, _written(context)) for context in contexts}
    if not wanted <= _prepared:
        better_outside(("patterns", *sorted(wanted)), lambda: _compile(wanted))


def _compile(wanted: Collection[tuple[str, tuple[tuple[str, str], ...]]]) -> None:
    if len(_prepared) > MOST_PREPARED:
        _prepared.clear()
    for language, blanks in wanted:
        for row in _rows(language):
            for words in row["words"]:
                _pattern(words, blanks)
        _prepared.add((language, blanks))


@lru_cache(maxsize=16_384)
def _pattern(words: str, blanks: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    patterns = dict(blanks)
    spaced = words.replace(" ", _GAP)
    number = count(1)
    filled = re.sub(r"[A-Z]{3,}", lambda match: f"(?P<{match[0]}_{next(number)}>{patterns[match[0]]})", spaced)
    return re.compile(rf"(?:(?:the|our|my|den|die|das)\s+)?{filled}", re.IGNORECASE | re.DOTALL)


def _filled(row: Mapping[str, Sequence[str]], match: re.Match[str], context: CommandContext) -> dict[str, Command]:
    named = ((name.partition("_")[0], text) for name, text in match.groupdict().items() if text is not None)
    values = {name: context.blanks[name].read(text) for name, text in named}
    if not all(values.values()):
        return {}
    given = {**values, **{f"{{{name}}}": fact for name, fact in context.facts.items()}}
    lines = [re.sub(r"[A-Z]{3,}|\{\w+\}", lambda blank: given.get(blank[0], ""), line) for line in row["lines"]]
    lines = [line for line in lines if not context.idle(line)] or lines[:1]
    return {made.line: made for line in lines if (made := context.exact(line))}


# --- time ------------------------------------------------------------------------------------------------------------


def _span(text: str) -> str:
    found = [hours for part in re.split(r"\s+(?:and|und|plus)\s+", text.lower()) if (hours := _hours_of(part, text))]
    return f"{sum(found):g}" if found else ""


def _hours_of(part: str, whole: str) -> float:
    words = re.findall(r"[0-9]+(?:[.,][0-9]+)?|[^\W\d_]+", part)  # "a half" in "a day and a half" is half a day
    numbers, units = load_toml(FILE)["numbers"] | vocabulary().numbers, load_toml(FILE)["units"].items()
    if any(re.fullmatch(unit, word) for word in words for _, unit in units):  # "get a day", but not "sietch-3"
        first = (place for place, word in enumerate(words) if word[0].isdigit() or word in numbers)
        words = words[next(first, 0) :]
    number = next(
        (float(word.replace(",", ".")) for word in words[:1] if word[0].isdigit()), numbers.get(*words[:1] or "?")
    )
    half = words[-1:] == ["half"] and part != whole.lower()
    behind = re.findall(r"[^\W\d_]+", whole.lower()) if half else words[1:]
    hours = next((int(each) for word in behind for each, unit in units if re.fullmatch(unit, word)), 1)
    return (0.5 if half else number or 0) * hours


def spans() -> Blank:
    return Blank(load_toml(FILE)["time"]["span"], _span)


def _time(text: str) -> str:
    named = load_toml(FILE)["time"]["named"].get(text.lower())
    digits = re.sub(r"^[a-z]+", lambda word: str(vocabulary().numbers.get(word[0], word[0])), text.lower())
    found = re.match(r"([0-9]{1,2})(?:[:.h]([0-9]{2}))?\s*(pm|p\.m\.)?", digits)
    if named or not found:
        return named or ""
    hour, minute = int(found[1]), int(found[2] or 0)
    late = found[3] or re.search("afternoon|evening", text.lower()) or ("night" in text.lower() and hour > SMALL_HOURS)
    hour += 12 if late and hour < 12 else 0
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


SMALL_HOURS = 5
"""Up to this hour, "at night" means the early morning: "three at night" is 03:00."""


def times() -> Blank:
    return Blank(load_toml(FILE)["time"]["clock"], _time)


def days_from(today: date) -> Blank:
    """Return the blank for a date: 2027-01-31, "Friday", "tomorrow", "3 December"."""
    time = load_toml(FILE)["time"]
    near, weekdays, months = (time[name].split("|") for name in ("near", "days", "months"))

    ordinals = vocabulary().ordinals | time["ordinals"]
    numbered = re.compile(rf"\b(?:{'|'.join(sorted(ordinals, key=len, reverse=True))})\b")

    def is_named(day: date, words: Sequence[str]) -> bool:
        ahead = (day - today).days
        if words[-1] in near or words[-1] in weekdays:
            return words[-1] in (*near[ahead : ahead + 1], *([weekdays[day.weekday()]] if ahead else []))
        alone = words[-1] in ("st", "nd", "rd", "th") and len(words) == 2 and ahead > 0
        return f"{day.day}" in words and (alone or any(word[:3] == months[day.month - 1] for word in words))

    def read(text: str) -> str:
        if text[:4].isdigit():
            return text
        text = numbered.sub(lambda word: f"{ordinals[word[0]]}", text.lower().replace("-", " "))
        words = re.findall(r"[a-z]+|[0-9]+", text.removeprefix("the ").replace("'", ""))
        short = [day for day in weekdays if day.startswith(words[-1])] if len(words[-1]) in (3, 4, 5) else []
        words[-1] = short[0] if len(short) == 1 else words[-1]
        if words[0] in ("in", "after", "for") and (hours := _span(" ".join(words[1:]).removeprefix("the next "))):
            return (today + timedelta(hours=float(hours))).isoformat()
        if far := beside_another(words):
            return far
        words = time["feasts"].get(" ".join(words), "").split() or words
        if len(words) > 1 and words[0].isdigit() and words[1].isdigit() and 1 <= int(words[1]) <= len(months):
            words = [f"{int(words[0])}", months[int(words[1]) - 1]]
        if len(words) == 1 and words[0][:3] in months and not words[0].isdigit():
            words = ["1", words[0]]
        year = (today + timedelta(days=ahead) for ahead in range(366))
        return next((day.isoformat() for day in year if is_named(day, words)), "")

    def beside_another(words: Sequence[str]) -> str:
        """Return the date of a day that is given relative to another date: "Monday week", "the Sunday after Christmas",
        "end of January"."""
        if len(words) > 2 and words[1] in ("after", "before") and (feast := read(" ".join(words[2:]))):
            way = 1 if words[1] == "after" else -1
            around = (date.fromisoformat(feast) + timedelta(days=way * each) for each in range(1, 8))
            return next(day.isoformat() for day in around if weekdays[day.weekday()] == words[0])
        if (words[-1] == "week" and len(words) == 2 and words[0] in weekdays) or words[:3] == ["a", "week", "on"]:
            named = read(words[0] if words[-1] == "week" else words[3])
            return (date.fromisoformat(named) + timedelta(weeks=1)).isoformat()
        if {"week", "weekend"} & {*words}:
            to_sunday = (weekdays.index("sunday") - today.weekday()) % 7
            return (today + timedelta(days=to_sunday + (words[0] != "end"))).isoformat()
        if words[:2] == ["end", "of"]:
            month = {"month": today.month, "year": 12}.get(words[-1]) or months.index(words[-1][:3]) + 1
            first = date(today.year + (month < today.month), month, 28) + timedelta(days=4)
            return (first.replace(day=1) - timedelta(days=1)).isoformat()
        return ""

    pattern = time["day"].replace("DAYS", "|".join(near + weekdays)).replace("MONTHS", time["months"])
    return Blank(pattern.replace("ORDINALS", numbered.pattern), read)


def taken_back(line: str, context: CommandContext) -> str:
    for row in _rows("back"):
        for words in row["words"]:
            if match := _pattern(words, _written(context)).fullmatch(line):
                return next(iter(_filled(row, match, context)), "")
    return ""


# --- corrections -----------------------------------------------------------------------------------------------------

_NUMBER = r"[-+]?[0-9]+(?:[.,][0-9]+)?"
_SORTS = (r"[^\s,;:]+@[^\s,;:]+", r"[0-9]{4}-[0-9]{2}-[0-9]{2}", r"[0-9][0-9:.]*-[0-9][0-9:.]*", _NUMBER)
_SIDE = re.compile(r"^(?:the|to|a|an|for|at)\s+|\s+(?:please|pls|thanks|instead)$|[.!]+$", re.IGNORECASE)


def corrected(command: Command, value: str, old: str, more: bool, context: CommandContext) -> Iterator[Command]:
    while (bare := _SIDE.sub("", value.strip())) != value:
        value = bare
    verb = command.line.split()[0].rstrip(":")
    if not (old or more) and (whole := context.exact(value)) and _alike(whole, command):
        yield whole
        return
    value = value[len(verb) :].strip() if value.lower().startswith(f"{verb.lower()} ") else value
    span = _span(value) if any(sign.isalpha() for sign in value) else ""
    own, found = command.line.partition(": ")[0], False
    for sort in (*_SORTS, context.blanks["SEAT"].pattern if "SEAT" in context.blanks else r"(?!)"):
        new = span if span and sort == _NUMBER else value
        apart = r"(?<![\w-]){}(?![\w-])" if sort == _NUMBER else r"(?<!\w){}(?!\w)"  # no part of a date
        for place in re.finditer(apart.format(sort), own, re.IGNORECASE) if re.fullmatch(sort, new, re.I) else ():
            if old and place[0].lower() != old.lower():
                continue
            put = f"{float(place[0]) + float(new):g}" if more and sort == _NUMBER else new
            if made := context.exact(command.line[: place.start()] + put + command.line[place.end() :]):
                yield made
                found = True
    if not (old or more or found) and (whole := context.exact(f"{verb} {value}")):
        yield whole


def _alike(one: Command, other: Command) -> bool:
    return one.line.split()[0] == other.line.split()[0] or one.subject == other.subject != ""
