"""The standings, the origin of every number in them, and the players of the next round.

Criteria are applied one after another to separate tied entrants, and each row names the criterion that puts the next
row behind it. A criterion is a small function that gives a value to each entrant of a tied group; the greater value is
better. People can compare the values that are shown, and the terms show how the points add up. Semifinals and finals do
not add to the points, but put their players ahead of all others. So the standings also show the stage that each entrant
has reached; without it, nobody would know why a winner can have fewer points than the entrant in second place.

An entrant who withdrew or was disqualified is never drawn again; the next entrant in the standings takes their place. A
round that has been drawn is not drawn again. The sizes of alliances affect who wins a table, but never the number of
tables.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import Literal

from bot.competition.credits import Credit, Crediting, Record, counting_results, make_record
from bot.competition.outcomes import Handle, TableOutcome
from bot.competition.published import Entrant, Published, Result, Round, RoundKind, RoundState, Standing, Term
from bot.competition.scoring import NOTHING, System, exact_points, printed_points, scoring_system
from bot.competition.settings import TieBreak, TournamentSettings, effective_settings
from rules.components.factions import faction_name

__all__ = ["StageReached", "lot_seed", "stages_reached", "standings", "standings_of_published"]


def standings(
    settings: TournamentSettings,
    entrants: Sequence[Entrant],
    rounds: Sequence[Round],
    results: Iterable[Result],
    *,
    lot_seed: str,
    after: int | None = None,
    confirmed_only: bool = False,
    ended_now: Iterable[TableOutcome] = (),
) -> tuple[Standing, ...]:
    """Return the standings after the round ``after``, or up to now if it is None.

    With ``confirmed_only``, results that can still be protested are left out. ``ended_now`` has the outcomes that
    tables in play would have if they were stopped now; they are used only where a result is missing. Nobody stays tied:
    the last criterion is a lot, which is drawn from ``lot_seed``, the seed of the first round.
    """
    known = [one for one in rounds if after is None or one.number <= after]
    outcomes = counting_results(results, after, confirmed_only)
    decided = {(outcome.round, outcome.table) for outcome in outcomes}
    outcomes += [
        one for one in ended_now if (one.round, one.table) not in decided and (after is None or one.round <= after)
    ]
    taking_part = _taking_part(entrants, known, outcomes)
    crediting = Crediting(scoring_system(settings.scoring), settings.people.substitutes, settings.factions.charge)
    disqualified = [one.handle for one in entrants if one.state == "disqualified" and one.handle in taking_part]
    found = make_record(taking_part, known, outcomes, crediting, disqualified=disqualified, lot_seed=lot_seed)
    rows, values = _order(found, criteria_in_order(found, settings.tie_breaks))
    return tuple(
        Standing(
            rank=rank,
            entrant=entrant,
            points=printed_points(found.points[entrant]),
            keys=tuple((name, of[entrant].shown) for name, of in values),
            parted_by=parted_by,
            made_of=terms_of_points(found, crediting.system, entrant),
        )
        for rank, (entrant, parted_by) in enumerate(rows, 1)
    )


def standings_of_published(
    published: Published, *, after: int | None = None, confirmed_only: bool = False
) -> tuple[Standing, ...]:
    return standings(
        effective_settings(published.settings, published.effective),
        published.entrants,
        published.rounds,
        published.results,
        lot_seed=lot_seed(published.rounds, published.commitment),
        after=after,
        confirmed_only=confirmed_only,
    )


def lot_seed(rounds: Iterable[Round], commitment: str) -> str:
    drawn = {one.number: one.draw.seed for one in rounds if one.draw is not None and one.draw.seed}
    return drawn[min(drawn)] if drawn else commitment


def _taking_part(
    entrants: Iterable[Entrant], rounds: Iterable[Round], outcomes: Iterable[TableOutcome]
) -> list[Handle]:
    seen = {tenure.entrant for outcome in outcomes for seat in outcome.seats for tenure in seat.tenures}
    for one in rounds:
        if one.draw is not None:
            seen.update(one.draw.roster, one.draw.sat_out)
    waiting = ("invited", "entered", "standby", "withdrawn", "disqualified")
    return sorted(one.handle for one in entrants if one.handle in seen or one.state not in waiting)


def _order(
    found: Record, criteria: Sequence[tuple[str, Criterion]]
) -> tuple[list[tuple[Handle, str]], list[tuple[str, Values]]]:
    level: list[tuple[list[Handle], str]] = [(list(found.points), "")] if found.points else []
    values: list[tuple[str, Values]] = []
    for name, criterion in criteria:
        of: dict[Handle, Value] = {}
        finer: list[tuple[list[Handle], str]] = []
        for group, parted_by in level:
            here = criterion(found, group)
            of.update(here)
            equal: dict[tuple[Fraction | int, ...], list[Handle]] = {}
            for entrant in group:
                equal.setdefault(here[entrant].good, []).append(entrant)
            better = sorted(equal, reverse=True)
            finer += [(equal[good], parted_by if good == better[-1] else name) for good in better]
        level = finer
        values.append((name, of))
    return [(entrant, parted_by) for group, parted_by in level for entrant in group], values


@dataclass(frozen=True, slots=True)
class Value:
    good: tuple[Fraction | int, ...]
    shown: str


Values = Mapping[Handle, Value]
Criterion = Callable[[Record, Sequence[Handle]], Values]
NO_VALUE = "–"


def _each(value: Callable[[Record, Handle], Value]) -> Criterion:
    return lambda record, group: {entrant: value(record, entrant) for entrant in group}


def disqualified(record: Record, entrant: Handle) -> Value:
    out = entrant in record.disqualified
    return Value((not out,), "yes" if out else "no")


def stage(record: Record, entrant: Handle) -> Value:
    reached = record.stages[entrant]
    return Value((reached.round,), reached.name or NO_VALUE)


def stage_points(record: Record, entrant: Handle) -> Value:
    points = record.stages[entrant].points
    return Value((points,), printed_points(points))


def played(record: Record, entrant: Handle) -> Value:
    return Value((entrant not in record.idle,), "no" if entrant in record.idle else "yes")


def forfeits(record: Record, entrant: Handle) -> Value:
    count = sum(credit.forfeited for credit in record.credits[entrant])
    return Value((-count,), str(count))


def wins(record: Record, entrant: Handle) -> Value:
    count = len(record.wins(entrant))
    return Value((count,), str(count))


def points(record: Record, entrant: Handle) -> Value:
    return Value((record.points[entrant],), printed_points(record.points[entrant]))


def full_wins(record: Record, entrant: Handle) -> Value:
    """Return the number of games that the entrant has won by the rules of the game, not counting adjudicated or agreed
    wins."""
    count = sum(credit.kind not in ("adjudicated", "agreed") for credit in record.wins(entrant))
    return Value((count,), str(count))


def quality(record: Record, entrant: Handle) -> Value:
    shared = [credit.winners for credit in record.wins(entrant)]
    counts = tuple(shared.count(winners) for winners in range(1, 7))
    return Value(counts, "-".join(str(count) for count in counts[: max([3, *shared])]))


def first_heat(record: Record, entrant: Handle) -> Value:
    """Return the wins at the first table that the entrant played, then at the second, and so on. The value that is
    shown ends with the last win."""
    won = [int(credit.won) for credit in record.credits[entrant] if credit.counts and credit.table]
    bits = sum(win << (_MOST_HEATS - heat) for heat, win in enumerate(won[:_MOST_HEATS]))
    return Value((bits,), "-".join(str(win) for win in won[: _last_win(won)]) or "0")


_MOST_HEATS = 200


def _last_win(won: Sequence[int]) -> int:
    return max((heat for heat, win in enumerate(won, 1) if win), default=0)


def opponents(record: Record, entrant: Handle) -> Value:
    """Return the mean points of the opponents, not counting the points that they made at the tables where they met this
    entrant."""
    others = record.met.get(entrant, {})
    made = [
        sum((worth for place, worth in record.strength.get(other, {}).items() if place not in met), NOTHING)
        for other, met in others.items()
    ]
    mean = sum(made, NOTHING) / len(made) if made else NOTHING
    return Value((mean,), printed_points(mean))


def head_to_head(record: Record, group: Sequence[Handle]) -> Values:
    """Return the points at the tables where the tied entrants met each other. If some of them have never met, this
    separates nobody."""
    if any(other not in record.met.get(one, {}) for one, other in combinations(group, 2)) or len(group) < 2:
        return {entrant: Value((0,), "") for entrant in group}
    values = {}
    for one in group:
        places = frozenset().union(*(record.met[one][other] for other in group if other != one))
        made = sum((credit.net for credit in record.credits[one] if (credit.round, credit.table) in places), NOTHING)
        values[one] = Value((made,), printed_points(made))
    return values


def strongholds_per_turn(record: Record, entrant: Handle) -> Value:
    """Return the mean number of strongholds held at the end of a turn. Only seats that the entrant held at the end of
    the game count."""
    held = [credit for credit in record.credits[entrant] if credit.held and credit.counts]
    turns = sum(credit.turn for credit in held)
    share = Fraction(sum(credit.strongholds_over_turns for credit in held), turns) if turns else NOTHING
    return Value((share,), printed_points(share))


def hardest_faction(record: Record, entrant: Handle) -> Value:
    """Return the mean win rate, in this tournament, of the factions with which the entrant won. Lower is better."""
    return _lowest([record.win_rate[credit.faction] for credit in record.wins(entrant)])


def turns(record: Record, entrant: Handle) -> Value:
    return _lowest([Fraction(credit.turn) for credit in record.wins(entrant)])


def lot(record: Record, entrant: Handle) -> Value:
    """Return the HMAC-SHA256 of ``lot/HANDLE#0``, with the seed of the draw as its key. Lower is better."""
    drawn = hmac.digest(record.lot_seed.encode(), f"lot/{entrant}#0".encode(), "sha256").hex()
    return Value((-int(drawn, 16),), drawn[:8])


