"""Tests that conditions reveal nothing hidden: every condition a player can use has the same value in two games that
differ only in facts hidden from that player (AH.XIII.A; timing model section 10)."""

from collections.abc import Iterator
from functools import cache
from itertools import islice, product
from typing import Any

import pytest

from bot.lab.soak import setting
from bot.language.conditions import Comparison, Condition, Fact, truth
from bot.language.facts import FACTS, QUESTION_NAMES, SORTS, WHY_NAMES, Measure
from bot.language.knowledge import knowledge_of
from bot.language.lines import Context
from rules.components import CARDS, FACTIONS, LEADERS, Faction
from rules.components.board import STRONGHOLDS
from rules.components.chance import Chance
from rules.engine.log import Snapshot
from rules.engine.play import Play
from rules.random_players import MOST_STOPS
from rules.state.events import Viewer
from rules.views import view
from tests.properties import twins
from tests.properties.random_games import plain_player
from tests.properties.twins import Leak, compare

MOST_TURNS = 3
MOST_EXAMPLES = 30  # for each fact

_VALUES: dict[str, tuple[Any, ...]] = {
    "faction": FACTIONS, "other": FACTIONS, "territory": STRONGHOLDS, "leader": tuple(sorted(LEADERS)),
    "phase": ("bidding", "battle"), "card": tuple(sorted(CARDS)), "holding": (*SORTS, "Lasgun", "Shield", "Karama"),
    "element": ("weapon", "leader"), "kind": ("shield", "poison weapon"), "why": WHY_NAMES.values,
    "asking": QUESTION_NAMES.values,
}  # fmt: skip


@cache
def conditions_of(faction: Faction) -> tuple[Condition, ...]:
    """Return examples of every condition that a faction may use."""
    return tuple(_examples(Context(faction)))


def _examples(context: Context) -> Iterator[Condition]:
    for number, form in enumerate(FACTS):
        most = None if "asking" in form.blanks else MOST_EXAMPLES
        for args in islice(product(*(_VALUES[blank] for blank in form.blanks)), most):
            if form.why_not and form.why_not(context, *args):
                continue
            if "{test}" in form.pattern:
                yield from (Comparison(number, args, Measure(">=", least)) for least in (1, 3, 6, 10))
            else:
                yield Fact(number, args)


def truths(play: Play, viewer: Viewer) -> list[bool | None]:
    if viewer == "public" or viewer == "gm":
        return []
    asked = [question for question in play.questions() if question.faction == viewer]
    knowledge = knowledge_of(play, viewer, play.events, asked[0] if asked else None)
    return [truth(condition, knowledge) for condition in conditions_of(viewer)]


def watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the viewer see the game only through their conditions."""

    def sight(play: Play, snapshot: Snapshot, viewer: Viewer) -> dict[str, Any]:
        if (play.state.turn, play.state.phase) != (snapshot.turn, snapshot.phase):
            return {}
        return {"what holds": truths(play, viewer)}

    monkeypatch.setattr(twins, "sight", sight)


@pytest.mark.clause("AH.XIII.A-a", "AH.XIII.A-b")
@pytest.mark.parametrize(
    ("ruleset", "players"), [("ah-basic", 6), ("wbc-2018", 4), ("vaca-2.0", 5), ("gf9-advanced", 6)]
)
def test_what_is_hidden_from_a_player_changes_no_condition(
    monkeypatch: pytest.MonkeyPatch, ruleset: str, players: int
) -> None:
    watch(monkeypatch)
    game = setting(ruleset, f"conditions {players}", players)
    play, player, chance = game.start(), plain_player(game), Chance(f"conditions {players}", {})
    compared, snapshot = set(), None
    for _ in range(MOST_STOPS):
        if play.over or play.state.turn > MOST_TURNS:
            break
        if play.snapshot is not snapshot:
            snapshot = play.snapshot
            viewer = chance.pick("viewer", list(play.state.players))
            compared.add(compare(play.game.rules, game.seed, snapshot, viewer, chance, steps=25))
        player.act(play)
    assert len(compared - {""}) >= 4


def test_a_condition_that_sees_too_much_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    watch(monkeypatch)
    game = setting("wbc-2018", "leaky", 6)
    play, player = game.start(), plain_player(game)
    while play.state.phase != "movement":
        player.act(play)
    chance = Chance("twins", {})
    monkeypatch.setattr(twins, "CHANGES", {"the number of cards": twins.CHANGES["the number of cards"]})
    compare(play.game.rules, game.seed, play.snapshot, "guild", chance)
    monkeypatch.setattr("bot.language.knowledge.view", lambda play, viewer: view(play, "gm"))
    with pytest.raises(Leak, match="the number of cards: to guild what holds differs"):
        compare(play.game.rules, game.seed, play.snapshot, "guild", Chance("twins", {}))
