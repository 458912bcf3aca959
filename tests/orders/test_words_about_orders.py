"""Tests for words one paragraph away from an order: remarks about the order hold it back, and other talk does not."""

from __future__ import annotations

import pytest

from bot.language.forms import write
from bot.language.mail_lines import read_lines
from bot.language.orders import Unread
from rules.components import Faction
from rules.orders import Order
from tests.orders.plain.judging import context

PLAN = "plan dial 2 leader Feyd-Rautha weapon Lasgun defense Shield"
ORDERS: dict[str, tuple[str, Faction]] = {
    "bid 4": ("bidding", "harkonnen"),
    "ally Fremen": ("nexus", "harkonnen"),
    "ship 3 to Carthag": ("shipment", "harkonnen"),
    PLAN: ("plan-harkonnen", "harkonnen"),
    "ship 3+2 to Carthag": ("shipment-emperor", "emperor"),
    "move 2 from Arrakeen to Carthag": ("movement", "atreides"),
    "revive 3": ("revival", "emperor"),
    "pass": ("bidding", "harkonnen"),
    "ally Emperor": ("nexus", "harkonnen"),
    "plan dial 2 leader Feyd-Rautha weapon Lasgun": ("plan-harkonnen", "harkonnen"),
    "voice Emperor not play snooper": ("voice", "bene-gesserit"),
    "ship 2 to The Great Flat": ("shipment-fremen", "fremen"),
    "ship 2+1 to The Great Flat": ("shipment-fremen", "fremen"),
}
MOVE = "move 2 from Arrakeen to Carthag"


def ordered(order: str, *paragraphs: str) -> list[str]:
    position, faction = ORDERS[order]
    read = read_lines("\n\n".join(paragraphs).splitlines(), context(position, faction))
    return [write(line.result) for line in read if isinstance(line.result, Order)]


def offered(order: str, *paragraphs: str) -> list[str]:
    position, faction = ORDERS[order]
    read = read_lines("\n\n".join(paragraphs).splitlines(), context(position, faction))
    return [line for each in read if isinstance(each.result, Unread) for line in each.result.suggestions]


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("bid 4", "Let the Emperor have it."),
        ("bid 4", "No card is worth this much."),
        ("bid 4", "Provided the Emperor passes."),
        ("bid 4", "Just to see how you react."),
        ("bid 4", "Fine, I give up, the Baron wins."),
        ("ally Fremen", "Alone I am stronger."),
        ("ally Fremen", "They can find somebody else."),
        ("ally Fremen", "Subject to his written consent."),
        ("ship 3 to Carthag", "The same number, but to the other town."),
        ("ship 3 to Carthag", "Nobody boards before the Guild has paid."),
        ("ship 3 to Carthag", "Everybody back to orbit."),
        (PLAN, "I save the shield for later."),
        (PLAN, "Rabban has the sharper blade."),
        (PLAN, "A half more on the dial."),
        (PLAN, "If they have the Voice, Rabban."),
        ("ship 3+2 to Carthag", "My Sardaukar have a day off."),
        ("bid 4", "I am no longer interested."),
        ("bid 4", "From the next auction on."),
        ("bid 4", "Ask the boss."),
        ("bid 4", "I need to hear from Emperor."),
        ("bid 4", "My cat walked over the keyboard and wrote the above."),
        ("bid 4", "I had second thoughts on the train."),
        ("bid 4", "What a terrible idea."),
        ("bid 4", "Is this binding?"),
        ("bid 4", "Money is tight."),
        ("bid 4", "Just to be clear, that's on behalf of the Emperor."),
        ("bid 4", "Would that be wise?"),
        (PLAN, "Keep the lasgun for later."),
        (MOVE, "Wait, is Carthag under the storm?"),
        ("ship 3 to Carthag", "Looking at the map: is Carthag safe from the storm? If it isn't I'd rather not."),
        ("ship 3 to Carthag", "Best keep everyone at home."),
        ("ship 3 to Carthag", "Arrakeen if Carthag is full."),
        ("ship 3 to Carthag", "Fremen asked me to wait."),
        ("ship 3 to Carthag", "Our shuttle was delayed to the next turn."),
        (PLAN, "Change the defense."),
        (PLAN, "Swap weapon and defense."),
        (PLAN, "The dial was a typo."),
        (MOVE, "They got tired after one step."),
        ("ally Fremen", "Whoever pays more."),
        ("ally Fremen", "They never called back."),
        ("revive 3", "The cheap way."),
        ("pass", "I want this card."),
        ("voice Emperor not play snooper", "The shield was what I was thinking of."),
    ],
)
def test_words_about_an_order_hold_it_back_from_another_paragraph(order: str, words: str) -> None:
    assert ordered(order, order, words) == []


@pytest.mark.parametrize(
    "frame",
    [
        "What my son typed:",
        "For when I am rich:",
        "Second choice, should the first fail:",
        "A purely academic question of grammar",
        "Please check the spelling of this before it counts",
        "Save this for Friday.",
        "The following is fiction.",
        "The Emperor expects me to",
        "In the worst case",
        "Harkonnen believes that I play",
    ],
)
@pytest.mark.parametrize("order", ["bid 4", "ally Fremen"])
def test_a_frame_holds_back_the_order_below_it(order: str, frame: str) -> None:
    assert ordered(order, frame, order) == []


