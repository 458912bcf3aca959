"""The source of the archive's games: the archive's only module that reads the database.

It returns the values of ``bot.archive.games`` and nothing else; all other modules of the archive work from these
values.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from functools import partial

from bot.archive.games import (
    ArchivePolicy,
    Cast,
    FactionWorth,
    FinishedGame,
    Place,
    RatedPlayer,
    RatingList,
    RunningGame,
    TableList,
)
from bot.archive.site import AsItIs, NotNow, Offered
from bot.competition.published import Published
from bot.competition.ratings import uncertainty
from bot.config import Settings
from bot.lobby.calendars import dates_of_event, on_its_day
from bot.lobby.tables import gone_views, public_views
from bot.record.lines import decode
from bot.store import archive, publication, ratings
from bot.store import tournaments as store
from bot.store.archive import NotShown, Shelved
from bot.store.database import Connection, Engine, reading
from bot.store.publication import TablePlace, published_tournament
from bot.tournament.announcement import event_blocks
from rules.components import Faction

__all__ = [
    "NotShown", "Shelved", "finished", "held", "offered", "open_tables", "rating_list", "running", "shelved", "so_far",
    "tournaments",
]  # fmt: skip


def shelved(engine: Engine) -> list[Shelved]:
    """Return the games that the archive shows at least in part, oldest first. Each has a key that changes whenever its
    content changes."""
    with reading(engine) as conn:
        return archive.shelf(conn)


def held(engine: Engine) -> list[str]:
    with reading(engine) as conn:
        return archive.held_pages(conn)


def finished(engine: Engine, game_id: str) -> FinishedGame:
    with reading(engine) as conn:
        record = archive.record_of(conn, game_id)
        cast, policy = _cast(conn, game_id), archive.shown_now(conn, game_id)
        sheets, press = archive.sheet_lines(conn, game_id), archive.press_of(conn, game_id)
        began, ended = archive.days_of(conn, game_id)
        place = _place(publication.place_of(conn, game_id))
    lines = [decode(line) for line in record.splitlines()]
    return FinishedGame(game_id, record, lines, cast, policy, sheets, began, ended, place, press)


def running(engine: Engine, game_id: str) -> RunningGame:
    """Load a running game as the archive may show it. Raise NotShown if it is finished or hidden, ValueError if its log
    can no longer be replayed, and UnknownGame if there is no game with that name."""
    return _running(engine, game_id)


def so_far(engine: Engine, game_id: str) -> RunningGame:
    """Load a running game's public side for its game master to pass on, even if the archive hides it.

    For a tournament table whose round is still open, only the state of the previous turn can be loaded, or nothing.
    Raise NotShown if the game is finished; other errors are raised as in ``running``.
    """
    with reading(engine) as conn:
        policy = archive.shown_by(conn, game_id, ArchivePolicy("public"))
    return _running(engine, game_id, policy)


def _running(engine: Engine, game_id: str, shown_as: ArchivePolicy | None = None) -> RunningGame:
    with reading(engine) as conn:
        cast, policy = _cast(conn, game_id), shown_as or archive.shown_now(conn, game_id)
        place = _place(publication.place_of(conn, game_id))
    seen = archive.public_part(engine, game_id, shown_as)
    return RunningGame(
        game_id, seen.ruleset, seen.options, cast, policy, seen.view, seen.events, seen.ends_of_turns, place
    )


def _cast(conn: Connection, game_id: str) -> Mapping[Faction, Cast]:
    return {each.faction: each for each in archive.cast_of(conn, game_id)}


def _place(at: TablePlace | None) -> Place | None:
    return None if at is None else Place(at.tournament, at.title, at.round, at.table)


def tournaments(engine: Engine, now: datetime, settings: Settings | None = None) -> list[Offered[Published]]:
    with reading(engine) as conn:
        known = [each for each in store.all_tournaments(conn) if each.state != "draft"]
        zone = settings.mentat.timezone if settings else UTC
        dates = {each.id: [on_its_day(date, zone) for date in dates_of_event(conn, each)] for each in known}
    return [
        Offered(
            each.id,
            "",
            partial(_published, engine, each.id, now),
            entry=event_blocks(settings, each, now) if settings else (),
            dates=dates[each.id],
        )
        for each in known
    ]


def _published(engine: Engine, tournament_id: str, now: datetime) -> Published:
    with reading(engine) as conn:
        return published_tournament(conn, tournament_id, now)


def offered(
    engine: Engine, wanted: Collection[str] = (), there: Collection[str] = ()
) -> tuple[list[Offered[FinishedGame]], list[Offered[RunningGame]]]:
    """Return the games of a database as offers to ``bot.archive.site.build``: all games that the archive shows, or only
    the ``wanted`` ones to be rebuilt. In the latter case, other games that are already ``there`` keep their pages. A
    game on hold also keeps its pages."""
    over: list[Offered[FinishedGame]] = []
    under_way: list[Offered[RunningGame]] = []
    for game in shelved(engine):
        asked_for = not wanted or game.id in wanted
        if not asked_for and game.id not in there:
            continue
        if not game.over:
            under_way.append(Offered(game.id, game.key, partial(_running_now, engine, game.id), _place(game.place)))
        else:
            load = partial(finished, engine, game.id) if asked_for else _as_it_is
            over.append(Offered(game.id, game.key, load, _place(game.place)))
    over += [Offered(game_id, "", _as_it_is) for game_id in held(engine)]
    return over, under_way


def rating_list(engine: Engine) -> RatingList:
    with reading(engine) as conn:
        everybody, worth = ratings.public_list(conn)
    ranks = ratings.ranks(everybody)
    players = [
        RatedPlayer(
            one.shown, round(one.rated.rating), uncertainty(one.rated.games), one.rated.games, ranks.get(one.id, 0)
        )
        for one in everybody
    ]
    return RatingList(players, [FactionWorth(*at, round(10 * one)) for at, one in worth.items()])


def open_tables(engine: Engine, settings: Settings) -> TableList | None:
    if settings.lobby.who == "nobody":
        return None
    with reading(engine) as conn:
        return TableList(settings.mentat.address, public_views(conn), gone_views(conn))


def _running_now(engine: Engine, game_id: str) -> RunningGame:
    try:
        return running(engine, game_id)
    except NotShown as reason:  # the game has ended since the archive offered it
        raise NotNow(str(reason)) from reason


def _as_it_is() -> FinishedGame:
    raise AsItIs
