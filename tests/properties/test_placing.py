"""Tests that the scenes for long runs place pieces from anywhere, without creating or losing any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest

from bot.lab import scenes
from bot.lab.scenes import (
    FEWEST_IN_SCENE,
    HAND_LIMIT,
    MUCH_SPICE,
    SCENES,
    SOME_TOKENS,
    loses_some_cyborgs,
    own_leaders,
    with_help,
)
from bot.lab.soak import Setting, late_position, scene_setting, setting
from rules.chapters.setup import MAX_TURNS
from rules.components import (
    FACTIONS,
    KARAMA,
    KWISATZ_HADERACH_LOSSES,
    LEADERS,
    SHAI_HULUD,
    WORTHLESS,
    Card,
    Faction,
    Forces,
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
from rules.engine.catalogue import load_rule_set
from rules.engine.invariants import check_invariants
from rules.orders import Lose, Pass, Plan, Revive, Support
from rules.random_players import random_seats
from rules.state.game import Game
from rules.state.state import LeaderState, Player, State

EXPANSION = (("expansion", "ixians-tleilaxu"),)
RULES = load_rule_set("gf9-advanced").with_options(dict(EXPANSION))
ARRAKEEN, CARTHAG, TABR = Area("arrakeen/10"), Area("carthag/11"), Area("sietch-tabr/14")


def at_hand(**forces: tuple[Forces, Forces]) -> Game:
    """Return a position with Atreides and Fremen in two strongholds; ``forces`` are reserves and tanks."""
    named: tuple[Faction, ...] = ("atreides", "fremen", "guild")
    players = {
        faction: Player(faction, 1 + 3 * number, 5, reserves=forces[faction][0], tanks=forces[faction][1])
        for number, faction in enumerate(named)
    }
    leaders = {leader: LeaderState() for faction in named for leader in leaders_of(faction)}
    state = State(players=players, leaders=leaders, storm=10)
    state.forces = {
        ARRAKEEN: {"atreides": Forces(2), "fremen": Forces(1, 1)},
        CARTHAG: {"atreides": Forces(3)},
    }
    return Game(load_rule_set("gf9-advanced"), "spice", state)


NOTHING = (Forces(), Forces())


@pytest.mark.parametrize(
    ("own", "wanted", "given", "reserves", "tanks", "board"),
    [
        ((Forces(4), Forces(2)), 4, 4, Forces(4), Forces(2), {ARRAKEEN: Forces(2), CARTHAG: Forces(3)}),
        ((Forces(3), Forces(2)), 4, 4, Forces(5), Forces(2), {CARTHAG: Forces(3)}),
        ((Forces(3), Forces(2)), 5, 5, Forces(5), Forces(2), {CARTHAG: Forces(3)}),
        ((Forces(3), Forces(2)), 6, 6, Forces(8), Forces(2), {}),
        ((Forces(3), Forces(2)), 9, 9, Forces(10), Forces(), {}),
        ((Forces(3), Forces(2)), 11, 10, Forces(10), Forces(), {}),
    ],
)
def test_tokens_come_into_reserve_from_the_board_and_then_from_the_tanks_only_where_they_are_short(
    own: tuple[Forces, Forces], wanted: int, given: int, reserves: Forces, tanks: Forces, board: dict[Area, Forces]
) -> None:  # fmt: skip
    game = at_hand(atreides=own, fremen=NOTHING, guild=NOTHING)
    assert scenes.into_reserve(game, "atreides", Forces(wanted)) == Forces(given)
    player = game.player("atreides")
    assert (player.reserves, player.tanks, dict(game.state.areas_of("atreides"))) == (reserves, tanks, board)
    assert game.here(ARRAKEEN, "fremen") == Forces(1, 1)


def test_of_starred_tokens_too_there_are_no_more_than_there_are() -> None:
    game = at_hand(atreides=NOTHING, fremen=(Forces(2, 1), Forces(0, 1)), guild=NOTHING)
    assert scenes.into_reserve(game, "fremen", Forces(1, 4)) == Forces(1, 3)
    assert game.player("fremen").reserves == Forces(3, 3)


def test_where_nobody_stands_any_more_nobody_is_present() -> None:
    game = at_hand(atreides=NOTHING, fremen=NOTHING, guild=NOTHING)
    arrakeen = TerritoryId("arrakeen")
    game.state.presence = {arrakeen: "coexist", TerritoryId("carthag"): "fight"}
    scenes.clear_territory(game, arrakeen)
    assert game.state.forces == {CARTHAG: {"atreides": Forces(3)}}
    assert game.state.presence == {"carthag": "fight"}
    assert (game.player("atreides").reserves, game.player("fremen").reserves) == (Forces(2), Forces(1, 1))
    scenes.place_tokens(game, "fremen", TerritoryId("false-wall-east"), Forces(1))
    assert game.here(Area("false-wall-east/5"), "fremen") == Forces(1)
    game.state.storm = 5
    scenes.place_tokens(game, "fremen", TerritoryId("false-wall-east"), Forces(0, 1))
    assert game.here(Area("false-wall-east/6"), "fremen") == Forces(0, 1), "outside the storm"
    assert scenes.outside_storm(game, TerritoryId("tueks-sietch")) == "tueks-sietch/5", "there is no other"


def test_the_dead_lie_in_the_tanks_and_who_is_to_pay_is_rich() -> None:
    game = at_hand(atreides=(Forces(9), Forces(1)), fremen=NOTHING, guild=NOTHING)
    first, second, third, *_ = leaders_of("atreides")
    game.kill_leader(third)
    scenes.put_into_tanks(game, "atreides", Forces(7, 1), leaders=2)
    player = game.player("atreides")
    assert (player.reserves + player.tanks, player.tanks) == (Forces(15), Forces(7)), "who lay there before is counted"
    dead = [leader for leader in leaders_of("atreides") if game.state.leaders[leader].status != "ready"]
    assert dead == [first, second]
    scenes.enrich(game, "atreides")
    assert player.spice == MUCH_SPICE
    player.spice = MUCH_SPICE + 5
    scenes.enrich(game, "atreides")
    assert player.spice == MUCH_SPICE + 5
    game.player("fremen").captured[first] = "atreides"
    assert own_leaders(game, "atreides") == [second, third, *leaders_of("atreides")[3:]]


def test_a_hand_is_what_is_given_and_karamas_and_no_card_is_made_or_lost() -> None:
    game = at_hand(atreides=NOTHING, fremen=NOTHING, guild=NOTHING)
    state = game.state
    shield, lasgun, hajr = Card("Shield"), Card("Lasgun"), Card("Hajr")
    state.treachery_deck = [Card("Baliset"), lasgun]
    state.players["guild"].hand = [KARAMA, Card("Kulon"), shield]
    state.players["fremen"].hand = [hajr]
    scenes.give_hand(game, "guild", (shield, lasgun, hajr, Card("Snooper"), Card("Baliset")))
    assert state.players["guild"].hand == [KARAMA, shield, lasgun, hajr], "no more than four, and nothing from nowhere"
    assert state.treachery_deck == ["Baliset", "Kulon"]
    assert state.players["fremen"].hand == []
    scenes.give_hand(game, "guild", ())
    assert state.players["guild"].hand == [KARAMA]
    assert state.treachery_deck == ["Baliset", "Kulon", shield, lasgun, hajr]


def test_two_become_allies_of_nobody_else() -> None:
    game = at_hand(atreides=NOTHING, fremen=NOTHING, guild=NOTHING)
    state = game.state
    state.alliances = [("atreides", "fremen"), ("guild", "emperor")]
    scenes.end_alliances(game, "fremen", "harkonnen")
    assert state.alliances == [("guild", "emperor")]
    scenes.ally_two(game, "atreides", "guild")
    assert state.alliances == [("atreides", "guild")]
    others = {scenes.somebody_else(game, Chance(f"{n}", {}), "guild") for n in range(20)}
    assert others == {"atreides", "fremen"}


def test_two_stand_against_each_other_alone_in_a_stronghold_outside_the_storm() -> None:
    seen = set()
    for number in range(12):
        game = at_hand(
            atreides=(Forces(9), Forces()), fremen=(Forces(5, 2), Forces()), guild=(Forces(), Forces(1)),
        )  # fmt: skip
        game.state.alliances = [("atreides", "guild")]
        game.kill_leader(leaders_of("fremen")[0])
        scenes.set_against(game, Chance(f"{number}", {}), "atreides", "fremen", (4, 3))
        (there,) = [place for place in STRONGHOLDS if game.state.forces_in(place).get("fremen") == Forces(3, 2)]
        seen.add(there)
        assert game.state.forces_in(there) == {"atreides": Forces(4), "fremen": Forces(3, 2)}
        untouched = [area for area in (ARRAKEEN, CARTHAG) if territory_of(area) != there]
        assert set(untouched) <= set(game.state.forces), "the other strongholds stay as they are"
        assert game.state.alliances == []
        assert game.state.leaders[leaders_of("fremen")[0]].status == "ready"
        assert {game.player(one).spice for one in ("atreides", "fremen")} == {MUCH_SPICE}
        assert game.player("guild").spice == 5
    assert len(seen) > 2
    assert "arrakeen" not in seen, "the storm is there"


# --- Scenes ----------------------------------------------------------------------------------------------------------


@cache
def before(name: str, seed: str) -> tuple[Setting, Game]:
    """Return the setting and the game at the start of a scene."""
    game = scene_setting("gf9-advanced", seed, name, EXPANSION)
    state = late_position(RULES, seed, random_seats(seed, game.factions), game.wishes, SCENES[name])
    return game, Game(RULES, seed, state)


def in_tanks(game: Game, faction: Faction) -> int:
    return game.player(faction).tanks.total


def leads(game: Game, faction: Faction) -> list[str]:
    return [leader for leader in own_leaders(game, faction) if game.state.leaders[leader].status == "ready"]


def battles(game: Game) -> list[set[Faction]]:
    """Return the factions that share each contested stronghold."""
    return [set(game.state.forces_in(place)) for place in STRONGHOLDS if len(game.state.forces_in(place)) > 1]


def fights(faction: Faction, foe: Faction | None = None) -> Callable[[Game], bool]:
    return lambda game: any(faction in sides and (foe or faction) in sides for sides in battles(game))


def can_ship(game: Game) -> bool:
    return all(
        player.spice >= MUCH_SPICE and player.reserves.total >= min(6, 20 - len(player.captured))
        for player in game.state.players.values()
        if player.faction not in ("ixians", "bene-gesserit")
    )


def holds_all(game: Game, *cards: str) -> bool:
    return any(set(cards) <= set(player.hand) for player in game.state.players.values())


def allied(game: Game, faction: Faction) -> bool:
    return len(game.state.ally_group(faction)) == 2


def room(game: Game) -> list[Faction]:
    return [faction for faction in game.state.players if not game.hand_full(faction)]


def all_dead(game: Game) -> bool:
    return all(player.spice >= MUCH_SPICE for player in game.state.players.values())


def one_foe_without_leaders(game: Game) -> bool:
    return any("ixians" in sides and any(not leads(game, foe) for foe in sides - {"ixians"}) for sides in battles(game))


def many_against_few(faction: Faction, strong: int) -> Callable[[Game], bool]:
    def so(game: Game) -> bool:
        return any(
            faction in there and there[faction].ordinary == strong and min(f.ordinary for f in there.values()) <= 1
            for there in map(game.state.forces_in, STRONGHOLDS)
        )

    return so


def paid_leader_alone(game: Game) -> bool:
    """Return True if Harkonnen's side fights a faction with only a paid leader left, or no paid leader is in play."""
    paid = [leader for leader in game.player("harkonnen").traitors if leader in LEADERS]
    victims = {LEADERS[leader].faction for leader in paid if leader not in game.captives()} - {"harkonnen"}
    if not victims & set(game.state.players):
        return True
    return allied(game, "harkonnen") and any(
        len(leads(game, victim)) == 1 and leads(game, victim)[0] in paid and set(game.player(victim).hand) <= {KARAMA}
        and any(victim in sides and sides & set(game.state.ally_group("harkonnen")) for sides in battles(game))
        for victim in victims & set(game.state.players)
    )  # fmt: skip


