"""Replacements for absent players, and who keeps the seat when the absent player writes again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from bot.desk import clocks, people
from bot.desk.powers import DeskRequest
from bot.store import tournament_rounds, tournaments
from bot.store.database import writing
from bot.store.tables import SEAT
from bot.tournament import entries, substitutes
from bot.tournament.desk import By, Caller, Refused, acting
from rules.components import FACTIONS, as_faction
from tests.tournament.cup import CUP, Cup, address

BY = By(why="silent for weeks")
GUILD = as_faction("guild")
GM = "gm@arrakis.example"


@pytest.fixture
def playing(cup: Cup) -> Cup:
    """Start both tables; everybody except the Guild at the first table has sent an order."""
    cup.round()
    for game in ("cup-1-1", "cup-1-2"):
        cup.wrote(game, *(faction for faction in FACTIONS if (game, faction) != ("cup-1-1", "guild")))
    return cup


def care(cup: Cup, on: bool) -> None:
    with writing(cup.world.engine) as conn:
        conn.execute(update(SEAT).where(SEAT.c.game_id == "cup-1-1", SEAT.c.faction == "guild").values(care=on))
    cup.open_games.forget()


def is_cared_for(cup: Cup) -> bool:
    return cup.world.table("cup-1-1").seats[GUILD].care


def substitute(cup: Cup, handle: str = "") -> substitutes.SeatFilling:
    return substitutes.substitute(Caller(cup.open_games, cup.now, BY), CUP, "1.1", GUILD, handle)


# --- who comes -------------------------------------------------------------------------------------------------------


def test_a_standby_who_is_banned_from_here_is_passed_over_where_somebody_has_not_shown_up(playing: Cup) -> None:
    people.ban(DeskRequest(playing.open_games, "", playing.now), address(13))
    playing.tick(97)
    assert [who for who, _, _, _ in playing.held("guild")][1:] == [14]


def test_a_standby_who_sits_in_for_another_of_the_table_is_not_asked_to_take_a_seat_of_it(playing: Cup) -> None:
    with writing(playing.world.engine) as conn:
        seat = (SEAT.c.game_id == "cup-1-1", SEAT.c.faction == "fremen")
        conn.execute(update(SEAT).where(*seat).values(sitter=address(13)))
    playing.open_games.forget()
    filled = substitute(playing)
    assert filled.asked is not None
    assert filled.asked.handle == "E014"


def test_whom_the_game_does_not_let_in_is_refused_with_its_reason(playing: Cup) -> None:
    people.ban(DeskRequest(playing.open_games, "", playing.now), address(13))
    with pytest.raises(Refused, match=r"player13@players\.example"):
        substitute(playing, "E013")
    assert playing.sitting("guild").why == "seated"


def test_a_standby_who_is_a_clerk_sees_no_secrets_and_fits(playing: Cup) -> None:
    playing.grant(address(13), "clerk")
    filled = substitute(playing)
    assert filled.asked is not None
    assert filled.asked.handle == "E013"


def test_a_table_that_has_not_begun_gets_the_one_whom_the_director_names(cup: Cup) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 1, state="planned", game_id="")
    filled = substitute(cup, "E014")
    assert filled.seated is not None
    assert (filled.seated.handle, cup.sitting("guild").entrant) == ("E014", 14)


@pytest.mark.parametrize(("shown", "name"), [(True, "Player 13"), (False, "E013")])
def test_a_substitute_is_announced_by_the_name_that_they_let_be_shown(playing: Cup, shown: bool, name: str) -> None:
    with writing(playing.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 13, shown=shown)
    substitute(playing, "E013")
    assert f"From now on {name} plays Guild" in playing.text(1)


def test_while_the_clocks_of_a_table_are_stopped_the_caretaker_of_an_empty_seat_waits_with_the_others(
    playing: Cup,
) -> None:
    def asked(game: str) -> list[tuple[str, str]]:
        return [(question.faction, question.kind) for question in playing.world.table(game).play.asked()]

    first = [("bene-gesserit", "prediction")]
    clocks.pause(DeskRequest(playing.open_games, "cup-1-1", playing.now))
    for table in ("1.1", "1.2"):
        substitutes.substitute(Caller(playing.open_games, playing.now, BY), CUP, table, as_faction("bene-gesserit"), "")
    assert playing.world.table("cup-1-1").seats[as_faction("bene-gesserit")].care
    assert asked("cup-1-1") == first
    assert first[0] not in asked("cup-1-2")


# --- who comes back --------------------------------------------------------------------------------------------------


def gone(cup: Cup) -> int:
    """Give the Guild's seat to the caretaker and return the number of the entrant who held it."""
    number = cup.sitting("guild").entrant
    cup.wrote("cup-1-1", "guild")
    cup.tick(1)
    cup.in_turn("cup-1-1", 3)
    care(cup, on=True)
    cup.tick(1)
    assert cup.sitting("guild").entrant == 0
    return number


