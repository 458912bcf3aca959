"""Playing the demo: real servers on loopback, the moderator as `mentat run` uses it, and players who answer by mail."""

from __future__ import annotations

import contextlib
import smtplib
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from imapclient import IMAPClient

from bot.config import Settings, load_settings, starter_files
from bot.demo.players import Dice, Mail, ScriptedPlayer
from bot.demo.programs import PROGRAMS
from bot.game_master.new_game import NewGame, draw_seats, new_game
from bot.games import proof
from bot.mail.servers.imap import ImapMailbox, ImapServer
from bot.mail.servers.localserver import LocalMail
from bot.mail.servers.transport import SmtpServer, SmtpTransport
from bot.moderator.moderator import Moderator
from bot.service import loop
from bot.service.outbox import Outbox
from bot.service.system_clock import utc_now
from bot.store import games
from bot.store.database import open_database, reading
from bot.table.table import Table

GAME = "demo"
BOT = "mentat@arrakis.example"
GAME_MASTER = "gm@arrakis.example"
PASSWORD = "demo"
NAMES = ("Alma", "Bruno", "Chiara", "Dmitri", "Eunji", "Femi")
MOST_ROUNDS = 20_000
A_LONG_TIME = timedelta(days=400)  # after which every deadline has passed


class DemoFailed(Exception):
    """The demo did not come to its end; the message says where it stood."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the demo is: what a turn left behind, and the mails so far."""

    turn: int
    over: bool
    storm: int
    strongholds: dict[str, str]
    letters: int
    answers: int
    seconds: float


@dataclass(slots=True)
class Played:
    """A demo that came to its end. ``letters`` were sent by Mentat, ``answers`` by the players."""

    table: Table
    found: proof.Proof
    record: proof.Record
    players: list[ScriptedPlayer]
    letters: int = 0
    answers: int = 0
    seconds: float = 0.0
    turns: list[Progress] = field(default_factory=list)


def play(
    folder: Path,
    seed: str,
    ruleset: str,
    turns: int | None,
    progress: Callable[[Progress], None],
    options: Mapping[str, int | str] | None = None,
) -> Played:
    """Play a whole game by mail in this folder, which must exist. ``options`` are those in which it differs from its
    rule set.

    RuleSetError for a rule set or an option that is not played, DemoFailed if the game does not end.
    """
    began = time.monotonic()
    addresses = [f"{name.lower()}@players.example" for name in NAMES]
    with contextlib.ExitStack() as stack:
        servers = stack.enter_context(LocalMail(dict.fromkeys([BOT, GAME_MASTER, *addresses], PASSWORD)))
        settings = demo_settings(folder, servers)
        engine = open_database(settings.database_place)
        moderator = Moderator(settings, engine)
        outbox = Outbox(moderator.open_games)
        chosen = {**(options or {}), **({"max_turns": turns} if turns else {})}
        seats, dots = draw_seats(addresses, seed, ruleset, chosen)
        new_game(moderator.open_games, NewGame(GAME, ruleset, seats, dots, seed, options=chosen), utc_now())
        mailbox = stack.enter_context(demo_mailbox(settings, servers))
        transport = stack.enter_context(SmtpTransport(SmtpServer(servers.host, servers.smtp_port, "none")))
        clients = [
            stack.enter_context(Client(ScriptedPlayer(name, address, program, Dice(seed, name)), servers))
            for name, address, program in zip(NAMES, addresses, PROGRAMS, strict=True)
        ]
        letters = answers = turn = silences = 0
        done: list[Progress] = []
        for _ in range(MOST_ROUNDS):
            sent = loop.send(outbox, transport, utc_now()).sent
            written = sum(client.read_and_answer(utc_now()) for client in clients)
            loop.poll(moderator, mailbox)
            letters, answers = letters + sent, answers + written
            with reading(engine) as conn:
                reached, over = games.progress(conn, GAME)
            if reached != turn or over:
                turn = reached
                told = _progress(engine, over, letters, answers, time.monotonic() - began)
                done.append(told)
                progress(told)
            if over:
                break
            if not sent and not written:
                silences += 1  # nobody has anything to say: silence answers, each time later than what was asked before
                moderator.timekeeper.tick(utc_now() + silences * A_LONG_TIME)
        letters += loop.send(outbox, transport, utc_now()).sent
        for client in clients:
            client.read_and_answer(utc_now())
        with reading(engine) as conn:
            table, record = games.open_table(conn, GAME), proof.record(conn, GAME)
        if not table.play.over:
            raise DemoFailed(f"The demo did not end: after {MOST_ROUNDS} rounds it stands at turn {turn}.")
        players = [client.player for client in clients]
        return Played(table, proof.verify(record), record, players, letters, answers, time.monotonic() - began, done)


