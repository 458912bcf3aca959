"""The game master's desk: its items, its cost of one query per subject, and that it shows nothing sealed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import event, update

from bot.desk import clocks
from bot.desk.desk import (
    LITTLE_ROOM,
    MOST_LINES,
    Desk,
    Machine,
    Matter,
    compile_desk,
    desk_blocks,
    desk_now,
    standing_of,
    waits_for,
)
from bot.desk.powers import DeskRequest, Use
from bot.render.blocks import Document
from bot.render.text import as_text
from bot.store import games, installation, tournaments
from bot.store.database import reading, writing
from bot.store.desk import (
    CodeAt,
    DeskRows,
    ForumTrouble,
    GameAt,
    MailPutAside,
    Outgoing,
    OwedDuty,
    ReportedPress,
    SeatAt,
)
from bot.store.mail import LETTER
from bot.store.tables import GAME as GAMES
from bot.store.tables import SEAT
from bot.store.tournament_rounds import Matter as EventMatter
from rules.components import Faction
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, START, World, make_settings
from tests.tournament.cup import CUP, Cup

UTC = ZoneInfo("UTC")
FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
NOTHING_KNOWN = Machine()
LIST = '[forums.dune]\nkind = "list"\naddress = "dune@lists.example"\n'
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
AT = GameAt("g", "wbc-2018", "running", 4, "bidding", "steady", created_at=START)
SITS = SeatAt("g", "guild", "Ann", "ann@example.org", False, 0, None, 0, None)
OWES = OwedDuty("g", "guild", "bid", START + HOUR, START + 3 * HOUR, START, answered=False)


@pytest.fixture
def looked(tmp_path: Path) -> Callable[..., Desk]:
    settings = make_settings(tmp_path)

    def look_at(now: datetime, machine: Machine = NOTHING_KNOWN, **rows: Any) -> Desk:
        given = {"games": [AT], "seats": [SITS], **rows}
        return compile_desk(DeskRows(**given), machine, now, settings, lambda address: address == GAME_MASTER)

    return look_at


def kinds(desk: Desk) -> list[str]:
    return [matter.kind for matter in desk.matters]


def told(desk: Desk) -> str:
    return as_text(Document("", "", desk_blocks(desk, UTC)))


def desk_of(world: World) -> Desk:
    with reading(world.engine) as conn:
        return desk_now(conn, world.settings, world.now)


# --- from values -----------------------------------------------------------------------------------------------------


def test_nothing_waits_where_all_is_well(looked: Callable[..., Desk]) -> None:
    found = looked(START, owed=[OWES])
    assert found.matters == []
    assert "1 running game. Times are UTC." in told(found)
    assert "Guild: a bid, by Tue 26 Nov 21:00" in told(found)


def test_who_is_late_is_named_until_silence_answers(looked: Callable[..., Desk]) -> None:
    found = looked(START + 2 * HOUR, owed=[OWES])
    assert kinds(found) == ["late"]
    assert "Guild (Ann): a bid, overdue since Tue 26 Nov 21:00; the default will be used Tue" in " ".join(
        told(found).split()
    )


def test_who_has_answered_is_neither_late_nor_waited_for(looked: Callable[..., Desk]) -> None:
    found = looked(START + 2 * HOUR, owed=[replace(OWES, answered=True)])
    assert found.matters == []
    assert found.games[0].owed == []


def test_a_game_master_who_plays_learns_what_the_others_know_and_no_more(looked: Callable[..., Desk]) -> None:
    seats = [SITS, replace(SITS, faction="fremen", address=GAME_MASTER)]
    missed = [replace(SITS, missed=3, undelivered=2, undelivered_at=START), seats[1]]
    open_, answered = (
        looked(START + 2 * HOUR, owed=[replace(OWES, answered=done)], seats=missed, nameless={"g": START + 9 * HOUR})
        for done in (False, True)
    )
    assert told(open_) == told(answered)
    assert open_.matters == []
    assert "05:00" not in told(open_)


STILL = (
    ("held", {"status": "held"}, "The installed rules would play it differently", "stopped: the installed rules"),
    ("on-hold", {"on_hold": START}, "On hold since Tue 26 Nov 20:00", "on hold since"),
    (
        "paused",
        {"stopped_at": START, "stopped_why": "pause"},
        "have been stopped since Tue 26 Nov 20:00",
        "paused since",
    ),
    ("silence", {"stopped_at": START, "stopped_why": "silence"}, "no mail is coming", "no mail is coming"),
)


@pytest.mark.parametrize(("kind", "changed", "words", "waits"), STILL, ids=[case[0] for case in STILL])
def test_a_game_that_stands_still_is_for_the_game_master_and_nobody_is_late_in_it(
    looked: Callable[..., Desk], kind: str, changed: dict[str, Any], words: str, waits: str
) -> None:
    found = looked(START + 2 * HOUR, games=[replace(AT, **changed)], owed=[OWES])
    assert kinds(found) == [kind]
    assert words.lower() in " ".join(told(found).split()).lower()
    assert waits in waits_for(found.games[0], found.now, UTC)[0].lower()
    assert found.games[0].next_due(found.now) is None


def test_seats_that_no_mail_reaches_that_nobody_plays_and_that_are_silent_are_people(
    looked: Callable[..., Desk],
) -> None:
    seats = [
        replace(SITS, unreachable_since=START, undelivered=3),
        replace(SITS, faction="fremen", name="Bob", care=True, missed=5),
        replace(SITS, faction="emperor", name="Cid", undelivered=1, undelivered_at=START),
        replace(SITS, faction="atreides", name="Dora", missed=2),
        replace(SITS, faction="harkonnen", name="Eve", missed=1),
        replace(SITS, faction="bene-gesserit", name="Flo", asked=True),
    ]
    found = looked(START + HOUR, seats=seats)
    assert kinds(found) == ["unreachable", "caretaker", "undelivered", "missed", "asked"]
    words = " ".join(told(found).split())
    assert "Guild (Ann) has been unreachable since Tue 26 Nov 20:00." in words
    assert "The caretaker is playing for Fremen (Bob): `mentat game replace g fremen ADDRESS`" in words
    assert "Atreides (Dora) has missed 2 duties in a row." in words
    assert "Eve" not in words


def test_a_forum_that_is_away_is_told_as_long_as_the_settings_name_it(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, CONFIG + LIST)
    forums = [ForumTrouble(name, "reading", START, "502 Bad Gateway") for name in ("dune", "gone")]
    found = compile_desk(DeskRows(forums=forums), NOTHING_KNOWN, START, settings, lambda _: False)
    assert [(matter.kind, matter.name, matter.words) for matter in found.matters] == [
        ("forum-away", "dune", "502 Bad Gateway")
    ]


def test_mail_that_came_back_long_ago_is_forgotten(looked: Callable[..., Desk]) -> None:
    seats = [replace(SITS, undelivered=1, undelivered_at=START)]
    assert kinds(looked(START + 8 * DAY, seats=seats)) == []


def test_a_game_that_takes_longer_than_the_slowest_of_its_tempo_is_behind(looked: Callable[..., Desk]) -> None:
    assert kinds(looked(START + 50 * DAY)) == []
    late = looked(START + 53 * DAY)
    assert kinds(late) == ["behind"]
    assert "in turn 4; even at the slowest pace of its tempo it should be in turn 5." in " ".join(told(late).split())
    assert kinds(looked(START + 53 * DAY, games=[replace(AT, tempo="table")])) == []
    assert kinds(looked(START + 53 * DAY, games=[replace(AT, clock={"step_hours": 48})])) == []


def test_days_on_which_the_clocks_stood_still_do_not_count(looked: Callable[..., Desk]) -> None:
    stood = {"g": [("pause", START + DAY), ("resume", START + 11 * DAY), ("hold", START + 12 * DAY)]}
    assert kinds(looked(START + 60 * DAY, stood=stood, games=[replace(AT, on_hold=START + 12 * DAY)])) == [
        "on-hold", "idle"
    ]  # fmt: skip
    assert kinds(looked(START + 60 * DAY, stood={"g": stood["g"][:2]})) == []
    assert kinds(looked(START + 63 * DAY, stood={"g": stood["g"][:2]})) == ["behind"]
    twice = {"g": [*stood["g"][:2], ("release", START + 40 * DAY), ("resume", START + 41 * DAY)]}
    assert kinds(looked(START + 60 * DAY, stood=twice)) == []
    assert kinds(looked(START + 63 * DAY, stood=twice)) == ["behind"]


def test_no_game_is_forecast_beyond_its_last_turn(looked: Callable[..., Desk]) -> None:
    assert kinds(looked(START + 9999 * DAY, games=[replace(AT, turn=15)])) == []


def test_something_that_waits_for_days_without_an_act_is_said_so(looked: Callable[..., Desk]) -> None:
    paused = replace(AT, stopped_at=START, stopped_why="pause")
    assert kinds(looked(START + 2 * DAY, games=[paused])) == ["paused"]
    assert kinds(looked(START + 4 * DAY, games=[paused])) == ["paused", "idle"]
    assert kinds(looked(START + 4 * DAY, games=[paused], acts={"g": START})) == ["paused", "idle"]
    assert kinds(looked(START + 4 * DAY, games=[paused], acts={"g": START + DAY})) == ["paused"]


def test_mail_put_aside_and_letters_that_do_not_go_out(looked: Callable[..., Desk]) -> None:
    aside = [MailPutAside(number, START, "no token", "g", "x@example.org") for number in range(5)]
    out = Outgoing(7, START, 2, START, "550 no", 1, START)
    found = looked(START + HOUR, aside=aside, outgoing=out)
    assert kinds(found) == ["aside", "failing", "lost"]
    words = " ".join(told(found).split())
    assert "5 mails put aside since Tue 26 Nov 20:00" in words
    assert "`mentat mail show 2` and others." in words
    assert "2 letters could not be sent since Tue 26 Nov 20:00: '550 no'." in words
    assert kinds(looked(START + HOUR, outgoing=Outgoing(7, START))) == ["outbox"]
    assert kinds(looked(START + HOUR, outgoing=Outgoing(7, START + HOUR))) == []


def test_a_mailbox_that_fails_and_a_full_disk_are_told(looked: Callable[..., Desk]) -> None:
    found = looked(START, Machine(20_000_000, 5_000_000, START, START))
    assert kinds(found) == ["mailbox", "room"]
    assert "Only 20 MB are free" in told(found)


def test_little_room_is_told_where_it_is_known(looked: Callable[..., Desk]) -> None:
    room = {free: kinds(looked(START, Machine(free))) for free in (0, 1, LITTLE_ROOM - 1, LITTLE_ROOM)}
    assert room == {0: [], 1: ["room"], LITTLE_ROOM - 1: ["room"], LITTLE_ROOM: []}


@pytest.mark.parametrize(
    ("call", "phase", "is_open"),
    [("4.bidding", "bidding", True), ("4.bidding", "charity", True), ("4.bidding", "movement", False),
     ("4.storm", "bidding", False), ("3.bidding", "bidding", False), ("", "bidding", False)],
)  # fmt: skip
def test_the_sheets_of_a_round_that_is_over_are_not_waited_for(
    looked: Callable[..., Desk], call: str, phase: str, is_open: bool
) -> None:
    found = looked(START, games=[replace(AT, phase=phase, call=call, call_due=START + HOUR)])
    assert ("the sheets of the" in told(found)) is is_open
    assert (found.games[0].next_due(START) is not None) is is_open


def test_a_call_is_the_next_thing_due_until_it_closes(looked: Callable[..., Desk]) -> None:
    called = replace(AT, call="4.bidding", call_due=START + HOUR)
    for hours, due in ((0, START + HOUR), (1, None), (2, None)):
        found = looked(START + hours * HOUR, games=[called])
        assert found.games[0].next_due(found.now) == due
        assert ("Tue 26 Nov 21:00" in told(found)) == (due is not None)


@pytest.mark.parametrize("games", [MOST_LINES, MOST_LINES + 1])
def test_so_many_games_are_shown_and_the_others_counted(looked: Callable[..., Desk], games: int) -> None:
    many = [replace(AT, id=f"g{number:03}") for number in range(games)]
    words = told(looked(START, games=many))
    assert [f"g{number:03}" in words for number in range(games)] == [number < MOST_LINES for number in range(games)]
    assert ("more line" in words) == (games > MOST_LINES)


def test_a_desk_of_a_thousand_games_is_cut_in_words(looked: Callable[..., Desk]) -> None:
    many = [replace(AT, id=f"g{number}", stopped_at=START, stopped_why="pause") for number in range(1_000)]
    words = told(looked(START, games=many))
    assert "and 960 more lines" in words
    assert len(words.splitlines()) < 7 * MOST_LINES
    assert max(map(len, words.splitlines())) <= 80


def test_every_kind_of_matter_has_a_part_and_a_sentence(looked: Callable[..., Desk]) -> None:
    from bot.desk.desk import PARTS

    every = [Matter(kind, "g", START, "guild", "Ann", "bid", START, 3, 4, "x", (1, 2)) for kind in PARTS]
    words = told(replace(looked(START), matters=every))
    assert "None" not in words
    assert max(map(len, words.splitlines())) <= 80


def test_a_standing_of_nothing_is_said_in_words() -> None:
    assert waits_for(standing_of(AT, (), None, own=False), START, UTC) == ["nothing at the moment"]
    assert waits_for(standing_of(AT, (), START, own=False), START, UTC)[0].startswith("reactions")


# --- from a database -------------------------------------------------------------------------------------------------


def test_the_desk_of_games_that_are_played(world: World) -> None:
    world.new_game("wbc-2018", tempo="steady")
    world.new_game(factions=FEW, game="other")
    clocks.pause(DeskRequest(world.moderator.open_games, "other", world.now, Use(why="a quarrel")))
    world.now += HOUR
    found = desk_of(world)
    assert [(matter.kind, matter.game) for matter in found.matters] == [("paused", "other"), ("outbox", "")]
    standing = {each.game.id: each for each in found.games}
    assert set(standing) == {GAME, "other"}
    assert {owed.kind for owed in standing[GAME].owed} <= {"prediction", "traitor", "fremen-placement", "bg-placement"}
    assert "a quarrel" not in told(found)


def test_a_game_that_is_over_is_not_on_the_desk(world: World) -> None:
    world.new_game(factions=FEW)
    with writing(world.engine) as conn:
        conn.execute(update(GAMES).values(status="over"))
        conn.execute(update(SEAT).values(missed=3))
    found = desk_of(world)
    assert (found.games, kinds(found)) == ([], [])


def test_strangers_letters_that_fail_and_the_mailbox_come_from_the_store(world: World) -> None:
    world.new_game(factions=FEW)
    world.moderator.deliver(world.mail("guild", "bid 3", sender="eve@example.org"), world.now)
    with writing(world.engine) as conn:
        first = conn.execute(LETTER.select().limit(1)).one().id
        conn.execute(update(LETTER).where(LETTER.c.id == first).values(tries=2, error="451 later"))
        installation.note_failure(conn, "mailbox", world.now)
    found = desk_of(world)
    assert kinds(found) == ["aside", "failing", "mailbox"]
    assert found.matters[1].words == "451 later"
    assert found.matters[0].game == GAME


def test_the_desk_opens_no_game_and_asks_as_often_of_many_as_of_few(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count() -> int:
        asked: list[str] = []

        def note(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
            asked.append(statement)

        event.listen(world.engine, "before_cursor_execute", note)
        desk_of(world)
        event.remove(world.engine, "before_cursor_execute", note)
        return len(asked)

    world.new_game(factions=FEW)
    few = count()
    for number in range(12):
        world.new_game(factions=FEW, game=f"other-{number}")
    monkeypatch.setattr(games, "open_table", lambda *_: pytest.fail("a game was opened"))
    assert count() == few <= 24


def test_the_game_master_plays_by_whatever_address(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG)
    world.new_game(factions=FEW)
    with writing(world.engine) as conn:
        conn.execute(update(SEAT).where(SEAT.c.faction == "guild").values(address=GAME_MASTER.replace("@", "+dune@")))
    assert desk_of(world).games[0].own


# --- codes, press that was reported, tournaments ----------------------------------------------------------------------


def test_a_command_that_waits_for_its_code_is_named_by_its_first_word_alone(looked: Callable[..., Desk]) -> None:
    code = CodeAt("g", "rey@desk.example", "order", START, START + DAY)
    found = looked(START + HOUR, codes=[code])
    assert kinds(found) == ["code"]
    assert "rey@desk.example wrote “order” by mail Tue 26 Nov 20:00" in told(found)
    playing = looked(START + HOUR, codes=[code], seats=[SITS, replace(SITS, faction="fremen", address=GAME_MASTER)])
    assert playing.matters == []


def test_press_that_was_reported_lies_there_with_who_reported_it(looked: Callable[..., Desk]) -> None:
    shown = ReportedPress("g", ("guild", "fremen"), START)
    found = looked(START + HOUR, reported=[shown])
    assert [(matter.kind, matter.faction) for matter in found.matters] == [
        ("reported", "guild"),
        ("reported", "fremen"),
    ]
    assert "Guild reported a message" in told(found)
    playing = looked(START + HOUR, reported=[shown], seats=[replace(SITS, address=GAME_MASTER)])
    assert playing.matters == []


def test_what_a_tournament_waits_for_lies_there_too(tmp_path: Path) -> None:
    settings = make_settings(tmp_path)
    waiting = [
        EventMatter("protest", START, (1, 2), 7), EventMatter("draw", START), EventMatter("start", START, (1, 0)),
        EventMatter("close", START, (2, 0)), EventMatter("overdue", START, (1, 3)),
        EventMatter("held", START, (1, 3), game="g"),
    ]  # fmt: skip
    found = compile_desk(
        DeskRows(), NOTHING_KNOWN, START, settings, lambda _: False, [("cup", each) for each in waiting]
    )
    assert kinds(found) == ["protest", "draw", "start", "close", "overdue"]
    said = " ".join(told(found).split())
    for words in ("Protest 7 about the result of table 1.2", "`mentat tournament draw cup`",
                  "`mentat tournament start cup`", "`mentat tournament round cup 2 close`",
                  "`mentat tournament adjudicate cup 1.3`"):  # fmt: skip
        assert words in said


def test_a_game_master_who_has_entered_a_tournament_learns_nothing_of_its_desk(tmp_path: Path) -> None:
    cup = Cup(World.at(tmp_path))
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state="open", until=START - DAY)
    assert kinds(desk_of(cup.world)) == ["draw"]
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 3, address=GAME_MASTER)
    assert kinds(desk_of(cup.world)) == []
