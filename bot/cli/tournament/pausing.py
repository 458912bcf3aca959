"""`mentat tournament pause|resume`: all tables of a round stand still together, and go on together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from bot.cli.session import CONFIG, AsJson, Config, answer_json, open_session
from bot.cli.tournament.options import DryRun, Id, If, Why, by, show_lines
from bot.service.system_clock import utc_now
from bot.store.tournaments.rounds import RoundTable
from bot.tournament import pausing
from bot.tournament.places import written

Number = Annotated[int, typer.Option("--round", metavar="N", min=0, help="This round alone; else all that are played.")]
Tell = Annotated[str, typer.Option(metavar="WORDS", help="What the tables are told besides, in your words.")]


def pause(
    tournament: Id,
    number: Number = 0,
    why: Why = "",
    tell: Tell = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Stop the clocks at all tables that go on; everybody is told. `mentat game pause` does it for one.

    Example: `mentat tournament pause cup --tell "The mail provider is down."`
    """
    open_games = open_session(config).moderator.open_games
    done = pausing.pause(open_games, tournament, number, by(why, seen), utc_now(), tell=tell.strip(), dry_run=dry_run)
    _say(tournament, done, "The clocks stand still at", dry_run=dry_run, as_json=as_json)


def resume(
    tournament: Id,
    number: Number = 0,
    why: Why = "",
    tell: Tell = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let the clocks go on at all tables that are paused; what was open has as much time left as when they stopped.

    Example: `mentat tournament resume cup --round 2`
    """
    open_games = open_session(config).moderator.open_games
    done = pausing.resume(open_games, tournament, number, by(why, seen), utc_now(), tell=tell.strip(), dry_run=dry_run)
    _say(tournament, done, "The clocks go on at", dry_run=dry_run, as_json=as_json)


def _say(tournament: str, done: Sequence[RoundTable], told: str, *, dry_run: bool, as_json: bool) -> None:
    named = [written(table) for table in done]
    if as_json:
        answer_json({"tournament": tournament, "tables": named, "dry_run": dry_run})
    else:
        show_lines(f"{told} {', '.join(named)}.", dry_run=dry_run)
