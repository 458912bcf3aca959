"""`mentat init` and `mentat manual`: the first files of an installation, and the manual page for man(1).

The manual page is made from the help of every command (man-pages(7), groff_man(7)).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bot import VERSION
from bot.cli.session import CONFIG, WRONG_USE, Answer, Call, command, fail
from bot.config import load_settings, starter_files
from bot.service.mail_servers import make_folders
from bot.store import glance
from bot.store.database import name_of, open_database
from bot.wording import environment


@command("init")
def init(
    call: Call, directory: Annotated[Path | None, typer.Argument(help="Where to write them; here, if left out.")] = None
) -> Answer:
    """Write `config.toml` and `.env` from the examples, check them, and create the database and the folders of mail.

    Files that exist already are left as they are.

    Example: `mentat init ~/dune`
    """
    if directory is None:
        directory = call.config.parent
    elif call.config != CONFIG:
        fail("Give either a folder or --config FILE, not both.", WRONG_USE)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        written = []
        for name, text in starter_files().items():
            path = directory / (call.config.name if name == "config.toml" else name)
            if not path.exists():
                if name == ".env":
                    glance.write_private_file(path, text)
                else:
                    path.write_text(text, encoding="utf-8")
                written.append(path.name)
    except OSError as error:
        fail(f"{directory} cannot be written ({error.strerror}); choose another folder.", WRONG_USE)
    settings = load_settings(directory / call.config.name)
    try:
        written += [str(folder) for folder in make_folders(settings)]
    except OSError as error:
        fail(f"{error.filename} cannot be made ({error.strerror}); check [mailbox] and [smtp].", WRONG_USE)
    engine = open_database(settings.database_place)
    database = name_of(engine)
    engine.dispose()
    lines = [
        *(f"wrote {directory / name}" for name in written),
        f"the database is {database}",
        "Now enter your mailbox in config.toml and its passwords in .env, then check everything:",
        "  mentat doctor",
    ]
    return Answer(lines, {"directory": str(directory), "written": written, "database": database})


MANUAL_PAGE = "manual/mentat.1.j2"


@dataclass(frozen=True, slots=True)
class ManualOption:
    """An option or an argument: its names, the placeholder for its value ("" for a flag), and its meaning."""

    name: str
    value: str
    told: str


@dataclass(frozen=True, slots=True)
class ManualCommand:
    """A command by its whole name, "game new", with all texts escaped for groff."""

    name: str
    told: list[str]
    arguments: list[ManualOption]
    options: list[ManualOption]


@command("manual")
def manual(context: typer.Context) -> None:
    """Print the manual page, for man(1).

    Example: `mentat manual > /usr/local/share/man/man1/mentat.1`
    """
    commands = list(_commands("", context.find_root().command))
    sys.stdout.write(environment().get_template(MANUAL_PAGE).render(version=VERSION, commands=commands))


def _commands(name: str, command: Any) -> Iterator[ManualCommand]:
    if isinstance(command, TyperGroup):
        for each in command.commands:
            yield from _commands(f"{name} {each}".strip(), command.commands[each])
        return
    shown = [each for each in command.params if not getattr(each, "hidden", False) and each.name != "help"]
    yield ManualCommand(
        _groff(name),
        [_groff(paragraph) for paragraph in (command.help or "").split("\n\n")],
        [_argument(each) for each in shown if each.param_type_name == "argument"],
        [_option(each) for each in shown if each.param_type_name == "option"],
    )


def _argument(found: Any) -> ManualOption:
    return ManualOption(_groff(found.metavar or found.name.upper()), "", _groff(found.help or ""))


def _option(found: Any) -> ManualOption:
    names = ", ".join([*found.opts, *found.secondary_opts])
    return ManualOption(
        _groff(names), "" if found.is_flag else _groff(found.metavar or "VALUE"), _groff(found.help or "")
    )


def _groff(text: str) -> str:
    """Return the text on one line, with everything escaped that groff would interpret: backslashes, hyphens, a leading
    dot.

    >>> print(_groff(".env holds --json"))
    \\&.env holds \\-\\-json
    """
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    return f"\\&{line}" if line.startswith((".", "'")) else line
