"""Which organisers are told news, and when a deputy replaces them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.store import acts, tournaments
from bot.store.acts import DeskAct, Right
from bot.store.database import reading, writing
from bot.store.tournaments import Paper
from bot.tournament import calendar, desk
from bot.tournament import entries as entering
from bot.tournament.desk import By, Caller, acting
from bot.tournament.letters import Letter, tell_organisers
from tests.tournament import entries
from tests.tournament.cup import CUP, Cup, address

BOSS, DEPUTY, GM = "boss@example.org", "deputy@example.org", "gm@arrakis.example"


def told(cup: Cup) -> set[str]:
    """Return the recipients of a letter to the organisers."""
    before = cup.world.written()
    with acting(Caller(cup.open_games, cup.now), CUP) as (session, tournament):
        tell_organisers(session, tournament, Letter("news", ["News."], "news"))
    return {sent.recipient for sent in cup.world.letters(after=before)}


@pytest.mark.parametrize(
    ("there", "readers"),
    [
        ((), {"game master"}),
        (("auditor", "deputy"), {"game master"}),
        (("director", "arbiter", "clerk", "auditor", "deputy"), {"director", "arbiter", "clerk"}),
    ],
)
def test_organisers_are_told_but_auditors_and_deputies_or_the_game_master_is(
    cup: Cup, there: tuple[Right, ...], readers: set[str]
) -> None:
    for right in there:
        cup.grant(f"{right}@example.org", right)
    assert told(cup) == {GM if reader == "game master" else f"{reader}@example.org" for reader in readers}


@pytest.mark.parametrize(
    ("days_ago", "right", "follows"),
    [
        (14, "director", True),
        (13.9, "director", False),
        (13.9, "arbiter", False),
        (13.9, "auditor", True),
        (13.9, "", True),
    ],
)
def test_a_deputy_follows_where_nobody_who_could_have_done_anything_has_for_two_weeks(
    cup: Cup, days_ago: float, right: str, follows: bool
) -> None:
    cup.grant(BOSS, "director")
    cup.grant(DEPUTY, "deputy")
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(conn, Paper(CUP, 3, "protest", "words", cup.now - timedelta(days=15), 1, 1))
        acts.log_act(
            conn,
            DeskAct(cup.now - timedelta(days=days_ago), "extend", words="round 1", who=BOSS, right=right),
            tournament_id=CUP,
        )
        tournaments.change_entrant(conn, CUP, 2, confirmed_at=None)
    calendar.write_organiser_letters(cup.open_games, cup.now)
    with reading(cup.world.engine) as conn:
        found = acts.right_of(conn, DEPUTY, tournament_id=CUP)
    assert found is not None
    assert found.right == ("director" if follows else "deputy")
    assert [sent.subject for sent in cup.letters(1)] == (["[cup] The Cup has a new director"] if follows else [])
    assert cup.letters(2) == [], "who has not confirmed is told nothing"


def test_an_organiser_who_plays_reads_what_is_about_no_table(cup: Cup) -> None:
    cup.grant(address(1), "clerk")
    cup.round(1)
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state="open")
        tournaments.change_entrant(conn, CUP, 14, state="entered", confirmed_at=None)
        tournaments.file_paper(
            conn, Paper(CUP, 13, "substitution", "guild", cup.now, 1, 1, until=cup.now + timedelta(days=2))
        )
    cup.world.now += timedelta(days=1)
    calendar.write_organiser_letters(cup.open_games, cup.now)
    text = " ".join(cup.letters(1)[-1].text.split())
    assert "E014" in text
    assert "E013 is asked" not in text


def test_who_has_entered_since_they_were_asked_to_direct_plays_and_does_not(entry_cup: entries.Cup) -> None:
    cup = entry_cup
    desk.hand_over(Caller(cup.world.moderator.open_games, cup.world.now), "cup", entries.address("bob"))
    code = cup.code("bob")
    cup.wait(2)
    assert cup.enters("bob").state == "confirmed"

    def directors() -> list[str]:
        with reading(cup.world.engine) as conn:
            return [who.address for who in acts.rights_of(conn, tournament_id="cup") if who.right == "director"]

    cup.says("bob", f"confirm {code}")
    assert directors() == [entries.DIRECTOR]
    cup.wait(2)
    with acting(Caller(cup.world.moderator.open_games, cup.world.now), "cup") as (session, tournament):
        entering.withdraw_entrant(session, tournament, cup.entrant("bob"), By())
    assert cup.entrant("bob").state == "withdrawn"
    cup.says("bob", f"confirm {code}")
    assert directors() == [entries.address("bob")]


@pytest.mark.parametrize(("seconds", "directs"), [(-1, True), (0, False)])
def test_who_is_asked_to_direct_has_three_days(entry_cup: entries.Cup, seconds: int, directs: bool) -> None:
    cup = entry_cup
    desk.hand_over(Caller(cup.world.moderator.open_games, cup.world.now), "cup", entries.address("bob"))
    cup.world.now += timedelta(days=3, seconds=seconds)
    cup.says("bob", f"confirm {cup.code('bob')}")
    with reading(cup.world.engine) as conn:
        assert (acts.right_of(conn, entries.address("bob"), tournament_id="cup") is not None) is directs
