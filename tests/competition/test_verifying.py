"""Tests that an export can be verified without other data, and that every change in it is found and named."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.competition.outcomes import SeatOutcome
from bot.competition.published import (
    Cost,
    DrawRecord,
    Entrant,
    GameRecord,
    NotPublished,
    Published,
    differing_parts,
    encode_published,
    roster_digest,
    sum_of_round,
    with_sums,
)
from bot.competition.ratings import recompute_changes
from bot.competition.settings import read_settings, settings_digest
from bot.competition.standings import standings_of_published
from bot.competition.verification import ProvedEnd, verify, verify_document
from tests.competition.published_example import AGAIN, example, under_way


def test_an_export_that_nobody_changed_is_right() -> None:
    assert verify(encode_published(example())).difference == ""
    assert verify(encode_published(example())).notes == (AGAIN,)


def test_an_export_of_a_tournament_under_way_is_right_and_says_that_the_secret_is_still_one() -> None:
    found = verify(encode_published(under_way()))
    assert found.difference == ""
    assert found.notes == (
        "The secret is published at the end; until then nobody can tell whether the seeds were chosen.",
    )


def with_records(document: Published) -> tuple[Published, dict[str, ProvedEnd]]:
    """Return the document with all games' record heads, and the ends that those records prove."""
    ends, heads = {}, []
    for result in (one for one in document.results if one.outcome.version == 1):
        outcome, head = result.outcome, f"{result.outcome.round}{result.outcome.table}" * 32
        heads.append(GameRecord(round=outcome.round, table=outcome.table, game=outcome.game, head=head, lines=9))
        ends[head] = ProvedEnd(outcome.winners, outcome.turn)
    return with_sums(msgspec.structs.replace(document, records=tuple(heads))), ends


def with_another_winner(document: Published) -> Published:
    """Change the last winner, and recompute everything that follows from it."""
    *before, last = document.results
    loser = next(seat.faction for seat in last.outcome.seats if seat.faction not in last.outcome.winners)
    forged = msgspec.structs.replace(last, outcome=msgspec.structs.replace(last.outcome, winners=(loser,)))
    made = msgspec.structs.replace(document, results=(*before, forged))
    made = msgspec.structs.replace(made, ratings=recompute_changes(made))
    return with_sums(msgspec.structs.replace(made, standings=standings_of_published(made)))


def test_one_changed_winner_is_found_by_the_records_or_by_the_sum_of_a_letter_and_else_taken_on_trust() -> None:
    document, records = with_records(example())
    right = verify(encode_published(document), records, document.sum)
    assert (right.difference, right.proved, right.won) == ("", 4, 5)
    assert right.trust == ("the winners of 2.2, which an act of the organisers changed",)
    last = document.rounds[-1].number
    assert verify(encode_published(document), records, sum_of_round(document, last)).difference == ""
    forged = with_another_winner(document)
    alone = verify(encode_published(forged))
    assert alone.difference == ""
    assert alone.trust[0] == "the winners of 1.1, 1.2, 2.1, 3.1, whose records are missing"
    assert verify(encode_published(forged), records).difference.startswith("Table 3.1: won by ")
    for said in (document.sum, sum_of_round(document, last)):
        assert "something was changed" in verify(encode_published(forged), {}, said).difference
    early = sum_of_round(document, 1)
    assert verify(encode_published(forged), {}, early).difference == "", "the first round is as it was"


def test_winners_that_an_act_changed_are_taken_on_trust_and_those_that_arbiters_named_are_in_the_record() -> None:
    document, records = with_records(example())
    first, *more = document.results
    decided = msgspec.structs.replace(
        first, by="arbiter", outcome=msgspec.structs.replace(first.outcome, how="arbiters")
    )
    found = verify_document(with_sums(msgspec.structs.replace(document, results=(decided, *more))), records)
    assert (found.proved, found.trust) == (4, ("the winners of 2.2, which an act of the organisers changed",))


