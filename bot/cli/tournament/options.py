"""What the acts of a tournament have in common on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.session import print_line

if TYPE_CHECKING:
    from bot.tournament.desk import By

Id = Annotated[str, typer.Argument(metavar="ID", help="The tournament's id.")]
Why = Annotated[str, typer.Option("--why", metavar="TEXT", help="The reason, for the record.")]
If = Annotated[
    int | None, typer.Option("--if", metavar="REVISION", help="Do nothing if it has changed since this revision.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Do nothing; say what would be done.")]


def by(why: str, seen: int | None = None) -> By:
    """Whoever types at the machine is a director."""
    from bot.tournament.desk import By

    return By(why=why, seen=seen)


def show_lines(*lines: str, dry_run: bool = False) -> None:
    """Lines for a person, which say so where nothing was done, and to whom would have been written."""
    if dry_run:
        print_line("Nothing was done. It would be:")
    for line in [*lines, *(_letters() if dry_run else ())]:
        print_line(line)


def _letters() -> list[str]:
    from bot.games.one_act import would_be_written

    letters = would_be_written()
    if not letters:
        return ["Nobody would get a letter."]
    by_subject: dict[str, list[str]] = {}
    for recipient, subject in letters:
        by_subject.setdefault(subject, []).append(recipient)
    return [f"Letters: {len(letters)}", *(f"  {subject}: {', '.join(to)}" for subject, to in by_subject.items())]
