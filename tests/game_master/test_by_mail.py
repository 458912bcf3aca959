"""Games run by mail: rights, answers, commands that need a code, and attempts by forgers."""

from __future__ import annotations

import re
from datetime import timedelta
from email.message import EmailMessage
from zlib import crc32

import pytest

from bot.desk import positions, rights, seats, sight
from bot.desk.powers import POWERS, DeskRequest, Form, Power, using
from bot.games.identity import MailOutcome
from bot.moderator.desk_lines import PARTS, DeskLine, UnreadDeskLine, read_line, shown_as, shown_forms
from bot.store import games as store
from bot.store import people
from bot.store.acts import CLERKS, GrantedRight, Right, acts_of, grant_right, right_of, rights_of
from bot.store.database import reading, writing
from rules.components import Faction, faction_name
from tests.moderator.table import ADDRESS, GAME, GAME_MASTER, Sent, World, address_of

REY = "rey@elsewhere.example"


def granted(world: World, right: Right = "director", address: str = REY) -> str:
    """Grant a right in the game, and return the address to which this person writes."""
    rights.grant(DeskRequest(world.moderator.open_games, GAME, world.now), right, address)
    with reading(world.engine) as conn:
        own = right_of(conn, address, game_id=GAME)
    assert own
    return f"mentat+{own.token}@arrakis.example"


def mail(world: World, to: str, *lines: str, sender: str = REY, subject: str = "Re: desk") -> MailOutcome:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Message-ID"] = f"<{world.written()}.{crc32(repr(lines).encode())}@elsewhere.example>"
    message.set_content("\n".join(lines) + "\n")
    return world.moderator.deliver(message.as_bytes(), world.now)


def answer(world: World, to: str = REY) -> str:
    return " ".join(world.newest(to).text.split())


def acts(world: World) -> list[tuple[str, str, str]]:
    with reading(world.engine) as conn:
        return [(act.what, act.who, act.why) for act in acts_of(conn, game_id=GAME) if act.what != "grant"]


PARTS_WRITTEN = {
    "SEAT": "bene gesserit", "SEATS": "guild, fremen", "HOURS": "-12", "WORDS": "So be it.", "ADDRESS": "x@y.example",
    "QUESTION": "bid", "TURN": "4", "PHASE": "battle", "RIGHT": "clerk", "CLAUSE": "WBC.X.32", "ONOFF": "on",
    "OTHER": "z@y.example", "NUMBER": "41", "DATE": "2027-01-31", "PRESS": "public, quota=3",
    "SETTINGS": "due_at=20:00 days_off=saturday,sunday", "TIME": "20:30", "FIRST": "2027-01-21",
}  # fmt: skip
"""Each blank of a form, filled in as a game master might do it."""


@pytest.mark.parametrize("shown", shown_forms())
def test_every_form_of_a_power_is_read(shown: str) -> None:
    line = re.sub("|".join(PARTS), lambda part: PARTS_WRITTEN[part[0]], shown)
    found = read_line(line.capitalize())
    assert isinstance(found, DeskLine)
    assert shown_as(found.form) == shown


def greet(request: DeskRequest, faction: Faction) -> None:
    with using(request, "greet") as used:
        used.words = faction


def test_a_power_is_added_by_declaring_it(begun: World, monkeypatch: pytest.MonkeyPatch) -> None:
    greeting = Power("greet", CLERKS, f"{__name__}:greet", (Form("greet SEAT", says="mute"),), also="hail")
    monkeypatch.setitem(POWERS, "greet", greeting)
    mail(begun, granted(begun, "clerk"), "why: a feast", "greet guild", "help")
    assert acts(begun) == [("greet", REY, "a feast")]
    assert "greet SEAT" in answer(begun)
    assert read_line("hail guild") == UnreadDeskLine("greet SEAT")


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("pausse", "pause"),
        ("extned 24", "extend HOURS"),
        ("banana", ""),
        ("", ""),
        ("ship 4", ""),
        ("mtue guild", "mute SEAT"),
        ("mute", "mute SEAT"),
        ("press to guild: wait", "tell SEATS: WORDS"),
        ("stop the clocks", "pause"),
        ("message to all", "tell SEATS: WORDS"),
        ("rul: so be it", "rule: WORDS"),
        ("revert to turn 3", "rollback TURN PHASE"),
        ("prevew 2/storm", "preview TURN PHASE"),
        ("statsu", "status"),
        ("confirn 4", "confirm CODE"),
        ("iff 4", "if: TURN/PHASE"),
    ],
)
def test_what_is_no_command_gets_a_suggestion(line: str, near: str) -> None:
    assert read_line(line) == UnreadDeskLine(near)


