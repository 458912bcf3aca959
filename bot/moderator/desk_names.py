"""What a game master's plain words name: seats, lengths of time, dates, times of day, addresses, words to pass on.

`blanks` reads what can fill a part of a command: a seat (named by its faction or its player), a length of time, a date
and so on. `named_in` reads all of them in a whole text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import get_args

from bot.language.command_lines import (
    ADDRESS,
    NAMED_ADDRESS,
    SENTENCE,
    Blank,
    CommandContext,
    days_from,
    spans,
    times,
)
from bot.language.lines import LINE_END
from bot.language.matters import known_words
from bot.language.names import FACTION_NAMES, fold_words
from bot.language.vocabulary import vocabulary
from bot.press import PressSettings
from bot.store.acts import RIGHTS_AT_GAMES
from bot.table.press import known_players, settings_of
from bot.table.table import Table
from rules.components import Faction, as_faction
from rules.components.facts import load_toml
from rules.orders import PhaseName

EVERYBODY = ("all", "table", "everybody", "everyone", "players", "all players")
PHASES: Sequence[str] = get_args(PhaseName)
_WORDS = load_toml("command-words.toml")
_DAYS: str = _WORDS["time"]["days"]
_PHASE_WORDS: Mapping[str, str] = _WORDS["phases"]
PRONOUNS = ("him", "her", "them", "this player", "that player", "this seat", "that seat")


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
    seats = seats_by_name(position)
    seat = any_of(seats)
    crowd = "table|group|gang|bunch|crew|lot|players|folks|lads"
    others = r"them all|all of (?:them|you|us)|all (?:two|three|four|five|six|[2-6])(?: of them)?|(?:all )?others"
    others += rf"|(?:the )?whole (?:{crowd})|the lot of them|(?:game )?(?:{crowd})|alle[n]?|todos|tous"
    others += rf"|all (?:of )?(?:the|our|my) (?:{crowd}|others)|every (?:player|one of them)"
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
        "PHASE": Blank(any_of((*_PHASE_WORDS, *PHASES)), lambda text: _PHASE_WORDS.get(text.lower(), text.lower())),
        "PAST": Blank(any_of(_PHASE_WORDS), lambda text: last_phase(_PHASE_WORDS[text.lower()], table)),
        "RIGHT": Blank(any_of(RIGHTS_AT_GAMES), str.lower),
        "TIME": times(),
        "DAYOFF": Blank(
            rf"(?:{_DAYS}|weekend)s?(?:(?:\s*[,/+&]\s*|\s+(?:and|or|n|&)\s+)(?:{_DAYS})s?)*",
            lambda text: _days_off(text, table),
        ),
        "PRESSMODE": Blank(r"(?:public|none|table)", str.lower),
        "NUMBER": Blank(r"[0-9]{1,3}"),
    }


def any_of(words: Collection[str]) -> str:
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})(?!\w)"


def seats_by_name(position: Position) -> dict[str, str]:
    table = position.table
    players = [(faction, names_of(name)) for faction, name in known_players(table)] if table else []
    every = Counter(name for _, names in players for name in names)
    seats: dict[str, str] = {name: of for of, names in players for name in names if every[name] == 1 and len(name) > 2}
    for faction, spelt in FACTION_NAMES.spelt():
        nicknames = vocabulary().nicknames["faction"].get(faction, ())
        seats |= {text.lower(): faction for text in (faction, *spelt, *nicknames)}
    seats |= {f"{name}s": seat for name, seat in seats.items() if len(name) > 2 and f"{name}s" not in seats}  # "bobs"
    seats |= dict.fromkeys(PRONOUNS, position.about) if position.about else {}
    return {text: faction if table is None or faction in table.seats else "" for text, faction in seats.items()}


def last_phase(phase: str, table: Table | None) -> str:
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
_SAYS += r"|ask|warn\w*|record"
_TELLS = "tell|inform|remind|know|say|write|ask|warn|rule"  # after the first sentence, nouns are too weak a sign
_SAID = re.compile(
    r"^(?P<head>[^:]{2,90}?)(?::\s+|(?<=\w)(?:,|\s)\s?(?:that|whether|saying|to say(?: that)?)\s)(?P<words>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_WARNED = re.compile(
    r"\b(?:warn (?:him|her|them|[A-Z]\w+)|(?:a|an|one|official|last|final) warning)\b[^.!?,;:]{0,30}(?:[,;:]|\s+that)"
    r"\s+(?P<words>\S.*)$",
    re.DOTALL,
)
_TOLD = re.compile(
    r"\b(?:tell|inform) (?:them|'?em|every(?:body|one)|all(?: of them)?|the (?:others|table|players)) "
    r"(?P<words>(?:I|we|it|he|she|they|there|the|this|my|our|sorry)\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ASKED_OF = re.compile(
    r"\bask (?:to |the )?\w+ (?P<words>(?:if|what|who|when|where|why|how|is|are|do|does|has|have|can|could)\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
_SAID_BEFORE = re.compile(
    r"^(?P<words>.{12,}?)[,.;]? (?:and )?(?:please )?(?:tell|say)(?: to)? (?:him|her|them) (?:exactly |just )?"
    r"(?:that|this|so)\W*$",
    re.IGNORECASE | re.DOTALL,
)
_RECORD = re.compile(
    r"^(?:just )?for (?:the|my|our)(?: own)?(?: \w+)? (?:records?|files?|notes|diary)\b(?:[,:]\s*|[^:.!?]{0,30}:\s*)"
    r"(?P<words>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_TOO = re.compile(
    r"\b[\w.:]+ (?:\w+ )?(?:(?:per|a|each|every|for) \w+ )?(?:is|are|seems?) (?:much |far |a bit |way )?too\b", re.I
)
_TARGET = re.compile(
    r"\b(?:should|must|ought to|has to|needs to) (?:now )?(?:read|say|be|have|show)\b(?! \w+ (?:more|less|fewer)\b)"
    r"|\bset\b[^.]*\bto\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|instead of|rather than) (?:just |only )?(?:\d|[a-z]+\b)", re.IGNORECASE)


def named_in(text: str, context: CommandContext, position: Position) -> dict[str, str]:
    found = words_passed_on(text)
    head = text.removesuffix(found.get("WORDS", "\0"))
    for part, blank in (("SEAT", "SEAT"), ("SEATS", "SEATS"), ("ADDRESS", "ADDRESS"), ("RIGHT", "RIGHT")):
        every = [each for each in _all(context.blanks[blank], head, 3) if each]
        found |= {part: next((each for each in every if ", " in each), every[0])} if every else {}
    if "SEATS" not in found and not position.about and _TOLD.search(text):
        found["SEATS"] = "all"
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
    if at := _times_in(head):
        found |= {"TIME": at[-1]} | ({"OTHER_TIME": at[0]} if len(at) > 1 else {})
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
    if clause := re.search(r"\b[A-Z][A-Z0-9]+(?:\.[A-Z0-9-]+)+\b", head):
        found["CLAUSE"] = clause[0]
    limit = _LETTERS_A_TURN.search(head)
    if limit and (limit["what"] or re.search(r"\b(?:letters?|messages?|mails?|write|press)\b", head, re.IGNORECASE)):
        count = limit["number"].lower()
        found["PRESS"] = _press_with_quota(f"{vocabulary().numbers.get(count, count)}", head, position.table)
    if late := _TURNS_LATE.search(head):
        number = (late["number"] or "1").lower()
        found["TURN"] = f"{vocabulary().numbers.get(number, number)}"
    if elsewhere := _ELSEWHERE.search(head):
        found["ELSEWHERE"] = elsewhere["place"]
    return found | _moment_in(head, position.table) | _numbers_in(head)


_NUMBER = rf"(?P<number>\d{{1,2}}|{'|'.join(vocabulary().numbers)})"
_LETTERS_A_TURN = re.compile(
    rf"\b{_NUMBER}(?: (?P<what>letters?|messages?|mails?|notes?))?(?: each)? (?:a|per|each|every|in a) turn\b",
    re.IGNORECASE,
)
_PUBLIC = re.compile(
    r"\b(?:public\w*|whole table|in the open|(?:every\w+|all) (?:can |may )?(?:see|read)|nothing private"
    r"|(?:goe?s?|letters|write|only) (?:only )?to (?:every\w+|all)|to every\w+ only)\b",
    re.IGNORECASE,
)
_TURNS_LATE = re.compile(
    rf"\b(?:{_NUMBER}|an?|one) turns?(?:.s)? (?:behind|late|later|after|delayed|of (?:late|delay)|delay|old)\b",
    re.IGNORECASE,
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


_DAY = timedelta(days=1)
_WEEKDAY = rf"(?:{_DAYS}|mon|tues?|wed|thurs?|fri|sat|sun)"
_WEEKDAYS = re.compile(rf"\b(?P<first>{_WEEKDAY})\s*[-–]\s*(?P<last>{_WEEKDAY})\b", re.IGNORECASE)


_DAY_AFTER = re.compile(rf"\bthe (?P<day>{_WEEKDAY}) (?:after|following)\b(?! (?:the|that|next)\b)", re.IGNORECASE)


def _away_from(text: str, blank: Blank) -> dict[str, str]:
    """Return the first and last day of an absence that a text describes, such as "ten days from Friday" or "from Friday
    to the 12th". The last day is "" if the text does not name one."""
    text = _each_with_month(text)
    if days := _WEEKDAYS.search(text):
        first, last = blank.read(days["first"]), blank.read(days["last"])
        return {"FIRST": first, "DATE": last if last >= first else f"{date.fromisoformat(last) + 7 * _DAY}"}
    if re.search(r"\bnext week\b", text, re.IGNORECASE) and not _BACK.search(text):
        return {"FIRST": (first := blank.read("next week")), "DATE": f"{date.fromisoformat(first) + 6 * _DAY}"}
    if (again := _DAY_AFTER.search(text)) and (named := _dates_in(text[: again.start()], blank)):
        begin = date.fromisoformat(named[0])
        week = [begin + each * _DAY for each in range(1, 8)]
        end = next(day for day in week if f"{day:%a}".lower() == again["day"][:3].lower())
        return {"FIRST": f"{begin}", "DATE": f"{end}"}
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
    text = re.sub(r"\b\d{1,2}[:h]\d\d\b", "", ISO_DATE.sub("", text))
    wanted = _TOO.sub("", text)
    spans = [
        (len(each[0]), each[0])
        for each in re.finditer(blank.pattern, wanted, re.IGNORECASE)
        if not (_follows(_PAST, wanted, each) or _follows(_SINCE, wanted, each))
    ]
    least = 0 if wanted != text else SHORTEST_SPAN
    read = [hours for length, span in spans if length >= least and (hours := blank.read(span))]
    bare = re.findall(r"(?<![\w.:])\d{1,3}(?![\w:]|\.\d)", wanted) if read and _AMENDS.search(text) else []
    other = [each for each in bare if float(each) != float(read[-1])]
    return {"SPAN": read[-1]} | ({"OTHER_SPAN": other[-1]} if other else {}) if read else {}


