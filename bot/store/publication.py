"""A tournament as the public, its entrants or its directors may see it, read from the database in one place.

Nobody sees addresses, time zones, waking hours, sealed papers, or the order of the waiting list. The tournament's
secret stays hidden until the end, and each act until it becomes public. Of a table in play, people see only that it
exists.

While a round is running, entrants may learn either nothing about its other tables, or only what happened at least one
complete turn ago. Everybody can read the archive, so it shows no more of a table than the round allows. Until the round
is closed, the game either has no pages (``round-end``, and always in a semifinal or final) or shows the public view one
turn late (``late``). Until a table is over, others see the entrants who were drawn for its seats, even if seats have
since changed hands.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Literal

import msgspec
from sqlalchemy import Connection, select, update

from bot.competition import published as values
from bot.competition.outcomes import Handle
from bot.competition.published import DrawRecord, Published, TableNow, TableState, clean_given_name, with_sums
from bot.competition.standings import lot_seed, standings
from bot.config.values import ArchivePolicy
from bot.press import consents_in, read_press, settings_in
from bot.store import acts, ratings, tournament_rounds, tournaments
from bot.store.acts import Audience, DeskAct
from bot.store.tables import GAME
from bot.store.tournament_rounds import Result, RoundTable, Tenure
from bot.store.tournaments import Entrant, Tournament

Viewer = Literal["everybody", "entrant", "directors"]
NO_SEAT = ("invited", "entered", "standby")
"""States of entrants without a seat. They are asked in the order of their numbers."""
_ADDRESS = re.compile(r"[^\s<>(),;:\"']+@[^\s<>(),;:\"']+")
_LONGEST_WORDS = 600


def published_tournament(
    conn: Connection, tournament_id: str, now: datetime, viewer: Viewer = "everybody"
) -> Published:
    tournament = tournaments.find_tournament(conn, tournament_id)
    over = tournament.state == "finished"
    everyone = (
        tournaments.entrants_of(conn, tournament_id)
        if viewer == "directors"
        else entrants_as_known(conn, tournament_id)
    )
    handles = {one.number: one.handle for one in everyone}
    its_rounds = _rounds(conn, tournament, handles, viewer)
    nameless = tables_named_with_round(conn, tournament) if viewer != "directors" else frozenset()
    its_results = _results(conn, tournament_id, its_rounds, viewer, nameless)
    seen = _seen(its_rounds, its_results)
    shown = [one for one in everyone if viewer == "directors" or _is_shown(one, seen)]
    listed = tuple(_entrant(one, viewer) for one in shown)
    opening, changes = ratings.of_tournament(conn, tournament_id, nameless)
    known = {one.handle for one in shown}
    its_acts = acts.acts_of(conn, tournament_id=tournament_id)
    playing = sum(table.state in ("planned", "playing") for one in its_rounds for table in one.tables)
    return with_sums(
        Published(
            tournament=tournament.id,
            settings=tournament.text,
            settings_sha256=tournament.settings_digest,
            effective=msgspec.json.decode(msgspec.json.encode(tournament.settings)),
            state=tournament.state,
            commitment=tournament.commitment,
            secret=tournament.secret if over else "",
            beacon=tournament.beacon,
            tie_breaks_changed=_changed(its_acts),
            entrants=listed,
            rounds=its_rounds,
            results=its_results,
            records=_records(conn, its_rounds, its_results),
            waiting=sum(_waits(one) and one.handle not in seen for one in everyone),
            standings=standings(
                tournament.settings,
                listed,
                its_rounds,
                its_results,
                lot_seed=lot_seed(its_rounds, tournament.commitment),
            ),
            still_playing=playing,
            opening={key: value for key, value in opening.items() if "/" in key or key in known},
            ratings=changes,
            acts=_acts(its_acts, tournament, now, viewer, _playing(its_rounds)),
        )
    )


# --- who takes part --------------------------------------------------------------------------------------------------


def _is_shown(entrant: Entrant, seen: frozenset[Handle]) -> bool:
    """Return True if others may know that an entrant takes part: the entrant must be confirmed and have a place."""
    if entrant.handle in seen:
        return True
    return entrant.state not in (*NO_SEAT, "withdrawn") and entrant.confirmed_at is not None


def _waits(entrant: Entrant) -> bool:
    """Return True if a confirmed entrant is waiting for a seat. Unconfirmed entries must not count: anybody can make
    one in another person's name, and the number would then reveal whether that person takes part."""
    return entrant.state in NO_SEAT and entrant.confirmed_at is not None


