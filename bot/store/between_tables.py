"""What those who play in a tournament may know of its other tables: while a round goes on, nothing, or what happened a
completed turn ago.

The archive is everybody's to read, so what it shows of a table rests on its round: until that is closed its game has no
pages (``round-end``, and always in a semifinal or final), or the public view one turn late (``late``). Until a table is
over, those who were drawn for it sit there as far as others know, whoever has left it or taken a seat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import Connection, select, update

from bot.competition.published import TableState
from bot.config.archive_policy import Policy
from bot.press.consents import said, settings_in
from bot.press.settings import read
from bot.store.tables import GAME
from bot.store.tournaments import entrants, rounds, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rounds import RoundTable, Tenure
from bot.store.tournaments.tournaments import Tournament

Place = tuple[int, int]
"""A table, by its round and number."""
Seen = Literal["now", "late", "round-end"]
GOING: tuple[TableState, ...] = ("planned", "playing")
FINALS = ("semifinal", "final")


@dataclass(frozen=True, slots=True)
class At:
    """Where a game is played: the tournament and its title, the round and the table; ``seen`` says when others may see
    it."""

    tournament: str
    title: str
    round: int
    table: int
    seen: Seen


def place_of(conn: Connection, game_id: str) -> At | None:
    """The table of a tournament at which a game is played; None for any other game."""
    table = rounds.table_of_game(conn, game_id)
    return None if table is None else _places(conn, table.tournament_id, [table])[0]


def places(conn: Connection) -> Mapping[str, At]:
    """The tables of tournaments at which games are played, by the id of the game."""
    found: dict[str, At] = {}
    for tournament in tournaments.every(conn):
        tables = [table for table in rounds.tables(conn, tournament.id) if table.game_id]
        found |= zip((table.game_id for table in tables), _places(conn, tournament.id, tables), strict=True)
    return found


def _places(conn: Connection, tournament_id: str, tables: Sequence[RoundTable]) -> list[At]:
    """Where some tables of one tournament are."""
    tournament = tournaments.find(conn, tournament_id)
    open_rounds = {each.number: each for each in rounds.rounds(conn, tournament.id) if each.state != "closed"}
    if tournament.state in ("finished", "cancelled"):
        open_rounds.clear()

    def seen(number: int) -> Seen:
        of = open_rounds.get(number)
        if of is None:
            return "now"
        return "round-end" if of.kind in FINALS else tournament.settings.tables.seen

    return [At(tournament.id, tournament.title, table.round, table.number, seen(table.round)) for table in tables]


def shown(policy: Policy, place: At | None, *, over: bool) -> Policy | None:
    """What the archive shows of a game now, where it would show it by this policy; None is nothing."""
    if place is None or place.seen == "now":
        return policy
    if place.seen == "round-end":
        return None
    if over or policy.running == "hidden":
        return Policy(policy.running, policy.delay, "public-only")
    return Policy("delayed", max(1, policy.delay), "public-only")


def waits_for(conn: Connection, game_id: str, address: str) -> bool:
    """Whether somebody plays in the tournament of a game, and may not see its tables as they are now. Who has not
    confirmed does not: anybody can enter the address of another."""
    place = place_of(conn, game_id)
    if place is None or place.seen == "now":
        return False
    own = entrants.of_person(conn, place.tournament, address)
    if own is None or own.confirmed_at is None:
        return False
    return own.state not in ("withdrawn", "disqualified") or _plays_on(conn, own)


def _plays_on(conn: Connection, entrant: Entrant) -> bool:
    """Whether somebody who has left plays the games that they had begun to their end."""
    going = {table.place for table in rounds.tables(conn, entrant.tournament_id, states=GOING)}
    held = rounds.now_sitting(conn, entrant.tournament_id)
    return any(each.entrant == entrant.number and (each.round, each.table) in going for each in held)


def played_unknown(tournament: Tournament) -> bool:
    """Whether nobody is told who plays which faction while their game goes on (gunboat)."""
    return read(tournament.settings.press).gunboat


def named_with_round(tournament: Tournament) -> bool:
    """Whether that is so until their round is closed."""
    return read(tournament.settings.press).names_until == "round"


def tables_unknown(conn: Connection, tournament: Tournament) -> frozenset[Place]:
    """The tables of which nobody but their directors is told who sits there: with gunboat those that are played, or all
    of rounds that are not closed."""
    if not played_unknown(tournament):
        return frozenset()
    going = {table.place for table in rounds.tables(conn, tournament.id, states=GOING)}
    return frozenset(going) | named_with_the_round(conn, tournament)


def named_with_the_round(conn: Connection, tournament: Tournament) -> frozenset[Place]:
    """The tables of rounds that are not closed, where their players are named with the round; until then their results
    say nothing of entrants."""
    if not named_with_round(tournament) or tournament.state in ("finished", "cancelled"):
        return frozenset()
    open_now = {each.number for each in rounds.rounds(conn, tournament.id) if each.state != "closed"}
    return frozenset(table.place for table in rounds.tables(conn, tournament.id) if table.round in open_now)


def tell_names(conn: Connection, tournament_id: str, number: int = 0) -> None:
    """A round is closed (all are, if none is named): from now on its games name their players as soon as they are
    over."""
    for table in rounds.tables(conn, tournament_id, number):
        row = conn.execute(select(GAME.c.press).where(GAME.c.id == table.game_id)).one_or_none()
        if row is None or (settings := settings_in(row.press)).names_until != "round":
            continue
        press = said(row.press).after(replace(settings, names_until="game").words)
        changed = {"press": press, "revision": GAME.c.revision + 1}
        conn.execute(update(GAME).where(GAME.c.id == table.game_id).values(changed))


def drawn_for(held: Sequence[Tenure]) -> list[Tenure]:
    """Of all who have held the seats of tables, those who were drawn for them."""
    return [tenure for tenure in held if not tenure.number]


def entrants_as_known(conn: Connection, tournament_id: str) -> list[Entrant]:
    """The entrants, each in the state that everybody may know: who has left a table that is played still plays, and a
    substitute at one still waits."""
    going = {table.place for table in rounds.tables(conn, tournament_id, states=GOING)}
    going |= named_with_the_round(conn, tournaments.find(conn, tournament_id))
    plays, over, sat = set[int](), set[int](), set[int]()
    for tenure in rounds.tenures(conn, tournament_id):
        sat.add(tenure.entrant)
        if (tenure.round, tenure.table) not in going:
            over.add(tenure.entrant)
        elif not tenure.number:
            plays.add(tenure.entrant)
    hidden = sat - plays - over
    return [_as_known(each, each.number in plays, each.number in hidden)
            for each in entrants.of_tournament(conn, tournament_id)]  # fmt: skip


def _as_known(entrant: Entrant, plays: bool, hidden: bool) -> Entrant:
    if entrant.state == "withdrawn" and plays:
        return replace(entrant, state="playing")
    if hidden and entrant.state in ("playing", "withdrawn"):
        return replace(entrant, state="standby")
    return entrant
