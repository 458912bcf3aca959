"""The pages of one game: each maker gives files by their names inside the game's folder."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bot.archive.html import Cell, Fought, Laid, List, Log, Name, Part, Table, document
from bot.archive.html import Chapter as LogChapter
from bot.archive.html import Line as LogLine
from bot.archive.pages.auction import auction_table, full_table, lots
from bot.archive.pages.board import Drawn, board_table, drawn, picture
from bot.archive.pages.press import press_page
from bot.archive.pages.secrets import faction_file, faction_page, secrets_page, turn_links
from bot.archive.pages.turns import Told, Turn
from bot.archive.pages.words import ROOT, day, page_of, shown, turn_file, ways_to
from bot.archive.rendering import Link, Page
from bot.reports import position as seen
from bot.reports.digest import digest, headline
from bot.reports.document import Grid, Paragraph, Row, Rows, Title
from bot.reports.ending import why_it_ended
from bot.reports.fights import fights
from bot.reports.given import Position
from bot.reports.news import chapters
from bot.reports.story import phase_name
from bot.wording.filters import name
from bot.wording.sentences import say
from bot.wording.spoken import speaking


@dataclass(frozen=True, slots=True)
class Summed:
    """A turn as several pages need it: put into words and drawn once."""

    turn: Turn
    position: Position
    title: Title
    rows: Sequence[Row]
    board: Drawn


class GamePages:
    """The plain pages of one game."""

    __slots__ = ("_summed", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        with speaking(told.rules.edition):
            self._summed = [_summed(told, turn) for turn in told.turns]

    def pages(self) -> dict[str, bytes]:
        """All but the index, by their names in the game's folder."""
        told, summed = self._told, self._summed
        with speaking(told.rules.edition):
            pages = {turn_file(each.turn.number): _turn_page(told, summed, each) for each in summed}
            pages["battles.html"] = _battles_page(told, summed)
            pages["auction.html"] = _auction_page(told)
            if told.press:
                pages["press.html"] = press_page(told)
            if told.open:
                pages["secrets.html"] = secrets_page(told)
                pages |= {faction_file(faction): faction_page(told, faction) for faction in told.cast}
        return pages

    def index(self, files: Collection[str]) -> bytes:
        """`index.html`, which leads to all ``files`` of the folder."""
        with speaking(self._told.rules.edition):
            return _index_page(self._told, self._summed, files)


def _summed(told: Told, turn: Turn) -> Summed:
    position = told.position(turn)
    return Summed(turn, position, headline(position), digest(position).rows, drawn(position))


# --- a turn --------------------------------------------------------------------------------------------------------


def _turn_page(told: Told, summed: Sequence[Summed], each: Summed) -> bytes:
    turn, position = each.turn, each.position
    place = summed.index(each)
    page = page_of(
        told,
        title=say("page.turn-title", turn=turn.number, title=each.title.text, game=told.id, ruleset=told.rules.name),
        heading=say("page.turn-heading", turn=turn.number, title=each.title.text),
        below=each.title.below,
        before=_beside(summed, place - 1),
        after=_beside(summed, place + 1),
        kind="turn",
    )
    when = say("page.turn-end" if turn.over else "page.turn-so-far")
    blocks: list[Laid] = [
        *_digest(each),
        Part(
            say("page.board"),
            [picture(each.board, ROOT), Paragraph(seen.board(position).says, "small"), board_table(position)],
            "board",
            when,
        ),
    ]
    if fought := fights(position.news):
        numbered = [Fought(fight, f"battle-{number}") for number, fight in enumerate(fought, 1)]
        blocks.append(Part(say("page.battles"), numbered, "battles", flows=True))
    if sold := lots(turn.events):
        table = auction_table(sold, say("page.lots-of-turn", turn=turn.number))
        blocks.append(Part(say("page.auction"), [table], "auction"))
    blocks.append(Part(say("page.table"), [_table(position)], "table"))
    blocks.append(Part(say("page.log"), [_log(position)], "log", flows=True))
    return document(page, blocks)


def _beside(summed: Sequence[Summed], place: int) -> Link | None:
    if not 0 <= place < len(summed):
        return None
    number = summed[place].turn.number
    return Link(say("page.turn", turn=number), turn_file(number))


def _digest(each: Summed) -> list[Laid]:
    return [Rows(tuple(each.rows))]


def _table(position: Position) -> Table:
    grid: Grid = seen.table(position)
    head = (say("page.table-faction"), *grid.head[1:])
    return Table(say("page.table-caption"), head, grid.rows, grid.numeric, grid.below)


def _log(position: Position) -> Log:
    return Log(
        [
            LogChapter(
                say("news.phase", phase=phase_name(chapter.phase)), [LogLine(line) for line in chapter.sentences],
                chapter.phase,
            )
            for chapter in chapters(position.news)
        ]
    )  # fmt: skip


# --- all battles, all auctions ---------------------------------------------------------------------------------------


