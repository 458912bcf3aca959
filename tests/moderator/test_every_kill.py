"""Mentat's process is killed at every possible point of a day with two games: before a commit, before a letter is
sent, before a message leaves the inbox. After each restart, games, messages and letters must be the same as on a
day without a kill."""

from __future__ import annotations

import itertools
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, select, text

from bot.desk import sight
from bot.desk.powers import DeskRequest
from bot.mail.mailbox import FetchedMail, MailboxUnavailable
from bot.service import loop
from bot.store import games
from bot.store.acts import ACT
from bot.store.archive import record_lines
from bot.store.database import open_database, reading
from bot.store.mail import LETTER
from bot.store.press import OBSERVER
from bot.store.record import log_data
from rules.components import Faction
from tests.moderator.returned import bounce_of
from tests.moderator.table import ADDRESS, FOLDS, GAME, World

FACTIONS: tuple[Faction, ...] = ("atreides", "guild")
SECOND = "sietch-13"
DESK = FOLDS.replace('desk_mail = "off"', 'desk_mail = "06:00"')
SETTINGS = f"{DESK}[retention]\ndays = 1\n[clock]\nsilence_players = 1\ncaretaker_after = 0\n"
TEMPO = "swift"
PASSES, PLACES = (14, 1) if os.environ.get("MENTAT_SLOW") else (3, 40)
"""Number of further days, and distance between the kill points tried. ``MENTAT_SLOW``: a whole turn, every point."""


class Killed(BaseException):
    """Simulates the death of the process."""


