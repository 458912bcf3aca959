"""The plots of a game: each a drawing, the sentence that says what it shows, and a table with the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bot.archive.plots import svg
from bot.archive.plots.figures import OF_ONE, SEEN_BY_ALL, SOURCES, Figures, Fought
from bot.wording.filters import halves, listed, name, plural
from bot.wording.sentences import say
from rules.components import Faction
from rules.components.factions import FACTION_FACTS
from rules.orders import PhaseName


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot by its ``name`` on the page; ``note`` is what else is to say, and all there is where nothing is drawn. The
    first column of the table heads its rows, the columns of ``numeric`` hold numbers."""

    name: str
    title: str
    about: str
    drawing: Markup | None
    caption: str = ""
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    numeric: frozenset[int] = frozenset()
    note: str = ""


def plots(figures: Figures) -> list[Plot]:
    """All that there is to draw of a game."""
    return [plot for make in _MAKERS for plot in make(figures)]


def letter(faction: Faction) -> str:
    """The letter of a faction on its disc."""
    return FACTION_FACTS[faction].abbreviation


def colour(faction: Faction) -> str:
    """The class of a faction's colour."""
    return f"c-{letter(faction).lower()}"


def _strongholds(figures: Figures) -> Iterator[Plot]:
    turns = sorted(figures.held)
    if not turns:
        return
    alone, pair = figures.needed
    levels = (
        [(alone, say("plots.strongholds.both", number=alone))]
        if alone == pair or not any(figures.alliances.values())
        else [
            (alone, say("plots.strongholds.alone", number=alone)), (pair, say("plots.strongholds.pair", number=pair)),
        ]
    )  # fmt: skip
    about = say("plots.strongholds.about", alone=alone, pair=pair)
    canvas = svg.Canvas()
    series = [
        svg.Series(letter(faction), colour(faction), number, [figures.held[turn].get(faction, 0) for turn in turns])
        for number, faction in enumerate(figures.factions)
    ]
    height = svg.lines(canvas, list(map(str, turns)), series, levels, steps=True, beside=2.4)
    yield _plot(
        "strongholds", canvas, height, about, [say("plots.turn"), *map(name, figures.factions)],
        [[str(turn), *(str(figures.held[turn].get(faction, 0)) for faction in figures.factions)] for turn in turns],
    )  # fmt: skip


def _forces(figures: Figures) -> Iterator[Plot]:
    turns = sorted(figures.standing)
    hidden = not figures.everything

    def bar(faction: Faction, turn: int) -> list[int]:
        there = figures.standing[turn][faction]
        return [there.board, there.tanks] if there.reserves is None else [there.board, there.reserves, there.tanks]

    names = [say(f"plots.forces.{kind}") for kind in ("board", *(() if hidden else ("reserves",)), "tanks")]
    canvas = svg.Canvas()
    panels = [
        svg.Panel(f"{letter(faction)} {name(faction)}", colour(faction), [_parts(bar(faction, turn)) for turn in turns])
        for faction in figures.factions
    ]
    if hidden:
        names = [names[0], "", names[1]]
    height = svg.panels(canvas, panels, names, list(map(str, turns)))
    yield _plot(
        "forces", canvas, height, say("plots.forces.about", hidden=hidden),
        [say("plots.turn"), *map(name, figures.factions)],
        [[str(turn), *(" / ".join(map(str, bar(faction, turn))) for faction in figures.factions)] for turn in turns],
        caption=say("plots.forces.caption", hidden=hidden),
    )  # fmt: skip


def _parts(bar: Sequence[int]) -> Sequence[int]:
    """Board, reserve and tanks, where the reserve is not known as well."""
    return bar if len(bar) > 2 else (bar[0], 0, bar[1])


def _spice(figures: Figures) -> Iterator[Plot]:
    if not figures.everything:
        return
    turns = sorted(figures.standing)
    in_hand = {faction: [figures.standing[turn][faction].spice or 0 for turn in turns] for faction in figures.factions}
    canvas = svg.Canvas()
    series = [
        svg.Series(letter(faction), colour(faction), number, values)
        for number, (faction, values) in enumerate(in_hand.items())
    ]
    height = svg.lines(canvas, list(map(str, turns)), series)
    rows = [[str(turn), *(str(values[at]) for values in in_hand.values())] for at, turn in enumerate(turns)]
    head = [say("plots.turn"), *map(name, figures.factions)]
    yield _plot("spice", canvas, height, say("plots.spice.about"), head, rows)


