"""Mail at Mentat's own address that belongs to no game and no event: each mail leads to one transaction and one answer.

A mail is proved if it brings back the token of a letter to its sender, or if it comes from a known person and our own
server confirms the domain. An unproved mail reserves nothing: its request is kept as a line for three days, and a
letter with a token asks whether the sender wrote it. The words of that letter depend only on the public tables, never
on who receives it, and it quotes nothing from the mail.

Letters to unproved addresses are limited per day and month for each mailbox, and per hour for each domain and overall.
If many newcomers write within an hour, letters wait unless the sender's domain is proved, and the game master is told
once. Mentat does not answer mailing lists, other Mentats, automatic mail, or anybody who has said "never again".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import structs

from bot.config import Settings
from bot.games.identity import TOO_MANY_MESSAGES, MailOutcome
from bot.games.open_games import OpenGames, Session, act, joining
from bot.games.seat_mail import lobby_token
from bot.language.plain_words import greets
from bot.language.proposals import NOTHING
from bot.lobby import letters
from bot.lobby.answers import EVERY, Answers, Post, list_letter, table_named
from bot.lobby.joining import is_asked_to_merge
from bot.lobby.lines import Known
from bot.lobby.reading import for_game_master, read_mail
from bot.lobby.requests import (
    Calendar,
    Confirm,
    Help,
    Join,
    ListTables,
    Meant,
    NotMe,
    OpenTable,
    ReadMail,
    Rematch,
    Reply,
    Request,
    Talk,
    ToGameMaster,
    Unread,
    Wait,
    line_of,
)
from bot.lobby.tables import (
    DAY,
    HOUR,
    known_tables,
    mailbox_digest,
    public_views,
    reader_at,
    view_of,
    write,
)
from bot.mail.authentication import unproved_because
from bot.mail.disposition import Examined
from bot.mail.identity import is_own_address, mailbox_of
from bot.mail.lines import unquoted
from bot.mail.message import Incoming
from bot.render.material import Rendering
from bot.store import lobby, mail, people, tournaments
from bot.store.database import Connection, reading
from bot.store.lobby import (
    FORMING,
    LobbyWish,
    StrangerLetter,
)
from bot.store.memory import LastMail, memory_of, remember
from bot.table.calendar import stamp
from bot.wording import say

WISH_HOLDS = timedelta(hours=72)
MOST_WISHES = 10_000
MOST_WISHES_EACH = 3
A_MONTH = 30 * DAY
MOST_UNPROVED_A_DAY, MOST_A_MONTH = 1, 3
MOST_FRUITLESS = 5
MOST_LINES = 30
MOST_REQUESTS = 6
FRUITLESS = "nothing of it was understood by the lobby"
_NO_PERSON = re.compile(
    r"^(?:no-?reply|do-?not-?reply|.*-noreply|mailer-daemon|postmaster)(?:\+[^@]*)?@", re.IGNORECASE
)


def needs_proof(conn: Connection, settings: Settings, seen: Examined) -> bool:
    """Return True if the mail contains its sender's reply token. It is then accepted only from a proved address."""
    if seen.incoming is None or not seen.tokens:
        return False
    own = {lobby_token(settings, address) for address in people.known_as(conn, seen.incoming.sender)}
    return not own.isdisjoint(seen.tokens)


