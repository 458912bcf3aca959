"""How points are given, as organisers write it in ``[scoring]`` and as ``data/scoring.toml`` has the named systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

Cause = Literal["stronghold", "prediction", "default", "adjudicated", "agreed"]
"""How a table was won."""

Tie = Literal["split", "low", "high"]
Said = str | int
"""A number of points as typed: "3/4", "0.75", 12 (``bot.competition.points``)."""


class Scoring(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[scoring]: ``system`` names one that is known (`equal-win`, `mentat-12`, `pot-60`, `hmwp`, `carnage-6`,
    `squares`); what stands beside it replaces that part of it. ``aggregate``: "all", "best 3", "minus worst 1", or
    weights of one's tables from the best on. What each part means stands in ``data/scoring.toml``."""

    system: str = "mentat-12"
    win: Mapping[str, Said] | None = None
    factor: Mapping[Cause, Said] | None = None
    rank: tuple[Said, ...] | None = None
    tie: Tie | None = None
    per_stronghold: Said | None = None
    power: int | None = None
    survivor: Said | None = None
    tribute: Said | None = None
    winners_take_all: bool | None = None
    normalise: Said | None = None
    sit_out: Said | None = None
    forfeit: Said | None = None
    absent: Said | None = None
    aggregate: str | tuple[Said, ...] = "all"
