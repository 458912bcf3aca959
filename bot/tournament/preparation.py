"""A tournament before its first draw: creation, opening, changes, cancellation, places and the waiting list.

The settings are stored as the text of the given file, and identified by its SHA-256. The secret is drawn when the
tournament is created. A commitment to it is published before anybody enters; the secret itself stays sealed until the
end.

When settings change after they were frozen, everybody is told the old and the new value. Tie-breaks and scoring cannot
be changed after the first draw, because by then the person who changes them may know whom the change helps. ``force``
overrides this, but then every export says so.

The waiting list begins with the people who confirmed when no place was left, in the order in which they confirmed. They
are followed by the people who asked to be only substitutes. Only the former are invited to a free place; they have some
hours to answer.
"""

from __future__ import annotations

import json
import re
import secrets
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any

from bot.competition.published import EntrantState, commitment
from bot.competition.settings import SettingsRefused, TournamentSettings, read_settings, settings_digest
from bot.config import Settings, SettingsError
from bot.desk.new_game import require_unguessable
from bot.desk.powers import within
from bot.desk.seats import end_of_day
from bot.games.open_games import OpenGames, Session
from bot.mail.identity import reply_token
from bot.store import games, publication, tournament_rounds, tournaments
from bot.store.database import Connection, reading, writing
from bot.store.tournaments import Entrant, Paper, Tournament
from bot.table.calendar import stamp
from bot.table.clock import UnknownTempo, read_own_settings
from bot.table.clock import tempo as find_tempo
from bot.tournament import beacons, letters
from bot.tournament.desk import Caller, Refused, acting, local_instant, log_act, require_power
from bot.tournament.letters import Letter, tell_all
from bot.wording import deadline, say
from bot.wording.filters import listed, plural
from rules.rulesets.options import RuleSetError
from rules.rulesets.ruleset import require_consistent, require_playable

LONGEST_ID = 28
"""This limit keeps the ids of the tournament's games within their own limit."""
TAKING_PART: tuple[EntrantState, ...] = ("invited", "entered", "confirmed", "playing", "advanced", "out", "standby")
"""The states of the entrants who are told about changes to the tournament."""


@dataclass(frozen=True, slots=True)
class NewTournament:
    tournament: Tournament
    already: bool = False


def new_tournament(caller: Caller, tournament_id: str, text: str, *, secret: str = "") -> NewTournament:
    """Create a tournament with these settings, given as the text of a TOML file. Raise SettingsRefused if the settings
    are impossible, GuessableSeed if the secret is easy to guess, and Refused if the id is not valid or is already
    taken."""
    if not re.fullmatch(rf"[a-z0-9][a-z0-9-]{{0,{LONGEST_ID - 1}}}", tournament_id):
        raise Refused(
            f"{tournament_id[:60]!r} is not a valid tournament name: use up to {LONGEST_ID} lower-case letters, digits "
            "and hyphens, starting with a letter or digit."
        )
    settings = check_settings(caller.games.settings, text)
    if secret:
        require_unguessable(secret, caller.games.settings, "--secret")
    with caller.games.busy, writing(caller.games.engine) as conn:
        if tournaments.tournament_exists(conn, tournament_id):
            there = tournaments.find_tournament(conn, tournament_id)
            if there.settings_digest == settings_digest(text) and not (secret and secret != there.secret):
                return NewTournament(there, already=True)
            raise Refused(
                f"A tournament {tournament_id!r} already exists, with other settings or another secret: change its "
                f"settings with `mentat tournament amend {tournament_id} settings FILE --why …`, or choose another id."
            )
        drawn = secret or secrets.token_hex(32)
        token = reply_token(caller.games.settings.key, f"tournament {tournament_id}", "")
        made = Tournament(
            tournament_id,
            settings.title,
            text,
            settings_digest(text),
            "draft",
            commitment(drawn),
            drawn,
            "",
            token,
            caller.now,
        )
        tournaments.create_tournament(conn, made)
        words = f"{settings.title} was made; settings {made.settings_digest}, commitment {made.commitment}"
        log_act(Session(conn, caller.games, caller.now), tournament_id, "new", words, caller.by)
        return NewTournament(tournaments.find_tournament(conn, tournament_id))


