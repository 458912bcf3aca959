"""Which battles a post shows whole: those that are over, with their beginning, even if an earlier post has told it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.reports.document import Fight
from bot.reports.fights import fights
from bot.reports.given import News

DECIDED = ("battle-won", "battle-without-winner")


def fought_and_rest(news: Sequence[News], background: Sequence[News]) -> tuple[list[Fight], tuple[News, ...]]:
    """The battles that were decided in the news, and the news that no battle tells. ``background`` may have the
    beginning of the first one."""
    battles: list[list[News]] = [_under_way(news, background)]
    numbers: list[int] = []  # of the battle that each of the news belongs to
    for event in news:
        fighting = event.phase == "battle" and event.kind != "battles-listed"
        if event.kind == "battle-begins":
            battles.append([])
        if fighting:
            battles[-1].append(event)
        numbers.append(len(battles) - 1 if fighting else -1)
    whole = [number for number, battle in enumerate(battles) if _is_whole(battle)]
    rest = [event for event, number in zip(news, numbers, strict=True) if number not in whole]
    if all(map(_is_whole, battles[1:])):  # what was to be fought is told by the battles themselves
        rest = [event for event in rest if event.kind != "battles-listed" or not whole]
    return fights([event for number in whole for event in battles[number]]), tuple(rest)


def _is_whole(battle: Sequence[News]) -> bool:
    return bool(battle) and battle[0].kind == "battle-begins" and any(event.kind in DECIDED for event in battle)


def _under_way(news: Sequence[News], background: Iterable[News]) -> list[News]:
    """What was told before of a battle that is fought in the turn of the news and not decided yet."""
    turn = next((event.turn for event in news if event.phase == "battle"), 0)
    found: list[News] = []
    for event in background:
        if event.turn != turn or event.phase != "battle":
            continue
        if event.kind == "battle-begins":
            found = [event]
        elif event.kind in DECIDED:
            found = []
        elif found:
            found.append(event)
    return found
