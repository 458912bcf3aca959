"""Players who do not answer: missed deadlines, time banks, reminders, and unreachable mailboxes.

Only public duties, which everybody can see, count as missed. A reaction or a secret question never counts, because the
count would reveal it. Nor does a question that may be left unanswered. If a whole table is silent, its mail has
probably been lost. Therefore the caretaker takes a seat only while at least half of the other players are still
playing.

When the deadline of a public duty passes, its player's time bank runs first; then the default applies.

Reminders go out before the deadline, and become more urgent as it approaches. A person gets one mail for all their
games. Reminders never mention a reaction window, or anything that the player or their sheet has already answered.

A single final refusal (5.x.x, RFC 3463) is enough for Mentat to believe that a mailbox is gone. A refusal because of
the content of a letter (5.6.x, 5.7.x) may concern that letter alone, so two of them are needed. A delay, a full mailbox
or an unclear report (4.x.x) counts as a third of a final refusal, and only for a week: three are needed. Bounces
concern an address, so they apply to every game that the player plays with that address. Mentat reports an unreachable
address only once, however many letters come back. The address counts as reachable again when mail comes from it, or
when the game master has the letters sent again.

While Mentat plays the seat of a player who is silent or has resigned, the players may vote on who plays it: the
caretaker, or a computer opponent who plays to win. A majority of the players who still play their own seats decides;
anybody who has not voted by the end counts as voting no.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bot.config import Settings
from bot.config.time_zones import zone_named
from bot.games import notices
from bot.games.letter_writer import Matter
from bot.games.notices import announce, another_player, same_words
from bot.games.open_games import OpenGames, Session
from bot.games.seat_mail import mark_of
from bot.language.commands import VoteOnCaretaker
from bot.language.forms import write
from bot.mail.identity import bounce_token, reply_token
from bot.press import SeatVote
from bot.render.letters import Urgency
from bot.render.material import CommandAnswer
from bot.render.questions import duty
from bot.store import deadlines, games, mail, people, record
from bot.store.database import Connection, reading
from bot.store.people import SeatName, who_ordered
from bot.store.tournament_rounds import tournament_of
from bot.table import calendar, rounds
from bot.table.calendar import stamp
from bot.table.deadlines import mark_reachable
from bot.table.press import names_hidden, note_said, said_at
from bot.table.rounds import is_duty
from bot.table.table import Overrun, Place, Seat, Table, TableBefore
from bot.wording import clock_of, deadline, moment, say
from rules.components import Faction
from rules.orders import Key


def duties_among(table: Table, keys: Collection[Key]) -> set[Faction]:
    return {
        question.faction
        for question in table.play.questions()
        if question.key in keys and is_duty(table, question) and not question.forgiven
    }


def let_caretaker_play(conn: Connection, table: Table, faction: Faction, temperament: str) -> None:
    """Give a seat to the caretaker or, if ``temperament`` is not "", to a computer opponent of that temperament."""
    seat = table.seats[faction]
    seat.care, seat.opponent = True, temperament
    table.touched.add(faction)
    games.ready_for_deputies(conn, table)


def count_missed_deadlines(
    conn: Connection, table: Table, factions: Iterable[Faction], caretaker_after: int, temperament: str = ""
) -> list[Faction]:
    """Count a missed deadline for each of these factions. Return the factions whose seats the caretaker takes now: it
    takes a seat after ``caretaker_after`` missed deadlines, or never if that is 0."""
    taken = []
    for faction in sorted(factions):
        seat = table.seats[faction]
        seat.missed += 1
        table.touched.add(faction)
        if caretaker_after and seat.missed >= caretaker_after and not seat.care and _others_play(conn, table, faction):
            let_caretaker_play(conn, table, faction, temperament)
            taken.append(faction)
    return taken


def clear_strikes(table: Table, faction: Faction) -> bool:
    """Reset the missed deadlines of a player who has written an order. Return True if the caretaker played the seat,
    which the player now takes back."""
    seat = table.seats[faction]
    if not seat.has_player:
        return False
    back, seat.care, seat.missed, seat.opponent = seat.care, False, 0, ""
    table.touched.add(faction)
    if faction in said_at(table).votes:
        note_said(table, said_at(table).with_vote(faction, None))
    return back


CARETAKER = "careful"
"""The word for the caretaker itself in a vote."""


def voted_how(table: Table, faction: Faction) -> str:
    """Return how Mentat plays this seat according to the table's vote; "" if no vote has passed."""
    vote = said_at(table).votes.get(faction)
    return vote.how if vote and vote.until is None and table.seats[faction].care else ""