def _income(figures: Figures) -> Iterator[Plot]:
    sources = [
        source
        for source in (SOURCES if figures.everything else SEEN_BY_ALL)
        if any(figures.income[faction][source] for faction in figures.factions)
    ]
    canvas = svg.Canvas()
    rows: list[svg.Row] = []
    told: list[list[str]] = []
    for source in sources:
        amounts = {faction: figures.income[faction][source] for faction in figures.factions}
        label, total = say(f"plots.income.source.{source}"), sum(amounts.values())
        rows.append(
            svg.Row(
                label,
                [svg.Part(f"{letter(one)} {size}", colour(one), size) for one, size in amounts.items() if size],
                str(total),
            )
        )
        told.append([label, *map(str, amounts.values()), str(total)])
    if not rows:
        return
    height = svg.rows(canvas, rows)
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
    canvas = svg.Canvas()
    marks = [
        (
            say("plots.auction.row", turn=turn),
            [
                svg.Part(
                    "K" if sale.karama else letter(sale.buyer), colour(sale.buyer), 0 if sale.karama else sale.price
                )
                for sale in figures.sales
                if sale.turn == turn
            ],
        )
        for turn in turns
    ]
    height = svg.marks(canvas, marks, say("plots.auction.unit"))
    columns = ["number", "buyer", "price", *(["card"] if figures.everything else [])]
    rows = [
        [
            str(sale.turn), str(sale.number), name(sale.buyer),
            say("plots.auction.karama") if sale.karama else str(sale.price),
            *([name(sale.card)] if figures.everything else []),
        ]
        for sale in figures.sales
    ]  # fmt: skip
    head = [say("plots.turn"), *(say(f"plots.auction.head-{column}") for column in columns)]
    yield _plot("auction", canvas, height, about, head, rows, numeric={0, 1, 3}, note=note)


def _battles(figures: Figures) -> Iterator[Plot]:
    about = say("plots.battles.about")
    if not figures.battles:
        yield _without("battles", about, say("plots.battles.none"))
        return
    canvas = svg.Canvas()
    height = svg.facing(canvas, [_faced(battle) for battle in figures.battles])
    columns = ("place", "sides", "dials", "totals", "won", "lost", "leaders")
    head = [say("plots.turn"), *(say(f"plots.battles.head-{column}") for column in columns)]
    yield _plot("battles", canvas, height, about, head, [_fought(one) for one in figures.battles], numeric={0})


def _faced(battle: Fought) -> tuple[str, svg.Part, svg.Part, str]:
    sizes = battle.totals or battle.dials
    sides = [
        svg.Part(f"{letter(one)} {halves(sizes[one])}" if one in sizes else letter(one), colour(one), sizes.get(one, 0))
        for one in battle.sides
    ]
    won = "" if battle.winner is None else "left" if battle.winner == battle.sides[0] else "right"
    label = say(
        "plots.battles.label", turn=battle.turn, territory=battle.territory, how=battle.how, winner=battle.winner
    )
    return label, sides[0], sides[1], won


def _fought(battle: Fought) -> list[str]:
    def of_both(numbers: dict[Faction, float]) -> str:
        return " : ".join(halves(numbers[one]) for one in battle.sides) if len(numbers) > 1 else say("plots.none")

    won = say("plots.nobody") if battle.winner is None else name(battle.winner)
    if battle.winner and battle.how == "treachery":
        won = say("plots.battles.treachery", winner=battle.winner)
    lost = ", ".join(f"{name(faction)} {number}" for faction, number in battle.lost.items() if number)
    return [
        str(battle.turn), name(battle.territory), listed(map(name, battle.sides)), of_both(dict(battle.dials)),
        of_both(dict(battle.totals)), won, lost or say("plots.none"),
        ", ".join(map(name, battle.leaders)) or say("plots.none"),
    ]  # fmt: skip


def _storm(figures: Figures) -> Iterator[Plot]:
    if not figures.storms:
        return
    canvas = svg.Canvas()
    rows: list[tuple[str, Sequence[svg.Span], str]] = []
    for blown in figures.storms:
        after = " ".join(f"{letter(one)} −{number}" for one, number in blown.killed.items())
        rows.append((say("plots.auction.row", turn=blown.turn), _way(blown.start, blown.end, blown.sectors), after))
    axis = [(number - 0.5, say("plots.storm.sector", number=number)) for number in (1, 4, 7, 10, 13, 16, 18)]
    height = svg.spans(canvas, rows, axis, SECTORS, after_wide=96, label_wide=34)
    told = [
        [
            str(blown.turn), str(blown.start), str(blown.end), str(blown.sectors),
            ", ".join(f"{name(one)} {number}" for one, number in blown.killed.items()) or say("plots.none"),
            str(blown.spice),
        ]
        for blown in figures.storms
    ]  # fmt: skip
    head = [say("plots.turn"), *(say(f"plots.storm.head-{one}") for one in ("from", "to", "moved", "killed", "spice"))]
    yield _plot("storm", canvas, height, say("plots.storm.about"), head, told, numeric={0, 1, 2, 3, 5})


SECTORS = 18


