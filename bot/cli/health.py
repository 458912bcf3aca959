"""`mentat health` and `mentat metrics`: the state of the service, for containers, cron and Prometheus.

Both run every minute on some machines, so they import as little as they can, and only when they run.
"""

from __future__ import annotations

import os
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.session import CONFIG, NO, AsJson, Config, answer_json, fail, print_line


def health(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Say in one line whether all is well; exits 1 if anything is wrong. It changes nothing and sends nothing.

    Looks whether the database can be used, the main loop of `mentat run` turns, mail comes in and goes out, and
    deadlines pass in time. Example: `mentat health || mail -s "Mentat" ops@example.org`
    """
    from bot.config import load_settings
    from bot.service.health import health as look

    found = look(load_settings(config), datetime.now(UTC))
    if as_json:
        told = [
            {"about": one.about, "state": one.state, "told": one.told, "advice": one.advice, **one.facts}
            for one in found.findings
        ]
        answer_json({"well": found.well, "ready": found.ready, "live": found.live, "findings": told})
    else:
        print_line(found.line, style="" if found.well else "red")
    if not found.well:
        raise typer.Exit(NO)


def metrics(
    config: Config = CONFIG,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write into this file, at once as a whole, and print nothing.")
    ] = None,
) -> None:
    """Print the numbers about Mentat's work for Prometheus, in its text format.

    Example: `mentat metrics --file /var/lib/prometheus/node-exporter/mentat.prom`, each minute by a timer
    """
    from bot.config import load_settings
    from bot.service.health import metrics as measured

    told = measured(load_settings(config), datetime.now(UTC))
    if file is None:
        sys.stdout.write(told)
        return
    try:
        _replace(file, told)
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}.")


def _replace(file: Path, text: str) -> None:
    """Put a text in the place of a file, so that whoever reads it finds the old one or the new one, and never a part.
    Everybody may read it: it is for the exporter of another user, and tells nobody's secret."""
    descriptor, made = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            opened.write(text)
            os.fchmod(opened.fileno(), 0o644)
        os.replace(made, file)
    except BaseException:
        os.unlink(made)
        raise
