"""Tests for the exact markup of a report's blocks in each forum dialect."""

from __future__ import annotations

import pytest

from bot.render.blocks import (
    Block,
    Board,
    Fight,
    Footer,
    Heading,
    Link,
    List,
    Name,
    Paragraph,
    Part,
    Row,
    Rows,
    Side,
    Story,
    Table,
    Title,
)
from bot.render.forum_posts import (
    DIALECTS,
    LONGEST_LINE,
    LONGEST_LIST,
    ROOM_FOR_TITLE,
    Format,
    ReportPart,
    cut_into_posts,
    cut_text,
    harmless,
    in_columns,
)

SIDES = (Side("Guild", "12", "won"), Side("Emperor", "", "lost"))
BLOCKS: tuple[Block, ...] = (
    Title("Guild wins", "In turn 4."),
    Title("Draw"),
    Heading("The board", "now"),
    Paragraph("one\n\ntwo"),
    Paragraph("first", "lead"),
    Rows((Row("Cards", ("a", "b")), Row("Ally", ("c",)))),
    Rows(()),
    Story((Row("Storm", ("It moved.", "Again.")), Row("Spice", ()))),
    Table(("Who", "Spice"), (("Guild", "3"), ("Emperor", "12")), frozenset({1}), ("their ally", "")),
    Table(("", ""), (("a", "b"),)),
    Fight("Carthag", "two", SIDES, (("Dial", "7", "2"),), ("It was close.",)),
    Board("Storm.", (Row("Arrakeen", ("Atreides 9", "Guild 1")),)),
    Footer((), ("x",)),
)
TABLE = "Who      Spice\nGuild        3\n  their ally\nEmperor     12"
PLANS = "      Guild 12 won  Emperor lost\nDial  7             2"
WRITTEN: dict[Format, tuple[list[str], ...]] = {
    "bbcode": (
        ["[size=150][b]Guild wins[/b][/size]\n\nIn turn 4."], ["[size=150][b]Draw[/b][/size]"],
        ["[b][u]The board now[/u][/b]"], ["one\ntwo"], ["[b]first[/b]"],
        ["[list]\n[*][b]Cards:[/b] a; b\n[*][b]Ally:[/b] c\n[/list]"], [],
        ["[b]Storm[/b]\n[list]\n[*]It moved.\n[*]Again.\n[/list]", "[b]Spice[/b]\n"],
        [f"[code]\n{TABLE}\n[/code]"], ["[code]\na  b\n[/code]"],
        [f"[b]Carthag:[/b] two\n\n[code]\n{PLANS}\n[/code]", "[list]\n[*]It was close.\n[/list]"],
        ["Storm.\n\n[code]\nArrakeen  Atreides 9, Guild 1\n[/code]"], [],
    ),
    "bgg": (
        ["[size=18][b]Guild wins[/b][/size]\n\nIn turn 4."], ["[size=18][b]Draw[/b][/size]"],
        ["[b][u]The board now[/u][/b]"], ["one\ntwo"], ["[b]first[/b]"], ["- [b]Cards:[/b] a; b\n- [b]Ally:[/b] c"],
        [], ["[b]Storm[/b]\n- It moved.\n- Again.", "[b]Spice[/b]\n"], [f"[c]\n{TABLE}\n[/c]"], ["[c]\na  b\n[/c]"],
        [f"[b]Carthag:[/b] two\n\n[c]\n{PLANS}\n[/c]", "- It was close."],
        ["Storm.\n\n[c]\nArrakeen  Atreides 9, Guild 1\n[/c]"], [],
    ),
    "markdown": (
        ["## Guild wins\n\nIn turn 4."], ["## Draw"], ["### The board now"], ["one\ntwo"], ["**first**"],
        ["- **Cards:** a; b\n- **Ally:** c"], [], ["**Storm**\n- It moved.\n- Again.", "**Spice**\n"],
        ["| Who | Spice |\n|---|---:|\n| Guild<br>their ally | 3 |\n| Emperor | 12 |"],
        ["|  |  |\n|---|---|\n| a | b |"],
        ["**Carthag:** two\n\n|  | Guild 12 won | Emperor lost |\n|---|---|---|\n| Dial | 7 | 2 |",
         "- It was close."],
        ["Storm.\n\n|  |  |\n|---|---|\n| Arrakeen | Atreides 9, Guild 1 |"], [],
    ),
    "text": (
        ["Guild wins\n==========\n\nIn turn 4."], ["Draw\n===="], ["The board now\n-------------"], ["one\ntwo"],
        ["first"], ["- Cards: a; b\n- Ally: c"], [], ["Storm\n- It moved.\n- Again.", "Spice\n"],
        ["  " + TABLE.replace("\n", "\n  ")], ["  a  b"],
        ["Carthag: two\n\n  " + PLANS.replace("\n", "\n  "), "- It was close."],
        ["Storm.\n\n  Arrakeen  Atreides 9, Guild 1"], [],
    ),
}  # fmt: skip


def test_a_part_is_its_heading_and_its_blocks_and_links_are_words() -> None:
    part = Part("Turn 4", [Paragraph("one"), List((Link("two", "2.html"), Name("@Ann")))], "turn-4", "now")
    assert DIALECTS["markdown"].units(part) == ["### Turn 4 now", "one", "- two\n- (at)Ann"]


