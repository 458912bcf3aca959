"""The demo: play a whole game by mail on this machine, and leave a folder with all its letters.

The demo uses real mail servers on loopback, the same moderator as `mentat run`, and scripted players who know nothing
but the mails that they get. The folder holds every letter, the boards, the summaries, the archive with the record, and
pages in the style of the archive that link to all of these.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from bot.archive import shelf, site
from bot.archive.html import Page
from bot.archive.html import document as page_document
from bot.config import load_settings
from bot.desk.new_game import NewGame, Player, draw_seats, new_game
from bot.games import proof
from bot.games.open_games import OpenGames
from bot.lab.local_mail import LocalMail
from bot.lab.players_by_mail import PROGRAMS, QUIET, Dice, Letter, MailClient, ScriptedPlayer
from bot.lab.worlds import BOT, GAME_MASTER, PASSWORD, Sections, World, at_servers, make_settings
from bot.language.forms import write
from bot.render import letters as letter_reports
from bot.render.blocks import Block, Link, List, Paragraph, Part
from bot.render.blocks import Table as ListingTable
from bot.render.board import Look
from bot.render.picture import picture
from bot.service import loop
from bot.service.machine import utc_now
from bot.service.mail_servers import open_mailbox, open_transport
from bot.service.outbox import Outbox
from bot.store import deadlines, games
from bot.store.database import Engine, open_database, reading
from bot.store.record import decode_entry
from bot.table.table import Table
from bot.wording import say
from rules import views
from rules.components import faction_name
from rules.components.facts import document
from rules.decisions.question import Question
from rules.engine.log import Snapshot
from rules.engine.play import Play
from rules.opponents import Opponent, asked_of
from rules.orders import Bid, PhaseName
from rules.players.policies import ceiling
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event
from rules.state.state import State

GAME = "demo"
NAMES = ("Alma", "Bruno", "Chiara", "Dmitri", "Eunji", "Femi")
MOST_ROUNDS = 20_000
FIRST_DAY = datetime(2026, 9, 7, 8, tzinfo=UTC)
READING_MINUTES = 40  # a player looks at their mail at most this many minutes after the previous player
ARCHIVE = "archive"
GAME_PAGES = f"{ARCHIVE}/game/{GAME}"
_NOTE = "# The settings of the demo. Its servers are gone, but `mentat game show` and the like work with them."


class DemoFailed(Exception):
    pass


class DemoWorld(World):
    """A Mentat and its players with real mail servers, which run until the stack is closed. The world has its own
    clock, which advances while players read their mail and jumps to the next event when nobody has anything to say."""

    def __init__(self, stack: ExitStack, folder: Path, players: Sequence[ScriptedPlayer]) -> None:
        boxes = [BOT, GAME_MASTER, *(player.address for player in players)]
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
        """Send the letters, let each player read and answer, and process the answers. Return the number of letters and
        answers."""
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
    table: Table
    found: proof.Proof
    record: proof.Record
    players: list[ScriptedPlayer]
    letters: int = 0
    answers: int = 0
    seconds: float = 0.0
    turns: list[Progress] = field(default_factory=list)


@dataclass(slots=True)
class Strategist:
    """A person who plays each of their games like a steady computer opponent, using only their seat's knowledge. Some
    of these people write in the words of the letter, others in words of their own."""

    engine: Engine
    address: str
    seed: str
    manners: Dice | None
    seats: dict[str, Opponent] = field(default_factory=dict)
    quiet: dict[str, int] = field(default_factory=dict)

    def __call__(self, subject: str) -> list[str] | None:
        game = subject.partition("[")[2].partition("]")[0]
        with reading(self.engine) as conn:
            if not games.exists(conn, game):
                return None
            table, events = games.open_table(conn, game), games.events_of(conn, game)
        seat = self.seats.get(game) or self._seat(game, table)
        play, lines = table.play, list[str]()
        for question in play.questions():
            if question.faction == seat.faction and not question.waived and question.kind != "karama-window":
                lines += self._orders(play, seat, question, events)
        if lines and self.quiet.get(game, 0) < play.state.turn:
            self.quiet[game] = play.state.turn
            lines.append(QUIET)
        return [self._in_their_words(line) for line in lines]

    def _seat(self, game: str, table: Table) -> Opponent:
        faction = next(faction for faction, seat in table.seats.items() if seat.address == self.address)
        return self.seats.setdefault(game, Opponent(faction, "steady", f"{self.seed} {game}"))

    def _orders(self, play: Play, seat: Opponent, question: Question, events: Sequence[Event]) -> list[str]:
        order = seat.orders(play, question, events)[0]
        if isinstance(order, Bid):
            most = ceiling(seat.seat(play, asked_of(play, question)))
            return [f"bid up to {max(order.amount, min(most, question.facts['means']))}"]
        return [write(order), *map(write, seat.beside(play, question, order))]

    def _in_their_words(self, line: str) -> str:
        if self.manners is not None:
            for pattern, phrases in MANNERS:
                if found := pattern.fullmatch(line):
                    return found.expand(phrases[int(self.manners.below(len(phrases)))])
        return line


def give_minds(engine: Engine, players: Sequence[ScriptedPlayer], seed: str) -> None:
    """Let these players decide as the computer opponents do; two out of three write their orders in their own words."""
    for number, player in enumerate(players):
        manners = Dice(seed, player.name, "manners") if number % 3 else None
        player.decides = Strategist(engine, player.address, f"{seed} {player.name}", manners)


MANNERS: list[tuple[re.Pattern[str], list[str]]] = [
    (re.compile(pattern), phrases) for pattern, phrases in document("manners.toml").values["manners"].items()
]


def play_demo(
    folder: Path, seed: str, ruleset: str, progress: Callable[[Progress], None], options: Mapping[str, int | str]
) -> PlayedGame:
    """Play a whole game by mail in this existing folder, with the rule set changed by ``options``. Raise RuleSetError
    if the rule set or an option cannot be played, and DemoFailed if the game does not end."""
    began = time.monotonic()
    players = [
        ScriptedPlayer(name, f"{name.lower()}@players.example", program, Dice(seed, name))
        for name, program in zip(NAMES, PROGRAMS, strict=True)
    ]
    with ExitStack() as stack:
        world = DemoWorld(stack, folder, players)
        seats, dots = draw_seats([player.address for player in players], seed, ruleset, options)
        names = {player.address: player.name for player in players}
        seated = {faction: Player(address, names[address]) for faction, address in seats.items()}
        new_game(world.open_games, NewGame(GAME, ruleset, seated, dots, seed, options=options), world.now)
        give_minds(world.engine, players, seed)
        turn = 0
        done: list[Progress] = []
        for _ in range(MOST_ROUNDS):
            moved = world.exchange()
            with reading(world.engine) as conn:
                reached, over = games.progress(conn, GAME)
            if reached != turn or over:
                turn = reached
                told = _progress(world, over, time.monotonic() - began)
                done.append(told)
                progress(told)
            if over:
                break
            if not moved:
                world.wait()
        world.exchange()
        with reading(world.engine) as conn:
            table, record = games.open_table(conn, GAME), proof.full_record(conn, GAME)
    if not table.play.over:
        raise DemoFailed(f"The demo did not end: after {MOST_ROUNDS} rounds it is at turn {turn}.")
    seconds = time.monotonic() - began
    return PlayedGame(table, proof.verify(record), record, players, world.letters, world.answers, seconds, done)


def _progress(world: DemoWorld, over: bool, seconds: float) -> Progress:
    with reading(world.engine) as conn:
        game = games.open_table(conn, GAME).play.game
    state = game.state
    held = {str(place): ", ".join(sorted(state.forces_in(place))) for place in game.strongholds()}
    return Progress(state.turn, over, state.storm, held, world.letters, world.answers, seconds)


FOLDER_MARK = ".mentat-demo"  # marks a folder that the demo made and may rebuild


class NotOurs(Exception):
    pass


def fresh_folder(folder: Path) -> None:
    """Create this folder, or empty it if an earlier demo made it. Raise NotOurs if it is any other folder with
    content."""
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
    boxes = [
        write_mailbox(folder, f"{seats[one.address]}-{one.name.lower()}", one.letters, "The game", f" · {GAME}")
        for one in played.players
    ]
    boards = _write_boards(folder / "boards", ends)
    summaries = _write_summaries(folder / "summaries", OpenGames(settings, engine), ends)
    site.build(folder / ARCHIVE, *shelf.offered(engine))
    proof.write_record(played.record, folder / ARCHIVE / f"{GAME}.json")
    contents = _index_contents(folder, boxes, boards, summaries)
    state = played.table.play.state
    winners = " and ".join(faction_name(faction) for faction in state.winners)
    title, told = f"{winners} won on turn {state.turn}", f"{played.letters} letters by Mentat"
    below = f"{told}, {played.answers} answers by the players, rule set {played.table.ruleset}"
    page = Page(f"{title} · {GAME} · {played.table.ruleset}", title, f"{ARCHIVE}/", below)
    (folder / "index.html").write_bytes(page_document(page, contents))


MailboxRow = tuple[Link, str]
"""A link to a mailbox, and the number of letters in it."""


def write_mailbox(folder: Path, owner: str, letters: Sequence[Letter], home: str, title_ends: str = "") -> MailboxRow:
    """Write a player's letters and a page that lists them; ``home`` names the page of the whole folder."""
    box = folder / "letters" / owner.lower()
    box.mkdir(parents=True)
    rows = []
    for number, letter in enumerate(letters, 1):
        name = write_letter(box, number, letter)
        links = Link("text", f"{name}.txt"), Link("mail", f"{name}.eml")
        rows.append((str(number), Link(str(letter.message["Subject"]), f"{name}.html"), *links))
    title = f"The mailbox of {owner}"
    page = Page(f"{title}{title_ends}", title, f"../../{ARCHIVE}/", way=[Link(home, "../../index.html")])
    listed = ListingTable(("Number", "Letter", "As text", "As it came"), rows, caption="Every letter, the oldest first")
    (box / "index.html").write_bytes(page_document(page, [listed]))
    return Link(owner, f"letters/{box.name}/index.html"), str(len(rows))


