"""The pages about all games together: the index, factions, players, statistics, ratings.

The index lists every finished game, newest first, with a search box. It must stay below 250 KB even with a thousand
games, so its rows are short. They name only players who chose a name, and shorten names further if many are long. The
page of players lists only people who agreed to appear in it. Every statistic shows the number of games behind it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from bot.archive import html
from bot.archive.games import RatingList, TableList, day_in_words
from bot.archive.html import Page, render
from bot.archive.plots import Plot, faction_colour, faction_letter
from bot.archive.summaries import (
    ALL_GAMES,
    FEED,
    LATEST,
    NO_DAY,
    FeedEntry,
    Statistics,
    Summary,
    atom_feed,
    count_statistics,
    factions_played,
    feed_xml,
    games_csv,
    games_jsonl,
    outcome_of_summary,
    tidy_name,
    victory_in_words,
)
from bot.competition import statistics as lengths
from bot.competition.outcomes import TableOutcome
from bot.competition.ratings import RANKED_FROM
from bot.competition.statistics import (
    ENOUGH_GAMES,
    AllianceFigures,
    FactionFigures,
    Length,
    Share,
    best_games,
    by_alliance,
    by_dot,
    by_faction,
    first_nexus_kept,
)
from bot.lobby.calendars import calendar_file, dates_of_tables
from bot.lobby.requests import OpenTable
from bot.render.blocks import Block, Link, List, Paragraph, Part
from bot.render.questions import reply_link
from bot.wording import say
from bot.wording.filters import halves, listed, name, plural
from rules.components import Faction
from rules.components.factions import FACTION_FACTS
from rules.engine.catalogue import load_rule_set


def list_files(
    games: Iterable[Summary],
    *,
    there: Collection[str] = (),
    archive: str = "",
    ratings: RatingList | None = None,
) -> dict[str, bytes]:
    """Return the index, factions, statistics, players, ratings, `games.csv`, `games.jsonl` and `feed.xml`, by path.

    The latest game comes first; games that ended on the same day are sorted by name. ``there`` lists the other pages
    that exist. ``archive`` distinguishes the feeds of different archives. If any record is published, the index links
    to `all-games.tar.gz`, which is written separately, piece by piece (``bot.archive.summaries``).
    """
    latest = sorted(games, key=lambda game: game.id)
    latest.sort(key=lambda game: game.ended or date.min, reverse=True)
    files = {
        INDEX: b"",
        "games.csv": games_csv(latest),
        "games.jsonl": games_jsonl(latest),
        FEED: feed_xml(latest, archive),
    }
    if latest:
        files[FACTIONS] = factions_page(latest)
        files[STATISTICS] = statistics_page(latest)
    if ratings and ratings.players:
        files[RATINGS] = ratings_page(ratings)
    if players := players_page(latest):
        files[PLAYERS] = players
    doors = [
        (say("lists.index.doors.tables"), TABLES, TABLES in there),
        (say("tournaments.all"), "tournaments.html", "tournaments.html" in there),
        (say("lists.index.doors.running"), "running.html", "running.html" in there),
        (say("lists.index.doors.factions"), FACTIONS, FACTIONS in files),
        (say("lists.index.doors.statistics"), STATISTICS, STATISTICS in files),
        (say("lists.index.doors.players"), PLAYERS, PLAYERS in files),
        (say("lists.index.doors.ratings"), RATINGS, RATINGS in files),
        (say("lists.index.doors.csv"), "games.csv", True),
        (say("lists.index.doors.jsonl"), "games.jsonl", True),
        (say("lists.index.doors.all"), ALL_GAMES, any(game.record for game in latest)),
        (say("lists.index.doors.feed"), FEED, True),
    ]
    files[INDEX] = index_page(latest, [Link(words, file) for words, file, there in doors if there])
    return files


INDEX = "index.html"
CARDS = 60  # the latest games are shown as cards with a picture, all others in a table
A_ROW = 240
"""The maximum average size of a row of the index, in bytes."""
CUTS = (40, 24, 16, 12, 8)


def index_page(games: Sequence[Summary], links: Sequence[Link]) -> bytes:
    page = Page(
        title=say("lists.index.title"),
        heading=say("lists.index.heading"),
        below=say("lists.index.below", games=len(games)),
        scripts="inline" if games else "none",
    )
    heads = ("ended", "game", "winner", "turn", "rules", "players")
    cards = {game.id: game for game in games[:CARDS] if game.headline}
    rows = _rows([game for game in games if game.id not in cards])
    shown = [_card(game) for game in cards.values()]
    return render("archive/index.html.j2", page, cards=shown, rows=rows, links=links, heads=heads)


def _card(game: Summary) -> dict[str, Any]:
    ended = day_in_words(game.ended) if game.ended else ""
    about = [game.id, load_rule_set(game.ruleset).title, plural(game.turns, "turn"), ended]
    return {
        "game": game,
        "winners": say("lists.index.won", winners=game.winners),
        "about": " · ".join(filter(None, about)),
        "players": _players(game, CUTS[0]),
    }


def _rows(games: Sequence[Summary]) -> Markup:
    rows = Markup("")
    for longest in CUTS:
        rows = Markup("").join(_row(game, longest) for game in games)
        if len(rows.encode()) <= A_ROW * max(len(games), 100):
            break
    return rows


def _row(game: Summary, longest: int) -> Markup:
    winners = listed(map(name, game.winners)) if game.winners else say("lists.none")
    return Markup(
        '<tr><td>{ended}<th><a href="game/{id}/index.html">{id}</a><td>{winners}'
        "<td class=n>{turns}<td>{rules}<td>{players}\n"
    ).format(
        ended=game.ended or say("lists.none"),
        id=game.id,
        winners=winners,
        turns=game.turns,
        rules=load_rule_set(game.ruleset).title,
        players=_players(game, longest),
    )


def _players(game: Summary, longest: int) -> Markup:
    players = [
        Markup("{} {}").format(_letters(faction), isolated_name(player, longest))
        for player, those in groupby(sorted(game.seats, key=lambda seat: seat.name), key=lambda seat: seat.name)
        if player
        for faction in [[seat.faction for seat in those]]
    ]
    return Markup(", ").join(players)


def _letters(factions: Sequence[str]) -> str:
    return "+".join(FACTION_FACTS[one].abbreviation for one in factions)


def isolated_name(text: str, longest: int = 60) -> Markup:
    cut = tidy_name(text, longest)
    turns = any(unicodedata.bidirectional(sign) in ("R", "AL", "AN") for sign in cut)
    return Markup("<bdi>{}</bdi>").format(cut) if turns else escape(cut)


FACTIONS, PLAYERS = "factions.html", "players.html"


def factions_page(games: Sequence[Summary]) -> bytes:
    counted, factions = count_statistics(games), factions_played(games)
    kinds = {game.how: victory_in_words(game.how) for game in games}
    page = Page(
        title=say("lists.factions.title"),
        heading=say("lists.factions.heading"),
        below=say("lists.factions.below", games=counted.games, few=counted.games < ENOUGH_GAMES),
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
    canvas = html.Canvas()
    height = html.draw_ranges(canvas, [_range(faction, share) for faction, share in counted.factions.items()])
    rows = [
        [
            name(faction),
            str(share.played),
            str(share.won),
            say("lists.factions.percent", number=_percent(_rate(share))),
            say("lists.factions.between", low=_percent(share.low), high=_percent(share.high)),
        ]
        for faction, share in counted.factions.items()
    ]
    head = [say(f"lists.factions.head-{one}") for one in ("faction", "played", "won", "share", "interval")]
    title, about = say("lists.factions.wins"), say("lists.factions.wins-about")
    drawn = canvas.done("wins", title, about, height)
    return Plot("wins", title, about, drawn, say("lists.factions.wins-caption"), head, rows, frozenset({1, 2, 3, 4}))


def _range(faction: Faction, share: Share) -> html.ShareRange:
    said = say("lists.factions.of", won=share.won, played=share.played)
    label = f"{name(faction)} {faction_letter(faction)}"
    return html.ShareRange(label, share.low, _rate(share), share.high, faction_colour(faction), said)


def _by_rule_set(counted: Statistics, factions: Sequence[Faction]) -> Plot:
    def cell(shares: Mapping[Faction, Share], faction: Faction) -> str:
        share = shares.get(faction)
        return say("lists.factions.of", won=share.won, played=share.played) if share else say("lists.none")

    rows = [
        [load_rule_set(ruleset).title, *(cell(shares, faction) for faction in factions)]
        for ruleset, shares in counted.by_rule_set.items()
    ]
    head = [say("lists.factions.head-rules"), *map(name, factions)]
    return Plot(
        "rules",
        say("lists.factions.rules"),
        "",
        None,
        say("lists.factions.rules-caption"),
        head,
        rows,
        frozenset(range(1, len(head))),
    )


def _by_turn(counted: Statistics, factions: Sequence[Faction]) -> Plot:
    title = say("lists.factions.turns")
    about = say("lists.factions.turns-about", middle=halves(counted.middle_length))
    canvas = html.Canvas()
    turns = range(1, max(counted.lengths) + 1)
    bars = [
        html.Bar(str(turn), [html.BarPart("", "c-storm", counted.lengths[turn])], str(counted.lengths[turn]))
        for turn in turns
    ]
    height = html.draw_bars(canvas, bars, 40)
    head = [say("lists.factions.head-turn"), say("lists.factions.head-games"), *map(name, factions)]
    rows = [
        [str(turn), str(counted.lengths[turn]), *(str(counted.by_turn[turn][one]) for one in factions)]
        for turn in turns
        if counted.lengths[turn]
    ]
    return Plot(
        "turns",
        title,
        about,
        canvas.done("turns", title, about, height),
        say("lists.factions.turns-caption"),
        head,
        rows,
        frozenset(range(len(head))),
    )


def _by_kind(counted: Statistics, factions: Sequence[Faction], kinds: Mapping[str, str]) -> Plot:
    head = [say("lists.factions.head-kind"), say("lists.factions.head-games"), *map(name, factions)]
    rows = [
        [kinds[kind], str(counted.games_of_kind[kind]), *(str(winners[one]) for one in factions)]
        for kind, winners in counted.by_kind.items()
    ]
    return Plot(
        "kinds",
        say("lists.factions.kinds"),
        "",
        None,
        say("lists.factions.kinds-caption"),
        head,
        rows,
        frozenset(range(1, len(head))),
    )


def _karama(counted: Statistics) -> Plot:
    head = [say(f"lists.factions.head-{one}") for one in ("year", "n", "mean", "lowest", "highest")]
    rows = [
        [str(year), str(len(prices)), halves(round(sum(prices) / len(prices), 1)), str(prices[0]), str(prices[-1])]
        for year, prices in counted.karama.items()
    ]
    return Plot(
        "karama",
        say("lists.factions.karama"),
        say("lists.factions.karama-about"),
        None,
        say("lists.factions.karama-caption"),
        head,
        rows,
        frozenset(range(5)),
    )


def _rate(share: Share) -> float:
    return share.won / share.played


def _percent(share: float) -> str:
    return str(round(100 * share))


@dataclass(frozen=True, slots=True)
class PlayerRow:
    name: Markup
    games: int
    won: int
    factions: Sequence[str]


def players_page(games: Sequence[Summary]) -> bytes | None:
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
        PlayerRow(
            isolated_name(player),
            count,
            won[player],
            [
                say("lists.players.faction", faction=faction, times=factions[player][faction])
                for faction in factions_played(games)
                if factions[player][faction]
            ],
        )
        for player, count in sorted(played.items(), key=lambda item: (-item[1], -won[item[0]], item[0]))
    ]
    page = Page(
        title=say("lists.players.title"),
        heading=say("lists.players.heading"),
        below=say("lists.players.below"),
        way=[Link(say("page.games"), "index.html")],
    )
    return render("archive/players.html.j2", page, players=rows)


STATISTICS = "statistics.html"


def statistics_page(games: Sequence[Summary]) -> bytes:
    outcomes = [outcome_of_summary(game) for game in games]
    page = Page(
        title=say("lists.statistics.title"),
        heading=say("lists.statistics.heading"),
        below=say("lists.statistics.below", games=len(outcomes), enough=ENOUGH_GAMES),
        way=[Link(say("page.games"), "index.html")],
    )
    return render("archive/plots.html.j2", page, plots=statistics_plots(outcomes), numbers=say("plots.numbers"))


def statistics_plots(outcomes: Sequence[TableOutcome]) -> list[Plot]:
    counted = by_faction(outcomes)
    return [
        _factions_plot(counted),
        _course(counted),
        _alliances("pairs", by_alliance(outcomes, 2)),
        _alliances("triples", by_alliance(outcomes, 3)),
        _first_nexus(outcomes),
        _dots(outcomes),
        _lengths(outcomes),
        _best(outcomes),
    ]


def _table_plot(which: str, heads: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> Plot:
    """Return a table with its title and a sentence about it. The first ``words`` columns hold text, the others
    numbers."""
    head = [say(f"lists.statistics.head-{one}") for one in heads]
    note = "" if rows else say("lists.statistics.none")
    return Plot(
        which,
        say(f"lists.statistics.{which}"),
        say(f"lists.statistics.{which}-about"),
        None,
        say(f"lists.statistics.{which}-caption"),
        head,
        rows,
        frozenset(range(words, len(head))),
        note,
    )


def _factions_plot(counted: Sequence[FactionFigures]) -> Plot:
    rows = [
        [
            name(one.faction),
            str(one.wins.played),
            str(one.wins.won),
            _short(one.expected),
            _short(one.by_expected),
            interval_text(one.wins),
        ]
        for one in counted
    ]
    return _table_plot("factions", ("faction", "n", "won", "expected", "ratio", "interval"), rows)


def _course(counted: Sequence[FactionFigures]) -> Plot:
    rows = [
        [
            name(one.faction),
            _short(one.strongholds_per_turn),
            str(one.measured),
            _short(one.victory_turn),
            str(one.wins.won),
            str(one.traitors),
            str(one.played),
        ]
        for one in counted
    ]
    return _table_plot("course", ("faction", "strongholds", "n", "turn", "n", "traitors", "n"), rows)


def _alliances(which: str, counted: Sequence[AllianceFigures]) -> Plot:
    rows = [
        [
            listed(map(name, one.factions)),
            str(one.tables),
            str(one.wins.played),
            str(one.wins.won),
            interval_text(one.wins),
        ]
        for one in counted
    ]
    return _table_plot(which, ("alliance", "tables", "allied", "won", "interval"), rows)


def _first_nexus(outcomes: Sequence[TableOutcome]) -> Plot:
    kept = first_nexus_kept(outcomes)
    rows = [[say("lists.statistics.kept"), str(kept.played), str(kept.won), interval_text(kept)]] if kept.played else []
    return _table_plot("nexus", ("what", "n", "kept", "interval"), rows)


def _dots(outcomes: Sequence[TableOutcome]) -> Plot:
    rows = [
        [str(one.dot), str(one.wins.played), str(one.wins.won), _short(one.expected), interval_text(one.wins)]
        for one in by_dot(outcomes)
        if one.dot
    ]
    return _table_plot("dots", ("dot", "n", "won", "expected", "interval"), rows, 0)


def _lengths(outcomes: Sequence[TableOutcome]) -> Plot:
    measured = (("turns", lengths.length_in_turns(outcomes)), ("days", lengths.length_in_days(outcomes)))
    rows = [[say(f"lists.statistics.in-{unit}"), *_length(length)] for unit, length in measured if length.games]
    return _table_plot("lengths", ("what", "n", "least", "middle", "most"), rows)


def _length(length: Length) -> list[str]:
    return [str(length.games), str(length.least), f"{length.middle:g}", str(length.most)]


def _best(outcomes: Sequence[TableOutcome]) -> Plot:
    rows = [
        [
            name(one.faction),
            one.game,
            one.by or _none(),
            say(f"lists.statistics.{'yes' if one.won else 'no'}"),
            _short(one.strongholds_per_turn),
            str(one.of),
        ]
        for one in best_games(outcomes)
    ]
    return _table_plot("best", ("faction", "game", "player", "victory", "strongholds", "n"), rows, 4)


def interval_text(share: Share) -> str:
    return say("lists.factions.between", low=round(100 * share.low), high=round(100 * share.high))


def _short(number: str) -> str:
    return f"{float(number):.2f}" if number else _none()


def _none() -> str:
    return say("lists.none")


RATINGS = "ratings.html"


def ratings_page(ratings: RatingList) -> bytes:
    page = Page(
        title=say("lists.ratings.title"),
        heading=say("lists.ratings.heading"),
        below=say("lists.ratings.below", players=len(ratings.players), enough=RANKED_FROM),
        way=[Link(say("page.games"), "index.html")],
    )
    players = [
        [
            str(one.rank) if one.rank else say("lists.none"),
            tidy_name(one.name),
            str(one.rating),
            str(one.uncertainty),
            str(one.games),
        ]
        for one in ratings.players
    ]
    factions = [
        [load_rule_set(one.ruleset).title, str(one.size), name(one.faction), f"{one.tenths / 10:+.1f}"]
        for one in ratings.factions
    ]
    plots = [
        _ratings_table("players", ("rank", "player", "rating", "uncertainty", "games"), players, {0, 2, 3, 4}),
        _ratings_table("worth", ("rules", "size", "faction", "worth"), factions, {1, 3}),
    ]
    return render("archive/plots.html.j2", page, plots=plots, numbers=say("plots.numbers"))


def _ratings_table(which: str, heads: tuple[str, ...], rows: list[list[str]], numeric: set[int]) -> Plot:
    head = [say(f"lists.ratings.head-{one}") for one in heads]
    return Plot(
        which,
        say(f"lists.ratings.{which}"),
        say(f"lists.ratings.{which}-about"),
        None,
        say(f"lists.ratings.{which}-caption"),
        head,
        rows,
        frozenset(numeric),
    )


# --- forming tables --------------------------------------------------------------------------------------------------

TABLES, TABLES_FEED, TABLES_DATES = "tables.html", "tables.xml", "tables.ics"
MOST_TABLES = 200


def table_files(forming: TableList) -> dict[str, bytes]:
    """Return the page of forming tables, its feed, and a calendar of their dates. None of these names a person."""
    shown = forming.tables[:MOST_TABLES]
    newest = max((table.opened.date() for table in shown), default=NO_DAY)
    head = FeedEntry(say("lists.tables.title"), f"tables of {forming.address}", TABLES, newest)
    latest = sorted(shown, key=lambda table: (table.opened, table.id), reverse=True)
    return {
        TABLES: _tables_page(forming, shown),
        TABLES_FEED: atom_feed(head, TABLES_FEED, [_table_entry(table) for table in latest[:LATEST]]),
        TABLES_DATES: calendar_file(
            say("lists.tables.title"), [*dates_of_tables(shown), *dates_of_tables(forming.gone, gone=True)]
        ),
    }


def _tables_page(forming: TableList, shown: Sequence[OpenTable]) -> bytes:
    page = Page(
        title=say("lists.tables.page-title"),
        heading=say("lists.tables.title"),
        below=say("lists.tables.below", tables=len(forming.tables)),
        way=[Link(say("page.games"), INDEX)],
        unlisted=True,
    )
    blocks: list[Block] = [
        Part(table.id, _about_table(forming, table), table.id, tidy_name(table.title)) for table in shown
    ]
    if len(shown) < len(forming.tables):
        blocks.append(Paragraph(say("lists.tables.more", more=len(forming.tables) - len(shown))))
    how = say("lists.tables.how", address=forming.address)
    own: list[Block] = [_ready(forming, ["open a game", "weekly"]), Paragraph(how)]
    blocks.append(Part(say("lists.tables.own"), own, "own"))
    files = [Link(say("lists.tables.feed"), TABLES_FEED), Link(say("lists.tables.dates"), TABLES_DATES)]
    blocks.append(Part(say("lists.tables.files"), [List(files, "doors")], "files"))
    return html.document(page, blocks)


def _ready(forming: TableList, lines: Sequence[str]) -> List:
    links = [
        Link(say(f"lists.tables.button.{line.split()[0]}", line=line), reply_link(forming.address, line, (line,)))
        for line in lines
    ]
    return List(links, "buttons")


def _about_table(forming: TableList, table: OpenTable) -> list[Block]:
    opened = say("lists.tables.opened", on=day_in_words(table.opened.date()))
    return [Paragraph(_seats_of(table)), Paragraph(opened), _ready(forming, [f"join {table.id}"])]


def _seats_of(table: OpenTable) -> str:
    facts = {"free": table.free, "size": table.size, "tempo": table.tempo, "opponents": table.opponents}
    facts["sold"] = table.factions == "auction"
    day = day_in_words((table.starts_at or table.until).date())
    rules = load_rule_set(table.ruleset).title
    return say("lists.tables.seats", **facts, rules=rules, day=day, starts=table.starts, newcomers=table.newcomers)


def _table_entry(table: OpenTable) -> FeedEntry:
    opened = table.opened.date()
    title = say("lists.tables.entry", id=table.id, rules=load_rule_set(table.ruleset).title)
    page = f"{TABLES}#{table.id}"
    return FeedEntry(title, f"table {table.id}", page, opened, opened, table.ruleset, _seats_of(table))