def test_commands_are_carried_out_and_answered_in_one_letter(begun: World) -> None:
    desk = granted(begun)
    before = begun.written()
    taken = mail(begun, desk, "why: a wedding", "tell: Back on Monday.", "pause", "bank guild +2", "pausse")
    assert taken.disposition == "orders"
    assert acts(begun) == [("pause", REY, "a wedding"), ("bank", REY, "a wedding")]
    told = answer(begun)
    assert "The clocks are stopped." in told
    assert "Did you mean “pause”?" in told
    players = [letter for letter in begun.letters(after=before) if letter.recipient != REY]
    assert all("wedding" not in letter.text for letter in players)
    assert all("Back on Monday." in letter.text for letter in players)
    assert [letter.recipient for letter in begun.letters(after=before)].count(REY) == 1


def test_what_a_prediction_says_stands_in_the_answer_and_nowhere_else(begun: World) -> None:
    desk = granted(begun)
    begun.silence_until("storm")
    before = begun.written()
    mail(begun, desk, "predict")
    [asked] = [letter for letter in begun.letters(after=before) if "confirm" in letter.subject]
    mail(begun, str(asked.message["Reply-To"]), "confirm")
    told = answer(begun)
    foretold = sight.predict_phase(DeskRequest(begun.moderator.open_games, GAME, begun.now))
    assert foretold
    assert all(" ".join(sentence.split()) in told for sentence in foretold)
    assert {letter.recipient for letter in begun.letters(after=before)} == {REY}


def test_a_confirmation_that_names_no_code_or_a_wrong_one_is_told_where_the_code_stands(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "end void")
    mail(begun, desk, "confirm", "confirm abc")
    told = answer(begun)
    assert "confirm “confirm” alone is not enough: answer the letter that asks you" in told
    assert "confirm abc This is not a desk command; did you mean: confirm CODE." in told
    assert begun.table().status == "running"


def test_a_mail_to_the_desk_is_taken_once(begun: World) -> None:
    desk = granted(begun)
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = REY, desk, "x"
    message["Message-ID"] = "<once@elsewhere.example>"
    message.set_content("bank guild 2\n")
    begun.moderator.deliver(message.as_bytes(), begun.now)
    assert begun.moderator.deliver(message.as_bytes(), begun.now).disposition == "duplicate"
    assert begun.table().seats["guild"].bank == 120


def test_what_is_dangerous_waits_for_its_code_and_is_done_once(begun: World) -> None:
    desk = granted(begun)
    before = begun.written()
    mail(begun, desk, "why: nobody comes", "end void")
    assert begun.table().status == "running"
    letters = [letter for letter in begun.letters(after=before) if letter.recipient == REY]
    [code_letter] = [letter for letter in letters if "confirm" in letter.subject]
    assert {letter.recipient for letter in begun.letters(after=before)} == {REY}
    code = str(code_letter.message["Reply-To"])
    assert mail(begun, code, "please do").taken == 0
    assert begun.table().status == "running"
    mail(begun, code, "confirm")
    assert begun.table().status == "over"
    assert acts(begun) == [("end", REY, "nobody comes")]
    assert "without a winner" in answer(begun)
    mail(begun, code, "confirm", subject="again")
    assert "it will not be done twice" in answer(begun)
    assert acts(begun) == [("end", REY, "nobody comes")]


@pytest.mark.parametrize("words", ["no", "No!", "no thanks", "don't"])
def test_a_no_to_a_code_ends_it(begun: World, words: str) -> None:
    desk, before = granted(begun), begun.written()
    mail(begun, desk, "end void")
    code = next(str(each.message["Reply-To"]) for each in begun.letters(after=before) if "confirm" in each.subject)
    mail(begun, code, words, "", "I did not write that.")
    assert "no longer works" in " ".join(begun.newest(REY).text.split())
    mail(begun, code, "confirm", subject="again")
    assert "was declined or replaced" in answer(begun)
    assert begun.table().status == "running"


