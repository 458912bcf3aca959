"""What is said about identity: the sentences of ``templates/letters/identity.toml``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.reports.wording import template

WORDS = "letters/identity.toml"
SHOWN = 3
SHOWN_CHARS = 60


def say(sentence: str, **facts: Any) -> str:
    """A sentence with its facts: ``say("address.removed", address="old@example.org")``."""
    return template(WORDS, sentence).render(facts)


def left_out(ignored: Sequence[str]) -> list[str]:
    """One sentence about the lines of a mail that were not read as its writer's own orders; none if all were."""
    told = [line for line in ignored if any(map(str.isalnum, line))]
    lines = [f"“{line[:SHOWN_CHARS]}”" for line in told[:SHOWN]]
    return [say("reading.ignored", lines=lines, more=len(told) - len(lines))] if told else []
