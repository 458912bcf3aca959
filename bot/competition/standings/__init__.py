"""The standings: who is how far, by which criterion each is before the next, and what every number is made of.

``record`` holds what the criteria look at, ``criteria`` each of them as a small function, ``order`` the standings,
``explained`` the terms of the points, ``qualification`` who plays the next round.
"""

from bot.competition.standings.order import of_published, standings
from bot.competition.standings.qualification import advancing, qualified

__all__ = ["advancing", "of_published", "qualified", "standings"]
