"""Tests for the name at the start of a line, in full, shortened or misspelt."""

from __future__ import annotations

import pytest

from bot.language.attempts import NameMatch, name_at


@pytest.mark.parametrize(("sort", "line", "likely", "named"), [
    ("faction", "har", (), NameMatch(1, ("harkonnen",))),
    ("faction", "ha", (), None),
    ("faction", "harkonen", (), None),
    ("faction", "bene gesserit", (), NameMatch(2, ("bene-gesserit",), whole=True)),
    ("faction", "gesserit", (), NameMatch(1, ("bene-gesserit",), whole=True)),
    ("faction", "bg", (), NameMatch(1, ("bene-gesserit",), whole=True)),
    ("faction", "be ge", (), None),
    ("faction", "b g", (), NameMatch(2, ("bene-gesserit",), whole=True)),
    ("leader", "feyd", (), NameMatch(1, ("Feyd-Rautha",), whole=True)),
    ("leader", "fey", (), None),
    ("leader", "feyd rautha", (), NameMatch(2, ("Feyd-Rautha",), whole=True)),
    ("leader", "rautha", (), NameMatch(1, ("Feyd-Rautha",))),
    ("leader", "othiem", (), None),
    ("leader", "othiem", ("Otheym",), None),
    ("leader", "duncan", (), NameMatch(1, ("Duncan Idaho",))),
    ("leader", "captain", (), NameMatch(1, ("Captain Aramsham", "Captain Iakin Nefud"))),
    ("leader", "dunc idaho", (), NameMatch(2, ("Duncan Idaho",))),
    ("leader", "du idaho", (), NameMatch(2, ("Duncan Idaho",))),
    ("leader", "d idaho", (), None),
    ("territory", "sietch", (), NameMatch(1, ("habbanya-ridge-sietch", "sietch-tabr", "tueks-sietch"))),
    ("territory", "siet", (), NameMatch(1, ("habbanya-ridge-sietch", "sietch-tabr", "tueks-sietch"))),
    ("territory", "sietch", ("sietch-tabr",), NameMatch(1, ("sietch-tabr",))),
    ("territory", "imp basin", (), NameMatch(2, ("imperial-basin",), whole=True)),
    ("territory", "cartag", (), None),
    ("territory", "carth", (), NameMatch(1, ("carthag",))),
    ("territory", "car", (), NameMatch(1, ("carthag",), whole=True)),
    ("territory", "the great flat", (), None),
    ("territory", "great flat", (), NameMatch(2, ("the-great-flat",), whole=True)),
    ("territory", "polar sink now", (), NameMatch(2, ("polar-sink",), whole=True)),
    ("territory", "false wall south", (), NameMatch(3, ("false-wall-south",), whole=True)),
    ("territory", "false wall", (), NameMatch(1, ("false-wall-east", "false-wall-south", "false-wall-west"))),
    ("territory", "wall", (), NameMatch(1, ("shield-wall",), whole=True)),
    ("territory", "habbanya ridge flat", (), NameMatch(3, ("habbanya-ridge-flat",), whole=True)),
    ("card", "lasgun", (), NameMatch(1, ("Lasgun",), whole=True)),
    ("card", "lasg", (), NameMatch(1, ("Lasgun",))),
    ("card", "las", (), None),
    ("card", "lasgun shield", (), NameMatch(1, ("Lasgun",), whole=True)),
    ("card", "poison", (), None),
    ("card", "cheap", (), None),
    ("card", "cheap hero", (), NameMatch(2, ("Cheap Hero",), whole=True)),
    ("card", "chaumas", (), NameMatch(1, ("Chaumas",), whole=True)),
    ("card", "baliset", (), NameMatch(1, ("Baliset",), whole=True)),
    ("card", "shield", ("Shield",), NameMatch(1, ("Shield",), whole=True)),
    ("card", "the lasgun", (), None),
    ("territory", "to carthag", (), None),
    ("faction", "atreides emperor", (), NameMatch(1, ("atreides",), whole=True)),
    ("faction", "atr", (), NameMatch(1, ("atreides",), whole=True)),
    ("leader", "aram", (), NameMatch(1, ("Captain Aramsham",))),
    ("leader", "ara", (), None),
    ("territory", "south", (), NameMatch(1, ("false-wall-south", "cielago-south", "south-mesa"))),
    ("card", "crysk", (), NameMatch(1, ("Crysknife",))),
    ("leader", "fe yd", (), NameMatch(2, ("Feyd-Rautha",), whole=True)),
])  # fmt: skip
def test_a_name_may_be_whole_or_shortened_and_of_several_the_likely_ones_are_meant(
    sort: str, line: str, likely: tuple[str, ...], named: NameMatch | None
) -> None:
    assert name_at(sort, line.split(), 0, likely) == named
    assert name_at(sort, ["so", *line.split(), "so"], 1, likely) == named


@pytest.mark.parametrize(("sort", "line", "likely", "named"), [
    ("faction", "harkonen", (), NameMatch(1, ("harkonnen",))),
    ("leader", "othiem", ("Otheym",), NameMatch(1, ("Otheym",), misspelt=True)),
    ("leader", "otheim", (), NameMatch(1, ("Otheym",), misspelt=True)),
    ("territory", "cartag", (), NameMatch(1, ("carthag",))),
    ("card", "lasgn", (), NameMatch(1, ("Lasgun",), misspelt=True)),
    ("card", "chaumass", (), NameMatch(1, ("Chaumas",))),
    ("card", "chaumurk", ("Chaumas",), NameMatch(1, ("Chaumurky",))),
    ("card", "bal1set", (), None),
    ("faction", "atriedes", (), NameMatch(1, ("atreides",))),
    ("card", "othiem lasgun", ("Lasgun",), None),
    ("leader", "bob", (), None),
    ("leader", "zoth", ("Otheym",), None),
])  # fmt: skip
def test_a_name_may_be_misspelt_where_that_is_looked_for(
    sort: str, line: str, likely: tuple[str, ...], named: NameMatch | None
) -> None:
    assert name_at(sort, line.split(), 0, likely, misspelt=True) == named
    assert name_at(sort, line.split(), 0, likely) in (None, named if named and not named.misspelt else None)
