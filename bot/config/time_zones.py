"""Time zones as people write them: offsets, names from the zone database, places, countries and abbreviations.

An offset is read as in ISO 8601: `GMT-5` is five hours behind UTC. The zone database counts the other way round in its
`Etc/GMT-5`, and its `EST` has no summer time, so such words are not looked up in it. If a word may mean several zones,
Mentat does not guess.

Two zones count as the same if, as far as the database knows, they show the same time from now on (`_clock`).
"""

from __future__ import annotations

import io
import re
import struct
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import resources
from itertools import takewhile
from zoneinfo import ZoneInfo, available_timezones

MOST_NEAR = 3  # the most zones suggested for an unclear word

_NO_PLACES = ("Etc", "Factory", "SystemV", "posix", "right")
_OFFSET = re.compile(r"(?:gmt|utc|ut|z)? ?([+-]) ?([0-9]{1,2}?)(?::?([0-9]{2})|[.,]([0-9]{1,2}))?(?: ?(?:h|hours?))?")
_QUARTERS = {"5": 30, "50": 30, "25": 15, "75": 45, "30": 30, "15": 15, "45": 45, "0": 0, "00": 0}
_FARTHEST = (-12 * 60, 14 * 60)  # in minutes; no clock in the world differs more from UTC
_SIGNS = str.maketrans(dict.fromkeys("‐‑‒–—−﹣－", "-") | {"＋": "+", "：": ":"})
_AROUND = re.compile(
    r"^[\s:=]*(?:(?:time ?zone|is|to|in|at)\b[\s:=]*)*|[\s,;]+(?:please|thanks|thank you)\W*$", re.IGNORECASE
)
_KIND_OF_TIME = re.compile(
    r"(?: (?:standard|summer|winter|daylight|daylight savings?|local|normal))?(?: (?:time|clock)(?: ?zone)?)?"
)


class ZoneRefused(ValueError):
    """A text that names no time zone, or more than one. `near` lists zones that may be meant. `why` is "unknown",
    "several" or, for an offset that no clock in the world shows, "offset"."""

    def __init__(self, why: str, near: Sequence[str] = ()) -> None:
        super().__init__("not a time zone")
        self.why, self.near = why, tuple(near)


@cache
def zone_named(key: str) -> ZoneInfo:
    # A name as stored: of the database, or an offset for which the database has none, like "UTC-03:30"
    if found := re.fullmatch(r"UTC([+-])([0-9]{2}):([0-9]{2})", key):
        seconds = (3600 * int(found[2]) + 60 * int(found[3])) * (1 if found[1] == "+" else -1)
        counts = struct.pack(">6l", 0, 0, 0, 0, 1, 4)  # RFC 9636: one kind of local time, four bytes of designation
        return ZoneInfo.from_file(
            io.BytesIO(b"TZif" + bytes(16) + counts + struct.pack(">lbb", seconds, 0, 0) + b"UTC\0"), key
        )
    return ZoneInfo(key)


def read_zone(text: str, present: str = "UTC") -> str:
    """Return the zone that a text means, by the name under which it is stored. Zones that are suggested are near the
    zone `present`. Raise ZoneRefused if the text does not name exactly one zone.

    >>> read_zone("GMT-5"), read_zone("+05:30"), read_zone("new york city"), read_zone("Japan")
    ('Etc/GMT+5', 'UTC+05:30', 'America/New_York', 'Japan')
    """
    if "/" in text and text in available_timezones():
        return text  # as it is written in the settings, before anything is loaded
    text = _AROUND.sub("", text)
    found = _meant(text)
    if len(found) == 1:
        return found[0]
    if found:
        raise ZoneRefused("several", _nearest_first(found, present))
    raise ZoneRefused("unknown", _alike(_fold(text)))


def write_zone(key: str) -> str:
    """Return a zone as people write it, such as "UTC-5" for the database's "Etc/GMT+5". Reading this text gives the
    same zone."""
    found = re.fullmatch(r"Etc/GMT([+-])([0-9]{1,2})", key)
    return f"UTC{'-' if found[1] == '+' else '+'}{found[2]}" if found else key


def _meant(text: str) -> Sequence[str]:
    whole = _read_whole(text)
    parts = [part for part in re.split(r"[(),;]| [-/|] |\bin\b", text) if part.strip()]
    if len(whole) == 1 or len(parts) < 2:
        return whole
    read = [_read_whole(part) for part in parts]
    if not all(read):
        return whole
    if re.search(r"[0-9]", parts[0]):  # "(UTC+01:00) Berlin": the place says more
        read[:2] = read[1], read[0]
    fits = [zone for zone in read[0] if all(any(_meet(zone, other) for other in others) for others in read[1:])]
    return _one_a_clock(fits or (zone for zones in read for zone in zones))


def _read_whole(text: str) -> Sequence[str]:
    if offset := _read_offset(text):
        return [offset]
    name = _fold(text)
    short = _short(name)
    for key in dict.fromkeys((name, short)):
        if found := _data()["abbreviations"].get(key) or ([_ids()[key]] if key in _ids() else []):
            return found
    for key in dict.fromkeys((name, short, short.removesuffix(" city"), short.removeprefix("the "))):
        if found := _one_a_clock(_places().get(key, ())):
            return found
    return []


