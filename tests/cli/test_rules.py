"""Tests for `mentat rule`: a clause's text, its place in the rulebook, and the rulings that cite it."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Mentat

TIE = "AH.X.C.2"


def test_a_clause_is_shown_with_its_source_and_the_rulings_that_cite_it(mentat: Mentat) -> None:
    told = mentat("rule", TIE).out
    assert told.startswith(f"{TIE}  Equal totals go to the aggressor.\n")
    assert "Section X.C.2" in told
    assert "ruling: A tie goes to the aggressor (072-a-tie-goes-to-the-aggressor.toml)" in told


def test_a_program_gets_every_clause_that_a_word_finds(mentat: Mentat) -> None:
    found = mentat("rule", "aggressor", "--json").json
    (tie,) = [each for each in found if each["id"] == TIE]
    assert "A tie goes to the aggressor" in [ruling["title"] for ruling in tie["rulings"]]
    assert all("aggressor" in (each["id"] + each["rule"] + each["source"]).lower() for each in found)


@pytest.mark.parametrize(("words", "told"), [((), "Name a clause or a word"), (("xyz",), "No clause contains 'xyz'")])
def test_what_finds_nothing_says_so(mentat: Mentat, words: tuple[str, ...], told: str) -> None:
    ran = mentat("rule", *words)
    assert ran.code != 0
    assert told in ran.err


def ruling(name: str = "storm") -> Path:
    return next(Path(__file__).parents[1].glob(f"rulings/{name}/*.toml"))


def test_rulings_of_files_and_folders_are_told_with_the_first_difference(mentat: Mentat, tmp_path: Path) -> None:
    (tmp_path / "rulings" / "deeper").mkdir(parents=True)
    empty = mentat("ruling", "check", "rulings")
    assert (empty.code, "There is no ruling (*.toml) there" in empty.err) == (2, True)
    good = ruling().read_text(encoding="utf-8")
    (tmp_path / "rulings" / "a.toml").write_text(good, encoding="utf-8")
    (tmp_path / "rulings" / "notes.txt").touch()
    whole = mentat("ruling", "check", "rulings")
    assert (whole.code, whole.out, whole.err) == (0, "PASS rulings/a.toml\n1 passed, 0 failed\n", "")
    bad = f"{good}\n[expect.faction.guild]\nspice = 99\n"
    (tmp_path / "rulings" / "deeper" / "b.toml").write_text(bad, encoding="utf-8")
    ran = mentat("ruling", "check", "rulings")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines[:2] == ["PASS rulings/a.toml", "FAIL rulings/deeper/b.toml"]
    assert "99" in lines[2]
    assert lines[3:] == ["1 passed, 1 failed"]


@pytest.mark.parametrize(
    ("clauses", "warned"),
    [
        ('["AH.X.C.2"]', []),
        ('["ah.x.c.2", "WBC.X.999"]', ["There is no clause WBC.X.999"]),
        ('["XYZZY.1", "WBC.X.999"]', ["There is no clause XYZZY.1", "There is no clause WBC.X.999"]),
        ('"AH.X.C.2"', ["is not a list of clauses"]),
    ],
)
def test_a_ruling_that_cites_a_clause_which_does_not_exist_is_warned_of(
    mentat: Mentat, tmp_path: Path, clauses: str, warned: list[str]
) -> None:
    text = re.sub(r"(?m)^clauses = .*$", f"clauses = {clauses}", ruling().read_text(encoding="utf-8"))
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    ran = mentat("ruling", "check", "a.toml")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "PASS a.toml"
    told = [line for line in lines if line.startswith("     warning: ")]
    assert [part in line for part, line in zip(warned, told, strict=True)] == [True] * len(warned)
    assert len(mentat("ruling", "check", "a.toml", "--json").json[0]["warnings"]) == len(warned)


Hand = Callable[[str | bytes], None]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Hand:
    """Return a function that puts text on standard input."""

    def hand(text: str | bytes) -> None:
        given = text if isinstance(text, bytes) else text.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))

    return hand


def test_a_ruling_may_come_on_standard_input(mentat: Mentat, stdin: Hand) -> None:
    good = ruling().read_text(encoding="utf-8")
    stdin(good)
    assert mentat("ruling", "check", "-").out == "PASS -\n1 passed, 0 failed\n"
    stdin(f"\ufeff{good}\n[expect.faction.guild]\nspice = 99\n")
    ran = mentat("ruling", "check", "-", str(ruling("spice")), "--json")
    assert ran.code == 1
    assert [(told["file"], told["passed"]) for told in ran.json] == [("-", False), (str(ruling("spice")), True)]
    stdin("[start\n")
    ran = mentat("ruling", "check", "-")
    assert (ran.code, "cannot be read as a ruling" in ran.out) == (1, True)


def test_many_rulings_may_stand_in_a_json_list_and_are_answered_in_its_order(mentat: Mentat, stdin: Hand) -> None:
    start = 'title = "{0}"\n[start]\nphase = "bidding"\nturn = 2\nstorm = 4\nfactions = ["guild", "emperor"]\n'
    start += '[start.faction.guild]\nspice = 5\n[[step]]\nuntil = "bid"\nof = "guild"\n'
    step = '[[step]]\nfrom = "guild"\nmail = "{1}"\n'
    texts = [(start + step).format(number, mail) for number, mail in enumerate(("bid 4", "BID 4", "bid 3", "bid 3"))]
    stdin(json.dumps(texts))
    ran = mentat("ruling", "check", "-", "--json")
    assert [told["title"] for told in ran.json] == ["0", "1", "2", "3"]
    digests = [told["steps"][0]["digest"] for told in ran.json]
    assert digests[0] == digests[1] != digests[2] == digests[3]
    stdin(json.dumps(texts[:1]))
    assert mentat("ruling", "check", "-", "--json").json[0]["steps"] == ran.json[0]["steps"]
    stdin(json.dumps([texts[0], "title", texts[1]]))
    ran = mentat("ruling", "check", "-", "--json")
    assert (ran.code, [told["passed"] for told in ran.json]) == (1, [True, False, True])
    stdin("[]")
    ran = mentat("ruling", "check", "-", "--json")
    assert (ran.code, ran.json) == (0, [])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (b'["title = 3",', "begins like a JSON list of rulings but is not one: Expecting value"),
        (b'[ "a" "b" ]', "begins like a JSON list"),
        (b'{"title": "Two bids"', "begins like a JSON list"),
        (b'{"title": "Two bids"}', "must be a list of texts"),
        (b'["title = 3", {"title": 3}]', "must be a list of texts"),
        (b"[3]", "must be a list of texts"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_what_is_no_ruling_on_standard_input_is_refused_in_one_sentence(
    mentat: Mentat, stdin: Hand, given: bytes, told: str
) -> None:
    stdin(given)
    ran = mentat("ruling", "check", "-", "--json")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert told in ran.err


def test_standard_input_is_read_once(mentat: Mentat, stdin: Hand) -> None:
    stdin(ruling().read_text(encoding="utf-8"))
    ran = mentat("ruling", "check", "-", "-")
    assert (ran.code, "write - once" in ran.err) == (2, True)


def test_rule_sets_are_compared_and_their_options_told(mentat: Mentat) -> None:
    both = mentat("rule", "--compare", "ah-basic", "wbc-2018").out
    assert len(mentat("rule", "--compare").out) > len(both)
    options = mentat("rule", "--options", "ah-basic").out
    assert "one alliance (0 means that there is no limit): 0 (ah-basic); 2 (wbc)" in both
    assert options.startswith("Dune (1979), basic game (ah-basic)\n")
    assert "max_turns = 15\n  How many turns a game lasts at most.\n" in options
