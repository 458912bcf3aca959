"""Sheets by mail: lines are filed, shown and withdrawn, and they answer when their time comes."""

import re
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest
from bot.store.database import reading
from bot.store.tables import ENTRY
from rules.components import Faction
from tests.moderator.table import GAME, World


def told(world: World, to: Faction) -> str:
    """Return the last letter to a faction, without line breaks."""
    return " ".join(world.newest(to).text.split())


def test_a_line_for_the_sheet_is_held_and_the_answer_says_how_long(world: World) -> None:
    world.silent_game("bidding")
    world.say("fremen", "standing: charity", "when card 2 and price < 5: bid 5")
    text = told(world, "fremen")
    assert "standing: charity (stands until you withdraw it)" in text
    assert "when card 2 and price < 5: bid 5 (kept until the end of turn 1)" in text
    assert "We would still ask you for a bid, unless card 2 and price < 5" in text


def test_a_line_answers_when_its_time_comes_and_nobody_is_asked(world: World) -> None:
    world.silent_game("bidding")
    for faction in world.table().play.state.players:
        world.say(faction, "standing: pass")
    table = world.table()
    assert table.play.state.phase != "bidding"
    assert "passed" in "".join(event.kind for event in table.recent) or table.play.state.phase == "revival"


def test_the_entry_of_a_deputy_names_its_line_and_no_message(world: World) -> None:
    world.silent_game("bidding")
    first = world.table().play.questions()[0].faction
    world.say(first, "bid 1 if card 1")
    with reading(world.engine) as conn:
        rows = conn.execute(select(ENTRY.c.sheet, ENTRY.c.message_id).where(ENTRY.c.sheet != "")).all()
    assert rows == [("1", None)]


def test_a_later_line_for_the_same_replaces_the_earlier_and_says_so(world: World) -> None:
    world.silent_game("bidding")
    world.say("fremen", "when card 2: bid 5", "when card 2: bid 7", "when card 3: bid 5")
    assert "It replaces: when card 2: bid 5" in told(world, "fremen")
    assert lines(world, "fremen") == ["when card 2: bid 7", "when card 3: bid 5"]


def test_orders_shows_the_sheet_and_cancel_takes_lines_back(world: World) -> None:
    world.silent_game("bidding")
    world.say("fremen", "standing: charity", "when card 2: bid 5")
    world.say("fremen", "orders")
    assert "when card 2: bid 5 (kept until the end of turn 1)" in told(world, "fremen")
    world.say("fremen", "cancel standing: charity")
    assert lines(world, "fremen") == ["when card 2: bid 5"]
    world.say("fremen", "cancel")
    assert lines(world, "fremen") == []
    assert "Withdrawn: when card 2: bid 5" in told(world, "fremen")


def test_a_line_whose_phase_is_over_is_for_the_next_turn(world: World) -> None:
    world.silent_game("bidding")
    world.say("fremen", "charity if spice < 2")
    assert "(kept until the end of turn 2)" in told(world, "fremen")
    assert "Its phase is over for this turn, so it counts for turn 2." in told(world, "fremen")


def test_a_line_ends_with_its_turn_and_what_stands_goes_on(world: World) -> None:
    world.silent_game("bidding")
    world.say("fremen", "when card 2: bid 5", "standing: no revival")
    world.silence_until("bidding", turn=2)
    world.say("fremen", "orders")
    assert lines(world, "fremen") == ["standing: no revival"]


def test_a_line_that_could_not_be_used_is_told_to_its_player_alone(world: World) -> None:
    world.silent_game("bidding")
    first = world.table().play.questions()[0].faction
    world.say(first, "when card 1: bid 99")
    assert "Your line “when card 1: bid 99” could not be used: You have" in told(world, first)
    assert world.asked() == {first: ["bid"]}
    world.say(first, "status")
    assert "could not be used" in told(world, first)  # still on the sheet, and still unusable
    assert all("bid 99" not in letter.text for letter in world.letters() if letter.faction != first)


def test_a_game_taken_back_keeps_what_was_filed_before_and_withdraws_what_was_used_since(world: World) -> None:
    world.silent_game("bidding")
    first = world.table().play.questions()[0].faction
    other = next(faction for faction in world.table().play.state.players if faction != first)
    world.say(other, "standing: no revival")
    before = world.table().entries
    world.say(first, "when card 1: pass")
    assert world.table().entries > before
    roll_back(DeskRequest(world.moderator.open_games, GAME, world.now), before)
    assert lines(world, first) == []
    assert lines(world, other) == ["standing: no revival"]
    assert "Sheet lines that were filed, used or ended since then no longer count" in told(world, other)
    assert world.asked() == {first: ["bid"]}


def test_a_sheet_survives_another_process(world: World) -> None:
    world.silent_game("bidding")
    first = world.table().play.questions()[0].faction
    world.say(first, "when card 1 and price < 1: bid 1 twice")
    again = world.another_process()
    (filed,) = again.table().sheets[first].active()
    assert (filed.text, filed.left) == ("when card 1 and price < 1: bid 1 twice", 1)


def test_a_line_for_a_power_of_others_is_refused_with_its_clause(world: World) -> None:
    world.silent_game("bidding")
    world.say("fremen", "when phase battle: voice guild not play shield")
    assert "AH.SHIELD.BG.3-a" in told(world, "fremen")
    assert lines(world, "fremen") == []


