"""Faulty mail: nothing is lost or leaked, and the right person learns what to do."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest

from bot.mail.mailbox import MaildirMailbox, MaildirPlace
from bot.mail.own_words import MAX_LINES
from bot.moderator.intake import Intake
from bot.service import loop
from rules.components import Faction
from tests.moderator.table import ADDRESS, CONFIG, GAME, GAME_MASTER, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


def told_to_game_master(world: World) -> str:
    return " ".join(world.newest(GAME_MASTER).text.split())


def test_a_mail_that_is_no_mail_is_kept_and_the_game_master_told(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters())
    verdict = world.moderator.receive(b"\x00\xff" * 40, "INBOX:1:1", world.now)
    assert (verdict.disposition, verdict.shunt) == ("rejected", True)
    assert world.messages()[-1][0] == "rejected"
    assert "put aside" in told_to_game_master(world)
    assert len(world.letters()) == before + 1


def test_an_unknown_sender_is_not_answered(world: World) -> None:
    world.new_game(factions=FEW)
    stranger = world.mail("guild", "pass", sender="stranger@elsewhere.example", to=ADDRESS)
    verdict = world.moderator.deliver(stranger, world.now)
    assert (verdict.disposition, verdict.shunt) == ("rejected", True)
    assert not world.letters("stranger@elsewhere.example")
    assert "stranger@elsewhere.example" in told_to_game_master(world)


def test_a_wrong_token_is_not_answered(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters("guild"))
    for _ in range(3):
        wrong = world.mail("guild", "pass", to="mentat+aaaaaaaaaaaaaaaa@arrakis.example")
        assert world.moderator.deliver(wrong, world.now).disposition == "rejected"
    (notice,) = world.letters("guild")[before:]
    assert notice.subject == "[sietch-12] Was this message yours?"
    assert "not one of ours" in told_to_game_master(world)


def test_the_right_token_from_another_address_is_not_answered(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters())
    forged = world.mail("guild", "status", sender="harkonnen@players.example")
    verdict = world.moderator.deliver(forged, world.now)
    assert (verdict.disposition, verdict.taken) == ("rejected", 0)
    assert {letter.recipient for letter in world.letters()[before:]} == {GAME_MASTER, address_of("guild")}
    assert "not that player's address" in told_to_game_master(world)


def test_an_order_for_the_faction_of_another_is_refused_to_its_writer_alone(world: World) -> None:
    world.new_game(factions=FEW)
    questions = world.asked()
    before = len(world.letters())
    traitor = world.line("atreides", "traitor")
    verdict = world.say("guild", f"atreides: {traitor}", "atr: status")
    assert verdict.taken == 0
    assert world.asked() == questions
    (letter,) = world.letters()[before:]
    assert letter.recipient == address_of("guild")
    words = " ".join(letter.text.split())
    assert words.count("REFUSED") == 2
    assert "You play Guild, and only the player of Atreides can send its orders" in words


def test_an_order_under_the_own_name_is_read_as_if_it_were_not_there(world: World) -> None:
    world.new_game(factions=FEW)
    traitor = world.line("guild", "traitor")
    assert world.say("guild", f"Guild: {traitor}").taken == 1


def test_another_ones_token_in_the_same_mail_means_two_games_and_nothing_is_taken(world: World) -> None:
    world.new_game(factions=FEW)
    world.new_game(factions=FEW, game="sietch-13")
    both = f"mentat+{world.token('guild')}@arrakis.example, mentat+{world.token('guild', 'sietch-13')}@arrakis.example"
    traitor = world.line("guild", "traitor")
    before = len(world.letters())
    verdict = world.moderator.deliver(world.mail("guild", traitor, to=both), world.now)
    assert verdict.taken == 0
    (letter,) = world.letters()[before:]
    assert "addressed to two of your seats" in " ".join(letter.text.split())
    assert "guild" in world.asked()
    assert "guild" in world.asked("sietch-13")


def test_a_token_in_the_subject_that_is_no_longer_valid_does_not_make_two_games(world: World) -> None:
    world.new_game(factions=FEW)
    traitor = world.line("guild", "traitor")
    mail = world.mail("guild", traitor, subject="Re: orders [#aaaaaaaaaaaaaaaa]")
    assert world.moderator.deliver(mail, world.now).taken == 1


def test_five_megabytes_of_text_are_read_as_far_as_the_limit_and_answered(world: World) -> None:
    world.new_game(factions=FEW)
    traitor = world.line("guild", "traitor")
    text = "\n".join(f"blah {number} blah and other words" for number in range(150_000))
    verdict = world.moderator.deliver(world.mail("guild", traitor, "", "Here comes a long poem.", "", text), world.now)
    assert verdict.disposition == "orders"
    assert "guild" not in world.asked()
    words = " ".join(world.newest("guild").text.split())
    assert f"Only your first {MAX_LINES} lines were read" in words
    assert len(world.newest("guild").text) < 100_000


def test_one_line_of_five_megabytes_is_not_read(world: World) -> None:
    world.new_game(factions=FEW)
    verdict = world.moderator.deliver(world.mail("guild", "x" * 5_000_000), world.now)
    assert verdict.taken == 0
    assert len(world.newest("guild").text) < 100_000


@pytest.mark.parametrize("where", ["file", "mailbox"])
def test_a_mail_over_the_limit_is_answered_with_the_limit(world: World, where: str) -> None:
    world.new_game(factions=FEW)
    raw = world.mail("guild", "pass", "x\n" * 4_000_000)
    if where == "file":
        verdict = world.moderator.deliver(raw, world.now)
    else:
        head = raw[: raw.find(b"\r\n\r\n") + 4]
        verdict = world.moderator.receive(head, "INBOX:1:7", world.now, too_large=len(raw))
    assert verdict.taken == 0
    words = " ".join(world.newest("guild").text.split())
    assert f"Your mail has {len(raw):,} bytes, but we read at most 6,000,000. We took no orders from it." in words


def test_a_mail_of_which_the_mailbox_gives_only_the_head_is_answered_as_the_next_one_is(
    world: World, tmp_path: Path
) -> None:
    world.new_game(factions=FEW)
    (tmp_path / "mail" / "new").mkdir(parents=True)
    for number, text in enumerate(["x\n" * 10_000, "help"]):
        (tmp_path / "mail" / "new" / f"{number}.mail").write_bytes(world.mail("guild", text))
    before = len(world.letters("guild"))
    mailbox = MaildirMailbox(MaildirPlace(tmp_path / "mail", max_bytes=10_000))
    assert loop.poll(world.moderator, mailbox, lambda: world.now) == loop.PollResult(messages=2, shunted=1)
    large, small = (" ".join(letter.text.split()) for letter in world.letters("guild")[before:])
    assert "We took no orders from it." in large
    assert "We took no orders from it." not in small


def test_an_order_after_the_deadline_says_so(world: World) -> None:
    world.new_game(factions=FEW)
    traitor = world.line("guild", "traitor")
    world.silence_until("storm")
    verdict = world.say("guild", traitor)
    assert verdict.taken == 0
    words = " ".join(world.newest("guild").text.split())
    assert "It came after the deadline (Wed 27 Nov 20:00 UTC), when the default had already been applied." in words


def test_an_order_that_was_never_wanted_is_not_called_late(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "bid 4")
    words = " ".join(world.newest("guild").text.split())
    assert "REFUSED" in words
    assert "deadline" not in words.split("REFUSED")[1].split("Wanted")[0][:200]


def test_a_mail_without_any_order_is_answered_with_how_to_write_one(world: World) -> None:
    world.new_game(factions=FEW)
    verdict = world.say("guild", "> quoted only", "> and nothing else")
    assert verdict.disposition == "empty"
    assert "an order in your mail" in " ".join(world.newest("guild").text.split())


@pytest.mark.parametrize(("before", "after"), [
    (["Good evening,"], []), (["Hi Mentat"], []), (["Dear moderator,"], ["Thanks, Ann"]),
    (["Hello,"], ["Cheers", "", "Ann"]), ([], ["Best regards", "Ann"]), ([], ["Thanks!!"]), (["Moin"], ["LG Ann"]),
    (["Guten Tag,"], ["Viele Grüße,", "Jürgen"]), ([], ["All the best, Ann"]),
])  # fmt: skip
def test_a_greeting_is_not_held_against_the_player(world: World, before: list[str], after: list[str]) -> None:
    world.new_game()
    world.silence_until("setup")
    line = world.line("bene-gesserit", "prediction")
    assert world.say("bene-gesserit", *before, line, *after).taken == 1
    reply = world.newest("bene-gesserit")
    words = " ".join(reply.text.split())
    assert f"Taken from your mail: {line}" in words
    assert "no order" in words.lower()
    assert "NOT READ" not in reply.text


@pytest.mark.parametrize("talk", [
    "I have no idea what to do", "Ann", "Thanks, but I wait for the Guild", "Sorry mate Carthag instead",
    "hi i will think of more tonight",
])  # fmt: skip
def test_talk_that_is_more_than_a_greeting_is_told_to_be_no_order(world: World, talk: str) -> None:
    world.new_game()
    world.silence_until("setup")
    line = world.line("bene-gesserit", "prediction")
    assert world.say("bene-gesserit", "Hi Mentat,", talk, "", line).taken == 1
    words = " ".join(world.newest("bene-gesserit").text.split())
    assert talk in words
    assert "NO ORDER" in words.upper()


def test_a_mail_that_only_greets_is_told_that_there_is_no_order_in_it(world: World) -> None:
    world.new_game()
    world.silence_until("setup")
    assert world.say("bene-gesserit", "Hello Mentat,", "thanks", "Ann").taken == 0
    assert "NO ORDER" in world.newest("bene-gesserit").text


def test_a_wrong_line_does_not_spoil_the_right_one(world: World) -> None:
    world.new_game(factions=FEW)
    traitor = world.line("guild", "traitor")
    verdict = world.say("guild", "shipp 3 to nowhere", traitor, "ship 5 to arrakeen")
    assert verdict.taken == 1
    assert "guild" not in world.asked()
    words = world.newest("guild").text
    assert words.index("NOT READ") < words.index("REFUSED") < words.index("Taken from your mail: traitor")


def test_a_message_id_that_is_none_does_not_keep_the_answer_back(world: World) -> None:
    world.new_game(factions=FEW)
    mail = world.mail("guild", "status").replace(b"Message-ID: <", b"Message-ID: <no at sign ")
    assert world.moderator.deliver(mail, world.now).disposition == "orders"
    mail = world.mail("guild", "status", message_id="<serial-without-host>")
    assert world.moderator.deliver(mail, world.now).disposition == "orders"


def test_an_automatic_answer_is_not_answered(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters("guild"))
    away = world.mail("guild", "I am away", subject="Out of office", Auto_Submitted="auto-replied")
    verdict = world.moderator.deliver(away, world.now)
    assert (verdict.disposition, verdict.shunt) == ("auto-reply", False)
    assert len(world.letters("guild")) == before


def bounce_of(world: World, status: str) -> bytes:
    letter = world.newest("guild")
    return (
        f"Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example\r\nTo: {letter.envelope_from}\r\n"
        f"Subject: Undelivered Mail Returned to Sender\r\nMessage-ID: <bounce.{status}@mx.example>\r\n"
        'MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/plain\r\n\r\nsorry\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        f"Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; {letter.recipient}\r\nAction: failed\r\n"
        f"Status: {status}\r\n\r\n--b--\r\n"
    ).encode()


def test_a_bounce_marks_the_player_unreachable_and_tells_the_game_master_once(world: World) -> None:
    world.new_game(factions=FEW)
    assert world.moderator.deliver(bounce_of(world, "5.1.1"), world.now).disposition == "bounce"
    assert world.table().seats["guild"].unreachable
    assert "Guild cannot be reached" in world.newest(GAME_MASTER).subject
    before = len(world.letters())
    world.moderator.deliver(bounce_of(world, "5.1.2"), world.now)
    assert len(world.letters()) == before


def test_a_bounce_for_now_changes_nothing(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters())
    world.moderator.deliver(bounce_of(world, "4.2.2"), world.now)
    assert not world.table().seats["guild"].unreachable
    assert len(world.letters()) == before


def test_a_player_who_writes_again_can_be_reached_again(world: World) -> None:
    world.new_game(factions=FEW)
    world.moderator.deliver(bounce_of(world, "5.1.1"), world.now)
    world.say("guild", "status")
    assert not world.table().seats["guild"].unreachable


def test_who_writes_too_often_is_told_once_and_can_write_again_later(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(20):
        assert world.say("guild", "status").disposition == "orders"
    before = len(world.letters("guild"))
    assert world.say("guild", "status").disposition == "rejected"
    assert world.say("guild", "status").disposition == "rejected"
    assert len(world.letters("guild")) == before + 1
    assert "within an hour" in " ".join(world.newest("guild").text.split())
    world.wait(1.01)
    assert world.say("guild", "status").disposition == "orders"


def test_a_forger_with_the_token_cannot_silence_the_player(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(30):
        world.moderator.deliver(world.mail("guild", "status", sender="forger@elsewhere.example"), world.now)
    assert world.say("guild", "status").disposition == "orders"


def test_a_flood_of_strange_mail_does_not_flood_the_game_master(world: World) -> None:
    world.new_game(factions=FEW)
    for number in range(40):
        mail = world.mail("guild", "buy", sender=f"spam{number}@elsewhere.example", to=ADDRESS)
        world.moderator.deliver(mail, world.now)
    notices = world.letters(GAME_MASTER)
    assert len(notices) == 20
    assert "no more notices" in " ".join(notices[-1].text.split())
    assert len(world.messages()) == 40


def test_one_sender_of_strange_mail_leaves_room_for_notices_of_others(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(20):
        world.moderator.deliver(world.mail("guild", "buy", sender="spam@elsewhere.example", to=ADDRESS), world.now)
    assert len(world.letters(GAME_MASTER)) == 5
    world.moderator.deliver(world.mail("guild", "buy", sender="other@elsewhere.example", to=ADDRESS), world.now)
    assert "other@elsewhere.example" in told_to_game_master(world)


def test_a_rejected_mail_is_read_when_it_is_offered_again_from_another_place(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(20):
        world.say("guild", "status")
    late = world.mail("guild", "status")
    assert world.moderator.receive(late, "INBOX:1:40", world.now).disposition == "rejected"
    world.wait(1.01)
    assert world.moderator.receive(late, "INBOX:1:40", world.now).disposition == "duplicate"
    assert world.moderator.receive(late, "INBOX:1:41", world.now).disposition == "orders"


def test_orders_to_a_game_that_is_held_are_refused_with_the_reason(world: World) -> None:
    from bot.store import games
    from bot.store.database import writing

    world.new_game(factions=FEW)
    with writing(world.engine) as conn:
        games.mark_checked(conn, GAME, "other rules", holds=False)
    verdict = world.say("guild", "status")
    assert verdict.taken == 0
    assert "The game is held" in " ".join(world.newest("guild").text.split())
    assert world.wait(48) == 0


def test_the_limits_of_the_settings_count(tmp_path_factory: pytest.TempPathFactory) -> None:
    world = World.at(tmp_path_factory.mktemp("small"), CONFIG + "max_lines = 2\nline_chars = 20\n")
    world.new_game(factions=FEW)
    world.say("guild", "status", "orders", "help", "x" * 30)
    words = " ".join(world.newest("guild").text.split())
    assert "Only your first 2 lines were read" in words
    assert "more than 20 characters" in words


@pytest.mark.parametrize("body", ["status", "press all: h\x00i"])
@pytest.mark.parametrize("word", ["utf-8?q?or=00ders", "utf-8?q?=ED=A0=80", "utf-7?q?+2AA-", "utf-7?q?+AAA-"])
def test_what_no_database_can_hold_keeps_no_order_from_being_taken(world: World, word: str, body: str) -> None:
    world.new_game(factions=FEW)
    fields = {
        "From": "Guild <guild@players.example>", "To": f"mentat+{world.token('guild')}@arrakis.example",
        "Subject": f"=?{word}?=", "Message-ID": "<1\x00@players.example>",
    }  # fmt: skip
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    assert world.moderator.deliver(f"{head}\r\n{body}\r\n".encode(), world.now).taken == 1


def test_a_letter_quoted_without_any_mark_is_known_by_its_words(world: World) -> None:
    world.new_game(factions=FEW)
    letter = world.newest("guild")
    rows = "".join(f"<div>{escape(row)}</div>" for row in letter.text.splitlines()[4:] if row)
    head = {"From": address_of("guild"), "To": letter.message["Reply-To"], "In-Reply-To": letter.message["Message-ID"]}
    fields = "".join(f"{name}: {value}\n" for name, value in head.items())
    page = f"{fields}Content-Type: text/html\n\n<p>status</p><div class=gmail_quote>{rows}</div>"
    seen = Intake(world.settings, world.engine).arrived(page.encode(), "", world.now, 0).seen
    assert (seen.reading.lines, seen.reading.ignored) == (("status",), ())
