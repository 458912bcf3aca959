"""Tables decided before their game has been played to the end."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from bot.store import tournament_rounds
from bot.store.database import reading, writing
from bot.store.tables import GAME
from bot.store.tournament_rounds import RoundTable
from bot.tournament import adjudication, entrant_lines, mail_lines, substitutes
from bot.tournament.adjudication import Finding, Rule, public_sides
from bot.tournament.desk import By, Caller, Refused, acting, find_table
from rules.components import as_faction
from tests.tournament.cup import CUP, Cup, address

BY = By(why="the round has ended")
GM = "gm@arrakis.example"


def adjudicate(cup: Cup, rule: Rule = "", *winners: str, by: By = BY) -> adjudication.Adjudication:
    finding = Finding(rule, [as_faction(faction) for faction in winners])
    return adjudication.adjudicate(Caller(cup.open_games, cup.now, by), CUP, "1.1", finding)


def vote(cup: Cup, number: int, *winners: str, at: str = "") -> RoundTable:
    named = [as_faction(faction) for faction in winners] or None
    with acting(Caller(cup.open_games, cup.now), CUP) as (session, tournament):
        return adjudication.cast_vote(session, tournament, cup.entrant(number), named, at)


def said(cup: Cup, number: int, line: str) -> tuple[str, str]:
    """Return the status and text of the answer to a line of an entrant's mail."""
    with acting(Caller(cup.open_games, cup.now), CUP) as (session, tournament):
        found = entrant_lines.carry_out_line(session, tournament, cup.entrant(number), mail_lines.read_line(line))
    return found.status, found.text


def test_the_board_names_the_winners_and_nobody_else_does(cup: Cup) -> None:
    cup.round()
    with pytest.raises(Refused, match="leave out --winners, or leave out --rule"):
        adjudicate(cup, "stopped", "guild")
    assert (cup.result(), cup.standing().state, cup.done()) == (None, "playing", [])


def test_a_stopped_game_before_its_first_pause_is_void_and_scores_nothing(cup: Cup) -> None:
    cup.round()
    found = adjudicate(cup, "stopped")
    kept = cup.result()
    assert kept is not None
    assert (kept.outcome.kind, kept.outcome.winners, cup.standing().state) == ("void", (), "void")
    assert found.board is not None


def test_a_stopped_game_is_decided_on_the_public_board_of_its_last_pause(cup: Cup) -> None:
    cup.round(1, [range(1, 7)])
    cup.world.silence_until("storm", 2, "cup-1-1")
    with writing(cup.world.engine) as conn:
        there = public_sides(conn, "cup-1-1")
    best = min(there, key=lambda side: (side.deficit, -side.held, -side.tokens, side.order))
    adjudicate(cup, "stopped")
    kept = cup.result()
    assert kept is not None
    assert {side.needed for side in there} == {3}
    assert {side.members[0]: side.held for side in there} == {s.faction: s.strongholds for s in kept.outcome.seats}
    assert kept.outcome.winners == best.members
    assert (kept.outcome.kind, cup.standing().state, kept.by) == ("adjudicated", "adjudicated", "director")
    assert "counted on the board after turn" in cup.text(1)
    assert "The reason: the round has ended" in cup.text(1)
    with pytest.raises(Refused, match=r"Table 1\.1 is adjudicated"):
        adjudicate(cup, "stopped")


@pytest.mark.parametrize("still", ["held", "clocks stopped"])
def test_a_game_that_stands_still_is_not_adjudicated(cup: Cup, still: str) -> None:
    cup.round()
    changed = {"status": "held"} if still == "held" else {"stopped_at": cup.now}
    with writing(cup.world.engine) as conn:
        conn.execute(update(GAME).where(GAME.c.id == "cup-1-1").values(**changed))
    with pytest.raises(Refused, match=r"game of table 1\.1 is stopped; it gets its time back"):
        adjudicate(cup, "stopped")
    assert cup.result() is None
    found = adjudication.adjudicate(Caller(cup.open_games, cup.now, BY), CUP, "1.2", Finding("stopped"))
    assert found.table.place == (1, 2), "the other one goes on"


def test_a_master_seated_there_does_not_adjudicate(cup: Cup) -> None:
    cup.round()
    cup.grant(address(2), "director")
    with pytest.raises(Refused, match=r"A player at table 1\.1"):
        adjudicate(cup, "stopped", by=By(address(2), "director", "why"))


