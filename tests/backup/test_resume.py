"""Tests that a Mentat restored from a backup ends like one that lost nothing, and sends nothing twice."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, select

from bot.config import load_settings
from bot.desk.new_game import NewGame, new_game
from bot.games.identity import MailOutcome
from bot.moderator.moderator import Moderator
from bot.service import loop
from bot.service.backup import back_up
from bot.service.mail_servers import open_kept_mail
from bot.service.restoration import restore
from bot.service.resumption import CannotResume, Resumption, resume
from bot.store import games, installation
from bot.store.database import Engine, Held, open_database, reading, writing
from bot.store.mail import LETTER
from bot.store.record import log_data
from bot.store.tables import MESSAGE
from tests.backup.by_mail import FACTIONS, SETTINGS, Process, begun
from tests.moderator.table import ADDRESS, DOTS, GAME

pytestmark = pytest.mark.sqlite_only
TURNS = 3 if os.environ.get("MENTAT_SLOW") else 1


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the outcome of a game in which nothing is lost."""
    process = begun(tmp_path_factory.mktemp("games") / "unbroken", TURNS)
    process.play_until(lambda _, over: over)
    assert process.players.twice() == []
    return process.outcome()


def lost_and_resumed(process: Process, minutes: int, *, sending: bool = True) -> tuple[Process, Resumption]:
    """Back up, run for some minutes, lose the database, and restore the backup. Unless `sending`, Mentat dies before it
    sends the letters of the last minute."""
    settings, players = process.settings, process.players
    file = settings.mentat.database.with_name("copy.db")
    back_up(process.engine, ADDRESS, file, 1, players.now, force=True)
    for minute in range(minutes):
        process.turn_over(sending=sending or minute < minutes - 1)
    if sending:
        loop.send(process.outbox, players, players.now)
    process.dies()
    settings.mentat.database.unlink()
    players.now += timedelta(hours=2)
    restore(file, settings, 1, players.now, replace=False, from_another=False)
    engine = open_database(settings.database_place)
    done = resume(settings, engine, open_kept_mail(settings), players.now)
    engine.dispose()
    return Process(settings, players), done


@pytest.mark.slow
@pytest.mark.parametrize("copies", [False, True])
def test_a_game_set_back_by_ten_minutes_ends_as_one_that_was_not(tmp_path: Path, unbroken: Any, copies: bool) -> None:
    process = begun(tmp_path / "lost", TURNS, copies=copies)
    half = len(unbroken[0]) // 2
    process.play_until(lambda *_: process.entries() >= half)
    process, done = lost_and_resumed(process, 10)
    assert done.messages > 5
    assert done.gone_out > 5
    assert done.by_copies == copies
    assert done.unknown == []
    process.play_until(lambda _, over: over)
    assert process.outcome() == unbroken
    assert process.players.twice() == []


def test_letters_that_had_not_gone_out_go_out_where_the_mailbox_tells(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS, copies=True)
    _play(process, 3)
    process, done = lost_and_resumed(process, 3, sending=False)
    assert done.by_copies
    assert done.to_be_sent > 0
    before = len(process.players.got)
    loop.send(process.outbox, process.players, process.players.now)
    assert len(process.players.got) == before + done.to_be_sent
    assert process.players.twice() == []


def test_without_copies_all_until_then_has_gone_out_and_only_the_lost_time_is_told(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS)
    sent = process.settings.mailbox.maildir / ".Sent" / "cur"
    sent.mkdir(parents=True)
    (sent / "1.M1.x:2,S").write_bytes(b"Message-ID: <a-word@arrakis.example>\n\nNo letter of Mentat.\n")
    _play(process, 3)
    process, done = lost_and_resumed(process, 3)
    assert not done.by_copies
    assert process.players.now - done.stopped > timedelta(hours=1)
    with reading(process.engine) as conn:
        unsent = conn.execute(
            select(LETTER.c.subject, LETTER.c.recipient).where(LETTER.c.next_try_at.is_not(None))
        ).all()
    assert {row.subject for row in unsent} == {"[Mentat] Lost time is given back"}
    assert len(unsent) == done.to_be_sent == 7  # six players and the game master
    before = {key: each.until for key, each in process.table().deadlines.items()}
    assert before
    assert min(before.values()) > process.players.now + timedelta(hours=20)


