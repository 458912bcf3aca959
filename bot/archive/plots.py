"""The plots of a finished game (`plots.html`), drawn by Mentat itself.

Each plot consists of a drawing, a sentence that explains it, and a table with the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bot.archive import html
from bot.archive.figures import OF_ONE, SEEN_BY_ALL, SOURCES, Figures, FoughtBattle
from bot.archive.games import FinishedGame, Step
from bot.archive.html import Page, render
from bot.render.blocks import Link
from bot.wording import say
from bot.wording.filters import halves, listed, name, plural, speaking
from rules.components import Faction
from rules.components.factions import FACTION_FACTS
from rules.orders import PhaseName

PLOTS = "plots.html"


class PlotsPage:
    def __init__(self, game: FinishedGame) -> None:
        self._game = game
        self.figures = Figures(game)

    def see(self, step: Step) -> None:
        self.figures.see(step)

    def files(self) -> dict[str, bytes]:
        figures = self.figures
        with speaking(figures.rules.edition):
            about = {"game": self._game.id, "ruleset": figures.rules.title}
            page = Page(
                title=say("plots.title", winners=figures.winners, turn=figures.turns, **about)
                if figures.winners
                else say("plots.title-open", **about),
                heading=say("plots.heading"),
                root="../../",
                below=say("plots.below", turns=figures.turns, hidden=not figures.everything, **about),
                way=(Link(say("page.games"), "../../index.html"), Link(self._game.id, "index.html")),
            )
            return {
                PLOTS: render("archive/plots.html.j2", page, plots=game_plots(figures), numbers=say("plots.numbers"))
            }


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot. ``name`` identifies it on the page. ``note`` is a remark, which appears alone if there is nothing to
    draw. The table's first column holds the row headings; the columns listed in ``numeric`` hold numbers."""

    name: str
    title: str
    about: str
    drawing: Markup | None
    caption: str = ""
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    numeric: frozenset[int] = frozenset()
    note: str = ""


def game_plots(figures: Figures) -> list[Plot]:
    return [plot for make in _MAKERS for plot in make(figures)]


def faction_letter(faction: Faction) -> str:
    return FACTION_FACTS[faction].abbreviation


def faction_colour(faction: Faction) -> str:
    return f"c-{faction_letter(faction).lower()}"


def _strongholds(figures: Figures) -> Iterator[Plot]:
    turns = sorted(figures.held)
    if not turns:
        return
    alone, pair = figures.needed
    held = {faction: [figures.held[turn].get(faction, 0) for turn in turns] for faction in figures.factions}
    yield _one_each("strongholds", turns, held, say("plots.strongholds.about", alone=alone, pair=pair), alone)


def _one_each(
    plot: str, turns: Sequence[int], values: Mapping[Faction, Sequence[int]], about: str, level: int = 0
) -> Plot:
    # the lines of six factions in one drawing would hide each other
    canvas = html.Canvas()
    panels = [
        html.Panel(f"{faction_letter(faction)} {name(faction)}", faction_colour(faction), [[value] for value in row])
        for faction, row in values.items()
    ]
    height = html.draw_panels(canvas, panels, [""], list(map(str, turns)), level)
    rows = [[str(turn), *(str(row[at]) for row in values.values())] for at, turn in enumerate(turns)]
    return _plot(plot, canvas, height, about, [say("plots.turn"), *map(name, values)], rows)


def _forces(figures: Figures) -> Iterator[Plot]:
    turns = sorted(figures.standing)
    hidden = not figures.everything

    def bar(faction: Faction, turn: int) -> list[int]:
        there = figures.standing[turn][faction]
        return [there.board, there.tanks] if there.reserves is None else [there.board, there.reserves, there.tanks]

    names = [say(f"plots.forces.{kind}") for kind in ("board", *(() if hidden else ("reserves",)), "tanks")]
    canvas = html.Canvas()
    panels = [
        html.Panel(
            f"{faction_letter(faction)} {name(faction)}",
            faction_colour(faction),
            [_parts(bar(faction, turn)) for turn in turns],
        )
        for faction in figures.factions
    ]
    if hidden:
        names = [names[0], "", names[1]]
    height = html.draw_panels(canvas, panels, names, list(map(str, turns)))
    yield _plot(
        "forces",
        canvas,
        height,
        say("plots.forces.about", hidden=hidden),
        [say("plots.turn"), *map(name, figures.factions)],
        [[str(turn), *(" / ".join(map(str, bar(faction, turn))) for faction in figures.factions)] for turn in turns],
        caption=say("plots.forces.caption", hidden=hidden),
    )


