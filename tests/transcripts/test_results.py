"""Of a test that is told whole, what it calls itself is told, and nothing of what is called on the way."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from bot.competition import scoring
from bot.competition.seating_search import Sizes
from bot.config.sections import MailboxSettings
from rules.orders import Bid
from tests.transcripts.results import rendered, watched

ROOM = """
from fractions import Fraction
from bot.competition import points
from bot.competition.scoring import exact
from bot.competition.seating_search import sizes
from tests.long_tests import name_of
from tests.transcripts.transcript import differences
"""


@pytest.fixture
def told() -> list[tuple[str, str]]:
    return []


def played(test: str, told: list[tuple[str, str]]) -> None:
    """Let a room play these lines."""
    room = ModuleType("tests.some_room")
    exec(ROOM, vars(room))  # as a module of tests is read
    with watched(room, lambda heading, text: told.append((heading, text))):
        exec(test, vars(room))


def test_a_function_that_is_named_or_reached_through_its_module_is_told(told: list[tuple[str, str]]) -> None:
    played("exact(Fraction(3, 4)); points.printed(Fraction(1, 3)); name_of('tests/a.py::test[1]')", told)
    assert told == [("exact gives", "0.75"), ("printed gives", "0.3333"), ("name_of gives", "tests/a.py::test")]


def test_a_refusal_is_told_with_its_words(told: list[tuple[str, str]]) -> None:
    with pytest.raises(scoring.NotANumber):
        played("points.points('1/0')", told)
    assert told == [("points refuses", "NotANumber: '1/0' divides by zero.")]


def test_methods_and_properties_of_what_was_given_are_told(told: list[tuple[str, str]]) -> None:
    played("found = sizes(11); found.each(); found.tables", told)
    assert told == [
        ("sizes gives", "Sizes(sixes=1, fives=1)"),
        ("Sizes.each gives", "[6, 5]"),
        ("Sizes.tables gives", "2"),
    ]


def test_what_is_called_on_the_way_is_not_told(told: list[tuple[str, str]]) -> None:
    played("found = sizes(11)", told)
    assert [heading for heading, _ in told] == ["sizes gives"]
    with watched(ModuleType("tests.another_room"), lambda *piece: told.append(piece)):
        assert scoring.printed_points(Fraction(1, 2)) == "0.5"
    assert [heading for heading, _ in told] == ["sizes gives"]


def test_what_comes_one_by_one_is_told_when_all_has_come(told: list[tuple[str, str]]) -> None:
    played("list(differences([], [])), list(differences([('to guild', 'storm')], []))", told)
    assert told == [("differences gives", "[]"), ("differences gives", "[GONE     to guild\n-storm]")]


def test_afterwards_nothing_is_told(told: list[tuple[str, str]]) -> None:
    before = dict(vars(scoring)), dict(vars(Sizes))
    played("sizes(11).each()", told)
    assert (dict(vars(scoring)), dict(vars(Sizes))) == before


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Bid(3), "Bid(amount=3)"),
        (Sizes(2, 0), "Sizes(sixes=2)"),
        (MailboxSettings(kind="maildir", maildir=Path("mail")), "MailboxSettings(kind=maildir, maildir=mail)"),
        ({date(2024, 11, 26): [Fraction(1, 3), None]}, "{2024-11-26: [1/3, None]}"),
        (scoring.NotANumber("no number"), "NotANumber: no number"),
        (object(), "<object>"),
    ],
)
def test_a_value_is_told_by_what_it_is_made_up_of(value: object, words: str) -> None:
    assert rendered(value) == words
