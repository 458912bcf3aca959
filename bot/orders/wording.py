"""The sentences in which a line is not understood: templates/orders/answers.toml, filled in."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache

from bot.resources import template_source


@cache
def _sentences() -> Mapping[str, str]:
    sentences: Mapping[str, str] = tomllib.loads(template_source("orders/answers.toml"))
    return sentences


def say(sentence: str, **facts: object) -> str:
    """The sentence of that name with its facts: ``say("too-long", most=1000)``."""
    return _sentences()[sentence].format(**facts)


def either(names: Sequence[str]) -> str:
    """``either(["A", "B", "C"]) == "A, B or C"``"""
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)
