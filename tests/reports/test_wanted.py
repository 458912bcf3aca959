"""Tests for the part of a letter that asks its reader to act: the call, the questions, and others being waited for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from bot.render.blocks import Ask, Block, Buttons, Document, Due, Heading, Paragraph, Title
from bot.render.letters import private_report, reminder, verdict_on_line
from bot.render.material import AnswerWanted, Auction, Duty, Position, SheetCall
from bot.render.questions import add_wanted, ask_block, form_block, form_lines
from rules.components.board import TerritoryId
from tests.reports.positions import CODE, DUE, HARKONNEN, LINES, MOVEMENT, SHIPMENT, games

RESTED = replace(HARKONNEN, wanted=(), waiting=(), held=())
BID = AnswerWanted("bid", "", {"number": 1, "of": 2, "bid": 0, "spice": 3}, DUE, "pass", ("pass", "bid 1"))
CALL = SheetCall("battle", DUE, ((TerritoryId("arrakeen"), "guild"),))
BY = "By Tue 24 Nov 21:00 Berlin time (in 2 days)."
HANDS = "You have 7 spice, 9 tokens in reserve, 1 token in the tanks and 3 cards (Crysknife, Karama, Shield)."
NOTHING = "Nothing to do right now"
STOPPED = "The clocks of this game are stopped; nothing falls due until they start again. You can send orders as usual."


def told(position: Position, *, top: bool = False) -> list[str]:
    """Return each block in short form."""
    letter = Document("")
    add_wanted(letter, position, top)
    return [_short(block) for block in letter.blocks]


def _short(block: Block) -> str:
    match block:
        case Title(text):
            return f"TOP {text}"
        case Heading(text, after):
            return f"{text} {after}".strip()
        case Due(by, silent):
            return f"{by} {silent}".strip()
        case Paragraph(text):
            return text
        case Ask(title, details):
            return " | ".join([title, *details[1:]])
        case Buttons(ready):
            return " | ".join(button.label for button in ready)
    return repr(block)


def test_questions_of_one_deadline_stand_below_it() -> None:
    assert told(HARKONNEN, top=True) == [
        "TOP Ship tokens? Move a group?",
        BY,
        HANDS,
        "Ship tokens? | If you say nothing: no shipment.",
        "Move a group? | If you say nothing: no move.",
        "Also open: a shipment (Guild), until Tue 24 Nov 21:00; reactions with a Karama (everybody), until "
        "Tue 24 Nov 21:00.",
    ]


def test_questions_of_several_deadlines_have_each_its_own_and_one_without_has_none() -> None:
    later = replace(MOVEMENT, due=DUE + timedelta(days=1))
    assert told(replace(RESTED, wanted=(SHIPMENT, later))) == [
        "Ship tokens? Move a group?",
        "The first by Tue 24 Nov 21:00 Berlin time (in 2 days).",
        HANDS,
        "Ship tokens? | By Tue 24 Nov 21:00 Berlin time (in 2 days). | If you say nothing: no shipment.",
        "Move a group? | By Wed 25 Nov 21:00 Berlin time (in 3 days). | If you say nothing: no move.",
    ]
    assert told(replace(RESTED, wanted=(replace(SHIPMENT, due=None),))) == [
        "Ship tokens?",
        "If you say nothing: no shipment.",
        HANDS,
        "",
    ]


def test_where_nothing_is_wanted_that_is_said_and_when_the_round_goes_on() -> None:
    quiet = "We will write to you when there is something to decide."
    assert told(RESTED, top=True) == [f"TOP {NOTHING}", quiet]
    assert told(replace(RESTED, stopped=True)) == [STOPPED, NOTHING, quiet]
    assert told(replace(RESTED, goes_on=DUE))[2:] == [
        "The round will go on once everybody has answered, but no later than Tue 24 Nov 21:00 Berlin time (in 2 days)."
    ]
    over = replace(RESTED, view={**RESTED.view, "phase": "over"})
    assert told(over) == [NOTHING, "The game is over."]
    answered = replace(RESTED, wanted=(replace(SHIPMENT, answered=("no shipment",)),))
    assert told(answered)[0] == NOTHING
    assert told(answered)[1] != quiet


def test_a_button_that_keeps_an_alliance_does_not_read_as_if_it_ended_it() -> None:
    asked = AnswerWanted(
        "nexus", "", {"allies": ["guild"], "largest": 2}, DUE, "no alliance", ("break alliance", "no alliance")
    )
    block = ask_block(RESTED, asked, DUE)
    assert [button.label for button in block.buttons] == ["stay allied", "break alliance"]
    assert "no%20alliance" in block.buttons[0].link
    alone = ask_block(RESTED, replace(asked, about={**asked.about, "allies": []}), DUE)
    assert alone.buttons[0].label == "stay alone"


def test_a_call_comes_before_the_questions_and_takes_the_headline() -> None:
    both = told(replace(RESTED, call=CALL, wanted=(SHIPMENT,)), top=True)
    assert [*both[:2], *both[3:5], both[-1]] == [
        "TOP Your battle plans? Ship tokens?",
        BY,
        "You fight in Arrakeen against Guild.",
        "nothing to add | no transfer",
        "Ship tokens? | If you say nothing: no shipment.",
    ]
    alone = told(replace(RESTED, call=SheetCall("bidding", None)))
    assert alone[0] == "Your bids for this turn?"
    assert alone[1].startswith("If you say nothing: we will ask you")
    assert alone[3] == "nothing to add | pass all | standing: charity"
    assert not any("fight" in line for line in alone)
    unable = replace(RESTED, call=CALL, reader=replace(RESTED.reader, reply_to=""))
    assert len(told(unable)) == len(told(replace(RESTED, call=CALL))) - 1, "who cannot reply has no buttons"


AUCTION = Auction((("emperor", 2), ("harkonnen", 1)), ("fremen",))
FACTS = {"number": 3, "of": 6, "top": 2, "top_bidder": "emperor", "means": 7}


def test_a_bid_has_what_its_reader_must_know_above_the_buttons_and_the_main_answer_first() -> None:
    asked = replace(BID, about=FACTS, choices=("bid 3", "bid up to 7", "pass"))
    position = replace(RESTED, wanted=(asked,), auction=AUCTION)
    assert told(position, top=True) == [
        "TOP Bid on card 3? Emperor has it for 2.",
        f"{BY} If you say nothing: you pass until you write or the card is sold.",
        f"{HANDS} Bids: Emperor 2. Passed: Fremen.",
        "",
    ]
    assert [button.label for button in ask_block(position, asked, DUE).buttons] == ["pass", "bid 3", "bid up to 7"]
    assert told(replace(position, auction=None))[2] == HANDS


def test_every_question_of_random_games_stands_in_the_first_forty_characters_of_its_subject() -> None:
    for _, asked, _ in games():
        for kind, facts, _ in asked:
            wanted = (AnswerWanted(kind, "", facts, DUE, "", ()),)
            subject = reminder(replace(RESTED, wanted=wanted, form_code="")).subject.replace(" (reminder)", "")
            assert subject.startswith("[sietch-12] T4 ")
            assert 0 < subject.index("?") < 40
            assert subject.endswith("? by Tue 21:00")


def test_a_subject_names_the_first_of_several_questions_and_a_date_that_is_far_away() -> None:
    assert private_report(HARKONNEN).subject == "[sietch-12] T4 ship tokens? and 1 more by Tue 21:00"
    late = replace(SHIPMENT, due=DUE + timedelta(days=7))
    assert private_report(replace(RESTED, wanted=(late,))).subject.endswith("T4 ship tokens? by Tue 1 Dec 21:00")
    again = reminder(replace(RESTED, wanted=(SHIPMENT,)), "last-reminder")
    assert again.subject == "[sietch-12] T4 ship tokens? by Tue 21:00 (last reminder)"
    assert ">Ship tokens? By Tue 21:00.</div>" in again.html, "what mail programs show beside the subject"


@pytest.mark.parametrize(
    ("waiting", "wanted", "line"),
    [
        ((Duty("guild", "bid", None), Duty("fremen", "bid", None)), (), "Open: a bid (Guild and Fremen)."),
        ((Duty("guild", "bid", DUE), Duty("fremen", "bid", None)), (SHIPMENT,),
         "Also open: a bid (Guild), until Tue 24 Nov 21:00; a bid (Fremen)."),
        ((Duty("guild", "shipment", None),), (replace(SHIPMENT, answered=("no shipment",)),),
         "We are waiting for: a shipment (Guild)."),
        ((Duty(None, "shipment", None), Duty("guild", "bid", None)), (SHIPMENT,),
         "Also open: a bid (Guild)."),
        ((Duty(None, "bid", None),), (SHIPMENT,), "Also open: a bid (everybody)."),
    ],
)  # fmt: skip
def test_who_else_is_waited_for(waiting: tuple[Duty, ...], wanted: tuple[AnswerWanted, ...], line: str) -> None:
    assert told(replace(RESTED, waiting=waiting, wanted=wanted))[-1] == line


def test_readers_of_a_forum_are_told_whose_clock_it_is() -> None:
    public = replace(RESTED.reader, viewer="public")
    waits = replace(RESTED, reader=public, waiting=(Duty("guild", "bid", DUE),))
    assert told(waits)[-1].endswith("a bid (Guild), until Tue 24 Nov 21:00 Berlin time.")


# --- the form --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        (BID, ("# your bid on card 1; if you say nothing: you pass until you write",
               "# or the card is sold", "[ ] pass", "[ ] bid 1", "bid _",
               "bid _ with karama", "bid up to _", "bid up to _ from _")),
        (replace(BID, answered=("bid 1", "pass")),
         ("# your bid on card 1; if you say nothing: you pass until you write",
          "# or the card is sold", "# ordered so far: bid 1 and pass", "[ ] pass",
          "[ ] bid 1", "bid _", "bid _ with karama", "bid up to _", "bid up to _ from _")),
        (MOVEMENT, ("# your move; if you say nothing: no move", "[ ] no move",
                    "[ ] move 3 from Carthag to Arsunt/11", "move _ from ______ to ______",
                    "move _ from ______ via ______ to ______")),
        (SHIPMENT, ("# your shipment; if you say nothing: no shipment", "[ ] no shipment",
                    "[ ] ship 3 to Imperial Basin/10", "[ ] ship 7 to Sietch Tabr", "ship _ to ______")),
    ],
)  # fmt: skip
def test_a_form_has_boxes_and_the_blanks_that_its_reader_can_use(asked: AnswerWanted, lines: tuple[str, ...]) -> None:
    asking = replace(RESTED, wanted=(asked,))
    assert form_lines(asking) == lines
    block = form_block(asking)
    assert block is not None
    assert (CODE in block.begin, block.lines) == (True, lines)
    assert form_block(replace(asking, form_code="")) is None
    assert form_block(RESTED) is None


# --- verdicts --------------------------------------------------------------------------------------------------------


def test_a_line_has_its_verdict_with_all_that_helps() -> None:
    found = [verdict_on_line(HARKONNEN, line) for line in LINES]
    assert [(one.word, one.tone, one.details, one.order, len(one.buttons)) for one in found] == [
        ("REFUSED", "bad", ("Sector 9 is in storm.", "AH.IX.C.1.c: Nothing is shipped into a sector in storm.",
                            "This would be right:"), False, 1),
        ("TAKEN", "good", ("move 3 from Carthag to Arsunt/11",), True, 0),
        ("HELD", "good", ("plan dial 6 leader Feyd-Rautha (kept until it can be played in this phase)",), False, 0),
        ("NOT YET", "bad", ("I do not know “moev”.", "This would be right:"), False, 0),
        ("DONE", "good", ("bid N", "pass"), False, 0),
    ]  # fmt: skip
    assert [one.suggestions for one in found] == [line.suggestions for line in LINES]
    talk = verdict_on_line(HARKONNEN, replace(LINES[3], status="talk", suggestions=()))
    assert (talk.word, talk.tone) == ("NO ORDER", "plain")


@pytest.mark.parametrize(("more", "shown"), [("", ()), (" x" * 40, ("bid 5",))])
def test_a_suggestion_that_a_short_reason_shows_is_not_shown_again(more: str, shown: tuple[str, ...]) -> None:
    line = replace(LINES[3], reason=f"Did you mean “bid 5”?{more}", suggestions=("bid 5",))
    assert verdict_on_line(HARKONNEN, line).suggestions == shown
    assert [button.label for button in verdict_on_line(HARKONNEN, line).buttons] == ["bid 5"]
    two = replace(line, suggestions=("bid 5", "bid 6"))
    assert verdict_on_line(HARKONNEN, two).suggestions == ("bid 5", "bid 6")
    assert verdict_on_line(HARKONNEN, replace(line, suggestions=("bid __", "bid 6"))).buttons == ()
