"""A game as a viewer may see it, in the shape of `mentat game show --json`."""

from __future__ import annotations

from typing import Any

from bot.orders.language import write
from bot.reports.questions import prompt
from bot.store.games import Table
from rules import views
from rules.events import Viewer


def shown(table: Table, viewer: Viewer) -> dict[str, Any]:
    """The view, with the players' names, the deadlines, and the questions in words.

    >>> shown(table, "public")["questions"]  # doctest: +SKIP
    [{'faction': 'guild', 'kind': 'bid', 'prompt': '…', 'deadline': '2026-11-24T20:00:00.000000+00:00', 'default':
    None}]
    """
    view = views.view(table.play, viewer)
    players = {faction: {"player": table.seats[faction].name, **player} for faction, player in view["players"].items()}
    questions = []
    for question in table.play.questions():
        own = viewer in ("gm", question.faction)
        if not (own or question.public) or (question.blanket and not own):
            continue
        known = table.deadlines.get(question.key)
        questions.append(
            {
                "faction": question.faction,
                "kind": question.kind,
                "prompt": prompt(question.kind, question.about, question.faction) if own else "",
                "deadline": known[1] if known else None,
                "default": write(question.default) if own else None,
            }
        )
    return {"game": table.id, "ruleset": table.ruleset, **view, "players": players, "questions": questions}