def gholas_alone(game: Game) -> bool:
    served = game.state.box.gholas
    return not leads(game, "tleilaxu") and len(served) <= 2 and "tleilaxu" not in served.values()


def all_strongholds_won(game: Game) -> bool:
    prediction = game.state.prediction
    assert prediction is not None
    owners = [set(game.state.forces_in(place)) for place in STRONGHOLDS]
    return owners == [{prediction.faction}] * 5 and prediction.turn == game.state.turn


def worm_comes_between(game: Game) -> bool:
    state = game.state
    count = state.spice_deck.count(SHAI_HULUD)
    on_top = state.spice_deck[: min(2, count)]
    last = state.spice_discard[0][-1:]
    there = [place for place, facts in TERRITORIES.items() if facts.name in last]
    allies = set(state.ally_group("fremen"))
    return (
        on_top == [SHAI_HULUD] * len(on_top)
        and SHAI_HULUD not in state.spice_deck[len(on_top) : len(state.spice_deck) - max(0, count - 2)]
        and allied(game, "fremen")
        and all(set(state.forces_in(place)) == allies for place in there)
    )


def last_dancer(game: Game) -> bool:
    box = game.state.box
    hidden = [leader for leader in box.face_dancers if leader not in box.revealed_dancers]
    if len(hidden) > 1:  # none of them can lead for another player
        others = [faction for faction in game.state.players if faction != "tleilaxu"]
        return not any(leader in own_leaders(game, other) for leader in hidden for other in others)
    winner = LEADERS[hidden[0]].faction
    lead = leads(game, winner)
    return lead == hidden and fights(winner)(game) and game.player("tleilaxu").reserves.total >= 6


