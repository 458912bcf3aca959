"""Answers written inside our letter, and merging of text and HTML, for cases missing from the corpus."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.mail.html import LETTER_COLOURS, html_lines, stands_out
from bot.mail.lines import COLOURED, Line
from bot.mail.own_words import Draft, Own, agree_on_lines
from bot.mail.quotes import Answers, answers_within
from bot.render.html import discs
from bot.wording import say

PAGE = Path(__file__).parents[2] / "templates/letters/page.html.j2"


def draft(*lines: str, ignored: tuple[str, ...] = ()) -> Draft:
    return Draft(lines=list(map(Own, lines)), ignored=list(ignored), blank=False, body="".join(lines))


def texts(seen: Draft) -> list[str]:
    return [line.text for line in seen.lines]


def test_no_colour_of_our_letters_stands_out() -> None:
    colours = {
        colour.lower()
        for colour in re.findall(r"#([0-9a-fA-F]{6})(?:\b|(?=[0-9a-fA-F]{2}\b))", PAGE.read_text("utf-8"))
    }
    colours |= {colour.removeprefix("#") for disc in discs().values() for colour in (disc.ground, disc.ink)}

    assert colours >= LETTER_COLOURS
    for styled in ("color", "background"):
        assert not [colour for colour in colours if stands_out("span", {"style": f"{styled}:#{colour}"})]


@pytest.mark.parametrize(
    "style", ["color:red", "color: #C00000", "color:#00B050", "color:rgb(0, 112, 192)", "COLOR:BLUE !important"]
)
def test_the_colours_of_outlook_stand_out(style: str) -> None:
    assert stands_out("span", {"style": style})


@pytest.mark.parametrize("style", ["color:windowtext", "color:#333", "background-color:white", "border-color:red"])
def test_black_grey_and_borders_do_not_stand_out(style: str) -> None:
    assert not stands_out("span", {"style": style})


def test_a_line_is_coloured_only_as_a_whole_and_never_as_a_link() -> None:
    page = (
        '<blockquote type=cite><p>Mentat: <font color="red">REFUSED</font></p><p style="color:red">bid 4</p>'
        '<p style="color:red"><a href="x">bid 9</a></p></blockquote>'
    )

    seen = html_lines(page)

    assert seen is not None
    assert [line.depth for line in seen] == [1, COLOURED, 1]


def test_a_colour_counts_only_where_the_player_points_below() -> None:
    letter = [Line("Your bid?", 1), Line("bid 4", COLOURED), Line("More: help", 1)]

    assert answers_within(letter, [], ()) == Answers([], ["bid 4"])
    assert answers_within(letter, ["My answers are below."], ()).taken == ["bid 4"]
    assert answers_within(letter, ["bid 5"], ()).taken == []
    assert answers_within(letter, ["bid 5"], ()).doubtful == ["bid 4"]


def test_a_colour_that_fills_the_letter_counts_nothing() -> None:
    letter = [Line("Your bid?", 1), Line("bid 4", COLOURED), Line("bid 9", COLOURED)]

    assert answers_within(letter, ["see below in red"], ()) == Answers()


def test_only_the_name_of_the_sender_before_a_line_makes_it_theirs() -> None:
    letter = [Line("[Paul Atreides] bid 4"), Line("[Vladimir] bid 9"), Line("[ ] no move")]

    assert answers_within(letter, ["bid 5"], ("paul", "atreides")).taken == ["bid 4"]


def test_older_mails_below_our_letter_hold_no_answers() -> None:
    letter = [Line("Your bid?"), Line("From: Mentat <m@x.example>"), Line("Sent: 1 May 2026"), Line("To: me")]

    assert answers_within([*letter, Line("[Paul] bid 9")], [], ("paul",)).taken == []


def test_numbers_of_lists_and_stars_of_bold_letters_are_no_difference() -> None:
    seen = agree_on_lines(draft("1. bid 4", "*no move*", "2."), draft("bid 4", "no move"))

    assert (texts(seen), seen.notes) == (["bid 4", "no move"], [])


def test_numbers_that_the_player_typed_stay() -> None:
    assert texts(agree_on_lines(draft("1. bid 4"), draft("1. bid 4"))) == ["1. bid 4"]


def test_lines_that_the_text_ran_together_are_parted_and_wrapped_ones_joined() -> None:
    long = "plan dial 3.5 leader Feyd-Rautha weapon Chaumurky"

    assert texts(agree_on_lines(draft("bid 4no move"), draft("bid 4", "no move"))) == ["bid 4", "no move"]
    assert texts(agree_on_lines(draft(long, "defense Shield"), draft(f"{long} defense Shield"))) == [
        f"{long} defense Shield"
    ]


def test_lines_that_the_text_ran_together_are_parted_however_many_they_are() -> None:
    orders = [f"press to guild: this is the line of number {number}" for number in range(40)]
    assert texts(agree_on_lines(draft("".join(orders)), draft(*orders))) == orders


def test_short_lines_that_the_html_lost_the_ends_of_stay_apart() -> None:
    assert texts(agree_on_lines(draft("bid 4", "no move"), draft("bid 4 no move"))) == ["bid 4", "no move"]


def test_a_signature_that_only_the_html_knows_is_no_difference() -> None:
    seen = agree_on_lines(draft("bid 4", "Paul", "move on"), draft("bid 4", ignored=("Paul", "move on")))

    assert (texts(seen), seen.notes) == (["bid 4"], [])


def test_other_words_in_text_and_html_are_told() -> None:
    seen = agree_on_lines(draft("bid 4", "no move"), draft("bid 4", "no shipment"))

    assert (texts(seen), seen.notes) == (["bid 4"], [say("note.differs")])


def test_an_answer_that_the_text_does_not_hold_is_not_taken() -> None:
    html = draft("see below")
    html.answers = [Own("bid 9")]

    assert texts(agree_on_lines(draft("see below"), html)) == ["see below"]


def test_of_two_bodies_one_that_is_blank_says_nothing() -> None:
    for plain, html in ((draft("bid 4"), Draft()), (Draft(), draft("bid 4"))):
        seen = agree_on_lines(plain, html)
        assert (texts(seen), seen.notes) == (["bid 4"], [])


def test_a_signature_that_only_the_text_knows_is_no_difference() -> None:
    seen = agree_on_lines(draft("bid 4", ignored=("Paul", "move on")), draft("bid 4", "Paul", "move on"))
    assert (texts(seen), seen.ignored, seen.notes) == (["bid 4"], ["Paul", "move on"], [])
    doubtful = agree_on_lines(draft("bid 4", ignored=("Paul",)), draft("bid 4", "Paul", "no move"))
    assert (texts(doubtful), doubtful.notes) == (["bid 4"], [say("note.differs")])
    assert doubtful.ignored == ["Paul", "no move", "Paul"]


def test_what_both_bodies_say_counts_though_the_lines_of_one_ran_together() -> None:
    seen = agree_on_lines(draft("bid 4 no move"), draft("bid 4", "no shipment"))
    assert (texts(seen), seen.notes) == (["bid 4"], [say("note.differs")])
    assert seen.ignored == ["bid 4 no move", "no shipment"]
    assert texts(agree_on_lines(draft("bid 5 no move"), draft("bid 4", "no shipment"))) == []


def test_the_number_of_a_list_stays_where_the_html_has_other_words() -> None:
    seen = agree_on_lines(draft("1. bid 4", "2. no move"), draft("bid 4", "no shipment"))
    assert (texts(seen), seen.ignored) == (["bid 4"], ["2. no move", "no shipment"])


def test_the_answers_of_two_sections_stay_in_the_order_of_the_text() -> None:
    plain = Draft(lines=[Own("bid 4", "one"), Own("pass", "two")], blank=False)
    html = Draft(lines=[Own("pass", "two"), Own("bid 4", "one")], blank=False)
    seen = agree_on_lines(plain, html)
    assert (seen.lines, seen.notes) == (plain.lines, [])


@pytest.mark.parametrize(("letters", "joined"), [(500, True), (501, False)])
def test_a_line_of_more_than_a_thousand_letters_is_not_put_together(letters: int, joined: bool) -> None:
    pieces = ["a" * 500, "b" * letters]
    assert texts(agree_on_lines(draft(*pieces), draft(" ".join(pieces)))) == ([" ".join(pieces)] if joined else pieces)
