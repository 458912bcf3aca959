"""Tests for the JSON Schema of the record, which every archive publishes."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from bot.record.lines import AnyLine, published_schema
from rules.components.chance import commitment
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
        "write what tests.archive.test_schema.made_schema() gives to data/schema/game-1.json"
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


_DIGEST = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "Head": [
        {
            "t": "head", "salt": "83df6b61c356585de6f8cb6e4362bcdc",
            "prev": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "record": 1,
            "game": "sietch-7f3a21", "ruleset": "wbc-2018", "options": {"max_turns": 10},
            "seats": {"atreides": 17, "fremen": 14}, "rules": "",
            "commitment": commitment("spice"), "day": "2026-11-01",
        }
    ],
    "Decided": [
        {
            "t": "entry", "salt": "0f" * 16, "prev": "1b" * 32, "n": 312, "day": "2026-11-22", "turn": 2,
            "phase": "bidding",
            "entry": {"type": "submit", "faction": "fremen", "orders": [{"type": "Bid", "amount": 2}]},
        },
        {
            "t": "entry", "salt": "0f" * 16, "prev": "1b" * 32, "n": 313, "day": None, "turn": 2, "phase": "bidding",
            "entry": {"type": "expire", "keys": [["guild", "bid", ""]]},
        },
    ],
    "Drawn": [
        {"t": "draw", "salt": "0f" * 16, "prev": "1b" * 32, "label": "treachery-deck#12", "size": 21, "got": 4}
    ],
    "Told": [
        {
            "t": "event", "salt": "0f" * 16, "prev": "1b" * 32,
            "event": {
                "number": 40, "turn": 2, "phase": "bidding", "kind": "bid", "facts": {"faction": "fremen", "amount": 2},
                "private": {}, "audience": None,
            },
        }
    ],
    "Act": [
        {
            "t": "act", "salt": "0f" * 16, "prev": "1b" * 32, "what": "rollback", "why": "They sent the wrong order.",
            "day": "2026-11-22", "entries": 300,
        }
    ],
    "End": [
        {
            "t": "end", "salt": "0f" * 16, "prev": "1b" * 32, "turn": 12, "winners": ["bene-gesserit"],
            "day": "2026-11-29", "seed": "spice", "sum": "2c" * 32,
        }
    ],
}  # fmt: skip


def made_schema() -> bytes:
    """Build the schema from the line types, with examples. ``published_schema`` must be equal to it."""
    schema = msgspec.json.schema(AnyLine)
    kinds = schema["$defs"]
    for name, examples in _EXAMPLES.items():
        kind = kinds[name]
        kind["properties"]["salt"] = {
            "type": "string",
            "pattern": "^[0-9a-f]{32}$",
            "description": "HMAC-SHA256 of “salt#” and the number of the line, from 0, with the seed as its key: the "
            "first 32 hexadecimal digits.",
        }
        kind["properties"]["prev"] = {
            **_DIGEST,
            "description": "SHA-256 of the line before, without its end of line; of nothing for the first line.",
        }
        kind["required"] = [*kind["required"], "salt", "prev"]
        kind["examples"] = examples
    kinds["Head"]["properties"]["commitment"] |= _DIGEST | {"description": "SHA-256 of the seed."}
    kinds["Head"]["required"].append("record")
    kinds["End"]["properties"]["sum"] |= _DIGEST | {"description": "SHA-256 of this line with an empty `sum`."}
    kinds["End"]["required"].append("sum")
    _for_readers(schema)
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of game.jsonl, the record of a game of Dune",
        "description": "One JSON object a line, in UTF-8, lines ended by LF: first the head; then each entry of the "
        "log with the draws and events that it led to, and what the game master did; last the end. Fields may be "
        "added, and none is ever taken away.",
        **schema,
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _for_readers(value: Any) -> None:
    if isinstance(value, dict):
        if isinstance(text := value.get("description"), str):
            text = re.sub(r"\s*\(``?(?:bot|rules)\.[^)]*\)", "", " ".join(text.split()))
            value["description"] = text.replace("``", "`")
        for each in value.values():
            _for_readers(each)
    elif isinstance(value, list):
        for each in value:
            _for_readers(each)
