"""The positions of scenes: what each lays over a late position, so that what it is for is near."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.soak.placing import (
    ally_two,
    bury,
    clear,
    enrich,
    give_hand,
    into_reserve,
    own_leaders,
    part,
    set_against,
    somebody_else,
    stand,
)
from rules.components import (
    KARAMA,
    KWISATZ_HADERACH_LOSSES,
    LEADERS,
    SHAI_HULUD,
    WORTHLESS,
    Card,
    Faction,
    Forces,
)
from rules.components.board import (
    MOBILE_STRONGHOLD,
    SHIELD_WALL,
    STRONGHOLDS,
    TERRITORIES,
    TerritoryId,
    sector_of,
    territory_of,
)
from rules.components.chance import Chance
from rules.decisions.catalogue import rules_of
from rules.orders import (
    Lose,
    Order,
    Plan,
    Revive,
    Support,
)
from rules.state.game import Game
from rules.state.state import Prediction, State

Arrange = Callable[[Game, Chance], None]
"""Changes a position, by chance where it does not matter how."""
LIMIT = 3
"""How many tokens come back in a turn without help."""
SOME = 4
"""A dial for which Ixians need not lose all tokens of a scene's battle."""


# --- Battles ---------------------------------------------------------------------------------------------------------


def against(faction: Faction, foe: Faction | None = None, strong: int = 4, weak: int = 3) -> Arrange:
    """A battle of the faction against another, any one if none is named."""

    def arrange(game: Game, chance: Chance) -> None:
        set_against(game, chance, faction, foe or somebody_else(game, chance, faction), strong, weak)

    return arrange


def haderach(game: Game, chance: Chance) -> None:
    game.state.kwisatz_haderach = "ready"
    against("atreides")(game, chance)


def traitor_for_an_ally(game: Game, chance: Chance) -> None:
    """Whoever fights the ally of Harkonnen can be led by nobody but one whom Harkonnen pay."""
    paid = [leader for leader in game.player("harkonnen").traitors if leader in LEADERS]
    for leader in paid:
        victim = LEADERS[leader].faction
        if victim in game.state.players and victim != "harkonnen" and leader not in game.captives():
            ally = somebody_else(game, chance, "harkonnen", victim)
            set_against(game, chance, ally, victim)
            ally_two(game, "harkonnen", ally)
            give_hand(game, victim, ())
            for other in own_leaders(game, victim):
                if other != leader:
                    game.kill_leader(other)
            return


def two_uses(game: Game, chance: Chance) -> None:
    """Weirding Way beside a weapon on the one side, Chemistry beside a defense on the other."""
    one, other = list(game.state.players)[:2]
    set_against(game, chance, one, other)
    give_hand(game, one, (Card("Weirding Way"), Card("Crysknife"), Card("Shield Snooper")))
    give_hand(game, other, (Card("Chemistry"), Card("Snooper")))


def special_weapons(game: Game, chance: Chance) -> None:
    """An Artillery Strike and a Shield Snooper on the one side, a Poison Blade on the other."""
    one, other = list(game.state.players)[:2]
    set_against(game, chance, one, other)
    give_hand(game, one, (Card("Artillery Strike"), Card("Shield Snooper")))
    give_hand(game, other, (Card("Poison Blade"), Card("Poison Tooth")))


def exchange(game: Game, chance: Chance) -> None:
    """Ixians who cannot but win, as nobody leads the others."""
    other = somebody_else(game, chance, "ixians")
    set_against(game, chance, "ixians", other, 6, 1)
    give_hand(game, other, ())
    for leader in own_leaders(game, other):
        game.kill_leader(leader)


def loses_some_cyborgs(order: Order) -> bool:
    """A plan that does not spend all tokens, and losses among which are Cyborgs."""
    if isinstance(order, Plan):
        return 0 < order.dial <= SOME
    return not isinstance(order, Lose) or order.forces.elite > 0


def capture(game: Game, chance: Chance) -> None:
    other = somebody_else(game, chance, "harkonnen")
    set_against(game, chance, "harkonnen", other, 8, 1)
    give_hand(game, other, ())


