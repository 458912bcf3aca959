"""Which round comes next, and who plays in it."""

from __future__ import annotations

import msgspec
import pytest

from bot.competition.outcomes import ResultRefused, SeatOutcome, TableOutcome, Tenure, require_possible_result
from bot.competition.settings import Rounds, TournamentSettings
from bot.competition.standings import (
    DrawDifference,
    Field,
    NextRound,
    PastRound,
    RoundWaits,
    draw_difference,
    next_round,
)
from bot.tournament import progress
from tests.competition.a_table import a_table


def settings(play: str = "heats", **rounds: object) -> TournamentSettings:
    return TournamentSettings(title="Cup", format=play, rounds=msgspec.convert(rounds, Rounds))  # type: ignore[arg-type]


def handles(count: int) -> tuple[str, ...]:
    return tuple(f"E{number:03d}" for number in range(1, count + 1))


def heats(count: int, state: str = "closed") -> list[PastRound]:
    return [PastRound(number, "heat", state) for number in range(1, count + 1)]  # type: ignore[arg-type]


def test_heats_of_the_same_time_are_drawn_together() -> None:
    assert next_round(settings(), [], Field(handles(40))) == NextRound("heat", (1, 2, 3), handles(40))


def test_heats_one_after_the_other_wait_for_each_other() -> None:
    one = settings(parallel=False)
    assert next_round(one, [], Field(handles(12))) == NextRound("heat", (1,), handles(12))
    assert next_round(one, heats(1, "playing"), Field(handles(12))) == RoundWaits((1,))
    assert next_round(one, heats(1), Field(handles(12))) == NextRound("heat", (2,), handles(12))


def test_after_the_heats_the_best_36_play_a_semifinal_and_the_best_six_a_final() -> None:
    every = handles(200)
    assert next_round(settings(), heats(3, "playing"), Field(every, seated=200)) == RoundWaits((1, 2, 3))
    assert next_round(settings(), heats(3), Field(every, seated=200)) == NextRound("semifinal", (4,), every[:36])
    played = [*heats(3), PastRound(4, "semifinal", "closed")]
    won = frozenset({"E036", "E002"})
    final = next_round(settings(), played, Field(every, won, 200))
    assert final == NextRound("final", (5,), ("E002", "E036", "E001", "E003", "E004", "E005"))
    assert next_round(settings(), [*played, PastRound(5, "final", "closed")], Field(every, won, 200)) == "finished"


@pytest.mark.parametrize(
    ("rounds", "seated", "comes"),
    [
        ({"semifinal": 12, "final": 6}, 13, NextRound("semifinal", (2,), handles(12))),
        ({"semifinal": 12, "final": 6}, 12, NextRound("final", (2,), handles(6))),
        ({"semifinal": 12, "final": 11}, 20, NextRound("semifinal", (2,), handles(12))),
        ({"semifinal": 6, "final": 6}, 20, NextRound("final", (2,), handles(6))),
        ({"semifinal": 6, "final": 11}, 20, NextRound("final", (2,), handles(11))),
        ({"semifinal": 0, "final": 6}, 20, NextRound("final", (2,), handles(6))),
        ({"semifinal": 0, "final": 0}, 20, "finished"),
        ({"semifinal": 12, "final": 0}, 20, NextRound("semifinal", (2,), handles(12))),
    ],
)
def test_a_semifinal_is_played_where_more_have_sat_than_it_has_places(
    rounds: dict[str, object], seated: int, comes: object
) -> None:
    assert next_round(settings("heats", heats=1, **rounds), heats(1), Field(handles(20), seated=seated)) == comes


def test_after_a_final_or_a_semifinal_without_one_nothing_comes() -> None:
    field = Field(handles(20), seated=20)
    semi, final = PastRound(2, "semifinal", "closed"), PastRound(2, "final", "closed")
    assert next_round(settings(heats=1, semifinal=12, final=0), [*heats(1), semi], field) == "finished"
    assert next_round(settings(heats=1, semifinal=12, final=6), [*heats(1), final], field) == "finished"
    assert next_round(
        settings(heats=1, semifinal=12, final=6), [*heats(1), PastRound(2, "semifinal", "playing")], field
    ) == (RoundWaits((2,)))


