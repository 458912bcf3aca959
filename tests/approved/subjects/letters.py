"""Positions as a reader is told of them: every kind of letter, posts for forums, the picture of the board.

An input is what the moderator hands over (``bot.render.material``) as JSON, and what kind of letter is made of it.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import pytest

from bot.games.letter_writer import LetterWriter
from bot.render import blocks as document
from bot.render import letters
from bot.render.blocks import Document
from bot.render.board import Look
from bot.render.forum_posts import DIALECTS, ReportPart, cut_into_posts
from bot.render.material import LineVerdict, News, Position, PressReceived, Rendering
from bot.render.news import Changes, changes, chapters
from bot.render.picture import board_digest, ground_of_pages, overlay, svg
from bot.render.position import before_shields
from bot.render.summary import fights, summary_blocks
from bot.render.text import as_text
from tests.approved.json_inputs import vary_json
from tests.approved.subject import Subject
from tests.approved.subjects.tables import SUBJECT as TABLES
from tests.approved.table_life import Life, settings
from tests.recorded.games import read
from tests.recorded.of_rulings import folders, kept_file
from tests.reports.every_letter import CROWDED, KINDS, LONG, RICH
from tests.reports.golden_letters import OVER, PASSED, PUBLIC
from tests.reports.positions import DUE, HARKONNEN, LINES, MOVEMENT, SHIPMENT
from tests.transcripts.letters import page_in_short, without_hashes

EVERY = 4
LOOKS = ("", "dark", "names", "names dark")
BY_HAND = (HARKONNEN, RICH, CROWDED, OVER, PUBLIC)
NOW = datetime(2026, 11, 24, 20, tzinfo=UTC)
Given = dict[str, Any]


class Asked(msgspec.Struct):
    """What a letter is made of."""

    kind: str
    position: Position
    lines: tuple[LineVerdict, ...] = LINES
    passed: PressReceived = PASSED
    texts: tuple[str, ...] = ("A note.",)
    flag: bool = False
    page: bool = False
    look: str = ""


def _as_json(value: object) -> Any:
    return value.key if isinstance(value, ZoneInfo) else str(value)


def _from_json(kind: type, value: Any) -> Any:
    if kind is not ZoneInfo:
        raise NotImplementedError(kind)
    try:
        return ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError("there is no such zone") from error


_decoder = msgspec.json.Decoder(Asked, dec_hook=_from_json)
_encoder = msgspec.json.Encoder(enc_hook=_as_json)


def _text(asked: object) -> str:
    return _encoder.encode(asked).decode()


# --- seeds -----------------------------------------------------------------------------------------------------------


def _seeds() -> Iterator[str]:
    for number, position in enumerate((*BY_HAND, *_played())):
        for kind in OF_BLOCKS if number < len(BY_HAND) else (_kind(number, position),):
            lines = LONG if number % 2 else LINES
            yield _text(Asked(kind, position, lines, page=number % 10 == 0, look=LOOKS[number % 4]))
    yield from _answers()
    for number, position in enumerate(_of_rulings()):
        yield _text(Asked(("summary", "post", "report", "board", "full", "end")[number % 6], position))
    yield from _documents()
    units = [f"{word} " * 30 for word in ("one", "two", "three")]
    yield _text(
        {"kind": "cut", "parts": [[1, "Turn 1", "Turn 1, on", units], [2, "Turn 2", "on", units]], "limit": 700}
    )


def _kind(number: int, position: Position) -> str:
    if position.view["winner"] and position.view["phase"] == "over":
        return "end"
    of_all = ("summary", "post", "board", "full")
    kinds = of_all if position.reader.viewer == "public" else (*OF_BLOCKS, "report", "report")
    return kinds[number % len(kinds)] if kinds[number % len(kinds)] != "end" else "report"


def _played() -> Iterator[Position]:
    """Readers of the games that are seeds at tables, somewhere in them."""
    writer = LetterWriter(settings())
    for number, text in enumerate([*TABLES.seeds()][::EVERY]):
        given = json.loads(text)
        life = Life(given, NOW)
        for step in given["steps"]:
            life.take(step)
        viewers: Sequence[Any] = ("public", *life.table.seats)
        viewer = viewers[number % len(viewers)]
        life.table.call = life.table.call if number % 3 else ""
        yield writer.position(life.table, viewer, life.now, life.table.play.events)


def _answers() -> Iterator[str]:
    """Answers to one line, or two; and what is asked by different times, some of it answered."""
    for first in range(len(LINES)):
        for last in (first + 1, first + 2):
            for flag in (True, False):
                yield _text(Asked("answer", (HARKONNEN, OVER)[last % 2], LINES[first:last], texts=(), flag=flag))
    for hours in (-1, 1, 30):
        asked = (SHIPMENT, replace(MOVEMENT, due=DUE + timedelta(hours=hours)), replace(SHIPMENT, answered=("pass",)))
        for kind in ("report", "reminder", "games", "day", "answer", "setup"):
            for wanted in (asked, asked[1:], asked[2:], (replace(MOVEMENT, due=None), *asked)):
                yield _text(Asked(kind, replace(HARKONNEN, wanted=wanted), flag=hours < 0))
    for name in ("Guild", "Bene Gesserit of all the houses"):
        sides = [{"name": name, "score": "12", "result": "won"}, {"name": name * 2, "score": "", "result": "lost"}]
        rows = [["Dial", "7, with 7 spice", "2.5"], ["Leader", f"{name} " * 3, "nobody"]]
        fight = {
            "block": "Fight",
            "place": "Carthag",
            "about": name * 3,
            "sides": sides,
            "rows": rows,
            "remarks": [name],
        }
        yield _text({"kind": "blocks", "blocks": [fight, {"block": "Buttons", "buttons": []}, fight]})


def _of_rulings() -> Iterator[Position]:
    """News of each kind, as rulings tell them, and what one player alone was told of them."""
    seen = set[str]()
    for folder in folders():
        for game in read(kept_file(folder)):
            happened = [json.loads(bytes(each)) for each in (*game.opening, *(e for s in game.steps for e in s.events))]
            sorts = {f"{each['kind']} {sorted(each['facts'])} {sorted(each['private'])[:1]}" for each in happened}
            if sorts <= seen:
                continue
            seen |= sorts
            viewer = next((who for each in happened for who in each["private"]), "harkonnen")
            news = tuple(
                News(each["turn"], each["phase"], each["kind"], each["facts"], each["private"].get(viewer, {}))
                for each in happened
            )
            base = (PUBLIC, HARKONNEN, CROWDED)[len(seen) % 3]
            yield replace(base, news=news, background=news[:5] if len(seen) % 2 else base.background)


def _documents() -> Iterator[str]:
    """The blocks of the letters that were made by hand."""
    found: list[Document] = []

    def kept(made: Document) -> str:
        found.append(made)
        return as_text(made)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letters, "as_text", kept)
        for written in KINDS.values():
            written()
    for made in found:
        blocks = [{"block": type(block).__name__, **msgspec.to_builtins(block)} for block in made.blocks]
        yield _text({"kind": "blocks", "blocks": blocks})


# --- what is told ----------------------------------------------------------------------------------------------------


def _report(asked: Asked) -> Rendering:
    return letters.private_report(asked.position)


def _answer(asked: Asked) -> Rendering:
    return letters.reply_to_orders(asked.position, asked.lines, asked.texts, asked.flag, posted=not asked.flag)


def _games(asked: Asked) -> Rendering:
    others = (HARKONNEN, asked.position) if asked.flag else (asked.position, RICH)
    return letters.reminder_of_games(others, "last-reminder" if asked.flag else "reminder")


def _day(asked: Asked) -> Rendering:
    others = (HARKONNEN, asked.position) if asked.flag else (asked.position, RICH)
    return letters.digest_of_games(others, "cup", "several games", asked.texts)


OF_BLOCKS: Mapping[str, Callable[[Asked], Rendering]] = {
    "report": _report,
    "setup": lambda asked: letters.setup_letter(asked.position),
    "briefing": lambda asked: letters.briefing(asked.position, "You play from now on", asked.texts),
    "answer": _answer,
    "reminder": lambda asked: letters.reminder(asked.position, "last-reminder" if asked.flag else "reminder"),
    "games": _games,
    "day": _day,
    "summary": lambda asked: letters.public_summary(asked.position),
    "full": lambda asked: letters.full_summary(replace(PUBLIC, news=asked.position.news), (asked.position,)),
    "end": lambda asked: letters.end_of_game(asked.position),
    "notice": lambda asked: letters.notice(asked.position if asked.flag else None, "a subject", asked.texts),
    "press": lambda asked: letters.press(asked.position, asked.passed),
    "post": lambda asked: Rendering(asked.kind, _post(asked), ""),
    "board": lambda asked: Rendering(asked.kind, _board(asked), ""),
}


def _post(asked: Asked) -> str:
    """The summary in every dialect, one of them whole."""
    blocks = summary_blocks(asked.position)
    written = {name: dialect.written(blocks) for name, dialect in DIALECTS.items()}
    whole = list(written)[len(asked.position.news) % len(written)]
    return "\n".join([f"{name} {_digest(text)}" for name, text in written.items()] + [written[whole]])


def _board(asked: Asked) -> str:
    view, look = asked.position.view, Look.of(asked.look)
    changed: Changes = changes(asked.position.news)
    laid = overlay(view, changed, look)
    drawn = "\n".join([laid.patterns, laid.pieces, laid.legend]).replace("><", ">\n<")
    ground = ground_of_pages(view["shield_wall"], look)
    return "\n".join(
        [
            f"{board_digest(view)} {_digest(svg(view, changed, look))} {laid.height} {_digest(ground)}",
            f"{changed}",
            drawn,
        ]
    )


def _told(text: str) -> str:
    logging.disable(logging.WARNING)
    try:
        given = json.loads(text)
        if given["kind"] == "cut":
            return _cut(given)
        return _blocks(given) if given["kind"] == "blocks" else _letter(_decoder.decode(text))
    except msgspec.ValidationError as error:
        return f"no position: {error}"
    except Exception as error:
        return f"nobody can be told this: {type(error).__name__}"
    finally:
        logging.disable(logging.NOTSET)


def _letter(asked: Asked) -> str:
    rendered = OF_BLOCKS[asked.kind](asked)
    page = page_in_short(rendered.html)
    news = asked.position.news
    also = f"{len(chapters(news))} chapters, {len(fights(news))} battles; {before_shields(asked.position)}"
    form = f"{len(rendered.form)} lines of a form, news told: {rendered.told}; {also}"
    pieces = (
        rendered.subject,
        without_hashes(rendered.text),
        form,
        f"page {_digest(page)}",
        page if asked.page else "",
    )
    return "\n".join(pieces)


def _blocks(given: Mapping[str, Any]) -> str:
    """Blocks in plain text, and as far as they are for all, in a dialect."""
    kinds = {name: getattr(document, name) for name in {block["block"] for block in given["blocks"]}}
    blocks = [msgspec.convert(_but(block), kinds[block["block"]], strict=False) for block in given["blocks"]]
    said = [as_text(Document("", "", blocks))]
    for dialect, block in zip([*DIALECTS.values()] * len(blocks), blocks, strict=False):
        try:
            said += dialect.units(block)
        except TypeError as error:
            said.append(f"{error}")
    return "\n".join(said)


def _but(block: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in block.items() if name != "block"}


def _cut(given: Mapping[str, Any]) -> str:
    posts = cut_into_posts([ReportPart(*part) for part in given["parts"]], given["limit"])
    return "\n".join(f"=== {post.numbers}\n{post.text}" for post in posts)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


_other = vary_json(free=None)


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    given: Given = json.loads(text)
    if "position" not in given:
        return _other(chance, text, [other for other in others if '"position"' not in other] or [text])
    match chance.randrange(8):
        case 0:
            given["kind"] = chance.choice(list(OF_BLOCKS))
        case 1:
            given["look"], given["flag"] = chance.choice(LOOKS), not given["flag"]
        case 2:
            given["position"]["reader"]["viewer"] = chance.choice(["public", *given["position"]["view"]["players"]])
        case 3 | 4:
            other = json.loads(chance.choice(others)).get("position", given["position"])
            name = chance.choice(
                ("news", "wanted", "news", "view", "background", "secrets", "revealed", "call", "press")
            )
            given["position"][name] = other[name]
        case _:
            given = json.loads(_other(chance, text, [chance.choice(others) for _ in range(2)]))
    news = given["position"]["news"]
    given["position"]["news"] = news[-60:]
    return json.dumps(given)


SUBJECT = Subject("letters", ("bot.render", "bot.wording"), _seeds, _vary, _told)
