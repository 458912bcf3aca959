"""A mail that answers a letter with words of another player, or of the desk: its words go back to them alone.

The letter is known by its Message-ID, which an answer brings back, and not by another reply address: an address is
learnt by address books, and orders written to it later would be read by somebody else. A line that is an order counts
as one wherever it is written; nothing beside it is passed on. Words in which an order may have been meant wait until
their writer says which it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.orders.commands import MailCommand, PressReply, PressToGameMaster
from bot.orders.context import Context
from bot.orders.language import Unread
from bot.orders.press_lines import LINE_END
from bot.post.seat_mail import DESK, PRESS
from bot.sheets.lines import read_lines
from bot.store import press as store
from bot.store.database import Connection
from bot.store.press import Press
from bot.table.table import Table
from rules.components import Faction

_LETTER = rf"\.\d+\.(?:{PRESS}(?P<number>\d{{1,6}})|{DESK})\.[a-z2-7]{{16}}@\S+"


@dataclass(frozen=True, slots=True)
class Words:
    """What a mail of a player answers: the ``press`` of another, or words of the desk where it is None."""

    press: Press | None

    @property
    def writer(self) -> Faction | None:
        """Whose words they were, where that is told and it was a player."""
        return self.press.faction if self.press and self.press.signed else None


def answered(conn: Connection, table: Table, faction: Faction, in_reply_to: Collection[str]) -> Words | None:
    """The words that this mail of a seat answers; None for an answer to anything else."""
    of_seat = re.compile(re.escape(f"{table.id}.{faction}") + _LETTER, re.IGNORECASE)
    for identity in in_reply_to:
        if found := of_seat.fullmatch(identity):
            if found["number"] is None:
                return Words(None)
            got, number = store.of_reader(conn, table.id, faction), int(found["number"])
            return Words(got[number - 1]) if 1 <= number <= len(got) else None
    return None


def reply(to: Words, lines: Sequence[str], context: Context) -> MailCommand | None:
    """The lines of an answer as words for whoever wrote; None if one of them is an order or a command. ``context``
    takes nothing in plain words."""
    read = [line.result for line in read_lines(lines, context)]
    unread = [each for each in read if isinstance(each, Unread)]
    if not read or len(unread) < len(read):
        return None
    text = LINE_END.join(map(str.strip, lines))
    if to.press is None:
        return PressToGameMaster(text)
    meant = tuple(dict.fromkeys(line for each in unread for line in each.suggestions))
    doubtful = not all(each.chatter for each in unread)
    return PressReply(to.writer, text, meant, doubtful=doubtful, alone=len(to.press.readers) == 1)
