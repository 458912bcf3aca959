"""Outgoing posts: report public events in a game's thread, and send the waiting posts in order.

A post is composed only after the previous post has been sent, so one post reports everything that has happened in
between, even if the forum was unavailable for a long time. Its content, and the decision to post it, depend only on the
public view and on public events. A post is first composed and committed to the database. It is then sent, under a key
by which the forum's channel can find it again, and finally recorded as sent. If Mentat crashes in between, it sends the
post again under the same key, so the thread has only one such post.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from msgspec import structs

from bot.channels import Channel, Limits, NotPossible, Refused
from bot.channels import Thread as Place
from bot.desk.powers import within
from bot.forum import post_texts, posts
from bot.games import forum_accounts
from bot.games.open_games import OpenGames, Session, act
from bot.language.edits import answer_the_same
from bot.render.letters import picture_of
from bot.render.material import News, Position
from bot.store import forum_posts, forum_threads, games
from bot.store.database import Connection
from bot.store.forum_threads import OutgoingPost, PostKind, Thread
from bot.table.press import names_hidden
from bot.table.table import Table
from bot.wording import say
from bot.wording.filters import speaking
from rules.components import Faction, as_faction
from rules.state.events import Event

FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=10), timedelta(hours=6)
"""The first and the longest wait before a refused post is retried."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a game is posted: after every public change or only at the end of a phase. ``plain`` means that lines in the
    thread count even without an exclamation mark in front. ``by_hand`` means that a person passes the thread's posts on
    to Mentat."""

    when: Literal["changes", "phases"] = "changes"
    pictures: bool = True
    plain: bool = False
    by_hand: bool = False


# --- composing -----------------------------------------------------------------------------------------------------


def compose_post(open_games: OpenGames, channel: Channel, game_id: str, manner: Manner, now: datetime) -> bool:
    """Compose the next post of a game's thread, unless one is already waiting. Return True if a post is waiting now."""
    picture = _picture(open_games, channel, game_id, manner, now)
    with act(open_games, now, game_id) as session:
        conn = session.conn
        thread = forum_threads.thread_of(conn, game_id)
        if thread is None or thread.closed or forum_threads.waiting_posts(conn, game_id):
            return False
        table = open_games.table(conn, game_id)
        with speaking(table.play.game.rules.edition):
            return _Composer(session, table, thread, channel.limits, manner, picture).compose()


def assume_told(open_games: OpenGames, game_id: str) -> None:
    """Mark all events of the game as reported in the thread, and all lines taken from the thread as quoted there."""
    with open_games.transaction(game_id) as (conn, table):
        thread = forum_threads.thread_of(conn, game_id)
        if thread is None or not thread.thread:
            return
        if untold := forum_posts.untold_posts(conn, game_id):
            forum_posts.mark_told(conn, game_id, untold[-1].id)
        forum_threads.drop_remarks(conn, game_id)
        heads = forum_threads.heads_since(conn, game_id, thread.told_snapshot)
        turn = table.play.state.turn - (not table.play.over)
        forum_threads.put_thread(
            conn,
            replace(
                thread,
                told=table.events,
                told_turn=max(thread.told_turn, turn),
                told_snapshot=heads[-1].snapshot if heads else thread.told_snapshot,
            ),
        )


@dataclass(frozen=True, slots=True)
class Told:
    """The numbers of the last events, turns, snapshots, posts of others and remarks that a thread has reported. The key
    of a block begins with these numbers."""

    events: int
    turn: int
    snapshot: int
    post: int
    remark: int

    def __str__(self) -> str:
        return f"{self.events}.{self.turn}.{self.snapshot}.{self.post}.{self.remark}"

    @classmethod
    def of_key(cls, key: str) -> Told | None:
        written = key.partition(" ")[0].split(".")
        return cls(*map(int, written)) if len(written) == 5 else None


def note_told(conn: Connection, thread: Thread, told: Told, now: datetime) -> Thread:
    forum_posts.mark_told(conn, thread.game_id, told.post)
    forum_threads.drop_remarks(conn, thread.game_id, told.remark)
    if told.snapshot != thread.told_snapshot:
        forum_posts.look_again_now(conn, thread.game_id, now)
    return replace(thread, told=told.events, told_turn=told.turn, told_snapshot=told.snapshot)


EXPLAIN_THE_END = ("strongholds", "game-won", "treachery-called")


