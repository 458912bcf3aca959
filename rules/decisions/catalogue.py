"""The catalogue: everything that can be played, by name, from which a rule set chooses.

The floors below ask the catalogue of their game instead of importing the floors above them: a chapter does not know
which cards there are, nor a window what may be played in it. ``rules.engine.catalogue`` fills it; a test or an
expansion makes another one of it.

Two questions to all factions stand here as well, because every chapter asks them: which leaders serve another faction
for good (``serving_others``; IT.GHOLA.3, IT.GHOLA.8), and who takes notice when tokens have gone (``tokens_gone``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rules.components import Faction, Leader
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question
from rules.orders import Order, PhaseName
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game


@dataclass(frozen=True, slots=True)
class Stage:
    """One entry of the sequence of a turn: the phase that it belongs to, its flow, and the kinds of decision that it
    may ask for. Gaps between phases in which cards may be played are stages of their own."""

    phase: PhaseName
    flow: Callable[[Game], Flow]
    questions: tuple[type[Question], ...] = ()


@dataclass(frozen=True, slots=True)
class AnytimePlay:
    """A card or power that may be played at any stop, by the form of its order.

    ``refusal`` says why it cannot be played now; ``carry_out`` is what it does. ``unseen``: nobody else may notice the
    play (an offer to one other player, a Karama that is only meant for later), so it takes no part in a reaction
    window: resolved there, it would open the window anew for all to see. ``cards`` is how many cards a faction holds
    that can make such a play. ``never_legal`` says what no position can make right. ``said_ahead`` is what a faction
    has filed to be played when its moment comes, and ``take_back`` forgets it.
    """

    refusal: Callable[[Game, Faction, Any], Refusal | None]
    carry_out: Callable[[Game, Faction, Any], Flow]
    unseen: Callable[[Game, Any], bool] = lambda game, order: False
    cards: Callable[[Game, Faction], int] = lambda game, faction: 0
    never_legal: Callable[[Game, Faction, Any], Refusal | None] = lambda game, faction, order: None
    said_ahead: Callable[[Game, Faction], Order | None] = lambda game, faction: None
    take_back: Callable[[Game, Faction], object] = lambda game, faction: None


@dataclass(frozen=True, slots=True)
class EarlyAnswer:
    """An answer that may be given, and takes effect, before its question is asked. ``refusal`` says why it cannot be
    given now, ``carry_out`` is what it brings about."""

    refusal: Callable[[Game, Faction, Any], Refusal | None]
    carry_out: Callable[[Game, Faction, Any], Flow]


Hook = Callable[..., Any]
"""A method of ``FactionRules``, as that class has it."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything that can be played. ``offers`` are the questions that stand beside those of every stop; ``gaps`` are
    the places within the chapters at which cards are played, each with the flows of its cards in their order;
    ``early`` are answers that may be given at any stop before their question is asked; ``options`` all options that a
    chapter, a card or a faction reads."""

    stages: Mapping[str, Stage]
    factions: Mapping[Faction, FactionRules]
    plays: Mapping[type[Order], AnytimePlay]
    offers: Callable[[Game], Sequence[Question]]
    options: Sequence[Option[Any]] = ()
    gaps: Mapping[str, Sequence[Callable[[Game], Flow]]] = field(default_factory=dict)
    early: Mapping[type[Order], EarlyAnswer] = field(default_factory=dict)
    _own_answers: dict[Hook, frozenset[Faction]] = field(default_factory=dict, init=False, compare=False, repr=False)

    def factions_with(self, hook: Hook) -> frozenset[Faction]:
        """The factions whose rooms answer a hook in a way of their own. It is looked up once for each hook."""
        found = self._own_answers.get(hook)
        if found is None:
            rooms = self.factions.items()
            found = frozenset(faction for faction, room in rooms if getattr(type(room), hook.__name__) is not hook)
            self._own_answers[hook] = found
        return found


def catalogue_of(game: Game) -> Catalogue:
    """The catalogue of a game."""
    catalogue: Catalogue = game.rules.catalogue
    return catalogue


def catalogue_in(rules: RuleSet) -> Catalogue:
    """The catalogue from which a rule set chooses."""
    catalogue: Catalogue = rules.catalogue
    return catalogue


def rules_of(game: Game, faction: Faction) -> FactionRules:
    """The rules of one faction of a game."""
    catalogue: Catalogue = game.rules.catalogue
    return catalogue.factions[faction]


def factions_with(game: Game, hook: Hook) -> tuple[Faction, ...]:
    """The factions that need to be asked a hook, in the order of play; all others answer it as somebody without that
    advantage: ``factions_with(game, FactionRules.after_battle)``."""
    only = game.only_able.get(hook)
    return only if only is not None else _able_in_order(game, hook)


def _able_in_order(game: Game, hook: Hook) -> tuple[Faction, ...]:
    """The factions whose rooms answer a hook in a way of their own, in the order of play. Most powers are one faction's
    at most: then there is no order, and nobody joins a game or leaves it, so the answer is kept."""
    own_answer = catalogue_of(game).factions_with(hook)
    able = tuple([faction for faction in game.order_of_play() if faction in own_answer])
    if len(able) < 2:
        game.only_able[hook] = able
    return able


def play_gap(game: Game, name: str) -> Flow:
    """A gap within a chapter: whatever cards of this game are played there, one after the other."""
    for flow in catalogue_of(game).gaps.get(name, ()):
        yield from flow(game)


# --- What may be played at any stop -----------------------------------------------------------------------------------


def check_play(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Why this cannot be played now, or None."""
    play = catalogue_of(game).plays.get(type(order))
    if play is None:
        return Refusal("That cannot be played now.", "turn.plays-for-any-stop")
    return play.refusal(game, faction, order)


def carry_out_play(game: Game, faction: Faction, order: Order) -> Flow:
    """Carry out a legal play."""
    return catalogue_of(game).plays[type(order)].carry_out(game, faction, order)


def is_unseen(game: Game, order: Order) -> bool:
    """Whether the order is a play that nobody else may notice."""
    play = catalogue_of(game).plays.get(type(order))
    return play is not None and play.unseen(game, order)


def cards_for(game: Game, faction: Faction, order: Order) -> int:
    """How many cards the faction holds that can make such a play."""
    return catalogue_of(game).plays[type(order)].cards(game, faction)


TOKENS_REVERT_AT_ONCE = Option("bg_revert_when_alone", {"next_turn": False, "at_once": True})
"""Whether tokens that stand apart and are left alone change at once, not only when the next turn begins."""
TOKENS_FLIP = Option("bg_presence_model", {"none": False, "coexistence": False, "advisor_fighter": True})
"""Whether tokens stay what they are over the turns, until they flip."""


def tokens_gone(game: Game) -> None:
    """Tell the factions that take notice of it that tokens have died or gone. Called after each such change, outside
    the movement round too."""
    if not TOKENS_REVERT_AT_ONCE(game.rules) and not TOKENS_FLIP(game.rules):
        return
    for faction in factions_with(game, FactionRules.notices_departures):
        rules_of(game, faction).notices_departures(game)


def serving_others(game: Game) -> dict[Leader, Faction]:
    """The leaders who serve another faction than their own, each with whom they serve."""
    serving: dict[Leader, Faction] = {}
    for faction in factions_with(game, FactionRules.foreign_leaders):
        serving.update(dict.fromkeys(rules_of(game, faction).foreign_leaders(game), faction))
    return serving
