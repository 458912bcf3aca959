"""Battle plans: what they hold, how players are asked for them, when they become final, and how faulty ones are
repaired (AH.X.B, AH.X.C.8 to 10, WBC.X.16).

A plan holds a dial, the spice behind it, a leader or a cheap hero, at most one weapon and one defense, and perhaps the
Kwisatz Haderach. Some rule sets refuse a faulty plan. Others accept it and repair it at the reveal (``invalid_plan``;
for a plan without a leader, ``missing_leader``). A plan that disobeys the Voice, or contradicts an answer to
prescience, is never repaired. It is refused.

Commitment (AH.X.B.1-a, AH.X.B.4, WBC.X.11 and 12): both players plan secretly and at the same time. They may replace
their plans until both plans have arrived. Then both plans are final: faults are repaired, the spice is set aside and
the plans are revealed together. Atreides' Karama makes one fighter commit earlier (WBC.XVII.11 to 14).

Repair (WBC.X.23 to 26):

- A missing leader is replaced by the weakest leader who is free.
- If there are two weapons or two defenses, one of them is kept at random, unless the Voice or an answer to prescience
  requires one of them (A-24).
- A dial higher than the tokens and the spice allow is lowered.
- Any other faulty element is removed.

A fighter without any leader plays no cards (AH.X.C.10-b).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from rules.chapters import battle_leaders, battle_list, battle_strength, voice_and_prescience
from rules.chapters.battle_list import BattleQuestion
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
from rules.decisions.question import Flow, ask
from rules.orders import CHEAP_HERO, Key, Order, Plan, QuestionKind, Voice
from rules.rulesets.options import Option, switch
from rules.rulesets.rulebook import Refusal
from rules.state.events import Facts
from rules.state.game import Game
from rules.state.moments import BattleMoment, Committed

UNLED_REFUSED = Option("missing_leader", {"reject": True, "lowest_inserted": False})
FAULTY_REFUSED = Option("invalid_plan", {"reject": True, "wbc_repair": False})
MAY_AGREE_ON_NO_LEADER = switch("leader_waiver_by_consent")


def plan_faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    if refusal := _missing_leader(game, battle, faction, plan):
        yield refusal
    yield from _faults_but_missing_leader(game, battle, faction, plan)


def _faults_but_missing_leader(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    yield from _leader_faults(game, battle, faction, plan)
    yield from card_faults(game, battle, faction, plan)
    yield from _dial_faults(game, battle, faction, plan)
    if plan.kwisatz_haderach and (refusal := battle_leaders.haderach_barred(game, battle, faction, plan.leader)):
        yield refusal


def plan_refusal(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Refusal | None:
    if battle_strength.in_halves(plan.dial) is None or plan.spice < 0:
        return Refusal("A dial is 0, 0.5, 1 and so on; spice is a whole number.", "battle.half-dials")
    proposal = battle.leaders == "as usual" and proposes_no_leader(game, battle, faction, plan)
    refusal = None if proposal else voice_and_prescience.breach_of_voice(game, battle, faction, plan)
    refusal = refusal or voice_and_prescience.breach_of_answer(game, battle, faction, plan)
    if refusal is None and UNLED_REFUSED(game.rules):
        refusal = _missing_leader(game, battle, faction, plan)
    if refusal is None and FAULTY_REFUSED(game.rules):
        refusal = next(_faults_but_missing_leader(game, battle, faction, plan), None)
    return refusal


def proposes_no_leader(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> bool:
    """Return whether the plan leaves out a leader who is available, in a game in which the two fighters may agree to
    fight without leaders (AH.QA.B.7-b)."""
    return (
        plan.leader is None
        and MAY_AGREE_ON_NO_LEADER(game.rules)
        and battle_leaders.has_any_leader(game, battle, faction)
        and plan.weapon is None
        and plan.defense is None
    )


def _missing_leader(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Refusal | None:
    if plan.leader is not None or not battle_leaders.has_any_leader(game, battle, faction):
        return None
    if battle.leaders != "required" and proposes_no_leader(game, battle, faction, plan):
        return None
    lowest = battle_leaders.lowest_leader(game, battle, faction) or CHEAP_HERO
    return Refusal(f"You must use a leader or a cheap hero; you have {lowest}.", "battle.leader-required")


def _leader_faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    if plan.leader is not None:
        if refusal := battle_leaders.leader_unavailable(game, battle, faction, plan.leader):
            yield refusal
    elif (plan.weapon or plan.defense) and not battle_leaders.has_any_leader(game, battle, faction):
        yield Refusal("Without a leader you can play no treachery card.", "battle.no-cards-without-leader")


def card_faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
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
            yield Refusal(f"{card} cannot be used in a battle plan.", "battle.cards-in-plan")
    yield from _misplaced_fault(plan)


def _misplaced_fault(plan: Plan) -> Iterator[Refusal]:
    for card, place in battle_strength.misplaced_cards(plan.weapon, plan.defense):
        meant = "defense" if place == "weapon" else "weapon"
        if beside_another(card) == place:
            why = f"{card} is a {place} only together with another {meant}."
            yield Refusal(why, "battle.cards-beside-another")
        else:
            why = f"{card} is a {meant}, not a {place}; a plan holds at most one of each."
            yield Refusal(why, "battle.cards-in-plan")


def _dial_faults(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Iterator[Refusal]:
    forces, worth = (
        battle_strength.forces_in(game, battle, faction),
        battle_strength.worth_of_tokens(game, battle, faction),
    )
    held = game.player(faction).spice
    dial = battle_strength.in_halves(plan.dial) or 0
    if not battle_strength.SPICE_COUNTS(game.rules):
        if plan.spice:
            yield Refusal("In this game no spice is spent in battle.", "battle.dial")
        if worth.half and not battle_strength.possible_losses(forces, worth, 0, dial):
            most = battle_strength.dial_text(battle_strength.highest_dial_made(forces, worth, 0, dial))
            yield Refusal(f"You have {forces} there, with which you can dial {most}.", "battle.dial")
        elif not worth.half and (dial > battle_strength.highest_dial(forces, worth, 0) or dial % 2):
            most = battle_strength.dial_text(battle_strength.highest_dial(forces, worth, 0))
            yield Refusal(f"You have {forces} there: dial a whole number from 0 to {most}.", "battle.dial")
        return
    if plan.spice > held:
        yield Refusal(f"You have {held} spice, not {plan.spice}.", "battle.spice-in-plan")
    if worth.half and plan.spice > forces.elite:
        why = f"You have {forces} there: only the {forces.elite} starred ones can use spice, not {plan.spice}."
        yield Refusal(why, "battle.spice-behind-starred")
    spice = min(plan.spice, held)
    if not battle_strength.possible_losses(forces, worth, spice, dial):
        most = battle_strength.dial_text(battle_strength.highest_dial_made(forces, worth, spice, dial))
        yield Refusal(f"You have {forces} there: with {spice} spice you can dial {most}.", "battle.spice-support")


# --- Legal plans ------------------------------------------------------------------------------------------


def default_plan(game: Game, battle: BattleMoment, faction: Faction) -> Plan:
    """Return the default plan: the weakest leader, all tokens without spice, and no cards (A-22). The plan includes
    everything that a binding order or answer requires."""
    forces, worth = (
        battle_strength.forces_in(game, battle, faction),
        battle_strength.worth_of_tokens(game, battle, faction),
    )
    all_unpaid = battle_strength.highest_dial_made(forces, worth, 0, battle_strength.highest_dial(forces, worth, 0))
    plan = Plan(battle_strength.as_dial(all_unpaid), battle_leaders.lowest_leader(game, battle, faction))
    return obedient_plan(game, battle, faction, plan)


def obedient_plan(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Plan:
    weapon, defense = voice_and_prescience.weapon_and_defense(plan)
    plan = replace(plan, weapon=weapon, defense=defense)
    answer = voice_and_prescience.live_answer(game, battle, faction)
    element = battle.question.element if battle.question and answer else None
    if answer and element == "leader":
        plan = replace(plan, leader=answer.leader)
    elif answer and element == "weapon":
        plan = _beside(
            game, battle, faction, replace(plan, weapon=voice_and_prescience.weapon_and_defense(answer)[0]), "weapon"
        )
    elif answer and element == "defense":
        plan = _beside(
            game, battle, faction, replace(plan, defense=voice_and_prescience.weapon_and_defense(answer)[1]), "defense"
        )
    elif answer and element == "number":
        forces, worth = (
            battle_strength.forces_in(game, battle, faction),
            battle_strength.worth_of_tokens(game, battle, faction),
        )
        held = game.player(faction).spice
        least = (
            battle_strength.least_spice_for_dial(forces, worth, held, battle_strength.in_halves(answer.dial) or 0) or 0
        )
        plan = replace(plan, dial=answer.dial, spice=least)
    return _voiced(game, battle, faction, plan, fixed=element)


def _beside(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, place: Place) -> Plan:
    card, there = (plan.weapon, plan.defense) if place == "weapon" else (plan.defense, plan.weapon)
    if card is None or beside_another(card) != place:
        return plan
    others = voice_and_prescience.cards_beside(game, battle, faction, card, place)
    other = there if there in others else others[0]
    return replace(plan, defense=other) if place == "weapon" else replace(plan, weapon=other)


def _voiced(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, fixed: str | None) -> Plan:
    command = voice_and_prescience.live_voice(battle, faction)
    if command is None or voice_and_prescience.breach_of_voice(game, battle, faction, plan) is None:
        return plan
    if command.kind == CHEAP_HERO:
        return replace(plan, leader=CHEAP_HERO if command.play else battle_leaders.lowest_leader(game, battle, faction))
    if not command.play:
        return _without_misplaced(
            replace(
                plan, weapon=_unless(plan.weapon, "weapon", command), defense=_unless(plan.defense, "defense", command)
            )
        )
    card = voice_and_prescience.cards_named_by_voice(game, faction, command)[0]
    if plan.leader is None:  # a cheap hero stands in; an obedient plan needs somebody to play the card
        plan = replace(plan, leader=CHEAP_HERO)
    either = not is_weapon(card) and not is_defense(card)
    in_weapon_slot = is_weapon(card) or (either and (plan.weapon is None or fixed == "defense"))
    if in_weapon_slot and fixed != "weapon":
        return replace(plan, weapon=card)
    return replace(plan, defense=card)


def _unless(card: Card | None, place: Place, command: Voice) -> Card | None:
    return None if card is None or voice_and_prescience.voice_means(command, card, place) else card


def _without_misplaced(plan: Plan) -> Plan:
    wrong = {place for _, place in battle_strength.misplaced_cards(plan.weapon, plan.defense)}
    return replace(
        plan, weapon=None if "weapon" in wrong else plan.weapon, defense=None if "defense" in wrong else plan.defense
    )


def example_plans(game: Game, battle: BattleMoment, faction: Faction) -> list[Order]:
    player = game.player(faction)
    forces, worth = (
        battle_strength.forces_in(game, battle, faction),
        battle_strength.worth_of_tokens(game, battle, faction),
    )
    spice = min(player.spice, forces.elite if worth.half else forces.total) if worth.paid else 0
    available = battle_leaders.available_leaders(game, battle, faction)
    best: str | None = (
        max(available, key=leader_strength) if available else battle_leaders.lowest_leader(game, battle, faction)
    )
    weakest = battle_leaders.lowest_leader(game, battle, faction)
    hero = CHEAP_HERO if battle_leaders.cheap_hero_of(game, faction) else weakest
    weapons: Sequence[Card | None] = [card for card in player.hand if is_weapon(card)] or [None]
    defenses: Sequence[Card | None] = [card for card in player.hand if is_defense(card)] or [None]
    worthless: Sequence[Card | None] = [card for card in player.hand if card_kind(card) == "worthless"] or [None]
    top = battle_strength.highest_dial_made(forces, worth, spice, battle_strength.highest_dial(forces, worth, spice))
    middle = battle_strength.highest_dial_made(forces, worth, spice // 2, top // 2)
    armed = best is not None
    pairs = _of_two_uses(player.hand) if armed else []
    sketches = [
        *(Plan(battle_strength.as_dial(top), best, weapon, defense, spice) for weapon, defense in pairs),
        Plan(battle_strength.as_dial(top), best, weapons[0] if armed else None, defenses[0] if armed else None, spice),
        Plan(
            battle_strength.as_dial(middle),
            best,
            weapons[-1] if armed else None,
            defenses[-1] if armed else None,
            spice // 2,
        ),
        Plan(battle_strength.as_dial(top), hero, None, defenses[0] if hero else None, spice),
        Plan(0, weakest, worthless[0] if weakest else None, None),
    ]
    if battle_leaders.haderach_barred(game, battle, faction, best) is None:
        sketches.append(replace(sketches[0], kwisatz_haderach=True))
    plans = dict.fromkeys(obedient_plan(game, battle, faction, plan) for plan in sketches)
    right = [plan for plan in plans if next(plan_faults(game, battle, faction, plan), None) is None]
    return [plan for plan in right if plan_refusal(game, battle, faction, plan) is None]


def _of_two_uses(hand: Sequence[Card]) -> list[tuple[Card, Card]]:
    """Return at most two pairs of cards that can be played together only because one of them also works in the other
    place: a weapon as a defense, or a defense as a weapon."""
    second = [card for card in hand if beside_another(card)]
    return [
        (card, other) if place == "weapon" else (other, card)
        for card in second
        for place in [beside_another(card)]
        for other in hand
        if other != card and (is_defense(other) if place == "weapon" else is_weapon(other))
    ][:2]


class PlanQuestion(BattleQuestion):
    """The question that asks for a battle plan. The default is the plan on file, or else the plan that answered
    prescience. If that plan needs a leader and has none, the weakest free leader is added (AH.X.C.9-a)."""

    kind: QuestionKind = "battle-plan"
    leads_on = True

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, Plan):
            return Refusal("That is not a battle plan.", "battle.leader-in-plan")
        return plan_refusal(self.game, self.battle, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := battle_list.refusal_without_battle(game, faction):
            return refusal
        on = game.moments.battle
        if on and faction in on.committed and not any(faction in pair for pair in battle_list.pairs_later(game)):
            return Refusal("Your plan is committed and cannot change.", "battle.plan-final")
        return battle_leaders.refusal_unless_own(game, faction, order.leader) if isinstance(order, Plan) else None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Refuse only plans that are wrong in every position. If the faction takes captives, its plan may name the
        leader of any faction (AH.SHIELD.HAR.3-a)."""
        if not isinstance(order, Plan):
            return None
        rules = rules_of(game, faction)
        if not rules.takes_captives(game) and (
            refusal := battle_leaders.refusal_unless_own(game, faction, order.leader)
        ):
            return refusal
        if order.kwisatz_haderach and (refusal := battle_leaders.refusal_without_haderach(game, faction)):
            return refusal
        for card in (order.weapon, order.defense):
            if card and (card_kind(card) == "cheap-hero" or not CARDS[card].battle_plan):
                why = f"{card} can be neither the weapon nor the defense of a plan."
                return Refusal(why, "battle.cards-in-plan")
        for refusal in _misplaced_fault(order):
            return refusal
        facts = FACTION_FACTS[faction]
        most = facts.forces.total + facts.elite
        if order.dial > most:
            why = f"You can never dial more than {most}, with all your tokens in one battle."
            return Refusal(why, "battle.dial")
        return None

    @cached_property
    def safe(self) -> Plan:
        return default_plan(self.game, self.battle, self.faction)

    @property
    def default(self) -> Order:
        on_file = self.game.filed.get((self.faction, "battle-plan", ""), ())
        answered = self.battle.bound.get(self.faction)
        drafts = [*on_file[-1:], *([answered] if answered else [])]
        drafts += [self._lowered(plan) for plan in drafts if isinstance(plan, Plan)]
        unled = [plan for plan in drafts if isinstance(plan, Plan) and plan.leader is None]
        lowest = battle_leaders.lowest_leader(self.game, self.battle, self.faction) if unled else None
        led = [replace(plan, leader=lowest) for plan in unled]
        return next((plan for plan in (*drafts, *led) if self.refusal(plan) is None), self.safe)

    def _lowered(self, plan: Plan) -> Plan:
        """Lower the dial of a plan to the most that the tokens can still make, after a Karama has made ordinary tokens
        count only a half (IT.FORCE.8)."""
        forces = battle_strength.forces_in(self.game, self.battle, self.faction)
        worth = battle_strength.worth_of_tokens(self.game, self.battle, self.faction)
        if not worth.half:
            return plan
        spice = min(plan.spice, forces.elite, self.game.player(self.faction).spice)
        dial = battle_strength.highest_dial_made(forces, worth, spice, battle_strength.in_halves(plan.dial) or 0)
        return replace(plan, dial=battle_strength.as_dial(dial), spice=spice)

    def samples(self) -> Sequence[Order]:
        return list(dict.fromkeys([self.safe, *example_plans(self.game, self.battle, self.faction)]))

    def warnings(self, order: Order) -> Sequence[Refusal]:
        return list(plan_faults(self.game, self.battle, self.faction, order)) if isinstance(order, Plan) else []

    @property
    def facts(self) -> Mapping[str, Any]:
        return plan_question_facts(self.game, self.battle, self.faction)


