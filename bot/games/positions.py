"""Positions: a table as one viewer may see it, from which letters, posts and the game's page are made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from bot.config import Settings
from bot.config.time_zones import zone_named
from bot.language.orders import write
from bot.render.material import AnswerWanted, Auction, Duty, News, Pages, Position, Reader, Revelation, SheetCall
from bot.render.questions import orders_to_offer
from bot.table import rounds
from bot.table.clock import GameClock, game_clock, tempo
from bot.table.coverage import coverage
from bot.table.deadlines import seen_by_others
from bot.table.press import names_hidden
from bot.table.table import UNTIMED, Seat, Table
from bot.wording.filters import isolated
from rules import views
from rules.components import Faction
from rules.components.chance import commitment
from rules.components.terms import order_in_words_of
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.orders import Order
from rules.state.events import Event, Viewer

MOST_CHOICES = 12  # legal answers shown in a letter; the forms say how to write the others


def position_seen(
    table: Table, viewer: Viewer, happened: Sequence[Event], settings: Settings, now: datetime
) -> Position:
    play = table.play
    seat = None if viewer == "public" or viewer == "gm" else table.seats[viewer]
    zone = zone_named(seat.timezone) if seat else settings.mentat.timezone
    reader = Reader(viewer, isolated(seat.name) if seat else "", zone)
    told = seat.told if seat else 0
    news = tuple(
        News(event.turn, event.phase, event.kind, event.facts, event.told_to(viewer))
        for event in happened
        if event.number >= told and event.visible_to(viewer)
    )
    edition = play.game.rules.edition
    given = {question.key: orders for question, orders in play.answered()}

    def written(order: Order) -> str:
        return order_in_words_of(edition, write(order))

    most = settings.clock.caretaker_after
    open_now = [q for q in play.questions() if q.faction == viewer and not q.settled]
    wanted = [_wanted(table, q, ()) for q in open_now if not rounds.leaves_no_choice(table, q, most)]
    wanted += [
        _wanted(table, q, tuple(map(written, given[q.key])))
        for q, _ in play.answered()
        if q.faction == viewer and not q.settled
    ]
    sheet = table.sheets.get(seat.faction) if seat else None
    taken = tuple(seat.taken) if seat else ()
    return Position(
        game_id=table.id, ruleset=table.ruleset, reader=reader, now=now, view=views.view(play, viewer),
        secrets=views.known(play, viewer), news=news, wanted=tuple(wanted), waiting=_waiting(table, viewer, settings),
        held=tuple(map(written, play.game.held.get(seat.faction, ()) if seat else ())),
        sheet=tuple(order_in_words_of(edition, filed.text) for filed in sheet.active()) if sheet else (),
        remarks=sheet.notes if sheet else (), taken=taken, settles=_settles(table, seat, taken),
        banks=_banks(table, viewer) if settings.clock.bank_hours else {},
        commitment=commitment(table.seed), seed=table.seed if play.over else "",
        call=_call(table, seat, now),
        tempo=tempo(table.tempo).says, goes_on=_goes_on_at(table, seat, settings, now) if seat else None,
        stopped=bool(table.stopped_at) and table.stopped_why != UNTIMED,
        cared_for=tuple(f for f, each in table.seats.items() if each.care and each.has_player),
        opponents={f: each.opponent for f, each in table.seats.items() if not each.has_player},
        players=_names(table, viewer), revealed=_revealed(play) if play.over else None,
        pages=Pages(**settings.pages.model_dump()), edition=edition, opponent_minutes=rounds.opponent_minutes(table),
        title=play.game.rules.title,
        options=table.own_options, auction=_auction(play),
    )  # fmt: skip


def _call(table: Table, seat: Seat | None, now: datetime) -> SheetCall | None:
    part = rounds.call_of(table, now) if seat and seat.called != table.call else None
    if seat is None or part is None or not table.call_due:
        return None
    closes = None if table.stopped_at else table.call_due
    return SheetCall(part.name, closes, rounds.fights(table, seat.faction))


def _wanted(table: Table, question: Question, answered: tuple[str, ...]) -> AnswerWanted:
    edition = table.play.game.rules.edition
    choices = dict.fromkeys(
        order_in_words_of(edition, write(order)) for order in orders_to_offer(question)[:MOST_CHOICES]
    )
    return AnswerWanted(
        question.kind,
        question.subject,
        question.facts,
        table.due(question),
        order_in_words_of(edition, write(question.default)),
        tuple(choices),
        answered,
    )


def _banks(table: Table, viewer: Viewer) -> dict[Faction, int]:
    # In an anonymous game, the time that other players have left would reveal when they write
    hidden = names_hidden(table) and viewer != "gm"
    return {faction: seat.bank for faction, seat in table.seats.items() if not hidden or faction == viewer}


def clock_of_table(table: Table, settings: Settings) -> GameClock:
    return game_clock(settings, table.clock, rounds.share(table), rounds.opponents_pause(table))


def _goes_on_at(table: Table, seat: Seat, settings: Settings, now: datetime) -> datetime | None:
    at = rounds.goes_on_at(table, seat.faction, now)
    if at is None or not names_hidden(table):
        return at
    clock = clock_of_table(table, settings)
    others = [seen_by_others(table, q, clock) for q in table.play.asked() if q.public and not q.blanket]
    return None if any(later for _, later in others) else at


def _waiting(table: Table, viewer: Viewer, settings: Settings) -> tuple[Duty, ...]:
    # The other players' duties that everybody may know. Duties that depend on hidden cards become one line without
    # names; no line shows whether a duty has already been fulfilled.
    asked = [question for question in table.play.asked() if not question.settled]
    clock = clock_of_table(table, settings)
    named = [
        Duty(q.faction, q.kind, *(seen_by_others(table, q, clock) if viewer != "gm" else (table.due(q), False)))
        for q in asked
        if q.public and not q.blanket and q.faction != viewer and table.seats[q.faction].has_player
    ]
    players = sum(seat.has_player for seat in table.seats.values())
    nameless = {Duty(None, q.kind, table.due(q)) for q in asked if q.blanket and players > 1}
    order = list(table.seats)
    named.sort(key=lambda waiting: order.index(waiting.faction) if waiting.faction else 0)
    return (*dict.fromkeys(named), *sorted(nameless, key=lambda waiting: (waiting.kind, str(waiting.due))))


def _names(table: Table, viewer: Viewer) -> dict[Faction, str]:
    hidden = names_hidden(table) and viewer != "gm"
    known = (each for each in table.seats.items() if not hidden or each[0] == viewer)
    return {faction: isolated(seat.name) for faction, seat in known}


def _settles(table: Table, seat: Seat | None, taken: Sequence[str]) -> str:
    # Show what the sheet settles now, if some of its lines have yet to be confirmed.
    sheet = table.sheets.get(seat.faction) if seat and taken and not table.play.over else None
    if not (seat and sheet) or not any(words.startswith(filed.text) for words in taken for filed in sheet.active()):
        return ""
    return coverage(table.play, seat.faction, sheet, tempo(table.tempo).sheet)


def _auction(play: Play) -> Auction | None:
    if play.state.phase != "bidding" or not (auction := play.game.moments.auction):
        return None
    bids = {bid.bidder: bid.amount for bid in auction.bids}
    highest = sorted(bids.items(), key=lambda bid: math.inf if bid[1] is None else bid[1], reverse=True)
    return Auction(highest, tuple(auction.passed))


def _revealed(play: Play) -> Revelation:
    return Revelation.of(views.view(play, "gm")["players"], views.known(play, "gm"))
