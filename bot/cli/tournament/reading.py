"""`mentat tournament standings`, `export` and `verify`: what a tournament has come to, and whether it follows."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from bot.cli.session import (
    CONFIG,
    WRONG_USE,
    AsJson,
    Config,
    answer_json,
    console,
    fail,
    open_session,
    print_line,
)
from bot.cli.tournament.options import Id
from bot.competition.published import NotPublished, Standing, encode
from bot.competition.standings import of_published, reached
from bot.competition.standings.record import APART
from bot.service.system_clock import utc_now
from bot.store.database import reading
from bot.store.published import published
from bot.wording.sentences import say

if TYPE_CHECKING:
    from bot.competition.published import Published

VIEWERS = ("everybody", "entrant", "directors")

BY_ENDING = {".csv": "csv", ".md": "markdown", ".bbcode": "bbcode"}


def standings(
    tournament: Id,
    after: Annotated[int | None, typer.Option(min=1, metavar="N", help="As they were after round N.")] = None,
    provisional: Annotated[
        bool, typer.Option("--provisional", help="With results against which somebody may still protest.")
    ] = False,
    why: Annotated[
        str, typer.Option("--why", metavar="E012", help="Where each number of this entrant comes from.")
    ] = "",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show the standings: who is how far, and what parted each from the next.

    Example: `mentat tournament standings cup --after 2 --why E012`
    """
    document = _document(tournament, config)
    if after is not None and after not in {one.number for one in document.rounds}:
        fail(f"{tournament} has no round {after} yet.")
    rows = of_published(document, after=after, confirmed_only=not provisional)
    handle = why.strip().upper()
    if handle and handle not in {row.entrant for row in rows}:
        fail(f"{why.strip()[:20]!r} is not in the standings of {tournament}.")
    open_results = sum(one.state == "provisional" for one in document.results)
    if as_json:
        stages = _stages(rows)
        shown = [_as_json(row, stages.get(row.entrant, "")) for row in rows if not handle or row.entrant == handle]
        answer_json(
            {"tournament": tournament, "after": after, "provisional": provisional, "standings": shown,
             "left_out": _left_out(open_results, provisional), "still_playing": document.still_playing}
        )  # fmt: skip
        return
    names = {one.handle: one.name for one in document.entrants}
    if handle:
        _explain(rows, handle, names)
    else:
        print_standings(rows, names)
    if document.tie_breaks_changed:
        _say(f"After the first draw: {document.tie_breaks_changed}")
    if left := _left_out(open_results, provisional):
        _say(f"{left} provisional {'result is' if left == 1 else 'results are'} not counted; --provisional does.")
    if document.still_playing:
        _say(f"still playing: {document.still_playing}")


def export(
    tournament: Id,
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Where to; standard output without.")] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format", metavar="F", help="json, csv, results-csv, markdown or bbcode; else as FILE ends, or json."
        ),
    ] = "",
    viewer: Annotated[
        str, typer.Option("--for", metavar="WHO", help="everybody, entrant or directors: who may read it.")
    ] = "everybody",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Write all that is published of a tournament: as JSON, by which anybody can check it; standings or results as
    CSV; a post for a forum.

    Example: `mentat tournament export cup cup.json`
    """
    from bot.archive.tournaments.exports import FORMATS, exported

    ending = file.suffix.lower() if file else ""
    wanted = format or BY_ENDING.get(ending, "json")
    known = next((one for one in FORMATS if one == wanted), None)
    if known is None:
        fail(f"--format: {format!r} is none of {', '.join(FORMATS)}.", WRONG_USE)
    document = _document(tournament, config, viewer)
    data = exported(document, known)
    if file is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    beside = file.with_name(f".{file.name}.new")
    try:
        beside.write_bytes(data)
        os.replace(beside, file)
    except OSError as error:
        beside.unlink(missing_ok=True)
        fail(f"{file} cannot be written: {error.strerror}.", WRONG_USE)
    if as_json:
        answer_json({"tournament": tournament, "file": str(file), "format": known, "sum": document.sum})
    else:
        _say(f"{file} is written, {len(data)} bytes; its sum is {document.sum}")


def verify(
    what: Annotated[str, typer.Argument(metavar="ID|FILE", help="A tournament here, or an export of one.")],
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Compute settings, draws, standings and ratings of a tournament again, from its export alone.

    The first thing that differs is named; then it ends with 1. Example: `mentat tournament verify cup.json`
    """
    from bot.competition.verifying import verified

    data, name = _data(what, config)
    try:
        found = verified(data)
    except NotPublished as wrong:
        fail(str(wrong), WRONG_USE)
    if as_json:
        answer_json(
            {"checked": name, "right": not found.difference, "difference": found.difference, "notes": list(found.notes)}
        )  # fmt: skip
    else:
        for note in found.notes:
            _say(note)
        if not found.difference:
            _say(f"{name}: settings, draws, results, standings and ratings follow from each other.")
    if found.difference:
        fail(found.difference)


