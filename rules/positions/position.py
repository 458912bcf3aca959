"""Positions written down: the ``[start]`` of a ruling becomes a game that stands at the start of a phase.

What is left out is nothing: no spice, no cards, no tokens, leaders alive and at home; only in ``setup`` is it what the
set-up gives. What is written must be a position that a game could come to. Nothing is mended silently: an unknown name,
a card in two places, a twenty-first token or a second holder of a leader is a ``PositionError`` that says where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from rules.chapters.battle.kwisatz_haderach import WAITS_FOR_NEXT_TURN
from rules.chapters.setup import MAX_TURNS, OWN_MAY_BE_KEPT, all_forces, in_traitor_pool
from rules.chapters.spice_blow.blow import BLOWS
from rules.chapters.spice_blow.nexus import ALLIANCES, LARGEST
from rules.chapters.storm import EVERY_STORM_DIALLED, city_holders
from rules.components import (
    CHEAP_HERO_CARD,
    FACTION_FACTS,
    FACTIONS,
    KWISATZ_HADERACH_LOSSES,
    LEADERS,
    SANDTROUT,
    Card,
    Faction,
    Leader,
    board,
    faction_name,
    traitor_owner,
)
from rules.components.board import TerritoryId
from rules.components.chance import Chance
from rules.decisions.catalogue import catalogue_of, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.never_legal import may_be_asked
from rules.engine.play import Play
from rules.engine.rule_sets import load_rule_set
from rules.engine.turn import opening_state
from rules.factions.bene_gesserit.models import PRESENCE
from rules.orders import PhaseName
from rules.positions import expansion
from rules.positions.tables import PositionError, Table
from rules.rulesets.box import cards_in, factions_of, hero_is_dealt, leaders_in, spice_deck, treachery_deck
from rules.rulesets.options import RuleSetError
from rules.rulesets.ruleset import RuleSet, require_playable
from rules.state.game import Game
from rules.state.state import NONE, Player, Prediction, State

FAMILY_ATOMICS = Card("Family Atomics")

START_KEYS = (
    "turn", "phase", "storm", "factions", "dots", "shield_wall", "worms_seen", "next_storm", "alliances",
    "treachery_deck", "treachery_discard", "spice_deck", "spice_discard", "rng", "faction", "spice", "last_turn",
    *expansion.START_KEYS,
)  # fmt: skip
FACTION_KEYS = (
    "spice", "hand", "traitors", "reserves", "tanks", "forces", "dead_leaders", "twice_dead", "captured", "ally_of",
    "lost_in_battle", "kwisatz_haderach", "prediction", "coexisting", "dealt_traitors",
    *expansion.FACTION_KEYS,
)  # fmt: skip
KWISATZ_HADERACH_STATES = ("locked", "ready", "used", "dead")


@dataclass(frozen=True, slots=True)
class Position:
    """A game that stands at the start of a phase, of which nothing has happened yet."""

    rules: RuleSet
    seed: str
    state: State

    def play(self) -> Play:
        """The game in play, between two phases: ``begin_phase(state.phase)`` opens the first."""
        return Play(self.rules, self.seed, self.state)


def position(document: Mapping[str, Any]) -> Position:
    """The position that a ruling begins with: its ``ruleset``, ``[options]`` and ``[start]``.

    >>> position({"start": {"phase": "charity", "factions": ["guild"]}}).state.players["guild"].spice
    0
    """
    rules = _rules(document)
    start = Table("[start]", Table("the ruling", document).table("start").values, START_KEYS)
    phase = cast(PhaseName, start.word("phase", None, [name for name in get_args(PhaseName) if name != "over"]))
    seed = start.text("rng", "mentat")
    state = opening_state(rules, _seats(start, rules))
    if phase != "setup":
        _clear(state)
    state.phase = phase
    state.turn = start.number("turn", 1, 1, MAX_TURNS(rules))
    state.last_turn = start.number("last_turn", 0, 0, MAX_TURNS(rules))
    if phase == "setup" and state.turn != 1:
        raise start.wrong("turn", "the set-up belongs to turn 1")
    _read_board(start, rules, state)
    game = Game(rules, seed, state)
    players = _read_players(start, game)
    expansion.read_start(start, game, players)
    _read_alliances(start, players, rules, state)
    state.old_alliances = list(state.alliances)
    _read_treachery(start, rules, state, seed)
    _read_spice_cards(start, rules, state, seed)
    state.ornithopters = city_holders(game)
    return Position(rules, seed, state)


def _rules(document: Mapping[str, Any]) -> RuleSet:
    ruling = Table("the ruling", document)
    try:
        rules = load_rule_set(ruling.text("ruleset", "wbc-2018"))
        rules = rules.with_options(ruling.table("options").values)
        require_playable(rules)
    except RuleSetError as error:
        raise PositionError(str(error)) from error
    return rules


def _seats(start: Table, rules: RuleSet) -> dict[Faction, int]:
    factions = start.words("factions", factions_of(rules)) if "factions" in start.values else list(FACTIONS)
    if not factions:
        raise start.wrong("factions", "a game needs a player")
    if len(factions) > len(board.DOTS):
        raise start.wrong("factions", f"a game has {len(board.DOTS)} seats")
    dots = start.table("dots", factions)
    seats = {f: dots.number(f, None, 1, board.SECTORS) for f in dots.values}
    for faction, dot in seats.items():
        if dot not in board.DOTS:
            raise dots.wrong(faction, f"the player dots lie in the sectors {', '.join(map(str, board.DOTS))}")
    if len(set(seats.values())) < len(seats):
        raise start.wrong("dots", "two players cannot sit at one dot")
    free = [dot for dot in board.DOTS if dot not in seats.values()]
    return {f: seats[f] if f in seats else free.pop(0) for f in factions}


def _clear(state: State) -> None:
    """Take away what the set-up gives."""
    state.forces = {}
    for player in state.players.values():
        player.spice = 0
        player.reserves = NONE


# --- The board ---------------------------------------------------------------------------------------------------


def _read_board(start: Table, rules: RuleSet, state: State) -> None:
    state.storm = start.number("storm", board.STORM_START, 1, board.SECTORS)
    state.shield_wall = start.truth("shield_wall", True)
    state.worms_seen = start.number("worms_seen", 0, 0, 99)
    if "next_storm" in start.values:
        if EVERY_STORM_DIALLED(rules):
            raise start.wrong("next_storm", "this rule set has no storm marker")
        state.next_storm = start.number("next_storm", 0, min(board.STORM_MARKERS), max(board.STORM_MARKERS))
    spice = start.table("spice")
    for text in spice.values:
        area = spice.spice_area(text)
        if board.TERRITORIES[board.territory_of(area)].spice_area != area:
            raise spice.wrong(text, "no spice blows there")
        amount = spice.number(text, 0, 0, 999)
        if amount:
            state.spice[area] = amount


# --- The players -------------------------------------------------------------------------------------------------


def _read_players(start: Table, game: Game) -> dict[Faction, Table]:
    state = game.state
    tables = start.table("faction", list(state.players))
    players: dict[Faction, Table] = {}
    for name in tables.values:
        faction = name
        players[faction] = Table(f"[start.faction.{faction}]", tables.table(faction).values, FACTION_KEYS)
    serving = expansion.in_service(players)
    for faction, table in players.items():
        player = state.players[faction]
        player.spice = table.number("spice", player.spice, 0, 999)
        player.traitors = _traitors(table, game.rules, faction)
        player.dealt_traitors = _dealt_traitors(table, game, faction)
        _read_forces(table, game.rules, state, player)
        _read_leaders(table, game, player, serving)
        _read_kwisatz_haderach(table, game, faction)
        _read_prediction(table, game, faction)
    for faction, table in players.items():
        _read_coexistence(table, game, faction)
    _check_leaders(players, state)
    return players


def _traitor_names(rules: RuleSet) -> list[Leader]:
    return [*leaders_in(rules), *([CHEAP_HERO_CARD] if hero_is_dealt(rules) else [])]


def _traitors(table: Table, rules: RuleSet, faction: Faction) -> list[Leader]:
    traitors = [cast(Leader, name) for name in table.words("traitors", _traitor_names(rules))]
    most = FACTION_FACTS[faction].traitors_kept
    if len(traitors) > most:
        raise table.wrong("traitors", f"{faction_name(faction)} can have {most} in their pay")
    for leader in traitors:
        if traitor_owner(leader) == faction and not OWN_MAY_BE_KEPT(rules):
            raise table.wrong("traitors", f"{leader} is a leader of {faction_name(faction)} itself")
    return traitors


def _dealt_traitors(table: Table, game: Game, faction: Faction) -> list[Leader]:
    dealt = [cast(Leader, name) for name in table.words("dealt_traitors", _traitor_names(game.rules))]
    if dealt and game.state.phase != "setup":
        raise table.wrong("dealt_traitors", "they are chosen from in the set-up")
    if len(dealt) > FACTION_FACTS[faction].traitors_drawn:
        raise table.wrong("dealt_traitors", f"everybody draws {FACTION_FACTS[faction].traitors_drawn}")
    for leader in dealt:
        if any(leader in other.dealt_traitors for other in game.state.players.values()):
            raise table.wrong("dealt_traitors", f"{leader} is dealt twice")
        if not in_traitor_pool(game, leader):
            raise table.wrong("dealt_traitors", f"{leader} is not dealt in this game")
    return dealt


def _read_forces(table: Table, rules: RuleSet, state: State, player: Player) -> None:
    faction = player.faction
    player.reserves = table.forces("reserves", player.reserves)
    player.tanks = table.forces("tanks", player.tanks)
    if "forces" in table.values:
        for here in state.forces.values():
            here.pop(faction, None)
        forces = table.table("forces")
        for text in forces.values:
            area = forces.area(text)
            there = state.forces.setdefault(area, {})
            if faction in there:
                raise forces.wrong(text, "this area is named twice")
            there[faction] = forces.forces(text, NONE)
        state.forces = {
            area: left
            for area, here in state.forces.items()
            if (left := {owner: tokens for owner, tokens in here.items() if tokens})
        }
    named = player.reserves + player.tanks
    for _, tokens in state.areas_of(faction):
        named += tokens
    box = all_forces(rules, faction)
    if named.total > box.total:
        raise table.wrong("forces", f"these are {named.total} tokens, and {faction_name(faction)} has {box.total}")
    if named.elite > box.elite:
        has = f"has {box.elite} elite tokens in this rule set" if box.elite else "has no elite tokens in this rule set"
        raise table.wrong("forces", f"these are {named.elite} elite tokens, and {faction_name(faction)} {has}")


def _names_of_those_with(game: Game, has_power: Callable[[FactionRules], bool]) -> str:
    """The names of the factions that have a power in this rule set, whether they are played or not; empty where none
    has it."""
    return " and ".join(faction_name(f) for f, rules in catalogue_of(game).factions.items() if has_power(rules))


def _read_leaders(table: Table, game: Game, player: Player, serving: Mapping[str, Faction]) -> None:
    state = game.state
    own = [name for name, facts in LEADERS.items() if facts.faction == player.faction]
    for key, deaths in (("dead_leaders", 1), ("twice_dead", 2)):
        for name in table.words(key, own):
            leader = state.leaders[cast(Leader, name)]
            if leader.deaths:
                raise table.wrong(key, f"{name} is named twice")
            leader.deaths = deaths
            leader.status = "dead" if deaths == 1 else "face-down"
    captured = table.table("captured", leaders_in(game.rules))
    if captured.values and not rules_of(game, player.faction).takes_captives(game):
        captors = _names_of_those_with(game, lambda rules: rules.takes_captives(game))
        why = f"only {captors} capture leaders" if captors else "in this rule set nobody captures leaders"
        raise table.wrong("captured", why)
    for name in captured.values:
        owner = LEADERS[cast(Leader, name)].faction
        held_from = serving.get(name, owner)  # a ghola is taken from whom they serve
        if captured.word(name, None, factions_of(game.rules)) not in (owner, held_from):
            raise captured.wrong(name, f"that leader belongs to {faction_name(owner)}")
        if owner == player.faction:
            raise captured.wrong(name, f"that is a leader of {faction_name(owner)} itself")
        if owner not in state.players:
            raise captured.wrong(name, f"{faction_name(owner)} is not played here")
        player.captured[cast(Leader, name)] = held_from


def _check_leaders(players: Mapping[Faction, Table], state: State) -> None:
    """A captive is alive, and a leader in the pay of one player at most."""
    paymasters: dict[Leader, Faction] = {}
    for faction, table in players.items():
        for leader in state.players[faction].captured:
            if state.leaders[leader].status != "ready":
                raise table.wrong("captured", f"{leader} is in the tanks")
        for leader in state.players[faction].traitors:
            if leader in paymasters:
                raise table.wrong("traitors", f"{leader} is in the pay of {faction_name(paymasters[leader])} already")
            paymasters[leader] = faction


def _read_kwisatz_haderach(table: Table, game: Game, faction: Faction) -> None:
    if not rules_of(game, faction).has_kwisatz_haderach(game):
        for key in ("lost_in_battle", "kwisatz_haderach"):
            if key in table.values:
                who = _names_of_those_with(game, lambda rules: rules.has_kwisatz_haderach(game))
                raise table.wrong(key, f"{f'only {who} have a' if who else 'this rule set has no'} Kwisatz Haderach")
        return
    lost = table.number("lost_in_battle", 0, 0, 999)
    awake = lost >= KWISATZ_HADERACH_LOSSES
    word = table.word("kwisatz_haderach", "ready" if awake else "locked", KWISATZ_HADERACH_STATES)
    if "lost_in_battle" not in table.values and word != "locked":
        lost, awake = KWISATZ_HADERACH_LOSSES, True
    still_to_come = awake and word == "locked" and WAITS_FOR_NEXT_TURN(game.rules)
    if awake != (word != "locked") and not still_to_come:
        raise table.wrong("kwisatz_haderach", f"it wakes when {KWISATZ_HADERACH_LOSSES} tokens were lost in battle")
    game.state.lost_in_battle = lost
    game.state.kwisatz_haderach = cast(Any, word)


def _read_prediction(table: Table, game: Game, faction: Faction) -> None:
    if "prediction" not in table.values:
        return
    if not may_be_asked(game, faction, "prediction"):
        who = _names_of_those_with(game, lambda rules: may_be_asked(game, rules.faction, "prediction"))
        raise table.wrong("prediction", f"that is a matter of the {who}")
    prediction = Table(f"{table.where} prediction", table.table("prediction").values, ("faction", "turn"))
    named = prediction.word("faction", None, [other for other in game.state.players if other != faction])
    turn = prediction.number("turn", None, 1, MAX_TURNS(game.rules))
    game.state.prediction = Prediction(named, turn)


def _read_coexistence(table: Table, game: Game, faction: Faction) -> None:
    territories = [cast(TerritoryId, name) for name in table.words("coexisting", board.TERRITORIES)]
    if not rules_of(game, faction).may_coexist(game):
        if territories:
            who = _names_of_those_with(game, lambda rules: rules.may_coexist(game))
            why = f"that is a matter of the {who}" if who else "this rule set has no coexistence"
            raise table.wrong("coexisting", why)
        return
    for territory in territories:
        if faction not in game.state.forces_in(territory):
            raise table.wrong("coexisting", f"they have no token in {board.TERRITORIES[territory].name}")
    PRESENCE(game.rules).begins_with(game, faction, territories)


def _read_alliances(start: Table, players: Mapping[Faction, Table], rules: RuleSet, state: State) -> None:
    groups = [list(group) for group in start.groups("alliances", list(state.players))]
    for faction, table in players.items():
        ally = table.word("ally_of", "", ["", *(other for other in state.players if other != faction)])
        if ally and not any(faction in group and ally in group for group in groups):
            groups.append([faction, ally])
    members = [member for group in groups for member in group]
    if twice := [member for member, times in Counter(members).items() if times > 1]:
        raise start.wrong("alliances", f"{faction_name(twice[0])} cannot be in two alliances")
    for group in groups:
        if len(group) < 2:
            raise start.wrong("alliances", "an alliance has two members or more")
        if LARGEST(rules) and len(group) > LARGEST(rules):
            if len(group) > 3 or len(state.players) < len(board.DOTS):
                raise start.wrong("alliances", f"an alliance has at most {LARGEST(rules)} members")
            state.triple_alliances = True
    if groups and not ALLIANCES(rules):
        raise start.wrong("alliances", "this rule set has no alliances")
    state.alliances = [tuple(group) for group in groups]


# --- The cards ---------------------------------------------------------------------------------------------------


def _read_treachery(start: Table, rules: RuleSet, state: State, seed: str) -> None:
    players = start.table("faction")
    named: Counter[str] = Counter()
    for player in state.players.values():
        table = Table(f"[start.faction.{player.faction}]", players.table(player.faction).values)
        player.hand = [cast(Card, card) for card in table.words("hand", cards_in(rules), twice=True)]
        limit = FACTION_FACTS[player.faction].hand_limit
        if len(player.hand) > limit:
            raise table.wrong("hand", f"{faction_name(player.faction)} can hold {limit} cards")
        named.update(player.hand)
        named.update(table.words("dealt_cards", cards_in(rules), twice=True))
    deck = [cast(Card, card) for card in start.words("treachery_deck", cards_in(rules), twice=True)]
    state.treachery_discard = [
        cast(Card, card) for card in start.words("treachery_discard", cards_in(rules), twice=True)
    ]
    named.update(deck)
    named.update(state.treachery_discard)
    if not state.shield_wall:
        if FAMILY_ATOMICS in named:
            raise start.wrong("shield_wall", "it was destroyed, so Family Atomics is out of the game")
        state.set_aside = [FAMILY_ATOMICS]
        named.update(state.set_aside)
    rest = _cards_not_named(start, named, treachery_deck(rules))
    if deck or state.phase != "setup":
        Chance(seed, state.draws).shuffle("treachery-deck", rest)
    state.treachery_deck = deck + [Card(card) for card in rest]


def _read_spice_cards(start: Table, rules: RuleSet, state: State, seed: str) -> None:
    printed = spice_deck(rules)
    deck = start.words("spice_deck", printed, twice=True)
    piles = [list(pile) for pile in start.groups("spice_discard", printed, twice=True)]
    if len(piles) > 2 or any(piles[BLOWS(rules) :]):
        raise start.wrong("spice_discard", f"this rule set has {BLOWS(rules)} spice blow(s), so as many piles")
    state.spice_discard = [*piles, [], []][:2]
    aside = [SANDTROUT] if state.box.sandtrout else []
    rest = _cards_not_named(start, Counter([*deck, *aside, *(card for pile in piles for card in pile)]), printed)
    if deck or state.phase != "setup":
        Chance(seed, state.draws).shuffle("spice-deck", rest)
    state.spice_deck = deck + rest


def _cards_not_named(start: Table, named: Mapping[str, int], printed: Sequence[str]) -> list[str]:
    """The printed cards without those that the position names, in printed order. PositionError if it names more of a
    card than there are."""
    left = Counter(printed)
    for card, times in named.items():
        if times > left[card]:
            there = "one" if left[card] == 1 else str(left[card])
            raise PositionError(
                f"{start.where}: {card} is named {times} times, and there is {there} of it in the game."
            )
        left[card] -= times
    rest = []
    for card in printed:
        if left[card]:
            left[card] -= 1
            rest.append(card)
    return rest