def _seen(its_rounds: Sequence[values.Round], its_results: Sequence[values.Result]) -> frozenset[Handle]:
    found: set[Handle] = set()
    for one in its_rounds:
        if one.draw is not None:
            found.update(one.draw.roster, one.draw.sat_out)
        found.update(handle for table in one.tables for _, handle in table.seats)
    for result in its_results:
        found.update(tenure.entrant for seat in result.outcome.seats for tenure in seat.tenures)
    return frozenset(found - {""})


def _entrant(entrant: Entrant, viewer: Viewer) -> values.Entrant:
    """Return an entrant as a viewer may see them. The rating with which they entered is left out if it would identify a
    person who is anonymous here but named elsewhere."""
    known = bool(entrant.shown and entrant.name) or viewer == "directors"
    return values.Entrant(
        handle=entrant.handle,
        name=clean_given_name(entrant.name) if entrant.shown or viewer == "directors" else "",
        state=entrant.state,
        standby=entrant.standby,
        rating=entrant.rating if known else "",
        reliability=entrant.reliability if known else "",
    )


# --- rounds and tables -----------------------------------------------------------------------------------------------


def _rounds(
    conn: Connection, tournament: Tournament, handles: Mapping[int, Handle], viewer: Viewer
) -> tuple[values.Round, ...]:
    there: dict[int, list[RoundTable]] = {}
    for table in tournament_rounds.tables_of(conn, tournament.id):
        there.setdefault(table.round, []).append(table)
    held: dict[tuple[int, int], list[Tenure]] = {}
    for tenure in tournament_rounds.tenures_of(conn, tournament.id):
        held.setdefault((tenure.round, tenure.table), []).append(tenure)
    every = tournament_rounds.rounds_of(conn, tournament.id)
    unknown = viewer != "directors" and played_unknown(tournament)
    open_now = {one.number for one in every if one.state != "closed"} if unknown else set()
    nameless = tables_unknown(conn, tournament) if unknown else frozenset()
    return tuple(
        values.Round(
            number=one.number,
            kind=one.kind,
            state=one.state,
            opens=_day(one.opens),
            ends=_day(one.ends),
            draw=_draw(one.draw, viewer, open_now),
            tables=tuple(
                _table(table, held.get(table.place, []), handles, viewer, unknown=table.place in nameless)
                for table in there.get(one.number, ())
            ),
        )
        for one in every
        if one.state != "planned" or viewer == "directors"
    )


def _draw(drawn: bytes, viewer: Viewer, sealed_rounds: Collection[int]) -> DrawRecord | None:
    """Return the record of a round's draw, without waking hours, which would reveal where a person lives. For
    ``sealed_rounds``, also leave out everything that could reveal the factions at the tables, even the seed."""
    if not drawn:
        return None
    record = msgspec.json.decode(drawn, type=DrawRecord)
    if not set(record.rounds).isdisjoint(sealed_rounds):
        return None
    if record.hours and viewer != "directors":
        return msgspec.structs.replace(record, hours=(), hours_sealed=True)
    return record


def _table(
    table: RoundTable, held: Sequence[Tenure], handles: Mapping[int, Handle], viewer: Viewer, *, unknown: bool
) -> TableNow:
    """Return a table as a viewer may see it. While it is in play, the viewer sees only who was drawn for it, or nobody
    if the table is ``unknown``."""
    all_of_it = viewer == "directors" or (table.state not in ("planned", "playing") and not unknown)
    seats = [tenure for tenure in held if not tenure.last] if all_of_it else drawn_for(held)
    last = {tenure.dot: tenure for tenure in (held if all_of_it else () if unknown else seats)}
    return TableNow(
        table=table.number,
        state=table.state,
        game=table.game_id,
        seats=tuple((last[dot].faction, handles.get(last[dot].entrant, "")) for dot in sorted(last)),
        last_turn=table.last_turn if all_of_it else 0,
    )


def _results(
    conn: Connection,
    tournament_id: str,
    its_rounds: Sequence[values.Round],
    viewer: Viewer,
    nameless: Collection[tuple[int, int]],
) -> tuple[values.Result, ...]:
    """Return all versions of the results of finished tables. Leave out the results of games that are being replayed
    after a rollback, and of tables whose players are not named before their round closes."""
    playing = _playing(its_rounds)
    found = tournament_rounds.result_versions(conn, tournament_id)
    withdrawn = {each.place: each.state == "withdrawn" for each in found}
    return tuple(
        _result(each)
        for each in found
        if viewer == "directors" or not ((withdrawn[each.place] and each.place in playing) or each.place in nameless)
    )


def _playing(its_rounds: Sequence[values.Round]) -> frozenset[tuple[int, int]]:
    return frozenset((one.number, table.table) for one in its_rounds for table in one.tables if table.state in GOING)