def gholas(game: Game, chance: Chance) -> None:
    """The Tleilaxu are led by nobody but leaders of others who have come into their service."""
    other = somebody_else(game, chance, "tleilaxu")
    set_against(game, chance, "tleilaxu", other)
    for leader in own_leaders(game, "tleilaxu"):
        game.kill_leader(leader)
    third = somebody_else(game, chance, "tleilaxu", other)
    for leader in own_leaders(game, third)[:2]:
        if game.state.leaders[leader].status == "ready":
            game.state.box.gholas[leader] = third


# --- Revival ---------------------------------------------------------------------------------------------------------


def graves(game: Game, chance: Chance) -> None:
    """All have many tokens and some leaders in the tanks, and spice."""
    for faction in game.state.players:
        bury(game, faction, Forces(7, 1), leaders=2)
        enrich(game, faction)


def one_by_one(game: Game, chance: Chance) -> None:
    """The Tleilaxu lack leaders, others have dead ones."""
    graves(game, chance)
    for leader in own_leaders(game, "tleilaxu")[2:4]:
        game.kill_leader(leader)


def helped_by(helper: Faction) -> Arrange:
    """An ally of the faction has most of their tokens in the tanks."""

    def arrange(game: Game, chance: Chance) -> None:
        graves(game, chance)
        ally_two(game, helper, somebody_else(game, chance, helper))

    return arrange


def with_help(order: Order) -> bool:
    """More tokens than without help, and spice for that."""
    return order.forces.total > LIMIT if isinstance(order, Revive) else order != Support(0)


# --- Movement, bidding, the end --------------------------------------------------------------------------------------


def fleets(game: Game, chance: Chance) -> None:
    """All have spice, and tokens to ship."""
    for faction in game.state.players:
        enrich(game, faction)
        into_reserve(game, faction, Forces(6))


def flips(game: Game, chance: Chance) -> None:
    """Advisors stand beside others in the strongholds."""
    fleets(game, chance)
    for place in STRONGHOLDS:
        clear(game, place)
        stand(game, somebody_else(game, chance, "bene-gesserit"), place, Forces(2))
        stand(game, "bene-gesserit", place, Forces(1))
        rules_of(game, "bene-gesserit").was_placed(game, place)


def fleets_with(faction: Faction) -> Arrange:
    """All have spice and tokens to ship, and somebody is the faction's ally."""

    def arrange(game: Game, chance: Chance) -> None:
        fleets(game, chance)
        ally_two(game, faction, somebody_else(game, chance, faction))

    return arrange


def inside(game: Game, chance: Chance) -> None:
    """The Ixians stand in their mobile stronghold, alone, out of the storm."""
    clear(game, territory_of(MOBILE_STRONGHOLD))
    game.deploy("ixians", into_reserve(game, "ixians", Forces(3, 2)), MOBILE_STRONGHOLD)
    with_spice = [facts.spice_area for facts in TERRITORIES.values() if facts.spice_area]
    game.state.box.stronghold_at = next(area for area in with_spice if sector_of(area) != game.state.storm)
    fleets_on_sand(game, chance)


def fleets_on_sand(game: Game, chance: Chance) -> None:
    """Cyborgs alone on the sand, from where they go twice as far."""
    sand = next(name for name, facts in TERRITORIES.items() if facts.kind == "sand" and not game.state.forces_in(name))
    stand(game, "ixians", sand, Forces(0, 2))


def empty_hands(game: Game, chance: Chance) -> None:
    """Hands with room, and spice for many cards."""
    for faction, player in game.state.players.items():
        give_hand(game, faction, [card for card in player.hand if card != KARAMA][:1])
        enrich(game, faction)


def _room_for(game: Game, *buyers: Faction) -> None:
    """Nobody but the buyers has room for another card."""
    for faction, player in game.state.players.items():
        while faction not in buyers and not game.hand_full(faction):
            player.hand.append(game.state.treachery_deck.pop())


def free_card(game: Game, chance: Chance) -> None:
    """Harkonnen buy, who alone have room."""
    empty_hands(game, chance)
    _room_for(game, "harkonnen")


def redraw(game: Game, chance: Chance) -> None:
    """The ally of the Ixians buys, who alone has room."""
    ally = somebody_else(game, chance, "ixians")
    empty_hands(game, chance)
    ally_two(game, "ixians", ally)
    _room_for(game, ally)


def auction_for(faction: Faction) -> Arrange:
    """All have spice and room for cards, and somebody is the faction's ally."""

    def arrange(game: Game, chance: Chance) -> None:
        empty_hands(game, chance)
        ally_two(game, faction, somebody_else(game, chance, faction))

    return arrange