def test_settings_are_written_out_and_what_the_file_says_otherwise_is_found() -> None:
    document = example()
    effective = msgspec.json.decode(msgspec.json.encode(read_settings(document.settings)))
    written = with_sums(msgspec.structs.replace(document, effective=effective))
    assert verify(encode_published(written)).notes == (AGAIN,)
    effective["endings"]["protest_hours"] = 24
    other = verify(encode_published(with_sums(msgspec.structs.replace(document, effective=effective))))
    assert other.difference == ""
    assert other.notes == (
        AGAIN,
        "The default of endings.protest_hours was 24 and is now 72; the tournament uses the old one.",
    )
    effective["title"] = "Another"
    wrong = verify(encode_published(with_sums(msgspec.structs.replace(document, effective=effective))))
    assert wrong.difference.startswith("The settings say that title is ")


def test_an_export_of_the_form_before_is_still_read() -> None:
    old = with_sums(msgspec.structs.replace(example(), mentat=1))
    data = encode_published(old)
    assert not {"effective", "records"} & (set(msgspec.json.decode(data)) | set(old.sums))
    assert verify(data).difference == ""


def test_settings_with_an_expansion_that_does_not_belong_to_the_rule_set_are_named() -> None:
    text = f'{example().settings}[tables.options]\nexpansion = "ixians-tleilaxu"\n'
    other = with_sums(msgspec.structs.replace(example(), settings=text, settings_sha256=settings_digest(text)))
    found = verify(encode_published(other)).difference
    assert found.startswith("The file's data for the draws is invalid: ")
    assert "is not played with wbc-2018" in found


def changed(document: Published, round_number: int, **more: Any) -> bytes:
    """Return the export with a changed draw for all rounds drawn with this one, and new checksums."""
    wanted = document.rounds[round_number - 1].draw
    assert wanted is not None
    other = msgspec.structs.replace(wanted, **more)
    rounds = [msgspec.structs.replace(one, draw=other) if one.draw == wanted else one for one in document.rounds]
    return encode_published(with_sums(msgspec.structs.replace(document, rounds=tuple(rounds))))


def draw_of(document: Published, number: int) -> DrawRecord:
    found = document.rounds[number - 1].draw
    assert found is not None
    return found


def together(draw: DrawRecord) -> tuple[str, str]:
    """Return two entrants who sit at the same table."""
    one, other, *_ = draw.tables[0].seats
    return one.entrant, other.entrant


def swapped(draw: DrawRecord) -> Any:
    """Return a draw's tables, with two players of the first table exchanged."""
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
        ("beacon", {"beacon": "beacon text 44"}, "drawn with the beacon 'beacon text 44'"),
        ("seed", {"seed": "0" * 64}, "the secret gives the seed"),
        ("apart", {"apart": (together(draw_of(example(), 1)),)}, "the seed"),
        ("tables", {"tables": swapped(draw_of(example(), 1))}, "table 1.1: in the file"),
        ("candidate", {"candidate": 5}, "candidate is 5; the seed gives 0"),
    ],
)
def test_another_draw_is_found_even_with_new_sums(what: str, more: dict[str, Any], said: str) -> None:
    assert said in verify(changed(example(), 1, **more)).difference, what


def test_with_a_secret_digest_of_pairs_the_seating_is_not_computed_and_the_check_says_so() -> None:
    data = changed(example(), 1, apart_digest="ab" * 32)
    found = verify(data)
    assert found.difference == ""
    assert any("only auditors can recompute it" in note for note in found.notes)
    other = data.replace(b"ab" * 32, b"ab" * 31 + b"ac")
    assert "round 1" in verify(other).difference, "its sum holds what cannot be computed"


def with_result(place: int, **more: Any) -> bytes:
    """Return the export with a changed result and new checksums."""
    document = example()
    results = list(document.results)
    outcome = msgspec.structs.replace(results[place].outcome, **more)
    results[place] = msgspec.structs.replace(results[place], outcome=outcome)
    return encode_published(with_sums(msgspec.structs.replace(document, results=tuple(results))))


