"""Tests for press of several lines."""

import pytest

from bot.language.commands import Press
from bot.language.lines import WITHOUT_END, fold_press, unfold_press
from bot.language.orders import Context, Unread, read_line
from rules.components import Faction


@pytest.mark.parametrize(
    ("lines", "as_one"),
    [
        (["bid 5", "pass"], ["bid 5", "pass"]),
        (["press to all: hm", "bid 5"], ["press to all: hm", "bid 5"]),
        (["press to all:", "a", "end press", "bid 5"], ["press to all: a", "bid 5"]),
        (["press to all: a", "b", "> end press", "c"], ["press to all: a⏎b", "c"]),
        (["press to all:", "a", "press to guild:", "b", "end press"],
         [f"press {WITHOUT_END}: press to all:⏎a⏎press to guild:⏎b⏎end press"]),
        (["press to all: a", "press to guild:", "b", "end press"], ["press to all: a", "press to guild: b"]),
        (["press to all:", "bid 5"], [f"press {WITHOUT_END}: press to all:⏎bid 5"]),
        (["press to all:"], ["press to all:"]),
        (["Unsigned press to guild:", "a: b", "endpress"], ["Unsigned press to guild: a: b"]),
        (["end press"], ["end press"]),
    ],
)  # fmt: skip
def test_what_stands_between_press_and_its_end_is_one_line(lines: list[str], as_one: list[str]) -> None:
    assert fold_press(lines) == as_one


def test_the_words_have_their_lines_again() -> None:
    assert unfold_press(fold_press(["press to all:", "a", "b", "end press"])[0]) == "press to all: a\nb"


TABLE: tuple[tuple[Faction, str], ...] = (
    ("guild", "Dora Smith"), ("fremen", "dora.jones"), ("emperor", "Harko"), ("harkonnen", "Emperor"),
    ("atreides", "Zoë Ångström"), ("bene-gesserit", "Дора"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("whom", "faction"),
    [
        ("Dora Smith", "guild"), ("dora jones", "fremen"), ("Smith", "guild"), ("harko", "emperor"),
        ("Emperor", "emperor"), ("zoe", "atreides"), ("Ångström", "atreides"), ("Дора", "bene-gesserit"),
        ("harkonnen", "harkonnen"), ("fre", "fremen"), ("BG", "bene-gesserit"),
    ],
)  # fmt: skip
def test_a_reader_is_named_by_faction_or_by_name(whom: str, faction: str) -> None:
    read = read_line(f"press to {whom}: hm", Context("atreides", players=TABLE))
    assert isinstance(read, Press)
    assert read.to == (faction,)


def test_a_name_of_two_players_is_asked_back_by_their_factions() -> None:
    read = read_line("press to Dora: hm", Context("atreides", players=TABLE))
    assert isinstance(read, Unread)
    assert "Dora Smith (Guild)" in read.reason
    assert read.suggestions == ("press to Guild: hm", "press to Fremen: hm")


def test_a_misspelt_name_is_suggested() -> None:
    read = read_line("press to Angstrm: hm", Context("guild", players=TABLE))
    assert isinstance(read, Unread)
    assert read.suggestions[0] == "press to Atreides: hm"