def vote_on_caretaker(session: Session, table: Table, voter: Faction, asked: VoteOnCaretaker) -> CommandAnswer:
    """Count a player's vote on how Mentat should play a seat that it has taken over: cautiously, as the caretaker, or
    to win. The first vote is a proposal; the other players are then asked to vote on it. Nobody is told who proposed it
    or how anybody voted."""
    about = asked.faction
    end_votes(session, table)
    vote = said_at(table).votes.get(about)
    if refused := _why_no_vote(session, table, voter, asked):
        return CommandAnswer("refused", refused)
    proposed = vote is None or vote.until is None
    if vote is None or vote.until is None:
        vote = SeatVote(asked.how, session.games.clock(table).call_due(1, session.now))
    note_said(table, said_at(table).with_vote(about, vote.with_voice(voter, agreed=bool(asked.how))))
    if end_votes(session, table, about):
        return CommandAnswer("done", say("caretaker-vote.counted"))
    if proposed:
        for faction in sorted(_voters(table) - {voter}):
            _ask_for_voice(session, table, faction, about, vote)
    assert vote.until is not None
    until = deadline(vote.until, session.now, zone_named(table.seats[voter].timezone))
    key = "caretaker-vote.proposed" if proposed else "caretaker-vote.voted"
    return CommandAnswer("done", say(key, faction=about, how=vote.how, until=until, agreed=bool(asked.how)))


def _why_no_vote(session: Session, table: Table, voter: Faction, asked: VoteOnCaretaker) -> str:
    seat, vote = table.seats.get(asked.faction), said_at(table).votes.get(asked.faction)
    if seat is None or table.play.over:
        return say("caretaker-vote.not-here", faction=asked.faction)
    if tournament_of(session.conn, table.id):
        return say("caretaker-vote.tournament")
    if table.seats[voter].care:
        return say("caretaker-vote.not-playing")
    if not (seat.care and seat.has_player):
        return say("caretaker-vote.not-in-care", faction=asked.faction, person=seat.has_player)
    running = vote is not None and vote.until is not None
    if not asked.how:
        return "" if running else say("caretaker-vote.none", faction=asked.faction)
    if running and vote is not None and vote.how != asked.how:
        return say("caretaker-vote.other", faction=asked.faction, how=vote.how)
    if not running and (seat.opponent or CARETAKER) == asked.how:
        return say("caretaker-vote.so-already", faction=asked.faction, how=asked.how)
    return ""


def _voters(table: Table) -> set[Faction]:
    return {faction for faction, seat in table.seats.items() if seat.has_player and not seat.care}


def _ask_for_voice(session: Session, table: Table, reader: Faction, about: Faction, vote: SeatVote) -> None:
    assert vote.until is not None
    until = deadline(vote.until, session.now, zone_named(table.seats[reader].timezone))
    (yes,), (no,) = _voices(about, vote)
    told = [
        say("caretaker-vote.asked", faction=about, how=vote.how, until=until),
        say("caretaker-vote.how-to-vote", yes=yes, no=no),
    ]
    answers = {yes: say("caretaker-vote.button-yes"), no: say("caretaker-vote.button-no")}
    session.writer.ask(table, reader, say("caretaker-vote.subject", faction=about), told, answers)


def _voices(about: Faction, vote: SeatVote) -> tuple[tuple[str], tuple[str]]:
    return (write(VoteOnCaretaker(about, vote.how)),), (write(VoteOnCaretaker(about, "")),)


def vote_answered(table: Table, voter: Faction, in_reply_to: Iterable[str]) -> tuple[tuple[str], tuple[str]] | None:
    """If the mail is a reply to the letter about an open vote, return the lines that a bare "yes" and a bare "no" in it
    mean."""
    for about, vote in said_at(table).votes.items():
        (yes,), no = _voices(about, vote)
        letter = re.compile(rf"{re.escape(f'{table.id}.{voter}')}\.\d+\.{re.escape(mark_of(yes))}\.\S+")
        if vote.until is not None and any(map(letter.fullmatch, in_reply_to)):
            return (yes,), no
    return None


