"""The input of letters: plain values from the moderator, all of which the reader may see.

Nothing in this module has access to the full position. `view` is the result of `rules.views.view` for the reader,
`news` are the events that the reader may see, and a question contains only facts that the player asked may know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec

from bot.mail.outgoing import Attachment
from rules.components import Faction
from rules.components.board import TerritoryId
from rules.components.terms import Edition
from rules.state.events import Viewer


class Reader(msgspec.Struct, frozen=True):
    """The reader of a letter: a faction's player, or the public. `reply_to` is the address for orders. It contains the
    reply token; if the mail provider does not support plus addresses, the `tag` in the subject contains it instead."""

    viewer: Viewer
    name: str
    zone: ZoneInfo
    reply_to: str = ""
    tag: str = ""


class News(msgspec.Struct, frozen=True):
    """An event as the reader may see it: `facts` are public, and `mine` are known only to the reader."""

    turn: int
    phase: str
    kind: str
    facts: Mapping[str, Any]
    mine: Mapping[str, Any]


class AnswerWanted(msgspec.Struct, frozen=True):
    """A question that the reader still has to answer. `default` and `choices` are orders in canonical words. `answered`
    holds the orders that they have given so far and may still replace."""

    kind: str
    subject: str
    about: Mapping[str, Any]
    due: datetime | None
    default: str
    choices: tuple[str, ...]
    answered: tuple[str, ...] = ()


class Duty(msgspec.Struct, frozen=True):
    """Another player's duty that everybody may know about. `faction` is None for reactions, which anybody may have.
    `later` means that the answer takes longer than usual; nobody must learn how long."""

    faction: Faction | None
    kind: str
    due: datetime | None
    later: bool = False


class Auction(msgspec.Struct, frozen=True):
    """The public bidding on the card now for sale: the last bid of each faction, the highest first, and the factions
    that have passed since then."""

    bids: Sequence[tuple[Faction, int | None]]  # None: by a Karama, over every number
    passed: Sequence[Faction]


class SheetCall(msgspec.Struct, frozen=True):
    """A round (`data/tempos.toml`) that begins with a call for every player's sheet. `due` is None while the clocks are
    stopped. `fights` lists the reader's battles, each as territory and opponent, or is None if there are none."""

    round: str
    due: datetime | None
    fights: tuple[tuple[TerritoryId, Faction], ...] | None = None


class LineVerdict(msgspec.Struct, frozen=True):
    """The verdict on one line of a mail: accepted, held, refused, not understood ("unread"), or not meant as an order
    ("talk", such as a greeting).

    `canonical` is the order in canonical words. `clause` and `rule` are the id and the words of the clause that a
    refusal cites. `suggestions` are lines that would be right: all of them in one mail if `together`, else any of them.
    `kept` says how long a sheet line stays in force.
    """

    text: str
    status: Literal["accepted", "held", "refused", "unread", "done", "talk"]
    canonical: str = ""
    reason: str = ""
    clause: str = ""
    rule: str = ""
    suggestions: tuple[str, ...] = ()
    kept: str = ""
    together: bool = False


class CommandAnswer(msgspec.Struct, frozen=True):
    status: Literal["done", "refused"]
    text: str
    for_game_master: str = ""
    ready: tuple[str, ...] = ()  # lines with which the game master grants it


class Pages(msgspec.Struct, frozen=True):
    rules: str = ""
    help: str = ""
    archive: str = ""


class Revelation(msgspec.Struct, frozen=True):
    """The secrets that are revealed when the game is over. All except the prediction are listed by faction."""

    hands: Mapping[Faction, Sequence[str]]
    traitors: Mapping[Faction, Sequence[str]]
    captives: Mapping[Faction, Sequence[str]]
    prediction: Mapping[str, Any] | None
    dancers: Mapping[Faction, Sequence[str]] = {}

    @classmethod
    def of(cls, players: Mapping[Faction, Mapping[str, Any]], known: Mapping[Faction, Mapping[str, Any]]) -> Revelation:
        return cls(
            hands={faction: player["hand"] for faction, player in players.items()},
            traitors={faction: own["traitors"] for faction, own in known.items()},
            captives={faction: tuple(own["captured"]) for faction, own in known.items()},
            dancers={faction: player.get("face_dancers") or () for faction, player in players.items()},
            prediction=next((own["prediction"] for own in known.values() if own["prediction"]), None),
        )


class RecordHead(msgspec.Struct, frozen=True):
    """The record of the game as a letter describes it.

    `head` is the SHA-256 of the record's last line at the end of the last phase or, in the last letter, at the end of
    the game. `file` is the name under which the last letter attaches the record; `digest` is the SHA-256 of the
    unpacked file.
    """

    head: str = ""
    file: str = ""
    digest: str = ""

    @property
    def short(self) -> str:
        return self.head[:16]


