"""Mail of those who run a game: commands to the desk, each answered in one letter.

A person with a right at a game writes to the reply address of their own letters; their token and their address together
let them in. A dangerous command waits for its one-time code, which goes to the address on file. It is done only if
nothing has happened in the game meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.desk import rights
from bot.desk.desk import game_status_lines
from bot.desk.powers import DANGEROUS, JUDGES, DeskLine, DeskRequest, PowerRefused, UnreadDeskLine, Use, right_at
from bot.games.identity import TOO_MANY_MESSAGES, MailOutcome
from bot.games.open_games import OpenGames, acts_of, joining, would_be_written
from bot.mail.disposition import Examined
from bot.mail.identity import confirmation_code
from bot.mail.own_words import Section
from bot.moderator import desk_lines
from bot.moderator.desk_lines import CONFIRM, FORMS
from bot.render import letters
from bot.render.blocks import Block, Paragraph, Row, Rows
from bot.render.letters import press_paragraphs
from bot.store import desk, games, mail, people
from bot.store.database import Connection
from bot.store.desk import GrantedRight, PendingCommand
from bot.table.calendar import stamp
from bot.table.press import settings_of
from bot.wording import say

HOUR = timedelta(hours=1)
CODE_HOLDS = timedelta(days=1)
MOST_LINES = 40


@dataclass(slots=True)
class _Answer:
    """What is answered to a mail: a row a line, codes that are asked for in letters of their own, and ``notes`` on what
    was not read of it."""

    notes: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    done: int = 0

    def add(self, line: str, *told: str) -> None:
        self.rows.append(Row(line[:120], tuple(part for part in told if part)))


def needs_proof(conn: Connection, seen: Examined, now: datetime) -> bool:
    """Whether a mail must show that it comes from where it says: its sender is the one whose token it brings back."""
    aim = _aim(conn, seen, now)
    sender = seen.incoming.sender if seen.incoming else ""
    return aim is not None and sender in people.known_as(conn, aim.address)


def take_desk_mail(
    conn: Connection, open_games: OpenGames, seen: Examined, unproved: str, key: str, now: datetime
) -> MailOutcome | None:  # fmt: skip
    """What became of a mail to the desk, with all that follows from it; None for any other mail. ``unproved`` says why
    its sender is not proved, where they must be."""
    aim, incoming = _aim(conn, seen, now), seen.incoming
    if aim is None or incoming is None or seen.verdict.disposition not in ("orders", "empty"):
        return None
    if incoming.sender not in people.known_as(conn, aim.address):
        return MailOutcome("rejected", f"a token of the desk of {aim.game_id}, but not from its owner's address")
    if unproved:
        return MailOutcome("rejected", f"a command for {aim.game_id} that is not proved: {unproved}")
    if mail.notices_since(conn, aim.address, now - HOUR) >= open_games.settings.limits.answers_per_hour:
        return MailOutcome("rejected", TOO_MANY_MESSAGES)
    lines = [line for section in seen.reading.sections if _is_for(section, aim) for line in section.lines]
    answer = _Answer(list(seen.reading.notes))
    if len(seen.tokens) > 1 and lines:
        answer.add(lines[0], say("desk-mail.several"))
        lines = []
    would_be_written()  # what was tried before is no affair of theirs
    with joining(conn):
        if isinstance(aim, PendingCommand):
            return _with_code(conn, open_games, aim, answer, lines, key, now)
        return _commands(conn, open_games, aim, answer, lines, key, incoming.message_id or "", now)


def _is_for(section: Section, aim: GrantedRight | PendingCommand) -> bool:
    """Whether lines are for the desk to which their mail goes, and not for another game or the form of a seat."""
    own = aim.code if isinstance(aim, PendingCommand) else aim.token
    return not section.form and section.token in ("", own)


def _aim(conn: Connection, seen: Examined, now: datetime) -> GrantedRight | PendingCommand | None:
    for token in seen.tokens:
        if granted := desk.right_by_token(conn, token):
            return granted
        if pending := desk.pending_command(conn, token, now):
            return pending
    return None


def _commands(
    conn: Connection, open_games: OpenGames, who: GrantedRight, answer: _Answer, lines: list[str], key: str,
    message_id: str, now: datetime,
) -> MailOutcome:  # fmt: skip
    use = Use(by=who.address)
    whole = desk_lines.fold_lines(list(filter(str.strip, lines)))
    written, left = whole[:MOST_LINES], whole[MOST_LINES:]
    for line, below in zip(written, [*whole, ""][1 : len(written) + 1], strict=True):
        if desk_lines.seems_to_go_on(line, below):
            answer.add(line, say("desk-mail.goes-on", word=line.split()[0].rstrip(":").lower()))
        elif (changed := desk_lines.changed_use(use, line)) is not None:
            use = changed
        elif confirmed := CONFIRM.fullmatch(line):
            code = confirmed["code"]
            pending = desk.pending_command(conn, code.lower(), now) if code else None
            if not code:
                answer.add(line, say("desk-mail.confirm-alone"))
            elif pending is None or pending.address not in people.known_as(conn, who.address):
                answer.add(line, say("desk-mail.no-code"))
            else:
                _confirmed(conn, open_games, pending, answer, line, now)
        elif word := desk_lines.question_in(line):
            answer.add(line, *_answer_question(conn, open_games, who, word, now))
        else:
            _line(conn, open_games, who, use, answer, line, now)
    if left:
        answer.add(left[0], say("desk-mail.too-many", most=MOST_LINES, left=len(left)))
    if not answer.rows:
        answer.add(say("desk-mail.nothing-line"), say("desk-mail.nothing"))
    _write(conn, open_games, who, answer, key, message_id, now)
    return MailOutcome("orders", f"{answer.done} of {len(answer.rows)} commands for {who.game_id} were carried out")


def _answer_question(conn: Connection, open_games: OpenGames, who: GrantedRight, word: str, now: datetime) -> list[str]:
    """The answer to a line that asks for something and does nothing."""
    if not games.exists(conn, who.game_id):  # a line above has deleted it
        return [say("desk-mail.no-game")]
    table = open_games.table(conn, who.game_id)
    right = right_at(conn, open_games, table, who.address)
    if right == "player":
        return [say("desk-mail.plays")]
    if not right:  # a line above has given it away
        return [say("desk-mail.no-right")]
    match word:
        case "acts":
            whole = table.play.over or right in JUDGES  # what was ordered for a seat is its secret until the end
            found = acts_of(conn, who.game_id)
            return [f"{act.at:%Y-%m-%d} {act.what} {act.told if whole else ''}".rstrip() for act in found]
        case "waits":
            return game_status_lines(conn, open_games, who.game_id, now)
        case "press":
            settings = settings_of(table)
            return [settings.words, *press_paragraphs(settings)]
        case _:
            return [*(form.shown for form in FORMS), say("desk-mail.besides")]


def _line(
    conn: Connection, open_games: OpenGames, who: GrantedRight, use: Use, answer: _Answer, line: str, now: datetime
) -> None:  # fmt: skip
    read = desk_lines.read_line(line)
    if isinstance(read, UnreadDeskLine):
        answer.add(line, say("desk-mail.unread", suggestion=read.suggestion))
    elif read.power in DANGEROUS and not use.dry_run:
        _ask_for_code(conn, open_games, who, use, answer, line, now)
    else:
        _carry_out(open_games, who.game_id, read, use, answer, line, now)


def _carry_out(
    open_games: OpenGames, game_id: str, read: DeskLine, use: Use, answer: _Answer, line: str, now: datetime
) -> None:  # fmt: skip
    try:
        told = read.carry_out(DeskRequest(open_games, game_id, now, use))
    except (PowerRefused, ValueError, LookupError) as refused:
        answer.add(line, say("desk-mail.refused", why=str(refused)))
        return
    if use.dry_run and not read.form.looks:
        written = [f"{to}: {subject}" for to, subject in would_be_written()]
        answer.add(line, say("desk-mail.tried", told=told), *written)
    else:
        answer.done += 1
        answer.add(line, told)


def _ask_for_code(
    conn: Connection, open_games: OpenGames, who: GrantedRight, use: Use, answer: _Answer, line: str, now: datetime
) -> None:  # fmt: skip
    """Nothing dangerous is done by a mail alone, for a mail can be forged: it is tried, and waits for its code."""
    trial = replace(use, dry_run=True)
    read = desk_lines.read_line(line)
    try:
        assert isinstance(read, DeskLine)
        told = read.carry_out(DeskRequest(open_games, who.game_id, now, trial))
    except (PowerRefused, ValueError, LookupError) as refused:
        answer.add(line, say("desk-mail.refused", why=str(refused)))
        return
    written = len(would_be_written())
    secret = open_games.settings.secrets.secret.get_secret_value().encode()
    code = confirmation_code(secret, "desk", who.game_id, who.address, line, stamp(now), str(desk.count_codes(conn)))
    entries = open_games.table(conn, who.game_id).entries
    said = (("why", use.why), ("tell", use.tell), ("if", use.at))
    kept = "\n".join([*(f"{name}: {' '.join(words.split())}" for name, words in said if words), line])
    desk.keep_pending(conn, PendingCommand(code, who.game_id, who.address, kept, entries, now, now + CODE_HOLDS))
    answer.add(line, say("desk-mail.tried", told=told), say("desk-mail.asked"))
    paragraphs = [
        say("desk-mail.confirm", game=who.game_id, line=line),
        say("desk-mail.would-be", told=told, letters=written),
        say("desk-mail.confirm-how"),
        say("desk-mail.confirm-elsewhere", code=code),
        say("desk-mail.confirm-once", hours=CODE_HOLDS // timedelta(hours=1)),
    ]
    subject = say("desk-mail.confirm-subject", game=who.game_id, line=line[:60])
    open_games.writer.tell(conn, now, who.address, subject, paragraphs, f"{who.game_id}.code.{code}", code)


def _with_code(
    conn: Connection, open_games: OpenGames, pending: PendingCommand, answer: _Answer, lines: list[str], key: str,
    now: datetime,
) -> MailOutcome:  # fmt: skip
    """A mail to the address of a code: the word confirm is the answer."""
    if not any(CONFIRM.fullmatch(line) for line in lines):
        return MailOutcome("orders", f"a code for {pending.game_id} came back, without the word confirm")
    taken_over = _confirmed(conn, open_games, pending, answer, lines[0], now)
    if not taken_over:
        told = Rows(tuple(answer.rows))
        _send(conn, open_games, pending.game_id, pending.address, "", [told], key, "", now)
    return MailOutcome("orders", f"a command for {pending.game_id} was confirmed")


def _confirmed(
    conn: Connection, open_games: OpenGames, pending: PendingCommand, answer: _Answer, line: str, now: datetime
) -> bool:  # fmt: skip
    """Do what waited; whether that was to take a game over, of which letters of its own tell."""
    if rights.is_handover(pending):
        try:
            rights.take_over(conn, open_games, pending, now)
        except PowerRefused as refused:
            desk.settle_code(conn, pending.code, "refused")
            answer.add(line, say("desk-mail.refused", why=str(refused)))
            return False
        answer.done += 1
        answer.add(line, say("desk-done.taken-over", game=pending.game_id))
        return True
    desk.settle_code(conn, pending.code, "done")
    if open_games.table(conn, pending.game_id).entries != pending.entries:
        answer.add(line, say("desk-mail.moved-on"))
        return False
    use = Use(by=pending.address)
    for part in pending.line.split("\n"):
        if (changed := desk_lines.changed_use(use, part)) is not None:
            use = changed
        elif isinstance(read := desk_lines.read_line(part), DeskLine):
            _carry_out(open_games, pending.game_id, read, use, answer, part, now)
    return False


def _write(
    conn: Connection,
    open_games: OpenGames,
    who: GrantedRight,
    answer: _Answer,
    key: str,
    message_id: str,
    now: datetime,
) -> None:
    notes = (Paragraph(note) for note in answer.notes)
    blocks: list[Block] = [Rows(tuple(answer.rows)), *notes, Paragraph(say("desk-mail.how"), "small")]
    _send(conn, open_games, who.game_id, who.address, who.token, blocks, key, message_id, now)


def _send(
    conn: Connection, open_games: OpenGames, game_id: str, address: str, token: str, blocks: list[Block], key: str,
    message_id: str, now: datetime,
) -> None:  # fmt: skip
    subject = headline = say("desk-mail.subject", game=game_id)
    if games.exists(conn, game_id):  # it may just have been deleted
        state = open_games.table(conn, game_id).play.state
        headline = say("desk-mail.headline", game=game_id, turn=state.turn, phase=state.phase)
    rendered = letters.to_game_master(subject, [Paragraph(headline, "small"), *blocks], headline)
    open_games.writer.send(conn, now, address, rendered, f"{game_id}.desk.{key}", token, message_id)
