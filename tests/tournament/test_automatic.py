"""Automatic events: they need only three commands, and directors can hold them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import event as sqlalchemy_event

from bot.competition.settings import SettingsRefused, read_settings
from bot.competition.standings import NextRound, RoundWaits
from bot.desk.clocks import SILENCE
from bot.games.open_games import OpenGames
from bot.store import acts, deadlines, installation, tournament_rounds, tournaments
from bot.store.database import Connection, reading, while_held, writing
from bot.store.installation import HeartbeatName
from bot.store.tournaments import Paper, PaperKind, Tournament, papers_of
from bot.tournament import automatic, beacons, calendar, desk, preparation, progress, rounds
from bot.tournament.automatic import Event, RoundFacts, Step, next_step
from bot.tournament.beacons import FrozenDraw, SentValues
from bot.tournament.desk import Caller, Refused, acting
from bot.tournament.drawing import fixed_by
from tests.moderator.table import World
from tests.tournament.cup import CUP, SECRET, Entered, address, end_game, make, token_for

AUTO = 'title = "The Cup"\nauto = {auto}\n[rounds]\nheats = 2\nsemifinal = 0\nfinal = 6\n'
BOSS = "boss@example.org"
NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)


class Running(Entered):
    """An event whose director has given two commands, with twelve entrants by default."""

    @classmethod
    def of(cls, folder: Path, players: int = 12, auto: str = "true", settings: str = AUTO) -> Running:
        made = cls(World.at(folder))
        make(made.world, settings.format(auto=auto), SECRET)
        made.grant(BOSS)
        preparation.open_entries(Caller(made.open_games, made.world.now), CUP, until=made.world.now + timedelta(days=9))
        made.enter(players)
        return made

    def grant(self, who: str) -> None:
        desk.grant_right(Caller(self.open_games, self.world.now), CUP, who, "director")

    def days(self, count: int) -> None:
        for _ in range(count * 4):
            self.tick(6)

    def until(self, state: str) -> None:
        for _ in range(40):
            if self.cup.state == state:
                return
            self.days(1)
        raise AssertionError(f"it is {self.cup.state}, and never {state}")

    def end_all(self) -> None:
        for table in self.tables():
            if table.state == "playing":
                end_game(self.world, table.game_id, "guild")
        self.tick(1)

    def until_frozen(self, number: int) -> None:
        for _ in range(40):
            with reading(self.world.engine) as conn:
                found = beacons.frozen_draw(conn, CUP)
            if found and found.round == number:
                return
            self.days(1)
        raise AssertionError(f"the draw of round {number} is never frozen")

    def frozen(self) -> FrozenDraw:
        with reading(self.world.engine) as conn:
            found = beacons.frozen_draw(conn, CUP)
        assert found is not None
        return found

    def real_tokens(self) -> None:
        """Give the entrants valid reply tokens."""
        with writing(self.world.engine) as conn:
            for each in tournaments.entrants_of(conn, CUP):
                tournaments.change_entrant(conn, CUP, each.number, token=token_for(each.address))

    def writes(self, number: int, *lines: str) -> str:
        """Answer an entrant's newest letter, and return what Mentat writes back."""
        return self.answers(address(number), *lines)

    def answers(self, who: str, *lines: str) -> str:
        letter = self.world.letters(who)[-1].message
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = who, str(letter["Reply-To"]), f"Re: {letter['Subject']}"
        message["Message-ID"] = f"<{self.world.written()}.{who}>"
        message.set_content("\n".join(lines) + "\n")
        self.world.moderator.deliver(message.as_bytes(), self.world.now)
        return " ".join(self.world.letters(who)[-1].text.split())

    def told(self) -> list[tuple[str, str]]:
        """Return subject and text of the director's letters."""
        return [(str(sent.message["Subject"]), " ".join(sent.text.split())) for sent in self.world.letters(BOSS)]

    def says(self, *lines: str) -> str:
        """Answer the director's newest letter, and return what Mentat writes back."""
        return self.answers(BOSS, *lines)


