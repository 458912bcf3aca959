"""The Voice: one command to the opponent about one kind of card (AH.SHIELD.BG.3, WBC.X.3, WBC.X.18 to 22).

Who has it, the Bene Gesserit, gives it in their own battle or in an ally's (AH.SHIELD.BG.ALLY), before anything is
foreseen (AH.QA.B.6-a). It binds the opponent's plan as far as they can obey; that they cannot, they need not say
(WBC.X.22). In 1979 no Voice
speaks of cheap heroes, but whoever plays one is bound all the same (WBC.X.19 to 21); in 2019 it may, and may name one
exact card as well (FAQ.BG.16, FAQ.DIFF.4). A promise that was made before stands above it (A-47).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.battle import leaders, listing, powers, promised
from rules.chapters.battle.question import BattleQuestion
from rules.components import CARDS, Card, CardKind, Class, Faction, Place, called, card_kind, faction_name, is_weapon
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Question
from rules.orders import CHEAP_HERO, SPECIAL_CARD, NoVoice, Order, Plan, Voice
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment

KINDS: dict[str, CardKind] = {
    "projectile weapon": "projectile-weapon",
    "poison weapon": "poison-weapon",
    "shield": "shield",
    "snooper": "snooper",
    "lasgun": "lasgun",
    "worthless": "worthless",
}
"""The classes that the Voice names, as ``rules.orders.VoiceKind`` lists them."""

CLASSES: Mapping[str, tuple[Place, Class]] = {
    "projectile weapon": ("weapon", "projectile"),
    "poison weapon": ("weapon", "poison"),
    "shield": ("defense", "projectile"),
    "snooper": ("defense", "poison"),
}
"""Those of them that are a class of weapon or of defense, whatever the card is called (FAQ.BG.18)."""

HERO_NAMED = Option("voice_cheap_hero", {"exempt": False, "allowed": True})
CARDS_NAMED = Option("voice_vocabulary", {"six_classes": False, "class_or_exact_card": True})

OPTIONS = (HERO_NAMED, CARDS_NAMED)


def questions(game: Game, battle: BattleMoment) -> list[Question]:
    """The decision about the Voice in this battle, if it is anybody's to make."""
    match speaker_and_target(game, battle):
        case speaker, target if target not in battle.committed:
            return [VoiceQuestion(game, battle, speaker, target)]
    return []


def speaker_and_target(game: Game, battle: BattleMoment) -> tuple[Faction, Faction] | None:
    """Who may command in this battle, and whom; None where nobody may."""
    return powers.user_and_target(game, battle, lambda rules: rules.has_voice(game))


def unspeakable(game: Game, order: Order) -> Refusal | None:
    """Why the Voice never says this under the rules that are played, or None."""
    if not isinstance(order, Voice) or order.kind in KINDS:
        return None
    if order.kind == CHEAP_HERO:
        if HERO_NAMED(game.rules):
            return None
        return Refusal("The Voice never speaks of a cheap hero.", "battle.voice-cheap-hero")
    classes = ", ".join(_spoken_of(game))
    if not CARDS_NAMED(game.rules):
        return Refusal(f"The Voice names a class of cards: {classes}.", "battle.voice-says")
    if order.kind == SPECIAL_CARD:
        why = f"The Voice says {classes}, or names one exact card."
        return Refusal(why, "battle.voice-says")
    if card_kind(Card(order.kind)) == "cheap-hero":
        return Refusal(f"The Voice says “{CHEAP_HERO}”, whichever of the two cards it may be.", "battle.voice-says")
    if not CARDS[Card(order.kind)].battle_plan:
        return Refusal(f"{order.kind} is no card for a battle plan.", "battle.voice-says")
    return None


def _spoken_of(game: Game) -> list[str]:
    return [*KINDS, *([CHEAP_HERO] if HERO_NAMED(game.rules) else [])]


class VoiceQuestion(BattleQuestion):
    """Do you give a command to this opponent?"""

    kind = "voice"
    only_refusal = Refusal("The Voice is a power of the Bene Gesserit.", "battle.voice")

    def __init__(self, game: Game, battle: BattleMoment, speaker: Faction, target: Faction) -> None:
        super().__init__(game, battle, speaker)
        self._target = target

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, Voice) and order.faction != self._target:
            here, named = faction_name(self._target), faction_name(order.faction)
            return Refusal(f"In this battle the Voice speaks to {here}, not to {named}.", "battle.voice")
        return unspeakable(self.game, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not rules_of(game, faction).has_voice(game):
            return cls.only_refusal
        on = game.moments.battle
        to_come = listing.pairs_now_or_later(game) if on and on.stage == "voice" else listing.pairs_later(game)
        opponents = powers.opponents(game, faction, to_come)
        if not opponents:
            why = "There is no battle to come in which you could use the Voice."
            return Refusal(why, "battle.voice-once-a-battle")
        if isinstance(order, Voice) and order.faction not in opponents:
            names = ", ".join(faction_name(other) for other in sorted(opponents))
            return Refusal(f"The Voice speaks only to an opponent in battle: {names}.", "battle.voice")
        return unspeakable(game, order)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if isinstance(order, Voice) and order.faction == faction:
            return Refusal("That is you; name another faction.", "battle.voice")
        return unspeakable(game, order)

    @property
    def default(self) -> Order:
        return NoVoice()

    def samples(self) -> Sequence[Order]:
        commands = [Voice(self._target, kind, play) for kind in _spoken_of(self.game) for play in (True, False)]
        return [NoVoice(), *commands]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"territory": self.battle.territory, "target": self._target}


