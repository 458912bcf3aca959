"""Organisers' commands from a phone: a line in reply to a letter, and "yes" to a confirmation letter."""

from __future__ import annotations

import re
from email.message import EmailMessage
from urllib.parse import unquote

import pytest

from bot.games.letter_writer import master_token
from bot.games.open_games import Session
from bot.mail.identity import plus_address
from bot.store import acts, tournaments
from bot.store.database import reading, writing
from bot.tournament import results
from bot.tournament.organisers import FORMS, read_command
from tests.moderator.table import ADDRESS, GAME_MASTER, Sent
from tests.tournament.cup import CUP, Cup

BOSS = "boss@example.org"


@pytest.fixture
def directed(cup: Cup) -> Cup:
    cup.round()
    cup.grant(BOSS, "director")
    return cup


def desk(cup: Cup) -> str:
    with reading(cup.world.engine) as conn:
        own = acts.right_of(conn, BOSS, tournament_id=CUP)
    assert own
    return plus_address(ADDRESS, own.token)


def send(cup: Cup, to: str, *lines: str, sender: str = BOSS, subject: str = "Re: the cup") -> str:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Message-ID"] = f"<{cup.world.written()}.{len(lines)}@example.org>"
    message.set_content("\n".join(lines) + "\n")
    before = cup.world.written()
    cup.world.moderator.deliver(message.as_bytes(), cup.now)
    return " ".join(" ".join(each.text.split()) for each in cup.world.letters(after=before) if each.recipient == sender)


def asked(cup: Cup, who: str = BOSS) -> Sent:
    return next(sent for sent in reversed(cup.world.letters(who)) if "confirm “" in sent.subject)


def confirm(cup: Cup, said: str = "confirm", sender: str = BOSS) -> str:
    return send(cup, str(asked(cup, sender).message["Reply-To"]), said, sender=sender)


def test_every_form_is_read_as_itself() -> None:
    parts = {
        "DATE": "2027-01-31",
        "SETTING": "rounds.heats",
        "VALUE": "5",
        "TABLE": "1.2",
        "NUMBER": "7",
        "HOURS": "48",
        "SEAT": "guild",
        "ENTRANT": "E050",
        "RULE": "stopped",
        "SEATS": "guild, fremen and emperor",
        "KIND": "default",
        "TURN": "5",
        "OTHER": "E051",
        "RIGHT": "clerk",
        "ADDRESS": "x@y.example",
    }
    for form in FORMS:
        line = re.sub(r"[A-Z]+", lambda part: parts[part[0]], form.shown)
        read = read_command(f"{line.capitalize()}: the reason")
        assert read is not None, line
        assert (read[0].shown, read[2]) == (form.shown, "the reason")


def test_a_table_is_made_void_once_it_is_confirmed(directed: Cup) -> None:
    assert "which others will read" in send(directed, desk(directed), "void 1.1 replay")
    told = send(directed, desk(directed), "void 1.1 replay: its letters were lost")
    assert "Nothing will be done until you do" in told
    assert directed.standing().state == "playing"
    assert "Done: void 1.1 replay" in confirm(directed)
    assert directed.standing().state == "void"
    [act] = [act for act in directed.acts() if act.what == "void"]
    assert (act.who, act.why) == (BOSS, "its letters were lost")
    assert "Done" not in confirm(directed), "it is not done twice"


def test_a_result_gets_other_winners_once_it_is_confirmed(directed: Cup) -> None:
    directed.end("cup-1-1", "atreides")
    directed.tick()
    assert "which others will read" in send(directed, desk(directed), "result 1.1 guild by default")
    told = send(directed, desk(directed), "result 1.1 guild by default: nobody had won after turn 10")
    assert "Nothing will be done until you do" in told
    assert [kept.outcome.winners for kept in directed.versions()] == [("atreides",)]
    assert "Done: result 1.1 guild by default" in confirm(directed)
    last = directed.versions()[-1].outcome
    assert (last.version, last.winners, last.kind) == (2, ("guild",), "default")
    act = [act for act in directed.acts() if act.what == "result"][-1]
    assert (act.who, act.why) == (BOSS, "nobody had won after turn 10")
    assert "Only the Fremen or the Guild can win" in send(directed, desk(directed), "result 1.1 atreides: so")


