"""`index.html` of the archive: every game that is over, the latest first, with a search box.

A thousand games must stay below 250 KB, so a row has no more than it needs: players only where they chose a name, cut
further where many chose long ones.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import groupby

from markupsafe import Markup, escape

from bot.archive.lists.feed import FEED
from bot.archive.lists.summary import Summary, tidy
from bot.archive.lists.tarball import ALL_GAMES
from bot.archive.rendering import Link, Page, render
from bot.wording.filters import listed, name
from bot.wording.sentences import say
from rules.components.factions import FACTION_FACTS

INDEX = "index.html"
A_ROW = 240
"""How many bytes a row may have on the average."""
CUTS = (40, 24, 16, 12, 8)


def index_page(
    games: Sequence[Summary], running: bool, players: bool, ratings: bool, records: bool, tournaments: bool = False
) -> bytes:
    """The page of games, given newest first; whether there are pages of ``running`` games, of ``players``, of
    ``ratings``, of ``tournaments``, and a file of all ``records``."""
    links = [
        *([Link(say("tournaments.all"), "tournaments.html")] if tournaments else []),
        *([Link(say("lists.index.running"), "running.html")] if running else []),
        *([Link(say("lists.index.factions"), "factions.html")] if games else []),
        *([Link(say("lists.index.statistics"), "statistics.html")] if games else []),
        *([Link(say("lists.index.players"), "players.html")] if players else []),
        *([Link(say("lists.index.ratings"), "ratings.html")] if ratings else []),
        Link(say("lists.index.csv"), "games.csv"),
        Link(say("lists.index.jsonl"), "games.jsonl"),
        *([Link(say("lists.index.all"), ALL_GAMES)] if records else []),
        Link(say("lists.index.feed"), FEED),
    ]
    page = Page(
        title=say("lists.index.title"),
        heading=say("lists.index.heading"),
        below=say("lists.index.below", games=len(games)),
        scripts="inline" if games else "none",
    )
    heads = ("ended", "game", "winner", "turn", "rules", "players")
    return render("archive/index.html.j2", page, rows=_rows(games), links=links, heads=heads)


def _rows(games: Sequence[Summary]) -> Markup:
    """All rows, the names of players cut so that they are not too many bytes."""
    rows = Markup("")
    for longest in CUTS:
        rows = Markup("").join(_row(game, longest) for game in games)
        if len(rows.encode()) <= A_ROW * max(len(games), 100):
            break
    return rows


def _row(game: Summary, longest: int) -> Markup:
    winners = listed(map(name, game.winners)) if game.winners else say("lists.none")
    players = [
        Markup("{} {}").format(_letters(faction), bdi(player, longest))
        for player, those in groupby(sorted(game.seats, key=lambda seat: seat.name), key=lambda seat: seat.name)
        if player
        for faction in [[seat.faction for seat in those]]
    ]
    return Markup(
        '<tr><td>{ended}<th><a href="game/{id}/index.html">{id}</a><td>{winners}'
        "<td class=n>{turns}<td>{rules}<td>{players}\n"
    ).format(
        ended=game.ended or say("lists.none"), id=game.id, winners=winners, turns=game.turns, rules=game.ruleset,
        players=Markup(", ").join(players),
    )  # fmt: skip


def _letters(factions: Sequence[str]) -> str:
    return "+".join(FACTION_FACTS[one].abbreviation for one in factions)


def bdi(text: str, longest: int = 60) -> Markup:
    """A name that does not turn the words around it, whichever way it is written."""
    cut = tidy(text, longest)
    turns = any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in cut)
    return Markup("<bdi>{}</bdi>").format(cut) if turns else escape(cut)
