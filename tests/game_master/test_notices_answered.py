"""Notices to the game master contain ready-made lines, and each works when it is sent back."""

from __future__ import annotations

import re
from datetime import time, timedelta
from urllib.parse import quote, unquote

import pytest

from bot.desk import clocks, rights
from bot.desk.desk import write_daily_letter
from bot.desk.powers import DeskRequest
from bot.games import notices, observers
from bot.games.letter_writer import master_token
from bot.games.open_games import Session, acts_of
from bot.mail.mailbox import StuckMail
from bot.moderator.desk_lines import reason_by_mail
from bot.store import installation, people, press
from bot.store.acts import right_of
from bot.store.database import reading, writing
from bot.store.mail import Letter
from rules.components import Faction
from tests.game_master.test_by_mail import REY, answer, granted, mail
from tests.moderator.table import GAME, GAME_MASTER, Sent, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
STRANGER = "elsewhere@holiday.example"


def ready(letter: Sent) -> list[str]:
    """Return the bodies of the mails that a letter's buttons open."""
    return [unquote(body) for body in re.findall(r"mailto:[^\"]*?body=([^\"&]*)", letter.html)]


def pressed(world: World, letter: Sent, line: str) -> str:
    """Press a letter's button and return Mentat's answer."""
    assert line in ready(letter), ready(letter)
    found = re.search(rf"mailto:([^?\"]*)\?subject=([^&\"]*)&(?:amp;)?body={re.escape(quoted(line))}\"", letter.html)
    assert found, letter.html
    to, subject = unquote(found[1]), unquote(found[2])
    raw = world.mail("guild", line, sender=letter.recipient, to=to, subject=subject)
    before = world.written()
    assert world.moderator.deliver(raw, world.now).disposition == "orders"
    return " ".join(" ".join(each.text.split()) for each in world.letters(after=before))


def quoted(line: str) -> str:
    return quote(line, safe=".-_~")


def acts(world: World) -> list[str]:
    with reading(world.engine) as conn:
        return [f"{act.what} {act.words}".strip() for act in acts_of(conn, GAME) if act.what != "grant"]


def confirmed(world: World) -> str:
    letter = next(each for each in reversed(list(world.letters())) if "confirm “" in str(each.subject))
    raw = world.mail("guild", "confirm", sender=letter.recipient, to=str(letter.message["Reply-To"]))
    before = world.written()
    world.moderator.deliver(raw, world.now)
    return " ".join(" ".join(each.text.split()) for each in world.letters(after=before))


def pressed_words(world: World, letter: Sent, words: str) -> str:
    mail(world, str(letter.message["Reply-To"]), words, sender=GAME_MASTER, subject=f"Re: {letter.subject}")
    return answer(world, GAME_MASTER)


def put_aside(world: World) -> tuple[Sent, int]:
    raw = world.mail("guild", world.line("guild", "traitor"), sender=STRANGER)
    assert world.moderator.receive(raw, "INBOX/1/1", world.now).disposition == "rejected"
    notice = world.newest(GAME_MASTER)
    number = re.search(r"believe ([0-9]+)", notice.text)
    assert number
    return notice, int(number[1])


def test_a_mail_that_was_put_aside_is_looked_at_and_believed_by_mail(world: World) -> None:
    world.new_game(factions=FEW)
    notice, number = put_aside(world)
    assert ready(notice) == [f"{GAME}: believe {number}", f"mail {number}", "let it stand"]
    shown = pressed(world, notice, f"mail {number}")
    assert f"Mail {number}, from {STRANGER}" in shown
    assert "read here" in shown
    assert world.line("guild", "traitor") not in shown
    asked = pressed(world, notice, f"{GAME}: believe {number}")
    assert "1 line of it was taken" in asked
    assert "traitor" in world.asked()["guild"], "it is only tried"
    assert f"Mail {number} counts as written by the player of Guild" in confirmed(world)
    assert "traitor" not in world.asked().get("guild", ())
    assert acts(world) == [f"believe guild: mail {number}"]
    assert "Nothing was changed." in pressed(world, notice, "let it stand")
    told = pressed_words(world, notice, "the mail that was put aside is from his office, please take it")
    assert f"“believe {number}”" in told
    assert f"“mail {number}”" in pressed_words(world, notice, "show me the mail that was put aside")
    mail(world, str(notice.message["Reply-To"]), f"{GAME}: believe {number}", sender=GAME_MASTER)
    assert f"Mail {number} cannot be taken: this message was processed before" in answer(world, GAME_MASTER)


