"""A game of scripted players by mail, with its own clock. The mailbox is a Maildir, and sent letters are recorded."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import Any

from bot.config import Settings
from bot.desk.new_game import NewGame, new_game
from bot.lab.players_by_mail import PROGRAMS, Dice, ScriptedPlayer
from bot.mail.mailbox import Mailbox
from bot.moderator.moderator import Moderator
from bot.service import loop
from bot.service.mail_servers import open_mailbox
from bot.service.outbox import Outbox
from bot.store import games
from bot.store.database import Engine, open_database, reading
from bot.store.record import log_data
from bot.table.table import Table
from rules.components import Faction
from tests.moderator.table import CONFIG, DOTS, GAME, START, make_settings

NAMES = ("Alma", "Bruno", "Chiara", "Dmitri", "Eunji", "Femi")
FACTIONS: tuple[Faction, ...] = ("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen")
SETTINGS = CONFIG + "answers_per_hour = 1000000\n"
A_MINUTE = timedelta(minutes=1)


@dataclass
class Players:
    """The players, their mail programs and their mailboxes: the outside world, which no restored backup changes."""

    players: dict[str, ScriptedPlayer]
    unread: dict[str, list[bytes]] = field(default_factory=dict)
    got: list[tuple[str, str]] = field(default_factory=list)
    copies: Path | None = None
    now: datetime = START
    written: int = 0

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        """Receive a letter from Mentat. If there is a folder for copies, store a copy there."""
        identity = str(BytesHeaderParser().parsebytes(letter)["Message-ID"]).strip("<>")
        self.got.append((to, identity))
        self.unread.setdefault(to, []).append(letter)
        if self.copies:
            self.copies.mkdir(exist_ok=True)
            copy = self.copies / f"{len(self.got):06d}.eml"
            copy.write_bytes(letter)
            os.utime(copy, (self.now.timestamp(), self.now.timestamp()))

    def close(self) -> None: ...

    def answer(self, inbox: Path) -> int:
        """Let all players read and answer. Return the number of mails that they put into Mentat's inbox."""
        answers = 0
        for address, player in self.players.items():
            for mail in player.read(self.unread.pop(address, []), self.now):
                self.written += 1
                name = f"{int(self.now.timestamp())}.M{self.written:06d}.players"
                (inbox / "new").mkdir(parents=True, exist_ok=True)
                (inbox / "new" / name).write_bytes(mail.raw)
                answers += 1
        return answers

    def twice(self) -> list[tuple[str, str]]:
        """Return the letters that came more than once."""
        return [letter for letter, times in Counter(self.got).items() if times > 1]


class Process:
    """Mentat as one process, which loses its memory when it dies."""

    def __init__(self, settings: Settings, players: Players) -> None:
        self.settings, self.players = settings, players
        self.engine: Engine = open_database(settings.database_place)
        self.moderator = Moderator(settings, self.engine)
        self.outbox = Outbox(self.moderator.open_games)
        self.mailbox: Mailbox = open_mailbox(settings)

    def turn_over(self, *, sending: bool = True) -> bool:
        """Let a minute pass: send letters, let players answer, read mail, process deadlines. Return True if there was
        mail."""
        players = self.players
        sent = loop.send(self.outbox, players, players.now).sent if sending else 0
        answers = players.answer(self.settings.mailbox.maildir)
        players.now += A_MINUTE
        polled = loop.poll(self.moderator, self.mailbox, lambda: players.now)
        self.moderator.timekeeper.tick(players.now)
        return bool(sent or answers or polled.messages)

    def play_until(self, reached: Callable[[int, bool], bool]) -> None:
        """Play until the game has reached a turn or is over."""
        for _ in range(5000):
            with reading(self.engine) as conn:
                if reached(*games.progress(conn, GAME)):
                    return
            if not self.turn_over():
                self.players.now += timedelta(hours=6)  # nobody has anything to write
        raise AssertionError("the game does not go on")

    def table(self) -> Table:
        """Return the stored game."""
        with reading(self.engine) as conn:
            return games.open_table(conn, GAME)

    def entries(self) -> int:
        """Return the length of the game's log."""
        with reading(self.engine) as conn:
            return games.game_start(conn, GAME).entries

    def outcome(self) -> Any:
        """Return everything that must be the same after a restoration."""
        with reading(self.engine) as conn:
            return log_data(conn, GAME), games.event_data(conn, GAME)

    def dies(self) -> None:
        self.engine.dispose()


def begun(folder: Path, turns: int, *, copies: bool = False, url: str = "") -> Process:
    """Begin a game. ``url`` names a database on a server."""
    folder.mkdir()
    settings = make_settings(folder, f'{SETTINGS}[database]\nurl = "{url}"\n' if url else SETTINGS)
    addresses = [f"{name.lower()}@players.example" for name in NAMES]
    of = zip(NAMES, addresses, PROGRAMS, strict=True)
    players = Players(
        {address: ScriptedPlayer(name, address, program, Dice("s", name)) for name, address, program in of}
    )
    players.copies = settings.smtp.directory if copies else None
    process = Process(settings, players)
    new_game(
        process.moderator.open_games,
        NewGame(
            GAME,
            "wbc-2018",
            dict(zip(FACTIONS, addresses, strict=True)),
            dict(zip(FACTIONS, DOTS, strict=True)),
            "s",
            options={"max_turns": turns},
        ),
        players.now,
    )
    return process
