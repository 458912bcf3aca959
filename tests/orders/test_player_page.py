"""The page for players lists exactly the forms that are read."""

from pathlib import Path

from bot.language.orders import help_for

PAGE = Path(__file__).parents[2] / "docs" / "orders.md"


def test_the_page_lists_every_form_and_no_other() -> None:
    listed = [line.strip() for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("    ")]
    assert sorted(listed) == sorted(help_for())
