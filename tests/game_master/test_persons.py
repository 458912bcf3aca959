"""Bans, warnings, and the deletion of games that were set up by mistake."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import clocks, people, positions, rights, seats, sight
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.desk.seats import SeatRefused, end_of_day
from bot.games import observers
from bot.games.seat_addresses import AddressRefused
from bot.store import acts, games
from bot.store import people as bans
from bot.store.database import reading
from bot.store.tournaments import UnknownTournament
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, World, address_of
from tests.tournament.cup import Cup

DORA = "dora@elsewhere.example"


def test_who_is_banned_gets_no_seat_and_keeps_what_they_have_until_it_is_given_away(begun: World) -> None:
    open_games, before = begun.moderator.open_games, begun.written()
    held = people.ban(DeskRequest(open_games, "", begun.now, Use(why="wrote for two")), address_of("guild").upper())
    assert held == [(GAME, "guild")]
    [letter] = begun.letters(after=before)
    assert letter.recipient == address_of("guild")
    assert "wrote for two" not in letter.text
    begun.say("guild", "status")
    assert "GUILD" in begun.newest("guild").text
    with pytest.raises(AddressRefused, match="cannot play here"):
        begun.new_game(game="other")
    with reading(begun.engine) as conn:
        [act] = acts.acts_of(conn, game_id=GAME)
    assert (act.what, act.words, act.why) == ("ban", "guild", "wrote for two")
    people.ban(DeskRequest(open_games, "", begun.now), DORA, until=begun.now + timedelta(days=2))
    with pytest.raises(SeatRefused, match="cannot play here"):
        seats.replace_player(DeskRequest(open_games, GAME, begun.now), "guild", DORA)
    seats.replace_player(DeskRequest(open_games, GAME, begun.now + timedelta(days=3)), "guild", DORA)


def test_a_ban_ends_and_is_not_given_twice(begun: World) -> None:
    open_games = begun.moderator.open_games
    people.ban(DeskRequest(open_games, "", begun.now), DORA)
    with pytest.raises(PowerRefused, match="already"):
        people.ban(DeskRequest(open_games, "", begun.now), DORA)
    with pytest.raises(PowerRefused, match="is past"):
        people.ban(DeskRequest(open_games, "", begun.now), "x@y.example", until=begun.now)
    people.unban(DeskRequest(open_games, "", begun.now), DORA)
    with pytest.raises(PowerRefused, match="not banned"):
        people.unban(DeskRequest(open_games, "", begun.now), DORA)
    people.warn(DeskRequest(open_games, "", begun.now), DORA, "Keep to the tone.")
    assert "Keep to the tone." in begun.newest(DORA).text
    with reading(begun.engine) as conn:
        assert [each.kind for each in bans.all_bans(conn)] == ["ban", "warning"]
        assert bans.standing_ban(conn, DORA, begun.now) is None


def test_a_ban_until_a_day_ends_with_that_day_and_names_it(begun: World) -> None:
    open_games = begun.moderator.open_games
    until = end_of_day(begun.settings, "2027-01-31")
    people.ban(DeskRequest(open_games, "", begun.now), DORA, until=until)
    assert "until 2027-01-31." in begun.newest(DORA).text
    with reading(begun.engine) as conn:
        assert bans.standing_ban(conn, DORA, until - timedelta(seconds=1))
        assert bans.standing_ban(conn, DORA, until) is None


def test_nobody_is_banned_in_a_tournament_that_there_is_not(begun: World) -> None:
    open_games, before = begun.moderator.open_games, begun.written()
    with pytest.raises(UnknownTournament):
        people.ban(DeskRequest(open_games, "", begun.now), DORA, tournament_id="cpu")
    assert begun.written() == before


def test_why_a_ban_was_lifted_stays_at_the_desk(begun: World) -> None:
    open_games, guild = begun.moderator.open_games, address_of("guild")
    people.ban(DeskRequest(open_games, "", begun.now, Use(why="wrote for two")), guild)
    before = begun.written()
    people.unban(DeskRequest(open_games, "", begun.now, Use(by=GAME_MASTER, why="it was their brother")), guild)
    assert all("brother" not in letter.text for letter in begun.letters(after=before))
    with reading(begun.engine) as conn:
        act, [lifted] = acts.acts_of(conn, game_id=GAME)[-1], bans.all_bans(conn)
    assert (act.what, act.words, act.why, act.who) == ("unban", "guild", "it was their brother", GAME_MASTER)
    assert (lifted.why, lifted.lifted_why, lifted.lifted_by) == ("wrote for two", "it was their brother", GAME_MASTER)


def test_a_ban_holds_under_another_tag_of_the_same_mailbox(begun: World) -> None:
    open_games = begun.moderator.open_games
    people.ban(DeskRequest(open_games, "", begun.now), DORA)
    for other in ("dora+again@elsewhere.example", "Dora+x@Elsewhere.example"):
        with pytest.raises(SeatRefused, match="cannot play here"):
            seats.replace_player(DeskRequest(open_games, GAME, begun.now), "guild", other)
        with pytest.raises(observers.ObserverRefused, match="banned"):
            sight.add_observer(DeskRequest(open_games, GAME, begun.now), other)
        with pytest.raises(PowerRefused, match="already"):
            people.ban(DeskRequest(open_games, "", begun.now), other)
    with reading(begun.engine) as conn:
        assert bans.standing_ban(conn, "dora+x@elsewhere.example", begun.now, tags_apart=True) is None
    people.unban(DeskRequest(open_games, "", begun.now), "dora+x@elsewhere.example")
    seats.replace_player(DeskRequest(open_games, GAME, begun.now), "guild", DORA)


def test_a_game_in_which_nobody_has_ordered_anything_is_deleted_whole(begun: World) -> None:
    begun.new_game(game="mistyped")
    before = begun.written()
    people.delete_game(DeskRequest(begun.moderator.open_games, "mistyped", begun.now))
    assert {letter.recipient for letter in begun.letters(after=before)} == {
        seat.address for seat in begun.table().seats.values()
    }
    with reading(begun.engine) as conn:
        assert not games.exists(conn, "mistyped")
    with pytest.raises(ValueError, match="choose another id"):
        begun.new_game(game="mistyped")
    begun.silence_until("bidding")


def test_a_game_in_which_somebody_has_ordered_is_not_deleted(begun: World) -> None:
    begun.say("bene-gesserit", "predict guild turn 3")
    with pytest.raises(PowerRefused, match="Orders have been given"):
        people.delete_game(DeskRequest(begun.moderator.open_games, GAME, begun.now))
    with pytest.raises(games.UnknownGame):
        people.delete_game(DeskRequest(begun.moderator.open_games, "none", begun.now))


def test_a_game_that_is_over_or_was_taken_back_is_not_deleted(begun: World) -> None:
    open_games = begun.moderator.open_games
    begun.say("bene-gesserit", "predict guild turn 3")
    positions.roll_back(DeskRequest(open_games, GAME, begun.now), 0)
    with pytest.raises(PowerRefused, match="Orders have been given"):
        people.delete_game(DeskRequest(open_games, GAME, begun.now))
    begun.new_game(game="over")
    clocks.end_game(DeskRequest(open_games, "over", begun.now), "void", ())
    with pytest.raises(PowerRefused, match="over is over and cannot be deleted: its record and act log belong"):
        people.delete_game(DeskRequest(open_games, "over", begun.now))


def test_a_game_in_which_the_game_master_has_played_or_looked_is_not_deleted(begun: World) -> None:
    open_games, guild = begun.moderator.open_games, "guild"
    positions.correct_facts(DeskRequest(open_games, GAME, begun.now), [f"spice {guild} +1"])
    begun.new_game(game="looked")
    sight.predict_phase(DeskRequest(open_games, "looked", begun.now))
    for game, what in ((GAME, "position"), ("looked", "predict")):
        with pytest.raises(PowerRefused, match=f"that lists what you did there: {what}"):
            people.delete_game(DeskRequest(open_games, game, begun.now))


def test_a_game_master_who_plays_in_a_game_does_not_delete_it(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG.replace(GAME_MASTER, address_of("guild")))
    world.new_game()
    with pytest.raises(PowerRefused, match="a player has no power over their own game"):
        people.delete_game(DeskRequest(world.moderator.open_games, GAME, world.now))
    rights.grant(DeskRequest(world.moderator.open_games, GAME, world.now), "director", DORA)
    people.delete_game(DeskRequest(world.moderator.open_games, GAME, world.now, Use(by=DORA)))
    with reading(world.engine) as conn:
        assert not games.exists(conn, GAME)
    world.engine.dispose()


def test_the_players_of_a_mistyped_game_are_told_what_the_game_master_says(begun: World) -> None:
    begun.new_game(game="mistyped")
    people.delete_game(DeskRequest(begun.moderator.open_games, "mistyped", begun.now, Use(tell="Dora was to play.")))
    assert "Dora was to play." in begun.newest(address_of("guild")).text


def test_a_warning_without_words_is_none(begun: World) -> None:
    before = begun.written()
    with pytest.raises(PowerRefused, match="Say what the warning is for"):
        people.warn(DeskRequest(begun.moderator.open_games, "", begun.now), DORA, " ")
    with reading(begun.engine) as conn:
        assert (bans.all_bans(conn), begun.written()) == ([], before)


def test_mentat_itself_is_no_person(begun: World) -> None:
    before = begun.written()
    with pytest.raises(PowerRefused, match="is Mentat's own address"):
        people.ban(DeskRequest(begun.moderator.open_games, "", begun.now), " Mentat@Arrakis.example ")
    with reading(begun.engine) as conn:
        assert (bans.all_bans(conn), begun.written()) == ([], before)


def test_a_ban_reaches_as_far_as_the_right_of_whoever_speaks_it(tmp_path: Path) -> None:
    cup = Cup(World.at(tmp_path))
    cup.round()
    cup.grant("rey@elsewhere.example", "director")
    cup.grant("ann@elsewhere.example", "arbiter")
    game = "cup-1-1"
    assert people.ban_reach(DeskRequest(cup.open_games, game, cup.now, Use(by="rey@elsewhere.example")), "ban") == "cup"
    assert people.ban_reach(DeskRequest(cup.open_games, game, cup.now, Use(by=GAME_MASTER)), "ban") == ""
    rights.grant(DeskRequest(cup.open_games, game, cup.now), "director", DORA)
    for other in (DORA, "ann@elsewhere.example"):
        with pytest.raises(PowerRefused):
            people.ban_reach(DeskRequest(cup.open_games, game, cup.now, Use(by=other)), "ban")


def test_a_table_of_a_tournament_is_not_deleted(tmp_path: Path) -> None:
    cup = Cup(World.at(tmp_path))
    cup.round()
    before = cup.world.written()
    with pytest.raises(PowerRefused, match="cup-1-1 is a table of a tournament; `mentat tournament void` voids its"):
        people.delete_game(DeskRequest(cup.open_games, "cup-1-1", cup.now))
    assert cup.world.table("cup-1-1").status == "running"
    assert cup.world.written() == before
