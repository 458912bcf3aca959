"""`tournament show`: the matters that wait before a draw, and the rounds and facts that it shows."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.competition.published import EntrantState, RoundKind
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.tournament import progress
from tests.tournament.cup import CUP, Cup

FOUR = 'title = "The Cup"\n[rounds]\nheats = 1\nsemifinal = 0\nfinal = 4\n[tables]\nfours = true\n'


def change(cup: Cup, **changed: object) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, **changed)


def only(cup: Cup, players: int, others: EntrantState = "withdrawn") -> None:
    with writing(cup.world.engine) as conn:
        for number in range(1, 16):
            state: EntrantState = "confirmed" if number <= players else others
            tournaments.change_entrant(conn, CUP, number, state=state, standby=False)


def waits(cup: Cup) -> list[tuple[str, str]]:
    with reading(cup.world.engine) as conn:
        return [
            (each.what, each.command)
            for each in progress.open_matters(conn, tournaments.find_tournament(conn, CUP), cup.now)
        ]


def view(cup: Cup, number: int = 0) -> dict[str, Any]:
    with reading(cup.world.engine) as conn:
        return progress.tournament_view(conn, tournaments.find_tournament(conn, CUP), cup.now, "director", number)


@pytest.mark.parametrize(
    ("settings", "players", "said", "command"),
    [
        ("", 12, "rounds 1 and 2 (heat) can be drawn for 12", "mentat tournament draw cup"),
        ("", 5, "rounds 1 and 2 (heat) can be drawn for 5", "mentat tournament draw cup"),
        ("", 4, "entries are open; 4 are in, and a table needs 5", ""),
        (FOUR, 4, "round 1 (heat) can be drawn for 4", "mentat tournament draw cup"),
        (FOUR, 3, "entries are open; 3 are in, and a table needs 4", ""),
    ],
)
def test_while_entries_are_open_the_draw_waits_for_a_table_of_players(
    cup: Cup, settings: str, players: int, said: str, command: str
) -> None:
    change(cup, state="open", settings=settings or cup.settings)
    only(cup, players)
    assert waits(cup) == [(said, command)]


@pytest.mark.parametrize(("minutes", "close"), [(1, "close"), (0, "closed"), (-1, "closed")])
@pytest.mark.parametrize(("players", "command"), [(5, "mentat tournament draw cup"), (4, "")])
def test_entries_are_said_to_close_until_they_have(
    cup: Cup, minutes: int, close: str, players: int, command: str
) -> None:
    until = cup.now + timedelta(minutes=minutes)
    change(cup, state="open", until=until)
    only(cup, players)
    assert waits(cup) == [(f"entries {close} on {until:%Y-%m-%d %H:%M}Z; {players} are in", command)]


@pytest.mark.parametrize(
    ("unconfirmed", "said"), [(1, "1 has not confirmed: E006"), (2, "2 have not confirmed: E006, E007")]
)
def test_who_has_not_confirmed_is_named_while_entries_are_open(cup: Cup, unconfirmed: int, said: str) -> None:
    change(cup, state="open")
    only(cup, 5)
    with writing(cup.world.engine) as conn:
        for number in range(6, 6 + unconfirmed):
            tournaments.change_entrant(conn, CUP, number, state="entered")
    assert waits(cup)[0] == (said, "")
    change(cup, state="running")
    assert not any("not confirmed" in what for what, _ in waits(cup))


def test_after_the_last_round_nothing_waits(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        for number, kind in enumerate(("heat", "heat", "final"), 1):
            made = tournament_rounds.Round(CUP, number, kind, "closed")  # type: ignore[arg-type]  # kinds of rounds
            tournament_rounds.add_round(conn, made)
    assert waits(cup) == []


def test_of_several_rounds_the_one_that_is_asked_for_is_shown_or_all(cup: Cup) -> None:
    cup.round(1, [range(1, 7)])
    cup.round(2, [range(1, 7)])
    assert [each["round"] for each in view(cup, 2)["rounds"]] == [2]
    assert [each["round"] for each in view(cup)["rounds"]] == [1, 2]


def test_rights_are_counted_one_by_one(cup: Cup) -> None:
    for who in ("ann", "bob"):
        cup.grant(f"{who}@example.org", "arbiter")
    cup.grant("cid@example.org", "clerk")
    assert view(cup)["rights"] == {"arbiter": 2, "clerk": 1}


def test_the_beacon_that_is_known_is_shown_and_before_that_what_it_will_be(cup: Cup) -> None:
    change(cup, settings=f'beacon = "the lottery"\nbeacon_date = "2025-02-01"\n{cup.settings}')
    assert view(cup)["beacon"] == "the beacon will be the lottery, of 2025-02-01"
    change(cup, beacon="4 8 15")
    assert view(cup)["beacon"] == "4 8 15"


def test_a_seat_that_nobody_holds_is_shown_with_nobody(cup: Cup) -> None:
    cup.round(tables=[range(1, 7)])
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_tenure(conn, cup.sitting("guild"), entrant=0)
    [table] = view(cup)["rounds"][0]["tables"]
    shown = {seat["faction"]: seat["entrant"] for seat in table["seats"]}
    assert shown["guild"] == ""
    assert all(name for faction, name in shown.items() if faction != "guild")


@pytest.mark.parametrize(
    ("play", "settings", "ends", "days"),
    [
        ("heat", "heats = 2\nsemifinal = 0", 10, 10 + 130),
        ("heat", "heats = 2\nsemifinal = 0", None, 130),
        ("heat", "heats = 1\nsemifinal = 0", 10, 10 + 65),
        ("heat", "heats = 1\nsemifinal = 0\nfinal = 0", 10, 10),
        ("swiss", "swiss = 3", 10, 10 + 2 * 65),
        ("swiss", "swiss = 1", 10, 10),
    ],
)
@pytest.mark.parametrize("more", [0, 1])
def test_the_end_is_foreseen_by_the_rounds_that_are_played_and_those_that_are_to_come(
    cup: Cup, play: RoundKind, settings: str, ends: int | None, days: int, more: int
) -> None:
    form = "heats" if play == "heat" else "swiss"
    change(cup, settings=f'title = "The Cup"\nformat = "{form}"\n[rounds]\n{settings}\n')
    end = None if ends is None else cup.now + timedelta(days=ends)
    with writing(cup.world.engine) as conn:
        tournament_rounds.add_round(conn, tournament_rounds.Round(CUP, 1, play, "playing", cup.now, end))
        if more:
            tournament_rounds.add_round(conn, tournament_rounds.Round(CUP, 2, play, "playing", cup.now, end))
    one_less = 65 if more and settings in ("heats = 2\nsemifinal = 0", "swiss = 3") else 0
    assert view(cup)["ends_about"] == cup.now + timedelta(days=days - one_less)
