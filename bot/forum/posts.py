"""Incoming posts in the thread of a game: each post is read once, as it was when first seen, and played like a mail.

**Reading.** A line counts if it begins with ``!`` and is the writer's own (``own_lines``), regardless of formatting. On
a mailing list whose thread is Mentat's own, lines without the mark also count. All of these lines are read like a mail
(``bot.language.mail_lines``). A marked line is never ignored: it counts, waits, or is answered by mail. The thread's
remarks about a line that does not count depend on its form and on public facts, never on the writer's secrets.

**Taking.** Posts are taken in the forum's own order. If an account is linked with a seat, its public acts are handled
like mailed orders. An act that does not answer an open question is not kept for a later one, unless it can wait for its
phase. If two acts answer one question differently, neither is taken. A posted secret is not taken either, and Mentat
tells its writer so by mail. If a post is changed or deleted later, its effect does not change, and everybody is told
what counts.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal

from rapidfuzz import fuzz, process

from bot.channels import Dialect, Gone, Post, PrivateMessage
from bot.channels.mailing_list import UNPROVEN
from bot.forum.own_lines import LONGEST_POST, own_lines, without_formatting
from bot.games import forum_accounts
from bot.games.forum_accounts import is_account
from bot.games.identity import Part
from bot.games.open_games import OpenGames, Session
from bot.games.seat_mail import make_harmless
from bot.language.commands import Cancel, Help, MailCommand, Press, Status
from bot.language.edits import answer_the_same
from bot.language.forms import FORMS, pieces, write
from bot.language.lines import Context, tidy
from bot.language.mail_lines import ReadLine, read_any
from bot.language.moves import agrees, asks, declines, is_courtesy, said
from bot.language.orders import Unread, parse_order, read_as_written
from bot.language.sheets import SheetLine, read_sheet_line
from bot.mail.lines import holds_free_text
from bot.moderator import seat_lines
from bot.moderator.seat_lines import Delivery, Way
from bot.render.material import LineVerdict
from bot.store import deadlines, forum_posts, forum_threads
from bot.store.database import Connection, reading, writing
from bot.store.forum_posts import SeenLine, SeenPost
from bot.store.forum_threads import Remark
from bot.table.lines import reading_context
from bot.table.table import Table
from bot.wording import say
from bot.wording.filters import speaking
from rules import orders as o
from rules.components import FACTIONS, Faction

RECHECKS = (timedelta(minutes=6), timedelta(hours=1), timedelta(days=1))
"""The delays after which a post is read again. Some forums do not mark edits made within the first five minutes."""
HOUR = timedelta(hours=1)
CLOCKS_AGREE = timedelta(minutes=1)
MOST_STRANGERS = 20
"""The maximum number of accounts without a seat that are told in the thread that their lines do not count."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the posts of a forum are read. ``plain`` means that lines count even without an exclamation mark in front.
    ``skew`` is how far the forum's clock is ahead of Mentat's. ``interval`` is the longest time before a post is
    read."""

    dialect: Dialect
    plain: bool = False
    skew: timedelta = timedelta(0)
    interval: timedelta = timedelta(minutes=1)

    def written_at(self, post: Post, now: datetime) -> datetime:
        """Return the time at which a post was written, by Mentat's clock. The forum's time is used if its clock agrees
        with Mentat's; otherwise the post is assumed to be ``interval`` old."""
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
    """Read a new post in the thread of a game and carry it out, or compare a known post with its earlier version.
    ``pass_until`` applies the defaults that were already due when the post was written."""
    with reading(open_games.engine) as conn:
        own, known = forum_threads.own_post(conn, game_id, post.id), forum_posts.seen_post(conn, game_id, post.id)
    if own:
        if post.number is not None and own.number is None:
            with writing(open_games.engine) as conn:
                forum_threads.number_post(conn, game_id, post.id, post.number)
    elif known:
        compare_post(open_games, known, post, now)
    else:
        lines = read_post(_sayable(post.raw), how.dialect, plain=how.plain)
        if any(line.kind == "words" for line in lines):
            pass_until(game_id, how.written_at(post, now))
        with open_games.transaction(game_id) as (conn, table):
            take_read_post(Session(conn, open_games, now), table, replace(post, author=_sayable(post.author)), lines)


