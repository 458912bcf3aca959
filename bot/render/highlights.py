"""The key moments of a game, each with a sentence and a weight, taken from public events alone.

`moments` finds them in any part of a game. `of_turn` returns the two sentences below the headline of a turn. `of_game`
returns the few most memorable moments of a game, from different topics and turns if the game has enough of them. The
weight of a moment is the weight of its topic (`data/moments.toml`) plus the damage, counted in tokens or spice lost.
Two spice weigh as much as one token.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jinja2 import TemplateError

from bot.render.material import News, Party
from bot.wording import say
from rules.components import Forces
from rules.components.facts import load_toml

WEIGHT: Mapping[str, int] = load_toml("moments.toml")["weight"]
LEAST: Mapping[str, int] = load_toml("moments.toml")["least"]

TOPICS: Mapping[str, str] = load_toml("moments.toml")["topic"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Moment:
    turn: int
    topic: str
    weight: int
    said: str
    event: int = 0  # its place among the events


def of_turn(news: Sequence[News], race: Sequence[Party] = ()) -> str:
    race = () if any(party.holds >= party.needs for party in race) else race  # it is over
    all_found = moments(news)
    found = [moment for moment in all_found if moment.topic != "battle"]
    chosen = sorted(
        _best_of_topics([*found, *_near(race), *_battles(news, all_found)])[:2],
        key=lambda moment: moment.topic == "near",
    )
    told = [moment.said for moment in chosen] or [say("moment.quiet")]
    if len(told) < 2 and (most := max((party.holds for party in race), default=0)):
        least = min(party.needs - party.holds for party in race if party.holds == most)
        told.append(say("moment.far", holds=most, needs=most + least))
    return " ".join(told)


def of_game(news: Sequence[News], most: int = 3) -> list[Moment]:
    ranked = sorted(moments(news), key=lambda moment: -moment.weight)
    chosen: list[Moment] = []
    for alike in (lambda one, other: one.topic == other.topic or one.turn == other.turn, Moment.__eq__):
        for moment in ranked:
            if len(chosen) < most and not any(alike(moment, other) for other in chosen):
                chosen.append(moment)
    return sorted(chosen, key=lambda moment: moment.event)


def _best_of_topics(found: Iterable[Moment]) -> list[Moment]:
    best: dict[str, Moment] = {}
    for moment in sorted(found, key=lambda moment: -moment.weight):
        best.setdefault(moment.topic, moment)
    return list(best.values())


def moments(news: Iterable[News]) -> list[Moment]:
    """Return all moments, in order. An event is skipped if it lacks a fact that its sentence needs."""
    found: list[Moment] = []
    battle: _Battle | None = None
    for number, event in enumerate(news):
        if battle and (event.phase != "battle" or event.kind == "battle-begins"):
            found += battle.moments()
            battle = None
        try:
            if event.kind == "battle-begins":
                battle = _Battle(event.turn, number, event.facts["territory"])
            elif battle:
                battle.note(event)
            for topic, size, facts in _of_event(event.kind, event.facts):
                if size >= LEAST.get(topic, 0):
                    weight = WEIGHT[topic] + size * (2 if topic in LEAST else 4)
                    found.append(Moment(event.turn, topic, weight, _begun(say(f"moment.{topic}", **facts)), number))
        except (TemplateError, LookupError, TypeError, ValueError, AttributeError) as error:
            log.warning("the event %s gives no moment: %s", event.kind, error)
    return [*found, *(battle.moments() if battle else ())]


Found = tuple[str, int, Mapping[str, Any]]  # a topic, its size, the facts of its sentence


def _of_event(kind: str, facts: Mapping[str, Any]) -> Iterable[Found]:
    match kind:
        case "worm-ate" if facts["dead"]:
            yield "worm", sum(map(_size, facts["dead"].values())), {"place": facts["territory"], "dead": facts["dead"]}
        case "storm-killed":
            yield "storm", _size(facts["forces"]), {**facts, "place": facts["territory"]}
        case "card-sold" if not facts["karama"]:
            yield "card", facts["price"], facts
        case "spice-collected":
            yield "harvest", facts["amount"], facts
        case "spice-given" if facts.get("amount"):
            yield "gift", facts["amount"], facts
        case _ if kind in TOPICS:
            yield TOPICS[kind], 0, facts


@dataclass(slots=True)
class _Battle:
    turn: int
    event: int
    place: str
    facts: dict[str, Any] = field(default_factory=dict)
    topic: str = ""
    lost: int = 0

    def note(self, event: News) -> None:
        facts = event.facts
        match event.kind:
            case "battle-won":
                totals = facts["totals"] or {}
                winner, loser = facts["winner"], facts["loser"]
                self.topic = self.topic or "battle"
                self.facts |= {"winner": winner, "loser": loser, "totals": [totals.get(winner), totals.get(loser)]}
            case "treachery-called":
                self.topic = "treachery"
                self.facts |= {"leader": facts["leader"], "caller": facts["caller"], "victim": facts["victim"]}
            case "explosion":
                self.topic = "explosion"
        self.lost += _lost(event)

    def moments(self) -> Iterable[Moment]:
        if self.topic:
            said = _begun(say(f"moment.{self.topic}", place=self.place, lost=self.lost, **self.facts))
            yield Moment(self.turn, self.topic, WEIGHT[self.topic] + 2 * self.lost, said, self.event)


def _battles(news: Sequence[News], found: Sequence[Moment]) -> Iterable[Moment]:
    of_battles = [event for event in news if event.phase == "battle"]
    fought = sum(event.kind == "battle-begins" for event in of_battles)
    if fought == 1:
        yield from (moment for moment in found if moment.topic == "battle")
    elif fought:
        lost, leaders = sum(map(_lost, of_battles)), sum(event.kind == "leader-killed" for event in of_battles)
        said = _begun(say("moment.battles", number=fought, lost=lost, leaders=leaders))
        yield Moment(of_battles[0].turn, "battles", WEIGHT["battles"] + 2 * lost, said)


def _lost(event: News) -> int:
    match event.kind:
        case "tokens-lost":
            return _size(event.facts["forces"])
        case "explosion-losses":
            return sum(map(_size, event.facts["tokens_lost"].values()))
    return 0


def _near(race: Sequence[Party]) -> Iterable[Moment]:
    near = [party.factions for party in race if party.holds == party.needs - 1 and party.holds]
    if near:
        yield Moment(0, "near", WEIGHT["near"], say("moment.near", parties=near))


def _size(forces: str) -> int:
    return Forces.parse(forces).total


def _begun(said: str) -> str:
    return said[:1].upper() + said[1:]
