"""The letters of a draw: everybody is told all tables that were drawn for them, in one letter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from bot.competition.draws import DrawRecord, Seated, TableDrawn
from bot.competition.factions.box import box_of
from bot.competition.outcomes import Handle
from bot.games.open_games import OpenGames
from bot.reports.times import by
from bot.store.between_tables import named_with_round, played_unknown
from bot.store.database import Connection
from bot.store.tournaments import entrants
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.tournaments import Tournament
from bot.tournament.entry_letters import zone_of
from bot.tournament.faction_choices import factions_of, offers_of
from bot.tournament.letters import Letter, tell
from bot.wording.sentences import say
from rules.components import Faction

Others = Mapping[Handle, Entrant]


def tell_draw(
    conn: Connection, open_games: OpenGames, tournament: Tournament, made: DrawRecord, now: datetime
) -> None:  # fmt: skip
    """Tell everybody who was seated where, with whom, and what comes next; and who sits out that they do."""
    known = {each.handle: each for each in entrants.of_tournament(conn, tournament.id)}
    tables: dict[Handle, list[TableDrawn]] = {}
    for table in made.tables:
        for seat in table.seats:
            tables.setdefault(seat.entrant, []).append(table)
    subject = say("tournament-draw.subject", title=tournament.title)
    cause = f"draw.{made.rounds[0]}"
    for handle, own in tables.items():
        entrant = known[handle]
        told = [say("tournament-draw.drawn", title=tournament.title, tables=len(own), kind=made.kind)]
        told += [_table(tournament, made, table, handle, known) for table in own]
        told.append(_next(tournament, now, entrant))
        seed = "" if played_unknown(tournament) else made.seed
        told.append(say("tournament-draw.check", digest=made.roster_digest, seed=seed, beacon=made.beacon))
        tell(conn, open_games.writer, entrant, now, Letter(subject, told, cause))
    for handle in made.sat_out:
        told = [say("tournament-draw.sits-out", title=tournament.title, rounds=list(made.rounds))]
        tell(conn, open_games.writer, known[handle], now, Letter(subject, told, cause))


def _table(tournament: Tournament, made: DrawRecord, table: TableDrawn, handle: Handle, known: Others) -> str:
    own = next(seat for seat in table.seats if seat.entrant == handle)
    others = [_other(seat, known) for seat in table.seats if seat.entrant != handle]
    if played_unknown(tournament):
        others = [say("tournament-draw.unknown", others=len(others), with_round=named_with_round(tournament))]
    facts = {"table": f"{table.round}.{table.table}", "dot": own.dot, "others": others}
    if own.faction:
        return say("tournament-draw.table", faction=own.faction, missing=_missing(tournament, table), **facts)
    offers = offers_of(tournament.settings, tournament.secret, made.seed, table)
    factions = factions_of(tournament.settings, made.seed, table)
    return say("tournament-draw.table-later", offered=list(offers.get(handle, ())), factions=factions, **facts)


def _other(seat: Seated, known: Others) -> str:
    entrant = known[seat.entrant]
    name = entrant.public_name
    return say("tournament-draw.other", who=name, faction=seat.faction or "", dot=seat.dot)


def _missing(tournament: Tournament, table: TableDrawn) -> Sequence[Faction]:
    there = {seat.faction for seat in table.seats}
    return [faction for faction in box_of(tournament.settings) if faction not in there]


def _next(tournament: Tournament, now: datetime, entrant: Entrant) -> str:
    factions = tournament.settings.factions
    if factions.by == "draw":
        return say("tournament-draw.next")
    until = by(now + timedelta(hours=factions.trade_hours), now, zone_of(entrant))
    return say(f"tournament-draw.next-{factions.by}", until=until)
