"""The addresses of a seat: its player's addresses, its reply address, and its sitter's address.

Addresses of one person. A player asks for a further address from a known address, with the reply token. Mentat then
sends a one-time code to the new address, and the player confirms the address by answering from there. Mail from any of
these addresses then counts, but letters go to only one of them. The answer never shows whether an address could be
added, because it may be another player's.

Reply addresses. The token is computed from the seat and a generation number (``bot.mail.identity``). When a new player
takes the seat, or the old address may have become known to others, the next generation makes all older tokens invalid.
Mentat remembers each old token's seat, so that it can warn the owner when somebody uses the token.

Sitters. A sitter plays for a player for some days, with a reply address of their own. The sitter may give orders for
the seat and gets a copy of every letter. The player still gets every letter, can write at any time, and can end the
sitting (``sitter off``). A sitter cannot decide about the player's own affairs (addresses, absences, resigning). A
sitting ends when its time is over, or when the seat gets a new reply address.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from bot.config import Settings
from bot.config.time_zones import zone_named
from bot.games.identity import MailOutcome, identifiers, seat_held_by
from bot.games.letter_writer import Matter
from bot.games.open_games import Session
from bot.language.commands import (
    AddAddress,
    AskForSitter,
    Freeze,
    MailCommand,
    RemoveAddress,
    ShowAddresses,
    SitterOff,
    UseAddress,
)
from bot.language.moves import declines
from bot.mail.identity import bounce_token, bounce_token_of, confirmation_code, is_own_address, reply_token
from bot.render.material import CommandAnswer
from bot.store import games, people
from bot.store.database import Connection
from bot.store.people import CODE_HOLDS, AddressRequest, SeatName
from bot.table.calendar import stamp
from bot.table.table import Table
from bot.wording import say
from rules.components import Faction

MOST_ADDRESSES = 5  # for each person, including unconfirmed addresses
MOST_CONFIRMATION_LETTERS = 2  # per day, to one unconfirmed address
CONFIRMATIONS = ("confirm", "confirmed", "i confirm")
A_DAY = timedelta(days=1)


class AddressRefused(ValueError):
    """Raised if a seat cannot have this address; the message says why and what would work instead. ``addresses`` are
    the refused addresses."""

    def __init__(self, message: str, addresses: Collection[str] = ()) -> None:
        super().__init__(message)
        self.addresses = addresses


def answer_about_addresses(
    session: Session, table: Table, faction: Faction, command: MailCommand
) -> CommandAnswer | None:
    match command:
        case ShowAddresses():
            return _show_addresses(session.conn, table.seats[faction].address, session.now)
        case AddAddress(address):
            return _add_address(session, table, faction, address)
        case UseAddress(address):
            return _use_address(session, table, faction, address)
        case RemoveAddress(address):
            return _remove_address(session, table, faction, address)
        case Freeze():
            return answer_freeze(session, table, faction)
    return None


def _show_addresses(conn: Connection, own: str, now: datetime) -> CommandAnswer:
    known = sorted(people.known_as(conn, own))
    told = [say("address.known" if len(known) > 1 else "address.alone", addresses=known, used=own)]
    if open_now := people.addresses_waiting(conn, own, now):
        told.append(say("address.waiting", addresses=open_now))
    return CommandAnswer("done", "\n".join(told))


def _add_address(session: Session, table: Table, faction: Faction, address: str) -> CommandAnswer:
    own = table.seats[faction].address
    known, open_now = people.known_as(session.conn, own), people.addresses_waiting(session.conn, own, session.now)
    if address in known:
        return CommandAnswer("refused", say("address.known-already", address=address))
    if is_own_address(address, session.settings.mentat.address):
        return CommandAnswer("refused", say("address.not-a-person", address=address))
    if address in open_now:
        return CommandAnswer("refused", say("address.asked-already", address=address))
    if len(known) + len(open_now) >= MOST_ADDRESSES:
        return CommandAnswer("refused", say("address.too-many", most=MOST_ADDRESSES))
    code = confirmation_code(session.settings.key, own, address, stamp(session.now))
    asked_before = people.count_address_requests(session.conn, address, session.now - A_DAY)
    people.ask_for_address(session.conn, own, address, code, session.now)
    if _is_of_another(session.conn, session.settings, own, address):
        told = say("address.game-master", faction=faction, game=table.id, owner=own, address=address)
        session.writer.tell_game_master(say("address.game-master-subject"), [told], f"{code}.{address}")
    elif asked_before < MOST_CONFIRMATION_LETTERS:
        told = say("address.ask", owner=own)
        paragraphs = [told, say("address.ask-else", days=CODE_HOLDS.days)]
        session.writer.tell(address, say("address.ask-subject"), paragraphs, code, token=code)
    return CommandAnswer("done", say("address.asked", address=address, days=CODE_HOLDS.days))


def _is_of_another(conn: Connection, settings: Settings, own: str, address: str) -> bool:
    others = people.known_as(conn, address)
    if len(others) > 1:
        return True
    theirs, mine = identifiers(conn, settings, address), identifiers(conn, settings, own)
    known_as = people.known_as(conn, own)
    for game_id, faction in people.seats_at_addresses(conn, known_as):
        for seat in games.seats_of(conn, game_id).values():
            known = identifiers(conn, settings, seat.address)
            if seat.faction != faction and known.isdisjoint(mine) and not known.isdisjoint(theirs):
                return True
            if seat.sitter and not identifiers(conn, settings, seat.sitter).isdisjoint(theirs):
                return True
    return any(
        not identifiers(conn, settings, seat.address).isdisjoint(theirs)
        for game_id, _ in people.seats_of_sitter(conn, known_as)
        for seat in games.seats_of(conn, game_id).values()
    )


def require_one_seat_each(
    conn: Connection, settings: Settings, game_id: str, seats: Mapping[Faction, str], *, tags_apart: bool = False
) -> None:
    """Raise AddressRefused if one person, by any of their addresses, would hold more than one of these seats. With
    ``tags_apart``, addresses that differ only in their plus tags count as different people (``bot.games.identity``)."""
    known = {faction: identifiers(conn, settings, own, tags_apart=tags_apart) for faction, own in seats.items()}
    for faction, address in seats.items():
        same = {other: own for other, own in seats.items() if not known[other].isdisjoint(known[faction])}
        if len(same) > 1:
            facts = {"addresses": sorted({*same.values(), address}), "factions": sorted(same), "game": game_id}
            raise AddressRefused(say("address.two-seats", **facts), [own for own in same.values() if own != address])


def confirm_address(session: Session, asked: AddressRequest, lines: Sequence[str]) -> MailOutcome:
    """Confirm a further address if its one-time code has come back from it. The mail must say "confirm"; nothing else
    in it has any effect. Both addresses are notified. If the mail says no, or the address belongs to another player,
    the address is not added."""
    if lines and declines(lines[0]):
        people.decline_address(session.conn, asked)
        return MailOutcome("orders", "a further address was declined")
    if not any(line.strip(" .!").lower() in CONFIRMATIONS for line in lines):
        return MailOutcome("rejected", "the code of a further address, without the word confirm")
    if _is_of_another(session.conn, session.settings, asked.owner, asked.address):
        told = say("address.not-joined", address=asked.address, owner=asked.owner)
        cause = f"not-joined.{asked.person}.{asked.address}.{stamp(session.now)}"
        session.writer.tell(asked.address, say("address.not-joined-subject"), [told], cause)
        why = f"{asked.address} cannot become an address of {asked.owner}: a person can hold only one seat in a game"
        return MailOutcome("rejected", f"the code of a further address of another player; {why}")
    people.confirm_address(session.conn, asked)
    people.join_pseudonyms(session.conn, asked.owner)
    told = say("address.confirmed", address=asked.address, owner=asked.owner, used=asked.owner)
    for address in (asked.owner, asked.address):
        cause = f"confirmed.{asked.person}.{asked.address}.{stamp(session.now)}.{address}"
        session.writer.tell(address, say("address.confirmed-subject"), [told], cause)
    return MailOutcome("orders", "a further address was confirmed")


def _use_address(session: Session, table: Table, faction: Faction, address: str) -> CommandAnswer:
    seat = table.seats[faction]
    known = people.known_as(session.conn, seat.address)
    if address not in known:
        return CommandAnswer("refused", say("address.unknown", address=address))
    if address == seat.address:
        return CommandAnswer("refused", say("address.used-already", address=address))
    old = seat.address
    seats = people.seats_at_addresses(session.conn, known)
    people.use_address(session.conn, address)
    seat.address = address
    table.touched.add(faction)
    for game_id, other in seats:
        if (game_id, other) != (table.id, faction):
            elsewhere = session.games.table(session.conn, game_id)
            elsewhere.seats[other].address = address
            _send_what_is_open(session, elsewhere, other)
            games.close(session.conn, elsewhere)
    _tell_address_change(session, old, say("address.use-notice", address=address))
    return CommandAnswer("done", say("address.used", address=address))


def _remove_address(session: Session, table: Table, faction: Faction, address: str) -> CommandAnswer:
    own = table.seats[faction].address
    if address not in people.known_as(session.conn, own):
        return CommandAnswer("refused", say("address.unknown", address=address))
    if address in (own, people.address_in_use(session.conn, own)) or people.seats_at_addresses(session.conn, [address]):
        return CommandAnswer("refused", say("address.in-use", address=address))
    people.remove_address(session.conn, address)
    _tell_address_change(session, address, say("address.remove-notice"))
    return CommandAnswer("done", say("address.removed", address=address))


def _tell_address_change(session: Session, address: str, told: str) -> None:
    paragraphs = [told, say("address.not-you", game_master=session.settings.mentat.game_master)]
    session.writer.tell(address, say("address.changed-subject"), paragraphs, f"{address}.{stamp(session.now)}")


def _send_what_is_open(session: Session, table: Table, faction: Faction, *more: str) -> None:
    turn = table.play.state.turn
    happened = [event for number in (turn - 1, turn) for event in games.events_of_turn(session.conn, table.id, number)]
    facts = {"game": table.id, "faction": faction}
    subject, told = say("address.moved-subject", **facts), say("address.moved", **facts)
    session.writer.brief(table, faction, happened, subject, [told, *more])
    table.touched.add(faction)


def move_seat(session: Session, table: Table, faction: Faction, address: str) -> str:
    """Change a player's address in one game, and return the old address, which is no longer valid there. The seat gets
    a new reply address, and open questions are sent again. Raise AddressRefused if the new address cannot be used."""
    address = address.strip().lower()
    seat = table.seats[faction]
    if seat.address == address:
        raise AddressRefused(say("address.same", address=address, faction=faction))
    others = [other for other in table.seats.values() if other.faction != faction]
    if other := seat_held_by(session.conn, session.settings, others, address):
        raise AddressRefused(say("address.elsewhere", address=address, other=other.faction))
    old, seat.address = seat.address, address
    renew_reply_address(session.conn, session.settings, table, faction)
    seat.unreachable = False
    facts = {"game": table.id, "faction": faction}
    cause = f"left.{table.id}.{faction}.{seat.generation}"
    session.writer.tell(old, say("address.left-subject", **facts), [say("address.left", **facts)], cause)
    _send_what_is_open(session, table, faction, say("address.moved-by-game-master"))
    return old


def renew_reply_address(conn: Connection, settings: Settings, table: Table, faction: Faction) -> None:
    seat = table.seats[faction]
    people.end_token(conn, seat.token, table.id, faction)
    stand_up(conn, table, faction)
    seat.generation += 1
    secret = settings.key
    seat.token = reply_token(secret, table.id, faction, seat.generation)
    seat.bounce_token = bounce_token(secret, table.id, faction, seat.generation)
    table.touched.add(faction)


def answer_freeze(session: Session, table: Table, faction: Faction) -> CommandAnswer:
    sat_in = bool(table.seats[faction].sitter)
    _freeze(session, table, faction)
    told = say("freeze.game-master", faction=faction, sat_in=sat_in)
    done = [say("freeze.done"), *([say("sitter.over")] if sat_in else [])]
    return CommandAnswer("done", " ".join(done), for_game_master=told)


def freeze_seat(session: Session, table: Table, faction: Faction) -> None:
    sat_in = bool(table.seats[faction].sitter)
    _freeze(session, table, faction)
    told = [say("freeze.notice"), *([say("sitter.over")] if sat_in else [])]
    session.writer.notify(table, faction, say("freeze.subject"), told)


def _freeze(session: Session, table: Table, faction: Faction) -> None:
    end_sitting(session, table, faction)
    renew_reply_address(session.conn, session.settings, table, faction)
    people.forget_address_requests(session.conn, table.seats[faction].address)


def sit_down(settings: Settings, table: Table, faction: Faction, address: str, name: str, until: datetime) -> None:
    seat = table.seats[faction]
    seat.sittings += 1
    seat.sitter, seat.sitter_name, seat.sitter_until = address, name, until
    seat.sitter_token = confirmation_code(settings.key, "sitter", table.id, faction, str(seat.sittings))
    table.touched.add(faction)


def stand_up(conn: Connection, table: Table, faction: Faction) -> None:
    seat = table.seats[faction]
    if seat.sitter:
        people.end_token(conn, seat.sitter_token, table.id, faction)
    seat.sitter = seat.sitter_name = seat.sitter_token = ""
    seat.sitter_until = None
    table.touched.add(faction)


def end_sitting(session: Session, table: Table, faction: Faction) -> None:
    if table.seats[faction].sitter:
        told = [say("sitter.left", game=table.id, faction=faction)]
        session.writer.tell_sitter(table, faction, say("sitter.left-subject"), told)
    stand_up(session.conn, table, faction)


def end_unreachable_sitting(session: Session, came_to: Collection[str], report: str) -> SeatName | None:
    """End the sitting of a sitter whose letters have bounced for good, and tell the player and the game master. The
    sitter is recognised by one of these tokens. Return the seat, or None if none of the tokens is a sitter's."""
    found = [(name, token) for name, token in people.sitter_tokens(session.conn) if bounce_token_of(token) in came_to]
    for (game_id, faction), token in found[:1]:
        table = session.games.table(session.conn, game_id)
        address = table.seats[faction].sitter
        stand_up(session.conn, table, faction)
        told, subject = [say("sitter.lost", address=address)], say("sitter.over-subject")
        session.writer.notify(table, faction, subject, told)
        lost = say("sitter.lost-game-master", game=game_id, faction=faction, address=address, report=report)
        lines = (f"sitter {faction} ADDRESS until DATE", f"caretaker {faction} on", f"more {faction}")
        matter = Matter(game_id, faction, say("sitter.lost-subject", game=game_id), [lost], lines, token)
        session.writer.tell_master_of(matter)
        games.close(session.conn, table)
        return game_id, faction
    return None


