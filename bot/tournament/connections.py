"""Whom entrants know too well to sit with: declared by them, and kept as pairs that are never seated together.

A declaration names a handle or an address, of whoever is in or not. It counts when both are; nobody else is told, nor
is its writer told whether the other one takes part.
"""

from __future__ import annotations

from bot.store.database import Connection
from bot.store.tournaments import entrants
from bot.store.tournaments.entrants import Apart, Entrant

MOST = 20


def declare(conn: Connection, entrant: Entrant, who: str, why: str) -> bool:
    """Write down a declaration; False if they have made too many."""
    lines = [line for line in entrant.connections.splitlines() if line]
    new = f"{who} {why}".strip()
    if new not in lines:
        if len(lines) >= MOST:
            return False
        lines.append(new)
    entrants.change(conn, entrant.tournament_id, entrant.number, connections="\n".join(lines))
    part(conn, entrant.tournament_id)
    return True


def part(conn: Connection, tournament_id: str) -> None:
    """Keep apart all who have declared each other, as far as both are in."""
    everybody = entrants.of_tournament(conn, tournament_id)
    declared = [entrant for entrant in everybody if entrant.connections and entrant.confirmed_at]
    if not declared:
        return
    apart = {(pair.one, pair.other) for pair in entrants.apart(conn, tournament_id)}
    by_handle = {entrant.handle.lower(): entrant for entrant in everybody}
    for entrant in declared:
        for line in entrant.connections.splitlines():
            who, _, why = line.partition(" ")
            other = by_handle.get(who) or (entrants.of_person(conn, tournament_id, who) if "@" in who else None)
            if other is None or other.number == entrant.number or _pair(entrant.number, other.number) in apart:
                continue
            one, two = _pair(entrant.number, other.number)
            entrants.keep_apart(conn, tournament_id, Apart(one, two, why))
            apart.add((one, two))


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
