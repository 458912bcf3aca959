"""Scripted entrants of a tournament: they enter by mail, confirm, take the seats that they are offered, and play."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime

from bot.demo.players import Mail, ScriptedPlayer

_CONFIRMS = "with the one word confirm"
_OFFERED = "To take it, write: accept"


@dataclass(slots=True)
class ScriptedEntrant(ScriptedPlayer):
    """Somebody who enters. Who is ``silent`` enters, and then never sends an order."""

    silent: bool = False

    def enters(self, address: str, tournament: str, now: datetime, *, standby: bool = False) -> Mail:
        """The mail with which they enter."""
        mail = EmailMessage()
        mail["From"] = f"{self.name} <{self.address}>"
        mail["To"] = address
        mail["Subject"] = "I want to play"
        mail["Date"] = format_datetime(now)
        mail["Message-ID"] = f"<enters.{self.name.lower()}@players.example>"
        mail.set_content(f"enter {tournament} as {self.name}{' standby' if standby else ''}\n")
        return Mail(address, mail.as_bytes())

    def lines_for(self, subject: str, text: str, game: str) -> list[str]:
        """Their answer to a letter about the tournament, or their orders."""
        said = " ".join(text.split())
        if _CONFIRMS in said:
            return ["confirm"]
        if _OFFERED in said:
            return ["accept"]
        return [] if self.silent else ScriptedPlayer.lines_for(self, subject, text, game)