def _lowest(numbers: Sequence[Fraction]) -> Value:
    if not numbers:
        return Value((0, 0), NO_VALUE)
    mean = sum(numbers, NOTHING) / len(numbers)
    return Value((1, -mean), printed_points(mean))


CRITERIA: Mapping[TieBreak, Criterion] = {
    "played": _each(played),
    "forfeits": _each(forfeits),
    "wins": _each(wins),
    "points": _each(points),
    "full_wins": _each(full_wins),
    "quality": _each(quality),
    "first_heat": _each(first_heat),
    "opponents": _each(opponents),
    "head_to_head": head_to_head,
    "strongholds_per_turn": _each(strongholds_per_turn),
    "hardest_faction": _each(hardest_faction),
    "turns": _each(turns),
    "lot": _each(lot),
}


def criteria_in_order(record: Record, tie_breaks: Sequence[TieBreak]) -> list[tuple[str, Criterion]]:
    """Return all criteria of these standings in order. Criteria outside the settings come first, if they separate any
    entrants. The lot comes last, so nobody stays tied."""
    first: list[tuple[str, Criterion]] = []
    if record.disqualified:
        first.append(("disqualified", _each(disqualified)))
    if any(reached.round for reached in record.stages.values()):
        first += [("stage", _each(stage)), ("stage_points", _each(stage_points))]
    told = [name for name in tie_breaks if name != "played" or record.idle]
    named = [*told, *(() if "lot" in tie_breaks else ("lot",))]
    return first + [(name, CRITERIA[name]) for name in named]


