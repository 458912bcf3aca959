"""The game masters' work with the forums, and the status of each forum.

Game masters link an account with a seat, open a thread for a running game, and stop following a thread. In a forum
without an API they post the news block by block, and hand in the players' posts. If the forum refused a post, they
retry it or give it up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher
from itertools import pairwise

from bot.channels import Dialect, Gone, Post, Refused
from bot.channels import Thread as Place
from bot.channels.mailing_list import UNPROVEN
from bot.channels.paste import OURS, Block, PasteChannel
from bot.config import ForumSettings
from bot.desk.new_game import require_forum
from bot.desk.powers import DeskRequest, PowerRefused, require_right, using, within
from bot.desk.seats import require_seat
from bot.forum import posting, posts
from bot.forum.access import open_channel
from bot.forum.pages import PagePost, find_block, name_key, read_page, seen_before
from bot.forum.posting import Manner, Told
from bot.forum.posts import Reading, read_post
from bot.games import forum_accounts
from bot.games.forum_accounts import LinkRefused
from bot.games.notices import own_words
from bot.games.open_games import OpenGames, Session, act, joined, joining
from bot.mail.html import html_lines
from bot.mail.message import Incoming
from bot.moderator.intake import subscribed_address
from bot.store import forum_posts, forum_threads, games
from bot.store.database import Connection, Engine, reading
from bot.store.forum_pastes import OF_SEAT, KeptPastes
from bot.store.forum_posts import AccountLink, SeenPost
from bot.store.forum_threads import ForumState, OutgoingPost, Thread
from bot.table.press import names_hidden
from bot.table.table import Table
from bot.wording import say
from rules.components import FACTION_FACTS, Faction, as_faction, faction_name, the_faction

PassUntil = Callable[[str, datetime], object]
"""A function that applies the defaults of a game that were due by a given time."""


def account_of_seat(faction: Faction) -> str:
    """Return the account of a seat in a forum where a person hands in the posts and vouches for each post's author."""
    return f"{OF_SEAT}{faction}"


# --- accounts of seats -----------------------------------------------------------------------------------------------


def link_account(
    request: DeskRequest,
    faction: Faction,
    *,
    post: int | None = None,
    account: str = "",
    name: str = "",
    reason: str = "",
) -> str:
    """Let an account post for a seat: the account that wrote ``post`` in the thread, or the account with the forum's
    identifier ``account``.

    Announce this in the thread, with the ``reason``, and tell the player by mail. Return the name of the account. Raise
    PowerRefused if the account is unknown or posts for another seat.
    """
    with using(request, "forum-link") as used:
        conn, table = used.conn, used.table
        thread = _followed_thread(conn, table)
        require_seat(table, faction)
        if _is_by_hand(request.games, thread):
            if post is not None or account:
                raise PowerRefused("You name the author of a post when you hand it in; here only --name applies.")
            account, posted_as = account_of_seat(faction), ""
        elif post is not None:
            account, posted_as = _author_of(conn, table, post)
        elif account:
            posted_as = forum_posts.author_of(conn, table.id, account)
            account = account if posted_as else _find_account(request.games, thread, account)
        else:
            raise PowerRefused("Name the account: --post with the number of one of its posts, or --account.")
        author = name.strip() or posted_as or account
        if author == account_of_seat(faction):
            raise PowerRefused("--name is missing: give the name that appears next to their posts.")
        try:
            new = forum_accounts.new_link(used.session, thread, faction, account, author)
            forum_accounts.link_account(conn, table, new, by_hand=True, reason=reason)
        except LinkRefused as refused:
            raise PowerRefused(str(refused)) from None
        told = say("forum.notice.linked-by-hand", author=author, faction=faction, reason=reason)
        subject = say("forum.subject.linked")
        used.session.writer.notify(table, faction, subject, [told, *own_words(request.use.tell)])
        used.words = f"{faction}: {author} ({account})"
        return author


def unlink_account(request: DeskRequest, faction: Faction, *, reason: str = "") -> str:
    """Unlink the account that posts for a seat, announce it in the thread, and tell the player by mail. Return the name
    of the account. Raise PowerRefused if no account posts for the seat."""
    with using(request, "forum-link") as used:
        conn, table = used.conn, used.table
        require_seat(table, faction)
        forum_posts.drop_code(conn, request.game, faction)
        link = forum_accounts.linked_accounts(conn, table).get(faction)
        if link is None:
            raise PowerRefused(f"No forum account is linked to {the_faction(faction)} in {request.game}.")
        forum_accounts.cut_link(conn, link, reason)
        told = say("forum.notice.unlinked-by-hand", author=link.author, faction=faction, reason=reason)
        subject = say("forum.subject.unlinked")
        used.session.writer.notify(table, faction, subject, [told, *own_words(request.use.tell)])
        used.words = f"{faction}: {link.author} no more"
        return link.author