def _battles_page(told: Told, summed: Sequence[Summed]) -> bytes:
    parts: list[Laid] = []
    total = 0
    for each in summed:
        number, file = each.turn.number, turn_file(each.turn.number)
        fought = [
            Fought(fight, f"turn-{number}-battle-{count}") for count, fight in enumerate(fights(each.position.news), 1)
        ]
        if fought:
            total += len(fought)
            way = List([Link(say("page.turn", turn=number), f"{file}#battles")], "links")
            parts.append(Part(say("page.turn", turn=number), [*fought, way], f"turn-{number}"))
    heading = say("page.all-battles")
    below = say("page.all-battles-below", number=total)
    return document(page_of(told, heading=heading, below=below), [*turn_links(parts), *parts])


def _auction_page(told: Told) -> bytes:
    parts: list[Laid] = []
    for turn in told.turns:
        if sold := lots(turn.events):
            table = full_table(sold, say("page.lots-of-turn", turn=turn.number), opened=told.open)
            parts.append(Part(say("page.turn", turn=turn.number), [table], f"turn-{turn.number}"))
    below = say("page.auctions-below", opened=told.open)
    blocks = [*turn_links(parts), *parts] or [Paragraph(say("page.no-lots"))]
    return document(page_of(told, heading=say("page.auctions"), below=below), blocks)


# --- the index -------------------------------------------------------------------------------------------------------

DOORS: Mapping[str, str] = {
    "replay.html": "replay", "battles.html": "battles", "auction.html": "auction", "plots.html": "plots",
    "press.html": "press", "secrets.html": "secrets", "game.jsonl": "record", "game.dune": "dune",
    "verify.html": "verify",
    "../../check.py": "check", "../../schema/game-1.json": "schema", "SHA256SUMS": "sums",
}  # fmt: skip
CHECKS = ("../../check.py", "../../schema/game-1.json")
"""What belongs to the record of every game, and lies once in the archive."""

"""What a game's index leads to, in this order, and the sentence for it in ``[archive.door]``."""


def _index_page(told: Told, summed: Sequence[Summed], files: Collection[str]) -> bytes:
    last = summed[-1]
    heading = _outcome(told)
    ended = day(told.ended) if told.ended else ""
    page = Page(
        say("page.index-title", won=heading, game=told.id, ruleset=told.rules.name), heading, ROOT,
        say("page.index-below", game=told.id, title=told.rules.title, ended=ended), ways_to(told),
        unlisted=not told.finished, kind="of-game",
    )  # fmt: skip
    blocks: list[Laid] = []
    if told.finished:
        blocks.append(Paragraph(why_it_ended(last.position).below))
    if not told.open:
        blocks.append(Paragraph(say("page.public-only" if told.finished else "page.running-only"), "small"))
    blocks.append(_doors(told, files))
    blocks.append(Part(say("page.cast"), [_cast(told)], "cast"))
    blocks.append(Part(say("page.story"), [_of_turn(told, each, each is summed[0]) for each in summed], "story"))
    if texts := sorted(file for file in files if file.startswith("forum")):
        blocks.append(Part(say("page.forums"), [List([Link(file, file) for file in texts], "links")], "forums"))
    return document(page, blocks)


def _outcome(told: Told) -> str:
    last = told.turns[-1]
    if told.finished:
        return say("page.won", winners=told.winners, turn=last.number)
    return say("page.now", game=told.id, turn=last.number, phase=phase_name(last.views["public"]["phase"]))


def _doors(told: Told, files: Collection[str]) -> Laid:
    """What else there is of the game; what it is, before its name."""
    there = {*files, *(CHECKS if "game.jsonl" in files else ())}
    known = [Link(say(f"page.door.{what}"), file) for file, what in DOORS.items() if file in there]
    return Part(say("page.look"), [List(known, "doors")], "look")


def _cast(told: Told) -> Table:
    """Who played: the winners first, then as they sit around the board."""
    order = sorted(told.cast, key=lambda faction: (faction not in told.winners, told.cast[faction].dot))
    columns = ["faction", "player", *(["story"] if told.open else [])]
    rows: list[list[Cell]] = []
    for faction in order:
        row: list[Cell] = [name(faction), Name(shown(told.cast[faction].name))]
        if told.open:
            row.append(Link(say("page.cast-open", faction=faction), faction_file(faction)))
        rows.append(row)
    fates = [
        say("page.cast-fate", won=faction in told.winners, caretaker=told.finished and told.cast[faction].caretaker)
        for faction in order
    ]
    return Table(say("page.cast"), tuple(say(f"page.cast-{column}") for column in columns), rows, below=fates)


def _of_turn(told: Told, each: Summed, first: bool) -> Part:
    """A turn on the index: its headline, a paragraph, its picture."""
    number = each.turn.number
    lines = [each.title.below]
    lines += [say("page.story-line", label=row.label, lines=row.lines) for row in each.rows[1:]]
    link = Link(say("page.story-link", turn=number), turn_file(number))
    shot = picture(each.board, ROOT, legend=False, patterns=first, caption=link)
    title = say("page.turn-heading", turn=number, title=each.title.text)
    return Part(title, [shot, Paragraph(" ".join(lines))], f"turn-{number}")
