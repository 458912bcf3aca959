"""Arbiters decide by mail, each alone, in their own words or by a button; no director answers for them."""

from __future__ import annotations

from email.message import EmailMessage
from typing import Literal

import pytest

from bot.competition.verification import DECIDED
from bot.games.open_games import Session
from bot.store import press, publication, tournaments
from bot.store.database import reading, writing
from bot.store.tournaments import PairApart
from bot.tournament import adjudication, arbiters, results
from bot.tournament.adjudication import Finding
from bot.tournament.desk import By, Caller, Refused
from tests.moderator.table import Sent
from tests.tournament.cup import CUP, Cup, address

ANN, BOB, CID = (f"{name}@judges.example" for name in ("ann", "bob", "cid"))
BY = By(why="the round has ended")


@pytest.fixture
def heard(cup: Cup) -> Cup:
    """Let the Guild win the first table and a player protest, with two arbiters appointed."""
    cup.round()
    for who in (ANN, BOB):
        cup.grant(who, "arbiter")
    cup.end("cup-1-1", "guild")
    cup.tick()
    with writing(cup.world.engine) as conn:
        session = Session(conn, cup.open_games, cup.now)
        results.file_protest(session, tournaments.find_tournament(conn, CUP), cup.entrant(4), "1.1", "It had no Guild.")
    return cup


@pytest.fixture
def protested(heard: Cup) -> Cup:
    """Let the time for replies pass, so that the arbiters are asked."""
    heard.tick(48)
    return heard


def asked(cup: Cup, who: str) -> list[Sent]:
    return [sent for sent in cup.world.letters(who) if "Verdict" in str(sent.message["Subject"])]


def answers(cup: Cup, who: str, words: str, sender: str = "") -> str:
    """Answer an arbiter's newest question, and return what Mentat writes back."""
    letter = asked(cup, who)[-1].message
    message = EmailMessage()
    message["From"], message["To"] = sender or who, str(letter["Reply-To"])
    message["Subject"] = f"Re: {letter['Subject']}"
    message["Message-ID"] = f"<{cup.world.written()}.{who}>"
    message.set_content(f"{words}\n")
    cup.world.moderator.deliver(message.as_bytes(), cup.now)
    return " ".join(cup.world.letters(who)[-1].text.split())


def winners(cup: Cup) -> tuple[str, tuple[str, ...], str]:
    kept = cup.result()
    assert kept is not None
    return kept.outcome.kind, kept.outcome.winners, kept.by


def test_both_are_asked_with_the_protest_and_the_public_board(protested: Cup) -> None:
    for who in (ANN, BOB):
        (letter,) = asked(protested, who)
        told = " ".join(letter.text.split())
        assert "E004 protests about table 1.1: It had no Guild." in told
        assert "what everybody may know" in told.lower()
        page = letter.message.get_body(("html",))
        assert page is not None
        for button in ("dismiss", "uphold", "winner guild", "replay", "concerned"):
            assert f"{button}</a>" in " ".join(page.get_content().split())


def test_equal_verdicts_in_ones_own_words_decide_and_are_told_as_what_they_are(protested: Cup) -> None:
    told = answers(protested, ANN, "No ground.")
    assert "Noted as your verdict" in told
    assert len(protested.papers("protest")) == 1, "one alone decides nothing"
    answers(protested, BOB, "Let it stand: the board shows it.")
    assert protested.papers("protest") == []
    assert "The result of table 1.1 stays as it is. Decided by two arbiters, because: No ground. / Let it stand" in (
        protested.text(4)
    )
    with reading(protested.world.engine) as conn:
        shown = publication.published_tournament(conn, CUP, protested.now, "directors")
    assert shown.acts[-1].right == "arbiter"
    assert winners(protested) == ("stronghold", ("guild",), "")


def test_who_upholds_a_protest_is_asked_what_follows_and_has_decided_nothing_yet(protested: Cup) -> None:
    answers(protested, BOB, "winner emperor")
    told = answers(protested, ANN, "uphold")
    assert "What follows from it?" in told
    assert len(protested.papers("protest")) == 1
    answers(protested, ANN, "winner emperor")
    assert protested.papers("protest") == []
    assert winners(protested)[1] == ("emperor",)


