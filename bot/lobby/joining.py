"""Joining and leaving a table: the conditions for joining, the limits, seats, the waiting list, offers, wishes and
invitations.

Nothing is reserved for an unproved address; every caller of this module has proof of the address. The conditions are
checked in a fixed order, and each has its own refusal. They are checked again when a person is offered a seat and when
the game starts. People who want to join a full table go on its waiting list, in the order in which they asked. A seat
that becomes free is offered, for some hours, to the first on the list who has not been asked yet. A person who does not
answer keeps their place, and is asked again once they write.

Two tables become one if the game master says so, or if both openers agree because neither table will fill on its own. A
public table that is about to end is compared with the others. If another one has the same settings, and the two
together have enough players to start, both openers are asked, once. Nobody is told who said no.

This module only makes the change itself; ``bot.lobby.starting.settle``, which is called after every change, handles
its consequences.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from msgspec import structs

from bot.competition.factions import REST, Worths
from bot.desk.new_game import clean_name
from bot.games.identity import identifiers
from bot.games.open_games import Session
from bot.lobby import letters
from bot.lobby.letters import Offer
from bot.lobby.requests import are_worths
from bot.lobby.tables import (
    LobbyRefused,
    change,
    find_forming,
    log_act,
    mailbox_digest,
    offer_ends,
    prolonged,
    reader_at,
    reliability_of,
    view_of,
    write,
)
from bot.mail.identity import is_own_address
from bot.store import acts, games, lobby, people
from bot.store.database import Connection
from bot.store.lobby import FORMING, HOLDING, KEPT, GameRecord, LobbySeat, LobbyTable, SeatState
from bot.table.calendar import stamp
from bot.wording import say
from bot.wording.filters import plural
from rules.chapters.setup import MOST_TRADED, dealt_factions
from rules.components import FACTION_FACTS, Faction, as_faction, faction_name

ONE_PERSON = "one person"
MOST_OVERDUE = 4
MOST_RETURNS = 2
A_DAY, A_WEEK, A_MONTH = timedelta(days=1), timedelta(days=7), timedelta(days=30)
MOST_INVITED, MOST_INVITED_A_DAY = 10, 5  # the most invitations to one table, in all and in a day
FEWEST_TURNS = 2
"""A person is no longer a newcomer once their first game has reached this turn."""


@dataclass(frozen=True, slots=True)
class JoinRequest:
    address: str
    proof: str
    name: str = ""
    wishes: str = ""
    word: str = ""
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """The result of asking to join. ``how`` is ``seated``, ``again`` if the person already had a seat, or ``line`` if
    they wait at ``place`` on the list. ``notes`` are sentences about wishes that could not be accepted. ``returned`` is
    true if they must wait only because they have left this table too often."""

    how: Literal["seated", "again", "line"]
    seat: LobbySeat
    place: int = 0
    notes: tuple[str, ...] = ()
    returned: bool = False


def join(session: Session, table: LobbyTable, asked: JoinRequest) -> Joined:
    conn, address = session.conn, people.address_in_use(session.conn, asked.address)
    if table.state not in (*FORMING, *(("proposed",) if asked.proof == "opener" else ())):
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
    address = people.address_in_use(session.conn, asked.address)
    own = own_seat(session, lobby.seats_of(session.conn, table.id), address)
    if own is not None and own.state in HOLDING:
        return Joined("again", own)
    require_may_join(session, table, address, own)
    return _wait(session, table, own, replace(asked, address=address), ())


def place_in_line(session: Session, table: LobbyTable, seat: LobbySeat) -> int:
    return 1 + sum(each.number < seat.number for each in lobby.seats_of(session.conn, table.id, "waiting"))


def own_seat(session: Session, seats: Sequence[LobbySeat], address: str) -> LobbySeat | None:
    mine = identifiers(session.conn, session.settings, address)
    return next(
        (seat for seat in seats if not mine.isdisjoint(identifiers(session.conn, session.settings, seat.address))), None
    )


# --- gates ------------------------------------------------------------------------------------------------------------


def require_may_join(
    session: Session, table: LobbyTable, address: str, own: LobbySeat | None = None, word: str = ""
) -> None:
    """Raise LobbyRefused unless a person may sit at a table. ``own`` is their place on the waiting list or their
    invitation there. ``word`` is the table's password, if somebody at the table gave it to them."""
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
    """Return whether a person has left a public table so often within a week that they may only join its waiting
    list."""
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
    at = table.settings.starts_at
    if at is None:
        return ()
    day = at.astimezone(reader_at(session, address).zone).date()
    away = lobby.is_away(session.conn, people.known_as(session.conn, address), day)
    return (say("lobby-note.away", table=table.id),) if away else ()


