"""Mails with several texts: each is read in its place, but only one of several versions (RFC 2046, 5.1.3, 5.1.4)."""

from __future__ import annotations

import pytest

from bot.mail.disposition import Examined, examine
from tests.mail.test_parts import parts, text

ADDRESS = "mentat@arrakis.example"
PICTURE = "Content-Type: image/png\nContent-Disposition: inline\nContent-Transfer-Encoding: base64\n\neA=="


def read(mail: str) -> Examined:
    return examine(f"From: Ann <ann@home.example>\n{mail}".encode(), ADDRESS, lambda code: None)


def plain(words: str) -> str:
    return text("plain", words)


def page(words: str) -> str:
    return text("html", f"<html><body>{words}</body></html>")


BOTH = parts("alternative", plain("bid 4"), page("<p>bid 4</p>"))
QUOTED = "On Mon, 30 Nov 2026 at 10:00, Mentat <mentat@arrakis.example> wrote:\n\n> Your bid?\n> bid 5"
MAILS = {
    "footer of a gateway": (parts("mixed", BOTH, plain("Posted by the club.")), ["bid 4", "Posted by the club."]),
    "page after plain text": (parts("mixed", plain("bid 4"), page("<p>no move</p>")), ["bid 4", "no move"]),
    "plain text after a page": (parts("mixed", page("<p>bid 4</p>"), plain("no move")), ["bid 4", "no move"]),
    "picture between": (parts("mixed", page("bid 4"), PICTURE, page("no move")), ["bid 4", "no move"]),
    "picture between, with plain text": (
        parts("alternative", plain("bid 4\n\nno move"), parts("mixed", page("bid 4"), PICTURE, page("no move"))),
        ["bid 4", "no move"],
    ),
    "two mails in one": (
        parts("mixed", BOTH, parts("alternative", plain("no move"), page("<p>no move</p>"))),
        ["bid 4", "no move"],
    ),
    "after a file": (
        parts("mixed", plain("bid 4"), "Content-Type: application/pdf; name=a.pdf\n\nx", plain("no move")),
        ["bid 4", "no move"],
    ),
    "after a quote": (parts("mixed", plain(f"bid 4\n\n{QUOTED}"), PICTURE, plain("no move")), ["bid 4", "no move"]),
    "related within alternative": (
        parts("alternative", plain("bid 4"), parts("related", page("bid 4"), PICTURE)),
        ["bid 4"],
    ),
    "alternative within related": (parts("related", BOTH, PICTURE), ["bid 4"]),
    "signed": (parts("signed", BOTH, "Content-Type: application/pgp-signature\n\nx"), ["bid 4"]),
    "the same twice, not as versions": (
        parts("mixed", plain("give 2 spice to guild"), page("<p>give 2 spice to guild</p>")),
        ["give 2 spice to guild"],
    ),
    "the same twice, and a footer": (
        parts("mixed", plain("give 2 spice to guild\n\nPosted by the club."), page("<p>give 2 spice to guild</p>")),
        ["give 2 spice to guild", "Posted by the club."],
    ),
    "the same text twice": (parts("mixed", BOTH, BOTH), ["bid 4"]),
    "the same text again, in plain text alone": (
        parts("mixed", BOTH, plain("bid 4"), plain("pass")),
        ["bid 4", "pass"],
    ),
    "a footer among the versions": (
        parts("alternative", plain("bid 4"), page("bid 4"), plain("Posted by the club.")),
        ["bid 4"],
    ),
    "a plain text that points to the page": (
        parts("mixed", parts("alternative", plain("This is an HTML mail."), page("bid 4")), plain("no move")),
        ["bid 4", "no move"],
    ),
    "a page that plain words name": (
        parts("alternative", plain("see rules.html\nbid 4"), page("see rules.html<br>bid 4")),
        ["see rules.html", "bid 4"],
    ),
    "an empty version": (parts("alternative", plain(" \n"), page("bid 4")), ["bid 4"]),
    "an empty version beside a text": (
        parts("mixed", parts("alternative", plain(" "), page("bid 4")), plain("no move")),
        ["bid 4", "no move"],
    ),
    "flowed and not": (
        parts("mixed", "Content-Type: text/plain; format=flowed\n\nbid \n4", plain("no move \npass")),
        ["bid 4", "no move", "pass"],
    ),
    "a signature of its own": (parts("mixed", plain("bid 4"), page("<p>Ann Moor<br>Moor Ltd.</p>")), ["bid 4"]),
}


@pytest.mark.parametrize("name", MAILS)
def test_every_text_of_a_mail_is_read_in_its_place(name: str) -> None:
    mail, lines = MAILS[name]
    assert list(read(mail).reading.lines) == lines


UNENDED = {
    "a signature": "bid 4\n-- \nAnn",
    "a copied quote": "bid 4\n[quote]pass",
    "a seal": "bid 4\n-----BEGIN PGP SIGNATURE-----\niQEz",
    "a sealed text": "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nbid 4",
    "a disclaimer": "bid 4\n\nThis e-mail is confidential and intended solely for the addressee.",
    "the footer of a list": "bid 4\n\n_______________\nTo unsubscribe from this list, visit https://list.example",
    "a name": "bid 4\n\nBest regards,\nAnn",
    "a letter": "bid 4\n\n-----Original Message-----\nReply above this line\nbid 5",
}


@pytest.mark.parametrize("kind", ["plain", "html"])
@pytest.mark.parametrize("name", UNENDED)
def test_what_nothing_ends_in_one_text_does_not_swallow_the_next(name: str, kind: str) -> None:
    first = plain(UNENDED[name]) if kind == "plain" else page(UNENDED[name].replace("\n", "<br>"))
    lines = read(parts("mixed", first, plain("no move"), page("give 2 spice to guild"))).reading.lines
    assert lines == ("bid 4", "no move", "give 2 spice to guild")


def test_words_that_only_a_further_version_has_are_named() -> None:
    seen = read(parts("alternative", plain("bid 4"), page("bid 4"), plain("no move"))).reading
    assert (seen.lines, seen.ignored) == (("bid 4",), ("no move",))
    assert any("different things" in note for note in seen.notes)


@pytest.mark.parametrize("kind", ["mixed", "alternative"])
def test_the_sender_of_half_a_mail_is_told(kind: str) -> None:
    whole = parts(kind, plain("bid 4"), page("bid 4"))
    half = whole.rpartition("--")[0].rpartition("--")[0]
    assert read(whole).reading.notes == ()
    assert read(half).reading.lines == ("bid 4",)
    assert any("did not arrive" in note for note in read(half).reading.notes)


@pytest.mark.parametrize("kind", ["mixed; boundary=gone", "mixed", "alternative; boundary=gone"])
def test_a_container_within_that_lost_its_boundary_is_read(kind: str) -> None:
    lost = f"Content-Type: multipart/{kind}\n\n--here\n{plain('no move')}\n--here--\n"
    assert read(parts("mixed", plain("bid 4"), lost)).reading.lines == ("bid 4", "no move")
    bare = f"Content-Type: multipart/{kind}\n\nno move\n"
    assert read(parts("mixed", plain("bid 4"), bare)).reading.lines == ("bid 4", "no move")


def test_a_text_without_type_and_name_is_read_like_a_file() -> None:
    seen = read(parts("mixed", plain("bid 4"), "Content-Type: application/octet-stream\n\nno move")).reading
    assert seen.lines == ("bid 4", "no move")
    assert any("was also read" in note for note in seen.notes)