_AMENDS = re.compile(r"\b(?:should (?:be|have been)|instead of|by mistake|meant|too (?:much|many))\b", re.IGNORECASE)


SHORTEST_NAME = 4
SHORTEST_SPAN = 3
"""Characters: a bare number may count something else than hours."""


_OF_A_MAIL = re.compile(r"\b(?:mails?|messages?|letters?) that (?:was|were|is|has|had|came|got|you)\b", re.IGNORECASE)


def words_passed_on(text: str) -> dict[str, str]:
    """Return the words that a text passes on: what it quotes, or what follows "tell them that" or "let them know:" in
    one of its sentences."""
    if quoted := _QUOTED.search(text):
        return {"WORDS": quoted[1].strip()}
    later = (_said_in(text[end.end() :], _TELLS) for end in SENTENCE.finditer(text))
    found = _RECORD.match(text) or _said_in(text, _SAYS) or next(filter(None, later), None)
    found = found or _WARNED.search(text) or _TOLD.search(text) or _ASKED_OF.search(text) or _SAID_BEFORE.match(text)
    if found and _DECIDES_LAST_TURN.search(text):
        return {}  # that is more than words
    words = found["words"].replace(LINE_END, " ").strip() if found else ""
    words = re.sub(r",? (?:would|will|could) (?:you|ye|u)\W*$", "", words)
    if _REQUEST.match(text) and words.endswith("?") and not _QUESTION.search(words):
        words = f"{words[:-1]}."  # the mark belongs to "could you tell them …?"
    return {"WORDS": words} if words else {}


