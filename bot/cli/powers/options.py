"""What the commands of all powers share: their options, how they are answered, and a dry run in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from bot.cli.session import WRONG_USE, answer_json, fail, print_line
from bot.game_master.powers import PowerRefused, Use
from bot.game_master.rights import one_address
from bot.games.one_act import would_be_written
from rules.components import FACTION_FACTS, Faction, as_faction

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
        return one_address(word)
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
