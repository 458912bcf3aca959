"""Refused, dry-run and unnecessary commands leave the database unchanged to the last byte. Commands that change the
seating are logged as acts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
import time_machine

from bot.cli import _COMMANDS_BY_GROUP
from bot.games.open_games import act
from bot.mail.identity import plus_address
from bot.store import acts as acts_of_people
from bot.store import tournaments
from bot.store.database import reading
from bot.tournament import desk, entrant_lines, mail_lines, preparation
from bot.tournament.desk import Caller
from tests.cli.conftest import Mentat
from tests.moderator.table import ADDRESS, World
from tests.tournament.cup import CUP, ONE_HEAT, Entered, make
from tests.tournament.test_whole_events import end, play

BOSS = "boss@example.org"


def entered(world: World) -> Entered:
    make(world, ONE_HEAT, "spice-must-flow")
    return Entered(world)


def draft(world: World) -> None:
    entered(world)


def opened(world: World) -> None:
    cup = entered(world)
    preparation.open_entries(Caller(cup.open_games, world.now), CUP)
    cup.enter(12)
    cup.enter(1, "entered", code="c" * 16)
    cup.enter(2, "standby")


def drawn(world: World) -> None:
    opened(world)
    Entered(world).draw(without_unconfirmed=True)


def playing(world: World) -> None:
    drawn(world)
    Entered(world).start()


def with_results(world: World) -> None:
    playing(world)
    cup = Entered(world)
    end(cup, "cup-r1-t01", ["guild"])
    cup.tick(1)


def closed(world: World) -> None:
    playing(world)
    play(Entered(world), 1)


def final_drawn(world: World) -> None:
    closed(world)
    cup = Entered(world)
    cup.tick(100)
    cup.draw()


def finished(world: World) -> None:
    final_drawn(world)
    cup = Entered(world)
    cup.start()
    play(cup, 2)
    cup.tick(100)
    assert cup.cup.state == "finished"


def cancelled(world: World) -> None:
    playing(world)
    preparation.cancel_tournament(Caller(Entered(world).open_games, world.now), CUP)


STATES: Sequence[Callable[[World], None]] = (
    draft, opened, drawn, playing, with_results, closed, final_drawn, finished, cancelled
)  # fmt: skip
WHY = ("--why", "so it is")
COMMANDS: Sequence[tuple[str, ...]] = (
    ("new", CUP, "cup.toml"),
    ("new", CUP, "other.toml"),
    ("new", "Cup!", "cup.toml"),
    ("open", CUP),
    ("open", CUP, "--until", "2001-01-01"),
    ("open", CUP, "--until", "soon"),
    ("announce", CUP),
    ("announce", CUP, "--format", "html"),
    ("cancel", CUP),
    ("enter", CUP, "player3@players.example"),
    ("enter", CUP, "mentat@arrakis.example"),
    ("enter", CUP, "new@players.example"),
    ("withdraw", CUP, "E001"),
    ("withdraw", CUP, "E099"),
    ("withdraw", CUP, "E001", "--games", "leave"),
    ("grant", CUP, "player1@players.example", "director"),
    ("grant", CUP, "ann@example.org", "arbiter"),
    ("handover", CUP, "player1@players.example"),
    ("handover", CUP, "ann@example.org"),
    ("apart", CUP, "E001", "E001"),
    ("apart", CUP, "E001", "E002"),
    ("apart", CUP, "E001", "E002", "--remove"),
    ("apart", CUP, "E001", "E099"),
    ("freeze", CUP),
    ("draw", CUP),
    ("draw", CUP, "--standby", "E014"),
    ("draw", CUP, "--standby", "E014", "--standby", "E099"),
    ("draw", CUP, "--without-unconfirmed", "--standby", "E014"),
    ("draw", CUP, "--without-unconfirmed", "--standby", "E014", "--standby", "E015"),
    ("draw", CUP, "--without-unconfirmed", "--sit-out", "E001", "--sit-out", "E099"),
    ("draw", CUP, "--round", "1", "--standby", "E014"),
    ("draw", CUP, "--round", "7"),
    ("draw", CUP, "--beacon", "4 8 15"),
    ("void-draw", CUP),
    ("void-draw", CUP, "--round", "9", *WHY),
    ("void-draw", CUP, *WHY),
    ("start", CUP),
    ("start", CUP, "--round", "9"),
    ("start", CUP, "--only", "1.9"),
    ("pause", CUP),
    ("pause", CUP, "--round", "2"),
    ("resume", CUP),
    ("show", CUP),
    ("show", CUP, "--as", "E099"),
    ("list",),
    ("round", CUP),
    ("round", CUP, "extend", "-1"),
    ("round", CUP, "extend", "48"),
    ("round", CUP, "notice", "1.1", "--last-turn", "1"),
    ("round", CUP, "notice", "1.2", "--last-turn", "6"),
    ("round", CUP, "close"),
    ("finish", CUP),
    ("adjudicate", CUP, "1.1"),
    ("adjudicate", CUP, "1.2", "--rule", "stopped", *WHY),
    ("adjudicate", CUP, "1.2", "--rule", "stopped", "--winners", "guild", *WHY),
    ("adjudicate", CUP, "1.2", "--rule", "agreed", "--winners", "guild", *WHY),
    ("adjudicate", CUP, "2.1", "--rule", "agreed", "--winners", "guild", *WHY),
    ("adjudicate", CUP, "1.2", "--winners", "guild", *WHY),
    ("adjudicate", CUP, "1.2", *WHY),
    ("amend", CUP, "1.1", "--winners", "fremen"),
    ("amend", CUP, "1.1", "--winners", "fremen", *WHY),
    ("amend", CUP, "1.1", "--winners", "guild", *WHY),
    ("amend", CUP, "1.1", "--winners", "guild,fremen,atreides,emperor", *WHY),
    ("amend", CUP, "1.1", "--strongholds", "richese=2", *WHY),
    ("amend", CUP, "settings", "cup.toml"),
    ("amend", CUP, "settings", "other.toml", *WHY),
    ("amend", CUP, "settings", "broken.toml", *WHY),
    ("void", CUP, "1.1"),
    ("void", CUP, "1.1", "--replay", *WHY),
    ("void", CUP, "1.9", *WHY),
    ("protests", CUP),
    ("protests", CUP, "9", "--dismiss", *WHY),
    ("substitute", CUP, "1.1", "guild", "E001"),
    ("substitute", CUP, "1.1", "guild", "E099"),
    ("substitute", CUP, "1.1", "guild"),
    ("substitute", CUP, "1.1", "guild", "E015"),
    ("disqualify", CUP, "E001"),
    ("disqualify", CUP, "E099", *WHY),
    ("disqualify", CUP, "E001", *WHY),
    ("standings", CUP),
    ("export", CUP, "cup.csv"),
    ("verify", CUP),
)  # fmt: skip
TRIED = ("new", "announce", "show", "list", "protests", "standings", "export", "verify")
"""These take no --dry-run."""


def test_each_command_of_tournaments_is_among_them() -> None:
    assert {words[0] for words in COMMANDS} == set(_COMMANDS_BY_GROUP["tournament"])


@contextmanager
def opened_file(world: World) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(world.settings.mentat.database)
    try:
        yield connection
    finally:
        connection.close()


def dump(world: World) -> list[str]:
    with opened_file(world) as connection:
        return list(connection.iterdump())


def roster(dumped: list[str]) -> list[str]:
    """Return the entrants' states and the holders of the seats."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript("\n".join(dumped))
        entrants = made.execute("SELECT handle, state FROM entrant ORDER BY number").fetchall()
        return [
            *map(str, entrants),
            *map(str, made.execute('SELECT "table", dot, entrant FROM tenure ORDER BY 1, 2, 3')),
        ]


