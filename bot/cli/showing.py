"""`mentat game list` and `mentat game show`: for a person to read, and with `--json` for a program."""

from __future__ import annotations

import sys
from collections.abc import Collection
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
    tell_if_held,
)
from bot.game_master import desk_mail
from bot.game_master.desk import standing_of
from bot.game_master.desk_words import listing
from bot.game_master.shown import shown
from bot.games.json_view import json_view
from bot.games.sight import require_sight
from bot.reports.document import Document
from bot.reports.plain import as_text
from bot.service.system_clock import utc_now
from bot.store import desk, games
from bot.store.database import reading
from rules.components import Faction, as_faction
from rules.state.events import Viewer

As = Annotated[str, typer.Option("--as", metavar="VIEWER", help="A faction, public, or gm.")]


def list_games(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """List the games: where each stands, whom it waits for, and what is due next. Example: `mentat game list --json`"""
    session = open_session(config)
    tell_if_held(session)
    with reading(session.engine) as conn:
        rows = desk.every_game(conn)
        if as_json:
            answer_json(
                [
                    {"game": row.id, "ruleset": row.ruleset, "status": row.status, "turn": row.turn,
                     "phase": row.phase, "winner": list(row.winners)}
                    for row in rows
                ]
            )  # fmt: skip
            return
        owed, nameless = desk.by_game(desk.owed(conn)), desk.nameless(conn)
        own = desk.games_of(conn, desk_mail.is_master(conn, session.moderator.open_games))
    if not rows:
        print_line("There is no game yet; start one with `mentat game new`.")
        return
    standing = [standing_of(row, owed.get(row.id, ()), nameless.get(row.id), own=row.id in own) for row in rows]
    sys.stdout.write(as_text(Document("", "", listing(standing, utc_now(), session.settings.mentat.timezone))))


def show(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    viewer: As = "public",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show a game as a viewer may see it, and nothing else. Example: `mentat game show sietch-12 --as guild --json`"""
    session = open_session(config)
    with reading(session.engine) as conn:
        table = games.open_table(conn, game)
        seen_as = viewer_named(viewer, table.seats)
        if seen_as != "public":
            require_sight(conn, game)
    if as_json:
        answer_json(json_view(table, seen_as))
        return
    sys.stdout.write(as_text(shown(session.moderator.writer, table, seen_as, utc_now())))


def viewer_named(text: str, seats: Collection[Faction]) -> Viewer:
    """A viewer as it was typed."""
    if text in ("public", "gm"):
        return text
    if text not in seats:
        fail(f"--as {text!r}: a viewer is public, gm, or one of {', '.join(seats)}.", WRONG_USE)
    return as_faction(text)