def _find_account(open_games: OpenGames, thread: Thread, account: str) -> str:
    forum = open_games.settings.forums.get(thread.forum)
    if forum is not None and forum.kind == "list":
        if "@" not in account:
            raise PowerRefused(f"{account!r} is not an address: on a list, an account is a member's e-mail address.")
        return account.lower()
    if forum is not None and not account.isdecimal():
        raise PowerRefused(
            f"{account!r} is not a number: --account is the forum's number for a user, which stays the same when "
            "they change their name; --post with the number of one of their posts finds it."
        )
    return account


def _author_of(conn: Connection, table: Table, number: int) -> tuple[str, str]:
    post = forum_posts.seen_post_by_number(conn, table.id, number)
    if post is None:
        raise PowerRefused(
            f"No post {number} by somebody else was found in the thread of {table.id}. Mentat reads it regularly "
            "while `mentat run` is running; where posts have no numbers, use --account."
        )
    if not post.account or post.account.startswith(UNPROVEN):
        raise PowerRefused(
            f"Nothing proves who wrote post {number}, so its account cannot be linked. If you know the writer's "
            "address, give it with --account."
        )
    return post.account, post.author


# --- a thread for a running game -------------------------------------------------------------------------------------


def open_thread(request: DeskRequest, forum: str, *, anew: bool = False) -> bool:
    """Give a running game a thread in a forum and tell its players; from then on, events are posted there.

    If the game has left a thread in this forum, resume that thread and post the events since then, unless ``anew``.
    Return True if a thread was resumed.
    """
    with using(request, "forum-open") as used:
        conn, table = used.conn, used.table
        try:
            require_forum(request.games.settings, forum)
        except ValueError as unknown:
            raise PowerRefused(str(unknown)) from None
        before = forum_threads.thread_of(conn, request.game)
        if before and not before.closed:
            raise PowerRefused(
                f"{request.game} already has a thread in {before.forum}; close it first with "
                f"`mentat forum close {request.game}`."
            )
        fresh = Thread(
            request.game,
            forum,
            told=table.events,
            told_turn=table.play.state.turn - 1,
            told_snapshot=forum_threads.last_snapshot(conn, request.game),
        )
        goes_on = before is not None and before.forum == forum and not anew
        if before is None or before.forum != forum:
            forum_threads.forget_thread(conn, request.game)
            forum_threads.add_thread(conn, fresh)
        elif anew:
            forum_threads.leave_thread(conn, request.game)
            forum_threads.put_thread(conn, fresh)
        else:
            forum_threads.put_thread(conn, replace(before, closed=False, looked=-1, problem="", problem_since=None))
        used.words = forum
        opened = "forum.opened-by-hand" if request.games.settings.is_by_hand(forum) else "forum.opened"
        told = [say(opened, forum=forum), *own_words(request.use.tell)]
        used.session.writer.announce(table, say("forum.subject.opened"), told)
        return goes_on


def close_thread(request: DeskRequest) -> str:
    """Leave the thread of a game, so that Mentat no longer posts or reads there, and tell the players. Return the name
    of the forum. Raise PowerRefused if the game has no thread."""
    with using(request, "forum-close") as used:
        conn, table = used.conn, used.table
        thread = _followed_thread(conn, table)
        forum_posts.forget_accounts(conn, [request.game])
        forum_threads.put_thread(conn, replace(thread, closed=True))
        used.words = thread.forum
        told = [say("forum.closed", forum=thread.forum), *own_words(request.use.tell)]
        used.session.writer.announce(table, say("forum.subject.closed"), told)
        return thread.forum


# --- posting by hand -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PostsToDo:
    thread: Thread
    by_hand: bool
    waits: tuple[OutgoingPost, ...]
    blocks: Sequence[Block] = ()

    @property
    def block(self) -> Block | None:
        return self.blocks[0] if self.blocks else None


