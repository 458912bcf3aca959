"""Substitutes: the seat's token, the new player's briefing, and the fate of the old player's prepared orders."""

from __future__ import annotations

import pytest

from bot.desk import clocks, seats
from bot.desk.powers import DeskRequest, PowerRefused
from bot.desk.seats import SeatRefused
from bot.games import proof
from bot.store.database import reading
from bot.store.games import UnknownGame
from rules.components import Faction
from tests.moderator.table import GAME, GAME_MASTER, World
from tests.moderator.test_deadlines import give_card

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
DORA = "dora@players.example"


def words(text: str) -> str:
    return " ".join(text.split())


def replace(world: World, faction: Faction = "guild", address: str = DORA, name: str = "Dora") -> None:
    seats.replace_player(DeskRequest(world.moderator.open_games, GAME, world.now), faction, address, name)


def test_the_new_player_answers_and_the_old_token_is_dead(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    old = world.token("guild")
    replace(world)
    line, before = world.line("guild", "traitor"), len(world.letters())
    to_old = f"mentat+{old}@arrakis.example"
    assert world.moderator.deliver(world.mail("guild", line, to=to_old), world.now).disposition == "rejected"
    stale = world.mail("guild", line, to=to_old, sender=DORA)
    assert world.moderator.deliver(stale, world.now).disposition == "rejected"
    stranger = world.mail("guild", line)
    assert world.moderator.deliver(stranger, world.now).disposition == "rejected"
    assert {letter.recipient for letter in world.letters()[before:]} == {GAME_MASTER, DORA}
    assert world.moderator.deliver(world.mail("guild", line, sender=DORA), world.now).taken == 1


def test_everybody_is_told_and_the_player_who_leaves_gets_a_last_word(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    replace(world)
    assert "From now on Dora plays Guild" in words(world.newest("atreides").text)
    farewell = words(world.newest("guild@players.example").text)
    assert "somebody else plays" in farewell
    assert "you are" not in farewell.lower()
    assert "Reply above" not in farewell
    assert world.token("guild") not in world.newest("guild@players.example").message.as_string()
    assert world.token("guild") in str(world.newest(DORA).message["Reply-To"])


def test_the_briefing_holds_what_the_seat_knows_and_no_more(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    world.silence_until("bidding")
    world.say("guild", "deal with atreides: peace for two turns")
    world.say("atreides", "accept")
    replace(world)
    table = world.table()
    briefing = words(world.newest(DORA).text)
    for card in table.play.state.players["guild"].hand:
        assert card in briefing
    for traitor in table.play.state.players["guild"].traitors:
        assert traitor in briefing
    assert "A deal from turn 1 with Atreides: peace for two turns" in briefing
    for other in ("atreides", "harkonnen"):
        for traitor in table.play.state.players[other].traitors:
            if traitor not in table.play.state.players["guild"].traitors:
                assert f"{traitor} (" not in briefing
    for question in table.play.questions():
        if question.faction == "guild" and not question.blanket:
            assert "[form " in briefing
    assert world.newest(DORA).subject == "[sietch-12] You are Guild from now on"


def test_strikes_the_caretaker_and_what_was_prepared_end_with_the_old_player(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    world.say("guild", "absent 2024-12-01 to 2024-12-03", "standing: charity", "extend 12")
    with world.moderator.open_games.transaction(GAME) as (_, table):
        seat = table.seats["guild"]
        seat.care, seat.missed = True, 3
        seat.waited, seat.fruitless = 600, 2
        table.touched.add("guild")
    replace(world)
    seat = world.table().seats["guild"]
    assert (seat.care, seat.missed, seat.away, seat.extended, seat.generation) == (False, 0, 0, 0, 1)
    assert (seat.waited, seat.fruitless) == (0, 0)
    assert world.table().absences == {}
    sheet = world.table().sheets.get("guild")
    assert sheet is None or not sheet.active()


def test_which_letters_the_old_player_wanted_is_not_handed_on(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    world.say("guild", "letters daily")
    with world.moderator.open_games.transaction(GAME) as (_, table):
        table.seats["guild"].digest_due = world.now
        table.touched.add("guild")
    replace(world)
    seat = world.table().seats["guild"]
    assert (seat.letters_mode, seat.digest_due) == ("all", None)


def test_the_new_player_has_at_least_half_a_step(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    world.wait(23)
    replace(world)
    table = world.table()
    (due,) = {table.due(q) for q in table.play.questions() if q.faction == "guild"}
    assert due is not None
    assert (due - world.now).total_seconds() == 12 * 3600


def test_a_game_with_a_substitute_still_replays(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    world.silence_until("movement")
    replace(world)
    for _ in range(5):
        world.wait(24)
    with reading(world.engine) as conn:
        assert proof.verify(proof.full_record(conn, GAME)).holds


@pytest.mark.parametrize(
    ("faction", "address", "why"),
    [
        ("guild", "guild@players.example", "already"),
        ("guild", "Atreides@players.example", "two seats"),
        ("fremen", DORA, "Nobody plays the Fremen"),
    ],
)
def test_who_cannot_take_a_seat_is_refused(world: World, faction: Faction, address: str, why: str) -> None:
    world.new_game("wbc-2018", factions=FEW)
    before = len(world.letters())
    with pytest.raises(SeatRefused, match=why):
        replace(world, faction, address)
    assert len(world.letters()) == before


def test_a_game_that_is_not_there_has_no_seats(world: World) -> None:
    with pytest.raises(UnknownGame):
        replace(world)


def test_the_briefing_tells_what_all_heard_and_no_deal_of_others(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    world.silence_until("bidding")
    give_card(world, "harkonnen", "Truthtrance")
    world.say("harkonnen", "truthtrance atreides: Do you hold a Karama?")
    world.say("atreides", world.line("atreides", "truthtrance-answer"))
    world.say("atreides", "deal with harkonnen: leave me Carthag")
    world.say("harkonnen", "accept")
    replace(world)
    briefing = words(world.newest(DORA).text)
    assert "Said under Truthtrance:" in briefing
    assert "Do you hold a Karama?" in briefing
    assert "A deal from turn" not in briefing


def test_no_seat_of_a_game_that_is_over_changes_hands(world: World) -> None:
    world.new_game("wbc-2018", factions=FEW)
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    before = world.written()
    with pytest.raises(PowerRefused, match="is over"):
        replace(world)
    assert (world.table().seats["guild"].address, world.written()) == ("guild@players.example", before)
