"""Organisers' news: nothing sealed, protests only for those who decide them, and nothing about a table at which the
organiser plays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.games.open_games import Session
from bot.store import tournaments
from bot.store.acts import Right
from bot.store.database import writing
from bot.store.tournaments import Paper
from bot.tournament import (
    adjudication,
    desk,
    drawing,
    entries,
    game_starts,
    preparation,
    progress,
    results,
    rounds,
    substitutes,  # fmt: skip
)
from bot.tournament.desk import By, Caller, Refused
from rules.components import FACTIONS
from tests.tournament.cup import CUP, Cup, address, cup_at, token_for
from tests.tournament.twin_events import Secret, differences, letters, nothing

BOSS = "boss@example.org"


def is_over(cup: Cup) -> None:
    cup.end("cup-1-1", FACTIONS[0])
    cup.tick(0)


def is_protested_against(cup: Cup) -> None:
    """End the first table's game and protest against its result."""
    is_over(cup)
    with writing(cup.world.engine) as conn:
        found = tournaments.find_tournament(conn, CUP)
        results.file_protest(Session(conn, cup.open_games, cup.now), found, cup.entrant(2), "1.1", "They cheated.")


def proposes(cup: Cup) -> None:
    """Propose to end the first table's game."""
    votes(cup, 1, agreed=True)


def is_against(cup: Cup) -> None:
    """Propose to end the first table's game, and let another player vote against it."""
    votes(cup, 1, agreed=True)
    votes(cup, 2, agreed=False)


def votes(cup: Cup, number: int, *, agreed: bool) -> None:
    with writing(cup.world.engine) as conn:
        found = tournaments.find_tournament(conn, CUP)
        adjudication.cast_vote(
            Session(conn, cup.open_games, cup.now), found, cup.entrant(number), [FACTIONS[0]] if agreed else None
        )


def seals_a_wish(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(conn, Paper(CUP, 3, "preferences", "guild, *", cup.now))


def never_writes(cup: Cup) -> None:
    """Make everybody at the first table silent from the start."""


def all_write(cup: Cup) -> None:
    cup.wrote("cup-1-1")


def all_but_one_write(cup: Cup) -> None:
    cup.wrote("cup-1-1", *FACTIONS[1:])


def organised(folder: Path, right: Right, who: str, secret: Secret) -> list[tuple[object, ...]]:
    """Play some days with a secret at the first table; return all letters that carry the right's token."""
    folder.mkdir()
    cup = cup_at(folder)
    cup.grant(who, right)
    cup.round()
    cup.wrote("cup-1-2")
    cup.tick(0)
    secret(cup)
    for _ in range(6):
        cup.tick(20)
    token = token_for(who).encode()
    found = letters(cup.world, [who])
    cup.world.engine.dispose()
    return [letter for letter in found if token in bytes(letter[5])]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("right", "one", "other"),
    [
        ("director", proposes, nothing),
        ("director", is_against, proposes),
        ("director", seals_a_wish, nothing),
        ("clerk", is_protested_against, is_over),
        ("auditor", is_protested_against, is_over),
        ("deputy", is_protested_against, is_over),
    ],
)
def test_organisers_are_not_told_what_is_not_theirs(tmp_path: Path, right: Right, one: Secret, other: Secret) -> None:
    with_it, without = organised(tmp_path / "1", right, BOSS, one), organised(tmp_path / "2", right, BOSS, other)
    assert not differences({"letters": with_it}, {"letters": without})


@pytest.mark.parametrize("one", [never_writes, all_but_one_write, is_over, is_protested_against])
def test_a_clerk_is_told_nothing_of_a_table_at_which_they_play(tmp_path: Path, one: Secret) -> None:
    with_it = organised(tmp_path / "1", "clerk", address(2), one)
    without = organised(tmp_path / "2", "clerk", address(2), all_write)
    assert not differences({"letters": with_it}, {"letters": without})


# --- too little right ------------------------------------------------------------------------------------------------

Does = Callable[[Cup, By], object]
DECIDES: dict[str, tuple[tuple[Right, ...], Does]] = {
    "apart": ((), lambda cup, by: entries.keep_apart(Caller(cup.open_games, cup.now, by), CUP, "E001", "E007")),
    "enter": (("clerk",), lambda cup, by: entries.enter_by_director(
        Caller(cup.open_games, cup.now, by), CUP, "new@example.org")),
    "grant": ((), lambda cup, by: desk.grant_right(
        Caller(cup.open_games, cup.now, by), CUP, "new@example.org", "clerk")),
    "handover": ((), lambda cup, by: desk.hand_over(Caller(cup.open_games, cup.now, by), CUP, "new@example.org")),
    "extend": ((), lambda cup, by: rounds.extend_round(Caller(cup.open_games, cup.now, by), CUP, 1, 5)),
    "notice": ((), lambda cup, by: rounds.announce_last_turn(Caller(cup.open_games, cup.now, by), CUP, 1, "1.1", 9)),
    "close": ((), lambda cup, by: rounds.close_round(Caller(cup.open_games, cup.now, by), CUP, 1)),
    "finish": ((), lambda cup, by: progress.finish_tournament(Caller(cup.open_games, cup.now, by), CUP)),
    "cancel": ((), lambda cup, by: preparation.cancel_tournament(Caller(cup.open_games, cup.now, by), CUP)),
    "draw": ((), lambda cup, by: drawing.draw(Caller(cup.open_games, cup.now, by), CUP)),
    "start": ((), lambda cup, by: game_starts.start_games(Caller(cup.open_games, cup.now, by), CUP)),
    "adjudicate": (("arbiter",), lambda cup, by: adjudication.adjudicate(
        Caller(cup.open_games, cup.now, by), CUP, "1.1", adjudication.Finding("stopped"))),
    "void": (("arbiter",), lambda cup, by: results.void_table(Caller(cup.open_games, cup.now, by), CUP, "1.1")),
    "disqualify": (("arbiter",), lambda cup, by: entries.disqualify(Caller(cup.open_games, cup.now, by), CUP, "E001")),
    "dismiss": (("arbiter",), lambda cup, by: results.dismiss_protest(Caller(cup.open_games, cup.now, by), CUP, 1)),
    "substitute": ((), lambda cup, by: substitutes.substitute(
        Caller(cup.open_games, cup.now, by), CUP, "1.1", FACTIONS[0], "E013")),
}  # fmt: skip
"""Organisers' acts, each with the rights that allow it besides a director's."""
RIGHTS: tuple[Right, ...] = ("arbiter", "clerk", "auditor")


@pytest.mark.parametrize("act", DECIDES)
def test_who_has_too_little_right_learns_by_a_refusal_only_that(cup: Cup, act: str) -> None:
    cup.round()
    enough, does = DECIDES[act]
    if act == "dismiss":
        is_protested_against(cup)
    cup.grant("nobody@example.org", "auditor")
    for right in RIGHTS:
        if right not in enough:
            cup.grant(BOSS, right)
            with pytest.raises(Refused, match=rf"This needs the .* right in {CUP}; {BOSS} lacks it"):
                does(cup, By(BOSS, right, "for a reason"))
    with pytest.raises(Refused, match=rf"This needs the .* right in {CUP}; stranger@example\.org lacks it"):
        does(cup, By("stranger@example.org", "director", "for a reason"))
