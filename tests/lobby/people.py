"""A Mentat with a lobby, where people find tables by mail, and the people who write to it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from bot.games.identity import MailOutcome
from bot.games.open_games import Session, act
from bot.games.seat_mail import lobby_token
from bot.lobby import starting
from bot.lobby.joining import JoinRequest, join
from bot.lobby.requests import Open
from bot.lobby.tables import open_table, settings_of
from bot.mail.identity import plus_address
from bot.store import lobby
from bot.store.database import reading
from bot.store.lobby import LobbySeat, LobbyTable
from tests.moderator.table import ADDRESS, CONFIG, Sent, World

OPEN_TO_ALL = CONFIG + '[lobby]\nwho = "anybody"\n'


def address(name: str) -> str:
    return name if "@" in name else f"{name}@example.org"


@dataclass
class Lobby:
    world: World
    _serials: Counter[str] = field(default_factory=Counter)

    @classmethod
    def at(cls, folder: Path, config: str = OPEN_TO_ALL) -> Lobby:
        return cls(World.at(folder, config))

    # --- writing -------------------------------------------------------------------------------------------------

    def mail(self, name: str, *lines: str, to: str = ADDRESS, subject: str = "Dune", **fields: str) -> bytes:
        message = EmailMessage(policy=policy.SMTP)
        message["From"] = address(name)
        message["To"] = to
        message["Subject"] = subject
        self._serials[name] += 1
        message["Message-ID"] = f"<{self._serials[name]}.{name.replace('@', '.')}@mail.example>"
        for key, value in fields.items():
            message[key.replace("_", "-")] = value
        message.set_content("\n".join(lines) + "\n")
        return message.as_bytes()

    def deliver(self, raw: bytes) -> MailOutcome:
        return self.world.moderator.deliver(raw, self.world.now)

    def token_of(self, name: str) -> str:
        return lobby_token(self.world.settings, address(name))

    def says(self, name: str, *lines: str, **fields: str) -> MailOutcome:
        """Write without a token, as a stranger does."""
        return self.deliver(self.mail(name, *lines, **fields))

    def proves(self, name: str, *lines: str, **fields: str) -> MailOutcome:
        """Write to the reply address of a letter to this person."""
        return self.deliver(self.mail(name, *lines, to=plus_address(ADDRESS, self.token_of(name)), **fields))

    def answers(self, name: str, *lines: str) -> MailOutcome:
        """Answer the newest letter to this person."""
        letter = self.newest(name).message
        return self.deliver(self.mail(name, *lines, to=str(letter["Reply-To"]), In_Reply_To=str(letter["Message-ID"])))

    def joins(self, name: str, table: str, more: str = "") -> MailOutcome:
        """Join a table with the button in the list."""
        return self.proves(name, f"join {table} {more}".strip())

    def wait(self, hours: float) -> None:
        self.world.wait(hours)

    # --- by hand -------------------------------------------------------------------------------------------------

    def session(self) -> Any:
        return act(self.world.moderator.open_games, self.world.now)

    def opens(self, name: str, wanted: Open | None = None, **more: Any) -> LobbyTable:
        """Open a table and give its opener a seat there."""
        with self.session() as session:
            assert isinstance(session, Session)
            table = open_table(session, address(name), settings_of(session, wanted or Open()), **more)
            join(session, table, JoinRequest(address(name), "opener", name.title()))
            starting.settle(session, table.id)
        return self.table(table.id)

    # --- looking -------------------------------------------------------------------------------------------------

    def table(self, table_id: str) -> LobbyTable:
        with reading(self.world.engine) as conn:
            found = lobby.find_table(conn, table_id)
        assert found is not None, table_id
        return found

    def seats(self, table_id: str, *states: str) -> list[str]:
        with reading(self.world.engine) as conn:
            held: list[LobbySeat] = lobby.seats_of(conn, table_id, *(states or ("seated",)))  # type: ignore[arg-type]
        return [seat.address.partition("@")[0] for seat in held]

    def letters(self, name: str) -> list[Sent]:
        return self.world.letters(address(name))

    def words(self, name: str) -> str:
        """Return the newest letter to a person, on one line."""
        return " ".join(self.newest(name).text.split())

    def newest(self, name: str) -> Sent:
        return self.letters(name)[-1]

    def subjects(self, name: str) -> list[str]:
        return [re.sub(r"^\[[^\]]*\] ", "", sent.subject) for sent in self.letters(name)]
