"""What a game master's plain words mean: the names in them, and the commands that they may ask for.

`blanks` reads what can fill a part of a command: a seat (named by its faction or its player), a length of time, a date
and so on. If a line is not a command, `offers` finds the likeliest matters that it may be about
(`bot.language.matters`), and writes their commands with what the line names filled in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import get_args

from bot.language.attempts import name_at
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
from bot.language.matters import (
    SENTENCE,
    Matter,
    Near,
    as_phrase,
    asks_for_nothing,
    clear_matter,
    forbids,
    known_words,
    lacks,
    nearest,
    opposites,
    spelt_right,
)
from bot.language.names import FACTION_NAMES, fold_words
from bot.language.orders import Unread
from bot.language.vocabulary import vocabulary
from bot.press import PressSettings
from bot.store.acts import RIGHTS_AT_GAMES
from bot.table.press import known_players, settings_of
from bot.table.table import Table
from rules.components import FACTION_FACTS, Faction, as_faction
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
    """The circumstances in which a line is read.

    - ``about`` is the seat that the answered letter was about. ``muted`` are the seats whose press is not passed on.
    - ``addresses`` are the addresses of the players, by the players' names.
    """

    today: date
    table: Table | None
    about: Faction | None = None
    muted: Collection[Faction] = ()
    addresses: Mapping[str, str] = field(default_factory=dict)
    candidates: Sequence[Faction] = ()  # whom a pronoun can mean
    quoted: str = ""  # the words that the mail quotes


def names_of(name: str) -> set[str]:
    words = name.lower().split()
    return {name.lower(), words[0], words[-1]}


def blanks(position: Position) -> dict[str, Blank]:
    table = position.table
    seats = _seats(position)
    seat = _any_of(seats)
    others = r"them all|all of (?:them|you|us)|all (?:two|three|four|five|six|[2-6])(?: of them)?|(?:all )?others"
    others += r"|whole (?:table|group|gang|bunch|crew|lot)|the lot of them|group|gang|folks|lads|alle[n]?|todos|tous"
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
    seats |= {f"{name}s": seat for name, seat in seats.items() if len(name) > 2 and f"{name}s" not in seats}  # "bobs"
    seats |= dict.fromkeys(_PRONOUNS, position.about) if position.about else {}
    return {text: faction if table is None or faction in table.seats else "" for text, faction in seats.items()}


def _past(phase: str, table: Table | None) -> str:
    """Return the turn and phase in which this phase last began, as "3 battle". This is what "the storm" or "the last
    battle" means. Return "" if no such phase has begun yet."""
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
    rf"\b(?:(?P<way>at|by|until|till|around) )?(?P<at>{_WORDS['time']['clock']})"
    r"(?P<then> (?:tonight|tomorrow|today|this evening))?(?!\w|[ -](?:hours?|hrs?|days?|minutes?|of)\b)"
    r"|\b(?:morning|afternoon|evening|tonight)\b",
    re.IGNORECASE,
)
_PLAINLY_TIME = re.compile(r"[:.]\d\d|[ap]\.?m\b|o.clock|uhr|noon|midnight| in the | at night|tonight", re.IGNORECASE)
_OF_DAY = {"morning": "09:00", "afternoon": "15:00", "evening": "20:00", "tonight": "20:00"}
_QUOTED = re.compile(r"[“\"](.+)[”\"]", re.DOTALL)
_SAYS = r"tell|told|inform|remind\w*|know|say|word|line|message|mail|letter|write|note|remember|mind|rul\w+|deci\w+"
_SAYS += r"|ask|warn\w*"
_TELLS = "tell|inform|remind|know|say|write|ask|warn|rule"  # after the first sentence, nouns are too weak a sign
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
        found |= {part: next((each for each in every if ", " in each), every[0])} if every else {}
    seat = context.blanks["SEAT"]
    two = rf"(?P<one>{seat.pattern})\s+or\s+(?:the\s+)?(?P<other>{seat.pattern})"
    if either := re.search(two, head, re.IGNORECASE):
        found["EITHER"] = f"{seat.read(either['one'])}, {seat.read(either['other'])}"
    elif _ONE_OF_THEM.search(head) and "," in found.get("SEATS", ""):
        found["EITHER"] = found["SEATS"]
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
    if (
        position.about
        and "SEAT" not in found
        and re.search(r"\b(?:s?he|they|him|hers?|his|himself|herself)\b", head, re.IGNORECASE)
    ):
        found["SEAT"] = position.about
    if not dates and re.search(r"\b(?:until|till|til) (?!he|she|they|we|i\b)\w", head, re.IGNORECASE):
        found["LIMITED"] = "until"
    if limit := _LETTERS_A_TURN.search(head):
        count = limit["number"].lower()
        found["PRESS"] = _press_with_quota(f"{vocabulary().numbers.get(count, count)}", head, position.table)
    if late := _TURNS_LATE.search(head):
        found["TURN"] = f"{vocabulary().numbers.get(late['number'].lower(), late['number'])}"
    if elsewhere := _ELSEWHERE.search(head):
        found["ELSEWHERE"] = elsewhere["place"]
    return found | _moment_in(head, position.table) | _numbers_in(head)


