"""Players who do not answer: missed deadlines, time banks, reminders, and players whom no mail reaches.

Only public duties count as missed: everybody could see them. A reaction, or a secret question, never counts, or the
count would tell of it; nor does a question whose silence is forgiven. Where a whole table is silent, its mail is more
likely lost than its players. The caretaker therefore takes a seat only while at least half of the others play.

A public duty that falls due unanswered first costs its player their time bank; then the default applies.

A reminder goes out before the deadline, more urgent the nearer it is, in one mail for all games of a person. It never
mentions a window, nor what the player or their sheet has already answered.

A mailbox is believed to be gone at once after a final refusal (5.x.x, RFC 3463). A refusal for the content of a letter
(5.6.x, 5.7.x) may be about that letter alone, so two of them are needed. A delay, a full mailbox or an unclear report
(4.x.x) counts a third, for a week: three are needed. All this is about an address, so it holds for every game that its
player plays there. Mentat reports one spell once, however many letters come back. The spell ends with any mail from
that address, or when the game master lets the letters be sent again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.config import Settings
from bot.games import notices
from bot.games.letter_writer import LetterWriter
from bot.games.notices import announce, another_player
from bot.games.open_games import OpenGames
from bot.mail.identity import bounce_token, reply_token
from bot.render.letters import Urgency
from bot.render.questions import duty
from bot.store import deadlines, games, mail, people
from bot.store.database import Connection, reading
from bot.store.people import SeatName, who_ordered
from bot.table import calendar, rounds
from bot.table.calendar import stamp
from bot.table.deadlines import mark_reachable
from bot.table.rounds import is_duty
from bot.table.seat import Seat
from bot.table.table import Overrun, Place, Table
from bot.wording import clock_of, deadline, moment, say
from rules.components import Faction
from rules.orders import Key


def duties_among(table: Table, keys: Collection[Key]) -> set[Faction]:
    """Whose public duties are among these open questions."""
    return {
        question.faction
        for question in table.play.questions()
        if question.key in keys and is_duty(table, question) and not question.forgiven
    }


def count_missed_deadlines(
    conn: Connection, table: Table, factions: Iterable[Faction], caretaker_after: int
) -> list[Faction]:
    """Count a missed deadline for each of these; those whose seats the caretaker takes now (never, after 0)."""
    taken = []
    for faction in sorted(factions):
        seat = table.seats[faction]
        seat.missed += 1
        table.touched.add(faction)
        if caretaker_after and seat.missed >= caretaker_after and not seat.care and _others_play(conn, table, faction):
            seat.care = True
            taken.append(faction)
    return taken


def clear_strikes(table: Table, faction: Faction) -> bool:
    """The player has written an order, so nothing counts as missed; whether they take their seat from the caretaker."""
    seat = table.seats[faction]
    back, seat.care, seat.missed = seat.care, False, 0
    table.touched.add(faction)
    return back


def _others_play(conn: Connection, table: Table, faction: Faction) -> bool:
    """Whether at least half of the other seats have players who once wrote and have missed nothing since."""
    heard = who_ordered(conn, table.id)
    others = [seat for seat in table.seats.values() if seat.faction != faction]
    playing = [seat for seat in others if not (seat.care or seat.missed) and seat.faction in heard]
    return 2 * len(playing) >= len(others)


def run_time_banks(
    conn: Connection, writer: LetterWriter, table: Table, late: Sequence[Place], now: datetime
) -> list[Place]:
    """Of these overdue questions, those that silence answers now; for the others a time bank begins to run. It runs
    once for a question, and never for a window, in secret, or where silence is forgiven."""
    duties = {question.key for question in table.play.questions() if is_duty(table, question) and not question.forgiven}
    silent = []
    for place in late:
        seat = table.seats[place[1][0]]
        if place[1] in duties and seat.bank > 0 and not seat.care and place not in table.overruns:
            _run_time_bank(conn, writer, table, seat, place, now)
        else:
            silent.append(place)
    return silent


def _run_time_bank(
    conn: Connection, writer: LetterWriter, table: Table, seat: Seat, place: Place, now: datetime
) -> None:
    zone, span = ZoneInfo(seat.timezone), timedelta(minutes=seat.bank)
    since = table.deadlines[place].until
    end = calendar.after_waking_time(since, span, seat.waking, zone)
    deadlines.begin_overrun(conn, table, place, Overrun(seat.waking, seat.timezone))
    deadlines.postpone(conn, table, [place], end)
    told = say(
        "bank.notice", duty=duty(place[1][1]), minutes=seat.bank, hours=awake_hours(seat.waking),
        by=deadline(end, now, zone),
    )  # fmt: skip
    writer.notify(conn, table, seat.faction, now, say("bank.subject"), [told])


def awake_hours(hours: str) -> str:
    """ "08:00 and 22:00"; nothing for the whole day."""
    first, _, last = hours.partition("-")
    return say("bank.hours", first=first, last=last) if hours else ""


URGENT_WITHIN = timedelta(hours=3)
"""A reminder of another game that would come so soon comes with this one."""


def due_reminders(open_games: OpenGames, now: datetime) -> list[list[SeatName]]:
    """The seats to remind, those of one person together: the ones whose reminder is due, and their others."""
    with reading(open_games.engine) as conn:
        late = deadlines.seats_to_remind(conn, now, open_games.settings.clock.reminder_hours)
        return people.seats_of_persons(conn, late, now) if late else []


def remind_person(open_games: OpenGames, seats: Sequence[SeatName], now: datetime) -> bool:
    """Write one reminder to the person whose seats these are, if one is still due; whether it was written."""
    played = {game_id for game_id, _ in seats}
    game_id = played.pop() if len(played) == 1 else None
    return open_games.committed(game_id, lambda conn: _remind_person(conn, open_games, seats, now))


def _remind_person(conn: Connection, open_games: OpenGames, seats: Sequence[SeatName], now: datetime) -> bool:
    hours = open_games.settings.clock.reminder_hours
    owing: list[tuple[datetime, Table, Faction]] = []
    called = False
    for game_id, faction in seats:
        table = open_games.table(conn, game_id)
        marked = deadlines.mark_reminded(conn, game_id, faction, now, hours)
        due = _first_due(table, faction)
        if due is not None:
            called = called or (marked and due <= now + timedelta(hours=max(hours)))
            owing.append((due, table, faction))
    if not called:
        return False
    if len(owing) > 1:
        for _, table, faction in owing:
            deadlines.mark_reminded(conn, table.id, faction, now + URGENT_WITHIN, hours)
    owing.sort(key=lambda each: (each[0], each[1].id))
    last = len(hours) > 1 and owing[0][0] <= now + timedelta(hours=min(hours))
    urgency: Urgency = "last-reminder" if last else "reminder"
    open_games.writer.remind(conn, [(table, faction) for _, table, faction in owing], now, urgency)
    games.close(conn, owing[0][1])
    return True


def _first_due(table: Table, faction: Faction) -> datetime | None:
    """When the first answer is due that a player owes; None where they owe none."""
    owed = [
        table.due(q)
        for q in table.play.questions()
        if q.faction == faction and not (rounds.takes_no_time(table, q) or q.blanket or q.waived)
    ]
    return min((due for due in owed if due), default=None)


FOR_GOOD, FOR_THE_LETTER, FOR_NOW = 3, 2, 1
FINAL_FOR_THE_LETTER = ("5.2.3", "5.3.4", "5.6.", "5.7.")
"""Final refusals of a letter for its size or content (RFC 3463)."""
BELIEVED_POINTS = 3
FORGOTTEN_AFTER = timedelta(days=7)
MOST_SENT_AGAIN = 30


def bounce_points(status: str) -> int:
    """How much a final refusal with this status says of the mailbox; one for the size or the content of a letter may be
    about that letter alone."""
    return FOR_THE_LETTER if status.startswith(FINAL_FOR_THE_LETTER) else FOR_GOOD


def take_bounce(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, points: int, report: str, now: datetime
) -> None:  # fmt: skip
    """A letter to this player came back. Where that is now enough to be believed, their duties wait for them in every
    game that they play at that address, and the tables and the game master are told. The other games are closed
    here."""
    seat = table.seats[faction]
    if seat.unreachable:
        return
    others = [
        (open_games.table(conn, game_id), other)
        for game_id, other in people.seats_at_addresses(conn, [seat.address])
        if game_id != table.id
    ]
    reached = [(each, of) for each, of in [(table, faction), *others] if not each.seats[of].unreachable]
    points += max(_recent_points(each.seats[of], now) for each, of in reached)
    for each, of in reached:
        each.seats[of].undelivered, each.seats[of].undelivered_at = points, now
        each.touched.add(of)
    if points >= BELIEVED_POINTS:
        told = [say("unreachable.game-master", address=seat.address, report=report)]
        for each, of in reached:
            told += [say("unreachable.also", game=each.id, faction=of)] if each is not table else []
            told += _wait_for_unreachable(conn, open_games, each, of, now)
        subject = say("unreachable.subject", game=table.id, faction=faction)
        open_games.writer.tell_game_master(conn, now, subject, told, f"{table.id}.{faction}.{stamp(now)}")
    for each, _ in others:
        games.close(conn, each)


def _recent_points(seat: Seat, now: datetime) -> int:
    """The points of a seat that still count."""
    counts = seat.undelivered_at is not None and now - seat.undelivered_at < FORGOTTEN_AFTER
    return seat.undelivered if counts else 0


def _wait_for_unreachable(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime
) -> list[str]:
    """Let the duties of one game wait, and tell its table; what the game master is told."""
    until = deadlines.begin_unreachable(
        conn, table, faction, now, open_games.settings.clock.unreachable_hours, open_games.clock(table)
    )
    if until:
        wait = say("unreachable.wait", faction=faction, by=deadline(until, now, open_games.settings.mentat.timezone))
        _tell_table_of_wait(conn, open_games, table, faction, until, now)
    else:
        wait = say("unreachable.no-wait")
    another = another_player(conn, table.id, faction)
    return [wait, say("unreachable.advice", game=table.id, faction=faction, another=another)]


def _tell_table_of_wait(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, until: datetime, now: datetime
) -> None:  # fmt: skip
    announce(
        conn, open_games.writer, table, now, say("unreachable.notice-subject"),
        lambda seat: say("unreachable.notice", by=deadline(until, now, ZoneInfo(seat.timezone))), (faction,),
    )  # fmt: skip


def note_heard_from(table: Table, faction: Faction) -> list[str]:
    """Something has come from this player, so mail works for them; what they are told if some of theirs did not
    arrive."""
    seat = table.seats[faction]
    if not seat.unreachable:
        seat.undelivered = 0
        return []
    zone, began = ZoneInfo(seat.timezone), seat.unreachable_since
    since = f"{moment(began, zone)} {clock_of(zone)}" if began else ""  # the oldest databases do not say when it began
    mark_reachable(table, faction)
    return [say("unreachable.back", since=since)]


def note_mail_from(conn: Connection, open_games: OpenGames, address: str, now: datetime) -> None:
    """A player has written from this address, so the mailbox works for their other games too; in those where they could
    not be reached they are told what they may have missed."""
    for table, faction, notes in _note_heard_in_games(conn, open_games, address):
        if notes:
            open_games.writer.notify(conn, table, faction, now, say("unreachable.back-subject"), notes)
        games.close(conn, table)


def note_automatic_answer_from(conn: Connection, open_games: OpenGames, address: str) -> None:
    """A program has answered at this address, so mail arrives there; it is not written to for that."""
    for table, _, _ in _note_heard_in_games(conn, open_games, address):
        games.close(conn, table)


def _note_heard_in_games(
    conn: Connection, open_games: OpenGames, address: str
) -> Iterator[tuple[Table, Faction, list[str]]]:
    for game_id, faction in deadlines.seats_in_doubt(conn, address):
        table = open_games.table(conn, game_id)
        table.touched.add(faction)
        yield table, faction, note_heard_from(table, faction)


def send_letters_again(open_games: OpenGames, game_id: str, faction: Faction, now: datetime) -> int:
    """Put the letters that a player may have missed into the outbox once more, with the same Message-IDs, and take them
    to be reachable until one comes back again; how many letters. They carry the reply address that counts now. KeyError
    if nobody plays that faction; UnknownGame if there is no game of that name."""
    with open_games.transaction(game_id) as (conn, table):
        seat = table.seats[faction]
        tokens = ended_tokens(open_games.settings, game_id, seat)
        count = mail.send_again(conn, game_id, faction, seat.address, now, MOST_SENT_AGAIN, tokens)
        mark_reachable(table, faction)
    return count


def ended_tokens(settings: Settings, game_id: str, seat: Seat) -> Mapping[str, str]:
    """The reply and bounce tokens that a seat had before, each with the one that it has now."""
    secret = settings.secrets.secret.get_secret_value().encode()
    ended: dict[str, str] = {}
    for generation in range(seat.generation):
        ended[reply_token(secret, game_id, seat.faction, generation)] = seat.token
        ended[bounce_token(secret, game_id, seat.faction, generation)] = seat.bounce_token
    return ended


def take_refusal(conn: Connection, open_games: OpenGames, letter: mail.Letter, why: str, now: datetime) -> None:
    """A server would not take a letter: to a player that is as good as one that came back for good. One that could not
    be sent for days says less of them than of our own server."""
    table = open_games.table(conn, letter.game_id) if letter.game_id and letter.faction else None
    if table is None or not letter.faction or table.seats[letter.faction].address != letter.recipient:
        notices.report_lost_letter(conn, open_games.writer, letter, why, now)
        return
    take_bounce(conn, open_games, table, letter.faction, FOR_GOOD, why, now)
    games.close(conn, table)
