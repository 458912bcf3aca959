"""Data files are found in the installed package or in the repository, and read with types."""

from pathlib import Path

import pytest

from rules.components import facts
from rules.components.facts import Entry, FactsError, data_file, data_folder


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
        (lambda entry: entry.text("strength"), "leader Stilgar: strength is 7, it must be a text."),
        (lambda entry: entry.number("name"), "leader Stilgar: name is 'Stilgar', it must be a whole number."),
        (lambda entry: entry.number("dead"), "leader Stilgar: dead is False, it must be a whole number."),
        (lambda entry: entry.truth("strength"), "leader Stilgar: strength is 7, it must be true or false."),
        (lambda entry: entry.texts("odd"), "leader Stilgar: odd is ['a', 1], it must be a list of texts."),
        (lambda entry: entry.numbers("odd"), "leader Stilgar: odd is ['a', 1], it must be a list of whole numbers."),
        (lambda entry: entry.pairs("name"), "leader Stilgar: name is 'Stilgar', it must be a list of pairs."),
        (lambda entry: entry.table("name"), "leader Stilgar: name is 'Stilgar', it must be a table."),
    ],
)
def test_a_wrong_value_is_named_with_its_place(read: object, reason: str) -> None:
    entry = Entry("leader Stilgar", {"name": "Stilgar", "strength": 7, "dead": False, "odd": ["a", 1]})
    assert callable(read)
    with pytest.raises(FactsError) as refused:
        read(entry)
    assert str(refused.value) == reason


def test_a_file_without_the_expected_tables_is_refused() -> None:
    with pytest.raises(FactsError, match=r"board\.toml has no list of tables named leader"):
        facts.entries("board.toml", "leader")


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
