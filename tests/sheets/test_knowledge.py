"""The information that a seat's sheet may use, at various stops of real games."""

from typing import Any

import pytest

from bot.language.conditions import truth
from bot.language.knowledge import SeenEvent, auction_of, knowledge_of
from bot.language.lines import Context
from bot.language.orders import read_line
from bot.language.sheets import SheetLine, read_sheet_line
from rules.components import Faction, as_faction
from rules.engine.play import Play
from rules.orders import Deal, Decline, Karama, Order, Pass, QuestionKind
from rules.positions.position import position


def at(phase: str, ruleset: str = "wbc-2018", **start: Any) -> Play:
    play = position({"ruleset": ruleset, "start": {"turn": 4, "phase": phase, "storm": 3, **start}}).play()
    play.begin_phase(play.state.phase)
    play.settle()
    return play


def told(play: Play, faction: str, condition: str) -> bool | None:
    """Return the truth of a condition at the open stop as the faction knows it, or None if unknown."""
    seat = as_faction(faction)
    line = read_sheet_line(f"ask me if {condition}", Context(seat))
    assert isinstance(line, SheetLine), line
    assert line.condition is not None
    question = next((question for question in play.questions() if question.faction == faction), None)
    return truth(line.condition, knowledge_of(play, seat, play.events, question))


def order(play: Play, faction: Faction, text: str) -> None:
    """Let all questions expire up to the one that this order answers, then submit the order."""
    read = read_line(text, Context(faction, hand=tuple(play.state.players[faction].hand)))
    assert isinstance(read, Order), read
    for _ in range(60):
        asked = [question for question in play.questions() if question.faction == faction and question.fits(read)]
        if asked:
            break
        play.expire([play.questions()[0].key])
    outcome = play.submit(faction, [read])[0]
    assert outcome.refusal is None, outcome


def silence_until(play: Play, faction: Faction, kind: QuestionKind) -> None:
    for _ in range(100):
        if any((question.faction, question.kind) == (faction, kind) for question in play.questions()):
            return
        play.expire([play.questions()[0].key])
    raise AssertionError(f"{faction} was never asked for {kind}")


def auction(**start: Any) -> Play:
    play = at(
        "bidding",
        factions=["emperor", "guild", "atreides"],
        dots={"emperor": 5, "guild": 8, "atreides": 11},
        treachery_deck=["Lasgun", "Shield", "Hajr"],
        faction={"emperor": {"spice": 9}, "guild": {"spice": 9, "hand": ["Karama"]}, "atreides": {"spice": 9}},
        **start,
    )
    silence_until(play, "emperor", "bid")
    return play


@pytest.mark.clause("AH.VIII.B.2-b")
def test_the_auction_is_followed_bid_by_bid() -> None:
    play = auction()
    assert told(play, "guild", "card 1 and cards left 3 and price 0 and nobody has bid") is True
    order(play, "emperor", "bid 2")
    assert told(play, "guild", "price 2 and top bidder emperor and emperor has bid and guild has not bid") is True
    order(play, "guild", "pass")
    assert told(play, "atreides", "guild has passed and not emperor has passed") is True
    order(play, "atreides", "bid 4")
    assert told(play, "emperor", "price > 3 and top bidder is atreides") is True
    order(play, "emperor", "pass")
    order(play, "guild", "bid 5")
    assert told(play, "atreides", "guild has passed") is False
    order(play, "atreides", "pass")
    order(play, "emperor", "pass")
    assert told(play, "emperor", "card 2 and guild has bought a card and guild has bought 1 cards and price 0") is True
    assert told(play, "guild", "i have bought lasgun and i have bought a weapon") is True
    assert told(play, "guild", "i have bought a shield") is False
    assert told(play, "emperor", "hand of guild 2") is True


@pytest.mark.clause("AH.SHIELD.ATR.1")
def test_atreides_know_the_card_that_is_up() -> None:
    play = auction()
    assert told(play, "atreides", "card is lasgun and card is a weapon") is True
    assert told(play, "atreides", "card is shield") is False


def test_what_does_not_exist_now_makes_nothing_true() -> None:
    play = at("revival")
    for condition in ("price < 5", "not price < 5", "card 1", "not card 1"):
        assert told(play, "guild", condition) is None
    assert told(play, "guild", "price < 5 or turn 4") is True
    assert told(play, "guild", "price < 5 and turn 5") is False
    assert told(play, "guild", "price < 5 and turn 4") is None