@dataclass(slots=True)
class _Composer:
    session: Session
    table: Table
    thread: Thread
    limits: Limits
    manner: Manner
    picture: str
    waits: int = 0

    @property
    def conn(self) -> Connection:
        return self.session.conn

    def compose(self) -> bool:
        table, thread = self.table, self.thread
        looked = replace(thread, looked=table.revision)
        forum_accounts.linked_accounts(self.conn, table)  # also ends outdated links, with a remark in the thread
        if not thread.thread:
            self._let_wait("open", self._opening())
        elif self._is_to_be_told():
            looked = self._rewrite(looked) if self.manner.by_hand else self._tell(looked)
        forum_threads.put_thread(self.conn, looked)
        return self.waits > 0

    def _is_to_be_told(self) -> bool:
        if self.table.play.over:
            return self.thread.told_turn < self.table.play.state.turn
        if self.manner.when == "phases":
            return bool(forum_threads.heads_since(self.conn, self.table.id, self.thread.told_snapshot))
        fresh = games.events_of(self.conn, self.table.id, self.thread.told)
        quoted = forum_posts.untold_posts(self.conn, self.table.id) or forum_threads.remarks(self.conn, self.table.id)
        return bool(quoted) or any(event.visible_to("public") for event in fresh)

    def _tell(self, thread: Thread) -> Thread:
        posts, title, told = self._news_posts()
        for text, turn in posts:
            self._add("post", text=text, turn=turn)
        ended = range(thread.told_turn + 1, self.table.play.state.turn)
        over = self.table.play.over
        self._rename(title, new_turn=bool(ended) or over, new_phase=told.snapshot != thread.told_snapshot or over)
        return note_told(self.conn, thread, told, self.session.now)

    def _rewrite(self, thread: Thread) -> Thread:
        before = forum_threads.rewritable_blocks(self.conn, self.table.id)
        if before is None:
            return thread
        posts, _, told = self._news_posts()
        if [text for text, _ in posts] == [block.text for block in before]:
            return thread
        forum_threads.drop_blocks(self.conn, self.table.id, before)
        for number, (text, turn) in enumerate(posts, start=1):
            self._add("post", text=text, turn=turn, told=told if number == len(posts) else None)
        return thread

    def _news_posts(self) -> tuple[list[tuple[str, int]], str, Told]:
        table, conn, state, thread = self.table, self.conn, self.table.play.state, self.thread
        over, acting, limits = table.play.over, self._acting(), self.limits
        ended = range(thread.told_turn + 1, state.turn)
        posts: list[tuple[str, int]] = []
        for turn in ended[:-1] if not over else ended:
            whole = self._whole_turn(turn)
            told_before = self._count_told(turn)
            posts += [(text, 0) for text in post_texts.end_of_turn(whole, self.limits, told=told_before).posts]
        untold, heads = (
            forum_posts.untold_posts(conn, table.id),
            forum_threads.heads_since(conn, table.id, thread.told_snapshot),
        )
        remarks = forum_threads.remarks(conn, table.id)
        besides = post_texts.Besides(
            posted=_posted(untold),
            remarks=[
                post_texts.Remark(each.kind, each.post, each.author, as_faction(each.faction) if each.faction else None,
                               each.in_force, each.reason)
                for each in remarks
            ],
            heads=[*(post_texts.Head(head.turn, head.phase, head.head) for head in heads),
                   *([post_texts.Head(state.turn, "over", table.head)] if over and table.head else [])],
            picture=self.picture,
        )  # fmt: skip
        if over:
            words = post_texts.end_of_game(self._end(thread), limits, acting, besides)
        elif ended:
            whole = self._whole_turn(ended[-1], state.turn)
            words = post_texts.end_of_turn(whole, limits, acting, besides, self._count_told(ended[-1]))
        else:
            words = post_texts.news_posts(self._news(thread), limits, acting, besides)
        begins = state.turn if ended or not thread.told else 0
        posts += [(text, begins if number == 0 else 0) for number, text in enumerate(words.posts)]
        told = Told(
            table.events,
            state.turn if over else ended[-1] if ended else thread.told_turn,
            heads[-1].snapshot if heads else thread.told_snapshot,
            max((post.id for post in untold), default=0),
            max((remark.id for remark in remarks), default=0),
        )
        return posts, words.title, told

    def _count_told(self, turn: int) -> int:
        events = games.events_of_turn(self.conn, self.table.id, turn)
        return len(self._public(event for event in events if event.number < self.thread.told))

    def _whole_turn(self, turn: int, until: int = 0) -> Position:
        position = self.session.writer.position_after(self.table, turn)
        later = [
            event
            for number in range(turn + 1, until + 1)
            for event in games.events_of_turn(self.conn, self.table.id, number)
        ]
        return structs.replace(position, news=position.news + self._public(later))

    def _news(self, thread: Thread) -> Position:
        position = self.session.writer.position(self.table, "public", ())
        this = games.events_of_turn(self.conn, self.table.id, self.table.play.state.turn)
        before = self._public([event for event in this if event.number < thread.told])
        fresh = self._public(games.events_of(self.conn, self.table.id, thread.told))
        return structs.replace(position, news=fresh, background=before)

    def _end(self, thread: Thread) -> Position:
        table = self.table
        position = self.session.writer.position(table, "public", ())
        all_events = games.events_of(self.conn, table.id)
        past = tuple(news for news in self._public(all_events) if news.kind in EXPLAIN_THE_END)
        fresh = self._public([event for event in all_events if event.number >= thread.told])
        shown = position.revealed if table.policy.ended == "full" else None
        return structs.replace(position, news=fresh, background=past, revealed=shown)

    def _public(self, events: Iterable[Event]) -> tuple[News, ...]:
        return tuple(
            News(event.turn, event.phase, event.kind, event.facts, {}) for event in events if event.visible_to("public")
        )

    def _opening(self) -> post_texts.Words:
        position = self.session.writer.position(self.table, "public", ())
        return post_texts.opening_posts(position, self.limits, self._acting())

    def _acting(self) -> post_texts.Acting:
        by_post = not names_hidden(self.table)  # in an anonymous game, posts would reveal the players
        links = forum_posts.account_links(self.conn, self.table.id) if by_post else {}
        accounts = {faction: link.author for faction, link in links.items()}
        return post_texts.Acting(by_post, self.manner.plain, self.manner.by_hand, accounts)

    def _rename(self, title: str, *, new_turn: bool, new_phase: bool) -> None:
        if not self.limits.revisable:
            return
        if new_phase and title != self.thread.title:
            self._add("title", title=title)
        if new_turn:
            begun = {
                each.turn: _link(self.thread, each)
                for each in forum_threads.own_posts(self.conn, self.table.id)
                if each.turn
            }
            position = self.session.writer.position(self.table, "public", ())
            index = post_texts.status_post(position, self.limits, begun, self._acting())
            self._add("index", text=index.posts[0])

    def _let_wait(self, kind: PostKind, words: post_texts.Words, turn: int = 0) -> None:
        for text in words.posts:
            self._add(kind, title=words.title if kind == "open" else "", text=text, turn=turn)
            kind, turn = "post", 0

    def _add(self, kind: PostKind, title: str = "", text: str = "", turn: int = 0, told: Told | None = None) -> None:
        number = forum_threads.count_outgoing(self.conn, self.table.id)
        key = _key(self.table.id, number, kind, title, text)
        if told:
            key = f"{told} {key}"
        forum_threads.add_outgoing(
            self.conn, OutgoingPost(self.table.id, kind, key, self.session.now, title, text, turn)
        )
        self.waits += 1


