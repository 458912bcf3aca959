"""`mentat game remind|bank|excuse|caretaker|process|default`: what is done for one seat, or in its place by silence."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Seat, Tell, Why, answer, seat_named, use_of
from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, fail, open_session
from bot.game_master import early, seats
from bot.service.system_clock import utc_now
from bot.wording.filters import span
from rules.components import faction_name

MOST_HOURS = 1_440


def remind(
    game: Game,
    faction: Seat,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Send a seat its reminder now. Nobody else notices, and where the seat owes nothing, nothing is sent.

    Example: `mentat game remind sietch-12 guild`
    """
    session, whose = open_session(config), seat_named(faction)
    seats.remind(session.moderator.open_games, game, whose, utc_now(), use_of(why, "", at, dry_run))
    told = f"If {faction_name(whose)} owes an answer, they are reminded of it."
    answer(told, {"game": game, "faction": whose}, dry_run=dry_run, as_json=as_json)


def bank(
    game: Game,
    faction: Seat,
    hours: Annotated[float, typer.Argument(help="How many hours more; less, with a minus after `--`.")],
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Add hours to the time bank of a seat, or take them off. Its player is told what it holds then.

    Example: `mentat game bank sietch-12 guild 24`, `mentat game bank sietch-12 guild -- -12`
    """
    if not 0 < abs(hours) <= MOST_HOURS:
        fail(f"HOURS: {hours:g} is not between 0 and {MOST_HOURS}, more or less.", WRONG_USE)
    session, whose = open_session(config), seat_named(faction)
    minutes = seats.bank(session.moderator.open_games, game, whose, hours, utc_now(), use_of(why, tell, at, dry_run))
    told = f"The time bank of {faction_name(whose)} holds {span(minutes)}."
    answer(told, {"game": game, "faction": whose, "minutes": minutes}, dry_run=dry_run, as_json=as_json)


def excuse(
    game: Game,
    faction: Seat,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Count nothing against a seat that it has missed so far. Its player is told.

    Example: `mentat game excuse sietch-12 guild --why "in hospital"`
    """
    session, whose = open_session(config), seat_named(faction)
    seats.excuse(session.moderator.open_games, game, whose, utc_now(), use_of(why, tell, at, dry_run))
    told = f"Nothing is counted against {faction_name(whose)}."
    answer(told, {"game": game, "faction": whose}, dry_run=dry_run, as_json=as_json)


def caretaker(
    game: Game,
    faction: Seat,
    state: Annotated[str, typer.Argument(metavar="on|off", help="Whether the caretaker plays for the seat.")],
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let the caretaker play for a seat from now on, or leave it. Everybody is told.

    Example: `mentat game caretaker sietch-12 guild on`
    """
    if state not in ("on", "off"):
        fail(f"{state!r}: write on or off.", WRONG_USE)
    session, whose, on = open_session(config), seat_named(faction), state == "on"
    seats.caretaker(session.moderator.open_games, game, whose, on, utc_now(), use_of(why, tell, at, dry_run))
    told = f"The caretaker {'plays' if on else 'plays no longer'} for {faction_name(whose)}."
    answer(told, {"game": game, "faction": whose, "caretaker": on}, dry_run=dry_run, as_json=as_json)


def process(
    game: Game,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let silence answer every duty whose deadline is past, without the grace or time bank that may still run.
    Reactions keep their time. Everybody is told that the game goes on, nobody who had answered.

    Example: `mentat game process sietch-12 --if 4/bidding`
    """
    session = open_session(config)
    early.process(session.moderator.open_games, game, utc_now(), use_of(why, tell, at, dry_run))
    answer(f"What was due in {game} is decided.", {"game": game}, dry_run=dry_run, as_json=as_json)


def default(
    game: Game,
    faction: Seat,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The duty, as `mentat game show` names it.")],
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let silence answer one duty now that all know of. Everybody is told.

    Example: `mentat game default sietch-12 guild bid`
    """
    session, whose = open_session(config), seat_named(faction)
    early.default(session.moderator.open_games, game, whose, question, utc_now(), use_of(why, tell, at, dry_run))
    told = f"Silence has answered {question} for {faction_name(whose)}."
    answer(told, {"game": game, "faction": whose, "question": question}, dry_run=dry_run, as_json=as_json)