def take_read_post(session: Session, table: Table, post: Post, read: Sequence[PostLine], way: Way = "post") -> None:
    if forum_posts.seen_post(session.conn, table.id, post.id):  # another process was faster
        return
    account = "" if post.author_id.startswith(UNPROVEN) else post.author_id
    for line in read if account else ():
        if line.kind == "code" and (
            code := forum_posts.code_by_words(session.conn, [table.id], line.text, session.now)
        ):
            forum_accounts.take_code(session, table, code, account, post.author)
    linked = forum_accounts.linked_accounts(session.conn, table)
    faction = next((seat for seat, link in linked.items() if is_account(link.account, account)), None)
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
    wanted = [line for line in read if line.kind != "code"]
    if faction is None:
        forum_posts.keep_seen(session.conn, _of_stranger(session.conn, fresh, wanted))
        return
    lines = _played(session, table, fresh, wanted, way)
    fresh = replace(
        fresh,
        lines=tuple(lines),
        told=not any(fate_of(line) for line in lines),
        raw=post.raw.encode(errors="replace") if lines else b"",
    )
    forum_posts.keep_seen(session.conn, replace(fresh, look_at=session.now + RECHECKS[0]) if fresh.taken else fresh)


Fate = Literal["counts", "waits", "not"]


def fate_of(line: SeenLine) -> Fate | None:
    """Return the result of a line for the thread, or None if the thread does not mention it. The thread does not
    mention public press, for example, which everybody has already read."""
    if line.status in NOT_SHOWN or (line.status == "done" and not line.canonical.startswith("cancel ")):
        return None
    return "counts" if line.status in ("accepted", "done") else "waits" if line.status == "held" else "not"


NOT_SHOWN = ("talk", "not-linked", "too-many")
WHY = ("late", "turn", "illegal", "twice", "secret", "covered", "quoted", "inside", "signs", "long", "cancel", "unread")
"""The reasons why a line does not count: the keys of the public explanations in `[forum-why]`."""
WORDS_SHOWN = ("late", "turn", "illegal", "twice")


def order_in(line: str) -> o.Order | None:
    read = read_as_written(line, _ANYBODY) if line else None
    return read if isinstance(read, o.Order) else None


def _of_stranger(conn: Connection, fresh: SeenPost, wanted: Sequence[PostLine]) -> SeenPost:
    acts = [line for line in wanted if line.kind == "words" and _reads_as_act(line.text)]
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


def _played(session: Session, table: Table, post: SeenPost, wanted: Sequence[PostLine], way: Way) -> list[SeenLine]:
    faction = post.faction
    if not any(line.text for line in wanted) or faction is None:
        return []
    most = session.settings.limits.answers_per_hour
    before = forum_posts.count_marked_since(session.conn, table.id, faction, session.now - HOUR)
    if before >= most and way == "post":
        if before == most:
            session.writer.notify(table, faction, say("forum.subject.in-public"), [say("forum.notice.too-many")])
        return [SeenLine(line.text, "too-many") for line in wanted if line.marked]
    reader = _Reader(session, table, post, faction, wanted)
    part = Part(table.id, faction, tuple(line.text for line in wanted if line.kind == "words"))
    with speaking(table.play.game.rules.edition):
        done = seat_lines.take_lines_at(session, table, part, Delivery(way, sift=reader.sift))
    return [reader.seen(line) for line in done]


