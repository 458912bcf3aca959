"""All lists of the archive from the summaries of its games."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from bot.archive.given import RatingList
from bot.archive.lists.feed import FEED, feed
from bot.archive.lists.figures_page import STATISTICS, statistics_page
from bot.archive.lists.index import INDEX, index_page
from bot.archive.lists.pages import FACTIONS, PLAYERS, factions_page, players_page
from bot.archive.lists.ratings_page import RATINGS, ratings_page
from bot.archive.lists.summary import Summary
from bot.archive.lists.tables import games_csv, games_jsonl


def lists(
    games: Iterable[Summary], *, running: bool = False, tournaments: bool = False, archive: str = "",
    ratings: RatingList | None = None,
) -> dict[str, bytes]:  # fmt: skip
    """The files by their paths in the archive: index, factions, statistics, players, ratings, `games.csv`,
    `games.jsonl`, `feed.xml`.

    The latest game comes first, and of one day by name. ``running`` says whether there is a page of games under way,
    ``tournaments`` whether there is one of them; ``archive`` tells the feed of one archive from that of another.
    `all-games.tar.gz`, to which the index leads where a record is published, is written piece by piece
    (``bot.archive.lists.tarball``).
    """
    latest = sorted(games, key=lambda game: game.id)
    latest.sort(key=lambda game: game.ended or date.min, reverse=True)
    files = {
        INDEX: b"",
        "games.csv": games_csv(latest),
        "games.jsonl": games_jsonl(latest),
        FEED: feed(latest, archive),
    }
    if latest:
        files[FACTIONS] = factions_page(latest)
        files[STATISTICS] = statistics_page(latest)
    if ratings and ratings.players:
        files[RATINGS] = ratings_page(ratings)
    if players := players_page(latest):
        files[PLAYERS] = players
    records = any(game.record for game in latest)
    files[INDEX] = index_page(latest, running, PLAYERS in files, RATINGS in files, records, tournaments)
    return files
