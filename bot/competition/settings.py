"""The settings of a tournament: a TOML file that is checked, frozen when the tournament is created, and identified by
its hash.

The examples (`mentat tournament new --example FORMAT`) have comments that explain each setting to organisers. This
module defines the types and defaults. Each error in a file is reported in a sentence of its own.
"""

from __future__ import annotations

import hashlib
import tomllib
import types
from collections.abc import Mapping
from datetime import date
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from bot.competition.scoring import Cause as Cause
from bot.competition.scoring import Entered as Entered
from bot.competition.scoring import Scoring as Scoring
from bot.competition.scoring import ScoringRefused, scoring_system
from bot.press import PressRefused, read_press

Format = Literal["heats", "swiss", "league", "ladder", "knockout"]
Substitutes = Literal["protected", "pro-rata", "finisher", "nobody"]
Charge = Literal["always", "wins"]
LONGEST_TITLE = 120
LONGEST_CONDUCT = 20_000
LAST_TURN = 20

AutoStep = Literal["closing", "check-in", "draw", "start", "round", "final", "finish"]
QUICKNET = "quicknet"
"""A beacon that needs no date: the public drand chain that publishes a value every three seconds."""
Assigning = Literal["draw", "trade", "two-cards", "preference", "auction"]
TieBreak = Literal[
    "played", "forfeits", "wins", "points", "full_wins", "quality", "first_heat", "opponents", "head_to_head",
    "strongholds_per_turn", "hardest_faction", "turns", "lot",
]  # fmt: skip


class SettingsTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One TOML table of the settings file. It accepts no unknown settings."""


class Rounds(SettingsTable, frozen=True):
    """[rounds]: the rounds to be played.

    - ``heats`` is the number of heats. ``parallel`` is true if they are played at the same time.
    - ``load`` is the maximum number of tables that a player has at a time; further tables are drawn as soon as enough
      players are free. If it is 0, all heats are seated at once.
    - ``semifinal`` and ``final`` are the numbers of players in these rounds; 0 means no such round.
    - ``swiss`` is the number of rounds by standings.
    - ``after`` is the league that this one continues. ``up`` and ``down`` are the numbers of players who move up and
      down from each division.
    - ``ladder_days`` is the number of days before two players on a ladder can meet again.
    """

    heats: int = 3
    parallel: bool = True
    load: int = 0
    semifinal: int = 36
    final: int = 6
    swiss: int = 4
    after: str = ""
    up: int = 2
    down: int = 2
    ladder_days: int = 90
    days: int = 65
    spread_hours: int = 24


class Tables(SettingsTable, frozen=True):
    """[tables]: the game and its tables.

    - ``missing`` is the faction that is not played at a table of five.
    - ``seen`` says when entrants may see other tables.
    - ``overlap_hours`` is the minimum number of waking hours that the players of a table have in common; 0 means no
      minimum.
    - ``clock`` is the clock of each table (as for `mentat game new --clock`).
    """

    ruleset: str = "wbc-2018"
    options: Mapping[str, Any] = {}
    tempo: str = "table"
    clock: Mapping[str, Any] = {}
    fours: bool = False
    missing: Literal["drawn", "bene-gesserit"] = "drawn"
    overlap_hours: int = 0
    seen: Literal["round-end", "late"] = "round-end"


class Factions(SettingsTable, frozen=True):
    """[factions]: how players get their factions. ``charge`` says whether the price of an auction is always paid, or
    only by winners."""

    by: Assigning = "draw"
    trade_hours: int = 72
    charge: Charge = "always"


class Steps(SettingsTable, frozen=True):
    """[steps]: which steps happen automatically, and when.

    - ``lead_hours`` is the minimum time between the freezing of a draw and its beacon.
    - ``look_hours`` is the time between a draw and the start of its games.
    - ``check_in`` is true if, before the first draw, all entrants must confirm that they will play. They have
      ``check_in_hours`` for this.
    """

    lead_hours: int = 24
    look_hours: int = 24
    check_in: bool = False
    check_in_hours: int = 72


class Endings(SettingsTable, frozen=True):
    """[endings]: what happens to games that do not end in time.

    - ``notice_days`` sets how many days before the end of the round Mentat tells every table its last turn.
      ``turns_left`` is the number of turns that the table may then play after the current one.
    - ``window`` is for ``end = "hidden"``: each table's last turn is drawn from it and committed to at the start.
    - ``unfinished`` names who decides the result of an unfinished table in an event that runs automatically.

    Hours are calendar hours.
    """

    end: Literal["announced", "hidden"] = "announced"
    window: tuple[int, int] = (8, 10)
    notice_days: int = 14
    turns_left: int = 1
    vote_days: int = 5
    protest_hours: int = 72
    unfinished: Literal["arbiters", "stopped"] = "arbiters"


class People(SettingsTable, frozen=True):
    """[people]: who may enter, and what happens to players who do not play. ``most`` is the maximum number of entrants;
    0 means no limit. ``entry`` says whether anybody may enter, or only people whom the director enters."""

    entry: Literal["open", "invited"] = "open"
    most: int = 0
    invite_hours: int = 72
    show_hours: int = 96
    answer_hours: int = 48
    substitutes: Substitutes = "protected"
    no_show_bars_next: bool = False
    conduct: str = ""
    digest: bool = True
    deputy_after_days: int = 14


class TournamentSettings(SettingsTable, frozen=True):
    """All settings of a tournament.

    - ``beacon`` names the source of beacons, and ``beacon_date`` is when the first of them appears
      (``bot.tournament.beacons``). If both are empty, there is no beacon, and the record says so.
    - ``witness`` is true if entrants may also send in the value of a beacon.
    - ``beacon_wait_days`` is how long the draw waits for the value. If there is none by then and ``beacon_optional`` is
      set, the draw takes place without it.
    - ``press`` says how the players of a table may write to each other (``bot.press``).
    - ``auto`` says which steps happen automatically: all of them, or only those listed (``bot.tournament.automatic``).
    """

    title: str
    format: Format = "heats"
    beacon: str = ""
    beacon_date: str = ""
    witness: bool = False
    beacon_wait_days: int = 7
    beacon_optional: bool = False
    rated: bool = True
    press: str = ""
    auto: bool | tuple[AutoStep, ...] = False
    rounds: Rounds = Rounds()
    tables: Tables = Tables()
    factions: Factions = Factions()
    scoring: Scoring = Scoring()
    tie_breaks: tuple[TieBreak, ...] = (
        "played", "forfeits", "points", "wins", "full_wins", "quality", "head_to_head", "opponents",
        "strongholds_per_turn", "lot",
    )  # fmt: skip
    endings: Endings = Endings()
    people: People = People()
    steps: Steps = Steps()

    def is_automatic(self, step: str) -> bool:
        return self.auto if isinstance(self.auto, bool) else step in self.auto


class SettingsRefused(ValueError):
    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


def read_settings(text: str) -> TournamentSettings:
    try:
        said = tomllib.loads(text)
        exact = tomllib.loads(text, parse_float=str)
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise SettingsRefused([f"The file is not TOML: {error}."]) from None
    if "scoring" in exact:
        said["scoring"] = exact["scoring"]  # 0.1 is exactly a tenth here, not the nearest float
    problems: list[str] = []
    settings = read_table(said, TournamentSettings, problems)
    if settings is None:
        raise SettingsRefused(problems)
    problems = [problem for check in _CHECKS for problem in check(settings)]
    if problems:
        raise SettingsRefused(problems)
    return settings


def _title(settings: TournamentSettings) -> list[str]:
    title = settings.title
    if not title.strip() or len(title) > LONGEST_TITLE or not title.isprintable():
        return [f"title must be one line of 1 to {LONGEST_TITLE} characters."]
    return []


def _beacon(settings: TournamentSettings) -> list[str]:
    problems = _within("settings", settings, beacon_wait_days=(1, 365))
    if settings.beacon == QUICKNET and not settings.beacon_date:
        return problems
    if bool(settings.beacon) != bool(settings.beacon_date):
        return [*problems, "beacon names the source and beacon_date the date of its value: set both, or neither."]
    if not settings.beacon_date:
        return problems
    try:
        written = date.fromisoformat(settings.beacon_date).isoformat()
    except ValueError:
        written = ""
    if written != settings.beacon_date:
        problems.append(f"beacon_date is {settings.beacon_date[:40]!r}: it must be a date like 2027-03-01.")
    return problems


def _steps(settings: TournamentSettings) -> list[str]:
    return _within("steps", settings.steps, lead_hours=(24, 1000), look_hours=(0, 1000), check_in_hours=(24, 1000))


def _press(settings: TournamentSettings) -> list[str]:
    try:
        said = read_press(settings.press)
    except PressRefused as error:
        return [f"press is {settings.press[:40]!r}: {error}"]
    if said.gunboat and settings.factions.by != "draw":
        return [
            f"press includes gunboat, but factions are assigned by {settings.factions.by}: a player who deals for a "
            "faction reveals who plays it. With gunboat, factions must be assigned by draw."
        ]
    if said.names_until == "round" and settings.format == "ladder":
        return ["press has names-until=round, but the tables of a ladder have no common end: leave it out."]
    return []


def _scoring(settings: TournamentSettings) -> list[str]:
    try:
        read = scoring_system(settings.scoring)
    except ScoringRefused as error:
        return error.problems
    if settings.format == "heats" and read.aggregate.best > settings.rounds.heats > 0:
        return [f"[scoring] aggregate takes the best {read.aggregate.best} of {settings.rounds.heats} heats."]
    return []


def _tie_breaks(settings: TournamentSettings) -> list[str]:
    order = settings.tie_breaks
    problems = []
    twice = sorted({name for name in order if order.count(name) > 1})
    if twice:
        problems.append(f"tie_breaks names {', '.join(twice)} more than once.")
    if "lot" in order[:-1]:
        problems.append("tie_breaks continues after lot, which breaks every tie: put lot last.")
    return problems


def _rounds(settings: TournamentSettings) -> list[str]:
    rounds, fours = settings.rounds, settings.tables.fours
    problems = [
        *_within("rounds", rounds, heats=(1, 50), load=(0, 20), swiss=(1, 50), up=(0, 30), down=(0, 30)),
        *_within("rounds", rounds, ladder_days=(0, 1000), days=(1, 1000), spread_hours=(0, 168)),
    ]
    at_one_table = (4, 5, 6) if fours else (5, 6)
    if rounds.final and rounds.final not in at_one_table:
        problems.append(f"[rounds] final is {rounds.final}: it must be 5 or 6 (4 with fours = true), or 0.")
    if rounds.semifinal and not _tables_of(rounds.semifinal, fours=fours):
        problems.append(f"[rounds] semifinal is {rounds.semifinal}: tables of six and five cannot seat that number.")
    if settings.format in ("heats", "swiss") and 0 < rounds.semifinal <= rounds.final:
        problems.append(
            f"[rounds] semifinal is for {rounds.semifinal} and final for {rounds.final}: the semifinal must be larger."
        )
    return problems


def _tables_of(entrants: int, *, fours: bool) -> bool:
    fewest = 4 if fours else 5
    return any(tables * fewest <= entrants <= tables * 6 for tables in range(1, entrants + 1))


def _endings(settings: TournamentSettings) -> list[str]:
    endings, days = settings.endings, settings.rounds.days
    problems = _within(
        "endings", endings, notice_days=(1, 1000), turns_left=(0, 20), vote_days=(1, 60), protest_hours=(0, 1000)
    )
    first, last = endings.window
    if not 1 <= first <= last <= LAST_TURN:
        problems.append(f"[endings] window is {first} to {last}: it must be two turns in order, from 1 to {LAST_TURN}.")
    if settings.format != "ladder" and endings.notice_days >= days > 0:
        problems.append(f"[endings] notice_days is {endings.notice_days}, but a round has only {days} days.")
    return problems


def _people(settings: TournamentSettings) -> list[str]:
    people = settings.people
    problems = _within(
        "people",
        people,
        most=(0, 100_000),
        invite_hours=(1, 1000),
        show_hours=(1, 1000),
        answer_hours=(1, 1000),
        deputy_after_days=(1, 1000),
    )
    if len(people.conduct) > LONGEST_CONDUCT:
        problems.append(f"[people] conduct has more than {LONGEST_CONDUCT} characters.")
    return problems


def _tables(settings: TournamentSettings) -> list[str]:
    problems = _within("tables", settings.tables, overlap_hours=(0, 24))
    return problems + _within("factions", settings.factions, trade_hours=(0, 1000))


def _within(where: str, part: SettingsTable, **bounds: tuple[int, int]) -> list[str]:
    return [
        f"[{where}] {name} is {str(getattr(part, name))[:20]}: it must be from {least} to {most}."
        for name, (least, most) in bounds.items()
        if not least <= getattr(part, name) <= most
    ]


_CHECKS = (_title, _beacon, _steps, _press, _rounds, _tables, _scoring, _tie_breaks, _endings, _people)


def effective_settings(text: str, written_out: Mapping[str, Any]) -> TournamentSettings:
    """Return the settings as stored in full, including defaults. If none were stored, read the text by the current
    rules. Raise SettingsRefused if the settings cannot be read."""
    if not written_out:
        return read_settings(text)
    try:
        return msgspec.convert(written_out, TournamentSettings)
    except msgspec.ValidationError as error:
        raise SettingsRefused([f"The stored settings cannot be read: {error}."]) from None


def settings_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


S = TypeVar("S", bound=msgspec.Struct)
_TYPES = {bool: "true or false", int: "a whole number", str: "text in quotes"}


def read_table(said: Mapping[str, Any], into: type[S], problems: list[str], where: str = "") -> S | None:
    """Convert a TOML table of the file to this type. If it contains errors, add a sentence about each to ``problems``
    and return None.

    >>> wrong: list[str] = []
    >>> read_table({"x": 1}, msgspec.defstruct("Table", [("a", int, 2)]), wrong, "seats"), wrong
    (None, ['There is no setting x in [seats]; its settings are a.'])
    """
    place = f"[{where}]" if where else "the settings"
    found = len(problems)
    hints = get_type_hints(into)
    known: dict[str, Any] = {}
    for name, value in said.items():
        if name not in into.__struct_fields__:
            problems.append(
                f"There is no setting {name[:60]} in {place}; its settings are {', '.join(into.__struct_fields__)}."
            )
        elif isinstance(hints[name], type) and issubclass(hints[name], msgspec.Struct):
            if isinstance(value, Mapping):
                known[name] = read_table(value, hints[name], problems, name)
            else:
                problems.append(f"{name} is a table: its settings belong below [{name}].")
        else:
            known[name] = _read(value, hints[name], f"[{where}] {name}" if where else name, problems)
    for name in [field.name for field in msgspec.structs.fields(into) if field.required]:
        if name not in said:
            problems.append(f"{name} is missing in {place}.")
    return into(**known) if len(problems) == found else None


def _read(value: Any, hint: Any, where: str, problems: list[str]) -> Any:
    try:
        return msgspec.convert(value, hint)
    except msgspec.ValidationError:
        shown = repr(value)
        problems.append(f"{where} is {shown[:60]}: it must be {_described(hint)}.")
        return None


def _described(hint: Any) -> str:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return "one of " + ", ".join(f'"{part}"' for part in parts)
    if origin in (Union, types.UnionType):
        return " or ".join(_described(part) for part in parts if part is not type(None))
    if origin is tuple and parts[-1] is ...:
        return f"a list, each item {_described(parts[0])}"
    if origin is tuple:
        return f"a list of {len(parts)}, each item {_described(parts[0])}"
    if origin is not None:
        if parts[1] is Any:
            return "a table"
        names = _described(parts[0]) if get_origin(parts[0]) is Literal else "names"
        return f"a table of {names}, each with {_described(parts[1])}"
    return _TYPES.get(hint, "something else")
