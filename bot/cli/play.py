"""`mentat play`: one person plays against computer opponents, at the terminal.

The lines typed here are handled like mail: each becomes a message to the moderator, and a letter comes back. So Mentat
understands the same words as in a mail. This module wraps each line in a message, and shows the letters without the
parts that make sense only in a mailbox. It also passes in windows in which the player has nothing to play.

The folder is a complete Mentat installation: settings, database, letters. Before each accepted line, the database is
copied; ``undo`` restores the last copy.
"""

from __future__ import annotations

import re
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.session import WRONG_USE, command, console, fail, print_line, working

if TYPE_CHECKING:
    from bot.lab.worlds import World
    from rules.decisions.question import Question

GAME = "play"
PLAYER = "you@players.example"
MOST_COPIES = 30
"""The number of steps that can be undone."""


@command("play")
def play(
    faction: Annotated[str, typer.Option("--as", metavar="FACTION", help="Your faction; drawn if left out.")] = "",
    ruleset: Annotated[str, typer.Option(help="The rule set to play by.")] = "wbc-2018",
    folder: Annotated[Path, typer.Option("--dir", metavar="DIR", help="Where the game is kept.")] = Path("mentat-play"),
    turns: Annotated[
        int, typer.Option(min=0, max=15, help="End after this many turns; 0 for as many as the rules say.")
    ] = 0,
    opponent: Annotated[
        str, typer.Option(metavar="HOW", help="How the others play: careful, steady or sharp.")
    ] = "steady",
) -> None:
    """Play Dune now, alone against five computer opponents. The game is saved, and resumes where you left off.

    Type orders as you would in a mail, one per line. If standard input is not a terminal, the lines are read from it.
    Example:

    `mentat play --as fremen`, or `mentat play --as guild --ruleset gf9-advanced --dir /tmp/dune`
    """
    try:
        with working.on("dealing the cards"):
            options = {"max_turns": turns} if turns else {}
            game = _opened(folder, faction.strip().lower(), (ruleset, options), opponent)
    except OSError as error:
        fail(f"{folder} cannot be written: {error.strerror}. Name another folder with --dir.", WRONG_USE)
    try:
        _play(game)
    except KeyboardInterrupt:
        print_line("")
    finally:
        game.close()
    if not game.over:
        print_line(f"The game is kept in {folder}. To continue: mentat play{_again(folder)}")


def _again(folder: Path) -> str:
    return "" if folder == Path("mentat-play") else f" --dir {folder}"


HELP = """Type one order per line, as in a mail; the letter says what is asked and how to answer.
  Enter or skip   say nothing: the letter says what happens then
  map, status     the board; your position
  help, rules X   how orders are written; what the rules say about X
  undo            take your last order back
  quit            stop; the game is kept"""


def _play(game: SoloGame) -> None:
    typed = sys.stdin.isatty()
    if typed:
        print_line(HELP)
    print_line(game.greeting())
    while not game.over:
        line = _read_line(typed)
        if line is None or line.lower() in ("quit", "exit", "q"):
            return
        if line.lower() in ("?", "help"):
            print_line(HELP)
        if line == "?":
            continue
        if line.lower() == "skip":
            print_line(game.say_nothing())
        elif line.lower() == "undo":
            print_line(game.undo())
        elif line:
            print_line(game.say(line))
        elif typed:
            print_line(game.say_nothing())
    print_line(f"The game is over. Read it again, move by move: {game.write_archive()}")


def _read_line(typed: bool) -> str | None:
    if typed:
        try:
            return _readable(console.input("\n> "))
        except EOFError:
            return None
    line = sys.stdin.readline()
    if not line:
        return None
    line = _readable(line)
    return "" if line.startswith("#") else line


def _readable(line: str) -> str:
    return line.encode("utf-8", "replace").decode("utf-8").strip()


# --- the game --------------------------------------------------------------------------------------------------------


NOTE = "# The settings of a game of `mentat play`."


def _opened(folder: Path, faction: str, rules: tuple[str, dict[str, int]], opponent: str) -> SoloGame:
    from bot.lab.worlds import reopen_world

    settings = folder / "config.toml"
    if settings.is_file() and settings.read_text("utf-8", "replace").startswith(NOTE):
        return SoloGame(folder, reopen_world(folder))
    if folder.exists() and any(folder.iterdir()):
        fail(f"{folder} is not empty and contains no game of `mentat play`; name another folder with --dir.", WRONG_USE)
    return _begun(folder, faction, rules, opponent)


def fresh_secrets() -> tuple[str, str]:
    """Return a new seed for the game and a new secret for the folder. The secret decides the opponents' random
    choices."""
    return secrets.token_hex(32), secrets.token_hex(32)


