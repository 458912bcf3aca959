"""The persons, rounds and acts that appear in a tournament's public data."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from bot.competition.outcomes import SeatOutcome, TableOutcome, Tenure
from bot.competition.published import Published
from bot.store import acts, tournament_rounds, tournaments
from bot.store.acts import DeskAct
from bot.store.database import reading, writing
from bot.store.publication import Viewer, published_tournament
from bot.store.tournament_rounds import Round, add_round
from bot.store.tournaments import Entrant, Tournament
from rules.components import FACTIONS
from tests.tournament.cup import CUP, Entered, address


@pytest.fixture
def cup(tmp_path: Path) -> Entered:
    return Entered.at(tmp_path, 6)


def seen(cup: Entered, viewer: Viewer = "everybody") -> Published:
    with reading(cup.world.engine) as conn:
        return published_tournament(conn, CUP, cup.world.now, viewer)


def played_elsewhere(cup: Entered, numbers: range) -> None:
    """Let the persons with these numbers have played in another, rated tournament."""
    now = cup.world.now
    with writing(cup.world.engine) as conn:
        text = 'title = "Elsewhere"\n'
        tournaments.create_tournament(
            conn, Tournament("else", "Elsewhere", text, "", "finished", "", "", "", "token-else", now - timedelta(30))
        )
        seats = []
        for dot, number in enumerate(numbers, 1):
            tournaments.add_entrant(
                conn, Entrant("else", dot, tournaments.handle(dot), address(number), f"elsewhere-{dot}", now)
            )
            tenure = Tenure(entrant=tournaments.handle(dot), first=1, last=5)
            seats.append(SeatOutcome(faction=FACTIONS[dot - 1], dot=dot, tenures=(tenure,)))
        outcome = TableOutcome(
            game="elsewhere", ruleset="wbc-2018", kind="stronghold", how="strongholds", turn=5, round=1, table=1,
            winners=(FACTIONS[0],), seats=tuple(seats), ended=date(2020, 1, 1),
        )  # fmt: skip
        tournament_rounds.add_result(conn, tournament_rounds.Result("else", outcome, "confirmed", "", "", now))


def end_a_table(cup: Entered) -> None:
    """Draw and start the cup, and add the first table's result."""
    cup.draw()
    cup.start()
    with writing(cup.world.engine) as conn:
        seats = tuple(
            SeatOutcome(
                faction=held.faction, dot=held.dot,
                tenures=(Tenure(entrant=tournaments.handle(held.entrant), first=1, last=5),),
            )
            for held in cup.seats()
        )  # fmt: skip
        outcome = TableOutcome(
            game=cup.tables()[0].game_id, ruleset="wbc-2018", kind="stronghold", how="strongholds", turn=5, round=1,
            table=1, winners=(seats[0].faction,), seats=seats, ended=cup.world.now.date(),
        )  # fmt: skip
        tournament_rounds.add_result(conn, tournament_rounds.Result(CUP, outcome, "confirmed", "", "", cup.world.now))


def test_of_somebody_who_has_not_confirmed_not_even_the_rating_is_published(cup: Entered) -> None:
    """A rating would reveal that somebody entered under the name of a player from another tournament."""
    played_elsewhere(cup, range(2, 8))
    end_a_table(cup)
    cup.enter(1, "entered")
    assert [one.handle for one in seen(cup).entrants] == [tournaments.handle(number) for number in range(1, 7)]
    rated = [key for key in seen(cup).opening if "/" not in key]
    assert rated == [tournaments.handle(number) for number in range(2, 7)]
    assert len([key for key in seen(cup).opening if "/" in key]) > 0


def test_who_was_drawn_stays_even_if_they_withdraw_and_who_never_confirmed_does_not(cup: Entered) -> None:
    cup.enter(1, "entered")
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 7, state="confirmed")
    handles = [one.handle for one in seen(cup).entrants]
    assert handles == [tournaments.handle(number) for number in range(1, 7)]
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 6, state="withdrawn")
    assert [one.handle for one in seen(cup).entrants] == handles[:5]
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 6, state="confirmed")
        tournaments.change_entrant(conn, CUP, 7, state="withdrawn")
    cup.draw()
    drawn = [one.handle for one in seen(cup).entrants]
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 1, state="withdrawn")
    assert [one.handle for one in seen(cup).entrants] == drawn


def test_who_was_drawn_and_sits_out_does_not_wait(cup: Entered) -> None:
    cup.enter(2, "standby")
    assert seen(cup).waiting == 2
    cup.draw()
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 1, state="standby")
    assert seen(cup).waiting == 2


def test_ratings_at_entry_are_shown_of_those_who_show_their_name(cup: Entered) -> None:
    cup.enter(1, shown=True, rating="1612.000000", reliability="0.9000")
    cup.enter(1, rating="1700.000000", reliability="0.8000")
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 1, shown=True, name="", rating="1400.000000", reliability="0.7000")

    def told(viewer: Viewer) -> list[tuple[str, str, str, str]]:
        found = {one.handle: one for one in seen(cup, viewer).entrants}
        wanted = ("E001", "E007", "E008")
        return [(one, found[one].name, found[one].rating, found[one].reliability) for one in wanted]

    assert told("everybody") == [
        ("E001", "", "", ""), ("E007", "Player 7", "1612.000000", "0.9000"), ("E008", "", "", ""),
    ]  # fmt: skip
    assert told("directors") == [
        ("E001", "", "1400.000000", "0.7000"), ("E007", "Player 7", "1612.000000", "0.9000"),
        ("E008", "Player 8", "1700.000000", "0.8000"),
    ]  # fmt: skip


def test_a_round_that_is_only_planned_is_seen_by_directors_alone(cup: Entered) -> None:
    cup.draw()
    with writing(cup.world.engine) as conn:
        add_round(conn, Round(CUP, 2, "final", "planned"))
    assert [one.number for one in seen(cup).rounds] == [1]
    assert [one.number for one in seen(cup, "directors").rounds] == [1, 2]


def test_an_act_is_opened_from_its_moment_on(cup: Entered) -> None:
    now = cup.world.now
    with writing(cup.world.engine) as conn:
        for words, after in (("past", -1), ("now", 0), ("later", 1)):
            opens = now + timedelta(seconds=after)
            acts.log_act(
                conn, DeskAct(now, "rule", words=words, audience="directors", opens_at=opens), tournament_id=CUP
            )
        acts.log_act(conn, DeskAct(now, "rule", words="never", audience="directors"), tournament_id=CUP)
    assert [act.words for act in seen(cup).acts if act.command == "rule"] == ["past", "now"]


def test_what_was_changed_of_the_scoring_after_the_draw_is_told_with_its_reason(cup: Entered) -> None:
    assert seen(cup).tie_breaks_changed == ""
    with writing(cup.world.engine) as conn:
        for words, why in (("wins before points", "A tie."), ("lot last", "Again, by ann@example.org")):
            acts.log_act(
                conn, DeskAct(cup.world.now, tournaments.SCORING_CHANGED, words=words, why=why), tournament_id=CUP
            )
        acts.log_act(conn, DeskAct(cup.world.now, "rule", words="no scoring"), tournament_id=CUP)
    assert seen(cup).tie_breaks_changed == "wins before points (A tie.); lot last (Again, by (an address))"
