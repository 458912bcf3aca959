"""The sums of a published tournament: the SHA-256 of each part, and one of all of them.

Most of a document follows from the rest and is computed again (``bot.competition.verifying``). What does not (a name,
a day, why somebody decided something) is held by its sum: whoever changes it must change the sum of the whole as well,
and that one line can be compared with what others have, or with what a letter said.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from bot.competition.published import Published

WITHOUT = ("sum", "sums")
"""The parts that have no sum."""


def sealed(document: Published) -> Published:
    """The document with its sums."""
    sums = dict(_of_parts(document))
    return msgspec.structs.replace(document, sums=sums, sum=whole(sums))


def whole(sums: dict[str, str]) -> str:
    """The sum of all sums, a line each by their names.

    >>> whole({"state": "ab"})[:8] == hashlib.sha256(b"ab  state\\n").hexdigest()[:8]
    True
    """
    return hashlib.sha256("".join(f"{sums[part]}  {part}\n" for part in sorted(sums)).encode()).hexdigest()


def differing(document: Published) -> list[str]:
    """The parts that do not have the sum that the document says, in its order; "sums" where it lacks one, says one of
    no part, or the sum of all is another."""
    due = dict(_of_parts(document))
    found = [part for part, digest in due.items() if document.sums.get(part, digest) != digest]
    if due.keys() != document.sums.keys() or document.sum != whole(document.sums):
        found.append("sums")
    return found


def _of_parts(document: Published) -> Iterator[tuple[str, str]]:
    """The name and the digest of each part: rounds and results one by one."""
    for field in document.__struct_fields__:
        value = getattr(document, field)
        if field in WITHOUT:
            continue
        if field == "rounds":
            for one in document.rounds:
                yield f"round {one.number}", _digest(one)
            value = [one.number for one in document.rounds]
        elif field == "results":
            for result in document.results:
                outcome = result.outcome
                yield f"result {outcome.round}.{outcome.table} version {outcome.version}", _digest(result)
            value = [(one.outcome.round, one.outcome.table, one.outcome.version) for one in document.results]
        yield field, _digest(value)


def _digest(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()
