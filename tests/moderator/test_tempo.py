"""Tempos by mail: calls for sheets, sheet windows, and the questions asked at each tempo."""

from __future__ import annotations

import tomllib
from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import clocks
from bot.desk.new_game import NewGame, new_game
from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest
from bot.table import rounds
from bot.table.clock import TEMPO_FILE, UnknownTempo, tempo, tempo_names
from rules.components import FACTIONS, Faction
from rules.components.facts import data_file
from rules.decisions.windows import karama_cards
from rules.orders import ANSWERS
from tests.moderator.table import CALLS, GAME, World
from tests.moderator.twins import without_heads

RULESET = "wbc-2018"


def _at_the_call(world: World, tempo_name: str, phase: str, turn: int = 1) -> None:
    """Start a game and let time pass in silence until a call opens."""
    world.silent_game(phase, turn, RULESET, tempo_name)
    assert rounds.call_of(world.table()) is not None


def test_there_are_three_tempos_and_steady_is_what_a_game_has_if_nothing_is_said(world: World) -> None:
    assert tempo_names() == ("table", "steady", "swift")
    seats: dict[Faction, str] = {"guild": "ann@example.org", "fremen": "bob@example.org"}
    dots: dict[Faction, int] = {"guild": 2, "fremen": 5}
    made = new_game(world.moderator.open_games, NewGame("plain", RULESET, seats, dots, "spice"), world.now)
    assert made.tempo == world.table("plain").tempo == "steady"


@pytest.mark.parametrize("name", ["table", "steady", "swift"])
def test_the_first_letter_says_what_tempo_the_game_has_and_that_there_are_sheets(world: World, name: str) -> None:
    world.new_game(RULESET, tempo=name)
    first = " ".join(world.newest("guild").text.split())
    assert tempo(name).says in first
    assert "Your sheet holds orders that wait for a condition" in first


def test_an_unknown_tempo_is_refused_with_those_that_there_are(world: World) -> None:
    with pytest.raises(UnknownTempo, match="table, steady, swift"):
        world.new_game(RULESET, tempo="presto")


def test_the_file_of_tempos_names_only_kinds_of_question_that_exist() -> None:
    kinds = {kind for answered in ANSWERS.values() for kind in answered} | {"offer", "truthtrance-answer"}
    for name, profile in tomllib.loads(data_file(TEMPO_FILE).read_text(encoding="utf-8")).items():
        named = {*profile.get("hours", {}), *profile.get("sheet", {})}
        named |= {kind for part in profile.get("round", {}).values() for kind in part["at"]}
        assert {kind.partition(" ")[0] for kind in named} <= kinds, name
        assert all(0 < part["hours"] <= 1 for part in profile.get("round", {}).values())


def test_at_the_table_every_window_is_held_open_and_nobody_is_called() -> None:
    profile = tempo("table")
    assert profile.window_is_open("karama-window", "voice")
    assert profile.window_is_open("traitor-call")
    assert profile.rounds == ()
    assert profile.hours("bid") == 1


@pytest.mark.parametrize("name", ["steady", "swift"])
def test_a_call_goes_to_everybody_at_once_with_the_same_lines_to_fill_in(world: World, name: str) -> None:
    world.new_game(RULESET, tempo=name)
    world.silence_until("charity")
    called = [letter for letter in world.letters() if any(asks in letter.subject for asks in CALLS)]
    assert sorted(letter.faction or "" for letter in called) == sorted(FACTIONS)
    prepared = {_prepared(letter.text) for letter in called}
    assert len(prepared) == 1
    assert "when card _: bid up to _" in prepared.pop()
    assert len({letter.subject for letter in called}) == 1


def test_whoever_answered_a_call_is_told_when_the_round_goes_on_whoever_else_has_answered(world: World) -> None:
    _at_the_call(world, "steady", "charity")
    due = world.table().call_due
    world.say("guild", "waive reactions until revival")
    first = world.newest("guild").text
    world.say("fremen", "waive reactions until revival")
    world.say("guild", "status")
    line = "The round will go on once everybody has answered, but no later than"
    assert world.table().call_due == due
    assert line in " ".join(first.split())
    assert line in " ".join(world.newest("guild").text.split())


def test_the_call_for_the_battles_says_to_each_whether_they_fight(world: World) -> None:
    _at_the_call(world, "steady", "revival")
    world.say("guild", "ship 1 to carthag")
    world.silence_until("battle")
    told = {letter.faction: " ".join(letter.text.split()) for letter in world.letters() if CALLS[3] in letter.subject}
    assert "You fight in Carthag against Harkonnen." in told["guild"]
    assert "You fight in Carthag against Guild." in told["harkonnen"]
    holders = {faction for faction in FACTIONS if karama_cards(world.table().play.game, faction)}
    assert set(told) == {"guild", "harkonnen"} | holders, "nobody else is called to their battle"
    assert all("You do not fight." in told[faction] for faction in holders - {"guild", "harkonnen"})
    assert all(rounds.awaits(world.table(), faction) for faction in FACTIONS)


