"""A tournament as everybody may know it, or its entrants, or its directors: read from the database in one place.

Left out for everybody: addresses, zones, waking hours, sealed papers, who waits for a seat in which order, the secret
before the end, acts that are not open yet, and of a table that is still played all but that it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Literal

import msgspec

from bot.competition import published as values
from bot.competition.draws import DrawRecord
from bot.competition.names import clean
from bot.competition.outcomes import Handle
from bot.competition.published import Published, TableNow
from bot.competition.standings import lot_seed, standings
from bot.competition.sums import sealed
from bot.store import between_tables, ratings
from bot.store.database import Connection
from bot.store.tournaments import acts, entrants, results, rounds, tournaments
from bot.store.tournaments.acts import Act, Audience
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.results import Result
from bot.store.tournaments.rounds import RoundTable, Tenure
from bot.store.tournaments.tournaments import Tournament

Viewer = Literal["everybody", "entrant", "directors"]
NO_SEAT = ("invited", "entered", "standby")
"""States of entrants who wait; the order of their numbers is the order in which they are asked."""
_ADDRESS = re.compile(r"[^\s<>(),;:\"']+@[^\s<>(),;:\"']+")
_LONGEST = 600


def published(conn: Connection, tournament_id: str, now: datetime, viewer: Viewer = "everybody") -> Published:
    """The tournament as somebody may see it now. UnknownTournament if there is none of that name."""
    tournament = tournaments.find(conn, tournament_id)
    over = tournament.state == "finished"
    everyone = (
        entrants.of_tournament(conn, tournament_id)
        if viewer == "directors"
        else between_tables.entrants_as_known(conn, tournament_id)
    )
    handles = {one.number: one.handle for one in everyone}
    its_rounds = _rounds(conn, tournament, handles, viewer)
    nameless = between_tables.named_with_the_round(conn, tournament) if viewer != "directors" else frozenset()
    its_results = _results(conn, tournament_id, its_rounds, viewer, nameless)
    seen = _seen(its_rounds, its_results)
    shown = [one for one in everyone if viewer == "directors" or _is_shown(one, seen)]
    listed = tuple(_entrant(one, viewer) for one in shown)
    opening, changes = ratings.of_tournament(conn, tournament_id, nameless)
    known = {one.handle for one in shown}
    its_acts = acts.of_tournament(conn, tournament_id)
    playing = sum(table.state in ("planned", "playing") for one in its_rounds for table in one.tables)
    return sealed(
        Published(
            tournament=tournament.id,
            settings=tournament.text,
            settings_sha256=tournament.settings_digest,
            state=tournament.state,
            commitment=tournament.commitment,
            secret=tournament.secret if over else "",
            beacon=tournament.beacon,
            tie_breaks_changed=_changed(its_acts),
            entrants=listed,
            rounds=its_rounds,
            results=its_results,
            waiting=sum(_waits(one) and one.handle not in seen for one in everyone),
            standings=standings(
                tournament.settings, listed, its_rounds, its_results,
                lot_seed=lot_seed(its_rounds, tournament.commitment),
            ),
            still_playing=playing,
            opening={key: value for key, value in opening.items() if "/" in key or key in known},
            ratings=changes,
            acts=_acts(its_acts, tournament, now, viewer, _playing(its_rounds)),
        )
    )  # fmt: skip


# --- who takes part --------------------------------------------------------------------------------------------------


def _is_shown(entrant: Entrant, seen: frozenset[Handle]) -> bool:
    """Whether others may know that somebody takes part: not before they have confirmed, nor while they wait."""
    if entrant.handle in seen:
        return True
    return entrant.state not in (*NO_SEAT, "withdrawn") and entrant.confirmed_at is not None


def _waits(entrant: Entrant) -> bool:
    """Whether somebody waits for a seat. An entry that nobody has confirmed does not count: anybody can write one in
    the name of another, and would see by the number whether they take part already."""
    return entrant.state in NO_SEAT and entrant.confirmed_at is not None


def _seen(its_rounds: Sequence[values.Round], its_results: Sequence[values.Result]) -> frozenset[Handle]:
    """Everybody whom a draw, a table or a result names."""
    found: set[Handle] = set()
    for one in its_rounds:
        if one.draw is not None:
            found.update(one.draw.roster, one.draw.sat_out)
        found.update(handle for table in one.tables for _, handle in table.seats)
    for result in its_results:
        found.update(tenure.entrant for seat in result.outcome.seats for tenure in seat.tenures)
    return frozenset(found - {""})


def _entrant(entrant: Entrant, viewer: Viewer) -> values.Entrant:
    """An entrant; what they were rated when they entered would tell who is nameless here and named elsewhere."""
    known = bool(entrant.shown and entrant.name) or viewer == "directors"
    return values.Entrant(
        handle=entrant.handle,
        name=clean(entrant.name) if entrant.shown or viewer == "directors" else "",
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
    for table in rounds.tables(conn, tournament.id):
        there.setdefault(table.round, []).append(table)
    held: dict[tuple[int, int], list[Tenure]] = {}
    for tenure in rounds.tenures(conn, tournament.id):
        held.setdefault((tenure.round, tenure.table), []).append(tenure)
    every = rounds.rounds(conn, tournament.id)
    unknown = viewer != "directors" and between_tables.played_unknown(tournament)
    open_now = {one.number for one in every if one.state != "closed"} if unknown else set()
    nameless = between_tables.tables_unknown(conn, tournament) if unknown else frozenset()
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
    """How a round was drawn; waking hours tell where somebody lives. Nothing of a draw that says who plays which
    faction at tables of ``sealed_rounds``: its seed alone would tell."""
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
    """A table; while it is played no more is said than who was drawn for it, and where they play ``unknown`` not even
    that."""
    all_of_it = viewer == "directors" or (table.state not in ("planned", "playing") and not unknown)
    seats = [tenure for tenure in held if not tenure.last] if all_of_it else between_tables.drawn_for(held)
    last = {tenure.dot: tenure for tenure in (held if all_of_it else () if unknown else seats)}
    return TableNow(
        table=table.number,
        state=table.state,
        game=table.game_id,
        seats=tuple((last[dot].faction, handles.get(last[dot].entrant, "")) for dot in sorted(last)),
        last_turn=table.last_turn if all_of_it else 0,
    )


def _results(
    conn: Connection, tournament_id: str, its_rounds: Sequence[values.Round], viewer: Viewer,
    nameless: Collection[tuple[int, int]],
) -> tuple[values.Result, ...]:  # fmt: skip
    """All versions of the results of tables that are over: of one whose game was taken back nothing is said while it is
    played again, nor of one whose players are named with its round."""
    playing = _playing(its_rounds)
    found = results.versions(conn, tournament_id)
    withdrawn = {each.place: each.state == "withdrawn" for each in found}
    return tuple(
        _result(each)
        for each in found
        if viewer == "directors" or not ((withdrawn[each.place] and each.place in playing) or each.place in nameless)
    )


def _playing(its_rounds: Sequence[values.Round]) -> frozenset[tuple[int, int]]:
    return frozenset(
        (one.number, table.table)
        for one in its_rounds for table in one.tables if table.state in between_tables.GOING
    )  # fmt: skip


def _result(result: Result) -> values.Result:
    return values.Result(
        outcome=result.outcome, state=result.state, by=result.by, why=_public(result.why), day=result.at.date()
    )


# --- acts ------------------------------------------------------------------------------------------------------------

_MAY_SEE: Mapping[Viewer, tuple[Audience, ...]] = {
    "everybody": ("all",),
    "entrant": ("all", "entrants"),
    "directors": ("all", "entrants", "directors"),
}
NO_REASON = ("apart", "dismiss", "enter", "protest", "substitute", "vote", "withdraw")
"""Acts whose reason is between somebody and the directors."""


def _acts(
    found: Sequence[Act], tournament: Tournament, now: datetime, viewer: Viewer, playing: Collection[tuple[int, int]]
) -> tuple[values.Act, ...]:  # fmt: skip
    """The acts that are open now (all of them at the end), by the right with which they were done, never by whom. They
    are numbered as they are shown, as a number that is missing would tell of one that is not. Of the result of a game
    that was taken back no more is said than that there was one while it is played again."""
    again = {f"table {number}.{table}" for number, table in playing} if viewer != "directors" else set()
    may_see = _MAY_SEE["directors" if tournament.state == "finished" else viewer]
    open_now = [act for act in found if act.audience in may_see or (act.opens_at is not None and act.opens_at <= now)]
    return tuple(
        values.Act(
            number=number,
            at=act.at,
            right=act.right,
            command=act.command,
            words=_public(_words(act, again), viewer),
            why="" if act.command in NO_REASON and viewer != "directors" else _public(act.why, viewer),
        )
        for number, act in enumerate(open_now, 1)
    )


def _words(act: Act, again: Collection[str]) -> str:
    about = act.words.partition(":")[0]
    return about if act.command == "result" and about in again else act.words


def _changed(found: Sequence[Act]) -> str:
    """What was changed after the first draw that may not be, with the reason."""
    late = [act for act in found if act.command == acts.SCORING_CHANGED]
    return _public("; ".join(f"{act.words} ({act.why})" for act in late), longest=4 * _LONGEST)


def _public(words: str, viewer: Viewer = "everybody", longest: int = _LONGEST) -> str:
    """Words of an act on one line, without addresses."""
    line = clean(words, longest)
    return line if viewer == "directors" else _ADDRESS.sub("(an address)", line)


def _day(instant: datetime | None) -> date | None:
    return None if instant is None else instant.date()
