"""`mentat game press`: how the players of a game may write to each other."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Tell, Why, answer, use_of
from bot.cli.session import CONFIG, AsJson, Config, answer_json, open_session, print_line
from bot.game_master import press as power
from bot.reports.press_mode import told_of_press
from bot.service.system_clock import utc_now
from bot.store import games
from bot.store.database import reading
from bot.table.press import settings_of


def press(
    game: Game,
    mode: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MODE[,FLAG]...]", help="From now on; only stricter than before. Left out: show it."),
    ] = None,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show how the players of a game may write to each other, or make that stricter.

    Modes: open, public, none, table, grey, mixed, fake. Added with commas: gunboat, postal, late, yellow, must-order,
    neighbours, copies-to-desk, language, archived, quota=N, observers=none|desk|white, and in a
    tournament names-until=round.
    Examples: `mentat game press sietch-12`, `mentat game press sietch-12 public,quota=3 --why "they asked for it"`
    """
    session = open_session(config)
    if mode:
        wanted, use = ",".join(mode), use_of(why, tell, at, dry_run)
        settings = power.change(session.moderator.open_games, game, wanted, utc_now(), use)
        told = f"The press of {game} is {settings.words} from now on; its players are told."
        answer(told, {"game": game, "press": settings.words}, dry_run=dry_run, as_json=as_json)
        return
    with reading(session.engine) as conn:
        settings = settings_of(games.open_table(conn, game))
    if as_json:
        answer_json({"game": game, "press": settings.words})
        return
    print_line(f"The press of {game} is {settings.words}:")
    for sentence in told_of_press(settings):
        print_line(f"  {sentence}")
