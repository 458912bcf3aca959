"""Mail not written by a player: Mentat never answers it or takes orders from it, and tells the game master once."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from bot.desk.new_game import NewGame, new_game
from bot.mail.disposition import Examined, examine
from bot.mail.mailbox import MaildirMailbox, MaildirPlace
from bot.moderator import intake
from bot.moderator.automatic_mail import MOST_FRUITLESS
from bot.service import loop
from rules.components import Faction
from tests.moderator.returned import answer_of_program, bounce_of
from tests.moderator.table import ADDRESS, CONFIG, GAME, GAME_MASTER, Sent, World, address_of, make_settings

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
QUIET = ("Auto-Submitted", "X-Mentat", "X-Auto-Response-Suppress", "List-Id")


def words(letter: Sent) -> str:
    return " ".join(letter.text.split())


# --- programs that answer --------------------------------------------------------------------------------------------


def test_a_vacation_note_moves_no_clock_and_the_game_master_hears_once_a_week(world: World) -> None:
    world.new_game(factions=FEW)
    before = world.table().deadlines
    for day in range(8):
        note = answer_of_program(world.newest("guild"), "Out of office", "I am away", Auto_Submitted="auto-replied")
        verdict = world.moderator.deliver(note, world.now)
        assert (verdict.disposition, verdict.game_id, verdict.faction) == ("auto-reply", GAME, "guild")
        assert len(world.letters(GAME_MASTER)) == (1 if day < 6 else 2)  # the first day is a Tuesday
        world.now += timedelta(days=1)
    assert world.table().deadlines == before
    assert len(world.letters("guild")) == 1
    told = words(world.letters(GAME_MASTER)[0])
    assert "seems to come from a program" in told
    assert "Out of office" in told


def test_a_demand_to_confirm_is_nobodys_order_and_the_game_master_confirms_by_hand(world: World) -> None:
    world.new_game(factions=FEW)
    text = "Your message is waiting for delivery. Please confirm your message by replying to this mail."
    challenge = answer_of_program(world.newest("guild"), "Please confirm your message", text)
    assert world.moderator.deliver(challenge, world.now).disposition == "auto-reply"
    assert len(world.letters("guild")) == 1
    assert "gets no letters until you confirm" in world.newest(GAME_MASTER).subject


def test_automatic_answers_of_strangers_are_told_to_nobody(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters())
    for number in range(50):
        raw = f"From: robot@elsewhere.example\r\nTo: {ADDRESS}\r\nSubject: Out of office {number}\r\n"
        raw += "Auto-Submitted: auto-replied\r\n\r\nI am away\r\n"
        assert world.moderator.deliver(raw.encode(), world.now).disposition == "auto-reply"
    assert len(world.letters()) == before


def test_a_storm_of_bounces_is_one_notice(world: World) -> None:
    world.new_game(factions=FEW)
    before = len(world.letters())
    for _ in range(40):
        world.moderator.deliver(bounce_of(world.newest("guild")), world.now)
    told = world.letters()[before:]
    assert sorted(letter.recipient for letter in told) == [address_of("atreides"), GAME_MASTER, address_of("harkonnen")]


# --- loops -----------------------------------------------------------------------------------------------------------


def test_our_own_letters_that_come_back_are_one_notice_a_day(world: World) -> None:
    world.new_game(factions=FEW)
    letter = world.newest("guild").message.as_bytes()
    for number in range(30):
        looped = b"Received: from list%d.example\r\n" % number + letter
        assert world.moderator.deliver(looped, world.now).disposition == "rejected"
    assert len(world.letters(GAME_MASTER)) == 1
    world.now += timedelta(days=1)
    world.moderator.deliver(b"Received: from list.example\r\n" + letter, world.now)
    assert len(world.letters(GAME_MASTER)) == 2


def test_a_letter_of_ours_is_known_by_its_message_id_when_all_else_was_taken_off(world: World) -> None:
    world.new_game(factions=FEW)
    message = world.newest("guild").message
    for name in QUIET:
        del message[name]
    message.replace_header("From", address_of("guild"))
    message.replace_header("To", f"mentat+{world.token('guild')}@arrakis.example")
    verdict = world.moderator.deliver(message.as_bytes(), world.now)
    assert (verdict.disposition, verdict.reason.split(":")[0]) == ("rejected", "loop")


def test_a_mail_of_a_player_on_our_domain_with_such_a_message_id_is_theirs(world: World) -> None:
    world.new_game(factions=FEW)
    for number, identity in enumerate(
        ("20261128220853.yndbl3tynqbydpq3", "a.b.yndbl3tynqbydpq3", f"notice.{'0f' * 12}")
    ):
        raw = world.mail("guild", "status", f"press to gm: {number}", message_id=f"<{identity}@arrakis.example>")
        assert world.moderator.deliver(raw, world.now).taken == 2


def test_the_seat_of_an_answer_to_such_a_mail_is_known_by_our_letter(world: World) -> None:
    world.new_game(factions=FEW)
    own, ours = "<20261128220853.yndbl3tynqbydpq3@arrakis.example>", str(world.newest("guild").message["Message-ID"])
    raw = world.mail("guild", "status", to=ADDRESS, In_Reply_To=own, References=f"{ours} {own}")
    assert world.moderator.deliver(raw, world.now).taken == 1


def test_a_player_whose_mail_looks_like_a_loop_is_told_once_a_day_and_no_program_and_nobody_else(world: World) -> None:
    world.new_game(factions=FEW)
    before = world.written()
    for number in range(3):
        marked = world.mail("guild", f"status {number}", X_Mentat="game=x")
        assert world.moderator.deliver(marked, world.now).disposition == "rejected"
    world.moderator.deliver(world.mail("harkonnen", "status", X_Mentat="x", Auto_Submitted="auto-replied"), world.now)
    world.moderator.deliver(world.mail("atreides", "status", sender="eve@evil.example", X_Mentat="x"), world.now)
    assert sorted(letter.recipient for letter in world.letters(after=before)) == [GAME_MASTER, address_of("guild")]
    assert "nothing in it counts as an order" in words(world.newest(address_of("guild")))


def test_a_player_whose_mail_cannot_be_taken_apart_is_told_so_and_not_that_it_may_be_anothers(world: World) -> None:
    world.new_game(factions=FEW)
    head, _, _ = world.mail("guild", "status").partition(b"Content-Type")
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(60))
    before = world.written()
    assert world.moderator.deliver(head + nested + b"\r\nstatus\r\n", world.now).disposition == "rejected"
    assert {letter.recipient for letter in world.letters(after=before)} == {GAME_MASTER, address_of("guild")}
    assert "We could not process your mail" in words(world.newest(address_of("guild")))


def test_notices_to_a_game_master_who_forwards_them_here_end(world: World) -> None:
    world.new_game(factions=FEW)
    world.moderator.deliver(b"\x00\xff", world.now)
    seen = 0
    for _ in range(20):
        notices = world.letters(GAME_MASTER)
        for notice in notices[seen:]:
            world.moderator.deliver(notice.message.as_bytes(), world.now)
        if len(notices) == seen:
            break
        seen = len(notices)
    assert seen == 2  # the quarantined message and the loop


def test_two_mentats_whose_letters_lose_their_marks_on_the_way_stop_writing_to_each_other(tmp_path: Path) -> None:
    worlds = [World.at(_folder(tmp_path, name), CONFIG.replace("arrakis.example", f"{name}.example")) for name in "ab"]
    tokens, seats = [], []
    for world, other in zip(worlds, worlds[::-1], strict=True):
        player = other.settings.mentat.address
        table = new_game(
            world.moderator.open_games,
            NewGame(
                GAME, "ah-basic", {"guild": player, "fremen": "duke@players.example"}, {"guild": 2, "fremen": 5}, "s"
            ),
            world.now,
        )
        seats.append(table.seats["guild"])
        tokens.append(table.seats["guild"].token)
    sent = [0, 0]
    for _ in range(40):
        quiet = True
        for here, there in ((0, 1), (1, 0)):
            letters = worlds[here].letters("guild")
            for letter in letters[sent[here] :]:
                quiet = False
                raw = _through_a_gateway(letter, worlds[there], tokens[there])
                worlds[there].moderator.deliver(raw, worlds[there].now)
            sent[here] = len(letters)
            worlds[here].now += timedelta(minutes=10)
        if quiet:
            break
    assert quiet
    assert max(sent) <= MOST_FRUITLESS + 3
    assert all("we no longer answer" in world.newest(GAME_MASTER.replace("arrakis", name)).subject
               for world, name in zip(worlds, "ab", strict=True))  # fmt: skip


def _folder(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


def _through_a_gateway(letter: Sent, to: World, token: str) -> bytes:
    """Return a letter as an unfriendly gateway forwards it: without the headers that mark it as automatic, and
    addressed like the player's reply."""
    message = message_from_bytes(letter.message.as_bytes(), policy=policy.default)
    for name in (*QUIET, "Message-ID", "References", "In-Reply-To", "Reply-To"):
        del message[name]
    local, _, host = to.settings.mentat.address.partition("@")
    message.replace_header("To", f"{local}+{token}@{host}")
    return message.as_bytes()


