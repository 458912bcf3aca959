"""The archive as a folder of files: the pages of each game that has changed, then the lists of all games.

A game is offered with a *key* and a function that loads it. The key changes whenever the data behind the game's pages
changes (the record, the cast, the policy, the sheets). If the same version of Mentat has already written the game with
the same key, the game is not loaded. All pages of a game are made in one pass over its steps. If a game cannot be read,
its pages stay unchanged, the build reports the problem, and the other games are built. The same games give the same
files, byte for byte and with the same file times, wherever and whenever they are built.

**The folder.** `build.json` marks a folder as Mentat's own, and lists the files that Mentat wrote. No other file is
ever removed, and a folder with other content and no mark is refused. Each file is written next to its destination and
then moved there, so a reader sees either the old page or the new one. The list is written before the files, so after an
interrupted build, every file is in the list.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

import msgspec

from bot import ResourceError, templates_dir
from bot.archive.game_pages import GamePages, RunningRow, board_files, running_page, running_row
from bot.archive.games import (
    FinishedGame,
    GameStory,
    Place,
    RatingList,
    RunningGame,
    Step,
    StoryGathering,
    TableList,
    play_steps,
    story_so_far,
)
from bot.archive.lists import list_files, table_files
from bot.archive.plots import PlotsPage
from bot.archive.replay import VERIFY as VERIFY
from bot.archive.replay import Replay, check_files, verify_page
from bot.archive.summaries import (
    ALL_GAMES,
    GameRecord,
    Summary,
    SummaryGathering,
    decode_summary,
    encode_summary,
    pack_all_games,
    tidy_name,
)
from bot.archive.texts import Texts
from bot.archive.tournament_pages import tournament_files
from bot.archive.tournaments import TOURNAMENTS, tournament_summary, tournaments_page
from bot.archive.tournaments import decode_summary as decode_tournament
from bot.archive.tournaments import encode_summary as encode_tournament
from bot.competition.published import Published
from bot.lobby.calendars import Entry
from bot.record.dune import write_dune
from bot.record.lines import End
from bot.record.reader import NotARecord, read_record
from bot.render.blocks import Block
from rules import __file__ as rules_package
from rules.components.facts import data_folder

MANIFEST = "build.json"
MARK = "an archive of games, written by Mentat"
MANIFEST_FORMAT = 1
NO_DAY = date(2000, 1, 1)
"""The date given to files that have no day: the files of a running game must not reveal when anybody moved."""
SECONDS = 24 * 60 * 60


class FolderRefused(Exception):
    """Raised if the folder cannot be used. The message gives the reason and confirms that nothing was changed."""


NOTHING = b"null"


class WrittenPart(msgspec.Struct, omit_defaults=True):
    """A part of the archive as it was last written: its ``key``, and its ``files`` with their sizes.

    Later builds use its ``day``, its row in the list of running games (``running``), and a finished game's ``summary``
    for the lists of all games.
    """

    key: str = ""
    day: date | None = None
    files: dict[str, int] = msgspec.field(default_factory=dict)
    running: msgspec.Raw = msgspec.Raw(NOTHING)
    summary: msgspec.Raw = msgspec.Raw(NOTHING)


Pieces = Callable[[BinaryIO | None], Iterable[bytes]]
"""A function that yields a large file piece by piece, given the previous version of the file."""


class Manifest(msgspec.Struct):
    mark: str = MARK
    format: int = MANIFEST_FORMAT
    parts: dict[str, WrittenPart] = msgspec.field(default_factory=dict)


class Folder:
    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.parts = manifest.parts
        self.wrote = 0
        self.removed = 0

    def is_whole(self, part: str, key: str) -> bool:
        known = self.parts.get(part)
        return known is not None and known.key == key and all(map(self._is_there, known.files.items()))

    def _is_there(self, file: tuple[str, int]) -> bool:
        name, size = file
        try:
            return (self.path / name).stat().st_size == size
        except OSError:
            return False

    def put(
        self,
        part: str,
        key: str,
        files: Mapping[str, bytes],
        day: date | None,
        *,
        running: bytes = NOTHING,
        summary: bytes = NOTHING,
        large: Mapping[str, Pieces] = MappingProxyType({}),
    ) -> None:
        """Rewrite a part, its ``large`` files piece by piece, and remove its old files that are no longer part of
        it."""
        before = self.parts.get(part, WrittenPart())
        both = dict.fromkeys((*before.files, *files, *large), 0)
        self.parts[part] = WrittenPart("", before.day, both, before.running, before.summary)
        self._note()
        for name, content in files.items():
            self._write(name, content, day or NO_DAY)
        sizes = {name: len(content) for name, content in files.items()}
        for name, pieces in large.items():
            sizes[name] = self._write_pieces(name, pieces, day or NO_DAY)
        for name in before.files.keys() - sizes.keys():
            self._remove(name)
        self.parts[part] = WrittenPart(
            key, day, dict(sorted(sizes.items())), msgspec.Raw(running), msgspec.Raw(summary)
        )

    def drop(self, part: str) -> None:
        for name in self.parts[part].files:
            self._remove(name)
        del self.parts[part]

    def close(self) -> None:
        self._note()

    def _note(self) -> None:
        parts = {name: self.parts[name] for name in sorted(self.parts)}
        self._write(MANIFEST, msgspec.json.encode(Manifest(parts=parts)) + b"\n", NO_DAY)

    def _write(self, name: str, content: bytes, day: date) -> None:
        path = self.path / name
        stamp = _stamp(hashlib.sha256(content).digest(), day)
        try:
            if path.stat().st_size == len(content) and path.read_bytes() == content:
                os.utime(path, (stamp, stamp))
                return
        except OSError:
            path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        beside.write_bytes(content)
        os.utime(beside, (stamp, stamp))
        beside.replace(path)
        self.wrote += name != MANIFEST

    def _write_pieces(self, name: str, pieces: Pieces, day: date) -> int:
        path = self.path / name
        beside = path.with_name(f".{path.name}.new")
        made, size = hashlib.sha256(), 0
        with ExitStack() as open_files:
            before = open_files.enter_context(path.open("rb")) if path.is_file() else None
            out = open_files.enter_context(beside.open("wb"))
            for piece in pieces(before):
                made.update(piece)
                size += out.write(piece)
        stamp = _stamp(made.digest(), day)
        os.utime(beside, (stamp, stamp))
        beside.replace(path)
        self.wrote += 1
        return size

    def _remove(self, name: str) -> None:
        path = self.path / name
        path.unlink(missing_ok=True)
        path.with_name(f".{path.name}.new").unlink(missing_ok=True)
        self.removed += 1
        for above in path.relative_to(self.path).parents:
            try:
                if above != Path():
                    (self.path / above).rmdir()
            except OSError:  # the folder contains other files
                return


def _stamp(digest: bytes, day: date) -> float:
    """Return the timestamp for a file: its day, at a second derived only from the digest of its content. This way, web
    servers that distinguish versions by time and size notice every change."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
    return midnight + int.from_bytes(digest[:4], "big") % SECONDS


