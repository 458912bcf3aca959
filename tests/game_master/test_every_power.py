"""Each power is one transaction with one line in the act log. A failure leaves nothing behind, and a repeated command
acts once. Afterwards the game can still be replayed from its log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select

from bot.config import ForumSettings
from bot.desk import clocks, people, positions, powers, rights, seats, sight, speech
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.forum import desk
from bot.forum.watch import Watch, open_forum
from bot.games import proof
from bot.games.open_games import OpenGames, acts_of
from bot.mail.transport import Transport
from bot.moderator import moderator, seat_lines
from bot.store import forum_threads
from bot.store.database import reading, writing
from bot.store.forum_threads import OutgoingPost
from bot.store.games import every_table
from rules.components import FACTIONS
from tests.moderator.table import GAME, World, address_of

REY, DORA = "rey@elsewhere.example", "dora@elsewhere.example"
MISTYPED = "mistyped"
WHY = Use(why="for a test")


@dataclass(frozen=True)
class Power:
    """An example of a power.

    - ``use``: uses the power; ``before``: prepares the game for it.
    - ``why`` and ``words``: the power's line in the game's act log; ``why`` is None if there is no line.
    - ``told``: the recipients of letters, or None if they depend on the position.
    - ``subject``: the subject of these letters, if they all have the same.
    """

    use: Callable[[OpenGames, World], object]
    before: Callable[[OpenGames, World], object] = lambda open_games, world: None
    why: str | None = "for a test"
    words: str = ""
    told: set[str] | None = None
    subject: str = ""


def asked(world: World) -> Any:
    """Return the faction that must bid, or an arbitrary one if nobody must."""
    return next((question.faction for question in world.table().play.questions() if question.kind == "bid"), "guild")


def overdue(world: World) -> None:
    """Move the clock past the due time of this stop's bid, without processing the deadline."""
    [bid] = [deadline for key, deadline in world.table().deadlines.items() if key[1][1] == "bid"]
    world.now = bid.due + timedelta(minutes=1)


BY_HAND = "by-hand"


def in_forums(open_games: OpenGames, world: World) -> None:
    """Configure a forum in which a person posts by hand."""
    forums = {BY_HAND: ForumSettings(kind="paste", dialect="text")}
    open_games.settings = world.settings = world.settings.model_copy(update={"forums": forums})


def thread(open_games: OpenGames, world: World) -> None:
    in_forums(open_games, world)
    desk.open_thread(DeskRequest(open_games, GAME, world.now), BY_HAND)


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
    desk.hand_in_post(
        DeskRequest(open_games, GAME, world.now, WHY), lambda game, at: None, desk.PastedPost(asked(world), "!pass")
    )


def put_aside(world: World) -> None:
    """Quarantine a mail for the bidder's seat from a stranger's address."""
    raw = world.mail(asked(world), "pass", sender=DORA)
    assert world.moderator.deliver(raw, world.now).disposition == "rejected"


def sit_in(open_games: OpenGames, world: World) -> None:
    seats.set_sitter(DeskRequest(open_games, GAME, world.now, WHY), "guild", DORA, world.now + timedelta(days=9))


def watched_and_sat_in(open_games: OpenGames, world: World) -> None:
    """Add a sitter to this game who also observes another game."""
    sit_in(open_games, world)
    mistyped(open_games, world)
    sight.add_observer(DeskRequest(open_games, MISTYPED, world.now), DORA)


def mistyped(_open_games: OpenGames, world: World) -> None:
    world.new_game(game=MISTYPED)


def agreed(_open_games: OpenGames, world: World) -> None:
    """Let the person who was offered the game agree by mail."""
    to = str(world.newest(REY).message["Reply-To"])
    assert world.moderator.deliver(world.mail("guild", "confirm", sender=REY, to=to), world.now).disposition == "orders"