def give(game: Game, battle: BattleMoment, order: Voice) -> None:
    """The command is spoken."""
    battle.voice, battle.voice_at = order, game.state.events
    game.tell("voice-given", target=order.faction, card=order.kind, play=order.play, territory=battle.territory)


def live(battle: BattleMoment, faction: Faction) -> Voice | None:
    """The command that binds this fighter, if there is one and no Karama has cancelled it."""
    voice = battle.voice
    return voice if voice and voice.faction == faction and "voice" not in battle.cancelled else None


def named_cards(game: Game, faction: Faction, voice: Voice) -> list[Card]:
    """The cards in the faction's hand that the Voice means."""
    return [card for card in game.player(faction).hand if means(voice, card)]


def means(voice: Voice, card: Card, place: Place | None = None) -> bool:
    """Whether the Voice speaks of this card in this place of a plan: of its class there, or by its name. Left out is
    the place for which the card is meant: nobody can be told to use a card otherwise (FAQ.BG.18, FAQ.BG.19)."""
    if voice.kind == CHEAP_HERO:
        return card_kind(card) == "cheap-hero"
    if card == voice.kind:
        return True
    named = CLASSES.get(voice.kind)
    if named is None:
        return card_kind(card) == KINDS.get(voice.kind)
    meant, what = named
    if place is None:
        place = "weapon" if is_weapon(card) else "defense"
    return place == meant and what in called(card, place)


def can_obey(game: Game, battle: BattleMoment, faction: Faction, voice: Voice) -> bool:
    """Whether the opponent can do as they are told (AH.SHIELD.BG.3-d): a card can always be left out, a cheap hero only
    where there is another leader, as somebody has to lead.
    """
    if not voice.play:
        return voice.kind != CHEAP_HERO or bool(leaders.available(game, battle, faction))
    return bool(named_cards(game, faction, voice)) and leaders.has_any(game, battle, faction)


def breach(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Refusal | None:
    """Why a plan disobeys the Voice, or None."""
    voice = live(battle, faction)
    if voice is None:
        return None

    if voice.kind == CHEAP_HERO:
        return _breach_by_leader(game, battle, faction, plan, voice)
    if obeyed_by(game, battle, faction, (plan.weapon, plan.defense)):
        return None
    what = _told(voice)
    if voice.play:
        held = ", ".join(dict.fromkeys(named_cards(game, faction, voice)))
        return Refusal(f"The Voice commands you to play {what}, and you can: {held}.", "battle.voice")
    return Refusal(f"The Voice forbids you to play {what}.", "battle.voice")


def obeyed_by(game: Game, battle: BattleMoment, faction: Faction, cards: promised.Cards) -> bool:
    """Whether a plan with this weapon and defense does not disobey what the Voice says about cards."""
    voice = live(battle, faction)
    if voice is None or voice.kind == CHEAP_HERO:
        return True

    def obeys(cards: promised.Cards) -> bool:
        places: tuple[tuple[Card | None, Place], ...] = ((cards[0], "weapon"), (cards[1], "defense"))
        played = [card for card, place in places if card and means(voice, card, place)]
        return any(game.holds(faction, card) for card in played) if voice.play else not played

    if obeys(cards) or not can_obey(game, battle, faction, voice):
        return True
    return bool(game.state.promises) and promised.stands_against_voice(game, battle, faction, obeys)


def _told(voice: Voice) -> str:
    if voice.kind in KINDS:
        return "a worthless card" if voice.kind == "worthless" else f"a {voice.kind}"
    return voice.kind


def _breach_by_leader(game: Game, battle: BattleMoment, faction: Faction, plan: Plan, voice: Voice) -> Refusal | None:
    """Why a plan disobeys a Voice that speaks of a cheap hero, or None (FAQ.DIFF.4)."""
    if (plan.leader == CHEAP_HERO) == voice.play or not can_obey(game, battle, faction, voice):
        return None
    if game.state.promises and promised.leader_stands_against(game, battle, faction, hero=voice.play):
        return None
    if voice.play:
        return Refusal("The Voice commands you to play a cheap hero, and you can.", "battle.voice-cheap-hero")
    return Refusal("The Voice forbids you to play a cheap hero.", "battle.voice-cheap-hero")
