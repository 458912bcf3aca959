"""Blanks for a player's own clock: the hours of the day in which they are awake, and their time zone."""

from __future__ import annotations

import re
from functools import cache
from zoneinfo import available_timezones

from rapidfuzz import fuzz, process

from bot.orders.blanks import Misread, Node, Reading
from bot.wording.sentences import say

ALL_DAY = "all day"
MOST_ZONES = 3  # proposed for one that is not known

_SPAN = re.compile(
    r"(?P<from>[0-9]{1,2})(?:[:.h](?P<from_minute>[0-9]{2}))?\s?(?:to|until|-)\s?"
    r"(?P<to>[0-9]{1,2})(?:[:.h](?P<to_minute>[0-9]{2}))?"
)


def read_daytime(reading: Reading, node: Node) -> str:
    """ "8:00 to 22:00" as "08:00-22:00", "all day" as the empty text. Hours that cross midnight are allowed."""
    words = reading.words(node)
    text = words.text.lower().strip()
    if text == ALL_DAY:
        return ""
    match = _SPAN.fullmatch(text)
    first, last = (_clock(match, end) for end in ("from", "to")) if match else ("", "")
    if not first or not last or first == last:
        raise Misread(say("unread.daytime", text=words.text), words.span)
    return f"{first}-{last}"


def _clock(match: re.Match[str], end: str) -> str:
    hour, minute = int(match[end]), int(match[f"{end}_minute"] or 0)
    if hour == 24 and minute == 0:
        return "00:00"
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


def write_daytime(hours: str) -> str:
    """The hours in the words of the form."""
    return hours.replace("-", " to ") or ALL_DAY


def read_zone(reading: Reading, node: Node) -> str:
    """An IANA name of a time zone, in any letter case; the last part alone ("Berlin") if only one zone has it."""
    words = reading.words(node)
    wanted = words.text.strip().replace(" ", "_").casefold()
    zones = _zones()
    if wanted in zones:
        return zones[wanted]
    places = [zone for known, zone in zones.items() if known.rpartition("/")[2] == wanted]
    if len(places) == 1:
        return places[0]
    near = places or [zones[found[0]] for found in process.extract(wanted, zones.keys(), scorer=fuzz.WRatio, limit=3)]
    raise Misread(say("unread.zone", text=words.text), words.span, near[:MOST_ZONES])


@cache
def _zones() -> dict[str, str]:
    """The names of all time zones, by what a reader might type for them."""
    return {zone.casefold(): zone for zone in sorted(available_timezones()) if zone[:1].isupper()}
