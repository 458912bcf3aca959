"""A deputy's answers at a stop, and the decisions that it leaves to the player."""

from typing import Any

import pytest

from bot.language.lines import Context
from bot.language.sheets import FiledLine, Filing, Sheet, SheetLine, file_line, order_before, read_sheet_line
from bot.table.deputy import DeputyMove, speak
from rules.components import Card, Faction, Leader
from rules.engine.catalogue import load_rule_set
from rules.engine.log import Submitted
from rules.engine.play import Play
from rules.orders import (
    Ally,
    AskForLeader,
    Bid,
    BidUpTo,
    Karama,
    NamePrice,
    NoKarama,
    NoShipment,
    Pass,
    Plan,
    Prescience,
)
from rules.positions.position import position
from rules.rulesets.rulebook import Refusal

SEATS: tuple[Faction, ...] = ("emperor", "fremen", "guild", "harkonnen")


WBC = load_rule_set("wbc-2018")


class Table:
    """A game at the first stop of a phase, whose players have sheets."""

    def __init__(self, phase: str, ruleset: str = "wbc-2018", **start: Any) -> None:
        given = {"turn": 4, "storm": 3, "dots": dict(zip(SEATS, (5, 8, 11, 14), strict=True)), "factions": list(SEATS)}
        options = start.pop("options", {})
        document = {"ruleset": ruleset, "options": options, "start": {"phase": phase, **given, **start}}
        self.play: Play = position(document).play()
        self.play.begin_phase(self.play.state.phase)
        self.play.settle()
        self.sheets: dict[Faction, Sheet] = {}

    def file(self, faction: Faction, *texts: str) -> list[FiledLine]:
        filed = []
        for text in texts:
            line = read_sheet_line(text, Context(faction, frozenset(SEATS)))
            assert isinstance(line, SheetLine), line
            taken = file_line(self.play, self.sheets, faction, line)
            assert isinstance(taken, Filing), taken
            filed.append(taken.filed)
        return filed

    def speak(self) -> DeputyMove | None:
        return speak(self.play, self.sheets, self.play.events)

    def asked(self) -> set[Faction]:
        return {question.faction for question in self.play.questions()}


def auction(**spice: int) -> Table:
    hands = {faction: {"spice": spice.get(faction, 5)} for faction in SEATS}
    return Table("bidding", faction=hands, treachery_deck=["Gom Jabbar", "Shield"])


def test_a_deputy_speaks_once_a_call_and_says_which_line_it_took() -> None:
    table = auction()
    _, second = table.file("emperor", "when card 2: bid 3", "when card 1: bid 2")
    assert table.speak() == DeputyMove("emperor", (2,))
    assert table.play.log[-1] == Submitted("emperor", (Bid(2),))
    assert second.changed == table.play.entries_before + len(table.play.log), "it is undone with that entry"
    assert table.speak() is None


def test_the_first_line_that_holds_and_is_legal_answers() -> None:
    table = auction(emperor=2)
    first, second, _ = table.file("emperor", "when card 1: bid 4", "when price < 1: bid 2", "standing: bid 1")
    assert table.speak() == DeputyMove("emperor", (second.number,))
    assert "could not be used: You have 2 spice" in first.note


def test_an_answer_of_several_orders_holds_each_once_and_none_that_says_the_opposite() -> None:
    table = Table("spice", "ah-basic", spice_deck=["Shai-Hulud", "Red Chasm"], spice_discard=[["Cielago North"]])
    first, again, other, later, none = table.file(
        "guild", "when turn 4: ally harkonnen", "when phase spice: ally harkonnen", "when phase spice: ally emperor",
        "when my spice > 90: ally fremen", "standing: no alliance",
    )  # fmt: skip
    assert table.speak() == DeputyMove("guild", (first.number, other.number))
    assert table.play.log[-1] == Submitted("guild", (Ally("harkonnen"), Ally("emperor")))
    assert "used" not in (again.state, later.state, none.state)


