"""Mails to the desk: the commands of the people who run a game. Each mail is answered with one letter.

A person with a right at a game writes to the reply address in their own letters. They are recognised by the token in
that address together with the address from which they write. The game master of this Mentat can answer any letter from
the desk. A line, or the subject of the mail, names the game, unless there is only one game. A dangerous command is
carried out only after its one-time code has been sent back. The code goes to the address on file, and becomes invalid
if anything happens in the game before it comes back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise

from bot.config import Settings
from bot.desk import clocks, rights
from bot.desk.desk import desk_now
from bot.desk.powers import POWERS, DeskRequest, PowerRefused, Use
from bot.effort import understood
from bot.games.identity import TOO_MANY_MESSAGES, MailOutcome, person_token
from bot.games.letter_writer import Matter, master_token, matter_of
from bot.games.open_games import Session, acts_of, joining, would_be_written
from bot.language.command_lines import ADDRESS, Command, CommandContext, is_outburst, prepare
from bot.language.mail_lines import read_commands, with_one_answer
from bot.language.matters import lacks
from bot.language.moves import agrees, declines
from bot.language.orders import Unread
from bot.language.proposals import NOTHING, Memory, chosen_option
from bot.lobby import tables
from bot.mail.disposition import Examined
from bot.mail.identity import confirmation_code
from bot.mail.message import Incoming, parse
from bot.mail.own_words import Section
from bot.moderator import desk_lines, desk_names
from bot.moderator.desk_answers import answer_question, blocks_to_post, help_lines, mail_lines
from bot.moderator.desk_games import GamesOfMail, context_of_games
from bot.moderator.desk_lines import CONFIRM, OF_GAME, DeskLine, DeskMail, UnreadDeskLine
from bot.moderator.desk_names import games_in
from bot.render import letters
from bot.render.blocks import Block, Paragraph, Row, Rows
from bot.store import acts, desk, games, lobby, mail, people, press, retention, tournaments
from bot.store.acts import GrantedRight
from bot.store.database import Connection
from bot.store.desk import CodeState, PendingCommand
from bot.store.lobby import FORMING
from bot.store.memory import SPOKE, WHOLE, LastMail, memory_of, remember
from bot.store.retention import MessageFilter
from bot.table.calendar import stamp
from bot.table.table import Table
from bot.tournament import organisers
from bot.wording import say
from rules.components import as_faction

HOUR = timedelta(hours=1)
CODE_HOLDS = timedelta(days=1)
MOST_LINES = 40
MOST_QUOTED = 200  # characters of a line of their mail


@dataclass(slots=True)
class _Answer:
    """The answer to one mail. ``key`` identifies the mail. ``rows`` has a row for each line of the mail, and ``notes``
    say which parts of it were not read."""

    session: Session
    key: str
    message_id: str
    notes: list[str]
    incoming: Incoming | None = None  # a mail that may bring a page of a thread
    replied: Sequence[str] | None = None  # our letters that the mail answers; None: their proposals count for nothing
    matter: tuple[str, str] | None = None  # the game and seat of which the answered letter told
    rows: list[Row] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list[Block])  # what is to be posted in a thread
    done: int = 0
    text: str = ""  # of the mail
    refused: list[str] = field(default_factory=list[str])
    asked: bool = False  # a letter asks to confirm one of its lines

    def add(self, line: str, *told: str) -> None:
        self.rows.append(Row(_quoted(line), tuple(part for part in told if part)))


def needs_proof(conn: Connection, settings: Settings, seen: Examined, now: datetime) -> bool:
    """Return whether the identity of a mail's sender must be proved. It must if the mail brings back a desk token that
    belongs to that sender."""
    aim = _aim(conn, settings, seen, now)
    sender = seen.incoming.sender if seen.incoming else ""
    if sender and person_token(settings, sender) in seen.tokens:
        return True
    return aim is not None and sender in people.known_as(conn, aim.address)


def take_desk_mail(session: Session, seen: Examined, unproved: str, key: str) -> MailOutcome | None:
    """Process a mail to the desk and return its outcome, or None for any other mail. ``unproved`` says why the sender's
    identity is not proved, if a proof is needed."""
    aim, incoming = _aim(session.conn, session.settings, seen, session.now), seen.incoming
    if incoming is None or seen.verdict.disposition not in ("orders", "empty"):
        return None
    if aim is None:
        return _take_plea(session, seen, unproved)
    if incoming.sender not in people.known_as(session.conn, aim.address):
        whose = f"of the desk of {aim.game_id}" if aim.game_id else "of the game master"
        _tell_owner(session, aim, incoming.sender)
        return MailOutcome("rejected", f"a token {whose}, but not from its owner's address")
    if unproved:
        return MailOutcome("rejected", f"a command for {aim.game_id or 'a game'} that is not proved: {unproved}")
    if mail.notices_since(session.conn, aim.address, session.now - HOUR) >= session.settings.limits.answers_per_hour:
        return MailOutcome("rejected", TOO_MANY_MESSAGES)
    lines = [line for section in seen.reading.sections if _is_for(section, aim) for line in section.lines]
    replied = None if isinstance(aim, PendingCommand) else tuple(incoming.in_reply_to)
    brings = None if isinstance(aim, PendingCommand) else incoming
    matter = matter_of(session.conn, aim.address, incoming.in_reply_to)
    answer = _Answer(session, key, incoming.message_id or "", list(seen.reading.notes), brings, replied, matter)
    if len(seen.tokens) > 1 and lines:
        answer.add(lines[0], say("desk-mail.several"))
        lines = []
    would_be_written()  # forget dry runs from before this mail
    with joining(session.conn):
        if old := next(filter(None, (desk.old_command(session.conn, token) for token in seen.tokens)), None):
            lines = _of_old_code(answer, *old, lines)
        if isinstance(aim, PendingCommand):
            return _with_code(answer, aim, lines)
        if not aim.game_id:
            return _of_master(answer, aim, lines, incoming.subject)
        return _commands(answer, aim, lines)


def _is_for(section: Section, aim: GrantedRight | PendingCommand) -> bool:
    own = aim.code if isinstance(aim, PendingCommand) else aim.token
    return not section.form and section.token in ("", own)


def _aim(conn: Connection, settings: Settings, seen: Examined, now: datetime) -> GrantedRight | PendingCommand | None:
    for token in seen.tokens:
        if (granted := acts.right_by_token(conn, token)) and granted.game_id:
            return granted
        if pending := desk.pending_command(conn, token, now):
            return pending
        if (old := desk.old_command(conn, token)) and (owner := _owner_of(conn, settings, old[0], now)):
            return owner
        if token == master_token(settings):
            return GrantedRight(settings.mentat.game_master.lower(), "director", token, now)
    return None


def _owner_of(conn: Connection, settings: Settings, old: PendingCommand, now: datetime) -> GrantedRight | None:
    if old.address.lower() == settings.mentat.game_master.lower():
        return GrantedRight(old.address, "director", master_token(settings), now, old.game_id)
    return acts.right_of(conn, old.address, game_id=old.game_id)


def _of_old_code(answer: _Answer, old: PendingCommand, state: CodeState, lines: list[str]) -> list[str]:
    if state == "waiting" and old.until > answer.session.now:
        return lines
    left = [line for line in lines if not (CONFIRM.fullmatch(line) or agrees(line) or declines(line))]
    for line in lines:
        if line.strip() and line not in left:
            shown = _shown(old.line.split("\n")[-1])
            answer.add(line, say(f"desk-mail.old-code-{state}", line=shown))
    return left


def _take_plea(session: Session, seen: Examined, unproved: str) -> MailOutcome | None:
    """If a mail answers a letter about the sender themselves, such as the letter about a ban, pass it on to the game
    master. Return None for any other mail."""
    incoming, conn, settings = seen.incoming, session.conn, session.settings
    sender = incoming.sender if incoming else ""
    if incoming is None or not sender:
        return None
    if person_token(settings, sender) not in seen.tokens:
        banned = (each.address for each in people.all_bans(conn))
        if owner := next((each for each in banned if person_token(settings, each) in seen.tokens), ""):
            told = say("plea.elsewhere", game_master=settings.mentat.game_master)
            cause = f"plea.{sender}.{session.now.date().isoformat()}"
            session.writer.tell(sender, say("plea.elsewhere-subject"), [told], cause)
            return MailOutcome("rejected", f"an answer to a letter to {owner}, but from another address")
        return None
    if unproved:
        return MailOutcome("rejected", f"the address of {sender}, which is not proved: {unproved}")
    if mail.notices_since(conn, sender, session.now - HOUR) >= session.settings.limits.answers_per_hour:
        return MailOutcome("rejected", TOO_MANY_MESSAGES)
    words = [line for section in seen.reading.sections for line in section.lines if line.strip()]
    ban = people.standing_ban(conn, sender, session.now, tags_apart=settings.identity.tags_apart)
    plea = [say("plea.game-master", address=sender, banned=ban is not None), *words, say("plea.how", address=sender)]
    cause = f"plea.{incoming.message_id}.{stamp(session.now)}"
    played = [seat[0] for seat in people.seats_at_addresses(conn, people.known_as(conn, sender))]
    game = next(iter([*played, *games.not_over(conn)]), "")
    lines = [f"unban {sender}"] if ban and game else []
    session.writer.tell_master_of(Matter(game, "", say("plea.subject", address=sender), plea, lines, cause))
    answers = incoming.message_id or ""
    rendered = letters.notice(None, say("plea.passed-subject"), [say("plea.passed"), *words])
    session.writer.send(sender, rendered, f"{cause}.passed", person_token(settings, sender), answers)
    return MailOutcome("orders", f"words of {sender} for the game master")


def _tell_owner(session: Session, aim: GrantedRight | PendingCommand, sender: str) -> None:
    if isinstance(aim, GrantedRight) and aim.game_id and not _is_master(session, aim.address):
        told = [say("desk-mail.elsewhere", sender=sender, address=aim.address)]
        cause = f"{aim.game_id}.{aim.address}.elsewhere.{session.now.date().isoformat()}"
        subject = say("desk-mail.elsewhere-subject", game=aim.game_id)
        session.writer.tell(aim.address, subject, told, cause, aim.token)


def _is_master(session: Session, address: str) -> bool:
    return address.lower() == session.settings.mentat.game_master.lower()


def _of_master(answer: _Answer, who: GrantedRight, lines: list[str], subject: str) -> MailOutcome:
    session = answer.session
    standings = {each.game.id: each for each in desk_now(session.conn, session.settings, session.now).games}
    known = {game.id.lower(): game.id for game in desk.every_game(answer.session.conn)}
    named = games_in(subject, known) or games_in(" ".join(lines), known)
    lines = [each for line in lines for each in _for_all_games(line, standings)]
    named = [answer.matter[0]] if answer.matter and answer.matter[0] in known.values() else named
    meant = named if len(named) == 1 else standings if len(standings) == 1 else ()
    who = replace(who, game_id=next(iter(meant), ""))
    if who.game_id and _takes_page(answer, who):
        return MailOutcome("orders", f"a page of the thread of {who.game_id}")
    open_ones = list(standings) if len(standings) <= MOST_GAMES else []
    of = _carry_out_mail(answer, who, lines, known, open_ones)
    _write(answer, replace(who, game_id=of[0] if len(of) == 1 else ""))
    return MailOutcome("orders", f"{answer.done} of {len(answer.rows)} commands of the game master were carried out")


def _took_without_game(answer: _Answer, who: GrantedRight, game_id: str, line: str) -> bool:
    word = desk_lines.question_in(line)
    if found := desk_lines.OF_TABLE.fullmatch(line):
        _carry_out_of_table(answer, found["verb"].lower(), found["table"].lower(), line)
    elif (of := desk_lines.OF_GAME.fullmatch(line)) and organisers.read_command(of["line"]):
        event = tournaments.find_tournament(answer.session.conn, of["game"].lower())
        answer.add(line, organisers.take_command(answer.session, event, who, [of["line"]]))
    elif word == "let it stand" and not game_id:
        answer.add(line, say("desk-mail.let-it-stand"))
    elif word.startswith("mail ") and not game_id:
        answer.add(line, *mail_lines(answer.session, who.address, int(word.partition(" ")[2])))
    else:
        return False
    return True


def _carry_out_of_table(answer: _Answer, verb: str, table_id: str, line: str) -> None:
    session = answer.session
    try:
        found = tables.find_forming(session.conn, table_id)
        if verb == "close":
            tables.close_table(session, found)
        else:
            tables.approve_table(session, found, approved=verb == "approve")
    except ValueError as refused:
        answer.add(line, say("desk-mail.refused", why=str(refused)))
        return
    answer.done += 1
    answer.add(line, say(f"desk-done.{verb}-table", table=table_id))


_FOR_ALL = re.compile(
    r"\s*all(?: games)?\s*:\s*(?P<line>(?:pause|resume|hold|release|extend|unextend|remind|waits|tell)\b.*)",
    re.I | re.S,
)


def _for_all_games(line: str, games_now: Collection[str]) -> list[str]:
    found = _FOR_ALL.fullmatch(line)
    return [f"{game}: {found['line']}" for game in games_now] if found else [line]


MOST_GAMES = 12
"""A line that names none of more games than this is not read in each of them."""


def _takes_page(answer: _Answer, who: GrantedRight) -> bool:
    session, incoming = answer.session, answer.incoming
    request = DeskRequest(session.games, who.game_id, session.now)
    page = desk_lines.page_line(session.conn, request, incoming) if incoming else None
    if page is None:
        return False
    line, use = f"page {answer.key}", Use(by=who.address)
    if session.settings.identity.mode != "token+sender" and desk_lines.is_agreed(page):
        _take_page(answer, who.game_id, page, use, _shown(line))
    else:
        _ask_for_code(answer, who, use, page, line)
    if not answer.asked:
        _write(answer, who)
    return True


def _take_page(answer: _Answer, game_id: str, page: DeskLine, use: Use, line: str) -> None:
    session, before = answer.session, answer.done
    _carry_out(answer, game_id, page, use, line)
    if answer.done > before:
        answer.blocks = blocks_to_post(session.games, game_id, session.now)


def _commands(answer: _Answer, who: GrantedRight, lines: list[str]) -> MailOutcome:
    if _takes_page(answer, who):
        return MailOutcome("orders", f"a page of the thread of {who.game_id}")
    _carry_out_mail(answer, who, lines, {who.game_id.lower(): who.game_id})
    _write(answer, who)
    return MailOutcome("orders", f"{answer.done} of {len(answer.rows)} commands for {who.game_id} were carried out")


def _carry_out_mail(
    answer: _Answer, who: GrantedRight, lines: list[str], known: Mapping[str, str], open_ones: Sequence[str] = ()
) -> list[str]:
    """Read a whole mail, carry out its commands and answer each of its lines. Return the games that the mail is about.
    A line that names no game may be about any of the games in ``open_ones``."""
    session, use = answer.session, Use(by=who.address)
    whole = desk_lines.fold_lines(lines)
    places = [place for place, line in enumerate(whole) if line.strip()]
    written = whole[: places[MOST_LINES]] if len(places) > MOST_LINES else whole
    memory = NOTHING if answer.replied is None else memory_of(session.conn, who.token, answer.replied)
    proposed = "\n".join(memory.waiting.options[0]) if memory.waiting else ""
    spoke = _spoke(memory)
    table = _table(session, who.game_id or next(iter(games_in(proposed.partition(":")[0], known)), ""))
    seen = desk_lines.place_of(table)
    written, chosen = _chosen(written, memory, seen)
    answer.text = " ".join(written)
    written = [desk_names.with_date(line, " ".join((*spoke, *written[:place]))) for place, line in enumerate(written)]
    named = games_in(" ".join([*written, proposed.partition(":")[0], who.game_id]), known)
    named += [game for game in open_ones if game not in named]
    read_in = {game: table for game in named if (table := _table(session, game))}
    mails = {game: _mail_of(answer, who, table, written, memory) for game, table in read_in.items()}
    today = session.now.astimezone(session.settings.mentat.timezone).date()
    contexts = {
        game: desk_lines.desk_context(today, {game.lower(): game} if len(known) > 1 else known, table, mails[game])
        for game, table in read_in.items()
    }
    muted = {game: desk_names.Position(today, each, muted=mails[game].muted) for game, each in read_in.items()}
    games_of = GamesOfMail(contexts, muted, known, written, who.game_id)
    if len(known) > 1 and contexts:
        written = games_of.under_names()
        context = context_of_games(replace(games_of, lines=written), seen)
    else:
        context = next(
            iter(contexts.values()),
            desk_lines.desk_context(today, known, None, _mail_of(answer, who, None, written, memory)),
        )
    prepare([*contexts.values(), context])
    done: list[str] = []
    offered: list[tuple[int, Unread]] = []  # and the rows that answer them
    position = ([each.revision for each in read_in.values()], today, memory.waiting, memory.done)
    angry = [line for line in written if is_outburst(line) and not context.means_something(line)]
    written = [line for line in written if line not in angry]
    read = understood((who.token, *written), position, lambda: read_commands(written, context, memory))
    for outburst in angry:
        answer.add(outburst, say("desk-mail.anger"))
    heads: list[tuple[str, int]] = []
    for line in with_one_answer(read, lambda _: say("desk-mail.unread", suggestion="")):
        text = line.result.line if isinstance(line.result, Command) else line.text
        own = OF_GAME.fullmatch(text)
        game = known[own["game"].lower()] if own and own["game"].lower() in known else ""
        text = own["line"] if own and game else text
        game = game or (games_of.game_of(line.text) if len(known) > 1 else who.game_id)
        if isinstance(line.result, Command) and _took_without_game(answer, who, game, text):
            continue
        rows, before = len(answer.rows), answer.done
        if isinstance(line.result, Unread):
            heads.append((game, rows))
            answer.add(line.text, line.result.reason)
            offered.append((rows, line.result))
        elif (changed := desk_lines.changed_use(use, text)) is not None:
            use = changed
        elif text and (of := [game] if game else _asked_in(line.result, text, open_ones)):
            for each in of:
                heads += [(each, len(answer.rows))] if game else []
                use = _carry_out_line(answer, replace(who, game_id=each), use, text)
                if not game:
                    answer.rows[-1] = Row(each, answer.rows[-1].lines)
            done += [text] if answer.done > before and game == who.game_id else []
            told = line.told or (say("desk-mail.read-as", line=text) if text.lower() not in line.text.lower() else "")
            if told and game and len(answer.rows) > rows:
                answer.rows[-1] = Row(_quoted(line.text), (told, *answer.rows[-1].lines))
        elif text:
            asked = desk_lines.question_in(text)
            shown = help_lines(asked.partition(" ")[2], answer.text) if asked.startswith("help") else []
            theirs = _games_of_person(session, text) or list(open_ones)
            answer.add(text, *shown, say("desk-mail.which-game", games=theirs))
    options = _number(answer, offered)
    named = list(dict.fromkeys(game for game, _ in heads))
    firsts = [pair for before_it, pair in pairwise([("", -1), *heads]) if pair[0] != before_it[0]]
    for each, place in reversed(firsts if len(named) > 1 else ()):
        answer.rows[place:place] = [Row(each, ())] if each else []
    if len(places) > MOST_LINES:
        left = len(places) - MOST_LINES
        answer.add(whole[places[MOST_LINES]], say("desk-mail.too-many", most=MOST_LINES, left=left))
    if who.token:
        of_game = games_in(options[0].partition(":")[0], known) if options and not who.game_id else []
        table = _table(session, who.game_id or next(iter(of_game), ""))
        game_id, seen = table.id if table else None, desk_lines.place_of(table)
        if waiting := memory.waiting:
            chosen |= any(chosen_option(line, waiting) is not None for line in lines)
        narrows = chosen or all(map(agrees, filter(str.strip, lines))) or (options and {*options} <= {*spoke})
        beside = [line for line in spoke if narrows and line not in (*done, *options)]
        seats = [f"seats {' '.join(each)}" for each in _seats_named(contexts, written)]
        options += [f"{SPOKE}{line}" for line in dict.fromkeys((*answer.refused, *beside, *seats))]
        remember(session.conn, LastMail(who.token, game_id, options, seen, done, session.now))
    return [game for game in named if game]


def _spoke(memory: Memory) -> list[str]:
    """Return the lines that the answer to this person's last mail mentioned: those that it offered, and those that it
    said were done."""
    waits = [line for option in memory.waiting.options for line in option] if memory.waiting else []
    return [*waits, *(line for line in memory.spoke if not line.startswith("seats ")), *memory.done]


def _seats_named(contexts: Mapping[str, CommandContext], lines: Sequence[str]) -> Iterator[Sequence[str]]:
    for context in list(contexts.values())[:1]:
        seat = context.blanks["SEAT"]
        heads = (re.finditer(seat.pattern, line.partition(":")[0], re.IGNORECASE) for line in lines)
        found = [seat.read(each[0]) for head in heads for each in head if len(each[0]) > 2]
        if named := list(dict.fromkeys(filter(None, found))):
            yield named


_NUMBERS = re.compile(
    r"\W*(?:(?:number|no|option|line)s?\.? )?(?P<all>\d(?:(?:\s*[,;&+/]\s*|\s+(?:and )?)\d)*)\W*", re.IGNORECASE
)
_WITH_PART = re.compile(r"\W*(?P<number>\d)\W+(?P<rest>\S.*)")


def _chosen(lines: Sequence[str], memory: Memory, seen: str) -> tuple[list[str], bool]:
    """Replace each number with the line that had that number in the last answer. Also return whether anything was
    replaced."""
    waiting = memory.waiting
    options = ["\n".join(option) for option in waiting.options] if waiting and waiting.answered else []
    if not waiting or waiting.seen != seen:
        return [*lines], False
    found: list[str] = []
    for line in lines:
        numbered, one = _NUMBERS.fullmatch(line), _WITH_PART.fullmatch(line)
        numbers = [int(each) for each in re.findall(r"\d", numbered["all"])] if numbered else []
        if agrees(line) and len(options) == 1 and lacks(options[0]):
            numbers = [1]
        if not numbers and (place := chosen_option(line, waiting)) is not None:
            numbers = [place + 1] if place < len(options) and lacks(options[place]) else []
        if numbers and all(0 < number <= len(options) for number in numbers):
            found += [options[number - 1] for number in dict.fromkeys(numbers)]
        elif one and 0 < int(one["number"]) <= len(options) and lacks(options[int(one["number"]) - 1]):
            found.append(one["rest"])
        else:
            found.append(line)
    return found, found != [*lines]


def _number(answer: _Answer, offered: Sequence[tuple[int, Unread]]) -> list[str]:
    """If an answer offers several lines, number them. Return the lines, followed by what a plain "yes" to the answer
    would mean."""
    lines = [line for _, read in offered for line in read.open or read.suggestions]
    numbers = {line: number for number, line in enumerate(dict.fromkeys(lines), 1)}
    lacking = any(map(lacks, lines))
    for place, read in offered if len(numbers) > 1 or lacking else ():
        own = [f"{numbers[line]}: “{line}”" for line in read.open or read.suggestions]
        answer.rows[place] = Row(answer.rows[place].label, (*answer.rows[place].lines, *own))
    answer.notes += [say("desk-mail.numbers", lacking=lacking)] if len(numbers) > 1 else []
    sure = [read for _, read in offered if read.together or (len(read.suggestions) == 1 and not read.open)]
    whole = [line for read in sure for line in read.suggestions]
    return [*numbers, *([WHOLE + "\n".join(whole)] if whole and len(numbers) > 1 else [])]


def _games_of_person(session: Session, text: str) -> list[str]:
    found = re.search(ADDRESS.pattern, text)
    known = people.known_as(session.conn, found[0].lower()) if found else ()
    return list(dict.fromkeys(game for game, _ in people.seats_at_addresses(session.conn, known))) if known else []


def _asked_in(result: object, text: str, open_ones: Sequence[str]) -> Sequence[str]:
    if not (isinstance(result, Command) and result.shows):
        return ()
    return open_ones[:1] if desk_lines.question_in(text).startswith(("help", "let")) else open_ones


def _quoted(line: str) -> str:
    return line if len(line) <= MOST_QUOTED else f"{line[: MOST_QUOTED - 1]}…"


def _mail_of(answer: _Answer, who: GrantedRight, table: Table | None, lines: Sequence[str], memory: Memory) -> DeskMail:
    session, is_master = answer.session, _is_master(answer.session, who.address)
    own = {} if not who.game_id or is_master else _own_games(session, who)
    forming = lobby.all_tables(session.conn, *FORMING, "proposed") if is_master else ()
    events = tournaments.all_tournaments(session.conn) if is_master else ()
    looks_after = {each.id for each in forming}, {each.id for each in events}
    if table is None:
        return DeskMail(lines, memory.done, None, own, (), *looks_after)
    seat = answer.matter[1] if answer.matter and answer.matter[0] == table.id else ""
    muted = frozenset(seat for seat in table.seats if press.is_muted(session.conn, table.id, seat))
    about = as_faction(seat) if seat in table.seats else None
    time_back = clocks.line_taking_time_back(acts_of(session.conn, table.id))
    spoke = [line.removeprefix(f"{table.id}: ") for line in _spoke(memory)]
    text, subject = (answer.incoming.text_plain or "", answer.incoming.subject) if answer.incoming else ("", "")
    quoted = (line.lstrip("> \t").strip() for line in text.splitlines() if line.startswith(">"))
    spoke = spoke or [line for line in quoted if isinstance(desk_lines.read_line(line), desk_lines.DeskLine)]
    seats = [each for each in table.seats if each in " ".join(memory.spoke).partition("seats ")[2].split()]
    said = " ".join(spoke or seats)
    spoken_of = [seat for seat in table.seats if re.search(rf"(?<![\w.@-]){seat}(?![\w@-])", said)]
    one = spoken_of[0] if len(spoken_of) == 1 else None
    aside = MessageFilter(table.id, disposition="rejected", most=1)
    numbers = (
        re.findall(r"\b(?:mail|message|number|no\.?) #?(\d+)\b", f"{subject} {text}", re.IGNORECASE) if text else []
    )
    numbers += [f"{each.id}" for each in retention.list_messages(session.conn, aside) if who.right in acts.JUDGES]
    return DeskMail(
        lines,
        memory.done,
        about,
        own,
        muted,
        *looks_after,
        one,
        (numbers or ["NUMBER"])[0],
        time_back,
        spoke,
        seats,
        subject,
        text,
    )


def _own_games(session: Session, who: GrantedRight) -> dict[str, str]:
    return {game.id.lower(): game.id for game in desk.every_game(session.conn) if _has_right(session, who, game.id)}


def _has_right(session: Session, who: GrantedRight, game_id: str) -> bool:
    is_master = _is_master(session, who.address)
    return is_master or acts.right_of(session.conn, who.address, game_id=game_id) is not None


def _table(session: Session, game_id: str) -> Table | None:
    return session.games.table(session.conn, game_id) if games.exists(session.conn, game_id) else None


def _carry_out_line(answer: _Answer, who: GrantedRight, use: Use, line: str) -> Use:
    session = answer.session
    if (changed := desk_lines.changed_use(use, line)) is not None:
        return changed
    if confirmed := CONFIRM.fullmatch(line):
        code = confirmed["code"]
        pending = desk.pending_command(session.conn, code.lower(), session.now) if code else None
        if not code:
            answer.add(line, say("desk-mail.confirm-alone"))
        elif pending is None or pending.address not in people.known_as(session.conn, who.address):
            answer.add(line, say("desk-mail.no-code"))
        else:
            _confirmed(answer, pending, line)
    elif word := desk_lines.question_in(line):
        told, shown = answer_question(session, who.game_id, who.address, word, answer.text)
        answer.add(line, *told)
        answer.blocks += shown
    else:
        _line(answer, who, use, line)
    return use


def _line(answer: _Answer, who: GrantedRight, use: Use, line: str) -> None:
    read = desk_lines.read_line(line)
    if isinstance(read, UnreadDeskLine):
        answer.add(line, say("desk-mail.unread", suggestion=read.suggestion))
    elif read.power.dangerous and not use.dry_run:
        _ask_for_code(answer, who, use, read, line)
    else:
        _carry_out(answer, who.game_id, read, use, line)


def _carry_out(answer: _Answer, game_id: str, read: DeskLine, use: Use, line: str) -> None:
    try:
        told = read.carry_out(DeskRequest(answer.session.games, game_id, answer.session.now, use))
    except (PowerRefused, ValueError, LookupError) as refused:
        answer.add(line, say("desk-mail.refused", why=desk_lines.reason_by_mail(refused, game_id)))
        answer.refused.append(line)
        return
    if use.dry_run and not read.form.looks:
        written = [f"{to}: {subject}" for to, subject in would_be_written()]
        answer.add(line, say("desk-mail.tried", told=told), *written)
    else:
        answer.done += 1
        answer.add(line, *told.split("\n"))


def _ask_for_code(answer: _Answer, who: GrantedRight, use: Use, read: DeskLine, line: str) -> None:
    """Try out a dangerous command without changing anything, and let it wait until its one-time code comes back. A mail
    alone is not enough, because it may be forged."""
    session, trial, shown = answer.session, replace(use, dry_run=True), _shown(line)
    try:
        told = read.carry_out(DeskRequest(session.games, who.game_id, session.now, trial))
    except (PowerRefused, ValueError, LookupError) as refused:
        answer.add(shown, say("desk-mail.refused", why=desk_lines.reason_by_mail(refused, who.game_id)))
        answer.refused.append(line)
        return
    written = len(would_be_written())
    secret = session.settings.key
    code = confirmation_code(
        secret, "desk", who.game_id, who.address, line, stamp(session.now), str(desk.count_codes(session.conn))
    )
    table = session.games.table(session.conn, who.game_id)
    entries = table.entries
    said = (("why", use.why), ("tell", use.tell), ("if", use.at))
    kept = "\n".join([*(f"{name}: {' '.join(words.split())}" for name, words in said if words), line])
    desk.keep_pending(
        session.conn,
        PendingCommand(code, who.game_id, who.address, kept, entries, session.now, session.now + CODE_HOLDS),
    )
    answer.add(shown, say("desk-mail.tried", told=told), say("desk-mail.asked"))
    answer.asked = True
    paragraphs = [
        say("desk-mail.confirm", game=who.game_id, line=shown),
        *(say("desk-mail.would-be", told=each, first=place == 0) for place, each in enumerate(told.split("\n"))),
        *desk_lines.concerned(session.conn, table, read),
        say("desk-mail.would-write", letters=written),
        say("desk-mail.confirm-how"),
        *([say("desk-mail.confirm-hold")] if _may_hold(table, read) else []),
        say("desk-mail.confirm-elsewhere", code=code),
        say("desk-mail.confirm-once", hours=CODE_HOLDS // timedelta(hours=1), page=shown != line),
    ]
    subject = say("desk-mail.confirm-subject", game=who.game_id, line=shown[:60])
    session.writer.tell(who.address, subject, paragraphs, f"{who.game_id}.code.{code}", code)


def _may_hold(table: Table, read: DeskLine) -> bool:
    return (
        table.status == "running" and table.on_hold is None and read.power.when_on_hold and read.power.name != "delete"
    )


def _ask_again(answer: _Answer, pending: PendingCommand) -> None:
    who = _owner_of(answer.session.conn, answer.session.settings, pending, answer.session.now)
    use = Use(by=pending.address)
    for part in pending.line.split("\n") if who else ():
        if (changed := desk_lines.changed_use(use, part)) is not None:
            use = changed
        elif who and isinstance(read := desk_lines.read_line(part), DeskLine):
            _ask_for_code(answer, who, use, read, part)


def _hold_first(answer: _Answer, pending: PendingCommand, line: str) -> MailOutcome:
    desk.settle_code(answer.session.conn, pending.code, "refused")
    _carry_out(
        answer, pending.game_id, DeskLine(POWERS["hold"], POWERS["hold"].forms[0], {}), Use(by=pending.address), line
    )
    _ask_again(answer, pending)
    _send(replace(answer, message_id=""), pending.game_id, pending.address, "", [Rows(tuple(answer.rows))])
    return MailOutcome("orders", f"{pending.game_id} is held for a command that waits for its code")


def _with_code(answer: _Answer, pending: PendingCommand, lines: list[str]) -> MailOutcome:
    if lines and declines(lines[0]):
        desk.settle_code(answer.session.conn, pending.code, "refused")
        answer.add(lines[0], say("desk-mail.declined", line=_shown(pending.line.split("\n")[-1])))
        _send(replace(answer, message_id=""), pending.game_id, pending.address, "", [Rows(tuple(answer.rows))])
        return MailOutcome("orders", f"a command for {pending.game_id} was declined")
    if lines and not rights.is_handover(pending) and re.fullmatch(r"\W*(?:please )?hold(?: first)?\W*", lines[0], re.I):
        return _hold_first(answer, pending, lines[0])
    if not any(CONFIRM.fullmatch(line) for line in lines):
        right = acts.right_of(answer.session.conn, pending.address, game_id=pending.game_id)
        token = right.token if right else ""
        who = GrantedRight(pending.address, "director", token, answer.session.now, pending.game_id)
        if len(own := list(filter(str.strip, lines))) == 1 and agrees(own[0]):
            answer.add(own[0], say("desk-mail.confirm-how"))
            lines = []
        return _commands(answer, who, lines)
    taken_over = _confirmed(answer, pending, lines[0])
    if not taken_over:
        told = Rows(tuple(answer.rows))
        _send(replace(answer, message_id=""), pending.game_id, pending.address, "", [told])
    return MailOutcome("orders", f"a command for {pending.game_id} was confirmed")


def _confirmed(answer: _Answer, pending: PendingCommand, line: str) -> bool:
    session = answer.session
    if rights.is_handover(pending):
        try:
            rights.take_over(session, pending)
        except PowerRefused as refused:
            desk.settle_code(session.conn, pending.code, "refused")
            answer.add(line, say("desk-mail.refused", why=desk_lines.reason_by_mail(refused, pending.game_id)))
            return False
        answer.done += 1
        answer.add(line, say("desk-done.taken-over", game=pending.game_id))
        return True
    desk.settle_code(session.conn, pending.code, "done")
    if page := desk_lines.PAGE.fullmatch(pending.line):  # it is taken wherever the game is: each post counts once
        _page_confirmed(answer, pending, page["mail"])
        return False
    if session.games.table(session.conn, pending.game_id).entries != pending.entries:
        answer.add(line, say("desk-mail.moved-on"))
        _ask_again(answer, pending)
        return False
    use = Use(by=pending.address)
    for part in pending.line.split("\n"):
        if (changed := desk_lines.changed_use(use, part)) is not None:
            use = changed
        elif isinstance(read := desk_lines.read_line(part), DeskLine):
            _carry_out(answer, pending.game_id, read, use, part)
    if games.exists(session.conn, pending.game_id) and session.games.table(session.conn, pending.game_id).on_hold:
        answer.add("hold", say("desk-mail.still-on-hold"))
    return False


def _page_confirmed(answer: _Answer, pending: PendingCommand, digest: str) -> None:
    session, kept = answer.session, parse(mail.raw_of(answer.session.conn, digest))
    request = DeskRequest(session.games, pending.game_id, session.now)
    page = desk_lines.page_line(session.conn, request, kept) if isinstance(kept, Incoming) else None
    if page is None:
        answer.add(_shown(pending.line), say("desk-mail.no-code"))
        return
    _take_page(answer, pending.game_id, page, Use(by=pending.address), _shown(pending.line))


def _shown(line: str) -> str:
    return say("desk-mail.page") if desk_lines.PAGE.fullmatch(line) else line


def _write(answer: _Answer, who: GrantedRight) -> None:
    if not answer.rows:
        answer.add(say("desk-mail.nothing-line"), say("desk-mail.nothing"))
    notes = (Paragraph(note) for note in answer.notes)
    blocks: list[Block] = [Rows(tuple(answer.rows)), *notes, Paragraph(say("desk-mail.how"), "small")]
    _send(answer, who.game_id, who.address, who.token, blocks)


def _send(answer: _Answer, game_id: str, address: str, token: str, blocks: list[Block]) -> None:
    session = answer.session
    subject = headline = say("desk-mail.subject", game=game_id) if game_id else say("desk-mail.subject-of-all")
    if game_id and games.exists(session.conn, game_id):  # this mail may have deleted it
        state = session.games.table(session.conn, game_id).play.state
        headline = say("desk-mail.headline", game=game_id, turn=state.turn, phase=state.phase)
    where = [Paragraph(headline, "small")] if game_id else []
    rendered = letters.to_game_master(subject, [*where, *blocks, *answer.blocks], headline)
    session.writer.send(address, rendered, f"{game_id or 'all'}.desk.{answer.key}", token, answer.message_id)
