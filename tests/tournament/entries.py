"""A tournament that takes entries, and the people who write to it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from email import policy
from email.message import EmailMessage
from pathlib import Path

from bot.competition.settings import settings_digest
from bot.games.identity import MailOutcome
from bot.store import acts, tournaments
from bot.store.acts import GrantedRight
from bot.store.database import reading, writing
from bot.store.tournaments import Entrant, Tournament
from tests.moderator.table import CONFIG, Sent, World

OWN = "mentat@arrakis.example"
DIRECTOR = "director@example.org"
SETTINGS = 'title = "The Cup"\n'


def address(name: str) -> str:
    return f"{name}@example.org"


@dataclass
class Cup:
    world: World
    _serials: Counter[str] = field(default_factory=Counter)

    @classmethod
    def at(cls, folder: Path, settings: str = SETTINGS, config: str = CONFIG) -> Cup:
        made = cls(World.at(folder, config))
        made.make("cup", settings)
        return made

    def make(self, tournament_id: str, settings: str = SETTINGS, state: str = "open", days: int = 30) -> Tournament:
        now = self.world.now
        token = f"{tournament_id}tournamenttoken"[:14].replace("-", "x") + "22"
        made = Tournament(
            tournament_id,
            "The Cup",
            settings,
            settings_digest(settings),
            state,  # type: ignore[arg-type]
            "commitment",
            "secret",
            "",
            token,
            now,
            opened_at=now,
            until=now + timedelta(days=days),
        )
        with writing(self.world.engine) as conn:
            tournaments.create_tournament(conn, made)
            acts.grant_right(
                conn,
                GrantedRight(
                    DIRECTOR, "director", f"{tournament_id}directortoken"[:14] + "22", now, tournament_id=tournament_id
                ),
            )
        return made

    # --- reading -------------------------------------------------------------------------------------------------

    def entrant(self, name: str, tournament_id: str = "cup") -> Entrant:
        with reading(self.world.engine) as conn:
            found = tournaments.entrant_of_person(conn, tournament_id, address(name))
        assert found is not None
        return found

    def everybody(self, tournament_id: str = "cup") -> list[Entrant]:
        with reading(self.world.engine) as conn:
            return tournaments.entrants_of(conn, tournament_id)

    def letters(self, name: str) -> list[Sent]:
        return self.world.letters(address(name))

    def newest(self, name: str) -> Sent:
        return self.letters(name)[-1]

    def code(self, name: str) -> str:
        """Return the code from the newest letter that contains one."""
        found = [match[1] for sent in self.letters(name) if (match := re.search(r"confirm ([a-z2-7]{16})", sent.text))]
        return found[-1]

    # --- writing -------------------------------------------------------------------------------------------------

    def mail(self, name: str, *lines: str, to: str = OWN, subject: str = "", sender: str = "", **fields: str) -> bytes:
        message = EmailMessage(policy=policy.SMTP)
        message["From"] = sender or address(name)
        message["To"] = to
        message["Subject"] = subject or "a tournament"
        self._serials[name] += 1
        message["Message-ID"] = f"<{self._serials[name]}.{name}@example.org>"
        for key, value in fields.items():
            message[key.replace("_", "-")] = value
        message.set_content("\n".join(lines) + "\n")
        return message.as_bytes()

    def deliver(self, raw: bytes) -> MailOutcome:
        return self.world.moderator.deliver(raw, self.world.now)

    def says(self, name: str, *lines: str, to: str = OWN, subject: str = "") -> MailOutcome:
        """Send these lines to Mentat."""
        return self.deliver(self.mail(name, *lines, to=to, subject=subject))

    def answers(self, name: str, *lines: str) -> MailOutcome:
        """Answer the newest letter to this person."""
        return self.says(name, *lines, to=str(self.newest(name).message["Reply-To"]))

    def enters(self, name: str, *more: str, line: str = "") -> Entrant:
        """Enter the tournament and confirm."""
        self.says(name, line or f"enter cup as {name.title()}", *more)
        self.says(name, f"confirm {self.code(name)}")
        return self.entrant(name)

    def wait(self, hours: float) -> None:
        self.world.wait(hours)
