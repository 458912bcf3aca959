"""Tests for `mentat tournament round|adjudicate|amend|void|protests|substitute|disqualify|finish`."""

from __future__ import annotations

import pytest

from bot.store import tournaments
from bot.store.database import reading, writing
from bot.store.tournaments import Paper
from bot.tournament.adjudication import public_sides
from tests.cli.conftest import Mentat
from tests.moderator.table import World
from tests.tournament.cup import Cup


@pytest.fixture
def cup(place: World) -> Cup:
    made = Cup(place)
    made.round()
    return made


def test_a_round_is_shown_extended_told_its_last_turn_and_closed(mentat: Mentat, cup: Cup) -> None:
    shown = mentat("tournament", "round", "cup")
    assert shown.code == 0
    assert "Round 1 (heat) is playing; it ends" in shown.out
    assert "1.2  cup-1-2  playing, turn 1" in shown.out
    assert "Round 1 ends" in mentat("tournament", "round", "cup", "1", "extend", "48").out
    told = mentat("tournament", "round", "cup", "notice", "1.1", "--last-turn", "6")
    assert "Turn 6 is the last at 1.1" in told.out
    listed = mentat("tournament", "round", "cup", "1", "show", "--json").json
    assert [table["last_turn"] for table in listed["tables"]] == [6, 0]
    refused = mentat("tournament", "round", "cup", "close")
    assert (refused.code, refused.out) == (1, "")
    assert "no result yet for 1.1, 1.2" in refused.err


def test_rounds_of_the_same_time_are_shown_together(mentat: Mentat, cup: Cup) -> None:
    cup.round(2)
    shown = mentat("tournament", "round", "cup").out
    assert "Round 1 (heat) is playing" in shown
    assert "Round 2 (heat) is playing" in shown
    told = mentat("tournament", "round", "cup", "--json").json
    assert [each["round"] for each in told["rounds"]] == [1, 2]


