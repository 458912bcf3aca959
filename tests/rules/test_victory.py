"""Tests for the number of strongholds needed, by option and number of players (AH.IV, GF9.MENTAT.2, WBC.HR.3)."""

from __future__ import annotations

import pytest

from rules.chapters import victory
from rules.components import Faction
from rules.components.board import TerritoryId
from rules.positions.position import position
from rules.state.game import Game

HELD = [TerritoryId(name) for name in ("arrakeen", "carthag", "sietch-tabr", "habbanya-sietch", "tueks-sietch")]


def a_game(players: int = 4, **options: str | int) -> Game:
    factions = ["guild", "emperor", "fremen", "harkonnen"][:players]
    start = {"turn": 4, "phase": "mentat", "factions": factions}
    return position({"ruleset": "wbc-2018", "options": options, "start": start}).play().game


@pytest.mark.clause("GF9.MENTAT.2", "GF9.ALLIANCE.2", "WBC.HR.3b", "AH.XII.E.1-a")
@pytest.mark.parametrize(
    ("way", "extra", "alone", "together"),
    [
        ("four", 0, 3, 4),
        ("four", 1, 4, 4),
        ("four", 2, 5, 5),
        ("three", 0, 3, 3),
        ("three", 2, 5, 5),
        ("members_plus_two", 2, 5, 4),
    ],
)
def test_allies_need_what_the_rule_set_says(way: str, extra: int, alone: int, together: int) -> None:
    game = a_game(alliance_strongholds=way, solo_strongholds_extra=extra)
    assert victory.needed(game, ("guild",)) == alone
    assert victory.needed(game, ("guild", "emperor")) == together


def _holding(guild: int, emperor: int) -> dict[Faction, tuple[TerritoryId, ...]]:
    return {"guild": tuple(HELD[:guild]), "emperor": tuple(HELD[guild : guild + emperor])}


@pytest.mark.clause("AH.XII.E.1-b", "WBC.HR.3d")
@pytest.mark.parametrize(
    ("guild", "emperor", "one_is_enough", "together_only"),
    [
        (2, 0, False, False),
        (3, 0, True, False),
        (0, 3, True, False),
        (4, 0, True, True),
        (5, 0, True, True),
        (2, 1, False, False),
        (2, 2, True, True),
    ],
)
def test_one_of_two_allies_may_hold_enough_for_both(
    guild: int, emperor: int, one_is_enough: bool, together_only: bool
) -> None:
    game, held = a_game(alliance_strongholds="four"), _holding(guild, emperor)
    party = ("guild", "emperor")
    assert victory._enough_together_or_one(game, party, held) is one_is_enough
    assert victory._enough_together(game, party, held) is together_only


@pytest.mark.clause("AH.XII.E.1-b", "WBC.HR.3c")
@pytest.mark.parametrize(("guild", "wins"), [(2, False), (3, True), (4, True)])
def test_one_of_three_allies_may_hold_enough_for_all(guild: int, wins: bool) -> None:
    game, held = a_game(alliance_strongholds="members_plus_two"), {**_holding(guild, 0), "fremen": ()}
    party = ("guild", "emperor", "fremen")
    assert victory._enough_together_or_one(game, party, held) is wins
    assert victory._enough_together(game, party, held) is False
