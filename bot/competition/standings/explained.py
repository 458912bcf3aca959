"""What the points of an entrant are made of: a term for each table, which add up to them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from bot.competition.credits import Credit
from bot.competition.outcomes import Handle
from bot.competition.points import exact, printed
from bot.competition.published import Term
from bot.competition.scoring.system import System
from bot.competition.standings.record import Record
from rules.components.factions import faction_name

_SHARED = {1: "solo", 2: "pair", 3: "triple"}


def made_of(record: Record, system: System, entrant: Handle) -> tuple[Term, ...]:
    """The terms of their points, by round and table. One that does not count has the value 0 and says why."""
    counted = [credit for credit in record.credits[entrant] if credit.counts]
    weights = iter(system.aggregate.weigh([credit.net for credit in counted]))
    terms: list[Term] = []
    for credit in record.credits[entrant]:
        terms += _terms(credit, system, next(weights) if credit.counts else None)
    for credit in record.apart[entrant]:
        made = f"{printed(credit.net)} points, which order those who sat there"
        terms.append(Term(what=f"{_where(credit)}: {_what(credit, system)}: {made}", value="0"))
    return tuple(terms)


def _terms(credit: Credit, system: System, weight: Fraction | None) -> Iterator[Term]:
    what = f"{_where(credit)}: {_what(credit, system)}"
    if weight is None:
        yield Term(what=what, value="0")
    elif not weight:
        yield Term(what=f"{what}: {printed(credit.net)}, which does not count ({system.aggregate})", value="0")
    else:
        weighed = "" if weight == 1 else f", weight {exact(weight)}"
        yield Term(what=what + weighed, value=exact(credit.points * weight))
        if credit.price:
            yield Term(what=f"{_where(credit)}: price of the faction{weighed}", value=exact(-credit.price * weight))


def _where(credit: Credit) -> str:
    if not credit.table:
        return f"round {credit.round}"
    return f"round {credit.round}, table {credit.table}, {faction_name(credit.faction)}"


def _what(credit: Credit, system: System) -> str:
    """How they came off there: "pair, adjudicated, times 3/4"."""
    if credit.kind == "void":
        return "void"
    if credit.part in ("absent", "left", "sat out"):
        return credit.note or credit.part
    said = [credit.note] if credit.note else []
    if credit.won:
        said = [_SHARED.get(credit.winners, f"{credit.winners} winners"), credit.kind]
        factor = system.factor.get(credit.kind, Fraction(1))
        if factor != 1:
            said.append(f"times {exact(factor)}")
        said += [credit.note] if credit.note else []
    elif credit.part == "seated" and not credit.note:
        said = ["loss"]
        if credit.points:
            said.append(f"{credit.strongholds} strongholds")
    elif credit.part == "substitute":
        said.insert(0, "loss")
    return ", ".join(said)
