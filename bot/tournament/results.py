"""Results of tables: written when a game ends, protested against, confirmed, amended, withdrawn.

A result is provisional when its game ends, confirmed when nobody has protested in time, and withdrawn when the game is
rolled back. It never changes: a later version supersedes it. A wrong result gets another version; a table that cannot
count is void, or played again. Draws that were made stand, and the report says who would have played instead.

Only the arbiters whom a table does not concern learn of a protest. A result is not confirmed while a protest about it
is open. Entrants may protest until the next round is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from msgspec.structs import replace

from bot.competition import outcomes
from bot.competition.outcomes import Kind, ResultRefused, TableOutcome, require_possible_result
from bot.competition.published import TableState
from bot.competition.standings import DrawDifference
from bot.games.open_games import OpenGames
from bot.record.reader import outcome_of
from bot.store import games, ratings, tournament_rounds, tournaments
from bot.store import tournament_rounds as rows
from bot.store.database import Connection, reading, writing
from bot.store.people import who_ordered
from bot.store.tournament_rounds import Result, RoundTable
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.table.calendar import stamp
from bot.tournament.desk import (
    By,
    Refused,
    acting,
    all_players_at,
    entrants_by_number,
    find_table,
    guarded,
    local_instant,
    players_at,
    reload_table,
    require_right,
    require_unconcerned,
    table_name,
)
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.progress import draw_record, drawn_before, promote, what_differs
from bot.tournament.rounds import end_game
from bot.wording import say
from bot.wording.filters import name
from rules.components import Faction, faction_name

BY_THE_GAME = By("", "", "")
"""Nobody writes the result of a game that has ended; it is the game's own."""


def record_ended_games(open_games: OpenGames, now: datetime) -> None:
    """Write the results of all games that have ended."""
    with reading(open_games.engine) as conn:
        ended = rows.tables_to_result(conn)
    for table in ended:
        with guarded("the result", table.game_id), acting(open_games, table.tournament_id) as (conn, tournament):
            here = reload_table(conn, table)
            if here.state == "playing":
                write_result(
                    conn, open_games, tournament, here, outcome_of_game(conn, here, now), BY_THE_GAME, now, "finished"
                )


def outcome_of_game(conn: Connection, table: RoundTable, now: datetime) -> TableOutcome:
    """How the game of a table ends now, with who held its seats."""
    return with_tenures(conn, table, outcome_now(conn, table.game_id, now.astimezone(UTC).date()))


def with_tenures(conn: Connection, table: RoundTable, outcome: TableOutcome) -> TableOutcome:
    """The outcome of this table of the tournament: its round and number, who held each seat, and what they paid."""
    known = entrants_by_number(conn, table.tournament_id)
    held: dict[int, list[outcomes.Tenure]] = {}
    price: dict[int, int] = {}
    for tenure in rows.tenures_of(conn, table.tournament_id, table.round, table.number):
        price.setdefault(tenure.dot, tenure.price)
        wrote = tenure.ordered or (not tenure.last and has_ordered(conn, table, tenure))
        held.setdefault(tenure.dot, []).append(
            outcomes.Tenure(
                entrant=known[tenure.entrant].handle if tenure.entrant else "", first=tenure.first,
                last=tenure.last or max(outcome.turn, tenure.first), why=tenure.why, resigned=tenure.resigned,
                ordered=wrote and bool(tenure.entrant),
            )
        )  # fmt: skip
    seats = tuple(
        replace(seat, tenures=tuple(held.get(seat.dot, ())), price=price.get(seat.dot, 0)) for seat in outcome.seats
    )
    return replace(outcome, round=table.round, table=table.number, seats=seats)


def has_ordered(conn: Connection, table: RoundTable, tenure: rows.Tenure) -> bool:
    """Whether who holds a seat now has ever sent an order."""
    return tenure.faction in who_ordered(conn, table.game_id, tenure.since)


