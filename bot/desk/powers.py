"""The powers of the game master, each declared once. Each use of a power is one transaction and one line in the act
log.

To add a power, write its act, a function that takes a ``DeskRequest`` and opens with ``using``, and declare it in
``data/desk-powers.toml``; the desk by mail, the act log and all checks are derived from that declaration. What mails
say about it is in ``templates/letters/desk_mail.toml``; the plain words for it are in ``data/command-words.toml`` and
``data/desk-phrases.toml``. An auditor can only read. Players have no power at their own table. If the game master of
this Mentat plays there, they can only hand the table over to somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.games.identity import seat_held_by, seat_of_sitter
from bot.games.open_games import OpenGames, Session, act, joined
from bot.mail.lines import clean
from bot.store import acts, games, people, publication, record, tournament_rounds
from bot.store.acts import CLERKS, DIRECTORS, JUDGES, DeskAct
from bot.store.database import Connection, reading
from bot.table.table import Table
from rules.components.facts import load_toml


class PowerRefused(ValueError):
    """Raised if something cannot be done, or not by this person. The message is a sentence that says why, and what can
    be done instead."""


MOST_CHARACTERS = 4_000
"""The greatest length of a readable letter. A longer text is refused, not cut."""


def spoken_words(words: str) -> str:
    """Return words that other people will read, without invisible characters and without characters that reverse or
    erase the text next to them. Raise PowerRefused if the words are too long for a letter."""
    said = clean(words).strip()
    if len(said) > MOST_CHARACTERS:
        raise PowerRefused(f"The text has {len(said)} characters; a letter holds at most {MOST_CHARACTERS}.")
    return said


@dataclass(frozen=True, slots=True)
class Use:
    """How a power is used.

    - ``by`` is the user's address, or "" for a person at the machine's command line.
    - ``why`` is the reason, which goes into the record; ``tell`` are words for the table.
    - ``at`` is the turn and phase at which the game must be, such as "4/bidding", or "" if that does not matter. If the
      game has moved on, nothing is done.
    - ``dry_run`` means that everything is done and then rolled back.
    """

    by: str = ""
    why: str = ""
    tell: str = ""
    at: str = ""
    dry_run: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "why", spoken_words(self.why))
        object.__setattr__(self, "tell", spoken_words(self.tell))


AT_THE_MACHINE = Use()


@dataclass(frozen=True, slots=True)
class DeskRequest:
    games: OpenGames
    game: str  # "" for an act on a person that concerns no game
    now: datetime
    use: Use = AT_THE_MACHINE


@dataclass(slots=True)
class PowerInUse:
    """A power while it is being used: the transaction, the game, and the ``words`` for the act log, which say exactly
    what was done. If ``silent`` is set, no line is added to the act log: either nothing was done after all, or the code
    that uses the power has written the line itself."""

    session: Session
    table: Table
    power: str
    use: Use
    right: str
    words: str = ""
    silent: bool = False

    @property
    def conn(self) -> Connection:
        return self.session.conn

    @property
    def may_foresee(self) -> bool:
        """Return whether this person may see the result of this use of a power. Only a person with a judge's right may
        see the result of a dry run, and only if the game is not blind. The letters shown in a dry run reveal who has
        answered and what is sealed."""
        return not self.use.dry_run or (self.right in JUDGES and not self.table.blind)

    def require_sight(self) -> None:
        """Raise PowerRefused if the game is blind. Call this in an act whose refusal would reveal something sealed."""
        try:
            games.require_sight(self.conn, self.table.id)
        except games.Sealed as sealed:
            raise PowerRefused(str(sealed)) from None

    def line(self) -> DeskAct:
        """Return the act log's line about this use. Code that goes on to end or cut the record calls this, because it
        must write the line itself first."""
        self.silent = True
        return DeskAct(self.session.now, self.power, self.use.why, self.use.by, self.right, self.words, self.use.tell)


@contextmanager
def using(request: DeskRequest, power: str) -> Iterator[PowerInUse]:
    """Use a power. The block is one transaction, and its line in the act log is written at the end. Raise PowerRefused
    if the power cannot be used now, or not by this person. Raise UnknownGame if there is no such game."""
    with act(request.games, request.now, request.game, dry_run=request.use.dry_run) as session:
        table = session.table(request.game)
        right = _allowed_right(session.conn, request.games, table, power, request.use)
        require_state(table, power)
        require_at(table, request.use.at)
        table.now = request.now
        used = PowerInUse(session, table, power, request.use, right)
        yield used
        if not used.silent:
            record.record_act(session.conn, table, used.line())
        games.close(session.conn, table)


@contextmanager
def within(open_games: OpenGames) -> Iterator[Connection]:
    """Yield a connection for reading. If acts are joining a transaction, it is that transaction's connection."""
    if (begun := joined()) is not None:
        yield begun
    else:
        with reading(open_games.engine) as conn:
            yield conn


def _allowed_right(conn: Connection, open_games: OpenGames, table: Table, power: str, use: Use) -> str:
    right = right_at(conn, open_games, table, use.by)
    if right not in POWERS[power].rights:
        raise PowerRefused(_not_allowed(table, power, right))
    return right


def require_right(conn: Connection, request: DeskRequest, power: str) -> None:
    """Raise PowerRefused unless the person may use the power and the game is still at the turn and phase that their
    request names, if it names one. Use this for acts on people, and for acts that only show what a power would do."""
    table = request.games.table(conn, request.game)
    _allowed_right(conn, request.games, table, power, request.use)
    require_at(table, request.use.at)