def test_a_line_that_has_answered_one_question_eight_times_is_left_out_there_and_nowhere_else() -> None:
    for uses, spoken in ((7, 1), (8, 2)):
        table = auction()
        first, second = table.file("emperor", "when price < 1: bid 2", "standing: bid 1")
        [question] = table.play.questions()
        sheet, stop = table.sheets["emperor"], table.play.stop_name
        sheet.uses[first.number, "4.bidding.99", question.key] = 8
        sheet.uses[first.number, stop, question.key] = uses
        assert table.speak() == DeputyMove("emperor", ((first, second)[spoken - 1].number,))


def test_what_stands_behind_ask_me_is_no_part_of_an_answer_of_several_orders() -> None:
    table = Table("spice", "ah-basic", spice_deck=["Shai-Hulud", "Red Chasm"], spice_discard=[["Cielago North"]])
    first, _, _ = table.file(
        "guild", "when turn 4: ally harkonnen", "when turn 4: ask me", "when phase spice: ally emperor"
    )
    assert table.speak() == DeputyMove("guild", (first.number,))


def test_a_line_that_hands_the_decision_back_stops_the_lines_behind_it() -> None:
    table = auction()
    table.file("emperor", "when price < 1: ask me", "standing: pass")
    assert table.speak() is None
    assert table.asked() == {"emperor"}


def test_a_part_of_an_answer_that_was_given_stays_and_the_rest_comes_from_the_sheet() -> None:
    """If prices for two leaders are asked and the sheet has one, the deputy gives it once. A price that the player has
    named by mail is not replaced by the sheet's."""
    table = Table(
        "revival",
        "gf9-advanced",
        options={"expansion": "ixians-tleilaxu"},
        factions=["emperor", "guild", "tleilaxu"],
        dots={"emperor": 2, "guild": 5, "tleilaxu": 17},
        faction={"emperor": {"dead_leaders": ["Bashar"]}, "guild": {"dead_leaders": ["Staban Tuek"]}},
    )
    while "early-revival" not in [question.kind for question in table.play.questions()]:
        table.play.expire()
    table.play.submit("emperor", [AskForLeader(Leader("Bashar"))])
    table.play.submit("guild", [AskForLeader(Leader("Staban Tuek"))])
    table.file("tleilaxu", "standing: price 6 for Staban Tuek")
    assert table.speak()
    assert table.speak() is None
    assert table.asked() == {"tleilaxu"}
    table.play.submit("tleilaxu", [NamePrice(2, Leader("Staban Tuek"))])
    assert table.speak() is None
    table.file("tleilaxu", "standing: no price")
    assert table.speak()
    assert table.asked() == {"emperor", "guild", "tleilaxu"}
    (named,) = [event for event in table.play.events if event.kind == "leader-priced"]
    assert named.seen_by("guild")["price"] == 2


def test_nothing_is_guessed_where_no_line_holds() -> None:
    table = auction()
    table.file("emperor", "when card 2: bid 3")
    assert table.speak() is None


def test_a_count_runs_down_and_the_line_is_used_up() -> None:
    table = auction()
    (line,) = table.file("emperor", "bid 1 if price < 1 once")
    assert table.speak()
    assert (line.left, line.state) == (0, "used")


@pytest.mark.clause("WBC.MISC.5")
def test_plays_of_one_window_wait_for_it_to_close_and_go_in_the_order_of_play() -> None:
    table = Table(
        "bidding",
        faction={"harkonnen": {"spice": 5}, "guild": {"hand": ["Karama"]}, "fremen": {"hand": ["Karama"]}},
        treachery_deck=["Gom Jabbar", "Shield", "Stunner"],
    )
    for faction in SEATS:
        table.file(faction, "pass if price > 0" if faction == "harkonnen" else "standing: pass")
    table.file("harkonnen", "bid 1 if price < 1")
    table.file("guild", "karama cancel free card if window free card")
    table.file("fremen", "karama cancel free card if window free card")
    while table.speak():
        pass
    assert {q.kind for q in table.play.questions()} == {"karama-window"}
    assert {q.faction for q, _ in table.play.answered()} == {"guild", "fremen"}
    table.file("emperor", "standing: no karama")
    table.file("harkonnen", "standing: no karama")
    while table.speak():
        pass
    assert table.play.state.players["fremen"].hand == []
    assert table.play.state.players["guild"].hand == ["Karama"]


