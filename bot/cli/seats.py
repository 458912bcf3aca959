"""`mentat game replace`: give a seat to another player."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, answer_json, console, fail, open_session
from bot.game_master import substitutes
from bot.service.system_clock import utc_now
from rules.components import FACTIONS, as_faction, faction_name


def replace(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    faction: Annotated[str, typer.Argument(help="The seat.")],
    address: Annotated[str, typer.Argument(help="The new player's mail address.")],
    name: Annotated[str, typer.Option(help="What the others call them; the part before the @ if left out.")] = "",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Give a seat to another player. They are told everything that the seat knows, everybody that they play.

    Example: `mentat game replace sietch-12 harkonnen dora@example.org --name Dora`
    """
    if faction not in FACTIONS:
        fail(f"FACTION: {faction!r} is not one of {', '.join(FACTIONS)}.", WRONG_USE)
    if not re.fullmatch(r"""[^\s@<>,;:"()]+@[^\s@<>,;:"()]+""", address):
        fail(f"ADDRESS: {address!r} is not one mail address, like dora@example.org.", WRONG_USE)
    if re.search(r"[\r\n\x00-\x1f]", name):
        fail("--name: a name is one line of text.", WRONG_USE)
    session = open_session(config)
    try:
        seat = substitutes.replace(session.moderator.open_games, game, as_faction(faction), address, utc_now(), name)
    except substitutes.SeatRefused as refused:
        fail(str(refused))
    if as_json:
        answer_json({"game": game, "faction": faction, "address": seat.address, "name": seat.name})
        return
    told = f"{faction_name(seat.faction)} in {game} is played by {seat.name} ({seat.address}) from now on."
    console.print(f"{told} The letters go out with `mentat run` or `mentat send`.", highlight=False, markup=False)
