"""`mentat tournament start`: the games begin."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.session import CONFIG, NO, AsJson, Config, answer_json, open_session
from bot.cli.tournament.options import DryRun, Id, If, Why, by, show_lines
from bot.service.system_clock import utc_now
from bot.tournament import starting


def start(
    tournament: Id,
    number: Annotated[int, typer.Option("--round", metavar="N", help="The round; all drawn ones if left out.")] = 0,
    only: Annotated[str, typer.Option(metavar="TABLE", help="One table alone, like 1.3.")] = "",
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Make the games of the tables that were drawn, and mail their players. What has begun is not begun again.

    Example: `mentat tournament start cup`
    """
    session = open_session(config)
    started = starting.start(
        session.moderator.open_games, tournament, utc_now(), number=number, only=only, by=by(why, seen),
        dry_run=dry_run,
    )  # fmt: skip
    if as_json:
        answer_json(
            {"tournament": tournament, "started": dict(started.now), "already": started.before,
             "waiting": dict(started.waiting), "dry_run": dry_run}
        )  # fmt: skip
    else:
        lines = [f"table {table} begins as {game}" for table, game in started.now]
        if started.now:
            lines.append("Their letters go out with `mentat run` or `mentat send`.")
        elif not started.waiting:
            of = len(started.before)
            have = f"All {of} tables have" if of > 1 else "Its table has"
            lines.append(f"{have} begun already; nothing was done.")
        lines += [f"table {table} waits: {reason}" for table, reason in started.waiting]
        show_lines(*lines, dry_run=dry_run)
    if started.waiting:
        raise typer.Exit(NO)
