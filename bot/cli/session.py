"""What all commands share: opening Mentat from its settings, answering in words or JSON, and errors as one sentence.

`mentat --help` and shell completion load this module, so it imports nothing of the games, the store or the mail.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console

if TYPE_CHECKING:
    from bot.config import Settings
    from bot.config.values import ArchivePolicy
    from bot.moderator.moderator import Moderator
    from bot.store.database import Engine


console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

Config = Annotated[Path, typer.Option("--config", metavar="FILE", help="The settings to use.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer as JSON on stdout.")]
CONFIG = Path("config.toml")

_WrongCommandLine: type[Exception] = typer.BadParameter.__bases__[0]
"""What click raises for a wrong command line; Typer may bring a click of its own, so it is not imported."""

_IN_OUR_WORDS = {
    "Input should be a valid integer, unable to parse string as an integer": "write a whole number",
    "Input should be a valid number, unable to parse string as a number": "write a number",
}

_WRONG = (
    "bot.record.reader:NotARecord", "bot.resources:ResourceError", "bot.store.games:UnknownGame",
    "bot.store.tournaments:UnknownTournament", "rules.components.facts:FactsError",
    "rules.rulesets.options:RuleSetError",
)  # fmt: skip
_REFUSED = ("bot.tournament.desk:Refused", "bot.desk.powers:PowerRefused", "bot.games.proof:Sealed")
_AWAY = ("bot.mail.mailbox:MailboxUnavailable", "bot.store.database:DatabaseUnavailable")

NO = 1
WRONG_USE = 2


@dataclass(frozen=True, slots=True)
class Session:
    """An opened Mentat."""

    settings: Settings
    engine: Engine
    moderator: Moderator


def open_session(config: Path) -> Session:
    """Read the settings and open the database."""
    from bot.config import load_settings
    from bot.moderator.moderator import Moderator
    from bot.store.database import open_database

    settings = load_settings(config)
    engine = open_database(settings.database_place, direct=settings.database_direct)
    return Session(settings, engine, Moderator(settings, engine))


def refuse_if_held(session: Session) -> None:
    """Held, with what to do, where nothing may be sent or decided from the database: it was put back from a backup, or
    moved."""
    from bot.store import database

    with database.reading(session.engine) as conn:
        database.refuse_if_held(conn)


def tell_if_held(session: Session) -> None:
    """Say on stderr, and go on, where nothing is done with the database just now."""
    from bot.store.database import Held

    try:
        refuse_if_held(session)
    except Held as why:
        _say(str(why))


def print_line(line: str, style: str = "") -> None:
    """Print a line on stdout as it is, whatever stands in it; the terminal breaks what is too long for it."""
    console.print(line, style=style, markup=False, soft_wrap=True)


def print_aside(line: str, style: str = "") -> None:
    """The same on stderr: how far something is, or what is wrong."""
    errors.print(line, style=style, markup=False, soft_wrap=True)


def answer_json(document: Any) -> None:
    """Print a JSON document on stdout."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, default=str) + "\n")


def fail(sentence: str, code: int = NO) -> NoReturn:
    """Print one sentence on stderr and end with this exit code."""
    _say(sentence)
    raise typer.Exit(code)


@contextmanager
def explained() -> Iterator[None]:
    """Turn the errors that a user can act on into sentences and exit codes."""
    try:
        yield
    except _imported("bot.config:SettingsError", "bot.competition.settings:SettingsRefused") as error:
        _say(*error.problems)  # type: ignore[attr-defined]  # both have them
        sys.exit(WRONG_USE)
    except _imported(*_WRONG) as error:
        _say(str(error))
        sys.exit(WRONG_USE)
    except _imported(*_AWAY, *_REFUSED) as error:
        _say(str(error))
        sys.exit(NO)
    except typer.Exit as end:
        sys.exit(end.exit_code)
    except _WrongCommandLine as error:
        told = error.format_message()  # type: ignore[attr-defined]  # click's ClickException has it
        context = getattr(error, "ctx", None)
        if "\n" in told:  # the help, for a group without a command
            print_aside(told)
        elif told:  # else the help stands there already
            for theirs, ours in _IN_OUR_WORDS.items():
                told = told.replace(theirs, ours)
            where = context.command_path if context else "mentat"
            _say(f"{told.rstrip('.')}; see `{where} --help`.")
        sys.exit(WRONG_USE)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has seen enough; nobody wants to be told
        sys.exit(NO)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)


def _imported(*places: str) -> tuple[type[Exception], ...]:
    """The exceptions of these names; one whose module nobody has imported cannot have been raised."""
    found = ((sys.modules.get(module), name) for module, _, name in (place.partition(":") for place in places))
    return tuple(getattr(module, name) for module, name in found if module is not None)


def _say(*sentences: str) -> None:
    for sentence in sentences:
        whole = sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."
        print_aside(whole, style="red")


def instant(option: str, text: str) -> datetime:
    """An instant as it is typed, in UTC where it names no zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        fail(f"{option}: {text!r} is no instant; write it like 2026-11-24T20:00:00Z.", WRONG_USE)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def read_options(given: Sequence[str]) -> dict[str, int | str]:
    """Options as they are typed, ``max_turns=10``, by their names."""
    options: dict[str, int | str] = {}
    for text in given:
        name, found, value = text.partition("=")
        if not found:
            fail(f"--option {text!r}: write it like max_turns=10.", WRONG_USE)
        name = name.strip()
        if name in options:
            fail(f"--option {text!r}: {name} is given twice.", WRONG_USE)
        options[name] = int(value) if value.strip().isdecimal() else value.strip()
    return options


def read_policy(
    settings: Settings, running: str, ended: str, options: tuple[str, str] = ("--archive", "--archive-after")
) -> ArchivePolicy:
    """What the archive shows of a game, as it is typed; what is left out is as the settings have it."""
    from bot.config.values import read_policy as policy

    try:
        policy(running or "hidden", "full")
    except ValueError as error:
        fail(f"{options[0]}: {error}.", WRONG_USE)
    try:
        return policy(running or settings.archive.running, ended or settings.archive.ended)
    except ValueError as error:
        fail(f"{options[1]}: {error}.", WRONG_USE)
