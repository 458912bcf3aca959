"""Daily letters: one to each person for all tables, and one to organisers with nothing sealed."""

from __future__ import annotations

import re
from datetime import time, timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import update

from bot.store import acts, games, tournament_rounds, tournaments
from bot.store.acts import DeskAct, GrantedRight, Right
from bot.store.database import Connection, writing
from bot.store.games import open_table
from bot.store.tables import DEADLINE, SEAT
from bot.store.tournament_rounds import Round
from bot.store.tournaments import Paper, Tournament
from bot.table.table import Table
from bot.tournament import calendar, substitutes
from bot.tournament.desk import By, Caller
from rules.components import FACTIONS, as_faction
from tests.tournament.cup import CUP, Cup, address, token_for

BOSS = "boss@example.org"


def digests(cup: Cup, number: int) -> list[str]:
    return [sent.subject for sent in cup.letters(number) if "for you" in sent.subject]


def test_what_waits_at_all_tables_comes_in_one_letter_a_day(cup: Cup) -> None:
    cup.round(1)
    cup.round(2, [[1, 2, 9, 10, 11, 12], [7, 8, 3, 4, 5, 6]])
    cup.tick(0)
    for _ in range(3):
        cup.tick(8)
    found = [sent for sent in cup.letters(2) if "for you" in sent.subject]
    assert [sent.subject for sent in found] == ["[cup] The Cup: 2 tables are waiting for you"]
    text = found[0].text
    assert "cup-1-1" in text
    assert "cup-2-1" in text
    assert all(address(other) not in text for other in range(1, 13) if other != 2)
    cup.tick(24)
    assert len(digests(cup, 2)) == 2


def test_a_reply_to_the_letter_of_the_day_plays_the_most_urgent_game(cup: Cup) -> None:
    cup.round(1)
    cup.tick(0)
    cup.tick(24)
    letter = next(sent for sent in cup.letters(2) if "waiting for you" in sent.subject)
    token = cup.world.table("cup-1-1").seats["bene-gesserit"].token
    assert token in str(letter.message["Reply-To"])


def test_it_comes_as_they_wake(cup: Cup) -> None:
    cup.round(1)
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(
            conn, CUP, 1, timezone="Asia/Tokyo", hours=0b111111
        )  # from 0:00 UTC, which is 9:00 there
    cup.tick(0)
    due = cup.entrant(1).digest_due
    assert due is not None
    assert (due.hour, due > cup.now, due - cup.now <= timedelta(days=1)) == (0, True, True)


def test_without_the_setting_nobody_gets_one(cup: Cup) -> None:
    cup.round(1)
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, settings='title = "The Cup"\npeople.digest = false\n')
    cup.tick(0)
    cup.tick(24)
    assert digests(cup, 2) == []


# --- organisers ------------------------------------------------------------------------------------------------------


