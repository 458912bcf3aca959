"""The folder that the demo of a tournament leaves: every letter, the export, the archive, and an index to them."""

from __future__ import annotations

from pathlib import Path

from bot.archive import shelf, site
from bot.archive.html import Laid, List, Part, Table, document
from bot.archive.rendering import Link, Page
from bot.competition.published import encode
from bot.config import load_settings
from bot.demo.folder import write_letter
from bot.demo.pages import ARCHIVE, mailbox
from bot.demo.tournament import CUP, PlayedCup
from bot.reports.document import Paragraph
from bot.store.database import open_database
from bot.wording.sentences import say

PAGES = f"{ARCHIVE}/tournament/{CUP}"


def leave_behind(folder: Path, played: PlayedCup) -> None:
    """Write letters, export, archive and index."""
    engine = open_database(load_settings(folder / "config.toml").database_place)
    boxes: dict[str, dict[str, str]] = {}
    for person in played.entrants:
        box = folder / "letters" / person.name.lower()
        box.mkdir(parents=True)
        boxes[person.name] = {
            write_letter(box, number, letter): str(letter.message["Subject"])
            for number, letter in enumerate(person.letters, 1)
        }
        page = Page(f"The mailbox of {person.name}", f"The mailbox of {person.name}", f"../../{ARCHIVE}/",
                    way=[Link("The tournament", "../../index.html")])  # fmt: skip
        (box / "index.html").write_bytes(document(page, [mailbox(boxes[person.name])]))
    (folder / f"{CUP}.json").write_bytes(encode(played.published))
    finished, running = shelf.offered(engine)
    cups = shelf.tournaments(engine, played.ended)
    site.build(folder / ARCHIVE, finished, running, shelf.rating_list(engine), cups)
    engine.dispose()
    title = say("demo-cup.title", winner=_first(played), title=played.title)
    below = say("demo-cup.below", letters=played.letters, answers=played.answers, days=played.days)
    (folder / "index.html").write_bytes(
        document(Page(title, title, f"{ARCHIVE}/", below), _contents(folder, played, boxes))
    )


def _first(played: PlayedCup) -> str:
    handle = played.published.standings[0].entrant
    return next((one.name for one in played.published.entrants if one.handle == handle and one.name), handle)


def _contents(folder: Path, played: PlayedCup, boxes: dict[str, dict[str, str]]) -> list[Laid]:
    doors = {
        say("demo-cup.pages"): f"{PAGES}/index.html",
        say("demo-cup.archive"): f"{ARCHIVE}/index.html",
        say("demo-cup.export"): f"{CUP}.json",
        say("demo-cup.settings"): "cup.toml",
    }
    story = [(str(one.day), one.told, one.command) for one in played.story]
    people = [(Link(name, f"letters/{name.lower()}/index.html"), str(len(letters))) for name, letters in boxes.items()]
    return [
        List([Link(words, to) for words, to in doors.items() if (folder / to).is_file()], "doors"),
        Part(say("demo-cup.story"), [Table(say("demo-cup.story"), ("Day", "What happened", "Command"), story)]),
        Part(say("demo-cup.mailboxes"), [Table(say("demo-cup.mailboxes"), ("Player", "Letters"), people)]),
        Part(say("demo-cup.honest"), [Paragraph(say("demo-cup.verify", file=f"{CUP}.json"))]),
    ]