def _begun(folder: Path, faction: str, rules: tuple[str, dict[str, int]], opponent: str) -> SoloGame:
    from bot.desk.new_game import NewGame, new_game
    from bot.lab.worlds import IN_FOLDERS, World, make_settings
    from bot.service.machine import utc_now
    from bot.store import games
    from rules.chapters.setup import dealt_factions
    from rules.components.board import DOTS
    from rules.components.chance import Chance
    from rules.players import temperament_named
    from rules.rulesets.options import RuleSetError

    ruleset, options = rules
    try:
        temperament = temperament_named(opponent)
        factions = list(dealt_factions(games.rule_set(ruleset, options), len(DOTS)))
    except (ValueError, RuleSetError) as error:
        fail(str(error), WRONG_USE)
    if faction and faction not in factions:
        fail(f"There is no faction {faction!r} here; the factions are {', '.join(factions)}.", WRONG_USE)
    seed, secret = fresh_secrets()
    Chance(seed, {}).shuffle("seats at the terminal", factions)
    mine = faction or factions[0]
    world = World(make_settings(folder, IN_FOLDERS, {"mentat": {"receipts": True}}, note=NOTE, secret=secret))
    made = NewGame(
        GAME,
        ruleset,
        {mine: PLAYER},
        dict(zip(factions, DOTS, strict=True)),
        seed,
        opponents={other: temperament for other in factions if other != mine},
        options=options,
        untimed=True,
        tempo="table",
    )
    new_game(world.open_games, made, utc_now())
    return SoloGame(folder, world)


class SoloGame:
    def __init__(self, folder: Path, world: World) -> None:
        self._folder, self._world = folder, world
        self._database = Path(str(world.settings.database_place))
        self._copies = folder / "undo"
        self._copies.mkdir(exist_ok=True)
        self._mails = 0
        self._shown = set[str]()

    def close(self) -> None:
        self._world.close()

    @property
    def over(self) -> bool:
        from bot.store import games
        from bot.store.database import reading

        with reading(self._world.engine) as conn:
            return games.progress(conn, GAME)[1]

    def greeting(self) -> str:
        return self._letters() or self.position()

    def say(self, line: str) -> str:
        """Send the line as a mail and return what the letters say. Then pass in every window in which there is nothing
        to decide."""
        before, kept = self._entries(), self._keep_copy()
        if line.lower() in ASKED_FOR:
            self._shown = set()
        try:
            told, taken = self._deliver(line)
        finally:
            if self._entries() == before:
                self._drop(kept)
        if not taken:
            return told
        letters = [part for part in (told, *self._passed_by()) if part]
        if len(letters) > 1:
            letters[1:] = [_TAKEN.sub("", letter) for letter in letters[1:]]  # the player did not type those
        return "\n\n".join([*filter(None, map(_news_alone, letters[:-1])), *letters[-1:]])

    def _entries(self) -> int:
        from bot.store import games
        from bot.store.database import reading

        with reading(self._world.engine) as conn:
            return int(games.game_row(conn, GAME).entries)

    def position(self) -> str:
        self._shown = set()
        return _OWN_REQUEST.sub("", self._deliver("status")[0])

    def say_nothing(self) -> str:
        question = next(iter(self._asked()), None)
        if question is None:
            return self.position()
        from bot.language.orders import write

        return self.say(write(question.default))

    def _passed_by(self) -> Iterator[str]:
        from bot.language.orders import write

        for _ in range(200):
            question = next(iter(self._asked()), None)
            if self.over or question is None or not self._leaves_no_choice(question):
                return
            told, taken = self._deliver(write(question.default))
            if told:
                yield told
            if not taken:
                return

    def _leaves_no_choice(self, question: Question) -> bool:
        from rules.decisions.windows import karama_cards
        from rules.orders import PassAll

        if any(order not in (question.default, PassAll()) for order in question.samples()):
            return False
        return question.kind != "karama-window" or not karama_cards(question.game, question.faction)

    def _asked(self) -> Sequence[Question]:
        from bot.store import games
        from bot.store.database import reading

        with reading(self._world.engine) as conn:
            table = games.open_table(conn, GAME)
        return [question for question in table.play.questions() if table.seats[question.faction].has_player]

    def _deliver(self, line: str) -> tuple[str, int]:
        from bot.service.machine import utc_now

        self._mails += 1
        now = utc_now()
        message = EmailMessage()
        message["From"], message["To"], message["Date"] = PLAYER, self._reply_to(), now
        message["Subject"], message["Message-ID"] = GAME, f"<{now.timestamp()}.{self._mails}@players.example>"
        message.set_content(f"{line}\n")
        outcome = self._world.moderator.deliver(message.as_bytes(policy=policy.SMTP), now)
        return self._letters() or f"({outcome.reason})", outcome.taken

    def _reply_to(self) -> str:
        from bot.mail.identity import plus_address
        from bot.store import games
        from bot.store.database import reading

        with reading(self._world.engine) as conn:
            seat = next(seat for seat in games.seats_of(conn, GAME).values() if seat.has_player)
        return plus_address(self._world.settings.mentat.address, seat.token)

    def _letters(self) -> str:
        from bot.lab.worlds import empty_outbox
        from bot.service.machine import utc_now

        shown = []
        for raw in empty_outbox(self._world.engine, utc_now()).get(PLAYER, ()):
            message = message_from_bytes(raw, policy=policy.default)
            body = message.get_body(("plain",))
            shown.append(self._news_of(without_mailbox_parts(body.get_content() if body else "")))
            self._keep_picture(message)
        return "\n\n".join(shown)

    def _news_of(self, text: str) -> str:
        parts = _HEADING.split(text)
        fresh = [parts[0], *(part for part in parts[1:] if part not in self._shown)]
        self._shown = set(parts)
        return "\n".join(fresh)

    def _keep_picture(self, message: EmailMessage) -> None:
        for part in message.walk():
            if part.get_content_type() == "image/png":
                (self._folder / "board.png").write_bytes(part.get_content())

    # --- undo --------------------------------------------------------------------------------------------------------

    def _keep_copy(self) -> Path:
        numbers = self._kept()
        for old in numbers[: -MOST_COPIES or None]:
            shutil.rmtree(self._copies / str(old))
        kept = self._copies / str(numbers[-1] + 1 if numbers else 1)
        kept.mkdir()
        for file in self._files():
            shutil.copy2(file, kept)
        return kept

    def _kept(self) -> list[int]:
        return sorted(int(one.name) for one in self._copies.iterdir() if one.name.isdecimal())

    def _drop(self, kept: Path) -> None:
        shutil.rmtree(kept)

    def _files(self) -> list[Path]:
        return sorted(self._database.parent.glob(f"{self._database.name}*"))

    def undo(self) -> str:
        from bot.lab.worlds import reopen_world

        numbers = self._kept()
        if not numbers:
            return "There is nothing to undo."
        self._world.close()
        kept = self._copies / str(numbers[-1])
        for file in self._files():
            if not (kept / file.name).exists():
                file.unlink()  # SQLite's own files next to the database
        for file in kept.iterdir():
            shutil.copy2(file, self._copies / "next")
            (self._copies / "next").replace(self._database.parent / file.name)
        self._drop(kept)
        self._world = reopen_world(self._folder)
        return f"Your last order is taken back.\n\n{self.position()}"

    def write_archive(self) -> Path:
        from bot.archive import shelf, site

        target = self._folder / "archive"
        site.build(target, *shelf.offered(self._world.engine))
        return target / "game" / GAME / "replay.html"


