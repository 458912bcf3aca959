"""Amended results and protests: no earlier draw is repeated."""

from __future__ import annotations

import msgspec
import pytest

from bot.competition.published import DrawRecord
from bot.store import acts, tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tournament_rounds import RoundTable
from bot.store.tournaments import PairApart
from bot.tournament import results
from bot.tournament import rounds as dates
from bot.tournament.desk import By, Caller, Refused, acting
from bot.tournament.results import ResultChanges
from rules.components import FACTIONS
from tests.tournament.cup import CUP, Cup, address

BY = By(why="the storm was moved wrongly")


def decided(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "atreides", "emperor", turn=7)
    cup.tick()


def amend(cup: Cup, *winners: str, by: By = BY, table: str = "1.1", **changes: object) -> results.Amendment:
    return results.amend_result(Caller(cup.open_games, cup.now, by), CUP, table, ResultChanges(winners, **changes))  # type: ignore[arg-type]


def protest(cup: Cup, number: int, table: str, text: str) -> None:
    with acting(Caller(cup.open_games, cup.now), CUP) as (session, tournament):
        results.file_protest(session, tournament, cup.entrant(number), table, text)


def test_an_amended_result_is_another_version_and_the_table_is_told(cup: Cup) -> None:
    decided(cup)
    found = amend(cup, "guild")
    assert found.result.outcome.version == 2
    assert (found.result.outcome.winners, found.result.outcome.kind) == (("guild",), "stronghold")
    assert [(kept.state, kept.outcome.winners) for kept in cup.versions()] == [
        ("amended", ("atreides", "emperor")),
        ("provisional", ("guild",)),
    ]
    assert "Guild, by strongholds" in cup.text(2)
    assert "The reason: the storm was moved wrongly" in cup.text(2)
    cup.tick(73)
    assert [kept.state for kept in cup.versions()] == ["amended", "confirmed"]


@pytest.mark.parametrize(
    ("winners", "says"),
    [
        ((), "has no winner"),
        (("atreides", "atreides"), "include Atreides twice"),
        (("atreides", "emperor", "guild", "fremen"), "4 winners are too many"),
        (("atreides", "emperor"), "is already the result of table 1.1"),
    ],
)
def test_a_result_that_cannot_be_is_refused(cup: Cup, winners: tuple[str, ...], says: str) -> None:
    decided(cup)
    changes = ResultChanges(winners, kind="stronghold")
    with pytest.raises(Refused, match=says):
        results.amend_result(Caller(cup.open_games, cup.now, BY), CUP, "1.1", changes)
    assert len(cup.versions()) == 1


def test_a_result_for_a_running_table_is_refused(cup: Cup) -> None:
    decided(cup)
    with pytest.raises(Refused, match=r"Table 1\.2 has no result to amend; its game is running"):
        amend(cup, "guild", table="1.2")
    with pytest.raises(Refused, match="give the reason with --why"):
        amend(cup, "guild", by=By())
    with pytest.raises(Refused, match=r"has no table '3\.1'"):
        amend(cup, "guild", table="3.1")


def test_a_master_who_played_there_or_is_apart_of_one_does_not_decide(cup: Cup) -> None:
    decided(cup)
    for number in (3, 9):
        cup.grant(address(number), "arbiter")
    with writing(cup.world.engine) as conn:
        tournaments.keep_apart(conn, CUP, PairApart(9, 4, "family"))
    with pytest.raises(Refused, match=r"A player at table 1\.1 cannot decide about it"):
        amend(cup, "guild", by=By(address(3), "arbiter", "why"))
    with pytest.raises(Refused, match="you are involved") as refused:
        amend(cup, "guild", by=By(address(9), "arbiter", "why"))
    assert "E004" not in str(refused.value)
    with pytest.raises(Refused, match=rf"right in {CUP}; {address(12)} lacks it"):
        amend(cup, "guild", by=By(address(12), "arbiter", "why"))
    cup.grant("judge@example.org", "arbiter")
    amend(cup, "guild", by=By("judge@example.org", "arbiter", "why"))


def test_a_void_table_scores_nothing_and_may_be_played_again(cup: Cup) -> None:
    cup.round()
    found = results.void_table(Caller(cup.open_games, cup.now, BY), CUP, "1.1", replay=True)
    assert cup.standing(1, 1).state == "void"
    kept = cup.result()
    assert kept is not None
    assert (kept.outcome.kind, kept.outcome.winners) == ("void", ())
    assert found.again is not None
    assert found.again.place == (1, 3)
    assert cup.standing(1, 3).state == "planned"
    with reading(cup.world.engine) as conn:
        again = tournament_rounds.tenures_of(conn, CUP, 1, 3)
    assert (again[0].dot, again[0].faction, again[0].entrant) == (2, "atreides", 1)
    assert "played again as table 1.3" in cup.text(1)
    with pytest.raises(Refused, match=r"Table 1\.1 is already void"):
        results.void_table(Caller(cup.open_games, cup.now, BY), CUP, "1.1")