def test_observers_are_let_in_late_and_in_full_by_mail(begun: World) -> None:
    desk, ann, cleo = granted(begun), "ann@elsewhere.example", "cleo@elsewhere.example"
    mail(begun, desk, f"observe {ann} delay 2", f"observe {cleo} full delay 3 consent all")
    assert "2 turns late" in answer(begun)
    assert len(begun.letters(ann)) == 1
    assert not begun.letters(cleo)  # a reader of hidden information must wait for the code
    [asked] = [letter for letter in begun.letters(REY) if "confirm" in letter.subject]
    mail(begun, str(asked.message["Reply-To"]), "confirm")
    assert len(begun.letters(cleo)) == 1
    mail(begun, desk, f"observe {ann} off")
    assert "no more summaries" in answer(begun)


def test_a_code_is_of_no_use_to_others_nor_when_the_game_has_gone_on(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "end void")
    code = str(begun.newest(REY).message["Reply-To"])
    letters = begun.letters(REY)
    code = next(str(each.message["Reply-To"]) for each in letters if "confirm" in each.subject)
    assert mail(begun, code, "confirm", sender="thief@elsewhere.example").shunt
    assert mail(begun, code, "confirm", sender=address_of("guild")).shunt
    begun.silence_until("bidding")
    mail(begun, code, "confirm")
    assert begun.table().status == "running"


def test_a_code_written_as_a_line_counts_too(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "last turn 3")
    letter = next(each for each in begun.letters(REY) if "confirm" in each.subject)
    line = letter.text.partition("another letter about this game with: ")[2].splitlines()[0]
    assert line == f"confirm {str(letter.message['Reply-To']).partition('+')[2].partition('@')[0]}"
    mail(begun, desk, line, subject="yes")
    assert begun.table().play.state.last_turn == 3
    mail(begun, desk, "confirm abcdefghijklmnop", subject="no")
    assert "unknown, used or expired" in answer(begun)


@pytest.mark.parametrize("sender", ["thief@elsewhere.example", address_of("guild"), GAME_MASTER])
def test_the_token_of_the_desk_is_of_no_use_to_anybody_else(begun: World, sender: str) -> None:
    desk = granted(begun)
    before = begun.written()
    assert mail(begun, desk, "pause", sender=sender).shunt
    assert begun.table().stopped_at is None
    assert {letter.recipient for letter in begun.letters(after=before)} == {GAME_MASTER, REY}  # but not the sender


def test_the_address_of_the_desk_is_of_no_use_without_its_token(begun: World) -> None:
    granted(begun)
    assert mail(begun, "mentat@arrakis.example", "pause").shunt
    assert begun.table().stopped_at is None


def test_a_right_that_is_gone_or_too_small_does_nothing(begun: World) -> None:
    desk = granted(begun, "clerk")
    mail(begun, desk, "end void", "order guild: pass")
    assert "is for director" in answer(begun)
    assert begun.table().status == "running"
    rights.revoke(DeskRequest(begun.moderator.open_games, GAME, begun.now), REY)
    assert mail(begun, desk, "pause", subject="later").shunt
    assert begun.table().stopped_at is None


def test_a_game_is_theirs_who_confirmed_by_mail(begun: World) -> None:
    granted(begun, address="old@elsewhere.example")
    rights.hand_over(DeskRequest(begun.moderator.open_games, GAME, begun.now), REY)
    code = str(begun.newest(REY).message["Reply-To"])
    mail(begun, code, "I confirm")
    with reading(begun.engine) as conn:
        assert [(who.address, who.right) for who in rights_of(conn, game_id=GAME)] == [(REY, "director")]
    desk = str(begun.newest(REY).message["Reply-To"])
    mail(begun, desk, "pause")
    assert begun.table().stopped_at


def test_a_dry_run_by_mail_says_who_would_get_what(begun: World) -> None:
    desk = granted(begun)
    before = begun.written()
    mail(begun, desk, "dry run", "pause")
    assert begun.table().stopped_at is None
    assert {letter.recipient for letter in begun.letters(after=before)} == {REY}
    assert "Dry run only: The clocks are stopped." in answer(begun)


def test_a_place_that_was_passed_meanwhile_stops_a_command(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "if: 7/battle", "pause")
    assert "has moved on" in answer(begun)
    assert begun.table().stopped_at is None


