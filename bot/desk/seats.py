"""One seat: its reminder, its time bank, the caretaker, a new player, a sitter, or a new address.

The other players learn only what they would see anyway: that the caretaker has begun or stopped playing. Nobody is told
why.

A substitute takes over a seat in the middle of a game, with everything that the seat knows and nothing else. The reply
token is replaced, so mail to the old reply address no longer reaches any seat. The previous player's preparations are
withdrawn: held orders, the sheet, absences, and press that was waiting to be confirmed. The seat's promises remain.

A sitter plays in a player's place for some days (``bot.games.seat_addresses``). Only the player is told who the sitter
is; the others are told that there is one only if the settings say so.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from bot.config import Settings
from bot.config.time_zones import zone_named
from bot.desk.new_game import clean_name
from bot.desk.powers import DeskRequest, PowerInUse, PowerRefused, Use, require_no_other_table, right_at, using, within
from bot.desk.rights import checked_address
from bot.desk.sight import has_read_hidden, require_no_other_seat
from bot.games import identity, requests, seat_addresses
from bot.games.identity import seat_held_by, seat_of_sitter
from bot.games.notices import announce, own_words, same_words
from bot.games.open_games import OpenGames, Session
from bot.games.seat_addresses import end_sitting, renew_reply_address, sit_down
from bot.games.silent_players import let_caretaker_play, send_again, voted_how
from bot.language.commands import Absent
from bot.render.letters import archive_paragraphs
from bot.render.material import CommandAnswer
from bot.store import deadlines, games, memory, people, press, record
from bot.store.acts import DeskAct
from bot.store.database import Connection
from bot.store.people import known_as
from bot.store.people import seats_of_sitter as seats_of_sitters
from bot.store.tournament_rounds import tournament_of
from bot.table.calendar import instant_at
from bot.table.deadlines import mark_reachable, zone_of_days
from bot.table.lines import withdraw_lines
from bot.table.press import names_hidden, note_said, said_at, settings_of
from bot.table.rounds import go_on, is_duty, takes_no_time
from bot.table.table import Seat, Table, TableBefore, place_of
from bot.wording import deadline, say
from bot.wording.filters import span
from rules import views
from rules.components import Faction, faction_name, the_faction
from rules.components.chance import commitment

HOUR = timedelta(hours=1)
MOST_BANK = timedelta(days=60)


def remind_seat(request: DeskRequest, faction: Faction) -> None:
    """Send a seat its reminder now, unless it has nothing to do.

    The caller is not told whether a letter was sent, not even in a dry run, because that would show whether there is a
    sealed answer. Raise PowerRefused if nobody plays that faction.
    """
    with using(request, "remind") as used:
        table = used.table
        require_seat(table, faction)
        used.words = faction
        owes = (q.faction == faction and not takes_no_time(table, q) and not q.blanket for q in table.play.questions())
        if any(owes) and not request.use.dry_run:
            used.session.writer.remind([(table, faction)])


def remind_all(request: DeskRequest) -> None:
    with within(request.games) as conn:
        table = request.games.table(conn, request.game)
    for faction in table.seats:
        remind_seat(request, faction)


def change_bank(request: DeskRequest, faction: Faction, hours: float) -> int:
    """Add hours to a seat's time bank, or subtract them, and return how many minutes it then holds. A bank never falls
    below zero. Raise PowerRefused if nobody plays that faction, or if the bank would hold more than sixty days."""
    with using(request, "bank") as used:
        seat = require_seat(used.table, faction)
        if not abs(hours) <= MOST_BANK / HOUR:  # also rejects NaN
            raise PowerRefused(f"A time bank holds at most {MOST_BANK.days} days.")
        minutes = max(0, seat.bank + round(hours * 60))
        if timedelta(minutes=minutes) > MOST_BANK:
            raise PowerRefused(f"A time bank holds at most {MOST_BANK.days} days.")
        used.words, seat.bank = f"{faction} {hours:+g} h: {span(minutes)}", minutes
        used.table.touched.add(faction)
        told = say("desk.bank", minutes=minutes)
        _write(used, faction, say("desk.bank-subject"), told)
        return minutes


def excuse_seat(request: DeskRequest, faction: Faction) -> None:
    with using(request, "excuse") as used:
        seat = require_seat(used.table, faction)
        used.words, seat.missed = faction, 0
        used.table.touched.add(faction)
        _write(used, faction, say("desk.excused-subject"), say("desk.excused"))


MOST_ABSENT = 366  # days


def file_absence(request: DeskRequest, faction: Faction, until: datetime, first: date | None = None) -> CommandAnswer:
    """Announce that a player will be away. Players can do this themselves, but only within their days of absence. The
    player's public duties will wait."""
    with using(request, "absent") as used:
        require_player(used.table, faction)
        zone = zone_of_days(used.table, faction, request.games.clock(used.table))
        asked = Absent(first or request.now.astimezone(zone).date(), last_day(request.games.settings, until))
        for other in used.table.absences.get(faction, ()):
            if asked.first <= other.last and other.first <= asked.last:
                raise PowerRefused(say("desk.is-absent", faction=faction, first=other.first, last=other.last))
        budget = used.table.seats[faction].away + MOST_ABSENT
        used.words = f"{faction} {asked.first} to {asked.last}"
        return _absence_told(used, faction, requests.file_absence(used.session, used.table, faction, asked, budget))


