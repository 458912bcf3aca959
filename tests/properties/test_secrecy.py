"""Tests that nobody can distinguish two games that differ only in hidden facts (AH.XIII.A; timing model section 10)."""

import pytest

from bot.lab.soak import Setting, setting
from rules.components.chance import Chance
from rules.random_players import MOST_STOPS
from rules.rulesets.ruleset import RULE_SETS
from tests.properties import twins
from tests.properties.random_games import plain_player
from tests.properties.twins import CHANGES, Leak, compare
from tests.size import size

WITH_EXPANSION = (("expansion", "ixians-tleilaxu"),)


@pytest.mark.clause("AH.XIII.A-a", "AH.XIII.A-b")
@pytest.mark.parametrize("ruleset", RULE_SETS)
@pytest.mark.parametrize("players", size([6], [3, 4, 5, 6]))
def test_what_is_hidden_from_a_player_changes_nothing_that_they_see(ruleset: str, players: int) -> None:
    game = setting(ruleset, f"secret {players}", players)
    play, player, chance = game.start(), plain_player(game), Chance(f"twins of {players}", {})
    compared, snapshot = set(), None
    phases = 0
    for _ in range(MOST_STOPS):
        if play.over or phases >= size(40, MOST_STOPS):
            break
        if play.snapshot is not snapshot:
            snapshot, phases = play.snapshot, phases + 1
            viewer = chance.pick("viewer", list(play.state.players))
            compared.add(compare(play.game.rules, game.seed, snapshot, viewer, chance))
        player.act(play)
    assert compared >= {"cards between hands", "spice", "traitors"}
    assert compared - {""} <= set(CHANGES)


@pytest.mark.clause("IT.FD.24", "IT.SETUP-TL.6")
@pytest.mark.parametrize("number", range(size(1, 40)))
def test_who_the_face_dancers_are_changes_nothing_that_others_see(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only face dancers differ, in every phase of every turn; the Tleilaxu show only dancers that both games share."""
    monkeypatch.setattr(twins, "CHANGES", {"face dancers": CHANGES["face dancers"]})
    seed = f"dancers {number}"
    game = Setting("gf9-advanced", seed, ("tleilaxu", "emperor", "guild", "fremen"), options=WITH_EXPANSION)
    play, player, chance = game.start(), plain_player(game), Chance(f"twins {seed}", {})
    snapshot, compared = None, 0
    for _ in range(MOST_STOPS):
        if play.over or compared >= size(30, MOST_STOPS):
            break
        if play.snapshot is not snapshot:
            snapshot = play.snapshot
            viewer = chance.pick("viewer", ["emperor", "guild", "fremen"])
            compared += bool(compare(play.game.rules, game.seed, snapshot, viewer, chance))
        player.act(play)
    assert compared >= size(30, 60)


@pytest.mark.clause("IT.BID.4", "IT.BID.5")
@pytest.mark.parametrize("number", range(size(1, 40)))
def test_what_the_ixians_know_of_the_deck_changes_nothing_that_others_see(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(twins, "CHANGES", {name: CHANGES[name] for name in ("a card known in the deck", "spice")})
    seed = f"known {number}"
    game = Setting("gf9-advanced", seed, ("ixians", "emperor", "guild", "fremen"), options=WITH_EXPANSION)
    play, player, chance = game.start(), plain_player(game), Chance(f"twins {seed}", {})
    snapshot, compared = None, list[str]()
    for _ in range(MOST_STOPS):
        if play.over or len(compared) >= size(30, MOST_STOPS):
            break
        if play.snapshot is not snapshot:
            snapshot = play.snapshot
            viewer = chance.pick("viewer", ["emperor", "guild", "fremen", "ixians"])
            compared.append(compare(play.game.rules, game.seed, snapshot, viewer, chance))
        player.act(play)
    assert compared.count("a card known in the deck") >= size(5, 10)


def test_a_leak_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = setting("wbc-2018", "leaky", 6)
    play, player = game.start(), plain_player(game)
    while play.state.phase != "bidding":
        player.act(play)
    chance = Chance("twins", {})
    monkeypatch.setattr(twins, "CHANGES", {"spice": CHANGES["spice"]})
    compare(play.game.rules, game.seed, play.snapshot, "guild", chance)
    monkeypatch.setattr(twins, "view", lambda play, viewer: {"spice": [p.spice for p in play.state.players.values()]})
    with pytest.raises(Leak, match="spice: to guild the position differs in the bidding phase"):
        compare(play.game.rules, game.seed, play.snapshot, "guild", chance)