def test_a_table_is_told_its_last_turn_once_that_is_confirmed(directed: Cup) -> None:
    assert "Nothing will be done until you do" in send(directed, desk(directed), "last turn 1.1 5")
    assert directed.standing().last_turn == 0
    assert "Done: last turn 1.1 5" in confirm(directed)
    assert directed.standing().last_turn == 5
    assert "was already told that turn 5 is its last" in send(directed, desk(directed), "last turn 1.1 6")


def pairs_apart(cup: Cup) -> list[tuple[int, int]]:
    with reading(cup.world.engine) as conn:
        return [(pair.one, pair.other) for pair in tournaments.pairs_apart(conn, CUP)]


def test_two_entrants_are_kept_apart(directed: Cup) -> None:
    assert "Done: apart E002 E001" in send(directed, desk(directed), "apart E002 E001")
    assert pairs_apart(directed) == [(1, 2)]
    assert "Not done: apart E001 E001" in send(directed, desk(directed), "apart E001 E001")


def test_two_entrants_who_were_kept_apart_may_sit_together_again(directed: Cup) -> None:
    send(directed, desk(directed), "apart E001 E002")
    send(directed, desk(directed), "apart E001 E003")
    assert "Done: together E001 E002" in send(directed, desk(directed), "together E001 E002")
    assert pairs_apart(directed) == [(1, 3)]


def test_nothing_is_done_without_the_code(directed: Cup) -> None:
    send(directed, desk(directed), "void 1.1: no reason")
    send(directed, desk(directed), "confirm", subject=f"Re: {asked(directed).subject}")
    assert directed.standing().state == "playing"
    send(directed, str(asked(directed).message["Reply-To"]), "confirm", sender="mallory@example.org")
    assert directed.standing().state == "playing"
    assert "Not done, as you wish" in confirm(directed, "no")
    assert confirm(directed).count("Done:") == 0
    assert directed.standing().state == "playing"


def test_a_command_that_something_overtook_is_asked_again(directed: Cup) -> None:
    send(directed, desk(directed), "void 1.1: so")
    send(directed, desk(directed), "pause games")
    assert "the event has gone on" in confirm(directed)
    assert directed.standing().state == "playing"
    confirm(directed)
    assert directed.standing().state == "void"


def test_clocks_of_all_tables_stop_and_go_on_at_once(directed: Cup) -> None:
    assert "Done: pause games" in send(directed, desk(directed), "pause games")
    assert directed.world.table("cup-1-1").stopped_at
    assert "Done: resume games" in send(directed, desk(directed), "resume games: all is well", "Thanks!", "Boss")
    assert directed.world.table("cup-1-1").stopped_at is None


def test_doubts_beside_a_command_let_it_wait(directed: Cup) -> None:
    send(directed, desk(directed), "pause games", "no wait, better not today")
    assert directed.world.table("cup-1-1").stopped_at is None


def test_a_refusal_names_lines_of_a_mail(directed: Cup) -> None:
    told = send(directed, desk(directed), "close round 1")
    assert "Not done: close round 1." in told
    assert "mentat tournament" not in told
    assert "“dismiss NUMBER" not in told


def test_other_mail_is_told_what_can_be_done(directed: Cup) -> None:
    told = send(directed, desk(directed), "help")
    assert "void TABLE replay" in told
    assert "`mentat" not in told


def test_a_clerk_decides_nothing(directed: Cup) -> None:
    directed.grant(BOSS, "clerk")
    assert "This needs the director, arbiter or deputy right" in send(directed, desk(directed), "void 1.1: so")


