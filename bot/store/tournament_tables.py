"""The tables of tournaments and ratings, one class a table (``bot.store.tables`` has those of games).

What was decided is only added to: results supersede each other, acts and tenures are never changed. The other rows say
how things stand now.
"""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from bot.store.database import Day, Instant, InstantOrEmpty


class TournamentRow(SQLModel, table=True):
    """A tournament. ``settings`` is the file as it was entered, ``settings_digest`` its SHA-256 when it was frozen;
    ``secret`` is sealed until the end, ``commitment`` its SHA-256, published at once. ``until``: when entries close.
    ``digest_on``: the day of the last letter to its organisers. ``revision`` counts the transactions that changed
    it."""

    __tablename__ = "tournament"

    id: str = Field(primary_key=True)
    title: str
    settings: str
    settings_digest: str
    state: str = Field(default="draft", index=True)
    commitment: str
    secret: str
    beacon: str = ""
    token: str = Field(index=True, unique=True)
    created_at: datetime = Field(sa_type=Instant)
    opened_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    until: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    finished_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    digest_on: date | None = Field(default=None, sa_type=Day)
    acts: int = 0
    revision: int = 0


class TournamentRightRow(SQLModel, table=True):
    """Who may do what: director, arbiter, clerk, auditor, or deputy (a director once the others have vanished). Letters
    to them bring back the ``token``."""

    __tablename__ = "tournament_right"

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    address: str = Field(primary_key=True)
    right: str
    token: str = Field(index=True, unique=True)
    since: datetime = Field(sa_type=Instant)


class EntrantRow(SQLModel, table=True):
    """Somebody who takes part. ``number`` is what their handle says, and their place in the order of entries; numbers
    are never used again. ``shown``: they agreed that their ``name`` is published. ``code`` confirms an entry once,
    until ``code_until`` and after at most five wrong ``guesses``. ``rating`` and ``reliability`` are as they were when
    they entered. ``hours``: their waking hours in UTC as a mask of 24 bits. ``conduct`` is the SHA-256 of the text that
    they accepted, ``connections`` what they declared. ``digest_due``: when their letter of the day is due.
    ``bounce_token`` stands in the envelope sender of their letters; ``undelivered``: how much letters that came back
    since ``undelivered_at`` say of their mailbox (``bot.games.silent_players``)."""

    __tablename__ = "entrant"
    __table_args__ = (Index("ix_entrant_address", "address"),)

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    number: int = Field(primary_key=True)
    handle: str
    address: str
    name: str = ""
    shown: bool = False
    state: str = "entered"
    standby: bool = False
    code: str = Field(default="", index=True)
    code_until: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    guesses: int = 0
    token: str = Field(index=True, unique=True)
    entered_at: datetime = Field(sa_type=Instant)
    confirmed_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    timezone: str = "UTC"
    hours: int = 0
    rating: str = ""
    reliability: str = ""
    conduct: str = ""
    connections: str = ""
    no_show: bool = False
    digest_due: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    bounce_token: str = Field(index=True, unique=True)
    undelivered: int = 0
    undelivered_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)


class ApartRow(SQLModel, table=True):
    """Two entrants, by number, the smaller first, who are never seated together. ``shown``: both agreed that this is
    published."""

    __tablename__ = "apart"

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    one: int = Field(primary_key=True)
    other: int = Field(primary_key=True)
    why: str = ""
    shown: bool = False


class RoundRow(SQLModel, table=True):
    """A round. ``draw`` is its ``bot.competition.published.DrawRecord`` as JSON, empty before it was drawn;
    ``noticed_at`` when its tables were told their last turn; ``hidden_turn`` is not used, and 0 (the last turn of
    each table follows from the secret of the tournament)."""

    __tablename__ = "tournament_round"

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    number: int = Field(primary_key=True)
    kind: str
    state: str = "planned"
    opens: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    ends: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    noticed_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    hidden_turn: int = 0
    draw: bytes = b""


class TournamentTableRow(SQLModel, table=True):
    """A table of a round, and its game once it has begun. ``deadline`` is its own end, where that differs from the
    round's; ``last_turn`` what it was told, 0 before. ``still_since``: since when its game stands still (its clocks are
    stopped, or it waits for rules that play it as before), which is given back when it goes on."""

    __tablename__ = "tournament_table"

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    round: int = Field(primary_key=True)
    number: int = Field(primary_key=True)
    game_id: str = Field(default="", index=True)
    size: int
    state: str = Field(default="planned", index=True)
    deadline: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    last_turn: int = 0
    still_since: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)


