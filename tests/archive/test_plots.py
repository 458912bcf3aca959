"""Tests that a game's plots show what happened and hide what the policy keeps hidden."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import html5lib
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.archive.figures import Figures, StormMove
from bot.archive.games import ArchivePolicy, FinishedGame, Step, decided_log, play_steps
from bot.archive.html import axis_ticks, spread_labels
from bot.archive.plots import Plot, faction_colour, game_plots
from bot.record.lines import Act, Decided
from bot.wording import say
from bot.wording.filters import name
from rules.components import FACTION_FACTS, FACTIONS, Forces
from rules.rulesets.ruleset import RULE_SETS
from rules.state.events import Event
from tests.archive.finished import finished
from tests.archive.single_pages import plots_page

GAMES = [(ruleset, "plots") for ruleset in RULE_SETS] + [("wbc-2018", "archive")]


@cache
def seen(ruleset: str, seed: str) -> Sequence[Step]:
    return list(play_steps(finished(ruleset, seed), seed))


def figures_of(ruleset: str, seed: str, game: FinishedGame | None = None) -> Figures:
    figures = Figures(game or finished(ruleset, seed))
    for step in seen(ruleset, seed):
        figures.see(step)
    return figures


def events_of(ruleset: str, seed: str) -> list[Event]:
    return [step.event for step in seen(ruleset, seed) if step.event]


def plot_of(made: Sequence[Plot], wanted: str) -> Plot:
    return next(plot for plot in made if plot.name == wanted)


def with_days(game: FinishedGame, days_apart: int = 1) -> FinishedGame:
    """Return the game with dates: the date advances by `days_apart` every ten decisions."""
    lines = [
        replace_day(line, date(2026, 1, 1) + timedelta(days=line.n // 10 * days_apart))
        if isinstance(line, Decided)
        else line
        for line in game.lines
    ]
    return replace(game, lines=lines)


def replace_day(line: Decided, day: date) -> Decided:
    return Decided(n=line.n, day=day, entry=line.entry)


def replace_private(event: Event) -> Event:
    return msgspec.structs.replace(event, private={})


@pytest.mark.parametrize(("most", "found"), [
    (0, [0, 1]), (1, [0, 1]), (2.5, [0, 1, 2, 3]), (5, [0, 1, 2, 3, 4, 5]), (6, [0, 2, 4, 6]),
    (10, [0, 2, 4, 6, 8, 10]), (11, [0, 5, 10, 15]), (25, [0, 5, 10, 15, 20, 25]), (26, [0, 10, 20, 30]),
    (101, [0, 50, 100, 150]), (501, [0, 200, 400, 600]),
])  # fmt: skip
def test_an_axis_is_marked_by_round_numbers(most: float, found: list[float]) -> None:
    assert axis_ticks(most) == found


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_strongholds_sales_and_battles_in_the_tables_are_those_that_were_told(ruleset: str, seed: str) -> None:
    figures, told = figures_of(ruleset, seed), events_of(ruleset, seed)
    made = game_plots(figures)
    held = [event.facts["held"] for event in told if event.kind == "strongholds"]
    assert [list(row[1:]) for row in plot_of(made, "strongholds").rows] == [
        [str(len(places[faction])) for faction in figures.factions] for places in held
    ]
    sales = [event for event in told if event.kind == "card-sold"]
    rows = plot_of(made, "auction").rows
    assert [(row[0], row[2], row[4]) for row in rows] == [
        (str(sale.turn), name(sale.facts["buyer"]), name(sale.private[sale.facts["buyer"]]["card"])) for sale in sales
    ]
    assert sum(int(row[3]) for row in rows if row[3].isdigit()) == sum(
        sale.facts["price"] for sale in sales if not sale.facts.get("karama")
    )
    begun = [event for event in told if event.kind == "battle-begins"]
    battles = plot_of(made, "battles").rows
    assert [(row[0], row[1]) for row in battles] == [(str(one.turn), name(one.facts["territory"])) for one in begun]
    assert [row[5].split(",")[0] for row in battles if row[5] != "nobody"] == [
        name(event.facts["winner"]) for event in told if event.kind == "battle-won"
    ]


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_tokens_that_were_lost_in_battles_and_to_the_storm_are_those_that_were_told(ruleset: str, seed: str) -> None:
    figures, told = figures_of(ruleset, seed), events_of(ruleset, seed)
    lost: Counter[str] = Counter()
    for event in told:
        if event.kind == "tokens-lost":
            lost[event.facts["faction"]] += Forces.parse(event.facts["forces"]).total
        elif event.kind == "explosion-losses":
            lost.update({one: Forces.parse(forces).total for one, forces in event.facts["tokens_lost"].items()})
    assert sum((Counter(battle.lost) for battle in figures.battles), Counter()) == lost
    killed = sum(Forces.parse(event.facts["forces"]).total for event in told if event.kind == "storm-killed")
    assert sum(sum(storm.killed.values()) for storm in figures.storms) == killed


def test_losses_belong_to_a_battle_where_it_was_fought_and_as_long_as_it_lasts() -> None:
    figures, first = Figures(finished("wbc-2018", "plots")), seen("wbc-2018", "plots")[0]

    def told(kind: str, **facts: Any) -> None:
        figures.see(replace(first, event=Event(0, 1, "battle", kind, facts)))

    told("leader-killed", leader="Feyd-Rautha", user="harkonnen")
    told("tokens-lost", faction="guild", forces="5", territory="carthag")
    told("captive-killed", faction="atreides", spice=2, leader="Feyd-Rautha")
    assert (figures.battles, sum(figures.income["harkonnen"].values())) == ([], 0)
    told("battle-begins", territory="carthag", aggressor="harkonnen", defender="guild", forces={})
    told("captive-killed", faction="atreides", spice=2, leader="Feyd-Rautha")
    told("tokens-lost", faction="guild", forces="2", territory="carthag")
    told("tokens-lost", faction="guild", forces="1+1", territory="carthag")
    told("tokens-lost", faction="emperor", forces="4", territory="arrakeen")
    told("leader-killed", leader="Staban Tuek", user="guild")
    told("battle-won", winner="harkonnen", by="battle", totals=None)
    told("captive-killed", faction="atreides", spice=3, leader="Duncan Idaho")
    told("storm-moved", start=1, storm=2, sectors=1)
    told("leader-killed", leader="Feyd-Rautha", user="harkonnen")
    told("tokens-lost", faction="guild", forces="5", territory="carthag")
    [battle] = figures.battles
    assert (battle.winner, battle.lost, battle.leaders) == ("harkonnen", {"guild": 4}, ("Staban Tuek",))
    assert figures.income["harkonnen"]["leaders"] == 3


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_tokens_and_spice_of_a_turn_are_those_of_its_last_position(ruleset: str, seed: str) -> None:
    figures = figures_of(ruleset, seed)
    last: dict[int, Any] = {step.turn: step.views["gm"] for step in seen(ruleset, seed)}
    spice, forces = plot_of(game_plots(figures), "spice"), plot_of(game_plots(figures), "forces")
    for row, parts, (turn, view) in zip(spice.rows, forces.rows, last.items(), strict=True):
        assert row == [str(turn), *(str(view["players"][faction]["spice"]) for faction in figures.factions)]
        assert all(sum(map(int, part.split(" / "))) == 20 for part in parts[1:])


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_spice_that_came_less_what_was_spent_is_what_is_in_hand(ruleset: str, seed: str) -> None:
    figures = figures_of(ruleset, seed)
    for faction in figures.factions:
        hand = figures.first_spice[faction]
        for turn, standing in sorted(figures.standing.items()):
            hand += figures.income_by_turn[turn][faction] - figures.spent_by_turn[turn][faction]
            assert hand == standing[faction].spice
        assert sum(figures.income[faction].values()) == sum(of[faction] for of in figures.income_by_turn.values())
    rows = {row[0]: row for row in plot_of(game_plots(figures), "income").rows}
    collected = sum(event.facts["amount"] for event in events_of(ruleset, seed) if event.kind == "spice-collected")
    assert int(rows["sand"][-1] if "sand" in rows else 0) == collected


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_emperor_and_guild_get_what_others_paid(ruleset: str, seed: str) -> None:
    figures, told = figures_of(ruleset, seed), events_of(ruleset, seed)
    sold = sum(event.facts["price"] for event in told if event.kind == "card-sold" and event.facts.get("to_emperor"))
    shipped = sum(
        event.facts["price"] for event in told if event.kind == "shipment" and event.facts["paid_to"] == "guild"
    )
    assert figures.income["emperor"]["cards"] <= sold
    assert figures.income["guild"]["shipments"] <= shipped
    if not any(event.kind in ("nexus-over", "spice-given") and event.facts.get("alliances", 1) for event in told):
        assert figures.income["emperor"]["cards"] == sold


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_where_only_what_was_public_is_published_nothing_hidden_is_drawn(ruleset: str) -> None:
    game = replace(finished(ruleset, "plots"), policy=ArchivePolicy(ended="public-only"))

    def stripped(step: Step) -> Step:
        told = replace_private(step.event) if step.event and step.event.audience is None else None
        return replace(step, event=told, views={"public": step.views["public"]})

    page = plots_page(game, map(stripped, seen(ruleset, "plots")))["plots.html"]
    assert page == plots_page(game, seen(ruleset, "plots"))["plots.html"]
    assert b"Spice in hand" not in page
    assert b"reserve" not in page
    assert "Card" not in plot_of(game_plots(figures_of(ruleset, "plots", game)), "auction").head


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_the_page_is_html_without_error_and_its_drawings_are_xml(ruleset: str) -> None:
    page = plots_page(with_days(finished(ruleset, "plots")), seen(ruleset, "plots"))["plots.html"].decode()
    html5lib.HTMLParser(strict=True).parse(page)
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawings) >= 6
    for drawing in drawings:
        root = ElementTree.fromstring(drawing)
        title, about = root[0], root[1]
        assert (root.get("role"), title.tag, about.tag) == ("img", "title", "desc")
        assert root.get("aria-labelledby") == f"{title.get('id')} {about.get('id')}"
        assert title.text
        assert about.text
    assert page.count("<table") >= len(drawings)


def test_the_same_game_gives_the_same_page() -> None:
    game = finished("wbc-2018", "plots")
    assert plots_page(game, seen("wbc-2018", "plots")) == plots_page(game, seen("wbc-2018", "plots"))


def test_without_days_the_pace_is_a_sentence() -> None:
    pace = plot_of(game_plots(figures_of("wbc-2018", "plots")), "pace")
    assert pace.drawing is None
    assert "does not say on which days" in pace.note


def test_the_days_of_the_phases_are_those_from_the_first_decision_to_the_last() -> None:
    game = with_days(finished("wbc-2018", "plots"), 3)
    days = [line.day for line in game.lines if isinstance(line, Decided) and line.day]
    figures = figures_of("wbc-2018", "plots", game)
    pace, waiting = plot_of(game_plots(figures), "pace"), plot_of(game_plots(figures), "waiting")
    assert sum(int(row[-1]) for row in pace.rows) == (days[-1] - days[0]).days
    assert not any(name(faction) in cell for row in waiting.rows for cell in row for faction in FACTIONS)


def test_where_nothing_has_happened_yet_little_is_drawn() -> None:
    figures = Figures(finished("wbc-2018", "plots"))
    figures.see(seen("wbc-2018", "plots")[0])
    made = game_plots(figures)
    assert {plot.name for plot in made if plot.drawing is not None} == {"forces", "spice"}
    assert plot_of(made, "auction").note == say("plots.auction.none")
    assert "strongholds" not in {plot.name for plot in made}
    assert "storm" not in {plot.name for plot in made}


def test_cards_that_nobody_bought_are_noted_where_there_are_any() -> None:
    figures = figures_of("wbc-2018", "plots")
    returned = sum(event.facts["cards"] for event in events_of("wbc-2018", "plots") if event.kind == "cards-returned")
    assert returned
    assert plot_of(game_plots(figures), "auction").note == say("plots.auction.unsold", unsold=returned)
    figures.unsold.clear()
    assert plot_of(game_plots(figures), "auction").note == ""


@pytest.mark.parametrize(
    ("start", "end", "sectors", "bands"),
    [(5, 5, 0, []), (5, 8, 3, [4]), (16, 3, 5, [3, 3]), (5, 4, 17, [14, 4]), (5, 5, 18, [18]), (5, 6, 19, [18])],
)
def test_the_way_of_the_storm_is_one_band_or_two_where_it_comes_past_the_first_sector(
    start: int, end: int, sectors: int, bands: list[int]
) -> None:
    figures = figures_of("wbc-2018", "plots")
    figures.storms = [StormMove(1, start, end, sectors, {}, 0)]
    storm = plot_of(game_plots(figures), "storm")
    way = re.findall(r'class="c-storm part-1" [^>]*width="([\d.]+)"', str(storm.drawing))
    (stands,) = re.findall(r'class="c-storm" [^>]*width="([\d.]+)"', str(storm.drawing))
    assert [round(float(wide) / float(stands)) for wide in way] == bands
    assert storm.rows[0][:4] == ["1", str(start), str(end), str(sectors)]


def test_decisions_of_one_day_kept_nobody_waiting() -> None:
    made = game_plots(figures_of("wbc-2018", "plots", with_days(finished("wbc-2018", "plots"), 0)))
    assert plot_of(made, "pace").note == ""
    assert "waiting" not in {plot.name for plot in made}


def test_what_was_taken_back_counts_neither_among_the_decisions_nor_their_days() -> None:
    game = with_days(finished("wbc-2018", "plots"), 2)
    lines = list(game.lines)
    places = [place for place, line in enumerate(lines) if isinstance(line, Decided)]
    undone = [replace_day(line, date(2026, 12, 1)) for line in lines[: places[40]] if isinstance(line, Decided)][30:]
    lines[places[40] : places[40]] = [
        *undone,
        Act(what="rollback", entries=40),
        Act(what="extend 24"),
    ]
    changed = replace(game, lines=lines)
    assert decided_log(changed) == decided_log(game)
    assert (
        figures_of("wbc-2018", "plots", changed).days_of_phases == figures_of("wbc-2018", "plots", game).days_of_phases
    )


def test_nobody_is_told_by_a_kind_of_decision_that_is_theirs_alone() -> None:
    for ruleset in RULE_SETS:
        figures = figures_of(ruleset, "plots", with_days(finished(ruleset, "plots")))
        asked: dict[str, set[str]] = {}
        for step in seen(ruleset, "plots"):
            for question in step.views["public"]["questions"]:
                who = figures.factions if question["faction"] is None else (question["faction"],)
                asked.setdefault(question["kind"], set()).update(who)
        assert not any(len(asked[kind]) == 1 for kind in figures.days_of_kinds() if kind in asked)


def test_alliances_in_the_table_are_those_of_the_last_view_of_a_turn() -> None:
    for ruleset, seed in GAMES:
        figures = figures_of(ruleset, seed)
        last = {step.turn: step.views["public"]["alliances"] for step in seen(ruleset, seed)}
        assert {turn: [list(group) for group in groups] for turn, groups in figures.alliances.items()} == last


@given(st.lists(st.floats(0, 200), max_size=12), st.floats(1, 13))
def test_labels_do_not_overlap(wanted: list[float], gap: float) -> None:
    places = sorted(spread_labels(wanted, gap, 0, 200))
    assert all(above - below >= gap - 1e-6 for below, above in pairwise(places))
    assert not places or places[-1] <= 200


def test_what_six_lines_would_hide_has_a_panel_for_each_faction() -> None:
    for ruleset, seed in GAMES:
        figures = figures_of(ruleset, seed)
        for plot in game_plots(figures):
            if plot.name in ("strongholds", "spice"):
                root = ElementTree.fromstring(str(plot.drawing))
                named = [text.text for text in root.iter("text") if (text.get("class") or "").startswith("name")]
                assert [text.partition(" ")[2] for text in named if text] == list(map(name, figures.factions))
                assert len(list(root.iter("rect"))) == len(figures.factions) * len(plot.rows)


@given(st.floats(0, 90_000))
def test_the_numbers_of_an_axis_begin_at_nothing_and_reach_the_most(most: float) -> None:
    marks = axis_ticks(most)
    assert marks[0] == 0
    assert marks[-1] >= most
    assert len(marks) <= 7


def test_every_faction_has_a_colour_by_day_by_night_and_in_print() -> None:
    style = Path("templates/archive/plots.css").read_text(encoding="utf-8")
    for faction in FACTION_FACTS:
        assert style.count(f"--{faction_colour(faction)}: #") == 3
        assert f'"{faction_colour(faction).removeprefix("c-")}"' in style
