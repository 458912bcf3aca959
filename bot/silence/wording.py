"""What is said about silence: the sentences of ``templates/letters/silence.toml``, and days without their hour."""

from __future__ import annotations

from datetime import date
from typing import Any

from bot.reports.wording import say as say_in_letters
from bot.reports.wording import template

WORDS = "letters/silence.toml"


def say(sentence: str, **facts: Any) -> str:
    """A sentence about silence with its facts: ``say("absence.none")``."""
    return template(WORDS, sentence).render(facts)


def day(when: date) -> str:
    """ "24 Dec"."""
    return f"{when.day} {say_in_letters(f'time.month-{when.month}')}"
