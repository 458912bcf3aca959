"""Who beats a faction in battle takes one of its tech tokens, by treachery too; an explosion or two traitors move none
(IT.TECH.15 to 17)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters import tech_tokens
from rules.chapters.battle.question import BattleQuestion
from rules.components import Faction
from rules.components.tech_tokens import TECH_TOKENS, TechToken
from rules.decisions.asking import ask
from rules.decisions.question import Flow, Question
from rules.orders import Order, TakeToken
from rules.rulesets.box import expansion_of
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game
from rules.state.moments import BattleMoment


def take(game: Game, battle: BattleMoment) -> Flow:
    """The winner takes one of the loser's tokens; they are asked which where there are several."""
    winner = battle.winner
    if winner is None or not game.state.box.tech_tokens:
        return
    loser = battle.opponent(winner)

    def build() -> list[Question]:
        several = len(tech_tokens.owned_by(game, loser)) > 1
        return [TokenQuestion(game, battle, winner, loser)] if several else []

    answers = yield from ask(build)
    if there := tech_tokens.owned_by(game, loser):
        order = answers.of(winner)
        token = order.token if isinstance(order, TakeToken) else _first(there)
        game.state.box.tech_tokens[token] = winner
        game.tell("tech-token-taken", token=token, faction=winner, loser=loser)


def _first(there: Sequence[TechToken]) -> TechToken:
    """What is taken where nobody says which; with two to take from, either of them fills a set or none does."""
    return next(token for token in TECH_TOKENS if token in there)


class TokenQuestion(BattleQuestion):
    """Which of the loser's tech tokens do you take?"""

    kind = "tech-token"

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        return bool(expansion_of(rules))

    def __init__(self, game: Game, battle: BattleMoment, winner: Faction, loser: Faction) -> None:
        super().__init__(game, battle, winner)
        self._loser = loser

    @property
    def _there(self) -> list[TechToken]:
        return tech_tokens.owned_by(self.game, self._loser)

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, TakeToken) and order.token in self._there:
            return None
        names = " or ".join(TECH_TOKENS[token].name for token in self._there)
        return Refusal(f"You can take {names}.", "tech-tokens.taken")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if not game.state.box.tech_tokens:
            return Refusal("There are no tech tokens in this game.", "tech-tokens.none")
        return None

    @property
    def default(self) -> Order:
        return TakeToken(_first(self._there))

    def samples(self) -> Sequence[Order]:
        return [TakeToken(token) for token in self._there]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"loser": self._loser, "tokens": self._there, "territory": self.battle.territory}
