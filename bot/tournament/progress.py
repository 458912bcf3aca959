"""The progress of a tournament: its standings, its next round and the players in it, its open matters, and its end."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any

import msgspec

from bot.competition import published
from bot.competition.outcomes import Handle, TableOutcome
from bot.competition.published import DrawRecord, EntrantState
from bot.competition.standings import (
    LEAST,
    SEATS,
    DrawDifference,
    Field,
    Following,
    NextRound,
    PastRound,
    RoundWaits,
    draw_difference,
    lot_seed,
    next_round,
    standings,
)
from bot.games.open_games import OpenGames, Session
from bot.store import acts, publication, tournament_rounds, tournaments
from bot.store import tournament_rounds as rows
from bot.store.database import Connection, reading
from bot.store.tournament_rounds import Round
from bot.store.tournaments import Entrant, Tournament
from bot.table.calendar import stamp
from bot.tournament import beacons, letters
from bot.tournament.desk import (
    BY_ITSELF,
    By,
    Caller,
    Refused,
    acting,
    guarded,
    hold_of,
    log_act,
    require_power,
    table_name,
)
from bot.tournament.letters import Letter, tell, tell_organisers
from bot.tournament.preparation import announced_beacon, draw_command, legal_acts
from bot.wording import say
from bot.wording.filters import listed, plural

ABLE: tuple[EntrantState, ...] = ("confirmed", "playing", "advanced", "out")
"""The states of the entrants who may still be drawn. An entrant who is out may return to fill a place."""

SELECTIVE_ROUNDS = ("semifinal", "final", "knockout")
"""The kinds of round that not everybody plays."""


def round_to_come(conn: Connection, tournament: Tournament) -> Following:
    past = [PastRound(each.number, each.kind, each.state) for each in rows.rounds_of(conn, tournament.id)]
    return next_round(tournament.settings, past, _field(conn, tournament, None))


def _field(conn: Connection, tournament: Tournament, upto: int | None) -> Field:
    able = {each.handle for each in tournaments.entrants_of(conn, tournament.id, ABLE)}
    order = [row.entrant for row in current_standings(conn, tournament, upto) if row.entrant in able]
    order += sorted(able - set(order))
    every = [each for each in rows.rounds_of(conn, tournament.id) if upto is None or each.number <= upto]
    last = max((each.number for each in every), default=0)
    found = tournament_rounds.newest_results(conn, tournament.id)
    won = winners_of([kept.outcome for (number, _), kept in found.items() if number == last])
    seated = {tenure.entrant for tenure in rows.tenures_of(conn, tournament.id) if tenure.entrant}
    return Field(tuple(order), won, len(seated), _busy(conn, tournament))


def _busy(conn: Connection, tournament: Tournament) -> frozenset[Handle]:
    known = {each.number: each.handle for each in tournaments.entrants_of(conn, tournament.id)}
    if tournament.settings.format == "ladder":
        ready = {paper.entrant for paper in tournaments.papers_of(conn, tournament.id, "ready")}
        return frozenset(handle for number, handle in known.items() if number not in ready)
    wanted = tournament.settings.rounds
    if not wanted.load:
        return frozenset()
    going = {table.place for table in rows.tables_of(conn, tournament.id, states=("planned", "playing"))}
    sits, sat = dict.fromkeys(known, 0), dict.fromkeys(known, 0)
    for tenure in rows.tenures_of(conn, tournament.id):
        if tenure.entrant and not tenure.number:
            sat[tenure.entrant] += 1
        if tenure.entrant and not tenure.last and (tenure.round, tenure.table) in going:
            sits[tenure.entrant] += 1
    return frozenset(known[n] for n in known if sits[n] >= wanted.load or sat[n] >= wanted.heats)


# --- results after a draw --------------------------------------------------------------------------------------------


def drawn_before(conn: Connection, tournament: Tournament) -> Mapping[int, tuple[Handle, ...]]:
    every = rows.rounds_of(conn, tournament.id)
    past = [PastRound(each.number, each.kind, "closed") for each in every]
    found: dict[int, tuple[Handle, ...]] = {}
    for place, each in enumerate(every):
        if not each.draw or not place or each.kind not in (*SELECTIVE_ROUNDS, "swiss"):
            continue
        comes = next_round(tournament.settings, past[:place], _field(conn, tournament, every[place - 1].number))
        if isinstance(comes, NextRound):
            found[each.number] = comes.who
    return found


def what_differs(
    session: Session, tournament: Tournament, before: Mapping[int, tuple[Handle, ...]], by: By
) -> tuple[DrawDifference, ...]:
    later = drawn_before(session.conn, tournament)
    found = [draw_difference(number, before[number], later.get(number, ())) for number in before]
    differs = tuple(each for each in found if each is not None)
    for each in differs:
        log_act(session, tournament.id, "draw stands", each.words, by)
    return differs


# --- advancement -----------------------------------------------------------------------------------------------------


def promote(session: Session, tournament: Tournament, told: dict[int, str] | None = None) -> Following:
    """If not everybody plays the next round, record who plays and who is out, and tell them if they do not know yet. If
    somebody withdraws later, this is done again, and the next person in the standings moves up. If ``told`` is given,
    it receives the news for each entrant instead of a letter, because the caller writes to them anyway."""
    comes = round_to_come(session.conn, tournament)
    if not isinstance(comes, NextRound) or comes.kind not in SELECTIVE_ROUNDS or comes.numbers == (1,):
        return comes
    places = {row.entrant: row.rank for row in current_standings(session.conn, tournament)}
    changed = []
    for entrant in tournaments.entrants_of(session.conn, tournament.id, ABLE):
        state: EntrantState = "advanced" if entrant.handle in comes.who else "out"
        if entrant.state == state:
            continue
        tournaments.change_entrant(session.conn, tournament.id, entrant.number, state=state)
        changed.append(f"{entrant.handle} {state}")
        words = say(f"tournament.progress.{state}", round=comes.kind, place=places.get(entrant.handle, 0))
        if told is not None:
            told[entrant.number] = words
            continue
        subject = say("tournament.progress.subject", title=tournament.title)
        cause = f"progress.{comes.numbers[0]}.{state}.{stamp(session.now)}"
        tell(session, entrant, Letter(subject, [words], cause))
    if changed:
        log_act(session, tournament.id, "advance", f"{comes.kind}: {', '.join(changed)}")
    return comes


# --- the end ---------------------------------------------------------------------------------------------------------


def finish_due(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        running = [each for each in tournaments.all_tournaments(conn, "running") if _ends_at_once(conn, each, now)]
        going = [each for each in running if may_finish(conn, each)]
    for each in going:
        with guarded("finishing", each.id), acting(Caller(open_games, now), each.id) as (session, tournament):
            if tournament.state == "running" and may_finish(session.conn, tournament):
                _finish(session, tournament, BY_ITSELF)


def _ends_at_once(conn: Connection, tournament: Tournament, now: datetime) -> bool:
    """Return True if a tournament ends together with its last round. A tournament that runs automatically ends a day
    later (`automatic`)."""
    by_itself = tournament.settings.is_automatic("finish") and tournament.settings.format != "ladder"
    return not by_itself and not hold_of(conn, tournament.id, now, "finish")


def finish_by_itself(session: Session, tournament: Tournament) -> None:
    if not may_finish(session.conn, tournament):
        raise Refused(f"Something in {tournament.id} is still open.")
    _finish(session, tournament, BY_ITSELF)


def finish_tournament(caller: Caller, tournament_id: str) -> None:
    """End a tournament that has no last round (a ladder), or end it before its last round. Raise Refused while a round
    is being played."""
    with acting(caller, tournament_id) as (session, tournament):
        require_power(session.conn, tournament_id, caller.by, "finish")
        if tournament.state == "finished":
            return
        if tournament.state != "running":
            raise Refused(f"{tournament_id} is {tournament.state}; only a running tournament can be finished.")
        still = [each.number for each in rows.rounds_of(session.conn, tournament_id) if each.state != "closed"]
        if still:
            raise Refused(
                f"Round {still[0]} of {tournament_id} is not closed; `mentat tournament round {tournament_id} "
                f"{still[0]} close` closes it."
            )
        if open_now := tournaments.papers_of(session.conn, tournament_id, "protest"):
            raise Refused(
                f"A protest about table {open_now[0].round}.{open_now[0].table} is open; the results of a finished "
                f"tournament are final. `mentat tournament protests {tournament_id}` shows it."
            )
        if again := rows.tables_of(session.conn, tournament_id, states=("planned", "playing")):
            raise Refused(f"Table {table_name(again[0])} is being replayed; it must end before {tournament_id} does.")
        _finish(session, tournament, caller.by)


def may_finish(conn: Connection, tournament: Tournament) -> bool:
    past = rows.rounds_of(conn, tournament.id)
    if not past or any(each.state != "closed" for each in past):
        return False
    if rows.tables_of(conn, tournament.id, states=("planned", "playing")):
        return False  # a table of a closed round is being replayed
    if tournaments.papers_of(conn, tournament.id, "protest"):
        return False
    if any(kept.state == "provisional" for kept in tournament_rounds.newest_results(conn, tournament.id).values()):
        return False
    return round_to_come(conn, tournament) == "finished"


def _finish(session: Session, tournament: Tournament, by: By) -> None:
    tournaments.touch(session.conn, tournament.id, state="finished", finished_at=session.now)
    final = current_standings(session.conn, tournament)
    words = f"finished; the secret is {tournament.secret}"
    log_act(session, tournament.id, "finish", words, by)
    known = {each.handle: each for each in tournaments.entrants_of(session.conn, tournament.id)}
    for entrant in known.values():
        if entrant.state in ABLE:
            tournaments.change_entrant(session.conn, tournament.id, entrant.number, state="out")
    digest = publication.published_tournament(session.conn, tournament.id, session.now).sum
    first = [known[row.entrant].public_name for row in final[:3]]
    places = {row.entrant: row for row in final}
    subject = say("tournament.progress.finished-subject", title=tournament.title)
    told = [
        say("tournament.progress.finished", title=tournament.title, first=first),
        say(
            "tournament.progress.secret",
            secret=tournament.secret,
            commitment=tournament.commitment,
            tournament=tournament.id,
        ),
        say("tournament.progress.sum", sum=digest),
    ]
    for handle, entrant in known.items():
        if row := places.get(handle):
            own = say("tournament.progress.own", place=row.rank, of=len(final), points=row.points)
            tell(session, entrant, Letter(subject, [told[0], own, *told[1:]], "finished"))
    tell_organisers(session, tournament, Letter(subject, told, "finished"))


def draw_record(drawn: Round) -> DrawRecord | None:
    return msgspec.json.decode(drawn.draw, type=DrawRecord) if drawn.draw else None


def current_standings(
    conn: Connection,
    tournament: Tournament,
    after: int | None = None,
    nameless: Collection[tuple[int, int]] = (),
    instead: TableOutcome | None = None,
) -> tuple[published.Standing, ...]:
    """Return the standings after the round ``after``, or after all results. The results of ``nameless`` tables are left
    out. If ``instead`` is given, this outcome replaces the result of its table."""
    known = [
        published.Round(number=each.number, kind=each.kind, state=each.state, draw=draw_record(each))
        for each in tournament_rounds.rounds_of(conn, tournament.id)
    ]
    taking_part = [
        published.Entrant(handle=each.handle, state=each.state, standby=each.standby)
        for each in tournaments.entrants_of(conn, tournament.id)
    ]
    found = [
        published.Result(outcome=each.outcome, state=each.state)
        for place, each in tournament_rounds.newest_results(conn, tournament.id).items()
        if place not in nameless and (instead is None or place != (instead.round, instead.table))
    ]
    found += [published.Result(outcome=instead, state="confirmed")] if instead else []
    lot = lot_seed(known, tournament.commitment)
    return standings(tournament.settings, taking_part, known, found, lot_seed=lot, after=after)


def winners_of(outcomes: Sequence[TableOutcome]) -> frozenset[Handle]:
    return frozenset(
        seat.tenures[-1].entrant
        for outcome in outcomes
        for seat in outcome.seats
        if seat.faction in outcome.winners and seat.tenures and seat.tenures[-1].entrant
    )


Viewer = str
"""``director``, ``public``, or the handle of an entrant."""


@dataclass(frozen=True, slots=True)
class OpenMatter:
    what: str
    command: str = ""


def find_viewer(conn: Connection, tournament: Tournament, said: str) -> Viewer:
    if said in ("director", "public"):
        return said
    found = tournaments.find_entrant(conn, tournament.id, said)
    if found is None:
        raise Refused(f"--as {said[:40]!r}: a viewer is director, public, or an entrant's handle in {tournament.id}.")
    return found.handle


def tournament_view(
    conn: Connection, tournament: Tournament, now: datetime, viewer: Viewer = "director", number: int = 0
) -> dict[str, Any]:
    """Return a viewer's view of a tournament. No view contains addresses, reasons or papers. Only directors see open
    matters and unconfirmed entrants. For a table still in play, everybody else sees only that it is running."""
    every = tournament_rounds.rounds_of(conn, tournament.id)
    if number and number not in {each.number for each in every}:
        raise Refused(f"{tournament.id} has no round {number}; it has {len(every)}.")
    everybody = tournaments.entrants_of if viewer == "director" else publication.entrants_as_known
    known = {each.number: each for each in everybody(conn, tournament.id)}
    seen: dict[str, Any] = {
        "tournament": tournament.id,
        "title": tournament.title,
        "state": tournament.state,
        "format": tournament.settings.format,
        "commitment": tournament.commitment,
        "settings_sha256": tournament.settings_digest,
        "beacon": _beacon_in_words(conn, tournament),
        "until": tournament.until,
        "entrants": _counts(known),
        "rounds": [_round_view(conn, tournament, each, known, viewer) for each in every if number in (0, each.number)],
        "ends_about": forecast_end(conn, tournament, now),
        "next": legal_acts(tournament),
    }
    if viewer == "director":
        seen["revision"] = tournament.revision
        seen["waits"] = [{"what": each.what, "command": each.command} for each in open_matters(conn, tournament, now)]
        seen["rights"] = {
            who.right: sum(1 for other in acts.rights_of(conn, tournament_id=tournament.id) if other.right == who.right)
            for who in acts.rights_of(conn, tournament_id=tournament.id)
        }
    elif viewer != "public":
        own = next(each for each in known.values() if each.handle == viewer)
        seen["you"] = {"handle": own.handle, "state": own.state, "standby": own.standby}
    return seen


def _beacon_in_words(conn: Connection, tournament: Tournament) -> str:
    if frozen := beacons.frozen_draw(conn, tournament.id):
        return f"that of round {frozen.round} will be {frozen.source}, of {frozen.at:%Y-%m-%d %H:%M}Z"
    return tournament.beacon or announced_beacon(tournament)


def _counts(known: Mapping[int, Entrant]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for entrant in known.values():
        counts[entrant.state] = counts.get(entrant.state, 0) + 1
    return counts


def _round_view(
    conn: Connection, tournament: Tournament, each: Round, known: Mapping[int, Entrant], viewer: Viewer
) -> dict[str, Any]:
    held = tournament_rounds.tenures_of(conn, tournament.id, each.number)
    turns = {going.table.place: going.turn for going in tournament_rounds.tables_playing(conn, tournament.id)}
    decided = tournament_rounds.newest_results(conn, tournament.id)
    tables = []
    unknown = publication.tables_unknown(conn, tournament) if viewer != "director" else frozenset()
    for table in tournament_rounds.tables_of(conn, tournament.id, each.number):
        every = [tenure for tenure in held if tenure.table == table.number]
        there = [tenure for tenure in every if not tenure.last]
        own = any(known[t.entrant].handle == viewer for t in there if t.entrant)
        if not (own or viewer == "director") and table.state in publication.GOING:
            there = publication.drawn_for(every)
        if table.place in unknown:
            there = [t for t in there if t.entrant and known[t.entrant].handle == viewer]
        shown_table: dict[str, Any] = {
            "table": table_name(table),
            "state": table.state,
            "game": table.game_id,
            "seats": [
                {"entrant": known[t.entrant].public_name if t.entrant else "", "dot": t.dot, "faction": t.faction}
                for t in there
            ],
        }
        if (viewer == "director" or own) and table.place in turns:
            shown_table["turn"] = turns[table.place]
        if kept := decided.get(table.place):
            open_to_all = each.state == "closed" or viewer == "director" or own
            if open_to_all:
                shown_table["winners"] = list(kept.outcome.winners)
                shown_table["kind"] = kept.outcome.kind
        tables.append(shown_table)
    return {
        "round": each.number,
        "kind": each.kind,
        "state": each.state,
        "opens": each.opens,
        "ends": each.ends,
        "tables": tables,
    }


# --- open matters ----------------------------------------------------------------------------------------------------


def open_matters(conn: Connection, tournament: Tournament, now: datetime) -> list[OpenMatter]:
    found: list[OpenMatter] = []
    for each in tournament_rounds.rounds_of(conn, tournament.id):
        planned = tournament_rounds.tables_of(conn, tournament.id, each.number, ["planned"])
        going = tournament_rounds.tables_of(conn, tournament.id, each.number, ["playing"])
        if each.state == "drawn" and each.opens is not None:
            by = tournament.settings.factions.by
            words = f"round {each.number}: factions ({by}) until {each.opens:%Y-%m-%d %H:%M}Z"
            found.append(OpenMatter(words))
        elif planned:
            command = f"mentat tournament start {tournament.id} --round {each.number}"
            found.append(OpenMatter(f"round {each.number}: {_tables(planned, 'has', 'have')} not begun", command))
        if each.state == "playing" and going:
            until = f", until {each.ends:%Y-%m-%d %H:%M}Z" if each.ends else ""
            found.append(OpenMatter(f"round {each.number}: {_tables(going, 'is', 'are')} playing{until}"))
        if each.state == "playing" and not going and not planned:
            command = f"mentat tournament round {tournament.id} {each.number} close"
            found.append(OpenMatter(f"round {each.number}: every table has its result", command))
    for protest in tournaments.papers_of(conn, tournament.id, "protest"):
        found.append(OpenMatter(f"a protest about table {protest.round}.{protest.table} waits for an arbiter"))
    unconfirmed = tournaments.entrants_of(conn, tournament.id, ["entered"])
    if unconfirmed and tournament.state == "open":
        have = "has" if len(unconfirmed) == 1 else "have"
        found.append(OpenMatter(f"{len(unconfirmed)} {have} not confirmed: {', '.join(e.handle for e in unconfirmed)}"))
    if gone := [each.handle for each in tournaments.entrants_of(conn, tournament.id) if letters.is_unreachable(each)]:
        found.append(OpenMatter(f"mail to {', '.join(gone)} bounces; nothing is sent there until they write"))
    return found + _next_matter(conn, tournament, now)


def _tables(several: Sequence[object], one: str, more: str) -> str:
    return f"{plural(len(several), 'table')} {one if len(several) == 1 else more}"


def _next_matter(conn: Connection, tournament: Tournament, now: datetime) -> list[OpenMatter]:
    if tournament.state not in ("open", "running"):
        return [OpenMatter(legal_acts(tournament))] if tournament.state == "draft" else []
    comes = round_to_come(conn, tournament)
    command = draw_command(conn, tournament)
    if isinstance(comes, NextRound):
        least = LEAST - tournament.settings.tables.fours
        too_few = tournament.state == "open" and len(comes.who) < least
        if tournament.state == "open" and tournament.until is not None:
            close = "closed" if tournament.until <= now else "close"
            closes = f"entries {close} on {tournament.until:%Y-%m-%d %H:%M}Z; {len(comes.who)} are in"
            return [OpenMatter(closes, "" if too_few else command)]
        if too_few:
            return [OpenMatter(f"entries are open; {len(comes.who)} are in, and a table needs {least}")]
        numbers = listed(map(str, comes.numbers))
        rounds_named = f"{'rounds' if len(comes.numbers) > 1 else 'round'} {numbers} ({comes.kind})"
        return [OpenMatter(f"{rounds_named} can be drawn for {len(comes.who)}", command)]
    if isinstance(comes, RoundWaits) and not comes.rounds:
        return [OpenMatter("the next table is drawn when six are free")]
    return []


def forecast_end(conn: Connection, tournament: Tournament, now: datetime) -> datetime | None:
    """Estimate when the last round will end if each future round begins when the previous one ends. Return None for a
    ladder, or if too little is known."""
    settings = tournament.settings
    if settings.format == "ladder" or tournament.state in ("draft", "finished", "cancelled"):
        return tournament.finished_at
    every = tournament_rounds.rounds_of(conn, tournament.id)
    begin = now if tournament.state != "open" or tournament.until is None else max(now, tournament.until)
    ends = [each.ends for each in every if each.state == "playing" and each.ends is not None]
    length = timedelta(days=settings.rounds.days)
    if any(each.state == "drawn" for each in every):
        ends.append(begin + length)
    here = sum(1 for each in known_players(conn, tournament))
    return max([begin, *ends]) + length * _still_to_come(tournament, every, here)


def known_players(conn: Connection, tournament: Tournament) -> list[Entrant]:
    return tournaments.entrants_of(conn, tournament.id, ABLE)


def _still_to_come(tournament: Tournament, every: list[Round], here: int) -> int:
    wanted, kinds = tournament.settings.rounds, [each.kind for each in every]
    match tournament.settings.format:
        case "heats":
            missing = max(0, wanted.heats - kinds.count("heat"))
            heats = min(1, missing) if wanted.parallel else missing
            semifinal = int(bool(wanted.semifinal) and here > wanted.semifinal and "semifinal" not in kinds)
            return heats + semifinal + int(bool(wanted.final) and "final" not in kinds)
        case "swiss":
            return max(0, wanted.swiss - len(every))
        case "league":
            return int(not every)
        case _:
            tables, rest = ceil(here / SEATS), 1
            while tables > 1:  # usually a table has two winners, and the next round has six players at each table
                tables, rest = ceil(2 * tables / SEATS), rest + 1
            return max(0, rest - len(every))