def late_letter(cup: Cup, to: str) -> Sent:
    return next(sent for sent in cup.world.letters(to) if "has not finished in time" in sent.subject)


def test_an_answer_about_a_late_table_belongs_to_it(directed: Cup) -> None:
    for _ in range(200):
        directed.tick(24)
        if any("has not finished in time" in sent.subject for sent in directed.world.letters(BOSS)):
            break
    letter = late_letter(directed, BOSS)
    ready = [unquote(body) for body in re.findall(r"mailto:[^\"]*?body=([^\"&]*)", letter.html)]
    assert "adjudicate 1.1 stopped: WHY" in ready
    assert "`mentat" not in letter.text
    reply_to = str(letter.message["Reply-To"])
    told = send(directed, reply_to, "adjudicate stopped: the round is over", subject=f"Re: {letter.subject}")
    assert "Nothing will be done until you do" in told
    assert "Done: adjudicate 1.1 stopped" in confirm(directed)
    assert directed.standing().state != "playing"


def test_the_game_master_directs_an_event_that_nobody_directs(cup: Cup) -> None:
    cup.round()
    cup.end("cup-1-1", "guild")
    cup.tick()
    with writing(cup.world.engine) as conn:
        session = Session(conn, cup.open_games, cup.now)
        results.file_protest(session, tournaments.find_tournament(conn, CUP), cup.entrant(4), "1.1", "It had no Guild.")
    cup.tick(48)
    letter = next(sent for sent in cup.world.letters(GAME_MASTER) if "protest" in sent.subject.lower())
    number = re.search(r"dismiss ([0-9]+)", letter.text)
    assert number
    to = plus_address(ADDRESS, master_token(cup.world.settings))
    assert "Done: dismiss" in send(cup, to, f"cup: dismiss {number[1]}: it had", sender=GAME_MASTER)
    send(cup, to, "cup: void 1.1: so", sender=GAME_MASTER)
    assert cup.standing().state == "finished"
    confirm(cup, sender=GAME_MASTER)
    assert cup.standing().state == "void"


def test_a_setting_is_changed_once_the_change_is_seen(directed: Cup) -> None:
    assert "like “amend people.most 40: the reason”" in send(directed, desk(directed), "limit entries to 40 players")
    told = send(directed, desk(directed), "amend people.most 40: the hall is small")
    assert "people.most: (nothing) → 40" in told
    assert directed.cup.settings.people.most == 0
    assert "people.most: (nothing) → 40" in confirm(directed)
    assert directed.cup.settings.people.most == 40
    assert "the hall is small" in directed.text(1)
    assert "people.most is already 40" in send(directed, desk(directed), "amend people.most 40: once more")
    assert "no setting nonsense" in send(directed, desk(directed), "amend nonsense 4: so")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("Please tell all participants that round 2 starts on Friday", "tell: round 2 starts on Friday"),
        ("could you pause all games", "pause games"),
        ("give round 1 two more days", "extend round 1 48"),
    ],
)
def test_plain_words_of_an_organiser_wait_for_a_yes(directed: Cup, words: str, line: str) -> None:
    assert f"Your mail asks for this: {line}" in send(directed, desk(directed), words)
    assert f"Done: {line}" in confirm(directed)


def test_an_entrant_is_withdrawn_by_name(directed: Cup) -> None:
    told = send(directed, desk(directed), "Player 3 is out of the tournament")
    assert "add keep to let them play these games to the end" in told
    assert "E003 is Player 3" in send(directed, desk(directed), "withdraw E003 keep")
    confirm(directed)
    assert directed.states()["E003"] == "withdrawn"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            "Player 3 told me by telephone that he cannot play any more in this cup. Take him off the list.",
            "withdraw E003",
        ),
        ("I would like Lisa (lisa@example.org) to decide the complaints from now on.", "grant RIGHT lisa@example.org"),
        ("Can the round run a bit longer?", "extend round 1 HOURS"),
        ("The draw is no good, two people of one household landed at the same table.", "void the draw"),
    ],
)
def test_words_that_fill_no_row_are_answered_with_the_line_that_does_it(directed: Cup, words: str, line: str) -> None:
    told = send(directed, desk(directed), words)
    assert f"“{line}”" in told or f"Your mail asks for this: {line}" in told


