"""The JSON Schema of a record, for programs of others: each line of `game.jsonl` is one value of it.

It is made from the types of the lines, so it says what Mentat writes, and lies in `data/schema/` as it is published.
Whoever reads a record lets fields through that the schema does not name: a newer Mentat may have added them.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from bot.record.lines import FORMAT, AnyLine
from rules.components.chance import commitment
from rules.components.facts import data_folder

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


def published() -> bytes:
    """`schema/game-1.json` as it lies in every archive."""
    return (data_folder() / "schema" / f"game-{FORMAT}.json").read_bytes()


def made() -> bytes:
    """The schema of the record as it follows from the types of its lines, with examples; ``published`` must equal
    it."""
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
    """Descriptions without what only readers of the code need."""
    if isinstance(value, dict):
        if isinstance(text := value.get("description"), str):
            text = re.sub(r"\s*\(``?(?:bot|rules)\.[^)]*\)", "", " ".join(text.split()))
            value["description"] = text.replace("``", "`")
        for each in value.values():
            _for_readers(each)
    elif isinstance(value, list):
        for each in value:
            _for_readers(each)
