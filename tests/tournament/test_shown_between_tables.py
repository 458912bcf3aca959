"""Public information about tables and entrants' states while a tournament is running."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.competition.published import EntrantState
from bot.config.values import ArchivePolicy
from bot.store.publication import TablePlace, _as_known, policy_shown
from bot.store.tournaments import Entrant

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def at(seen: Any) -> TablePlace:
    return TablePlace("cup", "The Cup", 1, 2, seen)


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize(
    "policy",
    [ArchivePolicy("public", 0, "full"), ArchivePolicy("delayed", 3, "full"), ArchivePolicy("hidden", 0, "full")],
)
def test_a_game_of_no_open_round_is_shown_as_its_own_policy_says(policy: ArchivePolicy, over: bool) -> None:
    assert policy_shown(policy, None, over=over) == policy
    assert policy_shown(policy, at("now"), over=over) == policy
    assert policy_shown(policy, at("round-end"), over=over) is None


@pytest.mark.parametrize(
    ("policy", "over", "told"),
    [
        (ArchivePolicy("public", 0, "full"), False, ArchivePolicy("delayed", 1, "public-only")),
        (ArchivePolicy("delayed", 1, "full"), False, ArchivePolicy("delayed", 1, "public-only")),
        (ArchivePolicy("delayed", 3, "full"), False, ArchivePolicy("delayed", 3, "public-only")),
        (ArchivePolicy("hidden", 0, "full"), False, ArchivePolicy("hidden", 0, "public-only")),
        (ArchivePolicy("public", 0, "full"), True, ArchivePolicy("public", 0, "public-only")),
        (ArchivePolicy("delayed", 3, "full"), True, ArchivePolicy("delayed", 3, "public-only")),
    ],
)
def test_a_table_of_an_open_round_is_shown_a_turn_late_at_least_and_without_what_was_hidden(
    policy: ArchivePolicy, over: bool, told: ArchivePolicy
) -> None:
    assert policy_shown(policy, at("late"), over=over) == told


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
