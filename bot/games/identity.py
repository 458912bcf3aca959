"""Identify the writer of a mail, check their right to write it, and find out if two addresses belong to one person.

A seat is recognised by its reply token *and* an address of its player. If the settings ask for it, there must also be
proof that the mail really comes from that address. A sender who fails one of these checks gets no answer, because any
answer helps a forger. The game master is told the reason (``bot.games.notices``), but only a few times per sender. The
owner of the seat concerned is warned at their own address, at most once a day, and the wording never depends on the
reason.

One mail may contain lines for several of its writer's seats: lines below another reply token, and lines in a form that
was sent to another seat. Lines for somebody else's seat are ignored, and the answer does not depend on whether such a
seat exists.

Two addresses belong to one person if both are confirmed as that person's or if they lead to the same mailbox.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.config import Settings
from bot.games.open_games import Session
from bot.mail.disposition import Examined
from bot.mail.identity import reply_token
from bot.mail.lines import not_sent
from bot.mail.own_words import Section
from bot.store import games, mail, people
from bot.store.database import Connection
from bot.store.mail import Disposition
from bot.store.people import AddressRequest, NamedSeat, SeatName
from bot.table.table import Seat
from bot.wording import say
from rules.components import Faction, the_faction

TOO_MANY_MESSAGES = "more messages in an hour than Mentat answers"


@dataclass(frozen=True, slots=True)
class MailOutcome:
    """The outcome of a message. ``put_aside`` is true if the message belongs in the folder for mail that a person
    should check. ``aimed_at`` are the seats whose players it may impersonate."""

    disposition: Disposition
    reason: str
    game_id: str | None = None
    faction: Faction | None = None
    taken: int = 0
    put_aside: bool = False
    aimed_at: tuple[SeatName, ...] = ()

    @property
    def shunt(self) -> bool:
        return self.put_aside or self.disposition in ("rejected", "bounce", "fault")


@dataclass(frozen=True, slots=True)
class Part:
    """The lines in a mail that are for one seat. ``doubtful`` is true if the mail names two seats, and these lines
    could be for either. ``by_sitter`` is true if the seat's sitter wrote them."""

    game_id: str
    faction: Faction
    lines: tuple[str, ...]
    doubtful: bool = False
    by_sitter: bool = False


@dataclass(frozen=True, slots=True)
class KnownMail:
    """A mail from a known player. The first of its ``parts`` is for the seat to which it is addressed; the rest are for
    the player's other seats. ``notes`` are passed on to the player. ``aimed_at`` are other players' seats for which the
    mail contains lines or tokens."""

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()
    aimed_at: tuple[SeatName, ...] = ()

    @property
    def game_id(self) -> str:
        return self.parts[0].game_id

    @property
    def faction(self) -> Faction:
        return self.parts[0].faction


def person_token(settings: Settings, address: str) -> str:
    """Return the reply token for a letter to a person that is not about a particular game, such as a letter about a
    ban."""
    return reply_token(settings.key, "person", address.strip().lower())


def identify(
    conn: Connection, seen: Examined, unproved: str, answers_per_hour: int, now: datetime, *, believed: bool = False
) -> KnownMail | AddressRequest | MailOutcome:
    """Return a mail's parts by seat, the request for a further address that the mail confirms, or the reason for a
    refusal.

    ``unproved`` says why there is no proof that the sender is genuine; it is empty if there is proof or none is needed.
    ``believed`` means that the game master vouches that the player wrote the mail, whatever its address and proof.
    """
    if believed:
        return _believed(conn, seen, now)
    found, incoming = seen.verdict, seen.incoming
    places = {(place.game_id, place.faction): place for token in seen.tokens if (place := _place(conn, token, now))}
    if incoming is None or found.disposition == "rejected" or (found.disposition == "auto-reply" and not found.by_hand):
        return MailOutcome(found.disposition, found.reason, aimed_at=tuple(places))
    if not places:
        return _without_a_seat(conn, seen, incoming.sender, unproved, now)
    own = [place for place in places.values() if _is_of(conn, place, incoming.sender, now)]
    aimed_at = tuple(places)
    game_id, faction = aimed_at[0]
    if not own:
        why = f"the reply token of {the_faction(faction)} in {game_id}, but not that player's address"
        return MailOutcome("rejected", why, game_id, faction, aimed_at=aimed_at)
    if unproved:
        why = f"the address of {the_faction(faction)} in {game_id}, which is not proved: {unproved}"
        return MailOutcome("rejected", why, game_id, faction, aimed_at=aimed_at)
    if own[0].answered >= answers_per_hour:
        return MailOutcome("rejected", TOO_MANY_MESSAGES, own[0].game_id, own[0].faction)
    foreign = [name for name, place in places.items() if place not in own]
    return _parted(conn, own, foreign, seen.reading.sections, incoming.sender, now)


