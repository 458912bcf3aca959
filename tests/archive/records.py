"""Complete records of random games, with their draws, events and end, for tests of the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Any

from bot.record.lines import Act, Decided, Head, whole_record
from rules.components import Faction
from rules.components.chance import Chance, commitment
from rules.components.factions import FACTIONS
from rules.engine.catalogue import load_rule_set
from rules.engine.log import Entry
from rules.random_players import RandomPlayer, random_game, random_seats

KEY = bytes(range(32))
BEGAN = date(2026, 11, 1)


@cache
def recorded(ruleset: str = "wbc-2018", seed: str = "record", players: int = 6, acts: bool = True) -> bytes:
    """Return the record of a random game. With ``acts``, it was rolled back once and extended once."""
    factions = FACTIONS[:players]
    play = random_game(load_rule_set(ruleset), seed, factions, RandomPlayer(seed, impulses=30))
    return of_log(ruleset, seed, factions, play.log, acts=acts)


def of_log(
    ruleset: str,
    seed: str,
    factions: Sequence[Faction],
    log: Sequence[Entry],
    *,
    acts: bool,
    options: Mapping[str, Any] | None = None,
) -> bytes:
    """Return the record of a game with this log."""
    story: list[Decided | Act] = [
        Decided(n=number, entry=entry, day=BEGAN + timedelta(days=number // 40)) for number, entry in enumerate(log)
    ]
    if acts and len(log) > 30:
        chance = Chance(f"acts of {seed}", {})
        cut = 10 + chance.draw("cut", len(log) - 20)
        back = chance.draw("back", min(cut, 40)) + 1
        again = story[cut - back : cut]
        day = BEGAN + timedelta(days=cut // 40)
        story[cut:cut] = [
            Act(what="rollback", why='they said: "wrong", twice {really}', day=day, entries=cut - back),
            *again,
            Act(what="extend 24", day=day),
        ]
    head = Head(
        game=f"{ruleset.replace('.', '-')}-{seed.replace(' ', '-')}", ruleset=ruleset, options=options or {},
        seats=random_seats(seed, factions), commitment=commitment(seed), day=BEGAN,
    )  # fmt: skip
    ended = BEGAN + timedelta(days=len(log) // 40 + 1)
    return b"".join(line + b"\n" for line in whole_record(head, seed, story, KEY, ended))
