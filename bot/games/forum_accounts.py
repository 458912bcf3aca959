"""Which forum account belongs to which seat: linked once by a code, which goes out by mail and comes back in a post.

A link holds the account's permanent id in the forum, never the displayed name. It belongs to a seat and its reply
address: every new reply address cuts it, and the player links the account again.
"""

from __future__ import annotations

import secrets
import unicodedata
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.games.open_games import OpenGames
from bot.games.seat_mail import CommandAnswer, make_harmless
from bot.language.commands import ForumName, ForumOff, MailCommand, ShowForum
from bot.store import forum_posts, forum_threads
from bot.store.database import Connection
from bot.store.forum_posts import AccountCode, AccountLink
from bot.store.forum_threads import Remark, RemarkKind, Thread
from bot.table.press import names_hidden
from bot.table.table import Table
from bot.wording import moment, say
from rules.components import Faction

CODE_HOLDS = timedelta(days=7)
CODE_SIGNS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""What a code is made of: nothing that could be taken for another sign."""
CODE_LENGTH = 6
LONGEST_NAME = 100


class LinkRefused(ValueError):
    """This account cannot post for this seat; the message says why."""


def answer_about_forum(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, command: MailCommand, now: datetime
) -> CommandAnswer | None:
    """Carry out a request about the forum; None if the command is none."""
    if not isinstance(command, ShowForum | ForumName | ForumOff):
        return None
    thread = forum_threads.thread_of(conn, table.id)
    if thread is None or (thread.closed and not table.play.over):
        return CommandAnswer("refused", say("forum.none"))
    match command:
        case ShowForum():
            return CommandAnswer("done", "\n".join(_told(conn, open_games, table, thread, faction, now)))
        case ForumName(name):
            return _ask(conn, open_games, table, thread, faction, name, now)
        case ForumOff():
            forum_posts.drop_code(conn, table.id, faction)
            if link := linked_accounts(conn, table).get(faction):
                cut_link(conn, link)
                return CommandAnswer("done", say("forum.off"))
            return CommandAnswer("done", say("forum.off-already"))


def _told(
    conn: Connection, open_games: OpenGames, table: Table, thread: Thread, faction: Faction, now: datetime
) -> list[str]:
    told = [
        say("forum.where", url=thread.url, forum=thread.forum)
        if thread.thread
        else say("forum.not-open-yet", forum=thread.forum)
    ]
    if names_hidden(table):
        return [*told, say("forum.hidden")]
    if open_games.settings.is_by_hand(thread.forum):
        return [*told, say("forum.by-hand")]
    link, code = linked_accounts(conn, table).get(faction), forum_posts.code_of(conn, table.id, faction, now)
    told.append(say("forum.linked", author=link.author) if link else say("forum.not-linked"))
    if code and code.generation == table.seats[faction].generation:
        until = moment(code.until, ZoneInfo(table.seats[faction].timezone))
        told.append(say("forum.waits", name=code.name, code=code.code, until=until))
    return told


def _ask(
    conn: Connection, open_games: OpenGames, table: Table, thread: Thread, faction: Faction, name: str, now: datetime
) -> CommandAnswer:
    if names_hidden(table):
        return CommandAnswer("refused", say("forum.hidden"))
    wanted = " ".join(make_harmless(name, open_games.settings.mentat.address).strip("\"'“”‘’ ").split())
    if not _folded(wanted) or len(wanted) > LONGEST_NAME:
        return CommandAnswer("refused", say("forum.bad-name", name=wanted[:LONGEST_NAME]))
    drawn = "".join(secrets.choice(CODE_SIGNS) for _ in range(CODE_LENGTH))
    seat = table.seats[faction]
    code = AccountCode(table.id, faction, drawn, wanted, seat.generation, now + CODE_HOLDS)
    forum_posts.put_code(conn, code)
    told = say("forum.code-list" if "@" in wanted else "forum.code", name=wanted, code=drawn)
    return CommandAnswer(
        "done", f"{told}\n{say('forum.code-until', until=moment(code.until, ZoneInfo(seat.timezone)))}"
    )


def linked_accounts(conn: Connection, table: Table) -> dict[Faction, AccountLink]:
    """The accounts that post for the seats of a game now; those of an older reply address are cut."""
    found = forum_posts.account_links(conn, table.id)
    for faction, link in list(found.items()):
        if table.seats[faction].generation != link.generation:
            cut_link(conn, found.pop(faction))
    return found


def cut_link(conn: Connection, link: AccountLink, reason: str = "") -> None:
    """No account posts for this seat any more, and everybody is told so."""
    forum_posts.unlink(conn, link.game_id, link.faction)
    forum_threads.add_remark(
        conn, Remark(link.game_id, "unlinked", author=link.author, faction=link.faction, reason=reason)
    )


def new_link(table: Table, forum: str, faction: Faction, account: str, author: str, now: datetime) -> AccountLink:
    """That an account posts for whoever plays a seat now."""
    return AccountLink(table.id, faction, forum, account, author, table.seats[faction].generation, now)


def link_account(conn: Connection, table: Table, new: AccountLink, *, by_hand: bool = False, reason: str = "") -> None:
    """Let an account post for a seat, in the place of the one before; everybody is told so. LinkRefused if it posts for
    another seat of the game, or if nobody is to know who plays whom."""
    if names_hidden(table):
        raise LinkRefused(say("forum.hidden"))
    if any(
        other != new.faction and known.account == new.account for other, known in linked_accounts(conn, table).items()
    ):
        raise LinkRefused(say("forum.notice.another-seat", author=new.author))
    forum_posts.drop_code(conn, table.id, new.faction)
    forum_posts.put_link(conn, new)
    kind: RemarkKind = "linked-by-hand" if by_hand else "linked"
    forum_threads.add_remark(conn, Remark(table.id, kind, author=new.author, faction=new.faction, reason=reason))


def take_code(
    conn: Connection, open_games: OpenGames, table: Table, code: AccountCode, account: str, author: str, now: datetime
) -> bool:
    """An account has shown a code: it is linked with the seat, if it is the one that was named and may be. The code is
    worthless afterwards; its player is told what became of it. Whether they are linked now."""
    seat, writer = table.seats[code.faction], open_games.writer
    forum_posts.drop_code(conn, table.id, code.faction)
    if code.generation != seat.generation or names_hidden(table):
        return False
    thread = forum_threads.thread_of(conn, table.id)
    subject = say("forum.subject.linked")
    told = say("forum.notice.linked", author=author, faction=code.faction)
    done = False
    if _folded(code.name) not in (_folded(author), _folded(account)):
        told = say("forum.notice.wrong-account", author=author, name=code.name)
    elif thread is not None:
        try:
            link_account(conn, table, new_link(table, thread.forum, code.faction, account, author, now))
            done = True
        except LinkRefused as refused:
            told = str(refused)
    writer.notify(conn, table, code.faction, now, subject, [told])
    return done


def _folded(name: str) -> str:
    """By what two names of accounts count as the same."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().lstrip("@").split())
