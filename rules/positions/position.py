"""Written positions: the TOML table ``[start]`` of a ruling is turned into a game at the start of a phase.

If something is not mentioned, there is none of it: no spice, no cards and no tokens. Leaders who are not mentioned are
alive and with their own faction. In the phase ``setup``, however, everything that is not mentioned is as in a new game.
The position must be one that can occur in a game. Nothing is repaired silently: an unknown name, a card in two places,
a twenty-first token or a second holder of a leader raises a ``PositionError`` that says where the mistake is.

``Table`` reads values from the TOML tables of a ruling. It checks their types, and its errors tell the author of the
ruling what to change. The keys of ``[start]`` that exist only with an expansion are read separately, and expectations
compare the same keys.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from msgspec import UNSET

from rules.chapters.battle_leaders import HADERACH_WAITS_FOR_NEXT_TURN
from rules.chapters.setup import MAX_TURNS, OWN_MAY_BE_KEPT, all_forces, in_traitor_pool
from rules.chapters.spice_blow import ALLIANCES, BLOWS, LARGEST_ALLIANCE
from rules.chapters.storm import EVERY_STORM_DIALLED, city_holders
from rules.chapters.tech_tokens import PLAYED
from rules.components import (
    CHEAP_HERO_CARD,
    FACTION_FACTS,
    FACTIONS,
    KWISATZ_HADERACH_LOSSES,
    LEADERS,
    SANDTROUT,
    Card,
    Faction,
    Forces,
    Leader,
    board,
    faction_name,
    traitor_owner,
)
from rules.components.board import MOBILE_STRONGHOLD, Area, TerritoryId
from rules.components.chance import Chance
from rules.components.factions import TechToken
from rules.decisions.catalogue import catalogue_of, rules_of
from rules.decisions.early_orders import may_be_asked
from rules.decisions.faction_rules import FactionRules
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.engine.turn import opening_state
from rules.factions.bene_gesserit_advisors import PRESENCE
from rules.orders import PhaseName
from rules.rulesets.options import RuleSetError
from rules.rulesets.ruleset import (
    RuleSet,
    cards_in,
    factions_of,
    hero_is_dealt,
    leaders_in,
    require_playable,
    spice_deck,
    treachery_deck,
)
from rules.state.game import Game
from rules.state.state import NO_FORCES, Player, Prediction, State

EXPANSION_START_KEYS = ("hms", "tech_tokens", "sandtrout", "revival_limits")
EXPANSION_FACTION_KEYS = (
    "technology_used",
    "dealt_cards",
    "face_dancers",
    "revealed_dancers",
    "gholas",
    "special_karama_used",
)
OF_IXIANS = ("technology_used", "dealt_cards")
OF_TLEILAXU = ("face_dancers", "revealed_dancers", "gholas")
_OWNER: Mapping[str, Faction] = {**dict.fromkeys(OF_IXIANS, "ixians"), **dict.fromkeys(OF_TLEILAXU, "tleilaxu")}
LIMITS = (3, 5)
MOST_DANCERS = 3


def read_expansion(start: Table, game: Game, players: Mapping[Faction, Table]) -> None:
    """Read the keys of a position that exist only with an expansion. Raise PositionError if such keys are used without
    an expansion."""
    if game.state.expansion is UNSET:
        for key in EXPANSION_START_KEYS:
            if key in start.values:
                raise start.wrong(key, "no expansion is played here")
    else:
        _read_mobile_stronghold(start, game)
        _read_table(start, game)
    for faction, table in players.items():
        _read_faction(table, game, faction)


def _read_mobile_stronghold(start: Table, game: Game) -> None:
    owner = board.TERRITORIES[board.territory_of(MOBILE_STRONGHOLD)].owner
    state, box = game.state, game.state.box
    if owner not in state.players:
        if "hms" in start.values:
            raise start.wrong("hms", f"it is only in games with {faction_name(owner)}")
        return
    if "hms" not in start.values:
        if state.phase != "setup" and not (state.phase == "storm" and state.turn == 1):
            raise PositionError(f"{start.where}: hms is missing: the area that the Hidden Mobile Stronghold points at.")
        return
    area = start.area(start.text("hms", ""))
    if board.TERRITORIES[board.territory_of(area)].kind == "stronghold":
        raise start.wrong("hms", "it cannot point at a stronghold")
    box.stronghold_at = area


def _read_table(start: Table, game: Game) -> None:
    box, seated = game.state.box, list(game.state.players)
    if "tech_tokens" in start.values and PLAYED(game.rules) == "off":
        raise start.wrong("tech_tokens", "there are no tech tokens in this game")
    tokens = start.table("tech_tokens", get_args(TechToken))
    box.tech_tokens = {cast(TechToken, token): tokens.word(token, None, seated) for token in tokens.values}
    box.sandtrout = start.truth("sandtrout", False)
    limits = start.table("revival_limits", seated)
    box.revival_limits = {faction: limits.number(faction, None, *LIMITS) for faction in limits.values}


def _read_faction(table: Table, game: Game, faction: Faction) -> None:
    state = game.state
    if table.truth("special_karama_used", False):
        state.special_karamas.append(faction)
    for key in (*OF_IXIANS, *OF_TLEILAXU):
        if key in table.values and faction != _OWNER[key]:
            raise table.wrong(key, f"that applies only to {faction_name(_OWNER[key])}")
    box = state.box
    if table.truth("technology_used", False):
        box.technology_used = state.turn
    if "dealt_cards" in table.values:
        if state.phase != "setup":
            raise table.wrong("dealt_cards", "they exist only in the set-up")
        box.dealt_cards = [Card(card) for card in table.words("dealt_cards", cards_in(game.rules), twice=True)]
    if faction != "tleilaxu":
        return
    there = [leader for leader in leaders_in(game.rules) if game.plays(LEADERS[leader].faction)]
    _read_face_dancers(table, game, there)
    gholas = table.table("gholas", there)
    for name in gholas.values:
        owner = LEADERS[Leader(name)].faction
        if owner == faction or gholas.word(name, None, list(FACTION_FACTS)) != owner:
            raise gholas.wrong(name, f"that leader belongs to {faction_name(owner)}")
        box.gholas[Leader(name)] = owner
        state.leaders[Leader(name)].deaths = max(1, state.leaders[Leader(name)].deaths)


def _read_face_dancers(table: Table, game: Game, there: Sequence[Leader]) -> None:
    box, cards = game.state.box, [*there, *_NO_LEADERS]
    box.face_dancers = [Leader(name) for name in table.words("face_dancers", cards)]
    box.revealed_dancers = [Leader(name) for name in table.words("revealed_dancers", cards)]
    box.face_dancers += [card for card in box.revealed_dancers if card not in box.face_dancers]
    if len(box.face_dancers) > MOST_DANCERS:
        raise table.wrong("face_dancers", f"there are only {MOST_DANCERS}, including revealed ones")
    for player in game.state.players.values():
        for card in box.face_dancers:
            if card in player.traitors:
                why = f"{card} is in the pay of {faction_name(player.faction)}, and a face dancer is in nobody's"
                raise table.wrong("face_dancers", why)


def gholas_in_service(players: Mapping[Faction, Table]) -> Mapping[str, Faction]:
    return {name: faction for faction, table in players.items() for name in table.table("gholas").values}


_NO_LEADERS = ("Cheap Hero",)
"""Traitor cards that show no leader."""


def expansion_of_table(game: Game) -> Mapping[str, Any]:
    box = game.state.box
    return {
        "hms": box.stronghold_at,
        "tech_tokens": dict(box.tech_tokens),
        "sandtrout": box.sandtrout,
        "revival_limits": dict(box.revival_limits),
    }


def raised_limits(table: Table) -> dict[str, Any]:
    if "revival_limits" not in table.values:
        return {}
    limits = table.table("revival_limits", FACTION_FACTS)
    return {"revival_limits": {faction: limit for faction, limit in limits.values.items() if limit != LIMITS[0]}}


def expansion_of_faction(game: Game, faction: Faction) -> Mapping[str, Any]:
    box = game.state.box
    found: dict[str, Any] = {"special_karama_used": faction in game.state.special_karamas}
    if faction == _OWNER["technology_used"]:
        found["technology_used"] = box.technology_used == game.state.turn
        found["dealt_cards"] = sorted(box.dealt_cards)
    if faction == _OWNER["face_dancers"]:
        found["face_dancers"] = sorted(box.face_dancers)
        found["revealed_dancers"] = sorted(box.revealed_dancers)
        found["gholas"] = dict(box.gholas)
    return found


FAMILY_ATOMICS = Card("Family Atomics")

START_KEYS = (
    "turn", "phase", "storm", "factions", "dots", "shield_wall", "worms_seen", "next_storm", "alliances",
    "treachery_deck", "treachery_discard", "spice_deck", "spice_discard", "rng", "faction", "spice", "last_turn",
    *EXPANSION_START_KEYS,
)  # fmt: skip
FACTION_KEYS = (
    "spice", "hand", "traitors", "reserves", "tanks", "forces", "dead_leaders", "twice_dead", "captured", "ally_of",
    "lost_in_battle", "kwisatz_haderach", "prediction", "coexisting", "dealt_traitors",
    *EXPANSION_FACTION_KEYS,
)  # fmt: skip
KWISATZ_HADERACH_STATES = ("locked", "ready", "used", "dead")


@dataclass(frozen=True, slots=True)
class Position:
    rules: RuleSet
    seed: str
    state: State

    def play(self) -> Play:
        """Return the game, which waits between two phases. ``begin_phase(state.phase)`` begins the first phase."""
        return Play(self.rules, self.seed, self.state)


def position(document: Mapping[str, Any]) -> Position:
    """Return the starting position of a ruling, from its ``ruleset``, ``[options]`` and ``[start]``.

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
    read_expansion(start, game, players)
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
    state.forces = {}
    for player in state.players.values():
        player.spice = 0
        player.reserves = NO_FORCES


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
    serving = gholas_in_service(players)
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
        raise table.wrong("dealt_traitors", "they exist only in the set-up")
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
            there[faction] = forces.forces(text, NO_FORCES)
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
        held_from = serving.get(name, owner)  # a ghola belongs to the faction that it serves
        if captured.word(name, None, factions_of(game.rules)) not in (owner, held_from):
            raise captured.wrong(name, f"that leader belongs to {faction_name(owner)}")
        if owner == player.faction:
            raise captured.wrong(name, f"that is a leader of {faction_name(owner)} itself")
        if owner not in state.players:
            raise captured.wrong(name, f"{faction_name(owner)} is not played here")
        player.captured[cast(Leader, name)] = held_from


