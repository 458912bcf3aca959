"""Deadlines: silence gives the default answer, reminders go out once, and nothing happens twice."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.games import proof
from bot.games.proof import verify_file
from bot.language.orders import write
from bot.record.reader import NotARecord
from bot.store.database import reading, writing
from bot.store.tables import DEADLINE
from rules.components import Faction
from rules.orders import Deal, Truthtrance
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, START, World

FEW: tuple[Faction, ...] = ("atreides", "emperor", "guild")


def dues(world: World) -> dict[str, datetime]:
    """Map each faction to the due time of its question at the open stop."""
    table = world.table()
    return {q.faction: due for q in table.play.questions() if (due := table.due(q))}


@pytest.mark.parametrize("ruleset", ["ah-basic", "wbc-2018"])
def test_a_silent_table_of_six_plays_a_whole_game_by_the_clock_alone(
    world: World, ruleset: str, tmp_path: Path
) -> None:
    """Every player also receives the record, which proves the game without our database."""
    world.new_game(ruleset, max_turns=4)
    ticks = 0
    while world.wait(24):
        ticks += 1
        assert ticks < 1000
    table = world.table()
    assert table.status == "over"
    assert table.play.over
    with reading(world.engine) as conn:
        assert proof.verify(proof.full_record(conn, GAME)).holds
    for faction in table.seats:
        (end,) = [letter for letter in world.letters(faction) if "one secret seed: " in " ".join(letter.text.split())]
        (attached,) = end.message.iter_attachments()
        assert attached.get_filename() == f"{GAME}.jsonl.gz"
        file = tmp_path / f"{faction}.jsonl.gz"
        file.write_bytes(attached.get_content())
        assert verify_file(file).holds


def test_where_its_record_is_damaged_a_game_is_proved_by_its_log(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object) -> bytes:
        raise NotARecord("line 7 is missing")

    monkeypatch.setattr("bot.games.letter_writer.record_lines", damaged)
    world.new_game(factions=FEW)
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    (attached,) = world.newest("guild").message.iter_attachments()
    assert attached.get_filename() == f"{GAME}.json.gz"
    file = tmp_path / f"{GAME}.json.gz"
    file.write_bytes(attached.get_content())
    assert verify_file(file).holds


@pytest.mark.parametrize("line", ["status", "", "bid 3", "deal with emperor: peace", "press to emperor: Well played!"])
def test_a_mail_after_the_end_is_answered_and_nobody_gets_the_last_letters_once_more(world: World, line: str) -> None:
    world.new_game(factions=FEW)
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    before = world.written()
    world.say("guild", line)
    told = [(letter.faction, letter.subject) for letter in world.letters(after=before)]
    press = [("emperor", f"[{GAME}] Guild writes to you")] if line.startswith("press") else []
    assert told[:-1] == press
    assert told[-1][0] == "guild"
    assert told[-1][1].startswith(f"[{GAME}] T1 ")


def test_orders_after_the_end_are_refused_as_the_game_is_over_and_nobody_is_told_to_wait(world: World) -> None:
    world.new_game(factions=FEW)
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    world.say("guild", "bid 3", "standing: charity", "deal with emperor: peace")
    told = " ".join(world.newest("guild").text.split())
    for line in ("bid 3", "standing: charity", "deal with emperor: peace"):
        assert f"{line} REFUSED The game is over." in told
    assert "NOTHING TO DO RIGHT NOW The game is over. You can send" in told
    assert world.table().sheets == {}


def test_ticking_twice_at_one_instant_does_nothing_more(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(12):
        world.wait(24)
        letters, state = len(world.letters()), world.table().play.state
        assert world.moderator.timekeeper.tick(world.now) == 0
        assert (len(world.letters()), world.table().play.state) == (letters, state)


def test_before_its_deadline_no_question_is_answered_by_silence(world: World) -> None:
    world.new_game(factions=FEW)
    assert world.wait(23.99) == 0
    assert world.asked().keys() == set(FEW)
    assert world.wait(0.01) == 1


def test_an_answer_gives_nobody_else_a_new_deadline(world: World) -> None:
    world.new_game(factions=FEW)
    world.wait(5)
    world.say("guild", world.line("guild", "traitor"))
    assert dues(world) == dict.fromkeys(("atreides", "emperor"), START + timedelta(hours=24))


def test_only_new_questions_get_a_deadline_of_a_whole_step(world: World) -> None:
    world.new_game(factions=FEW)
    world.wait(5)
    for faction in FEW:
        world.say(faction, world.line(faction, "traitor"))
    assert set(dues(world).values()) == {world.now + timedelta(hours=24)}


def test_who_is_silent_is_reminded_once_and_who_has_answered_is_not(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", world.line("guild", "traitor"))
    before = len(world.letters())
    world.wait(17.9)
    assert len(world.letters()) == before
    world.wait(0.2)
    world.wait(0.2)
    reminders = world.letters()[before:]
    assert sorted(letter.faction or "" for letter in reminders) == ["atreides", "emperor"]


def test_two_reminders_where_the_settings_want_two(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\nstep_hours = 48\nreminder_hours = [24, 6]\n")
    world.new_game(factions=FEW)
    before = len(world.letters("guild"))
    for _ in range(47):
        world.wait(1)
    assert len(world.letters("guild")) == before + 2


def test_a_clock_that_was_stopped_for_long_reminds_once(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\nstep_hours = 48\nreminder_hours = [24, 6]\n")
    world.new_game(factions=FEW)
    before = len(world.letters("guild"))
    world.wait(47)
    world.wait(0.1)
    assert len(world.letters("guild")) == before + 1


def test_a_clock_that_is_behind_reminds_of_nothing_that_it_has_not_seen_asked(world: World) -> None:
    """One machine may process the mail while another, with a slow clock, runs the deadlines."""
    world.new_game(factions=FEW)
    with writing(world.engine, GAME) as conn:  # due soon, like the answer to an offer at the end of a phase
        conn.execute(update(DEADLINE).values(due=START + timedelta(hours=1), until=START + timedelta(hours=1)))
    before = len(world.letters())
    world.moderator.timekeeper.tick(START - timedelta(minutes=1))
    assert len(world.letters()) == before
    world.moderator.timekeeper.tick(START)
    assert len(world.letters()) == before + 3


def test_a_reminder_hides_no_news(world: World) -> None:
    world.new_game(factions=FEW)
    told = world.table().seats["guild"].told
    world.wait(19)
    assert world.newest("guild").subject != world.letters("guild")[0].subject
    assert world.table().seats["guild"].told == told


def test_press_and_notices_hide_no_news(world: World) -> None:
    world.new_game(factions=FEW)
    for faction in FEW[:2]:
        world.say(faction, world.line(faction, "traitor"))
    told = world.table().seats["emperor"].told
    world.say("guild", "press to emperor: beware of the worm")
    assert "beware of the worm" in world.newest("emperor").text
    assert world.table().seats["emperor"].told == told


# --- a card played at a stop ---------------------------------------------------------------------------------------


def give_card(world: World, faction: Faction, card: str) -> None:
    """Put a card into a faction's hand, both in memory and in the snapshot from which the game resumes."""
    from msgspec import msgpack

    from bot.store.database import unpack, writing
    from bot.store.tables import SNAPSHOT
    from rules.components import Card
    from rules.state.state import State

    with writing(world.engine) as conn:
        row = conn.execute(SNAPSHOT.select().order_by(SNAPSHOT.c.number.desc()).limit(1)).one()
        state = msgpack.Decoder(State).decode(unpack(row.state))
        state.players[faction].hand.append(Card(card))
        same = SNAPSHOT.c.number == row.number
        conn.execute(SNAPSHOT.update().where(same).values(state=msgpack.encode(state)))
    world.moderator.open_games.forget()


