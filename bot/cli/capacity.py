"""`mentat capacity`: how many games one machine holds, and what binds first."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Column, Table

from bot.cli.session import WRONG_USE, AsJson, answer_json, console, fail, print_aside, print_line

if TYPE_CHECKING:
    from bot.bench.capacity.costs import Costs
    from bot.bench.capacity.limits import Limits, Machine
    from bot.bench.capacity.load import Load

GAMES = (10, 100, 1_000, 10_000, 100_000)


def capacity(
    games: Annotated[
        list[int] | None, typer.Option("--games", min=1, help="For how many games; 10 to 100,000 if not said.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="How many workers there are.")] = 4,
    quota: Annotated[int, typer.Option(min=1, help="How many letters a day the mail provider lets go out.")] = 2_000,
    round_trip: Annotated[float, typer.Option(min=0, metavar="MS", help="A round trip to the mailbox.")] = 30,
    disk: Annotated[float, typer.Option(min=0.1, metavar="GB", help="The disk of the database.")] = 100,
    tempo: Annotated[str, typer.Option(help="The tempo of the games.")] = "steady",
    mail: Annotated[float, typer.Option(min=0, metavar="MS", help="What a mail takes; measured if not said.")] = 0,
    letter: Annotated[float, typer.Option(min=0, metavar="MS", help="What a letter takes; measured if not said.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Compute what so many games ask of a machine, and how many it holds, from what a mail takes here.

    A game is played by people who sleep, think and forget, and measured on a private PostgreSQL server, else in a file;
    then a day of mails comes to the workers, event by event. Says what binds first: workers, database, mailbox,
    sending quota or disk. Example: `mentat capacity --workers 8 --quota 50000 --games 20000 --json`
    """
    from bot.bench.capacity.costs import costs
    from bot.bench.capacity.limits import Machine, holds, limits
    from bot.bench.capacity.load import load, profile
    from bot.bench.places import databases
    from bot.clock.tempo import UnknownTempo
    from bot.clock.tempo import tempo as find

    try:
        name = find(tempo).name
    except UnknownTempo as error:
        fail(str(error), WRONG_USE)
    machine = Machine(workers, quota, round_trip / 1e3, disk * 1e9)
    print_aside(f"playing games at {name} …", style="dim")
    made = load(name, 2)
    with tempfile.TemporaryDirectory(prefix="mentat-capacity-") as folder, databases() as kinds:
        print_aside(f"measuring mails on {kinds[-1].name} …", style="dim")
        found = costs(Path(folder), kinds[-1], "wbc-2018")
        where = kinds[-1].name
    found = replace(found, mail=mail / 1e3 or found.mail, letter=letter / 1e3 or found.letter)
    by_minute = profile()
    rows = [limits(number, made, found, machine, by_minute) for number in games or GAMES]
    held = holds(made, found, machine)
    if as_json:
        answer_json(
            {"database": where, "load": asdict(made), "costs": asdict(found), "machine": asdict(machine),
             "holds": held, "limits": [{**asdict(row), "binds": row.binds} for row in rows]}
        )  # fmt: skip
        return
    _show(rows, made, found, machine, held, where)


def _show(
    rows: list[Limits], made: Load, found: Costs, machine: Machine, held: dict[str, int], where: str
) -> None:  # fmt: skip
    print_line(
        f"A game: {7 * made.mails:.0f} mails in and {7 * made.letters:.0f} letters out in a week, for "
        f"{made.days:.0f} days. {where}: a mail takes {found.mail * 1e3:.1f} ms of a worker, a letter "
        f"{found.letter * 1e3:.1f} ms, a commit {found.commit * 1e3:.2f} ms; a mail and its letters take "
        f"{found.stored / 1e3:.1f} kB, and {found.kept / 1e3:.1f} kB when what was said is dropped."
    )
    number: Any = {"justify": "right", "no_wrap": True}
    listing = Table(
        Column("games", **number), Column("mails a day", **number), Column("letters a day", **number),
        Column("a minute, at the peak", **number), Column("99 of 100 wait", **number), Column("longest", **number),
        Column("workers wanted", **number), Column("GB a year", **number), Column("dropped", **number),
        Column("accounts", **number), "binds first", box=None,
    )  # fmt: skip
    for row in rows:
        listing.add_row(
            f"{row.games:,}", f"{row.mails_a_day:,.0f}", f"{row.letters_a_day:,.0f}", f"{row.mails_at_the_peak:,.1f}",
            _span(row.waits.p99), _span(row.waits.longest), str(row.workers or "more than 64"),
            f"{row.bytes_a_year / 1e9:,.1f}", f"{row.bytes_a_year_kept / 1e9:,.1f}", f"{row.accounts:,}",
            f"{row.binds} ({row.uses[row.binds]:.0%})",
        )  # fmt: skip
    console.print(listing)
    print_line(
        f"With {machine.workers} workers and {machine.quota:,} letters a day there is room for: "
        + ", ".join(f"{games:,} games by the {name}" for name, games in sorted(held.items(), key=lambda one: one[1]))
        + f". {rows[0].connections} connections to the database at most."
    )


def _span(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