def next_to_post(open_games: OpenGames, game_id: str, now: datetime) -> PostsToDo:
    with within(open_games) as conn:
        table = open_games.table(conn, game_id)
        thread = _thread_not_left(conn, table)
        waits = tuple(forum_threads.waiting_posts(conn, game_id))
    if not _is_by_hand(open_games, thread):
        return PostsToDo(thread, by_hand=False, waits=waits)
    place = joined() or open_games.engine
    channel = _pasting(open_games, thread, place, None)
    if table.status != "held" and not thread.closed:
        posting.post_waiting(open_games, channel, game_id, now)
        while posting.compose_post(open_games, channel, game_id, Manner(by_hand=True), now):
            if not posting.post_waiting(open_games, channel, game_id, now):
                break
        for block in channel.waiting():
            KeptPastes(place, game_id).note_shown(block)
    return PostsToDo(thread, by_hand=True, waits=waits, blocks=channel.waiting())


def note_posted(request: DeskRequest, block: int, *, number: int | None = None, url: str = "") -> None:
    """Record that a person has posted the blocks up to ``block``, as they were last shown. ``number`` is the post
    number of the last block, if known; ``url`` is the thread's address. Raise PowerRefused if there is no such
    block."""
    with act(request.games, request.now, request.game) as session, joining(session.conn):
        kept = KeptPastes(session.conn, request.game)
        waits = [each for each in kept.blocks() if not each.posted and each.title is None]
        place = next((place for place, each in enumerate(waits) if each.number == block), None)
        posted = {each.key for each in kept.blocks() if each.posted}
        shown = [each for each in kept.last_shown() if each.key not in posted]
        if shown and place is not None and waits[place].key not in {each.key for each in shown}:
            shown = shown[: place + 1]
            for each in shown:
                _note_on_page(request, each, number if each == shown[-1] else None, url)
        else:
            _tick(request, block, number, url)


def _tick(request: DeskRequest, block: int, number: int | None, url: str = "", *, alone: bool = False) -> None:
    """Mark the blocks up to ``block`` as posted, or with ``alone`` only that block, even if earlier blocks are not yet
    posted."""
    with act(request.games, request.now, request.game) as session:
        conn = session.conn
        thread = _by_hand(request.games, _thread_not_left(conn, request.games.table(conn, request.game)))
        channel = _pasting(request.games, thread, conn, request.now)
        before = [] if alone else [each.number for each in channel.waiting() if each.number < block]
        try:
            for each in (*before, block):
                channel.done(each, number if each == block else None, in_order=not alone)
        except Refused as refused:
            raise PowerRefused(f"{_sentence(refused)} `mentat forum show {request.game}` shows what is next.") from None
        if number is not None:
            forum_threads.number_post(conn, request.game, f"block-{block}", number)
        posted = forum_threads.own_post(conn, request.game, f"block-{block}")
        thread = replace(thread, url=url or thread.url)
        if posted and (told := Told.of_key(posted.key)) and told.events >= thread.told:
            thread = posting.note_told(conn, thread, told, request.now)
            forum_threads.forget_shown_blocks(conn, request.game, posted.key)
        over = forum_threads.is_told_to_its_end(conn, thread)
        forum_threads.put_thread(conn, replace(thread, closed=thread.closed or over))


def _note_on_page(request: DeskRequest, block: Block, number: int | None, url: str = "") -> list[int]:
    """Record that the thread has a block as it was shown, even if Mentat has rewritten it since. Return the numbers of
    earlier blocks that still have to be posted."""
    with act(request.games, request.now, request.game) as session, joining(session.conn):
        conn, kept = session.conn, KeptPastes(session.conn, request.game)
        alone = block.key if " " in block.key else f"{block.key} alone"  # the key of a text that ends with this part
        here = next((each for each in kept.blocks() if each.key in (block.key, alone)), None)
        if here is None:
            forum_threads.drop_blocks(conn, request.game, forum_threads.rewritable_blocks(conn, request.game) or ())
            if any(not each.posted for each in kept.blocks()):
                return []  # the thread has a part of a newer text
            here = replace(block, number=len(kept.blocks()) + 1, key=alone, posted=False)
            kept.put_block(here)
            added = OutgoingPost(request.game, "post", here.key, request.now, text=here.text)
            forum_threads.add_outgoing(conn, added)
            waits = forum_threads.waiting_posts(conn, request.game)
            forum_threads.note_posted(conn, waits[-1].id, here.post, request.now)
        if here.posted:
            return []
        _tick(request, here.number, number, url, alone=True)
        return [each.number for each in kept.blocks() if not each.posted and each.number < here.number]


@dataclass(frozen=True, slots=True)
class PastedPost:
    """A post that a person hands in for a seat.

    ``name`` is the account, or "" for the account already known. ``number`` and ``written`` are set if they are known.
    ``dialect`` is set if it differs from the forum's. ``same_as`` identifies the known post of which this is a copy, if
    any.
    """

    faction: Faction
    text: str
    name: str = ""
    number: int | None = None
    written: datetime | None = None
    dialect: Dialect | None = None
    same_as: str = ""