def end_votes(session: Session, table: Table, *only: Faction) -> bool:
    """Decide the open votes that have a majority, can no longer get one, or have run out of time; return whether any
    was decided. A vote lapses if the player whose seat it is about has come back."""
    decided = False
    for about, vote in said_at(table).votes.items():
        if vote.until is None or (only and about not in only):
            continue
        if not table.seats[about].care or table.play.over:
            note_said(table, said_at(table).with_vote(about, None))
            continue
        voters = _voters(table)
        passed = 2 * len(vote.yes & voters) > len(voters)
        if passed or 2 * len(voters - vote.no) <= len(voters) or vote.until <= session.now:
            decided = True
            _carry_out_vote(session, table, about, vote, passed=passed)
    return decided


def _carry_out_vote(session: Session, table: Table, about: Faction, vote: SeatVote, *, passed: bool) -> None:
    kept = replace(vote, until=None, yes=frozenset(), no=frozenset()) if passed else None
    note_said(table, said_at(table).with_vote(about, kept))
    told = say("caretaker-vote.passed" if passed else "caretaker-vote.failed", faction=about, how=vote.how)
    announce(session, table, say("caretaker-vote.subject", faction=about), same_words(told))
    if passed:
        let_caretaker_play(session.conn, table, about, "" if vote.how == CARETAKER else vote.how)
        record.note_act(session.conn, table, "caretaker", f"{about} {vote.how}, by vote of the players", session.now)
        rounds.go_on(table, session.now)
    session.save(table)


def end_vote_in_time(open_games: OpenGames, game_id: str, now: datetime) -> None:
    def ended(conn: Connection, table: Table) -> None:
        session, before = Session(conn, open_games, now), TableBefore.of(table)
        if end_votes(session, table):
            session.writer.answer(table, before)

    open_games.in_game(game_id, ended)


def _others_play(conn: Connection, table: Table, faction: Faction) -> bool:
    heard = who_ordered(conn, table.id)
    others = [seat for seat in table.seats.values() if seat.faction != faction and seat.has_player]
    playing = [seat for seat in others if not (seat.care or seat.missed) and seat.faction in heard]
    return bool(playing) and 2 * len(playing) >= len(others)


def run_time_banks(session: Session, table: Table, late: Sequence[Place]) -> list[Place]:
    """Start the time banks of players with overdue questions. Return the overdue questions for which no time bank runs,
    to which the default applies now. A bank runs only once for a question, and never for a reaction window, for a
    secret question, or for a question that may be left unanswered."""
    duties = {question.key for question in table.play.questions() if is_duty(table, question) and not question.forgiven}
    silent = []
    for place in late:
        seat = table.seats[place[1][0]]
        if place[1] in duties and seat.bank > 0 and not seat.care and place not in table.overruns:
            _run_time_bank(session, table, seat, place)
        else:
            silent.append(place)
    return silent


def _run_time_bank(session: Session, table: Table, seat: Seat, place: Place) -> None:
    zone, span = zone_named(seat.timezone), timedelta(minutes=seat.bank)
    since = table.deadlines[place].until
    runs = bank_hours(table, seat)
    end = calendar.after_waking_time(since, span, runs, zone)
    deadlines.begin_overrun(session.conn, table, place, Overrun(runs, seat.timezone))
    deadlines.postpone(session.conn, table, [place], end)
    told = say(
        "bank.notice",
        duty=duty(place[1][1]),
        minutes=seat.bank,
        hours=awake_hours(runs),
        by=deadline(end, session.now, zone),
        hidden=names_hidden(table),
    )
    session.writer.notify(table, seat.faction, say("bank.subject"), [told])


LEAST_HOURS_A_DAY = 8
"""A time bank runs for at least this many hours a day, however few waking hours a player has, because others are
waiting."""


def bank_hours(table: Table, seat: Seat) -> str:
    """Return the hours of the day in which a seat's time bank runs. These are its player's waking hours, but at least
    ``LEAST_HOURS_A_DAY``. In an anonymous game the bank runs all day, because its end would reveal when the player gets
    up."""
    return "" if names_hidden(table) else calendar.widened(seat.waking, LEAST_HOURS_A_DAY)