def check_settings(mentat: Settings, text: str) -> TournamentSettings:
    settings = read_settings(text)
    tables, problems = settings.tables, []
    try:
        find_tempo(tables.tempo)
    except UnknownTempo as error:
        problems.append(f"[tables] tempo: {error}")
    try:
        made_of = games.rule_set(tables.ruleset, tables.options)
        require_playable(made_of)
        require_consistent(made_of, tables.options)
    except RuleSetError as error:
        problems.append(f"[tables] {error}")
    try:
        read_own_settings(mentat.clock, clock_lines(settings))
    except SettingsError as error:
        problems += [f"[tables] clock: {problem}" for problem in error.problems]
    if settings.format == "ladder" and settings.beacon:
        problems.append("beacon: a ladder draws whenever six are ready, so no beacon can be announced; leave it out.")
    if problems:
        raise SettingsRefused(problems)
    return settings


def clock_lines(settings: TournamentSettings) -> list[str]:
    return [
        f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in settings.tables.clock.items()
    ]


def require_frozen(tournament: Tournament) -> None:
    if settings_digest(tournament.text) != tournament.settings_digest:
        raise Refused(
            f"The settings of {tournament.id} are not those that were frozen: their SHA-256 is "
            f"{settings_digest(tournament.text)}, but {tournament.settings_digest} was announced. Load the file again "
            f"with `mentat tournament amend {tournament.id} settings FILE --why …`, which tells everybody what changes."
        )


@dataclass(frozen=True, slots=True)
class OpenedEntries:
    tournament: Tournament
    already: bool = False


def open_entries(caller: Caller, tournament_id: str, *, until: datetime | None = None) -> OpenedEntries:
    """Open the entries, until the time ``until`` if it is given, and announce the beacon and its date.

    Raise Refused if the day of the beacon is past, or if it comes before entries close. Nobody who can still enter or
    withdraw may know the beacon.
    """
    with acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        require_power(conn, tournament_id, caller.by, "open")
        require_frozen(tournament)
        if tournament.state == "open" and until in (None, tournament.until):
            return OpenedEntries(tournament, already=True)
        if tournament.state not in ("draft", "open"):
            raise Refused(
                f"{tournament_id} is {tournament.state}: only a draft can be opened. {legal_acts(tournament)}"
            )
        if beacons.frozen_draw(conn, tournament_id):
            raise Refused(f"The draw of {tournament_id} is frozen, so its entries stay closed; others are substitutes.")
        if until is not None and until <= caller.now:
            raise Refused(f"Entries cannot close at {until:%Y-%m-%d %H:%M}Z, which is in the past: name a later date.")
        settings = tournament.settings
        if settings.auto and settings.format != "ladder" and until is None and tournament.until is None:
            raise Refused(f"{tournament_id} runs automatically, so say when entries close: --until 2027-03-01.")
        zone = caller.games.settings.mentat.timezone
        _require_beacon_to_come(tournament, caller.now, until, zone)
        changed = {"state": "open", "until": until, "opened_at": tournament.opened_at or caller.now}
        tournaments.touch(conn, tournament_id, **changed)
        words = f"entries are open{f' until {until:%Y-%m-%d %H:%M}Z' if until else ''}; {announced_beacon(tournament)}"
        log_act(session, tournament_id, "open", words, caller.by)
        if tournament.state == "open" and until is not None:
            told = [say("tournament-desk.until", title=tournament.title, until=f"{until:%Y-%m-%d %H:%M}Z")]
            _tell_everybody(session, tournament, say("tournament-desk.until-subject"), told, f"open.{until}")
        return OpenedEntries(tournaments.find_tournament(conn, tournament_id))


def announced_beacon(tournament: Tournament) -> str:
    settings = tournament.settings
    if not settings.beacon:
        return "no beacon will be used, so the director could compute the draws beforehand; the record says so"
    if not settings.beacon_date:
        return f"the beacon will be a round of {settings.beacon}, named a day before"
    return f"the beacon will be {settings.beacon}, of {settings.beacon_date}"


