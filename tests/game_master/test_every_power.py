"""Each power is one transaction with one line in the act log: whatever breaks in it leaves nothing behind, and the same
command given again does it once. The game still plays from its log afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select
from sqlmodel import SQLModel

from bot.config import ForumSettings
from bot.desk import clocks, ending, people, positions, registry, rights, seats, sight, speech
from bot.desk.powers import PowerRefused, Use
from bot.forum import desk
from bot.forum.watch import Watch, open_forum
from bot.games import proof
from bot.games.open_games import OpenGames, acts_of
from bot.mail.transport import Transport
from bot.moderator import seat_lines
from bot.store import forum_threads
from bot.store.database import reading, writing
from bot.store.forum_threads import OutgoingPost
from rules.components import FACTIONS
from tests.moderator.table import GAME, World, address_of

REY, DORA = "rey@elsewhere.example", "dora@elsewhere.example"
MISTYPED = "mistyped"
WHY = Use(why="for a test")


@dataclass(frozen=True)
class Power:
    """What is done first, so that the power can be used; the power; whether somebody is told; and what the act log of
    the game has of it: the reason, None where it is about nobody who sits there."""

    use: Callable[[OpenGames, World], object]
    before: Callable[[OpenGames, World], object] = lambda open_games, world: None
    told: bool = True
    why: str | None = "for a test"


def asked(world: World) -> Any:
    """Who is to bid; in a game that is over somebody."""
    return next((question.faction for question in world.table().play.questions() if question.kind == "bid"), "guild")


def overdue(world: World) -> None:
    """The bid of this stop was due, and no deadline has passed yet."""
    [bid] = [deadline for key, deadline in world.table().deadlines.items() if key[1][1] == "bid"]
    world.now = bid.due + timedelta(minutes=1)


BY_HAND = "by-hand"


def in_forums(open_games: OpenGames, world: World) -> None:
    """There is a forum in which a person posts by hand."""
    forums = {BY_HAND: ForumSettings(kind="paste", dialect="text")}
    open_games.settings = world.settings = world.settings.model_copy(update={"forums": forums})


def thread(open_games: OpenGames, world: World) -> None:
    in_forums(open_games, world)
    desk.open_thread(open_games, GAME, BY_HAND, world.now)


def blocks(open_games: OpenGames, world: World) -> None:
    thread(open_games, world)
    Watch(
        open_games, {BY_HAND: open_forum(BY_HAND, world.settings, world.engine, no_transport)}, lambda game, at: None
    ).post(world.now)


def no_transport() -> Transport:
    raise AssertionError("nothing is mailed to a list here")


def refused(open_games: OpenGames, world: World) -> None:
    thread(open_games, world)
    with writing(world.engine) as conn:
        forum_threads.add_outgoing(conn, OutgoingPost(GAME, "post", "key", world.now, text="What has happened"))


def paste(open_games: OpenGames, world: World) -> None:
    in_forums(open_games, world)
    desk.hand_in_post(open_games, lambda game, at: None, GAME, desk.PastedPost(asked(world), "!pass"), world.now, WHY)


def sit_in(open_games: OpenGames, world: World) -> None:
    seats.set_sitter(open_games, GAME, "guild", DORA, world.now + timedelta(days=9), world.now, use=WHY)


def watched_and_sat_in(open_games: OpenGames, world: World) -> None:
    """Somebody sits in for a player here, and observes another game."""
    sit_in(open_games, world)
    mistyped(open_games, world)
    sight.add_observer(open_games, MISTYPED, DORA, world.now)


def mistyped(_open_games: OpenGames, world: World) -> None:
    world.new_game(game=MISTYPED)


def agreed(_open_games: OpenGames, world: World) -> None:
    """Whoever was asked to take the game over answers with their code."""
    to = str(world.newest(REY).message["Reply-To"])
    assert world.moderator.deliver(world.mail("guild", "confirm", sender=REY, to=to), world.now).disposition == "orders"


GUILD_ITSELF = address_of("guild")
POWERS: dict[str, Power] = {
    "pause": Power(lambda g, w: clocks.pause(g, GAME, w.now, WHY)),
    "resume": Power(lambda g, w: clocks.resume(g, GAME, w.now, WHY), lambda g, w: clocks.pause(g, GAME, w.now)),
    "hold": Power(lambda g, w: clocks.hold(g, GAME, w.now, WHY)),
    "release": Power(
        lambda g, w: seat_lines.release_game(g, GAME, w.now, WHY), lambda g, w: clocks.hold(g, GAME, w.now)
    ),
    "extend": Power(lambda g, w: clocks.extend(g, GAME, 5, w.now, WHY)),
    "clock": Power(lambda g, w: clocks.change_clock(g, GAME, {"due_at": "20:30"}, w.now, WHY)),
    "remind": Power(lambda g, w: seats.remind_seat(g, GAME, asked(w), w.now, WHY)),
    "bank": Power(lambda g, w: seats.change_bank(g, GAME, "guild", 3, w.now, WHY)),
    "excuse": Power(lambda g, w: seats.excuse_seat(g, GAME, "guild", w.now, WHY)),
    "caretaker": Power(lambda g, w: seats.set_caretaker(g, GAME, "guild", True, w.now, WHY)),
    "default": Power(lambda g, w: clocks.apply_default(g, GAME, asked(w), "bid", w.now, WHY)),
    "process": Power(lambda g, w: clocks.process_overdue(g, GAME, w.now, WHY), lambda g, w: overdue(w)),
    "order": Power(lambda g, w: seat_lines.order_for_seat(g, GAME, asked(w), ["pass"], w.now, WHY)),
    "position": Power(lambda g, w: positions.correct_facts(g, GAME, ["spice guild +1"], w.now, WHY)),
    "tell": Power(lambda g, w: speech.tell(g, GAME, [], "Hello.", w.now, WHY)),
    "ask": Power(lambda g, w: speech.ask(g, GAME, "guild", "Why?", w.now, WHY)),
    "rule": Power(lambda g, w: speech.rule(g, GAME, "So be it.", w.now, WHY)),
    "note": Power(lambda g, w: speech.note(g, GAME, "Hm.", w.now, WHY), told=False),
    "mute": Power(lambda g, w: speech.mute(g, GAME, "guild", w.now, WHY)),
    "unmute": Power(
        lambda g, w: speech.unmute(g, GAME, "guild", w.now, WHY), lambda g, w: speech.mute(g, GAME, "guild", w.now)
    ),
    "press": Power(lambda g, w: speech.restrict_press(g, GAME, "public", w.now, WHY)),
    "predict": Power(lambda g, w: sight.predict_phase(g, GAME, w.now, WHY), told=False),
    "preview": Power(lambda g, w: positions.preview_rollback(g, GAME, 2, w.now, WHY), told=False),
    "blind": Power(lambda g, w: sight.play_blind(g, GAME, w.now, WHY)),
    "break-glass": Power(
        lambda g, w: sight.break_glass(g, GAME, w.now, WHY), lambda g, w: sight.play_blind(g, GAME, w.now)
    ),
    "rollback": Power(lambda g, w: positions.roll_back(g, GAME, 2, w.now, WHY)),
    "undo": Power(
        lambda g, w: positions.undo_rollback(g, GAME, w.now, WHY), lambda g, w: positions.roll_back(g, GAME, 2, w.now)
    ),
    "replace": Power(lambda g, w: seats.replace_player(g, GAME, "guild", DORA, w.now, use=WHY)),
    "sitter": Power(sit_in),
    "sitter off": Power(lambda g, w: seats.remove_sitter(g, GAME, "guild", w.now, WHY), sit_in),
    "address": Power(lambda g, w: seats.move_seat(g, GAME, "guild", DORA, w.now, WHY)),
    "freeze": Power(lambda g, w: seats.freeze_seat(g, GAME, "guild", w.now, WHY)),
    "observe": Power(lambda g, w: sight.add_observer(g, GAME, DORA, w.now, WHY)),
    "observe-full": Power(lambda g, w: sight.add_full_observer(g, GAME, DORA, w.now, WHY, 2, FACTIONS)),
    "unobserve": Power(
        lambda g, w: sight.remove_observer(g, GAME, DORA, w.now, WHY),
        lambda g, w: sight.add_observer(g, GAME, DORA, w.now),
        told=False,
    ),
    "grant": Power(lambda g, w: rights.grant(g, GAME, "clerk", REY, w.now, WHY)),
    "revoke": Power(
        lambda g, w: rights.revoke(g, GAME, REY, w.now, WHY), lambda g, w: rights.grant(g, GAME, "clerk", REY, w.now)
    ),
    "handover": Power(lambda g, w: rights.hand_over(g, GAME, REY, w.now, WHY)),
    "handover confirmed": Power(agreed, lambda g, w: rights.hand_over(g, GAME, REY, w.now, WHY), why=""),
    "ban": Power(lambda g, w: people.ban(g, GUILD_ITSELF, w.now, WHY)),
    "ban of a sitter": Power(lambda g, w: people.ban(g, DORA, w.now, WHY), watched_and_sat_in, why=None),
    "unban": Power(
        lambda g, w: people.unban(g, GUILD_ITSELF, w.now, WHY), lambda g, w: people.ban(g, GUILD_ITSELF, w.now)
    ),
    "warn": Power(lambda g, w: people.warn(g, DORA, "Keep to the tone.", w.now, WHY), why=None),
    "delete": Power(lambda g, w: people.delete_game(g, MISTYPED, w.now, WHY), mistyped, why=None),
    "forum-open": Power(lambda g, w: desk.open_thread(g, GAME, BY_HAND, w.now, WHY), in_forums),
    "forum-close": Power(lambda g, w: desk.close_thread(g, GAME, w.now, WHY), lambda g, w: thread(g, w)),
    "forum-link": Power(
        lambda g, w: desk.link_account(g, GAME, "guild", w.now, WHY, name="edric", reason="so"),
        lambda g, w: thread(g, w),
    ),
    "forum-paste": Power(lambda g, w: paste(g, w), lambda g, w: blocks(g, w)),
    "forum-repost": Power(
        lambda g, w: desk.retry_posts(g, GAME, w.now, WHY, skip=True), lambda g, w: refused(g, w), told=False
    ),
    "last-turn": Power(lambda g, w: ending.announce_last_turn(g, GAME, 3, w.now, WHY)),
    "end": Power(lambda g, w: ending.end_game(g, GAME, "void", (), w.now, WHY)),
    "end agreed": Power(lambda g, w: ending.end_game(g, GAME, "agreed", ("guild", "fremen"), w.now, WHY)),
    "end adjudicated": Power(lambda g, w: ending.end_game(g, GAME, "adjudicated", ("guild",), w.now, WHY)),
}


class Killed(BaseException):
    """The process dies here."""


@contextmanager
def killed_at(world: World, statement: int) -> Iterator[None]:
    """The process dies before the so many-th writing statement, if there is one."""
    count = 0

    def die(_conn: object, _cursor: object, sql: str, *_: object) -> None:
        nonlocal count
        if sql.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE")):
            count += 1
            if count == statement:
                raise Killed

    event.listen(world.engine, "before_cursor_execute", die)
    try:
        yield
    finally:
        event.remove(world.engine, "before_cursor_execute", die)


def contents(world: World) -> dict[str, list[Any]]:
    with reading(world.engine) as conn:
        return {
            table.name: [tuple(row) for row in conn.execute(select(table))] for table in SQLModel.metadata.sorted_tables
        }


@pytest.mark.parametrize("name", POWERS)
def test_a_power_happens_whole_or_not_at_all(tmp_path: Path, name: str) -> None:
    world, power = World.at(tmp_path), POWERS[name]
    world.silent_game("bidding")
    power.before(world.moderator.open_games, world)
    with reading(world.engine) as conn:
        before_acts = acts_of(conn, GAME)
    before, statement = contents(world), 0
    while True:
        statement += 1
        again = world.another_process()
        try:
            with killed_at(again, statement):
                power.use(again.moderator.open_games, again)
            break
        except Killed:
            assert contents(world) == before
            again.engine.dispose()
    with reading(again.engine) as conn:
        acts = acts_of(conn, GAME)
        if power.why is None:
            assert acts == before_acts
        else:
            assert (acts[-1].what, acts[-1].why) == (name.partition(" ")[0], power.why)
            assert acts[:-1] == before_acts
        assert proof.verify(proof.full_record(conn, GAME)).holds
    assert statement > 1
    assert (world.written() > len(before["letter"])) == power.told
    again.engine.dispose()
    world.engine.dispose()


def test_a_game_that_is_over_takes_no_power_but_those_that_are_named(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.silent_game("bidding")
    open_games = world.moderator.open_games
    ending.end_game(open_games, GAME, "void", (), world.now)
    before = contents(world)
    for name, power in POWERS.items():
        if name == "delete" or name.startswith("forum-"):  # of another game, or of a thread that must be there
            continue
        if not registry.POWERS[name.partition(" ")[0]].when_over:
            with pytest.raises(PowerRefused, match=r"is over; you can still|is finished and cannot be rolled back"):
                power.use(open_games, world)
    assert contents(world) == before
    world.engine.dispose()


EVERYBODY = {address_of(faction) for faction in FACTIONS}
GUILD = {address_of("guild")}
TOLD: dict[str, set[str]] = {
    **dict.fromkeys(("pause", "resume", "hold", "extend", "clock", "position", "tell", "rule", "blind", "break-glass",
                     "rollback", "undo", "last-turn", "end", "press", "caretaker", "default", "process",
                     "release", "forum-open", "forum-close", "end agreed", "end adjudicated", "delete"), EVERYBODY),
    **dict.fromkeys(("forum-link", "bank", "excuse", "ask", "freeze", "ban", "unban"), GUILD),
    **{key: set() for key in ("note", "predict", "preview", "unobserve", "forum-repost")},
    **{key: {REY} for key in ("grant", "revoke", "handover")},
    "sitter": {*EVERYBODY, DORA}, "sitter off": {*GUILD, DORA}, "ban of a sitter": {*GUILD, DORA}, "warn": {DORA},
    "handover confirmed": {*EVERYBODY, REY},
    "observe": {DORA}, "observe-full": {*EVERYBODY, DORA}, "address": {*GUILD, DORA}, "replace": {*EVERYBODY, DORA},
}  # fmt: skip
"""To whom each power writes; ``remind`` and ``order`` to the seat in question, ``mute`` to its seat and its table."""


@pytest.mark.parametrize("name", TOLD)
def test_a_power_is_told_to_those_whom_it_concerns_and_its_reason_to_nobody(tmp_path: Path, name: str) -> None:
    world, power = World.at(tmp_path), POWERS[name]
    world.silent_game("bidding")
    power.before(world.moderator.open_games, world)
    before = world.written()
    power.use(world.moderator.open_games, world)
    letters = world.letters(after=before)
    assert {letter.recipient for letter in letters} == TOLD[name]
    assert all("for a test" not in letter.text + letter.html + letter.subject for letter in letters)
    world.engine.dispose()
