"""Reaction windows, and the Karama that is played in them.

A window is a stop for all players, because only hidden cards decide who can act. It is held whenever there is a public
reason for it, whether or not anybody holds a card, and everybody is asked in the same way (``docs/architecture.md``,
"What nobody may notice"). It is skipped only if *public* facts show that no play is possible. All plays of one window
are simultaneous: the play of the first player in the order of play is carried out alone, and the others wait until the
window opens again. The window closes when nobody plays anything more (WBC.MISC.5). Players who play several cards in
one window play them in the order written. An accepted play that is still legal is carried out, even if an earlier play
has removed the reason for the window.

This module contains the Karama rules that the chapters need: the effects in the rule set, the cards that can serve as a
Karama, the discard of such a card, and the reply to a worthless card played as a Karama (AH.AID.KARAMA,
AH.SHIELD.BG.KARAMA, WBC.AID.26). The effects are defined in ``rules.cards.karama`` and its sibling modules. Each of
them is an ``Effect``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rules.components import KARAMA, Card, Faction
from rules.decisions.catalogue import cards_for, carry_out_play, check_play, rules_of
from rules.decisions.question import Answers, Flow, Question, Stop, ask
from rules.orders import ANSWERS, Karama, Key, NoKarama, Order
from rules.rulesets.options import Option, switch
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet, expansion_of
from rules.state.game import Game


def karama_may_exist(game: Game) -> bool:
    discard = game.state.treachery_discard
    if discard.count(KARAMA) < 2:
        return True
    return any(
        card not in discard for faction in game.state.players for card in rules_of(game, faction).serve_as_karama(game)
    )


def window(game: Game, why: str, ground: Callable[[], bool] = lambda: True, **about: Any) -> Flow:
    """Keep a Karama window open for every player as long as ``ground`` returns true. ``ground`` may depend only on
    public facts. ``why`` names the occasion ("voice", "free-card", ...); the question is worded from ``why`` and
    ``about``."""
    return _held(game, {"why": why, **about}, lambda: ground() and karama_may_exist(game))


def card_window(game: Game, why: str, card: Card, play: Order, ground: Callable[[], bool], **about: Any) -> Flow:
    """Keep a window open for a card other than a Karama, as long as ``ground`` returns true and somebody may hold the
    card. ``play`` is the order that plays the card; the question is worded from ``why`` and ``about``."""

    def held() -> bool:
        return ground() and card not in game.state.treachery_discard

    return _held(game, {"why": why, **about}, held, play)


def _held(game: Game, facts: Mapping[str, Any], is_held: Callable[[], bool], play: Order | None = None) -> Flow:
    pending: dict[Key, tuple[Order, ...]] = {}

    def build() -> list[Question]:
        held = is_held()
        if not held and not pending:
            return []
        questions: list[Question] = [ReactionWindow(game, faction, facts, play) for faction in game.order_of_play()]
        if held:
            return questions
        for question in questions:
            question.beside = True
        return [question for question in questions if question.key in pending]

    while True:
        plays = _plays(game, (yield from ask(build, pending)))
        if not plays:
            return
        (first, order), *others = plays
        yield from carry_out_play(game, first, order)
        pending = _by_question([(who, play) for who, play in others if check_play(game, who, play) is None])


def _plays(game: Game, answers: Answers) -> list[tuple[Faction, Order]]:
    seats = game.order_of_play()
    plays = [play for play in answers.each() if type(play[1]) not in ANSWERS]
    return sorted(plays, key=lambda play: seats.index(play[0]))


def _by_question(plays: Sequence[tuple[Faction, Order]]) -> dict[Key, tuple[Order, ...]]:
    by_question: dict[Key, tuple[Order, ...]] = {}
    for faction, play in plays:
        key: Key = (faction, "karama-window", "")
        by_question[key] = (*by_question.get(key, ()), play)
    return by_question


class ReactionWindow(Question):
    """Asks everybody whether they play a card in reaction to the latest event. ``play`` is the order that plays the
    card for which the window is open; None means any Karama."""

    kind = "karama-window"
    blanket = True
    default = NoKarama()

    def __init__(self, game: Game, faction: Faction, facts: Mapping[str, Any], play: Order | None = None) -> None:
        super().__init__(game, faction)
        self._facts = facts
        self.play = play

    def refusal(self, order: Order) -> Refusal | None:
        return None if isinstance(order, NoKarama) else check_play(self.game, self.faction, order)

    def samples(self) -> Sequence[Order]:
        return [NoKarama()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return self._facts

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        """Return whether both plays apply: they use different kinds of cards, or the faction holds more than one such
        card."""
        if isinstance(earlier, NoKarama) or isinstance(later, NoKarama) or earlier == later:
            return False
        return type(earlier) is not type(later) or cards_for(self.game, self.faction, later) > 1


EFFECTS_OF_1979 = frozenset({
    "cancel voice", "cancel prescience", "cancel kwisatz haderach", "cancel sardaukar", "cancel fedaykin",
    "cancel advisor", "cancel worm", "cancel free card", "cancel capture", "cancel karama", "cancel fremen support",
    "half shipping", "free card purchase", "guild in turn", "block spice card", "block bidding cards", "worm", "revive",
    "see plan", "stop shipment", "take cards",
})  # fmt: skip
"""The Karama effects on the Player Aid Pad and the shields of 1979, and those added by the WBC rules
(AH.AID.KARAMA)."""

EFFECTS_OF_2019 = (EFFECTS_OF_1979 - {"cancel fremen support"}) | {
    "cancel card payment", "cancel gift", "cancel extra revival", "cancel fremen move", "cancel charity", "cancel flip",
    "cancel guild shipment", "cancel half rate", "cancel shipping payment", "cancel ally rate", "cancel ally traitor",
    "cancel storm card",
}  # fmt: skip
"""The Karama effects in the questions and answers of the 2019 edition (FAQ.KARAMA-ATR to FAQ.KARAMA-HAR)."""

EFFECTS_ON_ALLIANCES = frozenset({"cancel gift", "cancel extra revival", "cancel ally rate", "cancel ally traitor"})
"""Effects against help for an ally (FAQ.KARAMA.7)."""

EFFECTS_ON_IXIANS = frozenset(
    {
        "cancel auction look",
        "cancel cyborg speed",
        "cancel cyborgs",
        "cancel exchange",
        "cancel hms move",
        "cancel redraw",
        "cancel technology",
    }
)
"""Effects against the Ixians (FAQ.KARAMA-IXI.1 to FAQ.KARAMA-IXI.7)."""

EFFECTS_ON_TLEILAXU = frozenset(
    {
        "cancel dancer swap",
        "cancel raised limits",
        "cancel half price",
        "cancel revival payment",
        "cancel early revival",
        "cancel ghola",
    }
)
"""Effects against the Tleilaxu (FAQ.KARAMA-TLE.1 to FAQ.KARAMA-TLE.6)."""

EFFECTS_OF_EXPANSION = EFFECTS_ON_IXIANS | EFFECTS_ON_TLEILAXU | {"hms", "stop revival", "cancel token payment"}
"""Effects that are available only in games in which the Ixians and Tleilaxu can be played."""

KARAMA_EFFECTS: Option[Collection[str]] = Option(
    "karama_cancel_list", {"ah_pad": EFFECTS_OF_1979, "gf9_list": EFFECTS_OF_2019}
)
EVERY_ALLIANCE_POWER = Option("karama_vs_alliance_powers", {"no": False, "worm_and_support_only": False, "yes": True})
IXIANS_HAVE_TECHNOLOGY = switch("technology")
TLEILAXU_HAVE_GHOLAS = switch("tleilaxu_gholas")
KARAMA_AGAINST_CYBORGS = Option("karama_vs_cyborgs", {"basic_only": False, "both": True})
"""True if a Karama removes the double value of Cyborgs even in games in which strength is paid for (IT.FORCE.9)."""
KARAMA_AGAINST_TECH_TOKENS = Option("karama_vs_tokens", {"no": False, "yes": True})
"""True if a Karama stops the payment of a tech token (IT.TECH.20)."""
STRENGTH_IS_PAID = Option("combat_model", {"tokens": False, "spice_supported": True})
EMPERORS_INCOME = Option("karama_vs_emperor_income", {"no": False, "yes": True})


def karama_can(rules: RuleSet, effect: str) -> bool:
    if effect in EFFECTS_OF_EXPANSION:
        return bool(expansion_of(rules)) and not _has_no_object(rules, effect)
    if effect == "cancel card payment" and not EMPERORS_INCOME(rules):
        return False
    if effect in EFFECTS_ON_ALLIANCES and not EVERY_ALLIANCE_POWER(rules):
        return False
    return effect in KARAMA_EFFECTS(rules)


def _has_no_object(rules: RuleSet, effect: str) -> bool:
    if effect == "cancel cyborgs":
        return STRENGTH_IS_PAID(rules) and not KARAMA_AGAINST_CYBORGS(rules)
    if effect == "cancel ghola":
        return not TLEILAXU_HAVE_GHOLAS(rules)
    if effect == "cancel token payment":
        return not KARAMA_AGAINST_TECH_TOKENS(rules)
    return effect == "cancel technology" and not IXIANS_HAVE_TECHNOLOGY(rules)


def uncommitted_cards(game: Game, faction: Faction) -> list[Card]:
    hand = list(game.player(faction).hand)
    battle = game.moments.battle
    for card in battle.committed_cards(faction) if battle else ():
        if card in hand:
            hand.remove(card)
    return hand


def karama_cards(game: Game, faction: Faction) -> list[Card]:
    return rules_of(game, faction).karama_cards(game, uncommitted_cards(game, faction))


def karama_card(game: Game, faction: Faction, wanted: Card | None = None) -> Card | None:
    able = karama_cards(game, faction)
    return wanted if wanted in able else next(iter(able), None)


def put_down_karama(
    game: Game, faction: Faction, effect: str, wanted: Card | None = None
) -> Generator[Stop, None, bool]:
    card = spend_karama(game, faction, effect, wanted)
    if card == KARAMA:
        return True
    moments = game.moments
    before = moments.worthless_played_by, moments.karama_cancelled  # of the card that this one accompanies
    moments.worthless_played_by, moments.karama_cancelled = faction, False
    yield from window(game, "worthless-karama", lambda: not moments.karama_cancelled, by=faction)
    cancelled = moments.karama_cancelled
    moments.worthless_played_by, moments.karama_cancelled = before
    if cancelled:
        game.tell("karama-cancelled", faction=faction, effect=effect)
    return not cancelled


def spend_karama(game: Game, faction: Faction, effect: str, wanted: Card | None = None) -> Card:
    """Discard the card that serves as a Karama, and announce it. Raise ValueError if the faction has no such card."""
    card = karama_card(game, faction, wanted)
    if card is None:
        raise ValueError(f"{faction} holds no Karama")
    game.discard(faction, card)
    game.tell("karama-played", faction=faction, card=card, effect=effect)
    return card


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect that a Karama can have.

    - ``check`` returns why the effect is not available now. The player's hand is checked elsewhere.
    - ``play`` is the flow that carries out the effect.
    - ``spent_later`` means that the card is only announced now, and discarded when the effect takes place.
    - ``unseen`` returns whether the effect is still to come, so that other players must not notice the play.
    - ``only_refusal`` is the refusal for factions that do not have this effect because it is another faction's special
      power (AH.XVII.A). It is None if every faction has the effect.
    - ``never_legal`` returns any other reason why the order is wrong in every position.
    """

    check: Callable[[Game, Faction, Karama], Refusal | None]
    play: Callable[[Game, Faction, Karama], Flow]
    spent_later: bool = False
    unseen: Callable[[Game], bool] = lambda game: False
    only_refusal: Refusal | None = None
    never_legal: Callable[[Game, Faction, Karama], Refusal | None] = lambda game, faction, order: None
