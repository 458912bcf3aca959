"""The catalogue: everything that can be played, by name. A rule set chooses from it.

Lower layers consult their game's catalogue instead of importing the layers above: a chapter does not know which cards
exist, and a window does not know what may be played in it. ``rules.engine.catalogue`` fills the catalogue. Tests and
expansions derive a different catalogue from it.

Two functions that ask all factions are defined here as well, because every chapter needs them. ``serving_others``
returns the leaders who serve another faction for good (IT.GHOLA.3, IT.GHOLA.8). ``tokens_gone`` notifies factions that
tokens have left the board.
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
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game


@dataclass(frozen=True, slots=True)
class Stage:
    """One entry in the sequence of a turn. It consists of its phase, its flow, and the kinds of questions that the flow
    may ask. Gaps between phases, in which cards may be played, are stages of their own."""

    phase: PhaseName
    flow: Callable[[Game], Flow]
    questions: tuple[type[Question], ...] = ()


@dataclass(frozen=True, slots=True)
class AnytimePlay:
    """The handling of a card or power that may be played at any stop. Each class of such orders has one entry.

    - ``refusal`` returns why it cannot be played now.
    - ``carry_out`` is the flow that carries out its effect.
    - ``unseen`` returns whether other players must not notice the play (an offer to one player, or a Karama filed for
      later). Such a play is not part of a reaction window, because it would visibly reopen the window.
    - ``cards`` returns the number of the faction's cards that can be used for the play.
    - ``never_legal`` returns why the order is wrong in every position.
    - ``said_ahead`` returns the play that the faction has filed for a later moment, and ``take_back`` withdraws it.
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
    """The handling of an answer that may be given, and takes effect, before its question is asked. ``refusal`` returns
    why it cannot be given now; ``carry_out`` is the flow that carries out its effect."""

    refusal: Callable[[Game, Faction, Any], Refusal | None]
    carry_out: Callable[[Game, Faction, Any], Flow]


Hook = Callable[..., Any]
"""A method of ``FactionRules``, as that class defines it."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything that can be played.

    - ``offers`` returns the questions that are asked alongside those of every stop.
    - ``gaps`` names the places within the chapters at which cards are played, with the flows of these cards in order.
    - ``early`` holds the answers that may be given at any stop, before their question is asked.
    - ``options`` are all options that a chapter, a card or a faction reads.
    """

    stages: Mapping[str, Stage]
    factions: Mapping[Faction, FactionRules]
    plays: Mapping[type[Order], AnytimePlay]
    offers: Callable[[Game], Sequence[Question]]
    options: Sequence[Option[Any]] = ()
    gaps: Mapping[str, Sequence[Callable[[Game], Flow]]] = field(default_factory=dict)
    early: Mapping[type[Order], EarlyAnswer] = field(default_factory=dict)
    _own_answers: dict[Hook, frozenset[Faction]] = field(default_factory=dict, init=False, compare=False, repr=False)

    def factions_with(self, hook: Hook) -> frozenset[Faction]:
        found = self._own_answers.get(hook)
        if found is None:
            rooms = self.factions.items()
            found = frozenset(faction for faction, room in rooms if getattr(type(room), hook.__name__) is not hook)
            self._own_answers[hook] = found
        return found


def catalogue_of(game: Game) -> Catalogue:
    catalogue: Catalogue = game.rules.catalogue
    return catalogue


def catalogue_in(rules: RuleSet) -> Catalogue:
    catalogue: Catalogue = rules.catalogue
    return catalogue


def rules_of(game: Game, faction: Faction) -> FactionRules:
    catalogue: Catalogue = game.rules.catalogue
    return catalogue.factions[faction]


def factions_with(game: Game, hook: Hook) -> tuple[Faction, ...]:
    """Return the factions whose class overrides a hook, in the order of play: ``factions_with(game,
    FactionRules.after_battle)``. Only they need to be asked, because the default applies to all others."""
    only = game.only_able.get(hook)
    return only if only is not None else _able_in_order(game, hook)


def _able_in_order(game: Game, hook: Hook) -> tuple[Faction, ...]:
    """Return the factions whose class overrides a hook, in the order of play. The result is cached if there is at most
    one, because then the order cannot change."""
    own_answer = catalogue_of(game).factions_with(hook)
    able = tuple([faction for faction in game.order_of_play() if faction in own_answer])
    if len(able) < 2:
        game.only_able[hook] = able
    return able


def play_gap(game: Game, name: str) -> Flow:
    for flow in catalogue_of(game).gaps.get(name, ()):
        yield from flow(game)


# --- What may be played at any stop -----------------------------------------------------------------------------------


def check_play(game: Game, faction: Faction, order: Order) -> Refusal | None:
    play = catalogue_of(game).plays.get(type(order))
    if play is None:
        return Refusal("That cannot be played now.", "turn.plays-for-any-stop")
    return play.refusal(game, faction, order)


def carry_out_play(game: Game, faction: Faction, order: Order) -> Flow:
    return catalogue_of(game).plays[type(order)].carry_out(game, faction, order)


def is_unseen(game: Game, order: Order) -> bool:
    play = catalogue_of(game).plays.get(type(order))
    return play is not None and play.unseen(game, order)


def cards_for(game: Game, faction: Faction, order: Order) -> int:
    return catalogue_of(game).plays[type(order)].cards(game, faction)


TOKENS_REVERT_AT_ONCE = Option("bg_revert_when_alone", {"next_turn": False, "at_once": True})
"""True if tokens that stand apart change at once when they are left alone, instead of at the beginning of the next
turn."""
TOKENS_FLIP = Option("bg_presence_model", {"none": False, "coexistence": False, "advisor_fighter": True})
"""True if tokens keep their status from turn to turn until they flip."""


def tokens_gone(game: Game) -> None:
    """Notify the factions that need to know (``notices_departures``) that tokens have died or left. The chapters call
    this whenever that happens, even outside the movement round."""
    if not TOKENS_REVERT_AT_ONCE(game.rules) and not TOKENS_FLIP(game.rules):
        return
    for faction in factions_with(game, FactionRules.notices_departures):
        rules_of(game, faction).notices_departures(game)


def serving_others(game: Game) -> dict[Leader, Faction]:
    serving: dict[Leader, Faction] = {}
    for faction in factions_with(game, FactionRules.foreign_leaders):
        serving.update(dict.fromkeys(rules_of(game, faction).foreign_leaders(game), faction))
    return serving