@pytest.mark.clause("AH.XIII.A-a", "AH.XIII.B-a")
def test_hands_are_counted_in_the_bidding_and_not_after_it() -> None:
    hands = {"guild": {"hand": ["Karama", "Baliset"]}}
    assert told(at("bidding", faction=hands), "emperor", "guild has 2 cards") is True
    assert told(at("movement", faction=hands), "emperor", "guild has 2 cards") is None
    assert told(at("movement", faction=hands), "guild", "hand 2 and i have 2 cards") is True


def test_the_seat_knows_what_is_its_own_and_what_lies_open() -> None:
    play = at(
        "movement",
        next_storm=5,
        alliances=[["fremen", "guild"]],
        treachery_discard=["Shield", "Hajr"],
        spice={"red-chasm/7": 8},
        shield_wall=False,
        worms_seen=3,
        faction={
            "fremen": {"spice": 3, "reserves": "4+1", "tanks": "2", "dead_leaders": ["Stilgar"]},
            "guild": {"spice": 5, "hand": ["Karama", "Baliset"], "forces": {"tueks-sietch": "5"}},
            "emperor": {"forces": {"carthag": "2+1", "arrakeen": "1"}},
            "harkonnen": {"traitors": ["Alia"]},
        },
    )
    for faction, condition in [
        ("fremen", "spice 3 and reserves 5 and tanks 2 and next storm 5 and storm 3"),
        ("guild", "spice >= 5 and holding karama and i hold a worthless card and tanks of fremen 2"),
        ("guild", "allied with fremen and fremen is my ally and fremen is allied with guild and i am allied"),
        ("guild", "stilgar is dead and not chani is dead and emperor is not allied and chani is alive"),
        ("guild", "tokens in tuek's sietch 5 and tokens of emperor in carthag 3 and emperor has 3 in carthag"),
        (
            "guild",
            "emperor is in arrakeen and red chasm is empty and carthag is occupied and emperor has 2 strongholds",
        ),
        ("guild", "spice in red chasm >= 8 and shield wall is destroyed and worms 3"),
        ("guild", "shield is discarded and hajr is discarded and karama is not discarded"),
        ("harkonnen", "alia is my traitor and stilgar is not my traitor"),
    ]:
        assert told(play, faction, condition) is True, condition


@pytest.mark.clause("AH.III.C")
def test_where_only_the_top_discard_is_shown_the_others_cannot_be_told() -> None:
    play = at("movement", "ah-basic", treachery_discard=["Shield", "Hajr"])
    assert told(play, "guild", "hajr is discarded") is True
    assert told(play, "guild", "shield is discarded") is None


def test_shipments_and_moves_are_followed() -> None:
    play = at(
        "movement",
        factions=["emperor", "guild"],
        dots={"emperor": 5, "guild": 8},
        faction={
            "emperor": {"spice": 20, "reserves": "10", "forces": {"carthag": "2"}},
            "guild": {"spice": 5, "reserves": "5"},
        },
    )
    silence_until(play, "emperor", "shipment")
    assert told(play, "guild", "before emperor and not emperor has shipped and before shipment of emperor") is True
    order(play, "emperor", "ship 4 to arrakeen")
    assert told(play, "guild", "emperor has shipped to arrakeen and emperor shipped 4 or more to arrakeen") is True
    assert told(play, "guild", "emperor has shipped to carthag or emperor has shipped > 4 tokens") is False
    assert told(play, "guild", "after emperor") is False
    assert told(play, "guild", "after shipment of emperor and before shipment of guild") is True
    order(play, "emperor", "move 2 from carthag to imperial basin/10")
    assert told(play, "guild", "after emperor and emperor has moved to imperial basin and emperor has moved") is True


def battle() -> Play:
    play = at(
        "battle",
        factions=["bene-gesserit", "emperor", "atreides"],
        dots={"bene-gesserit": 5, "emperor": 8, "atreides": 11},
        faction={
            "bene-gesserit": {"spice": 5, "forces": {"carthag": "4"}},
            "emperor": {"spice": 5, "forces": {"carthag": "3"}, "hand": ["Karama"]},
            "atreides": {"spice": 5},
        },
    )
    silence_until(play, "bene-gesserit", "voice")
    return play


@pytest.mark.clause("AH.SHIELD.BG.3")
def test_a_battle_is_followed_from_the_voice_on() -> None:
    play = battle()
    assert told(play, "emperor", "fighting bg and defending and battle in carthag and not voiced") is True
    assert told(play, "bene-gesserit", "fighting emperor and attacking and emperor is defending") is True
    assert told(play, "atreides", "emperor fights bg and not fighting emperor and not battle in arrakeen") is True
    order(play, "bene-gesserit", "voice emperor not play lasgun")
    assert told(play, "emperor", "voiced and voiced not lasgun and not voiced lasgun") is True
    assert told(play, "atreides", "emperor is voiced and not voiced") is True
    assert told(play, "emperor", "window voice and window voice against me and window voice by bg") is True
    assert told(play, "emperor", "window prescience or window voice against bg") is False
    assert play.submit("emperor", [Karama("cancel voice")])[0].refusal is None
    while any(question.kind == "karama-window" for question in play.questions()):
        play.expire()
    assert told(play, "emperor", "not voiced and voice cancelled and i have played karama") is True
    assert told(play, "atreides", "emperor has played karama and karama is discarded") is True


