"""Tests for the output that people read from `mentat game list` and `mentat game show`."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import update

from bot.cli import session
from bot.desk import clocks
from bot.desk.game_view import game_page
from bot.desk.powers import DeskRequest
from bot.render.text import as_text
from bot.store.database import reading, writing
from bot.store.desk import every_game
from bot.store.tables import GAME as GAMES
from bot.store.tables import SEAT
from rules.components import FACTIONS, Faction
from tests.cli.conftest import Mentat
from tests.moderator.table import GAME, START, World

VIEWERS = (*FACTIONS, "public", "gm")
FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
PYTHON = re.compile(r"\b(None|True|False(?! Wall))\b|[{}]|\[\]|\('|', '|T\d\d:\d\d|\+00:00|fremen/|-window")


def read_as_a_person_reads(told: str) -> None:
    assert PYTHON.search(told) is None, PYTHON.search(told)
    assert max(map(len, told.splitlines())) <= 80


@pytest.fixture
def begun(place: World) -> World:
    place.silent_game("bidding", ruleset="wbc-2018", tempo="steady")
    return place


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_game_is_shown_in_words_on_eighty_columns(mentat: Mentat, begun: World, viewer: str) -> None:
    told = mentat("game", "show", GAME, "--as", viewer).out
    read_as_a_person_reads(told)
    assert told.startswith("sietch-12: turn 1, bidding\n")
    for part in ("WHO PLAYS", "THE TABLE", "THE BOARD"):
        assert part in told
    assert ("KNOWN ONLY TO GUILD" in told) == (viewer == "gm")
    assert ("Traitors" in told) == (viewer != "public")


def test_times_are_those_of_the_viewer_and_the_next_thing_due_is_said(mentat: Mentat, begun: World) -> None:
    with writing(begun.engine) as conn:
        conn.execute(update(SEAT).where(SEAT.c.faction == "guild").values(timezone="America/New_York"))
    assert "Times are New York time; the tempo is steady." in mentat("game", "show", GAME, "--as", "guild").out
    public = mentat("game", "show", GAME).out
    assert "Times are UTC; the tempo is steady." in public
    assert "verdue since" in public or "ext due" in public


def test_who_is_allied_with_whom_is_said_of_each(place: World) -> None:
    place.new_game("ah-basic", factions=FEW)
    table = place.table()
    for allies, said in (
        ((), {"Atreides": "", "Guild": "", "Harkonnen": ""}),
        (("atreides", "guild"), {"Atreides": "Guild", "Guild": "Atreides", "Harkonnen": ""}),
        (
            FEW,
            {"Atreides": "Guild and Harkonnen", "Guild": "Atreides and Harkonnen", "Harkonnen": "Atreides and Guild"},
        ),
    ):
        table.play.state.alliances = [allies] if allies else []
        told = as_text(game_page(table, "public", place.settings, place.now))
        lines = [line.split() for line in told.partition("WHO PLAYS")[2].partition("THE TABLE")[0].splitlines()]
        who = {line[0]: " ".join(line[1:]).partition("allied with ")[2] for line in lines if line}
        assert who == said, told


def test_a_game_with_options_and_one_that_is_paused_say_so(mentat: Mentat, place: World) -> None:
    place.new_game("ah-basic", factions=FEW, max_turns=3)
    clocks.pause(DeskRequest(place.moderator.open_games, GAME, place.now))
    told = mentat("game", "show", GAME).out
    assert "max_turns = 3" in told or "max_turns" in told
    assert "It is paused since Tue 26 Nov 20:00." in " ".join(told.split())
    read_as_a_person_reads(told.replace("max_turns", ""))


def test_a_game_that_is_over_says_who_won(mentat: Mentat, place: World) -> None:
    place.new_game(factions=FEW, max_turns=1)
    while place.wait(24):
        pass
    told = mentat("game", "show", GAME).out
    assert told.startswith("sietch-12: over in turn 1")
    assert "The game is over" in told
    listed = mentat("game", "list").out
    assert "Over in turn 1" in listed
    assert "by Tue" not in listed
    assert mentat("game", "list", "--json").json[0]["status"] == "over"


def test_the_list_says_where_each_game_stands_and_whom_it_waits_for(
    mentat: Mentat, place: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.cli.session.console._width", 80)
    assert "There is no game yet" in mentat("game", "list").out
    place.new_game("wbc-2018", tempo="steady", game="a-name-of-forty-letters-and-digits-0123456")
    place.now += timedelta(seconds=1)
    place.new_game("ah-basic", factions=FEW, game="paused")
    clocks.pause(DeskRequest(place.moderator.open_games, "paused", place.now))
    told = mentat("game", "list").out
    read_as_a_person_reads(told)
    head, first, second, times = told.splitlines()
    assert head.split() == ["Game", "State", "Next", "due", "Waiting", "for"]
    assert re.match(r"a-name-of-forty\S*…  Set-up +(overdue|\w{3} \d+ Nov \d\d:\d\d) +Bene Gesserit: the pr.*…$", first)
    assert re.match(r"paused +Set-up +Paused since Tue 26", second)
    assert times == "Times are UTC."


def test_a_held_game_and_one_on_hold_are_listed_as_such(mentat: Mentat, place: World) -> None:
    place.new_game(factions=FEW)
    with writing(place.engine) as conn:
        conn.execute(update(GAMES).values(status="held"))
    assert "Stopped: the installed rules would play it differently" in mentat("game", "list").out
    with writing(place.engine) as conn:
        conn.execute(update(GAMES).values(status="running", on_hold=START))
    assert "On hold since Tue 26 Nov 20:00" in mentat("game", "list").out
    assert "on hold since" in mentat("game", "show", GAME).out


def test_the_list_for_programs_is_as_it_was(mentat: Mentat, begun: World) -> None:
    assert mentat("game", "list", "--json").json == [
        {"game": GAME, "ruleset": "wbc-2018", "status": "running", "turn": 1, "phase": "bidding", "winner": []}
    ]


def test_the_desk_is_shown_in_words_and_as_json(mentat: Mentat, begun: World) -> None:
    clocks.pause(DeskRequest(begun.moderator.open_games, GAME, begun.now))
    told = mentat("desk").out
    read_as_a_person_reads(told)
    assert "FOR YOU TO DO" in told
    assert "MB are free" in told
    document = mentat("desk", "--json").json
    assert document.keys() == {"now", "matters", "games", "outbox", "machine"}
    assert document["matters"][0]["kind"] == "paused"
    assert document["games"][0].keys() >= {"game", "status", "turn", "phase", "waits_for", "next_due"}
    assert document["machine"]["database_bytes"] > 0


def test_until_when_the_sheets_of_a_round_are_asked_for_is_said_while_it_is_to_come(place: World) -> None:
    place.silent_game("charity", ruleset="wbc-2018", tempo="steady")
    due = place.table().call_due
    assert due is not None
    for now, said in ((due - timedelta(minutes=1), True), (due, False)):
        table = place.table()
        told = as_text(game_page(table, "public", place.settings, now))
        assert ("Sheets for the bidding round are due by" in " ".join(told.split())) == said


def test_a_call_that_everybody_has_answered_is_not_waited_for(place: World) -> None:
    place.silent_game("charity", ruleset="wbc-2018", tempo="steady")
    factions = list(place.table().seats)
    for answered, faction in enumerate(factions):
        with reading(place.engine) as conn:
            [game] = every_game(conn)
            page = as_text(game_page(place.table(), "gm", place.settings, place.now))
        assert (game.call_due is not None, "Sheets for the bidding round" in page) == (True, True), answered
        place.say(faction, "waive reactions until movement")
    with reading(place.engine) as conn:
        [game] = every_game(conn)
        page = as_text(game_page(place.table(), "gm", place.settings, place.now))
    assert game.call_due is None or not game.call.endswith(".bidding")
    assert "Sheets for the bidding" not in page


def test_bribes_that_wait_for_the_mentat_pause_are_shown(mentat: Mentat, place: World) -> None:
    place.new_game("ah-basic", factions=FEW, spice_transfer_timing="mentat_pause_escrow")
    place.silence_until("bidding")
    assert "in front of shields" not in " ".join(mentat("game", "show", GAME).out.split())
    place.say("guild", "deal with harkonnen: leave me Tuek's Sietch; I pay 3")
    place.say("harkonnen", "accept")
    told = mentat("game", "show", GAME).out
    assert "Spice in front of shields until the Mentat Pause: 3 for Harkonnen from Guild." in " ".join(told.split())
    read_as_a_person_reads(told)


def test_what_is_wrong_stands_in_one_line_and_says_so_to_programs(mentat: Mentat, place: World) -> None:
    place.new_game(factions=FEW)
    ran = mentat("health")
    assert (ran.code, ran.err, len(ran.out.splitlines())) == (1, "", 1)
    assert ran.out.startswith("wrong: main loop: `mentat run` has never run here; mailbox: it has never been read; ")
    told = mentat("health", "--json")
    assert told.code == 1
    assert [told.json[name] for name in ("well", "ready", "live")] == [False, True, False]
    findings = {each["about"]: each for each in told.json["findings"]}
    assert {about for about, each in findings.items() if each["state"] == "wrong"} == {
        "main loop", "mailbox", "outbox", "deadlines",
    }  # fmt: skip
    assert findings["outbox"]["letters"] == place.written()


def test_a_line_is_printed_as_it_is_however_long_and_whatever_stands_in_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f"[bold]sietch-12[/bold] [red] 12 of 'them' {'spice ' * 80}."
    for page in (session.console, session.errors):
        monkeypatch.setattr(page, "_width", 40)
        monkeypatch.setattr(page, "_force_terminal", True)
    session.print_line(line)
    session.print_aside(line, style="red")
    printed = capsys.readouterr()
    assert printed.out == f"{line}\n", "in no colours, as nothing says that they matter"
    assert re.sub(r"\x1b\[[0-9;]*m", "", printed.err) == f"{line}\n"
