"""Finished random games for the tests of the archive, each played once in a test run."""

from __future__ import annotations

from functools import cache

from bot.archive.games import Cast, FinishedGame
from bot.record.lines import AnyLine, Chain, Decided, End, Head
from rules.components.chance import commitment
from rules.components.factions import FACTIONS, faction_name
from rules.engine.catalogue import load_rule_set
from rules.random_players import random_game, random_seats


@cache
def finished(
    ruleset: str = "wbc-2018", seed: str = "archive", players: int = 6, turns: int | None = None
) -> FinishedGame:
    """Return a random game by these rules that has ended, after at most this many turns."""
    options = {} if turns is None else {"max_turns": turns}
    rules = load_rule_set(ruleset).with_options(options)
    factions = FACTIONS[:players]
    play = random_game(rules, seed, factions)
    seats = random_seats(seed, factions)
    name = f"{ruleset.replace('.', '-')}-{seed}"
    lines: list[AnyLine] = [
        Head(game=name, ruleset=ruleset, options=options, seats=seats, commitment=commitment(seed)),
        *(Decided(n=number, entry=entry) for number, entry in enumerate(play.log)),
        End(turn=play.state.turn, winners=tuple(play.state.winners), seed=seed),
    ]
    chain = Chain(seed)
    record = b"".join(chain.add(line) + b"\n" for line in lines)
    cast = {faction: Cast(faction, dot, f"{faction_name(faction)} of {name}") for faction, dot in seats.items()}
    return FinishedGame(name, record, lines, cast)
