"""One mail for several games: each line reaches its own seat and no other player's, and each game answers."""

from __future__ import annotations

import re

import pytest

from bot.store import people
from bot.store.database import reading
from rules.components import Faction
from tests.moderator.table import GAME, GAME_MASTER, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
SECOND = "sietch-13"


@pytest.fixture
def world(world: World) -> World:
    world.new_game(factions=FEW)
    world.new_game(factions=FEW, game=SECOND, seed="other spice")
    return world


def words(text: str) -> str:
    return " ".join(text.split())


def form_of(world: World, faction: Faction, game: str) -> tuple[str, list[str]]:
    """Return the code and the lines of the form in a player's last letter from a game."""
    letter = next(each for each in reversed(world.letters(faction)) if f"[{game}]" in each.subject)
    found = re.search(r"\[form (\w+)\]\r?\n(.*?)\r?\n\[end of form", letter.text, re.DOTALL)
    assert found is not None
    return found[1], found[2].splitlines()


def test_lines_below_a_reply_token_are_for_that_game_and_each_game_answers(world: World) -> None:
    first, second = world.line("guild", "traitor"), world.line("guild", "traitor", game=SECOND)
    before = len(world.letters())
    verdict = world.say("guild", first, f"[#{world.token('guild', SECOND)}]", second)
    assert verdict.taken == 2
    assert "guild" not in world.asked() | world.asked(SECOND)
    answers = [letter for letter in world.letters()[before:] if letter.recipient == address_of("guild")]
    assert [game for letter in answers for game in (GAME, SECOND) if game in letter.subject] == [GAME, SECOND]
    assert answers[0].message["In-Reply-To"] != answers[1].message["In-Reply-To"]
    assert answers[1].message["Auto-Submitted"] == "auto-generated"


def test_a_mail_to_two_seats_takes_what_names_its_seat_and_asks_for_the_rest(world: World) -> None:
    tokens = [world.token("guild", game) for game in (GAME, SECOND)]
    both = ", ".join(f"mentat+{token}@arrakis.example" for token in tokens)
    first, second = world.line("guild", "traitor"), world.line("guild", "traitor", game=SECOND)
    lines = ["status", f"[#{tokens[1]}]", second, f"[#{tokens[0]}]", first]
    verdict = world.moderator.deliver(world.mail("guild", *lines, to=both), world.now)
    assert verdict.taken == 2
    told = [words(letter.text) for letter in world.letters("guild") if "two of your seats" in words(letter.text)]
    assert len(told) == 1


def test_lines_below_the_token_of_somebody_elses_seat_are_not_read_and_its_owner_is_told(world: World) -> None:
    traitor = world.line("harkonnen", "traitor")
    questions, before = world.asked(), len(world.letters())
    world.say("guild", "status", f"[#{world.token('harkonnen')}]", traitor)
    assert world.asked() == questions
    letters = world.letters()[before:]
    assert {letter.recipient for letter in letters} == {address_of(f) for f in ("guild", "harkonnen")} | {GAME_MASTER}
    assert "freeze" in words(world.newest("harkonnen").text)
    assert address_of("guild") not in world.newest("harkonnen").message.as_string()


def test_what_the_writer_is_told_does_not_depend_on_whether_a_token_is_anybodys(world: World) -> None:
    replies = []
    for token in (world.token("harkonnen"), "a" * 16):
        world.say("guild", "bid 4", f"[#{token}]", "traitor feyd-rautha")
        replies.append(re.sub(r"form \w+\]", "form]", words(world.newest("guild").text)))
    assert replies[0] == replies[1]


def test_a_form_belongs_to_the_seat_that_it_was_sent_to(world: World) -> None:
    code, lines = form_of(world, "guild", SECOND)
    boxes = [number for number, line in enumerate(lines) if line.startswith("[ ] traitor")]
    lines[boxes[0]] = lines[boxes[0]].replace("[ ]", "[x]")
    mail = world.mail("guild", f"> [form {code}]", *(f"> {line}" for line in lines), f"> [end of form {code}]")
    assert world.moderator.deliver(mail, world.now).taken == 1
    assert "guild" in world.asked()
    assert "guild" not in world.asked(SECOND)


def test_a_form_of_another_player_is_as_one_that_never_was(world: World) -> None:
    code, lines = form_of(world, "atreides", GAME)
    questions, told = world.asked(), []
    for known in (code, "0" * len(code)):
        form = [f"[form {known}]", *(line.replace("[ ]", "[x]") for line in lines), f"[end of form {known}]"]
        world.say("guild", "bid 4", *form)
        told.append(re.sub(r"form \w+", "form", words(world.newest("guild").text)).partition("Wanted")[0])
    assert world.asked() == questions
    assert told[0] == told[1]
    assert "Was this message yours?" in world.newest("atreides").subject


def test_orders_that_were_left_out_of_a_mail_are_said_in_one_line(world: World) -> None:
    world.say(
        "guild", "status", "-- ", "Edric of the Guild", "bid 40", "bid 41", "bid 42", "ship 3 to carthage", "Stilgar"
    )
    left_out = "a signature, a footer or the like, and left it out: “bid 40”, “bid 41”, “bid 42” and 1 more line."
    assert left_out in words(world.newest("guild").text)


def test_a_signature_is_not_worth_a_word(world: World) -> None:
    world.say("guild", "status", "-- ", "Edric of the Guild", "Tupile", "Siridar-Governor, retired")
    assert "left it out" not in words(world.newest("guild").text)


def test_the_seats_of_a_person_come_by_the_names_of_the_games_and_the_order_of_the_table(world: World) -> None:
    world.new_game(factions=FEW, game="arrakis")
    everybody = [address_of(faction) for faction in reversed(FEW)]
    with reading(world.engine) as conn:
        seats = people.seats_at_addresses(conn, everybody)
    assert seats == [(game, faction) for game in ("arrakis", GAME, SECOND) for faction in FEW]
