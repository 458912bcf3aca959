"""A world to play in: an installation of Mentat in a folder, with its database and games, and players who write to it.

The demos and the benchmarks use real mail servers on this machine (``at_servers``); simulations and events keep mail in
folders (``IN_FOLDERS``). Apart from that, their settings hardly differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bot.config import Settings, load_settings, starter_files
from bot.desk.new_game import NewGame, new_game
from bot.lab.players_by_mail import PROGRAMS, Dice, ScriptedPlayer
from bot.moderator.moderator import Moderator
from bot.service.machine import utc_now
from bot.service.mail_servers import make_folders
from bot.store import glance, lab, mail
from bot.store.database import Engine, open_database, reading, writing
from rules.components import FACTIONS, Faction
from rules.components.board import DOTS

if TYPE_CHECKING:  # its servers are installed with the demo, and a game in folders does not need them
    from bot.lab.local_mail import LocalMail

BOT = "mentat@arrakis.example"
GAME_MASTER = "gm@arrakis.example"
PASSWORD = "demo"
ADDRESSES: Mapping[Faction, str] = {faction: f"{faction}@players.example" for faction in FACTIONS}
USERS = dict.fromkeys([BOT, GAME_MASTER, *ADDRESSES.values()], PASSWORD)

Sections = Mapping[str, Mapping[str, str | int | bool]]
IN_FOLDERS: Sections = {
    "mailbox": {"kind": "maildir", "maildir": "in"},
    "smtp": {"kind": "directory", "directory": "out"},
    "limits": {"strangers_letters_per_hour": 1_000_000},
}
_EVERYWHERE: Sections = {
    "mentat": {"address": BOT, "game_master": GAME_MASTER},
    "limits": {"answers_per_hour": 1_000_000},
}


def at_servers(servers: LocalMail) -> Sections:
    return {
        "mailbox": {"host": servers.host, "port": servers.imap_port, "security": "none", "user": BOT},
        "smtp": {"host": servers.host, "port": servers.smtp_port, "security": "none"},
        "archive": {"folder": "archive"},
    }


def make_settings(folder: Path, *differences: Sections, note: str = "", secret: str = "") -> Settings:
    folder.mkdir(parents=True, exist_ok=True)
    merged: dict[str, dict[str, str | int | bool]] = {}
    for sections in (_EVERYWHERE, *differences):
        for name, values in sections.items():
            merged.setdefault(name, {}).update(values)
    written = [
        "\n".join([f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items()), ""])
        for name, values in merged.items()
    ]
    (folder / "config.toml").write_text("\n".join([*([note] if note else []), *written]), encoding="utf-8")
    env = [line for line in starter_files()[".env"].splitlines() if not (secret and line.startswith("MENTAT_SECRET="))]
    own = [f"MENTAT_SECRET={secret}"] if secret else []
    glance.write_private_file(folder / ".env", "\n".join([*env, *own, f"MENTAT_IMAP_PASSWORD={PASSWORD}", ""]))
    settings = load_settings(folder / "config.toml")
    make_folders(settings)
    return settings


class World:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.engine = open_database(settings.database_place)
        self.moderator = Moderator(settings, self.engine)
        self.open_games = self.moderator.open_games

    def close(self) -> None:
        self.engine.dispose()

    def new_game(self, game_id: str, ruleset: str) -> None:
        dots = dict(zip(FACTIONS, DOTS, strict=True))
        new_game(self.open_games, NewGame(game_id, ruleset, ADDRESSES, dots, f"bench {game_id}"), utc_now())

    def take(self, raw: bytes) -> None:
        verdict = self.moderator.deliver(raw, utc_now())
        if not verdict.taken:
            raise RuntimeError(f"a mail was not taken: {verdict}")

    def tick(self) -> None:
        self.moderator.timekeeper.tick(utc_now())

    def fill(self, ruleset: str, games: int, rounds: int = 0) -> None:
        """Play one game for some rounds, then copy it until there are ``games`` games, which are named `bench-0` and so
        on."""
        self.new_game("bench-0", ruleset)
        for answers in islice(written_answers(self), rounds):
            for raw in answers:
                self.moderator.deliver(raw, utc_now())
        with writing(self.engine) as conn:
            for first in range(1, games, _COPIED_AT_ONCE):
                several = range(first, min(first + _COPIED_AT_ONCE, games))
                lab.copy_game(conn, "bench-0", [f"bench-{number}" for number in several], self.settings.key)
        self.open_games.forget()


_COPIED_AT_ONCE = 500


def open_world(folder: Path, servers: LocalMail | None = None, url: str = "") -> World:
    return World(make_settings(folder, at_servers(servers) if servers else IN_FOLDERS, {"database": {"url": url}}))


def reopen_world(folder: Path) -> World:
    return World(load_settings(folder / "config.toml"))


def written_answers(world: World) -> Iterator[Sequence[bytes]]:
    """Yield the answers of six players, round by round, until the players have nothing to say. The caller must deliver
    each round before asking for the next. Letters that wait in the outbox are marked as sent."""
    players = [
        ScriptedPlayer(faction.title(), address, program, Dice("bench", faction))
        for (faction, address), program in zip(ADDRESSES.items(), PROGRAMS, strict=True)
    ]
    while True:
        now = utc_now()
        letters = empty_outbox(world.engine, now)
        written = [answer.raw for player in players for answer in player.read(letters.get(player.address, []), now)]
        if not written:
            return
        yield written


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
