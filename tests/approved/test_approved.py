"""What the product makes of kept inputs is what was approved."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import pytest

from tests.approved import choosing, probes
from tests.approved.choosing import choose_by
from tests.approved.json_inputs import varied
from tests.approved.kept import Approved, differences, read
from tests.approved.subject import Subject, vary_words
from tests.approved.subjects import SUBJECTS

PARTS = 4
SHOWN = 5


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", [name for name in SUBJECTS if not SUBJECTS[name].slow])
def test_what_becomes_of_every_kept_input_is_as_it_was_approved(name: str, part: int) -> None:
    _require_the_same(name, part)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", [name for name in SUBJECTS if SUBJECTS[name].slow])
def test_what_becomes_of_every_kept_input_that_takes_long_is_as_it_was_approved(name: str, part: int) -> None:
    _require_the_same(name, part)


def _require_the_same(name: str, part: int) -> None:
    found = list(islice(differences(SUBJECTS[name], read(name)[part::PARTS]), SHOWN))
    assert not found, "\n".join(found) + f"\nIf that is intended: python -m tests.approved accept {name}"


def test_an_input_of_which_something_else_has_become_is_told_with_both_texts() -> None:
    subject = Subject("sum", (), lambda: ["1"], vary_words, lambda text: f"so\n{text}")
    found = list(differences(subject, [Approved("1", "so\n1"), Approved("2", "so\n3")]))
    assert found == ["=== 2\n--- approved\n+++ now\n@@ -1,2 +1,2 @@\n so\n-3\n+2"]


def test_inputs_are_found_that_show_something_which_the_seeds_do_not() -> None:
    subject = Subject("words", (), lambda: ["bid 3", "pass"], vary_words, str)
    found = choose_by(lambda text: {(1, "3" in text), (2, "4" in text)}, subject, 20, 3)
    assert found[:2] == ["pass", "bid 3"]
    assert "4" in found[2]


def test_an_input_with_which_the_product_fails_or_is_busy_too_long_is_shown_and_not_taken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(text: str) -> set[probes.Feature]:
        while text == "endless":
            pass
        return {(int(text), text)}

    monkeypatch.setattr(choosing, "LONGEST", 0.05)
    subject = Subject("numbers", (), lambda: ["1", "two", "endless"], vary_words, str)
    assert choose_by(look, subject, 0, 5) == ["1"]
    shown = capsys.readouterr().out
    assert "ValueError" in shown
    assert "TimeoutError busy for 0.05 seconds: endless" in shown


def test_a_json_value_is_varied_at_one_place_in_the_same_way_each_time() -> None:
    value = {"bids": [3, 4], "till": "2026-03-01T12:00:00", "who": {"name": "Stilgar"}, "open": True}
    made = [varied(Random(seed), value, [{"bids": [9]}], free=("name",)) for seed in range(300)]
    assert made == [varied(Random(seed), value, [{"bids": [9]}], free=("name",)) for seed in range(300)]
    for other in ({"bids": [2, 4]}, {"bids": [3]}, {"bids": [9]}, {"till": "2026-03-01T12:01:00"}, {"open": False}):
        assert {**value, **other} in made
    assert {name for name in value for each in made if name not in each} == set(value)


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("f = lambda a, b: a < b", {2: {-2}, 3: {-1}, 4: {0}, 5: {1}, 9: {2}}),
        ("f = lambda a, b: a in (4, b)", {4: {0}, 5: {-1}}),
        ("f = lambda a, b: a if b and a > 4 else b", {4: {-0, True, False}, 5: {True}}),
        ("f = lambda a, b: [x for x in range(a) if x > b]", {4: {-2, -1, False}}),
        ("def f(a, b):\n    match a:\n        case 4 if b:\n            return None", {4: {True, None}, 5: set()}),
    ],
)
def test_probes_tell_how_code_came_out(code: str, shown: dict[int, set[object]]) -> None:
    given: dict[str, Any] = {}
    exec(probes.with_probes(code, "made", "made.py"), given)
    for value, expected in shown.items():
        probes.noted.clear()
        given["f"](value, 4)
        assert {how for _, how in probes.noted} == expected


def test_the_same_chance_varies_a_text_in_the_same_way() -> None:
    texts = [vary_words(Random(seed), "ship 3 to Arrakeen", ["bid 4", "pass"]) for seed in range(200)]
    assert texts == [vary_words(Random(seed), "ship 3 to Arrakeen", ["bid 4", "pass"]) for seed in range(200)]
    assert {"ship 4 to Arrakeen", "ship 2 to Arrakeen", "ship 3 to"} <= {text.strip() for text in texts}