def test_orders_for_a_later_phase_of_the_round_are_kept_when_the_call_is_answered(world: World) -> None:
    _at_the_call(world, "steady", "charity")
    world.say("guild", "bid up to 2", "when card 2: bid up to 4", "waive reactions until revival")
    answer = world.newest("guild").text
    assert "bid up to 2 (kept until the end of turn 1)" in answer
    assert "REFUSED" not in answer


def test_a_plain_order_for_a_later_phase_of_the_round_still_stands_after_other_mails(world: World) -> None:
    _at_the_call(world, "steady", "charity")
    world.say("guild", "bid up to 2")
    world.say("fremen", "pass all")
    assert [filed.text for filed in world.table().sheets["guild"].active()] == ["bid up to 2"]
    assert "bid up to 2" in world.newest("guild").text
    for faction in FACTIONS:
        world.say(faction, "status" if faction == "guild" else "pass all")
    assert "(card 1) for 1 spice" in " ".join(world.newest("guild").text.split())


def test_a_plain_order_for_a_later_phase_of_the_round_can_be_taken_back(world: World) -> None:
    _at_the_call(world, "steady", "charity")
    world.say("guild", "bid up to 2")
    world.say("guild", "cancel bid up to 2")
    assert "Withdrawn: bid up to 2." in world.newest("guild").text
    assert not world.table().sheets["guild"].active()


def test_a_bid_of_a_later_phase_is_refused_where_no_call_asks_for_it(world: World) -> None:
    world.new_game(RULESET, tempo="table")
    world.silence_until("charity")
    world.say("guild", "bid up to 2")
    assert "REFUSED" in world.newest("guild").text


def test_the_cards_are_sold_at_once_when_everybody_has_sent_a_sheet(world: World) -> None:
    _at_the_call(world, "steady", "charity")
    for faction in FACTIONS:
        assert world.table().play.state.phase == "charity"
        world.say(faction, "bid up to 1", "waive reactions until revival")
    assert world.table().play.state.phase == "revival"


def test_who_has_no_tokens_in_the_tanks_is_not_waited_for_in_the_revival(world: World) -> None:
    _at_the_call(world, "steady", "charity")
    for faction in FACTIONS:
        world.say(faction, "pass all")
    assert world.table().play.state.phase == "revival"
    for faction in FACTIONS:
        world.say(faction, "no shipment", "no move")
    assert world.table().play.state.phase not in ("revival", "movement")


def test_the_letter_of_a_call_says_first_what_it_calls_for(world: World) -> None:
    _at_the_call(world, "steady", "charity")
    letter = next(letter for letter in world.letters("guild") if "your bids for this turn?" in letter.subject)
    assert letter.subject.startswith(f"[{GAME}] T1 your bids for this turn? and 1 more by ")
    assert letter.text.index("Your bids for this turn? Charity?") < letter.text.index("* Charity?")


def test_a_sheet_window_waits_for_nobody_after_the_call_is_over(world: World) -> None:
    _at_the_call(world, "steady", "storm", turn=2)
    assert set(world.asked()) == set(FACTIONS)
    assert world.wait(12) == 1
    assert world.table().play.state.phase != "storm"


def test_who_has_answered_the_call_is_not_waited_for_in_its_windows(world: World) -> None:
    _at_the_call(world, "steady", "storm", turn=2)
    for faction in FACTIONS[:-1]:
        world.say(faction, "no storm cards")
    assert set(world.asked()) == {"harkonnen"}
    world.say("harkonnen", "no storm cards")
    assert world.table().play.state.phase != "storm"


def test_no_letter_goes_out_for_a_sheet_window_alone(world: World) -> None:
    _at_the_call(world, "steady", "revival")
    for faction in FACTIONS[1:]:
        world.say(faction, "no revival")
    before = len(world.letters("harkonnen"))
    world.say("atreides", "no revival", "no shipment", "no move")
    unasked = [
        letter for letter in world.letters("harkonnen")[before:] if letter.message["Auto-Submitted"] != "auto-replied"
    ]
    asked = "harkonnen" in world.asked()
    assert len(unasked) == asked


def test_a_duty_of_the_round_is_not_due_before_its_call(world: World) -> None:
    _at_the_call(world, "steady", "charity")
    closes = world.table().call_due
    for faction in FACTIONS:
        world.say(faction, "no charity")
    table = world.table()
    assert table.play.state.phase == "bidding"
    (bid,) = (question for question in table.play.questions() if question.kind == "bid")
    due = table.due(bid)
    assert closes is not None
    assert due is not None
    assert due >= closes


