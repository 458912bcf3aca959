"""A whole game, played once in this process as a reference, and any number of times by the service in another process.

Records and letters are compared without times, which differ between two runs.
"""

from __future__ import annotations

import email
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from email import policy
from pathlib import Path
from types import MappingProxyType

from sqlalchemy import Engine

from bot.config import load_settings
from bot.desk.new_game import NewGame, new_game
from bot.games import proof
from bot.lab.local_mail import SentMail
from bot.moderator.moderator import Moderator
from bot.service.machine import utc_now
from bot.store import games, mail
from bot.store.database import open_database, reading, writing
from rules.components import Faction
from rules.components.board import DOTS
from rules.players import Temperament
from tests.end_to_end.mail_clients import SEATS, SEED, MailClient, MailServers, Reader, message_id, scripted_players
from tests.end_to_end.service_process import GAME, Mentat

MOST_ROUNDS = 2_000
LATER = timedelta(days=400)  # later than any earlier deadline

_CLOCK = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun)( \d+ [A-Z][a-z]{2},?)? \d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.+]+")


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game: its record, and each player's letters by Message-ID, in order of arrival."""

    record: proof.Record
    letters: dict[str, dict[str, bytes]]
    answers: int


def play_in_process(
    settings: Path, ruleset: str, turns: int, opponents: Mapping[Faction, Temperament] = MappingProxyType({})
) -> Played:
    """Play the game without servers: deliver answers directly, and take letters from the outbox."""
    loaded = load_settings(settings)
    engine = open_database(settings.parent / "reference.db")
    moderator = Moderator(loaded, engine)
    people = {faction: address for faction, address in SEATS.items() if faction not in opponents}
    dots = dict(zip((*people, *opponents), DOTS, strict=True))
    made = NewGame(GAME, ruleset, people, dots, SEED, options={"max_turns": turns}, opponents=opponents)
    new_game(moderator.open_games, made, utc_now())
    readers = [Reader(player) for player in scripted_players()]
    answers = silences = 0
    for _ in range(MOST_ROUNDS):
        posted = _post(engine)
        written = [mail for reader in readers for mail in reader.answer(posted.get(reader.player.address, []))]
        for mail_ in written:
            assert moderator.deliver(mail_.raw, utc_now()).disposition == "orders"
        answers += len(written)
        if not written and not posted:
            with reading(engine) as conn:
                if games.open_table(conn, GAME).play.over:
                    break
            silences += 1
            moderator.timekeeper.tick(utc_now() + silences * LATER)
    with reading(engine) as conn:
        record = proof.full_record(conn, GAME)
    engine.dispose()
    return Played(record, {reader.player.address: reader.seen for reader in readers}, answers)


def play_by_mail(mentat: Mentat, servers: MailServers, between: Callable[[], None] = lambda: None) -> Played:
    """Play the game by mail with the service in another process, until it is over.

    ``between`` is called repeatedly while the players wait for the service.
    """
    with ExitStack() as stack:
        clients = [stack.enter_context(MailClient(player, servers)) for player in scripted_players()]
        answers = silences = 0
        for _ in range(MOST_ROUNDS):
            mentat.await_done(answers, between)
            written = [(client, mail) for client in clients for mail in client.answer()]
            for client, mail_ in written:
                client.send(mail_)
            answers += len(written)
            if written:
                continue
            if mentat.call("game", "show", GAME)["phase"] == "over":
                break
            silences += 1
            mentat.call("tick", "--now", (utc_now() + silences * LATER).isoformat())
        letters = {client.reader.player.address: client.reader.seen for client in clients}
    engine = open_database(mentat.folder / "mentat.db")
    with reading(engine) as conn:
        record = proof.full_record(conn, GAME)
    engine.dispose()
    return Played(record, letters, answers)


def words(raw: bytes) -> str:
    """Return a letter as its reader sees it, with the headers that thread it, but without times."""
    letter = email.message_from_bytes(raw, policy=policy.default)
    told = [f"{name}: {letter[name]}" for name in ("Message-ID", "In-Reply-To", "References", "Reply-To", "Subject")]
    told += [part.get_content() for part in letter.walk() if part.get_content_maintype() == "text"]
    return _CLOCK.sub("(an instant)", " ".join("\n".join(told).split()))


def written_letters(database: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the Message-ID and recipient of each letter that Mentat wrote to a player."""
    found = database.execute("select message_id, recipient from letter where game_id is not null order by id")
    return [(identity, recipient) for identity, recipient in found]


def sent_letters(sent: list[SentMail]) -> dict[str, list[str]]:
    """Return the Message-IDs of the mails sent to players through SMTP, by recipient. Mails sent twice are listed
    twice."""
    found: dict[str, list[str]] = {}
    for posted in sent:
        for recipient in posted.recipients:
            if recipient in SEATS.values():
                found.setdefault(recipient, []).append(message_id(posted.raw))
    return found


def _post(engine: Engine) -> dict[str, list[bytes]]:
    """Empty the outbox, and return the letters by recipient."""
    posted: dict[str, list[bytes]] = {}
    while True:
        with writing(engine) as conn:
            due = mail.to_send(conn, utc_now())
            mail.note_sent(conn, [waiting.id for waiting in due], utc_now())
        if not due:
            return posted
        for waiting in due:
            posted.setdefault(waiting.letter.recipient, []).append(waiting.letter.content)
