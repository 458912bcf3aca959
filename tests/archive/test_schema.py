"""The JSON Schema of the record, as it is published in every archive."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bot.record.lines import made_schema, published_schema
from rules.rulesets.ruleset import RULE_SETS
from tests.archive.records import recorded
from tests.size import size

SCHEMA: dict[str, Any] = json.loads(published_schema())
VALID = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)


def lines(ruleset: str) -> list[dict[str, Any]]:
    return [json.loads(row) for row in recorded(ruleset, "holds").splitlines()]


def test_it_is_a_schema_and_says_what_is_written() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert published_schema() == made_schema(), (
        "write what bot.record.lines.made_schema() gives to data/schema/game-1.json"
    )


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_every_line_of_a_random_game_is_valid(ruleset: str) -> None:
    for number, line in list(enumerate(lines(ruleset), 1))[:: size(9, 1)]:
        kind = VALID.evolve(schema={**SCHEMA, "$ref": f"#/$defs/{KINDS[line['t']]}", "anyOf": [{}]})
        assert not [error.message for error in kind.iter_errors(line)], f"line {number}"


KINDS = {"head": "Head", "entry": "Decided", "draw": "Drawn", "event": "Told", "act": "Act", "end": "End"}


def test_each_kind_of_line_has_an_example_that_is_valid() -> None:
    for name in KINDS.values():
        examples = SCHEMA["$defs"][name]["examples"]
        assert examples
        for example in examples:
            VALID.validate(example)


def test_everything_is_described() -> None:
    assert [
        name for name, kind in SCHEMA["$defs"].items() if not kind.get("description") and "properties" in kind
    ] == []
    assert "bot." not in published_schema().decode()
    assert "``" not in published_schema().decode()


def test_what_a_newer_mentat_adds_is_valid() -> None:
    for line in lines("wbc-2018")[::50]:
        VALID.validate({**line, "added": {"later": 1}})


@pytest.mark.parametrize(
    "damage", [{"prev": "abc"}, {"salt": None}, {"t": "dream"}, {"commitment": "x"}, {"seats": []}]
)
def test_a_damaged_line_is_not_valid(damage: dict[str, Any]) -> None:
    assert not VALID.is_valid({**lines("wbc-2018")[0], **damage})