@pytest.mark.parametrize(("phase", "turn"), [("charity", 1), ("revival", 1)])
def test_a_game_that_is_taken_back_to_a_call_asks_everybody_again(world: World, phase: str, turn: int) -> None:
    _at_the_call(world, "steady", phase, turn)
    entries, asked = world.table().entries, world.asked()
    for faction in FACTIONS:
        world.say(faction, "waive reactions until mentat", "no charity" if phase == "charity" else "status")
    roll_back(DeskRequest(world.moderator.open_games, GAME, world.now), entries)
    for faction in FACTIONS:
        assert any(asks in world.newest(faction).subject for asks in CALLS)
    assert world.wait(1) == 0
    assert (world.table().play.state.phase, world.asked()) == (phase, asked)
    for faction in FACTIONS:
        world.say(faction, "waive reactions until mentat", "no charity", "no revival", "no storm cards")
    assert world.table().play.state.phase != phase


def test_the_guild_is_asked_when_it_goes_only_if_its_sheet_wants_that(world: World) -> None:
    _at_the_call(world, "steady", "revival")
    for faction in FACTIONS:
        world.say(faction, "no revival", *(["when phase movement: ask me"] if faction == "guild" else []))
    assert world.asked() == {"guild": ["guild-timing"]}
    world.say("guild", "wait")
    assert "guild-timing" not in world.asked().get("guild", [])


def _prepared(text: str) -> str:
    """Return the form's lines that are prepared for the sheet."""
    form = text.partition("# for the whole round")[2]
    return form.partition("[end of form")[0]


def test_the_answer_to_a_sheet_says_what_is_not_asked_at_this_tempo(world: World) -> None:
    _at_the_call(world, "steady", "charity")
    world.say("guild", "bid up to 2")
    answer = " ".join(world.newest("guild").text.split())
    assert "does not mention charity, when to move and a call of treachery, we will not ask you" in answer
    assert "a call of treachery" not in answer.partition("We would still ask you for")[2].partition(".")[0]


@pytest.mark.parametrize("name", ["steady", "swift"])
def test_what_lies_in_a_sheet_changes_no_letter_to_others(tmp_path: Path, name: str) -> None:
    """The others get the same letters at the same times whether or not the Guild's sheet plans to stop a shipment."""
    seen: list[list[tuple[object, ...]]] = []
    for reaction in ("no karama", "when window shipment: karama stop shipment"):
        folder = tmp_path / str(len(seen))
        folder.mkdir()
        world = World.at(folder)
        _at_the_call(world, name, "revival")
        world.say("guild", "no revival", f"standing: {reaction}")
        for faction in FACTIONS:
            world.say(faction, "no revival", "ship 1 to polar sink", "no move")
        for _ in range(8):
            world.wait(6)
        seen.append([
            (letter.faction, letter.subject, without_heads(letter.text), str(letter.message["Date"]))
            for letter in world.letters()
            if letter.faction != "guild"
        ])  # fmt: skip
        world.engine.dispose()
    assert seen[0] == seen[1]


def test_more_time_is_more_time_for_the_open_call_and_the_windows_that_are_due_with_it(world: World) -> None:
    _at_the_call(world, "steady", "storm", turn=2)
    due = world.table().call_due
    assert due is not None
    world.say("guild", "extend 10")
    table = world.table()
    assert table.call_due == due + timedelta(hours=10)
    assert {table.due(question) for question in table.play.questions()} == {due + timedelta(hours=10)}
    assert "extended by 10 hours" in " ".join(world.newest("fremen").text.split())
    assert world.wait(21.9) == 0
    assert world.wait(0.1) == 1


def test_more_time_from_the_game_master_is_more_time_for_the_open_call(world: World) -> None:
    _at_the_call(world, "steady", "charity")
    due = world.table().call_due
    assert due is not None
    clocks.extend(DeskRequest(world.moderator.open_games, GAME, world.now), 10)
    assert world.table().call_due == due + timedelta(hours=10)


def test_no_time_of_a_call_goes_by_while_the_clocks_are_stopped_and_letters_say_so(world: World) -> None:
    _at_the_call(world, "steady", "storm", turn=2)
    asked = world.asked()
    clocks.pause(DeskRequest(world.moderator.open_games, GAME, world.now))
    world.now += timedelta(days=9)
    world.say("guild", "status")
    assert world.asked() == asked
    letter = " ".join(world.newest("guild").text.split())
    assert "The clocks of this game are stopped; nothing falls due until they start again." in letter
    assert "2024" not in letter
    assert " by " not in letter.partition("Anything for the storm?")[2].partition("Send")[0]
    clocks.resume(DeskRequest(world.moderator.open_games, GAME, world.now))
    assert world.wait(11.9) == 0
    assert world.wait(0.1) == 1
