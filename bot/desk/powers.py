"""The powers of the game master. Using one is one transaction and one line in the act log of its game.

Only this module says who may use which power. A director may do all. An arbiter rules, judges and corrects. A clerk
looks after clocks, seats and letters, and sees no secrets. An auditor only reads. A player has no power at their own
table; the game master of this Mentat who plays there can only give the table to somebody else.

By mail a power has one form or several: how the line is written, with which parts, and what it does
(``bot.moderator.desk_lines``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime

from bot.games.identity import seat_held_by, seat_of_sitter
from bot.games.open_games import OpenGames, joined, noting_letters, one_act
from bot.games.proof import Sealed, require_sight
from bot.mail.lines import clean
from bot.store import desk, games, people, publication, record, tournament_rounds
from bot.store import tournaments as tournament_rights
from bot.store.database import Connection, reading
from bot.store.record import GameAct, Power
from bot.table.table import Table
from rules.components import FACTION_FACTS, Faction, as_faction

DIRECTORS = frozenset({"director", "deputy"})
JUDGES = DIRECTORS | {"arbiter"}
CLERKS = DIRECTORS | {"clerk"}
EVERYBODY = JUDGES | CLERKS
OWNERS = DIRECTORS | {"playing master"}

MAY: Mapping[Power, frozenset[str]] = {
    "pause": EVERYBODY, "resume": EVERYBODY, "extend": EVERYBODY, "clock": CLERKS, "hold": EVERYBODY,
    "release": EVERYBODY, "remind": CLERKS, "process": DIRECTORS, "default": DIRECTORS, "bank": CLERKS,
    "excuse": CLERKS, "order": DIRECTORS, "caretaker": CLERKS, "replace": CLERKS, "freeze": CLERKS, "address": CLERKS,
    "rollback": DIRECTORS, "preview": DIRECTORS, "undo": DIRECTORS, "rule": JUDGES, "position": JUDGES,
    "sitter": CLERKS, "tell": EVERYBODY,
    "ask": EVERYBODY, "note": EVERYBODY, "ban": DIRECTORS, "unban": DIRECTORS, "warn": JUDGES, "mute": JUDGES,
    "unmute": JUDGES, "predict": JUDGES, "blind": DIRECTORS, "break-glass": JUDGES, "observe": CLERKS,
    "observe-full": DIRECTORS, "unobserve": CLERKS, "press": DIRECTORS,
    "last-turn": DIRECTORS, "end": DIRECTORS, "grant": OWNERS,
    "revoke": DIRECTORS, "handover": OWNERS, "delete": DIRECTORS,
    "forum-link": DIRECTORS, "forum-open": DIRECTORS, "forum-close": DIRECTORS, "forum-paste": DIRECTORS,
    "forum-repost": DIRECTORS,
}  # fmt: skip
"""Which rights allow a power."""

DANGEROUS: frozenset[Power] = frozenset({
    "process", "default", "order", "rollback", "undo", "position", "predict", "break-glass", "end", "last-turn",
    "handover", "delete", "observe-full", "grant", "replace", "address", "sitter",
})  # fmt: skip
"""What is done by mail only after its one-time code came back: what cannot be undone or shows what is sealed, and what
gives a right or the secrets of a seat to an address that stands in the mail."""

AFTER_THE_END: frozenset[Power] = frozenset({"tell", "ask", "note", "ban", "unban", "warn", "rule", "grant", "revoke",
                                             "handover", "observe", "unobserve", "forum-repost"})  # fmt: skip
"""What can be done to a game that is over."""

WHILE_HELD: frozenset[Power] = AFTER_THE_END | {"rollback", "preview", "replace", "address", "freeze", "caretaker"}
"""What can be done to a game whose rules have changed under it, until a rollback frees it."""


NOT_ON_HOLD: frozenset[Power] = frozenset({"process", "default", "position", "predict"})
"""What would let a game go on that is on hold."""


class PowerRefused(ValueError):
    """This cannot be done, or not by them; the message is a sentence that says why, and what can be."""


MOST_CHARACTERS = 4_000
"""So many characters are a letter to read; a longer text is refused, not cut."""


def spoken_words(words: str) -> str:
    """Words that others will read: without signs that nobody sees, or that turn or erase what stands beside them.
    PowerRefused if they are too long for a letter."""
    said = clean(words).strip()
    if len(said) > MOST_CHARACTERS:
        raise PowerRefused(f"It has {len(said)} characters, and a letter takes {MOST_CHARACTERS}; shorten it.")
    return said


@dataclass(frozen=True, slots=True)
class Use:
    """How a power is used. ``by`` is the address of who uses it, "" for whoever types at the machine. ``why`` is for
    the record, ``tell`` for the table. ``at`` is where the game must be, like "4/bidding" ("" for anywhere): if it has
    moved on, nothing is done. ``dry_run``: all is done as it would be, and then undone."""

    by: str = ""
    why: str = ""
    tell: str = ""
    at: str = ""
    dry_run: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "why", spoken_words(self.why))
        object.__setattr__(self, "tell", spoken_words(self.tell))


AT_THE_MACHINE = Use()


@dataclass(slots=True)
class PowerInUse:
    """A power in use: the transaction, the game, and ``words``, which say in the act log what exactly was done."""

    conn: Connection
    table: Table
    use: Use
    right: str
    words: str = ""
    silent: bool = False  # nothing was done after all: no line in the act log

    @property
    def may_foresee(self) -> bool:
        """Whether a dry run may show how the game would go on: by the letters that would follow one can tell who has
        answered, and what lies under seal."""
        return not self.use.dry_run or (self.right in JUDGES and not self.table.blind)

    def require_sight(self) -> None:
        """PowerRefused in a game that is played blind, for what would tell of what is sealed by being refused."""
        try:
            require_sight(self.conn, self.table.id)
        except Sealed as sealed:
            raise PowerRefused(str(sealed)) from None

    def act(self, power: Power, now: datetime) -> GameAct:
        """The line of the act log."""
        return GameAct(now, power, self.use.why, self.use.by, self.right, self.words, self.use.tell)


@contextmanager
def using(
    open_games: OpenGames, game_id: str, power: Power, now: datetime, use: Use = AT_THE_MACHINE
) -> Iterator[PowerInUse]:
    """Use a power: what the block does to the game is one transaction with its line in the act log, written at the
    block's end. PowerRefused where it is not allowed now, or not to them; UnknownGame if there is no such game."""
    with began(open_games, game_id, power, use) as used:
        used.table.now = now
        yield used
        if not used.silent:
            record.record_act(used.conn, used.table, used.act(power, now))


