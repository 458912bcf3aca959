"""Who may write to whom, whether press is signed, and when it is delivered."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.press import (
    LONGEST_PRESS,
    MOST_A_DAY,
    MOST_AN_HOUR,
    Denial,
    Permission,
    Scene,
    Wish,
    decide,
    in_hidden_order,
    next_slot,
    read_press,
    tells_who,
)
from rules.components import FACTIONS, Faction

NOW = datetime(2027, 1, 31, 15, 7, tzinfo=UTC)
OTHERS: tuple[Faction, ...] = tuple(faction for faction in FACTIONS if faction != "guild")


def scene(press: str = "open", **of_it: object) -> Scene:
    return replace(Scene(read_press(press), FACTIONS, "movement"), **of_it)  # type: ignore[arg-type]


def wish(*to: Faction, words: str = "Let us talk.", **of_it: object) -> Wish:
    return replace(Wish("guild", to, words), **of_it)  # type: ignore[arg-type]


def granted(asked: Wish, at: Scene) -> Permission:
    found = decide(asked, at, NOW)
    assert isinstance(found, Permission), found
    return found


def reason(asked: Wish, at: Scene) -> str:
    found = decide(asked, at, NOW)
    assert isinstance(found, Denial), found
    return found.reason


def test_in_open_press_anything_goes_to_anybody_at_once_and_signed() -> None:
    to_two = granted(wish("fremen", "emperor"), scene())
    assert (to_two.readers, to_two.shown, to_two.signed, to_two.goes) == (
        ("fremen", "emperor"), ("fremen", "emperor"), True, "now",
    )  # fmt: skip
    to_all = granted(wish(), scene())
    assert set(to_all.readers) == set(OTHERS)
    assert to_all.to_all


def test_all_but_somebody_is_not_all() -> None:
    found = granted(wish(but=("harkonnen",)), scene())
    assert set(found.readers) == set(OTHERS) - {"harkonnen"}
    assert not found.to_all


@pytest.mark.parametrize(
    ("asked", "at", "why"),
    [
        (wish("guild"), scene(), "self"),
        (wish("guild", "guild"), scene(), "self"),
        (wish(words=" … "), scene(), "empty"),
        (wish(words=""), scene(), "empty"),
        (wish(but=OTHERS), scene(), "nobody"),
        (wish("fremen"), scene(seats=("guild", "emperor")), "not-played"),
        (wish(but=("fremen",)), scene(seats=("guild", "emperor")), "not-played"),
        (wish("fremen", "emperor"), scene(unmanned={"fremen"}), "unmanned"),
        (wish(), scene(unmanned=set(OTHERS)), "nobody"),
        (wish(), scene("none"), "none"),
        (wish(), scene(muted=True), "muted"),
        (wish("fremen"), scene("public"), "public-only"),
        (wish(but=("fremen",)), scene("public"), "public-only"),
        (wish("fremen"), scene("table", phase="bidding"), "quiet-phase"),
        (wish(), scene("table", phase="battle"), "quiet-phase"),
        (wish(), scene("open,late", overdue=True), "late"),
        (wish(), scene("open,must-order", owes=True), "must-order"),
        (wish("fremen", "emperor"), scene("open,neighbours", near={"emperor"}), "not-neighbours"),
        (wish("fremen", signed=True), scene("grey"), "signed"),
        (wish("fremen", signed=False), scene(), "unsigned"),
        (wish("fremen", signed=False), scene("open,yellow"), "unsigned"),
        (wish(signed=True), scene("open,yellow"), "signed"),
        (wish("fremen", shown=("emperor",)), scene(), "false-readers"),
        (wish(), scene("open,quota=3", this_turn=3), "quota"),
        (wish(), scene(sent=[NOW - timedelta(minutes=59)] * 20), "hour"),
        (wish(), scene(sent=[NOW - timedelta(hours=23)] * 100), "day"),
    ],
)
def test_what_is_not_allowed_is_refused_with_its_reason(asked: Wish, at: Scene, why: str) -> None:
    assert reason(asked, at) == why


@pytest.mark.parametrize(
    ("asked", "at"),
    [
        (wish(*OTHERS), scene("public")),
        (wish(), scene("public", unmanned={"fremen"})),
        (wish("fremen"), scene("table", phase="revival")),
        (wish("fremen"), scene("open,late", owes=True)),
        (wish("emperor"), scene("open,neighbours", near={"emperor"})),
        (wish(), scene("open,quota=3", this_turn=2)),
        (wish(), scene(sent=[NOW - timedelta(hours=1)] * 20)),
        (wish("fremen"), scene("none", over=True)),
        (wish("fremen"), scene("public,quota=1,late", over=True, overdue=True, this_turn=4)),
    ],
)
def test_what_is_allowed_is_not(asked: Wish, at: Scene) -> None:
    granted(asked, at)


def test_unsigned_press_names_no_readers_from_whom_its_writer_follows() -> None:
    to_five = granted(wish(*OTHERS), scene("grey"))
    assert to_five.to_all
    assert to_five.shown == ()
    assert set(to_five.readers) == set(FACTIONS)  # a faction left out would be the writer
    to_four = granted(wish(*OTHERS[:4]), scene("grey"))
    assert (to_four.shown, to_four.to_all, to_four.readers) == ((), False, OTHERS[:4])


@pytest.mark.parametrize("words", ["Yours, Ann Smith", "yours, ann-smith!", "Write to a.b@c.example", "ann@x.example"])
@pytest.mark.parametrize("mode", ["grey", "open,gunboat"])
def test_where_nobody_is_to_know_who_wrote_it_words_cannot_say_it(words: str, mode: str) -> None:
    who = ("ann@x.example", "Ann Smith")
    assert reason(wish(words=words), scene(mode, person=who)) == "identity"
    assert granted(wish(words=words), scene(person=who))
    assert granted(wish(words="Annually, Smithson asks"), scene(mode, person=who))


def test_with_mixed_press_the_writer_chooses_and_signs_by_default() -> None:
    assert granted(wish(), scene("mixed")).signed
    assert not granted(wish(signed=False), scene("mixed")).signed


def test_with_yellow_only_what_goes_to_all_is_unsigned() -> None:
    assert not granted(wish(), scene("open,yellow")).signed
    assert granted(wish("fremen"), scene("open,yellow")).signed


def test_with_fake_press_the_letter_may_name_other_readers() -> None:
    found = granted(wish("fremen", shown=("fremen", "emperor")), scene("fake", all_agree=True))
    assert (found.readers, found.shown, found.to_all) == (("fremen",), ("fremen", "emperor"), False)
    assert granted(wish("fremen", shown=()), scene("fake", all_agree=True)).to_all
    assert reason(wish("fremen", shown=()), scene("fake")) == "not-agreed"


@pytest.mark.parametrize(
    ("press", "goes"),
    [("grey", "slot"), ("open,gunboat", "slot"), ("open", "now"), ("mixed", "now"), ("grey,postal", "turn")],
)
def test_when_it_goes_out_tells_nothing_of_an_unknown_writer(press: str, goes: str) -> None:
    found = granted(wish(), scene(press))
    assert found.goes == goes
    assert found.due == (datetime(2027, 1, 31, 16, tzinfo=UTC) if goes == "slot" else None)


def test_slots_are_every_second_full_hour_and_always_to_come() -> None:
    at = datetime(2027, 1, 31, 22, tzinfo=UTC)
    assert next_slot(at) == datetime(2027, 2, 1, tzinfo=UTC)
    assert {next_slot(NOW + timedelta(minutes=minute)) for minute in range(53)} == {
        datetime(2027, 1, 31, 16, tzinfo=UTC)
    }


def test_the_order_within_a_slot_follows_from_no_order_of_writing_and_one_more_leaves_the_others() -> None:
    letters = [(f"words {number}", number) for number in range(12)]
    order = in_hidden_order(b"secret", "slot", letters)
    assert order != list(range(12))
    assert in_hidden_order(b"secret", "slot", letters[::-1]) == order
    assert in_hidden_order(b"another", "slot", letters) != order
    with_one_more = in_hidden_order(b"secret", "slot", [*letters, ("other words", 99)])
    assert [number for number in with_one_more if number != 99] == order


def test_what_is_too_long_is_cut() -> None:
    found = granted(wish(words="a" * (LONGEST_PRESS + 7)), scene())
    assert (len(found.words), found.cut) == (LONGEST_PRESS, True)


def test_a_quota_says_what_is_left() -> None:
    assert granted(wish(), scene("open,quota=3", this_turn=1)).left == 1
    assert granted(wish(), scene()).left is None


AT_FOUR = datetime(2027, 1, 31, 16, tzinfo=UTC)
TWO: tuple[Faction, ...] = ("fremen", "emperor")
PAIR: tuple[Faction, ...] = ("guild", "fremen")
SOME: tuple[Faction, ...] = ("guild", *TWO)


@pytest.mark.parametrize(
    ("asked", "at", "found"),
    [
        (
            wish("fremen", "guild", "fremen", words=" Hi. \n"),
            scene(),
            Permission(("fremen",), ("fremen",), False, True, "Hi.", "now"),
        ),
        (
            wish(but=("emperor",)),
            scene(seats=SOME),
            Permission(("fremen",), ("fremen",), False, True, "Let us talk.", "now"),
        ),
        (wish(*TWO), scene(seats=SOME), Permission(TWO, TWO, True, True, "Let us talk.", "now")),
        (
            wish(),
            scene(seats=SOME, unmanned={"emperor"}),
            Permission(("fremen",), ("fremen",), True, True, "Let us talk.", "now"),
        ),
        (
            wish(but=("emperor",)),
            scene(seats=SOME, unmanned={"emperor"}),
            Permission(("fremen",), ("fremen",), True, True, "Let us talk.", "now"),
        ),
        (
            wish(),
            scene("grey", seats=SOME),
            Permission((*TWO, "guild"), (), True, False, "Let us talk.", "slot", AT_FOUR),
        ),
        (
            wish("fremen"),
            scene("grey", seats=SOME),
            Permission(("fremen",), (), False, False, "Let us talk.", "slot", AT_FOUR),
        ),
        (wish(), scene("open,gunboat", seats=SOME), Permission(TWO, TWO, True, True, "Let us talk.", "slot", AT_FOUR)),
        (
            wish(),
            scene("open,yellow", seats=SOME),
            Permission((*TWO, "guild"), (), True, False, "Let us talk.", "slot", AT_FOUR),
        ),
        (
            wish(signed=False),
            scene("open,yellow", seats=SOME),
            Permission((*TWO, "guild"), (), True, False, "Let us talk.", "slot", AT_FOUR),
        ),
        (
            wish("fremen", signed=True),
            scene("open,yellow", seats=SOME),
            Permission(("fremen",), ("fremen",), False, True, "Let us talk.", "now"),
        ),
        (
            wish(signed=False),
            scene("mixed,postal", seats=SOME),
            Permission((*TWO, "guild"), (), True, False, "Let us talk.", "turn"),
        ),
        (wish(signed=True), scene("mixed", seats=SOME), Permission(TWO, TWO, True, True, "Let us talk.", "now")),
        (
            wish(shown=("fremen",)),
            scene("fake", seats=SOME, all_agree=True),
            Permission(TWO, ("fremen",), False, True, "Let us talk.", "now"),
        ),
        (
            wish("fremen", shown=()),
            scene("fake", seats=SOME, all_agree=True),
            Permission(("fremen",), TWO, True, True, "Let us talk.", "now"),
        ),
        (
            wish(),
            scene("open,quota=3", seats=SOME, this_turn=2),
            Permission(TWO, TWO, True, True, "Let us talk.", "now", None, 0),
        ),
        (
            wish(words="a" * LONGEST_PRESS),
            scene(seats=SOME),
            Permission(TWO, TWO, True, True, "a" * LONGEST_PRESS, "now"),
        ),
        (
            wish(words="a" * (LONGEST_PRESS - 1) + " b"),
            scene(seats=SOME),
            Permission(TWO, TWO, True, True, "a" * (LONGEST_PRESS - 1), "now", cut=True),
        ),
        (
            wish("fremen", signed=True),
            scene("grey", seats=SOME, over=True),
            Permission(("fremen",), ("fremen",), False, True, "Let us talk.", "now"),
        ),
        (wish(signed=False), scene("mixed", seats=SOME, person=("Let us talk",)), Denial("identity", {})),
        (
            wish("arrakis", "fremen", "arrakis", but=("ix",)),
            scene(seats=SOME),
            Denial("not-played", {"factions": ["arrakis", "ix"]}),
        ),
        (
            wish("fremen", shown=("emperor",)),
            scene("fake", seats=PAIR, all_agree=True),
            Denial("not-played", {"factions": ["emperor"]}),
        ),
        (wish(*TWO), scene(seats=SOME, unmanned={"emperor"}), Denial("unmanned", {"factions": ["emperor"]})),
        (wish("fremen", but=("fremen",)), scene(seats=SOME), Denial("nobody", {})),
        (wish(), scene("table", seats=SOME, phase="battle"), Denial("quiet-phase", {"phase": "battle"})),
        (
            wish(),
            scene("open,neighbours", seats=SOME, near=("emperor",)),
            Denial("not-neighbours", {"factions": ["fremen"]}),
        ),
        (wish(), scene("open,quota=3", seats=SOME, this_turn=4), Denial("quota", {"quota": 3})),
        (wish(), scene(seats=SOME, sent=[NOW] * MOST_AN_HOUR), Denial("hour", {"most": MOST_AN_HOUR})),
        (wish(), scene(seats=SOME, sent=[NOW - timedelta(hours=2)] * MOST_A_DAY), Denial("day", {"most": MOST_A_DAY})),
    ],
)
def test_what_becomes_of_a_wish_in_full(asked: Wish, at: Scene, found: Permission | Denial) -> None:
    assert decide(asked, at, NOW) == found


@pytest.mark.parametrize(
    "at",
    [
        scene("open", phase="bidding"),
        scene("open", overdue=True, owes=True),
        scene("open,late"),
        scene("open,must-order", overdue=True),
        scene("open", near=()),
        scene("open", this_turn=500),
        scene(sent=[NOW] * (MOST_AN_HOUR - 1)),
        scene(sent=[NOW - timedelta(hours=2)] * (MOST_A_DAY - 1)),
        scene(sent=[NOW - timedelta(days=1)] * MOST_A_DAY),
        scene("open", person=("Let us talk",)),
    ],
)
def test_what_the_settings_do_not_forbid_is_passed_on(at: Scene) -> None:
    assert granted(wish(), at).signed


@pytest.mark.parametrize(
    ("words", "person", "tells"),
    [
        ("I am Ann.", ("Ann",), True),
        ("I am An.", ("An",), False),
        ("I am Ann.", ("Bob", "Ann"), True),
        ("I am A\u200bnn.", ("ann",), True),
        ("I am \uff21nn.", ("Ann",), True),
        ("I am ann_smith!", ("Ann Smith",), True),
        ("I am Joann.", ("Ann",), False),
        ("I am Annie.", ("Ann",), False),
        ("a@b.ex", (), True),
        ("a@b.e or a@b", (), False),
        ("nothing", (), False),
    ],
)
def test_words_tell_who_wrote_them_by_a_name_or_an_address(words: str, person: tuple[str, ...], tells: bool) -> None:
    assert tells_who(words, person) is tells
