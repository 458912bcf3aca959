"""Incoming posts in the thread of a game: each is read once, as it was when first seen, and played like a mail.

**Reading.** A line counts that begins with ``!`` at the left margin and is open (``own_lines``). In a mailing list
whose thread is Mentat's own, lines without the mark count too where they cannot be talk. Doubtful lines do not count.
The meaning of a line follows from its form alone, never from the position: nobody can ask a question by posting.

**Taking.** Posts are taken in the forum's own order. A marked line of an account that is linked with a seat is handled
like a mailed order, if it is an act of the closed list. A posted secret is not, and its writer is told so by mail.
Everything else is talk. Changing or deleting a post later changes nothing: everybody is told what counts.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from rapidfuzz import fuzz, process

from bot.channels.channel import Dialect, Gone, Post, PrivateMessage
from bot.channels.mailing_list import UNPROVEN
from bot.forum.own_lines import own_lines
from bot.games import forum_accounts
from bot.games.identity import Part
from bot.games.open_games import OpenGames, Session
from bot.games.seat_mail import make_harmless
from bot.language.commands import Press
from bot.language.forms import FORMS, pieces
from bot.language.lines import Context, tidy
from bot.language.orders import parse_order, read_as_written
from bot.language.sheets import SheetLine, read_sheet_line
from bot.moderator import seat_lines
from bot.moderator.seat_lines import Delivery, Way
from bot.store import forum_posts, forum_threads
from bot.store.database import Connection, reading, writing
from bot.store.forum_posts import SeenLine, SeenPost
from bot.store.forum_threads import Remark
from bot.table.table import Table
from bot.wording import say
from bot.wording.filters import speaking
from rules import orders as o
from rules.components import FACTIONS, Faction

RECHECKS = (timedelta(minutes=6), timedelta(hours=1), timedelta(days=1))
"""When a post is read again after the first time: some forums note no edit within the first five minutes."""
HOUR = timedelta(hours=1)
CLOCKS_AGREE = timedelta(minutes=1)
MOST_STRANGERS = 20
"""A thread tells this many accounts without a seat that their lines do not count."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the posts of a forum are read.

    ``plain``: lines count without a mark; ``skew``: how far the forum's clock is ahead of ours; ``interval``: the
    longest time before a post is read.
    """

    dialect: Dialect
    plain: bool = False
    skew: timedelta = timedelta(0)
    interval: timedelta = timedelta(minutes=1)

    def written_at(self, post: Post, now: datetime) -> datetime:
        """Return when a post was written, by our clock.

        Trust the forum's time if its clock agrees with ours; otherwise take the time of reading less ``interval``.
        """
        if abs(self.skew) < CLOCKS_AGREE:
            return min(post.posted - self.skew, now)
        return now - self.interval


def take_post(
    open_games: OpenGames,
    game_id: str,
    post: Post,
    how: Reading,
    pass_until: Callable[[str, datetime], object],
    now: datetime,
) -> None:
    """Take a post of the thread of a game, or compare it with its earlier version.

    ``pass_until`` applies the defaults that were overdue when it was written.
    """
    with reading(open_games.engine) as conn:
        own, known = forum_threads.own_post(conn, game_id, post.id), forum_posts.seen_post(conn, game_id, post.id)
    if own:
        if post.number is not None and own.number is None:
            with writing(open_games.engine) as conn:
                forum_threads.number_post(conn, game_id, post.id, post.number)
    elif known:
        compare_post(open_games, known, post, now)
    else:
        marked = read_post(_sayable(post.raw), how.dialect, plain=how.plain)
        if any(line.kind == "act" for line in marked):
            pass_until(game_id, how.written_at(post, now))
        with open_games.transaction(game_id) as (conn, table):
            take_read_post(Session(conn, open_games, now), table, replace(post, author=_sayable(post.author)), marked)


def take_read_post(session: Session, table: Table, post: Post, marked: Sequence[MarkedLine], way: Way = "post") -> None:
    if forum_posts.seen_post(session.conn, table.id, post.id):  # another process was faster
        return
    account = "" if post.author_id.startswith(UNPROVEN) else post.author_id
    for line in marked if account else ():
        if line.kind == "code" and (
            code := forum_posts.code_by_words(session.conn, [table.id], line.text, session.now)
        ):
            forum_accounts.take_code(session, table, code, account, post.author)
    linked = forum_accounts.linked_accounts(session.conn, table)
    faction = next((seat for seat, link in linked.items() if account and link.account == account), None)
    fresh = SeenPost(
        table.id,
        post.id,
        post.author,
        post.author_id,
        post.posted,
        session.now,
        post_digest(post),
        post.number,
        faction,
    )
    wanted = [line for line in marked if line.kind != "code"]
    if faction is None:
        forum_posts.keep_seen(session.conn, _of_stranger(session.conn, fresh, wanted))
        return
    lines = _played(session, table, fresh, wanted, way)
    fresh = replace(
        fresh,
        lines=tuple(lines),
        told=not any(is_quoted_back(line) for line in lines),
        raw=post.raw.encode(errors="replace"),
    )
    forum_posts.keep_seen(session.conn, replace(fresh, look_at=session.now + RECHECKS[0]) if fresh.taken else fresh)


def is_quoted_back(line: SeenLine) -> bool:
    """Does the next post quote this line back? It does if the line counts in the game; public press was read
    already."""
    return line.status in ("accepted", "held")


def _of_stranger(conn: Connection, fresh: SeenPost, wanted: Sequence[MarkedLine]) -> SeenPost:
    acts = [line for line in wanted if line.kind == "act"]
    if not acts:
        return fresh
    if (
        not forum_posts.is_known_stranger(conn, fresh.game_id, fresh.account)
        and forum_posts.count_strangers(conn, fresh.game_id) < MOST_STRANGERS
    ):
        forum_threads.add_remark(
            conn, Remark(fresh.game_id, "not-linked", post=post_number(fresh), author=fresh.author)
        )
    return replace(fresh, lines=tuple(SeenLine(line.text, "not-linked") for line in acts[:1]))


def _played(session: Session, table: Table, post: SeenPost, wanted: Sequence[MarkedLine], way: Way) -> list[SeenLine]:
    faction = post.faction
    if not wanted or faction is None:
        return []
    most = session.settings.limits.answers_per_hour
    before = forum_posts.count_marked_since(session.conn, table.id, faction, session.now - HOUR)
    if before >= most and way == "post":
        if before == most:
            _tell_player(session, table, faction, [say("forum.notice.too-many")])
        return [SeenLine(line.text, "too-many") for line in wanted]
    acts = tuple(line.text for line in wanted if line.kind == "act")
    lines: list[SeenLine] = []
    if acts:
        part = Part(table.id, faction, acts)
        with speaking(table.play.game.rules.edition):
            done = seat_lines.take_lines_at(session, table, part, Delivery(way))
        lines = [SeenLine(line.text, line.status, line.canonical) for line in done]
    address = session.settings.mentat.address
    others = [line for line in wanted if line.kind in ("secret", "unread")]
    told = [
        say(f"forum.notice.{line.kind}", post=post_number(post), line=make_harmless(line.text, address))
        for line in dict.fromkeys(others)
    ]
    if told:
        _tell_player(session, table, faction, told)
    return [*lines, *(SeenLine(line.text, line.kind) for line in others)]


def _tell_player(session: Session, table: Table, faction: Faction, told: Sequence[str]) -> None:
    session.writer.notify(table, faction, say("forum.subject.in-public"), told)


# --- looking again -------------------------------------------------------------------------------------------------


def compare_post(open_games: OpenGames, known: SeenPost, again: Post | Gone, now: datetime) -> None:
    """Compare a post that was taken with its present version.

    If it changed, everybody is told what counts; nothing in it ever counts again.
    """
    due = known.look_at is not None and known.look_at <= now
    if not known.taken or known.state or (is_same_post(known, again) and not due):
        return
    with open_games.transaction(known.game_id) as (conn, _):
        compare_read_post(conn, known, again, now)


def compare_read_post(conn: Connection, known: SeenPost, again: Post | Gone, now: datetime) -> None:
    state: Literal["", "deleted", "changed"]
    state = "" if is_same_post(known, again) else "deleted" if isinstance(again, Gone) else "changed"
    later = None if state else next((known.seen_at + look for look in RECHECKS if known.seen_at + look > now), None)
    forum_posts.put_seen(conn, replace(known, state=state, look_at=later))
    if state:
        force = "; ".join(line.canonical or line.text for line in known.taken)
        forum_threads.add_remark(
            conn, Remark(known.game_id, state, post_number(known), known.author, known.faction or "", in_force=force)
        )


def is_same_post(known: SeenPost, again: Post | Gone) -> bool:
    return isinstance(again, Post) and post_digest(again) == known.digest


def posts_to_recheck(open_games: OpenGames, game_id: str, now: datetime) -> list[SeenPost]:
    with reading(open_games.engine) as conn:
        return forum_posts.posts_to_look_at_again(conn, game_id, now)


# --- private messages ------------------------------------------------------------------------------------------------


def take_message(open_games: OpenGames, forum: str, message: PrivateMessage, dialect: Dialect, now: datetime) -> None:
    """Read a private message to our account: a code links the sender's account, and nothing else counts there."""
    for line in read_post(_sayable(message.raw), dialect):
        if line.kind != "code":
            continue
        with reading(open_games.engine) as conn:
            games = [thread.game_id for thread in forum_threads.threads(conn, forum)]
            code = forum_posts.code_by_words(conn, games, line.text, now)
        if code:
            with open_games.transaction(code.game_id) as (conn, table):
                if still := forum_posts.code_by_words(conn, [code.game_id], line.text, now):
                    forum_accounts.take_code(
                        Session(conn, open_games, now), table, still, message.author_id, _sayable(message.author)
                    )


