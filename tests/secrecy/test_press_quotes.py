"""Tests for L13: a player who quotes their private report in press to all is warned first."""

import pytest

from bot.moderator.press_mail import private_lines, quoted_row
from bot.store.database import reading
from rules.state.events import Event
from tests.moderator.table import World

BOUGHT = {"buyer": "guild", "price": 2, "to_emperor": True, "karama": False}


def _own(world: World, label: str) -> str:
    """Return a row of the Guild's own position, as shown in its letters."""
    world.say("guild", "status")
    lines = world.newest("guild").text.splitlines()
    return " ".join(next(line for line in lines if line.strip().startswith(label)).split())


@pytest.mark.parametrize("label", ["Cards", "Traitors", "Spice"])
def test_press_to_all_with_words_of_a_private_report_is_held_back_once(world: World, label: str) -> None:
    world.silent_game("bidding", ruleset="wbc-2018")
    line = f"press to all: look: {_own(world, label)}"
    before = len(world.letters("emperor"))
    assert world.say("guild", line).taken == 0
    assert "This repeats words from your private report" in " ".join(world.newest("guild").text.split())
    assert len(world.letters("emperor")) == before
    assert world.say("guild", line).taken == 1
    assert "look:" in world.newest("emperor").text


def test_press_in_ones_own_words_goes_out_at_once(world: World) -> None:
    world.silent_game("bidding", ruleset="wbc-2018")
    hand = _own(world, "Cards").removeprefix("Cards ")
    assert world.say("guild", f"press to all: I hold {hand}, and who does not believe it may come and see").taken == 1
    assert hand in world.newest("emperor").text


def test_two_words_of_a_report_are_a_quote_and_one_word_is_none() -> None:
    assert quoted_row("I have none left, have you?", ["None."]) == ""
    assert quoted_row("I have none left, have you?", ["None.", "None left."]) == "None left."


def test_press_to_one_player_may_quote(world: World) -> None:
    world.silent_game("bidding", ruleset="wbc-2018")
    assert world.say("guild", f"press to harkonnen: {_own(world, 'Cards')}").taken == 1


def test_a_warning_is_for_that_press_alone(world: World) -> None:
    world.silent_game("bidding", ruleset="wbc-2018")
    quote = _own(world, "Cards")
    assert world.say("guild", f"press to all: {quote}").taken == 0
    assert world.say("guild", f"press to all: {quote} and more").taken == 0
    assert world.say("guild", f"press to all: {quote}").taken == 0
    assert world.say("guild", f"press to all: {quote}").taken == 1


def test_what_one_alone_was_told_of_an_event_is_their_own_too(world: World) -> None:
    world.silent_game("bidding", ruleset="wbc-2018")
    world.say("guild", "bid 1")
    world.silence_until("revival")
    world.say("guild", "history")
    told = " ".join(world.newest("guild").text.split())
    ours = next(s.strip() for s in told.split(".") if "bought" in s and "you" in s.casefold())
    assert world.say("guild", f"press to all: {ours}.").taken == 0


def test_a_press_without_a_quote_ends_the_warning(world: World) -> None:
    world.silent_game("bidding", ruleset="wbc-2018")
    quote = _own(world, "Cards")
    assert world.say("guild", f"press to all: {quote}").taken == 0
    assert world.say("guild", "press to all: hello").taken == 1
    assert world.say("guild", "press to all: hello").taken == 1
    assert world.say("guild", f"press to all: {quote}").taken == 0


def test_of_events_that_is_private_which_all_do_not_read_alike(world: World) -> None:
    world.silent_game("bidding", ruleset="wbc-2018")
    table = world.table()
    happened = [
        Event(0, 1, "spice", "spice-card-seen", {"card": "Cielago South"}, audience=("atreides",)),
        Event(1, 1, "spice", "spice-card-seen", {"card": "Red Chasm"}, audience=("guild",)),
        Event(2, 1, "bidding", "card-sold", {**BOUGHT, "number": 1}),
        Event(3, 1, "bidding", "card-sold", {**BOUGHT, "number": 2}, {"atreides": {"card": "Lasgun"}}),
        Event(4, 1, "bidding", "card-sold", {**BOUGHT, "number": 3}, {"guild": {"card": "Lasgun", "own_share": 2}}),
        Event(5, 1, "storm", "storm-moved", {"sectors": 3, "start": 5, "storm": 8}, {"guild": {"dial": 2}}),
    ]
    with reading(world.engine) as conn:
        position = world.moderator.writer(conn, world.now).position(table, "guild", ())
    own = list(private_lines(position, "guild", ()))
    assert [line.split()[0] for line in own] == ["Spice", "Cards", "Traitors"]
    assert list(private_lines(position, "guild", happened)) == [
        *own,
        "You looked at the top of the spice deck: the next card is Red Chasm.",
        "You bought Lasgun (card 3) for 2 spice, paid to the Emperor.",
    ]
