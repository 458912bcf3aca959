"""A seat: a player's place at a table, and what Mentat must remember about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rules.components import Faction


@dataclass(slots=True)
class Seat:
    """A player of a game as the moderator knows them. Its fields are columns of the database. An empty text or 0
    stands for what a seat of an older Mentat did not have."""

    faction: Faction
    dot: int
    address: str
    name: str
    timezone: str
    token: str  # in their reply address
    bounce_token: str  # in the envelope sender of their letters
    generation: int = 0  # of both tokens
    told: int = 0  # events of the game that letters have told them
    letters: int = 0  # letters written to this seat; numbers their Message-IDs
    letters_mode: str = "all"  # which letters they want: all, wanted, daily (``bot.table.rounds``)
    digest_due: datetime | None = None  # when the daily letter is due; None if it would be empty
    last_message_id: str = ""  # of the last letter, for threading
    conversation: str = ""  # the Message-ID of the first letter of the turn
    conversation_turn: int = 0
    receipts: bool = False  # they want an answer to every mail at once
    taken: Sequence[str] = ()  # orders taken from their mails, not yet confirmed by a letter
    receipt_due: datetime | None = None  # when they are confirmed in a letter of their own, unless another comes first
    unreachable: bool = False
    waking: str = ""  # local hours in which their time bank runs, like "08:00-22:00"; empty for all day
    bank: int = 0  # minutes left in their time bank
    extended: int = 0  # hours of extension granted at their request
    away: int = 0  # days of absence announced
    missed: int = 0  # consecutive deadlines missed
    care: bool = False  # the caretaker plays for them
    called: str = ""  # the last call for sheets that they answered
    warned: str = ""  # digest of the press letter held until they send it again (``bot.moderator.press_mail``)
    undelivered: int = 0  # points for recent bounces (``bot.games.silent_players``)
    undelivered_at: datetime | None = None  # when the last mail bounced
    unreachable_since: datetime | None = None
    waits_until: datetime | None = None  # until when their duties wait because mail does not reach them
    waited: int = 0  # minutes for which their duties waited in this game before
    lent: int = 0  # minutes for which they wait this time
    fruitless: int = 0  # consecutive mails without a usable line
    warned_at: datetime | None = None  # when Mentat last warned them of another person writing in their name
    board: str = ""  # digest of the last picture that they got (``bot.render.picture.board_digest``)
    drawn: int = 0  # events of the game shown in pictures sent unasked
    asked_by_desk: str = ""  # the letter with the game master's open question
    sitter: str = ""  # the address of their sitter, or ""
    sitter_name: str = ""
    sitter_token: str = ""  # in the sitter's reply address
    sitter_until: datetime | None = None  # when the sitting ends
    sittings: int = 0  # sittings so far: each has its own token
    opponent: str = ""  # the temperament with which Mentat plays the seat while it is in care; "" for the caretaker's
    pictures: str = ""  # their settings for pictures of the board, like "full dark"; empty for the default

    @property
    def has_player(self) -> bool:
        """Return whether a person holds the seat; if not, Mentat plays it for good, and nobody gets its letters."""
        return bool(self.address)

    @property
    def tokens(self) -> list[str]:
        return [self.token, self.sitter_token]

    def sat_in_for(self, now: datetime) -> bool:
        return bool(self.sitter) and self.sitter_until is not None and now < self.sitter_until
