"""`mentat order check`: would Mentat accept this order now?

`mentat order check --help` starts quickly: imports wait until an order is really checked.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from msgspec.structs import replace

from bot.cli.session import WRONG_USE, Answer, Call, command, fail

UTC = ZoneInfo("UTC")


@command("order check")
def check(
    call: Call,
    game: Annotated[str, typer.Argument(help="The game's id.")],
    faction: Annotated[str, typer.Argument(help="Whose order it would be.")],
    line: Annotated[str, typer.Argument(help="The order, as it would be mailed.")],
) -> Answer:
    """Say what would become of an order now; nothing changes. Exits 1 if it would be refused.

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
        fail(f"{faction!r} is not played in {game}; there are {', '.join(table.seats)}.", WRONG_USE)
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
