"""A Mentat with its own database, and six players who write to it, for the tests of the moderator."""

from __future__ import annotations

import email
import hashlib
import itertools
import tempfile
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import policy
from email.message import EmailMessage
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import time_machine
from sqlalchemy import Engine, func, select

from bot.config import Settings, load_settings
from bot.config.values import ArchivePolicy
from bot.desk.new_game import NewGame, new_game
from bot.games.identity import MailOutcome
from bot.language.orders import write
from bot.moderator.moderator import Moderator
from bot.press import read_press
from bot.service.mail_servers import make_folders
from bot.service.outbox import Outbox
from bot.store import games, mail
from bot.store.database import open_database, reading
from bot.store.mail import LETTER
from bot.store.tables import MESSAGE
from bot.table.table import Table
from rules.components import FACTIONS, Faction
from tests.database_copies import Copy, keep, put
from tests.postgresql_server import in_place_of_files

ADDRESS = "mentat@arrakis.example"
GAME_MASTER = "gm@arrakis.example"
GAME = "sietch-12"
CALLS = ("anything for the storm?", "your bids for this turn?", "ship and move?", "your battle plans?")
"""The requests in the subjects of calls for sheets."""
START = datetime(2024, 11, 26, 20, tzinfo=UTC)
DOTS = (2, 5, 8, 11, 14, 17)
CONFIG = f"""
[mentat]
address = "{ADDRESS}"
game_master = "{GAME_MASTER}"
database = "mentat.db"
desk_mail = "off"
receipts = true
[mailbox]
kind = "maildir"
maildir = "Maildir"
[smtp]
kind = "directory"
directory = "outgoing"
[limits]
max_message_bytes = 6000000
"""


@dataclass(frozen=True)
class Sent:
    """A letter in the outbox. It is parsed only on demand, because most tests look at few letters."""

    faction: str | None
    recipient: str
    envelope_from: str
    content: bytes

    @cached_property
    def message(self) -> EmailMessage:
        return email.message_from_bytes(self.content, policy=policy.default)

    @property
    def subject(self) -> str:
        return str(self.message["Subject"])

    @property
    def text(self) -> str:
        return self._part("plain")

    @property
    def html(self) -> str:
        return self._part("html")

    def _part(self, subtype: str) -> str:
        part = self.message.get_body((subtype,))
        assert part is not None
        return str(part.get_content())


def make_settings(folder: Path, config: str = CONFIG) -> Settings:
    (folder / "config.toml").write_text(config, encoding="utf-8")
    (folder / ".env").write_text("MENTAT_SECRET=spice-must-flow-spice-must-flow\n", encoding="utf-8")
    settings = load_settings(folder / "config.toml")
    make_folders(settings)
    return settings


@cache
def empty_database() -> Copy:
    """Return a database without games. It is made only once, because creating its tables takes longer than many tests,
    and always as of the same moment, because it stores when it was made."""
    with tempfile.TemporaryDirectory() as folder, time_machine.travel(START):
        made = Path(folder) / "empty.db"
        open_database(made).dispose()
        return keep(made)


FOLDS = CONFIG.replace("receipts = true\n", "")
"""The usual configuration, without receipts. Most tests want receipts, to see the outcome at once."""
TAKEN: dict[tuple[Hashable, ...], tuple[Copy, datetime]] = {}
"""The results of the steps of ``World.once``, by their starting points."""


