"""What the product makes of kept inputs is what was approved."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from tests.approved.choosing import choose
from tests.approved.kept import Approved, differences, read
from tests.approved.subject import Subject, vary_words
from tests.approved.subjects import SUBJECTS

PARTS = 4
SHOWN = 5


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", SUBJECTS)
def test_what_becomes_of_every_kept_input_is_as_it_was_approved(name: str, part: int) -> None:
    found = list(islice(differences(SUBJECTS[name], read(name)[part::PARTS]), SHOWN))
    assert not found, "\n".join(found) + f"\nIf that is intended: python -m tests.approved accept {name}"


def test_an_input_of_which_something_else_has_become_is_told_with_both_texts() -> None:
    subject = Subject("sum", (), lambda: ["1"], vary_words, lambda text: f"so\n{text}")
    found = list(differences(subject, [Approved("1", "so\n1"), Approved("2", "so\n3")]))
    assert found == ["=== 2\n--- approved\n+++ now\n@@ -1,2 +1,2 @@\n so\n-3\n+2"]


def test_inputs_are_found_that_the_seeds_do_not_have() -> None:
    subject = Subject("words", ("tests.approved.test_approved",), lambda: ["bid 3", "pass"], vary_words, _small)
    found = choose(subject, 5, 5)
    assert found[:2] == ["pass", "bid 3"]
    assert "far" in map(_small, found)


def test_the_same_chance_varies_a_text_in_the_same_way() -> None:
    texts = [vary_words(Random(seed), "ship 3 to Arrakeen", ["bid 4", "pass"]) for seed in range(200)]
    assert texts == [vary_words(Random(seed), "ship 3 to Arrakeen", ["bid 4", "pass"]) for seed in range(200)]
    assert {"ship 4 to Arrakeen", "ship 2 to Arrakeen", "ship 3 to"} <= {text.strip() for text in texts}


def _small(text: str) -> str:
    if "3" in text:
        return "three"
    if "4" in text:
        return "far"
    return "none"
