"""The revival before anybody ships: tokens, leaders where they come back now, and the look at the spice card.

Everybody is asked at once, also with empty tanks: the stop is the gap before the look at the spice card, and whoever
holds a Karama may prevent that look here (AH.SHIELD.ATR.2, WBC.AID.17).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rules.chapters.revival import costs, leaders, payment, tokens
from rules.chapters.revival.leaders import LEADERS_AFTER_TOKENS, LeaderRevivalQuestion, leader_revival
from rules.chapters.revival.support import RevivalSupportQuestion, support_questions
from rules.chapters.revival.tokens import TokenRevivalQuestion, refuse_tokens, starred_left
from rules.components import FACTION_FACTS, Faction, Forces
from rules.decisions.asking import Answers, ask
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.karama import can_do
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.orders import Revive
from rules.state.game import Game


def flow(game: Game) -> Flow:
    """The story of the revival of tokens, of leaders where they come back now, and the look at the spice card that
    follows it."""
    for faction in factions_with(game, FactionRules.before_revival):
        yield from rules_of(game, faction).before_revival(game)
    if costs.ONE_AFTER_ANOTHER(game.rules):
        for reviving in game.order_of_play():
            for faction in factions_with(game, FactionRules.before_revival_of):
                yield from rules_of(game, faction).before_revival_of(game, reviving)
            yield from _tokens_of(game, [reviving])
    else:
        yield from _tokens_of(game, game.order_of_play())
    game.moments.tokens_are_back = True
    if LEADERS_AFTER_TOKENS(game.rules):
        for faction in game.order_of_play():
            yield from leader_revival(game, faction)
            game.moments.revival_done.append(faction)
    _look_at_the_spice_card(game)


def _tokens_of(game: Game, reviving: Sequence[Faction]) -> Flow:
    """The tokens of these factions, all at once."""
    game.moments.tokens_come_back = True
    answers = yield from ask(partial(_token_questions, game, reviving))
    for faction in reviving:
        yield from _time_to_stop_help(game, faction, answers)
    _bring_back(game, reviving, answers)
    game.moments.tokens_come_back = False


def _token_questions(game: Game, reviving: Sequence[Faction]) -> list[Question]:
    tokens = [TokenRevivalQuestion(game, faction) for faction in reviving]
    beside = factions_with(game, FactionRules.beside_revival)
    others = [question for faction in beside for question in rules_of(game, faction).beside_revival(game, reviving)]
    return [*tokens, *support_questions(game, reviving), *others]


def _time_to_stop_help(game: Game, faction: Faction, answers: Answers) -> Flow:
    """A helper lets the faction have more tokens back than the limit: a Karama may stop that (FAQ.KARAMA-EMP.3)."""
    order = answers.of(faction)
    helper = costs.helper(game, faction) if isinstance(order, Revive) else None
    if helper is None or not isinstance(order, Revive) or not can_do(game.rules, "cancel extra revival"):
        return
    if order.forces.total > costs.own_limit(game, faction):
        stopped = game.moments.no_extra_revival
        yield from window(game, "extra-revival", lambda: faction not in stopped, by=helper, ally=faction)


def _to_come_back(game: Game, faction: Faction, answers: Answers) -> Forces:
    """What the faction has back: what it has said, or less of it where help was stopped since, spice went away or a
    card has brought tokens back; starred ones first."""
    order = answers.of(faction)
    if not isinstance(order, Revive):
        return Forces()
    wanted = order.forces
    if refuse_tokens(game, faction, wanted) is None:
        return wanted
    tanks = game.player(faction).tanks
    elite = min(wanted.elite, tanks.elite, starred_left(game, faction))
    if "tokens" in game.moments.no_revival.get(faction, ()):
        return Forces()
    left = min(elite + min(wanted.ordinary, tanks.ordinary), costs.most(game, faction))
    while left and costs.bill(game, faction, _starred_first(left, elite)).short:
        left -= 1
    return _starred_first(left, elite)


def _starred_first(tokens: int, starred: int) -> Forces:
    return Forces(tokens - min(starred, tokens), min(starred, tokens))


def _bring_back(game: Game, reviving: Sequence[Faction], answers: Answers) -> None:
    """Their tokens; what they cost is worked out before anybody has paid."""
    bills = []
    for faction in reviving:
        if forces := _to_come_back(game, faction, answers):
            price = costs.bill(game, faction, forces)
            free = min(FACTION_FACTS[faction].free_revival, costs.limit(game, faction))
            bills.append((faction, forces, price, costs.helper(game, faction), free))
    for faction, forces, price, helper, free in bills:
        paid = payment.pay(game, faction, price.own)
        help_: dict[str, Any] = {}
        if helper and price.helped:
            paid = payment.pay(game, faction, price.helped, helper)
            help_ = {"helper": helper, "helped": price.helped}
        game.revive(faction, forces)
        if forces.elite:
            game.state.elite_revived.append(faction)
        game.moments.revival_done.append(faction)
        game.tell("tokens-revived", faction=faction, forces=str(forces), price=price.own, **help_, **paid)
        if free:
            payment.used_free_revival(game, faction)


def _look_at_the_spice_card(game: Game) -> None:
    """The top of the spice deck, for those alone who have the power to look at it."""
    state = game.state
    if not state.spice_deck or state.sights_blocked.get("spice card") == state.turn:
        return
    for faction in game.order_of_play():
        if rules_of(game, faction).sees_spice_card(game):
            game.tell("spice-card-seen", audience=[faction], card=state.spice_deck[0])


OPTIONS = (*leaders.OPTIONS, *tokens.OPTIONS, *costs.OPTIONS)
QUESTIONS: tuple[type[Question], ...] = (LeaderRevivalQuestion, TokenRevivalQuestion, RevivalSupportQuestion)
