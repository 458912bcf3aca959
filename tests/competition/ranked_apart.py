"""The ranks of a tournament from its export alone, by the tie-breaks that settings have if they name none.

Written apart from the program with the standard library. For tournaments by wins of 12, 8 and 6 in which everybody
keeps their seat.
"""

from __future__ import annotations

import hmac
import json
from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from typing import Any

WIN = {1: 12, 2: 8, 3: 6}
FACTOR = {"default": Fraction(3, 4), "adjudicated": Fraction(3, 4), "agreed": Fraction(1, 2)}


def ranks(document: bytes) -> list[str]:
    """The entrants in order."""
    event = json.loads(document)
    kind_of = {one["number"]: one["kind"] for one in event["rounds"]}
    made: dict[str, dict[tuple[int, int], tuple[Fraction, dict[str, Any], dict[str, Any]]]] = defaultdict(dict)
    stage: dict[str, tuple[int, Fraction]] = {}
    met: dict[frozenset[str], set[tuple[int, int]]] = defaultdict(set)
    for result in (one["outcome"] for one in event["results"]):
        place = result["round"], result["table"]
        for seat in result["seats"]:
            entrant, won = seat["tenures"][0]["entrant"], seat["faction"] in result["winners"]
            worth = WIN[len(result["winners"])] * FACTOR.get(result["kind"], Fraction(1)) if won else Fraction(0)
            if kind_of[place[0]] in ("semifinal", "final"):
                stage[entrant] = max(stage.get(entrant, (0, worth)), (place[0], worth))
            elif result["kind"] != "void":
                made[entrant][place] = worth, result, seat
        if kind_of[place[0]] not in ("semifinal", "final") and result["kind"] != "void":
            for pair in combinations([seat["tenures"][0]["entrant"] for seat in result["seats"]], 2):
                met[frozenset(pair)].add(place)
    beside: dict[str, set[str]] = defaultdict(set)
    for those in met:
        for one in those:
            beside[one] |= those - {one}

    def criteria(entrant: str, group: list[str]) -> list[Any]:
        """The values of an entrant by each criterion, the greater the better; one where the ``group`` matters."""
        own = made[entrant]
        won = [result for worth, result, seat in own.values() if seat["faction"] in result["winners"]]
        others = [
            sum((made[other][at][0] for at in made[other] if at not in met[frozenset((entrant, other))]), Fraction(0))
            for other in beside[entrant]
        ]
        together = {at for other in group if other != entrant for at in met.get(frozenset((entrant, other)), ())}
        all_met = all(frozenset(pair) in met for pair in combinations(group, 2))
        turns = sum(result["turn"] for _, result, _ in own.values())
        over = sum(seat["strongholds_over_turns"] for _, _, seat in own.values())
        lot = hmac.digest(event["rounds"][0]["draw"]["seed"].encode(), f"lot/{entrant}#0".encode(), "sha256")
        return [
            stage.get(entrant, (0, Fraction(0))),
            sum((worth for worth, _, _ in own.values()), Fraction(0)),
            len(won),
            sum(result["kind"] not in ("adjudicated", "agreed") for result in won),
            [sum(len(result["winners"]) == many for result in won) for many in (1, 2, 3)],
            sum((own[at][0] for at in together), Fraction(0)) if all_met else 0,
            sum(others, Fraction(0)) / len(others) if others else Fraction(0),
            Fraction(over, turns) if turns else Fraction(0),
            -int.from_bytes(lot, "big"),
        ]

    groups = [[one["handle"] for one in event["entrants"]]]
    for number in range(9):
        finer = []
        for group in groups:
            if len(group) == 1:
                finer.append(group)
                continue
            value = {entrant: criteria(entrant, group)[number] for entrant in group}
            finer += [[one for one in group if value[one] == best] for best in _unlike(list(value.values()))]
        groups = finer
    return [entrant for group in groups for entrant in group]


def _unlike(values: list[Any]) -> list[Any]:
    """Each value once, the best first."""
    best: list[Any] = []
    for value in sorted(values, reverse=True):
        best += [value] if value not in best else []
    return best
