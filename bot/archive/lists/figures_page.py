"""`statistics.html`: what all games together say of factions, alliances, dots and lengths, always with the number of
games."""

from __future__ import annotations

from collections.abc import Sequence

from bot.archive.lists.outcomes import outcome_of
from bot.archive.lists.summary import Summary
from bot.archive.plots.plots import Plot
from bot.archive.rendering import Link, Page, render
from bot.competition.outcomes import TableOutcome
from bot.competition.statistics import games as lengths
from bot.competition.statistics.alliances import AllianceFigures, by_alliance, first_nexus_kept
from bot.competition.statistics.factions import FactionFigures, best_games, by_faction
from bot.competition.statistics.games import Length, by_dot
from bot.competition.statistics.shares import ENOUGH, Share
from bot.wording.filters import listed, name
from bot.wording.sentences import say

STATISTICS = "statistics.html"


def statistics_page(games: Sequence[Summary]) -> bytes:
    """The page, from the games that are over."""
    outcomes = [outcome_of(game) for game in games]
    page = Page(
        title=say("lists.statistics.title"),
        heading=say("lists.statistics.heading"),
        below=say("lists.statistics.below", games=len(outcomes), enough=ENOUGH),
        way=[Link(say("page.games"), "index.html")],
    )
    return render("archive/plots.html.j2", page, plots=figures(outcomes), numbers=say("plots.numbers"))


def figures(outcomes: Sequence[TableOutcome]) -> list[Plot]:
    """What these results say."""
    counted = by_faction(outcomes)
    return [
        _factions(counted),
        _course(counted),
        _alliances("pairs", by_alliance(outcomes, 2)),
        _alliances("triples", by_alliance(outcomes, 3)),
        _first_nexus(outcomes),
        _dots(outcomes),
        _lengths(outcomes),
        _best(outcomes),
    ]


def _plot(which: str, heads: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> Plot:
    """A table with its title and sentence; the first so many columns hold words, the others numbers."""
    head = [say(f"lists.statistics.head-{one}") for one in heads]
    note = "" if rows else say("lists.statistics.none")
    return Plot(
        which, say(f"lists.statistics.{which}"), say(f"lists.statistics.{which}-about"), None,
        say(f"lists.statistics.{which}-caption"), head, rows, frozenset(range(words, len(head))), note,
    )  # fmt: skip


def _factions(counted: Sequence[FactionFigures]) -> Plot:
    rows = [
        [
            name(one.faction), str(one.wins.played), str(one.wins.won), _short(one.expected), _short(one.by_expected),
            between(one.wins),
        ]
        for one in counted
    ]  # fmt: skip
    return _plot("factions", ("faction", "n", "won", "expected", "ratio", "interval"), rows)


def _course(counted: Sequence[FactionFigures]) -> Plot:
    rows = [
        [
            name(one.faction), _short(one.strongholds_per_turn), str(one.measured), _short(one.victory_turn),
            str(one.wins.won), str(one.traitors), str(one.played),
        ]
        for one in counted
    ]  # fmt: skip
    return _plot("course", ("faction", "strongholds", "n", "turn", "n", "traitors", "n"), rows)


def _alliances(which: str, counted: Sequence[AllianceFigures]) -> Plot:
    rows = [
        [
            listed(map(name, one.factions)), str(one.tables), str(one.wins.played), str(one.wins.won),
            between(one.wins),
        ]
        for one in counted
    ]  # fmt: skip
    return _plot(which, ("alliance", "tables", "allied", "won", "interval"), rows)


def _first_nexus(outcomes: Sequence[TableOutcome]) -> Plot:
    kept = first_nexus_kept(outcomes)
    rows = [[say("lists.statistics.kept"), str(kept.played), str(kept.won), between(kept)]] if kept.played else []
    return _plot("nexus", ("what", "n", "kept", "interval"), rows)


def _dots(outcomes: Sequence[TableOutcome]) -> Plot:
    rows = [
        [str(one.dot), str(one.wins.played), str(one.wins.won), _short(one.expected), between(one.wins)]
        for one in by_dot(outcomes)
        if one.dot
    ]
    return _plot("dots", ("dot", "n", "won", "expected", "interval"), rows, 0)


def _lengths(outcomes: Sequence[TableOutcome]) -> Plot:
    measured = (("turns", lengths.length_in_turns(outcomes)), ("days", lengths.length_in_days(outcomes)))
    rows = [[say(f"lists.statistics.in-{unit}"), *_length(length)] for unit, length in measured if length.games]
    return _plot("lengths", ("what", "n", "least", "middle", "most"), rows)


def _length(length: Length) -> list[str]:
    return [str(length.games), str(length.least), f"{length.middle:g}", str(length.most)]


def _best(outcomes: Sequence[TableOutcome]) -> Plot:
    rows = [
        [
            name(one.faction), one.game, one.by or _none(),
            say(f"lists.statistics.{'yes' if one.won else 'no'}"), _short(one.strongholds_per_turn), str(one.of),
        ]
        for one in best_games(outcomes)
    ]  # fmt: skip
    return _plot("best", ("faction", "game", "player", "victory", "strongholds", "n"), rows, 4)


def between(share: Share) -> str:
    """The interval of a share in per cent, or that there are too few games to tell."""
    said = say("lists.factions.between", low=round(100 * share.low), high=round(100 * share.high))
    return say("lists.statistics.too-few", interval=said) if share.too_few else said


def _short(number: str) -> str:
    """A printed number with two decimals."""
    return f"{float(number):.2f}" if number else _none()


def _none() -> str:
    return say("lists.none")