def test_help_and_the_act_log_come_by_mail(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "help")
    assert "bank SEAT HOURS" in answer(begun)
    mail(begun, desk, "bank guild 2")
    mail(begun, desk, "acts")
    assert "bank guild +2 h" in answer(begun)
    mail(begun, desk, "", subject="empty")
    assert "no command" in answer(begun)


def test_a_game_is_taken_back_by_mail(begun: World) -> None:
    begun.silence_until("storm", turn=2)
    desk = granted(begun)
    mail(begun, desk, "rollback 1 bidding")
    code = next(str(each.message["Reply-To"]) for each in begun.letters(REY) if "confirm" in each.subject)
    mail(begun, code, "confirm")
    state = begun.table().play.state
    assert (state.turn, state.phase) == (1, "bidding")
    assert positions.entries_at(begun.moderator.open_games, GAME, 1, "bidding") == begun.table().entries


def test_what_players_have_learnt_since_is_told_before_a_game_is_taken_back(begun: World) -> None:
    begun.silence_until("storm", turn=2)
    desk = granted(begun)
    entries = begun.table().entries
    mail(begun, desk, "preview 1/bidding")
    assert re.search(r"\d+ of \d+ orders would be kept. Since then everybody has learnt:", answer(begun))
    assert re.search(r"And \w+ alone:", answer(begun))
    assert begun.table().entries == entries
    assert acts(begun)[-1][:2] == ("preview", REY)
    mail(begun, desk, "dry run", "preview 1/bidding")  # a dry run still shows the preview
    assert [what for what, *_ in acts(begun)].count("preview") == 2
    clerk = granted(begun, "clerk", "clara@elsewhere.example")
    mail(begun, clerk, "preview 1 bidding", sender="clara@elsewhere.example")
    assert "is for director" in answer(begun, "clara@elsewhere.example")


def test_how_players_write_to_each_other_is_settled_by_mail(begun: World) -> None:
    desk = granted(begun)
    before = begun.written()
    mail(begun, desk, "why: threats", "press table, quota = 3", "mute guild")
    assert "The press is table,quota=3 from now on, and the players are told:" in answer(begun)
    assert "3 letters a turn" in answer(begun)
    assert "Guild may write only to the desk. The table has been told, but not why." in answer(begun)
    assert acts(begun) == [("press", REY, "threats"), ("mute", REY, "threats")]
    players = [letter for letter in begun.letters(after=before) if letter.faction]
    assert {letter.faction for letter in players} == set(begun.table().seats)
    assert all("threats" not in letter.text for letter in players)
    mail(begun, desk, "press open", "press loud", "mute guild", "unmute guild", "press")
    assert "can only become stricter" in answer(begun)
    assert "'loud' is neither a mode of press" in answer(begun)
    assert "the seat of the Guild is already muted" in answer(begun)
    assert "Guild may write to others again" in answer(begun)


def test_what_the_game_waits_for_is_asked_by_mail(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "waits")
    assert "Next due:" in answer(begun)
    mail(begun, desk, "pause", "status", subject="then")
    assert "Its clocks have been stopped since" in answer(begun)


def test_of_a_game_without_a_thread_there_is_nothing_to_post(begun: World) -> None:
    mail(begun, granted(begun), "thread")
    assert f"Not done: {GAME} has no thread in a forum" in answer(begun)


def test_words_of_several_lines_end_where_it_is_said(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "tell guild:", "Dear Guild,", "wait a day.", "end tell", "bank guild 2")
    told = next(letter.text for letter in reversed(begun.letters("guild")) if "Dear Guild" in letter.text)
    assert re.search(r"Dear Guild,(\r?\n)+wait a day\.\r?\n", told)
    assert begun.table().seats["guild"].bank == 120


@pytest.mark.parametrize(
    "lines",
    [
        ("tell all: We pause over the holidays, from Friday evening to the Monday after", "New Year. Enjoy them."),
        ("rule:", "A leader in the tanks is not captured."),
        ("tell: We pause over the holidays, from Friday evening to the Monday after the", "New Year.", "pause"),
        ("warn edric@players.example: What you wrote to Vladimir before the holidays was", "not meant kindly."),
    ],
)
def test_half_of_what_was_to_be_said_is_not_said(begun: World, lines: tuple[str, ...]) -> None:
    desk = granted(begun)
    before = begun.written()
    mail(begun, desk, *lines)
    assert f"end {re.split('[ :]', lines[0])[0]}" in answer(begun)
    assert {letter.recipient for letter in begun.letters(after=before)} == {REY} or "pause" in lines
    assert all("holidays" not in letter.text for letter in begun.letters(after=before) if letter.faction)


