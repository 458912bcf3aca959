"""`mentat game address` and `mentat game freeze`: by what address, and to what reply address, a player writes."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Seat, Why, address_named, answer, seat_named, use_of
from bot.cli.session import CONFIG, AsJson, Config, answer_json, fail, open_session, print_line
from bot.game_master.addresses import freeze_seat, move_seat
from bot.identity.addresses import AddressRefused
from bot.service.system_clock import utc_now
from bot.store import addresses, games
from bot.store.database import reading
from rules.components import faction_name


def address(
    game: Game,
    faction: Seat,
    new: Annotated[str, typer.Argument(metavar="[ADDRESS]", help="The address from now on.")] = "",
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show by which addresses a player is known, or change their address in a game: they keep seat and secrets, get a
    new reply address, and what is open once more. The old address does not count there any more.

    Example: `mentat game address sietch-12 harkonnen vladimir@example.org`
    """
    whose = seat_named(faction)
    wanted = address_named(new) if new else ""
    session = open_session(config)
    try:
        if wanted:
            move_seat(session.moderator.open_games, game, whose, wanted, utc_now(), use_of(why, "", at, dry_run))
    except AddressRefused as refused:
        fail(str(refused))
    with reading(session.engine) as conn:
        seat = games.open_table(conn, game).seats.get(whose)
        if seat is None:
            fail(f"{faction_name(whose)} is not played in {game}.")
        known = sorted(addresses.known_as(conn, seat.address))
    if as_json:
        answer_json({"game": game, "faction": whose, "address": seat.address, "addresses": known})
        return
    others = ", ".join(other for other in known if other != seat.address)
    told = f"The letters of {faction_name(whose)} in {game} go to {seat.address}."
    print_line(f"{told}{f' Known too: {others}.' if others else ''}")


def freeze(
    game: Game,
    faction: Seat,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Replace a seat's reply address, because somebody else may know it. The player gets the new one by mail, and the
    old one is dead at once.

    Example: `mentat game freeze sietch-12 harkonnen --why "They forwarded a letter."`
    """
    whose = seat_named(faction)
    open_games, use = open_session(config).moderator.open_games, use_of(why, "", at, dry_run)
    sat_in = freeze_seat(open_games, game, whose, utc_now(), use)
    told = f"{faction_name(whose)} in {game} has a new reply address; the letter goes out with `mentat run` or `send`."
    told += " Nobody sits in for them any more." if sat_in else ""
    answer(told, {"game": game, "faction": whose, "frozen": True}, dry_run=dry_run, as_json=as_json)
