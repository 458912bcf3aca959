"""Restrictions on a battle plan before it is made: the Voice, prescience, and answers to Truthtrance questions.

The Voice (AH.SHIELD.BG.3, WBC.X.3, WBC.X.18 to 22) is one command to the opponent about one kind of card. The Bene
Gesserit give it in their own battle or in an ally's (AH.SHIELD.BG.ALLY), before prescience (AH.QA.B.6-a). The opponent
must obey it in their plan if they can. If they cannot, they need not say so (WBC.X.22). In the 1979 rules the Voice
never mentions cheap heroes, but a player who plays one must still obey it (WBC.X.19 to 21). In the 2019 rules it may
mention cheap heroes, and may also name one particular card (FAQ.BG.16, FAQ.DIFF.4). An earlier promise prevails over
the Voice (A-47).

Prescience (AH.SHIELD.ATR.3, WBC.X.5 to 7) reveals one element of the opponent's plan before the plans are made.
Atreides ask in their own battle or in an ally's (AH.SHIELD.ATR.ALLY). The shown element binds until a Karama cancels it
(WBC.X.16, WBC.AID.21), or until somebody else makes it impossible (A-21). If Atreides ask for the number, the opponent
shows the number dialed, but not the spice (A-17).

Promises (WBC.AID.10 to 12, WBC.X.16): a Truthtrance answer *no* forbids the card, the leader or the dial in every
battle that the question concerns. An answer *yes* binds the plan if the battle is fought and the plan can keep the
promise. It does not bind the plan yet if the promise could also be kept in a later battle. If a promise and the Voice
cannot both be obeyed, the earlier one binds (A-47). Plans are checked after they have been repaired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, get_args

from msgspec.structs import replace

from rules import orders as o
from rules.chapters import battle_leaders, battle_list, battle_strength
from rules.chapters.battle_list import BattleQuestion
from rules.components import (
    CARDS,
    Card,
    CardKind,
    Class,
    Faction,
    Place,
    beside_another,
    called,
    card_kind,
    is_defense,
    is_weapon,
    the_faction,
)
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Question
from rules.orders.readings import IN_BATTLE, KWISATZ_HADERACH, Dial, Lead, PlayCard
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.state import Promise

VOICE_KINDS: dict[str, CardKind] = {
    "projectile weapon": "projectile-weapon",
    "poison weapon": "poison-weapon",
    "shield": "shield",
    "snooper": "snooper",
    "lasgun": "lasgun",
    "worthless": "worthless",
}
"""The classes that the Voice names, as ``rules.orders.VoiceKind`` lists them."""

VOICE_CLASSES: Mapping[str, tuple[Place, Class]] = {
    "projectile weapon": ("weapon", "projectile"),
    "poison weapon": ("weapon", "poison"),
    "shield": ("defense", "projectile"),
    "snooper": ("defense", "poison"),
}
"""The commands that refer to a class of weapon or of defense, regardless of the kind of card (FAQ.BG.18)."""

VOICE_NAMES_HERO = Option("voice_cheap_hero", {"exempt": False, "allowed": True})
VOICE_NAMES_CARDS = Option("voice_vocabulary", {"six_classes": False, "class_or_exact_card": True})


def voice_questions(game: Game, battle: BattleMoment) -> list[Question]:
    match speaker_and_target(game, battle):
        case speaker, target if target not in battle.committed:
            return [VoiceQuestion(game, battle, speaker, target)]
    return []


def speaker_and_target(game: Game, battle: BattleMoment) -> tuple[Faction, Faction] | None:
    return battle_list.user_and_target(game, battle, lambda rules: rules.has_voice(game))


def refusal_of_voice(game: Game, order: o.Order) -> Refusal | None:
    if not isinstance(order, o.Voice) or order.kind in VOICE_KINDS:
        return None
    if order.kind == o.CHEAP_HERO:
        if VOICE_NAMES_HERO(game.rules):
            return None
        return Refusal("The Voice cannot name a cheap hero.", "battle.voice-cheap-hero")
    classes = ", ".join(_spoken_of(game))
    if not VOICE_NAMES_CARDS(game.rules):
        return Refusal(f"The Voice must name a class of cards: {classes}.", "battle.voice-says")
    if order.kind == o.SPECIAL_CARD:
        why = f"The Voice must name one of {classes}, or one exact card."
        return Refusal(why, "battle.voice-says")
    if card_kind(Card(order.kind)) == "cheap-hero":
        return Refusal(f"For the Voice, write “{o.CHEAP_HERO}” for either of the two cards.", "battle.voice-says")
    if not CARDS[Card(order.kind)].battle_plan:
        return Refusal(f"{order.kind} cannot be used in a battle plan.", "battle.voice-says")
    return None


def _spoken_of(game: Game) -> list[str]:
    return [*VOICE_KINDS, *([o.CHEAP_HERO] if VOICE_NAMES_HERO(game.rules) else [])]


class VoiceQuestion(BattleQuestion):
    kind = "voice"
    only_refusal = Refusal("The Voice is a power of the Bene Gesserit.", "battle.voice")
    default = o.NoVoice()

    def __init__(self, game: Game, battle: BattleMoment, speaker: Faction, target: Faction) -> None:
        super().__init__(game, battle, speaker)
        self._target = target

    def refusal(self, order: o.Order) -> Refusal | None:
        if isinstance(order, o.Voice) and order.faction != self._target:
            here, named = the_faction(self._target), the_faction(order.faction)
            return Refusal(f"In this battle you can use the Voice on {here}, not on {named}.", "battle.voice")
        return refusal_of_voice(self.game, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        if not rules_of(game, faction).has_voice(game):
            return cls.only_refusal
        on = game.moments.battle
        to_come = battle_list.pairs_now_or_later(game) if on and on.stage == "voice" else battle_list.pairs_later(game)
        opponents = battle_list.opponents(game, faction, to_come)
        if not opponents:
            why = "You cannot use the Voice in any of the remaining battles."
            return Refusal(why, "battle.voice-once-a-battle")
        if isinstance(order, o.Voice) and order.faction not in opponents:
            names = ", ".join(the_faction(other) for other in sorted(opponents))
            return Refusal(f"You can use the Voice only on an opponent in battle: {names}.", "battle.voice")
        return refusal_of_voice(game, order)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        if isinstance(order, o.Voice) and order.faction == faction:
            return Refusal("That is you; name another faction.", "battle.voice")
        return refusal_of_voice(game, order)

    def samples(self) -> Sequence[o.Order]:
        commands = [o.Voice(self._target, kind, play) for kind in _spoken_of(self.game) for play in (True, False)]
        return [o.NoVoice(), *commands]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self.battle.territory, "target": self._target}


def give_voice(game: Game, battle: BattleMoment, order: o.Voice) -> None:
    battle.voice, battle.voice_at = order, game.state.events
    game.tell("voice-given", target=order.faction, card=order.kind, play=order.play, territory=battle.territory)


def live_voice(battle: BattleMoment, faction: Faction) -> o.Voice | None:
    voice = battle.voice
    return voice if voice and voice.faction == faction and "voice" not in battle.cancelled else None


def cards_named_by_voice(game: Game, faction: Faction, voice: o.Voice) -> list[Card]:
    return [card for card in game.player(faction).hand if voice_means(voice, card)]


def voice_means(voice: o.Voice, card: Card, place: Place | None = None) -> bool:
    """Return whether the Voice refers to this card when it is played in this place of a plan. The Voice may name the
    card or its class. If no place is given, use the card's intended place, because nobody can be ordered to use a card
    in another way (FAQ.BG.18, FAQ.BG.19)."""
    if voice.kind == o.CHEAP_HERO:
        return card_kind(card) == "cheap-hero"
    if card == voice.kind:
        return True
    named = VOICE_CLASSES.get(voice.kind)
    if named is None:
        return card_kind(card) == VOICE_KINDS.get(voice.kind)
    meant, what = named
    if place is None:
        place = "weapon" if is_weapon(card) else "defense"
    return place == meant and what in called(card, place)


def can_obey_voice(game: Game, battle: BattleMoment, faction: Faction, voice: o.Voice) -> bool:
    """Return whether the opponent can obey the Voice (AH.SHIELD.BG.3-d). A card can always be left out. A cheap hero
    can be left out only if another leader is available, because somebody has to lead."""
    if not voice.play:
        return voice.kind != o.CHEAP_HERO or bool(battle_leaders.available_leaders(game, battle, faction))
    return bool(cards_named_by_voice(game, faction, voice)) and battle_leaders.has_any_leader(game, battle, faction)


def breach_of_voice(game: Game, battle: BattleMoment, faction: Faction, plan: o.Plan) -> Refusal | None:
    voice = live_voice(battle, faction)
    if voice is None:
        return None

    if voice.kind == o.CHEAP_HERO:
        return _breach_by_leader(game, battle, faction, plan, voice)
    if voice_is_obeyed_by(game, battle, faction, (plan.weapon, plan.defense)):
        return None
    what = _voice_in_words(voice)
    if voice.play:
        held = ", ".join(dict.fromkeys(cards_named_by_voice(game, faction, voice)))
        return Refusal(f"The Voice commands you to play {what}, and you can: {held}.", "battle.voice")
    return Refusal(f"The Voice forbids you to play {what}.", "battle.voice")


def voice_is_obeyed_by(game: Game, battle: BattleMoment, faction: Faction, cards: CardPair) -> bool:
    voice = live_voice(battle, faction)
    if voice is None or voice.kind == o.CHEAP_HERO:
        return True

    def obeys(cards: CardPair) -> bool:
        places: tuple[tuple[Card | None, Place], ...] = ((cards[0], "weapon"), (cards[1], "defense"))
        played = [card for card, place in places if card and voice_means(voice, card, place)]
        return any(game.holds(faction, card) for card in played) if voice.play else not played

    if obeys(cards) or not can_obey_voice(game, battle, faction, voice):
        return True
    return bool(game.state.promises) and promises_stand_against_voice(game, battle, faction, obeys)


def _voice_in_words(voice: o.Voice) -> str:
    if voice.kind in VOICE_KINDS:
        return "a worthless card" if voice.kind == "worthless" else f"a {voice.kind}"
    return voice.kind


def _breach_by_leader(
    game: Game, battle: BattleMoment, faction: Faction, plan: o.Plan, voice: o.Voice
) -> Refusal | None:
    # FAQ.DIFF.4
    if (plan.leader == o.CHEAP_HERO) == voice.play or not can_obey_voice(game, battle, faction, voice):
        return None
    if game.state.promises and promises_stand_against_leader(game, battle, faction, hero=voice.play):
        return None
    if voice.play:
        return Refusal("The Voice commands you to play a cheap hero, and you can.", "battle.voice-cheap-hero")
    return Refusal("The Voice forbids you to play a cheap hero.", "battle.voice-cheap-hero")


def prescience_questions(game: Game, battle: BattleMoment) -> list[Question]:
    match asker_and_target(game, battle):
        case asker, target if target not in battle.committed:
            return [PrescienceQuestion(game, battle, asker, target)]
    return []


def asker_and_target(game: Game, battle: BattleMoment) -> tuple[Faction, Faction] | None:
    return battle_list.user_and_target(game, battle, lambda rules: rules.has_prescience(game))


class PrescienceQuestion(BattleQuestion):
    kind = "prescience"
    only_refusal = Refusal("Prescience is a power of Atreides.", "battle.prescience")
    default = o.NoPrescience()

    def __init__(self, game: Game, battle: BattleMoment, asker: Faction, target: Faction) -> None:
        super().__init__(game, battle, asker)
        self._target = target

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        if refusal := cls.never_legal(game, faction, order):
            return refusal
        on = game.moments.battle
        open_now = on is not None and on.question is None and on.stage in ("voice", "prescience")
        to_come = battle_list.pairs_now_or_later(game) if open_now else battle_list.pairs_later(game)
        if battle_list.opponents(game, faction, to_come):
            return None
        if on and on.questioned:
            why = f"You have already asked {the_faction(on.questioned)} in this battle; you may ask only once."
            return Refusal(why, "battle.prescience-once-a-battle")
        return Refusal("You cannot use prescience in any of the remaining battles.", "battle.prescience")

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: o.Order) -> Refusal | None:
        return None if rules_of(game, faction).has_prescience(game) else cls.only_refusal

    def samples(self) -> Sequence[o.Order]:
        return [o.NoPrescience(), *(o.Prescience(element) for element in get_args(o.Element))]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self.battle.territory, "target": self._target}


def put_question(game: Game, battle: BattleMoment, asker: Faction, target: Faction, order: o.Prescience) -> None:
    battle.question, battle.asker, battle.questioned = order, asker, target
    game.tell("prescience-asked", target=target, element=order.element, territory=battle.territory)


def weapon_and_defense(plan: o.Plan) -> tuple[Card | None, Card | None]:
    """Return the weapon and the defense of a plan, swapped if the player wrote them the wrong way round. A worthless
    card fits both places.

    >>> weapon_and_defense(o.Plan(1, "Caid", weapon=Card("Shield"), defense=Card("Kulon")))
    ('Kulon', 'Shield')
    """
    return battle_strength.cards_in_place(plan.weapon, plan.defense)


def shown_element(plan: o.Plan, element: o.Element) -> str | float | None:
    match element:
        case "leader":
            return plan.leader
        case "weapon":
            return weapon_and_defense(plan)[0]
        case "defense":
            return weapon_and_defense(plan)[1]
        case "number":
            return plan.dial


def element_in_words(value: str | float | None) -> str:
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, int | float) else value


def element_is_possible(game: Game, battle: BattleMoment, faction: Faction, plan: o.Plan, element: o.Element) -> bool:
    value = shown_element(plan, element)
    if element == "number":
        halves = battle_strength.in_halves(plan.dial)
        forces, worth = (
            battle_strength.forces_in(game, battle, faction),
            battle_strength.worth_of_tokens(game, battle, faction),
        )
        return (
            halves is not None
            and battle_strength.least_spice_for_dial(forces, worth, game.player(faction).spice, halves) is not None
        )
    if element == "leader":
        if value is None:
            return not battle_leaders.has_any_leader(game, battle, faction)
        return battle_leaders.leader_unavailable(game, battle, faction, str(value)) is None
    return value is None or _can_play_element(game, battle, faction, Card(str(value)), element)


def _can_play_element(game: Game, battle: BattleMoment, faction: Faction, card: Card, element: o.Element) -> bool:
    """Return whether the fighter holds the card and has a leader to play it, and whether the card works in that place
    of the plan (AH.X.B.3)."""
    place: Place = "weapon" if element == "weapon" else "defense"
    if card not in CARDS or not CARDS[card].battle_plan or card_kind(card) == "cheap-hero":
        return False
    serves = battle_strength.card_can_serve(card, place)
    if beside_another(card) == place:
        serves = bool(cards_beside(game, battle, faction, card, place))
    return serves and game.holds(faction, card) and battle_leaders.has_any_leader(game, battle, faction)


def cards_beside(game: Game, battle: BattleMoment, faction: Faction, card: Card, place: Place) -> list[Card]:
    """Return the cards in the faction's hand that make ``card`` work in this place and that the Voice allows with it.
    In this place, ``card`` works only with another card (IT.CARD.9, IT.CARD.10)."""
    others = [
        other
        for other in game.player(faction).hand
        if other != card and battle_strength.card_serves(card, place, other)
    ]
    pairs = {other: (card, other) if place == "weapon" else (other, card) for other in others}
    return [other for other, pair in pairs.items() if voice_is_obeyed_by(game, battle, faction, pair)]


def live_answer(game: Game, battle: BattleMoment, faction: Faction) -> o.Plan | None:
    if battle.question is None or "prescience" in battle.cancelled:
        return None
    answer = battle.bound.get(faction)
    if answer is None or not element_is_possible(game, battle, faction, answer, battle.question.element):
        return None
    return answer


def breach_of_answer(game: Game, battle: BattleMoment, faction: Faction, plan: o.Plan) -> Refusal | None:
    answer = live_answer(game, battle, faction)
    if answer is None or battle.question is None:
        return None
    element = battle.question.element
    promised, planned = shown_element(answer, element), shown_element(plan, element)
    if promised != planned:
        why = f"You have shown Atreides your {element}: {element_in_words(promised)}. You cannot change it."
        return Refusal(why, "battle.prescience-binds")
    if element == "number":
        forces, worth = (
            battle_strength.forces_in(game, battle, faction),
            battle_strength.worth_of_tokens(game, battle, faction),
        )
        halves = battle_strength.in_halves(plan.dial) or 0
        if not battle_strength.possible_losses(forces, worth, plan.spice, halves):
            least = battle_strength.least_spice_for_dial(forces, worth, game.player(faction).spice, halves)
            dial = element_in_words(promised)
            why = f"You have shown Atreides a dial of {dial}, which needs at least {least} spice."
            return Refusal(why, "battle.prescience-binds")
    return None


def answer_in_words(answer: o.Plan, element: o.Element, hero: Card | None) -> str:
    value = shown_element(answer, element)
    return str(hero) if value == o.CHEAP_HERO else element_in_words(value)


CardPair = tuple[Card | None, Card | None]

MOST_SKETCHES = 600


def promise_concerns(battle: BattleMoment, side: Faction, promise: Promise) -> bool:
    return isinstance(promise.act, IN_BATTLE) and _speaks_of(promise, battle.territory, battle.opponent(side))


def promise_is_due(game: Game, battle: BattleMoment, sides: Sequence[Faction], promise: Promise) -> bool:
    return not any(
        _speaks_of(promise, other.territory, other.defender if other.aggressor in sides else other.aggressor)
        for other in battle_list.all_battles(game)
        if (other.aggressor in sides or other.defender in sides)
        and not (other.areas == battle.areas and {other.aggressor, other.defender} == set(battle.sides))
    )


def _speaks_of(promise: Promise, territory: str, opponent: Faction) -> bool:
    scope = promise.scope
    return scope.territory in (None, territory) and scope.opponent in (None, opponent)


def plan_does(game: Game, battle: BattleMoment, faction: Faction, promise: Promise, plan: o.Plan) -> bool:
    match promise.act:
        case PlayCard(cards):
            played = _played_as_promised(promise.act, (plan.weapon, plan.defense))
            if not promise.forbids:
                played = {card for card in played if _card_counts(game, battle, faction, plan, card)}
            return not played.isdisjoint(cards)
        case Lead(fighters):
            haderach = KWISATZ_HADERACH in fighters and plan.kwisatz_haderach
            return haderach or _leader_of_plan(game, battle, faction, plan) in fighters
        case Dial(amount):
            return amount.holds(_dial_of_plan(game, battle, faction, plan))
    return False


def _played_as_promised(act: PlayCard, pair: CardPair) -> set[Card]:
    """Return the cards of a plan to which a promise may refer. A card that works in its place only with another card
    belongs to no class, so only a promise that names the card refers to it. For example, Weirding Way with another
    weapon is not a projectile weapon (IT.CARD.9, IT.CARD.10)."""
    by_name = len(act.cards) == 1
    weapon, defense = pair
    placed: tuple[tuple[Card | None, Place], ...] = ((weapon, "weapon"), (defense, "defense"))
    return {card for card, place in placed if card and (by_name or beside_another(card) != place)}


def _leader_of_plan(game: Game, battle: BattleMoment, faction: Faction, plan: o.Plan) -> str | None:
    if plan.leader is None or battle_leaders.leader_unavailable(game, battle, faction, plan.leader):
        return None if battle.leaders == "waived" else battle_leaders.lowest_leader(game, battle, faction)
    return plan.leader


def _card_counts(game: Game, battle: BattleMoment, faction: Faction, plan: o.Plan, card: Card) -> bool:
    if not game.holds(faction, card) or _leader_of_plan(game, battle, faction, plan) is None:
        return False
    both = (plan.weapon, plan.defense)
    if not battle_strength.misplaced_cards(*battle_strength.cards_in_place(*both)):
        return True
    return not any(all(one and kind(one) for one in both) for kind in (is_weapon, is_defense))


def _dial_of_plan(game: Game, battle: BattleMoment, faction: Faction, plan: o.Plan) -> float:
    forces, worth = (
        battle_strength.forces_in(game, battle, faction),
        battle_strength.worth_of_tokens(game, battle, faction),
    )
    spice = min(plan.spice, game.player(faction).spice)
    return battle_strength.as_dial(
        battle_strength.highest_dial_made(forces, worth, spice, battle_strength.in_halves(plan.dial) or 0)
    )


# --- The Voice ---------------------------------------------------------------------------------------------------


def promises_stand_against_voice(
    game: Game, battle: BattleMoment, faction: Faction, obeys: Callable[[CardPair], bool]
) -> bool:
    """Return whether promises made before the Voice was used make it impossible to obey the Voice (A-47)."""
    earlier = [promise for promise in _before_voice(game, battle, faction) if isinstance(promise.act, PlayCard)]
    if not earlier:
        return False
    pairs = list(card_pairs(game, faction))
    for promise in earlier:
        pairs = [pair for pair in pairs if _keeps(promise, pair)] or pairs
    return not any(obeys(pair) for pair in pairs)


def promises_stand_against_leader(game: Game, battle: BattleMoment, faction: Faction, *, hero: bool) -> bool:
    """Return whether promises made before the Voice was used rule out a cheap hero as leader (with ``hero``), or all
    real leaders (without it) (A-47)."""
    fighters = [o.CHEAP_HERO] if hero else list(battle_leaders.available_leaders(game, battle, faction))
    for promise in _before_voice(game, battle, faction):
        if isinstance(promise.act, Lead):
            fighters = [one for one in fighters if (one in promise.act.leaders) != promise.forbids]
    return not fighters


def _before_voice(game: Game, battle: BattleMoment, faction: Faction) -> list[Promise]:
    return [
        promise
        for promise in game.state.promises
        if promise.faction == faction
        and promise.binds
        and promise.made < battle.voice_at
        and promise_concerns(battle, faction, promise)
        and (promise.forbids or promise_is_due(game, battle, [faction], promise))
        and promise.scope.first_turn <= game.state.turn <= promise.scope.last_turn
    ]


def _keeps(promise: Promise, pair: CardPair) -> bool:
    assert isinstance(promise.act, PlayCard)
    done = not _played_as_promised(promise.act, pair).isdisjoint(promise.act.cards)
    return done != promise.forbids


def card_pairs(game: Game, faction: Faction) -> Iterator[CardPair]:
    hand = [card for card in game.player(faction).hand if CARDS[card].battle_plan and card_kind(card) != "cheap-hero"]
    weapons = [None, *dict.fromkeys(card for card in hand if battle_strength.card_can_serve(card, "weapon"))]
    defenses = [None, *dict.fromkeys(card for card in hand if battle_strength.card_can_serve(card, "defense"))]
    for weapon, defense in product(weapons, defenses):
        if not battle_strength.misplaced_cards(weapon, defense) and (weapon is None or weapon != defense):
            yield weapon, defense


# --- Plans that keep promises ------------------------------------------------------------------------------------


def plan_sketches(
    game: Game, battle: BattleMoment, faction: Faction, promises: Sequence[Promise], like: o.Plan
) -> Iterator[o.Plan]:
    """Yield plans that keep the promises, beginning with those most similar to the plan ``like``. Their legality is not
    checked."""
    fighters = [like.leader, *battle_leaders.available_leaders(game, battle, faction), o.CHEAP_HERO, None]
    pairs = [(like.weapon, like.defense), *card_pairs(game, faction)]
    found = (
        replace(like, leader=leader, weapon=weapon, defense=defense, dial=dial, spice=spice, kwisatz_haderach=haderach)
        for haderach in (like.kwisatz_haderach, not like.kwisatz_haderach)
        for leader in dict.fromkeys(fighters)
        for dial, spice in _dials_of_plans(game, battle, faction, promises, like)
        for weapon, defense in dict.fromkeys(pairs)
        if leader is not None or (weapon is None and defense is None)
    )
    kept = (plan for plan in found if all(_kept(game, battle, faction, one, plan) for one in promises))
    for plan, _ in zip(kept, range(MOST_SKETCHES), strict=False):
        yield plan


def _kept(game: Game, battle: BattleMoment, faction: Faction, promise: Promise, plan: o.Plan) -> bool:
    return plan_does(game, battle, faction, promise, plan) != promise.forbids


def _dials_of_plans(
    game: Game, battle: BattleMoment, faction: Faction, promises: Sequence[Promise], like: o.Plan
) -> list[tuple[float, int]]:
    forces, worth = (
        battle_strength.forces_in(game, battle, faction),
        battle_strength.worth_of_tokens(game, battle, faction),
    )
    held = game.player(faction).spice if worth.paid else 0
    wanted = [0.0, battle_strength.as_dial(battle_strength.highest_dial(forces, worth, 0))]
    for promise in promises:
        if isinstance(promise.act, Dial):
            least, most = promise.act.amount.least, promise.act.amount.most
            wanted += [bound for bound in (least, least - 0.5, least - 1) if bound >= 0]
            wanted += [] if most is None else [most, most + 0.5, most + 1]
    found = [(like.dial, like.spice)]
    for dial in wanted:
        halves = battle_strength.in_halves(dial)
        spice = None if halves is None else battle_strength.least_spice_for_dial(forces, worth, held, halves)
        if spice is not None:
            found.append((dial, spice))
    return list(dict.fromkeys(found))
