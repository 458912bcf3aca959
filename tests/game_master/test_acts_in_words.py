"""Act-log entries for each power used in a game, which everybody can read at the end of the game."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import clocks, people, rights, seats
from bot.desk.desk import _rows
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.games.open_games import acts_of
from bot.moderator.desk_lines import changed_use, question_in
from bot.render.blocks import Row
from bot.store.database import reading
from tests.game_master.test_every_power import DORA, POWERS, REY
from tests.moderator.table import GAME, World


@pytest.mark.parametrize("name", [name for name, power in POWERS.items() if power.why is not None])
def test_the_act_log_says_what_was_done_by_whom_and_why(tmp_path: Path, name: str) -> None:
    world, power = World.at(tmp_path), POWERS[name]
    world.silent_game("bidding")
    power.before(world.moderator.open_games, world)
    with reading(world.engine) as conn:
        before = acts_of(conn, GAME)
    letters = world.written()
    power.use(world.moderator.open_games, world)
    with reading(world.engine) as conn:
        *others, act = acts_of(conn, GAME)
    assert others == list(before)
    assert (act.what, act.words, act.why) == (name.partition(" ")[0], power.words, power.why)
    assert (act.tell, act.who, act.right) == ("", REY if name == "handover confirmed" else "", "director")
    assert act.at == world.now
    if power.subject:
        assert {letter.subject for letter in world.letters(after=letters)} == {f"[{GAME}] {power.subject}"}
    world.engine.dispose()


def test_the_caretaker_begins_and_ends_with_nothing_missed(begun: World) -> None:
    open_games = begun.moderator.open_games
    for on in (True, False):
        seats.set_caretaker(DeskRequest(open_games, GAME, begun.now), "guild", on)
        seat = begun.table().seats["guild"]
        assert (seat.care, seat.missed) == (on, 0)
        with pytest.raises(PowerRefused, match=f"is already {'on' if on else 'off'} for the Guild"):
            seats.set_caretaker(DeskRequest(open_games, GAME, begun.now), "guild", on)


def test_what_is_told_of_each_game_stands_together_and_what_is_of_none_under_all() -> None:
    told = [("b", "first"), ("", "of all"), ("a", "second"), ("b", "third")]
    plain = [Row("b", ("first", "third")), Row("All", ("of all",)), Row("a", ("second",))]
    assert list(_rows(told).rows) == plain
    assert list(_rows(told, 4).rows) == plain
    (more,) = _rows(told, 6).rows[len(plain) :]
    assert isinstance(more, Row)
    assert more.label == "…"
    assert "2" in str(more.lines[0])


@pytest.mark.parametrize(
    ("line", "wants"),
    [("?", "help"), ("help", "help"), (" Help! ", "help"), ("status", "waits"), ("Waits.", "waits"), ("!", ""),
     ("", ""), ("pause", "")],
)  # fmt: skip
def test_a_line_that_only_asks_is_known_by_its_word(line: str, wants: str) -> None:
    assert question_in(line) == wants


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("why: a wedding", Use(why="a wedding", tell="t", at="1/storm")),
        ("Tell: Sorry.", Use(why="w", tell="Sorry.", at="1/storm")),
        ("if: 4/bidding", Use(why="w", tell="t", at="4/bidding")),
        ("dry run", Use(why="w", tell="t", at="1/storm", dry_run=True)),
        ("pause", None),
    ],
)
def test_a_line_may_say_how_those_below_it_are_used(line: str, use: Use | None) -> None:
    assert changed_use(Use(why="w", tell="t", at="1/storm"), line) == use


def test_a_right_that_somebody_has_already_is_given_in_silence(begun: World) -> None:
    open_games = begun.moderator.open_games
    assert rights.grant(DeskRequest(open_games, GAME, begun.now), "clerk", REY)
    letters = begun.written()
    assert not rights.grant(DeskRequest(open_games, GAME, begun.now), "clerk", REY)
    assert begun.written() == letters
    with reading(begun.engine) as conn:
        assert [act.words for act in acts_of(conn, GAME)] == [f"clerk to {REY}"]
    assert rights.grant(DeskRequest(open_games, GAME, begun.now), "arbiter", REY.upper())
    with reading(begun.engine) as conn:
        assert [act.words for act in acts_of(conn, GAME)][1:] == [f"arbiter to {REY}"]
    with pytest.raises(PowerRefused, match="has no right in"):
        rights.revoke(DeskRequest(open_games, GAME, begun.now), DORA)


def test_hours_are_added_up_as_they_are_given(begun: World) -> None:
    open_games = begun.moderator.open_games
    minutes = [seats.change_bank(DeskRequest(open_games, GAME, begun.now), "guild", hours) for hours in (3, 0.5, -1)]
    assert minutes[1] - minutes[0] == 30
    assert minutes[2] - minutes[1] == -60
    due = {key: deadline.due for key, deadline in begun.table().deadlines.items()}
    clocks.extend(DeskRequest(open_games, GAME, begun.now), 1.5)
    later = {key: deadline.due for key, deadline in begun.table().deadlines.items()}
    assert later
    assert all(later[key] - due[key] == timedelta(hours=1.5) for key in due)
    with reading(begun.engine) as conn:
        assert [act.words for act in acts_of(conn, GAME)][-1] == "1.5 h"
    people.warn(DeskRequest(open_games, "", begun.now), DORA, "Hm.")
