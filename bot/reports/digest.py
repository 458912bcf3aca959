"""What a turn changed, in a headline and five lines: strongholds, battles, cards, spice, alliances.

Made from what everybody was told of the turn, and of the strongholds before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.reports.document import Row, Rows, Title
from bot.reports.given import News, Position
from bot.wording.sentences import say
from rules.components import Faction
from rules.components.board import MOBILE_STRONGHOLD, STRONGHOLDS, Area, TerritoryId, territory_of

MOBILE = territory_of(MOBILE_STRONGHOLD)

Holders = Mapping[TerritoryId, tuple[Faction, ...]]

MOST_CHANGES = 3  # that a headline names one by one


def headline(position: Position) -> Title:
    """What changed; below it who holds how many strongholds, and how many battles there were."""
    now, before = held_at_end(position), held_before(position)
    fought = len(_all(position.news, "battle-won", "battle-without-winner"))
    counts: dict[Faction, int] = {}
    for holders in now.values():
        for faction in holders:
            counts[faction] = counts.get(faction, 0) + 1
    held = sorted(counts.items(), key=lambda count: -count[1])
    return Title(_changes(position, now, before), say("summary.means", held=held, battles=fought))


def _changes(position: Position, now: Holders, before: Holders) -> str:
    if won := _all(position.news, "game-won"):
        return say("summary.won", winners=won[-1].facts["winners"])
    taken: dict[tuple[Faction, ...], list[TerritoryId]] = {}
    for place, holders in now.items():
        if holders != before.get(place, ()):
            taken.setdefault(holders, []).append(place)
    told = [
        say("summary.takes", faction=holders[0], places=places) if holders else say("summary.left", places=places)
        for holders, places in sorted(taken.items(), key=lambda taking: not taking[0])
    ]
    if len(told) > MOST_CHANGES:
        told = [say("summary.many", number=sum(map(len, taken.values())))]
    return say("summary.title", changes=told)


def digest(position: Position) -> Rows:
    """The five lines."""
    rows = {
        "strongholds": _strongholds(position),
        "battles": _battles(position.news),
        "cards": _cards(position.news),
        "spice": _spice(position.news),
        "alliances": (_alliances(position),),
    }
    return Rows(tuple(Row(say(f"digest.{label}"), tuple(map(_begun, lines))) for label, lines in rows.items()))


def _begun(line: str) -> str:
    return line[:1].upper() + line[1:]


# --- strongholds -----------------------------------------------------------------------------------------------------


def held_at_end(position: Position) -> Holders:
    """Who held which stronghold when the turn ended; where nothing was told of it, who stands there now."""
    return _told_last(position.news) or _standing(position.view["forces"])


def held_before(position: Position) -> Holders:
    """Who held which stronghold when the turn began: as it was told at the end of the one before, or as the tokens were
    set up."""
    if told := _told_last(position.background):
        return told
    forces: dict[str, dict[str, str]] = {}
    for event in _all((*position.background, *position.news), "game-set-up"):
        for faction, area, there in event.facts["forces"]:
            forces.setdefault(area, {})[faction] = there
    return _standing(forces)


def _told_last(news: Iterable[News]) -> Holders:
    told = _all(news, "strongholds")
    if not told:
        return {}
    held: Mapping[Faction, Sequence[TerritoryId]] = told[-1].facts["held"]
    there = (*STRONGHOLDS, *([MOBILE] if any(MOBILE in places for places in held.values()) else []))
    return {place: tuple(faction for faction, places in held.items() if place in places) for place in there}


def _standing(forces: Mapping[str, Mapping[str, Any]]) -> Holders:
    places = (*STRONGHOLDS, *([MOBILE] if forces.get(MOBILE_STRONGHOLD) else []))
    held: dict[TerritoryId, tuple[Faction, ...]] = dict.fromkeys(places, ())
    for area, there in forces.items():
        if (place := territory_of(Area(area))) in held:
            held[place] += tuple(there)
    return held


def _strongholds(position: Position) -> list[str]:
    now, before = held_at_end(position), held_before(position)
    empty = [place for place, holders in now.items() if not holders and not before.get(place)]
    lines = [
        say("digest.held", place=place, holders=holders, before=before.get(place, ()))
        for place, holders in now.items()
        if place not in empty
    ]
    return [*lines, say("digest.empty", places=empty)] if empty else lines


# --- the other four --------------------------------------------------------------------------------------------------


def _battles(news: Iterable[News]) -> list[str]:
    lines = []
    for event in _all(news, "battle-won", "battle-without-winner"):
        facts, place = event.facts, event.facts["territory"]
        if event.kind == "battle-without-winner":
            lines.append(say("digest.no-winner", place=place))
            continue
        winner, loser, totals = facts["winner"], facts["loser"], facts["totals"] or {}
        lines.append(
            say("digest.won", winner=winner, loser=loser, place=place, most=totals.get(winner), least=totals.get(loser))
        )
    return lines or [say("digest.no-battle")]


def _cards(news: Iterable[News]) -> list[str]:
    bought: dict[Faction, list[int | None]] = {}
    to_emperor = 0
    for event in _all(news, "card-sold"):
        facts = event.facts
        bought.setdefault(facts["buyer"], []).append(None if facts["karama"] else facts["price"])
        to_emperor += facts["price"] if facts["to_emperor"] and not facts["karama"] else 0
    lines = [say("digest.bought", faction=faction, prices=prices) for faction, prices in bought.items()]
    if to_emperor:
        lines.append(say("digest.emperor", spice=to_emperor))
    return lines or [say("digest.no-card")]


def _spice(news: Sequence[News]) -> list[str]:
    blows: list[str] = []
    for event in _all(news, "spice-blow", "worm-ate", "storm-took-spice"):
        facts = event.facts
        if event.kind == "spice-blow" and not facts["in_storm"]:
            blows.append(say("digest.blew", amount=facts["amount"], area=facts["area"]))
        elif event.kind == "worm-ate" and facts["spice"]:
            blows.append(say("digest.eaten", amount=facts["spice"], place=facts["territory"]))
        elif event.kind == "storm-took-spice":
            blows.append(say("digest.storm-took", amount=facts["amount"], area=facts["area"]))
    sums: dict[Faction, int] = {}
    for event in _all(news, "spice-collected", "income"):
        sums[event.facts["faction"]] = sums.get(event.facts["faction"], 0) + event.facts["amount"]
    lines = [say("digest.blows", blows=blows)] if blows else []
    if sums:
        most_first = sorted(sums.items(), key=lambda each: -each[1])
        lines.append(say("digest.collected", sums=most_first))
    return lines or [say("digest.no-spice")]


def _alliances(position: Position) -> str:
    nexus = _all(position.news, "nexus-over")
    alliances = nexus[-1].facts["alliances"] if nexus else position.view["alliances"]
    told = say("digest.allied", alliances=alliances) if alliances else say("digest.no-alliance")
    if _all(position.news, "alliance-formed", "alliance-broken"):
        return say("digest.changed", told=told)
    return say("digest.as-before", told=told, nexus=bool(nexus))


def _all(news: Iterable[News], *kinds: str) -> list[News]:
    return [event for event in news if event.kind in kinds]
