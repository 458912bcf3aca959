"""The answer to a sheet lists the situations in which its writer will still be asked."""

from bot.language.lines import Context
from bot.language.sheets import Sheet, SheetLine, file_line, read_sheet_line
from bot.table.coverage import coverage, still_asked
from rules.components import Faction
from rules.orders import PassAll, QuestionKind
from tests.sheets.test_deputy import Table


def sheet_of(*lines: str) -> Sheet:
    table = Table("bidding", treachery_deck=["Gom Jabbar"])
    table.file("guild", *lines)
    return table.sheets["guild"]


def test_a_decision_without_a_line_is_asked() -> None:
    assert still_asked("bid", sheet_of("standing: charity")) == "a bid"


def test_a_line_without_a_condition_settles_its_decision() -> None:
    assert still_asked("bid", sheet_of("when card 1: bid 3", "standing: pass")) == ""


def test_conditions_that_settle_are_named() -> None:
    sheet = sheet_of("when card 1: bid 3", "when price > 4: pass")
    assert still_asked("bid", sheet) == "a bid, unless card 1 or price > 4"


def test_of_many_conditions_some_are_named_and_the_others_counted() -> None:
    sheet = sheet_of(*(f"when price < {price}: bid {price}" for price in range(2, 12)))
    assert still_asked("bid", sheet) == (
        "a bid, unless price < 2 or price < 3 or price < 4 or price < 5 or price < 6 or one of 5 other conditions"
    )


def test_what_is_handed_back_is_named() -> None:
    sheet = sheet_of("when price > 4: ask me", "standing: pass")
    assert still_asked("bid", sheet) == "a bid if price > 4"


def test_everything_handed_back_settles_nothing_behind_it() -> None:
    assert still_asked("bid", sheet_of("when card 1: bid 3", "standing: ask me", "standing: pass")) == (
        "a bid, unless card 1"
    )


def test_the_paragraph_names_what_may_still_come_this_turn() -> None:
    table = Table("bidding", faction={"guild": {"spice": 4, "tanks": "3"}}, treachery_deck=["Gom Jabbar"])
    table.file("guild", "standing: pass", "when after emperor: go now", "standing: no shipment")
    said = coverage(table.play, "guild", table.sheets["guild"])
    assert said.startswith("For the rest of turn 4 your sheet settles a bid and a shipment.")
    assert "for revival" in said
    assert "for when to move, unless after Emperor" in said
    assert "the Voice" not in said
    assert "prescience" not in said
    assert "for a battle plan" in said  # the Guild has no tokens on the board, but may ship some
    assert "prediction" not in said
    assert "first token" not in said
    assert said.endswith("We would also ask you if an order on a line is not legal when its time comes.")


def test_who_has_no_tokens_on_the_board_once_all_have_shipped_fights_no_battle() -> None:
    forces = {"forces": {"arrakeen": "5"}}
    table = Table("battle", faction={"emperor": forces, "harkonnen": forces})
    table.file("guild", "standing: no transfer")
    said = coverage(table.play, "guild", table.sheets["guild"])
    assert said.startswith("For the rest of turn 4 your sheet settles gifts of spice.")
    assert "battle plan" not in said


def test_an_order_that_is_held_for_the_rest_of_the_phase_settles_its_decision() -> None:
    table = Table("bidding", treachery_deck=["Gom Jabbar"])
    table.file("guild", "when card 1: bid 3")
    table.play.submit("guild", [PassAll()])
    assert "settles a bid" in coverage(table.play, "guild", table.sheets["guild"])


def test_what_its_tempo_takes_from_the_sheet_is_asked_only_where_a_line_always_hands_it_back() -> None:
    table = Table("bidding", treachery_deck=["Gom Jabbar"])
    table.file("guild", "when card 1: ask me")
    timing: set[QuestionKind] = {"guild-timing"}
    assert "does not mention when to move" in coverage(table.play, "guild", table.sheets["guild"], timing)
    table.file("guild", "standing: ask me")
    assert "for when to move;" in coverage(table.play, "guild", table.sheets["guild"], timing)


def test_decisions_of_the_same_words_are_named_once() -> None:
    seats: list[Faction] = ["bene-gesserit", "harkonnen"]
    table = Table("movement", factions=seats, dots={"bene-gesserit": 2, "harkonnen": 11})
    line = read_sheet_line("standing: no transfer", Context("bene-gesserit", frozenset(seats)))
    assert isinstance(line, SheetLine)
    file_line(table.play, table.sheets, "bene-gesserit", line)
    assert coverage(table.play, "bene-gesserit", table.sheets["bene-gesserit"]).count("coexist") == 1


def test_six_conditions_are_named_and_of_seven_five() -> None:
    named = "a bid, unless price < 2 or price < 3 or price < 4 or price < 5 or price < 6"
    for most, last in ((8, "price < 7"), (9, "one of 2 other conditions")):
        sheet = sheet_of(*(f"when price < {price}: bid {price}" for price in range(2, most)))
        assert still_asked("bid", sheet) == f"{named} or {last}"
