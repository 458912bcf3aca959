"""What the questions of a battle have in common."""

from __future__ import annotations

from rules.components import Faction
from rules.decisions.question import Question
from rules.state.game import Game
from rules.state.moments import BattleMoment


class BattleQuestion(Question):
    """A decision in the battle that is on."""

    def __init__(self, game: Game, battle: BattleMoment, faction: Faction, subject: str = "") -> None:
        super().__init__(game, faction, subject)
        self.battle = battle