_NUMBER = rf"(?P<number>\d{{1,2}}|{'|'.join(vocabulary().numbers)})"
_LETTERS_A_TURN = re.compile(
    rf"\b{_NUMBER} (?:letters?|messages?|mails?|notes?)(?: each)? (?:a|per|each|every|in a) turn\b", re.IGNORECASE
)
_PUBLIC = re.compile(
    r"\b(?:public\w*|whole table|in the open|(?:every\w+|all) (?:can |may )?(?:see|read)|nothing private)\b",
    re.IGNORECASE,
)
_TURNS_LATE = re.compile(
    rf"\b{_NUMBER} turns? (?:behind|late|later|after|delayed|of (?:late|delay)|delay|old)\b", re.IGNORECASE
)


def _press_with_quota(quota: str, text: str, table: Table | None) -> str:
    """Return the press settings of a game with this many letters a turn; public ones if the text says so."""
    now = settings_of(table) if table else PressSettings()
    mode = "public" if _PUBLIC.search(text) else now.mode
    return replace(now, mode=mode, quota=int(quota)).words if quota.isdecimal() else ""


_ONE_OF_THEM = re.compile(
    r"\b(?:one of (?:them|the two|those)|the one (?:who|that)|whoever|which of|either)\b", re.IGNORECASE
)
_ELSEWHERE = re.compile(
    r"\b(?:in|to|at|through|off to) (?P<place>(?-i:[A-Z][a-z]{2,}))(?! (?:and|is|has)\b)(?!\w|['’.:])", re.IGNORECASE
)
_FROM = r"(?:from|starting|as of|beginning|leaves|leaving) (?:on )?"
_BACK = re.compile(r"\b(?:back|returns?|home|here again|plays again)(?: again)? (?:on|by|from|at)?\b", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:has|have|had|hasn.?t|haven.?t|been|heard|nothing|silent|quiet)\b[^,.;]*\b(?:for|in|since) (?:the )?$", re.I
)
"""Before a span that is over: "has not answered for three weeks"."""
_SINCE = re.compile(r"\bsince (?:the )?$", re.IGNORECASE)


def _all(blank: Blank, text: str, least: int = 1, before: re.Pattern[str] = re.compile(r"(?!)")) -> list[str]:
    """Return the values of all places in a text that fit a blank. Leave out places of fewer than ``least`` letters,
    which may be an article rather than a name, and places that come right after words that match ``before``."""
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
    """Return the first and last day of an absence that a text describes, such as "ten days from Friday" or "from Friday
    to the 12th". The last day is "" if the text does not name one."""
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
    text = re.sub(rf"\b{_WEEKDAY},?\s+(?:the\s+)?(?=\d{{1,2}}(?:st|nd|rd|th|\.)?\s)", "", text, flags=re.IGNORECASE)
    return _RANGE.sub(lambda dates: f"{dates['first']} {dates['month']} {dates[0]}", text)


def _dates_in(text: str, blank: Blank) -> list[str]:
    text = _each_with_month(text)
    dates = list(dict.fromkeys(filter(None, _all(blank, text, before=_PAST))))
    return dates[:1] + [date for date in dates[1:] if date > dates[0]][-1:]


def _span_in(text: str, blank: Blank) -> dict[str, str]:
    text = _ISO.sub("", text)
    wanted = _TOO.sub("", text)
    spans = [
        (len(each[0]), each[0])
        for each in re.finditer(blank.pattern, wanted, re.IGNORECASE)
        if not (_follows(_PAST, wanted, each) or _follows(_SINCE, wanted, each))
    ]
    least = 0 if wanted != text else SHORTEST_SPAN
    read = [hours for length, span in spans if length >= least and (hours := blank.read(span))]
    return {"SPAN": read[-1]} if read else {}


SHORTEST_NAME = 4
SHORTEST_SPAN = 3
"""Characters: a bare number may count something else than hours."""


_OF_A_MAIL = re.compile(r"\b(?:mails?|messages?|letters?) that (?:was|were|is|has|had|came|got|you)\b", re.IGNORECASE)