def _parts(bar: Sequence[int]) -> Sequence[int]:
    return bar if len(bar) > 2 else (bar[0], 0, bar[1])


def _spice(figures: Figures) -> Iterator[Plot]:
    if not figures.everything:
        return
    turns = sorted(figures.standing)
    in_hand = {faction: [figures.standing[turn][faction].spice or 0 for turn in turns] for faction in figures.factions}
    yield _one_each("spice", turns, in_hand, say("plots.spice.about"))


def _income(figures: Figures) -> Iterator[Plot]:
    sources = [
        source
        for source in (SOURCES if figures.everything else SEEN_BY_ALL)
        if any(figures.income[faction][source] for faction in figures.factions)
    ]
    canvas = html.Canvas()
    rows: list[html.Bar] = []
    told: list[list[str]] = []
    for source in sources:
        amounts = {faction: figures.income[faction][source] for faction in figures.factions}
        label, total = say(f"plots.income.source.{source}"), sum(amounts.values())
        rows.append(
            html.Bar(
                label,
                [
                    html.BarPart(f"{faction_letter(one)} {size}", faction_colour(one), size)
                    for one, size in amounts.items()
                    if size
                ],
                str(total),
            )
        )
        told.append([label, *map(str, amounts.values()), str(total)])
    if not rows:
        return
    height = html.draw_bars(canvas, rows)
    head = [say("plots.income.head"), *map(name, figures.factions), say("plots.total")]
    yield _plot("income", canvas, height, say("plots.income.about", hidden=not figures.everything), head, told)


def _auction(figures: Figures) -> Iterator[Plot]:
    about, note = say("plots.auction.about"), ""
    if not figures.sales:
        yield _without("auction", about, say("plots.auction.none"))
        return
    if unsold := sum(figures.unsold.values()):
        note = say("plots.auction.unsold", unsold=unsold)
    turns = range(1, figures.turns + 1)
    canvas = html.Canvas()
    marks = [
        (
            say("plots.auction.row", turn=turn),
            [
                html.BarPart(
                    "K" if sale.karama else faction_letter(sale.buyer),
                    faction_colour(sale.buyer),
                    0 if sale.karama else sale.price,
                )
                for sale in figures.sales
                if sale.turn == turn
            ],
        )
        for turn in turns
    ]
    height = html.draw_marks(canvas, marks, say("plots.auction.unit"))
    columns = ["number", "buyer", "price", *(["card"] if figures.everything else [])]
    rows = [
        [
            str(sale.turn),
            str(sale.number),
            name(sale.buyer),
            say("plots.auction.karama") if sale.karama else str(sale.price),
            *([name(sale.card)] if figures.everything else []),
        ]
        for sale in figures.sales
    ]
    head = [say("plots.turn"), *(say(f"plots.auction.head-{column}") for column in columns)]
    yield _plot("auction", canvas, height, about, head, rows, numeric={0, 1, 3}, note=note)


def _battles(figures: Figures) -> Iterator[Plot]:
    about = say("plots.battles.about")
    if not figures.battles:
        yield _without("battles", about, say("plots.battles.none"))
        return
    canvas = html.Canvas()
    height = html.draw_facing_bars(canvas, [_faced(battle) for battle in figures.battles])
    columns = ("place", "sides", "dials", "totals", "won", "lost", "leaders")
    head = [say("plots.turn"), *(say(f"plots.battles.head-{column}") for column in columns)]
    yield _plot("battles", canvas, height, about, head, [_fought(one) for one in figures.battles], numeric={0})


