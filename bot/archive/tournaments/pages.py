"""The pages of one tournament, and its exports as files beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.archive.html import Cell, Laid, List, Name, Part, Table, document
from bot.archive.lists.figures_page import figures
from bot.archive.pages.words import day
from bot.archive.rendering import Link, render
from bot.archive.tournaments.brackets import brackets
from bot.archive.tournaments.exports import Format, exported
from bot.archive.tournaments.rounds import round_page
from bot.archive.tournaments.words import (
    ACTS,
    BRACKETS,
    ENTRANTS,
    STANDINGS,
    STATISTICS,
    Told,
    dates,
    round_file,
    round_name,
    stage_kinds,
    staged,
)
from bot.competition.published import Entrant, Published, Standing
from bot.competition.standings.criteria import NONE
from bot.reports.document import Paragraph, Row, Rows
from bot.resources import template_source
from bot.wording.sentences import say

EXPORT, SETTINGS, CHECK, SUMS = "tournament.json", "settings.toml", "check_draw.py", "SHA256SUMS"
DOWNLOADS: Mapping[str, Format] = {
    EXPORT: "json", "standings.csv": "csv", "results.csv": "results-csv", "report.md": "markdown",
    "report.bbcode.txt": "bbcode",
}  # fmt: skip
FILES = {
    EXPORT: "export", "standings.csv": "standings", "results.csv": "results", "report.md": "markdown",
    "report.bbcode.txt": "bbcode", SETTINGS: "settings", CHECK: "check", SUMS: "sums",
}  # fmt: skip
"""Files beside the pages, and what the first page says of each."""
FIRST = 12
"""So many places stand on the first page."""


def tournament_files(published: Published, games: Collection[str] = ()) -> dict[str, bytes]:
    """All files of a tournament by their names in its folder. ``games`` are those that have pages in the archive."""
    told = Told(published, games)
    files = {name: exported(published, format) for name, format in DOWNLOADS.items()}
    files[SETTINGS] = published.settings.encode()
    files[CHECK] = template_source("archive/check_draw.py.txt").encode()
    files[ENTRANTS] = _entrants(told)
    files[STANDINGS] = _standings(told)
    files[ACTS] = _acts(told)
    if stages := staged(published):
        files[BRACKETS] = brackets(told, stages)
    if outcomes := [result.outcome for result in told.newest().values()]:
        page = told.page(say("tournaments.statistics"), below=say("tournaments.statistics-below", games=len(outcomes)))
        files[STATISTICS] = render(
            "archive/plots.html.j2", page, plots=figures(outcomes), numbers=say("plots.numbers")
        )  # fmt: skip
    for place, one in enumerate(published.rounds):
        beside = [published.rounds[at] if 0 <= at < len(published.rounds) else None for at in (place - 1, place + 1)]
        before, after = (Link(round_name(each), round_file(each.number)) if each else None for each in beside)
        files[round_file(one.number)] = round_page(told, one, before, after)
    files["index.html"] = _index(told, {*files, SUMS})
    files[SUMS] = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()
    return files


# --- the first page --------------------------------------------------------------------------------------------------


def _index(told: Told, files: Collection[str]) -> bytes:
    published = told.document
    below = say("tournaments.below", state=published.state, playing=published.still_playing)
    return document(told.page(told.title, below=below, index=True), list(_first(told, files)))


def _first(told: Told, files: Collection[str]) -> Iterator[Laid]:
    published, settings = told.document, told.settings
    if published.tie_breaks_changed:
        yield Paragraph(say("tournaments.changed", what=published.tie_breaks_changed), "lead")
    playing = [one for one in published.entrants if one.state not in ("withdrawn", "disqualified")]
    yield Rows(
        (
            Row(say("tournaments.format"), (_format(told),)),
            Row(say("tournaments.rules"), (settings.tables.ruleset,)),
            Row(
                say("tournaments.entrants"),
                (say("tournaments.entrants-count", entrants=len(playing), waiting=published.waiting),),
            ),
            Row(say("tournaments.scoring"), (settings.scoring.system,)),
            Row(say("tournaments.tie-breaks"), (", ".join(settings.tie_breaks),)),
        )
    )
    doors = [
        (ENTRANTS, "entrants"), (STANDINGS, "standings-all"), (BRACKETS, "brackets"), (STATISTICS, "statistics"),
        (ACTS, "acts"),
    ]  # fmt: skip
    kinds = stage_kinds(published)
    yield List(
        [Link(say(f"tournaments.{words}", kinds=kinds), file) for file, words in doors if file in files], "doors"
    )
    best = published.standings[:FIRST]
    yield Part(say("tournaments.standings"), [_table(told, best)], "standings", _remarks(told))
    yield Part(say("tournaments.rounds"), [_rounds(told)], "rounds")
    yield Part(say("tournaments.check"), list(_check(told)), "check")
    yield Part(
        say("tournaments.files"),
        [List([Link(say(f"tournaments.file.{words}"), name) for name, words in FILES.items()], "doors")],
        "files",
    )  # fmt: skip


def _format(told: Told) -> str:
    settings = told.settings
    return say(f"tournaments.formats.{settings.format}", heats=settings.rounds.heats, apart=told.apart)


def _rounds(told: Told) -> Laid:
    if not told.document.rounds:
        return Paragraph(say("tournaments.no-rounds"))
    rows: list[Sequence[Cell]] = [
        (
            Link(round_name(one), round_file(one.number)),
            say("tournaments.tables-count", tables=len(one.tables), state=one.state),
            dates(one),
        )
        for one in told.document.rounds
    ]
    return Table(say("tournaments.rounds-caption"), _heads("round", "tables", "dates"), rows)


def _check(told: Told) -> Iterator[Laid]:
    """What was promised before the draw, and how anybody sees that it was kept."""
    published, settings = told.document, told.settings
    yield Paragraph(say("tournaments.check-about"))
    beacon = published.beacon or say(
        "tournaments.beacon-announced", what=settings.beacon, when=settings.beacon_date
    )  # fmt: skip
    yield Rows(
        (
            Row(say("tournaments.commitment"), (published.commitment,), orders=True),
            Row(say("tournaments.secret"), (published.secret or say("tournaments.secret-later"),)),
            Row(say("tournaments.beacon"), (beacon,)),
            Row(say("tournaments.settings"), (published.settings_sha256,), orders=True),
            Row(say("tournaments.sum"), (published.sum,), orders=True),
            Row(say("tournaments.by-command"), (f"mentat tournament verify {EXPORT}", f"python3 {CHECK}"), orders=True),
        )
    )


# --- standings and entrants ------------------------------------------------------------------------------------------


def _remarks(told: Told) -> str:
    count = sum(result.state == "provisional" for result in told.newest().values())
    apart = [kind for kind in stage_kinds(told.document) if kind != "knockout"]
    first = say("tournaments.later-first", apart=apart) if told.reached else ""
    return f"{first}{say('tournaments.provisional', results=count) if count else ''}".strip()


def _table(told: Told, rows: Sequence[Standing], *, explained: bool = False) -> Laid:
    if not rows:
        return Paragraph(say("tournaments.no-standings"))
    reached = told.reached
    heads = ("place", "entrant", *(("stage",) if reached else ()), "points")
    cells: list[Sequence[Cell]] = [
        (str(row.rank), told.person(row.entrant), *((reached.get(row.entrant, NONE),) if reached else ()), row.points)
        for row in rows
    ]
    return Table(
        say("tournaments.standings-caption", places=len(rows)), _heads(*heads), cells,
        frozenset({len(heads) - 1}), across=[_why(row) for row in rows] if explained else (),
    )  # fmt: skip


def _why(row: Standing) -> str:
    """The values by which a row stands where it does, and what put the next behind it."""
    reached = dict(row.keys).get("stage", NONE) != NONE
    left_out = ("points",) if reached else ("points", "stage", "stage_points")
    keys = [say("tournaments.key", key=key, value=value) for key, value in row.keys if value and key not in left_out]
    return say("tournaments.keys", keys=keys, parted=row.parted_by)


def _standings(told: Told) -> bytes:
    page = told.page(say("tournaments.standings"), below=say("tournaments.standings-below"))
    blocks: list[Laid] = [Paragraph(words)] if (words := _remarks(told)) else []
    return document(page, [*blocks, _table(told, told.document.standings, explained=True)])


def _entrants(told: Told) -> bytes:
    """Everybody who takes part, what their points are made of, and what their games did to their ratings."""
    published = told.document
    standing = {row.entrant: row for row in published.standings}
    changes: dict[str, list[str]] = {}
    for change in published.ratings:
        changes.setdefault(change.entrant, []).append(
            say(
                "tournaments.rating-change",
                game=change.game,
                before=_whole(change.before),
                after=_whole(change.after),
            )
        )
    rows: list[Sequence[Cell]] = []
    across, ids = [], []
    for one in published.entrants:
        row = standing.get(one.handle)
        rows.append(
            (Name(told.who(one.handle)), say(f"tournaments.entrant-state.{one.state}"), row.points if row else "")
        )
        across.append(_behind(one, row, changes.get(one.handle, [])))
        ids.append(one.handle)
    page = told.page(say("tournaments.entrants"), below=say("tournaments.entrants-below", waiting=published.waiting))
    if not rows:
        return document(page, [Paragraph(say("tournaments.no-entrants"))])
    table = Table(
        say("tournaments.entrants-caption", entrants=len(rows)), _heads("entrant", "state", "points"), rows,
        frozenset({2}), ids=ids, across=across,
    )  # fmt: skip
    return document(page, [table])


def _behind(entrant: Entrant, row: Standing | None, changes: Sequence[str]) -> str:
    """What the points of an entrant are made of, and their rating."""
    made = [say("tournaments.term", what=term.what, value=term.value) for term in row.made_of] if row else []
    said = [say("tournaments.entrant-made", made=made)] if made else []
    if changes:
        said.append(say("tournaments.entrant-ratings", ratings=changes))
    elif entrant.rating:
        said.append(say("tournaments.entrant-entry", entry=_whole(entrant.rating)))
    if entrant.reliability:
        said.append(say("tournaments.entrant-reliability", reliability=entrant.reliability))
    return " ".join(said)


def _whole(rating: str) -> str:
    """A rating without its decimals."""
    return f"{float(rating):.0f}"


# --- acts ------------------------------------------------------------------------------------------------------------


def _acts(told: Told) -> bytes:
    rows: list[Sequence[Cell]] = []
    for act in told.document.acts:
        said = say("tournaments.act", words=act.words, why=act.why)
        rows.append((str(act.number), day(act.at.date()), act.command, act.right or say("tournaments.calendar"), said))
    page = told.page(
        say("tournaments.acts"), below=say("tournaments.acts-below", over=told.document.state == "finished")
    )
    if not rows:
        return document(page, [Paragraph(say("tournaments.no-acts"))])
    across = [str(row[-1]) for row in rows]
    table = Table(
        say("tournaments.acts-caption"), _heads("number", "day", "act", "right"), [row[:-1] for row in rows],
        across=across if any(across) else (),
    )  # fmt: skip
    return document(page, [table])


def _heads(*heads: str) -> list[str]:
    return [say(f"tournaments.head.{one}") for one in heads]
