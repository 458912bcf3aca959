"""`mentat tournament apart`: who is never seated together."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.session import CONFIG, AsJson, Config, answer_json, open_session
from bot.cli.tournament.options import DryRun, Id, If, Why, by, show_lines
from bot.service.system_clock import utc_now
from bot.store.database import reading
from bot.tournament import parting


def apart(
    tournament: Id,
    one: Annotated[str, typer.Argument(metavar="E001", help="An entrant, by handle.")],
    other: Annotated[str, typer.Argument(metavar="E002", help="The other.")],
    remove: Annotated[bool, typer.Option("--remove", help="They may sit together again.")] = False,
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Never seat two entrants together from the next draw on. Nobody is told, and the record does not say who.

    Example: `mentat tournament apart cup E001 E002 --why "sisters"`
    """
    session = open_session(config)
    done = parting.keep_apart(
        session.moderator.open_games, tournament, one, other, utc_now(), by=by(why, seen), remove=remove,
        dry_run=dry_run,
    )  # fmt: skip
    with reading(session.engine) as conn:
        together = [] if remove else parting.sitting_together(conn, tournament, one, other)
    pair = f"{one.upper()} and {other.upper()}"
    if as_json:
        answer_json(
            {"tournament": tournament, "pair": [one.upper(), other.upper()], "apart": not remove, "already": not done,
             "together_at": together, "dry_run": dry_run}
        )  # fmt: skip
        return
    if not done:
        show_lines(f"That is so already for {pair}; nothing was done.")
    else:
        told = "may be seated together again" if remove else "are seated together at no table that is drawn from now on"
        show_lines(f"{pair} {told}.", dry_run=dry_run)
    if together:
        show_lines(f"They sit together at {', '.join(together)}, which was drawn before and stands.")
