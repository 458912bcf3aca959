"""Prescience: one element of the opponent's plan, named and shown before the plans are made (AH.SHIELD.ATR.3,
WBC.X.5 to 7).

Who foresees, the Atreides, asks in their own battle or in an ally's (AH.SHIELD.ATR.ALLY). What was shown will be used:
that element binds until a Karama cancels it (WBC.X.16, WBC.AID.21), or until somebody else makes it impossible (A-21).
The number is the number dialed, without the spice (A-17).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from rules.chapters.battle import arms, leaders, listing, powers, strength, voice
from rules.chapters.battle.question import BattleQuestion
from rules.components import CARDS, Card, Faction, Place, beside_another, card_kind, faction_name
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Question
from rules.orders import CHEAP_HERO, Element, NoPrescience, Order, Plan, Prescience
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


def questions(game: Game, battle: BattleMoment) -> list[Question]:
    """The decision about prescience in this battle, if it is anybody's to make."""
    match asker_and_target(game, battle):
        case asker, target if target not in battle.committed:
            return [PrescienceQuestion(game, battle, asker, target)]
    return []


def asker_and_target(game: Game, battle: BattleMoment) -> tuple[Faction, Faction] | None:
    """Who may ask in this battle, and whom; None where nobody may."""
    return powers.user_and_target(game, battle, lambda rules: rules.has_prescience(game))


class PrescienceQuestion(BattleQuestion):
    """Which element of this opponent's plan do you ask for?"""

    kind = "prescience"
    only_refusal = Refusal("Prescience is a power of Atreides.", "battle.prescience")

    def __init__(self, game: Game, battle: BattleMoment, asker: Faction, target: Faction) -> None:
        super().__init__(game, battle, asker)
        self._target = target

    def refusal(self, order: Order) -> Refusal | None:
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := cls.never_legal(game, faction, order):
            return refusal
        on = game.moments.battle
        open_now = on is not None and on.question is None and on.stage in ("voice", "prescience")
        to_come = listing.pairs_now_or_later(game) if open_now else listing.pairs_later(game)
        if powers.opponents(game, faction, to_come):
            return None
        if on and on.questioned:
            why = f"You have asked {faction_name(on.questioned)} in this battle; one question is all."
            return Refusal(why, "battle.prescience-once-a-battle")
        return Refusal("There is no battle to come in which you could ask.", "battle.prescience")

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return None if rules_of(game, faction).has_prescience(game) else cls.only_refusal

    @property
    def default(self) -> Order:
        return NoPrescience()

    def samples(self) -> Sequence[Order]:
        return [NoPrescience(), *(Prescience(element) for element in get_args(Element))]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self.battle.territory, "target": self._target}


def put(game: Game, battle: BattleMoment, asker: Faction, target: Faction, order: Prescience) -> None:
    """The question is put."""
    battle.question, battle.asker, battle.questioned = order, asker, target
    game.tell("prescience-asked", target=target, element=order.element, territory=battle.territory)


def slots(plan: Plan) -> tuple[Card | None, Card | None]:
    """The weapon and the defense of a plan, each card where it belongs; a worthless card may lie in either place.

    >>> slots(Plan(1, "Caid", weapon=Card("Shield"), defense=Card("Kulon")))
    ('Kulon', 'Shield')
    """
    return arms.in_place(plan.weapon, plan.defense)


def shown(plan: Plan, element: Element) -> str | float | None:
    """What the plan says about an element."""
    match element:
        case "leader":
            return plan.leader
        case "weapon":
            return slots(plan)[0]
        case "defense":
            return slots(plan)[1]
        case "number":
            return plan.dial


def shown_text(value: str | float | None) -> str:
    """The answer in words: a name, a number, or "none"."""
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, int | float) else value


def is_possible(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, element: Element) -> bool:
    """Whether the fighter can really use this element of the plan."""
    value = shown(plan, element)
    if element == "number":
        halves = strength.in_halves(plan.dial)
        forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
        return (
            halves is not None and strength.least_spice(forces, worth, game.player(faction).spice, halves) is not None
        )
    if element == "leader":
        if value is None:
            return not leaders.has_any(game, battle, faction)
        return leaders.unavailable(game, battle, faction, str(value)) is None
    return value is None or _can_play(game, battle, faction, Card(str(value)), element)


def _can_play(game: Game, battle: BattleMoment, faction: Faction, card: Card, element: Element) -> bool:
    """Whether the fighter holds the card, has somebody to play it, and it may lie in that place (AH.X.B.3)."""
    place: Place = "weapon" if element == "weapon" else "defense"
    if card not in CARDS or not CARDS[card].battle_plan or card_kind(card) == "cheap-hero":
        return False
    serves = arms.can_serve(card, place)
    if beside_another(card) == place:
        serves = bool(beside(game, battle, faction, card, place))
    return serves and game.holds(faction, card) and leaders.has_any(game, battle, faction)


def beside(game: Game, battle: BattleMoment, faction: Faction, card: Card, place: Place) -> list[Card]:
    """The cards of the hand that may lie beside this one where it serves only beside another (IT.CARD.9, IT.CARD.10),
    as far as the Voice lets them."""
    others = [other for other in game.player(faction).hand if other != card and arms.serves(card, place, other)]
    pairs = {other: (card, other) if place == "weapon" else (other, card) for other in others}
    return [other for other, pair in pairs.items() if voice.obeyed_by(game, battle, faction, pair)]


def live(game: Game, battle: BattleMoment, faction: Faction) -> Plan | None:
    """The answer that binds this fighter, if there is one, no Karama has cancelled it and it can still be kept."""
    if battle.question is None or "prescience" in battle.cancelled:
        return None
    answer = battle.bound.get(faction)
    if answer is None or not is_possible(game, battle, faction, answer, battle.question.element):
        return None
    return answer


def breach(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Refusal | None:
    """Why a plan breaks the answer given to Atreides, or None."""
    answer = live(game, battle, faction)
    if answer is None or battle.question is None:
        return None
    element = battle.question.element
    promised, planned = shown(answer, element), shown(plan, element)
    if promised != planned:
        why = f"You have shown Atreides your {element}: {shown_text(promised)}. It must stay so."
        return Refusal(why, "battle.prescience-binds")
    if element == "number":
        forces, worth = strength.forces_in(game, battle, faction), strength.worth(game, battle, faction)
        halves = strength.in_halves(plan.dial) or 0
        if not strength.losses(forces, worth, plan.spice, halves):
            least = strength.least_spice(forces, worth, game.player(faction).spice, halves)
            why = (
                f"You have shown Atreides that you dial {shown_text(promised)}, and that needs at least {least} spice."
            )
            return Refusal(why, "battle.prescience-binds")
    return None


def answer_words(answer: Plan, element: Element, hero: Card | None) -> str:
    """What Atreides are shown: for a cheap hero the card itself."""
    value = shown(answer, element)
    return str(hero) if value == CHEAP_HERO else shown_text(value)
