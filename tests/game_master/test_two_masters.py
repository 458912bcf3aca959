"""Two directors of a game who write in the same second: their commands are carried out one after the other, and each
is told the result."""

from __future__ import annotations

from collections.abc import Callable
from threading import Barrier, Thread

import pytest

from bot.desk import clocks, rights
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.games import proof
from bot.moderator.moderator import Moderator
from bot.store.acts import acts_of, right_of
from bot.store.database import open_database, reading
from tests.moderator.table import GAME, World

REY, ANN = "rey@elsewhere.example", "ann@elsewhere.example"


@pytest.fixture
def bidding(world: World) -> World:
    """Start a game with two directors and play to its first auction."""
    world.silent_game("bidding")
    for address in (REY, ANN):
        rights.grant(DeskRequest(world.moderator.open_games, GAME, world.now), "director", address)
    return world


def desk_of(world: World, address: str) -> str:
    with reading(world.engine) as conn:
        own = right_of(conn, address, game_id=GAME)
    assert own
    return f"mentat+{own.token}@arrakis.example"


def mails(world: World, *said: tuple[str, str]) -> list[bytes]:
    """Return one mail per pair of address and lines, all made before any is delivered."""
    return [
        world.mail("guild", *lines.split(" / "), sender=address, to=desk_of(world, address)) for address, lines in said
    ]


def taken(world: World, raws: list[bytes]) -> None:
    """Deliver all mails at once."""
    for raw in raws:
        assert world.moderator.deliver(raw, world.now).disposition == "orders"


def told(world: World, address: str) -> str:
    return " ".join(world.newest(address).text.split())


def acts(world: World) -> list[tuple[str, str, str]]:
    with reading(world.engine) as conn:
        return [(act.what, act.who, act.words) for act in acts_of(conn, game_id=GAME) if act.what != "grant"]


def proved(world: World) -> None:
    with reading(world.engine) as conn:
        assert proof.verify(proof.full_record(conn, GAME)).difference == ""


def test_the_second_of_two_that_contradict_each_other_finds_the_game_as_the_first_left_it(bidding: World) -> None:
    taken(bidding, mails(bidding, (REY, "pause"), (ANN, "pause / resume")))
    assert bidding.table().stopped_at is None
    assert acts(bidding) == [("pause", REY, ""), ("resume", ANN, "")]
    assert "The clocks are stopped." in told(bidding, REY)
    assert "pause Not done:" in told(bidding, ANN)
    assert "The clocks are running again." in told(bidding, ANN)
    proved(bidding)


@pytest.mark.parametrize("first", [REY, ANN])
def test_of_two_contrary_orders_for_a_seat_the_first_that_is_confirmed_is_given(bidding: World, first: str) -> None:
    seat = next(question.faction for question in bidding.table().play.questions() if question.kind == "bid")
    said = {REY: f"why: a slip / order {seat}: bid 1", ANN: f"why: a mistake / order {seat}: pass"}
    taken(bidding, mails(bidding, *said.items()))
    codes = {
        address: next(str(each.message["Reply-To"]) for each in bidding.letters(address) if "confirm" in each.subject)
        for address in said
    }
    second = ANN if first == REY else REY
    raws = [bidding.mail("guild", "confirm", sender=each, to=codes[each]) for each in (first, second)]
    entries = bidding.table().entries
    taken(bidding, raws)
    [act] = acts(bidding)
    assert act[:2] == ("order", first)
    assert bidding.table().entries > entries
    assert "ACCEPTED" in told(bidding, first).upper()
    assert "Not done: the game has gone on since you wrote the command." in told(bidding, second)
    proved(bidding)


def test_the_place_that_the_second_named_is_passed_when_the_first_has_moved_the_game(bidding: World) -> None:
    mails_of_both = mails(bidding, (REY, "rollback 1/storm"), (ANN, "if: 1/bidding / bank guild 2 / pause"))
    taken(bidding, mails_of_both[:1])
    code = next(str(each.message["Reply-To"]) for each in bidding.letters(REY) if "confirm" in each.subject)
    taken(bidding, [bidding.mail("guild", "confirm", sender=REY, to=code), mails_of_both[1]])
    assert bidding.table().play.state.phase != "bidding"
    assert told(bidding, ANN).count("has moved on: it is at 1/") == 2
    assert [act[:2] for act in acts(bidding)] == [("rollback", REY)]
    assert bidding.table().stopped_at is None
    proved(bidding)


def patient(world: World) -> World:
    """Return another process on the same database that, like a command, waits for its turn."""
    engine = open_database(world.settings.mentat.database, timeout_seconds=60)
    return World(world.settings, engine, Moderator(world.settings, engine), world.now)


def test_one_by_mail_and_one_at_the_machine_wait_for_each_other(bidding: World) -> None:
    service, machine = patient(bidding), patient(bidding)
    done: list[str] = []
    together = Barrier(2)

    def at_once(act: Callable[[], object], name: str) -> None:
        together.wait()
        try:
            act()
            done.append(name)
        except PowerRefused as refused:
            done.append(str(refused))

    [raw] = mails(bidding, (REY, "pause"))
    threads = [
        Thread(target=at_once, args=(lambda: taken(service, [raw]), "by mail")),
        Thread(
            target=at_once,
            args=(
                lambda: clocks.pause(DeskRequest(machine.moderator.open_games, GAME, machine.now, Use())),
                "at the machine",
            ),
        ),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [act[0] for act in acts(bidding)] == ["pause"]
    assert ("The clocks are stopped." in told(bidding, REY)) == (acts(bidding)[0][1] == REY)
    assert len(done) == 2
    for process in (service, machine):
        process.engine.dispose()
    proved(bidding)
