"""The public part of each game for the archive, the record that proves a game, and the results of finished games.

The archive never gets addresses, time zones or the hours of answers. About a game in play, it gets only what everybody
may know. The rows are read in one short transaction. The games are replayed after it has ended, so nobody waits for the
archive.

A ``Record`` is one JSON document that proves a game without our database or our Mentat. It contains the rule set, the
options, the seats, the seed and its commitment, the log and the events. ``bot.games.proof`` replays it. The words of an
offer between two players that led to no deal remain private. They decide nothing, so a record that is written to a file
has placeholders for them, both in the log and in the events.

Finished games become results for statistics. Each result contains what everybody was told, with the names under which
the archive lists the players.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, func, or_, select

from bot.competition.outcomes import TableOutcome
from bot.config.values import ArchivePolicy, policy_of
from bot.press import SentPress, ShownPress, consents_in, press_to_show, settings_in
from bot.record.lines import FORMAT
from bot.record.reader import Cast, FiledLine, NotARecord, outcome_of
from bot.store import deadlines, games, people, publication, tournament_rounds
from bot.store import press as sent_press
from bot.store import record as record_parts
from bot.store.database import Engine, reading, unpack
from bot.store.deadlines import Duties
from bot.store.games import GameStart, KeptSnapshot
from bot.store.mail import LETTER
from bot.store.people import Pseudonym
from bot.store.publication import TablePlace
from bot.store.record import ROLLBACK, log_data, log_of
from bot.store.tables import ENTRY, GAME, SEAT, SHEET, SNAPSHOT
from bot.store.tournament_rounds import TABLE
from bot.wording.filters import default_archive_name
from rules import views
from rules.components import Faction, as_faction
from rules.engine.log import Entry, Snapshot
from rules.engine.play import Play
from rules.orders import PhaseName
from rules.rulesets.ruleset import RuleSet
from rules.state import events
from rules.state.events import Event
from rules.state.state import State

_DEAL = re.compile(r"(\bdeal with [^:]*:).*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shelved:
    """A game that the archive shows at least in part. ``key`` changes whenever the visible part changes; for a game in
    play it depends only on public knowledge. ``place`` is the game's table, if it belongs to a tournament."""

    id: str
    over: bool
    policy: ArchivePolicy
    key: str
    place: TablePlace | None = None


@dataclass(frozen=True, slots=True)
class PublicPart:
    """A game in play as everybody saw it at the beginning of a phase: the public ``view`` at that moment, the events
    announced to everybody by then, and the public view at the end of each earlier turn."""

    ruleset: str
    options: Mapping[str, Any]
    view: Mapping[str, Any]
    events: Sequence[Event]
    ends_of_turns: Mapping[int, Mapping[str, Any]]


class NotShown(LookupError):
    """The archive currently shows nothing of this game. The message says why."""


def shelf(conn: Connection) -> list[Shelved]:
    """Return the games that the archive shows at least in part, oldest first. Held games are left out: nobody knows how
    they will continue, so their pages stay unchanged."""
    seen = or_(GAME.c.status == "over", GAME.c.archive.not_like("hidden %"))
    shown = select(GAME).where(GAME.c.status != "held", seen).order_by(GAME.c.created_at, GAME.c.id)
    about = _About(conn)
    return [shelved for row in conn.execute(shown).all() if (shelved := _shelved(conn, row, about))]


def held_pages(conn: Connection) -> list[str]:
    return list(conn.scalars(select(GAME.c.id).where(GAME.c.status == "held").order_by(GAME.c.id)))


def policy_in(conn: Connection, game_id: str) -> ArchivePolicy:
    return policy_of(games.game_row(conn, game_id).archive)


def shown_now(conn: Connection, game_id: str) -> ArchivePolicy:
    """Return the archive policy that applies to a game now. While a tournament round is running, less of its tables is
    shown. Raise NotShown if the archive shows nothing, and UnknownGame if there is no such game."""
    return shown_by(conn, game_id, policy_of(games.game_row(conn, game_id).archive))


