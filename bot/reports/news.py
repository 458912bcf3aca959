"""Events in sentences: one for each kind, in ``templates/events/``, grouped by turn and phase.

A kind without a sentence, or a sentence that wants a fact that is not there, is told plainly from its facts, for a
letter must go out whatever happens; `worded` is the strict way, which tests use.

Some events come in long rows (the bids on a card). Where a kind has ``then`` (a sign), an event after it that has
``brief`` words is told in the same sentence: "Card 2 of 6 came up: Guild 3, Harkonnen passed." And what one faction did
in a row is told in one sentence where both kinds have ``more`` words: "Guild shipped nothing; moved 2 tokens …"
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from jinja2 import TemplateError

from bot.reports.given import News
from bot.wording.filters import name
from bot.wording.sentences import find, phrases, say

log = logging.getLogger(__name__)


class Unworded(LookupError):
    """There is no sentence for this kind of event."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """What happened in one phase, in order."""

    turn: int
    phase: str
    sentences: tuple[str, ...]


def sentence(kind: str, facts: Mapping[str, Any], mine: Mapping[str, Any] | None = None) -> str:
    """An event in words: ``facts`` are what all know, ``mine`` what only the reader was told."""
    try:
        return worded(kind, facts, mine or {})
    except Unworded:
        log.warning("the event %s has no sentence in templates/events", kind)
    except (TemplateError, LookupError, TypeError, ValueError, AttributeError) as error:
        log.warning("the sentence of the event %s cannot be filled in: %s", kind, error)
    return _plainly(kind, {**facts, **(mine or {})})


def worded(kind: str, facts: Mapping[str, Any], mine: Mapping[str, Any]) -> str:
    """An event in words, for those who must know of a fault: `Unworded` for a kind without a sentence,
    jinja2.UndefinedError for a fact that is missing. `sentence` says the event plainly instead."""
    chosen = (find(f"event.{kind}.private") if mine else None) or find(f"event.{kind}.public")
    if chosen is None:
        raise Unworded(kind)
    return chosen.render({**facts, **mine, "mine": mine})


def chapters(news: Iterable[News]) -> list[Chapter]:
    """The news by turn and phase, each in the order in which it happened."""
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
            lines.append(sentence(event.kind, event.facts, event.mine))
        then = find(f"event.{event.kind}.then")
        sign = f"{then.source} " if then else ""
        who = event.facts["faction"] if more else None
    return [Chapter(turn, phase, tuple(lines)) for turn, phase, lines in found]


def _in_short(event: News, key: Literal["brief", "more"]) -> str:
    words = find(f"event.{event.kind}.{key}")
    try:
        return words.render({**event.facts, **event.mine}) if words else ""
    except (TemplateError, LookupError, TypeError, ValueError, AttributeError) as error:
        log.warning("the %s words of the event %s cannot be filled in: %s", key, event.kind, error)
        return ""


def kinds() -> frozenset[str]:
    """The kinds of event that have a sentence."""
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
