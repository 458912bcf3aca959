"""What a ruling may say of an expansion: the keys of its ``[start]`` that exist only where one is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from msgspec import UNSET

from rules.chapters.tech_tokens import PLAYED
from rules.components import FACTION_FACTS, LEADERS, Card, Faction, Leader, board, faction_name
from rules.components.board import MOBILE_STRONGHOLD
from rules.components.tech_tokens import TechToken
from rules.positions.tables import PositionError, Table
from rules.rulesets.box import cards_in, leaders_in
from rules.state.game import Game

START_KEYS = ("hms", "tech_tokens", "sandtrout", "revival_limits")
FACTION_KEYS = (
    "technology_used", "dealt_cards", "face_dancers", "revealed_dancers", "gholas", "special_karama_used",
)  # fmt: skip
OF_IXIANS = ("technology_used", "dealt_cards")
OF_TLEILAXU = ("face_dancers", "revealed_dancers", "gholas")
_OWNER: Mapping[str, Faction] = {
    **dict.fromkeys(OF_IXIANS, "ixians"), **dict.fromkeys(OF_TLEILAXU, "tleilaxu"),
}  # fmt: skip
LIMITS = (3, 5)
MOST_DANCERS = 3


def read_start(start: Table, game: Game, players: Mapping[Faction, Table]) -> None:
    """Read what an expansion adds to a position; PositionError for any of it where none is played."""
    if game.state.expansion is UNSET:
        for key in START_KEYS:
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
            raise start.wrong("hms", f"it is in no game without {faction_name(owner)}")
        return
    if "hms" not in start.values:
        if state.phase != "setup" and not (state.phase == "storm" and state.turn == 1):
            raise PositionError(f"{start.where}: hms is missing: the area that the Hidden Mobile Stronghold points at.")
        return
    area = start.area(start.text("hms", ""))
    if board.TERRITORIES[board.territory_of(area)].kind == "stronghold":
        raise start.wrong("hms", "it points at no stronghold")
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
            raise table.wrong(key, f"that is a matter of {faction_name(_OWNER[key])}")
    box = state.box
    if table.truth("technology_used", False):
        box.technology_used = state.turn
    if "dealt_cards" in table.values:
        if state.phase != "setup":
            raise table.wrong("dealt_cards", "they are chosen from in the set-up")
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
        raise table.wrong("face_dancers", f"there are {MOST_DANCERS}, those who lie open among them")
    for player in game.state.players.values():
        for card in box.face_dancers:
            if card in player.traitors:
                why = f"{card} is in the pay of {faction_name(player.faction)}, and a face dancer is in nobody's"
                raise table.wrong("face_dancers", why)


def in_service(players: Mapping[Faction, Table]) -> Mapping[str, Faction]:
    """The leaders whom the tables of a position name as gholas, each with whom they serve."""
    return {name: faction for faction, table in players.items() for name in table.table("gholas").values}


_NO_LEADERS = ("Cheap Hero",)
"""Traitor cards that are no leader's."""


def of_table(game: Game) -> Mapping[str, Any]:
    """What an expectation may name of the table, as a position has it."""
    box = game.state.box
    return {
        "hms": box.stronghold_at,
        "tech_tokens": dict(box.tech_tokens),
        "sandtrout": box.sandtrout,
        "revival_limits": dict(box.revival_limits),
    }


def raised(table: Table) -> dict[str, Any]:
    """The limits that an expectation names, without those that are as usual."""
    if "revival_limits" not in table.values:
        return {}
    limits = table.table("revival_limits", FACTION_FACTS)
    return {"revival_limits": {faction: limit for faction, limit in limits.values.items() if limit != LIMITS[0]}}


def of_faction(game: Game, faction: Faction) -> Mapping[str, Any]:
    """What an expectation may name of a faction, as a position has it."""
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
