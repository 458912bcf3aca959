"""Ladders by mail: when six people have said that they are ready, a table begins without the director."""

from __future__ import annotations

from datetime import timedelta
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
    settings = EXAMPLE.replace('format = "ladder"\n', f'format = "ladder"\n{beacon}', 1)
    cup = Cup.at(tmp_path, settings.replace("auto = false", "auto = true"))
    for name in SIX:
        cup.enters(name)
        told = " ".join(cup.newest(name).text.split())
        assert "nothing to do" not in told
        assert "send ready" in told
    for name in SIX[:5]:
        cup.answers(name, "I'm ready")
    tick(cup)
    assert "5 players are ready; 1 more is needed" in " ".join(cup.newest("eve").text.split())
    assert begun(cup) == []
    cup.answers("fay", "ready")
    tick(cup)
    assert begun(cup) == ["cup-r1-t01"]
    for name in SIX:
        draws = [sent.text for sent in cup.letters(name) if "Your table in" in str(sent.message["Subject"])]
        assert "no sooner than" not in " ".join(" ".join(draws).split()), "the game begins at once"
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


@pytest.mark.parametrize(
    ("line", "stays"),
    [("", False), ("ready", True), ("yes", True), ("not ready", False), ("no", False), ("still here", True)],
)
def test_who_was_ready_long_ago_is_asked_once_and_seated_only_if_they_still_are(
    tmp_path: Path, line: str, stays: bool
) -> None:
    cup = Cup.at(tmp_path, EXAMPLE)
    for name in SIX:
        cup.enters(name)
    cup.answers("ann", "ready")
    assert "If it takes longer than 21 days, we will ask you again" in " ".join(cup.newest("ann").text.split())
    before = len(cup.letters("ann"))
    for day in range(1, 23):
        cup.world.now += timedelta(days=1)
        tick(cup)
        assert len(cup.letters("ann")) == before + (day > 20), day
    asked = cup.newest("ann")
    assert "are you still ready?" in str(asked.message["Subject"])
    assert "Answer “ready” by" in " ".join(asked.text.split())
    if line:
        cup.answers("ann", line)
    told = len(cup.letters("ann"))
    for _ in range(8):
        cup.world.now += timedelta(days=1)
        tick(cup)
    assert len(cup.letters("ann")) == told, "one letter, and no more"
    for name in SIX[1:]:
        cup.answers(name, "ready")
    tick(cup)
    assert bool(begun(cup)) == stays
    if not stays:
        cup.answers("ann", "ready")
        tick(cup)
        assert begun(cup)


def test_nobody_can_announce_a_beacon_for_a_ladder_which_draws_whenever_six_are_ready(tmp_path: Path) -> None:
    cup = Cup.at(tmp_path)
    caller = Caller(cup.world.moderator.open_games, cup.world.now)
    with pytest.raises(SettingsRefused, match="a ladder draws whenever six are ready, so no beacon can be announced"):
        preparation.new_tournament(caller, "steps", f'title = "Steps"\nformat = "ladder"\n{BEACON}')
    assert "beacon" not in EXAMPLE


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("Count me in for the next table", True),
        ("I'd like to play", True),
        ("I am free for a game", True),
        ("One more game, please", True),
        ("I'd love to play, but not before June", False),
        ("When is the next game?", False),
    ],
)
def test_who_wants_a_table_of_a_ladder_in_other_words_is_asked_and_says_yes(
    tmp_path: Path, words: str, asked: bool
) -> None:
    cup = Cup.at(tmp_path, EXAMPLE)
    cup.enters("ann")
    cup.answers("ann", words)
    assert ("It looks as if you want a table" in " ".join(cup.newest("ann").text.split())) == asked
    cup.answers("ann", "yes")
    assert ("1 player is ready" in " ".join(cup.newest("ann").text.split())) == asked
