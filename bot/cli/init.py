"""`mentat init`: a place to begin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, answer_json, fail, print_line
from bot.config import load_settings, starter_files
from bot.store import owner_only
from bot.store.database import name_of, open_database


def init(
    directory: Annotated[Path | None, typer.Argument(help="Where to write them; here, if left out.")] = None,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Write `config.toml` and `.env` from the examples, check them, and create the database.

    Files that are there already are left as they are. Example: `mentat init ~/dune`
    """
    if directory is None:
        directory = config.parent
    elif config != CONFIG:
        fail("Give either a folder or --config FILE, not both.", WRONG_USE)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        written = []
        for name, text in starter_files().items():
            path = directory / (config.name if name == "config.toml" else name)
            if not path.exists():
                if name == ".env":
                    owner_only.write(path, text)
                else:
                    path.write_text(text, encoding="utf-8")
                written.append(path.name)
    except OSError as error:
        fail(f"{directory} cannot be written ({error.strerror}); choose another folder.", WRONG_USE)
    settings = load_settings(directory / config.name)
    engine = open_database(settings.database_place)
    database = name_of(engine)
    engine.dispose()
    if as_json:
        answer_json({"directory": str(directory), "written": written, "database": database})
        return
    for name in written:
        print_line(f"wrote {directory / name}")
    print_line(f"the database is {database}")
    print_line("Now enter your mailbox in config.toml and its passwords in .env, and have all of it looked at:")
    print_line("  mentat doctor")
