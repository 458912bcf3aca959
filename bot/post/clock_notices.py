"""What is said about clocks: the sentences of ``templates/letters/clocks.toml``, to a table or to a person."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from bot.clock.instants import stamp
from bot.post.letter_writer import LetterWriter
from bot.reports.times import by, clock_of, moment
from bot.store.database import Connection
from bot.store.persons import persons_at
from bot.table.table import Table
from bot.wording.sentences import say

Cause = Literal["mailbox", "canary", "service", "silence"]


def tell_table(
    conn: Connection, writer: LetterWriter, table: Table, now: datetime, what: str, told: str = "", **facts: Any
) -> None:
    """The same words to everybody at a table; ``told`` is what the game master adds in their own."""
    writer.announce(conn, table, now, say(f"{what}.subject"), [say(f"{what}.notice", **facts), *own_words(told)])


def own_words(told: str) -> list[str]:
    """What a game master says to a table in their own words, as a paragraph; nothing where they said nothing."""
    return [say("desk.own-words", words=told)] if told else []


def tell_new_deadline(
    conn: Connection, writer: LetterWriter, table: Table, now: datetime, what: str, *before: str,
    told: str = "",
) -> None:  # fmt: skip
    """Tell everybody at a table by when what all know to be open may be answered, each in their own zone; ``what``
    names the words, ``before`` comes first, and last what the game master has ``told`` in their own."""
    dues = [due for q in table.play.asked() if (q.public or q.blanket) and (due := table.due(q))]
    for faction, seat in table.seats.items():
        said = list(before)
        if dues:
            said.append(say(f"{what}.open", by=by(max(dues), now, ZoneInfo(seat.timezone))))
        elif not said:
            said.append(say(f"{what}.unknown"))
        writer.notify(conn, table, faction, now, say(f"{what}.subject"), [*said, *own_words(told)])


def tell_given_back(
    conn: Connection, writer: LetterWriter, cause: Cause, games: Sequence[str], since: datetime, back: datetime
) -> None:  # fmt: skip
    """Tell every person at these games, in one mail for all of them, that lost time is given back; and the game
    master. Told once, however often it is called for the same loss."""
    if not games:
        return
    name = f"{cause}.{stamp(since)}"
    for address, (zone, own) in persons_at(conn, games).items():
        facts = {"since": _instant(since, zone), "back": _instant(back, zone)}
        told = [say(f"outage.{cause}", **facts), say("outage.games", games=own)]
        writer.tell(conn, back, address, say("outage.subject"), told, f"{name}.{_digest(address)}")
    zone = writer.settings.mentat.timezone
    told = [
        say(f"outage.{cause}", since=_instant(since, zone), back=_instant(back, zone)),
        say("outage.game-master", games=len(games)),
    ]
    writer.tell_game_master(conn, back, say("outage.subject"), told, name)


def tell_silence(conn: Connection, writer: LetterWriter, persons: int, since: datetime, now: datetime) -> None:
    """Tell the game master that nobody writes any more."""
    mentat = writer.settings.mentat
    told = [
        say("silence.notice", persons=persons, since=_instant(since, mentat.timezone)),
        say("silence.advice", address=mentat.address),
    ]
    writer.tell_game_master(conn, now, say("silence.subject"), told, f"silence.{stamp(now)}")


def tell_jump(conn: Connection, writer: LetterWriter, seconds: float, now: datetime) -> None:
    """Tell the game master that the clock of the machine jumped."""
    minutes = round(abs(seconds) / 60)
    told = [say("jump.notice", minutes=minutes, way="forward" if seconds > 0 else "back"), say("jump.advice")]
    writer.tell_game_master(conn, now, say("jump.subject"), told, f"jump.{stamp(now)}")


def _instant(instant: datetime, zone: ZoneInfo) -> str:
    return f"{moment(instant, zone)} {clock_of(zone)}"


def _digest(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()[:16]
