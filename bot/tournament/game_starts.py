"""The start of a round's games. Each table starts in its own transaction, with its rows, its letters and its act.

A table that has started is never started again, so after an interruption the director simply repeats `start`. Every
game has its own seed, which is not derived from the secret of the tournament; publishing that secret therefore reveals
nothing about any deck.

The deadlines of a table fall at the hour of the day at which most of its players are awake. Of several equally good
hours, the one furthest from the hours of these players' other tables is chosen; any remaining tie is broken at random.
Hours are in UTC, from 0 to 23. If a step lasts a day, one person's duties at two tables are never more than twelve
hours apart, so a ``spread_hours`` above twelve means twelve. Nobody knows in advance on which day a duty will come,
because a step begins only when the last answer has arrived.

On a ladder, and in heats that limit the number of a person's simultaneous tables, the calendar draws and starts tables
as players become free. The director draws and starts the first heat.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from bot.competition.standings import NextRound
from bot.config.time_zones import zone_named
from bot.config.values import ArchivePolicy
from bot.desk.new_game import NewGame, Player, begin_game
from bot.games.open_games import OpenGames, Session
from bot.games.seat_addresses import AddressRefused
from bot.press import read_press
from bot.store import tournament_rounds, tournaments
from bot.store.database import Connection, reading
from bot.store.tournament_rounds import Round, RoundTable, Tenure
from bot.store.tournaments import Entrant, Tournament
from bot.table.clock import read_own_settings
from bot.tournament import beacons, desk, progress
from bot.tournament.drawing import DrawRequest, draw, freeze
from bot.tournament.entrant_lines import hours_mask
from bot.tournament.preparation import clock_lines, legal_acts, require_frozen
from bot.wording import day_and_month, say
from rules.chapters.setup import TRADED_SPICE
from rules.components import Faction, as_faction
from rules.components.chance import Chance

USUALLY_AWAKE = "08:00-22:00"
"""The default waking hours, in the player's own time zone."""
ARCHIVE_POLICIES: Mapping[str, ArchivePolicy] = {
    "round-end": ArchivePolicy("hidden"),
    "late": ArchivePolicy("delayed", 1),
}
"""The archive's policy for a table while its game is running."""


@dataclass(frozen=True, slots=True)
class StartResult:
    now: tuple[tuple[str, str], ...] = ()
    before: tuple[str, ...] = ()
    waiting: tuple[tuple[str, str], ...] = ()


def start_games(caller: desk.Caller, tournament_id: str, *, number: int = 0, only: str = "") -> StartResult:
    """Start the games of a round, of all drawn rounds, or of one table. A table that cannot start yet waits, and the
    others start. Raise Refused if no table has been drawn, or if factions are not settled yet."""
    by = caller.by
    with reading(caller.games.engine) as conn:
        tournament = tournaments.find_tournament(conn, tournament_id)
        desk.require_power(conn, tournament_id, by, "start")
        wanted = _tables(conn, tournament, number, only)
        hours = _hours(conn, tournament, caller.now)
    began, before, waiting = list[tuple[str, str]](), list[str](), list[tuple[str, str]]()
    for table in wanted:
        if table.state != "planned":
            before.append(desk.table_name(table))
            continue
        with desk.acting(caller, tournament_id) as (session, tournament):
            found = next(
                each
                for each in tournament_rounds.tables_of(session.conn, tournament_id, table.round)
                if each.place == table.place
            )
            if found.state != "planned":
                before.append(desk.table_name(table))
                continue
            if why := _waits(session.conn, found):
                waiting.append((desk.table_name(table), why))
                continue
            try:
                with session.conn.begin_nested():
                    began.append((desk.table_name(table), _begin(session, tournament, found, hours, by)))
            except desk.Refused as refused:
                caller.games.forget()
                waiting.append((desk.table_name(table), str(refused)))
                continue
        caller = replace(caller, by=replace(by, seen=None))  # the changes since then come from this act
    return StartResult(tuple(began), tuple(before), tuple(waiting))


