"""Tests that the service keeps the archive folder current: running games at fixed times, finished games soon after."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.archive import site
from bot.config.values import ArchivePolicy
from bot.desk.new_game import NewGame, new_game
from bot.service import doctor
from bot.service.loop import Service
from bot.service.mail_servers import open_mailbox, open_transport
from bot.service.publisher import Publisher, publisher_for
from bot.store.installation import only_one
from rules.components import Faction
from tests.moderator.table import CONFIG, DOTS, World, address_of, make_settings

THREE: tuple[Faction, ...] = ("atreides", "fremen", "guild")
WITH_ARCHIVE = CONFIG + '[archive]\nfolder = "site"\n'
OPEN, SHORT = "open", "short"
HOUR = timedelta(hours=1)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path, WITH_ARCHIVE)
    for game, options in ((OPEN, {}), (SHORT, {"max_turns": 1})):
        seats = {faction: address_of(faction) for faction in THREE}
        dots = dict(zip(THREE, DOTS, strict=False))
        policy = ArchivePolicy("public" if game == OPEN else "hidden")
        new_game(
            made.moderator.open_games,
            NewGame(game, "wbc-2018", seats, dots, game, archive=policy, options=options),
            made.now,
        )
    made.now += timedelta(minutes=7)
    yield made
    made.engine.dispose()


@pytest.fixture
def publisher(world: World) -> Publisher:
    return publisher_for(world.settings, world.engine)


def files(world: World) -> dict[str, bytes]:
    site = world.settings.mentat.database.parent / "site"
    return {str(path.relative_to(site)): path.read_bytes() for path in sorted(site.rglob("*")) if path.is_file()}


def of(game: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if name.startswith(f"game/{game}/")}


def test_running_games_are_written_on_the_beat_alone(world: World, publisher: Publisher) -> None:
    publisher.look(world.now)
    before = files(world)
    assert of(OPEN, before)
    assert not of(SHORT, before)
    while world.table(OPEN).play.state.phase != "bidding":
        world.wait(24)
    beat = world.now.replace(minute=0) + HOUR
    assert publisher.look(beat)
    world.now = beat
    shown = files(world)
    assert of(OPEN, shown) != of(OPEN, before)
    start = world.table(OPEN).play.state.phase
    while world.table(OPEN).play.state.phase == start:
        faction, kinds = next(iter(world.asked(OPEN).items()))
        world.say(faction, world.line(faction, kinds[0], game=OPEN), game=OPEN)
    assert publisher.look(world.now + timedelta(minutes=59)) is None
    assert files(world) == shown
    assert publisher.look(world.now + HOUR)
    assert of(OPEN, files(world)) != of(OPEN, shown)


def test_a_game_that_has_ended_comes_in_between_two_beats_and_changes_no_page_of_another(
    world: World, publisher: Publisher
) -> None:
    publisher.look(world.now)
    while not world.table(SHORT).play.over:
        world.wait(24)
    world.now = world.now.replace(minute=30)
    publisher.look(world.now)
    before = files(world)
    assert of(SHORT, before)
    world.say("guild", "archive name Edric", game=SHORT)
    built = publisher.look(world.now + timedelta(minutes=1))
    assert built
    assert list(built.games) == [SHORT]
    assert of(OPEN, files(world)) == of(OPEN, before)
    assert any(b"Edric" in content for content in of(SHORT, files(world)).values())
    assert publisher.look(world.now + timedelta(minutes=2)) is None


def test_a_folder_that_cannot_be_used_is_logged_and_found_by_the_doctor_and_costs_no_game_anything(
    world: World, publisher: Publisher, caplog: pytest.LogCaptureFixture
) -> None:
    site = world.settings.mentat.database.parent / "site"
    site.write_text("something else")
    with caplog.at_level(logging.ERROR):
        assert publisher.look(world.now) is None
    assert "is a file" in caplog.text
    assert [finding.state for finding in doctor.examine_archive(world.settings)] == ["wrong"]
    assert world.wait(24) >= 1
    assert publisher.look(world.now - timedelta(hours=23, minutes=58)) is None, "it is not tried again at once"
    site.unlink()
    (finding,) = doctor.examine_archive(world.settings)
    assert "could not be written since" in finding.told
    assert publisher.look(world.now)
    (finding,) = doctor.examine_archive(world.settings)
    assert finding.state == "well"


def test_the_doctor_says_nothing_of_an_archive_that_is_not_wished_for(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    assert list(doctor.examine_archive(world.settings)) == []
    world.engine.dispose()


def test_where_there_is_no_database_yet_the_doctor_makes_none_for_the_archive(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, WITH_ARCHIVE)
    (finding,) = doctor.examine_archive(settings)
    assert (finding.state, finding.told) == (
        "well", f"{tmp_path / 'site'} is made by `mentat run` or `mentat archive build`"
    )  # fmt: skip
    assert not settings.mentat.database.exists()


def test_one_process_at_a_time_builds(world: World, publisher: Publisher) -> None:
    with only_one(world.engine, "publishing"):
        assert publisher.look(world.now) is None
    assert publisher.look(world.now)


def test_a_build_leaves_off_when_the_service_ends_and_is_made_good_the_next_time(
    world: World, publisher: Publisher
) -> None:
    publisher.stop()
    assert publisher.look(world.now) is None
    again = publisher_for(world.settings, world.engine)
    assert again.look(world.now)
    assert of(OPEN, files(world))


def test_no_folder_no_archive(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    assert publisher_for(world.settings, world.engine).look(world.now) is None
    world.engine.dispose()


def test_the_service_looks_after_the_folder_and_survives_what_is_wrong_with_it(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    box, out = open_mailbox(world.settings), open_transport(world.settings)
    service = Service(world.moderator, box, out)
    with monkeypatch.context() as broken, caplog.at_level(logging.ERROR):
        broken.setattr(site, "build", _fails)
        service.publish()
    assert "could not be built: RuntimeError. Mentat will try again" in caplog.text
    assert [finding.state for finding in doctor.examine_archive(world.settings)] == ["wrong"]
    again = Service(world.moderator, box, out)
    again.publish()
    assert [finding.state for finding in doctor.examine_archive(world.settings)] == ["well"]
    box.close()
    out.close()


def test_a_service_that_is_told_to_stop_leaves_off_building_and_the_next_one_makes_it_good(world: World) -> None:
    box, out = open_mailbox(world.settings), open_transport(world.settings)
    service = Service(world.moderator, box, out)
    service.stop()
    service.publish()
    assert of(OPEN, files(world)) == {}
    Service(world.moderator, box, out).publish()
    assert of(OPEN, files(world))
    out.close()


def test_a_problem_of_the_archive_stands_in_the_log_once_until_it_is_another(
    world: World, publisher: Publisher, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    build, problems = (
        site.build,
        [("a was not written.",), ("a was not written.",), (), ("a was not written.",), ("b.",)],
    )
    told = iter(problems)
    monkeypatch.setattr(site, "build", lambda *given: replace(build(*given), problems=next(told)))
    logged = []
    for _ in problems:
        caplog.clear()
        world.now += HOUR
        assert publisher.look(world.now)
        logged += [[record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]]
    assert logged == [
        ["the archive: a was not written."],
        [],
        [],
        ["the archive: a was not written."],
        ["the archive: b."],
    ]


def _fails(*_: object) -> None:
    raise RuntimeError("a fault of ours")
