"""The assignment of factions between the draw and the first game: by trades, two cards, preferences or an auction.

The draw opens a period of some hours in which entrants file sealed papers by mail. A trade takes place as soon as the
papers of both players agree, and both are told. Everything else is settled together at the end of the period. Until
then nobody learns what another player has filed, or whether they have filed anything. A wish for a faction that nobody
was dealt is different: the others at the table are told about it and must agree, and nobody learns who refused.

The settings and the seed of the draw determine the factions, and also the order of wishes where the papers leave it
open. So anybody can recompute both. The exception is the offer of two cards: until a player has chosen, nobody else may
know which cards they were offered. The offer therefore also depends on the secret of the tournament, and others can
recompute it only after that secret has been published.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeVar

from bot.competition import factions as papers
from bot.competition.factions import make_trades as traded
from bot.competition.outcomes import Handle
from bot.competition.published import TableDrawn
from bot.competition.seating_designs import allowed_factions, draw_factions, has_spare_factions
from bot.competition.settings import TournamentSettings
from bot.games.open_games import OpenGames, Session
from bot.store import tournament_rounds, tournaments
from bot.store.database import Connection, reading
from bot.store.tournament_rounds import Round, Tenure
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.table.calendar import stamp
from bot.tournament import progress
from bot.tournament.desk import Caller, acting, guarded, log_act
from bot.tournament.letters import Letter, tell, zone_of
from bot.wording import deadline, say
from rules.components import FACTION_FACTS, Faction, as_faction
from rules.components.chance import Chance

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Phase:
    """A round whose factions are not settled yet. ``tables`` and ``seed`` come from its draw. ``seats`` gives, for each
    table, the current holder of each seat, by the handle for which the seat was drawn. ``lost`` is the total number of
    places by which each entrant has missed their first preference so far."""

    tournament: Tournament
    round: Round
    seed: str
    tables: Mapping[int, TableDrawn]
    seats: Mapping[int, Mapping[Handle, Tenure]]
    known: Mapping[int, Entrant]
    lost: dict[int, int] = field(default_factory=dict)


def make_trades(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        open_now = [
            each.id
            for each in tournaments.all_tournaments(conn, "drawn", "running")
            if each.settings.factions.by == "trade" and tournaments.papers_of(conn, each.id, "swap", "wish")
        ]
    for tournament_id in open_now:
        with (
            guarded("trading factions", tournament_id),
            acting(Caller(open_games, now), tournament_id) as (session, tournament),
        ):
            for phase in _phases(session.conn, tournament):
                for number in phase.tables:
                    _trade(session, phase, number)


def settle_factions(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        due = [
            each.id
            for each in tournaments.all_tournaments(conn, "drawn", "running")
            if any(_is_due(found, now) for found in tournament_rounds.rounds_of(conn, each.id))
        ]
    for tournament_id in due:
        with (
            guarded("settling factions", tournament_id),
            acting(Caller(open_games, now), tournament_id) as (session, tournament),
        ):
            for phase in _phases(session.conn, tournament):
                if _is_due(phase.round, now):
                    _settle(session, phase)


def _is_due(found: Round, now: datetime) -> bool:
    return found.state == "drawn" and found.opens is not None and found.opens <= now


def _phases(conn: Connection, tournament: Tournament) -> list[Phase]:
    known = {each.number: each for each in tournaments.entrants_of(conn, tournament.id)}
    found = []
    for each in tournament_rounds.rounds_of(conn, tournament.id):
        record = progress.draw_record(each)
        if each.state != "drawn" or each.opens is None or record is None:
            continue
        tables = {table.table: table for table in record.tables if table.round == each.number}
        drawn = {(table.table, seat.dot): seat.entrant for table in tables.values() for seat in table.seats}
        seats: dict[int, dict[Handle, Tenure]] = {}
        for tenure in tournament_rounds.now_sitting(conn, tournament.id, each.number):
            seats.setdefault(tenure.table, {})[drawn[tenure.table, tenure.dot]] = tenure
        found.append(Phase(tournament, each, record.seed, tables, seats, known))
    return found


# --- trades ----------------------------------------------------------------------------------------------------------


def _trade(session: Session, phase: Phase, number: int) -> None:
    seats = {phase.known[tenure.entrant].handle: tenure for tenure in phase.seats[number].values() if tenure.entrant}
    factions = {handle: as_faction(tenure.faction) for handle, tenure in seats.items()}
    spice = {as_faction(t.faction): FACTION_FACTS[as_faction(t.faction)].spice + t.spice for t in seats.values()}
    filed: list[tuple[Paper, papers.Trade]] = []
    for paper in tournaments.papers_of(session.conn, phase.tournament.id, "swap"):
        handle = phase.known[paper.entrant].handle
        if (paper.round, paper.table) != (phase.round.number, number) or handle not in seats:
            continue
        try:
            trade = papers.read_trade(paper.words, handle, factions)
        except papers.PaperRefused as error:
            _refuse(session, phase, paper, str(error))
            continue
        if why := papers.trade_refusal(trade, factions, spice):
            _refuse(session, phase, paper, why)
            continue
        filed.append((paper, trade))
    if taker := _grant_wish(session, phase, number, seats):
        for paper, trade in filed:
            if taker in (trade.by, trade.to):
                tournaments.set_paper_state(session.conn, paper.id, "gone")
        return
    for made in traded(factions, spice, [trade for _, trade in filed]).made:
        _swap(session, phase, seats, made)
        both = {made.by, made.to}
        for paper, trade in filed:
            if both & {trade.by, trade.to}:
                tournaments.set_paper_state(
                    session.conn, paper.id, "answered" if {trade.by, trade.to} == both else "gone"
                )
        for wish in _wishes_at(session.conn, phase, number):
            _end_wish(session, phase, wish, "changed")
        return  # the factions have changed: settle the remaining papers next time


def _refuse(session: Session, phase: Phase, paper: Paper, why: str) -> None:
    tournaments.set_paper_state(session.conn, paper.id, "refused")
    told = [say("tournament-factions-settled.refused", words=paper.words, why=why)]
    cause = f"trade.{paper.round}.{paper.table}.{stamp(session.now)}"
    _tell_entrant(session, phase, phase.known[paper.entrant], told, cause)


def _swap(session: Session, phase: Phase, seats: Mapping[Handle, Tenure], made: papers.Trade) -> None:
    one, other = seats[made.by], seats[made.to]
    table = f"{one.round}.{one.table}"
    gets = {made.by: (other.faction, other.spice - made.pays), made.to: (one.faction, one.spice + made.pays)}
    for handle, (faction, spice) in gets.items():
        tournament_rounds.change_tenure(session.conn, seats[handle], faction=faction, spice=spice)
        starts = FACTION_FACTS[as_faction(faction)].spice + spice
        told = [say("tournament-factions-settled.traded", starts=starts, table=table, faction=faction)]
        cause = f"traded.{table}.{faction}.{session.now:%Y%m%d%H%M%S}"
        _tell_entrant(session, phase, phase.known[seats[handle].entrant], told, cause)
    words = f"table {table}: {made.by} and {made.to} traded factions"
    if made.pays:
        payer, paid = (made.by, made.to) if made.pays > 0 else (made.to, made.by)
        words += f", {payer} pays {paid} {abs(made.pays)} spice"
    log_act(session, phase.tournament.id, "trade", words)


# --- undrawn factions ------------------------------------------------------------------------------------------------

MOST_WISHES = 3
"""The number of times that a player may ask a table for an undrawn faction. Each wish sends a letter to everybody else
at the table."""


def ask_for_undrawn(session: Session, tournament: Tournament, paper: Paper) -> Faction | None:
    """If an entrant's paper names a faction that nobody at the table was dealt, ask the others to agree, and return
    that faction. Return None for any other paper. Raise PaperRefused if the entrant may not ask."""
    conn, asker, place = session.conn, paper.entrant, (paper.round, paper.table)
    phase = next(each for each in _phases(conn, tournament) if each.round.number == paper.round)
    seats = {tenure.entrant: tenure for tenure in phase.seats[paper.table].values() if tenure.entrant}
    own, held = as_faction(seats[asker].faction), {tenure.faction for tenure in seats.values()}
    wanted = papers.read_exchange(paper.words, own, papers.box_of(tournament.settings))
    if wanted is None or wanted in held:
        return None
    if wanted not in papers.undrawn_factions(tournament.settings, phase.tables[paper.table]):
        raise papers.PaperRefused(say("tournament-wish.not-to-have", faction=wanted))
    if FACTION_FACTS[wanted].spice + seats[asker].spice < 0:
        raise papers.PaperRefused(say("tournament-wish.too-poor", faction=wanted))
    before = [each for each in tournaments.papers_of(conn, tournament.id, "wish", state=None) if _place(each) == place]
    own_before = [each for each in before if each.entrant == asker]
    if any(each.state == "open" and each.words == wanted for each in own_before):
        return wanted
    if any(each.state == "refused" and each.words == wanted for each in own_before) or len(own_before) >= MOST_WISHES:
        raise papers.PaperRefused(say("tournament-wish.asked-before", faction=wanted))
    for each in before:
        if each.state == "open" and (each.entrant == asker or each.words == wanted):
            _end_wish(session, phase, each, "replaced" if each.entrant == asker else "wanted-too")
    number = tournaments.add_paper(conn, replace(paper, kind="wish", words=wanted))
    _ask_table(session, phase, replace(paper, kind="wish", words=wanted, id=number), seats)
    return wanted


def _ask_table(session: Session, phase: Phase, wish: Paper, seats: Mapping[int, Tenure]) -> None:
    table = f"{wish.round}.{wish.table}"
    facts = {"who": _name(phase.known[wish.entrant]), "own": seats[wish.entrant].faction, "faction": wish.words}
    for number in seats:
        if number == wish.entrant:
            continue
        other = phase.known[number]
        consent = Paper(wish.tournament_id, number, "consent", str(wish.id), session.now, wish.round, wish.table)
        tournaments.add_paper(session.conn, consent)
        until = deadline(phase.round.opens, session.now, zone_of(other)) if phase.round.opens else ""
        told = [say("tournament-wish.asks", table=table, until=until, **facts), say("tournament-wish.silence")]
        subject = say("tournament-wish.subject", title=phase.tournament.title, **facts)
        ready = [f"{answer} {table} {wish.words}" for answer in ("agree", "no")]
        tell(session, other, Letter(subject, told, f"wish.{wish.id}", ready=ready))


def consents_asked(conn: Connection, entrant: Entrant) -> list[tuple[Paper, Paper]]:
    wishes = {str(each.id): each for each in tournaments.papers_of(conn, entrant.tournament_id, "wish")}
    every = tournaments.papers_of(conn, entrant.tournament_id, "consent", state=None) if wishes else []
    return [(each, wishes[each.words]) for each in every if each.entrant == entrant.number and each.words in wishes]


def _place(paper: Paper) -> tuple[int, int]:
    return paper.round, paper.table


def _wishes_at(conn: Connection, phase: Phase, number: int) -> list[Paper]:
    every = tournaments.papers_of(conn, phase.tournament.id, "wish")
    return [paper for paper in every if _place(paper) == (phase.round.number, number)]


_ANSWERS: Mapping[str, bool | None] = {"answered": True, "refused": False}


def _grant_wish(session: Session, phase: Phase, number: int, seats: Mapping[Handle, Tenure]) -> Handle:
    """Settle the wishes of a table that can be settled now. Return the handle of the player who got an undrawn faction,
    or "" if nobody did."""
    wishes = _wishes_at(session.conn, phase, number)
    consents = tournaments.papers_of(session.conn, phase.tournament.id, "consent", state=None) if wishes else []
    for wish in wishes:
        by = phase.known[wish.entrant].handle
        asked = [each for each in consents if each.words == str(wish.id)]
        answers = {phase.known[each.entrant].handle: _ANSWERS.get(each.state) for each in asked}
        found = papers.judge_wish(by, list(seats), answers)
        if found in ("refused", "changed"):
            _end_wish(session, phase, wish, found)
        if found == "granted":
            _take_undrawn(session, phase, wish, seats)
            for other in wishes:
                if other.id != wish.id:
                    _end_wish(session, phase, other, "changed")
            return by
    return ""


def _take_undrawn(session: Session, phase: Phase, wish: Paper, seats: Mapping[Handle, Tenure]) -> None:
    by, faction = phase.known[wish.entrant].handle, as_faction(wish.words)
    given, table = seats[by].faction, f"{wish.round}.{wish.table}"
    tournaments.set_paper_state(session.conn, wish.id, "answered")
    tournament_rounds.change_tenure(session.conn, seats[by], faction=faction)
    starts = FACTION_FACTS[faction].spice + seats[by].spice
    for handle, tenure in seats.items():
        if handle == by:
            told = say("tournament-factions-settled.traded", starts=starts, table=table, faction=faction)
        else:
            who = _name(phase.known[wish.entrant])
            told = say("tournament-wish.granted", who=who, table=table, faction=faction, given=given)
        _tell_entrant(session, phase, phase.known[tenure.entrant], [told], f"granted.{wish.id}")
    words = f"table {table}: {by} gave {given} for the undrawn {faction}; everybody there agreed"
    log_act(session, phase.tournament.id, "trade", words)


def _end_wish(
    session: Session, phase: Phase, wish: Paper, why: Literal["refused", "changed", "replaced", "wanted-too"]
) -> None:
    """End a wish and tell the player who made it why. If another player does not answer in time, that counts as a
    refusal."""
    tournaments.set_paper_state(session.conn, wish.id, "refused" if why == "refused" else "gone")
    told = say(f"tournament-wish.{why}", faction=wish.words, table=f"{wish.round}.{wish.table}")
    _tell_entrant(session, phase, phase.known[wish.entrant], [told], f"wish-over.{wish.id}")


# --- the end of the period -------------------------------------------------------------------------------------------


def _settle(session: Session, phase: Phase) -> None:
    by, number = phase.tournament.settings.factions.by, phase.round.number
    if by == "preference":
        phase.lost.update(_lost_before(session.conn, phase))
    for place in phase.tables:
        if by != "trade":
            for handle, (faction, price) in _ASSIGNED[by](session.conn, phase, place).items():
                tournament_rounds.change_tenure(session.conn, phase.seats[place][handle], faction=faction, price=price)
    for place in phase.tables:
        for wish in _wishes_at(session.conn, phase, place):
            _end_wish(session, phase, wish, "refused")
    for paper in tournaments.papers_of(session.conn, phase.tournament.id, "worths", "keep", "swap"):
        if paper.round == number:
            tournaments.set_paper_state(session.conn, paper.id, "gone" if paper.kind == "swap" else "answered")
    tournament_rounds.change_round(session.conn, phase.tournament.id, number, opens=None)
    log_act(session, phase.tournament.id, "factions", f"factions of round {number} settled: {by}")
    _tell_settled(session, phase)


def _tell_settled(session: Session, phase: Phase) -> None:
    for tenure in tournament_rounds.now_sitting(session.conn, phase.tournament.id, phase.round.number):
        if not tenure.entrant:
            continue
        others = [
            say(
                "tournament-factions-settled.other",
                who=_name(phase.known[other.entrant]),
                faction=other.faction,
                price=other.price,
            )
            for other in tournament_rounds.now_sitting(session.conn, phase.tournament.id, tenure.round, tenure.table)
            if other.entrant and other.dot != tenure.dot
        ]
        told = [
            say(
                "tournament-factions-settled.plays",
                table=f"{tenure.round}.{tenure.table}",
                faction=tenure.faction,
                price=tenure.price,
                starts=FACTION_FACTS[as_faction(tenure.faction)].spice + tenure.spice,
                more=tenure.spice,
                others=others,
            )
        ]
        cause = f"factions.{tenure.round}.{tenure.table}"
        _tell_entrant(session, phase, phase.known[tenure.entrant], told, cause)


def _name(entrant: Entrant) -> str:
    return entrant.public_name


def _tell_entrant(session: Session, phase: Phase, entrant: Entrant, told: list[str], cause: str) -> None:
    subject = say("tournament-factions-settled.subject", title=phase.tournament.title)
    tell(session, entrant, Letter(subject, told, cause))


Assigned = Mapping[Handle, tuple[Faction, int]]
"""The faction of each player, and its price in tenths of a point."""


def _read_papers(
    conn: Connection, phase: Phase, place: int, kind: tournaments.PaperKind, read: Callable[[Handle, str], T]
) -> dict[Handle, T]:
    found: dict[Handle, T] = {}
    drawn_for = {tenure.entrant: handle for handle, tenure in phase.seats[place].items()}
    wanted = (0, 0) if kind == "preferences" else (phase.round.number, place)
    for paper in tournaments.papers_of(conn, phase.tournament.id, kind):
        if (paper.round, paper.table) == wanted and paper.entrant in drawn_for:
            handle = drawn_for[paper.entrant]
            try:
                found[handle] = read(handle, paper.words)
            except papers.PaperRefused:
                continue
    return found


def _two_cards(conn: Connection, phase: Phase, place: int) -> Assigned:
    table = phase.tables[place]
    offers = card_offers(phase.tournament.settings, phase.tournament.secret, phase.seed, table)
    choices = _read_papers(conn, phase, place, "keep", lambda handle, words: papers.read_choice(words, offers[handle]))
    found = papers.assign_kept_cards(drawn_order(phase.seed, table), offers, choices)
    return {handle: (faction, 0) for handle, faction in found.items()}


def _preference(conn: Connection, phase: Phase, place: int) -> Assigned:
    table = phase.tables[place]
    settings = phase.tournament.settings
    factions = factions_on_offer(settings, phase.seed, table)
    lists = _read_papers(conn, phase, place, "preferences", lambda _, words: _wishes(settings, words, factions))
    sits = {handle: tenure.entrant for handle, tenure in phase.seats[place].items()}
    before = {handle: phase.lost.get(entrant, 0) for handle, entrant in sits.items()}
    found = papers.assign_by_preference(drawn_order(phase.seed, table), factions, lists, before)
    for handle, faction in found.items():
        phase.lost[sits[handle]] = before[handle] + papers.places_lost(lists.get(handle, ()), faction)
    return {handle: (faction, 0) for handle, faction in found.items()}


def _auction(conn: Connection, phase: Phase, place: int) -> Assigned:
    table = phase.tables[place]
    factions = factions_on_offer(phase.tournament.settings, phase.seed, table)
    worths = _read_papers(conn, phase, place, "worths", lambda _, words: papers.read_worths(words, factions))
    sold = papers.hold_auction(drawn_order(phase.seed, table), factions, worths)
    return {handle: (each.faction, each.price) for handle, each in sold.items()}


def _wishes(settings: TournamentSettings, words: str, factions: Sequence[Faction]) -> papers.Wishes:
    return papers.wishes_among(papers.read_preferences(words, papers.box_of(settings)), factions)


def _lost_before(conn: Connection, phase: Phase) -> dict[int, int]:
    lists = {paper.entrant: paper.words for paper in tournaments.papers_of(conn, phase.tournament.id, "preferences")}
    lost: dict[int, int] = {}
    settings = phase.tournament.settings
    chosen_from = {
        (table.round, table.table): factions_on_offer(settings, record.seed, table)
        for each in tournament_rounds.rounds_of(conn, phase.tournament.id)
        if (record := progress.draw_record(each))
        for table in record.tables
    }
    for tenure in tournament_rounds.tenures_of(conn, phase.tournament.id):
        words = lists.get(tenure.entrant)
        if tenure.number or not tenure.faction or words is None:
            continue
        try:
            wishes = _wishes(settings, words, chosen_from[tenure.round, tenure.table])
        except papers.PaperRefused:
            continue
        lost[tenure.entrant] = lost.get(tenure.entrant, 0) + papers.places_lost(wishes, as_faction(tenure.faction))
    return lost


_ASSIGNED: Mapping[str, Callable[[Connection, Phase, int], Assigned]] = {
    "two-cards": _two_cards,
    "preference": _preference,
    "auction": _auction,
}


def factions_on_offer(settings: TournamentSettings, seed: str, table: TableDrawn) -> list[Faction]:
    """Return the factions from which the players of a table choose, in the order of the data. If the rule set has more
    factions than a full table needs, these are all factions that may be played at the table; otherwise one faction is
    drawn for each player."""
    box = papers.box_of(settings)
    if has_spare_factions(box):
        return allowed_factions(len(table.seats), settings.tables.missing, box)
    label = f"factions of table {table.round}/{table.table}"
    found = draw_factions(len(table.seats), settings.tables.missing, Chance(seed, {}), label)
    return [faction for faction in box if faction in found]


def drawn_order(seed: str, table: TableDrawn) -> list[Handle]:
    order = sorted(seat.entrant for seat in table.seats)
    Chance(seed, {}).shuffle(f"order of table {table.round}/{table.table}", order)
    return order


def card_offers(
    settings: TournamentSettings, secret: str, seed: str, table: TableDrawn
) -> Mapping[Handle, papers.Offer]:
    """Return the two cards offered to each player, if this tournament offers two. They are dealt by the HMAC-SHA256 of
    the seed, with the secret as its key."""
    if settings.factions.by != "two-cards":
        return {}
    sealed = hmac.digest(secret.encode(), seed.encode(), "sha256").hex()
    label = f"cards of table {table.round}/{table.table}"
    return papers.offer_cards(drawn_order(seed, table), factions_on_offer(settings, seed, table), sealed, label)