def _words_in(text: str) -> dict[str, str]:
    """Return the words that a text passes on: what it quotes, or what follows "tell them that" or "let them know:" in
    one of its sentences."""
    if quoted := _QUOTED.search(text):
        return {"WORDS": quoted[1].strip()}
    later = (_said_in(text[end.end() :], _TELLS) for end in SENTENCE.finditer(text))
    found = _RECORD.match(text) or _said_in(text, _SAYS) or next(filter(None, later), None)
    return {"WORDS": found["words"].replace(LINE_END, " ").strip()} if found else {}


_REPORT = re.compile(
    r"(?<!let )(?<!sure )(?<!have )\b(?:he|she|they|people|players|i|we|who|all|both|others|everybody|everyone|some)\s+"
    r"(?:\w+\s+)?(?:say|told|tell|know|write|ask|remember|mind)\b|(?<!be )(?<!get )\b(?:told|asked|said|wrote)\b",
    re.IGNORECASE,
)
"""A report of what somebody said or knows asks for no words to be passed on."""


def _said_in(text: str, verbs: str) -> re.Match[str] | None:
    found = _SAID.match(text)
    if found is None or SENTENCE.search(found["head"]):
        return None
    head, colon = found["head"], text[len(found["head"])] == ":"
    says = re.search(rf"\b(?:{_SAYS})\b" if colon else rf"\b(?:{verbs})(?:\s+\S+){{0,5}}$", head, re.IGNORECASE)
    no_words = ADDRESS.pattern if colon else r"(?!)"
    if not says or re.fullmatch(rf"{no_words}\W*", found["words"]) or re.search(r"\bmake$", head, re.IGNORECASE):
        return None  # "judge: zoe@x.example", "make that eight"
    report = _OF_A_MAIL.search(f"{head} that {found['words']}") or (_REPORT.search(head) and not colon)
    return None if report else found


def _time_in(text: str) -> str:
    every = [each for each in _TIME.finditer(text) if not each["at"] or each["way"] or _PLAINLY_TIME.search(each[0])]
    found = next(reversed([each for each in every if each["at"]] or every), None)
    if found is None:
        return ""
    said_at = (found["at"] or "").strip()
    if found["then"] and said_at.isalnum() and said_at.lower() not in ("noon", "midnight"):
        said_at += " in the evening"
    return times().read(said_at) if said_at else _OF_DAY[found[0].lower()]


def _moment_in(text: str, table: Table | None) -> dict[str, str]:
    """Return the turn and phase that a text names, as in "turn four" or "the last battle"."""
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
    """Remove the names of games from a line, so that "pause the ix game" becomes "pause the game". Words that are to be
    passed on to players stay as they are."""
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


def seats_meant(lines: Sequence[str], position: Position) -> Sequence[Faction]:
    """Return the seats that a pronoun in a mail can mean: those that the mail names before that pronoun."""
    text = "\n".join(line.partition(":")[0] for line in lines)
    seats = _seats(replace(position, about=None))
    found = [each for each in re.finditer(_any_of(seats), text, re.IGNORECASE) if len(each[0]) > 2]
    named = dict.fromkeys(seat for each in found if (seat := seats[each[0].lower()]))
    word = _PRONOUN.search(text)
    return [as_faction(each) for each in named] if word and found and found[0].start() < word.start() else []


_QUOTED_FROM = re.compile(
    r"^[>\s]*(?:from|von|de):\W*(?P<of>\w+)|^[>\s]*(?:on [^\n]*,\s*)?(?P<wrote>\w+)[^\n,]{0,60} wrote:\s*$"
    r"|^>.*?\b(?P<signed>\w+)\W*\Z|\b(?:which|that) (?P<whose>\w+)[^\n,]{0,40} wrote\b",
    re.IGNORECASE | re.MULTILINE,
)


def quoted_seat(subject: str, text: str, position: Position) -> Faction | None:
    """Return the seat of the player whose letter is quoted in a mail, or else the only seat that the quoted words or
    the subject name. Return None if there is no such seat or more than one."""
    seats = _seats(replace(position, about=None))
    writers = [name for each in _QUOTED_FROM.finditer(text.strip()) for name in each.groups() if name]
    named = [re.findall(_any_of(seats), words, re.IGNORECASE) for words in (quoted_words(text), subject)]
    for names in (writers, *named):
        found = {seat for name in names if len(name) > len("BG") and (seat := seats.get(name.lower()))}
        if len(found) == 1:
            return as_faction(*found)
    return None


def quoted_words(text: str) -> str:
    lines = (line.lstrip("> \t").strip() for line in text.splitlines() if line.lstrip().startswith(">"))
    return " ".join(filter(None, lines))


def stranger_in(text: str, context: CommandContext) -> str:
    """If a text asks for something to be done to somebody who does not play in this game, return that person's name;
    else return ""."""
    head = text.removesuffix(_words_in(text).get("WORDS", "\0"))
    found = _TO_WHOM.search(head)
    named = any(re.search(context.blanks[each].pattern, head, re.IGNORECASE) for each in ("SEATS", "ADDRESS"))
    if found is None or named or found["name"].lower() in known_words() or context.blanks["DATE"].read(found["name"]):
        return ""
    return found["name"]


