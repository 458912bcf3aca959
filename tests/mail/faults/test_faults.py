"""Random connection faults do not change the outcome of a game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mail.faults.places import servers
from tests.mail.faults.schedule import Schedule
from tests.mail.faults.traffic import Outcome, Place, Recorded, carry, record
from tests.size import size

SCHEDULES = size(12, 1_000)
RATE = 0.04


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with servers() as made:
        yield made


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return record(tmp_path_factory.mktemp("faults") / "recorded")


@pytest.fixture(scope="module")
def expected(recorded: Recorded, place: Place, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return carry(recorded, place, Schedule("none", 0), tmp_path_factory.mktemp("expected") / "run")


def test_without_faults_every_mail_is_taken_and_every_letter_comes(recorded: Recorded, expected: Outcome) -> None:
    assert len(expected.kept) == sum(len(one.mails) for one in recorded.rounds)
    assert len(expected.letters) >= 20
    assert expected.arrived == expected.letters
    assert not expected.faults


@pytest.mark.parametrize("number", range(SCHEDULES))
def test_with_faults_no_order_is_lost_or_doubled(
    recorded: Recorded, place: Place, expected: Outcome, tmp_path: Path, number: int
) -> None:
    got = carry(recorded, place, Schedule(f"faults {number}", RATE), tmp_path / "run")
    assert got.faults.total()
    assert got.differences(expected) == [], f"with {dict(got.faults)}"