def plan_question_facts(game: Game, battle: BattleMoment, faction: Faction) -> dict[str, object]:
    forces, worth = (
        battle_strength.forces_in(game, battle, faction),
        battle_strength.worth_of_tokens(game, battle, faction),
    )
    held = game.player(faction).spice if worth.paid else 0
    command = voice_and_prescience.live_voice(battle, faction)
    answer = voice_and_prescience.live_answer(game, battle, faction)
    return {
        "territory": battle.territory,
        "opponent": battle.opponent(faction),
        "opponent_forces": str(battle_strength.forces_in(game, battle, battle.opponent(faction))),
        "aggressor": battle.sides[0] == faction,
        "forces": str(forces),
        "spice": held,
        "most_unpaid": battle_strength.dial_text(battle_strength.highest_dial(forces, worth, 0)),
        "most": battle_strength.dial_text(battle_strength.highest_dial(forces, worth, held)),
        "leaders": list(battle_leaders.available_leaders(game, battle, faction)),
        "voice": {"card": command.kind, "play": command.play} if command else None,
        "shown": battle.question.element if battle.question and answer else None,
    }


DRAFT_COUNTS = Option("forced_plan", {"draft_now": True, "finalise": False}, usual="draft_now")


def commit_plans(game: Game, battle: BattleMoment) -> Flow:
    chosen: dict[Faction, Plan] = {}
    while True:
        given: dict[Key, tuple[Plan, ...]] = {(faction, "battle-plan", ""): (plan,) for faction, plan in chosen.items()}
        answers = yield from ask(lambda: [PlanQuestion(game, battle, f) for f in _open(battle)], given)
        chosen = {f: plan for f in _open(battle) if isinstance(plan := answers.of(f), Plan)}
        declined = _leader_wanted(game, battle, chosen)
        if declined is None:
            break
        del chosen[declined]
    for faction, plan in chosen.items():
        commit_plan(game, battle, faction, plan)
    game.tell(
        "plans-revealed",
        territory=battle.territory,
        plans=[committed_plan_facts(faction, battle.committed[faction]) for faction in battle.sides],
    )


