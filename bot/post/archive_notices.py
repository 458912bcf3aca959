"""What everybody at a table is told when the archive is to show other things of their game."""

from __future__ import annotations

from datetime import datetime

from bot.config.archive_policy import Policy
from bot.post.letter_writer import LetterWriter
from bot.reports.archive import shown_after_the_end, shown_while_running
from bot.store.database import Connection
from bot.table.table import Table
from bot.wording.sentences import say


def tell_policy(conn: Connection, writer: LetterWriter, table: Table, policy: Policy, now: datetime) -> None:
    """Tell everybody at a table what the archive shows of their game from now on."""
    shown = f"{shown_while_running(policy)} {shown_after_the_end(policy)}"
    paragraphs = [say("archive-told.changed"), shown, say("archive-told.licence")]
    writer.announce(conn, table, now, say("archive-told.changed-subject"), paragraphs)
