"""What a result may be: winners who sit at the table, three at most, none of them twice, and none only where it is
void."""

from __future__ import annotations

from typing import get_args

from bot.competition.outcomes import Kind, TableOutcome
from rules.components import faction_name

MOST_WINNERS = 3
"""So many are the greatest alliance."""


class ResultRefused(ValueError):
    """This cannot be the result of a table; the message is a sentence that says why, and what can."""


def require_possible(outcome: TableOutcome) -> None:
    """ResultRefused if this cannot be the result of its table."""
    where = f"table {outcome.round}.{outcome.table}"
    if outcome.kind not in get_args(Kind):
        raise ResultRefused(f"{outcome.kind!r} is no way in which a game ends: {', '.join(get_args(Kind))}.")
    seated = [seat.faction for seat in outcome.seats]
    for faction in outcome.winners:
        if faction not in seated:
            named = ", ".join(seated)
            raise ResultRefused(f"{faction_name(faction)} does not sit at {where}; there are {named}.")
        if outcome.winners.count(faction) > 1:
            raise ResultRefused(f"{faction_name(faction)} is named twice among the winners of {where}.")
    if len(outcome.winners) > MOST_WINNERS:
        raise ResultRefused(f"{len(outcome.winners)} winners are too many for {where}: {MOST_WINNERS} are the most.")
    if outcome.kind == "void" and outcome.winners:
        raise ResultRefused(f"What is void has no winners: name a kind of win, or no winners of {where}.")
    if outcome.kind != "void" and not outcome.winners:
        raise ResultRefused(f"{where.capitalize()} has no winner: name one, or say that its result is void.")
