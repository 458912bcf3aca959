"""The parts that all commands share: their declaration, the way they open Mentat from its settings, their answers in
words or JSON, and the report of an error as one sentence.

This module is loaded for `mentat --help` and for shell completion, so it imports neither the games nor the store nor
the mail.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar, get_type_hints

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from bot.config import Settings
    from bot.config.values import ArchivePolicy
    from bot.games.open_games import OpenGames
    from bot.moderator.moderator import Moderator
    from bot.store.database import Connection, Engine


console = Console(highlight=False, emoji=False)
errors = Console(stderr=True, highlight=False, emoji=False)

Config = Annotated[Path, typer.Option("--config", metavar="FILE", help="The settings to use.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer as JSON on stdout.")]
CONFIG = Path("config.toml")

_WrongCommandLine: type[Exception] = typer.BadParameter.__bases__[0]
"""The exception that click raises for a wrong command line. Typer may include its own copy of click, so click is not
imported."""

_IN_OUR_WORDS = {
    "Input should be a valid integer, unable to parse string as an integer": "write a whole number",
    "Input should be a valid number, unable to parse string as a number": "write a number",
}

_WRONG = (
    "bot.archive.site:FolderRefused",
    "bot.archive.texts:NoSuchTurn",
    "bot.competition.published:NotPublished",
    "bot.language.slots:NameRefused",
    "bot.lobby.tables:UnknownTable",
    "bot.record.reader:NotARecord",
    "bot:ResourceError",
    "bot.store.games:UnknownGame",
    "bot.store.tournaments:UnknownTournament",
    "rules.components.facts:FactsError",
    "rules.rulesets.options:RuleSetError",
)
_REFUSED = (
    "bot.desk.new_game:GuessableSeed", "bot.desk.powers:PowerRefused", "bot.games.observers:ObserverRefused",
    "bot.store.games:Sealed", "bot.games.retention:DeletionRefused", "bot.lobby.tables:LobbyRefused",
    "bot.games.seat_addresses:AddressRefused",
    "bot.service.presence:MayNotWork", "bot.service.resumption:CannotResume", "bot.service.upgrade:UpgradeRefused",
    "bot.store.archive:NotShown", "bot.store.copies:CopyFailed", "bot.store.installation:AlreadyRunning",
    "bot.tournament.desk:Refused",
)  # fmt: skip
_AWAY = ("bot.mail.mailbox:MailboxUnavailable", "bot.store.database:DatabaseUnavailable")

NO = 1
WRONG_USE = 2


class Working:
    """A line on stderr that names the slow work in progress and the seconds it has taken so far. On a terminal the line
    is updated in place, and is cleared before any other output. Elsewhere, each update is printed as a new line if
    ``everywhere`` is set."""

    def __init__(self) -> None:
        self._words, self._last, self._shown = "", 0.0, False
        self._lock = threading.Lock()

    @contextmanager
    def on(self, words: str, *, everywhere: bool = False) -> Iterator[None]:
        in_place = sys.stderr.isatty()
        if not (in_place or everywhere):
            yield
            return
        self.now(words)
        done = threading.Event()
        telling = threading.Thread(target=self._keep_telling, args=(done, in_place), daemon=True)
        telling.start()
        try:
            yield
        finally:
            done.set()
            telling.join()
            self.clear()

    def now(self, words: str) -> None:
        self._words = words

    def clear(self) -> None:
        with self._lock:
            self._last = time.monotonic()
            if self._shown:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
            self._shown = False

    def _keep_telling(self, done: threading.Event, in_place: bool) -> None:
        began = self._last = time.monotonic()
        while not done.wait(MOST_SILENCE / 3):
            with self._lock:
                now = time.monotonic()
                if self._shown or now - self._last >= MOST_SILENCE / 2:
                    line = f"{self._words} … {now - began:.0f} s"[: min(console.width, 80) - 1]
                    sys.stderr.write(f"\r\x1b[K{line}" if in_place else f"{line}\n")
                    sys.stderr.flush()
                    self._last, self._shown = now, in_place


MOST_SILENCE = 2.0  # seconds
working = Working()

Line = str | Text | Table
"""A line on stdout: plain words, words with a style, or a table."""


class Verbatim(str):
    """A text, such as a letter or a post, that is printed byte for byte."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A command's answer: the words that it prints, and the document that `--json` prints instead. If it has
    ``failed``, the exit status is 1. ``problems`` are printed on stderr, and count as a failure. ``done`` is false if
    there was nothing to do."""

    words: str | Iterable[Line] = ()
    document: Any = None
    failed: bool = False
    problems: Sequence[str] = ()
    done: bool = True


class Listing(Answer):
    """The answer of a command that only shows something, and therefore does the same in a dry run."""


@dataclass
class Call:
    """A run of a command. It holds the values of the options that commands share, and opens Mentat from its settings on
    demand. Each field is an option, declared by its annotation. Subclasses add options, and decide how a dry run
    answers."""

    config: Config = CONFIG
    as_json: AsJson = False

    @cached_property
    def settings(self) -> Settings:
        from bot.config import load_settings

        return load_settings(self.config)

    @cached_property
    def engine(self) -> Engine:
        from bot.store.database import existing_database

        return existing_database(self.settings.database_place, direct=self.settings.database_direct)

    @cached_property
    def moderator(self) -> Moderator:
        from bot.moderator.moderator import Moderator

        return Moderator(self.settings, self.engine, self.open_games)

    @cached_property
    def open_games(self) -> OpenGames:
        from bot.games.open_games import OpenGames

        return OpenGames(self.settings, self.engine)

    @cached_property
    def now(self) -> datetime:
        from bot.service.machine import utc_now

        return utc_now()

    def reading(self) -> AbstractContextManager[Connection]:
        from bot.store.database import reading

        return reading(self.engine)

    def report(self, line: Line) -> None:
        if not self.as_json:
            print_any(line)

    def agrees(self, lines: Sequence[Line], question: str) -> bool:
        """Print the lines and ask the person at the terminal whether they agree. If there is no terminal, print nothing
        and return False."""
        if self.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            return False
        for line in lines:
            self.report(line)
        return typer.confirm(question)

    def print(self, answer: Answer) -> None:
        if self.as_json:
            answer_json(self.document(answer))
        else:
            print_lines(self.lines(answer))
        for problem in answer.problems:
            _say(problem)
        if answer.failed or answer.problems:
            raise typer.Exit(NO)

    def document(self, answer: Answer) -> Any:
        return answer.document

    def lines(self, answer: Answer) -> Iterable[Line]:
        return [answer.words] if isinstance(answer.words, str) else answer.words


F = TypeVar("F", bound=Callable[..., Any])
_LEFT_OUT: dict[Callable[..., Any], list[str]] = {}


def command(name: str, without: str = "") -> Callable[[F], F]:
    """Declare a command by its full name, such as "game pause". ``bot.cli`` finds the command by this line.

    The function takes a Call and its own arguments and options, and returns an Answer. The class of that Call
    determines the shared options of the command. Those named in ``without`` are left out.
    """

    def declare(function: F) -> F:
        _LEFT_OUT[function] = without.split()
        return function

    return declare


def callback_of(function: Callable[..., Any]) -> Callable[..., None]:
    """Make the function that Typer calls. It takes the command's own parameters, followed by the shared options, from
    which it makes the Call."""
    hints = get_type_hints(function, include_extras=True)
    own = list(inspect.signature(function).parameters.values())
    kind = hints[own[0].name] if own else None
    if not (isinstance(kind, type) and issubclass(kind, Call)):
        return function
    shared = [each for each in _options_of(kind) if each.name not in _LEFT_OUT[function]]

    def run(**given: Any) -> None:
        call = kind(**{each.name: given.pop(each.name) for each in shared})
        endless = "as_json" in _LEFT_OUT[function]
        with nullcontext() if endless or call.as_json else working.on("working"):
            if (answer := function(call, **given)) is not None:
                call.print(answer)

    options = inspect.Parameter.KEYWORD_ONLY
    parameters = [each.replace(annotation=hints[each.name], kind=options) for each in own[1:]] + shared
    run.__doc__, run.__signature__ = function.__doc__, inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _options_of(kind: type[Call]) -> list[inspect.Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    common = fields(Call)
    names = [each.name for each in fields(kind)[len(common) :] + common]
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(kind, name), annotation=hints[name])
        for name in names
    ]


def refuse_if_held(call: Call) -> None:
    """Raise Held, with advice, if a restore or a move has put the database on hold."""
    from bot.store import database

    with call.reading() as conn:
        database.refuse_if_held(conn)


def tell_if_held(call: Call) -> None:
    from bot.store.database import Held

    try:
        refuse_if_held(call)
    except Held as why:
        _say(str(why))


def styled(line: str, style: str) -> Text:
    return Text(line, style=style)


def table(heads: Sequence[str], rows: Iterable[Iterable[object]]) -> Table:
    """Return a table that fits the width of the terminal. The widest columns are shortened with "…"."""
    cells = [[str(cell) for cell in row] for row in rows]
    wide = [max(map(cell_len, column)) for column in zip(heads, *cells, strict=True)]
    while sum(wide) + 2 * len(wide) > console.width + 2 and max(wide) > NARROWEST_COLUMN:
        wide[wide.index(max(wide))] -= 1
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for number, head in enumerate(heads):
        figures = all(_FIGURE.fullmatch(row[number]) for row in cells)
        made.add_column(
            Text(head), justify="right" if figures else "left", no_wrap=True, overflow="ellipsis", width=wide[number]
        )
    for row in cells:
        made.add_row(*map(Text, row))
    return made


NARROWEST_COLUMN = 6
_FIGURE = re.compile(r"[-+±]?[\d.,]* ?%?")


def cut_line(line: str) -> str:
    text = Text(line)
    text.truncate(console.width, overflow="ellipsis")
    return text.plain


def print_any(line: Line) -> None:
    working.clear()
    if isinstance(line, Verbatim):
        sys.stdout.write(line)
    elif isinstance(line, str):
        print_line(line)
    else:
        console.print(line, soft_wrap=isinstance(line, Text))


def print_lines(lines: Iterable[Line]) -> None:
    # Each print to the console is slow
    for alone, run in groupby(lines, lambda line: isinstance(line, Table | Verbatim)):
        if alone:
            for line in run:
                print_any(line)
        else:
            words = [Text(line) if isinstance(line, str) else line for line in run if not isinstance(line, Table)]
            print_any(Text("\n").join(words))


def print_line(line: str, style: str = "") -> None:
    working.clear()
    console.print(line, style=style, markup=False, soft_wrap=True)


def print_aside(line: str, style: str = "") -> None:
    working.clear()
    errors.print(line, style=style, markup=False, soft_wrap=True)


def answer_json(document: Any) -> None:
    working.clear()
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, default=str) + "\n")


def fail(sentence: str, code: int = NO) -> NoReturn:
    _say(sentence)
    raise typer.Exit(code)


@contextmanager
def explained() -> Iterator[None]:
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
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("aiosmtpd", "pymap", "pysasl", "proxyprotocol"):
            raise
        _say("This needs the mail servers of the demo: install `mentat[demo]`, or use `./mentat` in a clone")
        sys.exit(NO)
    except typer.Exit as end:
        sys.exit(end.exit_code)
    except _WrongCommandLine as error:
        told = error.format_message()  # type: ignore[attr-defined]  # click's ClickException has it
        context = getattr(error, "ctx", None)
        if "\n" in told:  # the help text of a group called without a command
            print_aside(told)
        elif told:  # otherwise the help has already been printed
            for theirs, ours in _IN_OUR_WORDS.items():
                told = told.replace(theirs, ours)
            where = context.command_path if context else "mentat"
            _say(f"{told.rstrip('.')}; see `{where} --help`.")
        sys.exit(WRONG_USE)
    except BrokenPipeError:
        sys.stderr.close()  # the reader closed the pipe: print no error
        sys.exit(NO)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)


def _imported(*places: str) -> tuple[type[Exception], ...]:
    """Return the exceptions with these names. Modules that nobody has imported are skipped: their exceptions cannot
    have been raised."""
    found = ((sys.modules.get(module), name) for module, _, name in (place.partition(":") for place in places))
    return tuple(getattr(module, name) for module, name in found if module is not None)


def _say(*sentences: str) -> None:
    for sentence in sentences:
        whole = sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."
        print_aside(whole, style="red")


def instant(option: str, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        fail(f"{option}: {text!r} is not a time; write it like 2026-11-24T20:00:00Z.", WRONG_USE)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def read_bytes(file: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}.", WRONG_USE)


def read_options(given: Sequence[str]) -> dict[str, int | str]:
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
    """Read an archive policy as typed on the command line. A part that is left out is taken from the settings."""
    from bot.config.values import read_policy as policy

    try:
        policy(running or "hidden", "full")
    except ValueError as error:
        fail(f"{options[0]}: {error}.", WRONG_USE)
    try:
        return policy(running or settings.archive.running, ended or settings.archive.ended)
    except ValueError as error:
        fail(f"{options[1]}: {error}.", WRONG_USE)
