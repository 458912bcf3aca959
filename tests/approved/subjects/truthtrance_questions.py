"""Questions under Truthtrance as people ask them: what each is read as."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import msgspec

from bot.language.truthtrance import read
from rules.components import FACTIONS
from tests.approved.subject import Subject, vary_words

TESTS = Path(__file__).parents[2]
_canonical = msgspec.json.Encoder(order="deterministic", enc_hook=str)


def _seeds() -> Iterator[str]:
    """What is asked in tests and rulings."""
    for file in (TESTS / "orders" / "test_truthtrance.py", *(TESTS / "rules" / "truthtrance").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield _input("guild", "harkonnen", node.value)
    for file in sorted((TESTS / "rulings").rglob("*.toml")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if "truthtrance" in line and "?" in line:
                yield _input("fremen", "bene-gesserit", line.partition(": ")[2].strip('"'))


def _input(asker: str, target: str, question: str) -> str:
    return json.dumps([asker, target, question])


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    asker, target, question = json.loads(text)
    if chance.randrange(6) == 0:
        asker, target = chance.sample(FACTIONS, 2)
    question = vary_words(chance, question, [json.loads(chance.choice(others))[2] for _ in range(3)])
    return _input(asker, target, question[:300])


def _told(text: str) -> str:
    asker, target, question = json.loads(text)
    return _canonical.encode(read(asker, target, question)).decode()


SUBJECT = Subject("truthtrance-questions", ("bot.language.truthtrance", "bot.language.names"), _seeds, _vary, _told)
