"""The demo of a tournament: twelve scripted players and a substitute enter by mail and play two heats and a final. Only
the director does anything by hand.

It uses the same mail servers as the demo of a game. When nobody has anything to say, the demo's clock is set
forward. One entrant never sends an order, so a substitute takes that entrant's seats. One table is told that its next
turn will be its last. The demo leaves a folder with every letter, the export, the archive, and an index to them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import cycle
from pathlib import Path

from bot.archive import shelf, site
from bot.archive.html import Page, document
from bot.archive.tournaments import outcome_in_words
from bot.competition.published import Published, display_name, encode_published
from bot.config import load_settings
from bot.lab.demo import ARCHIVE, DemoFailed, DemoWorld, MailboxRow, doors_to, give_minds, write_mailbox
from bot.lab.demo import NAMES as SIX
from bot.lab.players_by_mail import PROGRAMS, Dice, Habits, ScriptedPlayer
from bot.lab.tournaments import TournamentByMail
from bot.lab.worlds import BOT
from bot.render.blocks import Block, Paragraph, Part, Table
from bot.store import tournament_rounds as rows
from bot.store import tournaments
from bot.store.database import open_database, reading
from bot.store.publication import published_tournament
from bot.store.tournament_rounds import TablePlayed
from bot.tournament import drawing, preparation, rounds
from bot.tournament.desk import DIRECTOR, Caller
from bot.wording import say
from bot.wording.filters import listed

CUP = "arrakis-cup"
NAMES = (*SIX, "Greta", "Hugo", "Ines", "Jamal", "Kira", "Lars")
SILENT, STANDBY = "Lars", "Mara"
BEACON, FINAL_BEACON = "04 11 19 23 38 42", "02 09 17 28 31 45"
SETTINGS = """
title = "The Arrakis Cup"
format = "heats"
beacon = "the six numbers of the lottery of that day, in the order drawn"
beacon_date = "{day}"

[rounds]
heats = 2
semifinal = 0
final = 6
days = 60

[tables]
ruleset = "{ruleset}"
tempo = "table"
options = {{ {options} }}

