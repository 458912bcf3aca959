"""Deals with terms by mail: how they are parsed, answered, listed and reported; none spans two tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace as replace_struct

from bot.desk.powers import DeskRequest
from bot.desk.seats import replace_player
from bot.games.letter_writer import seats_with_private_news
from bot.moderator.commands import deals_of
from rules.components import Faction
from rules.state.events import Event
from rules.state.state import Deal, Terms
from tests.moderator.table import GAME, World

FACTIONS: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Start a game of three factions and play to the movement phase of turn 1."""
    world = World.at(tmp_path)
    world.new_game("ah-basic", FACTIONS)
    world.silence_until("movement")
    yield world
    world.engine.dispose()


def newest(world: World, to: str) -> str:
    return " ".join(world.newest(to).text.split())


@pytest.mark.clause("AH.XIII.C-a")
def test_a_deal_with_terms_is_read_out_as_it_was_understood(world: World) -> None:
    world.say("guild", "deal with harkonnen: take Arrakeen; I escrow 2 if harkonnen has won in arrakeen; until turn 3")
    line = "deal with Harkonnen: take Arrakeen; I escrow 2; if Harkonnen has won in Arrakeen; until turn 3"
    assert f"Taken from your mail: {line}." in newest(world, "guild")
    offered = newest(world, "harkonnen")
    terms = "take Arrakeen; Guild sets 2 spice aside; if Harkonnen has won in Arrakeen; until turn 3"
    assert f"Guild offers you a deal: {terms}." in offered
    world.say("harkonnen", "accept", "status")
    world.say("atreides", "status")
    for faction in ("harkonnen", "atreides"):
        assert f"A deal between Guild and Harkonnen: {terms}." in newest(world, faction)


def test_deals_lists_what_is_mine_and_what_waits_for_an_answer(world: World) -> None:
    world.say("atreides", "deals")
    assert "You have made no deals." in newest(world, "atreides")
    world.say("guild", "deal with harkonnen: peace; I pay 9; if turn 2", "deal with atreides: more later")
    world.say("harkonnen", "accept")
    world.say("guild", "deals")
    mine = newest(world, "guild")
    assert "Turn 1, with Harkonnen: peace; if turn 2. It is waiting for its condition." in mine
    assert "Guild offers Atreides: more later. The offer is waiting for an answer." in mine
    world.say("atreides", "deals")
    assert "peace" not in newest(world, "atreides").partition("SINCE YOUR LAST MAIL")[0]


def test_help_says_what_a_deal_can_hang_on(world: World) -> None:
    world.say("guild", "help deal conditions")
    assert "tokens of FACTION in TERRITORY N" in newest(world, "guild")
    assert "window REACTION" not in newest(world, "guild")


@pytest.mark.clause("AH.XIII.A-a")
def test_what_cannot_be_seen_is_refused_with_a_sentence_and_is_not_put_on_the_sheet(world: World) -> None:
    world.say("guild", "deal with harkonnen: peace; I pay 2 if my spice > 4")
    assert "A deal cannot depend on “spice > 4”" in newest(world, "guild")
    world.say("guild", "deal with harkonnen: peace; I pay 2; if atreides holds lasgun")
    assert "Nobody but Atreides knows which cards they hold" in newest(world, "guild")
    assert not world.table().play.state.offers
    assert not world.table().sheets


def test_no_deal_reaches_another_table(world: World) -> None:
    world.new_game("ah-basic", FACTIONS, game="caladan-7", seed="water")
    world.say("guild", "deal with harkonnen: I let you win here if you let me win in Caladan-7")
    assert "caladan-7 is another table, and a deal cannot reach across tables." in newest(world, "guild")
    world.say("guild", "when turn 2: deal with harkonnen: think of caladan-7")
    assert "caladan-7 is another table" in newest(world, "guild")
    assert not world.table().play.state.offers
    told = [letter for letter in world.letters(world.settings.mentat.game_master) if "across tables" in letter.subject]
    assert len(told) == 2
    assert "Guild in sietch-12 wrote a deal that names caladan-7" in " ".join(told[0].text.split())
    assert "let me win" not in told[0].text
    world.say("guild", "deal with harkonnen: let us speak of sietch-12")
    assert world.table().play.state.offers


def test_who_takes_a_seat_learns_what_its_deals_hang_on_and_the_secret_ones(world: World) -> None:
    world.say("guild", "deal with harkonnen: peace; I escrow 2 if turn 3", "secret deal with harkonnen: no lasguns")
    world.say("harkonnen", "accept", "accept")
    replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), "guild", "new@players.example")
    told = newest(world, "new@players.example")
    assert "A deal from turn 1 with Harkonnen: peace; Guild sets 2 spice aside; if turn 3" in told
    assert "A deal from turn 1 with Harkonnen, in secret: no lasguns" in told


