"""Mails in rulings: the moderator reads a whole mail from a seat and carries it out in the ruling's position.

The mail is built as a mail program would send it, its lines are read like those of any message, and the moderator's own
functions carry them out (``bot.moderator.seat_lines``). Two things are different: no letter is sent in answer, and the
game does not continue after the mail. Deputies, deadlines and the next phase wait until the ruling says ``until``.

Every ruling has its own database while it runs, and nothing that it writes there is kept. The game itself is stored
there only when the first mail command comes (press, absence, extension), because orders alone need no database.

The game is played at the tempo that keeps every reaction window open, so players are never asked to file sheets for
later phases.
"""

from __future__ import annotations

import atexit
import hashlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs
from pydantic import SecretStr

from bot.config import Settings
from bot.config.sections import MailboxSettings, MentatSettings, Secrets, SmtpSettings
from bot.games.identity import Part
from bot.games.open_games import OpenGames, Session
from bot.language import commands as c
from bot.language.commands import MailCommand
from bot.language.orders import write
from bot.language.proposals import NOTHING, Memory, Proposal, options_of, seen_by
from bot.language.sheets import Sheet
from bot.mail.disposition import examine
from bot.mail.identity import bounce_token, plus_address, reply_token
from bot.moderator.moderator import tell_left_out_lines
from bot.moderator.order_lines import PlayedLines, situations_left_open
from bot.moderator.seat_lines import Delivery, answer_commands, play_part
from bot.render.material import LineVerdict
from bot.store import games, people
from bot.store import press as store
from bot.store.database import Connection, open_database, writing
from bot.table.lines import reading_context
from bot.table.table import Seat, Table
from bot.wording.filters import speaking
from rules.components import Faction
from rules.engine.play import Play
from rules.orders import ANSWERS, Order
from rules.state.events import Event

Ruling = Mapping[str, Any]
GAME = "ruling"
ADDRESS = "mentat@arrakis.example"
SECRET = "the-spice-extends-life-expands-consciousness"
TEMPO = "table"
MOST_PROPOSALS = 8

OUTSIDE_THE_GAME = (
    c.AddAddress, c.ArchiveListed, c.ArchiveName, c.AskForSitter, c.Extend, c.ForumName, c.ForumOff,
    c.PressToGameMaster, c.RatingPrivate, c.RemoveAddress, c.Report, c.Resign, c.UseAddress,
)  # fmt: skip
"""Commands whose effect depends on the game master, or on the installation's data about people. An extension is one of
them, because the game master decides about any extension beyond the allowance."""


@dataclass(frozen=True, slots=True)
class MailAnswer:
    """Mentat's answer to a mail, and the state of the game after it.

    Lines of talk among the ``lines`` count as unread. ``commands`` lists the executed commands, each with its words.
    ``proposals`` are the whole mails in canonical lines that the answer offers, the likeliest first. If two answers
    have the same ``digest``, the game cannot continue differently after them.
    """

    lines: Sequence[LineVerdict]
    ignored: Sequence[str]
    notes: Sequence[str]
    commands: Sequence[str]
    proposals: Sequence[str]
    digest: str


