"""`games.csv` and `games.jsonl`: a line a game, for spreadsheets and other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from bot.archive.lists.statistics import factions_of
from bot.archive.lists.summary import Summary, encode
from bot.orders.archive_names import default_name
from rules.components import FACTIONS

COLUMNS = ("game", "ruleset", "began", "ended", "turns", "winners", "how", "battles")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def games_csv(games: Sequence[Summary]) -> bytes:
    """A line a game with its head (RFC 4180): after the columns that all have, one a faction with who played it."""
    out = io.StringIO()
    writer = csv.writer(out, dialect="excel")
    factions = factions_of(games) or list(FACTIONS)
    writer.writerow([*COLUMNS, *factions])
    for game in games:
        players = {seat.faction: seat.name or default_name(seat.faction, game.id) for seat in game.seats}
        cells = [
            game.id, game.ruleset, game.began or "", game.ended or "", game.turns, " ".join(game.winners), game.how,
            game.battles, *(players.get(faction, "") for faction in factions),
        ]  # fmt: skip
        writer.writerow([harmless(str(cell)) for cell in cells])
    return out.getvalue().encode()


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula.

    >>> harmless("=1+1"), harmless("Duke")
    ("'=1+1", 'Duke')
    """
    return f"'{cell}" if cell.lstrip().startswith(_FORMULA) or cell.startswith(_FORMULA) else cell


def games_jsonl(games: Sequence[Summary]) -> bytes:
    """A summary a line."""
    return b"".join(encode(game) + b"\n" for game in games)
