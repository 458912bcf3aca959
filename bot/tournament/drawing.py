"""A round is drawn: who sits with whom, where, and by which faction; for anybody to compute again.

The seed follows from the secret that was committed to, the roster, and a beacon that did not exist when entries were
open. What is refused is refused before anything of the draw is known: whoever could look at several draws could choose.
For the same reason a dry run draws by a seed of its own, and shows how many tables there would be, not who sits there.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

import msgspec

from bot.competition.draws import DrawRecord, Pair, TableDrawn, apart_digest, roster_digest, round_seed
from bot.competition.outcomes import Handle
from bot.competition.progress import Next, Waits
from bot.competition.ratings import START
from bot.competition.seating.bounds import least_apart, too_many
from bot.competition.seating.byes import byes, too_soon
from bot.competition.seating.draw import draw as seat
from bot.competition.seating.ladder import ready_tables
from bot.competition.seating.leagues import NoLeague, divisions
from bot.competition.seating.lots import lot
from bot.competition.seating.sizes import SEATS, NoTables, sizes
from bot.competition.settings import TournamentSettings
from bot.competition.standings.record import STAGES
from bot.competition.verifying import wishes
from bot.games.open_games import OpenGames
from bot.store.between_tables import played_unknown
from bot.store.database import Connection
from bot.store.tournaments import acts, entrants, papers, rounds, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rounds import Round, RoundTable, Tenure
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import progress, standing, waiting_list
from bot.tournament.desk import DIRECTOR, By, Refused, acting
from bot.tournament.draw_letters import tell_draw
from bot.tournament.making import legal, require_frozen
from bot.tournament.places import require_right
from bot.tournament.seasons import as_last_season_left

BY_RATING = ("heat", "league", "ladder")
"""Rounds for which entrants are ranked by their rating at entry, and not by the standings."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a director says of a draw. ``number``: the round, 0 for whichever is next; ``no_beacon``: go without the one
    that was announced, which the record says for ever; ``despite_apart``: even if pairs sit together that are kept
    apart. ``sit_out`` and ``standbys`` make the numbers come out even; ``sit_out_again``: even
    who sat out before while others have not. ``by_itself``: nobody asked, the calendar found
    enough who are free; while others play, whoever has met waits for them."""

    number: int = 0
    beacon: str = ""
    no_beacon: bool = False
    without_unconfirmed: bool = False
    despite_apart: bool = False
    sit_out: tuple[Handle, ...] = ()
    sit_out_again: bool = False
    standbys: tuple[Handle, ...] = ()
    by_itself: bool = False


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was drawn: the rounds and their record; ``already``: it had been before, and nothing was done. ``trial``: by
    another seed, as a dry run does."""

    rounds: tuple[int, ...]
    record: DrawRecord
    already: bool = False
    trial: bool = False


def draw(
    open_games: OpenGames, tournament_id: str, now: datetime, asked: Asked = Asked(), *, by: By = DIRECTOR,
    dry_run: bool = False,
) -> Drawn:  # fmt: skip
    """Close the entries and draw what comes next; rounds that are played at the same time are drawn together. Refused,
    with what would be possible, where it cannot be."""
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        require_frozen(tournament)
        if tournament.state not in ("open", "drawn", "running"):
            raise Refused(f"{tournament_id} is {tournament.state}, and cannot be drawn. {legal(tournament)}")
        if before := _drawn_before(conn, tournament, asked.number):
            return before
        if tournament.state == "open" and tournament.settings.format != "ladder":
            _require_confirmed(conn, tournament, asked)
            tournament = _close_entries(conn, tournament, now)
        _let_play(conn, tournament, asked.standbys)
        comes = _next(conn, tournament, asked.number)
        if comes is None:
            last = rounds.rounds(conn, tournament_id)[-1]
            return _again(conn, tournament, last)
        beacon = _beacon(open_games, tournament, now, asked)
        made = _seated(conn, open_games, tournament, comes, beacon, now, asked, trial=dry_run)
        _write(conn, tournament, made, comes, now)
        changed = {"state": "drawn"} if tournament.state == "open" else {}
        tournaments.touch(conn, tournament_id, beacon=beacon, **changed)
        words = _words(made, tournament)
        acts.add(conn, tournament_id, now, "draw", words, who=by.address, right=by.right, why=by.why)
        tell_draw(conn, open_games, tournaments.find(conn, tournament_id), made, now)
        return Drawn(made.rounds, made, trial=dry_run)


# --- what can be drawn -----------------------------------------------------------------------------------------------


def _drawn_before(conn: Connection, tournament: Tournament, number: int) -> Drawn | None:
    found = next((each for each in rounds.rounds(conn, tournament.id) if each.number == number and each.draw), None)
    return _again(conn, tournament, found) if found else None


