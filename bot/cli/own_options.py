"""`mentat game options`: in what a game differs from its rule set."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from bot.cli.session import CONFIG, AsJson, Config, answer_json, console, fail, open_session, print_line
from bot.store import games
from bot.store.database import reading
from rules.rulesets.options import written


def options(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    change: Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Refused: see below.")] = None,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show the rule set of a game and the options in which it differs from it. A game keeps both to its end.

    Example: `mentat game options sietch-12`
    """
    session = open_session(config)
    with reading(session.engine) as conn:
        table = games.open_table(conn, game)
    if change:
        fail(f"{game} keeps the rule set and the options with which it began; start another game for {change[0]}.")
    own = dict(table.own_options)
    if as_json:
        answer_json({"game": game, "ruleset": table.ruleset, "options": own})
        return
    console.print(f"[bold]{escape(game)}[/bold]  {table.ruleset}")
    for name, value in own.items():
        print_line(f"  {name} = {written(value)}")
