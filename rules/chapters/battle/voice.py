"""The Voice: one command to the opponent about one kind of card (AH.SHIELD.BG.3, WBC.X.3, WBC.X.18 to 22).

The Bene Gesserit give it in their own battle or in an ally's (AH.SHIELD.BG.ALLY), before anything is foreseen
(AH.QA.B.6-a). It binds the opponent's plan as far as he can obey; that he cannot, he need not say (WBC.X.22). No Voice
speaks of cheap heroes, but whoever plays one is bound all the same (WBC.X.19 to 21). A promise that was made before
stands above it (A-47).
"""

from __future__ import annotations

from typing import get_args

from rules.chapters.battle import leaders, promised
from rules.components import Card, CardKind, Faction, card_kind, faction_name
from rules.decisions.closures import Asked
from rules.decisions.question import Question
from rules.orders import NoVoice, Order, Plan, Voice, VoiceKind
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment

KINDS: dict[VoiceKind, CardKind] = {
    "projectile weapon": "projectile-weapon",
    "poison weapon": "poison-weapon",
    "shield": "shield",
    "snooper": "snooper",
    "lasgun": "lasgun",
    "worthless": "worthless",
}


def opponent_of(game: Game, battle: BattleMoment, power: Faction) -> Faction | None:
    """Against whom a battle power of this faction works: its own opponent or its ally's; None in foreign battles."""
    if not game.plays(power):
        return None
    for fighter in battle.sides:
        if fighter == power or game.state.allied(power, fighter):
            return battle.opponent(fighter)
    return None


def question(game: Game, battle: BattleMoment) -> Question | None:
    """The Bene Gesserit's decision in this battle, if it is theirs to make."""
    target = opponent_of(game, battle, "bene-gesserit")
    if target is None or target in battle.committed:
        return None

    def check(order: Order) -> Refusal | None:
        if isinstance(order, Voice) and order.faction != target:
            why = f"In this battle the Voice speaks to {faction_name(target)}, not to {faction_name(order.faction)}."
            return Refusal(why, "AH.SHIELD.BG.3-a")
        return None

    def choices() -> list[Order]:
        commands = [Voice(target, kind, play) for kind in get_args(VoiceKind) for play in (True, False)]
        return [NoVoice(), *commands]

    about = {"territory": battle.territory, "target": target}
    return Asked("bene-gesserit", "voice", NoVoice(), check, choices, about=about)


def give(game: Game, battle: BattleMoment, order: Voice) -> None:
    """The command is spoken."""
    battle.voice, battle.voice_at = order, game.state.events
    game.tell("voice-given", target=order.faction, card=order.kind, play=order.play, territory=battle.territory)


def live(battle: BattleMoment, faction: Faction) -> Voice | None:
    """The command that binds this fighter, if there is one and no Karama has cancelled it."""
    voice = battle.voice
    return voice if voice and voice.faction == faction and "voice" not in battle.cancelled else None


def named_cards(game: Game, faction: Faction, voice: Voice) -> list[Card]:
    """The cards of the named kind in the faction's hand."""
    return [card for card in game.player(faction).hand if card_kind(card) == KINDS[voice.kind]]


def can_obey(game: Game, battle: BattleMoment, faction: Faction, voice: Voice) -> bool:
    """Whether the opponent can do as he is told (AH.SHIELD.BG.3-d): he can always leave a card out."""
    if not voice.play:
        return True
    return bool(named_cards(game, faction, voice)) and leaders.has_any(game, battle, faction)


def breach(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> Refusal | None:
    """Why a plan disobeys the Voice, or None."""
    voice = live(battle, faction)
    if voice is None:
        return None

    def obeys(cards: promised.Cards) -> bool:
        played = [card for card in cards if card and card_kind(card) == KINDS[voice.kind]]
        return any(game.holds(faction, card) for card in played) if voice.play else not played

    if obeys((plan.weapon, plan.defense)) or not can_obey(game, battle, faction, voice):
        return None
    if game.state.promises and promised.stands_against_voice(game, battle, faction, obeys):
        return None
    what = "a worthless card" if voice.kind == "worthless" else f"a {voice.kind}"
    if voice.play:
        held = ", ".join(dict.fromkeys(named_cards(game, faction, voice)))
        return Refusal(f"The Voice commands you to play {what}, and you can: {held}.", "AH.SHIELD.BG.3-a")
    return Refusal(f"The Voice forbids you to play {what}.", "AH.SHIELD.BG.3-a")
