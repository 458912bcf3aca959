"""Tests that order words from another edition are answered with the right words for this game."""

from dataclasses import replace

import pytest

from bot.language.lines import Context
from bot.language.names import LEADER_NAMES, TERRITORY_NAMES
from bot.language.orders import Unread, read_line
from bot.wording.filters import speaking
from rules.components import LEADERS, Faction
from rules.components.board import TERRITORIES
from rules.components.terms import name_of, order_in_words_of
from rules.orders import Coexist, Fight, Order

OF_1979 = Context(Faction("bene-gesserit"))
OF_2019 = replace(OF_1979, edition="2019")


@pytest.mark.parametrize(
    ("line", "right"), [("fighters in Carthag", "fight in"), ("Advisors in carthag", "coexist in")]
)
def test_fighters_and_advisors_are_words_of_2019(line: str, right: str) -> None:
    told = read_line(line, OF_1979)
    assert isinstance(told, Unread)
    assert f"in this game write “{right} TERRITORY”" in told.reason
    assert told.suggestions == (f"{right} Carthag",)
    assert isinstance(read_line(line, OF_2019), Fight | Coexist)


def test_who_flips_says_into_what() -> None:
    told = read_line("flip Carthag", OF_2019)
    assert isinstance(told, Unread)
    assert "“fighters in TERRITORY”" in told.reason
    assert set(told.suggestions) == {"fight in Carthag", "coexist in Carthag"}


def test_nothing_flips_in_1979() -> None:
    for line in ("flip", "flip arrakeen"):
        told = read_line(line, OF_1979)
        assert isinstance(told, Unread)
        assert told.reason.startswith("Nothing flips in this game")


def test_names_as_a_letter_of_2019_prints_them_are_read() -> None:
    with speaking("2019"):
        for leader in LEADERS:
            line = f"traitor {name_of('2019', leader)}"
            assert read_line(line, OF_2019) == read_line(f"traitor {leader}", OF_2019), line
        for territory in TERRITORIES.values():
            line = order_in_words_of("2019", f"worm {territory.name}")
            assert isinstance(read_line(line, OF_2019), Order), line
    assert LEADER_NAMES.whole("Piter de Vries")
    assert TERRITORY_NAMES.whole("Habbanya Sietch")
