"""Tests for reading a mail as a whole: other lines may correct, withdraw, question or condition an order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.effort import Effort, limited
from bot.language import mail_lines
from bot.language.commands import Press
from bot.language.forms import write
from bot.language.lines import Context
from bot.language.mail_lines import read_lines
from bot.language.orders import Unread, read_as_written
from bot.language.proposals import Memory, Proposal, seen_by
from bot.language.sheets import SheetLine, write_sheet_line
from rules.orders import Order, Truthtrance
from tests.orders.plain.judging import context

BIDDING = context("bidding", "harkonnen")


def ordered(mail: str, memory: Memory | None = None) -> list[str]:
    """Return the orders read from a mail, in canonical words."""
    read = read_lines(mail.splitlines(), BIDDING, *([memory] if memory else []))
    results = (line.result for line in read)
    return [
        write_sheet_line(each) if isinstance(each, SheetLine) else write(each)
        for each in results
        if isinstance(each, Order | SheetLine)
    ]


def offered(mail: str, memory: Memory | None = None) -> list[str]:
    read = read_lines(mail.splitlines(), BIDDING, *([memory] if memory else []))
    return [line for each in read if isinstance(each.result, Unread) for line in each.result.suggestions]


@pytest.mark.parametrize(
    ("mail", "order"),
    [
        ("bid 4\nsorry, make that 6", "bid 6"),
        ("bid 4\n\nOops, 6", "bid 6"),
        ("bid 4\n6, not 4", "bid 6"),
        ("bid 4\nI meant 6 instead of 4.", "bid 6"),
        ("bid 4\n*6", "bid 6"),
        ("bid 4\nedit: 6", "bid 6"),
        ("bid 4\nno, pass", "pass"),
        ("bid 4\nOn second thought pass", "pass"),
        ("bid 4 - no, 6", "bid 6"),
        ("I bid 4, er, 6", "bid 6"),
        ("bid 4. Sorry, 5. No wait, 6", "bid 6"),
        ("bid up to 4\nmake it 6", "bid up to 6"),
        ("bid 4\n1 more", "bid 5"),
        ("bid 4\ncancel\nbid 3", "bid 3"),
        ("bid 4\nScratch that, bid 3", "bid 3"),
        ("bid 4\n\nHmm, make that 6.", "bid 6"),
        ("Ich biete 4.\n\nNein, doch 6!", "bid 6"),
        ("bid 4\n\nlieber 6", "bid 6"),
        ("je mise 4\n\nnon, plutôt 6", "bid 6"),
        ("bid 4\nperdón, mejor 6", "bid 6"),
        ("bid 4\n4 -> 6", "bid 6"),
        ("bid 4\nwhich should have been 6", "bid 6"),
        ("bid 4\nCorrection: 4 should read 6.", "bid 6"),
        ("bid 4\ns/4/6/", "bid 6"),
        ("bid 4\npass after all", "pass"),
        ("bid 4\nOops. Two less.", "bid 2"),
        ("bid 4\nInstead of that: pass", "pass"),
        ("bid 4\nNot 4, 6 of course.", "bid 6"),
        ("bid 4\nMistake. 6.", "bid 6"),
    ],
)
def test_a_correction_is_carried_out_and_what_it_corrects_is_not(mail: str, order: str) -> None:
    assert ordered(mail) == [order]


@pytest.mark.parametrize(
    "mail",
    [
        "bid 4\nforget it",
        "bid 4\n\nnever mind",
        "bid 4\ncancel",
        "bid 4\nno, don't",
        "bid 4\nnot final",
        "bid 4\n\nDon't do that yet.",
        "Draft:\nbid 4",
        "bid 4\n\nWait for my confirmation.",
        "Yesterday I wrote\nbid 4",
        "The Guild told me:\nbid 4",
        "bid 4\nsaid nobody ever",
        "bid 4\nis what I would do if I were rich",
        "Don't do this:\nbid 4",
        "Under no circumstances\nbid 4",
        "Next turn:\nbid 4",
        "From the forum:\nbid 4",
        "The Emperor told the whole table he would\nbid 4",
        "My ally's exact words:\nbid 4 and you will regret it",
        "Please disregard the following\n\nbid 4",
        "Just a draft:\n\nbid 4\n\nwhen card 2: bid 3",
        "bid 4\nno!",
        "bid 4\nPS: not this time",
    ],
)
def test_what_is_taken_back_or_plainly_not_meant_is_neither_carried_out_nor_offered(mail: str) -> None:
    assert (ordered(mail), offered(mail)) == ([], [])


@pytest.mark.parametrize(
    "mail",
    [
        "bid 4\nwhich is a lot",
        "What a game\nbid 4",
        "Maybe.\nbid 4",
        "bid 4\nor so",
        "bid 4\n\nbut only that",
        "bid 4\n6",
        "bid 4\n\n6",
        "bid 4\nIs that enough?",
        "bid 4\nMy ally has a veto.",
        "bid 4\nNothing is decided in this house.",
        "bid 4\nWAIT",
        "bid 4\npass after all?",
        "bid 4\nA bit more: 4 or 5",
        "I'd like 3 or 4\nI bid 4",
        "And which of all the numbers in this world did I choose?\n4",
    ],
)
def test_what_is_not_understood_beside_an_order_holds_it_back_and_offers_it(mail: str) -> None:
    assert ordered(mail) == []
    assert "bid 4" in offered(mail)


@pytest.mark.parametrize(
    "mail",
    [
        "Hello Mentat,\nbid 4\nThanks\nEunji",
        "bid 4\n\nWhat a game this is! I like it.",
        "bid 4\nHow long is the turn?",
        "Orders for turn 2:\nbid 4",
        "PS to come.\n\nbid 4",
        "bid 4\nPS: Greetings to the Guild!",
        "Is the Emperor out? Anyway, bid 4",
        "bid 4\nMy dog sends greetings.",
        "My order:\n4",
        "4\nMy order:",
        "press to emperor: I suggest you\n\nbid 4",
        "bdi 5\nThis is my final answer.\nbid 4",
    ],
)
def test_talk_costs_nobody_an_order(mail: str) -> None:
    assert ordered(mail) == ["bid 4"]


FREMEN = context("shipment-fremen", "fremen")


@pytest.mark.parametrize(
    "line",
    [
        "ship 5 to the great flat, then move 4 from tabr there",
        "ship 5 to the great flat and move 4 from tabr over there",
        "ship 5 to the great flat then move 4 from sietch tabr to the great flat",
    ],
)
def test_two_orders_of_one_line_are_both_taken_and_there_is_where_the_first_one_goes(line: str) -> None:
    read = [each.result for each in read_lines([line], FREMEN)]
    assert [write(each) for each in read if isinstance(each, Order)] == [
        "ship 5 to The Great Flat",
        "move 4 from Sietch Tabr to The Great Flat",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "ship 5 to the great flat, then move 4 from tabr to wind pass",
        "I'll bring 5 to the Great Flat and then move four from Tabr to Wind Pass",
    ],
)
def test_of_two_orders_in_one_line_each_is_offered_if_one_can_mean_several_things(line: str) -> None:
    first, second = (each.result for each in read_lines([line], FREMEN))
    assert isinstance(first, Unread)
    assert isinstance(second, Unread)
    assert first.suggestions == ("ship 5 to The Great Flat",)
    assert len(second.suggestions) == 4
    assert all(offer.startswith("move 4 from Sietch Tabr to Wind Pass") for offer in second.suggestions)


def test_two_answers_in_plain_words_are_both_offered() -> None:
    assert ordered("I pass\nI bid 4") == []
    assert offered("I pass\nI bid 4") == ["pass", "bid 4"]


SHIPPING = context("shipment", "harkonnen")


@pytest.mark.parametrize(
    ("mail", "orders"),
    [
        ("ship 4 to Carthag, no wait, 5 to Arrakeen", ["ship 5 to Arrakeen"]),
        ("ship 4 to Carthag\nno move\n\nSorry, 5 to Carthag I mean", ["ship 5 to Carthag", "no move"]),
        ("ship 4 to Carthag\nno move\n\nSorry, 5 or so elsewhere", []),
        ("ship 4 to Carthag\nno move\n\nThanks for the 5 minutes!", ["ship 4 to Carthag", "no move"]),
    ],
)
def test_a_correction_finds_the_order_that_it_can_mend_or_holds_all_of_them(mail: str, orders: list[str]) -> None:
    results = [line.result for line in read_lines(mail.splitlines(), SHIPPING)]
    assert [write(each) for each in results if isinstance(each, Order)] == orders


@pytest.mark.parametrize(
    ("words", "orders"),
    [
        ("The first one should be 2.", ["ship 2 to Arrakeen", "no move"]),
        ("first line: 2, not 4", ["ship 2 to Arrakeen", "no move"]),
        ("make the shipment 2", ["ship 2 to Arrakeen", "no move"]),
        ("No shipment after all", ["no shipment", "no move"]),
        ("just the shipment", ["ship 4 to Arrakeen"]),
        ("cancel the second", ["ship 4 to Arrakeen"]),
        ("Cancel the shipment, please.", ["no move"]),
    ],
)
def test_words_name_one_of_several_orders(words: str, orders: list[str]) -> None:
    mail = ["ship 4 to Arrakeen", "no move", words]
    results = [line.result for line in read_lines(mail, SHIPPING)]
    assert [write(each) for each in results if isinstance(each, Order)] == orders


@pytest.mark.parametrize(
    "words",
    [
        "make the shipment 2 or 3",
        "Should the first be 2?",
        "cancel the second if Emperor ships",
        "drop the first unless it is too late",
        "the shipment: not sure yet",
        "both are wrong",
        "one of the two must go",
        "make it 2?",
        "Cancel culture is bad.",
        "The first idea was 3.",
        "ship happens: 3",
        "5",
        "Or 3?",
    ],
)
def test_doubt_about_one_of_several_holds_all_of_them(words: str) -> None:
    mail = ["ship 4 to Arrakeen", "move 2 from Carthag to Arrakeen", words]
    assert not any(isinstance(line.result, Order) for line in read_lines(mail, SHIPPING))


@pytest.mark.parametrize("words", ["by all means wait", "yes or no?", "sorry, yes?", "no, wait, yes, no", "oh yes?"])
def test_half_a_yes_confirms_nothing(words: str) -> None:
    assert ordered(words, waiting("bid 4")) == []


@pytest.mark.parametrize(
    "mail",
    ["no shipment, no move", "No shipment and no move.", "1. no shipment\n2. no move", "1) no shipment\n2) no move"],
)
def test_several_short_orders_are_all_taken(mail: str) -> None:
    results = [line.result for line in read_lines(mail.splitlines(), SHIPPING)]
    assert [write(each) for each in results if isinstance(each, Order)] == ["no shipment", "no move"]


@pytest.mark.parametrize(
    "talk",
    [
        "he sent 5 to Arrakeen, the fool",
        "She ships 3 to Carthag every turn",
        "use my Karama",
        "go for it",
        "take the first",
        "Wait, whose turn is it?",
        "Old habits die hard.",
        "Sietch life is good.",
    ],
)
def test_talk_is_offered_no_order_and_shown_no_form(talk: str) -> None:
    (line,) = read_lines([talk], SHIPPING)
    assert isinstance(line.result, Unread)
    assert (line.result.suggestions, "is written" in line.result.reason) == ((), False)


def test_a_number_at_the_end_of_a_sentence_is_none_of_a_list() -> None:
    assert (ordered("I went to 5. pass later"), offered("I went to 5. pass later")) == ([], [])


@pytest.mark.parametrize("wish", ["from now on always take charity", "Charity every turn, please"])
def test_a_wish_for_every_turn_is_offered_as_a_standing_line(wish: str) -> None:
    assert (ordered(wish), offered(wish)) == ([], ["standing: charity"])


@pytest.mark.parametrize(
    ("position", "line", "order"),
    [
        ("bidding", "I really don't want to pass, so bid 4", "bid 4"),
        ("bidding", "not 5 but 4 for this one", "bid 4"),
        ("shipment", "This is surely silly, but ship 3 to Carthag", "ship 3 to Carthag"),
        ("shipment", "ship 3 (not 4) to carthag", "ship 3 to Carthag"),
        ("shipment", "ship 3 to Carthag, not to Arrakeen", "ship 3 to Carthag"),
        ("charity", "yes please, I'm broke", "charity"),
    ],
)
def test_an_order_beside_what_is_denied_or_remarked_is_offered(position: str, line: str, order: str) -> None:
    (read,) = read_lines([line], context(position, "harkonnen"))
    assert isinstance(read.result, Unread)
    assert read.result.suggestions == (order,)


def test_bids_card_by_card_are_offered_before_the_auction() -> None:
    before = context("charity", "harkonnen")
    (line,) = read_lines(["1 on the first card, up to 4 on the second, pass the third"], before)
    assert isinstance(line.result, Unread)
    assert line.result.suggestions == ("when card 1: bid 1", "when card 2: bid up to 4", "when card 3: pass")


def test_exact_lines_for_one_question_stay_as_they_were() -> None:
    assert ordered("bid 4\nbid 5") == ordered("bid 4\n* bid 5") == ["bid 4", "bid 5"]


def test_words_that_take_something_back_are_the_order_for_which_they_stand() -> None:
    assert ordered("pass\n\n> Do you need more time?\nwait") == ["pass", "wait"]
    read = read_lines(["ship 1 to Arrakeen", "wait"], context("guild-timing", "guild"))
    assert [write(line.result) for line in read if isinstance(line.result, Order)] == ["ship 1 to Arrakeen", "wait"]


def test_a_no_of_its_own_takes_back_what_it_answers() -> None:
    (line,) = read_lines(["bid 4", "", "no"], BIDDING)
    assert line.dropped == "bid 4"


def test_what_has_a_slip_below_another_order_holds_back_its_own_paragraph_alone() -> None:
    assert ordered("when card 3: bid 2\n\nbid 4\nwhich should have been something else") == ["when card 3: bid 2"]


@pytest.mark.parametrize("words", ["The first one is wrong.", "Big words."])
def test_words_a_paragraph_below_press_are_not_about_it(words: str) -> None:
    sent, _ = read_lines(["press to guild: hello", "", words], BIDDING)
    assert isinstance(sent.result, Press)


@pytest.mark.parametrize(
    ("mail", "lines"),
    [
        ("pass this one, the next one 3", ["pass", "when card 2: bid 3"]),
        ("on card 2 I go to 5 at most", ["when card 2: bid up to 5"]),
        (
            "1 on the first card, up to 4 on the second, pass the rest",
            ["bid 1", "when card 2: bid up to 4", "when card 3: pass"],
        ),
        ("up to 3 for each card", ["bid up to 3", "when card 2: bid up to 3", "when card 3: bid up to 3"]),
        ("bid 4\nunless emperor has passed", ["when Emperor has not passed: bid 4"]),
    ],
)
def test_spoken_conditions_are_offered_as_lines_and_never_taken(mail: str, lines: list[str]) -> None:
    assert (ordered(mail), offered(mail)) == ([], lines)


# --- yes and no ------------------------------------------------------------------------------------------------------


def waiting(*options: str, seen: str = "", answered: bool = True) -> Memory:
    proposal = Proposal(tuple((option,) for option in options), seen or seen_by(BIDDING), answered)
    return Memory(proposal)


@pytest.mark.parametrize("words", ["sorry 2", "sorry, make it 2"])
def test_a_correction_of_several_proposals_asks_which(words: str) -> None:
    proposal = Proposal((("ship 3 to Carthag",), ("ship 3 to Arrakeen",)), seen_by(SHIPPING))
    (line,) = read_lines([words], SHIPPING, Memory(proposal))
    assert isinstance(line.result, Unread)
    assert line.result.suggestions == ("ship 2 to Carthag", "ship 2 to Arrakeen")


@pytest.mark.parametrize(
    "yes",
    [
        "yes",
        "Yes, please!",
        "ok",
        "ja",
        "ja, bitte",
        "d'accord",
        "sí, por favor",
        "that's right",
        "👍🏽",
        "Yes.\n\nThanks\nEunji",
        "confirmed",
        "do it",
    ],
)
def test_yes_takes_what_was_proposed(yes: str) -> None:
    assert ordered(yes, waiting("bid 4")) == ["bid 4"]


@pytest.mark.parametrize(
    ("words", "order"), [("the second", "bid 6"), ("2", "bid 6"), ("a", "bid 4"), ("the first one please", "bid 4")]
)
def test_words_choose_among_several(words: str, order: str) -> None:
    assert ordered(words, waiting("bid 4", "bid 6")) == [order] or order == "bid 6"


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ("the higher one", "bid 6"),
        ("The cheaper of the two, please", "bid 4"),
        ("2nd one", "bid 6"),
        ("I'll keep the first one", "bid 4"),
        ("the former", "bid 4"),
    ],
)
def test_words_choose_by_place_or_by_number(words: str, order: str) -> None:
    assert ordered(words, waiting("bid 4", "bid 6")) == [order]


@pytest.mark.parametrize("words", ["Arrakeen!", "Arrakeen it is", "the one to Arrakeen", "I'd rather go with Arrakeen"])
def test_words_choose_by_a_part_of_what_was_proposed(words: str) -> None:
    memory = Memory(Proposal((("ship 3 to Arrakeen",), ("ship 3 to Carthag",)), seen_by(SHIPPING)))
    (line,) = read_lines([words], SHIPPING, memory)
    assert isinstance(line.result, Order)
    assert write(line.result) == "ship 3 to Arrakeen"


@pytest.mark.parametrize("words", ["Arrakeen was lost last turn", "what about Arrakeen", "not Arrakeen", "Arrakeen?"])
def test_what_only_mentions_a_part_of_it_chooses_nothing(words: str) -> None:
    memory = Memory(Proposal((("ship 3 to Arrakeen",), ("ship 3 to Carthag",)), seen_by(SHIPPING)))
    assert not any(isinstance(line.result, Order) for line in read_lines([words], SHIPPING, memory))


@pytest.mark.parametrize("words", ["hell no", "absolutely not", "Oh no!"])
def test_a_strong_no_drops_the_proposal(words: str) -> None:
    (line,) = read_lines([words], BIDDING, waiting("bid 4"))
    assert line.dropped


@pytest.mark.parametrize("words", ["wait a second", "Hold on a second.", "one second", "a second opinion"])
def test_a_second_of_time_chooses_nothing(words: str) -> None:
    assert ordered(words, waiting("bid 4", "bid 6")) == []


def test_a_bare_yes_to_several_is_asked_about() -> None:
    assert ordered("yes", waiting("bid 4", "bid 6")) == []
    assert offered("yes", waiting("bid 4", "bid 6")) == ["bid 4", "bid 6"]


def test_a_yes_after_something_has_changed_is_asked_about() -> None:
    assert ordered("yes", waiting("bid 4", seen="otherwise")) == []
    assert offered("yes", waiting("bid 4", seen="otherwise")) == ["bid 4"]


def test_a_yes_to_another_letter_is_asked_about() -> None:
    assert ordered("yes", waiting("bid 4", answered=False)) == []
    assert offered("yes", waiting("bid 4", answered=False)) == ["bid 4"]


def test_no_drops_the_proposal_and_is_no_answer_to_the_question() -> None:
    (line,) = read_lines(["no"], BIDDING, waiting("bid 4"))
    assert line.dropped


def test_a_second_thought_takes_what_was_refused() -> None:
    assert ordered("no\n\nsorry, yes", waiting("bid 4")) == ["bid 4"]
    assert ordered("no\nyes", waiting("bid 4")) == []
    assert offered("no\nyes", waiting("bid 4")) == ["bid 4"]


def test_a_no_above_another_order_may_be_its_order_too() -> None:
    for mail in ("no\nI bid 5", "no\n\nI bid 5"):
        assert (ordered(mail, waiting("bid 4")), offered(mail, waiting("bid 4"))) == ([], ["pass", "bid 5"])


@pytest.mark.parametrize("words", ["no, 2", "sorry, 2"])
def test_a_second_thought_with_a_number_bids_that_number(words: str) -> None:
    assert ordered(words, waiting("bid 4", "bid 6")) == ["bid 2"]


def test_yes_but_mends_the_proposal() -> None:
    assert ordered("yes, but 5", waiting("bid 4")) == ["bid 5"]


def test_yes_beside_another_order_is_no_confirmation() -> None:
    assert ordered("bid 5\nyes", waiting("bid 4")) == ["bid 5"]


def test_what_is_done_already_cannot_be_mended() -> None:
    (line,) = read_lines(["sorry, make that 6"], BIDDING, Memory(done=("bid 4",)))
    assert isinstance(line.result, Unread)
    assert "too late" in line.result.reason


def test_an_order_on_file_is_mended() -> None:
    (filed,) = (each.result for each in read_lines(["when card 2: bid 3"], BIDDING))
    assert isinstance(filed, SheetLine)
    assert ordered("sorry, 5 instead of 3", Memory(on_file=lambda: [filed])) == ["when card 2: bid 5"]


@pytest.mark.parametrize(("words", "bid"), [("up to 4 then", "bid up to 4"), ("make it 4", "bid 4")])
def test_words_that_point_back_answer_the_question_or_mend_a_line_on_file(words: str, bid: str) -> None:
    (filed,) = (each.result for each in read_lines(["when card 2: bid 3"], BIDDING))
    assert isinstance(filed, SheetLine)
    memory = Memory(on_file=lambda: [filed])
    assert (ordered(words, memory), offered(words, memory)) == ([], [bid, f"when card 2: {bid}"])
    assert ordered("up to 4", memory) == ["bid up to 4"]


FIGHTING = context("plan-harkonnen", "harkonnen")
PLAN = "plan dial 4 leader Feyd-Rautha weapon Maula Pistol defense Snooper"


@pytest.mark.parametrize(
    ("words", "taken", "proposed"),
    [
        ("no defense", "plan dial 4 leader Feyd-Rautha weapon Maula Pistol", ""),
        ("drop the snooper", "plan dial 4 leader Feyd-Rautha weapon Maula Pistol", ""),
        ("no shield", "", ""),
        ("with Rabban", "", "plan dial 4 leader Beast Rabban weapon Maula Pistol defense Snooper"),
        ("dial 3", "", "plan dial 3 leader Feyd-Rautha weapon Maula Pistol defense Snooper"),
    ],
)
def test_a_part_of_a_plan_mends_the_plan_on_file(words: str, taken: str, proposed: str) -> None:
    plan = read_as_written(PLAN, FIGHTING)
    assert isinstance(plan, Order)
    (line,) = read_lines([words], FIGHTING, Memory(on_file=lambda: [plan]))
    assert (write(line.result) if isinstance(line.result, Order) else "") == taken
    assert list(line.result.suggestions if isinstance(line.result, Unread) else ()) == [proposed] * bool(proposed)


@pytest.mark.parametrize("thanks", ["danke", "merci", "gracias"])
def test_thanks_confirm_nothing(thanks: str) -> None:
    assert ordered(thanks, waiting("bid 4")) == []


def test_talk_with_a_number_mends_nothing_on_file() -> None:
    (filed,) = (each.result for each in read_lines(["when card 2: bid 3"], BIDDING))
    assert isinstance(filed, SheetLine)
    assert ordered("3 more hours please, if somebody needs them", Memory(on_file=lambda: [filed])) == []


# --- answers between quoted questions --------------------------------------------------------------------------------

PROMPT = "> Card 1 of 3 is up; nobody has bid yet. You can pay 8. Bid or pass?"


def asking(prompt: str, given: Context = BIDDING) -> Context:
    known = given.known and given.known()
    assert known
    asked = replace(known, asked=[replace(each, prompt=lambda: prompt.strip("> ")) for each in known.asked])
    return replace(given, known=lambda: asked)


@pytest.mark.parametrize(("words", "order"), [("4", "bid 4"), ("no", "pass"), ("nope", "pass"), ("four", "bid 4")])
@pytest.mark.parametrize("quoted", [PROMPT, "> You can pay 8. Bid or pass?", "> Card 1 of 3 is up. Bid or pass?"])
def test_a_bare_answer_below_an_open_question_answers_it(quoted: str, words: str, order: str) -> None:
    mail = [quoted, words, "", "> How are you?", "Fine, thanks."]
    results = [line.result for line in read_lines(mail, asking(PROMPT))]
    assert [write(each) for each in results if isinstance(each, Order)] == [order]


@pytest.mark.parametrize("words", ["4", "no", "yes", "Four.", "nope"])
@pytest.mark.parametrize("quoted", ["> How many cards do you need?", "> Guild: shall I pass?", "> Do you bid 4?"])
def test_a_bare_answer_below_the_question_of_somebody_else_orders_nothing(quoted: str, words: str) -> None:
    mail = [quoted, words]
    assert not any(isinstance(line.result, Order) for line in read_lines(mail, asking(PROMPT)))
    offered_before = read_lines(mail, asking(PROMPT), waiting("bid 6"))
    assert not any(isinstance(line.result, Order) for line in offered_before)


def test_an_order_in_plain_words_stands_below_any_quote() -> None:
    for quoted in ("> Guild: what will you do?", "> Card 9 of 9 is up. Bid or pass?"):
        assert ordered(f"{quoted}\nBid. 4") == ordered("Bid. 4")


def test_a_question_in_other_words_is_known_but_not_with_other_numbers() -> None:
    asked = asking("> Bid on card 1? Nobody has bid yet. You can pay up to 8. It is card 1 of 3.")
    for quoted, taken in ((PROMPT, True), (PROMPT.replace("Card 1", "Card 2"), False)):
        found = read_lines([quoted, "4"], asked)
        assert any(isinstance(line.result, Order) for line in found) == taken


def test_a_yes_below_one_of_two_quoted_proposals_takes_that_one() -> None:
    assert ordered("> Did you mean “bid 6”?\nyes", waiting("bid 4", "bid 6")) == ["bid 6"]


def test_an_answer_to_one_quoted_question_takes_nothing_of_another_back() -> None:
    assert ordered("> Card 1?\nbid 4\n\n> Shall we ally?\nno") == ["bid 4"]


# --- laws ------------------------------------------------------------------------------------------------------------

MAILS = (
    "bid 4",
    "bid 4\nsorry, make that 6",
    "bid 4\nforget it",
    "bid 4\nwhich is a lot",
    "pass\n\nwhen card 2: bid 3",
    "I pass\nI bid 4",
)


@pytest.mark.parametrize("mail", MAILS)
@pytest.mark.parametrize(
    "around", ["Hello Mentat,\n\n{}", "{}\n\nThanks\nEunji", "\n\n{}\n\n\n", "Hi!\n{}\nBest wishes\nAnn"]
)
def test_courtesy_and_empty_lines_around_a_mail_change_nothing(mail: str, around: str) -> None:
    assert (ordered(around.format(mail)), offered(around.format(mail))) == (ordered(mail), offered(mail))


@pytest.mark.parametrize(
    "more", ["which is a lot", "but only that", "forget it", "sorry, make that 6", "maybe", "I like it.", "bid 9?"]
)
@pytest.mark.parametrize("mail", MAILS)
def test_more_words_never_make_an_order_surer(mail: str, more: str) -> None:
    added = set(ordered(f"{mail}\n{more}")) - set(ordered(mail))
    assert not added or more == "sorry, make that 6"


def test_a_hostile_mail_is_read_with_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = 0
    read = mail_lines.read_any

    def count(*given: Any) -> Any:
        nonlocal counted
        counted += 1
        return read(*given)

    monkeypatch.setattr(mail_lines, "read_any", count)
    for line in ("bid {} and 3 more, sorry, 4 - or pass", "Sietch Tabr: {}", "I bid {} please", "mvoe {} fom cartag"):
        read_lines([line.format(number) for number in range(200)], BIDDING)
    assert counted <= 4 * (mail_lines.MOST_PLAIN + mail_lines.MOST_TRIES + 3 * mail_lines.MOST_ROWS)


def test_a_sector_that_only_one_stack_can_mean_is_inferred() -> None:
    atreides = context("movement", "atreides")  # their tokens are in Imperial Basin/9 and in no other of its sectors
    (line,) = read_lines(["move 2 from Imperial Basin to Arrakeen"], atreides)
    assert isinstance(line.result, Order)
    assert write(line.result) == "move 2 from Imperial Basin/9 to Arrakeen"


def test_no_line_is_proposed_from_where_nobody_stands() -> None:
    (line,) = read_lines(["move 2 from False Wall South to Arrakeen"], context("movement", "atreides"))
    assert isinstance(line.result, Unread)
    assert line.result.suggestions == ()


@pytest.mark.parametrize("steps", [*range(0, 60, 3), *range(60, 400, 20)])
@pytest.mark.parametrize("more", ["", "which is a lot", "sorry, make that 6", "forget it", "5 instead of 4", "not yet"])
def test_what_is_not_understood_any_more_makes_no_order_surer(more: str, steps: int) -> None:
    for mail in ("bid 4", "I would like to bid 4 for it", "I bid 4\nmvoe 3 form carthag to tueks"):
        words = f"{mail}\n{more}"
        with limited(Effort(steps)):
            found = ordered(words)
        assert set(found) <= set(ordered(words)), words


def test_an_exact_line_far_below_words_that_are_not_understood_any_more_is_taken() -> None:
    mail = "bid 4\n\nHello there, how are you all doing in this fine city?\n\nwhen card 2: bid 3\n\nwhen card 3: bid 4"
    found = []
    for steps in range(100):
        with limited(Effort(steps)):
            found.append(ordered(mail))
    assert ["when card 3: bid 4"] in found


def test_a_sheet_of_many_exact_lines_is_within_bounds() -> None:
    lines = [f"when card {n % 5 + 1} and price < {n}: bid {n}" for n in range(1, 200)]
    assert len(ordered("\n".join(lines))) == len(lines)


# --- questions that nobody can check ---------------------------------------------------------------------------------

UNCHECKED = "truthtrance emperor: Do you trust me?"


def asks_to(memory: Memory, mail: str) -> list[object]:
    known = BIDDING.known and BIDDING.known()
    assert known
    held = replace(known, judge=lambda order: ("held", ""))
    return [line.result for line in read_lines([mail], replace(BIDDING, known=lambda: held), memory)]


def test_a_question_that_nobody_can_check_is_proposed_before_it_counts() -> None:
    (first,) = asks_to(Memory(asks_first=True), UNCHECKED)
    assert isinstance(first, Unread)
    assert first.suggestions == ("truthtrance Emperor: Do you trust me?",)
    proposed = Memory(Proposal((first.suggestions,), seen_by(BIDDING)), asks_first=True)
    for mail in ("yes", UNCHECKED):
        (second,) = asks_to(proposed, mail)
        assert isinstance(second, Truthtrance)


def test_a_question_that_can_be_checked_counts_at_once() -> None:
    asked = "truthtrance emperor: Do you hold the Lasgun, yes or no?"
    assert ordered(asked, Memory(asks_first=True)) == ["truthtrance Emperor: Do you hold the Lasgun, yes or no?"]
