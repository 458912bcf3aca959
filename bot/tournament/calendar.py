"""What happens to tournaments because time has passed. Each piece of work claims what it does in the database, so that
running it twice does nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from bot.games.open_games import OpenGames
from bot.store.database import DatabaseUnavailable, reading
from bot.store.tournaments import tournaments
from bot.tournament import (
    absentees,
    digests,
    factions,
    mail_orders,
    progress,
    rated_games,
    results,
    rolling,
    rounds,
    voting,
    waiting_list,
    watching,
)

log = logging.getLogger(__name__)

Work = Callable[[OpenGames, datetime], None]
WORK: tuple[Work, ...] = (
    factions.make_trades,
    factions.settle_due,
    results.withdraw_undone,
    results.take_ended,
    voting.count_due,
    results.confirm_due,
    rated_games.keep_up,
    rolling.seat_as_they_come,
    rounds.give_time_back,
    absentees.look_after_seats,
    rounds.give_notice,
    rounds.tell_again,
    rounds.say_late,
    mail_orders.write_codes,
    waiting_list.invitations_end,
    progress.finish_over,
    digests.write,
    watching.watch,
)
"""In this order."""


def tick(open_games: OpenGames, now: datetime) -> None:
    """Do what is due, where there are tournaments at all. What fails does not stop the rest, and is tried again."""
    with reading(open_games.engine) as conn:
        if not tournaments.exist(conn):
            return
    for work in WORK:
        try:
            work(open_games, now)
        except DatabaseUnavailable:
            raise
        except Exception:
            log.exception("%s failed; it is tried again", work.__name__)