_SHARED = {1: "solo", 2: "pair", 3: "triple"}


def terms_of_points(record: Record, system: System, entrant: Handle) -> tuple[Term, ...]:
    """Return the terms of an entrant's points by round and table. A term that does not count has the value 0 and says
    why."""
    counted = [credit for credit in record.credits[entrant] if credit.counts]
    weights = iter(system.aggregate.weigh([credit.net for credit in counted]))
    terms: list[Term] = []
    for credit in record.credits[entrant]:
        terms += _terms_of_table(credit, system, next(weights) if credit.counts else None)
    for credit in record.apart[entrant]:
        made = f"{printed_points(credit.net)} points, which order those who sat there"
        terms.append(Term(what=f"{_table_in_words(credit)}: {_result_in_words(credit, system)}: {made}", value="0"))
    return tuple(terms)


def _terms_of_table(credit: Credit, system: System, weight: Fraction | None) -> Iterator[Term]:
    what = f"{_table_in_words(credit)}: {_result_in_words(credit, system)}"
    if weight is None:
        yield Term(what=what, value="0")
    elif not weight:
        yield Term(what=f"{what}: {printed_points(credit.net)}, which does not count ({system.aggregate})", value="0")
    else:
        weighed = "" if weight == 1 else f", weight {exact_points(weight)}"
        yield Term(what=what + weighed, value=exact_points(credit.points * weight))
        if credit.price:
            yield Term(
                what=f"{_table_in_words(credit)}: price of the faction{weighed}",
                value=exact_points(-credit.price * weight),
            )