@dataclass(frozen=True, slots=True)
class HandInResult:
    """The result of handing in a post.

    - taken: the post is new.
    - known: it was handed in before, with the same words.
    - changed: it was handed in before with different words. The earlier words count, and everybody is told.
    - gone: it was handed in before, but the page no longer has it.
    """

    post: SeenPost
    state: str


def hand_in_post(request: DeskRequest, pass_until: PassUntil, pasted: PastedPost) -> HandInResult:
    """Hand in a post by a seat's player in a forum without an API; it counts like any other post. Mentat answers the
    player by mail. Raise PowerRefused if nobody hands in posts by hand in this forum, or if the post cannot be
    accepted."""
    faction = pasted.faction
    with within(request.games) as conn:
        require_right(conn, request, "forum-paste")
        table = request.games.table(conn, request.game)
        thread = _by_hand(request.games, _followed_thread(conn, table))
        require_seat(table, faction)
        if names_hidden(table):
            raise PowerRefused(say("forum.hidden"))
        limits = _pasting(request.games, thread, conn, request.now).limits
    dialect = pasted.dialect or limits.dialect
    marked = read_post(pasted.text, dialect)
    at = min(pasted.written or request.now, request.now)
    if any(line.kind == "words" for line in marked) and not request.use.dry_run:
        said = Post("", "", "", at, pasted.text)
        pass_until(request.game, Reading(dialect).written_at(said, request.now))
    with using(request, "forum-paste") as used:
        conn, table = used.conn, used.table
        link = _link_of_seat(used.session, thread, faction, pasted.name)
        channel = _pasting(request.games, thread, conn, request.now)
        post = _handed_in(channel, conn, thread, link, replace(pasted, written=at))
        known = forum_posts.seen_post(conn, request.game, post.id)
        if known and not known.lines and not posts.is_same_post(known, post):  # it was mere talk
            forum_posts.forget_seen(conn, known)
            known = None
        state = "taken"
        if known is None:
            posts.take_read_post(used.session, table, post, marked, "handed-in")
        elif posts.is_same_post(known, post):
            state, used.silent = "known", True
        else:
            state = "changed"
            if known.taken and not known.state:
                posts.compare_read_post(conn, known, post, request.now)
        became = forum_posts.seen_post(conn, request.game, post.id)
        assert became is not None
        number_of, taken = posts.post_number(became), f"lines {len(became.taken)}/{len(became.lines)}"
        used.silent = used.silent or not became.lines
        post_of = " ".join(part for part in ("post", number_of, "of", faction) if part)
        used.words = f"{post_of}, {'changed: ' if state == 'changed' else ''}{taken}"  # it is public: no quotes
        return HandInResult(became, state)


@dataclass(frozen=True, slots=True)
class PageResult:
    post: PagePost
    faction: Faction | None = None
    why: str = ""
    handed: HandInResult | None = None


