"""Tests that a letter's questions come first, that text and HTML agree, and that a ticked form is read as meant."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from datetime import timedelta
from urllib.parse import parse_qs, unquote, urlsplit
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser

from bot.language.orders import Context, Unread, read_line
from bot.mail.lines import form_block
from bot.mail.message import Incoming, parse
from bot.mail.outgoing import Image, Letter, build_letter
from bot.mail.own_words import own_lines
from bot.mail.quotes import REPLY_MARK
from bot.render import letters
from bot.render.material import Duty, LineVerdict, Position, PressReceived, Rendering, SheetCall
from bot.render.position import board
from bot.render.text import BAR, WIDTH
from bot.wording.filters import isolated
from rules.components import FACTIONS, as_faction
from tests.reports.every_letter import OVER, PUBLIC, RULES, WRITTEN
from tests.reports.positions import ADDRESS, CODE, DUE, HARKONNEN, NOW, SHIPMENT, games


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def words_of_page(html: str) -> list[str]:
    """Return the visible words of the HTML in order, without buttons, their captions and discs. A coloured field counts
    as its label."""
    page = LexborHTMLParser(html)
    for field in page.css("[role=img]"):
        field.replace_with(f" {field.attributes['aria-label']} ")
    for gone in page.css(
        "[aria-hidden=true]:not(.chip), head, a.button, a.ready, .chip, .more, div[style*='display:none']"
    ):
        gone.decompose()
    body = page.body
    assert body is not None
    return words(body.text(separator="\n"))


def letters_of_random_games() -> Iterable[tuple[Position, Rendering]]:
    for _, _, positions in games():
        for position in positions:
            public = position.reader.viewer == "public"
            yield position, letters.public_summary(position) if public else letters.private_report(position)


def test_only_the_bene_gesserit_coexist_and_only_where_they_declared_it() -> None:
    there = {"bene-gesserit": "3", "atreides": "1"}
    forces = {"arrakeen/10": there, "carthag/11": there}
    view = {**HARKONNEN.view, "forces": forces, "coexisting": ["arrakeen"]}
    rows = {row.label: row.lines[0] for row in board(replace(HARKONNEN, view=view)).rows}
    assert rows["Arrakeen"] == "Bene Gesserit 3 (coexisting), Atreides 1"
    assert rows["Carthag"] == "Bene Gesserit 3, Atreides 1"


def test_a_blank_that_the_reader_cannot_use_is_not_in_their_form() -> None:
    players = HARKONNEN.view["players"]

    def form(**facts: object) -> tuple[str, ...]:
        view = {**HARKONNEN.view, "players": {**players, "harkonnen": {**players["harkonnen"], **facts}}}
        bid = replace(SHIPMENT, kind="bid", about={"number": 1, "of": 2, "bid": 0, "spice": 3}, choices=("pass",))
        move = replace(
            SHIPMENT, kind="movement", about={"reach": 1, "leave": None, "hajr": False}, choices=("no move",)
        )
        return letters.private_report(replace(HARKONNEN, view=view, wanted=(SHIPMENT, bid, move))).form

    bare = form(hand=["Shield"], ally="")
    assert {"ship _ to ______", "bid _", "move _ from ______ to ______"} <= set(bare)
    assert not [line for line in bare if line.startswith(("ship _ from", "hajr")) or line.endswith("with karama")]
    rich = form(hand=["Hajr", "Karama"], ally="guild")
    assert {"ship _ from ______ to reserves", "bid _ with karama", "hajr move _ from ______ to ______"} <= set(rich)


@pytest.mark.parametrize(("returns", "offered"), [(True, True), (False, False)])
def test_the_form_has_a_way_back_to_the_reserves_where_the_rule_set_opens_it(returns: bool, offered: bool) -> None:
    view = {**HARKONNEN.view, "players": {**HARKONNEN.view["players"]}}
    view["players"]["harkonnen"] = {**view["players"]["harkonnen"], "ally": "guild"}
    question = replace(SHIPMENT, about={**SHIPMENT.about, "returns": returns})
    form = letters.private_report(replace(HARKONNEN, view=view, wanted=(question,))).form
    assert ("ship _ from ______ to reserves" in form) == offered
    assert "ship _ from ______ to ______" in form


def test_who_is_asked_for_a_reaction_may_ask_to_be_left_in_peace_for_the_turn() -> None:
    window = replace(SHIPMENT, kind="karama-window", about={}, choices=("no karama",), default="no karama")
    asked = replace(HARKONNEN, wanted=(window,))
    assert "[ ] waive reactions until mentat" in letters.private_report(asked).form
    late = replace(asked, view={**HARKONNEN.view, "phase": "mentat"})
    assert "[ ] waive reactions until mentat" not in letters.private_report(late).form


def test_those_who_owe_the_same_are_waited_for_together() -> None:
    three = tuple(Duty(faction, "traitor", DUE) for faction in ("guild", "fremen", "emperor"))
    waited = letters.private_report(replace(HARKONNEN, waiting=(*three, Duty("atreides", "bid", DUE)))).text
    together = "the choice of traitors (Guild, Fremen and Emperor), until Tue 24 Nov 21:00; a bid (Atreides), until"
    assert f"Also open: {together}" in " ".join(waited.split())
    for_nothing = letters.private_report(replace(HARKONNEN, waiting=three, wanted=())).text
    assert "\nOpen: the choice of traitors (Guild, Fremen and Emperor)" in for_nothing


def test_who_has_answered_a_call_is_told_when_the_round_goes_on() -> None:
    rested = letters.reply_to_orders(replace(HARKONNEN, wanted=(), goes_on=DUE), (), ())
    told = (
        "The round will go on once everybody has answered, but no later than Tue 24 Nov 21:00 Berlin time (in 2 days)."
    )
    assert told in " ".join(rested.text.split())
    assert "The round will go on" not in letters.reply_to_orders(replace(HARKONNEN, goes_on=DUE), (), ()).text


def test_a_call_for_the_battles_says_where_the_reader_fights_and_has_buttons() -> None:
    fights = (("arrakeen", "harkonnen"), ("carthag", "guild"))
    call = SheetCall("battle", DUE, fights)  # type: ignore[arg-type]  # territories by their ids
    called = letters.private_report(replace(HARKONNEN, wanted=(), call=call))
    assert "You fight in Arrakeen against Harkonnen and in Carthag against Guild." in " ".join(called.text.split())
    links = [button.attributes["href"] or "" for button in LexborHTMLParser(called.html).css("a.button")]
    bodies = [parse_qs(urlsplit(link).query)["body"] for link in links]
    assert bodies == [["waive reactions until collection"], ["no transfer"]]
    assert words(called.text) == words_of_page(called.html)
    rest = letters.private_report(replace(HARKONNEN, wanted=(), call=replace(call, fights=()))).text
    assert "You do not fight." in rest
    assert "fight" not in letters.private_report(replace(HARKONNEN, wanted=(), call=SheetCall("storm", DUE))).text


@pytest.mark.parametrize("kind", WRITTEN)
def test_text_and_html_say_the_same(kind: str) -> None:
    rendered = WRITTEN[kind]()
    assert words(rendered.text) == words_of_page(rendered.html)


def test_text_and_html_say_the_same_in_random_games() -> None:
    for _, rendered in letters_of_random_games():
        assert words(rendered.text) == words_of_page(rendered.html)


def test_no_line_of_a_letter_is_wider_than_its_page_but_orders_and_long_words() -> None:
    for _, rendered in letters_of_random_games():
        text = rendered.text.partition(f"[form {CODE}]")[0]
        assert all(len(line) <= WIDTH for line in text.splitlines())
        assert not any(line != line.rstrip() for line in text.splitlines())


STRANGE = {
    "long": "N" * 200,
    "long words": "Ann " * 50,
    "Arabic": "محمد بن عبد الله",
    "Chinese": "保羅亞崔迪" * 12,
    "emoji": "🏜️🪱 " * 20,
    "HTML": "<b onclick='x()'>Ann</b><script>alert(1)</script>&amp;",
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_name_breaks_no_line_and_turns_nothing_around_it(name: str) -> None:
    shown = isolated(STRANGE[name])
    assert (shown != STRANGE[name]) == (name == "Arabic")
    reader = replace(HARKONNEN.reader, name=shown)
    position = replace(HARKONNEN, reader=reader, players=dict.fromkeys(HARKONNEN.seats, shown), remarks=(shown,))
    verdict = LineVerdict(shown, "unread", shown, shown)
    words_of_players = PressReceived("guild", shown, 1)
    for written in (
        letters.setup_letter(replace(position, rules=RULES)),
        letters.private_report(position),
        letters.reply_to_orders(position, (verdict,), (shown,)),
        letters.press(position, words_of_players),
        letters.notice(position, "A notice", (shown,)),
    ):
        lines = written.text.partition(f"[form {CODE}]")[0].splitlines()
        assert all(columns(line) <= WIDTH for line in lines)
        assert written.html.count("<script") == written.html.count(" onclick='x") == 0
        assert words(written.text) == words_of_page(written.html) or name in ("long", "Chinese")


def columns(line: str) -> int:
    """Return a line's width in terminal columns."""
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in line)
    return len(line) + wide - sum(unicodedata.category(each) in ("Mn", "Me", "Cf") for each in line)


