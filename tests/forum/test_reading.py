"""Only acts on openly visible, marked lines count in a post, never quoted or hidden text."""

from __future__ import annotations

import time

import pytest

from bot.channels import Dialect
from bot.forum.posts import MOST_LINES, PostLine, form_of, read_post

MARKDOWN, BBCODE, BGG, TEXT = Dialect.MARKDOWN, Dialect.BBCODE, Dialect.BGG, Dialect.TEXT


def acts(raw: str, dialect: Dialect, *, plain: bool = False) -> list[str]:
    read = read_post(raw, dialect, plain=plain)
    return [line.text for line in read if line.kind == "words" and form_of(line.text) == "act"]


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("line", [
    "bid 3", "Bid 3.", "pass", "pass all", "ship 4 to Carthag", "ship 2+1 to Arrakeen", "no shipment",
    "move 3 from Carthag to Arrakeen",
    "no move", "ally with Guild", "break alliance", "no alliance", "press to all: Spice for water, anybody?",
    "press to all: see https://example.org :-)", "ship 3 to Sihaya Ridge",
    "move 3 from Carthag → Imperial Basin",
])  # fmt: skip
def test_an_act_on_a_marked_line_counts_in_every_dialect(line: str, dialect: Dialect) -> None:
    raw = f"Well then, I would pass.\n!{line}\nThat is all."
    assert read_post(raw, dialect) == (PostLine(line),)
    assert form_of(line) == "act"


def test_lines_count_in_their_order_and_the_talk_between_them_does_not() -> None:
    assert acts("Hello\n!bid 3\nor perhaps\n\n!pass", MARKDOWN) == ["bid 3", "pass"]


@pytest.mark.parametrize("line", [
    "plan 3, leader Feyd Rautha", "bid up to 7", "bid 3 with karama", "traitor Feyd", "karama cancel voice",
    "voice no poison weapon", "no treachery", "support bids 5", "when card 2: bid 3", "standing: charity",
    "press to Guild: psst",
    "press unsigned to all: I know", "deal with Guild: peace", "absent 2026-12-01 to 2026-12-03", "resign",
    "batle plan 3 Feyd", "karma cancel voice", "my traitor is Feyd", "predct Guild 5",
    "truthtrance Guild: do you hold a Shield?",
])  # fmt: skip
def test_what_only_counts_by_mail_is_known_as_that(line: str) -> None:
    assert [form_of(found.text) for found in read_post(f"!{line}", MARKDOWN)] == ["secret"]


@pytest.mark.parametrize("line", ["bidd 3", "I bid five", "hello", "bid 3 **now**", "bid `3`", "bid ³", "раss"])
def test_a_marked_line_that_nobody_can_read_is_not_lost_without_a_word(line: str) -> None:
    assert len(read_post(f"!{line}", MARKDOWN)) == 1


@pytest.mark.parametrize("said", ["!I am K7QX2M", "! i am k7qx2m.", "!I'm K7QX2M"])
def test_a_code_is_read_in_capitals(said: str) -> None:
    assert read_post(said, BBCODE) == (PostLine("K7QX2M", "code"),)


