"""The free words of an order, a deal or a question under Truthtrance, are read by others as press is: who may write no
press offers no deals, and where nobody is to know who plays they do not say it."""

from __future__ import annotations

from bot.press.deciding import tells_who
from bot.store import press as store
from bot.store.database import Connection
from bot.table.press import names_hidden, person
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction
from rules.orders import Deal, Truthtrance


def why_not(conn: Connection, table: Table, faction: Faction, order: object) -> str:
    """Why an order of a faction is not taken for the words in it; nothing if it may be."""
    if isinstance(order, Deal) and not table.play.over and store.is_muted(conn, table.id, faction):
        return say("press-not.muted-deal")
    words = order.text if isinstance(order, Deal) else order.question if isinstance(order, Truthtrance) else ""
    if words and names_hidden(table) and tells_who(words, person(table, faction)):
        return say("press-not.identity")
    return ""
