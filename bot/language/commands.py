"""Commands about the mail itself rather than the game, each as a small value."""

from __future__ import annotations

from datetime import date
from typing import Literal

import msgspec

from bot.press import VotedHow
from rules.components import Faction
from rules.components.board import TerritoryId

LettersMode = Literal["all", "wanted", "daily"]
"""Which letters a player gets apart from answers to their mails. "wanted": only letters that need an action, with all
news since the last one. "daily": one letter a day, and urgent letters at once."""


class MailCommand(msgspec.Struct, frozen=True):
    """Base class of all commands about the mail. None of them changes anything in the game."""


class Status(MailCommand, frozen=True):
    pass


class ShowMap(MailCommand, frozen=True):
    """`map [LOOK]`: send a picture of the board, now and with later letters, in this look (`names`, `codes`, `dark`,
    `light`)."""

    look: str = ""


class History(MailCommand, frozen=True):
    pass


class ExplainBattle(MailCommand, frozen=True):
    """`explain battle [in TERRITORY]`: explain how the outcome of the player's latest battle was calculated."""

    territory: TerritoryId | None = None


class Rules(MailCommand, frozen=True):
    """`rules [WORD]`: send the clauses that contain a word, or the clause with this id; without a word, send an
    overview."""

    word: str = ""


class ShowOrders(MailCommand, frozen=True):
    pass


class ShowDeals(MailCommand, frozen=True):
    pass


class Cancel(MailCommand, frozen=True):
    """`cancel [LINE]`: withdraw the order that reads exactly like this line; with an empty `line`, withdraw all
    orders."""

    line: str = ""


class Help(MailCommand, frozen=True):
    word: str = ""


class Press(MailCommand, frozen=True):
    """`press to WHOM: TEXT`. An empty `to` means everybody except the factions in `but`. If `signed` is None, the
    game's setting decides whether the letter is signed. `shown` lists the readers that the letter claims to have: an
    empty tuple means everybody, and None means the true readers."""

    to: tuple[Faction, ...]
    text: str
    but: tuple[Faction, ...] = ()
    signed: bool | None = None
    shown: tuple[Faction, ...] | None = None


class PressReply(MailCommand, frozen=True):
    """A reply to another player's press that contains no order.

    It goes only to `to`, which is None if the game hides who wrote that press. `doubtful` is true if the reply may have
    been meant as an order, perhaps as one of `orders`. `alone` is true if the press that it answers was sent only to
    the player who now replies.
    """

    to: Faction | None
    text: str
    orders: tuple[str, ...] = ()
    doubtful: bool = False
    alone: bool = True


class PressToNobody(MailCommand, frozen=True):
    """`press: TEXT`: press that names no reader, so nobody gets it."""

    text: str


class PressWithoutEnd(MailCommand, frozen=True):
    """Press whose text begins below its first line and which lacks the closing `end press` (see
    `bot.language.lines`)."""

    text: str


class SendAnyway(MailCommand, frozen=True):
    """`send anyway`: send the press that Mentat held back until the player confirms it."""


class Report(MailCommand, frozen=True):
    """`report N[: TEXT]`: show press number N to the game master in its original wording, with the reason TEXT."""

    number: int
    why: str = ""


class FalseReaders(MailCommand, frozen=True):
    """`false readers yes|no`: does the player agree that letters may name readers other than the real ones? This needs
    the consent of all players."""

    agreed: bool


class ArchivePress(MailCommand, frozen=True):
    """`archive press yes|no`: may the archive show this player's private press, if it shows any private press?"""

    shown: bool


class PressToGameMaster(MailCommand, frozen=True):
    text: str


class Absent(MailCommand, frozen=True):
    """`absent FROM to TO [ZONE]`: the player is away from `first` to `last`, inclusive."""

    first: date
    last: date
    zone: str = ""


class NoAbsence(MailCommand, frozen=True):
    """`no absence`: withdraw all future days of absence."""


class Waking(MailCommand, frozen=True):
    """`waking HH:MM to HH:MM [ZONE]` or `waking all day`: the hours of the day in which the player's time bank runs.
    `hours` is written like "08:00-22:00", and empty for the whole day."""

    hours: str
    zone: str = ""


class Letters(MailCommand, frozen=True):
    mode: LettersMode


class Receipts(MailCommand, frozen=True):
    wanted: bool


class TimeZone(MailCommand, frozen=True):
    """`timezone ZONE`: the time zone that the player's letters use, written as `bot.config.time_zones` stores it."""

    zone: str


class Extend(MailCommand, frozen=True):
    hours: int


class Resign(MailCommand, frozen=True):
    pass


class VoteOnCaretaker(MailCommand, frozen=True):
    """`caretaker FACTION HOW|no`: vote on who plays a seat that its player has left: the caretaker (`careful`), or a
    computer opponent that is `steady` or `sharp`. An empty `how` is a vote against the current proposal."""

    faction: Faction
    how: VotedHow


class ShowAddresses(MailCommand, frozen=True):
    pass


class AddAddress(MailCommand, frozen=True):
    """`address add ADDRESS`: ask to add a further address. It counts once a code mailed to that address has been sent
    back from it."""

    address: str


class UseAddress(MailCommand, frozen=True):
    address: str


class RemoveAddress(MailCommand, frozen=True):
    address: str


class ShowArchiveName(MailCommand, frozen=True):
    pass


class ArchiveName(MailCommand, frozen=True):
    """`archive name NAME`: the name under which the archive shows the player in all their games; empty for none."""

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
    """`forum name NAME`: link this forum account to the player, once a code has proved that the account is theirs."""

    name: str


class ForumOff(MailCommand, frozen=True):
    pass


class AskForSitter(MailCommand, frozen=True):
    """`sitter ADDRESS until DATE`: let the owner of this address play in the player's place until the end of that day.
    The game master must agree."""

    address: str
    until: date


class SitterOff(MailCommand, frozen=True):
    """`sitter off`: end the sitting. Both the player and the sitter can send it."""


class Freeze(MailCommand, frozen=True):
    """`freeze`: replace the player's reply address, because somebody else has tried to write in the player's name."""
