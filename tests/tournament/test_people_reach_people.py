"""Entrants' messages in their own words reach people, and the answers come back."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from bot.store import tournaments
from bot.store.database import reading
from bot.tournament import calendar, organisers
from bot.tournament.desk import Caller, acting
from tests.tournament.cup import Cup as PlayedCup
from tests.tournament.cup import address as seat
from tests.tournament.cup import cup_at
from tests.tournament.entries import DIRECTOR, Cup, address

QUESTION = "Can I play from my holidays with only a mobile phone?"


@pytest.fixture
def cup(entry_cup: Cup) -> Cup:
    entry_cup.enters("ann")
    return entry_cup


def text(cup: Cup, to: str) -> str:
    return " ".join(cup.world.letters(to)[-1].text.split())


def to_director(cup: Cup) -> list[str]:
    return [" ".join(sent.text.split()) for sent in cup.world.letters(DIRECTOR)]


@pytest.mark.parametrize(
    "lines",
    [
        ["Hello,", "", QUESTION, "", "Thanks", "Ann"],
        [f"press to director: {QUESTION}"],
        [f"Press to the organisers: {QUESTION}"],
    ],
)
def test_words_to_people_go_to_the_organisers_and_their_answer_comes_back(cup: Cup, lines: list[str]) -> None:
    cup.answers("ann", *lines)
    assert len(to_director(cup)) == 1
    assert QUESTION in to_director(cup)[0]
    assert "Ann (E001) writes to the organisers of The Cup" in to_director(cup)[0]
    assert address("ann") not in to_director(cup)[0]
    assert "organisers" in text(cup, address("ann"))
    sent = cup.world.letters(DIRECTOR)[-1].message
    before = len(cup.letters("ann"))
    outcome = cup.deliver(
        cup.mail(
            "director", "Yes, that works.", "Good luck!", to=str(sent["Reply-To"]), subject=f"Re: {sent['Subject']}"
        )
    )
    assert outcome.disposition == "orders"
    told = " ".join(cup.letters("ann")[before].text.split())
    assert "Yes, that works. Good luck!" in told
    assert DIRECTOR not in told
    assert "Your answer went to Ann (E001)" in to_director(cup)[-1]


def test_a_line_of_an_organiser_answers_too_and_another_number_is_no_question(cup: Cup) -> None:
    cup.answers("ann", QUESTION)
    sent = cup.world.letters(DIRECTOR)[-1].message
    number = str(sent["Subject"]).split("Question ")[1].split()[0]
    cup.deliver(cup.mail("director", f"answer {number}: Yes.", to=str(sent["Reply-To"]), subject="about the cup"))
    assert "The organisers of The Cup answer you: Yes." in text(cup, address("ann"))
    before = len(cup.letters("ann"))
    cup.deliver(cup.mail("director", "answer 99: Yes.", to=str(sent["Reply-To"]), subject="about the cup"))
    assert "There is no question 99 here" in to_director(cup)[-1]
    assert len(cup.letters("ann")) == before


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["Thanks!"], "It looked like a greeting or thanks"),
        (["Hi,", "thanks a lot", "Ann"], "It looked like a greeting or thanks"),
        (["Great, see you at the table!"], "To reach the organisers, write “press to organisers:”"),
        (["status", "", "Cheers", "Ann"], "You are in"),
    ],
)
def test_chatter_goes_to_nobody(cup: Cup, lines: list[str], told: str) -> None:
    cup.answers("ann", *lines)
    assert to_director(cup) == []
    assert told in text(cup, address("ann"))


@pytest.mark.parametrize(
    "words",
    [
        "I can't play next week, I'm at a conference until the 14th.",
        "My brother would like to take over my seat, is that possible?",
        "I would be happy to step in as a substitute if somebody drops out.",
        "Nobody at our table has moved for three days, what can be done",
        "I don't want to play the Guild again, can I have another faction?",
    ],
)
def test_who_asks_about_a_seat_does_not_leave_it(cup: Cup, words: str) -> None:
    cup.answers("ann", words)
    assert words in to_director(cup)[-1]
    assert "we passed it on to the organisers" in text(cup, address("ann"))


def test_thanks_reach_the_organisers_and_wait_for_no_answer(cup: Cup) -> None:
    cup.answers("ann", "Thank you all for organising this, it was great fun!")
    assert "it was great fun" in to_director(cup)[-1]
    cup.wait(30)
    calendar.tick(cup.world.moderator.open_games, cup.world.now)
    assert "waiting for an answer" not in to_director(cup)[-1]


def test_a_question_beside_a_command_goes_to_the_organisers_and_the_command_is_carried_out(cup: Cup) -> None:
    cup.answers("ann", "awake 8-22 Europe/Berlin", "", "Is there a prize?")
    assert "Is there a prize?" in to_director(cup)[-1]
    told = text(cup, address("ann"))
    assert "your waking hours are" in told
    assert "The rest of your mail went to the organisers" in told


def test_at_the_address_of_the_event_an_entrant_is_passed_on_as_not_proved(cup: Cup) -> None:
    with reading(cup.world.engine) as conn:
        token = tournaments.find_tournament(conn, "cup").token
    cup.says("ann", QUESTION, to=f"mentat+{token}@arrakis.example")
    assert QUESTION in to_director(cup)[-1]
    assert "somebody else may have written it" in to_director(cup)[-1]
    assert "we passed it on to the organisers" in text(cup, address("ann"))


def test_a_stranger_at_the_address_of_the_event_reaches_nobody(cup: Cup) -> None:
    with reading(cup.world.engine) as conn:
        token = tournaments.find_tournament(conn, "cup").token
    cup.says("zoe", QUESTION, to=f"mentat+{token}@arrakis.example")
    assert to_director(cup) == []


@pytest.mark.parametrize(
    "words",
    [
        "I have to drop out, sorry.",
        "Sorry, I need to pull out",
        "I must quit",
        "Sorry everybody, I have to drop out, my job moves me.",
        "Something came up at work, you will have to go on without me.",
        "I no longer want to take part.",
        "I won't be able to continue, my father died.",
        "Please count me out, I won't have time.",
    ],
)
def test_who_has_to_drop_out_is_asked_to_confirm_it(cup: Cup, words: str) -> None:
    cup.answers("ann", words)
    assert "withdraw" in text(cup, address("ann"))
    cup.answers("ann", "yes")
    assert cup.entrant("ann").state == "withdrawn"


def test_a_question_that_nobody_has_answered_is_in_the_daily_letter(cup: Cup) -> None:
    cup.answers("ann", QUESTION)
    cup.wait(30)
    calendar.tick(cup.world.moderator.open_games, cup.world.now)
    assert "E001 asked a question and has been waiting" in to_director(cup)[-1]


@pytest.mark.parametrize(
    ("writer", "clerks", "read_by"),
    [
        (1, [2, 8], [seat(8)]),
        (1, [2], ["gm@arrakis.example"]),
        (13, [13, 14], [seat(14)]),
    ],
)
def test_words_of_an_entrant_go_to_no_clerk_of_the_same_table_and_not_back_to_the_writer(
    tmp_path: Path, writer: int, clerks: list[int], read_by: list[str]
) -> None:
    cup = cup_at(tmp_path)
    cup.round()
    for number in clerks:
        cup.grant(seat(number), "clerk")
    before = cup.world.written()
    with acting(Caller(cup.open_games, cup.now), "cup") as (session, tournament):
        organisers.pass_on(session, tournament, cup.entrant(writer), "Atreides and I plan a betrayal: is it allowed?")
    assert [sent.recipient for sent in cup.world.letters(after=before)] == read_by


# --- what concerns the event, written to a game ------------------------------------------------------------------


@pytest.fixture
def played(tmp_path: Path) -> PlayedCup:
    made = cup_at(tmp_path)
    made.grant(DIRECTOR, "director")
    made.round()
    return made


def writes_to_game(cup: PlayedCup, number: int, *lines: str) -> list[str]:
    """Answer the first letter of a player's game; return the subjects of the letters that follow."""
    letter = next(sent.message for sent in cup.letters(number) if "[cup-1-1]" in str(sent.message["Subject"]))
    message = EmailMessage()
    message["From"], message["To"] = seat(number), str(letter["Reply-To"])
    message["Subject"], message["Message-ID"] = f"Re: {letter['Subject']}", f"<{cup.world.written()}.{number}>"
    message.set_content("\n".join(lines) + "\n")
    before = cup.world.written()
    cup.world.moderator.deliver(message.as_bytes(), cup.now)
    return [str(sent.message["Subject"]) for sent in cup.letters(number, before)]


