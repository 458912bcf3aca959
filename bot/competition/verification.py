"""The verification of a published tournament: recompute all parts of its document that follow from other parts.

The parts are checked in this order: the settings and their digest; the commitment; for each draw the digest of its
roster, its seed (once the secret is published), its history, and the whole seating; the tables; the results; the last
turns; the standings; the ratings; and finally the checksums of the parts and the form of the file, which protect
everything that cannot be recomputed. The report names the first difference.

If the records of the games are available, the winners are checked against them. A record is identified by the head of
its chain. The report lists winners that are taken on trust: those of tables without a record, and those changed by an
act.

No game may go beyond the turn that was announced as its last. A hidden last turn follows from the secret, which is
published at the end. A table may have been told a different turn, because the round ended early or because its game had
already gone further. An act then records this, and the report has a note about it. A last turn that is neither the
hidden one nor announced by an act is reported as a difference.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import Any

import msgspec

from bot.competition import ratings
from bot.competition.factions import box_of, undrawn_factions
from bot.competition.outcomes import ResultRefused, TableOutcome, require_possible_result
from bot.competition.published import (
    ADDED,
    FORMAT,
    Act,
    Cost,
    DrawRecord,
    NotPublished,
    Published,
    Result,
    Round,
    Seated,
    Standing,
    TableDrawn,
    TableNow,
    clean_given_name,
    commitment,
    decode_published,
    differing_parts,
    encode_published,
    hidden_last_turn,
    roster_digest,
    round_seed,
    sum_of_round,
)
from bot.competition.seating import SeatingWishes, count_byes, draw_again
from bot.competition.settings import (
    SettingsRefused,
    TournamentSettings,
    effective_settings,
    read_settings,
    settings_digest,
)
from bot.competition.standings import standings_of_published
from rules.rulesets.options import RuleSetError

LEAD = timedelta(hours=24)
"""The minimum time between the freezing of a draw and the moment when its beacon comes into existence."""
FACTIONS_AFTER_DRAW = ("two-cards", "preference", "auction")
DECIDED = ("arbiters", "stopped", "agreed")
"""The decisions that end a game. The record of such a game also contains the winners."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The findings. ``difference`` is the first difference, or "". ``notes`` lists the parts that could not be
    recomputed. ``won`` counts the tables that have a winner, and ``proved`` counts the tables whose winners the records
    confirm. ``trust`` lists the results that were taken on trust."""

    difference: str = ""
    notes: tuple[str, ...] = ()
    proved: int = 0
    won: int = 0
    trust: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProvedEnd:
    """The end of a game according to its record, which was read and replayed. ``winners`` is empty if nobody won."""

    winners: tuple[str, ...]
    turn: int


Records = Mapping[str, ProvedEnd]
"""The records that are available, by the head of their chain."""


def verify(data: bytes, records: Records | None = None, said_sum: str = "") -> Verification:
    """Verify the bytes of an export. Raise NotPublished if they are not an export. ``said_sum`` is a checksum from one
    of the tournament's letters, for either a round or the whole document."""
    document = decode_published(data)
    found = verify_document(document, records or {})
    if not found.difference and data != encode_published(document):
        return replace(found, difference=_form(data, encode_published(document)))
    sums = [document.sum, *(sum_of_round(document, one.number) for one in document.rounds)]
    if not found.difference and said_sum and said_sum not in sums:
        why = f"The sum {said_sum} belongs neither to the file nor to one of its rounds: something was changed."
        return replace(found, difference=why)
    return found


def verify_document(document: Published, records: Records | None = None) -> Verification:
    if document.mentat not in (*ADDED, FORMAT):
        raise NotPublished(f"This export has format {document.mentat}; this Mentat reads formats up to {FORMAT}.")
    notes = tuple(_notes(document))
    try:
        settings = effective_settings(document.settings, document.effective)
    except SettingsRefused as refused:
        return Verification(f"The settings cannot be read: {refused}", notes)
    for check in _CHECKS:
        try:
            difference = next(check(document, settings), "")
        except (ArithmeticError, AssertionError, LookupError, RuleSetError, ValueError) as error:
            difference = f"The file's data for {_SUBJECTS[check]} is invalid: {str(error) or type(error).__name__}."
        if difference:
            return Verification(difference, notes)
    return _proved(document, records or {}, notes)


