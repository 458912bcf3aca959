"""`ratings.html`: the public list of ratings, and what factions are worth."""

from __future__ import annotations

from bot.archive.given import RatingList
from bot.archive.lists.summary import tidy
from bot.archive.plots.plots import Plot
from bot.archive.rendering import Link, Page, render
from bot.competition.ratings import RANKED_FROM
from bot.wording.filters import name
from bot.wording.sentences import say

RATINGS = "ratings.html"


def ratings_page(ratings: RatingList) -> bytes:
    """The page, from the list."""
    page = Page(
        title=say("lists.ratings.title"),
        heading=say("lists.ratings.heading"),
        below=say("lists.ratings.below", players=len(ratings.players), enough=RANKED_FROM),
        way=[Link(say("page.games"), "index.html")],
    )
    players = [
        [
            str(one.rank) if one.rank else say("lists.none"), tidy(one.name), str(one.rating), str(one.uncertainty),
            str(one.games),
        ]
        for one in ratings.players
    ]  # fmt: skip
    factions = [[one.ruleset, str(one.size), name(one.faction), f"{one.tenths / 10:+.1f}"] for one in ratings.factions]
    plots = [
        _table("players", ("rank", "player", "rating", "uncertainty", "games"), players, {0, 2, 3, 4}),
        _table("worth", ("rules", "size", "faction", "worth"), factions, {1, 3}),
    ]
    return render("archive/plots.html.j2", page, plots=plots, numbers=say("plots.numbers"))


def _table(which: str, heads: tuple[str, ...], rows: list[list[str]], numeric: set[int]) -> Plot:
    head = [say(f"lists.ratings.head-{one}") for one in heads]
    return Plot(
        which, say(f"lists.ratings.{which}"), say(f"lists.ratings.{which}-about"), None,
        say(f"lists.ratings.{which}-caption"), head, rows, frozenset(numeric),
    )  # fmt: skip
