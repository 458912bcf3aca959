"""What a deceitful player tries with press: to make another's words signed, to tell who they are, to write where they
may not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.desk import clocks, seats, speech
from bot.desk.powers import DeskRequest
from bot.press import Denial, Scene, Wish, decide, read_press
from rules.components import FACTIONS
from tests.moderator.table import GAME, GAME_MASTER, START, World
from tests.press.test_gunboat import NAMES, gunboat
from tests.press.test_modes_by_mail import game_with, told

SAM = "sam@elsewhere.example"


def test_what_was_written_without_a_name_never_goes_out_with_it(world: World) -> None:
    game_with(world, "mixed,language")
    world.say("guild", "unsigned press to fremen: you idiots")
    speech.restrict_press(DeskRequest(world.moderator.open_games, GAME, world.now), "open,language")
    before = world.written()
    assert world.say("guild", "send anyway").taken == 0
    assert all("idiots" not in each.text for each in world.letters(after=before) if each.faction != "guild")
    world.wait(3)
    assert all("idiots" not in each.text for each in world.letters("fremen"))


def test_who_sits_in_does_not_tell_their_name_in_gunboat(world: World) -> None:
    gunboat(world)
    until = world.now + timedelta(days=9)
    seats.set_sitter(DeskRequest(world.moderator.open_games, GAME, world.now), "guild", SAM, until, "Samuel Sand")
    token = world.table().seats["guild"].sitter_token
    for words in ("Regards, Samuel Sand", f"write to {SAM}"):
        line = f"press to fremen: {words}"
        raw = world.mail("guild", line, sender=SAM, to=f"mentat+{token}@arrakis.example")
        assert world.moderator.deliver(raw, world.now).taken == 0
    world.wait(3)
    assert all("Sand" not in each.text for each in world.letters("fremen"))


@pytest.mark.parametrize(
    "words",
    [
        "I am Ｆlo Ｆox",
        "I am F\u200blo\u200b Fox",
        "I am Flo\u2060 Fox",
        "flo_fox here",
        "FLO-FOX",
        "ann@ex\u200bample.org",
        "ann＠example.org",
    ],
)
def test_a_name_is_known_in_whatever_letters_it_is_written(words: str) -> None:
    scene = Scene(read_press("open,gunboat"), FACTIONS, "bidding", person=("flo@players.example", "Flo Fox"))
    found = decide(Wish("guild", ("fremen",), words), scene, START)
    assert isinstance(found, Denial)
    assert found.reason == "identity"


@pytest.mark.parametrize("mode", ["open", "grey", "open,gunboat", "open,postal", "fake"])
def test_who_is_muted_writes_by_no_way(world: World, mode: str) -> None:
    game_with(world, f"{mode},language")
    world.say("guild", "press to fremen: you idiot")
    speech.mute(DeskRequest(world.moderator.open_games, GAME, world.now), "guild")
    before = world.written()
    for line in ("press to all: a", "press to fremen: a", "send anyway", "when card 1: press to all: a"):
        world.say("guild", line)
    clocks.hold(DeskRequest(world.moderator.open_games, GAME, world.now))
    world.say("guild", "press to all: a")
    world.wait(3)
    others = [each for each in world.letters(after=before) if each.faction not in (None, "guild")]
    assert all("Guild writes" not in each.text and "Somebody writes" not in each.text for each in others)


def test_a_substitute_does_not_send_what_the_player_before_had_left_for_a_second_thought(world: World) -> None:
    game_with(world, "open,language")
    world.say("guild", "press to fremen: you idiot")
    seats.replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), "guild", SAM)
    token = world.table().seats["guild"].token
    raw = world.mail("guild", "send anyway", sender=SAM, to=f"mentat+{token}@arrakis.example")
    assert world.moderator.deliver(raw, world.now).taken == 0
    assert all("idiot" not in each.text for each in world.letters(SAM))


def test_a_substitute_is_shown_nothing_of_the_press_of_the_player_before(world: World) -> None:
    game_with(world, "open")
    world.say("fremen", "press to guild: a secret")
    seats.replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), "guild", SAM)
    token = world.table().seats["guild"].token
    raw = world.mail("guild", "history", "status", "report 1", sender=SAM, to=f"mentat+{token}@arrakis.example")
    world.moderator.deliver(raw, world.now)
    assert all("a secret" not in each.text for each in world.letters(SAM))


def test_a_sitter_reads_no_press_of_the_time_before(world: World) -> None:
    game_with(world, "open")
    world.say("fremen", "press to guild: a secret")
    until = world.now + timedelta(days=9)
    seats.set_sitter(DeskRequest(world.moderator.open_games, GAME, world.now), "guild", SAM, until)
    assert all("a secret" not in each.text for each in world.letters(SAM))


@pytest.mark.parametrize("line", ["press to nobody: a", "press to guild: a", "press to all but all: a", "press: a"])
def test_press_to_nobody_goes_nowhere(begun: World, line: str) -> None:
    before = begun.written()
    assert begun.say("guild", line).taken == 0
    assert {each.faction for each in begun.letters(after=before)} == {"guild"}
    assert told(begun, "guild")


def test_a_deal_is_no_way_around_a_mute(begun: World) -> None:
    begun.silence_until("revival")
    speech.mute(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild")
    before = begun.written()
    assert begun.say("guild", "deal with fremen: you are an idiot").taken == 0
    assert begun.say("guild", "secret deal with fremen: you are an idiot").taken == 0
    assert all("idiot" not in each.text for each in begun.letters(after=before) if each.faction != "guild")
    speech.unmute(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild")
    assert begun.say("guild", "deal with fremen: leave me Carthag").taken == 1


@pytest.mark.parametrize("words", [NAMES["guild"], "write to ann@example.org", "guild@players.example"])
@pytest.mark.parametrize("kind", ["deal", "secret deal"])
def test_a_deal_does_not_say_who_plays_in_gunboat(world: World, words: str, kind: str) -> None:
    gunboat(world)
    world.silence_until("revival")
    assert world.say("guild", f"{kind} with fremen: {words}").taken == 0
    assert all(words not in each.text for each in world.letters("fremen"))


def test_the_desk_is_not_drowned_by_one_mail(begun: World) -> None:
    before = begun.written()
    lines = [f"press to gm: {number}" for number in range(150)]
    begun.say("guild", *lines)
    assert len([each for each in begun.letters(after=before) if each.recipient == GAME_MASTER]) == 5
    before = begun.written()
    begun.say("fremen", "press to guild: hello")
    begun.say("guild", *[f"report 1: {number}" for number in range(150)])
    assert len([each for each in begun.letters(after=before) if each.recipient == GAME_MASTER]) == 5
