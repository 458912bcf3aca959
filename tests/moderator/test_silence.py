"""Silence by mail: strikes and the caretaker, absences, extensions, the time bank, reminders over several games."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from bot.desk import clocks
from bot.desk.game_view import json_view
from bot.desk.powers import DeskRequest
from bot.desk.seats import replace_player, set_caretaker
from bot.games import silent_players
from bot.games.open_games import Session
from bot.games.requests import answer_request
from bot.language.commands import Resign
from bot.store.acts import acts_of
from bot.store.database import reading
from bot.table.press import said_at
from bot.table.rounds import is_duty
from rules.components import FACTIONS, Faction
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, START, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "emperor", "guild")


def words(text: str) -> str:
    return " ".join(text.split())


def told(world: World, to: str, text: str, since: int = 0) -> int:
    """Return the number of letters that contain `text`."""
    return sum(text in words(letter.text) for letter in world.letters(to)[since:])


def dues(world: World, game: str = GAME) -> dict[Faction, set[datetime]]:
    """Map each faction to the due times of its public duties at the open stop."""
    table = world.table(game)
    found: dict[Faction, set[datetime]] = {}
    for question in table.play.asked():
        if is_duty(table, question) and (due := table.due(question)):
            found.setdefault(question.faction, set()).add(due)
    return found


def answer_all(world: World, but: Iterable[Faction], game: str = GAME) -> None:
    """Answer all public duties for everybody but these factions, until the game waits only for them."""
    for _ in range(200):
        table = world.table(game)
        questions = [q for q in table.play.questions() if q.faction not in but and is_duty(table, q)]
        if not questions:
            return
        world.say(questions[0].faction, world.line(questions[0].faction, questions[0].kind, game=game), game=game)


def play_on(world: World, silent: Faction, until: int) -> None:
    """Let the others play until `silent` has missed `until` deadlines for public duties."""
    for _ in range(80):
        if world.table().seats[silent].missed >= until or world.table().seats[silent].care:
            return
        answer_all(world, (silent,))
        world.wait(24)
    raise AssertionError("they were never asked so often")


# --- the caretaker -------------------------------------------------------------------------------------------------


def test_after_three_missed_deadlines_the_caretaker_takes_the_seat_and_everybody_is_told(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    play_on(world, "emperor", 2)
    assert not world.table().seats["emperor"].care
    play_on(world, "emperor", 3)
    assert world.table().seats["emperor"].care
    for faction in FEW:
        assert told(world, faction, "The caretaker now plays for Emperor") == 1
    assert told(world, GAME_MASTER, "sietch-12: replace emperor NEW@ADDRESS") == 1
    assert not [q for q in world.table().play.questions() if q.faction == "emperor"]


def test_reports_and_game_show_name_the_seats_that_the_caretaker_plays(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    hands = "Played by the caretaker: Emperor."
    play_on(world, "emperor", 3)
    answer_all(world, ())
    world.wait(24)
    reports = [
        " ".join(letter.text.split())
        for letter in world.letters("guild")
        if letter.message["Auto-Submitted"] != "auto-replied"
    ]
    assert hands in reports[-1]
    assert hands not in reports[0]
    players = json_view(world.table(), "public", world.settings)["players"]
    assert {faction for faction, player in players.items() if player["caretaker"]} == {"emperor"}


def test_an_order_takes_the_seat_back_from_the_caretaker(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    play_on(world, "emperor", 3)
    world.say("emperor", "status")
    assert world.table().seats["emperor"].care
    world.say("emperor", "bid 4")
    seat = world.table().seats["emperor"]
    assert (seat.care, seat.missed) == (False, 0)
    assert told(world, "guild", "The player of Emperor is back and playing again.") == 1


def test_an_answer_wipes_out_missed_deadlines(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    play_on(world, "emperor", 2)
    for _ in range(4):
        answer_all(world, ())
        world.wait(24)
    assert world.table().seats["emperor"].missed == 0


# --- the vote on who plays a seat in care ----------------------------------------------------------------------------


def a_seat_in_care(world: World, press: str = "open") -> None:
    """Start a game in which the caretaker plays the silent Emperor."""
    world.new_game("wbc-2018", factions=(*FEW, "harkonnen"), press=press)
    set_caretaker(DeskRequest(world.moderator.open_games, GAME, world.now), "emperor", True)


def answer_to(world: World, faction: Faction, line: str) -> str:
    world.say(faction, line)
    return words(world.letters(faction)[-1].text)


@pytest.mark.parametrize("line", ["let Mentat play the Emperor", "caretaker emperor steady"])
def test_the_players_let_an_opponent_play_a_silent_seat(world: World, line: str) -> None:
    a_seat_in_care(world)
    assert "We are asking the others" in answer_to(world, "guild", line)
    assert told(world, "guild", "A player proposes") == told(world, "emperor", "A player proposes") == 0
    asked = world.letters("harkonnen")[-1]
    assert "A player proposes that Mentat should play Emperor to win from now on (steady)" in words(asked.text)
    assert "caretaker%20Emperor%20steady" in asked.html
    assert "caretaker%20Emperor%20no" in asked.html
    assert not world.table().seats["emperor"].opponent
    world.say("harkonnen", "caretaker emperor steady")
    assert world.table().seats["emperor"].opponent == "steady"
    for faction in world.table().seats:
        assert told(world, faction, "The players have voted. From now on Mentat plays Emperor to win (steady)") == 1
    assert not [q for q in world.table().play.questions() if q.faction == "emperor"]
    with reading(world.engine) as conn:
        assert acts_of(conn, game_id=GAME)[-1].told == "emperor steady, by vote of the players"


def test_silence_is_no_and_a_majority_against_ends_the_vote(world: World) -> None:
    a_seat_in_care(world)
    world.say("guild", "caretaker emperor sharp")
    world.wait(30)
    assert told(world, "harkonnen", "The players did not agree") == 1
    world.say("harkonnen", "caretaker emperor sharp")
    for faction in ("guild", "atreides"):
        world.say(faction, "caretaker emperor no")
    assert told(world, "emperor", "The players did not agree") == 2
    assert (world.table().seats["emperor"].opponent, world.table().press) == ("", "open")


def test_nobody_learns_who_voted_or_how(world: World) -> None:
    """In two games, different players propose and agree; the others' letters are the same."""
    texts = []
    for number, (first, second) in enumerate((("guild", "atreides"), ("atreides", "guild"))):
        game = f"sietch-{number}"
        world.new_game("wbc-2018", factions=(*FEW, "harkonnen"), game=game)
        set_caretaker(DeskRequest(world.moderator.open_games, game, world.now), "emperor", True)
        since = len(world.letters("harkonnen"))
        world.say(first, "caretaker emperor steady", game=game)
        world.say(second, "caretaker emperor steady", game=game)
        found = [words(letter.text).replace(game, "GAME") for letter in world.letters("harkonnen")[since:]]
        texts.append([text.partition("At this point")[0] for text in found if "Who plays" in text])
    assert texts[0]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("voter", "line", "reason"),
    [
        ("guild", "caretaker harkonnen steady", "is played by its own player"),
        ("guild", "caretaker emperor careful", "already playing"),
        ("guild", "caretaker emperor no", "No vote about Emperor is open"),
        ("emperor", "caretaker emperor steady", "so you have no vote"),
        ("guild", "caretaker fremen steady", "has no seat"),
    ],
)
def test_a_vote_is_about_a_seat_in_care(world: World, voter: Faction, line: str, reason: str) -> None:
    a_seat_in_care(world)
    assert reason in answer_to(world, voter, line)
    assert world.table().press == "open"