class _Reader:
    def __init__(
        self, session: Session, table: Table, post: SeenPost, faction: Faction, wanted: Sequence[PostLine]
    ) -> None:
        self._session, self._table, self._post, self._faction = session, table, post, faction
        self._wanted = [line for line in wanted if line.text]
        self._marked = [line.text for line in wanted if line.marked and line.kind == "words"]
        self._asked = {question.kind for question in table.play.asked() if question.faction == faction}
        self._context = reading_context(table.play, faction)
        self._labels: dict[str, str] = {}
        self._canonical: dict[str, str] = {}

    def sift(self, read: Sequence[ReadLine]) -> list[ReadLine]:
        kept: list[ReadLine] = []
        acts = dict.fromkeys(
            line.result for line in read if isinstance(line.result, o.Order) and is_public(line.result)
        )
        beside = [order_in(line.text.strip("?\"'“”’ ")) for line in self._wanted if line.kind in ("inside", "signs")]
        acts |= dict.fromkeys(order for order in beside if order)
        said_before: set[o.Order] = set()
        for line in read:
            order = line.result
            if isinstance(order, o.Order) and is_public(order):
                if self._may_be_talk(line.text):
                    self._labels[line.text] = "talk"
                    told = say("unread.plain", lines=[f"“{write(order)}”"])
                    kept.append(ReadLine(line.text, Unread(told, (write(order),))))
                elif order not in said_before:
                    kept.append(self._judged(line, order, [other for other in acts if other != order]))
                said_before.add(order)
            elif isinstance(line.result, Cancel):
                kept += self._withdrawn(line, line.result, taken_back=any(above.dropped for above in read))
            else:
                kept += filter(None, [self._beside(line)])
        taken = any(isinstance(line.result, o.Order) for line in kept)
        doubtful = [line for line in self._wanted if line.kind != "words" and (line.marked or not taken)]
        return [*kept, *(self._not_read(line.text, line.kind) for line in dict.fromkeys(doubtful))]

    def _judged(self, line: ReadLine, order: o.Order, others: Sequence[o.Order]) -> ReadLine:
        rivals = [f"“{write(other)}”" for other in others if answer_the_same(order, other)]
        if rivals:
            return self._not_read(line.text, "twice", rivals=rivals, canonical=write(order))
        kinds = o.ANSWERS.get(type(order), ())
        if isinstance(order, OF_THE_MOMENT) and self._asked.isdisjoint(kinds):
            late = not set(self._missed()).isdisjoint(kinds)
            return self._not_read(line.text, "late" if late else "turn", canonical=write(order))
        return line

    def _withdrawn(self, line: ReadLine, cancel: Cancel, *, taken_back: bool) -> list[ReadLine]:
        """Turn a `cancel` into one cancellation for each act to which it refers: acts that were posted and are still
        waiting. Orders sent by mail can only be withdrawn by mail."""
        posted = self._posted_acts()
        named = order_in(cancel.line)
        meant = [text for text, order in posted.items() if named in (None, order)]
        if not meant or (named is None and cancel.line):
            return [] if taken_back else [self._not_read(line.text, "cancel")]
        for text in meant:
            self._labels[f"cancel {text}"] = "done"  # even if it was withdrawn by mail before: this must stay secret
            self._canonical[f"cancel {text}"] = f"cancel {text}"
        return [ReadLine(f"cancel {text}", Cancel(text)) for text in meant]

    def _posted_acts(self) -> dict[str, o.Order]:
        waiting: dict[str, o.Order] = {}
        for post in forum_posts.seen_in_game(self._session.conn, self._table.id):
            for line in post.lines if post.faction == self._faction else ():
                waiting.pop(line.canonical.removeprefix("cancel "), None)
                if line.status == "held" and (order := order_in(line.canonical)):
                    waiting = {text: old for text, old in waiting.items() if not answer_the_same(order, old)}
                    waiting[line.canonical] = order
        return waiting

    def _is_marked(self, words: str) -> bool:
        return any(text in words or words in text for text in self._marked)

    def _may_be_talk(self, words: str) -> bool:
        """Return True if these words may be an answer to somebody else. In a mail, "no" answers Mentat's letter; on a
        list it may answer anybody."""
        bare = len(words.split()) == 1 or agrees(words) or declines(words)
        names_act = form_of(words) == "act" or not _ACT_WORDS.isdisjoint(said(words).words)
        return bare and not names_act and not self._is_marked(words)

    def _beside(self, line: ReadLine) -> ReadLine | None:
        marked = self._is_marked(line.text)
        form, result = form_of(line.text), line.result
        unread = result if isinstance(result, Unread) else None
        if line.dropped or isinstance(result, Status | Help) or _is_public_press(result):
            return line
        an_order = form == "secret" and len(line.text.split()) > 1 and not (unread and unread.chatter)
        if an_order or (marked and (form == "secret" or not unread)):
            return self._not_read(line.text, "secret", shown=form == "secret")
        if marked:
            return line
        acts = self._acts_within(line.text) if unread and unread.chatter else []
        if acts:
            told = say("unread.plain", lines=[f"“{act}”" for act in acts])
            line = ReadLine(line.text, Unread(told, tuple(acts) if len(acts) == 1 else ()))
        elif not (unread and _may_be_act(line.text, unread)):
            return None
        self._labels[line.text] = "talk"
        return line

    def _acts_within(self, text: str) -> list[str]:
        clauses = (clause for part in _SENTENCE_ENDS.split(text) if not asks(part) for clause in _CLAUSES.split(part))
        bare = [clause for clause in map(_bare_clause, clauses) if clause and not self._may_be_talk(clause)]
        read = [read_any(words, self._context) for clause in bare for words in (clause, _beginning(clause)) if words]
        acts = [_named_acts(each)[:1] if isinstance(each, Unread) else _written_act(each) for each in read]
        return [*dict.fromkeys(act for found in acts for act in found if form_of(act) == "act")]

    def _not_read(self, text: str, why: str, *, shown: bool = True, canonical: str = "", **about: object) -> ReadLine:
        if why != "secret" and form_of(text) == "secret":
            why = "secret"
        self._labels[text], self._canonical[text] = why if shown else "unread", canonical
        line = make_harmless(text, self._session.settings.mentat.address)
        told = say(f"forum.notice.{why}", post=post_number(self._post), line=line, canonical=canonical, **about)
        return ReadLine(text, Unread(told))

    def _missed(self) -> Collection[str]:
        return deadlines.missed_kinds(self._session.conn, self._table.id, self._faction, self._table.play.state.turn)

    def seen(self, line: LineVerdict) -> SeenLine:
        status = self._labels.get(line.text, line.status)
        order = order_in(line.canonical) if line.status == "refused" else None
        if order:
            kinds = set(o.ANSWERS.get(type(order), ()))
            late = self._asked.isdisjoint(kinds) and not kinds.isdisjoint(self._missed())
            status = "late" if late else "turn" if self._asked.isdisjoint(kinds) else "illegal"
        elif line.status in ("unread", "talk") and line.text not in self._labels:
            status = "unread"
        return SeenLine(line.text, status, line.canonical or self._canonical.get(line.text, ""))


