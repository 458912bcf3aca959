"""What a letter is made from: plain values that the moderator hands over, all of them fit for the reader's eyes.

Nothing here reaches the full position. ``view`` is ``rules.views.view`` for the reader, ``news`` the events that they
may see, and the questions hold only what the player who is asked may know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from rules.components import Faction
from rules.components.board import TerritoryId
from rules.components.terms import Edition
from rules.state.events import Viewer


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: a faction's player, or the public. ``reply_to`` is where their orders go. Their reply token is in that
    address, or where the mail provider knows no plus addresses, in the subject as ``tag``."""

    viewer: Viewer
    name: str
    zone: ZoneInfo
    reply_to: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class News:
    """An event as the reader may see it: the facts that all know and the ones that only they know."""

    turn: int
    phase: str
    kind: str
    facts: Mapping[str, Any]
    mine: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AnswerWanted:
    """A question that is open for the reader. ``default`` and ``choices`` are orders in canonical words;
    ``answered`` is what they have ordered so far, which they may still replace."""

    kind: str
    subject: str
    about: Mapping[str, Any]
    due: datetime | None
    default: str
    choices: tuple[str, ...]
    answered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Duty:
    """A duty of somebody else that all may know of; ``faction`` is None for reactions that are open to everybody."""

    faction: Faction | None
    kind: str
    due: datetime | None


@dataclass(frozen=True, slots=True)
class SheetCall:
    """A round (``data/tempos.toml``) for which everybody is asked for their sheet, and until when (None while the
    clocks are stopped). ``fights`` are the battles of the reader, where and against whom; None where there are none."""

    round: str
    due: datetime | None
    fights: tuple[tuple[TerritoryId, Faction], ...] | None = None


@dataclass(frozen=True, slots=True)
class LineVerdict:
    """What became of one line of a mail: accepted, held, refused, not understood ("unread"), or no order at all
    ("talk": a greeting).

    ``canonical`` is the order in canonical words; ``clause`` and ``rule`` are what a refusal rests on, its id and
    its words; ``suggestions`` are lines that would be right, all of them ``together`` or one of them. ``kept`` says how
    long a line of a sheet counts.
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


@dataclass(frozen=True, slots=True)
class Pages:
    """Addresses where a game master lets players read on; empty where there is none."""

    rules: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Revelation:
    """What was hidden until the game was over: hands, traitors, face dancers and captives by faction, and the
    prediction."""

    hands: Mapping[Faction, Sequence[str]]
    traitors: Mapping[Faction, Sequence[str]]
    captives: Mapping[Faction, Sequence[str]]
    prediction: Mapping[str, Any] | None
    dancers: Mapping[Faction, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordHead:
    """The record of the game as a letter tells of it: the ``head``, the SHA-256 of its last line, as it was when the
    last phase ended, or in the last letter at the end. There the record is attached as ``file``, whose SHA-256 unpacked
    is ``digest``."""

    head: str = ""
    file: str = ""
    digest: str = ""

    @property
    def short(self) -> str:
        """So much of the head as a public letter ends with."""
        return self.head[:16]


@dataclass(frozen=True, slots=True)
class Position:
    """Everything that a letter about a game shows its reader.

    ``view`` is the position as they may see it, ``secrets`` what only they know besides (traitors, prediction,
    captives), ``held`` their orders kept for later, in canonical words, ``form_code`` the one-time code of the form in
    this letter, ``call`` the call for sheets that waits for them, ``goes_on`` when at the latest the round goes on
    whose call is open and answered by them. ``stopped`` says that the clocks of the game stand still, ``cared_for`` for
    whom the caretaker plays.
    ``sheet`` are the active lines of their sheet, ``remarks`` what kept lines of it from acting since the last letter.
    ``background`` is what everybody was told before the news that helps to understand them: for a turn who held which
    stronghold before it, for the last letter how the game ended. ``revealed`` and ``seed`` are there once it is over.
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
    call: SheetCall | None = None
    goes_on: datetime | None = None
    stopped: bool = False
    cared_for: tuple[Faction, ...] = ()
    form_code: str = ""
    commitment: str = ""
    seed: str = ""
    revealed: Revelation | None = None
    background: tuple[News, ...] = ()
    pages: Pages = Pages()
    tempo: str = ""  # what is said of the tempo of the game, for the first letter
    options: Mapping[str, str | int | bool] = field(default_factory=dict)  # in what the game differs from its rule set
    banks: Mapping[Faction, int] = field(default_factory=dict)  # minutes in the time banks, where there are any
    players: Mapping[Faction, str] = field(default_factory=dict)  # the names of all players, where they gave them
    edition: Edition = "1979"  # whose words the letter uses
    title: str = ""  # of the rule set
    record: RecordHead = RecordHead()
    archive: tuple[str, ...] = ()  # what is said of the archive, for the first letter
    forum: tuple[str, ...] = ()  # of the thread in a forum, where there is one
    press: tuple[str, ...] = ()  # and of how players may write to each other, where that is not as they like


@dataclass(frozen=True, slots=True)
class PressReceived:
    """Another player's words for the reader. ``sender`` is None where they did not sign; ``readers`` are whom the
    letter names beside its reader, or nobody, or it went ``to_all``. ``number`` is by what its reader may report it,
    and ``copied`` that the game master reads what players write to each other. ``answerable``: words in answer to the
    letter go to the sender."""

    sender: Faction | None
    words: str
    number: int
    readers: tuple[Faction, ...] = ()
    to_all: bool = False
    copied: bool = False
    answerable: bool = False


@dataclass(frozen=True, slots=True)
class Rendering:
    """A letter in words: the same in text and HTML. ``form`` are the lines of its form, as sent. ``picture`` is a PNG
    for a letter that shows the board (``letters.with_picture``). ``told`` says whether it holds the news; those of a
    letter without them are for the next one."""

    subject: str
    text: str
    html: str
    form: tuple[str, ...] = ()
    picture: bytes | None = None
    told: bool = True