def comes_back(cup: Cup) -> int:
    care(cup, on=False)
    cup.tick(1)
    return cup.sitting("guild").entrant


def test_who_has_withdrawn_and_plays_their_games_to_the_end_has_their_seat_back(playing: Cup) -> None:
    number = playing.sitting("guild").entrant
    with acting(Caller(playing.open_games, playing.now), CUP) as (session, tournament):
        entries.leave_tournament(session, tournament, playing.entrant(number), "keep", By())
    assert gone(playing) == number
    assert comes_back(playing) == number


def test_a_seat_that_nobody_ever_held_is_nobodys_and_the_caretaker_plays_on(playing: Cup) -> None:
    with writing(playing.world.engine) as conn:
        tournament_rounds.change_tenure(conn, playing.sitting("guild"), entrant=0, why="caretaker")
    assert comes_back(playing) == 0
    assert is_cared_for(playing)


def test_who_was_disqualified_has_no_seat_back(playing: Cup) -> None:
    number = gone(playing)
    with writing(playing.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, number, state="disqualified")
    assert comes_back(playing) == 0
    assert is_cared_for(playing)


def orders(cup: Cup, number: int, game: str = "cup-1-1") -> None:
    """File a sheet line as the entrant who held the Guild."""
    raw = cup.world.mail(GUILD, "revive 2", sender=address(number), game=game)
    cup.world.moderator.deliver(raw, cup.now)


def no_show(cup: Cup) -> int:
    """Make the first table's Guild a no-show and return the entrant's number."""
    number = cup.sitting("guild").entrant
    cup.tick(97)
    assert cup.entrant(number).no_show
    return number


def without_standbys(cup: Cup) -> Cup:
    with writing(cup.world.engine) as conn:
        for number in (13, 14, 15):
            tournaments.change_entrant(conn, CUP, number, state="withdrawn", standby=False)
    return cup


def test_who_never_came_and_writes_before_somebody_takes_the_seat_has_it_by_that_mail(playing: Cup) -> None:
    number = no_show(without_standbys(playing))
    assert "Send an order, and the seat is yours again" in playing.text(number)
    assert playing.sitting("guild").entrant == 0
    playing.world.now += timedelta(days=3)
    before = playing.world.written()
    orders(playing, number)
    assert playing.held("guild") == [(number, "no-show", 1, 1), (number, "seated", 1, 0)]
    assert not is_cared_for(playing)
    assert (playing.entrant(number).no_show, playing.entrant(number).state) == (False, "playing")
    told = [
        sent.text for sent in playing.world.letters(after=before) if "playing again" in str(sent.message["Subject"])
    ]
    assert len(told) == 5, "one letter to each of the others"
    playing.tick(1)
    assert playing.sitting("guild").entrant == number
    playing.end("cup-1-1", "guild", turn=4)
    playing.tick(1)
    result = playing.result()
    assert result is not None
    assert [t.entrant for seat in result.outcome.seats if seat.faction == "guild" for t in seat.tenures] == [
        f"E{number:03d}", f"E{number:03d}"
    ]  # fmt: skip


def says(cup: Cup, number: int, words: str, game: str = "cup-1-1") -> str:
    """Write to the game as the entrant who held the Guild, and return the answer."""
    raw = cup.world.mail(GUILD, words, sender=address(number), game=game)
    cup.world.moderator.deliver(raw, cup.now)
    return cup.text(number)


