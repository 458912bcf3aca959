"""Orders of the expansion Ixians & Tleilaxu by mail, in a game without it or with mistakes: Mentat accepts no part of
them and tells only the sender why."""

from __future__ import annotations

import pytest

from bot.desk import positions
from bot.desk.powers import DeskRequest
from bot.games.seat_mail import NamedLetter, letter_named
from bot.language.names import told_of_other_box
from bot.moderator.desk_lines import faction_named as faction_of_line
from rules.components import Faction, leaders_of
from tests.moderator.table import GAME, World

NOT_HERE = "it belongs to an expansion"
NEW: tuple[Faction, ...] = ("ixians", "tleilaxu", "guild")


def refused(world: World, faction: Faction, line: str) -> str:
    """Send a line, check that it is refused to its sender alone, and return the answer."""
    asked, before, events = world.asked(), world.written(), len(world.table().play.events)
    assert world.say(faction, line).taken == 0, line
    assert (world.asked(), len(world.table().play.events)) == (asked, events)
    (answer,) = world.letters(after=before)
    assert answer.faction == faction
    return " ".join(answer.text.split())


def test_where_it_is_not_played_each_of_its_orders_is_refused_as_what_it_is(world: World) -> None:
    world.new_game("gf9-advanced", factions=("atreides", "guild", "harkonnen"))
    world.silence_until("storm")
    for line in (
        "swap Lasgun", "no swap all", "hms to red-chasm/7", "hms stays", "start with Lasgun", "redraw",
        "limit five for all", "face dancer", "exchange dancer Duncan Idaho", "price 3 for Duncan Idaho",
        "replace with 3 from reserves", "take heighliners", "use poison tooth", "thumper", "play on", "revive Zoal",
    ):  # fmt: skip
        assert NOT_HERE in refused(world, "guild", line), line


def test_a_karama_does_not_do_there_what_it_does_with_it(world: World) -> None:
    world.new_game("gf9-advanced", factions=("atreides", "guild", "harkonnen"))
    world.silence_until("storm")
    for line in ("karama cancel redraw", "karama cancel token payment", "karama hms to red-chasm/7",
                 "karama stop revival of atreides"):  # fmt: skip
        assert "A Karama cannot do that in this rule set" in refused(world, "guild", line), line


def test_where_it_is_played_wrong_orders_are_refused_without_a_word_about_the_others(world: World) -> None:
    world.new_game("gf9-advanced", factions=NEW, expansion="ixians-tleilaxu")
    world.silence_until("bidding")
    hidden = world.table().play.state
    for faction, line, why in (
        ("ixians", "swap Karama", "You do not hold Karama"),
        ("ixians", "swap Distrans", "I cannot find an order in this"),  # no such card, and no question about swaps
        ("ixians", "bid 99", "at most"),
        ("guild", "swap Lasgun", "Only the Ixians can swap"),
        ("guild", "karama cancel technology", "You hold no Karama"),
        ("guild", "face dancer", "a power of the Tleilaxu"),
        ("tleilaxu", "revive Chani", "decided in the revival phase"),
    ):  # fmt: skip
        said = refused(world, faction, line)
        assert why in said, line
        others = {str(card) for other, player in hidden.players.items() if other != faction for card in player.hand}
        own = set(map(str, hidden.players[faction].hand))
        assert not [card for card in others - own if card in said]


@pytest.fixture
def played(world: World) -> World:
    """Start a game with the expansion."""
    world.new_game("gf9-advanced", factions=NEW, expansion="ixians-tleilaxu")
    return world


def until_asked(world: World, faction: Faction, kind: str) -> None:
    """Let time pass in silence until the faction is asked a question of this kind."""
    for _ in range(60):
        if kind in world.asked().get(faction, []):
            return
        world.wait(24)
    raise AssertionError(f"{faction} is not asked for {kind}, but {world.asked()}")


def put_right(world: World, *corrections: str) -> None:
    """Correct the position as the game master."""
    positions.correct_facts(DeskRequest(world.moderator.open_games, GAME, world.now), list(corrections))


@pytest.mark.parametrize("expansion", ["none", "ixians-tleilaxu"])
@pytest.mark.clause("IT.CARD.2", "IT.LIST.3")
def test_a_card_of_a_later_box_is_told_as_one_and_taken_by_nobody(world: World, expansion: str) -> None:
    factions: tuple[Faction, ...] = NEW if expansion != "none" else ("atreides", "harkonnen", "guild")
    world.new_game("gf9-advanced", factions=factions, expansion=expansion)
    world.silence_until("bidding")
    for line in ("distrans", "Distrans Lasgun to guild", "standing: distrans"):
        said = refused(world, "guild", line)
        assert "“Distrans” is a card from the box CHOAM & Richese, which no game here uses" in said, line
    assert "is a card from the box Ecaz & Moritani" in refused(world, "guild", "play Harass and Withdraw")


@pytest.mark.parametrize(
    ("line", "is_card"),
    [
        ("use the Ornithopter", True), ("juice of sapho", True), ("Distrans", True), ("distrans to Harkonnen", True),
        ("Ornithopters are grand", False), ("withdraw your troops from Arrakeen, guild", False), ("play on", False),
        ("play", False), ("guild", False),
    ],
)  # fmt: skip
def test_talk_that_only_begins_like_such_a_card_is_none(line: str, is_card: bool) -> None:
    assert bool(told_of_other_box(line)) == is_card


