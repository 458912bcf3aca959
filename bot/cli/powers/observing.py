"""`mentat game observe|unobserve`: who gets the public summaries of a game."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Tell, Why, address_named, answer, seat_named, use_of
from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, fail, open_session
from bot.game_master import observing
from bot.games import observers
from bot.service.system_clock import utc_now
from rules.components import FACTION_FACTS

Observer = Annotated[str, typer.Argument(metavar="ADDRESS", help="The observer's mail address.")]


def observe(
    game: Game,
    address: Observer,
    delay: Annotated[
        int, typer.Option("--delay", metavar="TURNS", help="Send each letter so many turns late, as it was then.")
    ] = 0,
    full: Annotated[
        bool, typer.Option("--full", help="What is hidden too, 2 turns late or more, if all seats agreed.")
    ] = False,
    consent: Annotated[
        list[str] | None, typer.Option(metavar="FACTION", help="Who agreed to --full; once for each, or all.")
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Send them nothing more, as `mentat game unobserve`.")] = False,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Send somebody the public summary of each turn. They are told how to end it, and see nothing that is not public,
    but with --full; then the table is told that somebody reads along, not who.

    Example: `mentat game observe sietch-12 ann@example.org`
    Example: `mentat game observe sietch-12 ann@example.org --full --delay 3 --consent all`
    """
    if off and (delay or full):
        fail("--off stands alone: it ends what --delay and --full begin.", WRONG_USE)
    if (consent or tell) and not full:
        fail("--consent and --tell go with --full: of other observers the table is told nothing.", WRONG_USE)
    if not off:
        address_named(address)
    open_games, now = open_session(config).moderator.open_games, utc_now()
    agreed = FACTION_FACTS if consent == ["all"] else [seat_named(word) for word in consent or ()]
    use = use_of(why, tell, at, dry_run)
    try:
        if off:
            observing.unobserve(open_games, game, address, now, use)
        elif full:
            observing.observe_fully(open_games, game, address, now, use, delay, agreed)
        else:
            observing.observe(open_games, game, address, now, use, delay)
    except observers.ObserverRefused as refused:
        fail(str(refused))
    told = f"{address} observes {game} no longer." if off else f"{address} observes {game} from now on."
    document = {"game": game, "address": address, "observes": not off, "delay": delay, "full": full}
    answer(told, document, dry_run=dry_run, as_json=as_json)


def unobserve(
    game: Game,
    address: Observer,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Send somebody no more summaries of a game.

    Example: `mentat game unobserve sietch-12 ann@example.org`
    """
    session = open_session(config)
    try:
        observing.unobserve(session.moderator.open_games, game, address, utc_now(), use_of(why, "", at, dry_run))
    except observers.ObserverRefused as refused:
        fail(str(refused))
    told = f"{address} observes {game} no longer."
    answer(told, {"game": game, "address": address}, dry_run=dry_run, as_json=as_json)
