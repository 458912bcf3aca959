"""Letters about a draw. Before it, a letter names the beacon to the players who will be drawn. After it, each of them
gets a letter that lists their tables. If the draw is voided, a letter tells the same people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from bot.competition.credits import STAGES
from bot.competition.factions import box_of, undrawn_factions
from bot.competition.outcomes import Handle
from bot.competition.published import DrawRecord, Seated, TableDrawn
from bot.competition.seating_search import SEATS
from bot.competition.standings import NextRound
from bot.games.open_games import Session
from bot.store import tournament_rounds, tournaments
from bot.store.database import Connection
from bot.store.publication import named_with_round, played_unknown
from bot.store.tournament_rounds import Tenure
from bot.store.tournaments import Entrant, Tournament
from bot.tournament import beacons, progress
from bot.tournament.beacons import FrozenDraw
from bot.tournament.factions import card_offers, factions_on_offer
from bot.tournament.letters import Letter, tell, tell_organisers, zone_of
from bot.wording import day_and_month, deadline, say
from rules.components import Faction, as_faction

MOST_NAMED = 12
"""The maximum number of players that the letter names; if there are more, it gives only their number."""


def tell_frozen(session: Session, tournament: Tournament, comes: NextRound, made: FrozenDraw) -> None:
    known = {each.handle: each for each in tournaments.entrants_of(session.conn, tournament.id)}
    drawn = [known[handle] for handle in comes.who if handle not in made.sit_out]
    if not made.order:  # the draw does not depend on the standings
        drawn.sort(key=lambda each: each.number)
    numbers = list(map(str, comes.numbers))
    subject = say("tournament-beacon.subject", title=tournament.title, rounds=numbers)
    shown = [each.public_name for each in drawn] if len(drawn) <= MOST_NAMED else []
    waits = len(drawn) % SEATS if made.free else 0
    who = say("tournament-beacon.frozen", rounds=numbers, kind=comes.kind, count=len(drawn), who=shown, waits=waits)
    cause, witness = f"frozen.{made.round}.{made.at:%Y%m%d%H%M}", tournament.settings.witness
    line = f"beacon {tournament.id} {made.round}: {made.form}"

    def told(zone: ZoneInfo, reader: str) -> list[str]:
        at = deadline(made.at, session.now, zone)
        source = say("tournament-beacon.source", source=made.source, at=at)
        how = say(f"tournament-beacon.{reader}", line=line, id=tournament.id)
        return [who, source, how, say("tournament-beacon.roster", digest=made.field)]

    for each in drawn:
        texts = told(zone_of(each), "witness" if witness else "others")
        tell(session, each, Letter(subject, texts, cause, ready=(line,) if witness else ()))
    texts = told(session.settings.mentat.timezone, "organiser")
    tell_organisers(session, tournament, Letter(subject, texts, cause))


def tell_voided(session: Session, tournament: Tournament, made: DrawRecord, why: str) -> None:
    count = len(beacons.voided_draws(session.conn, tournament.id))
    facts = {"title": tournament.title, "rounds": list(map(str, made.rounds)), "why": why.strip()}
    subject = say("tournament-draw-void.subject", **facts)
    told = [
        say("tournament-draw-void.told", **facts),
        say("tournament-draw-void.then", beacon=bool(tournament.settings.beacon)),
    ]
    concerned = {*made.roster, *made.sat_out}
    for each in tournaments.entrants_of(session.conn, tournament.id):
        if each.handle in concerned:
            tell(session, each, Letter(subject, told, f"draw-void.{count}"))


Others = Mapping[Handle, Entrant]
"""The seat holders, by the handle of the entrant for whom the seat was drawn."""


def tell_draw(session: Session, tournament: Tournament, made: DrawRecord) -> None:
    known = {each.handle: each for each in tournaments.entrants_of(session.conn, tournament.id)}
    tables: dict[Handle, list[TableDrawn]] = {}
    for table in made.tables:
        for seat in table.seats:
            tables.setdefault(seat.entrant, []).append(table)
    again = sum(each.rounds[0] == made.rounds[0] for each in beacons.voided_draws(session.conn, tournament.id))
    cause = f"draw.{made.rounds[0]}" + (f".{again}" if again else "")
    for handle, own in tables.items():
        entrant = known[handle]
        subject = say("tournament-draw.subject", title=tournament.title, tables=len(own))
        told = [
            say(
                "tournament-draw.drawn",
                title=tournament.title,
                tables=len(own),
                stage=made.kind in STAGES,
                kind=made.kind,
            )
        ]
        told += [_table_in_words(tournament, made, table, handle, known) for table in own]
        until = session.now + timedelta(hours=tournament.settings.factions.trade_hours)
        told.append(_what_follows(tournament, until, session.now, entrant))
        begins = session.now if tournament.settings.factions.by == "draw" else until
        told.append(_what_comes_then(tournament, made, begins.astimezone(zone_of(entrant)).date()))
        seed = "" if played_unknown(tournament) else made.seed
        told.append(say("tournament-draw.check", digest=made.roster_digest, seed=seed, beacon=made.beacon))
        tell(session, entrant, Letter(subject, told, cause))
    subject = say("tournament-draw.subject", title=tournament.title, tables=0)
    for handle in made.sat_out:
        told = [say("tournament-draw.sits-out", title=tournament.title, rounds=list(made.rounds))]
        tell(session, known[handle], Letter(subject, told, cause))


def seat_in_draw(conn: Connection, tournament: Tournament, held: Tenure, entrant: Entrant, now: datetime) -> list[str]:
    """Return the sentences for a person who takes a seat before its factions are settled: the other players, the
    factions to choose from, and the deadline. Return an empty list if the factions have already been settled."""
    drawn = next(each for each in tournament_rounds.rounds_of(conn, tournament.id) if each.number == held.round)
    made = progress.draw_record(drawn)
    if made is None or drawn.opens is None:
        return []
    numbers = {each.number: each for each in tournaments.entrants_of(conn, tournament.id)}
    there = {each.dot: each for each in tournament_rounds.now_sitting(conn, tournament.id, held.round, held.table)}
    table = next(each for each in made.tables if (each.round, each.table) == (held.round, held.table))
    known = {seat.entrant: numbers[there[seat.dot].entrant] for seat in table.seats if there[seat.dot].entrant}
    factions = {seat.dot: as_faction(there[seat.dot].faction) for seat in table.seats if there[seat.dot].faction}
    seats = tuple(replace(seat, faction=factions.get(seat.dot)) for seat in table.seats)
    handle = next(seat.entrant for seat in seats if seat.dot == held.dot)
    told = _table_in_words(tournament, made, replace(table, seats=seats), handle, known)
    return [told, _what_follows(tournament, drawn.opens, now, entrant)]


def _table_in_words(tournament: Tournament, made: DrawRecord, table: TableDrawn, handle: Handle, known: Others) -> str:
    own = next(seat for seat in table.seats if seat.entrant == handle)
    others = [_other_player(seat, known) for seat in table.seats if seat.entrant != handle and seat.entrant in known]
    if played_unknown(tournament):
        others = [say("tournament-draw.unknown", others=len(others), with_round=named_with_round(tournament))]
    facts = {"table": f"{table.round}.{table.table}", "dot": own.dot, "others": others}
    if own.faction:
        missing, undrawn = _missing_factions(tournament, table), _undrawn_factions(tournament, made, table)
        return say("tournament-draw.table", faction=own.faction, missing=missing, undrawn=undrawn, **facts)
    offers = card_offers(tournament.settings, tournament.secret, made.seed, table)
    factions = factions_on_offer(tournament.settings, made.seed, table)
    return say("tournament-draw.table-later", offered=list(offers.get(handle, ())), factions=factions, **facts)


def _other_player(seat: Seated, known: Others) -> str:
    entrant = known[seat.entrant]
    name = entrant.public_name
    return say("tournament-draw.other", who=name, faction=seat.faction or "", dot=seat.dot)


def _missing_factions(tournament: Tournament, table: TableDrawn) -> Sequence[Faction]:
    there = {seat.faction for seat in table.seats}
    return [faction for faction in box_of(tournament.settings) if faction not in there]


def _undrawn_factions(tournament: Tournament, made: DrawRecord, table: TableDrawn) -> Sequence[Faction]:
    if tournament.settings.factions.by != "trade":
        return []
    drawn = next(each for each in made.tables if (each.round, each.table) == (table.round, table.table))
    missing = _missing_factions(tournament, table)
    return [faction for faction in undrawn_factions(tournament.settings, drawn) if faction in missing]


def _what_comes_then(tournament: Tournament, made: DrawRecord, begins: date) -> str:
    """Return a sentence that says when a round will end if it starts on its earliest possible day (``begins``), and
    what follows it in this format."""
    rounds, form = tournament.settings.rounds, tournament.settings.format
    kind = "last" if made.kind == "final" else form
    then = say(f"tournament-draw.then-{kind}", final=rounds.final)
    if form == "ladder":  # the rounds of a ladder have no end
        return then
    ends = day_and_month(begins + timedelta(days=rounds.days))
    facts = {"days": rounds.days, "several": len(made.rounds) > 1, "ends": ends, "begins": day_and_month(begins)}
    return f"{say('tournament-draw.lasts', **facts)} {then}"


def _what_follows(tournament: Tournament, until: datetime, now: datetime, entrant: Entrant) -> str:
    how = tournament.settings.factions.by
    if how == "draw":
        as_they_come = tournament.settings.format == "ladder" or tournament.settings.rounds.load > 0
        by_itself = tournament.settings.is_automatic("start") and not as_they_come
        begins = now + timedelta(hours=tournament.settings.steps.look_hours)
        return say("tournament-draw.next", begins=deadline(begins, now, zone_of(entrant)) if by_itself else "")
    return say(f"tournament-draw.next-{how}", until=deadline(until, now, zone_of(entrant)))
