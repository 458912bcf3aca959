"""Press by mail: it reaches the right readers or is refused, and nobody else notices."""

from __future__ import annotations

import pytest

from bot.desk import speech
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.store import acts, games
from bot.store import press as store
from bot.store.database import reading, writing
from bot.store.tables import MUTED
from rules.components import FACTIONS, Faction
from tests.moderator.table import GAME, World, address_of

OTHERS = tuple(faction for faction in FACTIONS if faction != "guild")


def game_with(world: World, mode: str) -> World:
    world.new_game(tempo="steady", press=mode)
    return world


def told(world: World, faction: Faction) -> str:
    return " ".join(world.newest(faction).text.split())


def refused(world: World, line: str, why: str) -> None:
    """Check that the line is refused with this reason, and that only the Guild gets a letter within two days."""
    before = world.written()
    assert world.say("guild", line).taken == 0
    assert why in told(world, "guild")
    assert world.written() == before + 1
    with reading(world.engine) as conn:
        assert store.press_of_game(conn, GAME) == []
        assert store.games_with_due(conn, world.now.replace(year=2099)) == []


def test_the_receipt_names_the_readers_and_counts_them(begun: World) -> None:
    begun.say("guild", "press to fremen, emperor: hear me")
    assert "Passed on to Fremen and Emperor: 2 readers." in told(begun, "guild")
    begun.say("guild", "press to all but harkonnen: hear me")
    assert "4 readers." in told(begun, "guild")


def test_a_letter_says_to_whom_else_it_went_and_comes_from_the_games_address_in_the_factions_name(begun: World) -> None:
    begun.say("guild", "press to fremen, emperor: hear me")
    letter = begun.newest("fremen")
    assert "Guild writes to you and Emperor:" in letter.text
    assert letter.message["From"].addresses[0].addr_spec == "mentat@arrakis.example"
    assert letter.message["From"].addresses[0].display_name == f"Guild in {GAME}"
    assert letter.message["Reply-To"].addresses[0].addr_spec == f"mentat+{begun.token('fremen')}@arrakis.example"
    assert letter.message["To"].addresses[0].addr_spec == address_of("fremen")
    begun.say("guild", "press to all: hear me")
    assert "Guild writes to all:" in begun.newest("fremen").text


def test_nobody_left_out_learns_of_it_from_the_history_either(begun: World) -> None:
    before = len(begun.letters("harkonnen"))
    begun.say("guild", "press to all but harkonnen: beware of the Baron")
    assert len(begun.letters("harkonnen")) == before
    begun.say("harkonnen", "history", "status")
    assert "beware" not in begun.newest("harkonnen").text


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("press: hello", "Your message does not name a reader"),
        ("press to: hello", "Your message does not name a reader"),
        ("press to guild: hello", "Your message is only to yourself"),
        ("press to fremen: ...", "Your message is empty"),
        ("press to fremen:", "Your message is empty"),
        ("press to fremen:\nend press", "Your message is empty"),
        ("press to gild, fremen: hello", "did you mean Guild"),
        ("press to nobody: hello", "NOT READ"),
        ("press to all, fremen: hello", "name nobody else with it"),
        ("press unsigned to fremen: hello", "In this game messages to others are signed"),
        ("press to fremen as to emperor: hello", "a letter names its true readers"),
        ("send anyway", "No message of yours is being held"),
    ],
)
def test_what_cannot_be_passed_on_is_refused_and_nobody_notices(begun: World, line: str, why: str) -> None:
    refused(begun, line, why)


@pytest.mark.parametrize(
    ("mode", "line", "why"),
    [
        ("public", "press to fremen: hello", "players write to all or to nobody"),
        ("none", "press to all: hello", "players do not write to each other"),
        ("grey", "press signed to all: hello", "such messages are not signed"),
        ("open,must-order", "press to all: hello", "you answer your open questions"),
        ("open,neighbours", "press to all: hello", "only to a faction with tokens in a territory where"),
    ],
)
def test_a_mode_forbids_what_it_does_not_allow(world: World, mode: str, line: str, why: str) -> None:
    game_with(world, mode)
    if mode == "open,must-order":
        world.silence_until("bidding")
        mine = [faction for faction, kinds in world.asked().items() if "bid" in kinds]
        before = world.written()
        assert world.say(mine[0], line).taken == 0
        assert why in told(world, mine[0])
        assert world.written() == before + 1
        return
    refused(world, line, why)


@pytest.mark.parametrize("mode", ["none", "public", "grey", "open,quota=1", "open,must-order"])
def test_the_game_master_can_always_be_written_to(world: World, mode: str) -> None:
    game_with(world, mode)
    assert world.say("guild", "press to gm: help me", "press to gm: again").taken == 2


def test_who_is_muted_writes_to_the_desk_alone(begun: World) -> None:
    with writing(begun.engine) as conn:
        conn.execute(MUTED.insert(), {"game_id": GAME, "faction": "guild", "since": begun.now})
    refused(begun, "press to all: hello", "you may write only to the game master")
    assert begun.say("guild", "press to gm: why?").taken == 1
    assert begun.say("fremen", "press to guild: cheer up").taken == 1


