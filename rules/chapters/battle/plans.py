"""Battle plans: what may stand in one, and the question for it (AH.X.B, AH.X.C.8 to 10, WBC.X.16).

A plan holds a dial, the spice behind it, a leader or a cheap hero, at most one weapon and one defense, and perhaps
the Kwisatz Haderach. Some rule sets refuse a faulty plan; others take it and mend it at the reveal (``invalid_plan``,
see ``repair``). What the Voice or an answer to Atreides demands is never mended away: a plan against it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from rules.chapters.battle import kwisatz_haderach, leaders, prescience, strength, voice
from rules.components import CARDS, Card, CardKind, Faction, card_kind, is_defense, is_weapon, leader_strength
from rules.decisions.closures import Asked
from rules.decisions.question import Question
from rules.orders import CHEAP_HERO, Order, Plan
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


def faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    """Everything in the plan that is against the rules, the gravest first."""
    yield from _leader_faults(game, battle, faction, plan)
    yield from _card_faults(game, battle, faction, plan)
    yield from _dial_faults(game, battle, faction, plan)
    if plan.kwisatz_haderach and (refusal := kwisatz_haderach.barred(game, battle, faction, plan.leader)):
        yield refusal


def check(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Refusal | None:
    """Why the plan is not taken, or None."""
    if strength.in_halves(plan.dial) is None or plan.spice < 0:
        return Refusal("A dial is 0, 0.5, 1 and so on, and spice a whole number.", "AH.XXII.B")
    proposal = battle.leaders == "as usual" and proposes_no_leader(game, battle, faction, plan)
    refusal = None if proposal else voice.breach(game, battle, faction, plan)
    refusal = refusal or prescience.breach(game, battle, faction, plan)
    if refusal or game.rules.invalid_plan != "reject":
        return refusal
    return next(faults(game, battle, faction, plan), None)


def proposes_no_leader(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> bool:
    """Whether the plan does without a leader though there is one, where both may agree on that (AH.QA.B.7-b)."""
    return (
        plan.leader is None
        and game.rules.leader_waiver_by_consent == "yes"
        and leaders.has_any(game, battle, faction)
        and plan.weapon is None
        and plan.defense is None
    )


def _leader_faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    if plan.leader is not None:
        if refusal := leaders.unavailable(game, battle, faction, plan.leader):
            yield refusal
    elif leaders.has_any(game, battle, faction):
        if battle.leaders == "required" or not proposes_no_leader(game, battle, faction, plan):
            lowest = leaders.lowest(game, battle, faction)
            yield Refusal(f"You must use a leader or a cheap hero; you have {lowest}.", "AH.X.C.9-a")
    elif plan.weapon or plan.defense:
        yield Refusal("Without a leader you can play no treachery card.", "AH.X.C.10-b")


def _card_faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    hand = list(game.player(faction).hand)
    for card in (plan.weapon, plan.defense):
        if card is None:
            continue
        if card not in hand:
            yield Refusal(f"You do not hold {card}.", "AH.X.B.3-b")
        else:
            hand.remove(card)
        if card_kind(card) == "cheap-hero":
            yield Refusal(f"{card} can only stand in for a leader.", "AH.QA.B.2")
        elif not CARDS[card].battle_plan:
            yield Refusal(f"{card} is no card for a battle plan.", "AH.X.B.3-a")
    if plan.weapon and is_defense(plan.weapon):
        yield Refusal(f"{plan.weapon} is a defense, not a weapon; a plan holds at most one of each.", "AH.X.B.3-a")
    if plan.defense and is_weapon(plan.defense):
        yield Refusal(f"{plan.defense} is a weapon, not a defense; a plan holds at most one of each.", "AH.X.B.3-a")


def _dial_faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
    held = game.player(faction).spice
    dial = strength.in_halves(plan.dial) or 0
    if game.rules.combat_model == "tokens":
        if plan.spice:
            yield Refusal("In this game no spice is spent in battle.", "AH.X.B.1-b")
        if dial > strength.most(forces, worth, 0) or dial % 2:
            most = strength.dial_text(strength.most(forces, worth, 0))
            yield Refusal(f"You have {forces} there: dial a whole number from 0 to {most}.", "AH.X.B.1-b")
        return
    if plan.spice > held:
        yield Refusal(f"You have {held} spice, not {plan.spice}.", "AH.XXII.A.2-a")
    spice = min(plan.spice, held)
    if not strength.losses(forces, worth, spice, dial):
        most = strength.dial_text(strength.highest(forces, worth, spice, dial))
        yield Refusal(f"You have {forces} there: with {spice} spice you can dial {most}.", "AH.XXII.A.1")


# --- Plans that are legal ---------------------------------------------------------------------------------


def default_plan(game: Game, battle: BattleMoment, faction: Faction) -> Plan:
    """The plan of a silent fighter: his lowest leader, all tokens without spice, no cards (A-22), as far as he is
    free.
    """
    forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
    all_unpaid = strength.highest(forces, worth, 0, strength.most(forces, worth, 0))
    plan = Plan(strength.as_dial(all_unpaid), leaders.lowest(game, battle, faction))
    return obedient(game, battle, faction, plan)


def obedient(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Plan:
    """The plan, changed as far as an answer to Atreides and the Voice demand."""
    weapon, defense = prescience.slots(plan)
    plan = replace(plan, weapon=weapon, defense=defense)
    answer = prescience.live(game, battle, faction)
    element = battle.question.element if battle.question and answer else None
    if answer and element == "leader":
        plan = replace(plan, leader=answer.leader)
    elif answer and element == "weapon":
        plan = replace(plan, weapon=prescience.slots(answer)[0])
    elif answer and element == "defense":
        plan = replace(plan, defense=prescience.slots(answer)[1])
    elif answer and element == "number":
        forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
        held = game.player(faction).spice
        least = strength.least_spice(forces, worth, held, strength.in_halves(answer.dial) or 0) or 0
        plan = replace(plan, dial=answer.dial, spice=least)
    return _voiced(game, battle, faction, plan, fixed=element)


def _voiced(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, fixed: str | None) -> Plan:
    """Put in, or take out, the card that the Voice names; the element that is fixed already stays."""
    command = voice.live(battle, faction)
    if command is None or voice.breach(game, battle, faction, plan) is None:
        return plan
    kind: CardKind = voice.KINDS[command.kind]
    if not command.play:
        return replace(plan, weapon=_unless(plan.weapon, kind), defense=_unless(plan.defense, kind))
    card = voice.named_cards(game, faction, command)[0]
    if plan.leader is None:
        plan = replace(plan, leader=leaders.lowest(game, battle, faction))
    either = not is_weapon(card) and not is_defense(card)
    in_weapon_slot = is_weapon(card) or (either and (plan.weapon is None or fixed == "defense"))
    if in_weapon_slot and fixed != "weapon":
        return replace(plan, weapon=card)
    return replace(plan, defense=card)


def _unless(card: Card | None, kind: CardKind) -> Card | None:
    return None if card is None or card_kind(card) == kind else card


def examples(game: Game, battle: BattleMoment, faction: Faction) -> list[Order]:
    """Some legal plans from timid to bold."""
    player = game.player(faction)
    forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
    spice = min(player.spice, forces.total) if worth.paid else 0
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
    sketches = [
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


def plan_question(game: Game, battle: BattleMoment, faction: Faction) -> Question:
    """The question for a fighter's plan. Silence means the plan on file, else the plan that he answered Atreides with;
    if it is one without a leader, and must have one, with the lowest that is free (AH.X.C.9-a).
    """

    def verdict(order: Order) -> Refusal | None:
        if not isinstance(order, Plan):
            return Refusal("That is no battle plan.", "AH.X.B.2")
        return check(game, battle, faction, order)

    safe = default_plan(game, battle, faction)
    on_file = game.filed.get((faction, "battle-plan", ""), ())
    drafts = [*on_file[-1:], *([battle.bound[faction]] if faction in battle.bound else [])]
    unled = [plan for plan in drafts if isinstance(plan, Plan) and plan.leader is None]
    led = [replace(plan, leader=leaders.lowest(game, battle, faction)) for plan in unled]
    default = next((plan for plan in (*drafts, *led) if verdict(plan) is None), safe)

    def choices() -> list[Order]:
        return list(dict.fromkeys([safe, *examples(game, battle, faction)]))

    def warn(order: Order) -> list[Refusal]:
        return list(faults(game, battle, faction, order)) if isinstance(order, Plan) else []

    facts = about(game, battle, faction)
    return Asked(faction, "battle-plan", default, verdict, choices, about=facts, warn=warn, leads_on=True)


def about(game: Game, battle: BattleMoment, faction: Faction) -> dict[str, object]:
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