def test_another_winner_is_found_in_the_standings_even_with_new_sums() -> None:
    document = example()
    loser = document.results[0].outcome.seats[5].faction
    assert "of the standings" in verify(with_result(0, winners=(loser,))).difference


def test_a_result_that_cannot_be_is_named() -> None:
    four = tuple(seat.faction for seat in example().results[0].outcome.seats[:4])
    assert "4 winners are too many" in verify(with_result(0, winners=four)).difference
    assert "has no result" in verify(with_result(0, table=9)).difference
    assert "its result is for sietch-7" in verify(with_result(0, game="sietch-7")).difference


def other_draw(number: int, **more: Any) -> Published:
    """Return the example with a changed draw for all rounds drawn with this one."""
    return msgspec.json.decode(changed(example(), number, **more), type=Published)


def other_round(number: int, **more: Any) -> Published:
    """Return the example with changes in this round only."""
    rounds = list(example().rounds)
    rounds[number - 1] = msgspec.structs.replace(rounds[number - 1], **more)
    return msgspec.structs.replace(example(), rounds=tuple(rounds))


def other_table(number: int, **more: Any) -> Any:
    """Return the tables of a draw in the example, with the first table changed."""
    first, *rest = draw_of(example(), number).tables
    return (msgspec.structs.replace(first, **more), *rest)


def other_seats(place: int, *seats: Any) -> Published:
    """Return the example with different seats in one result."""
    return msgspec.json.decode(with_result(place, seats=seats), type=Published)


def difference(document: Published) -> str:
    return verify(encode_published(with_sums(document))).difference


def numbers(cost: Cost, small: int = 0) -> tuple[int, ...]:
    return (cost.apart, cost.twice, cost.meetings, cost.small + small, cost.factions, cost.dots, cost.hours)


