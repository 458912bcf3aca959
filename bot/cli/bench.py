"""`mentat bench`: how quick Mentat is on this machine, and how long games last."""

from __future__ import annotations

import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from bot.bench.measure import Measured
from bot.cli.session import (
    NO,
    WRONG_USE,
    AsJson,
    answer_json,
    console,
    fail,
    print_aside,
    print_line,
)

app = typer.Typer()


@app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer games and mails: a third of the time.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--dir", metavar="DIR", help="On whose disk to work; else the folder for such files.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the engine, the mail, a thousand games, the archive and seating beside the bare limits of this machine.

    Example: `mentat bench --quick --json`, or only the reading of mail: `mentat bench mail`
    """
    if context.invoked_subcommand:
        return
    from bot.bench.archives import archives
    from bot.bench.clocks import clocks
    from bot.bench.crowd import crowd
    from bot.bench.engine import engine
    from bot.bench.long_mails import long_mails
    from bot.bench.mails import mails, waiting_time
    from bot.bench.reading import read_mail
    from bot.bench.seating import seating
    from bot.bench.starting import starting

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mentat-bench-", dir=folder) as made:
        place = Path(made)
        (place / "mails").mkdir()
        (place / "long").mkdir()
        (place / "waiting").mkdir()
        (place / "crowd").mkdir()
        (place / "clocks").mkdir()
        parts: Sequence[tuple[str, Callable[[], list[Measured]]]] = (
            ("starting", lambda: starting(3 if quick else 9)),
            ("reading mail", lambda: read_mail(3 if quick else 20)),
            ("the engine", lambda: engine(("ah-basic", "wbc-2018"), 3 if quick else 20)),
            ("long mails", lambda: long_mails(place / "long", "wbc-2018", 3 if quick else 9)),
            ("mail", lambda: mails(place / "mails", "wbc-2018", 30 if quick else 120)),
            ("the way of a mail", lambda: waiting_time(place / "waiting", "wbc-2018", 5 if quick else 20)),
            ("a thousand games", lambda: crowd(place / "crowd", "wbc-2018")),
            ("the archive", lambda: archives(place / "archive", "wbc-2018", 3 if quick else 10)),
            ("seating", lambda: seating(1_000 if quick else 10_000)),
            ("deadlines", lambda: clocks(place / "clocks", "wbc-2018", at_once=50 if quick else 200)),
        )
        found: list[tuple[str, Sequence[Measured]]] = []
        for title, work in parts:
            print_aside(f"measuring {title} …", style="dim")
            found.append((title, work()))
    _show(found, time.monotonic() - began, as_json)


@app.command()
def mail(
    times: Annotated[int, typer.Option(min=1, help="How often each message is read.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Measure the reading of mail alone, beside the standard library's parser with the same messages.

    Example: `mentat bench mail --json`
    """
    from bot.bench.reading import read_mail

    began = time.monotonic()
    found = [("reading mail", read_mail(times))]
    _show(found, time.monotonic() - began, as_json)


