"""Tests for a letter as plain text, block by block."""

from __future__ import annotations

import pytest

from bot.render.blocks import (
    Ask,
    Block,
    Board,
    Button,
    Buttons,
    Document,
    Fields,
    Fight,
    Footer,
    FormBlock,
    Heading,
    Link,
    List,
    Mark,
    Name,
    Paragraph,
    Part,
    Quote,
    Race,
    Row,
    Rows,
    Runner,
    Side,
    Story,
    Table,
    Title,
    Verdict,
)
from bot.render.text import as_text, wrap_text

LONG = "words that go on and on until a line of this letter has no more room left for any of them"
SIDES = (Side("Guild", "12", "won"), Side("Emperor", "3", "lost"))


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (Title("Guild wins", "In turn 4."), "Guild wins\n==========\nIn turn 4.\n"),
        (Title(LONG), "words that go on and on until a line of this letter has no more room left for\nany of them\n"
                      + "=" * 77 + "\n"),
        (Heading("The board", "now"), "THE BOARD now\n"),
        (Paragraph("one\n\ntwo"), "one\n\ntwo\n"),
        (Quote("one\n\ntwo"), "  | one\n  |\n  | two\n"),
        (Rows(()), "\n"),
        (Rows((Row("Cards", ("Shield", "Snooper")), Row("Ally", ()), Row("A label as long as 22", ("x",)))),
         "  Cards                  Shield\n                         Snooper\n  Ally\n  A label as long as 22  x\n"),
        (Rows((Row("A label of 22 letters.", ("x",)), Row("A label of 23 letters..", ("y", "z")))),
         "  A label of 22 letters.  x\n  A label of 23 letters..\n                          y\n"
         "                          z\n"),
        (Fields((Row("Arrakeen", ("Guild 5, was empty",)),), ((Mark("guild", "5"),),), ("was empty",)),
         "  Arrakeen  Guild 5, was empty\n"),
        (Race("To win", (Runner("Guild", 2, 3, "2 of 3"), Runner("Emperor", 1, 3, "1 of 3"))),
         "To win: Guild 2 of 3; Emperor 1 of 3.\n"),
        (Story((Row("Storm", ("It moved.", LONG)),)),
         "Storm\n  It moved.\n  words that go on and on until a line of this letter has no more room left\n"
         "    for any of them\n"),
        (Table(("", "Spice"), (("Guild", "3"), ("Emperor", "12")), frozenset({1}), ("their ally", "")),
         "           Spice\n  Guild        3\n    their ally\n  Emperor     12\n"),
        (Table(("Who", "What"), (("Guild", "a"), ("Fremen", "b"))),
         "  Who     What\n  Guild   a\n  Fremen  b\n"),
        (List(("one", Link("two", "2.html"), Name("Ann"))), "- one\n- two\n- Ann\n"),
        (Part("Turn 4", [Paragraph("one"), List((LONG,))], "turn-4", "at its end"),
         "TURN 4 at its end\none\n\n- words that go on and on until a line of this letter has no more room left\n"
         "  for any of them\n"),
        (Fight("Carthag", "two sides", SIDES, (("Dial", "7", "2"), ("Weapon", "none", "Lasgun")), ("It was close.",)),
         "Carthag\n  two sides\n          Guild 12 won  Emperor 3 lost\n  Dial    7             2\n"
         "  Weapon  none          Lasgun\n  It was close.\n"),
        (Fight("Carthag", "", SIDES, (("Lost", "7 tokens and a leader of strength", "5 tokens and 2 elite ones too"),)),
         "Carthag\n        Guild 12 won                       Emperor 3 lost\n"
         "  Lost  7 tokens and a leader of strength  5 tokens and 2 elite ones too\n"),
        (Fight("Carthag", "", SIDES, (("Lost", "x" * 34, "y" * 34),)),
         f"Carthag\n        {'Guild 12 won':34}  Emperor 3 lost\n  Lost  {'x' * 34}  {'y' * 34}\n"),
        (Fight("Carthag", "", SIDES, (("Lost", "x" * 34, "y" * 35),)),
         f"Carthag\n  Guild 12 won | Emperor 3 lost\n  Lost {'x' * 34} |\n        {'y' * 35}\n"),
        (Ask("Your bid", ("Card 1 is up.", "If you say nothing: pass."), (Button("pass", "mailto:x"),)),
         "* Your bid\n  Card 1 is up.\n  If you say nothing: pass.\n"),
        (Buttons((Button("pass", "mailto:x"),)), "\n"),
        (Verdict("ship 3", "refused", "bad", ("No.", "Rule 1."), ("ship 2 to Carthag",)),
         "  ship 3\n      refused   No.\n                Rule 1.\n                  ship 2 to Carthag\n"),
        (Verdict("hi", "talk", "plain", ()), "  hi\n      talk\n"),
        (FormBlock("[form x]", ("[ ] pass", "bid _"), "[end]"), "[form x]\n[ ] pass\nbid _\n[end]\n"),
        (Board("Storm in sector 9.", (Row("Arrakeen", ("Atreides 9",)),)),
         "Storm in sector 9.\n\n  Arrakeen  Atreides 9\n"),
        (Footer((Button("Help", "mailto:x"),), ("Send help.",), (Button("The rules:", "https://a.example"),)),
         "Send help.\nThe rules: https://a.example\n"),
    ],
)  # fmt: skip
def test_a_block_stands_on_the_page(block: Block, text: str) -> None:
    assert as_text(Document("", "", [block])) == text


def test_blocks_are_set_apart_but_a_heading_from_what_it_opens_unless_that_is_a_form() -> None:
    blocks: list[Block] = [
        Heading("One"), Paragraph("a"), Buttons((Button("pass", "mailto:x"),)), Paragraph("b"), Heading("Two"),
        FormBlock("[form]", (), "[end]"),
    ]  # fmt: skip
    assert as_text(Document("", "", blocks)) == "ONE\na\n\nb\n\nTWO\n\n[form]\n[end]\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []), ("one", ["> one"]), ("one two", ["> one two"]), ("one twos", ["> one", "+ twos"]),
        ("a longer-than-that b", ["> a", "+ longer-", "+ than-th", "+ at b"]),
    ],
)  # fmt: skip
def test_words_are_wrapped_where_a_line_is_full(text: str, lines: list[str]) -> None:
    assert wrap_text(text, "> ", "+ ", 9) == lines
    assert wrap_text(text, "> ", width=9) == [line.replace("+", ">") for line in lines]