class TenureRow(SQLModel, table=True):
    """Who holds a seat from which turn on (``number`` counts the tenures of one seat). ``entrant`` is their number, 0
    for nobody (a caretaker). ``dot`` is the seat; ``faction`` is "" until it is known. ``last`` is the last turn, 0
    while they sit there. ``since``: from when on they are waited for, empty for since the game began.
    ``spice``: how much more than its faction has they begin with (less, if below 0), by a trade."""

    __tablename__ = "tenure"

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    round: int = Field(primary_key=True)
    table: int = Field(primary_key=True)
    dot: int = Field(primary_key=True)
    number: int = Field(default=0, primary_key=True)
    faction: str = ""
    entrant: int = Field(index=True)
    first: int = 1
    last: int = 0
    why: str = "seated"
    resigned: bool = False
    ordered: bool = False
    price: int = 0
    spice: int = 0
    since: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)


class ResultRow(SQLModel, table=True):
    """A version of the result of a table; the highest counts. ``outcome`` is a TableOutcome
    (``bot.competition.outcomes``) as JSON; ``stands_at`` is when nobody may protest against it any more."""

    __tablename__ = "tournament_result"

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    round: int = Field(primary_key=True)
    table: int = Field(primary_key=True)
    version: int = Field(primary_key=True)
    state: str = "provisional"
    outcome: bytes
    by: str = ""
    why: str = ""
    at: datetime = Field(sa_type=Instant)
    stands_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)


class TournamentActRow(SQLModel, table=True):
    """What was done to a tournament: by whom (an address, "" for the calendar) with which right, the command, what it
    says in words, and why. ``audience`` is all, entrants or directors; from ``opens_at`` on it is all's, empty for
    never before the end."""

    __tablename__ = "tournament_act"

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    number: int = Field(primary_key=True)
    at: datetime = Field(sa_type=Instant)
    who: str = ""
    right: str = ""
    command: str
    words: str = ""
    why: str = ""
    audience: str = "all"
    opens_at: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)


class PaperRow(SQLModel, table=True):
    """Something that an entrant filed, or that they are asked: preferences, worths, a choice of two cards, a swap, an
    invitation, a vote, a protest. It is sealed: nobody else is shown it before it is opened. ``state``: open, answered,
    refused, gone."""

    __tablename__ = "paper"
    __table_args__ = (Index("ix_paper_due", "state", "until"),)

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: str = Field(index=True, foreign_key="tournament.id")
    entrant: int
    kind: str
    round: int = 0
    table: int = 0
    words: str = ""
    at: datetime = Field(sa_type=Instant)
    until: datetime | None = Field(default=None, sa_type=InstantOrEmpty, nullable=False)
    state: str = "open"


class RatedPersonRow(SQLModel, table=True):
    """A person who has a rating. ``address`` is any of theirs; once they were deleted it says no more than that and
    their number. ``private``: not in the public list."""

    __tablename__ = "rated_person"

    id: int | None = Field(default=None, primary_key=True)
    address: str = Field(index=True)
    name: str = ""
    private: bool = False


class RatingRow(SQLModel, table=True):
    """What a rated game did to a rating, as decimals. It is recomputed from the results: ``number`` is the place of the
    game in the order in which games ended. A seat that was left early has a row for each who is rated for it."""

    __tablename__ = "rating"

    game_id: str = Field(primary_key=True)
    faction: str = Field(primary_key=True)
    person: int = Field(primary_key=True, index=True, foreign_key="rated_person.id")
    number: int = Field(index=True)
    before: str
    after: str
    scored: str
    expected: str
    k: str
    faction_before: str
    faction_after: str


class DutyCountRow(SQLModel, table=True):
    """How many duties somebody had in a game, and how many of them they answered in time. ``address`` is what they had
    then."""

    __tablename__ = "duty_count"

    game_id: str = Field(primary_key=True, foreign_key="game.id")
    address: str = Field(primary_key=True)
    duties: int = 0
    on_time: int = 0


_tables = SQLModel.metadata.tables
TOURNAMENT = _tables["tournament"]
RIGHT = _tables["tournament_right"]
ENTRANT = _tables["entrant"]
APART = _tables["apart"]
ROUND = _tables["tournament_round"]
TABLE = _tables["tournament_table"]
TENURE = _tables["tenure"]
RESULT = _tables["tournament_result"]
TOURNAMENT_ACT = _tables["tournament_act"]
PAPER = _tables["paper"]
RATED_PERSON = _tables["rated_person"]
RATING = _tables["rating"]
DUTY_COUNT = _tables["duty_count"]
