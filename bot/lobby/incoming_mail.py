"""Mail at Mentat's own address that belongs to no game and no event: one mail, one transaction, one answer.

Whoever brings back the token of a letter to their address has proved it; so has a known person whose domain our own
server vouches for. All others reserve nothing: what they ask is kept as a line for three days, and a letter with the
token asks whether it was them. What such a letter says follows from the public tables alone, never from who its reader
is, and quotes nothing of the mail.

Letters to addresses that never proved themselves are bounded: in a day and a month to one mailbox, in an hour to one
domain and in all. After many newcomers within an hour, letters wait unless the domain is proved, and the game master is
told once. Mentat answers no list, no other Mentat, no robot, and nobody who said "never again".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import Literal

from bot.config import Settings
from bot.games.identity import TOO_MANY_MESSAGES, MailOutcome, identifiers
from bot.games.open_games import OpenGames, Session, act, joining
from bot.language.plain_words import greets
from bot.language.proposals import NOTHING
from bot.lobby import calendars, letters, reading, starting
from bot.lobby.joining import (
    JoinRequest,
    accept,
    ask_volunteers,
    fitting_wishes,
    invite,
    is_banned,
    join,
    leave,
    note_wishes,
    own_seat,
    place_in_line,
    refuse_offered_seat,
    require_may_open,
    take_offered_seat,
    wait_in_line,
)
from bot.lobby.letters import MOST_TABLES, OwnSeat, Reader
from bot.lobby.requests import (
    Calendar,
    Close,
    Confirm,
    Help,
    Invite,
    Join,
    Leave,
    ListTables,
    Meant,
    MyGames,
    NotMe,
    Open,
    OpenTable,
    Practice,
    Prolong,
    ReadMail,
    Rematch,
    Reply,
    Request,
    StandBy,
    Start,
    Stop,
    Talk,
    ToGameMaster,
    Unread,
    UseAddress,
    Wait,
    WaitUntil,
    Weekly,
    Wish,
    line_of,
)
from bot.lobby.tables import (
    DAY,
    HOUR,
    LobbyRefused,
    close_table,
    known_tables,
    lobby_token,
    mailbox_digest,
    open_table,
    public_views,
    reader_at,
    settings_of,
    view_of,
    write,
)
from bot.mail.authentication import unproved_because
from bot.mail.disposition import Examined
from bot.mail.identity import is_own_address, mailbox_of
from bot.mail.message import Incoming
from bot.render.material import Rendering
from bot.store import games as kept_games
from bot.store import lobby, mail, people, tournaments
from bot.store.database import Connection
from bot.store.database import reading as reading_only
from bot.store.lobby import (
    FORMING,
    HOLDING,
    LIVE,
    LobbySeat,
    LobbyTable,
    LobbyWish,
    SeatState,
    StrangerLetter,
    TableKind,
)
from bot.store.memory import LastMail, memory_of, remember
from bot.table.calendar import instant_at, stamp
from bot.wording import day_and_month, say

WISH_HOLDS = timedelta(hours=72)
MOST_WISHES = 10_000
MOST_WISHES_EACH = 3
A_MONTH = 30 * DAY
MOST_UNPROVED_A_DAY, MOST_A_MONTH = 1, 3
MOST_FRUITLESS = 5
MOST_LINES = 30
MOST_WORDS = 2000  # characters
MOST_REQUESTS = 6
EVERY = ListTables()
FRUITLESS = "nothing of it was understood by the lobby"
_NO_PERSON = re.compile(
    r"^(?:no-?reply|do-?not-?reply|.*-noreply|mailer-daemon|postmaster)(?:\+[^@]*)?@", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Post:
    """A mail to the lobby. ``person`` is the address of its writer to which letters go; ``vouched``: our own server
    vouches for its domain."""

    sender: str
    person: str
    read: ReadMail
    key: str
    message_id: str
    vouched: bool
    asked: tuple[str, ...] = ()  # tables where they are asked for a yes
    answered: str = ""  # the label of the letter that they answer


def needs_proof(conn: Connection, settings: Settings, seen: Examined) -> bool:
    """Must a mail prove its sender? Yes, if it brings back the token of letters to them."""
    if seen.incoming is None or not seen.tokens:
        return False
    own = {lobby_token(settings, address) for address in people.known_as(conn, seen.incoming.sender)}
    return not own.isdisjoint(seen.tokens)


def receive_mail(session: Session, seen: Examined, unproved: str, key: str) -> MailOutcome | None:
    """Process a mail to the lobby and return its outcome; None for any other mail. ``unproved`` says why its sender is
    not proved, where a proof is needed."""
    incoming, conn = seen.incoming, session.conn
    if session.settings.lobby.who == "nobody" or incoming is None:
        return None
    if seen.verdict.disposition not in ("orders", "empty") or not _by_a_person(
        incoming, session.settings.mentat.address
    ):
        return None
    token = needs_proof(conn, session.settings, seen)
    if seen.tokens and not token:
        return None  # of a seat or an event, else ``receive_stray_mail`` takes it
    if token and unproved:
        return MailOutcome("rejected", f"a token of the lobby, from an address that is not proved: {unproved}")
    vouched = _is_vouched_for(session, incoming)
    person = people.address_in_use(conn, incoming.sender)
    proved = token or (vouched and _is_known(conn, incoming.sender))
    lines = [line for section in seen.reading.sections if not section.form for line in section.lines][:MOST_LINES]
    events = _events(session, incoming.sender)
    known = _known(session, incoming, person, events, proved=proved)
    own_token = lobby_token(session.settings, person)
    read = reading.read_mail(lines, known, memory_of(conn, own_token, incoming.in_reply_to) if token else NOTHING)
    if not proved and any(
        isinstance(said, Confirm) and said.code == lobby_token(session.settings, incoming.sender)
        for said in read.requests
    ):
        token = proved = True
    meant = {table for request in read.requests for table in getattr(request, "table", Meant()).tables}
    asks = read.requests or any(isinstance(line, Unread) for _, line in read.lines)
    if meant & set(events) or (not proved and not asks):
        return None
    answered = lobby.table_of_letter(conn, incoming.in_reply_to)
    post = _Post(
        incoming.sender, person, read, key, incoming.message_id or "", vouched, _asked_of(conn, person), answered
    )
    with joining(conn):
        return _of_known(session, post) if proved else _of_stranger(session, post)


def receive_stray_mail(session: Session, seen: Examined, key: str) -> MailOutcome | None:
    """Process a mail of a person that no game, event or desk took: a newcomer's words, or a press in a letter that
    somebody passed on. Its token proves nothing, so it is a stranger's. None for any other mail."""
    incoming, conn = seen.incoming, session.conn
    if session.settings.lobby.who == "nobody" or incoming is None or seen.verdict.disposition != "orders":
        return None
    if not _by_a_person(incoming, session.settings.mentat.address):
        return None
    if any(_names_a_seat(session, token) for token in seen.tokens) or people.seats_at_addresses(
        conn, people.known_as(conn, incoming.sender)
    ):
        return None
    lines = [line for section in seen.reading.sections if not section.form for line in section.lines][:MOST_LINES]
    if not any(line.strip() for line in lines):
        return None
    person = people.address_in_use(conn, incoming.sender)
    read = reading.read_mail(lines, _known(session, incoming, person, (), proved=False))
    vouched = _is_vouched_for(session, incoming)
    with joining(conn):
        return _of_stranger(session, _Post(incoming.sender, person, read, key, incoming.message_id or "", vouched))


