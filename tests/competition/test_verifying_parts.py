"""Tests for verifying exports with missing parts: rounds, draws, tables, results, or factions assigned later."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bot.competition import ratings
from bot.competition.published import DrawRecord, NotPublished, Published, encode_published
from bot.competition.seating import draw_again
from bot.competition.settings import read_settings, settings_digest
from bot.competition.verification import seating_wishes, verify, verify_document
from tests.competition.published_example import example, under_way
from tests.competition.test_verifying import (
    FIRST,
    PLAYED,
    SEATS,
    difference,
    draw_of,
    other_draw,
    other_round,
    other_table,
)


def test_an_export_of_another_form_is_refused() -> None:
    with pytest.raises(NotPublished) as refused:
        verify(encode_published(msgspec.structs.replace(example(), mentat=3)))
    assert str(refused.value) == "This export has format 3; this Mentat reads formats up to 2."


def with_settings(document: Published, text: str) -> Published:
    return msgspec.structs.replace(document, settings=text, settings_sha256=settings_digest(text))


def test_settings_that_cannot_be_read_are_named_and_the_notes_are_kept() -> None:
    found = verify_document(with_settings(under_way(), 'title = ""'))
    assert found.difference == "The settings cannot be read: title must be one line of 1 to 120 characters."
    assert found.notes == verify_document(under_way()).notes != ()


def test_before_the_first_draw_there_is_no_seed_whose_secret_is_missing() -> None:
    assert verify_document(msgspec.structs.replace(under_way(), rounds=(), results=())).notes == ()
    without = [msgspec.structs.replace(one, draw=None) for one in under_way().rounds]
    assert verify_document(msgspec.structs.replace(under_way(), rounds=tuple(without))).notes == ()


def test_a_beacon_of_a_draw_that_is_none_of_the_tournament_is_named() -> None:
    assert difference(msgspec.structs.replace(example(), beacon="")) == (
        "Rounds 1, 2: drawn with the beacon 'beacon text 42', but the tournament's beacon is ''."
    )


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (other_round(2, draw=None), ""),
        (other_round(3, tables=()), "There is a result for table 3.1, but no such table."),
        (
            other_draw(3, history=(msgspec.structs.replace(FIRST.tables[0], table=9), *draw_of(example(), 3).history)),
            "Round 3: table 1.9 of its history differs from its draw.",
        ),
        (
            other_draw(1, byes=FIRST.roster),
            f"Rounds 1, 2: {str(list(FIRST.roster)).replace(' ', '').replace(chr(39), chr(34))[:79]}… sat out before, "
            "according to the file, but the earlier draws give [].",
        ),
    ],
)
def test_what_is_missing_is_named_where_something_else_needs_it(document: Published, said: str) -> None:
    assert difference(document) == said


def test_what_cannot_be_computed_is_named_even_if_nothing_else_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise AssertionError

    monkeypatch.setattr(ratings, "first_rating_difference", broken)
    assert difference(example()) == "The file's data for the ratings is invalid: AssertionError."


def test_a_draw_with_the_hours_that_it_rests_on_is_computed_again() -> None:
    """Unlike other readers, an auditor has the sealed hours."""
    awake = ((1 << 24) - 1,) * len(FIRST.roster)
    with_hours = other_draw(1, hours=awake, hours_sealed=True)
    assert difference(with_hours) == ""
    assert "the seating depends on" not in " ".join(verify_document(with_hours).notes)
    moved = other_draw(1, hours=awake, hours_sealed=True, tables=(FIRST.tables[1], FIRST.tables[0], *FIRST.tables[2:]))
    assert difference(moved) == "Rounds 1, 2: table 1.2 is in the place of table 1.1."


def test_of_a_sealed_draw_without_factions_any_may_have_been_played() -> None:
    bare = tuple(msgspec.structs.replace(seat, faction=None) for seat in SEATS)
    assert difference(other_draw(1, tables=other_table(1, seats=bare), apart_digest="ab" * 32)) == ""


def by_preference(document: Published) -> Published:
    """Return the example with its first heats drawn without factions."""
    document = with_settings(document, example().settings + '[factions]\nby = "preference"\n')
    drawn = draw_again(FIRST, seating_wishes(read_settings(document.settings)))
    return other_heats(document, drawn)


def other_heats(document: Published, drawn: DrawRecord) -> Published:
    rounds = [msgspec.structs.replace(one, draw=drawn) for one in document.rounds[:2]]
    return msgspec.structs.replace(document, rounds=tuple(rounds), results=(), state="cancelled")


def test_factions_that_come_after_the_draw_are_no_part_of_the_seating() -> None:
    document = by_preference(example())
    drawn = draw_of(document, 1)
    assert {seat.faction for table in drawn.tables for seat in table.seats} == {None}
    assert draws_of(document) == ""

    def with_first(**more: Any) -> str:
        table, *others = drawn.tables
        one, two, *rest = table.seats
        seats = (msgspec.structs.replace(one, **more), two, *rest)
        tables = (msgspec.structs.replace(table, seats=seats), *others)
        return draws_of(other_heats(document, msgspec.structs.replace(drawn, tables=tables)))

    one, two, *_ = drawn.tables[0].seats
    assert with_first(faction=PLAYED[0].faction, offered=(PLAYED[0].faction, PLAYED[1].faction), price=7) == ""
    assert with_first(entrant=two.entrant) == (
        f"Rounds 1, 2: table 1.1: in the file {two.entrant} sits at dot {one.dot}, but by the seed {one.entrant} sits "
        f"at dot {one.dot}."
    )
    counted = msgspec.structs.replace(drawn, cost=msgspec.structs.replace(drawn.cost, factions=3))
    assert draws_of(other_heats(document, counted)) == ""


def draws_of(document: Published) -> str:
    """Return the first fault in the draws; later faults are ignored."""
    found = difference(document)
    return "" if "of the standings" in found or found.startswith(("The standings", "Something")) else found


def test_an_export_without_ratings_has_none() -> None:
    document = with_settings(example(), "rated = false\n" + example().settings)
    one = example().ratings[0]
    assert difference(document) == f"The rating change of {one.entrant} by {one.game} follows from no result."
    assert difference(msgspec.structs.replace(document, ratings=())) == ""
