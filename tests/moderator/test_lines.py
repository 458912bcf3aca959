"""Lines in a mail: held and fired, replaced, withdrawn, and lines that ask Mentat for something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.moderator import commands
from bot.render.board import Look
from bot.render.news import Changes
from bot.render.picture import picture
from rules.components import Faction
from rules.orders import StormDial
from tests.moderator.table import GAME, GAME_MASTER, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


def words(world: World, faction: str) -> str:
    return " ".join(world.newest(faction).text.split())


def in_movement(world: World) -> Faction:
    """Play to the movement phase and return the faction that must ship."""
    world.new_game(factions=FEW)
    world.silence_until("movement")
    for _ in range(20):
        shippers = [q.faction for q in world.table().play.questions() if q.kind == "shipment" and q.faction != "guild"]
        if shippers:
            return shippers[0]
        world.wait(24)
    raise AssertionError("nobody was asked to ship")


def test_lines_for_questions_still_to_come_are_held_and_fire(world: World) -> None:
    shipper = in_movement(world)
    verdict = world.say(shipper, "no move", "no shipment")
    assert verdict.taken == 2
    assert shipper not in world.asked()
    assert "kept until it can be played in this phase" in " ".join(world.newest(shipper).text.split())


def test_a_cancel_takes_back_what_stands_before_it_and_not_what_comes_after(world: World) -> None:
    shipper = in_movement(world)
    verdict = world.say(shipper, "no move", "cancel", "status")
    assert verdict.taken == 3
    assert world.table().play.game.held.get(shipper, []) == []
    assert "Withdrawn: no move" in words(world, shipper)
    world.say(shipper, "cancel", "no move")
    assert len(world.table().play.game.held[shipper]) == 1
    world.say(shipper, "cancel no move")
    assert world.table().play.game.held.get(shipper, []) == []


def test_nothing_to_cancel_is_said(world: World) -> None:
    world.new_game(factions=FEW)
    assert world.say("guild", "cancel").taken == 0
    assert "No such order is on file" in words(world, "guild")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("cancel standing", "You have no sheet lines on file"),
        ("cancel absent 2024-12-01 to 2024-12-03", "To cancel an absence, send: no absence"),
        ("cancel bid 9", "No such order is on file"),
        ("cancel help", "No such order is on file"),
        ("cancel bid up to many", "I cannot read this line; it should be written “bid up to N”"),
    ],
)
def test_what_cannot_be_taken_back_is_refused_with_the_reason_and_nothing_else_goes(
    world: World, line: str, why: str
) -> None:
    shipper = in_movement(world)
    world.say(shipper, "no move", "absent 2024-12-01 to 2024-12-03")
    held, absences = world.table().play.game.held[shipper], world.table().absences
    assert world.say(shipper, line).taken == 0
    assert why in words(world, shipper)
    assert (world.table().play.game.held[shipper], world.table().absences) == (held, absences)


def test_a_later_mail_replaces_the_answer_until_the_decision_is_made(world: World) -> None:
    world.new_game(factions=FEW)
    world.silence_until("storm")
    world.wait(24)
    one = next(faction for faction, kinds in world.asked().items() if kinds == ["storm-dial"])
    world.say(one, "storm 3")
    world.say(one, "storm 7")
    assert [orders for _, orders in world.table().play.answered()] == [(StormDial(7),)]


def test_what_is_about_the_mail_is_answered_after_the_orders(world: World) -> None:
    world.new_game(factions=FEW)
    traitor = world.line("guild", "traitor")
    world.say("guild", "orders", traitor)
    assert f"{traitor} (on file until the decision is made)" in words(world, "guild")


def test_status_map_history_rules_and_help_are_answered(world: World) -> None:
    world.new_game(factions=FEW)
    world.silence_until("bidding")
    assert world.say("guild", "status", "map", "history", "rules lasgun", "help bid").taken == 5
    told = words(world, "guild")
    assert "The position is below" in told
    assert "Turn 1, spice" in told
    assert "bid up to N" in told
    assert told.count("DONE") == 5


def test_rules_are_told_by_the_documents_of_the_game(world: World) -> None:
    world.new_game("gf9-advanced", factions=FEW)
    world.say("guild", "rules ornithopter")
    told = words(world, "guild")
    assert "FAQ." in told
    assert "AH." not in told.partition("NOTHING WANTED")[0].partition("WANTED FROM")[0]
    world.say("guild", "rules AH.X.C.2")  # a rule from other documents is shown and marked as such
    assert "The documents of Dune (2019), advanced game do not mention it; others do: AH.X.C.2" in words(world, "guild")


def test_a_letter_of_2019_shows_orders_in_its_words(world: World) -> None:
    world.new_game("gf9-basic", factions=("bene-gesserit", "harkonnen"), seed="arrakis")
    world.silence_until("storm")
    assert world.say("harkonnen", "when storm 4: ghola Piter DeVries").taken == 1
    told = words(world, "harkonnen")
    assert "when storm 4: ghola Piter de Vries (kept until the end of turn 1, once)" in told


def test_the_picture_of_the_board_goes_to_who_asks_for_it_and_with_a_whole_turn(world: World) -> None:
    world.new_game(factions=FEW)

    assert len(pictures(world, "guild")) == 1  # with the first letter
    world.say("guild", "status")
    assert len(pictures(world, "guild")) == 1
    world.say("guild", "map")
    assert len(pictures(world, "guild")) == 2
    assert "cid:board" in world.newest("guild").html
    world.silence_until("storm", turn=2)
    assert len(pictures(world, "guild")) == 3


def pictures(world: World, to: str) -> list[bytes]:
    parts = [part for letter in world.letters(to) for part in letter.message.walk()]
    return [part.get_content() for part in parts if part.get_content_type() == "image/png"]


def test_the_board_that_a_reader_has_got_is_not_attached_again_unless_they_ask(world: World) -> None:
    world.new_game(factions=FEW, max_turns=1)
    for _ in range(200):
        if world.table().play.over:
            break
        world.wait(24)
    for faction in FEW:
        *_, before, last = world.letters(faction)
        assert "game is over" in last.subject
        assert "cid:board" in last.html
        assert "cid:board" not in before.html
        assert "Storm in sector" in before.html, "the words for the board stand there"
        assert len(pictures(world, faction)) == 2
    world.say("guild", "map")
    assert len(pictures(world, "guild")) == 3


def test_a_picture_of_a_turn_shows_what_has_changed_since_the_one_before_whatever_was_asked_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Changes] = []

    def noting(view: Mapping[str, Any], changed: Changes, look: Look) -> bytes:
        drawn.append(changed)
        return picture(view, changed, look)

    monkeypatch.setattr("bot.render.letters.picture", noting)
    world.new_game(factions=FEW)
    world.silence_until("movement")
    drawn.clear()
    world.say("guild", "map")
    assert {each.storm_sectors for each in drawn} == {0}  # their letters since the storm have reported it
    drawn.clear()
    world.silence_until("storm", turn=2)
    first, *others = drawn
    assert first.storm_sectors
    assert first.storm_start == 1
    assert all(other == first for other in others)
    drawn.clear()
    world.silence_until("storm", turn=3)
    assert drawn[0].storm_start != 1


def test_a_player_chooses_how_the_board_is_drawn_for_them_and_for_nobody_else(world: World) -> None:
    world.new_game(factions=FEW)
    for line in ("map", "map names", "map dark", "map", "map codes", "map light"):
        world.say("guild", line)
    assert "drawn this way for you from now on" in words(world, "guild")
    _, usual, names, dark, again, codes, light = pictures(world, "guild")
    assert usual == light
    assert dark == again
    assert len({usual, names, dark, codes}) == 4
    world.say("guild", "map dark")
    world.say("harkonnen", "map")
    assert pictures(world, "harkonnen")[-1] == usual
    world.moderator.open_games.forget()
    world.silence_until("storm", turn=2)
    assert pictures(world, "guild")[-1] != pictures(world, "harkonnen")[-1] == pictures(world, FEW[0])[-1]
    for line in ("map pretty", "map dark light", "map names codes"):
        world.say("guild", line)
        assert "not a way to draw the board" in words(world, "guild")


def test_history_holds_what_this_very_mail_has_done(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("atreides", world.line("atreides", "traitor"))
    world.say("guild", "history", world.line("guild", "traitor"))
    table = world.table()
    assert table.play.state.phase != "setup"
    assert "Turn 1, storm" in words(world, "guild") or "Turn 1, spice" in words(world, "guild")


@pytest.mark.clause("FAQ.SECRECY.1")
def test_press_reaches_those_named_and_nobody_else(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters())
    world.say("guild", "press to harkonnen: the price is 5 & <falling>")
    letters = world.letters()[before:]
    assert sorted(letter.recipient for letter in letters) == [address_of("guild"), address_of("harkonnen")]
    assert "the price is 5 & <falling>" in world.newest("harkonnen").text
    assert "5 &amp; &lt;falling&gt;" in world.newest("harkonnen").html
    before = len(world.letters())
    world.say("guild", "press to all: hear me")
    assert len(world.letters()) == before + 3


def test_press_to_a_faction_that_is_not_played_is_refused(world: World) -> None:
    world.new_game(factions=FEW)
    assert world.say("guild", "press to fremen: hello").taken == 0
    assert "REFUSED" in words(world, "guild") or "NOT READ" in words(world, "guild")


def test_press_to_oneself_is_refused_with_the_reason(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters())
    assert world.say("guild", "press to guild: remember the milk").taken == 0
    assert len(world.letters()) == before + 1
    assert "press to guild: remember the milk REFUSED Your message is only to yourself; nothing was passed on" in words(
        world, "guild"
    )


def test_what_needs_a_person_goes_to_the_game_master(world: World) -> None:
    world.new_game(factions=FEW)
    assert world.say("guild", "absent 2024-12-01 to 2024-12-05", "extend 100", "resign").taken == 3
    notices = [" ".join(letter.text.split()) for letter in world.letters(GAME_MASTER)]
    assert len(notices) == 3
    assert "will be away" in notices[0]
    assert "asks for 100 hours more" in notices[1]
    assert "give up the seat" in notices[2]


def test_an_order_from_the_form_of_a_letter_is_taken(world: World) -> None:
    world.new_game(factions=FEW)
    letter = world.newest("guild").text
    begin = next(line for line in letter.splitlines() if line.strip().startswith("[form "))
    end = next(line for line in letter.splitlines() if line.strip().startswith("[end of form "))
    form = letter[letter.index(begin) : letter.index(end) + len(end)]
    ticked = form.replace("[ ]", "[x]", 1)
    assert ticked != form
    quoted = "\n".join(f"> {line}" for line in ticked.splitlines())
    assert world.say("guild", quoted).taken == 1
    assert "guild" not in world.asked()


def test_orders_after_the_end_are_refused_and_status_still_answered(world: World) -> None:
    world.new_game(factions=FEW, max_turns=1)
    while world.wait(24):
        pass
    assert world.table().status == "over"
    assert world.say("guild", "no shipment", "status").taken == 1


def test_what_is_wanted_has_no_end_while_the_clocks_are_stopped(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "help")
    until = "by Wed 27 Nov 20:00 UTC (in 24 hours)"
    assert f"Waiting for your answer: your traitor, {until}. One line is enough" in words(world, "guild")
    clocks.pause(DeskRequest(world.moderator.open_games, GAME, world.now))
    world.say("guild", "help")
    assert "Waiting for your answer: your traitor. One line is enough" in words(world, "guild")


def test_whoever_is_asked_more_at_once_is_told_how_many_questions_are_left_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "help")
    assert "question more" not in words(world, "guild")
    monkeypatch.setattr(commands, "MOST_QUESTIONS", 0)
    world.say("guild", "help")
    assert "(1 more question: “status” shows all.)" in words(world, "guild")
