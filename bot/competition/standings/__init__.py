"""The standings: who is how far, by which criterion each is before the next, and what every number is made of.

``record`` holds what the criteria look at, ``criteria`` each of them as a small function, ``order`` the standings and
``explained`` the terms of the points; ``stages`` how far somebody came in rounds that not all play.
"""

from bot.competition.standings.order import lot_seed, of_published, standings
from bot.competition.standings.stages import Reached, reached

__all__ = ["Reached", "lot_seed", "of_published", "reached", "standings"]