def test_a_vote_is_about_one_change_at_a_time(world: World) -> None:
    a_seat_in_care(world)
    world.say("guild", "caretaker emperor steady")
    assert "Another vote about Emperor is open (steady)" in answer_to(world, "atreides", "caretaker emperor sharp")
    assert "Your no counts" in answer_to(world, "guild", "caretaker emperor no")
    assert "Your yes counts" in answer_to(world, "guild", "caretaker emperor steady")


def vote_letter(world: World, faction: Faction) -> EmailMessage:
    return next(one.message for one in reversed(world.letters(faction)) if "A player proposes" in words(one.text))


def reply(world: World, faction: Faction, about: EmailMessage, *lines: str) -> str:
    """Answer a letter after restarting Mentat; return what Mentat writes back."""
    world.moderator.open_games.forget()
    heard = len(world.letters(faction))
    raw = world.mail(faction, *lines, In_Reply_To=str(about["Message-ID"]))
    world.moderator.deliver(raw, world.now)
    return " ".join(words(letter.text) for letter in world.letters(faction)[heard:])


@pytest.mark.parametrize("press", ["open", "gunboat,slots=0"])
@pytest.mark.parametrize(
    ("line", "passes"),
    [("yes", True), ("Yes, please.", True), ("ja", True), ("no", False), ("No thanks!", False), ("nein", False)],
)
def test_a_bare_yes_or_no_answers_the_letter_about_a_vote(world: World, press: str, line: str, *, passes: bool) -> None:
    a_seat_in_care(world, press)
    world.say("guild", "caretaker emperor steady")
    letters = {faction: vote_letter(world, faction) for faction in ("atreides", "harkonnen")}
    reply(world, "atreides", letters["atreides"], line)
    if not passes:
        assert "Your no counts" in words(world.letters("atreides")[-1].text)
        reply(world, "harkonnen", letters["harkonnen"], line)
    assert world.table().seats["emperor"].opponent == ("steady" if passes else "")
    assert told(world, "guild", "The players have voted" if passes else "The players did not agree") == 1
    assert told(world, "guild", "Atreides voted") == 0


