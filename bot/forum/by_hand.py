"""What a game master does with the forum by hand, at the machine.

They say which account posts for a seat, give a running game a thread, and end following one. In a forum without an API
they post what is to be told, block by block, and hand in what players posted there. What the forum refused they have
tried again, or give up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.channels.channel import Channel, Post, Refused
from bot.channels.channel import Thread as Place
from bot.channels.paste import Block, PasteChannel
from bot.channels.posters import UNPROVEN
from bot.forum import posting, taking
from bot.forum.opening import open_channel
from bot.forum.posting import Manner
from bot.forum.reading import read_post
from bot.forum.taking import Reading
from bot.game_master.new_game import require_forum
from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, require_right, using
from bot.game_master.seats import seat_of
from bot.games.open_games import OpenGames
from bot.identity import forum_accounts
from bot.identity.forum_accounts import LinkRefused
from bot.post.clock_notices import own_words
from bot.store.database import Connection, Engine, reading, writing
from bot.store.forum import accounts, outgoing, seen, threads
from bot.store.forum.accounts import Link
from bot.store.forum.outgoing import Outgoing
from bot.store.forum.pasted import OF_SEAT, KeptPastes
from bot.store.forum.seen import Seen
from bot.store.forum.threads import Thread
from bot.table.press import names_hidden
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction, faction_name

PassUntil = Callable[[str, datetime], object]
"""Lets silence answer what was overdue in a game at an instant."""


def account_of_seat(faction: Faction) -> str:
    """The account of a seat in a forum where posts are handed in: whoever hands in says whose they are."""
    return f"{OF_SEAT}{faction}"


# --- whose account is whose ------------------------------------------------------------------------------------------


def link(
    open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE, *,
    post: int | None = None, account: str = "", name: str = "", reason: str = "",
) -> str:  # fmt: skip
    """Let an account post for a seat: the one that wrote ``post`` of the thread, or the one that the forum calls
    ``account``. Everybody is told so in the thread, with the ``reason``, and the player by mail. Returns the name of
    the account. PowerRefused where nobody knows whose it is, or it posts for another seat."""
    with using(open_games, game_id, "forum-link", now, use) as used:
        conn, table, writer = used.conn, used.table, open_games.writer
        thread = _followed(conn, table)
        seat_of(table, faction)
        if _is_by_hand(open_games, thread):
            if post is not None or account:
                raise PowerRefused("Whose post it is you say when you hand it in; here only --name can be told.")
            account, posted_as = account_of_seat(faction), ""
        elif post is not None:
            account, posted_as = _author_of(conn, table, post)
        elif account:
            posted_as = seen.author_of(conn, table.id, account)
            account = account if posted_as else _named(open_games, thread, account)
        else:
            raise PowerRefused("Say whose account it is: --post with the number of a post of theirs, or --account.")
        author = name.strip() or posted_as or account
        if author == account_of_seat(faction):
            raise PowerRefused("--name is missing: the name that is shown beside their posts.")
        try:
            new = forum_accounts.link_of(table, thread.forum, faction, account, author, now)
            forum_accounts.link(conn, table, new, by_hand=True, reason=reason)
        except LinkRefused as refused:
            raise PowerRefused(str(refused)) from None
        told = say("forum.notice.linked-by-hand", author=author, faction=faction, reason=reason)
        subject = say("forum.subject.linked")
        writer.notify(conn, table, faction, now, subject, [told, *own_words(use.tell)])
        used.words = f"{faction}: {author} ({account})"
        return author


def unlink(
    open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE, *,
    reason: str = "",
) -> str:  # fmt: skip
    """Let no account post for a seat any more. Everybody is told so in the thread, the player by mail. Returns the name
    of the account that did. PowerRefused if there was none."""
    with using(open_games, game_id, "forum-link", now, use) as used:
        conn, table = used.conn, used.table
        seat_of(table, faction)
        accounts.drop_code(conn, game_id, faction)
        link = forum_accounts.linked(conn, table).get(faction)
        if link is None:
            raise PowerRefused(f"No account posts for {faction_name(faction)} in {game_id}.")
        forum_accounts.cut(conn, link, reason)
        told = say("forum.notice.unlinked-by-hand", author=link.author, faction=faction, reason=reason)
        subject = say("forum.subject.unlinked")
        open_games.writer.notify(conn, table, faction, now, subject, [told, *own_words(use.tell)])
        used.words = f"{faction}: {link.author} no more"
        return link.author


def _named(open_games: OpenGames, thread: Thread, account: str) -> str:
    """What the forum calls an account, as it was typed. PowerRefused if no account there is called so."""
    forum = open_games.settings.forums.get(thread.forum)
    if forum is not None and forum.kind == "list":
        if "@" not in account:
            raise PowerRefused(f"{account!r} is no address: on a list an account is the address that writes to it.")
        return account.lower()
    if forum is not None and not account.isdecimal():
        raise PowerRefused(
            f"{account!r} is no number: --account is the number that the forum gives to a user, which stays when they "
            "change their name; --post with the number of a post of theirs finds it."
        )
    return account


def _author_of(conn: Connection, table: Table, number: int) -> tuple[str, str]:
    post = seen.numbered(conn, table.id, number)
    if post is None:
        raise PowerRefused(
            f"No post {number} of somebody else was read in the thread of {table.id}. Mentat reads it again and again "
            "while `mentat run` is at work; where posts have no numbers, use --account."
        )
    if not post.account or post.account.startswith(UNPROVEN):
        raise PowerRefused(
            f"Nothing proves who wrote post {number}, so its account cannot be linked. If you know whose address it "
            "is, give that with --account."
        )
    return post.account, post.author


# --- a thread for a running game -------------------------------------------------------------------------------------


def open_thread(
    open_games: OpenGames, game_id: str, forum: str, now: datetime, use: Use = AT_THE_MACHINE, *, anew: bool = False
) -> bool:
    """Give a running game a thread in a forum; its players are told. What happens from now on is posted there. In the
    forum whose thread was left it goes on in that, unless ``anew``, and tells what has happened meanwhile. Returns
    whether it does."""
    with using(open_games, game_id, "forum-open", now, use) as used:
        conn, table = used.conn, used.table
        try:
            require_forum(open_games.settings, forum)
        except ValueError as unknown:
            raise PowerRefused(str(unknown)) from None
        before = threads.thread_of(conn, game_id)
        if before and not before.closed:
            raise PowerRefused(
                f"{game_id} has a thread in {before.forum} already; `mentat forum close {game_id}` ends that first."
            )
        fresh = Thread(
            game_id, forum, told=table.events, told_turn=table.play.state.turn - 1,
            told_snapshot=threads.last_snapshot(conn, game_id),
        )  # fmt: skip
        goes_on = before is not None and before.forum == forum and not anew
        if before is None or before.forum != forum:
            threads.forget(conn, game_id)
            threads.follow(conn, fresh)
        elif anew:
            outgoing.leave(conn, game_id)
            threads.put_thread(conn, fresh)
        else:
            threads.put_thread(conn, replace(before, closed=False, looked=-1, problem="", problem_since=None))
        used.words = forum
        opened = "forum.opened-by-hand" if open_games.settings.is_by_hand(forum) else "forum.opened"
        told = [say(opened, forum=forum), *own_words(use.tell)]
        open_games.writer.announce(conn, table, now, say("forum.subject.opened"), told)
        return goes_on


def close_thread(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> str:
    """Leave the thread of a game: nothing is posted there any more, and nothing written there counts; its players are
    told. Returns the name of the forum. PowerRefused if it has none."""
    with using(open_games, game_id, "forum-close", now, use) as used:
        conn, table = used.conn, used.table
        thread = _followed(conn, table)
        accounts.forget(conn, [game_id])
        threads.put_thread(conn, replace(thread, closed=True))
        used.words = thread.forum
        told = [say("forum.closed", forum=thread.forum), *own_words(use.tell)]
        open_games.writer.announce(conn, table, now, say("forum.subject.closed"), told)
        return thread.forum


# --- posting by hand -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToPost:
    """What is to be posted in the thread of a game: by hand the next block, else what waits for the forum."""

    thread: Thread
    by_hand: bool
    block: Block | None
    """The next block that a person posts."""
    waits: tuple[Outgoing, ...]
    """What waits until the forum takes it, in order."""
    blocks: int = 0
    """How many blocks wait to be posted by hand."""


def to_post(open_games: OpenGames, game_id: str) -> ToPost:
    """What is to be posted in the thread of a game. PowerRefused if it has none."""
    with reading(open_games.engine) as conn:
        thread = _not_left(conn, open_games.table(conn, game_id))
        waits = tuple(outgoing.waiting(conn, game_id))
    if not _is_by_hand(open_games, thread):
        return ToPost(thread, by_hand=False, block=None, waits=waits)
    channel = _pasting(open_games, thread, open_games.engine, None)
    return ToPost(thread, by_hand=True, block=channel.next_block(), waits=waits, blocks=channel.waiting())


def write_now(open_games: OpenGames, channel: Channel, game_id: str, manner: Manner, now: datetime) -> None:
    """Write the next block of a game now, with all that has happened, and not only when its phase has ended. Nothing
    where nothing has happened, or a game is held."""
    with reading(open_games.engine) as conn:
        if open_games.table(conn, game_id).status == "held":
            return
    posting.post(open_games, channel, game_id, now)
    posting.compose(open_games, channel, game_id, replace(manner, when="changes"), now)
    posting.post(open_games, channel, game_id, now)


def posted(
    open_games: OpenGames, game_id: str, block: int, now: datetime, *, number: int | None = None, url: str = ""
) -> None:
    """A block was posted by hand, as ``number`` of its thread if that is known; of the first one ``url`` says where
    readers find it. PowerRefused if there is no such block, or another comes first."""
    with open_games.busy, writing(open_games.engine) as conn:
        thread = _by_hand(open_games, _not_left(conn, open_games.table(conn, game_id)))
        try:
            _pasting(open_games, thread, conn, now).done(block, number)
        except Refused as refused:
            raise PowerRefused(f"{_sentence(refused)} `mentat forum show {game_id}` shows what is next.") from None
        if number is not None:
            outgoing.was_numbered(conn, game_id, f"block-{block}", number)
        if url:
            threads.put_thread(conn, replace(thread, url=url))


@dataclass(frozen=True, slots=True)
class Pasted:
    """A post as it is handed in: the seat whose it is and its text; the name of the account, "" for the known one; its
    number in the forum and when it was written, where that is known."""

    faction: Faction
    text: str
    name: str = ""
    number: int | None = None
    written: datetime | None = None


@dataclass(frozen=True, slots=True)
class HandedIn:
    """What became of a post that was handed in. ``state``: taken, known (it was handed in before as it is), changed (it
    was handed in before with other words; those count, and everybody is told so where there are any that do)."""

    post: Seen
    state: str


def paste(
    open_games: OpenGames, pass_until: PassUntil, game_id: str, pasted: Pasted, now: datetime,
    use: Use = AT_THE_MACHINE,
) -> HandedIn:  # fmt: skip
    """Hand in what the player of a seat posted in a forum without an API, and let it count like any post. The player
    gets the answer by mail. PowerRefused where posts are not handed in, or a post cannot be what it is said to be."""
    faction = pasted.faction
    with reading(open_games.engine) as conn:
        require_right(conn, open_games, game_id, "forum-paste", use)
        table = open_games.table(conn, game_id)
        thread = _by_hand(open_games, _followed(conn, table))
        seat_of(table, faction)
        if names_hidden(table):
            raise PowerRefused(say("forum.hidden"))
        limits = _pasting(open_games, thread, conn, now).limits
    marked = read_post(pasted.text, limits.dialect)
    at = min(pasted.written or now, now)
    if any(line.kind == "act" for line in marked) and not use.dry_run:
        said = Post("", "", "", at, pasted.text)
        pass_until(game_id, Reading(limits.dialect).written_at(said, now))
    with using(open_games, game_id, "forum-paste", now, use) as used:
        conn, table = used.conn, used.table
        link = _link_of_seat(conn, table, thread, faction, pasted.name, now)
        post = _handed_in(_pasting(open_games, thread, conn, now), conn, thread, link, pasted, at)
        known = seen.seen(conn, game_id, post.id)
        state = "taken"
        if known is None:
            taking.take_at(conn, open_games, table, post, marked, now, "handed-in")
        elif taking.is_same(known, post):
            state, used.silent = "known", True
        else:
            state = "changed"
            if known.taken and not known.state:
                taking.compare_at(conn, known, post, now)
        became = seen.seen(conn, game_id, post.id)
        assert became is not None
        number_of, taken = taking.number_of(became), f"lines {len(became.taken)}/{len(became.lines)}"
        post_of = " ".join(part for part in ("post", number_of, "of", faction) if part)
        used.words = f"{post_of}, {'changed: ' if state == 'changed' else ''}{taken}"  # no words: the record is for all
        return HandedIn(became, state)


def _link_of_seat(conn: Connection, table: Table, thread: Thread, faction: Faction, name: str, now: datetime) -> Link:
    """The account of a seat. One is linked without further words: who hands in a post answers for whose it is."""
    had = forum_accounts.linked(conn, table).get(faction)
    asked = accounts.code_of(conn, table.id, faction, now)
    author = name.strip() or (had.author if had else "") or (asked.name if asked else "")
    if had and author == had.author:
        return had
    account = had.account if had else account_of_seat(faction)
    link = forum_accounts.link_of(table, thread.forum, faction, account, author, now)
    accounts.put_link(conn, link)
    return link


def _handed_in(
    channel: PasteChannel, conn: Connection, thread: Thread, link: Link, pasted: Pasted, at: datetime
) -> Post:  # fmt: skip
    if not thread.thread:
        raise PowerRefused(f"Its thread is not open yet: `mentat forum show {thread.game_id}` gives the first post.")
    here, number = Place(thread.thread), pasted.number
    try:
        if number is not None and any(each.number == number for each in outgoing.posted(conn, thread.game_id)):
            raise Refused(f"post {number} is one of Mentat's own")
        return channel.hand_in(here, link.author, link.account, pasted.text, number, at)
    except Refused as refused:
        raise PowerRefused(_sentence(refused)) from None


# --- what the forum refused ------------------------------------------------------------------------------------------


def try_again(
    open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE, *, skip: bool = False
) -> Outgoing:
    """Have what waits for the forum tried again at once; or ``skip`` the first that waits, which is given up. Returns
    that. PowerRefused if nothing waits, or it is the opening, without which there is no thread."""
    with using(open_games, game_id, "forum-repost", now, use) as used:
        conn = used.conn
        thread = _not_left(conn, used.table)
        waits = outgoing.waiting(conn, game_id)
        if not waits:
            if _is_by_hand(open_games, thread):
                raise PowerRefused(f"You post there by hand: `mentat forum show {game_id}` shows what is next.")
            raise PowerRefused(f"Nothing waits to be posted in the thread of {game_id}.")
        first = waits[0]
        if skip and first.kind == "open":
            raise PowerRefused(
                "The opening cannot be given up, for without it there is no thread. "
                f"`mentat forum close {game_id}` does without one."
            )
        if skip:
            outgoing.went_out(conn, first.id, "", now)
            threads.put_thread(conn, replace(thread, problem="", problem_since=None))
        else:
            outgoing.due_now(conn, first.id, now)
        used.words = f"{first.kind} {'given up' if skip else 'tried again'}"
        return first


# --- threads ---------------------------------------------------------------------------------------------------------


def _thread(conn: Connection, table: Table) -> Thread:
    thread = threads.thread_of(conn, table.id)
    if thread is None:
        raise PowerRefused(f"{table.id} has no thread in a forum; `mentat forum open {table.id} NAME` gives it one.")
    return thread


def _not_left(conn: Connection, table: Table) -> Thread:
    """The thread of a game, also of one that is over: its end may still have to be told. PowerRefused if it has
    none."""
    return _thread(conn, table) if table.status == "over" else _followed(conn, table)


def _followed(conn: Connection, table: Table) -> Thread:
    thread = _thread(conn, table)
    if thread.closed:
        raise PowerRefused(
            f"Mentat has left the thread of {table.id} in {thread.forum}; "
            f"`mentat forum open {table.id} {thread.forum}` goes on in it."
        )
    return thread


def _is_by_hand(open_games: OpenGames, thread: Thread) -> bool:
    forum = open_games.settings.forums.get(thread.forum)
    return forum is not None and forum.kind == "paste"


def _by_hand(open_games: OpenGames, thread: Thread) -> Thread:
    forum = open_games.settings.forums.get(thread.forum)
    if forum is None:
        raise PowerRefused(f"The settings have no forum {thread.forum!r} any more ([forums.{thread.forum}]).")
    if forum.kind != "paste":
        raise PowerRefused(
            f"Mentat itself reads and posts in {thread.forum}, which is of kind {forum.kind!r}: only in a forum of "
            'kind "paste" that is done by hand.'
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
