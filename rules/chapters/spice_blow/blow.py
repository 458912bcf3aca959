"""The spice blow: cards are turned until a territory shows up, for one pile or for two (AH.VII, AH.XXI, WBC.VII).

A worm on the way calls a nexus and eats at the last blow of its pile. On the first turn worms mean nothing and go back
into the deck. When a card is wanted and the deck is empty, all spice cards are shuffled again; what blew last on a
pile is remembered (AH.XXI.B, AH.QA.E.4).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from rules.chapters.spice_blow import nexus, sandtrout, worms
from rules.components import KARAMA, SANDTROUT, SHAI_HULUD, spice_card_territory
from rules.components.board import TERRITORIES, Area, TerritoryId, sector_of
from rules.decisions.catalogue import play_gap, rules_of
from rules.decisions.question import Flow, Stop
from rules.decisions.windows import window
from rules.rulesets.options import Option, number
from rules.state.game import Game
from rules.state.moments import SpiceMoment, WormMoment

BLOWS = number("spice_blows", range(1, 3))
BACK_AT_ONCE = Option("turn1_worm_reshuffle", {"at_once": True, "after_phase": False})


def flow(game: Game) -> Flow:
    """All blows of the turn; before the first and after the last somebody could call a worm."""
    moment = game.moments.spice = SpiceMoment()
    yield from calling_window(game)
    piles = BLOWS(game.rules)
    for pile in range(piles):
        moment.begin_pile(piles - pile - 1)
        yield from play_gap(game, "before a spice card is turned")
        yield from blow(game, moment, pile)
    moment.blows_to_come = False
    if worms.on_first_turn(game):
        shuffle_worms_back(game)
    yield from calling_window(game)
    yield from nexus.end_of_phase(game)
    yield from worms.late_rides(game)


def calling_window(game: Game) -> Flow:
    """A moment for the Karama that calls a worm, held for all whether anybody has one or not (WBC.XVII.18)."""

    def possible() -> bool:
        called = any(rules_of(game, faction).has_karama_power(game, "worm") for faction in game.order_of_play())
        return called and game.state.treachery_discard.count(KARAMA) < 2

    yield from window(game, "fremen-worm", possible)


def blow(game: Game, moment: SpiceMoment, pile: int) -> Flow:
    """Turn cards for one pile until spice blows. What blows after a worm that the Sandtrout has stilled is doubled
    (IT.TROUT.5)."""
    doubled = False
    if moment.thumped:
        moment.thumped = False
        doubled = yield from worm_turned(game, moment, pile)
    while True:
        card = turn_card(game)
        if card == SANDTROUT:
            sandtrout.turned(game, pile)
            continue
        game.state.spice_discard[pile].append(card)
        territory = spice_card_territory(card)
        if territory is not None:
            moment.laid = lay_spice(game, territory, pile, doubled=doubled)
            yield from play_gap(game, "spice has blown")
            moment.laid = None
            return
        doubled = False
        if worms.on_first_turn(game):
            game.tell("worm-ignored", pile=pile + 1)
            if BACK_AT_ONCE(game.rules):
                shuffle_worms_back(game)
        else:
            doubled = yield from worm_turned(game, moment, pile)


def worm_turned(game: Game, moment: SpiceMoment, pile: int) -> Generator[Stop, None, bool]:
    """A worm card, or a Thumper in its place; whether a waiting Sandtrout stills it, so that it is no first worm, and
    what takes its place is doubled (IT.TROUT.3, IT.TROUT.5, IT.TROUT.10)."""
    if game.state.box.sandtrout:
        sandtrout.stills(game, pile, last_blow(game, pile))
        return True
    moment.worms += 1
    yield from worm_appears(game, moment, pile)
    return False


def shuffle_worms_back(game: Game) -> None:
    """The worms of the first turn return to the deck, and a Sandtrout with them; whether each at once or all when the
    last blow is over makes no difference to chance (AH.VII.D, AH.XXI.A.3, GF9.SPICE.2, IT.TROUT.8)."""
    state = game.state
    back = [card for pile in state.spice_discard for card in pile if card in (SHAI_HULUD, SANDTROUT)]
    worms_seen = back.count(SHAI_HULUD)
    if back:
        state.spice_discard = [[card for card in pile if card not in back] for pile in state.spice_discard]
        state.spice_deck += sorted(back, reverse=True)
        game.chance.shuffle("spice-deck", state.spice_deck)
        with_them: dict[str, Any] = {"sandtrout": True} if SANDTROUT in back else {}
        game.tell("worms-shuffled-back", worms=worms_seen, **with_them)


def turn_card(game: Game) -> str:
    """The top card; an empty deck is made anew from all the discards first."""
    state = game.state
    if not state.spice_deck:
        for pile in range(len(state.spice_discard)):
            state.last_blows[pile] = last_blow(game, pile)
        state.spice_deck = [card for cards in state.spice_discard for card in cards]
        state.spice_discard = [[] for _ in state.spice_discard]
        game.chance.shuffle("spice-deck", state.spice_deck)
        game.tell("spice-deck-reshuffled", cards=len(state.spice_deck))
    return state.spice_deck.pop(0)


def last_blow(game: Game, pile: int) -> TerritoryId | None:
    """The territory last turned up on the pile, even if its card was shuffled away (AH.VII.A.2-d, AH.XXI.B.2-b)."""
    for card in reversed(game.state.spice_discard[pile]):
        if (territory := spice_card_territory(card)) is not None:
            return territory
    return game.state.last_blows[pile]


def lay_spice(game: Game, territory: TerritoryId, pile: int, *, doubled: bool = False) -> tuple[Area, int]:
    """Spice from the bank onto the marked sector, none if the storm is there (AH.VII.A.1); where it blew, and how
    much."""
    facts = TERRITORIES[territory]
    area = facts.spice_area
    if area is None:
        raise ValueError(f"no spice blows in {territory}")
    in_storm = sector_of(area) == game.state.storm
    amount = 0 if in_storm else facts.spice * (2 if doubled else 1)
    game.add_spice(area, amount)
    game.tell("spice-blow", area=area, amount=amount, pile=pile + 1, in_storm=in_storm)
    return area, amount


def worm_appears(game: Game, moment: SpiceMoment, pile: int) -> Flow:
    """A worm card after the first turn: its nexus, and what it does."""
    beneath = last_blow(game, pile)
    additional = moment.worms > 1
    worms.count_worm(game)
    commanded = bool(worms.commanders(game))
    if additional and worms.EXTRA_WORMS_IGNORED(game.rules)(commanded):
        game.tell("worm-ignored", pile=pile + 1)
        return
    directed = additional and commanded
    worm = WormMoment(None if directed else beneath, beneath, directed)
    game.tell(
        "worm-appeared", territory=worm.territory, pile=pile + 1, additional=additional, seen=game.state.worms_seen
    )
    yield from worms.come(game, worm)


OPTIONS = (BLOWS, BACK_AT_ONCE, *sandtrout.OPTIONS, *worms.OPTIONS, *nexus.OPTIONS)
QUESTIONS = nexus.QUESTIONS
