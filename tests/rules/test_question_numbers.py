"""Tests for the running number of questions of one kind to a faction within a phase."""

import pytest

from rules.components import Faction
from rules.decisions.question import Count, Flow, Question, Stop, ask
from rules.engine import turn
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.orders import Bid, Order, Pass, PhaseName
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from tests.asked import Asked


class Auction:
    """A stop that asks for bids, each higher than the last."""

    def __init__(self, *bidders: Faction) -> None:
        self.top = 0
        self.bidders = list(bidders)
        self.stop = Stop(lambda: [self.question(faction) for faction in self.bidders])
        self.stop.begin(1, Count())

    def question(self, faction: Faction) -> Question:
        return Asked(faction, "bid", Pass(), self.check, lambda: [Pass()])

    def check(self, order: Order) -> Refusal | None:
        return Refusal("too low", "") if isinstance(order, Bid) and order.amount <= self.top else None

    def answer(self, faction: Faction, order: Order) -> None:
        self.stop.given[faction, "bid", ""] = (order,)
        self.stop.rebuild()

    def numbers(self) -> list[int]:
        return [self.stop.numbers[question.key] for question in self.stop.open.values()]


def test_asking_again_what_is_still_open_counts_nothing() -> None:
    auction = Auction("guild", "fremen")
    auction.answer("guild", Bid(2))
    auction.stop.rebuild()
    assert auction.numbers() == [1, 1]


def test_a_question_whose_answer_holds_no_more_is_asked_again_and_only_that() -> None:
    auction = Auction("guild", "fremen")
    auction.answer("guild", Bid(2))
    auction.answer("fremen", Bid(5))
    auction.top = 3
    auction.stop.rebuild()
    assert auction.numbers() == [2, 1]


def test_a_question_that_went_away_is_counted_when_it_comes_back() -> None:
    auction = Auction("guild", "fremen")
    auction.bidders.remove("guild")
    auction.stop.rebuild()
    auction.bidders.append("guild")
    auction.stop.rebuild()
    assert auction.numbers() == [1, 2]


def test_the_stops_of_a_phase_count_together() -> None:
    auction = Auction("guild")
    later = Stop(lambda: [auction.question("guild"), auction.question("fremen")])
    later.begin(2, auction.stop.count)
    assert list(later.numbers.values()) == [2, 1]


def test_a_stop_that_finds_nothing_to_ask_is_not_opened_but_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    auction = Auction("guild")

    def story(game: Game, phase: PhaseName) -> Flow:
        yield from ask(list)
        yield from ask(lambda: [auction.question("guild")])

    monkeypatch.setattr(turn, "flow", story)
    play = Play.start(load_rule_set("wbc-2018"), "seed", {"guild": 2, "fremen": 5})
    play.begin_phase("setup")
    assert play.stop_names == ["1.setup.2"]
    assert play.stop_name == "1.setup.2"
    assert [question.faction for question in play.questions()] == ["guild"]


def test_of_what_was_answered_before_only_that_stays_which_may_stand_beside_the_rest() -> None:
    question = Asked(
        "guild",
        "bid",
        Pass(),
        lambda order: None,
        lambda: [Pass()],
        many=True,
        beside_later=lambda one, other: one != other,
    )
    stop = Stop(lambda: [question])
    stop.begin(1, Count())
    assert stop.add(question, [Bid(1), Bid(2)]) == (Bid(1), Bid(2))
    assert stop.add(question, [Bid(2), Bid(3)]) == (Bid(1), Bid(2), Bid(3))
    assert stop.add(question, [Bid(3), Bid(1)]) == (Bid(2), Bid(3), Bid(1))
