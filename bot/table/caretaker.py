"""The caretaker: plays for a seat whose player is silent, with care, from what that seat knows and nothing else.

It answers at once, and everybody knows that it plays. What it does is what silence would do: it passes, takes charity
and free revival, ships and moves nothing, plays no card, keeps alliances, declines bargains, calls treachery. In battle
it defends: the best leader, a weapon and a defense from the hand, and no more tokens than hold against all
that the opponent may dial with their best leader.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from msgspec.structs import replace

from bot.table.table import Table
from rules import views
from rules.components import LEADERS, Card, Forces, Leader, card_kind, is_defense, is_weapon, leader_strength
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Question
from rules.orders import CHEAP_HERO, Plan
from rules.state.game import Game

PLANS = ("battle-plan", "prescience-answer")
ELITE = 2
"""What an elite token counts at most."""
FIT_TO_FIGHT = ("ready", "used")


def play_for_absent_seats(table: Table) -> bool:
    """Answer one question of a seat in the caretaker's hands; whether there was any."""
    for question in table.play.questions():
        if table.seats[question.faction].care:
            plan = _plan(table, question) if question.kind in PLANS else None
            outcomes = table.play.submit(question.faction, [plan]) if plan else ()
            if not any(outcome.status == "accepted" for outcome in outcomes):
                table.play.expire([question.key])
            return True
    return False


def _plan(table: Table, question: Question) -> Plan | None:
    view = views.view(table.play, question.faction)
    return defence(question, Battle.of(question, view))


@dataclass(frozen=True, slots=True)
class Battle:
    """What a fighter knows of their battle: their leaders there, the best first, cards, spice for it, the most that
    they can dial, the most that the opponent can; and by how much the opponent's leader can be worth more than each of
    theirs, or than a cheap hero."""

    leaders: tuple[Leader, ...]
    hand: tuple[Card, ...]
    spice: int
    most: float
    against: float
    behind: Mapping[str, int]

    @classmethod
    def of(cls, question: Question, view: Mapping[str, Any]) -> Battle:
        """From what the question says and from the fighter's own view."""
        about, game = question.facts, question.game
        opponent = view["players"][about["opponent"]]
        tokens = Forces.parse(about["opponent_forces"])
        ordinary = tokens.ordinary / 2 if rules_of(game, about["opponent"]).ordinary_counts_half else tokens.ordinary
        fit = [Leader(name) for name, how in opponent["leaders"].items() if how in FIT_TO_FIGHT]
        theirs = [None, *fit, *map(Leader, opponent.get("gholas", ()))]
        behind = {
            leader or CHEAP_HERO: max(_worth(game, one, leader) - _worth(game, leader, one) for one in theirs)
            for leader in (*about["leaders"], None)
        }
        return cls(
            leaders=tuple(sorted(about["leaders"], key=lambda leader: (behind[leader], -leader_strength(leader)))),
            hand=tuple(view["players"][question.faction]["hand"]),
            spice=about["spice"],
            most=float(about["most"]),
            against=ordinary + ELITE * tokens.elite,
            behind=behind,
        )


def _worth(game: Game, leader: Leader | None, opposing: Leader | None) -> int:
    """What a leader counts against another; a cheap hero, or nobody, nothing."""
    return rules_of(game, LEADERS[leader].faction).worth_of_leader(game, leader, opposing) if leader else 0


def defence(question: Question, battle: Battle) -> Plan | None:
    """The strongest plan that it would risk: the first equipment that the rules and the Voice allow, then the lowest
    dial that holds against the threat, or the highest that there is; None if nothing is better than silence."""
    modest = question.default
    if not isinstance(modest, Plan):
        return None
    equipped = next((plan for plan in _equipment(modest, battle) if _right(question, plan)), None)
    if equipped is None:
        return None
    wanted = max(battle.against + battle.behind[equipped.leader or CHEAP_HERO] + 0.5, 0)
    return next((plan for plan in _dials(equipped, battle, wanted) if _right(question, plan)), equipped)


def _equipment(modest: Plan, battle: Battle) -> Iterator[Plan]:
    """Plans from well to badly equipped."""
    weapons = [card for card in battle.hand if is_weapon(card)]
    weapons.sort(key=lambda card: card_kind(card) == "lasgun")  # it kills everybody where there is a shield
    defenses = [card for card in battle.hand if is_defense(card)]
    leaders: list[str] = [*battle.leaders, CHEAP_HERO]
    for leader in leaders:
        for weapon in [*weapons, None]:
            for defense in [*defenses, None]:
                explodes = weapon and defense and card_kind(weapon) == "lasgun" and card_kind(defense) == "shield"
                if not explodes:
                    yield replace(modest, leader=leader, weapon=weapon, defense=defense)


def _dials(plan: Plan, battle: Battle, wanted: float) -> Iterator[Plan]:
    """The plan with what is wanted on the dial, as near as can be, and each time with as little spice as will do."""
    halves = range(int(2 * battle.most) + 1)
    enough = (half / 2 for half in halves if half / 2 >= wanted)
    highest = (half / 2 for half in reversed(halves))
    for dial in chain(enough, highest):
        for spice in range(battle.spice + 1):
            yield replace(plan, dial=dial, spice=spice)


def _right(question: Question, plan: Plan) -> bool:
    """Whether the plan is taken as it is, with nothing to be mended."""
    return question.refusal(plan) is None and not (question.warnings(plan))
