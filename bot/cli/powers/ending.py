"""`mentat game end|delete`: a last turn is announced, or a game ends at once; a mistyped one is deleted."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Tell, Why, answer, seat_named, use_of
from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, fail, open_session
from bot.game_master import ending
from bot.game_master.persons import delete_game
from bot.games.json_view import json_view
from bot.service.system_clock import utc_now
from bot.store.database import reading


def end(
    game: Game,
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
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
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
    winners = [seat_named(word) for word in (*(agreed or ()), *(adjudicated or ()))]
    how: ending.How = "void" if void else "agreed" if agreed else "adjudicated"
    open_games, now, use = session.moderator.open_games, utc_now(), use_of(why, tell, at, dry_run)
    if last_turn:
        ending.announce_last_turn(open_games, game, last_turn, now, use)
    else:
        ending.end(open_games, game, how, winners, now, use)
    told = f"Turn {last_turn} is the last of {game}; its players are told." if last_turn else f"{game} is over ({how})."
    document = {}
    if as_json:
        with reading(session.engine) as conn:
            document = json_view(open_games.table(conn, game), "gm")
    answer(told, document, dry_run=dry_run, as_json=as_json)


def delete(
    game: Game, tell: Tell = "", dry_run: DryRun = False, config: Config = CONFIG, as_json: AsJson = False
) -> None:
    """Delete a game that was set up by mistake and in which nobody has ordered anything. Its players are told. A game
    under way is ended instead: `mentat game end`. Nothing is left that could keep a reason, so it takes no --why.

    Example: `mentat game delete sietch-21 --tell "Dora was to play."`
    """
    delete_game(open_session(config).moderator.open_games, game, utc_now(), use_of(tell=tell, dry_run=dry_run))
    answer(f"{game} is deleted.", {"game": game, "deleted": True}, dry_run=dry_run, as_json=as_json)