def test_their_letter_opens_each_running_game_once(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.round(1)
    cup.round(2, [[1, 2, 9, 10, 11, 12], [7, 8, 3, 4, 5, 6]])
    cup.tick(0)
    opened: list[str] = []

    def counted(conn: Connection, game_id: str) -> Table:
        opened.append(game_id)
        return open_table(conn, game_id)

    monkeypatch.setattr(games, "open_table", counted)
    monkeypatch.setattr("bot.games.open_games.CACHED_GAMES", 1)
    cup.open_games.forget()
    calendar.write_organiser_letters(cup.open_games, cup.now + timedelta(days=1))
    assert sorted(opened) == ["cup-1-1", "cup-1-2", "cup-2-1", "cup-2-2"]


def watch_letter(cup: Cup, who: str = BOSS) -> str:
    found = [sent for sent in cup.world.letters(who) if "matter" in sent.subject]
    return " ".join(found[-1].text.split()) if found else ""


def test_organisers_read_what_blocks_since_when_and_who_is_missing(cup: Cup) -> None:
    cup.grant(BOSS, "director")
    cup.round(1)
    cup.wrote("cup-1-1")
    cup.wrote("cup-1-2", "atreides")
    with writing(cup.world.engine) as conn:
        conn.execute(DEADLINE.delete().where(DEADLINE.c.state == "gone", DEADLINE.c.faction != "bene-gesserit"))
        tournaments.file_paper(conn, Paper(CUP, 3, "protest", "they cheated, the dogs", cup.now, 1, 1))
    cup.tick(60)
    text = watch_letter(cup)
    assert "1.1 Protest 1 about the result, since" in text
    assert "the dogs" not in text
    assert re.search(r"1\.2 Player 8 \(E008\) \(Bene Gesserit\) has sent no order", text)
    assert "has sent no order for 60 hours" in text
    assert "Player 9 (E009) (Emperor) has" not in text
    assert "Player 2 (E002) (Bene Gesserit) has" not in text


def test_a_letter_of_the_day_to_organisers_as_a_whole(cup: Cup) -> None:
    cup.grant(BOSS, "director")
    cup.round(1, tables=[range(1, 5), range(5, 9)])
    cup.wrote("cup-1-1")
    cup.wrote("cup-1-2", "atreides", "fremen")
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 13, undelivered=3, undelivered_at=cup.now)
        tournaments.change_entrant(conn, CUP, 12, undelivered=2, undelivered_at=cup.now)
        tournaments.file_paper(conn, Paper(CUP, 14, "invitation", "", cup.now, until=cup.now + timedelta(days=60)))
        tournaments.file_paper(
            conn, Paper(CUP, 15, "substitution", "guild", cup.now, 1, 2, until=cup.now + timedelta(days=61))
        )
        tournaments.file_paper(conn, Paper(CUP, 3, "protest", "they cheated, the dogs", cup.now, 1, 1))
    cup.world.wait(47)
    cup.world.now += timedelta(days=1)
    calendar.write_organiser_letters(cup.open_games, cup.now)
    text = " ".join(cup.world.letters(BOSS)[-1].text.split())
    assert text.partition("===")[0].endswith("The Cup on 29 Nov: 6 matters ")
    assert text[text.index("FOR YOU") :] == (
        "FOR YOU TO DO 1.1 Protest 3 about the result, since Tue 26 Nov 20:00 UTC: “cup: dismiss 3: the reason” "
        "lets the result stand. "
        "PEOPLE 1.2 Player 6 (E006) (Bene Gesserit) has sent no order for 71 hours; after 96 a substitute will be "
        "asked. "
        "Player 7 (E007) (Emperor) has sent no order for 71 hours; after 96 a substitute will be asked. "
        "E015 has been asked to take a seat, and has until Sun 26 Jan 20:00 UTC to answer. "
        "All Mail to E013 bounces; we send nothing there until they write. "
        "E014 has been offered a place, and has until Sat 25 Jan 20:00 UTC to answer. "
        "This is what is waiting at the tables of The Cup. It shows only what everybody may know, and nothing sealed. "
        "You get this once a day, except on days without news."
    )


@pytest.mark.parametrize(("days", "forecast"), [(9.2, 0), (9.3, 3), (13.9, 3), (14, 4), (20, 5), (70, 15)])
def test_organisers_read_of_a_table_that_is_two_turns_behind_the_days(cup: Cup, days: float, forecast: int) -> None:
    cup.grant(BOSS, "director")
    cup.round(1, tables=[range(1, 3)])
    cup.world.now += timedelta(days=days)
    calendar.write_organiser_letters(cup.open_games, cup.now)
    found = re.search(r"It is in turn 1; on schedule it would be in turn (\d+)\.", watch_letter(cup))
    assert (int(found[1]) if found else 0) == forecast


def test_of_a_table_that_is_on_time_organisers_are_told_nothing(cup: Cup) -> None:
    cup.grant(BOSS, "director")
    cup.round(1, tables=[range(1, 7)])
    cup.wrote("cup-1-1")
    for _ in range(4):
        cup.tick(24)
    assert watch_letter(cup) == ""


def test_those_who_are_asked_the_same_stand_in_one_row(cup: Cup) -> None:
    cup.grant(BOSS, "director")
    cup.round(1, tables=[range(1, 7)])
    cup.world.wait(30)
    cup.world.now += timedelta(days=12)
    calendar.write_organiser_letters(cup.open_games, cup.now)
    text = watch_letter(cup)
    row = re.search(r"the choice of traitors of (.*?), since", text)
    assert row is not None
    assert row[1].count("Player") == 6
    assert text.count("the choice of traitors") == 1


def test_it_comes_once_a_day_and_not_to_deputies_and_auditors(cup: Cup) -> None:
    every: tuple[Right, ...] = ("director", "clerk", "auditor", "deputy")
    for right in every:
        cup.grant(f"{right}@example.org", right)
    cup.round(1)
    something_waits(cup)
    for _ in range(5):
        cup.tick(12)
    counts = {right: len(cup.world.letters(f"{right}@example.org")) for right in every}
    assert counts == {"director": 3, "clerk": 3, "auditor": 0, "deputy": 0}


def something_waits(cup: Cup) -> None:
    """File a paper that everybody who helps to run the cup must be told about."""
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(conn, Paper(CUP, 14, "invitation", "", cup.now, until=cup.now + timedelta(days=60)))