def test_a_person_who_cannot_get_an_order_right_is_still_answered(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(MOST_FRUITLESS + 3):
        before = len(world.letters("guild"))
        world.say("guild", "bid 4")  # refused because nothing is for sale
        assert len(world.letters("guild")) == before + 1


TALK = ("storm", "desert", "spice", "worm", "emperor", "guild", "sietch", "shield", "prophet", "heighliner", "dune",
        "water", "moon", "harvester", "thopter")  # fmt: skip


def test_whoever_answers_each_mail_with_talk_is_answered_so_often_and_no_more(world: World) -> None:
    world.new_game(factions=FEW)
    for word in TALK:
        world.say("guild", f"Nobody here has ever heard anything about a {word}.")
        world.now += timedelta(hours=2)
    letters = world.letters("guild")
    assert len(letters) == 1 + MOST_FRUITLESS == 6  # five answers, as stated in docs/moderating.md
    assert "answer again only when you send a line that we can read" in words(letters[-1])
    assert len([letter for letter in world.letters(GAME_MASTER) if "we no longer answer" in letter.subject]) == 1
    world.say("guild", "help")
    assert len(world.letters("guild")) == 2 + MOST_FRUITLESS
    world.say("guild", "What is this?")
    assert len(world.letters("guild")) == 3 + MOST_FRUITLESS


def test_who_writes_in_plain_words_is_no_program(world: World) -> None:
    world.new_game(factions=FEW)
    leader = world.line("guild", "traitor").removeprefix("traitor ")
    before = len(world.letters("guild"))
    for words in (
        "Perhaps {}",
        "I think {}",
        "probably {}",
        "{}, perhaps",
        "maybe {}",
        "{} or so, I think",
        "traitr {}",
    ):
        world.say("guild", words.format(leader))
        world.now += timedelta(days=1)
    assert len(world.letters("guild")) == before + 7
    assert not [letter for letter in world.letters(GAME_MASTER) if "we no longer answer" in letter.subject]


def test_after_much_talk_an_order_is_answered_however_it_is_misspelt(world: World) -> None:
    world.new_game(factions=FEW)
    for word in TALK[: MOST_FRUITLESS + 2]:
        world.say("guild", f"Nobody here has ever heard anything about a {word}.")
    before = len(world.letters("guild"))
    world.say("guild", "traitr Otheym", "prss to all: hello")
    assert len(world.letters("guild")) == before + 1
    world.say("guild", "Nobody talks any more.")
    assert len(world.letters("guild")) == before + 1
    world.say("guild", "bid 4")
    assert len(world.letters("guild")) == before + 2


def test_a_program_that_nothing_marks_is_answered_once(world: World) -> None:
    world.new_game(factions=FEW)
    for number in range(6):
        world.say("guild", f"Deine Zuschrift traegt bei uns das Zeichen {number * 7919}.", "Es grüßt die Poststelle.")
        world.now += timedelta(hours=2)
    assert len(world.letters("guild")) == 2
    assert [letter.subject for letter in world.letters(GAME_MASTER)] == [f"[Mentat] {GAME}: automatic mail from Guild"]
    assert "says the same again and again" in words(world.newest(GAME_MASTER))
    order = world.line("guild", "traitor")
    for _ in range(2):
        world.say("guild", order)
    assert len(world.letters("guild")) == 4


def test_a_person_who_says_the_same_again_a_day_later_is_answered_again(world: World) -> None:
    world.new_game(factions=FEW)
    for number in range(3):
        world.say("guild", "I would like to know what all of this is about.")
        assert len(world.letters("guild")) == 2 + number
        world.now += timedelta(days=1, minutes=1)


def test_two_programs_that_answer_words_of_players_do_not_write_to_each_other_through_mentat(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "press to harkonnen: shall we ally?")
    receipts: dict[Faction, str] = {
        "guild": "Deine Zuschrift traegt bei uns das Zeichen {}.",
        "harkonnen": "Wij gaan er binnenkort mee aan de slag onder nummer {}.",
    }
    done = dict.fromkeys(receipts, 0)
    for turn in range(40):
        quiet = True
        for faction, receipt in receipts.items():
            for letter in world.letters(faction)[done[faction] :]:
                done[faction] += 1
                quiet = False
                answered = str(letter.message["Message-ID"])
                mail = world.mail(faction, receipt.format((turn + 1) * 7919), In_Reply_To=answered)
                world.moderator.deliver(mail, world.now)
        if quiet:
            break
    assert quiet
    assert max(done.values()) <= 6


def test_the_receipt_of_a_help_desk_is_nobodys_words(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", "press to harkonnen: shall we ally?")
    letter = next(each for each in reversed(world.letters("harkonnen")) if " writes " in each.subject)
    before = world.written()
    raw = world.mail(
        "harkonnen", "Dear customer,", "", "Thank you for contacting us. A request for support has been created.",
        "It has the ticket number #482913.", In_Reply_To=str(letter.message["Message-ID"]),
    )  # fmt: skip
    assert world.moderator.deliver(raw, world.now).disposition == "auto-reply"
    assert [letter.recipient for letter in world.letters(after=before)] == [GAME_MASTER]


# --- reactions -------------------------------------------------------------------------------------------------------


def reaction(world: World, faction: Faction, answered: str, **fields: str) -> bytes:
    raw = world.mail(faction, "👍", In_Reply_To=answered, **fields)
    return b"Content-Disposition: reaction\r\n" + raw


def test_a_reaction_to_a_question_is_told_that_it_answers_nothing(world: World) -> None:
    world.new_game(factions=FEW)
    asked, newest = world.asked(), world.newest("guild")
    assert "guild" in asked
    verdict = world.moderator.deliver(reaction(world, "guild", str(newest.message["Message-ID"])), world.now)
    assert (verdict.disposition, verdict.faction) == ("auto-reply", "guild")
    assert world.asked() == asked
    assert "A reaction or a recall changes nothing here" in words(world.newest("guild"))
    assert world.newest("guild").message["Auto-Submitted"] == "auto-replied"
    assert world.letters(GAME_MASTER) == []


def test_a_reaction_to_an_older_letter_while_nothing_is_asked_is_left_alone(world: World) -> None:
    world.new_game(factions=FEW)
    older = str(world.newest("guild").message["Message-ID"])
    world.say("guild", world.line("guild", "traitor"))
    assert "guild" not in world.asked()
    before = world.written()
    world.moderator.deliver(reaction(world, "guild", older), world.now)
    assert [letter.recipient for letter in world.letters(after=before)] == [GAME_MASTER]


def test_a_recall_is_told_at_any_time_that_it_takes_nothing_back(world: World) -> None:
    world.new_game(factions=FEW)
    world.say("guild", world.line("guild", "traitor"))
    asked = world.asked()
    raw = world.mail("guild", 'Guild would like to recall the message, "Re: orders".', subject="Recall: Re: orders")
    assert world.moderator.deliver(raw, world.now).disposition == "auto-reply"
    assert "A reaction or a recall changes nothing here" in words(world.newest("guild"))
    assert world.asked() == asked


def test_a_reaction_of_somebody_else_is_answered_to_nobody(world: World) -> None:
    world.new_game(factions=FEW)
    newest, before = str(world.newest("guild").message["Message-ID"]), world.written()
    world.moderator.deliver(reaction(world, "guild", newest, sender="eve@evil.example"), world.now)
    assert [letter.recipient for letter in world.letters(after=before)] == [GAME_MASTER]


def test_a_program_that_reacts_to_every_letter_is_not_answered_for_ever(world: World) -> None:
    world.new_game(factions=FEW)
    for _ in range(MOST_FRUITLESS + 5):
        world.moderator.deliver(reaction(world, "guild", str(world.newest("guild").message["Message-ID"])), world.now)
    assert len(world.letters("guild")) == 1 + MOST_FRUITLESS


# --- what takes too long ---------------------------------------------------------------------------------------------


def test_a_message_that_takes_too_long_is_put_aside_and_the_next_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World.at(tmp_path, CONFIG + "seconds_per_message = 1\n")
    world.new_game(factions=FEW)
    hostile, good = world.mail("guild", "status hostile"), world.mail("harkonnen", "status")
    box = MaildirMailbox(MaildirPlace(tmp_path / "Maildir"))
    list(box.fetch_new())
    for number, raw in enumerate((hostile, good)):
        (tmp_path / "Maildir" / "new" / f"{number}.mail").write_bytes(raw)

    def slow(raw: bytes, *args: object, **named: object) -> Examined:
        if b"hostile" in raw:
            while time.monotonic() - began < 12:  # practically endless, but ends this test if nothing stops it
                try:
                    re.match(r"(?:a|a)*b", "a" * 26)  # time doubles with every letter, inside C code
                except Exception:
                    continue  # a guard that catches everything
        return examine(raw, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(intake, "examine", slow)
    began = time.monotonic()
    polled = loop.poll(world.moderator, box, lambda: world.now)
    assert time.monotonic() - began < 10
    assert (polled.messages, polled.shunted) == (2, 1)
    assert [disposition for disposition, _ in world.messages()] == ["fault", "orders"]
    assert "took longer than 1 seconds" in words(world.newest(GAME_MASTER))
    monkeypatch.undo()
    assert world.moderator.receive(hostile, "moved back", world.now).disposition == "orders"


def test_the_limit_is_in_the_settings(tmp_path: Path) -> None:
    assert make_settings(tmp_path).limits.seconds_per_message == 20