def test_what_is_decided_now_is_told_apart() -> None:
    play = battle()
    assert told(play, "bene-gesserit", "question voice and question number 1 and not question battle plan") is True
    assert told(play, "emperor", "waiting for bg and waiting for voice of bg and not waiting for atreides") is True
    assert told(play, "bene-gesserit", "question in carthag and not question in arrakeen") is True
    assert told(play, "bene-gesserit", "waiting for bg") is False
    assert told(play, "emperor", "question voice") is False
    assert told(play, "emperor", "question number 1") is None
    order(play, "bene-gesserit", "no voice")
    silence_until(play, "emperor", "battle-plan")
    assert told(play, "emperor", "question battle plan and question is not voice and question number < 2") is True
    assert told(play, "atreides", "waiting for battle plan of emperor and not waiting for voice of bg") is True


def test_others_go_on_being_asked_for_all_that_a_player_knows() -> None:
    play = battle()
    silence_until(play, "emperor", "battle-plan")
    order(play, "bene-gesserit", "plan dial 1 leader Alia")
    assert told(play, "emperor", "waiting for bg and waiting for battle plan of bg") is True


def test_the_bids_of_one_phase_are_counted() -> None:
    play = auction()
    order(play, "emperor", "bid 2")
    assert told(play, "guild", "question bid and question number 1") is True
    order(play, "guild", "bid 3")
    order(play, "atreides", "pass")
    assert told(play, "emperor", "question number 2 and not question number 1") is True


def test_an_offer_is_told_by_who_makes_it_and_what_it_is_worth() -> None:
    play = auction()
    assert play.submit("emperor", [Deal("guild", "peace", 2, 1)])[0].refusal is None
    assert told(play, "guild", "offer from emperor and offer gives 2 spice and offer costs 1 spice") is True
    assert told(play, "guild", "offer from atreides or offer gives > 2 spice") is False
    assert told(play, "guild", "question offer and question number 1") is True
    assert play.submit("guild", [Decline()])[0].refusal is None
    assert play.submit("emperor", [Deal("guild", "peace", 4)])[0].refusal is None
    assert told(play, "guild", "offer gives 4 spice and offer costs 0 spice and question number 2") is True
    order(play, "emperor", "bid 1")
    assert play.submit("guild", [Pass()])[0].refusal is None
    order(play, "atreides", "bid 2")
    assert told(play, "guild", "offer gives 4 spice and question number 2") is True
    assert told(play, "atreides", "offer from emperor or waiting for guild") is False
    assert told(play, "atreides", "offer gives 4 spice") is None


def test_the_result_of_a_battle_is_known_for_the_rest_of_the_turn() -> None:
    play = battle()
    play.expire()
    while play.questions():
        play.expire()
    play.advance()
    known = [
        faction for faction in ("emperor", "bene-gesserit") if told(play, faction, f"{faction} has won in carthag")
    ]
    assert len(known) == 1
    assert told(play, known[0], f"{known[0]} has won 1 battles and not {known[0]} has lost in carthag") is True


def test_only_this_turn_counts() -> None:
    play = auction()
    order(play, "emperor", "bid 2")
    play.state.turn = 5
    assert told(play, "guild", "emperor has bought a card") is False
    assert told(play, "guild", "emperor has bid") is None


@pytest.mark.parametrize("condition", [
    "fighting guild", "guild is fighting", "guild is fighting emperor", "battle in arrakeen", "attacking", "defending",
    "guild is attacking", "guild is defending", "voiced", "voiced poison weapon", "voiced not poison weapon",
    "guild is voiced", "asked", "asked weapon", "voice cancelled", "plan of guild is known",
])  # fmt: skip
def test_nothing_of_a_battle_is_so_where_none_is_fought(condition: str) -> None:
    assert told(auction(), "emperor", condition) is False


