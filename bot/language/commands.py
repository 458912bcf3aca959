"""Commands about the mail itself rather than about the game: one small value for each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from rules.components import Faction

LettersMode = Literal["all", "wanted", "daily"]
"""Which letters a player gets besides answers: each as it comes; only those that want something, with the news since
the last; or one a day, and before it only what cannot wait for it."""


@dataclass(frozen=True, slots=True)
class MailCommand:
    """Base of all commands about the mail. They change nothing in the game."""


@dataclass(frozen=True, slots=True)
class Status(MailCommand):
    """``status``: the position and what is open."""


@dataclass(frozen=True, slots=True)
class ShowMap(MailCommand):
    """``map [LOOK]``: the picture of the board; drawn from now on with all ``names`` or with ``codes``, ``dark`` or
    ``light``."""

    look: str = ""


@dataclass(frozen=True, slots=True)
class History(MailCommand):
    """``history``: what happened so far."""


@dataclass(frozen=True, slots=True)
class Rules(MailCommand):
    """``rules [WORD]``: the clauses about a word, a clause's id, or an overview where nothing is named."""

    word: str = ""


@dataclass(frozen=True, slots=True)
class ShowOrders(MailCommand):
    """``orders``: my answers and held orders that may still be replaced."""


@dataclass(frozen=True, slots=True)
class ShowDeals(MailCommand):
    """``deals``: what I have agreed on with others, and what became of it."""


@dataclass(frozen=True, slots=True)
class Cancel(MailCommand):
    """``cancel [LINE]``: take back one order (as it was written) or, with an empty line, all of them."""

    line: str = ""


@dataclass(frozen=True, slots=True)
class Help(MailCommand):
    """``help [WORD]``: how orders are written."""

    word: str = ""


@dataclass(frozen=True, slots=True)
class Press(MailCommand):
    """``press to WHOM: TEXT``; an empty ``to`` is everybody, without those in ``but``. ``signed`` None is as the game
    has it; ``shown`` is whom the letter is to name as its readers, empty for everybody, None for the true ones."""

    to: tuple[Faction, ...]
    text: str
    but: tuple[Faction, ...] = ()
    signed: bool | None = None
    shown: tuple[Faction, ...] | None = None


@dataclass(frozen=True, slots=True)
class PressReply(MailCommand):
    """Words without an order in answer to a letter with another player's: for ``to`` alone, None where nobody is told
    who wrote that. ``doubtful``: it may have been meant as an order, perhaps as one of ``orders``; ``alone``: nobody
    else got that letter."""

    to: Faction | None
    text: str
    orders: tuple[str, ...] = ()
    doubtful: bool = False
    alone: bool = True


@dataclass(frozen=True, slots=True)
class PressToNobody(MailCommand):
    """``press: TEXT``: words without a reader, which nobody gets."""

    text: str


@dataclass(frozen=True, slots=True)
class PressWithoutEnd(MailCommand):
    """Press whose words begin below its first line and have no end (``bot.language.lines``)."""

    text: str


@dataclass(frozen=True, slots=True)
class SendAnyway(MailCommand):
    """``send anyway``: the press that waits for a second thought goes out."""


@dataclass(frozen=True, slots=True)
class Report(MailCommand):
    """``report N[: TEXT]``: the game master is shown the press of that number, as it was written."""

    number: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class FalseReaders(MailCommand):
    """``false readers yes|no``: whether letters may name other readers than they have, where all players agree."""

    agreed: bool


@dataclass(frozen=True, slots=True)
class ArchivePress(MailCommand):
    """``archive press yes|no``: whether the archive may show my private press, where it shows any."""

    shown: bool


@dataclass(frozen=True, slots=True)
class PressToGameMaster(MailCommand):
    """``press to gm: TEXT``: words for the game master alone."""

    text: str


@dataclass(frozen=True, slots=True)
class Absent(MailCommand):
    """``absent FROM to TO``, both days included."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class NoAbsence(MailCommand):
    """``no absence``: takes back the days of absence that are still to come."""


@dataclass(frozen=True, slots=True)
class Waking(MailCommand):
    """``waking HH:MM to HH:MM`` or ``waking all day``: the hours, on my clock, in which my time bank runs.

    ``hours`` is like "08:00-22:00"; empty for the whole day.
    """

    hours: str


@dataclass(frozen=True, slots=True)
class Letters(MailCommand):
    """``letters all|wanted|daily``: which letters I get besides answers to my mails."""

    mode: LettersMode


@dataclass(frozen=True, slots=True)
class TimeZone(MailCommand):
    """``timezone ZONE``: whose clock my letters show, by its IANA name."""

    zone: str


@dataclass(frozen=True, slots=True)
class Extend(MailCommand):
    """``extend HOURS``: asks for that much more time."""

    hours: int


@dataclass(frozen=True, slots=True)
class Resign(MailCommand):
    """``resign``"""


@dataclass(frozen=True, slots=True)
class ShowAddresses(MailCommand):
    """``address``: the mail addresses by which I am known."""


@dataclass(frozen=True, slots=True)
class AddAddress(MailCommand):
    """``address add ADDRESS``: asks for a further address; it counts when a code was answered from there."""

    address: str


@dataclass(frozen=True, slots=True)
class UseAddress(MailCommand):
    """``address use ADDRESS``: my letters go to this one of my addresses."""

    address: str


@dataclass(frozen=True, slots=True)
class RemoveAddress(MailCommand):
    """``address remove ADDRESS``: this one is mine no longer."""

    address: str


@dataclass(frozen=True, slots=True)
class ShowArchiveName(MailCommand):
    """``archive``: under which name I stand in the archive, and what it shows of this game."""


@dataclass(frozen=True, slots=True)
class ArchiveName(MailCommand):
    """``archive name NAME``: I stand under this name in the archive, in all my games; empty for none."""

    name: str


@dataclass(frozen=True, slots=True)
class ArchiveListed(MailCommand):
    """``archive listed yes|no``: whether I stand in the archive's list of players."""

    listed: bool


@dataclass(frozen=True, slots=True)
class ShowRating(MailCommand):
    """``rating``: my rating and my reliability."""


@dataclass(frozen=True, slots=True)
class RatingPrivate(MailCommand):
    """``rating private|public``: whether I stand in the public list of ratings."""

    private: bool


@dataclass(frozen=True, slots=True)
class ShowForum(MailCommand):
    """``forum``: where the thread of the game is, and which account posts for me."""


@dataclass(frozen=True, slots=True)
class ForumName(MailCommand):
    """``forum name NAME``: the account of this name in the forum of the game is mine; it shows so by a code."""

    name: str


@dataclass(frozen=True, slots=True)
class ForumOff(MailCommand):
    """``forum off``: no account of the forum posts for me any more."""


@dataclass(frozen=True, slots=True)
class AskForSitter(MailCommand):
    """``sitter ADDRESS until DATE``: let whoever has this address sit in for me until the end of that day, if the game
    master agrees."""

    address: str
    until: date


@dataclass(frozen=True, slots=True)
class SitterOff(MailCommand):
    """``sitter off``: nobody sits in for me any more; from a sitter: I sit in no more."""


@dataclass(frozen=True, slots=True)
class Freeze(MailCommand):
    """``freeze``: somebody else tried to write for me; my reply address is replaced."""
