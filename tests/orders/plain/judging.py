"""A judge of lines in plain words. Each line is read in the position for which it is meant, and judged as in `score.py`
of the nearly orders: rightly or wrongly taken, proposed, or missed. An unclear line must not be taken."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from bot.lab import rulings
from bot.language.lines import Context
from bot.language.mail_lines import read_any
from bot.language.orders import Unread, read_as_written, write
from bot.language.sheets import SheetLine
from bot.table.lines import reading_context
from rules.components import Faction
from rules.engine.play import Play
from rules.orders import Order

NEARLY = Path(__file__).parents[2] / "nearly"
MOST_PROPOSED = 3

Verdict = Literal["taken", "proposed", "missed", "wrong", "ok", "TAKEN"]


@dataclass(frozen=True, slots=True)
class Case:
    """A line, its sender and position, and the orders that it may mean. ``want`` is empty for an unclear line."""

    id: str
    position: str
    faction: Faction
    line: str
    want: tuple[str, ...]


def cases(file: Path) -> list[Case]:
    """Read the cases in a file, which has the format of the nearly orders."""
    return [_case(entry) for entry in tomllib.loads(file.read_text(encoding="utf-8"))["case"]]


def _case(entry: Mapping[str, Any]) -> Case:
    want = entry.get("want", [])
    wants = (want,) if isinstance(want, str) else tuple(want)
    return Case(entry["id"], entry["position"], entry["faction"], entry["line"], wants)


@cache
def play(position: str) -> Play:
    """Return the game at a named position. Reading a line does not change it."""
    return rulings.play_ruling(tomllib.loads((NEARLY / "positions" / f"{position}.toml").read_text(encoding="utf-8")))


def context(position: str, faction: Faction, *, takes: bool = True) -> Context:
    return reading_context(play(position), faction, takes=takes)


def read(position: str, faction: Faction, line: str) -> str:
    """Return the outcome of a line: "taken bid 5", "proposed bid 5 | bid 6", "unread"."""
    match read_any(line, context(position, faction)):
        case Unread(_, suggestions):
            return f"proposed {' | '.join(suggestions)}" if suggestions else "unread"
        case Order() as order:
            return f"taken {write(order)}"
        case SheetLine():
            return "filed"
        case _:
            return "about the mail"


def judged(case: Case) -> Verdict:
    """Judge how a line was read."""
    asked = context(case.position, case.faction)
    result = read_any(case.line, asked)
    if not case.want:
        return "TAKEN" if isinstance(result, Order) and _does(case, result) else "ok"
    exact = replace(asked, known=None)
    wanted = [_orders(want.splitlines(), exact) for want in case.want]
    if isinstance(result, Order):
        return "taken" if [result] in wanted else "wrong"
    if not isinstance(result, Unread) or len(result.suggestions) > MOST_PROPOSED:
        return "missed"
    proposed = [_orders([line], exact) for line in result.suggestions]
    together = [order for orders in proposed for order in orders]
    return "proposed" if any(orders in (*proposed, together) for orders in wanted) else "missed"


def _does(case: Case, order: Order) -> bool:
    return play(case.position).check(case.faction, order).status != "refused"


def _orders(lines: Sequence[str], exact: Context) -> list[Order]:
    read = [read_as_written(line, exact) for line in lines]
    return [order for order in read if isinstance(order, Order)]