def test_heats_that_are_missing_are_drawn_together_or_one_by_one_behind_those_that_there_are() -> None:
    field = Field(handles(12))
    assert next_round(settings(heats=4), heats(1, "playing"), field) == NextRound("heat", (2, 3, 4), handles(12))
    assert next_round(settings(heats=4), heats(3, "playing"), field) == NextRound("heat", (4,), handles(12))
    assert next_round(settings(heats=4, parallel=False), heats(2), field) == NextRound("heat", (3,), handles(12))
    assert next_round(settings(load=1), [], Field(handles(5))) == RoundWaits(())


def test_where_the_settings_want_fewer_rounds_than_there_are_no_more_of_them_come() -> None:
    field = Field(handles(12), seated=12)
    assert next_round(settings(heats=1), heats(2), field) == NextRound("final", (3,), handles(6))
    assert next_round(
        settings("swiss", swiss=1), [PastRound(1, "swiss", "closed"), PastRound(2, "swiss", "closed")], field
    ) == ("finished")


def test_a_small_event_goes_from_its_heats_to_the_final() -> None:
    assert next_round(settings(heats=2), heats(2), Field(handles(12), seated=12)) == NextRound(
        "final", (3,), handles(6)
    )


def test_the_final_is_filled_from_the_standings_when_one_of_two_who_advance_jointly_withdraws() -> None:
    able = tuple(handle for handle in handles(12) if handle != "E003")
    found = next_round(settings(heats=2), heats(2), Field(able, seated=12))
    assert found == NextRound("final", (3,), ("E001", "E002", "E004", "E005", "E006", "E007"))


def test_a_final_of_five_is_played_and_one_of_four_is_not() -> None:
    assert next_round(settings(heats=2), heats(2), Field(handles(5), seated=12)) == NextRound("final", (3,), handles(5))
    assert next_round(settings(heats=2), heats(2), Field(handles(4), seated=12)) == "finished"


def test_with_a_load_the_next_table_is_drawn_as_soon_as_six_are_free() -> None:
    rolling = settings(load=2)
    assert next_round(rolling, heats(1, "playing"), Field(handles(10), busy=frozenset(handles(5)))) == RoundWaits(())
    free = next_round(rolling, heats(1, "playing"), Field(handles(11), busy=frozenset(handles(5))))
    assert free == NextRound("heat", (2,), handles(11)[5:])
    many = [*heats(5), PastRound(6, "heat", "playing")]
    assert next_round(rolling, many, Field(handles(12))) == NextRound("heat", (7,), handles(12)), (
        "each plays three, not all"
    )
    done = Field(handles(12), seated=12, busy=frozenset(handles(9)))
    assert next_round(rolling, heats(6), done) == NextRound("final", (7,), handles(6))


def test_swiss_rounds_wait_for_their_slowest_table() -> None:
    swiss = settings("swiss", swiss=2)
    assert next_round(swiss, [], Field(handles(12))) == NextRound("swiss", (1,), handles(12))
    assert next_round(swiss, [PastRound(1, "swiss", "playing")], Field(handles(12))) == RoundWaits((1,))
    assert (
        next_round(swiss, [PastRound(1, "swiss", "closed"), PastRound(2, "swiss", "closed")], Field(handles(12)))
        == "finished"
    )


def test_a_league_is_one_round_and_a_ladder_has_no_end() -> None:
    assert next_round(settings("league"), [], Field(handles(31))) == NextRound("league", (1,), handles(31))
    assert next_round(settings("league"), [PastRound(1, "league", "closed")], Field(handles(31))) == "finished"
    past = [PastRound(1, "ladder", "playing")]
    assert next_round(settings("ladder"), past, Field(handles(8), busy=frozenset(["E001", "E002"]))) == NextRound(
        "ladder", (2,), handles(8)[2:]
    )
    assert next_round(settings("ladder"), past, Field(handles(8), busy=frozenset(handles(3)))) == RoundWaits(())