def answer_about_sitter(
    session: Session, table: Table, faction: Faction, command: MailCommand, *, sits: bool
) -> CommandAnswer | None:
    """Carry out ``sitter off``, or pass on a request for a sitter; return None for any other command. ``sits`` is true
    if the sitter wrote the command."""
    if isinstance(command, AskForSitter):
        return _ask_for_sitter(table, faction, command, session.now)
    if not isinstance(command, SitterOff):
        return None
    if not table.seats[faction].sitter:
        return CommandAnswer("refused", say("sitter.nobody"))
    end_sitting(session, table, faction)
    return CommandAnswer("done", say("sitter.off-by-sitter" if sits else "sitter.off"))


def _ask_for_sitter(table: Table, faction: Faction, asked: AskForSitter, now: datetime) -> CommandAnswer:
    """Pass a player's request for a sitter on to the game master. Only the game master, on agreeing, learns if that
    person is allowed to sit in. An answer to the player would reveal who plays or observes."""
    seat = table.seats[faction]
    until = f"{asked.until:%Y-%m-%d}"
    if asked.until < now.astimezone(zone_named(seat.timezone)).date():
        return CommandAnswer("refused", say("sitter.past", until=until))
    told = say("sitter.asked-game-master", game=table.id, faction=faction, address=asked.address, until=until)
    ready = (f"sitter {faction} {asked.address} until {until}",)
    return CommandAnswer("done", say("sitter.asked", address=asked.address, until=until), told, ready)