def awake_hours(hours: str) -> str:
    first, _, last = hours.partition("-")  # "08:00 and 22:00"
    return say("bank.hours", first=first, last=last) if hours else ""


A_DAY = timedelta(days=1)
URGENT_WITHIN = timedelta(hours=3)
"""A reminder mail also mentions questions in the player's other games that are due within this time."""


def due_reminders(open_games: OpenGames, now: datetime) -> list[list[SeatName]]:
    with reading(open_games.engine) as conn:
        late = deadlines.seats_to_remind(conn, now, open_games.settings.clock.reminder_hours)
        late = [seat for seat in late if not mail.waits_from(conn, seat, now - A_DAY)]
        return people.seats_of_persons(conn, late, now) if late else []


def remind_person(open_games: OpenGames, seats: Sequence[SeatName], now: datetime) -> bool:
    played = {game_id for game_id, _ in seats}
    game_id = played.pop() if len(played) == 1 else None
    return open_games.committed(game_id, lambda conn: _remind_person(Session(conn, open_games, now), seats))


def _remind_person(session: Session, seats: Sequence[SeatName]) -> bool:
    hours = session.settings.clock.reminder_hours
    owing: list[tuple[datetime, Table, Faction]] = []
    called = False
    for game_id, faction in seats:
        table = session.games.table(session.conn, game_id)
        marked = deadlines.mark_reminded(session.conn, game_id, faction, session.now, hours)
        due = _first_due(table, faction, session.settings.clock.caretaker_after)
        if due is not None:
            called = called or (marked and due <= session.now + timedelta(hours=max(hours)))
            owing.append((due, table, faction))
    if not called:
        return False
    if len(owing) > 1:
        for _, table, faction in owing:
            deadlines.mark_reminded(session.conn, table.id, faction, session.now + URGENT_WITHIN, hours)
    owing.sort(key=lambda each: (each[0], each[1].id))
    last = len(hours) > 1 and owing[0][0] <= session.now + timedelta(hours=min(hours))
    urgency: Urgency = "last-reminder" if last else "reminder"
    session.writer.remind([(table, faction) for _, table, faction in owing], urgency)
    games.close(session.conn, owing[0][1])
    return True


def _first_due(table: Table, faction: Faction, caretaker_after: int) -> datetime | None:
    owed = [
        table.due(q)
        for q in table.play.questions()
        if q.faction == faction
        and not (rounds.takes_no_time(table, q) or q.blanket or q.settled or q.kind == "ally-support")
        and not rounds.leaves_no_choice(table, q, caretaker_after)
    ]
    return min((due for due in owed if due), default=None)


FOR_GOOD, FOR_THE_LETTER, FOR_NOW = 3, 2, 1
FINAL_FOR_THE_LETTER = ("5.2.3", "5.3.4", "5.6.", "5.7.")
"""The codes of final refusals because of a letter's size or content (RFC 3463)."""
BELIEVED_POINTS = 3
FORGOTTEN_AFTER = timedelta(days=7)


def bounce_points(status: str) -> int:
    """Return how strongly a final refusal suggests that the mailbox is gone. A refusal because of size or content has
    fewer points, because it may concern that one letter only."""
    return FOR_THE_LETTER if status.startswith(FINAL_FOR_THE_LETTER) else FOR_GOOD


def take_bounce(session: Session, table: Table, faction: Faction, points: int, report: str) -> None:
    """Count a bounced letter to this player. Once there are enough points, the player's duties wait in every game that
    they play with that address, and the tables and the game master are told. This function saves the other games of
    that player, but not this one."""
    seat = table.seats[faction]
    if seat.unreachable:
        return
    others = [
        (session.games.table(session.conn, game_id), other)
        for game_id, other in people.seats_at_addresses(session.conn, [seat.address])
        if game_id != table.id
    ]
    reached = [(each, of) for each, of in [(table, faction), *others] if not each.seats[of].unreachable]
    points += max(_recent_points(each.seats[of], session.now) for each, of in reached)
    for each, of in reached:
        each.seats[of].undelivered, each.seats[of].undelivered_at = points, session.now
        each.touched.add(of)
    if points >= BELIEVED_POINTS:
        told = [say("unreachable.game-master", address=seat.address, report=report)]
        for each, of in reached:
            told += [say("unreachable.also", game=each.id, faction=of)] if each is not table else []
            told += _wait_for_unreachable(session, each, of)
        subject = say("unreachable.subject", game=table.id, faction=faction)
        lines = (f"caretaker {faction} on", f"replace {faction} ADDRESS", f"resend {faction}", f"more {faction}")
        matter = Matter(table.id, faction, subject, told, lines, f"{table.id}.{faction}.{stamp(session.now)}")
        session.writer.tell_master_of(matter)
    for each, _ in others:
        games.close(session.conn, each)


