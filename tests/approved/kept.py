"""The kept inputs of a subject with what was approved for each: a file of JSON lines, compressed."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from tests.approved.subject import Subject

KEPT = Path(__file__).with_name("kept")


class Approved(NamedTuple):
    """An input and what the product makes of it."""

    given: str
    told: str


def kept_file(name: str) -> Path:
    return KEPT / f"{name}.jsonl.xz"


def read(name: str) -> list[Approved]:
    """What was approved for a subject."""
    with lzma.open(kept_file(name), "rt", encoding="utf-8", newline="\n") as file:
        return [Approved(*json.loads(line)) for line in file]


def keep(subject: Subject, inputs: Iterable[str]) -> None:
    """Approve what the product makes of these inputs now."""
    KEPT.mkdir(exist_ok=True)
    lines = [json.dumps([given, subject.ask(given)], ensure_ascii=True) for given in inputs]
    kept_file(subject.name).write_bytes(lzma.compress("".join(f"{line}\n" for line in lines).encode(), preset=9))


def differences(subject: Subject, approved: Iterable[Approved]) -> Iterator[str]:
    """Of each input of which something else has become: the input, and both texts where they differ."""
    for given, before in approved:
        if (now := subject.ask(given)) != before:
            lines = unified_diff(before.splitlines(), now.splitlines(), "approved", "now", lineterm="", n=2)
            yield "\n".join((f"=== {given[:2000]}", *lines))
