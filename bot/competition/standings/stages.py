"""How far somebody came, as it is shown beside their place: the final and its places, or the round that was their last.

Semifinals and finals do not add to the points, they put those who sat there before all others. A table of standings
that showed points alone would have a winner with fewer points than the second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.competition.outcomes import Handle
from bot.competition.published import Standing
from bot.competition.standings.criteria import NONE

DECIDES = "final"


@dataclass(frozen=True, slots=True)
class Reached:
    """The last round that somebody reached of those that not all play, "final"; and their place among all who came so
    far, 0 where nothing has been decided there, or where those who won there went on."""

    stage: str
    place: int = 0


def reached(rows: Sequence[Standing]) -> Mapping[Handle, Reached]:
    """How far each came who came further than others, by the standings in order; empty where all play all rounds."""
    values = {row.entrant: dict(row.keys) for row in rows}
    decided = {
        keys.get("stage", NONE) for keys in values.values() if keys.get("stage_points", "0") not in ("", "0", NONE)
    }
    count: dict[str, int] = {}
    found = {}
    for row in rows:
        stage = values[row.entrant].get("stage", NONE)
        if stage not in ("", NONE):
            count[stage] = count.get(stage, 0) + 1
            found[row.entrant] = Reached(stage, count[stage] if stage == DECIDES and stage in decided else 0)
    return found