@app.command()
def workers(
    mails: Annotated[int, typer.Option(min=10, help="How many mails they take.")] = 600,
    count: Annotated[
        list[int] | None, typer.Option("--count", min=1, max=64, help="How many workers; 1, 2 and 4 if not said.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--dir", metavar="DIR", help="On whose disk to work; else the folder for such files.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how many mails in a second one, two and four workers take on a private PostgreSQL server.

    Each beside one worker and beside a bare transaction of the same server; and whether the memory of the processes
    stays as it is. Example: `mentat bench workers --mails 2000 --json`
    """
    from bot.bench.workers import COUNTS, WorkersStuck
    from bot.bench.workers import workers as measure_workers
    from bot.demo.private_server import NoServer

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mentat-bench-", dir=folder) as made:
        try:
            found = measure_workers(Path(made), "wbc-2018", mails, tuple(count or COUNTS))
        except (NoServer, WorkersStuck) as problem:
            fail(str(problem))
    _show([("workers", found)], time.monotonic() - began, as_json)
    if not all(one.reached for one in found):
        raise typer.Exit(NO)


@app.command()
def scale(
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the games.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--dir", metavar="DIR", help="On whose disk to work; else the folder for such files.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure what thousands of games cost, in a file and on a private PostgreSQL server where there is one.

    A tick over 10,000 open games; 5,000 games listed, ticked and looked at by the archive; and whether a mail, a letter
    and a tick cost the same with 2,000 games and 100,000 old letters as with ten games. Exit 1 if an aim is missed.
    Example: `mentat bench scale --json`
    """
    from bot.bench.growth import LISTED, MANY, OPEN, TIMES_OLD, Sizes, growth, lists, open_games
    from bot.bench.places import databases

    began, found, part = time.monotonic(), list[tuple[str, Sequence[Measured]]](), 10 if quick else 1
    with tempfile.TemporaryDirectory(prefix="mentat-bench-", dir=folder) as made, databases() as kinds:
        if len(kinds) == 1:
            print_aside("without PostgreSQL, which is not installed here", style="dim")
        for kind in kinds:
            print_aside(f"measuring {kind.name} …", style="dim")
            place = Path(made) / kind.name
            sizes = Sizes(many=MANY // part, times_old=TIMES_OLD // part)
            found += [
                (f"{kind.name}: many games", open_games(place / "open", kind, "wbc-2018", OPEN // part)),
                (f"{kind.name}: long lists", lists(place / "lists", kind, "wbc-2018", LISTED // part)),
                (f"{kind.name}: growth", growth(place / "growth", kind, "wbc-2018", sizes)),
            ]
    _show(found, time.monotonic() - began, as_json)
    if not all(one.reached for _, several in found for one in several):
        raise typer.Exit(NO)


def _show(found: Sequence[tuple[str, Sequence[Measured]]], seconds: float, as_json: bool) -> None:
    if as_json:
        measured = [{"part": title, **asdict(one), "reached": one.reached} for title, part in found for one in part]
        answer_json({"python": platform.python_version(), "machine": platform.machine(), "seconds": round(seconds, 1),
                     "measured": measured})  # fmt: skip
        return
    listing = Table(
        Column("measured", no_wrap=True), Column("value", justify="right", no_wrap=True),
        Column("times", justify="right"), "", Column("at most", no_wrap=True), box=None,
    )  # fmt: skip
    for title, part in found:
        listing.add_row(f"[bold]{title}[/bold]")
        for one in part:
            times = _short(one.ratio) if one.ratio is not None else ""
            reached = "[green]yes[/green]" if one.reached else "[red]no[/red]"
            aim = f"{one.aim:,g} {reached}" if one.aim is not None else ""
            listing.add_row(f"  {one.name}", f"{_short(one.value)} {one.unit:3}", times, one.against, aim)
    console.print(listing)
    print_line(f"{seconds:.0f} seconds on Python {platform.python_version()}, {platform.machine()}")


@app.command()
def pace(
    tempo: Annotated[
        list[str] | None, typer.Option(metavar="TEMPO", help="table, steady or swift; left out: all of them.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="How many games at each.")] = 5,
    turns: Annotated[int, typer.Option(min=1, max=15, help="How long they are.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Play whole games against people who sleep, think and forget, and tell how many days they last.

    Six players in six time zones answer after a log-normal time (median 8 hours), sleep from 23 to 7 o'clock, and leave
    one letter of twenty unanswered; a step is 24 hours. `table` without sheets is how games by mail were played before.
    Example: `mentat bench pace --tempo steady --games 20 --json`
    """
    from bot.bench.pace.measure import LONGEST_AT_STEADY, MOST_LETTERS_AT_STEADY
    from bot.bench.pace.measure import pace as measure_pace
    from bot.clock.tempo import UnknownTempo, names
    from bot.clock.tempo import tempo as find
    from bot.orders.commands import LettersMode

    try:
        chosen = [find(name).name for name in tempo or names()]
    except UnknownTempo as error:
        fail(str(error), WRONG_USE)
    found = []
    # with sheets or without, and which letters the players want
    ways: Sequence[tuple[bool, LettersMode]] = ((False, "all"), (True, "all"), (True, "wanted"))
    for name in chosen:
        for sheets, mode in ways:
            with_sheets = "with sheets" if sheets else "without"
            told = f"playing {games} games at {name}, {with_sheets}, letters {mode} …"
            print_aside(told, style="dim")
            found.append(measure_pace(name, games, sheets=sheets, turns=turns, mode=mode))
    if as_json:
        answer_json({"turns": turns, "measured": [asdict(one) for one in found]})
        return
    number: Any = {"justify": "right", "no_wrap": True}
    listing = Table(
        "tempo", "sheets", "letters", Column("days", **number), Column("worst", **number), Column("stops", **number),
        Column("a turn", **number), Column("a day", **number), "most days go to", box=None,
    )  # fmt: skip
    for one in found:
        most = ", ".join(f"{phase} {days:g}" for phase, days in list(one.phases.items())[:2])
        listing.add_row(
            one.tempo, "yes" if one.sheets else "no", one.mode, f"{one.median_days:g}", f"{one.worst_days:g}",
            f"{one.stops_a_turn:g}", f"{one.letters_a_turn:g}", f"{one.letters_a_day:g}", most,
        )  # fmt: skip
    console.print(listing)
    print_line(
        f"Days of a game of {turns} turns, the median and the worst; stops, and letters to a player, in a turn.\n"
        f"The aims at steady with sheets: {LONGEST_AT_STEADY:g} days for ten turns, and {MOST_LETTERS_AT_STEADY:g} "
        "letters a turn where players want only those that ask for something."
    )


def _short(value: float) -> str:
    """A number with three digits that mean something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
