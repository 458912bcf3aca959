"""Expectations: the TOML table ``[expect]`` of a ruling is compared with a game.

Only what that TOML table names is compared. A list must name all entries, in any order, but the lists ``asked`` and
``discard`` may name only some. ``not_asked`` means that a question is not being asked at this moment, and
``never_asked`` that it has not been asked since the last check. The contents of an area must be named completely.
Between two phases, the game is both at the end of the first and at the start of the second, so ``phase`` and ``turn``
may name either. Likewise, between two turns the Kwisatz Haderach's expected status may be its status in either turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, cast, get_args

from rules.chapters import battle_leaders
from rules.components import FACTION_FACTS, Faction, board, leaders_of
from rules.decisions.catalogue import rules_of
from rules.engine.play import Play
from rules.engine.turn import next_phase, phases
from rules.orders import QuestionKind
from rules.positions import position
from rules.positions.position import PositionError, Table, unknown
from rules.state.game import Game
from rules.state.state import NO_FORCES, Player, State
from rules.views import coexisting, view

EXPECT_KEYS = (
    "phase", "turn", "winner", "asked", "not_asked", "never_asked", "discard", "shield_wall", "storm", "next_storm",
    "worms_seen", "alliances", "treachery_deck", "treachery_discard", "spice_deck", "spice_discard", "faction",
    "forces", "spice", "view", *position.EXPANSION_START_KEYS,
)  # fmt: skip
HIDDEN = "null"


Asked = Collection[tuple[Faction, QuestionKind]]


def differences(play: Play, expect: Mapping[str, Any], before: Asked = ()) -> list[str]:
    """Return a sentence for each difference between the game and the expectation. Raise PositionError if the
    expectation is impossible.

    ``before`` holds the questions that have been asked since the last check; ``never_asked`` needs them.

    >>> differences(play, {"faction": {"guild": {"spice": 8}}})  # doctest: +SKIP
    ['guild spice: 8 expected, there is 5']
    """
    table = Table("[expect]", expect, EXPECT_KEYS)
    found = [
        *_time(play, table),
        *_questions(play, table, before),
        *_table(play.game, table),
        *_board(play.state, table),
    ]
    factions = table.table("faction", play.state.players)
    for name in factions.values:
        found += _faction(play, play.state.players[name], factions.table(name))
    views = table.table("view", [*play.state.players, "public", "gm"])
    for viewer in views.values:
        wanted = views.table(viewer).values
        seen = {**view(play, viewer), **_time_wanted(play, wanted)}
        found += _seen(f"view.{viewer}", wanted, seen)
    return found


def _times(play: Play) -> list[tuple[str, int]]:
    state = play.state
    times: list[tuple[str, int]] = [(state.phase, state.turn)]
    if play.phase_over and not play.over:
        rules = play.game.rules
        times.append((next_phase(rules, state.phase), state.turn + (state.phase == phases(rules)[-1])))
    return times


def _time_wanted(play: Play, wanted: Mapping[str, Any]) -> dict[str, Any]:
    for phase, turn in _times(play):
        if wanted.get("phase", phase) == phase and wanted.get("turn", turn) == turn:
            return {"phase": phase, "turn": turn}
    return {}


def _time(play: Play, table: Table) -> list[str]:
    if _time_wanted(play, table.values):
        return []
    state = play.state
    phase, turn = table.values.get("phase", state.phase), table.values.get("turn", state.turn)
    return [f"phase and turn: {phase} of turn {turn} expected, it is {state.phase} of turn {state.turn}"]


def _questions(play: Play, table: Table, before: Asked) -> list[str]:
    opened = {(question.faction, question.kind) for question in play.questions()}
    ever = {*opened, *before}
    there = ", ".join(f"{faction}:{kind}" for faction, kind in sorted(opened)) or "nothing"
    found = []
    for key, meant, wanted in (("asked", opened, True), ("not_asked", opened, False), ("never_asked", ever, False)):
        for text in _texts(table, key):
            faction, _, kind = text.partition(":")
            if faction not in FACTION_FACTS or kind not in get_args(QuestionKind):
                raise table.wrong(key, f"{text!r} is not a faction and a kind of question, like 'guild:shipment'")
            if ((faction, kind) in meant) != wanted:
                found.append(f"{key}: {text}; open is {there}")
    return found


def _table(game: Game, table: Table) -> list[str]:
    state = game.state
    exact: Mapping[str, Any] = {
        "shield_wall": state.shield_wall,
        "storm": state.storm,
        "next_storm": state.next_storm,
        "worms_seen": state.worms_seen,
        **position.expansion_of_table(game),
    }
    named = {**table.values, **position.raised_limits(table)}
    found = [line for key, there in exact.items() if key in named for line in _same(key, named[key], there)]
    lists: Mapping[str, list[Any]] = {"winner": list(state.winners), "treachery_discard": list(state.treachery_discard)}
    for key, cards in lists.items():
        if key in table.values:
            found += _same_list(key, _texts(table, key), cards)
    if "alliances" in table.values:
        groups = [sorted(group) for group in table.groups("alliances", FACTION_FACTS)]
        found += _same("alliances", sorted(groups), sorted(sorted(group) for group in state.alliances))
    if missing := Counter(_texts(table, "discard")) - Counter(cast(list[str], state.treachery_discard)):
        found.append(f"discard: {', '.join(missing.elements())} expected, there is {state.treachery_discard}")
    tops: Mapping[str, list[Any]] = {"treachery_deck": list(state.treachery_deck), "spice_deck": list(state.spice_deck)}
    for key, deck in tops.items():
        wanted = _texts(table, key)
        found += _same(f"the top of {key}", wanted, deck[: len(wanted)])
    if "spice_discard" in table.values:
        piles = table.values["spice_discard"]
        found += _same("spice_discard", piles, state.spice_discard[: len(piles)])
    return found


def _board(state: State, table: Table) -> list[str]:
    found = []
    forces = table.table("forces")
    for text in forces.values:
        area = forces.area(text)
        here = forces.table(text, FACTION_FACTS)
        wanted = {faction: tokens for faction in here.values if (tokens := here.forces(faction, NO_FORCES))}
        found += _same(f"forces in {board.area_name(area)}", wanted, dict(state.forces.get(area, {})))
    spice = table.table("spice")
    for text in spice.values:
        area = spice.spice_area(text)
        found += _same(f"spice in {board.area_name(area)}", spice.values[text], state.spice.get(area, 0))
    return found


def _faction(play: Play, player: Player, table: Table) -> list[str]:
    where, game, state = player.faction, play.game, play.state
    found = []
    for key, value in table.values.items():
        if key == "forces":
            found += _faction_forces(state, player, table.table("forces"))
        elif key in ("reserves", "tanks"):
            there = player.reserves if key == "reserves" else player.tanks
            found += _same(f"{where} {key}", table.forces(key, NO_FORCES), there)
        elif key in _LISTS:
            found += _same_list(f"{where} {key}", _texts(table, key), _LISTS[key](game, player))
        elif key == "ally_of":
            allies = [ally for ally in state.ally_group(player.faction) if ally != player.faction]
            found += _same(f"{where} {key}", value, ", ".join(allies))
        elif key == "kwisatz_haderach" and value == _haderach_to_come(play):
            continue
        elif key in _VALUES:
            found += _same(f"{where} {key}", value, _VALUES[key](game, player))
        elif key in (more := position.expansion_of_faction(game, player.faction)):
            wanted = sorted(value) if isinstance(value, list) else value
            found += _same(f"{where} {key}", wanted, more[key])
        else:
            names = ["forces", "reserves", "tanks", "ally_of", *_LISTS, *_VALUES, *more]
            raise PositionError(f"{table.where}: {unknown(key, names)}.")
    return found


def _faction_forces(state: State, player: Player, table: Table) -> list[str]:
    if not table.values:
        there = {area: str(forces) for area, forces in state.areas_of(player.faction)}
        return _same(f"{player.faction} forces", {}, there)
    found = []
    for text in table.values:
        area = table.area(text)
        here = state.forces.get(area, {}).get(player.faction, NO_FORCES)
        found += _same(f"{player.faction} forces in {board.area_name(area)}", table.forces(text, NO_FORCES), here)
    return found


def _haderach_to_come(play: Play) -> str:
    state = play.state
    between = play.phase_over and not play.over and state.phase == phases(play.game.rules)[-1]
    return "ready" if between and battle_leaders.haderach_wakes(state) else state.kwisatz_haderach


def _in_tanks(state: State, player: Player, status: str) -> list[Any]:
    return [leader for leader in leaders_of(player.faction) if state.leaders[leader].status == status]


def _coexisting(game: Game, faction: Faction) -> list[Any]:
    return list(coexisting(game)) if rules_of(game, faction).may_coexist(game) else []


def _prediction(state: State) -> dict[str, Any] | None:
    there = state.prediction
    return {"faction": there.faction, "turn": there.turn} if there else None


_LISTS: Mapping[str, Callable[[Game, Player], list[Any]]] = {
    "hand": lambda game, player: list(player.hand),
    "traitors": lambda game, player: list(player.traitors),
    "dealt_traitors": lambda game, player: list(player.dealt_traitors),
    "dead_leaders": lambda game, player: _in_tanks(game.state, player, "dead"),
    "twice_dead": lambda game, player: _in_tanks(game.state, player, "face-down"),
    "coexisting": lambda game, player: _coexisting(game, player.faction),
}
_VALUES: Mapping[str, Callable[[Game, Player], Any]] = {
    "spice": lambda game, player: player.spice,
    "captured": lambda game, player: dict(player.captured),
    "lost_in_battle": lambda game, player: game.state.lost_in_battle,
    "kwisatz_haderach": lambda game, player: game.state.kwisatz_haderach,
    "prediction": lambda game, player: _prediction(game.state),
}


# --- Comparing ---------------------------------------------------------------------------------------------------


def _same(what: str, wanted: object, there: object) -> list[str]:
    return [] if wanted == there else [f"{what}: {_told(wanted)} expected, there is {_told(there)}"]


def _same_list(what: str, wanted: list[str], there: list[Any]) -> list[str]:
    return _same(what, sorted(wanted), sorted(there))


def _told(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_told, value)) or "nothing"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_told(part)}" for key, part in value.items()) or "nothing"
    if value is None:
        return HIDDEN
    return str(value).lower() if isinstance(value, bool) else str(value)


def _texts(table: Table, key: str) -> list[str]:
    value = table.values.get(key, [])
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise table.wrong(key, "this must be a list of texts")
    return value


def _seen(where: str, wanted: object, there: object) -> list[str]:
    """Return the differences between a view and the expectation for it. If a part of the view is a mapping, only the
    keys that the expectation names are compared. A list must be complete, in any order. The expectation "null" means
    that the value must be hidden."""
    if wanted == HIDDEN:
        return [] if there is None else [f"{where}: this must be hidden, and {_told(there)} is shown"]
    if isinstance(wanted, Mapping) and isinstance(there, Mapping):
        return [line for key, part in wanted.items() for line in _seen_part(where, str(key), part, there)]
    if isinstance(wanted, list) and isinstance(there, list):
        left = list(there)
        for part in wanted:
            match = next((other for other in left if not _seen(where, part, other)), None)
            if match is None:
                return [f"{where}: {_told(part)} expected, there is {_told(there)}"]
            left.remove(match)
        return [f"{where}: {_told(left)} is there and was not expected"] if left else []
    return _same(where, wanted, there)


def _seen_part(where: str, key: str, wanted: object, there: Mapping[str, Any]) -> list[str]:
    """Return the differences in the value of one key. The expectation may name an area without its sector. For an empty
    area it may be {}, "0" or 0."""
    name = key if key in there else _canonical(key)
    if name in there:
        return _seen(f"{where}.{key}", wanted, there[name])
    if wanted in ({}, "0", 0):
        return []
    return [f"{where}.{key}: {_told(wanted)} expected, there is nothing of that name"]


def _canonical(key: str) -> str:
    try:
        return board.parse_area(key)
    except ValueError:
        return key
