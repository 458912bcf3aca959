"""Tests for the last letter: the hidden information, and the outcome of the prediction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from bot.render.blocks import Heading, Rows
from bot.render.material import News, Position
from bot.render.summary import what_it_came_to, what_was_hidden
from tests.reports.every_letter import OVER, REVEALED

PREDICTED = {"faction": "fremen", "turn": 5}


def hidden(position: Position) -> tuple[dict[str, tuple[str, ...]], str]:
    """Return the rows of hidden information by label, and the treachery row separately."""
    heading, rows = what_was_hidden(position)
    assert isinstance(heading, Heading)
    assert isinstance(rows, Rows)
    told = {row.label: row.lines for row in rows.rows}
    (treachery,) = told.pop("Treachery")
    return told, treachery


def test_hands_traitors_captives_and_face_dancers_are_told_by_faction() -> None:
    rows, _ = hidden(replace(OVER, revealed=replace(REVEALED, dancers={"guild": ["Stilgar", "Burseg"]})))
    assert rows == {
        "Prediction": ("Fremen in turn 5; it did not come true",),
        "Guild": (
            "In hand: Shield, Karama.", "In their pay: Bashar (Emperor).",
            "Their face dancers: Stilgar (Fremen), Burseg (Emperor).",
        ),
        "Atreides": ("In hand: no cards.",),
        "Emperor": ("In hand: Lasgun.",),
        "Harkonnen": (
            "In hand: Crysknife.", "In their pay: Gurney Halleck (Atreides), Bashar (Emperor).",
            "Captured: Burseg (Emperor).",
        ),
    }  # fmt: skip


def test_without_a_prediction_none_is_told_and_before_the_end_nothing() -> None:
    rows, _ = hidden(replace(OVER, revealed=replace(REVEALED, prediction=None)))
    assert "Prediction" not in rows
    assert what_was_hidden(replace(OVER, revealed=None)) == ()


def test_treachery_is_told_where_there_was_some() -> None:
    _, below = hidden(OVER)
    assert below == "No traitor was called in this game."
    facts = {"caller": "harkonnen", "leader": "Bashar", "victim": "emperor", "side": "harkonnen"}
    call = News(3, "battle", "treachery-called", facts, {})
    _, below = hidden(replace(OVER, background=(call, *OVER.background)))
    assert below == "Bashar of the Emperor betrayed them to Harkonnen in turn 3."


@pytest.mark.parametrize(
    ("won", "turn", "told"),
    [
        ({"how": "prediction", "winners": ["bene-gesserit"]}, 5, "it came true"),
        ({"how": "strongholds", "winners": ["guild"]}, 5, "it did not come true"),
        ({"how": "strongholds", "winners": ["fremen"]}, 4, "it did not come true"),
        ({"how": "fremen", "winners": ["fremen"]}, 5, "they won, but only a victory by strongholds can be predicted"),
        ({"how": "guild", "winners": ["guild"]}, 5, "it did not come true"),
        ({}, 5, "it did not come true"),
    ],
)
def test_a_prediction_comes_true_by_strongholds_in_its_turn(won: Mapping[str, Any], turn: int, told: str) -> None:
    assert what_it_came_to(PREDICTED, won, turn) == f"Fremen in turn 5; {told}"
