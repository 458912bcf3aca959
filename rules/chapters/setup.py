"""The set-up: seats, traitors, spice, tokens, cards (AH.III, AH.SHIELD.*.START, WBC.III).

``opening_state`` returns the position before any decision: spice behind the shields, tokens with a printed starting
place on the board, all other tokens in reserve, and the decks in printed order. The flow of the phase shuffles and
deals the cards and asks the players.

If factions are drawn at random, they are drawn from all factions, or from the factions that the rule set suggests for
this number of players (GF9.SETUP.6 to 8). A game master who names the factions need not follow the suggestion, but can
name only factions in the box.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from rules.chapters import tech_tokens
from rules.components import (
    CHEAP_HERO_CARD,
    FACTION_FACTS,
    Faction,
    Forces,
    Leader,
    board,
    leaders_of,
    the_faction,
    traitor_owner,
    traitor_strength,
)
from rules.components.board import POLAR_SINK, STRONGHOLDS, TERRITORIES, TerritoryId, territory_of
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question, ask, ask_one
from rules.orders import ChooseTraitor, Order, Place
from rules.rulesets.options import Option, RuleSetError, number
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import (
    RuleSet,
    expansion_of,
    factions_of,
    hero_is_dealt,
    leaders_in,
    spice_deck,
    treachery_deck,
)
from rules.state.events import Facts
from rules.state.game import Game
from rules.state.state import NO_FORCES, Expansion, LeaderState, Player, State

MAX_TURNS = number("max_turns", range(1, 16))
EVERY_LEADER_IS_DEALT = Option("traitor_pool", {"all_leaders": True, "in_play_only": False})
ELITE_TOKENS = Option("starred_tokens", {"elite": True, "plain": False})
MOST_TRADED = 20
TRADED_SPICE: Mapping[Faction, Option[int]] = {
    faction: number(f"traded_spice_{faction.replace('-', '_')}", range(-MOST_TRADED, MOST_TRADED + 1), usual=0)
    for faction in FACTION_FACTS
}
"""The extra spice with which a faction starts after players have traded factions and spice (WBC.HR.1c). A negative
number means less spice."""


def _opponents(game: Game, faction: Faction, leaders: Sequence[Leader]) -> list[Leader]:
    owners = {leader: traitor_owner(leader) for leader in leaders}  # AH.III.E.2-c
    return [leader for leader, owner in owners.items() if owner is None or (owner != faction and game.plays(owner))]


def _opponents_else_own(game: Game, faction: Faction, leaders: Sequence[Leader]) -> list[Leader]:
    """Return the drawn leaders that belong to opponents. A player who drew none may keep a leader of their own, who is
    then safe from treachery (GF9.SETUP.12, GF9.SETUP.13)."""
    return _opponents(game, faction, leaders) or _any_played(game, faction, leaders)


def _any_played(game: Game, faction: Faction, leaders: Sequence[Leader]) -> list[Leader]:
    """Return the drawn leaders whose faction is in play, including the player's own leaders. Players who keep one of
    their own leaders make that leader safe from treachery (FAQ.TRAITORS.2)."""
    return [leader for leader in leaders if (owner := traitor_owner(leader)) is None or game.plays(owner)]


TO_BE_KEPT = Option(
    "traitor_pick", {"opponent_only": _opponents, "own_if_no_opponent": _opponents_else_own, "any_of_four": _any_played}
)
"""The drawn leaders from whom the player may choose a traitor."""
OWN_MAY_BE_KEPT = Option("traitor_pick", {"opponent_only": False, "own_if_no_opponent": True, "any_of_four": True})


def flow(game: Game) -> Flow:
    tell_seats(game)
    tech_tokens.at_the_start(game)
    shuffle_decks(game)
    for faction in game.order_of_play():
        yield from rules_of(game, faction).before_traitors(game)
    yield from choose_traitors(game)
    for faction in factions_with(game, FactionRules.after_traitors):
        yield from rules_of(game, faction).after_traitors(game)
    yield from place_tokens(game)
    held = {faction: len(player.hand) for faction, player in game.state.players.items()}
    for faction in game.order_of_play():
        yield from rules_of(game, faction).deals_cards(game)
    deal_treachery(game, held)


def tell_seats(game: Game) -> None:
    state = game.state
    game.tell(
        "game-set-up",
        ruleset=game.rules.name,
        seats={faction: player.dot for faction, player in state.players.items()},
        spice={faction: player.spice for faction, player in state.players.items()},
        forces=[
            [faction, area, str(forces)] for area, here in state.forces.items() for faction, forces in here.items()
        ],
    )


def shuffle_decks(game: Game) -> None:
    """Shuffle the decks that are still in printed order (AH.III.C-a)."""
    state = game.state
    if _in_printed_order(state.treachery_deck, treachery_deck(game.rules)):
        game.chance.shuffle("treachery-deck", state.treachery_deck)
    if _in_printed_order(state.spice_deck, spice_deck(game.rules)):
        game.chance.shuffle("spice-deck", state.spice_deck)


def _in_printed_order(deck: Sequence[str], printed: Sequence[str]) -> bool:
    places = [printed.index(card) for card in deck]
    return places == sorted(places)


# --- Traitors ----------------------------------------------------------------------------------------------------


def choose_traitors(game: Game) -> Flow:
    """Let every player keep one of four drawn leaders as a traitor. Harkonnen keep all four (AH.III.E.2, WBC.HR.7).
    Every player who draws is asked, even one who has no choice, because skipping that player would reveal something
    about the cards."""
    state = game.state
    draw_traitors(game)
    able = [faction for faction in state.players if FACTION_FACTS[faction].traitors_drawn]
    drawn = {faction: state.players[faction].dealt_traitors for faction in able}
    dealt: dict[Faction, Facts] = {faction: {"leaders": list(leaders)} for faction, leaders in drawn.items()}
    game.tell("traitors-drawn", private=dealt)
    answers = yield from ask(lambda: [TraitorQuestion(game, faction, leaders) for faction, leaders in drawn.items()])
    chosen: dict[Faction, Facts] = {}
    for faction, leaders in drawn.items():
        traitors = TO_BE_KEPT(game.rules)(game, faction, leaders)
        order = answers.of(faction)
        if not _keeps_all(faction) and isinstance(order, ChooseTraitor):
            traitors = [leader for leader in traitors if leader == order.leader]
        state.players[faction].traitors, state.players[faction].dealt_traitors = traitors, []
        chosen[faction] = {"traitors": list(traitors)}
    if not OWN_MAY_BE_KEPT(game.rules):
        game.tell("traitors-chosen", private=chosen)
        return
    for faction, facts in chosen.items():
        opponents = _opponents(game, faction, facts["traitors"])
        own = [leader for leader in facts["traitors"] if leader not in opponents]
        chosen[faction] = {"traitors": opponents, "own": own}
    game.tell("traitors-kept", private=chosen)


def draw_traitors(game: Game) -> None:
    """Draw leaders for all players who have none yet, each leader for only one player (AH.III.E.2-a)."""
    players = game.state.players.values()
    lying = {leader for player in players for leader in player.dealt_traitors}
    pool = [leader for leader in traitor_cards(game) if leader not in lying]
    game.chance.shuffle("traitors", pool)
    for player in players:
        if not player.dealt_traitors:
            number = FACTION_FACTS[player.faction].traitors_drawn
            player.dealt_traitors, pool = pool[:number], pool[number:]


def traitor_cards(game: Game) -> list[Leader]:
    """Return all cards from which traitors are dealt, in printed order. The card of the cheap heroes, if it is used,
    comes last (IT.TRAITOR.1)."""
    hero = [CHEAP_HERO_CARD] if hero_is_dealt(game.rules) else []
    return [*(leader for leader in leaders_in(game.rules) if in_traitor_pool(game, leader)), *hero]


def in_traitor_pool(game: Game, leader: Leader) -> bool:
    """Return whether the traitor cards include this leader (WBC.III.1). Leaders of an expansion are included only if
    their faction is played (IT.GEN.4)."""
    owner = traitor_owner(leader)
    if owner is None:
        return hero_is_dealt(game.rules)
    return game.plays(owner) or (EVERY_LEADER_IS_DEALT(game.rules) and not FACTION_FACTS[owner].expansion)


def _keeps_all(faction: Faction) -> bool:
    facts = FACTION_FACTS[faction]
    return facts.traitors_kept == facts.traitors_drawn


class TraitorQuestion(Question):
    kind = "traitor"

    def __init__(self, game: Game, faction: Faction, drawn: Sequence[Leader]) -> None:
        super().__init__(game, faction)
        self._drawn = drawn
        self._eligible = TO_BE_KEPT(game.rules)(game, faction, drawn)
        self.settled = _keeps_all(faction)

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, ChooseTraitor) or order.leader not in self._drawn:
            return Refusal(f"You drew {', '.join(self._drawn)}: choose one of them.", "setup.traitor-drawn")
        if order.leader not in self._answers:
            why = f"{order.leader} is not an opponent's leader; you can choose {', '.join(self._eligible)}."
            return Refusal(why, "setup.traitor-of-an-opponent")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := cls.never_legal(game, faction, order):
            return refusal
        if any(player.traitors for player in game.state.players.values()):
            return Refusal("The traitors have been chosen for the whole game.", "setup.traitors-fixed")
        if isinstance(order, ChooseTraitor) and not TO_BE_KEPT(game.rules)(game, faction, [order.leader]):
            return Refusal(f"{order.leader} is not an opponent's leader.", "setup.traitor-of-an-opponent")
        return None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if FACTION_FACTS[faction].traitors_drawn:
            return None
        return Refusal("You are dealt no traitor cards, so nobody is ever in your pay.", "setup.no-traitors")

    @property
    def _answers(self) -> Sequence[Leader]:
        """Return the leaders whom the player may name. A player without a choice may name any of the leaders, with the
        same effect."""
        return self._drawn if _keeps_all(self.faction) or not self._eligible else self._eligible

    @property
    def default(self) -> Order:
        opponents = _opponents(self.game, self.faction, self._answers)
        return ChooseTraitor(max(opponents or self._answers, key=traitor_strength))

    def samples(self) -> list[ChooseTraitor]:
        return [ChooseTraitor(leader) for leader in self._answers]

    @property
    def facts(self) -> Mapping[str, Any]:
        own = [leader for leader in self._eligible if traitor_owner(leader) == self.faction]
        keeps_all = _keeps_all(self.faction)
        return {"drawn": list(self._drawn), "eligible": self._eligible, "keeps_all": keeps_all, "own": own}


# --- Tokens and cards --------------------------------------------------------------------------------------------


def place_tokens(game: Game) -> Flow:
    """Place tokens: first the factions that start in given territories, then the factions that may start anywhere
    (WBC.III.4)."""
    for placement in PLACEMENTS:
        for faction in game.order_of_play():
            if placement.is_due(game, faction):
                order = yield from ask_one(placement(game, faction))
                if isinstance(order, Place):
                    _stand(game, faction, order)


def _stand(game: Game, faction: Faction, order: Place) -> None:
    for forces, area in order.groups:
        game.deploy(faction, forces, area)
    placed = [[str(forces), area] for forces, area in order.groups]
    game.tell("tokens-placed", faction=faction, groups=placed)
    for _, area in order.groups:
        rules_of(game, faction).was_placed(game, territory_of(area))


class PlacementQuestion(Question):
    topic: ClassVar[str]

    @classmethod
    def is_due(cls, game: Game, faction: Faction) -> bool:
        return not game.state.areas_of(faction)

    @classmethod
    def tokens(cls, faction: Faction) -> int:
        raise NotImplementedError

    @classmethod
    def place_refusal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not isinstance(order, Place):
            return Refusal("Say where to place your tokens.", cls.topic)
        among = FACTION_FACTS[faction].place_among
        total = NO_FORCES
        for forces, area in order.groups:
            total += forces
            if owner := TERRITORIES[territory_of(area)].owner:
                why = f"{board.area_name(area)} has no place yet; only tokens of {the_faction(owner)} can start inside."
                return Refusal(why, "setup.mobile-stronghold")
            if among and territory_of(area) not in among:
                names = ", ".join(TERRITORIES[territory].name for territory in among)
                return Refusal(f"{board.area_name(area)} is not one of your places: {names}.", cls.topic)
        wanted = cls.tokens(faction)
        if total.total != wanted:
            return Refusal(f"Place {Forces(wanted).in_words} in all, not {total.total}.", cls.topic)
        reserves = game.player(faction).reserves
        if not reserves.covers(total):
            return Refusal(f"You have {reserves.in_words} to place, not {total}.", cls.topic)
        return None

    def refusal(self, order: Order) -> Refusal | None:
        return self.place_refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        due = next((placement for placement in PLACEMENTS if placement.is_due(game, faction)), None)
        if due is None:
            return Refusal("You have no tokens to place now.", "setup.tokens-placed")
        return due.place_refusal(game, faction, order)

    @property
    def facts(self) -> Mapping[str, Any]:
        among = FACTION_FACTS[self.faction].place_among
        return {"tokens": self.tokens(self.faction), "territories": list(among)}


class GivenPlacesQuestion(PlacementQuestion):
    """Asks how tokens are divided among given territories. The default is the placement of WBC A-63."""

    kind = "fremen-placement"
    topic = "setup.given-places"

    @classmethod
    def is_due(cls, game: Game, faction: Faction) -> bool:
        return cls.tokens(faction) > 0 and super().is_due(game, faction)

    @classmethod
    def tokens(cls, faction: Faction) -> int:
        return FACTION_FACTS[faction].place_count

    @property
    def default(self) -> Place:
        silent = FACTION_FACTS[self.faction].place_default
        return Place(tuple((Forces(many), area) for area, many in silent.items()))

    def samples(self) -> list[Place]:
        facts, elite = FACTION_FACTS[self.faction], self.game.player(self.faction).reserves.elite
        all_of_them = Forces(facts.place_count - elite, elite)
        in_one = [Place(((all_of_them, TERRITORIES[territory].areas[-1]),)) for territory in facts.place_among]
        return [self.default, *in_one]


class AnyPlaceQuestion(PlacementQuestion):
    """Asks for the starting territory of tokens that may start anywhere. The default is the place printed on the
    board."""

    kind = "bg-placement"
    topic = "setup.any-place"

    @classmethod
    def is_due(cls, game: Game, faction: Faction) -> bool:
        return rules_of(game, faction).starts_anywhere(game.rules) and super().is_due(game, faction)

    @classmethod
    def tokens(cls, faction: Faction) -> int:
        return sum(forces.total for forces in FACTION_FACTS[faction].placed.values())

    @property
    def default(self) -> Place:
        placed = FACTION_FACTS[self.faction].placed
        return Place(tuple((forces, TERRITORIES[there].areas[0]) for there, forces in placed.items()))

    def samples(self) -> list[Place]:
        forces = Forces(self.tokens(self.faction))
        strongholds = [TERRITORIES[stronghold].areas[0] for stronghold in STRONGHOLDS]
        return [Place(((forces, area),)) for area in (POLAR_SINK, *strongholds)]


PLACEMENTS: tuple[type[PlacementQuestion], ...] = (GivenPlacesQuestion, AnyPlaceQuestion)


def deal_treachery(game: Game, held: Mapping[Faction, int]) -> None:
    """Deal one treachery card to each faction, but two to Harkonnen (AH.III.E.5, AH.SHIELD.HAR.2). ``held`` gives the
    number of cards that each faction held before the deal."""
    dealt: dict[Faction, Facts] = {}
    for faction in game.order_of_play():
        hand = game.player(faction).hand
        while len(hand) < FACTION_FACTS[faction].starting_cards and (card := game.draw_treachery()) is not None:
            hand.append(card)
        dealt[faction] = {"cards": hand[held[faction] :]}
    numbers = {faction: len(game.player(faction).hand) for faction in game.state.players}
    game.tell("cards-dealt", hands=numbers, private=dealt)


# --- The box -----------------------------------------------------------------------------------------------------


def all_forces(rules: RuleSet, faction: Faction) -> Forces:
    """Return the twenty tokens of a faction. Starred tokens count as ordinary ones, unless the rule set or the faction
    makes them elite."""
    forces = FACTION_FACTS[faction].forces
    return forces if ELITE_TOKENS(rules) or FACTION_FACTS[faction].elite_always else Forces(forces.total)


def opening_state(rules: RuleSet, seats: Mapping[Faction, int], factions: Mapping[Faction, FactionRules]) -> State:
    state = State({faction: Player(faction, dot) for faction, dot in sorted(seats.items(), key=lambda seat: seat[1])})
    state.treachery_deck = list(treachery_deck(rules))
    state.spice_deck = list(spice_deck(rules))
    if expansion_of(rules):
        state.expansion = Expansion()
    for faction, player in state.players.items():
        facts = FACTION_FACTS[faction]
        traded = TRADED_SPICE[faction](rules) if faction in TRADED_SPICE else 0
        player.spice = max(0, facts.spice + traded)
        player.reserves = all_forces(rules, faction)
        state.leaders.update((leader, LeaderState()) for leader in leaders_of(faction))
        if factions[faction].starts_anywhere(rules):
            continue  # their tokens are placed after those of the others
        for territory, placed in facts.placed.items():
            area = board.TERRITORIES[TerritoryId(territory)].areas[0]
            player.reserves -= placed
            state.forces[area] = {faction: placed}
    return state


QUESTIONS: tuple[type[Question], ...] = (TraitorQuestion, *PLACEMENTS)


def _everybody(rules: RuleSet, players: int) -> tuple[Faction, ...]:
    return factions_of(rules)


def _by_number(rules: RuleSet, players: int) -> tuple[Faction, ...]:
    found = tuple(id for id, facts in FACTION_FACTS.items() if 0 < facts.small_games_of <= players)
    return found if len(found) == players else factions_of(rules)


SUGGESTED = Option("player_count_suggestions", {"none": _everybody, "small_games": _by_number})

SUGGESTED_WITH_EXPANSION = Option("small_game_factions", {"none": False, "as_without": True})
"""True if the factions suggested for few players, none of them from an expansion, are also suggested in games with an
expansion (IT.GEN.7)."""


def dealt_factions(rules: RuleSet, players: int) -> tuple[Faction, ...]:
    if expansion_of(rules) and not SUGGESTED_WITH_EXPANSION(rules):
        return factions_of(rules)
    return SUGGESTED(rules)(rules, players)


def require_seats(rules: RuleSet, factions: Collection[Faction]) -> None:
    """Raise RuleSetError if a faction is not in the box, or if there are more factions than player dots (IT.GEN.2)."""
    known = factions_of(rules)
    for faction in factions:
        if faction not in known:
            facts = FACTION_FACTS[faction]
            raise RuleSetError(f"{facts.name} belong to an expansion; play with expansion = {facts.expansion}.")
    if len(factions) > len(board.DOTS):
        raise RuleSetError(f"A game has {len(board.DOTS)} seats; you named {len(factions)} factions.")
