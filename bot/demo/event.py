"""A tournament of any size by mail in one process, with what goes wrong at real ones: people who enter too late, twice,
or never confirm, who do not show up or leave; an outage, a game taken back, protests, an amended result.

Everybody is a scripted player with a mailbox; letters go from the outbox to them, and their answers are handed to the
moderator as mail, without servers. Time passes as nobody has anything to say.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

from bot.competition.published import Published, encode
from bot.competition.verifying import verified
from bot.config import load_settings, starter_files
from bot.demo.entrants import ScriptedEntrant
from bot.demo.game import BOT, GAME_MASTER, DemoFailed
from bot.demo.players import Dice
from bot.demo.postman import sent_letters
from bot.demo.programs import PROGRAMS, Original, Writer
from bot.game_master import rollback
from bot.game_master.powers import Use
from bot.mail.identity import plus_address
from bot.moderator.moderator import Moderator
from bot.service.system_clock import utc_now
from bot.store.database import open_database, reading
from bot.store.published import published
from bot.store.tournaments import entrants, papers, results, tournaments
from bot.store.tournaments import rounds as rows
from bot.timekeeping import outage
from bot.tournament import adjudicating, amending, drawing, leaving, making, organisers, protests, rounds, starting
from bot.tournament.desk import By

EVENT = "event"
SETTINGS = """
title = "The Event"
format = "heats"

[rounds]
heats = 3
semifinal = {semifinal}
final = 6
days = 60

[tables]
tempo = "table"
options = {{ max_turns = {turns} }}

