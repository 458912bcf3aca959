"""A tournament that was only made, and entrants who are in without having asked."""

from __future__ import annotations

from bot.store.database import writing
from bot.store.tournaments import entrants
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import making
from tests.moderator.table import START, World

CUP = "cup"
SETTINGS = 'title = "The Cup"\nformat = "heats"\n'


def make(world: World, settings: str = SETTINGS, secret: str = "") -> Tournament:
    return making.new(world.moderator.open_games, CUP, settings, world.now, secret=secret).tournament


def enter(world: World, *names: str) -> None:
    with writing(world.engine) as conn:
        for name in names:
            number = entrants.next_number(conn, CUP)
            handle = entrants.handle(number)
            address = f"{name}@players.example"
            entrants.add(conn, Entrant(CUP, number, handle, address, f"token-{name}", START, state="confirmed"))