@contextmanager
def began(open_games: OpenGames, game_id: str, power: Power, use: Use) -> Iterator[PowerInUse]:
    """Use a power as ``using`` does, where the block itself writes the line in the act log: the game's record ends or
    is cut with it."""
    with _transaction(open_games, game_id, use) as (conn, table):
        used = _allowed(conn, open_games, table, power, use)
        with noting_letters(conn, dry_run=use.dry_run):
            yield used


def about_persons(open_games: OpenGames, use: Use) -> AbstractContextManager[Connection]:
    """One transaction about persons, or about a game that goes with it (``one_act``)."""
    return one_act(open_games, dry_run=use.dry_run)


@contextmanager
def within(open_games: OpenGames) -> Iterator[Connection]:
    """A connection to look something up: that of the transaction that acts belong to just now, or one of its own."""
    if (begun := joined()) is not None:
        yield begun
    else:
        with reading(open_games.engine) as conn:
            yield conn


@contextmanager
def _transaction(open_games: OpenGames, game_id: str, use: Use) -> Iterator[tuple[Connection, Table]]:
    if (begun := joined()) is None:
        with open_games.transaction(game_id, dry_run=use.dry_run) as opened:
            yield opened
        return
    try:
        with begun.begin_nested() as savepoint:
            table = open_games.table(begun, game_id)
            yield begun, table
            games.close(begun, table)
            if use.dry_run:
                savepoint.rollback()
                open_games.forget(game_id)
    except BaseException:
        open_games.forget(game_id)
        raise