def test_a_signature_below_a_short_line_is_no_part_of_it(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "tell guild: Wait a day.", "Rey")
    assert "Wait a day." in begun.newest("guild").text


def test_what_was_ordered_for_a_seat_is_read_by_its_judges_alone(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "tell guild: the Baron knows")
    clerk = granted(begun, "clerk", "clara@elsewhere.example")
    mail(begun, clerk, "acts", sender="clara@elsewhere.example")
    assert "tell" in answer(begun, "clara@elsewhere.example")
    assert "Baron" not in answer(begun, "clara@elsewhere.example")
    mail(begun, desk, "acts", subject="more")
    assert "the Baron knows" in answer(begun)


def test_who_may_play_is_said_by_mail_by_the_game_master_alone(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "ban dora@elsewhere.example", "warn guild@players.example: Keep to the tone.")
    told = answer(begun)
    assert "Only the game master of this Mentat" in told
    assert "sent the warning to guild@players.example." in told
    assert "Keep to the tone." in begun.newest("guild@players.example").text
    to = granted(begun, address=GAME_MASTER)
    mail(begun, to, "dry run", "ban guild@players.example until 2027-01-31", sender=GAME_MASTER)
    with reading(begun.engine) as conn:
        assert people.standing_ban(conn, "guild@players.example", begun.now) is None
    mail(begun, to, "why: two seats", "ban guild@players.example until 2027-01-31", sender=GAME_MASTER)
    with reading(begun.engine) as conn:
        assert people.standing_ban(conn, "guild@players.example", begun.now) is None
    asked = next(each for each in reversed(begun.letters(GAME_MASTER)) if "confirm “" in each.subject)
    mail(begun, str(asked.message["Reply-To"]), "confirm", sender=GAME_MASTER)
    told = answer(begun, GAME_MASTER)
    assert "cannot play here until the end of 2027-01-31" in told
    assert "Their seats need new players, and they will play on until then: sietch-12, Guild." in told
    with reading(begun.engine) as conn:
        found = people.standing_ban(conn, "guild@players.example", begun.now)
        assert found is not None
        assert (found.who, found.why) == (GAME_MASTER, "two seats")
    mail(begun, to, "unban guild@players.example", sender=GAME_MASTER)
    with reading(begun.engine) as conn:
        assert people.standing_ban(conn, "guild@players.example", begun.now) is None


def test_a_game_that_was_mistyped_is_deleted_by_mail_once_its_code_came_back(begun: World) -> None:
    desk, before = granted(begun), begun.written()
    mail(begun, desk, "delete game")
    assert begun.table().status == "running"
    [letter] = [each for each in begun.letters(after=before) if "confirm" in each.subject]
    mail(begun, str(letter.message["Reply-To"]), "confirm")
    with reading(begun.engine) as conn:
        assert not store.exists(conn, GAME)
    assert "sietch-12 is deleted; its players have been told." in answer(begun)
    assert "deleted" in begun.newest("guild@players.example").text


def done(world: World, desk: str, line: str) -> str:
    """Send a line to the desk, confirm it if it needs a code, and return what the answer says."""
    world.now, before = world.now + timedelta(minutes=10), world.written()
    mail(world, desk, line, subject=f"{before}")
    mine = [letter for letter in world.letters(after=before) if letter.recipient == REY]
    for code in [str(letter.message["Reply-To"]) for letter in mine if "confirm" in letter.subject]:
        mail(world, code, "confirm", subject=f"{before} confirmed")
    told = answer(world)
    assert "Not done" not in told, told
    return told