# --- changed posts -------------------------------------------------------------------------------------------------


def compare_post(open_games: OpenGames, known: SeenPost, again: Post | Gone, now: datetime) -> None:
    """Compare a post that was taken earlier with its current version. If it has changed, tell everybody what counts.
    Nothing that was added later counts."""
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
    """Read a private message to Mentat's account. A code in it links the sender's account; nothing else in it
    counts."""
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


# --- the lines of a post ---------------------------------------------------------------------------------------------


def post_digest(post: Post) -> str:
    return hashlib.sha256(post.raw.encode(errors="surrogatepass")).hexdigest()


def _sayable(text: str) -> str:
    return text.encode(errors="replace").decode().replace("\0", "?")


def post_number(post: SeenPost) -> str:
    return f"#{post.number}" if post.number is not None else ""


Kind = Literal["words", "code", "covered", "quoted", "inside", "signs", "long"]

_FOR_THE_TABLE = (o.Charity, o.NoCharity, o.Revive, o.ReviveLeader, o.NoRevival, o.Place, o.PlaceWorm, o.Ride, o.NoRide)
_MOVES = (o.Ship, o.NoShipment, o.Move, o.NoMove, o.Ally, o.BreakAlliance, o.NoAlliance)
ACTS = (o.Bid, o.Pass, o.PassAll, *_MOVES, *_FOR_THE_TABLE, o.NoKarama)
"""All orders that count when they are posted, apart from press to everybody, `cancel`, `status` and `help`."""
OF_THE_MOMENT = (o.Bid, o.Pass, o.NoKarama)
"""Orders that answer the question now open. They are not kept for a later question."""
MOST_LINES = 50
LONGEST_LINE = 400
SHORT_CLAUSE = 6  # words
NEARLY = 78
"""The similarity (out of 100) at which a word counts as a misspelt first word of a secret order."""

