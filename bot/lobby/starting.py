"""From a full table to its game: presence, check-in, the draw, the start, rematches, and the passing of time.

``settle`` checks a table after every change and handles the consequences. It asks players who have not been heard from
lately whether they are still there, offers free seats to the people on the waiting list, or starts the game.
Each step is one transaction, which includes the game and its first letters, so a table starts exactly once even if a
process dies during the step.

The draw: the seed is drawn when the table opens, and its SHA-256 is in every letter about a seat. Factions and dots
follow from HMAC(seed, "lobby ID|" + SHA-256 of the names of the players, in the order of joining). So nobody who joins
can know what they will get. Wishes are granted as in tournaments (``bot.competition.factions``), with the players *and*
the factions in drawn order, so that no faction is always left over for the players without wishes. The game itself has
a different seed. If factions are sold, players (with the opponents last) and factions are also in drawn order. The
auction is the one used in tournaments, but is paid in spice: nobody pays more than they offered, and a faction starts
with that much less spice.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import cast

from msgspec.structs import replace as changed

from bot.competition.factions import (
    REST,
    Sale,
    Wishes,
    assign_by_preference,
    hold_auction,
    read_preferences,
    wishes_among,
)
from bot.desk.new_game import NewGame, Player, begin_game
from bot.games.letter_writer import Matter
from bot.games.open_games import OpenGames, Session, act
from bot.games.seat_addresses import AddressRefused
from bot.games.seat_mail import lobby_token
from bot.lobby import calendars, letters
from bot.lobby.joining import (
    ONE_PERSON,
    JoinRequest,
    invite_person,
    is_banned,
    join,
    lapse_offer,
    leave,
    most_games,
    offer_free_seats,
    own_seat,
    partner_of,
    propose_merge,
    require_may_join,
    worths_among,
)
from bot.lobby.letters import Became
from bot.lobby.requests import Open, Practice
from bot.lobby.tables import (
    DAY,
    HOUR,
    MOST_SEATS,
    PROPOSED_DAYS,
    REMATCH_DAYS,
    LobbyRefused,
    change,
    end_table,
    log_act,
    open_table,
    public_views,
    reader_at,
    refuse_unseen,
    settings_of,
    tell_ended,
    view_of,
    window,
    write,
)
from bot.lobby.vacancies import is_kept, note_abandoned_seat, offer_by_itself, pass_time_of_vacancy, seats_of_banned
from bot.mail.identity import bounce_token_of
from bot.press import read_press
from bot.store import games, lobby, people
from bot.store.database import Connection, DatabaseUnavailable, reading
from bot.store.lobby import FORMING, HOLDING, LobbySeat, LobbyTable, TableSettings
from bot.table.calendar import stamp
from bot.wording import day_and_month, say
from rules.chapters.setup import TRADED_SPICE, dealt_factions
from rules.components import FACTION_FACTS, Faction, as_faction
from rules.components.board import DOTS
from rules.components.chance import Chance
from rules.players import Temperament

log = logging.getLogger(__name__)
REOPENED_FOR = 72 * HOUR
A_WEEK = 7 * DAY
A_MONTH = 30 * DAY


# --- consequences of a change -----------------------------------------------------------------------------------------


def settle(session: Session, table_id: str, by: str = "") -> LobbyTable:
    """Handle the consequences of a change to a table, and return the resulting table. ``by`` is the person who caused
    the change; they get a separate answer instead of a notice."""
    table = _forming(session.conn, table_id)
    if table is None:
        return _settle_proposed(session, cast(LobbyTable, lobby.find_table(session.conn, table_id)))
    _free_barred(session, table)
    table = _pass_word(session, table)
    there = lobby.seats_of(session.conn, table_id)
    seated = [seat for seat in there if seat.state == "seated"]
    if not there and table.opener:
        end_table(session, table, "nobody sits there")
    elif table.settings.starts == "date" and not table.go:
        _settle_dated(session, table, seated, by)
    elif not _enough(table, seated):
        _reopen(session, table)
    else:
        _settle_full(session, table, seated, by)
    return cast(LobbyTable, lobby.find_table(session.conn, table_id))


def _forming(conn: Connection, table_id: str) -> LobbyTable | None:
    table = lobby.find_table(conn, table_id)
    return table if table is not None and table.state in FORMING and table.kind != "vacancy" else None


def _settle_proposed(session: Session, table: LobbyTable) -> LobbyTable:
    """End a table that waits for approval if its opener has left. Do nothing else: such a table has no other
    players."""
    if table.state == "proposed" and not lobby.seats_of(session.conn, table.id):
        end_table(session, table, "nobody sits there")
        table = replace(table, state="ended")
    return table


def _enough(table: LobbyTable, seated: Sequence[LobbySeat]) -> bool:
    least = table.settings.fewest if table.go else table.settings.size
    return len(seated) >= least


def _free_barred(session: Session, table: LobbyTable) -> None:
    kept: list[LobbySeat] = []
    for seat in lobby.seats_of(session.conn, table.id):
        if is_banned(session, seat.address):
            leave(session, seat, "freed", "ban")
        elif own_seat(session, kept, seat.address) is not None:
            leave(session, seat, "freed", ONE_PERSON)
            letter = letters.one_of_two_seats(reader_at(session, seat.address), view_of(session.conn, table))
            write(session, seat.address, letter, f"{table.id}.one-of-two.{seat.number}")
        else:
            kept.append(seat)


def _pass_word(session: Session, table: LobbyTable) -> LobbyTable:
    """If the player who decides when the table starts has left, pass that right on to the player who has sat there
    longest."""
    seated = lobby.seats_of(session.conn, table.id, "seated")
    if not table.starter or not seated or table.starter in {seat.address for seat in seated}:
        return table
    same = own_seat(session, seated, table.starter)
    return change(session, table, starter=(same or seated[0]).address)


def _reopen(session: Session, table: LobbyTable) -> None:
    if table.state == "full" or table.go:
        ends = table.expires_at if table.settings.starts_at else max(table.expires_at, session.now + REOPENED_FOR)
        was_full = table.state == "full"
        table = change(
            session, table, state="open", go=False, check_due=None, reminded=False, full_at=None, expires_at=ends,
            rounds=table.rounds + 1,
        )  # fmt: skip
        if was_full and ends > session.now:
            tell_all(session, table, "no-longer-full")
    offer_free_seats(session, table)


def _settle_full(session: Session, table: LobbyTable, seated: Sequence[LobbySeat], by: str) -> None:
    begins = table.state == "open"
    if begins:
        changed = {"state": "full", "full_at": session.now, "rounds": table.rounds + 1}
        table = change(session, table, **changed)
    if table.settings.starts == "opener" and not table.go:
        if begins:
            tell_all(session, table, "full", {by})
        return
    absent = absent_among(session.conn, session, seated)
    if not absent:
        begin(session, table, seated)
        return
    if table.check_due is None:
        due = window(session.settings, session.now, session.settings.lobby.check_hours)
        date = table.settings.starts_at
        due = min(due, date) if date and date > session.now else due
        table = change(session, table, check_due=due, reminded=False)
        _ask(session, table, absent, due)
        tell_all(session, table, "full", {by, *(seat.address for seat in absent)})


def _settle_dated(session: Session, table: LobbyTable, seated: Sequence[LobbySeat], by: str) -> None:
    """On the date of a table, start it with the players who have been heard from. Some hours before, begin its
    check-in."""
    at = table.settings.starts_at
    assert at is not None, table.id
    full = len(seated) >= table.settings.size
    if full != (table.state == "full"):
        table = change(session, table, state="full" if full else "open", rounds=table.rounds + 1)
        tell_all(session, table, "full" if full else "no-longer-full", {by})
    if not full:
        offer_free_seats(session, table)
    if session.now >= at:
        seated = [seat for seat in seated if seat not in _give_back_silent(session, table, seated)]
        if len(seated) >= table.settings.fewest:
            begin(session, table, seated)
        else:
            _end_unfilled(session, table)
    elif table.check_due is None and session.now >= at - session.settings.lobby.check_hours * HOUR:
        table = change(session, table, check_due=at, reminded=True)
        _ask(session, table, absent_among(session.conn, session, seated), at)


# --- presence and notices ---------------------------------------------------------------------------------------------


def absent_among(conn: Connection, session: Session, seated: Sequence[LobbySeat]) -> list[LobbySeat]:
    """Return the players who have not been heard from in the last ``present_hours`` hours, at this table or in any of
    their games."""
    since = session.now - timedelta(hours=session.settings.lobby.present_hours)
    return [
        seat
        for seat in seated
        if not (seat.present_at and seat.present_at > since)
        and not lobby.was_heard_since(conn, people.known_as(conn, seat.address), since)
    ]


def _ask(
    session: Session, table: LobbyTable, absent: Sequence[LobbySeat], due: datetime, *, reminder: bool = False
) -> None:
    shown = view_of(session.conn, table)
    for seat in absent:
        letter = letters.check_in(reader_at(session, seat.address), shown, due, reminder=reminder)
        write(session, seat.address, letter, f"{table.id}.check.{stamp(due)}.{reminder}")


def tell_all(session: Session, table: LobbyTable, became: Became, but_not: Collection[str] = ()) -> None:
    """Tell a table's players about a change to it, at most once a day. The player who may start it is always told."""
    today = session.now.astimezone(session.settings.mentat.timezone).date()
    asks = table.settings.starts == "opener" and not table.go
    shown = view_of(session.conn, table)
    for seat in lobby.seats_of(session.conn, table.id, "seated"):
        decides = asks and seat.address == table.starter
        may_start = decides and became in ("full", "enough")
        if seat.address not in but_not and (decides or table.noticed_on != today):
            letter = letters.table_became(reader_at(session, seat.address), shown, became, may_start=may_start)
            write(session, seat.address, letter, f"{table.id}.{became}.{table.rounds}.{may_start}")
    change(session, table, noticed_on=today)