def acts(dumped: list[str]) -> list[str]:
    return [line for line in dumped if line.startswith('INSERT INTO "desk_act"')]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_what_is_refused_tried_or_needless_changes_nothing(
    state: Callable[[World], None], mentat: Mentat, place: World, tmp_path: Path
) -> None:
    if place.engine.dialect.name != "sqlite":
        pytest.skip("the dump is SQLite's")
    for name, text in (("cup", ONE_HEAT), ("other", f"{ONE_HEAT}days = 40\n"), ("broken", 'title = ""\nx = 1\n')):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    state(place)
    before, copy, refused, changed = dump(place), sqlite3.connect(":memory:"), 0, list[str]()
    with opened_file(place) as there:
        there.backup(copy)
    with time_machine.travel(place.now + timedelta(minutes=5), tick=False):
        for words in COMMANDS:
            for more in ((), ("--dry-run",)) if words[0] not in TRIED else ((),):
                ran = mentat("tournament", *words, *more)
                after = dump(place)
                if ran.code or more or "nothing was done" in ran.out:
                    refused += 1
                    changed += [" ".join((*words, *more))] if after != before else []
                if after != before:
                    if roster(after) != roster(before) and acts(after) == acts(before):
                        changed.append(f"no act: {' '.join(words)}")
                    with opened_file(place) as there:
                        copy.backup(there)
    assert changed == []
    assert refused > 50