# --- what is offered ------------------------------------------------------------------------------------------------

MOST_OFFERED = 4
SHORTEST_HEAD = 2
"""Words before a colon or "that"; fewer of them say nothing of what the line does."""


@dataclass(frozen=True, slots=True)
class Offers:
    """The commands that are offered in answer to a text. Those in `whole` can be sent as they are: all of them in one
    mail if `together`, otherwise one of them. Those in `open` still have words in capitals, which the writer must
    replace."""

    whole: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    together: bool = False
    ranked: tuple[str, ...] = ()  # both, the likeliest first


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
    """Return the commands that a text may ask for. If its clauses are about different matters, return the commands for
    each clause."""
    text = spelt_right(_ASIDE.sub("", text), _names(position))
    spoken = "WORDS" in named_in(text, context, position)
    named = re.sub(context.blanks["SEATS"].pattern, lambda seats: _LISTED.sub("/", seats[0]), text, flags=re.IGNORECASE)
    for cut, least in () if spoken else ((_LISTED, SHORTEST_LIST), (_AND, 2)):
        clauses = [clause.replace("/", ", ") for clause in cut.split(named) if clause.strip()]
        found = _of_clauses(clauses, context, position) if len(clauses) >= least else None
        if found and (cut is _LISTED or not found.open):
            return found
    if not spoken and asks_for_nothing(_as_phrase(text, {}, position)):
        return Offers()
    sentences = [] if spoken else [each for each in SENTENCE.split(text) if each.strip()]
    if len(sentences) > 1 and (found := _of_sentences(sentences, context, position)):
        return found
    return _offers(text, context, position)


def is_talk(text: str, position: Position, *, beside: bool) -> bool:
    """Return whether a text asks for nothing. ``beside`` commands, it must come nearer to one of them."""
    phrase = _as_phrase(spelt_right(_ASIDE.sub("", text), _names(position)), {}, position)
    near = nearest(phrase)[0]
    weak = not near.matter.lines or near.score < LEAST_BESIDE
    return "WORDS" not in _words_in(text) and (asks_for_nothing(phrase) or (beside and weak))


LEAST_BESIDE = 0.28


def _names(position: Position) -> frozenset[str]:
    return frozenset(name for name, faction in _seats(position).items() if faction and len(name) >= SHORTEST_NAME)


def _of_clauses(clauses: Sequence[str], context: CommandContext, position: Position) -> Offers | None:
    read = {clause: _clear_line(clause, context, position) for clause in clauses}
    lines = [line for clause, (line, _) in read.items() if line or not is_outburst(clause)]
    told = [line for line in dict.fromkeys(lines) if line and not is_so(line, position)]  # "take the default and go on"
    whole_text = _offers(" ".join(clauses), context, position).ranked
    if not all(lines) or len(told) < 2 or _contradict(told) or not _confirmed(read.values(), whole_text):
        return None
    whole = tuple(line for line in told if context.exact(line) and not lacks(line))
    return Offers(whole, tuple(line for line in told if line not in whole), len(whole) > 1)


def _confirmed(read: Iterable[tuple[str, float]], whole_text: Sequence[str]) -> bool:
    """Return whether all lines read from parts of a text come very near, or are also among those that the whole text
    may ask for."""
    verbs = {line.split()[0] for line in whole_text}
    return all(near >= VERY_NEAR or line.split()[0] in verbs for line, near in read if line)


VERY_NEAR = 0.5


def _of_sentences(sentences: Sequence[str], context: CommandContext, position: Position) -> Offers | None:
    """Read each of these sentences by itself, and return the commands for all of them. Return None if fewer than two of
    the sentences clearly ask for something, or if the commands contradict each other."""
    whole_text = _offers(" ".join(sentences), context, position).ranked
    read = [_clear_line(each, context, position) for each in sentences]
    found = [line for line, near in read if line and _confirmed([(line, near)], whole_text)]
    named = named_in(" ".join(sentences), context, position)
    lines = [with_values(line, _lacked_in(line, named)) or line for line in found]
    lines = list(dict.fromkeys(lines))
    if len({line.split()[0] for line in lines}) < 2 or _contradict(lines):
        return None
    whole = tuple(line for line in lines if context.exact(line) and not lacks(line))
    return Offers(whole, tuple(line for line in lines if line not in whole), len(whole) == len(lines))