@pytest.mark.parametrize(
    ("line", "said", "act", "words"),
    [
        ("hold", "The game is on hold.", "hold", ""),
        ("extend 24 h", "Open questions have 24 more hours.", "extend", "24 h"),
        ("clock grace_hours = 6", "The clock of the game has changed: grace_hours=6.", "clock", "grace_hours=6.0"),
        ("clock timezone=New York step_hours=48", "In America/New_York it is now ", "clock",
         "timezone=America/New_York, step_hours=48.0"),
        ("clock timezone = GMT-5", "In UTC-5 it is now ", "clock", "timezone=UTC-5"),
        ("remind gui", "If Guild owes an answer, we will remind them.", "remind", "guild"),
        ("excuse fremen", "The deadlines that Fremen has missed so far no longer count.", "excuse", "fremen"),
        ("caretaker guild on", "The caretaker now plays for Guild.", "caretaker", "guild on"),
        ("replace guild dora@elsewhere.example", "From now on dora@elsewhere.example plays Guild.", "replace",
         "guild: guild@players.example by dora@elsewhere.example"),
        ("address guild dora@elsewhere.example", "The letters for Guild go to dora@elsewhere.example; the", "address",
         "guild: guild@players.example to dora@elsewhere.example"),
        ("freeze guild", "Guild has a new reply address; the old one no longer counts.", "freeze", "guild"),
        ("sitter guild sam@elsewhere.example until 2024-12-01",
         "sam@elsewhere.example sits in for Guild until the end of 2024-12-01.", "sitter",
         "guild until 2024-12-02 00:00Z"),
        ("ask guild: why?", "We have asked Guild; you will get the answer by mail.", "ask", "guild: why?"),
        ("tell all: wait", "Your words have been sent.", "tell", "the table: wait"),
        ("tell guild, fremen: wait", "Your words have been sent.", "tell", "guild, fremen: wait"),
        ("rule: So be it.", "The ruling is recorded, and the table has been told.", "rule", "So be it."),
        ("note guild: asks much", "Noted.", "note", ""),
        ("grant Clerk x@y.example", "x@y.example is now clerk.", "grant", "clerk to x@y.example"),
        ("handover x@y.example", "We have asked x@y.example to take over; nothing changes until they", "handover",
         "x@y.example was asked"),
        ("position: spice guild +3; storm 4", "The position is corrected.", "position", "spice guild +3; storm 4"),
        ("blind", "The game is played blind.", "blind", ""),
        ("last turn 9", "Turn 9 is the last.", "last-turn", "turn 9"),
        ("end void", "The game is over, without a winner.", "end", "void"),
        ("end agreed guild, fremen", "The game is over, won by Guild and Fremen.", "end", "agreed"),
        ("end adjudicated bene gesserit", "The game is over, won by Bene Gesserit.", "end", "adjudicated"),
    ],
)  # fmt: skip
def test_each_line_of_the_desk_is_done_told_and_written_down(
    begun: World, line: str, said: str, act: str, words: str
) -> None:
    told = done(begun, granted(begun), line)
    with reading(begun.engine) as conn:
        last = acts_of(conn, game_id=GAME)[-1]
    assert said in told
    assert (last.what, last.words, last.who, last.right) == (act, words, REY, "director")


def test_what_one_line_of_the_desk_did_another_takes_back(begun: World) -> None:
    desk, ann, clara, dora = (
        granted(begun),
        "ann@elsewhere.example",
        "clara@elsewhere.example",
        "dora@elsewhere.example",
    )
    done(begun, desk, "hold")
    assert "The game goes on." in done(begun, desk, "release")
    assert begun.table().on_hold is None
    done(begun, desk, "caretaker guild on")
    assert "The caretaker no longer plays for Guild." in done(begun, desk, "caretaker guild OFF")
    assert not begun.table().seats["guild"].care
    done(begun, desk, "sitter guild sam@elsewhere.example until 2024-12-01")
    assert "Nobody sits in for Guild any more." in done(begun, desk, "sitter guild off")
    assert begun.table().seats["guild"].sitter == ""
    done(begun, desk, f"observe {ann} delay 1")
    assert f"{ann} will get no more summaries." in done(begun, desk, f"unobserve {ann}")
    done(begun, desk, f"grant clerk {clara}")
    assert f"{clara} no longer has any rights." in done(begun, desk, f"revoke {clara}")
    done(begun, desk, "blind")
    assert "You can now read sealed information." in done(begun, desk, "why: a doubt\nbreak glass")
    assert begun.table().blind is False
    to = granted(begun, address=GAME_MASTER)
    mail(begun, to, f"ban {dora}", sender=GAME_MASTER)
    asked = next(each for each in reversed(begun.letters(GAME_MASTER)) if "confirm “" in each.subject)
    mail(begun, str(asked.message["Reply-To"]), "confirm", sender=GAME_MASTER)
    mail(begun, to, f"unban {dora}", sender=GAME_MASTER, subject="back")
    assert f"{dora} can play again, and has been told." in answer(begun, GAME_MASTER)