_DECIDES_LAST_TURN = re.compile(r"\b(?:decided|agreed)\W+(?:that )?turn \w+ (?:is|will be) (?:the|our) last", re.I)
_REQUEST = re.compile(r"\W*(?:\w+,? )?(?:can|could|would|will) (?:you|u|ye|somebody|someone)\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"^(?:what|who|whom|when|where|why|how|which|if|whether|is|are|do|does|did|has|have|can|could|will|would|should)\b"
    r"|[.!?] .*\?$",
    re.IGNORECASE,
)


_REPORT = re.compile(
    r"(?<!let )(?<!sure )(?<!have )\b(?:he|she|they|people|players|i|we|who|all|both|others|everybody|everyone|some)\s+"
    r"(?:\w+\s+)?(?:say|told|tell|know|write|ask|remember|mind)\b|(?<!be )(?<!get )\b(?:told|asked|said|wrote)\b"
    r"|\b(?:got ?ta|got to|have to|must|needs?|want(?:ed)? to|ought to|can only) say\b",
    re.IGNORECASE,
)
"""A report of what somebody said or knows asks for no words to be passed on."""


_LAST_CLAUSE = re.compile(r",\s+(?=\w+ )|\band\s+(?:please\s+)?(?=say|tell|let|inform)", re.IGNORECASE)


