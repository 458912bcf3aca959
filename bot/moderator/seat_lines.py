"""The lines of one seat: how they are carried out and answered, and their consequences.

Every line for a seat is handled here: those that its player mailed, those that a game master orders for the seat, and
those that were kept while the game was on hold, once it is released. All are handled in the same way, so that they have
the same effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from msgspec import structs

from bot.config.time_zones import zone_named
from bot.desk import clocks
from bot.desk.powers import DeskRequest, PowerRefused, using
from bot.desk.seats import require_seat
from bot.desk.speech import answer_about_rulings, answers_the_desk, take_desk_answer
from bot.effort import Exhausted
from bot.games import notices, silent_players
from bot.games.forum_accounts import answer_about_forum
from bot.games.identity import Part
from bot.games.notices import FromSeat, announce_return, own_words, tell_directors
from bot.games.open_games import Session
from bot.games.requests import answer_request
from bot.games.seat_addresses import answer_about_addresses, answer_about_sitter
from bot.games.seat_mail import Reply, letter_named, make_harmless
from bot.language.commands import (
    AskForSitter,
    Cancel,
    ExplainBattle,
    Help,
    History,
    MailCommand,
    Press,
    PressReply,
    PressToGameMaster,
    PressToNobody,
    PressWithoutEnd,
    Report,
    Resign,
    Rules,
    SendAnyway,
    ShowDeals,
    ShowMap,
    ShowOrders,
    SitterOff,
    Status,
)
from bot.language.lines import fold_press
from bot.language.mail_lines import read_any
from bot.language.orders import Context, Unread
from bot.language.proposals import NOTHING, Memory, Proposal, options_of, seen_by
from bot.lobby import vacancies
from bot.mail.lines import unquoted
from bot.mail.message import Incoming
from bot.moderator import automatic_mail, order_lines, press_mail
from bot.moderator.commands import answer_about_archive, answer_about_rating, answer_command
from bot.moderator.order_lines import (
    LateAnswers,
    OtherTables,
    PlayedLines,
    Sift,
    play_lines,
    refuse_all_lines,
    situations_left_open,
)
from bot.moderator.press_mail import AnsweredWords, answer_press
from bot.render.material import CommandAnswer, LineVerdict
from bot.store import deadlines, games, lobby
from bot.store.memory import LastMail, memory_of, remember
from bot.store.tournament_rounds import table_of_game
from bot.table.calendar import stamp
from bot.table.lines import orders_on_file, reading_context
from bot.table.rounds import go_on
from bot.table.table import Table, TableBefore
from bot.tournament import incoming_mail, mail_lines, substitutes
from bot.wording import say
from bot.wording.filters import speaking
from rules.components import Faction
from rules.state.events import Event

OPEN_TO_SITTERS = (
    Status, ShowMap, History, ExplainBattle, Rules, ShowOrders, ShowDeals, Cancel, Help, Press, PressReply,
    PressToNobody, PressWithoutEnd,
    SendAnyway, Report, PressToGameMaster, SitterOff,
)  # fmt: skip
"""The commands that a sitter can use besides orders. Commands that concern the player personally are left out."""
MOST_TO_DESK = 5
"""At most this many lines of one mail go to the desk, each in a separate letter."""
ORDER_STATUSES = ("accepted", "held", "refused")  # outcomes of a line which show that its player is playing
TAKEN_STATUSES = ("accepted", "held", "done")

Way = Literal["mail", "kept", "master", "post", "handed-in"]
"""How lines arrived:

