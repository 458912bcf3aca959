"""The table of mails from mailing lists that are forums (``bot.store.forum_tables`` has the others of the forum)."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field, SQLModel

from bot.store.instants import Instant


class ForumListMailRow(SQLModel, table=True):
    """A mail from the list of a forum, in the order in which they came. What it says is kept with the message, which is
    shown, deleted and known again as every other."""

    __tablename__ = "forum_list_mail"

    id: int | None = Field(default=None, primary_key=True)
    forum: str = Field(index=True)
    message_id: int = Field(unique=True, foreign_key="message.id")
    arrived_at: datetime = Field(sa_type=Instant)


FORUM_LIST_MAIL = SQLModel.metadata.tables["forum_list_mail"]
