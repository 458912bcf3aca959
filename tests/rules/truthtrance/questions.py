"""A position in which Truthtrance questions are asked, and their meanings there."""

from __future__ import annotations

from bot.language.truthtrance import read, with_reading
from rules.cards.truthtrance import Meaning, meaning
from rules.components import Card, Faction
from rules.components.board import Area, TerritoryId
from rules.engine.catalogue import load_rule_set
from rules.orders import Truthtrance
from rules.orders import readings as acts
from rules.positions.position import position
from rules.state.game import Game
from rules.state.moments import AuctionMoment, BattleMoment
from rules.state.state import Scope

WBC = load_rule_set("wbc-2018")
CARTHAG, ARRAKEEN, TUEKS_SIETCH = map(TerritoryId, ("carthag", "arrakeen", "tueks-sietch"))
IN_CARTHAG = Scope(4, 4, in_battle=True, territory=CARTHAG)

THIS_TURN = Scope(4, 4)


def game_in(phase: str = "bidding") -> Game:
    """Return a game of six in turn 4, with a card up for bids, and Atreides and Harkonnen in Carthag."""
    play = position({"ruleset": "wbc-2018", "start": {"turn": 4, "phase": phase, "storm": 6}}).play()
    game = play.game
    game.moments.auction = AuctionMoment(number=2)
    game.moments.battle = BattleMoment(CARTHAG, (Area("carthag/11"),), ("atreides", "harkonnen"))
    return game


def asked(asker: Faction, target: Faction, question: str) -> Truthtrance:
    """Return the order that a mail with this question contains."""
    return with_reading(Truthtrance(target, question), asker)


def meant(asker: Faction, target: Faction, question: str, game: Game | None = None) -> Meaning:
    """Return what an answer to the question would promise in this position."""
    return meaning(game or game_in(), target, read(asker, target, question))


def cards(*names: str) -> acts.PlayCard:
    return acts.PlayCard(tuple(sorted(map(Card, names))))
