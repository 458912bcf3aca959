"""Short finished games for the tests of the archive: random ones of a turn or a few."""

from __future__ import annotations

from functools import cache

from bot.archive.games import Cast, FinishedGame
from bot.record.lines import AnyLine, Chain, Decided, End, Head
from rules.components.chance import commitment
from rules.components.factions import FACTIONS, faction_name
from rules.engine.catalogue import load_rule_set
from rules.players import random_game, random_seats


@cache
def short(ruleset: str, players: int, seed: str, turns: int) -> FinishedGame:
    """A random game of so many turns at most."""
    factions = FACTIONS[:players]
    options = {"max_turns": turns}
    play = random_game(load_rule_set(ruleset).with_options(options), seed, factions)
    seats = random_seats(seed, factions)
    lines: list[AnyLine] = [
        Head(game="sietch-7", ruleset=ruleset, options=options, seats=seats, commitment=commitment(seed)),
        *(Decided(n=number, entry=entry) for number, entry in enumerate(play.log)),
        End(turn=play.state.turn, winners=tuple(play.state.winners), seed=seed),
    ]
    chain = Chain(seed)
    record = b"".join(chain.add(line) + b"\n" for line in lines)
    cast = {faction: Cast(faction, dot, f"{faction_name(faction)} of sietch-7") for faction, dot in seats.items()}
    return FinishedGame("sietch-7", record, lines, cast)
