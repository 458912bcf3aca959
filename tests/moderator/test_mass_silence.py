"""When most players fall silent at once, mail is probably broken: clocks stop until players are heard again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.moderator import outage
from bot.store import installation
from bot.store.database import writing
from bot.store.tables import SEAT
from rules.components import FACTIONS, Faction
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, World, address_of

OTHER = "sietch-13"
FIVE = tuple(faction for faction in FACTIONS if faction != "bene-gesserit")  # they predict before others are asked
FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


def stopped(world: World, game: str = GAME) -> str:
    return world.table(game).stopped_why


def dues(world: World, game: str = GAME) -> set[datetime | None]:
    table = world.table(game)
    return {table.due(question) for question in table.play.questions()}


def two_games(world: World, factions: Sequence[Faction] = FIVE) -> World:
    """Start a game whose players have all written, and another that is asking them for their traitors."""
    world.new_game(factions=factions)
    world.now += timedelta(minutes=1)
    for faction in factions:
        world.say(faction, world.line(faction, "traitor") if faction == "guild" else "status")
    world.now += timedelta(minutes=1)
    world.new_game(factions=factions, game=OTHER)
    return world


@pytest.fixture
def lively(world: World) -> World:
    return two_games(world)


def test_when_all_fall_silent_who_have_written_before_the_clocks_of_all_games_stop(lively: World) -> None:
    asked = lively.asked(OTHER)
    lively.wait(24)
    assert (stopped(lively), stopped(lively, OTHER)) == ("silence", "silence")
    assert lively.asked(OTHER) == asked
    assert lively.wait(1000) == 0


def test_the_game_master_is_told_once_and_the_players_are_not(lively: World) -> None:
    before = len(
        [sent for sent in lively.letters() if sent.recipient != GAME_MASTER and "reminder)" not in sent.subject]
    )
    lively.wait(24)
    lively.wait(24)
    told = [sent for sent in lively.letters(GAME_MASTER) if "No mail from anybody" in sent.subject]
    assert len(told) == 1
    assert ": resume”" in told[0].text
    others = [sent for sent in lively.letters() if sent.recipient != GAME_MASTER and "reminder)" not in sent.subject]
    assert len(others) == before


def test_when_two_players_are_heard_again_the_clocks_go_on_with_all_the_time_that_was_left(lively: World) -> None:
    lively.wait(50)
    lively.say("guild", "status")
    assert stopped(lively, OTHER) == "silence"
    lively.now += timedelta(hours=1)
    lively.say("fremen", lively.line("fremen", "traitor", game=OTHER), game=OTHER)
    assert (stopped(lively), stopped(lively, OTHER)) == ("", "")
    assert dues(lively, OTHER) == {lively.now + timedelta(hours=24)}


def test_everybody_is_told_in_one_mail_that_the_clocks_go_on(lively: World) -> None:
    lively.wait(50)
    written = len(lively.letters())
    assert outage.start_all_clocks(lively.moderator.open_games, lively.now, "the server is back") == 2
    letters = lively.letters()[written:]
    assert len(letters) == len(FIVE) + 1
    assert len({sent.recipient for sent in letters}) == len(letters)
    assert all("Lost time is given back" in sent.subject for sent in letters)
    assert "sietch-12 and sietch-13" in " ".join(letters[0].text.split())


def test_where_mail_comes_in_the_clocks_go_on_after_two_days_though_one_alone_writes(lively: World) -> None:
    lively.wait(24)
    told = next(sent for sent in lively.letters(GAME_MASTER) if "No mail from anybody" in sent.subject)
    assert "start again after 48 hours if any mail arrives" in " ".join(told.text.split())
    lively.say("guild", "status")
    lively.wait(47)
    assert stopped(lively, OTHER) == "silence"
    lively.wait(1)
    assert (stopped(lively), stopped(lively, OTHER)) == ("", "")
    assert dues(lively, OTHER) == {lively.now + timedelta(hours=24)}, "no time was lost"
    lively.wait(24)
    assert stopped(lively, OTHER) == "", "who is silent now was silent before"


def test_a_mail_of_mentat_to_itself_that_comes_back_shows_that_mail_comes_in(lively: World) -> None:
    lively.wait(24)
    with writing(lively.engine) as conn:
        installation.beat(conn, "canary", lively.now + timedelta(hours=1))
    lively.wait(48)
    assert stopped(lively, OTHER) == ""


@pytest.mark.parametrize("hours", [0, 48])
def test_where_no_mail_comes_at_all_or_the_settings_say_so_they_stand_on(tmp_path: Path, hours: int) -> None:
    lively = two_games(World.at(tmp_path, CONFIG + f"[clock]\nsilence_hours = {hours}\n"))
    lively.wait(24)
    if not hours:
        lively.say("guild", "status")
    for _ in range(3):
        lively.wait(48)
    assert stopped(lively, OTHER) == "silence"


def test_one_silence_stops_the_clocks_only_once(lively: World) -> None:
    lively.wait(24)
    outage.start_all_clocks(lively.moderator.open_games, lively.now, "")
    assert lively.wait(24) >= 1
    assert stopped(lively, OTHER) == ""


def test_the_game_master_may_let_one_game_go_on_alone(lively: World) -> None:
    lively.wait(24)
    clocks.resume(DeskRequest(lively.moderator.open_games, OTHER, lively.now))
    assert (stopped(lively), stopped(lively, OTHER)) == ("silence", "")


def test_a_new_game_in_which_nobody_has_ever_written_has_not_fallen_silent(world: World) -> None:
    world.new_game()
    assert world.wait(24) == 1
    assert stopped(world) == ""


def test_a_table_where_somebody_answers_has_not_fallen_silent(lively: World) -> None:
    lively.wait(12)
    lively.say("guild", "status")
    lively.wait(12)
    assert stopped(lively, OTHER) == ""
    assert lively.wait(24) >= 1


def test_three_players_are_too_few_to_tell(world: World) -> None:
    two_games(world, FEW)
    world.wait(24)
    assert stopped(world, OTHER) == ""


@pytest.mark.parametrize(("enough", "stops"), [(3, True), (4, True), (5, False)])
def test_as_many_players_as_the_settings_say_are_enough(tmp_path: Path, enough: int, stops: bool) -> None:
    world = World.at(tmp_path, CONFIG + f"[clock]\nsilence_players = {enough}\n")
    two_games(world)
    world.wait(24)
    assert (stopped(world, OTHER) == "silence") is stops


def test_where_most_have_answered_the_rest_are_merely_late(lively: World) -> None:
    for faction in ("atreides", "guild"):
        lively.say(faction, lively.line(faction, "traitor", game=OTHER), game=OTHER)
    lively.wait(24)
    assert stopped(lively, OTHER) == ""


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG + "[clock]\nsilence_stops = false\n")
    two_games(world)
    assert world.wait(24) >= 1
    assert stopped(world, OTHER) == ""


def test_a_paused_game_stays_paused_when_the_others_go_on(lively: World) -> None:
    clocks.pause(DeskRequest(lively.moderator.open_games, GAME, lively.now))
    lively.wait(24)
    outage.start_all_clocks(lively.moderator.open_games, lively.now, "")
    assert (stopped(lively), stopped(lively, OTHER)) == ("pause", "")


def test_players_who_dropped_away_one_by_one_have_not_fallen_silent_at_once(lively: World) -> None:
    with writing(lively.engine) as conn:
        conn.execute(update(SEAT).where(SEAT.c.faction.in_(("guild", "fremen"))).values(missed=1))
    lively.wait(24)
    assert (stopped(lively), stopped(lively, OTHER)) == ("", "")


def test_what_one_writes_meanwhile_shows_in_no_letter_of_the_others(tmp_path: Path) -> None:
    """Restarted clocks show that mail has arrived, but not who wrote it or what it ordered."""
    seen = []
    for number, (writer, secret) in enumerate((("guild", False), ("guild", True), ("fremen", False))):
        (tmp_path / str(number)).mkdir()
        lively = two_games(World.at(tmp_path / str(number)))
        lively.wait(24)
        line = lively.line(writer, "traitor", game=OTHER) if secret else "status"
        lively.say(writer, line, game=OTHER if secret else GAME)
        lively.wait(48)
        known = (GAME_MASTER, address_of("guild"), address_of("fremen"))
        others = [sent for sent in lively.letters() if sent.recipient not in known]
        seen.append(sorted((sent.recipient, sent.subject, sent.text) for sent in others))
    assert any("Lost time is given back" in subject for _, subject, _ in seen[0])
    assert seen[0] == seen[1] == seen[2]
