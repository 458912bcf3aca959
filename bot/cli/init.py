"""`mentat init`: a place to begin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.session import AsJson, answer_json, console, fail
from bot.config import load_settings, starter_files
from bot.store.database import open_database


def init(
    directory: Annotated[Path, typer.Argument(help="Where to write them.")] = Path("."),
    as_json: AsJson = False,
) -> None:
    """Write `config.toml` and `.env` from the examples, check them, and create the database.

    Files that are there already are left as they are. Example: `mentat init ~/dune`
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        written = []
        for name, text in starter_files().items():
            path = directory / name
            if not path.exists():
                path.touch(mode=0o600 if name == ".env" else 0o644)
                path.write_text(text, encoding="utf-8")
                written.append(name)
    except OSError as error:
        fail(f"{directory} cannot be written: {error.strerror}. Choose another folder.", 2)
    settings = load_settings(directory / "config.toml")
    open_database(settings.mentat.database)
    if as_json:
        answer_json({"directory": str(directory), "written": written, "database": str(settings.mentat.database)})
        return
    for name in written:
        console.print(f"wrote {directory / name}")
    console.print(f"the database is {settings.mentat.database}")
    console.print("Now enter your mailbox in config.toml and its passwords in .env, then: mentat run")
