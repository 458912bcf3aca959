"""Parse lines to the lobby in the exact form that `line_of` writes, and find the tables and factions that they name.

A table can be named by its id or the beginning of its id, by words of its title, its start day, its rules or its pace.
A line that names no table is about the table of the letter that it answers, or about the only table that it can mean.
Nothing is guessed: if several tables fit, all are returned. Wishes, a name, days and the settings of a table to open
can also be written in plain words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache, partial

import msgspec
from rapidfuzz.distance import OSA

from bot.competition.published import clean_given_name
from bot.language.command_lines import ADDRESS, FILE, Blank, days_from
from bot.language.lines import LIST_MARK
from bot.language.moves import agrees, declines, said
from bot.language.names import FACTION_NAMES, Found
from bot.language.plain_words import greets
from bot.language.vocabulary import vocabulary
from bot.lobby.requests import (
    NOT_NAMED,
    Calendar,
    Close,
    Confirm,
    Filters,
    Help,
    Invite,
    Join,
    Leave,
    ListTables,
    Meant,
    MyGames,
    NotMe,
    Open,
    OpenTable,
    Practice,
    Prolong,
    Rematch,
    Reply,
    Request,
    StandBy,
    Start,
    Stop,
    ToGameMaster,
    UseAddress,
    Value,
    Wait,
    WaitUntil,
    Weekly,
    Wish,
)
from bot.mail.identity import TOKEN_CHARS
from bot.wording import say
from rules.components import FACTIONS, Faction
from rules.components.facts import load_toml

ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*-[0-9]+", re.IGNORECASE)
SEATS = 6  # the seats of a table, including those of computer opponents
FARTHEST = 2  # the most typing errors in an id
LONGEST_WISHES = 8  # the most words that may be wishes on their own


class Known(Value, frozen=True):
    """The facts known about the writer of a line. ``tables`` are the tables that they may see, ``mine`` those where
    they sit or wait, and ``games`` their games. ``answers`` is the table or game whose letter they answer, and
    ``asked`` are the tables that wait for their yes or no. ``others`` are ids that a person can join but that are not
    tables here: events and ladders. A proposal stays valid while ``seen`` is unchanged."""

    today: date
    tables: tuple[OpenTable, ...] = ()
    mine: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    answers: str = ""
    asked: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    seen: str = ""


# --- the table that is meant -----------------------------------------------------------------------------------------


def find_table(words: str, known: Known, among: Collection[str] | None = None) -> Meant | None:
    """Return the tables that the words name; if ``among`` is given, only tables among those. Return None if one of the
    words describes no table."""
    ids = [table.id for table in known.tables]
    every = list(dict.fromkeys([*ids, *known.mine, *known.games, *known.others]))
    words = _SPACED.sub(lambda id: "-".join(id.groups()) if "-".join(id.groups()).lower() in every else id[0], words)
    tokens = [token for token in re.findall(r"[\w][\w.'-]*", words.lower()) if token not in words_of("fillers")]
    if not tokens:
        return NOT_NAMED
    exact = [each for each in every if each.lower() in tokens]
    if len(tokens) == 1 and exact:
        return Meant(tables=tuple(exact), words=tokens[0])
    if len(tokens) == 1 and ID.fullmatch(tokens[0]) and tokens[0] not in load_toml(FILE)["lobby-names"]["ruleset"]:
        return None if near_id(tokens[0], every) else Meant(tables=(tokens[0],), words=tokens[0])
    meant = [each for each in every if among is None or each in among] or every
    for fits in _criteria(words, known, every):
        if fits is None:
            return None
        meant = [each for each in meant if each in fits]
    return Meant(tables=tuple(meant), words=" ".join(tokens))


_SPACED = re.compile(r"\b([a-z][a-z-]*) ([0-9]{1,6})\b", re.IGNORECASE)  # "arrakeen 7"


def near_id(id: str, every: Sequence[str]) -> str:
    """Return the right id for a misspelt one, if exactly one id with the same number is similar to it. Otherwise return
    ""."""
    name, _, number = id.lower().rpartition("-")
    known = [(each, *each.lower().rpartition("-")[::2]) for each in every]
    near = [each for each, other, its in known if its == number and OSA.distance(other, name) <= FARTHEST]
    return near[0] if len(near) == 1 else ""


def _criteria(words: str, known: Known, every: Sequence[str]) -> Iterator[Collection[str] | None]:
    """For each part of the words, yield the tables that it describes, or None if the part describes no table."""
    rest = words.lower()
    day = days_of(known.today)
    for dated in list(re.finditer(rf"\b{day.pattern}", rest, re.IGNORECASE)):
        titled = {table.id for table in known.tables if dated[0] in table.title.lower().split()}
        yield titled | {table.id for table in known.tables if _starts_on(table) == day.read(dated[0])}
        rest = rest.replace(dated[0], " ", 1)
    rulesets, rest = named_in(rest, "ruleset")
    for name in rulesets:
        yield {table.id for table in known.tables if table.ruleset.startswith(name)}
    tempos, left = named_in(rest, "tempo")
    if tempos and not any(set(rest.split()) & set(table.title.lower().split()) for table in known.tables):
        yield {table.id for table in known.tables if table.tempo == tempos[0]}
        rest = left
    for token in re.findall(r"[\w][\w.'-]*", rest):
        if token not in words_of("fillers"):
            yield _fitting(token, known, every)


def _fitting(token: str, known: Known, every: Sequence[str]) -> Collection[str] | None:
    if token in ("last", "remaining", "final"):
        return {table.id for table in known.tables if table.free == 1}
    if token in ("next", "first"):
        free = [table for table in known.tables if table.free and table.id not in known.mine]
        return {min(free, key=lambda table: (table.free, table.opened)).id} if free else set()
    titled = {table.id for table in known.tables if token in re.findall(r"[\w'-]+", table.title.lower())}
    begun = {each for each in every if len(token) >= 3 and each.lower().startswith(token)}
    opened = {table.id for table in known.tables if token.removesuffix("'s") == table.opener.lower()}
    return begun | titled | opened or None


def _starts_on(table: OpenTable) -> str:
    return (table.starts_at or table.until).date().isoformat()


def named_in(text: str, kind: str) -> tuple[list[str], str]:
    found: list[str] = []
    for name, words in load_toml(FILE)["lobby-names"][kind].items():
        pattern = rf"(?<![\w.-])(?:{words}|{re.escape(name)})(?![\w-])"
        if re.search(pattern, text, re.IGNORECASE):
            found.append(name)
            text = re.sub(pattern, " ", text, flags=re.IGNORECASE)
    if len(found) == 1 and (level := _LEVEL.search(text)) and f"{found[0]}-{level[1].lower()}" in _rule_sets(found[0]):
        return [f"{found[0]}-{level[1].lower()}"], f"{text[: level.start()]} {text[level.end() :]}"
    return found, text


_LEVEL = re.compile(
    r"\b(basic|advanced|optional)\b(?: (?:rules|game|version))?", re.IGNORECASE
)  # "2019 rules, advanced"


@cache
def words_of(kind: str) -> frozenset[str]:
    return frozenset(load_toml(FILE)["lobby-names"][kind])


@dataclass(frozen=True, slots=True)
class _Tables:
    known: Known

    def knows(self, id: str) -> bool:
        return any(table.id == id.lower() for table in self.known.tables)

    def meant(self, words: str, among: Sequence[str] = (), *, joins: bool = False) -> Meant | None:
        known = self.known
        words = words.strip(" ,.!")
        if excluded := re.fullmatch(r"other than (?P<table>.+)", words, re.IGNORECASE):
            named = find_table(excluded["table"], known)
            ids = among or [table.id for table in known.tables]
            return named and Meant(tables=tuple(each for each in ids if each not in named.tables), words=words)
        named = find_table(words, known, among) if words else NOT_NAMED
        if named is None or named.words:
            return named
        if known.answers and (joins or not among or known.answers in among):
            return Meant(tables=(known.answers,))
        ids = [table.id for table in known.tables if table.id not in known.mine] if joins else among
        return Meant(tables=tuple(ids))


# --- wishes, names, settings -----------------------------------------------------------------------------------------


def read_wishes(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the factions that a text wishes for, written like `preferences`, and the words in it that name no faction.
    Return None if the text names no faction at all.

    >>> read_wishes("the Guild or emperor, then anything"), read_wishes("anything but Harkonnen")
    (('guild = emperor, *', ()), ('*, harkonnen', ()))
    """
    text = _RANK.sub(" ", text)
    text = re.sub(r"^(?:the|as|play|be)\s+|\s+(?:please|faction)$", "", text.strip(" .!,"), flags=re.IGNORECASE)
    last = _BUT.fullmatch(text)
    text = last["last"] if last else text
    for pattern, sign in _JOINTS:
        text = pattern.sub(sign, text)
    groups: list[str] = []
    unknown: list[str] = []
    named = set[str]()
    for part in re.split(r"\s*[,;>]\s*", text.strip(" ,;")):
        group = []
        for one in filter(None, (each.strip() for each in part.split("="))):
            faction = "*" if one == "*" else faction_of(one)
            unknown += [] if faction else [one]
            group += [faction] if faction and faction not in named else []
            named |= {faction} if faction else set()
        groups += [" = ".join(group)] if group else []
    if not groups or (unknown and not named - {"*"}):
        return None
    return ", ".join(["*", *groups] if last else groups), tuple(unknown)


