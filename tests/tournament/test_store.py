"""What the store keeps of a tournament comes back as it was given."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.competition.outcomes import SeatOutcome, TableOutcome, Tenure
from bot.store.database import Engine, open_database, reading, writing
from bot.store.tournaments import acts, entrants, papers, results, rights, rounds, tournaments
from bot.store.tournaments.entrants import Apart, Entrant
from bot.store.tournaments.papers import Paper
from bot.store.tournaments.results import Result
from bot.store.tournaments.rights import Granted
from bot.store.tournaments.rounds import Round, RoundTable
from bot.store.tournaments.tournaments import Tournament, UnknownTournament

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
        tournaments.create(conn, CUP)
        entrants.add(conn, ANN)
        entrants.add(conn, replace(ANN, number=2, handle="E002", address="bob@example.org", token="b" * 16))
    return engine


def test_a_tournament_comes_back_and_counts_its_changes(engine: Engine) -> None:
    with writing(engine) as conn:
        tournaments.touch(conn, "cup", state="open", until=NOW)
        assert tournaments.find(conn, "cup") == replace(CUP, state="open", until=NOW, revision=1)
        assert tournaments.by_token(conn, "t" * 16) == tournaments.every(conn, "open")[0]
        assert tournaments.find(conn, "cup").settings.title == "The Cup"
        with pytest.raises(UnknownTournament):
            tournaments.find(conn, "none")


def test_entrants_are_found_by_handle_address_and_token(engine: Engine) -> None:
    with writing(engine) as conn:
        assert entrants.find(conn, "cup", "e001") == ANN == entrants.of_person(conn, "cup", "ann@example.org")
        assert entrants.by_token(conn, "a" * 16) == ANN
        assert entrants.next_number(conn, "cup") == 3
        entrants.change(conn, "cup", 1, state="confirmed", digest_due=NOW)
        assert [entrant.number for entrant in entrants.of_tournament(conn, "cup", ["confirmed"])] == [1]
        assert [entrant.number for entrant in entrants.digests_due(conn, NOW)] == [1]
        entrants.keep_apart(conn, "cup", Apart(2, 1, "family"))
        assert entrants.apart(conn, "cup") == [Apart(1, 2, "family")]
        assert entrants.part_no_more(conn, "cup", 1, 2)
        assert not entrants.part_no_more(conn, "cup", 1, 2)


def test_a_seat_changes_hands_and_keeps_who_held_it(engine: Engine) -> None:
    held = rounds.Tenure("cup", 1, 2, 5, 1, faction="atreides")
    with writing(engine) as conn:
        rounds.add_round(conn, Round("cup", 1, "heat"))
        rounds.add_tables(conn, [RoundTable("cup", 1, 2, 6, state="playing")], [held])
        rounds.next_tenure(conn, held, 3, replace(held, entrant=2, first=4, why="substitute"))
        assert [(t.entrant, t.first, t.last) for t in rounds.tenures(conn, "cup")] == [(1, 1, 3), (2, 4, 0)]
        assert [t.entrant for t in rounds.now_sitting(conn, "cup", 1, 2)] == [2]
        assert rounds.table_of_game(conn, "") is None
        assert rounds.ended_games(conn) == []


def test_a_result_is_only_superseded(engine: Engine) -> None:
    first = Result("cup", OUTCOME, "provisional", "", "", NOW, NOW + timedelta(hours=72))
    with writing(engine) as conn:
        kept = results.add(conn, first)
        assert results.to_confirm(conn, NOW) == []
        assert results.to_confirm(conn, NOW + timedelta(hours=72)) == [kept]
        results.set_state(conn, kept, "amended")
        second = results.add(conn, replace(first, by="arbiter", why="the mail was late"))
        assert second.outcome.version == 2
        assert results.newest(conn, "cup") == {(1, 2): second}
        assert len(results.versions(conn, "cup")) == 2


def test_acts_papers_and_rights_come_back(engine: Engine) -> None:
    with writing(engine) as conn:
        assert acts.add(conn, "cup", NOW, "open", "Entries are open.") == 1
        assert acts.add(conn, "cup", NOW, "enter", "E001", audience="directors") == 2
        assert [act.command for act in acts.of_tournament(conn, "cup")] == ["open", "enter"]
        first = papers.file(conn, Paper("cup", 1, "preferences", "guild, *", NOW, until=NOW))
        again = papers.file(conn, Paper("cup", 1, "preferences", "fremen", NOW, until=NOW))
        assert [paper.id for paper in papers.due(conn, NOW)] == [again]
        papers.set_state(conn, again, "answered")
        states = [(p.id, p.state) for p in papers.of_tournament(conn, "cup", "preferences", state=None)]
        assert states == [(first, "gone"), (again, "answered")]
        rights.grant(conn, Granted("cup", "gm@example.org", "director", "d" * 16, NOW))
        assert rights.of_person(conn, "cup", "gm@example.org") == rights.by_token(conn, "d" * 16)
    with reading(engine) as conn:
        assert rights.of_tournament(conn, "cup")[0].right == "director"
