"""Tests that the first letter shows the reader's faction powers in this game on the first screen."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bot.games.letter_writer import rules_of
from bot.render import letters
from bot.render.material import Position
from bot.render.text import WIDTH
from rules.components import FACTION_FACTS, FACTIONS
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.random_players import random_seats
from rules.rulesets.ruleset import RULE_SETS
from tests.reports.positions import position_of


def first(ruleset: str, faction: str, factions: tuple[str, ...] = FACTIONS, **options: str) -> Position:
    play = Play.start(load_rule_set(ruleset).with_options(options), "spice", random_seats("spice", factions))
    play.advance()
    return replace(position_of(play, faction), rules=rules_of(play), players={faction: "Ann"})


def said(ruleset: str, faction: str) -> str:
    return " ".join(letters.setup_letter(first(ruleset, faction)).text.split())


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_each_faction_learns_what_it_can_do_what_its_ally_gets_and_how_it_wins(ruleset: str) -> None:
    for faction in FACTIONS:
        letter = letters.setup_letter(first(ruleset, faction))
        opened = next(part for part in letter.text.split("\n\n") if "  You can " in part)
        assert all(label in opened for label in ("  You can ", "  Your ally ", "  You win "))
        assert 4 <= len(opened.splitlines()) <= 24
        assert all(len(line) <= WIDTH for line in opened.splitlines())
        assert letter.text.index("You can") < letter.text.index("HOW TO ANSWER") < letter.text.index("WHO PLAYS")


def test_what_is_asked_at_once_stands_before_the_powers() -> None:
    asked = letters.setup_letter(first("wbc-2018", "bene-gesserit")).text
    assert asked.index("WHO WILL WIN, AND WHEN?") < asked.index("YOUR FACTION") < asked.index("You can")
    idle = letters.setup_letter(first("wbc-2018", "harkonnen")).text
    assert idle.index("You can") < idle.index("NOTHING TO DO RIGHT NOW")
    assert "YOUR FACTION" not in idle


@pytest.mark.parametrize("faction", [each for each in FACTION_FACTS if each not in FACTIONS])
def test_so_do_those_of_an_expansion(faction: str) -> None:
    others = tuple(each for each in FACTIONS if each != "guild")
    position = first("gf9-advanced", faction, (*others, faction), expansion="ixians-tleilaxu")
    assert "Your ally" in letters.setup_letter(position).text


def test_a_power_is_told_where_the_rules_have_it() -> None:
    assert "Sardaukar" not in said("ah-basic", "emperor").split("HOW TO ANSWER")[0]
    assert "five Sardaukar" in said("wbc-2018", "emperor")
    assert "advisors" in said("gf9-advanced", "bene-gesserit")
    assert "Coexist" in said("wbc-2018", "bene-gesserit")
    assert "by turn 10" in said("gf9-basic", "guild")
    assert "by turn 15" in said("ah-basic", "guild")


def test_strongholds_to_win_are_those_of_this_game() -> None:
    assert "With three strongholds at the end of a turn, or with an ally if you hold four together." in said(
        "wbc-2018", "guild"
    )
    alone = letters.setup_letter(first("wbc-2018", "guild", ("guild", "fremen"))).text
    assert "With four strongholds at the end of a turn." in " ".join(alone.split())
    assert "Your ally" not in alone
