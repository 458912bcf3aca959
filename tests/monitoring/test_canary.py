"""Tests for the canary: if Mentat's mail to itself does not return, no deadline passes until one does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.lab.local_mail import LocalMail
from bot.moderator import automatic_mail, outage
from bot.service import loop
from bot.service.health import health
from bot.service.mail_servers import open_mailbox, open_transport
from bot.store import installation, mail
from bot.store.database import reading
from bot.store.installation import Heartbeat
from bot.store.mail import LETTER
from tests.moderator.table import ADDRESS, CONFIG, GAME_MASTER, World, address_of, make_settings
from tests.monitoring.test_health import HOUR, MINUTE

ON = """
[monitoring]
canary_minutes = 60
"""
BY_SMTP = CONFIG.replace('kind = "directory"\ndirectory = "outgoing"', 'host = "smtp.arrakis.example"')


@pytest.fixture
def hourly(tmp_path: Path) -> Iterator[World]:
    """Yield a Mentat that writes to itself each hour, and a game of six."""
    made = World.at(tmp_path, BY_SMTP + ON)
    made.new_game()
    yield made
    made.engine.dispose()


def look(world: World) -> None:
    automatic_mail.look_after_canary(world.moderator.open_games, world.now)


def on_the_way(world: World) -> list[bytes]:
    """Let a server accept the waiting mails to itself, and return them."""
    with reading(world.engine) as conn:
        waiting = [each for each in mail.to_send(conn, world.now, 1000) if each.letter.recipient == ADDRESS]
    with world.engine.begin() as conn:
        mail.note_sent(conn, [each.id for each in waiting], world.now)
    return [each.letter.content for each in waiting]


def hours_go_by(world: World, hours: int, *, arrive: bool) -> list[bytes]:
    """Let hours pass, each with a canary that returns or is lost; return the lost ones."""
    lost = []
    for _ in range(hours):
        look(world)
        for raw in on_the_way(world):
            if arrive:
                world.moderator.deliver(raw, world.now + MINUTE)
            else:
                lost.append(raw)
        world.now += HOUR
    return lost


def of(world: World, name: installation.HeartbeatName) -> Heartbeat | None:
    with reading(world.engine) as conn:
        return installation.heartbeat(conn, name)


def dues(world: World) -> list[datetime]:
    return sorted({deadline.until for deadline in world.table().deadlines.values()})


def to_itself(world: World) -> int:
    with reading(world.engine) as conn:
        return len(conn.execute(select(LETTER.c.id).where(LETTER.c.recipient == ADDRESS)).all())


def test_one_goes_out_each_hour_and_is_forgotten_when_it_is_back(hourly: World) -> None:
    before = hourly.written()
    for _ in range(3):
        look(hourly)
        look(hourly)
        assert to_itself(hourly) == 1
        (raw,) = on_the_way(hourly)
        verdict = hourly.moderator.deliver(raw, hourly.now + MINUTE)
        assert (verdict.disposition, verdict.reason) == ("auto-reply", "a test mail from Mentat")
        assert of(hourly, "canary") == Heartbeat(hourly.now + MINUTE, None)
        assert to_itself(hourly) == 0
        hourly.now += 59 * MINUTE
        look(hourly)
        assert to_itself(hourly) == 0
        hourly.now += MINUTE
    assert hourly.written() == before


@pytest.mark.sqlite_only
@pytest.mark.parametrize("config", [BY_SMTP, CONFIG + ON])
def test_none_goes_out_where_none_is_wanted_or_letters_go_into_a_folder(config: str, tmp_path: Path) -> None:
    world = World.at(tmp_path, config)
    look(world)
    assert to_itself(world) == 0
    assert health(world.settings, world.now).well is False
    world.engine.dispose()


def test_two_processes_that_look_at_once_send_one(hourly: World) -> None:
    other = hourly.another_process()
    look(hourly)
    look(other)
    assert to_itself(hourly) == 1
    other.engine.dispose()


def test_none_is_added_to_one_that_waits_to_go_out(hourly: World) -> None:
    for _ in range(5):
        look(hourly)
        hourly.now += HOUR
    assert to_itself(hourly) == 1


def test_a_canary_is_never_read_as_orders_nor_answered(hourly: World) -> None:
    look(hourly)
    (raw,) = on_the_way(hourly)
    before = hourly.written()
    verdict = hourly.moderator.deliver(raw.replace(b"Mentat sends this mail", b"bid 5\r\nMentat"), hourly.now)
    assert (verdict.disposition, verdict.taken) == ("auto-reply", 0)
    assert hourly.written() == before - 1


def test_a_made_up_canary_tells_nothing_and_gets_nothing(hourly: World) -> None:
    hours_go_by(hourly, 4, arrive=False)
    look(hourly)
    assert of(hourly, "canary").failing_since  # type: ignore[union-attr]
    before = hourly.written()
    for code in (b"4f2a", b"%", b"", b"_" * 32):
        raw = b"From: a@b.example\r\nTo: mentat@arrakis.example\r\nX-Mentat: canary " + code + b"\r\n\r\nbid 5\r\n"
        assert hourly.moderator.deliver(raw, hourly.now).disposition in ("auto-reply", "rejected")
    look(hourly)
    assert of(hourly, "canary").failing_since  # type: ignore[union-attr]
    assert [sent for sent in hourly.letters(after=before) if sent.recipient not in (GAME_MASTER, ADDRESS)] == []


def test_the_copy_of_one_that_came_back_does_not_stand_for_another(hourly: World) -> None:
    look(hourly)
    (raw,) = on_the_way(hourly)
    hourly.moderator.deliver(raw, hourly.now)
    hourly.now += HOUR
    hours_go_by(hourly, 4, arrive=False)
    look(hourly)
    hourly.moderator.deliver(raw.replace(b"Date: ", b"X-Another: a\r\nDate: "), hourly.now)
    look(hourly)
    assert of(hourly, "canary").failing_since  # type: ignore[union-attr]


def test_while_too_many_are_missing_no_deadline_passes_and_then_the_time_is_given_back(hourly: World) -> None:
    hours_go_by(hourly, 12, arrive=True)
    before, missing_since = dues(hourly), hourly.now
    lost = hours_go_by(hourly, 3, arrive=False)
    look(hourly)
    assert of(hourly, "canary").failing_since == missing_since  # type: ignore[union-attr]
    lost += hours_go_by(hourly, 30, arrive=False)
    hourly.moderator.timekeeper.tick(hourly.now)
    assert dues(hourly) == before
    assert hourly.now > max(before)
    hourly.moderator.deliver(lost[-1], hourly.now)
    assert of(hourly, "canary") == Heartbeat(hourly.now, missing_since)
    hourly.moderator.timekeeper.tick(hourly.now)
    assert dues(hourly) == before
    look(hourly)
    lost_time = hourly.now - missing_since
    assert dues(hourly) == [due + lost_time for due in before]
    assert of(hourly, "canary") == Heartbeat(hourly.now, None)
    for reader in (*map(address_of, ("guild", "atreides")), GAME_MASTER):
        told = hourly.newest(reader)
        assert told.subject.endswith("Lost time is given back")
        assert "Mail to Mentat did not arrive from" in told.text
    look(hourly)
    assert dues(hourly) == [due + lost_time for due in before]
    assert hourly.moderator.timekeeper.tick(max(dues(hourly)) + MINUTE) == 1


def test_two_missing_ones_stop_nothing(hourly: World) -> None:
    hours_go_by(hourly, 2, arrive=False)
    look(hourly)
    assert of(hourly, "canary") is None
    with reading(hourly.engine) as conn:
        assert not outage.no_mail_comes(conn)


def test_what_a_mailbox_that_failed_has_given_back_is_not_given_back_again(hourly: World) -> None:
    look(hourly)
    on_the_way(hourly)  # this one is lost
    hourly.now += 10 * MINUTE
    before, games = dues(hourly), hourly.moderator.open_games
    outage.note_mailbox_failure(games, hourly.now)
    hours_go_by(hourly, 10, arrive=False)
    assert of(hourly, "canary") is None
    outage.note_mailbox_success(games, hourly.now)
    assert dues(hourly) == [due + 10 * HOUR for due in before]
    look(hourly)
    assert of(hourly, "canary") is None
    for raw in on_the_way(hourly):
        hourly.moderator.deliver(raw, hourly.now)
    look(hourly)
    assert dues(hourly) == [due + 10 * HOUR for due in before]


def test_a_mailbox_that_fails_while_canaries_are_missing_is_part_of_the_same_loss(hourly: World) -> None:
    missing_since, before, games = hourly.now, dues(hourly), hourly.moderator.open_games
    lost = hours_go_by(hourly, 4, arrive=False)
    look(hourly)
    outage.note_mailbox_failure(games, hourly.now)
    hourly.now += 5 * HOUR
    outage.note_mailbox_success(games, hourly.now)
    outage.note_service_beat(games, hourly.now)
    hourly.now += 2 * HOUR
    outage.note_service_beat(games, hourly.now)
    assert dues(hourly) == before
    hourly.moderator.deliver(lost[0], hourly.now)
    look(hourly)
    assert dues(hourly) == [due + (hourly.now - missing_since) for due in before]


def test_canaries_are_not_missed_for_the_time_in_which_mentat_was_not_at_work(hourly: World) -> None:
    games = hourly.moderator.open_games
    outage.note_service_beat(games, hourly.now)
    look(hourly)
    on_the_way(hourly)
    hourly.now += 10 * HOUR
    outage.note_service_beat(games, hourly.now)
    look(hourly)
    assert of(hourly, "canary") is None


def test_a_service_that_was_down_while_no_canary_was_out_misses_none(hourly: World) -> None:
    games = hourly.moderator.open_games
    outage.note_service_beat(games, hourly.now)
    hours_go_by(hourly, 1, arrive=True)
    before, began = dues(hourly), hourly.now - HOUR
    hourly.now += 10 * HOUR
    outage.note_service_beat(games, hourly.now)
    sent = of(hourly, "canary-sent")
    assert sent is not None
    assert sent.failing_since is None
    assert dues(hourly) == [due + (hourly.now - began) for due in before]


def test_less_than_an_outage_is_not_given_back_when_a_canary_comes(tmp_path: Path) -> None:
    config = BY_SMTP.replace("[mailbox]", "[clock]\noutage_minutes = 600\n[mailbox]")
    hourly = World.at(tmp_path, config + ON)
    hourly.new_game()
    before = dues(hourly)
    lost = hours_go_by(hourly, 4, arrive=False)
    look(hourly)
    assert of(hourly, "canary").failing_since  # type: ignore[union-attr]
    hourly.moderator.deliver(lost[0], hourly.now)
    look(hourly)
    assert dues(hourly) == before
    with reading(hourly.engine) as conn:
        assert not outage.no_mail_comes(conn)
    hourly.engine.dispose()


def test_where_no_more_are_wanted_the_clocks_go_on(hourly: World, tmp_path: Path) -> None:
    before, began = dues(hourly), hourly.now
    hours_go_by(hourly, 5, arrive=False)
    look(hourly)
    settings = make_settings(tmp_path, BY_SMTP)
    hourly.moderator.open_games.settings = settings
    look(hourly)
    with reading(hourly.engine) as conn:
        assert not outage.no_mail_comes(conn)
    assert dues(hourly) == [due + (hourly.now - began) for due in before]


def test_setting_the_clock_forward_by_hand_misses_no_canary(hourly: World) -> None:
    hours_go_by(hourly, 2, arrive=True)
    hourly.moderator.timekeeper.tick(hourly.now + timedelta(days=30))
    with reading(hourly.engine) as conn:
        assert not outage.no_mail_comes(conn)


@pytest.mark.sqlite_only
def test_health_says_that_canaries_are_missing(hourly: World) -> None:
    hours_go_by(hourly, 4, arrive=False)
    look(hourly)
    (found,) = (each for each in health(hourly.settings, hourly.now).findings if each.about == "canary")
    assert found.state == "wrong"
    assert "has come back since" in found.told


def test_it_goes_the_way_of_all_mail(tmp_path: Path) -> None:
    with LocalMail({ADDRESS: "melange"}) as servers:
        config = (
            f'[mentat]\naddress = "{ADDRESS}"\ngame_master = "{GAME_MASTER}"\n[mailbox]\nhost = "{servers.host}"\n'
            f'port = {servers.imap_port}\nsecurity = "none"\nuser = "{ADDRESS}"\n[smtp]\nhost = "{servers.host}"\n'
            f'port = {servers.smtp_port}\nsecurity = "none"\n{ON}'
        )
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("MENTAT_IMAP_PASSWORD", "melange")
            world = World.at(tmp_path, config)
        look(world)
        transport, mailbox = open_transport(world.settings), open_mailbox(world.settings)
        assert loop.send(world.outbox, transport, world.now).sent == 1
        for _ in range(100):
            if loop.poll(world.moderator, mailbox, lambda: world.now).messages:
                break
            mailbox.wait(1)
        assert world.messages() == [("auto-reply", "a test mail from Mentat")]
        assert of(world, "canary") == Heartbeat(world.now, None)
        with reading(world.engine) as conn:
            assert mail.to_send(conn, world.now) == []
        mailbox.close()
        transport.close()
        world.engine.dispose()