def test_no_karama_before_a_karama_keeps_the_card() -> None:
    table = Table("spice", faction={"guild": {"hand": ["Karama"]}}, spice_deck=["Red Chasm"])
    table.file("guild", "standing: no karama", "karama cancel worm if phase spice")
    table.speak()
    answers = {q.faction: orders for q, orders in table.play.answered()}
    assert answers == {"guild": (NoKarama(),)}


def test_a_card_is_played_at_the_first_stop_at_which_its_condition_holds() -> None:
    table = auction()
    table.play.state.players["guild"].hand.append("Truthtrance")  # type: ignore[arg-type]  # a card, by name
    table.file("guild", "when emperor has bid: truthtrance emperor: do you hold Lasgun?")
    assert table.speak() is None
    table.play.submit("emperor", [Bid(1)])
    assert table.speak() == DeputyMove("guild", (1,))
    assert table.asked() == {"emperor"}
    assert table.sheets["guild"].active() == []


def test_a_standing_play_is_made_once_at_a_stop() -> None:
    table = auction()
    table.file("guild", "standing: deal with emperor: leave me Carthag; I pay 1 9 times")
    assert table.speak()
    assert table.speak() is None


def test_lines_for_a_power_of_others_are_not_taken() -> None:
    table = auction()
    line = SheetLine(Karama("take cards", faction="emperor", number=1))
    assert isinstance(file_line(table.play, table.sheets, "guild", line), Refusal)
    assert isinstance(file_line(table.play, table.sheets, "harkonnen", line), Filing)


@pytest.mark.clause("AH.II.B.1-b", "AH.X.B.2", "AH.X.B.3-a", "AH.X.B.1-a", "AH.IX.D.1-a", "WBC.AID.2", "WBC.XV.6")
@pytest.mark.parametrize(
    ("faction", "line", "why"),
    [
        ("guild", "standing: ship 30 to carthag", "You have 20 tokens in all."),
        ("emperor", "when phase movement: move 3+6 from carthag to arrakeen", "You have 5 Sardaukar in all."),
        ("guild", "when phase movement: hajr move 0+1 from carthag to arrakeen", "You have no elite tokens in all."),
        ("guild", "when fighting emperor: plan dial 2 leader feyd", "Feyd-Rautha is not one of your leaders."),
        ("guild", "when fighting emperor: plan dial 2 leader none kwisatz haderach", "You have no Kwisatz Haderach."),
        ("guild", "when fighting emperor: plan dial 21 leader none", "You can never dial more than 20"),
        ("guild", "when fighting emperor: plan dial 1 leader esmar tuek weapon karama", "Karama can be neither"),
        ("guild", "standing: revive feyd", "Feyd-Rautha is not one of your leaders."),
        ("guild", "when phase battle: ghola feyd", "a Ghola can revive only your own."),
        ("guild", "standing: give 1 spice to guild", "That is you"),
    ],
)
def test_what_can_never_be_right_is_refused_when_it_is_filed(faction: Faction, line: str, why: str) -> None:
    table = auction()
    read = read_sheet_line(line, Context(faction, frozenset(SEATS)))
    assert isinstance(read, SheetLine), read
    refused = file_line(table.play, table.sheets, faction, read)
    assert isinstance(refused, Refusal)
    assert why in refused.reason
    assert faction not in table.sheets or not table.sheets[faction].active()