def _is_vouched_for(session: Session, incoming: Incoming) -> bool:
    authserv_id = session.settings.identity.authserv_id
    return bool(authserv_id) and not unproved_because(incoming, b"", authserv_id, None)


def _names_a_seat(session: Session, token: str) -> bool:
    conn, now = session.conn, session.now
    return bool(
        people.seat_by_token(conn, token, now)
        or people.seat_by_sitter_token(conn, token, now)
        or people.seat_of_old_token(conn, token)
        or people.address_request(conn, token, now)
    )


def _by_a_person(incoming: Incoming, own: str) -> bool:
    if any(name in incoming.headers for name in ("list-id", "list-post", "x-mentat")) or len(incoming.senders) > 1:
        return False
    return not (_NO_PERSON.match(incoming.sender) or is_own_address(incoming.sender, own))


def _is_known(conn: Connection, address: str) -> bool:
    known = people.known_as(conn, address)
    return lobby.ever_played(conn, known) or lobby.ever_sat(conn, known)


def _events(session: Session, sender: str) -> tuple[str, ...]:
    """Return the tournaments of which a person may know; of others, nothing shows."""
    going = tournaments.all_tournaments(session.conn, "open", "drawn", "running")
    return tuple(
        each.id
        for each in going
        if each.settings.people.entry == "open" or tournaments.entrant_of_person(session.conn, each.id, sender)
    )


def _known(
    session: Session, incoming: Incoming, person: str, events: tuple[str, ...], *, proved: bool
) -> reading.Known:
    conn = session.conn
    known, zone = people.known_as(conn, person), reader_at(session, person).zone
    found = known_tables(conn, known if proved else ())
    mine = lobby.seats_of_person(conn, known) if proved else []
    asked = _asked_of(conn, person) if proved else ()
    answered = lobby.table_of_letter(conn, incoming.in_reply_to)
    wishes = lobby.wishes_at(conn, mailbox_of(incoming.sender), session.now)
    if answered not in asked and any(answered in wish.line.split() for wish in wishes):
        answered = ""  # a yes to a code is no join
    own, held = tuple(dict.fromkeys(seat.table_id for seat in mine)), lobby.live_seats(conn)
    played = dict.fromkeys(game for game, _ in people.seats_at_addresses(conn, known)) if proved else ()
    return reading.Known(
        today=session.now.astimezone(zone).date(),
        tables=tuple(view_of(conn, table, held.get(table.id, [])) for table in found),
        mine=own,
        games=tuple(played),
        answers=answered if answered in {*own, *played, *(table.id for table in found)} else "",
        asked=asked,
        others=events,
    )


def _asked_of(conn: Connection, person: str) -> tuple[str, ...]:
    """Return the tables where a yes of a person is awaited: to an offer, an invitation or a check-in."""
    asked = []
    for seat in lobby.seats_of_person(conn, people.known_as(conn, person)):
        table = lobby.find_table(conn, seat.table_id)
        checked = table is not None and table.check_due is not None
        if seat.state in ("offered", "invited") or (seat.state == "seated" and checked):
            asked.append(seat.table_id)
    return tuple(dict.fromkeys(asked))


