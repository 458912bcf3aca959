"""`mentat tournament grant|handover`: who looks after a tournament."""

from __future__ import annotations

from typing import Annotated, cast, get_args

import typer

from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, answer_json, fail, open_session
from bot.cli.tournament.options import DryRun, Id, If, Why, by, show_lines
from bot.service.system_clock import utc_now
from bot.store.tournaments.rights import Right
from bot.tournament import organisers

Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="Their mail address.")]


def grant(
    tournament: Id,
    address: Address,
    right: Annotated[str, typer.Argument(metavar="RIGHT", help=", ".join(get_args(Right)) + ".")],
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Give somebody a right in a tournament, in the place of another; they are told.

    A director may do all; an arbiter rules and adjudicates; a clerk looks after roster, clocks and letters; an auditor
    reads all after the end; a deputy becomes director if the others vanish.
    Example: `mentat tournament grant cup ann@example.org arbiter`
    """
    if right not in get_args(Right):
        fail(f"{right!r} is no right; there are {', '.join(get_args(Right))}.", WRONG_USE)
    session = open_session(config)
    done = organisers.grant(
        session.moderator.open_games, tournament, address, cast(Right, right), utc_now(), by=by(why, seen),
        dry_run=dry_run,
    )  # fmt: skip
    if as_json:
        answer_json(
            {"tournament": tournament, "address": address, "right": right, "already": not done, "dry_run": dry_run}
        )
    elif done:
        show_lines(f"{address} is {right} of {tournament}.", dry_run=dry_run)
    else:
        show_lines(f"{address} is {right} of {tournament} already; nothing was done.")


def handover(
    tournament: Id,
    address: Address,
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Ask somebody to direct a tournament from now on. They confirm from that address; then the former rights end.

    Example: `mentat tournament handover cup bob@example.org`
    """
    session = open_session(config)
    done = organisers.hand_over(
        session.moderator.open_games, tournament, address, utc_now(), by=by(why, seen), dry_run=dry_run
    )
    if as_json:
        answer_json({"tournament": tournament, "address": address, "already": not done, "dry_run": dry_run})
    elif done:
        show_lines(
            f"{address} is asked by mail to direct {tournament}; until they confirm nothing changes.", dry_run=dry_run
        )
    else:
        show_lines(f"{address} is the director of {tournament} already; nothing was done.")
