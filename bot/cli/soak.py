"""`mentat soak`: many random games under watch, and how often each power and card was at work in them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Column, Table

from bot.cli.session import NO, AsJson, answer_json, console, errors
from bot.soak.by_sheets import MOST_LIVE, compare
from bot.soak.run import Soaked, settings, soak
from rules.ruleset import load_rule_set, require_playable


def soak_games(
    games: Annotated[int, typer.Option("--games", min=1, help="How many games, of two to six players in turn.")] = 100,
    ruleset: Annotated[str, typer.Option(help="The rule set to play by.")] = "wbc-2018",
    seed: Annotated[str, typer.Option(help="Where chance comes from; the same seed gives the same games.")] = "soak",
    sheets: Annotated[
        int, typer.Option(min=0, help="Instead: so many games, each played live and again by the deputies of sheets.")
    ] = 0,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="On how many processors.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Play many random games with every card and power, watched at every event, and replay each from its log.

    Prints how often each power, event and order occurred. Exit 1 if a game failed.
    Example: `mentat soak --games 300 --ruleset ah-basic`
    """
    require_playable(load_rule_set(ruleset))
    if sheets:
        _soak_sheets(ruleset, seed, sheets, as_json=bool(as_json))
        return
    began, done = time.monotonic(), Soaked()
    for part in soak(settings(ruleset, seed, games), jobs):
        done.add(part)
        for failure in part.failures:
            errors.print(f"{failure.setting}\n{failure.fault}", style="red", highlight=False, markup=False)
        if not as_json and done.games % 50 < part.games:
            errors.print(f"{done.games} games …", style="dim", highlight=False)
    seconds = time.monotonic() - began
    if as_json:
        answer_json(
            {"games": done.games, "ruleset": ruleset, "seed": seed, "seconds": round(seconds, 1),
             "failures": [asdict(failure) for failure in done.failures], "powers": dict(done.occurred.powers),
             "events": dict(done.occurred.events), "orders": dict(done.occurred.orders)}
        )  # fmt: skip
    else:
        for title, counted in (
            ("power or card", done.occurred.powers), ("event", done.occurred.events), ("order", done.occurred.orders),
        ):  # fmt: skip
            console.print(_listing(title, counted))
        console.print(f"{done.games} games of {ruleset} in {seconds:.0f} s, {len(done.failures)} failed.")
    if done.failures:
        raise typer.Exit(NO)


def _soak_sheets(ruleset: str, seed: str, number: int, *, as_json: bool) -> None:
    """Play games live and by sheets; exit 1 if one came out differently or too much had to be asked."""
    decisions = live = 0
    differences: list[str] = []
    for game in settings(ruleset, seed, number):
        found = compare(game)
        decisions, live = decisions + found.decisions, live + found.live
        if found.difference:
            differences.append(f"{game.seed}: {found.difference}")
            errors.print(differences[-1], style="red", highlight=False, markup=False)
    if as_json:
        answer_json({"games": number, "decisions": decisions, "live": live, "differences": differences})
    else:
        share = 100 * live / max(decisions, 1)
        console.print(
            f"{number} games, {decisions} decisions, {live} asked ({share:.2f} %), {len(differences)} differ."
        )
    if differences or live > MOST_LIVE * decisions:
        raise typer.Exit(NO)


def _listing(title: str, counted: Mapping[str, int]) -> Table:
    """The rarest first."""
    table = Table(Column(title, no_wrap=True), Column("times", justify="right"), box=None)
    for name, times in sorted(counted.items(), key=lambda pair: pair[1]):
        table.add_row(name, str(times))
    return table
