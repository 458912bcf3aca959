"""The options, answers and dry-run texts shared by the commands that act on games and tournaments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.session import WRONG_USE, Answer, Call, Line, Listing, fail
from rules.components import FACTION_FACTS, Faction, as_faction

if TYPE_CHECKING:
    from bot.desk.powers import DeskRequest, Use
    from bot.tournament.desk import By, Caller


def seat_named(word: str) -> Faction:
    try:
        return as_faction(word.strip().lower())
    except ValueError:
        fail(f"FACTION: {word!r} is not one of {', '.join(FACTION_FACTS)}.", WRONG_USE)


def address_named(word: str) -> str:
    from bot.desk.powers import PowerRefused
    from bot.desk.rights import typed_address

    try:
        return typed_address(word)
    except PowerRefused as refused:
        fail(f"ADDRESS: {refused}", WRONG_USE)


Game = Annotated[str, typer.Argument(help="The game's id.")]
Seat = Annotated[Faction, typer.Argument(metavar="FACTION", help="The seat.", parser=seat_named)]
TournamentId = Annotated[str, typer.Argument(metavar="ID", help="The tournament's id.")]
Tell = Annotated[str, typer.Option(metavar="WORDS", help="A message to the table, in your words.")]


@dataclass
class Power(Call):
    why: Annotated[str, typer.Option(help="The reason, for the game's record; the players are not told.")] = ""
    tell: Tell = ""
    at: Annotated[
        str,
        typer.Option(
            "--if", metavar="TURN/PHASE", help="Do nothing unless the game is in this turn and phase, like 4/bidding."
        ),
    ] = ""
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would happen and who would get mail; do nothing.")
    ] = False

    @property
    def use(self) -> Use:
        from bot.desk.powers import Use

        return Use("", self.why.strip(), self.tell.strip(), self.at.strip(), self.dry_run)

    def request(self, game: str = "") -> DeskRequest:
        from bot.desk.powers import DeskRequest

        return DeskRequest(self.open_games, game, self.now, self.use)

    def document(self, answer: Answer) -> Any:
        if not self.dry_run or isinstance(answer, Listing):
            return answer.document
        written = [{"to": to, "subject": subject} for to, subject in _letters_tried()]
        return {**answer.document, "dry_run": True, "letters": written}

    def lines(self, answer: Answer) -> Iterable[Line]:
        if not self.dry_run or isinstance(answer, Listing):
            return super().lines(answer)
        first, *others = [*super().lines(answer)] or ["nothing."]
        letters = (f"  a letter to {to}: {subject}" for to, subject in _letters_tried())
        return [f"Nothing was done. It would be: {first}", *others, *letters]


@dataclass
class PersonAct(Power):
    why: Annotated[str, typer.Option(help="The reason, for the record; the person is not told.")] = ""


@dataclass
class TournamentCall(Call):
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="The reason, for the record.")] = ""
    seen: Annotated[
        int | None, typer.Option("--if", metavar="REVISION", help="Do nothing if it has changed since this revision.")
    ] = None

    @property
    def by(self) -> By:
        from bot.tournament.desk import By

        return By(why=self.why, seen=self.seen)


@dataclass
class Trial(Call):
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do nothing; show what would be done.")] = False

    def document(self, answer: Answer) -> Any:
        written = [{"to": to, "subject": subject} for to, subject in _letters_tried()]
        return {**answer.document, "dry_run": True, "letters": written} if self.dry_run else answer.document

    def lines(self, answer: Answer) -> Iterable[Line]:
        lines = super().lines(answer)
        return ["Nothing was done. It would be:", *lines, *_letters_by_subject()] if self.dry_run else lines


@dataclass
class TournamentAct(TournamentCall):
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do nothing; show what would be done.")] = False

    @property
    def caller(self) -> Caller:
        from bot.tournament.desk import Caller

        return Caller(self.open_games, self.now, self.by, self.dry_run)

    def document(self, answer: Answer) -> Any:
        return answer.document if isinstance(answer, Listing) else {**answer.document, "dry_run": self.dry_run}

    def lines(self, answer: Answer) -> Iterable[Line]:
        lines = super().lines(answer)
        if not self.dry_run or isinstance(answer, Listing) or not answer.done:
            return lines
        return ["Nothing was done. It would be:", *lines, *_letters_by_subject()]


def _letters_tried() -> tuple[tuple[str, str], ...]:
    from bot.games.open_games import would_be_written

    return would_be_written()


def _letters_by_subject() -> list[str]:
    letters = _letters_tried()
    if not letters:
        return ["Nobody would get a letter."]
    by_subject: dict[str, list[str]] = {}
    for recipient, subject in letters:
        by_subject.setdefault(subject, []).append(recipient)
    return [f"Letters: {len(letters)}", *(f"  {subject}: {', '.join(to)}" for subject, to in by_subject.items())]


def iso_or_none(when: datetime | None) -> str | None:
    return when.isoformat() if when else None