def test_what_an_offer_lacked_comes_with_the_next_mail(directed: Cup) -> None:
    send(directed, desk(directed), "Can the round run a bit longer?")
    assert "“extend round 1 168”" in send(directed, desk(directed), "one week")
    assert "Done: extend round 1 168" in send(directed, desk(directed), "1", subject="that one")


def test_thinking_aloud_offers_an_organiser_nothing(directed: Cup) -> None:
    assert "“withdraw" not in send(directed, desk(directed), "Imagine I let Player 3 out of the cup. Just asking.")


def test_several_wishes_in_sentences_are_offered_each_with_a_number(directed: Cup) -> None:
    told = send(
        directed, desk(directed), "Player 3 is out of the cup. And nobody else may enter any more, bolt the door."
    )
    assert "“withdraw E003”" in told
    assert "“freeze”" in told
    assert "1: " in told
    assert "2: " in told


def test_one_table_is_given_time_reminded_paused_and_resumed(directed: Cup) -> None:
    for line in ("extend 1.1 24", "remind 1.1", "pause 1.1", "resume 1.1"):
        assert f"Done: {line}" in send(directed, desk(directed), line)
    assert "has no table" in send(directed, desk(directed), "pause 1.9")
    assert "there is no open deadline in cup-1-1 to extend" in send(directed, desk(directed), "extend 1.1 24 for Guild")
    assert "There is no faction 'nobody'" in send(directed, desk(directed), "extend 1.1 24 for nobody")


def test_words_to_one_entrant_answer_their_open_question(directed: Cup) -> None:
    with writing(directed.world.engine) as conn:
        entrant = tournaments.find_entrant(conn, CUP, "E001")
        assert entrant
        question = tournaments.Paper(CUP, 1, "words", "May I bring a friend?", directed.now)
        number = tournaments.add_paper(conn, question)
    before = directed.world.written()
    assert "Done: tell E001" in send(directed, desk(directed), "tell E001: of course you can")
    (told,) = [each for each in directed.world.letters(after=before) if each.recipient == entrant.address]
    assert "of course you can" in told.text
    assert "May I bring a friend?" in told.text
    with reading(directed.world.engine) as conn:
        papers = tournaments.papers_of(conn, CUP, "words", state=None)
    assert [paper.state for paper in papers if paper.id == number] == ["answered"]


def test_two_wishes_of_one_mail_are_chosen_by_their_numbers(directed: Cup) -> None:
    offered = send(directed, desk(directed), "Give table 1.1 another day, and chase up the late ones on 1.2 please.")
    assert "“extend 1.1 24”" in offered
    assert "“remind 1.2”" in offered
    done = send(directed, desk(directed), "1 and 2")
    assert "Done: extend 1.1 24" in done
    assert "Done: remind 1.2" in done


def test_a_wish_beside_a_chosen_number_is_answered_too(directed: Cup) -> None:
    send(directed, desk(directed), "Give table 1.1 another day, and chase up the late ones on 1.2 please.")
    done = send(directed, desk(directed), "1", "And please pause table 1.2 as well, they asked for it.")
    assert "Done: extend 1.1 24" in done
    assert "pause 1.2" in done


def test_talk_asks_for_nothing_and_hides_no_question(directed: Cup) -> None:
    nothing = "What a storm that was! Great fun to watch you lot."
    assert "This could mean" not in send(directed, desk(directed), nothing)
    assert "No table has a result yet" in send(directed, desk(directed), nothing, "standings")