_CODE = re.compile(r"i\s*(?:am|'m|’m)\s+([a-z0-9]{6})[.!]?", re.IGNORECASE | re.ASCII)
_CODE_WITHIN = re.compile(
    r"(?<![a-z0-9])i\s*(?:am|'m|’m)\s+((?=[A-Z]*[0-9])[A-Z0-9]{6})(?!\w)", re.ASCII | re.IGNORECASE
)
_MARKED = re.compile(r"(?P<before>|.*?[\s:(,])(?P<mark>[!！]{1,3})\s*(?P<rest>[^\s!！?=\[].*)")
_LEAD = re.compile(
    r"(?:(?:@?mentat|edit(?:ed)?(?: ?[0-9]{1,2})?|correction|update|oops|sorry|@[\w.-]{1,40})[\s,:.–-]*){0,3}",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:[^\W\d_]+ ){0,2}[^\W\d_]+:")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")
_CLAUSES = re.compile(
    r"[,;:]\s+|\s+[-–—(]\s*|\s+(?=(?:but|and|so|then|unless|if|or|i['’]?ll|i will|i am|i['’]?m)\b)", re.IGNORECASE
)
_NUMBER = re.compile(r"[0-9]{1,2}(?: spice)?[.!]*", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"i['’]?m|we['’]?re", re.IGNORECASE)
_QUOTED_FORM = re.compile("“([^”]{1,60})”")
_CONNECTIVE = re.compile(r"(?:(?:but|and|so|then)\s+)+", re.IGNORECASE)
_MENTION = re.compile(r"@mentat\b[\s,:]*(?=\S)", re.IGNORECASE)
_SMILEY = re.compile(r":[a-z_+-]{2,20}:(?!\w)|(?<!\S)[:;=8][-~o^]?[)(DPpO|/\\*3]+(?!\w)")
_PICTURES = ("So", "Sk")
_JOINS = "\ufe0f\u200d"  # between the parts of an emoji
_TYPED = "–—−‘’“”„…→«»°´§½¿¡€£"  # characters that keyboards type in place of plain ones
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_ANYBODY = Context(FACTIONS[0])


@dataclass(frozen=True, slots=True)
class PostLine:
    text: str
    kind: Kind = "words"
    marked: bool = True


BLANK = PostLine("", marked=False)


def read_post(raw: str, dialect: Dialect, *, plain: bool = False) -> tuple[PostLine, ...]:
    """Return the lines of a post that may count, at most fifty; an empty line separates paragraphs. If ``plain`` is
    true, lines count even without an exclamation mark in front.

    >>> read_post("I would bid 9.\\n**!bid 3**\\n> !bid 4", Dialect.MARKDOWN)
    (PostLine(text='bid 3', kind='words', marked=True),)
    """
    if len(raw) > LONGEST_POST:
        heads = map(without_formatting, raw[:LONGEST_POST].split("\n"))
        acts = (head.lstrip("!") for head in heads if len(head) < LONGEST_LINE and (plain or head.startswith("!")))
        return tuple(PostLine(act, "long") for act in islice(filter(_reads_as_act, acts), 1))
    found: list[PostLine] = []
    count = 0
    for own, doubt in own_lines(raw, dialect):
        above = found[-1] if found else BLANK
        line = _post_line(own, doubt, plain=plain, mends=above.marked and above.kind == "words")
        if line and count == MOST_LINES:
            if line.marked or _reads_as_act(line.text):
                return (*found, replace(line, kind="long"))
        elif line:
            found.append(line)
            count += 1
        elif above.text:
            found.append(BLANK)
    return tuple(found[:-1] if found and not found[-1].text else found)