@pytest.mark.clause("AH.SHIELD.HAR.3-a")
def test_what_may_come_to_be_right_is_taken_when_it_is_filed() -> None:
    table = auction()
    table.file("harkonnen", "when fighting guild: plan dial 20 leader esmar tuek weapon baliset")
    table.file("emperor", "when fighting guild: plan dial 25 leader bashar", "standing: ship 15+5 to carthag")


def test_what_stands_may_act_as_often_again_in_the_next_turn() -> None:
    sheet, line = Sheet(), read_sheet_line("standing: advise polar sink twice", Context("bene-gesserit"))
    assert isinstance(line, SheetLine)
    filed, _ = sheet.file(line, WBC, 3, "movement", 0)
    for stop in ("3.movement.1", "3.movement.4"):
        sheet.act(filed, stop, "advisor", 1)
    sheet.begin_turn(3, 1)
    assert (filed.left, filed.state) == (0, "active")
    sheet.begin_turn(4, 1)
    assert filed.left == 2


def test_a_line_of_a_past_turn_is_over() -> None:
    sheet, line = Sheet(), read_sheet_line("bid 3 if card 2", Context("guild"))
    assert isinstance(line, SheetLine)
    filed, _ = sheet.file(line, WBC, 3, "bidding", 0)
    sheet.begin_turn(3, 1)
    assert sheet.active() == [filed]
    sheet.begin_turn(4, 1)
    assert (sheet.active(), filed.state) == ([], "over")


def test_a_standing_line_where_there_is_nothing_to_decide_is_no_news() -> None:
    table = Table("charity", faction={"guild": {"spice": 5}, "fremen": {"spice": 0}})
    table.file("guild", "standing: charity")
    table.speak()
    assert table.sheets["guild"].notes == ()


def test_a_line_about_another_territory_is_not_meant() -> None:
    seats: list[Faction] = ["bene-gesserit", "harkonnen"]
    here = {"bene-gesserit": {"forces": {"carthag": "2"}}, "harkonnen": {"forces": {"carthag": "5"}}}
    table = Table("movement", factions=seats, dots={"bene-gesserit": 2, "harkonnen": 11}, faction=here)
    read = read_sheet_line("standing: fight in arrakeen", Context("bene-gesserit", frozenset(seats)))
    assert isinstance(read, SheetLine)
    file_line(table.play, table.sheets, "bene-gesserit", read)
    assert [question.kind for question in table.play.questions()] == ["bg-status"]
    assert table.speak() is None
    assert table.sheets["bene-gesserit"].notes == ()


def test_a_plan_for_one_battle_answers_prescience_too_and_is_used_up_by_the_battle() -> None:
    seats: list[Faction] = ["atreides", "harkonnen"]
    forces = {"forces": {"arrakeen": "5", "carthag": "5"}}
    dots = {"atreides": 2, "harkonnen": 11}
    table = Table("battle", factions=seats, dots=dots, faction={"atreides": forces, "harkonnen": forces})
    read = read_sheet_line("plan dial 2 leader feyd once", Context("harkonnen", frozenset(seats)))
    assert isinstance(read, SheetLine)
    file_line(table.play, table.sheets, "harkonnen", read)
    plan = read.order
    for _ in range(30):
        if not table.speak() and any(question.kind == "prescience" for question in table.play.questions()):
            table.play.submit("atreides", [Prescience("number")])
        elif table.sheets["harkonnen"].active():
            table.play.expire()
    spoken = [entry.orders for entry in table.play.log if isinstance(entry, Submitted) and entry.faction == "harkonnen"]
    assert spoken == [(plan,), (plan,)]  # once to prescience and once in the first battle