def _allowed(conn: Connection, open_games: OpenGames, table: Table, power: Power, use: Use) -> PowerInUse:
    right = right_at(conn, open_games, table, use.by)
    if right not in MAY[power]:
        raise PowerRefused(_not_allowed(table, power, right))
    require_state(table, power)
    require_at(table, use.at)
    return PowerInUse(conn, table, use, right)


def require_right(conn: Connection, open_games: OpenGames, game_id: str, power: Power, use: Use) -> None:
    """PowerRefused unless a person may use a power, and the game is where they say, for what only looks at what the
    power would do, and for what is done to persons."""
    table = open_games.table(conn, game_id)
    right = right_at(conn, open_games, table, use.by)
    if right not in MAY[power]:
        raise PowerRefused(_not_allowed(table, power, right))
    require_at(table, use.at)


def right_at(conn: Connection, open_games: OpenGames, table: Table, address: str) -> str:
    """The right of a person at a game: of the game itself, of its tournament, or as the game master of this Mentat.
    "" where they have none; where they play in it "player", or "playing master" at the machine. Whoever plays in its
    tournament is no more than "clerk" while its round is open, as they are to know nothing that is sealed there."""
    master = open_games.settings.mentat.game_master
    known = people.known_as(conn, (address or master).strip().lower())
    seats = table.seats.values()
    if seat_held_by(conn, open_games.settings, seats, address or master) or seat_of_sitter(
        conn, open_games.settings, seats, address or master
    ):
        return "player" if address else "playing master"
    if not address:
        return "director"
    right = _granted(conn, table, address, is_master=master.lower() in known)
    if right in JUDGES and publication.waits_for_round(conn, table.id, address):
        return "clerk"
    return right


def _granted(conn: Connection, table: Table, address: str, *, is_master: bool) -> str:
    """The right that was given to a person who does not play at a table."""
    if is_master:
        return "director"
    if own := desk.right_of(conn, table.id, address):
        return own.right
    seated = tournament_rounds.table_of_game(conn, table.id)
    organiser = tournament_rights.right_of(conn, seated.tournament_id, address) if seated else None
    return organiser.right if organiser else ""


def require_no_other_table(conn: Connection, table: Table, address: str) -> None:
    """PowerRefused if a person plays in the tournament of a game: they are to know nothing of its other tables."""
    if publication.waits_for_round(conn, table.id, address):
        raise PowerRefused(
            f"{address} plays in the tournament of {table.id}, and is to know nothing of its other tables until the "
            "round is closed."
        )


def require_at(table: Table, at: str) -> None:
    """PowerRefused unless the game is where ``at`` says, like "4/bidding" or "4"."""
    if not at:
        return
    state = table.play.state
    turn, _, phase = at.strip().lower().partition("/")
    if not re.fullmatch(r"[0-9]{1,3}", turn):
        raise PowerRefused(f"{at[:40]!r} is no place in a game; write its turn and phase, like 4/bidding.")
    if int(turn) != state.turn or phase.strip() not in ("", state.phase):
        raise PowerRefused(
            f"{table.id} has moved on: it is at {state.turn}/{state.phase}, not at {at.strip()}. Nothing was done."
        )


def require_state(table: Table, power: Power) -> None:
    """PowerRefused where a game, as it stands, does not take this power."""
    if table.status == "over" and power in ("rollback", "preview"):
        raise PowerRefused(
            f"{table.id} is finished and cannot be taken back: its seed was told to all its players, who could "
            "foresee every shuffle and storm."
        )
    if table.status == "over" and power not in AFTER_THE_END:
        raise PowerRefused(f"{table.id} is over; what can still be done: {', '.join(sorted(AFTER_THE_END))}.")
    if table.on_hold and power in NOT_ON_HOLD:
        raise PowerRefused(f"{table.id} is on hold; `mentat game release {table.id}` lets it go on.")
    if table.status == "held" and power not in WHILE_HELD:
        raise PowerRefused(
            f"{table.id} stands still, as the rules have changed under it; `mentat game rollback {table.id}` frees it."
        )


