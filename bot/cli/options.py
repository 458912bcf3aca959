"""What acts on games and tournaments share on the command line: their options, their answer, and a dry run in words.

Every act takes `--why` for the record, and `--dry-run`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.session import WRONG_USE, answer_json, fail, print_line
from bot.desk.powers import PowerRefused, Use
from bot.desk.rights import typed_address
from bot.games.open_games import would_be_written
from rules.components import FACTION_FACTS, Faction, as_faction

if TYPE_CHECKING:
    from bot.tournament.desk import By


Game = Annotated[str, typer.Argument(help="The game's id.")]
Seat = Annotated[str, typer.Argument(metavar="FACTION", help="The seat.")]
Why = Annotated[str, typer.Option(help="For the record of the game; the players are not told.")]
Reason = Annotated[
    str, typer.Option(metavar="WORDS", help="Why, for everybody: it stands in the thread and in the player's letter.")
]
Tell = Annotated[str, typer.Option(metavar="WORDS", help="What the table is told besides, in your words.")]
If = Annotated[
    str, typer.Option("--if", metavar="TURN/PHASE", help="Only if the game is there, like 4/bidding; else nothing.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would happen and who would get mail; do nothing.")]


def use_of(why: str = "", tell: str = "", at: str = "", dry_run: bool = False) -> Use:
    """How a power is used by whoever types at the machine."""
    return Use("", why.strip(), tell.strip(), at.strip(), dry_run)


def seat_named(word: str) -> Faction:
    """A faction as it was typed."""
    try:
        return as_faction(word.strip().lower())
    except ValueError:
        fail(f"FACTION: {word!r} is not one of {', '.join(FACTION_FACTS)}.", WRONG_USE)


def address_named(word: str) -> str:
    """A mail address as it was typed."""
    try:
        return typed_address(word)
    except PowerRefused as refused:
        fail(f"ADDRESS: {refused}", WRONG_USE)


def answer(told: str, document: Mapping[str, Any], *, dry_run: bool, as_json: bool) -> None:
    """Say what was done; after a dry run, that it was not, and who would have got mail."""
    letters = would_be_written() if dry_run else ()
    if as_json:
        written = [{"to": to, "subject": subject} for to, subject in letters]
        answer_json({**document, "dry_run": True, "letters": written} if dry_run else dict(document))
        return
    print_line(f"Nothing was done. It would be: {told}" if dry_run else told)
    for to, subject in letters:
        print_line(f"  a letter to {to}: {subject}")


TournamentId = Annotated[str, typer.Argument(metavar="ID", help="The tournament's id.")]
TournamentWhy = Annotated[str, typer.Option("--why", metavar="TEXT", help="The reason, for the record.")]
IfRevision = Annotated[
    int | None, typer.Option("--if", metavar="REVISION", help="Do nothing if it has changed since this revision.")
]
TournamentDryRun = Annotated[bool, typer.Option("--dry-run", help="Do nothing; say what would be done.")]


def director(why: str, seen: int | None = None) -> By:
    """Whoever types at the machine is a director."""
    from bot.tournament.desk import By

    return By(why=why, seen=seen)


def show_lines(*lines: str, dry_run: bool = False) -> None:
    """Lines for a person, which say so where nothing was done, and to whom would have been written."""
    if dry_run:
        print_line("Nothing was done. It would be:")
    for line in [*lines, *(_letters_by_subject() if dry_run else ())]:
        print_line(line)


def _letters_by_subject() -> list[str]:
    from bot.games.open_games import would_be_written

    letters = would_be_written()
    if not letters:
        return ["Nobody would get a letter."]
    by_subject: dict[str, list[str]] = {}
    for recipient, subject in letters:
        by_subject.setdefault(subject, []).append(recipient)
    return [f"Letters: {len(letters)}", *(f"  {subject}: {', '.join(to)}" for subject, to in by_subject.items())]


def iso_or_none(when: datetime | None) -> str | None:
    """An instant for programs."""
    return when.isoformat() if when else None
