"""The values of settings: for each kind of value, a type that checks it and a description of the valid values.

Two parts of this module are also used elsewhere. `ArchivePolicy` says what the archive shows of a game, as it was
settled when the game began. `holidays_of` gives the public holidays of countries and their regions, named by ISO 3166:
"DE", "DE-BY". They come from a maintained library, which is imported only if a clock names a region.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, cast, get_args
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from bot.config.time_zones import read_zone, zone_named
from bot.mail.identity import is_one_address

ShownWhileRunning = Literal["hidden", "public", "delayed"]
ShownAfterTheEnd = Literal["full", "public-only"]
MOST_TURNS_OF_DELAY = 15
"""No game has more turns than this."""


@dataclass(frozen=True, slots=True)
class ArchivePolicy:
    """The archive's policy for a game. While the game runs, the archive shows nothing (``hidden``), the public view
    (``public``), or the public view of ``delay`` turns ago (``delayed``). After its end, it shows everything, or only
    what was public. The policy is settled when the game begins, and its players are told."""

    running: ShownWhileRunning = "hidden"
    delay: int = 0
    ended: ShownAfterTheEnd = "full"

    @property
    def while_it_runs(self) -> str:
        """The view while the game runs, as a game master writes it: "hidden", "public" or "delayed:2"."""
        return f"delayed:{self.delay}" if self.running == "delayed" else self.running

    @property
    def words(self) -> str:
        """Both parts of the policy, as they are stored in the database: "delayed:2 full"."""
        return f"{self.while_it_runs} {self.ended}"


RUNNING_EXPECTED = '"hidden", "public", or "delayed:2" for two turns ago (1 to 15)'
ENDED_EXPECTED = '"full" or "public-only"'


def read_policy(running: str, ended: str) -> ArchivePolicy:
    """Parse the two parts of a policy as a game master writes them. Raise ValueError if one is invalid; its message
    completes a sentence.

    >>> read_policy("delayed:2", "full")
    ArchivePolicy(running='delayed', delay=2, ended='full')
    """
    found = re.fullmatch(r"(hidden|public)|delayed:([0-9]{1,2})", running)
    if not found or (found[2] and not 1 <= int(found[2]) <= MOST_TURNS_OF_DELAY):
        raise ValueError(f"{running!r} is not {RUNNING_EXPECTED}")
    if ended not in get_args(ShownAfterTheEnd):
        raise ValueError(f"{ended!r} is not {ENDED_EXPECTED}")
    after = cast(ShownAfterTheEnd, ended)
    return (
        ArchivePolicy("delayed", int(found[2]), after)
        if found[2]
        else ArchivePolicy(cast(ShownWhileRunning, running), 0, after)
    )


def policy_of(words: str) -> ArchivePolicy:
    return read_policy(*words.split())


@dataclass(frozen=True, slots=True)
class Expects:
    """A description of the valid values, which completes the sentence "'abc' is not ..."."""

    words: str


def _an_address(value: str) -> str:
    if not is_one_address(value):
        raise ValueError("not an address")
    return value


def _a_region(value: str) -> str:
    code = value.strip().upper()
    if not is_region(code):
        raise ValueError("not a country whose holidays are known")
    return code


def _a_daytime(value: object) -> object:
    """Return a time of day to the minute, from a TOML time or a text like "20:00". Return None for ""."""
    if isinstance(value, str) and value and not re.fullmatch(r"([01]?\d|2[0-3]):[0-5]\d", value):
        raise ValueError("not a time of day")
    return None if value == "" else f"{value:0>5}" if isinstance(value, str) else value


def _a_zone(value: object) -> object:
    return zone_named(read_zone(value)) if isinstance(value, str) else value


def _an_endpoint(value: str) -> str:
    if value and not re.fullmatch(r"https://[^\s]+|http://(localhost|127\.0\.0\.1)[:/][^\s]*", value):
        raise ValueError("not an endpoint")
    return value


def _a_page(value: str) -> str:
    if value and not re.fullmatch(r"https?://[^\s<>\"]+", value):
        raise ValueError("not the address of a page")
    return value


def database_url(value: str) -> str:
    """Return a valid database URL unchanged. It is the URL of a server (for SQLAlchemy and libpq) or of a file
    (``sqlite:///mentat.db``). Raise ValueError for any other text, and if the URL contains a password, which belongs in
    `.env`.

    >>> database_url("postgresql://mentat@db.example.org/mentat")
    'postgresql://mentat@db.example.org/mentat'
    """
    if not re.fullmatch(r"sqlite:///[^?#:\n]+", value):
        _a_server(value)
    return value


def file_of(url: str) -> Path | None:
    """Return the file that a database URL names, or None for the URL of a server.

    >>> file_of("sqlite:///mentat.db"), file_of("sqlite:////var/lib/mentat/mentat.db")
    (PosixPath('mentat.db'), PosixPath('/var/lib/mentat/mentat.db'))
    """
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None


def _a_server(value: str) -> str:
    parts = urlsplit(value)
    named = parts.scheme == "postgresql" and parts.path.strip("/") and parts.password is None and parts.port != 0
    if not named or parts.fragment or re.search(r"\s", value) or "password" in parts.query:
        raise ValueError("not the URL of a database")
    from psycopg import ProgrammingError  # slow to load, and a SQLite file does not need it
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(value)
    except ProgrammingError as error:
        raise ValueError(f"not a URL that libpq accepts: {error}") from None
    return value


def _a_forum(value: str) -> str:
    parts = urlsplit(value)
    safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1"))
    strange = parts.username or parts.query or parts.fragment or re.search(r"\s", value)
    if value and (strange or not (safe and parts.hostname and parts.port != 0)):
        raise ValueError("not the address of a forum")
    return value.rstrip("/")


def _enough_characters(value: int) -> int:
    if value and value < 1_000:
        raise ValueError("too few for a post")
    return value


def _while_running(value: str) -> str:
    return read_policy(value, "full").while_it_runs


def _beside_the_file(value: Path, info: ValidationInfo) -> Path:
    directory: Path = (info.context or {}).get("directory", Path())
    return directory / value.expanduser()


Text = Annotated[str, Field(min_length=1), Expects("text in quotes")]
Address = Annotated[str, AfterValidator(_an_address), Expects('one e-mail address like "mentat@arrakis.example"')]
Place = Annotated[
    Path,
    Field(validate_default=True),
    AfterValidator(_beside_the_file),
    Expects("the path of a file or folder, in quotes"),
]
PlaceIfAny = Annotated[
    Path | None,
    AfterValidator(lambda value, info: value and _beside_the_file(value, info)),
    BeforeValidator(lambda value: None if value == "" else value),
    Expects('the path of a file, in quotes, or ""'),
]
TextIfAny = Annotated[str, Expects("text in quotes")]
Endpoint = Annotated[str, AfterValidator(_an_endpoint), Expects('an address like "https://oauth2.example.org/token"')]
Page = Annotated[str, AfterValidator(_a_page), Expects('an address like "https://dune.example.org/rules"')]
DATABASE_EXPECTED = (
    'a URL without a password like "postgresql://mentat@db.example.org/mentat" (the password goes into .env), '
    'or of a file like "sqlite:///mentat.db"'
)
DatabaseUrl = Annotated[str, AfterValidator(lambda value: value and database_url(value)), Expects(DATABASE_EXPECTED)]
ServerUrl = Annotated[
    str,
    AfterValidator(lambda value: value and _a_server(value)),
    Expects('a URL without a password like "postgresql://mentat@db.example.org/mentat" (the password goes into .env)'),
]
ForumPage = Annotated[
    str, AfterValidator(_a_forum), Expects('the address of the forum, like "https://forum.arrakis.example"')
]
CategoryIfAny = Annotated[
    Annotated[int, Field(strict=True, ge=1)] | None, Expects("the number of a category, as its address has it")
]
Characters = Annotated[
    int,
    Field(strict=True, le=1_000_000),
    AfterValidator(_enough_characters),
    Expects("a number from 1000 to 1000000, or 0 for as many as such a forum allows"),
]
Dialect = Annotated[
    Literal["bbcode", "bgg", "markdown", "text"] | None, Expects('one of "bbcode", "bgg", "markdown", "text"')
]
SecondsIfAny = Annotated[
    Annotated[float, Field(strict=True, ge=0, le=86_400)] | None, Expects("a number of seconds from 0 to 86400")
]
PostsInARow = Annotated[
    Annotated[int, Field(strict=True, ge=0, le=1_000)] | None,
    Expects("a number from 1 to 1000, or 0 where there is no limit"),
]
HeaderName = Annotated[str, Field(pattern=r"^([!-9;-~]+)?$"), Expects('the name of a header, like "X-MailFrom"')]
AddressIfAny = Annotated[
    str,
    AfterValidator(lambda value: value and _an_address(value)),
    Expects('one e-mail address like "dune@lists.example.org"'),
]
ZONE_EXPECTED = Expects('a time zone like "Europe/Berlin"')
Zone = Annotated[ZoneInfo, Field(validate_default=True), BeforeValidator(_a_zone), ZONE_EXPECTED]
Flag = Annotated[bool, Field(strict=True), Expects("true or false, without quotes")]
Port = Annotated[int, Field(strict=True, ge=1, le=65535), Expects("a number from 1 to 65535")]
Count = Annotated[int, Field(strict=True, ge=1, le=1_000_000_000), Expects("a whole number from 1 up")]
Seconds = Annotated[float, Field(strict=True, ge=1, le=86_400), Expects("a number of seconds from 1 to 86400")]
Hours = Annotated[
    float, Field(strict=True, gt=0, le=8_760), Expects("a number of hours above 0, at most 8760 (a year)")
]
Budget = Annotated[int, Field(strict=True, ge=0, le=8_760), Expects("a whole number from 0 to 8760")]
SomeHours = Annotated[float, Field(strict=True, ge=0, le=336), Expects("a number of hours from 0 to 336 (two weeks)")]
Minutes = Annotated[float, Field(strict=True, ge=1, le=1_440), Expects("a number of minutes from 1 to 1440 (a day)")]
SomeMinutes = Annotated[
    float, Field(strict=True, ge=0, le=1_440), Expects("a number of minutes from 0 to 1440 (a day)")
]
CanaryMinutes = Annotated[
    int, Field(strict=True, ge=0, le=1_440), Expects("a whole number of minutes from 0 to 1440 (a day)")
]
Percent = Annotated[int, Field(strict=True, ge=1, le=100), Expects("a whole number from 1 to 100")]
OwnZone = Annotated[
    ZoneInfo | None, BeforeValidator(lambda value: None if value == "" else _a_zone(value)), ZONE_EXPECTED
]
DayTime = Annotated[
    time | None, BeforeValidator(_a_daytime), Expects('a time of day like "20:00", or "" where any will do')
]
DayTimeOrOff = Annotated[
    time | None,
    BeforeValidator(lambda value: None if value == "off" else _a_daytime(value or "none")),
    Expects('a time of day like "08:00", or "off"'),
]
DaysOff = Annotated[
    tuple[Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"], ...],
    Expects('a list of days of the week like ["saturday", "sunday"]'),
]
Holidays = Annotated[
    tuple[date | Annotated[str, AfterValidator(_a_region)], ...],
    Field(max_length=1_000),
    Expects('a list of days like ["2026-12-24"], or of countries and their parts like ["DE", "US-CA"]'),
]
WhileRunning = Annotated[str, AfterValidator(_while_running), Expects(RUNNING_EXPECTED)]
FolderIfAny = Annotated[
    Path | None,
    AfterValidator(lambda value, info: value and _beside_the_file(value, info)),
    BeforeValidator(lambda value: None if value == "" else value),
    Expects('the path of a folder, in quotes, or ""'),
]
Security = Literal["tls", "starttls", "none"]
Auth = Literal["password", "xoauth2"]


def closest(word: str, choices: list[str]) -> str:
    from rapidfuzz import fuzz, process  # only needed when a name is wrong

    match = process.extractOne(word.lower(), choices, scorer=fuzz.ratio, processor=str.lower, score_cutoff=60)
    return match[0] if match else ""


def did_you_mean(word: str, choices: list[str]) -> str:
    if nearest := closest(word, choices):
        return f": did you mean {nearest}?"
    return f": there are {', '.join(choices)}."


def as_written(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def is_region(code: str) -> bool:
    """Return whether the public holidays of this region are known.

    >>> is_region("DE-BY"), is_region("Christmas")
    (True, False)
    """
    try:
        holidays_of(code, 2026)
    except NotImplementedError:
        return False
    return True


@cache
def holidays_of(code: str, year: int) -> frozenset[date]:
    """Return the public holidays of a region in one year. Raise NotImplementedError if the region is unknown."""
    import holidays

    country, _, part = code.partition("-")
    return frozenset(holidays.country_holidays(country, subdiv=part or None, years=year))