@pytest.mark.parametrize("number", [1, 99])
def test_no_other_mail_can_be_believed(begun: World, number: int) -> None:
    begun.say("guild", "status")
    mail(begun, granted(begun), f"believe {number}")
    assert f"There is no quarantined mail {number}" in answer(begun)


def test_a_director_believes_no_mail_of_another_game(world: World) -> None:
    world.new_game(factions=FEW)
    world.new_game(game="other-7", factions=FEW)
    _, number = put_aside(world)
    mail(world, granted(world), f"believe {number}")
    assert "Not done" not in answer(world)
    rights.grant(DeskRequest(world.moderator.open_games, "other-7", world.now), "director", "eve@elsewhere.example")
    with reading(world.engine) as conn:
        own = right_of(conn, "eve@elsewhere.example", game_id="other-7")
    assert own
    desk = f"mentat+{own.token}@arrakis.example"
    mail(world, desk, f"believe {number}", sender="eve@elsewhere.example")
    assert f"Mail {number} names no seat of other-7." in answer(world, "eve@elsewhere.example")
    mail(world, desk, f"mail {number}", sender="eve@elsewhere.example")
    assert f"There is no mail {number} that you may see." in answer(world, "eve@elsewhere.example")


def test_letters_go_out_again_by_mail(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "resend guild")
    assert re.search(r"[1-9][0-9]* letters? to Guild will go out again", answer(begun))
    assert acts(begun) == ["resend guild"]


def test_the_desk_names_the_last_mails_of_a_seat(begun: World) -> None:
    desk = granted(begun)
    begun.say("guild", "status")
    mail(begun, desk, "more guild")
    number = re.search(r"mail ([0-9]+), read", answer(begun))
    assert number
    mail(begun, desk, f"mail {number[1]}")
    assert "(Guild in sietch-12): orders" in answer(begun)
    clerk = granted(begun, "clerk", "cleo@elsewhere.example")
    mail(begun, clerk, f"mail {number[1]}", "more guild", sender="cleo@elsewhere.example")
    assert "you may see" in answer(begun, "cleo@elsewhere.example")
    assert "Their last messages" not in answer(begun, "cleo@elsewhere.example")


def test_clocks_that_an_outage_has_stopped_start_by_a_button(begun: World) -> None:
    stuck = StuckMail("INBOX/1/5", tries=9, since=begun.now, why="it has no end", games=(GAME,))
    with writing(begun.engine) as conn:
        notices.tell_withheld_mail(begun.moderator.writer(conn, begun.now), stuck, [GAME])
    letter = begun.newest(GAME_MASTER)
    assert "mentat game" not in letter.text
    mail(begun, granted(begun), "pause")
    assert "The clocks are running again" in pressed(begun, letter, f"{GAME}: resume")
    assert begun.table().stopped_at is None


def test_after_an_outage_more_time_is_one_button(begun: World) -> None:
    with writing(begun.engine) as conn:
        writer = begun.moderator.writer(conn, begun.now)
        notices.tell_time_given_back(writer, "service", [GAME], begun.now - timedelta(hours=9))
    letter = begun.newest(GAME_MASTER)
    assert "Set-up (ah-basic)" in pressed(begun, letter, f"{GAME}: waits")
    pressed(begun, letter, f"{GAME}: extend 12")
    assert acts(begun) == ["extend 12 h"]


def test_after_an_outage_all_games_get_more_time_by_one_button(begun: World) -> None:
    begun.new_game(game="other-7")
    with writing(begun.engine) as conn:
        writer = begun.moderator.writer(conn, begun.now)
        notices.tell_time_given_back(writer, "service", [GAME, "other-7"], begun.now - timedelta(hours=9))
    letter = begun.newest(GAME_MASTER)
    assert "other-7" in pressed(begun, letter, "all: waits")
    pressed(begun, letter, "all: extend 12")
    mail(begun, str(letter.message["Reply-To"]), "all: unextend", sender=GAME_MASTER)
    assert acts(begun) == ["extend 12 h", "extend back: 12 h"]


def test_what_a_player_asks_of_the_desk_is_granted_by_a_button(begun: World) -> None:
    granted(begun)
    begun.say("guild", "extend 99")
    letter = begun.newest(GAME_MASTER)
    assert "mentat game" not in letter.text
    pressed(begun, letter, f"{GAME}: extend 99")
    assert acts(begun) == ["extend 99 h"]
    begun.say("guild", "sitter sam@example.org until 2024-12-20")
    letter = begun.newest(REY)
    pressed(begun, letter, f"{GAME}: sitter guild sam@example.org until 2024-12-20")
    confirmed(begun)
    assert begun.table().seats["guild"].sitter == "sam@example.org"