def receive_mail(session: Session, seen: Examined, unproved: str, key: str) -> MailOutcome | None:
    """Process a mail to the lobby and return its outcome, or None for any other mail. ``unproved`` says why the
    sender's identity is not proved, if a proof is needed."""
    incoming, conn = seen.incoming, session.conn
    if session.settings.lobby.who == "nobody" or incoming is None:
        return None
    if seen.verdict.disposition not in ("orders", "empty") or not _by_a_person(
        incoming, session.settings.mentat.address
    ):
        return None
    token = needs_proof(conn, session.settings, seen)
    game = "" if token or unproved else _game_of_sender(session, seen)
    over = game if game and lobby.game_status(conn, game) == "over" else ""
    lines = [line for section in seen.reading.sections if not section.form for line in section.lines][:MOST_LINES]
    alone = bool(game) and _is_for_lobby_alone(lines)
    if seen.tokens and not (token or over or alone):
        return None  # it is for a seat or an event, or else ``receive_stray_mail`` takes it
    if token and unproved:
        return MailOutcome("rejected", f"a lobby token from an unproved address: {unproved}")
    vouched = _is_vouched_for(session, incoming)
    person = people.address_in_use(conn, incoming.sender)
    proved = token or bool(over) or alone or (vouched and _is_known(conn, incoming.sender))
    events = _events(session, incoming.sender)
    known = _known(session, incoming, person, events, proved=proved)
    known = structs.replace(known, games=(over,), answers=over) if over else known
    own_token = lobby_token(session.settings, person)
    read = read_mail(lines, known, memory_of(conn, own_token, incoming.in_reply_to) if token else NOTHING)
    if not proved and any(
        isinstance(said, Confirm) and said.code == lobby_token(session.settings, incoming.sender)
        for said in read.requests
    ):
        token = proved = True
    if over and not alone and not (read := _about_another_game(read)).lines:
        return None
    meant = {table for request in read.requests for table in getattr(request, "table", Meant()).tables}
    asks = read.requests or any(isinstance(line, Unread) for _, line in read.lines)
    if meant & set(events) or (not proved and not asks):
        return None
    answered = lobby.table_of_letter(conn, incoming.in_reply_to)
    post = Post(
        incoming.sender, person, read, key, incoming.message_id or "", vouched, _asked_of(conn, person), answered
    )
    with joining(conn):
        return _of_known(session, post) if proved else _of_stranger(session, post)


def _game_of_sender(session: Session, seen: Examined) -> str:
    """Return the game to which the sender belongs and whose letter this mail answers, or "" if it answers no such
    letter."""
    assert seen.incoming is not None
    known = people.known_as(session.conn, seen.incoming.sender)
    found = (people.seat_by_token(session.conn, token, session.now) for token in seen.tokens)
    return next((seat.game_id for seat in found if seat and seat.address in known), "")


FOR_LOBBY_ALONE = ("my games", "games", "calendar", "calendar weekly")
"""Lines that mean the same to the lobby whichever letter they answer, and that mean nothing to a game."""


def _is_for_lobby_alone(lines: Sequence[str]) -> bool:
    own = [line.strip().lower().rstrip(".!?") for line in unquoted(lines) if line.strip()]
    return len(own) == 1 and own[0] in FOR_LOBBY_ALONE


def _about_another_game(read: ReadMail) -> ReadMail:
    """From a reply to the last letter of a game, return the part that is for the lobby: a wish for another game."""
    again = [
        (text, line)
        for text, line in read.lines
        if isinstance(line, Rematch)
        or (isinstance(line, Unread) and any(each.startswith("rematch") for each in line.suggestions))
    ]
    return structs.replace(read, lines=tuple(again))


def receive_stray_mail(session: Session, seen: Examined, key: str) -> MailOutcome | None:
    """Process a mail from a person that no game, event or desk has claimed: a newcomer's words, or a button pressed in
    a letter that somebody forwarded. A token in it proves nothing, so its sender is treated as a stranger. Return None
    for any other mail."""
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
    read = read_mail(lines, _known(session, incoming, person, (), proved=False))
    vouched = _is_vouched_for(session, incoming)
    with joining(conn):
        return _of_stranger(session, Post(incoming.sender, person, read, key, incoming.message_id or "", vouched))


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
    going = tournaments.all_tournaments(session.conn, "open", "drawn", "running")
    return tuple(
        each.id
        for each in going
        if each.settings.people.entry == "open" or tournaments.entrant_of_person(session.conn, each.id, sender)
    )


