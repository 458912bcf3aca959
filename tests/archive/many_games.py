"""Invented summaries of many games, for the tests of the lists."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta

from bot.archive.summaries import Seat, Summary, tidy_name
from rules.components import FACTIONS

NAMES = ("Duke", "Nefud Prime", "Ḥusayn الغزالي", "sandrider", "Irulan's Pen", "TLX_7", "Count & Co <b>", "=SUM(A1)")


def many_games(number: int, names: Sequence[str] = NAMES, listed: bool = True) -> list[Summary]:
    """Return this many summaries, the same each time."""
    chance = random.Random(number)
    return [_game(at, chance, names, listed) for at in range(number)]


def _game(at: int, chance: random.Random, names: Sequence[str], listed: bool) -> Summary:
    factions = chance.sample(FACTIONS, chance.choice([6, 6, 6, 5, 4]))
    allied = tuple(sorted(factions[:2]))
    return Summary(
        id=f"sietch-{at:04d}",
        ruleset=chance.choice(["wbc-2018", "gf9-advanced", "ah-basic"]),
        ended=date(2022, 1, 1) + timedelta(days=chance.randrange(1700)),
        turns=chance.randrange(2, 16),
        winners=tuple(factions[: chance.choice([1, 1, 1, 2])]),
        how=chance.choice(["strongholds", "strongholds", "prediction", "guild", "most strongholds"]),
        seats=tuple(
            Seat(one, tidy_name(chance.choice(names)), listed and chance.random() < 0.5, dot=dot)
            for dot, one in enumerate(factions, 1)
        ),
        held=dict.fromkeys(factions[:3], 1),
        held_over_turns=dict.fromkeys(factions[:3], 3 + at % 4),
        alliances=(allied,) if at % 3 else (),
        first_alliances=(allied,) if at % 2 else (),
        traitors={factions[0]: 1} if at % 4 == 0 else {},
        battles=chance.randrange(40),
        karama=tuple((chance.randrange(1, 9), chance.randrange(1, 20)) for _ in range(chance.randrange(3))),
        commitment=f"{at:064x}",
        record=f"{at:064x}",
    )