def _post_line(own: str, doubt: str, *, plain: bool, mends: bool) -> PostLine | None:
    text = _without_pictures(without_formatting(own))
    if text and unicodedata.category(text[0]) in _UNSEEN:
        text, doubt = (
            text.lstrip("".join(sign for sign in text if unicodedata.category(sign) in _UNSEEN)),
            doubt or "words",
        )
    if text.startswith("`"):
        text, doubt = text.strip("`"), doubt or "words"
    marked = _MARKED.fullmatch(text)
    before = marked["before"].strip() if marked else ""
    leads = bool(_LEAD.fullmatch(before) or _LABEL.fullmatch(before)) or agrees(before)
    leads |= is_courtesy(before, last=False, signed=False)
    if marked and (leads or _is_act_or_secret(marked["rest"])):
        cried = len(marked["mark"]) > 1 and marked["rest"][0].isdigit()  # "Wow !!!11"
        return _marked_line(marked["rest"].strip(), doubt or ("words" if cried else "" if leads else "inside"))
    if not doubt and plain and _is_typed(text) and (code := _CODE.fullmatch(text) or _CODE_WITHIN.search(text)):
        return PostLine(code[1].upper(), "code")
    mentioned = _MENTION.sub("", text, count=1)
    if plain and doubt == "quoted" and form_of(mentioned) == "act":
        return PostLine(mentioned, "quoted", marked=False)
    if doubt or not mentioned:
        return None
    if len(mentioned) > LONGEST_LINE or not _is_typed(mentioned):
        return _unreadable_line(mentioned) if plain else None
    if plain or mentioned != text or (mends and (said(text).begins("correct") or said(text).begins("retract"))):
        return PostLine(mentioned, marked=False)
    return None


def _unreadable_line(text: str) -> PostLine | None:
    typed = text.encode("ascii", "replace").decode().replace("?", " ")
    sentences = (each for each in _SENTENCE_ENDS.split(typed) if len(each) < LONGEST_LINE)
    act = next(filter(_reads_as_act, sentences), "")
    kind: Kind = "long" if len(text) > LONGEST_LINE else "signs"
    return PostLine(act if kind == "long" else _visible(text), kind, marked=False) if act else None


def _marked_line(text: str, doubt: str) -> PostLine | None:
    shown = _visible(text)[:LONGEST_LINE]
    if doubt in ("covered", "inside") and not _is_act_or_secret(text):
        return None
    if doubt:
        return PostLine(shown, "signs" if doubt == "words" else doubt)  # type: ignore[arg-type]  # the others are reasons of a PostLine
    if _is_typed(text) and (code := _CODE.fullmatch(text) or _CODE_WITHIN.search(text)):
        return PostLine(code[1].upper(), "code")
    if len(text) > LONGEST_LINE:
        return PostLine(shown, "long")
    return PostLine(text) if _is_typed(text) and _is_said(text) else PostLine(shown, "signs")


def _is_act_or_secret(text: str) -> bool:
    return form_of(text) != "" or _reads_as_act(text)


def _reads_as_act(text: str) -> bool:
    read = read_any(text, _ANYBODY) if text.strip() else None
    return any(form_of(act) == "act" for act in (read.suggestions if isinstance(read, Unread) else _written_act(read)))


def _without_pictures(text: str) -> str:
    if holds_free_text(text.lstrip("!！ ")):
        return text
    signs = "".join(" " if unicodedata.category(sign) in _PICTURES and sign not in "^`´" else sign for sign in text)
    if signs != text:
        signs = signs.translate(dict.fromkeys(map(ord, _JOINS)))
    return " ".join(_SMILEY.sub(" ", signs).split(" ")).strip()


def is_public(order: o.Order) -> bool:
    return isinstance(order, ACTS) and not (isinstance(order, o.Bid) and order.karama)


def _written_act(read: object) -> tuple[str, ...]:
    return (write(read),) if isinstance(read, o.Order) and is_public(read) else ()


def _may_be_act(text: str, unread: Unread) -> bool:
    if any(form_of(each) == "act" for each in (*_named_acts(unread), *text.split("\n"))) or unread.suggestions:
        return True
    return not unread.chatter and not _ACT_WORDS.isdisjoint(said(text).words) and not asks(text)