FORGED = {
    "quoted": ("> !bid 9", MARKDOWN),
    "quoted twice": ("> > !bid 9", MARKDOWN),
    "quoted without a space": (">!bid 9", MARKDOWN),
    "a quote that goes on without its sign": ("> Chani said\n!bid 9", MARKDOWN),
    "in a list": ("- well\n!bid 9", MARKDOWN),
    "below a point of a list": ("1. one\n   !bid 9", MARKDOWN),
    "in a fence": ("```\n!bid 9\n```", MARKDOWN),
    "in a fence that does not end": ("~~~\n!bid 9", MARKDOWN),
    "in code by its margin": ("talk\n\n    !bid 9", MARKDOWN),
    "in code within a line": ("`\n!bid 9\n`", MARKDOWN),
    "struck over lines": ("~~so\n!bid 9\nso~~", MARKDOWN),
    "in a comment": ("<!--\n!bid 9\n-->", MARKDOWN),
    "in a comment that does not end": ("<!--\n\n!bid 9", MARKDOWN),
    "covered by HTML": ("<details><summary>x</summary>\n\n!bid 9\n\n</details>", MARKDOWN),
    "quoted by HTML": ("<blockquote>\n\n!bid 9\n\n</blockquote>", MARKDOWN),
    "quoted as Discourse does": ('[quote="chani, post:3, topic:7"]\n!bid 9\n[/quote]', MARKDOWN),
    "in another quote": ("[quote]a[quote]b[/quote]\n!bid 9\n[/quote]", MARKDOWN),
    "a quote that does not end": ("[quote]\n!bid 9", BBCODE),
    "a quote whose tag does not end": ('[quote="chani\n!bid 9', BBCODE),
    "a quote with a bracket in its name": ('[quote="a]b"]\n!bid 9\n[/quote]', BBCODE),
    "a quote ended by another tag": ("[quote]\n[/code]\n!bid 9\n[/quote]", BBCODE),
    "behind the end of a quote": ("[quote]x[/quote]!bid 9", BBCODE),
    "before a quote in its line": ("!bid 9[quote]x[/quote]", BBCODE),
    "quoted as BoardGameGeek does": ('[q="chani"]\n!bid 9\n[/q]', BGG),
    "covered as BoardGameGeek does": ("[o]\n!bid 9\n[/o]", BGG),
    "in code of BoardGameGeek": ("[c]\n!bid 9\n[/c]", BGG),
    "struck": ("[s]\n!bid 9\n[/s]", BBCODE),
    "quoted in capitals": ("[QUOTE=Chani]\n!bid 9\n[/QUOTE]", BBCODE),
    "quoted in a mail": ("> !bid 9", TEXT),
    "within a line": ("I say !bid 9", TEXT),
    "with a mark the wrong way up": ("¡bid 9", TEXT),
    "with something unseen before the mark": ("\u200b!bid 9", TEXT),
    "with something unseen in it": ("!bid 9\u200b", TEXT),
    "with its direction turned": ("!bid \u202e9", TEXT),
    "with letters that only look like it": ("!bіd 9", TEXT),
    "behind a separator of lines that no forum knows": ("talk\u2028!bid 9", TEXT),
    "behind an unseen end of line": ("talk\x0b!bid 9", TEXT),
    "a picture": ("![bid 9](https://example.org/a.png)", MARKDOWN),
    "escaped": ("\\!bid 9", MARKDOWN),
    "as an entity": ("&#33;bid 9", MARKDOWN),
    "with a number as an entity": ("!bid &#57;", MARKDOWN),
    "with a comment in it": ("!bid <!-- 1 -->9", MARKDOWN),
}


@pytest.mark.parametrize(("raw", "dialect"), FORGED.values(), ids=FORGED.keys())
def test_nothing_counts_that_its_writer_does_not_say_in_the_open(raw: str, dialect: Dialect) -> None:
    assert acts(raw, dialect) == []
    assert acts(raw.replace("bid 9", "I am K7QX2M"), dialect) == []
    assert not [line for line in read_post(raw.replace("bid 9", "I am K7QX2M"), dialect) if line.kind == "code"]


@pytest.mark.parametrize("forged", [raw for raw, dialect in FORGED.values() if dialect == MARKDOWN and "\n" in raw])
def test_what_follows_a_forged_line_after_a_blank_one_counts_where_the_quote_has_ended(forged: str) -> None:
    ended = not any(sign in forged for sign in ("~~~", "<!--\n\n"))
    assert acts(f"{forged}\n\n!pass", MARKDOWN) == (["pass"] if ended else [])


def test_without_that_only_marked_lines_count() -> None:
    assert read_post("bid 3\npass", TEXT) == ()


def test_at_most_fifty_lines_of_a_post_are_read_and_the_next_act_is_named() -> None:
    lines = read_post("!bid 3\n" * 8000, MARKDOWN)
    assert [line.kind for line in lines[MOST_LINES:]] == ["long"]


def test_a_longer_post_than_any_forum_takes_is_not_read() -> None:
    assert acts("!bid 3\n" + "x" * 60_000, MARKDOWN) == []


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "[quote]",
        "> ",
        "*a",
        "<a ",
        "`",
        "![",
        "[a](",
        '[quote="',
        "[quote=a",
        "\0",
        "\ud800",
        "[/quote]",
        "<!--",
        "| a ",
    ],
)
@pytest.mark.parametrize("dialect", [MARKDOWN, BBCODE])
def test_nothing_that_is_posted_takes_long_or_breaks_the_reading(piece: str, dialect: Dialect) -> None:
    before = time.process_time()
    read_post(f"!bid 3\n{piece * (20_000 // len(piece))}", dialect)
    assert time.process_time() - before < 2
