"""`mentat game sitter`: somebody sits in for a player for some days."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Seat, Tell, Why, answer, seat_named, use_of
from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, fail, open_session
from bot.game_master import sitters
from bot.service.system_clock import utc_now
from rules.components import faction_name


def sitter(
    game: Game,
    faction: Seat,
    address: Annotated[str, typer.Argument(help="Their address.")] = "",
    until: Annotated[str, typer.Option(metavar="DAY", help="The last day, like 2027-01-31; at most 60 days on.")] = "",
    name: Annotated[str, typer.Option(help="What they are called in their letters.")] = "",
    off: Annotated[bool, typer.Option("--off", help="Nobody sits in for that player any more.")] = False,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let somebody sit in for a player until a day: they get copies of the letters and may order. The player may too,
    and ends it with "sitter off".

    Example: `mentat game sitter sietch-12 guild sam@example.org --until 2027-01-31 --why "in hospital"`,
    `mentat game sitter sietch-12 guild --off`
    """
    if off == bool(address) or bool(address) != bool(until):
        fail("Name an address and the last day with --until, or else --off alone.", WRONG_USE)
    session, whose = open_session(config), seat_named(faction)
    open_games, use = session.moderator.open_games, use_of(why, tell, at, dry_run)
    if off:
        sitters.stand_up(open_games, game, whose, utc_now(), use)
        told = f"Nobody sits in for {faction_name(whose)} in {game} any more."
        answer(told, {"game": game, "faction": whose, "sitter": None}, dry_run=dry_run, as_json=as_json)
        return
    end = sitters.end_of_day(session.settings, until)
    seat = sitters.sit_in(open_games, game, whose, address, end, utc_now(), name, use)
    told = f"{address} sits in for {faction_name(whose)} in {game} until the end of {until}."
    document = {"game": game, "faction": whose, "sitter": seat.sitter or address, "until": end.isoformat()}
    answer(told, document, dry_run=dry_run, as_json=as_json)
