"""Commands run in this process, with their output and their exit code."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unittest import mock

from bot.cli import main
from bot.cli.session import console, errors
from bot.games.open_games import would_be_written


@dataclass(frozen=True)
class Ran:
    """The output and the exit code of a command."""

    code: object
    out: str
    err: str

    def __str__(self) -> str:
        said = f"{self.err.rstrip()}\n" if self.err.strip() else ""
        return f"{self.out.rstrip()}\n{said}(exit {self.code})".lstrip("\n")


def run(words: Sequence[str], standard_input: str = "") -> Ran:
    """Run ``mentat WORDS`` in the current folder. Forget earlier dry runs, as a new process would."""
    would_be_written()
    code: object = 0
    with _streams(standard_input) as (out, err), _no_log():
        argv, sys.argv = sys.argv, ["mentat", *words]
        try:
            main()
        except SystemExit as end:
            code = end.code
        finally:
            sys.argv = argv
    return Ran(code, _said(out), _said(err))


def _said(stream: io.TextIOWrapper) -> str:
    stream.flush()
    content = stream.buffer.getvalue()  # type: ignore[attr-defined]  # it is a BytesIO
    return str(content.decode(errors="backslashreplace")).replace("\r\n", "\n")


@contextlib.contextmanager
def _page_of(width: int) -> Iterator[None]:
    """Wrap lines to this width instead of the width at the time of import."""
    with mock.patch.object(console, "_width", width), mock.patch.object(errors, "_width", width):
        yield


@contextlib.contextmanager
def _no_log() -> Iterator[None]:
    """Keep the log off standard error, whatever this process has logged before, and restore the log afterwards."""
    root = logging.getLogger()
    with mock.patch.object(logging, "lastResort", logging.NullHandler()), mock.patch.object(root, "handlers", []):
        level = root.level
        try:
            yield
        finally:
            root.setLevel(level)


@contextlib.contextmanager
def _streams(standard_input: str) -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2))
    before = sys.stdin
    sys.stdin = io.StringIO(standard_input)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _page_of(int(os.environ["COLUMNS"])):
            yield out, err
    finally:
        sys.stdin = before
