"""`mentat tournament substitute|disqualify`: seats that change hands, and who is put out."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, answer_json, fail, open_session
from bot.cli.tournament.options import DryRun, Id, If, Why, by, show_lines
from bot.cli.tournament.results import Table
from bot.service.system_clock import utc_now
from bot.tournament import leaving, substitutes
from bot.tournament.places import written
from rules.components import FACTION_FACTS, as_faction, faction_name


def substitute(
    tournament: Id,
    table: Table,
    faction: Annotated[str, typer.Argument(help="The seat.")],
    entrant: Annotated[str, typer.Argument(metavar="[ENTRANT]", help="Who takes it, as E050.")] = "",
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Give a seat to a standby; without one the next who fits is asked, and the caretaker plays meanwhile.

    Example: `mentat tournament substitute cup 1.3 guild E050 --why "Nothing was heard of them for a week."`
    """
    if faction not in FACTION_FACTS:
        fail(f"FACTION: {faction!r} is not one of {', '.join(FACTION_FACTS)}.", WRONG_USE)
    session = open_session(config)
    filled = substitutes.substitute(
        session.moderator.open_games, tournament, table, as_faction(faction), entrant, by(why, seen), utc_now(),
        dry_run=dry_run,
    )  # fmt: skip
    seated, asked = filled.seated, filled.asked
    if as_json:
        answer_json(
            {"tournament": tournament, "table": written(filled.table), "faction": faction,
             "seated": seated.handle if seated else None, "asked": asked.handle if asked else None,
             "until": filled.until, "dry_run": dry_run}
        )  # fmt: skip
        return
    where = f"{faction_name(filled.faction)} at table {written(filled.table)}"
    if seated:
        said = f"{where} is played by {seated.handle} from now on."
    elif asked:
        said = f"{asked.handle} is asked to take {where}, until {filled.until:%Y-%m-%d %H:%M}Z."
    else:
        said = f"No standby fits; the caretaker plays {where}."
    show_lines(said, dry_run=dry_run)


def disqualify(
    tournament: Id,
    entrant: Annotated[str, typer.Argument(metavar="ENTRANT", help="Who, as E012.")],
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Put an entrant out: their results stay in the record and score nothing, those of their opponents stand.

    Example: `mentat tournament disqualify cup E012 --why "They wrote to another table about its game."`
    """
    session = open_session(config)
    out = leaving.disqualify(
        session.moderator.open_games, tournament, entrant, by(why, seen), utc_now(), dry_run=dry_run
    )
    if as_json:
        answer_json({"tournament": tournament, "handle": out.handle, "state": "disqualified", "dry_run": dry_run})
    else:
        show_lines(f"{out.handle} is out of {tournament}.", dry_run=dry_run)
