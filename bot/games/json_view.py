"""A game as a viewer may see it, in the shape of `mentat game show --json`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bot.orders.language import write
from bot.reports.questions import duty, prompt
from bot.table import rounds
from bot.table.press import names_hidden
from bot.table.table import Table
from bot.wording.spoken import speaking
from rules import views
from rules.decisions.question import Question
from rules.state.events import Viewer


def json_view(table: Table, viewer: Viewer) -> dict[str, Any]:
    """The view, with the players' names, the deadlines, and the questions in words.

    >>> json_view(table, "public")["questions"]  # doctest: +SKIP
    [{'faction': 'guild', 'kind': 'bid', 'prompt': 'a bid', 'deadline': '2026-11-24T20:00:00+00:00', 'default': None}]
    """
    view = views.view(table.play, viewer)
    with speaking(table.play.game.rules.edition):
        questions = _questions(table, viewer)
    hidden = names_hidden(table) and viewer != "gm"
    names = {faction: "" if hidden and faction != viewer else seat.name for faction, seat in table.seats.items()}
    players = {
        faction: {"player": names[faction], "caretaker": table.seats[faction].care, **player}
        for faction, player in view["players"].items()
    }
    return {
        "game": table.id,
        "ruleset": table.ruleset,
        "options": dict(table.own_options),
        "tempo": table.tempo,
        "call": {"round": called.name, "until": _text(table.call_due)} if (called := rounds.call_of(table)) else None,
        "stopped_at": _text(table.stopped_at),
        **view,
        "players": players,
        "questions": questions,
    }


def _questions(table: Table, viewer: Viewer) -> list[dict[str, Any]]:
    """Their own in full; of others only the duties that all may know of, answered or not, as long as the stop
    stands."""
    asked = table.play.questions()
    own = [question for question in asked if viewer in ("gm", question.faction)]
    full = [
        _question(table, q, prompt(q.kind, q.facts, q.faction), write(q.default)) for q in own
    ]  # fmt: skip
    if viewer == "gm":
        return full
    named = [q for q in table.play.asked() if q.faction != viewer and q.public and not q.blanket]
    order = list(table.seats)
    named.sort(key=lambda question: (order.index(question.faction), question.kind, question.subject))
    return full + [_question(table, question, duty(question.kind), None) for question in named]


def _question(table: Table, question: Question, words: str, default: str | None) -> dict[str, Any]:
    return {
        "faction": question.faction, "kind": question.kind, "prompt": words,
        "deadline": _text(table.due(question)), "default": default,
    }  # fmt: skip


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