def _table_in_words(credit: Credit) -> str:
    if not credit.table:
        return f"round {credit.round}"
    return f"round {credit.round}, table {credit.table}, {faction_name(credit.faction)}"


def _result_in_words(credit: Credit, system: System) -> str:
    if credit.kind == "void":
        return "void"
    if credit.part in ("absent", "left", "sat out"):
        return credit.note or credit.part
    said = [credit.note] if credit.note else []
    if credit.won:
        said = [_SHARED.get(credit.winners, f"{credit.winners} winners"), credit.kind]
        factor = system.factor.get(credit.kind, Fraction(1))
        if factor != 1:
            said.append(f"times {exact_points(factor)}")
        said += [credit.note] if credit.note else []
    elif credit.part == "seated" and not credit.note:
        said = ["loss"]
        if credit.points:
            said.append(f"{credit.strongholds} strongholds")
    elif credit.part == "substitute":
        said.insert(0, "loss")
    return ", ".join(said)


DECIDES = "final"


@dataclass(frozen=True, slots=True)
class StageReached:
    stage: str
    place: int = 0


def stages_reached(rows: Sequence[Standing]) -> Mapping[Handle, StageReached]:
    """Return the last stage that each entrant reached, according to the standings. The result is empty if everybody
    plays all rounds.

    ``place`` is the place among all who reached that stage. It is 0 if nothing has been decided there yet, or if the
    winners of that stage went on to another stage.
    """
    values = {row.entrant: dict(row.keys) for row in rows}
    decided = {
        keys.get("stage", NO_VALUE)
        for keys in values.values()
        if keys.get("stage_points", "0") not in ("", "0", NO_VALUE)
    }
    count: dict[str, int] = {}
    found = {}
    for row in rows:
        stage = values[row.entrant].get("stage", NO_VALUE)
        if stage not in ("", NO_VALUE):
            count[stage] = count.get(stage, 0) + 1
            found[row.entrant] = StageReached(stage, count[stage] if stage == DECIDES and stage in decided else 0)
    return found


SEATS = 6
LEAST = 5


@dataclass(frozen=True, slots=True)
class PastRound:
    number: int
    kind: RoundKind
    state: RoundState


@dataclass(frozen=True, slots=True)
class Field:
    """The entrants who may play on (``able``), with the best in the standings first.

    - ``winners`` are the winners of the last round that was played.
    - ``seated`` is the number of entrants who have ever sat at a table.
    - ``busy`` are the entrants who have the maximum number of tables or, on a ladder, are not ready.
    """

    able: tuple[Handle, ...]
    winners: frozenset[Handle] = frozenset()
    seated: int = 0
    busy: frozenset[Handle] = frozenset()

    @property
    def by_wins(self) -> tuple[Handle, ...]:
        return tuple(sorted(self.able, key=lambda handle: handle not in self.winners))


@dataclass(frozen=True, slots=True)
class NextRound:
    kind: RoundKind
    numbers: tuple[int, ...]
    who: tuple[Handle, ...]


@dataclass(frozen=True, slots=True)
class RoundWaits:
    """No draw is possible until these rounds are closed or, if there are none, until enough players are free."""

    rounds: tuple[int, ...]


Following = NextRound | RoundWaits | Literal["finished"]


def next_round(settings: TournamentSettings, past: Sequence[PastRound], field: Field) -> Following:
    return _BY_FORMAT[settings.format](settings, past, field)


