"""The pages of the folder that a demo leaves: an index of all, and a list of the letters of each player."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from bot.demo.game import GAME, Played
from rules.components import faction_name

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
    "a{color:#8a5a1b}td,th{padding:.2em .8em .2em 0;text-align:left;vertical-align:top}"
    "figure{display:inline-block;margin:.5em}figcaption{color:#666}code{background:#f4eee3;padding:.1em .3em}"
)


def write_pages(
    folder: Path,
    played: Played,
    boxes: Mapping[Path, Mapping[str, str]],
    boards: Sequence[Path],
    summaries: Sequence[Path],
) -> None:
    """Write `index.html` and one page a mailbox. ``boxes`` gives the letters of each by file name without ending, and
    their subjects."""
    for box, letters in boxes.items():
        _write(box / "index.html", f"The mailbox of {box.name}", _mailbox(letters))
    winners = ", ".join(faction_name(faction) for faction in played.table.play.state.winners)
    title = f"{winners} won on turn {played.table.play.state.turn}"
    _write(folder / "index.html", title, _contents(folder, played, boxes, boards, summaries))


def _mailbox(letters: Mapping[str, str]) -> str:
    rows = "".join(
        f"<tr><td>{number}</td><td>{_link(f'{name}.html', subject)}</td>"
        f"<td>{_link(f'{name}.txt', 'text')} {_link(f'{name}.eml', 'mail')}</td></tr>"
        for number, (name, subject) in enumerate(letters.items(), 1)
    )
    return f"<p>{_link('../../index.html', 'back')}</p><table>{rows}</table>"


def _contents(
    folder: Path,
    played: Played,
    boxes: Mapping[Path, Mapping[str, str]],
    boards: Sequence[Path],
    summaries: Sequence[Path],
) -> str:
    def at(path: Path) -> str:
        return path.relative_to(folder).as_posix()

    players = _rows(
        (_link(at(box / "index.html"), box.name), f"{len(letters)} letters") for box, letters in boxes.items()
    )
    turns = " ".join(_link(at(summary), summary.stem) for summary in summaries)
    pictures = "".join(
        f'<figure><img src="{at(board)}" alt="the board" width="420">'
        f"<figcaption>{escape(board.stem)}</figcaption></figure>"
        for board in boards
    )
    return (
        f"<p>{played.letters} letters by Mentat, {played.answers} answers by the players, rule set "
        f"{escape(played.table.ruleset)}. {_link(f'archive/{GAME}.json', 'The record of the game')} proves it: "
        f"<code>mentat game verify archive/{GAME}.json</code></p>"
        f"<h2>The players' mailboxes</h2><table>{players}</table>"
        f"<h2>Public summaries</h2><p>{turns}</p>"
        f"<h2>The board, turn by turn</h2>{pictures}"
    )


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)


def _link(target: str, words: str) -> str:
    return f'<a href="{escape(target)}">{escape(words)}</a>'


def _write(path: Path, title: str, content: str) -> None:
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    path.write_text(f"{head}<h1>{escape(title)}</h1>{content}</html>\n", encoding="utf-8")
