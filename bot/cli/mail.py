"""`mentat mail parse` and `mentat order check`: show how Mentat would read a message or a line, without acting on it.

Both start quickly: they load games and the database only if the message or the line refers to them.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import typer
from msgspec.structs import replace

from bot.cli.session import WRONG_USE, Answer, Call, command, fail, read_bytes

if TYPE_CHECKING:
    from bot.store.database import Connection


@command("mail parse")
def parse(
    call: Call, file: Annotated[Path, typer.Argument(metavar="FILE.eml", help="A message file; - is standard input.")]
) -> Answer:
    """Show how Mentat reads a message: what kind it is, who sent it, and which lines the sender wrote. This also works
    without a settings file, but then no forms or games are known. Example: `mentat mail parse order.eml --json`"""
    from bot.mail.disposition import examine

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
    """The database's facts about a mail. The database is opened only on demand, because many mails refer to nothing in
    it."""

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


UTC = ZoneInfo("UTC")


@command("order check")
def check(
    call: Call,
    game: Annotated[str, typer.Argument(help="The game's id.")],
    faction: Annotated[str, typer.Argument(help="The faction that would give the order.")],
    line: Annotated[str, typer.Argument(help="The order, as in a mail.")],
) -> Answer:
    """Show what Mentat would do with an order now, without changing anything. The exit status is 1 if the order would
    be refused.

    Example: `mentat order check sietch-12 guild "ship 4 to carthag"`
    """
    from bot.moderator.order_lines import LateAnswers, play_lines
    from bot.render.material import LineVerdict
    from bot.store import games
    from bot.wording import say
    from rules.components import as_faction

    with call.reading() as conn:
        table = games.open_table(conn, game)
        games.require_sight(conn, game)
    try:
        seat = as_faction(faction)
        table.seats[seat]
    except (ValueError, KeyError):
        fail(f"{faction!r} is not played in {game}; its factions are {', '.join(table.seats)}.", WRONG_USE)
    played = play_lines(
        table, seat, [line], LateAnswers(dict, UTC), datetime.now(UTC).date()
    )  # a copy that nobody saves
    told = played.lines[0] if played.lines else LineVerdict(line, "unread", reason=say("unread.empty"))
    if told.status == "talk":
        told = replace(told, status="unread")
    elif played.commands:
        told = replace(told, reason="This is about the mail, not an order of the game.")
    about = f": {told.reason}" if told.reason else ""
    clause = f" ({told.clause})" if told.clause else ""
    canonical = f" {told.canonical}" if told.canonical else ""
    lines = [f"{told.status}{canonical}{about}{clause}", *(f"  {suggestion}" for suggestion in told.suggestions)]
    document = {
        "status": told.status,
        "order": told.canonical,
        "reason": told.reason,
        "clause": told.clause,
        "suggestions": list(told.suggestions),
    }
    return Answer(lines, document, failed=told.status in ("refused", "unread"))
