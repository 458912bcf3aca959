"""Tests that the page for players lists exactly the forms that the parser accepts."""

import re
from pathlib import Path

from bot.language.orders import help_for

PAGE = Path(__file__).parents[2] / "docs" / "orders.md"


def forms_on(page: str) -> list[str]:
    """Return the forms in the indented blocks: three spaces separate forms, and a deeper line continues a form."""
    blocks = re.sub(r"\n {8,}", " ", page)
    lines = [line.strip() for line in blocks.splitlines() if line.startswith("    ")]
    return [form for line in lines for form in re.split(r" {3,}", line)]


def test_the_page_lists_every_form_and_no_other() -> None:
    assert sorted(forms_on(PAGE.read_text(encoding="utf-8"))) == sorted(help_for())
