"""Tests for `mentat archive`: building and checking an archive, and what it shows about each person."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from bot.service.machine import utc_now
from rules.components import Faction
from tests.cli.conftest import Mentat
from tests.end_to_end.service_process import environment
from tests.moderator.table import GAME, World

THREE: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
OTHER = "sietch-13"


def end(world: World, game: str = GAME) -> None:
    for _ in range(300):
        if world.table(game).play.over:
            return
        world.wait(24)
    raise AssertionError("it did not end")


@pytest.fixture
def ended(place: World) -> World:
    place.new_game(factions=THREE, max_turns=1)
    end(place)
    return place


def files(folder: str) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes() for file in sorted(Path(folder).rglob("*")) if file.is_file()
    }


def test_an_archive_is_built_and_not_again_where_nothing_has_changed(ended: World, mentat: Mentat) -> None:
    ran = mentat("archive", "build", "site", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["games"] == [GAME]
    assert Path("site/index.html").is_file()
    assert Path(f"site/game/{GAME}/index.html").is_file()
    before = files("site")
    again = mentat("archive", "build", "site")
    assert "nothing has changed" in again.out
    assert files("site") == before


def test_the_folder_of_the_settings_is_built_where_none_is_named(ended: World, mentat: Mentat) -> None:
    assert mentat("archive", "build").code == 2
    config = Path("config.toml")
    config.write_text(config.read_text() + '[archive]\nfolder = "kept"\n')
    built = mentat("archive", "build")
    assert built.code == 0
    assert built.out.startswith("1 game and ")
    assert Path("kept/index.html").is_file()


def test_one_game_is_built_and_the_others_stay_as_they_are(ended: World, mentat: Mentat) -> None:
    ended.new_game(factions=THREE, game=OTHER, max_turns=1)
    end(ended, OTHER)
    assert mentat("archive", "build", "site", "--game", OTHER, "--json").json["games"] == [OTHER]
    assert not Path(f"site/game/{GAME}").exists()
    assert mentat("archive", "build", "site", "--game", GAME, "--json").json["games"] == [GAME]
    assert Path(f"site/game/{OTHER}/index.html").is_file()


def test_a_folder_that_is_not_ours_is_refused_and_left_alone(ended: World, mentat: Mentat) -> None:
    Path("mine").mkdir()
    Path("mine/thesis.txt").write_text("years of work")
    for words in (["archive", "build", "mine"], ["game", "archive", GAME, "mine"], ["archive", "serve", "mine"]):
        ran = mentat(*words)
        assert ran.code == 2
        assert len(ran.err.strip().splitlines()) == 1
    assert files("mine") == {"thesis.txt": b"years of work"}


def test_a_game_that_is_hidden_or_unknown_is_refused_with_a_sentence(place: World, mentat: Mentat) -> None:
    place.new_game(factions=THREE)
    ran = mentat("archive", "build", "site", "--game", GAME)
    assert ran.code == 1
    assert f"shows nothing of {GAME}" in ran.err
    assert not Path("site").exists()
    assert "no game 'nowhere'" in mentat("archive", "build", "site", "--game", "nowhere").err
    assert "no game 'nowhere'" in mentat("game", "archive", "nowhere", "alone").err


def test_one_game_has_an_archive_of_its_own(ended: World, mentat: Mentat) -> None:
    ended.new_game(factions=THREE, game=OTHER, max_turns=1)
    end(ended, OTHER)
    assert mentat("game", "archive", GAME, "alone").code == 0
    assert Path("alone/index.html").is_file()
    assert Path("alone/style.css").is_file()
    assert not Path(f"alone/game/{OTHER}").exists()
    mentat("archive", "build", "site")
    ran = mentat("game", "archive", GAME, "site")
    assert ran.code == 2
    assert "also contains other games" in ran.err


def test_a_game_begins_with_a_policy_of_its_own_or_that_of_the_settings(place: World, mentat: Mentat) -> None:
    players = ["--seat", "guild=ann@example.org", "--seat", "fremen=bob@example.org"]
    made = mentat(
        "game", "new", "--id", "g", *players, "--archive", "delayed:2", "--archive-after", "public-only", "--json"
    )
    assert (made.json["archive"], made.json["archive_after"]) == ("delayed:2", "public-only")
    assert mentat("archive", "policy", "g", "--json").json["running"] == "delayed:2"
    config = Path("config.toml")
    config.write_text(config.read_text() + '[archive]\nrunning = "public"\n')
    assert mentat("game", "new", "--id", "h", *players, "--json").json["archive"] == "public"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--archive", "open"], "--archive: 'open' is not"),
        (["--archive", "delayed:0"], "--archive: 'delayed:0' is not"),
        (["--archive", "delayed:16"], "(1 to 15)"),
        (["--archive-after", "all"], "--archive-after: 'all' is not"),
    ],
)
def test_a_policy_that_is_none_is_refused(place: World, mentat: Mentat, words: list[str], told: str) -> None:
    ran = mentat("game", "new", "--id", "g", "--seat", "guild=a@example.org", "--seat", "fremen=b@example.org", *words)
    assert ran.code == 2
    assert told in ran.err
    assert mentat("game", "list", "--json").json == []


def test_players_are_told_when_the_policy_of_their_game_is_changed(place: World, mentat: Mentat) -> None:
    place.new_game(factions=THREE)
    assert mentat("archive", "policy", GAME, "--running", "public", "--json").json["players_told"] is True
    for faction in THREE:
        assert "the archive shows what all players know" in " ".join(place.newest(faction).text.split())
    assert mentat("archive", "policy", GAME, "--running", "public", "--json").json["players_told"] is False
    assert "--running: 'open' is not" in mentat("archive", "policy", GAME, "--running", "open").err


def test_the_game_master_changes_a_name_and_the_pages_follow(place: World, mentat: Mentat) -> None:
    place.new_game(factions=THREE, max_turns=1)
    place.say("guild", "archive name Red Duke")
    place.say("atreides", "archive name Liet")
    end(place)
    mentat("archive", "build", "site")
    assert any(b"Red Duke" in content for content in files("site").values())
    assert mentat("archive", "rename", "red duke", "Edric").code == 0
    mentat("archive", "build", "site")
    assert not any(b"Red Duke" in content for content in files("site").values())
    assert any(b"Edric" in content for content in files("site").values())
    assert "Another person" in mentat("archive", "rename", "Edric", "liet").err
    assert "Nobody has chosen" in mentat("archive", "rename", "Red Duke", "Someone").err
    assert mentat("archive", "rename", "Edric", "ann@example.org").code == 2


def test_the_report_of_a_game_is_written_as_posts(ended: World, mentat: Mentat) -> None:
    whole = mentat("archive", "text", GAME)
    assert whole.code == 0, whole.err
    assert "Turn 1" in whole.out
    posts = mentat("archive", "text", GAME, "--turn", "1", "--format", "bbcode", "--json").json["posts"]
    assert posts[0].startswith("[b]")
    assert mentat("archive", "text", GAME, "--turn", "1", "--format", "bbcode").out.rstrip("\n") == posts[0].rstrip(
        "\n"
    )


def test_a_turn_that_has_not_been_and_a_format_that_is_none_are_refused(ended: World, mentat: Mentat) -> None:
    for words, told in (
        (["--turn", "7"], "turn 7"),
        (["--turn", "0"], "--turn"),
        (["--format", "word"], "bbcode, bgg"),
    ):
        ran = mentat("archive", "text", GAME, *words)
        assert ran.code == 2
        assert told in ran.err
    assert "no game 'nowhere'" in mentat("archive", "text", "nowhere").err


def test_of_a_game_that_goes_on_only_what_everybody_may_know_is_written(place: World, mentat: Mentat) -> None:
    place.new_game("wbc-2018", factions=THREE)
    place.silence_until("bidding")
    told = mentat("archive", "text", GAME)
    assert told.code == 0, told.err
    state = place.table().play.state
    hidden: list[str] = [leader for player in state.players.values() for leader in player.traitors]
    hidden += [card for player in state.players.values() for card in player.hand]
    assert hidden
    assert not [word for word in hidden if word in told.out]


def test_an_archive_is_shown_on_this_machine_alone_until_it_is_ended(ended: World, mentat: Mentat) -> None:
    mentat("archive", "build", "site")
    command = [sys.executable, "-m", "bot", "archive", "serve", "site", "--port", "0"]

    def as_from_a_terminal() -> None:
        """Enable Ctrl-C, which a background process may have disabled."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=as_from_a_terminal,
    ) as server:  # fmt: skip
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+/", said)
            assert found, said
            with urllib.request.urlopen(found[0], timeout=10) as page:
                assert page.read() == Path("site/index.html").read_bytes()
            for path in ("game/", "../config.toml", "%2e%2e/config.toml", "../mentat.db"):
                with pytest.raises(urllib.error.HTTPError):
                    urllib.request.urlopen(found[0] + path, timeout=10)
        finally:
            server.send_signal(signal.SIGINT)
            time.sleep(0.1)
        assert server.wait(10) == 0


