"""The steps of a game by mail, and every letter that follows from them.

A story is played in a `World` (`tests.moderator.table`); mail comes in as if delivered. Each step is a piece: "guild
writes", the lines, what was taken of them. Its letters follow.
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
    """A Mentat, and what has been told of it so far."""

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
        """All steps and letters so far."""
        self._new_letters()
        yield from self.pieces
        self.world.engine.dispose()

    # --- steps -----------------------------------------------------------------------------------------------------

    def does(self, what: str, came: object = "") -> None:
        """A step of any sort has been taken: what it was, what came of it, and the letters."""
        self.pieces.append(Piece(what, str(came)))
        self._new_letters()

    def says(self, faction: Faction, *lines: str, game: str = GAME, **head: str) -> MailOutcome:
        """A player mails these lines."""
        return self.delivers(f"{faction} writes", self.world.mail(faction, *lines, game=game, **head), "\n".join(lines))

    def delivers(self, what: str, raw: bytes, words: str = "") -> MailOutcome:
        """A mail comes as it is."""
        processed = self.world.moderator.deliver(raw, self.world.now)
        self.does(what, f"{words}\n({processed.disposition}, {processed.taken} taken; {processed.reason})")
        return processed

    def waits(self, hours: float, ticks: int = 1) -> None:
        """Time goes by, and deadlines are looked after so many times."""
        for _ in range(ticks):
            done = self.world.wait(hours / ticks)
            if done or self._written():
                self.does(f"{self.world.now:%a %d %b %H:%M}", f"{done} done")

    def runs(self, command: str, *more: str, standard_input: str = "") -> str:
        """A command is typed at the machine; its words as a shell reads them, and some that are given as they are."""
        words = [*shlex.split(command), *more]
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            with time_machine.travel(self.world.now, tick=False):
                ran = run(words, standard_input)
        self.does(f"$ mentat {shlex.join(words)}", ran)
        return ran.out

    def until(self, phase: str, turn: int = 1, game: str = GAME, hours: float = 24, most: int = 200) -> None:
        """Nobody says anything until a phase."""
        for _ in range(most):
            state = self.world.table(game).play.state
            if (state.phase == phase and state.turn >= turn) or self.world.table(game).play.over:
                return
            self.waits(hours)
        raise AssertionError(f"{phase} of turn {turn} was never reached")

    def answers(self, faction: Faction, kind: str, choice: int = 0, game: str = GAME) -> None:
        """A player gives one of the answers that are offered to a question of theirs."""
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