BY_MAIL = (
    "open", "freeze", "draw", "start", "pause games", "resume games", "extend round 1 48", "extend round 9 48",
    "close round 1", "close round 9", "adjudicate 1.1: so", "adjudicate 1.1 agreed: so", "adjudicate 9.9 stopped: so",
    "void 1.1: so", "void 1.9 replay: so", "void 1.1", "dismiss 9: so", "substitute 1.1 guild", "substitute 9.9 guild",
    "substitute 1.1 richese E015", "substitute 1.1 guild E099", "cancel: so", "void the draw: so", "hold", "go on",
    "beacon 1: 4 8 15 16 23 42", "answer 9: so", "hold until 2001-01-01", "go on please",
)  # fmt: skip
OF_ENTRANTS = (
    "enter cup as Ann", "confirm aaaaaaaaaaaaaaaa", "ready", "not ready", "here", "accept", "decline", "accept guild",
    "bid guild 5 fremen 3", "bid richese 5", "preferences guild fremen", "preferences richese", "keep guild",
    "trade guild for fremen", "trade richese", "protest 9.9: so", "protest 1.1: so", "protest", "vote guild 1.1",
    "vote richese", "vote 9.9 guild", "beacon 1: 4 8 15", "withdraw other", "awake 8-22 Nowhere",
    "awake 99-3", "connected", "status", "standings", "help", "name", "stnadings",
)  # fmt: skip
OF_MAIL = ('"message"', '"letter"')


def without_mail(dumped: list[str]) -> list[str]:
    """Return what a refused mail must leave unchanged: everything except the mail and the answer."""
    return [line for line in dumped if not line.startswith(tuple(f"INSERT INTO {name}" for name in OF_MAIL))]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_what_is_refused_by_mail_changes_nothing_and_is_told_to_its_writer_alone(
    state: Callable[[World], None], place: World
) -> None:
    if place.engine.dialect.name != "sqlite":
        pytest.skip("the dump is SQLite's")
    state(place)
    cup, changed, refused = Entered(place), list[str](), 0
    desk.grant_right(Caller(cup.open_games, place.now), CUP, BOSS, "director")
    with reading(place.engine) as conn:
        right = acts_of_people.right_of(conn, BOSS, tournament_id=CUP)
        entrants = tournaments.entrants_of(conn, CUP)
    assert right is not None
    for number, line in enumerate(BY_MAIL):
        before, letters = dump(place), len(place.letters())
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = BOSS, plus_address(ADDRESS, right.token), "the cup"
        message["Message-ID"] = f"<{number}.refused@example.org>"
        message.set_content(f"{line}\n")
        place.moderator.deliver(message.as_bytes(), place.now)
        new = place.letters()[letters:]
        if any("Not done:" in " ".join(sent.text.split()) for sent in new):
            refused += 1
            changed += [line] if without_mail(dump(place)) != without_mail(before) else []
            assert [sent.recipient for sent in new] == [BOSS], line
    for line in OF_ENTRANTS:
        for entrant in entrants[:1]:
            before = dump(place)
            with act(cup.open_games, place.now) as session:
                tournament = tournaments.find_tournament(session.conn, CUP)
                read = mail_lines.read_line(line)
                done = entrant_lines.carry_out_line(session, tournament, entrant, read) if _is_said(read) else None
            if done and done.status in ("refused", "unread", "asked"):
                refused += 1
                changed += [line] if dump(place) != before else []
    assert changed == []
    assert refused > 10


def _is_said(line: mail_lines.Line) -> bool:
    return not isinstance(line, mail_lines.Talk)