@pytest.mark.parametrize("format", DIALECTS)
def test_each_block_is_written_with_the_marks_of_its_forum(format: Format) -> None:
    assert tuple(DIALECTS[format].units(block) for block in BLOCKS) == WRITTEN[format]


@pytest.mark.parametrize(
    ("format", "covered"),
    [
        ("bbcode", "[b]Hidden (x)[/b]\n[spoiler]\ninside\n[/spoiler]"), ("bgg", "[b]Hidden (x)[/b]\n[o]\ninside\n[/o]"),
        ("markdown", '[details="Hidden x"]\n\ninside\n\n[/details]'),
        ("text", "Hidden [x]\n\n" + ".\n" * 20 + "\ninside"),
    ],
)  # fmt: skip
def test_what_is_covered_has_its_label_before_it(format: Format, covered: str) -> None:
    assert DIALECTS[format].covered("Hidden [x]", "inside") == covered
    assert DIALECTS[format].items([]) == ""


def test_plain_text_is_no_wider_than_72_columns() -> None:
    text, full = DIALECTS["text"], "x" * 72
    assert text.words(f"{full} y") == f"{full}\ny"
    assert text.heading(f"{full} y") == f"{full}\ny\n{'-' * 72}"
    assert text.title(f"{full} y") == f"{full}\ny\n{'=' * 72}"
    assert text.items(["x" * 70 + " y", "a\nb"]) == f"- {'x' * 70}\n  y\n- a b"


def test_a_long_list_becomes_several_and_a_long_line_too() -> None:
    half = "x" * (LONGEST_LIST // 4)
    assert LONGEST_LIST == 4 * LONGEST_LINE
    lines = Story((Row("Deals", (half, half, half, half, "y")),))
    assert [unit.count("- ") for unit in DIALECTS["bgg"].units(lines)] == [4, 1]
    assert DIALECTS["bgg"].units(Paragraph(half + "z")) == [f"{half}\nz"]


# --- columns and pieces ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (17, ["Name       Spice", "Harkonnen      3", "Bene G.       12"]),
        (16, ["Name       Spice", "Harkonnen      3", "Bene G.       12"]),
        (15, ["Name      Spice", "Harkonne      3", "n", "Bene G.      12"]),
        (5, ["Name    Spice", "Harkon      3", "nen", "Bene       12", "G."]),
    ],
)
def test_the_widest_column_gives_way_until_it_is_narrow(width: int, lines: list[str]) -> None:
    grid = Table(("Name", "Spice"), (("Harkonnen", "3"), ("Bene G.", "12")), frozenset({1}))
    assert in_columns(grid, str, width) == lines


def test_what_stands_below_a_row_is_set_in_and_goes_on_in_the_next_line() -> None:
    grid = Table(("A", "B"), (("a", "b"), ("c", "d")), below=("", "one two"))
    assert in_columns(grid, str, 6) == ["A  B", "a  b", "c  d", "  one", "  two"]
    assert in_columns(Table((), ()), str, 6) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [""]), ("12345", ["12345"]), ("123456", ["12345", "6"]), ("12345 6", ["12345", "6"]),
        ("1234 56", ["1234", "56"]), (" 123456", [" 1234", "56"]), ("12345  ", ["12345"]), ("1 3 5 7", ["1 3 5", "7"]),
    ],
)  # fmt: skip
def test_a_text_is_cut_between_words_where_that_can_be(text: str, found: list[str]) -> None:
    assert cut_text(text, 5) == found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@all \uff20all", "(at)all (at)all"), ("http://a.b", "http: //a.b"), ("www.a.b", "www .a.b"),
        ("see a.b", "see a.b"), (":)", ": )"), ("8)", "8 )"), ("a8)", "a8)"), ("=)", "= )"), (":smile:", ": smile:"),
        ("it is so: (well)", "it is so: (well)"), ("a\u200bb\u2028c\u202ed", "ab cd"), ("e\u0301", "é"),
    ],
)  # fmt: skip
def test_words_are_made_harmless(text: str, shown: str) -> None:
    assert harmless(text) == shown


# --- posts -----------------------------------------------------------------------------------------------------------


def test_a_post_is_filled_to_its_last_letter_and_no_further() -> None:
    def texts(limit: int, *parts: ReportPart) -> list[tuple[str, list[int]]]:
        return [(post.text, post.numbers) for post in cut_into_posts(parts, ROOM_FOR_TITLE + limit)]

    one, two = ReportPart(1, "a", "again", ["bb"]), ReportPart(2, "c", "again", ["d"])
    assert texts(11, one, two) == [("a\n\nbb\n\nc\n\nd", [1, 2])]
    assert texts(10, one, two) == [("a\n\nbb", [1]), ("c\n\nd", [2])]
    long = ReportPart(3, "o", "A", ["1111", "2222", "3333"])
    assert texts(13, long) == [("o\n\n1111\n\n2222", [3]), ("A\n\n3333", [3])]
    assert texts(12, long) == [("o\n\n1111", [3]), ("A\n\n2222", [3]), ("A\n\n3333", [3])]
    assert texts(9, one, long) == [("a\n\nbb", [1]), ("o\n\n1111", [3]), ("A\n\n2222", [3]), ("A\n\n3333", [3])]
    assert texts(9, long, one)[-1] == ("a\n\nbb", [1])
    assert texts(9) == []
