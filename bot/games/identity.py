"""Who wrote a mail, and may they? Whether two addresses belong to one person.

A seat is known by its reply token *and* an address of its player, and where the settings ask for it by a proof that the
mail comes from there. A sender who fails one of them gets no answer, for any answer helps a forger. The game master
hears what was wrong (``bot.games.notices``), a few times for each sender. The owner of the seat at which the mail aims
is warned at the address of their letters, at most once a day, in words that never depend on what was wrong.

One mail may hold lines for several seats of its writer: those below another reply token, and those of a form that was
sent to another seat. Lines for somebody else's seat count as absent, and the answer does not depend on whether there is
such a seat.

Two addresses are one person's if both are confirmed as theirs or lead into one mailbox.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.config import Settings
from bot.games.open_games import OpenGames
from bot.mail.disposition import Examined
from bot.mail.lines import not_sent
from bot.mail.own_words import Section
from bot.store import games, mail, people
from bot.store.database import Connection
from bot.store.mail import Disposition
from bot.store.people import AddressRequest, NamedSeat, SeatName
from bot.table.seat import Seat
from bot.wording import say
from rules.components import Faction, faction_name

TOO_MANY_MESSAGES = "more messages in an hour than are answered"


@dataclass(frozen=True, slots=True)
class MailOutcome:
    """What became of a message. ``put_aside``: it belongs into the folder for mail that somebody should look at.
    ``aimed_at`` are the seats that it may have been forged for."""

    disposition: Disposition
    reason: str
    game_id: str | None = None
    faction: Faction | None = None
    taken: int = 0
    put_aside: bool = False
    aimed_at: tuple[SeatName, ...] = ()

    @property
    def shunt(self) -> bool:
        """Whether the mail is put aside instead of among the processed."""
        return self.put_aside or self.disposition in ("rejected", "bounce", "fault")


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of a mail that are for one seat. ``doubtful``: the mail is for two, and these lines for either.
    ``by_sitter``: whoever sits in for its player wrote them."""

    game_id: str
    faction: Faction
    lines: tuple[str, ...]
    doubtful: bool = False
    by_sitter: bool = False


@dataclass(frozen=True, slots=True)
class KnownMail:
    """A mail of a player: the part for the seat that it is addressed to, then those for other seats of theirs.
    ``notes`` are for them; ``aimed_at`` are seats of others for which it holds lines or tokens."""

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()
    aimed_at: tuple[SeatName, ...] = ()

    @property
    def game_id(self) -> str:
        return self.parts[0].game_id

    @property
    def faction(self) -> Faction:
        return self.parts[0].faction


def identify(
    conn: Connection, seen: Examined, unproved: str, answers_per_hour: int, now: datetime, *, believed: bool = False
) -> KnownMail | AddressRequest | MailOutcome:
    """The seats whose lines are to be answered, the further address that is confirmed, or why it is neither.

    ``unproved`` is why the sender is not proved, empty if they are or need not be. ``believed``: the game master
    vouches that the player of the seat has written it, whatever the address or its proof.
    """
    if believed:
        return _believed(conn, seen, now)
    found, incoming = seen.verdict, seen.incoming
    places = {(place.game_id, place.faction): place for token in seen.tokens if (place := _place(conn, token, now))}
    if found.disposition in ("rejected", "auto-reply") or incoming is None:
        return MailOutcome(found.disposition, found.reason, aimed_at=tuple(places))
    if not places:
        return _without_a_seat(conn, seen, incoming.sender, unproved, now)
    own = [place for place in places.values() if _is_of(conn, place, incoming.sender, now)]
    aimed_at = tuple(places)
    game_id, faction = aimed_at[0]
    if not own:
        why = f"the reply token of {faction_name(faction)} in {game_id}, but not that player's address"
        return MailOutcome("rejected", why, game_id, faction, aimed_at=aimed_at)
    if unproved:
        why = f"the address of {faction_name(faction)} in {game_id}, which is not proved: {unproved}"
        return MailOutcome("rejected", why, game_id, faction, aimed_at=aimed_at)
    if own[0].answered >= answers_per_hour:
        return MailOutcome("rejected", TOO_MANY_MESSAGES, own[0].game_id, own[0].faction)
    foreign = [name for name, place in places.items() if place not in own]
    return _parted(conn, own, foreign, seen.reading.sections, incoming.sender, now)


