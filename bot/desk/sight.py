"""Who sees what of a game: observers, blind games and the broken glass, predictions, and the secrets of two seats.

The game master lets observers in and strikes them out; they read at once, late, or late and in full. A person who was
ever sent the letters of one seat, as its player or sitting in for them, gets no other seat of that game, not even
later.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from bot.desk.powers import AT_THE_MACHINE, PowerInUse, PowerRefused, Use, using
from bot.desk.rights import checked_address
from bot.games import observers
from bot.games.identity import are_one_person, seat_held_by, seat_of_sitter
from bot.games.notices import own_words
from bot.games.open_games import OpenGames
from bot.games.proof import require_sight
from bot.render.news import event_sentence
from bot.store import games, record
from bot.store.database import Connection
from bot.store.mail import readers_of_seats
from bot.table.table import Table
from bot.wording import say
from bot.wording.filters import plural, speaking
from rules.components import Faction, faction_name

LONGEST_DELAY = 20
"""Turns; no game has more."""
MIN_DELAY = 2
"""So many turns late at least is what was hidden, before anybody who does not play may read it."""


def add_observer(
    open_games: OpenGames, game_id: str, address: str, now: datetime, use: Use = AT_THE_MACHINE, delay: int = 0
) -> None:
    """Send somebody the public summary of each turn, so many turns late; they are told so. ObserverRefused if they
    cannot observe it; PowerRefused for a delay that is none; UnknownGame if there is none of that name."""
    if not 0 <= delay <= LONGEST_DELAY:
        raise PowerRefused(f"{delay} is no delay; it is 0 to {LONGEST_DELAY} turns.")
    with using(open_games, game_id, "observe", now, use) as used:
        address = checked_address(open_games, address)
        used.words = address + (f", {plural(delay, 'turn')} late" if delay else "")
        _require_no_player(open_games, used, address)
        observers.observe(used.conn, open_games, used.table, address, now, delay)


def add_full_observer(
    open_games: OpenGames, game_id: str, address: str, now: datetime, use: Use = AT_THE_MACHINE, delay: int = MIN_DELAY,
    consent: Collection[Faction] = (),
) -> None:  # fmt: skip
    """Let somebody read all of a game, also what is hidden, so many turns late; they are told so, and the table that
    there is somebody, not who. PowerRefused if the delay is too short, or not all seats gave their ``consent``; Sealed
    if the game is played blind; the rest as in ``observe``."""
    if not MIN_DELAY <= delay <= LONGEST_DELAY:
        raise PowerRefused(f"Whoever reads what is hidden reads it {MIN_DELAY} to {LONGEST_DELAY} turns late.")
    with using(open_games, game_id, "observe-full", now, use) as used:
        conn, table = used.conn, used.table
        if missing := [faction_name(faction) for faction in table.seats if faction not in consent]:
            raise PowerRefused(f"Ask {', '.join(missing)} first, and name all who agree: --consent FACTION, for each.")
        require_sight(conn, game_id)
        address = checked_address(open_games, address)
        _require_no_player(open_games, used, address)
        used.words = f"{address}, {plural(delay, 'turn')} late"
        observers.observe(conn, open_games, table, address, now, delay, full=True)
        told = [say("desk.full-observer", delay=delay), *own_words(use.tell)]
        open_games.writer.announce(conn, table, now, say("desk.full-observer-subject"), told)


def remove_observer(
    open_games: OpenGames, game_id: str, address: str, now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Send somebody no more summaries of a game, nor what was withheld from them. ObserverRefused if they do not
    observe it; UnknownGame if there is none of that name."""
    with using(open_games, game_id, "unobserve", now, use) as used:
        used.words = address.strip().lower()
        observers.stop_observing(used.conn, used.table, address)


def has_read_hidden(conn: Connection, open_games: OpenGames, table: Table, address: str) -> bool:
    """Whether a person reads all of a game, or did, or has looked at the desk at what is sealed: they take no seat of
    it."""
    done, settings = record.acts_of_game(conn, table.id), open_games.settings
    readers = [act.words.partition(",")[0] for act in done if act.what == "observe-full"]
    readers += [act.who or settings.mentat.game_master for act in done if act.what in ("predict", "preview")]
    return any(are_one_person(conn, settings, address, reader) for reader in readers)


def _require_no_player(open_games: OpenGames, used: PowerInUse, address: str) -> None:
    """ObserverRefused for whoever plays, under whatever address."""
    if seat_held_by(used.conn, open_games.settings, used.table.seats.values(), address):
        raise observers.ObserverRefused(f"{address} plays in {used.table.id} and gets the summaries anyway.")
    if seat_of_sitter(used.conn, open_games.settings, used.table.seats.values(), address):
        raise observers.ObserverRefused(
            f"{address} sits in for a player of {used.table.id} and gets the summaries anyway."
        )


MOST_STOPS = 500


def play_blind(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """From now on nobody at the desk may read what is sealed; the table is told. PowerRefused if it is so already."""
    with using(open_games, game_id, "blind", now, use) as used:
        if used.table.blind:
            raise PowerRefused(f"{game_id} is played blind already.")
        used.table.blind = True
        told = [say("desk.blind"), *own_words(use.tell)]
        open_games.writer.announce(used.conn, used.table, now, say("desk.blind-subject"), told)


def break_glass(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Let what is sealed be read again; the table is told at once that it was done, and the reason stands in the act
    log. PowerRefused if the game is not played blind, or without a reason."""
    if not use.why.strip():
        raise PowerRefused("Say why: it stands in the act log, which everybody may read at the end of the game.")
    with using(open_games, game_id, "break-glass", now, use) as used:
        if not used.table.blind:
            raise PowerRefused(f"{game_id} is not played blind; there is no glass to break.")
        used.table.blind = False
        told = [say("desk.glass"), *own_words(use.tell)]
        open_games.writer.announce(used.conn, used.table, now, say("desk.glass-subject"), told)


def predict_phase(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> tuple[str, ...]:
    """What the rest of this phase comes to if nobody writes any more, with what is under seal; in sentences. Nobody is
    told before the end of the game, when the act log opens. PowerRefused in a game that is played blind."""
    with using(open_games, game_id, "predict", now, use) as used:
        used.require_sight()
        play = games.open_table(used.conn, game_id).play
        turn, phase = play.state.turn, play.state.phase
        used.words = f"{turn}/{phase}"
        for _ in range(MOST_STOPS):
            if play.phase_over or (play.state.turn, play.state.phase) != (turn, phase):
                break
            play.expire()
        with speaking(play.game.rules.edition):
            told = [event_sentence(event.kind, event.facts, {}) for event in play.events]
        return tuple(filter(None, told))


def require_no_other_seat(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, *, tags_apart: bool = False
) -> None:  # fmt: skip
    """PowerRefused if a person sits in for another seat of a game than this one, or read the letters of another
    before."""
    settings = open_games.settings
    now = seat_of_sitter(conn, settings, table.seats.values(), address)
    if now is not None and now.faction != faction:
        raise PowerRefused(
            f"{address} sits in for {faction_name(now.faction)} in {table.id}; nobody may know the secrets of two "
            "seats."
        )
    for reader, seat in readers_of_seats(conn, table.id):
        if seat != faction and are_one_person(conn, settings, address, reader, tags_apart=tags_apart):
            raise PowerRefused(
                f"{address} was at another seat of {table.id} before; nobody may know the secrets of two seats."
            )
