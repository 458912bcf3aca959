"""`factions.html` and `players.html`: what all games together say of factions, and of players who agreed to it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bot.archive.lists.feed import kind_of
from bot.archive.lists.index import bdi
from bot.archive.lists.statistics import Statistics, factions_of, statistics
from bot.archive.lists.summary import Summary
from bot.archive.plots import svg
from bot.archive.plots.plots import Plot, colour, letter
from bot.archive.rendering import Link, Page, render
from bot.competition.statistics.shares import ENOUGH, Share
from bot.wording.filters import halves, name
from bot.wording.sentences import say
from rules.components import Faction

FACTIONS, PLAYERS = "factions.html", "players.html"


def factions_page(games: Sequence[Summary]) -> bytes:
    """What happened to each faction, over all games."""
    counted, factions = statistics(games), factions_of(games)
    kinds = {game.how: kind_of(game) for game in games}
    page = Page(
        title=say("lists.factions.title"),
        heading=say("lists.factions.heading"),
        below=say("lists.factions.below", games=counted.games, few=counted.games < ENOUGH),
        way=[Link(say("page.games"), "index.html")],
    )
    plots = [
        _wins(counted),
        _by_rule_set(counted, factions),
        _by_turn(counted, factions),
        _by_kind(counted, factions, kinds),
        *([_karama(counted)] if counted.karama else []),
    ]
    return render("archive/plots.html.j2", page, plots=plots, numbers=say("plots.numbers"))


def _wins(counted: Statistics) -> Plot:
    canvas = svg.Canvas()
    height = svg.ranges(canvas, [_range(faction, share) for faction, share in counted.factions.items()])
    rows = [
        [
            name(faction), str(share.played), str(share.won),
            say("lists.factions.percent", number=_percent(_rate(share))),
            say("lists.factions.between", low=_percent(share.low), high=_percent(share.high)),
        ]
        for faction, share in counted.factions.items()
    ]  # fmt: skip
    head = [say(f"lists.factions.head-{one}") for one in ("faction", "played", "won", "share", "interval")]
    title, about = say("lists.factions.wins"), say("lists.factions.wins-about")
    drawn = canvas.done("wins", title, about, height)
    return Plot("wins", title, about, drawn, say("lists.factions.wins-caption"), head, rows, frozenset({1, 2, 3, 4}))


def _range(faction: Faction, share: Share) -> svg.Range:
    said = say("lists.factions.of", won=share.won, played=share.played)
    label = f"{name(faction)} {letter(faction)}"
    return svg.Range(label, share.low, _rate(share), share.high, colour(faction), said)


def _by_rule_set(counted: Statistics, factions: Sequence[Faction]) -> Plot:
    def cell(shares: Mapping[Faction, Share], faction: Faction) -> str:
        share = shares.get(faction)
        return say("lists.factions.of", won=share.won, played=share.played) if share else say("lists.none")

    rows = [
        [ruleset, *(cell(shares, faction) for faction in factions)] for ruleset, shares in counted.by_rule_set.items()
    ]
    head = [say("lists.factions.head-rules"), *map(name, factions)]
    return Plot(
        "rules", say("lists.factions.rules"), "", None, say("lists.factions.rules-caption"), head, rows,
        frozenset(range(1, len(head))),
    )  # fmt: skip


def _by_turn(counted: Statistics, factions: Sequence[Faction]) -> Plot:
    title = say("lists.factions.turns")
    about = say("lists.factions.turns-about", middle=halves(counted.middle_length))
    canvas = svg.Canvas()
    turns = range(1, max(counted.lengths) + 1)
    bars = [
        svg.Row(str(turn), [svg.Part("", "c-storm", counted.lengths[turn])], str(counted.lengths[turn]))
        for turn in turns
    ]
    height = svg.rows(canvas, bars, 40)
    head = [say("lists.factions.head-turn"), say("lists.factions.head-games"), *map(name, factions)]
    rows = [
        [str(turn), str(counted.lengths[turn]), *(str(counted.by_turn[turn][one]) for one in factions)]
        for turn in turns
        if counted.lengths[turn]
    ]
    return Plot(
        "turns", title, about, canvas.done("turns", title, about, height), say("lists.factions.turns-caption"), head,
        rows, frozenset(range(len(head))),
    )  # fmt: skip


def _by_kind(counted: Statistics, factions: Sequence[Faction], kinds: Mapping[str, str]) -> Plot:
    head = [say("lists.factions.head-kind"), say("lists.factions.head-games"), *map(name, factions)]
    rows = [
        [kinds[kind], str(counted.games_of_kind[kind]), *(str(winners[one]) for one in factions)]
        for kind, winners in counted.by_kind.items()
    ]
    return Plot(
        "kinds", say("lists.factions.kinds"), "", None, say("lists.factions.kinds-caption"), head, rows,
        frozenset(range(1, len(head))),
    )  # fmt: skip


def _karama(counted: Statistics) -> Plot:
    head = [say(f"lists.factions.head-{one}") for one in ("year", "n", "mean", "lowest", "highest")]
    rows = [
        [str(year), str(len(prices)), halves(round(sum(prices) / len(prices), 1)), str(prices[0]), str(prices[-1])]
        for year, prices in counted.karama.items()
    ]
    return Plot(
        "karama", say("lists.factions.karama"), say("lists.factions.karama-about"), None,
        say("lists.factions.karama-caption"), head, rows, frozenset(range(5)),
    )  # fmt: skip


def _rate(share: Share) -> float:
    return share.won / share.played


def _percent(share: float) -> str:
    return str(round(100 * share))


@dataclass(frozen=True, slots=True)
class Played:
    """What somebody who agreed to be listed has played."""

    name: Markup
    games: int
    won: int
    factions: Sequence[str]


def players_page(games: Sequence[Summary]) -> bytes | None:
    """The players who agreed to be listed; None where nobody did."""
    played: Counter[str] = Counter()
    won: Counter[str] = Counter()
    factions: dict[str, Counter[Faction]] = defaultdict(Counter)
    for game in games:
        for player in {seat.name for seat in game.seats if seat.listed and seat.name}:
            played[player] += 1
            own = [seat.faction for seat in game.seats if seat.listed and seat.name == player]
            won[player] += any(faction in game.winners for faction in own)
            factions[player].update(own)
    if not played:
        return None
    rows = [
        Played(
            bdi(player), count, won[player],
            [
                say("lists.players.faction", faction=faction, times=factions[player][faction])
                for faction in factions_of(games)
                if factions[player][faction]
            ],
        )
        for player, count in sorted(played.items(), key=lambda item: (-item[1], -won[item[0]], item[0]))
    ]  # fmt: skip
    page = Page(
        title=say("lists.players.title"),
        heading=say("lists.players.heading"),
        below=say("lists.players.below"),
        way=[Link(say("page.games"), "index.html")],
    )
    return render("archive/players.html.j2", page, players=rows)