def draw_power(conn: Connection, tournament: Tournament) -> str:
    named = tournament.settings.beacon_date and not tournament_rounds.rounds_of(conn, tournament.id)
    fixed = named or beacons.frozen_draw(conn, tournament.id) is not None
    return "draw" if fixed or not _is_by_beacon(tournament) else "freeze"


def _is_by_beacon(tournament: Tournament) -> bool:
    return bool(tournament.settings.beacon) and tournament.settings.format != "ladder"


def draw_command(conn: Connection, tournament: Tournament) -> str:
    if draw_power(conn, tournament) == "freeze":
        return f"mentat tournament freeze {tournament.id}"
    unknown = _is_by_beacon(tournament) and not beacons.sent_values(conn, tournament.id).settled
    return f"mentat tournament draw {tournament.id}" + (' --beacon "…"' if unknown else "")


def _require_beacon_to_come(tournament: Tournament, now: datetime, until: datetime | None, zone: tzinfo) -> None:
    day = tournament.settings.beacon_date
    if not day:
        return
    if tournament.state == "draft" and day <= f"{now.astimezone(zone):%Y-%m-%d}":
        raise Refused(
            f"The beacon of {day} is already known or will be today; a beacon must not exist yet when entries open. "
            f"Name a later one: `mentat tournament amend {tournament.id} settings FILE --why …`."
        )
    if until is not None and day < f"{until.astimezone(zone):%Y-%m-%d}":
        raise Refused(
            f"The beacon of {day} would be known before entries close on {until:%Y-%m-%d}: people who enter then or "
            "withdraw would know the draw. Close entries earlier, or choose a later beacon."
        )


def cancel_tournament(caller: Caller, tournament_id: str) -> bool:
    """Cancel a tournament that is not over. Return False if it was already cancelled. Running games continue as
    friendly games."""
    with acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        require_power(conn, tournament_id, caller.by, "cancel")
        if tournament.state == "cancelled":
            return False
        if tournament.state == "finished":
            raise Refused(f"{tournament_id} is finished, and its results are final; it cannot be cancelled.")
        tournaments.touch(conn, tournament_id, state="cancelled", finished_at=caller.now)
        publication.tell_names(conn, tournament_id)
        for table in tournament_rounds.tables_of(conn, tournament_id, states=["planned", "playing"]):
            tournament_rounds.change_table(conn, tournament_id, table.round, table.number, state="void")
        for paper in tournaments.papers_of(conn, tournament_id):
            tournaments.set_paper_state(conn, paper.id, "gone")
        log_act(session, tournament_id, "cancel", "cancelled", caller.by)
        told = [say("tournament-desk.cancelled", title=tournament.title, why=caller.by.why)]
        _tell_everybody(
            session, tournament, say("tournament-desk.cancelled-subject", title=tournament.title), told, "cancelled"
        )
        return True


def _tell_everybody(session: Session, tournament: Tournament, subject: str, told: Sequence[str], cause: str) -> None:
    here = [
        each for each in tournaments.entrants_of(session.conn, tournament.id, TAKING_PART) if each.state != "entered"
    ]
    tell_all(session, here, Letter(subject, told, cause))


def legal_acts(tournament: Tournament) -> str:
    return _LEGAL_ACTS[tournament.state].format(id=tournament.id)


_LEGAL_ACTS = {
    "draft": "Open it with `mentat tournament open {id}`.",
    "open": "Draw it with `mentat tournament draw {id}`.",
    "drawn": "Start its games with `mentat tournament start {id}`.",
    "running": "`mentat tournament show {id}` shows what is waiting.",
    "finished": "It is finished: `mentat tournament standings {id}` shows the result.",
    "cancelled": "It was cancelled, so nothing more can be done.",
}


AFTER_A_DRAW = ("tie_breaks", "scoring")
NEVER_AFTER_A_DRAW = ("format", "factions.by", "beacon", "beacon_date", "tables.missing", "tables.options.expansion")
"""Settings that cannot be changed after a draw. The name of a section stands for everything in it."""


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """The settings that changed, each as "name: before → now". ``lines`` is empty if the new settings equal the stored
    ones."""

    lines: tuple[str, ...]
    settings_digest: str