def _check_leaders(players: Mapping[Faction, Table], state: State) -> None:
    paymasters: dict[Leader, Faction] = {}
    for faction, table in players.items():
        for leader in state.players[faction].captured:
            if state.leaders[leader].status != "ready":
                raise table.wrong("captured", f"{leader} is in the tanks")
        for leader in state.players[faction].traitors:
            if leader in paymasters:
                raise table.wrong("traitors", f"{leader} is already in the pay of {faction_name(paymasters[leader])}")
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
    still_to_come = awake and word == "locked" and HADERACH_WAITS_FOR_NEXT_TURN(game.rules)
    if awake != (word != "locked") and not still_to_come:
        raise table.wrong("kwisatz_haderach", f"it wakes after {KWISATZ_HADERACH_LOSSES} tokens are lost in battle")
    game.state.lost_in_battle = lost
    game.state.kwisatz_haderach = cast(Any, word)


def _read_prediction(table: Table, game: Game, faction: Faction) -> None:
    if "prediction" not in table.values:
        return
    if not may_be_asked(game, faction, "prediction"):
        who = _names_of_those_with(game, lambda rules: may_be_asked(game, rules.faction, "prediction"))
        raise table.wrong("prediction", f"that applies only to the {who}")
    prediction = Table(f"{table.where} prediction", table.table("prediction").values, ("faction", "turn"))
    named = prediction.word("faction", None, [other for other in game.state.players if other != faction])
    turn = prediction.number("turn", None, 1, MAX_TURNS(game.rules))
    game.state.prediction = Prediction(named, turn)


