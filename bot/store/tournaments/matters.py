"""What waits at the desk of a tournament for its organisers, and since when: protests, draws, starts, results, rounds.

Nothing sealed is read here: a protest is a number and a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.store.database import Connection
from bot.store.tournaments import acts, papers, results, rounds
from bot.store.tournaments.rounds import Round, RoundTable
from bot.store.tournaments.tournaments import Tournament

Kind = Literal["protest", "draw", "start", "close", "overdue", "held"]


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that an organiser has to do. ``place`` is the round and table that it is about, (0, 0) for none;
    ``number`` that of a protest."""

    kind: Kind
    since: datetime
    place: tuple[int, int] = (0, 0)
    number: int = 0
    game: str = ""

    @property
    def table(self) -> str:
        """The table, as it is named."""
        return f"{self.place[0]}.{self.place[1]}"


def waiting(conn: Connection, tournament: Tournament, now: datetime) -> list[Matter]:
    """All that waits, the oldest first."""
    found = [
        Matter("protest", paper.at, (paper.round, paper.table), paper.id)
        for paper in papers.of_tournament(conn, tournament.id, "protest")
    ]
    if tournament.state == "open" and tournament.until and tournament.until <= now:
        found.append(Matter("draw", tournament.until))
    tables = rounds.tables(conn, tournament.id)
    stopped = {each.table.game_id: each.stopped_at for each in rounds.playing(conn, tournament.id)}
    for each in rounds.rounds(conn, tournament.id):
        found += _of_round(conn, each, [table for table in tables if table.round == each.number], stopped, now)
    return sorted(found, key=lambda matter: (matter.since, matter.kind, matter.place, matter.number))


def _of_round(
    conn: Connection, each: Round, tables: list[RoundTable], stopped: Mapping[str, datetime | None], now: datetime
) -> list[Matter]:  # fmt: skip
    if each.state == "drawn" and each.opens is None:  # its factions are settled
        drawn = [act.at for act in acts.of_tournament(conn, each.tournament_id) if act.command == "draw"]
        return [Matter("start", drawn[-1], (each.number, 0))] if drawn else []
    if each.state != "playing":
        return []
    open_now = [table for table in tables if table.state in ("planned", "playing")]
    if not open_now:
        newest = results.newest(conn, each.tournament_id)
        at = [result.stands_at or result.at for place, result in newest.items() if place[0] == each.number]
        return [Matter("close", max(at), (each.number, 0))] if at and max(at) <= now else []
    found = []
    for table in open_now:
        ends = table.deadline or each.ends
        if ends and ends <= now:
            found.append(Matter("overdue", ends, (table.round, table.number), game=table.game_id))
        elif since := stopped.get(table.game_id):
            found.append(Matter("held", since, (table.round, table.number), game=table.game_id))
    return found