class Client:
    """A player at their mail program: one IMAP and one SMTP connection."""

    def __init__(self, player: ScriptedPlayer, servers: LocalMail) -> None:
        self.player = player
        self._imap: Any = IMAPClient(servers.host, servers.imap_port, ssl=False)
        self._imap.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._imap.login(player.address, PASSWORD)
        self._imap.select_folder("INBOX")
        self._smtp = smtplib.SMTP(servers.host, servers.smtp_port)
        self._smtp.ehlo()
        self._next_uid = 1

    def read_and_answer(self, now: datetime) -> int:
        """Fetch what is new and answer it; how many answers went out."""
        self._imap.noop()
        fresh = [uid for uid in self._imap.search(["UID", f"{self._next_uid}:*"]) if uid >= self._next_uid]
        if not fresh:
            return 0
        bodies = self._imap.fetch(fresh, ["BODY.PEEK[]"])
        self._next_uid = max(fresh) + 1
        answers = self.player.read([bodies[uid][b"BODY[]"] for uid in sorted(fresh)], now)
        for answer in answers:
            self.send(answer)
        return len(answers)

    def send(self, mail: Mail) -> None:
        """Send a mail."""
        self._smtp.sendmail(self.player.address, [mail.to], mail.raw)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # the servers go away together with the players
            self._smtp.quit()
            self._imap.logout()


def demo_settings(folder: Path, servers: LocalMail) -> Settings:
    """The settings as a game master would write them, so that every command works on the folder of the demo."""
    env = starter_files()[".env"]
    (folder / ".env").write_text(f"{env}\nMENTAT_IMAP_PASSWORD={PASSWORD}\n", encoding="utf-8")
    (folder / "config.toml").write_text(
        "# The settings of the demo. Its servers are gone, but `mentat game show` and the like work with them.\n"
        f'[mentat]\naddress = "{BOT}"\ngame_master = "{GAME_MASTER}"\n\n'
        f'[mailbox]\nhost = "{servers.host}"\nport = {servers.imap_port}\nsecurity = "none"\nuser = "{BOT}"\n\n'
        f'[smtp]\nhost = "{servers.host}"\nport = {servers.smtp_port}\nsecurity = "none"\n\n'
        '[limits]\nanswers_per_hour = 1000000\n\n[archive]\nfolder = "archive"\n',
        encoding="utf-8",
    )
    return load_settings(folder / "config.toml")


def demo_mailbox(settings: Settings, servers: LocalMail) -> ImapMailbox:
    box = settings.mailbox
    return ImapMailbox(
        ImapServer(
            host=servers.host,
            port=servers.imap_port,
            user=BOT,
            password=PASSWORD,
            security="none",
            processed=box.processed,
            shunted=box.shunted,
            idle=False,
        )
    )


def _progress(engine: Any, over: bool, letters: int, answers: int, seconds: float) -> Progress:
    with reading(engine) as conn:
        game = games.open_table(conn, GAME).play.game
    state = game.state
    held = {str(place): ", ".join(sorted(state.forces_in(place))) for place in game.strongholds()}
    return Progress(state.turn, over, state.storm, held, letters, answers, seconds)
