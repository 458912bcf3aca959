"""Looking at what is sealed: games that are played blind, the glass that is broken in need, and predictions."""

from __future__ import annotations

from datetime import datetime

from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, using
from bot.games.open_games import OpenGames
from bot.post.clock_notices import own_words
from bot.reports.news import sentence
from bot.store import games
from bot.wording.sentences import say
from bot.wording.spoken import speaking

MOST_STOPS = 500


def blind(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """From now on nobody at the desk may read what is sealed; the table is told. PowerRefused if it is so already."""
    with using(open_games, game_id, "blind", now, use) as used:
        if used.table.blind:
            raise PowerRefused(f"{game_id} is played blind already.")
        used.table.blind = True
        told = [say("desk.blind"), *own_words(use.tell)]
        open_games.writer.announce(used.conn, used.table, now, say("desk.blind-subject"), told)


def break_glass(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Let what is sealed be read again; the table is told at once that it was done, and the reason stands in the act
    log. PowerRefused if the game is not played blind, or without a reason."""
    if not use.why.strip():
        raise PowerRefused("Say why: it stands in the act log, which everybody may read at the end of the game.")
    with using(open_games, game_id, "break-glass", now, use) as used:
        if not used.table.blind:
            raise PowerRefused(f"{game_id} is not played blind; there is no glass to break.")
        used.table.blind = False
        told = [say("desk.glass"), *own_words(use.tell)]
        open_games.writer.announce(used.conn, used.table, now, say("desk.glass-subject"), told)


def predict(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> tuple[str, ...]:
    """What the rest of this phase comes to if nobody writes any more, with what is under seal; in sentences. Nobody is
    told before the end of the game, when the act log opens. PowerRefused in a game that is played blind."""
    with using(open_games, game_id, "predict", now, use) as used:
        used.require_sight()
        play = games.open_table(used.conn, game_id).play
        turn, phase = play.state.turn, play.state.phase
        used.words = f"{turn}/{phase}"
        for _ in range(MOST_STOPS):
            if play.phase_over or (play.state.turn, play.state.phase) != (turn, phase):
                break
            play.expire()
        with speaking(play.game.rules.edition):
            told = [sentence(event.kind, event.facts, {}) for event in play.events]
        return tuple(filter(None, told))
