"""What those who play in a tournament may know of its other tables: while a round goes on, nothing, or what happened a
completed turn ago.

The archive is everybody's to read, so what it shows of a table rests on its round: until that is closed its game has no
pages (``round-end``, and always in a semifinal or final), or the public view one turn late (``late``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection

from bot.config.archive_policy import Policy
from bot.store.tournaments import entrants, rounds, tournaments

Seen = Literal["now", "late", "round-end"]
FINALS = ("semifinal", "final")


@dataclass(frozen=True, slots=True)
class At:
    """Where a game is played: the tournament and its title, the round and the table; ``seen`` says when others may see
    it."""

    tournament: str
    title: str
    round: int
    table: int
    seen: Seen


def place_of(conn: Connection, game_id: str) -> At | None:
    """The table of a tournament at which a game is played; None for any other game."""
    table = rounds.table_of_game(conn, game_id)
    if table is None:
        return None
    tournament = tournaments.find(conn, table.tournament_id)
    of = next((each for each in rounds.rounds(conn, tournament.id) if each.number == table.round), None)
    seen: Seen = "now"
    if of is not None and of.state != "closed" and tournament.state not in ("finished", "cancelled"):
        seen = "round-end" if of.kind in FINALS else tournament.settings.tables.seen
    return At(tournament.id, tournament.title, table.round, table.number, seen)


def shown(policy: Policy, place: At | None, *, over: bool) -> Policy | None:
    """What the archive shows of a game now, where it would show it by this policy; None is nothing."""
    if place is None or place.seen == "now":
        return policy
    if place.seen == "round-end":
        return None
    if over or policy.running == "hidden":
        return Policy(policy.running, policy.delay, "public-only")
    return Policy("delayed", max(1, policy.delay), "public-only")


def waits_for(conn: Connection, game_id: str, address: str) -> bool:
    """Whether somebody plays in the tournament of a game, and may not see its tables as they are now."""
    place = place_of(conn, game_id)
    if place is None or place.seen == "now":
        return False
    own = entrants.of_person(conn, place.tournament, address)
    return own is not None and own.state not in ("withdrawn", "disqualified")