def _said_in(text: str, verbs: str) -> re.Match[str] | None:
    found = _SAID.match(text)
    if found is None or SENTENCE.search(found["head"]):
        return None
    head, colon = found["head"], text[len(found["head"])] == ":"
    says = re.search(rf"\b(?:{_SAYS})\b" if colon else rf"\b(?:{verbs})(?:\s+\S+){{0,5}}$", head, re.IGNORECASE)
    no_words = ADDRESS.pattern if colon else r"(?!)"
    if not says or re.fullmatch(rf"{no_words}\W*", found["words"]) or re.search(r"\bmake$", head, re.IGNORECASE):
        return None  # "judge: zoe@x.example", "make that eight"
    report = _OF_A_MAIL.search(f"{head} that {found['words']}") or (
        _REPORT.search(_LAST_CLAUSE.split(head)[-1]) and not colon
    )
    return None if report else found


def _times_in(text: str) -> list[str]:
    """Return the times of day that a text names, without those that it calls too early or too late."""
    text = _NO_LONGER.sub("", _TOO.sub("", text))
    every = [each for each in _TIME.finditer(text) if not each["at"] or each["way"] or _PLAINLY_TIME.search(each[0])]
    read = map(_time_of_day, [each for each in every if each["at"]] or every[-1:])
    return list(filter(None, dict.fromkeys(read)))


_NO_LONGER = re.compile(
    rf"\b(?:and |but )?(?:not|instead of|rather than|no longer)(?: at| by)? (?:the )?{_WORDS['time']['clock']}", re.I
)


def _time_of_day(found: re.Match[str]) -> str:
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
    phases = (_PHASE_WORDS[each[0].lower()] for each in re.finditer(any_of(_PHASE_WORDS), text, re.IGNORECASE))
    phase = next(phases, "")
    if turn or not phase:
        return ({"TURN": turn} if turn else {}) | ({"PHASE": phase} if phase else {})
    past = (
        last_phase(phase, table).split() if re.search(r"\b(?:last|latest|that|just|this|whole)\b", text, re.I) else []
    )
    return {"TURN": past[0], "PHASE": past[1]} if past else {"PHASE": phase}