def test_a_vote_on_which_all_seats_agree_ends_the_game(cup: Cup) -> None:
    cup.round()
    found = adjudicate(cup, "agreed", "atreides", "emperor")
    assert found.votes_until is not None
    assert "To agree, write: vote agreed atreides emperor" in cup.text(6)
    for number in range(1, 6):
        vote(cup, number, "emperor", "atreides")
    assert cup.result() is None
    vote(cup, 6, "atreides", "emperor")
    kept = cup.result()
    assert kept is not None
    assert (kept.outcome.kind, kept.outcome.winners) == ("agreed", ("atreides", "emperor"))
    assert cup.papers("vote") == []
    assert {paper.words for paper in cup.papers("vote", state=None)} == {""}, "nobody's vote is kept"


def test_one_voice_against_is_enough_and_nobody_learns_whose_or_when(cup: Cup) -> None:
    cup.round()
    adjudicate(cup, "agreed", "atreides")
    before = cup.world.written()
    vote(cup, 3)
    assert cup.world.written() == before
    for number in (1, 2, 4, 5, 6):
        vote(cup, number, "atreides")
    cup.tick(5 * 24 - 1)
    assert len(cup.papers("vote")) == 6, "it ends at its hour, not with the voice against it"
    cup.tick(1)
    assert cup.papers("vote") == []
    assert cup.standing().state == "playing"
    letters = [cup.text(number) for number in range(1, 7)]
    assert all("agreed to end the game, so it goes on" in text for text in letters)
    assert cup.result() is None


def test_a_missing_voice_is_one_against(cup: Cup) -> None:
    cup.round()
    adjudicate(cup, "agreed", "atreides")
    for number in range(1, 6):
        vote(cup, number, "atreides")
    cup.tick(5 * 24)
    assert cup.result() is None
    assert cup.papers("vote") == []


def test_a_player_may_propose_it_and_nobody_is_told_who_did(cup: Cup) -> None:
    cup.round()
    with pytest.raises(Refused, match="No vote is open"):
        vote(cup, 2)
    vote(cup, 2, "guild")
    asked = cup.text(5)
    assert "Guild has won it" in asked
    assert "E002" not in asked
    assert "Player 2" not in asked
    with pytest.raises(Refused, match="The open vote is on a win for the Guild"):
        vote(cup, 4, "fremen")


def test_a_vote_by_mail_is_answered_with_what_was_sealed(cup: Cup) -> None:
    cup.round()
    adjudicate(cup, "agreed", "atreides", "emperor")
    assert said(cup, 2, "vote agreed emperor atreides") == (
        "done", "Sealed for table 1.1: Emperor and Atreides win. You can send a new line until the vote ends."
    )  # fmt: skip
    assert said(cup, 2, "vote 1.1 no") == (
        "done", "Sealed for table 1.1: play on. You can send a new line until the vote ends."
    )  # fmt: skip
    refused = said(cup, 3, "vote agreed guild")
    assert (refused[0], refused[1].startswith("The open vote is on")) == ("refused", True)
    assert said(cup, 8, "vote 1.1 no")[0] == "refused"
    assert [paper.entrant for paper in cup.papers("vote") if not paper.words.startswith("?")] == [2]
    assert len(cup.papers("vote")) == 6


def test_a_protest_by_mail_is_answered_with_where_it_goes(cup: Cup) -> None:
    cup.round()
    assert said(cup, 4, "protest 1.1: wrong")[0] == "refused"
    cup.end("cup-1-1", "guild")
    cup.tick()
    assert said(cup, 4, "protest 1.1: The Guild  never held it.") == (
        "done", "Your protest about table 1.1 goes to the arbiters. The others at your table may reply to it first; "
        "they will not learn that it is yours. You will hear what was decided."
    )  # fmt: skip
    assert [(paper.entrant, paper.words) for paper in cup.papers("protest")] == [(4, "The Guild never held it.")]


@pytest.mark.parametrize(
    ("winners", "says"),
    [((), "has no winner"), (("guild", "guild"), "the Guild twice"), (("harkonnen",), "Nobody plays")],
)
def test_a_vote_on_what_cannot_be_is_refused_before_anybody_is_asked(
    cup: Cup, winners: tuple[str, ...], says: str
) -> None:
    cup.round(1, [range(1, 6)])
    with pytest.raises(Refused, match=says):
        adjudicate(cup, "agreed", *winners)
    assert cup.papers("vote") == []


def test_a_final_is_ended_by_a_vote_only_where_there_is_an_arbiter(cup: Cup) -> None:
    cup.kind = "final"
    cup.round(1, [range(1, 7)])
    with pytest.raises(Refused, match="only if an arbiter oversees it"):
        adjudicate(cup, "agreed", "guild")
    cup.grant("judge@example.org", "arbiter")
    adjudicate(cup, "agreed", "guild")