@pytest.mark.parametrize(
    "words",
    [
        "Sorry everybody, I have to drop out, my job moves me.",
        "I need to withdraw from the cup",
        "I'm out, can't play any more",
        "I want to leave the tournament.",
        "I am quitting.",
    ],
)
def test_who_drops_out_at_a_game_of_an_event_is_asked_what_becomes_of_their_games(
    played: PlayedCup, words: str
) -> None:
    assert writes_to_game(played, 1, words) == ["[cup] Leaving: what should become of your games?"]
    assert "withdraw cup keep" in played.text(1)
    assert played.entrant(1).state == "playing"
    assert played.sitting("atreides").entrant == 1


def test_the_answer_to_that_is_taken_at_the_address_of_the_game_too(played: PlayedCup) -> None:
    writes_to_game(played, 1, "withdraw cup leave")
    assert played.entrant(1).state == "withdrawn"
    assert played.sitting("atreides").entrant == 0


def test_an_order_beside_it_is_taken_by_the_game(played: PlayedCup) -> None:
    told = writes_to_game(played, 2, "predict guild turn 3", "", "Sorry, I have to drop out after this.")
    assert any("Leaving" in subject for subject in told)
    assert any("[cup-1-1]" in subject for subject in told)
    assert not played.world.table("cup-1-1").play.questions() or "predict" not in str(
        played.world.table("cup-1-1").play.questions()[0].kind
    )