class Correspondence:
    """The mails of one ruling: its game as the moderator sees it, and what Mentat remembers between the mails. The
    lines that the mails file are added to ``sheets``. ``events`` holds everything that has happened, including events
    already stored in the database."""

    def __init__(self, conn: Connection, open_games: OpenGames, play: Play, ruling: Ruling, now: datetime) -> None:
        self._conn, self._open_games, self._now = conn, open_games, now
        seats = {player.faction: _seat(player.faction, player.dot) for player in play.state.players.values()}
        options, rng = ruling.get("options", {}), ruling["start"]["rng"]
        self._table = Table(GAME, play.game.rules.name, options, rng, play, seats, tempo=TEMPO, now=now)
        self._stored = False
        self._written: list[Event] = []
        self._outside: list[tuple[Faction, str]] = []
        self._memory: dict[Faction, Memory] = {}

    @property
    def _session(self) -> Session:
        return Session(self._conn, self._open_games, self._now)

    @property
    def sheets(self) -> dict[Faction, Sheet]:
        return self._table.sheets

    @property
    def events(self) -> Sequence[Event]:
        return (*self._written, *self._table.play.events)

    def take(self, faction: Faction, body: str) -> MailAnswer:
        table = self._table
        with speaking(table.play.game.rules.edition):
            limits = self._open_games.settings.limits
            seen = examine(
                _message(table.seats[faction], body, self._now),
                ADDRESS,
                _no_form,
                max_bytes=limits.max_message_bytes,
                max_lines=limits.max_lines,
                max_line_chars=limits.line_chars,
            )
            read = seen.reading
            unread = [seen.verdict.reason] if seen.verdict.disposition not in ("orders", "empty") else []
            part = Part(GAME, faction, tuple(line for section in read.sections for line in section.spaced))
            played = play_part(
                self._session, table, part, memory=replace(self._memory.get(faction, NOTHING), asks_first=True)
            )
            lines, commands = self._carry_out_commands(part, played) if played.commands else (played.lines, [])
            notes = [*unread, *read.notes, *tell_left_out_lines(read.ignored, faction)]
            notes += situations_left_open(table, faction, lines)
        lines = [structs.replace(line, status="unread") if line.status == "talk" else line for line in lines]
        if read.lines:
            self._memory[faction] = self._remembered(faction, lines)
        return MailAnswer(lines, read.ignored, notes, commands, proposals_of(lines), self.digest())

    def _remembered(self, faction: Faction, lines: Sequence[LineVerdict]) -> Memory:
        options = tuple(tuple(option.split("\n")) for option in options_of(lines))
        seen = seen_by(reading_context(self._table.play, faction))
        done = tuple(line.canonical for line in lines if line.status == "accepted")
        return Memory(Proposal(options, seen) if options else None, done=done)

    def digest(self) -> str:
        """Return a string that is equal for two positions if and only if the game cannot continue differently from
        them."""
        table = self._table
        rules = [table.ruleset, table.options, table.seed]
        position, around = _position(table.play, self.events), self._around_the_game()
        told = _encoder.encode([rules, position, around, self._outside])
        return hashlib.sha256(told).hexdigest()[:32]

    def _carry_out_commands(self, part: Part, played: PlayedLines) -> tuple[list[LineVerdict], list[str]]:
        self._store()
        lines = answer_commands(self._session, self._table, part, Delivery(), played)
        done = [command for place, command in played.commands.items() if lines[place].status == "done"]
        self._outside += [(part.faction, write(each)) for each in done if isinstance(each, OUTSIDE_THE_GAME)]
        return lines, list(map(name_with_words, done))

    def _store(self) -> None:
        conn, table = self._conn, self._table  # commands look for the game there, and questions get their deadlines
        if not self._stored:
            games.create(conn, table, "", "", self._now)
            for seat in table.seats.values():
                people.give_pseudonym_to_seat(conn, GAME, seat.faction, seat.address)
            self._stored = True
        self._written += table.play.events
        games.save(conn, table, self._now, self._open_games.clock(table), recorded=True)
        games.close(conn, table)

    def _around_the_game(self) -> list[Any]:
        table = self._table
        sheets = {
            faction: lines
            for faction, sheet in table.sheets.items()
            if (lines := [[filed.text, filed.turn, filed.left, filed.acted] for filed in sheet.active()])
        }
        seats = {faction: [getattr(seat, name) for name in _OF_SEATS] for faction, seat in table.seats.items()}
        absences = {
            faction: sorted((each.first, each.last) for each in away)
            for faction, away in table.absences.items()
            if away
        }
        written = store.press_of_game(self._conn, GAME) if self._stored else []
        press = [
            [each.faction, each.readers, each.said, each.to_all, each.words, each.signed, each.state]
            for each in written
            if each.state != "withdrawn"
        ]
        return [sheets, seats, absences, table.press, press]


_OF_SEATS = (
    "address", "timezone", "generation", "waking", "letters_mode", "pictures", "extended", "away", "care", "warned",
    "sitter",
)  # fmt: skip
"""The fields of a seat that mails can change and on which later play and letters depend."""

_encoder = msgspec.json.Encoder(order="sorted")