def shown_by(conn: Connection, game_id: str, policy: ArchivePolicy) -> ArchivePolicy:
    """Return the archive policy that would apply to a game now if ``policy`` were its own. Raise NotShown if the
    archive would show nothing, and UnknownGame if there is no such game."""
    over, place = games.game_row(conn, game_id).status == "over", publication.place_of(conn, game_id)
    shown = publication.policy_shown(policy, place, over=over)
    if shown is None:
        assert place is not None, "only a table of a tournament is held back"
        raise NotShown(f"{game_id} is a table of {place.tournament}; shown when round {place.round} is closed.")
    return shown


def cast_of(conn: Connection, game_id: str) -> tuple[Cast, ...]:
    found = select(SEAT.c.faction, SEAT.c.dot, SEAT.c.care, SEAT.c.opponent, SEAT.c.address).order_by(SEAT.c.dot)
    found = found.where(SEAT.c.game_id == game_id)
    return _cast_of_row(
        games.game_row(conn, game_id), conn.execute(found).all(), people.pseudonyms_of_game(conn, game_id)
    )


def _cast_of_row(row: Any, seats: Iterable[Any], named: Mapping[Faction, Pseudonym]) -> tuple[Cast, ...]:
    if _names_hidden(row):
        named = {}
    return tuple(
        Cast(
            as_faction(seat.faction),
            seat.dot,
            _archive_name(named, seat.faction, row.id) if seat.address else name_of_opponent(seat.opponent),
            (own := named.get(seat.faction)) is not None and own.listed,
            seat.care and bool(seat.address),
        )
        for seat in seats
    )


def _archive_name(named: Mapping[Faction, Pseudonym], faction: Faction, game_id: str) -> str:
    return named[faction].name if faction in named else default_archive_name(faction, game_id)


def name_of_opponent(temperament: str) -> str:
    return f"Mentat ({temperament})"


def _names_hidden(row: Any) -> bool:
    settings = settings_in(row.press)
    return settings.gunboat and (settings.names_until == "round" or row.status != "over")


def press_of(conn: Connection, game_id: str) -> list[ShownPress]:
    """Return the press of a finished game that the archive shows: only press whose writers knew beforehand that it
    would be shown."""
    return _press_of_row(conn, games.game_row(conn, game_id))


def _press_of_row(conn: Connection, row: Any) -> list[ShownPress]:
    if row.status != "over" or not settings_in(row.press).archived:
        return []
    ended = conn.execute(select(func.max(ENTRY.c.at)).where(ENTRY.c.game_id == row.id)).scalar_one()
    sent = [
        SentPress(each.turn, each.faction, each.readers, each.to_all, each.signed, each.words)
        for each in sent_press.press_of_game(conn, row.id)
        if each.words and each.at <= ended
    ]
    return press_to_show(sent, consents_in(row.press).private, everything=policy_of(row.archive).ended == "full")


def sheet_lines(conn: Connection, game_id: str) -> tuple[FiledLine, ...]:
    """Return every sheet line that was ever filed, in order. The words of deals are replaced by ``UNSAID``."""
    rows = conn.execute(select(SHEET).where(SHEET.c.game_id == game_id).order_by(SHEET.c.faction, SHEET.c.number))
    return tuple(
        FiledLine(
            as_faction(row.faction), row.number, _DEAL.sub(rf"\1 {UNSAID}", row.line), row.turn, row.state, row.acted
        )
        for row in rows
    )


def days_of(conn: Connection, game_id: str) -> tuple[date, date | None]:
    last = conn.execute(select(func.max(ENTRY.c.at)).where(ENTRY.c.game_id == game_id)).scalar_one_or_none()
    return games.game_row(conn, game_id).created_at.date(), date.fromisoformat(str(last)[:10]) if last else None


