"""How entrants are called (``bot.competition.names``)."""

from bot.competition.names import MOST_CHARS, clean, display_name

__all__ = ["MOST_CHARS", "clean", "display_name"]