def write_result(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, outcome: TableOutcome, by: By,
    now: datetime, state: TableState,
) -> Result:  # fmt: skip
    """Write the next version of the result of a table and tell its players. Refused if it cannot be one."""
    try:
        require_possible_result(outcome)
    except ResultRefused as refused:
        raise Refused(str(refused)) from None
    before = tournament_rounds.newest_results(conn, tournament.id).get(table.place)
    if before is not None:
        tournament_rounds.set_result_state(conn, before, "amended")
    until = now + timedelta(hours=tournament.settings.endings.protest_hours)
    kept = tournament_rounds.add_result(
        conn, Result(tournament.id, outcome, "provisional", by.right, by.why, now, until)
    )
    rows.change_table(conn, tournament.id, table.round, table.number, state=state)
    _ask_nobody(conn, table)
    tournaments.add_act(
        conn,
        tournament.id,
        now,
        "result",
        f"table {table_name(table)}: {result_in_words(kept.outcome)}",
        who=by.address,
        right=by.right,
        why=by.why,
    )
    _tell_result(conn, open_games, table, kept, now, amended=before is not None)
    return kept


def _ask_nobody(conn: Connection, table: RoundTable) -> None:
    """Whoever is asked to take a seat of this table is so no more, and may be asked for another."""
    for paper in tournaments.papers_of(conn, table.tournament_id, "substitution"):
        if (paper.round, paper.table) == table.place:
            tournaments.set_paper_state(conn, paper.id, "gone")


def result_in_words(outcome: TableOutcome) -> str:
    """A result in a few words, for the record: "atreides + emperor, stronghold, turn 7"."""
    won = " + ".join(outcome.winners)
    return f"{won}, {outcome.kind}, turn {outcome.turn}" if won else outcome.kind


def _tell_result(
    conn: Connection, open_games: OpenGames, table: RoundTable, kept: Result, now: datetime, *, amended: bool
) -> None:  # fmt: skip
    outcome, about = kept.outcome, table_name(table)
    said = "tournament.result.won" if outcome.winners else "tournament.result.void"
    winners = [name(faction) for faction in outcome.winners]
    told = [say(said, table=about, game=table.game_id, winners=winners, kind=outcome.kind, turn=outcome.turn)]
    told += [say("tournament.result.why", why=kept.why)] if kept.why else []
    told += [say("tournament.result.amended", table=about)] if amended else []
    subject = say("tournament.result.subject", table=about)
    for entrant in players_at(conn, table):
        last = kept.stands_at
        stands = [say("tournament.result.stands", when=local_instant(last, entrant), table=about)] if last else []
        cause = f"result.{about}.{outcome.version}"
        tell(conn, open_games.writer, entrant, now, Letter(subject, [*told, *stands], cause))


def confirm_results(open_games: OpenGames, now: datetime) -> None:
    """Results stand against which nobody may protest any more; those about which a protest is open wait for it."""
    with reading(open_games.engine) as conn:
        due = tournament_rounds.results_to_confirm(conn, now)
    for result in due:
        with guarded("confirming", f"{result.tournament_id} {result.place}"):
            _confirm_result(open_games, result, now)


