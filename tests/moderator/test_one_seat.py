"""A person can hold only one seat in a game, whatever addresses they use."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.desk import seats
from bot.desk.new_game import NewGame, new_game
from bot.desk.powers import DeskRequest
from bot.desk.seats import SeatRefused, move_seat
from bot.games.seat_addresses import AddressRefused
from rules.components import Faction
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, World, address_of

SECOND = "sietch-13"
OWN, OTHER = address_of("guild"), "guild@elsewhere.example"


@pytest.fixture
def world(world: World) -> World:
    world.new_game(factions=("atreides", "guild", "harkonnen"))
    return world


def ask(world: World) -> bytes:
    """Ask for a further address for the Guild's player; return the confirmation from there."""
    world.say("guild", f"address add {OTHER}")
    reply_to = str(world.newest(OTHER).message["Reply-To"])
    return world.mail("guild", "confirm", sender=OTHER, to=reply_to)


def join(world: World) -> None:
    assert world.moderator.deliver(ask(world), world.now).disposition == "orders"


def begin(world: World, first: str, second: str) -> None:
    seats: dict[Faction, str] = {"fremen": first, "emperor": second}
    new_game(
        world.moderator.open_games, NewGame(SECOND, "ah-basic", seats, {"fremen": 2, "emperor": 11}, "spice"), world.now
    )


@pytest.mark.parametrize(("first", "second"), [(OWN, OWN), (OWN, OWN.upper()), (OWN, OTHER), (OTHER, OWN)])
def test_no_game_begins_in_which_one_person_has_two_seats(world: World, first: str, second: str) -> None:
    join(world)
    before = world.written()
    with pytest.raises(ValueError, match=r"would hold two seats in sietch-13: Emperor and Fremen.*name another"):
        begin(world, first, second)
    assert world.written() == before
    begin(world, first, "somebody@elsewhere.example")


@pytest.mark.parametrize("address", [address_of("guild"), OTHER])
def test_no_seat_is_given_to_who_has_one_by_whatever_address(world: World, address: str) -> None:
    join(world)
    with pytest.raises(SeatRefused, match="plays Guild in this game, and nobody may know the secrets of two seats"):
        seats.replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), "harkonnen", address)
    with pytest.raises(AddressRefused, match="nobody may know the secrets of two seats"):
        move_seat(DeskRequest(world.moderator.open_games, GAME, world.now), "harkonnen", address)


def test_two_persons_of_a_game_do_not_become_one_and_are_told_why(world: World) -> None:
    confirming = ask(world)
    begin(world, OWN, OTHER)  # until the confirmation they count as two persons
    verdict = world.moderator.deliver(confirming, world.now)
    assert (verdict.disposition, verdict.taken) == ("rejected", 0)
    told = " ".join(world.newest(OTHER).text.split())
    assert f"{OTHER} was not added to the addresses of {OWN}: a person can hold only one seat in a game" in told
    assert "a person can hold only one seat in a game" in " ".join(world.newest(GAME_MASTER).text.split())
    crossed = world.mail("guild", "status", sender=OTHER)
    assert world.moderator.deliver(crossed, world.now).disposition == "rejected"


def test_a_substitute_does_not_become_one_person_with_another_player(world: World) -> None:
    confirming = ask(world)
    seats.replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), "harkonnen", OTHER)
    assert world.moderator.deliver(confirming, world.now).disposition == "rejected"
    assert world.table().seats["harkonnen"].address == OTHER


# --- one mailbox, written in several ways ----------------------------------------------------------------------------

MAILBOXES = [
    ("ann@example.org", "Ann+dune@Example.org"),
    ("ann+1@example.org", "ann+2@example.org"),
    ("ann.smith@gmail.com", "AnnSmith+x@googlemail.com"),
    (OTHER, f"{OTHER.partition('@')[0]}+second@{OTHER.partition('@')[2]}"),
]


@pytest.mark.parametrize(("first", "second"), MAILBOXES)
def test_addresses_of_one_mailbox_are_one_person(world: World, first: str, second: str) -> None:
    with pytest.raises(AddressRefused, match="would hold two seats in sietch-13: Emperor and Fremen"):
        begin(world, first, second)


@pytest.mark.parametrize(
    ("first", "second"), [("ann@example.org", "ann@example.com"), ("a.nn@example.org", "ann@example.org")]
)
def test_another_host_is_another_person_and_so_are_dots_but_at_gmail(world: World, first: str, second: str) -> None:
    begin(world, first, second)


def tagged(address: str) -> str:
    local, _, domain = address.partition("@")
    return f"{local}+dune@{domain}".title()


@pytest.mark.parametrize("address", [tagged(OWN), tagged(OTHER)])
def test_a_tag_or_a_confirmed_address_gives_nobody_a_second_seat(world: World, address: str) -> None:
    join(world)
    with pytest.raises(SeatRefused, match="plays Guild in this game, and nobody may know the secrets of two seats"):
        seats.replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), "harkonnen", address)
    with pytest.raises(AddressRefused, match="nobody may know the secrets of two seats"):
        move_seat(DeskRequest(world.moderator.open_games, GAME, world.now), "harkonnen", address)
    with pytest.raises(AddressRefused, match="would hold two seats"):
        begin(world, OWN, address)


def test_the_same_player_may_move_to_another_address_of_their_mailbox(world: World) -> None:
    move_seat(DeskRequest(world.moderator.open_games, GAME, world.now), "guild", tagged(OWN))
    assert world.table().seats["guild"].address == tagged(OWN).lower()


def test_a_further_address_in_the_mailbox_of_another_player_is_for_the_game_master(world: World) -> None:
    before = len(world.letters(tagged(address_of("harkonnen")).lower()))
    world.say("guild", f"address add {tagged(address_of('harkonnen')).lower()}")
    assert len(world.letters(tagged(address_of("harkonnen")).lower())) == before
    assert "asked to add the address" in " ".join(world.newest(GAME_MASTER).text.split())


def test_who_tries_things_out_may_play_several_seats_with_one_mailbox(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + '[identity]\nsame_mailbox = "several"\n')
    world.new_game(factions=("atreides", "guild", "harkonnen"))
    begin(world, "ann+1@example.org", "ann+2@example.org")
    with pytest.raises(AddressRefused, match="would hold two seats"):
        substitutes_of_one_address(world)


def substitutes_of_one_address(world: World) -> None:
    seats: dict[Faction, str] = {"fremen": OWN, "emperor": OWN}
    dots: dict[Faction, int] = {"fremen": 2, "emperor": 11}
    new_game(world.moderator.open_games, NewGame("sietch-14", "ah-basic", seats, dots, "spice"), world.now)
