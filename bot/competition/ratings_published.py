"""The ratings of one tournament as they are published, so that anybody can compute them again from the export alone.

They are the chain of this tournament's own results. Where it starts stands in ``opening``: for each entrant who was
rated before, "1537.250000 30" (the rating after so many games) by handle; for each faction, "10.000000" by rule set,
size of table and faction, "wbc-2018/6/guild". Who is missing there has the rating that everybody starts with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from bot.competition.outcomes import TableOutcome
from bot.competition.published import Published, RatingChange, Result
from bot.competition.ratings import Change, FactionAt, Rated, Ratings, chain

_PLAYER = re.compile(r"(-?[0-9]+\.[0-9]{6}) ([0-9]+)", re.ASCII)


def written(number: float) -> str:
    """A number of the ratings with its six decimals.

    >>> written(1537.25), written(-0.0)
    ('1537.250000', '0.000000')
    """
    return f"{number + 0.0:.6f}"


def rating_written(rated: Rated) -> str:
    """A rating with its games: "1537.250000 30"."""
    return f"{written(rated.rating)} {rated.games}"


def rating_read(text: str) -> Rated:
    """A rating from its text. ValueError for any other."""
    found = _PLAYER.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:40]!r} is no rating with its games, like '1537.250000 30'.")
    return Rated(float(found[1]), int(found[2]))


def opening_written(ratings: Ratings) -> dict[str, str]:
    """Where the chain starts."""
    players = {player: rating_written(rated) for player, rated in sorted(ratings.players.items()) if rated.games}
    factions = {_place(at): written(worth) for at, worth in sorted(ratings.factions.items())}
    return players | factions


def opening_read(opening: Mapping[str, str]) -> Ratings:
    """Where the chain starts, from the export. ValueError where it says what cannot be."""
    ratings = Ratings()
    for key, text in opening.items():
        if "/" in key:
            ruleset, size, faction = key.rsplit("/", 2)
            ratings.factions[ruleset, int(size), faction] = float(text)
        else:
            ratings.players[key] = rating_read(text)
    return ratings


def _place(at: FactionAt) -> str:
    return "/".join(map(str, at))


def published(changes: Iterable[Change]) -> tuple[RatingChange, ...]:
    """The changes as they are published."""
    return tuple(
        RatingChange(
            game=one.game, entrant=one.player, faction=one.faction, before=written(one.before),
            after=written(one.after), scored=str(one.scored), expected=written(one.expected), k=f"{one.k:g}",
        )
        for one in changes
    )  # fmt: skip


def counted(results: Iterable[Result]) -> list[TableOutcome]:
    """The outcomes that count, of all versions: the last of each table, unless it was withdrawn. One that does not say
    when its game ended did so when its first version was written."""
    first: dict[tuple[int, int], Result] = {}
    last: dict[tuple[int, int], Result] = {}
    for result in sorted(results, key=lambda result: result.outcome.version):
        place = (result.outcome.round, result.outcome.table)
        first.setdefault(place, result)
        last[place] = result
    return [
        replace(result.outcome, ended=result.outcome.ended or first[place].day)
        for place, result in last.items()
        if result.state != "withdrawn"
    ]


def recomputed(document: Published) -> tuple[RatingChange, ...]:
    """The changes as they follow from the results of the export. ValueError where its opening cannot be read."""
    changes, _ = chain(counted(document.results), opening_read(document.opening))
    return published(changes)


def first_difference(document: Published, rated: bool = True) -> str:
    """The first change of a rating that does not follow from the results, as a sentence; "" where all do. A tournament
    that is not ``rated`` has none."""
    try:
        wanted: Sequence[RatingChange] = recomputed(document) if rated else ()
    except ValueError as error:
        return f"The ratings at the beginning cannot be read: {error}"
    for number, (said, due) in enumerate(zip(document.ratings, wanted, strict=False), 1):
        if said == due:
            continue
        field = next(name for name in said.__struct_fields__ if getattr(said, name) != getattr(due, name))
        return (
            f"Change {number} of the ratings ({said.game}, {said.entrant}): {field} is {getattr(said, field)}, "
            f"and by the results it is {getattr(due, field)}."
        )
    both = min(len(document.ratings), len(wanted))
    for due in wanted[both:]:
        return f"The change of the rating of {due.entrant} by {due.game}, from {due.before} to {due.after}, is missing."
    for said in document.ratings[both:]:
        return f"The change of the rating of {said.entrant} by {said.game} follows from no result."
    return ""
