"""The players of the random games in which tests of secrecy search for leaks."""

from __future__ import annotations

from bot.lab.soak import Setting
from rules.random_players import RandomPlayer


def plain_player(game: Setting) -> RandomPlayer:
    """Return a player who makes any legal act, and a few out of place, without preferring rare ones."""
    return RandomPlayer(f"player {game.seed}", impulses=25, strays=5)
