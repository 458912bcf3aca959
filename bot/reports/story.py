"""What happened, phase by phase, as a block."""

from __future__ import annotations

from bot.reports.document import Row, Story
from bot.reports.given import Position
from bot.reports.news import chapters
from bot.wording.sentences import say


def story(position: Position) -> Story | None:
    """The news; None where there are none. Phases of several turns are told with their turn."""
    told = chapters(position.news)
    several = len({chapter.turn for chapter in told}) > 1
    rows = [
        Row(
            say("news.turn-phase" if several else "news.phase", turn=chapter.turn, phase=phase_name(chapter.phase)),
            chapter.sentences,
        )
        for chapter in told
    ]
    return Story(tuple(rows)) if rows else None


def phase_name(phase: str) -> str:
    """The name of a phase: "spice blow"."""
    return say(f"phase.{phase}")
