"""`mentat game order|position`: order for a seat, as if its player had written it; put a fact of the position right."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Seat, Tell, Why, answer, seat_named, use_of
from bot.cli.session import CONFIG, AsJson, Config, open_session
from bot.game_master import positions
from bot.moderator import directed
from bot.service.system_clock import utc_now


def order(
    game: Game,
    faction: Seat,
    line: Annotated[list[str], typer.Argument(metavar="LINE...", help="The orders, each in quotes.")],
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Order for a seat as if its player had written it. The player is told at once; everybody at the end of the game.

    Example: `mentat game order sietch-12 guild "ship 4 to carthag" --why "told me on the phone" --if 4/shipment`
    """
    session, whose = open_session(config), seat_named(faction)
    use = use_of(why, tell, at, dry_run)
    taken = directed.order(session.moderator.open_games, game, whose, line, utc_now(), use)
    told = "; ".join(f"{each.status} {each.canonical or each.text}{f': {each.reason}' if each.reason else ''}"
                     for each in taken)  # fmt: skip
    lines = [{"line": each.text, "status": each.status, "order": each.canonical, "reason": each.reason}
             for each in taken]  # fmt: skip
    answer(told, {"game": game, "faction": whose, "lines": lines}, dry_run=dry_run, as_json=as_json)


def position(
    game: Game,
    correction: Annotated[list[str], typer.Argument(metavar="CORRECTION...", help="What is so, each in quotes.")],
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Put facts of the position right, all of them or none. Everybody is told what all may see of it, and the owner of
    a hand or a shield the rest. It is an entry of the log, so the game replays with it.

    Write `spice guild +3`, `spice cielago-north = 8`, `forces arrakeen atreides 5`, `tanks guild 2`,
    `card Lasgun from guild to discard`, `leader Stilgar alive`, `storm 14`.

    Example: `mentat game position sietch-12 "spice guild +3" "tanks guild 2" --why "charity was forgotten"`
    """
    session = open_session(config)
    positions.correct(session.moderator.open_games, game, correction, utc_now(), use_of(why, tell, at, dry_run))
    told = f"Put right in {game}: {'; '.join(correction)}"
    answer(told, {"game": game, "corrections": correction}, dry_run=dry_run, as_json=as_json)
