"""Tests that data files are found in the installed package or the repository, and are parsed with types."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rules.components import board, cards, factions, facts
from rules.components.facts import Entry, FactsError, data_file, data_folder
from rules.rulesets import rulebook


def test_an_installed_package_reads_its_own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rules" / "data").mkdir(parents=True)
    (tmp_path / "rules" / "components").mkdir()
    (tmp_path / "rules" / "data" / "board.toml").touch()
    monkeypatch.setattr(facts, "__file__", str(tmp_path / "rules" / "components" / "facts.py"))
    assert data_file("board.toml") == tmp_path / "rules" / "data" / "board.toml"


def test_a_working_copy_reads_the_data_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rules" / "components").mkdir(parents=True)
    monkeypatch.setattr(facts, "__file__", str(tmp_path / "rules" / "components" / "facts.py"))
    assert data_folder() == tmp_path / "data"


@pytest.mark.parametrize(
    ("read", "reason"),
    [
        (lambda entry: entry.text("spice"), "leader Stilgar: spice is missing."),
        (lambda entry: entry.text("strength"), "leader Stilgar: strength is 7; it must be a text."),
        (lambda entry: entry.number("name"), "leader Stilgar: name is 'Stilgar'; it must be a whole number."),
        (lambda entry: entry.number("dead"), "leader Stilgar: dead is False; it must be a whole number."),
        (lambda entry: entry.truth("strength"), "leader Stilgar: strength is 7; it must be true or false."),
        (lambda entry: entry.texts("odd"), "leader Stilgar: odd is ['a', 1]; it must be a list of texts."),
        (lambda entry: entry.texts("name"), "leader Stilgar: name is 'Stilgar'; it must be a list of texts."),
        (lambda entry: entry.numbers("odd"), "leader Stilgar: odd is ['a', 1]; it must be a list of whole numbers."),
        (lambda entry: entry.numbers("name"), "leader Stilgar: name is 'Stilgar'; it must be a list of whole numbers."),
        (lambda entry: entry.pairs("name"), "leader Stilgar: name is 'Stilgar'; it must be a list of pairs."),
        (lambda entry: entry.pairs("odd"), "leader Stilgar: odd is ['a', 1]; it must be a list of pairs."),
        (lambda entry: entry.pairs("three"), "leader Stilgar: three is [[1, 2, 3]]; it must be a list of pairs."),
        (lambda entry: entry.table("name"), "leader Stilgar: name is 'Stilgar'; it must be a table."),
    ],
)
def test_a_wrong_value_is_named_with_its_place(read: object, reason: str) -> None:
    values = {"name": "Stilgar", "strength": 7, "dead": False, "odd": ["a", 1], "three": [[1, 2, 3]]}
    entry = Entry("leader Stilgar", values)
    assert callable(read)
    with pytest.raises(FactsError) as refused:
        read(entry)
    assert str(refused.value) == reason


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace the data folder with an empty one."""
    monkeypatch.setattr(facts, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(facts, "load_toml", facts.load_toml.__wrapped__)
    return tmp_path


def test_a_file_without_the_expected_tables_is_refused() -> None:
    with pytest.raises(FactsError, match=r"board\.toml has no list of tables named leader"):
        facts.entries("board.toml", "leader")


def test_a_list_in_which_something_else_stands_among_the_tables_is_refused(files: Path) -> None:
    (files / "box.toml").write_text('die = [{ sides = 6 }, "d8"]\n')
    with pytest.raises(FactsError, match=r"^The data file box\.toml has no list of tables named die\.$"):
        facts.entries("box.toml", "die")


def test_a_file_in_other_letters_than_those_of_utf_8_is_told_in_one_sentence(files: Path) -> None:
    (files / "box.toml").write_bytes('name = "Wüste"\n'.encode("latin-1"))
    with pytest.raises(FactsError, match=r"^The data file box\.toml cannot be read: 'utf-8' codec can't decode"):
        facts.document("box.toml")


BORDERS = "[adjacency]\nareas_within = []\nareas = [['arrakeen/10', {!r}]]\n"


@pytest.mark.parametrize(
    ("read", "file", "text", "reason"),
    [
        (
            board._read_territories, "board.toml", "[[territory]]\nid = 'moat'\nkind = 'water'\n",
            "The data file board.toml, territory moat: 'water' is not a kind of territory.",
        ),
        (
            board._read_borders, "board.toml", BORDERS.format("old-gap/12"),
            "The data file board.toml, adjacency, areas: arrakeen/10 and old-gap/12 are not two areas of the board.",
        ),
        (
            board._read_borders, "board.toml", BORDERS.format("old-gap/11").replace("arrakeen/10", "arrakeen"),
            "The data file board.toml, adjacency, areas: arrakeen and old-gap/11 are not two areas of the board.",
        ),
        (
            cards._read_cards, "cards.toml", "[[treachery_card]]\nname = 'Net'\nkind = 'net'\n",
            "The data file cards.toml, treachery_card Net: 'net' is not a kind of treachery card.",
        ),
        (
            cards._read_spice_cards, "cards.toml", "[[spice_card]]\nname = 'Moat'\nterritory = 'moat'\n",
            "The data file cards.toml, spice_card Moat: there is no territory 'moat'.",
        ),
        (
            factions._read_leaders, "leaders.toml", "[[leader]]\nname = 'Fenring'\nfaction = 'corrino'\n",
            "The data file leaders.toml, leader Fenring: 'corrino' is not a faction.",
        ),
    ],
)  # fmt: skip
def test_what_no_other_file_knows_is_named_with_its_place(
    files: Path, read: Callable[[], object], file: str, text: str, reason: str
) -> None:
    (files / file).write_text(text)
    with pytest.raises(FactsError) as refused:
        read()
    assert str(refused.value) == reason


def test_a_clause_that_stands_twice_is_named(files: Path) -> None:
    (files / "rulebook").mkdir()
    for name in rulebook.DOCUMENTS:
        (files / "rulebook" / f"{name}.toml").write_text("document = 'Any'\n")
    (files / "rulebook" / "vaca-2.0.toml").write_text('[[clause]]\nid = "VACA.1"\n[[clause]]\nid = "VACA.1"\n')
    with pytest.raises(FactsError, match=r"rulebook/vaca-2\.0\.toml: the clause VACA\.1 appears twice\.$"):
        rulebook._written_clauses()


def test_a_large_file_can_be_cut_into_its_tables_and_each_be_read_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "box.toml").write_text('name = "box"\n[[die]]\nsides = 6\n[[die]]\nsides = [[die]]\n')
    monkeypatch.setattr(facts, "__file__", str(tmp_path / "rules" / "components" / "facts.py"))

    above, first, broken = facts.written_tables("box.toml", "die")

    assert facts.written_table("box.toml", above).text("name") == "box"
    assert facts.written_table("box.toml", first).number("sides") == 6
    with pytest.raises(FactsError, match=r"box\.toml cannot be read: "):
        facts.written_table("box.toml", broken)
