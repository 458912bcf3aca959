"""Tests for the JSON that `mentat ruling check --json` prints for each line and at the end."""

from __future__ import annotations

from bot.lab.rulings import run_ruling

START = """
title = "Two bids"
[start]
phase = "bidding"
turn = 2
storm = 4
factions = ["guild", "emperor"]
dots = { guild = 5, emperor = 8 }
[start.faction.guild]
spice = 5
[start.faction.emperor]
spice = 9
[[step]]
until = "bid"
"""


def steps(text: str) -> list[dict[str, object]]:
    return [dict(step) for step in run_ruling(START + text).steps]


def test_each_line_is_told_with_its_canonical_words_and_what_became_of_it() -> None:
    found = steps('[[step]]\nfrom = "guild"\norder = "BID 3"\n[[step]]\nfrom = "guild"\norder = "bid 1"\nrefused = ""')
    assert [(step["from"], step["order"], step["status"], step["canonical"]) for step in found] == [
        ("guild", "BID 3", "accepted", "bid 3"),
        ("guild", "bid 1", "refused", "bid 1"),
    ]
    assert found[1]["reason"]
    assert str(found[1]["clause"]).startswith(("AH.", "WBC."))


def test_a_line_that_is_no_order_is_told_as_unread_with_suggestions() -> None:
    ruling = run_ruling(START + '[[step]]\nfrom = "guild"\norder = "biid 3"')
    assert not ruling.passed
    assert [(step["status"], step["suggestions"]) for step in ruling.steps] == [("unread", ["bid 3"])]


def test_the_position_at_the_end_is_told_as_the_game_master_may_see_it() -> None:
    view = run_ruling(START).view
    assert view is not None
    assert view["phase"] == "bidding"
    assert view["players"]["emperor"]["spice"] == 9
    assert {question["kind"] for question in view["questions"]} == {"bid"}
