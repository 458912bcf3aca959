"""Check that the command line would accept some words, without running the command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup


def refusal(app: typer.Typer, words: Sequence[str]) -> str:
    """Return why the words are not a valid command with known options, or "" if they are.

    Example: `refusal(app, ["run", "--config", "config.toml"])` is `""`.
    """
    wrong: type[Exception] = typer.BadParameter.__bases__[0]
    command: Any = typer.main.get_command(app)
    rest = list(words)
    context = command.make_context("mentat", [], resilient_parsing=True)
    while isinstance(command, TyperGroup):
        name, *rest = rest
        found = command.get_command(context, name)
        if found is None:
            return f"No such command: {name}"
        command = found
    try:
        command.make_context(name, rest)
    except wrong as error:
        return str(getattr(error, "message", error)).rstrip(".")
    return ""
