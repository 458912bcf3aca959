"""Scripts: games that are played by mail step by step, and all that comes of them.

A script is a JSON text. It says with which games it begins, where these stand and how Mentat is set up, and what
happens then: who mails what, how much time goes by, what comes back, what is typed at the machine. ``told`` plays it in
a Mentat of its own and gives the letters, what became of each mail, the rows of the database at the end, and the desk.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
import time_machine
from sqlalchemy import select

from bot.desk import rights
from bot.desk.desk import Machine, desk_blocks, desk_now, game_status_lines
from bot.desk.new_game import NewGame, new_game
from bot.forum.posting import Manner
from bot.forum.watch import Forum, Watch
from bot.games import retention
from bot.mail.transport import SendDeferred, SendRefused
from bot.moderator import outage
from bot.press import read_press as read_press
from bot.render.blocks import Block, Document
from bot.render.text import as_text
from bot.store import desk, forum_posts, mail
from bot.store.database import reading, writing
from bot.store.forum_posts import AccountLink
from bot.store.tables import DEADLINE, GAME, LETTER
from tests.approved.subject import vary_words
from tests.channels.memory import ROOMY, MemoryChannel, MemoryForum
from tests.database_copies import Copy, keep, put
from tests.moderator.returned import answer_of_program, bounce_of
from tests.moderator.table import ADDRESS, CONFIG, DOTS, Sent, World, address_of, empty_database
from tests.transcripts.commands import run
from tests.transcripts.database import database_pieces
from tests.transcripts.scenario import nothing_begun, steady
from tests.transcripts.told import COUNTED, masked, posts

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
REY = "rey@elsewhere.example"
"""Who directs the games."""
MOST_STEPS = 16
FEW = ("atreides", "guild", "harkonnen")
FOUR = ("atreides", "fremen", "guild", "harkonnen")
GAMES_BY_MAIL = (
    "bot.moderator", "bot.desk", "bot.games.silent_players", "bot.moderator.timekeeper", "bot.press", "bot.store", "bot.games.identity",
)  # fmt: skip
"""The rooms in which scripts lead to what others do not."""
WHO = ("atreides", "guild", "harkonnen", "fremen", "emperor", "bene-gesserit")
HOURS = (0, 1, 2, 5, 6, 12, 24, 48, 72, 168)
MINUTES = (-1441, -361, -360, -61, -60, -2, -1, 0, 0, 1, 2, 59, 60, 61, 121, 721, 1441)

Steps = Sequence[Sequence[Any]]


def script(steps: Steps, *games: Mapping[str, Any], **config: Mapping[str, Any]) -> str:
    """The text of a script. ``config`` are sections of the settings."""
    return json.dumps({"config": config, "games": list(games) or [{}], "steps": list(steps)})


def told(text: str) -> str:
    """All that comes of a script."""
    given = json.loads(text)
    database, now = _begun(json.dumps([given["config"], given["games"]]))
    with _mentat(given["config"]) as world:
        world.engine.dispose()
        put(database, Path(world.settings.mentat.database))
        world.moderator.open_games.forget()
        world.now = now
        played = _Played(world)
        for step in given["steps"]:
            played.step(step)
        return masked("\n".join([*played.told, *played.left()]).replace(str(played.folder), "FOLDER"))


# --- how it begins ---------------------------------------------------------------------------------------------------


@contextmanager
def _mentat(config: Mapping[str, Mapping[str, Any]]) -> Iterator[World]:
    """A Mentat in a folder of its own, with the clock and the chance of a transcript."""
    room = SimpleNamespace(total=1 << 40, used=0, free=1 << 40)
    empty_database()
    with (
        tempfile.TemporaryDirectory(dir=MEMORY) as folder, nothing_begun(), steady(),
        mock.patch.object(shutil, "disk_usage", return_value=room),
    ):  # fmt: skip
        world = World.at(Path(folder).resolve(), _toml(config))
        yield world
        world.engine.dispose()


def _toml(config: Mapping[str, Mapping[str, Any]]) -> str:
    """The settings of a test, with other sections and values."""
    text = CONFIG
    for section, values in config.items():
        said = "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
        names = "|".join(values)
        if f"[{section}]" in text:
            head, begin, rest = text.partition(f"[{section}]\n")
            own, end, others = rest.partition("\n[")
            own = re.sub(rf"(?m)^(?:{names}) = .*\n?", "", own)
            text = f"{head}{begin}{said}{own}{end}{others}"
        else:
            text += f"[{section}]\n{said}"
    return text


@cache
def _begun(text: str) -> tuple[Copy, datetime]:
    """The database with which a script begins, and when that is."""
    config, games = json.loads(text)
    with _mentat(config) as world:
        for number, game in enumerate(games):
            _begin(world, name_of(number), game)
        if "until" in games[0]:
            phase, turn = games[0]["until"]
            _silence_until(world, phase, turn)
        world.engine.dispose()
        return keep(Path(world.settings.mentat.database)), world.now


def _silence_until(world: World, phase: str, turn: int) -> None:
    """Nobody says anything until the first game is in a phase, or over."""
    for _ in range(60):
        play = world.table(name_of(0)).play
        if play.over or (play.state.phase, play.state.turn) == (phase, turn):
            return
        world.wait(24)


def name_of(number: int) -> str:
    """What the first, second or third game of a script is called."""
    return f"sietch-{12 + number}"


def _begin(world: World, name: str, game: Mapping[str, Any]) -> None:
    seats = game.get("seats", FEW)
    asked = NewGame(
        name, game.get("rules", "ah-basic"), {one: game.get("at", {}).get(one, address_of(one)) for one in seats},
        dict(zip(seats, DOTS, strict=False)), "spice", options=game.get("options", {}),
        tempo=game.get("tempo", "table"), clock=game.get("clock", {}), press=read_press(game.get("press", "open")),
        forum=game.get("forum", ""),
    )  # fmt: skip
    new_game(world.moderator.open_games, asked, world.now)
    rights.grant(world.moderator.open_games, name, "director", REY, world.now)


# --- what happens ----------------------------------------------------------------------------------------------------


class _Played:
    """A script that is played, and what has been told of it so far."""

    def __init__(self, world: World) -> None:
        self._world, self._open_games = world, world.moderator.open_games
        self._letters = world.written()
        self._came: list[bytes] = []
        self.folder = Path(world.settings.mentat.database).parent
        self._forum = MemoryForum(ROOMY, lambda: self._world.now)
        self._channel = MemoryChannel(self._forum)
        self._watched: list[Watch] = []
        self._people: dict[str, str] = {}
        self.told: list[str] = []

    def step(self, step: Sequence[Any]) -> None:
        """Take a step, and tell what comes of it. What cannot be done is told too."""
        verb, *rest = step
        does: Callable[..., object] = getattr(self, f"_{verb}")
        self.told.append(f"=== {verb} {' | '.join(map(str, rest))}")
        try:
            came = does(*rest)
        except Exception as error:  # whatever is refused, and what should never happen too
            came = f"{type(error).__name__}: {error}"
        self.told.append(f"--- {came}")
        self._new_letters()

    def _says(self, game: int, faction: Any, lines: str, head: Mapping[str, str] | None = None) -> object:
        """A player mails lines."""
        return self._deliver(self._world.mail(faction, *lines.split("\n"), game=name_of(game), **(head or {})))

    def _writes(self, sender: str, to: str, subject: str, lines: str, head: Mapping[str, str] | None = None) -> object:
        """Anybody mails to Mentat, or to the reply address of a seat ("guild 0")."""
        if re.fullmatch(r"[a-z-]+ \d", to):
            faction, _, game = to.partition(" ")
            to = f"mentat+{self._world.token(faction, name_of(int(game)))}@arrakis.example"
        return self._deliver(self._mail(sender, to or ADDRESS, subject, lines, head or {}))

    def _answers(self, reader: str, lines: str, sender: str = "", quoted: int = 0) -> object:
        """Somebody answers the newest letter to them, and quotes so many lines of it."""
        letter = self._world.newest(reader)
        quotes = "".join(f"\n> {line}" for line in letter.text.splitlines()[:quoted])
        to = str(letter.message["Reply-To"] or letter.message["From"])
        head = {"In-Reply-To": str(letter.message["Message-ID"])}
        return self._deliver(self._mail(sender or letter.recipient, to, f"Re: {letter.subject}", lines + quotes, head))

    def _mail(self, sender: str, to: str, subject: str, lines: str, head: Mapping[str, str]) -> bytes:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = sender, to, subject
        message["Message-ID"] = f"<{len(self.told)}@elsewhere.example>"
        for name, value in head.items():
            message[name] = value
        message.set_content(lines + "\n")
        return message.as_bytes()

    def _deliver(self, raw: bytes) -> object:
        self._came.append(raw)
        return self._world.moderator.deliver(raw, self._world.now)

    def _begins(self, number: int, game: Mapping[str, Any]) -> None:
        """Another game begins."""
        _begin(self._world, name_of(number), game)

    def _arrives(self, game: int, faction: Any, lines: str) -> None:
        """A player's mail lies in the mailbox."""
        raw = self._world.mail(faction, *lines.split("\n"), game=name_of(game), Date=format_datetime(self._world.now))
        new = self.folder / "Maildir" / "new"
        for name in ("new", "cur", "tmp"):
            (new.parent / name).mkdir(parents=True, exist_ok=True)
        file = new / f"{int(self._world.now.timestamp())}.M{len(self.told):06d}.players"
        file.write_bytes(raw)
        os.utime(file, (self._world.now.timestamp(),) * 2)

    def _loses(self, name: str) -> None:
        """A file is gone, with what lies beside it."""
        self._world.engine.dispose()
        self._open_games.forget()
        for file in self.folder.glob(f"{name}*"):
            file.unlink()

    def _joins(self, faction: Any) -> object:
        """An account of the forum posts for a seat."""
        self._people[faction] = account = self._forum.join(faction)
        seat = self._world.table().seats[faction]
        with writing(self._world.engine) as conn:
            link = AccountLink(name_of(0), faction, "arrakis", account, faction, seat.generation, self._world.now)
            forum_posts.put_link(conn, link)
        return account

    def _posts(self, name: str, text: str) -> object:
        """Somebody posts in the first thread."""
        if name not in self._people:
            self._people[name] = self._forum.join(name)
        return self._forum.write(self._people[name], self._forum.threads()[0], text)

    def _edits(self, back: int, text: str) -> None:
        """A post is changed, or deleted where nothing is left of it."""
        post = self._forum.posts(self._forum.threads()[0])[-back]
        if text:
            self._forum.edit(post.id, text)
        else:
            self._forum.delete(post.id)

    def _tells(self, name: str, text: str) -> object:
        """Somebody writes Mentat a private message in the forum."""
        if name not in self._people:
            self._people[name] = self._forum.join(name)
        return self._forum.tell(self._people[name], "Mentat", text)

    def _thread(self, closed: bool) -> None:
        """The first thread is closed, or opened again."""
        self._forum.close(self._forum.threads()[0], closed)

    def _looks(self, minutes: float) -> None:
        """So many minutes later Mentat reads the forum, and posts there."""
        self._world.now += timedelta(minutes=minutes)
        if not self._watched:
            forum = Forum("arrakis", lambda game: self._channel, Manner(), timedelta(minutes=1))
            watch = Watch(self._open_games, {"arrakis": forum}, self._world.moderator.timekeeper.pass_until)
            self._watched.append(watch)
        (watch,) = self._watched
        watch.read(self._world.now, at_once=True)
        watch.post(self._world.now, at_once=True)

    def _again(self, back: int) -> object:
        """A mail comes once more."""
        return self._deliver(self._came[-back])

    def _master(self, game: int, lines: str, who: str = REY) -> object:
        """Somebody who runs a game gives commands by mail, and confirms what is to be confirmed."""
        with reading(self._world.engine) as conn:
            own = desk.right_of(conn, name_of(game), who)
        to = f"mentat+{own.token}@arrakis.example" if own else ADDRESS
        before = self._world.written()
        came = [self._deliver(self._mail(who, to, "Re: desk", lines, {}))]
        for letter in self._world.letters(who, after=before):
            if code := re.search(r"confirm ([a-z2-7]{16})", letter.text):
                self._new_letters()
                came.append(self._deliver(self._mail(who, to, "Re: desk", f"confirm {code[1]}", {})))
        return came

    def _bounces(self, reader: str, status: str, action: str = "failed", recipient: str = "") -> object:
        """The newest letter to somebody comes back."""
        letter = self._world.newest(reader)
        letter = replace(letter, recipient=recipient or letter.recipient)
        return self._deliver(bounce_of(letter, status, action))

    def _program(self, reader: str, subject: str, text: str, head: Mapping[str, str]) -> object:
        """A program answers the newest letter to somebody."""
        named = {name.replace("-", "_"): value for name, value in head.items()}
        return self._deliver(answer_of_program(self._world.newest(reader), subject, text, **named))

    def _waits(self, hours: float) -> object:
        """Time goes by, and then it is looked what is due."""
        self._world.now += timedelta(hours=hours)
        return self._tick()

    def _due(self, which: str, minutes: float) -> object:
        """It is so many minutes after the next instant of a kind: a deadline is due, silence answers, a reminder, a
        call."""
        if which == "call":
            found = select(GAME.c.call_due)
        else:
            found = select(DEADLINE.c[which]).where(DEADLINE.c.state == "open")
        with reading(self._world.engine) as conn:
            instants = conn.scalars(found).all()
        after = [each for each in instants if each and each + timedelta(minutes=minutes) > self._world.now]
        self._world.now = min(after) + timedelta(minutes=minutes)
        return self._tick()

    def _tick(self) -> str:
        done = self._world.moderator.timekeeper.tick(self._world.now)
        return f"{self._world.now:%Y-%m-%d %H:%M:%S} {done} done"

    def _runs(self, command: str) -> object:
        """A command is typed at the machine."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            with time_machine.travel(self._world.now, tick=False):
                return run(shlex.split(command))

    def _sends(self, trouble: Mapping[str, str]) -> object:
        """What waits in the outbox is sent; letters to some addresses are refused or put off."""
        return self._world.outbox.send(_Server(trouble), self._world.now)

    def _mailbox(self, works: bool, minutes: float) -> None:
        """So many minutes later the mailbox can be read, or not."""
        self._world.now += timedelta(minutes=minutes)
        looked = outage.note_mailbox_success if works else outage.note_mailbox_failure
        looked(self._open_games, self._world.now)

    def _service(self, minutes: float) -> None:
        """So many minutes later `mentat run` is at work."""
        self._world.now += timedelta(minutes=minutes)
        outage.note_service_beat(self._open_games, self._world.now)

    def _forgets(self) -> None:
        """What is kept too long is deleted."""
        retention.delete_expired(self._open_games, self._world.now)

    # --- what is told ------------------------------------------------------------------------------------------------

    def _new_letters(self) -> None:
        if not Path(self._world.settings.mentat.database).exists():
            return
        with reading(self._world.engine) as conn:
            rows = conn.execute(select(LETTER).order_by(LETTER.c.id).offset(self._letters)).all()
            contents = mail.whole_letters(conn, ((row.content, row.pictures) for row in rows))
        self._letters += len(rows)
        for row, content in zip(rows, contents, strict=True):
            self.told.append(_letter(Sent(row.faction, row.recipient, row.envelope_from, content)))

    def left(self) -> Iterator[str]:
        """The forum, the rows of the database at the end, the letters in the outbox, and the desk."""
        for piece in posts(self._forum):
            yield f"{piece.heading}\n{piece.text}"
        for piece in database_pieces(self._world.engine):
            if piece.heading != COUNTED:
                yield f"{piece.heading}\n{piece.text}"
        with reading(self._world.engine) as conn:
            for row in conn.execute(select(LETTER).order_by(LETTER.c.id)).all():
                shown = (row.game_id, row.faction, row.created_at, row.next_try_at, row.sent_at, row.tries, row.error)
                yield f"letter {' '.join(map(str, shown))}"
            desk = replace(desk_now(conn, self._open_games, self._world.now), machine=Machine())
            yield text_of(desk_blocks(desk, self._world.settings.mentat.timezone, machine=False))
            for standing in desk.games:
                yield "\n".join(game_status_lines(conn, self._open_games, standing.game.id, self._world.now))


def text_of(found: Sequence[Block]) -> str:
    """Blocks of a letter as its readers see them."""
    page = Document("")
    page.add(*found)
    return as_text(page)


def _letter(letter: Sent) -> str:
    message = letter.message
    threads = " ".join(str(message[name]) for name in ("In-Reply-To", "References") if message[name])
    said = f"to {letter.recipient}: {letter.subject}\n{letter.envelope_from} {message['Reply-To'] or ''} {threads}"
    return f"{said}\n{letter.text}"


class _Server:
    """A mail server that refuses or puts off letters to some addresses."""

    def __init__(self, trouble: Mapping[str, str]) -> None:
        self._trouble = trouble

    def send(self, _: str, recipient: str, __: bytes) -> None:
        match self._trouble.get(recipient):
            case "refused":
                raise SendRefused("550 5.1.1 no such user")
            case "deferred":
                raise SendDeferred("the server is away")

    def close(self) -> None:
        """Nothing is open."""


# --- variations ------------------------------------------------------------------------------------------------------


def vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """One to three changes of a script."""
    given, other = json.loads(text), json.loads(chance.choice(others))
    steps = given["steps"]
    for _ in range(chance.choice((1, 1, 2, 3))):
        chance.choice(_CHANGES)(chance, steps, other["steps"])
    if chance.random() < 0.1:
        given["config"] = other["config"]
    given["steps"] = steps[:MOST_STEPS]
    return json.dumps(given)


Change = Callable[[Random, list[Any], list[Any]], None]


def _dropped(chance: Random, steps: list[Any], _: list[Any]) -> None:
    if len(steps) > 1:
        del steps[chance.randrange(len(steps))]


def _doubled(chance: Random, steps: list[Any], _: list[Any]) -> None:
    place = chance.randrange(len(steps))
    steps.insert(place, [*steps[place]])


def _swapped(chance: Random, steps: list[Any], _: list[Any]) -> None:
    place = chance.randrange(len(steps))
    steps[place - 1], steps[place] = steps[place], steps[place - 1]


def _of_another(chance: Random, steps: list[Any], theirs: list[Any]) -> None:
    begin, place = chance.randrange(len(theirs)), chance.randrange(len(steps) + 1)
    steps[place:place] = [[*step] for step in theirs[begin : begin + chance.choice((1, 2, 3, 6))]]


def _time(chance: Random, steps: list[Any], _: list[Any]) -> None:
    """Time goes by where it did not, to one side or the other of something that is due."""
    which = chance.choice(("due", "due", "until", "call"))
    due: list[Any] = ["due", which, chance.choice(MINUTES)]
    steps.insert(chance.randrange(len(steps) + 1), chance.choice((due, ["waits", chance.choice(HOURS)])))


def _numbers(chance: Random, steps: list[Any], _: list[Any]) -> None:
    """A number in a step is another."""
    place = chance.randrange(len(steps))
    said = json.dumps(steps[place])
    numbers = list(re.finditer(r"(?<![\w.+])\d+", said))
    if numbers:
        found = chance.choice(numbers)
        value = max(0, int(found[0]) + chance.choice((-2, -1, -1, 1, 1, 2, 10)))
        steps[place] = json.loads(f"{said[: found.start()]}{value}{said[found.end() :]}")


def _somebody_else(chance: Random, steps: list[Any], _: list[Any]) -> None:
    place = chance.randrange(len(steps))
    said = json.dumps(steps[place])
    there = [who for who in WHO if who in said]
    if there:
        steps[place] = json.loads(said.replace(chance.choice(there), chance.choice(WHO[:3])))


def _words(chance: Random, steps: list[Any], theirs: list[Any]) -> None:
    place = chance.randrange(len(steps))
    texts = [number for number, part in enumerate(steps[place]) if number > 1 and isinstance(part, str)]
    others = [part for step in theirs for part in step[2:] if isinstance(part, str) and part] or ["status"]
    if texts:
        number = chance.choice(texts)
        steps[place][number] = vary_words(chance, steps[place][number], others)


_CHANGES: Sequence[Change] = (
    _dropped, _doubled, _swapped, _of_another, _of_another, _of_another, _time, _time, _time, _numbers, _somebody_else,
    _words,
)  # fmt: skip
