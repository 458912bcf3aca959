"""The reader of `game.dune` (``bot.record.dune``), which replays the file to restore the complete record of the game.

The parser is as tolerant as the parser of mailed orders. It accepts any letter case and spacing, abbreviated names and
orders, missing entry numbers, and comments in braces or after ``#``. Only the rule set, the seats and the seed are
required. For an invalid text, ``NotARecord`` names the faulty line and says what would be right.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, cast, get_args

from bot.record.dune import (
    CORRECT,
    DUNE_FORMAT,
    EVERYTHING,
    GAME_MASTER,
    LAST_TURN,
    TAKE_BACK,
    UNKNOWN,
    Unreadable,
    faction_named,
    headers,
    read_order,
)
from bot.record.lines import Act, Decided, Head, MadeDeal, Words, decode, whole_record
from bot.record.reader import NotARecord, ReadRecord, unpacked
from rules.components import FACTION_FACTS, Faction
from rules.components.board import DOTS
from rules.components.chance import commitment
from rules.components.terms import EDITIONS, Edition
from rules.engine import log
from rules.engine.catalogue import load_rule_set
from rules.engine.log import Corrected, Entry, Expired, LastTurn, Stopped, Submitted, Withdrawn
from rules.orders import AnyOrder, Key, QuestionKind
from rules.rulesets.options import RuleSetError, did_you_mean

_json = json.JSONDecoder()


@dataclass(slots=True)
class DuneText:
    """A parsed text. ``places`` has the line number of each part of the story, counted from 1, and ``header_lines`` the
    line number of each header."""

    headers: dict[str, str] = field(default_factory=dict)
    header_lines: dict[str, int] = field(default_factory=dict)
    story: list[Decided | Act] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    made: dict[str, MadeDeal] = field(default_factory=dict)


def looks_like_dune(data: bytes) -> bool:
    start = unpacked(data)[:4000].lstrip(b"\xef\xbb\xbf \t\r\n")
    return not _JSON_BEGINS.match(start) and (start[:1] in (b"[", b"{", b"#") or b"\n[" in start)


_JSON_BEGINS = re.compile(rb'\{\s*"[a-z_]+"\s*:')


def read_dune(data: bytes) -> tuple[ReadRecord, dict[str, str]]:
    """Return the complete record of the game that a text describes, and the remaining headers of the text. Raise
    NotARecord if the text cannot be replayed, or if the replay does not match the result that the text states."""
    dune = parse_dune(data)
    head, seed, ended = _head(dune)
    lines = list(_played(dune, head, seed, ended))
    record = ReadRecord(lines, [decode(line) for line in lines])
    _compare(dune, record)
    own = {*_ORDER_OF_HEADERS, "Began", "Ended", "Record"}
    return record, {name: value for name, value in dune.headers.items() if name not in own}


def _played(dune: DuneText, head: Head, seed: str, ended: date | None) -> Iterator[bytes]:
    place = 0

    def story() -> Iterator[Decided | Act]:
        nonlocal place
        for place, part in zip(dune.places, dune.story, strict=True):  # noqa: B007 - the line number for errors
            yield part

    try:
        yield from whole_record(head, seed, story(), Words(known=dune.made), ended)
    except Exception as error:  # a malformed file may fail in any way
        why = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise NotARecord(f"this cannot be replayed: {why}", place) from error


def _compare(dune: DuneText, record: ReadRecord) -> None:
    if record.end is None:
        if "Result" in dune.headers:
            last = max(dune.places, default=dune.header_lines["Result"])
            raise NotARecord("the orders end before the game is over; the text was cut off.", last)
        return
    made = headers(record, {})
    for name, told in (
        ("Result", "the game ends differently"),
        ("Record", "this text does not give the record that it was made from"),
    ):
        if name in dune.headers and dune.headers[name] != made[name]:
            raise _wrong(dune, name, f"{told}; it should be “{made[name]}”")


# --- headers -------------------------------------------------------------------------------------------------------

_ORDER_OF_HEADERS = ("Format", "Game", "RuleSet", "Options", "Rules", "Seats", "Result", "Commitment", "Seed")
_NEEDED = ("RuleSet", "Seats")


def _head(dune: DuneText) -> tuple[Head, str, date | None]:
    said = dune.headers
    for name in _NEEDED:
        if name not in said:
            raise NotARecord(f'there is no header [{name} "…"]{did_you_mean(name, list(said))}.', 0)
    if said.get("Format", DUNE_FORMAT) != DUNE_FORMAT:
        raise _wrong(dune, "Format", f"this Mentat reads “{DUNE_FORMAT}”")
    if not said.get("Seed"):
        raise NotARecord(
            'there is no header [Seed "…"]: the game was still running when this was written. It can be replayed once '
            "it is over."
        )
    if said.get("Commitment", commitment(said["Seed"])) != commitment(said["Seed"]):
        promised = commitment(said["Seed"])
        raise _wrong(dune, "Commitment", f"the seed is not the one promised; its SHA-256 is {promised}")
    head = Head(
        game=said.get("Game", ""),
        ruleset=said["RuleSet"],
        options=_options(dune),
        seats=_seats(dune),
        rules=said.get("Rules", ""),
        commitment=commitment(said["Seed"]),
        day=_day(dune, "Began"),
    )
    _check_rules(dune, head)
    return head, said["Seed"], _day(dune, "Ended")


def _check_rules(dune: DuneText, head: Head) -> None:
    named = "RuleSet"
    try:
        rules = load_rule_set(head.ruleset)
        named = "Options"
        rules.with_options(head.options)
    except RuleSetError as error:
        raise NotARecord(str(error), dune.header_lines[named]) from error


def _wrong(dune: DuneText, name: str, why: str) -> NotARecord:
    return NotARecord(f'[{name} "{dune.headers[name]}"]: {why}.', dune.header_lines[name])


def _day(dune: DuneText, name: str) -> date | None:
    if not (said := dune.headers.get(name)):
        return None
    try:
        return date.fromisoformat(said)
    except ValueError:
        raise _wrong(dune, name, "a day is written like 2026-11-22") from None


def _seats(dune: DuneText) -> dict[Faction, int]:
    seats: dict[Faction, int] = {}
    for part in dune.headers["Seats"].split(","):
        name, _, said = part.strip().rpartition(" ")
        try:
            faction, dot = faction_named(name), int(said)
        except (Unreadable, ValueError):
            why = f"a seat is a faction and its dot, like “guild 8”, and not “{part.strip()}”"
            raise _wrong(dune, "Seats", f"{why}{did_you_mean(name, tuple(FACTION_FACTS))}") from None
        if dot not in DOTS:
            raise _wrong(dune, "Seats", f"the player dots lie in the sectors {', '.join(map(str, DOTS))}")
        if faction in seats or dot in seats.values():
            raise _wrong(dune, "Seats", f"“{part.strip()}” is taken: each faction has a seat, and each seat a dot")
        seats[faction] = dot
    return seats


def _options(dune: DuneText) -> dict[str, Any]:
    text, options = dune.headers.get("Options", "").strip(), dict[str, Any]()
    while text:
        name, found, text = text.partition("=")
        if not found:
            raise _wrong(dune, "Options", "an option is written like max_turns=10")
        word, _, rest = text.partition(",")
        try:
            value, end = _json.raw_decode(text)
            word, rest = "", text[end:].lstrip().removeprefix(",")
        except (ValueError, RecursionError):
            value = word.strip()
        options[name.strip()] = value
        text = rest.strip()
    return options


# --- lines ---------------------------------------------------------------------------------------------------------

_HEADER = re.compile(r"\[\s*(?P<name>[A-Za-z][\w.-]*)\s+(?P<value>\".*\")\s*\]")
_ENTRY = re.compile(
    r"(?:(?P<number>[0-9]{1,9})[.):]?(?=\s|-))?\s*(?:(?P<silence>-)\s*|(?P<who>[^:\"]+?)\s*:\s*)(?P<said>.*)"
)
_MORE = re.compile(r"\+\s*(?P<said>.*)")


def parse_dune(data: bytes) -> DuneText:
    try:
        text = unpacked(data).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = unpacked(data)[: error.start].count(b"\n") + 1
        raise NotARecord("the text is not in UTF-8.", line) from error
    dune = DuneText()
    reader = _Reader(dune)
    for number, said in _without_comments(unicodedata.normalize("NFC", text)):
        try:
            reader.line(number, said)
        except Unreadable as error:
            meant = " or ".join(f"“{order}”" for order in error.suggestions)
            raise NotARecord(f"{error}{f' {meant}' if meant else ''}", number) from error
    return dune


class _Reader:
    def __init__(self, dune: DuneText) -> None:
        self._dune = dune
        self._day: date | None = None
        self._count = 0
        self._edition: Edition | None = None

    def line(self, number: int, line: str) -> None:
        dune = self._dune
        if header := _HEADER.fullmatch(line):
            self._header(number, header["name"], header["value"])
        elif line.startswith(("[", "]")):
            raise Unreadable('a header is written like [Game "sietch-12"].')
        elif line.startswith("==") or line in ("(", ")"):
            return
        elif more := _MORE.fullmatch(line):
            self._more(more["said"])
        elif entry := _ENTRY.fullmatch(line):
            self._check_number(entry["number"])
            part = self._part(entry["who"], entry["said"])
            if isinstance(part, Decided):
                self._count += 1
            elif part.what == "rollback" and part.entries is not None:
                if part.entries > self._count:
                    raise Unreadable(f"the game cannot go back to {part.entries} entries; it has only {self._count}.")
                self._count = part.entries
            dune.story.append(part)
            dune.places.append(number)
        else:
            raise Unreadable(f"expected an entry like “{self._count} guild: pass”, found “{line[:80]}”.")

    def _header(self, number: int, name: str, value: str) -> None:
        try:
            said = json.loads(value)
            said.encode()
        except ValueError as error:
            raise Unreadable(f"the value of [{name}] cannot be read: {error}.") from error
        if name == "Day":
            try:
                self._day = None if said == UNKNOWN else date.fromisoformat(said)
            except ValueError:
                raise Unreadable('a day is written like [Day "2026-11-22"].') from None
            return
        if self._dune.story:
            raise Unreadable(f"[{name}] belongs above the first entry; only [Day] can come later.")
        if name in self._dune.headers:
            first = self._dune.header_lines[name]
            raise Unreadable(f"[{name}] already appears in line {first}.")
        self._dune.headers[name] = said
        self._dune.header_lines[name] = number

    def _check_number(self, number: str | None) -> None:
        if number is not None and int(number) != self._count:
            raise Unreadable(f"expected entry {self._count}, found entry {int(number)}.")

    def _more(self, said: str) -> None:
        last = self._dune.story[-1] if self._dune.story else None
        if not isinstance(last, Decided) or not isinstance(last.entry, Submitted):
            raise Unreadable("a plus adds an order to the message above it; there is none.")
        who = last.entry.faction
        entry = Submitted(who, (*last.entry.orders, self._order(who, said)))
        self._dune.story[-1] = Decided(n=last.n, day=last.day, entry=entry)

    def _part(self, who: str | None, said: str) -> Decided | Act:
        if who is not None and who.lower() == "mentat":
            return _act(said, self._day)
        entry: Entry
        if who is None:
            entry = _silence(said)
        elif who.lower() == GAME_MASTER:
            entry = _decided_by_game_master(said)
        else:
            entry = self._entry(faction_named(who), said)
        return Decided(n=self._count, day=self._day, entry=entry)

    def _entry(self, who: Faction, said: str) -> Entry:
        if said.lower() == EVERYTHING:
            return Withdrawn(who)
        if said.lower().startswith(f"{TAKE_BACK} "):
            return Withdrawn(who, self._order(who, said[len(TAKE_BACK) :].strip()))
        return Submitted(who, (self._order(who, said),))

    def _order(self, who: Faction, said: str) -> AnyOrder:
        if self._edition is None:
            self._edition = _edition_of(self._dune.headers.get("RuleSet", ""))
        return read_order(who, said, self._edition, self._dune.made)


def _edition_of(ruleset: str) -> Edition:
    try:
        return load_rule_set(ruleset).edition
    except RuleSetError:
        return EDITIONS[0]


def _decided_by_game_master(said: str) -> Entry:
    """Parse a decision of the game master: `last turn 6`, `void`, `agreed guild fremen`, `adjudicated emperor` or
    `correct spice guild +3`."""
    words = said.lower().replace(",", " ").split()
    if words[:2] == LAST_TURN.split() and len(words) == 3 and words[2].isdecimal():
        return LastTurn(int(words[2]))
    if words and words[0] in ("agreed", "adjudicated", "void"):
        how = cast(Literal["agreed", "adjudicated", "void"], words[0])
        return Stopped(how, tuple(faction_named(word) for word in words[1:]))
    if words[:1] == [CORRECT]:
        try:
            return Corrected(tuple(map(log.read_correction, said.strip()[len(CORRECT) :].split(";"))))
        except ValueError as error:
            raise Unreadable(f"a correction is wrong: {error}") from None
    raise Unreadable(f"a decision looks like “{LAST_TURN} 6”, “void” or “agreed guild”; found “{said[:80]}”.")


_GROUP = re.compile(r"(?P<kind>[a-z-]+)\s*(?:\((?P<plain>[^\"()]*)\)|\((?P<quoted>\".*\")\))?\s*:\s*(?P<who>[^:]+)")


def _silence(said: str) -> Expired:
    keys: list[Key] = []
    for group in _split(said):
        found = _GROUP.fullmatch(group)
        if found is None:
            raise Unreadable(f"silence is written like “- charity: guild, emperor”; found “{group}”.")
        kinds: Sequence[QuestionKind] = get_args(QuestionKind)
        kind = next((kind for kind in kinds if kind == found["kind"]), None)
        if kind is None:
            raise Unreadable(f"there is no question “{found['kind']}”{did_you_mean(found['kind'], kinds)}.")
        subject = _text(found["quoted"]) if found["quoted"] else (found["plain"] or "").strip()
        keys += [(faction_named(name.strip()), kind, subject) for name in found["who"].split(",")]
    return Expired(tuple(keys))


def _text(quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError as error:
        raise Unreadable(f"the words in quotes cannot be read ({error}).") from error


def _split(text: str) -> list[str]:
    parts, start = [], 0
    for place, sign in _signs(text):
        if sign == ";":
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]


_ACT = re.compile(
    r"(?P<what>\"(?:[^\"\\]|\\.)*\"|[^\",]+?)(?: to entry (?P<entries>[0-9]{1,9}))?(?:\s*,\s*(?P<why>\".*\"))?",
    re.IGNORECASE,
)


def _act(said: str, day: date | None) -> Act:
    found = _ACT.fullmatch(said)
    try:
        if found is None:
            raise ValueError(said)
        what = json.loads(found["what"]) if found["what"].startswith('"') else found["what"].lower()
        why = json.loads(found["why"]) if found["why"] else ""
    except ValueError:
        raise Unreadable(f'an act is written like “mentat: rollback to entry 12, "why"”; found “{said}”.') from None
    return Act(what=what, why=why, day=day, entries=int(found["entries"]) if found["entries"] else None)


# --- comments ------------------------------------------------------------------------------------------------------


def _without_comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines without their comments, each with its line number. A comment is in braces, or follows a ``#`` at
    the start of a line. Braces inside quotes or inside a value are not comments."""
    begun = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not begun and line.lstrip().startswith("#"):
            continue
        said, start = "", 0
        for place, sign in _signs(line, begun=bool(begun)):
            if sign == "{" and not begun:
                said, begun = said + line[start:place], number
            elif sign == "}" and begun:
                start, begun = place + 1, 0
        said += "" if begun else line[start:]
        if said := said.strip():
            yield number, said
    if begun:
        raise NotARecord("a comment begins here with “{” and does not end.", begun)


_VALUE_FOLLOWS = re.compile(r"(?:\border|\bunderstood)\s*$", re.IGNORECASE)


def _signs(text: str, *, begun: bool = False) -> Iterator[tuple[int, str]]:
    place, inside = 0, begun
    while place < len(text):
        sign = text[place]
        if inside:
            inside = sign != "}"
        elif sign == '"' or (sign == "{" and _VALUE_FOLLOWS.search(text[:place])):
            try:
                place = _json.raw_decode(text, place)[1]
                continue
            except (ValueError, RecursionError):
                pass
        elif sign == "{":
            inside = True
        if sign in "{};":
            yield place, sign
        place += 1