def _posted(untold: Sequence[forum_posts.SeenPost]) -> list[post_texts.PostedLine]:
    found: list[post_texts.PostedLine] = []
    for post in untold:
        for line in post.lines if post.faction else ():
            fate = posts.fate_of(line)
            if fate is None or post.faction is None:
                continue
            if fate != "not":
                found = [old for old in found if not (old.fate == "waits" and _replaces(post.faction, line, old))]
            why = (line.status if line.status in posts.WHY else "unread") if fate == "not" else ""
            words = line.canonical if fate != "not" or line.status in posts.WORDS_SHOWN else ""
            found.append(post_texts.PostedLine(posts.post_number(post), post.author, post.faction, words, fate, why))
    return found


def _replaces(faction: Faction, line: forum_posts.SeenLine, old: post_texts.PostedLine) -> bool:
    new, before = posts.order_in(line.canonical), posts.order_in(old.line)
    return old.faction == faction and bool(new and before and answer_the_same(new, before))


def _key(game_id: str, number: int, kind: PostKind, title: str, text: str) -> str:
    said = "\0".join((game_id, str(number), kind, title, text))
    return hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()[:24]


def _link(thread: Thread, post: OutgoingPost) -> str:
    if post.number is None:
        return ""
    return f"{thread.url.rstrip('/')}/{post.number}" if thread.url else f"#{post.number}"


def _picture(open_games: OpenGames, channel: Channel, game_id: str, manner: Manner, now: datetime) -> str:
    if not (manner.pictures and channel.limits.pictures):
        return ""
    with open_games.busy, within(open_games) as conn:
        thread = forum_threads.thread_of(conn, game_id)
        if thread is None or not thread.thread or forum_threads.waiting_posts(conn, game_id):
            return ""
        if manner.when == "phases" and not forum_threads.heads_since(conn, game_id, thread.told_snapshot):
            return ""
        table = open_games.table(conn, game_id)
        fresh = games.events_of(conn, game_id, thread.told)
        if not any(event.kind in PICTURED and event.visible_to("public") for event in fresh):
            return ""
        position = open_games.writer(conn, now).position(table, "public", fresh)
    with speaking(table.play.game.rules.edition):
        png = picture_of(position)
    try:
        return channel.upload(png, f"{game_id}.png")
    except (NotPossible, Refused):
        return ""


