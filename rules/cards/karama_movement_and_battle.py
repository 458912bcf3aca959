"""Karamas during revival, in the movement round and in battles.

- Revival: the Emperor's special Karama brings back three tokens or a leader for free (AH.SHIELD.EMP.KARAMA,
  WBC.XVII.19).
- Movement (AH.AID.KARAMA.A.3-a, A.6, AH.SHIELD.GUI.KARAMA, WBC.AID.25, 35 to 37, WBC.XVII.16 to 17): a player pays half
  for their own shipment, cancels one advisor, or holds the Guild to its place in the order of play. The Guild's special
  Karama stops a shipment. A Karama for half the price, and the Guild's special Karama, can be played from the
  declaration of the shipment until the declaration of the move.
- Shipping: a Karama stops one advantage that the Guild and its allies have when they ship, or the Guild's income
  (FAQ.KARAMA-GUI.1 to 4).
- Far moves: a Karama limits a far move of the Fremen or of Cyborgs (FAQ.KARAMA-FRE.1, FAQ.KARAMA-IXI.2).
- Battles (AH.AID.KARAMA.A.1 to 5, AH.AID.KARAMA.B.2, WBC.X.4 to 10, WBC.AID.16 to 24, WBC.AID.30, WBC.AID.39,
  FAQ.KARAMA-HAR.3): each effect cancels one power in one battle. It can be played from the moment the power is used
  until the plan that the power affects is committed (WBC.X.14). A capture can be cancelled from the draw of the leader
  until Harkonnen decide what happens to the leader. The special Karama of Atreides reveals a whole plan, and no Karama
  can cancel that (WBC.AID.19).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.chapters import battle_leaders, battle_plans, battle_strength, movement, revival_costs, shipment
from rules.chapters.revival import LIMIT_HOLDS_FOR_CARDS, starred_tokens_left
from rules.chapters.revival_costs import stopped_for_cards, too_many_by_card
from rules.components import FACTION_FACTS, LEADERS, Faction, Forces, the_faction
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.windows import Effect, put_down_karama
from rules.orders import Karama, KaramaEffect
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment, BattlePower, SlotMoment, SlotStage

MOST_TOKENS_REVIVED = 3
ONLY_EMPEROR = Refusal("Only the Emperor can revive with a Karama.", "karama.revive")


def _check_revive(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if refusal := _never_revives(game, faction, order) or stopped_for_cards(game, faction):
        return refusal
    if order.leader is not None:
        if game.state.leaders[order.leader].status == "ready":
            return Refusal(f"{order.leader} is not in the tanks.", "karama.revive-what")
        return None
    assert order.forces is not None
    return _check_tokens(game, faction, order.forces)


def _never_revives(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if (order.forces is None) == (order.leader is None):
        return Refusal("A Karama brings back either tokens or one leader: name one of them.", "karama.revive")
    leader = order.leader
    if leader is not None and LEADERS[leader].faction != faction:
        return Refusal(f"{leader} is not one of your leaders.", "karama.revive-what")
    return None


def _check_tokens(game: Game, faction: Faction, forces: Forces) -> Refusal | None:
    tanks = game.player(faction).tanks
    if not 1 <= forces.total <= MOST_TOKENS_REVIVED:
        return Refusal(
            f"A Karama brings back 1 to {MOST_TOKENS_REVIVED} tokens, not {forces.total}.", "karama.revive-what"
        )
    if not tanks.covers(forces):
        return Refusal(f"You have {tanks} in the tanks, so you cannot revive {forces}.", "karama.revive-what")
    if LIMIT_HOLDS_FOR_CARDS(game.rules) and forces.elite > starred_tokens_left(game, faction):
        return Refusal("Only one starred token can be revived in a turn, by whatever means.", "revival.starred")
    return too_many_by_card(game, faction, forces.total)


def _revive(game: Game, faction: Faction, order: Karama) -> Flow:
    if order.leader is not None:
        game.revive_leader(order.leader)
        game.tell("leader-revived", faction=faction, leader=order.leader, price=0)
    else:
        assert order.forces is not None
        game.revive(faction, order.forces)
        if order.forces.elite and LIMIT_HOLDS_FOR_CARDS(game.rules):
            game.state.elite_revived.append(faction)
        game.tell("tokens-revived", faction=faction, forces=str(order.forces), price=0)
    for other in factions_with(game, FactionRules.notices_karama_revival):
        rules_of(game, other).notices_karama_revival(game, faction)
    yield from ()


# --- tokens paid for by a helper -------------------------------------------------------------------------------------


def _helped(game: Game) -> dict[Faction, Faction]:
    """Return the helper of each faction that, as far as everybody knows, may get help to revive tokens beyond the
    limit."""
    found: dict[Faction, Faction] = {}
    for faction in game.order_of_play():
        helper = revival_costs.helper_of(game, faction)
        if helper is not None and game.player(faction).tanks:
            found[faction] = helper
    return found


def _check_extra(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    helped = _helped(game) if game.moments.tokens_come_back else {}
    if not helped:
        return Refusal("No ally of the Emperor is reviving more than the limit now.", "karama.extra-revival")
    if faction in helped.values():
        return Refusal("You cannot cancel your own help.", "karama.extra-revival")
    return None


def _stop_extra(game: Game, faction: Faction, order: Karama) -> Flow:
    for reviving, helper in _helped(game).items():
        game.moments.no_extra_revival.append(reviving)
        game.tell("extra-revival-stopped", by=faction, faction=reviving, helper=helper)
    yield from ()


REVIVAL_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "revive": Effect(_check_revive, _revive, only_refusal=ONLY_EMPEROR, never_legal=_never_revives),
    "cancel extra revival": Effect(_check_extra, _stop_extra),
}


ONLY_STOPS = Refusal("Only the Guild can stop shipments.", "karama.stop-shipment")
FOR_ANY_PLAYER = Option("karama_half_rate_for", {"own_only": False, "any_player": True})
"""True if a Karama may halve the price of another player's shipment (FAQ.KARAMA.1)."""
AFTER_THE_SHIPMENT = ("reactions", "advisor", "movement")