def test_what_is_wanted_comes_before_everything_else_and_says_when_and_what_silence_means() -> None:
    lines = letters.private_report(HARKONNEN).text.splitlines()
    assert lines[0].startswith(REPLY_MARK)
    assert lines[4:8:3] == ["Ship tokens? Move a group?", "By Tue 24 Nov 21:00 Berlin time (in 2 days)."]
    assert "  If you say nothing: no shipment." in lines[8:20]


def test_a_deadline_is_told_on_the_readers_own_clock() -> None:
    tokyo = replace(HARKONNEN, reader=replace(HARKONNEN.reader, zone=ZoneInfo("Asia/Tokyo")))
    assert letters.private_report(tokyo).subject.endswith("by Wed 05:00")
    assert "By Wed 25 Nov 05:00 Tokyo time" in letters.private_report(tokyo).text


@pytest.mark.parametrize(
    ("left", "said"),
    [(60, "in 2 days"), (20, "in 20 hours"), (0.5, "in 30 minutes"), (1 / 60, "in 1 minute"), (1 / 120, "now")],
)
def test_how_long_there_is_until_a_deadline(left: float, said: str) -> None:
    soon = replace(HARKONNEN, wanted=(replace(SHIPMENT, due=NOW + timedelta(hours=left)),))
    assert f"({said})" in letters.private_report(soon).text


