"""Points and places of a tournament from its export alone, written apart from the program, with the standard library.

It knows scoring by wins and factors, all ways to add up, substitutes who are protected, semifinals and finals, and the
tie-breaks ``points``, ``wins`` and ``lot``. It reads nothing of the program but the JSON document. Ratings are computed
apart from the program as well, by the text of ``docs/ratings.md``.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import tomllib
from fractions import Fraction
from typing import Any

WIN = [Fraction(12), Fraction(8), Fraction(6)]
FACTOR = {"default": Fraction(3, 4), "adjudicated": Fraction(3, 4), "agreed": Fraction(1, 2)}
Row = tuple[str, Fraction, bool, bool]
"""An entrant, their points at a table, whether they won, and whether they sat there from the start."""


def table(result: dict[str, Any], forfeit: Fraction, absent: Fraction, means: dict[str, Fraction]) -> list[Row]:
    """What everybody has from a table."""
    rows = []
    for seat in result["seats"] if result["kind"] != "void" else ():
        last, won = seat["tenures"][-1], seat["faction"] in result["winners"]
        worth = WIN[len(result["winners"]) - 1] * FACTOR.get(result["kind"], Fraction(1)) if won else Fraction(0)
        turns = [0 if it.get("why") == "no-show" else it["last"] - it["first"] + 1 for it in seat["tenures"]]
        for place, tenure in enumerate(seat["tenures"]):
            entrant, price = tenure["entrant"], Fraction(seat.get("price", 0), 10) if place == 0 else Fraction(0)
            if tenure.get("why") == "no-show":
                rows.append((entrant, absent, False, True))
            elif entrant and tenure is not last:
                rows.append((entrant, forfeit - price, False, True))
            elif entrant and place == 0:
                rows.append((entrant, worth - price, won, True))
            elif entrant:
                safe = means.get(entrant, Fraction(0)) if 2 * turns[-1] >= sum(turns) else Fraction(0)
                rows.append((entrant, max(worth, safe), won, False))
    return rows


def places(document: bytes) -> list[tuple[str, Fraction]]:
    """The entrants in order, with their points."""
    event = json.loads(document)
    scoring = tomllib.loads(event["settings"]).get("scoring", {})
    forfeit, absent = Fraction(scoring.get("forfeit", 0)), Fraction(scoring.get("absent", 0))
    newest = {}
    for result in sorted((it["outcome"] for it in event["results"]), key=lambda it: it.get("version", 1)):
        newest[result["round"], result["table"]] = result
    last = {one["number"]: one["draw"] for one in event["rounds"] if one["kind"] in ("semifinal", "final")}

    def own_means(stage: int) -> dict[str, Fraction]:
        """The mean of each entrant in the heats (stage 0), or in a round for some."""
        own: dict[str, list[Fraction]] = {}
        for it in newest.values():
            for entrant, points, _, seated in table(it, forfeit, absent, {}) if stage == last_of(it) else ():
                own.setdefault(entrant, []).extend([points] if seated else [])
        return {entrant: sum(points, Fraction(0)) / len(points) for entrant, points in own.items() if points}

    def last_of(it: dict[str, Any]) -> int:
        return int(it["round"]) if it["round"] in last else 0

    means = own_means(0)
    rows = [row for it in newest.values() if it["round"] not in last for row in table(it, forfeit, absent, means)]
    stages: dict[str, tuple[int, Fraction]] = {}
    for number, draw in sorted(last.items()):
        means = own_means(number)
        there = [row for it in newest.values() if it["round"] == number for row in table(it, forfeit, absent, means)]
        for seat in (seat for it in draw["tables"] if it["round"] == number for seat in it["seats"]):
            stages[seat["entrant"]] = (
                number,
                sum((worth for who, worth, _, _ in there if who == seat["entrant"]), Fraction(0)),
            )
    for one in (one for one in event["rounds"] if one["number"] not in last):
        rows += [
            (entrant, Fraction(scoring.get("sit_out", 0)), False, False)
            for entrant in (one["draw"] or {}).get("sat_out", ())
        ]
    seeds = [one["draw"]["seed"] for one in event["rounds"] if one["draw"]]
    order = []
    for entrant in (it["handle"] for it in event["entrants"]):
        out = next(it for it in event["entrants"] if it["handle"] == entrant)["state"] == "disqualified"
        made = sorted((Fraction(0) if out else points for who, points, _, _ in rows if who == entrant), reverse=True)
        how, number = scoring.get("aggregate", "all"), len(made)
        if how[:4] == "best":
            number = int(how[5:])
        elif how[:11] == "minus worst":
            number = max(1, len(made) - int(how[12:]))
        wins = 0 if out else sum(won for who, _, won, _ in rows if who == entrant)
        lot = hmac.new(seeds[0].encode(), f"lot/{entrant}#0".encode(), hashlib.sha256).hexdigest()
        stage, there_made = stages.get(entrant, (0, Fraction(0)))
        order.append((out, -stage, -there_made, -sum(made[:number], Fraction(0)), -wins, lot, entrant))
    return [(entrant, -points) for *_, points, _, _, entrant in sorted(order)]
