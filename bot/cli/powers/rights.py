"""`mentat game grant|revoke|handover`: who runs a game."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Why, answer, use_of
from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, fail, open_session
from bot.game_master import rights
from bot.service.system_clock import utc_now
from bot.store.game_rights import RIGHTS

Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="Their mail address.")]


def grant(
    game: Game,
    right: Annotated[str, typer.Argument(metavar="RIGHT", help="director, arbiter, clerk or auditor.")],
    address: Address,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let somebody help to run a game. They are told, with an address to which they may write their commands.

    A director may do all; an arbiter rules and corrects; a clerk looks after clocks, seats and letters, and sees no
    secrets; an auditor reads everything after the end. Whoever plays in the game can be none of them.

    Example: `mentat game grant sietch-12 clerk rey@example.org`
    """
    known = next((each for each in RIGHTS if each == right), None)
    if known is None:
        fail(f"RIGHT: {right!r} is not one of {', '.join(RIGHTS)}.", WRONG_USE)
    session = open_session(config)
    use = use_of(why, "", at, dry_run)
    fresh = rights.grant(session.moderator.open_games, game, known, address, utc_now(), use)
    told = f"{address} is {right} of {game}." if fresh else f"{address} is {right} of {game} already; nothing changed."
    answer(told, {"game": game, "address": address, "right": right}, dry_run=dry_run, as_json=as_json)


def revoke(
    game: Game,
    address: Address,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Take from somebody the right that they have at a game. They are told.

    Example: `mentat game revoke sietch-12 rey@example.org`
    """
    session = open_session(config)
    rights.revoke(session.moderator.open_games, game, address, utc_now(), use_of(why, "", at, dry_run))
    told = f"{address} has no right at {game} any more."
    answer(told, {"game": game, "address": address}, dry_run=dry_run, as_json=as_json)


def handover(
    game: Game,
    address: Address,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Ask somebody to direct a game instead of those who do. It is theirs when they answer with the code that they are
    sent, from that address; until then nothing changes. Then the table is told.

    Example: `mentat game handover sietch-12 rey@example.org`
    """
    session = open_session(config)
    rights.hand_over(session.moderator.open_games, game, address, utc_now(), use_of(why, "", at, dry_run))
    told = f"{address} is asked to take over {game}; nothing changes until they agree."
    answer(told, {"game": game, "address": address}, dry_run=dry_run, as_json=as_json)