# --- those who have not proved themselves -----------------------------------------------------------------------------


def _of_stranger(session: Session, post: _Post) -> MailOutcome:
    """Keep what a stranger wants, and write at most one letter, which says the same whoever they are."""
    digest = mailbox_digest(session.settings, post.sender)
    if lobby.may_not_write(session.conn, digest):
        return MailOutcome("rejected", "from an address to which Mentat never writes")
    wishes = [request for request in post.read.requests if _changes_something(request)][:MOST_WISHES_EACH]
    if not wishes:
        if may_write_stranger(session, post.sender, vouched=post.vouched):
            _list_to_stranger(session, post)
        return MailOutcome("orders", "a stranger asked for open tables")
    for request in wishes:
        made = LobbyWish(post.sender, mailbox_of(post.sender), line_of(request), session.now + WISH_HOLDS, session.now)
        lobby.add_wish(session.conn, made, MOST_WISHES)
    if may_write_stranger(session, post.sender, vouched=post.vouched):
        _write_code(session, post.sender, wishes[0], post.message_id)
    return MailOutcome("orders", "a stranger wants something of the lobby; nothing is held until they confirm")


def _changes_something(request: Request) -> bool:
    return not isinstance(request, ListTables | Help | Confirm | NotMe | Calendar | ToGameMaster)


def _table_of_wish(session: Session, request: Request) -> OpenTable | None:
    """Return the table that a stranger's wish is about, if it is public or they know its word."""
    meant = getattr(request, "table", None)
    if not isinstance(meant, Meant):
        return None
    table = _table_named(session, meant, (), getattr(request, "word", ""))
    return view_of(session.conn, table) if table else None


def _write_code(session: Session, address: str, asked: Request, answers: str = "") -> None:
    """Ask an address whether it wrote. Where it wants to join a table that it may not know, it gets the list, whose
    buttons prove it as well."""
    shown = _table_of_wish(session, asked)
    reader = reader_at(session, address)
    if shown is None and isinstance(asked, Join | Wait):
        letter = _list_letter(session, reader)
    else:
        full = shown is not None and not shown.free
        others = public_views(session.conn, but_not=shown.id if shown else "")[:3] if full else []
        letter = letters.ask_code(reader, asked, shown, session.now + WISH_HOLDS, others)
    lobby.change_wishes(session.conn, mailbox_of(address), written=True)
    _write_stranger(session, address, letter, f"code.{stamp(session.now)}", answers)


def _list_to_stranger(session: Session, post: _Post) -> None:
    letter = _list_letter(session, reader_at(session, post.sender))
    _write_stranger(session, post.sender, letter, f"list.{post.key}", post.message_id)


def _list_letter(session: Session, reader: Reader, wanted: ListTables = EVERY) -> Rendering:
    shown = public_views(session.conn, wanted.filters)
    return letters.list_tables(reader, shown[:MOST_TABLES], len(shown[MOST_TABLES:]))


def _write_stranger(session: Session, address: str, letter: Rendering, cause: str, answers: str) -> None:
    note = StrangerLetter(mailbox_digest(session.settings, address), _domain_digest(session, address), session.now)
    lobby.note_stranger_letter(session.conn, note)
    write(session, address, letter, cause, answers)


def _domain_digest(session: Session, address: str) -> str:
    return mailbox_digest(session.settings, f"@{address.rpartition('@')[2]}")


def may_write_stranger(session: Session, address: str, *, vouched: bool) -> bool:
    """Return whether an address that never proved itself may get a letter now."""
    conn, now, limits, settings = session.conn, session.now, session.settings.limits, session.settings.lobby
    box = mailbox_digest(session.settings, address)
    a_day = limits.strangers_letters_per_day if vouched else MOST_UNPROVED_A_DAY
    if lobby.stranger_letters_since(conn, now - DAY, mailbox=box) >= a_day:
        return False
    if not vouched and lobby.stranger_letters_since(conn, now - A_MONTH, mailbox=box) >= MOST_A_MONTH:
        return False
    if lobby.stranger_letters_since(conn, now - HOUR) >= limits.strangers_letters_per_hour:
        return False
    domain = _domain_digest(session, address)
    if lobby.stranger_letters_since(conn, now - HOUR, domain=domain) >= settings.domain_letters_per_hour:
        return False
    most = settings.first_timers_per_hour
    came = lobby.first_wishes_since(conn, now - HOUR)
    if vouched or came <= most:
        return True
    if came <= most + MOST_WISHES_EACH:
        subject, told = say("lobby-note.many-first-subject"), say("lobby-note.many-first", most=most)
        session.writer.tell_game_master(subject, [told], f"lobby.many-first.{now.date().isoformat()}")
    return False


