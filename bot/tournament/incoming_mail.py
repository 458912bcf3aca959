"""Incoming mail about tournaments: each mail is processed in one transaction.

A mail is about a tournament if it is sent to the tournament's own address, replies to one of its letters, or contains a
line that names it (`enter cup`). The mail's effects and its answer are committed together.

Anybody may write, so the number of answers is limited. An unconfirmed address gets at most one answer an hour. That
answer does not reveal whether the tournament exists, or whether the address is invited or has already entered; these
facts are sent only to the address on file. To change anything, a mail must contain a code, or the token from the
entrant's letters. If it contains neither, Mentat sends a letter with the token to the address on file. A sender who has
a token but writes from another address gets no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.effort import Exhausted
from bot.games.identity import TOO_MANY_MESSAGES, MailOutcome
from bot.games.open_games import OpenGames, Session, joining
from bot.language.command_lines import without_courtesy
from bot.language.moves import agrees
from bot.language.proposals import NOTHING
from bot.mail.disposition import REPEATED_WITHIN, Examined, says_again
from bot.mail.identity import TOKEN_CHARS
from bot.mail.message import Incoming
from bot.store import acts, mail, people, tournament_rounds, tournaments
from bot.store.acts import GrantedRight
from bot.store.database import Connection, reading
from bot.store.memory import memory_of
from bot.store.tournaments import Entrant, Paper, Tournament, UnknownTournament
from bot.tournament import (
    adjudication,
    arbiters,
    automatic,
    beacons,
    desk,
    drawing,
    entrant_lines,
    entries,
    letters,
    mail_lines,
    organisers,
)
from bot.tournament.desk import By, Caller, Refused, acting, entrant_behind
from bot.tournament.entrant_lines import IncomingMail
from bot.tournament.mail_lines import (
    Command,
    Confirm,
    Dropped,
    Enter,
    Line,
    Protest,
    ReadMail,
    Reply,
    Show,
    Talk,
    ToOrganisers,
    Unread,
    Withdraw,
)
from bot.wording import say

HOUR = timedelta(hours=1)
A_DAY = timedelta(days=1)
MOST_LINES = 30
MOST_READ = 300  # lines, including talk
MOST_FRUITLESS = 5
"""The maximum number of mails without any understood line that are answered for one entrant in a day. If there are
more, a program is probably writing them."""


@dataclass(frozen=True, slots=True)
class _Aim:
    """The people whose tokens or codes a mail contains, and the tournament for which it is meant."""

    entrant: Entrant | None = None
    asked: Entrant | None = None  # the entrant whose code the mail contains
    organiser: GrantedRight | None = None
    pending: tuple[Paper, GrantedRight] | None = None  # the command that is confirmed by the code in the mail
    tournament: Tournament | None = None


def needs_proof(conn: Connection, seen: Examined) -> bool:
    """Return True if the identity of a mail's sender must be proved: the mail contains the token of the person whose
    address it gives as its sender."""
    sender = seen.incoming.sender if seen.incoming else ""
    aim = _aim(conn, seen.tokens) if sender else _Aim()
    owner = aim.entrant or aim.asked or aim.organiser
    return owner is not None and sender in people.known_as(conn, owner.address)


def receive_mail(session: Session, seen: Examined, unproved: str, key: str) -> MailOutcome | None:
    """Process a mail about a tournament and return its outcome, or None for any other mail.

    ``unproved`` says why the sender's identity is not proved, if a proof is needed.
    """
    incoming = seen.incoming
    if incoming is None or seen.verdict.disposition not in ("orders", "empty"):
        return None
    if not unproved:
        letters.note_arrived_mail(session.conn, incoming.sender)
    if any(
        people.seat_by_token(session.conn, each, session.now)
        or people.seat_by_sitter_token(session.conn, each, session.now)
        for each in seen.tokens
    ):
        return None
    aim = _aim(session.conn, seen.tokens)
    own = tuple(line for section in seen.reading.sections if not section.form for line in section.lines)
    post = IncomingMail(
        incoming.sender, _read(session, seen, aim), key, incoming.message_id or "", incoming.subject, own
    )
    with joining(session.conn):
        return _receive(session, seen.tokens, post, aim, unproved)


def _receive(
    session: Session, tokens: Sequence[str], post: IncomingMail, aim: _Aim, unproved: str
) -> MailOutcome | None:
    owner = aim.entrant or aim.asked or aim.organiser
    if owner is not None:
        if post.sender not in people.known_as(session.conn, owner.address):
            return MailOutcome("rejected", f"a token of {owner.tournament_id}, but not from its owner's address")
        if unproved:
            return MailOutcome("rejected", f"an address of {owner.tournament_id} that is not proved: {unproved}")
        if (
            mail.notices_since(session.conn, owner.address, session.now - HOUR)
            >= session.settings.limits.answers_per_hour
        ):
            return MailOutcome("rejected", TOO_MANY_MESSAGES)
    if aim.asked:
        return _with_code(session, post, aim.asked.code)
    if aim.entrant:
        return _of_entrant(session, post, aim.entrant)
    if aim.organiser:
        return _of_organiser(session, post, aim.organiser, aim.pending)
    if aim.tournament or not tokens:
        return _of_anybody(session, post, aim.tournament)
    codes = [said.code or token for _, said in post.lines if isinstance(said, Confirm) for token in tokens]
    return _handed_over(session, post, codes)


def _handed_over(session: Session, post: IncomingMail, codes: Sequence[str]) -> MailOutcome | None:
    if any(desk.confirm_handover(session, code, post.sender) for code in codes):
        return MailOutcome("orders", "a tournament was handed over")
    return None


def _aim(conn: Connection, tokens: Sequence[str]) -> _Aim:
    for token in tokens:
        if entrant := tournaments.entrant_by_token(conn, token):
            return _Aim(entrant=entrant)
        if asked := tournaments.entrant_by_code(conn, token):
            return _Aim(asked=asked)
        if (organiser := acts.right_by_token(conn, token)) and organiser.tournament_id:
            return _Aim(organiser=organiser)
        if tournament := tournaments.tournament_by_token(conn, token):
            return _Aim(tournament=tournament)
        if pending := organisers.pending_command(conn, token):
            return _Aim(organiser=pending[1], pending=pending)
    return _Aim()


# --- the lines of a mail ---------------------------------------------------------------------------------------------


_LABEL = re.compile(r"\[[^\]]{0,80}\]\s*")
_ANSWERS = re.compile(r"^\s*(?:re|aw|sv|antw|fwd?|wg|tr)\s*:", re.IGNORECASE)


def _read(session: Session, seen: Examined, aim: _Aim) -> ReadMail:
    own = [line for section in seen.reading.sections if not section.form for line in section.lines]
    memory, tournament, where = NOTHING, aim.tournament.id if aim.tournament else "", ""
    replied = seen.incoming.in_reply_to if seen.incoming else ()
    if aim.entrant:
        tournament, where = aim.entrant.tournament_id, entrant_lines.place_of(session.conn, aim.entrant)
        memory = memory_of(session.conn, aim.entrant.token, replied)
        if not replied and entrant_lines.is_asked(session.conn, aim.entrant):  # "yes" may answer that question
            memory = replace(memory, waiting=None)
    said = [place for place, line in enumerate(own) if not isinstance(mail_lines.read_line(line), Talk)]
    end = min(said[MOST_LINES] if len(said) > MOST_LINES else len(own), MOST_READ)
    read = mail_lines.read_mail(own[:end], memory, tournament, where)
    if end < len(own):
        left = len(said) - MOST_LINES if end < MOST_READ else len(own) - MOST_READ
        why = say("tournament-unread.too-many", most=MOST_LINES if end < MOST_READ else MOST_READ, left=left)
        return replace(read, lines=(*read.lines, (own[end], Unread(why))))
    if any(not isinstance(line, Talk) for _, line in read.lines) or seen.incoming is None:
        return read
    subject = _LABEL.sub("", seen.incoming.subject).strip()
    headed = mail_lines.read_line(subject)
    if _ANSWERS.match(subject) or isinstance(headed, Talk | Unread):
        return read
    return ReadMail(((subject, headed),))


# --- mail to a game --------------------------------------------------------------------------------------------------


def is_event_line(text: str) -> bool:
    read = mail_lines.read_line(text)
    return isinstance(read, ToOrganisers | Protest) or (isinstance(read, Withdraw) and bool(read.games))


_CONCERNS = re.compile(
    r"\b(?:withdraw|leav(?:e|ing)|quit|resign|drop out|pull out)\b.{0,30}\b(?:cup|tournament|event)\b"
    r"|^\W*i (?:hereby )?protest\b",
    re.IGNORECASE,
)


def lines_for_event(conn: Connection, game_id: str, lines: Sequence[str]) -> set[str]:
    """Return the lines of a mail to a game that may be meant for its event: lines in which the player leaves, protests
    or writes to the organisers."""
    near = {line for line in lines if is_event_line(line) or mail_lines.leaves(line) or _CONCERNS.search(line)}
    return near if near and tournament_rounds.table_of_game(conn, game_id) else set()


def take_from_game(session: Session, game_id: str, lines: Sequence[str], came: Incoming) -> int | None:
    """Handle lines that a player sent to a game as if they had been sent to the game's event, which answers them.
    Return the number of lines, or None if the game belongs to no running event or the sender is not one of its
    entrants."""
    table = tournament_rounds.table_of_game(session.conn, game_id)
    tournament = tournaments.find_tournament(session.conn, table.tournament_id) if table else None
    if table is None or tournament is None or tournament.state != "running":
        return None
    entrant = tournaments.entrant_of_person(session.conn, tournament.id, came.sender)
    if entrant is None:
        return None
    try:
        read = mail_lines.read_mail(lines, NOTHING, tournament.id, entrant_lines.place_of(session.conn, entrant))
    except Exhausted:
        return None  # the game answers that the mail is too long to be understood
    post = IncomingMail(entrant.address, read, f"{game_id}.{came.message_id}", came.message_id or "", came.subject)
    said = [(text, line) for text, line in read.lines if not isinstance(line, Talk)]
    with joining(session.conn):
        return entrant_lines.answer_entrant(session, tournament, entrant, said, post)


# --- any sender -----------------------------------------------------------------------------------------------------


def _with_code(session: Session, post: IncomingMail, code: str) -> MailOutcome | None:
    said = post.first(Confirm)
    given = said.code if isinstance(said, Confirm) else ""
    agreed = any(_agrees(text, line) for text, line in post.lines)
    if not (agreed or given):
        return MailOutcome("orders", "the code of an entry came back, without the word confirm")
    return _confirm(session, post, code if agreed and len(given) != TOKEN_CHARS else given)


def _agrees(text: str, line: Line) -> bool:
    """Return True if a line confirms without a code: in the standard form, with a yes, or in words that say only this.

    The automatic receipt of a mail program does not count.
    """
    said_yes = agrees(text) or agrees(without_courtesy(text)[0])
    return (
        (isinstance(line, Confirm) and not line.code)
        or said_yes
        or (bool(_CONFIRMS.search(text)) and bool(_NOTHING_ELSE.fullmatch(text)))
    )


_CONFIRMS = re.compile(r"\bconfirm(?:ed)?\b", re.IGNORECASE)
_NOTHING_ELSE = re.compile(
    r"(?:\b(?:confirm|confirmed|i|yes|ok|okay|sure|please|do|hereby|my|the|this|it|entry|thanks|thank|you)\b|[\s,.!:–-])+",
    re.IGNORECASE,
)


def _confirm(session: Session, post: IncomingMail, code: str) -> MailOutcome:
    return _confirmed(session, post, code) or _neutral(session, post)


def _confirmed(session: Session, post: IncomingMail, code: str) -> MailOutcome | None:
    pending = tournaments.entrant_by_code(session.conn, code)
    settled: Sequence[Line] = ()
    if pending is not None and pending.address == post.sender:
        _, settled = _settle(session, pending, post)
    if entrant := entries.confirm_entry(session, code, post.sender):
        _answer_beside(session, entrant, post, settled)
        return MailOutcome("orders", f"{entrant.handle} confirmed that they enter {entrant.tournament_id}")
    if desk.confirm_handover(session, code, post.sender):
        return MailOutcome("orders", "a tournament has another director")
    return None


def _answer_beside(session: Session, entrant: Entrant, post: IncomingMail, settled: Sequence[Line]) -> None:
    lines = [
        (text, line)
        for text, line in post.lines
        if not (isinstance(line, Talk | Enter | Reply | Confirm) or line in settled or _agrees(text, line))
    ]
    if lines:
        tournament = tournaments.find_tournament(session.conn, entrant.tournament_id)
        entrant_lines.answer_entrant(session, tournament, entrant, lines, post)


def _of_anybody(session: Session, post: IncomingMail, tournament: Tournament | None) -> MailOutcome | None:
    if tournament is None and not tournaments.any_tournament(session.conn):
        return None
    for _, line in post.lines:
        if isinstance(line, Confirm) and line.code and (done := _confirmed(session, post, line.code)):
            return done
    said = next((line for _, line in post.lines if not isinstance(line, Talk | Dropped | Unread)), None)
    match said:
        case Confirm(code) if code:
            return _neutral(session, post)
        case Enter(named):
            return _enter(session, post, said, _found(session.conn, named))
    if tournament is None:
        named = getattr(said, "tournament", "")
        tournament = _found(session.conn, named) if named else None
        if not named or tournament is None or not _takes_part(session.conn, tournament, post.sender):
            return _not_theirs(session, post, said) if named else None
    granted = acts.right_of(session.conn, post.sender, tournament_id=tournament.id)
    if granted is not None and not isinstance(said, Show):
        return MailOutcome("rejected", f"an organiser of {tournament.id}, without the token of their letters")
    own = tournaments.entrant_of_person(session.conn, tournament.id, post.sender)
    if own is None or not own.confirmed_at:
        return _neutral(session, post)
    if _too_many(session, own.address):
        return MailOutcome("rejected", TOO_MANY_MESSAGES)
    if isinstance(said, Show):
        entrant_lines.answer_entrant(session, tournament, own, [_only(post, said)], replace(post, message_id=""))
        return MailOutcome("orders", f"{own.handle} asked about {tournament.id}")
    talk = organisers.for_organisers([text for text, line in post.lines if isinstance(line, Talk)])
    if talk and said is None:
        organisers.pass_on(session, tournament, own, talk, proved=False)
        entrant_lines.tell_passed_on(session, own, post)
        return MailOutcome("orders", f"{own.handle} wrote to the organisers of {tournament.id} without their token")
    entrant_lines.ask_for_token(session, tournament, own, [text for text, _ in post.lines])
    return MailOutcome("orders", f"lines for {own.handle} of {tournament.id} without their token: they were asked")


def _only(post: IncomingMail, wanted: Line) -> tuple[str, Line]:
    return next((text, line) for text, line in post.lines if line is wanted)


def _found(conn: Connection, named: str) -> Tournament | None:
    try:
        return tournaments.find_tournament(conn, named)
    except UnknownTournament:
        return None


def _takes_part(conn: Connection, tournament: Tournament, address: str) -> bool:
    own = tournaments.entrant_of_person(conn, tournament.id, address)
    return (own is not None and own.confirmed_at is not None) or acts.right_of(
        conn, address, tournament_id=tournament.id
    ) is not None


def _not_theirs(session: Session, post: IncomingMail, said: Command | None) -> MailOutcome | None:
    """Answer a mail that names a tournament in which its sender does not take part, or one that does not exist.

    The outcome is the same in both cases. If the first word of the line is also a command in games, or if the mail
    comes from a player of a game, the mail is left to the games.
    """
    plays = bool(people.seats_at_addresses(session.conn, people.known_as(session.conn, post.sender)))
    if plays or (isinstance(said, Show) and said.what in ("status", "help")):
        return None
    return _neutral(session, post)


def _enter(session: Session, post: IncomingMail, said: Enter, tournament: Tournament | None) -> MailOutcome:
    known = entrant_behind(session.conn, session.settings, tournament.id, post.sender) if tournament else None
    if tournament is not None and entries.directs_tournament(session.conn, session.settings, tournament, post.sender):
        if not _too_many(session, post.sender):
            entrant_lines.tell_organiser_cannot_play(session, tournament, post.sender)
        return MailOutcome("orders", f"an organiser of {tournament.id} cannot enter it")
    if tournament is None or not entries.takes_entries(session, tournament, known, post.sender):
        if known is not None and known.confirmed_at and not _too_many(session, known.address):
            entrant_lines.tell_cannot_enter(session, known)
            return MailOutcome("orders", f"{known.handle} cannot enter {known.tournament_id}")
        return _neutral(session, post)
    asked = entries.request_entry(
        session, tournament, entries.EntryRequest(post.sender, said.name, said.standby, shown=True)
    )
    entrant = asked.entrant
    if asked.how == "in":
        if not _too_many(session, entrant.address):
            entrant_lines.tell_in_already(session, entrant)
        return MailOutcome("orders", f"{entrant.handle} is in {tournament.id} already")
    if asked.how == "asked":
        entrant, _ = _settle(session, entrant, post)
    if not _too_many(session, entrant.address, is_code=True):
        entries.write_code(session, tournament, entrant, answers=post.message_id)
    return MailOutcome("orders", f"{entrant.handle} wants to enter {tournament.id}")


def _settle(session: Session, entrant: Entrant, post: IncomingMail) -> tuple[Entrant, list[Line]]:
    conn, address = session.conn, session.settings.mentat.address
    settled: list[Line] = []
    for _, line in post.lines:
        done = entrant_lines.settle_own_line(conn, entrant, line, address, session.now)
        if done and done.status == "done":
            settled.append(line)
        entrant = tournaments.find_entrant(conn, entrant.tournament_id, entrant.handle) or entrant
    return entrant, settled


def _neutral(session: Session, post: IncomingMail) -> MailOutcome:
    """Send the neutral answer, at most once an hour. It is the same for all matters that do not concern this address or
    must be kept from it."""
    if not _too_many(session, post.sender):
        entrant_lines.answer_neutrally(session, post.sender, post.message_id)
    return MailOutcome("orders", "about a tournament; answered without a word about it")


def _too_many(session: Session, address: str, *, is_code: bool = False) -> bool:
    """Return True if this address has already had all the answers that it may get this hour.

    An unconfirmed address gets one answer an hour. All unconfirmed addresses together have a daily limit, half of it
    reserved for codes, and an hourly limit. So nobody can fill other people's mailboxes by writing in their names.
    """
    limits, written = session.settings.limits, mail.notices_since(session.conn, address, session.now - HOUR)
    if _is_known(session.conn, address):
        return written >= limits.answers_per_hour
    a_day = limits.strangers_letters_per_day if is_code else max(1, limits.strangers_letters_per_day // 2)
    if written or mail.notices_since(session.conn, address, session.now - A_DAY) >= a_day:
        return True
    most = limits.strangers_letters_per_hour
    return (
        tournaments.count_letters_to_strangers(session.conn, session.now - HOUR, session.settings.mentat.game_master)
        >= most
    )


def _is_known(conn: Connection, address: str) -> bool:
    return any(own.confirmed_at for own in tournaments.entries_of_person(conn, address))


# --- entrants and organisers -----------------------------------------------------------------------------------------


def _of_entrant(session: Session, post: IncomingMail, entrant: Entrant) -> MailOutcome:
    tournament = tournaments.find_tournament(session.conn, entrant.tournament_id)
    lines = [(text, line) for text, line in post.lines if not isinstance(line, Talk)]
    asks = post.lines and all(not isinstance(line, Talk | Unread) for _, line in post.lines)
    if not asks and (reply := arbiters.read_reply(session.conn, entrant, post.subject, post.own)):
        entrant_lines.tell_noted(session, entrant, post, arbiters.take_reply(session, tournament, *reply))
        return MailOutcome("orders", f"{entrant.handle} of {tournament.id} replied to a protest")
    others = [line.tournament for _, line in lines if isinstance(line, Enter) and line.tournament != tournament.id]
    if others:
        for _, line in lines:
            if isinstance(line, Enter) and line.tournament != tournament.id:
                _enter(session, post, line, _found(session.conn, line.tournament))
        lines = [(text, line) for text, line in lines if not isinstance(line, Enter)]
        if not lines:
            return MailOutcome("orders", f"{entrant.handle} of {tournament.id} enters {', '.join(others)}")
    if all(isinstance(line, Unread) for _, line in lines):
        reason = f"{entrant.handle} of {tournament.id} wrote, and no line was understood"
        before = mail.latest_of(session.conn, post.sender, session.now - REPEATED_WITHIN, None)
        again = says_again([text for text, _ in post.lines], before, session.settings.mentat.address)
        answered = mail.kept_for_since(session.conn, post.sender, reason, session.now - A_DAY)
        if not again and answered < MOST_FRUITLESS:
            entrant_lines.answer_entrant(session, tournament, entrant, lines, post)
        return MailOutcome("orders", reason)
    taken = entrant_lines.answer_entrant(session, tournament, entrant, lines, post)
    return MailOutcome("orders", f"{entrant.handle} of {tournament.id} wrote", taken=taken)


_OF_EVENT = re.compile(rf"\s*(?P<id>{mail_lines.ID})\s*:\s*")
_HOLDS = re.compile(
    r"(?P<verb>\s*(?:please )?(?:hold|go on|continue|resume|unhold|void (?:the )?draw(?: of)?))\b"
    rf" ?(?P<id>{mail_lines.ID})?",
    re.IGNORECASE,
)


def _of_organiser(
    session: Session,
    post: IncomingMail,
    organiser: GrantedRight,
    pending: tuple[Paper, GrantedRight] | None = None,
) -> MailOutcome:
    tournament = tournaments.find_tournament(session.conn, organiser.tournament_id)
    picked = organisers.chosen(session, organiser, post.own)
    if len(picked) > 1 and picked != post.own:
        done = [_carried_out(session, tournament, organiser, replace(post, own=(line,))) for line in picked]
        entrant_lines.answer_organiser(session, tournament, organiser, post, "\n\n".join(filter(None, done)))
        return MailOutcome("orders", f"an organiser of {tournament.id} chose {len(picked)} lines")
    post = replace(post, own=tuple(picked))
    first = next((line for line in post.own if line.strip()), "")
    told = organisers.answer_pending(session, tournament, pending, first) if pending else ""
    if pending:
        own = acts.right_of(session.conn, organiser.address, tournament_id=tournament.id)
        organiser = own or replace(organiser, token="")
    named = False  # True if the line begins with the id of the event
    if (found := _OF_EVENT.match(first)) and not told:
        theirs = {each.tournament_id: each for each in _rights_of(session.conn, organiser.address)}
        if other := theirs.get(found["id"].lower()):
            organiser, tournament = other, tournaments.find_tournament(session.conn, other.tournament_id)
            post = replace(post, own=tuple(line[found.end() :] if line is first else line for line in post.own))
            first, named = first[found.end() :], True
    if not told and (found := _HOLDS.match(first)):
        theirs = {each.tournament_id: each for each in _rights_of(session.conn, organiser.address)}
        if other := theirs.get((found["id"] or "").lower()):
            organiser, tournament = other, tournaments.find_tournament(session.conn, other.tournament_id)
            line = found["verb"] + first[found.end() :]
            post = replace(post, own=tuple(line if each is first else each for each in post.own))
        elif _LETTER_OF_SEVERAL.search(post.subject) and len(theirs) > 1:
            lines = [f"“{found['verb'].strip().lower()} {event}”" for event in sorted(theirs)]
            told = say("tournament.step.which", lines=lines)
    elif not told and not named and _LETTER_OF_SEVERAL.search(post.subject):
        every = sorted(each.tournament_id for each in _rights_of(session.conn, organiser.address))
        if len(every) > 1 and drawing.read_void(post.own):
            told = say("tournament.step.which", lines=[f"“void the draw of {event}: …”" for event in every])
        elif len(every) > 1 and organisers.read_command(first):
            told = say("tournament.step.which", lines=[f"“{event}: {first.strip()}”" for event in every])
    told = told or _carried_out(session, tournament, organiser, post)
    entrant_lines.answer_organiser(session, tournament, organiser, post, told)
    return MailOutcome("orders", f"an organiser of {tournament.id} wrote")


_LETTER_OF_SEVERAL = re.compile(r"\byour events on\b", re.IGNORECASE)


def _rights_of(conn: Connection, address: str) -> list[GrantedRight]:
    every = tournaments.all_tournaments(conn, "open", "drawn", "running")
    found = [acts.right_of(conn, address, tournament_id=each.id) for each in every]
    return [each for each in found if each is not None]


def _carried_out(session: Session, tournament: Tournament, organiser: GrantedRight, post: IncomingMail) -> str:
    if judged := arbiters.read_verdict(post.subject, post.own):
        told, decided = arbiters.take_verdict(session, tournament, organiser, *judged)
        if decided:
            adjudication.carry_out(session, tournament, decided)
        return told
    if value := next(filter(None, map(beacons.read_value_line, post.own)), None):
        try:
            return beacons.take_value(session, tournament, value, organiser)
        except Refused as refused:
            return str(refused)
    if answered := organisers.read_answer(post.subject, post.own):
        return organisers.answer_question(session, tournament, organiser, *answered)
    if organiser.right in acts.DIRECTORS and (void := drawing.read_void(post.own, tournament.id)):
        return drawing.void_by_mail(session, tournament, By(organiser.address, organiser.right), void)
    told = organisers.take_command(session, tournament, organiser, post.own, post.subject)
    told = told or automatic.hold_or_go_on(session, tournament, organiser, post.own)
    shows = any(isinstance(line, Show) for _, line in post.lines)
    return told if told or shows else organisers.offer(session, tournament, organiser, post.own)


def write_waiting_codes(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        waiting = {entrant.tournament_id for entrant in tournaments.entrants_to_write(conn)}
    for tournament_id in sorted(waiting):
        with acting(Caller(open_games, now), tournament_id) as (session, tournament):
            if tournament.state not in ("open", "drawn", "running"):
                continue
            for entrant in tournaments.entrants_to_write(session.conn):
                here = entrant.tournament_id == tournament_id
                if here and not _too_many(session, entrant.address, is_code=True):
                    entries.write_code(session, tournament, entrant)


def remind_unconfirmed(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        every = tournaments.all_tournaments(conn, "open")
        waiting = [each.id for each in every if entries.unconfirmed_to_remind(conn, each, now)]
    for tournament_id in waiting:
        with acting(Caller(open_games, now), tournament_id) as (session, tournament):
            for entrant in entries.unconfirmed_to_remind(session.conn, tournament, now):
                if not _too_many(session, entrant.address, is_code=True):
                    entries.remind_unconfirmed(session, tournament, entrant)
