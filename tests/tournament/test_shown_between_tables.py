"""What others see of a table while its tournament goes on, and in which state an entrant is for them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.competition.published import EntrantState
from bot.config.archive_policy import Policy
from bot.store.between_tables import At, _as_known, shown
from bot.store.tournaments.entrants import Entrant

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def at(seen: Any) -> At:
    return At("cup", "The Cup", 1, 2, seen)


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize(
    "policy", [Policy("public", 0, "full"), Policy("delayed", 3, "full"), Policy("hidden", 0, "full")]
)
def test_a_game_of_no_open_round_is_shown_as_its_own_policy_says(policy: Policy, over: bool) -> None:
    assert shown(policy, None, over=over) == policy
    assert shown(policy, at("now"), over=over) == policy
    assert shown(policy, at("round-end"), over=over) is None


@pytest.mark.parametrize(
    ("policy", "over", "told"),
    [
        (Policy("public", 0, "full"), False, Policy("delayed", 1, "public-only")),
        (Policy("delayed", 1, "full"), False, Policy("delayed", 1, "public-only")),
        (Policy("delayed", 3, "full"), False, Policy("delayed", 3, "public-only")),
        (Policy("hidden", 0, "full"), False, Policy("hidden", 0, "public-only")),
        (Policy("public", 0, "full"), True, Policy("public", 0, "public-only")),
        (Policy("delayed", 3, "full"), True, Policy("delayed", 3, "public-only")),
    ],
)
def test_a_table_of_an_open_round_is_shown_a_turn_late_at_least_and_without_what_was_hidden(
    policy: Policy, over: bool, told: Policy
) -> None:
    assert shown(policy, at("late"), over=over) == told


@pytest.mark.parametrize(
    ("state", "plays", "hidden", "known"),
    [
        ("withdrawn", True, False, "playing"),
        ("withdrawn", False, False, "withdrawn"),
        ("withdrawn", False, True, "standby"),
        ("playing", False, True, "standby"),
        ("playing", True, False, "playing"),
        ("disqualified", True, False, "disqualified"),
        ("disqualified", False, True, "disqualified"),
        ("out", False, True, "out"),
    ],
)
def test_who_left_a_table_that_is_played_still_plays_and_who_came_instead_still_waits(
    state: EntrantState, plays: bool, hidden: bool, known: EntrantState
) -> None:
    entrant = Entrant("cup", 1, "E001", "ann@example.org", "token", NOW, state=state)
    assert _as_known(entrant, plays, hidden).state == known