GUILD_ITSELF = address_of("guild")
EVERYBODY = {address_of(faction) for faction in FACTIONS}
GUILD = {address_of("guild")}
POWERS: dict[str, Power] = {
    "pause": Power(
        lambda g, w: clocks.pause(DeskRequest(g, GAME, w.now, WHY)),
        told=EVERYBODY,
        subject="The clocks are stopped",
    ),
    "resume": Power(
        lambda g, w: clocks.resume(DeskRequest(g, GAME, w.now, WHY)),
        lambda g, w: clocks.pause(DeskRequest(g, GAME, w.now)),
        told=EVERYBODY,
        subject="The clocks are running again",
    ),
    "hold": Power(
        lambda g, w: clocks.hold(DeskRequest(g, GAME, w.now, WHY)),
        told=EVERYBODY,
        subject="The game is on hold",
    ),
    "release": Power(
        lambda g, w: seat_lines.release_game(DeskRequest(g, GAME, w.now, WHY)),
        lambda g, w: clocks.hold(DeskRequest(g, GAME, w.now)),
        told=EVERYBODY,
        subject="The game goes on",
    ),
    "extend": Power(
        lambda g, w: clocks.extend(DeskRequest(g, GAME, w.now, WHY), 5),
        words="5 h",
        told=EVERYBODY,
        subject="More time",
    ),
    "clock": Power(
        lambda g, w: clocks.change_clock(DeskRequest(g, GAME, w.now, WHY), {"due_at": "20:30"}),
        words="due_at=20:30",
        told=EVERYBODY,
        subject="The clock of this game has changed",
    ),
    "remind": Power(
        lambda g, w: seats.remind_seat(DeskRequest(g, GAME, w.now, WHY), asked(w)),
        words="atreides",
    ),
    "bank": Power(
        lambda g, w: seats.change_bank(DeskRequest(g, GAME, w.now, WHY), "guild", 3),
        words="guild +3 h: 3 hours",
        told=GUILD,
        subject="Your time bank",
    ),
    "absent": Power(
        lambda g, w: seats.file_absence(DeskRequest(g, GAME, w.now, WHY), "guild", w.now + timedelta(days=9)),
        words="guild 2024-12-02 to 2024-12-11",
        told=EVERYBODY,
    ),
    "excuse": Power(
        lambda g, w: seats.excuse_seat(DeskRequest(g, GAME, w.now, WHY), "guild"),
        words="guild",
        told=GUILD,
        subject="Your missed deadlines are excused",
    ),
    "caretaker": Power(
        lambda g, w: seats.set_caretaker(DeskRequest(g, GAME, w.now, WHY), "guild", True),
        words="guild on",
        told=EVERYBODY,
        subject="The caretaker plays for Guild",
    ),
    "default": Power(
        lambda g, w: clocks.apply_default(DeskRequest(g, GAME, w.now, WHY), asked(w), "bid"),
        words="atreides bid",
        told=EVERYBODY,
    ),
    "process": Power(
        lambda g, w: clocks.process_overdue(DeskRequest(g, GAME, w.now, WHY)),
        lambda g, w: overdue(w),
        words="atreides bid",
        told=EVERYBODY,
    ),
    "order": Power(
        lambda g, w: seat_lines.order_for_seat(DeskRequest(g, GAME, w.now, WHY), asked(w), ["pass"]),
        words="atreides: pass",
    ),
    "position": Power(
        lambda g, w: positions.correct_facts(DeskRequest(g, GAME, w.now, WHY), ["spice guild +1"]),
        words="spice guild +1",
        told=EVERYBODY,
        subject="The position was corrected",
    ),
    "tell": Power(
        lambda g, w: speech.tell(DeskRequest(g, GAME, w.now, WHY), [], "Hello."),
        words="the table: Hello.",
        told=EVERYBODY,
        subject="From the game master",
    ),
    "ask": Power(
        lambda g, w: speech.ask(DeskRequest(g, GAME, w.now, WHY), "guild", "Why?"),
        words="guild: Why?",
        told=GUILD,
        subject="A question from the game master",
    ),
    "rule": Power(
        lambda g, w: speech.rule(DeskRequest(g, GAME, w.now, WHY), "So be it."),
        words="So be it.",
        told=EVERYBODY,
        subject="A ruling",
    ),
    "note": Power(
        lambda g, w: speech.note(DeskRequest(g, GAME, w.now, WHY), "Hm."),
        told=set(),
    ),
    "mute": Power(
        lambda g, w: speech.mute(DeskRequest(g, GAME, w.now, WHY), "guild"),
        words="guild",
        subject="who may write to others",
    ),
    "unmute": Power(
        lambda g, w: speech.unmute(DeskRequest(g, GAME, w.now, WHY), "guild"),
        lambda g, w: speech.mute(DeskRequest(g, GAME, w.now), "guild"),
        words="guild",
        subject="who may write to others",
    ),
    "press": Power(
        lambda g, w: speech.restrict_press(DeskRequest(g, GAME, w.now, WHY), "public"),
        words="open to public",
        told=EVERYBODY,
        subject="how you may write to each other",
    ),
    "predict": Power(
        lambda g, w: sight.predict_phase(DeskRequest(g, GAME, w.now, WHY)),
        words="1/bidding",
        told=set(),
    ),
    "preview": Power(
        lambda g, w: positions.preview_rollback(DeskRequest(g, GAME, w.now, WHY), 2),
        words="from turn 1, setup",
        told=set(),
    ),
    "blind": Power(
        lambda g, w: sight.play_blind(DeskRequest(g, GAME, w.now, WHY)),
        told=EVERYBODY,
        subject="The game is now played blind",
    ),
    "break-glass": Power(
        lambda g, w: sight.break_glass(DeskRequest(g, GAME, w.now, WHY)),
        lambda g, w: sight.play_blind(DeskRequest(g, GAME, w.now)),
        told=EVERYBODY,
        subject="A game master looked at sealed information",
    ),
    "rollback": Power(
        lambda g, w: positions.roll_back(DeskRequest(g, GAME, w.now, WHY), 2),
        words="to turn 1, setup: 2 of 6 entries kept",
        told=EVERYBODY,
    ),
    "undo": Power(
        lambda g, w: positions.undo_rollback(DeskRequest(g, GAME, w.now, WHY)),
        lambda g, w: positions.roll_back(DeskRequest(g, GAME, w.now), 2),
        words="back again: 4 entries",
        told=EVERYBODY,
    ),
    "replace": Power(
        lambda g, w: seats.replace_player(DeskRequest(g, GAME, w.now, WHY), "guild", DORA),
        words="guild: guild@players.example by dora@elsewhere.example",
        told={*EVERYBODY, DORA},
    ),
    "sitter": Power(
        sit_in,
        words="guild until 2024-12-11 20:00Z",
        told={*EVERYBODY, DORA},
    ),
    "sitter off": Power(
        lambda g, w: seats.remove_sitter(DeskRequest(g, GAME, w.now, WHY), "guild"),
        sit_in,
        words="guild off",
        told={*GUILD, DORA},
    ),
    "address": Power(
        lambda g, w: seats.move_seat(DeskRequest(g, GAME, w.now, WHY), "guild", DORA),
        words="guild: guild@players.example to dora@elsewhere.example",
        told={*GUILD, DORA},
    ),
    "freeze": Power(
        lambda g, w: seats.freeze_seat(DeskRequest(g, GAME, w.now, WHY), "guild"),
        words="guild",
        told=GUILD,
        subject="You have a new reply address",
    ),
    "resend": Power(
        lambda g, w: seats.resend_letters(DeskRequest(g, GAME, w.now, WHY), "guild"),
        words="guild",
        told=set(),
    ),
    "believe": Power(
        lambda g, w: moderator.believe_mail(DeskRequest(g, GAME, w.now, WHY), 1),
        lambda g, w: put_aside(w),
        words="atreides: mail 1",
        told={address_of("atreides"), address_of("bene-gesserit")},
    ),
    "observe": Power(
        lambda g, w: sight.add_observer(DeskRequest(g, GAME, w.now, WHY), DORA),
        words=DORA,
        told={DORA},
    ),
    "observe-full": Power(
        lambda g, w: sight.add_full_observer(DeskRequest(g, GAME, w.now, WHY), DORA, 2, FACTIONS),
        words=f"{DORA}, 2 turns late",
        told={*EVERYBODY, DORA},
    ),
    "unobserve": Power(
        lambda g, w: sight.remove_observer(DeskRequest(g, GAME, w.now, WHY), DORA),
        lambda g, w: sight.add_observer(DeskRequest(g, GAME, w.now), DORA),
        words=DORA,
        told=set(),
    ),
    "grant": Power(
        lambda g, w: rights.grant(DeskRequest(g, GAME, w.now, WHY), "clerk", REY),
        words=f"clerk to {REY}",
        told={REY},
    ),
    "revoke": Power(
        lambda g, w: rights.revoke(DeskRequest(g, GAME, w.now, WHY), REY),
        lambda g, w: rights.grant(DeskRequest(g, GAME, w.now), "clerk", REY),
        words=f"clerk of {REY}",
        told={REY},
    ),
    "handover": Power(
        lambda g, w: rights.hand_over(DeskRequest(g, GAME, w.now, WHY), REY),
        words=f"{REY} was asked",
        told={REY},
    ),
    "handover confirmed": Power(
        agreed,
        lambda g, w: rights.hand_over(DeskRequest(g, GAME, w.now, WHY), REY),
        why="",
        words="they direct it from now on",
        told={*EVERYBODY, REY},
    ),
    "ban": Power(
        lambda g, w: people.ban(DeskRequest(g, "", w.now, WHY), GUILD_ITSELF),
        words="guild",
        told=GUILD,
    ),
    "ban of a sitter": Power(
        lambda g, w: people.ban(DeskRequest(g, "", w.now, WHY), DORA),
        watched_and_sat_in,
        why=None,
        told={*GUILD, DORA},
    ),
    "unban": Power(
        lambda g, w: people.unban(DeskRequest(g, "", w.now, WHY), GUILD_ITSELF),
        lambda g, w: people.ban(DeskRequest(g, "", w.now), GUILD_ITSELF),
        words="guild",
        told=GUILD,
    ),
    "warn": Power(
        lambda g, w: people.warn(DeskRequest(g, "", w.now, WHY), DORA, "Keep to the tone."),
        why=None,
        told={DORA},
    ),
    "same": Power(
        lambda g, w: people.tie_persons(DeskRequest(g, "", w.now, WHY), GUILD_ITSELF, DORA),
        words="guild",
        told={*GUILD, DORA},
    ),
    "apart": Power(
        lambda g, w: people.part_persons(DeskRequest(g, "", w.now, WHY), GUILD_ITSELF),
        lambda g, w: people.tie_persons(DeskRequest(g, "", w.now), GUILD_ITSELF, DORA),
        words="guild",
        told=GUILD,
    ),
    "delete": Power(
        lambda g, w: people.delete_game(DeskRequest(g, MISTYPED, w.now, WHY)),
        mistyped,
        why=None,
        told=EVERYBODY,
    ),
    "forum-open": Power(
        lambda g, w: desk.open_thread(DeskRequest(g, GAME, w.now, WHY), BY_HAND),
        in_forums,
        words="by-hand",
        told=EVERYBODY,
        subject="This game has a thread in a forum",
    ),
    "forum-close": Power(
        lambda g, w: desk.close_thread(DeskRequest(g, GAME, w.now, WHY)),
        lambda g, w: thread(g, w),
        words="by-hand",
        told=EVERYBODY,
        subject="This game leaves the forum",
    ),
    "forum-link": Power(
        lambda g, w: desk.link_account(DeskRequest(g, GAME, w.now, WHY), "guild", name="edric", reason="so"),
        lambda g, w: thread(g, w),
        words="guild: edric (seat:guild)",
        told=GUILD,
        subject="Your account in the forum",
    ),
    "forum-paste": Power(
        lambda g, w: paste(g, w),
        lambda g, w: blocks(g, w),
        words="post of atreides, lines 1/1",
    ),
    "forum-repost": Power(
        lambda g, w: desk.retry_posts(DeskRequest(g, GAME, w.now, WHY), skip=True),
        lambda g, w: refused(g, w),
        words="post given up",
        told=set(),
    ),
    "last-turn": Power(
        lambda g, w: clocks.announce_last_turn(DeskRequest(g, GAME, w.now, WHY), 3),
        words="turn 3",
        told=EVERYBODY,
        subject="Turn 3 is the last",
    ),
    "end": Power(
        lambda g, w: clocks.end_game(DeskRequest(g, GAME, w.now, WHY), "void", ()),
        words="void",
        told=EVERYBODY,
    ),
    "end agreed": Power(
        lambda g, w: clocks.end_game(DeskRequest(g, GAME, w.now, WHY), "agreed", ("guild", "fremen")),
        words="agreed",
        told=EVERYBODY,
    ),
    "end adjudicated": Power(
        lambda g, w: clocks.end_game(DeskRequest(g, GAME, w.now, WHY), "adjudicated", ("guild",)),
        words="adjudicated",
        told=EVERYBODY,
    ),
}


