"""A seat: a player's place at a table, and what Mentat has to remember of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from rules.components import Faction


@dataclass(slots=True)
class Seat:
    """A player of a game as the moderator knows them. Its fields are columns of the database, where an empty text or a
    0 stands for what a seat of an older Mentat did not have."""

    faction: Faction
    dot: int
    address: str
    name: str
    timezone: str
    token: str  # in the address to which they reply
    bounce_token: str  # in the envelope sender of their letters
    generation: int = 0  # of both tokens
    told: int = 0  # how many events of the game they have been told of
    letters: int = 0  # how many letters were written to this seat: numbers their Message-IDs
    letters_mode: str = "all"  # which letters they want: all, wanted, daily (``bot.table.rounds``)
    digest_due: datetime | None = None  # when a daily letter comes with what waits for it; None when nothing does
    last_message_id: str = ""  # of the last letter, for threading
    unreachable: bool = False
    waking: str = ""  # the hours in which their time bank runs, like "08:00-22:00" at their place; empty: the whole day
    bank: int = 0  # minutes left in their time bank
    extended: int = 0  # hours of extension that they have asked for and got
    away: int = 0  # days of absence announced
    missed: int = 0  # deadlines missed in a row
    care: bool = False  # the caretaker plays for them
    called: str = ""  # the last call for sheets that they have answered
    warned: str = ""  # a digest of the press held back until they send it again (``bot.moderator.press_mail``)
    undelivered: int = 0  # points for mail to them that came back lately (``bot.games.silent_players``)
    undelivered_at: datetime | None = None  # when the last of it did
    unreachable_since: datetime | None = None
    waits_until: datetime | None = None  # until when their duties wait for them while they are unreachable
    waited: int = 0  # minutes for which they waited in this game when they were unreachable before
    lent: int = 0  # and this time
    fruitless: int = 0  # mails in a row of which nothing could be taken
    warned_at: datetime | None = None  # when they were last told that somebody else tried to write for them
    board: str = ""  # what the last picture of the board showed them (``bot.render.picture.board_digest``)
    drawn: int = 0  # how many events of the game the pictures that came without being asked for have shown them
    asked_by_desk: str = ""  # the letter with a question of the game master, until it is answered
    sitter: str = ""  # the address of whoever sits in for them, "" for nobody
    sitter_name: str = ""
    sitter_token: str = ""  # in the address to which the sitter replies
    sitter_until: datetime | None = None  # when that ends
    sittings: int = 0  # how many there were: of each token one
    pictures: str = ""  # how they want the board drawn, like "full dark"; empty: as it is drawn for everybody

    def sat_in_for(self, now: datetime) -> bool:
        """Whether somebody sits in for them at this instant."""
        return bool(self.sitter) and self.sitter_until is not None and now < self.sitter_until
