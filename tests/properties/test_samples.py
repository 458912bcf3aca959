"""The sample answers of the questions of random games: whoever plays or fills in forms by them can do whatever may be
done."""

from __future__ import annotations

from collections import defaultdict

import pytest

from bot.soak.watch import Setting
from rules.components import FACTIONS
from rules.orders import ANSWERS, Order, QuestionKind, ReturnCards, ReviveKwisatzHaderach

FEW: tuple[QuestionKind, ...] = (
    "prediction", "traitor", "storm-dial", "storm-cards", "nexus", "charity", "bg-status", "intrusion", "advisor",
    "guild-timing", "battle-order", "voice", "prescience", "fremen-support", "traitor-call", "losses", "capture",
    "offer", "truthtrance-answer",
)  # fmt: skip
"""Questions to which there are so few answers that each of them is a sample."""

TOO_RARE = (ReturnCards, ReviveKwisatzHaderach)
"""Answers to questions that few random games come to."""


@pytest.mark.parametrize("rule_set", ["wbc-2018", "ah-basic"])
def test_of_few_answers_each_is_a_sample(rule_set: str) -> None:
    """What was a legal answer of somebody once is a sample wherever it is legal."""
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
    for number in range(8):
        setting = Setting("wbc-2018", f"every form {number}", FACTIONS)
        play, player = setting.start(), setting.player()
        while missing and not play.over:
            for question in play.questions():
                missing -= {(type(order), question.kind) for order in question.samples()}
            player.act(play)
    assert not missing
