"""Damaged copies of a record, each changed in one way."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from bot.record.lines import FIRST, digest, own_sum
from rules.components.chance import commitment


def damaged(record: bytes) -> Mapping[str, tuple[bytes, int]]:
    """Return the damaged records by the kind of damage, each with the number of the line that must be reported."""
    rows = record.splitlines()
    values = [json.loads(row) for row in rows]
    draw = next(number for number, line in enumerate(values) if line["t"] == "draw" and line["size"] > 3)
    other = values[draw] | {"got": (values[draw]["got"] + 1) % values[draw]["size"]}
    return {
        "a byte changed": (_joined([*rows[:49], rows[49].replace(b'"salt":"', b'"salt":"0'), *rows[50:]]), 51),
        "a letter of a name changed": (_joined([rows[0].replace(b"wbc", b"wbd", 1), *rows[1:]]), 2),
        "a line dropped": (_joined([*rows[:30], *rows[31:]]), 31),
        "two swapped": (_joined([*rows[:40], rows[41], rows[40], *rows[42:]]), 41),
        "the turn of the end changed": (_joined([*rows[:-1], rows[-1].replace(b'"turn":', b'"turn":1', 1)]), len(rows)),
        "the end cut off": (_joined(rows[:-1]), len(rows) - 1),
        "another seed": (_chained([*values[:-1], values[-1] | {"seed": "another"}]), 1),
        "another seed and its promise": (
            _chained(
                [values[0] | {"commitment": commitment("another")}, *values[1:-1], values[-1] | {"seed": "another"}],
                "another",
            ),
            next(number for number, line in enumerate(values, 1) if line["t"] == "draw"),
        ),
        "another draw": (_chained([*values[:draw], other, *values[draw + 1 :]]), draw + 1),
    }


def _joined(rows: list[bytes]) -> bytes:
    return b"".join(row + b"\n" for row in rows)


def _chained(values: list[dict[str, Any]], salted: str = "") -> bytes:
    """Return the lines with a corrected chain, as a careful forger would make it. With ``salted``, correct the salts
    for that seed too."""
    rows, before = [], FIRST
    for number, line in enumerate(values):
        if salted:
            line = line | {"salt": hmac.digest(salted.encode(), f"salt#{number}".encode(), hashlib.sha256).hex()[:32]}
        row = json.dumps(line | {"prev": before}, ensure_ascii=False, separators=(",", ":")).encode()
        if line["t"] == "end":
            row = row.replace(line["sum"].encode(), own_sum(row).encode())
        rows.append(row)
        before = digest(row)
    return _joined(rows)
