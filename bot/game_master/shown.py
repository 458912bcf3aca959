"""A game as one viewer may see it, for somebody who reads it at the machine: the words of the letters, on one page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from bot.game_master.desk import Standing
from bot.game_master.desk_words import at, place, still
from bot.post.letter_writer import LetterWriter
from bot.reports import position as seen
from bot.reports.document import Block, Document, Heading, Paragraph, Row, Rows, Title
from bot.reports.given import Position
from bot.reports.times import by, clock_of
from bot.reports.wanted import add_waiting, add_wanted, ask
from bot.store.desk import GameAt
from bot.table.table import Table
from bot.wording.filters import listed, name
from bot.wording.sentences import say
from bot.wording.spoken import speaking
from rules.components import Faction
from rules.state.events import Viewer


def shown(writer: LetterWriter, table: Table, viewer: Viewer, now: datetime) -> Document:
    """The page about a game for a faction, the public, or the game master."""
    with speaking(table.play.game.rules.edition):
        return _shown(writer, table, viewer, now)


def _shown(writer: LetterWriter, table: Table, viewer: Viewer, now: datetime) -> Document:
    position = writer.position(table, viewer, now, ())
    page = Document("")
    rules = say("game-page.rules", title=position.title, ruleset=table.ruleset, options=position.options)
    page.add(Title(say("game-page.title", game=table.id, place=place(_game_at(table))), rules))
    page.add(Paragraph(" ".join(_state(position, table, viewer, now))))
    if viewer in ("public", "gm"):
        if not table.play.over:
            add_waiting(page, position)
    else:
        page.add(Paragraph(say("game-page.you", faction=viewer), "small"))
        add_wanted(page, position)
        page.add(Heading(say("heading.you")), seen.own(position))
    page.add(Heading(say("heading.players")), Rows(tuple(_player(position, table, faction) for faction in table.seats)))
    page.add(Heading(say("heading.table")), seen.table(position))
    if bribes := seen.before_shields(position):
        page.add(Paragraph(bribes))
    page.add(Heading(say("heading.board")), seen.board(position))
    if viewer == "gm":
        for faction in table.seats:
            its = writer.position(table, faction, now, ())
            reader = replace(its.reader, zone=position.reader.zone, reply_to="")
            page.add(*_seat(replace(its, reader=reader), faction))
    return page


def _game_at(table: Table) -> GameAt:
    state = table.play.state
    return GameAt(
        table.id, table.ruleset, table.status, state.turn, state.phase, table.tempo, tuple(state.winners),
        stopped_at=table.stopped_at, stopped_why=table.stopped_why, on_hold=table.on_hold, call=table.call,
        call_due=table.call_due,
    )  # fmt: skip


def _state(position: Position, table: Table, viewer: Viewer, now: datetime) -> Iterator[str]:
    """Whether it goes on, what is due next, and whose clock the times are of."""
    zone = position.reader.zone
    standing = Standing(_game_at(table))
    if standing.game.status == "over":
        yield say("game-page.over")
    elif standing.stopped:
        yield say("game-page.still", why=still(standing.game, zone))
    else:
        dues = [each.due for each in position.waiting] + [each.due for each in position.wanted if not each.answered]
        if viewer == "gm":
            dues += [table.due(question) for question in table.play.questions()]
        if table.call_due and table.call_due > now:
            dues.append(table.call_due)
            yield say("game-page.call", round=standing.game.call.partition(".")[2], due=at(table.call_due, zone))
        if due := min((due for due in dues if due), default=None):
            late = due <= now
            yield say(f"game-page.{'overdue' if late else 'next'}", by=at(due, zone) if late else by(due, now, zone))
    yield say("game-page.times", zone=clock_of(zone), tempo=table.tempo)


def _player(position: Position, table: Table, faction: Faction) -> Row:
    player, seat = position.view["players"][faction], table.seats[faction]
    allies = listed(map(name, player["ally"].split(", "))) if player["ally"] else ""
    words = say("game-page.player", player=seat.name, dot=player["dot"], allies=allies, care=seat.care)
    return Row(name(faction), (words,))


def _seat(position: Position, faction: Faction) -> list[Block]:
    """What one faction alone knows, and what is asked of it."""
    found: list[Block] = [Heading(say("game-page.seat", faction=faction)), seen.own(position)]
    return found + [ask(position, asked, None) for asked in position.wanted if not asked.answered]