def _believed(conn: Connection, seen: Examined, now: datetime) -> KnownMail | MailOutcome:
    """The seat that a mail names, or else the only one of its sender, for which the game master vouches. All its lines
    are for that seat: the word of the game master is about one player, and lines for others stay without effect. A mail
    to a reply address that has ended names its seat if the player of that seat wrote it, and else none: it may be from
    whoever played there before, and is not for another game of theirs."""
    incoming = seen.incoming
    if incoming is None:
        return MailOutcome("rejected", seen.verdict.reason)
    own = _for_which_to_vouch(conn, seen, incoming.sender, now)
    if not own and (ended := _ended(conn, seen)):
        game_id, faction = ended[0]
        why = f"a reply token of {faction_name(faction)} in {game_id} that has ended, and not that player's address"
        return MailOutcome("rejected", why, game_id, faction)
    if not own:
        return MailOutcome("rejected", "it names no seat, and its sender has not just one")
    return _parted(conn, own[:1], [], seen.reading.sections, own[0].address, now)


def can_be_believed(conn: Connection, seen: Examined, now: datetime) -> bool:
    """Whether the game master can vouch for a mail that was put aside: it is a mail, and it is clear for which seat."""
    incoming = seen.incoming
    return incoming is not None and bool(_for_which_to_vouch(conn, seen, incoming.sender, now))


def _for_which_to_vouch(conn: Connection, seen: Examined, sender: str, now: datetime) -> list[NamedSeat]:
    """The seats that a mail names, or those of its sender whose reply address of before it has; or else the only one of
    its sender."""
    named = [place for token in seen.tokens if (place := _place(conn, token, now))]
    if named or not sender:
        return named
    if ended := _ended(conn, seen):
        places = [place for seat in ended if (place := people.seat_by_name(conn, *seat))]
        return [place for place in places if _is_of(conn, place, sender, now)]
    seats = people.seats_at_addresses(conn, people.known_as(conn, sender))
    return [place for seat in seats if (place := people.seat_by_name(conn, *seat))] if len(seats) == 1 else []


def _ended(conn: Connection, seen: Examined) -> list[SeatName]:
    """The seats that a mail names by a reply token that has ended."""
    return [seat for token in seen.tokens if (seat := people.seat_of_old_token(conn, token))]


def is_of_a_player(conn: Connection, seen: Examined, now: datetime) -> bool:
    """Whether a mail names a seat (or a further address that is to be confirmed) and its sender has it."""
    sender = seen.incoming.sender if seen.incoming else ""
    for token in seen.tokens if sender else ():
        if (place := _place(conn, token, now)) and _is_of(conn, place, sender, now):
            return True
        if (asked := people.address_request(conn, token, now)) and asked.address == sender:
            return True
    return False


def games_named(conn: Connection, seen: Examined, now: datetime) -> set[str | None]:
    """The games for which a mail or parts of it are; None among them for a token or form that is no seat's now."""
    tokens = {*seen.tokens, *(section.token for section in seen.reading.sections if section.token)}
    forms = {section.form for section in seen.reading.sections if section.form}
    places = [*(_place(conn, token, now) for token in tokens), *(_place_of_form(conn, code) for code in forms)]
    return {place.game_id if place else None for place in places}


def seat_named(conn: Connection, seen: Examined, now: datetime) -> SeatName | None:
    """The seat to which a mail is addressed; None if it names none."""
    found = (_place(conn, token, now) for token in seen.tokens)
    return next(((place.game_id, place.faction) for place in found if place), None)


def _without_a_seat(
    conn: Connection, seen: Examined, sender: str, unproved: str, now: datetime
) -> AddressRequest | MailOutcome:  # fmt: skip
    """A mail that names no seat: the answer to a one-time code, a token that has ended, or a stranger's."""
    for token in seen.tokens:
        if (asked := people.address_request(conn, token, now)) and asked.address == sender:
            return MailOutcome("rejected", f"a further address that is not proved: {unproved}") if unproved else asked
        if seat := people.seat_of_old_token(conn, token):
            why = f"a reply token of {faction_name(seat[1])} in {seat[0]} that has ended"
            return MailOutcome("rejected", why, *seat, aimed_at=(seat,))
    why = "the reply token is not one of ours, or no longer valid"
    claimed = people.seats_at_addresses(conn, people.known_as(conn, sender))[:1] if sender else []
    return MailOutcome("rejected", why if seen.tokens else mail.OF_NOBODY, aimed_at=(*claimed,))


def _parted(
    conn: Connection, own: Sequence[NamedSeat], foreign: Sequence[SeatName], sections: Sequence[Section], sender: str,
    now: datetime,
) -> KnownMail:  # fmt: skip
    """The lines of each seat. Those that name none are for the seat to which the mail is addressed."""
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
            unnamed += section.lines
            continue
        parts.setdefault((place.game_id, place.faction), []).extend(section.lines)
    found = [Part(*seat, tuple(lines), by_sitter=seat in sat_in) for seat, lines in parts.items()]
    if unnamed or not found:
        found.insert(0, Part(*addressed, tuple(unnamed), doubtful, by_sitter=addressed in sat_in))
    found.sort(key=lambda part: (part.game_id, part.faction) != addressed)
    return KnownMail(tuple(found), tuple(dict.fromkeys(notes)), tuple(dict.fromkeys(aimed_at)))