@pytest.mark.clause("WBC.X.26")
def test_a_plan_on_a_sheet_is_never_mended_without_a_word() -> None:
    table = Table(
        "battle",
        faction={
            "harkonnen": {"spice": 5, "hand": ["Stunner"], "forces": {"plastic-basin/13": "4"}},
            "emperor": {"spice": 3, "forces": {"plastic-basin/13": "4"}},
        },
    )
    plans = ("dial 9 leader feyd", "dial 2 leader feyd weapon stunner defense shield")
    lines = table.file("harkonnen", *(f"when fighting emperor and turn > {n}: plan {p}" for n, p in enumerate(plans)))
    for faction in SEATS:
        table.file(faction, "standing: no karama")
    while "battle-plan" not in {question.kind for question in table.play.questions()}:
        if not table.speak():
            table.play.expire([question.key for question in table.play.questions()])
        table.play.settle()
    while table.speak():
        pass
    assert "harkonnen" in table.asked()
    assert ["could not be used as written" in line.note for line in lines] == [True, True]
    last = "when turn > 2: plan dial 2 leader feyd weapon stunner"
    table.file("harkonnen", last)
    assert table.speak() == DeputyMove("harkonnen", (4,))
    plan = Plan(2, "Feyd-Rautha", Card("Stunner"), Card("Shield"))
    (taken,) = table.play.submit("harkonnen", [plan])
    assert (taken.status, len(taken.warnings)) == ("accepted", 1)


@pytest.mark.clause("AH.VIII.C")
def test_a_limit_above_what_they_can_pay_is_taken_as_what_they_can_pay() -> None:
    table = auction(emperor=3)
    (line,) = table.file("emperor", "when card 1: bid up to 9 by 2 from 4")
    assert table.speak() == DeputyMove("emperor", (1,))
    assert table.play.log[-1] == Submitted("emperor", (BidUpTo(3, 2, 3),))
    assert not line.note


@pytest.mark.clause("AH.VIII.C")
def test_a_limit_passes_where_the_bid_is_over_what_they_can_pay() -> None:
    table = auction(emperor=3, fremen=2)
    table.file("fremen", "when card 1: bid up to 9")
    table.play.submit("emperor", [Bid(3)])
    table.play.settle()
    assert table.speak() == DeputyMove("fremen", (1,))
    assert table.play.log[-1] == Submitted("fremen", (Pass(),))


@pytest.mark.parametrize(("lines", "before"), [
    (("standing: pass", "bid 3 if price < 3"), "standing: pass"),
    (("standing: no move", "standing: pass all", "bid 3 if price < 3"), "standing: pass all"),
    (("standing: ask me", "bid 3 if price < 3"), "standing: ask me"),
    (("standing: no move", "move 3 from Carthag to Arrakeen if turn 4"), "standing: no move"),
    (("standing: pass", "standing: bid 3 if price < 3"), "standing: pass"),
    (("standing: pass twice", "bid 3 if price < 3"), ""), (("standing: pass if turn 5", "bid 3 if price < 3"), ""),
    (("standing: bid 1", "bid 3 if price < 3"), ""), (("bid 3 if price < 3", "standing: pass"), ""),
    (("standing: no shipment", "bid 3 if price < 3"), ""), (("standing: pass", "ask me if price < 3"), ""),
    (("standing: pass", "standing: bid 3"), ""),
])  # fmt: skip
def test_a_line_that_always_answers_stands_before_a_later_one_with_a_condition(
    lines: tuple[str, ...], before: str
) -> None:
    table = auction()
    filed = table.file("guild", *lines)[-1]
    assert order_before(table.play, table.sheets["guild"], "guild", filed) == before


@pytest.mark.parametrize(("line", "before"), [
    ("ship 2 to Carthag if turn 4", "no shipment"), ("ship 2 to Carthag if turn 5", ""),
    ("standing: ship 2 to Carthag if price < 3", ""), ("move 2 from Tuek's Sietch to Carthag if turn 4", ""),
    ("bid 3 if price < 3", ""),
])  # fmt: skip
def test_an_order_that_is_held_stands_before_a_line_of_its_turn_and_a_pass_does_not(line: str, before: str) -> None:
    table = auction()
    [filed] = table.file("guild", line)
    table.play.game.held["guild"] = [Pass(), NoShipment()]
    assert order_before(table.play, table.sheets["guild"], "guild", filed) == before