def _tell_word(session: Session, table: LobbyTable, before: str) -> None:
    shown = view_of(session.conn, table)
    for address, became, may_start in ((table.starter, "word-is-yours", True), (before, "word-passed", False)):
        if any(seat.address == address for seat in lobby.seats_of(session.conn, table.id, "seated")):
            letter = letters.table_became(reader_at(session, address), shown, cast(Became, became), may_start=may_start)
            write(session, address, letter, f"{table.id}.{became}.{table.rounds}")


def tell_fewest(session: Session, table: LobbyTable, by: str) -> None:
    seated = lobby.seats_of(session.conn, table.id, "seated")
    if table.state == "open" and len(seated) == table.settings.fewest < table.settings.size:
        tell_all(session, table, "enough", {by})


def start_now(session: Session, table: LobbyTable, *, opponents: bool = False) -> LobbyTable:
    own = table.settings
    if opponents and not own.opponents:
        raise LobbyRefused("no-opponents", table.id)
    seated = lobby.seats_of(session.conn, table.id, "seated")
    if len(seated) < own.fewest:
        raise LobbyRefused("not-full-enough", table.id, fewest=own.fewest, taken=len(seated))
    change(session, table, go=True)
    return settle(session, table.id)


def hold(session: Session, table: LobbyTable, until: datetime) -> LobbyTable:
    settings = table.settings
    if settings.starts == "itself":
        table = change(session, table, text=lobby.settings_text(_with_word(settings)))
    ends = table.expires_at if settings.starts_at else max(table.expires_at, until)
    return change(session, table, go=False, check_due=None, expires_at=ends, full_at=until if table.full_at else None)


