"""`mentat game end`: a last turn is announced, or a game ends at once."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, answer_json, console, fail, open_session
from bot.game_master import ending
from bot.games.json_view import json_view
from bot.service.system_clock import utc_now
from bot.store.database import reading
from rules.components import FACTIONS, Faction, as_faction


def end(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    last_turn: Annotated[int, typer.Option(metavar="N", help="Announce that turn N is the last.")] = 0,
    void: Annotated[bool, typer.Option("--void", help="End it now, without a winner.")] = False,
    agreed: Annotated[
        list[str] | None,
        typer.Option(metavar="FACTION", help="End it now: all seats agreed that this one (or several) won."),
    ] = None,
    adjudicated: Annotated[
        list[str] | None,
        typer.Option(metavar="FACTION", help="End it now: this one (or several) won on the public board."),
    ] = None,
    why: Annotated[str, typer.Option(help="For the record of the game.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen, and do nothing.")] = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a game end: after a turn that everybody is told of, or at once. What is announced stands in its log.

    Example: `mentat game end sietch-12 --last-turn 9 --why "the round ends in two weeks"`
    """
    chosen = [bool(last_turn), void, bool(agreed), bool(adjudicated)]
    if sum(chosen) != 1:
        fail("Say how the game ends: one of --last-turn N, --void, --agreed FACTION, --adjudicated FACTION.", WRONG_USE)
    session = open_session(config)
    winners = [_faction(word) for word in (*(agreed or ()), *(adjudicated or ()))]
    how: ending.How = "void" if void else "agreed" if agreed else "adjudicated"
    open_games, now = session.moderator.open_games, utc_now()
    try:
        if last_turn:
            ending.announce_last_turn(open_games, game, last_turn, now, why, dry_run=dry_run)
        else:
            ending.end(open_games, game, how, winners, now, why, dry_run=dry_run)
    except ending.EndRefused as refused:
        fail(str(refused))
    told = f"Turn {last_turn} is the last of {game}; its players are told." if last_turn else f"{game} is over ({how})."
    if as_json:
        with reading(session.engine) as conn:
            answer_json(json_view(open_games.table(conn, game), "gm"))
    else:
        console.print(f"Nothing was done. {told}" if dry_run else told)


def _faction(word: str) -> Faction:
    try:
        return as_faction(word)
    except ValueError:
        fail(f"{word!r} is no faction; there are {', '.join(FACTIONS)}.", WRONG_USE)