@pytest.mark.parametrize(
    "words", ["press to director: when does it end?", "press to the organisers: when does it end?"]
)
def test_words_to_the_organisers_reach_them_from_a_game(played: PlayedCup, words: str) -> None:
    assert writes_to_game(played, 4, words) == ["[cup] 1 of 1 line taken"]
    told = [" ".join(sent.text.split()) for sent in played.world.letters(DIRECTOR)]
    assert any("E004 writes to the organisers of The Cup" in text and "when does it end?" in text for text in told)


@pytest.mark.parametrize(
    "words",
    [
        "That result can't be right, the Guild only had two strongholds at the end of turn 4!",
        "I want to appeal the result of table 1.1: the storm was moved one sector too far.",
        "I'd like to lodge a complaint about table 1.1",
    ],
)
def test_who_contests_a_result_is_told_how_to_protest(played: PlayedCup, words: str) -> None:
    played.end("cup-1-1", "guild")
    played.tick()
    message = EmailMessage()
    message["From"], message["To"] = seat(3), f"mentat+{played.entrant(3).token}@arrakis.example"
    message["Subject"], message["Message-ID"] = "Re: [cup] The result", "<contested@players.example>"
    message.set_content(words + "\n")
    played.world.moderator.deliver(message.as_bytes(), played.now)
    assert "send your protest like this: protest 1.1: " in played.text(3)
    assert words[:20] in to_director_of(played)[-1]


def to_director_of(cup: PlayedCup) -> list[str]:
    return [" ".join(sent.text.split()) for sent in cup.world.letters(DIRECTOR)]


def test_a_protest_in_words_at_a_game_is_proposed(played: PlayedCup) -> None:
    played.end("cup-1-1", "guild")
    played.tick()
    writes_to_game(played, 3, "I protest, table 1.1 had no Fremen!")
    assert "Did you mean “protest" in played.text(3)
    assert played.papers("protest") == []


@pytest.mark.parametrize("words", ["I leave Arrakeen to you", "resign", "I'm out of spice", "drop it"])
def test_other_words_at_a_game_stay_there(played: PlayedCup, words: str) -> None:
    assert not [subject for subject in writes_to_game(played, 5, words) if "[cup] " in subject]
