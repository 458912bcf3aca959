"""The lines of one seat: played, answered, and what follows from them.

Lines that a player mailed come through here. So do the lines that a game master orders for a seat, and those that
waited while the game was on hold, until the game master releases it. They take one road, so they come to the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from bot.desk import clocks
from bot.desk.powers import AT_THE_MACHINE, PowerRefused, Use, using
from bot.desk.seats import require_seat
from bot.desk.speech import answer_about_rulings, answers_the_desk, take_desk_answer
from bot.games import notices, silent_players
from bot.games.forum_accounts import answer_about_forum
from bot.games.identity import Part
from bot.games.notices import FromSeat, announce_return, own_words, tell_directors
from bot.games.open_games import OpenGames
from bot.games.requests import answer_request
from bot.games.seat_addresses import answer_about_addresses, answer_about_sitter
from bot.games.seat_mail import Reply, make_harmless
from bot.language.commands import (
    AskForSitter,
    Cancel,
    Help,
    History,
    MailCommand,
    Press,
    PressReply,
    PressToGameMaster,
    PressToNobody,
    PressWithoutEnd,
    Report,
    Rules,
    SendAnyway,
    ShowDeals,
    ShowMap,
    ShowOrders,
    SitterOff,
    Status,
)
from bot.language.lines import fold_press
from bot.mail.identity import answers_own_letter
from bot.mail.message import Incoming
from bot.moderator import automatic_mail, order_lines, press_mail
from bot.moderator.commands import answer_about_archive, answer_about_rating, answer_command
from bot.moderator.order_lines import (
    LateAnswers,
    OtherTables,
    PlayedLines,
    play_lines,
    refuse_all_lines,
    situations_left_open,
)
from bot.moderator.press_mail import AnsweredWords, answer_press
from bot.render.material import LineVerdict
from bot.store import deadlines, games
from bot.store.database import Connection
from bot.table.lines import reading_context
from bot.table.rounds import go_on
from bot.table.table import Table, TableBefore
from bot.wording import say
from bot.wording.filters import speaking
from rules.components import Faction
from rules.state.events import Event

OPEN_TO_SITTERS = (
    Status, ShowMap, History, Rules, ShowOrders, ShowDeals, Cancel, Help, Press, PressReply, PressToNobody,
    PressWithoutEnd,
    SendAnyway, Report, PressToGameMaster, SitterOff,
)  # fmt: skip
"""What whoever sits in for a player may do for them, besides their orders; what is about the player is not theirs."""
MOST_TO_DESK = 5
"""So many lines of one mail go to the desk, each in a letter of its own."""
ORDER_STATUSES = ("accepted", "held", "refused")  # what becomes of lines by which players show that they play
TAKEN_STATUSES = ("accepted", "held", "done")

Way = Literal["mail", "kept", "master", "post", "handed-in"]
"""How lines came: in a mail of the player, or of whoever sits in; in one that came while the game was on hold, and was
heard then; from a game master, so that nothing in them shows that the player is there, and nothing but their orders
counts; in a public post of the player, which everybody reads and by which no mail of theirs came; in one that a game
master has handed in, so that the player must learn of it."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """How the lines of a seat came. ``number`` is that of the mail, ``answers`` the mail itself if it belongs to this
    game; ``notes`` stand in its answer."""

    way: Way = "mail"
    number: int | None = None
    answers: Incoming | None = None
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Reading:
    """What became of the lines when they were read. ``commands`` are still to be answered; ``back``: the player is
    there again, for whom others acted."""

    lines: list[LineVerdict]
    commands: Mapping[int, MailCommand]
    notes: Sequence[str] = ()
    back: bool = False


def take_lines(conn: Connection, open_games: OpenGames, part: Part, came: Delivery, now: datetime) -> int:
    """Read the lines of a known player, let the game go on, and write the letters; how many lines were taken."""
    table = open_games.table(conn, part.game_id)
    with speaking(table.play.game.rules.edition):
        lines = take_lines_at(conn, open_games, table, part, came, now)
    return sum(line.status in TAKEN_STATUSES for line in lines)


def take_lines_at(
    conn: Connection, open_games: OpenGames, table: Table, part: Part, came: Delivery, now: datetime
) -> list[LineVerdict]:  # fmt: skip
    """Take lines in a game that is open, however they came; what became of each. A post is answered by mail where
    something in it was not taken as it stands: what was, everybody sees."""
    seat = table.seats[part.faction]
    before, table.now = TableBefore.of(table), now
    read = _read(conn, open_games, table, part, came, now)
    games.save(conn, table, now, open_games.clock(table), came.number)
    saved = dict(table.deadlines)
    lines = answer_commands(conn, open_games, table, part, came, PlayedLines(read.lines, read.commands), now)
    announced = {at: due for at, due in table.deadlines.items() if at in before.deadlines and due != saved.get(at)}
    before.deadlines.update(announced)
    if read.back:
        announce_return(conn, open_games.writer, table, seat.faction, now)
    notes = [*came.notes, *read.notes]
    if came.way == "mail" and not part.by_sitter:
        notes = [*silent_players.note_heard_from(table, seat.faction), *notes]
        notes = [*notes, *automatic_mail.count_fruitless_mails(conn, open_games, table, seat.faction, lines, now)]
    answered = came.way in ("master", "handed-in") or automatic_mail.is_answered(seat)
    if came.way == "post":
        answered = any(line.status not in TAKEN_STATUSES or line.reason for line in lines)
    reply = _reply(open_games, part, came, lines, notes, read.commands.values()) if answered else None
    open_games.writer.answer(conn, table, before, now, reply)
    games.close(conn, table)
    return lines


def _read(conn: Connection, open_games: OpenGames, table: Table, part: Part, came: Delivery, now: datetime) -> _Reading:
    """Read the lines: not taken at all, an answer to the game master, or orders and commands; the game goes on."""
    faction, answers = part.faction, came.answers
    if part.doubtful or table.status == "held":
        why = say("reading.two-seats") if part.doubtful else say("not-taken.held")
        lines = refuse_all_lines(part.lines, why)
        return _Reading(lines, {}, [] if lines else [why])
    if part.lines and answers and not part.by_sitter and answers_the_desk(table, faction, answers.in_reply_to):
        passed = take_desk_answer(conn, open_games, table, faction, "\n".join(part.lines), now)
        reason = say("desk.answer-passed") if passed else say("press-not.desk-plays")
        return _Reading([LineVerdict(line, "done" if passed else "refused", line, reason) for line in part.lines], {})
    words = press_mail.words_answered(conn, table, faction, answers.in_reply_to) if answers else None
    played = play_part(conn, open_games, table, part, came.number, now, words)
    spoken = came.way not in ("master", "kept") and any(line.status in ORDER_STATUSES for line in played.lines)
    back = spoken and silent_players.clear_strikes(table, faction)
    games.ready_for_deputies(conn, table)
    go_on(table, now)
    notes = situations_left_open(table, faction, played.lines)
    if words and any(line.status in ("talk", "unread") for line in played.lines):
        notes = [*notes, say("press-to.reply-beside", faction=words.writer, desk=words.press is None)]
    return _Reading(played.lines, played.commands, notes, back)


def answer_commands(
    conn: Connection, open_games: OpenGames, table: Table, part: Part, came: Delivery, played: PlayedLines,
    now: datetime,
) -> list[LineVerdict]:  # fmt: skip
    """The lines, with those answered that are about the mail itself."""
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
            lines[place] = _command(conn, open_games, table, part, command, text, now)
            continue
        lines[place] = LineVerdict(text, "refused", canonical=text, reason=refused)
    return lines


def _reply(
    open_games: OpenGames, part: Part, came: Delivery, lines: Sequence[LineVerdict], notes: Sequence[str],
    commands: Collection[MailCommand],
) -> Reply:  # fmt: skip
    answers = came.answers
    board = any(isinstance(command, ShowMap) for command in commands)
    position = board or any(isinstance(command, Status) for command in commands)
    identity = answers.message_id or "" if answers else ""
    in_thread = answers is not None and answers_own_letter(answers, open_games.settings.mentat.address)
    posted = came.way in ("post", "handed-in")
    return Reply(part.faction, lines, notes, identity, board, in_thread, position, part.by_sitter, posted)


def play_part(
    conn: Connection, open_games: OpenGames, table: Table, part: Part, number: int | None, now: datetime,
    words: AnsweredWords | None,
) -> PlayedLines:  # fmt: skip
    """Read and play the lines of a seat; the game does not go on. ``words`` are those that they answer. While the game
    is on hold they are played on a copy, which says what they would come to, and are kept until it goes on."""
    seat = table.seats[part.faction]
    zone, turn = ZoneInfo(seat.timezone), table.play.state.turn
    late = LateAnswers(lambda: deadlines.missed_kinds(conn, table.id, seat.faction, turn), zone)
    own = [make_harmless(line, open_games.settings.mentat.address) for line in fold_press(part.lines)]
    takes = open_games.settings.mentat.plain_words == "take" and words is None
    at = games.open_table(conn, table.id) if table.on_hold else table
    across = OtherTables(conn, table.id)

    def why_not(order: object) -> str:
        return across.why_not(order) or order_lines.why_words_refused(conn, table, part.faction, order)

    today = now.astimezone(zone).date()
    if words and (
        reply := press_mail.reply_command(words, own, reading_context(at.play, seat.faction, today, takes=False))
    ):
        return PlayedLines([LineVerdict(" ".join(own), "done")], {0: reply})
    played = play_lines(at, seat.faction, own, late, today, takes=takes, why_not=why_not)
    if told := across.told(seat.faction):
        cause = f"{table.id}.{seat.faction}.{now.isoformat()}.{number}.across"
        said = FromSeat(seat.faction, say("across.subject", game=table.id), told, cause)
        tell_directors(conn, open_games.writer, table, said, now)
    if not table.on_hold:
        return played
    context = reading_context(at.play, seat.faction, today, takes=takes)
    return order_lines.keep_until_release(conn, table, seat.faction, played, context, number, now)


def _command(
    conn: Connection, open_games: OpenGames, table: Table, part: Part, command: MailCommand, text: str, now: datetime
) -> LineVerdict:  # fmt: skip
    """A line about the mail itself, answered after the game went on."""
    faction = part.faction

    def latest() -> list[Event]:
        turn = table.play.state.turn
        return [e for number in range(turn - 2, turn + 1) for e in games.events_of_turn(conn, table.id, number)]

    clock = open_games.clock(table)
    done = answer_request(conn, open_games.writer, table, faction, command, now, clock)
    done = done or answer_about_sitter(conn, open_games, table, faction, command, now, sits=part.by_sitter)
    done = done or answer_about_addresses(conn, open_games, table, faction, command, now)
    done = done or answer_about_forum(conn, open_games, table, faction, command, now)
    done = done or answer_about_archive(conn, table, faction, command)
    done = done or answer_about_rating(conn, table, faction, command)
    done = done or answer_about_rulings(conn, table, command)

    def private() -> Iterable[str]:
        return press_mail.private_lines(open_games.writer.position(table, faction, now, ()), faction, latest())

    done = done or answer_press(conn, open_games, table, faction, command, private, now)
    done = done or answer_command(table, faction, command, latest)
    if done.for_game_master:
        cause = f"{table.id}.{faction}.{table.seats[faction].letters}.{text}"
        said = FromSeat(faction, say("asks.subject", game=table.id), done.for_game_master, cause)
        if not tell_directors(conn, open_games.writer, table, said, now):
            if isinstance(command, PressToGameMaster | AskForSitter):
                return LineVerdict(text, "refused", canonical=text, reason=say("press-not.desk-plays"))
            open_games.writer.tell_game_master(conn, now, said.subject, [said.told], cause)
    return LineVerdict(text, done.status, canonical=text, reason=done.text)


def order_for_seat(
    open_games: OpenGames, game_id: str, faction: Faction, lines: Sequence[str], now: datetime,
    use: Use = AT_THE_MACHINE,
) -> list[LineVerdict]:  # fmt: skip
    """Order for a seat as if its player had written these lines; what became of each. Its player gets the answer to
    them at once, and nobody else hears of it before the end. PowerRefused if nobody plays that faction, none of
    the lines can be taken, or the game is played blind: what becomes of an order tells what its seat has."""
    with using(open_games, game_id, "order", now, use) as used:
        require_seat(used.table, faction)
        used.require_sight()
        used.words = f"{faction}: {'; '.join(lines)}"
        part = Part(game_id, faction, tuple(lines))
        notes = [say("desk.ordered"), *own_words(use.tell)]
        with speaking(used.table.play.game.rules.edition):
            taken = take_lines_at(used.conn, open_games, used.table, part, Delivery("master", notes=notes), now)
        if not any(line.status in TAKEN_STATUSES for line in taken):
            raise PowerRefused("; ".join(f"{line.text}: {line.reason}" for line in taken))
        return taken


def release_game(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Let a game go on that is on hold: what was ordered meanwhile is played in the order in which it came, each
    mail is answered, and the clocks give the time back. PowerRefused if it is not on hold."""
    with using(open_games, game_id, "release", now, use) as used:
        conn, table = used.conn, used.table
        if not table.on_hold:
            raise PowerRefused(f"{game_id} is not on hold; `mentat game hold {game_id}` holds it.")
        table.on_hold = None
        if table.stopped_why == clocks.HOLD:
            clocks.give_time_back(conn, open_games, table, now)
        notices.tell_new_deadline(conn, open_games.writer, table, now, "release", say("release.notice"), told=use.tell)
        for held in games.take_held_lines(conn, game_id) if used.may_foresee else ():
            part = Part(game_id, held.faction, held.lines)
            with speaking(table.play.game.rules.edition):
                came = Delivery("kept", held.message, notes=[say("desk.after-hold")])
                take_lines_at(conn, open_games, table, part, came, now)
