"""Press on its way: what one player wrote, to its readers, in letters of ours.

Nothing of the mail in which it came goes on but the words: each reader gets a letter of their own, from the game's
address, with their own reply token, made at the moment at which it goes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.games import observers
from bot.games.open_games import OpenGames
from bot.post.arbiters import arbiters
from bot.press.deciding import in_hidden_order
from bot.reports.given import Passed
from bot.store import press as store
from bot.store.database import Connection
from bot.store.press import Press
from bot.table.press import names_hidden, settings_of
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction


def keep(conn: Connection, open_games: OpenGames, table: Table, press: Press, now: datetime) -> None:
    """Write press down; it goes out at once unless it has to wait."""
    kept = store.keep(conn, press)
    if kept.state == "sent":
        _pass_on(conn, open_games, table, kept, now)


def send_due(conn: Connection, open_games: OpenGames, table: Table, now: datetime) -> None:
    """What was waiting and goes out now, in an order that tells nothing of when it was written."""
    waiting = {press.id: press for press in store.due(conn, table.id, now)}
    secret = open_games.settings.secrets.secret.get_secret_value().encode()
    slots = sorted({press.due for press in waiting.values() if press.due})
    for slot in (None, *slots):
        together = [(_what_it_says(press), press.id) for press in waiting.values() if press.due == slot]
        for number in in_hidden_order(secret, f"{table.id} {slot}", together):
            _pass_on(conn, open_games, table, store.went_out(conn, waiting[number]), now)


def _what_it_says(press: Press) -> str:
    return "\0".join((press.faction, ",".join(press.readers), press.words))


def _pass_on(conn: Connection, open_games: OpenGames, table: Table, press: Press, now: datetime) -> None:
    copied = settings_of(table).copies_to_desk
    sender = press.faction if press.signed else None
    numbers = store.counts(conn, table.id)
    for reader in readers_in_order(table, press.readers):
        others = tuple(faction for faction in press.said if faction != reader)
        answerable = press.signed and not names_hidden(table) and settings_of(table).mode != "public"
        passed = Passed(sender, press.words, numbers[reader], others, press.to_all, copied, answerable)
        open_games.writer.press(conn, table, reader, passed, now)
    if press.signed and press.to_all and settings_of(table).observers == "white":
        observers.pass_on(conn, open_games, table, Passed(sender, press.words, 0, (), to_all=True, copied=copied), now)
    if copied:
        _copy(conn, open_games, table, press, now)


def _copy(conn: Connection, open_games: OpenGames, table: Table, press: Press, now: datetime) -> None:
    """The game master reads it too, as every player was told, unless they play themselves."""
    told = say("press-copy.written", faction=press.faction, signed=press.signed, readers=press.readers)
    for address in arbiters(conn, open_games.writer, table):
        subject, cause = say("press-copy.subject", game=table.id), f"press.copy.{press.id}.{address}"
        open_games.writer.tell(conn, now, address, subject, [told, *press.words.splitlines()], cause)


def readers_in_order(table: Table, readers: Sequence[str]) -> list[Faction]:
    """The readers by their places at the table, so that the order of their letters tells nothing of what was typed."""
    return [faction for faction in table.seats if faction in readers]
