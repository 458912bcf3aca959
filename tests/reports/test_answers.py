"""Tests for answers to mails, the last letter, and the end of every letter."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser

from bot.language.orders import Context, Unread, read_line
from bot.render import letters
from bot.render.letters import verdict_on_line
from bot.render.material import LineVerdict, Pages
from tests.reports.every_letter import KINDS, OVER, REVEALED, WON, WRITTEN
from tests.reports.positions import ADDRESS, CODE, HARKONNEN, LINES, SHIPMENT

RESTED = replace(HARKONNEN, wanted=())
TAKEN = LINES[1]


def test_an_answer_ends_when_it_has_answered() -> None:
    answer = letters.reply_to_orders(RESTED, (TAKEN,), ())
    assert len(answer.text.splitlines()) < 28
    for part in ("THE BOARD", "THE TABLE", "YOU\n", "SINCE YOUR LAST MAIL", "[form"):
        assert part not in answer.text
    assert not answer.told, "the news are for the next letter"
    assert "status (your position)" in " ".join(answer.text.split())


def test_an_answer_that_wants_more_shows_what_helps_to_decide_it() -> None:
    answer = letters.reply_to_orders(HARKONNEN, (TAKEN,), ())
    assert answer.told
    for part in (
        "Ship tokens? Move a group?\n===",
        "\nBy Tue 24 Nov 21:00",
        "SINCE YOUR LAST MAIL",
        "YOU\n",
        "THE BOARD",
        "[form",
    ):
        assert part in answer.text


def test_who_asks_to_see_the_position_is_shown_it_although_nothing_is_wanted() -> None:
    answer = letters.reply_to_orders(
        RESTED, (LineVerdict("status", "done", "status", "The position is below."),), (), True
    )
    assert answer.told
    assert "THE BOARD" in answer.text


def test_a_line_that_the_reason_shows_whole_is_not_said_twice() -> None:
    reason = "Did you mean “bid 5”? Send that line."
    asked = LineVerdict("biid 5", "unread", reason=reason, suggestions=("bid 5",))
    answer = letters.reply_to_orders(RESTED, (asked,), ())
    assert answer.text.count("bid 5") == 1 + asked.text.count("bid 5")
    assert "would be right" not in answer.text + answer.html
    assert "body=bid%205" in answer.html, "its button stays"
    long = "plan dial 3 leader Feyd-Rautha weapon Crysknife defense Snooper"
    broken = LineVerdict("Feyd", "unread", reason=f"Did you mean “{long}”? Send that line.", suggestions=(long,))
    assert f"\n{' ' * 18}{long[:40]}" in letters.reply_to_orders(RESTED, (broken,), ()).text


@pytest.mark.parametrize(
    ("length", "suggestions", "shown"),
    [(100, ("bid 5",), ()), (101, ("bid 5",), ("bid 5",)), (100, ("bid 5", "bid 6"), ("bid 5", "bid 6")),
     (100, ("bid 7",), ("bid 7",))],
)  # fmt: skip
def test_one_line_that_a_short_reason_shows_whole_stands_there_alone(
    length: int, suggestions: tuple[str, ...], shown: tuple[str, ...]
) -> None:
    reason = f"{'Did you mean “bid 5”?':.<{length}}"
    line = LineVerdict("biid 5", "unread", reason=reason, suggestions=suggestions)
    assert verdict_on_line(RESTED, line).suggestions == shown


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ((), "No order found"),
        ((LineVerdict("hi", "talk"),), "No order found"),
        ((TAKEN,), "Your order is taken"),
        ((TAKEN, LINES[2]), "Both lines are taken"),
        ((TAKEN, LINES[2], TAKEN), "All 3 lines are taken"),
        ((TAKEN, LINES[0]), "1 of your 2 lines is not taken"),
        ((LINES[0],), "Your line is not taken"),
        ((LINES[4],), "Your answer"),
    ],
)
def test_the_headline_of_an_answer_says_what_became_of_the_mail(lines: tuple[LineVerdict, ...], title: str) -> None:
    page = LexborHTMLParser(letters.reply_to_orders(RESTED, lines, ()).html)
    assert [heading.text() for heading in page.css("h1")] == [title]


@pytest.mark.parametrize("kind", KINDS)
def test_every_letter_has_one_headline(kind: str) -> None:
    assert len(LexborHTMLParser(KINDS[kind]().html).css("h1")) == 1


def test_buttons_that_are_cut_say_that_more_stands_in_the_form() -> None:
    many = replace(SHIPMENT, choices=tuple(f"ship {number} to Carthag" for number in range(1, 12)))
    rendered = letters.private_report(replace(HARKONNEN, wanted=(many,)))
    page = LexborHTMLParser(rendered.html)
    assert len(page.css("a.button")) == 8
    assert [note.text() for note in page.css(".more")] == [
        "The form at the end of this letter has 3 more choices, and lines to fill in."
    ]
    assert "[ ] ship 11 to Carthag" in rendered.form
    assert not LexborHTMLParser(letters.private_report(HARKONNEN).html).css(".more")


# --- the last letter -------------------------------------------------------------------------------------------------


def test_the_last_letter_says_why_it_was_won_who_played_whom_and_what_was_hidden() -> None:
    said = " ".join(letters.end_of_game(OVER).text.split())
    for fact in (
        "The Guild and Atreides won in turn 4", "Three strongholds were enough: Arrakeen, Carthag and Tuek's Sietch.",
        "Guild Cid, won",
        "Harkonnen Ann", "Prediction Fremen in turn 5; it did not come true", "In hand: Shield, Karama",
        "In their pay: Gurney Halleck (Atreides), Bashar (Emperor)", "Captured: Burseg (Emperor)",
        "No traitor was called in this game.", "one secret seed: spice", "sietch-12.jsonl.gz",
    ):  # fmt: skip
        assert fact in said


def test_a_prediction_that_only_a_win_by_default_would_fulfil_says_why_it_did_not_count() -> None:
    won = replace(WON, facts={**WON.facts, "how": "guild"})
    foretold = replace(OVER, background=(won,), revealed=replace(REVEALED, prediction={"faction": "guild", "turn": 4}))
    said = " ".join(letters.end_of_game(foretold).text.split())
    assert "Guild in turn 4; they won, but only a victory by strongholds can be predicted" in said


def test_nothing_is_revealed_before_a_game_is_over() -> None:
    running = replace(OVER, revealed=None, seed="")
    said = letters.end_of_game(running).text
    assert "WHAT WAS HIDDEN" not in said
    assert REVEALED.hands["guild"][0] not in said


# --- the end of every letter -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", WRITTEN)
def test_every_letter_of_a_game_says_how_to_reach_the_game_master_the_rules_and_help(kind: str) -> None:
    said = " ".join(WRITTEN[kind]().text.split())
    assert "press to gm: your words" in said
    assert "rules WORD" in said
    assert "help" in said


def test_no_line_of_ours_reads_as_an_order_where_a_quoted_letter_has_lost_its_marks() -> None:
    """Only players' own lines, suggestions and orders to choose from are orders."""
    for kind, made in KINDS.items():
        if kind.startswith(("reply", "answer", "reminder of games", "digest of games")):
            continue
        rendered = made()
        lines = rendered.text.partition(f"[form {CODE}]")[0].splitlines()
        lines += [link.text() for link in LexborHTMLParser(rendered.html).css("a.ready")]
        assert [line for line in lines if not isinstance(read_line(line.strip(), Context("harkonnen")), Unread)] == []


def test_the_end_of_a_letter_has_mails_ready_to_be_sent() -> None:
    ready = LexborHTMLParser(letters.notice(HARKONNEN, "x", ["y"]).html).css("a.ready")
    links = [urlsplit(link.attributes["href"] or "") for link in ready]
    assert {unquote(link.path) for link in links} == {ADDRESS}
    assert [parse_qs(link.query)["body"] for link in links] == [["press to gm: "], ["rules"], ["help"], ["status"]]


def test_pages_of_the_game_master_are_named_in_text_and_html() -> None:
    with_pages = replace(HARKONNEN, pages=Pages("https://dune.example.org/rules", ""))
    rendered = letters.notice(with_pages, "x", ["y"])
    assert "Read the rules: https://dune.example.org/rules" in rendered.text
    assert 'href="https://dune.example.org/rules"' in rendered.html
    assert "How to play" not in rendered.text