def _tables(conn: Connection, tournament: Tournament, number: int, only: str) -> list[RoundTable]:
    require_frozen(tournament)
    if tournament.state not in ("drawn", "running"):
        raise desk.Refused(f"{tournament.id} is {tournament.state}: draw before you start. {legal_acts(tournament)}")
    every = {each.number: each for each in tournament_rounds.rounds_of(conn, tournament.id)}
    if number and number not in every:
        raise desk.Refused(
            f"Round {number} of {tournament.id} has not been drawn; "
            f"`mentat tournament draw {tournament.id} --round {number}` draws it."
        )
    tables = (
        [desk.find_table(conn, tournament.id, only)]
        if only
        else tournament_rounds.tables_of(conn, tournament.id, number)
    )
    for table in tables:
        _require_settled(tournament, every[table.round], table)
    return tables


def _require_settled(tournament: Tournament, drawn: Round, table: RoundTable) -> None:
    if drawn.state == "drawn" and drawn.opens is not None and table.state == "planned":
        raise desk.Refused(
            f"The factions of round {drawn.number} of {tournament.id} ({tournament.settings.factions.by}) are settled "
            f"on {drawn.opens:%Y-%m-%d %H:%M}Z; its games can start then."
        )


def _waits(conn: Connection, table: RoundTable) -> str:
    sitting = tournament_rounds.now_sitting(conn, table.tournament_id, table.round, table.number)
    empty = [tenure for tenure in sitting if not tenure.entrant]
    if empty:
        return f"nobody sits at dot {empty[0].dot}; `mentat tournament substitute` finds somebody"
    return "a faction is not settled" if any(not tenure.faction for tenure in sitting) else ""


def _begin(session: Session, tournament: Tournament, table: RoundTable, hours: Mapping[Place, int], by: desk.By) -> str:
    settings, game = tournament.settings, _game_of(tournament.id, table)
    known = {each.number: each for each in tournaments.entrants_of(session.conn, tournament.id)}
    sitting = tournament_rounds.now_sitting(session.conn, tournament.id, table.round, table.number)
    players: dict[Faction, Player] = {as_faction(tenure.faction): _player(known[tenure.entrant]) for tenure in sitting}
    try:
        new = NewGame(
            game,
            settings.tables.ruleset,
            players,
            dots={as_faction(tenure.faction): tenure.dot for tenure in sitting},
            seed=secrets.token_hex(32),
            options={**settings.tables.options, **_traded(sitting)},
            tempo=settings.tables.tempo,
            clock=_clock(session.games, tournament, hours.get(table.place, 0), session.now),
            archive=ARCHIVE_POLICIES[settings.tables.seen],
            press=read_press(settings.press),
            event=_event_in_words(session.conn, tournament, table, session.now),
        )
        begin_game(session, new)
    except AddressRefused as error:
        raise desk.Refused(str(error)) from None
    except ValueError as error:
        raise desk.Refused(f"it cannot begin as {game}: {error}") from None
    tournament_rounds.change_table(
        session.conn, tournament.id, table.round, table.number, game_id=game, state="playing"
    )
    _round_begins(session.conn, tournament, table.round, session.now)
    for tenure in sitting:
        if known[tenure.entrant].state in ("confirmed", "advanced", "out"):
            tournaments.change_entrant(session.conn, tournament.id, tenure.entrant, state="playing")
    words = f"table {desk.table_name(table)} began as {game}"
    desk.log_act(session, tournament.id, "start", words, by)
    return game


def _traded(sitting: Sequence[Tenure]) -> dict[str, int]:
    return {TRADED_SPICE[as_faction(tenure.faction)].name: tenure.spice for tenure in sitting if tenure.spice}


def _game_of(tournament_id: str, table: RoundTable) -> str:
    return f"{tournament_id}-r{table.round}-t{table.number:02d}"


def _player(entrant: Entrant) -> Player:
    name = entrant.public_name
    return Player(entrant.address, name, entrant.timezone)


