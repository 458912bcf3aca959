"""Tests that the sample answers to questions in random games let a player or a form choose every legal option."""

from __future__ import annotations

from collections import defaultdict

import pytest

from bot.lab.soak import Setting
from rules.components import FACTION_FACTS, FACTIONS, Forces
from rules.components.board import STRONGHOLDS, TERRITORIES
from rules.orders import (
    ANSWERS,
    EndGame,
    FeedAlly,
    Move,
    NoPoisonTooth,
    Order,
    PlayOn,
    QuestionKind,
    ReturnCards,
    ReviveKwisatzHaderach,
    Ship,
    SpareAlly,
    UsePoisonTooth,
)

FEW: tuple[QuestionKind, ...] = (
    "prediction", "traitor", "storm-dial", "storm-cards", "nexus", "charity", "bg-status", "intrusion", "advisor",
    "guild-timing", "battle-order", "voice", "prescience", "fremen-support", "traitor-call", "losses", "capture",
    "offer", "truthtrance-answer",
)  # fmt: skip
"""Questions with so few answers that all of them are samples."""

TOO_RARE = (ReturnCards, ReviveKwisatzHaderach, SpareAlly, FeedAlly, UsePoisonTooth, NoPoisonTooth, EndGame, PlayOn)
"""Answers to questions that are rare in random games or absent from this rule set."""


@pytest.mark.parametrize("rule_set", ["wbc-2018", "ah-basic", "gf9-basic", "gf9-advanced"])
def test_of_few_answers_each_is_a_sample(rule_set: str) -> None:
    """An answer that was once legal for somebody must be a sample wherever it is legal."""
    setting = Setting(rule_set, "few answers", FACTIONS)
    play, player = setting.start(), setting.player()
    known: dict[QuestionKind, dict[Order, None]] = defaultdict(dict)
    while not play.over:
        for question in play.questions():
            if question.kind not in FEW:
                continue
            samples = question.samples()
            for order in known[question.kind]:
                legal = question.fits(order) and question.refusal(order) is None
                assert not legal or order in samples, (question.key, order)
            known[question.kind] |= dict.fromkeys(samples)
        player.act(play)


def test_every_form_of_answer_is_a_sample_somewhere() -> None:
    missing = {(form, kind) for form, kinds in ANSWERS.items() for kind in kinds if form not in TOO_RARE}
    settings = [Setting("wbc-2018", f"every form {number}", FACTIONS, late=number % 2 == 1) for number in range(8)]
    with_expansion = (("expansion", "ixians-tleilaxu"),)
    for number in range(40):  # enough games to see every form
        six = [faction for faction in FACTION_FACTS if faction not in (FACTIONS[number % 6], FACTIONS[number % 5])][-6:]
        settings.append(Setting("gf9-advanced", f"every form {number}", tuple(six), options=with_expansion))
    for setting in settings:
        play, player = setting.start(), setting.player()
        while missing and not play.over:
            for question in play.questions():
                missing -= {(type(order), question.kind) for order in question.samples()}
            player.act(play)
    assert not missing


@pytest.mark.parametrize("rule_set", ["wbc-2018", "ah-basic", "gf9-advanced"])
def test_every_stronghold_within_reach_is_a_sample_goal(rule_set: str) -> None:
    """The largest group can move there as a whole, and a token can be shipped there."""
    tried = 0
    for seed in ("goals", "goals of six", "far goals"):
        setting = Setting(rule_set, seed, FACTIONS)
        play, player = setting.start(), setting.player()
        while not play.over:
            for question in play.questions():
                if question.kind not in ("movement", "shipment"):
                    continue
                faction, samples = question.faction, question.samples()
                goals = {order.target for order in samples if isinstance(order, Ship) and order.source is None}
                for target in (area for stronghold in STRONGHOLDS for area in TERRITORIES[stronghold].areas):
                    if question.kind == "shipment":
                        assert target in goals or question.refusal(Ship(Forces(1), None, target)), target
                        continue
                    groups = play.state.areas_of(faction)
                    for source, forces in sorted(groups, key=lambda group: -group[1].total)[:1]:
                        move = Move(forces, source, target)
                        legal = question.refusal(move) is None
                        assert not legal or move in samples, move
                        tried += legal
            player.act(play)
    assert tried > 20
