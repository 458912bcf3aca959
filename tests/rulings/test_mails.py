"""Tests for mails in rulings: the recorded outcome, the digest, and what a ruling may expect of a mail."""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.lab.ruling_mails import correspondence, proposals_of
from bot.lab.rulings import first_seed, play_ruling, run_ruling
from bot.language.orders import write
from bot.render.material import LineVerdict

NOW = datetime(2026, 3, 2, 18, tzinfo=UTC)
BIDDING = """
title = "The Guild are to bid"
[start]
turn = 6
phase = "bidding"
storm = 2
factions = ["emperor", "guild"]
dots = { emperor = 5, guild = 14 }
rng = "one"
[start.faction.emperor]
spice = 9
[start.faction.guild]
spice = 12
[[step]]
until = "bid"
of = "guild"
"""
REVIVAL = """
title = "The phase ends with two answers"
[start]
turn = 4
phase = "revival"
storm = 6
factions = ["guild", "harkonnen"]
rng = "one"
[start.faction.guild]
spice = 4
tanks = "3"
[[step]]
until = "revival"
"""
POSITIONS = sorted((Path(__file__).parents[1] / "nearly" / "positions").glob("*.toml"))


def mail(text: str, faction: str = "guild", more: str = "") -> str:
    return f'[[step]]\nfrom = "{faction}"\nmail = {json.dumps(text, ensure_ascii=False)}\n{more}\n'


def told(start: str, *mails: str, faction: str = "guild") -> list[Mapping[str, Any]]:
    result = run_ruling(start + "".join(mail(text, faction) for text in mails), NOW)
    assert result.passed, result.difference
    return [step for step in result.steps if "mail" in step]


def digest(start: str, *mails: str, faction: str = "guild") -> str:
    return str(told(start, *mails, faction=faction)[-1]["digest"])


def after(*mails: str) -> str:
    return digest(BIDDING, *mails)


def difference(steps: str, start: str = BIDDING) -> str:
    return run_ruling(start + steps, NOW).difference


# --- the outcome -----------------------------------------------------------------------------------------------------


def test_a_mail_is_told_with_its_lines_and_all_that_came_of_it() -> None:
    text = "Hi,\n\nBID 3\nbid 99\ncharrity\nrules karama\npress to emperor: Hello.\n\nSent from my iPhone"
    (step,) = told(BIDDING, text)
    assert list(step) == ["from", "mail", "lines", "ignored", "notes", "commands", "proposals", "digest"]
    assert (step["from"], step["mail"]) == ("guild", text)
    assert {tuple(line) for line in step["lines"]} == {
        ("text", "status", "canonical", "reason", "clause", "suggestions")
    }
    assert [(line["text"], line["status"], line["canonical"]) for line in step["lines"]] == [
        ("Hi,", "unread", ""),
        ("BID 3", "accepted", "bid 3"),
        ("bid 99", "refused", "bid 99"),
        ("charrity", "unread", ""),
        ("rules karama", "done", "rules karama"),
        ("press to emperor: Hello.", "done", "press to emperor: Hello."),
    ]
    assert "12 spice" in step["lines"][2]["reason"]
    assert step["lines"][2]["clause"]
    assert step["lines"][3]["suggestions"] == step["proposals"] == ["charity"]
    assert step["ignored"] == ["Sent from my iPhone"]
    assert step["commands"] == ["rules: karama", "press: to Emperor: Hello."]


def test_only_commands_that_were_carried_out_are_told() -> None:
    (step,) = told(BIDDING, "extend 5\nabsent 2026-03-01 to 2026-03-03\nmap\ntimezone Europe/Berlin\npress to gm: Hi.")
    assert [line["status"] for line in step["lines"]] == ["done", "refused", "done", "done", "done"]
    assert step["commands"] == ["extend: 5", "map", "timezone: Europe/Berlin", "press: to gm: Hi."]


def test_notes_tell_what_was_left_out_and_what_a_sheet_leaves_open() -> None:
    (left_out,) = told(BIDDING, "pass\n-- \nbid 4\n")
    assert "bid 4" in left_out["ignored"]
    assert any("bid 4" in note for note in left_out["notes"])
    (filed,) = told(BIDDING, "when card 2: pass")
    assert any("unless card 2" in note for note in filed["notes"])
    (automatic,) = told(BIDDING, "I am out of the office until Monday.")
    assert (automatic["lines"], len(automatic["notes"])) == ([], 1)


def test_an_order_of_several_rows_is_one_line() -> None:
    (step,) = told(BIDDING, "press to emperor:\nHello.\nI pass.\nend press\nbid 3")
    assert [line["status"] for line in step["lines"]] == ["done", "accepted"]


