"""Extracting a player's own words, for cases missing from the corpus."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.mail.imap import _as_listed
from bot.mail.lines import FORM_BEGIN, FORM_END, Form, Line, changed_lines, form_block, plain_lines, split_forms
from bot.mail.message import Incoming, parse
from bot.mail.own_words import own_lines
from bot.mail.quotes import REPLY_MARK, trim_quotes
from bot.wording import say

ORDERS = st.lists(
    st.sampled_from(["bid 4", "pass all", "ship 4 to carthag", "no move", "press to all: hello there, all of you"]),
    min_size=1,
    max_size=5,
)


def incoming(body: str) -> Incoming:
    seen = parse(f"From: b@x.example\nContent-Type: text/plain; charset=utf-8\n\n{body}".encode())
    assert isinstance(seen, Incoming)
    return seen


def quoted(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.splitlines())


@given(
    ORDERS, st.lists(st.sampled_from(["ship 9 to arrakeen", "", "YOU", "spice 7", "bid 9"]), min_size=1), st.booleans()
)
@settings(max_examples=100, deadline=None)
def test_own_lines_survive_and_quoted_lines_never_do(own: list[str], report: list[str], below: bool) -> None:
    answer, quote = "\n".join(own) + "\n", quoted("\n".join([REPLY_MARK, *report]))
    body = (
        f"On 1 Jan 2026, Mentat wrote:\n{quote}\n{answer}"
        if below
        else f"{answer}\nOn 1 Jan 2026, Mentat wrote:\n{quote}"
    )
    assert list(own_lines(incoming(body), lambda code: None).lines) == own


@given(ORDERS, st.lists(st.sampled_from(["ship 9 to arrakeen", "", "YOU", "spice 7", "bid 9"])))
@settings(max_examples=100, deadline=None)
def test_below_an_unmarked_report_nothing_is_read(own: list[str], report: list[str]) -> None:
    body = "\n".join([*own, "", f"{REPLY_MARK}, or edit the form.", *report])
    assert list(own_lines(incoming(body), lambda code: None).lines) == own


@given(st.lists(st.sampled_from(["bid _ now", "pass", "# shipment", "ship _ to Carthag", ""]), max_size=6), st.data())
@settings(max_examples=100, deadline=None)
def test_of_a_form_only_changed_lines_count(sent: list[str], data: st.DataObject) -> None:
    back = list(sent)
    changes: list[str] = []
    for position in range(len(back)):
        if back[position] and data.draw(st.booleans()):
            back[position] = f"{sent[position]} {len(changes)}"
            changes.append(back[position])
    body = quoted(f"{REPLY_MARK}\nbid 9\n{form_block('abcd1234', back)}\nbid 8")
    reading = own_lines(incoming(body), lambda code: sent if code == "abcd1234" else None)
    assert list(reading.lines) == changes
    assert own_lines(incoming(body), lambda code: None).lines == ()


def test_the_marks_of_a_form_are_found_in_any_case_and_depth() -> None:
    text = f"> > {FORM_BEGIN.format(code='AB12CD')}\n> > bid 4\n> > {FORM_END.format(code='ab12cd').upper()}\nrest"
    forms, others = split_forms(plain_lines(text))
    assert forms == [Form("ab12cd", ("bid 4",), 2, closed=True)]
    assert others == [Line("", 2), Line("rest", 0)]


def test_case_spacing_and_width_are_no_changes_but_a_cross_in_a_box_is() -> None:
    form = Form("x", ("SHIP  _ to\u00a0Carthag", "[x] no move", "[ ] no shipment", "ｐass", ""), 1, closed=True)
    assert changed_lines(form, ["ship _ to Carthag", "[ ] no move", "[ ] no shipment", "pass"]) == ["no move"]


@pytest.mark.parametrize(
    "back", ["[ ✔ ] no move", "［ｘ］ no move", "☑ no move", "✅\ufe0f no move", "(x) no move", "x [ ] no move",
             "[x no move", "[ ]x no move", "X no move", "[ja] no move"],
)  # fmt: skip
def test_a_box_is_ticked_in_many_ways(back: str) -> None:
    assert changed_lines(Form("x", (back,), 1, closed=True), ["[ ] no move"]) == ["no move"]


@pytest.mark.parametrize("back", ["[] no move", "[  ] no move", "[_] no move", "☐ no move"])
def test_an_empty_box_is_not_ticked_however_it_is_drawn(back: str) -> None:
    assert changed_lines(Form("x", (back,), 1, closed=True), ["[ ] no move"]) == []


@pytest.mark.parametrize("back", ["[no] no move", "[-] no move", "[o] no move", "[?] no move"])
def test_what_is_in_a_box_and_no_tick_stays_there_and_is_no_order(back: str) -> None:
    assert changed_lines(Form("x", (back,), 1, closed=True), ["[ ] no move"]) == [back]


def test_a_filled_blank_loses_its_underscores_and_comes_unwrapped() -> None:
    sent = ["move _ from Carthag to ______", "ship _ to Habbanya Ridge Sietch"]
    form = Form("x", ("move _3_ from Carthag to ____Arrakeen__", "ship 4_ to Habbanya", "Ridge Sietch"), 1, closed=True)
    assert changed_lines(form, sent) == ["move 3 from Carthag to Arrakeen", "ship 4 to Habbanya Ridge Sietch"]


def test_a_form_that_comes_twice_is_read_once() -> None:
    block = form_block("abcd1234", ["bid 4"])
    assert own_lines(incoming(quoted(block) + quoted(block)), lambda code: ["bid _"]).lines == ("bid 4",)


@pytest.mark.parametrize(
    "footer",
    [
        "Sent from my iPhone",
        "Get Outlook for Android",
        "Get Krakenmail for Android<https://tracker.example>",
        "Get Nine Folders for iOS",
        "Von meinem Samsung Galaxy Smartphone gesendet.",
        "Envoyé de mon iPhone",
        "Enviado desde mi iPhone",
        "Inviato da iPhone",
        "Verstuurd vanaf mijn iPhone",
        "Skickat från min iPhone",
        "Sendt fra min iPad",
        "Отправлено с iPhone",
        "iPhoneから送信",
        "发自我的iPhone",
        "Gesendet von Outlook für iOS",
        "Sent from Mail for Windows",
        "Sent from Yahoo Mail on Android",
        "Sent via the Samsung Galaxy",
        "Sent with Proton Mail secure email.",
    ],
)
def test_footers_of_phones_are_no_lines_of_the_player(footer: str) -> None:
    reading = own_lines(incoming(f"bid 4\n\n{footer}\n"), lambda code: None)
    assert (reading.lines, reading.ignored) == (("bid 4",), (footer,))


def test_a_notice_that_follows_a_quote_at_once_is_none_of_their_lines() -> None:
    notice = "This e-mail and any attachments are confidential and intended solely for the addressee."
    for words, kept in (
        (f"bid 4\n> and then?\n{notice}\n", ("bid 4",)),
        (f"> and then?\nbid 4\n{notice}\n", ("bid 4", notice)),
    ):
        assert own_lines(incoming(words), lambda code: None).lines == kept


@pytest.mark.parametrize(
    "line", ["send help", "get out", "press to all: sent from my heart", "move 3 from a to b", "--- bid 4"]
)
def test_own_lines_that_are_nearly_footers_stay(line: str) -> None:
    assert trim_quotes([Line(line)]).kept == [line]


def test_folders_are_written_as_the_server_writes_them() -> None:
    assert _as_listed("Mentat/Processed", ".", "INBOX.") == "INBOX.Mentat.Processed"
    assert _as_listed("Mentat/Processed", "/", "") == "Mentat/Processed"
    assert _as_listed("inbox", ".", "INBOX.") == "INBOX"
    assert _as_listed("INBOX/Mentat", ".", "INBOX.") == "INBOX.Mentat"


def own_and_ignored(body: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    seen = parse(b"From: Paul <b@x.example>\nContent-Type: text/plain; charset=utf-8\n\n" + body.encode())
    assert isinstance(seen, Incoming)
    read = own_lines(seen, lambda code: None)
    return tuple(read.lines), tuple(read.ignored)


@pytest.mark.parametrize("picture", ["[image: logo.png]", "[cid:logo@x.example]", "[Inline image 1]"])
def test_what_stands_for_a_picture_is_no_line_of_the_player(picture: str) -> None:
    assert own_and_ignored(f"bid 4\n{picture}\nno move") == (("bid 4", "no move"), ())
    assert own_and_ignored(f"bid 4\n{picture} see\nno move")[0] == ("bid 4", f"{picture} see", "no move")


def test_below_a_salutation_to_the_writer_stands_the_letter_of_somebody_else() -> None:
    assert own_and_ignored("bid 4\n\nHi Paul,\n\nbid 9")[0] == ("bid 4",)
    assert own_and_ignored("bid 4\n\nHi Mentat,\n\nbid 9")[0] == ("bid 4", "Hi Mentat,", "bid 9")
    assert own_and_ignored("Hi Paul,\n\nbid 4")[0] == ("Hi Paul,", "bid 4")


def signed(text: str) -> str:
    inner = "\n".join(f"- {line}" if line.startswith("-") else line for line in text.split("\n"))
    return (
        f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{inner}\n"
        "-----BEGIN PGP SIGNATURE-----\niQEz\n-----END PGP SIGNATURE-----"
    )


def test_signatures_around_the_words_are_taken_off_up_to_three_of_them() -> None:
    text = "bid 4"
    for _ in range(3):
        text = signed(text)
        assert own_and_ignored(text)[0] == ("bid 4",)
    assert "-----BEGIN PGP SIGNED MESSAGE-----" in own_and_ignored(signed(text))[0]


def test_what_is_sealed_is_told_beside_signatures_around_one_another() -> None:
    sealed = "-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----\n"
    seen = parse(f"From: b@x.example\n\n{sealed}{signed(signed('bid 4'))}\n".encode())
    assert isinstance(seen, Incoming)
    found = own_lines(seen, lambda code: None)
    assert (found.lines, found.notes) == (("bid 4",), (say("note.sealed"),))


def test_a_page_that_is_nested_too_deep_does_not_hide_the_plain_text_beside_it() -> None:
    page = "<div>" * 1_000 + "pass"
    raw = (
        "From: b@x.example\nContent-Type: multipart/alternative; boundary=b\n\n"
        f"--b\n\nbid 4\n--b\nContent-Type: text/html\n\n{page}\n--b--\n"
    )
    seen = parse(raw.encode())
    assert isinstance(seen, Incoming)
    found = own_lines(seen, lambda code: None)
    assert (found.lines, found.notes) == (("bid 4",), ())


def test_an_answer_that_only_one_body_holds_does_not_keep_back_the_word_about_a_picture() -> None:
    letter = "Reply above this line.\nYour bid?\n[Baron] bid 4\n"
    raw = (
        "From: Baron <baron@x.example>\nContent-Type: multipart/mixed; boundary=m\n\n--m\n"
        "Content-Type: multipart/alternative; boundary=b\n\n"
        + "--b\n\n" + "".join(f"> {line}\n" for line in letter.splitlines())
        + "--b\nContent-Type: text/html\n\n<blockquote>Reply above this line.<br>Your bid?</blockquote>\n--b--\n"
        "--m\nContent-Type: image/png; name=orders.png\n\nx\n--m--\n"
    )  # fmt: skip
    seen = parse(raw.encode())
    assert isinstance(seen, Incoming)
    found = own_lines(seen, lambda code: None)
    assert found.lines == ()
    assert any("orders.png" in note for note in found.notes)


def test_the_second_opinion_about_quotes_is_left_out_where_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError("spice")

    monkeypatch.setattr("bot.mail.quotes._KNOWN_ATTRIBUTIONS", SimpleNamespace(read=breaks))
    assert own_and_ignored("press to all: hello:\nbid 4")[0] == ("press to all: hello:", "bid 4")
    assert own_and_ignored("bid 4\nso:\n\nOn Sun, Nov 22, 2026 Mentat wrote:\n> old")[0] == ("bid 4", "so:")


def test_words_that_stand_where_the_head_of_a_signature_should_end_are_kept() -> None:
    text = signed("bid 4\nno move").replace("SHA256\n\n", "SHA256\n")
    assert own_and_ignored(f"{text}\npass")[0] == ("bid 4", "no move", "pass")


@pytest.mark.parametrize(
    ("body", "spaced"),
    [
        ("> Your bid?\n4\n\n> Any\n> move?\n\nno\nreally", ["> Your bid?", "4", "", "> Any move?", "no", "really"]),
        ("bid 4\n\npass", ["bid 4", "", "pass"]),
        ("On Monday Mentat wrote:\n> Your bid?\n\nbid 4\n\nThanks", ["> Your bid?", "bid 4", "", "Thanks"]),
    ],
)
def test_each_line_is_handed_over_with_the_quote_directly_above_it(body: str, spaced: list[str]) -> None:
    (section,) = own_lines(incoming(body), lambda code: None).sections
    assert section.spaced == spaced