class Party(msgspec.Struct, frozen=True):
    factions: tuple[Faction, ...]  # that win together: one alone, or allies
    holds: int
    needs: int


class Position(msgspec.Struct, frozen=True):
    """Everything that a letter about a game shows its reader.

    `view` is the position as the reader may see it; `secrets` holds their private knowledge (traitors, prediction,
    captives). `held` are their orders kept for later, in canonical words. `form_code` is the one-time code of the form
    in this letter. `call` is the open call for sheets. If the reader has answered a call, `goes_on` is the latest time
    at which the round of that call continues. `stopped` is true if the game's clocks are stopped. `cared_for` are the
    factions that the caretaker plays, and `opponents` those that Mentat plays permanently, each with its temperament.

    `sheet` are the active lines of their sheet. `remarks` explain why some of these lines could not act since the last
    letter. `taken` are orders from their mails that no letter has confirmed yet. `settles` lists the questions that
    their sheet will answer. `background` are earlier public events needed to explain the news: for a turn, who held
    which stronghold before it; for the last letter, the events of the whole game. `race` shows how near everybody was
    to victory at the end of that turn. If a turn has ended since the last letter, `ended` is the public position at its
    end, and this letter also contains the turn's summary. `revealed` and `seed` are set once the game is over. `again`
    is a prepared mail that asks for another game with the same people.
    """

    game_id: str
    ruleset: str
    reader: Reader
    now: datetime
    view: Mapping[str, Any]
    secrets: Mapping[str, Any]
    news: tuple[News, ...] = ()
    wanted: tuple[AnswerWanted, ...] = ()
    waiting: tuple[Duty, ...] = ()
    held: tuple[str, ...] = ()
    sheet: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    settles: str = ""
    call: SheetCall | None = None
    auction: Auction | None = None
    goes_on: datetime | None = None
    stopped: bool = False
    cared_for: tuple[Faction, ...] = ()
    opponents: Mapping[Faction, str] = {}
    opponent_minutes: float = 0  # after which they answer
    form_code: str = ""
    commitment: str = ""
    seed: str = ""
    revealed: Revelation | None = None
    background: tuple[News, ...] = ()
    race: tuple[Party, ...] = ()
    ended: Position | None = None
    again: str = ""
    pages: Pages = Pages()
    tempo: str = ""  # the description of the tempo, for the first letter
    options: Mapping[str, str | int | bool] = {}  # the options that differ from the rule set
    rules: Mapping[str, Any] = {}  # for the first letter: all options, and what it takes to win
    banks: Mapping[Faction, int] = {}  # minutes in the time banks, if the game has any
    players: Mapping[Faction, str] = {}  # the names that players chose
    edition: Edition = "1979"  # the edition whose terms the letter uses
    title: str = ""  # of the rule set
    record: RecordHead = RecordHead()
    event: str = ""  # its table of a tournament and the end of the round, for the first letter
    archive: tuple[str, ...] = ()  # lines about the archive, for the first letter
    forum: tuple[str, ...] = ()  # lines about the thread in a forum, if there is one
    press: tuple[str, ...] = ()  # lines about the press, if it has limits

    @property
    def seats(self) -> list[Faction]:  # in the order of their dots
        players = self.view["players"]
        return sorted(players, key=lambda faction: players[faction]["dot"])


class PressReceived(msgspec.Struct, frozen=True):
    """Another player's words to the reader.

    `sender` is None if the words are not signed. `readers` are the other readers that the letter names, unless it went
    `to_all`. The reader cites `number` to report the words. `copied` is true if the game master reads the players'
    press, and `answerable` if a reply to the letter will reach the sender.
    """

    sender: Faction | None
    words: str
    number: int
    readers: tuple[Faction, ...] = ()
    to_all: bool = False
    copied: bool = False
    answerable: bool = False


class Rendering(msgspec.Struct, frozen=True):
    """A letter in text and HTML with the same content.

    `form` are the lines of its form, as they are sent. `picture` is a PNG if the letter shows the board
    (`letters.with_picture`). `told` is true if the letter contains the news; otherwise the news waits for the next
    letter. `confirms` is true if it confirms orders accepted from earlier mails. `files` are its attachments.
    """

    subject: str
    text: str
    html: str
    form: tuple[str, ...] = ()
    picture: bytes | None = None
    told: bool = True
    confirms: bool = False
    files: tuple[Attachment, ...] = ()