def _proved(document: Published, records: Records, notes: tuple[str, ...]) -> Verification:
    heads = {(one.round, one.table): one for one in document.records}
    proved, trusted, changed = list[str](), list[str](), list[str]()
    won = {place: result for place, result in _newest(document.results).items() if result.outcome.kind != "void"}
    for place, result in won.items():
        outcome, kept = result.outcome, heads.get(place)
        end = records.get(kept.head) if kept else None
        if result.by and outcome.how not in DECIDED:
            changed.append(_at(place))
        elif end is None:
            trusted.append(_at(place))
        elif (set(outcome.winners), outcome.turn) != (set(end.winners), end.turn):
            said = f"{' and '.join(outcome.winners)} in turn {outcome.turn}"
            due = f"{' and '.join(end.winners) or 'nobody'} in turn {end.turn}"
            return Verification(f"Table {_at(place)}: won by {said}, but by {due} in the record of its game.", notes)
        else:
            proved.append(_at(place))
    trust = [f"the winners of {', '.join(trusted)}, whose records are missing"] if trusted else []
    trust += [f"the winners of {', '.join(changed)}, which an act of the organisers changed"] if changed else []
    return Verification("", notes, len(proved), len(won), tuple(trust))


def _form(data: bytes, due: bytes) -> str:
    lines, wanted = data.split(b"\n"), due.split(b"\n")
    different = [number for number, (one, other) in enumerate(zip(lines, wanted, strict=False), 1) if one != other]
    line = different[0] if different else min(len(lines), len(wanted))
    return f"Line {line} of the file has the right content in the wrong form: another program wrote the file."


def _notes(document: Published) -> Iterator[str]:
    for draw in _draws(document.rounds):
        if _is_sealed(draw):
            why = "pairs that are kept apart" if draw.apart_digest else "waking hours"
            yield f"{_rounds(draw)}: the seating depends on {why}, which are sealed; only auditors can recompute it."
        if not draw.beacon:
            yield f"{_rounds(draw)}: drawn without a beacon: anybody who knew the secret could compute it beforehand."
        elif _is_used_again(document, draw) and not _frozen(document, draw):
            yield f"{_rounds(draw)}: drawn with an earlier draw's beacon, known beforehand to anybody with the secret."
    for each in voided_draws(document):
        rests = f"beacon {each.beacon!r}" if each.beacon else "no beacon"
        yield f"Round {each.rounds}: drawn on {each.at:%Y-%m-%d} with {rests}, void by an act: {each.why or '-'}."
    yield from last_turn_notes(document)
    if not document.secret and any(one.draw for one in document.rounds):
        yield "The secret is published at the end; until then nobody can tell whether the seeds were chosen."
    yield from _defaults_since(document)
    if document.tie_breaks_changed:
        yield f"After the first draw: {document.tie_breaks_changed}."


# --- settings and draws ----------------------------------------------------------------------------------------------


def _defaults_since(document: Published) -> Iterator[str]:
    for name, here, today in _written_otherwise(document):
        if name not in _flat(tomllib.loads(document.settings)):
            yield f"The default of {name} was {here} and is now {today}; the tournament uses the old one."


def _written_otherwise(document: Published) -> Iterator[tuple[str, Any, Any]]:
    try:
        today = _flat(msgspec.json.decode(msgspec.json.encode(read_settings(document.settings))))
    except SettingsRefused:
        return
    here = _flat(document.effective)
    written = _flat(tomllib.loads(document.settings))
    known = here.keys() | (today.keys() & written.keys())  # ignore settings that are newer than the document
    for name in sorted(known) if here else ():
        if here.get(name) != today.get(name):
            yield name, here.get(name), today.get(name)


