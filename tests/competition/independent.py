"""A tournament computed again from its export alone, independently of the program, with the standard library.

It uses nothing from the program except the JSON document, and follows the documentation. It covers the seeds of
`tournament-draw.md`, the points of systems by wins with their factors, all ways of adding points up, protected
substitutes, and the default tie-breaks. Ratings are computed by the program that `docs/ratings.md` prints.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import tomllib
from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

WIN = [Fraction(12), Fraction(8), Fraction(6)]
FACTOR = {"default": Fraction(3, 4), "adjudicated": Fraction(3, 4), "agreed": Fraction(1, 2)}
TIE_BREAKS = [
    "played", "forfeits", "points", "wins", "full_wins", "quality", "head_to_head", "opponents",
    "strongholds_per_turn", "lot",
]  # fmt: skip
NOTHING = Fraction(0)
Place = tuple[int, int]


class Row(NamedTuple):
    """An entrant's result at a table. ``seated`` is true if they sat there from the start, ``stays`` if they sat there
    to the end."""

    entrant: str
    place: Place
    points: Fraction
    won: bool = False
    seated: bool = True
    stays: bool = False


class Event:
    def __init__(self, document: bytes) -> None:
        self.event = json.loads(document)
        self.settings = tomllib.loads(self.event["settings"])
        self.scoring = self.settings.get("scoring", {})
        self.kind = {one["number"]: one["kind"] for one in self.event["rounds"]}
        self.played: dict[Place, dict[str, Any]] = {}
        for result in sorted(self.event["results"], key=lambda it: it["outcome"].get("version", 1)):
            outcome = result["outcome"]
            self.played[outcome["round"], outcome["table"]] = outcome
        self.rows = [
            row for stage in sorted({self.stage(at[0]) for at in self.played}) for row in self._of_stage(stage)
        ]
        self.by_entrant: dict[str, list[Row]] = defaultdict(list)
        for row in self.rows:
            self.by_entrant[row.entrant].append(row)
        self.out = {it["handle"] for it in self.event["entrants"] if it["state"] == "disqualified"}

    def stage(self, number: int) -> int:
        """Return the stage of a round. A round that not everybody plays is its own stage; all others are stage 0."""
        return number if self.kind.get(number) in ("semifinal", "final", "knockout") else 0

    def counts(self, place: Place) -> bool:
        return self.kind.get(place[0]) not in ("semifinal", "final") and self.played[place]["kind"] != "void"

    def _of_stage(self, stage: int) -> list[Row]:
        there = [place for place in sorted(self.played) if self.stage(place[0]) == stage]
        own: dict[str, list[Fraction]] = defaultdict(list)
        for row in (row for place in there for row in self._table(place, {})):
            own[row.entrant] += [row.points] if row.seated else []
        means = {entrant: sum(points, NOTHING) / len(points) for entrant, points in own.items() if points}
        return [row for place in there for row in self._table(place, means)]

    def _table(self, place: Place, means: dict[str, Fraction]) -> list[Row]:
        result, rows = self.played[place], []
        forfeit, absent = (Fraction(self.scoring.get(name, 0)) for name in ("forfeit", "absent"))
        for seat in result["seats"] if result["kind"] != "void" else ():
            last, won = seat["tenures"][-1], seat["faction"] in result["winners"]
            worth = WIN[len(result["winners"]) - 1] * FACTOR.get(result["kind"], Fraction(1)) if won else NOTHING
            turns = [0 if it.get("why") == "no-show" else it["last"] - it["first"] + 1 for it in seat["tenures"]]
            first, held = seat["tenures"][0]["entrant"], last["entrant"]
            for entrant in dict.fromkeys(it["entrant"] for it in seat["tenures"] if it["entrant"]):
                own = [number for number, it in enumerate(seat["tenures"]) if it["entrant"] == entrant]
                price = Fraction(seat.get("price", 0), 10) if entrant == first else NOTHING
                if entrant == held and last.get("why") != "no-show":
                    stood_in = seat["tenures"][own[0]].get("why") == "substitute"
                    enough = 2 * sum(turns[number] for number in own) >= sum(turns)
                    mean = means.get(entrant, NOTHING) if stood_in and enough else NOTHING
                    points = max(worth, mean) if stood_in else worth - price
                    rows.append(Row(entrant, place, points, won, not stood_in, True))
                elif all(seat["tenures"][number].get("why") == "no-show" for number in own):
                    rows.append(Row(entrant, place, absent))
                else:
                    rows.append(Row(entrant, place, forfeit - price))
        return rows

    # --- tie-breaks ---------------------------------------------------------------------------------------------------

    def own(self, entrant: str) -> list[Row]:
        return [row for row in self.by_entrant[entrant] if self.counts(row.place)]

    def points(self, entrant: str) -> Fraction:
        sat_out = [
            one["number"]
            for one in self.event["rounds"]
            if one["draw"] and self.counts_round(one) and entrant in one["draw"].get("sat_out", ())
            and entrant not in _seated(one)
        ]  # fmt: skip
        made = [row.points for row in self.own(entrant)] + [Fraction(self.scoring.get("sit_out", 0))] * len(sat_out)
        made = [NOTHING] * len(made) if entrant in self.out else sorted(made, reverse=True)
        how, number = self.scoring.get("aggregate", "all"), len(made)
        if how[:4] == "best":
            number = int(how[5:])
        elif how[:11] == "minus worst":
            number = max(1, len(made) - int(how[12:]))
        return sum(made[:number], NOTHING)

    def counts_round(self, one: dict[str, Any]) -> bool:
        return one["kind"] not in ("semifinal", "final")

    def reached(self, entrant: str) -> tuple[int, Fraction]:
        """Return the last selective round that an entrant reached, and their points there."""
        drawn = [one["number"] for one in self.event["rounds"] if one["draw"] and entrant in _seated(one)]
        stayed = [row.place[0] for row in self.by_entrant[entrant] if row.stays]
        last = max([self.stage(number) for number in (*drawn, *stayed)], default=0)
        there = [row.points for row in self.by_entrant[entrant] if row.place[0] == last and last]
        return last, NOTHING if entrant in self.out else sum(there, NOTHING)

    def wins(self, entrant: str) -> list[dict[str, Any]]:
        return [self.played[row.place] for row in self.own(entrant) if row.won and entrant not in self.out]

    def met(self) -> dict[frozenset[str], set[Place]]:
        found: dict[frozenset[str], set[Place]] = defaultdict(set)
        for place, result in self.played.items():
            sat = [
                {it["entrant"] for it in seat["tenures"] if it["entrant"] and it.get("why") != "no-show"}
                for seat in result["seats"]
            ]
            for one, other in combinations(sat if self.counts(place) else (), 2):
                for pair in ({here, there} for here in one for there in other if here != there):
                    found[frozenset(pair)].add(place)
        return found

    def value(self, name: str, entrant: str, group: list[str], met: dict[frozenset[str], set[Place]]) -> Any:
        """Return an entrant's value by a tie-break; greater is better. ``group`` are the entrants tied so far."""
        own, won = self.own(entrant), self.wins(entrant)
        if name == "played":
            draws = [one for one in self.event["rounds"] if one["draw"]]
            drawn = any(entrant in (*_seated(one), *one["draw"].get("sat_out", ())) for one in draws)
            held = [
                tenure
                for result in self.played.values()
                for seat in result["seats"]
                for tenure in seat["tenures"]
                if tenure["entrant"] == entrant
            ]
            return any(it.get("why") != "no-show" for it in held) if held else drawn
        if name == "forfeits":
            return -sum(not row.stays for row in own)
        if name == "points":
            return self.points(entrant)
        if name == "wins":
            return len(won)
        if name == "full_wins":
            return sum(result["kind"] not in ("adjudicated", "agreed") for result in won)
        if name == "quality":
            return [sum(len(result["winners"]) == many for result in won) for many in (1, 2, 3)]
        if name == "head_to_head":
            if not all(frozenset(pair) in met for pair in combinations(group, 2)):
                return 0
            together = {at for other in group if other != entrant for at in met[frozenset((entrant, other))]}
            return sum((row.points for row in own if row.place in together and entrant not in self.out), NOTHING)
        if name == "opponents":
            others = [next(iter(pair - {entrant})) for pair in met if entrant in pair]
            made = [
                sum(
                    (row.points for row in self.own(other) if row.place not in met[frozenset((entrant, other))]),
                    NOTHING,
                )
                for other in others
            ]
            return sum(made, NOTHING) / len(made) if made else NOTHING
        if name == "strongholds_per_turn":
            held = [(self.played[row.place], row) for row in own if row.stays]
            turns = sum(result["turn"] for result, _ in held)
            over = sum(
                seat["strongholds_over_turns"]
                for result, _ in held
                for seat in result["seats"]
                if seat["tenures"][-1]["entrant"] == entrant
            )
            return Fraction(over, turns) if turns else NOTHING
        assert name == "lot", name
        seed = next(one["draw"]["seed"] for one in self.event["rounds"] if one["draw"])
        return -int(hmac.new(seed.encode(), f"lot/{entrant}#0".encode(), hashlib.sha256).hexdigest(), 16)

    def order(self, entrants: list[str]) -> list[str]:
        met, groups = self.met(), [entrants]
        named = self.settings.get("tie_breaks", TIE_BREAKS)
        for name in ("out", "stage", *named, *(() if "lot" in named else ("lot",))):
            finer: list[list[str]] = []
            for group in groups:
                value = {
                    entrant: entrant not in self.out if name == "out"
                    else self.reached(entrant) if name == "stage"
                    else self.value(name, entrant, group, met) if len(group) > 1 else 0
                    for entrant in group
                }  # fmt: skip
                best: Any = None
                for entrant in sorted(group, key=lambda entrant: value[entrant], reverse=True):
                    if not finer or best is None or value[entrant] != best:
                        finer.append([])
                    finer[-1].append(entrant)
                    best = value[entrant]
            groups = finer
        return [entrant for group in groups for entrant in group]