def _read_offset(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(_SIGNS).casefold()
    plain = re.sub(r"\b(plus|minus)\b", lambda sign: "+" if sign[1] == "plus" else "-", plain)
    plain = " ".join(plain.strip(" .!()").removesuffix("time").split())
    if plain in ("z", "gmt", "utc", "ut", "uct", "zulu", "greenwich mean", "greenwich", "universal"):
        return "UTC"
    found = _OFFSET.fullmatch(plain)
    if found is None:
        return ""
    sign, hours, minutes, part = found.groups()
    past = int(minutes or 0) if part is None else _QUARTERS.get(part, 60)
    total = (60 * int(hours) + past) * (1 if sign == "+" else -1)
    if past > 59 or not _FARTHEST[0] <= total <= _FARTHEST[1]:
        raise ZoneRefused("offset")
    return _of_offset(total)


def _of_offset(minutes: int) -> str:
    if minutes % 60:
        return f"UTC{'+' if minutes > 0 else '-'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    return f"Etc/GMT{-minutes // 60:+}" if minutes else "UTC"


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.translate(_SIGNS)).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char)).replace("&", " and ").replace("ß", "ss")
    return " ".join(re.sub(r"[^\w+/]|_", " ", re.sub(r"[.'’]", "", plain)).split())


def _short(name: str) -> str:
    kept = [place for place in range(len(name)) if name[place] == " " and _KIND_OF_TIME.fullmatch(name[place:])]
    return name[: min(kept, default=len(name))]


@cache
def _ids() -> Mapping[str, str]:
    known = (name for name in available_timezones() if name[:1].isupper() and name != "Factory")
    return {_fold(name): name for name in sorted(known)}


@cache
def _data() -> Mapping[str, Mapping[str, Sequence[str]]]:
    from rules.components.facts import load_toml  # not needed if a zone is only looked up, as in `mentat health`

    return load_toml("time-zones.toml")


@cache
def _places() -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    countries = _countries()
    listed = [zone for zones, _ in countries.values() for zone in zones]
    older = sorted(zone for zone in available_timezones() if "/" in zone and not zone.startswith(_NO_PLACES))
    for zones, names in [
        *(([zone], [_fold(zone.rpartition("/")[2])]) for zone in listed),
        *(([zone], names) for zone, names in _data()["names"].items()),
        *countries.values(),
        *(([zone], [_fold(zone.rpartition("/")[2])]) for zone in older),
    ]:
        for name in names:
            found.setdefault(name, []).extend(zones)
    return found


def _countries() -> Mapping[str, tuple[Sequence[str], Sequence[str]]]:
    # The zones and the names of each country, by ISO 3166
    zones: dict[str, list[str]] = {}
    for code, _, zone, *_ in _rows("zone.tab"):
        zones.setdefault(code, []).append(zone)
    found = {}
    for code, name in _rows("iso3166.tab"):
        bare, _, more = name.partition("(")
        names = [bare, name, *([f"{more.strip(')')} {bare}"] if more else ()), *_data()["countries"].get(code, ())]
        found[code] = (zones.get(code, ()), tuple(dict.fromkeys(map(_fold, names))))
    return found


def _rows(table: str) -> Iterator[list[str]]:
    text = resources.files("tzdata.zoneinfo").joinpath(table).read_text("utf-8")
    return (line.split("\t") for line in text.splitlines() if not line.startswith("#"))


@cache
def _clock(zone: str) -> tuple[timedelta | None, ...]:
    # The offset in each month of a year that follows the rules which the database expects to last
    return tuple(
        datetime(2100, month, 15, tzinfo=UTC).astimezone(zone_named(zone)).utcoffset() for month in range(1, 13)
    )


def _one_a_clock(zones: Iterable[str]) -> list[str]:
    found: dict[object, str] = {}
    for zone in zones:
        found.setdefault(_clock(zone), zone)
    return list(found.values())


def _meet(one: str, other: str) -> bool:
    return any(a == b for a, b in zip(_clock(one), _clock(other), strict=True))


def _nearest_first(zones: Iterable[str], present: str) -> list[str]:
    def apart(zone: str) -> timedelta:
        pairs = zip(_clock(zone), _clock(present), strict=True)
        return sum((abs(a - b) for a, b in pairs if a is not None and b is not None), timedelta())

    return sorted(zones, key=apart)[:MOST_NEAR]


def _alike(name: str) -> list[str]:
    from rapidfuzz import fuzz, process  # only needed when a name is wrong

    known = {**_places(), **{key: (zone,) for key, zone in _ids().items()}}
    if bare := re.fullmatch(r"(?:gmt|utc) ?([0-9]{1,2})", name):
        return [_of_offset(60 * int(bare[1]) * sign) for sign in (1, -1) if int(bare[1]) <= _FARTHEST[1] // 60]
    found = process.extract(_short(name), list(known), scorer=fuzz.ratio, limit=12, score_cutoff=64)
    best = takewhile(lambda each: each[1] > found[0][1] - 8, found)
    return _one_a_clock(zone for key, *_ in best for zone in known[key])[:MOST_NEAR]