@pytest.mark.parametrize(
    ("order", "talk"),
    [
        ("bid 4", "My train leaves in ten minutes, so I will be brief."),
        ("bid 4", "I have 12 mails from my boss to answer today."),
        ("bid 4", "Is there a limit to the number of cards one can hold?"),
        ("bid 4", "The Baron owes me a beer since Saturday."),
        ("bid 4", "Have a nice weekend everybody!"),
        ("ally Fremen", "Emperor, my regards to your mother."),
        ("ally Fremen", "Three hours of sleep and no coffee in the house."),
        ("ship 3 to Carthag", "My sister visits us with her 2 dogs."),
        ("ship 3 to Carthag", "The Guild earns a fortune in this game."),
        (PLAN, "My hands are shaking."),
        (PLAN, "The Emperor will cry."),
        ("bid 4", "This is fun"),
        ("bid 4", "I need this"),
        ("bid 4", "lol what a turn"),
        ("bid 4", "Emperor is killing us"),
        ("bid 4", "The spice must flow"),
        ("bid 4", "Sorry for the delay, work was mad"),
        ("bid 4", "Great game so far, thanks for running it."),
        ("bid 4", "My kid is sick so I might be slow this week."),
        ("bid 4", "Fremen got very lucky with that worm."),
        ("bid 4", "That last battle was brutal."),
        ("bid 4", "It was 30 degrees today."),
        ("ship 3 to Carthag", "I finally saw the second film yesterday and it was amazing."),
        ("ship 3 to Carthag", "I never understood why Paul is not simply called Paul."),
        (PLAN, "It is so quiet in the forum lately."),
        (PLAN, "You'd think Atreides would have learned by now."),
        (MOVE, "Kudos to whoever wrote those rules."),
        (MOVE, "I lost my notes, my tea and my patience."),
        ("ally Fremen", "That worm came at a funny moment."),
        ("revive 3", "What a bloodbath!"),
        ("pass", "I'm poor as a church mouse."),
        ("pass", "How do other tables handle this?"),
        ("ally Fremen", "I should have been a diplomat."),
        ("voice Emperor not play snooper", "Great writing in the last report!"),
    ],
)
def test_talk_of_other_things_costs_no_order(order: str, talk: str) -> None:
    assert ordered(order, order, talk) == [order]


@pytest.mark.parametrize(
    "talk",
    [
        "Great game so far, thanks for running it.",
        "lol what a turn",
        "Sorry for the late answer, I was ill.",
        "I'm back from Paris.",
        "Oh man, that hurt.",
        "The kids have a fever and so have I.",
    ],
)
def test_talk_above_an_order_costs_nothing(talk: str) -> None:
    assert ordered("bid 4", talk, "bid 4") == ["bid 4"]


@pytest.mark.parametrize(
    "denial", ["no {}", "sorry, no {}", "and no {}", "No more {}.", "oops no {}", "minus {}", "without the {}"]
)
@pytest.mark.parametrize(
    ("order", "denied"),
    [
        ("plan dial 2 leader Feyd-Rautha weapon Lasgun", "shield"),
        ("ally Emperor", "Fremen"),
        ("ship 3 to Carthag", "Arrakeen"),
        ("ship 2 to The Great Flat", "Fedaykin"),
    ],
)
def test_what_a_line_denies_is_put_into_no_order(order: str, denied: str, denial: str) -> None:
    assert ordered(order, f"{order}\n{denial.format(denied)}") in ([], [order])


@pytest.mark.parametrize("words", ["No Fedaykin.", "sorry, no fedaykin", "without the Fedaykin"])
def test_without_fedaykin_it_is_asked_whether_others_go_in_their_place(words: str) -> None:
    order = "ship 2+1 to The Great Flat"
    read = read_lines([order, words], context(*ORDERS[order]))
    offers = [line for each in read if isinstance(each.result, Unread) for line in each.result.suggestions]
    assert offers == ["ship 2 to The Great Flat", "ship 3 to The Great Flat"]


def test_words_about_several_orders_hold_all_that_they_may_mean() -> None:
    assert ordered("ship 3 to Carthag", "ship 3 to Carthag", "move 3 from Carthag to Arrakeen", "The 3 stay.") == []


@pytest.mark.parametrize(
    ("position", "faction", "fact"),
    [
        ("collection", "emperor", "3 from Guild"),
        ("shipment", "harkonnen", "5 are in Carthag"),
        ("shipment", "harkonnen", "my 3 in Carthag"),
        ("shipment", "harkonnen", "Carthag, turn 4"),
        ("prediction", "bene-gesserit", "Harkonnen is at 4"),
        ("bidding", "harkonnen", "I want the 3"),
        ("prescience", "atreides", "weapon's"),
    ],
)
def test_what_is_so_is_no_order(position: str, faction: Faction, fact: str) -> None:
    read = read_lines([fact], context(position, faction))
    assert not any(isinstance(line.result, Order) for line in read)


@pytest.mark.parametrize("words", ["against Fremen", "Fremen's", "Fremen are liars"])
def test_no_alliance_is_offered_for_words_against_it(words: str) -> None:
    read = read_lines([words], context("nexus", "harkonnen"))
    assert not any(isinstance(line.result, Unread) and line.result.suggestions for line in read)


@pytest.mark.parametrize("frame", ["I suggest you", "If the Emperor passes", "What about this:", "Do not"])
def test_a_frame_is_answered_once_together_with_the_order_below_it(frame: str) -> None:
    read = read_lines([frame, "bid 4"], context("bidding", "harkonnen"))
    assert [line.text for line in read] == [f"{frame}\nbid 4"]


def test_another_order_with_a_slip_costs_nothing_above_it() -> None:
    assert ordered("bid 4", "bid 4\nship 3 to Carthagg") == ["bid 4"]
    assert offered("bid 4", "bid 4\nship 3 to Carthagg") == ["ship 3 to Carthag"]
