"""The settings of one Mentat: `config.toml` for what may be public, and `.env`, credentials or the environment for
secrets.

`load_settings` returns complete, checked `Settings`, or raises a `SettingsError` that lists all faults at once
(`bot.config.complaints`). The sections and their default values are in `bot.config.sections`.

Credentials are secrets in the files of a folder. systemd passes them to a unit (``LoadCredential=``); containers call
them secrets. The variable CREDENTIALS_DIRECTORY names the folder. A file in it is named like a variable in `.env`, such
as ``MENTAT_IMAP_PASSWORD``, and contains only the secret; a line break at its end is ignored. An empty file means that
there is no secret, because a unit creates an empty one if the source file is missing (``SetCredential=``). Files with
other names belong to other programs and are ignored.

Source: systemd.exec(5), "Credentials".
"""

from __future__ import annotations

import io
import os
import re
import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from pydantic import ValidationError

from bot import example_file
from bot.config import complaints
from bot.config.sections import SECRETS, SECTIONS, ClockSettings, ForumSettings, Secrets, Settings
from bot.config.values import file_of

__all__ = [
    "ClockSettings",
    "ForumSettings",
    "Settings",
    "SettingsError",
    "changed_clock",
    "load_settings",
    "placeholders",
    "starter_files",
]


class SettingsError(Exception):
    """The settings are invalid. `problems` holds one sentence for each fault, and `str()` joins them."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def load_settings(path: Path) -> Settings:
    """Read and check the settings at `path`, the `.env` file next to it, and credentials (`bot.config`). Relative file
    names in the settings are relative to the folder of `path`. Raise `SettingsError`, which lists all faults; nothing
    is changed."""
    tables = _read_toml(path)
    problems = list(complaints.strange_sections(tables))
    sections: dict[str, Any] = {}
    for name, section in SECTIONS.items():
        table = tables.get(name, {})
        if not isinstance(table, dict):
            problems.append(f"{name} must be a section: write [{name}] on its own line and its settings below it.")
            continue
        try:
            sections[name] = section.model_validate(table, context={"directory": path.parent})
        except ValidationError as error:
            problems += dict.fromkeys(
                complaints.fault_sentence(name, section, details) for details in complaints.faults(error)
            )
    sections |= _file_of_its_url(sections, path.parent)
    forums, faults = complaints.read_forums(tables.get("forums", {}))
    problems += faults
    env = path.parent / ".env"
    in_file = _read_env(env)
    problems += complaints.strange_secrets(in_file, env)
    handed_over: dict[str, str] = {}
    place = credentials_folder()
    if place is not None:
        handed_over, faults = read_credentials(place)
        problems += faults
        problems += complaints.strange_secrets(handed_over, place)
    given = {**in_file, **{name: secret for name, secret in handed_over.items() if secret}, **os.environ}
    known = Secrets.model_validate({field: given[name] for name, field in SECRETS.items() if given.get(name)})
    wanted = _wanted(env, place)
    problems += complaints.missing(sections.get("mailbox"), sections.get("smtp"), known, wanted)
    problems += complaints.missing_for_tokens(sections, known, wanted)
    problems += complaints.contradictions(sections)
    keys = complaints.keys_of_forums(forums, given)
    problems += complaints.strange_forum_keys(tables.get("forums", {}), forums, in_file, env)
    if place is not None:
        problems += complaints.strange_forum_keys(tables.get("forums", {}), forums, handed_over, place)
    problems += complaints.missing_for_forums(forums, keys, wanted)
    problems += complaints.forum_contradictions(forums, sections)
    if problems:
        raise SettingsError(problems)
    return Settings(**sections, forums=forums, secrets=known, forum_keys=keys)


def changed_clock(clock: ClockSettings, changes: Mapping[str, Any]) -> ClockSettings:
    given = {name: getattr(clock, name) for name in clock.model_fields_set} | dict(changes)
    try:
        made = ClockSettings.model_validate(given)
    except ValidationError as error:
        said = (complaints.fault_sentence("clock", ClockSettings, details) for details in complaints.faults(error))
        raise SettingsError(list(dict.fromkeys(said))) from None
    if problems := list(complaints.contradictions({"clock": made})):
        raise SettingsError(problems)
    return made


def starter_files() -> dict[str, str]:
    env = example_file(".env.example").read_text(encoding="utf-8")
    return {
        "config.toml": example_file("config.example.toml").read_text(encoding="utf-8"),
        ".env": re.sub(r"(?m)^MENTAT_SECRET=.*$", f"MENTAT_SECRET={secrets.token_urlsafe(32)}", env),
    }


_RESERVED = re.compile(r"(?i)[@.]example\.(?:com|net|org)$")


def placeholders(settings: Settings) -> list[str]:
    # "[mailbox] host", "MENTAT_IMAP_PASSWORD": the value of the example, or a name that RFC 2606 reserves for examples
    example = tomllib.loads(starter_files()["config.toml"])
    used = {"mentat": True, "mailbox": settings.mailbox.kind == "imap", "smtp": settings.smtp.kind == "smtp"}
    left = [
        f"[{section}] {key}"
        for section, is_used in used.items()
        for key, value in example[section].items()
        if is_used and ((given := getattr(getattr(settings, section), key)) == value or _RESERVED.search(given))
    ]
    env = dotenv_values(stream=io.StringIO(starter_files()[".env"]))
    secrets_left = (
        name
        for name, field in SECRETS.items()
        if env.get(name) and getattr(settings.secrets, field).get_secret_value() == env[name]
    )
    return [*left, *secrets_left]


def _file_of_its_url(sections: Mapping[str, Any], directory: Path) -> dict[str, Any]:
    file = file_of(sections["database"].url) if "database" in sections else None
    if file is None:
        return {}
    changed = {"database": sections["database"].model_copy(update={"url": ""})}
    if "mentat" in sections:
        changed["mentat"] = sections["mentat"].model_copy(update={"database": directory / file.expanduser()})
    return changed


def _wanted(env: Path, credentials_folder: Path | None) -> str:
    return str(env) if credentials_folder is None else f"{env}, or into a file of that name in {credentials_folder}"


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        problem = f"{path} is missing: write one with `mentat init`, or name yours with --config FILE."
    except OSError as error:
        problem = f"{path} cannot be read ({error.strerror}): check that it is a file and that you may read it."
    except UnicodeDecodeError:
        problem = f"{path} is not UTF-8 text: save it as UTF-8."
    except tomllib.TOMLDecodeError as error:
        problem = f"{path} is not valid TOML: {error}. Put text in quotes, and each setting on its own line."
    raise SettingsError([problem])


def _read_env(path: Path) -> dict[str, str]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            [f"{path} cannot be read: check that it is UTF-8 text and that you may read it."]
        ) from error
    lines = dotenv_values(stream=io.StringIO(text), interpolate=False)
    return {name: value or "" for name, value in lines.items()}


def credentials_folder() -> Path | None:
    named = os.environ.get("CREDENTIALS_DIRECTORY")
    return Path(named) if named else None


def read_credentials(place: Path) -> tuple[dict[str, str], list[str]]:
    """Return the secrets in a folder by name, and a sentence for each file there that cannot be read.

    Example: `read_credentials(Path("/run/credentials/mentat.service"))` gives `({"MENTAT_SECRET": "..."}, [])`
    """
    found, problems = {}, []
    try:
        files = sorted(file for file in place.iterdir() if file.name.startswith("MENTAT_"))
    except OSError as error:
        return {}, [
            f"CREDENTIALS_DIRECTORY: {place} cannot be read ({error.strerror}): name the folder of credentials."
        ]
    for file in files:
        try:
            found[file.name] = file.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8 text"
            problems.append(f"The credential {file} cannot be read ({why}): put the secret alone into it.")
    return found, problems
