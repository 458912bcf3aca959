"""The pages of one tournament, with its exports as files beside them.

There are pages for the index, the standings, the entrants and the organisers' acts. Each round has a page with its
tables, their results, how it was drawn and how anybody can recompute the draw. The brackets page shows the winners of
the rounds that not all entrants reach, and the rounds to which they advanced.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest

from bot import template_source
from bot.archive.games import day_in_words
from bot.archive.html import document, render
from bot.archive.lists import statistics_plots
from bot.archive.tournaments import (
    ACTS,
    BRACKETS,
    ENTRANTS,
    STANDINGS,
    STATISTICS,
    Format,
    TournamentStory,
    export_tournament,
    faction_name,
    holders_in_words,
    outcome_in_words,
    round_dates,
    round_file,
    round_name,
    rounded,
    stage_kinds,
    stage_rounds,
    tie_break_in_words,
    why_ahead,
)
from bot.competition.published import DrawRecord, Entrant, Published, Result, Round, Standing, TableNow
from bot.competition.standings import NO_VALUE
from bot.competition.statistics import ENOUGH_GAMES
from bot.competition.verification import voided_draws
from bot.lobby.calendars import Entry, calendar_file
from bot.render.blocks import Block, Cell, Link, List, Name, Paragraph, Part, Row, Rows, Table
from bot.wording import phrases, say
from rules.engine.catalogue import load_rule_set

EXPORT, SETTINGS, CHECK, SUMS = "tournament.json", "settings.toml", "check_draw.py", "SHA256SUMS"
DATES = "dates.ics"
DOWNLOADS: Mapping[str, Format] = {
    EXPORT: "json",
    "standings.csv": "csv",
    "results.csv": "results-csv",
    "report.md": "markdown",
    "report.bbcode.txt": "bbcode",
}
FILES = {
    EXPORT: "export",
    "standings.csv": "standings",
    "results.csv": "results",
    "report.md": "markdown",
    "report.bbcode.txt": "bbcode",
    DATES: "dates",
    SETTINGS: "settings",
    CHECK: "check",
    SUMS: "sums",
}
FIRST = 12


def tournament_files(
    published: Published, games: Collection[str] = (), entry: Sequence[Block] = (), dates: Sequence[Entry] = ()
) -> dict[str, bytes]:
    """Return the files of a tournament. ``entry`` describes how to enter, the pace and the dates; ``dates`` are the
    same dates for calendars."""
    told = TournamentStory(published, games)
    files = {name: export_tournament(published, format) for name, format in DOWNLOADS.items()}
    files[SETTINGS] = published.settings.encode()
    files[DATES] = calendar_file(told.title, dates)
    files[CHECK] = template_source("archive/check_draw.py.txt").encode()
    files[ENTRANTS] = _entrants(told)
    files[STANDINGS] = _standings(told)
    files[ACTS] = _acts(told)
    if stages := stage_rounds(published):
        files[BRACKETS] = brackets_page(told, stages)
    if outcomes := [result.outcome for result in told.newest().values()]:
        page = told.page(
            say("tournaments.statistics"),
            below=say("tournaments.statistics-below", games=len(outcomes), few=len(outcomes) < ENOUGH_GAMES),
        )
        files[STATISTICS] = render(
            "archive/plots.html.j2", page, plots=statistics_plots(outcomes), numbers=say("plots.numbers")
        )
    for place, one in enumerate(published.rounds):
        beside = [published.rounds[at] if 0 <= at < len(published.rounds) else None for at in (place - 1, place + 1)]
        before, after = (Link(round_name(each), round_file(each.number)) if each else None for each in beside)
        files[round_file(one.number)] = round_page(told, one, before, after)
    files["index.html"] = _index(told, {*files, SUMS}, entry)
    files[SUMS] = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()
    return files


# --- the first page --------------------------------------------------------------------------------------------------


def _index(told: TournamentStory, files: Collection[str], entry: Sequence[Block]) -> bytes:
    published = told.document
    below = say("tournaments.below", state=published.state, playing=published.still_playing)
    return document(told.page(told.title, below=below, index=True), list(_first(told, files, entry)))


def _first(told: TournamentStory, files: Collection[str], entry: Sequence[Block]) -> Iterator[Block]:
    published, settings = told.document, told.settings
    if published.tie_breaks_changed:
        yield Paragraph(say("tournaments.changed", what=published.tie_breaks_changed), "lead")
    playing = [one for one in published.entrants if one.state not in ("withdrawn", "disqualified")]
    yield Rows(
        (
            Row(say("tournaments.format"), (_format(told),)),
            Row(say("tournaments.rules"), (load_rule_set(settings.tables.ruleset).title,)),
            Row(
                say("tournaments.entrants"),
                (say("tournaments.entrants-count", entrants=len(playing), waiting=published.waiting),),
            ),
            *(() if entry else (Row(say("tournaments.scoring"), (_scoring(settings.scoring.system),)),)),
            Row(say("tournaments.tie-breaks"), (", ".join(map(tie_break_in_words, settings.tie_breaks)),)),
        )
    )
    yield from entry
    doors = [
        (ENTRANTS, "entrants"),
        (STANDINGS, "standings-all"),
        (BRACKETS, "brackets"),
        (STATISTICS, "statistics"),
        (ACTS, "acts"),
    ]
    kinds = stage_kinds(published)
    yield List(
        [Link(say(f"tournaments.{words}", kinds=kinds), file) for file, words in doors if file in files], "doors"
    )
    best = published.standings[:FIRST]
    yield Part(say("tournaments.standings"), [_standings_table(told, best)], "standings", _remarks(told))
    yield Part(say("tournaments.rounds"), [_rounds(told)], "rounds")
    yield Part(say("tournaments.check"), list(_check(told)), "check")
    yield Part(
        say("tournaments.files"),
        [List([Link(say(f"tournaments.file.{words}"), name) for name, words in FILES.items()], "doors")],
        "files",
    )


def _scoring(system: str) -> str:
    return say(f"tournaments.system.{system}") if system in phrases("tournaments.system") else system


def _format(told: TournamentStory) -> str:
    settings = told.settings
    return say(f"tournaments.formats.{settings.format}", heats=settings.rounds.heats, apart=told.apart)


def _rounds(told: TournamentStory) -> Block:
    if not told.document.rounds:
        return Paragraph(say("tournaments.no-rounds"))
    rows: list[Sequence[Cell]] = [
        (
            Link(round_name(one), round_file(one.number)),
            say("tournaments.tables-count", tables=len(one.tables), state=one.state),
            round_dates(one),
        )
        for one in told.document.rounds
    ]
    return Table(_heads("round", "tables", "dates"), rows, caption=say("tournaments.rounds-caption"))


def _check(told: TournamentStory) -> Iterator[Block]:
    published, settings = told.document, told.settings
    yield Paragraph(say("tournaments.check-about", beacon=bool(settings.beacon)))
    yield from _voided(told)
    beacon = published.beacon or say("tournaments.beacon-announced", what=settings.beacon, when=settings.beacon_date)
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


def _voided(told: TournamentStory, number: int = 0) -> Iterator[Block]:
    for each in voided_draws(told.document):
        rounds = list(map(int, each.rounds.split(",")))
        if number and number not in rounds:
            continue
        days = {"day": day_in_words(each.at.date()), "void": day_in_words(each.void_at.date())}
        yield Paragraph(say("tournaments.voided", rounds=list(map(str, rounds)), why=each.why, **days))
        seed, beacon = each.seed or say("tournaments.secret-later"), each.beacon or say("tournaments.no-beacon")
        yield Rows(
            (
                Row(say("tournaments.roster-digest"), (each.roster,), orders=True),
                Row(say("tournaments.beacon"), (beacon,)),
                Row(say("tournaments.seed"), (seed,), orders=bool(each.seed)),
            )
        )


# --- standings and entrants ------------------------------------------------------------------------------------------


def _remarks(told: TournamentStory) -> str:
    count = sum(result.state == "provisional" for result in told.newest().values())
    apart = [kind for kind in stage_kinds(told.document) if kind != "knockout"]
    first = say("tournaments.later-first", apart=apart) if told.reached else ""
    return f"{first}{say('tournaments.provisional', results=count) if count else ''}".strip()


def _standings_table(told: TournamentStory, rows: Sequence[Standing], *, explained: bool = False) -> Block:
    if not rows:
        return Paragraph(say("tournaments.no-standings"))
    reached = told.reached
    heads = ("place", "entrant", *(("stage",) if reached else ()), "points")
    cells: list[Sequence[Cell]] = [
        (
            str(row.rank),
            told.person(row.entrant),
            *((reached.get(row.entrant, NO_VALUE),) if reached else ()),
            row.points,
        )
        for row in rows
    ]
    return Table(
        _heads(*heads),
        cells,
        frozenset({len(heads) - 1}),
        below=[
            " ".join(filter(None, (why_ahead(row, after), *([_values(row)] if explained else []))))
            for row, after in zip_longest(rows, told.document.standings[1 : len(rows) + 1])
        ],
        caption=say("tournaments.standings-caption", places=len(rows)),
    )


def _values(row: Standing) -> str:
    keys = [
        say("tournaments.key", key=tie_break_in_words(key), value=rounded(value))
        for key, value in row.keys
        if value and key not in ("points", "lot", "stage", "stage_points")
    ]
    return say("tournaments.keys", keys=keys) if keys else ""


def _standings(told: TournamentStory) -> bytes:
    page = told.page(say("tournaments.standings"), below=say("tournaments.standings-below"))
    blocks: list[Block] = [Paragraph(words)] if (words := _remarks(told)) else []
    return document(page, [*blocks, _standings_table(told, told.document.standings, explained=True)])


def _entrants(told: TournamentStory) -> bytes:
    published = told.document
    standing = {row.entrant: row for row in published.standings}
    changes: dict[str, list[str]] = {}
    for change in published.ratings:
        changes.setdefault(change.entrant, []).append(
            say("tournaments.rating-change", game=change.game, before=_whole(change.before), after=_whole(change.after))
        )
    rows: list[Sequence[Cell]] = []
    across, ids = [], []
    by_place = sorted(
        published.entrants, key=lambda one: standing[one.handle].rank if one.handle in standing else math.inf
    )
    for one in by_place:
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
        _heads("entrant", "state", "points"),
        rows,
        frozenset({2}),
        below=across,
        caption=say("tournaments.entrants-caption", entrants=len(rows)),
        ids=ids,
    )
    return document(page, [table])


def _behind(entrant: Entrant, row: Standing | None, changes: Sequence[str]) -> str:
    made = [say("tournaments.term", what=term.what, value=term.value) for term in row.made_of] if row else []
    said = [say("tournaments.entrant-made", made=made)] if made else []
    if changes:
        said.append(say("tournaments.entrant-ratings", ratings=changes))
    elif entrant.rating:
        said.append(say("tournaments.entrant-entry", entry=_whole(entrant.rating)))
    if entrant.reliability:
        percent = round(100 * float(entrant.reliability))
        said.append(say("tournaments.entrant-reliability", percent=percent))
    return " ".join(said)


def _whole(rating: str) -> str:
    return f"{float(rating):.0f}"


# --- acts ------------------------------------------------------------------------------------------------------------


def _acts(told: TournamentStory) -> bytes:
    rows: list[Sequence[Cell]] = []
    for act in told.document.acts:
        said = say("tournaments.act", words=act.words, why=act.why)
        rows.append(
            (str(act.number), day_in_words(act.at.date()), act.command, act.right or say("tournaments.calendar"), said)
        )
    page = told.page(
        say("tournaments.acts"), below=say("tournaments.acts-below", over=told.document.state == "finished")
    )
    if not rows:
        return document(page, [Paragraph(say("tournaments.no-acts"))])
    table = Table(
        _heads("number", "day", "act", "right"),
        [row[:-1] for row in rows],
        below=[str(row[-1]) for row in rows],
        caption=say("tournaments.acts-caption"),
    )
    return document(page, [table])


def _heads(*heads: str) -> list[str]:
    return [say(f"tournaments.head.{one}") for one in heads]


def round_page(told: TournamentStory, one: Round, before: Link | None, after: Link | None) -> bytes:
    below = say("tournaments.round-below", tables=len(one.tables), state=one.state, dates=round_dates(one))
    blocks: list[Block] = [_round_table(told, one, table) for table in one.tables]
    if not one.tables:
        blocks.append(Paragraph(say("tournaments.not-drawn")))
    if one.draw is not None:
        blocks.append(Part(say("tournaments.draw"), list(_draw(told, one, one.draw)), "draw"))
    return document(told.page(round_name(one), below=below, before=before, after=after), blocks)


def _round_table(told: TournamentStory, one: Round, table: TableNow) -> Part:
    versions = [each for each in told.document.results if _at(each) == (one.number, table.table)]
    result = told.newest().get((one.number, table.table))
    title = say("tournaments.table", table=table.table)
    state = say(f"tournaments.table-state.{table.state}")
    return Part(title, list(_result_in_words(told, table, result, versions)), f"table-{table.table}", state)


def _result_in_words(
    told: TournamentStory, table: TableNow, result: Result | None, versions: Sequence[Result]
) -> Iterator[Block]:
    if result is None:
        rows: list[Sequence[Cell]] = [(faction_name(of), told.person(handle)) for of, handle in table.seats]
        if table.game:
            yield List([told.game(table.game)], "links")
        yield Table(_heads("faction", "entrant"), rows, caption=say("tournaments.seats-caption", table=table.table))
        return
    outcome = result.outcome
    yield Paragraph(outcome_in_words(outcome, result.by), "lead")
    rows = [
        (
            faction_name(seat.faction),
            told.person(seat.tenures[-1].entrant),
            say("tournaments.won") if seat.faction in outcome.winners else say("lists.none"),
            str(seat.dot),
            str(seat.strongholds),
        )
        for seat in sorted(outcome.seats, key=lambda seat: (seat.faction not in outcome.winners, -seat.strongholds))
    ]
    caption = say("tournaments.seats-caption", table=table.table)
    yield Table(_heads("faction", "entrant", "won", "dot", "held"), rows, frozenset({3, 4}), caption=caption)
    for seat in outcome.seats:
        if len(seat.tenures) > 1 or seat.tenures[0].why != "seated":
            yield Paragraph(
                say("tournaments.handed-on", faction=faction_name(seat.faction), who=holders_in_words(told, seat)),
                "small",
            )
    yield List([told.game(outcome.game)], "links")
    for each in versions:
        if len(versions) > 1 or each.why or each.state == "provisional":
            yield Paragraph(_version(each), "small")


def _version(result: Result) -> str:
    return say(
        "tournaments.version",
        version=result.outcome.version,
        state=result.state,
        told=outcome_in_words(result.outcome, result.by),
        by=result.by,
        why=result.why,
        day=day_in_words(result.day) if result.day else "",
    )


def _draw(told: TournamentStory, one: Round, draw: DrawRecord) -> Iterator[Block]:
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
                say(
                    "tournaments.cost-told",
                    apart=cost.apart,
                    twice=cost.twice,
                    meetings=cost.meetings // 100,
                    small=cost.small,
                    factions=cost.factions,
                    dots=cost.dots,
                    hours=cost.hours,
                ),
                say("tournaments.candidate", number=draw.candidate),
            ),
        ),
        Row(say("tournaments.ranked"), (", ".join(draw.ranked),)),
    ]
    if draw.sat_out:
        rows.append(Row(say("tournaments.sat-out"), (", ".join(told.who(handle) for handle in draw.sat_out),)))
    if draw.apart:
        rows.append(Row(say("tournaments.apart"), (", ".join(f"{a}+{b}" for a, b in draw.apart),)))
    if draw.apart_digest:
        rows.append(Row(say("tournaments.apart-digest"), (draw.apart_digest,), orders=True))
    yield Rows(tuple(rows))
    sealed = bool(draw.apart_digest or draw.hours_sealed)
    yield Paragraph(say("tournaments.draw-check", sealed=sealed, published=bool(told.document.secret)), "small")
    yield from _voided(told, one.number)


def _at(result: Result) -> tuple[int, int]:
    return result.outcome.round, result.outcome.table


def brackets_page(told: TournamentStory, stages: Sequence[Round]) -> bytes:
    blocks: list[Block] = []
    for place, one in enumerate(stages):
        after = stages[place + 1] if place + 1 < len(stages) else None
        tables: list[Block] = [_bracket_table(told, one, table, after) for table in one.tables]
        blocks.append(Part(round_name(one), tables, f"round-{one.number}"))
    return document(
        told.page(
            say("tournaments.brackets", kinds=stage_kinds(told.document)), below=say("tournaments.brackets-below")
        ),
        blocks,
    )


def _bracket_table(told: TournamentStory, one: Round, table: TableNow, after: Round | None) -> Block:
    result = told.newest().get((one.number, table.table))
    ranked = one.draw.ranked if one.draw is not None else ()
    further = set(after.draw.roster) if after is not None and after.draw is not None else set()
    seats: Sequence[tuple[str, str]] = table.seats
    winners: Sequence[str] = ()
    if result is not None:
        seats = [(seat.faction, seat.tenures[-1].entrant) for seat in result.outcome.seats]
        winners = result.outcome.winners
    rows: list[Sequence[Cell]] = [
        (
            told.person(handle),
            faction_name(of),
            say("tournaments.won") if of in winners else say("lists.none"),
            str(ranked.index(handle) + 1) if handle in ranked else say("lists.none"),
            Link(round_name(after), round_file(after.number)) if after and handle in further else say("lists.none"),
        )
        for of, handle in seats
    ]
    state = outcome_in_words(result.outcome, result.by) if result else say(f"tournaments.table-state.{table.state}")
    caption = say("tournaments.bracket-caption", table=table.table, told=state)
    heads = ("entrant", "faction", "won", "seed", "further")
    cut = rows if after is not None else [row[:-1] for row in rows]
    head = [say(f"tournaments.head.{name}") for name in (heads if after is not None else heads[:-1])]
    return Part(caption, [Table(head, cut, frozenset({3}), caption=caption)])