def _named_acts(unread: Unread) -> tuple[str, ...]:
    """Return the orders that Mentat proposes for the line or quotes in its reason, as in "This reads as “charity”"."""
    return unread.suggestions or (() if unread.chatter else tuple(_QUOTED_FORM.findall(unread.reason)))


def _is_public_press(read: object) -> bool:
    match read:
        case Press((), _, (), None | True, None):
            return True
    return False


Form = Literal["act", "secret", ""]


def form_of(text: str) -> Form:
    """Return the form of a line. It does not depend on the writer or on the state of the game."""
    line = tidy(text)
    parsed = parse_order(line.plain) if line.plain and not line.empty else None
    if parsed is not None:
        form, _ = parsed
        if form.makes is Press:
            return "act" if _is_public_press(read_as_written(text, _ANYBODY)) else "secret"
        if issubclass(form.makes, MailCommand):
            return "" if form.makes in (Cancel, Status, Help) else "secret"
        return "secret" if form.makes not in ACTS or form.fixed.get("karama") else "act"
    if isinstance(read_sheet_line(text, _ANYBODY), SheetLine):
        return "secret"
    return "secret" if _is_nearly_secret(line.plain) else ""


def _bare_clause(clause: str) -> str:
    return _CONNECTIVE.sub("", clause.strip(" .!)"), count=1)


def _beginning(clause: str) -> str:
    """Return the first two words of a short clause in the first person, or "". For example, "I'm out of this one" may
    mean "I'm out"."""
    words = clause.split()
    return " ".join(words[:2]) if 2 < len(words) <= SHORT_CLAUSE and _FIRST_PERSON.fullmatch(words[0]) else ""


def _is_said(text: str) -> bool:
    return bool(text[0].isalpha() or _NUMBER.fullmatch(text)) and (holds_free_text(text) or text[-1] not in "?\"'’”")


def _is_typed(text: str) -> bool:
    """Return True if no character of the line can be mistaken for another. Free text addressed to other players may
    contain any characters."""
    if holds_free_text(text):
        return all(unicodedata.category(sign) not in _UNSEEN or sign in _JOINS for sign in text)
    return all(
        sign.isprintable() and (sign.isascii() or sign in _TYPED or unicodedata.name(sign, "").startswith("LATIN "))
        for sign in text
    )


def _is_nearly_secret(plain: str) -> bool:
    words = re.findall(r"[a-z]+", plain)
    if not words or words[0] in _PUBLIC_WORDS - {"no"} or words[:2] == ["no", "karama"]:
        return False
    if any(word in _GIVEAWAYS for word in words):
        return True
    found = process.extractOne(words[0], _FIRST_WORDS, scorer=fuzz.ratio)
    return bool(found) and found[1] >= NEARLY and found[0] in _SECRET_WORDS


def _visible(text: str) -> str:
    return "".join(sign if unicodedata.category(sign) not in _UNSEEN else "�" for sign in text)


def _first_words(secret: bool) -> frozenset[str]:
    public = (*ACTS, Press, Cancel, Status, Help)
    wanted = [form for form in FORMS if form.read and (form.makes not in public) == secret]
    patterns = (pattern for form in wanted for pattern in (form.pattern, *form.also))
    return frozenset(
        str(piece).lower() for pattern in patterns for piece in list(pieces(pattern))[:1] if isinstance(piece, str)
    )


_PUBLIC_WORDS = _first_words(secret=False)
_ACT_WORDS = frozenset(("bid", "pass", "ship", "move", "ally", "revive", "charity"))
_SECRET_WORDS = _first_words(secret=True) - _PUBLIC_WORDS
_FIRST_WORDS = sorted(_PUBLIC_WORDS | _SECRET_WORDS)
_GIVEAWAYS = frozenset(
    ("battle", "dial", "weapon", "defense", "defence", "leader", "traitor", "traitors", "treachery", "karama",
     "truthtrance", "predict", "prediction", "discard", "voice", "prescience", "poison", "lasgun", "shield")
)  # fmt: skip
