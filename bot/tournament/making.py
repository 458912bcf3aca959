"""A tournament is made: its settings are checked and frozen, and its secret is drawn and committed to.

The settings are kept as the file that was entered, and known by its SHA-256. The commitment is published before anybody
enters; the secret stays sealed until the end (``bot.competition.draws``).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from bot.clock.settings import read_own
from bot.clock.tempo import UnknownTempo
from bot.clock.tempo import tempo as find_tempo
from bot.competition.draws import commitment
from bot.competition.published import EntrantState
from bot.competition.settings import SettingsRefused, TournamentSettings, digest, read
from bot.config import Settings, SettingsError
from bot.game_master.seeds import require_unguessable
from bot.games.open_games import OpenGames
from bot.mail.identity import reply_token
from bot.store import between_tables, games
from bot.store.database import Connection, writing
from bot.store.tournaments import acts, entrants, papers, rounds, tournaments
from bot.store.tournaments.tournaments import Tournament
from bot.tournament.desk import DIRECTOR, By, Refused, acting
from bot.tournament.letters import Letter, tell_all
from bot.tournament.places import require_right
from bot.wording.sentences import say
from rules.rulesets.contradictions import require_consistent
from rules.rulesets.options import RuleSetError
from rules.rulesets.ruleset import require_playable

LONGEST_ID = 28
"""So that the names of its games are not too long for one."""
HERE: tuple[EntrantState, ...] = ("invited", "entered", "confirmed", "playing", "advanced", "out", "standby")
"""The states of who is told what becomes of the tournament."""


@dataclass(frozen=True, slots=True)
class Made:
    """A tournament, and whether it was there already as it was to be made."""

    tournament: Tournament
    already: bool = False


def new(
    open_games: OpenGames, tournament_id: str, text: str, now: datetime, *, secret: str = "", by: By = DIRECTOR
) -> Made:
    """Make a tournament with these settings, the text of a TOML file. SettingsRefused where they cannot be;
    GuessableSeed for a secret that somebody could guess; Refused if the id is no name or is taken."""
    if not re.fullmatch(rf"[a-z0-9][a-z0-9-]{{0,{LONGEST_ID - 1}}}", tournament_id):
        raise Refused(
            f"{tournament_id[:60]!r} is no name for a tournament: use up to {LONGEST_ID} small letters, digits and "
            "hyphens, a letter or digit first."
        )
    settings = checked(open_games.settings, text)
    if secret:
        require_unguessable(secret, open_games.settings, "--secret")
    secret_of_mentat = open_games.settings.secrets.secret.get_secret_value().encode()
    with open_games.busy, writing(open_games.engine) as conn:
        if tournaments.exists(conn, tournament_id):
            there = tournaments.find(conn, tournament_id)
            if there.settings_digest == digest(text) and not (secret and secret != there.secret):
                return Made(there, already=True)
            raise Refused(
                f"There is a tournament {tournament_id!r} already, with other settings or another secret: change its "
                f"settings with `mentat tournament amend {tournament_id} settings FILE --why …`, or choose another id."
            )
        drawn = secret or secrets.token_hex(32)
        token = reply_token(secret_of_mentat, f"tournament {tournament_id}", "")
        made = Tournament(
            tournament_id, settings.title, text, digest(text), "draft", commitment(drawn), drawn, "", token, now
        )  # fmt: skip
        tournaments.create(conn, made)
        words = f"{settings.title} was made; settings {made.settings_digest}, commitment {made.commitment}"
        acts.add(conn, tournament_id, now, "new", words, who=by.address, right=by.right, why=by.why)
    return Made(made)


def checked(mentat: Settings, text: str) -> TournamentSettings:
    """The settings in a file, after everything in them was tried that a game would need. SettingsRefused."""
    settings = read(text)
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
        read_own(mentat.clock, clock_lines(settings))
    except SettingsError as error:
        problems += [f"[tables] clock: {problem}" for problem in error.problems]
    if problems:
        raise SettingsRefused(problems)
    return settings


def clock_lines(settings: TournamentSettings) -> list[str]:
    """The clock of a table, as `mentat game new --clock` takes it."""
    return [
        f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in settings.tables.clock.items()
    ]


def require_frozen(tournament: Tournament) -> None:
    """Refused if the settings are not those that were frozen."""
    if digest(tournament.text) != tournament.settings_digest:
        raise Refused(
            f"The settings of {tournament.id} are not those that were frozen: their SHA-256 is "
            f"{digest(tournament.text)}, and {tournament.settings_digest} was announced. Enter the file again with "
            f"`mentat tournament amend {tournament.id} settings FILE --why …`, which tells everybody what changes."
        )


@dataclass(frozen=True, slots=True)
class Opened:
    """A tournament that takes entries; ``already``: it did before."""

    tournament: Tournament
    already: bool = False


def open_entries(
    open_games: OpenGames, tournament_id: str, now: datetime, *, until: datetime | None = None, by: By = DIRECTOR,
    dry_run: bool = False,
) -> Opened:  # fmt: skip
    """Take entries, until an instant if one is given. What will be the beacon is announced with it, and when.

    Refused where the day of the beacon is past or lies before the end of the entries: who still can enter or withdraw
    must not know it.
    """
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        require_frozen(tournament)
        if tournament.state == "open" and until in (None, tournament.until):
            return Opened(tournament, already=True)
        if tournament.state not in ("draft", "open"):
            raise Refused(f"{tournament_id} is {tournament.state}: only a draft can be opened. {legal(tournament)}")
        if until is not None and until <= now:
            raise Refused(f"Entries cannot close at {until:%Y-%m-%d %H:%M}Z, which is past: name a later date.")
        zone = open_games.settings.mentat.timezone
        _require_beacon_to_come(tournament, now, until, zone)
        changed = {"state": "open", "until": until, "opened_at": tournament.opened_at or now}
        tournaments.touch(conn, tournament_id, **changed)
        words = f"entries are open{f' until {until:%Y-%m-%d %H:%M}Z' if until else ''}; {announced_beacon(tournament)}"
        acts.add(conn, tournament_id, now, "open", words, who=by.address, right=by.right, why=by.why)
        if tournament.state == "open" and until is not None:
            told = [say("tournament-desk.until", title=tournament.title, until=f"{until:%Y-%m-%d %H:%M}Z")]
            _tell_everybody(
                open_games, conn, tournament, now, say("tournament-desk.until-subject"), told, f"open.{until}"
            )
        return Opened(tournaments.find(conn, tournament_id))


def announced_beacon(tournament: Tournament) -> str:
    """What is said of the beacon before the draw."""
    settings = tournament.settings
    if not settings.beacon:
        return "no beacon will be used, and the record says so"
    return f"the beacon is to be {settings.beacon}, of {settings.beacon_date}"


def beacon_wanted(tournament: Tournament) -> str:
    """What the command of the draw needs besides: the beacon, as long as it was announced and is not given."""
    return ' --beacon "…"' if tournament.settings.beacon and not tournament.beacon else ""


def _require_beacon_to_come(tournament: Tournament, now: datetime, until: datetime | None, zone: tzinfo) -> None:
    day = tournament.settings.beacon_date
    if not day:
        return
    if tournament.state == "draft" and day <= f"{now.astimezone(zone):%Y-%m-%d}":
        raise Refused(
            f"The beacon of {day} is known already or will be today; a beacon must not exist yet when entries open. "
            f"Name a later one: `mentat tournament amend {tournament.id} settings FILE --why …`."
        )
    if until is not None and day < f"{until.astimezone(zone):%Y-%m-%d}":
        raise Refused(
            f"The beacon of {day} would be known before entries close on {until:%Y-%m-%d}: who then enters or "
            "withdraws would know the draw. Close entries earlier, or take a later beacon."
        )


def cancel(
    open_games: OpenGames, tournament_id: str, now: datetime, *, by: By = DIRECTOR, dry_run: bool = False
) -> bool:  # fmt: skip
    """A tournament is not played, or not to its end; False if it was cancelled already. Games that have begun go on as
    friendly ones."""
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        if tournament.state == "cancelled":
            return False
        if tournament.state == "finished":
            raise Refused(f"{tournament_id} is finished, and its results stand; it cannot be cancelled.")
        tournaments.touch(conn, tournament_id, state="cancelled", finished_at=now)
        between_tables.tell_names(conn, tournament_id)
        for table in rounds.tables(conn, tournament_id, states=["planned", "playing"]):
            rounds.change_table(conn, tournament_id, table.round, table.number, state="void")
        for paper in papers.of_tournament(conn, tournament_id):
            papers.set_state(conn, paper.id, "gone")
        acts.add(conn, tournament_id, now, "cancel", "cancelled", who=by.address, right=by.right, why=by.why)
        told = [say("tournament-desk.cancelled", title=tournament.title, why=by.why)]
        _tell_everybody(
            open_games,
            conn,
            tournament,
            now,
            say("tournament-desk.cancelled-subject", title=tournament.title),
            told,
            "cancelled",
        )
        return True


def _tell_everybody(
    open_games: OpenGames, conn: Connection, tournament: Tournament, now: datetime, subject: str,
    told: Sequence[str], cause: str,
) -> None:  # fmt: skip
    here = [each for each in entrants.of_tournament(conn, tournament.id, HERE) if each.state != "entered"]
    tell_all(conn, open_games.writer, here, now, Letter(subject, told, cause))


def legal(tournament: Tournament) -> str:
    """What can be done with a tournament as it is, as a sentence."""
    return _LEGAL[tournament.state].format(id=tournament.id)


_LEGAL = {
    "draft": "Open it with `mentat tournament open {id}`.",
    "open": "Draw it with `mentat tournament draw {id}`.",
    "drawn": "Start its games with `mentat tournament start {id}`.",
    "running": "`mentat tournament show {id}` says what waits.",
    "finished": "It is finished: `mentat tournament standings {id}` shows how.",
    "cancelled": "It was cancelled, and nothing more comes of it.",
}
