"""News: events in sentences, grouped by turn and phase, and the changes that they made on the board.

`templates/events/` has a sentence for each kind of event. If an event's kind has no sentence, or the sentence needs a
fact that is missing, the event is described plainly from its facts, because the letter must be sent in any case.
`word_event` raises an error instead; the tests use it.

Some events come in long sequences (the bids on a card). If the sentence of a kind has `then` (a punctuation mark), the
next event joins it if that event has `brief` words: "Card 2 of 6 came up: Guild 3, Harkonnen passed." Successive events
of one faction share a sentence if both their kinds have `more` words: "Guild shipped nothing; moved 2 tokens …"

The changes on the board since a reader's last letter (journeys of tokens, and the storm's move) are derived from the
events, not from comparing two positions. A shipment that was stopped or an advisor that was cancelled does not count as
a change.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from jinja2 import TemplateError

from bot.wording import find, phrases, say
from bot.wording.filters import name
from rules.components import Faction
from rules.components.board import SECTORS, Area, territory_of

if TYPE_CHECKING:
    from bot.render.material import News

log = logging.getLogger(__name__)


class Unworded(LookupError):
    pass


@dataclass(frozen=True, slots=True)
class Chapter:
    turn: int
    phase: str
    sentences: tuple[str, ...]


def event_sentence(kind: str, facts: Mapping[str, Any], mine: Mapping[str, Any] | None = None) -> str:
    try:
        return word_event(kind, facts, mine or {})
    except Unworded:
        log.warning("the event %s has no sentence in templates/events", kind)
    except (TemplateError, LookupError, TypeError, ValueError, AttributeError) as error:
        log.warning("the sentence of the event %s cannot be filled in: %s", kind, error)
    return _plainly(kind, {**facts, **(mine or {})})


def word_event(kind: str, facts: Mapping[str, Any], mine: Mapping[str, Any]) -> str:
    """Describe an event in its own sentence only. Raise `Unworded` for a kind without a sentence, and
    jinja2.UndefinedError for a missing fact; in both cases `event_sentence` would fall back on plain words."""
    chosen = (find(f"event.{kind}.private") if mine else None) or find(f"event.{kind}.public")
    if chosen is None:
        raise Unworded(kind)
    return chosen.render({**facts, **mine, "mine": mine})


def chapters(news: Iterable[News]) -> list[Chapter]:
    found: list[tuple[int, str, list[str]]] = []
    sign, who = "", None
    for event in news:
        if not found or found[-1][:2] != (event.turn, event.phase):
            found.append((event.turn, event.phase, []))
            sign, who = "", None
        lines = found[-1][2]
        brief = _in_short(event, "brief") if sign else ""
        more = _in_short(event, "more")
        if brief:
            lines[-1] = f"{lines[-1].removesuffix('.')}{sign}{brief}."
        elif more and who == event.facts["faction"]:
            lines[-1] = f"{lines[-1].removesuffix('.')}; {more}."
        else:
            lines.append(event_sentence(event.kind, event.facts, event.mine))
        then = find(f"event.{event.kind}.then")
        sign = f"{then.source} " if then else ""
        who = event.facts["faction"] if more else None
    return [Chapter(turn, phase, tuple(lines)) for turn, phase, lines in found]


def act_words(event: News) -> tuple[Faction, str] | None:
    words, facts = find(f"did.{event.kind}"), event.facts
    who = {"worm-ridden": "fremen", "advisor": "bene-gesserit"}.get(event.kind, facts.get("faction", ""))
    try:
        return (who, words.render({**facts, "faction": who})) if words and who else None
    except (TemplateError, LookupError, TypeError, ValueError, AttributeError) as error:
        log.warning("the act of the event %s cannot be filled in: %s", event.kind, error)
        return None


def _in_short(event: News, key: Literal["brief", "more"]) -> str:
    words = find(f"event.{event.kind}.{key}")
    try:
        return words.render({**event.facts, **event.mine}) if words else ""
    except (TemplateError, LookupError, TypeError, ValueError, AttributeError) as error:
        log.warning("the %s words of the event %s cannot be filled in: %s", key, event.kind, error)
        return ""


def event_kinds() -> frozenset[str]:
    return frozenset(key.partition(".")[0] for key in phrases("event"))


def _plainly(kind: str, facts: Mapping[str, Any]) -> str:
    told = [f"{key.replace('_', ' ')} {_value(value)}" for key, value in facts.items()]
    return say("news.plain", kind=kind.replace("-", " "), facts="; ".join(told))


def _value(value: Any) -> str:
    if isinstance(value, str):
        return name(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{_value(key)} {_value(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_value(each) for each in value)
    return str(value)


class Journey(NamedTuple):
    faction: Faction
    source: Area | None
    target: Area | None
    shipped: bool


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes on the board that the news reports. Each journey is listed once, even if several tokens made it. The
    storm passed through `storm_sectors` sectors, the first of which is `storm_start`."""

    journeys: tuple[Journey, ...] = ()
    storm_start: int = 0
    storm_sectors: int = 0


NO_CHANGES = Changes()


def changes(news: Iterable[News]) -> Changes:
    journeys: list[Journey] = []
    start, sectors = 0, 0
    for event in news:
        facts = event.facts
        try:
            match event.kind:
                case "storm-moved":
                    start, sectors = start or facts["start"], sectors + facts["sectors"]
                case "shipment-stopped" | "shipment-unpaid":
                    _take_back(journeys, facts["faction"])
                case "advisor-cancelled":
                    _take_back(journeys, "bene-gesserit")
                case _:
                    journeys += _journeys(event.kind, facts)
        except (LookupError, TypeError, ValueError, AttributeError) as error:  # write the letter without this event
            log.warning("the event %s cannot be drawn: %s", event.kind, error)
    walked = (journey for journey in journeys if not _stays(journey))
    return Changes(tuple(dict.fromkeys(walked)), start, min(sectors, SECTORS))


def _journeys(kind: str, facts: Mapping[str, Any]) -> Iterable[Journey]:
    match kind:
        case "shipment":
            yield Journey(facts["faction"], facts["source"], facts["target"], True)
        case "advisor":
            yield Journey("bene-gesserit", None, facts["area"], True)
        case "move":
            yield Journey(facts["faction"], facts["source"], facts["target"], False)
        case "worm-ridden":
            yield Journey("fremen", facts["source"], facts["target"], False)


def _take_back(journeys: list[Journey], faction: str) -> None:
    for number in reversed(range(len(journeys))):
        if journeys[number].shipped and journeys[number].faction == faction:
            del journeys[number]
            return


def _stays(journey: Journey) -> bool:
    source, target = journey.source, journey.target
    return bool(source and target) and territory_of(Area(str(source))) == territory_of(Area(str(target)))
