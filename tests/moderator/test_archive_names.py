"""Player names in the archive, and what players are told about them before a game."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from bot.config.values import ArchivePolicy
from bot.desk import clocks, seats
from bot.desk.clocks import set_archive_policy
from bot.desk.new_game import NewGame, new_game
from bot.desk.powers import DeskRequest
from bot.games import retention
from bot.language.slots import LONGEST_ARCHIVE_NAME, NameRefused, archive_name, clean_name
from bot.store import people
from bot.store.database import reading, writing
from bot.store.people import PSEUDONYM
from bot.store.tables import SEAT_PSEUDONYM
from rules.components import Faction
from tests.moderator.table import DOTS, GAME, World, address_of

THREE: tuple[Faction, ...] = ("atreides", "fremen", "guild")
OTHER = "sietch-13"


@pytest.fixture
def two_games(world: World) -> World:
    world.new_game(factions=THREE)
    world.new_game(factions=THREE, game=OTHER)
    return world


def answer(world: World, faction: Faction, *lines: str, game: str = GAME) -> str:
    world.say(faction, *lines, game=game)
    return " ".join(world.newest(faction).text.split())


def name(world: World, faction: Faction, game: str = GAME) -> str:
    with reading(world.engine) as conn:
        return people.pseudonym_at(conn, game, faction)


def begin(world: World, policy: ArchivePolicy) -> str:
    """Start a game with this archive policy and return its first letter."""
    seats = {faction: address_of(faction) for faction in THREE}
    dots = dict(zip(THREE, DOTS, strict=False))
    new_game(world.moderator.open_games, NewGame(GAME, "ah-basic", seats, dots, "spice", archive=policy), world.now)
    return " ".join(world.letters("guild")[0].text.split())


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (
            ArchivePolicy(),
            "the archive shows nothing about it. After the game it will show everybody the whole game step by step",
        ),
        (ArchivePolicy("public", 0, "public-only"), "what was hidden stays hidden"),
        (ArchivePolicy("delayed", 2), "what all players knew 2 turns earlier"),
    ],
)
def test_the_first_letter_says_what_the_archive_will_show_and_under_which_name(
    world: World, policy: ArchivePolicy, words: str
) -> None:
    told = begin(world, policy)
    assert words in told
    assert "It shows you as “Guild of sietch-12”" in told
    assert "archive name" in told
    assert "(CC0)" in told
    assert world.table().policy == policy


def test_a_game_keeps_what_it_began_with_over_a_rollback(world: World) -> None:
    begin(world, ArchivePolicy("delayed", 3, "public-only"))
    world.moderator.open_games.forget()
    assert world.table().policy == ArchivePolicy("delayed", 3, "public-only")


def test_a_person_has_one_name_in_all_their_games(two_games: World) -> None:
    assert "“Red Duke”" in answer(two_games, "atreides", "archive name Red Duke")
    assert name(two_games, "atreides") == name(two_games, "atreides", OTHER) == "Red Duke"
    assert name(two_games, "fremen") == "Fremen of sietch-12"
    answer(two_games, "atreides", "archive name Old Duke", game=OTHER)
    assert name(two_games, "atreides") == "Old Duke"


def test_a_new_game_finds_the_name_that_a_person_has(world: World) -> None:
    world.new_game(factions=THREE)
    answer(world, "guild", "archive name Edric")
    world.new_game(factions=THREE, game=OTHER)
    assert name(world, "guild", OTHER) == "Edric"


def test_a_name_can_be_taken_back(two_games: World) -> None:
    answer(two_games, "guild", "archive name Edric", "archive listed yes")
    assert "“Guild of sietch-12”" in answer(two_games, "guild", "archive name none")
    assert name(two_games, "guild", OTHER) == "Guild of sietch-13"
    with reading(two_games.engine) as conn:
        assert conn.execute(select(PSEUDONYM)).all() == []


def test_who_has_no_name_takes_none_back_and_leaves_those_of_others(two_games: World) -> None:
    answer(two_games, "fremen", "archive name Naib")
    assert "“Guild of sietch-12”" in answer(two_games, "guild", "archive name none")
    assert name(two_games, "fremen", OTHER) == "Naib"


def test_the_name_of_another_is_refused_without_telling_whose_it_is(two_games: World) -> None:
    answer(two_games, "guild", "archive name Red Duke")
    told = answer(two_games, "fremen", "archive name red  DUKE!")
    assert "Somebody else already has this name in the archive" in told
    assert "Guild of" not in told
    assert address_of("guild") not in told
    assert name(two_games, "fremen") == "Fremen of sietch-12"


def test_who_wants_to_stand_among_the_players_needs_a_name(two_games: World) -> None:
    assert "you need a name first" in answer(two_games, "guild", "archive listed yes")
    assert "are not in the archive's list" in answer(two_games, "guild", "archive listed no")
    answer(two_games, "guild", "archive name Edric", "archive listed yes")
    with reading(two_games.engine) as conn:
        assert people.pseudonyms_of_game(conn, OTHER)["guild"].listed
    answer(two_games, "guild", "archive listed no")
    with reading(two_games.engine) as conn:
        assert not people.pseudonyms_of_game(conn, OTHER)["guild"].listed


def test_archive_alone_tells_what_it_shows_and_the_own_name(two_games: World) -> None:
    answer(two_games, "guild", "archive name Edric", "archive listed yes")
    told = answer(two_games, "guild", "archive")
    assert "shows nothing about it" in told
    assert "“Edric”, also in its list of players" in told
    answer(two_games, "guild", "archive listed no")
    told = answer(two_games, "guild", "archive")
    assert "“Edric”" in told
    assert "also in its list of players" not in told


def test_a_substitute_does_not_stand_under_the_name_of_who_left(two_games: World) -> None:
    answer(two_games, "guild", "archive name Edric")
    seats.replace_player(
        DeskRequest(two_games.moderator.open_games, GAME, two_games.now), "guild", "new@players.example"
    )
    assert name(two_games, "guild") == "Guild of sietch-12"
    assert name(two_games, "guild", OTHER) == "Edric"
    assert "It shows you as “Guild of sietch-12”" in " ".join(two_games.newest("new@players.example").text.split())


@pytest.mark.parametrize("first", ["owner", "other"], ids=["the-older-name", "the-newer-name"])
def test_two_addresses_that_become_one_person_have_the_name_of_the_one_that_asked(world: World, first: str) -> None:
    world.new_game(factions=THREE)
    second = "guild@second.example"
    seats: dict[Faction, str] = {"fremen": second, "guild": "else@players.example"}
    new_game(world.moderator.open_games, NewGame(OTHER, "ah-basic", seats, {"fremen": 2, "guild": 5}, "x"), world.now)

    def names_itself(who: str) -> None:
        if who == "owner":
            answer(world, "guild", "archive name Edric")
        else:
            world.moderator.deliver(world.mail("fremen", "archive name Liet", sender=second, game=OTHER), world.now)

    for who in sorted(["owner", "other"], key=lambda who: who != first):
        names_itself(who)
    assert name(world, "fremen", OTHER) == "Liet"
    world.say("guild", f"address add {second}")
    reply_to = str(world.newest(second).message["Reply-To"])
    world.moderator.deliver(world.mail("guild", "confirm", sender=second, to=reply_to), world.now)
    assert name(world, "fremen", OTHER) == name(world, "guild") == "Edric"
    assert "“Liet”" in answer(world, "atreides", "archive name Liet")  # nobody uses the name any more


def test_with_a_person_who_is_deleted_their_name_goes_from_the_archive(world: World) -> None:
    world.new_game(factions=THREE, max_turns=1)
    answer(world, "guild", "archive name Edric", "archive listed yes")
    while not world.table().play.over:
        world.wait(24)
    retention.carry_out_deletion(world.moderator.open_games, retention.a_person(address_of("guild")))
    assert name(world, "guild") == "Guild of sietch-12"
    with reading(world.engine) as conn:
        assert conn.execute(select(SEAT_PSEUDONYM)).all() == []
        assert conn.execute(select(PSEUDONYM)).all() == []


def test_a_name_stays_where_it_stands_when_the_seats_have_become_nameless(world: World) -> None:
    world.new_game(factions=THREE, max_turns=1)
    answer(world, "guild", "archive name Edric")
    while not world.table().play.over:
        world.wait(24)
    world.wait(24 * 40)
    retention.carry_out_deletion(world.moderator.open_games, retention.mail_older_than(world.now))
    assert world.table().seats["guild"].address == "deleted"
    assert name(world, "guild") == "Edric"


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        ("Red Duke", "Red Duke"),
        ("  Red \t Duke  ", "Red Duke"),
        ("\u202eekuD deR\u202c", "ekuD deR"),
        ("Re\u200bd\x07 Duke", "Red Duke"),
        ("“Zoë”", "Zoë"),
        ("Za\u0300\u0301\u0302\u0303\u0304lgo", "Zà\u0301\u0302lgo"),
        ("</script>[b]", "</script>[b]"),
        ("Muad'Dib", "Muad'Dib"),
        ("砂の惑星", "砂の惑星"),
        ("Duke of Hazzard", "Duke of Hazzard"),
    ],
)
def test_a_name_is_cleaned_of_what_cannot_be_seen(wanted: str, kept: str) -> None:
    assert archive_name(wanted) == kept == clean_name(kept)


@pytest.mark.parametrize(
    "wanted",
    [
        "", " . ", "\u202e", "x" * (LONGEST_ARCHIVE_NAME + 1), "ann@example.org", "ann＠example.org", "https://dune.example",
        "dune.example/me", "Guild", "spacing guild", "House Atreides", "atreides", "Bene-Gesserit",
        "Atreides of sietch-7", "Mentat", "Game Master", "deleted", "x" * 10_000,
    ],
)  # fmt: skip
def test_what_cannot_be_a_name_is_refused(wanted: str) -> None:
    with pytest.raises(NameRefused):
        archive_name(wanted)


def test_a_line_with_what_cannot_be_a_name_is_answered_with_the_reason(two_games: World) -> None:
    assert "A mail address cannot be a name" in answer(two_games, "guild", "archive name ann@example.org")
    assert "could be mistaken for somebody" in answer(two_games, "guild", "archive name Harkonnen")


def test_of_what_the_archive_shows_everybody_is_told_until_the_game_is_over_and_nobody_twice(world: World) -> None:
    begin(world, ArchivePolicy())
    games, before = world.moderator.open_games, world.written()
    assert set_archive_policy(games, GAME, ArchivePolicy("public"), world.now)
    told = world.letters(after=before)
    assert {letter.faction for letter in told} == set(world.table().seats)
    assert not set_archive_policy(games, GAME, ArchivePolicy("public"), world.now)
    clocks.end_game(DeskRequest(games, GAME, world.now), "void", ())
    before = world.written()
    assert not set_archive_policy(games, GAME, ArchivePolicy("public", 0, "public-only"), world.now)
    assert world.written() == before
    games.forget()
    assert world.table().policy == ArchivePolicy("public", 0, "public-only")


def test_a_person_may_write_their_own_name_otherwise_but_not_take_that_of_another(two_games: World) -> None:
    answer(two_games, "guild", "archive name Red Duke")
    answer(two_games, "fremen", "archive name Naib")
    assert "“RED DUKE”" in answer(two_games, "guild", "archive name RED DUKE")
    assert name(two_games, "guild", OTHER) == "RED DUKE"
    told = answer(two_games, "fremen", "archive name red duke")
    assert "Somebody else already has this name in the archive" in told
    assert name(two_games, "fremen") == "Naib"


def test_a_name_can_be_changed_wherever_it_stands_but_not_to_that_of_another(two_games: World) -> None:
    answer(two_games, "guild", "archive name Red Duke", "archive listed yes")
    answer(two_games, "fremen", "archive name Naib")
    with writing(two_games.engine) as conn:
        assert people.rename_pseudonym(conn, "Nobody", "Somebody") is None
        with pytest.raises(ValueError, match="Another person is called naib in the archive"):
            people.rename_pseudonym(conn, "red duke", "naib")
        changed = people.rename_pseudonym(conn, "red duke", "RED  Duke")
        assert changed is not None
        assert (changed.name, changed.listed) == ("Red Duke", True)
        people.rename_pseudonym(conn, "RED DUKE", "Old Duke")
    assert name(two_games, "guild") == name(two_games, "guild", OTHER) == "Old Duke"
    assert name(two_games, "fremen") == "Naib"


def test_who_asked_without_a_name_has_that_of_their_other_address_from_then_on(world: World) -> None:
    world.new_game(factions=THREE)
    second = "guild@second.example"
    seats: dict[Faction, str] = {"fremen": second, "guild": "else@players.example"}
    new_game(world.moderator.open_games, NewGame(OTHER, "ah-basic", seats, {"fremen": 2, "guild": 5}, "x"), world.now)
    world.moderator.deliver(world.mail("fremen", "archive name Liet", sender=second, game=OTHER), world.now)
    world.say("guild", f"address add {second}")
    reply_to = str(world.newest(second).message["Reply-To"])
    world.moderator.deliver(world.mail("guild", "confirm", sender=second, to=reply_to), world.now)
    assert name(world, "fremen", OTHER) == name(world, "guild") == "Liet"


def test_two_addresses_without_a_name_become_one_person_without_one(world: World) -> None:
    world.new_game(factions=THREE)
    answer(world, "fremen", "archive name Naib")
    second = "guild@second.example"
    world.say("guild", f"address add {second}")
    reply_to = str(world.newest(second).message["Reply-To"])
    world.moderator.deliver(world.mail("guild", "confirm", sender=second, to=reply_to), world.now)
    assert (name(world, "guild"), name(world, "fremen")) == ("Guild of sietch-12", "Naib")