def record_of(conn: Connection, game_id: str) -> bytes:
    """Return the record of a finished game, `game.jsonl`. Raise NotShown while the game is running, NotARecord if lines
    are missing or damaged, and UnknownGame if there is no such game."""
    if games.game_row(conn, game_id).status != "over":
        raise NotShown(f"{game_id} is still being played; its record is secret until the end.")
    return record_lines(conn, game_id)


def public_part(engine: Engine, game_id: str, shown_as: ArchivePolicy | None = None) -> PublicPart:
    """Return a running game as the archive shows it now, under its own policy or under ``shown_as``. Raise NotShown if
    the archive shows nothing, ValueError if the log can no longer be replayed, and UnknownGame if there is no such
    game."""
    with reading(engine) as conn:
        row = games.game_row(conn, game_id)
        shown = shown_as or shown_now(conn, game_id)
        log, happened = log_of(conn, game_id), games.events_of(conn, game_id)
        last_begun = _last_begun(conn, game_id)
        dots = {faction: seat.dot for faction, seat in games.seats_of(conn, game_id).items()}
    if row.status == "over" or shown.running == "hidden":
        raise NotShown(f"{game_id} is over." if row.status == "over" else f"{game_id} is hidden while it runs.")
    last = _last_turn(row.turn, shown)
    if last < 1:
        raise NotShown(f"{game_id} shows nothing before turn {shown.delay + 1} has begun.")
    options = json.loads(row.options)
    rules = games.rule_set(row.ruleset, options)
    play = _play_again(rules, row.seed, dots, log)
    begun = [*play.begun[:-1], last_begun]
    if shown.running == "delayed":  # up to the start of the turn after the last one shown
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
    __slots__ = ("begun",)

    def __init__(self, rules: RuleSet, seed: str, state: State, entries_before: int = 0) -> None:
        self.begun: list[Snapshot] = []
        super().__init__(rules, seed, state, entries_before)

    def begin_phase(self, phase: PhaseName) -> None:
        super().begin_phase(phase)
        self.begun.append(self.snapshot)


def _play_again(rules: RuleSet, seed: str, dots: Mapping[Faction, int], log: Sequence[Entry]) -> _Beginnings:
    play = _Beginnings.start(rules, seed, dict(dots))
    play.replay(log)
    return play


def _last_turn(turn: int, policy: ArchivePolicy) -> int:
    return turn - policy.delay


def _last_begun(conn: Connection, game_id: str) -> Snapshot:
    found = select(SNAPSHOT).where(SNAPSHOT.c.game_id == game_id).order_by(SNAPSHOT.c.number.desc()).limit(1)
    row = conn.execute(found).one()
    return Snapshot(unpack(row.state), row.turn, row.phase, row.entries, row.events)


def _public_view(rules: RuleSet, seed: str, snapshot: Snapshot) -> Mapping[str, Any]:
    return views.view(Play(rules, seed, msgspec.msgpack.decode(snapshot.state, type=State)), "public")


class _About:
    def __init__(self, conn: Connection) -> None:
        self.places = publication.places(conn)
        self._seats: dict[str, list[Any]] = {}
        told = select(SEAT.c.game_id, SEAT.c.faction, SEAT.c.dot, SEAT.c.care, SEAT.c.opponent, SEAT.c.address)
        for seat in conn.execute(told.order_by(SEAT.c.dot)):
            self._seats.setdefault(seat.game_id, []).append(seat)
        self._names = people.pseudonyms_of_all_games(conn)
        times = select(ROLLBACK.c.game_id, func.count().label("times")).group_by(ROLLBACK.c.game_id)
        self.taken_back = {row.game_id: row.times for row in conn.execute(times)}

    def cast(self, row: Any) -> tuple[Cast, ...]:
        return _cast_of_row(row, self._seats.get(row.id, []), self._names.get(row.id, {}))


def _shelved(conn: Connection, row: Any, about: _About) -> Shelved | None:
    over, place = row.status == "over", about.places.get(row.id)
    shown = publication.policy_shown(policy_of(row.archive), place, over=over)
    if shown is None:
        return None
    if over:
        what = f"over {row.entries} {row.events} {row.commitment}"
        if there := _press_of_row(conn, row):
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


