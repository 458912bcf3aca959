"""Automatic operation of an event, from the close of its entries to its end, as far as the setting ``auto`` allows.

`next_step` is pure: from the facts of a tournament it returns the next step or the reason to wait. A step is announced
before it is taken. The announcement is a paper without an entrant; it holds the step, the round, the facts behind the
step, and the time at which it is due. The organisers' daily letter mentions it. When the step is due, it is taken and
its paper is settled in one transaction, but only if the facts are still the same. If the facts have changed, the step
is announced again. An interruption therefore never repeats a step. The one exception is the start of games: they start
one at a time, and an interrupted start continues where it stopped.

Organisers can hold everything, or one step, by mail (`hold`, `hold start until 2027-03-01: Ann is ill`), and release
the hold with `go on`. If the desk refuses a step, such as a draw of thirteen players, the organisers are told why, and
the step is retried only after its facts have changed. No draw uses results that may still change. Nothing happens
automatically while the event is paused or while Mentat receives no mail.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo

from bot.competition.settings import TournamentSettings
from bot.competition.standings import Following, NextRound
from bot.desk.clocks import SILENCE
from bot.games.open_games import OpenGames, Session, joining
from bot.store import acts, deadlines, installation, tournaments
from bot.store import tournament_rounds as rows
from bot.store.acts import DIRECTORS, GrantedRight
from bot.store.database import Connection, reading
from bot.store.tournaments import Paper, Tournament
from bot.tournament import adjudication, beacons, game_starts, preparation, progress, rounds
from bot.tournament.adjudication import Finding
from bot.tournament.beacons import NOTHING_SENT, FrozenDraw, SentValues
from bot.tournament.desk import BY_ITSELF, By, Caller, Refused, acting, guarded, hold_of, log_act
from bot.tournament.drawing import DrawRequest, draw, fixed_by, freeze
from bot.tournament.letters import Letter, tell_all
from bot.wording import say

log = logging.getLogger(__name__)
NOTICE = timedelta(hours=24)
MOST_STEPS = 12  # the most steps taken in one call
CLOSING_NOTICE = timedelta(hours=48)
UNFINISHED_NOTICE = timedelta(hours=72)
AFTER_LETTER = timedelta(hours=12)
"""The minimum time between the daily letter that announces a step and the step."""
LETTERS_AT = time(6)
"""The hour from which daily letters are written (``calendar``)."""

StepKind = Literal["closing", "check-in", "freeze", "draw", "start", "unfinished", "round", "finish"]
Quiet = Literal["", "paused", "mail", "silence"]
Waiting = (
    Literal["entries", "check-in", "beacon", "factions", "tables", "results", "players", "director", "nothing"] | Quiet
)


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """The facts about one round. ``planned`` counts the tables that have not started, and ``playing`` the running ones.
    ``overdue`` are the running tables that should be over by now. ``unstable`` are the tables whose results may still
    change. ``seats`` lists the players in the seats of the planned tables. ``settled`` is true once the factions are
    settled."""

    number: int
    state: str
    settled: bool = True
    planned: int = 0
    playing: int = 0
    overdue: tuple[str, ...] = ()
    unstable: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """The facts that determine the next step. ``comes`` is the round (or end) that follows the rounds so far.
    ``frozen`` is the draw that waits for its beacon, and ``sent`` are the values that people have sent for that beacon.
    ``closed`` is true if everybody has been told that entries are closed, or need not be told. ``quiet`` is the reason
    why nothing may happen now, if any. ``may_finish`` is true if nothing in the tournament is still open."""

    settings: TournamentSettings
    state: str
    until: datetime | None
    rounds: tuple[RoundFacts, ...]
    comes: Following
    closed: bool = True
    check_in: Literal["", "wanted", "going"] = ""
    frozen: FrozenDraw | None = None
    sent: SentValues = NOTHING_SENT
    quiet: Quiet = ""
    may_finish: bool = False

    @property
    def unstable(self) -> tuple[str, ...]:
        return tuple(table for each in self.rounds for table in each.unstable)


@dataclass(frozen=True, slots=True)
class Step:
    kind: StepKind
    rounds: tuple[int, ...]
    digest: str

    @property
    def words(self) -> str:
        return f"{self.kind} {','.join(map(str, self.rounds))} {self.digest}"


def next_step(event: Event, now: datetime) -> Step | Waiting:
    if event.quiet:
        return event.quiet
    step = _due(event, now)
    if isinstance(step, Step) and not event.settings.is_automatic(_setting(event, step)):
        return "director"
    return step


def _due(event: Event, now: datetime) -> Step | Waiting:
    going = [each for each in event.rounds if each.state != "closed"]
    if planned := [each for each in event.rounds if each.planned and each.settled]:
        return _step("start", [each.number for each in planned], [(each.planned, each.seats) for each in planned])
    if late := [each for each in event.rounds if each.overdue]:
        return _step("unfinished", [each.number for each in late], [each.overdue for each in late])
    if over := [each for each in going if not (each.planned or each.playing or each.unstable)]:
        return _step("round", [each.number for each in over], [])
    if going:
        if event.frozen and event.frozen.at <= now and not event.sent.settled:
            return "beacon"  # for the tables that are drawn as players become free
        if any(each.playing for each in going):
            return "tables"
        return "results" if all(each.settled for each in going) else "factions"
    if any(each.playing for each in event.rounds):
        return "tables"  # a table of a closed round is being replayed
    if event.state == "open" and (waits := _before_the_draw(event, now)):
        return waits
    if event.comes == "finished":
        last = max((each.number for each in event.rounds), default=0)
        by_itself = event.may_finish and event.settings.is_automatic("finish")
        return _step("finish", [last], []) if by_itself else "nothing"
    if not isinstance(event.comes, NextRound):
        return "players"
    if event.unstable:
        return "results"
    return _draw(event, event.comes, now)


def _before_the_draw(event: Event, now: datetime) -> Step | Waiting | None:
    if event.until is None or (now < event.until - CLOSING_NOTICE):
        return "entries"
    if not event.closed:
        return _step("closing", [0], [event.until])
    if now < event.until:
        return "entries"
    if event.check_in == "wanted":
        return _step("check-in", [0], [])
    return "check-in" if event.check_in else None


def _draw(event: Event, comes: NextRound, now: datetime) -> Step | Waiting:
    settings, frozen = event.settings, event.frozen
    if not settings.beacon:
        return _step("draw", comes.numbers, comes.who)
    if frozen is not None and frozen.free:
        return "beacon"
    if frozen is None or frozen.round != comes.numbers[0] or not frozen.fits(*fixed_by(comes, frozen.sit_out)):
        return _step("freeze", comes.numbers, comes.who)
    if event.sent.settled:
        return _step("draw", comes.numbers, (*comes.who, event.sent.settled))
    if beacons.is_done_without(settings, frozen, event.sent, now):
        return _step("draw", comes.numbers, (*comes.who, WITHOUT_BEACON))
    return "beacon"


WITHOUT_BEACON = "without a beacon"


def _setting(event: Event, step: Step) -> str:
    if step.kind in ("freeze", "draw"):
        last = isinstance(event.comes, NextRound) and event.comes.kind in ("semifinal", "final")
        return "final" if last else "draw"
    return "round" if step.kind == "unfinished" else step.kind


def _step(kind: StepKind, numbers: Sequence[int], facts: Iterable[object]) -> Step:
    digest = hashlib.sha256("\n".join(map(str, facts)).encode()).hexdigest()[:16]
    return Step(kind, tuple(numbers), digest)


# --- the facts -------------------------------------------------------------------------------------------------------


def event_facts(conn: Connection, tournament: Tournament, now: datetime) -> Event:
    comes = progress.round_to_come(conn, tournament)
    return Event(
        tournament.settings,
        tournament.state,
        tournament.until,
        tuple(_round_facts(conn, tournament, now)),
        comes,
        closed=_is_closed(conn, tournament),
        check_in=_check_in(conn, tournament),
        frozen=beacons.frozen_draw(conn, tournament.id) if tournament.settings.beacon else None,
        sent=beacons.sent_values(conn, tournament.id) if tournament.settings.beacon else NOTHING_SENT,
        quiet=_quiet(conn, tournament),
        may_finish=comes == "finished" and progress.may_finish(conn, tournament),
    )


def _round_facts(conn: Connection, tournament: Tournament, now: datetime) -> Iterable[RoundFacts]:
    newest = rows.newest_results(conn, tournament.id)
    protested = {(paper.round, paper.table) for paper in tournaments.papers_of(conn, tournament.id, "protest")}
    unstable = {place for place, kept in newest.items() if kept.state == "provisional"} | protested
    tables = rows.tables_of(conn, tournament.id)
    addresses = {each.number: each.address for each in tournaments.entrants_of(conn, tournament.id)}
    overdue = rounds.overdue_tables(conn, tournament, now)
    for each in rows.rounds_of(conn, tournament.id):
        own = [table for table in tables if table.round == each.number]
        planned = {table.place for table in own if table.state == "planned"}
        held = rows.now_sitting(conn, tournament.id, each.number) if planned else []
        yield RoundFacts(
            each.number,
            each.state,
            settled=each.state != "drawn" or each.opens is None,
            planned=len(planned),
            playing=sum(table.state == "playing" for table in own),
            overdue=tuple(f"{at}.{table}" for at, table in overdue if at == each.number),
            unstable=tuple(f"{at}.{table}" for at, table in sorted(unstable) if at == each.number),
            seats=tuple(
                f"{seat.table} {seat.dot} {addresses.get(seat.entrant, '')} {seat.faction}"
                for seat in held
                if (seat.round, seat.table) in planned
            ),
        )


def _is_closed(conn: Connection, tournament: Tournament) -> bool:
    if tournament.state != "open" or not tournament.settings.is_automatic("closing"):
        return True
    closing = _step("closing", [0], [tournament.until]).words
    done = tournaments.papers_of(conn, tournament.id, "step", state="answered")
    return any(paper.words.startswith(closing) for paper in done)


def _check_in(conn: Connection, tournament: Tournament) -> Literal["", "wanted", "going"]:
    if not tournament.settings.steps.check_in or tournament.state != "open":
        return ""
    asked = tournaments.papers_of(conn, tournament.id, "check-in", state=None)
    if not asked:
        return "wanted"
    return "going" if any(paper.state == "open" for paper in asked) else ""


def _quiet(conn: Connection, tournament: Tournament) -> Quiet:
    for name in ("mailbox", "canary"):
        beat = installation.heartbeat(conn, name)
        if beat is not None and beat.failing_since is not None:
            return "mail"
    done = [act.what for act in acts.acts_of(conn, tournament_id=tournament.id) if act.what in ("pause", "resume")]
    if done and done[-1] == "pause":
        return "paused"
    return "silence" if silent_games(conn, tournament.id) else ""


def silent_games(conn: Connection, tournament_id: str) -> list[str]:
    stopped = set(deadlines.stopped_games(conn, SILENCE))
    return [each.table.game_id for each in rows.tables_playing(conn, tournament_id) if each.table.game_id in stopped]


# --- steps -----------------------------------------------------------------------------------------------------------


def advance(open_games: OpenGames, now: datetime) -> None:
    """Announce the next step of each tournament, or take it if it is due."""
    with reading(open_games.engine) as conn:
        going = [each for each in tournaments.all_tournaments(conn, "open", "drawn", "running") if each.settings.auto]
        papers = tournaments.papers_by_state(conn) if going else {}
    resting = _RESTING.setdefault(open_games, {})
    for each in going:
        state = (each.revision, papers.get(each.id, ()))
        if (rest := resting.get(each.id)) and rest.state == state and rest.since <= now < rest.until:
            continue
        resting.pop(each.id, None)
        with guarded("a step", each.id):
            for step in range(MOST_STEPS):  # so each call does the same, however often it is interrupted
                if not _advance(open_games, now, each.id):
                    if not step:
                        resting[each.id] = _Rest(state, now, _wakes(open_games, now, each))
                    break


@dataclass(frozen=True, slots=True)
class _Rest:
    """A tournament that had nothing to do at the time ``since``. Until the time ``until``, its facts need not be read
    again unless its ``state`` changes."""

    state: tuple[int, tuple[tuple[str, int, int], ...]]
    since: datetime
    until: datetime


LONGEST_REST = timedelta(hours=1)
"""The longest time until Mentat notices changes due to the passage of time or to other tables."""
_RESTING: WeakKeyDictionary[OpenGames, dict[str, _Rest]] = WeakKeyDictionary()


def _wakes(open_games: OpenGames, now: datetime, tournament: Tournament) -> datetime:
    with reading(open_games.engine) as conn:
        held = tournaments.papers_of(conn, tournament.id, "hold")
        noticed = _noticed(conn, tournament.id)
    closes = [tournament.until - CLOSING_NOTICE, tournament.until] if tournament.until else []
    known = [noticed.until if noticed else None, *(paper.until for paper in held), *closes]
    return min([now + LONGEST_REST, *(at for at in known if at and at > now)])


def _advance(open_games: OpenGames, now: datetime, tournament_id: str) -> bool:
    with reading(open_games.engine) as conn:
        tournament = tournaments.find_tournament(conn, tournament_id)
        event = event_facts(conn, tournament, now)
        step, noticed = next_step(event, now), _noticed(conn, tournament.id)
        held = isinstance(step, Step) and hold_of(conn, tournament.id, now, held_as(step.kind))
    if event.quiet or tournament.state in ("finished", "cancelled"):
        return False
    if noticed and _is_going(noticed):
        if isinstance(step, Step) and step.kind == "start":
            _start(open_games, now, tournament, noticed)
        else:
            _settle(open_games, now, tournament, noticed, "answered")
    elif not isinstance(step, Step):
        if noticed:
            _settle(open_games, now, tournament, noticed, "gone")
        return False
    elif noticed is None or noticed.words.splitlines()[0] != step.words:
        _notice(open_games, now, tournament, step)
    elif noticed.state == "open" and not held and noticed.until and noticed.until <= now:
        return _take(open_games, now, tournament, step, noticed)
    else:
        return False
    return True


def _noticed(conn: Connection, tournament_id: str) -> Paper | None:
    every = tournaments.papers_of(conn, tournament_id, "step", state=None)
    return every[-1] if every and every[-1].state in ("open", "refused") else None


def _settle(
    open_games: OpenGames, now: datetime, tournament: Tournament, noticed: Paper, state: Literal["answered", "gone"]
) -> None:
    with acting(Caller(open_games, now), tournament.id) as (session, _):
        tournaments.set_paper_state(session.conn, noticed.id, state)


def _notice(open_games: OpenGames, now: datetime, tournament: Tournament, step: Step) -> None:
    with acting(Caller(open_games, now, replace(BY_ITSELF, seen=tournament.revision)), tournament.id) as (session, _):
        for paper in tournaments.papers_of(session.conn, tournament.id, "step", state=None):
            if paper.state in ("open", "refused"):
                tournaments.set_paper_state(session.conn, paper.id, "gone")
        until = _due_at(tournament, step, now, session.settings.mentat.timezone)
        paper = Paper(tournament.id, 0, "step", step.words, now, step.rounds[0], until=until)
        tournaments.add_paper(session.conn, paper)
        _hold_after_backup(session, tournament)


def _hold_after_backup(session: Session, tournament: Tournament) -> None:
    """Hold the announced step while the mail since a backup is being replayed. The step may already have been taken in
    the lost database, after commands at the machine, which a replay of mail cannot restore."""
    here = installation.this_installation(session.conn)
    if not here.restored or hold_of(session.conn, tournament.id, session.now):
        return
    made = here.restored_copy_at or session.now
    words = say("tournament.step.restored", at=f"{made:%Y-%m-%d %H:%M}Z")
    tournaments.add_paper(session.conn, Paper(tournament.id, 0, "hold", f"\n{RESTORED}{words}", session.now))
    log_act(session, tournament.id, "hold", "nothing happens by itself: a backup was restored", BY_ITSELF)


RESTORED = "restored: "


def _due_at(tournament: Tournament, step: Step, now: datetime, zone: ZoneInfo) -> datetime:
    """Return the due time of a step that is announced now. A step that everybody already knows about is due at once."""
    told = max(now + NOTICE, _next_letter(now, zone) + AFTER_LETTER)
    if step.kind == "closing":
        return max(tournament.until or now, now + CLOSING_NOTICE)
    if step.kind == "start":
        return max(told, now + timedelta(hours=tournament.settings.steps.look_hours))
    if step.kind == "unfinished":
        return max(told, now + UNFINISHED_NOTICE)
    is_told = step.kind == "check-in" or (step.kind == "draw" and tournament.settings.beacon)
    return now if is_told else told


def _next_letter(now: datetime, zone: ZoneInfo) -> datetime:
    there = now.astimezone(zone)
    today = there.replace(hour=LETTERS_AT.hour, minute=0, second=0, microsecond=0)
    return (today if there <= today else today + timedelta(days=1)).astimezone(UTC)


def _take(open_games: OpenGames, now: datetime, tournament: Tournament, step: Step, noticed: Paper) -> bool:
    caller = Caller(open_games, now, replace(BY_ITSELF, seen=tournament.revision))
    try:
        with acting(caller, tournament.id) as (session, there), joining(session.conn):
            if step.kind == "start":  # from now on an interrupted start is continued
                tournaments.set_paper_state(session.conn, noticed.id, "open", f"{step.words}\n{GOING}")
            else:
                _carry_out(session, there, step)
                tournaments.set_paper_state(session.conn, noticed.id, "answered")
    except Refused as refused:
        log.info("%s: %s was refused: %s", tournament.id, step.kind, refused)
        _note_refused(open_games, now, tournament, noticed, f"{step.words}\n{refused}")
        return False
    if step.kind == "start":
        _start(open_games, now, tournament, noticed)
    return True


def _note_refused(open_games: OpenGames, now: datetime, tournament: Tournament, noticed: Paper, words: str) -> None:
    with acting(Caller(open_games, now), tournament.id) as (session, there):
        if there.revision == tournament.revision:
            tournaments.set_paper_state(session.conn, noticed.id, "refused", words)


GOING = "going"


def _is_going(noticed: Paper) -> bool:
    return noticed.words.endswith(f"\n{GOING}")


def _start(open_games: OpenGames, now: datetime, tournament: Tournament, noticed: Paper) -> None:
    try:
        started = game_starts.start_games(Caller(open_games, now, BY_ITSELF), tournament.id)
    except Refused as refused:
        started = game_starts.StartResult(waiting=(("", str(refused)),))
    why = "; ".join(f"table {table}: {why}" if table else why for table, why in started.waiting)
    with acting(Caller(open_games, now), tournament.id) as (session, _):
        words = noticed.words.splitlines()[0]
        if started.now or not why:
            tournaments.set_paper_state(session.conn, noticed.id, "answered", words)
        else:
            tournaments.set_paper_state(session.conn, noticed.id, "refused", f"{words}\n{why}")


def _carry_out(session: Session, tournament: Tournament, step: Step) -> None:
    caller, conn = Caller(session.games, session.now, BY_ITSELF), session.conn
    match step.kind:
        case "closing":
            preparation.close_entries(session, tournament)
        case "check-in":
            preparation.ask_who_is_there(session, tournament)
        case "freeze":
            freeze(caller, tournament.id, DrawRequest(without_unconfirmed=True))
        case "draw":
            settled = not tournament.settings.beacon or bool(beacons.sent_values(conn, tournament.id).settled)
            draw(caller, tournament.id, DrawRequest(without_unconfirmed=True, no_beacon=not settled))
        case "unfinished":
            _decide_unfinished(caller, conn, tournament)
        case "round":
            rounds.close_round(caller, tournament.id, *step.rounds)
        case "finish":
            progress.finish_by_itself(session, tournament)


def _decide_unfinished(caller: Caller, conn: Connection, tournament: Tournament) -> None:
    """Ask the arbiters to decide the tables that should be over by now. If the settings say so, or if the arbiters
    reached no verdict, the public board decides instead."""
    caller = replace(caller, by=replace(BY_ITSELF, why=say("tournament.step.unfinished-why")))
    asked = {
        (paper.round, paper.table)
        for paper in tournaments.papers_of(conn, tournament.id, "question", state=None)
        if paper.words == "table"
    }
    for place in rounds.overdue_tables(conn, tournament, caller.now):
        by_board = tournament.settings.endings.unfinished == "stopped" or place in asked
        named = f"{place[0]}.{place[1]}"
        adjudication.adjudicate(caller, tournament.id, named, Finding("stopped" if by_board else ""))


# --- holding ---------------------------------------------------------------------------------------------------------


_STEPS = "closing|check-?in|freeze|draw|start|round|close|final|finish"
_HOLD = re.compile(
    r"(?:please\s+)?hold(?:\s+(?P<id>(?!until\b|till\b|please\b|the\b)[a-z0-9][a-z0-9-]*))??"
    rf"(?:\s+(?:the\s+)?(?P<step>{_STEPS}))?"
    r"(?:\s+(?:until|till)\b(?P<day>[^:]*?))?(?:,?\s+please)?\s*(?:[.!]*|:.*)",
    re.IGNORECASE,
)
_GO_ON = re.compile(r"(?:please\s+)?(?:go on|continue|resume|unhold)(?:,?\s+please)?\s*[.!]*", re.IGNORECASE)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def hold_or_go_on(session: Session, tournament: Tournament, by: GrantedRight, lines: Sequence[str]) -> str:
    """Carry out an organiser's line that holds or resumes the automatic steps. Return the answer to send, or "" if the
    mail contains no such line."""
    first = next((line.strip() for line in lines if line.strip()), "")
    holds = _HOLD.fullmatch(first)
    if not (holds and holds["id"] in (None, tournament.id)) and not _GO_ON.fullmatch(first):
        return ""
    if by.right in DIRECTORS and not holds and silent_games(session.conn, tournament.id):
        caller = Caller(session.games, session.now, By(by.address, by.right, first))
        try:
            rounds.resume_tables(caller, tournament.id, 0)
        except Refused as refused:
            return str(refused)
        return say("tournament.step.clocks-go-on")
    if by.right not in DIRECTORS or not tournament.settings.auto:
        return say("tournament.step.not-yours" if tournament.settings.auto else "tournament.step.not-automatic")
    until = _beginning_of(holds["day"], session) if holds and holds["day"] is not None else None
    if holds and holds["day"] is not None and (until is None or until <= session.now):
        return say("tournament.step.no-day")
    for paper in tournaments.papers_of(session.conn, tournament.id, "hold"):
        tournaments.set_paper_state(session.conn, paper.id, "answered")
    acts_by = By(by.address, by.right, first)
    if not holds:
        for paper in tournaments.papers_of(session.conn, tournament.id, "step", state="refused"):
            tournaments.set_paper_state(session.conn, paper.id, "gone")
        log_act(session, tournament.id, "hold", "everything goes on by itself", acts_by)
        return say("tournament.step.goes-on")
    kind = _HELD.get((holds["step"] or "").lower(), (holds["step"] or "").lower())
    words = f"{kind}\n{first}"
    tournaments.add_paper(session.conn, Paper(tournament.id, 0, "hold", words, session.now, until=until))
    what = f"{kind} does not happen by itself" if kind else "nothing happens by itself"
    log_act(session, tournament.id, "hold", what, acts_by)
    _tell_held(session, tournament, kind, until)
    facts = {"until": f"{until:%Y-%m-%d %H:%M}Z" if until else "", "step": kind}
    return say("tournament.step.held", done=_last_done(session, tournament), **facts)


_HELD = {"close": "round", "checkin": "check-in", "freeze": "draw", "final": "draw"}
"""Other words that `hold` accepts for a step, with the name of that step in this module."""


def held_as(kind: str) -> str:
    return {"freeze": "draw", "unfinished": "round"}.get(kind, kind)


def _tell_held(session: Session, tournament: Tournament, kind: str, until: datetime | None) -> None:
    step = _noticed(session.conn, tournament.id)
    if step is None or not step.words.startswith("start ") or kind not in ("", "start"):
        return
    known = {each.number: each for each in tournaments.entrants_of(session.conn, tournament.id)}
    there = {seat.entrant for seat in rows.now_sitting(session.conn, tournament.id) if seat.round == step.round}
    told = [say("tournament.step.start-held", title=tournament.title, until=f"{until:%Y-%m-%d}" if until else "")]
    letter = Letter(say("tournament.step.start-held-subject", title=tournament.title), told, f"held.{step.id}.{until}")
    tell_all(session, [known[number] for number in sorted(there) if number in known], letter)


def _beginning_of(day: str, session: Session) -> datetime | None:
    zone, said = session.settings.mentat.timezone, day.strip().lower()
    today = session.now.astimezone(zone).date()
    if said in _DAYS:
        found = today + timedelta(days=(_DAYS.index(said) - today.weekday() - 1) % 7 + 1)
    else:
        try:
            found = date.fromisoformat(said)
        except ValueError:
            return None
    return datetime.combine(found, time(0), zone).astimezone(UTC)


def _last_done(session: Session, tournament: Tournament) -> str:
    done = tournaments.papers_of(session.conn, tournament.id, "step", state="answered")
    if not done:
        return ""
    undo = say(f"tournament.step.undo-{done[-1].words.split()[0]}", id=tournament.id)
    return say("tournament.step.done", step=step_in_words(done[-1]), undo=undo)


def step_in_words(paper: Paper) -> str:
    kind, numbers, *_ = paper.words.split()
    return say(f"tournament.step.{kind}", rounds=numbers.split(","))


def step_noticed(conn: Connection, tournament: Tournament) -> Paper | None:
    return _noticed(conn, tournament.id) if tournament.settings.auto else None