def _result(result: Result) -> values.Result:
    return values.Result(
        outcome=result.outcome, state=result.state, by=result.by, why=_public(result.why), day=result.at.date()
    )


def _records(
    conn: Connection, its_rounds: Sequence[values.Round], its_results: Sequence[values.Result]
) -> tuple[values.GameRecord, ...]:
    seen = {(one.outcome.round, one.outcome.table) for one in its_results}
    games = {table.game: (one.number, table.table) for one in its_rounds for table in one.tables if table.game}
    of = (GAME.c.id.in_(games), GAME.c.status == "over")
    found = conn.execute(select(GAME.c.id, GAME.c.record_head, GAME.c.record_lines).where(*of)).all()
    return tuple(
        values.GameRecord(
            round=games[row.id][0], table=games[row.id][1], game=row.id, head=row.record_head, lines=row.record_lines
        )
        for row in sorted(found, key=lambda row: games[row.id])
        if row.record_head and games[row.id] in seen
    )


# --- acts ------------------------------------------------------------------------------------------------------------

_MAY_SEE: Mapping[Viewer, tuple[Audience, ...]] = {
    "everybody": ("all",),
    "entrant": ("all", "entrants"),
    "directors": ("all", "entrants", "directors"),
}
NO_REASON = ("apart", "dismiss", "enter", "protest", "substitute", "vote", "withdraw")
"""Acts whose reason is confidential between a person and the directors."""


def _acts(
    found: Sequence[DeskAct],
    tournament: Tournament,
    now: datetime,
    viewer: Viewer,
    playing: Collection[tuple[int, int]],
) -> tuple[values.Act, ...]:
    """Return the acts that are public now, or all acts once the tournament has ended, each with the right that allowed
    it, but without names. They are numbered without gaps, because a gap would reveal a hidden act. If a game ended and
    was later rolled back, the acts reveal only that there was a result."""
    again = {f"table {number}.{table}" for number, table in playing} if viewer != "directors" else set()
    may_see = _MAY_SEE["directors" if tournament.state == "finished" else viewer]
    open_now = [act for act in found if act.audience in may_see or (act.opens_at is not None and act.opens_at <= now)]
    return tuple(
        values.Act(
            number=number,
            at=act.at,
            right=act.right,
            command=act.what,
            words=_public(_words(act, again), viewer),
            why="" if act.what in NO_REASON and viewer != "directors" else _public(act.why, viewer),
        )
        for number, act in enumerate(open_now, 1)
    )


def _words(act: DeskAct, again: Collection[str]) -> str:
    about = act.words.partition(":")[0]
    return about if act.what == "result" and about in again else act.words


def _changed(found: Sequence[DeskAct]) -> str:
    late = [act for act in found if act.what == tournaments.SCORING_CHANGED]
    return _public("; ".join(f"{act.words} ({act.why})" for act in late), longest=4 * _LONGEST_WORDS)


def _public(words: str, viewer: Viewer = "everybody", longest: int = _LONGEST_WORDS) -> str:
    line = clean_given_name(words, longest)
    return line if viewer == "directors" else _ADDRESS.sub("(an address)", line)


def _day(instant: datetime | None) -> date | None:
    return None if instant is None else instant.date()


Place = tuple[int, int]
"""A table's round and number."""
SeenWhen = Literal["now", "late", "round-end"]
GOING: tuple[TableState, ...] = ("planned", "playing")
FINALS = ("semifinal", "final")


@dataclass(frozen=True, slots=True)
class TablePlace:
    """A game's place in its tournament: the tournament and its title, the round and the table. ``seen`` says when
    others may see the table."""

    tournament: str
    title: str
    round: int
    table: int
    seen: SeenWhen


def place_of(conn: Connection, game_id: str) -> TablePlace | None:
    table = tournament_rounds.table_of_game(conn, game_id)
    return None if table is None else _places(conn, table.tournament_id, [table])[0]


def places(conn: Connection) -> Mapping[str, TablePlace]:
    found: dict[str, TablePlace] = {}
    for tournament in tournaments.all_tournaments(conn):
        tables = [table for table in tournament_rounds.tables_of(conn, tournament.id) if table.game_id]
        found |= zip((table.game_id for table in tables), _places(conn, tournament.id, tables), strict=True)
    return found


def _places(conn: Connection, tournament_id: str, tables: Sequence[RoundTable]) -> list[TablePlace]:
    tournament = tournaments.find_tournament(conn, tournament_id)
    open_rounds = {
        each.number: each for each in tournament_rounds.rounds_of(conn, tournament.id) if each.state != "closed"
    }
    if tournament.state in ("finished", "cancelled"):
        open_rounds.clear()

    def seen(number: int) -> SeenWhen:
        of = open_rounds.get(number)
        if of is None:
            return "now"
        return "round-end" if of.kind in FINALS else tournament.settings.tables.seen

    return [
        TablePlace(tournament.id, tournament.title, table.round, table.number, seen(table.round)) for table in tables
    ]


