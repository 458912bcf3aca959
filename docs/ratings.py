"""Compute the rating of every entrant after a tournament: python ratings.py export.json. It needs nothing of Mentat."""

# ruff: noqa: B023, B905, SIM115
import json
import sys
import tomllib
from itertools import combinations
from math import fsum, prod

event, tables, worth = json.load(open(sys.argv[1], encoding="utf-8")), {}, {}
rating = {entrant["handle"]: (1500.0, 0) for entrant in event["entrants"]}
for key, text in event["opening"].items():
    if "/" in key:
        worth[key] = float(text)
    else:
        rating[key] = tuple(map(float, text.split()))
for result in sorted(event["results"], key=lambda result: result["outcome"]["version"]):
    place = result["outcome"]["round"], result["outcome"]["table"]
    day = result["outcome"]["ended"] or tables.get(place, result)["day"] or "9999"
    tables[place] = result | {
        "day": tables.get(place, result)["day"],
        "order": (day, result["outcome"]["game"], *place),
    }
for table in sorted(tables.values(), key=lambda table: table["order"]):
    game, seats = table["outcome"], sorted(table["outcome"]["seats"], key=lambda seat: seat["faction"])
    turns = [{one["entrant"]: 0 for one in seat["tenures"] if one["entrant"] and one["ordered"]} for seat in seats]
    if not tomllib.loads(event["settings"]).get("rated", True) or table["state"] == "withdrawn":
        continue
    if game["kind"] in ("agreed", "void") or not game["winners"] or not all(turns):
        continue
    for seat, held in zip(seats, turns):
        for one in seat["tenures"]:
            if one["entrant"] and one["ordered"]:
                held[one["entrant"]] += max(0, one["last"] - one["first"] + 1)
    place = [f"{game['ruleset']}/{len(seats)}/{seat['faction']}" for seat in seats]
    longest, half = [max(held, key=held.get) for held in turns], 0.5 if game["kind"] == "adjudicated" else 1.0
    before, won = dict(rating), [seat["faction"] in game["winners"] for seat in seats]

    def chance(number, player):
        there = [*longest[:number], player, *longest[number + 1 :]]
        theta = [10 ** ((before[who][0] + worth.get(at, 0.0) - 1500) / 400) for who, at in zip(there, place)]
        ways = [(prod(theta[i] for i in those), number in those) for those in combinations(range(len(seats)), sum(won))]
        return sum(way for way, among in ways if among) / sum(way for way, _ in ways)

    moved = {
        at: round(worth.get(at, 0.0) + 4 * half * (won[n] - chance(n, longest[n])), 6) for n, at in enumerate(place)
    }
    for number, (seat, held) in enumerate(zip(seats, turns)):
        for player in sorted(held, key=lambda player: player != longest[number]):
            later = next(one for one in seat["tenures"] if one["entrant"] == player)["why"] == "substitute"
            early = seat["tenures"][-1]["entrant"] != player and 2 * held[player] < game["turn"]
            if player == longest[number] or (early and not later):
                gain = (
                    (48 if before[player][1] < 12 else 24)
                    * half
                    * ((won[number] and not early) - chance(number, player))
                )
                rating[player] = (
                    round(before[player][0] + (max(gain, 0.0) if later else gain), 6),
                    before[player][1] + 1,
                )
    worth |= moved
    such = [at for at in worth if at.rpartition("/")[0] == place[0].rpartition("/")[0]]
    mean = fsum(worth[at] for at in such) / len(such)
    worth |= {at: round(worth[at] - mean, 6) for at in such}
for handle, (points, games) in sorted(rating.items()):
    print(handle, f"{points:.4f}", int(games))
