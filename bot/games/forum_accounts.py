"""Link forum accounts to seats: Mentat mails a one-time code to the player, who posts the code in the forum.

A link stores the account's permanent id in the forum, never the display name. It belongs to a seat and its reply
address. When the seat gets a new reply address, the link ends, and the player has to link the account again.
"""

from __future__ import annotations

import secrets
import unicodedata
from datetime import timedelta

from bot.config.time_zones import zone_named
from bot.games.open_games import Session
from bot.games.seat_mail import make_harmless
from bot.language.commands import ForumName, ForumOff, MailCommand, ShowForum
from bot.mail.identity import is_one_address, mailbox_of
from bot.render.material import CommandAnswer
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
"""The characters used in codes. No two of them look alike."""
CODE_LENGTH = 6
LONGEST_NAME = 100


class LinkRefused(ValueError):
    pass


def answer_about_forum(session: Session, table: Table, faction: Faction, command: MailCommand) -> CommandAnswer | None:
    if not isinstance(command, ShowForum | ForumName | ForumOff):
        return None
    thread = forum_threads.thread_of(session.conn, table.id)
    if thread is None or (thread.closed and not table.play.over):
        return CommandAnswer("refused", say("forum.none"))
    match command:
        case ShowForum():
            return CommandAnswer("done", "\n".join(_told(session, table, thread, faction)))
        case ForumName(name):
            return _ask(session, table, thread, faction, name)
        case ForumOff():
            forum_posts.drop_code(session.conn, table.id, faction)
            if link := linked_accounts(session.conn, table).get(faction):
                cut_link(session.conn, link)
                return CommandAnswer("done", say("forum.off"))
            return CommandAnswer("done", say("forum.off-already"))


def _told(session: Session, table: Table, thread: Thread, faction: Faction) -> list[str]:
    told = [
        say("forum.where", url=thread.url, forum=thread.forum)
        if thread.thread
        else say("forum.not-open-yet", forum=thread.forum)
    ]
    if names_hidden(table):
        return [*told, say("forum.hidden")]
    if session.settings.is_by_hand(thread.forum):
        return [*told, say("forum.by-hand")]
    link, code = (
        linked_accounts(session.conn, table).get(faction),
        forum_posts.code_of(session.conn, table.id, faction, session.now),
    )
    told.append(say("forum.linked", author=link.author) if link else say("forum.not-linked"))
    if code and code.generation == table.seats[faction].generation:
        until = moment(code.until, zone_named(table.seats[faction].timezone))
        told.append(say("forum.waits", name=code.name, code=code.code, until=until))
    return told


def _ask(session: Session, table: Table, thread: Thread, faction: Faction, name: str) -> CommandAnswer:
    if names_hidden(table):
        return CommandAnswer("refused", say("forum.hidden"))
    wanted = " ".join(make_harmless(name, session.settings.mentat.address).strip("\"'“”‘’ ").split())
    if not _folded(wanted) or len(wanted) > LONGEST_NAME:
        return CommandAnswer("refused", say("forum.bad-name", name=wanted[:LONGEST_NAME]))
    drawn = "".join(secrets.choice(CODE_SIGNS) for _ in range(CODE_LENGTH))
    seat = table.seats[faction]
    code = AccountCode(table.id, faction, drawn, wanted, seat.generation, session.now + CODE_HOLDS)
    forum_posts.put_code(session.conn, code)
    told = say("forum.code-list" if "@" in wanted else "forum.code", name=wanted, code=drawn)
    return CommandAnswer(
        "done", f"{told}\n{say('forum.code-until', until=moment(code.until, zone_named(seat.timezone)))}"
    )


def linked_accounts(conn: Connection, table: Table) -> dict[Faction, AccountLink]:
    """Return the forum accounts that post for a game's seats. First delete links that were made for an older reply
    address."""
    found = forum_posts.account_links(conn, table.id)
    for faction, link in list(found.items()):
        if table.seats[faction].generation != link.generation:
            cut_link(conn, found.pop(faction))
    return found


def cut_link(conn: Connection, link: AccountLink, reason: str = "") -> None:
    forum_posts.unlink(conn, link.game_id, link.faction)
    forum_threads.add_remark(
        conn, Remark(link.game_id, "unlinked", author=link.author, faction=link.faction, reason=reason)
    )


def new_link(session: Session, thread: Thread, faction: Faction, account: str, author: str) -> AccountLink:
    generation = session.table(thread.game_id).seats[faction].generation
    return AccountLink(thread.game_id, faction, thread.forum, account, author, generation, session.now)


def link_account(conn: Connection, table: Table, new: AccountLink, *, by_hand: bool = False, reason: str = "") -> None:
    """Let an account post for a seat instead of any previous account, and notify the whole table. Raise LinkRefused if
    the account posts for another seat of the game, or if the players are anonymous."""
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


def take_code(session: Session, table: Table, code: AccountCode, account: str, author: str) -> bool:
    """Link the account that posted a code, if the player named that account, and return True if it was linked. The code
    expires either way, and the player is told the outcome."""
    seat = table.seats[code.faction]
    forum_posts.drop_code(session.conn, table.id, code.faction)
    if code.generation != seat.generation or names_hidden(table):
        return False
    thread = forum_threads.thread_of(session.conn, table.id)
    subject = say("forum.subject.linked")
    told = say("forum.notice.linked", author=author, faction=code.faction)
    done = False
    if _folded(code.name) != _folded(author) and not is_account(_folded(code.name), _folded(account)):
        told = say("forum.notice.wrong-account", author=author, name=code.name)
    elif thread is not None:
        try:
            link_account(session.conn, table, new_link(session, thread, code.faction, account, author))
            done = True
        except LinkRefused as refused:
            told = str(refused)
    session.writer.notify(table, code.faction, subject, [told])
    return done


def is_account(known: str, account: str) -> bool:
    """Return True if both names identify the same account. Mail addresses count as the same account if they reach the
    same mailbox, because some mailing lists strip tags."""
    if is_one_address(known) and is_one_address(account):
        return mailbox_of(known) == mailbox_of(account)
    return known == account != ""


def _folded(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().lstrip("@").split())
