"""A game's press settings: how they are typed, and how they may change."""

import pytest

from bot.press import FLAGS, PressRefused, PressSettings, liberties, read_press, require_stricter


def test_a_mode_and_what_is_added_to_it_are_one_text() -> None:
    assert read_press("") == PressSettings()
    assert read_press("Grey, gunboat ,quota=3").words == "grey,gunboat,quota=3"
    assert read_press("must-order,late").words == "open,late,must-order"
    assert read_press(read_press("mixed,observers=white,postal").words) == read_press("postal,mixed,observers=white")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("loud", "'loud' is neither a mode of press"),
        ("open,hide=absences", "always hides who is away"),
        ("open,gunboat,names-until=turn", "names-until must be one of game, round"),
        ("open,names-until=round", "works only with gunboat"),
        ("open,grey", "has one mode"),
        ("quota=3,quota=4", "each option once"),
        ("quota", "quota must be a number"),
        ("quota=0", "quota must be a number"),
        ("quota=-1", "quota must be a number"),
        ("quota=٣", "quota must be a number"),
        ("observers=all", "observers must be one of"),
        ("gunboat=yes", "'gunboat' is neither a mode"),
        ("grey,yellow", "yellow makes messages to all unsigned"),
        ("public,neighbours", "everybody reads everything"),
        ("none,quota=3,postal", "so leave out postal, quota"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(PressRefused, match=why):
        read_press(text)


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
    require_stricter(read_press(before), read_press(after))


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
        require_stricter(read_press(before), read_press(after))


def test_every_word_of_the_settings_says_one_thing() -> None:
    assert {flag: read_press(flag) for flag in FLAGS} == {
        flag: PressSettings(**{flag.replace("-", "_"): True})  # type: ignore[arg-type]
        for flag in FLAGS
    }
    every = "table,gunboat,postal,late,yellow,must-order,neighbours,copies-to-desk,language,archived"
    every += ",quota=99,observers=desk,names-until=round"
    assert read_press(every).words == every
    assert read_press("quota=1, ,").quota == 1
    assert read_press("open,observers=none,names-until=game") == PressSettings()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("quota=100", "quota must be a number of letters per turn, like quota=3 (1 to 99)."),
        ("open=yes", "'open=yes' is neither a mode"),
        ("none,late,postal", "With none, nobody writes, so leave out postal, late."),
        ("none,quota=3", "With none, nobody writes, so leave out quota."),
        ("open,open", "The press of a game has one mode, and each option once: 'open,open' has more."),
        ("grey, late ,LATE ", "The press of a game has one mode, and each option once: 'grey, late ,LATE' has more."),
        ("mixed,yellow", "yellow makes"),
        ("fake,yellow", "yellow makes"),
        ("open,names-until=round", "names-until works only with gunboat: it says when"),
        ("a" * 50, f"'{'a' * 40}' is neither a mode of press"),
    ],
)
def test_why_settings_cannot_be_is_said_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(PressRefused) as refused:
        read_press(text)
    assert str(refused.value).startswith(words.replace("'open=yes'", "'open'"))


def test_what_goes_with_what() -> None:
    for text in ("none,gunboat,copies-to-desk", "none,observers=white", "table,yellow", "public,yellow",
                 "grey,neighbours", "none,gunboat,names-until=round"):  # fmt: skip
        assert read_press(text).words == text


@pytest.mark.parametrize(
    ("press", "anonymous"),
    [("open", False), ("mixed", True), ("grey", True), ("open,gunboat", True), ("open,yellow", True), ("fake", False)],
)
def test_in_which_press_the_minute_could_tell_who_wrote(press: str, anonymous: bool) -> None:
    assert read_press(press).anonymous is anonymous


def test_what_the_settings_allow_can_be_compared() -> None:
    limits = {"no postal", "no late", "no must_order", "no neighbours", "no language"}
    assert liberties(read_press("public,yellow,late")) == {"unsigned to all", "during bidding and battles"} | limits - {
        "no late"
    }
    assert liberties(read_press("none")) == set()
    assert liberties(read_press("none,observers=white")) == {"observers to desk", "observers read"}
    assert (
        liberties(read_press("table,observers=desk"))
        == {"signed to all", "signed to some", "observers to desk"} | limits
    )


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("open", "open,copies-to-desk", "copies-to-desk was settled when the game began, and its players rely on it."),
        ("open,gunboat", "open", "gunboat was settled when the game began, and its players rely on it."),
        (
            "table",
            "mixed",
            "The press of a running game can only become stricter; this would allow: during bidding and battles, "
            "unsigned to all, unsigned to some.",
        ),
        (
            "open,quota=3",
            "open",
            "The press of a running game can only become stricter: quota is 3, and can only be lowered.",
        ),
    ],
)
def test_why_press_cannot_become_so_is_said_in_a_sentence(before: str, after: str, words: str) -> None:
    with pytest.raises(PressRefused) as refused:
        require_stricter(read_press(before), read_press(after))
    assert str(refused.value) == words


def test_a_quota_can_stay_or_come() -> None:
    require_stricter(read_press("open,quota=3"), read_press("open,quota=3"))
    require_stricter(read_press("open"), read_press("open,quota=1"))