def test_a_port_that_is_taken_is_said(ended: World, mentat: Mentat) -> None:
    import socket

    mentat("archive", "build", "site")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = mentat("archive", "serve", "site", "--port", str(taken.getsockname()[1]))
    assert ran.code == 1
    assert "choose another with --port" in ran.err


def test_nobody_in_the_database_can_be_found_in_a_built_archive(place: World, mentat: Mentat) -> None:
    """The archive holds a finished, a public-only and a running game; no file may name any of their players."""
    place.now = utc_now()
    short = ["--option", "max_turns=1"]
    policies = {"done": short, "open": ["--archive", "public"], "half": [*short, "--archive-after", "public-only"]}
    for game, words in policies.items():
        seats = [f"--seat={faction}={faction}.zebulon@players.example" for faction in THREE]
        assert mentat("game", "new", "--id", game, *seats, *words).code == 0
    for game in ("done", "open", "half"):
        for faction in THREE:
            raw = place.mail(
                faction, "timezone Europe/Lisbon", "waking 06:07 to 21:13", "press to all: meet at the back door",
                "absent 2031-03-04 to 2031-03-05", sender=f"{faction}.zebulon@players.example", game=game,
            )  # fmt: skip
            assert place.moderator.deliver(raw, place.now).disposition == "orders"
        mentat("game", "replace", game, "guild", f"new.{game}@players.example", "--name", "Xenophon Quill")
        if game != "open":
            end(place, game)
    assert not place.table("open").play.over
    assert mentat("archive", "build", "site").code == 0
    secrets = [
        *(f"{faction}.zebulon" for faction in THREE), "players.example", "xenophon", "quill", "lisbon", "21:13",
        "06:07", "back door", "2031-03", "mentat@arrakis", "gm@arrakis",
    ]  # fmt: skip
    for game in ("done", "open", "half"):
        table = place.table(game)
        secrets += [seat.token for seat in table.seats.values()]
        if game != "done":
            secrets.append(table.seed)
    assert Path("site/game/open/index.html").is_file()
    for name, content in files("site").items():
        text = (name + "\n" + content.decode("utf-8", "replace")).lower()
        for secret in secrets:
            assert secret.lower() not in text, f"{secret} stands in {name}"