def _round_begins(conn: Connection, tournament: Tournament, number: int, now: datetime) -> None:
    """When the first game of a round starts, mark the round and the tournament as being played. All tables of a round
    have the same end, except on a ladder, where they have no fixed end."""
    if _round(conn, tournament, number).state in ("planned", "drawn"):
        ends = _end(conn, tournament, number, now)
        tournament_rounds.change_round(conn, tournament.id, number, state="playing", opens=now, ends=ends)
    if tournament.state == "drawn":
        tournaments.touch(conn, tournament.id, state="running")


def _round(conn: Connection, tournament: Tournament, number: int) -> Round:
    return next(each for each in tournament_rounds.rounds_of(conn, tournament.id) if each.number == number)


def _end(conn: Connection, tournament: Tournament, number: int, now: datetime) -> datetime | None:
    found = _round(conn, tournament, number)
    if found.state not in ("planned", "drawn"):
        return found.ends
    days = tournament.settings.rounds.days
    return None if tournament.settings.format == "ladder" else now + timedelta(days=days)


def _event_in_words(conn: Connection, tournament: Tournament, table: RoundTable, now: datetime) -> str:
    ends = _end(conn, tournament, table.round, now)
    facts = {"table": desk.table_name(table), "title": tournament.title, "ends": day_and_month(ends) if ends else ""}
    return say("tournament-draw.first-letter", **facts)


# --- the clock of a table --------------------------------------------------------------------------------------------


def _clock(open_games: OpenGames, tournament: Tournament, hour: int, now: datetime) -> dict[str, object]:
    own: dict[str, object] = dict(read_own_settings(open_games.settings.clock, clock_lines(tournament.settings)))
    if "due_at" in own:
        return own
    if "timezone" not in own:
        return own | {"due_at": f"{hour:02d}:00", "timezone": "UTC"}
    there = now.astimezone(UTC).replace(hour=hour, minute=0).astimezone(zone_named(str(own["timezone"])))
    return own | {"due_at": f"{there:%H:%M}"}


def _hours(conn: Connection, tournament: Tournament, now: datetime) -> Mapping[Place, int]:
    """Return the hour of the day (UTC) at which the deadlines of each planned or running table fall. The choice is
    repeatable, so an interrupted start finds the same hours again."""
    awake = {
        each.number: each.hours or hours_mask(USUALLY_AWAKE, each.timezone, now)
        for each in tournaments.entrants_of(conn, tournament.id)
    }
    seeds = {each.number: progress.draw_record(each) for each in tournament_rounds.rounds_of(conn, tournament.id)}
    going = [each.place for each in tournament_rounds.tables_of(conn, tournament.id, states=("planned", "playing"))]
    there: dict[Place, list[int]] = {place: [] for place in going}
    for tenure in _first(tournament_rounds.tenures_of(conn, tournament.id)):
        if (tenure.round, tenure.table) in there and tenure.entrant:
            there[tenure.round, tenure.table].append(tenure.entrant)
    chance = {}
    for place in going:
        record = seeds[place[0]]
        chance[place] = Chance(record.seed if record else tournament.commitment, {})
    return hours_of_tables(there, awake, tournament.settings.rounds.spread_hours, chance)


def _first(held: Sequence[Tenure]) -> list[Tenure]:
    return [tenure for tenure in held if not tenure.last]


HOURS = range(24)
MOST_APART = 12
Place = tuple[int, int]


def hours_of_tables(
    tables: Mapping[Place, Sequence[int]], awake: Mapping[int, int], spread: int, chance: Mapping[Place, Chance]
) -> dict[Place, int]:
    """Choose, for one table after another, the hour of the day at which its deadlines fall. Return the hours by round
    and number of the table.

    ``tables`` holds the numbers of each table's players. ``awake`` holds their waking hours, each as a mask of 24 bits.
    ``spread`` is the desired number of hours between two duties of one person.

    >>> mask = sum(1 << hour for hour in range(18, 22))
    >>> found = hours_of_tables({(1, 1): [1]}, {1: mask}, 24, {(1, 1): Chance("seed", {})})
    >>> 18 <= found[1, 1] < 22
    True
    """
    found: dict[Place, int] = {}
    duties: dict[int, list[int]] = {}
    for place, there in tables.items():
        taken = [hour for player in there for hour in duties.get(player, ())]
        order = list(HOURS)
        chance[place].shuffle(f"hour of table {place[0]}/{place[1]}", order)
        hour = min(order, key=lambda hour: (-_count_awake(there, awake, hour), _too_near(hour, taken, spread)))
        found[place] = hour
        for player in there:
            duties.setdefault(player, []).append(hour)
    return found