def test_different_verdicts_are_put_to_a_third_and_two_of_three_decide(protested: Cup) -> None:
    protested.grant(CID, "arbiter")
    answers(protested, ANN, "No ground")
    assert asked(protested, CID) == []
    assert "Emperor has won. It counts once you answer yes" in answers(
        protested, BOB, "Emperor should have it, because of the storm"
    )
    assert asked(protested, CID) == []
    answers(protested, BOB, "Yes")
    (letter,) = asked(protested, CID)
    told = " ".join(letter.text.split())
    assert "E004 protests" in told
    assert "No ground" not in told
    assert "because of the storm" not in told
    answers(protested, CID, f"verdict {arbiters_number(protested)} winner emperor")
    assert winners(protested) == ("adjudicated", ("emperor",), "two of 3 arbiters")
    kept = protested.result()
    assert kept is not None
    assert kept.outcome.how not in DECIDED, "the record of the game names the Guild"
    assert "Decided by two of 3 arbiters" in " ".join(" ".join(one.text.split()) for one in protested.letters(4))


def arbiters_number(cup: Cup) -> int:
    with reading(cup.world.engine) as conn:
        return tournaments.papers_of(conn, CUP, "question")[-1].id


def test_without_a_third_or_in_time_no_verdict_has_come_and_the_result_stands(protested: Cup) -> None:
    answers(protested, ANN, "winner emperor")
    protested.tick(48)
    protested.tick(24)
    assert protested.papers("protest") == []
    assert winners(protested)[1] == ("guild",)
    assert (
        "There is no verdict, because only one verdict came in time. The result of table 1.1 stands."
        in protested.text(4)
    )
    assert "has already been decided" in answers(protested, ANN, "No ground")


def test_who_is_concerned_is_replaced_by_another(protested: Cup) -> None:
    protested.grant(CID, "arbiter")
    answers(protested, ANN, "I am concerned, my brother plays there.")
    assert len(asked(protested, CID)) == 1
    answers(protested, CID, "dismiss")
    answers(protested, BOB, "no grounds")
    assert protested.papers("protest") == []


def test_who_is_concerned_does_not_count_and_the_other_decides_alone(protested: Cup) -> None:
    answers(protested, ANN, "I am concerned, my brother plays there.")
    answers(protested, BOB, "No ground")
    assert protested.papers("protest") == []
    assert "Decided by one arbiter, because: No ground" in protested.text(4)


def test_a_director_is_asked_where_every_arbiter_is_concerned(protested: Cup) -> None:
    protested.grant(CID, "director")
    answers(protested, ANN, "concerned")
    assert asked(protested, CID) == []
    answers(protested, BOB, "concerned")
    answers(protested, CID, "Emperor should have it")
    answers(protested, CID, "yes")
    assert winners(protested) == ("adjudicated", ("emperor",), "the director")
    assert "Decided by the director" in protested.text(4)


def test_without_a_verdict_those_who_protested_hear_why_there_is_none(protested: Cup) -> None:
    answers(protested, ANN, "No ground")
    answers(protested, BOB, "winner emperor")
    assert protested.papers("protest") == []
    assert "There is no verdict, because the arbiters differed." in protested.text(4)


def test_where_the_table_concerns_everybody_those_who_protested_hear_it(protested: Cup) -> None:
    for who in (ANN, BOB):
        answers(protested, who, "concerned")
    assert "There is no verdict, because the table concerns everybody who was asked." in protested.text(4)


def test_a_verdict_closes_the_protest_that_it_decides_and_no_other(protested: Cup) -> None:
    with writing(protested.world.engine) as conn:
        session = Session(conn, protested.open_games, protested.now)
        results.file_protest(
            session, tournaments.find_tournament(conn, CUP), protested.entrant(5), "1.1", "Wrong turn."
        )
    protested.tick(48)
    for who in (ANN, BOB):
        first = asked(protested, who)[0]
        number = str(first.message["Subject"]).split("Verdict ")[1].split(":")[0]
        answers(protested, who, f"verdict {number} winner emperor")
    assert winners(protested)[1] == ("emperor",)
    assert [paper.entrant for paper in protested.papers("protest")] == [5]