def test_a_truthtrance_stops_the_clock_of_the_others_and_leaves_them_half_a_step(world: World) -> None:
    world.new_game(factions=FEW)
    world.silence_until("bidding")
    give_card(world, "emperor", "Truthtrance")
    (bidder,) = (q.faction for q in world.table().play.questions() if q.kind == "bid")
    first = dues(world)[bidder]
    asked = Truthtrance("guild" if bidder != "guild" else "atreides", "Do you hold a Karama?")
    world.wait(20)
    assert world.say("emperor", write(asked)).taken == 1
    assert world.asked() == {asked.faction: ["truthtrance-answer"]}
    assert world.wait(20) == 0  # past the bidder's own deadline
    world.say(asked.faction, "answer no")
    assert dues(world) == {bidder: world.now + timedelta(hours=12)}
    assert dues(world)[bidder] > first


def test_an_extension_moves_what_is_open_and_not_what_waits_below_it(world: World) -> None:
    world.new_game(factions=FEW)
    world.silence_until("bidding")
    give_card(world, "emperor", "Truthtrance")
    (below,) = world.table().deadlines
    world.wait(2)
    world.say("emperor", write(Truthtrance("guild", "Do you hold a Karama?")))
    before = world.table().deadlines
    clocks.extend(DeskRequest(world.moderator.open_games, GAME, world.now), 12)
    moved = {place: deadline.due - before[place].due for place, deadline in world.table().deadlines.items()}
    assert moved.pop(below) == timedelta()
    assert list(moved.values()) == [timedelta(hours=12)]