def test_a_plain_event_of_twelve_takes_new_open_and_nothing(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    first = len(cup.told())
    cup.days(9)
    assert [each.state for each in cup.rounds()] == []
    cup.until("drawn")
    assert len(cup.rounds()) == 2
    cup.until("running")
    assert [table.state for table in cup.tables()] == ["playing"] * 4
    cup.end_all()
    assert [each.state for each in cup.rounds()] == ["playing", "playing"], "results may still change"
    for _ in range(30):
        cup.days(1)
        if len(cup.tables()) == 5 and cup.tables()[-1].state == "playing":
            break
    assert [each.kind for each in cup.rounds()] == ["heat", "heat", "final"]
    over = [sent for sent in cup.letters(1) if "over" in str(sent.message["Subject"])]
    assert [str(sent.message["Subject"]) for sent in over] == ["[cup] The Cup: rounds 1 and 2 are over"]
    assert "the sums of rounds 1 and 2 are" in " ".join(over[0].text.split())
    cup.end_all()
    cup.until("finished")
    letters = cup.told()[first:]
    days = [subject for subject, _ in letters if " on " in subject]
    assert len(days) == len(set(days)), "at most one letter a day"
    assert all("nothing needs you" in subject for subject in days)
    text = " ".join(told for _, told in letters)
    both = [f"The {step} of rounds 1 and 2:" for step in ("draw", "start", "close")]
    for what in (*both, "The draw of round 3:", "The start of round 3:", "The close of round 3:"):
        assert what in text, what
    assert "answer “hold”" in text
    assert "DONE AUTOMATICALLY SINCE YESTERDAY" in text
    assert {act.what for act in cup.acts() if act.who or act.right} == {"new", "open", "grant"}


def test_a_director_holds_everything_by_mail_and_lets_it_go_on(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    cup.days(9)
    cup.tick(12)
    assert "The draw of rounds 1 and 2:" in cup.told()[-1][1]
    assert "Held: nothing will happen automatically until you answer “go on”." in cup.says("hold: Ann is ill")
    cup.days(5)
    assert cup.cup.state == "open"
    assert any("is held until you answer" in text for _, text in cup.told())
    assert "It will go on by itself" in cup.says("go on")
    cup.until("drawn")
    assert [act.what for act in cup.acts()].count("hold") == 2


def test_what_is_held_until_a_day_goes_on_by_itself_then(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    cup.days(9)
    day = f"{cup.world.now + timedelta(days=4):%Y-%m-%d}"
    assert f"until {day}" in cup.says(f"hold until {day}: travelling")
    cup.days(2)
    assert cup.cup.state == "open"
    cup.until("drawn")


@pytest.mark.parametrize("day", ["2020-01-01", "today", "2027-13-45", "the 3rd", "Easter"])
def test_a_day_that_is_past_or_no_day_holds_nothing(tmp_path: Path, day: str) -> None:
    cup = Running.of(tmp_path)
    cup.days(9)
    said = f"{cup.world.now:%Y-%m-%d}" if day == "today" else day
    assert "Nothing was changed: this does not name a future day." in cup.says(f"hold until {said}: travelling")
    cup.until("drawn")


@pytest.mark.parametrize(
    ("line", "is_held"),
    [
        ("hold", True), ("Hold!", True), ("please hold.", True), ("hold: Ann is ill", True),
        ("Hold on, what about table 3?", False), ("hold the final in May, perhaps", False),
    ],
)  # fmt: skip
def test_only_a_line_that_is_a_hold_holds(tmp_path: Path, line: str, is_held: bool) -> None:
    cup = Running.of(tmp_path)
    cup.days(9)
    cup.tick(12)
    cup.says(line)
    assert [each.kind for each in papers(cup, "hold")] == ["hold"] * is_held


@pytest.mark.parametrize("line", ["Go on holiday next week, I do", "Continue to watch table 3", "Resume what?"])
def test_only_a_bare_line_lets_it_go_on(tmp_path: Path, line: str) -> None:
    cup = Running.of(tmp_path)
    cup.days(9)
    cup.tick(12)
    cup.says("hold")
    cup.says(line)
    assert len(papers(cup, "hold")) == 1
    cup.says("Go on, please!")
    assert papers(cup, "hold") == []


def test_what_is_held_does_not_finish_by_itself(tmp_path: Path) -> None:
    rest = "[rounds]\nheats = 1\nsemifinal = 0\nfinal = 0\n"
    cup = Running.of(tmp_path, 6, settings=f'title = "The Cup"\nauto = true\n{rest}')
    cup.until("running")
    cup.end_all()
    cup.says("hold")
    cup.days(4)
    rounds.close_round(Caller(cup.open_games, cup.world.now), CUP, 1)
    cup.days(1)
    assert cup.cup.state == "running"
    cup.says("go on")
    cup.until("finished")


def test_what_is_held_seats_nobody_by_itself(tmp_path: Path) -> None:
    rest = "[rounds]\nheats = 2\nload = 1\nsemifinal = 0\nfinal = 0\n"
    cup = Running.of(tmp_path, 6, settings=f'title = "The Cup"\nauto = true\n{rest}')
    cup.until("running")
    cup.says("hold")
    cup.end_all()
    cup.days(1)
    assert len(cup.tables()) == 1
    cup.says("go on")
    cup.tick(1)
    assert len(cup.tables()) == 2


def papers(cup: Running, kind: PaperKind) -> list[Paper]:
    with reading(cup.world.engine) as conn:
        return papers_of(conn, CUP, kind)


def test_a_hold_after_the_step_says_what_is_done(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    cup.until("drawn")
    assert "Done already: the draw of rounds 1 and 2." in cup.says("Hold!")
    cup.days(4)
    assert cup.cup.state == "drawn"


def test_a_draw_that_cannot_be_is_put_before_the_director_with_why(tmp_path: Path) -> None:
    cup = Running.of(tmp_path, players=13)
    cup.days(13)
    assert cup.cup.state == "open"
    subject, text = next((s, t) for s, t in reversed(cup.told()) if " on " in s)
    assert "1 thing needs you" in subject
    assert "The draw of rounds 1 and 2 is due but cannot be done" in text
    cup.enter(2)
    cup.until("drawn")


def test_a_start_that_was_refused_is_tried_again_once_the_seat_is_taken(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    cup.until("drawn")
    held = next(seat for seat in cup.seats() if (seat.round, seat.table) == (1, 1))
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_tenure(conn, held, entrant=0)
    cup.days(8)
    assert [table.state for table in cup.tables()] == ["planned", "playing", "playing", "playing"]
    assert "is due but cannot be done: table 1.1: nobody sits at dot" in newest_of_the_day(cup)[1]
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_tenure(conn, held, entrant=held.entrant)
    cup.days(4)
    assert [table.state for table in cup.tables()] == ["playing"] * 4


def test_nothing_is_drawn_on_results_that_may_still_change(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    cup.until("running")
    cup.end_all()
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(conn, Paper(CUP, 3, "protest", "wrong", cup.world.now, 1, 1))
    cup.days(10)
    assert [each.state for each in cup.rounds()] == ["playing", "closed"]


def test_each_step_can_be_automatic_alone(tmp_path: Path) -> None:
    cup = Running.of(tmp_path, auto='["start"]')
    cup.days(14)
    assert cup.cup.state == "open", "the director draws"
    cup.draw()
    cup.until("running")


def newest_of_the_day(cup: Running) -> tuple[str, str]:
    return next((subject, text) for subject, text in reversed(cup.told()) if " on " in subject)


def test_an_event_with_beacons_runs_by_itself_but_for_two_mails_each(tmp_path: Path) -> None:
    cup = Running.of(tmp_path, auto='true\nbeacon = "the lottery"\nbeacon_date = "2024-12-07"')
    cup.days(9)
    cup.until_frozen(1)
    cup.days(1)
    assert (
        "The draw of round 1 will follow once its beacon is known: the lottery, from Sat 14 Dec"
        in newest_of_the_day(cup)[1]
    )
    cup.days(10)
    subject, text = newest_of_the_day(cup)
    assert "1 thing needs you" in subject
    assert "The draw of round 1 is waiting for its beacon, the lottery. Answer: beacon cup 1: VALUE" in text
    cup.says("beacon cup 1: 4 8 15")
    cup.days(1)
    assert "One message says “4 8 15”; one more is needed." in newest_of_the_day(cup)[1]
    cup.says("the beacon of round 1 is 4 8 15")
    cup.tick(1)
    cup.tick(1)
    assert cup.cup.state == "drawn", "everybody was told a day before"
    cup.until("running")
    cup.end_all()
    cup.until_frozen(3)
    with pytest.raises(Refused, match="is not published before"):
        cup.draw(beacon="4 8 16")
    cup.days(8)
    for _ in range(2):
        cup.says("beacon cup 3: 4 8 16")
    cup.days(4)
    assert cup.tables()[-1].state == "playing"
    assert {act.what for act in cup.acts() if act.who or act.right} == {"new", "open", "grant", "beacon"}
    assert [act.what for act in cup.acts()].count("freeze") == 2


def test_a_beacon_that_never_comes_is_done_without_only_if_it_was_but_wished(tmp_path: Path) -> None:
    cup = Running.of(tmp_path, auto='true\nbeacon_optional = true\nbeacon_wait_days = 3\nbeacon = "quicknet"')
    cup.until_frozen(1)
    cup.days(3)
    assert cup.cup.state == "open"
    cup.days(3)
    assert cup.cup.state != "open"
    assert "without the beacon that was announced" in next(act.words for act in cup.acts() if act.what == "draw")


def test_who_leaves_after_the_freeze_has_the_draw_fixed_anew_with_another_beacon(tmp_path: Path) -> None:
    cup = Running.of(tmp_path, auto='true\nbeacon = "quicknet"')
    cup.until_frozen(1)
    first = cup.frozen()
    cup.enter(1)  # the director admits an entrant
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 12, state="withdrawn")
    cup.days(3)
    second = cup.frozen()
    assert (second.at > first.at, second.field == first.field) == (True, False)


# --- before the draw -------------------------------------------------------------------------------------------------


def test_entries_are_closed_with_a_notice_and_everybody_is_told(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    cup.enter(1, "standby")
    cup.days(8)
    assert "The close of entries:" in newest_of_the_day(cup)[1]
    cup.days(1)
    cup.tick(6)  # the tables are drawn a day after that
    assert "Entries to The Cup are closed: 12 players will be drawn." in cup.text(1)
    assert "You are number 1 on the waiting list" in cup.text(13)
    assert "Done already: the close of entries. To undo: “open”" in cup.says("hold")
    preparation.open_entries(Caller(cup.open_games, cup.world.now), CUP, until=cup.world.now + timedelta(days=5))
    cup.says("go on")
    cup.days(5)
    assert cup.cup.state == "open"
    cup.until("drawn")
    assert [act.what for act in cup.acts()].count("close entries") == 2


def test_who_does_not_say_that_they_are_there_makes_room_and_may_come_back(tmp_path: Path) -> None:
    cup = Running.of(tmp_path, players=12, settings=f"{AUTO}[steps]\ncheck_in = true\n")
    cup.enter(2, "standby")
    cup.real_tokens()
    cup.days(9)
    for _ in range(3):
        cup.tick(1)
    assert "If you are there, please answer “here” by" in cup.text(1)
    for number, words in enumerate(("here", "I'm here!", "yes", "Yes, I am still here.", "Present"), 1):
        assert "Thank you for telling us that you are there." in cup.writes(number, words), words
    for number in range(6, 11):
        cup.writes(number, "here")
    assert "You will get a place as soon as one is free." in cup.writes(13, "here")
    cup.days(3)
    states = cup.states()
    assert [states[f"E0{number}"] for number in (10, 11, 12, 13, 14)] == [
        "confirmed", "standby", "standby", "confirmed", "standby",
    ]  # fmt: skip
    assert "you are left out of the draw" in cup.text(11)
    assert "A place has become free" in cup.text(13)
    assert "Good to have you back" in cup.writes(12, "here")
    cup.until("drawn")
    drawn = {seat.entrant for seat in cup.seats()}
    assert drawn == {*range(1, 11), 12, 13}
    assert "We are not asking for that now" in cup.writes(11, "here")


# --- what stops it ---------------------------------------------------------------------------------------------------


def test_one_step_alone_can_be_held(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    cup.days(9)
    cup.tick(12)
    assert "the step “start” will not happen automatically until you answer “go on”" in cup.says(
        "hold cup start: Ann is ill"
    )
    cup.until("drawn")
    cup.days(5)
    assert cup.cup.state == "drawn"
    assert "your games will start later" not in cup.text(1), "nobody was told when they begin"
    cup.says("go on")
    cup.until("running")
    assert papers(cup, "hold") == []


def test_who_waits_for_a_game_is_told_that_its_start_is_held(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    cup.until("drawn")
    cup.tick(1)
    cup.says("hold until 2025-01-05: Ann is ill")
    assert "The organisers are holding back the start of the games of The Cup until 2025-01-05." in cup.text(1)


@pytest.mark.parametrize("when", ["a second before", "in the same second", "a second after"])
def test_a_hold_and_its_step_one_of_them_wins_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    cup = Running.of(tmp_path, 6)
    cup.days(9)
    cup.tick(6)
    cup.world.now = papers(cup, "step")[0].until or NOW
    told = ""
    if when == "a second before":
        cup.world.now -= timedelta(seconds=1)
        told = cup.says("hold")
        cup.world.now += timedelta(seconds=1)
    elif when == "in the same second":
        take = automatic._take

        def meanwhile(open_games: OpenGames, now: datetime, tournament: Tournament, step: Step, noticed: Paper) -> bool:
            nonlocal told
            told = cup.says("hold")
            return take(open_games, now, tournament, step, noticed)

        monkeypatch.setattr(automatic, "_take", meanwhile)
    cup.tick()
    if when == "a second after":
        cup.world.now += timedelta(seconds=1)
        told = cup.says("hold")
    assert "Held: nothing will happen automatically until you answer “go on”." in told
    drawn = when == "a second after"
    assert ("Done already: the draw of rounds 1 and 2." in told) == drawn
    assert (len(cup.rounds()), cup.cup.state) == ((2, "drawn") if drawn else (0, "open"))
    assert len([act for act in cup.acts() if act.what == "draw"]) == drawn


@pytest.mark.parametrize("line", ["hold other start", "hold tight", "hold the line: Ann is ill"])
def test_what_holds_something_else_holds_nothing(tmp_path: Path, line: str) -> None:
    cup = Running.of(tmp_path)
    cup.says(line)
    assert papers(cup, "hold") == []


@pytest.mark.parametrize("name", ["mailbox", "canary"])
def test_nothing_happens_by_itself_while_no_mail_comes(tmp_path: Path, name: HeartbeatName) -> None:
    cup = Running.of(tmp_path)
    cup.days(9)
    with writing(cup.world.engine) as conn:
        installation.note_failure(conn, name, cup.world.now)
    cup.days(6)
    assert cup.cup.state == "open"
    with writing(cup.world.engine) as conn:
        installation.beat(conn, name, cup.world.now)
    cup.until("drawn")


@pytest.mark.parametrize("line", ["resume games", "go on", "resume"])
def test_a_director_lets_the_clocks_go_on_that_the_silence_of_all_has_stopped(tmp_path: Path, line: str) -> None:
    cup = Running.of(tmp_path)
    cup.until("running")
    with writing(cup.world.engine) as conn:
        deadlines.stop_clocks(conn, cup.world.now, SILENCE, cup.world.now)
        installation.note_stop(conn, "silence", cup.world.now, cup.world.now)
    cup.open_games.forget()
    cup.days(70)
    assert {table.state for table in cup.tables()} == {"playing"}, "no table is decided meanwhile"
    subject, text = next(told for told in reversed(cup.told()) if "needs you" in told[0] or "need you" in told[0])
    assert "the clocks of all games are stopped" in text, subject
    newest = next(sent for sent in reversed(cup.world.letters(BOSS)) if sent.subject == subject)
    assert "resume%20games" in newest.html, "it has a button"
    assert "clocks of its games go on" in cup.says(line) or line == "resume games"
    with reading(cup.world.engine) as conn:
        assert automatic.silent_games(conn, CUP) == []
    cup.days(2)
    assert "stand still" not in cup.told()[-1][1]


def test_nothing_happens_by_itself_while_the_event_is_paused(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    cup.until("running")
    rounds.pause_tables(Caller(cup.open_games, cup.world.now), CUP, 0)
    cup.end_all()
    cup.days(6)
    assert [each.state for each in cup.rounds()] == ["playing", "playing"]
    with acting(Caller(cup.open_games, cup.world.now), CUP) as (session, _):
        desk.log_act(session, CUP, "resume", "all rounds")
    cup.days(4)
    assert [each.state for each in cup.rounds()][:2] == ["closed", "closed"]


# --- tables that should be over --------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["stopped", "arbiters"])
def test_a_table_that_does_not_end_is_decided(tmp_path: Path, how: str) -> None:
    rest = f'[rounds]\nheats = 1\nsemifinal = 0\nfinal = 0\ndays = 16\n[endings]\nunfinished = "{how}"\n'
    cup = Running.of(tmp_path, 6, settings=f'title = "The Cup"\nauto = true\n{rest}')
    for who in ("zoe@example.org", "yan@example.org"):
        desk.grant_right(Caller(cup.open_games, cup.world.now), CUP, who, "arbiter")
    cup.until("running")
    cup.days(17)
    assert "The decision about unfinished tables of round 1:" in newest_of_the_day(cup)[1]
    cup.days(4)
    if how == "stopped":
        cup.until("finished")
        assert next(act for act in cup.acts() if act.what == "adjudicate").why.startswith("The round is over")
    else:
        asked = [cup.world.letters(who)[-1].text for who in ("zoe@example.org", "yan@example.org")]
        assert all("table 1.1" in text for text in asked)
        assert cup.tables()[0].state == "playing"
        cup.days(11)  # they never answer
        assert cup.tables()[0].state != "playing", "the board decides"


def test_who_ends_an_event_by_hand_waits_for_protests(tmp_path: Path) -> None:
    rest = "[rounds]\nheats = 1\nsemifinal = 0\nfinal = 0\n"
    cup = Running.of(tmp_path, 6, settings=f'title = "The Cup"\nauto = ["draw", "start", "finish"]\n{rest}')
    cup.until("running")
    cup.end_all()
    rounds.close_round(Caller(cup.open_games, cup.world.now), CUP, 1)
    with writing(cup.world.engine) as conn:
        number = tournaments.add_paper(conn, Paper(CUP, 3, "protest", "wrong", cup.world.now, 1, 1))
    with pytest.raises(Refused, match=r"A protest about table 1.1 is open"):
        progress.finish_tournament(Caller(cup.open_games, cup.world.now), CUP)
    with writing(cup.world.engine) as conn:
        tournaments.set_paper_state(conn, number, "answered")
    progress.finish_tournament(Caller(cup.open_games, cup.world.now), CUP)
    assert cup.cup.state == "finished"


def test_the_deputy_steps_in_where_a_director_held_everything_and_is_gone(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    desk.grant_right(Caller(cup.open_games, cup.world.now), CUP, "dep@example.org", "deputy")
    cup.days(9)
    cup.tick(12)
    cup.says("hold: Ann is ill")
    cup.days(16)
    with reading(cup.world.engine) as conn:
        rights = {who.address: who.right for who in acts.rights_of(conn, tournament_id=CUP)}
    assert rights["dep@example.org"] == "director"
    assert cup.cup.state == "open", "the machine waits for a person"


@pytest.mark.parametrize(
    ("settings", "players", "says"),
    [
        ('title = "The Cup"\nauto = ["round"]\n', 12, "cup: draw"),
        ('title = "The Cup"\nauto = true\n[rounds]\nload = 1\n', 5, "Too few players are free"),
    ],
)
def test_what_only_people_can_mend_needs_the_director(tmp_path: Path, settings: str, players: int, says: str) -> None:
    cup = Running.of(tmp_path, players, settings=settings)
    cup.days(12)
    subject, text = newest_of_the_day(cup)
    assert "1 thing needs you" in subject
    assert says in text


def test_the_draw_of_a_final_that_is_the_director_s_needs_the_director(tmp_path: Path) -> None:
    cup = Running.of(tmp_path, auto='["draw", "start", "round"]')
    cup.until("running")
    cup.end_all()
    cup.days(8)
    assert [each.state for each in cup.rounds()] == ["closed", "closed"]
    subject, text = newest_of_the_day(cup)
    assert "1 thing needs you" in subject
    assert "The next step is yours; “help” lists what you can send." in text


def test_one_tournament_that_cannot_be_read_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Running.of(tmp_path)
    preparation.new_tournament(Caller(cup.open_games, cup.world.now), "aaa", AUTO.format(auto="true"), secret=SECRET)
    preparation.open_entries(Caller(cup.open_games, cup.world.now), "aaa", until=cup.world.now + timedelta(days=9))
    facts = automatic.event_facts

    def broken(conn: Connection, tournament: Tournament, now: datetime) -> Event:
        if tournament.id == "aaa":
            raise ValueError("nobody can read this")
        return facts(conn, tournament, now)

    monkeypatch.setattr(automatic, "event_facts", broken)
    cup.until("drawn")


def test_an_act_of_the_director_in_the_same_second_wins_whole_and_the_step_is_planned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = Running.of(tmp_path)
    cup.days(9)
    take = automatic._take

    def meanwhile(open_games: OpenGames, now: datetime, tournament: Tournament, step: Step, noticed: Paper) -> bool:
        with acting(Caller(open_games, now), CUP) as (session, _):
            desk.log_act(session, CUP, "extend", "something else")
        return take(open_games, now, tournament, step, noticed)

    monkeypatch.setattr(automatic, "_take", meanwhile)
    cup.days(3)
    assert cup.cup.state == "open"
    monkeypatch.undo()
    cup.until("drawn")


def test_who_lets_it_run_by_itself_says_until_when_people_enter(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    make(world, AUTO.format(auto="true"), SECRET)
    with pytest.raises(Refused, match="say when entries close"):
        preparation.open_entries(Caller(world.moderator.open_games, world.now), CUP)
    with pytest.raises(SettingsRefused, match="auto is"):
        read_settings(AUTO.format(auto='["everything"]'))


# --- the next step ---------------------------------------------------------------------------------------------------

SETTINGS = read_settings(AUTO.format(auto="true"))
SIX = tuple(f"E{number:03d}" for number in range(1, 7))
DRAW = NextRound("final", (2,), SIX)
BEACON = 'beacon = "the lottery"\nbeacon_date = "2027-03-06"\n'
LOTTERY = read_settings(BEACON + AUTO.format(auto="true"))
WISHED = read_settings(f"beacon_optional = true\n{BEACON}" + AUTO.format(auto="true"))
FROZEN = FrozenDraw(2, *fixed_by(DRAW, ()), NOW, "the lottery")


def event(*rounds: RoundFacts, **facts: object) -> Event:
    given = {"settings": SETTINGS, "state": "running", "until": None, "comes": DRAW} | facts
    return Event(rounds=tuple(rounds), **given)  # type: ignore[arg-type]


def closed(number: int = 1, **facts: object) -> RoundFacts:
    return RoundFacts(number, "closed", **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (event(state="open", until=NOW + timedelta(hours=1)), "entries"),
        (event(state="open", until=None), "entries"),
        (event(state="open", until=NOW + timedelta(hours=49), closed=False), "entries"),
        (event(state="open", until=NOW + timedelta(hours=48), closed=False), "closing 0"),
        (event(state="open", until=NOW, check_in="wanted"), "check-in 0"),
        (event(state="open", until=NOW, check_in="going"), "check-in"),
        (event(closed(), settings=LOTTERY), "freeze 2"),
        (event(closed(), settings=LOTTERY, frozen=FROZEN), "beacon"),
        (event(closed(), settings=LOTTERY, frozen=FROZEN, sent=SentValues(("4 8",))), "beacon"),
        (event(closed(), settings=LOTTERY, frozen=FROZEN, sent=SentValues(("4 8",), "4 8")), "draw 2"),
        (event(closed(), settings=LOTTERY, frozen=replace(FROZEN, round=1)), "freeze 2"),
        (event(closed(), settings=LOTTERY, frozen=FROZEN, comes=NextRound("final", (2,), SIX[::-1])), "freeze 2"),
        (event(closed(), settings=LOTTERY, frozen=replace(FROZEN, at=NOW - timedelta(days=7))), "beacon"),
        (event(closed(), settings=WISHED, frozen=replace(FROZEN, at=NOW - timedelta(days=6))), "beacon"),
        (event(closed(), settings=WISHED, frozen=replace(FROZEN, at=NOW - timedelta(days=7))), "draw 2"),
        (event(closed(), quiet="paused"), "paused"),
        (event(closed(), quiet="mail"), "mail"),
        (event(RoundFacts(1, "playing", playing=1, overdue=("1.1",))), "unfinished 1"),
        (event(closed(), comes="finished", may_finish=True), "finish 1"),
        (event(state="open", until=NOW), "draw 2"),
        (event(RoundFacts(1, "drawn", settled=False, planned=2)), "factions"),
        (event(RoundFacts(1, "drawn", planned=2)), "start 1"),
        (event(RoundFacts(1, "playing", planned=1, playing=1)), "start 1"),
        (event(RoundFacts(1, "playing", playing=1)), "tables"),
        (event(RoundFacts(1, "playing", unstable=("1.1",))), "results"),
        (event(RoundFacts(1, "playing")), "round 1"),
        (event(RoundFacts(1, "playing"), RoundFacts(2, "playing", playing=1)), "round 1"),
        (event(RoundFacts(1, "playing", unstable=("1.1",)), RoundFacts(2, "playing", playing=1)), "tables"),
        (event(closed(unstable=("1.1",))), "results"),
        (event(closed()), "draw 2"),
        (event(closed(playing=1)), "tables"),
        (event(closed(), comes=RoundWaits(())), "players"),
        (event(closed(), comes="finished"), "nothing"),
    ],
)
def test_the_next_step_follows_from_the_facts_alone(given: Event, expected: str) -> None:
    found = next_step(given, NOW)
    assert (found if isinstance(found, str) else f"{found.kind} {found.rounds[0]}") == expected


def test_another_roster_is_another_step() -> None:
    one, other = (next_step(event(closed(), comes=NextRound("final", (2,), who)), NOW) for who in (SIX, SIX[1:]))
    assert isinstance(one, Step)
    assert isinstance(other, Step)
    assert one.words != other.words


# --- a restored backup, and what a tick costs ------------------------------------------------------------------------


def test_a_step_that_is_noticed_while_a_backup_is_caught_up_with_is_held_and_shown(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    made = cup.world.now
    cup.days(9)
    with writing(cup.world.engine) as conn:
        for paper in papers_of(conn, CUP, "step", state=None):
            tournaments.set_paper_state(conn, paper.id, "gone")
        installation.hold_restored(conn, made, cup.world.now, as_another=False)
    lived_again = OpenGames(cup.world.settings, while_held(cup.world.engine))
    for _ in range(10):
        cup.world.now += timedelta(hours=6)
        calendar.tick(lived_again, cup.world.now)
    assert (cup.cup.state, len(papers(cup, "step"))) == ("open", 1)
    with writing(while_held(cup.world.engine)) as conn:
        installation.release_database(conn)
    cup.days(3)
    assert cup.cup.state == "open"
    text = " ".join(told for _, told in cup.told())
    assert f"A backup from {made:%Y-%m-%d %H:%M}Z was restored, so this may already have been done" in text
    assert "It will go on by itself" in cup.says("go on")
    cup.until("drawn")


def test_a_tick_reads_nothing_of_an_event_of_200_of_which_nothing_has_changed(tmp_path: Path) -> None:
    cup = Running.of(tmp_path, players=200)

    def statements() -> int:
        found: list[str] = []

        def count(_conn: object, _cursor: object, statement: str, *_: object) -> None:
            found.append(statement)

        sqlalchemy_event.listen(cup.world.engine, "before_cursor_execute", count)
        try:
            automatic.advance(cup.open_games, cup.world.now)
        finally:
            sqlalchemy_event.remove(cup.world.engine, "before_cursor_execute", count)
        return len([each for each in found if each.lstrip().upper().startswith("SELECT")])

    cup.days(9)
    automatic.advance(cup.open_games, cup.world.now)
    cup.world.now += timedelta(minutes=1)
    assert statements() <= 4, "the events and the counts of their papers"
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(conn, Paper(CUP, 3, "words", "how long?", cup.world.now))
    assert statements() > 10, "something has changed"
    assert statements() <= 4
    cup.world.now += automatic.LONGEST_REST
    assert statements() > 10


# --- a draw that is void ---------------------------------------------------------------------------------------------


def test_a_void_draw_is_fixed_and_made_again_by_itself_with_another_beacon(tmp_path: Path) -> None:
    cup = Running.of(tmp_path, auto='true\nbeacon = "the lottery"\nbeacon_date = "2024-12-07"')
    cup.until_frozen(1)
    first = cup.frozen()
    cup.world.now = first.at
    for _ in range(2):
        cup.says("beacon cup 1: 4 8 15")
    cup.until("drawn")
    told = cup.says("The draw was wrong, draw again")
    assert "It will be fixed and drawn again automatically" in told
    assert "It will get another beacon." in told
    assert (cup.cup.state, cup.tables()) == ("open", [])
    cup.until_frozen(1)
    assert cup.frozen().at > first.at
    cup.world.now = cup.frozen().at
    assert "was the beacon of an earlier draw" in cup.says("beacon cup 1: 4 8 15")
    for _ in range(2):
        cup.says("beacon cup 1: 16 23 42")
    cup.until("running")
    assert [act.what for act in cup.acts()].count("draw") == 2


def test_a_void_draw_without_a_beacon_is_made_again_for_those_who_play_then(tmp_path: Path) -> None:
    cup = Running.of(tmp_path, 6)
    cup.until("drawn")
    assert "first change what was wrong" in cup.says("void the draw: six more should play")
    cup.enter(6)
    cup.until("running")
    assert len({seat.entrant for seat in cup.seats()}) == 12
