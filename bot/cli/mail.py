"""`mentat mail parse`: what the bot reads in a message, without acting."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, answer_json, console, fail
from bot.config import load_settings
from bot.mail.disposition import examine


def parse(
    file: Annotated[Path, typer.Argument(metavar="FILE.eml", help="A message file; - is standard input.")],
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show what is read in a message: what it is, whose, and the sender's own lines.

    Works without settings too; forms and games are then unknown. Example: `mentat mail parse order.eml --json`
    """
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}.", WRONG_USE)
    game: str | None = None
    if config.exists():
        from bot.service.system_clock import utc_now
        from bot.store import games, mail
        from bot.store.database import open_database, reading

        settings = load_settings(config)
        limits = settings.limits
        with reading(open_database(settings.mentat.database)) as conn:
            seen = examine(
                raw, settings.mentat.address, lambda code: mail.form_lines(conn, code),
                max_bytes=limits.max_message_bytes, max_lines=limits.max_lines, max_line_chars=limits.line_chars,
            )  # fmt: skip
            places = [place for token in seen.tokens if (place := games.seat_by_token(conn, token, utc_now()))]
        game = places[0].game_id if places else None
    else:
        seen = examine(raw, "mentat@localhost", lambda code: None)
    told = {
        "disposition": seen.verdict.disposition,
        "reason": seen.verdict.reason,
        "orders": [line for section in seen.reading.sections for line in section.lines],
        "from": seen.incoming.sender if seen.incoming else "",
        "game": game,
        "notes": list(seen.reading.notes),
        "signatures": [{"standard": found.standard, "outcome": found.outcome} for found in seen.signatures],
        "sections": [asdict(section) for section in seen.reading.sections],
    }
    if as_json:
        answer_json(told)
        return
    console.print(f"{told['disposition']}: {told['reason']}", highlight=False, markup=False)
    for section in seen.reading.sections:
        for line in section.lines:
            console.print(f"  {line}", highlight=False, markup=False)
