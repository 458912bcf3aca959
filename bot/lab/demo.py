"""The demo: a whole game by mail on this machine, and the folder that it leaves.

It uses real servers on loopback, the moderator as `mentat run` uses it, and scripted players who know nothing but the
mails they get. The folder holds every letter, the boards, the summaries, the archive with the record, and pages that
lead to all of it in the style of the archive.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import smtplib
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from imapclient import IMAPClient

from bot.archive import shelf, site
from bot.archive.html import Link, List, Page, PageBlock, Part, document
from bot.archive.html import Table as ListingTable
from bot.config import Settings, load_settings, starter_files
from bot.desk.new_game import NewGame, draw_seats, new_game
from bot.games import proof
from bot.games.letter_writer import LetterWriter
from bot.lab.local_mail import LocalMail
from bot.lab.players import PROGRAMS, Dice, Letter, Mail, ScriptedPlayer
from bot.mail.imap import ImapMailbox, ImapServer
from bot.mail.transport import SmtpServer, SmtpTransport
from bot.moderator.moderator import Moderator
from bot.render import letters as letter_reports
from bot.render.blocks import Paragraph
from bot.render.board import Look
from bot.render.picture import picture
from bot.service import loop
from bot.service.machine import utc_now
from bot.service.outbox import Outbox
from bot.store import games, mail
from bot.store.database import Engine, open_database, reading, writing
from bot.store.record import decode_entry
from bot.table.table import Table
from bot.wording import say
from rules import views
from rules.components import faction_name
from rules.engine.log import Snapshot
from rules.engine.play import Play
from rules.orders import PhaseName
from rules.rulesets.ruleset import RuleSet
from rules.state.state import State

GAME = "demo"
BOT = "mentat@arrakis.example"
GAME_MASTER = "gm@arrakis.example"
PASSWORD = "demo"
NAMES = ("Alma", "Bruno", "Chiara", "Dmitri", "Eunji", "Femi")
MOST_ROUNDS = 20_000
A_LONG_TIME = timedelta(days=400)  # after which every deadline has passed


class DemoFailed(Exception):
    pass


@dataclass(frozen=True, slots=True)
class Progress:
    turn: int
    over: bool
    storm: int
    strongholds: dict[str, str]
    letters: int
    answers: int
    seconds: float


@dataclass(slots=True)
class PlayedGame:
    """A finished demo. ``letters`` were sent by Mentat, ``answers`` by the players."""

    table: Table
    found: proof.Proof
    record: proof.Record
    players: list[ScriptedPlayer]
    letters: int = 0
    answers: int = 0
    seconds: float = 0.0
    turns: list[Progress] = field(default_factory=list)


def play_demo(
    folder: Path,
    seed: str,
    ruleset: str,
    turns: int | None,
    progress: Callable[[Progress], None],
    options: Mapping[str, int | str] | None = None,
) -> PlayedGame:
    """Play a whole game by mail in this existing folder; ``options`` are its differences from the rule set.

    Raise RuleSetError for a rule set or an option that cannot be played, DemoFailed if the game does not end.
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
            table, record = games.open_table(conn, GAME), proof.full_record(conn, GAME)
        if not table.play.over:
            raise DemoFailed(f"The demo did not end: after {MOST_ROUNDS} rounds it stands at turn {turn}.")
        players = [client.player for client in clients]
        return PlayedGame(
            table, proof.verify(record), record, players, letters, answers, time.monotonic() - began, done
        )


class Client:
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
        self._smtp.sendmail(self.player.address, [mail.to], mail.raw)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # the servers go away together with the players
            self._smtp.quit()
            self._imap.logout()


def demo_settings(folder: Path, servers: LocalMail) -> Settings:
    """Return the settings as a game master would write them, so that every command works on the demo's folder."""
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


FOLDER_MARK = ".mentat-demo"  # says that a folder was made by the demo and may be made anew


class NotOurs(Exception):
    pass