def _known(session: Session, incoming: Incoming, person: str, events: tuple[str, ...], *, proved: bool) -> Known:
    conn = session.conn
    known, zone = people.known_as(conn, person), reader_at(session, person).zone
    found = known_tables(conn, known if proved else ())
    mine = lobby.seats_of_person(conn, known) if proved else []
    asked = _asked_of(conn, person) if proved else ()
    answered = lobby.table_of_letter(conn, incoming.in_reply_to)
    wishes = lobby.wishes_at(conn, mailbox_of(incoming.sender), session.now)
    if answered not in asked and any(answered in wish.line.split() for wish in wishes):
        answered = ""  # a yes to a letter with a code does not ask to join
    own, held = tuple(dict.fromkeys(seat.table_id for seat in mine)), lobby.live_seats(conn)
    played = dict.fromkeys(game for game, _ in people.seats_at_addresses(conn, known)) if proved else ()
    return Known(
        today=session.now.astimezone(zone).date(),
        tables=tuple(view_of(conn, table, held.get(table.id, [])) for table in found),
        mine=own,
        games=tuple(played),
        answers=answered if answered in {*own, *played, *(table.id for table in found)} else "",
        asked=asked,
        others=events,
    )


def _asked_of(conn: Connection, person: str) -> tuple[str, ...]:
    asked, known = [], people.known_as(conn, person)
    for seat in lobby.seats_of_person(conn, known):
        table = lobby.find_table(conn, seat.table_id)
        checked = table is not None and (table.check_due is not None or is_asked_to_merge(conn, table, known))
        if seat.state in ("offered", "invited") or (seat.state == "seated" and checked):
            asked.append(seat.table_id)
    return tuple(dict.fromkeys(asked))


# --- unproved senders -------------------------------------------------------------------------------------------------


def _of_stranger(session: Session, post: Post) -> MailOutcome:
    """Store a stranger's request, and write at most one letter, whose words are the same for everybody."""
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
    return MailOutcome("orders", "a stranger's request to the lobby; nothing is reserved until they confirm")


def _changes_something(request: Request) -> bool:
    return not isinstance(request, ListTables | Help | Confirm | NotMe | Calendar | ToGameMaster)


def _table_of_wish(session: Session, request: Request) -> OpenTable | None:
    meant = getattr(request, "table", None)
    if not isinstance(meant, Meant):
        return None
    table = table_named(session, meant, (), getattr(request, "word", ""))
    return view_of(session.conn, table) if table else None


def _write_code(session: Session, address: str, asked: Request, answers: str = "") -> None:
    """Ask an address to confirm its mail. If the mail asks to join a table that must stay secret from this address,
    send the list of tables instead; pressing one of its buttons also proves the address."""
    shown = _table_of_wish(session, asked)
    reader = reader_at(session, address)
    if shown is None and isinstance(asked, Join | Wait):
        letter = list_letter(session, reader)
    else:
        full = shown is not None and not shown.free
        others = public_views(session.conn, but_not=shown.id if shown else "")[:3] if full else []
        letter = letters.ask_code(reader, asked, shown, session.now + WISH_HOLDS, others)
    lobby.change_wishes(session.conn, mailbox_of(address), written=True)
    _write_stranger(session, address, letter, f"code.{stamp(session.now)}", answers)


def _list_to_stranger(session: Session, post: Post) -> None:
    letter = list_letter(session, reader_at(session, post.sender))
    _write_stranger(session, post.sender, letter, f"list.{post.key}", post.message_id)


def _write_stranger(session: Session, address: str, letter: Rendering, cause: str, answers: str) -> None:
    note = StrangerLetter(mailbox_digest(session.settings, address), _domain_digest(session, address), session.now)
    lobby.note_stranger_letter(session.conn, note)
    write(session, address, letter, cause, answers)


def _domain_digest(session: Session, address: str) -> str:
    return mailbox_digest(session.settings, f"@{address.rpartition('@')[2]}")