def amend_settings(caller: Caller, tournament_id: str, text: str, *, force: bool = False) -> SettingsChange:
    """Replace the settings with those in another file. Raise Refused if no reason is given, or if it is too late for
    one of the changes. Raise SettingsRefused if the file does not hold valid settings."""
    settings = check_settings(caller.games.settings, text)
    with acting(caller, tournament_id) as (session, tournament):
        conn = session.conn
        require_power(conn, tournament_id, caller.by, "amend settings")
        if tournament.state in ("finished", "cancelled"):
            raise Refused(f"{tournament_id} is {tournament.state}: its settings are final. {legal_acts(tournament)}")
        if settings_digest(text) == tournament.settings_digest:
            return SettingsChange((), tournament.settings_digest)
        if not caller.by.why and tournament.state != "draft":
            raise Refused("Mentat tells everybody about a change and its reason: give it with --why TEXT.")
        before, after = _flat_settings(tomllib.loads(tournament.text)), _flat_settings(tomllib.loads(text))
        names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        lines = tuple(f"{name}: {_setting_text(before.get(name))} → {_setting_text(after.get(name))}" for name in names)
        late = bool([drawn for drawn in tournament_rounds.rounds_of(conn, tournament_id) if drawn.draw])
        if late:
            for name in names:
                if _is_among(name, NEVER_AFTER_A_DRAW):
                    raise Refused(
                        f"{name} can no longer be changed: a round of {tournament_id} has been drawn with it."
                    )
        scoring = [name for name in names if _is_among(name, AFTER_A_DRAW)]
        if late and scoring and not force:
            raise Refused(
                f"{', '.join(scoring)} cannot be changed after the first draw. If necessary, add --force: the "
                "change is announced and appears in every export for ever."
            )
        tournaments.touch(
            conn, tournament_id, settings=text, settings_digest=settings_digest(text), title=settings.title
        )
        command = tournaments.SCORING_CHANGED if late and scoring else "amend settings"
        words = f"settings {tournament.settings_digest} → {settings_digest(text)}; " + "; ".join(lines)
        log_act(session, tournament_id, command, words, caller.by)
        if tournament.state != "draft":
            told = [
                say("tournament-desk.amended", title=tournament.title, why=caller.by.why, digest=settings_digest(text)),
                *lines,
            ]
            here = [
                each for each in tournaments.entrants_of(conn, tournament_id, TAKING_PART) if each.state != "entered"
            ]
            subject = say("tournament-desk.amended-subject", title=tournament.title)
            tell_all(session, here, Letter(subject, told, f"amended.{settings_digest(text)}.{stamp(caller.now)}"))
        invite_next(session, tournaments.find_tournament(conn, tournament_id))
        return SettingsChange(lines, settings_digest(text))


def amend_setting(caller: Caller, tournament_id: str, name: str, value: str) -> SettingsChange:
    with within(caller.games) as conn:
        before = tournaments.find_tournament(conn, tournament_id).text
    try:
        wanted = tomllib.loads(f"it = {value}")["it"]
        written = value
    except tomllib.TOMLDecodeError:
        wanted, written = value, json.dumps(value, ensure_ascii=False)
    path, _, key = name.rpartition(".")
    heads = [found.end() for found in re.finditer(rf"(?m)^\[{re.escape(path)}\][^\n]*\n?", before)]
    begin = heads[0] if heads else 0 if not path else len(before)
    rest = re.search(r"(?m)^\[", before[begin:])
    end = begin + rest.start() if rest else len(before)
    own, line = before[begin:end], f"{key} = {written}"
    own, replaced = re.subn(rf"(?m)^{re.escape(key)} *=.*$", lambda _: line, own)
    new = own if replaced else (f"{line}\n{own}" if heads or not path else f"\n[{path}]\n{line}\n")
    text = before[:begin] + new + before[end:]
    try:
        is_right = _flat_settings(tomllib.loads(text)) == {**_flat_settings(tomllib.loads(before)), name: wanted}
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise Refused(say("tournament-desk.not-alone", name=name))
    changed = amend_settings(caller, tournament_id, text)
    if not changed.lines:
        raise Refused(say("tournament-desk.is-so", name=name, value=value))
    return changed