@contextmanager
def open_folder(path: Path) -> Iterator[Folder]:
    try:
        manifest = _manifest(path)
        path.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        _lock(path, lock)
        folder = Folder(path, manifest)
        try:
            yield folder
            folder.close()
        except OSError as error:
            raise _unwritable(path, error) from error
    finally:
        os.close(lock)


def _lock(path: Path, lock: int) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise FolderRefused(f"The archive in {path} is being built by another process: try again later.") from error


def _unwritable(path: Path, error: OSError) -> FolderRefused:
    reason = error.strerror or "it cannot be used"
    where = f" ({error.filename})" if error.filename and str(error.filename) != str(path) else ""
    return FolderRefused(f"The archive cannot be written to {path}: {reason}{where}. The old archive is unchanged.")


def _manifest(path: Path) -> Manifest:
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return Manifest()
    if not path.is_dir():
        raise FolderRefused(f"{path} is a file: name a folder for the archive.")
    try:
        manifest = msgspec.json.decode((path / MANIFEST).read_bytes(), type=Manifest)
    except FileNotFoundError as error:
        raise FolderRefused(
            f"{path} is not empty and has no {MANIFEST}, so it is not a Mentat archive; nothing was changed. Name "
            "an empty folder, or one that does not exist yet."
        ) from error
    except msgspec.MsgspecError as error:
        raise FolderRefused(
            f"{path / MANIFEST} is damaged or not Mentat's own ({error}); nothing was changed. Name another folder, or "
            "empty this one yourself."
        ) from error
    if manifest.mark != MARK or manifest.format > MANIFEST_FORMAT or not all(map(_inside, _files(manifest))):
        raise FolderRefused(f"{path / MANIFEST} was written by another program or a newer Mentat; nothing was changed.")
    return manifest