def _clear_line(sentence: str, context: CommandContext, position: Position) -> tuple[str, float]:
    """Return the one command that a sentence clearly asks for, and how near it comes. Return "" if there is none."""
    read = read_command(sentence, replace(context, unread=lambda _: Unread("")))  # by its rows alone
    lines = (read.line,) if isinstance(read, Command) else read.suggestions
    if len(lines) == 1:
        return lines[0], 1
    phrase = _as_phrase(sentence, named_in(sentence, context, position), position)
    matter = clear_matter(phrase)
    found = _offers(sentence, context, position).ranked if matter and not forbids(phrase, matter) else ()
    return (found[0], nearest(phrase)[0].score) if found else ("", 0)


def _contradict(lines: Sequence[str]) -> bool:
    verbs = {line.split()[0] for line in lines}
    return any(verbs >= {one.split()[0], other.split()[0]} for one, against in opposites().items() for other in against)


PART = 0.75  # of the nearest matter: one that is farther away is not offered
FIT, MOST_FIT = 0.08, 2
"""How much each part that a text fills or leaves open makes a command likelier or less likely."""
NO_CHANGE = 0.8
"""How likely a command is that would change nothing."""


def _offers(text: str, context: CommandContext, position: Position) -> Offers:
    named = named_in(text, context, position)
    phrase = _as_phrase(text, named, position)
    ranked = [near for near in nearest(phrase) if near.matter.lines]
    if ranked[0].matter.lines == (ASKED,) and (asked := _asked_in_quote(context, position)):
        return asked
    ranked = [near for near in ranked if near.matter.lines != (ASKED,)]
    wanted = [near for near in ranked if not forbids(phrase, near.matter)]
    guesses = [_guess(near, named, context, position, text) for near in wanted]
    nearer = {guess.shape: guess.near for guess in guesses}
    of_one = "SEAT" not in named and bool(_ONE_PERSON.search(text))
    kept: list[_Guess] = []
    for guess in sorted(guesses, key=lambda guess: -guess.score):
        against = any(nearer.get(other, 0) > CLEARLY * guess.near for other in opposites().get(guess.shape, ()))
        against |= any(
            guess.shape in opposites().get(other.shape, ()) for other in kept if ALIKE * other.score > guess.score
        )
        open_seat = bool(re.search(r"\bSEAT\b", guess.line))
        timed = bool(re.search(r"\b(?:SPAN|HOURS)\b", guess.shape))
        unfit = timed and (named.get("SEATS") == "all" if open_seat else of_one)
        likely = guess.score >= PART * (kept[0].score if kept else 0) and len(kept) < MOST_OFFERED
        if likely and not (against or unfit) and (not is_so(guess.line, position) or guess.near == ranked[0].score):
            kept.append(guess)
    lines = list(dict.fromkeys(line for guess in kept for line in _for_each_seat(guess, named)))
    apart = bool(position.candidates and _PRONOUN.search(_without_words(text, named)))
    if apart:
        lines = [re.sub(r"\bSEAT\b", seat, line) for line in lines for seat in position.candidates]
        lines = list(dict.fromkeys(lines))
    whole = tuple(line for line in lines if not _BLANK.search(_without_words(line, named)) and context.exact(line))
    together = len(kept) == 1 < len(whole) and "EITHER" not in named and not apart
    return Offers(whole, tuple(line for line in lines if line not in whole), together, tuple(lines))


ASKED = "{asked}"
"""Stands for what the quoted words ask for: "sure, they can have that"."""


def _asked_in_quote(context: CommandContext, position: Position) -> Offers | None:
    """Return the commands that the quoted words ask for, or None."""
    asks, text = replace(position, quoted=""), position.quoted
    if position.about:
        text = _MYSELF.sub(
            lambda me: (me["have"] and f"{position.about} {_HAVE[me['have'].lower()]}") or f"{position.about}", text
        )
    clauses = [clause for sentence in SENTENCE.split(text) for clause in _AND.split(sentence)]
    lines = list(dict.fromkeys(line for clause in clauses if (line := _clear_line(clause, context, asks)[0])))
    if not 0 < len(lines) <= MOST_ASKED:
        found = _offers(text, context, asks) if text else Offers()
        return found if found.ranked else None
    whole = tuple(line for line in lines if context.exact(line) and not lacks(line))
    return Offers(whole, tuple(line for line in lines if line not in whole), len(whole) > 1, tuple(lines))


_HAVE = {"m": "is", "am": "is", "ll": "will", "d": "would", "ve": "has", "have": "has"}
_MYSELF = re.compile(r"\b(?:i(?:['’ ](?P<have>m|am|ll|d|ve|have)\b)?|me|myself)(?![\w'’])", re.IGNORECASE)
MOST_ASKED = 2
CLEARLY, ALIKE = 1.1, 0.97
"""A command is not offered if its opposite comes so many times as near, or is likelier and not about as likely."""


