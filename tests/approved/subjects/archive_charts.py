"""Charts of the archive: what is drawn of some numbers, and the plots of a game with the tables beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import cache

import msgspec

from bot.archive import html
from bot.archive.figures import Figures, FoughtBattle, Sale, Standing, StormMove
from bot.archive.games import ArchivePolicy, FinishedGame
from bot.archive.html import Bar, BarPart, Canvas, Panel, Series, ShareRange, Span
from bot.archive.plots import Plot, game_plots
from rules.components import Faction
from rules.orders import PhaseName
from tests.approved.json_inputs import vary_json
from tests.approved.subject import Subject
from tests.archive import golden_charts as golden
from tests.archive.finished import finished


class Marks(msgspec.Struct):
    """All kinds of chart, each with its numbers."""

    apart: tuple[list[float], float, float, float]
    ticks: tuple[float, int]
    lines: list[Series]
    places: list[str]
    levels: list[tuple[float, str]]
    steps: bool
    beside: float
    panels: list[Panel]
    rows: list[Bar]
    ranges: list[ShareRange]
    marks: list[tuple[str, list[BarPart]]]
    facing: list[tuple[str, BarPart, BarPart, str]]
    spans: list[tuple[str, list[Span], str]]
    axis: list[tuple[float, str]]
    end: float


class Game(msgspec.Struct):
    """The figures of a game, as far as they are drawn."""

    everything: bool
    turns: int
    needed: tuple[int, int]
    held: dict[int, dict[Faction, int]]
    alliances: dict[int, list[list[Faction]]]
    standing: dict[int, list[tuple[int, int, int, int]]]
    income: dict[Faction, dict[str, int]]
    sales: list[Sale]
    unsold: dict[int, int]
    battles: list[FoughtBattle]
    storms: list[StormMove]
    days: dict[int, dict[PhaseName, int]]
    waits: list[tuple[int, list[str]]]
    asked: dict[str, list[Faction]]
    dated: int


class Given(msgspec.Struct):
    """What is drawn."""

    charts: Marks
    game: Game


@cache
def _finished() -> FinishedGame:
    return finished("ah-basic", players=4)


def _seeds() -> Iterator[str]:
    first, second, third, fourth = Figures(_finished()).factions
    charts = Marks(
        ([10, 12, 50], 10, 0, 100), (17, 5), list(golden.LINES), golden.TURNS[:4], [(3, "alone"), (9, "both")], False,
        2.4, list(golden.PANELS), list(golden.ROWS), list(golden.RANGES),
        [(said, list(parts)) for said, parts in golden.MARKS], list(golden.FACING),
        [(said, list(bands), after) for said, bands, after in golden.SPANS], [(0.5, "1"), (2.5, "3")], 5,
    )  # fmt: skip
    game = Game(
        True, 3, (3, 4), {1: {first: 2}, 2: {first: 1, second: 3}, 3: {third: 1}},
        {1: [], 2: [[first, second]], 3: [[first, second, third]]},
        {turn: [(turn + at, turn, 5, 4) for at in range(4)] for turn in (1, 2, 3)},
        {first: {"collected": 3, "others": 2}, second: {"charity": 1, "cards": 4, "shipments": 1}},
        [Sale(1, 1, first, 3, False, "Shield"), Sale(2, 2, second, 3, False, "Lasgun"),
         Sale(3, 1, first, 0, True, "Karama")],
        {2: 1},
        [FoughtBattle(1, "carthag", (first, second), {first: 3.5, second: 2}, {first: 8.5, second: 2}, first, "strength",
                {first: 3, second: 5}, ("Stilgar",)),
         FoughtBattle(2, "arrakeen", (second, third), {}, {}, None, "explosion", {second: 1}),
         FoughtBattle(3, "arsunt", (third, first), {third: 1, first: 1}, {}, third, "treachery")],
        [StormMove(1, 18, 3, 3, {}, 0), StormMove(2, 3, 3, 0, {}, 0), StormMove(3, 3, 9, 6, {first: 2, third: 1}, 8),
         StormMove(4, 17, 2, 18, {}, 0)],
        {1: {"bidding": 3, "movement": 2}, 2: {"battle": 4}},
        [(3, ["bid"]), (2, ["shipment", "bid"]), (4, ["traitor"])],
        {"bid": [first, second, third], "shipment": [second], "traitor": [fourth]}, 2,
    )  # fmt: skip
    yield msgspec.json.encode(Given(charts, game)).decode()
    public = msgspec.structs.replace(
        game, everything=False, dated=1, sales=[], battles=[], storms=[], alliances={1: []}
    )
    bare = msgspec.structs.replace(
        charts, lines=charts.lines[:1], panels=[], rows=[], ranges=[], marks=[], facing=[], spans=[], steps=True,
        places=golden.TURNS,
    )  # fmt: skip
    yield msgspec.json.encode(Given(bare, public)).decode()


def _told(text: str) -> str:
    try:
        given = msgspec.json.decode(text, type=Given)
    except msgspec.MsgspecError:
        return "no numbers"
    found = [f"{kind}: {_tried(make)}" for kind, make in _charts(given.charts).items()]
    return "\n".join([*found, _tried(lambda: "\n".join(map(_plot, game_plots(_figures(given.game)))))])


def _tried(make: Callable[[], object]) -> str:
    try:
        return str(make()).replace("><", ">\n<")
    except Exception as error:
        return f"cannot be drawn: {type(error).__name__}"


def _charts(given: Marks) -> dict[str, Callable[[], object]]:
    def drawn(draw: Callable[[Canvas], float]) -> Callable[[], str]:
        def made() -> str:
            canvas = Canvas()
            height = draw(canvas)
            return str(canvas.done("chart", "A <chart>", "What it shows.", height))

        return made

    names = [f"part {number}" for number in range(9)]
    return {
        "apart": lambda: html.spread_labels(*given.apart),
        "ticks": lambda: html.axis_ticks(given.ticks[0], max(given.ticks[1], 1)),
        "lines": drawn(lambda on: html.draw_lines(
            on, given.places, given.lines, given.levels, steps=given.steps, beside=given.beside
        )),
        "panels": drawn(lambda on: html.draw_panels(on, given.panels, names, given.places)),
        "rows": drawn(lambda on: html.draw_bars(on, given.rows)),
        "ranges": drawn(lambda on: html.draw_ranges(on, given.ranges)),
        "marks": drawn(lambda on: html.draw_marks(on, given.marks, "spice")),
        "facing": drawn(lambda on: html.draw_facing_bars(on, given.facing)),
        "spans": drawn(lambda on: html.draw_spans(on, given.spans, given.axis, given.end, 40)),
    }  # fmt: skip


def _figures(given: Game) -> Figures:
    game = FinishedGame(
        "g", b"", _finished().lines, {}, ArchivePolicy(ended="full" if given.everything else "public-only")
    )
    made = Figures(game)
    made.turns, made.needed, made.held = given.turns, given.needed, given.held
    made.alliances = {turn: tuple(map(tuple, groups)) for turn, groups in given.alliances.items()}
    made.standing = {turn: dict(zip(made.factions, map(_standing(given), row), strict=False))
                     for turn, row in given.standing.items()}  # fmt: skip
    for faction, sources in given.income.items():
        made.income[faction].update(sources)
    made.sales, made.battles, made.storms = given.sales, given.battles, given.storms
    made.unsold = Counter(given.unsold)
    for turn, days in given.days.items():
        made.days_of_phases[turn].update(days)
    for kind, asked in given.asked.items():
        made._asked[kind] = set(asked)
    made._waits = [(days, frozenset(kinds)) for days, kinds in given.waits]
    made._days = [date(2026, 1, 1) + timedelta(days=number) for number in range(min(given.dated, 5))]
    return made


def _standing(given: Game) -> Callable[[tuple[int, int, int, int]], Standing]:
    def made(row: tuple[int, int, int, int]) -> Standing:
        board, tanks, reserves, spice = row
        return Standing(board, tanks, reserves, spice) if given.everything else Standing(board, tanks, None, None)

    return made


def _plot(plot: Plot) -> str:
    table = "\n".join(" | ".join(row) for row in (plot.head, *plot.rows))
    numeric = ",".join(map(str, sorted(plot.numeric)))
    return "\n".join((plot.name, plot.title, plot.about, str(plot.drawing), plot.caption, table, numeric, plot.note))


SUBJECT = Subject("archive-charts", ("bot.archive.plots",), _seeds, vary_json(("label", "after")), _told)
