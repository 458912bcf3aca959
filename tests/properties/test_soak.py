"""Tests that the long run notices a broken game, is reproducible, and counts what happened."""

import json

import pytest
from typer.testing import CliRunner

from bot.cli import app
from bot.lab import soak as run
from bot.lab.occurrences import Occurrences
from bot.lab.scenes import SCENES, scenes_of
from bot.lab.soak import Setting, SoakResult, check_replay, play_under_watch, scene_setting, setting, settings, soak
from rules.decisions.windows import EFFECTS_OF_1979
from rules.engine.catalogue import load_rule_set
from rules.engine.invariants import InvariantBroken
from rules.engine.log import Submitted
from rules.orders import Karama
from rules.state.game import Game

EXPANSION = (("expansion", "ixians-tleilaxu"),)


def played(games: int, ruleset: str = "wbc-2018") -> SoakResult:
    done = SoakResult(Occurrences(load_rule_set(ruleset)))
    for part in soak(settings(ruleset, "tests", games)):
        done.add(part)
    return done


def test_games_of_two_to_six_players_are_played_in_turn() -> None:
    assert [len(game.factions) for game in settings("ah-basic", "tests", 7)] == [2, 3, 4, 5, 6, 2, 3]


@pytest.mark.parametrize("ruleset", ["ah-basic", "wbc-2018"])
def test_watched_games_hold_and_what_occurred_is_counted(ruleset: str) -> None:
    done = played(5, ruleset)
    assert (done.games, done.failures) == (5, [])
    assert done.occurred.events["game-won"] == 5
    assert done.occurred.orders["Plan"] > 0
    assert done.occurred.powers["The Guild is paid"] > 0


def test_the_same_seed_gives_the_same_games() -> None:
    assert played(3).occurred.events == played(3).occurred.events


def test_something_lost_between_two_stops_is_noticed_at_the_next_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Game, "discard", lambda game, faction, card: game.player(faction).hand.remove(card))
    with pytest.raises(InvariantBroken, match="missing"):
        play_under_watch(setting("wbc-2018", "lossy", 6))


def test_a_game_that_fails_is_reported_with_its_setting_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = settings("ah-basic", "tests", 3)[1]

    def fail_once(game: Setting) -> object:
        assert game != broken, "the sandworm took it"
        return play_under_watch(game)

    monkeypatch.setattr(run, "play_under_watch", fail_once)
    result = CliRunner().invoke(app, ["soak", "--games", "3", "--ruleset", "ah-basic", "--seed", "tests", "--json"])
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert [failure["setting"]["seed"] for failure in told["failures"]] == [broken.seed]
    assert "the sandworm took it" in told["failures"][0]["fault"]
    assert (told["games"], told["events"]["game-won"]) == (3, 2)


def test_a_replay_that_differs_is_noticed() -> None:
    game = setting("ah-basic", "tests 1", 3)
    play = play_under_watch(game)
    check_replay(game, play)
    place = next(n for n, entry in enumerate(play.log) if isinstance(entry, Submitted))
    del play.log[place]
    with pytest.raises((AssertionError, ValueError)):
        check_replay(game, play)


def test_what_never_occurred_is_listed_with_nought() -> None:
    bare = Occurrences(load_rule_set("wbc-2018"))
    assert set(bare.powers) >= {f"Karama: {effect}" for effect in EFFECTS_OF_1979}
    assert bare.events["nexus"] == bare.orders[Karama.__name__] == bare.powers["Hajr"] == 0


def test_the_table_is_printed_the_rarest_first() -> None:
    result = CliRunner().invoke(app, ["soak", "--games", "1", "--seed", "tests"])
    assert result.exit_code == 0
    assert "1 games of wbc-2018 in" in result.stdout
    assert result.stdout.index("Karama: cancel karama") < result.stdout.index("The Guild is paid")


def test_with_an_expansion_most_games_are_scenes() -> None:
    games = settings("gf9-advanced", "tests", 21, EXPANSION)
    assert [number for number, game in enumerate(games) if not game.scene] == [0, 10, 20]
    assert not any(game.scene for game in settings("gf9-advanced", "tests", 21))


def test_a_scene_is_only_played_where_a_karama_has_its_effects() -> None:
    basic, advanced = (set(scenes_of(setting(name, "", 2, EXPANSION).rules)) for name in ("gf9-basic", "gf9-advanced"))
    assert "Cyborgs" in basic - advanced
    assert "Sardaukar" in advanced - basic


@pytest.mark.parametrize("effect", ["cancel half price", "hms", "cancel kwisatz haderach"])
def test_a_scene_brings_about_what_it_is_made_for(effect: str) -> None:
    name = next(name for name, scene in SCENES.items() if effect in scene.wishes)
    occurred = Occurrences(load_rule_set("gf9-advanced").with_options(dict(EXPANSION)))
    for number in range(4):
        game = scene_setting("gf9-advanced", f"tests {number}", name, EXPANSION)
        assert set(SCENES[name].needs) <= set(game.factions)
        occurred.add(play_under_watch(game))
    assert occurred.powers[f"Karama: {effect}"] > 0


def test_a_rule_set_that_does_not_exist_is_refused() -> None:
    assert CliRunner().invoke(app, ["soak", "--ruleset", "vaca-3.0"]).exit_code != 0