def _open(battle: BattleMoment) -> list[Faction]:
    return [faction for faction in battle.sides if faction not in battle.committed]


def _leader_wanted(game: Game, battle: BattleMoment, chosen: dict[Faction, Plan]) -> Faction | None:
    """Return the fighter who must now name a leader, because only they proposed a battle without leaders (AH.QA.B.7-b).
    Return None if there is no such fighter, or if the rule set accepts such a plan and adds the weakest leader
    (VACA.X.B.2.a)."""
    proposing = [f for f, plan in chosen.items() if proposes_no_leader(game, battle, f, plan)]
    if battle.leaders != "as usual" or not proposing:
        return None
    if len(proposing) == len(battle.sides):
        battle.leaders = "waived"
        game.tell("leaders-waived", territory=battle.territory)
        return None
    battle.leaders = "required"
    if plan_refusal(game, battle, proposing[0], chosen[proposing[0]]) is None:
        return None
    game.tell("leaders-required", territory=battle.territory, proposed_by=proposing[0])
    return proposing[0]


def commit_plan(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> None:
    """Make the plan final: repair it where necessary and set aside its spice (AH.XXII.A.2)."""
    _tell_lapsed(game, battle, faction)
    if battle.leaders != "waived" and not battle_leaders.has_any_leader(game, battle, faction):
        game.tell("no-leader", faction=faction, territory=battle.territory)
    final = mended_plan(game, battle, faction, plan)
    game.pay(faction, final.plan.spice)
    battle.committed[faction] = final


def _tell_lapsed(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """Notify the player who used prescience and the player who answered that the answer no longer binds, because
    somebody else has made it impossible (A-21)."""
    given = faction in battle.bound and "prescience" not in battle.cancelled
    if given and battle.asker and voice_and_prescience.live_answer(game, battle, faction) is None:
        audience = (battle.asker, faction)
        game.tell("prescience-lapsed", audience=audience, target=faction, territory=battle.territory)


def force_commitment(game: Game, battle: BattleMoment, seer: Faction, faction: Faction) -> Flow:
    """Make this plan final now, because of Atreides' special Karama. Everybody sees the plan if the seer is in the
    battle; otherwise only the seer does. The rule says that this happens "immediately", so the plan on file counts. A
    player without one is asked for a plan (A-19)."""
    battle.forced.append(faction)
    key: Key = (faction, "battle-plan", "")
    filed = game.filed.get(key, ()) if DRAFT_COUNTS(game.rules) else ()
    answers = yield from ask(lambda: [PlanQuestion(game, battle, faction)], {key: filed} if filed else {})
    plan = answers.of(faction)
    if not isinstance(plan, Plan):
        return
    commit_plan(game, battle, faction, plan)
    shown = committed_plan_facts(faction, battle.committed[faction])
    if seer in battle.sides:
        game.tell("plan-laid-open", territory=battle.territory, target=faction, plan=shown)
    else:
        private: dict[Faction, Facts] = {seer: {"plan": shown}}
        game.tell("plan-seen", territory=battle.territory, target=faction, private=private)


def committed_plan_facts(faction: Faction, committed: Committed) -> dict[str, object]:
    plan = committed.plan
    return {
        "faction": faction,
        "dial": float(plan.dial),
        "spice": plan.spice,
        "leader": committed.cards[0] if plan.leader == CHEAP_HERO else plan.leader,
        "cheap_hero": plan.leader == CHEAP_HERO,
        "kwisatz_haderach": plan.kwisatz_haderach,
        "weapon": plan.weapon,
        "defense": plan.defense,
        "repairs": list(committed.repairs),
    }


def cards_named_in_answer(game: Game, faction: Faction) -> tuple[Card, ...]:
    """Return the faction's cards that a binding answer to prescience names. The faction must not give them away
    (WBC.XVII.9)."""
    battle = game.moments.battle
    if battle is None or battle.question is None or faction in battle.committed:
        return ()
    answer = voice_and_prescience.live_answer(game, battle, faction)
    named = voice_and_prescience.shown_element(answer, battle.question.element) if answer else None
    if named == CHEAP_HERO:
        hero = battle_leaders.cheap_hero_of(game, faction)
        return (hero,) if hero else ()
    return (Card(named),) if isinstance(named, str) and battle.question.element in ("weapon", "defense") else ()


BOUND_CARD_COUNTS = switch("two_cards_random_unless_bound", usual="on")


def mended_plan(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Committed:
    repairs: list[str] = []
    plan = _with_leader(game, battle, faction, plan, repairs)
    plan = _with_cards(game, battle, faction, plan, repairs)
    if plan.kwisatz_haderach and battle_leaders.haderach_barred(game, battle, faction, plan.leader):
        plan = replace(plan, kwisatz_haderach=False)
        repairs.append("kwisatz-haderach-removed")
    plan = _with_dial(game, battle, faction, plan, repairs)
    hero = battle_leaders.cheap_hero_of(game, faction) if plan.leader == CHEAP_HERO else None
    cards = tuple(card for card in (hero, plan.weapon, plan.defense) if card)
    return Committed(plan, cards, tuple(repairs))


def _with_leader(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, repairs: list[str]) -> Plan:
    if battle.leaders == "waived":
        return plan
    if plan.leader is not None and battle_leaders.leader_unavailable(game, battle, faction, plan.leader):
        repairs.append("leader-removed")
        plan = replace(plan, leader=None)
    if plan.leader is None and (lowest := battle_leaders.lowest_leader(game, battle, faction)):
        repairs.append("leader-added")
        plan = replace(plan, leader=lowest)
    return plan


def _with_cards(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, repairs: list[str]) -> Plan:
    hand = list(game.player(faction).hand)
    cards: list[Card | None] = []
    for card in voice_and_prescience.weapon_and_defense(plan):
        fit = card is not None and card in hand and CARDS[card].battle_plan and card_kind(card) != "cheap-hero"
        if card is not None and fit and plan.leader is not None:
            hand.remove(card)
            cards.append(card)
        else:
            if card is not None:
                repairs.append("card-removed")
            cards.append(None)
    weapon, defense = cards
    if not battle_strength.misplaced_cards(weapon, defense):
        return replace(plan, weapon=weapon, defense=defense)
    if weapon is None or defense is None:  # a card that may only be the second of two
        repairs.append("card-removed")
        return replace(plan, weapon=None, defense=None)
    if is_weapon(weapon):
        repairs.append("one-weapon-of-two")
        return replace(plan, weapon=_card_that_counts(game, battle, faction, weapon, defense), defense=None)
    repairs.append("one-defense-of-two")
    return replace(plan, weapon=None, defense=_card_that_counts(game, battle, faction, weapon, defense))


def _card_that_counts(game: Game, battle: BattleMoment, faction: Faction, first: Card, second: Card) -> Card:
    """Return the card that counts, out of two cards of the same type: the card that the Voice or an answer to
    prescience requires, or else a random one (WBC.X.25, A-24)."""
    if BOUND_CARD_COUNTS(game.rules):
        answer = voice_and_prescience.live_answer(game, battle, faction)
        command = voice_and_prescience.live_voice(battle, faction)
        for card in (first, second):
            commanded = command and command.play and voice_and_prescience.voice_means(command, card)
            if commanded or (answer and _was_shown(battle, answer, card)):
                return card
    return game.chance.pick("two-cards", (first, second))


def _was_shown(battle: BattleMoment, answer: Plan, card: Card) -> bool:
    return battle.question is not None and voice_and_prescience.shown_element(answer, battle.question.element) == card


def _with_dial(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, repairs: list[str]) -> Plan:
    forces, worth = (
        battle_strength.forces_in(game, battle, faction),
        battle_strength.worth_of_tokens(game, battle, faction),
    )
    held = game.player(faction).spice if battle_strength.SPICE_COUNTS(game.rules) else 0
    held = min(held, forces.elite) if worth.half else held
    if plan.spice > held:
        repairs.append("spice-lowered")
        plan = replace(plan, spice=held)
    dial = battle_strength.in_halves(plan.dial) or 0
    made = battle_strength.highest_dial_made(forces, worth, plan.spice, dial)
    if made != dial:
        repairs.append("dial-lowered")
        plan = replace(plan, dial=battle_strength.as_dial(made))
    return plan