# --- what a post is --------------------------------------------------------------------------------------------------


def post_digest(post: Post) -> str:
    return hashlib.sha256(post.raw.encode(errors="surrogatepass")).hexdigest()


def _sayable(text: str) -> str:
    """Replace lone surrogates, which JSON may contain, by question marks."""
    return text.encode(errors="replace").decode().replace("\0", "?")


def post_number(post: SeenPost) -> str:
    """Return how readers find a post: "#41"; "" where posts have no numbers."""
    return f"#{post.number}" if post.number is not None else ""


Kind = Literal["act", "code", "secret", "unread"]

ACTS = (o.Bid, o.Pass, o.PassAll, o.Ship, o.NoShipment, o.Move, o.NoMove, o.Ally, o.BreakAlliance, o.NoAlliance)
"""The closed list of acts that count in public, besides words to everybody."""
MARK = "!"
MOST_LINES = 50
LONGEST_LINE = 400
NEARLY = 78
"""The similarity (of 100) at which a word counts as a misspelt first word of a secret order."""

_CODE = re.compile(r"i\s*(?:am|'m|’m)\s+([a-z0-9]{6})[.!]?", re.IGNORECASE | re.ASCII)
_BOLD = re.compile(r"(?:\*\*(![^*]+)\*\*|__(![^_]+)__|\[b\](![^\[\]]+)\[/b\])\s*", re.IGNORECASE)
_TYPED = "–—−‘’“”„→…äöüéèñ"  # what keyboards type instead of plain characters, and accented letters of names
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_ANYBODY = Context(FACTIONS[0])


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line of a post that may count; ``text`` is the line as it could be mailed.

    An ``act`` is of the closed list. A ``code`` shows whose account it is (``text`` is the code). A ``secret`` is, or
    resembles, an order that only counts by mail. ``unread`` is any other marked line.
    """

    text: str
    kind: Kind


def read_post(raw: str, dialect: Dialect, *, plain: bool = False) -> tuple[MarkedLine, ...]:
    """The lines of a post that may count, at most fifty, in its order. ``plain``: it stands in the thread of a mailing
    list that is ours, so that acts count without a mark.

    >>> read_post("I would bid 9.\\n!bid 3\\n> !bid 4", Dialect.MARKDOWN)
    (MarkedLine(text='bid 3', kind='act'),)
    """
    found: list[MarkedLine] = []
    for own, words in own_lines(raw, dialect):
        line = _without_bold(own)
        read = _marked(line, words) if _is_marked(line) else _unmarked(line, words) if plain else None
        if read:
            found.append(read)
        if len(found) == MOST_LINES:
            break
    return tuple(found)


def _without_bold(line: str) -> str:
    bold = _BOLD.fullmatch(line)
    return next(filter(None, bold.groups())) if bold else line


def _is_marked(line: str) -> bool:
    """Does the line claim to count? Its mark must be at the margin, and begin neither a picture nor an exclamation."""
    rest = line[1:]
    return line.startswith(MARK) and bool(rest.strip()) and not rest.startswith(("!", "[", "?", "="))


def _marked(line: str, words: bool) -> MarkedLine:
    text = line[1:].strip()
    shown = _visible(text)[:LONGEST_LINE]
    if not words or shown != text:  # without the words, the line is still marked as secret
        return MarkedLine(shown, "secret" if _kind(shown) == "secret" else "unread")
    if code := _CODE.fullmatch(text):
        return MarkedLine(code[1].upper(), "code")
    return MarkedLine(text, _kind(text))


def _unmarked(line: str, words: bool) -> MarkedLine | None:
    """Read a line without the mark, where lines count as in a mail, if it can be nothing but an order.

    An act of uncertain authorship does not count, but its writer is told.
    """
    text = line.rstrip()
    if not text or len(text) > LONGEST_LINE or text[0].isspace() or not _is_typed(text):
        return None
    if code := _CODE.fullmatch(text):
        return MarkedLine(code[1].upper(), "code") if words else None
    kind = _kind(text)
    if not words:
        return MarkedLine(text, "unread") if kind == "act" else None
    if kind == "act" or (kind == "secret" and len(text.split()) > 1 and _is_order(text)):
        return MarkedLine(text, kind)
    return None


def _kind(text: str) -> Kind:
    line = tidy(text)
    parsed = parse_order(line.plain) if line.plain and not line.empty else None
    if parsed is not None:
        form, _ = parsed
        if form.makes is Press:
            return _kind_of_press(text)
        if form.makes not in ACTS or form.fixed.get("karama"):  # a card that only its holder knows must not show
            return "secret"
        return "act" if _is_typed(text) and _is_said(text) else "unread"
    if isinstance(read_sheet_line(text, _ANYBODY), SheetLine):
        return "secret"
    return "secret" if _is_nearly_secret(line.plain) else "unread"


def _kind_of_press(text: str) -> Kind:
    """Treat words to everybody, signed and to nobody else, as an act; other words go by mail."""
    match read_as_written(text, _ANYBODY):
        case Press((), _, (), None | True, None):
            return "act" if text[0].isalpha() else "unread"
    return "secret"


def _is_said(text: str) -> bool:
    return text[0].isalpha() and text[-1] not in "?\"'’”"


def _is_typed(text: str) -> bool:
    """Does the line consist only of characters that are what they look like?"""
    return all((sign.isascii() and sign.isprintable()) or sign in _TYPED for sign in text)


def _is_order(text: str) -> bool:
    parsed = parse_order(tidy(text).plain)
    if parsed is not None:
        return issubclass(parsed[0].makes, o.Order)
    return isinstance(read_sheet_line(text, _ANYBODY), SheetLine)


def _is_nearly_secret(plain: str) -> bool:
    words = re.findall(r"[a-z]+", plain)
    if not words:
        return False
    if any(word in _GIVEAWAYS for word in words):
        return True
    found = process.extractOne(words[0], _FIRST_WORDS, scorer=fuzz.ratio)
    return bool(found) and found[1] >= NEARLY and found[0] in _SECRET_WORDS


def _visible(text: str) -> str:
    return "".join(sign if unicodedata.category(sign) not in _UNSEEN else "�" for sign in text)


def _first_words(secret: bool) -> frozenset[str]:
    wanted = [form for form in FORMS if form.read and (form.makes not in (*ACTS, Press)) == secret]
    patterns = (pattern for form in wanted for pattern in (form.pattern, *form.also))
    return frozenset(
        str(piece).lower() for pattern in patterns for piece in list(pieces(pattern))[:1] if isinstance(piece, str)
    )


_PUBLIC_WORDS = _first_words(secret=False)
_SECRET_WORDS = _first_words(secret=True) - _PUBLIC_WORDS
_FIRST_WORDS = sorted(_PUBLIC_WORDS | _SECRET_WORDS)
_GIVEAWAYS = frozenset(
    ("battle", "dial", "weapon", "defense", "defence", "leader", "traitor", "traitors", "treachery", "karama",
     "truthtrance", "predict", "prediction", "discard", "voice", "prescience", "poison", "lasgun", "shield")
)  # fmt: skip
"""Words that mark an unreadable line as an order that must not be public."""
