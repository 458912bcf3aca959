"""The limits on what people may see of a game: observers, blind games and predictions. Nobody ever sees two seats.

The game master admits and removes observers. They read at once, some turns late, or some turns late but in full. A
person who was ever sent the letters of one seat, as its player or while sitting in, can never have another seat there.
"""

from __future__ import annotations

from collections.abc import Collection

from bot.desk.powers import DeskRequest, PowerInUse, PowerRefused, using
from bot.desk.rights import checked_address
from bot.games import observers
from bot.games.identity import are_one_person, seat_held_by, seat_of_sitter
from bot.games.notices import own_words
from bot.games.open_games import Session
from bot.render.news import event_sentence
from bot.store import acts, games
from bot.store.mail import readers_of_seats
from bot.table.table import Table
from bot.wording import say
from bot.wording.filters import plural, speaking
from rules.components import Faction, faction_name, the_faction

LONGEST_DELAY = 20
"""The longest delay, in turns. No game has more turns."""
MIN_DELAY = 2
"""The minimum number of turns before a person who does not play may read hidden information."""


def add_observer(request: DeskRequest, address: str, delay: int = 0) -> None:
    """Send a person the public summary of each turn, ``delay`` turns late, and tell them so. Raise ObserverRefused if
    they cannot observe the game, PowerRefused if the delay is impossible, and UnknownGame if there is no game with this
    id."""
    if not 0 <= delay <= LONGEST_DELAY:
        raise PowerRefused(f"{delay} is not a possible delay; a delay is 0 to {LONGEST_DELAY} turns.")
    with using(request, "observe") as used:
        address = checked_address(request.games, address)
        used.words = address + (f", {plural(delay, 'turn')} late" if delay else "")
        _require_no_player(used, address)
        observers.observe(used.session, used.table, address, delay)


def add_full_observer(
    request: DeskRequest, address: str, delay: int = MIN_DELAY, consent: Collection[Faction] = ()
) -> None:
    """Let a person read a game in full, including what is hidden, ``delay`` turns late.

    That person is told. The table is told that there is such an observer, but not who it is. Raise PowerRefused if the
    delay is impossible or a seat did not ``consent``, Sealed if the game is blind, and the errors of ``add_observer``.
    """
    if not MIN_DELAY <= delay <= LONGEST_DELAY:
        raise PowerRefused(f"Observers read hidden information {MIN_DELAY} to {LONGEST_DELAY} turns late.")
    with using(request, "observe-full") as used:
        conn, table = used.conn, used.table
        if missing := [faction_name(faction) for faction in table.seats if faction not in consent]:
            raise PowerRefused(f"Ask {', '.join(missing)} first, and add --consent FACTION for each who agrees.")
        games.require_sight(conn, request.game)
        address = checked_address(request.games, address)
        _require_no_player(used, address)
        used.words = f"{address}, {plural(delay, 'turn')} late"
        observers.observe(used.session, table, address, delay, full=True)
        told = [say("desk.full-observer", delay=delay), *own_words(request.use.tell)]
        used.session.writer.announce(table, say("desk.full-observer-subject"), told)


def remove_observer(request: DeskRequest, address: str) -> None:
    with using(request, "unobserve") as used:
        used.words = address.strip().lower()
        observers.stop_observing(used.conn, used.table, address)


def has_read_hidden(session: Session, table: Table, address: str) -> bool:
    """Return whether a person has read the game in full or has seen sealed facts at the desk. Such a person cannot take
    a seat in it."""
    done, settings = acts.acts_of(session.conn, game_id=table.id), session.settings
    readers = [act.words.partition(",")[0] for act in done if act.what == "observe-full"]
    readers += [act.who or settings.mentat.game_master for act in done if act.what in ("predict", "preview")]
    return any(are_one_person(session.conn, settings, address, reader) for reader in readers)


def _require_no_player(used: PowerInUse, address: str) -> None:
    settings = used.session.settings
    if seat_held_by(used.conn, settings, used.table.seats.values(), address):
        raise observers.ObserverRefused(f"{address} plays in {used.table.id} and gets the summaries anyway.")
    if seat_of_sitter(used.conn, settings, used.table.seats.values(), address):
        raise observers.ObserverRefused(
            f"{address} sits in for a player of {used.table.id} and gets the summaries anyway."
        )


MOST_STOPS = 500


def play_blind(request: DeskRequest) -> None:
    with using(request, "blind") as used:
        if used.table.blind:
            raise PowerRefused(f"{request.game} is already being played blind.")
        used.table.blind = True
        told = [say("desk.blind"), *own_words(request.use.tell)]
        used.session.writer.announce(used.table, say("desk.blind-subject"), told)


def break_glass(request: DeskRequest) -> None:
    """Make sealed information readable again for the game master. The table is told at once, and the reason is entered
    in the act log. Raise PowerRefused if the game is not blind, or if no reason is given."""
    if not request.use.why.strip():
        raise PowerRefused("Give a reason. It goes into the act log, which everybody can read after the game.")
    with using(request, "break-glass") as used:
        if not used.table.blind:
            raise PowerRefused(f"{request.game} is not being played blind; there is no glass to break.")
        used.table.blind = False
        told = [say("desk.glass"), *own_words(request.use.tell)]
        used.session.writer.announce(used.table, say("desk.glass-subject"), told)


def predict_phase(request: DeskRequest) -> tuple[str, ...]:
    """Return, in sentences, how this phase will end if nobody sends another mail. The prediction takes sealed orders
    into account. Nobody is told of it until the game is over, when the act log is opened. Raise PowerRefused in a blind
    game."""
    with using(request, "predict") as used:
        used.require_sight()
        play = games.open_table(used.conn, request.game).play
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
    session: Session, table: Table, faction: Faction, address: str, *, tags_apart: bool = False
) -> None:
    """Raise PowerRefused if a person sits in for another seat of the game, or was ever sent the letters of another
    seat."""
    conn, settings = session.conn, session.settings
    now = seat_of_sitter(conn, settings, table.seats.values(), address)
    if now is not None and now.faction != faction:
        raise PowerRefused(
            f"{address} sits in for {the_faction(now.faction)} in {table.id}; nobody may know the secrets of two seats."
        )
    for reader, seat in readers_of_seats(conn, table.id):
        if seat != faction and are_one_person(conn, settings, address, reader, tags_apart=tags_apart):
            raise PowerRefused(
                f"{address} held another seat of {table.id} before; nobody may know the secrets of two seats."
            )
