"""A random game master, who corrects facts of every kind, announces the last turn, or ends the game.

Their acts are log entries, as orders are, so recorded games contain them too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from rules.chapters.victory import last_turn
from rules.components import Card, Faction, Forces, as_faction, board
from rules.components.chance import Chance
from rules.engine.log import (
    CardCorrected,
    CardPlace,
    Correction,
    FieldSpiceCorrected,
    ForcesCorrected,
    LeaderCorrected,
    SpiceCorrected,
    StormCorrected,
    TanksCorrected,
)
from rules.engine.play import Play
from rules.state.state import State

ROUNDS = 3
"""The number of corrections of each kind in a game, before the game is brought to its end."""

Ending = Literal["last turn", "agreed", "adjudicated", "void"]
_ENDINGS: Sequence[Ending] = ("last turn", "agreed", "adjudicated", "void")
_FIELDS = tuple(facts.spice_area for facts in board.TERRITORIES.values() if facts.spice_area)


class RandomMaster:
    """A game master who acts at some stops of a game, always in the same way for the same seed."""

    def __init__(self, seed: str) -> None:
        self._chance = Chance(seed, {})
        self._to_do: list[Callable[[State], Correction | None]] = [
            self._spice, self._field, self._forces, self._tanks, self._hidden_card, self._open_card, self._leader,
            self._storm,
        ] * ROUNDS  # fmt: skip
        self._ending: Ending | None = self._chance.pick("ending", _ENDINGS)

    def act(self, play: Play) -> bool:
        """Act at this stop, or do nothing. Return True if the master acted."""
        if self._chance.draw("acts", 4):
            return False
        if self._to_do:
            correction = self._to_do.pop(0)(play.state)
            if correction is None or (isinstance(correction, CardCorrected) and play.game.moments.battle is not None):
                return False  # it cannot be done now: a card may be in a binding plan
            play.correct([correction])
            return True
        ending, self._ending = self._ending, None
        if ending == "last turn" and play.state.turn < last_turn(play.game):
            play.announce_last_turn(max(1, play.state.turn))
        elif ending:
            how = "adjudicated" if ending == "last turn" else ending
            play.stop(how, [] if how == "void" else [self._faction(play.state)])
        return ending is not None

    def _spice(self, state: State) -> Correction:
        faction = self._faction(state)
        return SpiceCorrected(faction, self._chance.draw("spice", 8) - min(3, state.players[faction].spice))

    def _field(self, state: State) -> Correction:
        """Remove, change or add spice in a territory."""
        area = self._chance.pick("area", [*state.spice, *_FIELDS[: len(state.spice) + 1]])
        return FieldSpiceCorrected(area, 3 * self._chance.draw("spice", 3))

    def _forces(self, state: State) -> Correction | None:
        """Add or remove one token in a territory where a faction has forces."""
        faction = self._faction(state)
        here = [area for area, there in state.forces.items() if faction in there]
        if not here:
            return None
        area, reserves = self._chance.pick("area", here), state.players[faction].reserves
        stand = state.forces[area][faction]
        more = reserves.ordinary > 0 and bool(self._chance.draw("more", 2))
        if not more and not stand.ordinary:
            return None
        return ForcesCorrected(area, faction, stand + Forces(1) if more else stand - Forces(1))

    def _tanks(self, state: State) -> Correction | None:
        player = state.players[self._faction(state)]
        if player.tanks.ordinary and self._chance.draw("back", 2):
            return TanksCorrected(player.faction, player.tanks - Forces(1))
        return TanksCorrected(player.faction, player.tanks + Forces(1)) if player.reserves.ordinary else None

    def _hidden_card(self, state: State) -> Correction | None:
        faction = self._faction(state)
        return self._card(state, self._chance.pick("from", [faction, "deck"]), faction)

    def _open_card(self, state: State) -> Correction | None:
        faction = self._faction(state)
        source, to = self._chance.pick("ways", [(faction, "discard"), ("discard", faction), ("discard", "deck")])
        return self._card(state, source, to)

    def _card(self, state: State, source: Faction | CardPlace, to: Faction | CardPlace) -> Correction | None:
        places: dict[str, Sequence[Card]] = {"deck": state.treachery_deck, "discard": state.treachery_discard}
        cards = places[source] if source in places else state.players[as_faction(source)].hand
        target: Faction | CardPlace = "deck" if source == to else to
        return CardCorrected(self._chance.pick("card", cards), source, target) if cards else None

    def _leader(self, state: State) -> Correction | None:
        held = {leader for player in state.players.values() for leader in player.captured}
        free = [leader for leader in state.leaders if leader not in held]
        leader = self._chance.pick("leader", free)
        return LeaderCorrected(leader, "dead" if state.leaders[leader].status == "ready" else "ready")

    def _storm(self, _: State) -> Correction:
        return StormCorrected(1 + self._chance.draw("storm", board.SECTORS))

    def _faction(self, state: State) -> Faction:
        return self._chance.pick("faction", list(state.players))