def test_a_knockout_fills_its_tables_from_the_standings_whatever_the_alliances_were() -> None:
    knock, past, every = settings("knockout"), [PastRound(1, "knockout", "closed")], handles(36)
    for winners in (8, 12):
        won = frozenset(every[-winners:])
        found = next_round(knock, past, Field(every, won, 36))
        assert found == NextRound("knockout", (2,), every[-winners:] + every[: 12 - winners])
    last = next_round(knock, past, Field(every, frozenset(every[:6]), 36))
    assert last == NextRound("final", (2,), every[:6])
    assert next_round(knock, past, Field(every[:7], frozenset(every[6:13]), 36)) == NextRound(
        "final", (2,), (every[6], *every[:5])
    ), "a winner who has withdrawn fills no table"
    assert next_round(knock, past, Field(every, frozenset(every[:7]), 36)) == NextRound("knockout", (2,), every[:12])
    assert next_round(knock, [], Field(every[:7])) == NextRound("knockout", (1,), every[:7])
    assert next_round(knock, [], Field(every[:6])) == NextRound("final", (1,), every[:6])
    assert next_round(knock, [], Field(every[:5])) == NextRound("final", (1,), every[:5])
    assert next_round(knock, past, Field(every[:9], frozenset(every[9:]), 36)) == NextRound("final", (2,), every[:6]), (
        "where all winners have withdrawn the best of the others play the final"
    )
    assert next_round(knock, [PastRound(1, "knockout", "playing")], Field(every)) == RoundWaits((1,))
    assert next_round(knock, past, Field(every[:4], frozenset(every[:4]), 36)) == "finished"
    assert next_round(knock, [*past, PastRound(2, "final", "closed")], Field(every)) == "finished"


def test_both_halves_of_a_winning_pair_advance_and_meet_again() -> None:
    won = frozenset({"E001", "E002"})
    found = next_round(settings("knockout"), [PastRound(1, "knockout", "closed")], Field(handles(12), won, 12))
    assert isinstance(found, NextRound)
    assert found.who[:2] == ("E001", "E002")


def test_a_draw_that_stands_says_who_would_have_played() -> None:
    assert draw_difference(4, handles(6), handles(6)) is None
    found = draw_difference(4, handles(6), ("E007", *handles(5)))
    assert found == DrawDifference(4, ("E007",), ("E006",))
    assert found.words == "round 4 keeps its draw; would have played: E007; would not: E006"
    other = draw_difference(2, handles(4), ("E002", "E001", "E003", "E004"))
    assert other == DrawDifference(2, elsewhere=("E002", "E001"))
    assert other.words == "round 2 keeps its draw; would have had another place: E002, E001"
    every = draw_difference(3, ("E001", "E002", "E003", "E004"), ("E002", "E001", "E005", "E004"))
    assert every == DrawDifference(3, ("E005",), ("E003",), ("E002", "E001"))


TABLE = TableOutcome(
    game="g", ruleset="wbc-2018", kind="stronghold", winners=("atreides",), turn=4, round=1, table=2,
    seats=tuple(
        SeatOutcome(faction=faction, dot=dot, tenures=())
        for dot, faction in enumerate(("atreides", "emperor", "fremen", "guild", "harkonnen"), 1)
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "winners", "says"),
    [
        ("stronghold", ("bene-gesserit",), "Nobody plays the Bene Gesserit at table 1.2"),
        ("stronghold", ("atreides", "emperor", "fremen", "guild"), "4 winners are too many"),
        ("stronghold", ("atreides", "atreides"), "include Atreides twice"),
        ("stronghold", (), "has no winner"),
        ("void", ("atreides",), "A void result has no winners"),
        ("luck", ("atreides",), "'luck' is not a kind of result"),
    ],
)
def test_a_result_that_cannot_be_is_refused_with_its_own_sentence(
    kind: str, winners: tuple[str, ...], says: str
) -> None:
    wrong = msgspec.structs.replace(TABLE, kind=kind, winners=winners)
    with pytest.raises(ResultRefused, match=says):
        require_possible_result(wrong)


def test_a_result_that_can_be_is_taken() -> None:
    require_possible_result(TABLE)
    require_possible_result(msgspec.structs.replace(TABLE, kind="void", winners=()))


def test_a_seat_that_the_caretaker_plays_at_the_end_or_that_nobody_ever_held_wins_nobody_anything() -> None:
    left = (Tenure(entrant="ann", first=1, last=2), Tenure(entrant="", first=3, last=10, why="caretaker"))
    table = a_table(("atreides", "emperor", "guild"), tenures={"atreides": left})
    assert progress.winners_of([table]) == {"cid", "eve"}
    seats = [msgspec.structs.replace(seat, tenures=() if seat.faction == "guild" else seat.tenures)
             for seat in table.seats]  # fmt: skip
    assert progress.winners_of([msgspec.structs.replace(table, seats=tuple(seats))]) == {"cid"}
