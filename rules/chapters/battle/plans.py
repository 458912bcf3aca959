"""Battle plans: what may stand in one, and the question for it (AH.X.B, AH.X.C.8 to 10, WBC.X.16).

A plan holds a dial, the spice behind it, a leader or a cheap hero, at most one weapon and one defense, and perhaps
the Kwisatz Haderach. Some rule sets refuse a faulty plan; others take it and mend it at the reveal (``invalid_plan``,
for a plan without a leader ``missing_leader``; see ``repair``). What the Voice or an answer to prescience demands is
never mended away: a plan against it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from rules.chapters.battle import arms, kwisatz_haderach, leaders, listing, prescience, strength, voice
from rules.chapters.battle.question import BattleQuestion
from rules.components import (
    CARDS,
    FACTION_FACTS,
    Card,
    Faction,
    Place,
    beside_another,
    card_kind,
    is_defense,
    is_weapon,
    leader_strength,
)
from rules.decisions.catalogue import rules_of
from rules.orders import CHEAP_HERO, Order, Plan, QuestionKind, Voice
from rules.rulesets.options import Option, switch
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment

UNLED_REFUSED = Option("missing_leader", {"reject": True, "lowest_inserted": False})
FAULTY_REFUSED = Option("invalid_plan", {"reject": True, "wbc_repair": False})
MAY_AGREE_ON_NO_LEADER = switch("leader_waiver_by_consent")

OPTIONS = (UNLED_REFUSED, FAULTY_REFUSED, MAY_AGREE_ON_NO_LEADER)


def faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    """Everything in the plan that is against the rules, the gravest first."""
    if refusal := _missing_leader(game, battle, faction, plan):
        yield refusal
    yield from _faults_but_missing_leader(game, battle, faction, plan)


def _faults_but_missing_leader(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    yield from _leader_faults(game, battle, faction, plan)
    yield from _card_faults(game, battle, faction, plan)
    yield from _dial_faults(game, battle, faction, plan)
    if plan.kwisatz_haderach and (refusal := kwisatz_haderach.barred(game, battle, faction, plan.leader)):
        yield refusal


def check(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Refusal | None:
    """Why the plan is not taken, or None."""
    if strength.in_halves(plan.dial) is None or plan.spice < 0:
        return Refusal("A dial is 0, 0.5, 1 and so on, and spice a whole number.", "battle.half-dials")
    proposal = battle.leaders == "as usual" and proposes_no_leader(game, battle, faction, plan)
    refusal = None if proposal else voice.breach(game, battle, faction, plan)
    refusal = refusal or prescience.breach(game, battle, faction, plan)
    if refusal is None and UNLED_REFUSED(game.rules):
        refusal = _missing_leader(game, battle, faction, plan)
    if refusal is None and FAULTY_REFUSED(game.rules):
        refusal = next(_faults_but_missing_leader(game, battle, faction, plan), None)
    return refusal


def proposes_no_leader(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> bool:
    """Whether the plan does without a leader though there is one, where both may agree on that (AH.QA.B.7-b)."""
    return (
        plan.leader is None
        and MAY_AGREE_ON_NO_LEADER(game.rules)
        and leaders.has_any(game, battle, faction)
        and plan.weapon is None
        and plan.defense is None
    )


def _missing_leader(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Refusal | None:
    if plan.leader is not None or not leaders.has_any(game, battle, faction):
        return None
    if battle.leaders != "required" and proposes_no_leader(game, battle, faction, plan):
        return None
    lowest = leaders.lowest(game, battle, faction) or CHEAP_HERO
    return Refusal(f"You must use a leader or a cheap hero; you have {lowest}.", "battle.leader-required")


def _leader_faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    if plan.leader is not None:
        if refusal := leaders.unavailable(game, battle, faction, plan.leader):
            yield refusal
    elif (plan.weapon or plan.defense) and not leaders.has_any(game, battle, faction):
        yield Refusal("Without a leader you can play no treachery card.", "battle.no-cards-without-leader")


def _card_faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    hand = list(game.player(faction).hand)
    for card in (plan.weapon, plan.defense):
        if card is None:
            continue
        if card not in hand:
            yield Refusal(f"You do not hold {card}.", "battle.cards-in-hand")
        else:
            hand.remove(card)
        if card_kind(card) == "cheap-hero":
            yield Refusal(f"{card} can only stand in for a leader.", "battle.cheap-hero")
        elif not CARDS[card].battle_plan:
            yield Refusal(f"{card} is no card for a battle plan.", "battle.cards-in-plan")
    yield from _misplaced(plan)


def _misplaced(plan: Plan) -> Iterator[Refusal]:
    for card, place in arms.misplaced(plan.weapon, plan.defense):
        meant = "defense" if place == "weapon" else "weapon"
        if beside_another(card) == place:
            why = f"{card} is a {place} only beside another {meant}."
            yield Refusal(why, "battle.cards-beside-another")
        else:
            why = f"{card} is a {meant}, not a {place}; a plan holds at most one of each."
            yield Refusal(why, "battle.cards-in-plan")


def _dial_faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
    held = game.player(faction).spice
    dial = strength.in_halves(plan.dial) or 0
    if not strength.SPICE_COUNTS(game.rules):
        if plan.spice:
            yield Refusal("In this game no spice is spent in battle.", "battle.dial")
        if worth.half and not strength.losses(forces, worth, 0, dial):
            most = strength.dial_text(strength.highest(forces, worth, 0, dial))
            yield Refusal(f"You have {forces} there: they can make up a dial of {most}.", "battle.dial")
        elif not worth.half and (dial > strength.most(forces, worth, 0) or dial % 2):
            most = strength.dial_text(strength.most(forces, worth, 0))
            yield Refusal(f"You have {forces} there: dial a whole number from 0 to {most}.", "battle.dial")
        return
    if plan.spice > held:
        yield Refusal(f"You have {held} spice, not {plan.spice}.", "battle.spice-in-plan")
    if worth.half and plan.spice > forces.elite:
        why = f"You have {forces} there: spice stands behind the {forces.elite} starred ones only, not {plan.spice}."
        yield Refusal(why, "battle.spice-behind-starred")
    spice = min(plan.spice, held)
    if not strength.losses(forces, worth, spice, dial):
        most = strength.dial_text(strength.highest(forces, worth, spice, dial))
        yield Refusal(f"You have {forces} there: with {spice} spice you can dial {most}.", "battle.spice-support")


# --- Plans that are legal ---------------------------------------------------------------------------------


def default_plan(game: Game, battle: BattleMoment, faction: Faction) -> Plan:
    """The plan of a silent fighter: the lowest leader, all tokens without spice, no cards (A-22), as far as the fighter
    is free.
    """
    forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
    all_unpaid = strength.highest(forces, worth, 0, strength.most(forces, worth, 0))
    plan = Plan(strength.as_dial(all_unpaid), leaders.lowest(game, battle, faction))
    return obedient(game, battle, faction, plan)


def obedient(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Plan:
    """The plan, changed as far as an answer to prescience and the Voice demand."""
    weapon, defense = prescience.slots(plan)
    plan = replace(plan, weapon=weapon, defense=defense)
    answer = prescience.live(game, battle, faction)
    element = battle.question.element if battle.question and answer else None
    if answer and element == "leader":
        plan = replace(plan, leader=answer.leader)
    elif answer and element == "weapon":
        plan = _beside(game, battle, faction, replace(plan, weapon=prescience.slots(answer)[0]), "weapon")
    elif answer and element == "defense":
        plan = _beside(game, battle, faction, replace(plan, defense=prescience.slots(answer)[1]), "defense")
    elif answer and element == "number":
        forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
        held = game.player(faction).spice
        least = strength.least_spice(forces, worth, held, strength.in_halves(answer.dial) or 0) or 0
        plan = replace(plan, dial=answer.dial, spice=least)
    return _voiced(game, battle, faction, plan, fixed=element)


def _beside(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, place: Place) -> Plan:
    """The plan with the card beside which alone the one in this place serves; the one that is there already, if it is
    such a card."""
    card, there = (plan.weapon, plan.defense) if place == "weapon" else (plan.defense, plan.weapon)
    if card is None or beside_another(card) != place:
        return plan
    others = prescience.beside(game, battle, faction, card, place)
    other = there if there in others else others[0]
    return replace(plan, defense=other) if place == "weapon" else replace(plan, weapon=other)


def _voiced(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, fixed: str | None) -> Plan:
    """Put in, or take out, the card that the Voice names; the element that is fixed already stays."""
    command = voice.live(battle, faction)
    if command is None or voice.breach(game, battle, faction, plan) is None:
        return plan
    if command.kind == CHEAP_HERO:
        return replace(plan, leader=CHEAP_HERO if command.play else leaders.lowest(game, battle, faction))
    if not command.play:
        return _right(
            replace(
                plan,
                weapon=_unless(plan.weapon, "weapon", command),
                defense=_unless(plan.defense, "defense", command),
            )
        )
    card = voice.named_cards(game, faction, command)[0]
    if plan.leader is None:  # a cheap hero that is not put in otherwise; who obeys has somebody to play the card
        plan = replace(plan, leader=CHEAP_HERO)
    either = not is_weapon(card) and not is_defense(card)
    in_weapon_slot = is_weapon(card) or (either and (plan.weapon is None or fixed == "defense"))
    if in_weapon_slot and fixed != "weapon":
        return replace(plan, weapon=card)
    return replace(plan, defense=card)


def _unless(card: Card | None, place: Place, command: Voice) -> Card | None:
    return None if card is None or voice.means(command, card, place) else card


def _right(plan: Plan) -> Plan:
    """The plan without cards that may not lie where they are any more."""
    wrong = {place for _, place in arms.misplaced(plan.weapon, plan.defense)}
    return replace(
        plan,
        weapon=None if "weapon" in wrong else plan.weapon,
        defense=None if "defense" in wrong else plan.defense,
    )


def examples(game: Game, battle: BattleMoment, faction: Faction) -> list[Order]:
    """Some legal plans from timid to bold."""
    player = game.player(faction)
    forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
    spice = min(player.spice, forces.elite if worth.half else forces.total) if worth.paid else 0
    available = leaders.available(game, battle, faction)
    best: str | None = max(available, key=leader_strength) if available else leaders.lowest(game, battle, faction)
    weakest = leaders.lowest(game, battle, faction)
    hero = CHEAP_HERO if leaders.cheap_hero(game, faction) else weakest
    weapons: Sequence[Card | None] = [card for card in player.hand if is_weapon(card)] or [None]
    defenses: Sequence[Card | None] = [card for card in player.hand if is_defense(card)] or [None]
    worthless: Sequence[Card | None] = [card for card in player.hand if card_kind(card) == "worthless"] or [None]
    top = strength.highest(forces, worth, spice, strength.most(forces, worth, spice))
    middle = strength.highest(forces, worth, spice // 2, top // 2)
    armed = best is not None
    pairs = _of_two_uses(player.hand) if armed else []
    sketches = [
        *(Plan(strength.as_dial(top), best, weapon, defense, spice) for weapon, defense in pairs),
        Plan(strength.as_dial(top), best, weapons[0] if armed else None, defenses[0] if armed else None, spice),
        Plan(
            strength.as_dial(middle), best, weapons[-1] if armed else None, defenses[-1] if armed else None, spice // 2
        ),
        Plan(strength.as_dial(top), hero, None, defenses[0] if hero else None, spice),
        Plan(0, weakest, worthless[0] if weakest else None, None),
    ]
    if kwisatz_haderach.barred(game, battle, faction, best) is None:
        sketches.append(replace(sketches[0], kwisatz_haderach=True))
    plans = dict.fromkeys(obedient(game, battle, faction, plan) for plan in sketches)
    right = [plan for plan in plans if next(faults(game, battle, faction, plan), None) is None]
    return [plan for plan in right if check(game, battle, faction, plan) is None]


def _of_two_uses(hand: Sequence[Card]) -> list[tuple[Card, Card]]:
    """A weapon with a second one as its defense, and a defense with a second one as the weapon, where a card of the
    hand serves as that."""
    second = [card for card in hand if beside_another(card)]
    return [
        (card, other) if place == "weapon" else (other, card)
        for card in second
        for place in [beside_another(card)]
        for other in hand
        if other != card and (is_defense(other) if place == "weapon" else is_weapon(other))
    ][:2]


class PlanQuestion(BattleQuestion):
    """What is your battle plan?

    Silence means the plan on file, else the plan with which prescience was answered; if it is one without a leader, and
    must have one, with the lowest that is free (AH.X.C.9-a).
    """

    kind: QuestionKind = "battle-plan"
    leads_on = True

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, Plan):
            return Refusal("That is no battle plan.", "battle.leader-in-plan")
        return check(self.game, self.battle, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := listing.refusal_without_battle(game, faction):
            return refusal
        on = game.moments.battle
        if on and faction in on.committed and not any(faction in pair for pair in listing.pairs_later(game)):
            return Refusal("Your plan is committed and cannot change.", "battle.plan-final")
        return leaders.refusal_unless_own(game, faction, order.leader) if isinstance(order, Plan) else None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Who takes captives may come to lead with anybody's leader (AH.SHIELD.HAR.3-a)."""
        if not isinstance(order, Plan):
            return None
        rules = rules_of(game, faction)
        if not rules.takes_captives(game) and (refusal := leaders.refusal_unless_own(game, faction, order.leader)):
            return refusal
        if order.kwisatz_haderach and (refusal := kwisatz_haderach.refusal_without(game, faction)):
            return refusal
        for card in (order.weapon, order.defense):
            if card and (card_kind(card) == "cheap-hero" or not CARDS[card].battle_plan):
                why = f"{card} can be neither the weapon nor the defense of a plan."
                return Refusal(why, "battle.cards-in-plan")
        for refusal in _misplaced(order):
            return refusal
        facts = FACTION_FACTS[faction]
        most = facts.forces.total + facts.elite
        if order.dial > most:
            why = f"You can never dial more than {most}, with all your tokens in one battle."
            return Refusal(why, "battle.dial")
        return None

    @cached_property
    def safe(self) -> Plan:
        """The plan of a fighter who has sent none."""
        return default_plan(self.game, self.battle, self.faction)

    @property
    def default(self) -> Order:
        on_file = self.game.filed.get((self.faction, "battle-plan", ""), ())
        answered = self.battle.bound.get(self.faction)
        drafts = [*on_file[-1:], *([answered] if answered else [])]
        drafts += [self._lowered(plan) for plan in drafts if isinstance(plan, Plan)]
        unled = [plan for plan in drafts if isinstance(plan, Plan) and plan.leader is None]
        lowest = leaders.lowest(self.game, self.battle, self.faction) if unled else None
        led = [replace(plan, leader=lowest) for plan in unled]
        return next((plan for plan in (*drafts, *led) if self.refusal(plan) is None), self.safe)

    def _lowered(self, plan: Plan) -> Plan:
        """The plan with the highest dial that its tokens make where ordinary ones count a half, as a Karama may have
        taken some of their worth (IT.FORCE.8)."""
        forces = strength.forces_in(self.game, self.battle, self.faction)
        worth = strength.worth(self.game, self.battle, self.faction)
        if not worth.half:
            return plan
        spice = min(plan.spice, forces.elite, self.game.player(self.faction).spice)
        dial = strength.highest(forces, worth, spice, strength.in_halves(plan.dial) or 0)
        return replace(plan, dial=strength.as_dial(dial), spice=spice)

    def samples(self) -> Sequence[Order]:
        return list(dict.fromkeys([self.safe, *examples(self.game, self.battle, self.faction)]))

    def warnings(self, order: Order) -> Sequence[Refusal]:
        return list(faults(self.game, self.battle, self.faction, order)) if isinstance(order, Plan) else []

    @property
    def facts(self) -> Mapping[str, Any]:
        return plan_facts(self.game, self.battle, self.faction)


def plan_facts(game: Game, battle: BattleMoment, faction: Faction) -> dict[str, object]:
    """What the wording of a question for a plan needs."""
    forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
    held = game.player(faction).spice if worth.paid else 0
    command = voice.live(battle, faction)
    answer = prescience.live(game, battle, faction)
    return {
        "territory": battle.territory,
        "opponent": battle.opponent(faction),
        "opponent_forces": str(strength.forces_in(game, battle, battle.opponent(faction))),
        "aggressor": battle.sides[0] == faction,
        "forces": str(forces),
        "spice": held,
        "most_unpaid": strength.dial_text(strength.most(forces, worth, 0)),
        "most": strength.dial_text(strength.most(forces, worth, held)),
        "leaders": list(leaders.available(game, battle, faction)),
        "voice": {"card": command.kind, "play": command.play} if command else None,
        "shown": battle.question.element if battle.question and answer else None,
    }
