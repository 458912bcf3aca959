"""`replay.html`: the steps of a game, one after the other, made into one page that needs nothing else.

The page holds what every viewer saw as changes (``tracks``), the sentences (``telling``) and the ground (``board``);
its script steps, and knows no rule. What the policy of a game does not publish is not in the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from bot.archive.given import Finished
from bot.archive.replay import board
from bot.archive.replay.telling import Telling, on_the_board
from bot.archive.replay.tracks import Tracks
from bot.archive.steps import Step, View, decided, head_of, rules_of
from bot.resources import template_source
from bot.wording.filters import name
from bot.wording.sentences import environment, phrases, say
from bot.wording.spoken import speaking
from rules.chapters.victory import MAX_TURNS
from rules.engine import turn
from rules.rulesets.rulebook import CLAUSES
from rules.state.clauses import Clauses
from rules.state.events import Event, Viewer

PLACE = "replay.html"

OF_A_QUESTION = ("faction", "kind", "subject", "blanket")
"""What the page shows of a question: who is asked what. What is legal, and what silence means, is no part of it."""

BATTLE = "battle-begins"


class Replay:
    """The page of one game in the making: ``see`` each of its steps in turn, then ask for the ``page``."""

    def __init__(self, game: Finished) -> None:
        self.game = game
        self.rules = rules_of(game)
        self._behind = Clauses(self.rules)
        self._entries = decided(game)
        seats = sorted(head_of(game).seats.items(), key=lambda seat: seat[1])
        self._seats = dict(seats)
        self.viewers: list[Viewer] = [*self._seats, "gm"] if game.policy.ended == "full" else []
        self._tracks = Tracks(self.viewers)
        self._telling = Telling(self.viewers)
        self._steps: list[list[Any]] = []
        self._clauses: dict[str, int] = {}
        self._seen: dict[Viewer, tuple[View, dict[str, Any]]] = {}
        self._phases = list(turn.phases(self.rules))

    def see(self, step: Step) -> None:
        """The next step of the game."""
        with speaking(self.rules.edition):
            entry = self._entries[step.entry] if step.entry >= 0 else None
            told, alone = self._telling.tell(step, entry)
            went, lost = on_the_board(step.event) if step.event and step.event.audience is None else ([], [])
        self._tracks.add({viewer: self._shown(viewer, step.views[viewer]) for viewer in ("public", *self.viewers)})
        if step.phase not in self._phases:
            self._phases.append(step.phase)
        self._steps.append(
            [
                step.turn, self._phases.index(step.phase), step.entry, told, alone or 0, went or 0, lost or 0,
                self._clause(step.event), int(step.event is not None and step.event.kind == BATTLE),
            ]
        )  # fmt: skip

    def files(self) -> dict[str, bytes]:
        """The page by its path in the folder of the game."""
        return {PLACE: self.page()}

    def page(self) -> bytes:
        """The page as it lies in the archive."""
        with speaking(self.rules.edition):
            data = self._data()
        text = environment().get_template("archive/replay.html.j2").render(
            game=self.game.id, title=self.rules.title, players=len(self._seats), colours=board.colours(),
            ground=board.ground(), style=Markup(template_source("archive/replay.css")),
            script=Markup(template_source("archive/replay.js")), data=Markup(in_script(data)),
        )  # fmt: skip
        return text.encode("utf-8", "replace")

    def _shown(self, viewer: Viewer, view: View) -> dict[str, Any]:
        """The view with its questions as far as they are shown; the same objects where nothing changed."""
        before, made = self._seen.get(viewer, ({}, {}))
        if view is not before:
            asked = view["questions"]
            same = asked is before.get("questions")
            questions = made["questions"] if same else [{key: one[key] for key in OF_A_QUESTION} for one in asked]
            made = {**view, "questions": questions}
            self._seen[viewer] = view, made
        return made

    def _clause(self, event: Event | None) -> int:
        """The number of the clause behind an event, from 1; 0 where none is known."""
        found = self._behind.of(event) if event else None
        if found is None:
            return 0
        return self._clauses.setdefault(found, len(self._clauses) + 1)

    def _data(self) -> dict[str, Any]:
        head, tracks = head_of(self.game), self._tracks
        cast = self.game.cast
        return {
            "game": self.game.id,
            "ruleset": head.ruleset,
            "options": dict(head.options),
            "seats": self._seats,
            "cast": {faction: cast[faction].name for faction in self._seats if faction in cast},
            "most_turns": MAX_TURNS(self.rules),
            "viewers": ["public", *self.viewers],
            "phases": [[phase, say(f"phase.{phase}")] for phase in self._phases],
            "duties": {kind: say(f"duty.{kind}") for kind in phrases("duty") if kind != "own"},
            "names": self._names(),
            "clauses": [[id, CLAUSES[id].rule] for id in self._clauses],
            "sentences": self._telling.sentences,
            "steps": self._steps,
            "paths": tracks.paths,
            "values": tracks.values,
            "tracks": [tracks.tracks[viewer] for viewer in ("public", *self.viewers)],
            "board": board.places(),
        }

    def _names(self) -> Mapping[str, str]:
        """Printed names of all that views name otherwise."""
        words = [*(word for _, word in self._tracks.paths), *self._tracks.values]
        named = {word: name(word) for word in words if isinstance(word, str) and len(word) < LONGEST_NAME}
        return {word: printed for word, printed in sorted(named.items()) if word != printed}


LONGEST_NAME = 60


def in_script(data: Mapping[str, Any]) -> str:
    """The data as JSON that can stand within a script of a page: nothing in it can end the script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")