def _way(start: int, end: int, sectors: int) -> list[svg.Span]:
    """The sectors that the storm went over, and darker the one in which it stands."""
    where = svg.Span(end - 1, end, "", "c-storm")
    if sectors >= SECTORS:
        return [svg.Span(0, SECTORS, "", "c-storm part-1"), where]
    if not sectors:
        return [where]
    if start <= end:
        return [svg.Span(start - 1, end, "", "c-storm part-1"), where]
    return [svg.Span(start - 1, SECTORS, "", "c-storm part-1"), svg.Span(0, end, "", "c-storm part-1"), where]


def _pace(figures: Figures) -> Iterator[Plot]:
    about = say("plots.pace.about")
    if not figures.days_known:
        yield _without("pace", about, say("plots.pace.unknown"))
        return
    turns = sorted(figures.days_of_phases)
    phases = [phase for phase in PHASES if any(figures.days_of_phases[turn][phase] for turn in turns)]
    totals = {phase: sum(figures.days_of_phases[turn][phase] for turn in turns) for phase in phases}
    canvas = svg.Canvas()
    height = svg.rows(canvas, [_days(say(f"phase.{phase}"), days) for phase, days in totals.items()], 120)
    head = [say("plots.turn"), *(say(f"phase.{phase}") for phase in phases), say("plots.total")]
    rows = [
        [
            str(turn), *(str(figures.days_of_phases[turn][phase]) for phase in phases),
            str(figures.days_of_phases[turn].total()),
        ]
        for turn in turns
    ]  # fmt: skip
    yield _plot("pace", canvas, height, about, head, rows)
    kinds = [
        (_kind(kind), days) for kind, days in sorted(figures.days_of_kinds().items(), key=lambda it: (-it[1], it[0]))
    ]
    if not kinds:
        return
    canvas = svg.Canvas()
    height = svg.rows(canvas, [_days(said, days) for said, days in kinds], 190)
    head = [say("plots.pace.head-kind"), say("plots.pace.head-days")]
    yield Plot(
        "waiting", say("plots.pace.kinds-title"), say("plots.pace.kinds-about"),
        canvas.done("waiting", say("plots.pace.kinds-title"), say("plots.pace.kinds-about"), height),
        say("plots.pace.kinds-caption"), head, [[said, str(days)] for said, days in kinds], frozenset({1}),
    )  # fmt: skip


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


def _days(label: str, days: int) -> svg.Row:
    return svg.Row(label, [svg.Part("", "c-storm", days)], plural(days, "day"))


def _kind(kind: str) -> str:
    return say("plots.pace.of-one") if kind == OF_ONE else say(f"duty.{kind}")


def _alliances(figures: Figures) -> Iterator[Plot]:
    about = say("plots.alliances.about")
    turns = sorted(figures.alliances)
    if not any(figures.alliances.values()):
        yield _without("alliances", about, say("plots.alliances.none"))
        return
    canvas = svg.Canvas()
    rows = [
        (f"{letter(faction)}", list(_bands(figures, faction, turns)), "")
        for faction in figures.factions
        if any(faction in group for groups in figures.alliances.values() for group in groups)
    ]
    axis = [(number + 0.5, str(turn)) for number, turn in enumerate(turns) if len(turns) <= 10 or number % 2 == 0]
    height = svg.spans(canvas, rows, axis, len(turns), label_wide=28)
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


def _bands(figures: Figures, faction: Faction, turns: Sequence[int]) -> Iterator[svg.Span]:
    """The alliances of one faction, one after the other."""
    groups = [next((set(group) for group in figures.alliances[turn] if faction in group), None) for turn in turns]
    start = 0
    for at in range(1, len(groups) + 1):
        if at == len(groups) or groups[at] != groups[start]:
            if allies := groups[start]:
                label = " ".join(letter(one) for one in figures.factions if one in allies and one != faction)
                yield svg.Span(start, at, f"+ {label}", colour(faction))
            start = at


_MAKERS: tuple[Callable[[Figures], Iterator[Plot]], ...] = (
    _strongholds, _forces, _spice, _income, _auction, _battles, _storm, _alliances, _pace,
)  # fmt: skip


def _plot(
    plot: str, canvas: svg.Canvas, height: float, about: str, head: Sequence[str], rows: Sequence[Sequence[str]], *,
    numeric: set[int] | None = None, caption: str = "", note: str = "",
) -> Plot:  # fmt: skip
    title = say(f"plots.{plot}.title")
    return Plot(
        plot, title, about, canvas.done(plot, title, about, height), caption or say(f"plots.{plot}.caption"), head,
        rows, frozenset(range(len(head)) if numeric is None else numeric), note,
    )  # fmt: skip


def _without(plot: str, about: str, note: str) -> Plot:
    """What stands where there is nothing to draw."""
    return Plot(plot, say(f"plots.{plot}.title"), about, None, note=note)
