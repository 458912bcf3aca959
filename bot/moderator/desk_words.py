"""The words of a game master: the blanks of plain lines, and what a line that is no command may be about.

`blanks` says how seats, spans, dates and the rest are written; a seat is named by its faction or its player. `offers`
fills the lines of the likeliest matters (`bot.language.matters`) with what a text names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import get_args

from bot.language.command_lines import (
    ADDRESS,
    NAMED_ADDRESS,
    Blank,
    Command,
    CommandContext,
    days_from,
    is_outburst,
    read_command,
    spans,
    times,
)
from bot.language.lines import LINE_END
from bot.language.matters import Matter, Weighed, known_words, opposites, spelt_right, weigh
from bot.language.names import FACTION_NAMES, fold_words
from bot.language.orders import Unread
from bot.language.vocabulary import vocabulary
from bot.store.acts import RIGHTS_AT_GAMES
from bot.table.press import known_players
from bot.table.table import Table
from rules.components import Faction, as_faction
from rules.components.facts import load_toml
from rules.orders import PhaseName

EVERYBODY = ("all", "table", "everybody", "everyone", "players", "all players")
PHASES: Sequence[str] = get_args(PhaseName)
_WORDS = load_toml("command-words.toml")
_DAYS: str = _WORDS["time"]["days"]
_PHASE_WORDS: Mapping[str, str] = _WORDS["phases"]
_PRONOUNS = ("him", "her", "them", "this player", "that player", "this seat", "that seat")


@dataclass(frozen=True, slots=True)
class Position:
    """The circumstances in which a line is read: the game, the seat that the answered letter was about, the seats whose
    press is muted, and the addresses of players by their names."""

    today: date
    table: Table | None
    about: Faction | None = None
    muted: Collection[Faction] = ()
    addresses: Mapping[str, str] = field(default_factory=dict)


def names_of(name: str) -> set[str]:
    return {name.lower(), name.lower().split()[0]}


def blanks(position: Position) -> dict[str, Blank]:
    table = position.table
    seats = _seats(position)
    seat = _any_of(seats)
    others = r"them all|all of (?:them|you|us)|all (?:two|three|four|five|six|[2-6])(?: of them)?|(?:all )?others"
    others += r"|whole (?:table|group)|the lot of them|group|folks|lads|alle[n]?|todos|tous"
    everybody = rf"(?:{others}|{'|'.join(sorted(EVERYBODY, key=len, reverse=True))})(?!\w)"

    def seats_in(text: str) -> str:
        if re.fullmatch(everybody, text, re.IGNORECASE):
            return "all"
        found = [seats[each.lower()] for each in re.findall(seat, text, re.IGNORECASE)]
        return ", ".join(found) if all(found) else ""

    return {
        "SEAT": Blank(seat, lambda text: seats.get(text.lower(), "")),
        "SEATS": Blank(rf"(?:{everybody}|{seat}(?:\s*(?:,|and|&)\s*(?:the\s+)?{seat})*)", seats_in),
        "SPAN": spans(),
        "ADDRESS": NAMED_ADDRESS,
        "OTHER": NAMED_ADDRESS,
        "DATE": days_from(position.today),
        "FIRST": days_from(position.today),
        "WORDS": Blank(r"\S.*"),
        "TURN": Blank(r"[0-9]{1,3}"),
        "PHASE": Blank(_any_of((*_PHASE_WORDS, *PHASES)), lambda text: _PHASE_WORDS.get(text.lower(), text.lower())),
        "PAST": Blank(_any_of(_PHASE_WORDS), lambda text: _past(_PHASE_WORDS[text.lower()], table)),
        "RIGHT": Blank(_any_of(RIGHTS_AT_GAMES), str.lower),
        "TIME": times(),
        "DAYOFF": Blank(
            rf"(?:{_DAYS}|weekend)s?(?:(?:\s*,\s*|\s+and\s+)(?:{_DAYS})s?)*", lambda text: _days_off(text, table)
        ),
        "PRESSMODE": Blank(r"(?:public|none|table)", str.lower),
        "NUMBER": Blank(r"[0-9]{1,3}"),
    }


def _any_of(words: Collection[str]) -> str:
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})(?!\w)"


def _seats(position: Position) -> dict[str, str]:
    table = position.table
    players = [(faction, names_of(name)) for faction, name in known_players(table)] if table else []
    every = Counter(name for _, names in players for name in names)
    seats: dict[str, str] = {name: of for of, names in players for name in names if every[name] == 1 and len(name) > 2}
    for faction, spelt in FACTION_NAMES.spelt():
        nicknames = vocabulary().nicknames["faction"].get(faction, ())
        seats |= {text.lower(): faction for text in (faction, *spelt, *nicknames)}
    seats |= dict.fromkeys(_PRONOUNS, position.about) if position.about else {}
    return {text: faction if table is None or faction in table.seats else "" for text, faction in seats.items()}


def _past(phase: str, table: Table | None) -> str:
    """Return the turn and phase that "the storm" or "the last battle" means: the latest one that has begun."""
    if table is None:
        return ""
    state = table.play.state
    turn = state.turn - (PHASES.index(phase) > PHASES.index(state.phase))
    return f"{turn} {phase}" if turn >= 1 else ""


def _days_off(text: str, table: Table | None) -> str:
    had = list(table.clock.get("days_off", ())) if table else []
    text = re.sub(r"weekends?", "saturday sunday", text, flags=re.IGNORECASE)
    found = [day.lower() for day in re.findall(_DAYS, text, re.IGNORECASE)]
    return ",".join(dict.fromkeys([*had, *found]))


# --- what a text names ------------------------------------------------------------------------------------------------

_BLANK = re.compile(r"\b[A-Z]{4,}\b|\{\w+\}")
_TURN = re.compile(
    r"\b(?:(?:turn|round) (?P<after>[a-z]+|\d{1,3})|(?P<before>[a-z]+|\d)(?:st|nd|rd|th)? (?:turn|round))\b", re.I
)
_TIME = re.compile(
    r"\b(?:\d{1,2}(?:[:.]\d\d| ?[ap]\.?m\b| ?o.clock)|noon|midnight|(?:at|by|until|till) (?:[a-z]+|\d{1,2}) "
    r"(?:tonight|tomorrow|today|in the (?:morning|afternoon|evening)|o.clock)|(?:at|by) \d{1,2}(?!\w)"
    r"|(?:morning|afternoon|evening|tonight)\b)",
    re.IGNORECASE,
)
_OF_DAY = {"morning": "09:00", "afternoon": "15:00", "evening": "20:00", "tonight": "20:00"}
_QUOTED = re.compile(r"[“\"](.+)[”\"]", re.DOTALL)
_SAYS = r"tell|told|inform|know|say|word|line|message|mail|letter|write|note|remember|mind|rul\w+|deci\w+|ask|warn\w*"
_SAID = re.compile(
    r"^(?P<head>[^:]{2,90}?)(?::\s+|(?<=\w)(?:,|\s)\s?(?:that|whether|saying|to say(?: that)?)\s)(?P<words>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_RECORD = re.compile(r"^(?:just )?for the record[,:]?\s*(?P<words>\S.*)$", re.IGNORECASE | re.DOTALL)
_TOO = re.compile(
    r"\b[\w.]+ \w+ (?:(?:per|a|each|every|for) \w+ )?(?:is|are|seems?) (?:much |far |a bit |way )?too\b", re.I
)
_TARGET = re.compile(
    r"\b(?:should|must|ought to|has to|needs to) (?:now )?(?:read|say|be|have|show)\b|\bset\b[^.]*\bto\b", re.I
)
_NOT = re.compile(r"\b(?:not|instead of|rather than) (?:just |only )?(?:\d|[a-z]+\b)", re.IGNORECASE)


def named_in(text: str, context: CommandContext, position: Position) -> dict[str, str]:
    found = _words_in(text)
    head = text.removesuffix(found.get("WORDS", "\0"))
    for part, blank in (("SEAT", "SEAT"), ("SEATS", "SEATS"), ("ADDRESS", "ADDRESS"), ("RIGHT", "RIGHT")):
        every = [each for each in _all(context.blanks[blank], head, 3) if each]
        found |= {part: every[0]} if every else {}
    seat = context.blanks["SEAT"]
    two = rf"(?P<one>{seat.pattern})\s+or\s+(?:the\s+)?(?P<other>{seat.pattern})"
    if either := re.search(two, head, re.IGNORECASE):
        found["EITHER"] = f"{seat.read(either['one'])}, {seat.read(either['other'])}"
    addresses = list(dict.fromkeys(_all(context.blanks["ADDRESS"], text)))
    found |= {"OTHER": addresses[1]} if len(addresses) > 1 else {}
    dates = _dates_in(head, context.blanks["DATE"])
    found |= {"DATE": dates[-1]} if dates else {}
    found |= {"FIRST": dates[0]} if len(dates) > 1 else {}
    found |= {"BACK": dates[-1]} if dates and _BACK.search(head) else {}
    found = {name: said for name, said in (found | _away_from(head, context.blanks["DATE"])).items() if said}
    found |= _span_in(head, context.blanks["SPAN"])
    if at := _time_in(head):
        found["TIME"] = at
    if days := [each for each in _all(context.blanks["DAYOFF"], head) if each]:
        found["DAYOFF"] = days[0]
    if position.about and "SEAT" not in found and re.search(r"\b(?:s?he|they)\b", head, re.IGNORECASE):
        found["SEAT"] = position.about
    if not dates and re.search(r"\b(?:until|till|til) (?!he|she|they|we|i\b)\w", head, re.IGNORECASE):
        found["LIMITED"] = "until"
    if elsewhere := _ELSEWHERE.search(head):
        found["ELSEWHERE"] = elsewhere["place"]
    return found | _moment_in(head, position.table) | _numbers_in(head)


_ELSEWHERE = re.compile(
    r"\b(?:in|to|at|through|off to) (?P<place>(?-i:[A-Z][a-z]{2,}))(?! (?:and|is|has)\b)(?!\w|['’.:])", re.IGNORECASE
)
_FROM = r"(?:from|starting|as of|beginning|leaves|leaving) (?:on )?"
_BACK = re.compile(r"\b(?:back|returns?|home|here again|plays again)(?: again)? (?:on|by|from|at)?\b", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:has|have|had|hasn.?t|haven.?t|been|heard|nothing|silent|quiet)\b[^,.;]*\b(?:for|in|since) (?:the )?$", re.I
)
"""Before a span that is over: "has not answered for three weeks"."""


def _all(blank: Blank, text: str, least: int = 1, before: re.Pattern[str] = re.compile(r"(?!)")) -> list[str]:
    """Return what a blank reads in a text; a name of fewer than ``least`` letters may be an article. What stands behind
    ``before`` is left out."""
    found = [each for each in re.finditer(blank.pattern, text, re.IGNORECASE) if len(each[0]) >= least]
    return [blank.read(each[0]) for each in found if not _follows(before, text, each)]


def _follows(before: re.Pattern[str], text: str, found: re.Match[str]) -> bool:
    return any(before.search(text[: found.start() + behind]) for behind in (0, len(found[0].split()[0]) + 1))


_RANGE = re.compile(
    rf"(?P<first>\d{{1,2}})(?:st|nd|rd|th)?\s*(?:to|till|until|through|[-–])\s*(?:the )?\d{{1,2}}(?:st|nd|rd|th)?"
    rf"(?: of)? (?P<month>(?:{_WORDS['time']['months']})[a-z]*)",
    re.IGNORECASE,
)


_WEEKDAY = rf"(?:{_DAYS}|mon|tues?|wed|thurs?|fri|sat|sun)"
_WEEKDAYS = re.compile(rf"\b(?P<first>{_WEEKDAY})\s*[-–]\s*(?P<last>{_WEEKDAY})\b", re.IGNORECASE)


def _away_from(text: str, blank: Blank) -> dict[str, str]:
    """Return the first and last day of "ten days from Friday", "from Friday to the 12th"; the last day is "" if there
    is none."""
    text = _each_with_month(text)
    if days := _WEEKDAYS.search(text):
        first, last = blank.read(days["first"]), blank.read(days["last"])
        return {"FIRST": first, "DATE": last if last >= first else f"{date.fromisoformat(last) + 7 * _DAY}"}
    if re.search(r"\bnext week\b", text, re.IGNORECASE) and not _BACK.search(text):
        return {"FIRST": (first := blank.read("next week")), "DATE": f"{date.fromisoformat(first) + 6 * _DAY}"}
    begins = re.search(rf"\b{_FROM}(?P<first>{blank.pattern})", text, re.IGNORECASE)
    first = blank.read(begins["first"]) if begins else ""
    if not (begins and first):
        return {}
    rest = re.sub(r"(?i)\bfor (?:the next )?[\w ]+? (?:days?|weeks?)\b", "", text.replace(begins[0], ""))
    later = [each for each in _dates_in(rest, blank) if each > first]
    return {"FIRST": first, "DATE": later[-1] if later else ""}


def _each_with_month(text: str) -> str:
    return _RANGE.sub(lambda dates: f"{dates['first']} {dates['month']} {dates[0]}", text)


def _dates_in(text: str, blank: Blank) -> list[str]:
    text = _each_with_month(text)
    dates = list(dict.fromkeys(filter(None, _all(blank, text, before=_PAST))))
    return dates[:1] + [date for date in dates[1:] if date > dates[0]][-1:]


def _span_in(text: str, blank: Blank) -> dict[str, str]:
    wanted = _TOO.sub("", text)
    spans = [
        (len(each[0]), each[0])
        for each in re.finditer(blank.pattern, wanted, re.IGNORECASE)
        if not _follows(_PAST, wanted, each)
    ]
    least = 0 if wanted != text else SHORTEST_SPAN
    read = [hours for length, span in spans if length >= least and (hours := blank.read(span))]
    return {"SPAN": read[-1]} if read else {}


SHORTEST_NAME = 4
SHORTEST_SPAN = 3
"""Characters: a bare number may count something else than hours."""


_OF_A_MAIL = re.compile(r"\b(?:mails?|messages?|letters?) that (?:was|were|is|has|had|came|got|you)\b", re.IGNORECASE)


def _words_in(text: str) -> dict[str, str]:
    if quoted := _QUOTED.search(text):
        return {"WORDS": quoted[1].strip()}
    found = _RECORD.match(text) or _SAID.match(text)
    if found and found.re is _SAID and not re.search(rf"\b(?:{_SAYS})\b", found["head"], re.IGNORECASE):
        return {}
    if found and found.re is _SAID and _OF_A_MAIL.search(f"{found['head']} that {found['words']}"):
        return {}
    return {"WORDS": found["words"].replace(LINE_END, " ").strip()} if found else {}


def _time_in(text: str) -> str:
    found = next(reversed(list(_TIME.finditer(text))), None)
    if found is None:
        return ""
    said_at = re.sub(r"^(?:at|by|until|till) ", "", found[0].lower())
    for word, at in _OF_DAY.items():
        if said_at == word:
            return at
    word = said_at.split()[0]
    named = times().read(word) if word in ("noon", "midnight") else ""
    return named or times().read(re.sub(r" (?:tonight|tomorrow|today)$", " in the evening", said_at)) or ""


def _moment_in(text: str, table: Table | None) -> dict[str, str]:
    """Return the turn and phase that a text names: "turn four", "the last battle"."""
    numbers = {**vocabulary().numbers, **vocabulary().ordinals}
    places = filter(None, (_TURN.match(text, place) for place in range(len(text))))
    turns = (found["after"] or found["before"] for found in places)
    numbered = (each for each in turns if each.isdigit() or each.lower() in numbers)
    turn = next((f"{numbers.get(each.lower(), each)}" for each in numbered), "")
    phases = (_PHASE_WORDS[each[0].lower()] for each in re.finditer(_any_of(_PHASE_WORDS), text, re.IGNORECASE))
    phase = next(phases, "")
    if turn or not phase:
        return ({"TURN": turn} if turn else {}) | ({"PHASE": phase} if phase else {})
    past = _past(phase, table).split() if re.search(r"\b(?:last|latest|that|just|this|whole)\b", text, re.I) else []
    return {"TURN": past[0], "PHASE": past[1]} if past else {"PHASE": phase}


def _numbers_in(text: str) -> dict[str, str]:
    numbers = vocabulary().numbers

    def value(word: str) -> int | None:
        return int(word) if word.isdigit() and len(word) < 4 else numbers.get(word.lower())

    found = [meant for word in fold_words(text) if (meant := value(word))]
    if len(found) == 2 and _NOT.search(text):
        more = found[0] - found[1]
        return {"NUMBER": f"{abs(more)}", "LESS": "-"} if more < 0 else {"NUMBER": f"{more}"}
    return {"NUMBER": f"{found[0]}"} if len(found) == 1 and not _TARGET.search(text) else {}


_JOINED = r"(?:\s*(?:,|and|&|or|as well as)\s*(?:the\s+|in\s+)?)"
_SPOKEN = re.compile(r"\b(?:that|saying|know|whether)\b|:", re.IGNORECASE)


def without_games(text: str, games: Collection[str]) -> str:
    """Leave out the names of games, except in words for others: "pause the ix game" is "pause the game"."""
    name = "|".join(map(re.escape, sorted(games, key=len, reverse=True)))
    several = rf"(?:both )?(?:{name})(?:{_JOINED}(?:{name}))*"
    cut = _SPOKEN.search(text)
    head, words = (text[: cut.start()], text[cut.start() :]) if cut else (text, "")
    if (
        cut
        and re.search(rf"\b(?:{_SAYS})\b", head, re.IGNORECASE)
        and not games_in(head, {each: each for each in games})
    ):
        return text
    head, rest = (head, words) if re.search(rf"(?<![\w.-])(?:{name})(?![\w-])", head, re.IGNORECASE) else (text, "")
    of = r"(?P<of>['’]s)?(?: (?:game|match|table))?(?![\w@-])"
    within = rf"\s+(?:in|for|of|at|over in|from|on|about) (?:the )?(?:game |match )?{several}{of}"
    alone = rf"(?<![\w.@-])(?:the )?(?:game |match )?{several}{of}"
    head = re.sub(within, "", head, flags=re.IGNORECASE)
    head = re.sub(alone, lambda found: _game_or_table(found[0], found["of"] or ""), head, flags=re.IGNORECASE)
    return head + rest


def _game_or_table(name: str, of: str) -> str:
    return f"the {'table' if name.lower().endswith(' table') else 'game'}{of}"


def games_in(text: str, games: Mapping[str, str]) -> list[str]:
    words = (word.rstrip(".-") for word in re.findall(r"[a-z0-9][a-z0-9.-]*", text.lower()))
    return list(dict.fromkeys(games[word] for word in words if word in games))


_TO_WHOM = re.compile(
    r"\b(?:give|gives|grant|allow|remind|mute|unmute|ban|unban|warn|excuse|replace|kick|tell|ask|nudge|for)\s+"
    r"(?P<name>(?-i:[A-Z][a-z]{2,}))(?!\w|\s*\S*@|\s(?-i:[A-Z]))",
    re.IGNORECASE,
)


def stranger_in(text: str, context: CommandContext) -> str:
    """Return the name of somebody to whom a text wants something done, but who is no player here."""
    head = text.removesuffix(_words_in(text).get("WORDS", "\0"))
    found = _TO_WHOM.search(head)
    named = any(re.search(context.blanks[each].pattern, head, re.IGNORECASE) for each in ("SEATS", "ADDRESS"))
    if found is None or named or found["name"].lower() in known_words() or context.blanks["DATE"].read(found["name"]):
        return ""
    return found["name"]


# --- what is offered ------------------------------------------------------------------------------------------------

LEAST, NEARLY = 3, 2  # the weight of a matter that is offered; how far below the best
MOST_OFFERED = 4
SHORTEST_HEAD = 2
"""Words before a colon or "that"; fewer of them say nothing of what the line does."""


@dataclass(frozen=True, slots=True)
class Offers:
    """Lines for what a text may be about: `whole` can be sent as they are (all of them if `together`), `open` lack
    what stands in capitals."""

    whole: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    together: bool = False


_AND = re.compile(r"\s*[,;.]?\s+(?:and then|and also|and|then|also|plus)\s+", re.IGNORECASE)
_LISTED = re.compile(r"\s*[,;.!]+\s+(?:(?:and|then|also)\s+)?|\s+(?:and|then)\s+", re.IGNORECASE)
SHORTEST_LIST = 3


_ASIDE = re.compile(
    r"^(?:good )?(?:morning|afternoon|evening|day)\b[ .,!]+|"
    r"\b(?:and )?stop (?:sending|reminding|nagging|bothering|writing|mailing)(?: to)? (?:me|us)\b[^.,;!?]*",
    re.IGNORECASE,
)
"""Greetings, and words about our letters to the writer."""


def offers(text: str, context: CommandContext, position: Position) -> Offers:
    """Return the lines for what a text may be about; for each clause if clauses are about different matters."""
    text = _ASIDE.sub("", text)
    named = re.sub(context.blanks["SEATS"].pattern, lambda seats: _LISTED.sub("/", seats[0]), text, flags=re.IGNORECASE)
    spoken = "WORDS" in named_in(text, context, position)
    for cut, least in () if spoken else ((_LISTED, SHORTEST_LIST), (_AND, 2)):
        clauses = [clause.replace("/", ", ") for clause in cut.split(named) if clause.strip()]
        found = _of_clauses(clauses, context, position) if len(clauses) >= least else None
        if found and (cut is _LISTED or not found.open):
            return found
    return _mended(text, context, position) or _offers(text, context, position)


def _mended(text: str, context: CommandContext, position: Position) -> Offers | None:
    names = frozenset(name for name, faction in _seats(position).items() if faction and len(name) >= SHORTEST_NAME)
    mended = spelt_right(text, names) if text == "".join(text.splitlines()) else text
    if mended == text:
        return None
    read = read_command(mended, context)
    if isinstance(read, Command) and text.split()[1:] == mended.split()[1:]:
        return None  # only its name is mistyped: a line below that has it right is carried out
    lines = (read.line,) if isinstance(read, Command) else read.suggestions
    return Offers(lines, (), isinstance(read, Unread) and read.together) if lines else None


def _of_clauses(clauses: Sequence[str], context: CommandContext, position: Position) -> Offers | None:
    whole: list[str] = []
    lacking: list[str] = []
    for clause in clauses:
        read = read_command(clause, context)
        lines = (read.line,) if isinstance(read, Command) else read.suggestions
        lacks = _offers(clause, context, position).open if not lines else ()
        if len(lines) > 1 or not (lines or lacks or is_outburst(clause)):
            return None
        if lines and is_so(lines[0], position):
            continue  # "take the default and go on"
        whole += lines
        lacking += lacks[:1]
    apart = len({line.split()[0] for line in (*whole, *lacking)}) == len(whole) + len(lacking)
    return Offers(tuple(whole), tuple(lacking), len(whole) > 1) if apart and not _contradict(whole) else None


def _contradict(lines: Sequence[str]) -> bool:
    verbs = {line.split()[0] for line in lines}
    return any(verbs >= {one.split()[0], other.split()[0]} for one, against in opposites().items() for other in against)


def _offers(text: str, context: CommandContext, position: Position) -> Offers:
    named = named_in(text, context, position)
    head = _without_words(text, named)
    bare = re.sub(ADDRESS.pattern, "him", text if len(head.split()) < SHORTEST_HEAD else head)
    bare = re.sub(context.blanks["SEAT"].pattern, lambda each: "him" if len(each[0]) > 2 else each[0], bare, flags=re.I)
    found = [_guess(each, named, context, position) for each in weigh(bare, {*named}) if each.weight >= LEAST]
    if "SEAT" not in named and _ONE_PERSON.search(head):
        found = [guess for guess in found if "SEAT" in guess.shape or "SPAN" not in guess.shape]
    likely = sorted(found, key=lambda guess: STANDS * _stands(guess.line, position) - guess.weight)
    kept: dict[str, _Guess] = {}
    for guess in likely:
        near = guess.weight >= likely[0].weight - NEARLY and len(kept) < MOST_OFFERED
        near &= (guess.strong and not guess.line.startswith("absent")) or not is_so(guess.line, position)
        if near and not any(guess.shape in opposites().get(other.shape, ()) for other in kept.values()):
            kept.setdefault(guess.line, guess)
    lines = list(dict.fromkeys(line for guess in kept.values() for line in _for_each_seat(guess, named)))
    whole = tuple(line for line in lines if not _BLANK.search(_without_words(line, named)) and context.exact(line))
    together = len(kept) == 1 < len(whole) and "EITHER" not in named
    return Offers(whole, tuple(line for line in lines if line not in whole), together)


_ONE_PERSON = re.compile(r"\b(?:give|gives|let|grant|allow|for) (?:him|her|this player|that player)\b", re.IGNORECASE)


def _without_words(line: str, named: Mapping[str, str]) -> str:
    return line.removesuffix(named.get("WORDS", "\0"))


@dataclass(frozen=True, slots=True)
class _Guess:
    """A line that a text may mean, and its `shape`: the line before its blanks were filled."""

    weight: int
    line: str
    shape: str
    strong: bool


def _guess(heard: Weighed, named: Mapping[str, str], context: CommandContext, position: Position) -> _Guess:
    matter = heard.matter
    values = _values(matter, named, context, position)
    shape = max(matter.lines, key=lambda line: _fits(line, values) - ("DATE" in _left_open(line, values)))
    line = _BLANK.sub(lambda blank: values.get(blank[0], blank[0]), shape)
    return _Guess(heard.weight + _fits(shape, values), line, shape, heard.strong)


def _values(matter: Matter, named: Mapping[str, str], context: CommandContext, position: Position) -> Mapping[str, str]:
    values = dict(named)
    values |= {f"{{{name}}}": fact for name, fact in context.facts.items()}
    parts = {part for line in matter.lines for part in _BLANK.findall(line)}
    if "ADDRESS" in parts and "SEAT" not in parts:
        seat = named.get("SEAT", "")
        known = position.table.seats[seat].address if position.table and seat in position.table.seats else ""
        two = [position.table.seats[each].address for each in _two_seats(named)] if position.table else []
        if "OTHER" in parts and len(two) > 1:
            values |= {"ADDRESS": two[0], "OTHER": two[1]}
        elif "OTHER" in parts and "ADDRESS" in named and known:
            values.setdefault("OTHER", known)
        elif known:
            values.setdefault("ADDRESS", known)
    if "FIRST" in parts:
        values |= _days_away(named, position.today)
    if "TURN" in named and "PHASE" not in named and parts >= {"TURN", "PHASE"}:
        values["PHASE"] = PHASES[1]
    return values


def _days_away(named: Mapping[str, str], today: date) -> Mapping[str, str]:
    """Return the last day of an absence: the day before somebody is back, or the last of so many days."""
    if "BACK" in named:
        return {"DATE": f"{date.fromisoformat(named['BACK']) - _DAY}"}
    if "DATE" in named or float(named.get("SPAN", 0)) < 24:
        return {}
    first = date.fromisoformat(named.get("FIRST", f"{today}"))
    return {"FIRST": f"{first}", "DATE": f"{first + timedelta(hours=float(named['SPAN'])) - _DAY}"}


def _left_open(line: str, values: Mapping[str, str]) -> set[str]:
    return {part for part in _BLANK.findall(line) if part not in values}


def _fits(line: str, values: Mapping[str, str]) -> int:
    parts = set(_BLANK.findall(line))
    seats, words = {"SEAT", "SEATS"} & parts, "WORDS" in parts
    fits = sum(part in values for part in parts) - len(_left_open(line, values) - {"WORDS", "DATE"})
    fits -= 2 * ("ADDRESS" in values and "ADDRESS" not in parts and not words)
    fits += 2 * ("LIMITED" in values and "DATE" in parts)
    fits -= 3 * ("SEAT" in values and "SPAN" in parts and not seats)
    fits -= "SEAT" in values and not seats and "ADDRESS" not in parts and not words
    fits -= "SPAN" in values and not parts & {"SPAN", "HOURS", "DATE", "NUMBER", "TURN", "WORDS"}
    return fits - ("LESS" in values and " +NUMBER" in line) - ("LESS" not in values and " -NUMBER" in line)


def _two_seats(named: Mapping[str, str]) -> list[Faction]:
    several = named.get("SEATS", "").split(", ")
    return [as_faction(each) for each in several] if len(several) == len("ab") else []


def _for_each_seat(guess: _Guess, named: Mapping[str, str]) -> list[str]:
    seats = named.get("EITHER", named.get("SEATS", "")).split(", ")
    if (
        len(seats) < 2
        or "SEATS" in guess.shape
        or not re.search(r"\bSEAT\b", guess.shape)
        or named.get("SEAT") not in seats
    ):
        return [guess.line]
    return [re.sub(rf"\b{named['SEAT']}\b", seat, guess.line, count=1) for seat in seats]


_DAY = timedelta(days=1)
STANDS = 4
"""Words of a game that stands still speak of what it is in: "resume the paused game"."""


def _stands(line: str, position: Position) -> bool:
    return line in ("pause", "resume", "hold", "release") and is_so(line, position)


def is_so(line: str, position: Position) -> bool:
    """Would a line do what is already done, or undo what is not done?"""
    table, words = position.table, line.split()
    if table is None:
        return False
    seat = table.seats.get(words[1].rstrip(":")) if len(words) > 1 else None
    stopped, waits = table.stopped_at is not None, table.on_hold is not None
    if words[0] in ("pause", "resume", "hold", "release"):
        return {"pause": stopped, "resume": not stopped, "hold": waits, "release": not waits}[words[0]]
    if seat is None:
        return False
    match words[0], words[-1]:
        case ("absent", "off"):
            return words[1] not in table.absences
        case ("caretaker", on):
            return seat.care == (on == "on")
        case ("sitter", "off"):
            return not seat.sitter
        case ("mute", _):
            return words[1] in position.muted
        case ("unmute", _):
            return words[1] not in position.muted
    return False
