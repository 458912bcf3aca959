"""Open tables: opening and listing them, their visibility to others, their end, and the game master's acts.

A table forms until it is full; `bot.lobby.joining` seats people and `bot.lobby.starting` starts its game. Only people
who sit at a private table, are invited to it or know its password learn that it exists. Its id is therefore drawn at
random. Public tables are numbered, and gaps in a numbering shared with private tables would reveal the latter.

Every act of the game master, and everything that happens automatically, is entered in the act log under the table's id,
which later becomes the id of the game.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from bot.competition.statistics import shown_reliability
from bot.config import Settings
from bot.config.sections import LobbySettings
from bot.config.time_zones import zone_named
from bot.games.open_games import Session
from bot.games.seat_mail import lobby_token, make_harmless
from bot.lobby import letters
from bot.lobby.letters import ByDesk, Reader, Refusal
from bot.lobby.requests import Filters, Open, OpenTable
from bot.mail.identity import bounce_token_of, mailbox_of
from bot.press import PressRefused, read_press
from bot.render.material import Rendering
from bot.store import acts, deadlines, games, lobby, people, tournaments
from bot.store.acts import DeskAct
from bot.store.database import Connection
from bot.store.lobby import FORMING, HOLDING, LobbySeat, LobbyTable, TableKind, TableSettings
from bot.table.calendar import after_waking_time, instant_at, stamp
from bot.table.clock import UnknownTempo
from bot.table.clock import tempo as find_tempo
from rules.chapters.setup import dealt_factions
from rules.components.chance import commitment
from rules.rulesets.options import RuleSetError
from rules.rulesets.ruleset import require_consistent, require_playable

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
A_MOMENT = timedelta(microseconds=1)
EVERY = Filters()
PLACES = ("arrakeen", "carthag", "tabr", "tuek", "habbanya", "sihaya", "hagga", "pasty", "arsunt", "meridian")
"""Public tables are named after these places in turn; the number in a name counts the tables so far."""
MOST_SEATS, FEWEST_SEATS = 6, 2
LONGEST_TITLE = 60
FURTHEST = timedelta(days=180)
REMATCH_DAYS = 14
PROPOSED_DAYS = 7
MOST_GONE = 50


class LobbyRefused(ValueError):
    """Raised if a request cannot be fulfilled. ``why`` names the sentence that is sent to the person
    (``bot.lobby.letters.refused``); the message of the exception is for the game master."""

    def __init__(self, why: Refusal, table: str = "", /, **facts: Any) -> None:
        super().__init__(facts.get("why") or f"{table or 'The table'}: {why.replace('-', ' ')}.")
        self.why, self.table, self.facts = why, table, facts


class UnknownTable(LobbyRefused):
    pass


# --- readers and letters ----------------------------------------------------------------------------------------------


def mailbox_digest(settings: Settings, address: str) -> str:
    return hmac.new(settings.key, f"mailbox\0{mailbox_of(address)}".encode(), hashlib.sha256).hexdigest()


def reader_at(session: Session, address: str) -> Reader:
    settings = session.settings
    zone = lobby.zone_of(session.conn, people.known_as(session.conn, address))
    there = zone_named(zone) if zone else settings.mentat.timezone
    return Reader(settings, session.now, lobby_token(settings, address), there)


def write(session: Session, address: str, letter: Rendering, cause: str, answers: str = "") -> None:
    """Write a letter, at most once for each ``cause``. No letter goes to people whose data were deleted, or to people
    who want none and have no seat."""
    unwanted = lobby.may_not_write(session.conn, mailbox_digest(session.settings, address))
    known = people.known_as(session.conn, address)
    if "@" not in address or (unwanted and not lobby.seats_of_person(session.conn, known)):
        return
    token = lobby_token(session.settings, address)
    about = f"lobby.{cause}.{address}"
    session.writer.send(address, letter, about, token, answers, bounces_to=bounce_token_of(token))


# --- views of a table -------------------------------------------------------------------------------------------------


def view_of(conn: Connection, table: LobbyTable, seats: Sequence[LobbySeat] | None = None) -> OpenTable:
    own, held = table.settings, seats if seats is not None else lobby.seats_of(conn, table.id)
    sitting = [seat for seat in held if seat.state == "seated"]
    opener = next((seat.name for seat in sitting if seat.address == table.opener), "")
    return OpenTable(
        id=table.id,
        ruleset=own.ruleset,
        tempo=own.tempo,
        size=own.size,
        taken=sum(seat.state in HOLDING for seat in held),
        kept=sum(seat.state == "invited" for seat in held),
        keeper=any(seat.proof == "keeper" for seat in sitting),
        opened=table.opened_at,
        until=table.expires_at,
        kind=table.kind,
        title=table.title,
        fewest=own.fewest,
        names=tuple(seat.name for seat in sitting if seat.name),
        opener=opener,
        starts=own.starts,
        starts_at=own.starts_at,
        factions=own.factions,
        newcomers=own.newcomers,
        opponents=bool(own.opponents),
        rated=own.rated,
        reliability=own.reliability,
        commitment=table.commitment,
        revision=table.revision,
    )


def known_tables(conn: Connection, addresses: Iterable[str], word: str = "") -> list[LobbyTable]:
    """Return the forming tables that this person may know about: the public ones, those where they have a seat, and the
    one whose password they gave."""
    own = set(addresses)
    here = {seat.table_id for seat in lobby.seats_of_person(conn, own)}
    return [
        table
        for table in lobby.all_tables(conn, *FORMING, "proposed")
        if (table.kind == "open" and table.state != "proposed")
        or table.id in here
        or (table.opener in own and table.kind != "vacancy")
        or (word and table.word == word)
    ]


def public_views(conn: Connection, filters: Filters = EVERY, but_not: str = "") -> list[OpenTable]:
    held = lobby.live_seats(conn)
    every = lobby.all_tables(conn, "open")
    shown = [view_of(conn, table, held.get(table.id, [])) for table in every if table.kind == "open"]
    wanted = [
        table
        for table in shown
        if table.free
        and table.id != but_not
        and table.ruleset.startswith(filters.ruleset)
        and filters.tempo in ("", table.tempo)
    ]
    if filters.soon:
        return sorted(wanted, key=lambda each: (each.starts_at is None, each.free, each.opened, each.id))
    return sorted(wanted, key=lambda each: (each.free, each.opened, each.id))


def gone_views(conn: Connection) -> list[OpenTable]:
    every = [each for each in lobby.all_tables(conn, "started", "ended") if each.kind == "open" and each.ended_at]
    every.sort(key=lambda table: (table.ended_at, table.id), reverse=True)
    return [view_of(conn, table, []) for table in every[:MOST_GONE]]


# --- when a table ends ------------------------------------------------------------------------------------------------


def ends_at(opened: datetime, joins: Iterable[tuple[datetime, int]], settings: LobbySettings) -> datetime:
    """Return when a table without a date ends. ``joins`` gives the instant of each join and the number of seats that
    were free after it.

    >>> day = lambda number: datetime(2026, 12, 1) + timedelta(days=number)
    >>> [(ends_at(day(0), joins, LobbySettings()) - day(0)).days for joins in (
    ...     [], [(day(13), 2)], [(day(13), 3), (day(20), 1)], [(day(12), 5), (day(26), 1)], [(day(15), 4)],
    ...     [(day(13), 4), (day(13), 3), (day(13), 2)])]
    [14, 19, 23, 28, 14, 25]
    """
    end, last = opened + settings.life_days * DAY, opened + settings.longest_days * DAY
    for at, free in joins:
        if at < end:
            end = _end_after(end, at, free, last)
    return end


def prolonged(session: Session, table: LobbyTable, free: int) -> datetime:
    if table.settings.starts_at or table.kind == "rematch":
        return table.expires_at
    last = table.opened_at + session.settings.lobby.longest_days * DAY
    return _end_after(table.expires_at, session.now, free, last)


def _end_after(end: datetime, at: datetime, free: int, last: datetime) -> datetime:
    """Return when a table ends after somebody has joined at the time ``at``. From then on it has three days for each
    seat that is still free, but never lasts beyond ``last``. The end is never earlier than announced."""
    return max(end, min(at + 3 * free * DAY, last))


def window(settings: Settings, now: datetime, hours: float, there: ZoneInfo | None = None) -> datetime:
    """Return when the time to answer a letter ends, in the reader's time zone if there is only one reader. It never
    ends in quiet hours, so it may be longer than ``hours`` but is never shorter. If ``hours`` is less than a day, quiet
    hours are not counted."""
    span, zone = timedelta(hours=hours), there or settings.mentat.timezone
    quiet, wakes = settings.lobby.quiet_from, settings.lobby.quiet_until
    if quiet is None or wakes is None or quiet == wakes:
        return now + span
    awake = f"{wakes:%H:%M}-{quiet:%H:%M}"
    end = after_waking_time(now, span, awake, zone) if span < DAY else now + span
    return after_waking_time(end, A_MOMENT, awake, zone) - A_MOMENT


def offer_ends(session: Session, address: str) -> datetime:
    zone = reader_at(session, address).zone
    return window(session.settings, session.now, session.settings.lobby.offer_hours, zone)


# --- opening ----------------------------------------------------------------------------------------------------------


def settings_of(session: Session, wanted: Open, like: TableSettings | None = None) -> TableSettings:
    base = like or TableSettings()
    size = wanted.most or base.size
    fewest = wanted.fewest or (min(base.fewest, size) if like and not wanted.most else size)
    date = _date(session, wanted)
    starts = wanted.starts or ("date" if date and fewest < size else base.starts if base.starts != "date" else "itself")
    opponents = base.opponents if wanted.opponents is None else ("steady" if wanted.opponents else "")
    made = TableSettings(
        ruleset=wanted.ruleset or base.ruleset,
        options={} if wanted.ruleset and wanted.ruleset != base.ruleset else base.options,
        tempo=wanted.tempo or base.tempo,
        press=wanted.press or base.press,
        size=size,
        fewest=fewest,
        opponents=opponents,
        starts=starts,
        starts_at=date,
        factions=wanted.factions or base.factions,
        newcomers=wanted.newcomers or base.newcomers,
        reliability=base.reliability if wanted.reliability is None else wanted.reliability,
        rated=not opponents and (base.rated if wanted.rated is None else wanted.rated),
    )
    _require_possible(made, wanted)
    return made


def _date(session: Session, wanted: Open) -> datetime | None:
    if wanted.by is None:
        return None
    mentat, quiet = session.settings.mentat, session.settings.lobby.quiet_from
    at = instant_at(wanted.by, quiet or time(23, 59), mentat.timezone)
    if not session.now < at < session.now + FURTHEST:
        told = "past" if at <= session.now else "more than half a year ahead"
        raise LobbyRefused("settings", why=f"{wanted.by:%A, %d %B %Y} ({mentat.timezone.key}) is {told}.")
    return at


def _require_possible(made: TableSettings, wanted: Open) -> None:
    def refuse(why: str) -> None:
        raise LobbyRefused("settings", why=why)

    if wanted.mistakes:
        refuse(" ".join(wanted.mistakes))
    if not FEWEST_SEATS <= made.fewest <= made.size <= MOST_SEATS:
        refuse(f"A table has {FEWEST_SEATS} to {MOST_SEATS} players, and cannot need more players than it has seats.")
    if made.starts == "date" and made.starts_at is None:
        refuse("A table that starts on a date needs one: write “starts by 12 Dec”.")
    if wanted.rated and made.opponents:
        refuse("A game with computer opponents cannot be rated: write “unrated” or “no computers”.")
    if not 0 <= made.reliability <= 1:
        refuse("Reliability is a number from 0 to 1, like 0.90.")
    try:
        find_tempo(made.tempo)
        read_press(made.press)
        rules = games.rule_set(made.ruleset, made.options)
        require_playable(rules)
        require_consistent(rules, made.options)
        dealt = dealt_factions(rules, made.size)
    except (RuleSetError, PressRefused, UnknownTempo) as error:
        refuse(str(error))
    if len(dealt) < made.size:
        refuse(f"{made.ruleset} is for at most {len(dealt)} players.")


def open_table(
    session: Session,
    opener: str,
    settings: TableSettings,
    kind: TableKind = "open",
    *,
    title: str = "",
) -> LobbyTable:
    """Open an empty table. Tables of the game master have no ``opener``. If the settings say so, a person's table waits
    for approval."""
    conn, now = session.conn, session.now
    seed = secrets.token_hex(32)
    waits = session.settings.lobby.approval and bool(opener) and kind == "open"
    if kind == "rematch":
        end = now + REMATCH_DAYS * DAY
    else:
        end = settings.starts_at or ends_at(now, (), session.settings.lobby)
    table = LobbyTable(
        _new_id(conn, kind),
        kind,
        make_harmless(title, session.settings.mentat.address)[:LONGEST_TITLE].strip(),
        "proposed" if waits else "open",
        lobby.settings_text(settings),
        opener,
        now,
        end,
        seed,
        commitment(seed),
        word="" if kind == "open" and session.settings.lobby.who != "invited" else secrets.token_hex(4),
        starter=opener,
    )
    lobby.add_table(conn, table)
    log_act(session, table.id, "open", f"{kind}: {settings.ruleset}, {settings.size} seats")
    return table


def _new_id(conn: Connection, kind: TableKind) -> str:
    number = lobby.count_tables(conn, "open") + 1
    while True:
        if kind == "open":
            made = f"{PLACES[(number - 1) % len(PLACES)]}-{number}"
        else:
            made = f"{secrets.choice(PLACES)}-{secrets.randbelow(900_000) + 100_000}"
        taken = lobby.find_table(conn, made) or tournaments.tournament_exists(conn, made)
        if not (taken or games.same_but_for_case(conn, made) or games.was_deleted(conn, made)):
            return made
        number += 1


def log_act(session: Session, table_id: str, what: str, words: str, why: str = "") -> None:
    made = DeskAct(session.now, what, why, words=words, audience="directors")
    acts.log_act(session.conn, made, game_id=table_id)


def reload(conn: Connection, table: LobbyTable) -> LobbyTable:
    found = lobby.find_table(conn, table.id)
    assert found is not None, table.id
    return found


def change(session: Session, table: LobbyTable, **changed: Any) -> LobbyTable:
    lobby.change_table(session.conn, table.id, **changed)
    return replace(table, **changed, revision=table.revision + 1)


def end_table(session: Session, table: LobbyTable, why: str) -> list[LobbySeat]:
    there = lobby.seats_of(session.conn, table.id)
    for seat in there:
        own = why if seat.state == "seated" else "ended"  # a table that goes on has them back
        lobby.change_seat(session.conn, seat.number, state="ended", why=own, changed_at=session.now)
    change(session, table, state="ended", why=why, ended_at=session.now, check_due=None)
    log_act(session, table.id, "end", why)
    return there


def tell_ended(session: Session, table: LobbyTable, there: Sequence[LobbySeat], seats: Sequence[LobbySeat]) -> None:
    shown = view_of(session.conn, table, seats)
    others = public_views(session.conn, but_not=table.id) if table.kind != "rematch" else []
    for seat in there:
        if seat.state != "invited":
            letter = letters.ended(
                reader_at(session, seat.address),
                shown,
                others[:3],
                is_opener=seat.address == table.opener,
                with_opponents=bool(table.settings.opponents) and len(seats) >= FEWEST_SEATS,
            )
            write(session, seat.address, letter, f"{table.id}.ended.{stamp(session.now)}")


def reliability_of(conn: Connection, address: str) -> float:
    had = deadlines.duties_of(conn, address)
    return float(shown_reliability(had.on_time, had.duties))


# --- the desk ---------------------------------------------------------------------------------------------------------


def find_forming(conn: Connection, table_id: str) -> LobbyTable:
    table = lobby.find_table(conn, table_id)
    if table is None:
        raise UnknownTable("unknown", table_id, why=f"There is no table {table_id!r}; see `mentat lobby list`.")
    if table.state not in (*FORMING, "proposed"):
        raise LobbyRefused("over", table_id, why=f"{table_id} has {table.state}.")
    return table


def approve_table(session: Session, table: LobbyTable, why: str = "", *, approved: bool = True) -> None:
    if table.state != "proposed":
        raise LobbyRefused("over", table.id, why=f"{table.id} is not waiting for approval; it is {table.state}.")
    shown = view_of(session.conn, table)
    if approved:
        end = table.settings.starts_at or ends_at(session.now, (), session.settings.lobby)
        table = change(session, table, state="open", expires_at=end)
        shown = view_of(session.conn, table)
    else:
        end_table(session, table, "not approved")
    log_act(session, table.id, "approve" if approved else "refuse", "", why)
    if table.opener:
        what: Literal["approved", "not-approved"] = "approved" if approved else "not-approved"
        told = letters.told_by_desk(reader_at(session, table.opener), shown, what, why)
        write(session, table.opener, told, f"{table.id}.approved.{approved}")


def refuse_unseen(session: Session, table: LobbyTable) -> None:
    shown = view_of(session.conn, table)
    end_table(session, table, "not looked at")
    told = letters.told_by_desk(reader_at(session, table.opener), shown, "not-looked-at")
    write(session, table.opener, told, f"{table.id}.not-looked-at")


def close_table(session: Session, table: LobbyTable, why: str = "", by: ByDesk = "closed") -> None:
    shown = view_of(session.conn, table)
    for seat in end_table(session, table, "closed"):
        told = letters.told_by_desk(reader_at(session, seat.address), shown, by, why)
        write(session, seat.address, told, f"{table.id}.closed")
    log_act(session, table.id, "close", "", why)


def raise_limit(session: Session, address: str, more: int, why: str = "") -> None:
    known = lobby.standing(session.conn, people.address_in_use(session.conn, address))
    lobby.set_standing(session.conn, replace(known, more=more))
    log_act(session, "", "raise", f"{more} more games for one person", why)
