"""An installation of Mentat in which a simulation is played; this one lives in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from bot.config import Settings, load_settings, starter_files
from bot.demo.game import BOT, GAME_MASTER
from bot.demo.players import Dice
from bot.demo.postman import sent_letters
from bot.demo.simulation.people import Posted
from bot.game_master.new_game import NewGame, new_game
from bot.moderator.moderator import Moderator
from bot.store import comparing
from bot.store.database import Engine, open_database, writing
from rules.components import FACTIONS, Faction
from rules.components.board import DOTS

_CONFIG = """
[mentat]
address = "{bot}"
game_master = "{game_master}"
desk_mail = "off"

[database]
url = "{url}"

[mailbox]
kind = "maildir"
maildir = "in"
poll_seconds = 1

[smtp]
kind = "directory"
directory = "out"

[limits]
answers_per_hour = 1_000_000
strangers_letters_per_hour = 1_000_000

[clock]
outage_minutes = 1440
silence_stops = false
"""
SECRET = "the-spice-extends-life-expands-consciousness"


class Installation(Protocol):
    """What a simulation does with an installation. Each call returns when all is done that follows from it."""

    engine: Engine

    def pass_time(self, now: datetime) -> None:
        """It is this instant now: what is due happens."""

    def take(self, mails: Sequence[bytes], now: datetime) -> None:
        """These mails come at this instant, in this order, while the clocks stand where they were."""

    def posted(self, now: datetime) -> list[Posted]:
        """The letters that went out since the last call, those to one recipient in their order."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """The games of a simulation: how many, of how many turns, by which rule set, from which seed."""

    games: int
    turns: int
    ruleset: str = "wbc-2018"
    seed: str = "simulation"

    @property
    def names(self) -> list[str]:
        """The games by name."""
        return [f"sietch-{number:05d}" for number in range(self.games)]

    def seats(self, number: int) -> Mapping[Faction, str]:
        """Who plays in a game: three persons who play in the one before as well, and three who play in the next."""
        before = (number - 1) % self.games
        people = [f"{name}.{before}@players.example" for name in ("alma", "bruno", "chiara")]
        people += [f"{name}.{number}@players.example" for name in ("alma", "bruno", "chiara")]
        if self.games == 1:
            people[:3] = [f"{name}.0@players.example" for name in ("dmitri", "eunji", "femi")]
        shuffled = sorted(people, key=lambda person: Dice(self.seed, number, person).below(1))
        return dict(zip(FACTIONS, shuffled, strict=True))


def settings_in(folder: Path, url: str = "") -> Settings:
    """The settings of an installation in this folder, which is made; its database is a file there, or at this URL."""
    folder.mkdir(parents=True, exist_ok=True)
    config = _CONFIG.format(bot=BOT, game_master=GAME_MASTER, url=url)
    (folder / "config.toml").write_text(config, encoding="utf-8")
    env = starter_files()[".env"].splitlines()
    kept = [line for line in env if not line.startswith("MENTAT_SECRET=")]
    (folder / ".env").write_text("\n".join([*kept, f"MENTAT_SECRET={SECRET}", ""]), encoding="utf-8")
    return load_settings(folder / "config.toml")


def begin(moderator: Moderator, simulated: Simulated, now: datetime) -> None:
    """Start the games."""
    dots = dict(zip(FACTIONS, DOTS, strict=True))
    for number, name in enumerate(simulated.names):
        new_game(
            moderator.open_games,
            NewGame(
                name,
                simulated.ruleset,
                simulated.seats(number),
                dots,
                f"{simulated.seed} {number}",
                options={"max_turns": simulated.turns},
            ),
            now,
        )
    with writing(moderator.engine) as conn:
        comparing.hide_words_alike(conn)
    moderator.open_games.forget()


class InThisProcess:
    """One process, with a file or a server: mail by mail, as `mentat poll`, `tick` and `send` do it."""

    def __init__(self, folder: Path, url: str = "") -> None:
        settings = settings_in(folder, url)
        self.engine = open_database(settings.database_place)
        self.moderator = Moderator(settings, self.engine)
        self._mails = 0

    def pass_time(self, now: datetime) -> None:
        self.moderator.timekeeper.tick(now)

    def take(self, mails: Sequence[bytes], now: datetime) -> None:
        for raw in mails:
            self._mails += 1
            self.moderator.receive(raw, f"simulated:{self._mails}", now)

    def posted(self, now: datetime) -> list[Posted]:
        letters = sent_letters(self.engine, now)
        return [Posted.of(recipient, raw) for recipient, raws in letters.items() for raw in raws]