UNSAID = "(between these two)"
"""The record has this text in place of the words of an offer that was not accepted."""


@dataclass(frozen=True, slots=True)
class KeptChain:
    """The chained lines that were written while a game was played (``bot.record.lines``). ``count`` is the expected
    number of lines, ``head`` is the digest of the last line, and ``words_key`` is the key that hid the words of offers.
    ``trouble`` says why the lines cannot be read, or is ""."""

    lines: Sequence[bytes]
    count: int
    head: str
    words_key: bytes
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """Everything that proves a game. ``events`` contains the stored bytes of each event. ``snapshots`` are the stored
    positions, by turn and phase. ``counted`` is the expected number of entries and of events. A record that was read
    from a file has no snapshots, counts or chain: its log is the proof."""

    id: str
    ruleset: str
    options: Mapping[str, Any]
    seed: str
    commitment: str
    dots: Mapping[Faction, int]
    log: Sequence[bytes]
    events: Sequence[bytes]
    snapshots: Mapping[tuple[int, str], KeptSnapshot] = field(default_factory=dict)
    counted: tuple[int, int] | None = None
    chain: KeptChain | None = None

    def as_json(self) -> str:
        log, events = ([json.loads(data) for data in rows] for rows in (self.log, self.events))
        _leave_out_talk(log, events)
        document = {
            "mentat": 1,
            "id": self.id,
            "ruleset": self.ruleset,
            "options": dict(self.options),
            "seed": self.seed,
            "commitment": self.commitment,
            "dots": dict(self.dots),
            "log": log,
            "events": events,
        }
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"

    def packed(self) -> bytes:
        return gzip.compress(self.as_json().encode(), mtime=0)


def full_record(conn: Connection, game_id: str) -> Record:
    begun = games.game_start(conn, game_id)
    return Record(
        game_id,
        begun.ruleset,
        begun.options,
        begun.seed,
        begun.commitment,
        {faction: seat.dot for faction, seat in games.seats_of(conn, game_id).items()},
        log_data(conn, game_id),
        games.event_data(conn, game_id),
        games.kept_snapshots(conn, game_id),
        (begun.entries, begun.events),
        _chain(conn, game_id, begun) if begun.head or begun.lines else None,
    )


def _chain(conn: Connection, game_id: str, begun: GameStart) -> KeptChain:
    try:
        lines, trouble = record_parts.stored_lines(conn, game_id), ""
    except NotARecord as error:
        lines, trouble = [], str(error)
    return KeptChain(lines, begun.lines, begun.head, begun.words_key, trouble)


def record_lines(conn: Connection, game_id: str) -> bytes:
    """Return the record of a game, `game.jsonl`. The record of a game in play ends at its latest line.

    If an older Mentat began a game that is now finished, make its record now, and store it if the connection may write.
    Raise UnknownGame if there is no such game, and NotARecord if lines are missing or damaged or if replaying the log
    today leads to a different game.
    """
    begun = games.game_start(conn, game_id)
    if begun.head:
        lines = record_parts.stored_lines(conn, game_id)
    else:
        seats = games.seats_of(conn, game_id)
        lines = record_parts.record_made_late(conn, games.head_of(conn, game_id), begun.seed, begun.words_key, seats)
        if begun.over and conn.get_execution_options().get("write"):
            record_parts.store_record_late(conn, game_id, lines)
    return b"".join(line + b"\n" for line in lines)


def _leave_out_talk(log: Sequence[Any], events: Sequence[Any]) -> None:
    """Replace the words of offers that led to no deal. The words of deals stay: everybody could read them."""
    made = {(*event["facts"]["parties"], event["facts"]["text"]) for event in events if event["kind"] == "deal-made"}
    offered = [
        (entry["faction"], order["faction"], order)
        for entry in log
        for order in entry.get("orders", ())
        if order["type"] == "Deal"
    ]
    told = [event["facts"] for event in events if event["kind"] == "offer-made"]
    offered += [(facts["giver"], facts["receiver"], facts) for facts in told if facts["what"] == "deal"]
    for giver, receiver, words in offered:
        text = " ".join(words["text"].split())
        if text and (giver, receiver, text) not in made:
            words["text"] = UNSAID


