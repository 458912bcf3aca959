"""Tests for the highlights of a turn and of a game, one sentence each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from bot.render.highlights import moments, of_game, of_turn
from bot.render.material import News, Party
from rules.components import FACTIONS
from tests.reports.positions import games


def event(kind: str, phase: str = "spice", turn: int = 4, **facts: Any) -> News:
    return News(turn, phase, kind, facts, {})


def battle(turn: int, lost: int, *more: News, territory: str = "carthag") -> list[News]:
    won = {"winner": "guild", "loser": "emperor", "totals": {"guild": 7.5, "emperor": 3}, "by": "strength"}
    return [
        event("battle-begins", "battle", turn, territory=territory, aggressor="guild", defender="emperor", forces={}),
        *more,
        event("battle-won", "battle", turn, territory=territory, **won),
        event("tokens-lost", "battle", turn, faction="emperor", forces=str(lost), territory=territory),
    ]


BETRAYED = event("treachery-called", "battle", leader="Bashar", victim="emperor", caller="guild", side="guild")
MADE: Mapping[str, tuple[News, str]] = {
    "worm": (
        event("worm-ate", dead={"atreides": "10", "emperor": "0+2"}, sand=True, spice=6, territory="sihaya-ridge"),
        "A worm ate 10 tokens of Atreides and 2 Sardaukar of the Emperor in Sihaya Ridge.",
    ),
    "storm": (
        event("storm-killed", "storm", faction="guild", forces="3", territory="carthag"),
        "The storm killed 3 tokens of the Guild in Carthag.",
    ),
    "card": (
        event("card-sold", "bidding", buyer="guild", price=9, karama=False, number=1, to_emperor=True),
        "The Guild paid 9 spice for a single card.",
    ),
    "harvest": (
        event("spice-collected", "collection", faction="fremen", amount=12, area="south-mesa/5", rate=2, left=0),
        "The Fremen collected 12 spice in South Mesa/5.",
    ),
    "gift": (
        event("spice-given", "collection", payer="emperor", receiver="bene-gesserit", amount=59, why=""),
        "The Emperor gave the Bene Gesserit 59 spice.",
    ),
    "allied": (event("alliance-formed", factions=["guild", "harkonnen"]), "The Guild and Harkonnen became allies."),
    "broken": (
        event("alliance-broken", faction="guild", allies=["fremen"]), "The Guild left the alliance with the Fremen.",
    ),
    "atomics": (
        event("family-atomics", "storm", faction="atreides", dead={}),
        "Atreides destroyed the Shield Wall with Family Atomics.",
    ),
    "weather": (
        event("weather-control", "storm", faction="guild", sectors=3),
        "The Guild turned the storm with Weather Control.",
    ),
    "ready": (
        event("kwisatz-haderach-ready", "collection", lost=7), "The Kwisatz Haderach awoke among the Atreides.",
    ),
    "wall": (event("shield-wall-counts"), "The sixth worm came: the Shield Wall now counts as a stronghold."),
    "dancer": (
        event("face-dancer-revealed", "battle", faction="tleilaxu", leader="Bashar", winner="guild",
              territory="carthag", forces="2"),
        "A face dancer had taken the place of Bashar in Carthag.",
    ),
    "tech-token": (
        event("tech-token-taken", "battle", faction="guild", token="axlotl-tanks", loser="fremen"),
        "The Guild took Axlotl Tanks from the Fremen.",
    ),
    "captive": (event("leader-captured", "battle", loser="guild"), "Harkonnen captured a leader of the Guild."),
}  # fmt: skip


@pytest.mark.parametrize("topic", MADE)
def test_a_moment_is_one_sentence(topic: str) -> None:
    happened, said = MADE[topic]
    (moment,) = moments([happened])
    assert (moment.topic, moment.said) == (topic, said)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "The Guild beat the Emperor in Carthag, 7.5 to 3: 4 tokens died."),
        ((BETRAYED,), "Treachery in Carthag: Bashar of the Emperor was in the pay of the Guild, and 4 tokens died."),
        ((event("explosion", "battle", territory="carthag"),), "A lasgun met a shield in Carthag: 4 tokens died."),
    ],
)
def test_a_battle_is_one_moment_whatever_happened_in_it(more: tuple[News, ...], said: str) -> None:
    (moment,) = moments(battle(4, 4, *more))
    assert moment.said == said


def test_a_turn_has_two_sentences_of_which_victory_near_is_the_last() -> None:
    fought = [*battle(4, 4), *battle(4, 1)]
    assert of_turn(fought) == "Two battles cost 5 tokens."
    near = (Party(("guild",), 2, 3), Party(("atreides", "emperor"), 3, 4), Party(("fremen",), 0, 3))
    assert of_turn(fought, near) == (
        "Two battles cost 5 tokens. "
        "One more stronghold would win the game for the Guild or Atreides and the Emperor."
    )  # fmt: skip
    far = (Party(("guild",), 1, 3), Party(("fremen",), 0, 3))
    assert of_turn([], far).endswith("Nobody holds more than 1 of the 3 strongholds needed to win.")
    assert of_turn([], ()) == "A quiet turn: nobody fought, and nothing much was won or lost."
    over = (Party(("guild",), 3, 3), Party(("fremen",), 2, 3))
    assert of_turn(fought, over) == "Two battles cost 5 tokens."


def test_a_game_is_remembered_by_moments_of_different_topics_and_turns() -> None:
    news = [
        *(replace(each, turn=2) for each in battle(2, 17)), *battle(3, 2), MADE["card"][0],
        replace(MADE["worm"][0], turn=4), replace(MADE["gift"][0], turn=8),
    ]  # fmt: skip
    assert [(moment.turn, moment.topic) for moment in of_game(news)] == [(2, "battle"), (4, "worm"), (8, "gift")]


def test_a_small_amount_and_an_event_that_lacks_a_fact_are_no_moments() -> None:
    cheap = event("card-sold", "bidding", buyer="guild", price=2, karama=False)
    assert moments([cheap, event("worm-ate"), event("alliance-formed"), event("a-kind-from-tomorrow")]) == []


def test_each_turn_of_random_games_has_one_or_two_sentences_and_each_game_its_moments() -> None:
    for events, _, _ in games():
        news = [News(e.turn, e.phase, e.kind, e.facts, {}) for e in events if e.visible_to("public")]
        for turn in range(1, events[-1].turn + 1):
            said = of_turn([one for one in news if one.turn == turn], [Party((one,), 1, 3) for one in FACTIONS])
            assert 1 <= said.count(". ") + 1 <= 3
            assert said[0].isupper()
            assert len(said) < 300
        told = of_game(news)
        assert len({moment.event for moment in told}) == len(told) == 3
        assert all(news[moment.event].turn == moment.turn for moment in told)