def test_it_is_due_from_six_in_the_morning_on(cup: Cup) -> None:
    cup.grant(BOSS, "director")
    cup.round(1)
    something_waits(cup)

    def written_at(hours: float) -> bool:
        before = len(cup.world.letters(BOSS))
        cup.tick(hours)
        return len([sent for sent in cup.world.letters(BOSS)[before:] if "matter" in sent.subject]) == 1

    assert cup.now.hour == 20
    cup.tick(24 * 3)
    assert [written_at(hours) for hours in (3.9, 6, 0.2, 17, 6.8, 0.1, 13.9)] == [
        False, False, True, False, False, True, False
    ]  # fmt: skip
    assert cup.now.strftime("%H:%M") == "19:54"


def test_organisers_get_it_every_day_even_if_time_is_looked_at_only_at_night(cup: Cup) -> None:
    cup.grant(BOSS, "director")
    cup.round(1)
    something_waits(cup)
    cup.tick((27 - cup.now.hour) % 24)
    assert cup.now.hour == 3
    before = len(cup.world.letters(BOSS))
    for _ in range(4):
        cup.tick(24)
    days = {sent.subject for sent in cup.world.letters(BOSS)[before:] if "matter" in sent.subject}
    assert len(days) == 4, days


def test_an_organiser_who_plays_reads_nothing_of_their_own_table(cup: Cup) -> None:
    cup.grant(address(1), "clerk")
    cup.grant(BOSS, "director")
    cup.round(1)
    cup.tick(60)
    assert "1.1" in watch_letter(cup)
    assert "1.1" not in watch_letter(cup, address(1))
    assert "1.2" in watch_letter(cup, address(1))


@pytest.mark.parametrize(
    ("days", "acted", "right"), [(15, False, "director"), (13, False, "deputy"), (15, True, "deputy")]
)
def test_a_deputy_follows_a_master_who_has_vanished(cup: Cup, days: int, acted: bool, right: str) -> None:
    cup.grant(BOSS, "director")
    cup.grant("deputy@example.org", "deputy")
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(conn, Paper(CUP, 3, "protest", "words", cup.now, 1, 1))
    cup.tick(24)
    if acted:
        with writing(cup.world.engine) as conn:
            acts.log_act(
                conn,
                DeskAct(cup.now + timedelta(days=5), "round extend", words="", who=BOSS, right="director"),
                tournament_id=CUP,
            )
    cup.tick(24 * (days - 2))
    cup.tick(24)
    with writing(cup.world.engine) as conn:
        found = acts.right_of(conn, "deputy@example.org", tournament_id=CUP)
    assert found is not None
    assert found.right == right
    assert ("new director" in cup.text(1)) is (right == "director") if cup.letters(1) else right == "deputy"


def test_letters_of_the_day_are_no_change_that_an_organiser_would_have_to_look_at(cup: Cup) -> None:
    cup.grant(BOSS, "director")
    cup.round(1)
    cup.wrote("cup-1-1")
    cup.wrote("cup-1-2")
    something_waits(cup)
    cup.tick(1)
    with writing(cup.world.engine) as conn:
        before = tournaments.find_tournament(conn, CUP).revision
    cup.tick(24)
    assert digests(cup, 2)
    assert watch_letter(cup)
    with writing(cup.world.engine) as conn:
        assert tournaments.find_tournament(conn, CUP).revision == before


def test_organisers_read_that_a_draw_waits_for_its_start(cup: Cup) -> None:
    cup.grant(BOSS, "director")
    with writing(cup.world.engine) as conn:
        tournament_rounds.add_round(conn, Round(CUP, 1, "heat", "drawn"))
        acts.log_act(conn, DeskAct(cup.now, "draw", words="round 1", who=BOSS, right="director"), tournament_id=CUP)
    cup.tick(1)
    assert "Round 1 The draw was made" in watch_letter(cup)


def test_who_has_shown_up_by_the_books_of_the_desk_alone_is_not_said_to_be_missing(cup: Cup) -> None:
    cup.grant(BOSS, "director")
    cup.round(1, tables=[range(1, 7)])
    cup.wrote("cup-1-1", *(faction for faction in FACTIONS if faction != "bene-gesserit"))
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_tenure(conn, cup.sitting("bene-gesserit"), ordered=True)
    cup.tick(60)
    assert "has sent no order" not in watch_letter(cup)


def test_organisers_read_whose_seat_is_empty_who_is_asked_and_whom_no_mail_reaches(cup: Cup) -> None:
    cup.grant(BOSS, "director")
    cup.round(1)
    substitutes.substitute(Caller(cup.open_games, cup.now, By(why="gone")), CUP, "1.1", as_faction("guild"), "")
    invited = Paper(CUP, 14, "invitation", "", cup.now, until=cup.now + timedelta(days=3))
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(conn, invited)
        conn.execute(
            update(SEAT)
            .where(SEAT.c.game_id == "cup-1-2", SEAT.c.faction == "emperor")
            .values(unreachable=True, unreachable_since=cup.now)
        )
    cup.open_games.forget()
    cup.tick(1)
    assert (
        "1.1 Guild has no player; the caretaker is playing. E013 has been asked to take a seat, and has until "
        "Thu 28 Nov 20:00 UTC to answer. 1.2 Mail to Player 9 (E009) (Emperor) bounces. All E014 has been offered a "
        "place, and has until Fri 29 Nov 20:00 UTC to answer. This is what is waiting"
    ) in watch_letter(cup)