def right_at(conn: Connection, open_games: OpenGames, table: Table, address: str) -> str:
    """Return the right that a person has at a game: one granted for the game itself or in its tournament, or that of
    the game master of this Mentat.

    "" means that they have none. A player of the game has the right "player" or, at the machine's command line,
    "playing master". A person who plays in the game's tournament has at most the right "clerk" while the round is open,
    because they must not learn anything that is sealed there.
    """
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
    if is_master:
        return "director"
    if own := acts.right_of(conn, address, game_id=table.id):
        return own.right
    seated = tournament_rounds.table_of_game(conn, table.id)
    organiser = acts.right_of(conn, address, tournament_id=seated.tournament_id) if seated else None
    return organiser.right if organiser else ""


def require_no_other_table(conn: Connection, table: Table, address: str) -> None:
    """Raise PowerRefused if a person plays in the game's tournament, because they must not learn anything about its
    other tables."""
    if publication.waits_for_round(conn, table.id, address):
        raise PowerRefused(
            f"{address} plays in the tournament of {table.id}, and may know nothing of its other tables until the "
            "round is closed."
        )


def require_at(table: Table, at: str) -> None:
    if not at:
        return
    state = table.play.state
    turn, _, phase = at.strip().lower().partition("/")
    if not re.fullmatch(r"[0-9]{1,3}", turn):
        raise PowerRefused(f"{at[:40]!r} is not a point in a game; write its turn and phase, like 4/bidding.")
    if int(turn) != state.turn or phase.strip() not in ("", state.phase):
        raise PowerRefused(
            f"{table.id} has moved on: it is at {state.turn}/{state.phase}, not at {at.strip()}. Nothing was done."
        )


def require_state(table: Table, power: str) -> None:
    if table.status == "over" and power in ("rollback", "preview"):
        raise PowerRefused(
            f"{table.id} is finished and cannot be rolled back: all its players know its seed and could "
            "foresee every shuffle and storm."
        )
    declared = POWERS[power]
    if table.status == "over" and not declared.when_over:
        left = sorted(each.name for each in POWERS.values() if each.when_over)
        raise PowerRefused(f"{table.id} is over; you can still use: {', '.join(left)}.")
    if table.on_hold and not declared.when_on_hold:
        raise PowerRefused(f"{table.id} is on hold; `mentat game release {table.id}` releases it.")
    if table.status == "held" and not (declared.when_held or declared.when_over):
        raise PowerRefused(f"{table.id} is held: its rules have changed. `mentat game rollback {table.id}` frees it.")


def _not_allowed(table: Table, power: str, right: str) -> str:
    if right == "player":
        return f"Players have no power over {table.id}; ask its game master."
    if right == "playing master":
        return (
            f"The game master plays in {table.id}, and a player has no power over their own game. Let somebody else do "
            f"it: `mentat game grant {table.id} director ADDRESS`."
        )
    if not right:
        return f"Only the organisers of {table.id} can do this."
    allowed = ", ".join(sorted(set(POWERS[power].rights) - {"deputy", "playing master"}))
    return f"{power} is for {allowed}; this address is {right} of {table.id}."


EVERYBODY = (*JUDGES, "clerk")
OWNERS = (*DIRECTORS, "playing master")


# --- declarations ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """How a line to the desk is written. Words in capitals stand for its parts (``bot.moderator.desk_lines.PARTS``).

    - ``act`` is the function that carries out the line, if it is not the power's act. It gets the parts as parameters.
    - ``answer`` is a function of ``bot.moderator.desk_lines`` that carries out the line and says what was done, if this
      takes more than the act and one sentence.
    - ``given`` are further parameters, by name.
    - ``says`` names the sentence that says what was done (``[desk-done]``), if its name is not that of the power.
    - ``looks`` is true if the line only shows something and changes nothing.
    """

    shown: str
    act: str = ""
    answer: str = ""
    given: Mapping[str, object] = field(default_factory=dict)
    says: str = ""
    looks: bool = False


@dataclass(frozen=True, slots=True)
class Power:
    """Something that a game master can do to a game.

    - ``rights`` are the rights that permit it.
    - ``act`` is the function that carries it out, as "module:function".
    - ``forms`` are the ways to write it by mail; there are none if it is used only at the machine.
    - ``dangerous`` means that by mail it must be confirmed with a one-time code. Such a power cannot be undone, shows
      what is sealed, or gives a right or a seat's secrets to an address in the mail.
    - ``when_over`` means that it can be used on a game that is over, and on one whose rules have changed during play.
    - ``when_held`` means that it can be used on a game whose rules have changed during play, until a rollback frees it.
    - ``when_on_hold`` means that it can be used on a game on hold, which then stays on hold.
    - ``spoken`` means that its words are for people to read, and may have any number of lines.
    - ``keeps_game`` means that it can be used only on a game being played, which cannot be deleted afterwards.
    - ``also`` are further words that people use for it, separated by blanks.
    - ``example`` is a line that uses it, for the help.
    - ``grave`` means that a line in plain words is only proposed at first, because its act does harm or cannot be
      undone.
    """

    name: str
    rights: tuple[str, ...]
    act: str
    forms: tuple[Form, ...] = ()
    dangerous: bool = False
    when_over: bool = False
    when_held: bool = False
    when_on_hold: bool = True
    spoken: bool = False
    keeps_game: bool = False
    also: str = ""
    example: str = ""
    grave: bool = False


_RIGHTS = {"everybody": EVERYBODY, "judges": JUDGES, "clerks": CLERKS, "directors": DIRECTORS, "owners": OWNERS}


def _declared(name: str, *, rights: str, forms: Sequence[str | dict[str, Any]] = (), **facts: Any) -> Power:
    shown = tuple(Form(each) if isinstance(each, str) else Form(**each) for each in forms)
    return Power(name, _RIGHTS[rights], forms=shown, **facts)


POWERS: dict[str, Power] = {name: _declared(name, **facts) for name, facts in load_toml("desk-powers.toml").items()}
