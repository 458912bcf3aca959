"""`mentat tournament enter` and `withdraw`: who takes part."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from bot.cli.session import (
    CONFIG,
    WRONG_USE,
    AsJson,
    Config,
    answer_json,
    fail,
    open_session,
    print_line,
)
from bot.service.system_clock import utc_now
from bot.store.tournaments import entrants
from bot.store.tournaments.tournaments import UnknownTournament
from bot.tournament import entering
from bot.tournament.desk import By, Refused, acting
from bot.tournament.given_names import clean, display_name
from bot.tournament.mail_commands import Games

Id = Annotated[str, typer.Argument(metavar="ID", help="The tournament.")]
Why = Annotated[str, typer.Option("--why", help="For the record of acts.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]


def enter(
    tournament: Id,
    address: Annotated[str, typer.Argument(help="The mail address of who enters.")],
    name: Annotated[str, typer.Option(help="What they are called; shown to others once they agree.")] = "",
    standby: Annotated[bool, typer.Option("--standby", help="Only as a substitute.")] = False,
    why: Why = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Enter somebody: they get a letter with a code, and are in once they have confirmed by mail.

    Example: `mentat tournament enter cup ann@example.org --name Ann`
    """
    if not re.fullmatch(r"""[^\s@<>,;:"()]+@[^\s@<>,;:"()]+""", address):
        fail(f"ADDRESS: {address!r} is not one mail address, like ann@example.org.", WRONG_USE)
    session = open_session(config)
    try:
        asked = entering.enter(
            session.moderator.open_games, tournament, address, utc_now(), name=clean(name), standby=standby,
            by=By(why=why), dry_run=dry_run,
        )  # fmt: skip
    except UnknownTournament as unknown:
        fail(str(unknown), WRONG_USE)
    except Refused as refused:
        fail(str(refused))
    entrant = asked.entrant
    if as_json:
        answer_json(
            {"tournament": tournament, "handle": entrant.handle, "state": entrant.state, "how": asked.how,
             "standby": entrant.standby, "dry_run": dry_run}
        )  # fmt: skip
        return
    told = {
        "asked": f"{entrant.handle}: a letter with a code goes to {entrant.address}; they are in once they confirm it.",
        "again": f"{entrant.handle} was entered before and has not confirmed; the letter goes to {entrant.address}.",
        "in": f"{display_name(entrant.handle, entrant.name)} is in already, as {entrant.state}; nothing has changed.",
    }[asked.how]
    print_line(f"{'It would be: ' if dry_run else ''}{told}")


def withdraw(
    tournament: Id,
    handle: Annotated[str, typer.Argument(metavar="ENTRANT", help="Who, as E012.")],
    games: Annotated[str, typer.Option("--games", help="keep or leave: the games that they play.")] = "",
    why: Why = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Take an entrant out. Before play that costs nothing; with games under way say whether they play on there.

    Example: `mentat tournament withdraw cup E012 --games keep --why "They asked by telephone."`
    """
    if games not in ("", "keep", "leave"):
        fail(f"--games: {games!r} is neither keep nor leave.", WRONG_USE)
    said: Games = "keep" if games == "keep" else "leave" if games else ""
    session = open_session(config)
    open_games = session.moderator.open_games
    try:
        with acting(open_games, tournament, dry_run=dry_run) as (conn, found):
            entrant = entrants.find(conn, tournament, handle)
            if entrant is None:
                raise Refused(
                    f"{tournament} has no entrant {handle!r}; `mentat tournament show {tournament}` names them."
                )
            entering.withdraw(conn, open_games, found, entrant, utc_now(), By(why=why), said)
    except UnknownTournament as unknown:
        fail(str(unknown), WRONG_USE)
    except Refused as refused:
        fail(str(refused))
    if as_json:
        answer_json({"tournament": tournament, "handle": entrant.handle, "state": "withdrawn", "dry_run": dry_run})
        return
    told = f"{entrant.handle} takes no part in {tournament} any more."
    print_line(f"{'It would be: ' if dry_run else ''}{told}")
