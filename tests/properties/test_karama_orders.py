"""Tests each Karama order at every stop of random games: it is refused with a reason, or its card can be played."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.lab.soak import setting
from rules.cards.karama import effects_in
from rules.cards.karama_expansion import FARTHEST_BY_KARAMA
from rules.components import KARAMA, LEADERS, Faction, Forces, Leader, board
from rules.engine.play import Play
from rules.factions.mobile_stronghold import move_goals
from rules.orders import Karama, PhaseName
from rules.random_players import RandomPlayer
from rules.rulesets.options import Value
from rules.rulesets.ruleset import RULE_SETS
from tests.size import size

EXPANSION: tuple[tuple[str, Value], ...] = (("expansion", "ixians-tleilaxu"),)
TURNS = size(2, 10)
Situation = tuple[object, ...]


def every_karama(play: Play, faction: Faction) -> Iterator[Karama]:
    """Yield every Karama effect in the rule set, with examples of its parameters."""
    others = [other for other in play.state.players if other != faction]
    dead: list[Leader] = [name for name, standing in play.state.leaders.items() if standing.status != "ready"]
    for effect in effects_in(play.game.rules):
        match effect:
            case "worm":
                yield Karama(effect, territory=board.TerritoryId("red-chasm"))
                yield Karama(effect, territory=board.TerritoryId("polar-sink"))
            case "revive":
                yield Karama(effect, forces=Forces(1))
                yield from (Karama(effect, leader=leader) for leader in dead if LEADERS[leader].faction == faction)
            case "hms":
                yield from (Karama(effect, area=area) for area in move_goals(play.game, FARTHEST_BY_KARAMA)[:1])
            case "cancel ghola":
                yield from (Karama(effect, leader=leader) for leader in dead[:3])
            case "stop revival" | "cancel revival payment" | "see plan":
                yield from (Karama(effect, faction=other) for other in others)
            case "take cards":
                yield from (Karama(effect, faction=other, number=1) for other in others)
            case "half shipping" | "cancel worm" | "cancel half price":
                yield Karama(effect)
                yield from (Karama(effect, faction=other) for other in others)
            case _:
                yield Karama(effect)


def situation(play: Play, order: Karama) -> Situation:
    """Return the facts that may decide how an order is treated, so that each situation is tried once."""
    moments = play.game.moments
    asked = frozenset((question.kind, str(question.facts.get("why", ""))) for question in play.asked())
    auction, slot, battle = moments.auction, moments.slot, moments.battle
    return (
        order.effect,
        play.state.phase,
        asked,
        auction and (auction.coming, auction.selling, auction.sold, bool(auction.cards), auction.free_card_due),
        slot and (slot.stage, slot.move_declared, slot.moved, slot.karama_ready),
        battle and (battle.stage, len(battle.committed)),
    )


class KaramasForAll(Play):
    """A game in which everybody begins each phase with a Karama and spice to ship, more than a real box holds."""

    def begin_phase(self, phase: PhaseName) -> None:
        discard = self.state.treachery_discard
        discard[:] = [card for card in discard if card != KARAMA]
        for player in self.state.players.values() if phase != "setup" else ():
            player.spice = max(player.spice, 10)
            if KARAMA not in player.hand:
                player.hand[:] = [*player.hand[: self.game.hand_limit(player.faction) - 2], KARAMA]
        super().begin_phase(phase)


def card_is_played(play: Play, seed: str, faction: Faction, order: Karama) -> bool:
    """Return True if some choice by its player, or by the player it helps, plays the card before the phase ends."""
    for choice in range(4):
        since = play.log[play.snapshot.entries - play.entries_before :]
        trial = KaramasForAll.resume(play.game.rules, seed, play.snapshot, since)
        events = trial.events
        begin, turn, phase = len(events), trial.state.turn, trial.state.phase
        assert trial.submit(faction, [order])[0].status == "accepted"
        while not any(e.kind == "karama-played" and e.facts["faction"] == faction for e in events[begin:]):
            if trial.phase_over or (trial.state.turn, trial.state.phase) != (turn, phase):
                break
            own = next(
                (question for question in trial.questions() if question.faction in (order.faction, faction)), None
            )
            if own is not None and choice and not own.blanket:
                samples = own.samples()
                trial.submit(own.faction, [samples[min(choice, len(samples) - 1)]])
            else:
                trial.expire()
        else:
            return True
    return False


@pytest.mark.clause("WBC.AID.29", "FAQ.KARAMA.4")
@pytest.mark.parametrize(
    ("ruleset", "options"), [*((name, ()) for name in RULE_SETS), ("gf9-basic", EXPANSION), ("gf9-advanced", EXPANSION)]
)
def test_a_karama_order_is_refused_with_a_reason_or_its_card_is_played(
    ruleset: str, options: tuple[tuple[str, Value], ...]
) -> None:
    tried: set[Situation] = set()
    dropped: list[str] = []
    for number in range(size(2, 6)):
        game = setting(ruleset, f"every karama {number}", 6, options, late=number % 2 == 1)
        play = KaramasForAll.resume(game.rules, game.seed, game.start().snapshot, [])
        player, last = RandomPlayer(game.seed, boldness=85, impulses=0), play.state.turn + TURNS
        while not play.over and play.state.turn < last:
            for faction in play.state.players:
                for order in every_karama(play, faction):
                    outcome, here = play.check(faction, order), situation(play, order)
                    if outcome.status == "refused":
                        assert outcome.refusal
                        assert outcome.refusal.reason
                    elif here not in tried:
                        tried.add(here)
                        if not card_is_played(play, game.seed, faction, order):
                            dropped.append(f"{faction} {order} at {here} in {game.seed}")
            player.act(play)
    assert not dropped, "\n".join(dropped)
    assert len({effect for effect, *_ in tried}) >= 8
