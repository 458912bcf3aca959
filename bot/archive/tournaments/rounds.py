"""The page of a round: its tables and their results, how it was drawn, and how anybody computes that again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.archive.html import Cell, Laid, List, Part, Table, document
from bot.archive.pages.words import day
from bot.archive.rendering import Link
from bot.archive.tournaments.words import Told, dates, faction, holders, outcome_told, round_name
from bot.competition.draws import DrawRecord
from bot.competition.published import Result, Round, TableNow
from bot.reports.document import Paragraph, Row, Rows
from bot.wording.sentences import say


def round_page(told: Told, one: Round, before: Link | None, after: Link | None) -> bytes:
    """The page of a round, between those before and after it."""
    below = say("tournaments.round-below", tables=len(one.tables), state=one.state, dates=dates(one))
    blocks: list[Laid] = [_table(told, one, table) for table in one.tables]
    if not one.tables:
        blocks.append(Paragraph(say("tournaments.not-drawn")))
    if one.draw is not None:
        blocks.append(Part(say("tournaments.draw"), list(_draw(told, one, one.draw)), "draw"))
    return document(told.page(round_name(one), below=below, before=before, after=after), blocks)


def _table(told: Told, one: Round, table: TableNow) -> Part:
    versions = [each for each in told.document.results if _at(each) == (one.number, table.table)]
    result = told.newest().get((one.number, table.table))
    title = say("tournaments.table", table=table.table)
    state = say(f"tournaments.table-state.{table.state}")
    return Part(title, list(_told(told, table, result, versions)), f"table-{table.table}", state)


def _told(told: Told, table: TableNow, result: Result | None, versions: Sequence[Result]) -> Iterator[Laid]:
    if result is None:
        rows: list[Sequence[Cell]] = [(faction(of), told.person(handle)) for of, handle in table.seats]
        if table.game:
            yield List([told.game(table.game)], "links")
        yield Table(say("tournaments.seats-caption", table=table.table), _heads("faction", "entrant"), rows)
        return
    outcome = result.outcome
    yield Paragraph(outcome_told(outcome), "lead")
    rows = [
        (
            faction(seat.faction), told.person(seat.tenures[-1].entrant),
            say("tournaments.won") if seat.faction in outcome.winners else say("lists.none"), str(seat.dot),
            str(seat.strongholds),
        )
        for seat in outcome.seats
    ]  # fmt: skip
    yield Table(
        say("tournaments.seats-caption", table=table.table), _heads("faction", "entrant", "won", "dot", "held"),
        rows, frozenset({3, 4}),
    )  # fmt: skip
    for seat in outcome.seats:
        if len(seat.tenures) > 1 or seat.tenures[0].why != "seated":
            yield Paragraph(
                say("tournaments.handed-on", faction=faction(seat.faction), who=holders(told, seat)), "small"
            )
    yield List([told.game(outcome.game)], "links")
    for each in versions:
        if len(versions) > 1 or each.why or each.state == "provisional":
            yield Paragraph(_version(each), "small")


def _version(result: Result) -> str:
    return say(
        "tournaments.version", version=result.outcome.version, state=result.state, told=outcome_told(result.outcome),
        by=result.by, why=result.why, day=day(result.day) if result.day else "",
    )  # fmt: skip


def _draw(told: Told, one: Round, draw: DrawRecord) -> Iterator[Laid]:
    """What went in and what came out, and who can compute it again."""
    if len(draw.rounds) > 1:
        yield Paragraph(say("tournaments.drawn-together", rounds=list(map(str, draw.rounds))))
    cost = draw.cost
    rows = [
        Row(say("tournaments.roster-digest"), (draw.roster_digest,), orders=True),
        Row(say("tournaments.beacon"), (draw.beacon or say("tournaments.no-beacon"),)),
        Row(say("tournaments.seed"), (draw.seed,), orders=True),
        Row(
            say("tournaments.cost"),
            (
                say("tournaments.cost-told", apart=cost.apart, twice=cost.twice, meetings=cost.meetings // 100,
                    small=cost.small, factions=cost.factions, dots=cost.dots, hours=cost.hours),
                say("tournaments.candidate", number=draw.candidate),
            ),
        ),
        Row(say("tournaments.ranked"), (", ".join(draw.ranked),)),
    ]  # fmt: skip
    if draw.sat_out:
        rows.append(Row(say("tournaments.sat-out"), (", ".join(told.who(handle) for handle in draw.sat_out),)))
    if draw.apart:
        rows.append(Row(say("tournaments.apart"), (", ".join(f"{a}+{b}" for a, b in draw.apart),)))
    if draw.apart_digest:
        rows.append(Row(say("tournaments.apart-digest"), (draw.apart_digest,), orders=True))
    yield Rows(tuple(rows))
    sealed = bool(draw.apart_digest or draw.hours_sealed)
    yield Paragraph(say("tournaments.draw-check", sealed=sealed, published=bool(told.document.secret)), "small")


def _at(result: Result) -> tuple[int, int]:
    return result.outcome.round, result.outcome.table


def _heads(*heads: str) -> list[str]:
    return [say(f"tournaments.head.{one}") for one in heads]