- mail: in a mail from the player or their sitter.
- kept: in such a mail, received while the game was on hold.
- master: from a game master. Nothing shows that the player is present, and only the orders count.
- post: in the player's public post, which everybody can read and which is not a mail.
- handed-in: in a mail that a game master handed in, so that the player must be told of it.
"""


@dataclass(frozen=True, slots=True)
class Delivery:
    """How the lines for a seat arrived. ``number`` is the number of the mail. ``answers`` is the mail to be answered,
    if it belongs to this game. ``notes`` are added to the answer. ``sift`` picks the lines of the mail that may be
    accepted."""

    way: Way = "mail"
    number: int | None = None
    answers: Incoming | None = None
    notes: Sequence[str] = ()
    sift: Sift = list


@dataclass(frozen=True, slots=True)
class _Reading:
    """The lines after they were read. ``commands`` are those that still need an answer, ``notes`` are added to the
    answer, and ``settles`` says what the sheet settles. ``back`` is true if the player has come back after others acted
    for them."""

    lines: list[LineVerdict]
    commands: Mapping[int, MailCommand]
    notes: Sequence[str] = ()
    settles: str = ""
    back: bool = False


def take_lines(session: Session, part: Part, came: Delivery) -> int:
    table = session.games.table(session.conn, part.game_id)
    part, taken = _pass_to_event(session, table, part, came)
    if taken is not None and not any(line.strip() for line in part.lines):
        return taken
    table = session.games.table(session.conn, part.game_id)
    with speaking(table.play.game.rules.edition):
        lines = take_lines_at(session, table, part, came)
    return (taken or 0) + sum(line.status in TAKEN_STATUSES for line in lines)


def _pass_to_event(session: Session, table: Table, part: Part, came: Delivery) -> tuple[Part, int | None]:
    """Pass on to the event any words that a tournament player writes to a game but means for the event: a withdrawal, a
    protest, or words to the organisers. A mail without any order is passed on as a whole. Return the lines that remain
    for the game, and the number of lines passed on, or None if nothing is meant for the event."""
    mail = came.answers
    if came.way != "mail" or mail is None or part.by_sitter or part.doubtful or table.status == "held":
        return part, None
    if answers_the_desk(table, part.faction, mail.in_reply_to):
        return part, None
    if press_mail.words_answered(session.conn, table, part.faction, mail.in_reply_to):
        return part, None
    folded = fold_press(part.lines)
    for_event = incoming_mail.lines_for_event(session.conn, table.id, folded)
    if not for_event:
        return part, None
    context = reading_context(table.play, part.faction)
    talk = {line for line in folded if not line.strip() or _says_no_order(line, context)}
    for_event = {line for line in for_event if line in talk or incoming_mail.is_event_line(line)}
    whole = all(line in talk or line in for_event for line in folded)
    own = [line for line in folded if line.strip() and (whole or line in for_event)]
    taken = incoming_mail.take_from_game(session, table.id, own, mail) if for_event else None
    left = () if whole else tuple("" if line in for_event else line for line in folded)
    return (part, None) if taken is None else (replace(part, lines=left), taken)


def _says_no_order(line: str, context: Context) -> bool:
    try:
        read = read_any(line, context)
    except Exhausted:
        return False
    return isinstance(read, Unread) and (read.chatter or read.suggestions == ("resign",))


def take_lines_at(session: Session, table: Table, part: Part, came: Delivery) -> list[LineVerdict]:
    """Handle lines in an open game, however they arrived, and return the verdicts. For a forum post, a mail is sent
    only if a line does not count as written, because everybody can see the other lines take effect."""
    seat = table.seats[part.faction]
    before, table.now = TableBefore.of(table), session.now
    read = _read(session, table, part, came)
    session.save(table, came.number)
    saved = dict(table.deadlines)
    again = (
        came.way == "mail"
        and _holds_talk_alone(read)
        and automatic_mail.repeats_itself(session, part, came.number, came.answers)
    )
    lines = [] if again else answer_commands(session, table, part, came, PlayedLines(read.lines, read.commands))
    announced = {at: due for at, due in table.deadlines.items() if at in before.deadlines and due != saved.get(at)}
    before.deadlines.update(announced)
    if read.back:
        announce_return(session, table, seat.faction)
    notes = [*came.notes, *read.notes]
    if came.way == "mail" or (came.way in ("post", "handed-in") and options_of(lines)):
        _remember(session, table, part, lines)
    if came.way == "mail" and not part.by_sitter:
        notes = [*silent_players.note_heard_from(table, seat.faction), *notes]
    if came.way == "mail" and not again:
        notes = [*notes, *automatic_mail.count_fruitless_mails(session, table, seat.faction, lines)]
    answered = (
        came.way in ("master", "handed-in") or read.back or (not again and automatic_mail.is_answered(seat, lines))
    )
    if came.way == "post":
        answered = any(line.status not in ("accepted", "done") or line.reason for line in lines)
    reply = _reply(part, came, lines, notes, read) if answered else None
    session.writer.answer(table, before, reply)
    games.close(session.conn, table)
    return lines


def _holds_talk_alone(read: _Reading) -> bool:
    return not read.commands and all(line.status in ("unread", "talk") and not line.suggestions for line in read.lines)


def _read(session: Session, table: Table, part: Part, came: Delivery) -> _Reading:
    faction, answers = part.faction, came.answers
    gone = substitutes.has_given_up(session.conn, table.id, faction)
    if gone or part.doubtful or table.status == "held":
        why = say(_WHY_NOT["gone" if gone else "doubtful" if part.doubtful else "held"])
        lines = refuse_all_lines(unquoted(part.lines), why)
        return _Reading(lines, {}, [] if lines else [why])
    if part.lines and answers and not part.by_sitter and answers_the_desk(table, faction, answers.in_reply_to):
        passed = take_desk_answer(session, table, faction, "\n".join(unquoted(part.lines)))
        reason = say("desk.answer-passed") if passed else say("press-not.desk-plays")
        return _Reading(
            [LineVerdict(line, "done" if passed else "refused", line, reason) for line in unquoted(part.lines) if line],
            {},
        )
    words = press_mail.words_answered(session.conn, table, faction, answers.in_reply_to) if answers else None
    replied = answers.in_reply_to if answers else ()
    memory = NOTHING
    if came.way == "mail":
        memory = replace(memory_of(session.conn, _token(table, part), replied), asks_first=True)
    if came.way == "mail" and not part.by_sitter and (voices := silent_players.vote_answered(table, faction, replied)):
        yes, no = voices
        memory = replace(memory, waiting=Proposal((yes,), seen_by(reading_context(table.play, faction)), refusal=no))
    old = answers is not None and _answers_earlier_turn(session, table, faction, answers)
    played = play_part(session, table, part, came.number, words, memory, came.sift, old_letter=old)
    spoken = came.way not in ("master", "kept") and any(line.status in ORDER_STATUSES for line in played.lines)
    spoken = spoken or _comes_back(session, table, part, came, played)
    voted = silent_players.voted_how(table, faction)
    back = spoken and silent_players.clear_strikes(table, faction) and substitutes.seat_again(session, table, faction)
    games.ready_for_deputies(session.conn, table)
    go_on(table, session.now)
    notes = [say("caretaker.you-are-back")] if back else []
    if back and voted:
        notes.append(say("caretaker-vote.until-now", how=voted))
    stays = back or (came.way == "mail" and not part.by_sitter and _says_back(part, played))
    if stays and _stays(session, table, faction):
        notes.append(say("resignation.stays"))
    if not back and came.way == "mail" and not part.by_sitter and table.seats[faction].care:
        notes.append(say("caretaker.how-back"))
    if old and any(line.status == "accepted" for line in played.lines):
        notes.append(say("reading.old-letter"))
    if words and any(line.status in ("talk", "unread") for line in played.lines):
        notes.append(say("press-to.reply-beside", faction=words.writer, desk=words.press is None))
    settles = " ".join(situations_left_open(table, faction, played.lines))
    return _Reading(played.lines, played.commands, notes, settles, back)


def _answers_earlier_turn(session: Session, table: Table, faction: Faction, answers: Incoming) -> bool:
    seat, address = table.seats[faction], session.settings.mentat.address
    begun = letter_named(seat.conversation, address) if seat.conversation_turn == table.play.state.turn else None
    named = [found for each in answers.in_reply_to if (found := letter_named(each, address))]
    own = [found.number for found in named if (found.game_id, found.faction) == (table.id, faction)]
    return begun is not None and bool(own) and max(own) < begun.number


_BACK = re.compile(
    r"\b(?:i['’]?m|i am|we are) (?:back|here|still (?:here|in|playing|alive))\b"
    r"|\bback again\b|\bstill (?:here|playing)\b"
    r"|\bi (?:will|can|want to|would like to) (?:play|go on|continue)\b|\btake (?:back my seat|my seat back)\b",
    re.IGNORECASE,
)

_DENIED = re.compile(r"\b(?:not|never|no longer)\b|n['’]t\b", re.IGNORECASE)


def _comes_back(session: Session, table: Table, part: Part, came: Delivery, played: PlayedLines) -> bool:
    """Return True if a mail without orders gives its writer back the seat that the caretaker plays. It does if the
    writer says that they are back. In a tournament, where a substitute would take the seat, any mail from a silent
    player does, unless it says that they are leaving."""
    seat = table.seats[part.faction]
    if not seat.care or came.way != "mail" or part.by_sitter or _leaves(played):
        return False
    if _says_back(part, played):
        return True
    if table_of_game(session.conn, table.id) is None or not any(line.strip() for line in unquoted(part.lines)):
        return False
    return seat.missed > 0 or substitutes.was_no_show(session.conn, table.id, part.faction)


def _leaves(played: PlayedLines) -> bool:
    leaves = any(line.suggestions == ("resign",) or mail_lines.leaves(line.text) for line in played.lines)
    return leaves or any(isinstance(command, Resign) for command in played.commands.values())


def _says_back(part: Part, played: PlayedLines) -> bool:
    own = [line for line in unquoted(part.lines) if _BACK.search(line)]
    return any("?" not in line and not _DENIED.search(line) for line in own) and not _leaves(played)


def _stays(session: Session, table: Table, faction: Faction) -> bool:
    if not vacancies.withdraw_offer(session, table.id, faction):
        return False
    told = say("resignation.stays-game-master", faction=faction)
    cause = f"{table.id}.{faction}.stays.{stamp(session.now)}"
    said = FromSeat(faction, say("asks.subject", game=table.id), told, cause)
    if not tell_directors(session, table, said):
        session.writer.tell_game_master(said.subject, [told], cause)
    return True


_WHY_NOT = {"gone": "tournament.leaving.gone", "doubtful": "reading.two-seats", "held": "not-taken.held"}


def _token(table: Table, part: Part) -> str:
    seat = table.seats[part.faction]
    return seat.sitter_token if part.by_sitter else seat.token


def _remember(session: Session, table: Table, part: Part, lines: Sequence[LineVerdict]) -> None:
    options = options_of(lines)
    seen = seen_by(reading_context(table.play, part.faction)) if options else ""
    done = [line.canonical for line in lines if line.status == "accepted"]
    mail = LastMail(_token(table, part), table.id, options, seen, done, session.now)
    remember(session.conn, mail, table.seats[part.faction].tokens)


def answer_commands(
    session: Session, table: Table, part: Part, came: Delivery, played: PlayedLines
) -> list[LineVerdict]:
    lines, to_desk = [*played.lines], 0
    for place, command in played.commands.items():
        text = lines[place].text
        to_desk += isinstance(command, (PressToGameMaster, Report))
        if came.way == "master":
            refused = say("desk.orders-alone")
        elif to_desk > MOST_TO_DESK and isinstance(command, (PressToGameMaster, Report)):
            refused = say("press-not.desk-often", most=MOST_TO_DESK)
        elif part.by_sitter and not isinstance(command, OPEN_TO_SITTERS):
            refused = say("sitter.not-theirs")
        else:
            lines[place] = _command(session, table, part, command, text)
            continue
        lines[place] = LineVerdict(text, "refused", canonical=text, reason=refused)
    return lines


def _reply(part: Part, came: Delivery, lines: Sequence[LineVerdict], notes: Sequence[str], read: _Reading) -> Reply:
    answers, commands = came.answers, read.commands.values()
    board = any(isinstance(command, ShowMap) for command in commands)
    return Reply(
        part.faction,
        lines,
        notes,
        (answers.message_id or "") if answers else "",
        board=board,
        answered=(*answers.references, *answers.in_reply_to) if answers else (),
        position=board or read.back or any(isinstance(command, Status) for command in commands),
        by_sitter=part.by_sitter,
        posted=came.way in ("post", "handed-in"),
        settles=read.settles,
        at_once=came.way != "mail",
    )


def play_part(
    session: Session,
    table: Table,
    part: Part,
    number: int | None = None,
    words: AnsweredWords | None = None,
    memory: Memory = NOTHING,
    sift: Sift = list,
    *,
    old_letter: bool = False,
) -> PlayedLines:
    """Read the lines of a seat and carry them out, without letting the game go on. ``words`` are the words to which the
    lines reply, and ``memory`` describes the seat's earlier mails.

    While the game is on hold, the lines are tried on a copy, to see their result, and kept until the game is released.
    """
    seat = table.seats[part.faction]
    zone, turn = zone_named(seat.timezone), table.play.state.turn
    due = cache(lambda: deadlines.missed_kinds(session.conn, table.id, seat.faction, turn))
    late = LateAnswers(due, zone, session.now, old_letter)
    own = [make_harmless(line, session.settings.mentat.address) for line in fold_press(part.lines)]
    takes = session.settings.mentat.plain_words == "take" and words is None
    at = games.open_table(session.conn, table.id) if table.on_hold else table
    across = OtherTables(session.conn, table.id)

    def why_not(order: object) -> str:
        return across.why_not(order) or order_lines.why_words_refused(session.conn, table, part.faction, order)

    today = session.now.astimezone(zone).date()
    asked_by = reading_context(at.play, seat.faction, today, takes=False)
    if words and (reply := press_mail.reply_command(words, unquoted(own), asked_by)):
        return PlayedLines([LineVerdict(" ".join(unquoted(own)), "done")], {0: reply})
    memory = replace(memory, on_file=lambda: orders_on_file(at.play, at.sheets.get(part.faction), part.faction))
    played = play_lines(at, seat.faction, own, late, today, takes=takes, why_not=why_not, memory=memory, sift=sift)
    if told := across.told(seat.faction):
        cause = f"{table.id}.{seat.faction}.{session.now.isoformat()}.{number}.across"
        said = FromSeat(seat.faction, say("across.subject", game=table.id), told, cause)
        tell_directors(session, table, said)
    if not table.on_hold:
        return played
    context = reading_context(at.play, seat.faction, today, takes=takes)
    return order_lines.keep_until_release(session.conn, table, seat.faction, played, context, number, session.now)


def _seek_successor(session: Session, table: Table, faction: Faction, done: CommandAnswer) -> CommandAnswer:
    if filling := substitutes.note_resignation(session, table.id, faction):
        return structs.replace(done, text=say("resignation.in-tournament", asked=filling.asked is not None))
    offer = vacancies.offer_by_itself(session, table.id, faction, "resigned")
    if offer is None:
        return done
    asked = [seat.address for seat in lobby.seats_of(session.conn, offer.id, "offered")]
    told = say("resignation.offered", asked=bool(asked), care=table.seats[faction].care)
    to_desk = f"{done.for_game_master} {say('resignation.offered-to', asked=''.join(asked))}"
    return structs.replace(done, text=told, for_game_master=to_desk)


def _command(session: Session, table: Table, part: Part, command: MailCommand, text: str) -> LineVerdict:
    faction = part.faction

    def latest() -> list[Event]:
        turn = table.play.state.turn
        return [e for number in range(turn - 2, turn + 1) for e in games.events_of_turn(session.conn, table.id, number)]

    done = answer_request(session, table, faction, command)
    if done and isinstance(command, Resign):
        done = _seek_successor(session, table, faction, done)
    done = done or answer_about_sitter(session, table, faction, command, sits=part.by_sitter)
    done = done or answer_about_addresses(session, table, faction, command)
    done = done or answer_about_forum(session, table, faction, command)
    done = done or answer_about_archive(session.conn, table, faction, command)
    done = done or answer_about_rating(session.conn, table, faction, command)
    done = done or answer_about_rulings(session.conn, table, command)

    def private() -> Iterable[str]:
        return press_mail.private_lines(session.writer.position(table, faction, ()), faction, latest())

    done = done or answer_press(session, table, faction, command, private)
    done = done or answer_command(table, faction, command, latest)
    if done.for_game_master:
        cause = f"{table.id}.{faction}.{table.seats[faction].letters}.{text}"
        said = FromSeat(faction, say("asks.subject", game=table.id), done.for_game_master, cause, done.ready)
        if not tell_directors(session, table, said):
            if isinstance(command, PressToGameMaster | AskForSitter):
                return LineVerdict(text, "refused", canonical=text, reason=say("press-not.desk-plays"))
            session.writer.tell_game_master(said.subject, [said.told], cause)
    return LineVerdict(text, done.status, canonical=text, reason=done.text)


def order_for_seat(request: DeskRequest, faction: Faction, lines: Sequence[str]) -> list[LineVerdict]:
    """Give orders for a seat as if its player had written these lines, and return the verdicts.

    The player gets the answer at once; nobody else learns of it before the end of the game. Raise PowerRefused if
    nobody plays that faction, if no line can be accepted, or if the game is blind, because the verdict on an order
    reveals what the seat holds.
    """
    with using(request, "order") as used:
        require_seat(used.table, faction)
        used.require_sight()
        used.words = f"{faction}: {'; '.join(lines)}"
        part = Part(request.game, faction, tuple(lines))
        notes = [say("desk.ordered"), *own_words(request.use.tell)]
        with speaking(used.table.play.game.rules.edition):
            taken = take_lines_at(used.session, used.table, part, Delivery("master", notes=notes))
        if not any(line.status in TAKEN_STATUSES for line in taken):
            raise PowerRefused("; ".join(f"{line.text}: {line.reason}" for line in taken))
        return taken


def release_game(request: DeskRequest) -> None:
    """Release a game from its hold: carry out the kept orders in the order in which they arrived, answer each mail, and
    give the lost time back. Raise PowerRefused if the game is not on hold."""
    with using(request, "release") as used:
        conn, table = used.conn, used.table
        if not table.on_hold:
            raise PowerRefused(f"{request.game} is not on hold; `mentat game hold {request.game}` holds it.")
        table.on_hold = None
        if table.stopped_why == clocks.HOLD:
            clocks.give_time_back(used.session, table)
        notices.tell_new_deadline(used.session.writer, table, "release", say("release.notice"), told=request.use.tell)
        for held in games.take_held_lines(conn, request.game) if used.may_foresee else ():
            part = Part(request.game, held.faction, held.lines)
            with speaking(table.play.game.rules.edition):
                came = Delivery("kept", held.message, notes=[say("desk.after-hold")])
                take_lines_at(used.session, table, part, came)
