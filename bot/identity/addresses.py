"""Several addresses of one person: registered by both, and one of them in use.

A further address is asked for from a known one, with the reply token, and confirmed from the other by an answer to a
letter with a one-time code; so a change of address is confirmed from both. Mail from any of them then counts. Whether
an address could be added is not shown to who asks: it may be another player's, which is nobody's business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from bot.clock.instants import stamp
from bot.config import Settings
from bot.games.open_games import OpenGames
from bot.identity.identification import Processed
from bot.identity.persons import identifiers, seat_of
from bot.identity.reply_address import freeze, renew
from bot.mail.identity import confirmation_code, is_own_address
from bot.orders.commands import AddAddress, Freeze, MailCommand, RemoveAddress, ShowAddresses, UseAddress
from bot.post.answered import Answered
from bot.store import addresses, games, pseudonyms
from bot.store.addresses import CODE_HOLDS, Asked
from bot.store.database import Connection
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction

MOST = 5  # addresses of one person, with those that are not confirmed yet
MOST_LETTERS = 2  # a day to an address that is asked about
CONFIRMING = ("confirm", "confirmed", "i confirm")
A_DAY = timedelta(days=1)


class AddressRefused(ValueError):
    """A seat cannot have this address; the message says why and what would do."""


def answer_about_identity(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, command: MailCommand, now: datetime
) -> Answered | None:
    """Carry out a request about addresses and reply addresses; None if the command is none."""
    match command:
        case ShowAddresses():
            return _show(conn, table.seats[faction].address, now)
        case AddAddress(address):
            return _add(conn, open_games, table, faction, address, now)
        case UseAddress(address):
            return _use(conn, open_games, table, faction, address, now)
        case RemoveAddress(address):
            return _remove(conn, open_games, table, faction, address, now)
        case Freeze():
            return freeze(conn, open_games, table, faction, now)
    return None


def _show(conn: Connection, own: str, now: datetime) -> Answered:
    known = sorted(addresses.known_as(conn, own))
    told = [say("address.known" if len(known) > 1 else "address.alone", addresses=known, used=own)]
    if open_now := addresses.waiting(conn, own, now):
        told.append(say("address.waiting", addresses=open_now))
    return Answered("done", "\n".join(told))


def _add(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, now: datetime
) -> Answered:
    own = table.seats[faction].address
    known, open_now = addresses.known_as(conn, own), addresses.waiting(conn, own, now)
    if address in known:
        return Answered("refused", say("address.known-already", address=address))
    if is_own_address(address, open_games.settings.mentat.address):
        return Answered("refused", say("address.not-a-person", address=address))
    if address in open_now:
        return Answered("refused", say("address.asked-already", address=address))
    if len(known) + len(open_now) >= MOST:
        return Answered("refused", say("address.too-many", most=MOST))
    secret = open_games.settings.secrets.secret.get_secret_value().encode()
    code = confirmation_code(secret, own, address, stamp(now))
    asked_before = addresses.asked_since(conn, address, now - A_DAY)
    addresses.ask(conn, own, address, code, now)
    if _is_of_another(conn, open_games.settings, own, address):
        told = say("address.game-master", faction=faction, game=table.id, owner=own, address=address)
        open_games.writer.tell_game_master(conn, now, say("address.game-master-subject"), [told], f"{code}.{address}")
    elif asked_before < MOST_LETTERS:
        told = say("address.ask", owner=own)
        paragraphs = [told, say("address.ask-else", days=CODE_HOLDS.days)]
        open_games.writer.tell(conn, now, address, say("address.ask-subject"), paragraphs, code, token=code)
    return Answered("done", say("address.asked", address=address, days=CODE_HOLDS.days))


def _is_of_another(conn: Connection, settings: Settings, own: str, address: str) -> bool:
    """Whether an address belongs to somebody who cannot be the same person: they have several of their own, or sit in
    the same game."""
    others = addresses.known_as(conn, address)
    if len(others) > 1:
        return True
    theirs, mine = identifiers(conn, settings, address), identifiers(conn, settings, own)
    known_as = addresses.known_as(conn, own)
    for game_id, faction in addresses.seats_of(conn, known_as):
        for seat in games.seats_of(conn, game_id).values():
            known = identifiers(conn, settings, seat.address)
            if seat.faction != faction and known.isdisjoint(mine) and not known.isdisjoint(theirs):
                return True
            if seat.sitter and not identifiers(conn, settings, seat.sitter).isdisjoint(theirs):
                return True
    return any(
        not identifiers(conn, settings, seat.address).isdisjoint(theirs)
        for game_id, _ in addresses.sits_at(conn, known_as)
        for seat in games.seats_of(conn, game_id).values()
    )


def require_one_seat_each(
    conn: Connection, settings: Settings, game_id: str, seats: Mapping[Faction, str], *, tags_apart: bool = False
) -> None:
    """One person, by whatever address, holds one seat of a game. AddressRefused if one would hold more of these.
    ``tags_apart``: addresses of one mailbox are several persons (``bot.identity.persons``)."""
    known = {faction: identifiers(conn, settings, own, tags_apart=tags_apart) for faction, own in seats.items()}
    for faction, address in seats.items():
        same = {other: own for other, own in seats.items() if not known[other].isdisjoint(known[faction])}
        if len(same) > 1:
            facts = {"addresses": sorted({*same.values(), address}), "factions": sorted(same), "game": game_id}
            raise AddressRefused(say("address.two-seats", **facts))


def answered_question(
    conn: Connection, open_games: OpenGames, asked: Asked, lines: Sequence[str], now: datetime
) -> Processed:  # fmt: skip
    """The code of a further address came back from there. With the word "confirm" the address counts from now on, and
    both are told; nothing else that may stand in such a mail does anything."""
    if not any(line.strip(" .!").lower() in CONFIRMING for line in lines):
        return Processed("rejected", "the code of a further address, without the word confirm")
    if _is_of_another(conn, open_games.settings, asked.owner, asked.address):
        told = say("address.not-joined", address=asked.address, owner=asked.owner)
        cause = f"not-joined.{asked.person}.{asked.address}.{stamp(now)}"
        open_games.writer.tell(conn, now, asked.address, say("address.not-joined-subject"), [told], cause)
        why = f"{asked.address} cannot become an address of {asked.owner}: one person holds one seat of a game"
        return Processed("rejected", f"the code of a further address of another player; {why}")
    addresses.confirm(conn, asked)
    pseudonyms.join(conn, asked.owner)
    told = say("address.confirmed", address=asked.address, owner=asked.owner, used=asked.owner)
    for address in (asked.owner, asked.address):
        cause = f"confirmed.{asked.person}.{asked.address}.{stamp(now)}.{address}"
        open_games.writer.tell(conn, now, address, say("address.confirmed-subject"), [told], cause)
    return Processed("orders", "a further address was confirmed")


def _use(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, now: datetime
) -> Answered:
    seat = table.seats[faction]
    known = addresses.known_as(conn, seat.address)
    if address not in known:
        return Answered("refused", say("address.unknown", address=address))
    if address == seat.address:
        return Answered("refused", say("address.used-already", address=address))
    old = seat.address
    seats = addresses.seats_of(conn, known)
    addresses.use(conn, address)
    seat.address = address
    table.touched.add(faction)
    for game_id, other in seats:
        if (game_id, other) != (table.id, faction):
            elsewhere = open_games.table(conn, game_id)
            elsewhere.seats[other].address = address
            _send_what_is_open(conn, open_games, elsewhere, other, now)
            games.close(conn, elsewhere)
    _tell_change(conn, open_games, old, say("address.use-notice", address=address), now)
    return Answered("done", say("address.used", address=address))


def _remove(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, now: datetime
) -> Answered:
    own = table.seats[faction].address
    if address not in addresses.known_as(conn, own):
        return Answered("refused", say("address.unknown", address=address))
    if address in (own, addresses.in_use(conn, own)) or addresses.seats_of(conn, [address]):
        return Answered("refused", say("address.in-use", address=address))
    addresses.remove(conn, address)
    _tell_change(conn, open_games, address, say("address.remove-notice"), now)
    return Answered("done", say("address.removed", address=address))


def _tell_change(conn: Connection, open_games: OpenGames, address: str, told: str, now: datetime) -> None:
    paragraphs = [told, say("address.not-you", game_master=open_games.settings.mentat.game_master)]
    open_games.writer.tell(conn, now, address, say("address.changed-subject"), paragraphs, f"{address}.{stamp(now)}")


def _send_what_is_open(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime, *more: str
) -> None:
    """A letter with all that the seat knows and is asked, to an address that has none yet."""
    turn = table.play.state.turn
    happened = [event for number in (turn - 1, turn) for event in games.events_of_turn(conn, table.id, number)]
    facts = {"game": table.id, "faction": faction}
    subject, told = say("address.moved-subject", **facts), say("address.moved", **facts)
    open_games.writer.brief(conn, table, faction, now, happened, subject, [told, *more])
    table.touched.add(faction)


def move_seat(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, now: datetime
) -> str:
    """Change a player's address in one game; the old one, which counts there no more. Nor does the reply address of the
    old letters, and what is open is sent once more. AddressRefused if it cannot be."""
    address = address.strip().lower()
    seat = table.seats[faction]
    if seat.address == address:
        raise AddressRefused(say("address.same", address=address, faction=faction))
    others = [other for other in table.seats.values() if other.faction != faction]
    if other := seat_of(conn, open_games.settings, others, address):
        raise AddressRefused(say("address.elsewhere", address=address, other=other.faction))
    old, seat.address = seat.address, address
    renew(conn, open_games.settings, table, faction)
    seat.unreachable = False
    facts = {"game": table.id, "faction": faction}
    cause = f"left.{table.id}.{faction}.{seat.generation}"
    open_games.writer.tell(conn, now, old, say("address.left-subject", **facts), [say("address.left", **facts)], cause)
    _send_what_is_open(conn, open_games, table, faction, now, say("address.moved-by-game-master"))
    return old