FIRST = draw_of(example(), 1)
ROSTER = FIRST.roster
SEATS = FIRST.tables[0].seats
ELSEWHERE = FIRST.tables[1].seats[0].entrant
PLAYED = example().results[0].outcome.seats


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (
            msgspec.structs.replace(example(), entrants=example().entrants[::-1]),
            "The entrants are not in the order of their handles.",
        ),
        (
            other_draw(1, roster=(*ROSTER[:-1], "E099"), roster_digest=roster_digest((*ROSTER[:-1], "E099"))),
            "Rounds 1, 2: E099 is on the roster but is not an entrant.",
        ),
        (
            other_draw(1, ranked=(*ROSTER[:-1], ROSTER[0])),
            "Rounds 1, 2: the ranking does not list everybody on the roster exactly once.",
        ),
        (
            other_draw(
                1, roster=(*ROSTER, ROSTER[0]), ranked=(*ROSTER, ROSTER[0]),
                roster_digest=roster_digest((*ROSTER, ROSTER[0])),
            ),
            "Rounds 1, 2: the ranking does not list everybody on the roster exactly once.",
        ),
        (other_round(2, kind="swiss"), "Round 2 is a swiss but was drawn as a heat."),
        (other_round(3, draw=FIRST), "Round 3 has the draw of Rounds 1, 2."),
        (
            other_round(2, draw=draw_of(example(), 3)),
            "Round 2 was drawn with Rounds 1, 2, but has another draw.",
        ),
        (
            other_draw(1, tables=FIRST.tables[:-1]),
            "Rounds 1, 2: the seed gives 4 tables, but the file has 3.",
        ),
        (
            other_draw(1, tables=(FIRST.tables[1], FIRST.tables[0], *FIRST.tables[2:])),
            "Rounds 1, 2: table 1.2 is in the place of table 1.1.",
        ),
        (
            other_draw(1, tables=other_table(1, seats=SEATS[:-1])),
            "Rounds 1, 2: table 1.1 has 5 seats, but the seed gives 6.",
        ),
        (
            other_draw(1, tables=other_table(1, seats=(SEATS[0], SEATS[2], *SEATS[2:]))),
            f"Rounds 1, 2: table 1.1: in the file {SEATS[2].entrant} sits at dot {SEATS[2].dot} as {SEATS[2].faction}, "
            f"but by the seed {SEATS[1].entrant} sits at dot {SEATS[1].dot} as {SEATS[1].faction}.",
        ),
        (
            other_draw(1, cost=msgspec.structs.replace(FIRST.cost, small=FIRST.cost.small + 1)),
            f"Rounds 1, 2: cost is {numbers(FIRST.cost, small=1)}; the seed gives {numbers(FIRST.cost)}.",
        ),
        (
            other_draw(1, byes=(ROSTER[0],)),
            f'Rounds 1, 2: ["{ROSTER[0]}"] sat out before, according to the file, but the earlier draws give [].',
        ),
        (
            other_round(1, tables=example().rounds[0].tables[:1]),
            "Round 1 has the tables [1], but [1,2] were drawn.",
        ),
        (
            msgspec.structs.replace(example(), still_playing=1),
            "0 tables are still playing, but the file says 1.",
        ),
        (
            msgspec.structs.replace(example(), standings=example().standings[:-1]),
            "The standings have 12 rows, but the results give 13.",
        ),
        (
            other_seats(
                0, msgspec.structs.replace(PLAYED[0], faction=PLAYED[1].faction),
                msgspec.structs.replace(PLAYED[1], faction=PLAYED[0].faction), *PLAYED[2:],
            ),
            f"Table 1.1: dot {PLAYED[0].dot} was {PLAYED[1].faction}, but {PLAYED[0].faction} was drawn.",
        ),
        (
            other_seats(0, msgspec.structs.replace(PLAYED[0], tenures=PLAYED[1].tenures), *PLAYED[1:]),
            f"Table 1.1: {SEATS[1].entrant} sat at dot {SEATS[0].dot}, but {SEATS[0].entrant} was drawn.",
        ),
        (
            other_seats(0, msgspec.structs.replace(PLAYED[0], tenures=()), *PLAYED[1:]),
            f"Table 1.1: nobody sat at dot {SEATS[0].dot}, but {SEATS[0].entrant} was drawn.",
        ),
        (
            other_seats(0, msgspec.structs.replace(PLAYED[0], dot=PLAYED[0].dot + 20), *PLAYED[1:]),
            "Table 1.1: the dots in its result are not the ones that were drawn.",
        ),
        (
            msgspec.json.decode(with_result(4, version=3), type=Published),
            "Table 2.2: version 2 of its result is missing.",
        ),
    ],
)  # fmt: skip
def test_each_thing_that_does_not_follow_is_named(document: Published, said: str) -> None:
    assert difference(document) == said


