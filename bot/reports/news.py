"""Events in sentences: one for each kind, in ``templates/events/``, grouped by turn and phase.

A kind without a sentence, or a sentence that wants a fact that is not there, is told plainly from its facts, for a
letter must go out whatever happens; `worded` is the strict way, which tests use.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Template, TemplateError

from bot.reports.given import News
from bot.reports.wording import compiled, name, say, sentences

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
    """An event in words: ``facts`` are what all know, ``mine`` what only the reader was told. Empty for an event
    that is not worth a line."""
    try:
        return worded(kind, facts, mine or {})
    except Unworded:
        log.warning("the event %s has no sentence in templates/events", kind)
    except (TemplateError, LookupError, TypeError, ValueError, AttributeError) as error:
        log.warning("the sentence of the event %s cannot be filled in: %s", kind, error)
    return _plainly(kind, {**facts, **(mine or {})})


def worded(kind: str, facts: Mapping[str, Any], mine: Mapping[str, Any]) -> str:
    """The same, but `Unworded` for a kind without a sentence and jinja2.UndefinedError for a fact that is missing."""
    written = _events().get(kind)
    if written is None:
        raise Unworded(kind)
    own = written.get("private") if mine else None
    chosen = own or written.get("public")
    if chosen is None:
        raise Unworded(kind)
    return " ".join(chosen.render({**facts, **mine, "mine": mine}).split())


def chapters(news: Iterable[News]) -> list[Chapter]:
    """The news by turn and phase, each in the order in which it happened."""
    found: list[Chapter] = []
    lines: list[str] = []
    where: tuple[int, str] | None = None
    for event in news:
        told = sentence(event.kind, event.facts, event.mine)
        if not told:
            continue
        if where != (event.turn, event.phase):
            where, lines = (event.turn, event.phase), []
            found.append(Chapter(event.turn, event.phase, ()))
        lines.append(told)
        found[-1] = Chapter(event.turn, event.phase, tuple(lines))
    return found


def kinds() -> frozenset[str]:
    """The kinds of event that have a sentence."""
    return frozenset(_events())


@cache
def _events() -> Mapping[str, Mapping[str, Template]]:
    return {
        kind: {part: compiled(text, f"events, {kind}.{part}") for part, text in table.items()}
        for kind, table in sentences("events").items()
    }


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
