"""What players are told of how they may write to each other."""

from __future__ import annotations

from bot.press.settings import PressSettings
from bot.wording.sentences import say


def told_of_press(settings: PressSettings) -> list[str]:
    """The paragraphs about it; the first says the mode, the last that the game master can always be written to."""
    added = [
        *(["gunboat-round" if settings.names_until == "round" else "gunboat"] if settings.gunboat else []),
        *_hours(settings),
        *(["late"] if settings.late else []),
        *(["yellow"] if settings.yellow else []),
        *(["must-order"] if settings.must_order else []),
        *(["neighbours"] if settings.neighbours else []),
        *(["language"] if settings.language else []),
        *(["copies-to-desk"] if settings.copies_to_desk else []),
        *(["observers-desk"] if settings.observers == "desk" else []),
        *(["observers-white"] if settings.observers == "white" else []),
        *(["archived"] if settings.archived else []),
    ]
    limit = [say("press-mode.quota", quota=settings.quota)] if settings.quota else []
    said = [say(f"press-mode.{settings.mode}"), *limit, *(say(f"press-mode.{each}") for each in added)]
    return [*said, say("press-told.desk")]


def _hours(settings: PressSettings) -> list[str]:
    """When it goes out, if not at once."""
    if settings.mode == "none":
        return []
    if settings.postal:
        return ["postal"]
    if settings.gunboat or settings.mode == "grey":
        return ["slots-all"]
    return ["slots"] if settings.anonymous else []