@pytest.mark.parametrize(
    "words", ["Hello, sorry, my mail was broken until today.", "I'm back!", "status", "Sorry!\n\nAm I still in?"]
)
def test_any_mail_of_who_never_came_seats_them_again_and_shows_what_has_been_done(playing: Cup, words: str) -> None:
    number = no_show(without_standbys(playing))
    playing.tick(72)
    before = playing.world.written()
    told = says(playing, number, words)
    assert playing.sitting("guild").entrant == number
    assert not is_cared_for(playing)
    assert "Welcome back: you are playing your seat again" in told
    assert "Spice" in told, "their position"
    others = [sent for sent in playing.world.letters(after=before) if "playing again" in str(sent.message["Subject"])]
    assert len(others) == 5
    assert says(playing, number, "Thanks for that, good luck to all").count("Welcome back") == 0


@pytest.mark.parametrize("words", ["I can't go on, sorry", "resign", "I have to drop out, please replace me."])
def test_words_of_leaving_give_no_seat_back(playing: Cup, words: str) -> None:
    number = no_show(without_standbys(playing))
    says(playing, number, words)
    assert playing.sitting("guild").entrant == 0
    assert is_cared_for(playing)


def test_who_has_resigned_comes_back_by_saying_so_and_not_by_thanks(playing: Cup) -> None:
    number = playing.sitting("guild").entrant
    without_standbys(playing)
    told = says(playing, number, "resign")
    assert "The organisers have been told. Until somebody takes it" in told
    assert playing.sitting("guild").entrant == 0
    assert "write that you are back" in says(playing, number, "Thanks for the good games, was fun?")
    assert playing.sitting("guild").entrant == 0
    assert "Welcome back" in says(playing, number, "I am back, I can play on after all.")
    assert playing.sitting("guild").entrant == number


def test_a_standbys_yes_and_the_return_in_the_same_second_are_decided_by_their_order(playing: Cup) -> None:
    number = playing.sitting("guild").entrant
    playing.wrote("cup-1-1", GUILD)
    playing.in_turn("cup-1-1", 2)
    assert "a standby has been asked to take your seat" in says(playing, number, "resign")
    assert [paper.entrant for paper in playing.papers("substitution")] == [13]
    says(playing, number, "I'm back")
    with (
        acting(Caller(playing.open_games, playing.now), CUP) as (session, tournament),
        pytest.raises(Refused, match="no longer free"),
    ):
        substitutes.answer_seat_offer(session, tournament, playing.entrant(13), accepted=True)
    assert playing.sitting("guild").entrant == number


def test_who_never_came_and_writes_when_somebody_has_the_seat_was_told_so_and_hears_no_more(playing: Cup) -> None:
    token = playing.world.token(GUILD, "cup-1-1")
    number = no_show(playing)
    assert "Somebody else is now playing your seat" in [
        str(sent.message["Subject"]).partition("] ")[2] for sent in playing.letters(number)
    ]
    had = len(playing.letters(number))
    raw = playing.world.mail(
        GUILD, "status", sender=address(number), game="cup-1-1", to=f"mentat+{token}@arrakis.example"
    )
    playing.world.moderator.deliver(raw, playing.now)
    playing.tick(24)
    assert (playing.sitting("guild").entrant, len(playing.letters(number))) == (13, had)


def test_no_orders_are_taken_of_whoever_has_given_up_their_seat(playing: Cup) -> None:
    number = playing.sitting("guild").entrant
    without_standbys(playing)
    with acting(Caller(playing.open_games, playing.now), CUP) as (session, tournament):
        entries.leave_tournament(session, tournament, playing.entrant(number), "leave", By())
    before = playing.world.written()
    orders(playing, number)
    assert (playing.sitting("guild").entrant, is_cared_for(playing)) == (0, True)
    assert "we take no more orders from you here" in playing.text(number)
    assert [sent.recipient for sent in playing.world.letters(after=before)] == [address(number)], (
        "nobody else hears of it"
    )
