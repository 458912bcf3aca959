"""Tests that every event and every question has a sentence."""

from __future__ import annotations

from typing import get_args

import pytest

from bot.render import news, questions
from bot.render.material import AnswerWanted, News
from bot.wording import phrases, say
from rules.components import FACTIONS
from rules.orders import PhaseName, QuestionKind
from rules.state.events import Viewer
from tests.reports.positions import games

VIEWERS: tuple[Viewer, ...] = (*FACTIONS, "public", "gm")


def test_every_event_of_random_games_has_a_sentence_for_whoever_may_see_it() -> None:
    for events, _, _ in games():
        for event in events:
            for viewer in VIEWERS:
                if event.visible_to(viewer):
                    assert news.word_event(event.kind, event.facts, event.told_to(viewer)).strip(), event.kind


def test_every_question_of_random_games_says_what_is_wanted_and_what_silence_means() -> None:
    for _, asked, _ in games():
        for kind, facts, faction in asked:
            for part in ("ask", "text", "short", "silent"):
                assert questions.question_part(kind, part, facts, faction, "pass")


def test_every_kind_of_question_and_every_phase_has_a_name_for_those_who_may_know_only_that() -> None:
    assert {*phrases("duty")} == {"own", *get_args(QuestionKind)}
    assert {*phrases("phase")} == {*get_args(PhaseName)}


def test_a_question_without_words_is_named_and_its_silence_is_the_default_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bid = AnswerWanted("bid", "", {"number": 1}, None, "pass", ())
    monkeypatch.setattr(questions, "find", lambda name: None)
    assert (
        questions.prompt_for("bid", {}, "guild")
        == questions.short_question(bid, "guild")
        == say("duty.own", duty="a bid")
    )
    assert questions.meaning_of_silence(bid, "guild") == "pass"


def test_an_event_without_a_sentence_is_told_plainly() -> None:
    told = news.event_sentence(
        "a-kind-from-tomorrow", {"faction": "bene-gesserit", "areas": ["red-chasm/7", "polar-sink"]}
    )
    assert told == "A kind from tomorrow: faction Bene Gesserit; areas Red Chasm, Polar Sink."


def test_facts_with_a_value_each_are_told_plainly_too() -> None:
    told = news.event_sentence("a-kind-from-tomorrow", {"dead": {"emperor": "3", "bene-gesserit": 1}, "sand": True})
    assert told == "A kind from tomorrow: dead Emperor 3, Bene Gesserit 1; sand True."


def test_what_a_promise_may_change_is_told_as_the_order_that_silence_gives() -> None:
    bid = AnswerWanted("bid", "", {"number": 1}, None, "pass for now", ())
    promised = AnswerWanted("bid", "", {"number": 1, "promised": True}, None, "pass for now", ())
    assert (
        questions.meaning_of_silence(promised, "guild") == "pass for now" != questions.meaning_of_silence(bid, "guild")
    )


def test_an_event_whose_facts_do_not_fit_its_sentence_is_told_plainly() -> None:
    assert news.event_sentence("storm-moved", {"sectors": 4}) == "Storm moved: sectors 4."


def test_the_one_who_was_told_more_reads_more() -> None:
    facts, mine = {"number": 2, "of": 3}, {"card": "Shield"}
    assert "Shield" in news.event_sentence("card-up", facts, mine)
    assert "Shield" not in news.event_sentence("card-up", facts)


def test_the_bids_on_a_card_are_one_sentence() -> None:
    bids = [
        News(2, "bidding", "card-up", {"number": 1, "of": 2}, {}),
        News(2, "bidding", "passed", {"faction": "guild", "number": 1}, {}),
        News(2, "bidding", "bid", {"faction": "fremen", "amount": 3, "number": 1}, {}),
        News(2, "bidding", "card-up", {"number": 2, "of": 2}, {}),
    ]
    (chapter,) = news.chapters(bids)
    assert chapter.sentences == ("Card 1 of 2 came up: Guild passed, Fremen bid 3.", "Card 2 of 2 came up.")


def test_news_that_begin_in_the_middle_of_the_bids_begin_with_a_whole_sentence() -> None:
    bids = [News(2, "bidding", "passed", {"faction": faction, "number": 1}, {}) for faction in ("guild", "fremen")]
    assert news.chapters(bids)[0].sentences == ("Guild passed on card 1, Fremen passed.",)


def test_news_are_told_in_their_order_under_their_turn_and_phase() -> None:
    quiet = {"sectors": 0, "start": 1, "storm": 1}
    told = news.chapters([News(turn, phase, "storm-moved", quiet, {}) for turn, phase in
                          ((1, "storm"), (1, "storm"), (1, "spice"), (2, "storm"))])  # fmt: skip
    assert [(chapter.turn, chapter.phase, len(chapter.sentences)) for chapter in told] == [
        (1, "storm", 2),
        (1, "spice", 1),
        (2, "storm", 1),
    ]
