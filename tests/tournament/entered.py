"""A tournament that is open, with so many who have confirmed: what the tests of drawing and starting begin with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.competition.published import EntrantState
from bot.games.open_games import OpenGames
from bot.store.database import reading, writing
from bot.store.tournaments import acts, entrants, rounds, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rounds import Round, RoundTable, Tenure
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import calendar, drawing, making, starting
from bot.tournament.drawing import Asked, Drawn
from tests.moderator.table import Sent, World

CUP = "cup"
SECRET = "spice-must-flow"
ONE_HEAT = 'title = "The Cup"\n[rounds]\nheats = 1\nsemifinal = 0\nfinal = 6\n'


@dataclass
class Entered:
    """The world, and its one tournament."""

    world: World

    @classmethod
    def at(cls, folder: Path, players: int, settings: str = ONE_HEAT, secret: str = SECRET) -> Entered:
        made = cls(World.at(folder))
        making.new(made.open_games, CUP, settings, made.world.now, secret=secret)
        making.open_entries(made.open_games, CUP, made.world.now)
        made.enter(players)
        return made

    def enter(self, players: int, state: EntrantState = "confirmed", **facts: Any) -> None:
        """So many more enter."""
        with writing(self.world.engine) as conn:
            for _ in range(players):
                number = entrants.next_number(conn, CUP)
                made = Entrant(
                    CUP, number, entrants.handle(number), address(number), f"token{number:011d}", self.world.now,
                    name=f"Player {number}", state=state, standby=state == "standby",
                    confirmed_at=None if state == "entered" else self.world.now, **facts,
                )  # fmt: skip
                entrants.add(conn, made)

    @property
    def open_games(self) -> OpenGames:
        return self.world.moderator.open_games

    @property
    def cup(self) -> Tournament:
        with reading(self.world.engine) as conn:
            return tournaments.find(conn, CUP)

    def draw(self, *, dry_run: bool = False, **asked: Any) -> Drawn:
        return drawing.draw(self.open_games, CUP, self.world.now, Asked(**asked), dry_run=dry_run)

    def start(self, **asked: Any) -> starting.Started:
        return starting.start(self.open_games, CUP, self.world.now, **asked)

    def tick(self, hours: float) -> None:
        self.world.now += timedelta(hours=hours)
        calendar.tick(self.open_games, self.world.now)

    def rounds(self) -> list[Round]:
        with reading(self.world.engine) as conn:
            return rounds.rounds(conn, CUP)

    def tables(self) -> list[RoundTable]:
        with reading(self.world.engine) as conn:
            return rounds.tables(conn, CUP)

    def seats(self) -> list[Tenure]:
        with reading(self.world.engine) as conn:
            return rounds.tenures(conn, CUP)

    def acts(self) -> list[acts.Act]:
        with reading(self.world.engine) as conn:
            return acts.of_tournament(conn, CUP)

    def states(self) -> dict[str, str]:
        with reading(self.world.engine) as conn:
            return {each.handle: each.state for each in entrants.of_tournament(conn, CUP)}

    def letters(self, number: int) -> list[Sent]:
        return self.world.letters(address(number))

    def text(self, number: int) -> str:
        """The newest letter to an entrant, its whitespace made plain."""
        return " ".join(self.letters(number)[-1].text.split())


def address(number: int) -> str:
    return f"player{number}@players.example"