def _heats(settings: TournamentSettings, past: Sequence[PastRound], field: Field) -> Following:
    wanted, heats = settings.rounds, [each for each in past if each.kind == "heat"]
    if wanted.load and len(heats) == len(past):
        free = _free(field)
        if len(free) >= SEATS:
            return NextRound("heat", (len(past) + 1,), free)
        if any(each.state != "closed" for each in heats) or not heats:
            return RoundWaits(())
    elif len(heats) < wanted.heats:
        missing = tuple(range(len(past) + 1, len(past) + 1 + wanted.heats - len(heats)))
        if wanted.parallel:
            return NextRound("heat", missing, field.able)
        return _open(past) or NextRound("heat", missing[:1], field.able)
    if waits := _open(past):
        return waits
    kinds = {each.kind for each in past}
    if wanted.semifinal and field.seated > wanted.semifinal > wanted.final and not kinds & {"semifinal", "final"}:
        return NextRound("semifinal", (len(past) + 1,), field.able[: wanted.semifinal])
    if wanted.final and "final" not in kinds:
        order = field.by_wins if "semifinal" in kinds else field.able
        return _final(len(past) + 1, order[: wanted.final])
    return "finished"


def _swiss(settings: TournamentSettings, past: Sequence[PastRound], field: Field) -> Following:
    if waits := _open(past):
        return waits
    return NextRound("swiss", (len(past) + 1,), field.able) if len(past) < settings.rounds.swiss else "finished"


def _league(settings: TournamentSettings, past: Sequence[PastRound], field: Field) -> Following:
    if waits := _open(past):
        return waits
    return "finished" if past else NextRound("league", (1,), field.able)


def _ladder(settings: TournamentSettings, past: Sequence[PastRound], field: Field) -> Following:
    """Keep the only round of the ladder open until its director closes it. Tables are seated as players become
    ready."""
    free = _free(field)
    return NextRound("ladder", (len(past) + 1,), free) if len(free) >= SEATS else RoundWaits(())


def _knockout(settings: TournamentSettings, past: Sequence[PastRound], field: Field) -> Following:
    """Let all winners advance, and fill up their last table with the best of the others. When only one table is left,
    it is the final."""
    if not past:
        return NextRound("knockout" if len(field.able) > SEATS else "final", (1,), field.able)
    if waits := _open(past):
        return waits
    if past[-1].kind == "final":
        return "finished"
    tables = max(1, ceil(len(field.winners & frozenset(field.able)) / SEATS))
    who = field.by_wins[: tables * SEATS]
    return _final(len(past) + 1, who) if tables == 1 else NextRound("knockout", (len(past) + 1,), who)


def _final(number: int, who: tuple[Handle, ...]) -> Following:
    return NextRound("final", (number,), who) if len(who) >= LEAST else "finished"


def _free(field: Field) -> tuple[Handle, ...]:
    return tuple(handle for handle in field.able if handle not in field.busy)


def _open(past: Sequence[PastRound]) -> RoundWaits | None:
    still = tuple(each.number for each in past if each.state != "closed")
    return RoundWaits(still) if still else None


_BY_FORMAT = {"heats": _heats, "swiss": _swiss, "league": _league, "ladder": _ladder, "knockout": _knockout}


@dataclass(frozen=True, slots=True)
class DrawDifference:
    """The effect that a later result would have had on an earlier draw: the entrants who would have played, would not
    have played, or would have had another place. The round is not drawn again."""

    round: int
    would_have: tuple[Handle, ...] = ()
    would_not: tuple[Handle, ...] = ()
    elsewhere: tuple[Handle, ...] = ()

    @property
    def words(self) -> str:
        said = [
            f"{words}: {', '.join(handles)}"
            for words, handles in (
                ("would have played", self.would_have),
                ("would not", self.would_not),
                ("would have had another place", self.elsewhere),
            )
            if handles
        ]
        return f"round {self.round} keeps its draw; {'; '.join(said)}"


def draw_difference(number: int, before: Sequence[Handle], now: Sequence[Handle]) -> DrawDifference | None:
    if tuple(before) == tuple(now):
        return None
    more, less = tuple(h for h in now if h not in before), tuple(h for h in before if h not in now)
    old, new = [h for h in before if h in now], [h for h in now if h in before]
    return DrawDifference(number, more, less, tuple(h for h, other in zip(new, old, strict=True) if h != other))
