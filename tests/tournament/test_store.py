"""The store returns a tournament's data as it was saved."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.competition.outcomes import SeatOutcome, TableOutcome, Tenure
from bot.store import acts, tournament_rounds, tournaments
from bot.store.acts import DeskAct, GrantedRight
from bot.store.database import Engine, open_database, reading, writing
from bot.store.tournament_rounds import Result, Round, RoundTable
from bot.store.tournaments import Entrant, PairApart, Paper, Tournament, UnknownTournament

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CUP = Tournament("cup", "The Cup", 'title = "The Cup"', "digest", "draft", "commitment", "secret", "", "t" * 16, NOW)
ANN = Entrant("cup", 1, "E001", "ann@example.org", "a" * 16, NOW)
OUTCOME = TableOutcome(
    game="g", ruleset="wbc-2018", kind="stronghold", winners=("atreides",), turn=4, round=1, table=2,
    seats=(SeatOutcome(faction="atreides", dot=2, tenures=(Tenure(entrant="E001", first=1, last=4),)),),
)  # fmt: skip


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = open_database(tmp_path / "mentat.db")
    with writing(engine) as conn:
        tournaments.create_tournament(conn, CUP)
        tournaments.add_entrant(conn, ANN)
        tournaments.add_entrant(conn, replace(ANN, number=2, handle="E002", address="bob@example.org", token="b" * 16))
    return engine


def test_a_tournament_comes_back_and_counts_its_changes(engine: Engine) -> None:
    with writing(engine) as conn:
        tournaments.touch(conn, "cup", state="open", until=NOW)
        assert tournaments.find_tournament(conn, "cup") == replace(CUP, state="open", until=NOW, revision=1)
        assert tournaments.tournament_by_token(conn, "t" * 16) == tournaments.all_tournaments(conn, "open")[0]
        assert tournaments.find_tournament(conn, "cup").settings.title == "The Cup"
        with pytest.raises(UnknownTournament):
            tournaments.find_tournament(conn, "none")


def test_entrants_are_found_by_handle_address_and_token(engine: Engine) -> None:
    with writing(engine) as conn:
        assert (
            tournaments.find_entrant(conn, "cup", "e001")
            == ANN
            == tournaments.entrant_of_person(conn, "cup", "ann@example.org")
        )
        assert tournaments.entrant_by_token(conn, "a" * 16) == ANN
        assert tournaments.next_entrant_number(conn, "cup") == 3
        tournaments.change_entrant(conn, "cup", 1, state="confirmed", digest_due=NOW)
        assert [entrant.number for entrant in tournaments.entrants_of(conn, "cup", ["confirmed"])] == [1]
        assert [entrant.number for entrant in tournaments.entrant_digests_due(conn, NOW)] == [1]
        tournaments.keep_apart(conn, "cup", PairApart(2, 1, "family"))
        assert tournaments.pairs_apart(conn, "cup") == [PairApart(1, 2, "family")]
        assert tournaments.end_keeping_apart(conn, "cup", 1, 2)
        assert not tournaments.end_keeping_apart(conn, "cup", 1, 2)


def test_a_seat_changes_hands_and_keeps_who_held_it(engine: Engine) -> None:
    held = tournament_rounds.Tenure("cup", 1, 2, 5, 1, faction="atreides")
    with writing(engine) as conn:
        tournament_rounds.add_round(conn, Round("cup", 1, "heat"))
        tournament_rounds.add_tables(conn, [RoundTable("cup", 1, 2, 6, state="playing")], [held])
        tournament_rounds.next_tenure(conn, held, 3, replace(held, entrant=2, first=4, why="substitute"))
        assert [(t.entrant, t.first, t.last) for t in tournament_rounds.tenures_of(conn, "cup")] == [
            (1, 1, 3),
            (2, 4, 0),
        ]
        assert [t.entrant for t in tournament_rounds.now_sitting(conn, "cup", 1, 2)] == [2]
        assert tournament_rounds.table_of_game(conn, "") is None
        assert tournament_rounds.tables_to_result(conn) == []


def test_a_result_is_only_superseded(engine: Engine) -> None:
    first = Result("cup", OUTCOME, "provisional", "", "", NOW, NOW + timedelta(hours=72))
    with writing(engine) as conn:
        kept = tournament_rounds.add_result(conn, first)
        assert tournament_rounds.results_to_confirm(conn, NOW) == []
        assert tournament_rounds.results_to_confirm(conn, NOW + timedelta(hours=72)) == [kept]
        tournament_rounds.set_result_state(conn, kept, "amended")
        second = tournament_rounds.add_result(conn, replace(first, by="arbiter", why="the mail was late"))
        assert second.outcome.version == 2
        assert tournament_rounds.newest_results(conn, "cup") == {(1, 2): second}
        assert len(tournament_rounds.result_versions(conn, "cup")) == 2


def test_acts_papers_and_rights_come_back(engine: Engine) -> None:
    with writing(engine) as conn:
        acts.log_act(conn, DeskAct(NOW, "open", words="Entries are open."), tournament_id="cup")
        acts.log_act(conn, DeskAct(NOW, "enter", words="E001", audience="directors"), tournament_id="cup")
        assert [act.what for act in acts.acts_of(conn, tournament_id="cup")] == ["open", "enter"]
        first = tournaments.file_paper(conn, Paper("cup", 1, "preferences", "guild, *", NOW, until=NOW))
        again = tournaments.file_paper(conn, Paper("cup", 1, "preferences", "fremen", NOW, until=NOW))
        assert [paper.id for paper in tournaments.papers_due(conn, NOW)] == [again]
        tournaments.set_paper_state(conn, again, "answered")
        states = [(p.id, p.state) for p in tournaments.papers_of(conn, "cup", "preferences", state=None)]
        assert states == [(first, "gone"), (again, "answered")]
        acts.grant_right(conn, GrantedRight("gm@example.org", "director", "d" * 16, NOW, tournament_id="cup"))
        assert acts.right_of(conn, "gm@example.org", tournament_id="cup") == acts.right_by_token(conn, "d" * 16)
    with reading(engine) as conn:
        assert acts.rights_of(conn, tournament_id="cup")[0].right == "director"