def policy_shown(policy: ArchivePolicy, place: TablePlace | None, *, over: bool) -> ArchivePolicy | None:
    if place is None or place.seen == "now":
        return policy
    if place.seen == "round-end":
        return None
    if over or policy.running == "hidden":
        return ArchivePolicy(policy.running, policy.delay, "public-only")
    return ArchivePolicy("delayed", max(1, policy.delay), "public-only")


def waits_for_round(conn: Connection, game_id: str, address: str) -> bool:
    """Return True if a person plays in the tournament to which a game belongs, and so must not see its tables yet.
    Unconfirmed entries do not count, because anybody can enter another person's address."""
    place = place_of(conn, game_id)
    if place is None or place.seen == "now":
        return False
    own = tournaments.entrant_of_person(conn, place.tournament, address)
    if own is None or own.confirmed_at is None:
        return False
    return own.state not in ("withdrawn", "disqualified") or _plays_on(conn, own)


def _plays_on(conn: Connection, entrant: Entrant) -> bool:
    going = {table.place for table in tournament_rounds.tables_of(conn, entrant.tournament_id, states=GOING)}
    held = tournament_rounds.now_sitting(conn, entrant.tournament_id)
    return any(each.entrant == entrant.number and (each.round, each.table) in going for each in held)


def played_unknown(tournament: Tournament) -> bool:
    return read_press(tournament.settings.press).gunboat


def named_with_round(tournament: Tournament) -> bool:
    return read_press(tournament.settings.press).names_until == "round"


def tables_unknown(conn: Connection, tournament: Tournament) -> frozenset[Place]:
    """Return the tables whose players only the directors know. In gunboat events these are the tables in play, or all
    tables of open rounds."""
    if not played_unknown(tournament):
        return frozenset()
    going = {table.place for table in tournament_rounds.tables_of(conn, tournament.id, states=GOING)}
    return frozenset(going) | tables_named_with_round(conn, tournament)


def tables_named_with_round(conn: Connection, tournament: Tournament) -> frozenset[Place]:
    """Return the tables whose players are named only when their round closes. Until then, the results of these tables
    do not name entrants."""
    if not named_with_round(tournament) or tournament.state in ("finished", "cancelled"):
        return frozenset()
    open_now = {each.number for each in tournament_rounds.rounds_of(conn, tournament.id) if each.state != "closed"}
    return frozenset(
        table.place for table in tournament_rounds.tables_of(conn, tournament.id) if table.round in open_now
    )


def tell_names(conn: Connection, tournament_id: str, number: int = 0) -> None:
    """Record that names in one round, or in every round, are no longer hidden: from now on its games name their players
    as soon as they are over."""
    for table in tournament_rounds.tables_of(conn, tournament_id, number):
        row = conn.execute(select(GAME.c.press).where(GAME.c.id == table.game_id)).one_or_none()
        if row is None or (settings := settings_in(row.press)).names_until != "round":
            continue
        press = consents_in(row.press).after(replace(settings, names_until="game").words)
        changed = {"press": press, "revision": GAME.c.revision + 1}
        conn.execute(update(GAME).where(GAME.c.id == table.game_id).values(changed))


def drawn_for(held: Sequence[Tenure]) -> list[Tenure]:
    return [tenure for tenure in held if not tenure.number]


def entrants_as_known(conn: Connection, tournament_id: str) -> list[Entrant]:
    """Return the entrants in their public states. A player who has left a table in play still counts as playing, and
    the substitute who took their seat as waiting."""
    going = {table.place for table in tournament_rounds.tables_of(conn, tournament_id, states=GOING)}
    going |= tables_named_with_round(conn, tournaments.find_tournament(conn, tournament_id))
    plays, over, sat = set[int](), set[int](), set[int]()
    for tenure in tournament_rounds.tenures_of(conn, tournament_id):
        sat.add(tenure.entrant)
        if (tenure.round, tenure.table) not in going:
            over.add(tenure.entrant)
        elif not tenure.number:
            plays.add(tenure.entrant)
    hidden = sat - plays - over
    return [
        _as_known(each, each.number in plays, each.number in hidden)
        for each in tournaments.entrants_of(conn, tournament_id)
    ]


def _as_known(entrant: Entrant, plays: bool, hidden: bool) -> Entrant:
    if entrant.state == "withdrawn" and plays:
        return replace(entrant, state="playing")
    if hidden and entrant.state in ("playing", "withdrawn"):
        return replace(entrant, state="standby")
    return entrant