def test_a_deadline_that_is_past_is_not_told_as_one_to_come() -> None:
    past = replace(HARKONNEN, wanted=(replace(SHIPMENT, due=NOW - timedelta(hours=3)),))
    assert "The deadline has passed: please answer now." in letters.private_report(past).text
    assert " by " not in letters.private_report(past).subject


def test_different_deadlines_are_told_with_their_questions() -> None:
    later = replace(
        SHIPMENT, kind="movement", about={"reach": 1, "leave": None, "hajr": False}, due=DUE + timedelta(days=1)
    )
    text = letters.private_report(replace(HARKONNEN, wanted=(SHIPMENT, later))).text
    assert "  By Tue 24 Nov 21:00 Berlin time (in 2 days)." in text
    assert "  By Wed 25 Nov 21:00 Berlin time (in 3 days)." in text


def test_a_report_without_a_question_says_so() -> None:
    rendered = letters.private_report(replace(HARKONNEN, wanted=()))
    assert rendered.subject == "[sietch-12] T4 movement: news, nothing to decide"
    assert rendered.form == ()
    assert "[form" not in rendered.text


def test_an_answered_question_may_still_be_replaced_in_the_form_but_is_not_wanted() -> None:
    answered = replace(SHIPMENT, answered=("ship 7 to Sietch Tabr",))
    rendered = letters.private_report(replace(HARKONNEN, wanted=(answered,)))
    assert "By Tue" not in rendered.text
    assert "# ordered so far: ship 7 to Sietch Tabr" in rendered.form
    assert "[ ] no shipment" in rendered.form


