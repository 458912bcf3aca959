"""How the players of a game may write to each other, as somebody types it, and how it may change."""

import pytest

from bot.press.settings import PressRefused, PressSettings, read, require_stricter


def test_a_mode_and_what_is_added_to_it_are_one_text() -> None:
    assert read("") == PressSettings()
    assert read("Grey, gunboat ,quota=3").words == "grey,gunboat,quota=3"
    assert read("must-order,late").words == "open,late,must-order"
    assert read(read("mixed,observers=white,postal").words) == read("postal,mixed,observers=white")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("loud", "'loud' is no mode of press"),
        ("open,hide=absences", "always hides who is away"),
        ("open,gunboat,names-until=turn", "names-until is one of game, round"),
        ("open,names-until=round", "goes with gunboat alone"),
        ("open,grey", "has one mode"),
        ("quota=3,quota=4", "everything once"),
        ("quota", "quota is a number"),
        ("quota=0", "quota is a number"),
        ("quota=-1", "quota is a number"),
        ("quota=٣", "quota is a number"),
        ("observers=all", "observers is one of"),
        ("gunboat=yes", "'gunboat' is no mode"),
        ("grey,yellow", "yellow makes what goes to all unsigned"),
        ("public,neighbours", "everybody reads everything"),
        ("none,quota=3,postal", "so postal, quota says nothing"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(PressRefused, match=why):
        read(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("open", "public"), ("open", "table"), ("open", "none"), ("mixed", "grey"), ("mixed", "open"),
        ("fake", "open"), ("open", "open,postal"), ("open", "open,quota=3"), ("open,quota=3", "open,quota=2"),
        ("open,quota=3", "none"), ("grey,gunboat", "grey,gunboat,must-order"), ("open,archived", "open"),
        ("open,copies-to-desk", "open"), ("open,observers=white", "open,observers=desk"), ("open", "open"),
    ],
)  # fmt: skip
def test_the_press_of_a_game_that_runs_can_become_stricter(before: str, after: str) -> None:
    require_stricter(read(before), read(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("public", "open"), ("none", "open"), ("table", "open"), ("grey", "mixed"), ("grey", "open"), ("open", "grey"),
        ("open", "fake"), ("open", "open,yellow"), ("open,postal", "open"), ("open,quota=3", "open"),
        ("open,quota=3", "open,quota=4"), ("open", "open,gunboat"), ("open,gunboat", "open"),
        ("open", "open,copies-to-desk"), ("open", "open,archived"), ("open", "open,observers=white"),
        ("open,neighbours", "public"), ("open,gunboat,names-until=round", "open,gunboat"),
        ("open,gunboat", "open,gunboat,names-until=round"),
    ],
)  # fmt: skip
def test_it_can_never_allow_what_it_did_not(before: str, after: str) -> None:
    with pytest.raises(PressRefused):
        require_stricter(read(before), read(after))
