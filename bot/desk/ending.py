"""The end of a game before its rules end it, by an announced last turn or at once; and what its archive page shows.

Both ends are entries of the game's log, so they replay, stand in its record, and can be undone like any other. An
announced last turn is played by the rules of the last turn: the defaults of Fremen and Guild, and predictions, happen
as printed. An end at once is by consent of all seats, by adjudication on the public board, or without a winner.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from bot.config.values import ArchivePolicy
from bot.desk.powers import DeskRequest, PowerRefused, using
from bot.games.notices import own_words, tell_archive_policy
from bot.games.open_games import OpenGames, Session
from bot.store import games, record
from bot.store.acts import DeskAct
from bot.table.rounds import go_on
from bot.table.table import Table, TableBefore
from bot.wording import say
from bot.wording.filters import speaking
from rules.components import Faction, faction_name

EndKind = Literal["agreed", "adjudicated", "void"]


class EndRefused(PowerRefused):
    """The game cannot be ended so; the message says why."""


def announce_last_turn(request: DeskRequest, turn: int) -> None:
    """Announce to everybody at a table which turn is its last. Raise PowerRefused if the game is over or the turn is
    not earlier than the last so far, UnknownGame if there is no game of that name."""
    with using(request, "last-turn") as used:
        used.words = f"turn {turn}"
        _announce(used.session, used.table, turn, request.use.tell)


def announce_last_turn_now(session: Session, table: Table, last: int) -> None:
    _announce(session, table, last)
    record.record_act(session.conn, table, DeskAct(session.now, "last-turn", words=f"turn {last}"))


def _announce(session: Session, table: Table, last: int, told: str = "") -> None:
    _require_running(table)
    try:
        table.play.announce_last_turn(last)
    except ValueError as refused:
        raise EndRefused(f"{table.id}: {refused}") from None
    session.save(table)
    tell_last_turn(session, table, last, told)


def tell_last_turn(session: Session, table: Table, last: int, told: str = "") -> None:
    with speaking(table.play.game.rules.edition):
        paragraphs = [say("event.last-turn.public", turn=last), say("last-turn.what-to-do"), *own_words(told)]
        session.writer.announce(table, say("last-turn.subject", turn=last), paragraphs)


def end_game(request: DeskRequest, how: EndKind, winners: Sequence[Faction]) -> None:
    """End a game at once and write its last letters. Raise PowerRefused if it is over, or if its winners are not its
    players or do not fit ``how``; UnknownGame if there is no game of that name."""
    with using(request, "end") as used:
        used.words = how
        end_game_now(used.session, used.table, how, winners, used.line())


def end_game_now(
    session: Session, table: Table, how: EndKind, winners: Sequence[Faction], act: DeskAct | None = None
) -> None:
    """End a game at once within the given transaction. The act is written first, because the game's record ends with
    it."""
    _require_running(table)
    if twice := next((faction for faction in winners if winners.count(faction) > 1), None):
        raise EndRefused(f"{faction_name(twice)} is named twice; name each winner once.")
    before = TableBefore.of(table)
    record.record_act(session.conn, table, act or DeskAct(session.now, "end", words=how))
    try:
        table.play.stop(how, winners)
    except ValueError as refused:
        raise EndRefused(f"{table.id}: {refused}") from None
    table.stopped_at, table.stopped_why, table.on_hold = None, "", None
    go_on(table, session.now)
    session.save(table)
    session.writer.answer(table, before)


def _require_running(table: Table) -> None:
    if table.status == "over":
        raise EndRefused(f"{table.id} is over.")
    if table.status == "held":
        raise EndRefused(f"{table.id} is held: its rules have changed; `mentat game rollback {table.id}` frees it.")


def set_archive_policy(open_games: OpenGames, game_id: str, policy: ArchivePolicy, now: datetime) -> bool:
    """Set what the archive shows of a game; return whether its players were told, as they are while it goes on. Raise
    UnknownGame if there is none of that name."""
    with open_games.transaction(game_id) as (conn, table):
        changed, told = table.policy != policy, not table.play.over
        if not changed:
            return False
        games.set_policy(conn, game_id, policy)
        table.policy = policy
        if told:
            tell_archive_policy(Session(conn, open_games, now), table, policy)
        return told