def write_waiting_codes(open_games: OpenGames, now: datetime) -> None:
    """Write the letters that had to wait, drop wishes whose time is over, and forget old letters."""
    with reading_only(open_games.engine) as conn:
        waiting = list(dict.fromkeys(wish.address for wish in lobby.wishes_unwritten(conn, now)))
        stale = lobby.anything_stale(conn, now, now - A_MONTH)
        session = Session(conn, open_games, now)
        ready = [address for address in waiting if _may_write_later(session, address)]
    if stale:
        with act(open_games, now) as session:
            lobby.drop_lapsed_wishes(session.conn, now)
            lobby.forget_stranger_letters(session.conn, before=now - A_MONTH)
    for address in ready:
        with act(open_games, now) as session:
            wishes = [wish for wish in lobby.wishes_at(session.conn, mailbox_of(address), now) if not wish.written]
            if wishes and may_write_stranger(session, address, vouched=False):
                _write_code(session, address, _request_of(session, wishes[0]) or EVERY)


def _may_write_later(session: Session, address: str) -> bool:
    conn, settings = session.conn, session.settings
    box = mailbox_digest(settings, address)
    if lobby.may_not_write(conn, box) or lobby.stranger_letters_since(conn, session.now - DAY, mailbox=box):
        return False
    quiet = lobby.first_wishes_since(conn, session.now - HOUR) <= settings.lobby.first_timers_per_hour
    return quiet and lobby.stranger_letters_since(conn, session.now - HOUR) < settings.limits.strangers_letters_per_hour


def _request_of(session: Session, wish: LobbyWish) -> Request | None:
    held = lobby.live_seats(session.conn)
    every = lobby.all_tables(session.conn, *FORMING)
    found = tuple(view_of(session.conn, table, held.get(table.id, [])) for table in every)
    today = session.now.astimezone(session.settings.mentat.timezone).date()
    known = reading.Known(today=today, tables=found)
    return next(iter(reading.read_mail([wish.line], known).requests), None)


# --- those who have proved themselves ---------------------------------------------------------------------------------


def _of_known(session: Session, post: _Post) -> MailOutcome:
    conn, box = session.conn, mailbox_of(post.sender)
    if mail.notices_since(conn, post.sender, session.now - HOUR) >= session.settings.limits.answers_per_hour:
        return MailOutcome("rejected", TOO_MANY_MESSAGES)
    if any(isinstance(request, NotMe) for request in post.read.requests):
        lobby.never_write(conn, mailbox_digest(session.settings, post.sender), session.now)
        lobby.drop_wishes(conn, box)
        return MailOutcome("orders", "an address wants no letters ever again")
    wishes = lobby.wishes_at(conn, box, session.now)
    asks, yes = _without_yes(post.read)
    if wishes and not asks and not yes:
        return _ask_once_more(session, post, wishes)
    if asks or yes:
        lobby.write_again(conn, mailbox_digest(session.settings, post.sender))
    lobby.forget_stranger_letters(conn, mailbox=mailbox_digest(session.settings, post.sender))
    _note_presence(session, post)
    requests = list(asks)
    meant = _wishes_meant(session, post, wishes, yes) if yes else []
    if meant is None:
        return _ask_which_yes(session, post, wishes)
    requests = [*meant, *asks]
    if isinstance(yes, Reply) and not meant:
        requests.append(yes)
    elif isinstance(yes, Confirm) and not meant:
        requests.append(Reply(yes=True))
    if meant or not yes:
        lobby.drop_wishes(conn, box)
    words = reading.for_game_master(post.read)
    if words and all(isinstance(request, Help) for request in requests):
        requests = [ToGameMaster(text=words)]
    answered = _Answers(session, post)
    if words and requests and all(isinstance(request, ListTables) for request in requests):
        answered.tell_game_master(words)
    for request in requests[:MOST_REQUESTS]:
        answered.take(request)
    done = [text for text, line in post.read.lines if not isinstance(line, Talk | Unread)]
    token = lobby_token(session.settings, post.person)
    remember(conn, LastMail(token, None, list(post.read.options), "", done, session.now))
    unread = [line for _, line in post.read.lines if isinstance(line, Unread)]
    if unread and not _too_fruitless(session, post, done=bool(requests)):
        answered.send(letters.answer_lines(reader_at(session, post.person), post.read, answered.done))
    talk = [text for text, line in post.read.lines if isinstance(line, Talk) and text.strip() and not greets(text)]
    if talk and not (requests or unread) and not _too_fruitless(session, post, done=False):
        answered.send(letters.how_it_works(reader_at(session, post.person), public_views(conn)[:3]))
    answered.finish()
    if not requests:
        return MailOutcome("orders", FRUITLESS if unread or talk else "words to the lobby that ask for nothing")
    return MailOutcome("orders", "a mail to the lobby", taken=answered.count)


def _without_yes(read: ReadMail) -> tuple[list[Request], Confirm | Reply | None]:
    """Split the requests of a mail from its yes, to whatever it is."""
    yes = [each for each in read.requests if isinstance(each, Confirm) or (isinstance(each, Reply) and each.yes)]
    named = [each for each in yes if isinstance(each, Reply) and each.table.words]
    rest = [each for each in read.requests if each not in yes]
    return rest, (named or yes or [None])[0]


