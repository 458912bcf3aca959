"""Lines of orders, sheets and talk as a player in some position sends them: what each is taken for, or what is said
instead and proposed."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from bot.language.mail_lines import read_lines
from bot.language.orders import help_for
from tests.approved.subject import Subject, vary_words
from tests.orders.plain.judging import NEARLY, Case, cases, context
from tests.transcripts.scenarios.reading import LINES, described

RULINGS = Path(__file__).parents[2] / "rulings"


def _cases() -> list[Case]:
    return [case for file in ("cases.toml", "talk.toml") for case in cases(NEARLY / file)]


def _seeds() -> Iterator[str]:
    chance, people = Random("people"), sorted({(case.position, case.faction) for case in _cases()})
    for case in _cases():
        yield _input(case.position, case.faction, case.line)
        for want in case.want:
            yield _input(case.position, case.faction, want)
    for line in (*LINES.read_text(encoding="utf-8").splitlines(), *map(str.lower, help_for())):
        yield _input(*chance.choice(people), line)
    for file in sorted(RULINGS.rglob("*.toml")):
        for step in tomllib.loads(file.read_text(encoding="utf-8")).get("step", ()):
            if "order" in step:
                yield _input(*chance.choice(people), step["order"])


def _input(position: str, faction: str, lines: str, *, takes: bool = True) -> str:
    return json.dumps([position, faction, lines, takes])


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """Other lines, or the same in somebody else's place."""
    position, faction, lines, takes = json.loads(text)
    other: Any = json.loads(chance.choice(others))
    match chance.randrange(6):
        case 0:
            position, faction = other[:2]
        case 1:
            takes = not takes
    if chance.randrange(4):
        lines = vary_words(chance, lines, [other[2], *(json.loads(chance.choice(others))[2] for _ in range(2))])
    return _input(position, faction, lines[:600], takes=takes)


def _told(text: str) -> str:
    position, faction, lines, takes = json.loads(text)
    asked = context(position, faction, takes=takes)
    read = read_lines(lines.split("\n"), asked)
    return "\n".join(f"{each.text}\n  {described(each.result)}" for each in read) or "nothing"


SUBJECT = Subject("order-lines", ("bot.language", "bot.language"), _seeds, _vary, _told)
