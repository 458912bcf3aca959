"""Tests that timing in an anonymous game does not reveal its players: neither time zones, sleep and absences, nor their
remaining time banks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import clocks, seats, speech
from bot.desk.game_view import game_page, json_view
from bot.desk.powers import DeskRequest
from bot.render.text import as_text
from bot.service.loop import poll
from bot.service.mail_servers import open_mailbox
from bot.store import deadlines
from bot.store.database import reading
from bot.store.retention import MessageFilter, list_messages
from rules.components import FACTIONS, Faction
from tests.moderator.table import FOLDS, GAME, World
from tests.moderator.twins import Twins
from tests.secrecy.silent_games import onlookers

BANKS = FOLDS + "[clock]\nbank_hours = 6\n"
Does = Callable[[World], object]
Pair = Callable[..., Twins]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    """Yield a function for two copies of a game in which only the first faction has a public question."""
    made: list[Twins] = []

    def twins(press: str = "open,gunboat,slots=0", phase: str = "bidding") -> Twins:
        (tmp_path / "first").mkdir()
        world = World.at(tmp_path / "first", FOLDS)
        world.new_game("wbc-2018", press=press)
        world.silence_until(phase)
        with world.moderator.open_games.transaction(GAME) as (_, table):
            for seat in table.seats.values():
                seat.bank = 360
                table.touched.add(seat.faction)
        made.append(Twins(world, tmp_path, "twins", BANKS))
        world.engine.dispose()
        return made[-1]

    yield twins
    for each in made:
        each.close()


def request(world: World) -> DeskRequest:
    return DeskRequest(world.moderator.open_games, GAME, world.now)


def both(twins: Twins, does: Does) -> None:
    for world in (twins.one, twins.other):
        does(world)


def who_owes(world: World) -> Faction:
    return next(q.faction for q in world.table().play.asked() if q.public and not q.blanket)


def apart(twins: Twins, party: Faction, hours: int = 72) -> list[str]:
    """Return all differences that others could see, now and as time passes."""
    found = list(twins.differences(onlookers(party)))
    for _ in range(hours // 6):
        both(twins, lambda world: world.wait(6))
        found += twins.differences(onlookers(party))
    return found


def days(world: World, first: int, last: int) -> str:
    return f"absent {(world.now + timedelta(days=first)).date()} to {(world.now + timedelta(days=last)).date()}"


def test_days_of_absence_do_not_tell_where_somebody_lives(pair: Pair) -> None:
    twins = pair()
    owes = who_owes(twins.one)
    for world, zone in ((twins.one, "Asia/Kolkata"), (twins.other, "Pacific/Honolulu")):
        world.say(owes, f"timezone {zone}")
        assert world.say(owes, days(world, 1, 2)).taken == 1
    assert apart(twins, owes, 96) == []


def test_an_absence_is_announced_without_its_days_and_no_deadline_shows_them(pair: Pair) -> None:
    twins = pair()
    owes = who_owes(twins.one)
    other = next(faction for faction in FACTIONS if faction != owes)
    for world, last in ((twins.one, 2), (twins.other, 3)):
        assert world.say(owes, days(world, 1, last)).taken == 1
        assert "will be away for some days" in " ".join(world.newest(other).text.split())
        world.wait(3)
        world.say(other, "status")
        assert "takes longer than usual" in " ".join(world.newest(other).text.split())
    assert apart(twins, owes, 36) == []


def test_a_pause_does_not_bring_the_moved_deadline_to_light(pair: Pair) -> None:
    twins = pair()
    owes = who_owes(twins.one)
    for world, last in ((twins.one, 2), (twins.other, 3)):
        world.say(owes, days(world, 1, last))
        clocks.pause(request(world))
        world.wait(5)
        clocks.resume(request(world))
        clocks.extend(request(world), 2)
    assert apart(twins, owes, 36) == []


def test_more_time_for_one_seat_tells_others_neither_whose_nor_how_much(pair: Pair) -> None:
    twins = pair("open,gunboat,slots=0", "setup")
    predicts = who_owes(twins.one)
    both(twins, lambda world: world.say(predicts, world.line(predicts, "prediction")))
    slow, quick = [q.faction for q in twins.one.table().play.asked() if q.public and q.kind == "traitor"][:2]
    rest = [faction for faction in onlookers() if faction not in (slow, quick)]
    for world, given, answers in ((twins.one, slow, quick), (twins.other, quick, slow)):
        clocks.extend(request(world), 30, given)
        world.say(answers, world.line(answers, "traitor"))
    assert list(twins.differences(rest)) == []
    for _ in range(8):
        both(twins, lambda world: world.wait(6))
        for world in (twins.one, twins.other):
            for faction in rest:
                if faction != "public":
                    world.say(faction, "status")
        assert list(twins.differences(rest)) == []
    assert len(twins.one.asked()) == len(twins.other.asked()) == 1


def test_more_time_in_the_auction_does_not_tell_others_how_much(pair: Pair) -> None:
    twins = pair()
    owes = who_owes(twins.one)
    clocks.extend(request(twins.one), 48, owes)
    clocks.extend(request(twins.other), 60, owes)
    assert apart(twins, owes, 66) == []


@pytest.mark.parametrize("hours", ["waking 7:00 to 23:00 Asia/Tokyo", "waking 20:00 to 21:00"])
def test_a_time_bank_runs_without_regard_to_the_hours_of_its_player(pair: Pair, hours: str) -> None:
    twins = pair()
    owes = who_owes(twins.one)
    twins.other.say(owes, hours)
    assert "your time bank runs all day" in " ".join(twins.other.newest(owes).text.split())
    assert apart(twins, owes) == []


def test_a_running_bank_shows_others_neither_its_end_nor_what_is_left(pair: Pair) -> None:
    twins = pair()
    owes = who_owes(twins.one)
    seats.change_bank(request(twins.other), owes, 40)
    assert apart(twins, owes, 24) == []
    both(twins, lambda world: world.wait(1))
    assert apart(twins, owes, 0) == []
    assert twins.one.table().overruns
    twins.one.say(owes, "pass")
    twins.other.say(owes, "pass")
    assert apart(twins, owes, 0) == []


def test_in_other_games_everybody_sees_the_banks(pair: Pair) -> None:
    twins = pair("open")
    seats.change_bank(request(twins.other), who_owes(twins.one), 40)
    assert apart(twins, who_owes(twins.one), 0)


@pytest.mark.parametrize("press", ["open", "open,gunboat,slots=0"])
def test_of_duties_that_are_open_together_nobody_learns_whose_is_late(pair: Pair, press: str) -> None:
    twins = pair(press, "setup")
    predicts = who_owes(twins.one)
    both(twins, lambda world: world.say(predicts, world.line(predicts, "prediction")))
    kind = "traitor"
    late = [q.faction for q in twins.one.table().play.asked() if q.public and q.kind == kind][:2]
    orders: list[tuple[World, Faction, Faction]] = [(twins.one, late[0], late[1]), (twins.other, late[1], late[0])]
    for world, slow, quick in orders:
        world.say(quick, world.line(quick, kind))
        assert slow in world.asked()
    both(twins, lambda world: world.wait(25))
    assert all(world.table().overruns for world in (twins.one, twins.other))
    rest = [faction for faction in onlookers() if faction not in late]
    assert list(twins.differences(rest)) == []
    for world in (twins.one, twins.other):
        for faction in rest:
            if faction != "public":
                world.say(faction, "status")
    assert list(twins.differences(["public"])) == []


def test_a_sitter_is_no_news_to_others(pair: Pair) -> None:
    twins = pair()
    seats.set_sitter(request(twins.other), "guild", "sam@elsewhere.example", seats.end_of_day(
        twins.other.settings, "2025-01-10"))  # fmt: skip
    assert apart(twins, "guild", 12) == []


@pytest.mark.parametrize("press", ["grey", "mixed", "open,yellow", "grey,gunboat,slots=0"])
def test_a_muted_writer_of_unsigned_press_is_told_alone(pair: Pair, press: str) -> None:
    twins = pair(press)
    speech.mute(request(twins.other), "guild")
    assert "you may write only to the game master" in " ".join(twins.other.newest("guild").text.split())
    assert apart(twins, "guild", 12) == []
    speech.unmute(request(twins.other), "guild")
    assert apart(twins, "guild", 12) == []


@pytest.mark.parametrize("viewer", ["public", "guild", "gm"])
@pytest.mark.parametrize("press", ["open", "open,gunboat,slots=0"])
def test_the_page_of_a_game_shows_what_its_json_shows(pair: Pair, viewer: str, press: str) -> None:
    world = pair(press).one
    table = world.table()
    page = as_text(game_page(table, viewer, world.settings, world.now))
    told = json_view(table, viewer, world.settings, world.now)
    rows = page[page.index("WHO PLAYS") :]
    for faction, player in told["players"].items():
        name = table.seats[faction].name
        assert (f"{name}, dot" in rows) == (player["player"] == name)
    assert ("6 hours" in page or " 6 h" in page) == any("bank" in player for player in told["players"].values())


# --- time slots ---------------------------------------------------------------------------------------------------


@pytest.fixture
def slotted(tmp_path: Path) -> Iterator[World]:
    world = World.at(tmp_path, FOLDS)
    world.new_game("ah-basic", press="open,gunboat")
    world.now += timedelta(minutes=11)
    yield world
    world.engine.dispose()


def take(world: World, raw: bytes) -> str:
    return world.moderator.receive(raw, "inbox:1", world.now).disposition


def test_mail_to_an_anonymous_game_is_answered_at_its_next_slot(slotted: World) -> None:
    owes, before = who_owes(slotted), slotted.written()
    raw = slotted.mail(owes, slotted.line(owes, "prediction"))
    assert take(slotted, raw) == "waiting"
    slotted.wait(1)
    assert take(slotted, raw) == "waiting"
    assert slotted.written() == before
    slotted.wait(1)
    assert take(slotted, raw) == "orders"
    assert take(slotted, raw) == "duplicate"
    written = slotted.letters(after=before)
    assert {str(letter.message["Date"]) for letter in written} == {"Tue, 26 Nov 2024 22:00:00 +0000"}
    assert "prediction" not in slotted.asked().get(owes, ())


def test_it_is_kept_when_it_came(slotted: World) -> None:
    raw = slotted.mail(who_owes(slotted), "status")
    came = slotted.now
    take(slotted, raw)
    slotted.wait(2)
    take(slotted, raw)
    with reading(slotted.engine) as conn:
        assert [message.received_at for message in list_messages(conn, MessageFilter())] == [came]


def test_mail_that_came_before_a_deadline_counts_before_it(slotted: World) -> None:
    owes = who_owes(slotted)
    raw = slotted.mail(owes, slotted.line(owes, "prediction"))
    slotted.now += timedelta(hours=23)
    assert take(slotted, raw) == "waiting"
    assert slotted.wait(0.9) == 0  # the deadline is over, and the mail is older
    assert take(slotted, raw) == "orders"
    assert slotted.table().seats[owes].missed == 0


def test_a_deadline_between_two_slots_passes_at_the_next(slotted: World) -> None:
    owes = who_owes(slotted)
    with slotted.moderator.open_games.transaction(GAME) as (conn, table):
        deadlines.postpone(conn, table, list(table.deadlines), slotted.now + timedelta(hours=30))
    slotted.wait(30.1)
    assert owes in slotted.asked()
    assert slotted.wait(1.8) == 1


def test_a_game_without_slots_answers_at_once(tmp_path: Path) -> None:
    world = World.at(tmp_path, FOLDS)
    world.new_game("ah-basic", press="open,gunboat,slots=0")
    assert take(world, world.mail("guild", "status")) == "orders"
    world.engine.dispose()


def test_mail_waits_in_the_mailbox_and_leaves_it_at_the_slot(slotted: World) -> None:
    owes = who_owes(slotted)
    mailbox = open_mailbox(slotted.settings)
    new = slotted.settings.mailbox.maildir / "new"
    (new / "1.mail").write_bytes(slotted.mail(owes, slotted.line(owes, "prediction")))
    for hours, left in ((0, 1), (1, 1), (1, 0)):
        slotted.wait(hours)
        poll(slotted.moderator, mailbox, lambda: slotted.now)
        assert len([*new.iterdir(), *(new.parent / "cur").iterdir()]) == left
    assert "prediction" not in slotted.asked().get(owes, ())


def test_who_has_written_is_not_reminded_while_their_mail_waits(slotted: World) -> None:
    owes = who_owes(slotted)
    slotted.now += timedelta(hours=16)
    assert take(slotted, slotted.mail(owes, slotted.line(owes, "prediction"))) == "waiting"
    before = slotted.written()
    slotted.wait(1.9)
    assert slotted.written() == before