def hand_in_page(
    request: DeskRequest, pass_until: PassUntil, page: Sequence[PagePost], named: Mapping[str, Faction]
) -> list[PageResult]:
    """Hand in the posts of a whole page, each for the seat whose account it names. ``named`` are accounts that are not
    yet known. Any Mentat block on the page is marked as posted. If a post that was taken is no longer on the page,
    everybody is told.

    Raise PowerRefused if none of the posts is by a player or by Mentat, because the page then belongs to another
    thread. Also raise it if the post numbers do not increase, because a post then contains a line that looks like the
    head of a post.
    """
    numbers = [post.number for post in page if post.number is not None]
    if back := next(((one, other) for one, other in pairwise(numbers) if other <= one), None):
        raise PowerRefused(say("forum-page.backwards", before=back[0], after=back[1]))
    with within(request.games) as conn:
        require_right(conn, request, "forum-paste")
        table = request.games.table(conn, request.game)
        thread = _by_hand(request.games, _followed_thread(conn, table))
        seats = _seats_by_name(conn, request, named)
        for name, whose in named.items():
            require_seat(table, whose)
            if seats[name_key(name)] is None:
                raise PowerRefused(f"{name}: {say('forum-page.two-seats')}.")
        kept = KeptPastes(conn, request.game)
        blocks = [*kept.blocks(), *kept.shown(thread.thread)]
        earlier = [each for each in kept.posts(thread.thread) if isinstance(each, Post) and each.author_id != OURS]
    ours = {
        number: block
        for number, post in enumerate(page)
        if not seats.get(name_key(post.author)) and (block := find_block(post.text, blocks))
    }
    of_players = [number for number, post in enumerate(page) if seats.get(name_key(post.author))]
    if not of_players and not ours:
        raise PowerRefused(say("forum-page.another", authors=sorted({post.author for post in page})[:8]))
    limits = open_channel(thread.forum, request.games.settings, kept=kept).limits
    talk = {number for number in of_players if not read_post(page[number].text, page[number].dialect or limits.dialect)}
    page, same_as, gone, doubted = _known_on(page, {n: n in talk for n in of_players}, ours, earlier, seats)
    known = {each.number for each in earlier} - {None}
    talk = {number for number in talk if number not in same_as and page[number].number not in known}

    def handed(request: DeskRequest, pass_until: PassUntil) -> Iterator[PageResult]:
        for name, whose in named.items():
            with using(request, "forum-paste") as used:
                _link_of_seat(used.session, thread, whose, name)
                used.silent = True
        for number, post in enumerate(page):
            seat = seats.get(name_key(post.author))
            if number in ours:
                left = _note_on_page(request, ours[number], post.number)
                yield PageResult(post, why=say("forum-page.left-out", blocks=left) if left else "ours")
            elif seat is None:
                yield PageResult(post, why="two-seats" if name_key(post.author) in seats else "stranger")
            elif number in talk:
                yield PageResult(post, seat, "talk")
            elif number in doubted:
                yield PageResult(post, seat, "known-perhaps")
            else:
                pasted = PastedPost(
                    seat, post.text, post.author, post.number, post.written, post.dialect, same_as.get(number, "")
                )
                try:
                    yield PageResult(post, seat, handed=hand_in_post(request, pass_until, pasted))
                except PowerRefused as refused:
                    yield PageResult(post, seat, why=str(refused))
        yield from filter(None, (_strike(request, thread, each) for each in gone))

    if not request.use.dry_run:
        return list(handed(request, pass_until))
    with act(request.games, request.now, request.game, dry_run=True) as session, joining(session.conn):
        # each post is judged in the position after the posts above it
        return list(handed(replace(request, use=replace(request.use, dry_run=False)), _pass_nothing))


def _known_on(
    page: Sequence[PagePost],
    of_players: Mapping[int, bool],
    ours: Collection[int],
    earlier: Sequence[Post],
    seats: Mapping[str, Faction | None],
) -> tuple[Sequence[PagePost], dict[int, str], list[Post], Collection[int]]:
    """Compare a page with the posts that were handed in earlier. Return the page, the identifiers of its posts that are
    recognised by their words, the earlier posts that are gone, and the posts that may or may not be known.
    ``of_players`` has an entry for each player's post, which is True if the post is mere talk.

    If a number now belongs to another player's post, a post was deleted and the forum has renumbered the rest. In this
    case, posts are recognised by their words only.
    """

    def key(author: str, text: str) -> tuple[object, str]:
        return seats.get(name_key(author)) or name_key(author), text

    by_number = {each.number: each for each in earlier if each.number is not None}
    shown = [(page[n].author, by_number.get(page[n].number or -1)) for n in of_players]
    if any(known and key(author, "") != key(known.author, "") for author, known in shown):
        page = [replace(post, number=None) for post in page]
        known, words = list(earlier), [key(page[number].author, page[number].text) for number in of_players]
        matched = SequenceMatcher(None, [key(each.author, each.raw) for each in known], words, autojunk=False)
        pairs = [(a + n, b + n) for a, b, size in matched.get_matching_blocks() for n in range(size)]
        for kind, a, a_end, b, b_end in matched.get_opcodes():
            if kind == "replace" and [k[0] for k in words[b:b_end]] == [key(k.author, "")[0] for k in known[a:a_end]]:
                pairs += zip(range(a, a_end), range(b, b_end), strict=True)  # they were edited
        places = {a for a, _ in pairs}
        between = range(min(places, default=0), max(places, default=0))
        return (
            page,
            {[*of_players][b]: known[a].id for a, b in pairs},
            [known[place] for place in between if place not in places],
            (),
        )
    known = [each for each in earlier if each.number is None]
    before = [key(each.author, each.raw) for each in known]
    unnumbered = {n: key(page[n].author, page[n].text) for n in of_players if page[n].number is None}
    acts = {n: words for n, words in unnumbered.items() if not of_players[n] or words in before}  # talk is never kept
    found = [
        {n: place for n, place in zip(some, seen_before([*some.values()], before), strict=True) if place is not None}
        for some in (acts, unnumbered)  # an act may have become talk
    ]
    same_as = {n: known[place].id for n, place in max(found, key=len).items()}
    doubted = acts if not same_as and any(words in before for words in acts.values()) else ()
    numbers = {n: post.number for n, post in enumerate(page) if post.number is not None}
    # posts of strangers may contain lines that look like the head of a post
    sure = [number for n, number in numbers.items() if n in of_players or n in ours]
    within_page = range(min(sure, default=0) + 1, max(sure, default=0))
    missing = [each for n, each in by_number.items() if n in within_page and n not in numbers.values()]
    return page, same_as, missing, doubted