def _believed(conn: Connection, seen: Examined, now: datetime) -> KnownMail | MailOutcome:
    """Return the mail as one for the seat that the game master vouches for. This is the seat that the mail names or, if
    it names none, its sender's only seat.

    All lines are for that seat: the game master vouches for one player only, and lines for other players have no
    effect. A mail to an expired reply address names its seat only if the current player of that seat wrote it.
    Otherwise it names no seat: it may come from the seat's previous player, and is not meant for that person's other
    games.
    """
    incoming = seen.incoming
    if incoming is None:
        return MailOutcome("rejected", seen.verdict.reason)
    own = _for_which_to_vouch(conn, seen, incoming.sender, now)
    if not own and (ended := _ended(conn, seen)):
        game_id, faction = ended[0]
        why = f"an expired reply token of {the_faction(faction)} in {game_id}, and not that player's address"
        return MailOutcome("rejected", why, game_id, faction)
    if not own:
        return MailOutcome("rejected", "it names no seat, and its sender does not have exactly one")
    return _parted(conn, own[:1], [], seen.reading.sections, own[0].address, now)


def seat_to_believe(conn: Connection, seen: Examined, now: datetime) -> NamedSeat | None:
    found = _for_which_to_vouch(conn, seen, seen.incoming.sender, now) if seen.incoming else []
    return found[0] if found else None


def _for_which_to_vouch(conn: Connection, seen: Examined, sender: str, now: datetime) -> list[NamedSeat]:
    named = [place for token in seen.tokens if (place := _place(conn, token, now))]
    if named or not sender:
        return named
    if ended := _ended(conn, seen):
        places = [place for seat in ended if (place := people.seat_by_name(conn, *seat))]
        return [place for place in places if _is_of(conn, place, sender, now)]
    seats = people.seats_at_addresses(conn, people.known_as(conn, sender))
    return [place for seat in seats if (place := people.seat_by_name(conn, *seat))] if len(seats) == 1 else []


def _ended(conn: Connection, seen: Examined) -> list[SeatName]:
    return [seat for token in seen.tokens if (seat := people.seat_of_old_token(conn, token))]


def is_of_a_player(conn: Connection, seen: Examined, now: datetime) -> bool:
    """Return True if the mail names a seat of its sender, or a further address that the sender has asked to add."""
    sender = seen.incoming.sender if seen.incoming else ""
    asked = (people.address_request(conn, token, now) for token in seen.tokens if sender)
    return bool(seat_of_sender(conn, seen, now)) or any(each and each.address == sender for each in asked)


def seat_of_sender(conn: Connection, seen: Examined, now: datetime) -> SeatName | None:
    sender = seen.incoming.sender if seen.incoming else ""
    found = (_place(conn, token, now) for token in seen.tokens if sender)
    own = (place for place in found if place and _is_of(conn, place, sender, now))
    return next(((place.game_id, place.faction) for place in own), None)


def games_named(conn: Connection, seen: Examined, now: datetime) -> set[str | None]:
    """Return the games that a mail or its parts are meant for. The set contains None if the mail has an expired token
    or form."""
    tokens = {*seen.tokens, *(section.token for section in seen.reading.sections if section.token)}
    forms = {section.form for section in seen.reading.sections if section.form}
    places = [*(_place(conn, token, now) for token in tokens), *(_place_of_form(conn, code) for code in forms)]
    return {place.game_id if place else None for place in places}


def seat_named(conn: Connection, seen: Examined, now: datetime) -> SeatName | None:
    return next(seats_named(conn, seen, now), None)


def seats_named(conn: Connection, seen: Examined, now: datetime) -> Iterator[SeatName]:
    found = (_place(conn, token, now) for token in seen.tokens)
    return ((place.game_id, place.faction) for place in found if place)


def _without_a_seat(
    conn: Connection, seen: Examined, sender: str, unproved: str, now: datetime
) -> AddressRequest | MailOutcome:
    for token in seen.tokens:
        if (asked := people.address_request(conn, token, now)) and asked.address == sender:
            return MailOutcome("rejected", f"a further address that is not proved: {unproved}") if unproved else asked
        if seat := people.seat_of_old_token(conn, token):
            why = f"an expired reply token of {the_faction(seat[1])} in {seat[0]}"
            return MailOutcome("rejected", why, *seat, aimed_at=(seat,))
    why = "the reply token is not one of ours, or no longer valid"
    claimed = people.seats_at_addresses(conn, people.known_as(conn, sender))[:1] if sender else []
    return MailOutcome("rejected", why if seen.tokens else mail.OF_NOBODY, aimed_at=(*claimed,))