def _seated(one: dict[str, Any]) -> set[str]:
    return {
        seat["entrant"] for it in one["draw"]["tables"] if it["round"] == one["number"] for seat in it["seats"]
    }  # fmt: skip


def places(document: bytes, entrants: list[str] | None = None) -> list[tuple[str, Fraction]]:
    """Return the entrants in order, with their points."""
    event = Event(document)
    every = entrants or [it["handle"] for it in event.event["entrants"]]
    return [(entrant, event.points(entrant)) for entrant in event.order(sorted(every))]


def wrong_draws(document: bytes, secret: str) -> list[str]:
    """Return the errors in the digests, seeds, beacons and rosters of the draws. The players of a selective round must
    be the leaders of the export's own standings before it. After a selective round, its winners come first."""
    event, wrong, used = json.loads(document), [], set[str]()
    for one in event["rounds"]:
        draw = one["draw"]
        if not draw or draw["rounds"][0] != one["number"]:
            continue
        digest = hashlib.sha256("\n".join(draw["roster"]).encode()).hexdigest()
        text = f"round {one['number']}|{digest}|{draw.get('beacon', '')}"
        seed = hmac.digest(secret.encode(), text.encode(), "sha256").hex()
        if (digest, seed) != (draw["roster_digest"], draw["seed"]):
            wrong.append(f"the seed of round {one['number']}")
        if draw.get("beacon") and draw["beacon"] in used:
            wrong.append(f"the beacon of round {one['number']} was used before")
        used.add(draw.get("beacon", ""))
        seats = [(it["round"], seat["entrant"]) for it in draw["tables"] for seat in it["seats"]]
        twice = len(set(seats)) < len(seats) and one["kind"] != "league"  # all its tables belong to one round
        if twice or {who for _, who in seats} != {*draw["roster"]} or sorted(draw["ranked"]) != sorted(draw["roster"]):
            wrong.append(f"who sits in round {one['number']}")
        before = [it for it in event["results"] if it["outcome"]["round"] < one["number"]]
        if one["kind"] in ("semifinal", "final", "knockout") and before:
            standing = Event(json.dumps(event | {
                "results": before, "rounds": [it for it in event["rounds"] if it["number"] < one["number"]],
            }).encode())  # fmt: skip
            able = [it["handle"] for it in event["entrants"] if it["handle"] in {row.entrant for row in standing.rows}]
            order = [it for it in standing.order(able) if it in draw["roster"] or it not in _gone(event)]
            if standing.kind[one["number"] - 1] in ("semifinal", "knockout"):
                last = [row for row in standing.rows if row.place[0] == one["number"] - 1]
                winners = {row.entrant for row in last if row.won and row.stays}
                order.sort(key=lambda entrant: entrant not in winners)
            if draw["ranked"] != order[: len(draw["ranked"])]:
                wrong.append(f"who plays round {one['number']}")
    return wrong


def _gone(event: dict[str, Any]) -> set[str]:
    return {it["handle"] for it in event["entrants"] if it["state"] in ("withdrawn", "disqualified", "standby")}
