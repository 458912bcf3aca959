"""Parsing of time zones as people write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import available_timezones

import pytest

from bot.config import ClockSettings, SettingsError
from bot.config.time_zones import ZoneRefused, read_zone, write_zone, zone_named
from bot.table.clock import read_own_settings, shown_settings
from bot.wording import clock_of, now_there

WINTER = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("GMT-5", -300), ("GMT -5", -300), ("utc+2", 120), ("UTC+02", 120), ("UTC −5", -300), ("UTC–5", -300),
        ("+02:00", 120), ("-0330", -210), ("+5", 300), ("GMT+5:30", 330), ("UTC+5.5", 330), ("UTC+0545", 345),
        ("-03:30", -210), ("Z", 0), ("GMT", 0), ("utc", 0), ("+00:00", 0), ("-00:00", 0), ("UTC+14", 840),
        ("UTC-12:00", -720), ("GMT minus 5", -300), ("GMT+1 time", 60), ("(UTC+8)", 480), ("＋09：00", 540),
    ],
)  # fmt: skip
def test_an_offset_is_read_as_iso_8601_says(text: str, minutes: int) -> None:
    zone = zone_named(read_zone(text))
    assert WINTER.astimezone(zone).utcoffset() == timedelta(minutes=minutes)
    assert zone_named(read_zone(write_zone(zone.key))) is zone


@pytest.mark.parametrize("text", ["UTC+15", "UTC-13", "+25", "UTC+5:60", "GMT+12:75", "UTC-12:30"])
def test_an_offset_that_no_clock_shows_is_refused(text: str) -> None:
    with pytest.raises(ZoneRefused) as refused:
        read_zone(text)
    assert refused.value.why == "offset"


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("Berlin", "Europe/Berlin"), ("new york", "America/New_York"), ("new york city", "America/New_York"),
        ("NYC", "America/New_York"), ("São Paulo", "America/Sao_Paulo"), ("sao_paulo", "America/Sao_Paulo"),
        ("St. John’s", "America/St_Johns"), ("Mexico City", "America/Mexico_City"), ("Munich", "Europe/Berlin"),
        ("Berlin, Germany", "Europe/Berlin"), ("Portland, Oregon", "America/Los_Angeles"),
        ("Berlin time", "Europe/Berlin"), ("Germany", "Europe/Berlin"), ("france", "Europe/Paris"),
        ("the Netherlands", "Europe/Amsterdam"), ("UK", "Europe/London"), ("South Korea", "Asia/Seoul"),
        ("Argentina", "America/Argentina/Buenos_Aires"), ("JST", "Asia/Tokyo"), ("PDT", "America/Los_Angeles"),
        ("CEST", "CET"), ("Eastern Time", "America/New_York"), ("Eastern Time (US & Canada)", "America/New_York"),
        ("Indian Standard Time", "Asia/Kolkata"), ("(UTC+01:00) Amsterdam, Berlin, Bern", "Europe/Amsterdam"),
        ("CST (Chicago)", "America/Chicago"), (": is Berlin, please!", "Europe/Berlin"), ("= UTC", "UTC"),
        ("europe/berlin", "Europe/Berlin"),
        ("America/New York", "America/New_York"), ("Etc/GMT-5", "Etc/GMT-5"),
    ],
)  # fmt: skip
def test_a_name_is_read(text: str, zone: str) -> None:
    assert read_zone(text) == zone


@pytest.mark.parametrize(
    ("text", "present", "zones"),
    [
        ("PST", "America/Denver", ("America/Los_Angeles", "Pacific/Pitcairn", "Asia/Manila")),
        ("PST", "Asia/Tokyo", ("Asia/Manila", "America/Los_Angeles", "Pacific/Pitcairn")),
        ("bst", "Europe/Berlin", ("Europe/London", "Asia/Dhaka", "Pacific/Bougainville")),
        ("IST", "Asia/Karachi", ("Asia/Kolkata", "Asia/Jerusalem", "Europe/Dublin")),
        ("EST", "Etc/GMT+5", ("America/Panama", "America/New_York", "Australia/Sydney")),
        ("Ukraine", "UTC", ("Europe/Kyiv", "Europe/Simferopol")),
        ("Birmingham", "America/Denver", ("America/Chicago", "Europe/London")),
        ("London, Ontario", "UTC", ("Europe/London", "America/Toronto")),
    ],
)
def test_a_name_of_several_zones_is_asked_back_the_nearest_first(
    text: str, present: str, zones: tuple[str, ...]
) -> None:
    with pytest.raises(ZoneRefused) as refused:
        read_zone(text, present)
    assert (refused.value.why, refused.value.near) == ("several", zones)


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("Berlim", "Europe/Berlin"), ("Germny", "Europe/Berlin"), ("Nwe York", "America/New_York"),
        ("Asia/Kolkatta", "Asia/Kolkata"), ("san fransisco", "America/Los_Angeles"), ("UTC 2", "Etc/GMT-2"),
    ],
)  # fmt: skip
def test_a_typing_error_gets_a_suggestion(text: str, zone: str) -> None:
    with pytest.raises(ZoneRefused) as refused:
        read_zone(text)
    assert (refused.value.why, refused.value.near[0]) == ("unknown", zone)


def test_every_name_of_the_database_is_read_as_itself_or_asked_back() -> None:
    asked = {"EST", "MST"}
    for name in available_timezones() - {"Factory", "localtime"} - asked:
        zone = zone_named(read_zone(name))
        assert WINTER.astimezone(zone).utcoffset() == WINTER.astimezone(zone_named(name)).utcoffset(), name
    for name in asked:
        with pytest.raises(ZoneRefused):
            read_zone(name)


def test_a_zone_is_shown_with_its_time_and_never_with_the_sign_of_posix() -> None:
    zone = zone_named(read_zone("GMT-5"))
    assert (clock_of(zone), now_there(WINTER, zone)) == ("UTC-5", "Tue 1 Dec 07:00 (UTC-5)")
    half = zone_named(read_zone("-0330"))
    assert (clock_of(half), now_there(WINTER, half)) == ("UTC-03:30", "Tue 1 Dec 08:30 (UTC-03:30)")
    assert clock_of(zone_named("Europe/Berlin")) == "Berlin time"


def test_the_clock_of_a_game_reads_zones_in_the_same_way() -> None:
    own = read_own_settings(ClockSettings(), ["timezone=GMT-5"])
    assert own == {"timezone": "Etc/GMT+5"}
    assert shown_settings(own) == ["timezone UTC-5"]
    with pytest.raises(SettingsError, match="did you mean Europe/London or Asia/Dhaka or Pacific/Bougainville"):
        read_own_settings(ClockSettings(), ["timezone=BST"])