def _faced(battle: FoughtBattle) -> tuple[str, html.BarPart, html.BarPart, str]:
    sizes = battle.totals or battle.dials
    sides = [
        html.BarPart(
            f"{faction_letter(one)} {halves(sizes[one])}" if one in sizes else faction_letter(one),
            faction_colour(one),
            sizes.get(one, 0),
        )
        for one in battle.sides
    ]
    won = "" if battle.winner is None else "left" if battle.winner == battle.sides[0] else "right"
    label = say(
        "plots.battles.label", turn=battle.turn, territory=battle.territory, how=battle.how, winner=battle.winner
    )
    return label, sides[0], sides[1], won


def _fought(battle: FoughtBattle) -> list[str]:
    def of_both(numbers: dict[Faction, float]) -> str:
        return " : ".join(halves(numbers[one]) for one in battle.sides) if len(numbers) > 1 else say("plots.none")

    won = say("plots.nobody") if battle.winner is None else name(battle.winner)
    if battle.winner and battle.how == "treachery":
        won = say("plots.battles.treachery", winner=battle.winner)
    lost = ", ".join(f"{name(faction)} {number}" for faction, number in battle.lost.items() if number)
    return [
        str(battle.turn),
        name(battle.territory),
        listed(map(name, battle.sides)),
        of_both(dict(battle.dials)),
        of_both(dict(battle.totals)),
        won,
        lost or say("plots.none"),
        ", ".join(map(name, battle.leaders)) or say("plots.none"),
    ]


def _storm(figures: Figures) -> Iterator[Plot]:
    if not figures.storms:
        return
    canvas = html.Canvas()
    rows: list[tuple[str, Sequence[html.Span], str]] = []
    for blown in figures.storms:
        after = " ".join(f"{faction_letter(one)} −{number}" for one, number in blown.killed.items())
        rows.append((say("plots.auction.row", turn=blown.turn), _way(blown.start, blown.end, blown.sectors), after))
    axis = [(number - 0.5, say("plots.storm.sector", number=number)) for number in (1, 4, 7, 10, 13, 16, 18)]
    height = html.draw_spans(canvas, rows, axis, SECTORS, after_wide=96, label_wide=34)
    told = [
        [
            str(blown.turn),
            str(blown.start),
            str(blown.end),
            str(blown.sectors),
            ", ".join(f"{name(one)} {number}" for one, number in blown.killed.items()) or say("plots.none"),
            str(blown.spice),
        ]
        for blown in figures.storms
    ]
    head = [say("plots.turn"), *(say(f"plots.storm.head-{one}") for one in ("from", "to", "moved", "killed", "spice"))]
    yield _plot("storm", canvas, height, say("plots.storm.about"), head, told, numeric={0, 1, 2, 3, 5})


SECTORS = 18


def _way(start: int, end: int, sectors: int) -> list[html.Span]:
    where = html.Span(end - 1, end, "", "c-storm")
    if sectors >= SECTORS:
        return [html.Span(0, SECTORS, "", "c-storm part-1"), where]
    if not sectors:
        return [where]
    if start <= end:
        return [html.Span(start - 1, end, "", "c-storm part-1"), where]
    return [html.Span(start - 1, SECTORS, "", "c-storm part-1"), html.Span(0, end, "", "c-storm part-1"), where]