@pytest.mark.parametrize("words", [("close",), ("extend", "48"), ("notice", "--last-turn", "6")])
def test_of_rounds_of_the_same_time_the_one_that_is_meant_must_be_named(
    mentat: Mentat, cup: Cup, words: tuple[str, ...]
) -> None:
    cup.round(2)
    refused = mentat("tournament", "round", "cup", *words)
    assert (refused.code, refused.out) == (1, "")
    said = " ".join(refused.err.split())
    assert "Rounds 1 and 2 are played at the same time; name one" in said
    assert f"`mentat tournament round cup 1 {words[0]}" in said
    shown = mentat("tournament", "round", "cup", "--json").json
    assert [table["last_turn"] for each in shown["rounds"] for table in each["tables"]] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("round", "cup", "fly"), "Write `mentat tournament round"),
        (("round", "cup", "extend"), "extend with its hours"),
        (("round", "cup", "extend", "soon"), "is not a number of hours"),
        (("round", "cup", "notice", "1.1"), "Only notice takes --last-turn T"),
        (("round", "cup", "close", "--last-turn", "3"), "Only notice takes --last-turn T"),
        (("adjudicate", "cup", "1.1", "--rule", "luck"), "neither stopped nor agreed"),
        (("adjudicate", "cup", "1.1", "--winners", "choam"), "is not one of"),
        (("amend", "cup", "1.1", "--kind", "luck"), "is not one of"),
        (("amend", "cup", "1.1", "--strongholds", "guild=many"), "write it like guild=2"),
        (("amend", "cup", "settings"), "settings FILE --why"),
        (("amend", "cup", "1.1", "cup.toml"), "takes a file"),
        (("protests", "cup", "3"), "NUMBER --dismiss"),
        (("substitute", "cup", "1.1", "choam"), "is not one of"),
        (("round", "nowhere"), "There is no tournament 'nowhere'"),
    ],
)
def test_wrong_use_is_said_in_one_sentence(mentat: Mentat, cup: Cup, words: tuple[str, ...], said: str) -> None:
    ran = mentat("tournament", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_table_is_adjudicated_amended_and_void(mentat: Mentat, cup: Cup) -> None:
    tried = mentat("tournament", "adjudicate", "cup", "1.1", "--rule", "stopped", "--why", "late", "--dry-run")
    assert "Nothing was done. It would be:" in tried.out
    assert cup.result() is None
    done = mentat("tournament", "adjudicate", "cup", "1.1", "--rule", "stopped", "--why", "late", "--json")
    assert done.json["result"]["kind"] == "void"
    amended = mentat("tournament", "amend", "cup", "1.1", "--winners", "guild,fremen", "--why", "counted again")
    assert "Table 1.1, version 2: guild + fremen, stronghold, turn 1." in amended.out
    again = mentat("tournament", "void", "cup", "1.1", "--replay", "--why", "unclear")
    assert "It will be replayed as table 1.3" in again.out
    for words in (("amend", "cup", "1.2", "--winners", "guild"), ("void", "cup", "1.2")):
        refused = mentat("tournament", *words)
        assert refused.code == 1
        assert "give the reason with --why" in refused.err
    vote = mentat("tournament", "adjudicate", "cup", "1.2", "--rule", "agreed", "--winners", "guild", "--why", "x")
    assert "All seats of table 1.2 can vote until" in vote.out


def test_seats_change_hands_and_somebody_is_put_out(mentat: Mentat, cup: Cup) -> None:
    assert (
        "E013 has been asked to take over the Guild at table 1.1"
        in mentat("tournament", "substitute", "cup", "1.1", "guild").out
    )
    given = mentat("tournament", "substitute", "cup", "1.1", "guild", "E014", "--json").json
    assert (given["seated"], given["asked"]) == ("E014", None)
    out = mentat("tournament", "disqualify", "cup", "E001", "--why", "two seats")
    assert "E001 is out of cup." in out.out
    assert "No protests are waiting." in mentat("tournament", "protests", "cup").out
    refused = mentat("tournament", "finish", "cup")
    assert refused.code == 1
    assert "Round 1 of cup is not closed" in refused.err


def test_of_two_masters_the_second_looks_again(mentat: Mentat, cup: Cup) -> None:
    assert mentat("tournament", "round", "cup", "extend", "24", "--if", "0").code == 0
    second = mentat("tournament", "round", "cup", "extend", "24", "--if", "0")
    assert second.code == 1
    assert "cup has changed since" in second.err


def test_protests_are_listed_and_dismissed_with_a_reason(mentat: Mentat, cup: Cup) -> None:
    cup.end("cup-1-1", "atreides", "emperor", turn=7)
    cup.tick()
    with writing(cup.world.engine) as conn:
        number = tournaments.file_paper(conn, Paper("cup", 6, "protest", "The storm was wrong.", cup.now, 1, 1))
    assert mentat("tournament", "protests", "cup").out == f"{number:4}  table 1.1  E006  The storm was wrong.\n"
    [shown] = mentat("tournament", "protests", "cup", "--json").json
    assert (
        shown.items() >= {"number": number, "table": "1.1", "entrant": "E006", "text": "The storm was wrong."}.items()
    )
    before = cup.world.written()
    refused = mentat("tournament", "protests", "cup", str(number), "--dismiss")
    assert (refused.code, "--why" in refused.err, cup.world.written()) == (1, True, before)
    done = mentat("tournament", "protests", "cup", str(number), "--dismiss", "--why", "The storm was right.")
    assert done.out == f"Protest {number} is dismissed; the player who filed it is told why.\n"
    assert "The storm was right." in cup.text(6)
    assert mentat("tournament", "protests", "cup").out == "No protests are waiting.\n"
    assert cup.standing().state == "finished"


def test_on_which_board_a_stopped_table_was_decided_is_said(mentat: Mentat, place: World) -> None:
    cup = Cup(place)
    cup.round(1, [range(1, 7)])
    place.silence_until("storm", 2, "cup-1-1")
    with reading(place.engine) as conn:
        there = public_sides(conn, "cup-1-1")
    done = mentat("tournament", "adjudicate", "cup", "1.1", "--rule", "stopped", "--why", "late", "--dry-run")
    told = mentat("tournament", "adjudicate", "cup", "1.1", "--rule", "stopped", "--why", "late").out.splitlines()
    assert told[0].startswith("Table 1.1: ")
    assert sorted(told[1:]) == sorted(
        f"  {' + '.join(side.members)}: {side.held} of {side.needed} strongholds, {side.tokens} tokens there, "
        f"place {side.order} in the storm order"
        for side in there
    )
    assert all(line in done.out.splitlines() for line in told)


def test_programs_get_a_document_of_each_result(mentat: Mentat, cup: Cup) -> None:
    extended = mentat("tournament", "round", "cup", "1", "extend", "48", "--dry-run", "--json").json
    assert (extended["round"], extended["dry_run"]) == (1, True)
    noticed = mentat("tournament", "round", "cup", "notice", "1.1", "--last-turn", "6", "--json").json
    assert noticed == {"tournament": "cup", "tables": ["1.1"], "last_turn": 6, "dry_run": False}
    again = mentat("tournament", "round", "cup", "notice", "1.1", "--last-turn", "6")
    assert (again.code, again.err) == (1, "Table 1.1 was already told that turn 6 is its last.\n")
    for said in ("Turn 7 is the last at 1.2.\n", "All tables have already been told.\n"):
        assert mentat("tournament", "round", "cup", "1", "notice", "--last-turn", "7").out == said
    seat = mentat("tournament", "substitute", "cup", "1.1", "guild", "--json").json
    assert seat.items() >= {"table": "1.1", "faction": "guild", "seated": None, "asked": "E013"}.items()
    given = mentat("tournament", "substitute", "cup", "1.1", "guild", "E014").out
    assert given == "E014 now plays the Guild at table 1.1.\n"
    void = mentat("tournament", "void", "cup", "1.2", "--replay", "--why", "unclear", "--json").json
    assert (void["result"]["kind"], void["again"], void["would_have_differed"]) == ("void", "1.3", [])