def _with_word(settings: TableSettings) -> TableSettings:
    return changed(settings, starts="opener")


# --- the draw ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Draw:
    """The outcome of a draw. For each faction, ``factions`` gives its player's place in the order of joining (with the
    opponents after the players). ``dots`` gives its dot, and ``prices`` its price in spice."""

    factions: Mapping[Faction, int]
    dots: Mapping[Faction, int]
    prices: Mapping[Faction, int] = field(default_factory=dict)


def seed_of_draw(table: LobbyTable, names: Sequence[str]) -> str:
    said = f"lobby {table.id}|{roster_of(names)}"
    return hmac.new(table.seed.encode(), said.encode(), hashlib.sha256).hexdigest()


def roster_of(names: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def draw(
    drawn: str, wishes: Sequence[str], factions: Sequence[Faction], opponents: int = 0, *, sold: bool = False
) -> Draw:
    """Draw a faction and a dot from a seed for each player and each opponent. ``wishes`` are the players' wishes, in
    the order of joining. If the wishes say what each faction is worth (``sold``), auction the factions instead."""
    chance = Chance(drawn, {})
    players, box, dots = list(range(len(wishes))), list(factions), list(DOTS)
    chance.shuffle("lobby-players", players)
    chance.shuffle("lobby-factions", box)
    chance.shuffle("lobby-dots", dots)
    places = [*players, *range(len(wishes), len(wishes) + opponents)]
    order = [str(place) for place in places]
    prices: dict[Faction, int] = {}
    if sold:
        worths = {str(place): worths_among(wish, box) for place, wish in enumerate(wishes)}
        sales = hold_auction(order, box, worths)
        prices = {sale.faction: sale.price for sale in sales.values()}
        by_faction = {sale.faction: int(place) for place, sale in sales.items()}
    else:
        papers = {str(place): _list(wish, box) for place, wish in enumerate(wishes) if wish not in ("", REST)}
        given = assign_by_preference(order, box, cast(Mapping[str, Wishes], papers))
        by_faction = {faction: int(place) for place, faction in given.items()}
    return Draw(by_faction, dict(zip(by_faction, dots, strict=False)), prices)


def _list(wishes: str, box: Sequence[Faction]) -> Wishes:
    """Return the wishes for factions that are in the game. With fewer players, fewer factions may be in it than when
    the wishes were written."""
    return wishes_among(read_preferences(wishes, tuple(FACTION_FACTS)), box)


def public_names(seats: Sequence[LobbySeat]) -> list[str]:
    return [seat.name or say("lobby-note.nameless", number=number) for number, seat in enumerate(seats, 1)]


# --- the start --------------------------------------------------------------------------------------------------------


def begin(session: Session, table: LobbyTable, seated: Sequence[LobbySeat]) -> None:
    """Start the game of a table. If one of its players cannot play, free that seat instead; the table then goes on
    forming."""
    conn, own = session.conn, table.settings
    names = public_names(seated)
    opponents = own.size - len(seated) if own.opponents else 0
    box = dealt_factions(games.rule_set(own.ruleset, own.options), len(seated) + opponents)
    wishes = [seat.wishes if own.factions != "draw" else "" for seat in seated]
    drawn = draw(seed_of_draw(table, names), wishes, box, opponents, sold=own.factions == "auction")
    paid = {faction: price for faction, price in drawn.prices.items() if price}
    players: dict[Faction, str | Player] = {}
    computers: dict[Faction, Temperament] = {}
    for faction, place in drawn.factions.items():
        if place < len(seated):
            seat = seated[place]
            zone = lobby.zone_of(conn, people.known_as(conn, seat.address))
            players[faction] = Player(seat.address, names[place], zone)
        else:
            computers[faction] = cast(Temperament, own.opponents)
    new = NewGame(
        table.id,
        own.ruleset,
        players,
        drawn.dots,
        secrets.token_hex(32),
        {**own.options, **{TRADED_SPICE[faction].name: -price for faction, price in paid.items()}},
        own.tempo,
        press=read_press(own.press),
        opponents=computers,
        clock={"opponent_minutes": 0} if table.kind == "practice" else {},
        event=say("lobby.sold", paid=list(paid.items())) if own.factions == "auction" else "",
    )
    change(session, table, state="started", ended_at=session.now, check_due=None)
    try:
        with conn.begin_nested():
            begin_game(session, new)
    except ValueError as refused:
        log.warning("table %s cannot start: %s", table.id, refused)
        session.games.forget(table.id)
        table = change(session, table, state="full", ended_at=None, go=False, full_at=session.now)
        _free_refused(session, table, refused)
        return
    told = f"drawn from the seed {table.seed} and the names {', '.join(names)} (SHA-256 {roster_of(names)})"
    told += "".join(f"; {faction} sold for {price}" for faction, price in paid.items())
    log_act(session, table.id, "start", told)
    if table.kind != "practice" and not read_press(own.press).gunboat:  # gunboat hides the names
        for held in session.table(table.id).seats.values():
            if "@" in held.address:  # an answer to it goes to the seat
                reader = reader_at(session, held.address)
                sale = Sale(held.faction, drawn.prices[held.faction]) if held.faction in drawn.prices else None
                letter = letters.lot_shown(reader, view_of(conn, table, seated), names, table.seed, sale)
                about = f"lobby.{table.id}.lot.{held.address}"
                session.writer.send(held.address, letter, about, held.token, bounces_to=held.bounce_token)
    _after_start(session, table, seated)


def _free_refused(session: Session, table: LobbyTable, refused: ValueError) -> None:
    """Free the seats of the players who prevent the game from beginning, and settle the table again. If the game cannot
    begin for another reason, tell the game master once."""
    barred = refused.addresses if isinstance(refused, AddressRefused) else ()
    freed = [seat for seat in lobby.seats_of(session.conn, table.id, "seated") if seat.address in barred]
    for seat in freed:
        leave(session, seat, "freed", "refused")
    shown = view_of(session.conn, table)
    for seat in freed:
        letter = letters.seat_given_back(reader_at(session, seat.address), shown, "refused")
        write(session, seat.address, letter, f"{table.id}.refused.{seat.number}")
    log_act(session, table.id, "start", f"{len(freed)} seats are free again", str(refused))
    if freed:
        settle(session, table.id)
    else:
        told = [say("lobby-note.cannot-start", table=table.id), str(refused)]
        subject = say("lobby-note.cannot-start-subject", table=table.id)
        session.writer.tell_master_of(Matter("", "", subject, told, (f"close {table.id}",), f"lobby.{table.id}"))


def practise(session: Session, address: str, wanted: Practice) -> None:
    """Begin a game of one person against computer opponents, who answer at once. The game's first letter is the answer
    to the request. Raise LobbyRefused if this installation has no opponents, or if the person has already begun a
    practice game today."""
    own, conn = session.settings.lobby, session.conn
    known = people.known_as(conn, address)
    if not own.practice_a_day:
        raise LobbyRefused("no-practice")
    if is_banned(session, address):
        raise LobbyRefused("known", why=f"{address} is banned.")
    if lobby.practices_since(conn, known, session.now - DAY) >= own.practice_a_day:
        raise LobbyRefused("practised", games=own.practice_a_day)
    asked = Open(ruleset=wanted.ruleset, fewest=MOST_SEATS, most=MOST_SEATS, opponents=True)
    settings = changed(settings_of(session, asked), fewest=1, opponents=own.practice_opponents)
    table = open_table(session, address, settings, "practice")
    seat = LobbySeat(table.id, address, "seated", session.now, "opener", wishes=wanted.faction)
    begin(session, table, [lobby.add_seat(conn, seat)])
    if lobby.game_status(conn, table.id) == "":
        raise LobbyRefused("over", table.id)


def _after_start(session: Session, table: LobbyTable, seated: Sequence[LobbySeat]) -> None:
    sitting = {seat.number for seat in seated}
    for seat in lobby.seats_of(session.conn, table.id):
        lobby.change_seat(session.conn, seat.number, state="ended", why="started", changed_at=session.now)
        if seat.number not in sitting:
            letter = letters.begun_without(reader_at(session, seat.address), table.id, public_views(session.conn)[:3])
            write(session, seat.address, letter, f"{table.id}.started")
    touched = dict.fromkeys(other for seat in seated for other in _free_over_limit(session, seat))
    for other in touched:
        settle(session, other)


def _free_over_limit(session: Session, seat: LobbySeat) -> list[str]:
    """If a person has reached their limit of games, free their seats at all forming tables. Return those tables."""
    conn, known = session.conn, people.known_as(session.conn, seat.address)
    record = lobby.game_record(conn, known, session.now)
    if record.running < most_games(session, seat.address, record):
        return []
    freed = lobby.seats_of_person(conn, known)
    for other in freed:
        table = _forming(conn, other.table_id)
        leave(session, other, "freed", "limit")
        if table is not None:
            letter = letters.seat_given_back(reader_at(session, other.address), view_of(conn, table), "limit")
            write(session, other.address, letter, f"{table.id}.limit.{other.number}")
    return [other.table_id for other in freed]


# --- rematch ----------------------------------------------------------------------------------------------------------


def rematch(session: Session, game_id: str, address: str) -> LobbyTable:
    """Open a table for the players of a finished game, with a seat kept for each; if it is already open, give this
    person the seat that is kept for them there. Raise LobbyRefused if the game is not over, or if the person did not
    play in it."""
    conn = session.conn
    if lobby.game_status(conn, game_id) != "over":
        raise LobbyRefused("unknown", game_id)
    seats = [seat for seat in games.seats_of(conn, game_id).values() if "@" in seat.address]
    known = people.known_as(conn, address)
    if not any(seat.address in known for seat in seats):
        raise LobbyRefused("unknown", game_id)
    ended = lobby.game_ended_at(conn, game_id)
    if ended is not None and session.now - ended > REMATCH_DAYS * DAY:
        raise LobbyRefused("rematch-over", game_id, days=REMATCH_DAYS)
    every = [each for each in lobby.all_tables(conn) if each.of_game == game_id and each.kind == "rematch"]
    if begun := next((each for each in every if each.state == "started"), None):
        raise LobbyRefused("rematch-begun", begun.id)
    table = next((each for each in every if each.state in FORMING), None)
    if table is None:
        row = games.game_row(conn, game_id)
        before = lobby.find_table(conn, game_id)
        options = games.open_table(conn, game_id).options
        own = (
            before.settings
            if before
            else TableSettings(ruleset=row.ruleset, options=dict(options), tempo=row.tempo, press=row.press)
        )
        own = _again(own, len(seats))
        table = open_table(session, people.address_in_use(conn, address), own, "rematch")
        table = change(session, table, of_game=game_id)
        names = {each.address: each.name for each in lobby.every_seat(conn, game_id)}
        own_name = next((names[each] for each in known if names.get(each)), "")
        join(session, table, JoinRequest(address, "token", own_name))
        for seat in seats:
            if seat.address not in known and own_seat(session, lobby.seats_of(conn, table.id), seat.address) is None:
                invite_person(session, table, people.address_in_use(conn, seat.address), names.get(seat.address, ""))
    else:
        join(session, table, JoinRequest(address, "token"))
    return table


def _again(settings: TableSettings, players: int) -> TableSettings:
    size = max(settings.size if settings.opponents else players, 2)
    return changed(settings, size=size, fewest=max(2, min(players, size)), starts="itself", starts_at=None)


# --- time passes ------------------------------------------------------------------------------------------------------


def tick(open_games: OpenGames, now: datetime) -> None:
    """Do everything that is due at the tables that are forming, and write the weekly letters. Each step is its own
    transaction, and running it twice has no further effect."""
    with reading(open_games.engine) as conn:
        session = Session(conn, open_games, now)
        lapsed = {seat.table_id for seat in lobby.offers_over(conn, now)} | lobby.tables_below(conn)
        due = [
            table.id
            for table in lobby.all_tables(conn, *FORMING, "proposed")
            if table.id in lapsed or _is_due(session, table)
        ]
        standing = lobby.all_standing(conn)
        readers = [each.address for each in standing if each.weekly_at and each.weekly_at + A_WEEK <= now]
        planning = [each.address for each in standing if each.calendar_at and each.calendar_at + A_WEEK <= now]
    for table_id in due:
        try:
            with act(open_games, now) as session:
                pass_time(session, table_id)
        except DatabaseUnavailable:
            raise
        except Exception:
            log.exception("the open table %s could not be processed; will retry", table_id)
    _look_for_abandoned(open_games, now)
    with reading(open_games.engine) as conn:
        session = Session(conn, open_games, now)
        ending = [table.id for table in lobby.all_tables(conn, "open") if partner_of(session, table)]
    for table_id in ending:
        with act(open_games, now) as session:
            propose_merge(session, table_id)
    for address in readers:
        with act(open_games, now) as session:
            _write_weekly(session, address)
    for address in planning:
        with act(open_games, now) as session:
            calendars.write_due_calendar(session, address)


def _look_for_abandoned(open_games: OpenGames, now: datetime) -> None:
    since = now - open_games.settings.lobby.life_days * DAY
    with reading(open_games.engine) as conn:
        found = lobby.abandoned_seats(conn, since)
        banned = seats_of_banned(Session(conn, open_games, now))
    for game_id, seat in banned:
        with act(open_games, now) as session:
            offer_by_itself(session, game_id, seat, "banned")
    for game_id, faction, address in found:
        with act(open_games, now) as session:
            for table_id in note_abandoned_seat(session, game_id, as_faction(faction), address):
                settle(session, table_id)


def _is_due(session: Session, table: LobbyTable) -> bool:
    now, own = session.now, table.settings
    if table.state == "proposed":
        return table.opened_at + PROPOSED_DAYS * DAY <= now
    if table.kind == "vacancy":
        over = table.expires_at <= now or lobby.game_status(session.conn, table.of_game) != "running"
        return over or is_kept(session.conn, table)
    before = session.settings.lobby.check_hours * HOUR
    if own.starts == "date" and own.starts_at and table.check_due is None and own.starts_at - before <= now:
        return True
    if table.state == "open":
        return table.expires_at <= now
    if table.check_due is not None:
        if table.check_due <= now or (not table.reminded and _half(table, table.check_due) <= now):
            return True
        return own.starts != "date" and not absent_among(
            session.conn, session, lobby.seats_of(session.conn, table.id, "seated")
        )
    if own.starts != "opener" or table.go:  # its game could not begin
        return table.full_at is not None and table.full_at + HOUR <= now
    return _word_passes(session, table) is not None


def _half(table: LobbyTable, due: datetime) -> datetime:
    begun = table.full_at or table.opened_at
    return begun + (due - begun) / 2


def _word_passes(session: Session, table: LobbyTable) -> str | None:
    """If the opener of a full table is silent, return the player who may decide instead when the table starts. Return
    "" if the table now starts automatically, so that nobody has to decide. Return None if nothing changes."""
    if table.settings.starts != "opener" or table.go or table.full_at is None:
        return None
    seated = lobby.seats_of(session.conn, table.id, "seated")
    silent = table.full_at + timedelta(hours=session.settings.lobby.present_hours)
    if session.now >= silent + timedelta(hours=session.settings.lobby.check_hours):
        return ""
    here = table.starter in {seat.address for seat in seated}
    late = session.now >= silent and table.starter == table.opener
    others = [seat.address for seat in seated if seat.address != table.opener]
    return others[0] if others and (late or not here) else None


def pass_time(session: Session, table_id: str) -> None:
    table = lobby.find_table(session.conn, table_id)
    if table is None:
        return
    if table.state == "proposed":
        if table.opened_at + PROPOSED_DAYS * DAY <= session.now:
            refuse_unseen(session, table)
        return
    if table.state not in FORMING:
        return
    if table.kind == "vacancy":
        pass_time_of_vacancy(session, table)
        return
    for seat in lobby.seats_of(session.conn, table_id, "offered", "invited"):
        if seat.offer_until and seat.offer_until <= session.now:
            lapse_offer(session, seat)
    table = _pass_check(session, table)
    if (word := _word_passes(session, table)) is not None:
        before = table.starter
        table = change(session, table, **({"starter": word} if word else {"go": True}))
        if word:
            _tell_word(session, table, before)
    table = settle(session, table_id)
    if table.state == "open" and table.expires_at <= session.now:
        _expire(session, table)


def _pass_check(session: Session, table: LobbyTable) -> LobbyTable:
    if table.check_due is None or (table.settings.starts == "date" and not table.go):
        return table
    seated = lobby.seats_of(session.conn, table.id, "seated")
    if table.check_due <= session.now:
        _give_back_silent(session, table, seated)
        return change(session, table, check_due=None)
    if not table.reminded and _half(table, table.check_due) <= session.now:
        _ask(session, table, absent_among(session.conn, session, seated), table.check_due, reminder=True)
        return change(session, table, reminded=True)
    return table


def _give_back_silent(session: Session, table: LobbyTable, seated: Sequence[LobbySeat]) -> list[LobbySeat]:
    silent = absent_among(session.conn, session, seated)
    for seat in silent:
        leave(session, seat, "freed", "silent")
    shown = view_of(session.conn, table)
    for seat in silent:
        letter = letters.seat_given_back(reader_at(session, seat.address), shown, "silent")
        write(session, seat.address, letter, f"{table.id}.silent.{seat.number}")
    return silent


def free_unreachable(session: Session, token: str, recipients: Collection[str]) -> bool:
    """Record that a letter about open tables bounced permanently. The letter is recognised by its token; return False
    if the token belongs to no such letter. The second bounce frees all seats of that person. ``recipients`` are the
    mailboxes that the bounce names."""
    conn = session.conn
    places = {seat.address for seats in lobby.live_seats(conn).values() for seat in seats}
    own = {each: lobby_token(session.settings, each) for each in places}
    address = next((each for each, known in own.items() if token in (known, bounce_token_of(known))), None)
    if address is None:
        return False
    if address not in recipients and people.known_as(conn, address).intersection(recipients):
        return True  # one of their addresses to which no letters go now
    for seat in lobby.seats_of_person(conn, [address]):
        if seat.why != "bounced":
            lobby.change_seat(conn, seat.number, why="bounced")
            continue
        leave(session, seat, "freed", "bounced")
        table = _forming(conn, seat.table_id)
        if table is not None and seat.state == "seated":
            letter = letters.seat_given_back(reader_at(session, address), view_of(conn, table), "bounced")
            write(session, address, letter, f"{table.id}.bounced.{seat.number}")
        settle(session, seat.table_id)
    return True


def _expire(session: Session, table: LobbyTable) -> None:
    seated = lobby.seats_of(session.conn, table.id, "seated")
    if table.settings.starts_at and len(seated) >= table.settings.fewest and not table.go:
        change(session, table, go=True)
        settle(session, table.id)
    else:
        _end_unfilled(session, table)


def _end_unfilled(session: Session, table: LobbyTable) -> None:
    held = lobby.seats_of(session.conn, table.id, *HOLDING)
    there = end_table(session, table, "unfilled")
    tell_ended(session, table, there, held)


def prolong(session: Session, table: LobbyTable) -> LobbyTable:
    """Let a table that ended without filling go on for another ``life_days``, with those of its players who may still
    sit there. Raise LobbyRefused if it ended for another reason, or too long ago."""
    if table.state in FORMING:
        there = reader_at(session, table.starter).zone
        raise LobbyRefused("not-ended", table.id, on=day_and_month(table.expires_at.astimezone(there).date()))
    ended = table.state == "ended" and table.why == "unfilled" and table.ended_at is not None
    if not ended or table.ended_at is None or session.now - table.ended_at > A_WEEK:
        raise LobbyRefused("over", table.id)
    life = session.settings.lobby.life_days * DAY
    table = change(
        session, table, state="open", why="", ended_at=None, go=False, expires_at=session.now + life,
        text=lobby.settings_text(_without_date(table.settings)), rounds=table.rounds + 1,
    )  # fmt: skip
    for seat in lobby.every_seat(session.conn, table.id):
        if seat.state == "ended" and seat.why == "unfilled":
            _seat_again(session, table, seat)
    tell_all(session, replace(table, noticed_on=None), "opened-again")
    return settle(session, table.id)


def _seat_again(session: Session, table: LobbyTable, seat: LobbySeat) -> None:
    try:
        require_may_join(session, table, seat.address, seat)
    except LobbyRefused as refused:
        lobby.change_seat(session.conn, seat.number, why="refused")
        letter = letters.refused(reader_at(session, seat.address), refused.why, (), table=table.id, **refused.facts)
        write(session, seat.address, letter, f"{table.id}.without.{table.rounds}")
    else:
        lobby.change_seat(session.conn, seat.number, state="seated", why="", live=seat.address)


def _without_date(settings: TableSettings) -> TableSettings:
    return changed(settings, starts="itself" if settings.starts == "date" else settings.starts, starts_at=None)


def _write_weekly(session: Session, address: str) -> None:
    known = lobby.standing(session.conn, address)
    if known.weekly_at is None or known.weekly_at + A_WEEK > session.now or known.stopped:
        return
    lobby.set_standing(session.conn, replace(known, weekly_at=session.now))
    shown = public_views(session.conn)
    new = [table.id for table in shown if table.opened > known.weekly_at]
    if new:
        letter = letters.weekly(reader_at(session, address), shown, new)
        write(session, address, letter, f"weekly.{stamp(session.now)}")