def _pace(figures: Figures) -> Iterator[Plot]:
    about = say("plots.pace.about")
    if not figures.days_known:
        yield _without("pace", about, say("plots.pace.unknown"))
        return
    turns = sorted(figures.days_of_phases)
    phases = [phase for phase in PHASES if any(figures.days_of_phases[turn][phase] for turn in turns)]
    totals = {phase: sum(figures.days_of_phases[turn][phase] for turn in turns) for phase in phases}
    canvas = html.Canvas()
    height = html.draw_bars(canvas, [_days(say(f"phase.{phase}"), days) for phase, days in totals.items()], 120)
    head = [say("plots.turn"), *(say(f"phase.{phase}") for phase in phases), say("plots.total")]
    rows = [
        [
            str(turn),
            *(str(figures.days_of_phases[turn][phase]) for phase in phases),
            str(figures.days_of_phases[turn].total()),
        ]
        for turn in turns
    ]
    yield _plot("pace", canvas, height, about, head, rows)
    kinds = [
        (_kind(kind), days) for kind, days in sorted(figures.days_of_kinds().items(), key=lambda it: (-it[1], it[0]))
    ]
    if not kinds:
        return
    canvas = html.Canvas()
    height = html.draw_bars(canvas, [_days(said, days) for said, days in kinds], 190)
    head = [say("plots.pace.head-kind"), say("plots.pace.head-days")]
    yield Plot(
        "waiting",
        say("plots.pace.kinds-title"),
        say("plots.pace.kinds-about"),
        canvas.done("waiting", say("plots.pace.kinds-title"), say("plots.pace.kinds-about"), height),
        say("plots.pace.kinds-caption"),
        head,
        [[said, str(days)] for said, days in kinds],
        frozenset({1}),
    )


PHASES: tuple[PhaseName, ...] = (
    "setup",
    "storm",
    "spice",
    "charity",
    "bidding",
    "revival",
    "movement",
    "battle",
    "collection",
    "mentat",
)


def _days(label: str, days: int) -> html.Bar:
    return html.Bar(label, [html.BarPart("", "c-storm", days)], plural(days, "day"))


def _kind(kind: str) -> str:
    return say("plots.pace.of-one") if kind == OF_ONE else say(f"duty.{kind}")


def _alliances(figures: Figures) -> Iterator[Plot]:
    about = say("plots.alliances.about")
    turns = sorted(figures.alliances)
    if not any(figures.alliances.values()):
        yield _without("alliances", about, say("plots.alliances.none"))
        return
    canvas = html.Canvas()
    rows = [
        (f"{faction_letter(faction)}", list(_bands(figures, faction, turns)), "")
        for faction in figures.factions
        if any(faction in group for groups in figures.alliances.values() for group in groups)
    ]
    axis = [(number + 0.5, str(turn)) for number, turn in enumerate(turns) if len(turns) <= 10 or number % 2 == 0]
    height = html.draw_spans(canvas, rows, axis, len(turns), label_wide=28)
    told = [
        [
            str(turn),
            "; ".join(say("plots.alliances.of-one", members=group) for group in figures.alliances[turn])
            or say("plots.none"),
        ]
        for turn in turns
    ]
    head = [say("plots.turn"), say("plots.alliances.head")]
    yield _plot("alliances", canvas, height, about, head, told, numeric={0})


def _bands(figures: Figures, faction: Faction, turns: Sequence[int]) -> Iterator[html.Span]:
    groups = [next((set(group) for group in figures.alliances[turn] if faction in group), None) for turn in turns]
    start = 0
    for at in range(1, len(groups) + 1):
        if at == len(groups) or groups[at] != groups[start]:
            if allies := groups[start]:
                label = " ".join(faction_letter(one) for one in figures.factions if one in allies and one != faction)
                yield html.Span(start, at, f"+ {label}", faction_colour(faction))
            start = at


_MAKERS: tuple[Callable[[Figures], Iterator[Plot]], ...] = (
    _strongholds,
    _forces,
    _spice,
    _income,
    _auction,
    _battles,
    _storm,
    _alliances,
    _pace,
)


def _plot(
    plot: str,
    canvas: html.Canvas,
    height: float,
    about: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numeric: set[int] | None = None,
    caption: str = "",
    note: str = "",
) -> Plot:
    title = say(f"plots.{plot}.title")
    return Plot(
        plot,
        title,
        about,
        canvas.done(plot, title, about, height),
        caption or say(f"plots.{plot}.caption"),
        head,
        rows,
        frozenset(range(len(head)) if numeric is None else numeric),
        note,
    )


def _without(plot: str, about: str, note: str) -> Plot:
    return Plot(plot, say(f"plots.{plot}.title"), about, None, note=note)