def test_wherever_the_going_on_dies_it_is_begun_anew_and_ends_alike(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS)
    _play(process, 3)
    file = tmp_path / "copy.db"
    back_up(process.engine, ADDRESS, file, 0, process.players.now, force=False)
    _play(process, 3)
    process.dies()
    settings, place = process.settings, process.settings.mentat.database
    now = process.players.now + timedelta(hours=3)

    def again(kill_at: int) -> tuple[int, Any]:
        """Restore the backup, kill the process at one commit, and start again; return the commits and the outcome."""
        place.unlink()
        restore(file, settings, 0, now, replace=False, from_another=False)
        commits, engine = 0, open_database(place)

        def committed(connection: Connection) -> None:
            nonlocal commits
            if connection.get_execution_options().get("write"):
                commits += 1
                if commits == kill_at:
                    raise Killed

        event.listen(engine, "commit", committed)
        try:
            resume(settings, engine, open_kept_mail(settings), now)
        except Killed:
            engine.dispose()
            with pytest.raises(Held), writing(open_database(place)):
                pass
            engine = open_database(place)
            resume(settings, engine, open_kept_mail(settings), now)
        found = _all_of(engine)
        engine.dispose()
        return commits, found

    commits, expected = again(0)
    assert commits > 10
    step = 1 if os.environ.get("MENTAT_SLOW") else commits // 4
    for place_of_death in [*range(1, commits, step), commits - 1, commits]:
        assert again(place_of_death)[1] == expected, f"killed at commit {place_of_death} of {commits}"


class Killed(BaseException):
    """Raised where the process dies."""


def _all_of(engine: Engine) -> Any:
    with reading(engine) as conn:
        letters = Counter((row.message_id, row.recipient, row.sent_at) for row in conn.execute(select(LETTER)))
        messages = Counter((row.digest, row.disposition) for row in conn.execute(select(MESSAGE)))
        table = games.open_table(conn, GAME)
        deadlines = sorted(map(str, table.deadlines.items()))
        held = installation.this_installation(conn).held_since
        return log_data(conn, GAME), games.event_data(conn, GAME), letters, messages, deadlines, held


def _play(process: Process, minutes: int) -> None:
    for _ in range(minutes):
        process.turn_over()


def test_deadlines_that_passed_meanwhile_pass_again_at_their_time(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS)
    players = process.players
    process.turn_over()
    back_up(process.engine, ADDRESS, tmp_path / "copy.db", 0, players.now, force=False)
    players.unread.clear()  # nobody answers any more
    for _ in range(4):
        players.now += timedelta(hours=12)
        process.moderator.timekeeper.tick(players.now)
        loop.send(process.outbox, players, players.now)
    players.unread.clear()
    stranger = b"From: nobody@elsewhere.example\nTo: mentat@arrakis.example\nSubject: hello\n\nhello\n"
    (process.settings.mailbox.maildir / "new" / f"{int(players.now.timestamp())}.M9.x").write_bytes(stranger)
    loop.poll(process.moderator, process.mailbox, lambda: players.now)
    expected = process.outcome()
    process.dies()
    process.settings.mentat.database.unlink()
    restore(tmp_path / "copy.db", process.settings, 0, players.now, replace=False, from_another=False)
    engine = open_database(process.settings.mentat.database)
    done = resume(process.settings, engine, open_kept_mail(process.settings), players.now)
    assert (done.messages, done.put_aside, done.to_be_sent) == (1, 1, 0)
    assert done.gone_out > 6
    again = Process(process.settings, players)
    assert again.outcome() == expected
    loop.send(again.outbox, players, players.now)
    assert players.twice() == []


def test_what_was_put_aside_before_the_backup_is_not_read_again(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS)
    stranger = b"From: nobody@elsewhere.example\nTo: mentat@arrakis.example\nSubject: hello\n\nhello\n"
    new = process.settings.mailbox.maildir / "new"
    process.turn_over()
    (new / f"{int(process.players.now.timestamp())}.M9.x").write_bytes(stranger)
    process.turn_over()
    process, done = lost_and_resumed(process, 0)
    assert (done.messages, done.put_aside) == (0, 0)


def test_what_was_begun_at_the_machine_since_is_lost_and_shows(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS, copies=True)
    _play(process, 3)
    settings, players = process.settings, process.players
    back_up(process.engine, ADDRESS, tmp_path / "copy.db", 0, players.now, force=False)
    for _ in range(3):
        with process.moderator.open_games.transaction(GAME) as (conn, table):  # a power used on the machine
            process.moderator.writer(conn, players.now).notify(
                table, "guild", "A word", ["It was said at the machine."]
            )
    _play(process, 3)
    process.dies()
    settings.mentat.database.unlink()
    restore(tmp_path / "copy.db", settings, 0, players.now, replace=False, from_another=False)
    engine = open_database(settings.mentat.database)
    done = resume(settings, engine, open_kept_mail(settings), players.now)
    assert len(done.unknown) == 2
    assert len(done.otherwise) >= 3
    assert done.unknown[0].startswith(f"{GAME}.guild.")
    again = Process(settings, players)
    number = max(int(each.split(".")[2]) for each in done.unknown)
    assert again.table().seats["guild"].letters == number + 1
    _play(again, 5)
    assert players.twice() == []