def _place(conn: Connection, token: str, now: datetime) -> NamedSeat | None:
    since = now - timedelta(hours=1)
    return people.seat_by_token(conn, token, since) or people.seat_by_sitter_token(conn, token, since)


def _place_of_form(conn: Connection, code: str) -> NamedSeat | None:
    """The seat to which a form was sent."""
    form = mail.form(conn, code)
    return people.seat_by_name(conn, form.game_id, form.faction) if form else None


def _is_of(conn: Connection, place: NamedSeat, sender: str, now: datetime) -> bool:
    """Whether a seat is played by whoever has this address, or they sit in there now. The token of a sitter is nobody
    else's."""
    return (not place.of_sitter and _has(conn, place.address, sender)) or _sits(conn, place, sender, now)


def _sits(conn: Connection, place: NamedSeat, sender: str, now: datetime) -> bool:
    """Whether whoever has this address sits in at a seat now, and does not play it."""
    if not place.sitter or place.sitter_until is None or place.sitter_until <= now:
        return False
    return _has(conn, place.sitter, sender) and not _has(conn, place.address, sender)


def _has(conn: Connection, address: str, sender: str) -> bool:
    """Whether both are addresses of one person."""
    return address == sender or sender in people.known_as(conn, address)


def identifiers(conn: Connection, settings: Settings, address: str, *, tags_apart: bool = False) -> frozenset[str]:
    """What a person is known by; two persons have none of these in common. ``tags_apart``: addresses of one mailbox are
    several persons here, as they are everywhere where the settings say so."""
    return people.identifiers(conn, address, tags_apart=tags_apart or settings.identity.tags_apart)


def are_one_person(conn: Connection, settings: Settings, one: str, other: str, *, tags_apart: bool = False) -> bool:
    """Whether whoever has the one address has the other."""
    mine = identifiers(conn, settings, one, tags_apart=tags_apart)
    return not mine.isdisjoint(identifiers(conn, settings, other, tags_apart=tags_apart))


def seat_held_by(
    conn: Connection, settings: Settings, seats: Iterable[Seat], address: str, *, tags_apart: bool = False
) -> Seat | None:  # fmt: skip
    """Which of these seats the person with this address holds; None if none. Who holds one gets no other of the game,
    and sits for nobody else in it."""
    mine = identifiers(conn, settings, address, tags_apart=tags_apart)
    for seat in seats:
        if not mine.isdisjoint(identifiers(conn, settings, seat.address, tags_apart=tags_apart)):
            return seat
    return None


def seat_of_sitter(conn: Connection, settings: Settings, seats: Iterable[Seat], address: str) -> Seat | None:
    """For which of these seats the person with this address sits in; None if for none."""
    taken = [seat for seat in seats if seat.sitter]
    mine = identifiers(conn, settings, address) if taken else frozenset[str]()
    return next((seat for seat in taken if not mine.isdisjoint(identifiers(conn, settings, seat.sitter))), None)


WARNED_AGAIN_AFTER = timedelta(days=1)


def warn_owners(conn: Connection, open_games: OpenGames, aimed_at: Iterable[SeatName], now: datetime) -> None:
    """Tell the owners of these seats that a mail was put aside which may not be theirs."""
    for game_id, faction in dict.fromkeys(aimed_at):
        table = open_games.table(conn, game_id)
        seat = table.seats[faction]
        told_lately = seat.warned_at is not None and seat.warned_at > now - WARNED_AGAIN_AFTER
        if table.play.over or told_lately:
            continue
        seat.warned_at = now
        told = [say("suspicion.notice"), say("suspicion.yours"), say("suspicion.not-yours")]
        open_games.writer.notify(conn, table, faction, now, say("suspicion.subject"), told)
        games.close(conn, table)


def report_lines_for_others(
    conn: Connection, open_games: OpenGames, game_id: str, faction: Faction, aimed_at: Iterable[SeatName], key: str,
    now: datetime
) -> None:  # fmt: skip
    """A known player has written lines for seats of others: they were not read, and those who should know are told."""
    for other_game, other in dict.fromkeys(aimed_at):
        seat = f"{faction_name(other)} in {other_game}"
        told = say("suspicion.game-master", game=game_id, faction=faction, seat=seat)
        subject = say("suspicion.game-master-subject", game=game_id)
        open_games.writer.tell_game_master(conn, now, subject, [told], f"{key}.{other_game}.{other}")
    warn_owners(conn, open_games, aimed_at, now)