def _wishes_meant(
    session: Session, post: _Post, wishes: Sequence[LobbyWish], yes: Confirm | Reply
) -> list[Request] | None:
    """Return the wishes that a yes carries out: none if it answers something else, None if that cannot be told.

    Somebody else may have written a wish in the name of its address, so no yes to another letter carries it out.
    """
    wanted = [request for wish in wishes if (request := _request_of(session, wish)) is not None]
    if not wanted or isinstance(yes, Confirm):
        return wanted
    about = {table for request in wanted for table in getattr(request, "table", Meant()).tables}
    if yes.table.words:
        named = yes.table.table
        fits = [request for request in wanted if named in getattr(request, "table", Meant()).tables]
        return [] if named in post.asked else fits
    if not post.asked:
        return wanted
    if (post.answered in about) != (post.answered in post.asked):
        return wanted if post.answered in about else []
    return None


def _ask_which_yes(session: Session, post: _Post, wishes: Sequence[LobbyWish]) -> MailOutcome:
    wish = _request_of(session, wishes[0])
    if wish is not None:
        shown = _table_of_wish(session, wish)
        letter = letters.which_yes(reader_at(session, post.person), wish, shown, post.asked)
        write(session, post.person, letter, f"answer.{post.key}.yes", post.message_id)
    return MailOutcome("orders", "a yes to the lobby that could answer two letters")


def _ask_once_more(session: Session, post: _Post, wishes: Sequence[LobbyWish]) -> MailOutcome:
    if not all(wish.nudged for wish in wishes):
        lobby.change_wishes(session.conn, mailbox_of(post.sender), nudged=True)
        request = _request_of(session, wishes[0])
        if request is not None:
            letter = letters.ask_code_again(reader_at(session, post.sender), _table_of_wish(session, request))
            write(session, post.sender, letter, f"again.{post.key}", post.message_id)
    return MailOutcome("orders", "a code of the lobby came back without a yes")


def _note_presence(session: Session, post: _Post) -> None:
    """Whoever writes is there; that may be the last one for whom a table waited."""
    conn = session.conn
    for seat in lobby.seats_of_person(conn, people.known_as(conn, post.sender), "seated", "waiting"):
        here = {"present_at": session.now} if seat.state == "seated" else {"asked": 0}
        lobby.change_seat(conn, seat.number, why="", **here)


def _too_fruitless(session: Session, post: _Post, *, done: bool) -> bool:
    if done:
        return False
    return mail.kept_for_since(session.conn, post.sender, FRUITLESS, session.now - DAY) >= MOST_FRUITLESS


def _table_named(session: Session, meant: Meant, known: Collection[str], word: str = "") -> LobbyTable | None:
    """Return the one table that is meant, if it forms and its person may know of it."""
    wanted = meant.table or meant.words.strip().lower()
    table = lobby.find_table(session.conn, wanted) if wanted else None
    if table is None or table.state not in FORMING:
        return None
    said = word or meant.words.strip().lower().rpartition(" ")[2]
    allowed = {each.id for each in known_tables(session.conn, known)}
    return table if table.id in allowed or (table.word and table.word == said) else None


