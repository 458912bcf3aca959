"""What there is to choose from at a table where factions come after the draw of the seats.

Which factions there are, and the order of the players that decides what their papers leave open, follow from the
settings and the seed of the draw alone, so that anybody can compute them. Which two cards are offered to whom is for
each to know alone until they have chosen, so it follows from the secret of the tournament too, and can be computed when
that is published.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from bot.competition.draws import TableDrawn
from bot.competition.factions.box import box_of
from bot.competition.factions.two_cards import Offer, offered
from bot.competition.outcomes import Handle
from bot.competition.seating.places import allowed, played, to_spare
from bot.competition.settings import TournamentSettings
from rules.components import Faction
from rules.components.chance import Chance


def factions_of(settings: TournamentSettings, seed: str, table: TableDrawn) -> list[Faction]:
    """The factions from which a table chooses, in the order of the data: as many as players, drawn, or all that may be
    played there where the box has some to spare."""
    box = box_of(settings)
    if to_spare(box):
        return allowed(len(table.seats), settings.tables.missing, box)
    label = f"factions of table {table.round}/{table.table}"
    found = played(len(table.seats), settings.tables.missing, Chance(seed, {}), label)
    return [faction for faction in box if faction in found]


def drawn_order(seed: str, table: TableDrawn) -> list[Handle]:
    """The players of a table in drawn order, which decides between assignments that are as good."""
    order = sorted(seat.entrant for seat in table.seats)
    Chance(seed, {}).shuffle(f"order of table {table.round}/{table.table}", order)
    return order


def offers_of(settings: TournamentSettings, secret: str, seed: str, table: TableDrawn) -> Mapping[Handle, Offer]:
    """The two cards of each player, where two are offered; dealt by HMAC-SHA256 of the secret over the seed."""
    if settings.factions.by != "two-cards":
        return {}
    sealed = hmac.digest(secret.encode(), seed.encode(), "sha256").hex()
    label = f"cards of table {table.round}/{table.table}"
    return offered(drawn_order(seed, table), factions_of(settings, seed, table), sealed, label)
