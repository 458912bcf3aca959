"""A ladder by mail: people say that they are ready, and with the sixth a table begins, without its director."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.competition.settings import SettingsRefused
from bot.store import tournament_rounds
from bot.store.database import reading
from bot.tournament import calendar, preparation
from bot.tournament.desk import Caller
from rules.components.facts import data_file
from tests.tournament.entries import Cup

EXAMPLE = data_file("tournaments/ladder.toml").read_text(encoding="utf-8")
BEACON = 'beacon = "the lottery"\nbeacon_date = "2030-03-02"\n'
SIX = ("ann", "bob", "cid", "dora", "eve", "fay")


def tick(cup: Cup) -> None:
    cup.wait(1)
    calendar.tick(cup.world.moderator.open_games, cup.world.now)


def begun(cup: Cup) -> list[str]:
    with reading(cup.world.engine) as conn:
        return [table.game_id for table in tournament_rounds.tables_of(conn, "cup") if table.state == "playing"]


@pytest.mark.parametrize("beacon", ["", BEACON])
def test_six_who_are_ready_play_without_a_command_of_the_director(tmp_path: Path, beacon: str) -> None:
    cup = Cup.at(tmp_path, EXAMPLE.replace('format = "ladder"\n', f'format = "ladder"\n{beacon}', 1))
    for name in SIX:
        cup.enters(name)
        told = " ".join(cup.newest(name).text.split())
        assert "nothing to do" not in told
        assert "send ready" in told
    for name in SIX[:5]:
        cup.answers(name, "I'm ready")
    tick(cup)
    assert "5 players are ready, 1 is missing" in " ".join(cup.newest("eve").text.split())
    assert begun(cup) == []
    cup.answers("fay", "ready")
    tick(cup)
    assert begun(cup) == ["cup-r1-t01"]
    for name in SIX:
        draws = [sent.text for sent in cup.letters(name) if "Your table in" in str(sent.message["Subject"])]
        assert "last turn" not in " ".join(" ".join(draws).split()), "a ladder's rounds have no end"
        assert draws


def test_whoever_is_on_a_ladder_joins_its_next_table_as_any_other(tmp_path: Path) -> None:
    cup = Cup.at(tmp_path, EXAMPLE)
    for name in SIX:
        cup.enters(name)
        cup.answers(name, "join cup")
        assert "ready" in " ".join(cup.newest(name).text.split())
    tick(cup)
    assert begun(cup) == ["cup-r1-t01"]


def test_nobody_can_announce_a_beacon_for_a_ladder_which_draws_whenever_six_are_ready(tmp_path: Path) -> None:
    cup = Cup.at(tmp_path)
    caller = Caller(cup.world.moderator.open_games, cup.world.now)
    with pytest.raises(SettingsRefused, match="a ladder draws whenever six are ready, so no beacon can be announced"):
        preparation.new_tournament(caller, "steps", f'title = "Steps"\nformat = "ladder"\n{BEACON}')
    assert "beacon" not in EXAMPLE
