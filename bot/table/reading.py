"""What the reader of a player's lines may use: only what that player knows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache, partial
from typing import Literal

from bot.orders.context import Asked, Context, Known
from bot.sheets.deal_conditions import read_deal_condition
from rules.components import Faction, Forces, leaders_of
from rules.components.board import Area
from rules.decisions.catalogue import rules_of
from rules.engine.play import Play
from rules.orders import Order
from rules.views import view

Verdict = tuple[Literal["accepted", "held", "refused"], str]


def reading_context(
    play: Play,
    faction: Faction,
    today: date | None = None,
    *,
    takes: bool = True,
    later: Callable[[Order], bool] = lambda _: False,
) -> Context:
    """What is known of the writer of a line. ``today`` is the day where they are; ``takes``: what is certain in plain
    words is taken; ``later``: whether an order is kept for a later part of the round that is called."""
    player = play.state.players[faction]
    return Context(
        faction=faction,
        factions=frozenset(play.state.players),
        hand=tuple(player.hand),
        leaders=(*leaders_of(faction), *player.captured, *rules_of(play.game, faction).foreign_leaders(play.game)),
        traitors=tuple(player.traitors),
        today=today,
        turn=play.state.turn,
        phase=play.state.phase,
        edition=play.game.rules.edition,
        known=cache(partial(known_to, play, faction, later)),
        takes=takes,
        conditions=read_deal_condition,
    )


def known_to(play: Play, faction: Faction, later: Callable[[Order], bool]) -> Known:
    """The position as one player sees it: their questions, their forces, and what the rules would say to an order of
    theirs, which they are told of any order that they send."""
    seen = view(play, faction)
    own = seen["players"][faction]
    return Known(
        asked=[Asked(q.kind, q.facts, q.samples) for q in play.asked() if q.faction == faction],
        forces={Area(area): Forces.parse(here[faction]) for area, here in seen["forces"].items() if faction in here},
        reserves=Forces.parse(own["reserves"]),
        tanks=Forces.parse(own["tanks"]),
        spice=own["spice"],
        allies=[ally for ally in play.state.ally_group(faction) if ally != faction],
        judge=_judge(play, faction, later),
    )


def _judge(play: Play, faction: Faction, later: Callable[[Order], bool]) -> Callable[[Order], Verdict]:
    def judge(order: Order) -> Verdict:
        if later(order):
            return "held", ""
        outcome = play.check(faction, order)
        return outcome.status, outcome.refusal.reason if outcome.refusal else ""

    return judge
