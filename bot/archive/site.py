"""The archive as a folder of files: each game's pages where something of it has changed, then the lists of all.

A game is offered with a *key*, which changes when anything does that its pages are made from (the record, the cast, the
policy, the sheets), and a way to load it; what was written with the same key by the same Mentat is not even loaded. One
pass over a game's steps feeds every maker. A game that cannot be read now is left as it is, and said so; the others are
built.

The same games give the same files, byte for byte and to the second, wherever and whenever they are built.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from bot.archive.folder import NOTHING, Folder, FolderRefused, Pieces, Written, opened
from bot.archive.given import Finished, Place, RatingList, Running
from bot.archive.html import STYLE
from bot.archive.lists.all_lists import lists
from bot.archive.lists.summary import Summary, Summing, decode, encode, tidy
from bot.archive.lists.tarball import ALL_GAMES, Recorded, all_games
from bot.archive.pages.board import grounds
from bot.archive.pages.game import GamePages
from bot.archive.pages.running import Row, row_of, running_page
from bot.archive.pages.turns import Gathering, Told, under_way
from bot.archive.plots.page import PlotsPage
from bot.archive.replay.page import Replay
from bot.archive.steps import Step, steps
from bot.archive.texts import Texts
from bot.archive.tournaments.lists import TOURNAMENTS, summary_of, tournaments_page
from bot.archive.tournaments.lists import decode as decode_tournament
from bot.archive.tournaments.lists import encode as encode_tournament
from bot.archive.tournaments.pages import tournament_files
from bot.archive.verify_page import PLACE as VERIFY
from bot.archive.verify_page import check_files, verify_page
from bot.competition.published import Published
from bot.record.dune import write_dune
from bot.record.lines import End
from bot.record.reading import NotARecord, read
from bot.resources import ResourceError, template_source, templates_dir
from rules import __file__ as rules_package
from rules.components.facts import data_folder

log = logging.getLogger(__name__)

T = TypeVar("T")
Files = dict[str, bytes]

SITE = "site"
SUMS = "SHA256SUMS"
RECORD = "game.jsonl"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

__all__ = ["AsItIs", "Built", "FolderRefused", "NotNow", "Offered", "build"]


class NotNow(Exception):
    """A game cannot be shown at the moment; the message says why: it is held or rolled back, its record is damaged."""


class AsItIs(NotNow):
    """Nobody wants a game to be built now: its pages stay as they are, and that is no problem."""


@dataclass(frozen=True, slots=True)
class Offered(Generic[T]):
    """A game for the archive, or a tournament: its ``key`` tells whether anything of it has changed, ``load`` gives it.
    `NotNow` from ``load`` leaves its pages as they are. ``place`` is the table of a tournament where it is played."""

    id: str
    key: str
    load: Callable[[], T]
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did: the games whose pages were written, how many files were written and removed, and a sentence
    for each game that could not be built."""

    games: Sequence[str]
    written: int
    removed: int
    problems: Sequence[str]


class Seeing(Protocol):
    """What makes pages of a finished game: it sees every step once, in order."""

    def see(self, step: Step) -> None: ...


@dataclass(frozen=True, slots=True)
class Making:
    """How some pages are made: ``begin`` is given the game, and ``files`` what has seen all its steps."""

    begin: Callable[[Finished], Seeing]
    files: Callable[[Any], Files]


MAKERS: Sequence[Making] = (
    Making(PlotsPage, PlotsPage.files),
    Making(Replay, Replay.files),
    Making(Texts, Texts.files),
)
"""Who makes pages of a finished game besides the plain ones. Each looks at its policy itself."""


def build(
    path: Path,
    finished: Iterable[Offered[Finished]],
    running: Iterable[Offered[Running]] = (),
    ratings: RatingList | None = None,
    tournaments: Iterable[Offered[Published]] = (),
) -> Built:
    """Bring the archive in this folder up to date. `FolderRefused` where the folder cannot be used. Without ``ratings``
    there is no page of them."""
    events = list(tournaments)
    with opened(path) as folder:
        building = _Building(folder, ratings or RatingList(), frozenset(event.id for event in events))
        for game in finished:
            building.finished(game)
        for other in running:
            building.running(other)
        for event in events:
            building.tournament(event)
        building.rest()
        return Built(tuple(building.games), folder.wrote, folder.removed, tuple(building.problems))