def _confirm_result(open_games: OpenGames, result: Result, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        if open_protests(conn, result.tournament_id, result.place):
            return
    with acting(open_games, result.tournament_id) as (conn, tournament):
        kept = tournament_rounds.newest_results(conn, tournament.id).get(result.place)
        if kept is None or kept.state != "provisional" or open_protests(conn, tournament.id, result.place):
            return
        tournament_rounds.set_result_state(conn, kept, "confirmed")
        place = "{}.{}".format(*kept.place)
        tournaments.add_act(conn, tournament.id, now, "confirm", f"table {place}, version {kept.outcome.version}")


def open_protests(conn: Connection, tournament_id: str, place: tuple[int, int]) -> list[tournaments.Paper]:
    """The protests about a table that nobody has decided."""
    every = tournaments.papers_of(conn, tournament_id, "protest")
    return [paper for paper in every if (paper.round, paper.table) == place]


def withdraw_undone_results(open_games: OpenGames, now: datetime) -> None:
    """A game was taken back after its result was written: the result is withdrawn, and its players are told."""
    with reading(open_games.engine) as conn:
        undone = rows.tables_undone(conn)
    for table in undone:
        with guarded("withdrawing a result", table.game_id), acting(open_games, table.tournament_id) as (conn, cup):
            here = reload_table(conn, table)
            kept = tournament_rounds.newest_results(conn, cup.id).get(here.place)
            if here.state != "finished" or kept is None:
                continue
            tournament_rounds.set_result_state(conn, kept, "withdrawn")
            rows.change_table(conn, cup.id, here.round, here.number, state="playing")
            about = table_name(here)
            tournaments.add_act(conn, cup.id, now, "withdraw result", f"table {about}, version {kept.outcome.version}")
            subject = say("tournament.result.withdrawn-subject", table=about)
            told = [say("tournament.result.withdrawn", table=about, game=here.game_id)]
            cause = f"withdrawn.{about}.{kept.outcome.version}"
            for entrant in players_at(conn, here):
                tell(conn, open_games.writer, entrant, now, Letter(subject, told, cause))
            tell_organisers(conn, open_games.writer, cup, now, Letter(subject, told, cause), place=here.place)


def outcome_now(conn: Connection, game_id: str, today: date) -> TableOutcome:
    """The outcome of a game that ends today, without who held its seats. One that goes on has no winners, and is
    ``void`` so far; its strongholds are those of the end of its last turn."""
    founded, seats = games.game_start(conn, game_id), games.seats_of(conn, game_id)
    seen = outcome_of(games.events_of(conn, game_id))
    found = seen.table(
        game_id, founded.ruleset, {faction: seat.dot for faction, seat in seats.items()},
        began=games.head_of(conn, game_id).day, ended=today, letters=sum(seat.letters for seat in seats.values()),
        rules=founded.options,
    )  # fmt: skip
    turn, _ = games.progress(conn, game_id)
    return replace(found, turn=found.turn if found.winners else max(1, turn))


@dataclass(frozen=True, slots=True)
class Amendment:
    """The new version of a result, the table that is played instead (None: none is), and the rounds that were drawn
    already and would have been drawn for others."""

    result: Result
    again: RoundTable | None = None
    differs: tuple[DrawDifference, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultChanges:
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


def amend_result(
    open_games: OpenGames, tournament_id: str, said: str, changes: ResultChanges, by: By, now: datetime, *,
    dry_run: bool = False,
) -> Amendment:  # fmt: skip
    """Give a table a new version of its result. Refused without a reason, for a table that has none, and for a result
    that cannot be."""
    _require_why(by)
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        table = _decidable(conn, tournament, said, by)
        before = tournament_rounds.newest_results(conn, tournament_id).get(table.place)
        if before is None:
            raise Refused(
                f"Table {table_name(table)} has no result that could be amended; its game goes on. It gets one when "
                "the game ends, or by `mentat tournament adjudicate`."
            )
        changed = changes.made_in(before.outcome)
        if changed == before.outcome:
            raise Refused(f"That is the result of table {table_name(table)} already; nothing was changed.")
        drawn = drawn_before(conn, tournament)
        state = "void" if changed.kind == "void" else "finished" if table.state == "void" else table.state
        kept = write_result(conn, open_games, tournament, table, changed, by, now, state)
        close_protests(conn, open_games, tournament, table, now, upheld=True, why=by.why)
        differs = what_differs(conn, tournament, drawn, now, by)
        promote(conn, open_games, tournament, now)
    return Amendment(kept, None, differs)


def void_table(
    open_games: OpenGames, tournament_id: str, said: str, by: By, now: datetime, *, replay: bool = False,
    dry_run: bool = False,
) -> Amendment:  # fmt: skip
    """Let a table count for nothing. A game that goes on may go on as a friendly one; with ``replay`` it ends, and
    another with the same seats is planned in its round."""
    _require_why(by)
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        table = _decidable(conn, tournament, said, by)
        if table.state == "void":
            raise Refused(f"Table {table_name(table)} is void already.")
        kept = tournament_rounds.newest_results(conn, tournament_id).get(table.place)
        outcome = kept.outcome if kept else outcome_of_game(conn, table, now)
        drawn = drawn_before(conn, tournament)
        nobody = replace(outcome, kind="void", winners=(), how="")
        result = write_result(conn, open_games, tournament, table, nobody, by, now, "void")
        if replay:
            end_game(conn, open_games, table.game_id, "void", (), now)
        again = _play_again(conn, open_games, table, now) if replay else None
        words = f"table {table_name(table)}" + (f", again as {table_name(again)}" if again else "")
        tournaments.add_act(conn, tournament_id, now, "void", words, who=by.address, right=by.right, why=by.why)
        close_protests(conn, open_games, tournament, table, now, upheld=True, why=by.why)
        differs = what_differs(conn, tournament, drawn, now, by)
        promote(conn, open_games, tournament, now)
    return Amendment(result, again, differs)


def _require_why(by: By) -> None:
    if not by.why.strip():
        raise Refused("A result is changed for a reason that everybody may read: say it with --why.")


def _decidable(conn: Connection, tournament: Tournament, said: str, by: By) -> RoundTable:
    table = find_table(conn, tournament.id, said)
    require_right(conn, tournament.id, by, "director", "arbiter", "deputy")
    require_unconcerned(conn, table, by)
    if tournament.state == "finished":
        raise Refused(f"{tournament.id} is finished, its secret is published, and its results stand.")
    if not table.game_id:
        raise Refused(f"The game of table {table_name(table)} has not begun; it has no result.")
    return table


def _play_again(conn: Connection, open_games: OpenGames, table: RoundTable, now: datetime) -> RoundTable:
    """Another table of the round with the same seats, for those who sit there still."""
    held = rows.now_sitting(conn, table.tournament_id, table.round, table.number)
    number = max(each.number for each in rows.tables_of(conn, table.tournament_id, table.round)) + 1
    again = RoundTable(table.tournament_id, table.round, number, table.size, deadline=table.deadline)
    seats = [
        rows.Tenure(table.tournament_id, table.round, number, each.dot, each.entrant, faction=each.faction)
        for each in held
        if each.entrant
    ]
    rows.add_tables(conn, [again], seats)
    told = [say("tournament.result.replay", new=table_name(again))]
    subject = say("tournament.result.subject", table=table_name(table))
    for entrant in players_at(conn, table):
        tell(conn, open_games.writer, entrant, now, Letter(subject, told, f"replay.{table_name(again)}"))
    return again


MOST_WORDS = 4_000
"""So many characters of a protest are kept."""


def file_protest(
    conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, said: str, text: str,
    now: datetime,
) -> RoundTable:  # fmt: skip
    """File a protest about the result of a table. Refused where they never sat there, where it has no result, and once
    the next round is drawn."""
    text = " ".join(text.split())[:MOST_WORDS]
    table = find_table(conn, tournament.id, said)
    if entrant.number not in {each.number for each in all_players_at(conn, table)}:
        raise Refused(f"You did not play at table {table_name(table)}; only who did can protest about it.")
    if not text:
        raise Refused(f"Say what is wrong: protest {table_name(table)}: and your reason.")
    if tournament_rounds.newest_results(conn, tournament.id).get(table.place) is None:
        raise Refused(f"Table {table_name(table)} has no result yet about which one could protest.")
    if _later_is_drawn(conn, table):
        raise Refused("The next round is drawn; protests closed with it.")
    number = tournaments.file_paper(
        conn, Paper(tournament.id, entrant.number, "protest", text, now, table.round, table.number)
    )
    tournaments.add_act(conn, tournament.id, now, "protest", f"table {table_name(table)}", audience="directors")
    subject = say("tournament.protest.subject", table=table_name(table))
    told = [say("tournament.protest.filed", handle=entrant.handle, table=table_name(table), text=text)]
    told.append(say("tournament.protest.advice", tournament=tournament.id, number=number))
    _tell_arbiters(conn, open_games, tournament, table, now, subject, told, f"protest.{number}")
    return table


def undecided_protests(conn: Connection, tournament_id: str) -> list[Paper]:
    """The protests that wait for a decision."""
    return tournaments.papers_of(conn, tournament_id, "protest")


def dismiss_protest(open_games: OpenGames, tournament_id: str, number: int, by: By, now: datetime) -> Paper:
    """Decide that a result stays as it is; who protested is told why."""
    if not by.why.strip():
        raise Refused("A protest is answered with a reason: say it with --why.")
    with acting(open_games, tournament_id, seen=by.seen) as (conn, tournament):
        found = next((paper for paper in undecided_protests(conn, tournament_id) if paper.id == number), None)
        if found is None:
            raise Refused(f"No protest {number} waits in {tournament_id}; `mentat tournament protests` names them.")
        table = find_table(conn, tournament_id, f"{found.round}.{found.table}")
        require_right(conn, tournament_id, by, "director", "arbiter", "deputy")
        require_unconcerned(conn, table, by)
        close_protests(conn, open_games, tournament, table, now, upheld=False, why=by.why, only=number)
        tournaments.add_act(
            conn, tournament_id, now, "dismiss", f"a protest about table {table_name(table)}", who=by.address,
            right=by.right, why=by.why, audience="directors",
        )  # fmt: skip
    return found


def close_protests(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, now: datetime, *, upheld: bool,
    why: str, only: int = 0,
) -> None:  # fmt: skip
    """The protests about a table are decided; who filed them are told."""
    known = entrants_by_number(conn, tournament.id)
    for paper in undecided_protests(conn, tournament.id):
        if (paper.round, paper.table) != table.place or only not in (0, paper.id):
            continue
        tournaments.set_paper_state(conn, paper.id, "answered" if upheld else "refused")
        subject = say("tournament.protest.answered", table=table_name(table))
        told = say(
            "tournament.protest.upheld" if upheld else "tournament.protest.dismissed", table=table_name(table), why=why
        )
        cause = f"protest.{table_name(table)}.{stamp(paper.at)}.decided"
        tell(conn, open_games.writer, known[paper.entrant], now, Letter(subject, [told], cause))


def _tell_arbiters(
    conn: Connection, open_games: OpenGames, tournament: Tournament, table: RoundTable, now: datetime, subject: str,
    told: list[str], cause: str,
) -> None:  # fmt: skip
    """A letter to each arbiter whom the table does not concern; to directors where there is none, and to the game
    master where there are none either."""
    free = [who for who in tournaments.rights_of(conn, tournament.id) if _unconcerned(conn, table, who.address)]
    arbiters = [who for who in free if who.right == "arbiter"] or [who for who in free if who.right == "director"]
    for who in arbiters:
        about = f"tournament.{tournament.id}.{who.address}.{cause}"
        open_games.writer.tell(conn, now, who.address, subject, told, about, who.token)
    if not arbiters:
        open_games.writer.tell_game_master(conn, now, subject, told, f"tournament.{tournament.id}.{cause}")


def _unconcerned(conn: Connection, table: RoundTable, address: str) -> bool:
    try:
        require_unconcerned(conn, table, By(address))
    except Refused:
        return False
    return True


def _later_is_drawn(conn: Connection, table: RoundTable) -> bool:
    """Whether a round was drawn that was not drawn together with the table's own."""
    later = [each for each in rows.rounds_of(conn, table.tournament_id) if each.number > table.round]
    drawn = [draw for each in later if (draw := draw_record(each)) is not None]
    return any(table.round not in draw.rounds for draw in drawn)


def update_ratings(open_games: OpenGames, now: datetime) -> None:
    """Compute the ratings anew where a result has come or gone."""
    with reading(open_games.engine) as conn:
        if not ratings.is_behind(conn):
            return
    with open_games.busy, writing(open_games.engine) as conn:
        ratings.keep_up(conn, now)
