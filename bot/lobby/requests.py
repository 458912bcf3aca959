"""Requests to the lobby, as values, and an open table as a viewer may see it.

`bot.lobby.reading` turns what people write into a request; `line_of` turns a request back into a line. So every button,
proposal and undo is a line that can be read.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

import msgspec

from rules.components import Faction

Kind = Literal["open", "private", "rematch", "ladder", "vacancy", "event", "practice"]
Starts = Literal["itself", "opener", "date"]
Factions = Literal["draw", "wishes", "auction"]
Newcomers = Literal["no", "one", "any"]
Letters = Literal["tables", "weekly"]


class Value(msgspec.Struct, frozen=True):
    pass


class OpenTable(Value, frozen=True):
    """A table that is forming, reduced to what its viewer may know. `taken` counts the seats that are taken, and `kept`
    the seats kept for invited people. `names` are the players who agreed to be named. `until` is when the table ends if
    it does not fill. If `starts` is "date", the table starts at `starts_at`. `keeper` is true if the person who runs
    this installation, and could read the seed, sits there."""

    id: str
    ruleset: str
    tempo: str
    size: int
    taken: int
    opened: datetime
    until: datetime
    kind: Kind = "open"
    title: str = ""
    fewest: int = 0  # the minimum number of players; 0 means that the table must be full
    names: tuple[str, ...] = ()
    opener: str = ""  # "" if the opener is not named
    starts: Starts = "itself"
    starts_at: datetime | None = None
    factions: Factions = "draw"
    newcomers: Newcomers = "any"
    opponents: bool = False  # computer opponents take the seats that stay empty
    rated: bool = True
    reliability: float = 0.0
    commitment: str = ""  # the SHA-256 of the seed of its draw
    revision: int = 0  # goes up with each change
    kept: int = 0
    keeper: bool = False

    @property
    def free(self) -> int:
        return max(0, self.size - self.taken - self.kept)

    @property
    def empty(self) -> int:
        return max(0, self.size - self.taken)


class Meant(Value, frozen=True):
    """The table that a person means: one id, several possible ones, or none. `words` is how the person named it, or ""
    if they did not."""

    tables: tuple[str, ...] = ()
    words: str = ""

    @property
    def table(self) -> str:
        """Return the id of the table if only one table can be meant, else ""."""
        return self.tables[0] if len(self.tables) == 1 else ""


NOT_NAMED = Meant()


class Filters(Value, frozen=True):
    ruleset: str = ""  # a rule set, or the beginning of several: "gf9"
    tempo: str = ""
    soon: bool = False  # sort by the fewest free seats, with dated tables before the others


class ListTables(Value, frozen=True):
    filters: Filters = Filters()


class Join(Value, frozen=True):
    """A request for a seat. `wishes` are written like the `preferences` in a tournament ("guild, emperor") or, if
    factions are sold, like its `bid`, in spice. `unknown` are the words that name no faction."""

    table: Meant = NOT_NAMED
    wishes: str = ""
    name: str = ""
    word: str = ""  # the password of a private table
    unknown: tuple[str, ...] = ()


NO_WORTHS = "FACTION 4, FACTION 2"


def are_worths(wishes: str) -> bool:
    """Return whether these wishes say how much spice factions are worth in an auction: "guild 4, emperor 2, * 1"."""
    return any(char.isdigit() for char in wishes)


def _verb_of(wishes: str) -> str:
    return "worths" if are_worths(wishes) else "wishes"


class Leave(Value, frozen=True):
    table: Meant = NOT_NAMED
    every: bool = False


class Wait(Value, frozen=True):
    table: Meant = NOT_NAMED
    wanted: bool = True


class StandBy(Value, frozen=True):
    wanted: bool = True
    filters: Filters = Filters()
    not_before: date | None = None


class Wish(Value, frozen=True):
    """Wishes, or a name, for a table where the writer sits or waits. The wishes `*` cancel earlier ones."""

    table: Meant = NOT_NAMED
    wishes: str = ""
    name: str = ""
    unknown: tuple[str, ...] = ()


class Open(Value, frozen=True):
    """A table to open. Settings that the person did not name are empty. ``like`` is an existing table whose settings
    should be copied. ``mistakes`` are sentences about impossible settings."""

    ruleset: str = ""
    tempo: str = ""
    most: int = 0
    fewest: int = 0
    by: date | None = None
    starts: Starts | Literal[""] = ""
    factions: Factions | Literal[""] = ""
    newcomers: Newcomers | Literal[""] = ""
    press: str = ""
    reliability: float | None = None
    opponents: bool | None = None
    private: bool | None = None
    rated: bool | None = None
    like: Meant = NOT_NAMED
    title: str = ""
    form: bool = False  # the writer named no settings: send the form
    mistakes: tuple[str, ...] = ()


class Invite(Value, frozen=True):
    table: Meant = NOT_NAMED
    addresses: tuple[str, ...] = ()


class Start(Value, frozen=True):
    """A request to start without waiting for more players. Computer opponents take the empty seats if the writer said
    so."""

    table: Meant = NOT_NAMED
    opponents: bool = False


class WaitUntil(Value, frozen=True):
    table: Meant = NOT_NAMED
    until: date | None = None


class Prolong(Value, frozen=True):
    table: Meant = NOT_NAMED


class Close(Value, frozen=True):
    table: Meant = NOT_NAMED


class Reply(Value, frozen=True):
    """A yes or no to an open question: a code, a check-in or an offered seat. Only buttons name the `table`."""

    yes: bool
    table: Meant = NOT_NAMED
    not_before: date | None = None  # "not before January" to an offer


class Confirm(Value, frozen=True):
    code: str = ""  # without one, the code in the address to which the mail was sent


class NotMe(Value, frozen=True):
    pass


class Rematch(Value, frozen=True):
    table: Meant = NOT_NAMED


class MyGames(Value, frozen=True):
    pass


class Stop(Value, frozen=True):
    letters: Letters = "tables"


class Weekly(Value, frozen=True):
    pass


class Calendar(Value, frozen=True):
    weekly: bool = False


class Practice(Value, frozen=True):
    ruleset: str = ""
    faction: Faction | Literal[""] = ""


class UseAddress(Value, frozen=True):
    """A request to send all letters to the address from which this mail came."""


class Help(Value, frozen=True):
    pass


class ToGameMaster(Value, frozen=True):
    text: str


Request = (
    ListTables
    | Join
    | Leave
    | Wait
    | StandBy
    | Wish
    | Open
    | Invite
    | Start
    | WaitUntil
    | Prolong
    | Close
    | Reply
    | Confirm
    | NotMe
    | Rematch
    | MyGames
    | Stop
    | Weekly
    | Calendar
    | Practice
    | UseAddress
    | Help
    | ToGameMaster
)


class Talk(Value, frozen=True):
    """Words without a request."""


class Dropped(Value, frozen=True):
    told: str  # the remark about a line that the mail itself withdrew


class Unread(Value, frozen=True):
    """A line that is nearly a request, or whose meaning is in doubt. `why` is a sentence that explains the doubt, and
    `suggestions` are lines that the writer can send instead."""

    why: str
    suggestions: tuple[str, ...] = ()


Line = Request | Talk | Dropped | Unread


class ReadMail(Value, frozen=True):
    """All lines of a mail after reading, each with its text. `told` gives the remarks to make about some of the lines.
    `options` are proposals that the writer can accept later with "yes". If nothing in the mail was understood, `near`
    are the lines most similar to it."""

    lines: tuple[tuple[str, Line], ...] = ()
    told: dict[str, str] = {}
    options: tuple[str, ...] = ()
    near: tuple[str, ...] = ()

    @property
    def requests(self) -> tuple[Request, ...]:
        return tuple(line for _, line in self.lines if not isinstance(line, Talk | Dropped | Unread))


def line_of(request: Request) -> str:
    """Write a request as a line that parses back to it.

    >>> line_of(Join(table=Meant(tables=("arrakeen-7",)), wishes="guild, emperor"))
    'join arrakeen-7 with guild, emperor'
    """
    match request:
        case ListTables(filters=filters):
            return _joined("games", *_filters(filters))
        case Join(table=meant, wishes=wishes, name=name, word=word):
            return _joined("join", meant.table, word, wishes and f"with {wishes}", name and f"as {name}")
        case Leave(table=meant, every=every):
            return _joined("leave", "all" if every else meant.table)
        case Wait(table=meant, wanted=wanted):
            return _joined("wait" if wanted else "wait off", meant.table)
        case StandBy(wanted=wanted, filters=filters, not_before=day):
            return _joined("standby" if wanted else "standby off", *_filters(filters), day and f"not before {day}")
        case Wish(table=meant, wishes=wishes, name=name):
            words = f"name {name}" if name else f"{_verb_of(wishes)} {wishes or 'FACTION, FACTION'}"
            return _joined(words, meant.table and f"at {meant.table}")
        case Open():
            return _open(request)
        case Invite(table=meant, addresses=addresses):
            return _joined("invite", *(addresses or ("ADDRESS",)), meant.table and f"to {meant.table}")
        case Start(table=meant, opponents=opponents):
            return _joined("start", meant.table, opponents and "with computers")
        case WaitUntil(table=meant, until=until):
            return _joined("hold", meant.table, until and f"until {until}")
        case Prolong(table=meant):
            return _joined("prolong", meant.table)
        case Close(table=meant):
            return _joined("close", meant.table)
        case Reply(yes=yes, table=meant, not_before=day):
            return _joined("yes" if yes else "no", meant.table, day and f"not before {day}")
        case Confirm(code=code):
            return _joined("confirm", code)
        case Rematch(table=meant):
            return _joined("rematch", meant.table)
        case Stop(letters=letters):
            return "stop weekly" if letters == "weekly" else "stop"
        case Calendar(weekly=weekly):
            return "calendar weekly" if weekly else "calendar"
        case Practice(ruleset=ruleset, faction=faction):
            return _joined("practice", ruleset, faction and f"as {faction}")
        case ToGameMaster(text=text):
            return f"question: {text}"
    return _BARE[type(request)]


_BARE: dict[type, str] = {
    NotMe: "not me",
    MyGames: "my games",
    Weekly: "weekly",
    UseAddress: "use this address",
    Help: "help",
}


def _joined(*parts: object) -> str:
    return " ".join(str(part) for part in parts if part)


def _filters(filters: Filters) -> tuple[str, ...]:
    return filters.ruleset, filters.tempo, "soon" if filters.soon else ""


_STARTS = {"itself": "starts by itself", "opener": "opener starts", "date": "starts on its date"}
_NEWCOMERS = {"no": "no newcomers", "one": "one newcomer", "any": "newcomers welcome"}


def _open(wanted: Open) -> str:
    players = f"{wanted.fewest}-{wanted.most}" if 0 < wanted.fewest < wanted.most else f"{wanted.most or ''}"
    said = [
        wanted.like.table and f"like {wanted.like.table}",
        wanted.ruleset,
        players and f"{players} players",
        wanted.tempo,
        wanted.by and f"starts by {wanted.by}",
        _STARTS.get(wanted.starts, ""),
        wanted.factions and f"factions by {wanted.factions}",
        _NEWCOMERS.get(wanted.newcomers, ""),
        wanted.press and f"press {wanted.press}",
        wanted.reliability is not None and f"reliability {wanted.reliability:.2f}",
        _either(wanted.opponents, "computers", "no computers"),
        _either(wanted.private, "private", "public"),
        _either(wanted.rated, "rated", "unrated"),
        wanted.title and f'title "{wanted.title}"',
    ]
    settings = ", ".join(words for words in said if words)
    return f"open a game: {settings}" if settings else "open a game"


def _either(chosen: bool | None, yes: str, no: str) -> str:
    return "" if chosen is None else yes if chosen else no