def _parted(
    conn: Connection,
    own: Sequence[NamedSeat],
    foreign: Sequence[SeatName],
    sections: Sequence[Section],
    sender: str,
    now: datetime,
) -> KnownMail:
    addressed, doubtful = (own[0].game_id, own[0].faction), len(own) > 1
    parts: dict[SeatName, list[str]] = {}
    unnamed: list[str] = []
    aimed_at, notes = list(foreign), []
    sat_in = {(place.game_id, place.faction) for place in own if _sits(conn, place, sender, now)}
    for section in sections:
        place = own[0]
        if section.token or section.form:
            named = _place_of_form(conn, section.form) if section.form else _place(conn, section.token, now)
            if named is None or not _is_of(conn, named, sender, now):
                aimed_at += [(named.game_id, named.faction)] if named else []
                notes += [not_sent(section.form)] if section.form else []
                continue
            place = named
            sat_in |= {(place.game_id, place.faction)} if _sits(conn, place, sender, now) else set()
        elif doubtful:
            unnamed += section.spaced
            continue
        lines = parts.setdefault((place.game_id, place.faction), [])
        lines += ["", *section.spaced] if lines else section.spaced
    found = [Part(*seat, tuple(lines), by_sitter=seat in sat_in) for seat, lines in parts.items()]
    if unnamed or not found:
        found.insert(0, Part(*addressed, tuple(unnamed), doubtful, by_sitter=addressed in sat_in))
    found.sort(key=lambda part: (part.game_id, part.faction) != addressed)
    return KnownMail(tuple(found), tuple(dict.fromkeys(notes)), tuple(dict.fromkeys(aimed_at)))


def _place(conn: Connection, token: str, now: datetime) -> NamedSeat | None:
    since = now - timedelta(hours=1)
    return people.seat_by_token(conn, token, since) or people.seat_by_sitter_token(conn, token, since)


def _place_of_form(conn: Connection, code: str) -> NamedSeat | None:
    form = mail.form(conn, code)
    return people.seat_by_name(conn, form.game_id, form.faction) if form else None


def _is_of(conn: Connection, place: NamedSeat, sender: str, now: datetime) -> bool:
    return (not place.of_sitter and _has(conn, place.address, sender)) or _sits(conn, place, sender, now)


def _sits(conn: Connection, place: NamedSeat, sender: str, now: datetime) -> bool:
    if not place.sitter or place.sitter_until is None or place.sitter_until <= now:
        return False
    return _has(conn, place.sitter, sender) and not _has(conn, place.address, sender)


def _has(conn: Connection, address: str, sender: str) -> bool:
    return address == sender or sender in people.known_as(conn, address)


def identifiers(conn: Connection, settings: Settings, address: str, *, tags_apart: bool = False) -> frozenset[str]:
    """Return the keys that identify a person; different people share no key. With ``tags_apart``, or if the settings
    say so, addresses that differ only in their plus tags count as different people."""
    return people.identifiers(conn, address, tags_apart=tags_apart or settings.identity.tags_apart)


def are_one_person(conn: Connection, settings: Settings, one: str, other: str, *, tags_apart: bool = False) -> bool:
    mine = identifiers(conn, settings, one, tags_apart=tags_apart)
    return not mine.isdisjoint(identifiers(conn, settings, other, tags_apart=tags_apart))


def seat_held_by(
    conn: Connection, settings: Settings, seats: Iterable[Seat], address: str, *, tags_apart: bool = False
) -> Seat | None:
    """Return the seat, of those given, that the person with this address holds, or None. A person who holds a seat in a
    game must not hold another seat in it or be a sitter there."""
    mine = identifiers(conn, settings, address, tags_apart=tags_apart)
    for seat in seats:
        if not mine.isdisjoint(identifiers(conn, settings, seat.address, tags_apart=tags_apart)):
            return seat
    return None


def seat_of_sitter(conn: Connection, settings: Settings, seats: Iterable[Seat], address: str) -> Seat | None:
    taken = [seat for seat in seats if seat.sitter]
    mine = identifiers(conn, settings, address) if taken else frozenset[str]()
    return next((seat for seat in taken if not mine.isdisjoint(identifiers(conn, settings, seat.sitter))), None)


WARNED_AGAIN_AFTER = timedelta(days=1)


def warn_owners(session: Session, aimed_at: Iterable[SeatName]) -> None:
    for game_id, faction in dict.fromkeys(aimed_at):
        table = session.games.table(session.conn, game_id)
        seat = table.seats[faction]
        told_lately = seat.warned_at is not None and seat.warned_at > session.now - WARNED_AGAIN_AFTER
        if table.play.over or told_lately:
            continue
        seat.warned_at = session.now
        told = [say("suspicion.notice"), say("suspicion.yours"), say("suspicion.not-yours")]
        session.writer.notify(table, faction, say("suspicion.subject"), told)
        games.close(session.conn, table)
