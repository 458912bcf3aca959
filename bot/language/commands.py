"""Commands about the mail itself rather than about the game; each is a small value."""

from __future__ import annotations

from datetime import date
from typing import Literal

import msgspec

from bot.press import VotedHow
from rules.components import Faction
from rules.components.board import TerritoryId

LettersMode = Literal["all", "wanted", "daily"]
"""The letters a player gets besides answers. "wanted": only those that need an action, with the news since the last
one. "daily": one a day, earlier only what cannot wait."""


class MailCommand(msgspec.Struct, frozen=True):
    """Base of all commands about the mail. They change nothing in the game."""


class Status(MailCommand, frozen=True):
    pass


class ShowMap(MailCommand, frozen=True):
    """`map [LOOK]`: a picture of the board, now and later in this look (`names`, `codes`, `dark`, `light`)."""

    look: str = ""


class History(MailCommand, frozen=True):
    pass


class ExplainBattle(MailCommand, frozen=True):
    """`explain battle [in TERRITORY]`: how the outcome of my last battles was calculated."""

    territory: TerritoryId | None = None


class Rules(MailCommand, frozen=True):
    """`rules [WORD]`: the clauses about a word or the clause with this id; without a word, an overview."""

    word: str = ""


class ShowOrders(MailCommand, frozen=True):
    pass


class ShowDeals(MailCommand, frozen=True):
    pass


class Cancel(MailCommand, frozen=True):
    """`cancel [LINE]`: withdraw one order, as it was written; with an empty line, all of them."""

    line: str = ""


class Help(MailCommand, frozen=True):
    word: str = ""


class Press(MailCommand, frozen=True):
    """`press to WHOM: TEXT`. An empty `to` means everybody except those in `but`. If `signed` is None, the game's
    setting decides. `shown` lists the readers that the letter names: empty means everybody, None the true readers."""

    to: tuple[Faction, ...]
    text: str
    but: tuple[Faction, ...] = ()
    signed: bool | None = None
    shown: tuple[Faction, ...] | None = None


class PressReply(MailCommand, frozen=True):
    """A reply to another player's press that contains no order.

    It goes to `to` alone, which is None if the game hides who wrote that press. `doubtful`: it may have been meant as
    an order, perhaps as one of `orders`. `alone`: nobody but the writer had been sent that press.
    """

    to: Faction | None
    text: str
    orders: tuple[str, ...] = ()
    doubtful: bool = False
    alone: bool = True


class PressToNobody(MailCommand, frozen=True):
    """`press: TEXT`: it names no reader, so nobody gets it."""

    text: str


class PressWithoutEnd(MailCommand, frozen=True):
    """Press whose text begins below its first line but has no `end press` (`bot.language.lines`)."""

    text: str


class SendAnyway(MailCommand, frozen=True):
    """`send anyway`: send the press that was held for confirmation."""


class Report(MailCommand, frozen=True):
    """`report N[: TEXT]`: show press number N, as it was written, to the game master."""

    number: int
    why: str = ""


class FalseReaders(MailCommand, frozen=True):
    """`false readers yes|no`: may letters name other readers than the real ones? It needs the consent of all
    players."""

    agreed: bool


class ArchivePress(MailCommand, frozen=True):
    """`archive press yes|no`: may the archive show my private press, if it shows private press at all?"""

    shown: bool


class PressToGameMaster(MailCommand, frozen=True):
    text: str


class Absent(MailCommand, frozen=True):
    """`absent FROM to TO [ZONE]`: both days are included."""

    first: date
    last: date
    zone: str = ""


class NoAbsence(MailCommand, frozen=True):
    """`no absence`: withdraw the days of absence still to come."""


class Waking(MailCommand, frozen=True):
    """`waking HH:MM to HH:MM [ZONE]` or `waking all day`: the hours in which my time bank runs. `hours` is like
    "08:00-22:00"; empty for the whole day."""

    hours: str
    zone: str = ""


class Letters(MailCommand, frozen=True):
    mode: LettersMode


class Receipts(MailCommand, frozen=True):
    wanted: bool


class TimeZone(MailCommand, frozen=True):
    """`timezone ZONE`: the time zone of my letters, as `bot.config.time_zones` stores it."""

    zone: str


class Extend(MailCommand, frozen=True):
    hours: int


class Resign(MailCommand, frozen=True):
    pass


class VoteOnCaretaker(MailCommand, frozen=True):
    """`caretaker FACTION HOW|no`: who plays a seat in care: the caretaker (`careful`), or an opponent who is `steady`
    or `sharp`. "" votes against the current proposal."""

    faction: Faction
    how: VotedHow


class ShowAddresses(MailCommand, frozen=True):
    pass


class AddAddress(MailCommand, frozen=True):
    """`address add ADDRESS`: ask for a further address. It counts once a code has been confirmed from there."""

    address: str


class UseAddress(MailCommand, frozen=True):
    address: str


class RemoveAddress(MailCommand, frozen=True):
    address: str


class ShowArchiveName(MailCommand, frozen=True):
    pass


class ArchiveName(MailCommand, frozen=True):
    """`archive name NAME`: my name in the archive, for all my games; empty for none."""

    name: str


class ArchiveListed(MailCommand, frozen=True):
    listed: bool


class ShowRating(MailCommand, frozen=True):
    pass


class RatingPrivate(MailCommand, frozen=True):
    private: bool


class ShowForum(MailCommand, frozen=True):
    pass


class ForumName(MailCommand, frozen=True):
    """`forum name NAME`: link this forum account to me, after a code has proved that it is mine."""

    name: str


class ForumOff(MailCommand, frozen=True):
    pass


class AskForSitter(MailCommand, frozen=True):
    """`sitter ADDRESS until DATE`: let the owner of this address sit in for me until the end of that day. The game
    master must agree."""

    address: str
    until: date


class SitterOff(MailCommand, frozen=True):
    """`sitter off`: end my sitter's stay; from a sitter, stop sitting in."""


class Freeze(MailCommand, frozen=True):
    """`freeze`: replace my reply address, because somebody else has tried to write in my name."""