def _numbers_in(text: str) -> dict[str, str]:
    numbers = vocabulary().numbers

    def value(word: str) -> int | None:
        return int(word) if word.isdigit() and len(word) < 4 else numbers.get(word.lower())

    found = list(dict.fromkeys(meant for word in fold_words(text) if (meant := value(word))))
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


PRONOUN = re.compile(r"\b(?:s?he|him|hers?|his|himself|herself)\b", re.IGNORECASE)
_TO_WHOM = re.compile(
    r"\b(?:give|gives|grant|allow|remind|mute|unmute|ban|unban|warn|excuse|replace|kick|tell|ask|nudge|for)\s+"
    r"(?P<name>(?-i:[A-Z][a-z]{2,}))(?!\w|\s*\S*@|\s(?-i:[A-Z]))",
    re.IGNORECASE,
)


def seats_meant(lines: Sequence[str], position: Position) -> Sequence[Faction]:
    """Return the seats that a pronoun in a mail can mean: those that the mail names before that pronoun."""
    text = "\n".join(line.partition(":")[0] for line in lines)
    seats = seats_by_name(replace(position, about=None))
    found = [each for each in re.finditer(any_of(seats), text, re.IGNORECASE) if len(each[0]) > 2]
    named = dict.fromkeys(seat for each in found if (seat := seats[each[0].lower()]))
    word = PRONOUN.search(text)
    return [as_faction(each) for each in named] if word and found and found[0].start() < word.start() else []


_QUOTED_FROM = re.compile(
    r"^[>\s]*(?:from|von|de):\W*(?P<of>\w+)|^[>\s]*(?:on [^\n]*,\s*)?(?P<wrote>\w+)[^\n,]{0,60} wrote:\s*$"
    r"|\b(?:written|sent) by (?P<author>\w+)"
    r"|\breport(?:s|ed)\b[^\n.:]{0,20} (?:from|by) (?P<reported>\w+)|^>.*?\b(?P<signed>\w+)\W*\Z"
    r"|\b(?:which|that) (?P<whose>\w+)[^\n,]{0,40} wrote\b",
    re.IGNORECASE | re.MULTILINE,
)


def quoted_seat(subject: str, text: str, position: Position) -> Faction | None:
    """Return the seat of the player whose letter is quoted in a mail, or else the only seat that the quoted words or
    the subject name. Return None if there is no such seat or more than one."""
    seats = seats_by_name(replace(position, about=None))
    writers = [name for each in _QUOTED_FROM.finditer(text.strip()) for name in each.groups() if name]
    named = [re.findall(any_of(seats), words, re.IGNORECASE) for words in (quoted_words(text), subject)]
    for names in (writers, *named):
        found = {seat for name in names if len(name) > len("BG") and (seat := seats.get(name.lower()))}
        if len(found) == 1:
            return as_faction(*found)
    return None


def quoted_words(text: str) -> str:
    """Return what a mail quotes, without the line that says who wrote it."""
    lines = (line.lstrip("> \t").strip() for line in text.splitlines() if line.lstrip().startswith(">"))
    return " ".join(line for line in lines if line and not line.endswith(":"))


def stranger_in(text: str, context: CommandContext) -> str:
    """If a text asks for something to be done to somebody who does not play in this game, return that person's name;
    else return ""."""
    head = text.removesuffix(words_passed_on(text).get("WORDS", "\0"))
    found = _TO_WHOM.search(head)
    named = any(re.search(context.blanks[each].pattern, head, re.IGNORECASE) for each in ("SEATS", "ADDRESS"))
    if found is None or named or found["name"].lower() in known_words() or context.blanks["DATE"].read(found["name"]):
        return ""
    return found["name"]


# --- days and times that refer to others ------------------------------------------------------------------------------

ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_THEN = re.compile(
    r"\b(?P<way>until|till|til|by|before|from|since|to) (?:then|that (?:day|date|time))\b", re.IGNORECASE
)


def with_date(line: str, said_above: str) -> str:
    """Replace "until then" in a line with the last date in ``said_above``, and write times of day in figures: "half
    past seven" becomes "7:30"."""
    days = ISO_DATE.findall(said_above)
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
