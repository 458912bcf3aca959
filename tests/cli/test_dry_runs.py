"""Tests that a desk command writes nothing on a dry run or when the game has moved on."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from bot.desk import clocks, positions, rights, seats, sight, speech
from bot.desk.powers import DeskRequest
from bot.store.database import reading
from bot.store.games import every_table
from bot.table.table import Table
from tests.cli.conftest import Mentat
from tests.moderator.table import GAME, World

REY, SAM, OLGA = "rey@elsewhere.example", "sam@elsewhere.example", "olga@elsewhere.example"


def contents(world: World) -> dict[str, list[Any]]:
    with reading(world.engine) as conn:
        return {table.name: [tuple(row) for row in conn.execute(select(table))] for table in every_table()}


def prepared(place: World) -> Table:
    place.silent_game("bidding")
    games, now = place.moderator.open_games, place.now
    speech.note(DeskRequest(games, GAME, now), "Hm.")
    rights.grant(DeskRequest(games, GAME, now), "clerk", REY)
    sight.add_observer(DeskRequest(games, GAME, now), OLGA)
    speech.mute(DeskRequest(games, GAME, now), "emperor")
    until = seats.end_of_day(place.settings, f"{now.date():%Y-%m-%d}")
    seats.set_sitter(DeskRequest(games, GAME, now), "harkonnen", "sue@elsewhere.example", until)
    positions.roll_back(DeskRequest(games, GAME, now), place.table().entries - 1)
    clocks.hold(DeskRequest(games, GAME, now))
    return place.table()


COMMANDS = (
    "pause", "release", "extend 5", "clock due_at=20:30", "remind guild", "bank guild 3", "excuse guild",
    "absent guild 2024-12-20 2024-12-24",
    "caretaker guild on", "note --delete 1", "note again", "tell all hello", "ask guild why", "rule so",
    f"replace guild {SAM}", f"address guild {SAM}", "freeze guild", f"sitter guild {SAM} --until 2099-01-01",
    "sitter harkonnen --off", f"grant director {SAM}", f"revoke {REY}", f"handover {SAM}", f"observe {SAM}",
    f"observe {SAM} --full --delay 3 --consent all", f"observe {OLGA} --off", f"unobserve {OLGA}", "press public",
    "mute guild", "unmute emperor", "blind", "rollback --entries 1", "rollback --undo", "end --void",
    "end --last-turn 3", "end --adjudicated guild", "order guild pass", "delete", "process", "default guild bid",
    "position storm 4",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_only_tried_writes_nothing(place: World, mentat: Mentat, command: str) -> None:
    prepared(place)
    before = contents(place)
    power, *rest = command.split()
    tried = mentat("game", power, GAME, *rest, "--dry-run")
    assert tried.code in (0, 1), tried.err
    assert "Traceback" not in tried.err
    assert contents(place) == before


@pytest.mark.parametrize("command", [each for each in COMMANDS if not each.startswith(("delete",))])
def test_what_was_for_another_place_in_the_game_writes_nothing(place: World, mentat: Mentat, command: str) -> None:
    prepared(place)
    before = contents(place)
    power, *rest = command.split()
    refused = mentat("game", power, GAME, *rest, "--if", "7/battle")
    assert refused.code == 1, refused.err
    assert contents(place) == before


def test_a_note_is_deleted_by_an_act(place: World, mentat: Mentat) -> None:
    prepared(place)
    deleted = mentat("game", "note", GAME, "--delete", "1", "--why", "no more", "--json")
    assert (deleted.code, deleted.json["deleted"]) == (0, 1), "and nothing else is printed"
    assert mentat("game", "note", GAME, "--delete", "1").code == 1
    assert mentat("game", "acts", GAME, "--json").json[-1]["what"] == "note"


def test_the_glass_is_not_broken_by_a_trial(place: World, mentat: Mentat) -> None:
    prepared(place)
    sight.play_blind(DeskRequest(place.moderator.open_games, GAME, place.now))
    before = contents(place)
    assert mentat("game", "break-glass", GAME, "--why", "so", "--dry-run").code == 0
    assert contents(place) == before