def test_a_mail_that_is_too_large_is_put_aside_again_from_its_head(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS)
    players, settings = process.players, process.settings
    back_up(process.engine, ADDRESS, tmp_path / "copy.db", 0, players.now, force=False)
    players.now += timedelta(minutes=1)
    head = b"From: nobody@elsewhere.example\nTo: mentat@arrakis.example\nMessage-ID: <large@elsewhere.example>\n\n"
    (settings.mailbox.maildir / "new").mkdir(parents=True, exist_ok=True)
    large = settings.mailbox.maildir / "new" / f"{int(players.now.timestamp())}.M9.x"
    large.write_bytes(head + b"x" * settings.limits.max_message_bytes)
    assert loop.poll(process.moderator, process.mailbox, lambda: players.now).shunted == 1
    kept = select(MESSAGE.c.key, MESSAGE.c.disposition, MESSAGE.c.digest)
    with reading(process.engine) as conn:
        before = [tuple(row) for row in conn.execute(kept)]
    process.dies()
    settings.mentat.database.unlink()
    restore(tmp_path / "copy.db", settings, 0, players.now, replace=False, from_another=False)
    engine = open_database(settings.mentat.database)
    done = resume(settings, engine, open_kept_mail(settings), players.now)
    assert (done.messages, done.put_aside) == (1, 1)
    with reading(engine) as conn:
        assert [tuple(row) for row in conn.execute(kept)] == before
    engine.dispose()


def test_the_letters_of_a_game_that_was_begun_since_are_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS, copies=True)
    settings, players = process.settings, process.players
    process.turn_over()
    back_up(process.engine, ADDRESS, tmp_path / "copy.db", 0, players.now, force=False)
    seats = dict(zip(FACTIONS, players.players, strict=True))
    later = NewGame("later", "wbc-2018", seats, dict(zip(FACTIONS, DOTS, strict=True)), "s")
    new_game(process.moderator.open_games, later, players.now)
    loop.send(process.outbox, players, players.now)
    process.dies()
    settings.mentat.database.unlink()
    restore(tmp_path / "copy.db", settings, 0, players.now, replace=False, from_another=False)
    engine = open_database(settings.mentat.database)
    done = resume(settings, engine, open_kept_mail(settings), players.now)
    assert {each.partition(".")[0] for each in done.unknown} == {"later"}
    assert {each.split(".")[1] for each in done.unknown} == set(FACTIONS)
    with reading(engine) as conn:
        assert games.every(conn) == [GAME]
        assert installation.this_installation(conn).held_since is None
    engine.dispose()


def test_another_mentat_that_still_reads_the_mailbox_is_noticed(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS)
    _play(process, 2)
    settings, players = process.settings, process.players
    back_up(process.engine, ADDRESS, tmp_path / "copy.db", 0, players.now, force=False)
    second = tmp_path / "second"
    second.mkdir()
    shutil.copy(settings.mentat.database.with_name(".env"), second)
    same_mailbox = SETTINGS.replace('"Maildir"', f'"{settings.mailbox.maildir}"')
    (second / "config.toml").write_text(same_mailbox, encoding="utf-8")
    new = load_settings(second / "config.toml")
    restore(tmp_path / "copy.db", new, 0, players.now, replace=False, from_another=False)
    players.now += timedelta(minutes=10)
    _play(process, 3)  # the old process is still at work
    engine = open_database(new.mentat.database)
    with pytest.raises(CannotResume, match="another Mentat reads this mailbox"):
        resume(new, engine, open_kept_mail(new), players.now)
    with pytest.raises(Held), writing(engine):
        pass
    process.dies()
    resume(new, engine, open_kept_mail(new), players.now, stopped=players.now)
    assert Process(new, players).outcome() == process.outcome()


def first_after_a_backup(process: Process, copy: Path) -> Path:
    """Back up, run for three minutes, and return the file of the first mail received in them."""
    back_up(process.engine, ADDRESS, copy, 0, process.players.now, force=False)
    since = int(process.players.now.timestamp())
    for _ in range(3):
        process.turn_over()
    processed = process.settings.mailbox.maildir / ".Mentat.Processed" / "cur"
    return min(path for path in processed.iterdir() if int(path.name[:10]) >= since)


