"""Replies to a letter with another player's words: they go only to that player, and only lines written as orders
count as orders."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.desk import speech
from bot.desk.powers import DeskRequest
from bot.games.identity import MailOutcome
from bot.store import press as store
from bot.store.database import reading
from rules.components import Faction
from tests.moderator.table import GAME, World
from tests.press.test_modes_by_mail import game_with


def reply(world: World, faction: Faction, *lines: str) -> MailOutcome:
    """Reply, as a mail program would, to the player's newest letter with another player's words."""
    letter = next(each for each in reversed(world.letters(faction)) if " writes " in each.subject)
    raw = world.mail(
        faction, *lines, subject=f"Re: {letter.subject}", to=str(letter.message["Reply-To"]),
        In_Reply_To=str(letter.message["Message-ID"]),
    )  # fmt: skip
    return world.moderator.deliver(raw, world.now)


def told(world: World, faction: Faction) -> str:
    return " ".join(world.newest(faction).text.split())


def written(world: World) -> list[tuple[str, tuple[str, ...], str]]:
    with reading(world.engine) as conn:
        return [(press.faction, press.readers, press.words) for press in store.press_of_game(conn, GAME)]


def test_an_answer_in_words_goes_to_who_wrote_and_to_nobody_else(begun: World) -> None:
    begun.say("guild", "press to fremen: shall we ally?")
    assert "your words will go to Guild" in told(begun, "fremen")
    before = begun.written()
    assert reply(begun, "fremen", "Yes, gladly.", "Let us meet in Tabr.").taken == 1
    assert [letter.faction for letter in begun.letters(after=before)] == ["guild", "fremen"]
    assert written(begun)[1:] == [("fremen", ("guild",), "Yes, gladly.\nLet us meet in Tabr.")]
    assert "Passed on to Guild: 1 reader." in told(begun, "fremen")
    reply(begun, "guild", "Done, then.")
    assert written(begun)[2:] == [("guild", ("fremen",), "Done, then.")]


def test_the_same_words_go_to_two_players_but_a_receipt_with_another_number_to_nobody_again(begun: World) -> None:
    words = "Sorry, I am not looking for an ally in this turn."
    for other in ("guild", "harkonnen"):
        begun.say(other, "press to fremen: shall we ally?")
        reply(begun, "fremen", words)
    assert written(begun)[1::2] == [("fremen", ("guild",), words), ("fremen", ("harkonnen",), words)]
    for offer in ("I pay 3 for it.", "I pay 4 for it.", "Deine Zuschrift 48291", "Deine Zuschrift 48292"):
        reply(begun, "fremen", offer)
    assert [said for _, _, said in written(begun)[4:]] == [
        "I pay 3 for it.",
        "I pay 4 for it.",
        "Deine Zuschrift 48291",
    ]


def test_an_answer_to_what_went_to_all_goes_to_its_writer_alone_and_says_so(begun: World) -> None:
    begun.say("guild", "press to all: who is with me?")
    reply(begun, "fremen", "I am, but tell nobody.")
    assert written(begun)[1:] == [("fremen", ("guild",), "I am, but tell nobody.")]
    assert "Nobody else got it" in told(begun, "fremen")


@pytest.mark.parametrize("lines", [("No thanks",), ("I pass",), ("I bid five",), ("I will pass.", "Will you?")])
def test_words_that_could_be_an_order_are_neither_passed_on_nor_taken_until_their_writer_says(
    world: World, lines: tuple[str, ...]
) -> None:
    world.silent_game("bidding")
    bidder = next(question.faction for question in world.table().play.questions() if question.kind == "bid")
    other: Faction = "guild" if bidder != "guild" else "fremen"
    world.say(other, f"press to {bidder}: will you bid?")
    log, before = world.table().play.log, world.written()
    assert reply(world, bidder, *lines).taken == 0
    assert world.table().play.log == log
    assert written(world)[1:] == []
    assert [letter.faction for letter in world.letters(after=before)] == [bidder]
    assert "reads like an order" in told(world, bidder)
    world.say(bidder, "send anyway")
    assert written(world)[1:] == [(bidder, (other,), "\n".join(lines))]
    assert world.table().play.log == log


def test_an_order_in_an_answer_counts_and_nothing_beside_it_is_passed_on(world: World) -> None:
    world.silent_game("bidding")
    bidder = next(question.faction for question in world.table().play.questions() if question.kind == "bid")
    other: Faction = "guild" if bidder != "guild" else "fremen"
    world.say(other, f"press to {bidder}: will you bid?")
    log = world.table().play.log
    reply(world, bidder, "My bid, as we said.", "pass")
    assert len(world.table().play.log) > len(log)
    assert written(world)[1:] == []
    assert "The other words were not passed on" in told(world, bidder)


def test_an_order_that_is_mistyped_is_shown_to_nobody(begun: World) -> None:
    begun.say("guild", "press to fremen: hello")
    before = begun.written()
    reply(begun, "fremen", "shpi 3 to arakeen")
    assert [letter.faction for letter in begun.letters(after=before)] == ["fremen"]
    assert "send: ship 3 to Arrakeen" in told(begun, "fremen")


@pytest.mark.parametrize(
    ("mode", "line", "why"),
    [
        ("grey", "press to fremen: hello", "an unsigned letter"),
        ("mixed", "press unsigned to fremen: hello", "an unsigned letter"),
        ("open,gunboat", "press to fremen: hello", "Nobody may know who plays whom in this game"),
        ("public", "press to all: hello", "players write to all or to nobody"),
    ],
)
def test_where_it_could_tell_who_plays_or_is_not_allowed_it_goes_to_nobody(
    world: World, mode: str, line: str, why: str
) -> None:
    game_with(world, mode)
    world.say("guild", line)
    world.wait(3)
    letter = next(each for each in reversed(world.letters("fremen")) if "hello" in each.text)
    assert "If you answer this letter" not in letter.text
    before = world.written()
    raw = world.mail("fremen", "Yes, gladly.", "Ann", In_Reply_To=str(letter.message["Message-ID"]))
    assert world.moderator.deliver(raw, world.now).taken == 0
    world.wait(3)
    assert why in " ".join(" ".join(each.text for each in world.letters("fremen", after=before)).split())
    assert [each.faction for each in world.letters(after=before)] == ["fremen"]


@pytest.mark.parametrize("identity", [".9.p99.", ".9.p0.", ".9."])
def test_an_answer_to_a_letter_that_never_was_is_a_mail_like_any_other(begun: World, identity: str) -> None:
    begun.say("guild", "press to fremen: hello")
    forged = f"<{GAME}.fremen{identity}{begun.token('fremen')}@arrakis.example>"
    begun.moderator.deliver(begun.mail("fremen", "Yes, gladly.", In_Reply_To=forged), begun.now)
    assert written(begun)[1:] == []


def test_who_is_muted_answers_nobody(begun: World) -> None:
    begun.say("guild", "press to fremen: hello")
    speech.mute(DeskRequest(begun.moderator.open_games, GAME, begun.now), "fremen")
    letter = next(each for each in begun.letters("fremen") if "Guild writes to you" in each.subject)
    raw = begun.mail("fremen", "Yes.", In_Reply_To=str(letter.message["Message-ID"]))
    assert begun.moderator.deliver(raw, begun.now).taken == 0
    assert written(begun)[1:] == []


def test_two_programs_that_answer_by_themselves_come_to_an_end(begun: World) -> None:
    begun.say("guild", "press to fremen: hello")
    for _ in range(3):
        reply(begun, "fremen", "I am at sea, and answer when I am back.")
        reply(begun, "guild", "Thank you for your mail.")
    assert [words for _, _, words in written(begun)[1:]] == [
        "I am at sea, and answer when I am back.", "Thank you for your mail.",
    ]  # fmt: skip
    assert "within the last day" in told(begun, "fremen")


def test_who_is_muted_has_nothing_left_for_a_second_thought_either(world: World) -> None:
    world.silent_game("bidding")
    bidder = next(question.faction for question in world.table().play.questions() if question.kind == "bid")
    other: Faction = "guild" if bidder != "guild" else "fremen"
    world.say(other, f"press to {bidder}: will you bid?")
    speech.mute(DeskRequest(world.moderator.open_games, GAME, world.now), bidder)
    letter = next(each for each in world.letters(bidder) if "writes to you" in each.subject)
    raw = world.mail(bidder, "I will pass.", "Will you?", In_Reply_To=str(letter.message["Message-ID"]))
    taken = world.moderator.deliver(raw, world.now)
    assert (taken.disposition, taken.taken) == ("orders", 0)
    assert "reads like an order" not in told(world, bidder)
    assert "The game master has ruled that for now you may write only to the game master" in told(world, bidder)
    speech.unmute(DeskRequest(world.moderator.open_games, GAME, world.now), bidder)
    assert world.say(bidder, "send anyway").taken == 0
    assert "No message of yours is being held" in told(world, bidder)
    assert written(world)[1:] == []


def test_the_same_words_were_said_already_only_to_the_same_reader_and_within_a_day(begun: World) -> None:
    begun.say("guild", "press to fremen: shall we ally?")
    begun.say("fremen", "press to emperor, guild: Yes, gladly.", "press to emperor: Yes, gladly.")
    assert reply(begun, "fremen", "Yes, gladly.").taken == 1
    assert reply(begun, "fremen", "Yes, gladly.").taken == 0
    begun.now += timedelta(hours=24)
    assert reply(begun, "fremen", "Yes, gladly.").taken == 1
    assert [readers for faction, readers, _ in written(begun) if faction == "fremen"] == [
        ("emperor", "guild"), ("emperor",), ("guild",), ("guild",),
    ]  # fmt: skip


def test_an_answer_to_an_older_letter_goes_to_who_wrote_that_one(begun: World) -> None:
    begun.say("guild", "press to fremen: shall we ally?")
    older = begun.newest("fremen")
    begun.say("emperor", "press to fremen: or we two?")
    raw = begun.mail("fremen", "Yes, gladly.", In_Reply_To=str(older.message["Message-ID"]))
    assert begun.moderator.deliver(raw, begun.now).taken == 1
    assert written(begun)[2:] == [("fremen", ("guild",), "Yes, gladly.")]


def test_an_answer_without_a_word_goes_to_nobody(begun: World) -> None:
    begun.say("guild", "press to fremen: shall we ally?")
    before = begun.written()
    assert reply(begun, "fremen", "> shall we ally?").taken == 0
    assert written(begun)[1:] == []
    assert {letter.faction for letter in begun.letters(after=before)} <= {"fremen"}