def test_silence_to_a_truthtrance_that_nobody_can_check_is_no_answer_and_the_game_master_hears_of_it(
    world: World,
) -> None:
    world.new_game(factions=FEW)
    world.silence_until("bidding")
    give_card(world, "emperor", "Truthtrance")
    missed = world.table().seats["guild"].missed
    assert world.say("emperor", write(Truthtrance("guild", "Will you be kind to me?"))).taken == 0
    assert world.say("emperor", "yes").taken == 1  # to ask it though nobody can check it
    while "truthtrance-answer" in world.asked().get("guild", []):
        world.wait(24)
    table = world.table()
    assert table.play.state.truths == ["Guild to Emperor: Will you be kind to me? No answer."]
    assert table.play.state.promises == []
    assert table.seats["guild"].missed > missed
    letters = [" ".join(letter.text.split()) for letter in world.letters(GAME_MASTER)]
    assert sum("The question: Will you be kind to me?" in text for text in letters) == 1


def test_the_game_master_does_not_hear_of_a_truthtrance_that_silence_answered_with_the_truth(world: World) -> None:
    world.new_game(factions=FEW)
    world.silence_until("bidding")
    give_card(world, "emperor", "Truthtrance")
    assert world.say("emperor", write(Truthtrance("guild", "Do you hold a Truthtrance?"))).taken == 1
    while "truthtrance-answer" in world.asked().get("guild", []):
        world.wait(24)
    assert world.table().play.state.truths == ["Guild to Emperor: Do you hold a Truthtrance? No."]
    assert not any("Do you hold a Truthtrance?" in letter.text for letter in world.letters(GAME_MASTER))


def test_an_offer_between_two_changes_nothing_for_the_others(world: World) -> None:
    world.new_game(factions=FEW)
    world.silence_until("bidding")
    bidder = next(q.faction for q in world.table().play.questions() if q.kind == "bid")
    one, other = (faction for faction in FEW if faction != bidder)
    first = dues(world)[bidder]
    before = len(world.letters(bidder))
    world.wait(3)
    assert world.say(one, write(Deal(other, "Peace in Arrakeen", 0, 0))).taken == 1
    assert dues(world) == {bidder: first, other: world.now + timedelta(hours=24)}
    world.say(other, "decline")
    assert dues(world)[bidder] == first
    assert len(world.letters(bidder)) == before


def test_an_offer_keeps_its_own_time_while_the_game_goes_on(world: World) -> None:
    world.new_game(factions=FEW)
    world.silence_until("bidding")
    bidder = next(q.faction for q in world.table().play.questions() if q.kind == "bid")
    one, other = (faction for faction in FEW if faction != bidder)
    world.wait(3)
    world.say(one, write(Deal(other, "Peace in Arrakeen", 0, 0)))
    offered, letters = world.now, len(world.letters(other))
    assert world.say(bidder, "pass").taken == 1
    table = world.table()
    (offer,) = (q for q in table.play.questions() if q.kind == "offer")
    assert table.due(offer) == offered + timedelta(hours=24)
    asked_to_bid = [q.faction for q in table.play.questions() if q.kind == "bid"]
    assert len(world.letters(other)) == letters + asked_to_bid.count(other)
    world.wait(24)
    assert not [q for q in world.table().play.questions() if q.kind == "offer"]


def test_a_game_in_memory_holds_no_more_of_its_past_than_one_that_was_just_opened(world: World) -> None:
    world.new_game(factions=FEW)
    phases = set[str]()
    while len(phases) < 4:
        with reading(world.engine) as conn:
            kept = world.moderator.open_games.table(conn, GAME).play
        phases.add(kept.state.phase)
        assert world.wait(24)
        opened = world.table().play
        assert kept.state == opened.state
        assert (kept.entries_before, kept.log, kept.before) == (opened.entries_before, opened.log, opened.before)