def test_a_table_is_played_again_by_those_who_sit_there_still(cup: Cup) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_tenure(conn, cup.sitting("guild"), entrant=0)
    results.void_table(Caller(cup.open_games, cup.now, BY), CUP, "1.1", replay=True)
    with reading(cup.world.engine) as conn:
        again = tournament_rounds.tenures_of(conn, CUP, 1, 3)
    assert sorted(held.faction for held in again) == sorted({*FACTIONS} - {"guild"})
    assert all(held.entrant for held in again)


def test_a_void_table_may_go_on_as_a_friendly_game(cup: Cup) -> None:
    cup.round()
    found = results.void_table(Caller(cup.open_games, cup.now, BY), CUP, "1.1")
    assert (found.again, found.differs, found.result.outcome.kind) == (None, (), "void")
    assert (cup.standing().state, cup.world.table("cup-1-1").status) == ("void", "running")
    with reading(cup.world.engine) as conn:
        assert [table.number for table in tournament_rounds.tables_of(conn, CUP, 1)] == [1, 2]
        assert [act.words for act in acts.acts_of(conn, tournament_id=CUP) if act.what == "void"] == ["table 1.1"]
    cup.end("cup-1-1", "guild")
    cup.tick()
    assert len(cup.versions()) == 1, "how it ends is no result any more"
    assert cup.standing(1, 2).state == "playing"


def test_the_strongholds_of_a_result_are_changed_faction_by_faction_and_only_of_who_sat_there(cup: Cup) -> None:
    cup.round(1, [range(1, 6)])
    cup.end("cup-1-1", "atreides", "emperor", turn=7)
    cup.tick()
    with pytest.raises(Refused, match=r"Nobody plays Harkonnen at table 1\.1"):
        amend(cup, "guild", strongholds={"guild": 3, "harkonnen": 1})
    assert len(cup.versions()) == 1
    found = amend(cup, "guild", strongholds={"guild": 3, "fremen": 1}, turn=6)
    assert {seat.faction: seat.strongholds for seat in found.result.outcome.seats} == {
        "atreides": 0, "bene-gesserit": 0, "emperor": 0, "fremen": 1, "guild": 3
    }  # fmt: skip
    assert (found.result.outcome.winners, found.result.outcome.turn) == (("guild",), 6)


@pytest.mark.parametrize("deed", ["amend", "void"])
def test_results_stand_once_the_tournament_is_finished_and_are_none_before_the_game(cup: Cup, deed: str) -> None:
    decided(cup)
    with writing(cup.world.engine) as conn:
        tournament_rounds.add_tables(conn, [RoundTable(CUP, 1, 3, 6)], [])

    def change(table: str) -> None:
        if deed == "amend":
            amend(cup, "guild", table=table)
        else:
            results.void_table(Caller(cup.open_games, cup.now, BY), CUP, table, replay=True)

    with pytest.raises(Refused, match=r"The game of table 1\.3 has not begun; it has no result"):
        change("1.3")
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state="finished")
    with pytest.raises(Refused, match="cup is finished, its secret is published, and its results are final"):
        change("1.1")
    assert (len(cup.versions()), cup.standing().state, cup.standing(1, 3).state) == (1, "finished", "planned")


@pytest.mark.parametrize(("winners", "kind", "state"), [(("guild",), "stronghold", "finished"), ((), "void", "void")])
def test_a_void_result_that_is_given_a_winner_counts_again(
    cup: Cup, winners: tuple[str, ...], kind: str, state: str
) -> None:
    decided(cup)
    results.void_table(Caller(cup.open_games, cup.now, BY), CUP, "1.1")
    assert cup.standing().state == "void"
    found = amend(cup, *winners, turn=5)
    assert (found.result.outcome.kind, found.result.outcome.winners) == (kind, winners)
    assert (cup.standing().state, cup.standing(1, 2).state) == (state, "playing")


