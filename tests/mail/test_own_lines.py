"""No order from docs/orders.md is lost next to quotes, attributions, header blocks or other orders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.mail.attributions import quote_without_marks
from bot.mail.lines import Line, plain_lines, split_quote_marks
from bot.mail.quotes import trim_quotes

PAGE = (Path(__file__).parents[2] / "docs" / "orders.md").read_text("utf-8")
WORDS = {"FACTION": "harkonnen", "TERRITORY": "carthag", "AREA": "ib/9", "FORCES": "3+2", "CARD": "shield"}
WORDS |= {"LEADER": "feyd", "DATE": "2026-12-24", "HH:MM": "08:00", "ADDRESS": "baron@home.example", "N": "4"}
MENTAT = "Mentat <mentat@arrakis.example>"
WROTE = f"On Sun, Nov 22, 2026 at 4:50 AM {MENTAT} wrote:"
QUOTE = "> * Your shipment\n>   Ship tokens? You have 15 in reserve and 10 spice.\n>   If you say nothing: no shipment."
BLOCK = f"From: {MENTAT}\nSent: Sunday, November 22, 2026 4:50 AM\nTo: Baron\nSubject: [demo]\n\nship 7 to sietch tabr"

SHAPES = {
    "alone": "{}",
    "above another": "{}\n\nbid 9",
    "a paragraph of its own": "bid 9\n\n{}\n\npass all",
    "right above an attribution": "{}\n" + WROTE + "\n\n" + QUOTE,
    "right below a quote": WROTE + "\n\n" + QUOTE + "\n{}",
    "between two quotes": WROTE + "\n" + QUOTE + "\n\n{}\n\n" + QUOTE + "\n\nbid 9",
    "above a header block": "{}\n\n" + BLOCK,
    "three times": "{}\n{}\n{}\nbid 9",
}
SAID = [
    "I wrote to Chiara at 10:30 and she said no",
    "this message is confidential and intended only for you",
    "to unsubscribe from the alliance send 3 spice",
    "warning: this is external mail, from outside of the organization",
    WROTE,
    "-----Original Message-----",
    "From: Baron To: you Subject: spice",
    "see https://lists.example.org/listinfo/dune or write to baron@home.example",
    "22.11.2026 04:50, Mentat:",
    "please consider the environment before printing",
    "sent from my stillsuit",
]
"""Words that a player may well write in press or a secret deal, but that no program adds to a mail."""
WITH_WORDS = ("press to emperor, guild", "secret deal with guild", "private deal with guild")


def orders() -> list[str]:
    """Return the page's orders with placeholders filled in, the sheet's lines, and orders that carry free text."""
    blocks = re.findall(r"(?:^    .*\n)+", PAGE, re.MULTILINE) + re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)
    lines = [line.strip() for block in blocks for line in re.sub(r"\n {8,}", " ", block).splitlines()]
    rows = [row for line in lines for row in re.split(r" {3,}", line)]
    rows += re.findall(r"^\| \w[\w ]* \| `(.*?)` \|", PAGE, re.MULTILINE)
    for word, meaning in WORDS.items():
        rows = [re.sub(rf"\b{word}\b", meaning, row) for row in rows]
    return sorted({row for row in rows if row}) + [f"{order}: {said}" for order in WITH_WORDS for said in SAID]


@pytest.mark.parametrize("marks", [0, 1, 49, 50, 51, 90])
def test_fifty_quote_marks_are_counted_and_no_more(marks: int) -> None:
    assert split_quote_marks("> " * marks + "pass") == Line("> " * max(marks - 50, 0) + "pass", min(marks, 50))


@pytest.mark.parametrize("above", range(9))
def test_labels_shortly_above_the_end_of_a_marked_header_block_open_a_quote_without_marks(above: int) -> None:
    """All three labels must be among the block's last six lines."""
    labels = ["Von: Mentat", "Gesendet: gestern", "An: Baron"]
    rows = [*labels, *["a line of text"] * above, "and the last"]
    lines = [Line(row, 1) for row in rows] + [Line("ship 7 to sietch tabr")]
    assert quote_without_marks(lines) == (len(rows) if above <= 2 else len(lines))


@pytest.mark.parametrize("shape", SHAPES)
def test_an_order_is_read_wherever_it_stands(shape: str) -> None:
    for order in orders():
        text = SHAPES[shape].format(*[order] * 3)
        own = [line for line in text.splitlines() if line in (order, "bid 9", "pass all")]
        kept = trim_quotes(plain_lines(text + "\n"), "mentat@arrakis.example", ("baron",)).kept
        assert [line for line in kept if line] == own, order


LONG = "Reply above this line, or edit the form below and send it back. Then"


@pytest.mark.parametrize(
    ("above", "line", "below", "taken"),
    [
        (f"> {LONG}", "bid 9", "> and more of it", False),
        (f"> {LONG} come.", "bid 9", "> and more of it", True),
        (f"> {LONG} come.", "Bid 9", "> And more of it", False),
        (f"> {LONG}", "bid 9", ">> and more of it", True),
        (f">> {LONG}", "bid 9", "> and more of it", True),
        (f">> {LONG}", "bid 9", ">> and more of it", False),
        ("> Reply above this line.", "bid 9", "> and more of it", True),
        (f"> {LONG} if you want that it counts", "bid 9", "> and more of it", True),
        (f"> {LONG}", "bid 9", f"> {LONG} has all", True),
    ],
    ids=[
        "the word that did not fit", "a sentence ended", "a sentence ended and another begins", "a deeper quote below",
        "a deeper quote above", "a deeper quote around", "a short line", "a line too long to have been wrapped",
        "a longer line left whole",
    ],
)  # fmt: skip
def test_a_line_right_between_two_quoted_ones_is_taken_where_it_cannot_be_the_end_of_one(
    above: str, line: str, below: str, taken: bool
) -> None:
    for before in ("", "pass all\n\n"):
        trimmed = trim_quotes(plain_lines(f"{before}{above}\n{line}\n{below}\n"), "mentat@arrakis.example", ("baron",))
        assert (line in trimmed.kept, trimmed.doubtful) == ((True, []) if taken else (False, [line]))


def test_the_page_holds_orders_enough_to_try() -> None:
    assert len(orders()) > 200
