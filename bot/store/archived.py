"""What the archive may have of the games in a database, and nothing else: no address, no zone, no hour of an answer,
and of a game under way only what everybody may know.

What is read is read in one short transaction; games are played again after it, so nobody waits for the archive.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any

import msgspec
from sqlalchemy import Connection, func, or_, select

from bot.config.archive_policy import Policy, policy_of
from bot.orders.archive_names import default_name
from bot.press.archived import Sent, Shown, may_be_shown
from bot.press.consents import said, settings_in
from bot.record.cast import Cast, FiledLine
from bot.record.lines import FORMAT
from bot.store import between_tables, games, pseudonyms
from bot.store import press as sent_press
from bot.store.between_tables import At
from bot.store.database import Engine, reading
from bot.store.games import UnknownGame
from bot.store.packing import unpack
from bot.store.pseudonyms import Pseudonym
from bot.store.record import UNSAID, record_lines
from bot.store.tables import ENTRY, GAME, ROLLBACK, SEAT, SHEET, SNAPSHOT
from rules import views
from rules.components import Faction, as_faction
from rules.engine.log import Entry, Snapshot
from rules.engine.play import Play
from rules.orders import PhaseName
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event
from rules.state.state import State

_DEAL = re.compile(r"(\bdeal with [^:]*:).*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shelved:
    """A game of which the archive shows something. ``key`` changes when what it shows of it does; for a game under way
    it rests on nothing but what everybody may know. ``place`` is the table of a tournament where it is played."""

    id: str
    over: bool
    policy: Policy
    key: str
    place: At | None = None


@dataclass(frozen=True, slots=True)
class PublicPart:
    """A game under way as everybody saw it where a phase began: the public ``view``, what had been told to everybody
    by then, and the public view at the end of each turn before it."""

    ruleset: str
    options: Mapping[str, Any]
    view: Mapping[str, Any]
    events: Sequence[Event]
    ends_of_turns: Mapping[int, Mapping[str, Any]]


class NotShown(LookupError):
    """The archive shows nothing of this game now; the message says why."""


def shelf(conn: Connection) -> list[Shelved]:
    """The games of which the archive shows something, the oldest first. One that is held is not among them: nobody
    knows how it goes on, so what was shown of it stays as it is."""
    seen = or_(GAME.c.status == "over", GAME.c.archive.not_like("hidden %"))
    shown = select(GAME).where(GAME.c.status != "held", seen).order_by(GAME.c.created_at, GAME.c.id)
    about = _About(conn)
    return [shelved for row in conn.execute(shown).all() if (shelved := _shelved(conn, row, about))]


def held(conn: Connection) -> list[str]:
    """The games whose pages are to stay as they are."""
    return list(conn.scalars(select(GAME.c.id).where(GAME.c.status == "held").order_by(GAME.c.id)))


def policy_in(conn: Connection, game_id: str) -> Policy:
    """What was settled that the archive shows of a game. UnknownGame if there is none of that name."""
    return policy_of(_row(conn, game_id).archive)


def shown_now(conn: Connection, game_id: str) -> Policy:
    """What the archive shows of a game now: of a table of a tournament less while its round goes on. NotShown if that
    is nothing; UnknownGame if there is none of that name."""
    return shown_by(conn, game_id, policy_of(_row(conn, game_id).archive))


def shown_by(conn: Connection, game_id: str, policy: Policy) -> Policy:
    """What the archive would show of a game now if this were its policy. NotShown if that is nothing; UnknownGame if
    there is none of that name."""
    over, place = _row(conn, game_id).status == "over", between_tables.place_of(conn, game_id)
    shown = between_tables.shown(policy, place, over=over)
    if shown is None:
        assert place is not None, "only a table of a tournament is held back"
        raise NotShown(f"{game_id} is a table of {place.tournament}, and shown when round {place.round} is closed.")
    return shown


def cast(conn: Connection, game_id: str) -> tuple[Cast, ...]:
    """Who plays, by dot."""
    found = select(SEAT.c.faction, SEAT.c.dot, SEAT.c.care).where(SEAT.c.game_id == game_id).order_by(SEAT.c.dot)
    return _cast_of(_row(conn, game_id), conn.execute(found).all(), pseudonyms.of_game(conn, game_id))


def _cast_of(row: Any, seats: Iterable[Any], named: Mapping[Faction, Pseudonym]) -> tuple[Cast, ...]:
    if _names_hidden(row):
        named = {}
    who = [(as_faction(seat.faction), seat.dot, seat.care) for seat in seats]
    return tuple(
        Cast(faction, dot, own.name if own else default_name(faction, row.id), bool(own and own.listed), care)
        for faction, dot, care in who
        for own in (named.get(faction),)
    )


def _names_hidden(row: Any) -> bool:
    """Whether nobody is told yet who plays which faction."""
    settings = settings_in(row.press)
    return settings.gunboat and (settings.names_until == "round" or row.status != "over")


def press(conn: Connection, game_id: str) -> list[Shown]:
    """What its players wrote to each other, as far as they were told before the first of it that it would be shown."""
    return _press(conn, _row(conn, game_id))


def _press(conn: Connection, row: Any) -> list[Shown]:
    if row.status != "over" or not settings_in(row.press).archived:
        return []
    ended = conn.execute(select(func.max(ENTRY.c.at)).where(ENTRY.c.game_id == row.id)).scalar_one()
    sent = [
        Sent(each.turn, each.faction, each.readers, each.to_all, each.signed, each.words)
        for each in sent_press.of_game(conn, row.id)
        if each.words and each.at <= ended
    ]
    return may_be_shown(sent, said(row.press).private, everything=policy_of(row.archive).ended == "full")


def sheets(conn: Connection, game_id: str) -> tuple[FiledLine, ...]:
    """Every line that was filed, in order."""
    rows = conn.execute(select(SHEET).where(SHEET.c.game_id == game_id).order_by(SHEET.c.faction, SHEET.c.number))
    return tuple(
        FiledLine(
            as_faction(row.faction), row.number, _DEAL.sub(rf"\1 {UNSAID}", row.line), row.turn, row.state, row.acted
        )
        for row in rows
    )


def days(conn: Connection, game_id: str) -> tuple[date, date | None]:
    """The day on which a game began, and the day of the last entry of its log; both in UTC."""
    last = conn.execute(select(func.max(ENTRY.c.at)).where(ENTRY.c.game_id == game_id)).scalar_one_or_none()
    return _row(conn, game_id).created_at.date(), date.fromisoformat(str(last)[:10]) if last else None


def record_of(conn: Connection, game_id: str) -> bytes:
    """The record of a game that is over, `game.jsonl`. NotShown while it goes on; NotARecord where lines are missing or
    damaged; UnknownGame if there is none of that name."""
    if _row(conn, game_id).status != "over":
        raise NotShown(f"{game_id} is still being played; its record holds every secret, so it waits for the end.")
    return record_lines(conn, game_id)


def public_part(engine: Engine, game_id: str, shown_as: Policy | None = None) -> PublicPart:
    """A game under way as the archive shows it now, by its own policy or by another. NotShown if it shows nothing of
    it; ValueError if its log does not play any more; UnknownGame if there is none of that name."""
    with reading(engine) as conn:
        row = _row(conn, game_id)
        shown = shown_as or shown_now(conn, game_id)
        log, happened = games.log_of(conn, game_id), games.events_of(conn, game_id)
        last_begun = _last_begun(conn, game_id)
        dots = {faction: seat.dot for faction, seat in games.seats_of(conn, game_id).items()}
    if row.status == "over" or shown.running == "hidden":
        raise NotShown(f"{game_id} is over." if row.status == "over" else f"{game_id} is hidden while it runs.")
    last = _last_turn(row.turn, shown)
    if last < 1:
        raise NotShown(f"{game_id} shows nothing before turn {shown.delay + 1} has begun.")
    options = json.loads(row.options)
    rules = games.rule_set(row.ruleset, options)
    play = _played(rules, row.seed, dots, log)
    begun = [*play.begun[:-1], last_begun]
    if shown.running == "delayed":  # up to the beginning of the turn after the last that is shown
        begun = begun[: 1 + next(number for number, snapshot in enumerate(begun) if snapshot.turn > last)]
    told = [event for event in happened if event.number < begun[-1].events and event.visible_to("public")]
    ends = {
        before.turn: {**_public_view(rules, row.seed, after), "turn": before.turn, "phase": before.phase}
        for before, after in pairwise(begun)
        if after.turn > before.turn
    }
    return PublicPart(
        row.ruleset,
        options,
        ends[last] if shown.running == "delayed" else _public_view(rules, row.seed, begun[-1]),
        [msgspec.structs.replace(e, number=n, private={}, audience=None) for n, e in enumerate(told)],
        ends,
    )


class _Beginnings(Play):
    """A game that keeps the position at the beginning of every phase as it is played again."""

    __slots__ = ("begun",)

    def __init__(self, rules: RuleSet, seed: str, state: State, entries_before: int = 0) -> None:
        self.begun: list[Snapshot] = []
        super().__init__(rules, seed, state, entries_before)

    def begin_phase(self, phase: PhaseName) -> None:
        super().begin_phase(phase)
        self.begun.append(self.snapshot)


def _played(rules: RuleSet, seed: str, dots: Mapping[Faction, int], log: Sequence[Entry]) -> _Beginnings:
    play = _Beginnings.start(rules, seed, dict(dots))
    play.replay(log)
    return play


def _last_turn(turn: int, policy: Policy) -> int:
    """The last turn that is shown of a game that stands at this one."""
    return turn - policy.delay


def _last_begun(conn: Connection, game_id: str) -> Snapshot:
    """The position from which the game goes on: the beginning of its phase."""
    found = select(SNAPSHOT).where(SNAPSHOT.c.game_id == game_id).order_by(SNAPSHOT.c.number.desc()).limit(1)
    row = conn.execute(found).one()
    return Snapshot(unpack(row.state), row.turn, row.phase, row.entries, row.events)


def _public_view(rules: RuleSet, seed: str, snapshot: Snapshot) -> Mapping[str, Any]:
    """What everybody could see where a phase began, before anybody was asked."""
    return views.view(Play(rules, seed, msgspec.msgpack.decode(snapshot.state, type=State)), "public")


class _About:
    """What the shelf needs to know of all games, each asked once: the tables that they are, who sits where, the names
    that were chosen, how often a game was taken back."""

    def __init__(self, conn: Connection) -> None:
        self.places = between_tables.places(conn)
        self._seats: dict[str, list[Any]] = {}
        for seat in conn.execute(select(SEAT.c.game_id, SEAT.c.faction, SEAT.c.dot, SEAT.c.care).order_by(SEAT.c.dot)):
            self._seats.setdefault(seat.game_id, []).append(seat)
        self._names = pseudonyms.of_all_games(conn)
        times = select(ROLLBACK.c.game_id, func.count().label("times")).group_by(ROLLBACK.c.game_id)
        self.taken_back = {row.game_id: row.times for row in conn.execute(times)}

    def cast(self, row: Any) -> tuple[Cast, ...]:
        """Who plays in the game of a row, by dot."""
        return _cast_of(row, self._seats.get(row.id, []), self._names.get(row.id, {}))


def _shelved(conn: Connection, row: Any, about: _About) -> Shelved | None:
    over, place = row.status == "over", about.places.get(row.id)
    shown = between_tables.shown(policy_of(row.archive), place, over=over)
    if shown is None:
        return None
    if over:
        what = f"over {row.entries} {row.events} {row.commitment}"
        if there := _press(conn, row):
            what += f" {hashlib.sha256(repr(there).encode()).hexdigest()}"
    elif shown.running == "hidden" or _last_turn(row.turn, shown) < 1:
        return None
    else:
        times = about.taken_back.get(row.id, 0)
        stands = f"{row.turn} {row.phase}" if shown.running == "public" else f"{_last_turn(row.turn, shown)}"
        what = f"running {stands} {times}"
    named = [(each.faction, each.dot, each.name, each.listed, each.caretaker) for each in about.cast(row)]
    text = json.dumps([FORMAT, row.id, row.ruleset, row.options, shown.words, what, named])
    return Shelved(row.id, over, shown, hashlib.sha256(text.encode()).hexdigest(), place)


def _row(conn: Connection, game_id: str) -> Any:
    row = conn.execute(select(GAME).where(GAME.c.id == game_id)).one_or_none()
    if row is None:
        raise UnknownGame(f"There is no game {game_id!r} here; `mentat game list` names them.")
    return row
