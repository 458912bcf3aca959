"""Who on this machine can read what holds secrets: the database with its journals, copies of it, records of games,
the passwords, and the folders of mail."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bot.config import Settings
from bot.games.proof import RECORD_BEGINS
from bot.monitoring.finding import Finding, State
from bot.store.owner_only import is_open_to_others

_DATABASE_BEGINS = b"SQLite format 3\0"
_JOURNALS = ("-wal", "-shm", "-journal")
_MOST_FILES = 2_000


def examine(settings: Settings, config: Path) -> Iterator[Finding]:
    """Look at all of it. Copies and records are looked for beside the settings and the database, and one folder
    deeper."""
    yield from _secrets(config.parent / ".env")
    database = settings.mentat.database
    own = [path for path in (database, *_journals(database)) if is_open_to_others(path)]
    if own:
        yield _readable("database: who can read it", "wrong", own)
    elif database.exists():
        yield Finding("database: who can read it", "well", f"nobody else on this machine can read {database}")
    copies, records = _copies_and_records(config.parent, database)
    if copies:
        yield _readable("database: copies", "wrong", copies)
    if records:
        yield _readable("records of games", "wrong", records)
    yield from _mail(settings)


def _secrets(env: Path) -> Iterator[Finding]:
    if is_open_to_others(env):
        yield _readable("secrets", "note", [env])


def _mail(settings: Settings) -> Iterator[Finding]:
    places = []
    if settings.mailbox.kind == "maildir" and settings.mailbox.maildir:
        places.append(settings.mailbox.maildir)
    if settings.smtp.kind == "directory" and settings.smtp.directory:
        places.append(settings.smtp.directory)
    if found := [place for place in places if is_open_to_others(place)]:
        told = f"others on this machine can look into {_named(found)}"
        yield Finding("folders of mail", "note", told, f"Say: chmod 700 {_said(found)}", _facts(found))


def _journals(database: Path) -> list[Path]:
    return [database.with_name(database.name + ending) for ending in _JOURNALS]


def _copies_and_records(beside: Path, database: Path) -> tuple[list[Path], list[Path]]:
    """Copies of databases, and records of games, that others can read."""
    copies, records = [], []
    known = {path.resolve() for path in (database, *_journals(database))}
    for path in islice(_files(sorted({beside.resolve(), database.parent.resolve()})), _MOST_FILES):
        if path in known or not is_open_to_others(path):
            continue
        beginning = _beginning(path)
        if beginning.startswith(RECORD_BEGINS):
            records.append(path)
        elif beginning and _is_copy(path, beginning, database):
            copies.append(path)
    return copies, records


def _is_copy(path: Path, beginning: bytes, database: Path) -> bool:
    """Whether a file is a copy of a database or belongs to one: by its content, or by its name."""
    of_ours = path.name.startswith(f"{database.name}.") or path.name.endswith(_JOURNALS)
    return of_ours or beginning.startswith(_DATABASE_BEGINS)


def _files(folders: list[Path]) -> Iterator[Path]:
    for folder in folders:
        try:
            inside = sorted(folder.iterdir())
        except OSError:
            continue
        yield from (path for path in inside if path.is_file() and not path.is_symlink())
        for deeper in inside:
            if deeper.is_dir() and not deeper.is_symlink() and deeper not in folders:
                try:
                    yield from sorted(path for path in deeper.iterdir() if path.is_file() and not path.is_symlink())
                except OSError:
                    continue


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(32)
    except OSError:
        return b""


def _readable(about: str, state: State, paths: list[Path]) -> Finding:
    told = f"others on this machine can read {_named(paths)}"
    advice = f"Say: chmod 600 {_said(paths)}"
    return Finding(about, state, told, advice, _facts(paths))


def _named(paths: list[Path]) -> str:
    return ", ".join(map(str, paths))


def _said(paths: list[Path]) -> str:
    return " ".join(shlex.quote(str(path)) for path in paths)


def _facts(paths: list[Path]) -> dict[str, list[str]]:
    return {"files": [str(path) for path in paths]}