def _not_allowed(table: Table, power: Power, right: str) -> str:
    if right == "player":
        return f"Whoever plays in {table.id} has no power over it; ask its game master."
    if right == "playing master":
        return (
            f"The game master plays in {table.id}, and whoever plays has no power over it. Let somebody else do it: "
            f"`mentat game grant {table.id} director ADDRESS`."
        )
    if not right:
        return f"Only the organisers of {table.id} can do this."
    allowed = ", ".join(sorted(MAY[power] - {"deputy", "playing master"}))
    return f"{power} is for {allowed}; this address is {right} of {table.id}."


@dataclass(frozen=True, slots=True)
class DeskRequest:
    """A power as it was written: for which game, at what instant, and how it is used."""

    open_games: OpenGames
    game_id: str
    now: datetime
    use: Use


Effect = Callable[[DeskRequest, Mapping[str, str]], str]
"""Does it, and says what was done."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a line is written, the power that it uses, and what does it."""

    power: Power
    shown: str
    pattern: re.Pattern[str]
    act: Effect
    looks: bool = False  # it only looks, and changes nothing


@dataclass(frozen=True, slots=True)
class DeskLine:
    """A line that was understood, with its parts."""

    form: Form
    parts: Mapping[str, str]

    @property
    def power(self) -> Power:
        return self.form.power

    def carry_out(self, given: DeskRequest) -> str:
        """Do it; what was done. PowerRefused where it cannot be."""
        return self.form.act(given, self.parts)


@dataclass(frozen=True, slots=True)
class UnreadDeskLine:
    """A line that was not understood; ``suggestion`` is the form that it is nearest to, "" for none."""

    suggestion: str


_PARTS = {
    "SEAT": r"(?P<seat>[A-Za-z -]+?)", "HOURS": r"(?P<hours>[-+]?\d+(?:[.,]\d+)?)(?:\s*h(?:ours?)?)?",
    "WORDS": r"(?P<words>.+)",
    "ADDRESS": r"(?P<address>\S+@\S+)", "QUESTION": r"(?P<question>[a-z-]+)", "TURN": r"(?P<turn>[0-9]{1,3})",
    "PHASE": r"(?P<phase>[a-z-]+)", "RIGHT": r"(?P<right>[a-z]+)", "SEATS": r"(?P<seats>[A-Za-z, -]+?)",
    "CLAUSE": r"(?P<clause>\S*)", "ONOFF": r"(?P<state>on|off)", "DATE": r"(?P<date>\d{4}-\d{2}-\d{2})",
    "PRESS": r"(?P<press>[a-z0-9=, -]+)",
    "SETTINGS": r"(?P<settings>\w+ ?=.+)",
}  # fmt: skip


def make_form(power: Power, shown: str, act: Effect, *, looks: bool = False) -> Form:
    """The form of a line as it is shown: words in capitals stand for its parts."""
    parts = [_PARTS.get(part, re.escape(part)) for part in re.split(r"(\s+|[A-Z]{4,}|:)", shown) if part.strip()]
    pattern, before = "", ""
    for part in parts:
        gap = "" if not before or part == ":" or before == ":" else r"\s+"
        pattern += r"\s*:\s*" if part == ":" else gap + part
        before = part
    return Form(power, shown.replace(" :", ":"), re.compile(pattern, re.IGNORECASE | re.DOTALL), act, looks)


def seat_named(parts: Mapping[str, str]) -> Faction:
    """The seat that a line names. PowerRefused where it is none."""
    return faction_named(parts["seat"])


def faction_named(said: str) -> Faction:
    """A faction by its name or the beginning of it. PowerRefused where it is none."""
    word = re.sub(r"\s+", "-", said.strip().lower())
    fits = [faction for faction in FACTION_FACTS if faction == word or (len(word) > 2 and faction.startswith(word))]
    if len(fits) != 1:
        raise PowerRefused(f"{said.strip()!r} is not one of {', '.join(FACTION_FACTS)}.")
    return as_faction(fits[0])


def factions_named(said: str) -> list[Faction]:
    """Several of them with commas between; none for all of the table. PowerRefused where one is none."""
    return [] if said.strip().lower() in ("all", "table") else [faction_named(word) for word in said.split(",")]


def hours_named(parts: Mapping[str, str]) -> float:
    """How many hours a line names."""
    return float(parts["hours"].replace(",", "."))