def test_a_yes_counts_only_for_the_vote_of_its_letter(world: World) -> None:
    a_seat_in_care(world)
    world.say("guild", "caretaker emperor steady")
    letter = vote_letter(world, "harkonnen")
    assert "Who plays" not in reply(world, "harkonnen", world.letters("harkonnen")[0].message, "yes")
    world.wait(30)
    assert told(world, "harkonnen", "The players did not agree") == 1
    reply(world, "harkonnen", letter, "yes")
    assert not said_at(world.table()).votes
    world.say("guild", "caretaker emperor sharp")
    reply(world, "harkonnen", letter, "yes")  # that letter was about another change
    assert not world.table().seats["emperor"].opponent
    reply(world, "harkonnen", vote_letter(world, "harkonnen"), "yes")
    assert world.table().seats["emperor"].opponent == "sharp"


def test_an_order_beside_a_yes_is_an_order_and_the_yes_a_vote(world: World) -> None:
    a_seat_in_care(world)
    world.say("guild", "caretaker emperor steady")
    order = world.line("harkonnen", "traitor")
    reply(world, "harkonnen", vote_letter(world, "harkonnen"), "yes", "", order)
    assert world.table().seats["emperor"].opponent == "steady"
    assert not [q for q in world.table().play.questions() if q.faction == "harkonnen" and q.kind == "traitor"]


def test_a_player_who_comes_back_is_told_of_the_vote(world: World) -> None:
    a_seat_in_care(world)
    for faction in ("guild", "harkonnen"):
        world.say(faction, "caretaker emperor steady")
    since = len(world.letters("emperor"))
    world.say("emperor", "I am back")
    assert (
        told(
            world, "emperor", "Until now Mentat played this seat to win (steady), because the players had voted", since
        )
        == 1
    )
    assert (world.table().seats["emperor"].care, world.table().press) == (False, "open")


def test_the_players_can_vote_the_caretaker_back(world: World) -> None:
    a_seat_in_care(world)
    for how in ("steady", "careful"):
        for faction in ("guild", "harkonnen"):
            world.say(faction, f"caretaker emperor {how}")
    assert (world.table().seats["emperor"].opponent, world.table().seats["emperor"].care) == ("", True)
    assert told(world, "atreides", "From now on the caretaker plays Emperor cautiously (careful)") == 1


