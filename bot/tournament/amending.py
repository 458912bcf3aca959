"""A result that was wrong gets another version, and a table that cannot count is void, or played again.

What was drawn stands as it was drawn: the report says who would have played instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace

from bot.competition.outcomes import Kind, TableOutcome
from bot.competition.progress import Differs
from bot.games.open_games import OpenGames
from bot.store.database import Connection
from bot.store.tournaments import acts, results
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.results import Result
from bot.store.tournaments.rounds import RoundTable
from bot.store.tournaments.tournaments import Tournament
from bot.tournament.desk import By, Refused, acting
from bot.tournament.last_turns import end_at_once
from bot.tournament.letters import Letter, tell
from bot.tournament.places import players, require_right, require_unconcerned, table_named, written
from bot.tournament.progress import drawn_before, promote, what_differs
from bot.tournament.protests import decided
from bot.tournament.results import of_game, write
from bot.wording.sentences import say
from rules.components import Faction, faction_name


@dataclass(frozen=True, slots=True)
class Amended:
    """The new version of a result, the table that is played instead (None: none is), and the rounds that were drawn
    already and would have been drawn for others."""

    result: Result
    again: RoundTable | None = None
    differs: tuple[Differs, ...] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """What is different in the new version; None leaves it as it was. ``strongholds`` are by faction."""

    winners: Sequence[Faction] | None = None
    kind: Kind | None = None
    turn: int | None = None
    strongholds: Mapping[Faction, int] | None = None

    def made_in(self, outcome: TableOutcome) -> TableOutcome:
        """The outcome with them. Without a kind, what is given a winner is no longer void."""
        winners = outcome.winners if self.winners is None else tuple(self.winners)
        kind = self.kind or outcome.kind
        if self.kind is None and self.winners is not None:
            kind = "void" if not winners else "stronghold" if outcome.kind == "void" else outcome.kind
        seats = outcome.seats
        for faction, held in (self.strongholds or {}).items():
            if faction not in (seat.faction for seat in seats):
                raise Refused(f"{faction_name(faction)} does not sit at table {outcome.round}.{outcome.table}.")
            seats = tuple(replace(seat, strongholds=held) if seat.faction == faction else seat for seat in seats)
        turn = outcome.turn if self.turn is None else self.turn
        return replace(outcome, winners=winners, kind=kind, turn=turn, seats=seats)


def amend(
    open_games: OpenGames, tournament_id: str, said: str, changes: Changes, by: By, now: datetime, *,
    dry_run: bool = False,
) -> Amended:  # fmt: skip
    """Give a table a new version of its result. Refused without a reason, for a table that has none, and for a result
    that cannot be."""
    _require_why(by)
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        table = _decidable(conn, tournament, said, by)
        before = results.newest(conn, tournament_id).get(table.place)
        if before is None:
            raise Refused(
                f"Table {written(table)} has no result that could be amended; its game goes on. It gets one when the "
                "game ends, or by `mentat tournament adjudicate`."
            )
        changed = changes.made_in(before.outcome)
        if changed == before.outcome:
            raise Refused(f"That is the result of table {written(table)} already; nothing was changed.")
        drawn = drawn_before(conn, tournament)
        state = "void" if changed.kind == "void" else "finished" if table.state == "void" else table.state
        kept = write(conn, open_games, tournament, table, changed, by, now, state)
        decided(conn, open_games, tournament, table, now, upheld=True, why=by.why)
        differs = what_differs(conn, tournament, drawn, now, by)
        promote(conn, open_games, tournament, now)
    return Amended(kept, None, differs)


def void(
    open_games: OpenGames, tournament_id: str, said: str, by: By, now: datetime, *, replay: bool = False,
    dry_run: bool = False,
) -> Amended:  # fmt: skip
    """Let a table count for nothing. A game that goes on may go on as a friendly one; with ``replay`` it ends, and
    another with the same seats is planned in its round."""
    _require_why(by)
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        table = _decidable(conn, tournament, said, by)
        if table.state == "void":
            raise Refused(f"Table {written(table)} is void already.")
        kept = results.newest(conn, tournament_id).get(table.place)
        outcome = kept.outcome if kept else of_game(conn, table, now)
        drawn = drawn_before(conn, tournament)
        nobody = replace(outcome, kind="void", winners=(), how="")
        result = write(conn, open_games, tournament, table, nobody, by, now, "void")
        if replay:
            end_at_once(conn, open_games, table.game_id, "void", (), now)
        again = _play_again(conn, open_games, table, now) if replay else None
        words = f"table {written(table)}" + (f", again as {written(again)}" if again else "")
        acts.add(conn, tournament_id, now, "void", words, who=by.address, right=by.right, why=by.why)
        decided(conn, open_games, tournament, table, now, upheld=True, why=by.why)
        differs = what_differs(conn, tournament, drawn, now, by)
        promote(conn, open_games, tournament, now)
    return Amended(result, again, differs)


def _require_why(by: By) -> None:
    if not by.why.strip():
        raise Refused("A result is changed for a reason that everybody may read: say it with --why.")


def _decidable(conn: Connection, tournament: Tournament, said: str, by: By) -> RoundTable:
    table = table_named(conn, tournament.id, said)
    require_right(conn, tournament.id, by, "director", "arbiter", "deputy")
    require_unconcerned(conn, table, by)
    if tournament.state == "finished":
        raise Refused(f"{tournament.id} is finished, its secret is published, and its results stand.")
    if not table.game_id:
        raise Refused(f"The game of table {written(table)} has not begun; it has no result.")
    return table


def _play_again(conn: Connection, open_games: OpenGames, table: RoundTable, now: datetime) -> RoundTable:
    """Another table of the round with the same seats, for those who sit there still."""
    held = rows.now_sitting(conn, table.tournament_id, table.round, table.number)
    number = max(each.number for each in rows.tables(conn, table.tournament_id, table.round)) + 1
    again = RoundTable(table.tournament_id, table.round, number, table.size, deadline=table.deadline)
    seats = [
        rows.Tenure(table.tournament_id, table.round, number, each.dot, each.entrant, faction=each.faction)
        for each in held
        if each.entrant
    ]
    rows.add_tables(conn, [again], seats)
    told = [say("tournament.result.replay", new=written(again))]
    subject = say("tournament.result.subject", table=written(table))
    for entrant in players(conn, table):
        tell(conn, open_games.writer, entrant, now, Letter(subject, told, f"replay.{written(again)}"))
    return again
