"""`mentat game observe|unobserve`: who gets the public summaries of a game."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, answer_json, console, fail, open_session
from bot.games import observers
from bot.service.system_clock import utc_now

Game = Annotated[str, typer.Argument(help="The game's id.")]
Observer = Annotated[str, typer.Argument(metavar="ADDRESS", help="The observer's mail address.")]


def observe(game: Game, address: Observer, config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Send somebody the public summary of each turn. They are told how to end it, and see nothing that is not public.

    Example: `mentat game observe sietch-12 ann@example.org`
    """
    if not address.isascii() or not re.fullmatch(r"""[^\s@<>,;:"()]+@[^\s@<>,;:"()]+""", address):
        fail(f"ADDRESS: {address!r} is not one mail address, like ann@example.org.", WRONG_USE)
    session = open_session(config)
    try:
        observers.observe(session.moderator.open_games, game, address, utc_now())
    except observers.ObserverRefused as refused:
        fail(str(refused))
    _answer(f"{address} observes {game} from now on.", game, address, as_json)


def unobserve(game: Game, address: Observer, config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Send somebody no more summaries of a game.

    Example: `mentat game unobserve sietch-12 ann@example.org`
    """
    session = open_session(config)
    try:
        observers.leave(session.moderator.open_games, game, address)
    except observers.ObserverRefused as refused:
        fail(str(refused))
    _answer(f"{address} observes {game} no longer.", game, address, as_json)


def _answer(told: str, game: str, address: str, as_json: bool) -> None:
    if as_json:
        answer_json({"game": game, "address": address})
    else:
        console.print(told, highlight=False, markup=False)
