"""Who observes a game: let in and struck out by the game master; at once, late, or late and in full."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, Used, using
from bot.game_master.rights import checked
from bot.games import observers
from bot.games.open_games import OpenGames
from bot.games.sight import require_sight
from bot.identity.persons import are_one, seat_of, sits_at
from bot.post.clock_notices import own_words
from bot.store import act_log
from bot.store.database import Connection
from bot.table.table import Table
from bot.wording.filters import plural
from bot.wording.sentences import say
from rules.components import Faction, faction_name

LONGEST_DELAY = 20
"""Turns; no game has more."""
HARMLESS = 2
"""So many turns late at least is what was hidden, before anybody who does not play may read it."""


def observe(
    open_games: OpenGames, game_id: str, address: str, now: datetime, use: Use = AT_THE_MACHINE, delay: int = 0
) -> None:
    """Send somebody the public summary of each turn, so many turns late; they are told so. ObserverRefused if they
    cannot observe it; PowerRefused for a delay that is none; UnknownGame if there is none of that name."""
    if not 0 <= delay <= LONGEST_DELAY:
        raise PowerRefused(f"{delay} is no delay; it is 0 to {LONGEST_DELAY} turns.")
    with using(open_games, game_id, "observe", now, use) as used:
        address = checked(open_games, address)
        used.words = address + (f", {plural(delay, 'turn')} late" if delay else "")
        _require_no_player(open_games, used, address)
        observers.observe(used.conn, open_games, used.table, address, now, delay)


def observe_fully(
    open_games: OpenGames, game_id: str, address: str, now: datetime, use: Use = AT_THE_MACHINE, delay: int = HARMLESS,
    consent: Collection[Faction] = (),
) -> None:  # fmt: skip
    """Let somebody read all of a game, also what is hidden, so many turns late; they are told so, and the table that
    there is somebody, not who. PowerRefused if the delay is too short, or not all seats gave their ``consent``; Sealed
    if the game is played blind; the rest as in ``observe``."""
    if not HARMLESS <= delay <= LONGEST_DELAY:
        raise PowerRefused(f"Whoever reads what is hidden reads it {HARMLESS} to {LONGEST_DELAY} turns late.")
    with using(open_games, game_id, "observe-full", now, use) as used:
        conn, table = used.conn, used.table
        if missing := [faction_name(faction) for faction in table.seats if faction not in consent]:
            raise PowerRefused(f"Ask {', '.join(missing)} first, and name all who agree: --consent FACTION, for each.")
        require_sight(conn, game_id)
        address = checked(open_games, address)
        _require_no_player(open_games, used, address)
        used.words = f"{address}, {plural(delay, 'turn')} late"
        observers.observe(conn, open_games, table, address, now, delay, full=True)
        told = [say("desk.full-observer", delay=delay), *own_words(use.tell)]
        open_games.writer.announce(conn, table, now, say("desk.full-observer-subject"), told)


def unobserve(open_games: OpenGames, game_id: str, address: str, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Send somebody no more summaries of a game, nor what was withheld from them. ObserverRefused if they do not
    observe it; UnknownGame if there is none of that name."""
    with using(open_games, game_id, "unobserve", now, use) as used:
        used.words = address.strip().lower()
        observers.leave(used.conn, used.table, address)


def has_read_what_is_hidden(conn: Connection, open_games: OpenGames, table: Table, address: str) -> bool:
    """Whether a person reads all of a game, or did, or has looked at the desk at what is sealed: they take no seat of
    it."""
    done, settings = act_log.of_game(conn, table.id), open_games.settings
    readers = [act.words.partition(",")[0] for act in done if act.what == "observe-full"]
    readers += [act.who or settings.mentat.game_master for act in done if act.what in ("predict", "preview")]
    return any(are_one(conn, settings, address, reader) for reader in readers)


def _require_no_player(open_games: OpenGames, used: Used, address: str) -> None:
    """ObserverRefused for whoever plays, under whatever address."""
    if seat_of(used.conn, open_games.settings, used.table.seats.values(), address):
        raise observers.ObserverRefused(f"{address} plays in {used.table.id} and gets the summaries anyway.")
    if sits_at(used.conn, open_games.settings, used.table.seats.values(), address):
        raise observers.ObserverRefused(
            f"{address} sits in for a player of {used.table.id} and gets the summaries anyway."
        )