def fresh_folder(folder: Path) -> None:
    """Make an empty folder, replacing one of an earlier demo; raise NotOurs if it holds anything else."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / FOLDER_MARK).exists():
            raise NotOurs(f"{folder} is not empty and was not made by the demo; name another folder with --out.")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FOLDER_MARK).touch()


def write_demo_folder(folder: Path, played: PlayedGame) -> None:
    settings = load_settings(folder / "config.toml")
    engine = open_database(settings.database_place)
    ends = _ends_of_turns(played)
    seats = {seat.address: faction for faction, seat in played.table.seats.items()}
    boxes: dict[Path, dict[str, str]] = {}
    for player in played.players:
        faction = seats[player.address]
        box = folder / "letters" / f"{faction}-{player.name.lower()}"
        box.mkdir(parents=True)
        boxes[box] = {
            write_letter(box, number, letter): str(letter.message["Subject"])
            for number, letter in enumerate(player.letters, 1)
        }
    boards = _write_boards(folder / "boards", ends)
    summaries = _write_summaries(folder / "summaries", engine, LetterWriter(settings), ends)
    site.build(folder / ARCHIVE, *shelf.offered(engine))
    proof.write_record(played.record, folder / ARCHIVE / f"{GAME}.json")
    write_pages(folder, played, boxes, boards, summaries)


def write_letter(box: Path, number: int, letter: Letter) -> str:
    subject = re.sub(r"[^\w]+", "-", str(letter.message["Subject"])).strip("-").lower()[:60]
    stem = f"{number:04d}-{subject}"
    (box / f"{stem}.eml").write_bytes(letter.raw)
    for kind, ending in (("plain", "txt"), ("html", "html")):
        body = letter.message.get_body((kind,))
        if body is not None:
            (box / f"{stem}.{ending}").write_text(body.get_content(), encoding="utf-8")
    return stem


class _Watched(Play):
    __slots__ = ("ends",)

    def __init__(self, rules: RuleSet, seed: str, state: State, entries_before: int = 0) -> None:
        self.ends: dict[int, Snapshot] = {}
        super().__init__(rules, seed, state, entries_before)

    def begin_phase(self, phase: PhaseName) -> None:
        super().begin_phase(phase)
        if phase == "mentat":
            self.ends[self.snapshot.turn] = self.snapshot


def _ends_of_turns(played: PlayedGame) -> dict[int, Table]:
    rules, record = played.table.play.game.rules, played.record
    again = _Watched.start(rules, record.seed, dict(record.dots))
    again.replay(decode_entry(entry) for entry in record.log)
    ends = {}
    for turn, snapshot in again.ends.items():
        play = Play(rules, record.seed, msgspec.msgpack.decode(snapshot.state, type=State))
        ends[turn] = replace(played.table, play=play, deadlines={})
    return {**ends, played.table.play.state.turn: played.table}


def _write_boards(boards: Path, ends: Mapping[int, Table]) -> list[Path]:
    boards.mkdir()
    written = []
    for turn, table in ends.items():
        path = boards / f"turn-{turn:02d}.png"
        path.write_bytes(picture(views.view(table.play, "public"), look=Look(all_names=True)))
        written.append(path)
    return written


def _write_summaries(summaries: Path, engine: Engine, writer: LetterWriter, ends: Mapping[int, Table]) -> list[Path]:
    summaries.mkdir()
    written = []
    with reading(engine) as conn:
        for turn, table in ends.items():
            path = summaries / f"turn-{turn:02d}.md"
            position = writer.position_after(conn, table, turn, utc_now())
            path.write_text(letter_reports.summary_markdown(position), encoding="utf-8")
            written.append(path)
    return written


ARCHIVE = "archive"
GAME_PAGES = f"{ARCHIVE}/game/{GAME}"


def write_pages(
    folder: Path,
    played: PlayedGame,
    boxes: Mapping[Path, Mapping[str, str]],
    boards: Sequence[Path],
    summaries: Sequence[Path],
) -> None:
    """Write `index.html` and one page a mailbox.

    ``boxes`` maps the letters of each mailbox, by file name without ending, to their subjects.
    """
    for box, letters in boxes.items():
        up = "../../"
        title = f"The mailbox of {box.name}"
        page = Page(f"{title} · {GAME}", title, f"{up}{ARCHIVE}/", way=[Link("The game", f"{up}index.html")])
        (box / "index.html").write_bytes(document(page, [mailbox_table(letters)]))
    state = played.table.play.state
    winners = " and ".join(faction_name(faction) for faction in state.winners)
    title = f"{winners} won on turn {state.turn}"
    below = (
        f"{played.letters} letters by Mentat, {played.answers} answers by the players, rule set {played.table.ruleset}"
    )
    page = Page(f"{title} · {GAME} · {played.table.ruleset}", title, f"{ARCHIVE}/", below)
    (folder / "index.html").write_bytes(document(page, _index_contents(folder, boxes, boards, summaries)))


def mailbox_table(letters: Mapping[str, str]) -> PageBlock:
    rows = [
        (str(number), Link(subject, f"{name}.html"), Link("text", f"{name}.txt"), Link("mail", f"{name}.eml"))
        for number, (name, subject) in enumerate(letters.items(), 1)
    ]
    return ListingTable("Every letter, the oldest first", ("Number", "Letter", "As text", "As it came"), rows)


def _index_contents(
    folder: Path, boxes: Mapping[Path, Mapping[str, str]], boards: Sequence[Path], summaries: Sequence[Path]
) -> list[PageBlock]:
    def at(path: Path) -> str:
        return path.relative_to(folder).as_posix()

    players = [(Link(box.name, at(box / "index.html")), str(len(letters))) for box, letters in boxes.items()]
    return [
        List(_doors(folder), "doors"),
        Part("The players' mailboxes", [ListingTable("Who played, and what they got", ("Player", "Letters"), players)]),
        Part("The public summary of each turn", [List([Link(path.stem, at(path)) for path in summaries], "links")]),
        Part("The board after each turn, as in the letters", [List([Link(p.stem, at(p)) for p in boards], "links")]),
        Part("Is it honest?", [
            Paragraph(say("demo.honest")),
            Paragraph(say("demo.verify", record=f"{GAME_PAGES}/game.jsonl")),
            List([Link("The record as one document", f"{ARCHIVE}/{GAME}.json")], "links"),
        ]),
    ]  # fmt: skip


def _doors(folder: Path) -> list[Link]:
    doors = {
        "Watch the game that was just played, step by step": f"{GAME_PAGES}/replay.html",
        "Read its story, turn by turn": f"{GAME_PAGES}/index.html",
        "The archive, as everybody could read it": f"{ARCHIVE}/index.html",
        "The record, line by line": f"{GAME_PAGES}/game.jsonl",
    }
    return [Link(words, to) for words, to in doors.items() if (folder / to).is_file()]


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
