"""Records of short games: their text (``game.dune``) as people change it, read and played; and their lines
(``game.jsonl``) with something dropped, changed, cut, or forged with its chain put right."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import unified_diff
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import asdict as as_dict

from bot.games.proof import _Watched, compare_chain, verify, verify_file
from bot.record.dune import said_by, write_dune
from bot.record.dune_reader import DuneText, looks_like_dune, parse_dune, read_dune
from bot.record.lines import Decided, Told, made_deals, rules_of
from bot.record.reader import (
    NotARecord,
    ReadRecord,
    difference_from_rules,
    outcome_of,
    read_record,
    read_running_record,
)
from bot.store import games
from bot.store.archive import KeptChain, Record
from bot.store.games import KeptSnapshot
from rules.components import FACTIONS
from rules.engine.catalogue import load_rule_set
from rules.engine.log import Snapshot
from rules.engine.play import Play
from rules.players import RandomPlayer, random_seats
from rules.state import events
from tests.approved.subject import Subject, vary_words
from tests.archive.damage import _chained
from tests.archive.records import KEY, of_log
from tests.archive.test_dune import head
from tests.recorded.mastering import RandomMaster
from tests.transcripts.scenarios.reading import LINES

GAMES = (("wbc-2018", "spice", 3, 34, 60), ("gf9-advanced", "melange", 4, 40, 25), ("ah-basic", "sand", 2, 32, 90))
"""Rule set, seed, players, entries, how many hundredths of their acts are bargains."""
MOST_TOLD = 60
LONGEST = 9000


@lru_cache
def _game(ruleset: str, seed: str, players: int, entries: int, bargains: int) -> str:
    """The text of a game that its master ended early."""
    rules = load_rule_set(ruleset)
    seats = random_seats(seed, FACTIONS[:players])
    play = Play.start(rules, seed, seats)
    play.advance()
    player, master = RandomPlayer(seed, impulses=40, bargains=bargains), RandomMaster(seed)
    while len(play.log) < entries and not play.over:
        if len(play.log) % 9 or not master.act(play):
            player.act(play)
    if not play.over:
        play.stop("agreed", list(seats)[:1])
    data = of_log(ruleset, seed, list(seats), play.log, acts=True)
    return write_dune(read_record(data), {"Player.guild": 'a "guest"'})


Edits = Sequence[list[list[Any]]]
_OF_LINES: Edits = (
    [], [["drop", 5]], [["cut", -1]], [["swap", 7], ["chain"]], [["crlf"]], [["gzip", 20]], [["drop", 5], ["chain"]],
    [["cut", 40], ["chain"]], [["raw", 0, "x" * 80]], [["raw", 3, "{}"]], [["raw", 4, "x" * 81]],
    [["twice", 6], ["chain"]], [["packed"]], [["empty"]], [["salted"]],
)  # fmt: skip
_SET = (
    (0, "record"), (0, "game"), (3, "t"), (4, "n"), (9, "number"), (11, "got"), (12, "size"), (-1, "seed"), (-1, "sum"),
    (-2, "entries"), (30, "what"), (5, "event"), (-1, "turn"),
)  # fmt: skip
_OF_ALL_THAT_IS_KEPT: Edits = (
    [], [["seed"]], [["dots"]], [["ruleset", "none"]], [["counted", 0, 0]], [["counted", 1, 0]], [["counted", 0, 1]],
    [["log", 3, "guild", "fremen"]], [["log", 5, ",", ", "]], [["log", 4, "{", ""]], [["log", 20, "3", "4"]],
    [["event", 7, "1", "2"]], [["no event", -1]], [["no entry", -1]],
)  # fmt: skip
_SPOILT = ("changed", "gone", "digest", "entries", "events", "whole", "not whole")
_OF_FILES: Edits = ([["mentat"]], [["name"]], [["lines"]], [["cut", 40], ["lines"]], [["dune"]], [["head"]])


def _seeds() -> Iterator[str]:
    for game in GAMES:
        text = _game(*game)
        yield _input("play", text, [])
        yield _input("parse", text, [])
        for place, name in _SET:
            for value in (1, "x", None):
                yield _input("lines", text, [["set", place, name, value]])
                yield _input("lines", text, [["set", place, name, value], ["chain"]])
            yield _input("lines", text, [["one more", place, name], ["chain"]])
        yield from (_input("lines", text, edits) for edits in _OF_LINES)
        yield from (_input(how, text, edits) for how in ("verify", "file") for edits in _OF_ALL_THAT_IS_KEPT)
        yield from (_input("verify", text, [["snapshot", place, what]]) for what in _SPOILT for place in (0, 1, -1))
        yield from (_input("file", text, edits) for edits in _OF_FILES)
    yield from _typed()


def _typed() -> Iterator[str]:
    """Lines as people type them, below some headers."""
    for body in (*([line] for line in _LINES), _LINES, ["# one", "0. Gui :  pass { all", "  more }", "+ Bid up to 7"]):
        yield _input("parse", head(*body).decode(), [])
    for place in (0, 40, 200):
        text = head("guild: pass", "fremen: pass").decode()
        yield _input("parse", f"{text[:place]}\ud800{text[place:]}", [])
    orders = [line for line in LINES.read_text(encoding="utf-8").splitlines() if "⏎" not in line]
    for place in range(0, len(orders), 3):
        lines = [f"{who}: {line}" for who, line in zip(("guild", "fremen", "gui"), orders[place:], strict=False)]
        yield _input("parse", head(*lines[:1]).decode(), [])
        yield _input("parse", head(*lines).decode(), [])


def _input(how: str, text: str, edits: Sequence[Any]) -> str:
    return json.dumps([how, text, edits])


# --- variations ------------------------------------------------------------------------------------------------------

_FIELDS = ("n", "turn", "phase", "day", "got", "size", "label", "salt", "prev", "t", "what", "entries", "seed", "sum",
           "record", "commitment", "game", "ruleset", "winners", "words", "number", "entry", "event")  # fmt: skip
_LINES = (
    "# a remark", "( ", ")", "+ pass", "{ open", "} closed", "mentat: rollback to entry 3", '[Day "unknown"]',
    '[Day "2026-11-31"]', "game master: last turn 6", "game master: void", "game master: agreed guild", "guild: pass",
    "12 guild: bid 2", "mentat: extend 24, \"why\"", "== turn 2, storm ==", "guild: take back everything",
    "guild: take back bid 2", "- charity: guild, fremen; revival: guild", "- bid (\"x\"): guild", "fremen: order {}",
    "game master: correct spice guild +3", '[Seed ""]', '[Options "max_turns=10, x=true"]', '[Ended "2026-11-3"]',
)  # fmt: skip


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    how, dune, edits = json.loads(text)
    if chance.randrange(4) == 0:
        how = chance.choice(("parse", "play", "lines"))
    if how not in ("play", "parse"):
        edits = edits if chance.random() < 0.5 else []
        edits = [*edits, *json.loads(chance.choice(others))[2]][-3:]
        if how != "lines":
            return _input(how, dune, edits)
    if how == "lines":
        if len(dune) not in {len(_game(*game)) for game in GAMES}:
            dune = _game(*chance.choice(GAMES))
        edits = [*edits, _edit(chance)][-3:] if chance.random() < 0.8 else [_edit(chance), ["chain"]]
        return _input(how, dune, edits)
    lines = dune.split("\n")
    for _ in range(chance.choice((1, 1, 2, 3))):
        place = chance.randrange(len(lines)) if chance.random() < 0.6 else chance.randrange(min(18, len(lines)))
        match chance.randrange(7):
            case 0 if len(lines) > 3:
                del lines[place]
            case 1:
                lines.insert(place, lines[chance.randrange(len(lines))])
            case 2 | 3:
                lines.insert(place, chance.choice(_LINES))
            case 4 if len(lines) > 12:
                del lines[chance.randrange(12, len(lines)) :]
            case _:
                lines[place] = vary_words(chance, lines[place], lines)
    return _input(how, "\n".join(lines)[:LONGEST], [])


def _edit(chance: Random) -> list[Any]:
    place = chance.randrange(-3, 60)
    match chance.randrange(10):
        case 0 | 1 | 2 | 3:
            return ["set", place, chance.choice(_FIELDS), chance.choice((0, 1, 2, "x", "0f" * 16, None, {}, ["guild"]))]
        case 4:
            return ["one more", place, chance.choice(("n", "turn", "got", "size", "entries", "number", "record"))]
        case 5:
            return [chance.choice(("drop", "twice", "swap", "cut")), place]
        case 6:
            return ["raw", place, chance.choice(("", "{}", "[]", "no line", '{"t":"draw"}', "x" * 79, "x" * 81))]
        case 7:
            return ["gzip", chance.choice((0, 1, 5, 20))]
        case 8:
            return [chance.choice(("crlf", "chain", "salted", "packed", "empty"))]
        case _:
            return ["chain"]


# --- what is told ----------------------------------------------------------------------------------------------------


_OF_PYTHON = re.compile(
    r"\((?:Expecting|Invalid|Extra data|Unterminated|Illegal|Error -|CRC|Compressed|Not a gzipped|'utf-8' codec)"
    r"(?:[^()]|\([^()]*\))*\)"
    r"|(?<=: )(?:Expecting|Invalid|Extra data|Unterminated|Illegal)[^\n]*|'\\x1f[^\n]*"
)
"""Why Python could not read something, and what it has packed: other versions of it say and do so otherwise."""


def _told(text: str) -> str:
    return _OF_PYTHON.sub("(why)", _all_of_it(text))


def _all_of_it(text: str) -> str:
    how, dune, edits = json.loads(text)
    try:
        match how:
            case "parse":
                return _parsed(parse_dune(dune.encode(errors="surrogatepass")))
            case "play":
                return _played(dune)
    except NotARecord as error:
        return f"line {error.line}: {error}"
    try:
        return {"verify": _verified, "file": _of_file}.get(how, _of_lines)(dune, edits)
    except (LookupError, TypeError, ValueError) as error:
        return f"nothing of this can be looked at: {type(error).__name__}"


def _parsed(dune: DuneText) -> str:
    told = [f"{name} = {value} in line {dune.header_lines[name]}" for name, value in dune.headers.items()]
    for place, part in zip(dune.places, dune.story, strict=True):
        said = said_by(part.entry, dune.made) if isinstance(part, Decided) else ("mentat", [f"{as_dict(part)}"])
        told.append(f"{place}: {getattr(part, 'n', '')} {part.day} {said[0]}: {' + '.join(said[1])}")
    return "\n".join([*told, f"{dune.made}"])


def _played(dune: str) -> str:
    record, more = read_dune(dune.encode())
    again = write_dune(record, more) if record.end else ""
    lines = list(unified_diff(dune.splitlines(), again.splitlines(), lineterm="", n=0))
    events = [line.event for line in record.lines if isinstance(line, Told)]
    outcome = outcome_of(events)
    table = outcome.table(record.head.game, record.head.ruleset, record.head.seats, began=record.head.day,
                          ended=record.end.day if record.end else None)  # fmt: skip
    return "\n".join(
        [f"{more} {len(record.lines)} lines, {looks_like_dune(dune.encode())}", f"{as_dict(table)}",
         f"{made_deals(record.lines)}", *(lines[:MOST_TOLD])]
    )  # fmt: skip


@lru_cache
def _record(dune: str) -> tuple[ReadRecord, Record, Play]:
    """What a text leads to, what is kept of such a game in the database, and the game played again."""
    record, _ = read_dune(dune.encode())
    head, end = record.head, record.end
    assert end is not None
    log = [line.entry for line in _counting(record)]
    play = Play.start(rules_of(head), end.seed, dict(head.seats))
    play.replay(log)
    chain = KeptChain(record.data, len(record.data), record.chain_head, KEY)
    kept = Record(head.game, head.ruleset, head.options, end.seed, head.commitment, head.seats, (), (), chain=chain)
    return record, kept, play


def _counting(record: ReadRecord) -> list[Decided]:
    found: list[Decided] = []
    for part in record.story():
        if isinstance(part, Decided):
            found.append(part)
        elif part.entries is not None:
            del found[part.entries :]
    return found


def _of_lines(dune: str, edits: Sequence[Any]) -> str:
    try:
        record, kept, play = _record(dune)
    except NotARecord as error:
        return f"no game: {error}"
    data = _edited(list(record.data), edits, kept.seed)
    told = [_said(data)]
    chain = KeptChain(data.split(b"\n")[:-1], kept.chain.count, kept.chain.head, KEY) if kept.chain else None
    told.append(compare_chain(Record(**{**_fields(kept), "chain": chain}), play) or "it holds as kept")
    return "\n".join(told)


def _fields(kept: Record) -> dict[str, Any]:
    return {name: getattr(kept, name) for name in kept.__dataclass_fields__}


def _said(data: bytes) -> str:
    """What is said of a file: whole, as of a game that may be still running, and played again."""
    said = []
    for reading in (read_running_record, read_record):
        try:
            found = reading(data)
        except NotARecord as error:
            said.append(f"{error.line}: {error}")
        else:
            said.append(f"{len(found.lines)} lines, ends {found.end}")
            if reading is read_record:
                said.append(difference_from_rules(found) or "it plays")
    return "\n".join(said)


def _edited(rows: list[bytes], edits: Sequence[Any], seed: str) -> bytes:
    after: list[Any] = []
    for what, *how in edits:
        place = how[0] % len(rows) if how and rows and what != "gzip" else 0
        match what:
            case "drop":
                del rows[place : place + 1]
            case "twice":
                rows[place:place] = rows[place : place + 1]
            case "swap" if place + 1 < len(rows):
                rows[place], rows[place + 1] = rows[place + 1], rows[place]
            case "cut":
                del rows[place:]
            case "raw" if rows:
                rows[place] = how[1].encode()
            case "set" | "one more" if rows:
                rows[place] = _changed(rows[place], how[1], *how[2:])
            case "chain" | "salted":
                rows = _put_right(rows, seed if what == "salted" else "")
            case _:
                after.append([what, *how])
    data = b"".join(row + b"\n" for row in rows)
    for what, *how in after:
        match what:
            case "crlf":
                data = data.replace(b"\n", b"\r\n")
            case "packed":
                data = gzip.compress(data, mtime=0)
            case "gzip":
                packed = gzip.compress(data, mtime=0)
                data = packed[: len(packed) - how[0]]
            case "empty":
                data = b""
    return data


def _put_right(rows: list[bytes], seed: str) -> list[bytes]:
    try:
        return _chained([json.loads(row) for row in rows], seed).split(b"\n")[:-1]
    except (ValueError, KeyError, TypeError, AttributeError):
        return rows


def _changed(row: bytes, name: str, *value: Any) -> bytes:
    """The line with one field as it was not, wherever it stands in it; or with a number one more."""
    try:
        line = json.loads(row)
    except ValueError:
        return row
    holder = line
    for inner in ("entry", "event"):
        if isinstance(line, dict) and name not in line and isinstance(line.get(inner), dict) and name in line[inner]:
            holder = line[inner]
    if not isinstance(holder, dict):
        return row
    if value:
        holder[name] = value[0]
    elif isinstance(holder.get(name), int):
        holder[name] += 1
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()


# --- what is kept in a database, and in files ------------------------------------------------------------------------


def _kept(dune: str, edits: Sequence[Any]) -> Record:
    """All that is kept of a game, with what the edits make of it."""
    record, kept, play = _record(dune)
    log = [games.encode_entry(line.entry) for line in _counting(record)]
    told = [events.encode(event) for event in play.events]
    watched = _Watched.start(rules_of(record.head), kept.seed, dict(kept.dots))
    watched.replay([line.entry for line in _counting(record)])
    last = (watched.snapshot.turn, watched.snapshot.phase)
    snapshots = {where: _stored(made, whole=where == last) for where, made in watched.snapshots.items()}
    counted = (len(log), len(told))
    for what, *how in edits:
        match what:
            case "log" | "event":
                rows = log if what == "log" else told
                rows[how[0] % len(rows)] = rows[how[0] % len(rows)].replace(how[1].encode(), how[2].encode(), 1)
            case "no event" | "no entry":
                del (told if what == "no event" else log)[how[0]]
            case "counted":
                counted = (len(log) + how[0], len(told) + how[1])
            case "snapshot":
                where = list(snapshots)[how[0]]
                snapshots[where] = _spoilt(snapshots[where], how[1])
    if not any(each[0] == "counted" for each in edits):
        counted = (len(log), len(told))
    named = {each[0]: each[1:] for each in edits}
    return Record(
        kept.id, named.get("ruleset", [kept.ruleset])[0], kept.options, "x" if "seed" in named else kept.seed,
        kept.commitment, {} if "dots" in named else kept.dots, log, told, snapshots, counted, kept.chain,
    )  # fmt: skip


def _stored(made: Snapshot, *, whole: bool) -> KeptSnapshot:
    digest = hashlib.sha256(made.state).hexdigest()
    return KeptSnapshot(digest, made.entries, made.events, whole=whole, unchanged=True)


def _spoilt(snapshot: KeptSnapshot, what: str) -> KeptSnapshot:
    ways: dict[str, dict[str, Any]] = {
        "changed": {"unchanged": False}, "digest": {"digest": "0f"}, "whole": {"whole": True},
        "not whole": {"whole": False}, "entries": {"entries": snapshot.entries + 1},
        "events": {"events": snapshot.events + 1},
    }  # fmt: skip
    return replace(snapshot, **ways.get(what, {}))


def _verified(dune: str, edits: Sequence[Any]) -> str:
    return f"{verify(_kept(dune, edits))}"


def _of_file(dune: str, edits: Sequence[Any]) -> str:
    """What is said of a file: a document of before, lines, or a text, with what the edits make of it."""
    last = edits[-1][0] if edits else ""
    record, kept, _ = _record(dune)
    if last == "lines":
        data = _edited(list(record.data), edits[:-1], kept.seed)
    elif last == "dune":
        data = dune.encode()
    else:
        document = json.loads(_kept(dune, edits).as_json())
        document = {"mentat": 2} if last == "mentat" else document
        if last in ("name", "head"):
            document = dict(list(document.items())[1:] if last == "head" else [])
        data = (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "game"
        file.write_bytes(data)
        try:
            proof = verify_file(file)
        except NotARecord as error:
            return f"{error}".replace(folder, "FOLDER")
    return f"{proof} {proof.holds}"


SUBJECT = Subject("records", ("bot.record", "bot.games"), _seeds, _vary, _told)
