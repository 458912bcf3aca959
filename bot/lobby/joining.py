"""Joining and leaving a table: gates, limits, seats, the waiting list, offers, wishes and invitations.

Nothing is held for an address that has not proved itself; whoever calls here has the proof. The gates stand in a fixed
order, each with its sentence, and are passed again when a seat is offered and when the game starts. Who comes to a full
table waits in line by the order of joining. A free seat is offered to the first who was not asked yet, for some hours;
who says nothing keeps their place, and is asked again once they write.

What changes here is not yet what follows from it: ``bot.lobby.starting.settle`` comes after each change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from msgspec import structs

from bot.desk.new_game import clean_name
from bot.desk.powers import PowerRefused
from bot.desk.seats import take_seat
from bot.games.identity import identifiers, seat_held_by
from bot.games.open_games import Session
from bot.lobby import letters
from bot.lobby.letters import Offer
from bot.lobby.tables import (
    LobbyRefused,
    change,
    find_forming,
    log_act,
    mailbox_digest,
    prolonged,
    reader_at,
    reliability_of,
    view_of,
    window,
    write,
)
from bot.mail.identity import is_own_address
from bot.store import games, lobby, people
from bot.store.database import Connection
from bot.store.lobby import FORMING, HOLDING, KEPT, GameRecord, LobbySeat, LobbyTable, SeatState
from bot.store.people import SeatName
from bot.store.tournament_rounds import tournament_of
from bot.table.calendar import stamp
from bot.wording import say
from bot.wording.filters import plural
from rules.chapters.setup import dealt_factions
from rules.components import FACTION_FACTS, Faction, as_faction, faction_name

MOST_OVERDUE = 4
MOST_RETURNS = 2
A_DAY, A_WEEK, A_MONTH = timedelta(days=1), timedelta(days=7), timedelta(days=30)
MOST_INVITED, MOST_INVITED_A_DAY = 10, 5  # at one table
FEWEST_TURNS = 2
"""From this turn of their first game on, a person is no newcomer."""


@dataclass(frozen=True, slots=True)
class JoinRequest:
    """Who joins, and what they want there. ``proof`` says how they proved themselves."""

    address: str
    proof: str
    name: str = ""
    wishes: str = ""
    word: str = ""
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """``line``: they wait at ``place``; ``again``: they sat there already. ``notes`` say what was not taken.
    ``returned``: they wait only because they have left that table too often."""

    how: Literal["seated", "again", "line"]
    seat: LobbySeat
    place: int = 0
    notes: tuple[str, ...] = ()
    returned: bool = False


def join(session: Session, table: LobbyTable, asked: JoinRequest) -> Joined:
    """Seat a person, or let them wait in line. Raise LobbyRefused at the first gate that they do not pass."""
    conn, address = session.conn, people.address_in_use(session.conn, asked.address)
    if table.state not in FORMING:
        raise LobbyRefused("over", table.id)
    wishes, notes = fitting_wishes(table, asked.wishes, asked.unknown)
    name = clean_name(session.settings, asked.name)
    there = lobby.seats_of(conn, table.id)
    own = own_seat(session, there, address)
    if own is not None and own.state == "seated":
        lobby.change_seat(conn, own.number, wishes=wishes or own.wishes, name=name or own.name, present_at=session.now)
        return Joined("again", lobby.find_seat(conn, own.number), notes=notes)
    require_may_join(session, table, address, own, asked.word)
    notes = (*notes, *_away_then(session, table, address))
    free = table.settings.size - sum(seat.state in KEPT for seat in there if seat != own)
    name, wishes = name or (own.name if own else ""), wishes or (own.wishes if own else "")
    returned = own is None and returns_too_often(session, table, address)
    if returned or free <= 0 or (own is None and any(seat.state == "waiting" and not seat.asked for seat in there)):
        waits = _wait(session, table, own, replace(asked, address=address, name=name, wishes=wishes), notes)
        return replace(waits, returned=returned)
    if own is not None:
        seat = _take(session, own, name=name, wishes=wishes)
    else:
        proof = "keeper" if _keeps(session, address) else asked.proof
        seat = LobbySeat(table.id, address, "seated", session.now, proof, name, wishes, session.now)
        seat = lobby.add_seat(conn, seat)
    if asked.proof != "opener":
        lobby.change_table(conn, table.id, expires_at=prolonged(session, table, free - 1))
    return Joined("seated", seat, notes=notes)


def _take(session: Session, seat: LobbySeat, **given: str) -> LobbySeat:
    changed = {"state": "seated", "present_at": session.now, "changed_at": session.now, "offer_until": None, **given}
    lobby.change_seat(session.conn, seat.number, **changed)
    return lobby.find_seat(session.conn, seat.number)


def _wait(
    session: Session, table: LobbyTable, own: LobbySeat | None, asked: JoinRequest, notes: tuple[str, ...]
) -> Joined:
    if own is None:
        made = LobbySeat(table.id, asked.address, "waiting", session.now, asked.proof, asked.name, asked.wishes)
        own = lobby.add_seat(session.conn, made)
    elif own.state in ("waiting", "invited"):
        waiting = {"state": "waiting", "asked": 0, "name": asked.name, "wishes": asked.wishes, "offer_until": None}
        lobby.change_seat(session.conn, own.number, **waiting)
    return Joined("line", own, place_in_line(session, table, own), notes)


def wait_in_line(session: Session, table: LobbyTable, asked: JoinRequest) -> Joined:
    """Put a person into the line of a table, whether or not a seat is free."""
    address = people.address_in_use(session.conn, asked.address)
    own = own_seat(session, lobby.seats_of(session.conn, table.id), address)
    if own is not None and own.state in HOLDING:
        return Joined("again", own)
    require_may_join(session, table, address, own)
    return _wait(session, table, own, replace(asked, address=address), ())


def place_in_line(session: Session, table: LobbyTable, seat: LobbySeat) -> int:
    return 1 + sum(each.number < seat.number for each in lobby.seats_of(session.conn, table.id, "waiting"))


def own_seat(session: Session, seats: Sequence[LobbySeat], address: str) -> LobbySeat | None:
    """Return the seat of the person with this address, by whichever of their addresses."""
    mine = identifiers(session.conn, session.settings, address)
    return next(
        (seat for seat in seats if not mine.isdisjoint(identifiers(session.conn, session.settings, seat.address))), None
    )


# --- gates ------------------------------------------------------------------------------------------------------------


def require_may_join(
    session: Session, table: LobbyTable, address: str, own: LobbySeat | None = None, word: str = ""
) -> None:
    """Raise LobbyRefused unless a person may sit at a table. ``own`` is their place in line or invitation there,
    ``word`` what they were told by somebody who sits there."""
    conn, known = session.conn, people.known_as(session.conn, address)
    record = lobby.game_record(conn, known, session.now)
    told = bool(table.word) and word == table.word
    _require_welcome(session, table, address, record, invited=own is not None or told or table.kind != "open")
    if is_banned(session, address):
        raise LobbyRefused("known", table.id, why=f"{address} is banned.")
    if record.overdue > MOST_OVERDUE:
        raise LobbyRefused("duties", table.id, overdue=record.overdue)
    _require_within_limits(session, table, address, record)
    if table.kind == "open":
        _require_reliable(session, table, address)
        _require_experience(session, table, record)


def returns_too_often(session: Session, table: LobbyTable, address: str) -> bool:
    """Has a person left a public table so often within a week that they can only wait there?"""
    known = people.known_as(session.conn, address)
    gone = [
        seat
        for seat in lobby.every_seat(session.conn, table.id)
        if seat.state == "left" and seat.address in known and session.now - (seat.changed_at or seat.joined_at) < A_WEEK
    ]
    return table.kind == "open" and len(gone) >= MOST_RETURNS


def _require_welcome(session: Session, table: LobbyTable, address: str, record: GameRecord, *, invited: bool) -> None:
    settings, mentat = session.settings.lobby, session.settings.mentat
    played = record.running + record.finished > 0
    if settings.who == "nobody":
        raise LobbyRefused("nobody")
    if settings.who == "known" and not played:
        raise LobbyRefused("known")
    if settings.who == "invited" and not (played or invited):
        raise LobbyRefused("invited")
    if is_own_address(address, mentat.address) or (_keeps(session, address) and not settings.keeper_plays):
        raise LobbyRefused("settings", table.id, why=say("lobby-note.keeper"))


def _away_then(session: Session, table: LobbyTable, address: str) -> tuple[str, ...]:
    """Return a sentence for somebody who has announced an absence over the date of a table."""
    at = table.settings.starts_at
    if at is None:
        return ()
    day = at.astimezone(reader_at(session, address).zone).date()
    away = lobby.is_away(session.conn, people.known_as(session.conn, address), day)
    return (say("lobby-note.away", table=table.id),) if away else ()


def _keeps(session: Session, address: str) -> bool:
    """Is this the game master of the installation, who could read the seed?"""
    keeper = identifiers(session.conn, session.settings, session.settings.mentat.game_master)
    return not keeper.isdisjoint(identifiers(session.conn, session.settings, address))


def is_banned(session: Session, address: str) -> bool:
    apart = session.settings.identity.tags_apart
    return people.standing_ban(session.conn, address, session.now, tags_apart=apart) is not None


def _require_within_limits(session: Session, table: LobbyTable, address: str, record: GameRecord) -> None:
    settings = session.settings.lobby
    if record.running >= most_games(session, address, record):
        raise LobbyRefused("running", table.id, games=record.running)
    others = [seat.table_id for seat in held_elsewhere(session, address, table.id)]
    newcomer = not record.finished and record.turn < FEWEST_TURNS
    if newcomer and record.running:
        raise LobbyRefused("first-game", table.id)
    if newcomer and others:
        raise LobbyRefused("first-seat", table.id, others=others)
    if len(others) >= settings.waiting:
        raise LobbyRefused("two-waiting", table.id, others=others)


def most_games(session: Session, address: str, record: GameRecord) -> int:
    settings = session.settings.lobby
    return min(settings.games + record.finished, settings.most_games) + lobby.standing(session.conn, address).more


def held_elsewhere(session: Session, address: str, table_id: str) -> list[LobbySeat]:
    known = people.known_as(session.conn, address)
    return [seat for seat in lobby.seats_of_person(session.conn, known, *HOLDING) if seat.table_id != table_id]


def _require_reliable(session: Session, table: LobbyTable, address: str) -> None:
    asked, own = table.settings.reliability, reliability_of(session.conn, address)
    if own < asked:
        raise LobbyRefused("reliability", table.id, asked=f"{asked:.2f}", own=f"{own:.2f}")


def _require_experience(session: Session, table: LobbyTable, record: GameRecord) -> None:
    allowed = table.settings.newcomers
    if allowed == "any" or record.finished or record.turn >= FEWEST_TURNS:
        return
    there = lobby.seats_of(session.conn, table.id, *HOLDING)
    newcomers = [each for each in there if not _has_played(session, each.address)]
    if allowed == "no" or newcomers:
        raise LobbyRefused("newcomers", table.id, one=allowed == "one")


def _has_played(session: Session, address: str) -> bool:
    record = lobby.game_record(session.conn, people.known_as(session.conn, address), session.now)
    return bool(record.finished) or record.turn >= FEWEST_TURNS


def require_may_open(session: Session, address: str, reliability: float) -> None:
    """Raise LobbyRefused unless a person may open one more table, and asks no more of others than they have."""
    known = people.known_as(session.conn, address)
    waiting = [
        each.id
        for each in lobby.all_tables(session.conn, *FORMING, "proposed")
        if each.opener in known and each.kind not in ("rematch", "vacancy")
    ]
    if len(waiting) >= session.settings.lobby.tables:
        raise LobbyRefused("one-open", other=waiting[0])
    own = reliability_of(session.conn, address)
    if reliability > own:
        raise LobbyRefused("settings", why=say("lobby-note.reliability", own=own))


# --- wishes -----------------------------------------------------------------------------------------------------------


def factions_at(table: LobbyTable) -> tuple[Faction, ...]:
    own = table.settings
    return dealt_factions(games.rule_set(own.ruleset, own.options), own.size)


def fitting_wishes(table: LobbyTable, wishes: str, unknown: Sequence[str] = ()) -> tuple[str, tuple[str, ...]]:
    """Return the wishes that a table can fulfil, and a sentence about the others. The first of two equal ones counts.

    Wishes are written as `preferences` of a tournament are: `guild, fremen = atreides, *, harkonnen`.
    """
    played, groups, lost, seen = factions_at(table), [], list(unknown), set[str]()
    for group in filter(None, (part.strip() for part in re.split(r"[,;>]", wishes))):
        kept = []
        for one in (word.strip() for word in group.split("=")):
            if one != "*" and one not in played:
                lost.append(one)
            elif one not in seen:
                kept.append(one)
                seen.add(one)
        groups += [" = ".join(kept)] if kept else []
    shown = [faction_name(one) for one in lost if one in FACTION_FACTS]
    words = [one[:40] for one in lost if one not in FACTION_FACTS]
    rest = bool(groups)
    told = say("lobby-note.no-faction", names=shown, words=words, rest=rest, table=table.id) if lost else ""
    return ", ".join(groups), (told,) if told else ()


def note_wishes(session: Session, seat: LobbySeat, wishes: str, name: str) -> LobbySeat:
    wishes = "" if wishes == "*" else wishes or seat.wishes
    name = clean_name(session.settings, name) or seat.name
    lobby.change_seat(session.conn, seat.number, wishes=wishes, name=name)
    return replace(seat, wishes=wishes, name=name)


# --- leaving, offers, invitations -------------------------------------------------------------------------------------


def leave(session: Session, seat: LobbySeat, state: SeatState = "left", why: str = "") -> None:
    """End a seat, place in line or invitation. Nobody else is told whose."""
    lobby.change_seat(session.conn, seat.number, state=state, why=why, changed_at=session.now, offer_until=None)


def offer_free_seats(session: Session, table: LobbyTable) -> None:
    """Offer each free seat to the next in line who was not asked yet and may still sit."""
    there = lobby.seats_of(session.conn, table.id)
    free = table.settings.size - sum(seat.state in KEPT for seat in there)
    for seat in there:
        if free <= 0:
            return
        if seat.state != "waiting" or seat.asked or returns_too_often(session, table, seat.address):
            continue
        try:
            require_may_join(session, table, seat.address, seat)
        except LobbyRefused:
            continue
        until = window(session.settings, session.now, session.settings.lobby.offer_hours)
        lobby.change_seat(session.conn, seat.number, state="offered", offer_until=until, changed_at=session.now)
        own = table.settings
        offer = Offer(table.id, until, own.ruleset, own.tempo)
        cause = f"{table.id}.offer.{seat.number}.{stamp(session.now)}"
        write(session, seat.address, letters.offer_seat(reader_at(session, seat.address), offer), cause)
        free -= 1


def lapse_offer(session: Session, seat: LobbySeat) -> None:
    """End an invitation that nobody answered in time; whoever was offered a seat goes back into line."""
    if seat.state == "invited":
        leave(session, seat, "declined", "silent")
        return
    lobby.change_seat(
        session.conn, seat.number, state="waiting", asked=seat.asked + 1, offer_until=None, changed_at=session.now
    )


def accept(session: Session, table: LobbyTable, seat: LobbySeat) -> Joined:
    """Take an offered seat or an invitation. After its time it is taken if it is still free."""
    others = sum(each.state in KEPT for each in lobby.seats_of(session.conn, table.id) if each.number != seat.number)
    if seat.state in ("offered", "invited") and others < table.settings.size:
        require_may_join(session, table, seat.address, seat)
        return Joined("seated", _take(session, seat))
    return join(session, table, JoinRequest(seat.address, seat.proof))


def invite(session: Session, table: LobbyTable, addresses: Sequence[str]) -> None:
    """Keep a seat for each person who has played here, and invite them, once at this table and once in 30 days. The
    inviter is not told whom: they would learn who plays here."""
    for address in dict.fromkeys(each.strip().lower() for each in addresses):
        every = lobby.every_seat(session.conn, table.id)
        known = people.known_as(session.conn, address)
        record = lobby.game_record(session.conn, known, session.now)
        invited = [seat.joined_at for seat in every if seat.proof == "invitation"]
        lately = sum(session.now - at < A_DAY for at in invited)
        often = len(invited) >= MOST_INVITED or lately >= MOST_INVITED_A_DAY
        asked = own_seat(session, every, address) or lobby.invited_since(session.conn, known, session.now - A_MONTH)
        if (record.running or record.finished) and not (often or asked or _not_to_be_invited(session, table, address)):
            invite_person(session, table, people.address_in_use(session.conn, address))
    log_act(session, table.id, "invite", f"{len(addresses)} people")


def invite_from_desk(session: Session, table: LobbyTable, addresses: Sequence[str], why: str = "") -> dict[str, str]:
    """Invite people whom the game master names, newcomers too. Return those who are not invited, each with why."""
    if table.kind == "vacancy":
        raise LobbyRefused("settings", table.id, why=f"{table.id} is a seat of a game; `mentat lobby offer` offers it.")
    not_invited = {}
    for address in addresses:
        if told := _not_to_be_invited(session, table, address):
            not_invited[address] = told
        else:
            invite_person(session, table, people.address_in_use(session.conn, address))
    log_act(session, table.id, "invite", f"{len(addresses) - len(not_invited)} people", why)
    return not_invited


def _not_to_be_invited(session: Session, table: LobbyTable, address: str) -> str:
    there = lobby.seats_of(session.conn, table.id)
    if own_seat(session, there, address):
        return "sits or waits there already"
    if is_banned(session, address):
        return "is banned"
    if lobby.standing(session.conn, address).stopped or lobby.may_not_write(
        session.conn, mailbox_digest(session.settings, address)
    ):
        return "wants no letters about open tables"
    return "" if table.settings.size > sum(seat.state in KEPT for seat in there) else "cannot come: no seat is free"


def invite_person(session: Session, table: LobbyTable, address: str) -> None:
    """Keep a seat for a person and invite them. At a public table without a date it is kept as long as an offered one,
    else until the table ends."""
    shown = view_of(session.conn, table)
    until = None
    if table.kind == "open" and not table.settings.starts_at:
        until = window(session.settings, session.now, session.settings.lobby.offer_hours)
        shown = structs.replace(shown, until=until)
    seat = LobbySeat(table.id, address, "invited", session.now, "invitation", offer_until=until)
    lobby.add_seat(session.conn, seat)
    letter = letters.invited(reader_at(session, address), shown, rematch=table.kind == "rematch")
    write(session, address, letter, f"{table.id}.invited")


# --- seats of running games -------------------------------------------------------------------------------------------


def offer_seat_of_game(
    session: Session, game_id: str, faction: Faction, why: str = "", *, ask: bool = True
) -> LobbyTable:
    """Offer a seat of a running game to those who stand by, one after the other. Raise LobbyRefused if it is offered
    already or the game is over; UnknownGame if there is none of that name."""
    conn, game = session.conn, session.games.table(session.conn, game_id)
    if game.play.over or faction not in game.seats:
        raise LobbyRefused("over", game_id, why=f"{faction_name(faction)} does not play in {game_id} now.")
    number = sum(each.of_game == game_id for each in lobby.all_tables(conn)) + 1
    if seat_on_offer(conn, game_id, faction):
        raise LobbyRefused("settings", game_id, why=f"{faction_name(faction)} of {game_id} is offered already.")
    settings = lobby.TableSettings(ruleset=game.ruleset, options=dict(game.options), tempo=game.tempo, size=1, fewest=1)
    end = session.now + timedelta(days=session.settings.lobby.life_days)
    table = LobbyTable(
        f"{game_id}-seat-{number}", "vacancy", faction, "open", lobby.settings_text(settings),
        game.seats[faction].address, session.now, end, "", "", of_game=game_id,
    )  # fmt: skip
    lobby.add_table(conn, table)
    log_act(session, game_id, "offer", f"the seat of {faction} is offered to those who stand by", why)
    if ask:
        ask_next_volunteer(session, table)
    return table


def seat_on_offer(conn: Connection, game_id: str, faction: Faction) -> LobbyTable | None:
    every = lobby.all_tables(conn, "open")
    return next((each for each in every if (each.of_game, each.title) == (game_id, faction)), None)


def offer_by_itself(session: Session, game_id: str, faction: Faction, why: str) -> LobbyTable | None:
    """Offer the seat of a player who resigned or was banned. Return None where that is for others to do."""
    if not _offers_by_itself(session, game_id, faction):
        return None
    if table := seat_on_offer(session.conn, game_id, faction):
        return table
    return change(session, offer_seat_of_game(session, game_id, faction, why), why=why)


def _offers_by_itself(session: Session, game_id: str, faction: Faction) -> bool:
    """Not if the game has substitutes of its own, is of a private table, or if an opponent plays the seat."""
    conn, formed = session.conn, lobby.find_table(session.conn, game_id)
    if session.settings.lobby.who == "nobody" or (formed is not None and formed.kind != "open"):
        return False
    return not (tournament_of(conn, game_id) or games.seats_of(conn, game_id)[faction].opponent)


def seats_of_banned(session: Session) -> list[SeatName]:
    """Return the seats of banned people that were not on offer since the ban, and can be."""
    conn, now = session.conn, session.now
    bans = [each for each in people.all_bans(conn) if each.kind == "ban" and not (each.lifted_at or each.tournament_id)]
    held = [
        (seat, ban.since)
        for ban in bans
        if ban.until is None or ban.until > now
        for seat in people.seats_at_addresses(conn, people.known_as(conn, ban.address))
    ]
    offered = {(each.of_game, each.title): each.opened_at for each in lobby.all_tables(conn)} if held else {}
    return [seat for seat, since in held if offered.get(seat, since) <= since and _offers_by_itself(session, *seat)]


def withdraw_offer(session: Session, game_id: str, faction: Faction) -> bool:
    """End the offer of a seat whose player resigned and plays on after all; return whether there was one."""
    table = seat_on_offer(session.conn, game_id, faction)
    if table is None or table.why != "resigned":
        return False
    _end_offer(session, table, "plays on")
    return True


def _end_offer(session: Session, table: LobbyTable, why: str) -> None:
    for seat in lobby.seats_of(session.conn, table.id, "offered"):
        leave(session, seat, "ended", why)
        letter = letters.refused(reader_at(session, seat.address), "seat-kept", table=table.of_game)
        write(session, seat.address, letter, f"{table.id}.over")
    change(session, table, state="ended", why=why, ended_at=session.now)


def is_kept(conn: Connection, table: LobbyTable) -> bool:
    """Is a seat on offer no longer free? Somebody else plays it by now, or its player is back from the caretaker."""
    seat = games.seats_of(conn, table.of_game)[as_faction(table.title)]
    gone = bool(table.opener) and seat.address not in people.known_as(conn, table.opener)
    return gone or (table.why == "abandoned" and not seat.care)


def note_abandoned_seat(session: Session, game_id: str, faction: Faction, address: str) -> list[str]:
    """End the seats that somebody holds at open tables, as the caretaker plays for them in a game, and tell them. Their
    seat there is offered to those who stand by, unless an opponent plays it. Return the tables with a free seat now."""
    conn, freed = session.conn, []
    for seat in lobby.seats_of_person(conn, people.known_as(conn, address)):
        found = lobby.find_table(conn, seat.table_id)
        if found is None or found.kind == "vacancy":
            continue
        leave(session, seat, "freed", "abandoned")
        letter = letters.seat_given_back(reader_at(session, seat.address), view_of(conn, found), "abandoned")
        write(session, seat.address, letter, f"{found.id}.abandoned.{seat.number}")
        freed.append(found.id)
    played = bool(session.games.table(conn, game_id).seats[faction].opponent)
    table = offer_seat_of_game(session, game_id, faction, "abandoned", ask=not played)
    change(session, table, **({"state": "ended", "why": "an opponent plays"} if played else {"why": "abandoned"}))
    return freed


def ask_next_volunteer(session: Session, table: LobbyTable) -> bool:
    """Ask the next who stands by for a seat of a running game; return False if there is nobody."""
    conn, game = session.conn, session.games.table(session.conn, table.of_game)
    asked, own = lobby.every_seat(conn, table.id), table.settings
    today = session.now.astimezone(session.settings.mentat.timezone).date()
    ready = (each for each in lobby.all_standing(conn) if each.since and not each.stopped and "@" in each.address)
    for each in sorted(ready, key=lambda one: (one.since, one.address)):
        fits = own.ruleset.startswith(each.ruleset) and each.tempo in ("", own.tempo)
        known = people.known_as(conn, each.address)
        record = lobby.game_record(conn, known, session.now)
        may = record.running < most_games(session, each.address, record) and not is_banned(session, each.address)
        if (
            not (fits and may)
            or (each.not_before and each.not_before > today)
            or own_seat(session, asked, each.address)
        ):
            continue
        if seat_held_by(conn, session.settings, game.seats.values(), each.address):
            continue
        until = window(session.settings, session.now, session.settings.lobby.offer_hours)
        made = LobbySeat(table.id, each.address, "offered", session.now, "standby", offer_until=until)
        seat = lobby.add_seat(conn, made)
        lobby.set_standing(conn, replace(each, asked=each.asked + 1))
        turn, faction = game.play.state.turn, as_faction(table.title)
        offer = Offer(table.id, until, own.ruleset, own.tempo, faction, turn, table.of_game)
        write(
            session,
            each.address,
            letters.offer_seat(reader_at(session, each.address), offer),
            f"{table.id}.{seat.number}",
        )
        return True
    return False


def ask_volunteers(session: Session) -> None:
    """Ask for each seat on offer that nobody is asked about now, as somebody new stands by."""
    for table in lobby.all_tables(session.conn, "open"):
        if table.kind == "vacancy" and not lobby.seats_of(session.conn, table.id, "offered"):
            ask_next_volunteer(session, table)


def take_offered_seat(session: Session, table: LobbyTable, seat: LobbySeat) -> None:
    """Give the seat of a running game to the volunteer who was asked. Raise LobbyRefused if they cannot have it now."""
    game = session.games.table(session.conn, table.of_game)
    if table.state != "open" or is_kept(session.conn, table):
        raise LobbyRefused("seat-kept", table.of_game)
    try:
        take_seat(session, game, as_faction(table.title), seat.address, seat.name)
    except PowerRefused as refused:
        raise LobbyRefused("settings", table.of_game, why=str(refused)) from None
    games.close(session.conn, game)
    leave(session, seat, "ended", "took the seat")
    change(session, table, state="ended", why="taken", ended_at=session.now)


def refuse_offered_seat(session: Session, table: LobbyTable, seat: LobbySeat, not_before: date | None = None) -> None:
    own = lobby.standing(session.conn, seat.address)
    lobby.set_standing(session.conn, replace(own, refused=own.refused + 1, not_before=not_before or own.not_before))
    leave(session, seat, "declined")
    ask_next_volunteer(session, table)


def pass_time_of_vacancy(session: Session, table: LobbyTable) -> None:
    """Let an offer lapse and ask the next; the offer ends with its game or after two weeks."""
    over = lobby.game_status(session.conn, table.of_game) != "running" or table.expires_at <= session.now
    if over or is_kept(session.conn, table):
        _end_offer(session, table, "over")
        return
    for seat in lobby.seats_of(session.conn, table.id, "offered"):
        if seat.offer_until and seat.offer_until <= session.now:
            leave(session, seat, "freed", "silent")
    if not lobby.seats_of(session.conn, table.id, "offered"):
        ask_next_volunteer(session, table)


# --- the desk ---------------------------------------------------------------------------------------------------------


def _differences(table: LobbyTable, other: LobbyTable) -> list[str]:
    """Return the settings of two tables that those who are moved would notice."""
    one, two = structs.asdict(table.settings), structs.asdict(other.settings)
    return [name for name in one if one[name] != two[name] and name not in ("starts", "starts_at", "fewest")]


def move_people(session: Session, table: LobbyTable, into_id: str, why: str = "", *, only: str = "") -> None:
    """Move those who sit or wait at a table (``only`` one person) to another one, in the order of joining, and tell
    them. The table ends if nobody is left. Raise LobbyRefused if the other has not enough seats."""
    into = find_forming(session.conn, into_id)
    if into.id == table.id:
        raise LobbyRefused("settings", table.id, why="A table cannot be moved to itself.")
    if table.kind != into.kind and "open" in (table.kind, into.kind):
        raise LobbyRefused("settings", table.id, why="Nobody is moved between a private table and a public one.")
    if unlike := [] if why else _differences(table, into):
        told = f"{table.id} and {into.id} differ in {', '.join(unlike)}; give the reason, which everybody moved reads."
        raise LobbyRefused("settings", table.id, why=told)
    there = lobby.seats_of(session.conn, table.id)
    moved = [own] if only and (own := own_seat(session, there, only)) else [] if only else there
    if only and not moved:
        raise LobbyRefused("settings", table.id, why=f"{only} does not sit or wait at {table.id}.")
    here = lobby.seats_of(session.conn, into.id)
    free = into.settings.size - sum(seat.state in KEPT for seat in here)
    sitting = [seat for seat in moved if seat.state in KEPT and own_seat(session, here, seat.address) is None]
    if len(sitting) > free:
        told = f"{into.id} has {plural(free, 'free seat')}, and {len(sitting)} would come."
        raise LobbyRefused("settings", table.id, why=told)
    before = view_of(session.conn, table)
    for seat in moved:
        leave(session, seat, "ended", f"moved to {into.id}")
        if own_seat(session, here, seat.address) is None:
            state: SeatState = "seated" if seat.state in HOLDING else seat.state
            lobby.add_seat(session.conn, replace(seat, table_id=into.id, state=state, number=0))
    if not only:
        change(session, table, state="ended", why=f"merged into {into.id}", ended_at=session.now, check_due=None)
    log_act(session, table.id, "move" if only else "merge", f"into {into.id}", why)
    what: Literal["moved", "merged"] = "moved" if only else "merged"
    after = view_of(session.conn, into)
    for seat in moved:
        letter = letters.told_by_desk(reader_at(session, seat.address), before, what, why, after)
        write(session, seat.address, letter, f"{table.id}.{what}.{into.id}.{stamp(session.now)}")