def _document(tournament: str, config: Path, viewer: str = "everybody") -> Published:
    whom = next((one for one in ("everybody", "entrant", "directors") if one == viewer), None)
    if whom is None:
        fail(f"--for: {viewer!r} is none of {', '.join(VIEWERS)}.", WRONG_USE)
    session = open_session(config)
    with reading(session.engine) as conn:
        return published(conn, tournament, utc_now(), whom)


def _data(what: str, config: Path) -> tuple[bytes, str]:
    """The bytes to check: those of a file, or of the export of a tournament here."""
    path = Path(what)
    if path.is_file():
        try:
            return path.read_bytes(), what
        except OSError as error:
            fail(f"{what} cannot be read: {error.strerror}.", WRONG_USE)
    if path.suffix or len(path.parts) > 1:
        fail(f"There is no file {what}.", WRONG_USE)
    return encode(_document(what, config)), what


def _left_out(provisional: int, counted: bool) -> int:
    return 0 if counted else provisional


def print_standings(rows: tuple[Standing, ...], names: dict[str, str]) -> None:
    """Everybody in order, with how far they came and what parted each from the next."""
    if not rows:
        _say("Nobody is in the standings yet.")
        return
    shown = Table(box=None, pad_edge=False)
    stages = _stages(rows)
    for column in ("place", "entrant", *(("stage",) if stages else ()), "points", "before the next by"):
        shown.add_column(column, justify="right" if column in ("place", "points") else "left", overflow="fold")
    for row in rows:
        who = escape(_who(row.entrant, names))
        stage = (stages.get(row.entrant, ""),) if stages else ()
        shown.add_row(str(row.rank), who, *stage, row.points, row.parted_by.replace("_", " "))
    console.print(shown)
    there = {one.stage for one in reached(rows).values()}
    if apart := " or the ".join(kind for kind in APART if kind in there):
        told = f"Who reached the {apart} stands before all others, by what was played there"
        _say(f"{told}; points are those of the rounds before.")


def _stages(rows: tuple[Standing, ...]) -> dict[str, str]:
    """How far each came who came further than others: "final 1st"."""
    return {handle: say("tournaments.stage", stage=one.stage, place=one.place) for handle, one in reached(rows).items()}


def _explain(rows: tuple[Standing, ...], handle: str, names: dict[str, str]) -> None:
    """Where the numbers of an entrant come from, and what parts them from those beside them."""
    place = next(number for number, row in enumerate(rows) if row.entrant == handle)
    row = rows[place]
    stage = _stages(rows).get(handle, "")
    _say(f"{row.rank}. {_who(handle, names)}: {f'{stage}, ' if stage else ''}{row.points} points")
    for term in row.made_of:
        _say(f"  {term.value:>8}  {term.what}")
    _say(", ".join(f"{key.replace('_', ' ')} {value}" for key, value in row.keys if value))
    if place:
        _say(_parted(rows[place - 1], row, names))
    if place + 1 < len(rows):
        _say(_parted(row, rows[place + 1], names))


def _parted(one: Standing, other: Standing, names: dict[str, str]) -> str:
    """What put one before the other, with the values of both."""
    key = one.parted_by
    mine, theirs = dict(one.keys).get(key, one.points), dict(other.keys).get(key, other.points)
    said = f"{_who(one.entrant, names)} is before {_who(other.entrant, names)} by {key.replace('_', ' ')}"
    return f"{said}: {mine or '–'} against {theirs or '–'}"


def _who(handle: str, names: dict[str, str]) -> str:
    name = names.get(handle, "")
    return f"{name} ({handle})" if name else handle


def _as_json(row: Standing, stage: str) -> dict[str, object]:
    return {
        "place": row.rank, "entrant": row.entrant, "stage": stage, "points": row.points, "parted_by": row.parted_by,
        "keys": dict(row.keys), "made_of": [{"what": term.what, "value": term.value} for term in row.made_of],
    }  # fmt: skip


def _say(words: str) -> None:
    print_line(words)