def _read_coexistence(table: Table, game: Game, faction: Faction) -> None:
    territories = [cast(TerritoryId, name) for name in table.words("coexisting", board.TERRITORIES)]
    if not rules_of(game, faction).may_coexist(game):
        if territories:
            who = _names_of_those_with(game, lambda rules: rules.may_coexist(game))
            why = f"that applies only to the {who}" if who else "this rule set has no coexistence"
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
        if LARGEST_ALLIANCE(rules) and len(group) > LARGEST_ALLIANCE(rules):
            if len(group) > 3 or len(state.players) < len(board.DOTS):
                raise start.wrong("alliances", f"an alliance has at most {LARGEST_ALLIANCE(rules)} members")
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
    """Return the printed cards that the position does not name, in printed order. Raise PositionError if the position
    names more copies of a card than exist."""
    left = Counter(printed)
    for card, times in named.items():
        if times > left[card]:
            there = "one" if left[card] == 1 else str(left[card])
            raise PositionError(f"{start.where}: {card} is named {times} times, but the game has only {there}.")
        left[card] -= times
    rest = []
    for card in printed:
        if left[card]:
            left[card] -= 1
            rest.append(card)
    return rest


class PositionError(ValueError):
    """The error for an impossible position. Its message is a sentence that locates the mistake and explains how to
    correct it."""


