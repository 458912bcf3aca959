"""The games of a round begin: each table in a transaction of its own, with its rows, its letters and its act.

What was begun is not begun again, so whoever is interrupted says `start` once more. Every game has a seed of its own,
which nothing follows from but itself: the secret of the tournament tells nothing about any deck.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from bot.clock.settings import read_own
from bot.config.archive_policy import Policy
from bot.game_master.new_game import NewGame, Player, begin_game
from bot.games.open_games import OpenGames
from bot.identity.addresses import AddressRefused
from bot.press.settings import read as read_press
from bot.store.database import Connection, reading
from bot.store.tournaments import acts, entrants, rounds, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rounds import Round, RoundTable, Tenure
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import standing
from bot.tournament.desk import DIRECTOR, By, Refused, acting
from bot.tournament.entrant_lines import hours_mask
from bot.tournament.hours import Place, hours_of_tables
from bot.tournament.making import clock_lines, legal, require_frozen
from bot.tournament.places import require_right, table_named, written
from rules.chapters.setup import TRADED_SPICE
from rules.components import Faction, as_faction
from rules.components.chance import Chance

USUALLY_AWAKE = "08:00-22:00"
"""The waking hours of who has not said theirs, on the clock of their zone."""
ARCHIVE: Mapping[str, Policy] = {"round-end": Policy("hidden"), "late": Policy("delayed", 1)}
"""What the archive shows of a table while its game goes on."""


@dataclass(frozen=True, slots=True)
class Started:
    """The tables that began now, with the ids of their games; those that had begun before; and those that wait, with
    why."""

    now: tuple[tuple[str, str], ...] = ()
    before: tuple[str, ...] = ()
    waiting: tuple[tuple[str, str], ...] = ()


def start(
    open_games: OpenGames, tournament_id: str, now: datetime, *, number: int = 0, only: str = "", by: By = DIRECTOR,
    dry_run: bool = False,
) -> Started:  # fmt: skip
    """Begin the games of a round, of all that were drawn, or of one table. Refused where none was drawn, or where
    factions are not settled yet."""
    with reading(open_games.engine) as conn:
        tournament = tournaments.find(conn, tournament_id)
        require_right(conn, tournament_id, by, "director", "deputy")
        wanted = _tables(conn, tournament, number, only)
        hours = _hours(conn, tournament, now)
    seen, began, before, waiting = by.seen, list[tuple[str, str]](), list[str](), list[tuple[str, str]]()
    for table in wanted:
        if table.state != "planned":
            before.append(written(table))
            continue
        with acting(open_games, tournament_id, dry_run=dry_run, seen=seen) as (conn, tournament):
            found = next(each for each in rounds.tables(conn, tournament_id, table.round) if each.place == table.place)
            if found.state != "planned":
                before.append(written(table))
                continue
            if why := _waits(conn, found):
                waiting.append((written(table), why))
                continue
            began.append((written(table), _begin(conn, open_games, tournament, found, hours, now, by)))
        seen = None  # what has changed since is what was begun here
    return Started(tuple(began), tuple(before), tuple(waiting))


def _tables(conn: Connection, tournament: Tournament, number: int, only: str) -> list[RoundTable]:
    require_frozen(tournament)
    if tournament.state not in ("drawn", "running"):
        raise Refused(f"{tournament.id} is {tournament.state}: only what was drawn can start. {legal(tournament)}")
    every = {each.number: each for each in rounds.rounds(conn, tournament.id)}
    if number and number not in every:
        raise Refused(
            f"Round {number} of {tournament.id} has not been drawn; "
            f"`mentat tournament draw {tournament.id} --round {number}` does."
        )
    tables = [table_named(conn, tournament.id, only)] if only else rounds.tables(conn, tournament.id, number)
    for table in tables:
        _require_settled(tournament, every[table.round], table)
    return tables


def _require_settled(tournament: Tournament, drawn: Round, table: RoundTable) -> None:
    if drawn.state == "drawn" and drawn.opens is not None and table.state == "planned":
        raise Refused(
            f"The factions of round {drawn.number} of {tournament.id} ({tournament.settings.factions.by}) are settled "
            f"on {drawn.opens:%Y-%m-%d %H:%M}Z; its games can start then."
        )


def _waits(conn: Connection, table: RoundTable) -> str:
    """Why a table cannot begin yet, "" if it can."""
    sitting = rounds.now_sitting(conn, table.tournament_id, table.round, table.number)
    empty = [tenure for tenure in sitting if not tenure.entrant]
    if empty:
        return f"nobody sits at dot {empty[0].dot}; `mentat tournament substitute` finds somebody"
    return "a faction is not settled" if any(not tenure.faction for tenure in sitting) else ""


def _begin(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, hours: Mapping[Place, int],
    now: datetime, by: By,
) -> str:  # fmt: skip
    settings, game = tournament.settings, _game_of(tournament.id, table)
    known = {each.number: each for each in entrants.of_tournament(conn, tournament.id)}
    sitting = rounds.now_sitting(conn, tournament.id, table.round, table.number)
    players: dict[Faction, Player] = {
        as_faction(tenure.faction): _player(known[tenure.entrant]) for tenure in sitting
    }  # fmt: skip
    try:
        new = NewGame(
            game, settings.tables.ruleset, players, dots={as_faction(tenure.faction): tenure.dot for tenure in sitting},
            seed=secrets.token_hex(32), options={**settings.tables.options, **_traded(sitting)},
            tempo=settings.tables.tempo, clock=_clock(open_games, tournament, hours.get(table.place, 0), now),
            archive=ARCHIVE[settings.tables.seen], press=read_press(settings.press),
        )  # fmt: skip
        begin_game(conn, open_games, new, now)
    except AddressRefused as error:
        raise Refused(f"Table {written(table)} cannot begin: {error}") from None
    except ValueError as error:
        raise Refused(f"Table {written(table)} cannot begin as {game}: {error}") from None
    rounds.change_table(conn, tournament.id, table.round, table.number, game_id=game, state="playing")
    _round_begins(conn, tournament, table.round, now)
    for tenure in sitting:
        if known[tenure.entrant].state in ("confirmed", "advanced", "out"):
            entrants.change(conn, tournament.id, tenure.entrant, state="playing")
    words = f"table {written(table)} began as {game}"
    acts.add(conn, tournament.id, now, "start", words, who=by.address, right=by.right, why=by.why)
    return game


def _traded(sitting: Sequence[Tenure]) -> dict[str, int]:
    """The options by which spice that went with a trade of factions is there from the start."""
    return {TRADED_SPICE[as_faction(tenure.faction)].name: tenure.spice for tenure in sitting if tenure.spice}


def _game_of(tournament_id: str, table: RoundTable) -> str:
    """The id of the game of a table: "cup-r1-t03"."""
    return f"{tournament_id}-r{table.round}-t{table.number:02d}"


def _player(entrant: Entrant) -> Player:
    name = entrant.public_name
    return Player(entrant.address, name, entrant.timezone)


def _round_begins(conn: Connection, tournament: Tournament, number: int, now: datetime) -> None:
    """The round and the tournament are played from their first game on. The end of a round is one instant for all its
    tables; a ladder has none."""
    begun = next(each for each in rounds.rounds(conn, tournament.id) if each.number == number)
    if begun.state in ("planned", "drawn"):
        days = tournament.settings.rounds.days
        ends = None if tournament.settings.format == "ladder" else now + timedelta(days=days)
        rounds.change_round(conn, tournament.id, number, state="playing", opens=now, ends=ends)
    if tournament.state == "drawn":
        tournaments.touch(conn, tournament.id, state="running")


# --- the clock of a table --------------------------------------------------------------------------------------------


def _clock(open_games: OpenGames, tournament: Tournament, hour: int, now: datetime) -> dict[str, object]:
    """A table's own clock: what the settings say, and the hour of its players where they say none."""
    own: dict[str, object] = dict(read_own(open_games.settings.clock, clock_lines(tournament.settings)))
    if "due_at" in own:
        return own
    if "timezone" not in own:
        return own | {"due_at": f"{hour:02d}:00", "timezone": "UTC"}
    there = now.astimezone(UTC).replace(hour=hour, minute=0).astimezone(ZoneInfo(str(own["timezone"])))
    return own | {"due_at": f"{there:%H:%M}"}


def _hours(conn: Connection, tournament: Tournament, now: datetime) -> Mapping[Place, int]:
    """The hours of all tables that are planned or played, in their order, so that each gets the same however often and
    from wherever the start goes on."""
    awake = {
        each.number: each.hours or hours_mask(USUALLY_AWAKE, each.timezone, now)
        for each in entrants.of_tournament(conn, tournament.id)
    }  # fmt: skip
    seeds = {each.number: standing.draw_of(each) for each in rounds.rounds(conn, tournament.id)}
    going = [each.place for each in rounds.tables(conn, tournament.id, states=("planned", "playing"))]
    there: dict[Place, list[int]] = {place: [] for place in going}
    for tenure in _first(rounds.tenures(conn, tournament.id)):
        if (tenure.round, tenure.table) in there and tenure.entrant:
            there[tenure.round, tenure.table].append(tenure.entrant)
    chance = {}
    for place in going:
        record = seeds[place[0]]
        chance[place] = Chance(record.seed if record else tournament.commitment, {})
    return hours_of_tables(there, awake, tournament.settings.rounds.spread_hours, chance)


def _first(held: Sequence[Tenure]) -> list[Tenure]:
    return [tenure for tenure in held if not tenure.last]