def haderach_is(status: str, lost: int | None = None) -> Callable[[Game], bool]:
    return lambda game: (
        game.state.kwisatz_haderach == status and (lost is None or game.state.lost_in_battle == lost)
        and (status == "dead" or fights("atreides")(game))
    )  # fmt: skip


def landed_on(game: Game) -> bool:
    there = TerritoryId("the-great-flat")
    others = set(game.state.forces_in(there))
    inside = game.state.storm == sector_of(TERRITORIES[there].areas[0])
    return inside and len(others) == 1 and others.isdisjoint(game.state.ally_group("fremen"))


def inside_alone(game: Game) -> bool:
    pointed = game.state.box.stronghold_at
    return (
        set(game.state.forces_in(territory_of(MOBILE_STRONGHOLD))) == {"ixians"}
        and pointed is not None and sector_of(pointed) != game.state.storm
        and TERRITORIES[territory_of(pointed)].spice_area == pointed and cyborgs_on_sand(game)
    )  # fmt: skip


def cyborgs_on_sand(game: Game) -> bool:
    return any(
        forces.ordinary == 0 and TERRITORIES[territory_of(area)].kind == "sand" and len(game.state.forces[area]) == 1
        for area, forces in game.state.areas_of("ixians")
    )


def cards_of_two_uses(game: Game) -> bool:
    one, other = list(game.state.players)[:2]
    return (
        {one, other} in battles(game)
        and {"Weirding Way", "Crysknife", "Shield Snooper"} <= set(game.player(one).hand)
        and {"Chemistry", "Snooper"} <= set(game.player(other).hand)
    )


