"""The letters of a draw: everybody is told all tables that were drawn for them, in one letter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from bot.competition.draws import DrawRecord, Seated, TableDrawn
from bot.competition.factions.box import box_of
from bot.competition.outcomes import Handle
from bot.games.open_games import OpenGames
from bot.reports.times import by
from bot.store.between_tables import named_with_round, played_unknown
from bot.store.database import Connection
from bot.store.tournaments import entrants, rounds
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rounds import Tenure
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import standing
from bot.tournament.entry_letters import zone_of
from bot.tournament.faction_choices import factions_of, offers_of
from bot.tournament.letters import Letter, tell
from bot.wording.sentences import say
from rules.components import Faction, as_faction

Others = Mapping[Handle, Entrant]
"""Who holds a seat, by the handle of whoever was drawn for it."""


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
        until = now + timedelta(hours=tournament.settings.factions.trade_hours)
        told.append(_next(tournament, until, now, entrant))
        seed = "" if played_unknown(tournament) else made.seed
        told.append(say("tournament-draw.check", digest=made.roster_digest, seed=seed, beacon=made.beacon))
        tell(conn, open_games.writer, entrant, now, Letter(subject, told, cause))
    for handle in made.sat_out:
        told = [say("tournament-draw.sits-out", title=tournament.title, rounds=list(made.rounds))]
        tell(conn, open_games.writer, known[handle], now, Letter(subject, told, cause))


def of_one_seat(conn: Connection, tournament: Tournament, held: Tenure, entrant: Entrant, now: datetime) -> list[str]:
    """What is told of a table to who takes a seat there while its factions are not settled: whom they sit with, what
    there is to choose from, and until when; nothing afterwards."""
    drawn = next(each for each in rounds.rounds(conn, tournament.id) if each.number == held.round)
    made = standing.draw_of(drawn)
    if made is None or drawn.opens is None:
        return []
    numbers = {each.number: each for each in entrants.of_tournament(conn, tournament.id)}
    there = {each.dot: each for each in rounds.now_sitting(conn, tournament.id, held.round, held.table)}
    table = next(each for each in made.tables if (each.round, each.table) == (held.round, held.table))
    known = {seat.entrant: numbers[there[seat.dot].entrant] for seat in table.seats if there[seat.dot].entrant}
    factions = {seat.dot: as_faction(there[seat.dot].faction) for seat in table.seats if there[seat.dot].faction}
    seats = tuple(replace(seat, faction=factions.get(seat.dot)) for seat in table.seats)
    handle = next(seat.entrant for seat in seats if seat.dot == held.dot)
    told = _table(tournament, made, replace(table, seats=seats), handle, known)
    return [told, _next(tournament, drawn.opens, now, entrant)]


def _table(tournament: Tournament, made: DrawRecord, table: TableDrawn, handle: Handle, known: Others) -> str:
    own = next(seat for seat in table.seats if seat.entrant == handle)
    others = [_other(seat, known) for seat in table.seats if seat.entrant != handle and seat.entrant in known]
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


def _next(tournament: Tournament, until: datetime, now: datetime, entrant: Entrant) -> str:
    how = tournament.settings.factions.by
    if how == "draw":
        return say("tournament-draw.next")
    return say(f"tournament-draw.next-{how}", until=by(until, now, zone_of(entrant)))
