"""The steps of a game by mail, and every letter that they cause.

A story is played in a `World` (`tests.moderator.table`), to which mail is delivered directly. Each step is a piece:
"guild writes", the lines, and their outcome. The resulting letters follow.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import time_machine
from sqlalchemy import select

from bot.games.identity import MailOutcome
from bot.store import mail
from bot.store.database import reading
from bot.store.mail import LETTER
from rules.components import Faction
from tests.moderator.table import CONFIG, GAME, World
from tests.transcripts.commands import run
from tests.transcripts.letters import letter_piece
from tests.transcripts.transcript import Piece


@dataclass
class Story:
    """A Mentat, and the pieces of its story so far."""

    world: World
    pieces: list[Piece] = field(default_factory=list)
    _letters: int = 0

    @classmethod
    def at(cls, folder: Path, config: str = CONFIG) -> Story:
        return cls(World.at(folder, config))

    @property
    def folder(self) -> Path:
        return self.world.settings.mentat.database.parent

    def told(self) -> Iterator[Piece]:
        """Yield all steps and letters so far."""
        self._new_letters()
        yield from self.pieces
        self.world.engine.dispose()

    # --- steps -----------------------------------------------------------------------------------------------------

    def does(self, what: str, came: object = "") -> None:
        """Add a step of any kind: its name, its outcome, and the resulting letters."""
        self.pieces.append(Piece(what, str(came)))
        self._new_letters()

    def says(self, faction: Faction, *lines: str, game: str = GAME, **head: str) -> MailOutcome:
        """Send a player's mail with these lines."""
        return self.delivers(f"{faction} writes", self.world.mail(faction, *lines, game=game, **head), "\n".join(lines))

    def delivers(self, what: str, raw: bytes, words: str = "") -> MailOutcome:
        """Deliver a raw mail."""
        processed = self.world.moderator.deliver(raw, self.world.now)
        self.does(what, f"{words}\n({processed.disposition}, {processed.taken} taken; {processed.reason})")
        return processed

    def waits(self, hours: float, ticks: int = 1) -> None:
        """Let time pass, and process deadlines this many times."""
        for _ in range(ticks):
            done = self.world.wait(hours / ticks)
            if done or self._written():
                self.does(f"{self.world.now:%a %d %b %H:%M}", f"{done} done")

    def runs(self, command: str, *more: str, standard_input: str = "") -> str:
        """Run a command at the machine. ``command`` is split as a shell would split it; the words in ``more`` are
        passed unchanged."""
        words = [*shlex.split(command), *more]
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            with time_machine.travel(self.world.now, tick=False):
                ran = run(words, standard_input)
        self.does(f"$ mentat {shlex.join(words)}", ran)
        return ran.out

    def until(self, phase: str, turn: int = 1, game: str = GAME, hours: float = 24, most: int = 200) -> None:
        """Let time pass without any mail until a phase begins."""
        for _ in range(most):
            state = self.world.table(game).play.state
            if (state.phase == phase and state.turn >= turn) or self.world.table(game).play.over:
                return
            self.waits(hours)
        raise AssertionError(f"{phase} of turn {turn} was never reached")

    def answers(self, faction: Faction, kind: str, choice: int = 0, game: str = GAME) -> None:
        """Answer a question with one of its legal choices."""
        self.says(faction, self.world.line(faction, kind, choice, game), game=game)

    # --- letters ---------------------------------------------------------------------------------------------------

    def _written(self) -> bool:
        return self.world.written() > self._letters

    def _new_letters(self) -> None:
        with reading(self.world.engine) as conn:
            rows = conn.execute(select(LETTER).order_by(LETTER.c.id).offset(self._letters)).all()
            contents = mail.whole_letters(conn, ((row.content, row.pictures) for row in rows))
        self._letters += len(rows)
        for row, content in zip(rows, contents, strict=True):
            self.pieces.append(letter_piece(content, row.envelope_from, row.recipient))
