"""The name with which the words of a line begin, as it stands, shortened or misspelt."""

from __future__ import annotations

import pytest

from bot.orders.plain.names import Named, name_at


@pytest.mark.parametrize(("sort", "line", "likely", "named"), [
    ("faction", "har", (), Named(1, ("harkonnen",))),
    ("faction", "ha", (), None),
    ("faction", "harkonen", (), None),
    ("faction", "bene gesserit", (), Named(2, ("bene-gesserit",), whole=True)),
    ("faction", "gesserit", (), Named(1, ("bene-gesserit",), whole=True)),
    ("faction", "bg", (), Named(1, ("bene-gesserit",), whole=True)),
    ("faction", "be ge", (), None),
    ("faction", "b g", (), Named(2, ("bene-gesserit",), whole=True)),
    ("leader", "feyd", (), Named(1, ("Feyd-Rautha",), whole=True)),
    ("leader", "fey", (), None),
    ("leader", "feyd rautha", (), Named(2, ("Feyd-Rautha",), whole=True)),
    ("leader", "rautha", (), Named(1, ("Feyd-Rautha",))),
    ("leader", "othiem", (), None),
    ("leader", "othiem", ("Otheym",), None),
    ("leader", "duncan", (), Named(1, ("Duncan Idaho",))),
    ("leader", "captain", (), Named(1, ("Captain Aramsham", "Captain Iakin Nefud"))),
    ("leader", "dunc idaho", (), Named(2, ("Duncan Idaho",))),
    ("leader", "du idaho", (), Named(2, ("Duncan Idaho",))),
    ("leader", "d idaho", (), None),
    ("territory", "sietch", (), Named(1, ("habbanya-ridge-sietch", "sietch-tabr", "tueks-sietch"))),
    ("territory", "siet", (), Named(1, ("habbanya-ridge-sietch", "sietch-tabr", "tueks-sietch"))),
    ("territory", "sietch", ("sietch-tabr",), Named(1, ("sietch-tabr",))),
    ("territory", "imp basin", (), Named(2, ("imperial-basin",), whole=True)),
    ("territory", "cartag", (), None),
    ("territory", "carth", (), Named(1, ("carthag",))),
    ("territory", "car", (), Named(1, ("carthag",), whole=True)),
    ("territory", "the great flat", (), None),
    ("territory", "great flat", (), Named(2, ("the-great-flat",), whole=True)),
    ("territory", "polar sink now", (), Named(2, ("polar-sink",), whole=True)),
    ("territory", "false wall south", (), Named(3, ("false-wall-south",), whole=True)),
    ("territory", "false wall", (), Named(1, ("false-wall-east", "false-wall-south", "false-wall-west"))),
    ("territory", "wall", (), Named(1, ("shield-wall",), whole=True)),
    ("territory", "habbanya ridge flat", (), Named(3, ("habbanya-ridge-flat",), whole=True)),
    ("card", "lasgun", (), Named(1, ("Lasgun",), whole=True)),
    ("card", "lasg", (), Named(1, ("Lasgun",))),
    ("card", "las", (), None),
    ("card", "lasgun shield", (), Named(1, ("Lasgun",), whole=True)),
    ("card", "poison", (), None),
    ("card", "cheap", (), None),
    ("card", "cheap hero", (), Named(2, ("Cheap Hero",), whole=True)),
    ("card", "chaumas", (), Named(1, ("Chaumas",), whole=True)),
    ("card", "baliset", (), Named(1, ("Baliset",), whole=True)),
    ("card", "shield", ("Shield",), Named(1, ("Shield",), whole=True)),
    ("card", "the lasgun", (), None),
    ("territory", "to carthag", (), None),
    ("faction", "atreides emperor", (), Named(1, ("atreides",), whole=True)),
    ("faction", "atr", (), Named(1, ("atreides",), whole=True)),
    ("leader", "aram", (), Named(1, ("Captain Aramsham",))),
    ("leader", "ara", (), None),
    ("territory", "south", (), Named(1, ("false-wall-south", "cielago-south", "south-mesa"))),
    ("card", "crysk", (), Named(1, ("Crysknife",))),
    ("leader", "fe yd", (), Named(2, ("Feyd-Rautha",), whole=True)),
])  # fmt: skip
def test_a_name_may_be_whole_or_shortened_and_of_several_the_likely_ones_are_meant(
    sort: str, line: str, likely: tuple[str, ...], named: Named | None
) -> None:
    assert name_at(sort, line.split(), 0, likely) == named
    assert name_at(sort, ["so", *line.split(), "so"], 1, likely) == named


@pytest.mark.parametrize(("sort", "line", "likely", "named"), [
    ("faction", "harkonen", (), Named(1, ("harkonnen",), misspelt=True)),
    ("leader", "othiem", ("Otheym",), Named(1, ("Otheym",), misspelt=True)),
    ("leader", "otheim", (), Named(1, ("Otheym",), misspelt=True)),
    ("territory", "cartag", (), Named(1, ("carthag",), misspelt=True)),
    ("card", "lasgn", (), Named(1, ("Lasgun",), misspelt=True)),
    ("card", "chaumass", (), Named(1, ("Chaumas",), misspelt=True)),
    ("card", "chaumurk", ("Chaumas",), Named(1, ("Chaumurky",))),
    ("card", "bal1set", (), None),
    ("faction", "atriedes", (), Named(1, ("atreides",), misspelt=True)),
    ("card", "othiem lasgun", ("Lasgun",), None),
    ("leader", "bob", (), None),
    ("leader", "zoth", ("Otheym",), None),
])  # fmt: skip
def test_a_name_may_be_misspelt_where_that_is_looked_for(
    sort: str, line: str, likely: tuple[str, ...], named: Named | None
) -> None:
    assert name_at(sort, line.split(), 0, likely, misspelt=True) == named
    assert name_at(sort, line.split(), 0, likely) in (None, named if named and not named.misspelt else None)
