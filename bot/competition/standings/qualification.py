"""Who plays the next round: the first in the standings who can, or winners first and then the best of the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bot.competition.outcomes import Handle, TableOutcome
from bot.competition.published import Standing


def qualified(rows: Iterable[Standing], places: int, gone: Collection[Handle] = ()) -> tuple[Handle, ...]:
    """The first so many who are not gone (withdrawn, disqualified, unable to play), in order. Who comes in for somebody
    is the next in the standings: the same call with them among the gone.

    >>> rows = [Standing(rank=rank, entrant=f"E00{rank}", points="0") for rank in range(1, 5)]
    >>> qualified(rows, 2), qualified(rows, 2, {"E001"})
    (('E001', 'E002'), ('E002', 'E003'))
    """
    return tuple(row.entrant for row in rows if row.entrant not in gone)[:places]


def advancing(
    rows: Iterable[Standing], outcomes: Iterable[TableOutcome], places: int, gone: Collection[Handle] = ()
) -> tuple[Handle, ...]:
    """In a knock-out: the winners of these tables, all of an alliance, then the best of the others, in the order of the
    standings; more winners than places, and the last of them are out."""
    rows = list(rows)
    won = {
        seat.tenures[-1].entrant
        for outcome in outcomes
        for seat in outcome.seats
        if seat.faction in outcome.winners and seat.tenures and seat.tenures[-1].why != "caretaker"
    }
    first = [row for row in rows if row.entrant in won]
    return qualified(first + [row for row in rows if row.entrant not in won], places, gone)
