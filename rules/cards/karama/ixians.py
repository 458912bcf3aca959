"""Karamas of and against the Ixians (IT.IX-KARAMA, FAQ.KARAMA-IXI.1 to 7).

Their own moves the Hidden Mobile Stronghold once more, in their own shipment and movement. Of what they can do each use
is stopped by one Karama, as it is announced; the value of Suboids never is (FAQ.KARAMA-IXI.8).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.bidding.card_up import auction_of
from rules.components import Faction
from rules.decisions.question import Flow
from rules.factions.ixians import NEEDS_FORCE_FOR_KARAMA, mobile_stronghold
from rules.factions.ixians import way as ways
from rules.orders import Karama, KaramaEffect
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

FARTHEST = 2
TAKES_SPICE = Option("karama_hms_collects", {"yes": True, "no": False})
"""Whether spice is taken on the special Karama's way too (IT.IX-KARAMA.3)."""

ONLY_MOVES = Refusal("Only the Ixians move the Hidden Mobile Stronghold by Karama.", "karama.mobile-stronghold")


# --- their own -------------------------------------------------------------------------------------------------------


def _check_move(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot, door = game.moments.slot, game.state.door
    if slot is None or slot.mover != faction:
        why = "This special Karama is played in your own shipment and movement."
        return Refusal(why, "karama.mobile-stronghold")
    if refusal := mobile_stronghold.may_move(game, faction, needs_force=NEEDS_FORCE_FOR_KARAMA(game.rules)):
        return refusal
    if order.area is None or door is None:
        return Refusal("Say where it goes: karama hms to AREA.", "karama.mobile-stronghold")
    return ways.refusal(game, door, order.via, order.area, FARTHEST)


def _move(game: Game, faction: Faction, order: Karama) -> Flow:
    door = game.state.door
    assert order.area is not None
    assert door is not None
    way = ways.find(game, door, order.via, order.area)
    assert way is not None
    mobile_stronghold.travel(game, faction, way, takes=TAKES_SPICE(game.rules))
    yield from ()


def _never_move(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if order.area is not None and ways.is_stronghold(order.area):
        return Refusal("That is a stronghold; the Hidden Mobile Stronghold stops outside them.", "hms.end")
    return None


# --- against them ----------------------------------------------------------------------------------------------------


def _stopping(
    what: KaramaEffect, topic: str, is_on: Callable[[Game], bool], stop: Callable[[Game], None], why_not: str
) -> Effect:
    """An effect that stops what is announced at this moment."""

    def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
        return None if is_on(game) else Refusal(why_not, topic)

    def play(game: Game, faction: Faction, order: Karama) -> Flow:
        stop(game)
        game.tell("ixian-power-stopped", by=faction, what=what.removeprefix("cancel "))
        yield from ()

    return Effect(check, play)


def _look_is_due(game: Game) -> bool:
    auction = game.moments.auction
    return auction is not None and auction.look_due and not auction.look_cancelled


def _stop_look(game: Game) -> None:
    auction_of(game).look_cancelled = True


def _move_is_announced(game: Game) -> bool:
    return game.moments.stronghold is not None and not game.moments.stronghold.cancelled


def _stop_move(game: Game) -> None:
    moment = game.moments.stronghold
    assert moment is not None
    moment.cancelled = True


def _swap_is_announced(game: Game) -> bool:
    return game.moments.auction is not None and game.moments.auction.swapping


def _stop_swap(game: Game) -> None:
    auction_of(game).swapping = False


def _redraw_is_announced(game: Game) -> bool:
    return game.moments.auction is not None and game.moments.auction.redrawing


def _stop_redraw(game: Game) -> None:
    auction_of(game).redrawing = False


def _exchange_is_due(game: Game) -> bool:
    battle = game.moments.battle
    return battle is not None and battle.exchanging and "exchange" not in battle.cancelled


def _stop_exchange(game: Game) -> None:
    battle = game.moments.battle
    assert battle is not None
    battle.cancelled.add("exchange")


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "hms": Effect(_check_move, _move, only_refusal=ONLY_MOVES, never_legal=_never_move),
    "cancel auction look": _stopping(
        "cancel auction look", "karama.auction-look", _look_is_due, _stop_look,
        "The look at the cards of the auction is stopped before it is taken.",
    ),
    "cancel hms move": _stopping(
        "cancel hms move", "karama.mobile-stronghold-stays", _move_is_announced, _stop_move,
        "The move of the Hidden Mobile Stronghold is stopped as its way is announced.",
    ),
    "cancel technology": _stopping(
        "cancel technology", "karama.technology", _swap_is_announced, _stop_swap,
        "A swap by Technology is stopped as it is announced.",
    ),
    "cancel redraw": _stopping(
        "cancel redraw", "karama.redraw", _redraw_is_announced, _stop_redraw,
        "A redraw is stopped as it is announced.",
    ),
    "cancel exchange": _stopping(
        "cancel exchange", "karama.exchange", _exchange_is_due, _stop_exchange,
        "The exchange of Suboids for Cyborgs is stopped before it is made.",
    ),
}  # fmt: skip
OPTIONS = (TAKES_SPICE,)
