"""Names in the archive: each person chooses theirs by mail, for all their games."""

from __future__ import annotations

from bot.orders.commands import ArchiveListed, ArchiveName, MailCommand, ShowArchiveName
from bot.post.answered import Answered
from bot.reports.archive import told_of_archive
from bot.store import pseudonyms
from bot.store.database import Connection
from bot.table.press import settings_of
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction


def answer_about_archive(conn: Connection, table: Table, faction: Faction, command: MailCommand) -> Answered | None:
    """Carry out a request about the archive; None if the command is none."""
    own = table.seats[faction].address
    match command:
        case ShowArchiveName():
            named = pseudonyms.of_person(conn, own)
            name = pseudonyms.name_at(conn, table.id, faction)
            told = told_of_archive(
                table.policy, name, listed=bool(named and named.listed), press=settings_of(table).archived
            )
            return Answered("done", "\n".join(told))
        case ArchiveName(""):
            pseudonyms.drop(conn, own)
            return Answered("done", say("archive-name.dropped", name=pseudonyms.name_at(conn, table.id, faction)))
        case ArchiveName(name):
            if pseudonyms.choose(conn, own, name):
                return Answered("done", say("archive-name.chosen", name=name))
            return Answered("refused", say("archive-name.taken"))
        case ArchiveListed(listed):
            named = pseudonyms.set_listed(conn, own, listed)
            if named is None and listed:
                return Answered("refused", say("archive-name.no-name"))
            if named is None or not listed:
                return Answered("done", say("archive-name.not-listed"))
            return Answered("done", say("archive-name.listed", name=named.name))
    return None
