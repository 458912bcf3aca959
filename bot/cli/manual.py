"""`mentat manual`: the page for man(1), made from what every command says of itself.

Source: man-pages(7), groff_man(7).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperGroup

from bot.version import VERSION
from bot.wording.sentences import environment

PAGE = "manual/mentat.1.j2"


@dataclass(frozen=True, slots=True)
class Option:
    """An option or an argument: its names, what stands for its value ("" for a flag), and what it means."""

    name: str
    value: str
    told: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command by its whole name, "game new"; all in the words of groff."""

    name: str
    told: list[str]
    arguments: list[Option]
    options: list[Option]


def manual(context: typer.Context) -> None:
    """Print the manual page, for man(1).

    Example: `mentat manual > /usr/local/share/man/man1/mentat.1`
    """
    commands = list(_commands("", context.find_root().command))
    sys.stdout.write(environment().get_template(PAGE).render(version=VERSION, commands=commands))


def _commands(name: str, command: Any) -> Iterator[Command]:
    if isinstance(command, TyperGroup):
        for each in command.commands:
            yield from _commands(f"{name} {each}".strip(), command.commands[each])
        return
    shown = [each for each in command.params if not getattr(each, "hidden", False) and each.name != "help"]
    yield Command(
        _groff(name),
        [_groff(paragraph) for paragraph in (command.help or "").split("\n\n")],
        [_argument(each) for each in shown if each.param_type_name == "argument"],
        [_option(each) for each in shown if each.param_type_name == "option"],
    )


def _argument(found: Any) -> Option:
    return Option(_groff(found.metavar or found.name.upper()), "", _groff(found.help or ""))


def _option(found: Any) -> Option:
    names = ", ".join([*found.opts, *found.secondary_opts])
    return Option(_groff(names), "" if found.is_flag else _groff(found.metavar or "VALUE"), _groff(found.help or ""))


def _groff(text: str) -> str:
    """A text in one line in which groff finds nothing of its own: a backslash, a hyphen that is typed, a leading dot.

    >>> print(_groff(".env holds --json"))
    \\&.env holds \\-\\-json
    """
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    return f"\\&{line}" if line.startswith((".", "'")) else line
