"""Running rulings: a position, orders as they would come by mail, and what must be true afterwards.

What a ruling says must hold whatever chance brings. It runs once for each seed of its ``rng``: a text is one seed, a
list of texts are several, and where it names none it runs with ``SEEDS``.
"""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.rulings.steps import Failed, RulingTable, Told
from rules.positions.position import position
from rules.positions.tables import PositionError, Table

log = logging.getLogger(__name__)

RULING_KEYS = ("title", "clauses", "ruleset", "options", "start", "step", "expect")
STEP_KEYS = ("from", "order", "refused", "until", "of", "expect")
SEEDS = ("mentat", "shai-hulud", "muad-dib", "kwisatz")
"""What a ruling runs with that names no ``rng``: chance must make no difference to it."""


@dataclass(frozen=True, slots=True)
class RulingResult:
    """Whether a ruling passed; if not, ``difference`` is the first thing that was not so, in a sentence.

    ``steps`` says what became of each line that was handed in, and ``view`` is the position at the end as the game
    master may see it, in the shape of ``game show --json``; both as it went with the last seed that was run.
    """

    title: str
    passed: bool
    difference: str = ""
    steps: Sequence[Mapping[str, Any]] = ()
    view: Mapping[str, Any] | None = None


def run_ruling(source: Path | str) -> RulingResult:
    """Run a ruling from its file, or from its text.

    >>> run_ruling('title = "Nothing"')  # doctest: +SKIP
    RulingResult(title='Nothing', passed=False, difference='the ruling: phase is missing; ...')
    """
    title = source.name if isinstance(source, Path) else "ruling"
    told = Told()
    try:
        text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
        document = tomllib.loads(text)
        title = Table("the ruling", document, RULING_KEYS).text("title", title)
        for seed, seeded in _with_each_seed(document):
            told = Told()
            try:
                _run(seeded, told)
            except Failed as failure:
                which = f" (with rng = {seed!r})" if seed != SEEDS[0] else ""
                return RulingResult(title, False, f"{failure}{which}", told.steps, told.view())
            except PositionError:
                raise
            except Exception as fault:  # a fault of the rules fails this ruling and no other
                log.exception("the game of the ruling %r broke off", title)
                return RulingResult(title, False, f"The game broke off: {fault!r}.", told.steps, told.view())
    except PositionError as failure:
        return RulingResult(title, False, str(failure))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        return RulingResult(title, False, f"This file cannot be read as a ruling: {error}.")
    return RulingResult(title, True, "", told.steps, told.view())


def _with_each_seed(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each seed that the ruling is to hold with, and the ruling with it."""
    start = Table("the ruling", document).table("start")
    rng = start.values.get("rng", list(SEEDS))
    seeds = [rng] if isinstance(rng, str) else rng
    if not isinstance(seeds, list) or not seeds or not all(isinstance(seed, str) for seed in seeds):
        raise start.wrong("rng", "this must be a text, or a list of texts to run with each")
    for seed in seeds:
        yield seed, {**document, "start": {**start.values, "rng": seed}}


def _run(document: Mapping[str, Any], told: Told) -> None:
    steps = document.get("step", [])
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise PositionError("the ruling: steps are written [[step]], each a table of its own.")
    table = RulingTable(position(document).play(), told)
    told.play = table.play
    for number, values in enumerate(steps, start=1):
        step = Table(f"step {number}", values, STEP_KEYS)
        match sorted(values):
            case ["from", "order"] | ["from", "order", "refused"]:
                table.order(step)
            case ["until"] | ["of", "until"]:
                table.until(step)
            case ["expect"]:
                table.expect(step.where, step.table("expect").values)
            case keys:
                named = ", ".join(keys) or "nothing"
                raise PositionError(f"{step.where} has {named}; a step is an order with from, an until, or an expect.")
    table.expect("at the end", Table("the ruling", document).table("expect").values)
