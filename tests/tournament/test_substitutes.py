"""Abandoned seats: no-shows, drop-outs, standbys in order, and players who leave during a game."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from bot.competition.published import TableState
from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tables import DEADLINE, SEAT
from bot.store.tournaments import PairApart, Paper
from bot.tournament import entrant_lines, entries, mail_lines, progress, substitutes
from bot.tournament.desk import By, Caller, Refused, acting
from rules.components import FACTIONS, as_faction
from tests.tournament.cup import CUP, Cup, address

BY = By(why="silent for weeks")
GM = "gm@arrakis.example"
GUILD = as_faction("guild")


def wrote_all(cup: Cup, but_not: str = "") -> None:
    for game in ("cup-1-1", "cup-1-2"):
        cup.wrote(game, *(faction for faction in FACTIONS if (game, faction) != ("cup-1-1", but_not)))


def care(cup: Cup, faction: str, on: bool = True, game: str = "cup-1-1") -> None:
    with writing(cup.world.engine) as conn:
        conn.execute(update(SEAT).where(SEAT.c.game_id == game, SEAT.c.faction == faction).values(care=on))
    cup.open_games.forget()


def seat_address(cup: Cup, faction: str, game: str = "cup-1-1") -> str:
    return cup.world.table(game).seats[as_faction(faction)].address


def answer(cup: Cup, number: int, accepted: bool = True) -> substitutes.SeatFilling | None:
    with acting(Caller(cup.open_games, cup.now), CUP) as (session, tournament):
        return substitutes.answer_seat_offer(session, tournament, cup.entrant(number), accepted)


def withdraw(cup: Cup, number: int, games: entries.GamesLeft = "") -> None:
    with acting(Caller(cup.open_games, cup.now), CUP) as (session, tournament):
        entries.leave_tournament(session, tournament, cup.entrant(number), games, By())


def substitute(cup: Cup, handle: str = "", faction: str = "guild") -> substitutes.SeatFilling:
    return substitutes.substitute(Caller(cup.open_games, cup.now, BY), CUP, "1.1", as_faction(faction), handle)


# --- no-shows --------------------------------------------------------------------------------------------------------


def test_a_no_show_is_followed_by_the_first_standby_at_once_while_it_is_the_first_turn(cup: Cup) -> None:
    cup.round()
    wrote_all(cup, "guild")
    number = cup.sitting("guild").entrant
    cup.tick(95)
    assert cup.sitting("guild").entrant == number
    cup.tick(2)
    assert cup.held("guild") == [(number, "no-show", 1, 1), (13, "substitute", 1, 0)]
    assert seat_address(cup, "guild") == address(13)
    assert cup.entrant(number).no_show
    assert cup.entrant(number).state == "withdrawn", "who is at no other table is drawn no more"
    assert cup.entrant(13).state == "playing"
    assert any("A standby is now playing your seat" in " ".join(letter.text.split()) for letter in cup.letters(number))
    assert any("get Guild at table 1.1" in " ".join(letter.text.split()) for letter in cup.letters(13))
    cup.tick(1)
    assert len(cup.held("guild")) == 2


def test_where_no_standby_fits_a_no_show_is_followed_by_the_caretaker_and_the_organisers_hear_of_it(cup: Cup) -> None:
    cup.round()
    wrote_all(cup, "guild")
    with writing(cup.world.engine) as conn:
        for standby in (13, 14, 15):
            tournaments.change_entrant(conn, CUP, standby, state="withdrawn")
    number = cup.sitting("guild").entrant
    cup.tick(97)
    assert cup.held("guild") == [(number, "no-show", 1, 1), (0, "caretaker", 1, 0)]
    assert cup.world.table("cup-1-1").seats[GUILD].care
    assert cup.entrant(number).state == "withdrawn"
    assert any("A seat at table 1.1 has no player" in letter.subject for letter in cup.world.letters(GM))
    assert (cup.papers("substitution"), cup.done().count("no-show")) == ([], 1)


def test_who_has_once_sent_an_order_is_no_no_show(cup: Cup) -> None:
    cup.round()
    wrote_all(cup)
    cup.tick(97)
    assert cup.sitting("guild").ordered
    assert "no-show" not in cup.done()


def test_who_was_asked_nothing_yet_need_not_have_shown_up(cup: Cup) -> None:
    """For example the Harkonnen in the set-up: they keep every traitor while the table waits for the prediction."""
    cup.round()
    with writing(cup.world.engine) as conn:
        conn.execute(DEADLINE.delete().where(DEADLINE.c.faction == "guild"))
    wrote_all(cup, "guild")
    cup.tick(150)
    assert "no-show" not in cup.done()
    cup.missed("cup-1-1", "guild")
    cup.tick(95)
    assert "no-show" not in cup.done()
    cup.tick(2)
    assert "no-show" in cup.done()


def test_a_substitute_who_does_not_show_up_either_is_waited_for_anew(cup: Cup) -> None:
    cup.round()
    wrote_all(cup, "guild")
    cup.tick(97)
    cup.missed("cup-1-1", "guild", opened="0.setup.2")
    cup.tick(95)
    assert cup.sitting("guild").entrant == 13
    cup.tick(2)
    assert [entrant for entrant, _, _, _ in cup.held("guild")][1:] == [13, 14]


def test_after_the_first_turn_a_no_show_is_followed_by_somebody_who_is_asked(cup: Cup) -> None:
    cup.round()
    wrote_all(cup, "guild")
    cup.in_turn("cup-1-1", 2)
    cup.tick(97)
    assert cup.sitting("guild").why == "caretaker"
    assert [paper.entrant for paper in cup.papers("substitution")] == [13]
    answer(cup, 13)
    assert cup.sitting("guild").entrant == 13


def test_a_table_of_which_nobody_ever_came_is_told_to_the_organisers_and_nobody_is_replaced(cup: Cup) -> None:
    cup.round()
    cup.wrote("cup-1-2")
    cup.tick(97)
    cup.tick(30)
    assert cup.sitting("guild").why == "seated"
    told = [letter for letter in cup.world.letters(GM) if "Nobody is playing at table 1.1" in letter.subject]
    assert len(told) == 1
    assert "“void 1.1 replay: the reason”, then “start”" in " ".join(told[0].text.split())


def test_while_the_clocks_are_stopped_nobody_is_a_no_show_and_the_hours_are_given_back(cup: Cup) -> None:
    cup.round()
    wrote_all(cup, "guild")
    cup.tick(90)
    clocks.pause(DeskRequest(cup.open_games, "cup-1-1", cup.now))
    cup.tick(100)
    clocks.resume(DeskRequest(cup.open_games, "cup-1-1", cup.now))
    cup.tick(0)
    assert "no-show" not in cup.done()
    cup.tick(5)
    assert "no-show" not in cup.done()
    cup.tick(2)
    assert "no-show" in cup.done()


# --- drop-outs -------------------------------------------------------------------------------------------------------


def test_a_drop_out_is_played_by_the_caretaker_until_a_standby_accepts(cup: Cup) -> None:
    cup.round()
    wrote_all(cup)
    cup.tick(1)
    cup.in_turn("cup-1-1", 5)
    number = cup.sitting("guild").entrant
    care(cup, "guild")
    cup.tick(1)
    assert cup.held("guild") == [(number, "seated", 1, 4), (0, "caretaker", 5, 0)]
    assert "Guild at table 1.1, in turn 5" in cup.text(13)
    cup.in_turn("cup-1-1", 7)
    filled = answer(cup, 13)
    assert filled is not None
    assert cup.held("guild") == [
        (number, "seated", 1, 4), (0, "caretaker", 5, 6), (13, "substitute", 7, 0)
    ]  # fmt: skip
    assert not cup.world.table("cup-1-1").seats[GUILD].care
    cup.end("cup-1-1", "guild", turn=10)
    cup.tick()
    kept = cup.result()
    assert kept is not None
    tenures = kept.outcome.seat(GUILD).tenures
    assert [(t.entrant, t.first, t.last, t.why) for t in tenures] == [
        (f"E{number:03d}", 1, 4, "seated"), ("", 5, 6, "caretaker"), ("E013", 7, 10, "substitute")
    ]  # fmt: skip


def test_who_has_dropped_out_and_writes_again_before_the_seat_is_taken_has_it_back(cup: Cup) -> None:
    cup.round()
    wrote_all(cup)
    cup.tick(1)
    number = cup.sitting("guild").entrant
    cup.in_turn("cup-1-1", 3)
    care(cup, "guild")
    cup.tick(1)
    assert cup.sitting("guild").entrant == 0
    care(cup, "guild", on=False)
    cup.tick(1)
    assert cup.sitting("guild").entrant == number
    assert cup.papers("substitution") == []
    with pytest.raises(Refused, match="The seat is no longer free"):
        answer(cup, 13)


def test_a_standby_has_48_hours_and_then_the_next_is_asked_who_answers_late_is_told_so(cup: Cup) -> None:
    cup.round()
    wrote_all(cup)
    cup.tick(1)
    care(cup, "guild")
    cup.tick(1)
    cup.tick(47)
    assert [paper.entrant for paper in cup.papers("substitution")] == [13]
    cup.tick(1)
    assert [paper.entrant for paper in cup.papers("substitution")] == [14]
    with pytest.raises(Refused, match="You keep your place on the list"):
        answer(cup, 13)
    assert cup.entrant(13).state == "standby"
    assert cup.sitting("guild").entrant == 0
    answer(cup, 14)
    assert cup.sitting("guild").entrant == 14
    with pytest.raises(Refused, match="You are not being offered a seat"):
        answer(cup, 15)


def test_who_declines_keeps_their_place_and_the_organisers_hear_when_nobody_is_left(cup: Cup) -> None:
    cup.round()
    wrote_all(cup)
    cup.tick(1)
    care(cup, "guild")
    cup.tick(1)
    for number in (13, 14, 15):
        answer(cup, number, accepted=False)
    assert cup.papers("substitution") == []
    assert "A seat at table 1.1 has no player" in cup.world.newest(GM).subject
    before = cup.world.written()
    cup.tick(1)
    assert cup.world.written() == before
    cup.enter(1, "standby")
    cup.tick(1)
    assert [paper.entrant for paper in cup.papers("substitution")] == [16]


@pytest.mark.parametrize(
    ("line", "says", "holder", "asked"),
    [
        ("accept", "Thank you. The next letter will show you the seat's position.", 13, []),
        ("decline", "We will ask the next person on the list. You are still a substitute.", 0, [14]),
    ],
)
def test_who_is_asked_for_a_seat_answers_by_mail(cup: Cup, line: str, says: str, holder: int, asked: list[int]) -> None:
    cup.round()
    wrote_all(cup)
    cup.tick(1)
    care(cup, "guild")
    cup.tick(1)
    for number, expected in ((15, ("refused", "We have not asked you anything that this would answer.")),
                             (13, ("done", says))):  # fmt: skip
        with acting(Caller(cup.open_games, cup.now), CUP) as (session, tournament):
            found = entrant_lines.carry_out_line(session, tournament, cup.entrant(number), mail_lines.read_line(line))
        assert (found.status, found.text) == expected
    assert cup.sitting("guild").entrant == holder
    assert [paper.entrant for paper in cup.papers("substitution")] == asked


def test_whose_seat_is_gone_with_the_end_of_its_game_is_asked_for_the_next_one(cup: Cup) -> None:
    cup.round()
    wrote_all(cup)
    cup.tick(1)
    care(cup, "guild")
    cup.tick(1)
    assert [(paper.entrant, paper.table) for paper in cup.papers("substitution")] == [(13, 1)]
    cup.end("cup-1-1", "atreides")
    cup.tick()
    assert cup.papers("substitution") == []
    for accepted in (True, False):
        with pytest.raises(Refused, match="The seat is no longer free"):
            answer(cup, 13, accepted)
    care(cup, "guild", game="cup-1-2")
    cup.tick(1)
    assert [(paper.entrant, paper.table) for paper in cup.papers("substitution")] == [(13, 2)]


def test_a_standby_is_asked_for_one_seat_at_a_time(cup: Cup) -> None:
    cup.round()
    wrote_all(cup)
    cup.tick(1)
    care(cup, "guild")
    care(cup, "fremen")
    cup.tick(1)
    asked = {(paper.entrant, paper.words) for paper in cup.papers("substitution")}
    assert {number for number, _ in asked} == {13, 14}
    assert {faction for _, faction in asked} == {"guild", "fremen"}


# --- who fits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("handle", "says"),
    [
        ("E001", "E001 sits at table 1.1; nobody can have two seats in one game"),
        ("E009", "E009 is playing, not a standby"),
        ("E013", "E013 is kept apart from somebody"),
        ("E014", "E014 may see the secrets of table 1.1"),
        ("E015", "E015 is a no-show and cannot take a seat"),
        ("E099", "cup has no entrant E099"),
    ],
)
def test_who_does_not_fit_is_refused_by_the_name_of_the_rule(cup: Cup, handle: str, says: str) -> None:
    cup.round()
    cup.grant(address(14), "arbiter")
    with writing(cup.world.engine) as conn:
        tournaments.keep_apart(conn, CUP, PairApart(13, 2, "family"))
        tournaments.change_entrant(conn, CUP, 15, no_show=True)
    with pytest.raises(Refused, match=says.replace(".", r"\.")) as refused:
        substitute(cup, handle)
    assert "E002" not in str(refused.value)
    assert "family" not in str(refused.value)
    assert cup.sitting("guild").why == "seated"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"confirmed_at": None}, "E013 has not confirmed and cannot take a seat."),
        ({"state": "withdrawn"}, "E013 is withdrawn and cannot take a seat."),
        ({"state": "disqualified"}, "E013 is disqualified and cannot take a seat."),
        (
            {"state": "confirmed", "standby": False},
            "E013 is confirmed, not a standby; only standbys can take over seats.",
        ),
        ({"address": GM}, "E013 may see the secrets of table 1.1 and cannot sit there."),
        ({"state": "standby", "standby": False}, ""),
        ({"state": "playing", "standby": True}, ""),
    ],
)  # fmt: skip
def test_only_who_has_confirmed_and_stands_by_takes_the_seat_of_another(
    cup: Cup, changed: dict[str, object], says: str
) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 13, **changed)
    with reading(cup.world.engine) as conn:
        assert substitutes.seat_refusal(conn, cup.open_games, cup.standing(), cup.entrant(13)) == says


def test_of_a_pair_that_is_kept_apart_the_one_who_comes_to_no_other_of_it_fits(cup: Cup) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        tournaments.keep_apart(conn, CUP, PairApart(7, 13, ""))
        tournaments.keep_apart(conn, CUP, PairApart(1, 2, ""))
    filled = substitute(cup)
    assert filled.asked is not None
    assert filled.asked.handle == "E013", "E007 sits at another table"


def test_nobody_takes_a_seat_of_a_table_that_is_over_or_of_a_faction_that_is_not_played(cup: Cup) -> None:
    cup.round(1, [range(1, 6), range(7, 13)])
    with pytest.raises(Refused, match=r"Nobody plays Harkonnen at table 1\.1\."):
        substitute(cup, faction="harkonnen")
    cup.end("cup-1-1", "atreides")
    cup.tick()
    with pytest.raises(Refused, match=r"Table 1\.1 is finished; nobody can take a seat there\."):
        substitute(cup)
    assert "substitute" not in cup.done()


def test_a_seat_that_is_given_away_is_offered_to_nobody_and_another_still_is(cup: Cup) -> None:
    cup.round()
    for faction in ("guild", "fremen"):
        substitute(cup, faction=faction)
    assert [(paper.entrant, paper.words) for paper in cup.papers("substitution")] == [(13, "guild"), (14, "fremen")]
    substitute(cup, "E015")
    assert [(paper.entrant, paper.words) for paper in cup.papers("substitution")] == [(14, "fremen")]
    with pytest.raises(Refused, match="The seat is no longer free"):
        answer(cup, 13)
    answer(cup, 14)
    assert (cup.sitting("guild").entrant, cup.sitting("fremen").entrant) == (15, 14)


def test_who_may_see_secrets_since_they_were_asked_does_not_sit_down(cup: Cup) -> None:
    cup.round()
    substitute(cup)
    cup.grant(address(13), "arbiter")
    with pytest.raises(Refused, match="The seat is no longer free"):
        answer(cup, 13)
    assert cup.sitting("guild").why == "caretaker"
    assert cup.entrant(13).state == "standby"
    cup.tick(48)
    assert [paper.entrant for paper in cup.papers("substitution")] == [14]


def test_who_does_not_fit_is_not_asked(cup: Cup) -> None:
    cup.round()
    cup.grant(address(13), "auditor")
    with writing(cup.world.engine) as conn:
        tournaments.keep_apart(conn, CUP, PairApart(14, 2, "family"))
    filled = substitute(cup)
    assert filled.asked is not None
    assert filled.asked.handle == "E015"


def test_who_was_replaced_at_a_table_does_not_come_back_to_it(cup: Cup) -> None:
    cup.round()
    number = cup.sitting("guild").entrant
    substitute(cup, "E013")
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, number, state="standby")
    with pytest.raises(Refused, match="was replaced at table"):
        substitute(cup, f"E{number:03d}", "fremen")


def test_a_director_gives_a_seat_and_everybody_is_told_once(cup: Cup) -> None:
    cup.round()
    filled = substitute(cup, "e013")
    assert filled.seated is not None
    assert seat_address(cup, "guild") == address(13)
    assert cup.sitting("guild").why == "substitute"
    assert "From now on E013 plays Guild" in cup.text(1)
    with pytest.raises(Refused, match="has no table"):
        substitutes.substitute(Caller(cup.open_games, cup.now, BY), CUP, "1.9", GUILD, "")


def test_a_try_leaves_nothing(cup: Cup) -> None:
    cup.round()
    before = cup.world.written()
    substitutes.substitute(Caller(cup.open_games, cup.now, BY, dry_run=True), CUP, "1.1", GUILD, "E013")
    assert cup.sitting("guild").why == "seated"
    assert seat_address(cup, "guild") != address(13)
    assert cup.world.written() == before
    assert cup.done() == []


# --- who leaves ------------------------------------------------------------------------------------------------------


def test_withdrawing_with_games_asks_which(cup: Cup) -> None:
    cup.round()
    with pytest.raises(Refused, match=r"E002 plays at 1\.1: add --games keep"):
        withdraw(cup, 2)
    assert cup.entrant(2).state == "playing"
    withdraw(cup, 2, "keep")
    assert cup.entrant(2).state == "withdrawn"
    assert cup.sitting("bene-gesserit").entrant == 2
    assert "you will finish your games" in cup.text(2)


def test_who_leaves_their_games_has_resigned_and_standbys_are_asked(cup: Cup) -> None:
    cup.round()
    faction = next(f for f in FACTIONS if cup.sitting(f).entrant == 2)
    withdraw(cup, 2, "leave")
    assert cup.sitting(faction).why == "caretaker"
    assert [paper.entrant for paper in cup.papers("substitution")] == [13]
    cup.end("cup-1-1", "guild", turn=6)
    cup.tick()
    kept = cup.result()
    assert kept is not None
    assert kept.outcome.seat(faction).tenures[0].resigned
    withdraw(cup, 2, "leave")


@pytest.mark.parametrize(("games", "left"), [("keep", ["vote", "protest"]), ("leave", [])])
def test_who_plays_their_games_to_the_end_keeps_their_vote_and_their_protest_and_no_other_paper(
    cup: Cup, games: entries.GamesLeft, left: list[str]
) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        for number in (2, 3):
            tournaments.file_paper(conn, Paper(CUP, number, "preferences", "guild, *", cup.now))
            tournaments.file_paper(conn, Paper(CUP, number, "vote", "?guild", cup.now, 1, 1))
            tournaments.file_paper(conn, Paper(CUP, number, "protest", "wrong", cup.now, 1, 1))
    withdraw(cup, 2, games)
    kept = cup.papers("preferences", "vote", "protest")
    assert [paper.kind for paper in kept if paper.entrant == 2] == left
    assert [paper.kind for paper in kept if paper.entrant == 3] == ["preferences", "vote", "protest"]


def test_orders_of_who_has_left_do_not_give_the_seat_back(cup: Cup) -> None:
    cup.round()
    wrote_all(cup)
    cup.tick(1)
    faction = next(f for f in FACTIONS if cup.sitting(f).entrant == 2)
    withdraw(cup, 2, "leave")
    care(cup, faction, on=False)
    cup.tick(1)
    assert cup.sitting(faction).entrant == 0
    assert cup.world.table("cup-1-1").seats[faction].care


def test_a_withdrawal_between_rounds_costs_nothing(cup: Cup) -> None:
    withdraw(cup, 3)
    assert cup.entrant(3).state == "withdrawn"
    assert "This costs you nothing" in cup.text(3)


def test_who_withdraws_before_a_drawn_game_begins_is_followed_by_a_standby_as_if_drawn(cup: Cup) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 1, state="planned", game_id="")
    faction = next(f for f in FACTIONS if cup.sitting(f).entrant == 2)
    withdraw(cup, 2)
    assert cup.held(faction) == [(13, "seated", 1, 0)]
    assert "play at table 1.1" in cup.text(13)


def test_somebody_disqualified_is_out_and_their_seats_are_handed_on(cup: Cup) -> None:
    cup.round()
    faction = next(f for f in FACTIONS if cup.sitting(f).entrant == 2)
    with pytest.raises(Refused, match="A disqualification needs a reason: give it with --why"):
        entries.disqualify(Caller(cup.open_games, cup.now, By()), CUP, "E002")
    entries.disqualify(Caller(cup.open_games, cup.now, BY), CUP, "E002")
    assert cup.entrant(2).state == "disqualified"
    assert cup.sitting(faction).why == "caretaker"
    assert "The reason: silent for weeks" in cup.text(2)
    before = cup.world.written()
    entries.disqualify(Caller(cup.open_games, cup.now, BY), CUP, "E002")
    assert cup.world.written() == before
    assert cup.done().count("disqualify") == 1


def test_nobody_disqualifies_themselves_nor_who_is_not_there(cup: Cup) -> None:
    cup.round()
    for number in (2, 8):
        cup.grant(address(number), "arbiter")
    with pytest.raises(Refused, match="Nobody can decide about themselves; another director or arbiter can"):
        entries.disqualify(Caller(cup.open_games, cup.now, By(address(2), "arbiter", "why")), CUP, "E002")
    with pytest.raises(Refused, match="cup has no entrant E099"):
        entries.disqualify(Caller(cup.open_games, cup.now, BY), CUP, "E099")
    assert (cup.entrant(2).state, cup.done()) == ("playing", [])
    entries.disqualify(Caller(cup.open_games, cup.now, By(address(8), "arbiter", "why")), CUP, "E002")
    assert cup.entrant(2).state == "disqualified"


def test_a_disqualified_winner_scores_nothing_and_the_ally_keeps_the_win(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "atreides", "emperor")
    cup.tick()
    one, ally = cup.sitting("atreides").entrant, cup.sitting("emperor").entrant
    entries.disqualify(Caller(cup.open_games, cup.now, BY), CUP, f"E{one:03d}")
    with reading(cup.world.engine) as conn:
        points = {
            row.entrant: row.points for row in progress.current_standings(conn, tournaments.find_tournament(conn, CUP))
        }
    assert points[f"E{one:03d}"] == "0"
    assert points[f"E{ally:03d}"] == "8"


def test_an_empty_seat_of_a_table_that_has_not_begun_is_given_before_it_does(cup: Cup) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 1, state="planned", game_id="")
        tournament_rounds.change_tenure(conn, cup.sitting("guild"), entrant=0)
    filled = substitute(cup)
    assert filled.seated is not None
    assert cup.held("guild") == [(13, "seated", 1, 0)]


def test_where_no_standby_fits_before_a_game_begins_the_organisers_are_told_of_the_gap(cup: Cup) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 1, state="planned", game_id="")
        for number in (13, 14, 15):
            tournaments.change_entrant(conn, CUP, number, no_show=True)
    before = cup.world.written()
    filled = substitute(cup)
    assert (filled.seated, filled.asked, cup.sitting("guild").entrant) == (None, None, 0)
    [told] = cup.world.letters(after=before)
    assert (told.recipient, told.subject) == (GM, "[cup] A seat at table 1.1 is empty")


def test_the_same_faction_at_two_tables_is_two_seats_for_which_two_are_asked(cup: Cup) -> None:
    cup.round()
    for game in ("cup-1-1", "cup-1-2"):
        cup.wrote(game, *(faction for faction in FACTIONS if faction != "guild"))
        cup.in_turn(game, 2)
    cup.tick(97)
    asked = [(paper.entrant, paper.round, paper.table, paper.words) for paper in cup.papers("substitution")]
    assert asked == [(13, 1, 1, "guild"), (14, 1, 2, "guild")]


@pytest.mark.parametrize(
    ("line", "told", "sits"),
    [
        ("accept", "Thank you. The next letter will show you the seat's position.", 13),
        ("decline", "We will ask the next person on the list. You are still a substitute.", 0),
    ],
)
def test_who_answers_whether_they_take_a_seat_is_told_what_comes_of_it(
    cup: Cup, line: str, told: str, sits: int
) -> None:
    cup.round()
    wrote_all(cup)
    substitute(cup)
    with acting(Caller(cup.open_games, cup.now), CUP) as (session, tournament):
        found = entrant_lines.carry_out_line(session, tournament, cup.entrant(13), mail_lines.read_line(line))
    assert (found.status, found.text, found.suggestions) == ("done", told, ())
    assert cup.sitting("guild").entrant == sits
    assert [paper.entrant for paper in cup.papers("substitution")] == ([] if sits else [14])


def test_who_has_declined_a_seat_is_asked_for_nothing_any_more(cup: Cup) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(conn, Paper(CUP, 13, "substitution", "guild", cup.now, 1, 1, state="refused"))
    with pytest.raises(Refused, match=r"^You are not being offered a seat at the moment\.$"):
        answer(cup, 13)


@pytest.mark.parametrize(
    ("faction", "state", "seated"),
    [("guild", "playing", True), ("guild", "void", False), ("fremen", "playing", False), ("ixians", "playing", False)],
)
def test_of_the_seat_for_which_somebody_is_asked_it_is_seen_that_it_still_is_empty(
    cup: Cup, faction: str, state: TableState, seated: bool
) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_tenure(conn, cup.sitting("guild", 1, 2), entrant=0, why="caretaker")
        tournament_rounds.change_table(conn, CUP, 1, 2, state=state)
        tournaments.file_paper(conn, Paper(CUP, 13, "substitution", faction, cup.now, 1, 2))
    if seated:
        found = answer(cup, 13)
        assert found is not None
        assert (found.table.place, cup.sitting("guild", 1, 2).entrant) == ((1, 2), 13)
        return
    with pytest.raises(Refused, match="The seat is no longer free"):
        answer(cup, 13)
    assert [paper.state for paper in cup.papers("substitution", state=None)] == ["open"]


def test_the_caretaker_of_who_never_wrote_makes_no_drop_out_of_them(cup: Cup) -> None:
    cup.round()
    wrote_all(cup, "guild")
    care(cup, "guild")
    cup.tick(1)
    assert cup.held("guild") == [(cup.sitting("guild").entrant, "seated", 1, 0)]
    assert cup.done() == []


def test_a_seat_that_changes_hands_again_and_again_in_one_turn_ends_in_no_turn_before_it_began(cup: Cup) -> None:
    cup.round()
    wrote_all(cup)
    for number in (13, 14, 15):
        cup.in_turn("cup-1-1", 2)
        with acting(Caller(cup.open_games, cup.now), CUP) as (session, _):
            substitutes.vacate_seat(session, cup.standing(), cup.sitting("guild"))
        cup.in_turn("cup-1-1", 2)
        with acting(Caller(cup.open_games, cup.now), CUP) as (session, _):
            substitutes.take_vacant_seat(
                session, cup.standing(), cup.sitting("guild"), cup.entrant(number), "substitute"
            )
    first = next(number for number, _, _, _ in cup.held("guild"))
    assert cup.held("guild") == [
        (first, "seated", 1, 1), (13, "substitute", 2, 2), (14, "substitute", 3, 3), (15, "substitute", 3, 0)
    ]  # fmt: skip
    cup.end("cup-1-1", "fremen", turn=2)
    cup.tick()
    kept = cup.result()
    assert kept is not None
    spans = [(tenure.entrant, tenure.first, tenure.last) for tenure in kept.outcome.seat("guild").tenures]
    assert spans == [(tournaments.handle(first), 1, 1), ("E013", 2, 2), ("E014", 3, 3), ("E015", 3, 3)]


def test_while_one_standby_is_asked_for_a_seat_the_next_is_asked_for_another(cup: Cup) -> None:
    cup.round()
    wrote_all(cup)
    care(cup, "guild")
    cup.tick(1)
    cup.tick(0)
    assert [(paper.entrant, paper.round, paper.table) for paper in cup.papers("substitution")] == [(13, 1, 1)]
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_tenure(conn, cup.sitting("guild", 1, 2), entrant=0, why="caretaker")
    care(cup, "guild", game="cup-1-2")
    cup.tick(1)
    assert [(paper.entrant, paper.round, paper.table) for paper in cup.papers("substitution")] == [
        (13, 1, 1), (14, 1, 2)
    ]  # fmt: skip


def test_who_withdraws_is_asked_what_becomes_of_games_that_go_on_alone(cup: Cup) -> None:
    def said(number: int, line: str) -> str:
        with acting(Caller(cup.open_games, cup.now), CUP) as (session, tournament):
            return entrant_lines.carry_out_line(
                session, tournament, cup.entrant(number), mail_lines.read_line(line)
            ).status

    cup.round()
    cup.end("cup-1-2", "guild")
    cup.tick()
    assert said(1, "withdraw cup") == "asked"
    assert said(7, "withdraw cup") == "done", "whose game is over"
    with writing(cup.world.engine) as conn:
        tournament_rounds.add_round(conn, tournament_rounds.Round(CUP, 2, "heat", "drawn"))
        tournament_rounds.add_tables(
            conn,
            [tournament_rounds.RoundTable(CUP, 2, 1, 6)],
            [tournament_rounds.Tenure(CUP, 2, 1, 2, 8, faction="guild")],
        )
    assert said(8, "withdraw cup") == "done", "whose next game has not begun"
    assert said(1, "withdraw cup keep") == "done"
    assert [cup.entrant(number).state for number in (1, 7)] == ["withdrawn", "withdrawn"]
    assert cup.sitting("atreides").entrant == 1