def test_a_bid_is_ordered_or_left_to_silence_and_a_rollback_undone_by_mail(world: World) -> None:
    world.silent_game("bidding")
    desk, entries = granted(world), world.table().entries
    bidders = [next(iter(world.asked()))]
    assert "accepted pass" in done(world, desk, f"order {bidders[0]}: pass")
    bidders += [next(iter(world.asked()))]
    assert f"the default for {faction_name(bidders[1])} (bid)." in done(world, desk, f"default {bidders[1]} BID")
    bidders += [next(iter(world.asked()))]
    world.now += timedelta(hours=25)
    assert "Everything that was due has been decided." in done(world, desk, "process")
    assert len({*bidders, *world.asked()}) == 4
    after = world.table().entries
    assert after > entries
    assert "The game is at turn 1, storm." in done(world, desk, "rollback 1 storm consent all")
    assert "The game is at turn 1, bidding." in done(world, desk, "undo rollback")
    assert world.table().entries == after


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("grant king x@y.example", "'king' is not one of"),
        ("excuse gu", "Nobody here is called 'gu': Atreides"),
        ("excuse sardaukar", "Nobody here is called 'sardaukar'"),
        ("tell guild, sardaukar: wait", "'sardaukar' is not one of"),
        ("extend 0 h", "0 is not above 0 and at most"),
        ("clock due_at=25:00", "due_at"),
        ("sitter guild sam@elsewhere.example until 2024-11-31", "'2024-11-31' is not a date"),
        ("unobserve ann@elsewhere.example", "ann@elsewhere.example"),
        ("end agreed guild, guild", "You have named the Guild twice"),
    ],
)
def test_a_line_that_cannot_be_done_is_answered_with_the_reason_and_does_nothing(
    begun: World, line: str, why: str
) -> None:
    desk = granted(begun)
    before = begun.written()
    mail(begun, desk, line)
    for letter in begun.letters(after=before):
        if "confirm" in letter.subject:
            mail(begun, str(letter.message["Reply-To"]), "confirm")
    told = answer(begun)
    assert "Not done:" in told
    assert why in told
    assert acts(begun) == []
    assert {letter.recipient for letter in begun.letters(after=before)} == {REY}


def test_a_desk_is_answered_so_often_an_hour_and_what_comes_beyond_does_nothing(begun: World) -> None:
    desk, most = granted(begun), begun.settings.limits.answers_per_hour
    begun.now += timedelta(hours=2)
    for _ in range(most):
        assert mail(begun, desk, "bank guild 1").disposition == "orders"
    before = begun.written()
    assert mail(begun, desk, "bank guild 1").disposition == "rejected"
    assert begun.table().seats["guild"].bank == 60 * most
    assert not [letter for letter in begun.letters(after=before) if letter.recipient == REY]
    begun.now += timedelta(minutes=61)
    assert mail(begun, desk, "bank guild 1").disposition == "orders"


def test_the_desk_tells_nothing_to_who_plays_by_now_or_has_given_their_right_away(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, f"revoke {REY}", "acts", "waits")
    told = answer(begun)
    assert told.count("You no longer run this game.") == 2
    assert "revoke" not in told.partition("acts")[2]
    guild = address_of("guild")
    with writing(begun.engine) as conn:
        grant_right(conn, GrantedRight(guild, "director", "abcdefghijklmnop", begun.now, game_id=GAME))
    mail(begun, "mentat+abcdefghijklmnop@arrakis.example", "acts", "waits", "pause", sender=guild)
    told = " ".join(begun.newest(guild).text.split())
    assert told.count("You are now playing in this game, so its desk is closed to you.") == 2
    assert "pause Not done: Players have no power over" in told
    assert begun.table().stopped_at is None


# --- this Mentat's game master answers any letter ---------------------------------------------------------------------


def noticed(world: World) -> Sent:
    """Send a stranger's mail, and return the notice about it to the game master."""
    mail(world, "mentat@arrakis.example", "May I play?", sender="stranger@elsewhere.example", subject="A question")
    return world.newest(GAME_MASTER)