def weapons(game: Game) -> bool:
    one, other = list(game.state.players)[:2]
    return (
        {one, other} in battles(game)
        and {"Artillery Strike", "Shield Snooper"} <= set(game.player(one).hand)
        and {"Poison Blade", "Poison Tooth"} <= set(game.player(other).hand)
    )


def hands_with_room(game: Game) -> bool:
    return set(room(game)) == set(game.state.players) and all_dead(game)


def lacks_leaders(game: Game) -> bool:
    return len(leads(game, "tleilaxu")) <= 1 and all_dead(game)


def advisors_in_strongholds(game: Game) -> bool:
    return any(set(game.state.forces_in(place)) > {"bene-gesserit"} for place in STRONGHOLDS)


def helped(helper: Faction) -> Callable[[Game], bool]:
    return lambda game: allied(game, helper) and all(in_tanks(game, one) >= 7 for one in game.state.players)


LOOKS_LIKE: dict[str, Callable[[Game], bool]] = {
    "storm cards": lambda game: (
        holds_all(game, "Family Atomics", "Weather Control") and bool(game.state.forces_in(SHIELD_WALL))
    ),
    "the mobile stronghold goes": inside_alone,
    "a worm": worm_comes_between,
    "a Truthtrance": lambda game: holds_all(game, "Truthtrance"),
    "charity and a look at the auction": hands_with_room,
    "Technology": hands_with_room,
    "a redraw": lambda game: allied(game, "ixians") and room(game) == [
        ally for ally in game.state.ally_group("ixians") if ally != "ixians"
    ],
    "a free card": lambda game: room(game) == ["harkonnen"],
    "a payment for a card": hands_with_room,
    "a gift": lambda game: hands_with_room(game) and allied(game, "emperor"),
    "a card for a Karama": hands_with_room,
    "worthless cards": lambda game: set(sorted(WORTHLESS)[:3]) <= set(game.player("bene-gesserit").hand),
    "revivals of the Emperor": helped("emperor"),
    "an ally pays": helped("emperor"),
    "an early revival": lambda game: all(in_tanks(game, one) >= 7 for one in game.state.players) and all_dead(game),
    "a revival that is stopped": lacks_leaders,
    "limits and prices": helped("tleilaxu"),
    "an ally of the Tleilaxu": helped("tleilaxu"),
    "the Kwisatz Haderach is dead": lambda game: (
        haderach_is("dead")(game) and not leads(game, "atreides") and all_dead(game)
    ),
    "a shipment": can_ship,
    "the Guild ships": can_ship,
    "the Guild's ally ships": lambda game: can_ship(game) and allied(game, "guild"),
    "a landing in the storm": lambda game: landed_on(game) and can_ship(game),
    "the Guild in turn": inside_alone,
    "far moves": cyborgs_on_sand,
    "Cyborgs go far": cyborgs_on_sand,
    "an advisor": can_ship,
    "a flip": advisors_in_strongholds,
    "a token that pays": can_ship,
    "the Voice and prescience": fights("bene-gesserit", "atreides"),
    "the Kwisatz Haderach": haderach_is("ready"),
    "the Kwisatz Haderach awakes": haderach_is("locked", KWISATZ_HADERACH_LOSSES - 1),
    "an explosion": lambda game: (
        haderach_is("ready")(game) and {"Lasgun", "Shield"} <= set(game.player("atreides").hand)
    ),
    "Sardaukar": fights("emperor"),
    "Fedaykin": fights("fremen"),
    "Cyborgs": fights("ixians"),
    "Suboids for Cyborgs": lambda game: one_foe_without_leaders(game) and many_against_few("ixians", 6)(game),
    "a captive": many_against_few("harkonnen", 8),
    "a traitor for an ally": paid_leader_alone,
    "cards of two uses": cards_of_two_uses,
    "special weapons": weapons,
    "gholas lead": lambda game: gholas_alone(game) and fights("tleilaxu")(game),
    "the last face dancer": last_dancer,
    "a victory foreseen": all_strongholds_won,
    "a face dancer goes back": lambda game: game.state.box.revealed_dancers == [],
}  # fmt: skip
"""For each scene, a fact that holds wherever it begins."""


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_begins_right_before_what_it_is_for_with_nothing_made_or_lost(name: str) -> None:
    scene = SCENES[name]
    for seed in ("one", "two", "three"):
        setting, game = before(name, seed)
        assert set(scene.needs) <= set(game.state.players)
        assert len(setting.factions) == FEWEST_IN_SCENE
        assert (game.state.phase, game.state.turn) == (scene.phase, MAX_TURNS(RULES) - scene.turns_to_come)
        check_invariants(game)
        if name in LOOKS_LIKE:
            assert LOOKS_LIKE[name](game), f"{name}, {seed}: {game.state}"


