"""An export is checked from itself alone, and whatever is changed in it is found and named."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.competition.draws import DrawRecord
from bot.competition.published import NotPublished, Published, encode
from bot.competition.sums import differing, sealed
from bot.competition.verifying import verified
from tests.competition.published_example import example, under_way


def test_an_export_that_nobody_changed_is_right() -> None:
    assert verified(encode(example())).difference == ""
    assert verified(encode(example())).notes == ()


def test_an_export_of_a_tournament_under_way_is_right_and_says_that_the_secret_is_still_one() -> None:
    found = verified(encode(under_way()))
    assert found.difference == ""
    assert found.notes == (
        "The secret is published at the end; until then nobody can tell whether the seeds were chosen.",
    )


def changed(document: Published, round_number: int, **more: Any) -> bytes:
    """The export with another draw of a round and of those drawn with it, its sums made anew."""
    wanted = document.rounds[round_number - 1].draw
    assert wanted is not None
    other = msgspec.structs.replace(wanted, **more)
    rounds = [msgspec.structs.replace(one, draw=other) if one.draw == wanted else one for one in document.rounds]
    return encode(sealed(msgspec.structs.replace(document, rounds=tuple(rounds))))


def draw_of(document: Published, number: int) -> DrawRecord:
    found = document.rounds[number - 1].draw
    assert found is not None
    return found


def together(draw: DrawRecord) -> tuple[str, str]:
    """Two who sit at one table."""
    one, other, *_ = draw.tables[0].seats
    return one.entrant, other.entrant


def swapped(draw: DrawRecord) -> Any:
    """The tables of a draw, two players of the first table exchanged."""
    first = draw.tables[0]
    one, other, *rest = first.seats
    seats = (
        msgspec.structs.replace(one, entrant=other.entrant),
        msgspec.structs.replace(other, entrant=one.entrant),
        *rest,
    )
    return (msgspec.structs.replace(first, seats=seats), *draw.tables[1:])


@pytest.mark.parametrize(
    ("what", "more", "said"),
    [
        ("roster", {"roster": ("E012", *draw_of(example(), 1).roster[1:])}, "the digest of the roster is"),
        ("beacon", {"beacon": "beacon text 43"}, "drawn with the beacon 'beacon text 43'"),
        ("seed", {"seed": "0" * 64}, "by the secret the seed is"),
        ("apart", {"apart": (together(draw_of(example(), 1)),)}, "and by the seed"),
        ("tables", {"tables": swapped(draw_of(example(), 1))}, "table 1.1: in the file"),
        ("candidate", {"candidate": 5}, "candidate is 5, and by the seed 0"),
    ],
)
def test_another_draw_is_found_even_with_new_sums(what: str, more: dict[str, Any], said: str) -> None:
    assert said in verified(changed(example(), 1, **more)).difference, what


def test_with_a_secret_digest_of_pairs_the_seating_is_not_computed_and_the_check_says_so() -> None:
    data = changed(example(), 1, apart_digest="ab" * 32)
    found = verified(data)
    assert found.difference == ""
    assert any("only auditors can compute it again" in note for note in found.notes)
    other = data.replace(b"ab" * 32, b"ab" * 31 + b"ac")
    assert "round 1" in verified(other).difference, "its sum holds what cannot be computed"


def with_result(place: int, **more: Any) -> bytes:
    """The export with another result, its sums made anew."""
    document = example()
    results = list(document.results)
    outcome = msgspec.structs.replace(results[place].outcome, **more)
    results[place] = msgspec.structs.replace(results[place], outcome=outcome)
    return encode(sealed(msgspec.structs.replace(document, results=tuple(results))))


def test_another_winner_is_found_in_the_standings_even_with_new_sums() -> None:
    document = example()
    loser = document.results[0].outcome.seats[5].faction
    assert "of the standings" in verified(with_result(0, winners=(loser,))).difference


def test_a_result_that_cannot_be_is_named() -> None:
    four = tuple(seat.faction for seat in example().results[0].outcome.seats[:4])
    assert "4 winners are too many" in verified(with_result(0, winners=four)).difference
    assert "has no result" in verified(with_result(0, table=9)).difference
    assert "its result is of sietch-7" in verified(with_result(0, game="sietch-7")).difference


def test_another_rating_is_named_with_what_it_should_be() -> None:
    document = example()
    first = msgspec.structs.replace(document.ratings[0], after="1600.000000")
    other = sealed(msgspec.structs.replace(document, ratings=(first, *document.ratings[1:])))
    assert verified(encode(other)).difference.startswith("Change 1 of the ratings")


def test_points_with_another_origin_are_found() -> None:
    document = example()
    row = document.standings[0]
    term = msgspec.structs.replace(row.made_of[0], value="99")
    row = msgspec.structs.replace(row, made_of=(term, *row.made_of[1:]))
    other = sealed(msgspec.structs.replace(document, standings=(row, *document.standings[1:])))
    assert "Place 1 of the standings" in verified(encode(other)).difference


@pytest.mark.parametrize("field", ["name", "reliability"])
def test_what_follows_from_nothing_is_held_by_its_sum(field: str) -> None:
    document = example()
    entrant = msgspec.structs.replace(document.entrants[0], **{field: "0.9999"})
    other = msgspec.structs.replace(document, entrants=(entrant, *document.entrants[1:]))
    assert verified(encode(other)).difference.startswith("Something was changed in the part 'entrants'")
    assert differing(other) == ["entrants"]
    assert verified(encode(sealed(other))).difference == "", "so one compares the sum of the whole"
    assert sealed(other).sum != document.sum


def test_a_file_written_by_another_program_is_told_from_ours() -> None:
    data = encode(example())
    assert "as Mentat wrote it" in verified(data.replace(b"\n", b"\r\n")).difference
    assert "as Mentat wrote it" in verified(data[:-1]).difference
    assert "as Mentat wrote it" in verified(data.replace(b"{\n", b'{\n "note": 1,\n', 1)).difference


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"no", b'{"mentat": "1"}', b"\xff\xfe", b"[" * 5000])
def test_what_is_no_export_is_refused_with_a_sentence(data: bytes) -> None:
    with pytest.raises(NotPublished, match="no export of a tournament"):
        verified(data)


@settings(deadline=None, max_examples=30)
@given(place=st.integers(min_value=0), byte=st.integers(min_value=1, max_value=255))
def test_one_changed_byte_anywhere_is_found(place: int, byte: int) -> None:
    data = bytearray(encode(example()))
    data[place % len(data)] ^= byte
    with suppress(NotPublished):
        assert verified(bytes(data)).difference != ""


@settings(deadline=None, max_examples=15)
@given(place=st.integers(min_value=0), length=st.integers(min_value=1, max_value=200))
def test_a_piece_that_is_missing_is_found(place: int, length: int) -> None:
    data = encode(example())
    begin = place % len(data)
    with suppress(NotPublished):
        assert verified(data[:begin] + data[begin + length :]).difference != ""