def _count_awake(there: Iterable[int], awake: Mapping[int, int], hour: int) -> int:
    return sum(awake[player] >> hour & 1 for player in there)


def _too_near(hour: int, taken: Iterable[int], spread: int) -> int:
    """Return a penalty for an hour that is too close to the hours already ``taken``: the sum of the squares of the
    hours by which each distance falls short of ``spread``. A spread above twelve hours counts as twelve. Because of the
    squares, an hour midway between two taken hours is better than one next to either of them."""
    wanted = min(spread, MOST_APART)
    return sum(max(0, wanted - hours_apart(hour, other)) ** 2 for other in taken)


def hours_apart(one: int, other: int) -> int:
    """Return the number of hours between two hours of the day, going round the clock the shorter way.

    >>> hours_apart(23, 1), hours_apart(0, 12)
    (2, 12)
    """
    between = abs(one - other) % 24
    return min(between, 24 - between)


log = logging.getLogger(__name__)


def seat_free_players(open_games: OpenGames, now: datetime) -> None:
    """Draw tables from the free players if there are enough, and start the tables that have been drawn. If free players
    have met before, or if a beacon or the factions are not settled yet, try again later."""
    with reading(open_games.engine) as conn:
        rolling = [each.id for each in tournaments.all_tournaments(conn, "open", "drawn", "running") if _rolls(each)]
        going = [each for each in rolling if not desk.hold_of(conn, each, now, "draw")]
        comes = {each: _comes(conn, tournaments.find_tournament(conn, each)) for each in going}
    caller = desk.Caller(open_games, now, desk.BY_ITSELF)
    for tournament_id in going:
        with desk.guarded("seating as they come", tournament_id):
            try:
                if comes[tournament_id]:
                    _draw_free_players(caller, tournament_id)
                with reading(open_games.engine) as conn:
                    planned = _to_begin(conn, tournaments.find_tournament(conn, tournament_id))
                for number in planned:
                    start_games(caller, tournament_id, number=number)
            except desk.Refused as refused:
                log.debug("%s waits: %s", tournament_id, refused)


def _draw_free_players(caller: desk.Caller, tournament_id: str) -> None:
    """Draw tables for the players who are free. In an event with beacons, wait until the value of this draw's beacon is
    known."""
    asked = DrawRequest(by_itself=True)
    with reading(caller.games.engine) as conn:
        settings = tournaments.find_tournament(conn, tournament_id).settings
    if settings.beacon and settings.format != "ladder":
        frozen = freeze(caller, tournament_id, asked).frozen
        with reading(caller.games.engine) as conn:
            sent = beacons.sent_values(conn, tournament_id)
        without = beacons.is_done_without(settings, frozen, sent, caller.now)
        if not (sent.settled or without):
            return
        asked = replace(asked, no_beacon=without)
    draw(caller, tournament_id, asked)


def _rolls(tournament: Tournament) -> bool:
    if tournament.settings.format == "ladder":
        return True
    rolling = tournament.settings.format == "heats" and tournament.settings.rounds.load > 0
    return rolling and tournament.state == "running"


def _comes(conn: Connection, tournament: Tournament) -> bool:
    comes = progress.round_to_come(conn, tournament)
    return isinstance(comes, NextRound) and comes.kind in ("heat", "ladder")


def _to_begin(conn: Connection, tournament: Tournament) -> list[int]:
    return [
        each.number
        for each in tournament_rounds.rounds_of(conn, tournament.id)
        if each.state == "drawn" and each.opens is None and each.kind in ("heat", "ladder")
    ]
