"""The players of the random games in which tests of secrecy search for leaks."""

from __future__ import annotations

from bot.lab.soak import Setting
from rules.random_players import RandomPlayer


def plain_player(game: Setting) -> RandomPlayer:
    """Return a player who does anything legal and occasionally something out of place, without a preference for rare
    acts."""
    return RandomPlayer(f"player {game.seed}", impulses=25, strays=5)
