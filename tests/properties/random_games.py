"""Who plays the random games in which the tests of secrecy look for leaks."""

from __future__ import annotations

from bot.lab.soak import Setting
from rules.random_players import RandomPlayer


def plain_player(game: Setting) -> RandomPlayer:
    """One who does whatever is legal and now and then something out of season, with no liking for what is rare."""
    return RandomPlayer(f"player {game.seed}", impulses=25, strays=5)
