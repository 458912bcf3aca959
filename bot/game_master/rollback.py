"""Taking a game back: its log is cut, and what is left is played again. Its record keeps what was undone."""

from __future__ import annotations

from datetime import datetime

from bot.games.open_games import OpenGames
from bot.store import games, record_parts, rollbacks, sheets
from bot.store.database import writing
from bot.store.rollbacks import Rollback
from bot.table import rounds
from bot.table.table import Table
from bot.wording.sentences import say
from rules.engine.play import Play


class GameIsOver(Exception):
    """What was wanted cannot be done with a finished game; the message says why."""


def rollback(open_games: OpenGames, game_id: str, entries: int, now: datetime, why: str = "") -> Table:
    """Take a game back to where its log had so many entries; everybody is told. GameIsOver if it is
    finished, ValueError if it has fewer entries."""
    with open_games.busy, writing(open_games.engine) as conn:
        open_games.forget(game_id)
        old = games.open_table(conn, game_id)
        if old.status == "over":
            raise GameIsOver(
                f"{game_id} is finished and cannot be taken back: its seed was told to all its players, who could "
                "foresee every shuffle and storm."
            )
        if not 0 <= entries <= old.entries:
            raise ValueError(f"{game_id} has {old.entries} entries; it can be taken back to 0 to {old.entries}.")
        play = Play.start(old.play.game.rules, old.seed, {f: seat.dot for f, seat in old.seats.items()})
        play.replay(games.log_of(conn, game_id)[:entries])
        games.cut(conn, game_id, entries)
        table = Table(
            game_id, old.ruleset, old.options, old.seed, play, old.seats, entries=entries, revision=old.revision,
            tempo=old.tempo, clock=old.clock, stopped_at=old.stopped_at, stopped_why=old.stopped_why,
            absences=old.absences, policy=old.policy, sheets=sheets.load(conn, game_id, old.seats),
            head=old.head, lines=old.lines, words_key=old.words_key,
        )  # fmt: skip
        for seat in table.seats.values():
            seat.told, seat.called = min(seat.told, play.state.events), ""
            seat.drawn = min(seat.drawn, play.state.events)
        table.now = now
        rounds.open_call(table)  # what was filed since is withdrawn, so all are asked for their sheets again
        state = play.state
        rollbacks.record(conn, game_id, Rollback(now, entries, state.events, state.turn, state.phase, why))
        record_parts.taken_back(conn, table, entries, why, now)
        games.save(conn, table, now, open_games.clock(table), recorded=True)
        games.ready_for_deputies(conn, table)
        where = say("rollback.where", turn=state.turn, phase=state.phase)
        paragraphs = [say("rollback.notice", where=where), say("rollback.sheets"), *([why] if why else [])]
        open_games.writer.announce(conn, table, now, say("rollback.subject", where=where), paragraphs)
        open_games.writer.answer(conn, table, {}, play.state.turn, now)
        games.close(conn, table)
    return table