def _strike(request: DeskRequest, thread: Thread, gone: Post) -> PageResult | None:
    with using(request, "forum-paste") as used:
        channel = _pasting(request.games, thread, used.conn, request.now)
        channel.struck(Place(thread.thread), gone.id)
        known = forum_posts.seen_post(used.conn, request.game, gone.id)
        used.silent = True
        if known is None or not known.taken or known.state:
            return None
        posts.compare_read_post(used.conn, known, Gone(gone.id), request.now)
        post = PagePost(known.author, gone.raw, known.number)
        return PageResult(post, known.faction, handed=HandInResult(known, "gone"))


def _pass_nothing(_game: str, _until: datetime) -> None:
    """Apply no defaults. Inside a transaction none can be applied, and `mentat run` has already applied the defaults
    that were due."""


def told_of_page(found: Sequence[PageResult]) -> list[str]:
    """Return lines that report the results, or the expected results, for the posts of a page. New or changed posts of
    players come first, then a short summary of the posts that need no attention."""
    told = [_told_of_post(each) for each in found if not _in_short(each)]
    for kind in ("ours", "known", "talk"):
        if shown := [each.post for each in found if _in_short(each) == kind]:
            numbers = [f"#{post.number}" for post in shown if post.number is not None]
            told.append(say(f"forum-page.{kind}", count=len(shown), numbers=numbers))
    strangers: dict[str, list[str]] = {}
    for each in found:
        if each.why == "stranger":
            numbers = strangers.setdefault(each.post.author, [])
            numbers += [f"#{each.post.number}"] if each.post.number is not None else []
    names = [f"{name} ({', '.join(numbers)})" if numbers else name for name, numbers in strangers.items()]
    return [*told, *([say("forum-page.strangers", names=names)] if names else [])]


def _in_short(found: PageResult) -> str:
    known = found.handed is not None and found.handed.state == "known"
    return "known" if known else found.why if found.why in ("ours", "talk", "stranger") else ""


def _told_of_post(found: PageResult) -> str:
    post, whose = found.post, f" ({faction_name(found.faction)})" if found.faction else ""
    number = f"#{post.number} " if post.number is not None else ""
    if found.handed is None:
        why = say(f"forum-page.{found.why}") if found.why in ("two-seats", "known-perhaps") else found.why
        return f"{number}{post.author}{whose}: {why}"
    lines = "; ".join(f"“{line.text}”: {told_of_line(line.status)}" for line in found.handed.post.lines)
    before = f"{say(f'forum-page.{state}')} " if (state := found.handed.state) in ("changed", "gone") else ""
    return f"{number}{post.author}{whose}: {before}{lines or 'talk'}"


def told_of_line(status: str) -> str:
    if status in posts.WHY:
        return say("forum-page.refused", why=say(f"forum-why.{status}"))
    return say(f"forum-page.{status}") if status in ("accepted", "held", "done") else status


# --- a page by mail --------------------------------------------------------------------------------------------------


def page_in_mail(conn: Connection, request: DeskRequest, incoming: Incoming) -> str:
    """Return the page of the game's thread that the game master pasted into a mail, attached or forwarded. Return "" if
    the mail has no such page, or if nobody posts by hand in that thread."""
    thread = forum_threads.thread_of(conn, request.game)
    if thread is None or thread.closed or not _is_by_hand(request.games, thread):
        return ""
    kept = KeptPastes(conn, request.game)
    blocks = [*kept.blocks(), *kept.shown(thread.thread)]

    def is_page(text: str) -> bool:
        page = read_page(text, request.games.settings.mentat.timezone)
        page = [post for post in page if not post.author.startswith(">")]
        seats = _seats_by_name(conn, request, head_of_page(text).named)
        if any(name_key(post.author) in seats or find_block(post.text, blocks) for post in page):
            return True
        return len(page) > 1 or any(read_post(post.text, post.dialect or Dialect.TEXT) for post in page)

    own = incoming.text_plain or ""
    seen = () if own.strip() else html_lines(incoming.html or "") or ()
    shown = "\n".join(f"{'> ' * max(line.depth, 0)}{line.text}" for line in seen)
    return next(filter(is_page, (own, *(attached.text for attached in incoming.files), shown)), "")