def test_the_game_master_commands_in_answer_to_any_notice(begun: World) -> None:
    desk = str(noticed(begun).message["Reply-To"])
    mail(begun, desk, "pause", sender=GAME_MASTER, subject="Re: A mail was put aside")
    assert "The clocks are stopped." in answer(begun, GAME_MASTER)
    assert begun.table().stopped_at is not None
    mail(begun, str(begun.newest(GAME_MASTER).message["Reply-To"]), "acts", "waits", "help", sender=GAME_MASTER)
    told = answer(begun, GAME_MASTER)
    assert "2024-11-" in told
    assert re.search(r"\d\d:\d\d pause", told)
    assert "Paused since" in told
    assert "bank SEAT HOURS" in told
    mail(begun, desk, "Thank you!", sender=GAME_MASTER)
    assert "There was no command in your mail" in answer(begun, GAME_MASTER)
    mail(begun, desk, "", sender=GAME_MASTER, subject="nothing")
    assert "There was no command in your mail" in answer(begun, GAME_MASTER)


def test_the_address_of_a_notice_is_of_no_use_to_others(begun: World) -> None:
    desk, before = str(noticed(begun).message["Reply-To"]), begun.written()
    assert mail(begun, desk, "pause", sender="guild@players.example").disposition == "rejected"
    assert begun.table().stopped_at is None
    assert {letter.recipient for letter in begun.letters(after=before)} <= {GAME_MASTER}


def test_of_several_games_the_one_that_is_named_is_meant(begun: World) -> None:
    begun.new_game(game="other-7")
    desk = str(noticed(begun).message["Reply-To"])
    mail(begun, desk, "pause", sender=GAME_MASTER)
    told = answer(begun, GAME_MASTER)
    assert "In which game?" in told
    assert "other-7" in told and GAME in told  # noqa: PT018
    assert begun.table().stopped_at is begun.table("other-7").stopped_at is None
    mail(begun, desk, "other-7: pause", "why: a feast", sender=GAME_MASTER)
    assert begun.table().stopped_at is None
    assert begun.table("other-7").stopped_at is not None
    mail(begun, desk, "pause", sender=GAME_MASTER, subject=f"Re: [{GAME}] A question of a player")
    assert begun.table().stopped_at is not None
    mail(begun, desk, f"{GAME.upper()}: resume", "other-7:", "resume", sender=GAME_MASTER, subject="both")
    assert begun.table().stopped_at is begun.table("other-7").stopped_at is None


def test_the_game_master_who_plays_has_no_power_by_mail(begun: World) -> None:
    seats.replace_player(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild", GAME_MASTER)
    desk = str(noticed(begun).message["Reply-To"])
    mail(begun, desk, "pause", "acts", sender=GAME_MASTER)
    assert begun.table().stopped_at is None
    assert "Players have no power" in answer(begun, GAME_MASTER)


def test_a_mail_of_the_game_master_that_answers_no_letter_is_told_how(begun: World) -> None:
    mail(begun, "mentat@arrakis.example", "acts", sender=GAME_MASTER)
    assert "Send your commands as an answer to this letter." in answer(begun, GAME_MASTER)
    mail(begun, str(begun.newest(GAME_MASTER).message["Reply-To"]), "waits", sender=GAME_MASTER)
    assert "your commands" in begun.newest(GAME_MASTER).subject


def test_other_commands_in_answer_to_a_letter_that_asks_for_a_confirmation_are_answered(begun: World) -> None:
    begun.silence_until("storm", turn=2)
    mail(begun, granted(begun), "rollback 1 bidding")
    code = next(str(each.message["Reply-To"]) for each in begun.letters(REY) if "confirm" in each.subject)
    mail(begun, code, "waits", subject="no code")
    assert "Turn 2, storm" in answer(begun)
    mail(begun, code, "confirm")
    assert begun.table().play.state.phase == "bidding"


def test_where_no_game_runs_a_question_is_answered_all_the_same(world: World) -> None:
    mail(world, ADDRESS, "help", sender=GAME_MASTER)
    desk = str(world.newest(GAME_MASTER).message["Reply-To"])
    mail(world, desk, "help", "waits", sender=GAME_MASTER)
    told = world.newest(GAME_MASTER).text
    assert "extend HOURS" in told
    assert "Which game?" in told