def test_a_sale_that_could_not_be_paid_leaves_the_bids_of_the_others() -> None:
    def bids(*events: tuple[str, dict[str, Any]]) -> list[tuple[Faction, int | None]]:
        up = SeenEvent("card-up", "bidding", {"number": 1, "of": 2})
        found = auction_of([up, *(SeenEvent(kind, "bidding", facts) for kind, facts in events)])
        assert found is not None
        return found.bids

    made: list[tuple[str, dict[str, Any]]] = [
        ("bid", {"faction": faction, "amount": amount})
        for faction, amount in (("emperor", 2), ("guild", 3), ("emperor", None))
    ]
    assert bids(*made) == [("emperor", 2), ("guild", 3), ("emperor", None)]
    assert bids(*made, ("sale-void", {"faction": "emperor", "number": 1})) == [("guild", 3)]


def prescient_battle() -> Play:
    return at(
        "battle",
        factions=["bene-gesserit", "emperor", "atreides"],
        dots={"bene-gesserit": 5, "emperor": 8, "atreides": 11},
        faction={
            "bene-gesserit": {"spice": 5},
            "emperor": {"spice": 5, "forces": {"carthag": "3"}, "hand": ["Karama", "Shield", "Cheap Hero"]},
            "atreides": {"spice": 5, "forces": {"carthag": "4"}},
        },
    )


def test_whom_the_prescience_is_against_is_known_while_it_can_be_cancelled() -> None:
    play = prescient_battle()
    order(play, "atreides", "prescience weapon")
    assert told(play, "emperor", "window prescience against me and window prescience by atreides") is True
    assert told(play, "emperor", "window prescience against bg or window voice against me") is False


def test_what_the_plans_reveal_was_played_and_nothing_else() -> None:
    play = prescient_battle()
    order(play, "emperor", "plan dial 1 leader cheap hero defense Shield")
    while any(question.kind == "battle-plan" for question in play.questions()):
        play.expire()
    assert told(play, "bene-gesserit", "emperor has played shield and emperor has played cheap hero") is True
    assert told(play, "bene-gesserit", "emperor has played karama or atreides has played shield") is False


def test_a_voice_that_was_cancelled_opens_no_window_before_the_plans_any_more() -> None:
    play = at(
        "battle",
        factions=["bene-gesserit", "emperor", "atreides"],
        dots={"bene-gesserit": 5, "emperor": 8, "atreides": 11},
        faction={
            "bene-gesserit": {"spice": 5, "forces": {"carthag": "4"}, "hand": ["Karama"]},
            "emperor": {"spice": 5},
            "atreides": {"spice": 5, "forces": {"carthag": "3"}, "hand": ["Karama"]},
        },
    )
    order(play, "bene-gesserit", "voice atreides not play lasgun")
    assert play.submit("atreides", [Karama("cancel voice")])[0].refusal is None
    order(play, "atreides", "prescience weapon")
    assert told(play, "bene-gesserit", "window prescience and window prescience against me") is True
    assert told(play, "bene-gesserit", "window voice or window voice against atreides") is False
    assert told(play, "bene-gesserit", "asked and asked weapon and not prescience cancelled") is True
    assert play.submit("bene-gesserit", [Karama("cancel prescience")])[0].refusal is None
    while any(question.kind == "karama-window" for question in play.questions()):
        play.expire()
    assert told(play, "bene-gesserit", "asked or asked weapon or window prescience") is False
    assert told(play, "bene-gesserit", "prescience cancelled and voice cancelled") is True


@pytest.mark.parametrize(("atreides", "known"), [
    ({"forces": {"polar-sink": "1"}}, {"atreides": True, "fremen": False}),
    ({"forces": {"tueks-sietch": "2"}}, {"atreides": True, "fremen": True}),
])  # fmt: skip
def test_the_plan_that_a_special_karama_lays_open_is_known_to_all_in_its_own_battle_and_else_to_atreides(
    atreides: dict[str, Any], known: dict[Faction, bool]
) -> None:
    play = at(
        "battle",
        factions=["atreides", "guild", "fremen"],
        dots={"atreides": 5, "guild": 8, "fremen": 11},
        faction={
            "atreides": {"spice": 5, "hand": ["Karama"], **atreides},
            "guild": {"spice": 5, "forces": {"tueks-sietch": "4"}},
            "fremen": {"spice": 5, "forces": {} if "tueks-sietch" in atreides["forces"] else {"tueks-sietch": "3"}},
        },
    )
    silence_until(play, "guild", "battle-plan")
    assert told(play, "atreides", "plan of guild is known") is False
    assert play.submit("atreides", [Karama("see plan", faction="guild")])[0].refusal is None
    order(play, "guild", "plan dial 2 leader esmar tuek spice 2")
    for faction, seen in known.items():
        assert told(play, faction, "plan of guild is known") is seen, faction
        assert told(play, faction, "plan of fremen is known or plan of atreides is known") is False