@dataclass(frozen=True, slots=True)
class PageHead:
    named: Mapping[str, Faction]
    agreed: bool


def head_of_page(text: str) -> PageHead:
    named: dict[str, Faction] = {}
    agreed = False
    for line in filter(str.strip, text.split("\n")):
        if whose := _WHOSE.fullmatch(line):
            named[whose["name"].strip()] = as_faction(whose["seat"].lower())
        elif _AGREED.fullmatch(line):
            agreed = True
        else:
            break
    return PageHead(named, agreed)


def hand_in_page_of_mail(request: DeskRequest, text: str) -> str:
    page = read_page(text, request.games.settings.mentat.timezone)
    return "\n".join(told_of_page(hand_in_page(request, _pass_nothing, page, head_of_page(text).named)))


_AGREED = re.compile(r"\s*(?:yes|take it|take all)\W*", re.IGNORECASE)
_WHOSE = re.compile(rf"\s*(?P<name>[^=\n]{{1,60}}?)\s*=\s*(?P<seat>{'|'.join(FACTION_FACTS)})\s*", re.IGNORECASE)


def _seats_by_name(conn: Connection, request: DeskRequest, named: Mapping[str, Faction]) -> dict[str, Faction | None]:
    table = request.games.table(conn, request.game)
    links = forum_posts.account_links(conn, request.game)
    found: dict[str, Faction | None] = {}
    for faction, seat in table.seats.items():
        link, asked = links.get(faction), forum_posts.code_of(conn, request.game, faction, request.now)
        names = [link.author] if link and link.generation == seat.generation else [asked.name] if asked else []
        for name in {*map(name_key, names), *(name_key(each) for each, whose in named.items() if whose == faction)}:
            found[name] = faction if found.get(name, faction) == faction else None
    return found


def _link_of_seat(session: Session, thread: Thread, faction: Faction, name: str) -> AccountLink:
    """Return the account of a seat. If no account is linked, link the one with this name: the person who hands in a
    post vouches for its author."""
    had = forum_accounts.linked_accounts(session.conn, session.table(thread.game_id)).get(faction)
    asked = forum_posts.code_of(session.conn, thread.game_id, faction, session.now)
    author = name.strip() or (had.author if had else "") or (asked.name if asked else "")
    if had and author == had.author:
        return had
    account = had.account if had else account_of_seat(faction)
    link = forum_accounts.new_link(session, thread, faction, account, author)
    forum_posts.put_link(session.conn, link)
    return link


def _handed_in(channel: PasteChannel, conn: Connection, thread: Thread, link: AccountLink, pasted: PastedPost) -> Post:
    assert pasted.written is not None
    if not thread.thread:
        raise PowerRefused(f"Its thread is not open yet: `mentat forum show {thread.game_id}` gives the first post.")
    here, number = Place(thread.thread), pasted.number
    try:
        if number is not None and any(each.number == number for each in forum_threads.own_posts(conn, thread.game_id)):
            raise Refused(f"post {number} is one of Mentat's own")
        return channel.hand_in(
            here, link.author, link.account, pasted.text, number, pasted.written, same_as=pasted.same_as
        )
    except Refused as refused:
        raise PowerRefused(_sentence(refused)) from None


# --- refused posts ---------------------------------------------------------------------------------------------------


def retry_posts(request: DeskRequest, *, skip: bool = False) -> OutgoingPost:
    """Retry the waiting posts at once or, with ``skip``, give up the first of them. Return the first waiting post.
    Raise PowerRefused if no post is waiting, or if the post to give up is the opening, without which there is no
    thread."""
    with using(request, "forum-repost") as used:
        conn = used.conn
        thread = _thread_not_left(conn, used.table)
        waits = forum_threads.waiting_posts(conn, request.game)
        if not waits:
            if _is_by_hand(request.games, thread):
                raise PowerRefused(f"You post there by hand: `mentat forum show {request.game}` shows what is next.")
            raise PowerRefused(f"Nothing is waiting to be posted in the thread of {request.game}.")
        first = waits[0]
        if skip and first.kind == "open":
            raise PowerRefused(
                "You cannot skip the opening post: without it there is no thread. "
                f"To give up the thread altogether, use `mentat forum close {request.game}`."
            )
        if skip:
            forum_threads.note_posted(conn, first.id, "", request.now)
            forum_threads.put_thread(conn, replace(thread, problem="", problem_since=None))
        else:
            forum_threads.retry_post_now(conn, first.id, request.now)
        used.words = f"{first.kind} {'given up' if skip else 'tried again'}"
        return first