def test_whoever_the_caretaker_plays_for_cannot_be_written_to_and_is_left_out_of_all(begun: World) -> None:
    with writing(begun.engine) as conn:
        table = begun.moderator.open_games.table(conn, GAME)
        table.seats["fremen"].care = True
        table.touched.add("fremen")
        games.close(conn, table)
    refused(begun, "press to fremen: hello", "The caretaker is playing Fremen at the moment")
    begun.say("guild", "press to all: hello")
    assert "4 readers." in told(begun, "guild")


def test_a_quota_is_counted_down_and_ends_with_the_turn(world: World) -> None:
    game_with(world, "open,quota=2")
    world.say("guild", "press to fremen: one")
    assert "1 more letter of yours can be passed on this turn" in told(world, "guild")
    assert world.say("guild", "press to fremen: two", "press to fremen: three").taken == 1
    assert "You have written 2 letters this turn" in told(world, "guild")
    world.silence_until("storm", 2)
    assert world.say("guild", "press to fremen: four").taken == 1


def test_twenty_an_hour_are_passed_on_and_the_rest_is_told(begun: World) -> None:
    for number in range(4):
        begun.say("guild", *(f"press to fremen: letter {number} {line}" for line in range(6)))
    assert len([letter for letter in begun.letters("fremen") if "letter " in letter.text]) == 20
    assert "20 letters to others within an hour" in told(begun, "guild")
    begun.wait(1.1)
    assert begun.say("guild", "press to fremen: one more").taken == 1


def test_what_is_too_long_is_cut_with_a_notice(begun: World) -> None:
    begun.say("guild", "press to fremen: " + "spice " * 900)
    assert "we cut it after 4000 characters" in told(begun, "guild")
    assert begun.newest("fremen").text.count("spice") < 680


def test_commands_beside_press_are_carried_out_and_not_passed_on(begun: World) -> None:
    begun.say("guild", "press to fremen: shall we?", "orders", "press to emperor: and we?")
    assert "orders" not in begun.newest("fremen").text.partition("shall we?")[2].partition("Words in answer")[0]
    assert begun.newest("emperor").text.count("and we?") == 1


def test_press_of_several_lines_ends_where_it_says_so_and_goes_out_as_one_letter(begun: World) -> None:
    words = ["My lords,", "I was away. I am back.", "bid 5", "The spice must flow."]
    assert begun.say("guild", "press to fremen:", *words, "end press", "press to emperor: hm").taken == 2
    letter = begun.newest("fremen").text
    assert all(f"| {line}" in letter for line in words)
    assert "4 lines" not in letter
    assert "end press" not in letter
    assert "hm" in begun.newest("emperor").text
    assert begun.say("guild", "press to fremen: My lords,", *words, "END PRESS.").taken == 1


def test_press_that_has_no_end_goes_to_nobody_and_is_no_order_either(begun: World) -> None:
    refused(begun, "press to fremen:\nLet us talk.\ncancel\nstatus", "has no end, so none of it was passed on")


# --- changing the mode ---------------------------------------------------------------------------------------------


def test_a_game_master_can_make_it_stricter_and_everybody_is_told_the_same(begun: World) -> None:
    before = begun.written()
    speech.restrict_press(
        DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(why="quarrels", tell="Be kind.")), "public,quota=3"
    )
    assert begun.table().press == "public,quota=3"
    letters = begun.letters(after=before)
    assert [letter.faction for letter in letters] == list(begun.table().seats)
    assert all("You can write only to all players together" in " ".join(letter.text.split()) for letter in letters)
    assert all("Be kind." in letter.text and "quarrels" not in letter.text for letter in letters)
    with reading(begun.engine) as conn:
        [act] = acts.acts_of(conn, game_id=GAME)
    assert (act.what, act.words, act.why) == ("press", "open to public,quota=3", "quarrels")
    refused(begun, "press to fremen: hello", "players write to all or to nobody")


@pytest.mark.parametrize("wanted", ["grey", "open,gunboat", "open,copies-to-desk", "loud", "open"])
def test_it_never_becomes_freer_nor_less_private(begun: World, wanted: str) -> None:
    before = begun.written()
    with pytest.raises(PowerRefused):
        speech.restrict_press(DeskRequest(begun.moderator.open_games, GAME, begun.now), wanted)
    assert begun.written() == before
    with reading(begun.engine) as conn:
        assert acts.acts_of(conn, game_id=GAME) == []


def test_a_dry_run_changes_nothing(begun: World) -> None:
    speech.restrict_press(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(dry_run=True)), "public")
    assert begun.table().press == "open"


def test_the_first_letter_says_how_players_may_write(world: World) -> None:
    game_with(world, "public,quota=3,late")
    text = told(world, "guild")
    assert "You can write only to all players together" in text
    assert "You can send 3 letters a turn." in text