def test_a_game_that_ends_while_its_table_votes_has_its_own_result(cup: Cup) -> None:
    cup.round()
    adjudicate(cup, "agreed", "atreides")
    cup.end("cup-1-1", "guild")
    cup.tick()
    with pytest.raises(Refused):
        vote(cup, 1, "atreides")
    cup.tick(5 * 24)
    kept = cup.result()
    assert kept is not None
    assert kept.outcome.winners == ("guild",)
    assert cup.papers("vote") == []


def test_a_table_votes_on_one_thing_at_a_time_and_no_more_once_it_is_decided_otherwise(cup: Cup) -> None:
    cup.round()
    adjudicate(cup, "agreed", "guild")
    with pytest.raises(Refused, match=r"Table 1\.1 is already voting\."):
        adjudicate(cup, "agreed", "fremen")
    vote(cup, 7, "fremen")
    assert [(paper.table, paper.words[1:]) for paper in cup.papers("vote")] == [(1, "guild")] * 6 + [(2, "fremen")] * 6
    adjudicate(cup, "stopped")
    assert {paper.table for paper in cup.papers("vote")} == {2}
    gone = [paper for paper in cup.papers("vote", state=None) if paper.table == 1]
    assert {(paper.state, paper.words) for paper in gone} == {("gone", "")}


def test_who_sits_down_while_the_table_votes_is_not_asked_and_the_vote_fails_without_them(cup: Cup) -> None:
    cup.round()
    left = cup.sitting("guild").entrant
    adjudicate(cup, "agreed", "atreides")
    vote(cup, left, "atreides")
    substitutes.substitute(Caller(cup.open_games, cup.now, BY), CUP, "1.1", as_faction("guild"), "E013")
    with pytest.raises(Refused, match=r"You have no vote at table 1\.1\."):
        vote(cup, 13, "atreides")
    with pytest.raises(Refused, match=r"like: vote 1\.3 agreed\. You play at none\."):
        vote(cup, left, "atreides")
    for number in {1, 2, 3, 4, 5, 6} - {left}:
        vote(cup, number, "atreides")
    assert (cup.result(), cup.papers("vote"), cup.standing().state) == (None, [], "playing")
    assert "agreed to end the game, so it goes on" in cup.text(13)


def test_who_plays_at_several_tables_says_at_which_they_vote(cup: Cup) -> None:
    cup.round(1)
    cup.round(2, [[1, 7, 8, 9, 10, 11]])
    with pytest.raises(
        Refused, match=r"Name the table of your vote, like: vote 1\.3 agreed\. You play at 1\.1, 2\.1\."
    ):
        vote(cup, 1, "guild")
    with pytest.raises(Refused, match=r"You do not play at table 1\.2 now\."):
        vote(cup, 1, "guild", at="1.2")
    assert vote(cup, 1, "guild", at="2.1").place == (2, 1)
    assert {paper.round for paper in cup.papers("vote")} == {2}
    assert vote(cup, 1, "guild").place == (2, 1), "the only one that votes is meant"


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("1.2", (1, 2)), (" 2/1 ", (2, 1)), ("2-1", (2, 1)), ("2", (2, 2)), ("cup-1-2", (1, 2)),
        ("3.1", "cup has no table '3.1'; name it like 1.3, the third table of round 1."),
        ("3", "cup has no table '3'; name it like 1.3, the third table of round 1."),
        ("", "cup has no table ''; name it like 1.3, the third table of round 1."),
        ("1", "1 may be one of several tables (2.1, 3.1): name it with its round."),
    ],
)  # fmt: skip
def test_a_table_is_named_with_its_round_or_alone_where_one_round_is_open(
    cup: Cup, said: str, place: tuple[int, int] | str
) -> None:
    cup.round(1)
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
        for number, tables in ((2, 2), (3, 1)):
            tournament_rounds.add_round(conn, tournament_rounds.Round(CUP, number, "heat", "playing", cup.now))
            planned = [RoundTable(CUP, number, table, 6) for table in range(1, tables + 1)]
            tournament_rounds.add_tables(conn, planned if said not in ("3.1", "3") or number == 2 else [], [])
    with reading(cup.world.engine) as conn:
        if isinstance(place, tuple):
            assert find_table(conn, CUP, said).place == place
        else:
            with pytest.raises(Refused) as refused:
                find_table(conn, CUP, said)
            assert str(refused.value) == place
