"""`mentat mail parse`: what Mentat reads in a message, without acting on it.

It starts quickly: neither the games nor the database are loaded unless the mail names something in them.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.session import Answer, Call, command, read_bytes
from bot.mail.disposition import examine

if TYPE_CHECKING:
    from bot.store.database import Connection


@command("mail parse")
def parse(
    call: Call, file: Annotated[Path, typer.Argument(metavar="FILE.eml", help="A message file; - is standard input.")]
) -> Answer:
    """Show what is read in a message: what it is, whose, and the sender's own lines. Works without settings too; forms
    and games are then unknown. Example: `mentat mail parse order.eml --json`"""
    raw = read_bytes(file)
    game: str | None = None
    if call.config.exists():
        settings, limits = call.settings, call.settings.limits
        with ExitStack() as stack:
            known = _Known(settings.database_place, stack)
            seen = examine(
                raw,
                settings.mentat.address,
                known.form_lines,
                max_bytes=limits.max_message_bytes,
                max_lines=limits.max_lines,
                max_line_chars=limits.line_chars,
                sent_letter=known.letter_named,
            )
            game = next(filter(None, map(known.game, seen.tokens)), None)
    else:
        seen = examine(raw, "mentat@localhost", lambda code: None)
    lines = [line for section in seen.reading.sections for line in section.lines]
    told = {
        "disposition": seen.verdict.disposition,
        "reason": seen.verdict.reason,
        "orders": lines,
        "from": seen.incoming.sender if seen.incoming else "",
        "game": game,
        "notes": list(seen.reading.notes),
        "sections": [asdict(section) for section in seen.reading.sections],
    }
    return Answer([f"{told['disposition']}: {told['reason']}", *(f"  {line}" for line in lines)], told)


class _Known:
    """What the database knows of a mail. It is opened on demand: many mails name nothing that is in it."""

    def __init__(self, database: Path | str, stack: ExitStack) -> None:
        self._database = database
        self._stack = stack

    @cached_property
    def _connection(self) -> Connection:
        from bot.store.database import existing_database, reading

        return self._stack.enter_context(reading(existing_database(self._database)))

    def form_lines(self, code: str) -> list[str] | None:
        from bot.store import mail

        return mail.form_lines(self._connection, code)

    def letter_named(self, message_id: str) -> bytes | None:
        from bot.store import mail

        return mail.letter_named(self._connection, message_id)

    def game(self, token: str) -> str | None:
        from bot.service.machine import utc_now
        from bot.store import people

        seat = people.seat_by_token(self._connection, token, utc_now())
        return seat.game_id if seat else None
