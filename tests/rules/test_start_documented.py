"""Tests that `docs/testing.md` documents every key of the ruling format."""

from __future__ import annotations

import re
from pathlib import Path

from bot.lab.rulings import STEP_KEYS
from rules.positions.expectation import EXPECT_KEYS
from rules.positions.position import FACTION_KEYS, START_KEYS

TESTING = Path(__file__).parents[2] / "docs" / "testing.md"


def first_column(heading: str) -> list[str]:
    """Return the keys in the first column of the table with this heading."""
    rows = TESTING.read_text().split(f"| {heading} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [key for row in rows for key in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_every_key_of_the_start_of_a_ruling_is_in_the_docs_and_no_other() -> None:
    assert sorted(first_column("in `[start]`")) == sorted(START_KEYS)


def test_every_key_of_a_faction_in_a_ruling_is_in_the_docs_and_no_other() -> None:
    assert sorted(first_column("in `[start.faction.NAME]`")) == sorted(FACTION_KEYS)


def test_every_key_of_a_step_and_of_an_expectation_is_in_the_docs_and_no_other() -> None:
    told = first_column("in `[[step]]` or `[expect]`")
    assert sorted(told) == sorted({*STEP_KEYS, *EXPECT_KEYS} - {*START_KEYS})
