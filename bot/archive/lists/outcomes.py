"""The games of the archive as results, from which statistics are computed (``bot.competition.statistics``)."""

from __future__ import annotations

from bot.archive.lists.summary import Summary
from bot.competition.outcomes import SeatOutcome, TableOutcome, Tenure
from bot.record.outcome import KINDS


def outcome_of(game: Summary) -> TableOutcome:
    """A game as a result; players by the names under which the archive has them, "" where it has none."""
    return TableOutcome(
        game=game.id, ruleset=game.ruleset, kind=KINDS.get(game.how, "stronghold") if game.winners else "void",
        winners=game.winners, turn=game.turns, how=game.how,
        seats=tuple(
            SeatOutcome(
                faction=seat.faction, dot=seat.dot,
                tenures=(Tenure(entrant=seat.name, first=1, last=max(game.turns, 1)),),
                strongholds=game.held.get(seat.faction, 0),
                strongholds_over_turns=game.held_over_turns.get(seat.faction, 0),
            )
            for seat in game.seats
        ),
        ended=game.ended, days=(game.ended - game.began).days + 1 if game.began and game.ended else 0,
        alliances=game.alliances, first_alliances=game.first_alliances, traitors=game.traitors,
    )  # fmt: skip