@pytest.mark.clause("IT.HMS.7")
def test_the_stronghold_does_not_go_through_the_storm(played: World) -> None:
    until_asked(played, "ixians", "hms-move")
    put_right(played, "storm 5")
    for line in ("hms to south-mesa/5", "hms via false-wall-south/5 to south-mesa/4"):
        assert "under the storm" in refused(played, "ixians", line), line
    assert "Only the Ixians can move" in refused(played, "tleilaxu", "hms to south-mesa/6")
    assert played.say("ixians", "hms stays").taken == 1


@pytest.mark.clause("IT.BID.8")
def test_technology_is_used_once(played: World) -> None:
    until_asked(played, "ixians", "technology")
    (own, *_) = played.table().play.state.players["ixians"].hand
    assert played.say("ixians", f"swap {own}").taken == 1
    until_asked(played, "guild", "bid")
    (got, *_) = played.table().play.state.players["ixians"].hand
    assert "You have already used Technology in this bidding phase" in refused(played, "ixians", f"swap {got}")
    assert "Only the Ixians can swap" in refused(played, "tleilaxu", f"swap {got}")


@pytest.mark.clause("FAQ.TLEILAXU.4", "IT.GHOLA.1")
def test_nobody_is_a_ghola_while_they_live(played: World) -> None:
    until_asked(played, "tleilaxu", "revival")
    put_right(played, "card Tleilaxu Ghola from deck to guild")
    for faction, line in (
        ("guild", "ghola Staban Tuek"),
        ("tleilaxu", "revive Staban Tuek"),
        ("tleilaxu", "revive Zoal"),
    ):
        assert "is not in the tanks" in refused(played, faction, line), line
    assert "Tleilaxu Ghola" in played.table().play.state.players["guild"].hand


@pytest.mark.clause("IT.FD.24", "IT.FD.21")
def test_a_leader_who_is_no_face_dancer_is_not_exchanged(played: World) -> None:
    until_asked(played, "tleilaxu", "dancer-swap")
    dancers = played.table().play.state.box.face_dancers
    other = next(leader for leader in leaders_of("guild") if leader not in dancers)
    said = refused(played, "tleilaxu", f"exchange dancer {other}")
    assert f"{other} is not one of your face dancers" in said
    assert "Face dancers are a power of the Tleilaxu" in refused(played, "guild", f"exchange dancer {dancers[0]}")


@pytest.mark.clause("IT.FD.1", "IT.FD.24")
def test_a_winner_who_is_no_face_dancer_is_not_shown_as_one(played: World) -> None:
    until_asked(played, "ixians", "shipment")
    put_right(played, "forces carthag guild 5", "forces carthag ixians 3")
    until_asked(played, "guild", "battle-plan")
    dancers = played.table().play.state.box.face_dancers
    own = next(leader for leader in leaders_of("guild") if leader not in dancers)
    assert played.say("guild", f"plan dial 2 leader {own}").taken == 1
    until_asked(played, "tleilaxu", "face-dancer")
    assert f"{own} is not one of your face dancers" in refused(played, "tleilaxu", "face dancer")
    assert "Face dancers are a power of the Tleilaxu" in refused(played, "guild", "face dancer")


@pytest.mark.parametrize("faction", NEW)
def test_its_seats_are_known_by_the_names_of_their_letters_and_to_the_game_master(faction: Faction) -> None:
    identity = f"sietch-12.{faction}.41.p3.ypowzixiqjin3ijg@arrakis.example"
    assert letter_named(identity, "mentat@arrakis.example") == NamedLetter("sietch-12", faction, 41)
    assert faction_of_line(faction[:4]) == faction


@pytest.mark.clause("IT.CARD.22", "IT.CARD.27")
@pytest.mark.parametrize(
    ("card", "line", "other"),
    [
        ("Harvester", "harvester at 8 or more", "harvester on Old Gap"),
        ("Harvester", "harvester on Old Gap", "harvester at 8 or more"),
        ("Amal", "amal in movement", "amal in mentat"),
    ],
)
def test_a_card_filed_for_its_moment_is_listed_to_its_holder_and_can_be_taken_back(
    played: World, card: str, line: str, other: str
) -> None:
    until_asked(played, "ixians", "hms-placement")
    put_right(played, f"card {card} from {held_by(played, card)} to guild")
    events = len(played.table().play.events)
    assert played.say("guild", line).taken == 1
    assert line in said_to(played, "guild", "orders")
    assert line not in said_to(played, "tleilaxu", "orders")
    assert "No such order is on file" in said_to(played, "guild", f"cancel {other}")
    assert f"Withdrawn: {line}" in said_to(played, "guild", f"cancel {line}")
    assert line not in said_to(played, "guild", "orders")
    assert "No such order is on file" in said_to(played, "guild", f"cancel {line}")
    assert played.say("guild", other).taken == 1
    assert f"Withdrawn: {other}" in said_to(played, "guild", "cancel")
    state = played.table().play.state
    assert (state.box.amal_filed, state.box.harvester_filed) == ({}, {})
    assert len(played.table().play.events) == events


def held_by(world: World, card: str) -> str:
    """Return the faction that holds the card, or "deck"."""
    hands = world.table().play.state.players.items()
    return next((faction for faction, player in hands if card in player.hand), "deck")


def said_to(world: World, faction: Faction, line: str) -> str:
    """Send a line and return the answer to its sender."""
    before = world.written()
    world.say(faction, line)
    (answer,) = world.letters(after=before)
    assert answer.faction == faction
    return " ".join(answer.text.split())