def test_what_is_not_named_stays_as_it_was(cup: Cup) -> None:
    decided(cup)
    found = results.amend_result(Caller(cup.open_games, cup.now, BY), CUP, "1.1", ResultChanges(turn=5)).result.outcome
    assert (found.turn, found.kind, found.winners) == (5, "stronghold", ("atreides", "emperor"))
    found = results.amend_result(
        Caller(cup.open_games, cup.now, BY), CUP, "1.1", ResultChanges(kind="adjudicated")
    ).result.outcome
    assert (found.turn, found.kind, found.winners) == (5, "adjudicated", ("atreides", "emperor"))
    results.void_table(Caller(cup.open_games, cup.now, BY), CUP, "1.1")
    found = results.amend_result(Caller(cup.open_games, cup.now, BY), CUP, "1.1", ResultChanges(turn=6)).result.outcome
    assert (found.turn, found.kind, found.winners) == (6, "void", ())


def test_a_result_from_which_the_winners_are_taken_is_void(cup: Cup) -> None:
    decided(cup)
    assert amend(cup).result.outcome.kind == "void"
    assert cup.standing().state == "void"


def test_a_later_draw_stands_and_the_report_says_what_would_have_been(cup: Cup) -> None:
    cup.round(1)
    cup.end("cup-1-1", "atreides", "emperor")
    cup.end("cup-1-2", "guild", "fremen")
    cup.tick()
    dates.close_round(Caller(cup.open_games, cup.now, BY), CUP, 1)
    cup.round(2)
    for table in (1, 2):
        cup.end(f"cup-2-{table}", "atreides")
    cup.tick()
    dates.close_round(Caller(cup.open_games, cup.now, BY), CUP, 2)
    cup.kind = "final"
    cup.round(3, [[1, 2, 3, 7, 10, 11]])
    final = DrawRecord(rounds=(3,), kind="final", roster=(), ranked=(), roster_digest="")
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 3, draw=msgspec.json.encode(final))
    found = amend(cup, "harkonnen")
    (differs,) = found.differs
    assert differs.round == 3
    assert "E006" in differs.would_have
    assert set(differs.would_not) <= {"E003"}
    with reading(cup.world.engine) as conn:
        said = [act.words for act in acts.acts_of(conn, tournament_id=CUP) if act.what == "draw stands"]
        assert [t.entrant for t in tournament_rounds.now_sitting(conn, CUP, 3)] == [1, 2, 3, 7, 10, 11]
    assert said == [differs.words]
    with pytest.raises(Refused, match="so protests are closed"):
        protest(cup, 1, "1.1", "but no")


def test_a_protest_goes_to_its_table_and_then_to_the_arbiters_and_holds_the_result_back(cup: Cup) -> None:
    decided(cup)
    cup.grant("judge@example.org", "arbiter")
    cup.grant("boss@example.org", "director")
    cup.grant(address(2), "arbiter")
    cup.tick(48)
    before = cup.world.written()
    protest(cup, 4, "1.1", "The Guild  had won")
    (filed,) = cup.papers("protest")
    written = cup.world.letters(after=before)
    assert sorted(letter.recipient for letter in written) == sorted(map(address, (1, 2, 3, 5, 6)))
    cup.tick(48)
    about = [sent.recipient for sent in cup.world.letters(after=before) if "Verdict" in str(sent.message["Subject"])]
    assert about == ["judge@example.org"]
    assert "E004 protests about table 1.1: The Guild had won" in " ".join(
        next(sent for sent in cup.world.letters("judge@example.org") if "Verdict" in sent.text).text.split()
    )
    cup.tick(40)
    kept = cup.result()
    assert kept is not None
    assert kept.state == "provisional"
    results.dismiss_protest(
        Caller(cup.open_games, cup.now, By("judge@example.org", "arbiter", "it had not")), CUP, filed.id
    )
    assert "stays as it is. Decided by the arbiter, because: it had not" in cup.text(4)
    cup.tick()
    kept = cup.result()
    assert kept is not None
    assert kept.state == "confirmed"


@pytest.mark.parametrize("free", [True, False])
def test_where_no_arbiter_is_free_a_protest_goes_to_a_director_and_then_to_the_game_master(
    cup: Cup, free: bool
) -> None:
    decided(cup)
    cup.grant(address(2), "arbiter")
    cup.grant("clerk@example.org", "clerk")
    cup.grant("boss@example.org" if free else address(3), "director")
    protest(cup, 4, "1.1", "The Guild had won")
    before = cup.world.written()
    cup.tick(48)
    written = cup.world.letters(after=before)
    told = [letter.recipient for letter in written if "protests about table 1.1" in " ".join(letter.text.split())]
    assert told == ["boss@example.org" if free else "gm@arrakis.example"]


def test_an_amended_result_answers_the_protests_about_it(cup: Cup) -> None:
    decided(cup)
    protest(cup, 4, "1.1", "wrong")
    amend(cup, "guild")
    assert cup.papers("protest") == []
    told = " ".join(letter.text for letter in cup.letters(4))
    assert "was changed. Decided by the director, because" in " ".join(told.split())


