"""A player's several addresses: how they are confirmed, and which of them receives letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.desk.powers import DeskRequest
from bot.games.identity import MailOutcome
from bot.games.open_games import Session
from bot.games.seat_addresses import move_seat
from rules.components import Faction
from tests.moderator.table import ADDRESS, CONFIG, GAME, GAME_MASTER, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
OWN = address_of("guild")
OTHER = "guild@elsewhere.example"


@pytest.fixture
def world(world: World) -> World:
    world.new_game(factions=FEW)
    return world


def words(text: str) -> str:
    return " ".join(text.split())


def confirm(world: World, *lines: str, sender: str = OTHER, address: str = OTHER) -> MailOutcome:
    """Reply to the letter that carried the code to `address`."""
    reply_to = str(world.newest(address).message["Reply-To"])
    raw = world.mail("guild", *(lines or ("confirm",)), sender=sender, to=reply_to)
    return world.moderator.deliver(raw, world.now)


def add(world: World, address: str = OTHER) -> None:
    world.say("guild", f"address add {address}")
    assert confirm(world, sender=address, address=address).disposition == "orders"


def from_other(world: World, *lines: str, game: str = GAME) -> MailOutcome:
    return world.moderator.deliver(world.mail("guild", *lines, sender=OTHER, game=game), world.now)


def test_a_further_address_counts_once_it_has_answered(world: World) -> None:
    world.say("guild", f"address add {OTHER}")
    assert f"We have written to {OTHER}" in words(world.newest("guild").text)
    assert from_other(world, "status").disposition == "rejected"
    assert confirm(world, "Confirm.").disposition == "orders"
    assert [letter.subject for letter in (world.newest(OWN), world.newest(OTHER))] == ["[Mentat] Another address"] * 2
    line = world.line("guild", "traitor")
    verdict = from_other(world, line)
    assert (verdict.game_id, verdict.faction, verdict.taken) == (GAME, "guild", 1)
    assert world.newest("guild").recipient == OWN


def test_only_the_word_confirms(world: World) -> None:
    world.say("guild", f"address add {OTHER}")
    for lines in (("Who are you?",), ("please do not confirm",), ("> confirm",)):
        confirm(world, *lines)
        assert from_other(world, "status").disposition == "rejected"
    before = len(world.letters(OTHER))
    assert confirm(world).disposition == "orders"
    assert len(world.letters(OTHER)) == before + 1


def test_a_no_ends_the_code_and_confirms_nothing(world: World) -> None:
    world.say("guild", f"address add {OTHER}")
    assert confirm(world, "No, thanks.").disposition == "orders"
    assert confirm(world).disposition == "rejected"
    assert from_other(world, "status").disposition == "rejected"


def test_nobody_else_confirms_and_the_code_is_used_once(world: World) -> None:
    world.say("guild", f"address add {OTHER}")
    asking = world.newest(OTHER).message["Reply-To"]
    assert confirm(world, sender=OWN).disposition == "rejected"
    assert confirm(world, sender="harkonnen@players.example").disposition == "rejected"
    assert confirm(world).disposition == "orders"
    again = world.mail("guild", "confirm", sender=OTHER, to=str(asking))
    assert world.moderator.deliver(again, world.now).disposition == "rejected"


def test_a_code_ends_after_three_days(world: World) -> None:
    world.say("guild", f"address add {OTHER}")
    world.wait(73)
    assert confirm(world).disposition == "rejected"


def test_letters_go_to_the_address_in_use_in_all_games_and_what_is_open_comes_again(world: World) -> None:
    world.new_game(factions=FEW, game="sietch-13")
    add(world)
    before = len(world.letters(OTHER))
    assert world.say("guild", f"address use {OTHER}").taken == 1
    assert {world.table(game).seats["guild"].address for game in (GAME, "sietch-13")} == {OTHER}
    brief, reply = world.letters(OTHER)[before:]
    assert brief.subject.startswith("[sietch-13] which traitor is yours? by ")
    assert brief.subject.endswith(" (Your letters come here from now on)")
    assert brief.text.count("[sietch-13]") == 0, "the headline bears no mark of the subject"
    assert "[form " in brief.text
    assert "[form " in reply.text
    assert "Your addresses were changed" in world.newest(OWN).subject
    assert world.say("guild", "status").disposition == "orders"
    assert world.newest("guild").recipient == OTHER


def test_a_new_game_and_a_seat_taken_over_begin_with_the_address_in_use(world: World) -> None:
    from bot.desk import seats
    from bot.desk.seats import SeatRefused

    add(world)
    world.say("guild", f"address use {OTHER}")
    world.new_game(factions=FEW, game="sietch-13")
    assert world.table("sietch-13").seats["guild"].address == OTHER
    with pytest.raises(SeatRefused, match="two seats"):
        seats.replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), "atreides", OWN)


def test_an_address_is_removed_but_not_the_one_in_use(world: World) -> None:
    add(world)
    world.say("guild", f"address remove {OWN}")
    assert "choose another first" in words(world.newest("guild").text)
    assert world.say("guild", f"address remove {OTHER}").taken == 1
    assert from_other(world, "status").disposition == "rejected"
    assert "no longer counts" in words(world.newest(OTHER).text)


def test_an_address_to_which_the_letters_of_another_game_go_is_not_removed(world: World) -> None:
    add(world)
    world.new_game(factions=("fremen", "guild"), game="sietch-13")
    with world.moderator.open_games.transaction("sietch-13") as (conn, table):
        move_seat(Session(conn, world.moderator.open_games, world.now), table, "guild", OTHER)
    assert world.say("guild", f"address remove {OTHER}").taken == 0
    assert "choose another first" in words(world.newest("guild").text)


def test_the_addresses_are_shown(world: World) -> None:
    world.say("guild", "address")
    assert f"We know one address of yours, {OWN}." in words(world.newest("guild").text)
    add(world)
    world.say("guild", "address add third@elsewhere.example", "address")
    text = words(world.newest("guild").text)
    assert f"Your addresses are {OTHER} and {OWN}; your letters go to {OWN}." in text
    assert "Not confirmed yet: third@elsewhere.example." in text


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"address add {OTHER}", "is already yours."),
        (f"address add {OWN}", "is already yours."),
        (
            "address add third@elsewhere.example",
            "We have already written to third@elsewhere.example and got no confirmation.",
        ),
        (f"address use {OWN}", "Your letters already go to guild@players.example."),
        ("address use third@elsewhere.example", "is not one of your confirmed addresses"),
        ("address remove nobody@elsewhere.example", "is not one of your confirmed addresses"),
    ],
)
def test_what_changes_no_address_is_refused_with_the_reason(world: World, line: str, why: str) -> None:
    add(world)
    world.say("guild", "address add third@elsewhere.example")
    before, seat = world.written(), world.table().seats["guild"]
    assert world.say("guild", line).taken == 0
    assert why in words(world.newest("guild").text)
    assert [letter.recipient for letter in world.letters(after=before)] == [OWN]
    assert world.table().seats["guild"].address == seat.address == OWN
    world.say("guild", "address")
    assert f"Your addresses are {OTHER} and {OWN}; your letters go to {OWN}." in words(world.newest("guild").text)


@pytest.mark.parametrize("theirs", [address_of("harkonnen"), "harkonnen@elsewhere.example"])
def test_another_players_address_is_not_asked_and_its_player_not_betrayed(world: World, theirs: str) -> None:
    if theirs == "harkonnen@elsewhere.example":
        world.say("harkonnen", f"address add {theirs}")
        confirming = world.mail("harkonnen", "confirm", sender=theirs, to=str(world.newest(theirs).message["Reply-To"]))
        world.moderator.deliver(confirming, world.now)
    before = len(world.letters())
    world.say("guild", f"address add {theirs}")
    reply = words(world.newest("guild").text)
    assert {letter.recipient for letter in world.letters()[before:]} == {OWN, GAME_MASTER}
    world.say("guild", "address add nobody@elsewhere.example")
    other_reply = words(world.newest("guild").text)
    assert f"We have written to {theirs}" in reply
    assert "We have written to nobody@elsewhere.example" in other_reply


def test_two_seats_of_one_person_in_two_games_come_together(world: World) -> None:
    world.new_game(factions=("fremen", "emperor"), game="sietch-13")
    world.say("guild", f"address add {address_of('fremen')}")
    raw = world.mail("guild", "confirm", sender=address_of("fremen"),
                     to=str(world.newest(address_of("fremen")).message["Reply-To"]))  # fmt: skip
    assert world.moderator.deliver(raw, world.now).disposition == "orders"
    crossed = world.mail("fremen", "status", sender=OWN, game="sietch-13")
    assert world.moderator.deliver(crossed, world.now).faction == "fremen"
    assert world.newest("fremen").recipient == address_of("fremen")


def test_nobody_is_written_to_again_and_again(world: World) -> None:
    for _ in range(4):
        world.say("guild", f"address add {OTHER}")
    world.say("atreides", f"address add {OTHER}")
    world.say("harkonnen", f"address add {OTHER}")
    assert len(world.letters(OTHER)) == 2
    for number in range(6):
        world.say("guild", f"address add a{number}@elsewhere.example")
    assert "You have 5 addresses and requests" in words(world.newest("guild").text)
    assert len([a for a in range(6) if world.letters(f"a{a}@elsewhere.example")]) == 3


def test_mentat_itself_is_no_address_of_a_player(world: World) -> None:
    world.say("guild", f"address add mentat+abc@{ADDRESS.partition('@')[2]}")
    assert "REFUSED" in world.newest("guild").text


def test_freeze_replaces_the_reply_address_and_voids_what_was_asked(world: World) -> None:
    world.say("guild", f"address add {OTHER}")
    old = world.token("guild")
    assert world.say("guild", "That was not me!").taken == 1
    assert world.token("guild") != old
    assert world.token("guild") in str(world.newest("guild").message["Reply-To"])
    assert old not in str(world.newest("guild").message["Reply-To"])
    assert "has replaced their reply address" in words(world.newest(GAME_MASTER).text)
    stale = world.mail("guild", "status", to=f"mentat+{old}@arrakis.example")
    assert world.moderator.deliver(stale, world.now).disposition == "rejected"
    assert "Was this message yours?" in world.newest("guild").subject
    assert confirm(world).disposition == "rejected"
    assert world.say("guild", world.line("guild", "traitor")).taken == 1


def test_a_code_travels_in_the_subject_where_there_is_no_plus_addressing(tmp_path: Path) -> None:
    plain = World.at(tmp_path / "..", CONFIG.replace("[mentat]\n", "[mentat]\nplus_addressing = false\n"))
    plain.new_game(factions=FEW)
    tagged = f"Re: x [#{plain.token('guild')}]"
    plain.moderator.deliver(plain.mail("guild", f"address add {OTHER}", to=ADDRESS, subject=tagged), plain.now)
    asking = plain.newest(OTHER).subject
    raw = plain.mail("guild", "confirm", sender=OTHER, to=ADDRESS, subject=f"Re: {asking}")
    assert plain.moderator.deliver(raw, plain.now).disposition == "orders"
    plain.engine.dispose()