def withdraw_absence(request: DeskRequest, faction: Faction) -> CommandAnswer:
    with using(request, "absent") as used:
        require_player(used.table, faction)
        used.words = f"{faction} off"
        if faction not in used.table.absences:
            raise PowerRefused(say("desk.not-absent", faction=faction))
        return _absence_told(used, faction, requests.withdraw_absence(used.session, used.table, faction))


def _absence_told(used: PowerInUse, faction: Faction, answer: CommandAnswer) -> CommandAnswer:
    if answer.status == "refused":
        raise PowerRefused(answer.text)
    _write(used, faction, say("absence.by-desk-subject"), say("absence.by-desk", told=answer.text))
    return answer


def set_caretaker(request: DeskRequest, faction: Faction, on: bool) -> None:
    with using(request, "caretaker") as used:
        table = used.table
        seat = require_player(table, faction)
        if seat.care == on:
            raise PowerRefused(f"The caretaker is already {'on' if on else 'off'} for {the_faction(faction)}.")
        used.words, seat.care, seat.missed, seat.opponent = f"{faction} {'on' if on else 'off'}", on, 0, ""
        note_said(table, said_at(table).with_vote(faction, None))
        table.touched.add(faction)
        if on:
            let_caretaker_play(used.conn, table, faction, used.session.settings.silence.temperament)
        before = TableBefore.of(table)
        subject = say("caretaker.subject" if on else "caretaker.back-subject", faction=faction)
        told = say("desk.caretaker" if on else "desk.no-caretaker", faction=faction, how=seat.opponent)
        used.session.writer.announce(table, subject, [told, *own_words(request.use.tell)])
        if not used.may_foresee:
            return
        go_on(table, request.now)
        used.session.save(table)
        used.session.writer.answer(table, before)


def require_seat(table: Table, faction: Faction) -> Seat:
    try:
        return table.seats[faction]
    except KeyError:
        played = ", ".join(table.seats)
        raise PowerRefused(f"Nobody plays {the_faction(faction)} in {table.id}; the factions are {played}.") from None


def require_player(table: Table, faction: Faction) -> Seat:
    seat = require_seat(table, faction)
    if not seat.has_player:
        whose = faction_name(faction)
        raise PowerRefused(f"Mentat plays {whose} for good; `mentat game replace` gives the seat to a person.")
    return seat


def _write(used: PowerInUse, faction: Faction, subject: str, told: str) -> None:
    paragraphs = [told, *own_words(used.use.tell)]
    used.session.writer.notify(used.table, faction, subject, paragraphs)


class SeatRefused(PowerRefused):
    """Raised if this person cannot take this seat. The message says why, and what would make it possible."""


def replace_player(
    request: DeskRequest, faction: Faction, address: str, name: str = "", *, tags_apart: bool = False
) -> Seat:
    """Give a seat to another person, brief them, and tell everybody.

    With ``tags_apart``, which is meant for trials, a different address of a mailbox that already has a seat is allowed.
    Raise SeatRefused if the person cannot take the seat, and UnknownGame if there is no game with this id.
    """
    with using(request, "replace") as used:
        address = checked_address(request.games, address)
        require_no_other_table(used.conn, used.table, address)
        require_can_take_seat(used.session, used.table, faction, address, tags_apart=tags_apart)
        used.words = seat_change_words(used.table, faction, address)
        return _give_seat(used.session, used.table, faction, address, name)