# --- one letter over all desks ---------------------------------------------------------------------------------------


def second_event(cup: Cup, name: str, *organisers: str) -> None:
    """Create another event with these directors and a drawn round that is waiting to start."""
    made = Tournament(
        name, name.title(), 'title = "Another"\n', "digest", "running", "commitment", "s", "", f"{name:t<16}", cup.now
    )
    with writing(cup.world.engine) as conn:
        tournaments.create_tournament(conn, made)
        tournament_rounds.add_round(conn, Round(name, 1, "heat", "drawn"))
        acts.log_act(conn, DeskAct(cup.now, "draw", words="round 1", right="director"), tournament_id=name)
        for who in organisers:
            token = token_for(f"{name} {who}")
            acts.grant_right(conn, GrantedRight(who, "director", token, cup.now, tournament_id=name))


def daily(cup: Cup, who: str) -> list[str]:
    return [str(sent.message["Subject"]) for sent in cup.world.letters(who) if " on " in str(sent.message["Subject"])]


def test_an_organiser_of_three_events_gets_one_letter_a_day(cup: Cup) -> None:
    cup.grant(BOSS, "director")
    cup.round(1)
    something_waits(cup)
    second_event(cup, "league", BOSS)
    second_event(cup, "swiss", BOSS, "other@example.org")
    for _ in range(3):
        cup.tick(24)
    assert [subject.partition(":")[0] for subject in daily(cup, BOSS)] == [
        "[events] Your events on 27 Nov", "[events] Your events on 28 Nov", "[events] Your events on 29 Nov",
    ]  # fmt: skip
    text = " ".join(cup.world.letters(BOSS)[-1].text.split())
    assert "THE CUP: PEOPLE" in text.upper()
    assert "league: start" in text
    assert "swiss: start" in text
    assert len(daily(cup, "other@example.org")) == 3
    assert "league" not in " ".join(cup.world.letters("other@example.org")[-1].text.split())


def test_the_game_master_reads_of_their_events_in_the_letter_of_the_desk(cup: Cup) -> None:
    master = cup.world.settings.mentat.game_master
    mentat = cup.world.settings.mentat.model_copy(update={"desk_mail": time(8)})
    cup.open_games.settings = cup.world.settings.model_copy(update={"mentat": mentat})
    cup.grant(master, "director")
    cup.round(1)
    something_waits(cup)
    second_event(cup, "league", master)
    for _ in range(3):
        cup.tick(24)
        cup.world.moderator.timekeeper.tick_now(cup.now)
    assert [subject.partition(":")[0] for subject in daily(cup, master)] == [
        "[Mentat] Your desk on 28 Nov", "[Mentat] Your desk on 29 Nov",
    ]  # fmt: skip
    desk = next(sent for sent in cup.world.letters(master) if "Your desk on" in str(sent.message["Subject"]))
    text = " ".join(desk.text.split())
    assert text.count("league: start") == 1
    assert "E014 has been offered a place" in text


def test_a_hold_in_answer_to_the_letter_of_several_events_names_its_event(cup: Cup) -> None:
    auto = 'title = "The Cup"\nauto = true\n'
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, settings=auto)
    cup.grant(BOSS, "director")
    second_event(cup, "league", BOSS)
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "league", settings=auto)
    cup.round(1)
    something_waits(cup)
    cup.tick(24)
    assert "Name the one that you mean: “hold cup” or “hold league”" in holds(cup, "hold")
    assert "Held: nothing will happen automatically" in holds(cup, "hold league until 2027-03-01: Ann is ill")
    with writing(cup.world.engine) as conn:
        assert [len(tournaments.papers_of(conn, event, "hold")) for event in (CUP, "league")] == [0, 1]


def holds(cup: Cup, line: str) -> str:
    """Answer the director's daily letter, and return what Mentat writes back."""
    letter = [sent for sent in cup.world.letters(BOSS) if "Your events" in str(sent.message["Subject"])][-1].message
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = BOSS, str(letter["Reply-To"]), f"Re: {letter['Subject']}"
    message["Message-ID"] = f"<{cup.world.written()}.boss>"
    message.set_content(line + "\n")
    cup.world.moderator.deliver(message.as_bytes(), cup.now)
    return " ".join(cup.world.letters(BOSS)[-1].text.split())
