"""Tests that the runner of rulings reports the first difference, and stops where a ruling says."""

from pathlib import Path

import pytest

from bot.lab.rulings import run_ruling

START = """
title = "A ruling"
ruleset = "wbc-2018"
[start]
turn = 4
phase = "revival"
storm = 6
factions = ["guild", "harkonnen"]
[start.faction.guild]
spice = 4
tanks = "3"
[start.faction.harkonnen]
tanks = "3"
"""


def difference(steps: str) -> str:
    result = run_ruling(START + steps)
    assert result.passed == (not result.difference)
    return result.difference


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ('[[step]]\nfrom = "guild"\norder = "revive 4"', "step 1: guild 'revive 4' was refused"),
        ('[[step]]\nfrom = "guild"\norder = "dance"', "step 1: guild 'dance' was refused"),
        ('[[step]]\nfrom = "guild"\norder = "status"', "is for Mentat"),
        ('[[step]]\nfrom = "guild"\norder = ""', "no order in this step"),
        ('[[step]]\nfrom = "guild"\norder = "revive 1"\nrefused = ""', "must be refused but was accepted"),
        ('[[step]]\nfrom = "guild"\norder = "revive 4"\nrefused = "storm"', "another reason than 'storm'"),
        ('[[step]]\nfrom = "fremen"\norder = "revive 1"', "there is no 'fremen' here"),
        ('[[step]]\nuntil = "voice"', "voice was never asked"),
        ('[[step]]\nuntil = "revival"\nof = "emperor"', "there is no 'emperor' here"),
        ('[[step]]\nuntil = "phase:setup"', "no phase of that name is to come"),
        ('[[step]]\nuntil = "phase:lunch"', "no phase of that name is to come"),
        ('[[step]]\nuntil = "lunch"', "must be a kind of question"),
        ('[[step]]\nuntil = "end"\nfrom = "guild"', "step 1 has from, until"),
        ("[[step]]", "step 1 has nothing"),
        ('[[step]]\nwhen = "now"', "there is no 'when' here"),
        ("step = 3", "step"),
        ("[[step]]\n[step.expect]\nturn = 5", "step 1: phase and turn"),
        ("[expect.faction.guild]\nspice = 5", "at the end: guild spice: 5 expected, there is 4"),
        ("[expect.faction.guild]\nspices = 5", "there is no 'spices' here (did you mean 'spice'?)"),
        (
            '[[step]]\nuntil = "end"\n[expect]\nnever_asked = ["guild:revival"]',
            "at the end: never_asked: guild:revival; open is nothing",
        ),
        ('[expect]\nnever_asked = ["revival"]', "'revival' is not a faction and a kind of question"),
        ("[expect", "cannot be read as a ruling"),
    ],
)
def test_what_is_not_so_is_said(steps: str, words: str) -> None:
    assert words in difference(steps)


def test_what_was_never_asked_is_so_since_the_last_look() -> None:
    looked = (
        '[[step]]\nuntil = "revival"\n[[step]]\n[step.expect]\nasked = ["guild:revival"]\n[[step]]\nuntil = "end"\n'
    )
    assert difference(looked + '[expect]\nnever_asked = ["guild:revival", "guild:shipment"]') == ""


@pytest.mark.parametrize(
    "steps",
    [
        '[[step]]\nuntil = "end"\n[expect]\nphase = "revival"\nturn = 4\nnot_asked = ["guild:shipment"]',
        '[[step]]\nuntil = "end"\n[expect]\nphase = "movement"\nnot_asked = ["guild:shipment"]',
        '[[step]]\nuntil = "phase:movement"\n[expect]\nphase = "movement"\nnot_asked = ["guild:shipment"]',
        '[[step]]\nuntil = "phase:storm"\n[expect]\nphase = "storm"\nturn = 5\n',
        '[[step]]\nuntil = "phase:storm"\n[expect]\nphase = "mentat"\nturn = 4\n',
        '[[step]]\nuntil = "end"\n[[step]]\nuntil = "end"\n[expect]\nphase = "battle"',
        '[[step]]\nuntil = "end"\n[[step]]\nfrom = "guild"\norder = "no shipment"\n[expect]\nphase = "movement"',
        '[[step]]\nuntil = "phase:over"\n[expect]\nphase = "over"\nturn = 15',
        '[[step]]\nuntil = "revival"\nof = "guild"\n[expect]\nasked = ["guild:revival"]',
        '[[step]]\nfrom = "guild"\norder = "# a note\\n\\nrevive 2"\n[expect]\nphase = "revival"',
    ],
)
def test_a_ruling_stops_where_it_says(steps: str) -> None:
    assert difference(steps) == ""


