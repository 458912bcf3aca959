"""The archive as a folder of files: games, lists, tournaments; and the reports of games for forums.

What a page is made from besides words (the data of the replay, styles) stands as a digest where it is large.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import get_args

import msgspec

from bot.archive.games import ArchivePolicy, FactionWorth, FinishedGame, Place, RatedPlayer, RatingList
from bot.archive.lists import list_files
from bot.archive.site import Offered, build
from bot.archive.texts import forum_posts, texts_of_game
from bot.competition.published import with_sums
from bot.record.lines import Decided
from bot.render.forum_posts import Format
from tests.archive.finished import finished
from tests.archive.many_games import many_games
from tests.archive.running import running
from tests.competition.published_example import example, under_way
from tests.transcripts.letters import page_in_short
from tests.transcripts.scenario import scenario
from tests.transcripts.transcript import Piece

DAY = date(2026, 3, 2)
LONGEST_LINE = 2_000
RATED = ("=SUM(A1)", "Ann", "Bob", "<i>Cid</i>", "Dora", "Eve", "Fay", "Gil", "Husayn")
KEYS = ("SHA256SUMS", "all-games.tar.gz", "build.json")
_DIGITS = re.compile(r"\b[0-9a-f]{64}\b")


def files_of(folder: Path) -> Iterator[Piece]:
    """Every file of a folder. Those that hold nothing but digests are only named."""
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        name = file.relative_to(folder).as_posix()
        yield Piece(name, "" if file.name in KEYS or "/." in f"/{name}" else text_of(name, file.read_bytes()))


def text_of(name: str, content: bytes) -> str:
    """A file as text: pages in short, without digests of other files; lines that are data as a digest."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return f"{len(content)} bytes"
    if name.endswith(".html"):
        text = page_in_short(text)
    return "\n".join(map(_in_short, _DIGITS.sub("(hash)", text).split("\n")))


def _in_short(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:200]} … {len(line)} characters, ~{hashlib.sha256(line.encode()).hexdigest()[:8]}"


def in_days(game: FinishedGame, apart: int = 1) -> FinishedGame:
    """The game with a day for each decision."""
    lines = [
        Decided(n=line.n, day=DAY + timedelta(days=line.n // 12 * apart), entry=line.entry)
        if isinstance(line, Decided)
        else line
        for line in game.lines
    ]
    return replace(game, lines=lines, began=DAY, ended=DAY + timedelta(days=90))


def offered(*games: FinishedGame) -> list[Offered[FinishedGame]]:
    return [Offered(game.id, "1", lambda game=game: game, game.place) for game in games]  # type: ignore[misc]


@scenario
def finished_game(folder: Path) -> Iterator[Piece]:
    """A game that is over, with everything shown."""
    cast = {
        faction: replace(each, name=("Ann", "<b>Bob</b>", "")[number % 3], listed=number % 2 == 0)
        for number, (faction, each) in enumerate(finished("wbc-2018", "plots").cast.items())
    }
    game = replace(in_days(finished("wbc-2018", "plots")), cast=cast)
    built = build(folder / "site", offered(game), (), RatingList((RatedPlayer("Ann", 1600, 80, 12, 1),)))
    yield Piece("built", str(built).replace(str(folder), "FOLDER"))
    yield from files_of(folder / "site")


@scenario
def several_games(folder: Path) -> Iterator[Piece]:
    """Games of other rule sets: of one only the public side is shown, one was shown late while it ran, one runs.
    Then they are built again, with one of them gone."""
    games = [
        replace(in_days(finished("gf9-advanced", "plots", 5)), policy=ArchivePolicy(ended="public-only")),
        replace(finished("ah-basic", "plots", 3), policy=ArchivePolicy(running="delayed", delay=2)),
        replace(finished("vaca-2.0", "plots", 4), ended=DAY),
    ]
    going = replace(running(finished("ah-advanced", "plots"), "plots"), policy=ArchivePolicy(running="public"))
    under = [Offered(going.id, "1", lambda: going)]
    first = build(folder / "site", offered(*games), under, RatingList())
    yield Piece("built", str(first).replace(str(folder), "FOLDER"))
    yield from files_of(folder / "site")
    again = build(folder / "site", offered(*games), under, RatingList())
    yield Piece("built again", str(again).replace(str(folder), "FOLDER"))
    fewer = build(folder / "site", offered(*games[2:]), (), RatingList())
    yield Piece("built with fewer", str(fewer).replace(str(folder), "FOLDER"))
    yield from files_of(folder / "site" / "site")


@scenario
def tournaments(folder: Path) -> Iterator[Piece]:
    """A finished tournament with a game of it, and one that is under way."""
    place = Place("arrakeen", "The Arrakeen Cup", 1, 1)
    game = replace(finished("wbc-2018", "tournament", 3), id="arrakeen-1-1", place=place, ended=date(2026, 5, 5))
    going = with_sums(msgspec.structs.replace(under_way(), tournament="second"))
    events = [Offered(each.tournament, "", lambda each=each: each) for each in (example(), going)]  # type: ignore[misc]
    built = build(folder / "site", offered(game), (), None, events)
    yield Piece("built", str(built).replace(str(folder), "FOLDER"))
    for piece in files_of(folder / "site"):
        if "tournament" in piece.heading or piece.heading.endswith(("index.html", "feed.xml")):
            yield piece


@scenario
def lists_of_many_games(folder: Path) -> Iterator[Piece]:
    """The lists and statistics of games that are made up, with ratings."""
    ratings = RatingList(
        tuple(RatedPlayer(name, 1700 - 20 * n, 60 + n, 4 + n, max(0, 6 - n)) for n, name in enumerate(RATED)),
        tuple(FactionWorth(rules, size, faction, tenths)
              for rules, size in (("wbc-2018", 6), ("gf9-advanced", 5))
              for tenths, faction in zip((-120, 5, 0, 77), ("guild", "atreides", "emperor", "fremen"), strict=True)),
    )  # fmt: skip
    for number in (0, 1, 60):
        for name, content in sorted(list_files(many_games(number), running=bool(number), ratings=ratings).items()):
            yield Piece(f"{number} games: {name}", text_of(name, content))


@scenario
def texts(folder: Path) -> Iterator[Piece]:
    """The report of a game as posts for each forum: of a turn, and while the game is played; and of another all of
    it."""
    for name, content in sorted(texts_of_game(finished("gf9-advanced", "plots")).items()):
        yield Piece(name, text_of(name, content))
    game = finished("wbc-2018", "archive")
    going = running(game)
    for form in get_args(Format):
        for number, post in enumerate(forum_posts(game, form, 2), 1):
            yield Piece(f"turn 2 as {form}, post {number}", post)
        for turn in (None, 1):
            for number, post in enumerate(forum_posts(going, form, turn), 1):
                yield Piece(f"under way as {form}, turn {turn}, post {number}", post)
