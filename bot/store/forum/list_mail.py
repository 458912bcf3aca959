"""The mails that came from mailing lists, by forum and in the order in which they came."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select

from bot.store.list_mail_tables import FORUM_LIST_MAIL
from bot.store.tables import MESSAGE


@dataclass(frozen=True, slots=True)
class ListMail:
    """A mail from a list as it came."""

    number: int
    arrived_at: datetime
    raw: bytes


def keep(conn: Connection, forum: str, message: int, now: datetime) -> None:
    """A message that was kept under this number is from the list of this forum."""
    conn.execute(insert(FORUM_LIST_MAIL), {"forum": forum, "message_id": message, "arrived_at": now})


def after(conn: Connection, forum: str, number: int) -> list[ListMail]:
    """The mails from the list that came after the one of this number (0: all of them), without those emptied since."""
    found = (
        select(FORUM_LIST_MAIL.c.id, FORUM_LIST_MAIL.c.arrived_at, MESSAGE.c.raw)
        .join(MESSAGE, MESSAGE.c.id == FORUM_LIST_MAIL.c.message_id)
        .where(FORUM_LIST_MAIL.c.forum == forum, FORUM_LIST_MAIL.c.id > number, MESSAGE.c.raw != b"")
        .order_by(FORUM_LIST_MAIL.c.id)
    )
    return [ListMail(*row) for row in conn.execute(found)]