def test_a_table_is_played_again_if_both_say_so(protested: Cup) -> None:
    answers(protested, ANN, "Play it again, please")
    answers(protested, BOB, "replay")
    assert [(table.number, table.state) for table in protested.tables()] == [
        (1, "void"),
        (2, "playing"),
        (3, "planned"),
    ]


@pytest.mark.parametrize(
    "words",
    ["Hm, let me look at it again tomorrow.", "The Guild should not have it.", "Dismiss or replay?", "Richese has won"],
)
def test_words_that_are_no_verdict_are_asked_about(protested: Cup, words: str) -> None:
    assert "We found no answer for verdict" in answers(protested, ANN, words)
    assert len(protested.papers("protest")) == 1


def test_more_winners_than_a_game_can_have_are_no_verdict(protested: Cup) -> None:
    for who in (ANN, BOB):
        told = answers(protested, who, "winner guild emperor fremen atreides")
        assert "We found no answer for verdict" in told
    assert winners(protested) == ("stronghold", ("guild",), "")


def test_nobody_else_can_answer_and_a_director_only_has_arbiters_asked(cup: Cup) -> None:
    cup.round()
    for who in (ANN, BOB, address(2), address(8)):
        cup.grant(who, "arbiter")
    cup.grant("boss@judges.example", "director")
    with writing(cup.world.engine) as conn:
        tournaments.keep_apart(conn, CUP, PairApart(8, 3, "family"))
    caller = Caller(cup.open_games, cup.now, By("boss@judges.example", "director", "the round has ended"))
    found = adjudication.adjudicate(caller, CUP, "1.1", Finding())
    assert (found.asked, found.result) == (True, None)
    assert [who for who in (ANN, BOB, address(2), address(8)) if asked(cup, who)] == [ANN, BOB]
    with pytest.raises(Refused, match=r"already been asked about table 1\.1"):
        adjudication.adjudicate(caller, CUP, "1.1", Finding())
    answers(cup, ANN, "winner guild", sender="boss@judges.example")
    answers(cup, ANN, "winner guild")
    assert cup.result() is None
    answers(cup, BOB, "Guild wins; they held most")
    answers(cup, BOB, "yes")
    assert winners(cup) == ("adjudicated", ("guild",), "two arbiters")
    assert cup.world.table("cup-1-1").status == "over"


def test_a_game_that_ends_while_arbiters_are_asked_keeps_its_own_result(cup: Cup) -> None:
    cup.round()
    for who in (ANN, BOB):
        cup.grant(who, "arbiter")
    adjudication.adjudicate(Caller(cup.open_games, cup.now, BY), CUP, "1.1", Finding())
    answers(cup, ANN, "winner emperor")
    cup.end("cup-1-1", "guild")
    cup.tick()
    assert "has already been decided" in answers(cup, BOB, "winner emperor")
    assert winners(cup) == ("stronghold", ("guild",), "")


def test_a_verdict_between_the_end_of_a_game_and_its_result_decides_nothing(cup: Cup) -> None:
    cup.round()
    for who in (ANN, BOB):
        cup.grant(who, "arbiter")
    adjudication.adjudicate(Caller(cup.open_games, cup.now, BY), CUP, "1.1", Finding())
    cup.end("cup-1-1", "guild")
    answers(cup, ANN, "winner emperor")
    answers(cup, BOB, "winner emperor")
    assert cup.result() is None
    cup.tick()
    assert winners(cup) == ("stronghold", ("guild",), "")


@pytest.mark.parametrize("state", ["finished", "cancelled"])
def test_what_is_over_takes_no_protest_and_no_verdict(protested: Cup, state: Literal["finished", "cancelled"]) -> None:
    with writing(protested.world.engine) as conn:
        tournaments.touch(conn, CUP, state=state)
        session = Session(conn, protested.open_games, protested.now)
        cup = tournaments.find_tournament(conn, CUP)
        with pytest.raises(Refused, match=f"cup is {state}; its results are final"):
            results.file_protest(session, cup, protested.entrant(5), "1.1", "It had no Guild.")
    for who in (ANN, BOB):
        answers(protested, who, "winner emperor")
    assert winners(protested) == ("stronghold", ("guild",), "")