def test_an_observer_who_cannot_be_reached_is_written_to_again_by_a_button(begun: World) -> None:
    desk, ann = granted(begun), "ann@example.org"
    mail(begun, desk, f"observe {ann}")
    with writing(begun.engine) as conn:
        token = press.observers_of_game(conn, GAME)[0].token
        assert observers.strike_out_unreachable(Session(conn, begun.moderator.open_games, begun.now), token, "gone")
    pressed(begun, begun.newest(GAME_MASTER), f"{GAME}: observe {ann}")
    with reading(begun.engine) as conn:
        assert [each.address for each in press.observers_of_game(conn, GAME)] == [ann]


def test_the_letter_of_the_day_is_answered_by_its_buttons(begun: World) -> None:
    clocks.pause(DeskRequest(begun.moderator.open_games, GAME, begun.now))
    begun.now += timedelta(days=1)
    begun.moderator.open_games.settings = begun.settings.model_copy(
        update={"mentat": begun.settings.mentat.model_copy(update={"desk_mail": time(8)})}
    )
    with writing(begun.engine) as conn:
        installation.beat(conn, "desk", begun.now - timedelta(days=1))
    write_daily_letter(begun.moderator.open_games, begun.now)
    letter = begun.newest(GAME_MASTER)
    assert "`mentat game" not in letter.text
    assert "The clocks are running again" in pressed(begun, letter, f"{GAME}: resume")


def test_a_letter_that_was_lost_is_sent_again_by_a_button(begun: World) -> None:
    lost = Letter("<1@x>", "", address_of("guild"), "Turn 1", b"", GAME, "guild")
    with writing(begun.engine) as conn:
        notices.report_lost_letter(begun.moderator.writer(conn, begun.now), lost, "no such box")
    assert "will go out again" in pressed(begun, begun.newest(GAME_MASTER), f"{GAME}: resend guild")


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        ("g is on hold; `mentat game release g` releases it.", "g is on hold; “release” releases it."),
        ("There is no clause 'X.1'; `mentat rule WORD` finds it.", "There is no clause 'X.1'."),
        ("It is held. `mentat game rollback g --turn 2` frees it.", "It is held. “rollback turn 2” frees it."),
        ("Nothing waits. `mentat forum show g` shows it.", "Nothing waits."),
        ("You post there by hand: `mentat forum show g` shows what is next.", "You post there by hand."),
    ],
)
def test_a_refusal_by_mail_names_no_command_of_the_shell(refused: str, told: str) -> None:
    assert reason_by_mail(ValueError(refused), "g") == told


@pytest.mark.parametrize("said", ["please send his letters again", "send the guild its letters again", "help mail"])
def test_lost_mail_in_plain_words_leads_to_its_commands_and_to_nothing_worse(begun: World, said: str) -> None:
    mail(begun, granted(begun), said)
    assert "“resend" in answer(begun) or "resend SEAT" in answer(begun)
    assert "end void" not in answer(begun)
    assert acts(begun) == []


def test_the_game_master_asks_for_all_games_and_stops_them_at_once(world: World) -> None:
    world.new_game(factions=FEW)
    world.new_game(game="other-7", factions=FEW)
    desk = f"mentat+{master_token(world.settings)}@arrakis.example"
    mail(world, desk, "waits", sender=GAME_MASTER)
    told = answer(world, GAME_MASTER)
    assert "other-7 Set-up (ah-basic)" in told
    assert f"{GAME} Set-up (ah-basic)" in told
    mail(world, desk, "all: pause", sender=GAME_MASTER)
    assert world.table().stopped_at
    assert world.table("other-7").stopped_at
    mail(world, desk, "all: end void", sender=GAME_MASTER)
    mail(world, granted(world), "all: resume")
    assert world.table().stopped_at
    mail(world, desk, "all games: resume", sender=GAME_MASTER)
    assert [world.table(game).stopped_at for game in (GAME, "other-7")] == [None, None]


def test_a_plea_of_a_banned_player_is_granted_by_a_button(begun: World) -> None:
    desk, guild = f"mentat+{master_token(begun.settings)}@arrakis.example", address_of("guild")
    mail(begun, desk, "ban guild", sender=GAME_MASTER)
    confirmed(begun)
    letter = next(each for each in reversed(begun.letters()) if each.recipient == guild)
    raw = begun.mail("guild", "It was my son.", sender=guild, to=str(letter.message["Reply-To"]))
    begun.moderator.deliver(raw, begun.now)
    plea = next(each for each in reversed(begun.letters(GAME_MASTER)) if "It was my son." in each.text)
    pressed(begun, plea, f"{GAME}: unban {guild}")
    with reading(begun.engine) as conn:
        assert people.standing_ban(conn, guild, begun.now) is None
