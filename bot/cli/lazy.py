"""Groups of commands that are imported when one of them is run: `mentat --help` needs none of the games' libraries.

What a group lists of its commands is the beginning of their own help, read from the source without running it. This is
the pattern that click's documentation calls a lazy group.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

Place = str | typer.Typer
"""Where a command is, as "module:function" below ``bot.cli``; or a group of commands."""

_LOOK: dict[str, Any] = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": "markdown"}


def group(help_text: str, places: Mapping[str, Place], name: str | None = None, **look: Any) -> typer.Typer:
    """A group of these commands, by what is typed for them. ``look``: settings of Typer for it alone."""

    class Lazy(_LazyGroup):
        _places = places

    made = typer.Typer(name=name, cls=Lazy, help=help_text, no_args_is_help=True, **{**_LOOK, **look})
    made.callback()(_nothing)
    return made


def _nothing() -> None:
    return None


class _LazyGroup(TyperGroup):
    _places: Mapping[str, Place]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands(self._places, _loaded)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help, in which each command is one sentence."""
        with self._only_listed():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """What a shell may complete this to; the same sentences stand beside it."""
        with self._only_listed():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _only_listed(self) -> Iterator[None]:
        """Have the commands stand in their list, and import none of them."""
        loaded, self.commands = self.commands, _Commands(self._places, _listed)
        try:
            yield
        finally:
            self.commands = loaded


class _Commands(MutableMapping[str, Any]):
    """The commands of a group; each is made when it is asked for."""

    def __init__(self, places: Mapping[str, Place], make: Callable[[str, Place], Any]) -> None:
        self._places, self._make = places, make
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._make(name, self._places[name])
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _loaded(name: str, place: Place) -> Any:
    """The command itself."""
    found: Any = place
    if isinstance(place, str):
        module, _, attribute = place.partition(":")
        found = getattr(import_module(f"bot.cli.{module}"), attribute)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(**_LOOK)
        alone.command(name)(found)
        found = alone
    command = typer.main.get_command(found)
    command.name = name
    return command


def _listed(name: str, place: Place) -> TyperCommand:
    """What stands for a command in the help of its group."""
    if isinstance(place, typer.Typer):
        return TyperCommand(name, help=place.info.help)
    module, _, attribute = place.partition(":")
    told = _told(f"bot.cli.{module}")
    return TyperCommand(name, help=told.get(attribute) or told.get(name, ""))


@cache
def _told(module: str) -> Mapping[str, str]:
    """What the functions of a module say of themselves."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return {}
    functions = ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body
    return {each.name: ast.get_docstring(each) or "" for each in functions if isinstance(each, ast.FunctionDef)}