def _flat(table: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in table.items():
        flat |= _flat(value, f"{above}{name}.") if isinstance(value, dict) and value else {f"{above}{name}": value}
    return flat


def _settings(document: Published, settings: TournamentSettings) -> Iterator[str]:
    written = _flat(tomllib.loads(document.settings))
    for name, here, today in _written_otherwise(document):
        if name in written:
            yield f"The settings say that {name} is {today}, but the full settings say {here}."
    due = settings_digest(document.settings)
    if due != document.settings_sha256:
        yield f"The SHA-256 of the settings is {due}; the file says {document.settings_sha256}."


def _secret(document: Published, settings: TournamentSettings) -> Iterator[str]:
    if document.secret and commitment(document.secret) != document.commitment:
        yield (f"The SHA-256 of the secret is {commitment(document.secret)}; the commitment is {document.commitment}.")


def _entrants(document: Published, settings: TournamentSettings) -> Iterator[str]:
    handles = [one.handle for one in document.entrants]
    for handle, times in Counter(handles).items():
        if times > 1:
            yield f"{handle} is the handle of {times} entrants; each handle must be unique."
    if handles != sorted(handles, key=_number):
        yield "The entrants are not in the order of their handles."


def _number(handle: str) -> tuple[int, str]:
    return len(handle), handle


def _draw_records(document: Published, settings: TournamentSettings) -> Iterator[str]:
    known = {one.handle for one in document.entrants}
    earlier: list[TableDrawn] = []
    draws: list[DrawRecord] = []
    for draw in _draws(document.rounds):
        where = _rounds(draw)
        yield from _same_draw(document.rounds, draw)
        yield from _beacon(document, draw)
        if (due := roster_digest(draw.roster)) != draw.roster_digest:
            yield f"{where}: the digest of the roster is {due}, but the file says {draw.roster_digest}."
        if strangers := [handle for handle in draw.roster if handle not in known]:
            yield f"{where}: {strangers[0]} is on the roster but is not an entrant."
        if sorted(draw.ranked) != sorted(draw.roster) or len(set(draw.roster)) != len(draw.roster):
            yield f"{where}: the ranking does not list everybody on the roster exactly once."
        if document.secret:
            due = round_seed(document.secret, draw.rounds[0], draw.roster_digest, draw.beacon)
            if due != draw.seed:
                yield f"{where}: the secret gives the seed {due}, but the file says {draw.seed}."
        before = {(table.round, table.table): table for table in earlier}
        for table in draw.history:
            if not _same_people(before.get((table.round, table.table)), table):
                yield f"{where}: table {table.round}.{table.table} of its history differs from its draw."
        if draw.byes != (due_byes := count_byes(draws, draw.roster)):
            yield (
                f"{where}: {_brief(draw.byes)} sat out before, according to the file, but the earlier draws give "
                f"{_brief(due_byes)}."
            )
        yield from _seating(draw, settings)
        earlier += draw.tables
        draws.append(draw)


_FREEZE = re.compile(r"round (?P<round>[0-9]+).* frozen: .*; roster (?P<roster>[0-9a-f]{64}); .* of (?P<at>[-0-9: ]+Z)")


def _frozen(document: Published, draw: DrawRecord) -> tuple[Act, re.Match[str]] | None:
    every = [(act, read) for act in document.acts if act.command == "freeze" and (read := _FREEZE.match(act.words))]
    return next((each for each in reversed(every) if int(each[1]["round"]) == draw.rounds[0]), None)


_DRAWN = re.compile(
    r"round (?P<rounds>[0-9, ]+) \([a-z]+\) drawn: .*?; roster (?P<roster>[0-9a-f]{64}); "
    r"(?:seed (?P<seed>[0-9a-f]{64})|[^;]*); "
    r"(?:beacon ['\"](?P<beacon>[^'\"]*)(?:['\"](?:;|$)|$)|no beacon|without the beacon that was announced)"
)
_VOIDED = re.compile(r"the draw of round (?P<rounds>[0-9, ]+) is void: roster (?P<roster>[0-9a-f]{64}); ")


@dataclass(frozen=True, slots=True)
class VoidedDraw:
    """A void draw, as described by its act: when it was made, when and why it became void, and the inputs of its seed.
    ``seed`` is "" if it was never announced."""

    rounds: str
    at: datetime
    void_at: datetime
    roster: str
    beacon: str
    seed: str
    why: str


def voided_draws(document: Published) -> list[VoidedDraw]:
    made: dict[str, tuple[Act, re.Match[str]]] = {}
    found = []
    for act in document.acts:
        if act.command == "draw" and (drawn := _DRAWN.match(act.words)):
            made[drawn["rounds"]] = act, drawn
        elif act.command == "void draw" and (void := _VOIDED.match(act.words)):
            at, drawn = made.pop(void["rounds"], (act, None))
            beacon, seed = (drawn["beacon"] or "", drawn["seed"] or "") if drawn else ("", "")
            found.append(VoidedDraw(void["rounds"], at.at, act.at, void["roster"], beacon, seed, act.why))
    return found


def _voided(document: Published, settings: TournamentSettings) -> Iterator[str]:
    beacons = {draw.rounds[0]: draw for draw in _draws(document.rounds)}
    for each in voided_draws(document):
        number = int(each.rounds.partition(",")[0])
        due = round_seed(document.secret, number, each.roster, each.beacon) if document.secret else ""
        if due and each.seed and due != each.seed and each.beacon.isascii() and "(an address)" not in each.beacon:
            yield f"Round {each.rounds}, void: the secret gives the seed {due}, but its act says {each.seed}."
        draw = beacons.get(number)
        if draw and draw.beacon and draw.beacon == each.beacon:
            yield f"{_rounds(draw)}: drawn again with the beacon {draw.beacon!r} of the draw that is void."
        frozen = _frozen(document, draw) if draw else None
        if draw and draw.beacon and (frozen is None or frozen[0].at < each.void_at):
            yield f"{_rounds(draw)}: drawn again with a beacon that was not named after the first draw became void."


def _is_used_again(document: Published, draw: DrawRecord) -> bool:
    return any(one.beacon == draw.beacon and one.rounds < draw.rounds for one in _draws(document.rounds))


def _beacon(document: Published, draw: DrawRecord) -> Iterator[str]:
    where = _rounds(draw)
    words = f"round {draw.rounds[0]}: {clean_given_name(draw.beacon, 600)}"
    sent = next((act for act in document.acts if act.command == "beacon" and act.words == words), None)
    if draw.beacon and draw.beacon != document.beacon and sent is None:
        yield f"{where}: drawn with the beacon {draw.beacon!r}, but the tournament's beacon is {document.beacon!r}."
    frozen = _frozen(document, draw)
    if frozen is None or not draw.beacon:
        return
    act, read = frozen
    at = datetime.strptime(read["at"], "%Y-%m-%d %H:%MZ").replace(tzinfo=UTC)
    if _is_used_again(document, draw):
        yield f"{where}: drawn with the beacon {draw.beacon!r}, which an earlier draw had."
    if at < act.at + LEAD:
        yield f"{where}: frozen at {act.at:%Y-%m-%d %H:%M}Z, too early for a beacon that exists from {read['at']} on."
    if sent is not None and sent.at < at:
        yield f"{where}: its beacon was sent at {sent.at:%Y-%m-%d %H:%M}Z, before it existed ({read['at']})."
    if not draw.sat_out and draw.kind not in ("heat", "ladder") and read["roster"] != draw.roster_digest:
        yield f"{where}: frozen with the roster {read['roster']}, but drawn with {draw.roster_digest}."


def _same_draw(rounds: Sequence[Round], draw: DrawRecord) -> Iterator[str]:
    for one in rounds:
        if one.number in draw.rounds and one.draw is not None and one.draw != draw:
            yield f"Round {one.number} was drawn with {_rounds(draw)}, but has another draw."
        if one.draw == draw and one.number not in draw.rounds:
            yield f"Round {one.number} has the draw of {_rounds(draw)}."
        if one.draw == draw and one.kind != draw.kind:
            yield f"Round {one.number} is a {one.kind} but was drawn as a {draw.kind}."


def _seating(draw: DrawRecord, settings: TournamentSettings) -> Iterator[str]:
    """Compare the seating with the one that follows from the seed. If the document does not contain enough to compute
    it, check only that every entrant sits exactly once in each round."""
    where = _rounds(draw)
    if _is_sealed(draw):
        yield from _once(draw)
        return
    again = draw_again(_as_drawn(draw, settings), seating_wishes(settings))
    mine, due = _as_drawn(draw, settings), _as_drawn(again, settings)
    for table, wanted in zip(mine.tables, due.tables, strict=False):
        if table != wanted:
            yield f"{where}: {_table_difference(table, wanted)}"
    if len(mine.tables) != len(due.tables):
        yield f"{where}: the seed gives {len(due.tables)} tables, but the file has {len(mine.tables)}."
    for field in draw.__struct_fields__:
        if getattr(mine, field) != getattr(due, field):
            yield f"{where}: {field} is {_brief(getattr(mine, field))}; the seed gives {_brief(getattr(due, field))}."


def seating_wishes(settings: TournamentSettings) -> SeatingWishes:
    tables = settings.tables
    return SeatingWishes(
        fours=tables.fours,
        missing=tables.missing,
        overlap_hours=tables.overlap_hours,
        factions=settings.factions.by not in FACTIONS_AFTER_DRAW,
        box=box_of(settings),
    )


def _as_drawn(draw: DrawRecord, settings: TournamentSettings) -> DrawRecord:
    if settings.factions.by not in FACTIONS_AFTER_DRAW:
        return draw

    def bare(table: TableDrawn) -> TableDrawn:
        seats = [Seated(entrant=seat.entrant, dot=seat.dot) for seat in table.seats]
        return msgspec.structs.replace(table, seats=tuple(seats))

    return msgspec.structs.replace(
        draw, tables=tuple(map(bare, draw.tables)), cost=msgspec.structs.replace(draw.cost, factions=0)
    )


def _once(draw: DrawRecord) -> Iterator[str]:
    for number in draw.rounds:
        seats = [seat for table in draw.tables if table.round == number for seat in table.seats]
        times = Counter(seat.entrant for seat in seats)
        for handle in draw.roster:
            if times.pop(handle, 0) > 1:
                yield f"Round {number}: {handle} sits at two tables."
        for handle in times:
            yield f"Round {number}: {handle} has a seat but is not on the roster."


def _table_difference(table: TableDrawn, due: TableDrawn) -> str:
    place = f"table {table.round}.{table.table}"
    if (table.round, table.table) != (due.round, due.table):
        return f"{place} is in the place of table {due.round}.{due.table}."
    for seat, wanted in zip(table.seats, due.seats, strict=False):
        if seat != wanted:
            return f"{place}: in the file {_seat(seat)}, but by the seed {_seat(wanted)}."
    return f"{place} has {len(table.seats)} seats, but the seed gives {len(due.seats)}."


def _seat(seat: Seated) -> str:
    return f"{seat.entrant} sits at dot {seat.dot}" + (f" as {seat.faction}" if seat.faction else "")


# --- tables and results ----------------------------------------------------------------------------------------------


def _tables(document: Published, settings: TournamentSettings) -> Iterator[str]:
    for one in document.rounds:
        drawn = [table.table for table in one.draw.tables if table.round == one.number] if one.draw else []
        there = [table.table for table in one.tables]
        if there and one.draw and there != drawn:
            yield f"Round {one.number} has the tables {_brief(there)}, but {_brief(drawn)} were drawn."
    places = {(one.number, table.table): table for one in document.rounds for table in one.tables}
    newest = _newest(document.results)
    playing = sum(table.state in ("planned", "playing") for table in places.values())
    if playing != document.still_playing:
        are = "table is" if playing == 1 else "tables are"
        yield f"{playing} {are} still playing, but the file says {document.still_playing}."
    for place, table in places.items():
        result = newest.get(place)
        if table.state in ("finished", "adjudicated", "void") and result is None and document.state != "cancelled":
            yield f"Table {_at(place)} is {table.state}, but has no result."
        if table.state in ("planned", "playing") and result is not None and result.state != "withdrawn":
            yield f"Table {_at(place)} is {table.state}, but has a result."


def _results(document: Published, settings: TournamentSettings) -> Iterator[str]:
    tables = {(one.number, table.table): table for one in document.rounds for table in one.tables}
    drawn = {
        (table.round, table.table): table
        for one in document.rounds
        if one.draw is not None
        for table in one.draw.tables
    }
    versions: Counter[tuple[int, int]] = Counter()
    for result in document.results:
        outcome = result.outcome
        place = (outcome.round, outcome.table)
        versions[place] += 1
        if outcome.version != versions[place]:
            yield f"Table {_at(place)}: version {versions[place]} of its result is missing."
        try:
            require_possible_result(outcome)
        except ResultRefused as refused:
            yield f"Table {_at(place)}: {refused}"
        if place not in tables:
            yield f"There is a result for table {_at(place)}, but no such table."
        elif tables[place].game != outcome.game:
            yield f"Table {_at(place)} played {tables[place].game}, but its result is for {outcome.game}."
        if place in drawn:
            yield from _holders(place, result, drawn[place], settings)


def _holders(place: tuple[int, int], result: Result, drawn: TableDrawn, settings: TournamentSettings) -> Iterator[str]:
    seats = {seat.dot: seat for seat in drawn.seats}
    if sorted(seats) != sorted(seat.dot for seat in result.outcome.seats):
        yield f"Table {_at(place)}: the dots in its result are not the ones that were drawn."
    swapped = settings.factions.by != "draw"
    if swapped:
        first = sorted(seat.tenures[0].entrant for seat in result.outcome.seats if seat.tenures)
        if first != sorted(seat.entrant for seat in drawn.seats):
            yield f"Table {_at(place)}: its players are not the ones who were drawn."
        if settings.factions.by == "trade":
            yield from _strange_factions(place, result, drawn, settings)
        return
    for seat in result.outcome.seats:
        due = seats[seat.dot]
        if not seat.tenures or seat.tenures[0].entrant != due.entrant:
            who = seat.tenures[0].entrant if seat.tenures else "nobody"
            yield f"Table {_at(place)}: {who} sat at dot {seat.dot}, but {due.entrant} was drawn."
        if due.faction and seat.faction != due.faction:
            yield f"Table {_at(place)}: dot {seat.dot} was {seat.faction}, but {due.faction} was drawn."


def _strange_factions(
    place: tuple[int, int], result: Result, drawn: TableDrawn, settings: TournamentSettings
) -> Iterator[str]:
    """Yield a sentence about each error in the factions of a table. Players may swap their factions, and at a table of
    fewer than six they may also take a faction that nobody drew (WBC.HR.1d)."""
    possible = {seat.faction for seat in drawn.seats} | set(undrawn_factions(settings, drawn))
    for seat in result.outcome.seats:
        if seat.faction not in possible:
            yield f"Table {_at(place)}: the {seat.faction} were played there, but nobody could have them."


def _last_turns(document: Published, settings: TournamentSettings) -> Iterator[str]:
    yield from last_turn_differences(document, settings)


# --- standings, ratings, checksums -----------------------------------------------------------------------------------


def _standings(document: Published, settings: TournamentSettings) -> Iterator[str]:
    due = standings_of_published(document)
    for said, wanted in zip(document.standings, due, strict=False):
        if said != wanted:
            yield _standing_difference(said, wanted)
    if len(due) != len(document.standings):
        yield f"The standings have {len(document.standings)} rows, but the results give {len(due)}."


def _standing_difference(said: Standing, due: Standing) -> str:
    where = f"Place {said.rank} of the standings"
    if said.entrant != due.entrant:
        return f"{where} is {said.entrant} in the file, but {due.entrant} by the results."
    for field in said.__struct_fields__:
        mine, wanted = getattr(said, field), getattr(due, field)
        if field in ("keys", "made_of") and mine != wanted:
            one, other = next((m, w) for m, w in zip_longest(mine, wanted, fillvalue="nothing") if m != w)
            return f"{where} ({said.entrant}): {_brief(one)} in the file, but the results give {_brief(other)}."
        if mine != wanted:
            return f"{where} ({said.entrant}): {field} is {_brief(mine)}, but the results give {_brief(wanted)}."
    return f"{where} differs."


def _ratings(document: Published, settings: TournamentSettings) -> Iterator[str]:
    if difference := ratings.first_rating_difference(document, settings.rated):
        yield difference


def _sums(document: Published, settings: TournamentSettings) -> Iterator[str]:
    for part in differing_parts(document):
        if part == "sums":
            yield "The sums in the file do not match its parts."
        yield f"The part {part!r} was changed: its SHA-256 is not the one in the file."


Check = Callable[[Published, TournamentSettings], Iterator[str]]
_SUBJECTS: Mapping[Check, str] = {
    _settings: "the settings",
    _secret: "the secret",
    _entrants: "the entrants",
    _draw_records: "the draws",
    _voided: "void draws",
    _tables: "the tables",
    _results: "the results",
    _last_turns: "last turns",
    _standings: "the standings",
    _ratings: "the ratings",
    _sums: "the sums",
}
_CHECKS: Sequence[Check] = tuple(_SUBJECTS)


# --- helpers of several checks ---------------------------------------------------------------------------------------


def _draws(rounds: Sequence[Round]) -> list[DrawRecord]:
    found: dict[tuple[int, ...], DrawRecord] = {}
    for one in sorted(rounds, key=lambda one: one.number):
        if one.draw is not None:
            found.setdefault(one.draw.rounds, one.draw)
    return list(found.values())


def _newest(results: Sequence[Result]) -> dict[tuple[int, int], Result]:
    found: dict[tuple[int, int], Result] = {}
    for result in sorted(results, key=lambda one: one.outcome.version):
        found[result.outcome.round, result.outcome.table] = result
    return found


def _is_sealed(draw: DrawRecord) -> bool:
    return bool(draw.apart_digest) or (draw.hours_sealed and not draw.hours)


def _same_people(one: TableDrawn | None, other: TableDrawn) -> bool:
    return one is not None and [(s.entrant, s.dot) for s in one.seats] == [(s.entrant, s.dot) for s in other.seats]


def _rounds(draw: DrawRecord) -> str:
    numbers = ", ".join(map(str, draw.rounds))
    return f"Rounds {numbers}" if len(draw.rounds) > 1 else f"Round {numbers}"


def _at(place: tuple[int, int]) -> str:
    return f"{place[0]}.{place[1]}"


def _brief(value: Any) -> str:
    if isinstance(value, Cost):
        return str(tuple(msgspec.to_builtins(value).values()))
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= 80 else f"{text[:79]}…"


def last_turn_differences(document: Published, settings: TournamentSettings) -> Iterator[str]:
    newest = _newest_result(document)
    for one, table in _tables_played(document):
        played = newest.get((one.number, table.table))
        if table.last_turn and played is not None and played.turn > table.last_turn:
            yield f"{_place_text(one, table)} ended in turn {played.turn}, but turn {table.last_turn} was its last."
    for one, table, hidden in _hidden_last_turns(document, settings):
        if table.last_turn and table.last_turn != hidden and not _was_told_by_act(document, one, table):
            where = _place_text(one, table)
            yield f"{where}: the secret makes turn {hidden} its last, but the file says {table.last_turn}."
        played = newest.get((one.number, table.table))
        if not table.last_turn and played is not None and played.turn > hidden:
            where = _place_text(one, table)
            yield f"{where} ended in turn {played.turn}, but the secret makes turn {hidden} its last."


def last_turn_notes(document: Published) -> Iterator[str]:
    try:
        settings = effective_settings(document.settings, document.effective)
    except SettingsRefused:
        return
    for one, table, hidden in _hidden_last_turns(document, settings):
        if table.last_turn and table.last_turn != hidden and _was_told_by_act(document, one, table):
            yield f"{_place_text(one, table)} was told turn {table.last_turn} as its last; the hidden one was {hidden}."


def _hidden_last_turns(document: Published, settings: TournamentSettings) -> Iterator[tuple[Round, TableNow, int]]:
    if not document.secret or settings.endings.end != "hidden":
        return
    for one, table in _tables_played(document):
        yield one, table, hidden_last_turn(document.secret, one.number, table.table, settings.endings.window)


def _tables_played(document: Published) -> Iterator[tuple[Round, TableNow]]:
    for one in document.rounds:
        for table in one.tables:
            yield one, table


def _was_told_by_act(document: Published, one: Round, table: TableNow) -> bool:
    words = f"table {one.number}.{table.table}: turn {table.last_turn} is the last"
    return any(act.command == "notice" and act.words == words for act in document.acts)


def _newest_result(document: Published) -> dict[tuple[int, int], TableOutcome]:
    found: dict[tuple[int, int], TableOutcome] = {}
    for result in sorted(document.results, key=lambda one: one.outcome.version):
        if result.state != "withdrawn":
            found[result.outcome.round, result.outcome.table] = result.outcome
    return found


def _place_text(one: Round, table: TableNow) -> str:
    return f"Table {one.number}.{table.table}"
