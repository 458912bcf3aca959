"""What is said about mail that comes back, or that a program wrote: the sentences of ``letters/undelivered.toml``."""

from __future__ import annotations

from typing import Any

from bot.reports.wording import template

WORDS = "letters/undelivered.toml"


def say(sentence: str, **facts: Any) -> str:
    """A sentence about mail that comes back, or that a program wrote, with its facts."""
    return template(WORDS, sentence).render(facts)