def _recent_points(seat: Seat, now: datetime) -> int:
    counts = seat.undelivered_at is not None and now - seat.undelivered_at < FORGOTTEN_AFTER
    return seat.undelivered if counts else 0


def _wait_for_unreachable(session: Session, table: Table, faction: Faction) -> list[str]:
    until = deadlines.begin_unreachable(
        session.conn, table, faction, session.now, session.settings.clock.unreachable_hours, session.games.clock(table)
    )
    if until:
        wait = say(
            "unreachable.wait", faction=faction, by=deadline(until, session.now, session.settings.mentat.timezone)
        )
        _tell_table_of_wait(session, table, faction, until)
    else:
        wait = say("unreachable.no-wait")
    another = another_player(session.conn, table.id, faction)
    return [wait, say("unreachable.advice", game=table.id, faction=faction, another=another)]


def _tell_table_of_wait(session: Session, table: Table, faction: Faction, until: datetime) -> None:
    announce(
        session,
        table,
        say("unreachable.notice-subject"),
        lambda seat: say(
            "unreachable.notice",
            by="" if names_hidden(table) else deadline(until, session.now, zone_named(seat.timezone)),
        ),
        (faction,),
    )


def note_heard_from(table: Table, faction: Faction) -> list[str]:
    """Record that mail from this player has arrived; return notes about letters that did not reach the player."""
    seat = table.seats[faction]
    if not seat.unreachable:
        seat.undelivered = 0
        return []
    zone, began = zone_named(seat.timezone), seat.unreachable_since
    since = f"{moment(began, zone)} {clock_of(zone)}" if began else ""  # the oldest databases lack the start time
    mark_reachable(table, faction)
    return [say("unreachable.back", since=since)]


def note_mail_from(session: Session, address: str) -> None:
    for table, faction, notes in _note_heard_in_games(session.conn, session.games, address):
        if notes:
            session.writer.notify(table, faction, say("unreachable.back-subject"), notes)
        games.close(session.conn, table)


def note_automatic_answer_from(conn: Connection, open_games: OpenGames, address: str) -> None:
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
    """Put the letters that a player may have missed into the outbox again, with the same Message-IDs; return their
    number.

    The player counts as reachable until another letter comes back. The letters carry the current reply address. Raise
    KeyError if nobody plays that faction, and UnknownGame if there is no game with that name.
    """
    with open_games.transaction(game_id) as (conn, table):
        return send_again(Session(conn, open_games, now), table, faction)


def send_again(session: Session, table: Table, faction: Faction) -> int:
    seat = table.seats[faction]
    tokens = ended_tokens(session.settings, table.id, seat)
    count = mail.send_again(session.conn, table.id, seat, tokens, session.now)
    mark_reachable(table, faction)
    return count


def ended_tokens(settings: Settings, game_id: str, seat: Seat) -> Mapping[str, str]:
    secret = settings.key
    ended: dict[str, str] = {}
    for generation in range(seat.generation):
        ended[reply_token(secret, game_id, seat.faction, generation)] = seat.token
        ended[bounce_token(secret, game_id, seat.faction, generation)] = seat.bounce_token
    return ended


def take_refusal(session: Session, letter: mail.Letter, why: str) -> None:
    """Treat a server's final refusal of a letter to a player as a permanent bounce. Do not call this for a letter that
    could not be sent for days, because that is more likely our own server's fault than the player's."""
    table = session.games.table(session.conn, letter.game_id) if letter.game_id and letter.faction else None
    if table is None or not letter.faction or table.seats[letter.faction].address != letter.recipient:
        notices.report_lost_letter(session.writer, letter, why)
        return
    take_bounce(session, table, letter.faction, FOR_GOOD, why)
    games.close(session.conn, table)
