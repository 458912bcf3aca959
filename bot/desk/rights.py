"""Rights at a game's desk: granting and revoking them, and handing a game over to another director."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from bot.desk.desk import game_status_lines
from bot.desk.powers import POWERS, DeskRequest, PowerRefused, require_no_other_table, right_at, using
from bot.games.identity import are_one_person, seat_of_sitter
from bot.games.open_games import OpenGames, Session
from bot.mail.identity import confirmation_code, is_one_address, is_own_address, reply_token
from bot.store import acts, desk, games, press, record
from bot.store.acts import DeskAct, GrantedRight, Right
from bot.store.database import Connection
from bot.store.desk import PendingCommand
from bot.store.people import CODE_HOLDS
from bot.table.calendar import stamp
from bot.table.table import Table
from bot.wording import say

HANDOVER: Literal["handover"] = "handover"
_BY = "\t"
"""Separates the stored line from the address of the person who offers the game. A line in a mail contains no tab."""


def grant(request: DeskRequest, right: Right, address: str) -> bool:
    """Grant a person this right at a game in place of any right that they had. Return False if they already have it.
    Raise PowerRefused if they play in the game."""
    address = checked_address(request.games, address)
    with using(request, "grant") as used:
        _require_no_player(used.conn, request.games, used.table, address)
        if right != "clerk":
            require_no_other_table(used.conn, used.table, address)
        had = acts.right_of(used.conn, address, game_id=request.game)
        if had is not None and had.right == right:
            used.silent = True
            return False
        used.words = f"{right} to {had.address if had else address}"
        _give(used.session, used.table, had.address if had else address, right)
        return True


def revoke(request: DeskRequest, address: str) -> None:
    with using(request, "revoke") as used:
        had = acts.right_of(used.conn, address.strip().lower(), game_id=request.game)
        if had is None:
            raise PowerRefused(f"{address} has no right in {request.game} to revoke.")
        acts.revoke_right(used.conn, had)
        used.words = f"{had.right} of {had.address}"
        told = [say("desk.revoked", game=request.game, right=had.right)]
        cause = f"{request.game}.{had.address}.revoked.{stamp(request.now)}"
        used.session.writer.tell(had.address, say("desk.revoked-subject", game=request.game), told, cause)


def hand_over(request: DeskRequest, address: str) -> None:
    """Ask a person to become the director of a game in place of its current directors. They accept by sending back,
    from their own address, the code that Mentat sends them; until then nothing changes. Raise PowerRefused if they play
    in the game."""
    address = checked_address(request.games, address)
    with using(request, HANDOVER) as used:
        conn = used.conn
        _require_no_player(conn, request.games, used.table, address)
        require_no_other_table(conn, used.table, address)
        used.words = f"{address} was asked"
        code = confirmation_code(
            request.games.settings.key, HANDOVER, request.game, address, stamp(request.now), str(desk.count_codes(conn))
        )
        offered = f"{HANDOVER}{_BY}{request.use.by}"
        desk.keep_pending(
            conn,
            PendingCommand(
                code, request.game, address, offered, used.table.entries, request.now, request.now + CODE_HOLDS
            ),
        )
        told = [
            say("desk.handover", game=request.game),
            say("desk.handover-how", code=code),
            say("desk.handover-until", days=CODE_HOLDS // timedelta(days=1)),
        ]
        cause = f"{request.game}.{address}.handover.{code}"
        used.session.writer.tell(address, say("desk.handover-subject", game=request.game), told, cause, code)


def is_handover(pending: PendingCommand) -> bool:
    return pending.line.startswith(f"{HANDOVER}{_BY}")


def take_over(session: Session, pending: PendingCommand) -> None:
    """Make the person who accepted the offer the director of the game, in place of its former directors.

    Notes that are not meant for a successor are deleted, and the table is told who its new game master is. Raise
    PowerRefused if that person now plays in the game, or if the person who made the offer has since lost the right to
    hand the game over.
    """
    table = session.games.table(session.conn, pending.game_id)
    _require_no_player(session.conn, session.games, table, pending.address)
    require_no_other_table(session.conn, table, pending.address)
    if right_at(session.conn, session.games, table, pending.line.partition(_BY)[2]) not in POWERS[HANDOVER].rights:
        raise PowerRefused(f"The person who offered you {table.id} no longer runs it. Ask its game master.")
    before = acts.rights_of(session.conn, game_id=table.id)
    for who in before:
        if who.right == "director":
            acts.revoke_right(session.conn, who)
        _tell_of_new_director(session, table, who, pending.address)
    desk.settle_codes(session.conn, table.id)
    _give(session, table, pending.address, "director", _state_of_desk(session, table, before))
    for note in desk.notes_of_game(session.conn, table.id):
        if not note.successor:
            desk.forget_note(session.conn, table.id, note.number)
    desk.settle_code(session.conn, pending.code, "done")
    record.record_act(
        session.conn,
        table,
        DeskAct(session.now, HANDOVER, who=pending.address, right="director", words="they direct it from now on"),
    )
    session.writer.announce(table, say("desk.new-master-subject"), [say("desk.new-master")])
    games.close(session.conn, table)


def _tell_of_new_director(session: Session, table: Table, who: GrantedRight, address: str) -> None:
    if who.address != address:
        kept = "" if who.right == "director" else who.right
        told = say("desk.new-master-to-helper", game=table.id, address=address, right=kept)
        cause = f"{table.id}.{who.address}.new-master.{stamp(session.now)}"
        token = who.token if kept else ""
        session.writer.tell(who.address, say("desk.new-master-subject"), [told], cause, token)


def _state_of_desk(session: Session, table: Table, before: Sequence[GrantedRight]) -> list[str]:
    conn, settings = session.conn, session.settings
    lines = game_status_lines(conn, settings, session.now, table.id)
    if muted := [faction for faction in table.seats if press.is_muted(conn, table.id, faction)]:
        lines.append(say("desk.handed-muted", factions=muted))
    if helpers := [f"{who.right} {who.address}" for who in before if who.right != "director"]:
        lines.append(say("desk.handed-rights", rights=helpers))
    return [say("desk.handed-open"), *lines, say("desk.handed-waits")]


def _give(session: Session, table: Table, address: str, right: Right, taken_over: Sequence[str] = ()) -> None:
    how = "handed-over" if taken_over else "granted"
    token = reply_token(session.settings.key, f"game {table.id} rights", f"{address} {right} {stamp(session.now)}")
    acts.grant_right(session.conn, GrantedRight(address, right, token, session.now, game_id=table.id))
    told = [say(f"desk.{how}", game=table.id, right=right), *taken_over, say("desk.powers-how", game=table.id)]
    cause = f"{table.id}.{address}.{how}.{right}.{stamp(session.now)}"
    session.writer.tell(address, say(f"desk.{how}-subject", game=table.id), told, cause, token)


def typed_address(said: str) -> str:
    address = said.strip().lower()
    if not is_one_address(address):
        raise PowerRefused(f"{said[:80]!r} is not one mail address, like rey@example.org.")
    return address


def checked_address(open_games: OpenGames, address: str) -> str:
    said = typed_address(address)
    if is_own_address(said, open_games.settings.mentat.address):
        raise PowerRefused(say("desk.own-address", address=said))
    return said


def _require_no_player(conn: Connection, open_games: OpenGames, table: Table, address: str) -> None:
    seats = table.seats.values()
    if seat_of_sitter(conn, open_games.settings, seats, address):
        raise PowerRefused(f"{address} is sitting in for a player of {table.id}, and cannot have a right there now.")
    if any(are_one_person(conn, open_games.settings, seat.address, address) for seat in seats):
        raise PowerRefused(f"{address} plays in {table.id}, and a player cannot have a right there.")
