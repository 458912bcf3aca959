"""Mentat's memory of the last mail with each reply token: the proposals in our answer, and the lines that were carried
out.

A token belongs to one person in one role: the player or sitter of a seat, a person with a right, or an entrant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Connection, ForeignKey, Integer, String, Table, bindparam, delete

from bot.language.proposals import NOTHING, Memory, Proposal
from bot.store.mail import written_at
from bot.store.rows import METADATA, Texts, add_value, load, table_of

WHOLE, SPOKE = "yes: ", "of: "


@dataclass(frozen=True, slots=True)
class LastMail:
    """The last mail that came with a token. ``options`` are the mails that our answer proposed. The writer may confirm
    one as long as they still see the game as in ``seen``. An option that begins with ``WHOLE`` holds the lines that a
    plain "yes" confirms together; one that begins with ``SPOKE`` holds a line that the answer mentioned. ``done`` are
    the lines carried out."""

    token: str
    game_id: str | None
    options: Sequence[str]
    seen: str
    done: Sequence[str]
    at: datetime


LAST_MAIL = table_of(
    "remembered_mail",
    LastMail,
    Column("options", Texts, nullable=False),
    Column("done", Texts, nullable=False),
    key="token",
    refers="game_id",
)

Table(  # for an older Mentat that is still running; the next migration drops it
    "last_mail",
    METADATA,
    *(Column(name, String, primary_key=True) for name in ("faction", "person")),
    Column("game_id", ForeignKey("game.id"), primary_key=True),
    *(Column(name, String, nullable=False) for name in ("options", "seen", "done", "at")),
    *(Column(name, Integer, nullable=False) for name in ("generation", "turn")),
)


def remember(conn: Connection, mail: LastMail, instead_of: Iterable[str] = ()) -> None:
    """Store a mail in place of the last one with its token, and forget the last mails with the tokens ``instead_of``.
    If the mail has no options and no lines that were carried out, only delete the last one."""
    forget(conn, {mail.token, *instead_of})
    if mail.options or mail.done:
        add_value(conn, mail)


def memory_of(conn: Connection, token: str, in_reply_to: Iterable[str]) -> Memory:
    """Return the memory of the last mail with this token. A reply to any other letter leaves the proposals
    unanswered."""
    last = load(conn, LastMail, token=token)
    if last is None:
        return NOTHING
    marked = [option for option in last.options if option.startswith((WHOLE, SPOKE))]
    options = tuple(tuple(option.split("\n")) for option in last.options if option not in marked)
    whole = tuple(line for each in marked if each.startswith(WHOLE) for line in each.removeprefix(WHOLE).split("\n"))
    spoke = tuple(each.removeprefix(SPOKE) for each in marked if each.startswith(SPOKE))
    letter = written_at(conn, in_reply_to) if in_reply_to else None
    waiting = Proposal(options, last.seen, answered=letter in (None, last.at), whole=whole) if options else None
    return Memory(waiting, done=tuple(last.done), spoke=spoke)


def forget(conn: Connection, tokens: Collection[str]) -> None:
    if tokens:
        conn.execute(_FORGET, [{"of": token} for token in sorted(tokens)])


_FORGET = delete(LAST_MAIL).where(LAST_MAIL.c.token == bindparam("of"))