def test_the_folder_of_the_settings_is_kept_up_to_date_by_tick(ended: World, mentat: Mentat) -> None:
    config = Path("config.toml")
    config.write_text(config.read_text() + '[archive]\nfolder = "kept"\n')
    assert mentat("tick").code == 0
    assert Path(f"kept/game/{GAME}/index.html").is_file()
    Path("kept/build.json").unlink()
    ran = mentat("tick")
    assert ran.code == 0, "a folder that cannot be used costs no game anything"
    found = mentat("doctor", "--wait", "0", "--json").json
    assert found["well"] is False
    told = {finding["about"]: finding["told"] for finding in found["findings"]}
    assert told["database"] == "mentat.db can be read and written; 1 game, 0 of them running"


def test_of_a_game_in_which_nothing_has_happened_nothing_is_written(place: World, mentat: Mentat) -> None:
    place.new_game(factions=THREE)
    ran = mentat("archive", "text", GAME)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"Nothing public has happened in {GAME} yet.\n"
    assert mentat("archive", "policy", GAME, "--running", "public", "--json").json == {
        "game": GAME, "running": "public", "after": "full", "players_told": True,
    }  # fmt: skip
    assert mentat("archive", "policy", GAME).out == f"{GAME}: public while it runs, full after its end.\n"
    place.say("guild", "archive name Red Duke")
    assert mentat("archive", "rename", "Red Duke", "Old Duke", "--json").json == {"old": "Red Duke", "new": "Old Duke"}
    assert mentat("archive", "rename", "Old Duke", "New Duke").out == "Old Duke is now New Duke.\n"
    assert mentat("archive", "rename", "Red Duke", "Old Duke").code == 1


@pytest.mark.parametrize(("format", "begins"), [("text", ""), ("markdown", "## "), ("html", "<!DOCTYPE html>")])
def test_a_game_is_told_as_a_story_in_three_formats(ended: World, mentat: Mentat, format: str, begins: str) -> None:
    ran = mentat("game", "story", GAME, "--format", format)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(begins)
    assert "turn 1" in ran.out
    assert mentat("game", "story", GAME, "--format", format, "--json").json["story"] == ran.out


def test_a_story_needs_a_game_that_has_begun_and_a_known_format(place: World, mentat: Mentat) -> None:
    assert mentat("game", "story", "nowhere").code == 2
    place.new_game(factions=THREE, max_turns=2)
    assert mentat("game", "story", GAME).err == f"Nothing public has happened in {GAME} yet.\n"
    for _ in range(8):
        place.wait(24)
    running = mentat("game", "story", GAME)
    assert running.code == 0, running.err
    assert "as everybody at the table knows it" in " ".join(running.out.split())
    assert mentat("game", "story", GAME, "--format", "pdf").code == 2