def _news_alone(letter: str) -> str:
    first, *parts = _HEADING.split(letter)
    taken = "".join(_TAKEN.findall(f"{first}\n\n")).strip()
    return "\n".join([taken, *(part for part in parts if not part.startswith(_STANDING))]).strip()


_OWN_REQUEST = re.compile(r"^From your mail:\n+ +status\n +DONE[^\n]*\n+", re.MULTILINE)
_TAKEN = re.compile(r"^Taken from your mail: .*?\n\n+", re.MULTILINE | re.DOTALL)
_STANDING = ("YOU\n", "THE BOARD\n", "THE TABLE\n", "YOU CAN TYPE\n", "NOTHING TO DO RIGHT NOW\n")
ASKED_FOR = ("status", "map", "history", "orders")
_HEADING = re.compile(r"\n(?=[A-Z][A-Z ,']+\n)")
_REPLY_ABOVE = re.compile(r"\A.*?reply above this line[^\n]*\n+", re.IGNORECASE | re.DOTALL)
_FORM = re.compile(r"\n+FORM\n.*?\[form [^\]]+\]\n(?P<choices>.*?)\[end of form [^\]]+\].*", re.DOTALL)
_FIRST_LETTER_ONLY = re.compile(r"\nWHAT THE ARCHIVE SHOWS\n.*?(?=\n[A-Z][A-Z ]+\n|\Z)", re.DOTALL)


def without_mailbox_parts(text: str) -> str:
    """Return a letter for display at a terminal, with its form turned into a list of orders that can be typed.

    >>> without_mailbox_parts("Reply above this line\\nHi\\n\\nFORM\\nTick.\\n[form a]\\n[ ] pass\\n[end of form a]\\n")
    'Hi\\n\\nYOU CAN TYPE\\n  pass'
    """
    text = text.replace("\r\n", "\n").replace("you, you are", "You are", 1)
    text = _FIRST_LETTER_ONLY.sub("", _REPLY_ABOVE.sub("", text, count=1))
    form = _FORM.search(text)
    if form:
        lines = [line.replace("[ ] ", "", 1) for line in form["choices"].splitlines() if line.strip()]
        choices = "\n".join(f"  {line}" for line in lines)
        text = f"{text[: form.start()]}\n\nYOU CAN TYPE\n{choices}"
    return text.strip()
