"""Tests for the text that tells players how they may write to each other."""

from __future__ import annotations

import pytest

from bot.press import PressSettings
from bot.render.letters import press_paragraphs
from bot.wording import phrases, say


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (PressSettings(), ["open"]),
        (PressSettings("none"), ["none"]),
        (PressSettings("none", postal=True), ["none"]),
        (PressSettings("public", postal=True), ["public", "postal"]),
        (PressSettings("grey", postal=True), ["grey", "postal"]),
        (PressSettings("grey"), ["grey", "slots-all"]),
        (PressSettings("mixed"), ["mixed", "slots"]),
        (PressSettings("fake"), ["fake"]),
        (PressSettings("open", yellow=True), ["open", "slots", "yellow"]),
        (PressSettings("open", gunboat=True), ["open", "gunboat", "slots-all"]),
        (PressSettings("open", gunboat=True, names_until="round"), ["open", "gunboat-round", "slots-all"]),
        (PressSettings("table", late=True), ["table", "late"]),
        (PressSettings("table", must_order=True), ["table", "must-order"]),
        (PressSettings("table", neighbours=True), ["table", "neighbours"]),
        (PressSettings("table", language=True), ["table", "language"]),
        (PressSettings("table", copies_to_desk=True), ["table", "copies-to-desk"]),
        (PressSettings("table", observers="desk"), ["table", "observers-desk"]),
        (PressSettings("table", observers="white"), ["table", "observers-white"]),
        (PressSettings("table", archived=True), ["table", "archived"]),
    ],
)
def test_each_setting_of_press_is_told(settings: PressSettings, told: list[str]) -> None:
    assert press_paragraphs(settings) == [*(say(f"press-mode.{each}") for each in told), say("press-told.desk")]


def test_a_limit_is_told_right_after_the_mode() -> None:
    quota = say("press-mode.quota", quota=3)
    late = [say("press-mode.open"), quota, say("press-mode.late"), say("press-told.desk")]
    assert press_paragraphs(PressSettings(quota=3, late=True)) == late
    assert "quota" in phrases("press-mode")
