"""A tournament as files for others: JSON by which it is checked, CSV for spreadsheets, posts for forums."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from bot.archive.lists.tables import harmless
from bot.archive.tournaments.words import Told, faction, holders, outcome_told, round_name
from bot.competition.published import Published, Round, encode
from bot.reports.document import Block, Grid, Heading, Paragraph, Title
from bot.reports.forum import DIALECTS
from bot.wording.sentences import say

Format = Literal["json", "csv", "results-csv", "markdown", "bbcode"]
FORMATS: tuple[Format, ...] = ("json", "csv", "results-csv", "markdown", "bbcode")


def exported(document: Published, format: Format = "json") -> bytes:
    """The tournament in one of the forms; ``csv`` has the standings, ``results-csv`` a line a seat."""
    match format:
        case "json":
            return encode(document)
        case "csv":
            return standings_csv(document)
        case "results-csv":
            return results_csv(document)
        case "markdown" | "bbcode":
            return f"{DIALECTS[format].written(_post(Told(document)))}\n".encode()


def standings_csv(document: Published) -> bytes:
    """A line an entrant, by their place."""
    told = Told(document)
    keys = list(dict.fromkeys(name for row in document.standings for name, _ in row.keys if name != "points"))
    lines = [["place", "entrant", "name", "points", *keys, "parted_by"]]
    for row in document.standings:
        values = dict(row.keys)
        lines.append(
            [str(row.rank), row.entrant, told.names.get(row.entrant, ""), row.points,
             *(values.get(key, "") for key in keys), row.parted_by]
        )  # fmt: skip
    return _csv(lines)


def results_csv(document: Published) -> bytes:
    """A line a seat of each table that has a result."""
    head = [
        "round", "table", "game", "state", "version", "kind", "how", "turn", "ended", "dot", "faction", "entrants",
        "won", "strongholds",
    ]  # fmt: skip
    lines = [head]
    for (number, table), result in sorted(Told(document).newest().items()):
        outcome = result.outcome
        for seat in outcome.seats:
            lines.append(
                [str(number), str(table), outcome.game, result.state, str(outcome.version), outcome.kind, outcome.how,
                 str(outcome.turn), str(outcome.ended or ""), str(seat.dot), seat.faction,
                 " ".join(one.entrant or one.why for one in seat.tenures),
                 "yes" if seat.faction in outcome.winners else "no", str(seat.strongholds)]
            )  # fmt: skip
    return _csv(lines)


def _csv(lines: Iterable[Sequence[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, dialect="excel").writerows([harmless(cell) for cell in line] for line in lines)
    return out.getvalue().encode()


def _post(told: Told) -> Iterator[Block]:
    """What a forum is told: the standings, then the tables of each round."""
    document = told.document
    yield Title(told.title, say("tournaments.below", state=document.state, playing=document.still_playing))
    if document.tie_breaks_changed:
        yield Paragraph(say("tournaments.changed", what=document.tie_breaks_changed), "lead")
    yield Heading(say("tournaments.standings"))
    yield _standings(told)
    newest = told.newest()
    for one in document.rounds:
        yield Heading(round_name(one))
        for table in one.tables:
            result = newest.get((one.number, table.table))
            state = outcome_told(result.outcome) if result else say(f"tournaments.table-state.{table.state}")
            yield Paragraph(say("tournaments.table-line", table=table.table, game=table.game, told=state))
            yield _seats(told, one, table.table)
    yield Paragraph(say("tournaments.sum-line", sum=document.sum), "small")


def _standings(told: Told) -> Block:
    reached = told.reached
    rows = [
        (
            str(row.rank), told.who(row.entrant), *((reached.get(row.entrant, ""),) if reached else ()), row.points,
            row.parted_by.replace("_", " "),
        )
        for row in told.document.standings
    ]  # fmt: skip
    if not rows:
        return Paragraph(say("tournaments.no-standings"))
    heads = ("place", "entrant", *(("stage",) if reached else ()), "points", "parted")
    return Grid(_heads(*heads), tuple(rows), frozenset({0, heads.index("points")}))


def _seats(told: Told, one: Round, table: int) -> Block:
    result = told.newest().get((one.number, table))
    if result:
        rows = [
            (faction(seat.faction), holders(told, seat), _won(seat.faction in result.outcome.winners))
            for seat in result.outcome.seats
        ]
        return Grid(_heads("faction", "entrant", "won"), tuple(rows))
    now = next(each for each in one.tables if each.table == table)
    return Grid(_heads("faction", "entrant"), tuple((faction(of), told.who(handle)) for of, handle in now.seats))


def _won(won: bool) -> str:
    return say("tournaments.won") if won else ""


def _heads(*heads: str) -> tuple[str, ...]:
    return tuple(say(f"tournaments.head.{one}") for one in heads)
