"""A tournament's entrants cannot observe its tables while the round is open, even if they observed first."""

from __future__ import annotations

import pytest

from bot.desk import sight
from bot.desk.powers import DeskRequest
from bot.games import observers
from bot.games.open_games import Session
from bot.store import people, tournament_rounds, tournaments
from bot.store import press as store
from bot.store.database import reading, writing
from bot.tournament import entries
from bot.tournament.desk import By
from tests.tournament import cup as playing
from tests.tournament.cup import CUP, Cup

ANN, OTHER = "ann@example.org", "ann@elsewhere.example"


def observed(cup: Cup) -> list[str]:
    with reading(cup.world.engine) as conn:
        return [each.address for each in store.observers_of_game(conn, "cup-1-1")]


def enters(cup: Cup, address: str = ANN) -> None:
    """Enter by mail, as a substitute because the first round is already being played."""
    with writing(cup.world.engine) as conn:
        tournament = tournaments.find_tournament(conn, CUP)
        entrant = entries.request_entry(
            Session(conn, cup.open_games, cup.now), tournament, entries.EntryRequest(address, "Ann")
        ).entrant
        entries.write_code(Session(conn, cup.open_games, cup.now), tournament, entrant)
        assert entries.confirm_entry(Session(conn, cup.open_games, cup.now), entrant.code, address)


def turn_ends(cup: Cup) -> None:
    """Write the summaries of the turn that has just ended at the first table."""
    observers.write_summaries(cup.open_games, "cup-1-1", cup.now)


@pytest.fixture
def watched(cup: Cup) -> Cup:
    cup.round()
    sight.add_observer(DeskRequest(cup.open_games, "cup-1-1", cup.now), ANN)
    return cup


def test_an_observer_who_enters_is_struck_out_and_told_so(watched: Cup) -> None:
    sight.add_observer(DeskRequest(watched.open_games, "cup-1-1", watched.now), "guest@example.org")
    enters(watched)
    assert observed(watched) == ["guest@example.org"]
    assert "these letters have ended" in " ".join(watched.world.letters(ANN)[-1].text.split())


def test_an_address_that_has_not_confirmed_takes_nobodys_summaries_away(watched: Cup) -> None:
    with writing(watched.world.engine) as conn:
        entries.request_entry(
            Session(conn, watched.open_games, watched.now),
            tournaments.find_tournament(conn, CUP),
            entries.EntryRequest(ANN),
        )
    turn_ends(watched)
    assert observed(watched) == [ANN]


def test_an_observer_whose_address_turns_out_to_be_an_entrants_gets_no_summary_more(watched: Cup) -> None:
    with writing(watched.world.engine) as conn:
        people.ask_for_address(conn, playing.address(8), ANN, "code", watched.now)
        asked = people.address_request(conn, "code", watched.now)
        assert asked
        people.confirm_address(conn, asked)
    before = len(watched.world.letters(ANN))
    turn_ends(watched)
    assert observed(watched) == []
    assert len(watched.world.letters(ANN)) == before


def test_who_enters_keeps_the_letters_of_rounds_that_are_closed_and_of_other_games(watched: Cup) -> None:
    watched.world.new_game(game="sietch-12")
    sight.add_observer(DeskRequest(watched.open_games, "sietch-12", watched.now), ANN)
    with writing(watched.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, state="closed")
    enters(watched)
    assert observed(watched) == [ANN]
    with reading(watched.world.engine) as conn:
        assert [each.game_id for each in store.observed_by(conn, [ANN])] == ["cup-1-1", "sietch-12"]


def test_who_withdraws_and_plays_on_observes_no_other_table_and_who_has_left_may(cup: Cup) -> None:
    cup.round()
    for number, games in ((7, "keep"), (8, "leave")):
        with writing(cup.world.engine) as conn:
            found = tournaments.find_tournament(conn, CUP)
            entries.leave_tournament(
                Session(conn, cup.open_games, cup.now),
                found,
                cup.entrant(number),
                games,  # type: ignore[arg-type]
                By("", "entrant"),
            )
    with pytest.raises(observers.ObserverRefused, match="sees its other tables"):
        sight.add_observer(DeskRequest(cup.open_games, "cup-1-1", cup.now), playing.address(7))
    sight.add_observer(DeskRequest(cup.open_games, "cup-1-1", cup.now), playing.address(8))
