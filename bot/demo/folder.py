"""The folder that a demo leaves: every letter, the boards, the summaries, and the record that proves the game."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from email.message import EmailMessage
from html import escape
from pathlib import Path

from sqlalchemy import Engine, select

from bot import proof
from bot.config import load_settings
from bot.demo.game import GAME, Played
from bot.desk import Desk
from bot.moderator import utc_now
from bot.reports import letters
from bot.reports.picture import picture
from bot.store import games
from bot.store.database import open_database, reading
from bot.store.games import Table
from bot.store.tables import SNAPSHOT
from rules import views
from rules.components import faction_name
from rules.play import Play, Snapshot

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
    """Write letters, boards, summaries, the record, and an index to all of them."""
    settings = load_settings(folder / "config.toml")
    engine = open_database(settings.mentat.database)
    ends = _ends_of_turns(engine, played)
    seats = {seat.address: faction for faction, seat in played.table.seats.items()}
    boxes = {}
    for player in played.players:
        faction = seats[player.address]
        box = folder / "letters" / f"{faction}-{player.name.lower()}"
        box.mkdir(parents=True)
        boxes[box] = [_write_letter(box, number, letter) for number, letter in enumerate(player.letters, 1)]
    boards = _write_boards(folder / "boards", ends)
    summaries = _write_summaries(folder / "summaries", engine, Desk(settings), ends)
    archive = folder / "archive"
    archive.mkdir()
    proof.write_record(played.record, archive / f"{GAME}.json")
    (folder / "index.html").write_text(_index(played, boxes, boards, summaries, folder), encoding="utf-8")


def _write_letter(box: Path, number: int, letter: EmailMessage) -> Path:
    subject = re.sub(r"[^\w]+", "-", str(letter["Subject"])).strip("-").lower()[:60]
    stem = f"{number:04d}-{subject}"
    (box / f"{stem}.eml").write_bytes(letter.as_bytes())
    for kind, ending in (("plain", "txt"), ("html", "html")):
        body = letter.get_body((kind,))
        if body is not None:
            (box / f"{stem}.{ending}").write_text(body.get_content(), encoding="utf-8")
    return box / f"{stem}.html"


def _ends_of_turns(engine: Engine, played: Played) -> dict[int, Table]:
    """The game as it stood near the end of every turn, at the start of its last phase, and at its end."""
    with reading(engine) as conn:
        rows = conn.execute(select(SNAPSHOT).where(SNAPSHOT.c.game_id == GAME).order_by(SNAPSHOT.c.events)).all()
    last = {row.turn: row for row in rows}
    ends = {}
    for turn, row in last.items():
        snapshot = Snapshot(row.state, row.turn, row.phase, row.entries, row.events)
        play = Play.resume(played.table.play.game.rules, played.record.seed, snapshot, ())
        ends[turn] = replace(played.table, play=play, deadlines={})
    return {**ends, played.table.play.state.turn: played.table}


def _write_boards(boards: Path, ends: Mapping[int, Table]) -> list[Path]:
    boards.mkdir()
    written = []
    for turn, table in ends.items():
        path = boards / f"turn-{turn:02d}.png"
        path.write_bytes(picture(views.view(table.play, "public")))
        written.append(path)
    return written


def _write_summaries(summaries: Path, engine: Engine, desk: Desk, ends: Mapping[int, Table]) -> list[Path]:
    summaries.mkdir()
    written = []
    with reading(engine) as conn:
        for turn, table in ends.items():
            happened = games.events_of_turn(conn, GAME, turn)
            path = summaries / f"turn-{turn:02d}.md"
            path.write_text(
                letters.summary_markdown(desk.position(table, "public", utc_now(), happened)), encoding="utf-8"
            )
            written.append(path)
    return written


def _index(
    played: Played, boxes: dict[Path, list[Path]], boards: Sequence[Path], summaries: Sequence[Path], folder: Path
) -> str:
    def link(path: Path, words: str) -> str:
        return f'<a href="{path.relative_to(folder).as_posix()}">{escape(words)}</a>'

    state = played.table.play.state
    winners = ", ".join(faction_name(faction) for faction in state.winners)
    rows = "".join(
        f"<tr><td>{escape(box.name)}</td><td>{len(files)} letters</td>"
        f"<td>{' '.join(link(file, str(number)) for number, file in enumerate(files, 1))}</td></tr>"
        for box, files in boxes.items()
    )
    pictures = "".join(
        f'<figure><img src="{board.relative_to(folder).as_posix()}" alt="the board" width="420"><figcaption>'
        f"{escape(board.stem)}</figcaption></figure>"
        for board in boards
    )
    texts = " ".join(link(summary, summary.stem) for summary in summaries)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>A game of Dune by mail</title><style>'
        "body{font:16px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
        "figure{display:inline-block;margin:.5em}td{padding:.3em .6em;vertical-align:top}a{margin-right:.3em}</style>"
        f"<h1>{escape(winners)} won on turn {state.turn}</h1>"
        f"<p>{played.letters} letters by Mentat, {played.answers} answers by the players, rule set "
        f"{escape(played.table.ruleset)}. {link(folder / 'archive' / f'{GAME}.json', 'The record of the game')} "
        "proves it: <code>mentat game verify archive/demo.json</code></p>"
        f"<h2>Each player's mailbox</h2><table>{rows}</table><h2>Public summaries</h2><p>{texts}</p>"
        f"<h2>The board, turn by turn</h2>{pictures}</html>\n"
    )