def test_a_vote_lapses_when_the_player_is_back_and_a_successor_learns_of_one_that_passed(world: World) -> None:
    a_seat_in_care(world)
    world.say("guild", "caretaker emperor steady")
    world.say("emperor", "I am back")
    assert "its own player" in answer_to(world, "harkonnen", "caretaker emperor steady")
    desk = DeskRequest(world.moderator.open_games, GAME, world.now)
    set_caretaker(desk, "emperor", True)
    for faction in ("guild", "harkonnen"):
        world.say(faction, "caretaker emperor steady")
    replace_player(desk, "emperor", "ann@players.example")
    briefing = next(letter for letter in world.letters() if letter.recipient == "ann@players.example")
    assert "because the players had voted for it" in words(briefing.text)
    assert world.table().press == "open"


def test_where_all_are_silent_nobody_gets_a_caretaker(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    for _ in range(12):
        world.wait(24)
    assert all(seat.missed >= 2 and not seat.care for seat in world.table().seats.values())


def test_a_caretaker_can_be_ruled_out(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\ncaretaker_after = 0\n")
    world.new_game("wbc-2018", factions=FEW)
    play_on(world, "emperor", 5)
    assert not world.table().seats["emperor"].care


def test_a_window_left_to_silence_is_no_missed_deadline(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    for _ in range(40):
        questions = world.table().play.questions()
        if questions and all(q.blanket for q in questions):
            before = {f: seat.missed for f, seat in world.table().seats.items()}
            world.wait(24)
            assert {f: seat.missed for f, seat in world.table().seats.items()} == before
            return
        answer_all(world, ())
        if world.table().play.questions() and not all(q.blanket for q in world.table().play.questions()):
            world.wait(24)
    raise AssertionError("no window was ever open alone")


def test_who_resigns_keeps_their_seat_until_the_game_master_finds_somebody(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    world.say("guild", "resign")
    assert not world.table().seats["guild"].care
    assert told(world, GAME_MASTER, "sietch-12: replace guild NEW@ADDRESS") == 1


def test_the_caretaker_may_take_the_seat_of_who_resigns_at_once(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\ncaretaker_on_resignation = true\n")
    world.new_game("wbc-2018", factions=FEW)
    world.say("guild", "resign")
    assert world.table().seats["guild"].care
    assert "guild" not in world.asked()
    assert told(world, "atreides", "Guild has resigned. Until somebody takes the seat") == 1


def test_who_resigns_while_the_caretaker_plays_changes_nothing_for_the_table(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\ncaretaker_on_resignation = true\n")
    world.new_game("wbc-2018", factions=FEW)
    world.say("guild", "resign")
    before = len(world.letters("atreides"))
    world.say("guild", "resign")
    assert "the caretaker will play for you; to play again, send an order, or write that you are back." in words(
        world.newest("guild").text
    )
    assert world.table().seats["guild"].care
    assert len(world.letters("atreides")) == before
    assert told(world, GAME_MASTER, "sietch-12: replace guild NEW@ADDRESS") == 2


def test_who_resigns_is_told_that_the_caretaker_plays_for_them_already(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    play_on(world, "guild", 3)
    world.say("guild", "resign")
    told_to_them = words(world.newest("guild").text)
    assert world.table().seats["guild"].care
    assert "the caretaker will play for you; to play again, send an order, or write that you are back." in told_to_them
    assert "your deadlines stand" not in told_to_them


def test_the_caretaker_has_the_seat_of_who_resigns_though_no_answer_is_written_to_them(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\ncaretaker_on_resignation = true\n")
    world.new_game("wbc-2018", factions=FEW)
    open_games = world.moderator.open_games
    with open_games.transaction(GAME) as (conn, table):
        answer_request(Session(conn, open_games, world.now), table, "guild", Resign())
    open_games.forget()
    assert world.table().seats["guild"].care


# --- absence -------------------------------------------------------------------------------------------------------


def test_what_falls_due_while_a_player_is_away_waits_until_they_are_back(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "absent 2024-11-27 to 2024-11-29")
    back = datetime.fromisoformat("2024-11-30T23:59:00+00:00")
    assert dues(world) == {"atreides": {START + timedelta(hours=24)}, "guild": {back},
                           "emperor": {START + timedelta(hours=24)}}  # fmt: skip
    world.wait(24)
    assert world.asked() == {"guild": ["traitor"]}
    assert world.wait(24 * 3) == 0
    assert world.wait(4) == 1


def test_what_comes_up_while_they_are_away_waits_too(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    world.say("guild", "absent 2024-11-28 to 2024-12-02")
    first_day, back = (datetime.fromisoformat(f"2024-{day}:00+00:00") for day in ("11-28T00:00", "12-03T23:59"))
    for _ in range(40):
        due = min(dues(world).get("guild", {START}))
        if due >= first_day:
            break
        answer_all(world, ("guild",) if due == START else ())
        world.wait(12)
    assert world.now < first_day + timedelta(days=4)
    assert due == back


def test_the_others_are_told_that_somebody_is_away_but_not_who(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "absent 2024-11-28 to 2024-11-29")
    notice = world.newest("atreides")
    assert "One of the players is away from 28 Nov to 29 Nov" in words(notice.text)
    assert "guild" not in notice.text.lower().replace("guild@players.example", "")
    assert "you will be away from 28 Nov to 29 Nov" in words(world.newest("guild").text)
    assert "Guild will be away from 28 Nov to 29 Nov" in words(world.newest(GAME_MASTER).text)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("absent 2024-11-29 to 2024-11-28", "the wrong way round"),
        ("absent 2024-11-01 to 2024-11-29", "is in the past"),
        ("absent 2025-11-01 to 2025-11-03", "more than 60 days away"),
        ("absent 2024-12-01 to 2024-12-20", "you have 14 days of absence left"),
        ("absent 2024-12-01", "absent DATE to DATE"),
    ],
)
def test_an_absence_that_cannot_be_is_refused_with_the_reason(world: World, line: str, reason: str) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters("atreides"))
    world.say("guild", line)
    assert reason in words(world.newest("guild").text)
    assert len(world.letters("atreides")) == before
    assert world.table().absences == {}


@pytest.mark.parametrize("line", ["absent 2024-12-05 to 2024-12-06", "absent 2024-11-30 to 2024-12-01"])
def test_no_day_is_in_two_absences(world: World, line: str) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "absent 2024-12-01 to 2024-12-05")
    world.say("guild", line)
    assert len(world.table().absences["guild"]) == 1
    world.say("guild", "absent 2024-12-06 to 2024-12-07")
    assert len(world.table().absences["guild"]) == 2


def test_days_of_absence_run_out_and_come_back_when_they_are_taken_back(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "absent 2024-12-01 to 2024-12-10")
    world.say("guild", "absent 2024-12-15 to 2024-12-20")
    assert "that is 6 days, but you have 4 days" in words(world.newest("guild").text).lower()
    world.say("guild", "absent 2024-12-09 to 2024-12-11")
    assert "You have already announced an absence from 1 Dec to 10 Dec" in words(world.newest("guild").text)
    world.say("guild", "cancel absent 2024-12-01 to 2024-12-10")
    assert "send: no absence" in words(world.newest("guild").text)
    world.say("guild", "no absence")
    assert world.table().seats["guild"].away == 0
    assert world.table().absences == {}
    assert told(world, "atreides", "The absence from 1 Dec to 10 Dec is cancelled") == 1
    assert told(world, GAME_MASTER, "will not be away after all (1 Dec to 10 Dec), and has 14 days of absence") == 1
    world.say("guild", "no absence")
    assert "no absence to cancel" in words(world.newest("guild").text)


# --- more time -----------------------------------------------------------------------------------------------------


def test_an_extension_moves_the_deadlines_of_all_and_tells_nobody_who_asked(world: World) -> None:
    world.new_game(factions=FEW)
    before = {faction: len(world.letters(faction)) for faction in FEW}
    world.say("guild", "extend 24")
    assert set().union(*dues(world).values()) == {START + timedelta(hours=48)}
    for faction in ("atreides", "emperor"):
        (notice,) = world.letters(faction)[before[faction] :]
        assert "Every open deadline is extended by 24 hours: Thu 28 Nov 20:00" in words(notice.text)
        assert "guild" not in notice.text.lower()
    assert "48 hours of extension left" in words(world.newest("guild").text)
    assert len(world.letters("guild")) == before["guild"] + 1
    assert world.wait(24) == 0
    assert world.wait(24) == 1


def test_the_notice_of_an_extension_names_the_first_of_several_deadlines(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "absent 2024-11-27 to 2024-11-29")
    world.say("emperor", "extend 24")
    due = dues(world)
    assert due["atreides"] == due["emperor"] == {START + timedelta(hours=48)}
    assert min(due["guild"]) > START + timedelta(hours=48)
    for faction in FEW:
        assert "Thu 28 Nov 20:00" in words(world.newest(faction).text)


def test_the_same_notice_comes_whoever_asks_for_time(world: World, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = World.at(tmp_path / "other")
    askers: tuple[Faction, ...] = ("guild", "emperor")
    for each, asker in zip((world, other), askers, strict=True):
        each.new_game(factions=FEW)
        each.say(asker, "extend 24", "absent 2024-12-02 to 2024-12-05")
    one, two = ([letter.message.as_bytes() for letter in each.letters("atreides")] for each in (world, other))
    assert one == two
    other.engine.dispose()


def test_beyond_the_allowance_the_game_master_decides(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "extend 40", "extend 40")
    assert set().union(*dues(world).values()) == {START + timedelta(hours=64)}
    assert told(world, GAME_MASTER, "To grant them: extend 40") == 1
    world.say("guild", "extend 0")
    assert "Write how many hours you need" in words(world.newest("guild").text)


@pytest.mark.parametrize(
    ("asked", "given"),
    [((48,), 48), ((49,), 0), ((48, 24), 72), ((48, 25), 48), ((48, 24, 1), 72), ((1,), 1), ((40, 33, 32), 72)],
)
def test_an_extension_is_at_most_two_days_at_once_and_what_is_left_of_three(
    world: World, asked: tuple[int, ...], given: int
) -> None:
    world.new_game(factions=FEW)
    for hours in asked:
        world.say("guild", f"extend {hours}")
    assert set().union(*dues(world).values()) == {START + timedelta(hours=24 + given)}
    assert world.table().seats["guild"].extended == given


def test_who_has_had_more_than_an_allowance_that_was_made_smaller_has_nothing_left(tmp_path: Path) -> None:
    generous = World.at(tmp_path)
    generous.new_game(factions=FEW)
    generous.say("guild", "extend 48")
    due = dues(generous)
    generous.engine.dispose()
    world = World.at(tmp_path, CONFIG + "[clock]\nextension_hours = 24\n")
    world.say("guild", "extend 1")
    assert "You can take at most 48 hours at once, and you have 0 hours of extension left" in words(
        world.newest("guild").text
    )
    assert (dues(world), world.table().seats["guild"].extended) == (due, 48)


def test_nothing_is_extended_while_the_clocks_stand_still(world: World) -> None:
    world.new_game(factions=FEW)
    clocks.pause(DeskRequest(world.moderator.open_games, GAME, world.now))
    due, before = dues(world), len(world.letters("atreides"))
    assert world.say("guild", "extend 24").taken == 0
    assert "The clocks of this game are stopped, so there is nothing to extend." in words(world.newest("guild").text)
    assert (dues(world), world.table().seats["guild"].extended) == (due, 0)
    assert len(world.letters("atreides")) == before


def test_a_window_alone_is_not_extended(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    for _ in range(40):
        questions = world.table().play.asked()
        if questions and all(q.blanket for q in questions):
            break
        answer_all(world, ())
        if not all(q.blanket for q in world.table().play.asked()):
            world.wait(24)
    due = {world.table().due(q) for q in world.table().play.asked()}
    before = len(world.letters("atreides"))
    world.say("guild", "extend 24")
    assert {world.table().due(q) for q in world.table().play.asked()} == due
    assert len(world.letters("atreides")) == before
    assert "windows for reactions cannot be extended" in words(world.newest("guild").text)


# --- the time bank -------------------------------------------------------------------------------------------------


@pytest.fixture
def banking(tmp_path: Path) -> World:
    folder = tmp_path / "banking"
    folder.mkdir()
    return World.at(folder, CONFIG + "[clock]\nbank_hours = 10\n")


def test_a_time_bank_runs_in_waking_hours_before_silence_answers(banking: World) -> None:
    banking.new_game(factions=FEW)
    assert banking.say("guild", "waking 8:00 to 22:00").taken == 1
    for faction in ("atreides", "emperor"):
        banking.say(faction, banking.line(faction, "traitor"))
    assert banking.wait(24) == 0  # at 20:00, two hours of this day are left
    assert dues(banking)["guild"] == {START + timedelta(hours=24 + 2 + 10 + 8)}
    assert "Your time bank of 10 hours is now running, between 08:00 and 22:00" in words(banking.newest("guild").text)
    assert banking.wait(19.9) == 0
    assert banking.wait(0.1) == 1
    assert banking.table().seats["guild"].bank == 0
    assert banking.table().seats["guild"].missed == 1


def test_a_bank_with_narrow_waking_hours_runs_eight_hours_a_day_and_its_player_is_warned(banking: World) -> None:
    banking.new_game(factions=FEW)
    banking.say("guild", "waking 8:00 to 9:00")
    assert "A time bank runs at least 8 hours a day" in words(banking.newest("guild").text)
    assert "yours runs between 08:00 and 16:00" in words(banking.newest("guild").text)
    answer_all(banking, ["guild"])
    banking.wait(24)
    assert dues(banking)["guild"] == {START + timedelta(hours=24 + 12 + 8 + 16 + 2)}
    assert "between 08:00 and 16:00" in words(banking.newest("guild").text)


def test_what_was_used_is_taken_off_the_bank_and_the_rest_is_shown_to_all(banking: World) -> None:
    banking.new_game(factions=FEW)
    for faction in ("atreides", "emperor"):
        banking.say(faction, banking.line(faction, "traitor"))
    banking.wait(24)
    banking.wait(3.5)
    banking.say("guild", banking.line("guild", "traitor"))
    assert banking.table().seats["guild"].bank == 60 * 10 - 210
    since = len(banking.letters("atreides")) - 1
    assert told(banking, "atreides", "time bank", since) == 1
    assert told(banking, "atreides", "6 h", since) == 1
    assert told(banking, "atreides", "10 h", since) == 1


def test_a_balance_does_not_show_who_has_answered_while_others_are_still_asked(banking: World) -> None:
    banking.new_game(factions=FEW)
    banking.wait(24)
    banking.wait(1)
    banking.say("guild", banking.line("guild", "traitor"))
    assert banking.table().seats["guild"].bank == 60 * 10
    banking.wait(2)
    banking.say("atreides", banking.line("atreides", "traitor"))
    banking.say("emperor", banking.line("emperor", "traitor"))
    left = {faction: seat.bank for faction, seat in banking.table().seats.items()}
    assert left == {"guild": 540, "atreides": 420, "emperor": 420}


def test_a_pause_costs_nobody_anything_of_their_bank(banking: World) -> None:
    banking.new_game(factions=FEW)
    for faction in ("atreides", "emperor"):
        banking.say(faction, banking.line(faction, "traitor"))
    banking.wait(24)
    banking.wait(1)
    clocks.pause(DeskRequest(banking.moderator.open_games, GAME, banking.now))
    banking.wait(100)
    clocks.resume(DeskRequest(banking.moderator.open_games, GAME, banking.now))
    assert banking.wait(1) == 0
    banking.say("guild", banking.line("guild", "traitor"))
    assert banking.table().seats["guild"].bank == 60 * 8


# --- the player's own clock ----------------------------------------------------------------------------------------


def test_a_player_sets_the_clock_of_their_letters(world: World) -> None:
    world.new_game(factions=FEW)
    assert world.say("guild", "timezone America/New_York").taken == 1
    assert "Wed 27 Nov 15:00 New York time" in words(world.newest("guild").text)
    assert "Wed 27 Nov 20:00 UTC" in words(world.letters("atreides")[0].text)


# --- reminders -----------------------------------------------------------------------------------------------------


def two_games(world: World) -> None:
    """Start two games with the same players, the second one three hours later."""
    world.new_game(factions=FEW)
    world.now += timedelta(hours=3)
    world.new_game(factions=FEW, game="tabr")


def test_one_reminder_for_all_games_of_a_person(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\nreminder_hours = [6, 2]\n")
    two_games(world)
    before = len(world.letters(address_of("guild")))
    world.wait(15)
    world.wait(3)
    (reminder,) = world.letters(address_of("guild"))[before:]
    assert reminder.subject == "2 games are waiting: which traitor is yours? by Wed 20:00 (reminder)"
    first, second = (world.token("guild", game) for game in (GAME, "tabr"))
    assert reminder.message["Reply-To"] is not None
    assert first in str(reminder.message["Reply-To"])
    assert second in reminder.text
    assert f"mentat%2B{second}" in reminder.html
    assert f"mentat%2B{first}" in reminder.html


def test_reminders_become_more_urgent_and_end_with_the_answer(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\nreminder_hours = [12, 6, 2]\n")
    world.new_game(factions=FEW)
    before = len(world.letters("guild"))
    for _ in range(17):
        world.wait(1)
    world.say("atreides", world.line("atreides", "traitor"))
    answered = len(world.letters("atreides"))
    for _ in range(6):
        world.wait(1)
    subjects = [letter.subject for letter in world.letters("guild")[before:]]
    assert [subject.partition("(")[2] for subject in subjects] == ["reminder)", "reminder)", "last reminder)"]
    assert len(world.letters("atreides")) == answered


def test_whoever_reminds_before_it_is_time_writes_nothing_and_says_so(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters())
    assert not silent_players.remind_person(world.moderator.open_games, [(GAME, "guild")], world.now)
    assert len(world.letters()) == before
    assert silent_players.remind_person(world.moderator.open_games, [(GAME, "guild")], world.now + timedelta(hours=23))
    assert len(world.letters()) == before + 1


def test_a_reply_to_the_reminder_is_an_answer_in_the_most_urgent_game(world: World) -> None:
    two_games(world)
    world.wait(16)
    reminder = world.newest(address_of("guild"))
    mail = world.mail("guild", world.line("guild", "traitor"), to=str(reminder.message["Reply-To"]))
    assert world.moderator.deliver(mail, world.now).game_id == GAME


def test_who_answered_in_one_game_is_reminded_of_the_other_alone(world: World) -> None:
    two_games(world)
    world.say("guild", world.line("guild", "traitor"))
    before = len(world.letters(address_of("guild")))
    world.wait(16)
    assert len(world.letters(address_of("guild"))) == before
    world.wait(3)
    (reminder,) = world.letters(address_of("guild"))[before:]
    assert reminder.subject.startswith("[tabr] which traitor is yours?")


def test_nobody_is_reminded_of_a_window(world: World) -> None:
    world.new_game("wbc-2018", factions=FACTIONS)
    for _ in range(40):
        questions = world.table().play.questions()
        if questions and all(q.blanket for q in questions):
            break
        answer_all(world, ())
        if not all(q.blanket for q in world.table().play.questions()):
            world.wait(24)
    before = len(world.letters())
    world.wait(23)
    assert len(world.letters()) == before