def test_a_full_sheet_takes_no_more_lines(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.language.sheets.MOST_LINES", 2)
    world.silent_game("bidding")
    world.say("fremen", "when card 1: bid 5", "when card 2: bid 5", "when card 3: bid 5", "when card 2: bid 6")
    assert lines(world, "fremen") == ["when card 1: bid 5", "when card 2: bid 6"]


def test_nobody_else_can_tell_a_deputy_from_a_player(tmp_path: Path) -> None:
    """A mailed bid and the same bid from a sheet produce identical letters to the others."""
    seen: list[list[bytes]] = []
    for words in ("bid 1", "standing: bid 1 if card 1"):
        (folder := tmp_path / str(len(seen))).mkdir()
        world = World.at(folder)
        world.new_game()
        world.silence_until("bidding")
        first = world.table().play.questions()[0].faction
        world.say(first, words)
        seen.append([letter.message.as_bytes() for letter in world.letters() if letter.faction != first])
        world.engine.dispose()
    assert [_without_boundaries(letter) for letter in seen[0]] == [_without_boundaries(letter) for letter in seen[1]]


def _without_boundaries(letter: bytes) -> bytes:
    return re.sub(rb"={10,}[0-9]+==", b"", letter)


def lines(world: World, faction: Faction) -> list[str]:
    sheet = world.table().sheets.get(faction)
    return [filed.text for filed in sheet.active()] if sheet else []


def test_a_plain_order_for_later_stands_behind_the_lines_with_conditions_for_the_same(world: World) -> None:
    first, later = _two_who_ship(world)
    world.say(later, "no shipment", f"when {first} has shipped: ship 1 to polar sink", "no move")
    assert lines(world, later) == [f"when {first.title()} has shipped: ship 1 to Polar Sink", "no shipment once"]
    assert "no move (kept until it can be played in this phase)" in told(world, later)
    world.say(first, "ship 1 to polar sink", "no move")
    assert f"{later.title()} shipped 1 token to Polar Sink" in told(world, later)


def test_a_plain_order_for_later_goes_before_what_stands_without_conditions(world: World) -> None:
    first, later = _two_who_ship(world)
    world.say(later, "standing: no shipment", "ship 1 to polar sink")
    world.say(first, "no shipment", "no move")
    assert f"{later.title()} shipped 1 token to Polar Sink" in told(world, later)


def _two_who_ship(world: World) -> tuple[Faction, Faction]:
    """Play a game of two to the first shipment; return the faction that must ship and the other one."""
    world.new_game(factions=("atreides", "harkonnen"))
    world.silence_until("movement")
    first = world.table().play.questions()[0].faction
    return first, "harkonnen" if first == "atreides" else "atreides"


def test_pass_all_stands_behind_a_bid_for_a_later_card(world: World) -> None:
    """This applies even while the bid is asked for, and in any order of the lines in the mail."""
    world.silent_game("bidding")
    asked = world.table().play.questions()[0].faction
    world.say(asked, "pass all", "when card 2: bid up to 1")
    assert lines(world, asked) == ["when card 2: bid up to 1", "pass all"]
    assert "pass all (kept until the end of turn 1)" in told(world, asked)
    for faction in world.table().play.state.players:
        if faction != asked:
            world.say(faction, "pass all" if faction == "fremen" else "pass all unless card 2 and price < 1")
            world.say(faction, "bid up to 1 if card 1")
    heard = [event for event in world.table().turn_events or () if event.kind == "passed"]
    assert {event.facts["faction"] for event in heard if event.facts["number"] == 1} >= {asked}
    assert not world.table().play.game.held.get(asked)


def test_a_plain_bid_for_this_card_stands_behind_the_conditions(world: World) -> None:
    world.silent_game("bidding")
    asked = world.table().play.questions()[0].faction
    later = next(f for f in world.table().play.game.order_of_play() if f != asked)
    world.say(later, "when price > 2: pass", "bid up to 3")
    assert lines(world, later) == ["when price > 2: pass", "when card 1: bid up to 3"]


def test_a_line_that_can_never_act_is_told_so_when_it_is_filed(world: World) -> None:
    world.silent_game("bidding")
    world.say("fremen", "standing: no shipment", "standing: pass")
    world.say("fremen", "when card 3: bid 4", "when turn 1: ship 2 to carthag", "when fighting guild: no voice")
    text = told(world, "fremen")
    assert "It will never act, because “standing: pass” comes before it." in text
    assert "It will never act, because “standing: no shipment” comes before it." in text
    assert text.count("It will never act") == 2


def test_a_bid_behind_an_order_to_pass_that_is_held_is_told_so(world: World) -> None:
    world.silent_game("bidding")
    world.say("fremen", "pass all")
    world.say("fremen", "when card 3: bid 4")
    assert "It will never act, because “pass all” comes before it. To change that, send: cancel pass all" in told(
        world, "fremen"
    )
    world.say("fremen", "cancel pass all", "when card 3: bid 4")
    assert "It will never act" not in told(world, "fremen")


def test_what_was_meant_but_not_quite_written_is_told_what_would_be_right(world: World) -> None:
    world.silent_game("bidding")
    world.say("fremen", "standing: charity", "standing: no shipment")
    world.say("fremen", "cancel standing", "ask me", "when harkonnen has a karama: pass")
    text = told(world, "fremen")
    assert "cancel standing: charity cancel standing: no shipment" in text
    assert "“ask me” goes with a condition, like “when card 3: ask me”" in text
    assert "Nobody but Harkonnen knows which cards they hold; you can ask what they have played" in text
    assert lines(world, "fremen") == ["standing: charity", "standing: no shipment"]
