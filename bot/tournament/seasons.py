"""Seasons of a league: who rises and who falls, where one tournament goes on from another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.competition.outcomes import Handle
from bot.competition.seating.leagues import last_season
from bot.competition.settings import TournamentSettings
from bot.store.addresses import known_as
from bot.store.database import Connection
from bot.store.published import published
from bot.store.tournaments import entrants, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.tournament.desk import Refused


def as_last_season_left(
    conn: Connection, settings: TournamentSettings, ranked: Sequence[Handle], known: Mapping[Handle, Entrant],
    now: datetime,
) -> list[Handle]:  # fmt: skip
    """The entrants of a league by strength, as the season before it left them: of each division the last ``down`` have
    changed places with the first ``up`` of the one below. Who was not there comes behind them, in the order in which
    they are ``ranked``. Refused if that season is no league here, or is not finished."""
    before = settings.rounds.after
    if not before:
        return list(ranked)
    earlier = tournaments.find(conn, before)
    if earlier.settings.format != "league" or earlier.state != "finished":
        raise Refused(f"[rounds] after names {before}, which is no league that is finished.")
    season = published(conn, before, now, "directors")
    draw = next((one.draw for one in season.rounds if one.draw is not None), None)
    if draw is None:
        raise Refused(f"[rounds] after names {before}, which was not drawn.")
    standing = [row.entrant for row in season.standings]
    fours = earlier.settings.tables.fours
    order = last_season(draw.ranked, standing, settings.rounds.up, settings.rounds.down, fours=fours)
    persons = {each.handle: known_as(conn, each.address) for each in entrants.of_tournament(conn, before)}
    places = {address: place for place, handle in enumerate(order) for address in persons.get(handle, ())}
    behind = len(order)
    return sorted(ranked, key=lambda handle: places.get(known[handle].address, behind))
