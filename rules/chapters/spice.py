"""The spice blow: cards are turned until a territory shows up, for one pile or for two (AH.VII, AH.XXI, WBC.VII).

A worm on the way calls a nexus and then eats at the last blow of its pile. On the first turn worms mean nothing and go
back into the deck. When a card is wanted and the deck is empty, all spice cards are shuffled again; what blew last on a
pile is remembered (AH.XXI.B, AH.QA.E.4).
"""

from __future__ import annotations

from rules.chapters import nexus, worms
from rules.components import KARAMA, SHAI_HULUD, Faction, spice_card_territory
from rules.components.board import TERRITORIES, TerritoryId, sector_of
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.orders import Ally, BreakAlliance, NoAlliance, NoRide, Order, PlaceWorm, Ride
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SpiceMoment, WormMoment


def flow(game: Game) -> Flow:
    """All blows of the turn; before the first and after the last the Fremen could call a worm of their own."""
    moment = game.moments.spice = SpiceMoment()
    yield from fremen_worm_window(game)
    for pile in range(game.rules.spice_blows):
        moment.worms = 0
        yield from blow(game, moment, pile)
    moment.blows_to_come = False
    if _first_turn(game):
        shuffle_worms_back(game)
    yield from fremen_worm_window(game)


def fremen_worm_window(game: Game) -> Flow:
    """A moment for the Fremen's Karama, held for all whether they have one or not (WBC.XVII.18)."""

    def possible() -> bool:
        return (
            game.rules.karama_special == "on"
            and game.plays("fremen")
            and game.state.treachery_discard.count(KARAMA) < 2
        )

    yield from window(game, "fremen-worm", possible)


def blow(game: Game, moment: SpiceMoment, pile: int) -> Flow:
    """Turn cards for one pile until spice blows."""
    while True:
        card = turn_card(game)
        game.state.spice_discard[pile].append(card)
        territory = spice_card_territory(card)
        if territory is not None:
            lay_spice(game, territory, pile)
            return
        if _first_turn(game):
            game.tell("worm-ignored", pile=pile + 1)
        else:
            moment.worms += 1
            yield from worm_appears(game, moment, pile)


def _first_turn(game: Game) -> bool:
    """Whether worms mean nothing yet (AH.VII.D, WBC A-06)."""
    return game.state.turn == 1 and game.rules.turn1_worms == "ignored"


def shuffle_worms_back(game: Game) -> None:
    """The worms of the first turn return to the deck when its last blow is over; shuffling each back at once would make
    no difference but in labour (AH.VII.D, AH.XXI.A.3)."""
    state = game.state
    worms_seen = sum(pile.count(SHAI_HULUD) for pile in state.spice_discard)
    if worms_seen:
        state.spice_discard = [[card for card in pile if card != SHAI_HULUD] for pile in state.spice_discard]
        state.spice_deck += [SHAI_HULUD] * worms_seen
        game.chance.shuffle("spice-deck", state.spice_deck)
        game.tell("worms-shuffled-back", worms=worms_seen)


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
        if card != SHAI_HULUD:
            return spice_card_territory(card)
    return game.state.last_blows[pile]


def lay_spice(game: Game, territory: TerritoryId, pile: int) -> None:
    """Spice from the bank onto the marked sector, none if the storm is there (AH.VII.A.1)."""
    facts = TERRITORIES[territory]
    area = facts.spice_area
    if area is None:
        raise ValueError(f"no spice blows in {territory}")
    in_storm = sector_of(area) == game.state.storm
    amount = 0 if in_storm else facts.spice
    game.add_spice(area, amount)
    game.tell("spice-blow", area=area, amount=amount, pile=pile + 1, in_storm=in_storm)


def worm_appears(game: Game, moment: SpiceMoment, pile: int) -> Flow:
    """A worm card after the first turn: its nexus, and then what it does."""
    beneath = last_blow(game, pile)
    additional = moment.worms > 1
    worms.count_worm(game)
    if additional and game.rules.extra_worms == "ignored":
        game.tell("worm-ignored", pile=pile + 1)
        return
    directed = additional and game.plays("fremen")
    worm = WormMoment(None if directed else beneath, beneath, directed)
    game.moments.worm = worm
    game.tell(
        "worm-appeared", territory=worm.territory, pile=pile + 1, additional=additional, seen=game.state.worms_seen
    )
    if not additional or game.rules.nexus_count == "every_worm":
        yield from nexus.nexus(game)
    yield from worms.resolve(game, worm)
    game.moments.worm = None


# --- Orders sent ahead -------------------------------------------------------------------------------------------


def still_to_come(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Whether an order can wait for a worm that may still come."""
    match order:
        case Ally() | BreakAlliance() | NoAlliance():
            return _nexus_to_come(game) or nexus.check(game, faction, order)
        case PlaceWorm() | Ride() | NoRide() if faction != "fremen":
            return Refusal("Only the Fremen command worms.", "AH.SHIELD.FRE.3-b")
        case PlaceWorm():
            if game.rules.extra_worms == "ignored":
                return Refusal("Additional worms are ignored.", "AH.VII.C")
            return _worm_to_come(game) or worms.check_place(order)
        case Ride():
            called = game.rules.karama_special == "on"  # the Fremen may still call one
            return (None if called else _worm_to_come(game)) or worms.check_ahead(game, order)
    return None


def _worm_to_come(game: Game) -> Refusal | None:
    moment = game.moments.spice or SpiceMoment()
    if _first_turn(game):
        return Refusal("Worms do nothing on the first turn.", "AH.VII.D")
    if not moment.blows_to_come:
        return Refusal("No further card is turned this turn, so no further worm comes.", "AH.VII.A.2-c")
    return None


def _nexus_to_come(game: Game) -> Refusal | None:
    """Why there can be no nexus any more this turn; a worm that waits has had its nexus."""
    moment = game.moments.spice or SpiceMoment()
    if nexus.largest_alliance(game) == 1:
        return Refusal("There are no alliances in this game.", "WBC.HR.2a")
    if _first_turn(game):
        return Refusal("There is no nexus on the first turn.", "AH.VII.D")
    once = game.rules.nexus_count == "first_worm_only" and moment.worms > 0
    if once or not moment.blows_to_come:
        return Refusal("Alliances change at a nexus only, and none comes any more this turn.", "AH.XII.C.5")
    return None
