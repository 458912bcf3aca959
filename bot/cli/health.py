"""`mentat health` and `mentat metrics`: the state of the service, for containers, cron and Prometheus.

Some machines run both commands every minute, so they import as little as possible, and only when they are run.
"""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.session import Answer, Call, Verbatim, command, fail, styled


@command("health")
def health(call: Call) -> Answer:
    """Report in one line whether all is well. The exit status is 1 if anything is wrong. Nothing is changed or sent.

    The command checks that the database can be used, that the main loop of `mentat run` is running, that mail comes in
    and goes out, and that defaults are applied to overdue questions in time.

    Example: `mentat health || mail -s "Mentat" ops@example.org`
    """
    from bot.service.health import health as look

    found = look(call.settings, datetime.now(UTC))
    told = [
        {"about": one.about, "state": one.state, "told": one.told, "advice": one.advice, **one.facts}
        for one in found.findings
    ]
    document = {"well": found.well, "ready": found.ready, "live": found.live, "findings": told}
    return Answer([styled(found.line, "" if found.well else "red")], document, failed=not found.well)


@command("metrics", without="as_json")
def metrics(
    call: Call,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Replace this file in one step, and print nothing.")
    ] = None,
) -> Answer:
    """Print Mentat's metrics in the text format of Prometheus.

    Example: `mentat metrics --file /var/lib/prometheus/node-exporter/mentat.prom`, which a timer should run every
    minute
    """
    from bot.service.health import metrics as measured

    told = measured(call.settings, datetime.now(UTC))
    if file is None:
        return Answer(Verbatim(told))
    try:
        _replace(file, told)
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}.")
    return Answer()


def _replace(file: Path, text: str) -> None:
    """Replace a file atomically: a reader finds either the old text or the new text, never a part. Everybody may read
    the file, because the exporter runs as another user and the file contains no secrets."""
    descriptor, made = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            opened.write(text)
            os.fchmod(opened.fileno(), 0o644)
        os.replace(made, file)
    except BaseException:
        os.unlink(made)
        raise
