"""A tournament that was only made, and entrants who are in without having asked."""

from __future__ import annotations

from bot.store import tournaments
from bot.store.database import writing
from bot.store.tournaments import Entrant, Tournament
from bot.tournament import preparation
from tests.moderator.table import START, World

CUP = "cup"
SETTINGS = 'title = "The Cup"\nformat = "heats"\n'


def make(world: World, settings: str = SETTINGS, secret: str = "") -> Tournament:
    return preparation.new_tournament(world.moderator.open_games, CUP, settings, world.now, secret=secret).tournament


def enter(world: World, *names: str) -> None:
    with writing(world.engine) as conn:
        for name in names:
            number = tournaments.next_entrant_number(conn, CUP)
            handle = tournaments.handle(number)
            address = f"{name}@players.example"
            tournaments.add_entrant(
                conn, Entrant(CUP, number, handle, address, f"token-{name}", START, state="confirmed")
            )
