"""Commands in this process: what they print, and how they end."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.cli import main
from bot.games.one_act import would_be_written


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: object
    out: str
    err: str

    def __str__(self) -> str:
        said = f"{self.err.rstrip()}\n" if self.err.strip() else ""
        return f"{self.out.rstrip()}\n{said}(exit {self.code})".lstrip("\n")


def run(words: Sequence[str], standard_input: str = "") -> Ran:
    """``mentat WORDS`` in the current folder. A command is a process of its own, and knows of no trial before it."""
    would_be_written()
    code: object = 0
    with _streams(standard_input) as (out, err):
        argv, sys.argv = sys.argv, ["mentat", *words]
        try:
            main()
        except SystemExit as end:
            code = end.code
        finally:
            sys.argv = argv
    return Ran(code, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def _streams(standard_input: str) -> Iterator[tuple[io.StringIO, io.StringIO]]:
    out, err, before = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(standard_input)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            yield out, err
    finally:
        sys.stdin = before