def _position(play: Play, events: Sequence[Event]) -> list[Any]:
    game, top = play.game, play.asked()
    stops = [[[question.key, orders] for question, orders in stop] for stop in play.open_stops()]
    return [
        play.state,
        game.moments,
        play.phase_over,
        [sorted(stop, key=str) for stop in stops],
        sorted(([question.key, question.facts, play.number_of(question)] for question in top), key=str),
        {faction: sorted(orders, key=_decision) for faction, orders in game.held.items() if orders},
        sorted(([key, orders] for key, orders in game.filed.items()), key=str),
        [[e.phase, e.kind, e.facts, e.private, e.audience] for e in events if e.turn == play.state.turn],
    ]


def _decision(order: Order) -> tuple[str, ...]:
    return ANSWERS.get(type(order), ())  # orders with different keys may come in any order


def proposals_of(lines: Sequence[LineVerdict]) -> list[str]:
    """Return the mails that an answer offers: first a mail with the first suggestion for each line, then a mail for
    each suggestion."""
    offered = [["\n".join(line.suggestions)] if line.together else line.suggestions for line in lines]
    offered = [each for each in offered if each]
    together = ["\n".join(each[0] for each in offered)] if offered else []
    longest = max(map(len, offered), default=0)
    alone = [each[rank] for rank in range(longest) for each in offered if rank < len(each)]
    return list(dict.fromkeys((*together, *alone)))[:MOST_PROPOSALS]


def name_with_words(command: MailCommand) -> str:
    """Return the name of a command and, after a colon, the words that belong to it.

    >>> name_with_words(c.Extend(24)), name_with_words(c.ShowMap()), name_with_words(c.Rules("storm"))
    ('extend: 24', 'map', 'rules: storm')
    """
    line = write(command)
    first, _, rest = line.partition(" ")
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(command).__name__).lower()
    name = name.removeprefix("show ").removesuffix(" to game master")
    if name.replace(" ", "") == first:
        name = first
    words = line.removeprefix(name).strip() if line.startswith(name) else rest
    return f"{name}: {words}" if words else name


# --- the mail, its seat, and the database ----------------------------------------------------------------------------


@contextmanager
def correspondence(play: Play, ruling: Ruling, now: datetime) -> Iterator[Correspondence]:
    open_games = _unused.pop() if _unused else _new_database()
    try:
        with suppress(_NothingKept), writing(open_games.engine) as conn:
            yield Correspondence(conn, open_games, play, ruling, now)
            raise _NothingKept
    finally:
        _unused.append(open_games)


class _NothingKept(Exception):
    pass


_unused: list[OpenGames] = []
"""Databases that no ruling is using at the moment. A ruling that is compared with another needs two."""


def _new_database() -> OpenGames:
    folder = tempfile.TemporaryDirectory(prefix="mentat-ruling-")
    atexit.register(folder.cleanup)
    place = Path(folder.name)
    settings = Settings(
        mentat=MentatSettings(address=ADDRESS, game_master="gm@arrakis.example", database=place / "mentat.db"),
        mailbox=MailboxSettings(kind="maildir", maildir=place / "in"),
        smtp=SmtpSettings(kind="directory", directory=place / "out"),
        secrets=Secrets(secret=SecretStr(SECRET)),
    )
    return OpenGames(settings, open_database(settings.database_place))


def _seat(faction: Faction, dot: int) -> Seat:
    secret = SECRET.encode()
    token, returns_to = reply_token(secret, GAME, faction, 0), bounce_token(secret, GAME, faction, 0)
    return Seat(faction, dot, f"p{dot}@players.example", f"P{dot}", "UTC", token, returns_to)


def _message(seat: Seat, body: str, now: datetime) -> bytes:
    head = (
        f"From: {seat.address}\r\nTo: {plus_address(ADDRESS, seat.token)}\r\nSubject: Re: {GAME}\r\n"
        f"Date: {format_datetime(now)}\r\nMessage-ID: <ruling@players.example>\r\nMIME-Version: 1.0\r\n"
        "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    )
    return head.encode() + body.encode("utf-8", "replace")


def _no_form(_code: str) -> None: ...
