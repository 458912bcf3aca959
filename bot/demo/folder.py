"""The folder that a demo leaves: every letter, the boards, the summaries, and the archive with the record."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from bot.archive import shelf, site
from bot.config import load_settings
from bot.demo.game import GAME, Played
from bot.demo.pages import ARCHIVE, write_pages
from bot.demo.players import Letter
from bot.games import proof
from bot.post.letter_writer import LetterWriter
from bot.reports import letters
from bot.reports.look import Look
from bot.reports.picture import picture
from bot.service.system_clock import utc_now
from bot.store import games
from bot.store.database import Engine, open_database, reading
from bot.table.table import Table
from rules import views
from rules.engine.log import Snapshot
from rules.engine.play import Play
from rules.orders import PhaseName
from rules.rulesets.ruleset import RuleSet
from rules.state.state import State

MARK = ".mentat-demo"  # says that a folder was made by the demo and may be made anew


class NotOurs(Exception):
    """The folder holds something that no demo made."""


def fresh_folder(folder: Path) -> None:
    """An empty folder; one that an earlier demo made is replaced. NotOurs if anything else is in it."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARK).exists():
            raise NotOurs(f"{folder} is not empty and was not made by the demo; name another folder with --out.")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()


def leave_behind(folder: Path, played: Played) -> None:
    """Write letters, boards, summaries, the archive with the record, and an index to all of them."""
    settings = load_settings(folder / "config.toml")
    engine = open_database(settings.database_place)
    ends = _ends_of_turns(played)
    seats = {seat.address: faction for faction, seat in played.table.seats.items()}
    boxes: dict[Path, dict[str, str]] = {}
    for player in played.players:
        faction = seats[player.address]
        box = folder / "letters" / f"{faction}-{player.name.lower()}"
        box.mkdir(parents=True)
        boxes[box] = {
            write_letter(box, number, letter): str(letter.message["Subject"])
            for number, letter in enumerate(player.letters, 1)
        }
    boards = _write_boards(folder / "boards", ends)
    summaries = _write_summaries(folder / "summaries", engine, LetterWriter(settings), ends)
    site.build(folder / ARCHIVE, *shelf.offered(engine))
    proof.write_record(played.record, folder / ARCHIVE / f"{GAME}.json")
    write_pages(folder, played, boxes, boards, summaries)


def write_letter(box: Path, number: int, letter: Letter) -> str:
    """Write a letter as it came, and as a reader sees it; the name of its files without ending."""
    subject = re.sub(r"[^\w]+", "-", str(letter.message["Subject"])).strip("-").lower()[:60]
    stem = f"{number:04d}-{subject}"
    (box / f"{stem}.eml").write_bytes(letter.raw)
    for kind, ending in (("plain", "txt"), ("html", "html")):
        body = letter.message.get_body((kind,))
        if body is not None:
            (box / f"{stem}.{ending}").write_text(body.get_content(), encoding="utf-8")
    return stem


class _Watched(Play):
    """A game that keeps the position at the end of every turn as it is played again."""

    __slots__ = ("ends",)

    def __init__(self, rules: RuleSet, seed: str, state: State, entries_before: int = 0) -> None:
        self.ends: dict[int, Snapshot] = {}
        super().__init__(rules, seed, state, entries_before)

    def begin_phase(self, phase: PhaseName) -> None:
        super().begin_phase(phase)
        if phase == "mentat":
            self.ends[self.snapshot.turn] = self.snapshot


def _ends_of_turns(played: Played) -> dict[int, Table]:
    """The game as it stood at the end of every turn."""
    rules, record = played.table.play.game.rules, played.record
    again = _Watched.start(rules, record.seed, dict(record.dots))
    again.replay(games.decode(entry) for entry in record.log)
    ends = {}
    for turn, snapshot in again.ends.items():
        play = Play(rules, record.seed, msgspec.msgpack.decode(snapshot.state, type=State))
        ends[turn] = replace(played.table, play=play, deadlines={})
    return {**ends, played.table.play.state.turn: played.table}


def _write_boards(boards: Path, ends: Mapping[int, Table]) -> list[Path]:
    boards.mkdir()
    written = []
    for turn, table in ends.items():
        path = boards / f"turn-{turn:02d}.png"
        path.write_bytes(picture(views.view(table.play, "public"), look=Look(all_names=True)))
        written.append(path)
    return written


def _write_summaries(summaries: Path, engine: Engine, writer: LetterWriter, ends: Mapping[int, Table]) -> list[Path]:
    summaries.mkdir()
    written = []
    with reading(engine) as conn:
        for turn, table in ends.items():
            path = summaries / f"turn-{turn:02d}.md"
            position = writer.position_after(conn, table, turn, utc_now())
            path.write_text(letters.summary_markdown(position), encoding="utf-8")
            written.append(path)
    return written
