"""A world to play in: the settings of a Mentat in a folder, its database, its games, and players who write to it.

The demos and the benchmarks have real mail servers on this machine (``at_servers``); simulations and events have
folders (``IN_FOLDERS``). Their settings differ in a few other values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bot.config import Settings, load_settings, starter_files
from bot.desk.new_game import NewGame, new_game
from bot.lab.players_by_mail import PROGRAMS, Dice, MailClient, ScriptedPlayer
from bot.moderator.moderator import Moderator
from bot.service import loop
from bot.service.machine import utc_now
from bot.service.mail_servers import make_folders, open_mailbox, open_transport
from bot.service.outbox import Outbox
from bot.store import deadlines, lab, mail
from bot.store.database import Engine, open_database, reading, writing
from rules.components import FACTIONS, Faction
from rules.components.board import DOTS

if TYPE_CHECKING:  # its servers come with the demo, and a game without them needs none
    from bot.lab.local_mail import LocalMail

BOT = "mentat@arrakis.example"
GAME_MASTER = "gm@arrakis.example"
PASSWORD = "demo"
ADDRESSES: Mapping[Faction, str] = {faction: f"{faction}@players.example" for faction in FACTIONS}
USERS = dict.fromkeys([BOT, GAME_MASTER, *ADDRESSES.values()], PASSWORD)

Sections = Mapping[str, Mapping[str, str | int | bool]]
IN_FOLDERS: Sections = {
    "mailbox": {"kind": "maildir", "maildir": "in"},
    "smtp": {"kind": "directory", "directory": "out"},
    "limits": {"strangers_letters_per_hour": 1_000_000},
}
_EVERYWHERE: Sections = {
    "mentat": {"address": BOT, "game_master": GAME_MASTER},
    "limits": {"answers_per_hour": 1_000_000},
}


def at_servers(servers: LocalMail) -> Sections:
    return {
        "mailbox": {"host": servers.host, "port": servers.imap_port, "security": "none", "user": BOT},
        "smtp": {"host": servers.host, "port": servers.smtp_port, "security": "none"},
        "archive": {"folder": "archive"},
    }


def make_settings(folder: Path, *differences: Sections, note: str = "", secret: str = "") -> Settings:
    """Write settings as a game master would, so that every command works on this folder, and return them."""
    folder.mkdir(parents=True, exist_ok=True)
    merged: dict[str, dict[str, str | int | bool]] = {}
    for sections in (_EVERYWHERE, *differences):
        for name, values in sections.items():
            merged.setdefault(name, {}).update(values)
    written = [
        "\n".join([f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items()), ""])
        for name, values in merged.items()
    ]
    (folder / "config.toml").write_text("\n".join([*([note] if note else []), *written]), encoding="utf-8")
    env = [line for line in starter_files()[".env"].splitlines() if not (secret and line.startswith("MENTAT_SECRET="))]
    own = [f"MENTAT_SECRET={secret}"] if secret else []
    (folder / ".env").write_text("\n".join([*env, *own, f"MENTAT_IMAP_PASSWORD={PASSWORD}", ""]), encoding="utf-8")
    settings = load_settings(folder / "config.toml")
    make_folders(settings)
    return settings


class World:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.engine = open_database(settings.database_place)
        self.moderator = Moderator(settings, self.engine)
        self.open_games = self.moderator.open_games

    def close(self) -> None:
        self.engine.dispose()

    def new_game(self, game_id: str, ruleset: str) -> None:
        dots = dict(zip(FACTIONS, DOTS, strict=True))
        new_game(self.open_games, NewGame(game_id, ruleset, ADDRESSES, dots, f"bench {game_id}"), utc_now())

    def take(self, raw: bytes) -> None:
        verdict = self.moderator.deliver(raw, utc_now())
        if not verdict.taken:
            raise RuntimeError(f"a mail was not taken: {verdict}")

    def tick(self) -> None:
        self.moderator.timekeeper.tick(utc_now())

    def fill(self, ruleset: str, games: int, rounds: int = 0) -> None:
        """Play a game for some rounds and copy it to make this many games, `bench-0` and so on."""
        self.new_game("bench-0", ruleset)
        for answers in islice(written_answers(self), rounds):
            for raw in answers:
                self.moderator.deliver(raw, utc_now())
        with writing(self.engine) as conn:
            for first in range(1, games, _COPIED_AT_ONCE):
                several = range(first, min(first + _COPIED_AT_ONCE, games))
                lab.copy_game(conn, "bench-0", [f"bench-{number}" for number in several], self.settings.key)
        self.open_games.forget()


_COPIED_AT_ONCE = 500


def open_world(folder: Path, servers: LocalMail | None = None, url: str = "") -> World:
    return World(make_settings(folder, at_servers(servers) if servers else IN_FOLDERS, {"database": {"url": url}}))


def reopen_world(folder: Path) -> World:
    return World(load_settings(folder / "config.toml"))


def written_answers(world: World) -> Iterator[Sequence[bytes]]:
    """Yield the answers of six players, round by round, until they have nothing to say; deliver each round before the
    next. Letters that wait in the outbox are marked as sent."""
    players = [
        ScriptedPlayer(faction.title(), address, program, Dice("bench", faction))
        for (faction, address), program in zip(ADDRESSES.items(), PROGRAMS, strict=True)
    ]
    while True:
        now = utc_now()
        letters = empty_outbox(world.engine, now)
        written = [answer.raw for player in players for answer in player.read(letters.get(player.address, []), now)]
        if not written:
            return
        yield written


def empty_outbox(engine: Engine, now: datetime) -> dict[str, list[bytes]]:
    letters: dict[str, list[bytes]] = {}
    while True:
        with reading(engine) as conn:
            due = mail.to_send(conn, now)
        if not due:
            return letters
        with writing(engine) as conn:
            mail.note_sent(conn, [waiting.id for waiting in due], now)
        for waiting in due:
            letters.setdefault(waiting.letter.recipient, []).append(waiting.letter.content)


_NOTE = "# The settings of the demo. Its servers are gone, but `mentat game show` and the like work with them."


FIRST_DAY = datetime(2026, 9, 7, 8, tzinfo=UTC)
READING_MINUTES = 40  # a player looks at their mail at most this many minutes after the previous player


class DemoWorld(World):
    """A Mentat and its players at real mail servers, until the stack is closed. It has a clock of its own, which goes
    on while they read and, when nobody has anything to say, to what is due next."""

    def __init__(self, stack: ExitStack, folder: Path, players: Sequence[ScriptedPlayer]) -> None:
        boxes = [BOT, GAME_MASTER, *(player.address for player in players)]
        from bot.lab.local_mail import LocalMail

        self.servers = stack.enter_context(LocalMail(dict.fromkeys(boxes, PASSWORD)))
        # Nobody reads the desk's mail, and players who are silent have nothing to say: the mail is not broken
        alone: Sections = {"mentat": {"desk_mail": "off"}, "clock": {"silence_stops": False}}
        super().__init__(make_settings(folder, at_servers(self.servers), alone, note=_NOTE))
        self.mailbox, self.transport = open_mailbox(self.settings), open_transport(self.settings)
        stack.callback(self.mailbox.close)
        stack.callback(self.transport.close)
        self.clients = [stack.enter_context(MailClient(player, self.servers, PASSWORD)) for player in players]
        self.outbox = Outbox(self.open_games)
        self.letters = self.answers = 0
        self.now = FIRST_DAY
        self._minutes = Dice("minutes")

    @property
    def players(self) -> list[ScriptedPlayer]:
        return [client.player for client in self.clients]

    def exchange(self) -> int:
        """Send letters, let each player read and answer, and read their answers; return how many mails moved."""
        sent = loop.send(self.outbox, self.transport, self.now).sent
        written = 0
        for client in self.clients:
            self.now += timedelta(minutes=self._minutes.below(READING_MINUTES))
            written += client.read_and_answer(self.now)
        self.letters, self.answers = self.letters + sent, self.answers + written
        loop.poll(self.moderator, self.mailbox, lambda: self.now)
        self.moderator.timekeeper.tick(self.now)
        return sent + written

    def wait(self) -> None:
        with reading(self.engine) as conn:
            self.now = max(self.now, deadlines.next_due(conn) or self.now)
        self.moderator.timekeeper.tick(self.now)
