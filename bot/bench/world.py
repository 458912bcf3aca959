"""What the benchmarks of mail share: a Mentat in a folder of its own on disk, and the demo's players to write to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.config import Settings, load_settings, starter_files
from bot.demo.players import Dice, ScriptedPlayer
from bot.demo.postman import sent_letters
from bot.demo.programs import PROGRAMS
from bot.game_master.new_game import NewGame, new_game
from bot.mail.servers.localserver import LocalMail
from bot.moderator.moderator import Moderator
from bot.service.system_clock import utc_now
from bot.store.database import Engine, open_database
from rules.components import FACTIONS, Faction
from rules.components.board import DOTS

BOT = "mentat@arrakis.example"
PASSWORD = "bench"
ADDRESSES: Mapping[Faction, str] = {faction: f"{faction}@players.example" for faction in FACTIONS}
USERS = dict.fromkeys([BOT, "gm@arrakis.example", *ADDRESSES.values()], PASSWORD)


@dataclass(frozen=True, slots=True)
class World:
    """A moderator with its database in a folder."""

    settings: Settings
    engine: Engine
    moderator: Moderator

    def new_game(self, game_id: str, ruleset: str) -> None:
        """Start a game of six."""
        dots = dict(zip(FACTIONS, DOTS, strict=True))
        new_game(self.moderator.open_games, NewGame(game_id, ruleset, ADDRESSES, dots, f"bench {game_id}"), utc_now())


def open_world(folder: Path, servers: LocalMail, url: str = "") -> World:
    """The Mentat of this folder, with these mail servers and a database in it or at this URL; made if need be."""
    (folder / ".env").write_text(f"{starter_files()['.env']}\nMENTAT_IMAP_PASSWORD={PASSWORD}\n", encoding="utf-8")
    (folder / "config.toml").write_text(
        f'[mentat]\naddress = "{BOT}"\ngame_master = "gm@arrakis.example"\n'
        f'[mailbox]\nhost = "{servers.host}"\nport = {servers.imap_port}\nsecurity = "none"\nuser = "{BOT}"\n'
        f'[smtp]\nhost = "{servers.host}"\nport = {servers.smtp_port}\nsecurity = "none"\n'
        f'[database]\nurl = "{url}"\n[archive]\nfolder = "archive"\n'
        "[limits]\nanswers_per_hour = 1_000_000_000\n",
        encoding="utf-8",
    )
    return reopen_world(folder)


def reopen_world(folder: Path) -> World:
    """The Mentat of a folder that ``open_world`` has made."""
    settings = load_settings(folder / "config.toml")
    engine = open_database(settings.database_place)
    return World(settings, engine, Moderator(settings, engine))


def written_answers(world: World) -> Iterator[Sequence[bytes]]:
    """The answers of six players, round by round, until they have nothing to say; deliver each round before the
    next. What waits in the outbox is taken for sent."""
    players = [
        ScriptedPlayer(faction.title(), address, program, Dice("bench", faction))
        for (faction, address), program in zip(ADDRESSES.items(), PROGRAMS, strict=True)
    ]
    while True:
        now = utc_now()
        letters = sent_letters(world.engine, now)
        written = [answer.raw for player in players for answer in player.read(letters.get(player.address, []), now)]
        if not written:
            return
        yield written
