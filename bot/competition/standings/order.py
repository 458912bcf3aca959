"""The standings: criterion after criterion parts those who are level; each row says which one put the next behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from bot.competition.credits import Crediting
from bot.competition.outcomes import Handle, TableOutcome
from bot.competition.points import printed
from bot.competition.published import Entrant, Published, Result, Round, Standing
from bot.competition.scoring.system import system
from bot.competition.settings import TournamentSettings, read
from bot.competition.standings.criteria import Criterion, Value, Values, in_order
from bot.competition.standings.explained import made_of
from bot.competition.standings.record import Record, counting, record


def standings(
    settings: TournamentSettings,
    entrants: Sequence[Entrant],
    rounds: Sequence[Round],
    results: Iterable[Result],
    *,
    lot_seed: str,
    after: int | None = None,
    confirmed_only: bool = False,
    ended_now: Iterable[TableOutcome] = (),
) -> tuple[Standing, ...]:
    """The standings after a round (None: up to now), of results against which somebody may still protest too unless
    ``confirmed_only``. ``ended_now`` are tables that go on, as they would end if they were stopped now; they fill only
    the places of missing results. Nobody is level with another: a lot parts them at last, whose ``lot_seed`` is the
    seed of the first round."""
    known = [one for one in rounds if after is None or one.number <= after]
    outcomes = counting(results, after, confirmed_only)
    decided = {(outcome.round, outcome.table) for outcome in outcomes}
    outcomes += [
        one for one in ended_now if (one.round, one.table) not in decided and (after is None or one.round <= after)
    ]
    taking_part = _taking_part(entrants, known, outcomes)
    crediting = Crediting(system(settings.scoring), settings.people.substitutes, settings.factions.charge)
    disqualified = [one.handle for one in entrants if one.state == "disqualified" and one.handle in taking_part]
    found = record(taking_part, known, outcomes, crediting, disqualified=disqualified, lot_seed=lot_seed)
    rows, values = _parted(found, in_order(found, settings.tie_breaks))
    return tuple(
        Standing(
            rank=rank,
            entrant=entrant,
            points=printed(found.points[entrant]),
            keys=tuple((name, of[entrant].shown) for name, of in values),
            parted_by=parted_by,
            made_of=made_of(found, crediting.system, entrant),
        )
        for rank, (entrant, parted_by) in enumerate(rows, 1)
    )


def of_published(
    published: Published, *, after: int | None = None, confirmed_only: bool = False
) -> tuple[Standing, ...]:
    """The standings computed again from what is published alone."""
    return standings(
        read(published.settings), published.entrants, published.rounds, published.results,
        lot_seed=lot_seed(published.rounds, published.commitment), after=after, confirmed_only=confirmed_only,
    )  # fmt: skip


def lot_seed(rounds: Iterable[Round], commitment: str) -> str:
    """The seed of lots: that of the first round that was drawn, before that the commitment."""
    drawn = {one.number: one.draw.seed for one in rounds if one.draw is not None and one.draw.seed}
    return drawn[min(drawn)] if drawn else commitment


def _taking_part(
    entrants: Iterable[Entrant], rounds: Iterable[Round], outcomes: Iterable[TableOutcome]
) -> list[Handle]:
    """Those who are in the standings, by handle: all who play or are confirmed, and whoever had a seat or sat out."""
    seen = {tenure.entrant for outcome in outcomes for seat in outcome.seats for tenure in seat.tenures}
    for one in rounds:
        if one.draw is not None:
            seen.update(one.draw.roster, one.draw.sat_out)
    waiting = ("invited", "entered", "standby", "withdrawn", "disqualified")
    return sorted(one.handle for one in entrants if one.handle in seen or one.state not in waiting)


def _parted(
    found: Record, criteria: Sequence[tuple[str, Criterion]]
) -> tuple[list[tuple[Handle, str]], list[tuple[str, Values]]]:
    """Everybody in order with the name of what put the next behind them, and the values by criterion."""
    level: list[tuple[list[Handle], str]] = [(list(found.points), "")] if found.points else []
    values: list[tuple[str, Values]] = []
    for name, criterion in criteria:
        of: dict[Handle, Value] = {}
        finer: list[tuple[list[Handle], str]] = []
        for group, parted_by in level:
            here = criterion(found, group)
            of.update(here)
            equal: dict[tuple[Fraction | int, ...], list[Handle]] = {}
            for entrant in group:
                equal.setdefault(here[entrant].good, []).append(entrant)
            better = sorted(equal, reverse=True)
            finer += [(equal[good], parted_by if good == better[-1] else name) for good in better]
        level = finer
        values.append((name, of))
    return [(entrant, parted_by) for group, parted_by in level for entrant in group], values