def test_a_handle_of_four_digits_comes_after_all_of_three() -> None:
    more = [Entrant(handle=handle, state="standby", standby=True) for handle in ("E999", "E1000")]
    document = msgspec.structs.replace(example(), entrants=(*example().entrants, *more))
    assert "not in the order of their handles" not in difference(document)


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (FIRST.tables, ""),
        (
            other_table(1, seats=(msgspec.structs.replace(SEATS[0], entrant=ELSEWHERE), *SEATS[1:])),
            f"Round 1: {ELSEWHERE} sits at two tables.",
        ),
        (
            other_table(1, seats=(msgspec.structs.replace(SEATS[0], entrant="E013"), *SEATS[1:])),
            "Round 1: E013 has a seat but is not on the roster.",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("sealed_by", [{"apart_digest": "ab" * 32}, {"hours_sealed": True}])
def test_of_a_sealed_seating_it_is_checked_that_everybody_of_the_roster_sits_once(
    sealed_by: dict[str, Any], tables: Any, said: str
) -> None:
    found = verify(changed(example(), 1, tables=tables, **sealed_by))
    assert found.difference == said
    why = "pairs that are kept apart" if "apart_digest" in sealed_by else "waking hours"
    note = f"Rounds 1, 2: the seating depends on {why}, which are sealed; only auditors can recompute it."
    assert note in found.notes


def test_a_table_that_plays_has_no_result_but_one_that_was_withdrawn() -> None:
    first, *rest = example().rounds[0].tables
    playing = other_round(1, tables=(msgspec.structs.replace(first, state="playing"), *rest))
    assert difference(playing) == "1 table is still playing, but the file says 0."
    playing = msgspec.structs.replace(playing, still_playing=1)
    assert difference(playing) == "Table 1.1 is playing, but has a result."
    withdrawn = msgspec.structs.replace(example().results[0], state="withdrawn")
    playing = msgspec.structs.replace(playing, results=(withdrawn, *example().results[1:]))
    assert "has a result" not in difference(playing)
    nothing = msgspec.structs.replace(example(), results=example().results[1:])
    assert difference(nothing) == "Table 1.1 is finished, but has no result."
    assert "has no result" not in difference(msgspec.structs.replace(nothing, state="cancelled"))


def test_of_a_round_whose_draw_is_not_public_the_results_are_taken_as_they_are() -> None:
    assert difference(other_round(3, draw=None)) == ""


def test_where_factions_come_after_the_draw_only_who_sat_at_the_table_is_looked_at() -> None:
    """The seating is sealed here, so the verifier does not draw it again."""
    said = example().settings + '[factions]\nby = "trade"\n'
    sealed_draw = other_draw(1, apart_digest="ab" * 32)
    document = msgspec.structs.replace(sealed_draw, settings=said, settings_sha256=settings_digest(said))
    assert difference(document) == ""
    first = document.results[0]

    def seated(*seats: SeatOutcome) -> str:
        outcome = msgspec.structs.replace(first.outcome, seats=seats)
        other = msgspec.structs.replace(first, outcome=outcome)
        return difference(msgspec.structs.replace(document, results=(other, *document.results[1:])))

    one, two, *rest = PLAYED
    traded = [msgspec.structs.replace(one, tenures=two.tenures), msgspec.structs.replace(two, tenures=one.tenures)]
    assert "of the standings" in seated(*traded, *rest), "who sat there is right, and what they scored is not"
    for tenures in ((), (msgspec.structs.replace(one.tenures[0], entrant="E013"),)):
        wrong = seated(msgspec.structs.replace(one, tenures=tenures), two, *rest)
        assert wrong == "Table 1.1: its players are not the ones who were drawn."


RATINGS = example().ratings
LAST = RATINGS[-1]


@pytest.mark.parametrize(
    ("ratings", "said"),
    [
        (
            (RATINGS[0], msgspec.structs.replace(RATINGS[1], after="1600.000000"), *RATINGS[2:-1]),
            f"Rating change 2 ({RATINGS[1].game}, {RATINGS[1].entrant}): after is 1600.000000, but the results "
            f"give {RATINGS[1].after}.",
        ),
        (
            RATINGS[:-1],
            f"The rating change of {LAST.entrant} by {LAST.game}, from {LAST.before} to {LAST.after}, is missing.",
        ),
        (
            (*RATINGS, RATINGS[0]),
            f"The rating change of {RATINGS[0].entrant} by {RATINGS[0].game} follows from no result.",
        ),
    ],
)
def test_another_rating_is_named_with_what_it_should_be(ratings: Any, said: str) -> None:
    assert difference(msgspec.structs.replace(example(), ratings=ratings)) == said


ROW = example().standings[0]
LOSS = ROW.made_of[0]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"entrant": "E099"}, "Place 1 of the standings is E099 in the file, but E003 by the results."),
        ({"points": "99"}, "Place 1 of the standings (E003): points is 99, but the results give 12."),
        ({"rank": 2}, "Place 2 of the standings (E003): rank is 2, but the results give 1."),
        (
            {"keys": ROW.keys[:-1]},
            f'Place 1 of the standings (E003): nothing in the file, but the results give ["lot","{ROW.keys[-1][1]}"].',
        ),
        (
            {"keys": (ROW.keys[0], ("stage_points", "7"), *ROW.keys[2:])},
            'Place 1 of the standings (E003): ["stage_points","7"] in the file, but the results give '
            '["stage_points","8"].',
        ),
        (
            {"made_of": (msgspec.structs.replace(LOSS, value="99"), *ROW.made_of[1:])},
            f'Place 1 of the standings (E003): {{"what":"{LOSS.what}","value":"99"}} in the file, but the results give '
            f'{{"what":"{LOSS.what}","value":"0"}}.',
        ),
        (
            {"made_of": (*ROW.made_of, LOSS)},
            f'Place 1 of the standings (E003): {{"what":"{LOSS.what}","value":"0"}} in the file, but the results give '
            "nothing.",
        ),
    ],
)
def test_another_place_in_the_standings_is_named_with_what_it_should_be(more: dict[str, Any], said: str) -> None:
    row = msgspec.structs.replace(ROW, **more)
    assert difference(msgspec.structs.replace(example(), standings=(row, *example().standings[1:]))) == said