[endings]
notice_days = 10
protest_hours = 48
"""
STEP = timedelta(hours=12)
MOST_DAYS = 600
DIRECTOR_ADDRESS, DEPUTY_ADDRESS = "director@players.example", "deputy@players.example"
DIRECTOR = By(right="director", why="It is needed.")


@dataclass(slots=True)
class Guest(ScriptedEntrant):
    """Somebody at the event. ``confirms`` and ``accepts``: whether they answer when asked to; after ``leaves_after``
    answers nothing more comes from them."""

    confirms: bool = True
    accepts: bool = True
    leaves_after: int = 0

    def lines_for(self, subject: str, text: str, game: str) -> list[str]:
        """Their answer, as they are."""
        lines = ScriptedEntrant.lines_for(self, subject, text, game)
        if lines == ["confirm"]:
            return lines if self.confirms else []
        if lines == ["accept"]:
            return lines if self.accepts else []
        return [] if self.leaves_after and self.sent > self.leaves_after else lines


@dataclass(slots=True)
class Held:
    """An event at its end: the export, what was counted, and what does not hold ("" if all does)."""

    published: Published
    counted: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    days: int = 0
    seconds: float = 0.0


def hold(folder: Path, players: int, seed: str, turns: int, progress: Callable[[str], None]) -> Held:
    """Play a whole event in this folder, which must exist. DemoFailed if it does not come to its end."""
    event = _Event(folder, players, seed, turns, progress)
    event.enter()
    event.heats()
    while event.next_round():
        pass
    return event.end()


class _Event:
    def __init__(self, folder: Path, players: int, seed: str, turns: int, progress: Callable[[str], None]) -> None:
        (folder / ".env").write_text(starter_files()[".env"], encoding="utf-8")
        (folder / "config.toml").write_text(
            f'[mentat]\naddress = "{BOT}"\ngame_master = "{GAME_MASTER}"\n\n[smtp]\nkind = "directory"\n'
            'directory = "out"\n\n[mailbox]\nkind = "maildir"\nmaildir = "in"\n\n'
            "[limits]\nanswers_per_hour = 1000000\nstrangers_letters_per_hour = 1000000\n",
            encoding="utf-8",
        )
        settings = load_settings(folder / "config.toml")
        self.moderator = Moderator(settings, open_database(settings.database_place))
        self.open_games, self.engine = self.moderator.open_games, self.moderator.engine
        self.players, self.turns, self.progress = players, turns, progress
        self.began, self.first = time.monotonic(), utc_now()
        self.now = self.first
        self.guests: dict[str, Guest] = {}
        self.counted: Counter[str] = Counter()
        self.letters: dict[str, Counter[str]] = defaultdict(Counter)
        self.wrong: list[str] = []
        share = players / 200
        self._invite(seed, "late", round(6 * share))
        self._invite(seed, "unsure", round(4 * share), confirms=False)
        self._invite(seed, "absent", round(12 * share), silent=True)
        self._invite(seed, "leaver", round(15 * share), leaves_after=12)
        self._invite(seed, "player", players - round(12 * share) - round(15 * share))
        self._invite(seed, "helper", max(2, round(20 * share)))
        self._invite(seed, "refuser", round(10 * share), accepts=False)

    def _invite(self, seed: str, kind: str, number: int, **ways: Any) -> None:
        for each in range(number):
            name = f"{kind.title()} {each + 1}"
            address = f"{kind}{each + 1}@players.example"
            program = PROGRAMS[(len(self.guests) + each) % len(PROGRAMS)]
            self.guests[address] = Guest(name, address, program, Dice(seed, name), **ways)

    def _of(self, *kinds: str) -> list[Guest]:
        return [guest for guest in self.guests.values() if guest.address.startswith(kinds)]

    # --- entries -----------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Entries open, people write, and entries close."""
        semifinal = 36 if self.players > 36 else 0
        making.new(self.open_games, EVENT, SETTINGS.format(semifinal=semifinal, turns=self.turns), self.now)
        organisers.grant(self.open_games, EVENT, DIRECTOR_ADDRESS, "director", self.now)
        organisers.grant(self.open_games, EVENT, DEPUTY_ADDRESS, "deputy", self.now)
        making.open_entries(self.open_games, EVENT, self.now, until=self.now + timedelta(days=10))
        for guest in self._of("unsure", "absent", "leaver", "player"):
            self._write(guest.enters(BOT, EVENT, self.now).raw)
        for guest in self._of("helper", "refuser"):
            self._write(guest.enters(BOT, EVENT, self.now, standby=True).raw)
        self._until_quiet()
        for guest in self._of("player")[: max(1, round(3 * self.players / 200))]:
            self._pass(timedelta(hours=2))
            self._write(guest.enters(BOT, EVENT, self.now).raw.replace(b"<enters.", b"<again."))
        self._pass(timedelta(days=11))
        for guest in self._of("late"):
            self._write(guest.enters(BOT, EVENT, self.now).raw)
        self._until_quiet()
        with reading(self.engine) as conn:
            confirmed = entrants.of_tournament(conn, EVENT, ["confirmed"])
        seated = [each for each in confirmed if not each.standby]
        self._expect(len(seated) == self.players, f"{len(seated)} are confirmed, not {self.players}")
        self.progress(f"{len(seated)} confirmed")

    # --- rounds ------------------------------------------------------------------------------------------------------

    def heats(self) -> None:
        """Three heats at the same time, and all that goes wrong in them."""
        drawn = drawing.draw(self.open_games, EVENT, self.now, drawing.Asked(without_unconfirmed=True))
        self._check_draw([[seat.entrant for seat in table.seats] for table in drawn.record.tables])
        starting.start(self.open_games, EVENT, self.now)
        self.progress(f"{len(drawn.record.tables)} games begin")
        planned = [self._last_turns, self._taken_back, self._stopped, self._outage]
        self._play(planned)
        self._protests()
        self._close(1, 2, 3)
        best = self._document().standings[-1].entrant
        leaving.disqualify(self.open_games, EVENT, best, DIRECTOR, self.now)
        self.counted["disqualified"] += 1

    def next_round(self) -> bool:
        """The semifinal, then the final; whether there was one more."""
        with reading(self.engine) as conn:
            cup = tournaments.find(conn, EVENT)
        if cup.state == "finished":
            return False
        drawn = drawing.draw(self.open_games, EVENT, self.now)
        starting.start(self.open_games, EVENT, self.now)
        self.progress(f"{drawn.record.kind}: {len(drawn.record.tables)} games begin")
        self._play([])
        self._pass(timedelta(days=3))
        self._close(*drawn.record.rounds)
        self._pass(timedelta(days=1))
        return True

    def _play(self, planned: list[Callable[[], bool]]) -> None:
        while True:
            moved = self._once()
            with reading(self.engine) as conn:
                if not rows.playing(conn, EVENT):
                    break
            if moved:
                continue
            if planned and planned[0]():
                planned.pop(0)
            self._tick(STEP)
        self._until_quiet()

    def _close(self, *numbers: int) -> None:
        self._pass(timedelta(days=3))
        for number in numbers:
            rounds.close(self.open_games, EVENT, number, DIRECTOR, self.now)

    # --- what goes wrong ---------------------------------------------------------------------------------------------

    def _going(self) -> list[rows.Playing]:
        with reading(self.engine) as conn:
            return rows.playing(conn, EVENT)

    def _last_turns(self) -> bool:
        """Four tables are told that the next turn is their last."""
        for each in [one for one in self._going() if one.turn < self.turns][:4]:
            named = f"{each.table.round}.{each.table.number}"
            rounds.notice(self.open_games, EVENT, each.table.round, named, each.turn + 1, DIRECTOR, self.now)
            self.counted["last-turn notices"] += 1
        return True

    def _taken_back(self) -> bool:
        """One game is taken back by five entries, to which all of its players agree, as it is rated."""
        table = self._going()[-1].table
        with reading(self.engine) as conn:
            played = self.open_games.table(conn, table.game_id)
            entries, everybody = played.entries, tuple(played.seats)
        self.open_games.forget(table.game_id)
        told = Use(tell="An order was lost.")
        rollback.rollback(self.open_games, table.game_id, max(0, entries - 5), self.now, told, everybody)
        self.counted["rollbacks"] += 1
        return True

    def _stopped(self) -> bool:
        """One table is stopped, and decided on the board."""
        ready = [each for each in self._going() if each.turn > 1]
        if not ready:
            return len(self._going()) < 2
        named = f"{ready[-1].table.round}.{ready[-1].table.number}"
        adjudicating.adjudicate(self.open_games, EVENT, named, "stopped", (), DIRECTOR, self.now)
        self.counted["stopped"] += 1
        return True

    def _outage(self) -> bool:
        """The mailbox cannot be read for two days."""
        outage.mailbox_fails(self.open_games, self.now)
        for _ in range(4):
            self.now += STEP
            self.moderator.timekeeper.tick(self.now)
        outage.mailbox_works(self.open_games, self.now)
        self.counted["outages"] += 1
        return True

    def _protests(self) -> None:
        """Two players protest; one protest is dismissed, after the other the result is amended."""
        with reading(self.engine) as conn:
            kept = [one for one in results.newest(conn, EVENT).values() if one.state == "provisional"][:2]
        for result in kept:
            self._protest(f"{result.place[0]}.{result.place[1]}", result.outcome.seats[0].tenures[0].entrant)
        self._until_quiet()
        with reading(self.engine) as conn:
            filed = papers.of_tournament(conn, EVENT, "protest")
        for number, paper in enumerate(filed):
            named = f"{paper.round}.{paper.table}"
            if number:
                amending.amend(
                    self.open_games, EVENT, named, amending.Changes(kind="void", winners=()), DIRECTOR, self.now
                )
                self.counted["amended"] += 1
            else:
                protests.dismiss(self.open_games, EVENT, paper.id, DIRECTOR, self.now)
        self.counted["protests"] += len(filed)

    def _protest(self, table: str, handle: str) -> None:
        with reading(self.engine) as conn:
            entrant = entrants.find(conn, EVENT, handle)
        if entrant is None:
            return
        guest = self.guests[entrant.address]
        guest.sent += 1
        to = plus_address(BOT, entrant.token)
        original = Original("The result", BOT, to, f"<protest.{table}@players.example>", "", "", "The result.")
        writer = Writer(guest.name, guest.address, guest.sent)
        self._write(guest.program(original, writer, [f"protest {table}: the storm was moved wrongly"], self.now))

    # --- mail and time -----------------------------------------------------------------------------------------------

    def _write(self, raw: bytes) -> None:
        verdict = self.moderator.deliver(raw, self.now)
        self.counted["mails"] += 1
        self._expect(verdict.disposition in ("orders", "empty", "rejected"), f"a mail was {verdict.disposition}")

    def _once(self) -> int:
        """Everybody reads what has come, and answers."""
        posted = sent_letters(self.engine, self.now)
        written = 0
        for address, letters in posted.items():
            self.counted["letters"] += len(letters)
            self._look(address, letters)
            guest = self.guests.get(address)
            if guest is None:
                continue
            for answer in guest.read(letters, self.now):
                self._write(answer.raw)
                written += 1
            guest.letters.clear()
        return len(posted) + written

    def _look(self, address: str, letters: list[bytes]) -> None:
        """No letter comes twice, and none holds another person's address."""
        for raw in letters:
            head, _, body = raw.partition(b"\n\n")
            identity = next((line for line in head.splitlines() if line.lower().startswith(b"message-id:")), b"")
            self.letters[address][identity.decode("ascii", "replace")] += 1
            if address in self.guests and b"@players.example" in body.replace(address.encode(), b""):
                self.wrong.append(f"a letter to {address} holds another's address")

    def _until_quiet(self) -> None:
        while self._once():
            pass

    def _tick(self, span: timedelta) -> None:
        self.now += span
        if (self.now - self.first).days > MOST_DAYS:
            raise DemoFailed(f"The event did not end: {MOST_DAYS} days have passed.")
        self.moderator.timekeeper.tick(self.now)

    def _pass(self, span: timedelta) -> None:
        end = self.now + span
        self._until_quiet()
        while self.now < end:
            self._tick(min(STEP, end - self.now))
            self._until_quiet()

    # --- what must hold ----------------------------------------------------------------------------------------------

    def _expect(self, holds: bool, why: str) -> None:
        if not holds:
            self.wrong.append(why)

    def _check_draw(self, tables: list[list[str]]) -> None:
        met = Counter(pair for table in tables for pair in combinations(sorted(table), 2))
        fives = Counter(handle for table in tables if len(table) == 5 for handle in table)
        if self.players >= 60:
            self._expect(max(met.values()) == 1, "somebody meets somebody twice in the heats")
            self._expect(max(fives.values(), default=0) <= 1, "somebody sits at two tables of five")

    def _document(self) -> Published:
        with reading(self.engine) as conn:
            return published(conn, EVENT, self.now)

    def end(self) -> Held:
        """The export, and what was counted."""
        document = self._document()
        self._expect(document.state == "finished", f"the event is {document.state}")
        if difference := verified(encode(document)).difference:
            self.wrong.append(f"the export does not hold: {difference}")
        twice = sum(times > 1 for letters in self.letters.values() for times in letters.values())
        self._expect(not twice, f"{twice} letters came twice")
        whys = Counter(
            tenure.why for one in document.results for seat in one.outcome.seats for tenure in seat.tenures
        )  # fmt: skip
        self.counted |= Counter({"games": len({(one.outcome.round, one.outcome.table) for one in document.results})})
        self.counted |= Counter({f"tenures: {why}": number for why, number in whys.items()})
        days = (self.now - self.first).days
        return Held(document, dict(self.counted), self.wrong, days, time.monotonic() - self.began)