def write_letter(box: Path, number: int, letter: Letter) -> str:
    subject = re.sub(r"[^\w]+", "-", str(letter.message["Subject"])).strip("-").lower()[:60]
    stem = f"{number:04d}-{subject}"
    (box / f"{stem}.eml").write_bytes(letter.raw)
    pictures = {}
    for part in letter.message.walk():
        if content_id := str(part["Content-ID"] or "").strip("<> "):
            kept = f"pictures/{hashlib.sha256(part.get_content()).hexdigest()[:16]}.{part.get_content_subtype()}"
            (box / "pictures").mkdir(exist_ok=True)
            (box / kept).write_bytes(part.get_content())
            pictures[f"cid:{content_id}"] = kept
    for kind, ending in (("plain", "txt"), ("html", "html")):
        body = letter.message.get_body((kind,))
        if body is not None:
            words = re.sub(r"""cid:[^"'\s)]+""", lambda found: pictures.get(found[0], found[0]), body.get_content())
            (box / f"{stem}.{ending}").write_text(words, encoding="utf-8")
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


def _write_summaries(summaries: Path, open_games: OpenGames, ends: Mapping[int, Table]) -> list[Path]:
    summaries.mkdir()
    written = []
    with reading(open_games.engine) as conn:
        for turn, table in ends.items():
            path = summaries / f"turn-{turn:02d}.md"
            position = open_games.writer(conn, utc_now()).position_after(table, turn)
            path.write_text(letter_reports.summary_markdown(position), encoding="utf-8")
            written.append(path)
    return written