def _again(conn: Connection, tournament: Tournament, drawn: Round) -> Drawn:
    record = standing.draw_of(drawn)
    assert record is not None, "a round that is there was drawn"
    return Drawn(record.rounds, record, already=True)


def _next(conn: Connection, tournament: Tournament, number: int) -> Next | None:
    """What comes next; None where the last that was drawn has not begun. Refused where nothing can come now."""
    comes = progress.following(conn, tournament)
    every = rounds.rounds(conn, tournament.id)
    waiting = [each.number for each in every if each.state == "drawn"]
    if isinstance(comes, Next):
        if number and number not in comes.numbers:
            named = ", ".join(map(str, comes.numbers))
            raise Refused(f"Round {number} of {tournament.id} cannot be drawn now; what comes next is round {named}.")
        return comes
    if comes == "finished":
        raise Refused(f"{tournament.id} has no round left to draw. {legal(tournament)}")
    if waiting and not number:
        return None
    assert isinstance(comes, Waits), "what comes next, waits, or is the end"
    if comes.rounds:
        named = ", ".join(map(str, comes.rounds))
        raise Refused(
            f"Nothing can be drawn before round {named} of {tournament.id} is closed; "
            f"`mentat tournament round {tournament.id} {comes.rounds[0]} show` says what it waits for."
        )
    raise Refused(f"Fewer than six are free in {tournament.id} for another table; it is drawn when six are.")


def _require_confirmed(conn: Connection, tournament: Tournament, asked: Asked) -> None:
    unconfirmed = [each.handle for each in entrants.of_tournament(conn, tournament.id, ["entered"])]
    if unconfirmed and not asked.without_unconfirmed:
        raise Refused(
            f"{len(unconfirmed)} {'has' if len(unconfirmed) == 1 else 'have'} not confirmed that they enter, and would "
            f"not be drawn: {', '.join(unconfirmed)}. "
            "Wait for them, or say --without-unconfirmed."
        )


def _close_entries(conn: Connection, tournament: Tournament, now: datetime) -> Tournament:
    if tournament.until is None or tournament.until > now:
        tournaments.touch(conn, tournament.id, until=now)
    waiting_list.end_invitations(conn, tournament.id)
    return tournaments.find(conn, tournament.id)


def _let_play(conn: Connection, tournament: Tournament, standbys: Sequence[Handle]) -> None:
    """Some who are on standby play, so that the numbers come out even."""
    for handle in standbys:
        found = _named(conn, tournament, handle)
        if found.state == "standby":
            entrants.change(conn, tournament.id, found.number, state="confirmed", standby=False)
        elif found.state not in progress.ABLE:
            raise Refused(f"{found.handle} is {found.state}, and not on standby.")


def _named(conn: Connection, tournament: Tournament, handle: Handle) -> Entrant:
    found = entrants.find(conn, tournament.id, handle)
    if found is None:
        raise Refused(f"{tournament.id} has no entrant {handle[:20]!r}; name them by handle, like E012.")
    return found


# --- the beacon ------------------------------------------------------------------------------------------------------


def _beacon(open_games: OpenGames, tournament: Tournament, now: datetime, asked: Asked) -> str:
    """The text of the beacon, "" for none. Refused for another text than before, for one that was not announced or is
    not known yet, and where the announced one is missing."""
    settings, said = tournament.settings, " ".join(asked.beacon.split())
    if said and asked.no_beacon:
        raise Refused("Say either --beacon TEXT or --no-beacon.")
    if tournament.beacon:
        if said not in ("", tournament.beacon):
            raise Refused(f"The beacon of {tournament.id} is {tournament.beacon!r}, and no other can take its place.")
        return tournament.beacon
    if not settings.beacon:
        if said:
            raise Refused(f"No beacon was announced for {tournament.id} when it was opened; draw it without --beacon.")
        return ""
    if asked.no_beacon or _went_without(tournament, open_games):
        return ""
    today = f"{now.astimezone(open_games.settings.mentat.timezone):%Y-%m-%d}"
    if today < settings.beacon_date:
        raise Refused(
            f"The beacon of {tournament.id} ({settings.beacon}) comes to be on {settings.beacon_date}, which is not "
            "yet: draw then, or say --no-beacon, which stands in the record for ever."
        )
    if not said:
        raise Refused(
            f"The beacon is missing: say --beacon with {settings.beacon}, of {settings.beacon_date}; or --no-beacon, "
            "which stands in the record for ever."
        )
    return said


def _went_without(tournament: Tournament, open_games: OpenGames) -> bool:
    """Whether an earlier round was drawn without the beacon: then the others are too."""
    return tournament.state in ("drawn", "running")


# --- who sits where --------------------------------------------------------------------------------------------------


