"""`mentat bench`: how quick Mentat is on this machine."""

from __future__ import annotations

import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column, Table

from bot.cli.session import AsJson, answer_json, console, errors


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer games and mails: a third of the time.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--dir", metavar="DIR", help="On whose disk to work; else the folder for such files.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the engine, the mail and a thousand games, and compare with the bare limits of this machine.

    Example: `mentat bench --quick --json`
    """
    from bot.bench.crowd import crowd
    from bot.bench.engine import engine
    from bot.bench.mails import mails, waiting_time
    from bot.bench.measure import Measured

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mentat-bench-", dir=folder) as made:
        place = Path(made)
        (place / "mails").mkdir()
        (place / "waiting").mkdir()
        (place / "crowd").mkdir()
        parts: Sequence[tuple[str, Callable[[], list[Measured]]]] = (
            ("the engine", lambda: engine(("ah-basic", "wbc-2018"), 3 if quick else 20)),
            ("mail", lambda: mails(place / "mails", "wbc-2018", 30 if quick else 120)),
            ("the way of a mail", lambda: waiting_time(place / "waiting", "wbc-2018", 5 if quick else 20)),
            ("a thousand games", lambda: crowd(place / "crowd", "wbc-2018")),
        )
        found: list[tuple[str, list[Measured]]] = []
        for title, work in parts:
            errors.print(f"measuring {title} …", style="dim", highlight=False)
            found.append((title, work()))
    seconds = time.monotonic() - began
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
    console.print(f"{seconds:.0f} seconds on Python {platform.python_version()}, {platform.machine()}", highlight=False)


def _short(value: float) -> str:
    """A number with three digits that mean something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