[endings]
notice_days = 10
protest_hours = 24
"""
TURNS = 3


@dataclass(frozen=True, slots=True)
class CupDay:
    day: int
    command: str
    told: str
    seconds: float


@dataclass(slots=True)
class PlayedCup:
    title: str
    published: Published
    entrants: list[ScriptedPlayer]
    ended: datetime
    letters: int = 0
    answers: int = 0
    days: int = 0
    seconds: float = 0.0
    story: list[CupDay] = field(default_factory=list)


def play_cup(
    folder: Path, seed: str, ruleset: str, progress: Callable[[CupDay], None], options: Mapping[str, int | str]
) -> PlayedCup:
    """Play a whole tournament by mail in this existing folder. Without the option ``max_turns``, games last ``TURNS``
    turns at most. Raise RuleSetError if the rule set or an option cannot be played, and DemoFailed if the tournament
    does not end."""
    options = {"max_turns": TURNS, **options}
    with ExitStack() as stack:
        cup = _Cup(stack, folder, seed, progress)
        day = cup.now.date() + timedelta(days=7)
        written = ", ".join(f"{name} = {json.dumps(value)}" for name, value in options.items())
        text = SETTINGS.format(day=day, ruleset=ruleset, options=written)
        (folder / "cup.toml").write_text(text.lstrip(), encoding="utf-8")
        cup.make(text)
        cup.enter()
        cup.begin_rounds(BEACON)
        turns = int(options["max_turns"])
        cup.play_round(1, 2, last_turn=turns - 1 if turns > 2 else 0)
        cup.freeze()
        cup.begin_rounds(FINAL_BEACON)
        cup.play_round(3)
        return cup.end()


class _Cup(TournamentByMail):
    step = timedelta(hours=8)
    most_days = 400

    def __init__(self, stack: ExitStack, folder: Path, seed: str, progress: Callable[[CupDay], None]) -> None:
        players = [
            ScriptedPlayer(name, f"{name.lower()}@players.example", program, Dice(seed, name), _habits(name))
            for name, program in zip((*NAMES, STANDBY), cycle(PROGRAMS), strict=False)
        ]
        self._world = DemoWorld(stack, folder, players)
        give_minds(self._world.engine, players, seed)
        super().__init__(self._world, CUP)
        self.first = self.now = self._world.now
        self._progress = progress
        self._story: list[CupDay] = []
        self._seen: set[tuple[object, ...]] = set()

    # --- the director ------------------------------------------------------------------------------------------------

    def make(self, text: str) -> None:
        preparation.new_tournament(Caller(self.open_games, self.now), CUP, text)
        self._tell(f"new {CUP} cup.toml", "The settings are frozen, and the commitment to the secret is published.")
        until = self.now + timedelta(days=6)
        preparation.open_entries(Caller(self.open_games, self.now), CUP, until=until)
        told = "Entries are open; the beacon of the draw and its day are announced."
        self._tell(f"open {CUP} --until {until:%Y-%m-%d}", told)

    def enter(self) -> None:
        for client in self._world.clients:
            client.send(client.player.enters(BOT, CUP, self.now, standby=client.player.name == STANDBY))
        self.exchange()  # Mentat reads the mails by which they enter
        self.until_quiet()
        self._tell("", f"{len(NAMES)} players and a substitute have entered and confirmed, by mail.")
        self.now += timedelta(days=7)

    def freeze(self) -> None:
        frozen = drawing.freeze(Caller(self.open_games, self.now), CUP).frozen
        told = f"The players are fixed; the draw will use the lottery of {frozen.at:%Y-%m-%d}, which nobody knows yet."
        self._tell(f"freeze {CUP}", told)
        self.wait(frozen.at - self.now)

    def begin_rounds(self, beacon: str) -> None:
        drawn = self.draw_and_start(drawing.DrawRequest(beacon=beacon))
        said = f' --beacon "{beacon}"'
        numbers = drawn.rounds
        what = f"Rounds {listed(map(str, numbers))} are" if len(numbers) > 1 else f"Round {numbers[0]} is"
        kind = "the final" if drawn.kind == "final" else "played at the same time"
        self._tell(f"draw {CUP}{said}", f"{what} drawn, {kind}; anybody can compute the draw again.")
        tables = len(drawn.tables)
        begun = f"{tables} games begin" if tables > 1 else "The game begins"
        self._tell(f"start {CUP}", f"{begun}; every player has a letter.")

    def play_round(self, *numbers: int, last_turn: int = 0) -> None:
        """Play the tables of these rounds until their results are confirmed. If ``last_turn`` is given, the first table
        is told one turn ahead that this turn will be its last."""
        told = not last_turn

        def over() -> bool:
            nonlocal told
            going = [each for each in self.going() if each.table.round in numbers]
            told = told or self._tell_last_turn(going, last_turn)
            self._tell_news()
            return not going

        self.mail_until(over)
        self.wait(timedelta(days=2))  # until the time for protests is over
        self._tell_news()
        for number in numbers:
            rounds.close_round(Caller(self.open_games, self.now, DIRECTOR), CUP, number)
            self._tell(f"round {CUP} {number} close", f"Round {number} is over; its results are final.")

    def _tell_news(self) -> None:
        with reading(self.engine) as conn:
            known = {one.number: display_name(one.handle, one.name) for one in tournaments.entrants_of(conn, CUP)}
            held = rows.tenures_of(conn, CUP)
            over = rows.newest_results(conn, CUP)
        for one in held:
            place = (one.round, one.table, one.faction, one.entrant)
            if one.why == "substitute" and one.entrant and place not in self._seen:
                self._seen.add(place)
                gone = next(
                    known[each.entrant]
                    for each in held
                    if each.faction == one.faction
                    and each.entrant
                    and (each.round, each.table) == place[:2]
                    and each.entrant != one.entrant
                )
                self._tell(
                    "", f"{gone} never wrote; {known[one.entrant]} takes the seat at table {place[0]}.{place[1]}."
                )
        for at, result in sorted(over.items()):
            if at not in self._seen:
                self._seen.add(at)
                self._tell("", f"Table {at[0]}.{at[1]} is over: {outcome_in_words(result.outcome, result.by)}")

    def _tell_last_turn(self, going: Sequence[TablePlayed], last_turn: int) -> bool:
        if not (first := next((each for each in going if each.turn == last_turn - 1), None)):
            return False
        named = self.announce_last_turn(first, last_turn, DIRECTOR)
        self._tell(
            f"round {CUP} notice {named} --last-turn {last_turn}",
            f"Table {named} is told that turn {last_turn} is its last.",
        )
        return True

    def end(self) -> PlayedCup:
        self.wait(timedelta(days=1))
        with reading(self.engine) as conn:
            cup = tournaments.find_tournament(conn, CUP)
            document = published_tournament(conn, CUP, self.now)
        if cup.state != "finished":
            raise DemoFailed(f"The tournament did not end: it is {cup.state}.")
        world, seconds = self._world, time.monotonic() - self.began
        return PlayedCup(
            cup.title, document, world.players, self.now, world.letters, world.answers, self.days, seconds, self._story
        )

    # --- mail and time -----------------------------------------------------------------------------------------------

    def exchange(self) -> int:
        self._world.now = self.now
        moved = self._world.exchange()
        self.now = self._world.now
        return moved

    def _tell(self, command: str, told: str) -> None:
        full = f"mentat tournament {command}" if command else ""
        happened = CupDay(self.days, full, told, time.monotonic() - self.began)
        self._story.append(happened)
        self._progress(happened)


def _habits(name: str) -> Habits:
    return Habits(silent=name == SILENT)


CUP_PAGES = f"{ARCHIVE}/tournament/{CUP}"


def write_cup_folder(folder: Path, played: PlayedCup) -> None:
    engine = open_database(load_settings(folder / "config.toml").database_place)
    boxes = [write_mailbox(folder, person.name, person.letters, "The tournament") for person in played.entrants]
    (folder / f"{CUP}.json").write_bytes(encode_published(played.published))
    finished, running = shelf.offered(engine)
    cups = shelf.tournaments(engine, played.ended)
    site.build(folder / ARCHIVE, finished, running, shelf.rating_list(engine), cups)
    engine.dispose()
    title = say("demo-cup.title", winner=_winner_name(played), title=played.title)
    below = say("demo-cup.below", letters=played.letters, answers=played.answers, days=played.days)
    (folder / "index.html").write_bytes(
        document(Page(title, title, f"{ARCHIVE}/", below), _cup_contents(folder, played, boxes))
    )


def _winner_name(played: PlayedCup) -> str:
    handle = played.published.standings[0].entrant
    return next((one.name for one in played.published.entrants if one.handle == handle and one.name), handle)


def _cup_contents(folder: Path, played: PlayedCup, boxes: Sequence[MailboxRow]) -> list[Block]:
    doors = {
        say("demo-cup.pages"): f"{CUP_PAGES}/index.html",
        say("demo-cup.archive"): f"{ARCHIVE}/index.html",
        say("demo-cup.export"): f"{CUP}.json",
        say("demo-cup.settings"): "cup.toml",
    }
    story = [(str(one.day), one.told, one.command) for one in played.story]
    return [
        doors_to(folder, doors),
        Part(say("demo-cup.story"), [Table(("Day", "What happened", "Command"), story, caption=say("demo-cup.story"))]),
        Part(say("demo-cup.mailboxes"), [Table(("Player", "Letters"), boxes, caption=say("demo-cup.mailboxes"))]),
        Part(say("demo-cup.honest"), [Paragraph(say("demo-cup.verify", file=f"{CUP}.json"))]),
    ]