def _seated(
    conn: Connection, open_games: OpenGames, tournament: Tournament, comes: Next, beacon: str, now: datetime,
    asked: Asked, *, trial: bool,
) -> DrawRecord:  # fmt: skip
    settings = tournament.settings
    known = {each.handle: each for each in entrants.of_tournament(conn, tournament.id)}
    out = {_named(conn, tournament, handle).handle for handle in asked.sit_out}
    ranked = [handle for handle in comes.who if handle not in out]
    history = _history(conn, tournament, now)
    earlier = [record for each in rounds.rounds(conn, tournament.id) if (record := _first_draw(each))]
    before = byes(earlier, set(comes.who))
    again = too_soon(out & set(comes.who), ranked, before) if comes.kind not in STAGES else []
    if again and not asked.sit_out_again:
        raise Refused(
            f"{', '.join(again)} sat out before, and somebody who would play has not as often: let them sit out, or "
            "say --sit-out-again."
        )
    if comes.kind in BY_RATING:
        everybody = roster_digest(sorted(ranked, key=lambda handle: known[handle].number))
        drawn = round_seed("a trial" if trial else tournament.secret, comes.numbers[0], everybody, beacon)
        ranked.sort(key=lambda handle: (-_rating(known[handle]), lot(drawn, handle)))
    if comes.kind == "league":
        ranked = as_last_season_left(conn, settings, ranked, known, now)
    if comes.kind == "ladder":
        ranked = _ladder(conn, tournament, ranked, known, history)
    ranked, left = _that_fit(settings, comes, ranked, rolling=bool(settings.rounds.load and history))
    roster = tuple(sorted(ranked, key=lambda handle: known[handle].number))
    digest = roster_digest(roster)
    shown, hidden = _apart(conn, tournament, roster, known)
    record = DrawRecord(
        rounds=comes.numbers, kind=comes.kind, roster=roster, ranked=tuple(ranked), roster_digest=digest, beacon=beacon,
        apart=tuple(sorted((*shown, *hidden))),
        hours=tuple(known[h].hours for h in roster) if settings.tables.overlap_hours else (),
        sat_out=tuple(sorted(out | left, key=lambda handle: known[handle].number)),
        byes=byes(earlier, roster), history=history,
    )  # fmt: skip
    number = comes.numbers[0]
    seed = round_seed("a trial", number, digest, "") if trial else round_seed(tournament.secret, number, digest, beacon)
    made = seat(record, seed, wishes(settings))
    if made.cost.apart and not asked.despite_apart:
        raise Refused(
            f"Of the pairs that are kept apart {made.cost.apart} would sit together{_must_sit_together(made)}. "
            "Take pairs away with `mentat tournament apart … --remove`, or say --despite-apart."
        )
    if asked.by_itself and made.cost.meetings and rounds.tables(conn, tournament.id, states=["playing"]):
        raise Refused("Those who are free have met before; they wait for others.")
    if hidden:
        salt = hmac.digest(
            open_games.settings.secrets.secret.get_secret_value().encode(), f"apart {tournament.id}".encode(), "sha256"
        )
        made = msgspec.structs.replace(made, apart=tuple(shown), apart_digest=apart_digest(salt, made.apart))
    return made


def _must_sit_together(made: DrawRecord) -> str:
    """Of pairs that are kept apart, how many cannot but sit together, and why."""
    tables = len(made.tables) // len(made.rounds)
    groups = too_many(made.apart, tables)
    if made.kind == "league" or not groups:
        return ""
    least = least_apart(made.apart, tables) * len(made.rounds)
    named = "; ".join(" ".join(group) for group in groups)
    return f", and at least {least} must: all of {named} are kept apart from each other, and there are {tables} tables"


def _rating(entrant: Entrant) -> Fraction:
    return Fraction(entrant.rating or str(START))