def _as_phrase(text: str, named: Mapping[str, str], position: Position) -> str:
    """Return a text as the phrases of matters are written, without the words that it passes on."""
    head = _without_words(text, named)
    text = head if len(head.split()) >= SHORTEST_HEAD else text
    return as_phrase(
        text, _any_of([name for name in _seats(position) if len(name) > len("BG") and name not in _PRONOUNS])
    )


# --- what completes or changes what was spoken of ---------------------------------------------------------------------

LONGEST_FRAGMENT = 14  # words
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_THEN = re.compile(
    r"\b(?P<way>until|till|til|by|before|from|since|to) (?:then|that (?:day|date|time))\b", re.IGNORECASE
)
_OTHER = re.compile(
    r"\W*(?:(?:no|nope|sorry|not (?:that|this|him|her)(?: one)?|i (?:mean|meant)|then|but|rather|make (?:it|that))\W+)*"
    r"the other(?: one| player| person| guy| man| woman)?(?:\W+(?:please|instead|then|rather|of course))*\W*",
    re.IGNORECASE,
)
_FOR_REAL = re.compile(r"\b(?:(?:for|in) real|really do|do it|go ahead|make it (?:so|happen))\b", re.IGNORECASE)
_LACKED = {part: rf"\b{part}\b" for part in ("DATE", "FIRST", "ADDRESS", "TURN", "PHASE")} | {
    "SEAT": r"(?<!\S)SEATS?\b",
    "SPAN": r"\b(?:SPAN|HOURS)\b",
}
_HELD = {
    "SEAT": rf"(?<![\w@.-])(?:{'|'.join(FACTION_FACTS)})(?![\w@-])",
    "DATE": _ISO.pattern,
    "ADDRESS": ADDRESS.pattern,
    "SPAN": r"(?<![\w-])\+?\d+(?:\.\d+)?(?![\w-])",
}


def _lacked_in(line: str, named: Mapping[str, str]) -> dict[str, str]:
    return {part: named[part] for part in lacks(line) if part in named and part in _LACKED}


def with_date(line: str, said_above: str) -> str:
    """Replace "until then" in a line with the last date in ``said_above``, and write times of day in figures: "half
    past seven" becomes "7:30"."""
    days = _ISO.findall(said_above)
    cut = _SPOKEN.search(line)
    head, words = (line[: cut.start()], line[cut.start() :]) if cut else (line, "")
    head, words = (_OF_THIS.sub("", head), words) if words.startswith(":") else (head, words)
    head = _NTH.sub(_in_digits, _HEAR.sub("", _UNTIL_I_SAY.sub("", _PART_OF_HOUR.sub(_in_figures, head))))
    return (_THEN.sub(rf"\g<way> {days[-1]}", head) if days else head) + words


_OF_THIS = re.compile(r"\s+(?:of )?(?:exactly )?(?:this|the following|as follows|these words)\s*$", re.IGNORECASE)
_HEAR = re.compile(
    r",?\s*\b(?:d['’]?\s?you|do you|you) hear(?: me)?\b(?=\W*$)|,?\s*\bunderstood\b(?=\W*$)", re.IGNORECASE
)
_NTH = re.compile(
    rf"(?P<before>\b(?:until|till|by|on|{_WORDS['time']['days']}),? )the (?P<nth>{'|'.join(_WORDS['time']['ordinals'])}"
    r"|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth)\b"
    r"(?! (?:of|turn|phase))",
    re.IGNORECASE,
)


def _in_digits(day: re.Match[str]) -> str:
    numbers = vocabulary().ordinals | _WORDS["time"]["ordinals"]
    return f"{day['before']}the {numbers[day['nth'].lower()]}th" if day["nth"].lower() in numbers else day[0]


_UNTIL_I_SAY = re.compile(
    r",?\s*\b(?:un)?'?till? (?:i|we) (?:say|tell)(?: you| them| him| her)?(?: so| otherwise)?\b", re.I
)
_PART_OF_HOUR = re.compile(
    r"\b(?P<part>half|(?:a )?quarter|five|ten|twenty) (?P<way>past|to|after|before) (?P<hour>[a-z]+|\d{1,2})\b",
    re.IGNORECASE,
)
_MINUTES = {"half": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20}


def _in_figures(said_at: re.Match[str]) -> str:
    word = said_at["hour"].lower()
    hour = int(word) if word.isdigit() else vocabulary().numbers.get(word, 0)
    before = said_at["way"].lower() in ("to", "before")
    minutes = (60 * hour - before * _MINUTES[said_at["part"].lower()]) + (not before) * _MINUTES[
        said_at["part"].lower()
    ]
    return f"{minutes // 60}:{minutes % 60:02}" if 0 < hour <= 12 else said_at[0]


