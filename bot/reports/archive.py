"""What players are told of the archive: what it shows of their game and when, and under which name they stand there."""

from __future__ import annotations

from bot.config.archive_policy import Policy
from bot.wording.sentences import say


def told_of_archive(policy: Policy, name: str, listed: bool = False, *, press: bool = False) -> list[str]:
    """The paragraphs about the archive, for the player who stands there under this name. ``press``: it will show what
    players wrote to each other."""
    return [
        f"{shown_while_running(policy)} {shown_after_the_end(policy)} {say('archive-told.never', press=press)}",
        f"{say('archive-told.name', name=name, listed=listed)} {say('archive-told.licence')}",
    ]


def shown_while_running(policy: Policy) -> str:
    """What the archive shows of a game under way."""
    return say(f"archive-told.{policy.running}", delay=policy.delay)


def shown_after_the_end(policy: Policy) -> str:
    """What it shows of the game when that is over."""
    return say(f"archive-told.{policy.ended}")
