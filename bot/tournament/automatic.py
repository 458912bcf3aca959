"""An event that runs by itself, as far as the setting ``auto`` says: draws, starts, the close of rounds.

`next_step` is pure: from the facts of a tournament it returns the next step, or what the tournament waits for. A step
is noticed first: a paper of nobody's says which step, for which round, on what facts, and when it is due. The
organisers' letter of the day names it. When it is due it happens, in one transaction and only if nothing has changed
since it was planned; if its facts have changed meanwhile, it is noticed anew. So an interruption at any moment repeats
nothing.

Organisers hold everything by mail (`hold`, `hold until 2027-03-01: Ann is ill`), and let it continue (`go on`). A step
that is refused, such as a draw of thirteen, is put before them with its reason and tried again only if its facts
change. Nothing is drawn on results that may still change.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from bot.competition.settings import TournamentSettings
from bot.competition.standings import Following, NextRound
from bot.games.open_games import OpenGames, Session
from bot.store import tournament_rounds as rows
from bot.store import tournaments
from bot.store.acts import DIRECTORS, GrantedRight
from bot.store.database import Connection, reading
from bot.store.tournaments import Paper, Tournament
from bot.tournament import game_starts, progress, rounds
from bot.tournament.desk import BY_ITSELF, By, Caller, Refused, acting, guarded, hold_of, log_act
from bot.tournament.drawing import DrawRequest, draw
from bot.wording import say

log = logging.getLogger(__name__)
NOTICE = timedelta(hours=24)
AFTER_LETTER = timedelta(hours=12)
"""A step comes no sooner than so long after the letter of the day that names it."""
LETTERS_AT = time(6)
"""From this hour on letters of the day are written (``calendar``)."""

StepKind = Literal["draw", "start", "round"]
Waiting = Literal["entries", "beacon", "factions", "tables", "results", "players", "director", "nothing"]


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """A round: how many of its tables are planned and playing, who is to sit where at the planned ones, and which
    results of it may still change. ``settled``: its factions are."""

    number: int
    state: str
    settled: bool = True
    planned: int = 0
    playing: int = 0
    unstable: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """What decides about the next step. ``comes`` is what follows the rounds so far; ``beacon_missing``: one was
    announced, and is not known here."""

    settings: TournamentSettings
    state: str
    until: datetime | None
    rounds: tuple[RoundFacts, ...]
    comes: Following
    beacon_missing: bool = False

    @property
    def unstable(self) -> tuple[str, ...]:
        return tuple(table for each in self.rounds for table in each.unstable)


@dataclass(frozen=True, slots=True)
class Step:
    """A step for some rounds; ``digest`` is that of the facts on which it rests."""

    kind: StepKind
    rounds: tuple[int, ...]
    digest: str

    @property
    def words(self) -> str:
        return f"{self.kind} {','.join(map(str, self.rounds))} {self.digest}"


def next_step(event: Event, now: datetime) -> Step | Waiting:
    """Return the next step of a tournament, or what it waits for."""
    step = _due(event, now)
    if isinstance(step, Step) and not event.settings.is_automatic(_setting(event, step)):
        return "director"
    return step


def _due(event: Event, now: datetime) -> Step | Waiting:
    going = [each for each in event.rounds if each.state != "closed"]
    if planned := [each for each in event.rounds if each.planned and each.settled]:
        return _step("start", [each.number for each in planned], [(each.planned, each.seats) for each in planned])
    if over := [each.number for each in going if not (each.planned or each.playing or each.unstable)]:
        return _step("round", over, [])
    if going:
        if any(each.playing for each in going):
            return "tables"
        return "results" if all(each.settled for each in going) else "factions"
    if any(each.playing for each in event.rounds):
        return "tables"  # one of a closed round is played again
    if event.state == "open" and (event.until is None or now < event.until):
        return "entries"
    if event.comes == "finished":
        return "nothing"
    if not isinstance(event.comes, NextRound):
        return "players"
    if event.unstable:
        return "results"
    if event.beacon_missing:
        return "beacon"
    return _step("draw", event.comes.numbers, event.comes.who)


def _setting(event: Event, step: Step) -> str:
    last = isinstance(event.comes, NextRound) and event.comes.kind in ("semifinal", "final")
    return "final" if step.kind == "draw" and last else step.kind


def _step(kind: StepKind, numbers: Sequence[int], facts: Iterable[object]) -> Step:
    digest = hashlib.sha256("\n".join(map(str, facts)).encode()).hexdigest()[:16]
    return Step(kind, tuple(numbers), digest)


# --- the facts -------------------------------------------------------------------------------------------------------


def event_facts(conn: Connection, tournament: Tournament) -> Event:
    newest = rows.newest_results(conn, tournament.id)
    protested = {(paper.round, paper.table) for paper in tournaments.papers_of(conn, tournament.id, "protest")}
    unstable = {place for place, kept in newest.items() if kept.state == "provisional"} | protested
    tables = rows.tables_of(conn, tournament.id)
    addresses = {each.number: each.address for each in tournaments.entrants_of(conn, tournament.id)}
    found = []
    for each in rows.rounds_of(conn, tournament.id):
        own = [table for table in tables if table.round == each.number]
        planned = {table.place for table in own if table.state == "planned"}
        found.append(
            RoundFacts(
                each.number,
                each.state,
                settled=each.state != "drawn" or each.opens is None,
                planned=len(planned),
                playing=sum(table.state == "playing" for table in own),
                unstable=tuple(f"{at}.{table}" for at, table in sorted(unstable) if at == each.number),
                seats=tuple(
                    f"{held.table} {held.dot} {addresses.get(held.entrant, '')} {held.faction}"
                    for held in rows.now_sitting(conn, tournament.id, each.number)
                    if (held.round, held.table) in planned
                ),
            )
        )
    missing = bool(tournament.settings.beacon) and not tournament.beacon and tournament.state == "open"
    comes = progress.round_to_come(conn, tournament)
    return Event(tournament.settings, tournament.state, tournament.until, tuple(found), comes, missing)


# --- steps -----------------------------------------------------------------------------------------------------------


def advance(open_games: OpenGames, now: datetime) -> None:
    """Notice the next step of each tournament, or take it if it is due."""
    with reading(open_games.engine) as conn:
        going = [each for each in tournaments.all_tournaments(conn, "open", "drawn", "running") if each.settings.auto]
    for tournament in going:
        with guarded("a step", tournament.id):
            _advance(open_games, now, tournament)


def _advance(open_games: OpenGames, now: datetime, tournament: Tournament) -> None:
    with reading(open_games.engine) as conn:
        step, noticed = next_step(event_facts(conn, tournament), now), _noticed(conn, tournament.id)
        held = hold_of(conn, tournament.id, now)
    if not isinstance(step, Step):
        if noticed:
            with acting(Caller(open_games, now), tournament.id) as (session, _):
                tournaments.set_paper_state(session.conn, noticed.id, "gone")
    elif noticed is None or noticed.words.splitlines()[0] != step.words:
        _notice(open_games, now, tournament, step)
    elif noticed.state == "open" and not held and noticed.until and noticed.until <= now:
        _take(open_games, now, tournament, step, noticed)


def _noticed(conn: Connection, tournament_id: str) -> Paper | None:
    """Return the step that was noticed last, if it is not done."""
    every = tournaments.papers_of(conn, tournament_id, "step", state=None)
    return every[-1] if every and every[-1].state in ("open", "refused") else None


def _notice(open_games: OpenGames, now: datetime, tournament: Tournament, step: Step) -> None:
    with acting(Caller(open_games, now, replace(BY_ITSELF, seen=tournament.revision)), tournament.id) as (session, _):
        for paper in tournaments.papers_of(session.conn, tournament.id, "step", state=None):
            if paper.state in ("open", "refused"):
                tournaments.set_paper_state(session.conn, paper.id, "gone")
        until = max(now + NOTICE, _next_letter(now, session.settings.mentat.timezone) + AFTER_LETTER)
        paper = Paper(tournament.id, 0, "step", step.words, now, step.rounds[0], until=until)
        tournaments.add_paper(session.conn, paper)


def _next_letter(now: datetime, zone: object) -> datetime:
    there = now.astimezone(zone)  # type: ignore[arg-type]  # a time zone
    today = there.replace(hour=LETTERS_AT.hour, minute=0, second=0, microsecond=0)
    return (today if there <= today else today + timedelta(days=1)).astimezone(UTC)


def _take(open_games: OpenGames, now: datetime, tournament: Tournament, step: Step, noticed: Paper) -> None:
    caller = Caller(open_games, now, replace(BY_ITSELF, seen=tournament.revision))
    try:
        if step.kind == "draw":
            draw(caller, tournament.id, DrawRequest(without_unconfirmed=True))
        elif step.kind == "start":
            started = game_starts.start_games(caller, tournament.id)
            if not started.now:
                raise Refused("; ".join(f"table {table}: {why}" for table, why in started.waiting))
        else:
            for number in step.rounds:
                rounds.close_round(caller, tournament.id, number)
                caller = Caller(open_games, now, BY_ITSELF)  # the change since then is our own
    except Refused as refused:
        log.info("%s: %s was refused: %s", tournament.id, step.kind, refused)
        with acting(Caller(open_games, now), tournament.id) as (session, there):
            if there.revision == tournament.revision:
                words = f"{step.words}\n{refused}"
                tournaments.set_paper_state(session.conn, noticed.id, "refused", words)
        return
    with acting(Caller(open_games, now), tournament.id) as (session, _):
        tournaments.set_paper_state(session.conn, noticed.id, "answered")


# --- holding ---------------------------------------------------------------------------------------------------------


_HOLD = re.compile(
    r"(?:please\s+)?hold(?:\s+(?:until|till)\b(?P<day>[^:]*?))?(?:,?\s+please)?\s*(?:[.!]*|:.*)", re.IGNORECASE
)
_GO_ON = re.compile(r"(?:please\s+)?(?:go on|continue|resume|unhold)(?:,?\s+please)?\s*[.!]*", re.IGNORECASE)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def hold_or_go_on(session: Session, tournament: Tournament, by: GrantedRight, lines: Sequence[str]) -> str:
    """Carry out a line that holds everything or lets it continue; return what to tell, "" for any other mail."""
    first = next((line.strip() for line in lines if line.strip()), "")
    holds = _HOLD.fullmatch(first)
    if not holds and not _GO_ON.fullmatch(first):
        return ""
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
    tournaments.add_paper(session.conn, Paper(tournament.id, 0, "hold", first, session.now, until=until))
    log_act(session, tournament.id, "hold", "nothing happens by itself", acts_by)
    return say(
        "tournament.step.held", until=f"{until:%Y-%m-%d %H:%M}Z" if until else "", done=_last_done(session, tournament)
    )


def _beginning_of(day: str, session: Session) -> datetime | None:
    """Return when a day begins that is named like "2027-03-01" or "Friday"; None for words that are no day."""
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
    return step_in_words(done[-1]) if done else ""


def step_in_words(paper: Paper) -> str:
    kind, numbers, *_ = paper.words.split()
    return say(f"tournament.step.{kind}", rounds=numbers.split(","))


def step_noticed(conn: Connection, tournament: Tournament) -> Paper | None:
    """Return the step that comes next, or was refused."""
    return _noticed(conn, tournament.id) if tournament.settings.auto else None
