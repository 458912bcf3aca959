"""Rulings as they are written, and with something changed or missing: what the runner says of each.

An input is the text of a file. What becomes of orders in play is the subject of others (`orders_in_play`); this is
about steps, windows, what is expected and refused, and files that are none.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from unittest import mock

from bot.lab.rulings import run_ruling
from tests.approved.subject import Subject, vary_words
from tests.rulings import test_runner

RULINGS = Path(__file__).parents[2] / "rulings"
MOST_LETTERS = 1_100
MOST_SEEDS = 160
_STEPS = (
    '[[step]]\nuntil = "end"', '[[step]]\nuntil = "phase:battle"', '[[step]]\nuntil = "phase:over"',
    '[[step]]\nuntil = "phase:storm"', '[[step]]\nuntil = "karama-window"', '[[step]]\nuntil = "guild-timing"',
    '[[step]]\nuntil = "revival"\nof = "guild"', '[[step]]\nuntil = "bid"',
    '[[step]]\nfrom = "guild"\norder = "pass"', '[[step]]\nfrom = "guild"\norder = "revive 1"\nrefused = "storm"',
    '[[step]]\nfrom = "guild"\norder = "when price > 3: pass"',
    '[[step]]\nfrom = "guild"\norder = "standing: no revival"',
    '[[step]]\nfrom = "guild"\norder = "when"\nrefused = ""',
    '[[step]]\nfrom = "guild"\norder = "pass\\nstatus"', '[[step]]\n[step.expect]\nnot_asked = ["guild:revival"]',
    '[[step]]\n[step.expect]\nasked = ["guild:karama-window"]', '[[step]]\n[step.expect]\nphase = "battle"',
    '[expect]\nnever_asked = ["guild:revival"]', "[expect]\nturn = 5", "[expect",
)  # fmt: skip
_CHANCE = ('"mentat"', '"one"', '["one", "two"]', "[]", "7", '["one", 2]')


def _seeds() -> Iterator[str]:
    texts = [file.read_text(encoding="utf-8") for file in sorted(RULINGS.rglob("*.toml"))]
    short = sorted((text for text in texts if len(text) <= MOST_LETTERS and "[[step]]" in text), key=len)
    yield from (_without_notes(text) for text in short[:: max(1, len(short) // MOST_SEEDS)])
    for step in _STEPS:
        yield test_runner.START + step
    for rng in _CHANCE:
        yield test_runner.START.replace("[start]", f"[start]\nrng = {rng}")


def _without_notes(text: str) -> str:
    return re.sub(r"(?m)^#.*\n|^clauses = .*\n", "", text)


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """Another step, number, name or word, or a line that is gone."""
    for _ in range(chance.choice((1, 1, 2))):
        parts = re.split(r"(?m)^(?=\[\[step\]\])", text)
        place = chance.randrange(1, len(parts) + 1)
        match chance.randrange(8):
            case 0:
                parts.insert(place, chance.choice(_STEPS) + "\n")
            case 1:
                other = re.split(r"(?m)^(?=\[\[step\]\])", chance.choice(others))
                parts.insert(place, chance.choice(other[1:] or [""]))
            case 2 if len(parts) > 1:
                del parts[chance.randrange(1, len(parts))]
            case 3:
                lines = text.split("\n")
                del lines[chance.randrange(len(lines))]
                parts = ["\n".join(lines)]
            case 4:
                parts = [re.sub(r"(?m)^order = (.*)$", r'order = \1\nrefused = "not"', text, count=1)]
            case 5:
                parts = [re.sub(r"(?m)^\[start\]\n(rng = .*\n)?", f"[start]\nrng = {chance.choice(_CHANCE)}\n", text)]
            case _:
                parts = [vary_words(chance, text, others)]
        text = "\n".join(part.rstrip("\n") + "\n" for part in parts)
    return text


def _told(text: str) -> str:
    with mock.patch.object(logging.getLogger("bot.lab.rulings"), "disabled", new=True):
        result = run_ruling(text)
    said = re.sub(r"(cannot be read as a ruling): .*", r"\1", result.difference)
    asked = [
        f"{each['faction']} {each['kind']}: {each['prompt']} ({each['default']})"
        for each in (result.view or {}).get("questions", ())
    ]
    players = sorted((result.view or {}).get("players", ()))
    return "\n".join((
        f"{result.title}: passed {result.passed}. {said}", *(json.dumps(step) for step in result.steps),
        f"asked of {', '.join(players)}:", *asked, ", ".join(sorted(result.view or ())),
    ))  # fmt: skip


SUBJECT = Subject("rulings-run", ("bot.lab.rulings",), _seeds, _vary, _told)
