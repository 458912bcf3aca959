"""A tournament that is open, with so many who have confirmed: what the tests of drawing and starting begin with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.competition.published import EntrantState
from bot.games.open_games import OpenGames
from bot.store import tournament_rounds, tournaments
from bot.store.acts import DeskAct, acts_of
from bot.store.database import reading, writing
from bot.store.tournament_rounds import Round, RoundTable, Tenure
from bot.store.tournaments import Entrant, Tournament
from bot.tournament import calendar, drawing, game_starts, preparation
from bot.tournament.desk import DIRECTOR, By, Caller
from bot.tournament.drawing import DrawRequest, DrawResult
from tests.moderator.table import START, Sent, World

CUP = "cup"
SECRET = "spice-must-flow"
SETTINGS = 'title = "The Cup"\nformat = "heats"\n'
ONE_HEAT = 'title = "The Cup"\n[rounds]\nheats = 1\nsemifinal = 0\nfinal = 6\n'


@dataclass
class Entered:
    """The world, and its one tournament."""

    world: World

    @classmethod
    def at(cls, folder: Path, players: int, settings: str = ONE_HEAT, secret: str = SECRET) -> Entered:
        made = cls(World.at(folder))
        preparation.new_tournament(Caller(made.open_games, made.world.now), CUP, settings, secret=secret)
        preparation.open_entries(Caller(made.open_games, made.world.now), CUP)
        made.enter(players)
        return made

    def enter(self, players: int, state: EntrantState = "confirmed", **facts: Any) -> None:
        """So many more enter."""
        with writing(self.world.engine) as conn:
            for _ in range(players):
                number = tournaments.next_entrant_number(conn, CUP)
                made = Entrant(
                    CUP, number, tournaments.handle(number), address(number), f"token{number:011d}", self.world.now,
                    name=f"Player {number}", state=state, standby=state == "standby",
                    confirmed_at=None if state == "entered" else self.world.now, **facts,
                )  # fmt: skip
                tournaments.add_entrant(conn, made)

    @property
    def open_games(self) -> OpenGames:
        return self.world.moderator.open_games

    @property
    def cup(self) -> Tournament:
        with reading(self.world.engine) as conn:
            return tournaments.find_tournament(conn, CUP)

    def draw(self, *, dry_run: bool = False, **asked: Any) -> DrawResult:
        return drawing.draw(Caller(self.open_games, self.world.now, dry_run=dry_run), CUP, DrawRequest(**asked))

    def start(self, by: By = DIRECTOR, *, dry_run: bool = False, **asked: Any) -> game_starts.StartResult:
        return game_starts.start_games(Caller(self.open_games, self.world.now, by, dry_run), CUP, **asked)

    def tick(self, hours: float) -> None:
        self.world.now += timedelta(hours=hours)
        calendar.tick(self.open_games, self.world.now)

    def rounds(self) -> list[Round]:
        with reading(self.world.engine) as conn:
            return tournament_rounds.rounds_of(conn, CUP)

    def tables(self) -> list[RoundTable]:
        with reading(self.world.engine) as conn:
            return tournament_rounds.tables_of(conn, CUP)

    def seats(self) -> list[Tenure]:
        with reading(self.world.engine) as conn:
            return tournament_rounds.tenures_of(conn, CUP)

    def acts(self) -> list[DeskAct]:
        with reading(self.world.engine) as conn:
            return acts_of(conn, tournament_id=CUP)

    def states(self) -> dict[str, str]:
        with reading(self.world.engine) as conn:
            return {each.handle: each.state for each in tournaments.entrants_of(conn, CUP)}

    def letters(self, number: int) -> list[Sent]:
        return self.world.letters(address(number))

    def text(self, number: int) -> str:
        """The newest letter to an entrant, its whitespace made plain."""
        return " ".join(self.letters(number)[-1].text.split())


def address(number: int) -> str:
    return f"player{number}@players.example"


# --- a tournament that was only made ---------------------------------------------------------------------------------


def make(world: World, settings: str = SETTINGS, secret: str = "") -> Tournament:
    return preparation.new_tournament(
        Caller(world.moderator.open_games, world.now), CUP, settings, secret=secret
    ).tournament


def enter(world: World, *names: str) -> None:
    """Enter people who have confirmed; their addresses begin with their names."""
    with writing(world.engine) as conn:
        for name in names:
            number = tournaments.next_entrant_number(conn, CUP)
            handle = tournaments.handle(number)
            address = f"{name}@players.example"
            tournaments.add_entrant(
                conn, Entrant(CUP, number, handle, address, f"token-{name}", START, state="confirmed")
            )