@dataclass
class World:
    """Mentat, its clock, and its players' mail."""

    settings: Settings
    engine: Engine
    moderator: Moderator
    now: datetime = START
    _serials: itertools.count[int] = field(default_factory=itertools.count)
    outbox: Outbox = field(init=False)

    def __post_init__(self) -> None:
        self.outbox = Outbox(self.moderator.open_games)

    @classmethod
    def at(cls, folder: Path, config: str = CONFIG) -> World:
        settings = make_settings(folder, config)
        if not settings.mentat.database.exists() and not in_place_of_files():
            put(empty_database(), settings.mentat.database)
        engine = open_database(settings.database_place, timeout_seconds=0.2)
        return cls(settings, engine, Moderator(settings, engine))

    def another_process(self) -> World:
        """Return the same database as another process sees it."""
        engine = open_database(self.settings.mentat.database, timeout_seconds=0.2)
        return World(self.settings, engine, Moderator(self.settings, engine), self.now, self._serials)

    def new_game(
        self, ruleset: str = "ah-basic", factions: Sequence[Faction] = FACTIONS, game: str = GAME, seed: str = "spice",
        tempo: str = "table", press: str = "open", forum: str = "", archive: ArchivePolicy | None = None,
        **options: Any,
    ) -> Table:  # fmt: skip
        """Begin a game. Further keywords are options of its rule set."""
        seats = {faction: address_of(faction) for faction in factions}
        dots = dict(zip(factions, DOTS, strict=False))

        def begin() -> None:
            asked = NewGame(game, ruleset, seats, dots, seed, options, tempo, {}, archive, read_press(press), forum)
            new_game(self.moderator.open_games, asked, self.now)

        self.once(("new game", game, ruleset, *dots, seed, tempo, press, forum, repr((archive, options))), begin)
        return self.table(game)

    def once(self, step: Hashable, take: Callable[[], object]) -> None:
        """Take a step with which many tests begin. If a World with the same settings, clock and database contents took
        it before, reuse the resulting database and clock.

        Use it only for steps that the test is not about: patches have no effect in a reused step, and its random values
        outside the game (the salts of its record) are the same each time.
        """
        if self.engine.dialect.name != "sqlite":
            take()
            return
        where = Path(self.settings.mentat.database)
        self.engine.dispose()  # so that the file contains everything
        settings = repr(self.settings).replace(str(where.parent), "")
        begun = (hashlib.sha256(where.read_bytes()).digest(), settings, self.now, step)
        if begun in TAKEN:
            made, self.now = TAKEN[begun]
            put(made, where)
            self.moderator.open_games.forget()
            return
        take()
        self.engine.dispose()
        TAKEN[begun] = keep(where), self.now

    # --- reading -------------------------------------------------------------------------------------------------

    def table(self, game: str = GAME) -> Table:
        """Return the stored game."""
        with reading(self.engine) as conn:
            return games.open_table(conn, game)

    def letters(self, to: str | None = None, after: int = 0) -> list[Sent]:
        """Return all letters, or those to a faction or an address, without the first ``after`` letters written."""
        with reading(self.engine) as conn:
            rows = conn.execute(select(LETTER).order_by(LETTER.c.id).offset(after)).all()
            rows = [row for row in rows if to in (None, row.faction, row.recipient)]
            contents = mail.whole_letters(conn, ((row.content, row.pictures) for row in rows))
        return [
            Sent(row.faction, row.recipient, row.envelope_from, content)
            for row, content in zip(rows, contents, strict=True)
        ]

    def written(self) -> int:
        with reading(self.engine) as conn:
            return conn.execute(select(func.count(LETTER.c.id))).scalar_one()

    def newest(self, to: str) -> Sent:
        """Return the last letter to a faction or an address."""
        return self.letters(to)[-1]

    def messages(self) -> list[tuple[str, str]]:
        """Return the disposition and reason of every stored message."""
        with reading(self.engine) as conn:
            rows = conn.execute(select(MESSAGE.c.disposition, MESSAGE.c.reason).order_by(MESSAGE.c.id)).all()
        return [(row.disposition, row.reason) for row in rows]

    def token(self, faction: Faction, game: str = GAME) -> str:
        return self.table(game).seats[faction].token

    def asked(self, game: str = GAME) -> dict[Faction, list[str]]:
        """Return the kinds of open questions, by faction."""
        asked: dict[Faction, list[str]] = {}
        for question in self.table(game).play.questions():
            asked.setdefault(question.faction, []).append(question.kind)
        return asked

    # --- writing -------------------------------------------------------------------------------------------------

    def mail(
        self, faction: Faction, *lines: str, sender: str = "", to: str = "", subject: str = "Re: orders",
        message_id: str = "", game: str = GAME, **fields: str,
    ) -> bytes:  # fmt: skip
        """Return a mail as a player's program sends it."""
        message = EmailMessage(policy=policy.SMTP)
        message["From"] = sender or address_of(faction)
        message["To"] = to or f"mentat+{self.token(faction, game)}@arrakis.example"
        message["Subject"] = subject
        message["Message-ID"] = message_id or f"<{next(self._serials)}.{faction}@players.example>"
        for name, value in fields.items():
            message[name.replace("_", "-")] = value
        message.set_content("\n".join(lines) + "\n")
        return message.as_bytes()

    def say(self, faction: Faction, *lines: str, game: str = GAME) -> MailOutcome:
        """Process a player's mail with these lines."""
        return self.moderator.deliver(self.mail(faction, *lines, game=game), self.now)

    def line(self, faction: Faction, kind: str, choice: int = 0, game: str = GAME) -> str:
        """Return one of the legal answers to a player's open question, as they would write it."""
        questions = self.table(game).play.questions()
        question = next(q for q in questions if q.faction == faction and q.kind == kind)
        return write(list(question.samples())[choice])

    def wait(self, hours: float) -> int:
        """Let time pass, and process the deadlines once."""
        self.now += timedelta(hours=hours)
        return self.moderator.timekeeper.tick(self.now)

    def silent_game(self, phase: str, turn: int = 1, ruleset: str = "ah-basic", tempo: str = "table") -> None:
        """Begin a game of six in which nobody writes until that phase. It is this Mentat's only game."""
        self.engine.dispose()
        made, self.now = silent_database(ruleset, tempo, phase, turn)
        put(made, self.settings.mentat.database)

    def silence_until(self, phase: str, turn: int = 1, game: str = GAME) -> None:
        """Let nobody write until that phase, or a later one, has begun."""
        self.once(("silence", phase, turn, game), lambda: self.wait_until(phase, turn, game))

    def wait_until(self, phase: str, turn: int = 1, game: str = GAME) -> None:
        """Do the same as ``silence_until``, but never reuse a step, for tests that look at what happens on the way."""
        for _ in range(500):
            state = self.table(game).play.state
            if state.phase == phase and state.turn >= turn:
                return
            assert self.wait(24) == 1
        raise AssertionError(f"{phase} of turn {turn} was never reached")


def address_of(faction: str) -> str:
    return f"{faction}@players.example"


@cache
def silent_database(ruleset: str, tempo: str, phase: str, turn: int) -> tuple[Copy, datetime]:
    """Return the database of a game of six in which nobody wrote until that phase, and the time. The game is played
    only once, because that takes longer than the rest of many tests."""
    with tempfile.TemporaryDirectory() as folder:
        world = World.at(Path(folder))
        world.new_game(ruleset, tempo=tempo)
        world.silence_until(phase, turn)
        world.engine.dispose()
        return keep(world.settings.mentat.database), world.now