def test_only_who_played_there_may_protest_and_only_with_words(cup: Cup) -> None:
    decided(cup)
    with pytest.raises(Refused, match=r"You did not play at table 1\.1"):
        protest(cup, 9, "1.1", "wrong")
    with pytest.raises(Refused, match="Say what is wrong"):
        protest(cup, 4, "1.1", "  ")
    with pytest.raises(Refused, match="has no result to protest about yet"):
        protest(cup, 9, "1.2", "wrong")
    with pytest.raises(Refused, match="No protest 7 is open"):
        results.dismiss_protest(Caller(cup.open_games, cup.now, BY), CUP, 7)
    for why in ("", "  "):
        with pytest.raises(Refused, match="The answer to a protest needs a reason: give it with --why"):
            results.dismiss_protest(Caller(cup.open_games, cup.now, By(why=why)), CUP, 7)


def test_of_several_protests_the_one_that_is_meant_is_dismissed_and_a_new_result_answers_those_of_its_table(
    cup: Cup,
) -> None:
    decided(cup)
    cup.end("cup-1-2", "guild")
    cup.tick()
    for number, table in ((4, "1.1"), (5, "1.1"), (9, "1.2")):
        protest(cup, number, table, "wrong")
    second = cup.papers("protest")[1]
    before = cup.world.written()
    assert results.dismiss_protest(Caller(cup.open_games, cup.now, BY), CUP, second.id).entrant == 5
    assert [paper.entrant for paper in cup.papers("protest")] == [4, 9]
    told = {letter.recipient for letter in cup.world.letters(after=before)}
    assert told == set(map(address, range(1, 7))), "who protested, and who was heard about it"
    amend(cup, "guild")
    assert [paper.entrant for paper in cup.papers("protest")] == [9]
    assert [(paper.entrant, paper.state) for paper in cup.papers("protest", state=None)] == [
        (4, "answered"), (5, "refused"), (9, "open")
    ]  # fmt: skip


def test_who_advances_follows_a_result_that_is_amended_before_the_next_draw(cup: Cup) -> None:
    cup.round(1)
    cup.end("cup-1-1", "atreides")
    cup.end("cup-1-2", "guild")
    cup.tick()
    dates.close_round(Caller(cup.open_games, cup.now, BY), CUP, 1)
    cup.round(2)
    for table in (1, 2):
        cup.end(f"cup-2-{table}", "atreides", "emperor", "guild")
    cup.tick()
    dates.close_round(Caller(cup.open_games, cup.now, BY), CUP, 2)
    number = cup.sitting("harkonnen").entrant
    was = cup.entrant(number).state
    found = amend(cup, "harkonnen")
    assert (was, cup.entrant(number).state) == ("out", "advanced")
    assert found.differs == (), "nothing was drawn yet"
    assert "You play on in the final" in cup.text(number)


def test_a_tournament_is_not_finished_before_the_table_that_is_played_again(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        text = 'title = "The Cup"\n[rounds]\nheats = 1\nsemifinal = 0\nfinal = 0\n'
        tournaments.touch(conn, CUP, settings=text)
    cup.round(tables=[range(1, 7)])
    cup.end("cup-1-1", "guild")
    cup.tick()
    dates.close_round(Caller(cup.open_games, cup.now, BY), CUP, 1)
    results.void_table(Caller(cup.open_games, cup.now, BY), CUP, "1.1", replay=True)
    states = []
    for _ in range(2):
        cup.tick(73)
        with reading(cup.world.engine) as conn:
            states.append(tournaments.find_tournament(conn, CUP).state)
        with writing(cup.world.engine) as conn:
            tournament_rounds.change_table(conn, CUP, 1, 2, state="void")
    assert states == ["running", "finished"]


@pytest.mark.parametrize(
    ("changes", "how"),
    [
        (ResultChanges(winners=("fremen",)), ""), (ResultChanges(kind="stronghold"), ""), (ResultChanges(turn=5), ""),
        (ResultChanges(strongholds={"guild": 2}), "agreed"),
    ],
)  # fmt: skip
def test_a_changed_result_is_no_longer_what_the_record_of_the_game_says(
    cup: Cup, changes: ResultChanges, how: str
) -> None:
    cup.round()
    with acting(Caller(cup.open_games, cup.now), CUP) as (session, _):
        dates.end_game(session, "cup-1-1", "agreed", ["guild"])
    cup.tick()
    before = cup.result()
    assert before is not None
    assert before.outcome.how == "agreed"
    results.amend_result(Caller(cup.open_games, cup.now, By(why="a mistake")), CUP, "1.1", changes)
    kept = cup.result()
    assert kept is not None
    assert kept.outcome.how == how