def other_than(text: str, spoke: Sequence[str], done: Sequence[str], seats: Collection[Faction]) -> Offers | None:
    """If a text says "no, the other one", return the commands that this means: those of ``spoke`` that were not carried
    out, or the same command for the other one of these seats. "Now for real", after a preview, means the rollback."""
    previews = [line for line in spoke if line.startswith("preview ")]
    if len(previews) == 1 and _FOR_REAL.search(text):
        return Offers((previews[0].replace("preview", "rollback"),))
    if not _OTHER.fullmatch(text):
        return None
    left = [line for line in spoke if line not in done]
    if len(spoke) == 1 or not left:  # the same for the other player
        named = [(line, seat) for line in spoke for seat in seats if re.search(rf"(?<![\w-]){seat}(?![\w-])", line)]
        left = [named[-1][0].replace(named[-1][1], each) for each in seats if each != named[-1][1]] if named else []
    whole = tuple(line for line in left if not lacks(line))
    return Offers(whole, tuple(line for line in left if line not in whole)) if left else None


def completed(
    text: str, spoke: Sequence[str], context: CommandContext, position: Position, *, whole: bool = False
) -> Offers | None:
    """Complete the commands that the last answer mentioned (``spoke``) with the few words of this text. The words fill
    parts that a command lacks. If ``whole`` is set, they may also replace parts that it already has: "then Bob
    instead", "make that 3 days". Return None if the words fit none of the commands."""
    named = dict(named_in(text, context, replace(position, about=None)))
    whole_ones = [line for line in spoke if len(lacks(line)) > 1 and {*lacks(line)} <= _lacked_in(line, named).keys()]
    if whole and whole_ones and len(fold_words(text)) <= 2 * LONGEST_FRAGMENT:
        return Offers(tuple(with_values(line, _lacked_in(line, named)) for line in whole_ones))
    if len(fold_words(text)) > LONGEST_FRAGMENT:
        text = next(filter(marks_change, SENTENCE.split(text)), text)
    words, bare = fold_words(text), text.strip(" .!hH")
    if not spoke or not words or len(words) > LONGEST_FRAGMENT or context.exact(text):
        return None
    named = dict(named_in(text, context, replace(position, about=None)))
    if "NUMBER" in named and "SPAN" not in named and marks_change(text):
        named["SPAN"] = named["NUMBER"]
    named |= {"SPAN": bare} if bare.isdigit() else {}
    if "PHASE" in named and "TURN" not in named:
        named |= dict(zip(("TURN", "PHASE"), _past(named["PHASE"], position.table).split(), strict=False))
    values = {part: named[part] for part in _LACKED if part in named}
    if not values:
        return None
    near = nearest(_as_phrase(text, {}, position))[0]
    other = bool(near.matter.lines) and near.score > OWN_MATTER and not marks_change(text)
    own = [line for line in spoke if values.get("SEAT", "-") in line]
    if 0 < len(own) < len(spoke) and {*values} == {"SEAT"} and not other:  # it chooses
        ready = tuple(line for line in own if not lacks(line))
        return Offers(ready, tuple(line for line in own if line not in ready))
    found = list(filter(None, (with_values(line, values) for line in own or spoke if lacks(line))))
    if other:
        found = [line for line in found if not lacks(line) and {*values} != {"SEAT"}]
    if whole and not found and not other:
        found = [with_values(line, values, over=True) or _with_more(line, values, context) for line in spoke]
    lines = list(dict.fromkeys(line for line in found if line and (lacks(line) or context.exact(line))))
    ready = tuple(line for line in lines if not lacks(line))
    return Offers(ready, tuple(line for line in lines if line not in ready)) if lines else None


OWN_MATTER = 0.45
"""A text that comes so near to a matter is about that, and completes nothing."""
_SAYING = re.compile(
    r"\W*(?:(?:please )?(?:tell|say|write)\b[^:]{0,40}:\s*|(?:the )?words?(?: are)?:\s*|just(?: this)?:\s*|(?=[“\"]))"
    r"(?P<words>\S.*)",
    re.IGNORECASE | re.DOTALL,
)


def with_words(text: str, spoke: Sequence[str]) -> Offers | None:
    """If only one of the commands in ``spoke`` lacks nothing but the words to be passed on, return that command with
    the words that this text gives. Otherwise return None."""
    lacking = [line for line in spoke if lacks(line) == ["WORDS"]]
    found = _SAYING.fullmatch(text) if len(lacking) == 1 else None
    return Offers((lacking[0].removesuffix("WORDS") + found["words"].strip('“”" '),)) if found else None


