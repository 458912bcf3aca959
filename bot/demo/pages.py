"""The pages of the folder that a demo leaves: the beginning, which leads to the archive and to everything else, and a
list of the letters of each player. They look as the archive does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.archive.html import Laid, List, Part, Table, document
from bot.archive.rendering import Link, Page
from bot.demo.game import GAME, Played
from bot.reports.document import Paragraph
from bot.wording.sentences import say
from rules.components import faction_name

ARCHIVE = "archive"
GAME_PAGES = f"{ARCHIVE}/game/{GAME}"


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
        up = "../../"
        title = f"The mailbox of {box.name}"
        page = Page(f"{title} · {GAME}", title, f"{up}{ARCHIVE}/", way=[Link("The game", f"{up}index.html")])
        (box / "index.html").write_bytes(document(page, [mailbox(letters)]))
    state = played.table.play.state
    winners = " and ".join(faction_name(faction) for faction in state.winners)
    title = f"{winners} won on turn {state.turn}"
    below = (
        f"{played.letters} letters by Mentat, {played.answers} answers by the players, rule set {played.table.ruleset}"
    )
    page = Page(f"{title} · {GAME} · {played.table.ruleset}", title, f"{ARCHIVE}/", below)
    (folder / "index.html").write_bytes(document(page, _contents(folder, boxes, boards, summaries)))


def mailbox(letters: Mapping[str, str]) -> Laid:
    """Every letter of a mailbox, by file name without ending, with its subject."""
    rows = [
        (str(number), Link(subject, f"{name}.html"), Link("text", f"{name}.txt"), Link("mail", f"{name}.eml"))
        for number, (name, subject) in enumerate(letters.items(), 1)
    ]
    return Table("Every letter, the oldest first", ("Number", "Letter", "As text", "As it came"), rows)


def _contents(
    folder: Path, boxes: Mapping[Path, Mapping[str, str]], boards: Sequence[Path], summaries: Sequence[Path]
) -> list[Laid]:
    def at(path: Path) -> str:
        return path.relative_to(folder).as_posix()

    players = [(Link(box.name, at(box / "index.html")), str(len(letters))) for box, letters in boxes.items()]
    return [
        List(_doors(folder), "doors"),
        Part("The players' mailboxes", [Table("Who played, and what they got", ("Player", "Letters"), players)]),
        Part("The public summary of each turn", [List([Link(path.stem, at(path)) for path in summaries], "links")]),
        Part("The board after each turn, as in the letters", [List([Link(p.stem, at(p)) for p in boards], "links")]),
        Part("Is it honest?", [
            Paragraph(say("demo.honest")),
            Paragraph(say("demo.verify", record=f"{GAME_PAGES}/game.jsonl")),
            List([Link("The record as one document", f"{ARCHIVE}/{GAME}.json")], "links"),
        ]),
    ]  # fmt: skip


def _doors(folder: Path) -> list[Link]:
    """What a newcomer may want to see first, as far as it is there."""
    doors = {
        "Watch the game that was just played, step by step": f"{GAME_PAGES}/replay.html",
        "Read its story, turn by turn": f"{GAME_PAGES}/index.html",
        "The archive, as everybody could read it": f"{ARCHIVE}/index.html",
        "The record, line by line": f"{GAME_PAGES}/game.jsonl",
    }
    return [Link(words, to) for words, to in doors.items() if (folder / to).is_file()]
