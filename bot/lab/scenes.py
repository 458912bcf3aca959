"""Scenes: positions right before a rare event, each with players who try to bring about that event.

A scene modifies a late position (``bot.lab.soak.late_position``). It begins in the phase of its event, in the last turn
or shortly before it, so it is soon over: many scenes together take less time than one whole game. Tokens, cards,
leaders and spice are only moved, never created or lost, so a scene can be checked like any other game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.lab.occurrences import karama_effects
from rules import orders as o
from rules.components import (
    KARAMA,
    KWISATZ_HADERACH_LOSSES,
    LEADERS,
    SHAI_HULUD,
    WORTHLESS,
    Card,
    Faction,
    Forces,
    Leader,
    leaders_of,
)
from rules.components.board import (
    MOBILE_STRONGHOLD,
    SHIELD_WALL,
    STRONGHOLDS,
    TERRITORIES,
    Area,
    TerritoryId,
    sector_of,
    territory_of,
)
from rules.components.chance import Chance
from rules.decisions.catalogue import rules_of
from rules.rulesets.ruleset import RuleSet, expansion_of
from rules.state.game import Game
from rules.state.state import Prediction, State

Arrange = Callable[[Game, Chance], None]
HAND_LIMIT = 3
"""The number of tokens that a faction can revive in a turn without help."""
SOME_TOKENS = 4
"""A dial at which the Ixians need not lose all their tokens in the battle of a scene."""


# --- Battles ---------------------------------------------------------------------------------------------------------


def against(faction: Faction, foe: Faction | None = None) -> Arrange:
    def arrange(game: Game, chance: Chance) -> None:
        set_against(game, chance, faction, foe or somebody_else(game, chance, faction))

    return arrange


def haderach(game: Game, chance: Chance) -> None:
    game.state.kwisatz_haderach = "ready"
    against("atreides")(game, chance)


def traitor_for_an_ally(game: Game, chance: Chance) -> None:
    """Leave the opponent of Harkonnen's ally only leaders who are traitors in Harkonnen's pay."""
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
    one, other = list(game.state.players)[:2]
    set_against(game, chance, one, other)
    give_hand(game, one, (Card("Weirding Way"), Card("Crysknife"), Card("Shield Snooper")))
    give_hand(game, other, (Card("Chemistry"), Card("Snooper")))


def special_weapons(game: Game, chance: Chance) -> None:
    one, other = list(game.state.players)[:2]
    set_against(game, chance, one, other)
    give_hand(game, one, (Card("Artillery Strike"), Card("Shield Snooper")))
    give_hand(game, other, (Card("Poison Blade"), Card("Poison Tooth")))


def exchange(game: Game, chance: Chance) -> None:
    """Let the Ixians fight an opponent without leaders, so that they are sure to win."""
    other = somebody_else(game, chance, "ixians")
    set_against(game, chance, "ixians", other, (6, 1))
    give_hand(game, other, ())
    for leader in own_leaders(game, other):
        game.kill_leader(leader)


def loses_some_cyborgs(order: o.Order) -> bool:
    if isinstance(order, o.Plan):
        return 0 < order.dial <= SOME_TOKENS
    return not isinstance(order, o.Lose) or order.forces.elite > 0


def capture(game: Game, chance: Chance) -> None:
    other = somebody_else(game, chance, "harkonnen")
    set_against(game, chance, "harkonnen", other, (8, 1))
    give_hand(game, other, ())


def gholas(game: Game, chance: Chance) -> None:
    """Leave the Tleilaxu only those leaders of other factions that have entered their service."""
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
    for faction in game.state.players:
        put_into_tanks(game, faction, Forces(7, 1), leaders=2)
        enrich(game, faction)


def one_by_one(game: Game, chance: Chance) -> None:
    graves(game, chance)
    for leader in own_leaders(game, "tleilaxu")[2:4]:
        game.kill_leader(leader)


def helped_by(helper: Faction) -> Arrange:
    def arrange(game: Game, chance: Chance) -> None:
        graves(game, chance)
        ally_two(game, helper, somebody_else(game, chance, helper))

    return arrange


def with_help(order: o.Order) -> bool:
    return order.forces.total > HAND_LIMIT if isinstance(order, o.Revive) else order != o.Support(0)


# --- Movement, bidding, the end --------------------------------------------------------------------------------------


def fleets(game: Game, chance: Chance) -> None:
    for faction in game.state.players:
        enrich(game, faction)
        into_reserve(game, faction, Forces(6))


def flips(game: Game, chance: Chance) -> None:
    fleets(game, chance)
    for place in STRONGHOLDS:
        clear_territory(game, place)
        place_tokens(game, somebody_else(game, chance, "bene-gesserit"), place, Forces(2))
        place_tokens(game, "bene-gesserit", place, Forces(1))
        rules_of(game, "bene-gesserit").was_placed(game, place)


def fleets_with(faction: Faction) -> Arrange:
    def arrange(game: Game, chance: Chance) -> None:
        fleets(game, chance)
        ally_two(game, faction, somebody_else(game, chance, faction))

    return arrange


def inside(game: Game, chance: Chance) -> None:
    clear_territory(game, territory_of(MOBILE_STRONGHOLD))
    game.deploy("ixians", into_reserve(game, "ixians", Forces(3, 2)), MOBILE_STRONGHOLD)
    with_spice = [facts.spice_area for facts in TERRITORIES.values() if facts.spice_area]
    game.state.box.stronghold_at = next(area for area in with_spice if sector_of(area) != game.state.storm)
    fleets_on_sand(game, chance)


def fleets_on_sand(game: Game, chance: Chance) -> None:
    """Put groups of Cyborgs alone on the sand, so that they can move two territories."""
    sand = next(name for name, facts in TERRITORIES.items() if facts.kind == "sand" and not game.state.forces_in(name))
    place_tokens(game, "ixians", sand, Forces(0, 2))


def empty_hands(game: Game, chance: Chance) -> None:
    for faction, player in game.state.players.items():
        give_hand(game, faction, [card for card in player.hand if card != KARAMA][:1])
        enrich(game, faction)


def _room_for(game: Game, *buyers: Faction) -> None:
    for faction, player in game.state.players.items():
        while faction not in buyers and not game.hand_full(faction):
            player.hand.append(game.state.treachery_deck.pop())


def free_card(game: Game, chance: Chance) -> None:
    empty_hands(game, chance)
    _room_for(game, "harkonnen")


def redraw(game: Game, chance: Chance) -> None:
    ally = somebody_else(game, chance, "ixians")
    empty_hands(game, chance)
    ally_two(game, "ixians", ally)
    _room_for(game, ally)


def auction_for(faction: Faction) -> Arrange:
    def arrange(game: Game, chance: Chance) -> None:
        empty_hands(game, chance)
        ally_two(game, faction, somebody_else(game, chance, faction))

    return arrange


def foreseen(game: Game, chance: Chance) -> None:
    winner = somebody_else(game, chance, "bene-gesserit")
    end_alliances(game, winner)
    for place in STRONGHOLDS:
        clear_territory(game, place)
    into_reserve(game, winner, Forces(len(STRONGHOLDS)))
    for place in STRONGHOLDS:
        place_tokens(game, winner, place, Forces(1))
    game.state.prediction = Prediction(winner, game.state.turn)


def hidden_dancers(game: Game, chance: Chance) -> None:
    game.state.box.revealed_dancers = []


def worthless(game: Game, chance: Chance) -> None:
    give_hand(game, "bene-gesserit", sorted(WORTHLESS)[:3])


def worms(game: Game, chance: Chance) -> None:
    """Let worms appear, the first one in a territory where both the Fremen and their ally have tokens."""
    ally, state = somebody_else(game, chance, "fremen"), game.state
    ally_two(game, "fremen", ally)
    last = state.spice_discard[0][-1:]
    for there in [territory for territory, facts in TERRITORIES.items() if facts.name in last]:
        clear_territory(game, there)
        for faction in ("fremen", ally):
            place_tokens(game, faction, there, Forces(3))
    worms = [card for card in state.spice_deck if card == SHAI_HULUD][:2]
    state.spice_deck = [*worms, *(card for card in state.spice_deck if card != SHAI_HULUD), *_other_worms(state, worms)]


def _other_worms(state: State, but: Sequence[str]) -> list[str]:
    return [SHAI_HULUD] * (state.spice_deck.count(SHAI_HULUD) - len(but))


def all_but_one_shown(game: Game, chance: Chance) -> None:
    """Reveal all face dancers but one. The last one is the only leader left to a fighter who is likely to win."""
    box = game.state.box
    others = [faction for faction in game.state.players if faction != "tleilaxu"]
    able = [leader for leader in box.face_dancers for other in others if leader in own_leaders(game, other)]
    if not able:
        return
    box.revealed_dancers = [leader for leader in box.face_dancers if leader != able[0]]
    winner = LEADERS[able[0]].faction
    loser = somebody_else(game, chance, winner, "tleilaxu")
    set_against(game, chance, winner, loser, (6, 1))
    into_reserve(game, "tleilaxu", Forces(6))
    for faction in (winner, loser):
        give_hand(game, faction, ())
    for leader in own_leaders(game, winner):
        if leader != able[0]:
            game.kill_leader(leader)


def lost_haderach(game: Game, chance: Chance) -> None:
    game.state.kwisatz_haderach = "dead"
    graves(game, chance)
    for leader in own_leaders(game, "atreides"):
        if game.state.leaders[leader].status == "ready":
            game.kill_leader(leader)


def explosion(game: Game, chance: Chance) -> None:
    """Bring the Kwisatz Haderach into a battle in which one side has a lasgun and the other a shield."""
    haderach(game, chance)
    give_hand(game, "atreides", (Card("Lasgun"), Card("Shield")))


def awakening(game: Game, chance: Chance) -> None:
    game.state.kwisatz_haderach, game.state.lost_in_battle = "locked", KWISATZ_HADERACH_LOSSES - 1
    against("atreides")(game, chance)


def truthtrance(game: Game, chance: Chance) -> None:
    give_hand(game, somebody_else(game, chance), (Card("Truthtrance"),))


def landing_in_storm(game: Game, chance: Chance) -> None:
    """Put tokens of another faction on the Great Flat and move the storm over them, so that the Fremen can attack them
    by landing there."""
    there = TerritoryId("the-great-flat")
    fleets(game, chance)
    clear_territory(game, there)
    place_tokens(game, somebody_else(game, chance, "fremen", *game.state.ally_group("fremen")), there, Forces(1))
    game.state.storm = sector_of(TERRITORIES[there].areas[0]) or game.state.storm


def storm_cards(game: Game, chance: Chance) -> None:
    holder = somebody_else(game, chance)
    place_tokens(game, holder, SHIELD_WALL, Forces(3))
    give_hand(game, holder, (Card("Family Atomics"), Card("Weather Control")))


FEWEST_IN_SCENE = 4
"""The number of players in a scene."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene. ``phase`` is the phase in which it begins, and ``needs`` are the factions that must take part.
    ``wishes`` are the Karama effects that its players aim for, and ``prefers`` the kinds of answer that they prefer.
    ``turns_to_come`` is the number of turns that are played after the turn in which the scene begins."""

    phase: o.PhaseName
    needs: tuple[Faction, ...] = ()
    wishes: tuple[o.KaramaEffect, ...] = ()
    arrange: Arrange = lambda game, chance: None
    prefers: tuple[type[o.Order], ...] = ()
    likes: Callable[[o.Order], bool] = lambda order: True
    turns_to_come: int = 0
    often: int = 2


SCENES: Mapping[str, Scene] = {
    # Storm, spice and charity
    "storm cards": Scene("storm", (), (), storm_cards, (o.FamilyAtomics, o.WeatherControl)),
    "a storm card": Scene("storm", ("fremen",), ("cancel storm card",)),
    "the mobile stronghold goes": Scene(
        "mentat", ("ixians",), ("cancel hms move",), inside, (o.StrongholdTo,), turns_to_come=1
    ),
    "a worm": Scene("spice", ("fremen",), ("cancel worm", "worm"), worms, (o.FeedAlly,)),
    "a Truthtrance": Scene("charity", (), (), truthtrance, (o.Answer,)),
    "charity and a look at the auction": Scene(
        "charity", ("bene-gesserit", "ixians"), ("cancel charity", "cancel auction look"), empty_hands
    ),
    # Bidding
    "Technology": Scene(
        "bidding", ("ixians", "harkonnen"), ("cancel technology", "take cards"), empty_hands, (o.Swap,)
    ),
    "a redraw": Scene("bidding", ("ixians",), ("cancel redraw",), redraw, (o.Bid, o.Redraw), often=3),
    "a free card": Scene("bidding", ("harkonnen",), ("cancel free card",), free_card, (o.Bid,)),
    "a payment for a card": Scene("bidding", ("emperor",), ("cancel card payment",), empty_hands, often=1),
    "a gift": Scene("bidding", ("emperor",), ("cancel gift",), auction_for("emperor"), often=1),
    "a card for a Karama": Scene("bidding", (), ("free card purchase",), empty_hands, often=1),
    "worthless cards": Scene(
        "bidding", ("bene-gesserit", "atreides"), ("cancel karama", "block bidding cards"), worthless, often=3
    ),
    # Revival
    "revivals of the Emperor": Scene(
        "revival", ("emperor",), ("cancel extra revival", "revive"), helped_by("emperor"), (o.Revive,)
    ),
    "an ally pays": Scene("revival", ("emperor",), (), helped_by("emperor"), (o.Revive, o.Support), with_help, often=3),
    "an early revival": Scene(
        "revival", ("tleilaxu",), ("cancel early revival",), graves, (o.AskForLeader, o.NamePrice, o.Accept)
    ),
    "a payment for a revival": Scene("revival", ("tleilaxu",), ("cancel revival payment",), graves, often=1),
    "a revival that is stopped": Scene("revival", ("tleilaxu",), ("stop revival", "cancel ghola"), one_by_one),
    "limits and prices": Scene(
        "revival",
        ("tleilaxu",),
        ("cancel raised limits", "cancel half price"),
        helped_by("tleilaxu"),
        (o.RaiseLimits, o.Revive, o.ReviveLeader),
    ),
    "an ally of the Tleilaxu": Scene(
        "revival", ("tleilaxu",), (), helped_by("tleilaxu"), (o.Revive, o.ReviveLeader), often=1
    ),
    "the Kwisatz Haderach is dead": Scene(
        "revival", ("atreides",), (), lost_haderach, (o.ReviveKwisatzHaderach,), often=1
    ),
    # Movement
    "a shipment": Scene("movement", ("guild",), ("cancel shipping payment", "stop shipment"), fleets, (o.Ship,)),
    "the Guild ships": Scene("movement", ("guild",), ("cancel guild shipment", "cancel half rate"), fleets, (o.Ship,)),
    "the Guild's ally ships": Scene("movement", ("guild",), ("cancel ally rate",), fleets_with("guild"), (o.Ship,)),
    "a landing in the storm": Scene("movement", ("fremen",), (), landing_in_storm, (o.Ship,)),
    "the Guild in turn": Scene("movement", ("guild", "ixians"), ("guild in turn", "hms"), inside, often=3),
    "far moves": Scene(
        "movement", ("fremen", "ixians"), ("cancel fremen move", "cancel cyborg speed"), fleets_on_sand, (o.Move,)
    ),
    "Cyborgs go far": Scene("movement", ("ixians",), (), fleets_on_sand, (o.Move,), often=1),
    "an advisor": Scene(
        "movement", ("bene-gesserit",), ("cancel advisor", "half shipping"), fleets, (o.Ship, o.Advise)
    ),
    "a flip": Scene("movement", ("bene-gesserit",), ("cancel flip",), flips, (o.Fight,), often=1),
    "a token that pays": Scene("movement", (), ("cancel token payment",), fleets, (o.Ship,), often=1),
    # Battle
    "the Voice and prescience": Scene(
        "battle",
        ("bene-gesserit", "atreides"),
        ("cancel voice", "cancel prescience"),
        against("bene-gesserit", "atreides"),
    ),
    "the Kwisatz Haderach": Scene("battle", ("atreides",), ("cancel kwisatz haderach", "see plan"), haderach, often=1),
    "the Kwisatz Haderach awakes": Scene("battle", ("atreides",), (), awakening, often=1),
    "an explosion": Scene("battle", ("atreides",), (), explosion),
    "Sardaukar": Scene("battle", ("emperor",), ("cancel sardaukar",), against("emperor"), often=1),
    "Fedaykin": Scene("battle", ("fremen",), ("cancel fedaykin",), against("fremen"), often=1),
    "Cyborgs": Scene("battle", ("ixians",), ("cancel cyborgs",), against("ixians"), often=1),
    "Suboids for Cyborgs": Scene(
        "battle", ("ixians",), ("cancel exchange",), exchange, (o.Plan, o.Lose, o.Exchange), loses_some_cyborgs
    ),
    "a captive": Scene("battle", ("harkonnen",), ("cancel capture",), capture, often=3),
    "a traitor for an ally": Scene(
        "battle", ("harkonnen",), ("cancel ally traitor",), traitor_for_an_ally, (o.Treachery,), often=4
    ),
    "cards of two uses": Scene("battle", (), (), two_uses, (o.Plan,), often=1),
    "special weapons": Scene("battle", (), (), special_weapons, (o.Plan,)),
    "gholas lead": Scene("battle", ("tleilaxu",), (), gholas, often=1),
    "the last face dancer": Scene("battle", ("tleilaxu",), (), all_but_one_shown, (o.RevealDancer, o.Replace)),
    # The end
    "a victory foreseen": Scene("mentat", ("bene-gesserit",), (), foreseen),
    "a face dancer goes back": Scene(
        "mentat", ("tleilaxu",), ("cancel dancer swap",), hidden_dancers, (o.SwapDancer,), turns_to_come=1
    ),
}


def scenes_of(rules: RuleSet) -> list[str]:
    """Return the names of the scenes to play in turn. With an expansion, these are the scenes whose Karama effects
    exist in the rule set."""
    effects = set(karama_effects(rules))
    if not expansion_of(rules):
        return []
    able = {name: scene for name, scene in SCENES.items() if effects.issuperset(scene.wishes)}
    most = max(scene.often for scene in able.values())
    return [name for times in range(most) for name, scene in able.items() if scene.often > times]


MUCH_SPICE = 20
"""The minimum spice of a faction that must pay for something."""


def into_reserve(game: Game, faction: Faction, forces: Forces) -> Forces:
    player = game.player(faction)
    for area, there in game.state.areas_of(faction):
        if not player.reserves.covers(forces):
            game.withdraw(faction, there, area)
    if not player.reserves.covers(forces):
        player.reserves, player.tanks = player.reserves + player.tanks, Forces()
    return Forces(min(forces.ordinary, player.reserves.ordinary), min(forces.elite, player.reserves.elite))


def clear_territory(game: Game, territory: TerritoryId) -> None:
    for area in TERRITORIES[territory].areas:
        for faction, there in list(game.state.forces.get(area, {}).items()):
            game.withdraw(faction, there, area)
    game.state.presence.pop(territory, None)


def outside_storm(game: Game, territory: TerritoryId) -> Area:
    areas = TERRITORIES[territory].areas
    return next((area for area in areas if sector_of(area) != game.state.storm), areas[0])


def place_tokens(game: Game, faction: Faction, territory: TerritoryId, forces: Forces) -> None:
    game.deploy(faction, into_reserve(game, faction, forces), outside_storm(game, territory))


def set_against(game: Game, chance: Chance, one: Faction, other: Faction, numbers: tuple[int, int] = (4, 3)) -> None:
    end_alliances(game, one, other)
    places = [place for place in STRONGHOLDS if sector_of(outside_storm(game, place)) != game.state.storm]
    there = chance.pick("battle", places)
    for place in STRONGHOLDS:
        if place == there:
            clear_territory(game, place)
    for faction, number in zip((one, other), numbers, strict=True):
        ordinary = into_reserve(game, faction, Forces(number))
        game.deploy(faction, ordinary, outside_storm(game, there))
        starred = min(2, game.player(faction).reserves.elite)
        game.deploy(faction, Forces(0, starred), outside_storm(game, there))
        revive_leaders(game, faction)
        enrich(game, faction)


def revive_leaders(game: Game, faction: Faction) -> None:
    for leader in leaders_of(faction):
        if game.state.leaders[leader].status != "ready":
            game.revive_leader(leader)


def enrich(game: Game, faction: Faction) -> None:
    player = game.player(faction)
    player.spice = max(player.spice, MUCH_SPICE)


def put_into_tanks(game: Game, faction: Faction, forces: Forces, leaders: int = 0) -> None:
    player = game.player(faction)
    dead = into_reserve(game, faction, forces)
    player.reserves -= dead
    player.tanks += dead
    revive_leaders(game, faction)
    for leader in own_leaders(game, faction)[:leaders]:
        game.kill_leader(leader)


def own_leaders(game: Game, faction: Faction) -> list[Leader]:
    captives = game.captives()
    return [leader for leader in leaders_of(faction) if leader not in captives]


def give_hand(game: Game, faction: Faction, cards: Sequence[Card]) -> None:
    """Give a faction these cards and let it keep the Karamas that it already has; its other cards go into the deck."""
    state, hand = game.state, game.player(faction).hand
    for card in [card for card in hand if card != KARAMA]:
        hand.remove(card)
        state.treachery_deck.append(card)
    for card in cards[: game.hand_limit(faction) - len(hand)]:
        place = next((p for p in (state.treachery_deck, *(o.hand for o in state.players.values())) if card in p), None)
        if place is not None and place is not hand:
            place.remove(card)
            hand.append(card)


def end_alliances(game: Game, *factions: Faction) -> None:
    game.state.alliances = [group for group in game.state.alliances if set(group).isdisjoint(factions)]


def ally_two(game: Game, one: Faction, other: Faction) -> None:
    end_alliances(game, one, other)
    game.state.alliances.append((one, other))


def somebody_else(game: Game, chance: Chance, *but: Faction) -> Faction:
    return chance.pick("other", [faction for faction in game.state.players if faction not in but])