def take_seat(session: Session, table: Table, faction: Faction, address: str, name: str = "") -> Seat:
    require_can_take_seat(session, table, faction, address.strip().lower())
    record.record_act(
        session.conn, table, DeskAct(session.now, "replace", words=seat_change_words(table, faction, address))
    )
    return _give_seat(session, table, faction, address, name)


def seat_change_words(table: Table, faction: Faction, address: str) -> str:
    return f"{faction}: {table.seats[faction].address} by {address.strip().lower()}"


def _give_seat(session: Session, table: Table, faction: Faction, address: str, name: str) -> Seat:
    address = address.strip().lower()
    seat = table.seats[faction]
    subject, told = say("substitute.left-subject"), say("substitute.left", faction=faction)
    session.writer.farewell(table, faction, subject, [told])
    _withdraw_prepared(session.conn, table, faction)
    renew_reply_address(session.conn, session.settings, table, faction)
    seat.address, seat.name = people.address_in_use(session.conn, address), clean_name(session.settings, name)
    seat.name = seat.name or address.partition("@")[0]
    seat.timezone, seat.waking, seat.pictures = session.settings.mentat.timezone.key, "", ""
    seat.letters_mode, seat.digest_due = "all", None
    seat.conversation, seat.receipts, seat.taken, seat.receipt_due = "", False, (), None
    seat.extended = seat.away = seat.missed = 0
    voted = voted_how(table, faction)
    seat.care, seat.opponent = False, ""
    mark_reachable(table, faction)
    seat.waited = seat.fruitless = 0
    seat.last_message_id, seat.warned_at = "", None
    seat.asked_by_desk = seat.warned = ""
    table.touched.add(faction)
    people.give_pseudonym_to_seat(session.conn, table.id, faction, seat.address)
    note_said(table, said_at(table).with_new_player(faction))
    clock = session.games.clock(table)
    session.save(table)
    for question in table.play.asked():
        if question.faction == faction and is_duty(table, question):
            place = place_of(table.play, question)
            deadlines.postpone(session.conn, table, [place], clock.due_again(question, session.now))
    free = press.unmute(session.conn, table.id, faction)
    named = "" if names_hidden(table) else seat.name
    notice = say("substitute.notice", faction=faction, player=named, free=free)
    announce(session, table, say("substitute.subject"), same_words(notice), (faction,))
    _brief_substitute(session, table, faction, voted)
    return seat


def require_can_take_seat(
    session: Session, table: Table, faction: Faction, address: str, *, tags_apart: bool = False
) -> None:
    conn, settings = session.conn, session.settings
    if table.play.over:
        raise SeatRefused(say("substitute.over", game=table.id))
    if faction not in table.seats:
        named = ", ".join(table.seats)
        raise SeatRefused(f"Nobody plays {the_faction(faction)} in {table.id}; the factions are {named}.")
    seat = seat_held_by(conn, settings, table.seats.values(), address, tags_apart=tags_apart)
    if seat is not None and seat.faction == faction:
        raise SeatRefused(say("substitute.same", address=address, faction=faction))
    if seat is not None:
        raise SeatRefused(say("substitute.elsewhere", address=address, other=seat.faction))
    sat_in_for = seat_of_sitter(conn, settings, table.seats.values(), address)
    if sat_in_for is not None and sat_in_for.faction != faction:
        raise SeatRefused(say("substitute.sits-in", address=address, other=sat_in_for.faction))
    require_no_other_seat(session, table, faction, address, tags_apart=tags_apart)
    if has_read_hidden(session, table, address):
        raise SeatRefused(f"{address} has read secrets of {table.id}, and cannot take a seat in it.")
    if people.standing_ban(
        conn, address, table.now, tournament_of(conn, table.id), tags_apart=settings.identity.tags_apart
    ):
        raise SeatRefused(say("desk.not-allowed", addresses=[address]))


def _withdraw_prepared(conn: Connection, table: Table, faction: Faction) -> None:
    table.play.withdraw(faction)
    withdraw_lines(table, faction)
    press.withdraw_press(conn, table.id, faction)
    games.drop_held_lines(conn, table.id, [faction])
    memory.forget(conn, table.seats[faction].tokens)
    deadlines.remove_absences(conn, table, faction, list(table.absences.get(faction, ())))
    deadlines.drop_overruns(conn, table, [place for place in table.overruns if place[1][0] == faction])


