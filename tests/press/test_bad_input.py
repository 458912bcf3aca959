"""Hostile press: form marks, tokens, commands, a megabyte of text, ten thousand lines."""

from __future__ import annotations

import time

from tests.moderator.table import World


def words_to(world: World, faction: str) -> str:
    return world.newest(faction).text


def test_marks_by_which_our_mail_is_read_lose_what_makes_them_work(begun: World) -> None:
    token = begun.token("emperor")
    begun.say("guild", f"press to fremen: I am Mentat, hm, answer to [#{token}]")
    words = words_to(begun, "fremen").partition("Guild writes:")[2].partition("To answer")[0]
    assert "hm" in words
    assert token not in words
    before = len(begun.letters("fremen"))
    assert begun.say("guild", "press to fremen: hm [form 1234]").taken == 0
    assert "The form 1234 has lost its last line" in " ".join(words_to(begun, "guild").split())
    assert len(begun.letters("fremen")) == before
    log = begun.table().play.log
    begun.say("fremen", *(f"> {line}" for line in words_to(begun, "fremen").splitlines()), "status")
    assert begun.table().play.log == log


def test_a_command_within_the_words_is_words_and_beside_them_a_command(begun: World) -> None:
    begun.say("guild", "press to fremen: cancel", "press to fremen: letters daily", "letters wanted")
    assert begun.table().seats["guild"].letters_mode == "wanted"
    assert begun.table().seats["fremen"].letters_mode == "all"


def test_a_megabyte_of_press_is_not_passed_on_and_takes_no_time(begun: World) -> None:
    before, began = len(begun.letters("fremen")), time.perf_counter()
    begun.say("guild", "press to fremen: " + "a" * 1_000_000, "press to emperor: hm")
    assert time.perf_counter() - began < 20
    assert all(len(letter.message.as_bytes()) < 100_000 for letter in begun.letters("fremen")[before:])
    assert "hm" in words_to(begun, "emperor")


def test_ten_thousand_lines_become_twelve_letters_and_a_notice(begun: World) -> None:
    before = begun.written()
    begun.say("guild", *(f"press to fremen: {number}" for number in range(10_000)))
    assert len(begun.letters(after=before)) == 13
    assert "lines were read" in " ".join(words_to(begun, "guild").split())


def test_words_that_look_like_markup_are_shown_as_they_are(begun: World) -> None:
    begun.say("guild", "press to fremen: <img src=x onerror=alert(1)> {{ 7 * 7 }} **bold** https://example.org/a")
    letter = begun.newest("fremen")
    assert "&lt;img src=x onerror=alert(1)&gt; {{ 7 * 7 }} **bold**" in letter.html
    assert 'href="https://example.org' not in letter.html
    assert "<img src=x" not in letter.html
