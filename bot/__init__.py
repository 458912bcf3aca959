"""The program around the rules: mail, orders, moderator, store, clock, reports and command line.

It makes no decision about the rules: the package `rules` says what is legal and what happens, and its views say what a
player may know.

This module defines the version, which the wheel also uses, and finds Mentat's templates and example settings. An
installed wheel has these files inside the package; a clone has them at the top of the repository.
"""

from pathlib import Path

VERSION = "1.0.0"

_PACKAGE = Path(__file__).resolve().parent
_REPOSITORY = _PACKAGE.parent


class ResourceError(Exception):
    """One of Mentat's own files is missing or unreadable. The message names the file and says what to do."""


def templates_dir() -> Path:
    return _shipped("templates")


def template_source(name: str) -> str:
    """Return the text of a template, given its path below `templates_dir()`, such as `report.txt.j2`.

    Raise `ResourceError` if it is missing or unreadable. A `jinja2.FunctionLoader` calls this function, so a missing
    included template causes the same error.
    """
    path = templates_dir() / name
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ResourceError(
            f"The template {path} cannot be read ({reason}): restore it, or reinstall Mentat."
        ) from error


def example_file(name: str) -> Path:
    """Return the path of `config.example.toml` or `.env.example` as shipped. Raise `ResourceError` if the file is
    missing."""
    return _shipped(name)


def _shipped(name: str) -> Path:
    for folder in (_PACKAGE, _REPOSITORY):
        path = folder / name
        if path.exists():
            return path
    raise ResourceError(f"{name} is missing from {_PACKAGE} and from {_REPOSITORY}: restore it, or reinstall Mentat.")