def foreseen(game: Game, chance: Chance) -> None:
    """Somebody has won, and the Bene Gesserit said so."""
    winner = somebody_else(game, chance, "bene-gesserit")
    part(game, winner)
    for place in STRONGHOLDS:
        clear(game, place)
    into_reserve(game, winner, Forces(len(STRONGHOLDS)))
    for place in STRONGHOLDS:
        stand(game, winner, place, Forces(1))
    game.state.prediction = Prediction(winner, game.state.turn)


def hidden_dancers(game: Game, chance: Chance) -> None:
    game.state.box.revealed_dancers = []


def worthless(game: Game, chance: Chance) -> None:
    """The Bene Gesserit hold worthless cards to play as Karamas."""
    give_hand(game, "bene-gesserit", sorted(WORTHLESS)[:3])


def worms(game: Game, chance: Chance) -> None:
    """Worms come, the first to where Fremen and their ally stand beside each other."""
    ally, state = somebody_else(game, chance, "fremen"), game.state
    ally_two(game, "fremen", ally)
    last = state.spice_discard[0][-1:]
    for there in [territory for territory, facts in TERRITORIES.items() if facts.name in last]:
        clear(game, there)
        for faction in ("fremen", ally):
            stand(game, faction, there, Forces(3))
    worms = [card for card in state.spice_deck if card == SHAI_HULUD][:2]
    state.spice_deck = [*worms, *(card for card in state.spice_deck if card != SHAI_HULUD), *_other_worms(state, worms)]


def _other_worms(state: State, but: Sequence[str]) -> list[str]:
    return [SHAI_HULUD] * (state.spice_deck.count(SHAI_HULUD) - len(but))


def all_but_one_shown(game: Game, chance: Chance) -> None:
    """One face dancer is still hidden, and can only be whom the winner of a battle leads with."""
    box = game.state.box
    others = [faction for faction in game.state.players if faction != "tleilaxu"]
    able = [leader for leader in box.face_dancers for other in others if leader in own_leaders(game, other)]
    if not able:
        return
    box.revealed_dancers = [leader for leader in box.face_dancers if leader != able[0]]
    winner = LEADERS[able[0]].faction
    loser = somebody_else(game, chance, winner, "tleilaxu")
    set_against(game, chance, winner, loser, 6, 1)
    into_reserve(game, "tleilaxu", Forces(6))
    for faction in (winner, loser):
        give_hand(game, faction, ())
    for leader in own_leaders(game, winner):
        if leader != able[0]:
            game.kill_leader(leader)


def lost_haderach(game: Game, chance: Chance) -> None:
    """The Kwisatz Haderach is dead, and so are all leaders of Atreides."""
    game.state.kwisatz_haderach = "dead"
    graves(game, chance)
    for leader in own_leaders(game, "atreides"):
        if game.state.leaders[leader].status == "ready":
            game.kill_leader(leader)


def explosion(game: Game, chance: Chance) -> None:
    """The Kwisatz Haderach comes to a battle in which a Lasgun meets a Shield."""
    haderach(game, chance)
    give_hand(game, "atreides", (Card("Lasgun"), Card("Shield")))


def awakening(game: Game, chance: Chance) -> None:
    """One more loss, and the Kwisatz Haderach awakes."""
    game.state.kwisatz_haderach, game.state.lost_in_battle = "locked", KWISATZ_HADERACH_LOSSES - 1
    against("atreides")(game, chance)


def truthtrance(game: Game, chance: Chance) -> None:
    give_hand(game, somebody_else(game, chance), (Card("Truthtrance"),))


def landing_in_storm(game: Game, chance: Chance) -> None:
    """The storm lies over somebody whom Fremen can attack as they land."""
    there = TerritoryId("the-great-flat")
    fleets(game, chance)
    clear(game, there)
    stand(game, somebody_else(game, chance, "fremen", *game.state.ally_group("fremen")), there, Forces(1))
    game.state.storm = sector_of(TERRITORIES[there].areas[0]) or game.state.storm


def storm_cards(game: Game, chance: Chance) -> None:
    """Who stands on the Shield Wall holds Family Atomics and Weather Control."""
    holder = somebody_else(game, chance)
    stand(game, holder, SHIELD_WALL, Forces(3))
    give_hand(game, holder, (Card("Family Atomics"), Card("Weather Control")))