def _keeps(session: Session, address: str) -> bool:
    """Return whether this person is the game master of the installation, who could read the seed."""
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
    """Raise LobbyRefused unless a person may open another table. They cannot require more reliability of others than
    they have themselves."""
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
    """Return the wishes that this table can fulfil, and a sentence about those that it cannot. If a faction is named
    twice, the first mention counts.

    Wishes are written like the `preferences` in a tournament: `guild, fremen = atreides, *, harkonnen`. If factions are
    sold, they are written like its `bid`, in spice: `guild 4, fremen 2, * 1`.
    """
    by, sold = table.settings.factions, are_worths(wishes)
    if wishes and wishes != REST and (by == "draw" or (by == "auction" and not sold)):
        return "", (say(f"lobby-note.by-{by}", table=table.id),)
    if sold and by == "auction":
        return _fitting_worths(table, wishes, unknown)
    notes = (say("lobby-note.by-wishes", table=table.id),) if sold else ()
    wishes = _wished_order(wishes) if sold else wishes
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
    return ", ".join(groups), (*notes, told) if told else notes


def _fitting_worths(table: LobbyTable, worths: str, unknown: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the bids that are possible at this table, and a sentence about the others. Nobody can pay more for a
    faction than the spice it starts with."""
    kept: dict[str, str] = {}
    lost, wrong, twice, most = list(unknown), list[str](), list[str](), list[str]()
    for name, _, number in (part.rpartition(" ") for part in worths.split(", ")):
        has = FACTION_FACTS[as_faction(name)].spice if name in FACTION_FACTS else MOST_TRADED
        if name != REST and name not in factions_at(table):
            lost.append(name)
        elif not number.isdigit():
            wrong.append(number)
        elif name in kept:
            twice.append(faction_name(as_faction(name)))
        else:
            kept[name] = str(min(int(number), has))
            most += [f"{faction_name(as_faction(name))} {has}"] if int(number) > has and name != REST else []
    words = [faction_name(as_faction(one)) if one in FACTION_FACTS else one[:40] for one in lost]
    told = say("lobby-note.worths", words=words, wrong=wrong, twice=twice, most=most, rest=bool(kept)).strip()
    return ", ".join(f"{name} {number}" for name, number in kept.items()), (told,) if told else ()


def worths_among(worths: str, factions: Sequence[Faction]) -> Worths:
    """Return how much spice each of these factions is worth to a player, from the words stored for their seat. No worth
    exceeds the spice that the faction starts with. Words without numbers give 0.

    >>> worths_among("guild 9, * 1", ["guild", "emperor"]), worths_among("guild, emperor", ["guild"])
    ({'guild': 5, 'emperor': 1}, {'guild': 0})
    """
    pairs = [part.rpartition(" ") for part in worths.split(", ")] if are_worths(worths) else []
    said = {name: int(number) for name, _, number in pairs}
    return {each: min(said.get(each, said.get(REST, 0)), FACTION_FACTS[each].spice) for each in factions}


def _wished_order(worths: str) -> str:
    """Convert bids to preferences, for a table at which nothing is sold.

    >>> _wished_order("guild 4, emperor 2, fremen 4, * 0")
    'guild = fremen, emperor'
    """
    groups: dict[float, list[str]] = {}
    for name, _, number in (part.rpartition(" ") for part in worths.split(", ")):
        groups.setdefault(int(number) if number.isdigit() else 0, []).append(name)
    return ", ".join(" = ".join(groups[number]) for number in sorted(groups, reverse=True) if number)


def note_wishes(session: Session, seat: LobbySeat, wishes: str, name: str) -> LobbySeat:
    wishes = "" if wishes == "*" else wishes or seat.wishes
    name = clean_name(session.settings, name) or seat.name
    lobby.change_seat(session.conn, seat.number, wishes=wishes, name=name)
    return replace(seat, wishes=wishes, name=name)


# --- leaving, offers, invitations -------------------------------------------------------------------------------------


def leave(session: Session, seat: LobbySeat, state: SeatState = "left", why: str = "") -> None:
    lobby.change_seat(session.conn, seat.number, state=state, why=why, changed_at=session.now, offer_until=None)


def offer_free_seats(session: Session, table: LobbyTable) -> None:
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
        until = offer_ends(session, seat.address)
        lobby.change_seat(session.conn, seat.number, state="offered", offer_until=until, changed_at=session.now)
        own = table.settings
        offer = Offer(table.id, until, own.ruleset, own.tempo)
        cause = f"{table.id}.offer.{seat.number}.{stamp(session.now)}"
        write(session, seat.address, letters.offer_seat(reader_at(session, seat.address), offer), cause)
        free -= 1


def lapse_offer(session: Session, seat: LobbySeat) -> None:
    """End an invitation or offer that was not answered. A person who was offered a seat goes back on the waiting
    list."""
    if seat.state == "invited":
        leave(session, seat, "declined", "silent")
        return
    lobby.change_seat(
        session.conn, seat.number, state="waiting", asked=seat.asked + 1, offer_until=None, changed_at=session.now
    )


def accept(session: Session, table: LobbyTable, seat: LobbySeat) -> Joined:
    """Accept an offered seat or an invitation, even one that has lapsed, if the seat is still free."""
    others = sum(each.state in KEPT for each in lobby.seats_of(session.conn, table.id) if each.number != seat.number)
    if seat.state in ("offered", "invited") and others < table.settings.size:
        require_may_join(session, table, seat.address, seat)
        return Joined("seated", _take(session, seat))
    return join(session, table, JoinRequest(seat.address, seat.proof))


def invite(session: Session, table: LobbyTable, addresses: Sequence[str]) -> None:
    """Of these people, invite those who have played here before, and keep a seat for each. Nobody is invited twice to
    the same table, or more than once in 30 days. The inviter is not told who was invited, because that would reveal who
    plays here."""
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
    """Invite the people whom the game master names, even if they have never played here. Return those who were not
    invited, each with the reason."""
    if table.kind == "vacancy":
        raise LobbyRefused("settings", table.id, why=f"{table.id} is a seat of a game; `mentat lobby offer` offers it.")
    if table.state == "proposed":
        raise LobbyRefused("proposed", table.id, why=f"{table.id} waits for approval; `mentat lobby approve` opens it.")
    not_invited = {}
    for address in addresses:
        if told := _not_to_be_invited(session, table, address):
            not_invited[address] = told
        else:
            invite_person(session, table, people.address_in_use(session.conn, address))
    if invited := len(addresses) - len(not_invited):
        log_act(session, table.id, "invite", f"{invited} people", why)
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


def invite_person(session: Session, table: LobbyTable, address: str, name: str = "") -> None:
    """Keep a seat for a person and invite them. At a public table without a date, the seat is kept for as long as an
    offered seat; at any other table, until the table ends."""
    shown = view_of(session.conn, table)
    until = None
    if table.kind == "open" and not table.settings.starts_at:
        until = offer_ends(session, address)
        shown = structs.replace(shown, until=until)
    seat = LobbySeat(table.id, address, "invited", session.now, "invitation", name, offer_until=until)
    lobby.add_seat(session.conn, seat)
    letter = letters.invited(reader_at(session, address), shown, rematch=table.kind == "rematch")
    write(session, address, letter, f"{table.id}.invited")


# --- two tables become one -------------------------------------------------------------------------------------------


NEAR_ITS_END = timedelta(hours=72)
PROPOSED, AGREED, REFUSED = "propose merge", "agree to merge", "refuse to merge"


def partner_of(session: Session, table: LobbyTable) -> LobbyTable | None:
    """If this table ends soon, return another table with which it could start. Return None if there is none. A table
    whose opener has already been asked about merging is not considered."""
    near = table.state == "open" and table.kind == "open" and table.expires_at - session.now <= NEAR_ITS_END
    if not near or not lobby.seats_of(session.conn, table.id, "seated") or _said(session.conn, table, PROPOSED):
        return None
    others = [each for each in lobby.all_tables(session.conn, "open") if each.id != table.id and each.kind == "open"]
    fitting = (each for each in others if fits_with(session, table, each))
    return next((each for each in fitting if not _said(session.conn, each, PROPOSED)), None)


def fits_with(session: Session, table: LobbyTable, other: LobbyTable) -> bool:
    if differences(table, other) or table.settings.starts_at != other.settings.starts_at:
        return False
    here, there = (lobby.seats_of(session.conn, each.id, *KEPT) for each in (table, other))
    seats = [*here, *(seat for seat in there if own_seat(session, here, seat.address) is None)]
    sitting = [seat for seat in seats if seat.state == "seated"]
    enough = max(table.settings.fewest, other.settings.fewest) <= len(sitting)
    decided = all(_decides(each, held) for each, held in ((table, here), (other, there)))
    return decided and enough and len(seats) <= table.settings.size


def _decides(table: LobbyTable, seats: list[LobbySeat]) -> bool:
    return any(seat.address == table.starter and seat.state == "seated" for seat in seats)


def _said(conn: Connection, table: LobbyTable, what: str) -> list[str]:
    return [each.words for each in acts.acts_of(conn, game_id=table.id) if each.what == what]


def propose_merge(session: Session, table_id: str) -> None:
    table = find_forming(session.conn, table_id)
    other = partner_of(session, table)
    if other is None:  # its opener has just been asked about another table
        return
    into, _ = _in_order(session, table, other)
    shown = {each.id: view_of(session.conn, each) for each in (table, other)}
    for own, its in ((table, other), (other, table)):
        log_act(session, own.id, PROPOSED, its.id)
        letter = letters.propose_merge(reader_at(session, own.starter), shown[own.id], shown[its.id], into.id)
        write(session, own.starter, letter, f"{own.id}.merge.{its.id}")


def _in_order(session: Session, table: LobbyTable, other: LobbyTable) -> tuple[LobbyTable, LobbyTable]:
    def people(each: LobbyTable) -> int:
        return len(lobby.seats_of(session.conn, each.id, *HOLDING))

    stays, ends = sorted((table, other), key=lambda each: (-people(each), each.opened_at, each.id))
    return stays, ends


def proposed_with(conn: Connection, table: LobbyTable) -> str:
    """Return the table with which the opener of this table was asked to merge, if they have not answered yet; else
    ""."""
    proposed = _said(conn, table, PROPOSED)[-1:] if table.state == "open" else []
    answered = {*_said(conn, table, AGREED), *_said(conn, table, REFUSED)}
    return next((each for each in proposed if each not in answered), "")


def is_asked_to_merge(conn: Connection, table: LobbyTable, addresses: Collection[str]) -> bool:
    return table.starter in addresses and bool(proposed_with(conn, table))


def answer_merge(session: Session, table: LobbyTable, *, yes: bool) -> LobbyTable | None:
    """Record an opener's answer to a proposed merge, and merge the two tables once both openers have agreed. Return the
    merged table, or None while the other opener has not answered. Raise LobbyRefused if the tables no longer fit
    together."""
    other = lobby.find_table(session.conn, proposed_with(session.conn, table))
    if other is None or other.state != "open" or not fits_with(session, table, other):
        raise LobbyRefused("no-merge", table.id, other=other.id if other else "")
    log_act(session, table.id, AGREED if yes else REFUSED, other.id)
    if not yes or table.id not in _said(session.conn, other, AGREED):
        return None
    into, moved = _in_order(session, table, other)
    move_people(session, moved, into.id)
    return into


# --- the move ---------------------------------------------------------------------------------------------------------


def differences(table: LobbyTable, other: LobbyTable) -> list[str]:
    one, two = structs.asdict(table.settings), structs.asdict(other.settings)
    return [name for name in one if one[name] != two[name] and name not in ("starts", "starts_at", "fewest")]


def move_people(session: Session, table: LobbyTable, into_id: str, why: str = "", *, only: str = "") -> None:
    """Move everybody who sits or waits at a table, or only the person ``only``, to another table, in the order in which
    they joined, and tell them. The table ends if nobody is left. Raise LobbyRefused if the other table has too few
    seats."""
    into = find_forming(session.conn, into_id)
    if into.id == table.id:
        raise LobbyRefused("settings", table.id, why="A table cannot be moved to itself.")
    if table.kind != into.kind and "open" in (table.kind, into.kind):
        raise LobbyRefused("settings", table.id, why="You cannot move people between a private and a public table.")
    if unlike := [] if why else differences(table, into):
        told = f"{table.id} and {into.id} differ in {', '.join(unlike)}; give a reason, which the players will read."
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
            fits, _ = fitting_wishes(into, seat.wishes)
            lobby.add_seat(session.conn, replace(seat, table_id=into.id, state=state, number=0, wishes=fits))
    if not only:
        change(session, table, state="ended", why=f"merged into {into.id}", ended_at=session.now, check_due=None)
    log_act(session, table.id, "move" if only else "merge", f"into {into.id}", why)
    what: Literal["moved", "merged"] = "moved" if only else "merged"
    after = view_of(session.conn, into)
    for seat in moved:
        letter = letters.told_by_desk(reader_at(session, seat.address), before, what, why, after)
        write(session, seat.address, letter, f"{table.id}.{what}.{into.id}.{stamp(session.now)}")
