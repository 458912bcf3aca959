"""Tests that the record grows in the same transaction as the game and never loses a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import delete, select, update

from bot.desk import clocks
from bot.desk.positions import roll_back
from bot.desk.powers import DeskRequest, Use
from bot.desk.seats import move_seat
from bot.games import proof
from bot.record.lines import Act, AnyLine, Chain, Decided, Drawn, End, Head, Told, decode, digest
from bot.record.reader import NotARecord, difference_from_rules, read_record, read_running_record
from bot.store import games
from bot.store import record as record_parts
from bot.store.archive import full_record, record_lines
from bot.store.database import pack, reading, unpack, writing
from bot.store.tables import EVENT, RECORD_PART, SNAPSHOT
from bot.store.tables import GAME as GAME_TABLE
from rules.components import Faction
from tests.moderator.table import GAME, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path)
    yield made
    made.engine.dispose()


def raw(world: World, game: str = GAME) -> bytes:
    with reading(world.engine) as conn:
        return record_lines(conn, game)


def lines(world: World) -> list[AnyLine]:
    return [decode(line) for line in raw(world).splitlines()]


def verified(world: World, game: str = GAME) -> str:
    with reading(world.engine) as conn:
        return proof.verify(proof.full_record(conn, game)).difference


def play_on(world: World, hours: int = 24, most: int = 400) -> None:
    for _ in range(most):
        if not world.wait(hours):
            return


def test_a_game_that_is_over_has_a_record_that_proves_it(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW, max_turns=2)
    world.silence_until("bidding")
    world.say("guild", "bid 1")
    play_on(world)
    found = read_record(raw(world))
    assert difference_from_rules(found) == ""
    assert isinstance(found.lines[0], Head)
    assert isinstance(found.lines[-1], End)
    assert {type(line) for line in found.lines} >= {Decided, Drawn, Told}
    assert verified(world) == ""
    with reading(world.engine) as conn:
        begun = games.game_start(conn, GAME)
        told = games.event_data(conn, GAME)
    assert (begun.head, begun.lines) == (found.chain_head, len(found.lines))
    assert sum(isinstance(line, Told) for line in found.lines) == len(told)


def test_a_save_adds_one_row_whole_lines_and_changes_none(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    before: list[tuple[int, bytes]] = []
    for _ in range(30):
        world.another_process()
        world.wait(24)
        with reading(world.engine) as conn:
            rows = [(row.first, row.data) for row in conn.execute(select(RECORD_PART).order_by(RECORD_PART.c.first))]
        assert rows[: len(before)] == before
        assert all(unpack(data).endswith(b"\n") for _, data in rows)
        before = rows
    assert len(before) > 10
    assert verified(world) == ""


def test_a_rollback_adds_a_line_and_what_was_undone_stays(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW, max_turns=1)
    world.silence_until("bidding")
    entries = world.table().entries
    world.say("guild", "bid 1")
    world.say("harkonnen", "pass")
    before = raw(world)
    why = Use(why="Ann <ann@example.org> asked for it")
    roll_back(DeskRequest(world.moderator.open_games, GAME, world.now, why), entries)
    after = raw(world)
    assert after.startswith(before)
    act = decode(after[len(before) :].splitlines()[0])
    assert isinstance(act, Act)
    assert (act.what, act.entries, act.why) == ("rollback", entries, "Ann <(address)> asked for it")
    assert len(after.splitlines()) == len(before.splitlines()) + 1
    assert verified(world) == ""
    play_on(world)
    assert difference_from_rules(read_record(raw(world))) == ""
    assert verified(world) == ""


def test_acts_are_lines_without_persons(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    open_games, seat = world.moderator.open_games, world.table().seats["guild"]
    clocks.pause(DeskRequest(open_games, GAME, world.now, Use(why=f"{seat.name} ({seat.address}) moves house")))
    clocks.resume(DeskRequest(open_games, GAME, world.now))
    clocks.extend(DeskRequest(open_games, GAME, world.now, Use(why="a feast")), 5)
    move_seat(DeskRequest(open_games, GAME, world.now), "guild", "other@elsewhere.example")
    acts = [(line.what, line.why) for line in lines(world) if isinstance(line, Act)]
    assert acts == [("pause", "guild (guild) moves house"), ("resume", ""), ("extend", "5 h: a feast"),
                    ("address", "guild")]  # fmt: skip
    assert b"@" not in raw(world)
    assert verified(world) == ""


def test_a_held_game_adds_nothing(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    world.silence_until("bidding")
    before = raw(world)
    with writing(world.engine) as conn:
        games.mark_checked(conn, GAME, "other rules", holds=False)
    world.say("guild", "bid 1")
    assert raw(world) == before


# --- damaged records -----------------------------------------------------------------------------------------------


def _parts(world: World) -> list[int]:
    with reading(world.engine) as conn:
        return list(conn.scalars(select(RECORD_PART.c.first).order_by(RECORD_PART.c.first)))


@pytest.fixture
def some(world: World) -> World:
    world.new_game("wbc-2018", factions=FEW)
    world.silence_until("bidding")
    world.say("guild", "bid 1")
    return world


def test_a_part_that_is_missing_is_named_by_its_line(some: World) -> None:
    first, after = _parts(some)[3:5]
    with writing(some.engine) as conn:
        conn.execute(delete(RECORD_PART).where(RECORD_PART.c.first == first))
    assert verified(some) == (
        f"The record that was kept does not hold. Line {first + 1}: it is not in the database; what comes next there "
        f"is line {after + 1}."
    )


def test_the_last_part_missing_is_noticed(some: World) -> None:
    last, count = _parts(some)[-1], len(raw(some).splitlines())
    with writing(some.engine) as conn:
        conn.execute(delete(RECORD_PART).where(RECORD_PART.c.first == last))
    expected = f"Line {last + 1} is missing: there should be {count} lines and there are {last}."
    assert verified(some).endswith(expected)


def test_a_part_that_was_cut_is_noticed(some: World) -> None:
    first = _parts(some)[3]
    with writing(some.engine) as conn:
        data = conn.scalars(select(RECORD_PART.c.data).where(RECORD_PART.c.first == first)).one()
        conn.execute(update(RECORD_PART).where(RECORD_PART.c.first == first).values(data=data[:-9]))
    assert f"Line {first + 1}: it cannot be read" in verified(some)


def test_a_changed_line_is_noticed_where_the_next_one_names_it(some: World) -> None:
    first = _parts(some)[3]
    with writing(some.engine) as conn:
        data = unpack(conn.scalars(select(RECORD_PART.c.data).where(RECORD_PART.c.first == first)).one())
        changed = data.replace(b'"turn":1', b'"turn":9', 1)
        assert changed != data
        conn.execute(update(RECORD_PART).where(RECORD_PART.c.first == first).values(data=pack(changed)))
    assert f"Line {first + 2}: the chain is broken" in verified(some)


def test_a_record_that_says_something_else_than_the_log_is_noticed(some: World) -> None:
    """A valid chain does not hide the change."""
    old = lines(some)
    place, line = next((n, line) for n, line in enumerate(old) if isinstance(line, Told) and line.event.turn == 1)
    chain = Chain(some.table().seed)
    old[place] = replace(line, event=replace(line.event, kind="told-otherwise"))
    made = [chain.add(line) for line in old]
    with writing(some.engine) as conn:
        conn.execute(delete(RECORD_PART))
        conn.execute(RECORD_PART.insert(), {"game_id": GAME, "first": 0, "data": pack(b"\n".join(made) + b"\n")})
        conn.execute(update(GAME_TABLE).values(record_head=digest(made[-1])))
    assert f"Line {place + 1} should be" in verified(some)


def chained_anew(world: World, kept: list[AnyLine], seed: str = "") -> None:
    """Replace the stored lines with others whose chain is valid."""
    chain = Chain(seed or world.table().seed)
    made = b"".join(chain.add(line) + b"\n" for line in kept)
    with writing(world.engine) as conn:
        conn.execute(delete(RECORD_PART))
        conn.execute(RECORD_PART.insert(), {"game_id": GAME, "first": 0, "data": pack(made)})
        conn.execute(update(GAME_TABLE).values(record_head=chain.head, record_lines=chain.lines))


def test_a_record_that_begins_otherwise_than_its_game_is_noticed(some: World) -> None:
    head, *others = lines(some)
    assert isinstance(head, Head)
    chained_anew(some, [replace(head, options={"max_turns": 3}), *others])
    found = verified(some)
    assert (
        "does not hold. Line 1 says that the game was begun with ('sietch-12', 'wbc-2018', {'max_turns': 3}, " in found
    )
    chained_anew(some, [head, *others])
    assert verified(some) == ""


def test_a_record_whose_salts_are_those_of_another_seed_is_noticed(some: World) -> None:
    chained_anew(some, lines(some), "another seed")
    assert re.search(r"does not hold\. Line 1 should have the salt \w+ and has \w+\.$", verified(some))


def test_the_record_of_a_game_that_is_over_ends_with_its_end(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    *kept, last = lines(world)
    assert isinstance(last, End)
    chained_anew(world, kept)
    why = f"Line {len(kept) + 1} is missing: the game is over, and the end should be there."
    assert verified(world) == f"The record that was kept does not hold. {why}"


def test_every_snapshot_has_a_head_that_is_the_digest_of_a_line(some: World) -> None:
    play_on(some, most=120)
    digests = [digest(line) for line in raw(some).splitlines()]
    with reading(some.engine) as conn:
        rows = conn.execute(select(SNAPSHOT.c.head, SNAPSHOT.c.events).order_by(SNAPSHOT.c.number)).all()
    places = [digests.index(row.head) for row in rows]
    assert places == sorted(places)
    assert len(set(places)) == len(places)
    events = [line.event.number if isinstance(line, Told) else -1 for line in lines(some)]
    for place, row in zip(places, rows, strict=True):
        assert max(events[: place + 1]) == row.events - 1
    assert read_running_record(raw(some))


def test_a_rollback_of_a_game_that_the_rules_lead_elsewhere_goes_back_to_before_that(some: World) -> None:
    """This happens when a ruling has been corrected and the game master rolls back the held game."""
    old, entries = lines(some), some.table().entries
    place = max(n for n, line in enumerate(old) if isinstance(line, Told) and line.event.turn == 1)
    since = sum(isinstance(line, Decided) for line in old[:place]) - 1
    told = old[place]
    assert isinstance(told, Told)
    old[place] = replace(told, event=replace(told.event, kind="told-otherwise"))
    chain = Chain(some.table().seed)
    made = [chain.add(line) for line in old]
    with writing(some.engine) as conn:
        conn.execute(delete(RECORD_PART))
        conn.execute(RECORD_PART.insert(), {"game_id": GAME, "first": 0, "data": pack(b"\n".join(made) + b"\n")})
        conn.execute(update(GAME_TABLE).values(record_head=digest(made[-1])))
        games.mark_checked(conn, GAME, "other rules", holds=False)
    roll_back(DeskRequest(some.moderator.open_games, GAME, some.now), entries)
    acts = [line for line in lines(some) if isinstance(line, Act)]
    assert [(act.what, act.entries) for act in acts] == [("rollback", since)]
    assert verified(some) == ""
    some.wait(24)
    assert verified(some) == ""


def test_the_file_that_all_get_at_the_end_has_the_words_of_deals_that_were_made_and_of_no_other(world: World) -> None:
    world.new_game("ah-basic", factions=FEW)
    world.silence_until("movement")
    world.say("guild", "deal with harkonnen: leave me Carthag")
    world.say("harkonnen", "accept")
    world.say("guild", "deal with harkonnen: meet me at the back door; I pay 1")
    world.say("atreides", "deal with harkonnen: leave  me Carthag")
    world.say("atreides", "deal with guild: leave me Carthag")
    with reading(world.engine) as conn:
        told = json.loads(full_record(conn, GAME).as_json())
    orders = [(entry["faction"], order) for entry in told["log"] for order in entry.get("orders", ())]
    made = [(who, order["faction"], order["text"]) for who, order in orders if order["type"] == "Deal"]
    unsaid = "(between these two)"
    assert made == [
        ("guild", "harkonnen", "leave me Carthag"),
        ("guild", "harkonnen", unsaid),
        ("atreides", "harkonnen", unsaid),
        ("atreides", "guild", unsaid),
    ]
    facts = [event["facts"] for event in told["events"] if event["kind"] == "offer-made"]
    assert [(each["giver"], each["receiver"], each["text"]) for each in facts] == made
    assert [event["facts"]["text"] for event in told["events"] if event["kind"] == "deal-made"] == ["leave me Carthag"]


# --- games from an older Mentat ------------------------------------------------------------------------------------


def as_of_an_older_mentat(world: World) -> None:
    """Delete the stored record."""
    with writing(world.engine) as conn:
        conn.execute(delete(RECORD_PART))
        conn.execute(update(GAME_TABLE).values(record_head="", record_lines=0))
    world.moderator.open_games.forget()


def test_the_record_of_an_older_mentats_game_has_what_was_done_to_it_in_its_place(some: World) -> None:
    open_games = some.moderator.open_games
    some.now += timedelta(minutes=1)
    clocks.extend(DeskRequest(open_games, GAME, some.now, Use(why="a feast")), 5)
    some.wait(30)
    some.now += timedelta(minutes=1)
    clocks.extend(DeskRequest(open_games, GAME, some.now, Use(why="another")), 6)
    before = [line for line in lines(some) if isinstance(line, Act | Decided)]
    as_of_an_older_mentat(some)
    again = [line for line in lines(some) if isinstance(line, Act | Decided)]
    told = [line.what if isinstance(line, Act) else line.n for line in again]
    assert told == [line.what if isinstance(line, Act) else line.n for line in before]
    assert [(line.what, line.why) for line in again if isinstance(line, Act)] == [
        ("extend", "5 h: a feast"),
        ("extend", "6 h: another"),
    ]
    assert [line.day for line in again] == [line.day for line in before]


def test_the_record_of_an_older_mentats_finished_game_is_kept_by_whoever_writes(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW, max_turns=1)
    play_on(world)
    as_of_an_older_mentat(world)
    made = raw(world)
    assert difference_from_rules(read_record(made)) == ""
    with reading(world.engine) as conn:
        assert games.game_start(conn, GAME).head == "", "who reads writes nothing"
    with writing(world.engine) as conn:
        assert record_lines(conn, GAME) == made
    with reading(world.engine) as conn:
        begun = games.game_start(conn, GAME)
    assert (begun.head, begun.lines) == (digest(made.splitlines()[-1]), len(made.splitlines()))
    assert raw(world) == made
    assert verified(world) == ""


def test_an_older_mentats_game_that_comes_out_otherwise_today_has_no_record(some: World) -> None:
    as_of_an_older_mentat(some)
    with writing(some.engine) as conn:
        row = conn.execute(select(EVENT.c.number, EVENT.c.data).where(EVENT.c.number == 3)).one()
        changed = unpack(row.data).replace(b'"kind":"', b'"kind":"not-', 1)
        conn.execute(update(EVENT).where(EVENT.c.number == 3).values(data=pack(changed)))
    with pytest.raises(NotARecord) as refused:
        raw(some)
    assert str(refused.value) == f"event 3 of {GAME} comes out differently under today's rules"


def test_what_is_done_to_a_game_that_is_over_is_no_line_of_its_record(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW, max_turns=1)
    play_on(world)
    before = raw(world)
    with world.moderator.open_games.transaction(GAME) as (conn, table):
        record_parts.add_act_line(conn, table, "warn", "guild", world.now)
    assert raw(world) == before
    assert isinstance(lines(world)[-1], End)


def test_of_a_game_of_an_older_mentat_that_is_rolled_back_the_record_begins_with_its_head(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    play_on(world, most=3)
    with writing(world.engine) as conn:
        conn.execute(delete(RECORD_PART))
        conn.execute(update(GAME_TABLE).values(record_head="", record_lines=0))
    entries = world.table().entries
    world.moderator.open_games.forget()
    roll_back(DeskRequest(world.moderator.open_games, GAME, world.now, Use(why="wrong")), entries - 1)
    assert isinstance(lines(world)[0], Head)
    assert verified(world) == ""
    play_on(world, most=2)
    assert isinstance(lines(world)[0], Head)
    assert verified(world) == ""