def test_of_other_games_a_reminder_asks_what_is_not_answered_yet() -> None:
    answered = replace(SHIPMENT, answered=("ship 7 to Sietch Tabr",))
    asks, quiet = (
        letters.reminder_of_games((HARKONNEN, replace(HARKONNEN, game_id="sietch-13", wanted=(wanted,))))
        for wanted in (SHIPMENT, answered)
    )
    assert "* Ship tokens?" in asks.text.partition("sietch-13")[2]
    assert "* Ship tokens?" not in quiet.text.partition("sietch-13")[2]


def test_the_board_is_a_picture_only_where_it_is_put_in() -> None:
    without = letters.private_report(HARKONNEN)
    assert without.picture is None
    assert "<img" not in without.html
    shown = letters.with_picture(without, HARKONNEN)
    assert shown.picture == letters.picture_of(HARKONNEN)
    (image,) = LexborHTMLParser(shown.html).css("img")
    assert image.attributes["src"] == "cid:board"
    assert (image.attributes["alt"] or "").startswith("Storm in sector 9.")


# --- the form and the links ------------------------------------------------------------------------------------------


def _reply(rendered: Rendering, edit: Callable[[str], str], html: bool) -> Incoming:
    """Return the mail that arrives when a player edits the quoted letter."""
    if html:
        page = edit(rendered.html)
        text, body = "", f"<div dir='ltr'></div><blockquote class='gmail_quote'>{page}</blockquote>"
    else:
        quoted = "\n".join(f"> {line}" for line in edit(rendered.text).splitlines())
        text, body = f"On Sun, 22 Nov 2026 at 21:00, Mentat <{ADDRESS}> wrote:\n{quoted}\n", None
    raw = build_letter(
        Letter("mentat@arrakis.example", "Re: x", text, "ann@example.org", "1@example.org", NOW, "", html=body)
    )
    read = parse(raw)
    assert isinstance(read, Incoming)
    return read


def _read(rendered: Rendering, edit: Callable[[str], str], html: bool) -> tuple[str, ...]:
    sent = {CODE: list(rendered.form)}
    return own_lines(_reply(rendered, edit, html), sent.get, "mentat@arrakis.example").lines


@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
def test_a_box_that_is_ticked_is_an_order_and_nothing_else_is(html: bool) -> None:
    rendered = letters.private_report(HARKONNEN)
    assert _read(rendered, lambda text: text, html) == ()
    for box in (line for line in rendered.form if line.startswith("[ ] ")):
        ticked = _read(rendered, lambda text, box=box: text.replace(box, box.replace("[ ]", "[x]")), html)  # type: ignore[misc]
        assert ticked == (box.removeprefix("[ ] "),)


@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
def test_a_blank_that_is_filled_in_is_an_order(html: bool) -> None:
    rendered = letters.private_report(HARKONNEN)
    filled = _read(rendered, lambda text: text.replace("ship _ to ______", "ship 3 to carthag", 1), html)
    assert filled == ("ship 3 to carthag",)


