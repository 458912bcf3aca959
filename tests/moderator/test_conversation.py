"""Replies to Mentat's letters: "yes" to a proposal, corrections, and replies that come too late."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest
from bot.desk.seats import set_sitter
from bot.store.database import reading
from bot.store.memory import LAST_MAIL
from rules.components import Faction
from tests.moderator.table import GAME, World


@pytest.fixture
def bidder(world: World) -> Faction:
    """Start a game and return the faction that must bid first."""
    world.silent_game("bidding")
    return next(faction for faction, kinds in world.asked().items() if kinds == ["bid"])


def words(world: World, faction: Faction) -> str:
    return " ".join(world.newest(faction).text.split())


def bids(world: World) -> list[int]:
    auction = world.table().play.game.moments.auction
    return [bid.amount for bid in auction.bids if bid.amount is not None] if auction else []


def waiting(world: World) -> int:
    with reading(world.engine) as conn:
        return conn.execute(select(func.count()).select_from(LAST_MAIL).where(LAST_MAIL.c.options != "[]")).scalar_one()


def test_a_correction_is_bid_and_what_it_corrects_is_not(world: World, bidder: Faction) -> None:
    assert world.say(bidder, "bid 1", "sorry, make that 2").taken == 1
    assert bids(world) == [2]
    assert "Read with its correction, as “bid 2”" in words(world, bidder)


def test_a_correction_in_another_mail_is_too_late(world: World, bidder: Faction) -> None:
    world.say(bidder, "bid 1")
    assert world.say(bidder, "sorry, make that 2").taken == 0
    assert bids(world) == [1]
    assert "It is too late to change “bid 1”" in words(world, bidder)


def test_yes_takes_what_the_answer_proposed_once(world: World, bidder: Faction) -> None:
    assert world.say(bidder, "bdi 2").taken == 0
    assert world.say(bidder, "Yes please!", "", "Thanks", "Eunji").taken == 1
    assert "You confirmed it with “Yes please!”" in words(world, bidder)
    assert bids(world) == [2]
    assert waiting(world) == 0
    assert world.say(bidder, "yes").taken == 0
    assert bids(world) == [2]


def test_yes_works_below_the_quoted_answer(world: World, bidder: Faction) -> None:
    world.say(bidder, "bdi 2")
    answer = world.newest(bidder)
    quoted = "\n".join(f"> {line}" for line in answer.text.splitlines())
    mail = world.mail(bidder, "Yes", "", "On Monday Mentat wrote:", quoted, In_Reply_To=answer.message["Message-ID"])
    assert world.moderator.deliver(mail, world.now).taken == 1
    assert bids(world) == [2]


def test_yes_to_an_older_letter_is_asked_about(world: World, bidder: Faction) -> None:
    older = world.newest(bidder).message["Message-ID"]
    world.wait(0.1)
    world.say(bidder, "bdi 2")
    mail = world.mail(bidder, "Yes", In_Reply_To=older)
    assert world.moderator.deliver(mail, world.now).taken == 0
    assert "I am not sure what you are saying yes to" in words(world, bidder)


def test_no_drops_the_proposal_and_passes_for_nobody(world: World, bidder: Faction) -> None:
    world.say(bidder, "bdi 2")
    world.say(bidder, "no")
    assert "I have dropped my proposal" in words(world, bidder)
    assert waiting(world) == 0
    assert world.asked()[bidder] == ["bid"]


def test_a_proposal_is_stale_when_the_question_is_over(world: World, bidder: Faction) -> None:
    world.say(bidder, "bdi 2")
    world.say(bidder, "status")
    before = len(world.table().play.log)
    world.wait(24 * 5)
    world.say(bidder, "yes")
    assert not any("bid 2" in str(entry) for entry in world.table().play.log[before:])
    assert 2 not in bids(world)


def test_a_rollback_ends_all_proposals(world: World, bidder: Faction) -> None:
    world.say(bidder, "bdi 2")
    roll_back(DeskRequest(world.moderator.open_games, GAME, world.now), world.table().entries)
    assert waiting(world) == 0


def test_a_sitter_confirms_only_what_the_sitter_was_told(world: World, bidder: Faction) -> None:
    table = world.table()
    until = world.now + timedelta(days=9)
    request = DeskRequest(world.moderator.open_games, GAME, world.now)
    set_sitter(request, bidder, "sitter@players.example", until)
    sitter = world.newest("sitter@players.example")
    world.say(bidder, "bdi 2")
    mail = world.mail(bidder, "yes", sender="sitter@players.example", to=str(sitter.message["Reply-To"]))
    assert world.moderator.deliver(mail, world.now).taken == 0
    assert table.entries == world.table().entries


def test_several_orders_of_a_mail_with_second_thoughts(world: World, bidder: Faction) -> None:
    verdict = world.say(
        bidder, "Hi Mentat,", "", "bid 1", "no, 2", "", "when card 2: bid 3", "sorry, 4 instead of 3", "", "Cheers, Ann"
    )
    assert verdict.taken == 2
    assert bids(world) == [2]
    assert [filed.text for filed in world.table().sheets[bidder].active()] == ["when card 2: bid 4"]


def test_answers_between_quoted_questions_are_for_their_questions(world: World, bidder: Faction) -> None:
    newest = world.newest(bidder).text
    (question,) = [line for line in newest.splitlines() if "Bid on card 1?" in line][:1]
    assert world.say(bidder, "> Would you give the Guild 5?", "5", "", "> And why not?", "no").taken == 0
    assert bids(world) == []
    assert world.say(bidder, "> Shall we ally?", "no", "", f"> {question.strip()}", "", "2").taken == 1
    assert bids(world) == [2]


def test_press_holds_nothing_of_a_quote(world: World, bidder: Faction) -> None:
    other = next(faction for faction in world.table().seats if faction != bidder)
    world.say(bidder, f"press to {other}:", "> what do you want?", "Nothing.", "end press")
    assert "Nothing." in words(world, other)
    assert "what do you want" not in words(world, other)