def test_proposals_are_whole_mails() -> None:
    two = LineVerdict("bid 2, pass", "unread", suggestions=("bid 2", "pass"), together=True)
    either = LineVerdict("4 or 6", "unread", suggestions=("bid 4", "bid 6"))
    assert proposals_of([]) == proposals_of([LineVerdict("bid 2", "accepted")]) == []
    assert proposals_of([two]) == ["bid 2\npass"]
    assert proposals_of([either]) == ["bid 4", "bid 6"]
    assert proposals_of([two, either]) == ["bid 2\npass\nbid 4", "bid 2\npass", "bid 4", "bid 6"]


# --- the digest ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("bid 4",), ("Hello,\n\nBID 4!\n\nThanks\nAnn",)),
        (("bid 4\nbid 6",), ("bid 6",)),
        (("",), ("status\nmap\nrules storm\nhelp\norders",)),
        (("",), ("bid 99\nflibberty",)),
        (("",), ("standing: charity", "cancel")),
        (("",), ("absent 2026-03-09 to 2026-03-11", "no absence")),
        (("timezone Europe/Berlin",), ("timezone Asia/Tokyo", "timezone Europe/Berlin")),
        (("press to emperor: Hello.\nbid 4",), ("bid 4\npress to emperor: Hello.",)),
    ],
)
def test_where_all_is_equal_for_later_play_the_digest_is(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert after(*one) == after(*other)


def test_whatever_later_play_depends_on_tells_digests_apart() -> None:
    mails = [
        "", "bid 4", "bid 5", "pass", "pass all", "bid up to 4", "when card 2: bid 4", "when card 2: bid 5",
        "standing: when card 2: bid 4", "press to emperor: Hello.", "press to emperor: Hello!",
        "absent 2026-03-09 to 2026-03-11", "absent 2026-03-09 to 2026-03-12", "extend 5", "extend 6", "extend 999",
        "timezone Europe/Berlin", "letters daily", "waking 08:00 to 22:00", "press to gm: Hello.", "resign",
        "waive reactions until battle", "deal with emperor: peace", "archive name Muad'Dib",
    ]  # fmt: skip
    digests = {text: after(text) for text in mails}
    assert len(set(digests.values())) == len(mails), digests


def test_the_order_in_which_answers_came_makes_no_difference() -> None:
    start = REVIVAL.replace('until = "revival"', 'until = "shipment"\nof = "guild"')
    assert (
        digest(start, "no shipment\nno move") == digest(start, "no move\nno shipment") != digest(start, "no shipment")
    )


def test_rulings_of_other_positions_rules_or_chance_have_other_digests() -> None:
    others = [
        BIDDING.replace("spice = 9", "spice = 8"), BIDDING.replace('rng = "one"', 'rng = "two"'),
        BIDDING.replace("[start]", 'ruleset = "ah-basic"\n[start]', 1),
    ]  # fmt: skip
    assert len({digest(start, "") for start in (BIDDING, *others)}) == 4


def test_a_game_on_file_and_one_that_commands_have_written_down_stand_the_same() -> None:
    assert after("status", "bid 3", "orders") == after("bid 3")


@pytest.mark.parametrize("position", POSITIONS, ids=lambda path: path.stem)
def test_every_answer_to_every_question_has_a_digest_of_its_own(position: Path) -> None:
    start = position.read_text(encoding="utf-8").rstrip() + "\n"
    play = play_ruling(first_seed(tomllib.loads(start)))
    faction = play.questions()[0].faction
    own = [question for question in play.questions() if question.faction == faction]
    orders = dict.fromkeys(write(order) for question in own for order in list(question.samples())[:4])
    found = [digest(start, text, faction=faction) for text in ("", *orders)]
    assert len(set(found)) == len(found)
    assert digest(start, next(iter(orders)).upper() + "\n", faction=faction) == found[1]


# --- the game between mails ------------------------------------------------------------------------------------------


def test_the_game_does_not_run_on_between_mails() -> None:
    both = mail("no revival") + mail("no revival", "harkonnen")
    *_, ended, nothing, refused = told(REVIVAL + both, "", "no shipment")
    assert ended["digest"] == nothing["digest"] == refused["digest"]
    assert refused["lines"][0]["status"] == "refused"
    held = mail("when card 1: bid 2") + mail("", more="nothing = true")
    assert difference(held + '[[step]]\n[step.expect]\nasked = ["guild:bid"]') == ""


def test_a_phase_to_which_the_ruling_has_come_begins_with_the_mail() -> None:
    (step,) = told(REVIVAL + '[[step]]\nuntil = "phase:movement"\n', "no shipment")
    assert step["lines"][0]["status"] in ("accepted", "held")


def test_sheets_that_mails_have_filed_speak_when_the_game_goes_on() -> None:
    filed = mail("when card 1: bid 2")
    assert difference(filed + '[[step]]\nuntil = "end"\n[expect.faction.guild]\nspice = 10') == ""
    ordered = (
        '[[step]]\nfrom = "emperor"\norder = "bid 3"\n[[step]]\nuntil = "end"\n[expect.faction.emperor]\nspice = 6'
    )
    assert difference(filed + ordered) == ""


def test_mentat_remembers_earlier_mails_of_a_ruling() -> None:
    (first, again) = told(BIDDING, "press to emperor: Hello.", "bid 3\npress to emperor: Hello.")
    assert first["commands"] == ["press: to Emperor: Hello."]
    assert again["digest"] != after("bid 3\npress to emperor: Hello.")


def test_what_mentat_offered_a_seat_last_is_remembered() -> None:
    ruling = first_seed(tomllib.loads(BIDDING))
    with correspondence(play_ruling(ruling), ruling, NOW) as mails:
        assert mails.take("guild", "biid 4").proposals == ["bid 4"]
        assert [line.canonical for line in mails.take("guild", "yes").lines] == ["bid 4"]
        assert mails.take("guild", "yes").proposals == []


# --- expectations in a ruling ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "steps",
    [
        mail("bid 4", more='same_as = ["bid 5", "BID 4"]'),
        mail("status", more='same_as = ["", "pass"]'),
        mail("orders please", more="nothing = true"),
        mail("biid 4", more='proposes = ["bid 4"]'),
        mail("biid 4", more='proposes = ["bid 7", "bid 4"]'),
        mail("bid 4") + mail("", more="nothing = true"),
        mail("orders", more='same_as = ["orders"]'),
    ],
)
def test_a_mail_of_which_all_is_so_passes(steps: str) -> None:
    assert difference(steps) == ""


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (
            mail("bid 4", more='same_as = ["bid 5", "pass"]'),
            "step 2: 'bid 4' must leave the game as 'bid 5' or 'pass' does",
        ),
        (mail("", more='same_as = ["bid 5"]'), "it has no line"),
        (
            mail("flibberty", more='same_as = ["orders"]'),
            "must leave the game as 'orders' does; 'flibberty' is unread (I cannot find",
        ),
        (mail("bid 4", more="nothing = true"), "step 2: 'bid 4' must do nothing; 'bid 4' is accepted (bid 4)"),
        (mail("biid 4", more="nothing = true"), "must be offered no order; 'biid 4' is unread"),
        (mail("bid 4", more='proposes = ["bid 4"]'), "must do nothing"),
        (mail("biid 4", more='proposes = ["bid 5"]'), "must be offered a mail that leaves the game as 'bid 5' does"),
        (mail("flibberty", more='proposes = ["bid 99"]'), "'bid 99' does nothing here. You have 12 spice"),
        (mail("bid 4", more='same_as = "bid 4"'), "step 2 same_as = 'bid 4': this must be a list of texts"),
        (mail("bid 4", more="same_as = []"), "same_as and proposes must name mails"),
        (mail("bid 4", more="proposes = [4]"), "this must be a list of texts"),
        (mail("bid 4", more="nothing = false"), "nothing must be true"),
        (mail("bid 4", more="nothing = 1"), "this must be true or false"),
        (mail("bid 4", more='nothing = true\nsame_as = [""]'), "step 2 has from, mail, nothing, same_as; a step is"),
        (mail("bid 4", more='refused = ""'), "step 2 has from, mail, refused; a step is"),
        (mail("bid 4", more='proposed = ["bid 4"]'), "there is no 'proposed' here (did you mean 'proposes'?)"),
        (mail("bid 4", "fremen"), "there is no 'fremen' here"),
        ('[[step]]\nmail = "bid 4"', "step 2 has mail; a step is an order with from, a mail with from"),
        ('[[step]]\nfrom = "guild"\nmail = 4', "step 2 mail = 4: this must be a text"),
    ],
)
def test_what_is_not_so_of_a_mail_is_said(steps: str, words: str) -> None:
    assert words in difference(steps)


def test_a_mail_must_come_to_the_same_whatever_chance_brings() -> None:
    steps = BIDDING.replace('rng = "one"', 'rng = ["one", "two"]') + mail("bid 4", more='same_as = ["bid 5"]')
    assert "(with rng = 'one')" in run_ruling(steps, NOW).difference


def test_odd_bodies_do_no_harm() -> None:
    bodies = ["\ud800", "bid 4\0", "bid 4\r\nstatus", "\n" * 30_000, "x" * 200_000, "From: a@b\n\nbid 4", "📯"]
    assert len(told(BIDDING, *bodies)) == len(bodies)


def test_two_hundred_mails_take_few_seconds() -> None:
    began = time.process_time()
    for number in range(200):
        told(BIDDING, f"Hi,\n\nbid {1 + number % 12}\n\nThanks,\nAnn")
    assert time.process_time() - began < 10
