"""Tests that the response to a plain line tells its writer nothing hidden: neither its suggestions, nor the refusal,
nor its acceptance."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import pytest

from bot.lab.soak import setting
from bot.language.mail_lines import read_any
from bot.table.lines import reading_context
from rules.components import Faction
from rules.components.chance import Chance
from rules.engine.play import Play
from rules.random_players import MOST_STOPS
from rules.rulesets.ruleset import RULE_SETS
from tests.properties import twins
from tests.properties.random_games import plain_player
from tests.properties.twins import CHANGES, Leak, compare
from tests.size import size

LINES = (
    "I bid five please", "pass please", "raise by 1", "all my spice on it", "half my spice",
    "ship 5 guys to the sietch", "everyone from Carthag to Arrakeen", "move all of them to the basin", "no thanks",
    "revive three troops", "bring back my best leader", "ghola my leader", "the karama on the voice", "karama please",
    "I play my karama to see the plan of the guild", "take two of harkonnen's cards with my karama",
    "storm seven please", "weather control, 4", "blow up the shield wall", "family atomics!", "treachery!",
    "he is my traitor", "no traitor here", "kill the captured leader", "keep the captive", "keep all my cards",
    "discard the lasgun", "dial 2 with my strongest leader", "voice: no poison", "show me the weapon",
    "give him my shield", "give 3 spice to the emperor", "ally with the fremen",
    "ask harkonnen with truthtrance: do you hold Karama?",
    "the worm goes to red chasm", "coexist in carthag", "yes", "deal", "take it", "lose 2 regular troops",
    "predict fremen in turn 5", "choose the other one", "hajr from carthag to arrakeen",
)  # fmt: skip


def said(play: Play, viewer: Faction) -> dict[str, Any]:
    """Return the readings of some lines, which are the same in both twins."""
    context = reading_context(play, viewer)
    first = crc32(f"{viewer} {play.state.turn} {play.stop_name}".encode())
    lines = [LINES[(first + place) % len(LINES)] for place in range(size(5, 20))]
    return {f"what is made of “{line}”": repr(read_any(line, context)) for line in lines}


@pytest.mark.clause("AH.XIII.A-a")
@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_what_is_hidden_from_a_player_changes_nothing_that_plain_words_are_taken_for(ruleset: str) -> None:
    game = setting(ruleset, "plainly secret", 6)
    play, player, chance = game.start(), plain_player(game), Chance("plain twins", {})
    compared, snapshot = set(), None
    for _ in range(size(300, MOST_STOPS)):
        if play.over:
            break
        if play.snapshot is not snapshot:
            snapshot = play.snapshot
            viewer = chance.pick("viewer", list(play.state.players))
            compared.add(compare(play.game.rules, game.seed, snapshot, viewer, chance, size(6, 60), said))
        player.act(play)
    assert compared >= {"cards between hands", "spice", "traitors"}


def test_a_proposal_that_tells_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = setting("wbc-2018", "leaky", 6)
    play, player = game.start(), plain_player(game)
    while play.state.phase != "bidding":
        player.act(play)

    def asking(play: Play, viewer: Faction) -> dict[str, Any]:
        spice = max(other.spice for other in play.state.players.values() if other.faction != viewer)
        return {"a proposal": repr(read_any(f"give {spice} spice to the emperor", reading_context(play, viewer)))}

    monkeypatch.setattr(twins, "CHANGES", {"spice": CHANGES["spice"]})

    def look() -> None:
        for number in range(20):
            compare(play.game.rules, game.seed, play.snapshot, "guild", Chance(f"told {number}", {}), 2, asking)

    with pytest.raises(Leak, match="to guild a proposal differs"):
        look()