def _brief_substitute(session: Session, table: Table, faction: Faction, voted: str) -> None:
    view = views.view(table.play, faction)
    turn = table.play.state.turn
    opening = say("substitute.opening", faction=faction, ruleset=table.ruleset, options=table.own_options)
    paragraphs = [opening, say("setup.how")]
    for deal in view["deals"]:
        if faction in deal["parties"]:
            others = [faction_name(other) for other in deal["parties"] if other != faction]
            paragraphs.append(say("substitute.deal", others=others, **deal))
    if view["truths"]:
        paragraphs.append(say("substitute.truths", truths=view["truths"]))
    if voted:
        paragraphs.append(say("caretaker-vote.until-now", how=voted))
    paragraphs.append(say("substitute.history"))
    paragraphs.append(say("setup.commitment", commitment=commitment(table.seed)))
    archived = settings_of(table).archived
    paragraphs += archive_paragraphs(table.policy, people.pseudonym_at(session.conn, table.id, faction), press=archived)
    happened = [event for number in (turn - 1, turn) for event in games.events_of_turn(session.conn, table.id, number)]
    subject = say("substitute.subject-briefing", game=table.id, faction=faction)
    session.writer.brief(table, faction, happened, subject, paragraphs)


SITTING_LIMIT = timedelta(days=60)


def end_of_day(settings: Settings, day: str) -> datetime:
    """Return the end of a day, written like "2027-01-31", in Mentat's time zone. Raise PowerRefused if the text is not
    a date."""
    try:
        return instant_at(day_named(day) + timedelta(days=1), time(0), settings.mentat.timezone)
    except OverflowError:
        raise PowerRefused(f"{day!r} is too far away.") from None


def day_named(day: str) -> date:
    try:
        return date.fromisoformat(day)
    except ValueError:
        raise PowerRefused(f"{day!r} is not a date; write it like 2027-01-31.") from None


def last_day(settings: Settings, until: datetime) -> date:
    return (until.astimezone(settings.mentat.timezone) - timedelta(seconds=1)).date()


def set_sitter(request: DeskRequest, faction: Faction, address: str, until: datetime, name: str = "") -> Seat:
    """Let a sitter play in a player's place until a given time, instead of any earlier sitter.

    The sitter gets copies of all letters and may give orders; so may the player, who can also end the sitting. Raise
    PowerRefused if that person plays in the game, sits in for another seat, has a right at the game, observes it or is
    banned. Also raise it if the time is past or more than sixty days ahead. Raise UnknownGame if there is no such game.
    """
    with using(request, "sitter") as used:
        table, address = used.table, checked_address(request.games, address)
        seat = require_player(table, faction)
        _require_can_sit_in(used.session, table, seat, address)
        if until <= request.now:
            raise PowerRefused(f"{until:%Y-%m-%d %H:%M}Z is past; a sitting must end in the future.")
        if until - request.now > SITTING_LIMIT:
            raise PowerRefused(
                f"A sitter sits in for at most {SITTING_LIMIT.days} days; for longer, give the seat to somebody else: "
                f"`mentat game replace {table.id} {faction} ADDRESS`."
            )
        end_sitting(used.session, table, faction)
        called = clean_name(request.games.settings, name) or address.partition("@")[0]
        sit_down(request.games.settings, table, faction, address, called, until)
        used.words = f"{faction} until {until:%Y-%m-%d %H:%M}Z"
        _tell_of_sitting(used.session, table, seat, until, request.use)
        return seat


def remove_sitter(request: DeskRequest, faction: Faction) -> None:
    with using(request, "sitter") as used:
        if not require_seat(used.table, faction).sitter:
            raise PowerRefused(f"Nobody sits in for {the_faction(faction)} in {request.game}.")
        used.words = f"{faction} off"
        _end_sitting(used.session, used.table, faction, own_words(request.use.tell))


def end_sittings_of(session: Session, address: str, tournament_id: str) -> None:
    for game_id, faction in seats_of_sitters(session.conn, known_as(session.conn, address)):
        if tournament_id in ("", tournament_of(session.conn, game_id)):
            table = session.games.table(session.conn, game_id)
            _end_sitting(session, table, faction, [])
            games.close(session.conn, table)


def end_sitting_if_over(open_games: OpenGames, game_id: str, faction: Faction, now: datetime) -> None:
    with open_games.transaction(game_id) as (conn, table):
        seat = table.seats[faction]
        if seat.sitter and not seat.sat_in_for(now):
            _end_sitting(Session(conn, open_games, now), table, faction, [])