_NEEDED = tuple(
    f'"{kind}"'.encode() for kind in ("strongholds", "nexus-over", "battle-won", "battle-without-winner", "game-won")
)
"""Kinds of events that decide or describe the end of a game."""


def finished_games(conn: Connection, since: date | None = None, ruleset: str = "") -> list[TableOutcome]:
    """Return the finished games, ordered by the day on which they ended; optionally only those that ended on or after
    ``since``, or those of one rule set. A tournament table has the result that counts in the tournament."""
    rows = conn.execute(select(GAME.c.id).where(GAME.c.status == "over").order_by(GAME.c.created_at, GAME.c.id))
    letters = _letters(conn)
    counted = _results(conn)
    outcomes = [_finished(conn, row.id, letters.get(row.id, 0), counted.get(row.id)) for row in rows.all()]
    return sorted(
        (
            one
            for one in outcomes
            if (not ruleset or one.ruleset == ruleset) and (since is None or (one.ended and one.ended >= since))
        ),
        key=lambda one: (one.ended or date.max, one.game),
    )


def _finished(conn: Connection, game_id: str, letters: int, result: TableOutcome | None) -> TableOutcome:
    founded = games.game_start(conn, game_id)
    cast = cast_of(conn, game_id)
    named = people.pseudonyms_of_game(conn, game_id)
    data = games.event_data(conn, game_id)
    told = outcome_of(events.decode(one) for one in data if any(kind in one for kind in _NEEDED))
    told.turn, _ = games.progress(conn, game_id)
    began, ended = days_of(conn, game_id)
    outcome = told.table(
        game_id,
        founded.ruleset,
        {each.faction: each.dot for each in cast},
        names={each.faction: each.name if each.faction in named else "" for each in cast},
        began=began,
        ended=ended,
        letters=letters,
        rules=founded.options,
    )
    if result is None:
        return outcome
    return replace(outcome, kind=result.kind, winners=result.winners, how=result.how, turn=result.turn)


def _letters(conn: Connection) -> dict[str, int]:
    found = select(LETTER.c.game_id, func.count().label("letters")).group_by(LETTER.c.game_id)
    return {row.game_id: row.letters for row in conn.execute(found)}


def _results(conn: Connection) -> dict[str, TableOutcome]:
    found = select(TABLE.c.tournament_id).where(TABLE.c.game_id != "").distinct()
    return {
        result.outcome.game: result.outcome
        for tournament_id in conn.scalars(found).all()
        for result in tournament_rounds.newest_results(conn, tournament_id).values()
    }


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    name: str
    seats: tuple[tuple[str, str], ...]
    duties: Duties


def listed_players(conn: Connection) -> list[ListedPlayer]:
    over = select(SEAT.c.game_id, SEAT.c.faction, SEAT.c.address).join(GAME, GAME.c.id == SEAT.c.game_id)
    over = over.where(GAME.c.status == "over").order_by(GAME.c.created_at, SEAT.c.game_id, SEAT.c.dot)
    seats: dict[str, list[tuple[str, str]]] = {}
    addresses: dict[str, str] = {}
    known: dict[str, Mapping[str, people.Pseudonym]] = {}
    for row in conn.execute(over).all():
        if row.game_id not in known:
            known[row.game_id] = people.pseudonyms_of_game(conn, row.game_id)
        own = known[row.game_id].get(row.faction)
        if own is not None and own.listed:
            seats.setdefault(own.name, []).append((row.game_id, as_faction(row.faction)))
            addresses[own.name] = row.address
    return [
        ListedPlayer(name, tuple(played), deadlines.duties_of(conn, addresses[name]))
        for name, played in sorted(seats.items())
    ]