def _index_contents(
    folder: Path, boxes: Sequence[MailboxRow], boards: Sequence[Path], summaries: Sequence[Path]
) -> list[Block]:
    def at(path: Path) -> str:
        return path.relative_to(folder).as_posix()

    doors = {
        "Watch the game that was just played, step by step": f"{GAME_PAGES}/replay.html",
        "Read its story": f"{GAME_PAGES}/story.html",
        "Its page: who held what, its moments, each turn": f"{GAME_PAGES}/index.html",
        "The archive, as everybody could read it": f"{ARCHIVE}/index.html",
        "The record, line by line": f"{GAME_PAGES}/game.jsonl",
    }
    return [
        doors_to(folder, doors),
        Part(
            "The players' mailboxes", [ListingTable(("Player", "Letters"), boxes, caption="Who got how many letters")]
        ),
        Part("The public summary of each turn", [List([Link(path.stem, at(path)) for path in summaries], "links")]),
        Part("The board after each turn, as in the letters", [List([Link(p.stem, at(p)) for p in boards], "links")]),
        Part(
            "Is it honest?",
            [
                Paragraph(say("demo.honest")),
                Paragraph(say("demo.verify", record=f"{GAME_PAGES}/game.jsonl")),
                List([Link("The record as one document", f"{ARCHIVE}/{GAME}.json")], "links"),
            ],
        ),
    ]


def doors_to(folder: Path, pages: Mapping[str, str]) -> List:
    return List([Link(words, to) for words, to in pages.items() if (folder / to).is_file()], "doors")
