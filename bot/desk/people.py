"""People who may play here: the game master bans, readmits or warns them, and deletes games that were started by
mistake.

The seats of a banned player are handed on to other players. The banned player's promises and filed orders still bind
the seat, because the rest of the table relies on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.desk import seats
from bot.desk.powers import POWERS, DeskRequest, PowerRefused, Use, require_right, right_at, spoken_words, within
from bot.desk.rights import checked_address
from bot.games import observers
from bot.games.identity import are_one_person, person_token
from bot.games.notices import own_words
from bot.games.open_games import Session, act
from bot.store import acts, games, lobby, people, tournaments
from bot.store import press as observer_rows
from bot.store.acts import DIRECTORS, DeskAct, log_act
from bot.store.database import Connection
from bot.store.people import Ban, SeatName
from bot.store.tournament_rounds import tournament_of
from bot.table.calendar import stamp
from bot.table.table import Table
from bot.wording import say


def ban(
    request: DeskRequest, address: str, *, until: datetime | None = None, tournament_id: str = ""
) -> list[SeatName]:
    """Ban a person from this Mentat or from one tournament, permanently or until a given time. Return their seats,
    which need new players. A banned person also stops observing games there. They are told of the ban but not of the
    reason, and nobody else is told. The ban is entered in the act logs of the games in which they play and of the game
    from whose desk it was imposed. Raise PowerRefused if the address is invalid, if the time is past, or if the person
    is already banned. Raise UnknownTournament if there is no such tournament."""
    address = checked_address(request.games, address)
    if until is not None and until <= request.now:
        raise PowerRefused(f"{until:%Y-%m-%d %H:%M}Z is past; a ban must end in the future.")
    held: list[SeatName] = []
    with act(request.games, request.now, dry_run=request.use.dry_run) as session:
        conn = session.conn
        if tournament_id:
            tournaments.find_tournament(conn, tournament_id)
        if people.standing_ban(
            conn, address, request.now, tournament_id, tags_apart=request.games.settings.identity.tags_apart
        ):
            raise PowerRefused(f"{address} is already banned; `mentat person unban {address}` lets them in again.")
        people.add_ban(conn, Ban(address, tournament_id, "ban", request.use.why, request.use.by, request.now, until))
        observers.strike_out_banned(conn, address, tournament_id)
        seats.end_sittings_of(session, address, tournament_id)
        if not tournament_id:
            lobby.free_seats_of(conn, people.known_as(conn, address), "ban", request.now)
        held = people.seats_at_addresses(conn, people.known_as(conn, address))
        held = [seat for seat in held if tournament_id in ("", tournament_of(conn, seat[0]))]
        _log_in_games(session, "ban", held, request.game, request.use)
        last = str(seats.last_day(request.games.settings, until)) if until else ""
        names = [say("desk.seat", game=game, faction=faction) for game, faction in held]
        told = [say("desk.banned", until=last, tournament=tournament_id, seats=names), say("desk.plea")]
        _tell_person(session, address, "banned", told)
    return held


def _tell_person(session: Session, address: str, what: str, told: Sequence[str]) -> None:
    token = person_token(session.settings, address)
    session.writer.tell(address, say(f"desk.{what}-subject"), told, f"{what}.{address}.{stamp(session.now)}", token)


def unban(request: DeskRequest, address: str, *, tournament_id: str = "") -> None:
    """Lift a ban and tell the person. They are not told the reason, which is kept with the ban and in the act logs
    (``ban``). Raise PowerRefused if they are not banned."""
    address, tags_apart = checked_address(request.games, address), request.games.settings.identity.tags_apart
    with act(request.games, request.now, dry_run=request.use.dry_run) as session:
        conn = session.conn
        if not (
            banned := people.lift_bans(
                conn, address, tournament_id, request.now, request.use.why, request.use.by, tags_apart=tags_apart
            )
        ):
            raise PowerRefused(f"{address} is not banned{f' in {tournament_id}' if tournament_id else ''}.")
        known = {own for each in (address, *banned) for own in people.known_as(conn, each)}
        _log_in_games(session, "unban", people.seats_at_addresses(conn, known), request.game, request.use)
        _tell_person(session, address, "unbanned", [say("desk.unbanned")])


def warn(request: DeskRequest, address: str, words: str) -> None:
    """Send a person a warning in the game master's own words. The warning is kept, and is logged in the same places as
    a ban, but it forbids nothing. Raise PowerRefused if ``words`` is empty."""
    address, words = checked_address(request.games, address), spoken_words(words)
    if not words:
        raise PowerRefused("Say what the warning is for.")
    with act(request.games, request.now, dry_run=request.use.dry_run) as session:
        conn = session.conn
        people.add_ban(conn, Ban(address, "", "warning", request.use.why or words, request.use.by, request.now))
        _log_in_games(
            session, "warn", people.seats_at_addresses(conn, people.known_as(conn, address)), request.game, request.use
        )
        _tell_person(session, address, "warned", [say("desk.warned"), words, say("desk.plea")])


@dataclass(frozen=True, slots=True)
class OnePerson:
    addresses: tuple[str, ...]
    seats: tuple[SeatName, ...]
    twice: tuple[str, ...]
    banned: bool


def tie_persons(request: DeskRequest, address: str, other: str) -> OnePerson:
    """Count two addresses as one person from now on: for seats, sitting in, observing, bans and ratings.

    Both addresses are notified by mail. Nobody loses a seat because of this. Raise PowerRefused if they already count
    as one person, or if the request does not come from the game master of this Mentat.
    """
    one, two = checked_address(request.games, address), checked_address(request.games, other)
    _require_master(request, "same")
    with act(request.games, request.now, dry_run=request.use.dry_run) as session:
        conn, apart = session.conn, request.games.settings.identity.tags_apart
        if not people.identifiers(conn, one, tags_apart=apart).isdisjoint(
            people.identifiers(conn, two, tags_apart=apart)
        ) or not people.tie_persons(conn, one, two):
            raise PowerRefused(f"{one} and {two} are one person already.")
        known = people.known_as(conn, one)
        held = tuple(people.seats_at_addresses(conn, known))
        games_held = [game for game, _ in held]
        twice = tuple(sorted({game for game in games_held if games_held.count(game) > 1}))
        banned = people.standing_ban(conn, one, request.now, tags_apart=apart) is not None
        _log_in_games(session, "same", held, request.game, request.use)
        for each, the_other in ((one, two), (two, one)):
            _tell_person(session, each, "same", [say("desk.same", other=the_other), say("desk.plea")])
    return OnePerson(tuple(sorted(known)), held, twice, banned)


def part_persons(request: DeskRequest, address: str) -> None:
    """Count an address as a separate person again, and tell that person. Raise PowerRefused if it is not tied to
    another address."""
    address = checked_address(request.games, address)
    _require_master(request, "apart")
    with act(request.games, request.now, dry_run=request.use.dry_run) as session:
        held = people.seats_at_addresses(session.conn, [address])
        if not people.part_persons(session.conn, address):
            raise PowerRefused(f"{address} is not tied to any other address.")
        _log_in_games(session, "apart", held, request.game, request.use)
        _tell_person(session, address, "apart", [say("desk.apart")])


def _require_master(request: DeskRequest, power: str) -> None:
    if request.game and ban_reach(request, power):
        raise PowerRefused("Only the game master of this Mentat can tie addresses together or separate them.")


def _log_in_games(session: Session, power: str, held: Sequence[SeatName], game_id: str, use: Use) -> None:
    right = (
        right_at(session.conn, session.games, session.games.table(session.conn, game_id), use.by)
        if game_id
        else "director"
    )
    for game, faction in [*held, *([] if not game_id or game_id in dict(held) else [(game_id, "")])]:
        log_act(session.conn, DeskAct(session.now, power, use.why, use.by, right, faction), game_id=game)


def require_at_table(request: DeskRequest, address: str) -> None:
    """Raise PowerRefused unless the person with this address plays, sits in or observes in the game, or the request
    comes from the game master of this Mentat. People who run a single game have no power over anybody else."""
    with within(request.games) as conn:
        table, settings = request.games.table(conn, request.game), request.games.settings
        if settings.mentat.game_master.lower() in people.known_as(conn, request.use.by):
            return
        here = [seat.address for seat in table.seats.values()] + [seat.sitter for seat in table.seats.values()]
        here += [each.address for each in observer_rows.observers_of_game(conn, request.game)]
        if not any(are_one_person(conn, settings, address, each) for each in filter(None, here)):
            raise PowerRefused(f"{address} neither plays in {request.game} nor observes it.")


def ban_reach(request: DeskRequest, power: str) -> str:
    """Return the reach of a ban by this game master: "" (this whole Mentat) for the game master of this Mentat, or the
    tournament for its directors. Raise PowerRefused for anybody else, and for a director who plays in the
    tournament."""
    with within(request.games) as conn:
        require_right(conn, request, power)
        if request.games.settings.mentat.game_master.lower() in people.known_as(conn, request.use.by):
            return ""
        event = tournament_of(conn, request.game)
        organiser = acts.right_of(conn, request.use.by, tournament_id=event) if event else None
    if organiser is None or organiser.right not in DIRECTORS:
        raise PowerRefused(
            "Only the game master of this Mentat and the directors of a tournament decide who may play; ask "
            f"{request.games.settings.mentat.game_master}."
        )
    return event


def delete_game(request: DeskRequest) -> None:
    """Delete a game in which no orders have been given, such as one started by mistake, with everything that belongs to
    it, and tell its players.

    Raise PowerRefused for any other game: one that is under way can be ended instead, and one that is over belongs to
    its players. Also raise PowerRefused if the game master plays in it, and UnknownGame if there is no game with this
    id.
    """
    with within(request.games) as conn:
        require_right(conn, request, "delete")
    with act(request.games, request.now, dry_run=request.use.dry_run) as session:
        conn = session.conn
        table = request.games.table(conn, request.game)
        _require_never_begun(conn, table)
        for faction, seat in table.seats.items():
            told = [say("desk.deleted", game=request.game), *own_words(request.use.tell)]
            cause = f"{request.game}.{faction}.deleted.{stamp(request.now)}"
            session.writer.tell(seat.address, say("desk.deleted-subject", game=request.game), told, cause)
        games.delete_game(conn, request.game)
    request.games.forget(request.game)


def _require_never_begun(conn: Connection, table: Table) -> None:
    game_id = table.id
    if table.status == "over":
        raise PowerRefused(f"{game_id} is over and cannot be deleted: its record and act log belong to its players.")
    if games.was_played(conn, game_id):
        raise PowerRefused(
            f"Orders have been given in {game_id}, so it cannot be deleted; `mentat game end {game_id} --void` ends it "
            "without a winner."
        )
    if done := sorted({each.what for each in acts.acts_of(conn, game_id=game_id)} & _keeping()):
        raise PowerRefused(
            f"{game_id} cannot be deleted, because everybody can read its act log after the game, and that lists what "
            f"you did there: {', '.join(done)}. `mentat game end {game_id} --void` ends the game without a winner."
        )
    if games.in_a_tournament(conn, game_id):
        raise PowerRefused(f"{game_id} is a table of a tournament; `mentat tournament void` voids its result.")


def _keeping() -> set[str]:
    return {power.name for power in POWERS.values() if power.keeps_game}