def test_every_box_of_random_games_reads_back_as_an_order() -> None:
    boxes = {
        (position.reader.viewer, line.removeprefix("[ ] "))
        for position, rendered in letters_of_random_games()
        for line in rendered.form
        if line.startswith("[ ] ")
    }
    assert len(boxes) > 50
    for viewer, line in boxes:
        assert not isinstance(read_line(line, Context(as_faction(viewer))), Unread), line


def test_the_form_stands_in_the_text_as_the_mail_room_knows_it() -> None:
    rendered = letters.private_report(HARKONNEN)
    assert form_block(CODE, rendered.form) in rendered.text


def test_a_button_opens_a_reply_with_the_order_in_it() -> None:
    page = LexborHTMLParser(letters.private_report(HARKONNEN).html)
    buttons = page.css("a.button")
    assert [button.text() for button in buttons] == [*SHIPMENT.choices, *HARKONNEN.wanted[1].choices]
    for button in buttons:
        link = urlsplit(button.attributes["href"] or "")
        asked = parse_qs(link.query, strict_parsing=True)
        assert (link.scheme, unquote(link.path)) == ("mailto", ADDRESS)
        assert asked["body"] == [button.text()]
        assert asked["subject"] == [f"[sietch-12] {button.text()}"]
        assert "+" not in (button.attributes["href"] or "")  # RFC 6068: a plus is a plus, a space is %20


# --- what must not happen ---------------------------------------------------------------------------------------------


def test_a_summary_for_all_shows_no_hand_even_if_it_is_given_one() -> None:
    assert "Crysknife" in letters.private_report(HARKONNEN).text
    for post in (letters.public_summary(PUBLIC).html, letters.summary_markdown(PUBLIC)):
        assert "Crysknife" not in post


@given(st.text(max_size=300), st.sampled_from(FACTIONS))
def test_the_words_of_a_player_cannot_pass_for_ours(text: str, sender: str) -> None:
    rendered = letters.press(HARKONNEN, PressReceived(as_faction(sender), text, 1))
    body = rendered.text.split("writes:\n\n", 1)[1].split("\n\nTo answer,", 1)[0]
    assert all(line.startswith(BAR.rstrip()) for line in body.splitlines())


@given(st.text(max_size=200))
def test_what_looks_like_html_in_a_mail_is_shown_and_not_obeyed(text: str) -> None:
    page = LexborHTMLParser(letters.notice(HARKONNEN, "x", [f"<script>alert(1)</script><img src=x>{text}"]).html)
    assert not page.css("script, img")


def test_marks_of_markdown_in_a_name_show_as_they_are() -> None:
    odd = replace(PUBLIC, game_id="*a*|b[url]")
    assert r"\*a\*\|b\[url\]" in letters.summary_markdown(odd)


def test_a_letter_can_be_mailed_with_its_picture() -> None:
    rendered = letters.with_picture(letters.private_report(HARKONNEN), HARKONNEN)
    assert rendered.picture is not None
    raw = build_letter(
        Letter(
            "ann@example.org", rendered.subject, rendered.text, "mentat@arrakis.example", "1@arrakis.example", NOW,
            "sietch-12", html=rendered.html, images=(Image("board", rendered.picture, "board.png"),),
        )
    )  # fmt: skip
    assert b"Content-ID: <board>" in raw


@pytest.mark.parametrize("kind", ["setup", "over"])
def test_markup_in_the_name_of_a_player_is_text(kind: str) -> None:
    name = "<b onclick=x>Ann</b><img src=x>&amp;"
    position = OVER if kind == "over" else replace(HARKONNEN, rules=RULES)
    named = replace(
        position,
        reader=replace(position.reader, name=name),
        players={as_faction(faction): name for faction in position.view["players"]},
    )
    letter = letters.setup_letter(named) if kind == "setup" else letters.end_of_game(named)
    page = LexborHTMLParser(letter.html)
    assert page.text().count(name) > 2
    assert not page.css("[onclick], img[src=x]")
    assert " ".join(letter.text.split()).count(name) > 2