def open_until(caller: Caller, tournament_id: str, day: str) -> OpenedEntries:
    return open_entries(caller, tournament_id, until=end_of_day(caller.games.settings, day))


def write_to_all(caller: Caller, tournament_id: str) -> None:
    with acting(caller, tournament_id) as (session, tournament):
        require_power(session.conn, tournament_id, caller.by, "tell")
        told = [say("tournament-desk.written"), *caller.by.why.splitlines()]
        subject = say("tournament-desk.written-subject", title=tournament.title)
        _tell_everybody(session, tournament, subject, told, f"tell.{stamp(caller.now)}")
        log_act(session, tournament_id, "tell", "a letter to all", caller.by)


def _is_among(name: str, those: tuple[str, ...]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in those)


def _flat_settings(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat |= _flat_settings(value, f"{before}{name}.")
        else:
            flat[f"{before}{name}"] = value
    return flat


def _setting_text(value: Any) -> str:
    return "(nothing)" if value is None else f"{value}"


def is_full(conn: Connection, tournament: Tournament) -> bool:
    most = tournament.settings.people.most
    return bool(most) and len(tournaments.entrants_of(conn, tournament.id, ["confirmed", "invited"])) >= most


def waiting_list(conn: Connection, tournament_id: str) -> list[Entrant]:
    listed = tournaments.entrants_of(conn, tournament_id, ["standby"])
    return sorted(listed, key=lambda each: (each.standby, each.confirmed_at or each.entered_at, each.number))


def place_on_list(conn: Connection, entrant: Entrant) -> int:
    numbers = [each.number for each in waiting_list(conn, entrant.tournament_id)]
    return numbers.index(entrant.number) + 1 if entrant.number in numbers else 0


def invite_next(session: Session, tournament: Tournament) -> None:
    """Invite the next people on the waiting list while there are free places. A person who did not answer an earlier
    invitation is not invited again."""
    conn = session.conn
    if tournament.state != "open" or not tournament.settings.people.most:
        return
    asked = {paper.entrant for paper in tournaments.papers_of(conn, tournament.id, "invitation", state=None)}
    for entrant in waiting_list(conn, tournament.id):
        if is_full(conn, tournament):
            return
        if not entrant.standby and entrant.number not in asked:
            _invite(session, tournament, entrant)


def _invite(session: Session, tournament: Tournament, entrant: Entrant) -> None:
    conn, now = session.conn, session.now
    until = now + timedelta(hours=tournament.settings.people.invite_hours)
    if tournament.until is not None:
        until = min(until, max(tournament.until, now + timedelta(hours=1)))
    tournaments.file_paper(conn, Paper(tournament.id, entrant.number, "invitation", "", now, until=until))
    tournaments.change_entrant(conn, tournament.id, entrant.number, state="invited")
    log_act(session, tournament.id, "invite", f"{entrant.handle} was offered a place")
    letters.send_invitation(session, tournament, entrant, until)


def answer_invitation(
    session: Session, tournament: Tournament, entrant: Entrant, paper: Paper, *, accepted: bool
) -> bool:
    """Apply an entrant's answer to an invitation. Return True if they now have a place. An expired invitation can still
    be accepted while there is a free place."""
    conn, in_time = session.conn, paper.state == "open"
    if accepted and (in_time or (tournament.state == "open" and not is_full(conn, tournament))):
        tournaments.set_paper_state(conn, paper.id, "answered")
        tournaments.change_entrant(conn, tournament.id, entrant.number, state="confirmed")
        log_act(session, tournament.id, "invite", f"{entrant.handle} took the place")
        return True
    if in_time:
        tournaments.set_paper_state(conn, paper.id, "refused")
        tournaments.change_entrant(conn, tournament.id, entrant.number, state="standby")
        log_act(session, tournament.id, "invite", f"{entrant.handle} declined the place")
        invite_next(session, tournament)
    return False


def drop_invitations(conn: Connection, entrant: Entrant) -> None:
    for paper in tournaments.papers_of(conn, entrant.tournament_id, "invitation"):
        if paper.entrant == entrant.number:
            tournaments.set_paper_state(conn, paper.id, "gone")


def end_invitations(session: Session, tournament_id: str) -> None:
    for paper in tournaments.papers_of(session.conn, tournament_id, "invitation"):
        _expire_invitation(session, paper)


def _expire_invitation(session: Session, paper: Paper) -> None:
    tournaments.set_paper_state(session.conn, paper.id, "gone")
    tournaments.change_entrant(session.conn, paper.tournament_id, paper.entrant, state="standby")
    words = f"the offer to {tournaments.handle(paper.entrant)} expired"
    log_act(session, paper.tournament_id, "invite", words)


def expire_invitations(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        over = {paper.tournament_id for paper in tournaments.papers_due(conn, now) if paper.kind == "invitation"}
    for tournament_id in sorted(over):
        with acting(Caller(open_games, now), tournament_id) as (session, tournament):
            for paper in tournaments.papers_due(session.conn, now):
                if paper.kind == "invitation" and paper.tournament_id == tournament_id:
                    _expire_invitation(session, paper)
            invite_next(session, tournament)


READY_HOLDS = timedelta(days=21)
"""The time for which a person on a ladder counts as ready. After it they are asked once, and have ``READY_ANSWERS`` to
say that they still are."""
READY_ANSWERS = timedelta(days=7)
ASKED = "asked"


def expire_ready(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        ladders = [
            one for one in tournaments.all_tournaments(conn, "open", "running") if one.settings.format == "ladder"
        ]
        over = [one.id for one in ladders if _ready_over(conn, one.id, now)]
    for tournament_id in over:
        with acting(Caller(open_games, now), tournament_id) as (session, tournament):
            known = {each.number: each for each in tournaments.entrants_of(session.conn, tournament_id)}
            for paper in _ready_over(session.conn, tournament_id, now):
                if paper.words == ASKED:
                    tournaments.set_paper_state(session.conn, paper.id, "gone")
                else:
                    _ask_if_ready(session, tournament, known[paper.entrant], paper)


def _ready_over(conn: Connection, tournament_id: str, now: datetime) -> list[Paper]:
    papers = tournaments.papers_of(conn, tournament_id, "ready")
    return [paper for paper in papers if (paper.until or paper.at + READY_HOLDS) <= now]


def is_asked_ready(conn: Connection, entrant: Entrant) -> bool:
    papers = tournaments.papers_of(conn, entrant.tournament_id, "ready")
    return any(paper.entrant == entrant.number and paper.words == ASKED for paper in papers)


def _ask_if_ready(session: Session, tournament: Tournament, entrant: Entrant, paper: Paper) -> None:
    until = session.now + READY_ANSWERS
    tournaments.set_paper_state(session.conn, paper.id, "open", ASKED)
    tournaments.postpone_paper(session.conn, paper, until)
    told = [
        say("tournament-ready.asked", title=tournament.title, since=local_instant(paper.at, entrant)),
        say("tournament-ready.until", until=local_instant(until, entrant)),
    ]
    subject = say("tournament-ready.subject", title=tournament.title)
    cause = f"ready.{paper.id}.{stamp(session.now)}"
    letters.tell(session, entrant, Letter(subject, told, cause, ready=("ready", "not ready")))


# --- the end of entries, and the check-in ----------------------------------------------------------------------------


def close_entries(session: Session, tournament: Tournament) -> None:
    """Tell everybody that entries are closed and what comes next. People who enter from now on are substitutes."""
    conn = session.conn
    end_invitations(session, tournament.id)
    here = tournaments.entrants_of(conn, tournament.id, ["confirmed"])
    log_act(session, tournament.id, "close entries", f"entries are closed; {plural(len(here), 'entrant')}")
    asks = tournament.settings.steps.check_in
    subject = say("tournament-closing.subject", title=tournament.title)
    told = [
        say("tournament-closing.closed", title=tournament.title, count=len(here)),
        say(f"tournament-closing.{'check-in' if asks else 'next'}", beacon=bool(tournament.settings.beacon)),
    ]
    cause = f"closed.{stamp(tournament.until or session.now)}"
    tell_all(session, here, Letter(subject, told, cause))
    for entrant in waiting_list(conn, tournament.id):
        place = say("tournament-closing.listed", place=place_on_list(conn, entrant))
        letters.tell(session, entrant, Letter(subject, [told[0], place], cause))


def ask_who_is_there(session: Session, tournament: Tournament) -> None:
    conn = session.conn
    until = session.now + timedelta(hours=tournament.settings.steps.check_in_hours)
    here = tournaments.entrants_of(conn, tournament.id, ["confirmed"])
    for entrant in (*here, *waiting_list(conn, tournament.id)):
        tournaments.file_paper(conn, Paper(tournament.id, entrant.number, "check-in", "", session.now, until=until))
        at = deadline(until, session.now, letters.zone_of(entrant))
        asked = say("tournament-check-in.asked", title=tournament.title, until=at, listed=entrant.state == "standby")
        subject = say("tournament-check-in.subject", title=tournament.title)
        letter = Letter(subject, [asked, say("tournament-check-in.silent")], "check-in", ready=("here",))
        letters.tell(session, entrant, letter)
    log_act(session, tournament.id, "check in", f"asked until {until:%Y-%m-%d %H:%M}Z; {len(here)} to be drawn")


def note_here(session: Session, tournament: Tournament, entrant: Entrant) -> str:
    """Record that an entrant has confirmed at the check-in, and return the answer. An entrant who lost their place by
    silence, and confirms before the draw is frozen, gets it back at once if a place is free."""
    conn = session.conn
    papers = tournaments.papers_of(conn, tournament.id, "check-in", state=None)
    own = next((paper for paper in reversed(papers) if paper.entrant == entrant.number), None)
    if own is None or tournament.state != "open":
        return say("tournament-check-in.not-asked")
    was = own.state
    tournaments.set_paper_state(conn, own.id, "answered")
    if was != "gone" or entrant.state == "confirmed":
        return say("tournament-check-in.noted", listed=entrant.state == "standby")
    fits = not is_full(conn, tournament) and beacons.frozen_draw(conn, tournament.id) is None
    if not fits:
        return say("tournament-check-in.taken", place=place_on_list(conn, entrant))
    tournaments.change_entrant(conn, tournament.id, entrant.number, state="confirmed")
    log_act(session, tournament.id, "check in", f"{entrant.handle} is back")
    return say("tournament-check-in.back", title=tournament.title)


def end_check_ins(open_games: OpenGames, now: datetime) -> None:
    """After a check-in, move the entrants who did not confirm to the waiting list, and give their places to people on
    that list who have checked in."""
    with reading(open_games.engine) as conn:
        over = {paper.tournament_id for paper in tournaments.papers_due(conn, now) if paper.kind == "check-in"}
    for tournament_id in sorted(over):
        with acting(Caller(open_games, now), tournament_id) as (session, tournament):
            _end_check_in(session, tournament)


def _end_check_in(session: Session, tournament: Tournament) -> None:
    conn = session.conn
    papers = tournaments.papers_of(conn, tournament.id, "check-in", state=None)
    silent = {paper.entrant for paper in papers if paper.state == "open"}
    there = {paper.entrant for paper in papers if paper.state == "answered"}
    for paper in papers:
        if paper.state == "open":
            tournaments.set_paper_state(conn, paper.id, "gone")
    ready = [each for each in waiting_list(conn, tournament.id) if each.number in there]
    gone = [each for each in tournaments.entrants_of(conn, tournament.id, ["confirmed"]) if each.number in silent]
    subject = say("tournament-check-in.over-subject", title=tournament.title)
    for entrant in gone:
        tournaments.change_entrant(conn, tournament.id, entrant.number, state="standby")
        told = [say("tournament-check-in.gone", title=tournament.title)]
        letters.tell(session, entrant, Letter(subject, told, "check-in-over", ready=("here",)))
    for entrant in ready[: len(gone)]:
        tournaments.change_entrant(conn, tournament.id, entrant.number, state="confirmed", standby=False)
        letters.tell(
            session, entrant, Letter(subject, [say("tournament-check-in.in", title=tournament.title)], "check-in-over")
        )
    words = f"silent: {listed([each.handle for each in gone]) or 'nobody'}"
    words += f"; in their places: {listed([each.handle for each in ready[: len(gone)]]) or 'nobody'}"
    log_act(session, tournament.id, "check in", words)
