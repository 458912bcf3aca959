"""Commands about the mail itself rather than about the game, one small value each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from rules.components import Faction

LettersMode = Literal["all", "wanted", "daily"]
"""The letters a player gets besides answers. "wanted": only those that need an action, with the news since the last
one. "daily": one a day, earlier only what cannot wait."""


@dataclass(frozen=True, slots=True)
class MailCommand:
    """Base of all commands about the mail. They change nothing in the game."""


@dataclass(frozen=True, slots=True)
class Status(MailCommand):
    pass


@dataclass(frozen=True, slots=True)
class ShowMap(MailCommand):
    """`map [LOOK]`: the picture of the board, now and later in this look (`names`, `codes`, `dark`, `light`)."""

    look: str = ""


@dataclass(frozen=True, slots=True)
class History(MailCommand):
    pass


@dataclass(frozen=True, slots=True)
class Rules(MailCommand):
    """`rules [WORD]`: the clauses about a word or the clause with this id; without a word, an overview."""

    word: str = ""


@dataclass(frozen=True, slots=True)
class ShowOrders(MailCommand):
    pass


@dataclass(frozen=True, slots=True)
class ShowDeals(MailCommand):
    pass


@dataclass(frozen=True, slots=True)
class Cancel(MailCommand):
    """`cancel [LINE]`: withdraw one order, as it was written; with an empty line, all of them."""

    line: str = ""


@dataclass(frozen=True, slots=True)
class Help(MailCommand):
    word: str = ""


@dataclass(frozen=True, slots=True)
class Press(MailCommand):
    """`press to WHOM: TEXT`. An empty `to` means everybody except those in `but`. `signed` None follows the game's
    setting. `shown` lists the readers that the letter is to name: empty for everybody, None for the true ones."""

    to: tuple[Faction, ...]
    text: str
    but: tuple[Faction, ...] = ()
    signed: bool | None = None
    shown: tuple[Faction, ...] | None = None


@dataclass(frozen=True, slots=True)
class PressReply(MailCommand):
    """A reply to another player's press that contains no order.

    It goes to `to` alone; None if the game hides who wrote that press. `doubtful`: it may have been meant as an order,
    perhaps as one of `orders`. `alone`: the writer was the only reader of that press.
    """

    to: Faction | None
    text: str
    orders: tuple[str, ...] = ()
    doubtful: bool = False
    alone: bool = True


@dataclass(frozen=True, slots=True)
class PressToNobody(MailCommand):
    """`press: TEXT`: names no reader, so nobody gets it."""

    text: str


@dataclass(frozen=True, slots=True)
class PressWithoutEnd(MailCommand):
    """Press whose text begins below its first line and lacks `end press` (`bot.language.lines`)."""

    text: str


@dataclass(frozen=True, slots=True)
class SendAnyway(MailCommand):
    """`send anyway`: send the press that was held for confirmation."""


@dataclass(frozen=True, slots=True)
class Report(MailCommand):
    """`report N[: TEXT]`: show press number N to the game master, as it was written."""

    number: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class FalseReaders(MailCommand):
    """`false readers yes|no`: may letters name other readers than they have? Needs the consent of all players."""

    agreed: bool


@dataclass(frozen=True, slots=True)
class ArchivePress(MailCommand):
    """`archive press yes|no`: may the archive show my private press, if it shows any?"""

    shown: bool


@dataclass(frozen=True, slots=True)
class PressToGameMaster(MailCommand):
    text: str


@dataclass(frozen=True, slots=True)
class Absent(MailCommand):
    """`absent FROM to TO [ZONE]`, both days included."""

    first: date
    last: date
    zone: str = ""


@dataclass(frozen=True, slots=True)
class NoAbsence(MailCommand):
    """`no absence`: withdraw the days of absence still to come."""


@dataclass(frozen=True, slots=True)
class Waking(MailCommand):
    """`waking HH:MM to HH:MM [ZONE]` or `waking all day`: the hours in which my time bank runs. `hours` is like
    "08:00-22:00"; empty for the whole day."""

    hours: str
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Letters(MailCommand):
    mode: LettersMode


@dataclass(frozen=True, slots=True)
class Receipts(MailCommand):
    wanted: bool


@dataclass(frozen=True, slots=True)
class TimeZone(MailCommand):
    """`timezone ZONE`: the time zone of my letters, as `bot.config.time_zones` stores it."""

    zone: str


@dataclass(frozen=True, slots=True)
class Extend(MailCommand):
    hours: int


@dataclass(frozen=True, slots=True)
class Resign(MailCommand):
    pass


@dataclass(frozen=True, slots=True)
class ShowAddresses(MailCommand):
    pass


@dataclass(frozen=True, slots=True)
class AddAddress(MailCommand):
    """`address add ADDRESS`: ask for a further address. It counts once a code has been confirmed from there."""

    address: str


@dataclass(frozen=True, slots=True)
class UseAddress(MailCommand):
    address: str


@dataclass(frozen=True, slots=True)
class RemoveAddress(MailCommand):
    address: str


@dataclass(frozen=True, slots=True)
class ShowArchiveName(MailCommand):
    pass


@dataclass(frozen=True, slots=True)
class ArchiveName(MailCommand):
    """`archive name NAME`: my name in the archive, for all my games; empty for none."""

    name: str


@dataclass(frozen=True, slots=True)
class ArchiveListed(MailCommand):
    listed: bool


@dataclass(frozen=True, slots=True)
class ShowRating(MailCommand):
    pass


@dataclass(frozen=True, slots=True)
class RatingPrivate(MailCommand):
    private: bool


@dataclass(frozen=True, slots=True)
class ShowForum(MailCommand):
    pass


@dataclass(frozen=True, slots=True)
class ForumName(MailCommand):
    """`forum name NAME`: link this forum account to me, once a code has proved that it is mine."""

    name: str


@dataclass(frozen=True, slots=True)
class ForumOff(MailCommand):
    pass


@dataclass(frozen=True, slots=True)
class AskForSitter(MailCommand):
    """`sitter ADDRESS until DATE`: let the owner of this address sit in for me until the end of that day. The game
    master must agree."""

    address: str
    until: date


@dataclass(frozen=True, slots=True)
class SitterOff(MailCommand):
    """`sitter off`: end my sitter's stay; from a sitter, stop sitting in."""


@dataclass(frozen=True, slots=True)
class Freeze(MailCommand):
    """`freeze`: somebody else tried to write in my name, so replace my reply address."""