def _that_fit(
    settings: TournamentSettings, comes: Next, ranked: Sequence[Handle], *, rolling: bool
) -> tuple[list[Handle], set[Handle]]:  # fmt: skip
    """Those who can be seated, and in a league those who are left over; where tables are seated as players come free,
    the others wait for the next. Refused with the ways out where so many do not make tables."""
    if rolling and comes.kind == "heat" and len(ranked) >= SEATS:
        return list(ranked[: len(ranked) // SEATS * SEATS]), set()
    try:
        if comes.kind == "league":
            played = sum(design.players for design in divisions(len(ranked), fours=settings.tables.fours))
            return list(ranked[:played]), set(ranked[played:])
        sizes(len(ranked), fours=settings.tables.fours)
    except NoLeague as error:
        raise Refused(str(error)) from None
    except NoTables as error:
        hints = [hint for word, hint in _WAYS_OUT.items() if any(word in way for way in error.ways)]
        raise Refused(f"{error} {' '.join(hints)}") from None
    return list(ranked), set()


_WAYS_OUT = {
    "standby": "Who is on standby plays with --standby E050.",
    "sit out": "A volunteer sits out with --sit-out E012.",
    "fours": "Settings are changed with `mentat tournament amend ID settings FILE --why …`.",
}


def _ladder(
    conn: Connection, tournament: Tournament, free: Sequence[Handle], known: dict[Handle, Entrant],
    history: Sequence[TableDrawn],
) -> list[Handle]:  # fmt: skip
    """Those of the ladder who are seated now, table by table; they are ready no more."""
    asked = {paper.entrant: paper for paper in papers.of_tournament(conn, tournament.id, "ready")}
    ready = sorted(free, key=lambda handle: asked[known[handle].number].id)
    lately = {
        frozenset((one.entrant, other.entrant))
        for table in history for one in table.seats for other in table.seats if one.entrant != other.entrant
    }  # fmt: skip
    tables = ready_tables(ready, {handle: _rating(known[handle]) for handle in ready}, lately)
    if not tables:
        raise Refused(f"No six who are ready in {tournament.id} have not met lately; they go on waiting.")
    seated = [handle for there in tables for handle in there]
    for handle in seated:
        papers.set_state(conn, asked[known[handle].number].id, "answered")
    return seated


def _first_draw(drawn: Round) -> DrawRecord | None:
    """The draw of a round, once for all that were drawn together."""
    record = standing.draw_of(drawn)
    return record if record and record.rounds[0] == drawn.number else None


def _history(conn: Connection, tournament: Tournament, now: datetime) -> tuple[TableDrawn, ...]:
    """The tables that were drawn before and count as meetings: on a ladder those of the last days."""
    found: dict[tuple[int, int], TableDrawn] = {}
    since = now - timedelta(days=tournament.settings.rounds.ladder_days)
    factions = {(t.round, t.table, t.dot): t.faction for t in rounds.tenures(conn, tournament.id) if not t.number}
    for each in rounds.rounds(conn, tournament.id):
        record = standing.draw_of(each)
        old = tournament.settings.format == "ladder" and each.opens is not None and each.opens < since
        for table in record.tables if record and not old else ():
            if table.round == each.number:
                seats = tuple(
                    msgspec.structs.replace(s, faction=factions.get((table.round, table.table, s.dot)) or s.faction)
                    for s in table.seats
                )
                found[table.round, table.table] = msgspec.structs.replace(table, seats=seats)
    return tuple(found.values())


def _apart(
    conn: Connection, tournament: Tournament, roster: Sequence[Handle], known: dict[Handle, Entrant]
) -> tuple[list[Pair], list[Pair]]:
    """The pairs of the roster that are kept apart: those that may be published, and the others."""
    handle_of = {known[handle].number: handle for handle in roster}
    shown, hidden = list[Pair](), list[Pair]()
    for pair in entrants.apart(conn, tournament.id):
        if pair.one in handle_of and pair.other in handle_of:
            (shown if pair.shown else hidden).append((handle_of[pair.one], handle_of[pair.other]))
    return shown, hidden


# --- what is kept of it ----------------------------------------------------------------------------------------------


def _write(conn: Connection, tournament: Tournament, made: DrawRecord, comes: Next, now: datetime) -> None:
    by, settings = tournament.settings.factions.by, tournament.settings
    opens = None if by == "draw" else now + timedelta(hours=settings.factions.trade_hours)
    data = msgspec.json.encode(made, order="deterministic")
    numbers = {each.handle: each.number for each in entrants.of_tournament(conn, tournament.id)}
    for number in comes.numbers:
        rounds.add_round(conn, Round(tournament.id, number, comes.kind, "drawn", opens=opens, draw=data))
    tables = [RoundTable(tournament.id, table.round, table.table, len(table.seats)) for table in made.tables]
    seats = [
        Tenure(tournament.id, table.round, table.table, seat.dot, numbers[seat.entrant], faction=seat.faction or "")
        for table in made.tables for seat in table.seats
    ]  # fmt: skip
    rounds.add_tables(conn, tables, seats)


def _words(made: DrawRecord, tournament: Tournament) -> str:
    said = [
        f"round {', '.join(map(str, made.rounds))} ({made.kind}) drawn: {len(made.roster)} entrants, "
        f"{len(made.tables)} tables",
        f"roster {made.roster_digest}",
        "its seed is told when the round is closed" if played_unknown(tournament) else f"seed {made.seed}",
    ]
    if tournament.settings.beacon and not made.beacon:
        said.append("without the beacon that was announced")
    else:
        said.append(f"beacon {made.beacon!r}" if made.beacon else "no beacon")
    if made.sat_out:
        said.append(f"sat out: {', '.join(made.sat_out)}")
    if made.apart_digest:
        said.append("computed with pairs that are kept apart, which are not published")
    return "; ".join(said)