class _Building:
    """One build."""

    def __init__(self, folder: Folder, ratings: RatingList, tournaments: frozenset[str]) -> None:
        self.folder = folder
        self.ratings = ratings
        self.tournaments = tournaments
        self.games: list[str] = []
        self.problems: list[str] = []
        self.kept: set[str] = set()

    def finished(self, game: Offered[Finished]) -> None:
        """The pages of a game that is over, where anything has changed."""
        part = self._part(game.id)
        key = _digest(version(), game.key, *self._tournament_with_pages(game.place))
        if part is None or self.folder.is_whole(part, key):
            return
        loaded = self._tried(game.id, game.load)
        if loaded is not None and not self._tournament_with_pages(loaded.place):
            loaded = replace(loaded, place=None)
        made = None if loaded is None else self._tried(game.id, lambda: _of_finished(_called(game.id, loaded)))
        if loaded is not None and made is not None:
            files, summary = made
            self._put(part, key, files, loaded.ended, summary=summary)

    def running(self, game: Offered[Running]) -> None:
        """The pages of a game under way, where its policy shows it. They follow from what it shows alone: neither the
        key nor a day of it is kept."""
        part = self._part(game.id)
        if part is None:
            return
        loaded = self._tried(game.id, game.load)
        if loaded is None:
            return
        if not self._tournament_with_pages(loaded.place):
            loaded = replace(loaded, place=None)
        told = self._tried(game.id, lambda: _Shown(under_way(loaded)))
        if told is None:
            return
        if told.game is None:
            self.kept.discard(part)
            return
        shown = told.game
        files = self._tried(game.id, lambda: _of_running(shown))
        if files is None:
            return
        key = _digest(version(), *(_sha256(files[name]) for name in sorted(files)))
        if not self.folder.is_whole(part, key):
            self._put(part, key, files, None, running=msgspec.json.encode(row_of(shown)))

    def tournament(self, event: Offered[Published]) -> None:
        """The pages of a tournament, with ways to those of its games that the archive shows."""
        part = self._part(event.id, "tournament")
        if part is None:
            return
        loaded = self._tried(event.id, event.load)
        if loaded is None:
            return
        games = sorted(
            table.game
            for one in loaded.rounds for table in one.tables
            if f"game/{table.game}" in self.kept & self.folder.parts.keys()
        )  # fmt: skip
        key = _digest(version(), event.key, loaded.sum, *games)
        if self.folder.is_whole(part, key):
            return
        files = self._tried(event.id, lambda: tournament_files(loaded, games))
        if files is not None:
            day = max((result.day for result in loaded.results if result.day), default=None)
            placed = {f"{part}/{name}": content for name, content in files.items()}
            self.folder.put(part, key, placed, day, summary=encode_tournament(summary_of(loaded)))

    def rest(self) -> None:
        """What belongs to no one game; and away with games and tournaments that are shown no more."""
        for part in self.folder.parts.keys() - self.kept - {SITE}:
            self.folder.drop(part)
        games = self._parts("game/")
        events = self._parts("tournament/")
        rated = repr(self.ratings)
        key = _digest(version(), rated, *(f"{name} {part.key}" for name, part in (games | events).items()))
        if not self.folder.is_whole(SITE, key):
            days = [part.day for part in games.values() if part.day]
            files = _of_all(games, events, self.ratings)
            self.folder.put(SITE, key, files, max(days, default=None), large=_records(self.folder.path, games))

    def _parts(self, begins: str) -> dict[str, Written]:
        """The parts that are written below a folder, by name."""
        parts = self.folder.parts
        return {name: parts[name] for name in sorted(parts) if name.startswith(begins) and parts[name].key}

    def _tournament_with_pages(self, place: Place | None) -> tuple[str, ...]:
        """The tournament to which a game belongs, if it has pages here."""
        return (place.tournament, place.title) if place is not None and place.tournament in self.tournaments else ()

    def _part(self, game: str, kind: str = "game") -> str | None:
        """The folder of a game inside the archive; None where its name can be none, or is taken."""
        part = f"{kind}/{game}"
        if not NAME.fullmatch(game):
            self.problems.append(f"{game!r} was left out: the name of a folder has only letters, digits, - . and _.")
            return None
        if part in self.kept:
            self.problems.append(f"{game} was left out the second time: two {kind}s have this name.")
            return None
        self.kept.add(part)
        return part

    def _tried(self, game: str, make: Callable[[], T]) -> T | None:
        """What ``make`` gives; None, and a sentence among the problems, where it fails. One game that is broken must
        not keep the others from their pages."""
        try:
            return make()
        except AsItIs:
            pass
        except NotNow as reason:
            self.problems.append(f"{game} was not written anew: {reason} Its pages are as they were.")
        except NotARecord as reason:
            self.problems.append(f"{game} was not written anew: its record is damaged. {reason}")
        except (OSError, ResourceError):  # of the folder, or of all games
            raise
        except Exception as error:
            log.warning("the pages of %s could not be made", game, exc_info=error)
            told = str(error) or type(error).__name__
            self.problems.append(f"{game} was not written anew: its record does not play ({told}).")
        return None

    def _put(
        self, part: str, key: str, files: Files, day: date | None, *, summary: bytes = NOTHING, running: bytes = NOTHING
    ) -> None:
        placed = {f"{part}/{name}": content for name, content in files.items()}
        self.folder.put(part, key, placed, day, summary=summary, running=running)
        self.games.append(part.removeprefix("game/"))


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is shown of a running game: None is nothing."""

    game: Told | None


def _called(name: str, game: Finished) -> Finished:
    """The game, which must be the one that was offered: its files lie under its name."""
    if game.id != name:
        raise NotNow(f"what was loaded for it is {game.id}.")
    return game


def _of_finished(game: Finished) -> tuple[Files, bytes]:
    """All files of a game from one pass over its steps, and its summary for the lists."""
    seed = next((line.seed for line in reversed(game.lines) if isinstance(line, End)), None)
    if seed is None:
        raise NotNow("its record has no end.")
    gathering, summing = Gathering(game, seed), Summing(game)
    seeing = [making.begin(game) for making in MAKERS]
    for step in steps(game, seed):
        gathering.see(step)
        summing.see(step)
        for each in seeing:
            each.see(step)
    told = gathering.told()
    pages = GamePages(told)
    files = pages.pages()
    for making, made in zip(MAKERS, seeing, strict=True):
        files |= making.files(made)
    if told.open:
        files[RECORD] = game.record
        players = {f"Player.{faction}": tidy(cast.name) for faction, cast in game.cast.items()}
        files["game.dune"] = write_dune(read(game.record), players).encode()
        files[VERIFY] = verify_page(game)
    return _with_index(pages, files), encode(summing.summary())


def _of_running(told: Told) -> Files:
    pages = GamePages(told)
    return _with_index(pages, pages.pages())


def _with_index(pages: GamePages, files: Files) -> Files:
    """The files with an index that leads to all of them, and the SHA-256 of each."""
    files["index.html"] = pages.index({*files, SUMS})
    files[SUMS] = "".join(f"{_sha256(files[name])}  {name}\n" for name in sorted(files)).encode()
    return files


def _of_all(games: Mapping[str, Written], events: Mapping[str, Written], ratings: RatingList) -> Files:
    """What belongs to no one game, from what is kept of each."""
    files = {"style.css": template_source(STYLE).encode(), **grounds(), **check_files()}
    rows = [msgspec.json.decode(part.running, type=Row | None) for part in games.values()]
    if running := [row for row in rows if row]:
        files["running.html"] = running_page(running)
    if events:
        files[TOURNAMENTS] = tournaments_page([decode_tournament(part.summary) for part in events.values()])
    return files | lists(_summaries(games), running=bool(running), tournaments=bool(events), ratings=ratings)


def _records(path: Path, games: Mapping[str, Written]) -> dict[str, Pieces]:
    """The file of all records, where there are any."""
    records = [
        Recorded(summary.id, summary.record, (path / "game" / summary.id / RECORD).read_bytes)
        for summary in _summaries(games)
        if summary.record
    ]
    return {ALL_GAMES: partial(all_games, records)} if records else {}


def _summaries(games: Mapping[str, Written]) -> list[Summary]:
    """What is kept of the games that are over."""
    return [decode(part.summary) for part in games.values() if bytes(part.summary) != NOTHING]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _digest(*parts: str) -> str:
    return _sha256("\n".join(parts).encode())


@cache
def version() -> str:
    """What stands for the Mentat that writes pages: a digest of its code, rules, words and data."""
    made = hashlib.sha256()
    bot = Path(__file__).parents[1]
    rules = Path(rules_package).parent
    folders = {
        "archive": bot / "archive", "reports": bot / "reports", "wording": bot / "wording", "record": bot / "record",
        "competition": bot / "competition",
        "rules": rules, "templates": templates_dir(), "data": data_folder(),
    }  # fmt: skip
    for where, folder in folders.items():
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                made.update(f"{where}/{path.relative_to(folder).as_posix()}\n".encode())
                made.update(path.read_bytes())
    return made.hexdigest()
