"""The command `mentat`, for game masters and scripts.

Every command exits with status 0 if it succeeds, 1 if the answer is "no", and 2 if it is used wrongly or the
configuration is wrong. It prints each error on stderr as one sentence that says what to do.

A command is a function with the decorator `@command("game pause")` in one of the modules below. There is no other list
of commands to keep up to date.

A group imports a command only when somebody runs it, so `mentat --help` needs none of the games' libraries (click's
documentation calls this a lazy group). A group lists each command with the first paragraph of its help, which is read
from the source without running it.
"""

from __future__ import annotations

import ast
import atexit
import gc
import re
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from bot import VERSION
from bot.cli.session import callback_of, explained, print_line
from rules.kept import kept, states_of

Place = str | typer.Typer
"""A command, as "module:function" below ``bot.cli``, or a group of commands."""

_LOOK: dict[str, Any] = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": "markdown"}


def group(help_text: str, places: Mapping[str, Place], name: str | None = None, **look: Any) -> typer.Typer:
    """Make a group of commands. ``places`` maps each command's name to its place. ``look`` holds Typer settings for
    this group only."""

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
        with self._only_listed():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        with self._only_listed():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _only_listed(self) -> Iterator[None]:
        loaded, self.commands = self.commands, _Commands(self._places, _listed)
        try:
            yield
        finally:
            self.commands = loaded


class _Commands(MutableMapping[str, Any]):
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
    found: Any = place
    if isinstance(place, str):
        module, _, attribute = place.partition(":")
        found = getattr(import_module(f"bot.cli.{module}"), attribute)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(**_LOOK)
        alone.command(name)(callback_of(found))
        found = alone
    command = typer.main.get_command(found)
    command.name = name
    return command


def _listed(name: str, place: Place) -> TyperCommand:
    if isinstance(place, typer.Typer):
        return TyperCommand(name, help=place.info.help)
    module, _, attribute = place.partition(":")
    told = _told(f"bot.cli.{module}")
    return TyperCommand(name, help=told.get(attribute) or told.get(name, ""))


@cache
def _told(module: str) -> Mapping[str, str]:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return {}
    file = Path(spec.origin)
    return kept(__file__, f"help.{module}", states_of([file]), lambda: _doc_strings(file))


def _doc_strings(file: Path) -> dict[str, str]:
    functions = ast.parse(file.read_text(encoding="utf-8")).body
    return {each.name: ast.get_docstring(each) or "" for each in functions if isinstance(each, ast.FunctionDef)}


_MODULES = (
    "lab", "installation", "health", "service", "rules", "games", "archive", "desk", "people", "mail",
    "forum", "lobby", "tournaments", "rounds", "statistics", "play",
)  # fmt: skip
_GROUPS = {
    "game": "Start and manage games.",
    "mail": "Inspect mail: a file, without acting on it, or the stored messages.",
    "archive": "The archive: public web pages about games.",
    "forum": "Forums and mailing lists that show the public side of games.",
    "lobby": "Open tables that people join by mail.",
    "tournament": "Tournaments: create them, take entries, draw, start, manage tables and results.",
    "person": "Who may play here: bans and warnings.",
    "rating": "Ratings of players, from the results of rated tournaments.",
    "stats": "Statistics of finished games.",
    "order": "Check orders without giving them.",
    "ruling": "Rulings: positions, orders, and what must be true afterwards.",
}
_DECLARED = re.compile(r'^@command\(\s*"([a-z -]+)".*?^def (\w+)', re.MULTILINE | re.DOTALL)


def _declared() -> dict[str, dict[str, Place]]:
    """Find the commands of each group by reading the sources, because importing all of them would take a second.
    Commands that belong to no group have the key ""."""
    found: dict[str, dict[str, Place]] = {name: {} for name in ("", *_GROUPS)}
    for module in _MODULES:
        for whole_name, function in _DECLARED.findall(Path(__file__).with_name(f"{module}.py").read_text("utf-8")):
            in_group, _, name = whole_name.rpartition(" ")
            found[in_group][name] = f"{module}:{function}"
    return found


_COMMANDS_BY_GROUP = _declared()
app = group(
    "Mentat moderates games of Dune by e-mail: it reads orders, applies the rules and writes the reports.",
    {
        **_COMMANDS_BY_GROUP[""],
        "bench": "lab:bench_group",
        **{name: group(told, _COMMANDS_BY_GROUP[name]) for name, told in _GROUPS.items()},
    },
    name="mentat",
    add_completion=True,
)


class _Converted:
    """Pydantic, which Typer uses to convert the values of parameters, imported only when it is needed. It takes longer
    to load than Typer itself, and texts, paths and options that were not given do not need conversion."""

    def __init__(self, descriptor: Any) -> None:
        self._descriptor = descriptor

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        kind = self._descriptor.annotation
        if self._descriptor.parameter_info.parser is None:
            if kind in (str, Path) and isinstance(value, str | Path):
                return kind(value)
            if kind == list[str] and isinstance(value, list | tuple):
                return list(value)
        return _BY_PYDANTIC(self._descriptor).coerce(value, param=param, ctx=ctx)


_BY_PYDANTIC: Any = getattr(typer.core, "build_runtime_param", None)  # Typer versions that do not need pydantic lack it
if _BY_PYDANTIC is not None:
    typer.core.build_runtime_param = _Converted  # type: ignore[assignment, attr-defined]  # not in Typer's types


def _show_version(wanted: bool) -> None:
    if wanted:
        print_line(f"mentat {VERSION}")
        raise typer.Exit


@app.callback()
def _of_all_commands(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    return None


def main() -> NoReturn:
    # Modules and tables are never freed. Collecting garbage among them takes a tenth of a short command's time, and the
    # four collections at Python's exit take a fifth.
    gc.set_threshold(200_000)
    atexit.register(gc.freeze)
    with explained():
        code = app(prog_name="mentat", standalone_mode=False)
    sys.exit(code if isinstance(code, int) else 0)