def _open_shipment(slot: SlotMoment) -> bool:
    return (
        slot.shipment is not None
        and not slot.stopped
        and not slot.move_declared
        and not slot.moved
        and slot.stage in AFTER_THE_SHIPMENT
    )


# --- half shipping ---------------------------------------------------------------------------------------------------


def _check_half(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot, shipper = game.moments.slot, order.faction or faction
    if shipper != faction and not FOR_ANY_PLAYER(game.rules):
        return Refusal("A Karama halves the price of your own shipment only.", "karama.own-shipment")
    if slot is None or slot.mover != shipper:
        whose = "your own shipment only, on your turn" if shipper == faction else "a shipment only on its player's turn"
        return Refusal(f"A Karama halves the price of {whose}.", "karama.own-shipment")
    whose = "Your" if shipper == faction else "Their"
    if rules_of(game, shipper).reserves_on_dune or shipment.has_guild_terms(game, shipper):
        return Refusal(f"{whose} shipments cost no more than the Guild's rate anyway.", "karama.guild-rate")
    if slot.halved or (slot.karama_ready and slot.stage == "shipment" and (slot.karama_of or shipper) == faction):
        return Refusal(f"{whose} shipment is already at half price.", "karama.guild-rate")
    if slot.stage == "shipment":
        return None
    if not _open_shipment(slot) or not slot.price:
        why = "The price can be halved from the moment you declare your shipment until you declare your move."
        return Refusal(why, "karama.when-to-halve")
    return None


def _halve(game: Game, faction: Faction, order: Karama) -> Flow:
    """Halve the price of the shipment. If the shipment has not been declared yet, keep the Karama ready for it. If
    another player is the shipper, notify them."""
    slot, shipper = game.moments.slot, order.faction or faction
    assert slot is not None
    if slot.stage == "shipment":
        ready = (slot.karama_of or shipper) if slot.karama_ready else faction
        if min(ready, faction, key=game.order_of_play().index) == faction:
            slot.karama_ready, slot.karama_card = True, order.card
            slot.karama_of = faction if shipper != faction else None
        if shipper != faction:
            game.tell("half-rate-meant", audience=[faction, shipper], faction=faction, shipper=shipper)
    elif (yield from put_down_karama(game, faction, order.effect, order.card)):
        shipment.halve_price(game, slot, shipper)


def _never_half(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if order.faction in (None, faction) or FOR_ANY_PLAYER(game.rules):
        return None
    return Refusal("A Karama halves the price of your own shipment only.", "karama.own-shipment")


def _only_meant(game: Game) -> bool:
    return game.moments.slot is not None and game.moments.slot.stage == "shipment"


# --- stop shipment ---------------------------------------------------------------------------------------------------


def _check_stop_shipment(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    if slot is None or slot.mover is None or slot.shipment is None or not _open_shipment(slot):
        return Refusal(
            "You can stop a shipment only after it is declared and before its shipper declares a move.",
            "karama.when-to-stop",
        )
    if rules_of(game, slot.mover).reserves_on_dune:
        return Refusal("The Guild cannot stop a Fremen shipment.", "karama.stop-fremen")
    if slot.mover == faction:
        return Refusal("This is your own shipment.", "karama.when-to-stop")
    if not shipment.is_off_planet(game, slot.mover, slot.shipment):
        return Refusal("Only a shipment from off the planet can be stopped.", "karama.stop-shipment")
    if not shipment.shipment_stands(game, slot.mover, slot.shipment):
        return Refusal("The tokens that were shipped are dead.", "karama.when-to-stop")
    return None


def _stop_shipment(game: Game, faction: Faction, order: Karama) -> Flow:
    slot = game.moments.slot
    assert slot is not None
    assert slot.mover is not None
    assert slot.shipment is not None
    shipment.stop_shipment(game, slot, slot.mover)
    game.tell("shipment-stopped", faction=slot.mover, forces=str(slot.shipment.forces), area=slot.shipment.target)
    yield from ()


# --- cancel advisor --------------------------------------------------------------------------------------------------


def _check_advisor(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    if slot is None or slot.stage != "advisor" or slot.advisor is None or slot.advisor_cancelled:
        return Refusal("You can cancel an advisor only right after it is announced.", "karama.advisor")
    return None


def _cancel_advisor(game: Game, faction: Faction, order: Karama) -> Flow:
    slot = game.moments.slot
    assert slot is not None
    game.tell("advisor-cancelled", area=slot.advisor, by=faction)
    shipment.take_back_companions(game, slot)
    yield from ()


# --- cancel flip -----------------------------------------------------------------------------------------------------


def _check_flip(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    flip = game.moments.flip
    if flip is None or flip.cancelled:
        return Refusal("You can cancel a flip of advisors or fighters only right after it is announced.", "karama.flip")
    return None


def _cancel_flip(game: Game, faction: Faction, order: Karama) -> Flow:
    flip = game.moments.flip
    assert flip is not None
    flip.cancelled = True
    game.tell("flip-cancelled", by=faction, territory=flip.territory, advisors=flip.advisors)
    yield from ()


# --- guild in turn ---------------------------------------------------------------------------------------------------


def _check_guild(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    free = movement.players_free_to_choose(game)
    if not free and not any("guild in turn" in rules_of(game, f).powers_taken_by for f in game.state.players):
        return Refusal("The Guild is not in this game.", "karama.guild-in-turn")
    if not free:
        return Refusal("In this game the Guild moves in its proper place anyway.", "karama.guild-in-place")
    if slot is None:
        return Refusal("You can hold the Guild to its proper place only in the movement round.", "karama.guild-in-turn")
    guild = free[0]
    if slot.begun(guild):
        return Refusal("The Guild has already begun its move.", "karama.guild-in-turn")
    if slot.places.get(guild) == "passed":
        why = f"The Guild's place has passed: it is already the turn of {_after(game, guild)}."
        return Refusal(why, "karama.guild-in-turn")
    if guild in slot.held_to_place:
        return Refusal("The Guild is already held to its proper place.", "karama.guild-in-turn")
    return None


def _after(game: Game, guild: Faction) -> str:
    order = game.order_of_play()
    return the_faction(order[(order.index(guild) + 1) % len(order)])


def _force_guild(game: Game, faction: Faction, order: Karama) -> Flow:
    slot = game.moments.slot
    assert slot is not None
    slot.held_to_place += movement.players_free_to_choose(game)[:1]
    game.tell("guild-forced", by=faction)
    yield from ()


MOVEMENT_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "half shipping": Effect(_check_half, _halve, spent_later=True, unseen=_only_meant, never_legal=_never_half),
    "stop shipment": Effect(_check_stop_shipment, _stop_shipment, only_refusal=ONLY_STOPS),
    "cancel advisor": Effect(_check_advisor, _cancel_advisor),
    "cancel flip": Effect(_check_flip, _cancel_flip),
    "guild in turn": Effect(_check_guild, _force_guild),
}


NOTHING_TO_STOP: Mapping[KaramaEffect, Refusal] = {
    "cancel guild shipment": Refusal(
        "Nobody is shipping across Dune or back to the reserves now.", "karama.guild-shipment"
    ),
    "cancel half rate": Refusal("The Guild is not shipping at its own rate now.", "karama.half-rate"),
    "cancel ally rate": Refusal("No ally of the Guild is shipping at its rate now.", "karama.ally-rate"),
    "cancel shipping payment": Refusal("No shipment is being paid to the Guild now.", "karama.shipping-payment"),
}


def _refusal_of_ones_own(game: Game, shipper: Faction | None, faction: Faction, what: KaramaEffect) -> Refusal | None:
    topic = NOTHING_TO_STOP[what].topic
    if what != "cancel shipping payment":
        return Refusal("That is your own shipment.", topic) if shipper == faction else None
    paid = shipment.receiver_of_price(game, shipper) if shipper else None
    return Refusal("That is your own income.", topic) if paid == faction else None


def _shipping_effect(what: KaramaEffect) -> Effect:
    nothing = NOTHING_TO_STOP[what]

    def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
        slot = game.moments.slot
        if slot is None or not shipment.karama_touches_shipment(game, slot, what):
            return nothing
        return _refusal_of_ones_own(game, slot.mover, faction, what)

    def play(game: Game, faction: Faction, order: Karama) -> Flow:
        slot = game.moments.slot
        assert slot is not None
        shipment.take_away_advantage(game, slot, what, faction)
        yield from ()

    return Effect(check, play)


SHIPPING_EFFECTS: Mapping[KaramaEffect, Effect] = {
    effect: _shipping_effect(effect) for effect in shipment.GUILD_ADVANTAGES
}


BEFORE_THE_MOVE: tuple[SlotStage, ...] = ("shipment", "reactions", "advisor", "movement")


def _mover(game: Game, slot: SlotMoment | None) -> Faction | None:
    if slot is None:
        return None
    before = slot.stage in BEFORE_THE_MOVE and not slot.moved
    if before and slot.mover is not None and movement.goes_far(game, slot.mover):
        return slot.mover
    return slot.far_mover


def _keeping_short(short: KaramaEffect, whose: str, topic: str) -> Effect:
    def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
        slot = game.moments.slot
        mover = _mover(game, slot)
        if slot is None or mover is None or rules_of(game, mover).far_move_karama != short:
            why = f"You can stop the far move of {whose} only on their own turn, before they make it."
            return Refusal(why, topic)
        if short in slot.denied:
            return Refusal("A Karama has already done that for this move.", topic)
        return Refusal("That is your own move.", topic) if mover == faction else None

    def keep_short(game: Game, faction: Faction, order: Karama) -> Flow:
        slot = game.moments.slot
        assert slot is not None
        slot.denied.append(short)
        game.tell("far-move-stopped", by=faction, faction=_mover(game, slot))
        yield from ()

    return Effect(check, keep_short)


FAR_MOVE_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel fremen move": _keeping_short("cancel fremen move", "the Fremen", "karama.far-move"),
    "cancel cyborg speed": _keeping_short("cancel cyborg speed", "the Ixians", "karama.cyborg-speed"),
}


ONLY_SEE = Refusal("Only Atreides can see a battle plan with a Karama.", "karama.see-plan")

CheckInBattle = Callable[[Game, BattleMoment], Refusal | None]


def _cancelling(what: BattlePower, topic: str, why_not: CheckInBattle) -> Effect:
    def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
        battle = game.moments.battle
        if battle is None:
            return Refusal("No battle is in progress.", topic)
        if what in battle.cancelled:
            return Refusal("A Karama has already done that in this battle.", topic)
        return why_not(game, battle)

    def play(game: Game, faction: Faction, order: Karama) -> Flow:
        battle = game.moments.battle
        assert battle is not None
        battle.cancelled.add(what)
        game.tell("cancelled", what=what, by=faction, territory=battle.territory)
        yield from ()

    return Effect(check, play)


def _committed(battle: BattleMoment, fighter: Faction, topic: str) -> Refusal | None:
    if fighter not in battle.committed:
        return None
    return Refusal(f"It is too late for that: the plan of {the_faction(fighter)} is already committed.", topic)


def _no_voice(game: Game, battle: BattleMoment) -> Refusal | None:
    if battle.voice is None:
        return Refusal("No Voice has been given in this battle.", "karama.voice")
    return _committed(battle, battle.voice.faction, "karama.voice")


def _no_prescience(game: Game, battle: BattleMoment) -> Refusal | None:
    if battle.questioned is None:
        return Refusal("Atreides have asked nothing in this battle.", "karama.prescience")
    return _committed(battle, battle.questioned, "karama.prescience")


def _no_kwisatz_haderach(game: Game, battle: BattleMoment) -> Refusal | None:
    if not battle_leaders.haderach_may_appear(game, battle):
        return Refusal("The Kwisatz Haderach cannot be in this battle.", "karama.kwisatz-haderach")
    fighter = next(fighter for fighter in battle.sides if rules_of(game, fighter).has_kwisatz_haderach(game))
    return _committed(battle, fighter, "karama.kwisatz-haderach")


def _no_bonus(starred: str, topic: str) -> CheckInBattle:
    def why_not(game: Game, battle: BattleMoment) -> Refusal | None:
        for fighter in battle.sides:
            if FACTION_FACTS[fighter].elite_name == starred and battle_strength.has_starred_bonus(
                game, battle, fighter
            ):
                return _committed(battle, fighter, topic)
        return Refusal("No starred token counts for more than one in this battle.", topic)

    return why_not


def _no_support(game: Game, battle: BattleMoment) -> Refusal | None:
    fighter = next((fighter for fighter in battle.sides if battle_strength.is_supported(game, battle, fighter)), None)
    if fighter is None:
        return Refusal("Nobody fights at full strength for free in this battle.", "karama.support")
    return _committed(battle, fighter, "karama.support")


def _no_capture(game: Game, battle: BattleMoment) -> Refusal | None:
    if not battle.capturing:
        return Refusal("Harkonnen are not taking a leader now.", "karama.capture")
    return None


def _no_ally_traitor(game: Game, battle: BattleMoment) -> Refusal | None:
    if not battle.betrayed_for_ally and not battle_leaders.may_call_for_ally(game, battle):
        return Refusal("No traitor is revealed for an ally now.", "karama.ally-traitor")
    return None


def _check_plan(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    battle = game.moments.battle
    if battle is None:
        return Refusal("No battle is in progress.", "karama.open-plan")
    if order.faction not in battle.sides or order.faction == faction:
        others = " or ".join(the_faction(fighter) for fighter in battle.sides if fighter != faction)
        return Refusal(f"Name the player who must show their plan in this battle: {others}.", "karama.open-plan")
    if order.faction in battle.forced:
        return Refusal("That plan has already been shown.", "karama.open-plan")
    return _committed(battle, order.faction, "karama.open-plan")


def _see_plan(game: Game, faction: Faction, order: Karama) -> Flow:
    battle = game.moments.battle
    assert battle is not None
    assert order.faction is not None
    yield from battle_plans.force_commitment(game, battle, faction, order.faction)


BATTLE_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel voice": _cancelling("voice", "karama.voice", _no_voice),
    "cancel prescience": _cancelling("prescience", "karama.prescience", _no_prescience),
    "cancel kwisatz haderach": _cancelling("kwisatz haderach", "karama.kwisatz-haderach", _no_kwisatz_haderach),
    "cancel sardaukar": _cancelling("sardaukar", "karama.sardaukar", _no_bonus("Sardaukar", "karama.sardaukar")),
    "cancel fedaykin": _cancelling("fedaykin", "karama.fedaykin", _no_bonus("Fedaykin", "karama.fedaykin")),
    "cancel cyborgs": _cancelling("cyborgs", "karama.cyborgs", _no_bonus("Cyborgs", "karama.cyborgs")),
    "cancel fremen support": _cancelling("fremen support", "karama.support", _no_support),
    "cancel ally traitor": _cancelling("ally traitor", "karama.ally-traitor", _no_ally_traitor),
    "cancel capture": _cancelling("capture", "karama.capture", _no_capture),
    "see plan": Effect(_check_plan, _see_plan, only_refusal=ONLY_SEE),
}
