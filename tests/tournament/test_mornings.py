"""The hour of the daily letter, and its end when it is no longer wanted."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.store import tournaments
from bot.store.database import writing
from bot.store.tournaments import Entrant
from bot.tournament.calendar import next_digest
from tests.tournament.cup import CUP, Cup

NOON = datetime(2025, 1, 10, 12, tzinfo=UTC)


def mask(*hours: int) -> int:
    return sum(1 << hour for hour in hours)


@pytest.mark.parametrize(
    ("hours", "timezone", "now", "comes"),
    [
        (0, "UTC", NOON, datetime(2025, 1, 11, 7, tzinfo=UTC)),
        (0, "UTC", NOON.replace(hour=6, minute=59), datetime(2025, 1, 10, 7, tzinfo=UTC)),
        (0, "UTC", NOON.replace(hour=7), datetime(2025, 1, 11, 7, tzinfo=UTC)),
        (0, "Asia/Tokyo", NOON, datetime(2025, 1, 10, 22, tzinfo=UTC)),
        (mask(*range(24)), "UTC", NOON, datetime(2025, 1, 11, 7, tzinfo=UTC)),
        (mask(*range(9, 23)), "UTC", NOON, datetime(2025, 1, 11, 9, tzinfo=UTC)),
        (mask(22, 23, 0, 1, 2), "UTC", NOON, datetime(2025, 1, 10, 22, tzinfo=UTC)),
        (mask(*range(23)), "UTC", NOON, datetime(2025, 1, 11, 0, tzinfo=UTC)),
        (mask(*range(6, 20)), "Asia/Kolkata", NOON, datetime(2025, 1, 11, 5, 30, tzinfo=UTC)),
    ],
)
def test_it_comes_in_the_first_hour_in_which_they_are_awake(
    hours: int, timezone: str, now: datetime, comes: datetime
) -> None:
    """Waking hours are in UTC; entrants awake at all hours, or who gave none, get the letter at seven local time."""
    entrant = Entrant(CUP, 1, "E001", "ann@example.org", "token", NOON, hours=hours, timezone=timezone)
    assert next_digest(entrant, now) == comes


def test_it_comes_no_more_once_the_settings_want_none(cup: Cup) -> None:
    cup.round(1)
    cup.tick(0)
    assert cup.entrant(2).digest_due is not None
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, settings='title = "The Cup"\npeople.digest = false\n')
    cup.tick(24)
    assert cup.entrant(2).digest_due is None
    assert not any("for you" in sent.subject for sent in cup.letters(2))


def test_whose_letter_is_due_when_they_sit_nowhere_gets_none(cup: Cup) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 1, digest_due=cup.now)
    cup.tick(0)
    assert (cup.entrant(1).digest_due, cup.letters(1)) == (None, [])