def may_write_stranger(session: Session, address: str, *, vouched: bool) -> bool:
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
    """Write the letters that had to wait, drop requests that have expired, and delete the records of old letters."""
    with reading(open_games.engine) as conn:
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
    known = Known(today=today, tables=found)
    return next(iter(read_mail([wish.line], known).requests), None)


# --- proved senders ---------------------------------------------------------------------------------------------------


def _of_known(session: Session, post: Post) -> MailOutcome:
    conn, box = session.conn, mailbox_of(post.sender)
    if mail.notices_since(conn, post.sender, session.now - HOUR) >= session.settings.limits.answers_per_hour:
        return MailOutcome("rejected", TOO_MANY_MESSAGES)
    if any(isinstance(request, NotMe) for request in post.read.requests):
        lobby.never_write(conn, mailbox_digest(session.settings, post.sender), session.now)
        lobby.drop_wishes(conn, box)
        return MailOutcome("orders", "an address has opted out of all letters")
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
    words = for_game_master(post.read)
    if words and all(isinstance(request, Help) for request in requests):
        requests = [ToGameMaster(text=words)]
    answered = Answers(session, post)
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
        answered.send(letters.how_it_works(reader_at(session, post.person), public_views(conn)[:3], post.read.near))
    answered.finish(talk if requests or unread else ())
    if not requests:
        return MailOutcome("orders", FRUITLESS if unread or talk else "words to the lobby without a request")
    return MailOutcome("orders", "a mail to the lobby", taken=answered.count)


def _without_yes(read: ReadMail) -> tuple[list[Request], Confirm | Reply | None]:
    yes = [each for each in read.requests if isinstance(each, Confirm) or (isinstance(each, Reply) and each.yes)]
    named = [each for each in yes if isinstance(each, Reply) and each.table.words]
    rest = [each for each in read.requests if each not in yes]
    return rest, (named or yes or [None])[0]


def _wishes_meant(
    session: Session, post: Post, wishes: Sequence[LobbyWish], yes: Confirm | Reply
) -> list[Request] | None:
    """Return the waiting requests that a "yes" carries out. The list is empty if the yes answers something else. Return
    None if Mentat cannot tell which requests are meant.

    A waiting request may have been sent by somebody else in the name of this address. So a yes to a different letter
    never carries it out.
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


def _ask_which_yes(session: Session, post: Post, wishes: Sequence[LobbyWish]) -> MailOutcome:
    wish = _request_of(session, wishes[0])
    if wish is not None:
        shown = _table_of_wish(session, wish)
        letter = letters.which_yes(reader_at(session, post.person), wish, shown, post.asked)
        write(session, post.person, letter, f"answer.{post.key}.yes", post.message_id)
    return MailOutcome("orders", "a yes to the lobby that could answer either of two letters")


def _ask_once_more(session: Session, post: Post, wishes: Sequence[LobbyWish]) -> MailOutcome:
    if not all(wish.nudged for wish in wishes):
        lobby.change_wishes(session.conn, mailbox_of(post.sender), nudged=True)
        request = _request_of(session, wishes[0])
        if request is not None:
            letter = letters.ask_code_again(reader_at(session, post.sender), _table_of_wish(session, request))
            write(session, post.sender, letter, f"again.{post.key}", post.message_id)
    return MailOutcome("orders", "a lobby code came back without a yes")


def _note_presence(session: Session, post: Post) -> None:
    conn = session.conn
    for seat in lobby.seats_of_person(conn, people.known_as(conn, post.sender), "seated", "waiting"):
        here = {"present_at": session.now} if seat.state == "seated" else {"asked": 0}
        lobby.change_seat(conn, seat.number, why="", **here)


def _too_fruitless(session: Session, post: Post, *, done: bool) -> bool:
    if done:
        return False
    return mail.kept_for_since(session.conn, post.sender, FRUITLESS, session.now - DAY) >= MOST_FRUITLESS
