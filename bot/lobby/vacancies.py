"""Seats that become free in running games, and the volunteers who are asked to take them.

A seat on offer is stored as a table with one seat, of kind `vacancy`. The people who volunteered for free seats are
asked one after the other, in the order in which they volunteered, and each has time to answer. This happens
automatically when a player resigns, is banned, or leaves a seat in the game of a public table to the caretaker; in
other cases, when the game master says so. The offer ends when the seat has a new player, or its own player is back.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from bot.desk.powers import PowerRefused
from bot.desk.seats import take_seat
from bot.games.identity import seat_held_by
from bot.games.open_games import Session
from bot.lobby import letters
from bot.lobby.joining import is_banned, leave, most_games, own_seat
from bot.lobby.letters import Offer
from bot.lobby.tables import LobbyRefused, change, log_act, offer_ends, reader_at, view_of, write
from bot.store import games, lobby, people
from bot.store.database import Connection
from bot.store.lobby import LobbySeat, LobbyTable
from bot.store.people import SeatName
from bot.store.tournament_rounds import tournament_of
from rules.components import Faction, as_faction, the_faction


def offer_seat_of_game(
    session: Session, game_id: str, faction: Faction, why: str = "", *, ask: bool = True
) -> LobbyTable:
    """Offer a seat of a running game to the volunteers, one after the other. Raise LobbyRefused if the seat is already
    on offer or the game is over, and UnknownGame if there is no game with this id."""
    conn, game = session.conn, session.games.table(session.conn, game_id)
    if game.play.over or faction not in game.seats:
        raise LobbyRefused("over", game_id, why=f"Nobody plays {the_faction(faction)} in {game_id} now.")
    number = sum(each.of_game == game_id for each in lobby.all_tables(conn)) + 1
    if seat_on_offer(conn, game_id, faction):
        raise LobbyRefused("settings", game_id, why=f"The seat of {the_faction(faction)} is already on offer.")
    settings = lobby.TableSettings(ruleset=game.ruleset, options=dict(game.options), tempo=game.tempo, size=1, fewest=1)
    end = session.now + timedelta(days=session.settings.lobby.life_days)
    table = LobbyTable(
        f"{game_id}-seat-{number}", "vacancy", faction, "open", lobby.settings_text(settings),
        game.seats[faction].address, session.now, end, "", "", of_game=game_id,
    )  # fmt: skip
    lobby.add_table(conn, table)
    log_act(session, game_id, "offer", f"the seat of {faction} is offered to those who stand by", why)
    if ask:
        ask_next_volunteer(session, table)
    return table


def seat_on_offer(conn: Connection, game_id: str, faction: Faction) -> LobbyTable | None:
    every = lobby.all_tables(conn, "open")
    return next((each for each in every if (each.of_game, each.title) == (game_id, faction)), None)


def offer_by_itself(session: Session, game_id: str, faction: Faction, why: str) -> LobbyTable | None:
    """Offer the seat of a player who resigned or was banned. Return None if this seat must not be offered
    automatically."""
    if not _offers_by_itself(session, game_id, faction):
        return None
    if table := seat_on_offer(session.conn, game_id, faction):
        return table
    return change(session, offer_seat_of_game(session, game_id, faction, why), why=why)


def _offers_by_itself(session: Session, game_id: str, faction: Faction) -> bool:
    """Return whether the seat is offered automatically. It is not if the game has its own substitutes or comes from a
    private table, or if a computer opponent plays the seat."""
    conn, formed = session.conn, lobby.find_table(session.conn, game_id)
    if session.settings.lobby.who == "nobody" or (formed is not None and formed.kind != "open"):
        return False
    return not (tournament_of(conn, game_id) or games.seats_of(conn, game_id)[faction].opponent)


def seats_of_banned(session: Session) -> list[SeatName]:
    """Return the seats of banned people that can be offered and have not been offered since the ban."""
    conn, now = session.conn, session.now
    bans = [each for each in people.all_bans(conn) if each.kind == "ban" and not (each.lifted_at or each.tournament_id)]
    held = [
        (seat, ban.since)
        for ban in bans
        if ban.until is None or ban.until > now
        for seat in people.seats_at_addresses(conn, people.known_as(conn, ban.address))
    ]
    offered = {(each.of_game, each.title): each.opened_at for each in lobby.all_tables(conn)} if held else {}
    return [seat for seat, since in held if offered.get(seat, since) <= since and _offers_by_itself(session, *seat)]


def withdraw_offer(session: Session, game_id: str, faction: Faction) -> bool:
    table = seat_on_offer(session.conn, game_id, faction)
    if table is None or table.why != "resigned":
        return False
    _end_offer(session, table, "plays on")
    return True


def _end_offer(session: Session, table: LobbyTable, why: str) -> None:
    for seat in lobby.seats_of(session.conn, table.id, "offered"):
        leave(session, seat, "ended", why)
        letter = letters.refused(reader_at(session, seat.address), "seat-kept", table=table.of_game)
        write(session, seat.address, letter, f"{table.id}.over")
    change(session, table, state="ended", why=why, ended_at=session.now)


def is_kept(conn: Connection, table: LobbyTable) -> bool:
    """Return whether a seat on offer is no longer free, because somebody else now plays it or because its player has
    taken it back from the caretaker."""
    seat = games.seats_of(conn, table.of_game)[as_faction(table.title)]
    gone = bool(table.opener) and seat.address not in people.known_as(conn, table.opener)
    return gone or (table.why == "abandoned" and not seat.care)


def note_abandoned_seat(session: Session, game_id: str, faction: Faction, address: str) -> list[str]:
    """After the caretaker has taken over a person's seat in a game, free the person's seats at open tables, and tell
    them. Offer the seat in the game to volunteers, unless a computer opponent plays it. Return the tables that now have
    a free seat."""
    conn, freed = session.conn, []
    for seat in lobby.seats_of_person(conn, people.known_as(conn, address)):
        found = lobby.find_table(conn, seat.table_id)
        if found is None or found.kind == "vacancy":
            continue
        leave(session, seat, "freed", "abandoned")
        letter = letters.seat_given_back(reader_at(session, seat.address), view_of(conn, found), "abandoned")
        write(session, seat.address, letter, f"{found.id}.abandoned.{seat.number}")
        freed.append(found.id)
    played = bool(session.games.table(conn, game_id).seats[faction].opponent)
    table = offer_seat_of_game(session, game_id, faction, "abandoned", ask=not played)
    change(session, table, **({"state": "ended", "why": "an opponent plays"} if played else {"why": "abandoned"}))
    return freed


def ask_next_volunteer(session: Session, table: LobbyTable) -> bool:
    conn, game = session.conn, session.games.table(session.conn, table.of_game)
    asked, own = lobby.every_seat(conn, table.id), table.settings
    today = session.now.astimezone(session.settings.mentat.timezone).date()
    ready = (each for each in lobby.all_standing(conn) if each.since and not each.stopped and "@" in each.address)
    for each in sorted(ready, key=lambda one: (one.since, one.address)):
        fits = own.ruleset.startswith(each.ruleset) and each.tempo in ("", own.tempo)
        known = people.known_as(conn, each.address)
        record = lobby.game_record(conn, known, session.now)
        may = record.running < most_games(session, each.address, record) and not is_banned(session, each.address)
        if (
            not (fits and may)
            or (each.not_before and each.not_before > today)
            or own_seat(session, asked, each.address)
        ):
            continue
        if seat_held_by(conn, session.settings, game.seats.values(), each.address):
            continue
        until = offer_ends(session, each.address)
        made = LobbySeat(table.id, each.address, "offered", session.now, "standby", offer_until=until)
        seat = lobby.add_seat(conn, made)
        lobby.set_standing(conn, replace(each, asked=each.asked + 1))
        turn, faction = game.play.state.turn, as_faction(table.title)
        offer = Offer(table.id, until, own.ruleset, own.tempo, faction, turn, table.of_game)
        write(
            session,
            each.address,
            letters.offer_seat(reader_at(session, each.address), offer),
            f"{table.id}.{seat.number}",
        )
        return True
    return False


def ask_volunteers(session: Session) -> None:
    for table in lobby.all_tables(session.conn, "open"):
        if table.kind == "vacancy" and not lobby.seats_of(session.conn, table.id, "offered"):
            ask_next_volunteer(session, table)


def take_offered_seat(session: Session, table: LobbyTable, seat: LobbySeat) -> None:
    game = session.games.table(session.conn, table.of_game)
    if table.state != "open" or is_kept(session.conn, table):
        raise LobbyRefused("seat-kept", table.of_game)
    try:
        take_seat(session, game, as_faction(table.title), seat.address, seat.name)
    except PowerRefused as refused:
        raise LobbyRefused("settings", table.of_game, why=str(refused)) from None
    games.close(session.conn, game)
    leave(session, seat, "ended", "took the seat")
    change(session, table, state="ended", why="taken", ended_at=session.now)


def refuse_offered_seat(session: Session, table: LobbyTable, seat: LobbySeat, not_before: date | None = None) -> None:
    own = lobby.standing(session.conn, seat.address)
    lobby.set_standing(session.conn, replace(own, refused=own.refused + 1, not_before=not_before or own.not_before))
    leave(session, seat, "declined")
    ask_next_volunteer(session, table)


def offer_seat_again(session: Session, table: LobbyTable, seat: LobbySeat) -> None:
    """Offer a seat again to a volunteer who declined it and has changed their mind. Raise LobbyRefused if it is no
    longer free."""
    asked = bool(lobby.seats_of(session.conn, table.id, "offered"))
    if asked or table.state != "open" or is_kept(session.conn, table):
        raise LobbyRefused("said-no-seat", table.of_game, asked=asked)
    lobby.change_seat(session.conn, seat.number, state="offered", live=seat.address)


def pass_time_of_vacancy(session: Session, table: LobbyTable) -> None:
    """Let an offer that was not answered lapse, and ask the next volunteer. The vacancy ends with its game, or after
    two weeks."""
    over = lobby.game_status(session.conn, table.of_game) != "running" or table.expires_at <= session.now
    if over or is_kept(session.conn, table):
        _end_offer(session, table, "over")
        return
    for seat in lobby.seats_of(session.conn, table.id, "offered"):
        if seat.offer_until and seat.offer_until <= session.now:
            leave(session, seat, "freed", "silent")
    if not lobby.seats_of(session.conn, table.id, "offered"):
        ask_next_volunteer(session, table)