def _end_sitting(session: Session, table: Table, faction: Faction, words: list[str]) -> None:
    end_sitting(session, table, faction)
    paragraphs = [say("sitter.over"), *words]
    session.writer.notify(table, faction, say("sitter.over-subject"), paragraphs)


def _tell_of_sitting(session: Session, table: Table, seat: Seat, until: datetime, use: Use) -> None:
    faction, turn = seat.faction, table.play.state.turn
    declared = session.settings.identity.declare_sitters and not names_hidden(table)
    happened = [event for number in (turn - 1, turn) for event in games.events_of_turn(session.conn, table.id, number)]
    zone = session.settings.mentat.timezone
    player = "" if names_hidden(table) else seat.name
    opening = say(
        "sitter.opening", game=table.id, faction=faction, player=player, by=deadline(until, session.now, zone)
    )
    subject = say("sitter.subject-briefing", faction=faction)
    paragraphs = [opening, say("sitter.how"), say("setup.how")]
    session.writer.brief_sitter(table, faction, happened, subject, paragraphs)

    def told(reader: Seat) -> str:
        when = deadline(until, session.now, zone_named(reader.timezone))
        if reader.faction == faction:
            return say("sitter.to-player", name=seat.sitter_name, address=seat.sitter, by=when)
        return say("sitter.notice", faction=faction, by=when)

    for reader in table.seats.values() if declared else (seat,):
        paragraphs = [told(reader), *own_words(use.tell)]
        subject, copied = say("sitter.subject"), reader.faction != faction
        session.writer.notify(table, reader.faction, subject, paragraphs, copied=copied)


def _require_can_sit_in(session: Session, table: Table, seat: Seat, address: str) -> None:
    settings, seats = session.settings, table.seats.values()
    if played := identity.seat_held_by(session.conn, settings, seats, address):
        raise PowerRefused(
            f"{address} plays {the_faction(played.faction)} in {table.id}; nobody may know the secrets of two seats."
        )
    require_no_other_seat(session, table, seat.faction, address)
    require_no_other_table(session.conn, table, address)
    if identity.seat_of_sitter(session.conn, settings, seats, address) is None and right_at(
        session.conn, session.games, table, address
    ):
        raise PowerRefused(f"{address} has rights at the desk of {table.id}, and cannot sit in there.")
    watching = (observer.address for observer in press.observers_of_game(session.conn, table.id))
    if any(identity.are_one_person(session.conn, settings, address, watcher) for watcher in watching):
        raise PowerRefused(f"{address} observes {table.id}; first use `mentat game unobserve {table.id} {address}`.")
    if has_read_hidden(session, table, address):
        raise PowerRefused(f"{address} has read secrets of {table.id}, and cannot sit in for anybody there.")
    if people.standing_ban(
        session.conn,
        address,
        session.now,
        tournament_of(session.conn, table.id),
        tags_apart=session.settings.identity.tags_apart,
    ):
        raise PowerRefused(say("desk.not-allowed", addresses=[address]))


def move_seat(request: DeskRequest, faction: Faction, address: str) -> None:
    """Change a player's address in one game. The old address loses the seat.

    The player gets a new reply address, and letters about everything still open are resent. Raise AddressRefused if the
    address cannot be used, PowerRefused if nobody plays the faction, and UnknownGame if there is no game with this id.
    """
    with using(request, "address") as used:
        require_player(used.table, faction)
        address = checked_address(request.games, address)
        if has_read_hidden(used.session, used.table, address):
            raise PowerRefused(f"{address} has read secrets of {request.game}, and cannot take a seat in it.")
        old = seat_addresses.move_seat(used.session, used.table, faction, address)
        require_no_other_seat(used.session, used.table, faction, address)
        used.words = f"{faction}: {old} to {address}"


def resend_letters(request: DeskRequest, faction: Faction) -> int:
    """Resend all letters since a player's last mail, and return their number. The player then counts as reachable until
    a letter bounces again."""
    with using(request, "resend") as used:
        require_player(used.table, faction)
        used.words = faction
        return send_again(used.session, used.table, faction)


def freeze_seat(request: DeskRequest, faction: Faction) -> bool:
    """Give a seat a new reply address and mail it to the player. Return whether this ended a sitting. Raise
    PowerRefused if nobody plays the faction, and UnknownGame if there is no game with this id."""
    with using(request, "freeze") as used:
        sat_in = bool(require_player(used.table, faction).sitter)
        used.words = f"{faction}, sitter off" if sat_in else faction
        seat_addresses.freeze_seat(used.session, used.table, faction)
        return sat_in
