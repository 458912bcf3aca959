"""Running games for the tests of the archive: finished games, as everybody saw them some turns before the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bot.archive.games import ArchivePolicy, FinishedGame, RunningGame, play_steps, record_head
from rules.state.events import Event

PUBLIC = ArchivePolicy(running="public")


def running(game: FinishedGame, seed: str = "archive", turn: int = 2, policy: ArchivePolicy = PUBLIC) -> RunningGame:
    """Return the game as everybody saw it at the end of a phase in the middle of this turn."""
    ends: dict[int, Mapping[str, Any]] = {}
    events: list[Event] = []
    shown: Mapping[str, Any] = {}
    for step in play_steps(game, seed):
        if step.turn > turn or (step.turn == turn and step.phase == "battle"):
            break
        view = {name: seen for name, seen in step.views["public"].items() if name != "known"}
        if step.turn < turn:
            ends[step.turn] = view
        if step.event is not None and step.event.visible_to("public"):
            events.append(msgspec.structs.replace(step.event, number=len(events), private={}, audience=None))
        shown = view
    head = record_head(game)
    return RunningGame(game.id, head.ruleset, head.options, game.cast, policy, shown, events, ends)
