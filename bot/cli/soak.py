"""`mentat soak`: many random games under watch, and how often each power and card was at work in them."""

from __future__ import annotations

import resource
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column, Table

from bot.cli.session import (
    NO,
    WRONG_USE,
    AsJson,
    answer_json,
    console,
    fail,
    print_aside,
    print_line,
    read_options,
)
from bot.soak.by_sheets import MOST_LIVE, Compared, compare
from bot.soak.occurrences import ENOUGH, Occurrences
from bot.soak.run import Soaked, settings, soak
from rules.engine.rule_sets import load_rule_set
from rules.rulesets.contradictions import require_consistent
from rules.rulesets.options import Value
from rules.rulesets.ruleset import require_playable


def soak_games(
    games: Annotated[int, typer.Option("--games", min=1, help="How many games, of two to six players in turn.")] = 100,
    ruleset: Annotated[str, typer.Option(help="The rule set to play by.")] = "wbc-2018",
    seed: Annotated[str, typer.Option(help="Where chance comes from; the same seed gives the same games.")] = "soak",
    sheets: Annotated[
        int, typer.Option(min=0, help="Instead: so many games, each played live and again by the deputies of sheets.")
    ] = 0,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="On how many processors.")] = 1,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option as `game new` has it.")
    ] = None,
    tournament: Annotated[
        bool, typer.Option("--tournament", help="Instead: a tournament by mail, with what goes wrong at real ones.")
    ] = False,
    players: Annotated[int, typer.Option(min=5, help="How many enter the tournament.")] = 200,
    turns: Annotated[int, typer.Option(min=1, max=15, help="How many turns its games have at most.")] = 10,
    results_only: Annotated[
        bool, typer.Option("--results-only", help="Of the tournament no games: its winners come by lot.")
    ] = False,
    workers: Annotated[
        int,
        typer.Option(min=0, max=64, help="Instead: games by mail in one process and in so many, which must agree."),
    ] = 0,
    database: Annotated[
        str,
        typer.Option(metavar="URL", help="Their empty PostgreSQL database; else a private server is started."),
    ] = "",
    kill: Annotated[
        list[float] | None,
        typer.Option(
            metavar="SECONDS", min=0, help="For so long one of them is killed each second; once more with each."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play many random games with every card and power, watched at every event, and replay each from its log.

    Prints how often each power of the rule set, event and order occurred. Exit 1 if a game failed, or if in a thousand
    games or more some power occurred fewer than 30 times in a thousand; in two
    thousand with an expansion.
    Example: `mentat soak --games 300 --ruleset ah-basic`, `mentat soak --tournament --players 10000 --results-only`, or
    `mentat soak --games 200 --turns 1 --workers 4 --kill 120`
    """
    if workers:
        _soak_workers(games, turns, ruleset, seed, workers, database, kill or [0.0], as_json=bool(as_json))
        return
    if tournament and results_only:
        _soak_results(players, seed, as_json=bool(as_json))
        return
    if tournament and turns < 2:
        fail("The games of a tournament need two turns or more; give --turns 2.", WRONG_USE)
    if tournament:
        _soak_tournament(players, seed, turns, as_json=bool(as_json))
        return
    own_options = read_options(option or [])
    rules = load_rule_set(ruleset)
    require_playable(rules)
    rules = rules.with_options(own_options)
    require_consistent(rules, own_options)
    options = tuple(own_options.items())
    if sheets:
        _soak_sheets(ruleset, seed, sheets, options, as_json=bool(as_json))
        return
    began, done = time.monotonic(), Soaked(Occurrences(rules))
    for part in soak(settings(ruleset, seed, games, options), jobs):
        done.add(part)
        for failure in part.failures:
            print_aside(f"{failure.setting}\n{failure.fault}", style="red")
        if not as_json and done.games % 50 < part.games:
            print_aside(f"{done.games} games …", style="dim")
    seconds, rare = time.monotonic() - began, done.occurred.too_rare(done.games)
    if as_json:
        answer_json(
            {"games": done.games, "ruleset": ruleset, "options": own_options, "seed": seed,
             "seconds": round(seconds, 1), "too_rare": rare,
             "failures": [asdict(failure) for failure in done.failures], "powers": dict(done.occurred.powers),
             "events": dict(done.occurred.events), "orders": dict(done.occurred.orders)}
        )  # fmt: skip
    else:
        for title, counted in (
            ("power or card", done.occurred.powers), ("event", done.occurred.events), ("order", done.occurred.orders),
        ):  # fmt: skip
            console.print(_listing(title, counted))
        print_line(f"{done.games} games of {ruleset} in {seconds:.0f} s, {len(done.failures)} failed.")
        if rare:
            many = done.occurred.enough_in
            print_line(f"Fewer than {ENOUGH} times in {many} games: {', '.join(rare)}.")
    if done.failures or rare:
        raise typer.Exit(NO)


def _soak_sheets(
    ruleset: str, seed: str, number: int, options: tuple[tuple[str, Value], ...], *, as_json: bool
) -> None:
    """Play games live and by sheets; exit 1 if one came out differently or too much had to be asked."""
    done = Compared()
    differences: list[str] = []
    for played, game in enumerate(settings(ruleset, seed, number, options), 1):
        found = compare(game)
        done.add(found)
        if not as_json and played % 50 == 0:
            print_aside(f"{played} games …", style="dim")
        if found.difference:
            differences.append(f"{game.seed}: {found.difference}")
            print_aside(differences[-1], style="red")
    if as_json:
        answer_json(
            {"games": number, "decisions": done.decisions, "lines": done.lines, "live": done.live,
             "by_cap": done.by_cap, "standing": done.standing, "handed_back": done.handed_back,
             "differences": differences}
        )  # fmt: skip
    else:
        print_line(
            f"{number} games, {done.decisions} decisions, {done.lines} lines: {done.by_cap} decisions by a limit for a "
            f"card, {done.standing} by a line for several turns, {done.handed_back} handed back by “ask me”; "
            f"{done.live} that nothing told apart; {len(differences)} games differ."
        )
    if differences or done.live > MOST_LIVE * done.decisions:
        raise typer.Exit(NO)


def _listing(title: str, counted: Mapping[str, int]) -> Table:
    """The rarest first."""
    table = Table(Column(title, no_wrap=True), Column("times", justify="right"), box=None)
    for name, times in sorted(counted.items(), key=lambda pair: pair[1]):
        table.add_row(name, str(times))
    return table


def _soak_results(players: int, seed: str, *, as_json: bool) -> None:
    """Make a tournament by lot, and say what each part of it took."""
    from bot.competition.seating.sizes import NoTables
    from bot.soak.tournaments import by_lot

    try:
        made = by_lot(players, seed)
    except NoTables as none:
        fail(str(none))
    tables = len(made.published.results)
    if as_json:
        answer_json(
            {"players": players, "tables": tables, "met_again": made.met_again, "seconds": made.seconds,
             "verified": not made.difference, "difference": made.difference}
        )  # fmt: skip
    else:
        print_line(f"{players} players, {tables} tables, {made.met_again} pairs met again in the heats.")
        for what, took in made.seconds.items():
            print_line(f"  {took:7.2f} s  {what}")
    if made.difference:
        fail(f"The export does not hold. {made.difference}")


def _soak_tournament(players: int, seed: str, turns: int, *, as_json: bool) -> None:
    """Play a tournament by mail, and say what happened and what does not hold."""
    from tempfile import TemporaryDirectory

    from bot.demo.event import hold
    from bot.demo.game import DemoFailed

    with TemporaryDirectory() as folder:
        try:
            held = hold(Path(folder), players, seed, turns, (lambda said: None) if as_json else print_line)
        except DemoFailed as failed:
            fail(str(failed))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if as_json:
        answer_json(
            {"players": players, "counted": held.counted, "days": held.days, "seconds": round(held.seconds, 1),
             "megabytes": megabytes, "wrong": held.wrong}
        )  # fmt: skip
    else:
        for what, number in held.counted.items():
            print_line(f"  {number:7}  {what}")
        print_line(f"{held.days} days in {held.seconds:.0f} s, {megabytes} MB at most.")
    if held.wrong:
        fail(" ".join(held.wrong[:5]))


def _soak_workers(
    games: int, turns: int, ruleset: str, seed: str, workers: int, database: str, kills: list[float], *, as_json: bool
) -> None:
    """Play games by mail in one process and then in several, and say in what they differ."""
    from tempfile import TemporaryDirectory

    from bot.demo.game import DemoFailed
    from bot.demo.private_server import NoServer
    from bot.demo.simulation.comparing import compare
    from bot.demo.simulation.installation import Simulated
    from bot.store.database import is_url

    if database and not is_url(database):
        fail(f"{database} is no database on a server; give a URL like postgresql://mentat@/simulated.", WRONG_USE)
    if database and len(kills) > 1:
        fail("A database that is named is good for one comparison; give --kill once.", WRONG_USE)
    simulated = Simulated(games, turns, ruleset, seed)

    def told(what: str) -> None:
        print_aside(what, style="dim")

    found = []
    with TemporaryDirectory(prefix="mentat-soak-") as folder:
        try:
            for each in compare(Path(folder), simulated, workers, told, url=database, kills=kills):
                found.append(each)
                if not as_json:
                    print_line(
                        f"{games} games, {each.together.mails} mails, {each.letters} letters: "
                        f"{each.alone.seconds:.0f} s in one process, {each.together.seconds:.0f} s in {workers}; "
                        f"{each.killed} were killed, {each.together.sent_again} letters went out twice."
                    )
        except (DemoFailed, NoServer) as failed:
            fail(str(failed))
    if as_json:
        answer_json(
            {"games": games, "turns": turns, "workers": workers, "comparisons": [
                {"mails": each.together.mails, "letters": each.letters, "killed": each.killed,
                 "sent_again": each.together.sent_again,
                 "seconds": [round(each.alone.seconds, 1), round(each.together.seconds, 1)], "wrong": each.wrong}
                for each in found
            ]}
        )  # fmt: skip
    if wrong := [sentence for each in found for sentence in each.wrong]:
        fail(" ".join(wrong[:5]))
