"""The answer to a sheet says in which situations its writer would still be asked."""

from bot.sheets.coverage import coverage, still_asked
from bot.sheets.sheet import Sheet
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
    assert "battle plan" not in said  # the Guild has no tokens on the board
    assert said.endswith("You would also be asked where what a line orders is not legal when its time comes.")