class Table:
    """A TOML table from the file of a ruling, with methods that read its values by type. A value that does not fit
    raises a ``PositionError`` that says where it is."""

    def __init__(self, where: str, values: Mapping[str, Any], known: Iterable[str] | None = None) -> None:
        self.where = where
        self.values = values
        names = None if known is None else list(known)
        for key in values:
            if names is not None and key not in names:
                raise PositionError(f"{where}: {unknown(key, names)}.")

    def wrong(self, key: str, why: str) -> PositionError:
        return PositionError(f"{self.where} {key} = {self.values.get(key)!r}: {why}.")

    def table(self, key: str, known: Iterable[str] | None = None) -> Table:
        value = self.values.get(key, {})
        if not isinstance(value, Mapping):
            raise self.wrong(key, "this must be a table")
        where = f"{self.where[:-1]}.{key}]" if self.where.endswith("]") else f"{self.where}, {key}"
        return Table(where, value, known)

    def number(self, key: str, default: int | None, least: int, most: int) -> int:
        value = self.values.get(key, default)
        if type(value) is not int or not (least <= value <= most or value is default):
            raise self.wrong(key, f"this must be a number from {least} to {most}")
        return value

    def truth(self, key: str, default: bool) -> bool:
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "this must be true or false")
        return value

    def text(self, key: str, default: str) -> str:
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "this must be a text")
        return value

    def texts(self, key: str) -> list[str]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self.wrong(key, "this must be a list of texts")
        return list(value)

    def word(self, key: str, default: str | None, known: Iterable[str]) -> str:
        value = self.values.get(key, default)
        names = list(known)
        if value is None:
            raise PositionError(f"{self.where}: {key} is missing; it can be {', '.join(names)}.")
        if not isinstance(value, str) or value not in names:
            raise self.wrong(key, unknown(value, names))
        return value

    def words(self, key: str, known: Iterable[str], *, twice: bool = False) -> list[str]:
        return self._words(key, self.values.get(key, []), list(known), twice=twice)

    def groups(self, key: str, known: Iterable[str], *, twice: bool = False) -> list[list[str]]:
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self.wrong(key, "this must be a list of lists")
        names = list(known)
        return [self._words(key, group, names, twice=twice) for group in value]

    def _words(self, key: str, value: object, names: list[str], *, twice: bool) -> list[str]:
        if not isinstance(value, list):
            raise self.wrong(key, "this must be a list")
        for word in value:
            if not isinstance(word, str) or word not in names:
                raise self.wrong(key, unknown(word, names))
            if not twice and value.count(word) > 1:
                raise self.wrong(key, f"{word} is named twice")
        return list(value)

    def forces(self, key: str, default: Forces) -> Forces:
        value = self.values.get(key)
        if value is None:
            return default
        try:
            return Forces.parse(str(value))
        except ValueError:
            raise self.wrong(key, 'forces are written "5", or "3+2" for three ordinary and two elite') from None

    def area(self, text: str) -> Area:
        try:
            return board.parse_area(text)
        except ValueError as error:
            raise PositionError(f"{self.where}: {error}") from None

    def spice_area(self, text: str) -> Area:
        """Return the spice area that a key names. The name of the territory is enough, because its spice blows in only
        one sector."""
        territory = board.TERRITORIES.get(TerritoryId(text))
        return territory.spice_area if territory and territory.spice_area else self.area(text)


def unknown(word: object, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, names, n=1) if isinstance(word, str) else []
    if close:
        return f"there is no {word!r} here (did you mean {close[0]!r}?)"
    listed = f"; it can be {', '.join(names)}" if 0 < len(names) <= 12 else ""
    return f"there is no {word!r} here{listed}"
