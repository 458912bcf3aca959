"""A game as one viewer may see it, for the command line: as a page in the same words as the letters, and as the JSON of
`mentat game show --json`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from bot.config import Settings
from bot.desk.desk import Standing, at, place_of_game, why_stopped
from bot.games.positions import position_seen
from bot.language.orders import write
from bot.render import position as seen
from bot.render.blocks import Block, Document, Heading, Paragraph, Row, Rows, Title
from bot.render.material import Position
from bot.render.questions import add_waiting, add_wanted, ask_block, duty, prompt_for
from bot.store.desk import GameAt
from bot.table import rounds
from bot.table.table import Table
from bot.wording import clock_of, deadline, say
from bot.wording.filters import listed, name, speaking
from rules.components import Faction
from rules.state.events import Viewer


def game_page(table: Table, viewer: Viewer, settings: Settings, now: datetime) -> Document:
    with speaking(table.play.game.rules.edition):
        return _game_page(table, viewer, settings, now)


def _game_page(table: Table, viewer: Viewer, settings: Settings, now: datetime) -> Document:
    position = position_seen(table, viewer, (), settings, now)
    page = Document("")
    rules = say("game-page.rules", title=position.title, ruleset=table.ruleset, options=position.options)
    page.add(Title(say("game-page.title", game=table.id, place=place_of_game(_game_row(table))), rules))
    page.add(Paragraph(" ".join(_state(position, table, viewer, now))))
    if viewer in ("public", "gm"):
        if not table.play.over:
            add_waiting(page, position)
    else:
        page.add(Paragraph(say("game-page.you", faction=viewer), "small"))
        add_wanted(page, position)
        page.add(Heading(say("heading.you")), seen.own(position))
    page.add(Heading(say("heading.players")), Rows(tuple(_player_row(position, faction) for faction in table.seats)))
    page.add(Heading(say("heading.table")), seen.table(position))
    if bribes := seen.before_shields(position):
        page.add(Paragraph(bribes))
    page.add(Heading(say("heading.board")), seen.board(position))
    if viewer == "gm":
        for faction in table.seats:
            its = position_seen(table, faction, (), settings, now)
            reader = replace(its.reader, zone=position.reader.zone)
            page.add(*_seat_blocks(replace(its, reader=reader), faction))
    return page


def _game_row(table: Table) -> GameAt:
    state = table.play.state
    return GameAt(
        table.id, table.ruleset, table.status, state.turn, state.phase, table.tempo, tuple(state.winners),
        stopped_at=table.stopped_at, stopped_why=table.stopped_why, on_hold=table.on_hold, call=table.call,
        call_due=table.call_due if any(rounds.awaits(table, faction) for faction in table.seats) else None,
    )  # fmt: skip


def _state(position: Position, table: Table, viewer: Viewer, now: datetime) -> Iterator[str]:
    zone = position.reader.zone
    standing = Standing(_game_row(table))
    if standing.game.status == "over":
        yield say("game-page.over")
    elif standing.stopped:
        yield say("game-page.still", why=why_stopped(standing.game, zone))
    else:
        dues = [each.due for each in position.waiting] + [each.due for each in position.wanted if not each.answered]
        if viewer == "gm":
            dues += [table.due(question) for question in table.play.questions()]
        if closes := standing.call_closes(now):
            dues.append(closes)
            yield say("game-page.call", round=standing.game.call.partition(".")[2], due=at(closes, zone))
        if due := min((due for due in dues if due), default=None):
            late = due <= now
            yield say(
                f"game-page.{'overdue' if late else 'next'}", by=at(due, zone) if late else deadline(due, now, zone)
            )
    yield say("game-page.times", zone=clock_of(zone), tempo=table.tempo)


def _player_row(position: Position, faction: Faction) -> Row:
    player = position.view["players"][faction]
    allies = listed(map(name, player["ally"].split(", "))) if player["ally"] else ""
    care, known = faction in position.cared_for, position.players.get(faction, "")
    return Row(name(faction), (say("game-page.player", player=known, dot=player["dot"], allies=allies, care=care),))


def _seat_blocks(position: Position, faction: Faction) -> list[Block]:
    found: list[Block] = [Heading(say("game-page.seat", faction=faction)), seen.own(position)]
    return found + [ask_block(position, asked, None) for asked in position.wanted if not asked.answered]


def json_view(table: Table, viewer: Viewer, settings: Settings, now: datetime | None = None) -> dict[str, Any]:
    """Return the view of a game with the players' names, the deadlines, and the questions in words. It is made from the
    same position as the page and shows the same facts.

    >>> json_view(table, "public", settings)["questions"]  # doctest: +SKIP
    [{'faction': 'guild', 'kind': 'bid', 'prompt': 'a bid', 'deadline': '2026-11-24T20:00:00+00:00', 'later': False,
    'default': None}]
    """
    with speaking(table.play.game.rules.edition):
        position = position_seen(table, viewer, (), settings, now or table.now)
        questions = _questions(table, position)
    called = rounds.call_of(table, now)
    players = {
        faction: {
            "player": position.players.get(faction, ""),
            "caretaker": faction in position.cared_for,
            **({"bank": position.banks[faction]} if faction in position.banks else {}),
            **player,
        }
        for faction, player in position.view["players"].items()
    }
    return {
        "game": table.id,
        "ruleset": table.ruleset,
        "options": dict(table.own_options),
        "tempo": table.tempo,
        "call": {"round": called.name, "until": _iso_time(table.call_due)} if called else None,
        "stopped_at": _iso_time(table.stopped_at),
        "stopped_why": table.stopped_why,
        "on_hold": _iso_time(table.on_hold),
        **position.view,
        "players": players,
        "questions": questions,
    }


def _questions(table: Table, position: Position) -> list[dict[str, Any]]:
    viewer = position.reader.viewer
    full = [
        {
            **_question(q.faction, q.kind, prompt_for(q.kind, q.facts, q.faction), table.due(q)),
            "default": write(q.default),
        }
        for q in table.play.questions()
        if viewer in ("gm", q.faction)
    ]
    if viewer == "gm":
        return full
    return full + [
        {**_question(each.faction, each.kind, duty(each.kind), each.due), "later": each.later}
        for each in position.waiting
    ]


def _question(faction: Faction | None, kind: str, words: str, due: datetime | None) -> dict[str, Any]:
    told = {"faction": faction, "kind": kind, "prompt": words, "deadline": _iso_time(due)}
    return {**told, "later": False, "default": None}


def _iso_time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
