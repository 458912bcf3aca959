"""The command `mentat`: what a game master and a script type.

Every command exits 0 on success, 1 when the answer is "no", 2 on wrong usage or configuration, and prints errors on
stderr as one sentence that says what to do.

A group imports a command only when somebody runs it: `mentat --help` needs none of the games' libraries (click's
documentation calls this a lazy group). In its list, a group shows the first sentence of each command's own help,
which it reads from the source without running it.
"""

from __future__ import annotations

import ast
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

from bot.cli.session import explained, print_line
from bot.version import VERSION

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


GAMES = group(
    "Start and look after games.",
    {
        "new": "games:new",
        "list": "games:list_games",
        "show": "games:show",
        "options": "games:options",
        "log": "games:log",
        "verify": "games:verify",
        "export": "games:export",
        "archive": "archive:game_archive",
        "acts": "games:acts",
        "rollback": "desk:rollback",
        "end": "desk:end",
        "delete": "desk:delete",
        "pause": "desk:pause",
        "resume": "desk:resume",
        "hold": "desk:hold",
        "release": "desk:release",
        "order": "desk:order",
        "position": "desk:position",
        "predict": "desk:predict",
        "blind": "desk:blind",
        "break-glass": "desk:break_glass",
        "extend": "desk:extend",
        "clock": "desk:clock",
        "remind": "desk:remind",
        "process": "desk:process",
        "default": "desk:default",
        "bank": "desk:bank",
        "excuse": "desk:excuse",
        "caretaker": "desk:caretaker",
        "tell": "people:tell",
        "ask": "people:ask",
        "rule": "people:rule",
        "note": "people:note",
        "grant": "people:grant",
        "revoke": "people:revoke",
        "handover": "people:handover",
        "press": "people:press",
        "sitter": "people:sitter",
        "mute": "people:mute",
        "unmute": "people:unmute",
        "replace": "people:replace",
        "address": "people:address",
        "freeze": "people:freeze",
        "observe": "people:observe",
        "unobserve": "people:unobserve",
    },
)
MAIL = group(
    "Look at mail: a file, without acting on it, or what is kept.",
    {
        "parse": "mail:parse",
        "list": "service:list_messages",
        "show": "service:show_message",
        "replay": "service:replay",
        "resend": "service:resend",
        "delete": "service:delete_mail",
    },
)
ARCHIVE = group(
    "The archive: pages about games for everybody to read.",
    {
        "build": "archive:build",
        "serve": "archive:serve",
        "text": "archive:text",
        "rename": "archive:rename",
        "policy": "archive:policy",
    },
)
FORUM = group(
    "Forums and mailing lists, in which games have their public side.",
    {
        "status": "forum:status",
        "test": "forum:try_forum",
        "show": "forum:show",
        "paste": "forum:paste",
        "link": "forum:link",
        "open": "forum:open_thread",
        "close": "forum:close",
        "repost": "forum:repost",
    },
)
TOURNAMENT = group(
    "Tournaments: make them, take entries, draw, start, look after tables and results.",
    {
        "new": "tournaments:new",
        "open": "tournaments:open_entries",
        "amend": "rounds:amend",
        "cancel": "tournaments:cancel",
        "grant": "tournaments:grant",
        "handover": "tournaments:handover",
        "enter": "tournaments:enter",
        "withdraw": "tournaments:withdraw",
        "apart": "tournaments:apart",
        "draw": "tournaments:draw",
        "start": "tournaments:start",
        "show": "tournaments:show",
        "list": "tournaments:list_tournaments",
        "standings": "rounds:standings",
        "export": "rounds:export",
        "verify": "rounds:verify",
        "pause": "tournaments:pause",
        "resume": "tournaments:resume",
        "round": "rounds:round_command",
        "adjudicate": "rounds:adjudicate",
        "void": "rounds:void",
        "protests": "rounds:list_protests",
        "substitute": "rounds:substitute",
        "disqualify": "rounds:disqualify",
        "finish": "rounds:finish",
    },
)
PERSON = group(
    "Who may play here: bans and warnings.",
    {"ban": "people:ban", "unban": "people:unban", "warn": "people:warn", "list": "people:list_persons"},
)
RATING = group(
    "Ratings of players, by the results of rated tournaments.",
    {
        "show": "statistics:show_ratings",
        "history": "statistics:show_rating_history",
        "private": "statistics:keep_private",
    },
)
STATS = group(
    "What the games that are over say together.",
    {
        "factions": "statistics:factions",
        "alliances": "statistics:alliances",
        "turns": "statistics:turns",
        "players": "statistics:players",
    },
)
app = group(
    "Mentat moderates games of Dune by e-mail: it reads orders, applies the rules and writes the reports.",
    {
        "demo": "lab:demo",
        "soak": "lab:soak_games",
        "init": "setup:init",
        "doctor": "installation:doctor",
        "health": "health:health",
        "metrics": "health:metrics",
        "run": "service:run",
        "poll": "service:poll",
        "tick": "service:tick",
        "send": "service:send",
        "deliver": "service:deliver",
        "backup": "installation:backup",
        "restore": "installation:restore_command",
        "move": "installation:move_command",
        "upgrade": "installation:upgrade",
        "desk": "desk:desk",
        "rule": "rules:rule",
        "manual": "setup:manual",
        "bench": "lab:bench_group",
        "game": GAMES,
        "mail": MAIL,
        "archive": ARCHIVE,
        "forum": FORUM,
        "tournament": TOURNAMENT,
        "person": PERSON,
        "rating": RATING,
        "stats": STATS,
        "order": group("Look at orders without giving them.", {"check": "orders:check"}),
        "ruling": group("Rulings: positions, orders, and what must be true afterwards.", {"check": "rules:check"}),
    },
    name="mentat",
    add_completion=True,
)


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
    """Run the command line; the process ends with its exit code."""
    with explained():
        code = app(prog_name="mentat", standalone_mode=False)
    sys.exit(code if isinstance(code, int) else 0)
