"""The players' page shows only valid lines and lists exactly the facts that a condition can use."""

import re
import tomllib
from pathlib import Path

import pytest

from bot.language.condition_lines import condition_forms
from bot.language.lines import Context
from bot.language.names import FACTION_NAMES, Found
from bot.language.sheets import SheetLine, read_sheet_line, write_sheet_line

PAGE = (Path(__file__).parents[2] / "docs" / "orders.md").read_text(encoding="utf-8")
RULINGS = Path(__file__).parents[1] / "rulings" / "sheets"
EXAMPLES = re.findall(r"^\| ([A-Z][A-Za-z ]+) \| `([^`]+)` \|", PAGE, re.MULTILINE)


def test_the_page_has_ten_examples() -> None:
    assert len(EXAMPLES) == 10


@pytest.mark.parametrize(("who", "text"), EXAMPLES)
def test_every_example_is_a_line_for_the_sheet(who: str, text: str) -> None:
    found = FACTION_NAMES.find(who)
    assert isinstance(found, Found)
    context = Context(found.value, turn=3, phase="charity")
    line = read_sheet_line(text, context)
    assert isinstance(line, SheetLine), line
    assert read_sheet_line(write_sheet_line(line), context) == line


@pytest.mark.parametrize(("who", "text"), EXAMPLES)
def test_every_example_is_played_in_a_ruling(who: str, text: str) -> None:
    found = FACTION_NAMES.find(who)
    assert isinstance(found, Found)
    filed = [
        (step["from"], line)
        for ruling in sorted(RULINGS.glob("*-page-*.toml"))
        for step in tomllib.loads(ruling.read_text(encoding="utf-8"))["step"]
        for line in step.get("order", "").splitlines()
    ]
    assert (found.value, text) in filed


def test_the_page_lists_everything_that_can_be_asked() -> None:
    blocks = re.findall(r"^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert condition_forms() in [re.split(r"\n| {3,}", block.strip()) for block in blocks]


@pytest.mark.parametrize("words", ["at least 5", "at most 5", "more than 5", "less than 5", "5 or more", "5 or less",
                                   "between 3 and 5", "< 5", "> 5", "<= 5", ">= 5", "= 5", "5"])  # fmt: skip
def test_every_comparison_on_the_page_is_read(words: str) -> None:
    assert re.sub(r"\s+", " ", words) in re.sub(r"\s+", " ", PAGE)
    assert isinstance(read_sheet_line(f"pass if price {words}", Context("guild")), SheetLine)