def test_every_power_has_an_example() -> None:
    shown = {name.partition(" ")[0] for name in POWERS}
    assert set(powers.POWERS) - shown == set(), "add an example of each to POWERS in this file"
    assert shown - set(powers.POWERS) == set(), "data/desk-powers.toml does not declare these"


class Killed(BaseException):
    """Simulates the death of the process."""


@contextmanager
def killed_at(world: World, statement: int) -> Iterator[None]:
    """Kill the process before writing statement number `statement`, if there are that many."""
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
        return {table.name: [tuple(row) for row in conn.execute(select(table))] for table in every_table()}


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
    assert (world.written() > len(before["letter"])) == (power.told != set())
    again.engine.dispose()
    world.engine.dispose()


def test_a_game_that_is_over_takes_no_power_but_those_that_are_named(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.silent_game("bidding")
    open_games = world.moderator.open_games
    clocks.end_game(DeskRequest(open_games, GAME, world.now), "void", ())
    before = contents(world)
    for name, power in POWERS.items():
        if name == "delete" or name.startswith("forum-"):  # acts on another game, or needs a thread
            continue
        if not powers.POWERS[name.partition(" ")[0]].when_over:
            with pytest.raises(PowerRefused, match=r"is over; you can still|is finished and cannot be rolled back"):
                power.use(open_games, world)
    assert contents(world) == before
    world.engine.dispose()


@pytest.mark.parametrize("name", [name for name, power in POWERS.items() if power.told is not None])
def test_a_power_is_told_to_those_whom_it_concerns_and_its_reason_to_nobody(tmp_path: Path, name: str) -> None:
    world, power = World.at(tmp_path), POWERS[name]
    world.silent_game("bidding")
    power.before(world.moderator.open_games, world)
    before = world.written()
    power.use(world.moderator.open_games, world)
    letters = world.letters(after=before)
    assert {letter.recipient for letter in letters} == power.told
    assert all("for a test" not in letter.text + letter.html + letter.subject for letter in letters)
    world.engine.dispose()
