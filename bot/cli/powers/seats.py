"""`mentat game replace`: give a seat to another player."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Seat, Tell, Why, address_named, answer, seat_named, use_of
from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, fail, open_session
from bot.game_master import substitutes
from bot.service.system_clock import utc_now
from rules.components import faction_name


def replace(
    game: Game,
    faction: Seat,
    address: Annotated[str, typer.Argument(help="The new player's mail address.")],
    name: Annotated[str, typer.Option(help="What the others call them; the part before the @ if left out.")] = "",
    allow_same_person: Annotated[
        bool,
        typer.Option("--allow-same-person", help="Let another address of one mailbox play: to try things out."),
    ] = False,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Give a seat to another player. They are told everything that the seat knows, everybody that they play.

    Example: `mentat game replace sietch-12 harkonnen dora@example.org --name Dora`
    """
    whose = seat_named(faction)
    address_named(address)
    if re.search(r"[\r\n\x00-\x1f]", name):
        fail("--name: a name is one line of text.", WRONG_USE)
    session = open_session(config)
    use = use_of(why, tell, at, dry_run)
    seat = substitutes.replace(
        session.moderator.open_games, game, whose, address, utc_now(), name, use, tags_apart=allow_same_person
    )
    told = f"{faction_name(seat.faction)} in {game} is played by {seat.name} ({seat.address}) from now on."
    document = {"game": game, "faction": faction, "address": seat.address, "name": seat.name}
    later = f"{told} The letters go out with `mentat run` or `mentat send`."
    answer(told if dry_run else later, document, dry_run=dry_run, as_json=as_json)