def test_digests_handles_and_sums_that_do_not_fit_are_named() -> None:
    document = example()
    assert difference(msgspec.structs.replace(document, settings_sha256="ab")) == (
        f"The SHA-256 of the settings is {document.settings_sha256}; the file says ab."
    )
    assert difference(msgspec.structs.replace(document, commitment="ab")) == (
        f"The SHA-256 of the secret is {document.commitment}; the commitment is ab."
    )
    assert difference(msgspec.structs.replace(document, entrants=(document.entrants[0], *document.entrants))) == (
        "E001 is the handle of 2 entrants; each handle must be unique."
    )
    assert verify(encode_published(msgspec.structs.replace(document, sum="ab"))).difference == (
        "The sums in the file do not match its parts."
    )
    forced = msgspec.structs.replace(document, tie_breaks_changed="points first")
    assert verify(encode_published(with_sums(forced))).notes[-1] == "After the first draw: points first."


@pytest.mark.parametrize("field", ["name", "reliability"])
def test_what_follows_from_nothing_is_held_by_its_sum(field: str) -> None:
    document = example()
    entrant = msgspec.structs.replace(document.entrants[0], **{field: "0.9999"})
    other = msgspec.structs.replace(document, entrants=(entrant, *document.entrants[1:]))
    assert verify(encode_published(other)).difference.startswith("The part 'entrants' was changed")
    assert differing_parts(other) == ["entrants"]
    assert verify(encode_published(with_sums(other))).difference == "", "so one compares the sum of the whole"
    assert with_sums(other).sum != document.sum


def test_a_file_written_by_another_program_is_told_from_ours() -> None:
    data = encode_published(example())
    last = data.count(b"\n")
    for written, line in [
        (data.replace(b"\n", b"\r\n"), 1),
        (data[:-1], last),
        (data + b"\n", last + 1),
        (data.replace(b"{\n", b'{\n "note": 1,\n', 1), 2),
    ]:
        assert verify(written).difference == (
            f"Line {line} of the file has the right content in the wrong form: another program wrote the file."
        )


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"no", b'{"mentat": "1"}', b"\xff\xfe", b"[" * 5000])
def test_what_is_no_export_is_refused_with_a_sentence(data: bytes) -> None:
    with pytest.raises(NotPublished, match="not an export of a tournament"):
        verify(data)


@settings(deadline=None, max_examples=30)
@given(place=st.integers(min_value=0), byte=st.integers(min_value=1, max_value=255))
def test_one_changed_byte_anywhere_is_found(place: int, byte: int) -> None:
    data = bytearray(encode_published(example()))
    data[place % len(data)] ^= byte
    with suppress(NotPublished):
        assert verify(bytes(data)).difference != ""


@settings(deadline=None, max_examples=15)
@given(place=st.integers(min_value=0), length=st.integers(min_value=1, max_value=200))
def test_a_piece_that_is_missing_is_found(place: int, length: int) -> None:
    data = encode_published(example())
    begin = place % len(data)
    with suppress(NotPublished):
        assert verify(data[:begin] + data[begin + length :]).difference != ""
