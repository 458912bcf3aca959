"""Tests that the examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

CLONE = Path(__file__).parents[1]
WITH_EXAMPLES = sorted(
    path.relative_to(CLONE).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for room in ("rules", "bot")
    for path in (CLONE / room).rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def test_every_example_gives_what_its_docstring_says() -> None:
    finder, runner, told = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(verbose=False), list[str]()
    for name in WITH_EXAMPLES:
        for examples in finder.find(importlib.import_module(name)):
            runner.run(examples, out=told.append)
    assert not told, "".join(told)
    assert runner.tries > 200
