"""Harkonnen in play (AH.SHIELD.HAR)."""

from __future__ import annotations

from rules.chapters.battle import capture
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.rulesets.options import switch
from rules.state.game import Game
from rules.state.moments import BattleMoment

LEADER_CAPTURE = switch("leader_capture")

OPTIONS = (LEADER_CAPTURE,)


class Harkonnen(FactionRules):
    """rules of Harkonnen."""

    # --- battle ------------------------------------------------------------------------------------------------------

    def betrays_for_allies(self, game: Game) -> bool:
        """Their traitors may betray the opponents of their allies (AH.SHIELD.HAR.ALLY)."""
        return True

    def takes_captives(self, game: Game) -> bool:
        """A leader of each opponent whom they beat (AH.SHIELD.HAR.3)."""
        return LEADER_CAPTURE(game.rules)

    def after_battle(self, game: Game, battle: BattleMoment) -> Flow:
        """They may take a leader; captives who have fought, or whom they may not keep, go home (AH.SHIELD.HAR.3)."""
        capture.return_all(game, self.faction)
        yield from capture.take(game, battle, self.faction)
        capture.return_used(game, battle, self.faction)
        capture.return_all(game, self.faction)