PICTURED = ("battle-won", "strongholds", "game-won")


# --- posting -------------------------------------------------------------------------------------------------------


def post_waiting(open_games: OpenGames, channel: Channel, game_id: str, now: datetime) -> int:
    """Send the waiting posts of a game's thread in order, and return the number of posts sent. If the forum refuses a
    post, the post stays, and the reason is stored with the thread. TooSoon and Unreachable are passed on to the caller,
    because they concern the whole forum."""
    done = 0
    while True:
        with within(open_games) as conn:
            thread, waiting = forum_threads.thread_of(conn, game_id), forum_threads.waiting_posts(conn, game_id)
            row = forum_threads.own_posts_in_a_row(conn, game_id)
        if thread is None or not waiting or (waiting[0].next_try_at and waiting[0].next_try_at > now):
            return done
        first = waiting[0]
        most = channel.limits.posts_in_a_row
        if first.kind == "post" and most is not None and row >= most:
            if thread.problem != (why := say("forum-problem.in-a-row", most=most)):
                with act(open_games, now, game_id) as session:
                    _has_trouble(session.conn, game_id, why, now)
            return done
        try:
            place, identifier = _carry_out(channel, thread, first)
        except NotPossible:
            place, identifier = None, ""
        except Refused as refused:
            if first.kind in ("open", "post"):
                if _cut_again(open_games, channel.limits, waiting, now):
                    continue
                _refused(open_games, first, str(refused), now)
                return done
            place, identifier = None, ""  # skip a title or index: a newer one follows soon
            first = replace(first, title="")
        _note(open_games, first, place, identifier, now)
        done += 1


def _carry_out(channel: Channel, thread: Thread, first: OutgoingPost) -> tuple[Place | None, str]:
    place = Place(thread.thread, thread.url or None)
    match first.kind:
        case "open":
            return channel.open_thread(first.title, first.text, first.key)
        case "index":
            channel.revise(thread.first_post, first.text)
            return None, ""
        case "title":
            channel.retitle(place, first.title)
            return None, ""
        case "post":
            return None, channel.post(place, first.text, first.key)


def _cut_again(open_games: OpenGames, limits: Limits, waiting: Sequence[OutgoingPost], now: datetime) -> bool:
    first, *later = waiting
    texts = post_texts.refit_post(first.text, limits)
    if texts == (first.text,):
        return False
    with act(open_games, now, first.game_id) as session:
        conn = session.conn
        if [each.id for each in forum_threads.waiting_posts(conn, first.game_id)] != [each.id for each in waiting]:
            return False
        number = forum_threads.count_outgoing(conn, first.game_id)
        parts = []
        for place, text in enumerate(texts):
            part = replace(first, text=text) if place == 0 else replace(first, kind="post", title="", turn=0, text=text)
            parts.append(replace(part, key=_key(part.game_id, number + place, part.kind, part.title, text)))
        forum_threads.replace_waiting(conn, first.game_id, [*parts, *later])
    return True


def _note(open_games: OpenGames, first: OutgoingPost, place: Place | None, identifier: str, now: datetime) -> None:
    with act(open_games, now, first.game_id) as session:
        conn = session.conn
        forum_threads.note_posted(conn, first.id, identifier, now)
        read = forum_posts.seen_post(conn, first.game_id, identifier) if identifier else None
        if read is not None:  # the post was read before Mentat had recorded it as its own
            if read.number is not None:
                forum_threads.number_post(conn, first.game_id, identifier, read.number)
            forum_posts.forget_seen(conn, read)
        thread = forum_threads.thread_of(conn, first.game_id)
        if thread is None:
            return
        thread = replace(thread, problem="", problem_since=None)
        if place is not None:
            thread = replace(
                thread, thread=place.id, url=place.url or "", title=first.title, first_post=identifier, looked=-1
            )
        elif first.kind == "title" and first.title:
            thread = replace(thread, title=first.title)
        if not forum_threads.waiting_posts(conn, first.game_id) and forum_threads.is_told_to_its_end(conn, thread):
            thread = replace(thread, closed=True)
        forum_threads.put_thread(conn, thread)


def _refused(open_games: OpenGames, first: OutgoingPost, why: str, now: datetime) -> None:
    pause = min(FIRST_PAUSE * 2 ** min(first.tries, 10), LONGEST_PAUSE)
    with act(open_games, now, first.game_id) as session:
        forum_threads.retry_post(session.conn, first.id, now + pause)
        _has_trouble(session.conn, first.game_id, why, now)


def _has_trouble(conn: Connection, game_id: str, why: str, now: datetime) -> None:
    thread = forum_threads.thread_of(conn, game_id)
    if thread is not None:
        forum_threads.put_thread(conn, replace(thread, problem=why, problem_since=thread.problem_since or now))
