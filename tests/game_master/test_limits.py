"""Powers at their limits: the last instant, length or number accepted, and the first refused."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import clocks, people, positions, rights, seats, sight, speech
from bot.desk.clocks import EndRefused
from bot.desk.new_game import GuessableSeed, bits_of, require_unguessable
from bot.desk.powers import DeskRequest, PowerRefused, Use, spoken_words
from bot.desk.seats import SeatRefused
from bot.games.open_games import Session
from bot.store import acts
from bot.store.database import reading, writing
from rules.components import FACTIONS
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, World, address_of, make_settings
from tests.press.test_gunboat import NAMES, gunboat

DORA = "dora@elsewhere.example"
SECOND = timedelta(seconds=1)
BY_MAIL = CONFIG.replace('kind = "directory"\ndirectory = "outgoing"', 'host = "smtp.arrakis.example"')


def test_a_letter_takes_four_thousand_characters() -> None:
    assert spoken_words("x" * 4_000) == "x" * 4_000
    with pytest.raises(PowerRefused, match="The text has 4001 characters; a letter holds at most 4000"):
        spoken_words("x" * 4_001)


def test_empty_lines_between_what_is_told_are_left_out(begun: World) -> None:
    for said in ("One.\nTwo.", "One.\n\n  \nTwo."):
        speech.tell(DeskRequest(begun.moderator.open_games, GAME, begun.now), ["guild"], said)
    once, again = begun.letters("guild")[-2:]
    assert once.html.count("<p") == again.html.count("<p")


@pytest.mark.parametrize(("delay", "taken"), [(1, False), (2, True), (20, True), (21, False)])
def test_whoever_reads_what_is_hidden_reads_it_two_to_twenty_turns_late(begun: World, delay: int, taken: bool) -> None:
    before = begun.written()
    if not taken:
        with pytest.raises(PowerRefused, match="read hidden information 2 to 20 turns late"):
            sight.add_full_observer(
                DeskRequest(begun.moderator.open_games, GAME, begun.now, Use()), DORA, delay, FACTIONS
            )
        assert begun.written() == before
        return
    sight.add_full_observer(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use()), DORA, delay, FACTIONS)
    with reading(begun.engine) as conn:
        assert [act.words for act in acts.acts_of(conn, game_id=GAME)] == [f"{DORA}, {delay} turns late"]


@pytest.mark.parametrize(("delay", "taken"), [(-1, False), (0, True), (20, True), (21, False)])
def test_an_observer_reads_at_most_twenty_turns_late(begun: World, delay: int, taken: bool) -> None:
    if not taken:
        with pytest.raises(PowerRefused, match=f"{delay} is not a possible delay; a delay is 0 to 20 turns"):
            sight.add_observer(DeskRequest(begun.moderator.open_games, GAME, begun.now), DORA, delay=delay)
        return
    sight.add_observer(DeskRequest(begun.moderator.open_games, GAME, begun.now), DORA, delay=delay)
    assert begun.newest(DORA)


def test_a_sitter_sits_in_for_sixty_days_at_most_and_not_in_the_past(begun: World) -> None:
    games = begun.moderator.open_games
    for until, why in (
        (begun.now - SECOND, "is past"), (begun.now, "is past"), (begun.now + timedelta(days=60) + SECOND, "60 days"),
    ):  # fmt: skip
        with pytest.raises(PowerRefused, match=why):
            seats.set_sitter(DeskRequest(games, GAME, begun.now), "guild", DORA, until)
    seats.set_sitter(DeskRequest(games, GAME, begun.now), "guild", DORA, begun.now + timedelta(days=60))
    seats.set_sitter(DeskRequest(games, GAME, begun.now), "fremen", "sam@elsewhere.example", begun.now + SECOND)
    assert [faction for faction, seat in begun.table().seats.items() if seat.sitter] == ["fremen", "guild"]


def test_a_ban_that_is_over_before_it_begins_is_none(begun: World) -> None:
    games = begun.moderator.open_games
    for until in (begun.now - SECOND, begun.now):
        with pytest.raises(PowerRefused, match="is past; a ban must end in the future"):
            people.ban(DeskRequest(games, "", begun.now), DORA, until=until)
    people.ban(DeskRequest(games, "", begun.now), DORA, until=begun.now + SECOND)
    with pytest.raises(PowerRefused, match="is not banned in spice-cup"):
        people.unban(DeskRequest(games, "", begun.now), DORA, tournament_id="spice-cup")


def test_a_game_is_taken_back_to_none_of_its_entries_at_least(begun: World) -> None:
    begun.silence_until("storm")
    games, entries = begun.moderator.open_games, begun.table().entries
    for number in (-1, entries + 1):
        with pytest.raises(ValueError, match="entries"):
            positions.preview_rollback(DeskRequest(games, GAME, begun.now), number)
        with pytest.raises(ValueError, match="entries"):
            positions.roll_back(DeskRequest(games, GAME, begun.now), number)
    assert begun.table().entries == entries
    positions.roll_back(DeskRequest(games, GAME, begun.now), 0)
    assert begun.table().entries == 0


def test_whoever_has_previewed_at_the_machine_takes_no_seat_either(begun: World) -> None:
    begun.silence_until("revival")
    games = begun.moderator.open_games
    positions.preview_rollback(DeskRequest(games, GAME, begun.now), 1)
    with pytest.raises(SeatRefused, match="has read secrets"):
        seats.replace_player(DeskRequest(games, GAME, begun.now), "guild", GAME_MASTER)
    seats.replace_player(DeskRequest(games, GAME, begun.now), "guild", DORA)


def test_a_game_that_is_over_is_not_ended_again_and_its_seats_are_not_given_away(begun: World) -> None:
    games = begun.moderator.open_games
    with pytest.raises(EndRefused, match="sietch-12: A void game has no winners"):
        clocks.end_game(DeskRequest(games, GAME, begun.now), "void", ("guild",))
    clocks.end_game(DeskRequest(games, GAME, begun.now), "void", ())
    with pytest.raises(PowerRefused, match="sietch-12 is over; you can still use"):
        clocks.end_game(DeskRequest(games, GAME, begun.now), "agreed", ("guild",))
    with writing(begun.engine) as conn, pytest.raises(EndRefused, match="sietch-12 is over"):
        clocks.end_game_now(Session(conn, games, begun.now), games.table(conn, GAME), "agreed", ("guild",))
    with writing(begun.engine) as conn, pytest.raises(SeatRefused, match="sietch-12 is over"):
        seats.take_seat(Session(conn, games, begun.now), games.table(conn, GAME), "guild", DORA)


def test_a_game_whose_rules_have_changed_is_not_ended_before_it_is_taken_back(begun: World) -> None:
    with writing(begun.engine) as conn:
        conn.exec_driver_sql("UPDATE game SET status = 'held', rules_digest = 'of other rules'")
    games = begun.moderator.open_games
    games.forget()
    with pytest.raises(PowerRefused, match="sietch-12 is held: its rules have changed"):
        clocks.end_game(DeskRequest(games, GAME, begun.now), "void", ())
    with writing(begun.engine) as conn, pytest.raises(EndRefused, match="sietch-12 is held: its rules have changed"):
        clocks.end_game_now(Session(conn, games, begun.now), games.table(conn, GAME), "void", ())


def test_an_answer_to_the_desk_names_no_person_where_nobody_is_to_know_who_plays(world: World) -> None:
    gunboat(world)
    games = world.moderator.open_games
    rights.grant(DeskRequest(games, GAME, world.now), "director", DORA)
    speech.ask(DeskRequest(games, GAME, world.now, Use(by=DORA)), "guild", "Carthag or Arrakeen?")
    question = world.newest("guild")
    answer = world.mail("guild", "Carthag.", In_Reply_To=str(question.message["Message-ID"]))
    assert world.moderator.deliver(answer, world.now).taken == 1
    told = world.newest(DORA)
    assert "Carthag." in told.text
    for name in (address_of("guild"), NAMES["guild"]):
        assert name not in told.message.as_string() + told.text


@pytest.mark.parametrize(
    ("seed", "bits"), [("a b", 20), ("the sleeper must awaken", 52), ("0" * 32, 106), ("9f" * 16, 128)]
)
def test_a_seed_holds_what_its_letters_or_its_words_hold_whichever_is_less(seed: str, bits: int) -> None:
    assert round(bits_of(seed)) == bits


def test_a_seed_needs_eight_different_characters_where_letters_leave_the_machine(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, BY_MAIL)
    require_unguessable("abcdefgh" * 8, settings)
    with pytest.raises(GuessableSeed, match="and 7 different characters"):
        require_unguessable("abcdefg" * 9, settings)
    with pytest.raises(GuessableSeed, match="at most 126 bits"):
        require_unguessable("abcdefghijklmnopqrstuvwxyza", settings)
