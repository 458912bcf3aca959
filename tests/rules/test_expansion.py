"""Tests for the expansion Ixians & Tleilaxu: box, seats and tokens; games without the expansion have none of them."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from bot.lab.soak import play_under_watch, setting
from rules.cards import special_cards
from rules.cards.special_cards import harvester_is_filed
from rules.chapters import tech_tokens
from rules.chapters.setup import dealt_factions, require_seats
from rules.components import CARDS, FACTION_FACTS, FACTIONS, LEADERS, SANDTROUT, Card, Faction, Forces, Leader
from rules.components.board import MOBILE_STRONGHOLD, TerritoryId
from rules.components.factions import TECH_TOKENS
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.orders import Amal, ChooseTraitor, Harvester, Karama, NoRevival, Order, PhaseName, Plan, Predict, Ship
from rules.positions.position import PositionError, position
from rules.random_players import random_seats
from rules.rulesets.options import RuleSetError, Value
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RULE_SETS, RuleSet, factions_of, leaders_in, spice_deck, treachery_deck

ON = {"expansion": "ixians-tleilaxu"}
FOUR_SEATS = ["emperor", "guild", "harkonnen", "tleilaxu"]
FOUR_CARDS = ["Caid", "Bashar", "Burseg", "Master Bewt"]
PLAIN = load_rule_set("gf9-advanced")
WITH = PLAIN.with_options(ON)
NEW = ("ixians", "tleilaxu")


def rules(**options: Value) -> RuleSet:
    return PLAIN.with_options({**ON, **options})


def begun(made_of: RuleSet, factions: list[Faction], seed: str = "spice") -> Play:
    return Play.start(made_of, seed, random_seats(seed, factions))


def until(play: Play, phase: str) -> Play:
    """Let everybody be silent until the phase has begun."""
    while play.state.phase != phase:
        play.expire()
        play.advance()
    return play


# --- The box ---------------------------------------------------------------------------------------------------------


@pytest.mark.clause("IT.GEN.1", "IT.CARD.1", "IT.TROUT.1")
def test_the_box_holds_two_factions_fourteen_treachery_cards_and_a_sandtrout_more() -> None:
    assert set(factions_of(WITH)) == {*FACTIONS, *NEW}
    assert (len(treachery_deck(WITH)), len(treachery_deck(PLAIN))) == (47, 33)
    assert Counter(treachery_deck(WITH)) - Counter(treachery_deck(PLAIN)) == Counter(
        ["Hunter-Seeker", "Basilia Weapon", "Poison Blade", "Poison Tooth", "Artillery Strike", "Weirding Way",
         "Chemistry", "Shield Snooper", "Shield", "Snooper", "Harvester", "Thumper", "Amal", "Kull Wahad"]
    )  # fmt: skip
    assert [card for card in spice_deck(WITH) if card not in spice_deck(PLAIN)] == [SANDTROUT]
    assert (len(spice_deck(WITH)), len(spice_deck(PLAIN))) == (22, 21)
    assert (len(leaders_in(WITH)), len(leaders_in(PLAIN))) == (40, 30)


@pytest.mark.clause("IT.CARD.1")
def test_the_deck_has_so_many_cards_of_each_sort() -> None:
    kinds = Counter(CARDS[card].kind for card in treachery_deck(WITH))
    assert (kinds["shield"], kinds["snooper"], kinds["worthless"]) == (5, 5, 6)
    assert (kinds["projectile-weapon"], kinds["poison-weapon"]) == (5, 5)


@pytest.mark.clause("IT.GEN.3")
def test_its_parts_can_be_switched_off_singly() -> None:
    assert treachery_deck(rules(expansion_cards="off")) == treachery_deck(PLAIN)
    assert spice_deck(rules(sandtrout="off")) == spice_deck(PLAIN)
    for tokens, there in (("with_factions", 0), ("on", 3), ("off", 0)):
        play = until(begun(rules(tech_tokens=tokens), ["emperor", "guild", "harkonnen"]), "spice")
        assert len(play.state.box.tech_tokens) == there, tokens
    for tokens, there in (("with_factions", 3), ("off", 0)):
        play = until(begun(rules(tech_tokens=tokens), ["ixians", "guild", "harkonnen"]), "spice")
        assert len(play.state.box.tech_tokens) == there, tokens


@pytest.mark.clause("IT.GEN.2")
def test_six_may_be_seated_of_the_eight() -> None:
    require_seats(WITH, ["ixians", "tleilaxu", *FACTIONS[:4]])
    with pytest.raises(RuleSetError, match="A game has 6 seats; you named 7 factions"):
        require_seats(WITH, ["ixians", *FACTIONS])
    with pytest.raises(RuleSetError, match="play with expansion = ixians-tleilaxu"):
        require_seats(PLAIN, ["ixians", "guild"])
    assert len(dealt_factions(WITH, 6)) == 8


@pytest.mark.clause("IT.GEN.7")
def test_fewer_players_draw_among_all_eight_unless_the_suggestions_are_wished_for() -> None:
    assert set(dealt_factions(WITH, 4)) == {*FACTIONS, *NEW}
    assert dealt_factions(rules(small_game_factions="as_without"), 4) == dealt_factions(PLAIN, 4)


@pytest.mark.clause("IT.GEN.4", "IT.TRAITOR.1")
@pytest.mark.parametrize("number", range(5))
def test_only_leaders_of_seated_factions_are_traitors(number: int) -> None:
    play = begun(WITH, ["tleilaxu", "emperor", "guild", "harkonnen"], f"traitors {number}")
    dealt = [leader for player in play.state.players.values() for leader in player.dealt_traitors]
    assert len(dealt) == 12
    assert {LEADERS[leader].faction for leader in dealt if leader in LEADERS} <= set(play.state.players)


@pytest.mark.clause("IT.TRAITOR.1")
def test_there_are_forty_one_traitor_cards_less_those_of_absent_factions() -> None:
    from rules.chapters.setup import traitor_cards

    assert len(traitor_cards(begun(WITH, ["ixians", "tleilaxu"]).game)) == 11
    assert len(traitor_cards(begun(rules(traitor_pool="all_leaders"), ["ixians", "tleilaxu"]).game)) == 41
    assert len(traitor_cards(begun(rules(cheap_hero_traitor="off"), ["ixians", "tleilaxu"]).game)) == 10


# --- Games without it ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_position_without_an_expansion_is_written_as_if_there_were_none(name: str) -> None:
    play = begun(load_rule_set(name), ["emperor", "guild"])
    written = msgspec.msgpack.decode(msgspec.msgpack.encode(play.state))
    assert "expansion" not in written
    assert set(play.state.leaders) == {
        leader for leader, facts in LEADERS.items() if facts.faction in ("emperor", "guild")
    }


@pytest.mark.parametrize("name", [name for name in RULE_SETS if not name.startswith("gf9-")])
def test_other_rule_sets_have_no_expansion(name: str) -> None:
    with pytest.raises(RuleSetError, match="is not played with"):
        load_rule_set(name).with_options(ON)


@pytest.mark.clause("IT.GEN.1", "IT.HMS.30", "IT.LIST.3")
def test_what_is_not_in_the_box_is_refused_by_name() -> None:
    play = begun(PLAIN, ["bene-gesserit", "guild"])
    for order in (
        Predict("ixians", 3),
        ChooseTraitor(Leader("Zoal")),
        Plan(1, "Master Bewt", weapon=Card("Poison Blade")),
        Ship(Forces(2), target=MOBILE_STRONGHOLD),
    ):
        outcome = play.check("bene-gesserit", order)
        assert outcome.status == "refused"
        assert outcome.refusal
        assert "not in this game" in outcome.refusal.reason or "is only in games with Ixians" in outcome.refusal.reason


@pytest.mark.parametrize(
    ("start", "why"),
    [
        ({"factions": ["ixians", "guild"]}, "there is no 'ixians' here"),
        ({"hms": "polar-sink"}, "no expansion is played here"),
        ({"tech_tokens": {"heighliners": "guild"}}, "no expansion is played here"),
        ({"faction": {"guild": {"hand": ["Amal"]}}}, "there is no 'Amal' here"),
        ({"faction": {"guild": {"traitors": ["Zoal"]}}}, "there is no 'Zoal' here"),
    ],
)
def test_a_position_without_the_expansion_cannot_have_parts_of_it(start: dict[str, object], why: str) -> None:
    with pytest.raises(PositionError, match=why):
        position({"ruleset": "gf9-advanced", "start": {"phase": "charity", **start}})


@pytest.mark.parametrize(
    ("start", "why"),
    [
        ({"factions": ["ixians", "guild"]}, "hms is missing"),
        ({"factions": ["ixians", "guild"], "hms": "arrakeen"}, "it cannot point at a stronghold"),
        ({"factions": ["emperor", "guild"], "hms": "polar-sink"}, "is only in games with Ixians"),
        ({"factions": ["emperor", "guild"], "tech_tokens": {"heighliners": "ixians"}}, "there is no 'ixians' here"),
        ({"factions": list(FACTION_FACTS)}, "a game has 6 seats"),
        ({"factions": ["emperor"], "faction": {"emperor": {"technology_used": True}}}, "that applies only to Ixians"),
        (
            {"factions": ["emperor"], "faction": {"emperor": {"face_dancers": ["Caid"]}}},
            "that applies only to Tleilaxu",
        ),
        (
            {
                "factions": FOUR_SEATS,
                "faction": {"guild": {"traitors": ["Caid"]}, "tleilaxu": {"face_dancers": ["Caid"]}},
            },
            "Caid is in the pay of Guild",
        ),
        (
            {
                "factions": FOUR_SEATS,
                "faction": {"tleilaxu": {"face_dancers": FOUR_CARDS[:2], "revealed_dancers": FOUR_CARDS[2:]}},
            },
            "there are only 3, including revealed ones",
        ),
        (
            {"factions": FOUR_SEATS, "faction": {"harkonnen": {"captured": {"Caid": "tleilaxu"}}}},
            "that leader belongs to Emperor",
        ),
        (
            {"factions": FOUR_SEATS, "faction": {"tleilaxu": {"gholas": {"Blin": "tleilaxu"}}}},
            "that leader belongs to Tleilaxu",
        ),
        (
            {"factions": FOUR_SEATS, "faction": {"tleilaxu": {"gholas": {"Caid": "guild"}}}},
            "that leader belongs to Emperor",
        ),
        (
            {"factions": ["ixians"], "hms": "polar-sink", "faction": {"ixians": {"dealt_cards": ["Lasgun"]}}},
            "they exist only in the set-up",
        ),
        (
            {"factions": ["tleilaxu", "guild"], "faction": {"tleilaxu": {"face_dancers": ["Feyd-Rautha"]}}},
            "there is no 'Feyd-Rautha' here",
        ),
    ],
)
def test_a_position_that_no_game_could_hold_is_refused(start: dict[str, object], why: str) -> None:
    with pytest.raises(PositionError, match=why):
        position({"ruleset": "gf9-advanced", "options": ON, "start": {"phase": "charity", **start}})


def test_the_first_cards_that_a_position_names_are_in_the_deck_no_more() -> None:
    dealt = {"ixians": {"dealt_cards": ["Karama", "Karama", "Lasgun"]}}
    start = {"phase": "setup", "factions": ["emperor", "guild", "ixians"], "faction": dealt}
    state = position({"ruleset": "gf9-advanced", "options": ON, "start": start}).state
    assert state.box.dealt_cards == ["Karama", "Karama", "Lasgun"]
    assert sorted([*state.treachery_deck, *state.box.dealt_cards]) == sorted(treachery_deck(rules()))
    start |= {"treachery_deck": ["Lasgun"]}
    with pytest.raises(PositionError, match="Lasgun is named 2 times, but the game has only one"):
        position({"ruleset": "gf9-advanced", "options": ON, "start": start})


def test_a_position_has_no_tech_tokens_where_there_are_none() -> None:
    start = {"phase": "charity", "factions": ["emperor", "guild"], "tech_tokens": {"heighliners": "guild"}}
    with pytest.raises(PositionError, match="there are no tech tokens in this game"):
        position({"ruleset": "gf9-advanced", "options": ON | {"tech_tokens": "off"}, "start": start})


# --- Tech tokens -----------------------------------------------------------------------------------------------------


@pytest.mark.clause("IT.TECH.1", "IT.TECH.2", "IT.TECH.3", "IT.ORDER.3")
@pytest.mark.parametrize("number", range(4))
def test_tokens_of_absent_factions_are_dealt_after_the_first_storm_from_the_first_player_on(number: int) -> None:
    play = begun(WITH, ["tleilaxu", "emperor", "guild", "harkonnen"], f"tokens {number}")
    assert play.state.box.tech_tokens == {"axlotl-tanks": "tleilaxu"}
    owners = until(play, "spice").state.box.tech_tokens
    first, second = [faction for faction in play.game.order_of_play() if faction != "tleilaxu"][:2]
    assert set(owners) == set(TECH_TOKENS)
    assert Counter(owners.values()) == Counter(["tleilaxu", first, second])


@pytest.mark.clause("IT.TECH.4")
@pytest.mark.parametrize(("third", "there"), [("out", 2), ("dealt_on", 3)])
def test_the_third_token_of_two_players(third: str, there: int) -> None:
    play = until(begun(rules(third_token_of_two=third), ["tleilaxu", "emperor"]), "spice")
    assert len(play.state.box.tech_tokens) == there


@pytest.mark.clause("IT.TECH.12", "IT.TECH.13")
def test_spice_lies_on_a_token_until_its_phase_ends_and_the_number_then_counts() -> None:
    play = until(begun(WITH, ["ixians", "tleilaxu", "fremen"]), "bidding")
    box = play.state.box
    box.tech_tokens = {"heighliners": "ixians", "axlotl-tanks": "tleilaxu", "spice-production": "fremen"}
    tech_tokens.set_off(play.game, "movement", "tleilaxu")
    tech_tokens.set_off(play.game, "movement", "fremen")
    assert box.tech_spice == ["heighliners"]
    box.tech_tokens["axlotl-tanks"] = "ixians"
    before = play.state.players["ixians"].spice
    list(tech_tokens.pay_at_the_end(play.game))
    assert play.state.players["ixians"].spice == before + 2
    assert box.tech_spice == []


# --- Whole games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("name", ["gf9-basic", "gf9-advanced"])
def test_random_games_of_eight_factions_are_sound(name: str, players: int) -> None:
    game = setting(name, f"eight {players}", players, tuple(ON.items()))
    assert play_under_watch(game).over


@pytest.mark.clause("IT.CARD.26")
@pytest.mark.parametrize(
    ("turn", "options", "asked"), [(1, {}, False), (2, {}, True), (1, {"thumper_turn_1": "wasted"}, True)]
)
def test_on_the_first_turn_nobody_is_asked_for_a_thumper_unless_it_may_be_wasted(
    turn: int, options: dict[str, str], asked: bool
) -> None:
    start = {"phase": "spice", "turn": turn, "factions": ["emperor", "guild"], "spice_deck": ["Old Gap"]}
    play = position({"ruleset": "gf9-basic", "options": ON | options, "start": start}).play()
    play.begin_phase("spice")
    play.settle()
    reasons = set[object]()
    while play.questions():
        reasons |= {question.facts.get("why") for question in play.questions()}
        play.expire()
    assert ("thumper" in reasons) is asked
    assert "harvester" in reasons


@pytest.mark.clause("IT.CARD.22", "IT.CARD.27")
@pytest.mark.parametrize(
    ("phase", "card", "order", "told"),
    [
        ("revival", "Amal", Amal("movement"), "amal"),
        ("storm", "Harvester", Harvester(TerritoryId("red-chasm")), "harvester"),
    ],
)
def test_a_card_that_was_said_ahead_and_taken_back_is_not_played(
    phase: str, card: str, order: Order, told: str
) -> None:
    start = {
        "turn": 4,
        "phase": phase,
        "storm": 14,
        "factions": ["emperor", "guild"],
        "dots": {"emperor": 17, "guild": 5},
        "spice_deck": ["Red Chasm"],
        "faction": {"emperor": {"spice": 9, "hand": [card]}},
    }
    play = position({"ruleset": "gf9-basic", "options": ON, "start": start}).play()
    play.begin_phase(play.state.phase)
    play.settle()
    (outcome,) = play.submit("emperor", [order])
    assert outcome.refusal is None
    assert play.said_ahead("emperor") == [order]
    assert play.said_ahead("guild") == []
    assert play.withdraw("guild") == []
    assert play.withdraw("emperor", NoRevival()) == []
    assert play.withdraw("emperor") == [order]
    assert play.said_ahead("emperor") == []
    until(play, "charity" if phase == "storm" else "battle")
    assert play.game.player("emperor").hand == [card]
    assert not [event for event in play.events if event.kind == told]


@pytest.mark.clause("IT.CARD.22", "IT.CARD.23")
def test_a_harvester_for_a_blow_is_only_filed_until_that_blow_has_come() -> None:
    start = {"turn": 4, "phase": "spice", "storm": 14, "factions": ["emperor", "guild"], "spice_deck": ["Red Chasm"]}
    play = position({"ruleset": "gf9-basic", "options": ON, "start": start}).play()
    play.begin_phase("spice")
    play.settle()
    orders = [Harvester(), Harvester(TerritoryId("red-chasm")), Harvester(least=6)]
    assert [harvester_is_filed(play.game, order) for order in orders] == [False, True, True]
    while not any(question.facts.get("why") == "harvester" for question in play.questions()):
        play.expire()
    assert [harvester_is_filed(play.game, order) for order in orders] == [False, False, False]


@pytest.mark.clause("IT.CARD.27", "AH.SHIELD.FRE.KARAMA-a")
def test_before_the_movement_round_has_begun_amal_may_be_played_and_no_worm_called() -> None:
    options = {**ON, "fremen_karama_worm_window": "spice_or_own_move", "karama_special_window": "any_time"}
    fremen = {"fremen": {"hand": ["Karama", "Amal"], "spice": 5}}
    start = {"turn": 4, "phase": "movement", "storm": 14, "factions": ["fremen", "guild"], "faction": fremen}
    play = position({"ruleset": "gf9-advanced", "options": options, "start": start}).play()
    play.begin_phase("movement")
    play.settle()
    assert play.game.moments.slot is None
    refused = play.check("fremen", Karama("worm", territory=TerritoryId("red-chasm"))).refusal
    why = "The Fremen can call a worm only in the spice blow phase or in their own shipment and movement."
    assert refused is not None
    assert refused.reason == why
    assert special_cards.refuse_amal(play.game, "fremen", Amal()) is None
    never = Refusal("Amal cannot be played before the first turn or after the last.", "amal.when")
    phases: dict[PhaseName, Refusal | None] = {"setup": never, "over": never, "mentat": None}
    for phase, refusal in phases.items():
        assert special_cards.refuse_amal(play.game, "fremen", Amal(phase)) == refusal
