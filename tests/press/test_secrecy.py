"""Private and unsigned press: letters to other players do not differ in content, number or time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from rules.components import FACTIONS, Faction
from tests.moderator.table import World
from tests.moderator.twins import Twins

Does = Callable[[World], None]
Pair = Callable[[str], Twins]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    """Return a function that makes two copies of a game with a given press mode."""
    made: list[Twins] = []

    def twins(mode: str) -> Twins:
        (tmp_path / "first").mkdir()
        world = World.at(tmp_path / "first")
        world.new_game(tempo="steady", press=mode)
        made.append(Twins(world, tmp_path, "twins"))
        world.engine.dispose()
        return made[-1]

    yield twins
    for each in made:
        each.close()


def go_on(twins: Twins, hours: float = 12.0) -> None:
    """Let time pass in both copies, at first in steps of 15 minutes."""
    for step in (*[0.25] * 12, hours):
        for world in (twins.one, twins.other):
            world.wait(step)


def others(*but: Faction) -> Sequence[Faction]:
    return [faction for faction in FACTIONS if faction not in but]


PRIVATE: dict[str, tuple[str, Does]] = {
    "a letter": ("open", lambda world: void(world.say("guild", "press to fremen: let us ally"))),
    "twenty letters": ("open", lambda world: void(world.say("guild", *["press to fremen: let us ally"] * 25))),
    "to all but one": ("open", lambda world: void(world.say("guild", "press to fremen, guild: beware"))),
    "refused for its quota": ("open,quota=1", lambda world: void(world.say("guild", *["press to fremen: hm"] * 3))),
    "held back": ("open,language", lambda world: void(world.say("guild", "press to fremen: you idiot"))),
    "with false readers": ("fake", lambda world: void(world.say("guild", "press to fremen as to all: hm"))),
    "reported": ("open", lambda world: reported(world)),
    "postal": ("open,postal", lambda world: void(world.say("guild", "press to fremen: let us ally"))),
    "unsigned": ("grey", lambda world: void(world.say("guild", "press to fremen: let us ally"))),
    "in gunboat": ("open,gunboat", lambda world: void(world.say("guild", "press to fremen: let us ally"))),
    "forbidden": ("public", lambda world: void(world.say("guild", "press to fremen: let us ally"))),
    "to the game master": ("open", lambda world: void(world.say("guild", "press to gm: they cheat"))),
}


def void(_: object) -> None:
    return None


def reported(world: World) -> None:
    world.say("guild", "press to fremen: you will lose")
    world.say("fremen", "report 1")


@pytest.mark.parametrize("what", PRIVATE)
def test_nobody_else_can_tell_that_something_was_written(pair: Pair, what: str) -> None:
    mode, does = PRIVATE[what]
    twins = pair(mode)
    does(twins.other)
    onlookers = [*others("guild", "fremen"), "public"]
    assert list(twins.differences(onlookers)) == []
    go_on(twins)
    assert list(twins.differences(onlookers)) == []


@pytest.mark.parametrize("mode", ["grey", "mixed", "grey,gunboat,slots=0", "open,yellow"])
def test_nobody_can_tell_who_wrote_to_all_without_a_name(pair: Pair, mode: str) -> None:
    twins = pair(mode)
    line = "press unsigned to all: the Emperor lies" if mode == "mixed" else "press to all: the Emperor lies"
    twins.one.say("guild", line)
    for world in (twins.one, twins.other):
        world.wait(0.6)
    twins.other.say("atreides", line)
    go_on(twins)
    assert list(twins.differences([*others("guild", "atreides"), "public"])) == []
    for twin, writer in ((twins.one, "guild"), (twins.other, "atreides")):  # the writer also gets it
        assert sum("the Emperor lies" in letter.text for letter in twin.letters(writer)) == 2  # and in the receipt


@pytest.mark.parametrize("mode", ["grey", "grey,postal"])
def test_the_order_of_writing_does_not_tell_who_wrote_what(pair: Pair, mode: str) -> None:
    twins = pair(mode)
    lines: list[tuple[Faction, str]] = [
        ("guild", "press to fremen: one"), ("emperor", "press to fremen: two"), ("atreides", "press to fremen: three"),
    ]  # fmt: skip
    for world, order in ((twins.one, lines), (twins.other, lines[::-1])):
        for faction, line in order:
            world.say(faction, line)
            world.now += timedelta(minutes=7)
            world.moderator.timekeeper.tick(world.now)
    for world in (twins.one, twins.other):
        world.silence_until("storm", 2)
        world.wait(0.1)
    got = [letter for letter in twins.one.letters("fremen") if "Somebody writes" in letter.subject]
    assert len(got) == 3
    assert list(twins.differences(["fremen", "harkonnen", "public"])) == []


def test_press_of_others_does_not_move_a_letter_in_a_slot(pair: Pair) -> None:
    twins = pair("grey")
    for number in range(5):
        twins.other.say("emperor", f"press to atreides: between us {number}")
        for world in (twins.one, twins.other):
            world.say("guild", f"press to fremen: letter {number}")
    go_on(twins)
    assert list(twins.differences(["fremen", "harkonnen", "bene-gesserit", "public"])) == []


def test_whose_name_is_unknown_is_not_in_the_list_of_readers_either(pair: Pair) -> None:
    twins = pair("grey")
    named = ", ".join(others("guild"))
    twins.one.say("guild", "press to all: hm")
    twins.other.say("guild", f"press to {named}: hm")
    go_on(twins)
    assert list(twins.differences(others("guild"))) == []


def test_a_false_list_of_readers_reads_like_a_true_one(pair: Pair) -> None:
    twins = pair("fake")
    for world in (twins.one, twins.other):
        for faction in FACTIONS:
            world.say(faction, "false readers yes")
    twins.one.say("guild", "press to fremen, emperor: hm")
    twins.other.say("guild", "press to fremen as to fremen, emperor: hm")
    go_on(twins)
    assert list(twins.differences(others("guild", "emperor"))) == []
    assert len(twins.other.letters("emperor")) == len(twins.one.letters("emperor")) - 1