def test_a_mail_that_was_taken_and_could_not_be_moved_is_answered_once(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS)
    process.turn_over()
    settings, players = process.settings, process.players
    first = first_after_a_backup(process, tmp_path / "copy.db")
    loop.send(process.outbox, players, players.now)
    expected = process.outcome()
    first.rename(settings.mailbox.maildir / "new" / first.name.partition(":")[0])
    (settings.mailbox.maildir / "new" / f"{int(players.now.timestamp()) + 60}.M99.x").write_bytes(
        b"From: nobody@elsewhere.example\nTo: mentat@arrakis.example\nSubject: hello\n\nhello\n"
    )
    process.dies()
    settings.mentat.database.unlink()
    restore(tmp_path / "copy.db", settings, 0, players.now, replace=False, from_another=False)
    engine = open_database(settings.mentat.database)
    resume(settings, engine, open_kept_mail(settings), players.now)
    again = Process(settings, players)
    assert again.outcome() == expected
    assert loop.poll(again.moderator, again.mailbox, lambda: players.now).messages == 2
    loop.send(again.outbox, players, players.now)
    assert players.twice() == []
    assert again.outcome() == expected


@pytest.mark.parametrize("moved", [True, False], ids=["moved-away", "in-the-inbox"])
def test_a_sender_who_cannot_be_proved_just_now_is_waited_for_unless_the_mail_lies_in_the_inbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: bool
) -> None:
    process = begun(tmp_path / "lost", TURNS)
    process.turn_over()
    settings, players = process.settings, process.players
    first = first_after_a_backup(process, tmp_path / "copy.db")
    raw = first.read_bytes()
    if not moved:
        first.rename(settings.mailbox.maildir / "new" / first.name.partition(":")[0])
    process.dies()
    settings.mentat.database.unlink()
    restore(tmp_path / "copy.db", settings, 0, players.now, replace=False, from_another=False)

    def received(moderator: Moderator, found: bytes, *rest: Any, **options: Any) -> MailOutcome:
        if found == raw:
            return MailOutcome("waiting", "the DNS does not answer")
        return receive(moderator, found, *rest, **options)

    receive = Moderator.receive
    monkeypatch.setattr(Moderator, "receive", received)
    engine = open_database(settings.mentat.database)
    if moved:
        with pytest.raises(CannotResume, match=r"verified now \(the DNS does not answer\); try again later"):
            resume(settings, engine, open_kept_mail(settings), players.now)
        monkeypatch.undo()
    resume(settings, engine, open_kept_mail(settings), players.now)
    monkeypatch.undo()
    again = Process(settings, players)
    assert loop.poll(again.moderator, again.mailbox, lambda: players.now).messages == (not moved)
    assert again.outcome()[1] == process.outcome()[1]


def test_a_database_that_is_not_held_has_nothing_to_go_on_from(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS)
    with pytest.raises(CannotResume, match="not held"):
        resume(process.settings, process.engine, open_kept_mail(process.settings), process.players.now)


def test_mail_of_mentat_to_itself_is_neither_read_again_nor_waited_for(tmp_path: Path) -> None:
    process = begun(tmp_path / "lost", TURNS)
    process.turn_over()
    with writing(process.engine) as conn:
        installation.note_stop(conn, "canary-sent", process.players.now, process.players.now)
        installation.note_stop(conn, "canary", process.players.now, process.players.now)
    back_up(process.engine, ADDRESS, tmp_path / "copy.db", 0, process.players.now, force=False)
    process.players.unread.clear()
    process.players.now += timedelta(hours=30)
    folder = process.settings.mailbox.maildir / ".Mentat.Processed" / "cur"
    own = b"From: mentat@arrakis.example\nX-Mentat: service\nMessage-ID: <canary.1@arrakis.example>\n\nhello\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{int(process.players.now.timestamp())}.M9.x:2,S").write_bytes(own)
    process.dies()
    process.settings.mentat.database.unlink()
    restore(tmp_path / "copy.db", process.settings, 0, process.players.now, replace=False, from_another=False)
    engine = open_database(process.settings.mentat.database)
    done = resume(process.settings, engine, open_kept_mail(process.settings), process.players.now)
    assert (done.messages, done.put_aside) == (0, 0)
    with reading(engine) as conn:
        assert installation.heartbeat(conn, "canary") is None
        assert conn.execute(select(MESSAGE.c.id).where(MESSAGE.c.message_id.contains("canary"))).first() is None
        assert games.game_start(conn, GAME).entries > 0  # deadlines passed without any wait
