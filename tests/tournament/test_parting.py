"""Pairs of entrants who are kept apart: only a director can name them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.store import acts, tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tournament_rounds import Round
from bot.tournament import entries
from bot.tournament.desk import By, Caller, Refused
from tests.moderator.table import START, World
from tests.tournament.cup import CUP, enter, make


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.at(tmp_path)


def test_a_pair_is_kept_apart_once_and_the_record_does_not_say_which(world: World) -> None:
    make(world)
    enter(world, "ann", "bob", "cid")
    open_games = world.moderator.open_games
    assert entries.keep_apart(Caller(open_games, world.now, By(why="sisters")), CUP, "e002", "E001")
    assert not entries.keep_apart(Caller(open_games, world.now), CUP, "E001", "E002")
    with reading(world.engine) as conn:
        act = acts.acts_of(conn, tournament_id=CUP)[-1]
        assert [(pair.one, pair.other, pair.why) for pair in tournaments.pairs_apart(conn, CUP)] == [(1, 2, "sisters")]
    assert (act.words, act.why, act.audience) == ("a pair is kept apart", "", "directors")
    assert entries.keep_apart(Caller(open_games, world.now), CUP, "E001", "E002", remove=True)
    assert not entries.keep_apart(Caller(open_games, world.now), CUP, "E001", "E002", remove=True)
    for other in ("E002", "E003"):
        assert entries.keep_apart(Caller(open_games, world.now), CUP, "E001", other), (
            "one may be kept apart from several"
        )
    assert not world.letters()


@pytest.mark.parametrize(
    ("one", "other", "told"), [("E001", "E009", "no entrant"), ("E001", "e001", "Both names mean E001")]
)
def test_only_two_entrants_can_be_kept_apart(world: World, one: str, other: str, told: str) -> None:
    make(world)
    enter(world, "ann", "bob")
    with pytest.raises(Refused, match=told):
        entries.keep_apart(Caller(world.moderator.open_games, world.now), CUP, one, other)


@pytest.mark.parametrize("remove", [False, True])
@pytest.mark.parametrize("state", ["finished", "cancelled"])
def test_where_nobody_is_seated_any_more_nobody_is_kept_apart(world: World, state: str, remove: bool) -> None:
    make(world)
    enter(world, "ann", "bob", "cid")
    open_games = world.moderator.open_games
    assert entries.keep_apart(Caller(open_games, world.now), CUP, "E001", "E002")
    with writing(world.engine) as conn:
        tournaments.touch(conn, CUP, state=state)
    other = "E002" if remove else "E003"
    with pytest.raises(Refused, match=f"cup is {state}; nobody can be seated there any more"):
        entries.keep_apart(Caller(open_games, world.now), CUP, "E001", other, remove=remove)
    with reading(world.engine) as conn:
        assert [(pair.one, pair.other) for pair in tournaments.pairs_apart(conn, CUP)] == [(1, 2)]


def test_who_are_kept_apart_and_sit_together_already_are_named_by_the_tables_that_go_on(world: World) -> None:
    make(world)
    enter(world, "ann", "bob", "cid")
    with writing(world.engine) as conn:
        for number, seated in ((1, (1, 2)), (2, (2, 3)), (3, (1, 2, 3)), (4, (1, 2))):
            tournament_rounds.add_round(conn, Round(CUP, number, "heat", "playing", START))
            table = tournament_rounds.RoundTable(CUP, number, 1, 6, state="finished" if number == 4 else "planned")
            tournament_rounds.add_tables(
                conn, [table], [tournament_rounds.Tenure(CUP, number, 1, dot, who) for dot, who in enumerate(seated)]
            )
    with reading(world.engine) as conn:
        assert entries.sitting_together(conn, CUP, "E001", "e002") == ["1.1", "3.1"]
        assert entries.sitting_together(conn, CUP, "E001", "E003") == ["3.1"]
        with pytest.raises(Refused, match="cup has no entrant 'E009'; name them by handle, like E012"):
            entries.sitting_together(conn, CUP, "E001", "E009")