@pytest.mark.parametrize(
    ("order", "some", "help_"),
    [
        (Plan(0, None), False, True),
        (Plan(1, None), True, True),
        (Plan(SOME_TOKENS, None), True, True),
        (Plan(SOME_TOKENS + 1, None), False, True),
        (Lose(Forces(2)), False, True),
        (Lose(Forces(1, 1)), True, True),
        (Pass(), True, True),
        (Revive(Forces(HAND_LIMIT)), True, False),
        (Revive(Forces(HAND_LIMIT, 1)), True, True),
        (Support(0), True, False),
        (Support(1), True, True),
    ],
)
def test_what_players_of_a_scene_like_to_answer(order: object, some: bool, help_: bool) -> None:
    assert loses_some_cyborgs(order) is some  # type: ignore[arg-type]
    assert with_help(order) is help_  # type: ignore[arg-type]


# --- Late positions --------------------------------------------------------------------------------------------------


def late(seed: str, ruleset: str = "wbc-2018", players: int = 6, **options: str) -> tuple[Setting, Game]:
    game = setting(ruleset, seed, players, tuple(options.items()), late=True)
    state = late_position(game.rules, seed, random_seats(seed, game.factions), game.wishes)
    return game, Game(game.rules, seed, state)


@cache
def many_late(ruleset: str, *options: tuple[str, str]) -> Sequence[tuple[Setting, Game]]:
    return [late(f"late {number}", ruleset, 2 + number % 5, **dict(options)) for number in range(25)]


