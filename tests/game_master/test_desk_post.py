"""Players' letters to the desk: who receives them, how they are answered, and that no player reads them."""

from __future__ import annotations

import pytest

from bot.desk import rights, speech
from bot.desk.powers import DeskRequest, Use
from bot.store import acts
from bot.store.acts import Right
from bot.store.database import reading
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, World, address_of

REY, ANN = "rey@elsewhere.example", "ann@elsewhere.example"


def granted(world: World, right: Right, address: str) -> str:
    """Grant this right, and return the address to which its holder writes."""
    rights.grant(DeskRequest(world.moderator.open_games, GAME, world.now), right, address)
    with reading(world.engine) as conn:
        own = acts.right_of(conn, address, game_id=GAME)
    assert own
    return f"mentat+{own.token}@arrakis.example"


def readers(world: World, after: int, words: str) -> list[str]:
    return sorted(letter.recipient for letter in world.letters(after=after) if words in " ".join(letter.text.split()))


def test_what_is_written_to_the_desk_reaches_all_who_direct_the_game(begun: World) -> None:
    desk = granted(begun, "director", REY)
    granted(begun, "clerk", ANN)
    before = begun.written()
    assert begun.say("guild", "press to gm: may I ship twice?").taken == 1
    assert readers(begun, before, "may I ship twice?") == [GAME_MASTER, address_of("guild"), REY]
    letter = begun.newest(REY)
    assert letter.message["Reply-To"].addresses[0].addr_spec == desk
    assert "tell guild: your words" in " ".join(letter.text.split())


def test_it_is_answered_by_an_answer_to_the_letter_that_brings_it(begun: World) -> None:
    granted(begun, "director", REY)
    begun.say("guild", "press to gm: may I ship twice?")
    reply_to = str(begun.newest(REY).message["Reply-To"])
    raw = begun.mail("guild", "tell guild: You may not.", sender=REY, to=reply_to)
    begun.moderator.deliver(raw, begun.now)
    assert "You may not." in begun.newest("guild").text


def test_one_who_directs_and_is_the_game_master_too_gets_it_once(begun: World) -> None:
    granted(begun, "director", GAME_MASTER)
    before = begun.written()
    begun.say("guild", "press to gm: hello")
    assert readers(begun, before, "writes: hello") == [GAME_MASTER]
    assert begun.newest(GAME_MASTER).message["Reply-To"] is not None


@pytest.mark.parametrize("address", [address_of("fremen"), "Fremen+dune@players.example"])
def test_a_game_master_who_plays_does_not_read_it(tmp_path_factory: pytest.TempPathFactory, address: str) -> None:
    config = CONFIG.replace(GAME_MASTER, address)
    world = World.at(tmp_path_factory.mktemp("plays"), config)
    world.new_game()
    before = world.written()
    assert world.say("guild", "press to gm: the Baron is my traitor").taken == 0
    assert readers(world, before, "the Baron is my traitor") == [address_of("guild")]
    assert "a player would read it" in " ".join(world.newest("guild").text.split())
    granted(world, "director", REY)
    before = world.written()
    assert world.say("guild", "press to gm: the Baron is my traitor").taken == 1
    assert readers(world, before, "the Baron is my traitor") == [address_of("guild"), REY]
    world.engine.dispose()


@pytest.mark.parametrize("right", ["director", "arbiter", "clerk"])
def test_an_answer_goes_to_who_asked_and_to_nobody_else(begun: World, right: Right) -> None:
    granted(begun, right, REY)
    granted(begun, "director", ANN)
    speech.ask(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(by=REY)), "guild", "What did you mean?")
    before, asked = begun.written(), str(begun.newest("guild").message["Message-ID"])
    begun.moderator.deliver(begun.mail("guild", "A joke.", In_Reply_To=asked), begun.now)
    assert readers(begun, before, "answers your question: A joke.") == [REY]


def test_an_answer_to_who_has_no_right_any_more_goes_to_those_who_direct(begun: World) -> None:
    granted(begun, "arbiter", REY)
    speech.ask(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(by=REY)), "guild", "What did you mean?")
    rights.revoke(DeskRequest(begun.moderator.open_games, GAME, begun.now), REY)
    before, asked = begun.written(), str(begun.letters("guild")[-1].message["Message-ID"])
    begun.moderator.deliver(begun.mail("guild", "A joke.", In_Reply_To=asked), begun.now)
    assert readers(begun, before, "answers your question: A joke.") == [GAME_MASTER]


def test_words_in_answer_to_a_letter_of_the_desk_go_to_the_desk_and_order_nothing(world: World) -> None:
    world.silent_game("bidding")
    bidder = next(question.faction for question in world.table().play.questions() if question.kind == "bid")
    speech.tell(DeskRequest(world.moderator.open_games, GAME, world.now), [bidder], "Will you bid?")
    letter = world.newest(bidder)
    assert "only the game master will read your words" in " ".join(letter.text.split())
    before, log = world.written(), world.table().play.log
    raw = world.mail(bidder, "No thanks,", "not today.", In_Reply_To=str(letter.message["Message-ID"]))
    assert world.moderator.deliver(raw, world.now).taken == 1
    assert world.table().play.log == log
    assert readers(world, before, "writes: No thanks, not today.") == [GAME_MASTER]
    raw = world.mail(bidder, "As you like.", "pass", In_Reply_To=str(letter.message["Message-ID"]))
    world.moderator.deliver(raw, world.now)
    assert len(world.table().play.log) > len(log)
    assert "press to gm: your words" in " ".join(world.newest(bidder).text.split())
