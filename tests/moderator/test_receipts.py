"""Receipts for accepted orders: in the next letter, or in a letter of their own before the deadline or on request."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import clocks
from bot.desk.powers import DeskRequest
from rules.components import Faction
from tests.moderator.table import FOLDS, GAME, Sent, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
SAID = "Taken from your mail: "


@pytest.fixture
def folds(tmp_path: Path) -> World:
    return World.at(tmp_path, FOLDS)


def said_to(world: World, faction: Faction, *lines: str) -> list[Sent]:
    """Send a player's mail and return the letters to that player that follow."""
    before = world.written()
    world.say(faction, *lines)
    return [letter for letter in world.letters(after=before) if letter.faction == faction]


def words(letter: Sent) -> str:
    return " ".join(letter.text.split())


def test_what_was_plainly_taken_stands_in_the_next_letter_and_in_none_after_it(folds: World) -> None:
    folds.new_game(factions=FEW)
    line = folds.line("guild", "traitor")
    assert said_to(folds, "guild", "Hello,", line) == []
    assert folds.table().seats["guild"].taken == [line, "“Hello,” (no order)"]
    (status,) = said_to(folds, "guild", "status")
    assert f"{SAID}{line}; “Hello,” (no order)." in words(status)
    (again,) = said_to(folds, "guild", "status")
    assert SAID not in words(again)
    assert folds.table().seats["guild"].receipt_due is None


def test_a_question_that_the_mail_leads_to_confirms_it_at_once(folds: World) -> None:
    folds.new_game(factions=FEW, max_turns=1)
    for faction in ("atreides", "harkonnen"):
        assert said_to(folds, faction, folds.line(faction, "traitor")) == []
    before = folds.written()
    line = folds.line("guild", "traitor")
    folds.say("guild", line)
    asked = {letter.faction: letter for letter in folds.letters(after=before) if "?" in letter.subject}
    assert "atreides" in asked
    assert all(SAID in words(letter) for letter in asked.values())


@pytest.mark.parametrize(
    "lines", [("{line}", "biid 3"), ("{line}", "status"), ("ship 3 to nowhere",), ("I want to keep {name}, please",)]
)
def test_a_line_that_was_refused_or_changed_or_asks_for_something_is_answered_at_once(
    folds: World, lines: tuple[str, ...]
) -> None:
    folds.new_game(factions=FEW)
    line = folds.line("guild", "traitor")
    name = line.removeprefix("traitor ")
    (answer,) = said_to(folds, "guild", *(each.format(line=line, name=name) for each in lines))
    assert answer.message["Auto-Submitted"] == "auto-replied"


def test_who_asks_for_receipts_gets_one_for_every_mail(folds: World) -> None:
    folds.new_game(factions=FEW)
    line = folds.line("guild", "traitor")
    (told,) = said_to(folds, "guild", "letters receipts")
    assert "we will answer all your mail at once" in words(told)
    (receipt,) = said_to(folds, "guild", line)
    assert f"{SAID}{line}." in words(receipt)
    (told,) = said_to(folds, "guild", "letters no receipts")
    assert "From now on your next letter will say" in words(told)
    assert said_to(folds, "guild", line) == []


def test_a_receipt_goes_out_alone_once_when_a_reminder_would_and_survives_a_restart(folds: World) -> None:
    folds.new_game(factions=FEW)
    line = folds.line("guild", "traitor")
    folds.say("guild", line)
    due = max(each.due for each in folds.table().deadlines.values())
    assert folds.table().seats["guild"].receipt_due == due - timedelta(hours=6)
    other = folds.another_process()
    other.now = due - timedelta(hours=6, minutes=1)
    before = other.written()
    other.moderator.timekeeper.tick(other.now)
    assert [letter for letter in other.letters(after=before) if letter.faction == "guild"] == []
    other.now += timedelta(minutes=1)
    for _ in range(3):
        other.moderator.timekeeper.tick(other.now)
    reminded = {letter.faction: letter for letter in other.letters(after=before)}
    assert len(other.letters(after=before)) == len(reminded) == 2, "Harkonnen keep all traitors, and are asked nothing"
    assert reminded["guild"].subject == f"[{GAME}] taken: {line}"
    assert f"Your order is taken {'=' * 19} {SAID}{line}." in words(reminded["guild"])
    assert "(reminder)" in reminded["atreides"].subject


def test_two_mails_wait_for_one_receipt_and_a_late_one_comes_within_minutes(folds: World) -> None:
    folds.new_game(factions=FEW)
    lines = [folds.line("guild", "traitor")] * 2
    folds.say("guild", lines[0])
    folds.now = max(each.due for each in folds.table().deadlines.values()) - timedelta(hours=6, minutes=3)
    folds.say("guild", lines[1])
    before = folds.written()
    folds.wait(0.05)
    (receipt,) = [letter for letter in folds.letters(after=before) if letter.faction == "guild"]
    assert f"{SAID}{lines[0]}; {lines[1]}." in words(receipt)
    folds.say("guild", lines[0])
    due = folds.table().seats["guild"].receipt_due
    assert due is not None
    assert timedelta() < due - folds.now <= timedelta(minutes=10)


def test_while_nothing_goes_on_by_itself_each_mail_is_answered(folds: World) -> None:
    folds.new_game(factions=FEW)
    clocks.pause(DeskRequest(folds.moderator.open_games, GAME, folds.now))
    assert len(said_to(folds, "guild", folds.line("guild", "traitor"))) == 1


def test_a_letter_that_fails_leaves_the_receipt_for_the_next(folds: World, monkeypatch: pytest.MonkeyPatch) -> None:
    folds.new_game(factions=FEW)
    line = folds.line("guild", "traitor")
    folds.say("guild", line)

    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("bot.render.letters.receipt", fails)
    folds.wait(18.1)
    monkeypatch.undo()
    assert folds.table().seats["guild"].taken == [line]
    before = folds.written()
    folds.wait(0.1)
    assert [SAID + line in words(each) for each in folds.letters(after=before) if each.faction == "guild"] == [True]