def test_an_order_that_ends_the_phase_leaves_the_ruling_at_its_end() -> None:
    both = '[[step]]\nfrom = "guild"\norder = "revive 1"\n[[step]]\nfrom = "harkonnen"\norder = "revive 2"\n'
    assert difference(both + '[[step]]\nuntil = "end"\n[expect]\nphase = "revival"') == ""


def test_a_missing_file_and_a_position_that_cannot_be_are_said(tmp_path: Path) -> None:
    assert "cannot be read as a ruling" in run_ruling(tmp_path / "nothing.toml").difference
    file = tmp_path / "impossible.toml"
    file.write_text('title = "Too many"\n[start]\nphase = "storm"\ntreachery_deck = ["Hajr", "Hajr"]')
    result = run_ruling(file)
    assert (result.title, result.passed) == ("Too many", False)
    assert "Hajr is named 2 times, but the game has only one" in result.difference


WINDOW = """
title = "A worm's window"
ruleset = "wbc-2018"
[start]
turn = 4
phase = "spice"
storm = 6
factions = ["fremen", "guild", "harkonnen"]
spice_deck = ["Shai-Hulud", "Old Gap", "Sihaya Ridge"]
spice_discard = [["South Mesa"], ["Cielago South"]]
[start.faction.fremen]
forces = { "south-mesa/5" = "2" }
[start.faction.guild]
hand = ["Karama"]
[[step]]
until = "nexus"
[[step]]
until = "karama-window"
"""
CANCEL = '[[step]]\nfrom = "guild"\norder = "karama cancel worm"\n'


def test_what_can_be_played_in_a_window_is_not_refused_there() -> None:
    result = run_ruling(WINDOW + CANCEL + 'refused = ""')
    assert "must be refused but was accepted" in result.difference


def test_an_order_that_is_held_at_the_window_where_the_ruling_stands_is_not_refused() -> None:
    ride = '[[step]]\nfrom = "fremen"\norder = "ride 3 from south-mesa/5 to carthag"\nrefused = "2 tokens"\n'
    held = '[[step]]\nfrom = "fremen"\norder = "ride 2 from south-mesa/5 to carthag"\nrefused = ""\n'
    assert run_ruling(WINDOW + ride).passed
    assert "must be refused but was accepted" in run_ruling(WINDOW + held).difference


def test_a_refused_step_leaves_the_window_open() -> None:
    refused = '[[step]]\nfrom = "harkonnen"\norder = "karama cancel worm"\nrefused = "no Karama"\n'
    asked = '[[step]]\nuntil = "karama-window"\nof = "guild"\n'
    assert run_ruling(WINDOW + refused + asked + CANCEL + '[expect]\ndiscard = ["Karama"]').passed


TWO_WEAPONS = (Path(__file__).parent / "battle" / "060-two-weapons.toml").read_text(encoding="utf-8")


def test_a_ruling_that_names_no_seed_must_hold_whatever_chance_brings() -> None:
    assert run_ruling(TWO_WEAPONS).passed
    result = run_ruling(TWO_WEAPONS.replace('rng = "one"\n', ""))
    assert not result.passed
    assert "with rng =" in result.difference


def test_a_ruling_may_name_the_seeds_that_it_holds_with() -> None:
    assert run_ruling(TWO_WEAPONS.replace('rng = "one"', 'rng = ["one", "one"]')).passed
    many = ", ".join(f'"{number}"' for number in range(20))
    assert not run_ruling(TWO_WEAPONS.replace('rng = "one"', f"rng = [{many}]")).passed
    for wrong in ("[]", "[1]", "3"):
        assert "a list of texts" in run_ruling(TWO_WEAPONS.replace('"one"', wrong)).difference


def test_a_window_that_is_asked_about_is_not_passed_over() -> None:
    open_still = '[[step]]\n[step.expect]\nnot_asked = ["guild:karama-window"]\n'
    assert "open is" in run_ruling(WINDOW + open_still).difference


def test_steps_are_tables_and_nothing_else() -> None:
    result = run_ruling("step = [3]\n" + START)
    assert result.difference == "the ruling: steps are written [[step]], each a table of its own."


def test_a_fault_of_the_rules_fails_the_ruling_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise RuntimeError("the sand got in")

    monkeypatch.setattr("bot.lab.rulings._run", breaks)
    result = run_ruling(START)
    assert (result.passed, result.difference) == (False, "The game broke off: RuntimeError('the sand got in').")
    assert result.view is None