class _Answers:
    """The answers to a mail of a proved person: each request is done in a savepoint of its own, and has one letter."""

    def __init__(self, session: Session, post: _Post) -> None:
        self.session, self.post, self.conn = session, post, session.conn
        self.known = people.known_as(session.conn, post.sender)
        self.person, self.done, self.count = post.person, list[str](), 0
        self._parts = list[Rendering]()

    @property
    def reader(self) -> Reader:
        return reader_at(self.session, self.person)

    def send(self, letter: Rendering | None) -> None:
        if letter is not None:
            self._parts.append(letter)

    def finish(self) -> None:
        """Write one letter with all answers."""
        if self._parts:
            letter = letters.together(self.reader, self._parts)
            write(self.session, self.person, letter, f"answer.{self.post.key}", self.post.message_id)

    def take(self, request: Request) -> None:
        """Do what is asked for, or say why not."""
        try:
            with self.conn.begin_nested():
                answer = self._answer(request)
            self.count += 1
        except LobbyRefused as refused:
            self.session.games.forget()
            answer = self._refusal(refused)
        self.send(answer)

    def _refusal(self, refused: LobbyRefused) -> Rendering:
        if ban := people.standing_ban(
            self.conn, self.person, self.session.now, tags_apart=self.session.settings.identity.tags_apart
        ):
            return letters.banned(self.reader, ban.until.date() if ban.until else None, ban.since.date())
        others = public_views(self.conn, but_not=refused.table)[:3]
        if refused.why in ("running", "duties", "nobody", "known", "invited", "first-game"):
            others = []
        return letters.refused(self.reader, refused.why, others, table=refused.table, **refused.facts)

    def _answer(self, request: Request) -> Rendering | None:
        answers: dict[type, Callable[..., Rendering | None]] = {
            ListTables: lambda wanted: _list_letter(self.session, self.reader, wanted),
            Join: self._join,
            Leave: self._leave,
            Wait: self._wait,
            Wish: self._wish,
            Reply: self._reply,
            Open: self._open,
            Invite: self._invite,
            Start: self._start,
            WaitUntil: self._hold,
            Prolong: self._prolong,
            Close: self._close,
            Rematch: self._rematch,
            MyGames: self._mine,
            StandBy: self._stand_by,
            Weekly: self._weekly,
            Calendar: lambda asked: calendars.answer_calendar(self.session, self.person, asked),
            Stop: self._stop,
            Practice: self._practise,
            UseAddress: self._use_address,
            ToGameMaster: self._question,
        }
        found = answers.get(type(request))
        if found is None:
            return letters.how_it_works(self.reader, public_views(self.conn)[:3])
        return found(request)

    # --- seats

    def _join(self, asked: Join) -> Rendering | None:
        if not asked.table.table and len(asked.table.tables) > 1:
            return self._which(asked.table, "join")
        if not asked.table.table and not asked.table.words:
            return _list_letter(self.session, self.reader)
        table = _table_named(self.session, asked.table, self.known, asked.word)
        if table is None:
            self._require_not_begun(asked.table.table)
            today = self.session.now.astimezone(self.reader.zone).date()
            if not asked.table.table and reading.is_day(asked.table.words, today):
                raise LobbyRefused("no-day", "", day=asked.table.words.title())
            raise LobbyRefused("unknown", asked.table.table or asked.table.words[:40])
        wanted = JoinRequest(self.person, "token", asked.name, asked.wishes, asked.word, asked.unknown)
        joined = join(self.session, table, wanted)
        after = starting.settle(self.session, table.id, self.person)
        starting.tell_fewest(self.session, after, self.person)
        if after.state == "started" or lobby.find_seat(self.conn, joined.seat.number).state not in LIVE:
            return None  # the game's first letter says it, or that of the seat which was given back
        shown = view_of(self.conn, after)
        if joined.how == "line":
            others = public_views(self.conn, but_not=table.id)[:3]
            if joined.returned:
                return letters.refused(self.reader, "returns", others, table=table.id)
            return letters.in_line(self.reader, shown, place_in_line(self.session, after, joined.seat), others)
        if joined.how == "again" and joined.seat.address not in self.known:
            held = joined.seat.address
            letter = letters.sits_already(reader_at(self.session, held), shown, held)
            write(self.session, held, letter, f"answer.{self.post.key}.held", self.post.message_id)
            return None
        return letters.seated(
            self.reader, shown, wishes=joined.seat.wishes, notes=joined.notes, again=joined.how == "again"
        )

    def _require_not_begun(self, table: str) -> None:
        """Raise LobbyRefused with what a person plays, if they ask again for a seat that they have."""
        played = dict(people.seats_at_addresses(self.conn, self.known))
        if table in played:
            raise LobbyRefused("begun", table, faction=played[table])

    def _which(self, meant: Meant, verb: Literal["join", "leave", "wait"]) -> Rendering:
        found = [lobby.find_table(self.conn, each) for each in meant.tables]
        shown = [view_of(self.conn, table) for table in found if table is not None]
        return letters.which_table(self.reader, shown, verb)

    def _own(self, meant: Meant, *states: SeatState) -> list[tuple[LobbyTable, LobbySeat]]:
        """Return one's own seats that may be meant: at the named tables, else at all of them."""
        found = []
        for seat in lobby.seats_of_person(self.conn, self.known, *states):
            table = lobby.find_table(self.conn, seat.table_id)
            if table is not None and (not meant.tables or table.id in meant.tables):
                found.append((table, seat))
        return found

    def _leave(self, asked: Leave) -> Rendering:
        own = self._own(asked.table)
        if not own:
            return self._mine(MyGames())
        if len(own) > 1 and not asked.every and not asked.table.tables:
            return self._which(Meant(tables=tuple(table.id for table, _ in own)), "leave")
        shown = [view_of(self.conn, table) for table, _ in own]
        waited = all(seat.state == "waiting" for _, seat in own)
        for table, seat in own:
            leave(self.session, seat)
            starting.settle(self.session, table.id, self.person)
        if waited:
            return letters.out_of_line(self.reader, own[0][0].id)
        return letters.left(self.reader, shown)

    def _wait(self, asked: Wait) -> Rendering:
        if not asked.wanted:
            own = self._own(asked.table, "waiting", "offered")
            for table, seat in own:
                leave(self.session, seat)
                starting.settle(self.session, table.id, self.person)
            return letters.out_of_line(self.reader, own[0][0].id if own else asked.table.words)
        if len(asked.table.tables) > 1:
            return self._which(asked.table, "wait")
        wanted = _table_named(self.session, asked.table, self.known)
        if wanted is None:
            raise LobbyRefused("unknown", asked.table.table or asked.table.words[:40])
        nobody_waits = not lobby.seats_of(self.conn, wanted.id, "waiting")
        if nobody_waits and view_of(self.conn, wanted).free and not self._own(Meant(tables=(wanted.id,))):
            raise LobbyRefused("seat-free", wanted.id)
        joined = wait_in_line(self.session, wanted, JoinRequest(self.person, "token"))
        after = starting.settle(self.session, wanted.id, self.person)
        shown = view_of(self.conn, after)
        if joined.how == "again":
            return letters.seated(self.reader, shown, wishes=joined.seat.wishes, again=True)
        others = public_views(self.conn, but_not=wanted.id)[:3]
        return letters.in_line(self.reader, shown, joined.place, others)

    def _wish(self, asked: Wish) -> Rendering:
        own = self._own(asked.table)
        if not own:
            raise LobbyRefused("nothing-asked")
        if len(own) > 1:
            return self._which(Meant(tables=tuple(table.id for table, _ in own)), "join")
        table, seat = own[0]
        wishes, notes = fitting_wishes(table, asked.wishes, asked.unknown)
        seat = note_wishes(self.session, seat, "*" if asked.wishes == "*" else wishes, asked.name)
        shown = view_of(self.conn, table)
        return letters.wishes_noted(self.reader, shown, seat.wishes or "*", seat.name, notes)

    def _reply(self, said: Reply) -> Rendering | None:
        offers = self._own(said.table, "offered", "invited")
        asked = [(table, seat) for table, seat in self._own(said.table, "seated") if table.check_due is not None]
        line = [
            (table, seat)
            for table, seat in self._own(said.table, "waiting")
            if said.table.words or view_of(self.conn, table).free
        ]
        open_now = offers or asked or line
        if len(open_now) > 1:
            return self._which(Meant(tables=tuple(table.id for table, _ in open_now)), "join")
        if not open_now:
            sits = self._own(said.table, "seated")
            if sits and said.yes:
                table, seat = sits[0]
                return letters.seated(self.reader, view_of(self.conn, table), wishes=seat.wishes, again=True)
            raise LobbyRefused("nothing-asked")
        table, seat = open_now[0]
        if table.kind == "vacancy":
            return self._reply_to_vacancy(said, table, seat)
        if not said.yes:
            leave(self.session, seat, "declined" if seat.state != "seated" else "left")
            starting.settle(self.session, table.id, self.person)
            if seat.state == "seated":
                return letters.left(self.reader, [view_of(self.conn, table)])
            return letters.done(self.reader, [say("lobby-note.no-more-here", table=table.id)], table=table.id)
        joined = accept(self.session, table, seat) if seat.state != "seated" else None
        after = starting.settle(self.session, table.id, self.person)
        if after.state == "started":
            return None
        shown = view_of(self.conn, after)
        if joined is None:
            return letters.done(self.reader, [say("lobby-note.present", table=table.id)], table=table.id)
        if joined.how == "line":
            ago = say("lobby-note.meanwhile")
            return letters.refused(self.reader, "offer-taken", public_views(self.conn)[:3], table=table.id, ago=ago)
        return letters.seated(self.reader, shown, wishes=joined.seat.wishes)

    def _reply_to_vacancy(self, said: Reply, table: LobbyTable, seat: LobbySeat) -> Rendering | None:
        if said.yes:
            take_offered_seat(self.session, table, seat)
            return None  # the game's letter says it
        refuse_offered_seat(self.session, table, seat, said.not_before)
        return letters.done(self.reader, [say("lobby-note.no-more-here", table=table.of_game)], table=table.of_game)

    # --- one's own table

    def _open(self, asked: Open) -> Rendering:
        alike = [
            table
            for table in public_views(self.conn)
            if asked.ruleset in ("", table.ruleset) and asked.tempo in ("", table.tempo)
        ]
        if asked.form or asked.mistakes:
            return letters.opening_form(self.reader, asked, alike[:1], asked.mistakes)
        like = _table_named(self.session, asked.like, self.known)
        if like is None and (asked.like.tables or asked.like.words):
            raise LobbyRefused("unknown", asked.like.table or asked.like.words[:40])
        settings = settings_of(self.session, asked, like.settings if like else None)
        require_may_open(self.session, self.person, settings.reliability)
        kind: TableKind = "private" if asked.private else "open"
        table = open_table(self.session, self.person, settings, kind, title=asked.title)
        if table.state == "proposed":
            lobby.change_table(self.conn, table.id, state="open")
            join(self.session, replace(table, state="open"), JoinRequest(self.person, "opener"))
            lobby.change_table(self.conn, table.id, state="proposed")
        else:
            self._sit_as_opener(table)
        shown = view_of(self.conn, table)
        return letters.opened(self.reader, shown, waits_for_approval=table.state == "proposed")

    def _sit_as_opener(self, table: LobbyTable) -> None:
        try:
            join(self.session, table, JoinRequest(self.person, "opener"))
        except LobbyRefused as refused:
            if refused.why != "newcomers":
                raise
            raise LobbyRefused("settings", why=say("lobby-note.no-newcomers")) from None

    def _mine_to_decide(self, meant: Meant, *, ended: bool = False) -> LobbyTable:
        states = (*FORMING, "ended") if ended else FORMING
        every = [each for each in lobby.all_tables(self.conn, *states) if not meant.tables or each.id in meant.tables]
        own = [each for each in every if each.starter in self.known]
        seen = {table.id for table in known_tables(self.conn, self.known)}
        if meant.tables and not own and (others := [each.id for each in every if each.id in seen]):
            raise LobbyRefused("not-yours", others[0])
        if not own:
            raise LobbyRefused("unknown", meant.table or meant.words[:40])
        return own[-1]

    def _invite(self, asked: Invite) -> Rendering:
        own = self._own(asked.table, *HOLDING)
        if not own:
            raise LobbyRefused("nothing-asked")
        table = own[-1][0]
        invite(self.session, table, asked.addresses)
        starting.settle(self.session, table.id, self.person)
        return letters.invitation_to_pass_on(self.reader, view_of(self.conn, table), table.word)

    def _start(self, asked: Start) -> Rendering | None:
        table = self._mine_to_decide(asked.table, ended=asked.opponents)
        if table.state == "ended":
            table = starting.prolong(self.session, table)
        after = starting.start_now(self.session, table, opponents=asked.opponents)
        if after.state == "started":
            return None
        told = say("lobby-note.present", table=table.id)
        return letters.done(self.reader, [told], table=table.id)

    def _hold(self, asked: WaitUntil) -> Rendering:
        table = self._mine_to_decide(asked.table)
        zone = self.reader.zone
        until = instant_at(asked.until, time(12), zone) if asked.until else self.session.now + 3 * DAY
        until = min(max(until, self.session.now), self.session.now + 14 * DAY)
        starting.hold(self.session, table, until)
        day = day_and_month(until.astimezone(zone).date())
        return letters.done(self.reader, [say("lobby-note.holds", table=table.id, day=day)], table=table.id)

    def _prolong(self, asked: Prolong) -> Rendering:
        table = starting.prolong(self.session, self._mine_to_decide(asked.table, ended=True))
        return letters.opened(self.reader, view_of(self.conn, table))

    def _close(self, asked: Close) -> Rendering:
        table = self._mine_to_decide(asked.table)
        own = own_seat(self.session, lobby.seats_of(self.conn, table.id), self.person)
        if own is not None:
            leave(self.session, own)
        close_table(self.session, table, by="closed-by-opener")
        return letters.done(self.reader, [say("lobby-note.closed", table=table.id)], table=table.id)

    def _rematch(self, asked: Rematch) -> Rendering | None:
        game = asked.table.table or asked.table.words.strip().lower() or lobby.last_game(self.conn, self.known)
        table = starting.rematch(self.session, game, self.person)
        after = starting.settle(self.session, table.id, self.person)
        if after.state == "started":
            return None
        return letters.seated(self.reader, view_of(self.conn, after))

    # --- oneself

    def tell_game_master(self, words: str) -> None:
        """Pass words on to the game master; those of a banned person once a week."""
        banned = is_banned(self.session, self.person)
        once = f"{self.person}.{self.session.now:%G-%V}" if banned else self.post.key
        told = [say("lobby-note.question", address=self.person), words[:MOST_WORDS]]
        subject = say("lobby-note.question-subject")
        self.session.writer.tell_game_master(subject, told, f"lobby.question.{once}")

    def _mine(self, _: MyGames) -> Rendering:
        rows = []
        for table, seat in self._own(Meant()):
            shown = view_of(self.conn, table)
            if seat.state == "waiting":
                place = place_in_line(self.session, table, seat)
                rows.append(OwnSeat(table.id, "waits", shown, place))
            elif seat.state == "seated":
                rows.append(OwnSeat(table.id, "sits", shown))
            else:
                rows.append(OwnSeat(table.id, "offered", shown, due=seat.offer_until or table.expires_at))
        for game_id, faction in people.seats_at_addresses(self.conn, self.known):
            turn = kept_games.game_row(self.conn, game_id).turn
            rows.append(OwnSeat(game_id, "playing", faction=faction, turn=turn))
        return letters.own_games(self.reader, rows)

    def _stand_by(self, asked: StandBy) -> Rendering:
        own = lobby.standing(self.conn, self.person)
        changed = replace(own, since=None)
        if asked.wanted:
            wanted = asked.filters
            changed = replace(
                own, since=self.session.now, ruleset=wanted.ruleset, tempo=wanted.tempo, not_before=asked.not_before
            )
        lobby.set_standing(self.conn, changed)
        ask_volunteers(self.session)
        day = day_and_month(asked.not_before) if asked.not_before else ""
        told = say("lobby-note.standby-on", day=day) if asked.wanted else say("lobby-note.standby-off")
        return letters.done(self.reader, [told], StandBy(wanted=False) if asked.wanted else None)

    def _weekly(self, _: Weekly) -> Rendering:
        own = lobby.standing(self.conn, self.person)
        lobby.set_standing(self.conn, replace(own, weekly_at=self.session.now, stopped=False))
        return letters.done(self.reader, [say("lobby-note.weekly-on")], Stop(letters="weekly"))

    def _practise(self, wanted: Practice) -> None:
        starting.practise(self.session, self.person, wanted)

    def _use_address(self, _: UseAddress) -> Rendering:
        """Send letters about open tables to the address that was written from. Games have their own addresses."""
        here, mine = self.post.sender, identifiers(self.conn, self.session.settings, self.post.sender)
        moved = [
            seat
            for seats in lobby.live_seats(self.conn).values()
            for seat in seats
            if seat.address != here and not mine.isdisjoint(identifiers(self.conn, self.session.settings, seat.address))
        ]
        for seat in moved:
            lobby.change_seat(self.conn, seat.number, address=here, live=here)
        self.person = here
        told = say("lobby-note.address" if moved else "lobby-note.address-same", address=here)
        return letters.done(self.reader, [told])

    def _stop(self, asked: Stop) -> Rendering:
        own = lobby.standing(self.conn, self.person)
        stopped = own.stopped or asked.letters == "tables"
        since = None if stopped else own.since
        lobby.set_standing(self.conn, replace(own, weekly_at=None, calendar_at=None, since=since, stopped=stopped))
        return letters.stopped(self.reader, asked.letters)

    def _question(self, asked: ToGameMaster) -> Rendering:
        if asked.text:
            self.tell_game_master(asked.text)
        return letters.how_it_works(self.reader, public_views(self.conn)[:3], kept=True)