def read_worths(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the worths that a text gives for factions, in canonical form, and its words that name no faction. Return
    None if the text gives no worths.

    >>> read_worths("I'd pay 4 for the Guild, 2 for Emperor, nothing for the rest")
    ('guild 4, emperor 2', ())
    >>> read_worths("guild and fremen 3 each, all others one"), read_worths("guild 4, emperor")
    (('guild 3, fremen 3, * 1', ()), None)
    """
    text = re.sub(r"(?<=[^\W\d])(?:\s*(?:[:=–—]|-\s)|-(?=[0-9]))\s*", " ", f" {text.lower()} ")
    found = _paired(text) or [pair for part in _apart(text) for pair in _paired(part) or [("", "")]]
    if not found or ("", "") in found:
        return None
    known = {each: each if each == "*" else faction_of(each) for each, _ in found}
    rest = next((number for each, number in found if each == "*"), "0")
    worths = [f"{known[each]} {number}" for each, number in found if known[each] not in (None, "*") and number != rest]
    worths += [f"* {rest}"] if rest != "0" or not worths else []
    unknown = tuple(each for each, name in known.items() if name is None)
    return (", ".join(worths), unknown) if len(unknown) < len(known) else None


def _paired(text: str) -> list[tuple[str, str]]:
    parts = re.split(rf"(?<![\w.,-])(-?[0-9]+(?:[.,][0-9]+)?|{'|'.join(worth_words())})(?![\w-])", text)
    named, numbers = [_worthy(part) for part in parts[::2]], parts[1::2]
    named = named[1:] if not named[0] else named[:-1] if not named[-1] else []
    if not numbers or len(named) != len(numbers) or not all(named):
        return []
    whole = [worth_words().get(number, number) for number in numbers]
    return [(each, number) for several, number in zip(named, whole, strict=True) for each in several]


def _apart(text: str) -> list[str]:
    parts = re.split(r"[,;]\s|[.!]\s|\s(?:and|but|then)\s", text)
    return [part for part in parts if _worthy(part) not in ([], ["*"])]


def _worthy(part: str) -> list[str]:
    """Return the names in one part of a text, with `*` for "all others". A name that may or may not be a faction is
    returned as it is written."""
    part = re.sub(words_for_rest(), " * ", part)
    found: list[str] = []
    for name in re.split(r"[,;&/.!]|\s(?:and|or|und|oder)\s", part):
        words = [word for word in re.findall(r"[\w'*-]+", name) if word not in words_of("beside-worths")]
        found += [" ".join(words)] if words else []
    return found


@cache
def words_for_rest() -> str:
    return str(load_toml(FILE)["lobby-names"]["worth-of-rest"])


@cache
def worth_words() -> Mapping[str, str]:
    named = {word: str(number) for word, number in vocabulary().numbers.items()}
    return named | dict.fromkeys(load_toml(FILE)["lobby-names"]["worth-nothing"], "0")


_BUT = re.compile(
    r"(?:(?:any(?:thing|one|body| faction)?|everything|everybody|everyone|all|whatever|whoever)\s+"
    r"(?:but|except(?: for)?|other than|apart from)|(?:just |rather )?(?:not|no)(?: be| play| get)?)"
    r"(?: the)? (?P<last>.+)",
    re.IGNORECASE,
)
_RANK = re.compile(
    r"\b(?:(?:as |is |would be )?(?:my |a )?(?:first|1st|second|2nd|third|3rd|top|next|last|absolute) "
    r"(?:choice|pick|preference|wish|favou?rite)|(?:my )?favou?rite)(?: (?:is|are|would be))?\b:?",
    re.IGNORECASE,
)
_JOINTS = (
    (re.compile(r"[\s,;]*\b(?:and )?then\b[\s,;]*", re.IGNORECASE), ", "),
    (re.compile(r"\b(?:whatever|anything|anyone|any|the rest|all others|the others)\b", re.IGNORECASE), "*"),
    (re.compile(r"\s*(?:\b(?:or|oder|ou)\b|/)\s*", re.IGNORECASE), " = "),
    (re.compile(r",?\s+(?:and|und|et|y)\s+", re.IGNORECASE), ", "),
    (re.compile(r"(?<![\w])the\s+", re.IGNORECASE), ""),
)


def faction_of(text: str) -> Faction | None:
    found = FACTION_NAMES.find(text) if len(text) > 1 else None
    if isinstance(found, Found):
        return found.value
    near = [
        each for each in FACTIONS if len(text) >= 5 and OSA.distance(each, text.lower().replace(" ", "-")) <= FARTHEST
    ]
    return near[0] if len(near) == 1 else None


def given_name(text: str) -> str:
    if text.split()[:1] and text.split()[0].lower() in words_of("no-names"):
        return ""
    return "" if said(text).has("doubt") else clean_given_name(re.sub(r"\s+from now on$", "", text.strip(" .!")))


_NAMED = re.compile(
    r"(?:^|[\s,;.]+)(?:and )?(?:i'?m|i am|call me|my name is|named?|ich bin|je suis|soy)\s+"
    r"(?P<name>[^\s,;][^,;]{0,60})$",
    re.IGNORECASE,
)
_TAIL = re.compile(r"[\s,;]+(?P<verb>as|with|preferably|ideally|als|comme|como)\s+(?P<words>\S.*)", re.IGNORECASE)


def split_seat(text: str) -> tuple[str, str, str, tuple[str, ...]]:
    """Split "arrakeen-7 as guild or emperor, I'm Ann" into the table, the wishes, a name, and the words that name no
    faction."""
    name, wishes = "", ""
    unknown: tuple[str, ...] = ()
    if named := _NAMED.search(text):
        name, text = given_name(named["name"]), text[: named.start()]
    while tail := _TAIL.search(f" {text}"):
        words, text = tail["words"], f" {text}"[: tail.start()].strip()
        first, second = ([*re.split(r"[\s,;]+(?:as|with)\s+", words, maxsplit=1), ""])[:2]
        called, _, bids = first.partition(",")
        if read_wishes(called) is None and given_name(called) and read_worths(bids):
            name, first = name or given_name(called), bids
        for part in filter(None, (first, second)):
            if (read := read_worths(part) or read_wishes(part)) is not None:
                wishes, unknown = read
            elif not name and (made := given_name(part)):
                name = made
            else:
                unknown = (*unknown, re.sub(r"^(?:the|an?)\s+|\s+please$", "", part, flags=re.IGNORECASE))
    first, _, rest = text.partition(" ")
    if ID.fullmatch(first.strip(",:;")) and (sells := read_worths(rest)):
        text, (wishes, unknown) = first.strip(",:;"), sells
    return text.strip(), wishes, name, unknown


@cache
def _numbers() -> Mapping[str, float]:
    words = load_toml(FILE)["numbers"] | vocabulary().numbers
    return {word: number for word, number in words.items() if 2 <= number <= 12}


def _number(said: str) -> int:
    return 1 if said.lower() == "one" else int(_numbers().get(said.lower()) or said)


@cache
def _players() -> re.Pattern[str]:
    count = rf"(?:[0-9]{{1,2}}|one(?=[- ](?:player|person|seat))|{'|'.join(_numbers())})"
    return re.compile(
        rf"(?<![\w.-])(?:(?P<few>{count})\s*(?:-|–|to|or|oder|ou|o)\s*)?(?P<many>{count})(?![\w-]|\.\w)"
        r"(?:[\s-]+(?:players?|people|seats?|seaters?|humans?|persons?|of us|spieler|joueurs|jugadores))?",
        re.IGNORECASE,
    )


_TITLE = re.compile(r"(?:\btitled?:?\s*)?\"(?P<title>[^\"]{1,60})\"", re.IGNORECASE)
_LIKE = re.compile(r"\b(?:(?:same|just)\s+)?(?:as|like)\s+(?P<table>[\w-]+(?: (?:game|table))?)", re.IGNORECASE)
_BEGINS = (
    r"\b(?:(?:starts?|starting|begins?|beginning|ends?|ready|full|kick(?:s|ing)?[ -]off|go(?:es|ing)?|first turn)"
    r"(?:\s+(?:by|on|before|until|till|around|about|from|in|after|the)(?: the)?)?"
    r"|by|on|until|till|before|from|around|no later than|bis|am|avant|antes de)"
)


_PER = re.compile(
    r"\b(?:\w+ (?:or|to) )?\w+[ -](?:days?|hours?|weeks?|h)\s+(?:a|an|per|each|for each|every|to a)\s+"
    r"(?:turn|move|phase|step|round|player|answer)\b",
    re.IGNORECASE,
)  # a pace spreads the steps of a game; no table has steps of its own


def read_settings(text: str, known: Known) -> tuple[Open, str]:
    """Return the table that a description in words asks for, and the words that describe no setting."""
    found: dict[str, object] = {}
    mistakes: list[str] = []

    def cut(match: re.Match[str]) -> str:
        return f"{text[: match.start()]} {text[match.end() :]}"

    if titled := _TITLE.search(text):
        found["title"], text = clean_given_name(titled["title"]), cut(titled)
    if dated := re.search(rf"{_BEGINS}\s+(?P<day>{days_of(known.today).pattern})(?!\w)", text, re.IGNORECASE):
        day = _date(dated["day"], known)
        found["by"], text = day, cut(dated)
        mistakes += [] if day else [say("lobby-mistake.day", day=dated["day"])]
    if (like := _LIKE.search(text)) and (meant := find_table(like["table"], known)) and meant.words:
        found["like"], text = meant, cut(like)
    text = _PER.sub(" ", text)
    for kind in ("ruleset", "tempo"):
        names, text = named_in(text, kind)
        found |= {kind: names[0]} if names else {}
        mistakes += [say("lobby-mistake.several", names=names)] if len(names) > 1 else []
    for name, pattern, value in _settings():
        while given := pattern.search(text):
            found[name], text = given[1].lower() if value is None else value, cut(given)
    if players := _players().search(text):
        numbers = [_number(each) for each in players.groups() if each]
        found |= {"most": max(numbers)} | ({"fewest": min(numbers)} if len(numbers) > 1 else {})
        text = cut(players)
        if found.get("opponents") and len(numbers) == 1 and numbers[0] < SEATS:  # "four of us and two computers"
            others = _players().search(text)
            found |= {"most": SEATS, "fewest": numbers[0]}
            text = cut(others) if others else text
    if asked := str(found.get("reliability", "")):
        found["reliability"] = float(asked.rstrip("%")) / (100 if asked.endswith("%") else 1)
    left = [word for word in re.findall(r"[\w'-]+", text.lower()) if word not in words_of("beside-settings")]
    if (family := found.get("ruleset")) and (several := _rule_sets(str(family))):
        mistakes.append(say("lobby-mistake.family", name=family, names=several))
        del found["ruleset"]
    return msgspec.convert(found | {"mistakes": tuple(mistakes)}, Open), " ".join(left)


def _rule_sets(family: str) -> list[str]:
    every = load_toml(FILE)["lobby-names"]["ruleset"]
    return [name for name in every if name.startswith(f"{family}-")]


@lru_cache(maxsize=8)
def days_of(today: date) -> Blank:
    """Return the blank for a day in any form known to the desk, or for the start of a month, in four languages."""
    own, foreign = days_from(today), load_toml(FILE)["lobby-names"]["calendar"]
    months = "|".join(f"{date(2000, month, 1):%B}" for month in range(1, 13))
    names = "|".join(sorted(map(re.escape, foreign), key=len, reverse=True))
    short = "|".join(f"{date(2000, month, 1):%b}[a-z]*" for month in range(1, 13))
    ordinals = "|".join(vocabulary().ordinals)
    next_month = date(today.year + today.month // 12, today.month % 12 + 1, 1)

    def read(text: str) -> str:
        if re.fullmatch("next month", text, re.IGNORECASE):
            return next_month.isoformat()
        whole = re.fullmatch(rf"(?:{dated})", text.strip(), re.IGNORECASE)
        text = re.sub(rf"(?<!\w)(?:{names})(?!\w)", lambda word: foreign[word[0].lower()], text, flags=re.IGNORECASE)
        text = re.sub(
            rf"\b(?:{ordinals})\b", lambda word: f"{vocabulary().ordinals[word[0].lower()]}", text, flags=re.I
        )
        text = re.sub(r"\b(?:de|of|\.)\s+|(?<=[0-9])\.", " ", text)
        if whole:
            return _in_year(text)
        month = re.fullmatch(
            rf"(?:(?P<mid>mid|the middle of)[ -]|early |(?:the )?(?:end|start) of )?({months})", text, re.I
        )
        return own.read(f"{15 if month['mid'] else 1} {month[2]}" if month else " ".join(text.split()))

    dated = rf"[0-9]{{1,2}}(?:st|nd|rd|th|\.)?(?: of| de)? (?:{names}|{short})\.?,? [0-9]{{4}}"
    dated += rf"|(?:{names}|{short})\.? [0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{4}}"
    other = (
        rf"{dated}|(?:[0-9]{{1,2}}\.?(?: de)? )?(?:{names})|[0-9]{{1,2}}\. (?:{months})|(?:mid[ -]|early )?(?:{months})"
        rf"|(?:{ordinals}) (?:of )?(?:{months})|next month"
    )
    return Blank(rf"(?:{other}|{own.pattern})", read)


def _in_year(text: str) -> str:
    words = re.findall(r"[a-z]{3,}|[0-9]+", text.lower())
    numbers = [int(word) for word in words if word.isdigit()]
    months = [month for month in range(1, 13) for word in words if f"{date(2000, month, 1):%b}".lower() == word[:3]]
    try:
        return date(numbers[-1], months[0], numbers[0]).isoformat()
    except (IndexError, ValueError):
        return ""


def is_day(text: str, today: date) -> bool:
    return re.fullmatch(days_of(today).pattern, text, re.IGNORECASE) is not None


def _date(text: str, known: Known) -> date | None:
    try:
        return date.fromisoformat(days_of(known.today).read(text))
    except ValueError:
        return None


@cache
def _settings() -> Sequence[tuple[str, re.Pattern[str], object]]:
    rows = load_toml(FILE)["lobby-settings"]
    return [
        (row["name"], re.compile(rf"(?<![\w-]){row['words']}(?![\w-])", re.IGNORECASE), row.get("value"))
        for row in rows
    ]


def read_filters(text: str) -> Filters | None:
    rulesets, text = named_in(text.lower(), "ruleset")
    tempos, text = named_in(text, "tempo")
    soon = re.search(r"\bsoon\b", text) is not None
    left = re.findall(r"[\w'-]+", re.sub(r"\b(?:soon|and|or|a|an|any|in|with)\b", " ", text))
    return None if left else Filters(ruleset="".join(rulesets[:1]), tempo="".join(tempos[:1]), soon=soon)


# --- the forms of a line ---------------------------------------------------------------------------------------------

Reader = Callable[[str, _Tables], Request | None]


def _list(rest: str, tables: _Tables) -> Request | None:
    filters = read_filters(rest.strip(" .!?"))
    return None if filters is None else ListTables(filters=filters)


def _join(rest: str, tables: _Tables) -> Request | None:
    where, wishes, name, unknown = split_seat(rest)
    where, word = where.strip(" .!"), ""
    first, _, second = where.partition(" ")
    hidden = re.fullmatch(r"[\w-]{3,40}", second) and not tables.knows(first)
    if ID.fullmatch(first) and (hidden or re.fullmatch(r"[0-9a-f]{8}", second)):
        where, word = first, second  # the password of a private table, which the writer cannot see, or of an invitation
    meant = tables.meant(where, joins=True)
    return Join(table=meant, wishes=wishes, name=name, word=word, unknown=unknown) if meant else None


def _leave(rest: str, tables: _Tables) -> Request | None:
    rest = rest.strip(" .!")
    if re.fullmatch(r"(?:all|both|everything|all of them|both of them)(?: (?:games|tables))?", rest, re.IGNORECASE):
        return Leave(every=True)
    meant = tables.meant(rest, tables.known.mine)
    return Leave(table=meant) if meant else None


def _wait(rest: str, tables: _Tables) -> Request | None:
    off = re.match(r"off\b\s*(?:the list)?\s*", rest, re.IGNORECASE)
    rest = rest[off.end() :] if off else re.sub(r"^(?:for|at)\s+", "", rest)
    meant = tables.meant(rest, tables.known.mine) if off else tables.meant(rest, joins=True)
    return Wait(table=meant, wanted=not off) if meant else None


def _standby(rest: str, tables: _Tables) -> Request | None:
    rest = rest.strip(" .!,")
    if rest.lower() in ("off", "no", "end", "stop"):
        return StandBy(wanted=False)
    before, day, given = _day(rest, tables, r"not before|from|after|not until")
    filters = read_filters(re.sub(r"\b(?:everywhere|anywhere|for)\b", " ", before))
    return None if filters is None or (given and not day) else StandBy(filters=filters, not_before=day)


def _wish(rest: str, tables: _Tables) -> Request | None:
    words, meant = _at(rest, tables)
    read = (read_worths(words) or read_wishes(words)) if meant else None
    return Wish(table=meant, wishes=read[0], unknown=read[1]) if meant and read else None


def _worth(rest: str, tables: _Tables) -> Request | None:
    words, meant = _at(rest, tables, sells_at(tables.known))
    read = read_worths(words) if meant else None
    return Wish(table=meant, wishes=read[0], unknown=read[1]) if meant and read else None


def sells_at(known: Known) -> Sequence[str]:
    there = {*known.mine, known.answers}
    sold = [table.id for table in known.tables if table.factions == "auction"]
    return [table for table in sold if table in there] or (sold if len(sold) == 1 else [])


def _call(rest: str, tables: _Tables) -> Request | None:
    words, meant = _at(rest, tables)
    name = given_name(words)
    return Wish(table=meant, name=name) if meant and name else None


def _open(rest: str, tables: _Tables) -> Request | None:
    game = _GAME.match(rest)
    if game is None:
        return None
    before, after = game["before"].strip(), rest[game.end() :]
    wanted, left = read_settings(f"{before}, {after}" if before else after, tables.known)
    if left and (before or ":" not in game[0]):
        return None
    mistakes = (*wanted.mistakes, *([say("lobby-mistake.unknown", words=left)] if left else []))
    return msgspec.structs.replace(wanted, form=wanted == Open() and not left, mistakes=mistakes)


_GAME = re.compile(
    r"(?:an?\s+|another\s+|my own\s+)?(?:new\s+)?(?P<before>(?:(?!the\b)[\w.-]+,?\s+){0,6}?)(?:game|table)\b[\s:,]*",
    re.IGNORECASE,
)


def _invite(rest: str, tables: _Tables) -> Request | None:
    addresses = [found.lower().rstrip(".") for found in re.findall(ADDRESS.pattern, rest)]
    left = re.sub(rf"{ADDRESS.pattern}|\b(?:and|to|und|et|y)\b|[\s,;<>]+", " ", rest).strip(" .!")
    meant = tables.meant(left, tables.known.mine)
    return Invite(table=meant, addresses=tuple(dict.fromkeys(addresses))) if meant and addresses else None


def _start(rest: str, tables: _Tables) -> Request | None:
    computers = re.search(r"\bwith (?:the |an? )?(?:computers?|bots?|opponents?)\b", rest, re.IGNORECASE)
    words = rest.replace(computers[0], " ") if computers else rest
    meant = tables.meant(re.sub(r"\bnow\b", " ", words), tables.known.mine)
    return Start(table=meant, opponents=computers is not None) if meant else None


def _hold(rest: str, tables: _Tables) -> Request | None:
    before, day, given = _day(rest, tables, r"until|till|to|bis")
    meant = tables.meant(before, tables.known.mine)
    return WaitUntil(table=meant, until=day) if meant and (day or not given) else None


def _prolong(rest: str, tables: _Tables) -> Request | None:
    meant = tables.meant(rest, tables.known.mine)
    return Prolong(table=meant) if meant else None


def _close(rest: str, tables: _Tables) -> Request | None:
    meant = tables.meant(rest, tables.known.mine) if rest.strip(" .!") else None
    return Close(table=meant) if meant else None


def _rematch(rest: str, tables: _Tables) -> Request | None:
    meant = tables.meant(rest, tables.known.games)
    return Rematch(table=meant) if meant else None


def _reply(rest: str, tables: _Tables, *, yes: bool) -> Request | None:
    before, day, given = _day(rest, tables, r"not before|not until")
    meant = tables.meant(before, tables.known.asked)
    if meant is None or (given and not day) or (before.strip(" .!,") and not meant.words):
        return None
    return Reply(yes=yes, table=meant, not_before=day)


def _confirm(rest: str, tables: _Tables) -> Request | None:
    code = rest.strip(" .!\"'<>[]#").lower().removeprefix("code").strip(" :")
    return Confirm(code=code) if not code or re.fullmatch(rf"[a-z0-9]{{4,{2 * TOKEN_CHARS}}}", code) else None


def _stop(rest: str, tables: _Tables) -> Request | None:
    what = rest.strip(" .!").lower()
    return Stop(letters="weekly" if what == "weekly" else "tables") if what in ("", "weekly", "letters") else None


def _calendar(rest: str, tables: _Tables) -> Request | None:
    what = rest.strip(" .!").lower()
    return Calendar(weekly=what == "weekly") if what in ("", "weekly") else None


def _practice(rest: str, tables: _Tables) -> Request | None:
    before, _, side = f" {rest.strip(' .!')} ".partition(" as ")
    rulesets, left = named_in(before.lower(), "ruleset")
    faction = faction_of(side.strip().removeprefix("the ")) if side else ""
    return None if left.strip() or faction is None else Practice(ruleset="".join(rulesets[:1]), faction=faction)


def _question(rest: str, tables: _Tables) -> Request | None:
    return ToGameMaster(text=rest) if rest.strip() else None


def _bare(request: Request) -> Reader:
    return lambda rest, tables: None if rest.strip(" .!?") else request


def _at(rest: str, tables: _Tables, among: Sequence[str] = ()) -> tuple[str, Meant | None]:
    among = among or tables.known.mine
    named = re.search(r"\s+(?:at|in|for)\s+(?P<table>\S.*)$", rest, re.IGNORECASE)
    meant = tables.meant(named["table"], among) if named else None
    if named and meant:
        return rest[: named.start()], meant
    return rest, tables.meant("", among)


def _day(rest: str, tables: _Tables, words: str) -> tuple[str, date | None, bool]:
    """Cut a day off the end of a line. Return the text before it, the day, and whether the line seemed to name one."""
    before = rf"[\s,]*(?:\b(?:but|only)\s+)?\b(?:{words})"
    found = re.search(rf"{before}\s+(?P<day>\S.*?)[ .!]*$", f" {rest}", re.IGNORECASE)
    if found is None:
        return rest, None, False
    is_day = re.fullmatch(days_of(tables.known.today).pattern, found["day"], re.IGNORECASE)
    day = _date(found["day"], tables.known) if is_day else None
    return (f" {rest}"[: found.start()].strip() if day else rest), day, True


_FORMS: Mapping[str, tuple[str, Reader]] = {
    "games": ("list openings", _list),
    "join": ("enter", _join),
    "leave": ("withdraw", _leave),
    "wait": ("waitlist", _wait),
    "standby": ("stand-by", _standby),
    "wishes": ("preferences", _wish),
    "worths": ("worth bid", _worth),
    "name": ("", _call),
    "open": ("", _open),
    "invite": ("", _invite),
    "start": ("", _start),
    "hold": ("", _hold),
    "prolong": ("", _prolong),
    "close": ("", _close),
    "rematch": ("revanche", _rematch),
    "yes": ("accept", partial(_reply, yes=True)),
    "no": ("decline", partial(_reply, yes=False)),
    "confirm": ("", _confirm),
    "not me": ("", _bare(NotMe())),
    "my games": ("", _bare(MyGames())),
    "stop": ("unsubscribe", _stop),
    "weekly": ("", _bare(Weekly())),
    "calendar": ("ical", _calendar),
    "practice": ("practise", _practice),
    "use this address": ("", _bare(UseAddress())),
    "help": ("commands", _bare(Help())),
    "question": ("", _question),
}
"""For each form: its verb, other words for the verb, and the function that reads what follows it."""

VERBS = {word: read for verb, (others, read) in _FORMS.items() for word in (verb, *others.split())}
_VERB = re.compile(
    rf"(?P<verb>{'|'.join(sorted(map(re.escape, VERBS), key=len, reverse=True))})(?![\w'-])[:,]?\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)


def read_line(text: str, known: Known) -> Request | None:
    if mark := LIST_MARK.match(text):
        text = text[mark.end() :]
    if bold := re.fullmatch(r"([*_]+)(\S.*)\1", text):
        text = bold[2]
    greeting = greets(text) or text.lower().strip(" .!,") == "please"
    if not greeting and (agrees(text) or declines(text)) and text.lower().strip(" .!") != "confirm":
        return _reply("", _Tables(known), yes=agrees(text))
    found = _VERB.fullmatch(text.strip())
    if found is None:
        worth = _worth(text, _Tables(known)) if sells_at(known) else None
        if isinstance(worth, Wish) and not worth.unknown:
            return worth
        read = read_wishes(text) if len(text.split()) <= LONGEST_WISHES else None
        if read is None or read[1]:
            return None
        return Wish(wishes=read[0], table=_Tables(known).meant("", known.mine) or NOT_NAMED)
    return VERBS[found["verb"].lower()](found["rest"], _Tables(known))
