"""Silence answers before its time: for duties whose deadline was announced and is past, or for one duty at once.

Only what all know to be open is cut short. Reactions are not: that somebody has a card would show in how long the game
waited. What becomes of a duty is what would have become of it in silence; lines of a sheet for it have spoken before.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, Used, using
from bot.game_master.seats import seat_of
from bot.games.open_games import OpenGames
from bot.post.clock_notices import own_words
from bot.reports.questions import duty
from bot.store import games
from bot.table.advance import go_on
from bot.table.deadlines import note_missed
from bot.table.rounds import is_duty
from bot.table.table import Table, TableBefore, place_of
from bot.wording.sentences import say
from rules.components import Faction, faction_name
from rules.decisions.question import Question


def process(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Let silence answer every duty whose announced deadline is past, without the grace or the time bank that may still
    run. PowerRefused where no duty is open, or one is not due yet."""
    with using(open_games, game_id, "process", now, use) as used:
        duties = _duties(used.table)
        if not duties:
            raise PowerRefused(
                f"Nothing that all know of waits for anybody in {game_id}. Reactions that are open keep their time."
            )
        for question in duties:
            deadline = used.table.deadlines.get(place_of(used.table.play, question))
            if deadline is not None and deadline.due > now:
                raise PowerRefused(
                    f"{faction_name(question.faction)} has until {deadline.due:%Y-%m-%d %H:%M}Z for {question.kind}. "
                    f"`mentat game default {game_id} {question.faction} {question.kind}` lets silence answer it now."
                )
        _silence(open_games, used, duties, now, say("desk.processed"))


def default(
    open_games: OpenGames, game_id: str, faction: Faction, kind: str, now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Let silence answer one duty now. PowerRefused if that faction has no such duty, or it is no duty but something
    that nobody else may know of."""
    with using(open_games, game_id, "default", now, use) as used:
        seat_of(used.table, faction)
        duties = [question for question in _duties(used.table) if question.faction == faction]
        fits = [question for question in duties if question.kind == kind]
        if not fits:
            known = ", ".join(sorted({question.kind for question in duties})) or "none"
            raise PowerRefused(
                f"{faction_name(faction)} has no open duty {kind!r} that all know of; there is: {known}. Reactions and "
                "what is asked in secret keep their time."
            )
        _silence(open_games, used, fits, now, say("desk.defaulted", faction=faction, duty=duty(kind)))


def _duties(table: Table) -> list[Question]:
    return [question for question in table.play.questions() if is_duty(table, question)]


def _silence(open_games: OpenGames, used: Used, duties: Sequence[Question], now: datetime, told: str) -> None:
    conn, table = used.conn, used.table
    used.words = ", ".join(f"{question.faction} {question.kind}" for question in duties)
    before = TableBefore.of(table)
    places = [place_of(table.play, question) for question in duties]
    open_games.writer.announce(conn, table, now, say("desk.silence-subject"), [told, *own_words(used.use.tell)])
    if not used.may_foresee:
        return
    gone = set(table.play.expire([question.key for question in duties]))
    note_missed(table.deadlines, [place for place in places if place[1] in gone and place in table.deadlines])
    go_on(table, now)
    games.save(conn, table, now, open_games.clock(table))
    open_games.writer.answer(conn, table, before, now)