@pytest.mark.parametrize(("ruleset", "options"), [("wbc-2018", ()), ("gf9-advanced", EXPANSION), ("ah-basic", ())])
def test_late_in_a_game_what_is_rare_is_near(ruleset: str, options: tuple[tuple[str, str], ...]) -> None:
    games = [game for _, game in many_late(ruleset, *options)]
    rules, states = games[0].rules, [game.state for game in games]
    last, longer = MAX_TURNS(rules), 2 if options else 0
    for game in games:
        check_invariants(game)
        assert game.state.events == 0
    assert {state.turn for state in states} == set(range(last - longer - 5, last - longer + 1))
    karamas = [
        (faction, game) for game in games for faction in game.state.players if KARAMA in game.player(faction).hand
    ]
    assert len(karamas) >= 25
    assert all(state.alliances == [] for state in states if len(state.players) < 4)
    assert all(len(group) == 2 for state in states for group in state.alliances)
    pairs = {len(state.alliances) for state in states if len(state.players) == 6}
    assert pairs <= {0, 1, 2, 3} if not options else {3} < pairs | {0} == {0, 3}
    assert sum(any(leader.status == "dead" for leader in state.leaders.values()) for state in states) == 25
    assert any(
        all(state.leaders[leader].status == "dead" for leader in leaders_of(faction))
        for state in states for faction in state.players
    )  # fmt: skip
    rare = {"Lasgun", "Shield", "Family Atomics", "Weather Control", "Hajr", "Truthtrance"}
    held = [rare.intersection(card for player in state.players.values() for card in player.hand) for state in states]
    assert sum(map(len, held)) > 2 * len(states), "many of them in every game"
    crowds = [len(state.forces_in(place)) for state in states for place in TERRITORIES]
    assert max(crowds) <= 3
    assert crowds.count(3) < 10
    assert any(player.tanks.total for state in states for player in state.players.values())
    beside = [1 for state in states for there in state.forces.values() if len(there) > 1]
    assert len(beside) > 10