class Fuse:
    """Kills the process at point number `place`; 0 only counts the points."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.passed = 0

    def burn(self) -> None:
        self.passed += 1
        if self.passed == self.place:
            raise Killed


class Box:
    """An inbox that survives the kill."""

    def __init__(self, fuse: Fuse) -> None:
        self.waiting: dict[str, bytes] = {}
        self.away = False
        self._fuse = fuse

    def fetch_new(self) -> Iterator[FetchedMail]:
        if self.away:
            raise MailboxUnavailable("the server is away")
        for key, raw in list(self.waiting.items()):
            yield FetchedMail(key, raw, len(raw))

    def done(self, key: str) -> None:
        self._fuse.burn()
        self.waiting.pop(key, None)

    def shunt(self, key: str, reason: str) -> None:
        self.done(key)

    def wait(self, seconds: float) -> bool:
        return False

    def close(self) -> None: ...


class Server:
    """A mail server that accepts every letter."""

    def __init__(self, fuse: Fuse) -> None:
        self.got: list[bytes] = []
        self._fuse = fuse

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        self._fuse.burn()
        self.got.append(letter)
        self._fuse.burn()

    def close(self) -> None: ...


class Day:
    """A day's work in steps; a step is repeated if the process dies during it."""

    def __init__(self, folder: Path, place: int) -> None:
        folder.mkdir()
        self.fuse = Fuse(0)
        self.world = World.at(folder, SETTINGS)
        self.box, self.server = Box(self.fuse), Server(self.fuse)
        for game in (GAME, SECOND):
            self.world.new_game(factions=FACTIONS, game=game, tempo=TEMPO)
            sight.add_observer(
                DeskRequest(self.world.moderator.open_games, game, self.world.now), "irulan@corrino.example"
            )
        self._watch()
        self.fuse.place, self.fuse.passed = place, 0

    def live(self) -> None:
        """Run the day: players, a stranger and a robot write; reminders go out; silence decides; the mailbox is
        unreachable for a while; all players fall silent and return."""
        for number, (game, faction) in enumerate(itertools.product((GAME, SECOND), FACTIONS)):
            traitor = self.world.line(faction, "traitor", game=game)
            words = () if faction == "guild" else ("press to all: hello",)  # one greeting may wait for the next letter
            own = self.world.mail(faction, traitor, *words, game=game)
            self.box.waiting |= {f"1;{number}": own, f"2;{number}": b"X-Way: other\r\n" + own}
        self.box.waiting["3"] = self.world.mail("guild", "buy", sender="spam@elsewhere.example", to=ADDRESS)
        self.box.waiting["4"] = self.world.mail("atreides", "resign", sender="vladimir@evil.example")
        self._pass(timedelta(0))
        self._pass(timedelta(hours=19))
        self._pass(timedelta(hours=13))  # nobody writes any more, so the clocks stop
        self._all_write()
        self._pass(timedelta(hours=1))
        self.box.away = True
        self._step(self._poll_in_vain)
        self.box.away = False
        self._pass(timedelta(hours=3))  # players get the lost time back
        self.box.waiting["5"] = bounce_of(self.world.letters("atreides")[0])
        self._pass(timedelta(hours=19))
        for _ in range(PASSES):
            self.box.waiting[f"6;{_}"] = self.world.mail("guild", "status")
            self._pass(timedelta(hours=25))

    def _all_write(self) -> None:
        for faction in FACTIONS:
            self.box.waiting[f"7;{faction}"] = self.world.mail(faction, "status")
        self._pass(timedelta(0))

    def outcome(self) -> Any:
        """Return everything that must be the same after a kill."""
        with reading(self.world.engine) as conn:
            logs = [log_data(conn, game) for game in (GAME, SECOND)]
            told = [games.event_data(conn, game) for game in (GAME, SECOND)]
            records = [record_lines(conn, game) for game in (GAME, SECOND)]  # no line is missing or duplicated
            letters = Counter((row.message_id, row.recipient) for row in conn.execute(select(LETTER)))
            acts = sorted((row.game_id, row.what, row.why) for row in conn.execute(select(ACT)))
            observed = sorted((row.game_id, row.turn, row.letters) for row in conn.execute(select(OBSERVER)))
            unsent = [row.subject for row in conn.execute(select(LETTER)) if row.next_try_at]
        deadlines = [sorted(map(str, self.world.table(game).deadlines.items())) for game in (GAME, SECOND)]
        stopped = [self.world.table(game).stopped_at for game in (GAME, SECOND)]
        kinds = self.world.messages()
        return logs, told, letters, acts, observed, unsent, deadlines, stopped, kinds, self._sent(), records

    def _sent(self) -> set[bytes]:
        """Return the letters sent, without the mail numbers in commands, line breaks and part boundaries. The numbers
        differ because a database server skips the number of a mail whose transaction was rolled back."""
        unbroken = (re.sub(rb"=\r\n|=_mentat_[0-9a-f]+", b"", letter) for letter in self.server.got)
        return {re.sub(rb"(mail|believe|replay)( |%20)\d+", rb"\1\2N", letter) for letter in unbroken}

    def _pass(self, later: timedelta) -> None:
        self.world.now += later
        self._step(self._poll)
        self._step(lambda: self.world.moderator.timekeeper.tick(self.world.now))
        self._step(self._send)

    def _poll(self) -> None:
        loop.poll(self.world.moderator, self.box, lambda: self.world.now)

    def _poll_in_vain(self) -> None:
        try:
            self._poll()
        except MailboxUnavailable:
            assert self.box.away

    def _send(self) -> None:
        loop.send(self.world.outbox, self.server, self.world.now)

    def _step(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Killed:
            self.world.engine.dispose()
            _wait_until_noticed(self.world.settings.mentat.database)
            self.world = self.world.another_process()
            self._watch()
            work()

    def _committed(self, connection: Connection) -> None:
        if connection.get_execution_options().get("write"):
            self.fuse.burn()

    def _watch(self) -> None:
        event.listen(self.world.engine, "commit", self._committed)


def _wait_until_noticed(database: Path) -> None:
    """Wait until the database server has noticed that the dead process's connections are closed."""
    engine = open_database(database)
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    began = time.monotonic()
    while engine.dialect.name == "postgresql":
        with reading(engine) as conn:
            if not conn.scalar(text(others)):
                break
        assert time.monotonic() < began + 60, "a connection is left open"
        time.sleep(0.01)
    engine.dispose()


@pytest.mark.slow
def test_wherever_the_process_dies_the_day_ends_alike(tmp_path: Path) -> None:
    unbroken = Day(tmp_path / "unbroken", place=0)
    unbroken.live()
    expected, places = unbroken.outcome(), unbroken.fuse.passed
    assert places > 100
    assert not expected[5]
    assert any(b"Your desk on" in letter for letter in unbroken.server.got)
    for place in range(1, places + 1, PLACES):
        day = Day(tmp_path / str(place), place)
        day.live()
        for part, (got, wanted) in enumerate(zip(day.outcome(), expected, strict=True)):
            assert got == wanted, f"killed at place {place} of {places}: part {part}"
        assert len(day.server.got) <= len(unbroken.server.got) + 1
        day.world.engine.dispose()
    unbroken.world.engine.dispose()