def test_without_anybody_free_to_judge_the_director_is_told_what_would_help(cup: Cup) -> None:
    cup.round()
    with pytest.raises(Refused, match="grant cup ADDRESS arbiter"):
        adjudication.adjudicate(Caller(cup.open_games, cup.now, BY), CUP, "1.1", Finding())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("No ground", "dismiss"), ("I'd let it stand.", "dismiss"), ("The result stands", "dismiss"),
        ("Guild should have it", "winner guild"), ("Winner: Atreides and Emperor", "winner atreides emperor"),
        ("the bene gesserit won", "winner bene-gesserit"), ("play again", "replay"), ("I am involved", "concerned"),
        ("uphold", "uphold"), ("The protest is right.", "uphold"), ("I can't uphold it", None),
        ("I uphold the result", None), ("I uphold it: Guild should have it", "winner guild"),
        ("I'm not concerned", None), ("", None), ("It does not stand", None),
        ("Guild and the Fremen should have won", "winner fremen guild"),
        ("It goes to Emperor & Guild", "winner emperor guild"),
        ("winner fremen guild emperor", "winner emperor fremen guild"),
        ("Guild should have won instead of Fremen", None), ("Instead of Fremen, Guild should have won", None),
        ("Guild has won. Emperor has won, too.", None), ("Guild or Fremen has won", None),
        ("Should have won: Guild?", None), ("Play again?", None), ("Has the Guild won? No ground", "dismiss"),
    ],
)  # fmt: skip
def test_a_verdict_is_read_from_the_words_of_an_arbiter(words: str, expected: str | None) -> None:
    found = arbiters.verdict_in(words)
    assert (found.words if found else None) == expected


# --- replies, reminders, arbiters with an interest -----------------------------------------------------------------


def replies(cup: Cup, number: int, words: str) -> str:
    """Answer the letter about the protest as an entrant, and return what Mentat writes back."""
    letter = next(sent.message for sent in cup.letters(number) if "Protest" in str(sent.message["Subject"]))
    message = EmailMessage()
    message["From"], message["To"] = address(number), str(letter["Reply-To"])
    message["Subject"] = f"Re: {letter['Subject']}"
    message["Message-ID"] = f"<{cup.world.written()}.{number}>"
    message.set_content(f"{words}\n")
    cup.world.moderator.deliver(message.as_bytes(), cup.now)
    return cup.text(number)


def test_the_others_at_the_table_are_heard_before_the_arbiters_are_asked(heard: Cup) -> None:
    assert asked(heard, ANN) == []
    told = heard.text(3)
    assert "A player protests about table 1.1: It had no Guild." in told
    assert "E004" not in told
    assert not [sent for sent in heard.letters(4) if "You may reply" in sent.text], "it is their own"
    assert not [sent for sent in heard.letters(8) if "protest" in sent.text.lower()], "of another table"
    assert "noted for the arbiters" in replies(
        heard, 3, "The Guild sat there from the first turn on.\nThe record shows it."
    )
    heard.tick(48)
    (letter,) = asked(heard, ANN)
    text = " ".join(letter.text.split())
    assert "Emperor: The Guild sat there from the first turn on. The record shows it." in text
    assert "Guild, by strongholds, in turn 4" in text
    assert "What everybody saw in turn" in text or "turn 1" in text
    assert "Your words were not passed on" in replies(heard, 2, "I have something to say, too.")


def test_the_arbiters_are_asked_as_soon_as_all_have_replied(heard: Cup) -> None:
    for number in (1, 2, 3, 5):
        replies(heard, number, "I saw nothing wrong there.")
    assert asked(heard, ANN) == []
    replies(heard, 6, "Nor did I, I think.")
    assert len(asked(heard, ANN)) == len(asked(heard, BOB)) == 1
    heard.tick(47)
    assert len(asked(heard, ANN)) == 1


def test_a_mail_of_commands_alone_is_no_reply(heard: Cup) -> None:
    replies(heard, 3, "standings")
    assert {paper.state for paper in heard.papers("reply", state=None)} == {"open"}


