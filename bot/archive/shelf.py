"""Where the archive gets its games from: the one door between it and the database.

Through it come the values of ``bot.archive.given`` and nothing else; everything else in this room is made from these.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.archive.given import Cast, FiledLine, Finished, Running
from bot.record.lines import decode
from bot.store import archived
from bot.store.archived import NotShown, Shelved
from bot.store.database import Connection, Engine, reading
from rules.components import Faction

__all__ = ["NotShown", "Shelved", "finished", "held", "running", "shelved"]


def shelved(engine: Engine) -> list[Shelved]:
    """The games of which the archive shows something, the oldest first, each with a key that changes when that does."""
    with reading(engine) as conn:
        return archived.shelf(conn)


def held(engine: Engine) -> list[str]:
    """The games whose pages, if there are any, stay as they are."""
    with reading(engine) as conn:
        return archived.held(conn)


def finished(engine: Engine, game_id: str) -> Finished:
    """A game that is over, with its record. NotShown while it goes on; UnknownGame if there is none of that name."""
    with reading(engine) as conn:
        record = archived.record_of(conn, game_id)
        cast, policy = _cast(conn, game_id), archived.policy_in(conn, game_id)
        filed = archived.sheets(conn, game_id)
        began, ended = archived.days(conn, game_id)
    sheets = [FiledLine(f.faction, f.number, f.line, f.turn, f.state, f.acted) for f in filed]
    lines = [decode(line) for line in record.splitlines()]
    return Finished(game_id, record, lines, cast, policy, sheets, began, ended)


def running(engine: Engine, game_id: str) -> Running:
    """A game under way as everybody may see it in the archive. NotShown if it is over or hidden; ValueError if its log
    does not play any more; UnknownGame if there is none of that name."""
    with reading(engine) as conn:
        cast, policy = _cast(conn, game_id), archived.policy_in(conn, game_id)
    seen = archived.public_part(engine, game_id)
    return Running(game_id, seen.ruleset, seen.options, cast, policy, seen.view, seen.events, seen.ends_of_turns)


def _cast(conn: Connection, game_id: str) -> Mapping[Faction, Cast]:
    named = archived.cast(conn, game_id)
    return {each.faction: Cast(each.faction, each.dot, each.name, each.listed, each.caretaker) for each in named}