# --- threads ---------------------------------------------------------------------------------------------------------


def _thread(conn: Connection, table: Table) -> Thread:
    thread = forum_threads.thread_of(conn, table.id)
    if thread is None:
        raise PowerRefused(f"{table.id} has no thread in a forum; `mentat forum open {table.id} NAME` opens one.")
    return thread


def _thread_not_left(conn: Connection, table: Table) -> Thread:
    return _thread(conn, table) if table.status == "over" else _followed_thread(conn, table)


def _followed_thread(conn: Connection, table: Table) -> Thread:
    thread = _thread(conn, table)
    if thread.closed:
        raise PowerRefused(
            f"Mentat has left the thread of {table.id} in {thread.forum}; "
            f"`mentat forum open {table.id} {thread.forum}` continues there."
        )
    return thread


def _is_by_hand(open_games: OpenGames, thread: Thread) -> bool:
    forum = open_games.settings.forums.get(thread.forum)
    return forum is not None and forum.kind == "paste"


def _by_hand(open_games: OpenGames, thread: Thread) -> Thread:
    forum = open_games.settings.forums.get(thread.forum)
    if forum is None:
        raise PowerRefused(f"The settings no longer have a forum {thread.forum!r} ([forums.{thread.forum}]).")
    if forum.kind != "paste":
        raise PowerRefused(
            f"Mentat itself reads and posts in {thread.forum}, which is of kind {forum.kind!r}; you do "
            'that by hand only in a forum of kind "paste".'
        )
    return thread


def _pasting(open_games: OpenGames, thread: Thread, place: Engine | Connection, now: datetime | None) -> PasteChannel:
    kept = KeptPastes(place, thread.game_id)
    channel = open_channel(thread.forum, open_games.settings, kept=kept)
    assert isinstance(channel, PasteChannel)
    return channel if now is None else PasteChannel(kept, channel.limits, lambda: now)


def _sentence(refused: Refused) -> str:
    words = str(refused)
    return f"{words[:1].upper()}{words[1:]}."


@dataclass(frozen=True, slots=True)
class ThreadStatus:
    thread: Thread
    linked: dict[Faction, str | None]
    over: bool
    waits: int


@dataclass(frozen=True, slots=True)
class ForumStatus:
    name: str
    forum: ForumSettings | None
    reads: ForumState
    posts: ForumState
    games: Sequence[ThreadStatus]
    subscribed: str = ""

    @property
    def well(self) -> bool:
        troubled = any(game.thread.problem and not game.thread.closed for game in self.games)
        return self.forum is not None and not (self.reads.problem or self.posts.problem or troubled)


def forum_statuses(open_games: OpenGames) -> list[ForumStatus]:
    settings = open_games.settings
    with open_games.busy, reading(open_games.engine) as conn:
        found = forum_threads.threads(conn)
        names = [*settings.forums, *sorted({thread.forum for thread in found} - set(settings.forums))]
        return [
            ForumStatus(
                name,
                settings.forums.get(name),
                forum_threads.forum_state(conn, name, "reading"),
                forum_threads.forum_state(conn, name, "posting"),
                [_in_thread(conn, open_games, thread) for thread in found if thread.forum == name],
                subscribed_address(settings, name) if _is_list(settings.forums.get(name)) else "",
            )
            for name in names
        ]


def _in_thread(conn: Connection, open_games: OpenGames, thread: Thread) -> ThreadStatus:
    table = games.open_table(conn, thread.game_id)
    known = forum_posts.account_links(conn, thread.game_id)
    linked = {
        faction: known[faction].author if faction in known and known[faction].generation == seat.generation else None
        for faction, seat in table.seats.items()
    }
    forum = open_games.settings.forums.get(thread.forum)
    waits = len(forum_threads.waiting_posts(conn, thread.game_id))
    if forum is not None and forum.kind == "paste":
        waits = sum(not block.posted for block in KeptPastes(conn, thread.game_id).blocks())
    return ThreadStatus(thread, linked, table.status == "over", waits)


def _is_list(forum: ForumSettings | None) -> bool:
    return forum is not None and forum.kind == "list"
