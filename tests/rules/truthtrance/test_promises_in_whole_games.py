"""Tests that no promise is broken in random games with many questions about the future."""

from __future__ import annotations

import pytest

from rules.components import FACTIONS, Card, Faction
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.orders import Truthtrance
from rules.orders import readings as acts
from rules.random_players import RandomPlayer, random_seats
from rules.state.events import Event
from rules.state.state import Promise
from tests.rules.truthtrance.questions import asked


class Curious(RandomPlayer):
    """A random player who asks about the future whenever they hold a Truthtrance."""

    def _truthtrance(self, asker: Faction, target: Faction) -> Truthtrance:
        place = self._pick(["Carthag", "Arrakeen", "Sietch Tabr", "Tuek's Sietch", "Habbanya Sietch"])
        number = self._draw(6)
        question = self._pick([
            f"Will you play {self._pick(['a weapon', 'a defense', 'poison', 'a worthless card'])} this turn?",
            f"Will you play {self._pick(['a projectile weapon', 'a snooper', 'a cheap hero'])} in {place} this turn?",
            f"Will you dial {self._pick(['more than', 'at most'])} {number} against me this turn?",
            f"Will you bid more than {number} this turn?",
            f"Will you ship {number + 1} or more tokens to {place} this turn?",
            f"Will you ship to {place} next turn?",
            "Will you ship this turn?",
            f"Will you move to {place} this turn?",
            "Will you play a Karama this turn?",
            "Will you ally with me this turn?",
            "Will you revive any tokens next turn?",
            "Will you ride the worm next turn?",
            "Will you call treachery this turn?",
            "Will you attack me this turn?",
            f"Will you enter {place} this turn?",
            f"Will you not ship to {place} this turn?",
            f"Will you refrain from moving to {place} this turn?",
            f"Will you give me {number + 1} spice this turn?",
            "Will you give me spice in Collection?",
            f"Will you play {self._pick(['the Ghola', 'the Hajr', 'a Truthtrance', 'Karama'])} this turn?",
            "Will you use the Voice this turn?",
            "Will you use prescience on me this turn?",
            f"If I ship to {place}, will you ship to {self._pick(['Carthag', 'Arrakeen'])} this turn?",
            f"Will you enter {place} if we are allied?",
            "If you win a card this turn, will you ship?",
            f"If we fight in {place}, will you play a weapon?",
            "Will you ally with me if there is a nexus?",
        ])  # fmt: skip
        return asked(asker, target, question)


@pytest.mark.clause("WBC.AID.8", "WBC.AID.12")
@pytest.mark.parametrize("ruleset", ["wbc-2018", "ah-basic"])
def test_no_promise_is_broken_in_a_whole_game(ruleset: str) -> None:
    answered = 0
    for seed in ("faith", "troth", "pledge", "vow", "oath", "honour"):
        player = Curious(seed, impulses=40)
        play = Play.start(load_rule_set(ruleset), seed, random_seats(seed, FACTIONS))
        watched: list[tuple[Promise, int]] = []
        while not play.over:
            _lend_a_truthtrance(play)
            player.act(play)
            for promise in play.state.promises:
                if not any(promise is known for known, _ in watched):
                    watched.append((promise, play.state.turn))
            for question in play.questions():
                assert question.refusal(question.default) is None
        answered += len(watched)
        for promise, _ in watched:
            if promise.forbids and promise.condition is None:
                later = [event for event in play.events if event.number > promise.made and _counts(event, promise)]
                void = [event.number for event in later if event.kind == "truthtrance-negated"]
                ended = min(void, default=play.state.events)
                assert not [event for event in later if event.number < ended and _breaks(event, promise)], promise
    assert answered > 20


def _lend_a_truthtrance(play: Play) -> None:
    """Give a discarded Truthtrance to a player who is being asked, so that there are many questions."""
    state, card = play.state, Card("Truthtrance")
    faction = play.questions()[0].faction if play.questions() else None
    if faction and card in state.treachery_discard and len(state.players[faction].hand) < 4 and state.events % 7 == 0:
        state.treachery_discard.remove(card)
        state.players[faction].hand.append(card)


def _counts(event: Event, promise: Promise) -> bool:
    """Return True if the event falls within the promise's time."""
    if event.kind == "truthtrance-negated":
        facts = event.facts
        return bool(facts["faction"] == promise.faction and facts["question"] == promise.question)
    return promise.scope.first_turn <= event.turn <= promise.scope.last_turn


def _breaks(event: Event, promise: Promise) -> bool:
    """Return True if the event breaks the promise."""
    facts, scope = event.facts, promise.scope
    match promise.act, event.kind:
        case acts.PlayCard(names), "plans-revealed":
            plans = {plan["faction"]: plan for plan in facts["plans"]}
            other = [faction for faction in plans if faction != promise.faction]
            mine = plans.get(promise.faction)
            there = scope.territory in (None, facts["territory"]) and scope.opponent in (None, *other)
            return bool(mine and there and {mine["weapon"], mine["defense"]} & set(names))
        case acts.PlayCard(names), "karama-played":
            return bool(not scope.in_battle and facts["faction"] == promise.faction and facts["card"] in names)
        case acts.BidFor(amount), "bid":
            return bool(facts["faction"] == promise.faction and amount.holds(facts["amount"] or 99))
        case acts.ShipTo(goal, amount), "shipment":
            forces = sum(map(int, facts["forces"].split("+")))
            there = goal is None or (facts["target"] or "").startswith(goal)
            return bool(facts["faction"] == promise.faction and there and amount.holds(forces))
        case acts.MoveTo(goal, _), "move":
            return bool(facts["faction"] == promise.faction and goal and facts["target"].startswith(goal))
        case acts.ReviveTokens(), "tokens-revived":
            return bool(facts["faction"] == promise.faction)
        case acts.RideWorm(), "worm-ridden":
            return promise.faction == "fremen"
        case acts.Enter(goal), "shipment" | "move":
            source, target = ((facts[end] or "").split("/")[0] for end in ("source", "target"))
            return bool(facts["faction"] == promise.faction and source != target == goal)
        case acts.UseVoice(), "voice-given":
            return promise.faction == "bene-gesserit" and scope.opponent is None
        case acts.UsePrescience(), "prescience-asked":
            return promise.faction == "atreides" and scope.opponent in (None, facts["target"])
        case acts.GiveSpice(other, amount), "spice-given" if amount == acts.ANY:
            return (facts["payer"], facts["receiver"], facts["why"]) == (promise.faction, other, "gift")
        case acts.CallTreachery(), "treachery-called":
            return bool(facts["caller"] == promise.faction and scope.territory is None)
    return False