def test_who_has_not_answered_is_reminded_at_48_hours_and_has_72(protested: Cup) -> None:
    answers(protested, ANN, "No ground.")
    protested.tick(47)
    assert len(asked(protested, BOB)) == 1
    protested.tick(1)
    protested.tick(1)
    assert (len(asked(protested, ANN)), len(asked(protested, BOB))) == (1, 2)
    assert "still missing" in " ".join(asked(protested, BOB)[-1].text.split())
    protested.tick(22)
    assert len(protested.papers("protest")) == 1
    protested.tick(1)
    assert protested.papers("protest") == []


def test_winners_read_from_words_count_with_a_yes_alone(protested: Cup) -> None:
    assert "It counts once you answer yes" in answers(protested, ANN, "I think the Emperor should have it.")
    assert "It counts once you answer yes" in answers(protested, BOB, "Emperor has won, by the storm")
    assert winners(protested)[1] == ("guild",)
    assert "Noted as your verdict" in answers(protested, BOB, "yes")
    assert "found no answer" in answers(protested, ANN, "Hm, no.")
    assert "found no answer" in answers(protested, ANN, "yes")
    answers(protested, ANN, "winner emperor")
    assert winners(protested) == ("adjudicated", ("emperor",), "two arbiters")
    assert "Emperor, decided by two arbiters" in " ".join(" ".join(one.text.split()) for one in protested.letters(4))


def test_an_arbiter_whose_own_place_depends_on_the_verdict_is_not_asked(cup: Cup) -> None:
    cup.round()
    for who in (address(8), ANN, BOB):
        cup.grant(who, "arbiter")
    cup.end("cup-1-2", "harkonnen")  # player 8 has won, and shares the first place with a winner of the other table
    cup.end("cup-1-1", "guild")
    cup.tick()
    file_for(cup, 4)
    cup.tick(48)
    assert [len(asked(cup, who)) for who in (address(8), ANN, BOB)] == [0, 1, 1]


def test_an_observer_of_what_is_hidden_is_not_asked(heard: Cup) -> None:
    heard.grant(CID, "arbiter")
    with writing(heard.world.engine) as conn:
        press.add_observer(conn, press.Observer("cup-1-1", ANN, "o" * 16, full=True), heard.now)
    heard.tick(48)
    assert [len(asked(heard, who)) for who in (ANN, BOB, CID)] == [0, 1, 1]


def test_without_a_verdict_about_a_running_game_the_board_is_counted(cup: Cup) -> None:
    cup.round()
    for who in (ANN, BOB):
        cup.grant(who, "arbiter")
    adjudication.adjudicate(Caller(cup.open_games, cup.now, BY), CUP, "1.1", Finding())
    cup.tick(48)
    cup.tick(24)
    kept = cup.result()
    assert kept is not None
    assert (kept.outcome.how, kept.by) == ("stopped", "")
    assert "There is no verdict on table 1.1" in " ".join(cup.world.letters(ANN)[-2].text.split())


def test_the_others_who_were_heard_learn_what_was_decided(protested: Cup) -> None:
    answers(protested, ANN, "No ground.")
    answers(protested, BOB, "No ground.")
    assert "The result of table 1.1 stays as it is. Decided by two arbiters" in protested.text(3)


def test_where_nobody_can_judge_the_organisers_get_the_protest_with_its_replies(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "guild")
    cup.tick()
    file_for(cup, 4)
    replies(cup, 3, "It is as it was, I say.")
    cup.tick(48)
    every = cup.world.letters(cup.world.settings.mentat.game_master)
    told = next(" ".join(sent.text.split()) for sent in every if "A protest" in str(sent.message["Subject"]))
    assert "E004 protests about table 1.1" in told
    assert "Emperor: It is as it was, I say." in told


def file_for(cup: Cup, number: int) -> None:
    with writing(cup.world.engine) as conn:
        session = Session(conn, cup.open_games, cup.now)
        results.file_protest(session, tournaments.find_tournament(conn, CUP), cup.entrant(number), "1.1", "No Guild.")