def with_values(line: str, values: Mapping[str, str], *, over: bool = False) -> str:
    """Put these values in place of the parts that a line lacks. If ``over`` is set, they may also replace parts that
    the line already has. Return "" if the line has no place for one of the values, or already contains all of them."""
    head, colon, words = line.partition(": ")
    for part, value in values.items():
        if re.search(_LACKED[part], head):
            head = re.sub(_LACKED[part], value, head, count=1)
        elif over and part in _HELD and re.search(_HELD[part], head):
            head = re.sub(_HELD[part], value, head, count=1)
        elif value not in head and part != "FIRST":
            return ""
    return head + colon + words if head + colon + words != line else ""


def _with_more(line: str, values: Mapping[str, str], context: CommandContext) -> str:
    """Add a value to a line as one more part, if there is a form with that part: a date to "ban guild", a seat to
    "extend 24". Return "" if there is no such form."""
    verb, _, rest = line.partition(" ")
    for value in values.values() if len(values) == 1 and ": " not in line else ():
        for made in (f"{line} until {value}", f"{verb} {value} {rest}", f"{line} {value}"):
            if context.exact(made):
                return made
    return ""


_CHANGES = re.compile(
    r"\b(?:then|instead|rather|make (?:that|it)|other|sorry|i mean|i meant)\b|^\W*no\b", re.IGNORECASE
)


def marks_change(text: str) -> bool:
    return bool(_CHANGES.search(text))


_PRONOUN = re.compile(r"\b(?:s?he|him|hers?|his|himself|herself)\b", re.IGNORECASE)


_ONE_PERSON = re.compile(
    r"\b(?:give|gives|let|grant|allow|for) (?:him|her)\b|\b(?:can|may|could|should|shall|must|needs?) (?:he|she)\b",
    re.IGNORECASE,
)


def _without_words(line: str, named: Mapping[str, str]) -> str:
    return line.removesuffix(named.get("WORDS", "\0"))


@dataclass(frozen=True, slots=True)
class _Guess:
    """A command that a text may ask for. `near` is how near its matter comes, `score` how likely the command is with
    what the text names."""

    score: float
    line: str
    shape: str
    near: float


def _guess(near: Near, named: Mapping[str, str], context: CommandContext, position: Position, text: str) -> _Guess:
    matter = near.matter
    values = dict(_values(matter, named, context, position, text))
    if position.about and "SEATS" not in named:
        values.setdefault("SEAT", position.about)

    def filled(shape: str) -> str:
        return _BLANK.sub(lambda blank: values.get(blank[0], blank[0]), shape)

    def fitting(shape: str) -> tuple[int, bool]:
        return _fits(shape, values) - ("DATE" in _left_open(shape, values)), not is_so(filled(shape), position)

    shape = max(matter.lines, key=fitting)
    fits = max(-MOST_FIT, min(MOST_FIT, _fits(shape, values)))
    likely = NO_CHANGE if is_so(filled(shape), position) else 1 + FIT * fits * ("OTHER" not in shape)
    return _Guess(near.score * likely, filled(shape), shape, near.score)


def _values(
    matter: Matter, named: Mapping[str, str], context: CommandContext, position: Position, text: str
) -> Mapping[str, str]:
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
    for part in ("CARD", "LEADER"):
        values |= {part: name} if part in parts and (name := _name_in(text, part.lower())) else {}
    if "FIRST" in parts:
        values |= _days_away(named, position.today)
    if "PHASE" in named and "TURN" not in named and parts >= {"TURN", "PHASE"}:
        values |= dict(zip(("TURN", "PHASE"), _past(named["PHASE"], position.table).split(), strict=False))
    if "QUESTION" in parts and position.table and (whose := named.get("SEAT")):
        asked = [each.kind for each in position.table.play.questions() if each.faction == whose]
        values |= {"QUESTION": asked[0]} if asked else {}
    if "TURN" in named and "PHASE" not in named and parts >= {"TURN", "PHASE"}:
        values["PHASE"] = PHASES[1]
    return values


def _name_in(text: str, sort: str) -> str:
    words = fold_words(text)
    found = (name_at(sort, words, place) for place in range(len(words)))
    return next((f"{name.values[0]}" for name in found if name and name.whole and len(name.values) == 1), "")


MOST_HOURS_AWAY = 24 * 366


def _days_away(named: Mapping[str, str], today: date) -> Mapping[str, str]:
    """Return the last day of an absence: the day before the person is back or, if the length was given ("for five
    days"), the last of those days. In the latter case return the first day too. Return an empty mapping if neither is
    known, if the text names the last day itself, or if the length is less than a day or more than a year."""
    if "BACK" in named:
        return {"DATE": f"{date.fromisoformat(named['BACK']) - _DAY}"}
    if "DATE" in named or not 24 <= float(named.get("SPAN", 0)) <= MOST_HOURS_AWAY:
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


def is_so(line: str, position: Position) -> bool:
    """Return whether a command would change nothing: it would do what has already been done, or undo what has not been
    done."""
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
