"""Whose mail is it, and may he? A seat is known by its reply token *and* by the address of its player.

Whoever fails either gets no answer, for any answer helps a forger; the game master is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from bot.mail.disposition import Examined
from bot.store import games
from bot.store.mail import Disposition
from rules.components import Faction, faction_name

TOO_MANY = "more messages in an hour than are answered"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a message. ``put_aside``: it belongs into the folder for mail that somebody should look at."""

    disposition: Disposition
    reason: str
    game_id: str | None = None
    faction: Faction | None = None
    taken: int = 0
    put_aside: bool = False

    @property
    def shunt(self) -> bool:
        """Whether the mail is put aside instead of among the processed."""
        return self.put_aside or self.disposition in ("rejected", "bounce", "fault")


@dataclass(frozen=True, slots=True)
class Known:
    """The seat that wrote. ``several``: the mail names more than one seat, so nobody can say which game is meant."""

    game_id: str
    faction: Faction
    several: bool


def identify(conn: Connection, seen: Examined, answers_per_hour: int, now: datetime) -> Known | Verdict:
    """The seat whose lines are to be answered, or why nobody's are."""
    found, incoming = seen.verdict, seen.incoming
    if found.disposition in ("rejected", "auto-reply") or incoming is None:
        return Verdict(found.disposition, found.reason)
    if not seen.tokens:
        return Verdict("rejected", "no reply token: it is for no game here")
    hour_ago = now - timedelta(hours=1)
    found_places = (games.seat_by_token(conn, token, hour_ago) for token in seen.tokens)
    places = {(place.game_id, place.faction): place for place in found_places if place}
    if not places:
        return Verdict("rejected", "the reply token is not one of ours, or no longer valid")
    own = [place for place in places.values() if place.address == incoming.sender]
    if not own:
        game_id, faction = next(iter(places))
        why = f"the reply token of {faction_name(faction)} in {game_id}, but not that player's address"
        return Verdict("rejected", why, game_id, faction)
    writer = own[0]
    if writer.answered >= answers_per_hour:
        return Verdict("rejected", TOO_MANY, writer.game_id, writer.faction)
    return Known(writer.game_id, writer.faction, len(places) > 1)
