"""Nobody can tell apart two games that differ only in what they may not know (AH.XIII.A; timing model section 10)."""

import pytest

from bot.soak.watch import setting
from rules.components.chance import Chance
from rules.rulesets.ruleset import RULE_SETS
from rules.selfplay.random_player import MOST_STOPS
from tests.properties import twins
from tests.properties.random_games import plain_player
from tests.properties.twins import CHANGES, Leak, compare
from tests.size import size


@pytest.mark.clause("AH.XIII.A-a", "AH.XIII.A-b")
@pytest.mark.parametrize("ruleset", RULE_SETS)
@pytest.mark.parametrize("players", size([6], [3, 4, 5, 6]))
def test_what_is_hidden_from_a_player_changes_nothing_that_they_see(ruleset: str, players: int) -> None:
    game = setting(ruleset, f"secret {players}", players)
    play, player, chance = game.start(), plain_player(game), Chance(f"twins {players}", {})
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
