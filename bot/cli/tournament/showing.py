"""`mentat tournament show|list`: how tournaments stand."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table as RichTable

from bot.cli.session import CONFIG, AsJson, Config, answer_json, console, open_session
from bot.cli.tournament.options import Id, show_lines
from bot.service.system_clock import utc_now
from bot.store.database import reading
from bot.store.tournaments import entrants, tournaments
from bot.tournament import showing


def show(
    tournament: Id,
    number: Annotated[int, typer.Option("--round", metavar="N", help="One round alone.")] = 0,
    viewer: Annotated[
        str, typer.Option("--as", metavar="VIEWER", help="director, public, or an entrant by handle.")
    ] = "director",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show how a tournament stands: its rounds and tables, what waits, and when it may end.

    Example: `mentat tournament show cup --as public`
    """
    session, now = open_session(config), utc_now()
    with reading(session.engine) as conn:
        found = tournaments.find(conn, tournament)
        seen = showing.view(conn, found, now, showing.viewer_named(conn, found, viewer), number)
    if as_json:
        answer_json(seen)
        return
    console.print(f"[bold]{escape(found.title)}[/bold]  {found.id}, {seen['format']}, {found.state}")
    counted = ", ".join(f"{count} {state}" for state, count in seen["entrants"].items())
    beacon = f"beacon: {found.beacon}" if found.beacon else seen["beacon"]
    lines = [f"entrants: {counted or 'none'}", f"settings: {seen['settings_sha256']}", beacon]
    if you := seen.get("you"):
        lines.append(f"you: {you['handle']}, {you['state']}")
    for each in seen["rounds"]:
        lines += _round(each)
    lines += [f"waits: {each['what']}{_by(each['command'])}" for each in seen.get("waits", ())]
    if seen["ends_about"]:
        lines.append(f"ends about {seen['ends_about']:%Y-%m-%d}")
    show_lines(*lines)


def _round(each: dict[str, Any]) -> list[str]:
    ends = f", ends {each['ends']:%Y-%m-%d %H:%M}Z" if each["ends"] else ""
    lines = [f"round {each['round']}: {each['kind']}, {each['state']}{ends}"]
    for table in each["tables"]:
        seats = ", ".join(f"{seat['entrant'] or 'nobody'} {seat['faction'] or seat['dot']}" for seat in table["seats"])
        turn = f", turn {table['turn']}" if "turn" in table else ""
        won = f", won by {', '.join(table['winners']) or 'nobody'}" if "winners" in table else ""
        lines.append(f"  {table['table']}  {table['state']}{turn}{won}  {table['game']}  {seats}")
    return lines


def _by(command: str) -> str:
    return f" ({command})" if command else ""


def list_tournaments(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """List the tournaments. Example: `mentat tournament list --json`"""
    session, now = open_session(config), utc_now()
    with reading(session.engine) as conn:
        rows = [
            {"tournament": each.id, "title": each.title, "format": each.settings.format, "state": each.state,
             "entrants": len(entrants.of_tournament(conn, each.id)), "ends_about": showing.forecast(conn, each, now)}
            for each in tournaments.every(conn)
        ]  # fmt: skip
    if as_json:
        answer_json(rows)
        return
    if not rows:
        show_lines("There is no tournament yet; `mentat tournament new --example heats` is a beginning.")
        return
    listing = RichTable("tournament", "title", "format", "state", "entrants", "ends about")
    for row in rows:
        ends = f"{row['ends_about']:%Y-%m-%d}" if row["ends_about"] else ""
        cells = (row["tournament"], row["title"], row["format"], row["state"], row["entrants"])
        listing.add_row(*(escape(str(cell)) for cell in cells), ends)
    console.print(listing)