def test_the_two_of_a_deal_are_reminded_when_it_is_due_or_broken_and_not_when_it_was_kept(world: World) -> None:
    table = world.table()
    for seat in table.seats.values():
        seat.told = 7

    def after(number: int, kind: str, *audience: Faction, **facts: str) -> set[Faction]:
        table.recent = [Event(number, 2, "mentat", kind, facts, audience=audience or None)]
        return seats_with_private_news(table)

    assert after(7, "deal-due", "guild", "harkonnen") == {"guild", "harkonnen"}
    assert after(6, "deal-due", "guild", "harkonnen") == set()
    assert after(7, "deal-ended", "guild", "harkonnen", how="broken") == {"guild", "harkonnen"}
    assert after(7, "deal-ended", "guild", "harkonnen", how="over") == set()
    assert after(7, "deal-made", "guild", "harkonnen") == set()
    table.seats["guild"].told = 8
    assert after(7, "deal-due", "guild", "harkonnen") == {"harkonnen"}


def test_what_is_still_owed_stands_behind_the_deal_of_those_who_owe_it(world: World) -> None:
    made = Deal(("guild", "harkonnen"), "peace", 1, {"guild": 3, "harkonnen": 2})
    waits = replace_struct(made, terms=Terms(stage="waiting"))
    state = world.table().play.state
    state.deals = [made, waits]
    assert deals_of(state, "guild").splitlines() == [
        "Turn 1, with Harkonnen: peace. It is in force. Guild owes 3 spice. Harkonnen owes 2 spice.",
        "Turn 1, with Harkonnen: peace. It is waiting for its condition.",
    ]
    assert deals_of(state, "atreides") == "You have made no deals."


@pytest.mark.clause("AH.XIII.A-a")
def test_what_is_shown_to_one_player_comes_to_them_at_once_and_to_nobody_else(world: World) -> None:
    written = {faction: len(world.letters(faction)) for faction in FACTIONS}
    world.say("guild", "show spice to harkonnen")
    more = {faction: len(world.letters(faction)) - written[faction] for faction in FACTIONS}
    assert more == {"guild": 1, "harkonnen": 1, "atreides": 0}
    assert "Guild showed Harkonnen 5 spice, all that they have. Mentat vouches for it." in newest(world, "harkonnen")
    world.say("atreides", "status")
    assert "showed" not in newest(world, "atreides")


@pytest.mark.clause("AH.XIII.A-a")
def test_what_is_shown_to_all_is_news_of_the_next_letter(world: World) -> None:
    world.say("guild", "show my hand")
    (card,) = world.table().play.state.players["guild"].hand
    world.say("atreides", "status")
    assert f"Guild showed everybody all their cards: {card}. Mentat vouches for it." in newest(world, "atreides")


OFFER = "deal with harkonnen: take Arrakeen; I pay 2"


@pytest.mark.parametrize(
    ("below", "taken"),
    [
        ("Thanks!", "take Arrakeen; I pay 2"),
        ("sorry, make that 3", "take Arrakeen; I pay 3"),
        ("no, I pay 4", "take Arrakeen; I pay 4"),
        ("3 instead of 2", "take Arrakeen; I pay 3"),
    ],
)
def test_a_deal_is_offered_as_it_was_corrected(world: World, below: str, taken: str) -> None:
    world.say("guild", OFFER, below)
    pays = taken.rpartition(" ")[2]
    assert f"Guild offers you a deal: take Arrakeen. They pay you {pays} spice." in newest(world, "harkonnen")


@pytest.mark.parametrize(
    "lines",
    [
        (OFFER, "not yet, let me think"),
        (OFFER, "only if Atreides agrees"),
        (OFFER, "forget that"),
        (OFFER, "", "never mind"),
        (OFFER, "Actually, you pay 2"),
        ("Atreides suggested:", OFFER),
        ("Draft:", OFFER),
        ("Next turn:", OFFER),
        ("Should I offer this?", OFFER),
        ("If Atreides passes:", OFFER),
    ],
)
def test_a_deal_that_is_doubted_taken_back_or_quoted_is_not_offered(world: World, lines: tuple[str, ...]) -> None:
    before = world.written()
    world.say("guild", *lines)
    assert not [letter for letter in world.letters(after=before) if letter.faction == "harkonnen"]
    assert "TAKEN" not in newest(world, "guild")