def test_the_kwisatz_haderach_has_awoken_or_is_dead_and_how_they_come_back_differs() -> None:
    games = [game for _, game in many_late("wbc-2018") if game.plays("atreides")]
    ready = [game for game in games if game.state.kwisatz_haderach == "ready"]
    dead = [game for game in games if game.state.kwisatz_haderach == "dead"]
    assert ready
    assert dead
    assert len(ready) + len(dead) == len(games)
    assert all(game.state.lost_in_battle == KWISATZ_HADERACH_LOSSES for game in games)
    without = [game for game in dead if not leads(game, "atreides")]
    assert without
    assert any("Lasgun" in game.player("atreides").hand for game in ready)
    assert all(game.state.kwisatz_haderach == "locked" for _, game in many_late("ah-basic") if game.plays("atreides"))


def test_harkonnen_hold_a_captive_who_lives_where_captives_are_taken() -> None:
    games = [game for _, game in many_late("wbc-2018") if game.plays("harkonnen")]
    captured = [game.player("harkonnen").captured for game in games]
    assert {len(each) for each in captured} == {0, 1}
    for game in games:
        for leader, owner in game.player("harkonnen").captured.items():
            assert owner != "harkonnen"
            assert LEADERS[leader].faction == owner
            assert game.state.leaders[leader].status == "ready"
            first = next(one for one in leaders_of(owner) if game.state.leaders[one].status == "ready")
            assert leader == first
    assert any(len(leads(game, "harkonnen")) <= 1 for game in games)
    assert any(len(leads(game, "harkonnen")) > 1 for game in games)
    assert all(not game.player("harkonnen").captured for _, game in many_late("ah-basic") if game.plays("harkonnen"))


def test_the_bene_gesserit_predict_what_may_well_come() -> None:
    games = [game for _, game in many_late("wbc-2018") if game.state.prediction is not None]
    last = MAX_TURNS(games[0].rules)
    for game in games:
        prediction = game.state.prediction
        assert prediction is not None
        assert prediction.faction in game.state.players
        assert prediction.faction != "bene-gesserit"
        assert game.state.turn <= prediction.turn <= last
    at_the_end = [game for game in games if game.plays("guild") and game.state.prediction.faction == "guild"]  # type: ignore[union-attr]
    assert any(game.state.prediction.turn == last > game.state.turn + 1 for game in at_the_end)  # type: ignore[union-attr]


def test_in_the_mobile_stronghold_its_owner_stands_and_it_points_at_spice() -> None:
    games = [game for _, game in many_late("gf9-advanced", *EXPANSION) if game.plays("ixians")]
    assert games
    for game in games:
        assert game.here(MOBILE_STRONGHOLD, "ixians").ordinary >= 2
        pointed = game.state.box.stronghold_at
        assert pointed is not None
        assert TERRITORIES[territory_of(pointed)].spice_area == pointed
    shown = [game.state.box for _, game in many_late("gf9-advanced", *EXPANSION) if game.state.box.face_dancers]
    assert {len(box.revealed_dancers) for box in shown} == {0, 1, 2}
    assert all(box.revealed_dancers == box.face_dancers[: len(box.revealed_dancers)] for box in shown)


def test_the_same_seed_gives_the_same_position_and_each_its_own() -> None:
    one, again, other = (late(seed)[1].state for seed in ("x", "x", "y"))
    assert one == again != other
    assert one is not again, "nobody plays in another's game"


def test_karamas_lie_where_they_can_be_played_for_what_is_wished() -> None:
    rules = load_rule_set("wbc-2018")
    for wish, able in (("see plan", {"atreides"}), ("cancel capture", set(FACTIONS) - {"harkonnen"})):
        there = elsewhere = 0
        for number in range(12):
            seats = random_seats(f"{number}", FACTIONS)
            state = late_position(rules, f"{number}", seats, (wish,))  # type: ignore[arg-type]
            holders = {faction for faction, player in state.players.items() if KARAMA in player.hand}
            there += bool(holders & able)
            elsewhere += bool(holders - able)  # dealt at the beginning
        assert there >= 9
        assert elsewhere <= 6