def _files(manifest: Manifest) -> Iterator[str]:
    for part in manifest.parts.values():
        yield from part.files


def _inside(name: str) -> bool:
    """Return True if a file named in the manifest is inside the folder. A manipulated manifest must not make Mentat
    remove other files."""
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts and bool(path.parts)


# --- checking a folder without building -------------------------------------------------------------------------------


def games_in(path: Path) -> frozenset[str]:
    try:
        parts = _manifest(path).parts
    except OSError as error:
        raise _unwritable(path, error) from error
    return frozenset(part.removeprefix("game/") for part in parts if part.startswith("game/"))


def is_archive(path: Path) -> bool:
    try:
        games_in(path)
    except FolderRefused:
        return False
    return (path / MANIFEST).is_file()


def folder_complaint(path: Path) -> str:
    try:
        games_in(path)
    except FolderRefused as refused:
        return str(refused)
    there = next(each for each in (path, *path.parents) if each.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        return f"The archive cannot be written to {path}: {there} is not writable for this user."
    return ""


log = logging.getLogger(__name__)

T = TypeVar("T")
Files = dict[str, bytes]

SITE = "site"
SUMS = "SHA256SUMS"
RECORD = "game.jsonl"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

__all__ = ["AsItIs", "Built", "FolderRefused", "NotNow", "Offered", "build"]


class NotNow(Exception):
    """Raised if a game cannot be shown at the moment. The message says why: the game is on hold, it was rolled back and
    is being played again, or its record is damaged."""


class AsItIs(NotNow):
    """Raised for a game that was not requested in this build. Its pages stay unchanged, and this is not reported as a
    problem."""


@dataclass(frozen=True, slots=True)
class Offered(Generic[T]):
    """A game or tournament offered to the archive; its ``key`` changes with its content. If ``load`` raises `NotNow`,
    its pages stay unchanged. ``place`` is the tournament table at which the game is played. ``entry`` is the text about
    dates and entry on a tournament's page; ``dates`` are the tournament's days for calendars."""

    id: str
    key: str
    load: Callable[[], T]
    place: Place | None = None
    entry: Sequence[Block] = ()
    dates: Sequence[Entry] = ()


@dataclass(frozen=True, slots=True)
class Built:
    games: Sequence[str]
    written: int
    removed: int
    problems: Sequence[str]


class Seeing(Protocol):
    def see(self, step: Step) -> None: ...


@dataclass(frozen=True, slots=True)
class Making:
    begin: Callable[[FinishedGame], Seeing]
    files: Callable[[Any], Files]


MAKERS: Sequence[Making] = (
    Making(PlotsPage, PlotsPage.files),
    Making(Replay, Replay.files),
    Making(Texts, Texts.files),
)
"""The makers of all pages except the plain ones. Each maker applies the game's policy itself."""


def build(
    path: Path,
    finished: Iterable[Offered[FinishedGame]],
    running: Iterable[Offered[RunningGame]] = (),
    ratings: RatingList | None = None,
    tournaments: Iterable[Offered[Published]] = (),
    address: str = "",
    tables: TableList | None = None,
) -> Built:
    """Update the archive in this folder. Without ``ratings`` it has no page of ratings, and without ``tables`` no page
    of tables. Raise `FolderRefused` if the folder cannot be used."""
    events = list(tournaments)
    with open_folder(path) as folder:
        building = _Building(folder, ratings or RatingList(), frozenset(event.id for event in events), address)
        for game in finished:
            building.finished(game)
        for other in running:
            building.running(other)
        for event in events:
            building.tournament(event)
        building.rest(tables)
        return Built(tuple(building.games), folder.wrote, folder.removed, tuple(building.problems))


class _Building:
    def __init__(self, folder: Folder, ratings: RatingList, tournaments: frozenset[str], address: str) -> None:
        self.folder = folder
        self.ratings = ratings
        self.tournaments = tournaments
        self.address = address
        self.games: list[str] = []
        self.problems: list[str] = []
        self.kept: set[str] = set()

    def finished(self, game: Offered[FinishedGame]) -> None:
        part = self._part(game.id)
        key = _digest(version(), self.address, game.key, *self._tournament_with_pages(game.place))
        if part is None or self.folder.is_whole(part, key):
            return
        loaded = self._tried(game.id, game.load)
        if loaded is not None and not self._tournament_with_pages(loaded.place):
            loaded = replace(loaded, place=None)
        if loaded is None:
            return
        made = self._tried(game.id, lambda: _of_finished(_called(game.id, loaded), self.address))
        if made is not None:
            files, summary = made
            self._put(part, key, files, loaded.ended, summary=summary)

    def running(self, game: Offered[RunningGame]) -> None:
        """Write the pages of a running game, if its policy shows it. The stored key is a digest of these pages, and no
        date is stored, so that neither can reveal more than the pages show."""
        part = self._part(game.id)
        if part is None:
            return
        loaded = self._tried(game.id, game.load)
        if loaded is None:
            return
        if not self._tournament_with_pages(loaded.place):
            loaded = replace(loaded, place=None)
        told = self._tried(game.id, lambda: _Shown(story_so_far(loaded)))
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
            self._put(part, key, files, None, running=msgspec.json.encode(running_row(shown)))

    def tournament(self, event: Offered[Published]) -> None:
        part = self._part(event.id, "tournament")
        if part is None:
            return
        loaded = self._tried(event.id, event.load)
        if loaded is None:
            return
        games = sorted(
            table.game
            for one in loaded.rounds
            for table in one.tables
            if f"game/{table.game}" in self.kept & self.folder.parts.keys()
        )
        key = _digest(version(), event.key, loaded.sum, repr((event.entry, event.dates)), *games)
        if self.folder.is_whole(part, key):
            return
        files = self._tried(event.id, lambda: tournament_files(loaded, games, event.entry, event.dates))
        if files is not None:
            day = max((result.day for result in loaded.results if result.day), default=None)
            placed = {f"{part}/{name}": content for name, content in files.items()}
            self.folder.put(part, key, placed, day, summary=encode_tournament(tournament_summary(loaded)))

    def rest(self, tables: TableList | None) -> None:
        for part in self.folder.parts.keys() - self.kept - {SITE}:
            self.folder.drop(part)
        games = self._parts("game/")
        events = self._parts("tournament/")
        rated, forming = repr(self.ratings), repr(tables)
        key = _digest(version(), rated, forming, *(f"{name} {part.key}" for name, part in (games | events).items()))
        if not self.folder.is_whole(SITE, key):
            days = [part.day for part in games.values() if part.day]
            files = _of_all(games, events, self.ratings, tables)
            self.folder.put(SITE, key, files, max(days, default=None), large=_records(self.folder.path, games))

    def _parts(self, begins: str) -> dict[str, WrittenPart]:
        parts = self.folder.parts
        return {name: parts[name] for name in sorted(parts) if name.startswith(begins) and parts[name].key}

    def _tournament_with_pages(self, place: Place | None) -> tuple[str, ...]:
        return (place.tournament, place.title) if place is not None and place.tournament in self.tournaments else ()

    def _part(self, game: str, kind: str = "game") -> str | None:
        part = f"{kind}/{game}"
        if not NAME.fullmatch(game):
            self.problems.append(f"{game!r} was left out: a folder name can contain only letters, digits, - . and _.")
            return None
        if part in self.kept:
            self.problems.append(f"The second {game} was left out: two {kind}s have this name.")
            return None
        self.kept.add(part)
        return part

    def _tried(self, game: str, make: Callable[[], T]) -> T | None:
        """Return the result of ``make``; if it fails, record a problem and return None. One broken game must not
        prevent the pages of the others."""
        try:
            return make()
        except AsItIs:
            pass
        except NotNow as reason:
            self.problems.append(f"{game} was not updated: {reason} Its pages are unchanged.")
        except NotARecord as reason:
            self.problems.append(f"{game} was not updated: its record is damaged. {reason}")
        except (OSError, ResourceError):  # these affect all games
            raise
        except Exception as error:
            log.warning("the pages of %s could not be made", game, exc_info=error)
            told = str(error) or type(error).__name__
            self.problems.append(f"{game} was not updated: its record cannot be replayed ({told}).")
        return None

    def _put(
        self, part: str, key: str, files: Files, day: date | None, *, summary: bytes = NOTHING, running: bytes = NOTHING
    ) -> None:
        placed = {f"{part}/{name}": content for name, content in files.items()}
        self.folder.put(part, key, placed, day, summary=summary, running=running)
        self.games.append(part.removeprefix("game/"))


@dataclass(frozen=True, slots=True)
class _Shown:
    game: GameStory | None


def _called(name: str, game: FinishedGame) -> FinishedGame:
    if game.id != name:
        raise NotNow(f"the game that was loaded is {game.id}.")
    return game


def _of_finished(game: FinishedGame, address: str) -> tuple[Files, bytes]:
    seed = next((line.seed for line in reversed(game.lines) if isinstance(line, End)), None)
    if seed is None:
        raise NotNow("its record has no end.")
    gathering, summing = StoryGathering(game, seed), SummaryGathering(game)
    seeing = [making.begin(game) for making in MAKERS]
    for step in play_steps(game, seed):
        gathering.see(step)
        summing.see(step)
        for each in seeing:
            each.see(step)
    told = replace(gathering.told(), address=address)
    pages = GamePages(told)
    files = pages.pages()
    for making, made in zip(MAKERS, seeing, strict=True):
        files |= making.files(made)
    if told.open:
        files[RECORD] = game.record
        players = {f"Player.{faction}": tidy_name(cast.name) for faction, cast in game.cast.items()}
        files["game.dune"] = write_dune(read_record(game.record), players).encode()
        files[VERIFY] = verify_page(game)
    summary = msgspec.structs.replace(summing.summary(), headline=pages.headline())
    return _with_index(pages, files), encode_summary(summary)


def _of_running(told: GameStory) -> Files:
    pages = GamePages(told)
    return _with_index(pages, pages.pages())


def _with_index(pages: GamePages, files: Files) -> Files:
    files["index.html"] = pages.index({*files, SUMS})
    files[SUMS] = "".join(f"{_sha256(files[name])}  {name}\n" for name in sorted(files)).encode()
    return files


def _of_all(
    games: Mapping[str, WrittenPart],
    events: Mapping[str, WrittenPart],
    ratings: RatingList,
    tables: TableList | None,
) -> Files:
    files = {**board_files(), **check_files(), **(table_files(tables) if tables else {})}
    rows = [msgspec.json.decode(part.running, type=RunningRow | None) for part in games.values()]
    if running := [row for row in rows if row]:
        files["running.html"] = running_page(running)
    if events:
        files[TOURNAMENTS] = tournaments_page([decode_tournament(part.summary) for part in events.values()])
    return files | list_files(_summaries(games), there=files.keys(), ratings=ratings)


def _records(path: Path, games: Mapping[str, WrittenPart]) -> dict[str, Pieces]:
    records = [
        GameRecord(summary.id, summary.record, (path / "game" / summary.id / RECORD).read_bytes)
        for summary in _summaries(games)
        if summary.record
    ]
    return {ALL_GAMES: partial(pack_all_games, records)} if records else {}


def _summaries(games: Mapping[str, WrittenPart]) -> list[Summary]:
    return [decode_summary(part.summary) for part in games.values() if bytes(part.summary) != NOTHING]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _digest(*parts: str) -> str:
    return _sha256("\n".join(parts).encode())


@cache
def version() -> str:
    """Return a digest of the code, rules, wording and data, which identifies the version of Mentat that writes the
    pages."""
    made = hashlib.sha256()
    bot = Path(__file__).parents[1]
    rules = Path(rules_package).parent
    folders = {
        "archive": bot / "archive",
        "render": bot / "render",
        "wording": bot / "wording",
        "record": bot / "record",
        "competition": bot / "competition",
        "rules": rules,
        "templates": templates_dir(),
        "data": data_folder(),
    }
    for where, folder in folders.items():
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                made.update(f"{where}/{path.relative_to(folder).as_posix()}\n".encode())
                made.update(path.read_bytes())
    return made.hexdigest()
